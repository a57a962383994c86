/* The slow tendencies of the five fields at one point: 4th-order advection, mixing, and buoyancy.
 *
 *     u_t = -(u, v, w) . grad u + M_u          pi_t = -(u, v, w) . grad pi'
 *     w_t = -(u, v, w) . grad w + M_w + g theta'/theta_0
 *     theta_t = -(u, v, w) . grad theta' - w dtheta_0/dz + M_theta
 *
 * theta' is carried in the flux form of advect.h, the others in the advective form; advmix_wide.h has all in flux form.
 *
 * A field gives its values on three lines through the point; the wind comes as pairs of values, four pairs a line, at
 * -3/2, -1/2, 1/2 and 3/2 of the point: the two are added here. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/mix.h"

/* What a tendency is made of, a literal: one of enum mix_kind, and ADVECT_UPWIND when the wind and theta' are carried
 * upwind, of 3rd order, rather than centred, of 4th. */
enum tendency_kind {
    MIX_MASK = 7,
    ADVECT_UPWIND = 8,
    UPWIND_NONE = ADVECT_UPWIND + MIX_NONE,
    UPWIND_SECOND = ADVECT_UPWIND + MIX_SECOND,
    UPWIND_FOURTH = ADVECT_UPWIND + MIX_FOURTH,
    UPWIND_MONOTONE = ADVECT_UPWIND + MIX_MONOTONE
};

struct star {
    struct line5 x, y, z;
};

/* Four values along a line. */
struct line4 {
    SF_NUMBER f0, f1, f2, f3;
};

struct pairs {
    struct line4 a, b;
};

/* Weights along one axis: advection near and wide, mixing (x and y: one; z: top and bottom). */
struct weights {
    SF_NUMBER x_near, x_wide, y_near, y_wide, z_near, z_wide, x_mix, y_mix, z_top, z_bottom;
    struct line4 rho; /* rho_0 where the four pairs of the vertical wind stand */
};

SF_FORMULA SF_NUMBER advect_pairs(struct line5 q, struct pairs p, SF_NUMBER near, SF_NUMBER wide)
{
    return advect4_faces(q, p.a.f0 + p.b.f0, p.a.f1 + p.b.f1, p.a.f2 + p.b.f2, p.a.f3 + p.b.f3, near, wide);
}

/* What the vertical line through a point gives to a tendency. */
struct lift {
    SF_NUMBER advection, upwind, mixing;
};

/* q0: the base profile on the line, which is not mixed. w, e: the wind below and above; parts: 1, or 2 where the
 * weights are for sums of two and it comes as one. */
SF_FORMULA struct lift lift_made(int kind, SF_NUMBER advection, struct line5 q, struct line5 q0, SF_NUMBER w,
                                 SF_NUMBER e, SF_NUMBER parts, struct weights m)
{
    struct lift l = {advection, R(0.0), R(0.0)};
    if (kind & ADVECT_UPWIND) l.upwind = upwind3(q, w, e, parts * m.z_wide);
    if ((kind & MIX_MASK) == MIX_NONE) return l;
    const struct line5 z = {q.m2 - q0.m2, q.m1 - q0.m1, q.c - q0.c, q.p1 - q0.p1, q.p2 - q0.p2};
    l.mixing = mix_upright(kind & MIX_MASK, z, m.z_top, m.z_bottom);
    return l;
}

/* w, e, ww, ee: the wind as advect4 takes it. */
SF_FORMULA struct lift lift_of(int kind, struct line5 q, struct line5 q0, SF_NUMBER w, SF_NUMBER e, SF_NUMBER ww,
                               SF_NUMBER ee, SF_NUMBER parts, struct weights m)
{
    return lift_made(kind, advect4(q, w, e, ww, ee, m.z_near, m.z_wide), q, q0, w, e, parts, m);
}

/* Of a wind that comes on the faces, weighted with rho_0. */
SF_FORMULA struct lift lift_faces(int kind, struct line5 q, struct line5 q0, SF_NUMBER f0, SF_NUMBER f1, SF_NUMBER f2,
                                  SF_NUMBER f3, struct weights m)
{
    return lift_of(kind, q, q0, f1, f2, f0 + f1, f2 + f3, R(2.0), m);
}

SF_FORMULA struct lift lift_pairs(int kind, struct line5 q, struct line5 q0, struct pairs w, struct weights m)
{
    return lift_faces(kind, q, q0, m.rho.f0 * (w.a.f0 + w.b.f0), m.rho.f1 * (w.a.f1 + w.b.f1),
                      m.rho.f2 * (w.a.f2 + w.b.f2), m.rho.f3 * (w.a.f3 + w.b.f3), m);
}

