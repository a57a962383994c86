/* Complex fields on Bloch-periodic sides: exact modes of the grid at any wave number; what a row of periods computes
 * whose sources turn from one to the next; and with no phase the bits of real fields. SPDX-License-Identifier: MIT */
#include "command/verify_em.h"
#include "command/verify_em_analytic.h"
#include "maxwell/own.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if SF_PREC == 64
static const double round_off = 1e-12;
#else
static const double round_off = 2e-6;
#endif

/* ---- modes ------------------------------------------------------------------------------------------------------- */

/* Component c of a part, at indices i, j, k. */
static real *at_of(const struct session *s, int part, int c, const int at[3])
{
    const struct slab *const x = &s->state.host.s;
    return x->f[(part ? F_EX_IM : F_EX) + c] + (at[AY] - x->j0) * x->sj + at[AZ] * x->sk + at[AX];
}

/* cos(k x - w t) and - sin(k x - w t), which is the same a quarter of a period earlier. */
static double mode_at(const struct session *s, const struct em_mode *m, int part, int c, const int at[3], double t)
{
    const double x[3] = {em_place(s, c, AX, at[AX]), em_place(s, c, AY, at[AY]), em_place(s, c, AZ, at[AZ])};
    const double quarter = part ? (double)(0.5L * acosl(-1) / m->omega) : 0;
    return em_mode_at(m, c, x, (c < 3 ? t : t - 0.5 * em_of(s)->dt) - quarter);
}

static double mode_off(const struct session *s, const struct em_mode *m, double t)
{
    double most = 0;
    for (int part = 0; part < 2; part++)
        for (int c = 0; c < 6; c++) {
            int at[3] = {0};
            do {
                const double off = fabs((double)*at_of(s, part, c, at) - mode_at(s, m, part, c, at, t));
                most = fmax(most, c < 3 ? off : em_eta0 * off);
            } while (em_next(s, c, at));
        }
    return most;
}

/* Wave numbers that no period of the domain has; of one cell along y, too. */
Test(bloch, modes_of_the_grid, .timeout = 120)
{
    static const double k[][3] = {{1.3, 0, 0}, {0, -2.1, 0}, {0, 0, 0.9}, {0.7, 1.9, -1.2}, {2.5, -0.8, 0}};
    for (int flat = 0; flat < 2; flat++)
        for (size_t n = 0; n < sizeof k / sizeof k[0]; n++) {
            struct session s;
            struct em_mode m;
            const double d[3] = {0.1, 0.08, 0.125};
            cr_assert_eq(verify_open(&s,
                                     "&case name='mode' model='maxwell' /\n"
                                     "&grid nx=12 ny=%d nz=9 dx=0.1 dy=0.08 dz=0.125 /\n&time duration=1e-5 /\n"
                                     "&boundary west='periodic' east='periodic' south='periodic' north='periodic' "
                                     "bottom='periodic' top='periodic' /\n&bloch kx=%.17g ky=%.17g kz=%.17g /\n",
                                     flat ? 1 : 10, k[n][0], k[n][1], k[n][2]),
                         SF_OK, "%s", sf_error_text());
            const double dt = em_of(&s)->dt;
            em_mode_make(&m, d, k[n], dt, 0);
            for (int part = 0; part < 2; part++)
                for (int c = 0; c < 6; c++) {
                    int at[3] = {0};
                    do *at_of(&s, part, c, at) = (real)mode_at(&s, &m, part, c, at, 0);
                    while (em_next(&s, c, at));
                }
            cr_assert_eq(engine_refresh(&s.engine), SF_OK);
            cr_assert_eq(session_advance(&s, 400), SF_OK, "%s", sf_error_text());
            const double off = mode_off(&s, &m, 400 * dt);
            cr_assert(off < 4 * round_off, "flat %d, mode %zu: off by %g", flat, n, off);
            session_close(&s);
        }
}

/* A periodic axis of one cell counts with the wave number that it has, c dt sqrt(1/dx^2 + sum of sin^2(k d / 2) / d^2)
 * < 1, and at that step nothing grows. */
