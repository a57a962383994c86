/* The slow tendencies of the five fields at one point: 4th-order advection, mixing, and buoyancy.
 *
 *     u_t = -(u, v, w) . grad u + M_u          pi_t = -(u, v, w) . grad pi'
 *     w_t = -(u, v, w) . grad w + M_w + g theta'/theta_0
 *     theta_t = -(u, v, w) . grad theta' - w dtheta_0/dz + M_theta
 *
 * A field gives its values on three lines through the point; the wind comes as pairs of values, four pairs a line, at
 * -3/2, -1/2, 1/2 and 3/2 of the point: the two are added here. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/mix.h"

/* What a tendency is made of, a literal: one of enum mix_kind, and this when the wind and theta' are carried 3rd-order
 * upwind rather than 4th-order centred. */
enum { MIX_MASK = 7, ADVECT_UPWIND = 8 };

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

SF_FORMULA SF_NUMBER advect_pairs_weighted(struct line5 q, struct pairs p, const struct weights m)
{
    return advect4_faces(q, m.rho.f0 * (p.a.f0 + p.b.f0), m.rho.f1 * (p.a.f1 + p.b.f1), m.rho.f2 * (p.a.f2 + p.b.f2),
                         m.rho.f3 * (p.a.f3 + p.b.f3), m.z_near, m.z_wide);
}

/* Mixing of q in three dimensions; q0: the base profile on the vertical line, which is not mixed. */
SF_FORMULA SF_NUMBER mix_star(int kind, struct star q, struct line5 q0, struct weights m)
{
    const SF_NUMBER level = m.x_mix * mix_level(kind, q.x) + m.y_mix * mix_level(kind, q.y);
    const struct line5 z = {q.z.m2 - q0.m2, q.z.m1 - q0.m1, q.z.c - q0.c, q.z.p1 - q0.p1, q.z.p2 - q0.p2};
    return level + mix_upright(kind, z, m.z_top, m.z_bottom);
}

SF_FORMULA SF_NUMBER mix_added(int kind, SF_NUMBER sum, struct star q, struct line5 q0, struct weights m)
{
    return (kind & MIX_MASK) == MIX_NONE ? sum : sum + mix_star(kind & MIX_MASK, q, q0, m);
}

/* The upwind part on three axes: the wind (or the sum of two, with half the weight) below and above the point on each. */
SF_FORMULA SF_NUMBER upwind_star(struct star q, SF_NUMBER x1, SF_NUMBER x2, SF_NUMBER x_twelfth, SF_NUMBER y1, SF_NUMBER y2,
                                 SF_NUMBER y_twelfth, SF_NUMBER z1, SF_NUMBER z2, SF_NUMBER z_twelfth)
{
    return (upwind3(q.x, x1, x2, x_twelfth) + upwind3(q.y, y1, y2, y_twelfth)) + upwind3(q.z, z1, z2, z_twelfth);
}

/* u, advected by itself in x and by pairs of v and w across. v: the same with the axes exchanged. */
SF_FORMULA SF_NUMBER u_tendency(int kind, struct star u, struct pairs v, struct pairs w, struct line5 u0, struct weights m)
{
    const SF_NUMBER level = advect4_self(u.x, m.x_near, m.x_wide) + advect_pairs(u.y, v, m.y_near, m.y_wide);
    SF_NUMBER sum = level + advect_pairs_weighted(u.z, w, m);
    if (kind & ADVECT_UPWIND)
        sum = sum + upwind_star(u, u.x.c + u.x.m1, u.x.p1 + u.x.c, m.x_wide, v.a.f1 + v.b.f1, v.a.f2 + v.b.f2,
                                R(2.0) * m.y_wide, m.rho.f1 * (w.a.f1 + w.b.f1), m.rho.f2 * (w.a.f2 + w.b.f2),
                                R(2.0) * m.z_wide);
    return mix_added(kind, sum, u, u0, m);
}

