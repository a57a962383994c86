/* Advection, 6th order, in advective form, and what makes it 5th-order upwind: -U dq/dx.
 *
 *     A_n = mean over both sides of  U (q_n - q_0) / (n dx),  U the mean of the wind on the n faces between the two
 *     points
 *     -U dq/dx = -(3/2 A_1 - 3/5 A_2 + 1/10 A_3)
 *
 * reduces to (-1, 9, -45, 45, -9, 1)/60 for a constant wind; advect.h's 4th order is 4/3 A_1 - 1/3 A_2 of the same A_n.
 * q that carries itself takes (q_n + q_0)/2 for U, a difference of q^2/2. A wind that varies enters as in the 4th
 * order: the leading error is -dx^2/24 U'' dq/dx, because the means over faces are second order. Differences after
 * Morinishi et al. (1998).
 *
 *     5th-order upwind (Wicker and Skamarock 2002) adds |U|/60 dx times the fifth difference through each face.
 *
 * Of theta' the flux form of advect.h, with q_f = (37 (q_0 + q_1) - 8 (q_-1 + q_2) + (q_-2 + q_3)) / 60 on a face:
 *
 *     -U dq/dx = -A2 + (F_e - F_w) / (60 dx)      F = U (7 near - far)
 *                near = (q_2 - q_1) - (q_0 - q_-1), far = (q_3 - q_2) - (q_-1 - q_-2)
 *
 *       f.0   f.1   f.2   f.3   f.4   f.5         wind on the faces -5/2 .. 5/2
 *    q.m3  q.m2  q.m1   q.c   q.p1  q.p2  q.p3
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advect.h"

struct line7 {
    SF_NUMBER m3, m2, m1, c, p1, p2, p3;
};

struct faces6 {
    SF_NUMBER f0, f1, f2, f3, f4, f5;
};

/* Weights along one axis: of the products of wind and difference over 1, 2 and 3 points, and of the fifth
 * difference. */
struct axis6 {
    SF_NUMBER one, two, three, upwind;
};

/* near, wide: those of the 4th order, 2/3 and 1/24 over dx, for a wind on faces; where it comes as sums of two values,
 * half of that. */
SF_FORMULA struct axis6 axis6_faces(SF_NUMBER near, SF_NUMBER wide)
{
    const struct axis6 a = {R(1.125) * near, R(1.8) * wide, R(2.0) / R(15.0) * wide, R(0.4) * wide};
    return a;
}

/* Of q that carries itself: 1/3 and 1/24 over dx. */
SF_FORMULA struct axis6 axis6_self(SF_NUMBER near, SF_NUMBER wide)
{
    const struct axis6 a = {R(1.125) * near, R(1.8) * wide, R(0.2) * wide, R(0.2) * wide};
    return a;
}

/* Of the sums over both sides of the products of wind and difference over one, two and three points. */
SF_FORMULA SF_NUMBER advect6_sum(SF_NUMBER one, SF_NUMBER two, SF_NUMBER three, struct axis6 a)
{
    return SF_NUMBER_FMA(-a.three, three, SF_NUMBER_FMA(a.two, two, -(a.one * one)));
}

/* w, e: the sums of the wind below and above the point for differences over one, two and three points. */
SF_FORMULA SF_NUMBER advect6(struct line7 q, SF_NUMBER w1, SF_NUMBER e1, SF_NUMBER w2, SF_NUMBER e2, SF_NUMBER w3,
                             SF_NUMBER e3, struct axis6 a)
{
    const SF_NUMBER one = e1 * (q.p1 - q.c) + w1 * (q.c - q.m1);
    const SF_NUMBER two = e2 * (q.p2 - q.c) + w2 * (q.c - q.m2);
    const SF_NUMBER three = e3 * (q.p3 - q.c) + w3 * (q.c - q.m3);
    return advect6_sum(one, two, three, a);
}

/* |f| times the fifth difference at a face. m2 .. p3: around the face, f: the wind on it. */
SF_FORMULA SF_NUMBER upwind5_face(SF_NUMBER m2, SF_NUMBER m1, SF_NUMBER c, SF_NUMBER p1, SF_NUMBER p2, SF_NUMBER p3,
                                  SF_NUMBER f)
{
    return SF_NUMBER_ABS(f) * SF_NUMBER_FMA(R(10.0), p1 - c, SF_NUMBER_FMA(R(-5.0), p2 - m1, p3 - m2));
}

/* Of the faces below and above a point. */
SF_FORMULA SF_NUMBER upwind5_between(SF_NUMBER low, SF_NUMBER high, SF_NUMBER sixtieth)
{
    return sixtieth * (high - low);
}

/* f2 and f3: below and above the point. */
SF_FORMULA SF_NUMBER upwind5(struct line7 q, SF_NUMBER f2, SF_NUMBER f3, SF_NUMBER sixtieth)
{
    return upwind5_between(upwind5_face(q.m3, q.m2, q.m1, q.c, q.p1, q.p2, f2),
                           upwind5_face(q.m2, q.m1, q.c, q.p1, q.p2, q.p3, f3), sixtieth);
}

/* F. m2 .. p3: around the face, f: the wind on it. */
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

/* Of the products of wind and difference and of F below and above the point. */
SF_FORMULA SF_NUMBER advect6_flux_sum(SF_NUMBER w, SF_NUMBER e, SF_NUMBER low, SF_NUMBER high, struct axis6 a)
{
    return advect_flux_sum(w, e, low, high, R(2.0) / R(3.0) * a.one, a.upwind);
}

/* f2 and f3: the wind below and above the point. */
SF_FORMULA SF_NUMBER advect6_flux(int upwind, struct line7 q, SF_NUMBER f2, SF_NUMBER f3, struct axis6 a)
{
    return advect6_flux_sum(f2 * (q.c - q.m1), f3 * (q.p1 - q.c),
                            flux6_upwind(upwind, q.m3, q.m2, q.m1, q.c, q.p1, q.p2, f2),
                            flux6_upwind(upwind, q.m2, q.m1, q.c, q.p1, q.p2, q.p3, f3), a);
}

/* upwind: a literal. */
SF_FORMULA SF_NUMBER advect6_faces(int upwind, struct line7 q, struct faces6 f, struct axis6 a)
{
    const SF_NUMBER w2 = f.f2 + f.f1, e2 = f.f3 + f.f4;
    const SF_NUMBER centred = advect6(q, f.f2, f.f3, w2, e2, w2 + f.f0, e2 + f.f5, a);
    return upwind ? centred + upwind5(q, f.f2, f.f3, a.upwind) : centred;
}

/* A wind m that stands where q does: q itself, or q times a weight. */
SF_FORMULA SF_NUMBER advect6_self(int upwind, struct line7 q, struct line7 m, struct axis6 a)
{
    const SF_NUMBER w1 = m.c + m.m1, e1 = m.c + m.p1;
    const SF_NUMBER centred = advect6(q, w1, e1, m.c + m.m2, m.c + m.p2, m.c + m.m3, m.c + m.p3, a);
    return upwind ? centred + upwind5(q, w1, e1, a.upwind) : centred;
}
