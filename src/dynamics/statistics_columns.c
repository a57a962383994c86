/* Statistics of turbulence: what a sample comes to, column by column, from sums over its levels.
 * SPDX-License-Identifier: MIT */
#include "dynamics/statistics.h"

#include <string.h>

static double both(double a, double b) { return 0.5 * (a + b); }

/* Mean of faces k and k + 1 of a table of the faces below levels; what the lid has is 0. */
static double faces_mean(const double *x, int k, int nk) { return both(x[k], k + 1 < nk ? x[k + 1] : 0); }

static void faces_copy(double *to, const double *from, int nk)
{
    if (!to) return;
    memcpy(to, from, (size_t)nk * sizeof *to);
    to[nk] = 0;
}

/* Slope of a mean at the face below level k. */
static double slope_of(const double *mean, const struct grid *g, int k)
{
    return k > 0 ? (mean[k] - mean[k - 1]) / (g->z_c[k] - g->z_c[k - 1]) : 0;
}

static double shear_at(const struct grid *g, const double *mean, const double *uw, const double *vw, int k)
{
    return k > 0 && k < g->nz ? -uw[k] * slope_of(mean + M_U * g->nz, g, k) - vw[k] * slope_of(mean + M_V * g->nz, g, k)
                              : 0;
}

static void budget_make(const struct dynamics_own *own, const struct grid *g, const double *mean, const double *dep,
                        double *const *value)
{
    const struct base_state *const b = &own->base;
    const int nk = g->nz;
    const double *const uw = dep + D_UW * nk, *const vw = dep + D_VW * nk, *const bw = dep + D_BW * nk,
                        *const ew = dep + D_EW * nk, *const pw = dep + D_PW * nk, *const ww = dep + D_WW * nk;
    for (int k = 0; k < nk; k++) {
        const int has_high = k + 1 < nk;
        const double dz = g->z_f[k + 1] - g->z_f[k], high_e = has_high ? b->rho0_f[k + 1] * ew[k + 1] : 0,
                     low_e = k ? b->rho0_f[k] * ew[k] : 0;
        const double lift_low = k ? own->ctx.g / b->theta0_f[k] * bw[k] : 0,
                     lift_high = has_high ? own->ctx.g / b->theta0_f[k + 1] * bw[k + 1] : 0;
        value[C_TKE][k] = 0.5 * (dep[D_UU * nk + k] + dep[D_VV * nk + k] + faces_mean(ww, k, nk));
        value[C_SHEAR][k] = both(shear_at(g, mean, uw, vw, k), shear_at(g, mean, uw, vw, k + 1));
        value[C_BUOYANCY][k] = both(lift_low, lift_high);
        value[C_TRANSPORT][k] = -(high_e - low_e) / (b->rho0[k] * dz);
        value[C_PRESSURE][k] = -own->ctx.cp_d * (b->theta0[k] + mean[M_THETA_V * nk + k]) *
                               ((has_high ? pw[k + 1] : 0) - (k ? pw[k] : 0)) / dz;
        if (value[C_DISSIPATION]) value[C_DISSIPATION][k] = dep[D_STRAIN_MEAN * nk + k] - dep[D_STRAIN * nk + k];
    }
}

/* A mean or a departure as it is. */
static void column_copy(double *to, const double *from, int nk)
{
    if (to) memcpy(to, from, (size_t)nk * sizeof *to);
}

void statistics_columns(const struct instance *in, const double *mean, const double *dep, const double *one,
                        double *const *value)
{
    static const int means[][2] = {{C_PI, M_EXNER},    {C_QV, M_QV},    {C_QC, M_QC}, {C_QR, M_QR},
                                   {C_CLOUD, M_CLOUD}, {C_E, M_ENERGY}, {C_KM, M_KM}, {C_KH, M_KH}};
    static const int centres[][2] = {{C_CORE, D_CORE}, {C_UU, D_UU}, {C_VV, D_VV}, {C_TT, D_TT}, {C_QQ, D_QQ}};
    static const int faces[][2] = {{C_WW, D_WW},         {C_WWW, D_WWW},       {C_UW, D_UW},
                                   {C_VW, D_VW},         {C_TW, D_TW},         {C_QW, D_QW},
                                   {C_BW, D_BW},         {C_UW_SGS, D_UW_SGS}, {C_VW_SGS, D_VW_SGS},
                                   {C_TW_SGS, D_TW_SGS}, {C_QW_SGS, D_QW_SGS}, {C_BW_SGS, D_BW_SGS}};
    const struct dynamics_own *const own = in->own;
    const struct grid *const g = in->grid;
    const int nk = g->nz;
    double sum = 0;
    for (int k = 0; k < nk; k++) {
        value[C_U][k] = mean[M_U * nk + k] + own->ctx.translation[0];
        value[C_V][k] = mean[M_V * nk + k] + own->ctx.translation[1];
        value[C_THETA][k] = own->base.theta[k] + mean[M_THETA * nk + k];
        if (value[C_THETA_V]) value[C_THETA_V][k] = own->base.theta0[k] + mean[M_THETA_V * nk + k];
        sum += mean[M_EXNER * nk + k] * (g->z_f[k + 1] - g->z_f[k]);
    }
    for (size_t n = 0; n < sizeof means / sizeof means[0]; n++)
        column_copy(value[means[n][0]], mean + means[n][1] * nk, nk);
    for (size_t n = 0; n < sizeof centres / sizeof centres[0]; n++)
        column_copy(value[centres[n][0]], dep + centres[n][1] * nk, nk);
    for (size_t n = 0; n < sizeof faces / sizeof faces[0]; n++)
        faces_copy(value[faces[n][0]], dep + faces[n][1] * nk, nk);
    faces_copy(value[C_W], mean + M_W * nk, nk);
    budget_make(own, g, mean, dep, value);
    value[C_PI_MEAN][0] = sum / (g->z_f[nk] - g->z_f[0]);
    if (value[C_COVER]) value[C_COVER][0] = one[R_COVER], value[C_PATH][0] = one[R_PATH];
    if (value[C_USTAR]) value[C_USTAR][0] = one[R_USTAR];
}
