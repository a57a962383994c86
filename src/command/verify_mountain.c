/* Flow over hills against linear theory, and air at rest over them. Hills are so low that flow over them is linear, and
 * so high that 32 bits carry it. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "command/mountain.h"
#include "dynamics/dynamics.h"
#include "dynamics/hill.h"
#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Isothermal air of 250 K, in which linear theory is exact. */
static const double temperature = 250, g = 9.80665, cp = 1004.5, gas = 287;

static const char *const linear_source = "linear theory, isothermal air";

struct flow {
    double wind, height, half_width, wavelength; /* of a ridge; with a wavelength, of Schaer's hill */
    double low, high; /* tolerance of the flux of momentum at the lowest height and above, by it; 0: it is shown */
    double dx, dz, duration, sponge, midst; /* depth of the Rayleigh layer, m; +- m that are compared */
    int nx, nz;
    const char *coordinate; /* keys of &terrain */
    const char *side; /* of &boundary, west and east */
};

static double brunt_vaisala(void) { return g / sqrt(cp * temperature); }

static int flow_run(struct session *s, const struct flow *f)
{
    char shape[160];
    if (f->wavelength > 0) snprintf(shape, sizeof shape, "shape='schaer' wavelength=%g", f->wavelength);
    else snprintf(shape, sizeof shape, "shape='ridge'");
    SF_TRY(verify_open(s,
                       "&case name='mountain' /\n"
                       "&grid nx=%d nz=%d dx=%g dy=%g dz=%g origin_x=%g /\n"
                       "&time duration=%g dt=0 /\n"
                       "&base profile='isothermal' temperature=%g wind='constant' wind_u=%g /\n"
                       "&terrain %s height=%g half_width=%g %s /\n"
                       "&boundary west='%s' east='%s' /\n"
                       "&dynamics expected_speed=1 expected_vertical_speed=1 mixing='off' rayleigh_depth=%g "
                       "rayleigh_time=300 /\n",
                       f->nx, f->nz, f->dx, f->dx, f->dz, -0.5 * f->nx * f->dx, f->duration, temperature, f->wind,
                       shape, f->height, f->half_width, f->coordinate, f->side, f->side, f->sponge));
    return verify_finish(s);
}

/* Of the midst of the domain, below the Rayleigh layer: the rms error of w by the rms of theory; extremes at one
 * height; and the flux of momentum at three heights, by that of theory. */
struct measured {
    double w, most, least, most_should, least_should, flux[3];
};
static const double flux_at[3] = {1500, 6000, 11500}; /* m */
static const double extremes_at_z = 4000, lowest = 1000, highest = 11000; /* m */

static double square(double x) { return x * x; }

/* What linear waves over the ridge carry upward, N/m. */
static double flux_of_theory(const struct flow *f)
{
    const double N = brunt_vaisala(), H = gas * temperature / g, c2 = cp / (cp - gas) * gas * temperature;
    return mountain_drag_hydrostatic(1e5 / (gas * temperature), N, f->wind, f->height) *
           mountain_flux_ratio(N * f->half_width / f->wind) * sqrt(1 - square(f->wind / (2 * N * H))) /
           (1 - square(f->wind) / c2);
}

/* Theory repeats its domain: three of the model's, twice as many points as columns, faces and centres, of which those
 * of the model begin at `first`. w_should: [nz][n]. */
static int theory_make(const struct session *s, const struct flow *f, int n, int first, double *hill, double *w,
                       double *u)
{
    const struct mountain_air air = {f->wind, brunt_vaisala(), gas * temperature / g, g};
    for (int i = 0; i < n; i++) {
        const double x = s->grid.x0 + 0.5 * (i - first) * f->dx;
        hill[i] = f->wavelength > 0 ? hill_schaer(f->height, f->half_width, f->wavelength, x)
                                    : hill_ridge(f->height, f->half_width, x);
    }
    return mountain_linear(&air, n, 0.5 * f->dx, hill, f->nz, s->grid.z_f, NULL, w, u);
}

