/* The slow tendencies of the five fields at one point with advection of 6th order, or 5th-order upwind: advmix.h with
 * lines of seven points. Mixing, buoyancy and what is advected by what are the same. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advect6.h"
#include "dynamics/advmix.h"

/* The inner five points. */
SF_FORMULA struct line5 line5_of(struct line7 q)
{
    const struct line5 l = {q.m2, q.m1, q.c, q.p1, q.p2};
    return l;
}

/* What a line through a point gives to a tendency; along x and y the mixing has no weight yet. */
struct part {
    SF_NUMBER advection, mixing;
};

SF_FORMULA struct part part_made(int kind, SF_NUMBER advection, struct line7 q)
{
    struct part p = {advection, R(0.0)};
    if ((kind & MIX_MASK) != MIX_NONE) p.mixing = mix_level(kind & MIX_MASK, line5_of(q));
    return p;
}

/* Of q that carries itself along x or y; and of a wind, low and high, on the faces below and above the point. */
SF_FORMULA struct part part_self(int kind, struct line7 q, struct axis6 a)
{
    return part_made(kind, advect6_self(kind & ADVECT_UPWIND, q, q.m1, q.c, q.p1, a), q);
}

SF_FORMULA struct part part_faces(int kind, struct line7 q, SF_NUMBER low, SF_NUMBER high, struct axis6 a)
{
    return part_made(kind, advect6(kind & ADVECT_UPWIND, q, low, high, a), q);
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

/* low, high: the vertical wind on the faces of a level. */
SF_FORMULA struct part part_lifted(int kind, struct line7 q, struct line5 q0, SF_NUMBER low, SF_NUMBER high,
                                   struct weights m)
{
    const struct axis6 a = axis6_faces(m.z_near, m.z_wide);
    return part_upright(kind, advect6(kind & ADVECT_UPWIND, q, m.rho.f1 * low, m.rho.f2 * high, a), q, q0, m);
}

SF_FORMULA SF_NUMBER parts_advected(struct part x, struct part y, struct part z)
{
    return (x.advection + y.advection) + z.advection;
}

SF_FORMULA SF_NUMBER parts_mixed(int kind, SF_NUMBER sum, struct part x, struct part y, struct part z, struct weights m)
{
    return (kind & MIX_MASK) == MIX_NONE ? sum : mix_summed(sum, x.mixing, y.mixing, z.mixing, m);
}

/* A wind beside the point on two axes, below and above: of a scalar the wind, of u, v and w the sum of two. */
#define WIND_BESIDE SF_NUMBER a_low, SF_NUMBER a_high, SF_NUMBER b_low, SF_NUMBER b_high

/* u: the wind on its axis is u itself; v and w beside it. v: the same with the axes exchanged. */
SF_FORMULA SF_NUMBER u_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, WIND_BESIDE,
                                     struct line5 u0, struct weights m)
{
    const struct part along_x = part_self(kind, x, axis6_self(m.x_near, m.x_wide));
    const struct part along_y = part_faces(kind, y, a_low, a_high, axis6_faces(m.y_near, m.y_wide));
    const struct part along_z = part_lifted(kind, z, u0, b_low, b_high, m);
    return parts_mixed(kind, parts_advected(along_x, along_y, along_z), along_x, along_y, along_z, m);
}

SF_FORMULA SF_NUMBER v_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, WIND_BESIDE,
                                     struct line5 v0, struct weights m)
{
    const struct part along_x = part_faces(kind, x, a_low, a_high, axis6_faces(m.x_near, m.x_wide));
    const struct part along_y = part_self(kind, y, axis6_self(m.y_near, m.y_wide));
    const struct part along_z = part_lifted(kind, z, v0, b_low, b_high, m);
    return parts_mixed(kind, parts_advected(along_x, along_y, along_z), along_x, along_y, along_z, m);
}

/* With buoyancy: g / (2 theta_0) at the face. */
SF_FORMULA SF_NUMBER w_sum_wide(int kind, struct part x, struct part y, struct part z, struct weights m,
                                SF_NUMBER buoyancy, SF_NUMBER theta_below, SF_NUMBER theta_above)
{
    const SF_NUMBER sum = SF_NUMBER_FMA(buoyancy, theta_below + theta_above, parts_advected(x, y, z));
    return parts_mixed(kind, sum, x, y, z, m);
}

/* rho_c: at the face where w stands; m.rho: two on either side. */
SF_FORMULA SF_NUMBER w_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, WIND_BESIDE,
                                     struct weights m, SF_NUMBER rho_c, SF_NUMBER buoyancy, SF_NUMBER theta_below,
                                     SF_NUMBER theta_above)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const struct part along_x = part_faces(kind, x, a_low, a_high, axis6_faces(m.x_near, m.x_wide));
    const struct part along_y = part_faces(kind, y, b_low, b_high, axis6_faces(m.y_near, m.y_wide));
    const SF_NUMBER lift = advect6_self(kind & ADVECT_UPWIND, z, m.rho.f1 * z.m1, rho_c * z.c, m.rho.f2 * z.p1,
                                        axis6_self(m.z_near, m.z_wide));
    const struct part along_z = part_upright(kind, lift, z, none, m);
    return w_sum_wide(kind, along_x, along_y, along_z, m, buoyancy, theta_below, theta_above);
}
#undef WIND_BESIDE

/* The wind on the six faces of a cell. */
#define CELL_WIND                                                                                                      \
    SF_NUMBER u_west, SF_NUMBER u_east, SF_NUMBER v_south, SF_NUMBER v_north, SF_NUMBER w_bottom, SF_NUMBER w_top

/* Advection alone. */
SF_FORMULA SF_NUMBER pi_tendency_wide(struct line7 x, struct line7 y, struct line7 z, CELL_WIND, struct weights m)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const struct part along_x = part_faces(MIX_NONE, x, u_west, u_east, axis6_faces(m.x_near, m.x_wide));
    const struct part along_y = part_faces(MIX_NONE, y, v_south, v_north, axis6_faces(m.y_near, m.y_wide));
    return parts_advected(along_x, along_y, part_lifted(MIX_NONE, z, none, w_bottom, w_top, m));
}

/* base_bottom, base_top: half of d theta_0 / dz at the faces below and above, where the wind is w_bottom and w_top. */
SF_FORMULA SF_NUMBER theta_sum_wide(int kind, struct part x, struct part y, struct part z, struct weights m,
                                    SF_NUMBER w_bottom, SF_NUMBER w_top, SF_NUMBER base_bottom, SF_NUMBER base_top)
{
    const SF_NUMBER sum = parts_advected(x, y, z) - SF_NUMBER_FMA(w_top, base_top, w_bottom * base_bottom);
    return parts_mixed(kind, sum, x, y, z, m);
}

SF_FORMULA SF_NUMBER theta_tendency_wide(int kind, struct line7 x, struct line7 y, struct line7 z, CELL_WIND,
                                         struct weights m, SF_NUMBER base_bottom, SF_NUMBER base_top)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const struct part along_x = part_faces(kind, x, u_west, u_east, axis6_faces(m.x_near, m.x_wide));
    const struct part along_y = part_faces(kind, y, v_south, v_north, axis6_faces(m.y_near, m.y_wide));
    const struct part along_z = part_lifted(kind, z, none, w_bottom, w_top, m);
    return theta_sum_wide(kind, along_x, along_y, along_z, m, w_bottom, w_top, base_bottom, base_top);
}
#undef CELL_WIND
