/* The five tendencies with lines of seven points, of columns that go up level by level: what two levels have in common
 * is computed once and kept in registers. Registers do for one field: a warp computes one, or both scalars, and others
 * the rest, those of its block out of the same planes. T: the tile, see advmix_wide_tiles.cuh.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advmix_planes.cuh"
#include "dynamics/advmix_wide.h"

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Weights along x and y: they come as an argument, so that instructions find them where they stand. */
struct wide_weights {
    struct axis6 x_self, x_cross, x, y_self, y_cross, y;
    struct weights mix;
};

static inline struct wide_weights wide_weights_make(const struct dynamics *d)
{
    const struct level none = {};
    return {axis6_self(d->ax_self, d->bx_self),
            axis6_faces(d->ax_cross, d->bx_cross),
            axis6_faces(d->ax, d->bx),
            axis6_self(d->ay_self, d->by_self),
            axis6_faces(d->ay_cross, d->by_cross),
            axis6_faces(d->ay, d->by),
            weights_centre(d, &none)};
}

/* What shared memory holds of a level k: weights of u and v, of w, of scalars; base profiles at k - 1 .. k + 2; rho_0
 * at k + 3. */
struct alignas(4 * sizeof(real)) wide_step {
    struct axis6 wind, w, scalar;
    struct line4 u0, v0;
    real top, bottom, top_f, bottom_f;
    real slope_bottom, slope_top, buoyancy_f, rho_f;
};

__device__ static inline struct line4 four_of(const real *p, int k) { return {p[k - 1], p[k], p[k + 1], p[k + 2]}; }

