/* One acoustic small step at one point.
 *
 *     u' = u + dtau (u_t - cp theta d(pi)/dx)                                     forward; pi damped, see below
 *     w' = w + dtau (w_t - cp theta d(b pi'new + (1-b) pi'old)/dz)                implicit in the vertical
 *     pi'new = pi'old + dtau (pi_t - (R/cv) pi (du/dx + dv/dy) - b G w' - (1-b) G w)
 *     G w = w dpi_0/dz + (R/cv) pi dw/dz
 *     pi damped = pi'new + damping (pi'new - pi'old)                              (Skamarock and Klemp 1992)
 *
 * theta and the pi of the coefficients stay what they were. Eliminating pi'new gives a tridiagonal system for w' in
 * each column, solved by the Thomas algorithm from the ground up. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/tridiagonal.h"

/* theta_0 + theta', the mean of the two sides of a face. */
SF_FORMULA real theta_face(real theta_0, real theta_low, real theta_high)
{
    return sf_fma(R(0.5), theta_low + theta_high, theta_0);
}

/* start + dtau (tendency - cp theta dpi / dx). theta_0: base value; sides: theta' on both sides of the face; cp_rdx:
 * cp dtau / dx; pi on both sides. */
SF_FORMULA real wind_step(real start, real tendency, real dtau, real theta_0, real theta_low, real theta_high,
                          real cp_rdx, real pi_low, real pi_high)
{
    const real theta = theta_face(theta_0, theta_low, theta_high);
    return sf_audible(sf_fma(-(cp_rdx * theta), pi_high - pi_low, sf_fma(dtau, tendency, start)));
}

SF_FORMULA real divergence(real u_low, real u_high, real rdx, real v_low, real v_high, real rdy)
{
    return (u_high - u_low) * rdx + (v_high - v_low) * rdy;
}

/* What a cell adds to the system: pi'new = star - b dtau (above w'[k+1] + below w'[k]). compress: R/cv times pi_0 +
 * pi'old, the pi of the coefficients; half_bottom, half_top: half of dpi_0/dz at the faces. */
struct cell_terms {
    real star, above, below;
};

SF_FORMULA real cell_compress(real pi_old, real pi_0, real rcv) { return rcv * (pi_0 + pi_old); }
SF_FORMULA real cell_above(real compress, real rdz, real half_top) { return sf_fma(compress, rdz, half_top); }
SF_FORMULA real cell_below(real compress, real rdz, real half_bottom) { return sf_fma(-compress, rdz, half_bottom); }
/* div: du/dx + dv/dy; w: at both faces. */
SF_FORMULA real cell_star(real pi_old, real pi_t, real compress, real above, real below, real div, real w_bottom,
                          real w_top, real dtau, real off1)
{
    const real old = sf_fma(above, w_top, below * w_bottom);
    const real change = sf_fma(-off1, old, sf_fma(-compress, div, pi_t));
    return sf_fma(dtau, change, pi_old);
}

SF_FORMULA struct cell_terms cell_make(real pi_old, real pi_0, real pi_t, real rcv, real rdz, real half_bottom,
                                       real half_top, real div, real w_bottom, real w_top, real dtau, real off1)
{
    const real compress = cell_compress(pi_old, pi_0, rcv), above = cell_above(compress, rdz, half_top),
               below = cell_below(compress, rdz, half_bottom);
    const struct cell_terms t = {.star =
                                     cell_star(pi_old, pi_t, compress, above, below, div, w_bottom, w_top, dtau, off1),
                                 .above = above,
                                 .below = below};
    return t;
}

/* The equation of w' at a face: sub w'[k-1] + diagonal w'[k] + super w'[k+1] = right. cp_rdz: cp dtau / dz times theta
 * at the face; lower, upper: of the cells below and above it. */
struct face_equation {
    real sub, diagonal, super, right;
};

/* part: the off-centring times cp_rdz. */
SF_FORMULA real face_weight(real part, real off, real dtau) { return part * (off * dtau); }
SF_FORMULA real face_diagonal(real weight, real below_upper, real above_lower)
{
    return sf_fma(-weight, below_upper - above_lower, R(1.0));
}
SF_FORMULA real face_right(real w_old, real w_t, real dtau, real cp_rdz, real part, real off1, real pi_lower,
                           real pi_upper, real star_lower, real star_upper)
{
    const real known = sf_fma(-(off1 * cp_rdz), pi_upper - pi_lower, sf_fma(dtau, w_t, w_old));
    return sf_fma(-part, star_upper - star_lower, known);
}

SF_FORMULA struct face_equation face_equation_make(real w_old, real w_t, real dtau, real cp_rdz, real off, real off1,
                                                   real pi_lower, real pi_upper, struct cell_terms lower,
                                                   struct cell_terms upper)
{
    const real part = off * cp_rdz, c = face_weight(part, off, dtau);
    const struct face_equation e = {
        .sub = c * lower.below,
        .diagonal = face_diagonal(c, upper.below, lower.above),
        .super = -(c * upper.above),
        .right = face_right(w_old, w_t, dtau, cp_rdz, part, off1, pi_lower, pi_upper, lower.star, upper.star)};
    return e;
}

/* before: the face below. */
SF_FORMULA struct tridiagonal face_eliminate(struct face_equation e, struct tridiagonal before)
{
    return tridiagonal_eliminate(e.sub, e.diagonal, e.super, e.right, before.ratio, before.value);
}

SF_FORMULA struct tridiagonal face_make(real w_old, real w_t, real dtau, real cp_rdz, real off, real off1,
                                        real pi_lower, real pi_upper, struct cell_terms lower, struct cell_terms upper,
                                        struct tridiagonal before)
{
    return face_eliminate(face_equation_make(w_old, w_t, dtau, cp_rdz, off, off1, pi_lower, pi_upper, lower, upper),
                          before);
}

SF_FORMULA real face_solve(struct tridiagonal f, real w_top) { return tridiagonal_solve(f.ratio, f.value, w_top); }

/* pi'new, and with the damping of divergence. star: of the cell; w: w' at both faces; b_dtau: off-centring times
 * dtau. */
struct pressure {
    real now, damped;
};

/* Of what the cell has added to the system: star, above, below. */
SF_FORMULA real cell_now(real star, real above, real below, real w_bottom, real w_top, real b_dtau)
{
    return sf_audible(sf_fma(-b_dtau, sf_fma(above, w_top, below * w_bottom), star));
}
SF_FORMULA real cell_pressure(real star, real pi_old, real pi_0, real rcv, real rdz, real half_bottom, real half_top,
                              real w_bottom, real w_top, real b_dtau)
{
    const real compress = cell_compress(pi_old, pi_0, rcv);
    return cell_now(star, cell_above(compress, rdz, half_top), cell_below(compress, rdz, half_bottom), w_bottom, w_top,
                    b_dtau);
}
SF_FORMULA real cell_damped(real now, real pi_old, real damping) { return sf_fma(damping, now - pi_old, now); }

SF_FORMULA struct pressure cell_solve(real star, real pi_old, real pi_0, real rcv, real rdz, real half_bottom,
                                      real half_top, real w_bottom, real w_top, real b_dtau, real damping)
{
    const real now = cell_pressure(star, pi_old, pi_0, rcv, rdz, half_bottom, half_top, w_bottom, w_top, b_dtau);
    return (struct pressure){.now = now, .damped = cell_damped(now, pi_old, damping)};
}