/* w carries itself. m.rho stands at the faces -2, -1, 1 and 2 of the point, rho_c at the point. */
SF_FORMULA struct lift lift_self(int kind, struct line5 q, struct line5 q0, struct weights m, SF_NUMBER rho_c)
{
    const SF_NUMBER m2 = m.rho.f0 * q.m2, m1 = m.rho.f1 * q.m1, c = rho_c * q.c, p1 = m.rho.f2 * q.p1,
                    p2 = m.rho.f3 * q.p2;
    return lift_of(kind, q, q0, c + m1, p1 + c, c + m2, p2 + c, R(1.0), m);
}

/* Mixing of q in three dimensions: of what mix_level gives along x and y, and of the vertical line. */
SF_FORMULA SF_NUMBER mix_summed(SF_NUMBER sum, SF_NUMBER x, SF_NUMBER y, SF_NUMBER z, struct weights m)
{
    const SF_NUMBER level = m.x_mix * x + m.y_mix * y;
    return sum + (level + z);
}

SF_FORMULA SF_NUMBER mix_added(int kind, SF_NUMBER sum, struct line5 x, struct line5 y, struct lift z, struct weights m)
{
    if ((kind & MIX_MASK) == MIX_NONE) return sum;
    return mix_summed(sum, mix_level(kind & MIX_MASK, x), mix_level(kind & MIX_MASK, y), z.mixing, m);
}

/* The upwind part on three axes: the wind (or the sum of two, with half the weight) below and above the point on
 * each. */
SF_FORMULA SF_NUMBER upwind_star(struct line5 x, SF_NUMBER x1, SF_NUMBER x2, SF_NUMBER x_twelfth, struct line5 y,
                                 SF_NUMBER y1, SF_NUMBER y2, SF_NUMBER y_twelfth, struct lift z)
{
    return (upwind3(x, x1, x2, x_twelfth) + upwind3(y, y1, y2, y_twelfth)) + z.upwind;
}

/* u, advected by itself in x and by pairs of v and w across. v: the same with the axes exchanged. */
SF_FORMULA SF_NUMBER u_sum(int kind, struct line5 x, struct line5 y, struct pairs v, struct lift z, struct weights m)
{
    const SF_NUMBER level = advect4_self(x, m.x_near, m.x_wide) + advect_pairs(y, v, m.y_near, m.y_wide);
    SF_NUMBER sum = level + z.advection;
    if (kind & ADVECT_UPWIND)
        sum = sum + upwind_star(x, x.c + x.m1, x.p1 + x.c, m.x_wide, y, v.a.f1 + v.b.f1, v.a.f2 + v.b.f2,
                                R(2.0) * m.y_wide, z);
    return mix_added(kind, sum, x, y, z, m);
}

SF_FORMULA SF_NUMBER v_sum(int kind, struct line5 x, struct line5 y, struct pairs u, struct lift z, struct weights m)
{
    const SF_NUMBER level = advect4_self(y, m.y_near, m.y_wide) + advect_pairs(x, u, m.x_near, m.x_wide);
    SF_NUMBER sum = level + z.advection;
    if (kind & ADVECT_UPWIND)
        sum = sum + upwind_star(x, u.a.f1 + u.b.f1, u.a.f2 + u.b.f2, R(2.0) * m.x_wide, y, y.c + y.m1, y.p1 + y.c,
                                m.y_wide, z);
    return mix_added(kind, sum, x, y, z, m);
}

/* buoyancy: g / (2 theta_0) at the face. */
SF_FORMULA SF_NUMBER w_sum(int kind, struct line5 x, struct line5 y, struct pairs u, struct pairs v, struct lift z,
                           struct weights m, SF_NUMBER buoyancy, SF_NUMBER theta_below, SF_NUMBER theta_above)
{
    const SF_NUMBER level = advect_pairs(x, u, m.x_near, m.x_wide) + advect_pairs(y, v, m.y_near, m.y_wide);
    SF_NUMBER sum = SF_NUMBER_FMA(buoyancy, theta_below + theta_above, level + z.advection);
    if (kind & ADVECT_UPWIND)
        sum = sum + upwind_star(x, u.a.f1 + u.b.f1, u.a.f2 + u.b.f2, R(2.0) * m.x_wide, y, v.a.f1 + v.b.f1,
                                v.a.f2 + v.b.f2, R(2.0) * m.y_wide, z);
    return mix_added(kind, sum, x, y, z, m);
}

