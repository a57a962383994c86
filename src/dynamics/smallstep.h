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

#include "pipeline/sferic.h"

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

/* What a cell adds to the system: pi'new = star - b dtau (above w'[k+1] + below w'[k]). */
struct cell_terms {
    real star, above, below;
};

/* pi: pi_0 + pi'old; half_bottom, half_top: half of dpi_0/dz at the faces; div: du/dx + dv/dy; w: at both faces. */
SF_FORMULA struct cell_terms cell_make(real pi_old, real pi_0, real pi_t, real rcv, real rdz, real half_bottom,
                                       real half_top, real div, real w_bottom, real w_top, real dtau, real off1)
{
    const real compress = rcv * (pi_0 + pi_old);
    const struct cell_terms t = {
        .star = pi_old, .above = sf_fma(compress, rdz, half_top), .below = sf_fma(-compress, rdz, half_bottom)};
    const real old = sf_fma(t.above, w_top, t.below * w_bottom);
    const real change = sf_fma(-off1, old, sf_fma(-compress, div, pi_t));
    return (struct cell_terms){.star = sf_fma(dtau, change, pi_old), .above = t.above, .below = t.below};
}

/* One step of the elimination: w'[k] = value - ratio w'[k+1]. */
struct face_terms {
    real ratio, value;
};

/* The equation of w' at a face: sub w'[k-1] + diagonal w'[k] + super w'[k+1] = right. */
struct face_equation {
    real sub, diagonal, super, right;
};

/* cp_rdz: cp dtau / dz times theta at the face; lower, upper: the cells below and above it. */
SF_FORMULA struct face_equation face_equation_make(real w_old, real w_t, real dtau, real cp_rdz, real off, real off1,
                                                   real pi_lower, real pi_upper, struct cell_terms lower,
                                                   struct cell_terms upper)
{
    const real a = off * cp_rdz, c = a * (off * dtau);
    const real known = sf_fma(-(off1 * cp_rdz), pi_upper - pi_lower, sf_fma(dtau, w_t, w_old));
    const struct face_equation e = {.sub = c * lower.below,
                                    .diagonal = sf_fma(-c, upper.below - lower.above, R(1.0)),
                                    .super = -(c * upper.above),
                                    .right = sf_fma(-a, upper.star - lower.star, known)};
    return e;
}

/* before: the face below. */
SF_FORMULA struct face_terms face_eliminate(struct face_equation e, struct face_terms before)
{
    const real m = sf_reciprocal(sf_fma(-e.sub, before.ratio, e.diagonal));
    const struct face_terms f = {.ratio = e.super * m, .value = sf_fma(-e.sub, before.value, e.right) * m};
    return f;
}

SF_FORMULA struct face_terms face_make(real w_old, real w_t, real dtau, real cp_rdz, real off, real off1, real pi_lower,
                                       real pi_upper, struct cell_terms lower, struct cell_terms upper,
                                       struct face_terms before)
{
    return face_eliminate(face_equation_make(w_old, w_t, dtau, cp_rdz, off, off1, pi_lower, pi_upper, lower, upper),
                          before);
}

SF_FORMULA real face_solve(struct face_terms f, real w_top) { return sf_audible(sf_fma(-f.ratio, w_top, f.value)); }

/* pi'new, and with the damping of divergence. star: of the cell; w: w' at both faces; b_dtau: off-centring times
 * dtau. */
struct pressure {
    real now, damped;
};

SF_FORMULA struct pressure cell_solve(real star, real pi_old, real pi_0, real rcv, real rdz, real half_bottom,
                                      real half_top, real w_bottom, real w_top, real b_dtau, real damping)
{
    const real compress = rcv * (pi_0 + pi_old);
    const real change = sf_fma(sf_fma(compress, rdz, half_top), w_top, sf_fma(-compress, rdz, half_bottom) * w_bottom);
    const real now = sf_audible(sf_fma(-b_dtau, change, star));
    return (struct pressure){.now = now, .damped = sf_fma(damping, now - pi_old, now)};
}
