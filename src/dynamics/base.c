/* Builds the base state in double, once, on the host. SPDX-License-Identifier: MIT */
#include "dynamics/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/error.h"

#define SF_PARAM_STRUCT struct base_params
const struct param base_table[] = {
#define PARAM SF_PARAM_ROW
#define PARAMS SF_PARAMS_ROW
#include "dynamics/base.def"
};
#undef SF_PARAM_STRUCT
const int base_table_size = sizeof base_table / sizeof base_table[0];

enum { COLDEST_DEWPOINT = 150 }; /* K: what is below was given in degrees Celsius */
enum { GHOSTS = BASE_GHOST_LEVELS, PROFILES = 12 };

/* Above a sounding vapour falls by a factor e in so many m: as in air of one relative humidity that cools by 6.5 K/km,
 * where 1 / (L 6.5 K/km / (Rv T^2) - g / (R T)) is 2570 m at 260 K and 2450 m at 255 K. No lower than `vapour_least`,
 * kg/kg, of which all air above 300 hPa holds 0.3 kg/m2; a sounding that ends drier stays as dry. */
static const double vapour_scale = 2500, vapour_least = 1e-4;
static const double n2_neutral = 1e-9; /* 1/s2: less than this is rounding of theta */

/* A stratification and a wind as functions of height. Above its top a sounding goes on with constant N. */
struct air {
    const struct base_params *p;
    const struct base_constants *c;
    const struct sounding *s;
    const double *theta; /* of the sounding: itself with water, else virtual */
    double pi_s; /* Exner function at the ground */
    double z_top, theta_top; /* the sounding's highest level */
    double n2_above; /* s-2 */
    double mixed_top, mixed_theta,
        mixed_qv; /* below this height the sun has mixed the air, of this theta itself; 0: nowhere */
};

/* Of Weisman and Klemp (1982): how far theta and humidity have come from those of the ground to those of the
 * tropopause. */
static const double storm_tropopause = 12000; /* m */
static double storm_share(double z)
{
    const double part = z / storm_tropopause;
    return sfd_pow(part > 0 ? (part < 1 ? part : 1) : 0, 1.25);
}

/* Vapour of the sounding, kg/kg. */
static double vapour_at(const struct air *f, double z)
{
    const double observed = sounding_value(f->s, f->s->qv, z);
    if (!(z > f->z_top) || !(observed > vapour_least)) return observed;
    const double falling = observed * sfd_exp((f->z_top - z) / vapour_scale);
    return SF_MAX(falling, vapour_least);
}

static int is_mixed(const struct air *f, double z) { return f->mixed_top > 0 && z < f->mixed_top; }

static double theta_at(const struct air *f, double z)
{
    const struct base_params *p = f->p;
    const double g = f->c->g;
    switch ((enum base_profile)p->base_profile) {
    case BASE_NEUTRAL:
        break;
    case BASE_ISOTHERMAL: /* T/pi with the exact pi = pi_s exp(-g z / (cp T)) */
        return p->base_temperature / f->pi_s * sfd_exp(g * z / (f->c->cp * p->base_temperature));
    case BASE_CONSTANT_N:
        return p->base_surface_theta * sfd_exp(p->base_brunt_vaisala * p->base_brunt_vaisala * z / g);
    case BASE_SOUNDING:
        if (is_mixed(f, z)) return f->c->vapour ? f->mixed_theta : sounding_virtual(f->mixed_theta, f->mixed_qv);
        if (z > f->z_top) return f->theta_top * sfd_exp(f->n2_above * (z - f->z_top) / g);
        return sounding_value(f->s, f->theta, z);
    case BASE_WEISMAN_KLEMP: {
        const double theta_there = 343, temperature_there = 213;
        if (z > storm_tropopause)
            return theta_there * sfd_exp(g * (z - storm_tropopause) / (f->c->cp * temperature_there));
        return 300 + (theta_there - 300) * storm_share(z);
    }
    case BASE_SATURATED: /* of theta_e and pressure: moist_at */
        break;
    }
    return p->base_surface_theta;
}

/* ---- water ---- */

struct moist {
    double theta, qv, qc;
};

double base_pressure(const struct base_constants *c, double pi) { return c->p00 * sfd_pow(pi, c->cp / c->R); }

