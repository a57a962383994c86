/* Sums and maxima over rows: the tree is the one promised, whatever the number of threads. Cuts over ranks are in
 * command_line.sh. SPDX-License-Identifier: MIT */
#include "pipeline/reduce.h"

#include "pipeline/error.h"
#include "pipeline/state.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#else
static void omp_set_num_threads(int n) { (void)n; }
#endif

enum { MOST = 1000, WIDTH = 3 };

/* Numbers of many sizes and both signs: every order of adding them has other bits. */
static double number(int n) { return ((n * 7919) % 1009 - 504) * pow(2.0, (n * 31) % 40) / 3; }

static void fill(double *x, int n)
{
    for (int m = 0; m < n; m++) x[m] = number(m);
}

Test(reduce, tree_is_exact_for_small_integers)
{
    double x[MOST];
    for (int n = 0; n <= MOST; n++) {
        if (n) x[n - 1] = n;
        cr_assert_eq(reduce_tree(x, n), 0.5 * n * (n + 1));
    }
}

/* Halves first: the tree of n is that of its lower half plus that of its upper half. */
Test(reduce, tree_is_the_sum_of_its_halves)
{
    double x[MOST];
    fill(x, MOST);
    for (int n = 5; n <= MOST; n++)
        cr_assert_eq(reduce_tree(x, n), reduce_tree(x, n / 2) + reduce_tree(x + n / 2, n - n / 2));
}

Test(reduce, tree_is_more_accurate_than_a_chain)
{
    enum { N = 1 << 20 };
    double *x = malloc(N * sizeof *x), chain = 0;
    for (int n = 0; n < N; n++) chain += x[n] = 0.1;
    const double exact = 0.1 * N;
    cr_assert_lt(fabs(reduce_tree(x, N) - exact), 1e-3 * fabs(chain - exact));
    free(x);
}

/* ---- parts: what a GPU adds -------------------------------------------------------------------------------------- */

/* No part is divided from some depth on, and one is at the depth before. */
Test(reduce, depth_is_the_least_that_divides_all)
{
    for (int n = 0; n <= MOST; n++) {
        const int depth = reduce_depth(n);
        int largest[2] = {0, 0}; /* at that depth, and before it */
        for (int up = 0; up < 2 && depth >= up; up++)
            for (int p = 0; p < 1 << (depth - up); p++) {
                const int m = reduce_part((struct reduce_part){0, n}, depth - up, p).n;
                largest[up] = m > largest[up] ? m : largest[up];
            }
        cr_assert_leq(largest[0], REDUCE_LEAF, "%d numbers, depth %d", n, depth);
        cr_assert(depth == 0 || largest[1] > REDUCE_LEAF, "%d numbers, depth %d", n, depth);
    }
    cr_assert_eq(reduce_depth(4), 0);
    cr_assert_eq(reduce_depth(5), 1);
    cr_assert_eq(reduce_depth(9), 2);
    cr_assert_eq(reduce_depth(1024), 8);
    cr_assert_eq(reduce_depth(1025), 9);
}

/* Parts follow each other and hold every number once, whatever the depth. */
Test(reduce, parts_cover_all_in_order)
{
    for (int n = 0; n <= 300; n++)
        for (int depth = 0; depth <= 9; depth++) {
            int next = 0;
            for (int p = 0; p < 1 << depth; p++) {
                const struct reduce_part x = reduce_part((struct reduce_part){0, n}, depth, p);
                cr_assert(x.n >= 0 && (!x.n || x.first == next), "part %d of %d numbers at depth %d", p, n, depth);
                next += x.n;
            }
            cr_assert_eq(next, n);
        }
}

/* 11: 5 and 6; 2, 3, 3, 3. 9: 4, which stays whole, and 5. */
Test(reduce, parts_by_value)
{
    static const struct reduce_part of_11[] = {{100, 2}, {102, 3}, {105, 3}, {108, 3}},
                                    of_9[] = {{0, 4}, {4, 0}, {4, 2}, {6, 3}};
    for (int p = 0; p < 4; p++) {
        const struct reduce_part x = reduce_part((struct reduce_part){100, 11}, 2, p),
                                 y = reduce_part((struct reduce_part){0, 9}, 2, p);
        cr_assert(x.first == of_11[p].first && x.n == of_11[p].n, "%d at %d", x.n, x.first);
        cr_assert(y.n == of_9[p].n && (!y.n || y.first == of_9[p].first), "%d at %d", y.n, y.first);
    }
}

