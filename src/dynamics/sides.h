/* The stages of open sides: the wind through a side, and what it carries in the two cells next to it; what leaves is
 * counted. pipeline/points.h makes loops and kernels of them. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/points.h"

#include "dynamics/budget.h"
#include "dynamics/open.h"
#include "dynamics/transport.h"

#define SIDE_ALONG_X(side) ((side) == FACE_W || (side) == FACE_E)
#define SIDE_HIGH(side) ((side) == FACE_E || (side) == FACE_N)

/* ---- what the wind carries: the form is a side and what is carried ---- */

enum carried { CARRIED_CENTRES, CARRIED_ACROSS, CARRIED_W }; /* theta'; the horizontal wind along the side; w */

/* Two values of the wind through the side beside the point: the same one twice, or those of the two cells that the
 * point lies between. */
struct carried_line {
    const real *q, *wind, *factor; /* factor: of the map, in the row; NULL: 1 */
    real *t;
    ptrdiff_t edge, face, inward; /* of the outermost value and of the side, as x has it: in the row, y: from the point;
                                     one cell inward */
    ptrdiff_t other; /* from one value of the wind to the other */
    real outside, sign, rdx, in[2], out[2];
    int depth; /* of the point in cells from the side, along y */
};

SF_POINT struct carried_line carried_line(const int form, const struct slab *s, const struct dynamics *d,
                                          const struct call *c, ptrdiff_t at, int k)
{
    (void)c;
    const int side = form % FACES, what = form / FACES, along_x = SIDE_ALONG_X(side), high = SIDE_HIGH(side);
    const int row = (int)((at - k * s->sk) / s->sj) + s->j0;
    struct carried_line l;
    const int field = what == CARRIED_W ? F_W : what == CARRIED_ACROSS ? (along_x ? F_V : F_U) : F_TH;
    const int tendency = what == CARRIED_W ? F_WT : what == CARRIED_ACROSS ? (along_x ? F_VT : F_UT) : F_THT;
    l.q = s->f[field] + at, l.t = s->w[tendency] + at, l.wind = s->f[along_x ? F_U : F_V] + at;
    l.inward = (along_x ? 1 : s->sj) * (high ? -1 : 1);
    l.depth = high ? s->nj - 1 - row : row;
    l.edge = along_x ? (high ? s->ni - 1 : 0) : (high ? l.depth : -l.depth) * s->sj;
    l.face = l.edge + (high ? -l.inward : 0);
    l.other = what == CARRIED_W ? -s->sk : what == CARRIED_ACROSS ? (along_x ? -s->sj : -1) : 0;
    l.outside = what == CARRIED_ACROSS ? s->f[along_x ? P_V0 : P_U0][k] : R(0.0);
    l.sign = high ? R(-1.0) : R(1.0), l.rdx = along_x ? d->rdx : d->rdy;
    const int is_map = d->over && (along_x || !(d->true_along_y > R(0.0)));
    l.factor = is_map ? s->f[F_MAP_FACTOR] + (row - s->j0) * s->sm : NULL;
    for (int m = 0; m < 2; m++) l.in[m] = d->open_in[m], l.out[m] = d->open_out[m];
    return l;
}

SF_POINT void carried_point(const int form, const struct carried_line *l, int i)
{
    const int along_x = SIDE_ALONG_X(form % FACES);
    const ptrdiff_t edge = along_x ? l->edge : i + l->edge, face = along_x ? l->face : i + l->face;
    const int depth = along_x ? (int)((i - l->edge) * l->inward) : l->depth;
    const real inward = l->sign * (R(0.5) * (l->wind[face] + l->wind[face + l->other]));
    const real rdx = l->factor ? l->rdx * l->factor[i] : l->rdx;
    l->t[i] = l->t[i] + open_carried(inward, l->outside, l->q[edge], l->q[edge + l->inward],
                                     depth ? l->in[1] : l->in[0], depth ? l->out[1] : l->out[0], rdx);
}

