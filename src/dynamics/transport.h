/* Transport of tracers, in flux form, and what keeps it from falling below zero.
 *
 * With M the mass of air through a face in a time step, over the mass of the cell: rho_0 at the face times the wind,
 * so that M is a Courant number, positive eastward, northward and upward. Of each axis and side,
 *
 *     q' = q_0 - sum of (M q_f + G) through the faces + q_s sum of M          q_0: at the start of the time step,
 *        = q_0 - sum of (M (q_f - q_s) + G)                                   q_s: of the stage, G: mixing
 *
 * so that a constant stays one to the bit. q_f, 5th-order upwind (Wicker and Skamarock 2002), is the value upstream and
 * differences d of neighbours: d_0 across the face, d_-1 and d_-2 upstream of it, d_1 downstream, all along the wind.
 *
 *     q_f = q_up + (24 d_0 + 11 d_-1 - 3 d_1 - 2 d_-2) / 60
 *
 * The last Runge-Kutta stage is positive definite (Skamarock 2006 with a flux of first order from the start of the
 * step): F = M q_0up + A. Carried by the first part alone, a cell has
 *
 *     b = q_0 + sum over the faces where air enters of |M| (q_0 of the neighbour - q_0)      >= 0 where that |M| <= 1
 *
 * of which A and the term (q_s - q_0) sum of M take `out` away: A through a face is multiplied by the factor
 * min(1, b / out) of the cell that it leaves, and that term too where it takes. Where b < 0, which a tracer with values
 * below zero has, nothing leaves but what the first part carries. Mixing is part of A.
 *
 *    q.m3  q.m2  q.m1   q.c   q.p1  q.p2  q.p3
 *       d.m2  d.m1  d.low d.high d.p1  d.p2            differences, of the upper less the lower
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advect6.h"
#include "dynamics/mix.h"

/* Differences along an axis; those that a face has around it. */
struct steps6 {
    SF_NUMBER m2, m1, low, high, p1, p2;
};

struct steps5 {
    SF_NUMBER m2, m1, c, p1, p2;
};

/* Of an axis: what belongs to the low and to the high face of the cell. */
struct faces {
    SF_NUMBER low, high;
};

/* Of the six faces: M; the weights of the mixing flux; A. */
struct around {
    struct faces x, y, z;
};

/* A cell and its neighbours on an axis. */
struct line3 {
    SF_NUMBER low, own, high;
};

/* Lines through a cell. */
struct steps_around {
    struct steps6 x, y, z;
};

struct lines3 {
    struct line3 x, y, z;
};

SF_FORMULA struct steps6 steps_of(struct line7 q)
{
    const struct steps6 d = {q.m2 - q.m3, q.m1 - q.m2, q.c - q.m1, q.p1 - q.c, q.p2 - q.p1, q.p3 - q.p2};
    return d;
}

SF_FORMULA struct steps5 steps_low(struct steps6 d)
{
    const struct steps5 f = {d.m2, d.m1, d.low, d.high, d.p1};
    return f;
}

SF_FORMULA struct steps5 steps_high(struct steps6 d)
{
    const struct steps5 f = {d.m1, d.low, d.high, d.p1, d.p2};
    return f;
}

/* M (q_f - q_up). */
SF_FORMULA SF_NUMBER flux_beyond(SF_NUMBER m, struct steps5 d)
{
    const SF_NUMBER near = m > R(0.0) ? d.m1 : d.p1, far = m > R(0.0) ? d.m2 : d.p2, down = m > R(0.0) ? d.p1 : d.m1;
    const SF_NUMBER sum =
        SF_NUMBER_FMA(R(24.0), d.c, SF_NUMBER_FMA(R(11.0), near, SF_NUMBER_FMA(R(-3.0), down, R(-2.0) * far)));
    return SF_NUMBER_ABS(m) * (R(1.0) / R(60.0)) * sum;
}

/* G, upward along the axis. */
SF_FORMULA SF_NUMBER flux_mixed(int kind, SF_NUMBER weight, struct steps5 d)
{
    if (kind == MIX_NONE) return R(0.0);
    if (kind == MIX_SECOND) return -(weight * d.c);
    const SF_NUMBER third = SF_NUMBER_FMA(R(-2.0), d.c, d.m1 + d.p1);
    if (kind == MIX_MONOTONE && third * d.c > R(0.0)) return R(0.0);
    return weight * third;
}

SF_FORMULA SF_NUMBER flux_high_order(int kind, SF_NUMBER m, SF_NUMBER weight, struct steps5 d)
{
    const SF_NUMBER carried = flux_beyond(m, d);
    return kind == MIX_NONE ? carried : carried + flux_mixed(kind, weight, d);
}

/* What the air that enters brings through both: |M| times the neighbour's value less the cell's. */
SF_FORMULA SF_NUMBER brought(struct faces m, SF_NUMBER low, SF_NUMBER high)
{
    const SF_NUMBER below = m.low > R(0.0) ? m.low * low : R(0.0), above = m.high > R(0.0) ? R(0.0) : m.high * high;
    return -(below + above);
}