__device__ static inline struct wide_step wide_step_make(const struct slab &s, int k)
{
    const struct level l = level_make(&s, k);
    struct wide_step t;
    t.wind = axis6_faces(l.at.near_half, l.at.wide_half);
    t.w = axis6_self(l.at.near_f, l.at.wide_f);
    t.scalar = axis6_faces(l.at.near, l.at.wide);
    t.u0 = four_of(s.f[P_U0], k), t.v0 = four_of(s.f[P_V0], k);
    t.top = l.at.top, t.bottom = l.at.bottom, t.top_f = l.at.top_f, t.bottom_f = l.at.bottom_f;
    t.slope_bottom = l.at.slope_bottom, t.slope_top = l.at.slope_top, t.buoyancy_f = l.at.buoyancy_f;
    t.rho_f = s.f[P_RHOF][k + 3];
    return t;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

template <int N, int SIDE> __device__ static inline struct line7 line7_x(const window<N, SIDE> &x, int n)
{
    const real *const q = x.at + SIDE + n;
    return {q[-3], q[-2], q[-1], q[0], q[1], q[2], q[3]};
}

template <int N, int SIDE> __device__ static inline struct faces6 faces6_x(const window<N, SIDE> &x, int n)
{
    const real *const q = x.at + SIDE + n;
    return {q[-2], q[-1], q[0], q[1], q[2], q[3]};
}

template <int N> __device__ static inline struct line7 line7_y(const rows<N, 7> &y, int n)
{
    return {y.at[0].at[n], y.at[1].at[n], y.at[2].at[n], y.at[3].at[n], y.at[4].at[n], y.at[5].at[n], y.at[6].at[n]};
}

template <int N> __device__ static inline struct faces6 faces6_y(const rows<N, 6> &y, int n)
{
    return {y.at[0].at[n], y.at[1].at[n], y.at[2].at[n], y.at[3].at[n], y.at[4].at[n], y.at[5].at[n]};
}

template <int N> __device__ static inline points<N> sum_of(const points<N> &a, const points<N> &b)
{
    points<N> t;
    for (int n = 0; n < N; n++) t.at[n] = a.at[n] + b.at[n];
    return t;
}

/* And the points a column west of them. */
template <class T> __device__ static inline points<T::N> west_of(const plane<T> &p, int f, int j, const points<T::N> &q)
{
    points<T::N> t;
    t.at[0] = p.at[f * T::FIELD + j * T::PITCH - 1];
    for (int n = 1; n < T::N; n++) t.at[n] = q.at[n - 1];
    return t;
}

/* The wind on faces beside a thread's points: u along x in row j, v along y; and the sum with that of another plane or
 * row. */
template <class T> __device__ static inline window<T::N, T::SIDE> u_faces(const plane<T> &p, int j)
{
    return p.along_x(OF_U, j, p.load(OF_U, 0, j));
}

template <class T>
__device__ static inline window<T::N, T::SIDE> u_pairs(const plane<T> &a, int j, const plane<T> &b, int other)
{
    window<T::N, T::SIDE> p = u_faces<T>(a, j);
    const window<T::N, T::SIDE> q = u_faces<T>(b, other);
    for (int i = 0; i < T::N + 2 * T::SIDE; i++) p.at[i] = p.at[i] + q.at[i];
    return p;
}

template <class T> __device__ static inline rows<T::N, 6> v_faces(const plane<T> &p)
{
    rows<T::N, 6> y;
    for (int j = -2; j <= 3; j++) y.at[j + 2] = p.load(OF_V, 0, j);
    return y;
}

/* ---- going up ---------------------------------------------------------------------------------------------------- */

/* What level k takes over of a field's line along z: the field at k-3 .. k+2; products of wind and difference over one,
 * two and three points, of the faces or points below k; fluxes at the face below (`face`: F of advect6.h, of theta').
 */
struct climb6 {
    real m3, m2, m1, c, p1, p2;
    real one, face, two_m2, two_m1, three_m3, three_m2, three_m1, upwind, flux;
};

/* The line along z when q, at k + 3, comes. */
__device__ static inline void line_shift(struct climb6 &a, real q)
{
    a.m3 = a.m2, a.m2 = a.m1, a.m1 = a.c, a.c = a.p1, a.p1 = a.p2, a.p2 = q;
}

/* Mixing of a level. */
template <int kind>
__device__ static inline void climb6_mix(struct climb6 &a, struct part &l, const struct line4 &base, real top,
                                         real bottom)
{
    if ((kind & MIX_MASK) == MIX_NONE) return;
    const real flux = mix_flux(kind & MIX_MASK, a.m1 - base.f0, a.c - base.f1, a.p1 - base.f2, a.p2 - base.f3);
    l.mixing = mix_between(a.flux, flux, top, bottom);
    a.flux = flux;
}

/* theta' up by a level. e: the vertical wind times rho_0 on the face k+1. The bits are those of advect6_flux and
 * part_upright. */
template <int kind>
__device__ static inline struct part climb6_flux(struct climb6 &a, real q, real e, const struct axis6 &m,
                                                 const struct line4 &base, real top, real bottom)
{
    const real one = e * (a.p1 - a.c), face = flux6_upwind(kind & ADVECT_UPWIND, a.m2, a.m1, a.c, a.p1, a.p2, q, e);
    struct part l = {advect6_flux_sum(a.one, one, a.face, face, m), R(0.0)};
    climb6_mix<kind>(a, l, base, top, bottom);
    a.one = one, a.face = face;
    line_shift(a, q);
    return l;
}

/* Up by a level: q, at k + 3, comes. f: the vertical wind times rho_0 on the faces k-2 .. k+3, counted as w is. The
 * bits are those of advect6_faces and part_upright; of w, which carries itself, those of advect6_self. */
template <int field, int kind>
__device__ static inline struct part climb6_on(struct climb6 &a, real q, const struct faces6 &f, const struct axis6 &m,
                                               const struct line4 &base, real top, real bottom)
{
    constexpr int is_self = field == OF_W;
    const real e1 = is_self ? f.f2 + f.f3 : f.f3, e2 = is_self ? f.f2 + f.f4 : f.f3 + f.f4;
    const real one = e1 * (a.p1 - a.c), two = e2 * (a.p2 - a.c);
    real three;
    if (is_self) {
        const real product = (f.f2 + f.f5) * (q - a.c);
        three = product + a.three_m3;
        a.three_m3 = a.three_m2, a.three_m2 = a.three_m1, a.three_m1 = product;
    } else {
        three = (e2 + f.f5) * (q - a.c) + ((f.f2 + f.f1) + f.f0) * (a.c - a.m3);
    }
    /* Of pi' computed anew: a warp that has theta' beside it has no registers for it. */
    const real two_below = field == OF_PI ? (f.f2 + f.f1) * (a.c - a.m2) : a.two_m2;
    struct part l = {advect6_sum(one + a.one, two + two_below, three, m), R(0.0)};
    if (kind & ADVECT_UPWIND) {
        const real upwind = upwind5_face(a.m2, a.m1, a.c, a.p1, a.p2, q, e1);
        l.advection = l.advection + upwind5_between(a.upwind, upwind, m.upwind);
        a.upwind = upwind;
    }
    climb6_mix<kind>(a, l, base, top, bottom);
    a.one = one, a.two_m2 = a.two_m1, a.two_m1 = two;
    line_shift(a, q);
    return l;
}

/* The vertical wind times rho_0 on faces k-2 .. k+3 of a thread's columns. */
template <int N> struct stream {
    points<N> at[6];
    __device__ struct faces6 of(int n) const
    {
        return {at[0].at[n], at[1].at[n], at[2].at[n], at[3].at[n], at[4].at[n], at[5].at[n]};
    }
};

/* Up by a level, as `field` takes it: u and v take sums of two. p: plane k + 3. */
template <int field, class T> __device__ static inline void stream_up(stream<T::N> &w, const plane<T> &p, real rho)
{
    points<T::N> q = p.load(OF_W, 0, 0);
    if (field == OF_U) q = sum_of<T::N>(q, west_of<T>(p, OF_W, 0, q));
    if (field == OF_V) q = sum_of<T::N>(q, p.load(OF_W, 0, -1));
    for (int n = 0; n < T::N; n++) q.at[n] = rho * q.at[n];
    for (int k = 0; k < 5; k++) w.at[k] = w.at[k + 1];
    w.at[5] = q;
}

/* A field's lines. */
template <int N> struct lines {
    struct climb6 of[N];
};

template <int field, int kind, class T>
__device__ static inline void lines_up(struct part *l, lines<T::N> &a, const stream<T::N> &w, const plane<T> &p,
                                       const struct wide_step &s)
{
    const struct line4 none = {R(0.0), R(0.0), R(0.0), R(0.0)};
    const struct axis6 &m = field == OF_W ? s.w : field == OF_U || field == OF_V ? s.wind : s.scalar;
    const struct line4 &base = field == OF_U ? s.u0 : field == OF_V ? s.v0 : none;
    const real top = field == OF_W ? s.top_f : s.top, bottom = field == OF_W ? s.bottom_f : s.bottom;
    const points<T::N> q = p.load(field, 0, 0);
    for (int n = 0; n < T::N; n++)
        if constexpr (field == OF_TH) l[n] = climb6_flux<kind>(a.of[n], q.at[n], w.of(n).f3, m, base, top, bottom);
        else
            l[n] = climb6_on < field,
            field == OF_PI ? MIX_NONE : kind > (a.of[n], q.at[n], w.of(n), m, base, top, bottom);
}

/* What a level is computed from: planes k-1, k, k+1 and k+3. */
template <class T> struct stand6 {
    plane<T> below, here, next, above;
    const struct wide_step &step;
    const struct wide_weights &weights;
};

/* A field's values at k, of lines that have climbed to the next level. */
template <int N> __device__ static inline points<N> left_by(const lines<N> &a)
{
    points<N> q;
    for (int n = 0; n < N; n++) q.at[n] = a.of[n].m1;
    return q;
}

template <int field, int kind, class T>
__device__ static inline void parts_x(struct part *p, const plane<T> &here, const lines<T::N> &a,
                                      const window<T::N, T::SIDE> &u, const struct axis6 &m)
{
    const window<T::N, T::SIDE> q = here.along_x(field, 0, left_by<T::N>(a));
    for (int n = 0; n < T::N; n++) {
        const struct line7 l = line7_x<T::N>(q, n);
        const struct faces6 f = faces6_x<T::N>(u, n);
        if constexpr (field == OF_TH) p[n] = part_flux(kind, l, f.f2, f.f3, m);
        else p[n] = part_faces(kind, l, f, m);
    }
}

template <int field, int kind, class T>
__device__ static inline void parts_y(struct part *p, const plane<T> &here, const lines<T::N> &a,
                                      const rows<T::N, 6> &v, const struct axis6 &m)
{
    const rows<T::N, 7> q = here.along_y(field, left_by<T::N>(a));
    for (int n = 0; n < T::N; n++) {
        const struct line7 l = line7_y<T::N>(q, n);
        const struct faces6 f = faces6_y<T::N>(v, n);
        if constexpr (field == OF_TH) p[n] = part_flux(kind, l, f.f2, f.f3, m);
        else p[n] = part_faces(kind, l, f, m);
    }
}

/* ---- roles ------------------------------------------------------------------------------------------------------- */

/* What a warp has to do: columns of a field (or of both scalars) on their way. begin: up to plane k + 3 without
 * tendencies; level: with them, which go to `to`; has_read() of it: the thread does not read plane k - 1 again. One
 * axis after the other, so that few registers hold what is for one alone. */
template <int kind, class T> struct role_u {
    lines<T::N> u;
    stream<T::N> w;
    __device__ void begin(const plane<T> &p, const struct wide_step &s)
    {
        struct part l[T::N];
        stream_up<OF_U, T>(w, p, s.rho_f);
        lines_up<OF_U, kind, T>(l, u, w, p, s);
    }
    template <class D> __device__ void level(const stand6<T> &a, const D &to)
    {
        constexpr int N = T::N;
        struct part x[N], y[N], z[N];
        to.has_read();
        stream_up<OF_U, T>(w, a.above, a.step.rho_f);
        lines_up<OF_U, kind, T>(z, u, w, a.above, a.step);
        const window<N, T::SIDE> q = a.here.along_x(OF_U, 0, left_by<N>(u));
        for (int n = 0; n < N; n++) x[n] = part_self(kind, line7_x<N>(q, n), a.weights.x_self);
        rows<N, 6> v = v_faces<T>(a.here);
        for (int j = -2; j <= 3; j++) v.at[j + 2] = sum_of<N>(v.at[j + 2], west_of<T>(a.here, OF_V, j, v.at[j + 2]));
        parts_y<OF_U, kind, T>(y, a.here, u, v, a.weights.y_cross);
        points<N> t;
        for (int n = 0; n < N; n++)
            t.at[n] = parts_mixed(kind, parts_advected(x[n], y[n], z[n]), x[n], y[n], z[n], a.weights.mix);
        to.put(OF_U, t);
    }
};

template <int kind, class T> struct role_v {
    lines<T::N> v;
    stream<T::N> w;
    __device__ void begin(const plane<T> &p, const struct wide_step &s)
    {
        struct part l[T::N];
        stream_up<OF_V, T>(w, p, s.rho_f);
        lines_up<OF_V, kind, T>(l, v, w, p, s);
    }
    template <class D> __device__ void level(const stand6<T> &a, const D &to)
    {
        constexpr int N = T::N;
        struct part x[N], y[N], z[N];
        to.has_read();
        stream_up<OF_V, T>(w, a.above, a.step.rho_f);
        lines_up<OF_V, kind, T>(z, v, w, a.above, a.step);
        parts_x<OF_V, kind, T>(x, a.here, v, u_pairs<T>(a.here, 0, a.here, -1), a.weights.x_cross);
        const rows<N, 7> q = a.here.along_y(OF_V, left_by<N>(v));
        for (int n = 0; n < N; n++) y[n] = part_self(kind, line7_y<N>(q, n), a.weights.y_self);
        points<N> t;
        for (int n = 0; n < N; n++)
            t.at[n] = parts_mixed(kind, parts_advected(x[n], y[n], z[n]), x[n], y[n], z[n], a.weights.mix);
        to.put(OF_V, t);
    }
};

template <int kind, class T> struct role_w {
    lines<T::N> own;
    stream<T::N> w;
    __device__ void begin(const plane<T> &p, const struct wide_step &s)
    {
        struct part l[T::N];
        stream_up<OF_W, T>(w, p, s.rho_f);
        lines_up<OF_W, kind, T>(l, own, w, p, s);
    }
    template <class D> __device__ void level(const stand6<T> &a, const D &to)
    {
        constexpr int N = T::N;
        struct part x[N], y[N], z[N];
        stream_up<OF_W, T>(w, a.above, a.step.rho_f);
        lines_up<OF_W, kind, T>(z, own, w, a.above, a.step);
        parts_x<OF_W, kind, T>(x, a.here, own, u_pairs<T>(a.here, 0, a.below, 0), a.weights.x_cross);
        rows<N, 6> v = v_faces<T>(a.here);
        const rows<N, 6> v_below = v_faces<T>(a.below);
        const points<N> th_below = a.below.load(OF_TH, 0, 0), th = a.here.load(OF_TH, 0, 0);
        to.has_read();
        for (int j = 0; j < 6; j++) v.at[j] = sum_of<N>(v.at[j], v_below.at[j]);
        parts_y<OF_W, kind, T>(y, a.here, own, v, a.weights.y_cross);
        points<N> t;
        for (int n = 0; n < N; n++)
            t.at[n] = w_sum_wide(kind, x[n], y[n], z[n], a.weights.mix, a.step.buoyancy_f, th_below.at[n], th.at[n]);
        to.put(OF_W, t);
    }
};

/* theta' and pi', which the same wind carries. */
template <int kind, class T> struct role_scalars {
    lines<T::N> th, pi;
    stream<T::N> w;
    __device__ void begin(const plane<T> &p, const struct wide_step &s)
    {
        struct part l[T::N];
        stream_up<OF_TH, T>(w, p, s.rho_f);
        lines_up<OF_TH, kind, T>(l, th, w, p, s);
        lines_up<OF_PI, kind, T>(l, pi, w, p, s);
    }
    template <class D> __device__ void level(const stand6<T> &a, const D &to)
    {
        constexpr int N = T::N;
        struct part x[N], y[N], z[N], pi_x[N], pi_y[N], pi_z[N];
        points<N> t;
        to.has_read();
        stream_up<OF_TH, T>(w, a.above, a.step.rho_f);
        lines_up<OF_PI, kind, T>(pi_z, pi, w, a.above, a.step);
        lines_up<OF_TH, kind, T>(z, th, w, a.above, a.step);
        const window<N, T::SIDE> u = u_faces<T>(a.here, 0);
        parts_x<OF_PI, MIX_NONE, T>(pi_x, a.here, pi, u, a.weights.x);
        parts_x<OF_TH, kind, T>(x, a.here, th, u, a.weights.x);
        const rows<N, 6> v = v_faces<T>(a.here);
        parts_y<OF_PI, MIX_NONE, T>(pi_y, a.here, pi, v, a.weights.y);
        for (int n = 0; n < N; n++) t.at[n] = parts_advected(pi_x[n], pi_y[n], pi_z[n]);
        to.put(OF_PI, t);
        parts_y<OF_TH, kind, T>(y, a.here, th, v, a.weights.y);
        const points<N> bottom = a.here.load(OF_W, 0, 0), top = a.next.load(OF_W, 0, 0);
        for (int n = 0; n < N; n++)
            t.at[n] = theta_sum_wide(kind, x[n], y[n], z[n], a.weights.mix, bottom.at[n], top.at[n],
                                     a.step.slope_bottom, a.step.slope_top);
        to.put(OF_TH, t);
    }
};
