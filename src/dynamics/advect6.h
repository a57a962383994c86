/* Advection, 6th order, and what makes it 5th-order upwind: what comes through the faces of a cell less q_0 times the
 * divergence of the same wind, as advect.h has it of theta'. On a face q is of 6th order (Wicker and Skamarock 2002):
 *
 *     -U dq/dx = -(U_e (q_e - q_0) - U_w (q_w - q_0)) / dx     q_f = (37 (q_0 + q_1) - 8 (q_-1 + q_2) + (q_-2 + q_3)) /
 * 60 = -A2 + (F_e - F_w) / (60 dx)                   F = U (7 near - far) near = (q_2 - q_1) - (q_0 - q_-1), far = (q_3
 * - q_2) - (q_-1 - q_-2)
 *
 * In a constant wind that is (-1, 9, -45, 45, -9, 1)/60. Of q that carries itself U on a face is the mean of its two
 * values. The sum of what moves is kept but for q times the divergence, which is that of the air's mass; where the wind
 * varies the leading error is -dx^2 (U'' q'/8 + U' q''/12).
 *
 *     5th-order upwind adds |U|/60 dx times the fifth difference through each face.
 *
 *    q.m3  q.m2  q.m1   q.c   q.p1  q.p2  q.p3
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advect.h"

struct line7 {
    SF_NUMBER m3, m2, m1, c, p1, p2, p3;
};

/* Weights along one axis: of the products of wind and difference, and of F and the fifth difference. */
struct axis6 {
    SF_NUMBER half, sixtieth;
};

/* near, wide: those of the 4th order, 2/3 and 1/24 over dx, for a wind on faces; where it comes as sums of two values,
 * half of that. */
SF_FORMULA struct axis6 axis6_faces(SF_NUMBER near, SF_NUMBER wide)
{
    const struct axis6 a = {R(0.75) * near, R(0.4) * wide};
    return a;
}

/* Of q that carries itself: 1/3 and 1/24 over dx. */
SF_FORMULA struct axis6 axis6_self(SF_NUMBER near, SF_NUMBER wide)
{
    const struct axis6 a = {R(0.75) * near, R(0.2) * wide};
    return a;
}

/* |f| times the fifth difference at a face. m2 .. p3: around the face, f: the wind on it. */
SF_FORMULA SF_NUMBER upwind5_face(SF_NUMBER m2, SF_NUMBER m1, SF_NUMBER c, SF_NUMBER p1, SF_NUMBER p2, SF_NUMBER p3,
                                  SF_NUMBER f)
{
    return SF_NUMBER_ABS(f) * SF_NUMBER_FMA(R(10.0), p1 - c, SF_NUMBER_FMA(R(-5.0), p2 - m1, p3 - m2));
}

/* F. */
SF_FORMULA SF_NUMBER flux6_face(SF_NUMBER m2, SF_NUMBER m1, SF_NUMBER c, SF_NUMBER p1, SF_NUMBER p2, SF_NUMBER p3,
                                SF_NUMBER f)
{
    return f * SF_NUMBER_FMA(R(7.0), (p2 - p1) - (c - m1), -((p3 - p2) - (m1 - m2)));
}

/* And the fifth difference, where it is upwind; a literal. */
SF_FORMULA SF_NUMBER flux6_upwind(int upwind, SF_NUMBER m2, SF_NUMBER m1, SF_NUMBER c, SF_NUMBER p1, SF_NUMBER p2,
                                  SF_NUMBER p3, SF_NUMBER f)
{
    const SF_NUMBER centred = flux6_face(m2, m1, c, p1, p2, p3, f);
    return upwind ? centred + upwind5_face(m2, m1, c, p1, p2, p3, f) : centred;
}

/* low, high: the wind below and above the point. upwind: a literal. */
SF_FORMULA SF_NUMBER advect6(int upwind, struct line7 q, SF_NUMBER low, SF_NUMBER high, struct axis6 a)
{
    return advect_flux_sum(low * (q.c - q.m1), high * (q.p1 - q.c),
                           flux6_upwind(upwind, q.m3, q.m2, q.m1, q.c, q.p1, q.p2, low),
                           flux6_upwind(upwind, q.m2, q.m1, q.c, q.p1, q.p2, q.p3, high), a.half, a.sixtieth);
}

/* A wind m that stands where q does, below, at and above the point: q itself, or q times a weight. */
SF_FORMULA SF_NUMBER advect6_self(int upwind, struct line7 q, SF_NUMBER m1, SF_NUMBER c, SF_NUMBER p1, struct axis6 a)
{
    return advect6(upwind, q, c + m1, p1 + c, a);
}
