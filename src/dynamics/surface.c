/* The ground of a case: what its formulas take, and what a namelist can have wrong about it.
 * SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"

#include <stdio.h>

void surface_make(struct dynamics *d, const struct dynamics_params *p, const struct grid *g)
{
    d->surface = (struct surface_numbers){.drag = p->surface_drag,
                                          .heat = p->surface_heat,
                                          .height = (real)g->z_c[0],
                                          .roughness_heat = (real)p->surface_roughness_heat,
                                          .coefficient = (real)p->surface_drag_coefficient,
                                          .friction = (real)p->surface_friction_velocity,
                                          .flux = (real)p->surface_heat_flux,
                                          .vapour = d->species ? (real)p->surface_vapour_flux : R(0.0),
                                          .viscosity = (real)p->dynamics_viscosity,
                                          .temperature = p->surface_temperature,
                                          .rate = p->surface_temperature_rate,
                                          .translation = {(real)d->translation[0], (real)d->translation[1]}};
    if (p->surface_heat != HEAT_FLUX) d->surface.flux = d->surface.vapour = R(0.0);
    if (p->surface_drag == DRAG_FRICTION && !(p->surface_roughness_heat > 0))
        d->surface.roughness_heat = (real)p->surface_roughness;
}

/* What the base state knows of the ground. */
void surface_settle(struct dynamics *d, const struct base_state *b)
{
    const double exner = sfd_pow(b->surface_pressure / d->p00, d->kappa);
    d->surface.pressure = (real)b->surface_pressure, d->surface.exner = (real)exner;
    /* From the lowest level to 2 m. */
    d->surface.exner_down = (real)(d->g * (b->z[0] - 2) / (d->cp_d * b->theta0[0]));
}

void surface_check(const struct dynamics_own *own, const struct grid *g, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    const int drag = p->surface_drag, heat = p->surface_heat;
    const double length = SF_MAX(drag == DRAG_FRICTION ? p->surface_roughness : 0, p->surface_roughness_heat);
    if (drag == DRAG_NONE && heat == HEAT_TEMPERATURE)
        sf_complain(
            to, "surface%heat surface%drag", -1,
            "what a ground of a given temperature warms follows from its drag: set &surface drag = 'roughness'");
    if (drag == DRAG_COEFFICIENT && !(p->surface_drag_coefficient > 0))
        sf_complain(to, "surface%drag_coefficient surface%drag", -1,
                    "drag = 'coefficient' needs a drag_coefficient above 0");
    if (drag == DRAG_FRICTION && !(p->surface_friction_velocity > 0))
        sf_complain(to, "surface%friction_velocity surface%drag", -1,
                    "drag = 'friction' needs a friction_velocity above 0 m/s");
    if (drag == DRAG_NO_SLIP && p->dynamics_mixing != MIXING_CONSTANT)
        sf_complain(
            to, "surface%drag dynamics%mixing", -1,
            "drag = 'no_slip' takes the viscosity of mixing = 'constant'; over rough ground set drag = 'roughness'");
    if ((drag == DRAG_ROUGHNESS || drag == DRAG_FRICTION) && !(length < 0.5 * g->z_c[0]))
        sf_complain(to, "surface%roughness_heat grid%dz", -1,
                    "the lowest level, at %g m, lies within the roughness of %g m: lower the roughness or raise dz",
                    g->z_c[0], length);
    if (heat == HEAT_FLUX && p->surface_heat_flux < 0 && (drag == DRAG_ROUGHNESS || drag == DRAG_SEA))
        sf_complain_mildly(
            to, "surface%heat_flux surface%heat", -1,
            "in stable air two winds have the same flux, and none has a large one: heat = 'temperature' is "
            "safe");
    if (heat != HEAT_NONE && p->surface_vapour_flux > 0 && !own->ctx.species && p->water_scheme == SCHEME_NONE)
        sf_complain(to, "surface%vapour_flux water%scheme", -1,
                    "a flux of vapour needs water in the air: set &water scheme = 'kessler'");
}

void dynamics_derive(const struct instance *in, struct state *st, double dt)
{
    const struct dynamics *const d = &((const struct dynamics_own *)in->own)->ctx;
    const struct box rows = {0, in->grid->nx, 0, in->grid->nz, st->ja, st->jb};
    const struct call c = {.dt = (real)dt, .ctx = d};
    if (!surface_acts(&d->surface)) return;
    /* Roughness of the sea follows from the friction velocity before, of which there is none yet. */
    const int has_sea = d->surface.drag == DRAG_SEA ||
                        (d->surface.drag == DRAG_ROUGHNESS && ((const struct dynamics_own *)in->own)->ground.sea > 0);
    struct slab s = st->host.s;
    for (int f = F_TRANSFER; f <= F_SKIN; f++) s.w[f] = s.f[f];
    static void (*const stage[2][2])(const struct slab *, struct box, const struct call *) = {
        {surface_run, surface_wet_run}, {surface_over_run, surface_wet_over_run}};
    for (int n = has_sea ? 4 : 1; n > 0; n--) stage[d->over][d->species > 0](&s, rows, &c);
}