/* Parts added one after the other and joined by pairs are reduce_tree; a part divided on is the part at the sum of the
 * depths. */
Test(reduce, parts_joined_are_the_tree)
{
    double x[MOST], part[512];
    for (int m = 0; m < MOST; m++)
        x[m] = ((m * 7919) % 1009 + 1) / 3.0; /* of one sign and size: each addition rounds */
    for (int n = 0; n <= MOST; n++) {
        const int depth = reduce_depth(n), high = depth / 2;
        for (int p = 0; p < 1 << depth; p++) {
            const struct reduce_part own =
                reduce_part(reduce_part((struct reduce_part){0, n}, high, p >> (depth - high)), depth - high,
                            p & ((1 << (depth - high)) - 1));
            part[p] = 0;
            for (int m = own.first; m < own.first + own.n; m++) part[p] += x[m];
        }
        for (int parts = 1 << depth; parts > 1; parts /= 2)
            for (int p = 0; p < parts / 2; p++) part[p] = part[2 * p] + part[2 * p + 1];
        cr_assert_eq(part[0], reduce_tree(x, n), "%d numbers", n);
    }
}

static void row_of_numbers(const struct state *st, int j, double *out, void *ctx)
{
    (void)st;
    for (int m = 0; m < WIDTH; m++) out[m] = number(j * WIDTH + m) + *(double *)ctx;
}

static void row_negative(const struct state *st, int j, double *out, void *ctx)
{
    (void)st, (void)ctx;
    for (int m = 0; m < WIDTH; m++) out[m] = -1 - (j * 37 + m) % 101;
}

/* Two numbers to add, and one of which the largest counts. */
static void row_of_both(const struct state *st, int j, double *out, void *ctx)
{
    double all[WIDTH];
    row_of_numbers(st, j, all, ctx);
    out[0] = all[0], out[1] = all[1];
    out[2] = -1 - (j * 37) % 101;
}

static struct state state_of(const struct grid *g)
{
    return (struct state){.comm = {.rank = 0, .size = 1}, .grid = g, .ja = 0, .jb = g->ny};
}

Test(reduce, sum_is_the_tree_over_rows)
{
    for (int nj = 1; nj <= 130; nj += 3) {
        const struct grid g = {.ny = nj};
        const struct state st = state_of(&g);
        double sum[WIDTH], line[256], shift = 0.125;
        for (int threads = 1; threads <= 4; threads++) {
            omp_set_num_threads(threads);
            cr_assert_eq(
                reduce_rows(&st.comm, &st,
                            &(struct reduction){.sums = WIDTH, .maxima = 0, .row = row_of_numbers, .ctx = &shift}, sum),
                SF_OK);
            for (int m = 0; m < WIDTH; m++) {
                for (int j = 0; j < nj; j++) line[j] = number(j * WIDTH + m) + shift;
                cr_assert_eq(sum[m], reduce_tree(line, nj), "%d rows, %d threads, sum %d", nj, threads, m);
            }
        }
    }
}

Test(reduce, sums_and_largest_at_once)
{
    for (int nj = 1; nj <= 130; nj += 3) {
        const struct grid g = {.ny = nj};
        const struct state st = state_of(&g);
        double both[WIDTH], sum[WIDTH], most[WIDTH], shift = 0.125;
        cr_assert_eq(reduce_rows(&st.comm, &st,
                                 &(struct reduction){.sums = 2, .maxima = 1, .row = row_of_both, .ctx = &shift}, both),
                     SF_OK);
        cr_assert_eq(reduce_rows(&st.comm, &st,
                                 &(struct reduction){.sums = WIDTH, .maxima = 0, .row = row_of_numbers, .ctx = &shift},
                                 sum),
                     SF_OK);
        cr_assert_eq(reduce_rows(&st.comm, &st,
                                 &(struct reduction){.sums = 0, .maxima = WIDTH, .row = row_negative, .ctx = NULL},
                                 most),
                     SF_OK);
        cr_assert_eq(both[0], sum[0]);
        cr_assert_eq(both[1], sum[1]);
        cr_assert_eq(both[2], most[0]);
    }
}