Test(bloch, longest_step)
{
    struct session s;
    const double k[2] = {20, -24}, d[2] = {0.08, 0.125};
    double sum = 1 / (0.1 * 0.1) + 1 / (d[1] * d[1]) + pow(sin(0.5 * k[0] * d[0]) / d[0], 2), first = 0, last = 0;
    cr_assert_eq(verify_open(&s,
                             "&case name='step' model='maxwell' /\n&grid nx=8 ny=1 nz=2 dx=0.1 dy=0.08 dz=0.125 /\n"
                             "&time duration=1e-5 /\n&maxwell courant=1 /\n"
                             "&boundary west='periodic' east='periodic' south='periodic' north='periodic' "
                             "bottom='periodic' top='periodic' /\n&bloch ky=%g kz=%g /\n",
                             k[0], k[1]),
                 SF_OK, "%s", sf_error_text());
    cr_assert(fabs(s.in.dt_limit * em_c * sqrt(sum) - 1) < 1e-12, "%g", s.in.dt_limit * em_c * sqrt(sum));
    for (int c = 0; c < 3; c++) {
        int at[3] = {0};
        do *at_of(&s, 0, c, at) = (real)em_random((unsigned long)(at[0] + 10 * c));
        while (em_next(&s, c, at));
    }
    cr_assert_eq(engine_refresh(&s.engine), SF_OK);
    cr_assert_eq(verify_number(&s, "energy_e", &first), SF_OK);
    cr_assert_eq(session_advance(&s, 2000), SF_OK, "%s", sf_error_text());
    cr_assert_eq(verify_number(&s, "energy_e", &last), SF_OK);
    cr_assert(last < 100 * first, "%g of %g", last, first);
    session_close(&s);
}

/* ---- a row of periods -------------------------------------------------------------------------------------------- */

enum { PERIODS = 3, CELLS = 8, ROWS = 7, LEVELS = 18 };

#define MATTER                                                                                                         \
    "&case name='row' model='maxwell' /\n&time duration=1e-10 dt=1.6e-12 /\n&cpml cells=5 /\n"                         \
    "&maxwell allow_coarse=.true. /\n"                                                                                 \
    "&medium name='wet','glass' epsilon=3,4 sigma=0.2,0 mu=1,1.5 /\n"                                                  \
    "&pole medium='wet' kind='debye' strength=2 tau=1e-11 /\n"

/* Periods along x (0), y (1) or z (2), turned by 120 degrees from one to the next: a dipole of moment 1, whose images
 * have cos(120 degrees) in the real part of the field, - sin in the imaginary one. periods 1: those of &bloch. */
static void row_open(struct session *s, int along, int periods, int part, const char *more)
{
    static const double turn[2][PERIODS] = {{1, -0.5, -0.5}, {0, -0.86602540378443865, 0.86602540378443865}};
    char shapes[2048] = "", sources[2048] = "", bloch[64] = "";
    size_t a = 0, b = 0;
    const int cells[3] = {CELLS, ROWS, LEVELS};
    const double length = cells[along] * 1e-3;
    for (int n = 0; n < periods; n++) {
        const double x = 4.2e-3 + (along == 0 ? n * length : 0), y = 3.1e-3 + (along == 1 ? n * length : 0),
                     z = along == 2 ? n * length : 0;
        a +=
            (size_t)snprintf(shapes + a, sizeof shapes - a,
                             "&geometry shape='box' medium='wet' x=%g y=%g z=%g size_x=3e-3 size_y=4e-3 size_z=4e-3 /\n"
                             "&geometry shape='sphere' medium='glass' x=%g y=%g z=%g radius=2e-3 /\n",
                             x, y, z + 8e-3, x + 1e-3, y, z + 12e-3);
        b += (size_t)snprintf(
            sources + b, sizeof sources - b,
            "&source kind='electric' axis='x' x=%g y=%g z=%g amplitude=%.17g frequency=2e10 delay=2e-11 /\n"
            "&source kind='magnetic' axis='z' x=%g y=%g z=%g amplitude=%.17g frequency=2e10 delay=1e-11 /\n",
            x, y, z + 7e-3, turn[part][n], x, y + 1e-3, z + 10e-3, 100 * turn[part][n]);
    }
    if (periods == 1) snprintf(bloch, sizeof bloch, "&bloch k%c=%.17g /\n", "xyz"[along], 2 * M_PI / 3 / length);
    cr_assert_eq(verify_open(s,
                             MATTER "&grid nx=%d ny=%d nz=%d dx=1e-3 dy=1e-3 dz=1e-3 /\n"
                                    "&boundary %s south='periodic' north='periodic' /\n%s%s%s%s",
                             cells[0] * (along == 0 ? periods : 1), cells[1] * (along == 1 ? periods : 1),
                             cells[2] * (along == 2 ? periods : 1),
                             along < 2 ? "west='periodic' east='periodic' bottom='cpml' top='pmc'"
                                       : "west='pec' east='pmc' bottom='periodic' top='periodic'",
                             shapes, sources, bloch, more),
                 SF_OK, "%s", sf_error_text());
    cr_assert_eq(verify_finish(s), SF_OK, "%s", sf_error_text());
}

