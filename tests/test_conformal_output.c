/* Beside conductors true to their shape what is stored is E times the open share of an edge: probes, history, spectra,
 * the time series and sources know it. By value, against l from the shape. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "maxwell/own.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { NX = 12, NY = 11, NZ = 10, STEPS = 40 };

static struct session session;

/* A ball off the nodes, a Debye medium beside it, probes on edges that it cuts, and one that is whole. */
static void open_case(void)
{
    weather_open(
        &session,
        "&case model = 'maxwell' /\n&time duration = 1e-9, check_interval = 4 /\n&maxwell allow_coarse = .true., conformal = 0.8 /\n"
        "&grid nx = 12, ny = 11, nz = 10, dx = 1e-3, dy = 1e-3, dz = 1e-3 /\n"
        "&medium name = 'wet', epsilon = 2 /\n&pole medium = 'wet', kind = 'debye', strength = 3, tau = 1e-11 /\n"
        "&geometry shape = 'box', 'sphere', medium = 'wet', 'pec', x = 6e-3, 5.3e-3, y = 5e-3, 5.6e-3, z = 2e-3, 4.7e-3,\n"
        "  size_x = 20e-3, size_y = 20e-3, size_z = 6e-3, radius = 0, 2.9e-3 /\n"
        "&boundary west = 'periodic', east = 'periodic', south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /\n"
        "&source kind = 'electric', axis = 'z', x = 10e-3, y = 9e-3, z = 7.5e-3, frequency = 3e10, delay = 1e-11 /\n"
        "&monitor name = 'all', kind = 'fields' /\n&spectrum frequencies = 2e10, every = 1 /\n"
        "&output probe_x = 2.5e-3, 5e-3, 10.5e-3, probe_y = 6e-3, 5.6e-3, 2e-3, probe_z = 5e-3, 7.5e-3, 7e-3 /\n");
}

static const struct maxwell_own *own_of(void) { return session.in.own; }

static double open_at(int c, const int at[3])
{
    return c < 3 ? conformal_edge(&own_of()->geometry, c, at, NULL) / 512.0 : 1;
}

/* E or H; 0 within conductors. */
static double field_at(int c, int i, int j, int k)
{
    const double open = open_at(c, (const int[3]){i, j, k});
    return open > 0 ? (double)*weather_at(&session, c, i, j, k) / open : 0;
}

Test(conformal_output, steps_are_shorter_and_fields_are_whole)
{
    static real shown[NZ][NX];
    const double full = 1e-3 / (em_c * sqrt(3.0));
    double most = 0, of_cut = 0;
    open_case();
    cr_assert_float_eq(session.in.dt_fixed, 0.8 * full, 1e-6 * full);
    cr_assert_eq(session_advance(&session, STEPS), SF_OK);
    for (int n = 0; n < session.in.ndiagnostics; n++) {
        const struct diagnostic *const d = &session.in.diagnostic[n];
        if (strlen(d->name) != 2 || d->name[0] != 'E') continue;
        const int c = d->name[1] - 'x';
        for (int j = 0; j < NY; j++) {
            d->row(&session.state.host.s, session.in.ctx, j, &shown[0][0]);
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX; i++) {
                    const int a = c != 0, b = c != 1, e = c != 2;
                    double sum = 0, sizes = 1e-30;
                    for (int q = 0; q < 8; q++) {
                        const int di = q & 1, dj = q >> 1 & 1, dk = q >> 2;
                        if (di > a || dj > b || dk > e) continue;
                        const double f = field_at(c, i + di, j + dj, k + dk);
                        sum += 0.25 * f, sizes += fabs(f);
                        most = fmax(most, fabs(f));
                        const double open = open_at(c, (const int[3]){i + di, j + dj, k + dk});
                        if (open > 0 && open < 1) of_cut = fmax(of_cut, fabs(f));
                    }
                    cr_assert_float_eq((double)shown[k][i], sum, 1e-6 * sizes, "%s at %d %d %d: %g, not %g", d->name, i,
                                       j, k, (double)shown[k][i], sum);
                }
        }
    }
    cr_assert_gt(of_cut, 0.01 * most); /* there is something to see */
    double value[8], courant;
    cr_assert_eq(session.model->measure(&session.in, &session.state, session.dt, value, &courant), SF_OK);
    cr_assert_float_eq(value[3], most, 1e-6 * most); /* e_max */
    for (int i = 1; i < NX; i++) { /* the largest on an edge that is cut */
        const double open = open_at(AX, (const int[3]){i, 6, 5});
        if (open > 0 && open < 1) *weather_at(&session, AX, i, 6, 5) = (real)(3 * most * open);
    }
    cr_assert_eq(session.model->measure(&session.in, &session.state, session.dt, value, &courant), SF_OK);
    cr_assert_float_eq(value[3], 3 * most, 3e-6 * most);
    session_close(&session);
}

