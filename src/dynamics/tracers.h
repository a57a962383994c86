/* The stages that carry tracers: transport.h for all of them at once.
 *
 *     stage            reads                                             writes
 *     tracers_first    q, which is still that of the start               near
 *     tracers_second   near; q at the point                              far
 *     tracers_share    far, q                                            near: the factor of each cell; q as it is
 * where no factor around is below 1 tracers_last     near; far, q of the start                         q where a factor
 * around is below 1
 *
 * Factors below 1 are few: they belong to cells near the edge of what a tracer fills. The last stage looks at all
 * factors and computes those cells again, so that nobody computes all fluxes twice.
 *
 * All read the wind as it is at the start of their Runge-Kutta stage, before its small steps; the last two the same
 * one.
 *
 * Beyond an open side stands, where air enters, tracer_inflow, of vapour and cloud what the base state has, of rain
 * none; where it leaves, the line through the two outermost values. The three cells next to a side, whose lines of
 * seven reach beyond it, are parts of their own.
 *
 * Here are the stages point by point, for those cells and for what tests compare with. tracers.c goes through lines,
 * tracers_tiles.cuh through tiles: each face is computed once there.
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
    struct mix_weights mix;
    int ni, nj, j;
    int open[4];
    real inflow, vapour, cloud; /* of tracers, of vapour and of cloud in the air that enters */
    int species, named; /* so many first members are water; and have names */
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
    l.mix.x = dt * d->mix_x, l.mix.y = dt * d->mix_y;
    l.mix.z.low = dt * s->f[P_MBQ][k], l.mix.z.high = dt * s->f[P_MTQ][k];
    l.ni = s->ni, l.nj = s->nj, l.j = (int)((at - k * s->sk) / s->sj) + s->j0;
    for (int side = 0; side < 4; side++) l.open[side] = d->open[side];
    l.inflow = d->tracer_inflow, l.species = d->species, l.named = d->named, l.vapour = s->f[P_QV0][k],
    l.cloud = s->f[P_QC0][k];
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
    const real *start, *now;
    real *factor, *to;
    real inflow; /* in the air that enters; of cells at open sides alone */
};

/* What is carried in the stage. */
SF_POINT const real *carry_now(const int form, const struct member *m)
{
    const int stage = form & CARRY_STAGE;
    return m->f[stage == CARRY_FIRST ? F_FAMILY_Q : stage == CARRY_SECOND ? F_FAMILY_NEAR : F_FAMILY_FAR];
}

SF_POINT real water_inflow(const struct carry_line *l, ptrdiff_t n)
{
    return n == 0 ? l->vapour : n == 1 ? l->cloud : R(0.0);
}

SF_POINT struct carry_member carry_member(const int form, const struct carry_line *l, const struct member *m,
                                          ptrdiff_t at)
{
    const int stage = form & CARRY_STAGE;
    struct carry_member x;
    x.start = m->f[F_FAMILY_Q] + at;
    x.now = carry_now(form, m) + at;
    x.factor = stage == CARRY_SHARE ? m->w[F_FAMILY_NEAR] + at : stage == CARRY_LAST ? m->f[F_FAMILY_NEAR] + at : NULL;
    x.to = m->w[stage == CARRY_FIRST ? F_FAMILY_NEAR : stage == CARRY_SECOND ? F_FAMILY_FAR : F_FAMILY_Q] + at;
    x.inflow = R(0.0);
    if (form & CARRY_SIDES)
        x.inflow = m->n >= l->named && m->n >= l->species ? l->inflow
                   : m->n >= l->species                   ? R(0.0)
                                                          : water_inflow(l, m->n);
    return x;
}

