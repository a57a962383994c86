/* Values of &water, &surface and &turbulence that are allowed, and unlike those of this Earth: most of them are in
 * other units than the key's. And open sides between which waves grow. SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"

#include "dynamics/limits.h"
#include "pipeline/error.h"

#include <math.h>
#include <string.h>

/* A number of which nature has from `least` to `most`. */
struct usual {
    const char *key;
    double value, least, most;
    const char *why;
};

static void usual_check(const struct usual *u, int n, struct complaints *to)
{
    for (; n > 0; n--, u++)
        if (!(u->value >= u->least && u->value <= u->most))
            sf_complain_mildly(to, u->key, -1, "%s is %g: %s", strchr(u->key, '%') + 1, u->value, u->why);
}
#define COUNT(list) (int)(sizeof list / sizeof list[0])

static void water_doubt(const struct dynamics_params *p, struct complaints *to)
{
    const struct usual of_water[] = {
        {"water%vapour_gas_constant", p->water_vapour_gas_constant, 400, 520, "that of vapour is 461.5 J/kg/K"},
        {"water%vapour_heat_capacity", p->water_vapour_heat_capacity, 1500, 2500,
         "that of vapour is 1870 J/kg/K at constant pressure"},
        {"water%liquid_heat_capacity", p->water_liquid_heat_capacity, 3500, 5000, "that of water is 4190 J/kg/K"},
        {"water%latent_heat", p->water_latent_heat, 2e6, 3e6, "that of water is 2.501e6 J/kg at 0 degrees Celsius"}};
    if (p->water_scheme == SCHEME_NONE) return;
    if (!(p->water_vapour_heat_capacity > p->water_vapour_gas_constant))
        sf_complain(to, "water%vapour_heat_capacity water%vapour_gas_constant", -1,
                    "vapour_heat_capacity must exceed vapour_gas_constant");
    else usual_check(of_water, COUNT(of_water), to);
    if (p->water_scheme != SCHEME_KESSLER) return;
    /* 1 g of rain in a m3 of air of 1.15 kg/m3. The largest drops fall with 9.2 m/s, drizzle of 0.2 mm with 0.7 m/s
     * (Gunn and Kinzer 1949). */
    const double speed = p->water_fall_speed * pow(1e-3, p->water_fall_exponent);
    if (speed > 12)
        sf_complain_mildly(
            to, "water%fall_speed water%fall_exponent", -1,
            "1 g/m3 of rain falls with %.3g m/s, and the largest drops with 9.2 m/s: 14.34 is of rain in "
            "kg/m3, 36.34 of rain in g/cm3",
            speed);
    else if (speed < 0.5)
        sf_complain_mildly(
            to, "water%fall_speed water%fall_exponent", -1,
            "1 g/m3 of rain falls with %.3g m/s, and drizzle with 0.7 m/s: the rain stays where it is made; "
            "14.34 is of rain in kg/m3",
            speed);
    /* Kessler's own are 1e-3 and 2.2. */
    const struct usual of_rain[] = {{"water%autoconversion_rate", p->water_autoconversion_rate, 1e-5, 0.1,
                                     p->water_autoconversion_rate > 0
                                         ? "a share of the cloud in a second; Kessler's (1969) is 1e-3"
                                         : "no cloud makes rain: leave it out, or set scheme = 'saturation'"},
                                    {"water%accretion_rate", p->water_accretion_rate, 0.1, 20,
                                     p->water_accretion_rate > 0 ? "of cloud and rain in kg/kg; Kessler's (1969) is 2.2"
                                                                 : "rain collects no cloud; Kessler's (1969) is 2.2"}};
    usual_check(of_rain, COUNT(of_rain), to);
    /* The wettest clouds hold 10 g/kg. */
    if (p->water_autoconversion_from > 0.02)
        sf_complain_mildly(
            to, "water%autoconversion_from", -1,
            "autoconversion_from is %g kg/kg, more than any cloud holds: none makes rain; 1 g/kg is 1e-3",
            p->water_autoconversion_from);
}

/* What the sun gives, 1361 W/m2, over density and heat of air by the sea, 1.2 kg/m3 and 1004.5 J/kg/K, or heat of
 * vaporisation. */
static const double sun_warms = 1.13, sun_wets = 4.5e-4; /* K m/s; m/s */

static void flux_doubt(const struct dynamics_params *p, struct complaints *to)
{
    const double heat = fabs(p->surface_heat_flux), vapour = fabs(p->surface_vapour_flux);
    if (!(heat > 0 || vapour > 0))
        sf_complain_mildly(to, "surface%heat surface%heat_flux", -1,
                           "heat = 'flux', and neither heat_flux nor vapour_flux is given: the ground gives nothing");
    if (heat > sun_warms)
        sf_complain_mildly(to, "surface%heat_flux", -1,
                           "heat_flux is %g K m/s, about %.2g W/m2, more than the sun gives: 0.1 K m/s is about 120 "
                           "W/m2",
                           p->surface_heat_flux, 1205 * p->surface_heat_flux);
    if (vapour > sun_wets)
        sf_complain_mildly(
            to, "surface%vapour_flux", -1,
            "vapour_flux is %g m/s, about %.2g W/m2 of latent heat, more than the sun gives: 1e-4 m/s is "
            "about 300 W/m2",
            p->surface_vapour_flux, 3e6 * p->surface_vapour_flux);
}

