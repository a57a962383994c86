/* The stages of advection of 6th order and 5th-order upwind, with mixing: the five tendencies, each
 * field a part of its own. pipeline/points.h makes loops and kernels of them. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/points.h"

#include "dynamics/advmix_line.h"
#include "dynamics/advmix_wide.h"

#define LINE7(p, step)                                                                                                 \
    {                                                                                                                  \
        p[i - 3 * (step)], p[i - 2 * (step)], p[i - (step)], p[i], p[i + (step)], p[i + 2 * (step)], p[i + 3 * (step)] \
    }
#define FACES6(p, step)                                                                                                \
    {                                                                                                                  \
        p[i - 2 * (step)], p[i - (step)], p[i], p[i + (step)], p[i + 2 * (step)], p[i + 3 * (step)]                    \
    }
#define PAIRS6(p, step, other)                                                                                         \
    {                                                                                                                  \
        FACES6(p, step), FACES6((p - (other)), step)                                                                   \
    }

/* What a part computes: its form is the sum of this and the kind. */
enum { WIDE_FIELD = 7 * 16, WIDE_U = 0, WIDE_V = 16, WIDE_W = 32, WIDE_TH = 48, WIDE_PI = 64 };

/* A line along i: the field itself, the wind, theta', the tendency, the numbers of the level. */
struct wide_line {
    const real *q, *u, *v, *w, *th;
    real *t;
    ptrdiff_t sj, sk;
    struct weights m;
    struct line7 rho; /* at faces */
    struct line5 q0; /* the base profile of q */
    real buoyancy, base_bottom, base_top;
};

SF_POINT struct wide_line wide_line(const int form, const struct slab *s, const struct dynamics *d,
                                    const struct call *c, ptrdiff_t at, int k)
{
    (void)c;
    const int of = form & WIDE_FIELD;
    const int field = of == WIDE_U ? F_U : of == WIDE_V ? F_V : of == WIDE_W ? F_W : of == WIDE_TH ? F_TH : F_PI;
    const int tendency = F_UT + (field - F_U);
    struct wide_line l;
    l.q = s->f[field] + at, l.t = s->w[tendency] + at, l.th = of == WIDE_W ? s->f[F_TH] + at : NULL;
    l.u = s->f[F_U] + at, l.v = s->f[F_V] + at, l.w = s->f[F_W] + at;
    l.sj = s->sj, l.sk = s->sk;
    const real *const rho = s->f[P_RHOF] + k;
    const struct line7 r = {rho[-3], rho[-2], rho[-1], rho[0], rho[1], rho[2], rho[3]};
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    l.rho = r, l.q0 = none, l.buoyancy = l.base_bottom = l.base_top = R(0.0);
    const struct level n = level_make(s, k);
    l.m = of == WIDE_U   ? weights_u(d, &n)
          : of == WIDE_V ? weights_v(d, &n)
          : of == WIDE_W ? weights_w(d, &n)
                         : weights_centre(d, &n);
    if (of == WIDE_U) l.q0 = n.u0;
    if (of == WIDE_V) l.q0 = n.v0;
    if (of == WIDE_W) l.buoyancy = n.at.buoyancy_f;
    if (of == WIDE_TH) l.base_bottom = n.at.slope_bottom, l.base_top = n.at.slope_top;
    return l;
}

SF_POINT void wide_point(const int form, const struct wide_line *l, int i)
{
    const ptrdiff_t sj = l->sj, sk = l->sk;
    const int kind = form & ~WIDE_FIELD, of = form & WIDE_FIELD;
    const struct line7 x = LINE7(l->q, 1), y = LINE7(l->q, sj), z = LINE7(l->q, sk);
    if (of == WIDE_U) {
        const struct pairs6 v = PAIRS6(l->v, sj, 1), w = PAIRS6(l->w, sk, 1);
        l->t[i] = u_tendency_wide(kind, x, y, z, v, w, l->rho, l->q0, l->m);
    } else if (of == WIDE_V) {
        const struct pairs6 u = PAIRS6(l->u, 1, sj), w = PAIRS6(l->w, sk, sj);
        l->t[i] = v_tendency_wide(kind, x, y, z, u, w, l->rho, l->q0, l->m);
    } else if (of == WIDE_W) {
        const struct pairs6 u = PAIRS6(l->u, 1, sk), v = PAIRS6(l->v, sj, sk);
        l->t[i] = w_tendency_wide(kind, x, y, z, u, v, l->rho, l->m, l->buoyancy, l->th[i - sk], l->th[i]);
    } else {
        const struct faces6 u = FACES6(l->u, 1), v = FACES6(l->v, sj), w = FACES6(l->w, sk);
        l->t[i] = of == WIDE_PI
                      ? scalar_advection_wide(0, x, y, z, u, v, w, l->rho, l->m)
                      : theta_tendency_wide(kind, x, y, z, u, v, w, l->rho, l->m, l->base_bottom, l->base_top);
    }
}

/* ---- stages ---- */

SF_POINT_PART(wide_pi, wide, WIDE_PI, struct dynamics)

#define KIND(name, kind)                                                                                               \
    SF_POINT_PART(wide_u_##name, wide, WIDE_U | (kind), struct dynamics)                                               \
    SF_POINT_PART(wide_v_##name, wide, WIDE_V | (kind), struct dynamics)                                               \
    SF_POINT_PART(wide_w_##name, wide, WIDE_W | (kind), struct dynamics)                                               \
    SF_POINT_PART(wide_theta_##name, wide, WIDE_TH | (kind), struct dynamics)
#include "dynamics/kinds.def"

static void wide_box(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    switch (kind_of((const struct dynamics *)c->ctx)) {
#define KIND(name, kind)                                                                                               \
    case kind:                                                                                                         \
        wide_u_##name(s, b, c, stream), wide_v_##name(s, b, c, stream), wide_theta_##name(s, b, c, stream);            \
        wide_pi(s, b, c, stream), wide_w_##name(s, b, c, stream);                                                      \
        break;
#include "dynamics/kinds.def"
    }
}

/* A CPU takes all fields of a line while it is in the cache. */
static void wide_all(const struct slab *s, struct box b, const struct call *c, void *stream)
{
#ifdef __cplusplus
    wide_box(s, b, c, stream);
#else
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++) wide_box(s, (struct box){b.i0, b.i1, k, k + 1, j, j + 1}, c, stream);
#endif
}

SF_PART_STAGE(advmix_wide, wide_all)
