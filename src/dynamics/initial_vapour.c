/* Vapour of the state at the start that air cannot keep, or that is no vapour of this Earth: of the base state, of
 * perturbations, of a file. It is told, and taken as it is. SPDX-License-Identifier: MIT */
#include "dynamics/initial_parts.h"

#include "pipeline/error.h"

#include <stdio.h>

/* A share of saturation: dew points are told to 0.1 K, which is 0.7 %. */
static const double beyond_saturation = 1.01;
static const double vapour_most = 0.06; /* kg/kg; the moistest air of this Earth, of a dew point of 35 C, has 0.04 */

void vapour_see(struct vapour_seen *v, const struct dynamics *d, int i, int j, int k, double theta, double pi,
                double qv)
{
    const double pressure = d->p00 * sfd_pow(pi, 1 / d->kappa),
                 full = vapour_saturated(&d->vapour, d->R, theta * pi, pressure);
    const struct vapour_cell here = {i, j, k, qv, full, pressure};
    v->cells++, v->beyond += qv > beyond_saturation * full;
    if (v->cells == 1 || qv - full > v->dampest.qv - v->dampest.full) v->dampest = here;
    if (v->cells == 1 || qv > v->richest.qv) v->richest = here;
}

/* The one of which more is; of two alike that of the first row. */
static void cell_join(struct vapour_cell *a, const struct vapour_cell *b, double more)
{
    if (more > 0 || (more >= 0 && b->j < a->j)) *a = *b;
}

void vapour_seen_join(struct vapour_seen *a, const struct vapour_seen *b)
{
    if (!b->cells) return;
    if (!a->cells) a->dampest = b->dampest, a->richest = b->richest;
    a->cells += b->cells, a->beyond += b->beyond;
    cell_join(&a->dampest, &b->dampest, (b->dampest.qv - b->dampest.full) - (a->dampest.qv - a->dampest.full));
    cell_join(&a->richest, &b->richest, b->richest.qv - a->richest.qv);
}

static void place_text(const struct grid *g, const struct vapour_cell *at, char *text, size_t size)
{
    if (at->i < 0) snprintf(text, size, "at %.0f m", g->z_c[at->k]);
    else
        snprintf(text, size, "at x = %g m, y = %g m, z = %g m", grid_x(g, at->i, 0), grid_y(g, at->j, 0),
                 g->z_c[at->k]);
}

void vapour_seen_tell(const struct instance *in, const struct vapour_seen *v, const char *keys)
{
    const struct dynamics *const d = &((const struct dynamics_own *)in->own)->ctx;
    char place[128];
    if (v->beyond) {
        const struct vapour_cell *const c = &v->dampest;
        place_text(in->grid, c, place, sizeof place);
        sf_complain_mildly(
            in->complaints, keys, -1,
            "the air is beyond saturation at %ld of %ld %s, most %s: relative humidity %.0f %%, vapour %.3g g/kg, of which it can "
            "hold %.3g; what is too much condenses in the first step, and warms the air; correct temperature or humidity "
            "there, unless this is meant",
            v->beyond, v->cells, c->i < 0 ? "levels" : "cells", place, 100 * c->qv / c->full, 1e3 * c->qv,
            1e3 * c->full);
    } else if (v->richest.qv > vapour_most) {
        const struct vapour_cell *const c = &v->richest;
        place_text(in->grid, c, place, sizeof place);
        sf_complain_mildly(
            in->complaints, keys, -1,
            "the air %s has %.0f g/kg of vapour, %.0f of its %.0f hPa: the moistest air of this Earth has 40 g/kg; lower the "
            "temperature or the humidity",
            place, 1e3 * c->qv, 0.01 * c->pressure * c->qv / (c->qv + d->R / d->vapour.Rv), 0.01 * c->pressure);
    }
}

/* A base state beyond saturation is of a sounding; other profiles have no more than that. */
static void base_vapour_check(const struct instance *in)
{
    const struct dynamics_own *const own = in->own;
    const struct base_state *const b = &own->base;
    const int profile = own->params.base.base_profile;
    struct vapour_seen seen = {0};
    for (int k = 0; k < own->ctx.nk; k++) vapour_see(&seen, &own->ctx, -1, -1, k, b->theta[k], b->pi0[k], b->qv[k]);
    vapour_seen_tell(in, &seen,
                     profile == BASE_SOUNDING        ? "base%sounding base%profile"
                     : profile == BASE_SATURATED     ? "base%theta_e base%total_water base%profile"
                     : profile == BASE_WEISMAN_KLEMP ? "base%moist_layer base%profile"
                                                     : "base%relative_humidity base%temperature base%surface_theta");
}

/* Vapour at the centre of each perturbation of it: less than none is none, and beyond saturation it condenses at once.
 */
static void perturbations_check(const struct instance *in)
{
    const struct dynamics_own *own = in->own;
    const struct dynamics_params *const p = &own->params;
    const struct base_state *const b = &own->base;
    for (int n = 0; n < own->perturbations && own->ctx.species && !own->start; n++) { /* a file has other air */
        const int on = p->initial_variable[n];
        if (on < ON_VAPOUR || on == ON_BUOYANCY || on == ON_TKE || initial_is_away(own, in->grid, n)) continue;
        int k = 0;
        while (k + 1 < own->ctx.nk && in->grid->z_c[k + 1] <= p->initial_z[n]) k++;
        const double x = p->initial_x[n], y = p->initial_y[n], z = p->initial_z[n];
        if (on == ON_CLOUD || on == ON_RAIN) {
            const double there = on == ON_CLOUD ? b->qc[k] : 0,
                         left = there + initial_perturbations(own, (enum variable)on, 0, x, y, z);
            if (left < 0)
                sf_complain_mildly(
                    in->complaints, "initial%amplitude initial%variable", n,
                    "perturbation %d takes more %s than the %.3g kg/kg that there are at %g m: it begins at 0 there",
                    n + 1, on == ON_CLOUD ? "cloud" : "rain", there, z);
            continue;
        }
        const double full = vapour_saturated(&own->ctx.vapour, own->ctx.R, b->theta[k] * b->pi0[k], b->p0[k]);
        const double qv = b->qv[k] + initial_perturbations(own, ON_VAPOUR, 0, x, y, z) +
                          full * initial_perturbations(own, ON_HUMIDITY, 0, x, y, z);
        if (qv < 0)
            sf_complain_mildly(
                in->complaints, "initial%amplitude initial%variable", n,
                "perturbation %d takes more vapour than the %.3g kg/kg that there are at %g m: vapour begins "
                "at 0 there",
                n + 1, b->qv[k], z);
        if (qv > 1.001 * full && b->qc[k] <= 0)
            sf_complain_mildly(
                in->complaints, "initial%amplitude initial%variable", n,
                "perturbation %d brings the air at %g m to %.0f %% of saturation: what is too much condenses "
                "in the first step, and warms the air",
                n + 1, z, 100 * qv / full);
    }
}

void initial_vapour_check(const struct instance *in)
{
    const struct dynamics_own *const own = in->own;
    if (own->ctx.species && !own->start) base_vapour_check(in); /* a file has other air */
    perturbations_check(in);
}
