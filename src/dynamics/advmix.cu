/* The fused stage on a GPU: all five tendencies of a point in one visit. SPDX-License-Identifier: MIT */
#include "dynamics/advmix_line.h"

/* One thread a point; neighbours come through the first-level cache. */
template <int kind>
__global__ void advmix_plain(const struct slab s, const struct box b, const struct dynamics d)
{
    const struct launch_point p = launch_here(b);
    if (!p.is_inside) return;
    const ptrdiff_t sj = s.sj, sk = s.sk, at = (p.j - s.j0) * sj + p.k * sk;
    const int i = p.i, k = p.k;
    const real *const u = s.f[F_U] + at, *const v = s.f[F_V] + at, *const w = s.f[F_W] + at;
    const real *const th = s.f[F_TH] + at, *const pi = s.f[F_PI] + at;
    const struct star qu = STAR(u), qv = STAR(v), qw = STAR(w), qth = STAR(th), qpi = STAR(pi);
    const struct pairs v_of_u = PAIRS(v, sj, 1), w_of_u = PAIRS(w, sk, 1), u_of_v = PAIRS(u, 1, sj), w_of_v = PAIRS(w, sk, sj);
    const struct pairs u_of_w = PAIRS(u, 1, sk), v_of_w = PAIRS(v, sj, sk);
    const struct weights m = weights_centre(&s, &d, k, R(1.0));
    const real *const slope = s.f[P_DTH0H];
    const real ut = u_tendency(kind, qu, v_of_u, w_of_u, profile_line(s.f[P_U0], k), weights_u(&s, &d, k));
    const real vt = v_tendency(kind, qv, u_of_v, w_of_v, profile_line(s.f[P_V0], k), weights_v(&s, &d, k));
    const real wt = w_tendency(kind, qw, u_of_w, v_of_w, weights_w(&s, &d, k), s.f[P_RHOF][k], s.f[P_BUOY][k], qth.z.m1, qth.z.c);
    const real tht = theta_tendency(kind, qth, FACES(u, 1), FACES(v, sj), FACES(w, sk), m, slope[k], slope[k + 1]);
    const real pit = scalar_advection(qpi, FACES(u, 1), FACES(v, sj), FACES(w, sk), m);
    s.w[F_UT][at + i] = ut, s.w[F_VT][at + i] = vt, s.w[F_WT][at + i] = wt, s.w[F_THT][at + i] = tht, s.w[F_PIT][at + i] = pit;
}

extern "C" void advmix_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    switch (kind_of(d)) {
#define KIND(name, kind) \
    case kind: SF_LAUNCH((advmix_plain<kind>), launch_grid(b), launch_block(), stream, *s, b, *d); break;
#include "dynamics/kinds.def"
    }
}
