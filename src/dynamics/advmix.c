/* The fused stage on the CPU: all five tendencies of a row in one visit, each field read from memory once.
 *
 * The lines of a (j, k) pair are swept five times, field by field: the rows j-2 .. j+2 and levels k-2 .. k+2 that they
 * share stay in the first- and second-level cache, and each loop keeps its operands in registers.
 * SPDX-License-Identifier: MIT */
#include "dynamics/advmix.h"
#include "dynamics/dynamics.h"

#define LINE_X(p) {p[i - 2], p[i - 1], p[i], p[i + 1], p[i + 2]}
#define LINE_Y(p) {p[i - 2 * sj], p[i - sj], p[i], p[i + sj], p[i + 2 * sj]}
#define LINE_Z(p) {p[i - 2 * sk], p[i - sk], p[i], p[i + sk], p[i + 2 * sk]}
#define STAR(p) {LINE_X(p), LINE_Y(p), LINE_Z(p)}
#define PAIRS(p, step, other)                                                                                         \
    {{p[i - (step)], p[i], p[i + (step)], p[i + 2 * (step)]},                                                         \
     {p[i - (step) - (other)], p[i - (other)], p[i + (step) - (other)], p[i + 2 * (step) - (other)]}}
#define FACES(p, step) p[i - (step)], p[i], p[i + (step)], p[i + 2 * (step)]

static struct line5 profile_line(const real *p, int k) { return (struct line5){p[k - 2], p[k - 1], p[k], p[k + 1], p[k + 2]}; }

/* Weights at the centres of level k; `cross`: the wind comes as sums of two. */
static struct weights weights_centre(const struct slab *s, const struct dynamics *d, int k, real half)
{
    const real *rho = s->f[P_RHOF];
    return (struct weights){.z_near = half * s->f[P_ADZC][k], .z_wide = half * s->f[P_BDZC][k], .x_mix = d->mix_x,
                            .y_mix = d->mix_y, .z_top = s->f[P_MTC][k], .z_bottom = s->f[P_MBC][k],
                            .rho = {rho[k - 1], rho[k], rho[k + 1], rho[k + 2]}};
}

static inline __attribute__((always_inline)) void row_run(const struct slab *s, struct box b, const struct dynamics *d,
                                                          const int kind, int j)
{
    const ptrdiff_t sj = s->sj, sk = s->sk;
    for (int k = b.k0; k < b.k1; k++) {
        const ptrdiff_t at = (j - s->j0) * sj + k * sk;
        const real *restrict const u = s->f[F_U] + at, *restrict const v = s->f[F_V] + at, *restrict const w = s->f[F_W] + at;
        const real *restrict const th = s->f[F_TH] + at, *restrict const pi = s->f[F_PI] + at;
        real *restrict const ut = s->w[F_UT] + at, *restrict const vt = s->w[F_VT] + at, *restrict const wt = s->w[F_WT] + at;
        real *restrict const tht = s->w[F_THT] + at, *restrict const pit = s->w[F_PIT] + at;
        const int i0 = b.i0, i1 = b.i1;

        struct weights m = weights_centre(s, d, k, R(0.5));
        m.x_near = d->ax_self, m.x_wide = d->bx_self, m.y_near = d->ay_cross, m.y_wide = d->by_cross;
        const struct line5 u0 = profile_line(s->f[P_U0], k), v0 = profile_line(s->f[P_V0], k);
#pragma omp simd
        for (int i = i0; i < i1; i++) {
            const struct star q = STAR(u);
            const struct pairs pv = PAIRS(v, sj, 1), pw = PAIRS(w, sk, 1);
            ut[i] = u_tendency(kind, q, pv, pw, u0, m);
        }
        m.x_near = d->ax_cross, m.x_wide = d->bx_cross, m.y_near = d->ay_self, m.y_wide = d->by_self;
#pragma omp simd
        for (int i = i0; i < i1; i++) {
            const struct star q = STAR(v);
            const struct pairs pu = PAIRS(u, 1, sj), pw = PAIRS(w, sk, sj);
            vt[i] = v_tendency(kind, q, pu, pw, v0, m);
        }
        m = weights_centre(s, d, k, R(1.0));
        m.x_near = d->ax, m.x_wide = d->bx, m.y_near = d->ay, m.y_wide = d->by;
        const real base_bottom = s->f[P_DTH0H][k], base_top = s->f[P_DTH0H][k + 1];
#pragma omp simd
        for (int i = i0; i < i1; i++) {
            const struct star q = STAR(th);
            tht[i] = theta_tendency(kind, q, FACES(u, 1), FACES(v, sj), FACES(w, sk), m, base_bottom, base_top);
        }
#pragma omp simd
        for (int i = i0; i < i1; i++) {
            const struct star q = STAR(pi);
            pit[i] = scalar_advection(q, FACES(u, 1), FACES(v, sj), FACES(w, sk), m);
        }
        const real *const rho = s->f[P_RHOF];
        struct weights mf = {.x_near = d->ax_cross, .x_wide = d->bx_cross, .y_near = d->ay_cross, .y_wide = d->by_cross,
                             .z_near = s->f[P_ADZF][k], .z_wide = s->f[P_BDZF][k], .x_mix = d->mix_x, .y_mix = d->mix_y,
                             .z_top = s->f[P_MTF][k], .z_bottom = s->f[P_MBF][k],
                             .rho = {rho[k - 2], rho[k - 1], rho[k + 1], rho[k + 2]}};
        const real rho_c = rho[k], buoyancy = s->f[P_BUOY][k];
#pragma omp simd
        for (int i = i0; i < i1; i++) {
            const struct star q = STAR(w);
            const struct pairs pu = PAIRS(u, 1, sk), pv = PAIRS(v, sj, sk);
            wt[i] = w_tendency(kind, q, pu, pv, mf, rho_c, buoyancy, th[i - sk], th[i]);
        }
    }
}

