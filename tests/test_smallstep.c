/* The acoustic small step by value: against the equations in dynamics.h and smallstep.h, written down as one dense
 * linear system a column and solved by Gaussian elimination with pivots, in long double. Nothing of the tridiagonal
 * elimination is shared. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/smallstep.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NI = 5, NJ = 3, NK = 7, UNKNOWNS = 2 * NK - 1 };

static const double epsilon = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON;
/* Results are sums of at most ten terms, each of at most ten rounded factors and additions; the system is dominated by
 * its diagonal, so that its solution amplifies nothing. The largest of the terms counts. */
enum { ROUNDINGS = 100 };

static struct air air;
static double dx = 200, dy = 300, cp = 1004.5, rcv = 287.0 / 717.5, dtau = 0.25;

static double at(int field, int i, int j, int k) { return (double)*air_at(&air, field, i, j, k); }
static double new_at(int field, int i, int j, int k) { return (double)*air_written(&air, field, i, j, k); }
static double level(int profile, int k) { return (double)air.s.f[profile][k]; }

/* Air with numbers of an atmosphere's size; spacings, theta_0 and dpi_0/dz of every level at random. */
static void open_air(int in_place, double off_centring, double damping)
{
    air_make(&air, NI, NJ, NK, in_place);
    struct dynamics *const d = &air.d;
    d->rdx = (real)(1 / dx), d->rdy = (real)(1 / dy), d->cp = (real)cp, d->rcv = (real)rcv;
    d->off = (real)off_centring, d->off1 = (real)(1 - off_centring), d->damping = (real)damping;
    air_fill(&air, F_U, 20, 1000), air_fill(&air, F_V, 20, 1000), air_fill(&air, F_W, 8, 1000),
        air_fill(&air, F_TH, 9, 1000);
    air_fill(&air, F_PI, 2e-3, 1000000), air_fill(&air, F_PID, 2e-3, 1000000);
    air_fill(&air, F_UT, 5, 1000), air_fill(&air, F_VT, 5, 1000), air_fill(&air, F_WT, 5, 1000),
        air_fill(&air, F_PIT, 2e-3, 1000000);
    air_levels(&air, P_TH0, 280, 400, 10), air_levels(&air, P_TH0F, 280, 400, 10), air_levels(&air, P_PI0, 0.5, 1, 100);
    air_levels(&air, P_RDZC, 1.0 / 300, 1.0 / 100, 100000), air_levels(&air, P_RDZF, 1.0 / 300, 1.0 / 100, 100000);
    air_levels(&air, P_DPI0H, -4e-5, -1e-5,
               10000000); /* what lies in w on the ground and the lid does not count: they are rigid */
}

static double wind_at(int i, int j, int k) { return k > 0 && k < NK ? at(F_W, i, j, k) : 0; }

static void expect(double got, long double want, long double scale, const char *what, int i, int j, int k)
{
    const double error = fabs((double)((long double)got - want));
    cr_assert(error <= ROUNDINGS * epsilon * (double)scale, "%s at %d %d %d: %.9g, not %.9g", what, i, j, k, got,
              (double)want);
}

/* ---- u and v: u' = u + dtau (u_t - cp theta dpi/dx), theta that of the face ---- */

static void expect_winds(int pressure)
{
    for (int j = 0; j < NJ; j++)
        for (int k = 0; k < NK; k++)
            for (int i = 0; i < NI; i++)
                for (int along_y = 0; along_y < 2; along_y++) {
                    const int f = along_y ? F_V : F_U, t = along_y ? F_VT : F_UT, w = i - !along_y, s = j - along_y;
                    const double theta = level(P_TH0, k) + (at(F_TH, i, j, k) + at(F_TH, w, s, k)) / 2;
                    const double slope = (at(pressure, i, j, k) - at(pressure, w, s, k)) / (along_y ? dy : dx);
                    const double force = dtau * cp * theta * slope, pushed = dtau * at(t, i, j, k);
                    expect(new_at(f, i, j, k), at(f, i, j, k) + pushed - force, fabs(force) + fabs(pushed) + 20,
                           along_y ? "v" : "u", i, j, k);
                }
}