/* Both parts of complex fields are those of a row of three periods, losses, poles, layers and smooth surfaces included.
 */
Test(bloch, a_row_of_periods, .timeout = 120)
{
    for (int along = 0; along < 3; along++) {
        struct session one;
        static const char *const number[2] = {"energy", "energy_poles"};
        double energy[2][2], all;
        row_open(&one, along, 1, 0, "");
        for (int part = 0; part < 2; part++) {
            struct session three;
            double off = 0, most = 0;
            row_open(&three, along, PERIODS, part, "");
            for (int c = 0; c < 6; c++) {
                int at[3] = {0};
                do {
                    const double want = (double)*at_of(&three, 0, c, at);
                    off = fmax(off, fabs((double)*at_of(&one, part, c, at) - want) * (c < 3 ? 1 : em_eta0));
                    most = fmax(most, fabs(want) * (c < 3 ? 1 : em_eta0));
                } while (em_next(&one, c, at));
            }
            cr_assert(most > 0 && off < 3 * round_off * most, "along %d, part %d: %g of %g", along, part, off, most);
            for (int q = 0; q < 2; q++) cr_assert_eq(verify_number(&three, number[q], &energy[part][q]), SF_OK);
            session_close(&three);
        }
        /* Of all three periods, which have the same of both parts together; the same for what poles hold. */
        for (int q = 0; q < 2; q++) {
            const double sum = energy[0][q] + energy[1][q];
            cr_assert_eq(verify_number(&one, number[q], &all), SF_OK);
            cr_assert(sum > 0 && fabs(PERIODS * all - sum) < 1e-5 * sum, "%s: %g of %g", number[q], PERIODS * all, sum);
        }
        session_close(&one);
    }
}

/* ---- conductors in a row of periods ---- */

enum { OF_BALLS, OF_SHEETS, OF_WIRES, OF_SHELLS, METALS };

