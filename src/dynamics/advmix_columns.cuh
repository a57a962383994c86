/* The five tendencies of columns that go up level by level: what two levels have in common, products of wind and
 * difference and fluxes of mixing between them, is computed once and kept in registers. Neighbours along x and y come
 * from planes in shared memory. T: the tile that they are of, see advmix_tiles.cuh. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advmix_planes.cuh"

/* ---- lines of a thread's points ---------------------------------------------------------------------------------- */

template <int N> __device__ static inline struct line5 line5_x(const window<N, 2> &x, int n)
{
    return {x.at[n], x.at[n + 1], x.at[n + 2], x.at[n + 3], x.at[n + 4]};
}

template <int N> __device__ static inline struct line4 line4_x(const window<N, 2> &x, int n)
{
    return {x.at[n + 1], x.at[n + 2], x.at[n + 3], x.at[n + 4]};
}

template <int N> __device__ static inline struct line5 line5_y(const rows<N, 5> &y, int n)
{
    return {y.at[0].at[n], y.at[1].at[n], y.at[2].at[n], y.at[3].at[n], y.at[4].at[n]};
}

template <int N> __device__ static inline struct line4 line4_y(const rows<N, 5> &y, int n)
{
    return {y.at[1].at[n], y.at[2].at[n], y.at[3].at[n], y.at[4].at[n]};
}

/* ---- going up ---------------------------------------------------------------------------------------------------- */

/* What shared memory holds of a level k: its numbers, and the profiles at k + 2. */
struct alignas(16) step {
    struct rung at;
    real rho_f, u0, v0;
};
static_assert(sizeof(struct step) == 16 * sizeof(real), "a step is as large as a tile takes it to be");

__device__ static inline struct step step_make(const struct slab &s, int k)
{
    return {level_make(&s, k).at, s.f[P_RHOF][k + 2], s.f[P_U0][k + 2], s.f[P_V0][k + 2]};
}

/* Of a plane k that columns begin with: the profiles at k itself. */
__device__ static inline struct step step_begin(const struct slab &s, int k)
{
    return {{}, s.f[P_RHOF][k], s.f[P_U0][k], s.f[P_V0][k]};
}

/* What level k takes over of a field's line along z: the field at k-1, k and k+1, and less its base profile; products
 * of wind and difference, and fluxes, at the face below k (`face`: F of advect.h, of theta'); products over two levels,
 * around k-1 and k. */
struct climb {
    real m1, c, p1, less_m1, less_c, less_p1;
    real product, face, upwind, flux, product_m2, product_m1;
};

/* Up by a level: q and `less`, at k + 2, come; `product`: of wind and difference at the face above. e: the wind there.
 * The bits are those of lift_made. */
template <int kind>
__device__ static inline struct lift climb_made(struct climb &a, real advection, real product, real q, real less,
                                                real e, real parts, const struct weights &m)
{
    struct lift l = {advection, R(0.0), R(0.0)};
    if (kind & ADVECT_UPWIND) {
        const real upwind = upwind_face(a.m1, a.c, a.p1, q, e);
        l.upwind = parts * m.z_wide * (a.upwind - upwind);
        a.upwind = upwind;
    }
    if ((kind & MIX_MASK) != MIX_NONE) {
        const real flux = mix_flux(kind & MIX_MASK, a.less_m1, a.less_c, a.less_p1, less);
        l.mixing = mix_between(a.flux, flux, m.z_top, m.z_bottom);
        a.flux = flux;
    }
    a.m1 = a.c, a.c = a.p1, a.p1 = q;
    a.less_m1 = a.less_c, a.less_c = a.less_p1, a.less_p1 = less;
    a.product = product;
    return l;
}

/* e and ee: the wind as advect4 takes it. The bits are those of lift_of. */
template <int kind>
__device__ static inline struct lift climb_on(struct climb &a, real q, real less, real e, real ee, real parts,
                                              const struct weights &m)
{
    const real product = e * (a.p1 - a.c), wide = ee * (q - a.c);
    const real advection = advect4_sum(a.product, product, a.product_m2, wide, m.z_near, m.z_wide);
    a.product_m2 = a.product_m1, a.product_m1 = wide;
    return climb_made<kind>(a, advection, product, q, less, e, parts, m);
}

