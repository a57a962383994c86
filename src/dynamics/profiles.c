/* The vertical profiles that stages read, from the base state and the grid, in double, rounded once.
 * SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"

#include "dynamics/water.h"

static const double pi_number = 3.14159265358979323846;

static double square(double x) { return x * x; }

/* Damping grows from zero at the foot of the layer to 1 / rayleigh_time at the lid, as sin^2. */
static double damping_at(const struct dynamics_params *p, double top, double z)
{
    const double depth = p->dynamics_rayleigh_depth, above = z - (top - depth);
    if (depth <= 0 || above <= 0) return 0;
    return square(sfd_sin(0.5 * pi_number * SF_MIN(above / depth, 1))) / p->dynamics_rayleigh_time;
}

/* Beyond the ground and the lid: the mirror image, as the fields have it. */
static int mirrored(int k, int nk) { return k < 0 ? SF_MIN(-1 - k, nk - 1) : k >= nk ? SF_MAX(2 * nk - 1 - k, 0) : k; }
static int mirrored_face(int k, int nk) { return k < 0 ? SF_MIN(-k, nk) : k > nk ? SF_MAX(2 * nk - k, 0) : k; }

void dynamics_profiles_fill(const struct instance *in, struct state *st)
{
    const struct dynamics_own *own = in->own;
    const struct dynamics *d = &own->ctx;
    const struct base_state *b = &own->base;
    const struct dynamics_params *p = &own->params;
    const struct grid *g = in->grid;
    const struct slab *s = &st->host.s;
    const int nk = g->nz, ghosts = st->host.lay.gk, constant = d->mixing == MIXING_CONSTANT;
    double column = 0; /* kg/m2 of the base state */
    for (int k = 0; k < nk; k++) column += b->rho0[k] * (g->z_f[k + 1] - g->z_f[k]);
    for (int n = -ghosts; n <= nk + ghosts; n++) {
        const int k = mirrored(n, nk), f = mirrored_face(n, nk), low = SF_MAX(f - 1, 0), high = SF_MIN(f, nk - 1);
        const double dz = g->z_f[k + 1] - g->z_f[k], dz_f = g->z_c[f] - g->z_c[f - 1];
        const double rho = b->rho0[k], rho_f = b->rho0_f[f],
                     th_f = f > 0 && f < nk ? b->theta0_f[f] : b->theta0[f ? nk - 1 : 0];
        const double slope = f > 0 && f < nk ? (b->theta[high] - b->theta[low]) / dz_f : 0;
        s->f[P_TH0][n] = (real)b->theta0[k];
        s->f[P_TH0F][n] = (real)th_f;
        s->f[P_PI0][n] = (real)b->pi0[k];
        s->f[P_DPI0H][n] = (real)(-0.5 * d->g / (d->cp_d * th_f));
        s->f[P_DTH0H][n] = (real)(0.5 * slope);
        s->f[P_RDZC][n] = (real)(1 / dz);
        s->f[P_RDZF][n] = (real)(1 / dz_f);
        s->f[P_RHOF][n] = (real)rho_f;
        s->f[P_ADZC][n] = (real)(2.0 / 3.0 / (rho * dz));
        s->f[P_BDZC][n] = (real)(1.0 / 24.0 / (rho * dz));
        s->f[P_ADZF][n] = (real)(1.0 / 3.0 / (rho_f * dz_f));
        s->f[P_BDZF][n] = (real)(1.0 / 24.0 / (rho_f * dz_f));
        const double nu = p->dynamics_viscosity, rate = p->dynamics_mixing_rate;
        const int f1 = mirrored_face(n + 1, nk), c0 = mirrored(n - 1, nk);
        const double gap1 = g->z_c[f1] - g->z_c[f1 - 1], dz0 = g->z_f[c0 + 1] - g->z_f[c0];
        s->f[P_MTC][n] = (real)(constant ? nu / (dz * gap1) : rate * b->rho0_f[f1] / rho);
        s->f[P_MBC][n] = (real)(constant ? nu / (dz * dz_f) : rate * rho_f / rho);
        /* A filter would mix the vapour of the base state upward: with water, tracers are filtered along the ground
         * alone. */
        const int upright = constant || !d->species;
        s->f[P_MTQ][n] = upright ? s->f[P_MTC][n] : R(0.0), s->f[P_MBQ][n] = upright ? s->f[P_MBC][n] : R(0.0);
        s->f[P_MTF][n] = (real)(constant ? nu / (dz_f * dz) : rate * rho / rho_f);
        s->f[P_MBF][n] = (real)(constant ? nu / (dz_f * dz0) : rate * b->rho0[c0] / rho_f);
        s->f[P_U0][n] = (real)(b->u0[k] - d->translation[0]);
        s->f[P_V0][n] = (real)(b->v0[k] - d->translation[1]);
        s->f[P_SHARE][n] = (real)(rho * dz / column);
        s->f[P_BUOY][n] = d->species ? R(0.0) : (real)(0.5 * d->g / th_f);
        s->f[P_BUOYM][n] = (real)(0.5 * d->g / th_f);
        s->f[P_THA][n] = (real)b->theta[k];
        s->f[P_QV0][n] = (real)b->qv[k], s->f[P_QC0][n] = (real)b->qc[k];
        /* As the stages make it, so that air at rest stays as it is, to the bit. */
        s->f[P_EXCESS][n] = water_excess(d->vapour_ratio, (real)b->qv[k], (real)b->qc[k], R(0.0));
        s->f[P_P0][n] = (real)b->p0[k];
        s->f[P_DEN0][n] = (real)(d->p00 / d->R * sfd_pow(b->pi0[k], d->cv_over_R));
        s->f[P_GZ][n] = (real)(d->g * g->z_c[k]);
        const double size = turbulence_size(own, dz, g->z_c[k]);
        s->f[P_RHOC][n] = (real)rho, s->f[P_SIZE][n] = (real)size;
        s->f[P_FLAT][n] = (real)turbulence_flatness(own, size);
        s->f[P_MOST][n] = (real)turbulence_most(own, k);
        s->f[P_RAYC][n] = (real)damping_at(p, g->top, g->z_c[k]);
        s->f[P_RAYF][n] = (real)damping_at(p, g->top, g->z_f[f]);
        if (d->over) terrain_level(own, s, n);
    }
}
