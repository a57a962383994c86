/* The longest stable time steps, in double, from theory. SPDX-License-Identifier: MIT */
#include "dynamics/limits.h"

#include "dynamics/dynamics.h"

#include "dynamics/courant.h"
#include "dynamics/parcel.h"
#include "dynamics/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double convective = 2500; /* m: cells of this length hold updrafts */
static const double filter_usual = 5e-4; /* 1/s */

double limits_vertical(double speed, double length)
{
    const double share = convective / length;
    return share < 1 ? speed * share * share : speed;
}

double limits_filter_rate(double length)
{
    const double share = convective / length;
    return share < 1 ? filter_usual * share : filter_usual;
}

static double over(double number, double rate) { return rate > 0 ? number / rate : NO_LIMIT; }

/* Two small steps, one without damping and one with it, are another scheme than many. */
static int is_pair(const struct limits_of *x) { return x->small_steps == 2 && x->divergence_damping > 0; }

/* Largest c dtau / dx (1 + slope) of small steps over a constant slope, with divergence damping of 0.1: from the growth
 * of plane waves, 1.17 at an off-centring of 0.6 and 1.47 at 0.7. */
static double slope_bound(double off_centring) { return 1.17 + 3 * (SF_MIN(off_centring, 0.7) - 0.6); }

struct limits limits_make(const struct limits_of *x)
{
    const double rx = 1 / x->dx, ry = x->dy > 0 ? 1 / x->dy : 0;
    const double wave = x->sound * __builtin_sqrt(rx * rx + ry * ry);
    const double damped = wave * __builtin_sqrt(1 + 2 * x->divergence_damping),
                 pair = wave * __builtin_sqrt(2 * (1 + x->divergence_damping));
    const double advection =
        (x->wind_u + x->speed) * rx + (ry > 0 ? (x->wind_v + x->speed) * ry : 0) + x->vertical / x->dz;
    const double out_x = x->open_x ? (x->wind_u + x->speed + x->open_speed) * rx : 0;
    const double out_y = x->open_y ? (x->wind_v + x->speed + x->open_speed) * ry : 0;
    const double viscous = 4 * x->viscosity * (rx * rx + ry * ry + 1 / (x->dz * x->dz)) / 2.5;
    const double filtered = x->filter_rate * (ry > 0 ? 3 : 2) / (x->filter_order == 2 ? 0.625 : 0.125);
    return (struct limits){
        .stage1 = over(3 * x->first_steps, x->first_steps > 1 ? damped : wave),
        .small = over(2, is_pair(x) ? pair : 2 * damped / x->small_steps),
        .advection = over(x->courant, advection),
        .buoyancy = over(1.7, x->n2 > 0 ? __builtin_sqrt(x->n2) : 0),
        .mixing = over(1, SF_MAX(viscous, filtered)),
        .turbulence = x->eddies > 0 ? x->eddies : NO_LIMIT,
        .sinking = x->sinking > 0 ? x->sinking : NO_LIMIT,
        .nudging = x->nudging > 0 ? x->nudging : NO_LIMIT,
        .terrain = over(x->small_steps * slope_bound(x->off_centring), wave * (x->slope > 0 ? 1 + x->slope : 0)),
        .damping = x->damping_time > 0 ? 2.5 * x->damping_time : NO_LIMIT,
        .open = over(1.25, SF_MAX(out_x, out_y))};
}

double limits_returned(double waves, double wind, double speed)
{
    const double leaving = SF_MAX(0, speed - wind), upwind = waves - wind;
    if (!(upwind > 0)) return 0;
    return (1 - leaving / upwind) / (1 + leaving / (waves + wind));
}

/* ---- of a case --------------------------------------------------------------------------------------------------- */

static double magnitude(double x) { return x < 0 ? -x : x; }

static double most_n2(const struct dynamics_own *own)
{
    const struct dynamics_params *p = &own->params;
    double n2 = SF_MAX(SF_MAX(own->base.figures.n2_max, own->jet.n2_most), 0);
    if (p->initial_atmosphere == ATMOSPHERE_ISOTHERMAL)
        n2 = SF_MAX(n2, own->ctx.g * own->ctx.g / (own->ctx.cp_d * p->initial_atmosphere_temperature));
    if (p->initial_atmosphere == ATMOSPHERE_CONSTANT_N)
        n2 = SF_MAX(n2, p->initial_atmosphere_brunt_vaisala * p->initial_atmosphere_brunt_vaisala);
    return n2;
}