/* Shapes of one period whose corner lies at `from`, m, along an axis: within it and on its seam. */
static size_t metal_print(char *to, size_t size, int metal, int along, double from)
{
    const double x = 4.2e-3 + (along == 0) * from, y = 3.1e-3 + (along == 1) * from, z = 10e-3 + (along == 2) * from;
    const double seam[3] = {along == 0 ? from : x, along == 1 ? from : y, along == 2 ? from : z};
    switch (metal) {
    case OF_BALLS: /* true to their shape, one beside the seam */
        return (size_t)snprintf(
            to, size,
            "&geometry shape='sphere' radius=2.3e-3 x=%.17g y=%.17g z=%.17g /\n"
            "&geometry shape='box' x=%.17g y=%.17g z=%.17g size_x=2.6e-3 size_y=2.3e-3 size_z=2.4e-3 turn_x=20 turn_z=30 /\n"
            "&geometry shape='box' x=%.17g y=%.17g z=%.17g size_x=2.6e-3 size_y=2.6e-3 size_z=2.6e-3 /\n",
            x, y, z, x - 0.3e-3, y + 0.4e-3, z + 4.1e-3, seam[0] + 1.3e-3 * (along == 0),
            seam[1] + 1.3e-3 * (along == 1), seam[2] + 1.3e-3 * (along == 2) + 1e-3 * (along < 2));
    case OF_SHEETS: /* on the seam, and across it */
        return (size_t)snprintf(
            to, size,
            "&geometry shape='sheet' axis='%c' x=%.17g y=%.17g z=%.17g size_x=3e-3 size_y=3e-3 size_z=3e-3 /\n"
            "&geometry shape='sheet' axis='%c' x=%.17g y=%.17g z=%.17g size_x=3e-3 size_y=4e-3 size_z=3e-3 /\n",
            "xyz"[along], seam[0], seam[1], seam[2], "zzy"[along], x, y, z + 1e-3);
    case OF_WIRES: /* on the seam */
        return (size_t)snprintf(
            to, size,
            "&geometry shape='wire' axis='%c' x=%.17g y=%.17g z=%.17g size_x=4e-3 size_y=4e-3 radius=1.5e-4 /\n",
            "yxx"[along], seam[0], seam[1], seam[2]);
    default:
        return (size_t)snprintf(
            to, size,
            "&geometry shape='sphere' shell=.true. radius=1.4e-3 x=%.17g y=%.17g z=%.17g /\n"
            "&geometry shape='disc' axis='x' x=%.17g y=%.17g z=%.17g radius=2.4e-3 turn_z=40 turn_y=20 /\n",
            x, y, z, x, y + 0.4e-3, z + 3.1e-3);
    }
}

/* Cells of 2^-10 m: in all periods they have one size to the last bit, on which limits of cut areas depend. */
#define METAL_CELL 0x1p-10

/* As row_open: dipoles of moment 1 that turn by 120 degrees from one period to the next. */
static void metal_open(struct session *s, int metal, int along, int periods, int part)
{
    static const double turn[2][PERIODS] = {{1, -0.5, -0.5}, {0, -0.86602540378443865, 0.86602540378443865}};
    static const char *const through[3] = {"axis='x' y=5e-3 z=13e-3", "axis='y' x=6e-3 z=13e-3",
                                           "axis='z' x=6e-3 y=5e-3"};
    const int cells[3] = {CELLS, ROWS, LEVELS};
    const double length = cells[along] * METAL_CELL;
    char text[8192] = "", bloch[64] = "";
    size_t n = 0;
    for (int m = 0; m < periods; m++) {
        const double x = 4.2e-3 + (along == 0) * m * length, y = 3.1e-3 + (along == 1) * m * length,
                     z = (along == 2) * m * length;
        n += metal_print(text + n, sizeof text - n, metal, along, m * length);
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "&source kind='electric' axis='x' x=%g y=%g z=%g amplitude=%.17g frequency=2e10 delay=2e-11 /\n"
            "&source kind='magnetic' axis='z' x=%g y=%g z=%g amplitude=%.17g frequency=2e10 delay=1e-11 /\n",
            x, y, z + 6e-3, turn[part][m], x + 3e-3, y + 2.6e-3, z + 8.5e-3, 100 * turn[part][m]);
    }
    if (metal == OF_WIRES)
        snprintf(text + n, sizeof text - n, "&geometry shape='wire' %s radius=1e-4 /\n", through[along]);
    if (periods == 1) snprintf(bloch, sizeof bloch, "&bloch k%c=%.17g /\n", "xyz"[along], 2 * M_PI / 3 / length);
    cr_assert_eq(
        verify_open(
            s,
            "&case name='metal' model='maxwell' /\n&time duration=1.2e-10 dt=1.3e-12 /\n&cpml cells=4 /\n"
            "&maxwell allow_coarse=.true. conformal=%g /\n"
            "&grid nx=%d ny=%d nz=%d dx=%.17g dy=%.17g dz=%.17g /\n&boundary %s south='periodic' north='periodic' /\n%s%s",
            metal == OF_BALLS ? 0.75 : 0.0, cells[0] * (along == 0 ? periods : 1),
            cells[1] * (along == 1 ? periods : 1), cells[2] * (along == 2 ? periods : 1), METAL_CELL, METAL_CELL,
            METAL_CELL,
            along < 2 ? "west='periodic' east='periodic' bottom='cpml' top='pmc'"
                      : "west='pec' east='pmc' bottom='periodic' top='periodic'",
            text, bloch),
        SF_OK, "%s", sf_error_text());
    cr_assert_eq(verify_finish(s), SF_OK, "%s", sf_error_text());
}