static void flow_compare(const struct session *s, const struct flow *f, const double *w_should, int n,
                         struct measured *m)
{
    const struct grid *const at = &s->grid;
    const struct base_state *const b = &((const struct dynamics_own *)s->in.own)->base;
    double error = 0, all = 0;
    *m = (struct measured){.most = -INFINITY, .least = INFINITY, .most_should = -INFINITY, .least_should = INFINITY};
    for (int k = 1; k + 1 < f->nz; k++) {
        const real *const w = verify_line(s, F_W, 0, k), *const above = verify_line(s, F_W, 0, k + 1),
                          *const u = verify_line(s, F_U, 0, k);
        for (int i = 1; i < f->nx; i++) {
            const double x = at->x0 + (i + 0.5) * f->dx, is = (double)w[i],
                         should = w_should[(size_t)k * (size_t)n + (size_t)(2 * i + 1)];
            for (int q = 0; q < 3; q++)
                if (at->z_f[k] <= flux_at[q] && flux_at[q] < at->z_f[k + 1])
                    m->flux[q] += b->rho0[k] * ((double)u[i] - f->wind) * f->dx * 0.25 *
                                  (((double)w[i - 1] + (double)w[i]) + ((double)above[i - 1] + (double)above[i]));
            if (fabs(x) > f->midst || at->z_f[k] < lowest || at->z_f[k] > highest) continue;
            error += square(is - should), all += square(should);
            if (fabs(at->z_f[k] - extremes_at_z) > 0.5 * f->dz) continue;
            m->most = fmax(m->most, is), m->least = fmin(m->least, is);
            m->most_should = fmax(m->most_should, should), m->least_should = fmin(m->least_should, should);
        }
    }
    m->w = sqrt(error / all);
    for (int q = 0; q < 3; q++) m->flux[q] /= flux_of_theory(f);
}

static int flow_measure(const struct session *s, const struct flow *f, struct measured *m)
{
    const int n = 6 * f->nx, first = 2 * f->nx;
    const size_t points = (size_t)n * (size_t)f->nz;
    double *const memory = malloc((2 * points + (size_t)n) * sizeof *memory);
    SF_CHECK(memory, SF_MEMORY, "no memory for linear theory");
    double *const w = memory, *const u = memory + points;
    const int rc = theory_make(s, f, n, first, memory + 2 * points, w, u);
    if (!rc) flow_compare(s, f, w + first, n, m);
    free(memory);
    return rc;
}

/* share: of the extremes that theory has; rms: of the error of w. */
static int flow_rows(struct verify *v, const char *name, const struct flow *f, double share, double rms)
{
    struct session s;
    struct measured m = {0};
    int rc = flow_run(&s, f);
    if (!rc) rc = flow_measure(&s, f, &m);
    session_close(&s);
    SF_TRY(rc);
    verify_near(v, verify_name("%s: largest w at 4 km, m/s", name), m.most, m.most_should, share * m.most_should,
                linear_source);
    verify_near(v, verify_name("%s: smallest w at 4 km, m/s", name), m.least, m.least_should, -share * m.least_should,
                linear_source);
    verify_most(v, verify_name("%s: rms error of w from 1 to 11 km by that of theory", name), m.w, rms, linear_source);
    for (int q = 0; q < 3 && !(f->wavelength > 0); q++) {
        const char *const quantity =
            verify_name("%s: flux of momentum at %.1f km, by that of theory", name, flux_at[q] / 1000);
        const double tolerance = q ? f->high : f->low;
        if (tolerance > 0) verify_near(v, quantity, m.flux[q], 1, tolerance, linear_source);
        else verify_show(v, quantity, m.flux[q], 1, linear_source);
    }
    return SF_OK;
}

/* Isothermal air at rest over a ridge of 1 km, in a neutral base state, from which it departs by as much as air can:
 * only errors of the coordinate blow. Six hours, and the mass that they leave. */
