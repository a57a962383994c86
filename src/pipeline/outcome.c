/* One outcome, and one message, for all ranks. SPDX-License-Identifier: MIT */
#include "pipeline/outcome.h"

#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE = 2048 };

int outcome_share(const struct comm *c, int rc)
{
    if (comm_is_alone(c) || rc == SF_COMM) return rc;
    int worst = rc;
    SF_TRY(comm_max(c, &worst));
    if (!worst) return SF_OK;
    struct told {
        int rc;
        char text[MESSAGE];
    } mine = {.rc = rc};
    snprintf(mine.text, sizeof mine.text, "%s", rc ? sf_error_text() : "");
    struct told *all = calloc((size_t)c->size, sizeof *all);
    size_t *bytes = malloc((size_t)c->size * sizeof *bytes);
    int bad = !all || !bytes, first = 0;
    SF_TRY(comm_max(c, &bad));
    for (int r = 0; r < c->size && !bad; r++) bytes[r] = sizeof mine;
    const int told = bad ? SF_OK : comm_allgather(c, &mine, all, bytes);
    if (!bad && !told) {
        while (all[first].rc != worst) first++;
        sf_error_clear();
        sf_fail(worst, __FILE__, __LINE__, "%s", all[first].text);
    }
    free(all);
    free(bytes);
    return told ? told : worst;
}