/* In flux form; e: the wind on the face above. */
template <int kind>
__device__ static inline struct lift climb_flux(struct climb &a, real q, real e, const struct weights &m)
{
    const real product = e * (a.p1 - a.c), face = flux4_face(a.m1, a.c, a.p1, q, e);
    const real advection = advect_flux_sum(a.product, product, a.face, face, R(0.75) * m.z_near, R(2.0) * m.z_wide);
    a.face = face;
    return climb_made<kind>(a, advection, product, q, q, e, R(2.0), m);
}

/* The vertical wind times rho_0 on a level, as u, v and the others take it. */
template <int N> struct flow {
    points<N> u, v, w;
};

template <class T> __device__ static inline flow<T::N> flow_make(const plane<T> &p, real rho)
{
    const points<T::N> w = p.load(OF_W, 0, 0), south = p.load(OF_W, 0, -1);
    const real west = p.at[OF_W * T::FIELD - 1];
    flow<T::N> f;
    for (int n = 0; n < T::N; n++) {
        f.u.at[n] = rho * (w.at[n] + (n ? w.at[SF_MAX(n, 1) - 1] : west));
        f.v.at[n] = rho * (w.at[n] + south.at[n]);
        f.w.at[n] = rho * w.at[n];
    }
    return f;
}

/* A thread's columns on their way: their lines, and the flow through k, k+1 and k+2. */
template <int N> struct columns {
    struct climb line[ADVMIX_FIELDS][N];
    flow<N> here, next, last;
};

/* A field's lines go up by a level, to which q is the next; m: weights of the level that they leave. */
template <int kind, int N>
__device__ static inline void lines_climb(struct lift *l, columns<N> &c, int f, const points<N> &q,
                                          const struct step &s, const struct weights &m)
{
    for (int n = 0; n < N; n++) {
        struct climb &a = c.line[f][n];
        const real u = c.next.u.at[n], v = c.next.v.at[n], w = c.next.w.at[n], x = q.at[n];
        switch (f) {
        case OF_U:
            l[n] = climb_on<kind>(a, x, x - s.u0, u, u + c.last.u.at[n], R(2.0), m);
            break;
        case OF_V:
            l[n] = climb_on<kind>(a, x, x - s.v0, v, v + c.last.v.at[n], R(2.0), m);
            break;
        case OF_W:
            l[n] = climb_on<kind>(a, x, x, w + c.here.w.at[n], c.last.w.at[n] + c.here.w.at[n], R(1.0), m);
            break;
        case OF_TH:
            l[n] = climb_flux<kind>(a, x, w, m);
            break;
        default:
            l[n] = climb_on<kind>(a, x, x, w, w + c.last.w.at[n], R(2.0), m);
        }
    }
}

template <class T> __device__ static inline void flow_climb(columns<T::N> &c, const plane<T> &p, real rho)
{
    c.here = c.next, c.next = c.last, c.last = flow_make<T>(p, rho);
}

/* Without tendencies, up by a level to the plane p: from below a block's level k the columns begin with planes k-2 ..
 * k+1. */
template <int kind, class T>
__device__ static inline void columns_begin(columns<T::N> &c, const plane<T> &p, const struct step &profiles)
{
    const struct weights none = {};
    struct lift l[T::N];
    flow_climb<T>(c, p, profiles.rho_f);
    for (int f = 0; f < ADVMIX_FIELDS; f++) lines_climb<kind, T::N>(l, c, f, p.load(f, 0, 0), profiles, none);
}

/* ---- a level ----------------------------------------------------------------------------------------------------- */

template <int N> __device__ static inline points<N> own_of(const columns<N> &c, int f)
{
    points<N> q;
    for (int n = 0; n < N; n++) q.at[n] = c.line[f][n].c;
    return q;
}

/* A field around a thread's points at k, and at k + 2. */
template <int N> struct around {
    window<N, 2> x;
    rows<N, 5> y;
    points<N> next;
};

/* What is read of a level at the end of the one below, before plane k + 2 is waited for: u along x, v along y, and
 * pi'. */
template <class T> struct early {
    window<T::N, 2> u;
    rows<T::N, 5> v;
    around<T::N> pi;
};

template <class T> __device__ static inline early<T> early_make(const columns<T::N> &c, const plane<T> &here)
{
    const points<T::N> pi = own_of(c, OF_PI);
    return {here.along_x(OF_U, 0, own_of(c, OF_U)),
            here.along_y(OF_V, own_of(c, OF_V)),
            {here.along_x(OF_PI, 0, pi), here.along_y(OF_PI, pi), {}}};
}

/* What all fields of a level need: planes k-1, k, k+1 and k+2; u and v at k; its numbers. */
template <class T> struct stand {
    plane<T> below, here, next, above;
    window<T::N, 2> u;
    rows<T::N, 5> v;
    struct step step;
    struct level level; /* its numbers alone */
};

