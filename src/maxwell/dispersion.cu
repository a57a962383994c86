/* Media that disperse, on a GPU: a thread takes one component at a point. SPDX-License-Identifier: MIT */
extern "C" {
#include "maxwell/dispersion.h"
}

#include "pipeline/launch.h"

enum { BLOCK = 128 };

struct dispersed {
    struct disperse of;
    real *e[3], *memory;
    const void *ids[3];
    ptrdiff_t sj, sk;
    struct box b;
    int j0, wide;
};

template <int AMONG>
__global__ void __launch_bounds__(BLOCK) disperse_points(__grid_constant__ SF_ARGUMENT(struct dispersed) x)
{
    launch_wait();
    const int ni = x.b.i1 - x.b.i0, at = (int)(blockIdx.x * BLOCK + threadIdx.x), component = (int)blockIdx.z;
    const int k = x.b.k0 + at / ni, i = x.b.i0 + at % ni, j = x.b.j0 + (int)blockIdx.y;
    if (k >= x.b.k1) return;
    const struct disperse_line l =
        disperse_line(&x.of, x.e[component], x.ids[component], x.wide, x.memory, x.sj, x.sk, j - x.j0, k, component);
    if (AMONG) disperse_point_among(&x.of, &l, i);
    else disperse_point(&x.of, &l, i);
}

template <int AMONG> static void points_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    struct dispersed p;
    const struct dispersion *const d = &x->dispersion[c->member - x->nmonitors];
    p.of = d->point;
    p.b = b, p.j0 = s->j0, p.sj = s->sj, p.sk = s->sk, p.wide = x->e_wide, p.memory = s->w[F_SUMS];
    p.b.i0 = SF_MAX(b.i0, d->box.i0), p.b.i1 = SF_MIN(b.i1, d->box.i1);
    p.b.j0 = SF_MAX(b.j0, d->j0), p.b.j1 = SF_MIN(b.j1, d->j1);
    p.b.k0 = SF_MAX(b.k0, d->box.k0), p.b.k1 = SF_MIN(b.k1, d->box.k1);
    for (int n = 0; n < 3; n++) p.e[n] = AMONG ? (real *)s->f[F_EX + n] : s->w[F_EX + n], p.ids[n] = s->f[F_MEX + n];
    if (box_is_empty(p.b) || (AMONG && !d->mixes)) return;
    const unsigned points = (unsigned)(p.b.i1 - p.b.i0) * (unsigned)(p.b.k1 - p.b.k0);
    SF_LAUNCH(disperse_points<AMONG>, dim3(launch_blocks(points, BLOCK), (unsigned)(p.b.j1 - p.b.j0), 3), dim3(BLOCK),
              stream, p);
}

extern "C" void disperse_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    points_launch<0>(s, b, c, stream);
}
extern "C" void disperse_among_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    points_launch<1>(s, b, c, stream);
}
