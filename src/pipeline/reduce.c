/* Rows are reduced where they lie, gathered, and combined by a tree over the global j. SPDX-License-Identifier: MIT */
#include "pipeline/reduce.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/state.h"

#include <stdlib.h>

double reduce_tree(const double *x, int n)
{
    if (n > REDUCE_LEAF) {
        const int half = n / 2;
        return reduce_tree(x, half) + reduce_tree(x + half, n - half);
    }
    double sum = 0;
    for (int m = 0; m < n; m++) sum += x[m];
    return sum;
}

/* Memory of a reduction; rows have `width` numbers. */
struct work {
    double *mine, *sums, *line; /* [own rows][width]; [rows][sums], gathered from `part`; [rows] */
    double *part;               /* [own rows][sums] */
    size_t *bytes;              /* [ranks] */
    int rows, width;
};

static void work_free(struct work *w)
{
    free(w->mine);
    free(w->sums);
    free(w->line);
    free(w->part);
    free(w->bytes);
}

static int work_make(struct work *w, const struct comm *c, const struct state *st, int sums, int width)
{
    const size_t nj = (size_t)st->grid->ny, own = (size_t)(st->jb - st->ja);
    *w = (struct work){.mine = calloc(own + 1, (size_t)width * sizeof(double)), .rows = (int)own, .width = width};
    int bad = !w->mine;
    if (sums > 0) {
        w->sums = calloc(nj + 1, (size_t)sums * sizeof(double)), w->line = malloc((nj + 1) * sizeof(double));
        w->part = calloc(own + 1, (size_t)sums * sizeof(double)), w->bytes = malloc((size_t)c->size * sizeof *w->bytes);
        bad |= !w->sums || !w->line || !w->part || !w->bytes;
    }
    SF_TRY(comm_max(c, &bad));
    SF_CHECK(!bad, SF_MEMORY, "no memory for sums over %zu rows", nj);
    return SF_OK;
}

static int sums_make(const struct work *w, const struct comm *c, const struct state *st, int sums, double *out)
{
    const int nj = st->grid->ny;
    for (int r = 0; r < c->size; r++) {
        int ja, jb;
        comm_rows(c, nj, r, &ja, &jb);
        w->bytes[r] = (size_t)(jb - ja) * (size_t)sums * sizeof(double);
    }
    for (int j = 0; j < w->rows; j++)
        for (int m = 0; m < sums; m++) w->part[(ptrdiff_t)j * sums + m] = w->mine[(ptrdiff_t)j * w->width + m];
    SF_TRY(comm_allgather(c, w->part, w->sums, w->bytes));
    for (int m = 0; m < sums; m++) {
        for (int j = 0; j < nj; j++) w->line[j] = w->sums[(ptrdiff_t)j * sums + m];
        out[m] = reduce_tree(w->line, nj);
    }
    return SF_OK;
}

static int maxima_make(const struct work *w, const struct comm *c, int sums, double *out)
{
    for (int m = sums; m < w->width; m++) {
        out[m] = w->mine[m];
        for (int j = 1; j < w->rows; j++) out[m] = reduce_larger(out[m], w->mine[(ptrdiff_t)j * w->width + m]);
        SF_TRY(comm_max_double(c, &out[m]));
        out[m] += 0.0; /* of -0 and 0 neither is the larger: which came first is a matter of the cut */
    }
    return SF_OK;
}

/* Own rows, by the device that is ahead of the host or by the host. */
static int rows_make(const struct work *w, const struct state *st, const struct reduction *r)
{
    int done = 0;
    if (r->launch && st->rows) SF_TRY(outcome_share(&st->comm, st->rows(st->engine, r->launch, r->ctx, w->width, w->mine, &done)));
    if (done) return SF_OK;
    SF_TRY(state_fetch(st));
#pragma omp parallel for schedule(static) num_threads(state_threads(st))
    for (int j = st->ja; j < st->jb; j++) r->row(st, j, w->mine + (ptrdiff_t)(j - st->ja) * w->width, r->ctx);
    return SF_OK;
}

int reduce_rows(const struct comm *c, const struct state *st, const struct reduction *r, double *out)
{
    struct work w;
    int rc = work_make(&w, c, st, r->sums, r->sums + r->maxima);
    if (!rc) rc = rows_make(&w, st, r);
    if (!rc && r->sums > 0) rc = sums_make(&w, c, st, r->sums, out);
    if (!rc) rc = maxima_make(&w, c, r->sums, out);
    work_free(&w);
    return rc;
}
