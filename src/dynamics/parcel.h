/* What forecasters ask of a sounding: what a parcel from the ground could gain, and how the wind turns. In double, on
 * the host. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/base.h"

/* A column of air: n levels, rising. */
struct parcel_air {
    int n;
    const double *z; /* m above the ground */
    const double *pi; /* Exner function */
    const double *theta, *qv; /* K; kg by kg of dry air */
    const double *u, *v; /* m/s */
    double ground; /* Pa, pressure at the ground, to which the lowest level reaches */
};

/* Heights in m, negative where there is none. */
struct parcel_figures {
    double cape, cin; /* J/kg; cin <= 0 */
    double lcl, lfc, el;
    double water; /* precipitable water, kg/m2 */
    double shear; /* m/s, between the lowest level and 6 km, or the top */
    double storm[2]; /* m/s, motion of a storm that turns right */
    double helicity[2]; /* m2/s2, relative to that storm: of the lowest 1 and 3 km */
};

/* The parcel of the lowest level, lifted without mixing: at saturation all that condenses leaves it, L and cp stay what
 * they are at 0 C and of dry air. Its buoyancy counts vapour. Storm motion: Bunkers et al. (2000). Levels are joined by
 * straight lines. c->vapour must be there. */
void parcel_figures_make(struct parcel_figures *f, const struct parcel_air *air, const struct base_constants *c);

/* As lines of text, at most `size` bytes. */
void parcel_describe(const struct parcel_figures *f, char *out, size_t size);