/* Of the first stages, along one axis: what q gains in its time. */
SF_FORMULA SF_NUMBER carried(int kind, struct steps6 d, struct faces m, struct faces mix)
{
    return brought(m, d.low, d.high) - (flux_high_order(kind, m.high, mix.high, steps_high(d)) -
                                        flux_high_order(kind, m.low, mix.low, steps_low(d)));
}

/* A through both. e: q_s - q_0. */
SF_FORMULA struct faces fluxes_added(int kind, struct steps6 d, struct faces m, struct faces mix, struct line3 e)
{
    const SF_NUMBER low = m.low > R(0.0) ? e.low : e.own, high = m.high > R(0.0) ? e.own : e.high;
    const struct faces a = {SF_NUMBER_FMA(m.low, low, flux_high_order(kind, m.low, mix.low, steps_low(d))),
                            SF_NUMBER_FMA(m.high, high, flux_high_order(kind, m.high, mix.high, steps_high(d)))};
    return a;
}

SF_FORMULA SF_NUMBER above_zero(SF_NUMBER x) { return x > R(0.0) ? x : R(0.0); }

/* What A takes through both. */
SF_FORMULA SF_NUMBER fluxes_out(struct faces a) { return above_zero(-a.low) + above_zero(a.high); }

SF_FORMULA SF_NUMBER share_left(SF_NUMBER b, SF_NUMBER out)
{
    return out > b ? (b > R(0.0) ? b / out : R(0.0)) : R(1.0);
}

/* What q gains through both, each flux times the factor of the cell that it leaves. */
SF_FORMULA SF_NUMBER fluxes_gain(struct faces a, struct line3 factor)
{
    return (a.low > R(0.0) ? factor.low : factor.own) * a.low - (a.high > R(0.0) ? factor.own : factor.high) * a.high;
}

/* What is left of the term (q_s - q_0) sum of M. */
SF_FORMULA SF_NUMBER held_back(SF_NUMBER r, SF_NUMBER factor) { return r > R(0.0) ? r : factor * r; }

/* Rounding may take a cell that has b >= 0 below zero by what it rounds. */
SF_FORMULA SF_NUMBER not_below(SF_NUMBER x, SF_NUMBER b) { return x < R(0.0) ? (b < R(0.0) ? x : R(0.0)) : x; }

/* ---- a cell ---- */

/* After the first stages. start: q_0; d: of q_s. */
SF_FORMULA SF_NUMBER tracer_carried(int kind, SF_NUMBER start, struct steps_around d, struct around m,
                                    struct around mix)
{
    return start + ((carried(kind, d.x, m.x, mix.x) + carried(kind, d.y, m.y, mix.y)) + carried(kind, d.z, m.z, mix.z));
}

/* Of the last stage: b, A, and (q_s - q_0) sum of M. */
struct limited {
    SF_NUMBER b, spread;
    struct around a;
};

SF_FORMULA SF_NUMBER brought_along(struct faces m, struct line3 q) { return brought(m, q.own - q.low, q.high - q.own); }

SF_FORMULA struct line3 line3_less(struct line3 a, struct line3 b)
{
    const struct line3 e = {a.low - b.low, a.own - b.own, a.high - b.high};
    return e;
}

/* start: q_0; now: q_s. */
SF_FORMULA struct limited tracer_limited(int kind, struct lines3 start, struct lines3 now, struct steps_around d,
                                         struct around m, struct around mix)
{
    struct limited l;
    l.b = start.x.own + ((brought_along(m.x, start.x) + brought_along(m.y, start.y)) + brought_along(m.z, start.z));
    l.spread = (now.x.own - start.x.own) * (((m.x.high - m.x.low) + (m.y.high - m.y.low)) + (m.z.high - m.z.low));
    l.a.x = fluxes_added(kind, d.x, m.x, mix.x, line3_less(now.x, start.x));
    l.a.y = fluxes_added(kind, d.y, m.y, mix.y, line3_less(now.y, start.y));
    l.a.z = fluxes_added(kind, d.z, m.z, mix.z, line3_less(now.z, start.z));
    return l;
}

/* The factor of the cell. */
SF_FORMULA SF_NUMBER tracer_share(struct limited l)
{
    const SF_NUMBER out = (fluxes_out(l.a.x) + fluxes_out(l.a.y)) + fluxes_out(l.a.z);
    return share_left(l.b, out + above_zero(-l.spread));
}

/* After the last stage. */
SF_FORMULA SF_NUMBER tracer_last(struct limited l, struct lines3 factor)
{
    const SF_NUMBER gain = (fluxes_gain(l.a.x, factor.x) + fluxes_gain(l.a.y, factor.y)) + fluxes_gain(l.a.z, factor.z);
    return not_below(l.b + (gain + held_back(l.spread, factor.x.own)), l.b);
}
