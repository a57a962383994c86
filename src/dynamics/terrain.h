/* Air over terrain: coordinate surfaces that follow the ground, and flatten out towards the lid.
 *
 *     z = zeta + h_1(x,y) b_1(zeta) + h_2(x,y) b_2(zeta)        J = dz/dzeta        z_x = slope of a surface of zeta
 *
 * with h_1 + h_2 the height of the ground, b = 1 there and 0 on the lid:
 *
 *     basic     b_1 = 1 - zeta / H                             h_2 = 0        Gal-Chen and Somerville 1975
 *     hybrid    b_1 = cos^6(pi zeta / (2 zeta_f)), 0 above     h_2 = 0        Klemp 2011, his equation 12
 *     sleve     b = sinh((H - zeta) / s) / sinh(H / s)         h_1 smooth     Schaer and others 2002
 *
 * Winds stay along x, y and z. Across surfaces of zeta blows W = w - z_x u - z_y v, which is 0 on the ground and on
 * the lid. Along them
 *
 *     du/dt = -cp theta (dpi'/dx - z_x dpi'/dz)        div = 1/J (d(J u)/dx + d(J v)/dy + dW/dzeta)
 *     -v . grad q = -1/J (J u dq/dx + J v dq/dy + W dq/dzeta)
 *
 * On a map whose distances are m times those on the Earth (projection.h) x and y are its coordinates, and
 *
 *     du/dt = -cp theta m (dpi'/dx - z_x dpi'/dz)     div = 1/J (m^2 (d(J u/m)/dx + d(J v/m)/dy) + dW/dzeta)
 *     -v . grad q = -1/J (m^2 (J u/m dq/dx + J v/m dq/dy) + W dq/dzeta)          W = w - m (z_x u + z_y v)
 *
 * Flows J u/m and J v/m stand on faces, 1/m there, m^2 with the weights; map.sf has what turns the wind. Where there is
 * no map m is 1, and its products change no bit.
 *
 * pi' and theta' are less what the base state has at the same height, so air as the base state has it stays at rest.
 * What small steps solve for is W: with w in its place, slopes of 0.2 are unstable at the usual steps. An explicit
 * gradient in w's equation for W's, that of the terms in z_x^2 and z_y^2, is taken back and made implicit.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advmix.h"
#include "dynamics/smallstep.h"

/* As wind_step, cp_rdx with the map factor; rise: of the surface from the one cell to the next, m; gradient: dpi'/dz
 * there, 1/m. */
SF_FORMULA real over_wind_step(real start, real tendency, real dtau, real theta_0, real theta_low, real theta_high,
                               real cp_rdx, real pi_low, real pi_high, real rise, real gradient)
{
    const real theta = theta_face(theta_0, theta_low, theta_high);
    const real along = sf_fma(-rise, gradient, pi_high - pi_low);
    return sf_audible(sf_fma(-(cp_rdx * theta), along, sf_fma(dtau, tendency, start)));
}

/* What a wind gains along the surfaces: by `flow`, J times itself on its own points, along its axis, and by pairs of
 * the other wind across. */
SF_FORMULA SF_NUMBER over_level(struct line5 self, struct line5 flow, SF_NUMBER near, SF_NUMBER wide,
                                struct line5 cross, struct pairs p, SF_NUMBER cross_near, SF_NUMBER cross_wide)
{
    return advect4(self, flow.c + flow.m1, flow.p1 + flow.c, flow.c + flow.m2, flow.p2 + flow.c, near, wide) +
           advect_pairs(cross, p, cross_near, cross_wide);
}

/* What is upwind of it, with what is along z. */
SF_FORMULA SF_NUMBER over_upwind(struct line5 self, struct line5 flow, SF_NUMBER wide, struct line5 cross,
                                 struct pairs p, SF_NUMBER cross_wide, struct lift z)
{
    return upwind_star(self, flow.c + flow.m1, flow.p1 + flow.c, wide, cross, p.a.f1 + p.b.f1, p.a.f2 + p.b.f2,
                       R(2.0) * cross_wide, z);
}

