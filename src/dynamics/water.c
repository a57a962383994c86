/* The water of a case: what its formulas take, and what a namelist can have wrong about it.
 * SPDX-License-Identifier: MIT */
#include "dynamics/water.h"

#include "dynamics/dynamics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of &water saturation: Bolton (1980), Tetens (1930). */
static struct vapour vapour_of(const struct dynamics_params *p)
{
    static const struct {
        double at_zero, slope, offset;
    } formula[] = {{611.2, 17.67, VAPOUR_ZERO - 243.5}, {610.78, 17.27, VAPOUR_ZERO - 237.3}};
    const int n = p->water_saturation;
    return (struct vapour){p->water_vapour_gas_constant,
                           p->water_vapour_heat_capacity,
                           p->water_liquid_heat_capacity,
                           p->water_latent_heat,
                           formula[n].at_zero,
                           formula[n].slope,
                           formula[n].offset};
}

void water_make(struct dynamics *d, const struct dynamics_params *p)
{
    const struct vapour w = vapour_of(p);
    const double R = d->R, cp = d->cp_d, cv = d->cv, cvv = w.cpv - w.Rv;
    const int simple = p->water_equations == EQUATIONS_SIMPLE;
    d->vapour = w;
    d->phase = (p->water_scheme == SCHEME_KESSLER ? PHASE_RAINS : 0) + (simple ? PHASE_SIMPLE : 0);
    d->vapour_ratio = (real)(w.Rv / R);
    d->heat_dry = (real)cv, d->heat_vapour = (real)cvv, d->heat_liquid = (real)w.cl;
    d->pi_by_vapour = simple ? R(0.0) : (real)(R / (cp * cv) * (cp * w.Rv - R * w.cpv));
    d->pi_by_liquid = simple ? R(0.0) : (real)(R / (cp * cv) * R * w.cl);
    d->theta_by_vapour = simple ? R(0.0) : (real)(w.Rv - R / cp * w.cpv);
    d->theta_by_liquid = simple ? R(0.0) : (real)(R / cp * w.cl);
    d->gas_dry = (real)R, d->gas_vapour = (real)w.Rv, d->kappa_real = (real)(R / cp);
    d->exner_density = (real)(cv / R), d->exner_pressure = (real)(cp / R);
    d->latent_0 = (real)vapour_latent(&w, 0), d->latent_slope = (real)(cvv - w.cl);
    d->latent_simple = (real)(w.latent / cp);
    d->vapour_at_zero = (real)w.at_zero, d->vapour_slope = (real)w.slope, d->zero_celsius = (real)VAPOUR_ZERO;
    d->vapour_offset = (real)w.offset, d->vapour_curve = (real)(w.slope * (VAPOUR_ZERO - w.offset));
    d->fall_speed = (real)p->water_fall_speed, d->fall_power = (real)p->water_fall_exponent;
    d->fall_density = R(1.15), d->rain_rate_auto = (real)p->water_autoconversion_rate;
    d->rain_from = (real)p->water_autoconversion_from, d->rain_accretion = (real)p->water_accretion_rate;
}

/* Keys that ask for water where there is none. */
static void dry_check(const struct dynamics_own *own, struct complaints *to)
{
    static const char remedy[] = "set &water scheme = 'kessler'";
    const struct dynamics_params *const p = &own->params;
    const int profile = p->base.base_profile;
    if (profile == BASE_WEISMAN_KLEMP || profile == BASE_SATURATED)
        sf_complain(to, "base%profile water%scheme", -1, "this profile is of moist air: %s", remedy);
    if (p->base.base_relative_humidity > 0)
        sf_complain(to, "base%relative_humidity water%scheme", -1, "relative_humidity needs water in the air: %s",
                    remedy);
    if (p->dynamics_hold_water == HOLD_ON)
        sf_complain(to, "dynamics%hold_water", -1, "hold_water needs water in the air: %s", remedy);
    for (int n = 0; n < own->perturbations; n++)
        if (p->initial_variable[n] >= INITIAL_VAPOUR && p->initial_variable[n] != INITIAL_TKE)
            sf_complain(to, "initial%variable water%scheme", n, "perturbation %d is of water, but the air is dry: %s",
                        n + 1, remedy);
}

void water_check(const struct dynamics_own *own, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    const int side[] = {p->boundary_west, p->boundary_east, p->boundary_south, p->boundary_north},
              profile = p->base.base_profile;
    int open = 0;
    for (size_t n = 0; n < sizeof side / sizeof side[0]; n++) open |= side[n] == SIDE_OPEN;
    if (p->water_scheme == SCHEME_NONE) {
        dry_check(own, to);
        return;
    }
    if (p->dynamics_hold_water == HOLD_ON && open)
        sf_complain(to, "dynamics%hold_water", -1,
                    "water leaves through an open side and cannot be held: leave hold_water 'auto'");
    if (p->dynamics_tracers + SPECIES > MEMBERS_MOST)
        sf_complain(to, "dynamics%tracers water%scheme", -1, "with water there may be %d tracers, not %d",
                    MEMBERS_MOST - SPECIES, p->dynamics_tracers);
    if (p->base.base_relative_humidity > 0 &&
        (profile == BASE_SOUNDING || profile == BASE_WEISMAN_KLEMP || profile == BASE_SATURATED))
        sf_complain_mildly(to, "base%relative_humidity base%profile", -1,
                           "this profile has humidity of its own: relative_humidity changes nothing");
    for (int n = 0; n < own->perturbations && p->water_scheme == SCHEME_SATURATION; n++)
        if (p->initial_variable[n] == INITIAL_RAIN)
            sf_complain(to, "initial%variable water%scheme", n,
                        "perturbation %d is of rain, which scheme = 'saturation' lets neither fall nor evaporate: set "
                        "&water scheme = 'kessler'",
                        n + 1);
}
