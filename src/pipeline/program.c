/* Room doubles: a list of 16, 32, 64, ... ops is full. SPDX-License-Identifier: MIT */
#include "pipeline/program.h"

#include "pipeline/error.h"

#include <stdlib.h>

int program_add(struct op **list, int *n, struct op op)
{
    enum { FIRST = 16 };
    const int is_full = *n == 0 || (*n >= FIRST && (*n & (*n - 1)) == 0);
    if (is_full) {
        const size_t room = *n ? 2 * (size_t)*n : FIRST;
        struct op *const more = realloc(*list, room * sizeof *more);
        SF_CHECK(more, SF_MEMORY, "no memory for a program of %zu ops a time step", room);
        *list = more;
    }
    (*list)[(*n)++] = op;
    return SF_OK;
}
