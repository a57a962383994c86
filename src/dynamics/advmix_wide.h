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

/* What a line through a point gives to a tendency; along x and y the mixing has no weight yet. */
struct part {
    SF_NUMBER advection, mixing;
};

/* Of q that carries itself along x or y; and of a wind on faces. */
SF_FORMULA struct part part_self(int kind, struct line7 q, struct axis6 a)
{
    struct part p = {advect6_self(kind & ADVECT_UPWIND, q, q, a), R(0.0)};
    if ((kind & MIX_MASK) != MIX_NONE) p.mixing = mix_level(kind & MIX_MASK, line5_of(q));
    return p;
}

SF_FORMULA struct part part_faces(int kind, struct line7 q, struct faces6 f, struct axis6 a)
{
    struct part p = {advect6_faces(kind & ADVECT_UPWIND, q, f, a), R(0.0)};
    if ((kind & MIX_MASK) != MIX_NONE) p.mixing = mix_level(kind & MIX_MASK, line5_of(q));
    return p;
}

/* The same in flux form. f2 and f3: the wind below and above the point. */
SF_FORMULA struct part part_flux(int kind, struct line7 q, SF_NUMBER f2, SF_NUMBER f3, struct axis6 a)
{
    struct part p = {advect6_flux(kind & ADVECT_UPWIND, q, f2, f3, a), R(0.0)};
    if ((kind & MIX_MASK) != MIX_NONE) p.mixing = mix_level(kind & MIX_MASK, line5_of(q));
    return p;
}

/* Along z. q0: the base profile, which is not mixed. */
SF_FORMULA struct part part_upright(int kind, SF_NUMBER advection, struct line7 q, struct line5 q0, struct weights m)
{
    struct part p = {advection, R(0.0)};
    if ((kind & MIX_MASK) == MIX_NONE) return p;
    const struct line5 up = {q.m2 - q0.m2, q.m1 - q0.m1, q.c - q0.c, q.p1 - q0.p1, q.p2 - q0.p2};
    p.mixing = mix_upright(kind & MIX_MASK, up, m.z_top, m.z_bottom);
    return p;
}

SF_FORMULA struct part part_lifted(int kind, struct line7 q, struct line5 q0, struct faces6 w, struct line7 rho,
                                   struct weights m)
{
    const SF_NUMBER advection =
        advect6_faces(kind & ADVECT_UPWIND, q, faces6_weighted(w, rho), axis6_faces(m.z_near, m.z_wide));
    return part_upright(kind, advection, q, q0, m);
}

SF_FORMULA SF_NUMBER parts_advected(struct part x, struct part y, struct part z)
{
    return (x.advection + y.advection) + z.advection;
}

SF_FORMULA SF_NUMBER parts_mixed(int kind, SF_NUMBER sum, struct part x, struct part y, struct part z, struct weights m)
{
    return (kind & MIX_MASK) == MIX_NONE ? sum : mix_summed(sum, x.mixing, y.mixing, z.mixing, m);
}

/* u: the wind on its axis is u itself. v: the same with the axes exchanged. */
SF_FORMULA SF_NUMBER u_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, struct pairs6 v,
                                     struct pairs6 w, struct line7 rho, struct line5 u0, struct weights m)
{
    const struct part along_x = part_self(kind, x, axis6_self(m.x_near, m.x_wide));
    const struct part along_y = part_faces(kind, y, pairs6_sum(v), axis6_faces(m.y_near, m.y_wide));
    const struct part along_z = part_lifted(kind, z, u0, pairs6_sum(w), rho, m);
    return parts_mixed(kind, parts_advected(along_x, along_y, along_z), along_x, along_y, along_z, m);
}

SF_FORMULA SF_NUMBER v_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, struct pairs6 u,
                                     struct pairs6 w, struct line7 rho, struct line5 v0, struct weights m)
{
    const struct part along_x = part_faces(kind, x, pairs6_sum(u), axis6_faces(m.x_near, m.x_wide));
    const struct part along_y = part_self(kind, y, axis6_self(m.y_near, m.y_wide));
    const struct part along_z = part_lifted(kind, z, v0, pairs6_sum(w), rho, m);
    return parts_mixed(kind, parts_advected(along_x, along_y, along_z), along_x, along_y, along_z, m);
}

