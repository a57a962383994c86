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
 * q_f and the difference that G is a multiple of belong to the face: they are computed once for the two cells that it
 * parts, while M and the weight of G may differ by the masses of these.
 *
 * The last Runge-Kutta stage is positive definite (Skamarock 2006 with a flux of first order from the start of the
 * step): F = M q_0up + A. Carried by the first part alone, a cell has
 *
 *     b = q_0 + sum over the faces where air enters of |M| (q_0 of the neighbour - q_0)      >= 0 where that |M| <= 1
 *
 * of which A and the term (q_s - q_0) sum of M take `out` away: A through a face is multiplied by the factor
 * min(1, b / out) of the cell that it leaves, and that term too where it takes. Where b < 0, which a tracer with values
 * below zero has, nothing leaves but what the first part carries. Mixing is part of A = M (q_f - q_0up) + G.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/advect6.h"
#include "dynamics/mix.h"

/* ---- a face ---- */

/* Three cells on either side: l1 and h1 are next to the face, below and above it. */
struct line6 {
    SF_NUMBER l3, l2, l1, h1, h2, h3;
};

/* q_f, or in the last stage q_f - q_0up; and G over its weight. */
struct face_flux {
    SF_NUMBER value, mixed;
};

/* Those of a cell on an axis. */
struct faces {
    struct face_flux low, high;
};

struct faces_around {
    struct faces x, y, z;
};

/* below, across, above: differences of neighbours. */
SF_FORMULA SF_NUMBER face_mixed(int kind, SF_NUMBER below, SF_NUMBER across, SF_NUMBER above)
{
    if (kind == MIX_NONE) return R(0.0);
    if (kind == MIX_SECOND) return -across;
    const SF_NUMBER third = SF_NUMBER_FMA(R(-2.0), across, below + above);
    if (kind == MIX_MONOTONE) return third * across > R(0.0) ? R(0.0) : third;
    return third;
}

SF_FORMULA struct face_flux face_of(int kind, SF_NUMBER wind, struct line6 q)
{
    const SF_NUMBER far_below = q.l2 - q.l3, below = q.l1 - q.l2, across = q.h1 - q.l1, above = q.h2 - q.h1,
                    far_above = q.h3 - q.h2;
    const int is_up = wind > R(0.0);
    const SF_NUMBER near = is_up ? below : above, far = is_up ? far_below : far_above, down = is_up ? above : below,
                    upstream = is_up ? q.l1 : q.h1, along = is_up ? R(1.0) / R(60.0) : R(-1.0) / R(60.0);
    const SF_NUMBER sum =
        SF_NUMBER_FMA(R(24.0), across, SF_NUMBER_FMA(R(11.0), near, SF_NUMBER_FMA(R(-3.0), down, R(-2.0) * far)));
    const struct face_flux f = {SF_NUMBER_FMA(along, sum, upstream), face_mixed(kind, below, across, above)};
    return f;
}

/* For the last stage. low, high: q_0 below and above the face. */
SF_FORMULA struct face_flux face_beyond(struct face_flux f, SF_NUMBER wind, SF_NUMBER low, SF_NUMBER high)
{
    const struct face_flux e = {f.value - (wind > R(0.0) ? low : high), f.mixed};
    return e;
}

/* ---- a cell in the first stages ---- */

/* Numbers of the two faces of a cell on an axis: M, A; and of all six. */
struct pair {
    SF_NUMBER low, high;
};

struct pairs_around {
    struct pair x, y, z;
};

/* Weights of the mixing flux: those along x and y are the same on a level. */
struct mix_weights {
    SF_NUMBER x, y;
    struct pair z;
};

/* What q gains along an axis by what is carried. */
SF_FORMULA SF_NUMBER carried(SF_NUMBER q, struct faces f, struct pair m)
{
    return m.low * (f.low.value - q) - m.high * (f.high.value - q);
}

/* And by mixing, where its weight is the same at both faces. */
SF_FORMULA SF_NUMBER carried_level(int kind, SF_NUMBER q, struct faces f, struct pair m, SF_NUMBER mix)
{
    const SF_NUMBER gain = carried(q, f, m);
    return kind == MIX_NONE ? gain : SF_NUMBER_FMA(mix, f.low.mixed - f.high.mixed, gain);
}

