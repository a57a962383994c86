/* What the history and the time series of the EM model tell, by value: every diagnostic and the energy of a random
 * state, on a graded mesh in a medium that loses both ways, against their definitions in plain double.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "maxwell/maxwell.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { NX = 6, NY = 5, NZ = 4 };

static const double epsilon = 2.5, mu = 1.7;
static struct session session;
static real shown[NZ][NX];

static void open_case(void)
{
    weather_open(
        &session,
        "&case model = 'maxwell' /\n&time duration = 1e-9 /\n&maxwell allow_coarse = .true. /\n"
        "&medium name = 'matter', epsilon = 2.5, mu = 1.7, sigma = 0.3, sigma_m = 4e4 /\n"
        "&geometry background = 'matter' /\n&grid nx = 6, ny = 5, nz = 4, size_x = 1e-3, 1.2e-3, 0.9e-3, 1.1e-3, 1.4e-3, 1e-3,\n"
        "      size_y = 1e-3, 0.8e-3, 1.3e-3, 1.1e-3, 1e-3, size_z = 0.9e-3, 1e-3, 1.2e-3, 1e-3 /\n"
        "&boundary west = 'periodic', east = 'periodic', south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /\n");
    for (int c = 0; c < 6; c++)
        for (int j = 0; j <= NY; j++)
            for (int k = 0; k <= NZ; k++)
                for (int i = 0; i <= NX; i++)
                    *weather_at(&session, c, i, j, k) = (real)(air_random(-1, 1) * (c < 3 ? 100 : 1));
}

static double at(int c, int i, int j, int k) { return (double)*weather_at(&session, c, i, j, k); }

/* A component at the centre of a cell: mean of the four edges of E, of the two faces of H. */
static double centred(int c, int i, int j, int k)
{
    double sum = 0;
    int n = 0;
    for (int dk = 0; dk <= on_node(c, AZ); dk++)
        for (int dj = 0; dj <= on_node(c, AY); dj++)
            for (int di = 0; di <= on_node(c, AX); di++) sum += at(c, i + di, j + dj, k + dk), n++;
    return sum / n;
}

static double wanted(const char *name, int i, int j, int k)
{
    double f[6];
    for (int c = 0; c < 6; c++) f[c] = centred(c, i, j, k);
    const int axis = name[1] - 'x';
    if (!strcmp(name, "E_magnitude")) return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    if (!strcmp(name, "H_magnitude")) return sqrt(f[3] * f[3] + f[4] * f[4] + f[5] * f[5]);
    if (name[0] == 'E') return f[axis];
    if (name[0] == 'H') return f[3 + axis];
    if (!strcmp(name, "Sx")) return f[1] * f[5] - f[2] * f[4];
    if (!strcmp(name, "Sy")) return f[2] * f[3] - f[0] * f[5];
    if (!strcmp(name, "Sz")) return f[0] * f[4] - f[1] * f[3];
    return 2; /* the first of &medium */
}

/* |E| up to 174 V/m, |H| up to 1.7 A/m; means and products round six times. */
Test(em_output, diagnostics)
{
    int seen = 0;
    open_case();
    for (int n = 0; n < session.in.ndiagnostics; n++) {
        const struct diagnostic *const d = &session.in.diagnostic[n];
        if (!d->name[0] || (!strchr("EHS", d->name[0]) && strcmp(d->name, "medium"))) continue;
        seen++;
        for (int j = 0; j < NY; j++) {
            d->row(&session.state.host.s, session.in.ctx, j, &shown[0][0]);
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX; i++) {
                    const double digits =
                        6 * (sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON) * (d->name[0] == 'H' ? 2 : 300);
                    cr_assert_float_eq((double)shown[k][i], wanted(d->name, i, j, k), digits, "%s at %d %d %d: %.9g",
                                       d->name, i, j, k, (double)shown[k][i]);
                }
        }
    }
    cr_assert_geq(seen, 12);
    session_close(&session);
}

/* Sizes of the parts of the domain that element m stands for along an axis: a cell, or the halves of the cells beside a
 * node. */
static double part_of(int c, int a, int m)
{
    const struct grid *const g = &session.grid;
    const int n = a == AX ? NX : a == AY ? NY : NZ;
    double node[NX + 1], sum = 0;
    for (int p = 0; p <= n; p++) node[p] = a == AX ? grid_x(g, p, 1) : a == AY ? grid_y(g, p, 1) : grid_z(g, p, 1);
    if (!on_node(c, a)) return node[m + 1] - node[m];
    if (m > 0) sum += (node[m] - node[m - 1]) / 2;
    if (m < n) sum += (node[m + 1] - node[m]) / 2;
    if (m == 0 && a == AX) sum += (node[n] - node[n - 1]) / 2; /* periodic: node NX is node 0 */
    return sum;
}

