/* Power that media take in the cells of a monitor, and per mass: against its definition from the spectra of the same
 * file, and in all against what flows into a closed box. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "maxwell/monitor_parts.h"
#include "maxwell/own.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 26, FREQUENCIES = 2 };

static const double cell = 2e-3, pi = 3.14159265358979323846;

static double *values(const struct session *s, const char *file, const char *name)
{
    for (int r = 0; r < s->in.nresults; r++) {
        const struct result *const of = &s->in.result[r];
        for (int v = 0; v < of->nvariables && !strcmp(of->file, file); v++) {
            size_t size = 1;
            for (int d = 0; d < of->variable[v].ndims; d++) size *= (size_t)of->axis[of->variable[v].dim[d]].n;
            if (strcmp(of->variable[v].name, name)) continue;
            double **const out = calloc((size_t)of->nvariables, sizeof *out);
            out[v] = malloc(size * sizeof **out);
            double *const to = out[v];
            cr_assert_eq(of->fill(of, &s->state, out), SF_OK, "%s", sf_error_text());
            free(out);
            return to;
        }
    }
    return NULL;
}

/* A lossy slab with poles, a block without a density upon it, in a wave from below. */
static void run(struct session *s, const char *more)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n&grid nx = %d, ny = %d, nz = %d, dx = %g, dy = %g, dz = %g /\n&time duration = 2.5e-9 /\n"
        "&maxwell allow_coarse = .true. /\n&cpml cells = 5 /\n"
        "&medium name = 'tissue', 'salt', epsilon = 5, 3, sigma = 0.4, 0.1, density = 1050 /\n"
        "&pole medium = 'tissue', kind = 'debye', strength = 20, tau = 1e-11 /\n"
        "&geometry shape = 'box', 'box', medium = 'tissue', 'salt', x = 2*%g, y = 2*%g, z = 0.024, 0.032, size_x = 0.012, 0.008, size_y = 0.012,\n"
        "  0.008, size_z = 0.012, 0.004 /\n"
        "&plane_wave direction = '+z', waveform = 'modulated_gaussian', frequency = 4e9, bandwidth = 4e9, margin = 1, amplitude = 3 /\n"
        "&spectrum frequencies = 3e9, 5e9 /\n&output staggered = %s /\n"
        "&monitor name = 'in', 'around', 'plane', kind = 'fields', 'flux_box', 'fields', west = 3*0.016, east = 3*0.036, south = 3*0.016,\n"
        "  north = 3*0.036, bottom = 0.016, 0.016, 0.024, top = 0.036, 0.036, 0.024 /\n",
        N, N, N, cell, cell, cell, N * cell / 2, N * cell / 2, more);
    weather_open(s, text);
    while (session_steps_left(s) > 0) cr_assert_eq(session_advance(s, 10), SF_OK, "%s", sf_error_text());
}

/* Medium of a cell with its centre at x, y, z of the whole grid's numbers: 2, 3, or vacuum. */
static int medium_at(double x, double y, double z)
{
    const double dx = fabs(x - N / 2.0), dy = fabs(y - N / 2.0);
    return dx < 2 && dy < 2 && fabs(z - 16) < 1 ? 3 : dx < 3 && dy < 3 && fabs(z - 12) < 3 ? 2 : 0;
}

/* Mean of |E_c|^2 over the four edges of a cell of monitor 'in', from its sums. */
static double edges_of(const struct session *s, int c, int f, const int cell_at[3])
{
    const struct maxwell_own *const own = s->in.own;
    const struct monitor *const m = &own->monitors->part[0];
    const int levels = m->box.k1 - m->box.k0, a = (c + 1) % 3, b = (c + 2) % 3;
    double sum = 0;
    for (int q = 0; q < 4; q++) {
        int at[3] = {8 + cell_at[0], 8 + cell_at[1], 8 + cell_at[2]};
        at[a] += q & 1, at[b] += q >> 1;
        for (int part = 0; part < 2; part++) {
            const real x =
                state_line(&s->state, F_SUMS, at[1],
                           ((c * FREQUENCIES + f) * 2 + part) * levels + at[2] - m->box.k0)[at[0] - m->box.i0];
            sum += 0.25 * (double)x * (double)x;
        }
    }
    return sum * own->monitors->dt_sample * own->monitors->dt_sample;
}

Test(loss, of_cells_and_in_all, .timeout = 120)
{
    enum { EACH = 10, CELLS = EACH * EACH * EACH };
    struct session s;
    run(&s, ".false.");
    const struct maxwell_own *const own = s.in.own;
    double *const loss = values(&s, "dft_in.nc", "power_loss"), *const sar = values(&s, "dft_in.nc", "sar"),
                  *const flux = values(&s, "flux.nc", "power");
    cr_assert(loss && sar && flux);
    for (int f = 0; f < FREQUENCIES; f++) {
        const double frequency = f ? 5e9 : 3e9;
        double wave[2], all = 0;
        cr_assert(monitor_wave_spectrum(own->monitors, f, wave));
        for (int q = 0; q < CELLS; q++) {
            const int at = f * CELLS + q,
                      medium = medium_at(8.5 + q % EACH, 8.5 + q / EACH % EACH, 8.5 + q / (EACH * EACH));
            double square = 0, epsilon[2];
            for (int c = 0; c < 3; c++)
                square += edges_of(&s, c, f, (const int[3]){q % EACH, q / EACH % EACH, q / (EACH * EACH)});
            medium_stepped(&own->media.medium[medium], frequency, own->ctx.dt, epsilon);
            const double should =
                pi * frequency * em_eps0 * epsilon[1] * square / (wave[0] * wave[0] + wave[1] * wave[1]);
            cr_assert(fabs(loss[at] - should) <= 1e-9 * should, "%d: %g, not %g", q, loss[at], should);
            if (medium == 2) cr_assert(fabs(sar[at] - should / 1050) <= 1e-9 * should, "%g", sar[at]);
            else cr_assert_eq(sar[at], RESULT_NONE, "without a density");
            all += loss[at] * pow(cell, 3);
        }
        cr_assert(flux[f] < 0 && fabs(all / -flux[f] - 1) < 0.02, "%g W in cells, %g W into the box", all, -flux[f]);
    }
    free(loss), free(sar), free(flux);
    double *const of_plane = values(&s, "dft_plane.nc", "sar");
    cr_assert(of_plane[55] < RESULT_NONE && of_plane[0] >= RESULT_NONE, "the cells above the plane");
    free(of_plane);
    session_close(&s);
}

/* Where components lie apart there is none; nor where no medium has a density. */
Test(loss, is_left_out, .timeout = 120)
{
    struct session s;
    run(&s, ".true.");
    cr_assert(!values(&s, "dft_in.nc", "power_loss") && values(&s, "dft_in.nc", "Ex_re"));
    session_close(&s);
}
