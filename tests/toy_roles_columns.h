/* The stages of the model of roles, a column at a time: for the CPU's loops and for kernels.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "toy_roles.h"

#ifdef __cplusplus
#define ROLES_COLUMN __device__ static inline
#else
#define ROLES_COLUMN static inline
#endif

ROLES_COLUMN ptrdiff_t roles_at(const struct slab *s, int j, int i) { return (j - s->j0) * s->sj + i; }
ROLES_COLUMN ptrdiff_t roles_map_at(const struct slab *s, int j, int i) { return (j - s->j0) * s->sm + i; }

ROLES_COLUMN void roles_radiate(const struct slab *s, struct box b, real dt, int j, int i)
{
    const real *const ground = s->f[ROLES_GROUND] + roles_map_at(s, j, i);
    for (int k = b.k0; k < b.k1; k++) {
        const ptrdiff_t at = roles_at(s, j, i) + k * s->sk;
        const real *const t = s->f[ROLES_TEMP] + at;
        s->w[ROLES_HEAT][at] = roles_heat(t[-2], t[1], t[-2 * s->sj], t[s->sj], ground[-1] - ground[s->sm], dt);
    }
}

ROLES_COLUMN void roles_warm(const struct slab *s, struct box b, real dt, int j, int i)
{
    const ptrdiff_t at = roles_map_at(s, j, i);
    const real temp = s->f[ROLES_TEMP][roles_at(s, j, i) + b.k0 * s->sk];
    s->w[ROLES_GROUND][at] = roles_ground(s->f[ROLES_GROUND][at], temp, s->f[ROLES_SUN][at - 1], dt);
    s->w[ROLES_FLUX][at] = roles_flux(s->w[ROLES_GROUND][at], temp);
}

/* What drives a point: the force beside it and, in the westmost column and the southmost row, what lies beyond. */
ROLES_COLUMN real roles_force(const struct slab *s, int j, int k, int i)
{
    real force = s->f[ROLES_FORCE][roles_at(s, j + 1, i - 1) + k * s->sk];
    if (i == 0) force += s->f[ROLES_WEST][((ptrdiff_t)(j - s->j0) * s->nk + k) * 2];
    if (j == 0 && s->f[ROLES_SOUTH]) force += s->f[ROLES_SOUTH][((ptrdiff_t)(-1 - s->j0) * s->nk + k) * s->ni + i];
    return force;
}

ROLES_COLUMN void roles_mix(const struct slab *s, struct box b, real dt, int j, int i)
{
    const real ground = s->f[ROLES_GROUND][roles_map_at(s, j + 1, i - 1)];
    for (int k = b.k0; k < b.k1; k++) {
        const ptrdiff_t at = roles_at(s, j, i) + k * s->sk;
        const real *const t = s->f[ROLES_TEMP] + at;
        const real sum = ((t[-1] + t[1]) + (t[-s->sj] + t[s->sj])) + (t[-s->sk] + t[s->sk]);
        const real corners = t[-1 - s->sk - s->sj] - t[1 - s->sk + s->sj];
        s->w[ROLES_TEMP][at] =
            roles_temp(t[0], sum, corners, s->f[ROLES_HEAT][at + s->sj], ground, roles_force(s, j, k, i), dt);
    }
}

ROLES_COLUMN void roles_rain(const struct slab *s, struct box b, real dt, int j, int i)
{
    real sum = 0;
    for (int k = b.k1 - 1; k >= b.k0; k--) {
        real *const t = s->w[ROLES_TEMP] + roles_at(s, j, i) + k * s->sk;
        const real fall = roles_fall(*t);
        *t -= fall;
        sum += fall;
    }
    s->w[ROLES_RAIN][roles_map_at(s, j, i)] += dt * sum;
}