#define SIDE_PARTS(what, form)                                                                                         \
    SF_POINT_PART(what##_west, carried, FACES *(form) + FACE_W, struct dynamics)                                       \
    SF_POINT_PART(what##_east, carried, FACES *(form) + FACE_E, struct dynamics)                                       \
    SF_POINT_PART(what##_south, carried, FACES *(form) + FACE_S, struct dynamics)                                      \
    SF_POINT_PART(what##_north, carried, FACES *(form) + FACE_N, struct dynamics)
SIDE_PARTS(centres, CARRIED_CENTRES)
SIDE_PARTS(across, CARRIED_ACROSS)
SIDE_PARTS(upward, CARRIED_W)

/* The cells of a box that are no more than `depth` from each side. */
struct side_boxes {
    struct box of[4];
};

static struct side_boxes sides_of(const struct slab *s, struct box b, int depth)
{
    const struct box cells = {b.i0, SF_MIN(b.i1, s->ni), b.k0, b.k1, SF_MAX(b.j0, 0), SF_MIN(b.j1, s->nj)};
    struct side_boxes x;
    for (int side = 0; side < 4; side++) x.of[side] = cells;
    x.of[FACE_W].j0 = x.of[FACE_E].j0 = b.j0, x.of[FACE_W].j1 = x.of[FACE_E].j1 = b.j1;
    x.of[FACE_W].i1 = SF_MIN(cells.i1, depth), x.of[FACE_E].i0 = SF_MAX(cells.i0, s->ni - depth);
    x.of[FACE_S].j1 = SF_MIN(cells.j1, depth), x.of[FACE_N].j0 = SF_MAX(cells.j0, s->nj - depth);
    return x;
}

#define SIDES_CALL(what, d, s, x, c, stream)                                                                           \
    do {                                                                                                               \
        if ((d)->open[FACE_W]) what##_west(s, (x).of[FACE_W], c, stream);                                              \
        if ((d)->open[FACE_E]) what##_east(s, (x).of[FACE_E], c, stream);                                              \
        if ((d)->open[FACE_S]) what##_south(s, (x).of[FACE_S], c, stream);                                             \
        if ((d)->open[FACE_N]) what##_north(s, (x).of[FACE_N], c, stream);                                             \
    } while (0)

/* ---- the wind through a side: the form is the side ---- */

struct open_line {
    const real *q, *column, *rho, *base_column, *factor; /* factor: of the outermost cell's map; NULL: 1 */
    real *t;
    ptrdiff_t in, sk; /* from a face to the value next to it, and to the level above */
    int nk;
    real base, sign, speed, rdx, mean_rate, inflow_rate;
};

SF_POINT struct open_line open_line(const int side, const struct slab *s, const struct dynamics *d,
                                    const struct call *c, ptrdiff_t at, int k)
{
    (void)c;
    const int along_x = SIDE_ALONG_X(side), high = SIDE_HIGH(side);
    const ptrdiff_t step = along_x ? 1 : s->sj;
    struct open_line l;
    l.q = s->f[along_x ? F_U : F_V] + at, l.t = s->w[along_x ? F_UT : F_VT] + at;
    l.column = l.q - k * s->sk, l.sk = s->sk, l.nk = s->nk;
    l.rho = s->f[P_SHARE], l.base_column = s->f[along_x ? P_U0 : P_V0];
    l.in = high ? -step : step, l.sign = high ? R(1.0) : R(-1.0);
    l.base = l.base_column[k], l.rdx = along_x ? d->rdx : d->rdy;
    const int row = (int)((at - k * s->sk) / s->sj);
    const int is_map = d->over && (along_x || !(d->true_along_y > R(0.0)));
    l.factor = is_map ? s->f[F_MAP_FACTOR] + (row - (high && !along_x)) * s->sm - (high && along_x) : NULL;
    l.speed = d->open_speed, l.mean_rate = d->open_rate, l.inflow_rate = d->open_inflow_rate;
    return l;
}

/* Of the column's wind less that of the base state. */
SF_POINT real open_mean(const struct open_line *l, int i)
{
    real mean = R(0.0);
    for (int k = 0; k < l->nk; k++) mean = sf_fma(l->rho[k], l->column[i + k * l->sk] - l->base_column[k], mean);
    return mean;
}

SF_POINT void open_level(const struct open_line *l, int i, real mean)
{
    const real rdx = l->factor ? l->rdx * l->factor[i] : l->rdx;
    l->t[i] = open_wind(l->q[i], l->q[i + l->in], l->base, l->sign, l->speed, rdx, mean, l->mean_rate, l->inflow_rate);
}

#ifdef __cplusplus
SF_POINT void open_point(const int side, const struct open_line *l, int i)
{
    (void)side;
    open_level(l, i, open_mean(l, i));
}

#define WIND_PART(part, side) SF_POINT_PART_PLAIN(part, open, side, struct dynamics)
#else
/* Here levels follow each other: a column's mean is made once. */
SF_POINT void open_columns(const int side, const struct slab *s, struct box b, const struct call *c)
{
    enum { AT_ONCE = 64 };
    const struct dynamics *const d = (const struct dynamics *)c->ctx;
    for (int j = b.j0; j < b.j1; j++)
        for (int i0 = b.i0; i0 < b.i1; i0 += AT_ONCE) {
            const ptrdiff_t row = (j - s->j0) * s->sj;
            const struct open_line lowest = open_line(side, s, d, c, row, 0);
            const int n = SF_MIN(AT_ONCE, b.i1 - i0);
            real mean[AT_ONCE];
            for (int i = 0; i < n; i++) mean[i] = open_mean(&lowest, i0 + i);
            for (int k = b.k0; k < b.k1; k++) {
                const struct open_line l = open_line(side, s, d, c, row + k * s->sk, k);
                for (int i = 0; i < n; i++) open_level(&l, i0 + i, mean[i]);
            }
        }
}

#define WIND_PART(part, side)                                                                                          \
    static void part(const struct slab *s, struct box b, const struct call *c, void *stream)                           \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        open_columns(side, s, b, c);                                                                                   \
    }
#endif

WIND_PART(wind_west, FACE_W)
WIND_PART(wind_east, FACE_E)
WIND_PART(wind_south, FACE_S)
WIND_PART(wind_north, FACE_N)

/* What is carried first: the wind through a side is no tendency that is added to, but one of its own. */
static void open_all(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const struct side_boxes x = sides_of(s, b, OPEN_CELLS);
    SIDES_CALL(centres, d, s, x, c, stream);
    SIDES_CALL(across, d, s, x, c, stream);
    SIDES_CALL(upward, d, s, x, c, stream);
    struct side_boxes face = sides_of(s, b, 1);
    /* Rows beyond the last are faces of v where the north is open, and rows like all others where it is periodic. */
    face.of[FACE_W].j1 = face.of[FACE_E].j1 = d->open[FACE_N] ? SF_MIN(b.j1, s->nj) : b.j1;
    face.of[FACE_E].i0 = SF_MAX(b.i0, s->ni), face.of[FACE_E].i1 = SF_MIN(b.i1, s->ni + 1);
    face.of[FACE_N].j0 = SF_MAX(b.j0, s->nj), face.of[FACE_N].j1 = SF_MIN(b.j1, s->nj + 1);
    SIDES_CALL(wind, d, s, face, c, stream);
}

SF_PART_STAGE(open, open_all)

/* ---- what leaves through a side: the form is the side, and FACES more where the air is moist ----
 *
 * Of a column, over its ground, in a step dt, from the state in its middle, n the wind outward:
 *
 *     dry air   dt sum of dz/dx  rho n          energy   dt sum of dz/dx (rho n e + p n_g)
 *     water     dt sum of dz/dx  rho n q        n_g: n as the ground sees it, for the side may travel
 *
 * rho, T, p and the wind of e are those of the outermost cell; q is that of the side as tracers have it there:
 * 5th-order upwind. In double; maps are sums in two reals. */

struct outflow_line {
    const real *wind, *u, *v, *w, *th, *pi, *q[SPECIES], *theta0, *pi0, *rdz, *outside[SPECIES];
    const real *sum[OUTS], *lost[OUTS];
    real *new_sum[OUTS], *new_lost[OUTS];
    ptrdiff_t in, sj, sk; /* in: one cell inward */
    int nk;
    double sign, dt, rdx, translation[2], moving; /* moving: the side, outward */
    double p00, R, cv, cv_over_R, ratio, cvv, cl, latent, g;
};

SF_POINT struct outflow_line outflow_line(const int form, const struct slab *s, const struct dynamics *d,
                                          const struct call *c, ptrdiff_t at, int k)
{
    const int side = form % FACES, is_wet = form >= FACES, along_x = SIDE_ALONG_X(side), high = SIDE_HIGH(side);
    const ptrdiff_t step = along_x ? 1 : s->sj, base = at - k * s->sk, map = base / s->sj * s->sm;
    struct outflow_line l;
    l.u = s->f[F_U] + base, l.v = s->f[F_V] + base, l.w = s->f[F_W] + base;
    l.wind = (along_x ? l.u : l.v) + (high ? step : 0);
    l.th = s->f[F_TH] + base, l.pi = s->f[F_PI] + base;
    l.theta0 = s->f[P_THA], l.pi0 = s->f[P_PI0], l.rdz = s->f[P_RDZC];
    for (int n = 0; n < SPECIES; n++) {
        l.q[n] = is_wet ? s->f[F_QV_FAR + F_FAMILY * n] + base : NULL;
        l.outside[n] = !is_wet || n == 2 ? NULL : s->f[n ? P_QC0 : P_QV0];
    }
    for (int m = 0; m < (is_wet ? OUTS : OUT_WATER); m++) {
        const int f = F_MASS_OUT + 2 * m;
        l.sum[m] = s->f[f] + map, l.lost[m] = s->f[f + 1] + map;
        l.new_sum[m] = s->w[f] + map, l.new_lost[m] = s->w[f + 1] + map;
    }
    l.in = high ? -step : step, l.sj = s->sj, l.sk = s->sk, l.nk = s->nk;
    l.sign = high ? 1 : -1, l.dt = (double)c->dt, l.rdx = (double)(along_x ? d->rdx : d->rdy);
    l.translation[0] = d->translation[0], l.translation[1] = d->translation[1];
    l.moving = l.sign * l.translation[along_x ? 0 : 1];
    l.p00 = d->p00, l.R = d->R, l.cv = d->cv, l.cv_over_R = d->cv_over_R, l.g = d->g;
    l.ratio = is_wet ? d->vapour.Rv / d->R : 0;
    l.cvv = d->vapour.cpv - d->vapour.Rv, l.cl = d->vapour.cl, l.latent = vapour_latent(&d->vapour, 0);
    return l;
}

/* q on the side. out: the wind; in: from the outermost value, q[0], to the next. */
SF_POINT double side_value(real out, const real *q, ptrdiff_t in, real outside)
{
    const real slope = q[0] - q[in];
    const int enters = out < R(0.0);
    const struct line6 line = {q[2 * in],
                               q[in],
                               q[0],
                               enters ? outside : q[0] + slope,
                               enters ? outside : q[0] + R(2.0) * slope,
                               enters ? outside : q[0] + R(3.0) * slope};
    return (double)face_of(MIX_NONE, out, line).value;
}

SF_POINT void outflow_point(const int form, const struct outflow_line *l, int i)
{
    const int is_wet = form >= FACES;
    double sum[OUTS] = {0}, bottom = 0;
    for (int k = 0; k < l->nk; k++) {
        const ptrdiff_t at = i + k * l->sk;
        const double dz = 1 / (double)l->rdz[k], out = l->sign * (double)l->wind[at];
        const double theta = (double)l->theta0[k] + (double)l->th[at], exner = (double)l->pi0[k] + (double)l->pi[at];
        double q[SPECIES] = {0};
        for (int n = 0; is_wet && n < SPECIES; n++)
            q[n] = side_value((real)out, l->q[n] + at, l->in, l->outside[n] ? l->outside[n][k] : R(0.0));
        const double here = is_wet ? (double)l->q[0][at] : 0, virtual_theta = theta * (1 + l->ratio * here);
        const double rho = air_density(virtual_theta, exner, l->p00, l->R, l->cv_over_R);
        const double u = 0.5 * ((double)l->u[at] + (double)l->u[at + 1]) + l->translation[0];
        const double v = 0.5 * ((double)l->v[at] + (double)l->v[at + l->sj]) + l->translation[1];
        const double w = 0.5 * ((double)l->w[at] + (k + 1 < l->nk ? (double)l->w[at + l->sk] : 0));
        const double energy = air_energy(is_wet, 0.5 * (u * u + v * v + w * w), l->g * (bottom + 0.5 * dz), theta,
                                         exner, l->cv, l->cvv, l->cl, l->latent, q[0], q[1] + q[2]);
        const double part = l->rdx * dz, mass = part * rho * out;
        sum[OUT_MASS] += mass;
        sum[OUT_ENERGY] += mass * energy + part * (rho * l->R * virtual_theta * exner) * (out + l->moving);
        sum[OUT_WATER] += mass * (q[0] + (q[1] + q[2]));
        bottom += dz;
    }
    for (int m = 0; m < (is_wet ? OUTS : OUT_WATER); m++) {
        const real added = (real)(l->dt * sum[m]) - l->lost[m][i], all = l->sum[m][i] + added;
        l->new_lost[m][i] = (all - l->sum[m][i]) - added;
        l->new_sum[m][i] = all;
    }
}

#define OUTFLOW_PARTS(part, form)                                                                                      \
    SF_POINT_PART_PLAIN(part##_west, outflow, (form) + FACE_W, struct dynamics)                                        \
    SF_POINT_PART_PLAIN(part##_east, outflow, (form) + FACE_E, struct dynamics)                                        \
    SF_POINT_PART_PLAIN(part##_south, outflow, (form) + FACE_S, struct dynamics)                                       \
    SF_POINT_PART_PLAIN(part##_north, outflow, (form) + FACE_N, struct dynamics)
OUTFLOW_PARTS(leaves, 0)
OUTFLOW_PARTS(leaves_wet, FACES)

/* A point is a column. */
static struct side_boxes outflow_boxes(const struct slab *s, struct box b)
{
    b.k1 = SF_MIN(b.k1, b.k0 + 1);
    return sides_of(s, b, 1);
}

static void outflow_all(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const struct side_boxes x = outflow_boxes(s, b);
    SIDES_CALL(leaves, d, s, x, c, stream);
}

static void outflow_wet_all(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const struct side_boxes x = outflow_boxes(s, b);
    SIDES_CALL(leaves_wet, d, s, x, c, stream);
}

SF_PART_STAGE(outflow, outflow_all)
SF_PART_STAGE(outflow_wet, outflow_wet_all)
