/* Sums and maxima over rows: the tree is the one promised, whatever the number of threads. Cuts over ranks are in
 * command_line.sh. SPDX-License-Identifier: MIT */
#include "pipeline/reduce.h"

#include "pipeline/error.h"

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
    for (int n = 5; n <= MOST; n++) cr_assert_eq(reduce_tree(x, n), reduce_tree(x, n / 2) + reduce_tree(x + n / 2, n - n / 2));
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
            cr_assert_eq(reduce_rows(&st.comm, &st, WIDTH, 0, row_of_numbers, &shift, sum), SF_OK);
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
        cr_assert_eq(reduce_rows(&st.comm, &st, 2, 1, row_of_both, &shift, both), SF_OK);
        cr_assert_eq(reduce_rows(&st.comm, &st, WIDTH, 0, row_of_numbers, &shift, sum), SF_OK);
        cr_assert_eq(reduce_rows(&st.comm, &st, 0, WIDTH, row_negative, NULL, most), SF_OK);
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
        cr_assert_eq(reduce_rows(&st.comm, &st, 0, WIDTH, row_negative, NULL, most), SF_OK);
        for (int m = 0; m < WIDTH; m++) {
            double wanted = -INFINITY;
            for (int j = 0; j < nj; j++) wanted = fmax(wanted, -1 - (j * 37 + m) % 101);
            cr_assert_eq(most[m], wanted); /* no zero of empty memory among them */
        }
    }
}
