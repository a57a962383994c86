/* Statistics of turbulence: sums over the rows of a level. SPDX-License-Identifier: MIT */
#include "dynamics/statistics.h"

#include "dynamics/turbulence.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/reduce.h"

#include <stdlib.h>
#include <string.h>

/* What rows know. K of rows ja - 1 .. jb - 1: [rows + 1][nk][ni]. */
struct rows_of {
    const struct dynamics *d;
    const struct base_state *base;
    const struct grid *grid;
    const double *mean; /* [MEANS][nk] */
    real *km, *kh;
    double dt;
    int first_u, first_v; /* the lowest i and j of u and v that count */
    int failed;
};

static const real *line_at(const struct slab *s, int f, int j, int k)
{
    return s->f[f] + (j - s->j0) * s->sj + k * s->sk;
}

static const real *map_at(const struct slab *s, int f, int j) { return s->f[f] + (j - s->j0) * s->sm; }

static real *eddy_at(const struct rows_of *x, const struct state *st, real *k_of, int j, int k)
{
    return k_of + ((ptrdiff_t)(j - st->ja + 1) * x->grid->nz + k) * x->grid->nx;
}

/* ---- what eddies mix by ------------------------------------------------------------------------------------------ */

/* The row south of the rank's own: of the rank before, or of the last where the domain is periodic. */
static int eddies_share(const struct rows_of *x, const struct state *st)
{
    const struct comm *const c = &st->comm;
    const size_t row = (size_t)x->grid->nz * (size_t)x->grid->nx;
    real *const all = malloc((size_t)c->size * row * sizeof *all);
    size_t *const bytes = malloc((size_t)c->size * sizeof *bytes);
    int rc = outcome_share(
        c, all && bytes ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for rows of eddy viscosity"));
    for (int r = 0; r < c->size && !rc; r++) bytes[r] = row * sizeof *all;
    if (!rc) rc = comm_allgather(c, eddy_at(x, st, x->km, st->jb - 1, 0), all, bytes);
    const int from = c->rank ? c->rank - 1 : c->size - 1;
    if (!rc) memcpy(eddy_at(x, st, x->km, st->ja - 1, 0), all + (size_t)from * row, row * sizeof *all);
    free(all);
    free(bytes);
    return rc;
}

/* ---- means ------------------------------------------------------------------------------------------------------- */

/* What is carried with its base state: theta_v less that of the base state, and theta_v. */
static double theta_v_of(const struct rows_of *x, int k, double theta, double qv, double ql)
{
    return vapour_theta_rho(&x->d->vapour, x->d->R, x->base->theta[k] + theta, qv, ql);
}

static void means_line(const struct rows_of *x, const struct state *st, int j, int k, double *to, double *column)
{
    const struct slab *const s = &st->host.s;
    const struct dynamics *const d = x->d;
    const int ni = x->grid->nx, wet = d->species > 0, has_e = d->closure == CLOSURE_TKE, v_counts = j >= x->first_v;
    const double weight = x->base->rho0[k] * (x->grid->z_f[k + 1] - x->grid->z_f[k]);
    const real *const u = line_at(s, F_U, j, k), *const v = line_at(s, F_V, j, k), *const w = line_at(s, F_W, j, k),
                      *const th = line_at(s, F_TH, j, k), *const pi = line_at(s, F_PI, j, k),
                      *const qv = wet ? line_at(s, F_QV, j, k) : NULL, *const qc = wet ? line_at(s, F_QC, j, k) : NULL,
                      *const qr = wet ? line_at(s, F_QR, j, k) : NULL,
                      *const e = has_e ? line_at(s, F_Q + F_FAMILY * d->species, j, k) : NULL,
                      *const km = x->km ? eddy_at(x, st, x->km, j, k) : NULL,
                      *const kh = x->km ? eddy_at(x, st, x->kh, j, k) : NULL;
    for (int i = 0; i < ni; i++) {
        to[M_U * ni + i] = i >= x->first_u ? (double)u[i] : 0;
        to[M_V * ni + i] = v_counts ? (double)v[i] : 0;
        to[M_W * ni + i] = k ? (double)w[i] : 0;
        to[M_THETA * ni + i] = to[M_THETA_V * ni + i] = (double)th[i];
        to[M_EXNER * ni + i] = (double)pi[i];
        to[M_ENERGY * ni + i] = e ? (double)e[i] : 0;
        to[M_KM * ni + i] = km ? (double)km[i] : 0, to[M_KH * ni + i] = kh ? (double)kh[i] : 0;
    }
    for (int i = 0; i < ni && wet; i++) {
        const double v_ = (double)qv[i], c_ = (double)qc[i], r_ = (double)qr[i];
        const int is_cloud = qc[i] > EDDY_CLOUD;
        to[M_THETA_V * ni + i] = theta_v_of(x, k, (double)th[i], v_, c_ + r_) - x->base->theta0[k];
        to[M_QV * ni + i] = v_, to[M_QC * ni + i] = c_, to[M_QR * ni + i] = r_, to[M_CLOUD * ni + i] = is_cloud;
        column[R_COVER * ni + i] = is_cloud ? 1 : column[R_COVER * ni + i];
        column[R_PATH * ni + i] += weight * c_;
    }
}

/* out: [MEANS][nk], and behind it [ROWS_ONE]. */
static void means_row(const struct state *st, int j, double *out, void *ctx)
{
    struct rows_of *const x = ctx;
    const int ni = x->grid->nx, nk = x->grid->nz, has_ground = x->d->surface.drag != DRAG_NONE;
    double *const line = calloc((size_t)(MEANS + ROWS_ONE) * (size_t)ni, sizeof *line);
    double *const column = line ? line + (ptrdiff_t)MEANS * ni : NULL;
    if (!line || (x->km && turbulence_row(x->d, &st->host.s, j, x->dt, eddy_at(x, st, x->km, j, 0),
                                          eddy_at(x, st, x->kh, j, 0)))) {
        __atomic_store_n(&x->failed, 1, __ATOMIC_RELAXED);
        free(line);
        return;
    }
    for (int k = 0; k < nk; k++) {
        means_line(x, st, j, k, line, column);
        for (int n = 0; n < MEANS; n++) out[n * nk + k] = reduce_tree(line + (ptrdiff_t)n * ni, ni);
    }
    if (has_ground)
        for (int i = 0; i < ni; i++) column[R_USTAR * ni + i] = (double)map_at(&st->host.s, F_USTAR, j)[i];
    for (int n = 0; n < ROWS_ONE; n++) out[MEANS * nk + n] = reduce_tree(column + (ptrdiff_t)n * ni, ni);
    free(line);
}

/* ---- departures -------------------------------------------------------------------------------------------------- */

/* The lines of a level, and of the level below it, that departures are made of. */
struct level {
    const real *u, *v, *w, *w_high, *th, *pi, *qv, *qc, *qr, *km, *km_south, *kh;
    ptrdiff_t sj;
    double U, V, W, W_high, TH, PI, TV, QV;
    int k;
};

static struct level level_of(const struct rows_of *x, const struct state *st, int j, int k)
{
    const struct slab *const s = &st->host.s;
    const double *const m = x->mean;
    const int nk = x->grid->nz, wet = x->d->species > 0;
    return (struct level){.u = line_at(s, F_U, j, k),
                          .v = line_at(s, F_V, j, k),
                          .w = line_at(s, F_W, j, k),
                          .w_high = line_at(s, F_W, j, k + 1),
                          .th = line_at(s, F_TH, j, k),
                          .pi = line_at(s, F_PI, j, k),
                          .qv = wet ? line_at(s, F_QV, j, k) : NULL,
                          .qc = wet ? line_at(s, F_QC, j, k) : NULL,
                          .qr = wet ? line_at(s, F_QR, j, k) : NULL,
                          .km = x->km ? eddy_at(x, st, x->km, j, k) : NULL,
                          .km_south = x->km ? eddy_at(x, st, x->km, j - 1, k) : NULL,
                          .kh = x->km ? eddy_at(x, st, x->kh, j, k) : NULL,
                          .sj = s->sj,
                          .U = m[M_U * nk + k],
                          .V = m[M_V * nk + k],
                          .W = m[M_W * nk + k],
                          .W_high = k + 1 < nk ? m[M_W * nk + k + 1] : 0,
                          .TH = m[M_THETA * nk + k],
                          .PI = m[M_EXNER * nk + k],
                          .TV = m[M_THETA_V * nk + k],
                          .QV = m[M_QV * nk + k],
                          .k = k};
}

/* theta_v of a cell. */
static double theta_v_at(const struct rows_of *x, const struct level *l, int i)
{
    return l->qv ? theta_v_of(x, l->k, (double)l->th[i], (double)l->qv[i], (double)l->qc[i] + (double)l->qr[i])
                 : x->base->theta0[l->k] + (double)l->th[i];
}

/* theta_v' */
static double buoyant_at(const struct rows_of *x, const struct level *l, int i)
{
    return theta_v_at(x, l, i) - x->base->theta0[l->k] - l->TV;
}

static double square(double a) { return a * a; }
static double both(double a, double b) { return 0.5 * (a + b); }

/* e' at a centre. */
static double moving_at(const struct level *l, int i)
{
    const double w_low = l->k ? (double)l->w[i] - l->W : 0;
    return both(both(square((double)l->u[i] - l->U), square((double)l->u[i + 1] - l->U)) +
                    both(square((double)l->v[i] - l->V), square((double)l->v[i + l->sj] - l->V)),
                both(square(w_low), square((double)l->w_high[i] - l->W_high)));
}

/* S2 of the closure, with what it does along the ground (turbulence.sf: level_shear, upright_shear). */
static double shear_xz(const struct level *b, const struct level *a, int i, double rdz, double rdx)
{
    return ((double)a->u[i] - (double)b->u[i]) * rdz + ((double)a->w[i] - (double)a->w[i - 1]) * rdx;
}

static double shear_yz(const struct level *b, const struct level *a, int i, double rdz, double rdy)
{
    return ((double)a->v[i] - (double)b->v[i]) * rdz + ((double)a->w[i] - (double)a->w[i - a->sj]) * rdy;
}

static double shear_xy(const struct level *l, ptrdiff_t i, double rdx, double rdy)
{
    return ((double)l->u[i] - (double)l->u[i - l->sj]) * rdy + ((double)l->v[i] - (double)l->v[i - 1]) * rdx;
}

static double strain_at(const struct rows_of *x, const struct level *low, const struct level *l,
                        const struct level *high, const struct slab *s, int i)
{
    const int k = l->k;
    const double rdx = (double)x->d->rdx, rdy = (double)x->d->rdy, rdz = (double)s->f[P_RDZC][k],
                 r0 = (double)s->f[P_RDZF][k], r1 = (double)s->f[P_RDZF][k + 1];
    const int n = i + (int)l->sj;
    const double level = 2 * (square(((double)l->u[i + 1] - (double)l->u[i]) * rdx) +
                              square(((double)l->v[n] - (double)l->v[i]) * rdy)) +
                         0.25 * (square(shear_xy(l, i, rdx, rdy)) + square(shear_xy(l, i + 1, rdx, rdy)) +
                                 square(shear_xy(l, n, rdx, rdy)) + square(shear_xy(l, n + 1, rdx, rdy)));
    const double upright = 2 * square(((double)l->w_high[i] - (double)l->w[i]) * rdz) +
                           0.25 * (square(shear_xz(low, l, i, r0, rdx)) + square(shear_xz(low, l, i + 1, r0, rdx)) +
                                   square(shear_xz(l, high, i, r1, rdx)) + square(shear_xz(l, high, i + 1, r1, rdx))) +
                           0.25 * (square(shear_yz(low, l, i, r0, rdy)) + square(shear_yz(low, l, n, r0, rdy)) +
                                   square(shear_yz(l, high, i, r1, rdy)) + square(shear_yz(l, high, n, r1, rdy)));
    return (double)s->f[P_FLAT][k] * level + upright;
}

/* S.<S>, of the same edges: of the mean there is shear of u and v, and w that stretches. */
static double strain_mean_at(const struct rows_of *x, const struct level *low, const struct level *l,
                             const struct level *high, const struct slab *s, int i)
{
    const int k = l->k, n = i + (int)l->sj;
    const double rdx = (double)x->d->rdx, rdy = (double)x->d->rdy, rdz = (double)s->f[P_RDZC][k],
                 r0 = (double)s->f[P_RDZF][k], r1 = (double)s->f[P_RDZF][k + 1];
    const double along_x =
                     (l->U - low->U) * r0 * both(shear_xz(low, l, i, r0, rdx), shear_xz(low, l, i + 1, r0, rdx)) +
                     (high->U - l->U) * r1 * both(shear_xz(l, high, i, r1, rdx), shear_xz(l, high, i + 1, r1, rdx)),
                 along_y = (l->V - low->V) * r0 * both(shear_yz(low, l, i, r0, rdy), shear_yz(low, l, n, r0, rdy)) +
                           (high->V - l->V) * r1 * both(shear_yz(l, high, i, r1, rdy), shear_yz(l, high, n, r1, rdy));
    return 2 * ((double)l->w_high[i] - (double)l->w[i]) * (l->W_high - l->W) * square(rdz) + both(along_x, along_y);
}

/* At the centres of level k. */
static void centres_line(const struct rows_of *x, const struct state *st, const struct level *low,
                         const struct level *l, const struct level *high, int v_counts, double *to)
{
    const int ni = x->grid->nx;
    for (int i = 0; i < ni; i++) {
        to[D_UU * ni + i] = i >= x->first_u ? square((double)l->u[i] - l->U) : 0;
        to[D_VV * ni + i] = v_counts ? square((double)l->v[i] - l->V) : 0;
        to[D_TT * ni + i] = square((double)l->th[i] - l->TH);
        to[D_QQ * ni + i] = l->qv ? square((double)l->qv[i] - l->QV) : 0;
        to[D_CORE * ni + i] = l->qv && l->qc[i] > EDDY_CLOUD && buoyant_at(x, l, i) > 0;
        to[D_STRAIN * ni + i] = l->km ? (double)l->km[i] * strain_at(x, low, l, high, &st->host.s, i) : 0;
        to[D_STRAIN_MEAN * ni + i] = l->km ? (double)l->km[i] * strain_mean_at(x, low, l, high, &st->host.s, i) : 0;
    }
}

/* Through the faces between level `b` and level `a` above it. */
static void faces_line(const struct rows_of *x, const struct state *st, const struct level *b, const struct level *a,
                       int v_counts, double *to)
{
    const int ni = x->grid->nx;
    for (int i = 0; i < ni; i++) {
        const double w = (double)a->w[i] - a->W, west = (double)a->w[i - 1] - a->W,
                     south = (double)a->w[i - a->sj] - a->W;
        to[D_WW * ni + i] = w * w, to[D_WWW * ni + i] = w * w * w;
        to[D_UW * ni + i] = i >= x->first_u ? both(west, w) * both((double)b->u[i] - b->U, (double)a->u[i] - a->U) : 0;
        to[D_VW * ni + i] = v_counts ? both(south, w) * both((double)b->v[i] - b->V, (double)a->v[i] - a->V) : 0;
        to[D_TW * ni + i] = w * both((double)b->th[i] - b->TH, (double)a->th[i] - a->TH);
        to[D_QW * ni + i] = a->qv ? w * both((double)b->qv[i] - b->QV, (double)a->qv[i] - a->QV) : 0;
        to[D_BW * ni + i] = w * both(buoyant_at(x, b, i), buoyant_at(x, a, i));
        to[D_EW * ni + i] = w * both(moving_at(b, i), moving_at(a, i));
        to[D_PW * ni + i] = w * both((double)b->pi[i] - b->PI, (double)a->pi[i] - a->PI);
    }
    if (!a->km) return;
    const struct slab *const s = &st->host.s;
    const double r = (double)s->f[P_RDZF][a->k], steep = 2 * (double)s->f[P_DTH0H][a->k], rdx = (double)x->d->rdx,
                 rdy = (double)x->d->rdy;
    for (int i = 0; i < ni; i++) {
        const int west = i ? i - 1 : ni - 1; /* of a side that is not periodic nothing counts */
        const double kh = both((double)b->kh[i], (double)a->kh[i]), here = (double)a->km[i] + (double)b->km[i];
        const double on_x = 0.25 * (here + ((double)a->km[west] + (double)b->km[west])),
                     on_y = 0.25 * (here + ((double)a->km_south[i] + (double)b->km_south[i]));
        to[D_UW_SGS * ni + i] = i >= x->first_u ? -on_x * shear_xz(b, a, i, r, rdx) : 0;
        to[D_VW_SGS * ni + i] = v_counts ? -on_y * shear_yz(b, a, i, r, rdy) : 0;
        to[D_TW_SGS * ni + i] = -kh * (r * ((double)a->th[i] - (double)b->th[i]) + steep);
        to[D_QW_SGS * ni + i] = a->qv ? -kh * r * ((double)a->qv[i] - (double)b->qv[i]) : 0;
        to[D_BW_SGS * ni + i] = -kh * r * (theta_v_at(x, a, i) - theta_v_at(x, b, i));
    }
}

/* What the ground takes and gives; transfer and wind are those of the end of the step, as `ground` left them. */
static void ground_line(const struct rows_of *x, const struct state *st, const struct level *a, int j, int v_counts,
                        double *to)
{
    const struct slab *const s = &st->host.s;
    const struct dynamics *const d = x->d;
    const int ni = x->grid->nx;
    if (!surface_acts(&d->surface)) return;
    const real *const transfer = map_at(s, F_TRANSFER, j), *const heat = map_at(s, F_THETA_FLUX, j),
                      *const wet = map_at(s, F_EVAPORATION, j);
    for (int i = 0; i < ni; i++) {
        const double along = both((double)transfer[i - 1], (double)transfer[i]),
                     across = both((double)transfer[i - s->sm], (double)transfer[i]), warm = (double)heat[i];
        to[D_UW_SGS * ni + i] = i >= x->first_u ? -along * ((double)a->u[i] + d->translation[0]) : 0;
        to[D_VW_SGS * ni + i] = v_counts ? -across * ((double)a->v[i] + d->translation[1]) : 0;
        to[D_TW_SGS * ni + i] = to[D_BW_SGS * ni + i] = warm;
        if (!a->qv) continue;
        const double qv = (double)a->qv[i], vapour = (double)wet[i] * (1 + qv) / (double)s->f[P_RHOF][0],
                     ratio = d->vapour.Rv / d->R, all = 1 + qv + (double)a->qc[i] + (double)a->qr[i],
                     theta = x->base->theta[0] + (double)a->th[i];
        to[D_QW_SGS * ni + i] = vapour;
        to[D_BW_SGS * ni + i] = ((1 + ratio * qv) * warm + theta * (ratio - (1 + ratio * qv) / all) * vapour) / all;
    }
}

static void departures_row(const struct state *st, int j, double *out, void *ctx)
{
    struct rows_of *const x = ctx;
    const int ni = x->grid->nx, nk = x->grid->nz, v_counts = j >= x->first_v;
    const size_t size = (size_t)DEPARTURES * (size_t)ni;
    double *const line = calloc(size, sizeof *line);
    if (!line) {
        __atomic_store_n(&x->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    for (int k = 0; k < nk; k++) {
        /* Ghost levels mirror: what lies beyond has no part in anything but shear on ground and lid. */
        struct level low = level_of(x, st, j, SF_MAX(k - 1, 0)), l = level_of(x, st, j, k),
                     high = level_of(x, st, j, SF_MIN(k + 1, nk - 1));
        if (k == 0) low.u -= st->host.s.sk, low.v -= st->host.s.sk;
        if (k == nk - 1) high.u += st->host.s.sk, high.v += st->host.s.sk, high.w += st->host.s.sk;
        memset(line, 0, size * sizeof *line);
        centres_line(x, st, &low, &l, &high, v_counts, line);
        if (k) faces_line(x, st, &low, &l, v_counts, line);
        else ground_line(x, st, &l, j, v_counts, line);
        for (int n = 0; n < DEPARTURES; n++) out[n * nk + k] = reduce_tree(line + (ptrdiff_t)n * ni, ni);
    }
    free(line);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static int rows_reduce(const struct state *st, struct rows_of *x, reduce_row *row, int sums, double *out)
{
    const struct reduction r = {.sums = sums, .row = row, .ctx = x};
    SF_TRY(reduce_rows(&st->comm, st, &r, out));
    return outcome_share(
        &st->comm, x->failed ? sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for statistics of a row") : SF_OK);
}

/* Sums over points, by their number. */
static void sums_divide(const struct rows_of *x, double *sum, const int *of_u, const int *of_v, int n)
{
    const struct grid *const g = x->grid;
    const double all = (double)g->nx * g->ny, u = (double)(g->nx - x->first_u) * g->ny,
                 v = (double)g->nx * (g->ny - x->first_v);
    for (int m = 0; m < n; m++) {
        double points = all;
        for (int q = 0; q < 3; q++) points = m == of_u[q] ? u : m == of_v[q] ? v : points;
        for (int k = 0; k < g->nz; k++) sum[m * g->nz + k] = points > 0 ? sum[m * g->nz + k] / points : 0;
    }
}

int statistics_levels(const struct instance *in, const struct state *st, double dt, double *mean, double *departure,
                      double *one)
{
    static const int mean_u[3] = {M_U, -1, -1}, mean_v[3] = {M_V, -1, -1}, of_u[3] = {D_UU, D_UW, D_UW_SGS},
                     of_v[3] = {D_VV, D_VW, D_VW_SGS};
    const struct dynamics_own *const own = in->own;
    const struct grid *const g = in->grid;
    const size_t k_size = own->ctx.closure ? (size_t)(st->jb - st->ja + 1) * (size_t)g->nz * (size_t)g->nx : 0,
                 sums = (size_t)MEANS * (size_t)g->nz;
    struct rows_of x = {.d = &own->ctx,
                        .base = &own->base,
                        .grid = g,
                        .mean = mean,
                        .dt = dt,
                        .first_u = !field_is_periodic(in, FACE_W),
                        .first_v = !field_is_periodic(in, FACE_S)};
    double *const sum = malloc((sums + ROWS_ONE) * sizeof *sum);
    if (k_size) x.km = calloc(k_size, sizeof *x.km), x.kh = calloc(k_size, sizeof *x.kh);
    int rc =
        sum && (!k_size || (x.km && x.kh)) ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for statistics");
    rc = outcome_share(&st->comm, rc);
    if (!rc) rc = rows_reduce(st, &x, means_row, (int)sums + ROWS_ONE, sum);
    if (!rc) {
        memcpy(mean, sum, sums * sizeof *sum);
        sums_divide(&x, mean, mean_u, mean_v, MEANS);
        for (int n = 0; n < ROWS_ONE; n++) one[n] = sum[sums + (size_t)n] / ((double)g->nx * g->ny);
        if (k_size) rc = eddies_share(&x, st);
    }
    if (!rc) rc = rows_reduce(st, &x, departures_row, DEPARTURES * g->nz, departure);
    if (!rc) sums_divide(&x, departure, of_u, of_v, DEPARTURES);
    free(sum);
    free(x.km);
    free(x.kh);
    return rc;
}