/* Conductors true to their shape, sheets and wires on seams and across them, sheets of any orientation: both parts of
 * complex fields are those of a row of three periods, and the edges that conduct are the same. */
Test(bloch, conductors_in_a_row_of_periods, .timeout = 240)
{
    for (int metal = 0; metal < METALS; metal++)
        for (int along = 0; along < 3; along++) {
            struct session one;
            metal_open(&one, metal, along, 1, 0);
            for (int part = 0; part < 2; part++) {
                struct session three;
                double off = 0, most = 0;
                long shut = 0, wrong = 0;
                metal_open(&three, metal, along, PERIODS, part);
                for (int c = 0; c < 6; c++) {
                    int at[3] = {0};
                    do {
                        const double want = (double)*at_of(&three, 0, c, at), scale = c < 3 ? 1 : em_eta0;
                        off = fmax(off, fabs((double)*at_of(&one, part, c, at) - want) * scale);
                        if (c >= 3) continue;
                        const int is[2] = {place_turn(em_of(&one), &one.state.host.s, c,
                                                      at_of(&one, 0, c, at) - one.state.host.s.f[F_EX + c]) > 0,
                                           place_turn(em_of(&three), &three.state.host.s, c,
                                                      at_of(&three, 0, c, at) - three.state.host.s.f[F_EX + c]) > 0};
                        shut += !is[1], wrong += is[0] != is[1];
                    } while (em_next(&one, c, at));
                    at[0] = at[1] = at[2] = 0;
                    do most = fmax(most, fabs((double)*at_of(&three, 0, c, at)) * (c < 3 ? 1 : em_eta0));
                    while (em_next(&three, c, at));
                }
                cr_expect(most > 0 && shut > 3 && !wrong && off < 4 * round_off * most,
                          "metal %d, along %d, part %d: %g of %g, %ld edges conduct, %ld are others", metal, along,
                          part, off, most, shut, wrong);
                session_close(&three);
            }
            session_close(&one);
        }
}

/* What history shows of every cell, those at the seams too, spectra in cells, and probes: of both parts as of three
 * periods. */
