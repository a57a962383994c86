/* Poisson's equation with a coefficient of each face: against Gauss's elimination of the whole matrix, over random
 * coefficients, sides and sizes; what it cannot solve; how many turns it takes. SPDX-License-Identifier: MIT */
#include "dynamics/poisson.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12, CELLS = MOST * MOST };

static unsigned seed;
static double drawn(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 24);
}

struct plane {
    struct poisson p;
    double west[MOST * (MOST + 1)], south[(MOST + 1) * MOST], right[CELLS];
};

enum side { ROUND, HELD, CLOSED };

static void coefficients_draw(struct plane *x, int ni, int nj, enum side along_x, enum side along_y)
{
    x->p = (struct poisson){ni, nj, {along_x == ROUND, along_y == ROUND}, x->west, x->south};
    for (int j = 0; j < nj; j++)
        for (int i = 0; i <= ni; i++) {
            const int is_rim = i == 0 || i == ni;
            x->west[j * (ni + 1) + i] = is_rim && along_x == CLOSED ? 0 : 0.2 + drawn();
            if (i == ni && along_x == ROUND) x->west[j * (ni + 1) + ni] = x->west[j * (ni + 1)];
        }
    for (int j = 0; j <= nj; j++)
        for (int i = 0; i < ni; i++) {
            x->south[j * ni + i] = (j == 0 || j == nj) && along_y == CLOSED ? 0 : 0.2 + drawn();
            if (j == nj && along_y == ROUND) x->south[nj * ni + i] = x->south[i];
        }
    for (int n = 0; n < ni * nj; n++) x->right[n] = drawn() - 0.4;
}

/* The matrix, row by row, from what poisson.h says. */
static void matrix_fill(const struct plane *x, double m[CELLS][CELLS])
{
    const int ni = x->p.ni, nj = x->p.nj;
    memset(m, 0, sizeof(double) * CELLS * CELLS);
    for (int j = 0; j < nj; j++)
        for (int i = 0; i < ni; i++)
            for (int face = 0; face < 4; face++) {
                const int di = face == 0 ? -1 : face == 1, dj = face == 2 ? -1 : face == 3;
                const double a = di ? x->west[j * (ni + 1) + i + (di > 0)] : x->south[(j + (dj > 0)) * ni + i];
                int ii = i + di, jj = j + dj;
                m[j * ni + i][j * ni + i] -= a;
                if (x->p.periodic[0]) ii = (ii + ni) % ni;
                if (x->p.periodic[1]) jj = (jj + nj) % nj;
                if (ii >= 0 && ii < ni && jj >= 0 && jj < nj) m[j * ni + i][jj * ni + ii] += a;
            }
}

static void eliminate(double m[CELLS][CELLS], double *right, int n)
{
    for (int a = 0; a < n; a++) {
        int best = a;
        for (int b = a; b < n; b++)
            if (fabs(m[b][a]) > fabs(m[best][a])) best = b;
        for (int c = 0; c < n; c++) {
            const double kept = m[a][c];
            m[a][c] = m[best][c], m[best][c] = kept;
        }
        const double kept = right[a];
        right[a] = right[best], right[best] = kept;
        for (int b = 0; b < n; b++) {
            if (b == a) continue;
            const double share = m[b][a] / m[a][a];
            for (int c = a; c < n; c++) m[b][c] -= share * m[a][c];
            right[b] -= share * right[a];
        }
    }
    for (int a = 0; a < n; a++) right[a] /= m[a][a];
}

