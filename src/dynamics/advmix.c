/* The fused stage on the CPU: all five tendencies of a row in one visit, each field read from memory once.
 *
 * The lines of a (j, k) pair are swept five times, field by field: the rows j-2 .. j+2 and levels k-2 .. k+2 that they
 * share stay in the first- and second-level cache, and each loop keeps its operands in registers.
 * SPDX-License-Identifier: MIT */
#include "dynamics/advmix_line.h"

static inline __attribute__((always_inline)) void row_run(const struct slab *s, struct box b, const struct dynamics *d,
                                                          const int kind, int j)
{
    const ptrdiff_t sj = s->sj, sk = s->sk;
    for (int k = b.k0; k < b.k1; k++) {
        const ptrdiff_t at = (j - s->j0) * sj + k * sk;
        const real *restrict const u = s->f[F_U] + at, *restrict const v = s->f[F_V] + at,
                                   *restrict const w = s->f[F_W] + at;
        const real *restrict const th = s->f[F_TH] + at, *restrict const pi = s->f[F_PI] + at;
        real *restrict const ut = s->w[F_UT] + at, *restrict const vt = s->w[F_VT] + at,
                             *restrict const wt = s->w[F_WT] + at;
        real *restrict const tht = s->w[F_THT] + at, *restrict const pit = s->w[F_PIT] + at;
        const int i0 = b.i0, i1 = b.i1;

        const struct level l = level_make(s, k);
        struct weights m = weights_u(d, &l);
        const struct line5 u0 = l.u0, v0 = l.v0;
#pragma omp simd
        for (int i = i0; i < i1; i++) {
            const struct star q = STAR(u);
            const struct pairs pv = PAIRS(v, sj, 1), pw = PAIRS(w, sk, 1);
            ut[i] = u_tendency(kind, q, pv, pw, u0, m);
        }
        m = weights_v(d, &l);
#pragma omp simd
        for (int i = i0; i < i1; i++) {
            const struct star q = STAR(v);
            const struct pairs pu = PAIRS(u, 1, sj), pw = PAIRS(w, sk, sj);
            vt[i] = v_tendency(kind, q, pu, pw, v0, m);
        }
        m = weights_centre(d, &l);
        const real base_bottom = l.at.slope_bottom, base_top = l.at.slope_top;
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
        m = weights_w(d, &l);
        const real rho_c = l.rho_f.c, buoyancy = l.at.buoyancy_f;
#pragma omp simd
        for (int i = i0; i < i1; i++) {
            const struct star q = STAR(w);
            const struct pairs pu = PAIRS(u, 1, sk), pv = PAIRS(v, sj, sk);
            wt[i] = w_tendency(kind, q, pu, pv, m, rho_c, buoyancy, th[i - sk], th[i]);
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
    switch (kind_of(d)) {
#define KIND(name, kind)                                                                                               \
    case kind:                                                                                                         \
        rows_run(s, b, d, kind);                                                                                       \
        break;
#include "dynamics/kinds.def"
    }
}
