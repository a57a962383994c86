/* Rows are reduced where they lie, gathered, and combined by a tree over the global j. SPDX-License-Identifier: MIT */
#include "pipeline/reduce.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/state.h"

#include <stdlib.h>

/* At the depth before the last, parts have 4 to 8 numbers, of two sizes that differ by one: their sums take neither
 * loops nor branches. What is added to 0 is never -0, so that nothing changes where 0 is added in the place of a
 * number. */
enum { REDUCE_TWICE = 2 * REDUCE_LEAF };

static inline double sum2(const double *x) { return 0.0 + x[0] + x[1]; }
static inline double sum3(const double *x) { return sum2(x) + x[2]; }
static inline double sum4(const double *x) { return sum3(x) + x[3]; }
static inline double one_if(int is_there, const double *x, int at)
{
    const double one = x[is_there ? at : 0];
    return is_there ? one : 0.0;
}

/* Of n numbers, 4 to 8, a constant, or where more is 1 of one more. */
static inline double sum_twice(const double *x, int n, int more)
{
    if (n == 4) {
        const double whole = sum4(x), parts = sum2(x) + (x[2] + x[3] + one_if(more, x, 4));
        return more ? parts : whole;
    }
    if (n == 5) return sum2(x) + one_if(more, x, 2) + sum3(x + 2 + more);
    if (n == 6) return sum3(x) + (sum3(x + 3) + one_if(more, x, 6));
    if (n == 7) return sum3(x) + one_if(more, x, 3) + sum4(x + 3 + more);
    return sum4(x) + sum4(x + 4);
}

/* Of n numbers, part p of 2^depth has n plus the bits of p in reverse, over 2^depth: rounding down, as a half does. */
static const unsigned char reversed[32] = {0, 16, 8, 24, 4, 20, 12, 28, 2, 18, 10, 26, 6, 22, 14, 30,
                                           1, 17, 9, 25, 5, 21, 13, 29, 3, 19, 11, 27, 7, 23, 15, 31};

enum { DEPTH = 5, MOST = REDUCE_TWICE << DEPTH };

static inline void parts_sum(const double *x, int n, int depth, int size, double *restrict part)
{
    for (int p = 0; p < 1 << depth; p++) {
        const int more = ((n + (reversed[p] >> (DEPTH - depth))) >> depth) - size;
        part[p] = sum_twice(x, size, more);
        x += size + more;
    }
}

double reduce_tree(const double *x, int n)
{
    if (n > MOST) return reduce_tree(x, n / 2) + reduce_tree(x + n / 2, n - n / 2);
    double part[1 << DEPTH] = {0};
    int depth = 0;
    while (n > REDUCE_TWICE << depth) depth++;
    switch (n >> depth) {
    case 8:
        parts_sum(x, n, depth, 8, part);
        break;
    case 7:
        parts_sum(x, n, depth, 7, part);
        break;
    case 6:
        parts_sum(x, n, depth, 6, part);
        break;
    case 5:
        parts_sum(x, n, depth, 5, part);
        break;
    case 4:
        parts_sum(x, n, depth, 4, part);
        break;
    default: /* all of them */
        for (int m = 0; m < n; m++) part[0] += x[m];
    }
    for (int parts = 1 << depth; parts > 1; parts /= 2)
        for (int p = 0; p < parts / 2; p++) part[p] = part[2 * p] + part[2 * p + 1];
    return part[0];
}

/* Memory of a reduction; rows have `width` numbers. */
struct work {
    double *mine, *sums, *line; /* [own rows][width]; [rows][sums], gathered from `part`; [rows] */
    double *part; /* [own rows][sums] */
    size_t *bytes; /* [ranks] */
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
    if (r->launch && st->rows) SF_TRY(outcome_share(&st->comm, st->rows(st->engine, r, w->mine, &done)));
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