/* With buoyancy: g / (2 theta_0) at the face. */
SF_FORMULA SF_NUMBER w_sum_wide(int kind, struct part x, struct part y, struct part z, struct weights m,
                                SF_NUMBER buoyancy, SF_NUMBER theta_below, SF_NUMBER theta_above)
{
    const SF_NUMBER sum = SF_NUMBER_FMA(buoyancy, theta_below + theta_above, parts_advected(x, y, z));
    return parts_mixed(kind, sum, x, y, z, m);
}

/* rho: on the faces -3 .. 3 of the one where w stands. */
SF_FORMULA SF_NUMBER w_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, struct pairs6 u,
                                     struct pairs6 v, struct line7 rho, struct weights m, SF_NUMBER buoyancy,
                                     SF_NUMBER theta_below, SF_NUMBER theta_above)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const struct line7 mass = {rho.m3 * z.m3, rho.m2 * z.m2, rho.m1 * z.m1, rho.c * z.c,
                               rho.p1 * z.p1, rho.p2 * z.p2, rho.p3 * z.p3};
    const struct part along_x = part_faces(kind, x, pairs6_sum(u), axis6_faces(m.x_near, m.x_wide));
    const struct part along_y = part_faces(kind, y, pairs6_sum(v), axis6_faces(m.y_near, m.y_wide));
    const SF_NUMBER lift = advect6_self(kind & ADVECT_UPWIND, z, mass, axis6_self(m.z_near, m.z_wide));
    const struct part along_z = part_upright(kind, lift, z, none, m);
    return w_sum_wide(kind, along_x, along_y, along_z, m, buoyancy, theta_below, theta_above);
}

/* Advection alone. */
SF_FORMULA SF_NUMBER pi_tendency_wide(struct line7 x, struct line7 y, struct line7 z, struct faces6 u, struct faces6 v,
                                      struct faces6 w, struct line7 rho, struct weights m)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const struct part along_x = part_faces(MIX_NONE, x, u, axis6_faces(m.x_near, m.x_wide));
    const struct part along_y = part_faces(MIX_NONE, y, v, axis6_faces(m.y_near, m.y_wide));
    return parts_advected(along_x, along_y, part_lifted(MIX_NONE, z, none, w, rho, m));
}

/* base_bottom, base_top: half of d theta_0 / dz at the faces below and above, where the wind is w_bottom and w_top. */
SF_FORMULA SF_NUMBER theta_sum_wide(int kind, struct part x, struct part y, struct part z, struct weights m,
                                    SF_NUMBER w_bottom, SF_NUMBER w_top, SF_NUMBER base_bottom, SF_NUMBER base_top)
{
    const SF_NUMBER sum = parts_advected(x, y, z) - SF_NUMBER_FMA(w_top, base_top, w_bottom * base_bottom);
    return parts_mixed(kind, sum, x, y, z, m);
}

/* In flux form; the wind on the six faces of the cell. */
SF_FORMULA SF_NUMBER theta_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, SF_NUMBER ub,
                                         SF_NUMBER uc, SF_NUMBER vb, SF_NUMBER vc, SF_NUMBER wb, SF_NUMBER wc,
                                         struct weights m, SF_NUMBER base_bottom, SF_NUMBER base_top)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const struct part along_x = part_flux(kind, x, ub, uc, axis6_faces(m.x_near, m.x_wide));
    const struct part along_y = part_flux(kind, y, vb, vc, axis6_faces(m.y_near, m.y_wide));
    const SF_NUMBER lift =
        advect6_flux(kind & ADVECT_UPWIND, z, m.rho.f1 * wb, m.rho.f2 * wc, axis6_faces(m.z_near, m.z_wide));
    const struct part along_z = part_upright(kind, lift, z, none, m);
    return theta_sum_wide(kind, along_x, along_y, along_z, m, wb, wc, base_bottom, base_top);
}
