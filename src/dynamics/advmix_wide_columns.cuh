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
    struct line4 u0, v0;
    real top, bottom, top_f, bottom_f;
    real slope_bottom, slope_top, buoyancy_f, rho_f;
    struct axis6 wind, w, scalar;
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

template <int N> __device__ static inline struct line7 line7_y(const rows<N, 7> &y, int n)
{
    return {y.at[0].at[n], y.at[1].at[n], y.at[2].at[n], y.at[3].at[n], y.at[4].at[n], y.at[5].at[n], y.at[6].at[n]};
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

/* The wind on the faces below and above a thread's points: u along x in row j, v along y; and the sum with that of
 * another plane or row. */
template <int N> struct beside {
    points<N> low, high;
};

template <class T> __device__ static inline beside<T::N> u_faces(const plane<T> &p, int j)
{
    const window<T::N, T::SIDE> u = p.along_x(OF_U, j, p.load(OF_U, 0, j));
    beside<T::N> w;
    for (int n = 0; n < T::N; n++) w.low.at[n] = u.at[T::SIDE + n], w.high.at[n] = u.at[T::SIDE + n + 1];
    return w;
}

template <class T> __device__ static inline beside<T::N> v_faces(const plane<T> &p)
{
    return {p.load(OF_V, 0, 0), p.load(OF_V, 0, 1)};
}

template <int N> __device__ static inline beside<N> sum_of(const beside<N> &a, const beside<N> &b)
{
    return {sum_of<N>(a.low, b.low), sum_of<N>(a.high, b.high)};
}

/* ---- going up ---------------------------------------------------------------------------------------------------- */

/* What level k takes over of a field's line along z: the field at k-2 .. k+2; at the face below the product of wind and
 * difference, F with the fifth difference (advect6.h), and the flux of mixing. */
struct climb6 {
    real m2, m1, c, p1, p2;
    real product, face, flux;
};

/* Up by a level: q, at k + 3, comes. e: the vertical wind times rho_0 on the face above, or between w and the next. The
 * bits are those of advect6 and part_upright. */
template <int kind>
__device__ static inline struct part climb6_on(struct climb6 &a, real q, real e, const struct axis6 &m,
                                               const struct line4 &base, real top, real bottom)
{
    const real product = e * (a.p1 - a.c), face = flux6_upwind(kind & ADVECT_UPWIND, a.m2, a.m1, a.c, a.p1, a.p2, q, e);
    struct part l = {advect_flux_sum(a.product, product, a.face, face, m.half, m.sixtieth), R(0.0)};
    if ((kind & MIX_MASK) != MIX_NONE) {
        const real flux = mix_flux(kind & MIX_MASK, a.m1 - base.f0, a.c - base.f1, a.p1 - base.f2, a.p2 - base.f3);
        l.mixing = mix_between(a.flux, flux, top, bottom);
        a.flux = flux;
    }
    a.product = product, a.face = face;
    a.m2 = a.m1, a.m1 = a.c, a.c = a.p1, a.p1 = a.p2, a.p2 = q;
    return l;
}

/* The vertical wind times rho_0 on faces k .. k+3 of a thread's columns. */
template <int N> struct stream {
    points<N> at[4];
};

/* Up by a level, as `field` takes it: u and v take sums of two. p: plane k + 3. */
template <int field, class T> __device__ static inline void stream_up(stream<T::N> &w, const plane<T> &p, real rho)
{
    points<T::N> q = p.load(OF_W, 0, 0);
    if (field == OF_U) q = sum_of<T::N>(q, west_of<T>(p, OF_W, 0, q));
    if (field == OF_V) q = sum_of<T::N>(q, p.load(OF_W, 0, -1));
    for (int n = 0; n < T::N; n++) q.at[n] = rho * q.at[n];
    for (int k = 0; k < 3; k++) w.at[k] = w.at[k + 1];
    w.at[3] = q;
}

/* What carries `field` between k and k + 1. */
template <int field, int N> __device__ static inline real lift_above(const stream<N> &w, int n)
{
    return field == OF_W ? w.at[1].at[n] + w.at[0].at[n] : w.at[1].at[n];
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
    constexpr int own = field == OF_PI ? MIX_NONE : kind;
    for (int n = 0; n < T::N; n++)
        l[n] = climb6_on<own>(a.of[n], q.at[n], lift_above<field, T::N>(w, n), m, base, top, bottom);
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

template <int kind, class T>
__device__ static inline void parts_x(struct part *p, const plane<T> &here, int field, const lines<T::N> &a,
                                      const beside<T::N> &u, const struct axis6 &m)
{
    const window<T::N, T::SIDE> q = here.along_x(field, 0, left_by<T::N>(a));
    for (int n = 0; n < T::N; n++) p[n] = part_faces(kind, line7_x<T::N>(q, n), u.low.at[n], u.high.at[n], m);
}

template <int kind, class T>
__device__ static inline void parts_y(struct part *p, const plane<T> &here, int field, const lines<T::N> &a,
                                      const beside<T::N> &v, const struct axis6 &m)
{
    const rows<T::N, 7> q = here.along_y(field, left_by<T::N>(a));
    for (int n = 0; n < T::N; n++) p[n] = part_faces(kind, line7_y<T::N>(q, n), v.low.at[n], v.high.at[n], m);
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
        beside<N> v = v_faces<T>(a.here);
        v.low = sum_of<N>(v.low, west_of<T>(a.here, OF_V, 0, v.low));
        v.high = sum_of<N>(v.high, west_of<T>(a.here, OF_V, 1, v.high));
        parts_y<kind, T>(y, a.here, OF_U, u, v, a.weights.y_cross);
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
        parts_x<kind, T>(x, a.here, OF_V, v, sum_of<N>(u_faces<T>(a.here, 0), u_faces<T>(a.here, -1)),
                         a.weights.x_cross);
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
        parts_x<kind, T>(x, a.here, OF_W, own, sum_of<N>(u_faces<T>(a.here, 0), u_faces<T>(a.below, 0)),
                         a.weights.x_cross);
        const beside<N> v = sum_of<N>(v_faces<T>(a.here), v_faces<T>(a.below));
        const points<N> th_below = a.below.load(OF_TH, 0, 0), th = a.here.load(OF_TH, 0, 0);
        to.has_read();
        parts_y<kind, T>(y, a.here, OF_W, own, v, a.weights.y_cross);
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
        const beside<N> u = u_faces<T>(a.here, 0);
        parts_x<MIX_NONE, T>(pi_x, a.here, OF_PI, pi, u, a.weights.x);
        parts_x<kind, T>(x, a.here, OF_TH, th, u, a.weights.x);
        const beside<N> v = v_faces<T>(a.here);
        parts_y<MIX_NONE, T>(pi_y, a.here, OF_PI, pi, v, a.weights.y);
        for (int n = 0; n < N; n++) t.at[n] = parts_advected(pi_x[n], pi_y[n], pi_z[n]);
        to.put(OF_PI, t);
        parts_y<kind, T>(y, a.here, OF_TH, th, v, a.weights.y);
        const points<N> bottom = a.here.load(OF_W, 0, 0), top = a.next.load(OF_W, 0, 0);
        for (int n = 0; n < N; n++)
            t.at[n] = theta_sum_wide(kind, x[n], y[n], z[n], a.weights.mix, bottom.at[n], top.at[n],
                                     a.step.slope_bottom, a.step.slope_top);
        to.put(OF_TH, t);
    }
};