SF_FORMULA SF_NUMBER v_tendency(int kind, struct star v, struct pairs u, struct pairs w, struct line5 v0, struct weights m)
{
    const SF_NUMBER level = advect4_self(v.y, m.y_near, m.y_wide) + advect_pairs(v.x, u, m.x_near, m.x_wide);
    SF_NUMBER sum = level + advect_pairs_weighted(v.z, w, m);
    if (kind & ADVECT_UPWIND)
        sum = sum + upwind_star(v, u.a.f1 + u.b.f1, u.a.f2 + u.b.f2, R(2.0) * m.x_wide, v.y.c + v.y.m1, v.y.p1 + v.y.c,
                                m.y_wide, m.rho.f1 * (w.a.f1 + w.b.f1), m.rho.f2 * (w.a.f2 + w.b.f2), R(2.0) * m.z_wide);
    return mix_added(kind, sum, v, v0, m);
}

/* m.rho stands at the faces -2, -1, 1 and 2 of the point, rho_c at the point. buoyancy: g / (2 theta_0) at the face. */
SF_FORMULA SF_NUMBER w_tendency(int kind, struct star w, struct pairs u, struct pairs v, struct weights m, SF_NUMBER rho_c,
                                SF_NUMBER buoyancy, SF_NUMBER theta_below, SF_NUMBER theta_above)
{
    const SF_NUMBER level = advect_pairs(w.x, u, m.x_near, m.x_wide) + advect_pairs(w.y, v, m.y_near, m.y_wide);
    const SF_NUMBER m2 = m.rho.f0 * w.z.m2, m1 = m.rho.f1 * w.z.m1, c = rho_c * w.z.c, p1 = m.rho.f2 * w.z.p1,
                    p2 = m.rho.f3 * w.z.p2;
    const SF_NUMBER up = advect4(w.z, c + m1, p1 + c, c + m2, p2 + c, m.z_near, m.z_wide);
    SF_NUMBER sum = SF_NUMBER_FMA(buoyancy, theta_below + theta_above, level + up);
    if (kind & ADVECT_UPWIND)
        sum = sum + upwind_star(w, u.a.f1 + u.b.f1, u.a.f2 + u.b.f2, R(2.0) * m.x_wide, v.a.f1 + v.b.f1, v.a.f2 + v.b.f2,
                                R(2.0) * m.y_wide, c + m1, p1 + c, m.z_wide);
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    return mix_added(kind, sum, w, none, m);
}

/* The wind on the faces around a scalar's point: u[i-1 .. i+2], v[j-1 .. j+2], w[k-1 .. k+2]. Plain arguments: gcc 12 does
 * not vectorise loads of neighbours into a struct. */
#define FACE_WIND                                                                                                     \
    SF_NUMBER ua, SF_NUMBER ub, SF_NUMBER uc, SF_NUMBER ud, SF_NUMBER va, SF_NUMBER vb, SF_NUMBER vc, SF_NUMBER vd,    \
        SF_NUMBER wa, SF_NUMBER wb, SF_NUMBER wc, SF_NUMBER wd

SF_FORMULA SF_NUMBER scalar_advection(struct star q, FACE_WIND, struct weights m)
{
    const SF_NUMBER level = advect4_faces(q.x, ua, ub, uc, ud, m.x_near, m.x_wide) +
                            advect4_faces(q.y, va, vb, vc, vd, m.y_near, m.y_wide);
    return level + advect4_faces(q.z, m.rho.f0 * wa, m.rho.f1 * wb, m.rho.f2 * wc, m.rho.f3 * wd, m.z_near, m.z_wide);
}

/* base_bottom, base_top: half of d theta_0 / dz at the faces below and above. */
SF_FORMULA SF_NUMBER theta_tendency(int kind, struct star q, FACE_WIND, struct weights m, SF_NUMBER base_bottom,
                                    SF_NUMBER base_top)
{
    SF_NUMBER sum = scalar_advection(q, ua, ub, uc, ud, va, vb, vc, vd, wa, wb, wc, wd, m) -
                    SF_NUMBER_FMA(wc, base_top, wb * base_bottom);
    if (kind & ADVECT_UPWIND)
        sum = sum + upwind_star(q, ub, uc, R(2.0) * m.x_wide, vb, vc, R(2.0) * m.y_wide, m.rho.f1 * wb, m.rho.f2 * wc,
                                R(2.0) * m.z_wide);
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    return mix_added(kind, sum, q, none, m);
}
#undef FACE_WIND