Test(bloch, what_is_shown, .timeout = 120)
{
    static const char *const shown[2][6] = {{"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"},
                                            {"Ex_im", "Ey_im", "Ez_im", "Hx_im", "Hy_im", "Hz_im"}};
    static const char more[] = "&monitor name='all' kind='fields' /\n&spectrum frequencies=2e10 /\n"
                               "&output probe_x=7.4e-3 probe_y=6.2e-3 probe_z=9e-3 /\n";
    for (int along = 0; along < 3; along++) {
        struct session one, three[2];
        row_open(&one, along, 1, 0, more);
        for (int part = 0; part < 2; part++) row_open(&three[part], along, PERIODS, part, more);
        cr_assert_eq(engine_refresh(&one.engine), SF_OK); /* ghosts, as before a frame */
        for (int part = 0; part < 2; part++) cr_assert_eq(engine_refresh(&three[part].engine), SF_OK);
        const int ni = three[0].grid.nx, nj = three[0].grid.ny, nk = three[0].grid.nz;
        real row[CELLS * LEVELS], *const wide = malloc((size_t)ni * (size_t)nk * sizeof *wide);
        for (int part = 0; part < 2; part++)
            for (int c = 0; c < 6; c++) {
                const struct diagnostic *d[2] = {NULL};
                double off = 0, most = 0;
                for (int n = 0; n < one.in.ndiagnostics; n++) {
                    if (!strcmp(one.in.diagnostic[n].name, shown[part][c])) d[0] = &one.in.diagnostic[n];
                    if (!strcmp(one.in.diagnostic[n].name, shown[0][c])) d[1] = &one.in.diagnostic[n];
                }
                cr_assert(d[0] && d[1]);
                for (int j = 0; j < ROWS; j++) {
                    d[0]->row(&one.state.host.s, one.in.ctx, j, row);
                    d[1]->row(&three[part].state.host.s, three[part].in.ctx, j, wide);
                    for (int m = 0; m < CELLS * LEVELS; m++) {
                        const double want = (double)wide[m / CELLS * ni + m % CELLS];
                        off = fmax(off, fabs((double)row[m] - want)), most = fmax(most, fabs(want));
                    }
                }
                cr_expect(most > 0 && off < 6 * round_off * most, "%s: off by %g of %g", shown[part][c], off, most);
            }
        /* A spectrum is that of the real part of three periods plus j that of their imaginary part. */
        const size_t cells = (size_t)ni * (size_t)nj * (size_t)nk;
        double *const of = malloc((CELLS * ROWS * LEVELS + 4 * cells) * sizeof *of), *const whole =
                                                                                         of + CELLS * ROWS * LEVELS;
        for (int c = 0; c < 6; c++)
            for (int q = 0; q < 2; q++) {
                char name[2][8];
                double off = 0, most = 0;
                for (int m = 0; m < 2; m++) snprintf(name[m], sizeof name[m], "%s_%s", shown[0][c], m ? "im" : "re");
                cr_assert_eq(em_result(&one, "dft_all.nc", name[q], CELLS * ROWS * LEVELS, of), SF_OK, "%s",
                             sf_error_text());
                for (int part = 0; part < 2; part++) /* Re: re of the real part, less im of the imaginary one */
                    cr_assert_eq(
                        em_result(&three[part], "dft_all.nc", name[q ^ part], (int)cells, whole + (size_t)part * cells),
                        SF_OK);
                for (int m = 0; m < CELLS * ROWS * LEVELS; m++) {
                    const size_t at =
                        ((size_t)(m / CELLS / ROWS) * (size_t)nj + (size_t)(m / CELLS % ROWS)) * (size_t)ni +
                        (size_t)(m % CELLS);
                    const double want = whole[at] + (q ? 1 : -1) * whole[cells + at];
                    off = fmax(off, fabs(of[m] - want)), most = fmax(most, fabs(want));
                }
                cr_expect(most > 0 && off < 6 * round_off * most, "%s: off by %g of %g", name[q], off, most);
            }
        struct trace_record r, of_three[2];
        one.in.traces.take(one.in.traces.own, &r);
        for (int part = 0; part < 2; part++) three[part].in.traces.take(three[part].in.traces.own, &of_three[part]);
        cr_assert_eq(one.in.traces.n, 12);
        cr_assert(r.n > 10 && r.n == of_three[0].n);
        double off = 0, most = 0;
        for (long n = 0; n < r.n; n++)
            for (int m = 0; m < 12; m++) {
                const double want = (double)of_three[m / 6].value[n * 6 + m % 6] * (m % 6 < 3 ? 1 : em_eta0);
                off = fmax(off, fabs((double)r.value[n * 12 + m] * (m % 6 < 3 ? 1 : em_eta0) - want)),
                most = fmax(most, fabs(want));
            }
        cr_expect(most > 0 && off < 6 * round_off * most, "probes are off by %g of %g", off, most);
        free(wide);
        free(of);
        session_close(&one);
        for (int part = 0; part < 2; part++) session_close(&three[part]);
    }
}

/* With no phase real parts have the bits of a run of real fields, and imaginary ones are 0. */
Test(bloch, no_phase_is_no_change)
{
    struct session real_one, complex_one;
    row_open(&real_one, 0, 2, 0, "");
    row_open(&complex_one, 0, 2, 0, "&bloch complex_fields=.true. /\n");
    for (int c = 0; c < 6; c++) {
        int at[3] = {0};
        do {
            cr_assert_eq(memcmp(at_of(&real_one, 0, c, at), at_of(&complex_one, 0, c, at), sizeof(real)), 0);
            cr_assert(!(*at_of(&complex_one, 1, c, at) < 0 || *at_of(&complex_one, 1, c, at) > 0));
        } while (em_next(&real_one, c, at));
    }
    session_close(&real_one);
    session_close(&complex_one);
}