static struct limits_of limits_ask(const struct instance *in)
{
    const struct dynamics_own *own = in->own;
    const struct dynamics_params *p = &own->params;
    const struct dynamics *d = &own->ctx;
    const struct grid *g = in->grid;
    const int is_filter = d->mixing != MIXING_OFF && d->mixing != MIXING_CONSTANT;
    struct limits_of x = {.sound = SF_MAX(own->base.figures.sound_max, own->jet.sound_most),
                          .dx = g->dx / own->map.most,
                          .dy = g->ny == 1 ? 0 : g->dy / own->map.most_y,
                          .dz = g->z_f[1],
                          .speed = own->expected_speed,
                          .vertical = own->expected_vertical,
                          .courant = courant_limit(d->wide, d->tracers),
                          .n2 = most_n2(own),
                          .viscosity = d->mixing == MIXING_CONSTANT ? p->dynamics_viscosity : 0,
                          .eddies = turbulence_limit(own),
                          .filter_rate = is_filter ? p->dynamics_mixing_rate : 0,
                          .filter_order = d->mixing == MIXING_SECOND ? 2 : 4,
                          .sinking = own->forcing.sink_limit,
                          .nudging = own->forcing.nudging_limit,
                          .damping_time = d->ray_k < g->nz ? p->dynamics_rayleigh_time : 0,
                          .open_speed = SF_MAX(p->dynamics_open_phase_speed, p->dynamics_open_leaving_speed),
                          .open_x = d->open[FACE_W] || d->open[FACE_E],
                          .open_y = d->open[FACE_S] || d->open[FACE_N],
                          .small_steps = p->dynamics_small_steps,
                          .first_steps = dynamics_first_steps(p),
                          .divergence_damping = p->dynamics_divergence_damping,
                          .slope = own->terrain.slope,
                          .off_centring = p->dynamics_off_centring};
    for (int k = 0; k < g->nz; k++) {
        x.dz = SF_MIN(x.dz, g->z_f[k + 1] - g->z_f[k]);
        if (d->over) x.dz = own->terrain.least_dz;
        x.wind_u = SF_MAX(x.wind_u, magnitude(own->base.u0[k] - d->translation[0] + p->initial_wind_u));
        x.wind_v = SF_MAX(x.wind_v, magnitude(own->base.v0[k] - d->translation[1] + p->initial_wind_v));
    }
    return x;
}

/* The longest side of a cell along the ground. */
static double length_of(const struct grid *g) { return g->ny > 1 ? SF_MAX(g->dx, g->dy) : g->dx; }

void dynamics_rates_pick(struct dynamics_own *own, const struct grid *g)
{
    struct dynamics_params *const p = &own->params;
    if (p->dynamics_mixing_rate < 0) p->dynamics_mixing_rate = limits_filter_rate(length_of(g));
    own->expected_speed = p->dynamics_expected_speed;
    own->expected_vertical = p->dynamics_expected_vertical_speed < 0
                                 ? limits_vertical(own->expected_speed, length_of(g))
                                 : p->dynamics_expected_vertical_speed;
}

#define DAMPED "sqrt((1 + 2 divergence_damping)(1/dx2 + 1/dy2))"
static const char *const limits_of_sound[2][2] = {
    {"sound in the first stage, c dt/3 sqrt(1/dx2 + 1/dy2) < 1",
     "sound in the first stage, c dt/(3 first_small_steps) " DAMPED " < 1"},
    {"sound in two small steps, c dt sqrt((1 + divergence_damping)/2 (1/dx2 + 1/dy2)) < 1",
     "sound in the small steps, c dt/small_steps " DAMPED " < 1"}};

static void limit_take(struct instance *in, double limit, const char *by)
{
    if (in->dt_limit > 0 && limit >= in->dt_limit) return;
    in->dt_limit = limit;
    in->dt_limit_by = by;
}

/* Beyond 1.5 times the limits of sound in small steps, of mixing and of the Rayleigh layer waves of two cells grow by
 * tens of per cent a step, and runs end within some tens of steps, whatever their state. What else limits a step takes
 * waves or winds that may not be there, or, as the first stage does, ends before it has grown. */