Test(reduce, largest_of_rows)
{
    for (int nj = 1; nj <= 130; nj += 3) {
        const struct grid g = {.ny = nj};
        const struct state st = state_of(&g);
        double most[WIDTH];
        cr_assert_eq(reduce_rows(&st.comm, &st,
                                 &(struct reduction){.sums = 0, .maxima = WIDTH, .row = row_negative, .ctx = NULL},
                                 most),
                     SF_OK);
        for (int m = 0; m < WIDTH; m++) {
            double wanted = -INFINITY;
            for (int j = 0; j < nj; j++) wanted = fmax(wanted, -1 - (j * 37 + m) % 101);
            cr_assert_eq(most[m], wanted); /* no zero of empty memory among them */
        }
    }
}

/* ---- rows that a device makes ------------------------------------------------------------------------------------ */

static int device_has_rows;
static void launch_nothing(const struct slab *s, int ja, int jb, double *out, const void *ctx, void *stream)
{
    (void)s, (void)ja, (void)jb, (void)out, (void)ctx, (void)stream;
}

static int rows_of_device(void *engine, const struct reduction *r, double *out, int *done)
{
    cr_assert(engine == &device_has_rows && r->launch == launch_nothing && r->sums + r->maxima == WIDTH);
    *done = device_has_rows;
    for (int n = 0; *done && n < 10 * WIDTH; n++) out[n] = number(n) + *(const double *)r->ctx;
    return SF_OK;
}

/* The numbers of a device are taken where it has them, and those of the host where it does not, or has no kernels. */
Test(reduce, rows_of_a_device)
{
    const struct grid g = {.ny = 10};
    struct state st = state_of(&g);
    double shift[2] = {0.125, 7}, want[2][WIDTH], got[WIDTH];
    for (int n = 0; n < 2; n++)
        cr_assert_eq(reduce_rows(&st.comm, &st,
                                 &(struct reduction){.sums = 2, .maxima = 1, .row = row_of_numbers, .ctx = &shift[n]},
                                 want[n]),
                     SF_OK);
    st.rows = rows_of_device, st.engine = &device_has_rows;
    for (int kernels = 0; kernels < 2; kernels++)
        for (device_has_rows = 0; device_has_rows < 2; device_has_rows++) {
            const struct reduction r = {.sums = 2,
                                        .maxima = 1,
                                        .row = row_of_numbers,
                                        .launch = kernels ? launch_nothing : NULL,
                                        .ctx = &shift[0]};
            cr_assert_eq(reduce_rows(&st.comm, &st, &r, got), SF_OK);
            for (int m = 0; m < WIDTH; m++) cr_assert_eq(got[m], want[0][m]);
        }
    const struct reduction host = {
        .sums = 2, .maxima = 1, .row = row_negative, .launch = launch_nothing, .ctx = &shift[1]};
    device_has_rows = 1;
    cr_assert_eq(reduce_rows(&st.comm, &st, &host, got), SF_OK);
    for (int m = 0; m < WIDTH; m++) cr_assert_eq(got[m], want[1][m]);
}

static void row_of_zeros(const struct state *st, int j, double *out, void *ctx)
{
    (void)st;
    out[0] = j == *(int *)ctx ? 0.0 : -0.0;
}

/* Which zero came first is a matter of the cut. */
Test(reduce, no_maximum_is_minus_zero)
{
    const struct grid g = {.ny = 3};
    const struct state st = state_of(&g);
    for (int zero = -1; zero < 3; zero++) {
        double most;
        cr_assert_eq(
            reduce_rows(&st.comm, &st, &(struct reduction){.maxima = 1, .row = row_of_zeros, .ctx = &zero}, &most),
            SF_OK);
        cr_assert(most == 0 && !signbit(most));
    }
}
