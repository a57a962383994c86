/* Rows are reduced where they lie, gathered, and combined by a tree over the global j. SPDX-License-Identifier: MIT */
#include "pipeline/reduce.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF = 4 }; /* added one after the other */

double reduce_tree(const double *x, int n)
{
    if (n > LEAF) {
        const int half = n / 2;
        return reduce_tree(x, half) + reduce_tree(x + half, n - half);
    }
    double sum = 0;
    for (int m = 0; m < n; m++) sum += x[m];
    return sum;
}

static void rows_fill(const struct state *st, int n, reduce_row *row, void *ctx, double *mine)
{
#pragma omp parallel for schedule(static)
    for (int j = st->ja; j < st->jb; j++) row(st, j, mine + (ptrdiff_t)(j - st->ja) * n, ctx);
}

int reduce_sum(const struct comm *c, const struct state *st, int n, reduce_row *row, void *ctx, double *out)
{
    SF_TRY(state_fetch(st));
    const size_t nj = (size_t)st->grid->ny, width = (size_t)n * sizeof(double);
    double *all = calloc(nj + 1, width), *line = malloc((nj + 1) * sizeof *line);
    double *mine = calloc((size_t)(st->jb - st->ja) + 1, width);
    size_t *bytes = malloc((size_t)c->size * sizeof *bytes);
    int bad = !all || !line || !mine || !bytes, rc = comm_max(c, &bad);
    if (!rc && bad) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for sums over %zu rows", nj);
    if (!rc) {
        for (int r = 0; r < c->size; r++) {
            int ja, jb;
            comm_rows(c, st->grid->ny, r, &ja, &jb);
            bytes[r] = (size_t)(jb - ja) * width;
        }
        rows_fill(st, n, row, ctx, mine);
        rc = comm_allgather(c, mine, all, bytes);
    }
    for (int m = 0; m < n && !rc; m++) {
        for (size_t j = 0; j < nj; j++) line[j] = all[j * (size_t)n + (size_t)m];
        out[m] = reduce_tree(line, (int)nj);
    }
    free(all);
    free(line);
    free(mine);
    free(bytes);
    return rc;
}

int reduce_max(const struct comm *c, const struct state *st, int n, reduce_row *row, void *ctx, double *out)
{
    SF_TRY(state_fetch(st));
    double *mine = calloc((size_t)(st->jb - st->ja) + 1, (size_t)n * sizeof *mine);
    int bad = !mine, rc = comm_max(c, &bad);
    if (!rc && bad) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for maxima of %d rows", st->jb - st->ja);
    if (!rc) rows_fill(st, n, row, ctx, mine);
    for (int m = 0; m < n && !rc; m++) {
        double most = mine[m];
        for (int j = 1; j < st->jb - st->ja; j++) most = SF_MAX(most, mine[(ptrdiff_t)j * n + m]);
        rc = comm_max_double(c, &most);
        out[m] = most;
    }
    free(mine);
    return rc;
}