double base_density(const struct base_constants *c, double theta0, double pi)
{
    return base_pressure(c, pi) / (c->R * theta0 * pi);
}

/* A sounding has vapour of its own; elsewhere it is that of saturation, or a share of it, and follows from pressure. */
static int knows_vapour(const struct air *f, double z)
{
    return f->p->base_profile == BASE_SOUNDING && !is_mixed(f, z);
}

/* What the air is at height z, with this Exner function. */
static struct moist moist_at(const struct air *f, double z, double pi)
{
    const struct base_params *const p = f->p;
    const struct base_constants *const c = f->c;
    const double pressure = knows_vapour(f, z) ? 0 : base_pressure(c, pi);
    struct moist m = {theta_at(f, z), 0, 0};
    switch ((enum base_profile)p->base_profile) {
    case BASE_SOUNDING:
        m.qv = is_mixed(f, z) ? SF_MIN(f->mixed_qv, vapour_saturated(c->vapour, c->R, m.theta * pi, pressure))
                              : vapour_at(f, z);
        return m;
    case BASE_WEISMAN_KLEMP: {
        const double qv = (1 - 0.75 * storm_share(z)) * vapour_saturated(c->vapour, c->R, m.theta * pi, pressure);
        m.qv = qv < p->base_moist_layer ? qv : p->base_moist_layer;
        return m;
    }
    case BASE_SATURATED: {
        double low = 150, high = 400; /* theta_e grows with the temperature */
        for (int n = 0; n < 60; n++) {
            const double middle = (low + high) / 2;
            const double full = vapour_saturated(c->vapour, c->R, middle, pressure);
            if (vapour_theta_e(c->vapour, c->R, c->cp, c->p00, middle, pressure, full, p->base_total_water) <
                p->base_theta_e)
                low = middle;
            else high = middle;
        }
        m.theta = low / pi;
        m.qv = vapour_saturated(c->vapour, c->R, low, pressure);
        m.qc = p->base_total_water - m.qv;
        return m;
    }
    case BASE_NEUTRAL:
    case BASE_ISOTHERMAL:
    case BASE_CONSTANT_N:
        break;
    }
    m.qv = p->base_relative_humidity * vapour_saturated(c->vapour, c->R, m.theta * pi, pressure);
    return m;
}

static double theta_rho_of(const struct base_constants *c, struct moist m)
{
    return vapour_theta_rho(c->vapour, c->R, m.theta, m.qv, m.qc);
}

static double tanh_of(double x) /* x >= 0 */
{
    const double e = sfd_exp(-2 * x);
    return (1 - e) / (1 + e);
}

/* How many heights the table of the wind has: those that are not given are below 0. */
static int table_levels(const struct base_params *p)
{
    const int most = (int)(sizeof p->base_table_z / sizeof p->base_table_z[0]);
    int n = 0;
    while (n < most && p->base_table_z[n] >= 0) n++;
    return n;
}