static int rest_rows(struct verify *v)
{
    static const char *const coordinate[3] = {"basic", "hybrid", "sleve"};
    double most[3] = {NAN, NAN, NAN}, drift = NAN;
    for (int n = 0; n < 3; n++) {
        struct session s;
        int rc = verify_open(&s,
                             "&case name='other' /\n"
                             "&grid nx=80 nz=50 dx=500 dy=500 dz=200 origin_x=-20000 /\n"
                             "&time duration=21600 dt=0 /\n"
                             "&base profile='neutral' /\n"
                             "&initial atmosphere='isothermal' atmosphere_temperature=270 balance='hydrostatic' /\n"
                             "&terrain shape='ridge' height=1000 half_width=2000 coordinate='%s' /\n",
                             coordinate[n]);
        if (!rc) rc = verify_finish(&s);
        if (!rc) {
            const struct extremes w = verify_extremes(&s, F_W);
            most[n] = fmax(w.max, -w.min);
            rc = verify_number(&s, "mass_drift", &drift);
        }
        session_close(&s);
        SF_TRY(rc);
        verify_guard_most(
            v, verify_name("other air at rest over a ridge of 1 km, '%s': largest w after 6 h, m/s", coordinate[n]),
            most[n], n == 2 ? 0.05 : 0.1);
    }
    verify_most(v, "other air at rest: largest w of 'sleve' by that of 'basic'", most[2] / most[0], 1,
                "Schaer and others 2002");
    verify_near(v, "other air at rest, 'sleve': mass after 6 h less that at the start, by it", drift, 0, 1e-6,
                "held, every 20 steps");
    return SF_OK;
}

/* A tracer that wind carries level over hills of 3 km in calm air, 100 km far, through surfaces that rise and fall:
 * Schaer and others 2002, their section 4. Their wind is given and grows within a kilometre; here it grows from 3 to
 * 7 km, since this air moves by itself, and a kilometre is two cells. */
static const double carried_from = -50e3, carried_z = 10500, carried_wide = 25e3, carried_high = 3000,
                    carried_wind = 10, carried_time = 10e3;

static double carried_exact(double x, double z)
{
    const double at = hypot((x - carried_from - carried_wind * carried_time) / carried_wide,
                            (z - carried_z) / carried_high),
                 c = cos(0.5 * acos(-1) * at);
    return at < 1 ? c * c : 0;
}

static int carried_rows(struct verify *v)
{
    static const char *const coordinate[2] = {"basic", "sleve"};
    double worst[2] = {0, 0};
    for (int n = 0; n < 2; n++) {
        struct session s;
        int rc =
            verify_open(&s,
                        "&case name='carried' /\n"
                        "&grid nx=300 nz=50 dx=1000 dy=1000 dz=500 origin_x=-150000 /\n"
                        "&time duration=%g dt=0 /\n"
                        "&base profile='constant_n' brunt_vaisala=0.01 wind='shear' wind_u=0 wind_u_top=%g "
                        "shear_bottom=3000 shear_top=7000 /\n"
                        "&dynamics tracers=1 expected_speed=1 /\n"
                        "&initial shape='cosine_squared' variable='tracer' amplitude=1 x=%g z=%g radius_x=%g "
                        "radius_y=1e9 radius_z=%g /\n"
                        "&terrain shape='schaer' height=3000 half_width=25000 wavelength=8000 coordinate='%s' "
                        "smoothing=4000 sleve_large=15000 /\n",
                        carried_time, carried_wind, carried_from, carried_z, carried_wide, carried_high, coordinate[n]);
        if (!rc) rc = verify_finish(&s);
        for (int k = 0; k < 50 && !rc; k++) {
            const real *const q = verify_line(&s, F_Q, 0, k);
            for (int i = 0; i < 300; i++) {
                const double should = carried_exact(grid_x(&s.grid, i, 0), terrain_z_c(s.in.own, i, 0, k));
                worst[n] = fmax(worst[n], fabs((double)q[i] - should));
            }
        }
        session_close(&s);
        SF_TRY(rc);
    }
    verify_show(v, "a tracer carried over hills, 'basic': largest error of 1", worst[0], NAN, "");
    verify_most(v, "a tracer carried over hills, 'sleve': largest error of 1", worst[1], 0.05, "exact");
    return SF_OK;
}

