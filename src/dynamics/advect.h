/* Advection, 4th order, in advective form: -U dq/dx.
 *
 *     A2 = mean over the two faces of  U (q_+ - q_-) / dx            second order, conserves kinetic energy
 *     T  = the same over twice the distance
 *     -U dq/dx = -(4/3 A2 - 1/6 (T_+1 + T_-1))
 *
 * reduces to (1, -8, 8, -1)/12 for a constant wind. Where the wind must be averaged over two points (cross terms) the
 * whole is 2nd order with a small phase error; self-advection is a difference of u^2/2 and 4th order. After the ARPS 5
 * formulation (Xue, Droegemeier and Wong 2000). The vertical wind is weighted with rho_0 at its faces.
 *
 *           ww      w       e       ee         advecting wind: sums over the two points around each face (near: w, e)
 *      q.m2    q.m1     q.c    q.p1    q.p2    and around each neighbour (wide: ww, ee)
 *
 * The sum over all points of what this form gives is that of q times a divergence of 4th order, which is not that of
 * the air's mass. Of theta', whose sum is heat, advection is therefore what comes through the faces of a cell less q_0
 * times the divergence of the same wind, with q_f of 4th order on a face (Wicker and Skamarock 2002):
 *
 *     -U dq/dx = -(U_e (q_e - q_0) - U_w (q_w - q_0)) / dx          q_f = (7 (q_0 + q_1) - (q_-1 + q_2)) / 12
 *              = -A2 + (F_e - F_w) / (12 dx)                        F = U ((q_2 - q_1) - (q_0 - q_-1))
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

#ifndef SF_NUMBER
#define SF_NUMBER real
#define SF_NUMBER_FMA(a, b, c) sf_fma(a, b, c)
#define SF_NUMBER_ABS(a) sf_abs(a)
#endif

struct line5 {
    SF_NUMBER m2, m1, c, p1, p2;
};

/* Of the four products of wind and difference. near: weight of A2 times what the sums count; wide: that of T. */
SF_FORMULA SF_NUMBER advect4_sum(SF_NUMBER w, SF_NUMBER e, SF_NUMBER ww, SF_NUMBER ee, SF_NUMBER near, SF_NUMBER wide)
{
    const SF_NUMBER inner = e + w, outer = ee + ww;
    return SF_NUMBER_FMA(wide, outer, -(near * inner));
}

SF_FORMULA SF_NUMBER advect4(struct line5 q, SF_NUMBER w, SF_NUMBER e, SF_NUMBER ww, SF_NUMBER ee, SF_NUMBER near,
                             SF_NUMBER wide)
{
    return advect4_sum(w * (q.c - q.m1), e * (q.p1 - q.c), ww * (q.c - q.m2), ee * (q.p2 - q.c), near, wide);
}

/* q and its own wind, on the same points. */
SF_FORMULA SF_NUMBER advect4_self(struct line5 q, SF_NUMBER near, SF_NUMBER wide)
{
    return advect4(q, q.c + q.m1, q.p1 + q.c, q.c + q.m2, q.p2 + q.c, near, wide);
}

/* The wind on the faces between the points: at -3/2, -1/2, 1/2, 3/2. */
SF_FORMULA SF_NUMBER advect4_faces(struct line5 q, SF_NUMBER f0, SF_NUMBER f1, SF_NUMBER f2, SF_NUMBER f3,
                                   SF_NUMBER near, SF_NUMBER wide)
{
    return advect4(q, f1, f2, f0 + f1, f2 + f3, near, wide);
}

/* F. m1, c, p1, p2: around the face, f: the wind on it. */
SF_FORMULA SF_NUMBER flux4_face(SF_NUMBER m1, SF_NUMBER c, SF_NUMBER p1, SF_NUMBER p2, SF_NUMBER f)
{
    return f * ((p2 - p1) - (c - m1));
}

/* Of the products of wind and difference and of F below and above the point. half: 1/(2 dx); twelfth: what F takes. */
SF_FORMULA SF_NUMBER advect_flux_sum(SF_NUMBER w, SF_NUMBER e, SF_NUMBER low, SF_NUMBER high, SF_NUMBER half,
                                     SF_NUMBER twelfth)
{
    return SF_NUMBER_FMA(twelfth, high - low, -(half * (e + w)));
}

/* f1 and f2: the wind below and above the point; near and wide as for advect4_faces. */
SF_FORMULA SF_NUMBER advect4_flux(struct line5 q, SF_NUMBER f1, SF_NUMBER f2, SF_NUMBER near, SF_NUMBER wide)
{
    return advect_flux_sum(f1 * (q.c - q.m1), f2 * (q.p1 - q.c), flux4_face(q.m2, q.m1, q.c, q.p1, f1),
                           flux4_face(q.m1, q.c, q.p1, q.p2, f2), R(0.75) * near, R(2.0) * wide);
}

/* What makes the 4th-order form 3rd-order upwind (Wicker and Skamarock 2002): |U| times the third difference at each
 * face. m1, c, p1, p2: around the face, f: the wind on it. */
SF_FORMULA SF_NUMBER upwind_face(SF_NUMBER m1, SF_NUMBER c, SF_NUMBER p1, SF_NUMBER p2, SF_NUMBER f)
{
    return SF_NUMBER_ABS(f) * SF_NUMBER_FMA(R(-3.0), p1 - c, p2 - m1);
}

/* f1 and f2: below and above the point. twelfth: 1/(12 dx). */
SF_FORMULA SF_NUMBER upwind3(struct line5 q, SF_NUMBER f1, SF_NUMBER f2, SF_NUMBER twelfth)
{
    return twelfth * (upwind_face(q.m2, q.m1, q.c, q.p1, f1) - upwind_face(q.m1, q.c, q.p1, q.p2, f2));
}