Test(smallstep, winds_feel_the_pressure_of_their_start)
{
    open_air(0, 0.6, 0.1);
    const struct call c = {.dt = (real)dtau, .ctx = &air.d};
    uv_start_run(&air.s, air_box(&air, 0), &c);
    expect_winds(F_PI);
    air_free(&air);
}

Test(smallstep, winds_feel_the_damped_pressure_from_then_on)
{
    open_air(0, 0.6, 0.1);
    const struct call c = {.dt = (real)dtau, .ctx = &air.d};
    uv_run(&air.s, air_box(&air, 0), &c);
    expect_winds(F_PID);
    air_free(&air);
}

/* Whole numbers: no rounding, every argument has its own weight. */
Test(smallstep, formulas_of_the_wind)
{
    cr_assert_eq(theta_face(300, 2, 4), 303);
    cr_assert_eq(wind_step(1000, 7, 2, 300, 2, 4, R(0.5), 1, 3), 1000 + 14 - 303);
    cr_assert_eq(divergence(1, 4, 2, 10, 17, 8), 3 * 2 + 7 * 8);
}

/* ---- w and pi' of a column ---- */

struct column {
    long double w[NK + 1], pi[NK];
};

/* Unknowns: w'[1] .. w'[NK - 1], then pi'[0] .. pi'[NK - 1]; w' is zero at the ground and the lid. */
static int of_w(int k) { return k - 1; }
static int of_pi(int k) { return NK - 1 + k; }

static void solve(long double a[UNKNOWNS][UNKNOWNS + 1])
{
    for (int c = 0; c < UNKNOWNS; c++) {
        int best = c;
        for (int r = c; r < UNKNOWNS; r++) best = fabsl(a[r][c]) > fabsl(a[best][c]) ? r : best;
        for (int m = 0; m <= UNKNOWNS; m++) {
            const long double x = a[c][m];
            a[c][m] = a[best][m], a[best][m] = x;
        }
        for (int r = 0; r < UNKNOWNS; r++) {
            const long double by = a[r][c] / a[c][c];
            for (int m = c; m <= UNKNOWNS && r != c; m++) a[r][m] -= by * a[c][m];
        }
    }
    for (int r = 0; r < UNKNOWNS; r++) a[r][UNKNOWNS] /= a[r][r];
}

/* The two equations at the head of smallstep.h, b the weight of the new time:
 *     w' + dtau cp theta d(b pi'new)/dz = w + dtau w_t - dtau cp theta d((1-b) pi')/dz
 *     pi'new + dtau b G w' = pi' + dtau (pi_t - rcv pi div v - (1-b) G w),   G w = w dpi_0/dz + rcv pi dw/dz, at a
 *                                                                            centre. */
static struct column column_step(int i, int j, double b)
{
    static long double a[UNKNOWNS][UNKNOWNS + 1];
    memset(a, 0, sizeof a);
    for (int k = 1; k < NK; k++) {
        const double theta = level(P_TH0F, k) + (at(F_TH, i, j, k) + at(F_TH, i, j, k - 1)) / 2;
        const long double force = (long double)dtau * cp * theta * level(P_RDZF, k);
        long double *const row = a[of_w(k)];
        row[of_w(k)] = 1, row[of_pi(k)] = b * force, row[of_pi(k - 1)] = -b * force;
        row[UNKNOWNS] =
            at(F_W, i, j, k) + dtau * at(F_WT, i, j, k) - (1 - b) * force * (at(F_PI, i, j, k) - at(F_PI, i, j, k - 1));
    }
    for (int k = 0; k < NK; k++) {
        const double compress = rcv * (level(P_PI0, k) + at(F_PI, i, j, k)), rdz = level(P_RDZC, k);
        const double wind =
            (at(F_U, i + 1, j, k) - at(F_U, i, j, k)) / dx + (at(F_V, i, j + 1, k) - at(F_V, i, j, k)) / dy;
        const long double up = level(P_DPI0H, k + 1) + compress * rdz,
                          down = level(P_DPI0H, k) - compress * rdz; /* of G */
        const long double old = up * wind_at(i, j, k + 1) + down * wind_at(i, j, k);
        long double *const row = a[of_pi(k)];
        row[of_pi(k)] = 1;
        if (k + 1 < NK) row[of_w(k + 1)] = dtau * b * up;
        if (k > 0) row[of_w(k)] = dtau * b * down;
        row[UNKNOWNS] = at(F_PI, i, j, k) + dtau * (at(F_PIT, i, j, k) - compress * wind - (1 - b) * old);
    }
    solve(a);
    struct column c = {.w = {0}};
    for (int k = 1; k < NK; k++) c.w[k] = a[of_w(k)][UNKNOWNS];
    for (int k = 0; k < NK; k++) c.pi[k] = a[of_pi(k)][UNKNOWNS];
    return c;
}