/* Air as the base state has it over a steep bell; and an hour of wind over a ridge of 45 degrees, at the defaults. */
static int steep_rows(struct verify *v)
{
    struct session s;
    double drift = NAN, most = NAN;
    int rc = verify_open(&s, "&case name='bell' /\n"
                             "&grid nx=24 ny=24 nz=20 dx=500 dy=500 dz=500 origin_x=-6000 origin_y=-6000 /\n"
                             "&time duration=120 dt=0 /\n"
                             "&base profile='constant_n' brunt_vaisala=0.01 /\n"
                             "&terrain shape='bell' height=2500 half_width=1300 /\n");
    if (!rc) rc = verify_finish(&s);
    if (!rc) {
        const struct extremes w = verify_extremes(&s, F_W);
        verify_near(v, "at rest over a slope of 63 degrees: largest w, m/s", fmax(w.max, -w.min), 0, 0, "exact");
    }
    session_close(&s);
    SF_TRY(rc);
    rc = verify_open(&s, "&case name='steep' /\n"
                         "&grid nx=100 nz=60 dx=200 dy=200 dz=200 origin_x=-10000 /\n"
                         "&time duration=3600 dt=0 /\n"
                         "&base profile='constant_n' brunt_vaisala=0.01 wind='constant' wind_u=10 /\n"
                         "&terrain shape='ridge' height=1540 half_width=1000 /\n"
                         "&dynamics rayleigh_depth=4000 rayleigh_time=100 /\n");
    if (!rc) rc = verify_finish(&s);
    if (!rc) rc = verify_number(&s, "mass_drift", &drift);
    if (!rc) rc = verify_number(&s, "w_max", &most);
    session_close(&s);
    SF_TRY(rc);
    verify_guard_most(v, "over a ridge of 45 degrees: largest w after an hour, m/s", most, 30);
    verify_near(v, "over a ridge of 45 degrees: mass less that at the start, by it", drift, 0, 5e-6,
                "held, every 20 steps");
    return SF_OK;
}

/* In periodic domains what the start makes comes round with the wind: runs end where it is elsewhere. Long waves rise
 * for a day, so that of the wide ridge leaves through open sides; above the lowest height its flux is still on its way
 * (2.7 and 4.3 % are lacking after 130000 s), hence the wider bound there. */
int verify_mountain(struct verify *v)
{
    static const struct flow narrow = {.wind = 20,
                                       .height = 10,
                                       .half_width = 2000,
                                       .dx = 400,
                                       .dz = 250,
                                       .duration = 5000,
                                       .nx = 300,
                                       .nz = 100,
                                       .coordinate = "",
                                       .side = "periodic",
                                       .sponge = 12000,
                                       .midst = 20e3},
                             schaer = {.wind = 10,
                                       .height = 10,
                                       .half_width = 5000,
                                       .wavelength = 4000,
                                       .dx = 250,
                                       .dz = 200,
                                       .duration = 10000,
                                       .nx = 320,
                                       .nz = 100,
                                       .coordinate = "coordinate='sleve' smoothing=2000",
                                       .side = "periodic",
                                       .sponge = 8000,
                                       .midst = 10e3},
                             one = {.wind = 20, /* N a / U = 1, where waves carry 0.4578 of what long ones do */
                                    .height = 10,
                                    .half_width = 1022,
                                    .low = 0.03,
                                    .dx = 200,
                                    .dz = 250,
                                    .duration = 6000,
                                    .nx = 800,
                                    .nz = 100,
                                    .coordinate = "",
                                    .side = "periodic",
                                    .sponge = 12000,
                                    .midst = 10e3},
                             wide = {.wind = 20,
                                     .height = 20,
                                     .half_width = 10e3,
                                     .low = 0.03,
                                     .high = 0.06,
                                     .dx = 2000,
                                     .dz = 250,
                                     .duration = 80000,
                                     .nx = 240,
                                     .nz = 120,
                                     .coordinate = "",
                                     .side = "open",
                                     .sponge = 12000,
                                     .midst = 60e3};
    SF_TRY(steep_rows(v));
    SF_TRY(rest_rows(v));
    SF_TRY(carried_rows(v));
    SF_TRY(flow_rows(v, "ridge of 2 km", &narrow, 0.05, 0.1));
    if (!v->full) {
        verify_skip(v, "Schaer's hill, and ridges of 1 and 10 km", "it takes a minute: --full");
        return SF_OK;
    }
    SF_TRY(flow_rows(v, "ridge of 1 km", &one, 0.05, 0.1));
    SF_TRY(flow_rows(v, "Schaer's hill", &schaer, 0.05, 0.25));
    return flow_rows(v, "ridge of 10 km", &wide, 0.06, 0.1);
}