static void hopeless_make(struct instance *in, const struct limits *l, const char *sound)
{
    static const double beyond = 1.5;
    const double least = SF_MIN(l->small, SF_MIN(l->mixing, l->damping));
    in->dt_hopeless = beyond * least;
    in->dt_hopeless_by = least == l->small    ? sound
                         : least == l->mixing ? "mixing"
                                              : "the Rayleigh layer, dt < 2.5 rayleigh_time";
}

void dynamics_limits_make(struct instance *in)
{
    const struct dynamics_own *own = in->own;
    const struct limits_of x = limits_ask(in);
    const struct limits l = limits_make(&x);
    static const char *const who[3][2] = {
        {"advection, sum of Courant numbers < 1.26",
         "advection by the wind at the start, sum of Courant numbers < 1.26"},
        {"advection, sum of Courant numbers < 1.09",
         "advection by the wind at the start, sum of Courant numbers < 1.09"},
        {"advection, sum of Courant numbers < 1.00, for tracers stay above zero",
         "advection by the wind at the start, sum of Courant numbers < 1.00, for tracers stay above zero"}};
    const char *const *const by = who[own->ctx.tracers ? 2 : own->ctx.wide];
    in->dt_calm = SF_MIN(SF_MIN(SF_MIN(l.stage1, SF_MIN(l.small, l.terrain)), SF_MIN(l.buoyancy, l.mixing)),
                         SF_MIN(SF_MIN(l.damping, l.open), SF_MIN(l.turbulence, SF_MIN(l.sinking, l.nudging))));
    hopeless_make(in, &l, limits_of_sound[1][!is_pair(&x)]);
    in->dt_limit = 0;
    limit_take(in, l.stage1, limits_of_sound[0][x.first_steps > 1]);
    limit_take(in, l.small, limits_of_sound[1][!is_pair(&x)]);
    limit_take(in, l.advection, by[0]);
    limit_take(in, l.buoyancy, "buoyancy, N dt < 1.7");
    limit_take(in, l.mixing, "mixing");
    limit_take(in, l.turbulence, "turbulence, K dt (1/dx2 + 1/dy2 + 1/dz2) < 0.45");
    limit_take(in, l.terrain,
               "sound over slopes, c dt/small_steps sqrt(1/dx2 + 1/dy2) (1 + slope) < 1.17 + 3 (off_centring - 0.6)");
    limit_take(in, l.sinking, "subsidence, w_s dt / dz < 1");
    limit_take(in, l.nudging, "nudging, dt < nudging_time");
    limit_take(in, l.damping, "the Rayleigh layer, dt < 2.5 rayleigh_time");
    if (own->start_rate > 0) limit_take(in, x.courant / own->start_rate, by[1]);
    limit_take(in, l.open, "open sides, (wind + open_phase_speed) dt / dx < 1.25");
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

enum { ROWS = 16 };
struct rows {
    int n;
    struct row {
        double limit; /* s */
        char what[200];
    } row[ROWS];
};

static void row_add(struct rows *r, double limit, const char *what)
{
    if (limit > 0.1 * NO_LIMIT || r->n == ROWS) return;
    r->row[r->n].limit = limit;
    snprintf(r->row[r->n++].what, sizeof r->row[0].what, "%.199s", what);
}

static int by_limit(const void *a, const void *b)
{
    const double x = ((const struct row *)a)->limit, y = ((const struct row *)b)->limit;
    return (x > y) - (x < y);
}

/* What binds first stands first. */
static void rows_tell(struct rows *r, double dt, void (*line)(void *, const char *), void *to)
{
    char text[512];
    line(to, "limits of the time step:");
    qsort(r->row, (size_t)r->n, sizeof r->row[0], by_limit);
    for (int n = 0; n < r->n; n++) {
        snprintf(text, sizeof text, "  dt < %9.4g s   used %5.1f %%   %s", r->row[n].limit, 100 * dt / r->row[n].limit,
                 r->row[n].what);
        line(to, text);
    }
}

/* What a key of the namelist takes from the time step, where it takes much: 1/3 and more. */
static void advise(const struct limits_of *x, void (*line)(void *, const char *), void *to)
{
    static const double much = 1.5;
    const struct limits l = limits_make(x);
    struct limits_of calm = *x;
    char text[512];
    calm.vertical = 0;
    const double rest = SF_MIN(SF_MIN(l.stage1, l.small),
                               SF_MIN(SF_MIN(l.buoyancy, l.damping), SF_MIN(l.open, l.turbulence))),
                 level = limits_make(&calm).advection;
    const double flat = SF_MIN(SF_MIN(rest, level), l.mixing), free = SF_MIN(rest, l.advection);
    if (flat > much * l.advection) {
        snprintf(
            text, sizeof text,
            "advice: cells are %.3g times as long as high, and expected_vertical_speed = %.3g m/s makes the time step; air that moves up "
            "and down at %.2g m/s and less leaves %.4g s",
            SF_MAX(x->dx, x->dy) / x->dz, x->vertical, x->dz * SF_MAX(x->courant / flat - x->courant / level, 0), flat);
        line(to, text);
    }
    if (free > much * l.mixing && x->filter_rate > 0) {
        snprintf(
            text, sizeof text,
            "advice: mixing_rate = %.3g 1/s makes the time step; %.2g 1/s and less leaves %.4g s, and mixing_rate = -1 takes %.2g 1/s for "
            "cells of %g m",
            x->filter_rate, x->filter_rate * l.mixing / free, free, limits_filter_rate(SF_MAX(x->dx, x->dy)),
            SF_MAX(x->dx, x->dy));
        line(to, text);
    }
}

void dynamics_report(const struct instance *in, double dt, void (*line)(void *, const char *), void *to)
{
    const struct dynamics_own *own = in->own;
    const struct limits_of x = limits_ask(in);
    const struct limits l = limits_make(&x);
    char text[2048];
    struct rows r = {0};
    row_add(&r, l.stage1, limits_of_sound[0][x.first_steps > 1]);
    row_add(&r, l.small, limits_of_sound[1][!is_pair(&x)]);
    snprintf(text, sizeof text, "advection: base wind + %.3g m/s, vertical %.3g m/s, sum < %.2f", x.speed, x.vertical,
             x.courant);
    row_add(&r, l.advection, text);
    if (own->start_rate > 0) row_add(&r, x.courant / own->start_rate, "advection by the wind at the start");
    row_add(&r, l.buoyancy, "buoyancy: N dt < 1.7");
    row_add(&r, l.mixing, "mixing: sum over directions");
    if (own->ctx.closure != CLOSURE_NONE) {
        snprintf(text, sizeof text, "turbulence: K = %.3g m2/s, K dt (1/dx2 + 1/dy2 + 1/dz2) < 0.45",
                 own->expected_diffusivity);
        row_add(&r, l.turbulence, text);
    }
    if (x.slope > 0) {
        snprintf(text, sizeof text, "sound over slopes: c dt/small_steps sqrt(1/dx2 + 1/dy2) (1 + slope) < %.2f",
                 slope_bound(x.off_centring));
        row_add(&r, l.terrain, text);
    }
    row_add(&r, l.sinking, "subsidence: w_s dt / dz < 1");
    row_add(&r, l.nudging, "nudging: dt < nudging_time");
    row_add(&r, l.damping, "Rayleigh layer: dt < 2.5 rayleigh_time");
    row_add(&r, l.open, "open sides: (wind + open_phase_speed) dt / dx < 1.25");
    rows_tell(&r, dt, line, to);
    advise(&x, line, to);
    statistics_describe(in, dt, text, sizeof text);
    if (text[0]) line(to, text);
    map_report(own, line, to);
    terrain_report(own, line, to);
    driver_report(in, line, to);
    ground_report(own, line, to);
    forcing_report(own, dt, line, to);
    const double crossed = 10 * dt / x.dz; /* by rain of 10 m/s: beyond 3 its fall stays stable, and smears */
    if (own->ctx.species && own->params.water_scheme == SCHEME_KESSLER && crossed > 3) {
        snprintf(
            text, sizeof text,
            "advice: rain of 10 m/s falls through %.2g of the thinnest levels in a step, which smears its front; dt below "
            "%.3g s follows it",
            crossed, 3 * x.dz / 10);
        line(to, text);
    }
    base_describe(&own->base, text, sizeof text);
    if (in->nfacts) {
        const size_t n = strlen(text);
        parcel_describe(&own->parcel, text + n, sizeof text - n);
    }
    for (char *at = text, *end; *at; at = end + (*end != '\0')) {
        char one[512];
        end = at + strcspn(at, "\n");
        snprintf(one, sizeof one, "%.*s", (int)(end - at), at);
        line(to, one);
    }
}
