/* The stages that carry tracers: transport.h for all of them at once. pipeline/points.h makes loops and kernels of
 * them.
 *
 *     stage            reads                                             writes
 *     tracers_first    q, which is still that of the start               near
 *     tracers_second   near; q at the point                              far
 *     tracers_share    far, q                                            near: the factor of each cell
 *     tracers_last     far, q, near                                      q
 *
 * All read the wind as it is at the start of their Runge-Kutta stage, before its small steps; the last two the same
 * one.
 *
 * Beyond an open side stands, where air enters, tracer_inflow; where it leaves, the line through the two outermost
 * values. The three cells next to a side, whose lines of seven reach beyond it, are parts of their own.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/points.h"

#include "dynamics/advmix_line.h"
#include "dynamics/transport.h"

/* A form is the sum of a stage, a kind of mixing, and 1 where sides are open. */
enum { CARRY_FIRST = 0, CARRY_SECOND = 16, CARRY_SHARE = 32, CARRY_LAST = 48, CARRY_STAGE = 48, CARRY_SIDES = 8 };
enum { SIDE_CELLS = 3 };

struct carry_line {
    const real *u, *v, *w;
    ptrdiff_t sj, sk;
    real x, y, bottom, top; /* time step over spacing, times rho_0 of the face over that of the cell */
    struct around mix;
    int ni, nj, j;
    int open[4];
    real inflow;
};

SF_POINT struct carry_line carry_line(const int form, const struct slab *s, const struct dynamics *d,
                                      const struct call *c, ptrdiff_t at, int k)
{
    (void)form;
    struct carry_line l;
    const real dt = c->dt, above = dt * (R(1.5) * s->f[P_ADZC][k]);
    l.u = s->f[F_U] + at, l.v = s->f[F_V] + at, l.w = s->f[F_W] + at;
    l.sj = s->sj, l.sk = s->sk;
    l.x = dt * d->rdx, l.y = dt * d->rdy;
    l.bottom = above * s->f[P_RHOF][k], l.top = above * s->f[P_RHOF][k + 1];
    l.mix.x.low = l.mix.x.high = dt * d->mix_x, l.mix.y.low = l.mix.y.high = dt * d->mix_y;
    l.mix.z.low = dt * s->f[P_MBC][k], l.mix.z.high = dt * s->f[P_MTC][k];
    l.ni = s->ni, l.nj = s->nj, l.j = (int)((at - k * s->sk) / s->sj) + s->j0;
    for (int side = 0; side < 4; side++) l.open[side] = d->open[side];
    l.inflow = d->tracer_inflow;
    return l;
}

struct carry_here {
    struct around m;
};

SF_POINT struct carry_here carry_here(const int form, const struct carry_line *l, int i)
{
    (void)form;
    const struct carry_here h = {{{l->x * l->u[i], l->x * l->u[i + 1]},
                                  {l->y * l->v[i], l->y * l->v[i + l->sj]},
                                  {l->bottom * l->w[i], l->top * l->w[i + l->sk]}}};
    return h;
}

/* Where lines of one tracer lie: at the start of the time step, in this stage, the factor, the result. */
struct carry_member {
    const real *start, *now, *factor;
    real *to;
};

SF_POINT struct carry_member carry_member(const int form, const struct carry_line *l, const struct member *m,
                                          ptrdiff_t at)
{
    (void)l;
    const int stage = form & CARRY_STAGE;
    struct carry_member x;
    x.start = m->f[F_FAMILY_Q] + at;
    x.now = stage == CARRY_FIRST ? x.start : m->f[stage == CARRY_SECOND ? F_FAMILY_NEAR : F_FAMILY_FAR] + at;
    x.factor = stage == CARRY_LAST ? m->f[F_FAMILY_NEAR] + at : NULL;
    x.to = m->w[stage == CARRY_SECOND ? F_FAMILY_FAR : stage == CARRY_LAST ? F_FAMILY_Q : F_FAMILY_NEAR] + at;
    return x;
}

/* ---- values around a point, which beyond an open side are those of the air there ---- */

/* inward: the wind; edge, inside: the outermost value and the next; cells: beyond the side. */
SF_POINT real beyond_open(real inward, real outside, real edge, real inside, int cells)
{
    return inward > R(0.0) ? outside : edge + (real)cells * (edge - inside);
}

SF_POINT real value_x(const int form, const struct carry_line *l, const real *q, int i, int n)
{
    const int at = i + n;
    if (form & CARRY_SIDES) {
        if (l->open[FACE_W] && at < 0) return beyond_open(l->u[0], l->inflow, q[0], q[1], -at);
        if (l->open[FACE_E] && at >= l->ni)
            return beyond_open(-l->u[l->ni], l->inflow, q[l->ni - 1], q[l->ni - 2], at - l->ni + 1);
    }
    return q[at];
}

SF_POINT real value_y(const int form, const struct carry_line *l, const real *q, int i, int n)
{
    const int at = l->j + n;
    if (form & CARRY_SIDES) {
        const real *const south = q + i - l->j * l->sj, *const north = q + i + (l->nj - 1 - l->j) * l->sj;
        if (l->open[FACE_S] && at < 0)
            return beyond_open(l->v[i - l->j * l->sj], l->inflow, south[0], south[l->sj], -at);
        if (l->open[FACE_N] && at >= l->nj)
            return beyond_open(-l->v[i + (l->nj - l->j) * l->sj], l->inflow, north[0], north[-l->sj], at - l->nj + 1);
    }
    return q[i + n * l->sj];
}

SF_POINT struct steps6 steps_x(const int form, const struct carry_line *l, const real *q, int i)
{
    const struct line7 line = {value_x(form, l, q, i, -3), value_x(form, l, q, i, -2), value_x(form, l, q, i, -1), q[i],
                               value_x(form, l, q, i, 1),  value_x(form, l, q, i, 2),  value_x(form, l, q, i, 3)};
    return steps_of(line);
}