static void expect_columns(double b, double damping, int in_place)
{
    static struct column want[NJ][NI];
    static double old[NJ][NI][NK];
    open_air(in_place, b, damping);
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) {
            want[j][i] = column_step(i, j, b);
            for (int k = 0; k < NK; k++) old[j][i][k] = at(F_PI, i, j, k);
        }
    real *const work = malloc(wpi_work_bytes(NI, NK));
    const struct call c = {.dt = (real)dtau, .ctx = &air.d, .work = work};
    wpi_run(&air.s, air_box(&air, 0), &c);
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++)
            for (int k = 0; k < NK; k++) {
                const struct column *const x = &want[j][i];
                expect(new_at(F_W, i, j, k), x->w[k], 20, "w", i, j, k);
                expect(new_at(F_PI, i, j, k), x->pi[k], 0.02, "pi'", i, j, k);
                expect(new_at(F_PID, i, j, k), x->pi[k] + damping * (x->pi[k] - old[j][i][k]), 0.02, "damped pi'", i, j,
                       k);
            }
    free(work);
    air_free(&air);
}

Test(smallstep, columns_solve_their_equations)
{
    const double off_centring[] = {0.5, 0.6, 1}, damping[] = {0, 0.1, 0.5};
    for (int n = 0; n < 3; n++)
        for (int in_place = 0; in_place < 2; in_place++) expect_columns(off_centring[n], damping[n], in_place);
}

/* ---- parts of the elimination, in whole numbers ---- */

Test(smallstep, terms_of_a_cell)
{
    /* compress = 2 (10 + 4) = 28; above = 28 * 3 + 5 = 89, below = -84 + 7 = -77; old = 89 * 11 - 77 * 13 = -22;
     * star = 4 + 0.5 (100 - 28 * 9 + 0.25 * 22) */
    const struct cell_terms t = cell_make(4, 10, 100, 2, 3, 7, 5, 9, 13, 11, R(0.5), R(0.25));
    cr_assert_eq(t.above, 89);
    cr_assert_eq(t.below, -77);
    cr_assert_eq(t.star, R(-69.25));
    /* pi'new = star - b dtau (89 * 11 - 77 * 13), damped by a quarter of its change */
    const struct pressure p = cell_solve(6, 4, 10, 2, 3, 7, 5, 13, 11, 2, R(0.25));
    cr_assert_eq(p.now, 6 + 44);
    cr_assert_eq(p.damped, 50 + R(11.5));
}

Test(smallstep, equation_of_a_face)
{
    const struct cell_terms lower = {.star = 3, .above = 11, .below = 13},
                            upper = {.star = 10, .above = 17, .below = 19};
    /* a = 0.5 * 8 = 4, c = 4 * 0.5 * 2 = 4 */
    const struct face_equation e = face_equation_make(100, 7, 2, 8, R(0.5), R(0.25), 20, 50, lower, upper);
    cr_assert_eq(e.sub, 4 * 13);
    cr_assert_eq(e.diagonal, 1 - 4 * (19 - 11));
    cr_assert_eq(e.super, -4 * 17);
    cr_assert_eq(e.right, 100 + 14 - R(0.25) * 8 * 30 - 4 * 7);
}

Test(smallstep, elimination_and_back)
{
    /* w[k-1] = 5 - 2 w[k] before; 3 w[k-1] + 14 w[k] + 4 w[k+1] = 47 becomes 8 w[k] + 4 w[k+1] = 32 */
    const struct face_equation e = {.sub = 3, .diagonal = 14, .super = 4, .right = 47};
    const struct tridiagonal f = face_eliminate(e, (struct tridiagonal){.ratio = 2, .value = 5});
    cr_assert_eq(f.ratio, R(0.5));
    cr_assert_eq(f.value, 4);
    cr_assert_eq(face_solve(f, 6), 1);
}
