/* SPDX-License-Identifier: MIT */
#include "dynamics/parcel.h"

#include <math.h>
#include <stdio.h>

static const double step = 5; /* m */

static double value_at(const struct parcel_air *a, const double *of, double z)
{
    return sounding_line(a->n, a->z, of, z);
}

/* dT / d ln p of a saturated parcel that loses what condenses: cp dT - R T d ln p + L dqs = 0, with dqs = qs (1 + qs
 * Rv/R) (d ln es - d ln p). */
static double slope_of(const struct base_constants *c, double t, double p)
{
    const struct vapour *const w = c->vapour;
    const double full = vapour_saturated(w, c->R, t, p), heat = w->latent * full * (1 + w->Rv / c->R * full);
    return (c->R * t + heat) / (c->cp + heat * vapour_steepness(w, t));
}

static double virtual_of(const struct base_constants *c, double t, double qv)
{
    return vapour_theta_rho(c->vapour, c->R, t, qv, 0);
}

static void lift(struct parcel_figures *f, const struct parcel_air *a, const struct base_constants *c)
{
    const double low = a->z[0], high = a->z[a->n - 1], theta = a->theta[0], qv = a->qv[0];
    double t = theta * a->pi[0], p = base_pressure(c, a->pi[0]), negative = 0, positive = 0;
    int is_full = 0, was_up = 0;
    for (double z = low; z < high; z += step) {
        const double middle = SF_MIN(z + step / 2, high), end = SF_MIN(z + step, high);
        const double pi = value_at(a, a->pi, end), p_end = base_pressure(c, pi), turn = sfd_log(p_end / p);
        if (!is_full) t = theta * pi;
        else {
            const double half = t + 0.5 * turn * slope_of(c, t, p);
            t += turn * slope_of(c, half, p * sfd_exp(0.5 * turn));
        }
        p = p_end;
        const double full = vapour_saturated(c->vapour, c->R, t, p);
        if (!is_full && qv >= full && qv > 0) is_full = 1, f->lcl = end;
        const double mine = virtual_of(c, t, is_full ? full : qv),
                     around = virtual_of(c, value_at(a, a->theta, end) * pi, value_at(a, a->qv, end));
        const double lifted = c->g * (mine - around) / around * (end - z);
        const int is_up = lifted > 0 && is_full;
        if (is_up && !(f->lfc >= 0)) f->lfc = middle, f->cin = negative, negative = 0;
        if (is_up) positive += lifted;
        else if (lifted < 0 && !(f->lfc >= 0)) negative += lifted;
        if (was_up && !is_up) f->el = middle;
        was_up = is_up;
    }
    if (was_up) f->el = high;
    f->cape = positive;
}

static void turn(struct parcel_figures *f, const struct parcel_air *a)
{
    const double low = a->z[0], high = a->z[a->n - 1], deep = SF_MAX(low, SF_MIN(6000, high));
    double mean[2] = {0, 0}, foot[2] = {0, 0}, head[2] = {0, 0};
    const double *const of[2] = {a->u, a->v};
    int n = 0, feet = 0, heads = 0;
    for (double z = low; z <= deep; z += 50, n++) {
        const int is_foot = z <= low + 500, is_head = z >= deep - 500;
        for (int m = 0; m < 2; m++) {
            const double wind = value_at(a, of[m], z);
            mean[m] += wind, foot[m] += is_foot ? wind : 0, head[m] += is_head ? wind : 0;
        }
        feet += is_foot, heads += is_head;
    }
    const double across[2] = {head[1] / heads - foot[1] / feet, -(head[0] / heads - foot[0] / feet)};
    const double size = sqrt(across[0] * across[0] + across[1] * across[1]);
    for (int m = 0; m < 2; m++) f->storm[m] = mean[m] / n + (size > 0 ? 7.5 * across[m] / size : 0);
    const double du = value_at(a, a->u, deep) - a->u[0], dv = value_at(a, a->v, deep) - a->v[0];
    f->shear = sqrt(du * du + dv * dv);
    static const double layer[2] = {1000, 3000};
    for (int m = 0; m < 2; m++)
        for (double z = low; z < SF_MIN(layer[m], high); z += 50) {
            const double to = SF_MIN(SF_MIN(z + 50, layer[m]), high);
            const double u0 = value_at(a, a->u, z) - f->storm[0], v0 = value_at(a, a->v, z) - f->storm[1],
                         u1 = value_at(a, a->u, to) - f->storm[0], v1 = value_at(a, a->v, to) - f->storm[1];
            f->helicity[m] += u1 * v0 - u0 * v1;
        }
}

void parcel_figures_make(struct parcel_figures *f, const struct parcel_air *a, const struct base_constants *c)
{
    *f = (struct parcel_figures){.lcl = -1, .lfc = -1, .el = -1};
    lift(f, a, c);
    turn(f, a);
    f->water = a->qv[0] / (1 + a->qv[0]) * (a->ground - base_pressure(c, a->pi[0])) / c->g;
    for (int k = 0; k + 1 < a->n; k++) {
        const double q0 = a->qv[k] / (1 + a->qv[k]), q1 = a->qv[k + 1] / (1 + a->qv[k + 1]);
        f->water += 0.5 * (q0 + q1) * (base_pressure(c, a->pi[k]) - base_pressure(c, a->pi[k + 1])) / c->g;
    }
}

static void height_print(char *to, size_t size, double z)
{
    if (z >= 0) snprintf(to, size, "%.0f m", z);
    else snprintf(to, size, "none");
}

void parcel_describe(const struct parcel_figures *f, char *out, size_t size)
{
    char lcl[32], lfc[32], el[32];
    height_print(lcl, sizeof lcl, f->lcl), height_print(lfc, sizeof lfc, f->lfc), height_print(el, sizeof el, f->el);
    snprintf(
        out, size,
        "parcel of the lowest level: CAPE %.0f J/kg, CIN %.0f J/kg; condenses (LCL) at: %s, rises by itself (LFC) from: %s, "
        "to (EL): %s\n"
        "precipitable water %.1f kg/m2; helicity relative to a storm that moves with (%.1f, %.1f) m/s: %.0f m2/s2 in 1 km, "
        "%.0f in 3 km\n",
        f->cape, f->cin, lcl, lfc, el, f->water, f->storm[0], f->storm[1], f->helicity[0], f->helicity[1]);
}
