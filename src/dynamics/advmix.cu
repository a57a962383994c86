/* The fused stage on a GPU: all five tendencies of a point in one visit. SPDX-License-Identifier: MIT */
#include "dynamics/advmix_tile.cuh"

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
    const struct level l = level_make(&s, k);
    const struct weights m = weights_centre(&d, &l);
    const real ut = u_tendency(kind, qu, v_of_u, w_of_u, l.u0, weights_u(&d, &l));
    const real vt = v_tendency(kind, qv, u_of_v, w_of_v, l.v0, weights_v(&d, &l));
    const real wt = w_tendency(kind, qw, u_of_w, v_of_w, weights_w(&d, &l), l.rho_f.c, l.buoyancy_f, qth.z.m1, qth.z.c);
    const real tht = theta_tendency(kind, qth, FACES(u, 1), FACES(v, sj), FACES(w, sk), m, l.slope_bottom, l.slope_top);
    const real pit = scalar_advection(qpi, FACES(u, 1), FACES(v, sj), FACES(w, sk), m);
    s.w[F_UT][at + i] = ut, s.w[F_VT][at + i] = vt, s.w[F_WT][at + i] = wt, s.w[F_THT][at + i] = tht, s.w[F_PIT][at + i] = pit;
}

/* Rows a block: all the device's processors shall have several blocks, of which each reads four rows more than it computes. */
static int rows_of(struct box b, int tiles)
{
    const long most = (long)(b.j1 - b.j0) * tiles / 1024;
    return (int)SF_MIN(SF_MAX(most, 8), 64);
}

template <int kind, class T> static void tiles_launch(const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    const int from = b.i0 & -T::PIECE, across = (b.i1 - from + T::WIDTH - 1) / T::WIDTH, up = (b.k1 - b.k0 + T::LEVELS - 1) / T::LEVELS;
    const int rows = rows_of(b, across * up);
    const dim3 grid((unsigned)across, (unsigned)up, (unsigned)((b.j1 - b.j0 + rows - 1) / rows));
    SF_LAUNCH_BLOCKS((advmix_tiles<kind, T>), grid, dim3(32, T::LEVELS), T::BYTES, stream, *s, b, *d, rows);
}

extern "C" void advmix_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    switch (kind_of(d)) {
#define KIND(name, kind) \
    case kind: tiles_launch<kind, tile<1, 8, 5, 2> >(s, b, d, stream); break;
#include "dynamics/kinds.def"
    }
}