SF_FORMULA SF_NUMBER carried_upright(int kind, SF_NUMBER q, struct faces f, struct pair m, struct pair mix)
{
    const SF_NUMBER gain = carried(q, f, m);
    return kind == MIX_NONE ? gain : SF_NUMBER_FMA(mix.low, f.low.mixed, SF_NUMBER_FMA(-mix.high, f.high.mixed, gain));
}

/* start: q_0; now: q_s. */
SF_FORMULA SF_NUMBER tracer_carried(int kind, SF_NUMBER start, SF_NUMBER now, struct faces_around f,
                                    struct pairs_around m, struct mix_weights mix)
{
    return start + ((carried_level(kind, now, f.x, m.x, mix.x) + carried_level(kind, now, f.y, m.y, mix.y)) +
                    carried_upright(kind, now, f.z, m.z, mix.z));
}

/* ---- a cell in the last stage ---- */

/* A cell and its neighbours on an axis, and on all three. */
struct line3 {
    SF_NUMBER low, own, high;
};

struct lines3 {
    struct line3 x, y, z;
};

/* What the air that enters brings through both: |M| times the neighbour's value less the cell's. */
SF_FORMULA SF_NUMBER brought(struct pair m, struct line3 q)
{
    const SF_NUMBER below = m.low > R(0.0) ? m.low * (q.own - q.low) : R(0.0),
                    above = m.high > R(0.0) ? R(0.0) : m.high * (q.high - q.own);
    return -(below + above);
}

/* A. beyond: face_beyond. */
SF_FORMULA SF_NUMBER flux_added(int kind, SF_NUMBER m, SF_NUMBER weight, struct face_flux beyond)
{
    return kind == MIX_NONE ? m * beyond.value : SF_NUMBER_FMA(m, beyond.value, weight * beyond.mixed);
}

SF_FORMULA SF_NUMBER above_zero(SF_NUMBER x) { return x > R(0.0) ? x : R(0.0); }

/* What A takes through both. */
SF_FORMULA SF_NUMBER fluxes_out(struct pair a) { return above_zero(-a.low) + above_zero(a.high); }

SF_FORMULA SF_NUMBER share_left(SF_NUMBER b, SF_NUMBER out)
{
    return out > b ? (b > R(0.0) ? b / out : R(0.0)) : R(1.0);
}

/* What q gains through both, each flux times the factor of the cell that it leaves. */
SF_FORMULA SF_NUMBER fluxes_gain(struct pair a, struct line3 factor)
{
    return (a.low > R(0.0) ? factor.low : factor.own) * a.low - (a.high > R(0.0) ? factor.own : factor.high) * a.high;
}

/* What is left of the term (q_s - q_0) sum of M. */
SF_FORMULA SF_NUMBER held_back(SF_NUMBER r, SF_NUMBER factor) { return r > R(0.0) ? r : factor * r; }

/* Rounding may take a cell that has b >= 0 below zero by what it rounds. */
SF_FORMULA SF_NUMBER not_below(SF_NUMBER x, SF_NUMBER b) { return x < R(0.0) ? (b < R(0.0) ? x : R(0.0)) : x; }

/* b, A, and (q_s - q_0) sum of M. */
struct limited {
    SF_NUMBER b, spread;
    struct pairs_around a;
};

/* start: q_0; now: q_s; a: flux_added of the six faces. */
SF_FORMULA struct limited tracer_limited(struct lines3 start, SF_NUMBER now, struct pairs_around a,
                                         struct pairs_around m)
{
    struct limited l;
    l.b = start.x.own + ((brought(m.x, start.x) + brought(m.y, start.y)) + brought(m.z, start.z));
    l.spread = (now - start.x.own) * (((m.x.high - m.x.low) + (m.y.high - m.y.low)) + (m.z.high - m.z.low));
    l.a = a;
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

/* The same where no factor is below 1. */
SF_FORMULA SF_NUMBER tracer_whole(struct limited l)
{
    const SF_NUMBER gain = ((l.a.x.low - l.a.x.high) + (l.a.y.low - l.a.y.high)) + (l.a.z.low - l.a.z.high);
    return not_below(l.b + (gain + l.spread), l.b);
}