SF_POINT struct steps6 steps_y(const int form, const struct carry_line *l, const real *q, int i)
{
    const struct line7 line = {value_y(form, l, q, i, -3), value_y(form, l, q, i, -2), value_y(form, l, q, i, -1), q[i],
                               value_y(form, l, q, i, 1),  value_y(form, l, q, i, 2),  value_y(form, l, q, i, 3)};
    return steps_of(line);
}

SF_POINT struct steps6 steps_z(const struct carry_line *l, const real *q, int i)
{
    const ptrdiff_t sk = l->sk;
    const struct line7 line = {q[i - 3 * sk], q[i - 2 * sk], q[i - sk], q[i], q[i + sk], q[i + 2 * sk], q[i + 3 * sk]};
    return steps_of(line);
}

SF_POINT struct lines3 lines3_around(const int form, const struct carry_line *l, const real *q, int i)
{
    const struct lines3 n = {{value_x(form, l, q, i, -1), q[i], value_x(form, l, q, i, 1)},
                             {value_y(form, l, q, i, -1), q[i], value_y(form, l, q, i, 1)},
                             {q[i - l->sk], q[i], q[i + l->sk]}};
    return n;
}

/* ---- a point ---- */

SF_POINT void carry_point(const int form, const struct carry_line *l, const struct carry_here *h,
                          const struct carry_member *m, int i)
{
    const int stage = form & CARRY_STAGE, kind = form & MIX_MASK;
    const struct steps_around d = {steps_x(form, l, m->now, i), steps_y(form, l, m->now, i), steps_z(l, m->now, i)};
    if (stage == CARRY_FIRST || stage == CARRY_SECOND) {
        m->to[i] = tracer_carried(kind, m->start[i], d, h->m, l->mix);
        return;
    }
    const struct limited x =
        tracer_limited(kind, lines3_around(form, l, m->start, i), lines3_around(form, l, m->now, i), d, h->m, l->mix);
    /* What lies beyond an open side has no factor of its own: the engine repeats the outermost there. */
    m->to[i] =
        stage == CARRY_SHARE ? tracer_share(x) : tracer_last(x, lines3_around(form & ~CARRY_SIDES, l, m->factor, i));
}

/* ---- stages ---- */

/* The cells of a box within reach of no open side, and those next to each: no cell twice. */
struct carry_boxes {
    struct box inner, side[4];
};

static struct carry_boxes carry_boxes(const struct slab *s, struct box b, const struct dynamics *d)
{
    struct carry_boxes x = {b, {b, b, b, b}};
    if (d->open[FACE_W]) x.inner.i0 = SF_MAX(b.i0, SF_MIN(b.i1, SIDE_CELLS));
    if (d->open[FACE_E]) x.inner.i1 = SF_MIN(b.i1, SF_MAX(x.inner.i0, s->ni - SIDE_CELLS));
    if (d->open[FACE_S]) x.inner.j0 = SF_MAX(b.j0, SF_MIN(b.j1, SIDE_CELLS));
    if (d->open[FACE_N]) x.inner.j1 = SF_MIN(b.j1, SF_MAX(x.inner.j0, s->nj - SIDE_CELLS));
    x.side[FACE_W].i1 = x.side[FACE_S].i0 = x.side[FACE_N].i0 = x.inner.i0;
    x.side[FACE_E].i0 = x.side[FACE_S].i1 = x.side[FACE_N].i1 = x.inner.i1;
    x.side[FACE_S].j1 = x.inner.j0, x.side[FACE_N].j0 = x.inner.j1;
    return x;
}

#define CARRY_PARTS(stage, name, mixing)                                                                               \
    SF_MEMBERS_PART(stage##_##name, carry, CARRY_##stage | (mixing), struct dynamics)                                  \
    SF_MEMBERS_PART(stage##_##name##_sides, carry, CARRY_##stage | (mixing) | CARRY_SIDES, struct dynamics)
#define CARRY_CASE(stage, name, mixing)                                                                                \
    case mixing:                                                                                                       \
        stage##_##name(s, x.inner, c, stream);                                                                         \
        for (int side = 0; side < 4; side++) stage##_##name##_sides(s, x.side[side], c, stream);                       \
        break;
#define CARRY_STAGE_OF(stage, function)                                                                                \
    CARRY_PARTS(stage, off, MIX_NONE)                                                                                  \
    CARRY_PARTS(stage, second, MIX_SECOND)                                                                             \
    CARRY_PARTS(stage, fourth, MIX_FOURTH)                                                                             \
    CARRY_PARTS(stage, monotone, MIX_MONOTONE)                                                                         \
    static void function##_all(const struct slab *s, struct box b, const struct call *c, void *stream)                 \
    {                                                                                                                  \
        const struct dynamics *d = (const struct dynamics *)c->ctx;                                                    \
        const struct carry_boxes x = carry_boxes(s, b, d);                                                             \
        switch (kind_of(d) & MIX_MASK) {                                                                               \
            CARRY_CASE(stage, off, MIX_NONE)                                                                           \
            CARRY_CASE(stage, second, MIX_SECOND)                                                                      \
            CARRY_CASE(stage, fourth, MIX_FOURTH)                                                                      \
            CARRY_CASE(stage, monotone, MIX_MONOTONE)                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    SF_PART_STAGE(function, function##_all)

CARRY_STAGE_OF(FIRST, tracers_first)
CARRY_STAGE_OF(SECOND, tracers_second)
CARRY_STAGE_OF(SHARE, tracers_share)
CARRY_STAGE_OF(LAST, tracers_last)