/* m: weights over J. */
SF_FORMULA SF_NUMBER over_u(int kind, struct star u, struct line5 flow, struct pairs v, struct pairs w, struct line5 u0,
                            struct weights m)
{
    const struct lift z = lift_pairs(kind, u.z, u0, w, m);
    SF_NUMBER sum = over_level(u.x, flow, m.x_near, m.x_wide, u.y, v, m.y_near, m.y_wide) + z.advection;
    if (kind & ADVECT_UPWIND) sum = sum + over_upwind(u.x, flow, m.x_wide, u.y, v, m.y_wide, z);
    return mix_added(kind, sum, u.x, u.y, z, m);
}

SF_FORMULA SF_NUMBER over_v(int kind, struct star v, struct line5 flow, struct pairs u, struct pairs w, struct line5 v0,
                            struct weights m)
{
    const struct lift z = lift_pairs(kind, v.z, v0, w, m);
    SF_NUMBER sum = over_level(v.y, flow, m.y_near, m.y_wide, v.x, u, m.x_near, m.x_wide) + z.advection;
    if (kind & ADVECT_UPWIND) sum = sum + over_upwind(v.y, flow, m.y_wide, v.x, u, m.x_wide, z);
    return mix_added(kind, sum, v.x, v.y, z, m);
}

/* The same of w, with the wind across surfaces on its own points. */
SF_FORMULA SF_NUMBER over_w(int kind, struct star w, struct pairs u, struct pairs v, struct line5 across,
                            struct weights m, SF_NUMBER rho_c, SF_NUMBER buoyancy, SF_NUMBER theta_below,
                            SF_NUMBER theta_above)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const SF_NUMBER m2 = m.rho.f0 * across.m2, m1 = m.rho.f1 * across.m1, c = rho_c * across.c,
                    p1 = m.rho.f2 * across.p1, p2 = m.rho.f3 * across.p2;
    const struct lift z = lift_of(kind, w.z, none, c + m1, p1 + c, c + m2, p2 + c, R(1.0), m);
    return w_sum(kind, w.x, w.y, u, v, z, m, buoyancy, theta_below, theta_above);
}

/* theta' by the wind that carries; the base state by w on the two faces, whose halves of d theta_0 / dz are given. */
SF_FORMULA SF_NUMBER over_theta_tendency(int kind, struct star q, SF_NUMBER ub, SF_NUMBER uc, SF_NUMBER vb,
                                         SF_NUMBER vc, SF_NUMBER across_bottom, SF_NUMBER across_top,
                                         SF_NUMBER w_bottom, SF_NUMBER w_top, struct weights m, SF_NUMBER base_bottom,
                                         SF_NUMBER base_top)
{
    const struct line5 none = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
    const SF_NUMBER b = m.rho.f1 * across_bottom, t = m.rho.f2 * across_top;
    struct lift z = lift_made(kind, advect4_flux(q.z, b, t, m.z_near, m.z_wide), q.z, none, b, t, R(2.0), m);
    const SF_NUMBER level =
        advect4_flux(q.x, ub, uc, m.x_near, m.x_wide) + advect4_flux(q.y, vb, vc, m.y_near, m.y_wide);
    SF_NUMBER sum = (level + z.advection) - SF_NUMBER_FMA(w_top, base_top, w_bottom * base_bottom);
    if (kind & ADVECT_UPWIND)
        sum = sum + upwind_star(q.x, ub, uc, R(2.0) * m.x_wide, q.y, vb, vc, R(2.0) * m.y_wide, z);
    return mix_added(kind, sum, q.x, q.y, z, m);
}

/* What is known of W at a face before pressure acts: w less what the new wind along the surface makes of it, and the
 * explicit gradient that is made implicit. weight: cp dtau / dz theta; square: z_x^2 + z_y^2. */
SF_FORMULA real over_known(real w, real along, real weight, real square, real pi_low, real pi_high)
{
    return sf_fma(weight * square, pi_high - pi_low, w - along);
}

/* z_x^2 + z_y^2. */
SF_FORMULA real over_square(real slope_x, real slope_y) { return sf_fma(slope_x, slope_x, slope_y * slope_y); }

/* What small steps know of pi', with what the base state has of the wind along the surfaces: halves of d pi_0 / dz and
 * that wind at both faces. */
SF_FORMULA real over_spread(real star, real dtau, real half_bottom, real bottom, real half_top, real top)
{
    return sf_fma(-dtau, sf_fma(half_top, top, half_bottom * bottom), star);
}