/* The share of the way from low to high: 0 below, 1 above. */
static double between(double z, double low, double high)
{
    const double x = (z - low) / (high - low);
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

static void wind_at(const struct air *f, double z, double *u, double *v)
{
    const struct base_params *p = f->p;
    double share = 0; /* of the way from the lower to the upper wind */
    *u = *v = 0;
    switch ((enum base_wind)p->base_wind) {
    case WIND_CALM:
        return;
    case WIND_CONSTANT:
        break;
    case WIND_SHEAR:
        share = between(z, p->base_shear_bottom, p->base_shear_top);
        break;
    case WIND_TANH: {
        const double x = (z - p->base_shear_bottom) / (p->base_shear_top - p->base_shear_bottom);
        if (x > 0) share = tanh_of(x);
        break;
    }
    case WIND_QUARTER:
    case WIND_HALF: { /* around a circle that begins at the wind on the ground and turns clockwise; then straight on */
        const double r = p->base_turn_radius, turn = (p->base_wind == WIND_HALF ? 1 : 0.5) * 3.14159265358979323846;
        const double angle = turn * between(z, 0, p->base_turn_top);
        const double x = p->base_wind_u + r * (1 - sfd_cos(angle)), y = p->base_wind_v + r * sfd_sin(angle);
        share = between(z, p->base_turn_top, p->base_shear_top);
        *u = x + share * (p->base_wind_u_top - x);
        *v = y + share * (p->base_wind_v_top - y);
        return;
    }
    case WIND_TABLE:
        *u = sounding_line(SF_MAX(table_levels(p), 1), p->base_table_z, p->base_table_u, z);
        *v = sounding_line(SF_MAX(table_levels(p), 1), p->base_table_z, p->base_table_v, z);
        return;
    case WIND_SOUNDING:
        *u = sounding_value(f->s, f->s->u, z);
        *v = sounding_value(f->s, f->s->v, z);
        return;
    }
    *u = p->base_wind_u + share * (p->base_wind_u_top - p->base_wind_u);
    *v = p->base_wind_v + share * (p->base_wind_v_top - p->base_wind_v);
}

/* Above a sounding: the N^2 of its uppermost kilometre, at least that of an isothermal layer, at most twice
 * that, since a sounding that ends inside an inversion says nothing about what lies above the inversion. */
static void continue_above(struct air *f, double highest, double lid, struct notes *notes)
{
    const struct sounding *s = f->s;
    const struct base_constants *c = f->c;
    const int top = s->n - 1;
    f->z_top = s->z[top];
    f->theta_top = f->theta[top];
    double below = f->z_top - 1000;
    if (below < s->z[0]) below = s->z[0];
    const double slope = (f->theta_top - sounding_value(s, f->theta, below)) / (f->z_top - below);
    const double found = c->g / f->theta_top * slope;
    const double temperature = f->theta_top * sfd_pow(s->pressure[top] / c->p00, c->R / c->cp);
    const double least = c->g * c->g / (c->cp * temperature), most = 2 * least;
    f->n2_above = found < least ? least : found > most ? most : found;
    if (highest > f->z_top)
        notes_add(notes,
                  "base: the sounding ends at %.0f m, the domain at %.0f m; above, N = %.4f 1/s (%s) and the "
                  "wind is constant",
                  f->z_top, lid, sqrt(f->n2_above),
                  found < least  ? "isothermal"
                  : found > most ? "twice the isothermal N^2, less than the inversion at its top"
                                 : "as in its uppermost kilometre");
    if (highest > f->z_top && c->vapour && s->qv[top] > vapour_least)
        notes_add(
            notes,
            "base: vapour above the sounding, which ends with %.2g g/kg, falls by a factor e every %.0f m, down to %.1g "
            "g/kg; give the sounding levels up to the lid to have another",
            1e3 * s->qv[top], vapour_scale, 1e3 * vapour_least);
}

/* ---- afternoon: the air of a morning's sounding, after the sun has warmed the ground ---- */

/* What tells which of two airs under one pressure is lighter: theta with its vapour, in a dry model virtual. */
static double lightness(const struct air *f, double theta, double qv)
{
    return f->c->vapour ? theta_rho_of(f->c, (struct moist){theta, qv, 0}) : sounding_virtual(theta, qv);
}

static double lightness_observed(const struct air *f, double z)
{
    const double theta = theta_at(f, z);
    return f->c->vapour ? lightness(f, theta, vapour_at(f, z)) : theta;
}

/* The height up to which air of the ground, of potential temperature theta, is lighter than the air around it, and the
 * vapour that it has: what is given, else (below 0) as much as was observed up to there, by the mass of dry air.
 * Steps of 1 m by the midpoint, the last cut by a straight line. */
static double mixed_find(const struct air *f, double theta, double vapour_given, double lid, double *mixed)
{
    const struct base_constants *const c = f->c;
    const double step = 1, qv_ground = sounding_value(f->s, f->s->qv, 0);
    *mixed = vapour_given >= 0 ? vapour_given : qv_ground;
    double pi = f->pi_s, dry = 0, vapour = 0, before = lightness(f, theta, *mixed) - lightness_observed(f, 0);
    if (!(before > 0)) return 0;
    for (double z = 0; z < lid; z += step) {
        const double middle = z + step / 2, around = lightness_observed(f, middle);
        const double qv = vapour_at(f, middle);
        const double half = pi - c->g * step / (2 * c->cp * around);
        if (!(half > 0)) break;
        const double mass = sfd_pow(half, c->cp / c->R - 1) / (around * (1 + qv));
        dry += mass, vapour += mass * qv;
        pi -= c->g * step / (c->cp * around);
        const double mean = vapour_given < 0 ? vapour / dry : vapour_given;
        const double now = lightness(f, theta, mean) - lightness_observed(f, z + step);
        const double share = now > 0 ? 1 : before / (before - now);
        *mixed += share * (mean - *mixed);
        if (!(now > 0)) return z + step * share;
        before = now;
    }
    return lid;
}

static void mixed_tell(const struct base_state *b, const struct air *f, double ground, struct notes *notes)
{
    const struct base_params *const p = f->p;
    notes_add(
        notes,
        "base: afternoon of %.2f K at the ground: mixed to %.0f m, theta %.2f K, vapour %.2f g/kg (%s); the wind is "
        "as observed%s",
        p->base_afternoon_temperature, f->mixed_top, f->mixed_theta, 1e3 * f->mixed_qv,
        p->base_afternoon_dewpoint > 0 ? "of base%afternoon_dewpoint" : "as much as was observed in this layer",
        b->z[0] - ground < f->mixed_top ? "" : "; no level of the grid lies so low: nothing changes");
    for (int k = 0; k < b->nk && b->z[k] - ground < f->mixed_top && f->c->vapour; k++) {
        if (!(b->qv[k] < f->mixed_qv)) continue;
        notes_add(
            notes,
            "base: the mixed layer is saturated from %.0f m up; there it has the vapour of saturation, %.2f g/kg at "
            "least; lower base%%afternoon_dewpoint, or raise base%%afternoon_temperature",
            b->z[k] - ground, 1e3 * b->qv[k]);
        return;
    }
}

static int afternoon_make(struct base_state *b, struct air *f, double lid)
{
    const struct base_params *const p = f->p;
    const double warm = p->base_afternoon_temperature, dewpoint = p->base_afternoon_dewpoint;
    const double theta = warm / f->pi_s, observed = f->s->theta[0] * f->pi_s;
    SF_CHECK(
        warm > observed, SF_NAMELIST,
        "base%%afternoon_temperature = %g K is not above the %.2f K that the sounding has at the ground; give it in "
        "kelvin and warmer, or 0 for the air as observed",
        warm, observed);
    const double given = dewpoint > 0 ? sounding_saturation(dewpoint - VAPOUR_ZERO, b->surface_pressure) : -1;
    double qv = 0;
    const double top = mixed_find(f, theta, given, lid, &qv);
    SF_CHECK(
        top > 0, SF_NAMELIST,
        "air of %g K and a dew point of %g K is no lighter than the sounding's at the ground, which is moister; raise "
        "base%%afternoon_dewpoint or base%%afternoon_temperature",
        warm, dewpoint);
    SF_CHECK(
        top < lid, SF_NAMELIST,
        "air of base%%afternoon_temperature = %g K, lifted dry from the ground, stays lighter than the sounding's up to the "
        "lid at %.0f m; lower the temperature",
        warm, lid);
    f->mixed_top = b->mixed_top = top, f->mixed_theta = b->mixed_theta = theta, f->mixed_qv = b->mixed_qv = qv;
    return 0;
}

static int memory_make(struct base_state *b, int nk)
{
    const size_t levels = (size_t)nk + 2 * GHOSTS;
    *b = (struct base_state){.nk = nk};
    b->memory = calloc(PROFILES * levels, sizeof *b->memory);
    SF_CHECK(b->memory, SF_MEMORY, "no memory for a base state of %d levels", nk);
    double **const member[PROFILES] = {&b->z,  &b->theta0,   &b->pi0,    &b->rho0,  &b->p0, &b->u0,
                                       &b->v0, &b->theta0_f, &b->rho0_f, &b->theta, &b->qv, &b->qc};
    for (int n = 0; n < PROFILES; n++) *member[n] = b->memory + (size_t)n * levels + GHOSTS;
    return 0;
}

static double temperature_at(const struct base_state *b, int k) { return b->theta[k] * b->pi0[k]; }

static int temperature_check(const struct base_state *b)
{
    for (int k = 0; k < b->nk; k++) {
        const double t = temperature_at(b, k);
        SF_CHECK(
            t >= BASE_COLDEST && t <= BASE_HOTTEST, SF_NAMELIST,
            "this atmosphere has a temperature of %.4g K at %.0f m, where air is a gas of %d to %d K; lower the domain (grid%%nz, grid%%dz) "
            "or choose a %s stable profile",
            t, b->z[k], BASE_COLDEST, BASE_HOTTEST, t < BASE_COLDEST ? "more" : "less");
    }
    return 0;
}

/* Moist air at height z: vapour at saturation depends on pressure, and that on the vapour, so in turns, until pressure
 * stays. pi_next, theta_next: so far below, dz. */
static struct base_point moist_point(const struct air *f, double z, double pi_next, double theta_next, double dz)
{
    const struct base_constants *const c = f->c;
    double pi = pi_next - c->g * dz / (c->cp * theta_next), before = 0;
    struct moist m = moist_at(f, z, pi);
    for (int turn = 0; turn < 40 && (pi < before || pi > before); turn++) {
        if (turn && !knows_vapour(f, z)) m = moist_at(f, z, pi);
        before = pi;
        pi = pi_next - c->g * dz / (c->cp * ((theta_next + theta_rho_of(c, m)) / 2));
    }
    if (!knows_vapour(f, z)) m = moist_at(f, z, pi);
    return (struct base_point){theta_rho_of(c, m), m.theta, pi, m.qv, m.qc};
}

/* pi0 is that of the level above or below, or the ground's half a cell below. */
static void moist_level(struct base_state *b, const struct air *f, int k, double z, double pi_next, double theta_next,
                        double dz)
{
    const struct base_point p = moist_point(f, z, pi_next, theta_next, dz);
    b->theta[k] = p.theta, b->qv[k] = p.qv, b->qc[k] = p.qc, b->theta0[k] = p.theta0, b->pi0[k] = p.pi0;
}

static double moist_fill(struct base_state *b, const struct air *f, const double *z_c, double ground)
{
    const double theta_ground = theta_rho_of(f->c, moist_at(f, 0, f->pi_s));
    moist_level(b, f, 0, z_c[0] - ground, f->pi_s, theta_ground, z_c[0] - ground);
    for (int k = 1; k < b->nk + GHOSTS; k++)
        moist_level(b, f, k, z_c[k] - ground, b->pi0[k - 1], b->theta0[k - 1], z_c[k] - z_c[k - 1]);
    for (int k = -1; k >= -GHOSTS; k--)
        moist_level(b, f, k, z_c[k] - ground, b->pi0[k + 1], b->theta0[k + 1], z_c[k] - z_c[k + 1]);
    return theta_ground;
}

static int saturated_check(const struct base_state *b)
{
    for (int k = 0; k < b->nk; k++)
        SF_CHECK(
            b->qc[k] >= 0, SF_NAMELIST,
            "air of this theta_e holds %.4g kg/kg of vapour at %.0f m, more than base%%total_water = %.4g; give it more "
            "water, or less theta_e",
            b->qv[k], b->z[k], b->qv[k] + b->qc[k]);
    return 0;
}

/* theta0 and the wind from the profile; pi0 from the ground upwards, and downwards into the ghost levels. */
static int columns_fill(struct base_state *b, const struct air *f, const double *z_c, double ground)
{
    const struct base_constants *c = f->c;
    const int nk = b->nk, end = nk + GHOSTS;
    for (int k = -GHOSTS; k < end; k++) {
        b->z[k] = z_c[k];
        wind_at(f, z_c[k] - ground, &b->u0[k], &b->v0[k]);
        if (!c->vapour) b->theta[k] = b->theta0[k] = theta_at(f, z_c[k] - ground);
    }
    const double theta_ground = c->vapour ? moist_fill(b, f, z_c, ground) : theta_at(f, 0);
    for (int k = 1 - GHOSTS; k < end; k++) b->theta0_f[k] = (b->theta0[k - 1] + b->theta0[k]) / 2;
    if (c->vapour) SF_TRY(saturated_check(b));
    const double theta_half = (theta_ground + b->theta0[0]) / 2;
    b->pi0[0] = f->pi_s - c->g * (z_c[0] - ground) / (c->cp * theta_half);
    for (int k = 1; k < end; k++) b->pi0[k] = b->pi0[k - 1] - c->g * (z_c[k] - z_c[k - 1]) / (c->cp * b->theta0_f[k]);
    for (int k = 0; k > -GHOSTS; k--)
        b->pi0[k - 1] = b->pi0[k] + c->g * (z_c[k] - z_c[k - 1]) / (c->cp * b->theta0_f[k]);
    for (int k = -GHOSTS; k < end; k++) {
        SF_CHECK(
            b->pi0[k] > 0, SF_NAMELIST,
            "this atmosphere has no air left at %.0f m, below the lid of the domain or its two ghost levels; lower the "
            "domain (grid%%nz, grid%%dz) or choose a more stable profile",
            z_c[k]);
        b->p0[k] = base_pressure(c, b->pi0[k]);
        b->rho0[k] = base_density(c, b->theta0[k], b->pi0[k]);
        SF_CHECK(
            b->rho0[k] > 0 && b->theta0[k] < 1e30, SF_NAMELIST,
            "potential temperature out of bounds at %.0f m; lower the domain (grid%%nz, grid%%dz) or choose a less "
            "stable profile",
            z_c[k]);
        if (k > -GHOSTS) b->rho0_f[k] = (b->rho0[k - 1] + b->rho0[k]) / 2;
    }
    return temperature_check(b);
}

/* WMO: the lowest level with a lapse rate of at most 2 K/km from there to every level of the next 2 km. From
 * 5 km up, so that inversions near the ground do not count. */
static double tropopause_find(const struct base_state *b)
{
    for (int k = 0; k < b->nk && b->z[b->nk - 1] >= b->z[k] + 2000; k++) {
        int stable = b->z[k] >= 5000;
        for (int m = k + 1; m < b->nk && stable && b->z[m - 1] < b->z[k] + 2000; m++)
            stable = temperature_at(b, m) - temperature_at(b, k) >= -2e-3 * (b->z[m] - b->z[k]);
        if (stable) return b->z[k];
    }
    return -1;
}

static void figures_fill(struct base_state *b, const struct base_constants *c)
{
    struct base_figures *f = &b->figures;
    const int nk = b->nk;
    *f = (struct base_figures){.temperature_min = INFINITY, .n2_min = INFINITY, .n2_max = -INFINITY};
    for (int k = 0; k < nk; k++) {
        const double t = temperature_at(b, k), speed = sqrt(b->u0[k] * b->u0[k] + b->v0[k] * b->v0[k]);
        if (t < f->temperature_min) f->temperature_min = t;
        if (t > f->temperature_max) f->temperature_max = t;
        if (speed > f->wind_max) f->wind_max = speed, f->wind_max_z = b->z[k];
        if (k == 0) continue;
        const double dz = b->z[k] - b->z[k - 1], n2 = c->g / b->theta0_f[k] * (b->theta0[k] - b->theta0[k - 1]) / dz;
        const double z_f = (b->z[k] + b->z[k - 1]) / 2;
        if (n2 < f->n2_min) f->n2_min = n2, f->n2_min_z = z_f;
        if (n2 > f->n2_max) f->n2_max = n2, f->n2_max_z = z_f;
    }
    int high = 0;
    while (high + 1 < nk && b->z[high] < 6000) high++;
    const double f6 = b->z[high] > 6000 && high > 0 ? (6000 - b->z[high - 1]) / (b->z[high] - b->z[high - 1]) : 1;
    const int low = high > 0 ? high - 1 : 0;
    const double du = b->u0[low] + f6 * (b->u0[high] - b->u0[low]) - b->u0[0];
    const double dv = b->v0[low] + f6 * (b->v0[high] - b->v0[low]) - b->v0[0];
    f->shear = sqrt(du * du + dv * dv);
    f->shear_z = b->z[high] < 6000 ? b->z[high] : 6000;
    f->sound_max = sqrt(c->cp / (c->cp - c->R) * c->R * f->temperature_max);
    f->pressure_top = b->p0[nk - 1];
    f->tropopause = tropopause_find(b);
}

static int air_make(struct base_state *b, struct air *f, struct sounding *s, const char *namelist_dir,
                    const double *z_c, double ground, double lid, struct notes *notes)
{
    const struct base_params *p = f->p;
    const int theta_from_file = p->base_profile == BASE_SOUNDING;
    b->surface_pressure = p->base_surface_pressure;
    if (theta_from_file || p->base_wind == WIND_SOUNDING) {
        char *const path = b->sounding;
        SF_TRY(sounding_find(p->base_sounding, namelist_dir, path, sizeof b->sounding));
        SF_TRY(sounding_read(path, s));
        notes_add(notes, "base: sounding %s%s%s: %d levels to %.0f m above the ground, which is at %.0f m", path,
                  s->title[0] ? ", " : "", s->title, s->n, s->z[s->n - 1], s->elevation);
        notes_append(notes, &s->notes);
        f->s = s;
    }
    if (theta_from_file) {
        b->surface_pressure = s->surface_pressure;
        f->theta = f->c->vapour ? s->theta : s->theta_v;
        notes_add(notes, "base: surface pressure %.1f hPa from the sounding; base%%surface_pressure is not used",
                  s->surface_pressure / 100);
        for (int k = 0; k < s->n && !f->c->vapour; k++) b->is_moist |= s->qv[k] > 0;
        if (!f->c->vapour)
            notes_add(notes, "base: dry model: the sounding's virtual potential temperature serves as theta%s",
                      b->is_moist ? "; output names temperatures as virtual" : "");
        continue_above(f, z_c[b->nk - 1] - ground, lid - ground, notes);
    }
    f->pi_s = sfd_pow(b->surface_pressure / f->c->p00, f->c->R / f->c->cp);
    const int is_warmed = theta_from_file && p->base_afternoon_temperature > 0;
    if (is_warmed) SF_TRY(afternoon_make(b, f, lid - ground));
    b->is_moist |= is_warmed && !f->c->vapour && f->mixed_qv > 0;
    SF_TRY(columns_fill(b, f, z_c, ground));
    if (is_warmed) mixed_tell(b, f, ground, notes);
    return 0;
}

static void afternoon_check(const struct base_params *p, struct complaints *to)
{
    const double warm = p->base_afternoon_temperature, dewpoint = p->base_afternoon_dewpoint;
    if (warm > 0 && p->base_profile != BASE_SOUNDING)
        sf_complain(
            to, "base%afternoon_temperature base%profile", -1,
            "an afternoon warms the air of a sounding: give profile = 'sounding', or leave afternoon_temperature out");
    if (dewpoint > 0 && !(warm > 0))
        sf_complain(to, "base%afternoon_dewpoint base%afternoon_temperature", -1,
                    "afternoon_dewpoint is of an afternoon's air: give afternoon_temperature, too");
    else if (dewpoint > warm)
        sf_complain(to, "base%afternoon_dewpoint base%afternoon_temperature", -1,
                    "a dew point of %g K cannot lie above the temperature of %g K", dewpoint, warm);
    else if (dewpoint > 0 && dewpoint < COLDEST_DEWPOINT)
        sf_complain(to, "base%afternoon_dewpoint", -1,
                    "a dew point of %g K is none of this Earth's ground: give it in kelvin", dewpoint);
}

void base_check(const struct base_params *p, struct complaints *to)
{
    afternoon_check(p, to);
    const int turns = p->base_wind == WIND_QUARTER || p->base_wind == WIND_HALF;
    if (turns && !(p->base_shear_top > p->base_turn_top))
        sf_complain(to, "base%shear_top base%turn_top base%wind", -1,
                    "shear_top = %g m must lie above turn_top = %g m, where the hodograph has turned",
                    p->base_shear_top, p->base_turn_top);
    const int levels = table_levels(p);
    if (p->base_wind == WIND_TABLE && !levels)
        sf_complain(to, "base%table_z base%wind", -1,
                    "wind = 'table' needs heights: give table_z, table_u and table_v");
    for (int n = 1; n < levels && p->base_wind == WIND_TABLE; n++)
        if (!(p->base_table_z[n] > p->base_table_z[n - 1]))
            sf_complain(to, "base%table_z", n, "heights of the table must rise: %g m follows %g m", p->base_table_z[n],
                        p->base_table_z[n - 1]);
    const int sheared = p->base_wind == WIND_SHEAR || p->base_wind == WIND_TANH;
    if (sheared && !(p->base_shear_top > p->base_shear_bottom))
        sf_complain(to, "base%shear_top base%shear_bottom base%wind", -1,
                    "shear_top = %g m must lie above shear_bottom = %g m", p->base_shear_top, p->base_shear_bottom);
}

/* With all that it points to. */
struct base_air {
    struct air f;
    struct base_params p;
    struct base_constants c;
    struct sounding s;
    double ground;
};

const struct base_constants *base_constants_of(const struct base_state *b) { return &b->air->c; }

struct base_point base_air_at(const struct base_state *b, double z)
{
    const struct air *const f = &b->air->f;
    int k = -GHOSTS, end = b->nk + GHOSTS; /* of the levels from k on, before end, the last that is no higher */
    while (k + 1 < end) {
        const int middle = k + (end - k) / 2;
        if (b->z[middle] <= z) k = middle;
        else end = middle;
    }
    if (!(z < b->z[k]) && !(z > b->z[k]))
        return (struct base_point){b->theta0[k], b->theta[k], b->pi0[k], b->qv[k], b->qc[k]};
    if (f->c->vapour) return moist_point(f, z - b->air->ground, b->pi0[k], b->theta0[k], z - b->z[k]);
    const double theta = theta_at(f, z - b->air->ground);
    return (struct base_point){.theta0 = theta,
                               .theta = theta,
                               .pi0 = b->pi0[k] - f->c->g * (z - b->z[k]) / (f->c->cp * ((b->theta0[k] + theta) / 2))};
}

void base_wind_at(const struct base_state *b, double z, double *u, double *v)
{
    wind_at(&b->air->f, z - b->air->ground, u, v);
}

int base_make(struct base_state *b, const struct base_params *p, const struct base_constants *c,
              const char *namelist_dir, int nk, const double *z_c, const double *z_f, struct notes *notes)
{
    SF_TRY(memory_make(b, nk));
    struct base_air *const a = b->air = calloc(1, sizeof *a);
    if (!a) base_free(b);
    SF_CHECK(a, SF_MEMORY, "no memory for a base state");
    a->p = *p, a->c = *c, a->ground = z_f[0];
    a->f = (struct air){.p = &a->p, .c = &a->c};
    const int rc = air_make(b, &a->f, &a->s, namelist_dir, z_c, z_f[0], z_f[nk], notes);
    if (rc) {
        base_free(b);
        return rc;
    }
    figures_fill(b, c);
    if (b->figures.n2_min < -n2_neutral)
        notes_add(notes, "base: unstable at %.0f m: N^2 = %.2e 1/s2; convection may start by itself",
                  b->figures.n2_min_z, b->figures.n2_min);
    return 0;
}

void base_free(struct base_state *b)
{
    if (b->air) sounding_free(&b->air->s);
    free(b->air);
    free(b->memory);
    *b = (struct base_state){0};
}

/* N^2 over the levels. */
static void stability_describe(const struct base_figures *f, char text[160])
{
    char least[32] = "neutral (0)", most[32] = "neutral (0)";
    if (fabs(f->n2_min) > n2_neutral) snprintf(least, sizeof least, "%.3e 1/s2", f->n2_min);
    if (fabs(f->n2_max) > n2_neutral) snprintf(most, sizeof most, "%.3e 1/s2", f->n2_max);
    if (fabs(f->n2_min) > n2_neutral || fabs(f->n2_max) > n2_neutral)
        snprintf(text, 160, "N^2 from %s at %.0f m to %s at %.0f m", least, f->n2_min_z, most, f->n2_max_z);
    else snprintf(text, 160, "N^2 = 0: neutral at all heights");
}

void base_describe(const struct base_state *b, char *out, size_t size)
{
    const struct base_figures *f = &b->figures;
    char tropopause[48] = "none", stability[160];
    stability_describe(f, stability);
    if (f->tropopause >= 0) snprintf(tropopause, sizeof tropopause, "%.0f m", f->tropopause);
    snprintf(out, size,
             "surface pressure %.1f hPa, at the top %.1f hPa; %stemperature %.1f to %.1f K, sound up to %.1f m/s\n"
             "%s; tropopause: %s\n"
             "wind up to %.1f m/s at %.0f m; shear from the lowest level to %.0f m: %.1f m/s\n",
             b->surface_pressure / 100, f->pressure_top / 100, b->is_moist ? "virtual " : "", f->temperature_min,
             f->temperature_max, f->sound_max, stability, tropopause, f->wind_max, f->wind_max_z, f->shear_z, f->shear);
}
