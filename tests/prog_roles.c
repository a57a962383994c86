/* The model of roles under the ranks that it was launched with: `prog_roles DIR [CASES [FIRST [CUTS [cuda]]]]`, which
 * leaves checkpoints below DIR. The exit code is 1 at the first wrong bit. SPDX-License-Identifier: MIT */
#include "support_roles.h"

#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct comm c;
    const struct backend *on = NULL;
    if (comm_begin(&argc, &argv, &c)) return fprintf(stderr, "%s\n", sf_error_text()), 1;
    if (argc < 2) return fprintf(stderr, "usage: prog_roles DIR [CASES [FIRST [CUTS [cuda]]]]\n"), 1;
    sf_log_setup(c.rank, 1);
    const int cases = argc > 2 ? atoi(argv[2]) : 100, first = argc > 3 ? atoi(argv[3]) : 0,
              cuts = argc > 4 ? atoi(argv[4]) : 2;
    int bad = 0;
    if (argc > 5) bad = backend_choose(&on, BACKEND_CUDA, comm_local(&c));
    if (bad) fprintf(stderr, "%s\n", sf_error_text());
    if (!bad) bad = roles_check(&c, (unsigned)first, cases, cuts, on, argv[1]);
    if (!bad && c.rank == 0)
        printf("%d ranks, %s: %d cases, %d cuts of each: the same bits\n", c.size, argc > 5 ? argv[5] : "cpu", cases,
               cuts + 1);
    fflush(stdout);
    comm_end();
    return bad;
}