/* The line, with what enters of one member. */
SF_POINT struct carry_line carry_line_of(const struct carry_line *l, const struct carry_member *m)
{
    struct carry_line own = *l;
    own.inflow = m->inflow;
    return own;
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

/* Cells -3 .. 3 around a point. */
SF_POINT struct line7 line7_x(const int form, const struct carry_line *l, const real *q, int i)
{
    const struct line7 line = {value_x(form, l, q, i, -3), value_x(form, l, q, i, -2), value_x(form, l, q, i, -1), q[i],
                               value_x(form, l, q, i, 1),  value_x(form, l, q, i, 2),  value_x(form, l, q, i, 3)};
    return line;
}

SF_POINT struct line7 line7_y(const int form, const struct carry_line *l, const real *q, int i)
{
    const struct line7 line = {value_y(form, l, q, i, -3), value_y(form, l, q, i, -2), value_y(form, l, q, i, -1), q[i],
                               value_y(form, l, q, i, 1),  value_y(form, l, q, i, 2),  value_y(form, l, q, i, 3)};
    return line;
}

SF_POINT struct line7 line7_z(const struct carry_line *l, const real *q, int i)
{
    const ptrdiff_t sk = l->sk;
    const struct line7 line = {q[i - 3 * sk], q[i - 2 * sk], q[i - sk], q[i], q[i + sk], q[i + 2 * sk], q[i + 3 * sk]};
    return line;
}

SF_POINT struct lines3 lines3_around(const int form, const struct carry_line *l, const real *q, int i)
{
    const struct lines3 n = {{value_x(form, l, q, i, -1), q[i], value_x(form, l, q, i, 1)},
                             {value_y(form, l, q, i, -1), q[i], value_y(form, l, q, i, 1)},
                             {q[i - l->sk], q[i], q[i + l->sk]}};
    return n;
}

/* ---- a point ---- */

SF_POINT struct faces faces_of(int kind, real wind_low, real wind_high, struct line7 q)
{
    const struct line6 low = {q.m3, q.m2, q.m1, q.c, q.p1, q.p2}, high = {q.m2, q.m1, q.c, q.p1, q.p2, q.p3};
    const struct faces f = {face_of(kind, wind_low, low), face_of(kind, wind_high, high)};
    return f;
}

/* A through a face. low, high: q of the start on either side. */
SF_POINT real flux_beyond(int kind, struct face_flux f, real wind, real low, real high, real m, real mix)
{
    return flux_added(kind, m, mix, face_beyond(f, wind, low, high));
}

SF_POINT struct faces_around faces_point(const int form, const struct carry_line *l, const real *now, int i)
{
    const int kind = form & MIX_MASK;
    const struct faces_around f = {faces_of(kind, l->u[i], l->u[i + 1], line7_x(form, l, now, i)),
                                   faces_of(kind, l->v[i], l->v[i + l->sj], line7_y(form, l, now, i)),
                                   faces_of(kind, l->w[i], l->w[i + l->sk], line7_z(l, now, i))};
    return f;
}

SF_POINT struct limited limited_point(const int form, const struct carry_line *l, const struct carry_here *h,
                                      const struct carry_member *m, int i)
{
    const struct lines3 q = lines3_around(form, l, m->start, i);
    const struct faces_around f = faces_point(form, l, m->now, i);
    const int kind = form & MIX_MASK;
    const struct mix_weights mix = l->mix;
    const struct around c = h->m;
    const struct around a = {{flux_beyond(kind, f.x.low, l->u[i], q.x.low, q.x.own, c.x.low, mix.x),
                              flux_beyond(kind, f.x.high, l->u[i + 1], q.x.own, q.x.high, c.x.high, mix.x)},
                             {flux_beyond(kind, f.y.low, l->v[i], q.y.low, q.y.own, c.y.low, mix.y),
                              flux_beyond(kind, f.y.high, l->v[i + l->sj], q.y.own, q.y.high, c.y.high, mix.y)},
                             {flux_beyond(kind, f.z.low, l->w[i], q.z.low, q.z.own, c.z.low, mix.z.low),
                              flux_beyond(kind, f.z.high, l->w[i + l->sk], q.z.own, q.z.high, c.z.high, mix.z.high)}};
    return tracer_limited(q, m->now[i], a, c);
}

/* Factors of a cell and its neighbours. What lies beyond an open side has none: the engine repeats the outermost
 * there. */
SF_POINT struct lines3 factors_around(const int form, const struct carry_line *l, const real *factor, int i)
{
    return lines3_around(form & ~CARRY_SIDES, l, factor, i);
}

/* 1: no factor is below 1. */
SF_POINT real lesser(real a, real b) { return a < b ? a : b; }

SF_POINT int is_whole(struct lines3 f)
{
    const real sides = lesser(lesser(f.x.low, f.x.high), lesser(f.y.low, f.y.high));
    return !(lesser(lesser(sides, lesser(f.z.low, f.z.high)), f.x.own) < R(1.0));
}

SF_POINT void carry_point(const int form, const struct carry_line *shared, const struct carry_here *h,
                          const struct carry_member *m, int i)
{
    const struct carry_line own = carry_line_of(shared, m), *const l = &own;
    const int stage = form & CARRY_STAGE;
    if (stage == CARRY_FIRST || stage == CARRY_SECOND) {
        m->to[i] =
            tracer_carried(form & MIX_MASK, m->start[i], m->now[i], faces_point(form, l, m->now, i), h->m, l->mix);
        return;
    }
    if (stage == CARRY_SHARE) {
        const struct limited x = limited_point(form, l, h, m, i);
        m->factor[i] = tracer_share(x);
        m->to[i] = sf_audible(tracer_whole(x));
        return;
    }
    const struct lines3 factor = factors_around(form, l, m->factor, i);
    if (!is_whole(factor)) m->to[i] = sf_audible(tracer_last(limited_point(form, l, h, m, i), factor));
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
