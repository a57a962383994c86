/* The slow tendencies of the five fields at one point with advection of 6th order, or 5th-order upwind: advmix.h with
 * lines of seven points. Mixing, buoyancy and what is advected by what are the same. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advect6.h"
#include "dynamics/advmix.h"

/* The two values of the wind at either side of each face, which are added. */
struct pairs6 {
    struct faces6 a, b;
};

/* The inner five points. */
SF_FORMULA struct line5 line5_of(struct line7 q)
{
    const struct line5 l = {q.m2, q.m1, q.c, q.p1, q.p2};
    return l;
}

SF_FORMULA struct faces6 pairs6_sum(struct pairs6 p)
{
    const struct faces6 f = {p.a.f0 + p.b.f0, p.a.f1 + p.b.f1, p.a.f2 + p.b.f2,
                             p.a.f3 + p.b.f3, p.a.f4 + p.b.f4, p.a.f5 + p.b.f5};
    return f;
}

/* A vertical wind on the faces -5/2 .. 5/2 of a level, times rho_0 there. rho: on the faces -7/2 .. 5/2. */
SF_FORMULA struct faces6 faces6_weighted(struct faces6 w, struct line7 rho)
{
    const struct faces6 f = {rho.m2 * w.f0, rho.m1 * w.f1, rho.c * w.f2, rho.p1 * w.f3, rho.p2 * w.f4, rho.p3 * w.f5};
    return f;
}

/* Mixing of q in three dimensions, of its inner points. q0: the base profile on the vertical line, which is not
 * mixed. */
SF_FORMULA SF_NUMBER wide_mixed(int kind, SF_NUMBER sum, struct line7 x, struct line7 y, struct line7 z,
                                struct line5 q0, struct weights m)
{
    if ((kind & MIX_MASK) == MIX_NONE) return sum;
    const struct line5 up = {z.m2 - q0.m2, z.m1 - q0.m1, z.c - q0.c, z.p1 - q0.p1, z.p2 - q0.p2};
    const struct lift l = {R(0.0), R(0.0), mix_upright(kind & MIX_MASK, up, m.z_top, m.z_bottom)};
    return mix_added(kind, sum, line5_of(x), line5_of(y), l, m);
}

/* u: the wind on its axis is u itself. v: the same with the axes exchanged. */
SF_FORMULA SF_NUMBER u_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, struct pairs6 v,
                                     struct pairs6 w, struct line7 rho, struct line5 u0, struct weights m)
{
    const int up = kind & ADVECT_UPWIND;
    const SF_NUMBER level = advect6_self(up, x, x, axis6_self(m.x_near, m.x_wide)) +
                            advect6_faces(up, y, pairs6_sum(v), axis6_faces(m.y_near, m.y_wide));
    const SF_NUMBER lift = advect6_faces(up, z, faces6_weighted(pairs6_sum(w), rho), axis6_faces(m.z_near, m.z_wide));
    return wide_mixed(kind, level + lift, x, y, z, u0, m);
}

SF_FORMULA SF_NUMBER v_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, struct pairs6 u,
                                     struct pairs6 w, struct line7 rho, struct line5 v0, struct weights m)
{
    const int up = kind & ADVECT_UPWIND;
    const SF_NUMBER level = advect6_self(up, y, y, axis6_self(m.y_near, m.y_wide)) +
                            advect6_faces(up, x, pairs6_sum(u), axis6_faces(m.x_near, m.x_wide));
    const SF_NUMBER lift = advect6_faces(up, z, faces6_weighted(pairs6_sum(w), rho), axis6_faces(m.z_near, m.z_wide));
    return wide_mixed(kind, level + lift, x, y, z, v0, m);
}

/* rho: on the faces -3 .. 3 of the one where w stands. buoyancy: g / (2 theta_0) there. */
SF_FORMULA SF_NUMBER w_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, struct pairs6 u,
                                     struct pairs6 v, struct line7 rho, struct weights m, SF_NUMBER buoyancy,
                                     SF_NUMBER theta_below, SF_NUMBER theta_above)
{
    const int up = kind & ADVECT_UPWIND;
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const struct line7 mass = {rho.m3 * z.m3, rho.m2 * z.m2, rho.m1 * z.m1, rho.c * z.c,
                               rho.p1 * z.p1, rho.p2 * z.p2, rho.p3 * z.p3};
    const SF_NUMBER level = advect6_faces(up, x, pairs6_sum(u), axis6_faces(m.x_near, m.x_wide)) +
                            advect6_faces(up, y, pairs6_sum(v), axis6_faces(m.y_near, m.y_wide));
    const SF_NUMBER lift = advect6_self(up, z, mass, axis6_self(m.z_near, m.z_wide));
    return wide_mixed(kind, SF_NUMBER_FMA(buoyancy, theta_below + theta_above, level + lift), x, y, z, none, m);
}

/* Advection alone. */
SF_FORMULA SF_NUMBER scalar_advection_wide(int upwind, struct line7 x, struct line7 y, struct line7 z, struct faces6 u,
                                           struct faces6 v, struct faces6 w, struct line7 rho, struct weights m)
{
    const SF_NUMBER level = advect6_faces(upwind, x, u, axis6_faces(m.x_near, m.x_wide)) +
                            advect6_faces(upwind, y, v, axis6_faces(m.y_near, m.y_wide));
    return level + advect6_faces(upwind, z, faces6_weighted(w, rho), axis6_faces(m.z_near, m.z_wide));
}

SF_FORMULA SF_NUMBER pi_tendency_wide(struct line7 x, struct line7 y, struct line7 z, struct faces6 u, struct faces6 v,
                                      struct faces6 w, struct line7 rho, struct weights m)
{
    return scalar_advection_wide(0, x, y, z, u, v, w, rho, m);
}

/* base_bottom, base_top: half of d theta_0 / dz at the faces below and above. */
SF_FORMULA SF_NUMBER theta_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, struct faces6 u,
                                         struct faces6 v, struct faces6 w, struct line7 rho, struct weights m,
                                         SF_NUMBER base_bottom, SF_NUMBER base_top)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const SF_NUMBER sum = scalar_advection_wide(kind & ADVECT_UPWIND, x, y, z, u, v, w, rho, m) -
                          SF_NUMBER_FMA(w.f3, base_top, w.f2 * base_bottom);
    return wide_mixed(kind, sum, x, y, z, none, m);
}