/* Sum of eps l E^2 and mu A H^2 over the elements of the domain, halved: eps of 'wet' is that above its poles. */
Test(conformal_output, energy_is_of_what_is_open)
{
    double sum[2] = {0, 0}, value[8], courant;
    open_case();
    cr_assert_eq(session_advance(&session, STEPS), SF_OK);
    for (int c = 0; c < 6; c++)
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX; i++) {
                    const int at[3] = {i, j, k};
                    const double f = field_at(c, i, j, k), volume = 1e-9;
                    const double open =
                        c < 3 ? open_at(c, at) : conformal_face(&own_of()->geometry, c - 3, at, NULL) / 4096.0;
                    /* 'wet' below the node at 5 mm, both at it */
                    const double epsilon = c == 2 ? (k < 5 ? 2 : 1) : k < 5 ? 2 : k > 5 ? 1 : 1.5;
                    /* beside the sides elements of E along them are 0 */
                    sum[c / 3] += 0.5 * (c < 3 ? em_eps0 * epsilon : em_mu0) * open * f * f * volume;
                }
    cr_assert_eq(session.model->measure(&session.in, &session.state, session.dt, value, &courant), SF_OK);
    cr_assert_float_eq(value[2], sum[1], 2e-5 * sum[1], "magnetic: %g, not %g", value[2], sum[1]);
    cr_assert_float_eq(value[1], sum[0], 0.005 * sum[0], "electric: %g, not %g", value[1], sum[0]);
    session_close(&session);
}

/* A cut edge within 'wet' takes the share of the turn of one that is whole. */
Test(conformal_output, poles_beside_conductors)
{
    int cut = 0;
    open_case();
    const struct slab *const s = &session.state.host.s;
    for (int j = 1; j < NY; j++)
        for (int k = 1; k < 5; k++)
            for (int i = 1; i < NX; i++) {
                const double open = open_at(AZ, (const int[3]){i, j, k});
                const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk + i, whole = (1 - s->j0) * s->sj + s->sk + 1;
                const double turn = (double)place_turn(&own_of()->ctx, s, AZ, at);
                cr_assert_float_eq(turn, open * (double)place_turn(&own_of()->ctx, s, AZ, whole), 1e-6 * turn);
                cut += open > 0 && open < 1;
            }
    cr_assert_gt(cut, 5);
    session_close(&session);
}

/* The last entry of every probe is E of its place. */
Test(conformal_output, probes_and_spectra)
{
    open_case();
    const struct probes *const p = own_of()->probes;
    int cut = 0;
    cr_assert_eq(session_advance(&session, STEPS), SF_OK);
    struct trace_record record;
    session.in.traces.take(session.in.traces.own, &record);
    cr_assert_eq(record.n, STEPS);
    for (int m = 0; m < 6 * p->n; m++) {
        const struct box *const at = &p->at[m];
        const double want = field_at(m / p->n, at->i0, at->j0, at->k0),
                     got = (double)((const real *)record.value)[(STEPS - 1) * 6 * p->n + m];
        const double open = open_at(m / p->n, (const int[3]){at->i0, at->j0, at->k0});
        cut += open > 0 && open < 1;
        cr_assert_float_eq(got, want, 1e-6 * fabs(want) + 1e-30, "entry %d: %g, not %g", m, got, want);
    }
    cr_assert_geq(cut, 2);
    /* dft_all.nc: means of sums over l. */
    const struct monitor *const mon = &own_of()->monitors->part[0];
    const struct result *const r = &session.in.result[0];
    double *out[12] = {0};
    for (int v = 0; v < r->nvariables; v++) out[v] = calloc(NX * NY * NZ, sizeof(double));
    cr_assert_eq(r->fill(r, &session.state, out), SF_OK);
    for (int v = 0; v < 6; v++) { /* E: re, im of each */
        const int c = v / 2;
        double most = 0;
        for (int n = 0; n < NX * NY * NZ; n++) most = fmax(most, fabs(out[v][n]));
        for (int k = 1; k < NZ - 1; k++)
            for (int j = 1; j < NY - 1; j++)
                for (int i = 1; i < NX - 1; i++) {
                    double sum = 0;
                    for (int q = 0; q < 8; q++) {
                        const int di = q & 1, dj = q >> 1 & 1, dk = q >> 2;
                        if (di > (c != 0) || dj > (c != 1) || dk > (c != 2)) continue;
                        const double open = open_at(c, (const int[3]){i + di, j + dj, k + dk});
                        const int levels = mon->box.k1 - mon->box.k0;
                        const real *const line =
                            state_line(&session.state, F_SUMS, j + dj, v * levels + k + dk - mon->box.k0);
                        if (open > 0) sum += 0.25 * (double)line[i + di - mon->box.i0] / open;
                    }
                    cr_assert_float_eq(out[v][(k * NY + j) * NX + i], sum * own_of()->monitors->dt_sample, 1e-5 * most,
                                       "%s at %d %d %d", r->variable[v].name, i, j, k);
                }
    }
    for (int v = 0; v < r->nvariables; v++) free(out[v]);
    session_close(&session);
}