/* The wind on the faces around a scalar's point: u[i-1 .. i+2], v[j-1 .. j+2], w[k-1 .. k+2]. Plain arguments: gcc 12
 * does not vectorise loads of neighbours into a struct. */
#define FACE_WIND_LEVEL                                                                                                \
    SF_NUMBER ua, SF_NUMBER ub, SF_NUMBER uc, SF_NUMBER ud, SF_NUMBER va, SF_NUMBER vb, SF_NUMBER vc, SF_NUMBER vd
#define FACE_WIND FACE_WIND_LEVEL, SF_NUMBER wa, SF_NUMBER wb, SF_NUMBER wc, SF_NUMBER wd

SF_FORMULA SF_NUMBER scalar_sum(struct line5 x, struct line5 y, FACE_WIND_LEVEL, struct lift z, struct weights m)
{
    const SF_NUMBER level =
        advect4_faces(x, ua, ub, uc, ud, m.x_near, m.x_wide) + advect4_faces(y, va, vb, vc, vd, m.y_near, m.y_wide);
    return level + z.advection;
}

/* The wind on the six faces of the cell. base_bottom, base_top: half of d theta_0 / dz at those below and above. */
#define CELL_WIND SF_NUMBER ub, SF_NUMBER uc, SF_NUMBER vb, SF_NUMBER vc, SF_NUMBER wb, SF_NUMBER wc
SF_FORMULA SF_NUMBER theta_sum(int kind, struct line5 x, struct line5 y, CELL_WIND, struct lift z, struct weights m,
                               SF_NUMBER base_bottom, SF_NUMBER base_top)
{
    const SF_NUMBER level = advect4_flux(x, ub, uc, m.x_near, m.x_wide) + advect4_flux(y, vb, vc, m.y_near, m.y_wide);
    SF_NUMBER sum = (level + z.advection) - SF_NUMBER_FMA(wc, base_top, wb * base_bottom);
    if (kind & ADVECT_UPWIND) sum = sum + upwind_star(x, ub, uc, R(2.0) * m.x_wide, y, vb, vc, R(2.0) * m.y_wide, z);
    return mix_added(kind, sum, x, y, z, m);
}

/* ---- from whole lines -------------------------------------------------------------------------------------------- */

SF_FORMULA SF_NUMBER u_tendency(int kind, struct star u, struct pairs v, struct pairs w, struct line5 u0,
                                struct weights m)
{
    return u_sum(kind, u.x, u.y, v, lift_pairs(kind, u.z, u0, w, m), m);
}

SF_FORMULA SF_NUMBER v_tendency(int kind, struct star v, struct pairs u, struct pairs w, struct line5 v0,
                                struct weights m)
{
    return v_sum(kind, v.x, v.y, u, lift_pairs(kind, v.z, v0, w, m), m);
}

SF_FORMULA SF_NUMBER w_tendency(int kind, struct star w, struct pairs u, struct pairs v, struct weights m,
                                SF_NUMBER rho_c, SF_NUMBER buoyancy, SF_NUMBER theta_below, SF_NUMBER theta_above)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    return w_sum(kind, w.x, w.y, u, v, lift_self(kind, w.z, none, m, rho_c), m, buoyancy, theta_below, theta_above);
}

SF_FORMULA SF_NUMBER scalar_advection(struct star q, FACE_WIND, struct weights m)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const struct lift z =
        lift_faces(MIX_NONE, q.z, none, m.rho.f0 * wa, m.rho.f1 * wb, m.rho.f2 * wc, m.rho.f3 * wd, m);
    return scalar_sum(q.x, q.y, ua, ub, uc, ud, va, vb, vc, vd, z, m);
}

SF_FORMULA SF_NUMBER theta_tendency(int kind, struct star q, CELL_WIND, struct weights m, SF_NUMBER base_bottom,
                                    SF_NUMBER base_top)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const SF_NUMBER w = m.rho.f1 * wb, e = m.rho.f2 * wc;
    const struct lift z = lift_made(kind, advect4_flux(q.z, w, e, m.z_near, m.z_wide), q.z, none, w, e, R(2.0), m);
    return theta_sum(kind, q.x, q.y, ub, uc, vb, vc, wb, wc, z, m, base_bottom, base_top);
}
#undef CELL_WIND
#undef FACE_WIND
#undef FACE_WIND_LEVEL