Test(poisson, is_what_elimination_has)
{
    static struct plane x;
    static double m[CELLS][CELLS], wanted[CELLS], is[CELLS];
    for (int along_x = ROUND; along_x <= CLOSED; along_x++)
        for (int along_y = ROUND; along_y <= CLOSED; along_y++)
            for (int size = 0; size < 4; size++) {
                static const int sizes[][2] = {{12, 9}, {5, 12}, {1, 7}, {8, 1}};
                const int ni = sizes[size][0], nj = sizes[size][1], n = ni * nj;
                if (along_x != HELD && along_y != HELD) continue; /* held by nothing: below */
                seed = (unsigned)(100 * along_x + 10 * along_y + size);
                coefficients_draw(&x, ni, nj, (enum side)along_x, (enum side)along_y);
                matrix_fill(&x, m);
                memcpy(wanted, x.right, sizeof wanted);
                eliminate(m, wanted, n);
                int turns;
                cr_assert_eq(poisson_solve(&x.p, x.right, is, &turns), 0);
                double most = 0;
                for (int c = 0; c < n; c++) most = fmax(most, fabs(wanted[c]));
                for (int c = 0; c < n; c++)
                    cr_assert_float_eq(is[c], wanted[c], 1e-7 * most, "%d x %d, sides %d %d: cell %d is %.9g, not %.9g",
                                       ni, nj, along_x, along_y, c, is[c], wanted[c]);
            }
}

/* Without a side that holds it: the residual, against `right` less its mean, and the mean of x. */
Test(poisson, loose_planes_lose_the_mean)
{
    static struct plane x;
    static double m[CELLS][CELLS], is[CELLS];
    for (int sides = 0; sides < 3; sides++) {
        const enum side along_x = sides == 1 ? CLOSED : ROUND, along_y = sides ? CLOSED : ROUND;
        seed = 7 + (unsigned)sides;
        coefficients_draw(&x, 11, 9, along_x, along_y);
        matrix_fill(&x, m);
        int turns;
        cr_assert_eq(poisson_solve(&x.p, x.right, is, &turns), 0);
        double mean = 0, sum = 0;
        for (int c = 0; c < 99; c++) mean += x.right[c] / 99, sum += is[c];
        cr_assert_float_eq(sum, 0, 1e-12);
        for (int c = 0; c < 99; c++) {
            double left = x.right[c] - mean;
            for (int b = 0; b < 99; b++) left -= m[c][b] * is[b];
            cr_assert_float_eq(left, 0, 2e-9, "sides %d: cell %d lacks %.3g", sides, c, left);
        }
    }
}

Test(poisson, nothing_makes_nothing)
{
    static struct plane x;
    static double is[CELLS];
    int turns;
    coefficients_draw(&x, 6, 5, HELD, HELD);
    memset(x.right, 0, sizeof x.right);
    cr_assert_eq(poisson_solve(&x.p, x.right, is, &turns), 0);
    cr_assert_eq(turns, 0);
    for (int c = 0; c < 30; c++) cr_assert_eq(is[c], 0);
}

Test(poisson, what_is_no_number_is_not_solved)
{
    static struct plane x;
    static double is[CELLS];
    int turns;
    coefficients_draw(&x, 6, 5, HELD, HELD);
    x.right[7] = NAN;
    cr_assert_neq(poisson_solve(&x.p, x.right, is, &turns), 0);
}

/* The factorisation is what keeps turns few: by the diagonal alone 300 x 200 cells take some 600. */
Test(poisson, large_planes_take_few_turns)
{
    enum { NI = 300, NJ = 200 };
    double *const memory = malloc(sizeof(double) * (size_t)((NI + 1) * NJ + NI * (NJ + 1) + 2 * NI * NJ));
    double *const west = memory, *const south = west + (NI + 1) * NJ, *const right = south + NI * (NJ + 1),
                  *const x = right + NI * NJ;
    seed = 3;
    for (int n = 0; n < (NI + 1) * NJ; n++) west[n] = 1 + 0.1 * drawn();
    for (int n = 0; n < NI * (NJ + 1); n++) south[n] = 1 + 0.1 * drawn();
    for (int n = 0; n < NI * NJ; n++) right[n] = drawn() - 0.5;
    const struct poisson p = {NI, NJ, {0, 0}, west, south};
    int turns;
    cr_assert_eq(poisson_solve(&p, right, x, &turns), 0);
    cr_assert(turns < 120, "%d turns", turns);
    free(memory);
}