static void surface_doubt(const struct dynamics_own *own, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    const struct usual by_coefficient[] = {{"surface%drag_coefficient", p->surface_drag_coefficient, 0, 0.1,
                                            "over the sea it is about 1e-3, over woods and towns 1e-2"}},
                       by_friction[] = {{"surface%friction_velocity", p->surface_friction_velocity, 0, 3,
                                         "in a gale it is about 1 m/s, in a hurricane 3 m/s"}};
    if (p->surface_drag == DRAG_COEFFICIENT) usual_check(by_coefficient, COUNT(by_coefficient), to);
    if (p->surface_drag == DRAG_FRICTION) usual_check(by_friction, COUNT(by_friction), to);
    if (p->surface_heat == HEAT_FLUX) flux_doubt(p, to);
    if (p->surface_heat != HEAT_TEMPERATURE) return;
    /* A clear day warms dry ground by 10 K in an hour at most. */
    if (fabs(p->surface_temperature_rate) > 0.01)
        sf_complain_mildly(
            to, "surface%temperature_rate", -1,
            "temperature_rate is %g K/s: the ground changes by %.4g K in an hour; 1 K an hour is 2.78e-4",
            p->surface_temperature_rate, 3600 * fabs(p->surface_temperature_rate));
    if (own->ctx.over || !(own->ground.least[GROUND_TEMPERATURE] > 0)) return; /* air lies at many heights */
    const double air = own->base.theta[0] * own->base.pi0[0], cold = own->ground.least[GROUND_TEMPERATURE],
                 warm = own->ground.most[GROUND_TEMPERATURE], ground = air - cold > warm - air ? cold : warm;
    if (fabs(ground - air) > 40)
        sf_complain_mildly(to, "surface%temperature", -1,
                           "the ground has %g K, and the air at %g m above it %.4g K: it is to be the temperature of "
                           "the ground itself, in K",
                           ground, own->base.z[0], air);
}

void doubts_check(const struct dynamics_own *own, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    water_doubt(p, to);
    surface_doubt(own, to);
    const int mixes = p->turbulence_closure == CLOSURE_SMAGORINSKY;
    if (mixes && !(p->turbulence_smagorinsky_constant > 0) && !(p->turbulence_mixing_length > 0))
        sf_complain_mildly(to, "turbulence%smagorinsky_constant turbulence%closure", -1,
                           "a smagorinsky_constant of 0 mixes nothing: leave it out, or set closure = 'none'");
    else if (mixes && p->turbulence_smagorinsky_constant > 0.3)
        sf_complain_mildly(
            to, "turbulence%smagorinsky_constant", -1,
            "smagorinsky_constant is %g: theory has 0.17 (Lilly 1967), and models take 0.1 to 0.25; what "
            "is mixed grows with its square",
            p->turbulence_smagorinsky_constant);
}

/* ---- open sides that the wind goes in and out through ---- */

/* m/s: of the fastest internal wave, the integral of N over pi; of the wind, its mean over the mass. */
struct through {
    double waves, wind_u, wind_v;
};

static struct through through_of(const struct dynamics_own *own, const struct grid *g)
{
    const struct base_state *const b = &own->base;
    struct through t = {0, 0, 0};
    double mass = 0;
    for (int k = 0; k <= g->nz; k++) { /* faces; half of what is around the ground and the lid is in the domain */
        const double dz = b->z[k] - b->z[k - 1], n2 = own->ctx.g / dz * log(b->theta0[k] / b->theta0[k - 1]);
        if (n2 > 0) t.waves += sqrt(n2) * dz * (k == 0 || k == g->nz ? 0.5 : 1) / acos(-1);
    }
    for (int k = 0; k < g->nz; k++) {
        const double part = b->rho0[k] * (g->z_f[k + 1] - g->z_f[k]);
        mass += part, t.wind_u += part * (b->u0[k] - own->ctx.translation[0]),
            t.wind_v += part * (b->v0[k] - own->ctx.translation[1]);
    }
    t.wind_u = fabs(t.wind_u / mass), t.wind_v = fabs(t.wind_v / mass);
    return t;
}

/* Measured (docs/numerics.md): of sides that give back 0.53 of the fastest wave and more waves grew, of 0.28 and less
 * they took ten crossings to be seen, and over a ridge they are seen after 1.1 to 1.5 crossings. */
static const double returned_much = 0.5, crossings_many = 1.5;

static void sides_doubt(const struct instance *in, const char *keys, double wind, double waves, double length)
{
    const struct dynamics_params *const p = &((const struct dynamics_own *)in->own)->params;
    const double speed = p->dynamics_open_phase_speed, back = limits_returned(waves, wind, speed),
                 crossings = wind * in->config->time_duration / length;
    if (!(back > returned_much && crossings > crossings_many)) return;
    sf_complain_mildly(
        in->complaints, keys, -1,
        "the wind, %.3g m/s in the mean, crosses the domain %.2g times from one open side to the other, and "
        "where it enters open_phase_speed = %g gives back %.2g of the fastest internal wave, of %.3g m/s: "
        "stationary waves can grow between the two sides; set open_phase_speed = %.0f and open_leaving_speed = %.0f, "
        "or make the domain longer",
        wind, crossings, speed, back, waves, ceil(SF_MIN(waves, 400)), round(wind));
}

void doubts_sides(const struct instance *in)
{
    const struct dynamics_own *const own = in->own;
    const struct dynamics *const d = &own->ctx;
    const struct grid *const g = in->grid;
    if (own->driver.file) return; /* it leads what the sides would let grow */
    const struct through t = through_of(own, g);
    if (d->open[FACE_W] && d->open[FACE_E])
        sides_doubt(in, "dynamics%open_phase_speed boundary%west", t.wind_u, t.waves, g->nx * g->dx);
    if (d->open[FACE_S] && d->open[FACE_N])
        sides_doubt(in, "dynamics%open_phase_speed boundary%south", t.wind_v, t.waves, g->ny * g->dy);
}