/* The losses are no part of the energy. eps and mu are had from coefficients that are reals. */
Test(em_output, energy)
{
    double values[64], courant, want[2] = {0}, most[2] = {0};
    open_case();
    for (int c = 0; c < 6; c++)
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX; i++) {
                    const double f = at(c, i, j, k), matter = c < 3 ? epsilon * em_eps0 : mu * em_mu0;
                    want[c / 3] += matter / 2 * f * f * part_of(c, AX, i) * part_of(c, AY, j) * part_of(c, AZ, k);
                    most[c / 3] = fmax(most[c / 3], fabs(f));
                }
    cr_assert_eq(session.model->measure(&session.in, &session.state, session.in.dt_fixed, values, &courant), SF_OK);
    for (int n = 0; n < session.in.nquantities; n++) {
        const char *const name = session.in.quantity[n].name;
        const double digits = sizeof(real) == 8 ? 1e-13 : 4 * FLT_EPSILON;
        double w = -1;
        if (!strcmp(name, "energy")) w = want[0] + want[1];
        if (!strcmp(name, "energy_e")) w = want[0];
        if (!strcmp(name, "energy_h")) w = want[1];
        if (!strcmp(name, "e_max")) w = most[0];
        if (!strcmp(name, "h_max")) w = most[1];
        cr_assert(w < 0 || fabs(values[n] - w) <= digits * w, "%s: %.9g, not %.9g", name, values[n], w);
    }
    cr_assert(session.in.nquantities >= 5);
    session_close(&session);
}

/* Nodes, in cells, of a block, a sheet and a wire of conductors that do not touch. */
static int conducts(int c, const int n[3])
{
    int end[3] = {n[0], n[1], n[2]}, block = 1, sheet = 1, wire = 1;
    end[c]++;
    for (int a = 0; a < 3; a++) {
        static const int low[3] = {1, 1, 2}, high[3] = {3, 2, 4};
        block = block && n[a] >= low[a] && end[a] <= high[a];
    }
    sheet = n[2] == 6 && end[2] == 6 && n[0] >= 1 && end[0] <= 4 && n[1] >= 2 && end[1] <= 5;
    wire = n[0] == 5 && end[0] == 5 && n[1] == 1 && end[1] == 1 && n[2] >= 1 && end[2] <= 3;
    return block || sheet || wire;
}

/* Of every cell the share of its twelve edges, at the domain's upper ends too. */
Test(em_output, conductors)
{
    enum { X = 7, Y = 6, Z = 8 };
    static real share[Z][X];
    weather_open(
        &session,
        "&case model = 'maxwell' /\n&grid nx = 7, ny = 6, nz = 8, dx = 1, dy = 1, dz = 1 /\n&time duration = 1e-7 /\n"
        "&boundary west = 'pmc', east = 'pmc', south = 'pmc', north = 'pmc', bottom = 'pmc', top = 'pmc' /\n"
        "&geometry shape = 'box', 'sheet', 'wire', axis = 3*'z', x = 2, 2.5, 5, y = 1.5, 3.5, 1, z = 3, 6, 2,\n"
        "    size_x = 2, 3, size_y = 1, 3, size_z = 2, 1, 2 /\n");
    const struct diagnostic *d = session.in.diagnostic;
    while (strcmp(d->name, "conductor")) d++;
    double sum = 0;
    for (int j = 0; j < Y; j++) {
        d->row(&session.state.host.s, session.in.ctx, j, &share[0][0]);
        for (int k = 0; k < Z; k++)
            for (int i = 0; i < X; i++) {
                int edges = 0;
                for (int c = 0; c < 3; c++)
                    for (int m = 0; m < 4; m++) {
                        int n[3] = {i, j, k};
                        n[(c + 1) % 3] += m & 1, n[(c + 2) % 3] += m >> 1;
                        edges += conducts(c, n);
                    }
                cr_assert_float_eq((double)share[k][i], edges / 12.0, 1e-6, "%d %d %d: %g", i, j, k,
                                   (double)share[k][i]);
                sum += edges;
            }
    }
    cr_assert_gt(sum, 100);
    session_close(&session);
}