static inline __attribute__((always_inline)) void rows_run(const struct slab *s, struct box b, const struct dynamics *d,
                                                           const int kind)
{
    for (int j = b.j0; j < b.j1; j++) row_run(s, b, d, kind, j);
}

void advmix_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct dynamics *d = c->ctx;
    switch (d->mixing + (d->upwind ? ADVECT_UPWIND : 0)) {
    case MIXING_OFF: rows_run(s, b, d, MIX_NONE); break;
    case MIXING_FOURTH: rows_run(s, b, d, MIX_FOURTH); break;
    case MIXING_MONOTONE: rows_run(s, b, d, MIX_MONOTONE); break;
    case MIXING_OFF + ADVECT_UPWIND: rows_run(s, b, d, MIX_NONE | ADVECT_UPWIND); break;
    case MIXING_FOURTH + ADVECT_UPWIND: rows_run(s, b, d, MIX_FOURTH | ADVECT_UPWIND); break;
    case MIXING_MONOTONE + ADVECT_UPWIND: rows_run(s, b, d, MIX_MONOTONE | ADVECT_UPWIND); break;
    case MIXING_SECOND + ADVECT_UPWIND:
    case MIXING_CONSTANT + ADVECT_UPWIND: rows_run(s, b, d, MIX_SECOND | ADVECT_UPWIND); break;
    default: rows_run(s, b, d, MIX_SECOND); break;
    }
}

/* A tracer: the tendency of theta without a base profile. */
static inline __attribute__((always_inline)) void tracer_rows(const struct slab *s, struct box b, const struct call *c,
                                                              const int kind)
{
    const struct dynamics *d = c->ctx;
    const ptrdiff_t sj = s->sj, sk = s->sk;
    const int from = F_Q + F_FAMILY * c->member, to = from + F_FAMILY_TENDENCY;
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * sj + k * sk;
            const real *restrict const u = s->f[F_U] + at, *restrict const v = s->f[F_V] + at;
            const real *restrict const w = s->f[F_W] + at, *restrict const f = s->f[from] + at;
            real *restrict const t = s->w[to] + at;
            struct weights m = weights_centre(s, d, k, R(1.0));
            m.x_near = d->ax, m.x_wide = d->bx, m.y_near = d->ay, m.y_wide = d->by;
#pragma omp simd
            for (int i = b.i0; i < b.i1; i++) {
                const struct star q = STAR(f);
                t[i] = theta_tendency(kind, q, FACES(u, 1), FACES(v, sj), FACES(w, sk), m, R(0.0), R(0.0));
            }
        }
}

void tracer_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct dynamics *d = c->ctx;
    switch (d->mixing + (d->upwind ? ADVECT_UPWIND : 0)) {
    case MIXING_OFF: tracer_rows(s, b, c, MIX_NONE); break;
    case MIXING_FOURTH: tracer_rows(s, b, c, MIX_FOURTH); break;
    case MIXING_MONOTONE: tracer_rows(s, b, c, MIX_MONOTONE); break;
    case MIXING_OFF + ADVECT_UPWIND: tracer_rows(s, b, c, MIX_NONE | ADVECT_UPWIND); break;
    case MIXING_FOURTH + ADVECT_UPWIND: tracer_rows(s, b, c, MIX_FOURTH | ADVECT_UPWIND); break;
    case MIXING_MONOTONE + ADVECT_UPWIND: tracer_rows(s, b, c, MIX_MONOTONE | ADVECT_UPWIND); break;
    case MIXING_SECOND + ADVECT_UPWIND:
    case MIXING_CONSTANT + ADVECT_UPWIND: tracer_rows(s, b, c, MIX_SECOND | ADVECT_UPWIND); break;
    default: tracer_rows(s, b, c, MIX_SECOND); break;
    }
}