#define FACES_OF(l) l.f0, l.f1, l.f2, l.f3

template <class T>
__device__ static inline points<T::N> pi_level(columns<T::N> &c, const stand<T> &a, const struct dynamics &d,
                                               const around<T::N> &q)
{
    constexpr int N = T::N;
    const struct weights m = weights_centre(&d, &a.level);
    struct lift z[N];
    lines_climb<MIX_NONE, N>(z, c, OF_PI, q.next, a.step, m);
    points<N> t;
    for (int n = 0; n < N; n++) {
        const struct line4 u = line4_x<N>(a.u, n), v = line4_y<N>(a.v, n);
        t.at[n] = scalar_sum(line5_x<N>(q.x, n), line5_y<N>(q.y, n), FACES_OF(u), FACES_OF(v), z[n], m);
    }
    return t;
}

/* Before theta's lines climb, and w's. */
template <int kind, class T>
__device__ static inline points<T::N> w_level(columns<T::N> &c, const stand<T> &a, const struct dynamics &d,
                                              const around<T::N> &q, const window<T::N, 2> &u_below,
                                              const rows<T::N, 5> &v_below)
{
    constexpr int N = T::N;
    const struct weights m = weights_w(&d, &a.level);
    struct lift z[N];
    lines_climb<kind, N>(z, c, OF_W, q.next, a.step, m);
    points<N> t;
    for (int n = 0; n < N; n++) {
        const struct climb &theta = c.line[OF_TH][n];
        const struct pairs u = {line4_x<N>(a.u, n), line4_x<N>(u_below, n)},
                           v = {line4_y<N>(a.v, n), line4_y<N>(v_below, n)};
        t.at[n] = w_sum(kind, line5_x<N>(q.x, n), line5_y<N>(q.y, n), u, v, z[n], m, a.level.at.buoyancy_f, theta.m1,
                        theta.c);
    }
    return t;
}

/* After w's lines have climbed. */
template <int kind, class T>
__device__ static inline points<T::N> theta_level(columns<T::N> &c, const stand<T> &a, const struct dynamics &d,
                                                  const around<T::N> &q)
{
    constexpr int N = T::N;
    const struct weights m = weights_centre(&d, &a.level);
    struct lift z[N];
    lines_climb<kind, N>(z, c, OF_TH, q.next, a.step, m);
    points<N> t;
    for (int n = 0; n < N; n++) {
        const struct climb &w = c.line[OF_W][n];
        const struct line4 u = line4_x<N>(a.u, n), v = line4_y<N>(a.v, n);
        t.at[n] = theta_sum(kind, line5_x<N>(q.x, n), line5_y<N>(q.y, n), u.f1, u.f2, v.f1, v.f2, w.m1, w.c, z[n], m,
                            a.level.at.slope_bottom, a.level.at.slope_top);
    }
    return t;
}

template <int kind, class T>
__device__ static inline points<T::N> u_level(columns<T::N> &c, const stand<T> &a, const struct dynamics &d,
                                              const around<T::N> &q, const struct line4 &v_west)
{
    constexpr int N = T::N;
    const struct weights m = weights_u(&d, &a.level);
    struct lift z[N];
    lines_climb<kind, N>(z, c, OF_U, q.next, a.step, m);
    points<N> t;
    for (int n = 0; n < N; n++) {
        const struct pairs v = {line4_y<N>(a.v, n), n ? line4_y<N>(a.v, SF_MAX(n, 1) - 1) : v_west};
        t.at[n] = u_sum(kind, line5_x<N>(a.u, n), line5_y<N>(q.y, n), v, z[n], m);
    }
    return t;
}

template <int kind, class T>
__device__ static inline points<T::N> v_level(columns<T::N> &c, const stand<T> &a, const struct dynamics &d,
                                              const around<T::N> &q, const window<T::N, 2> &u_south)
{
    constexpr int N = T::N;
    const struct weights m = weights_v(&d, &a.level);
    struct lift z[N];
    lines_climb<kind, N>(z, c, OF_V, q.next, a.step, m);
    points<N> t;
    for (int n = 0; n < N; n++) {
        const struct pairs u = {line4_x<N>(a.u, n), line4_x<N>(u_south, n)};
        t.at[n] = v_sum(kind, line5_x<N>(q.x, n), line5_y<N>(a.v, n), u, z[n], m);
    }
    return t;
}
