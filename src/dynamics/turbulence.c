/* The closure of a case: what its formulas take, what it asks of the time step, and what a namelist can have wrong
 * about it. SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"
#include "dynamics/limits.h"

#include <stdio.h>
#include <string.h>

/* Cells more than so many times as wide as high, in the mean, are flat. */
static const double flat_from = 4;

static double level_size(const struct grid *g) { return g->ny > 1 ? __builtin_sqrt(g->dx * g->dy) : g->dx; }

void turbulence_pick(struct dynamics_own *own, const struct grid *g)
{
    struct dynamics_params *const p = &own->params;
    const int has_closure = p->turbulence_closure != CLOSURE_NONE;
    if (p->dynamics_mixing == MIXING_AUTO) p->dynamics_mixing = has_closure ? MIXING_OFF : MIXING_FOURTH;
    own->is_flat = p->turbulence_cells == CELLS_FLAT ||
                   (p->turbulence_cells == CELLS_AUTO && level_size(g) * g->nz > flat_from * g->top);
    if (!has_closure) return;
    /* K_h = 3 K_m = 0.3 D sqrt(e), of the highest cells. */
    double most = 0;
    for (int k = 0; k < g->nz; k++) most = SF_MAX(most, turbulence_size(own, g->z_f[k + 1] - g->z_f[k], g->z_c[k]));
    own->expected_diffusivity = p->turbulence_expected_diffusivity >= 0 ? p->turbulence_expected_diffusivity
                                                                        : 0.3 * most * p->dynamics_expected_speed / 8;
}

/* Blackadar's mixing length is that of K = l^2 S in neutral air: there K = (C D)^2 S by Smagorinsky, and 0.1 / pi D^2 S
 * by the energy, where what shear makes is what is lost. */
static double blackadar_size(const struct dynamics_own *own, double z)
{
    const struct dynamics_params *const p = &own->params;
    const double pi = 3.14159265358979323846, rising = 0.4 * z,
                 length = rising / (1 + rising / p->turbulence_mixing_length);
    return length / (p->turbulence_closure == CLOSURE_SMAGORINSKY ? p->turbulence_smagorinsky_constant
                                                                  : __builtin_sqrt(0.1 / pi));
}

double turbulence_size(const struct dynamics_own *own, double dz, double z)
{
    const double level = level_size(own->grid);
    if (own->is_flat && own->params.turbulence_mixing_length > 0) return blackadar_size(own, z);
    if (own->is_flat) return dz;
    return own->grid->ny > 1 ? sfd_pow(level * level * dz, 1.0 / 3.0) : __builtin_sqrt(level * dz);
}

/* A length makes K of the energy's closure, its square that of Smagorinsky's. */
double turbulence_flatness(const struct dynamics_own *own, double size)
{
    const double ratio = own->is_flat ? level_size(own->grid) / size : 1;
    return own->params.turbulence_closure == CLOSURE_SMAGORINSKY ? ratio * ratio : ratio;
}

/* K dt is the mean of two cells at a face: a thin neighbour's bound holds for both, and over terrain, where cells of a
 * level differ, that of the thinnest of the level, through sides as large as any. */
double turbulence_most(const struct dynamics_own *own, int k)
{
    const struct grid *const g = own->grid;
    const struct terrain *const t = own->ctx.over ? &own->terrain : NULL;
    const int implicit = own->params.turbulence_vertical == VERTICAL_IMPLICIT;
    const double finer = own->map.most * own->map.most, finer_y = own->map.most_y * own->map.most_y;
    const double plane = own->map.projection.kind == PROJECTION_LATITUDE_LONGITUDE
                             ? finer / (g->dx * g->dx) + (g->ny > 1 ? finer_y / (g->dy * g->dy) : 0)
                             : finer * (1 / (g->dx * g->dx) + (g->ny > 1 ? 1 / (g->dy * g->dy) : 0));
    double most = NO_LIMIT;
    for (int n = SF_MAX(k - 1, 0); n <= SF_MIN(k + 1, g->nz - 1); n++) {
        const double thin = t ? t->thin[n] : 1, low = t && n ? SF_MIN(thin, t->thin[n - 1]) : thin,
                     high = t && n + 1 < g->nz ? SF_MIN(thin, t->thin[n + 1]) : thin;
        const double dz = thin * (g->z_f[n + 1] - g->z_f[n]),
                     gap = SF_MIN(low * (g->z_c[n] - g->z_c[n - 1]), high * (g->z_c[n + 1] - g->z_c[n])),
                     z = (t ? t->thinnest : 1) * g->z_c[n];
        const double level = turbulence_flatness(own, turbulence_size(own, dz, z)) * (t ? t->wide[n] : 1) * plane,
                     least = SF_MIN(dz, gap);
        most = SF_MIN(most, TURBULENCE_SHARE / (level + (implicit ? 0 : 1 / (least * least))));
    }
    return most;
}

double turbulence_limit(const struct dynamics_own *own)
{
    double most = NO_LIMIT;
    if (!(own->expected_diffusivity > 0)) return 0;
    for (int k = 0; k < own->grid->nz; k++) most = SF_MIN(most, turbulence_most(own, k));
    return most / own->expected_diffusivity;
}

void turbulence_check(const struct dynamics_own *own, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    const int energy = p->turbulence_closure == CLOSURE_TKE, water = p->water_scheme == SCHEME_NONE ? 0 : SPECIES;
    if (energy && p->dynamics_tracers + water + 1 > MEMBERS_MOST)
        sf_complain(to, "dynamics%tracers turbulence%closure", -1,
                    "with the energy of turbulence there may be %d tracers, not %d", MEMBERS_MOST - water - 1,
                    p->dynamics_tracers);
    if (p->turbulence_closure == CLOSURE_SMAGORINSKY && p->turbulence_mixing_length > 0 && own->is_flat &&
        !(p->turbulence_smagorinsky_constant > 0))
        sf_complain(
            to, "turbulence%smagorinsky_constant turbulence%mixing_length", -1,
            "a smagorinsky_constant of 0 mixes nothing, and mixing_length asks for mixing: leave one of the two out");
    if (p->turbulence_closure != CLOSURE_NONE && p->turbulence_mixing_length > 0 && !own->is_flat)
        sf_complain_mildly(to, "turbulence%mixing_length turbulence%cells", -1,
                           "mixing_length changes nothing here: cells are taken for cubes, whose edge is the length of "
                           "eddies; set cells = 'flat', or leave it out");
    for (int n = 0; n < own->perturbations && !energy; n++)
        if (p->initial_variable[n] == INITIAL_TKE)
            sf_complain(to, "initial%variable turbulence%closure", n,
                        "perturbation %d is of the energy of turbulence, which is not carried: set &turbulence closure "
                        "= 'tke'",
                        n + 1);
}
