/* The Courant number of a state on a GPU. SPDX-License-Identifier: MIT */
extern "C" {
#include "dynamics/courant.h"
#include "dynamics/dynamics.h"
}
#include "pipeline/launch.h"

enum { THREADS = 256 };

struct winds {
    const real *u, *v, *w, *rdz; /* of the first row */
    ptrdiff_t sk, sj;
    int ni;
    double dtx, dty, dt, limit;
};

/* A block takes a line. Numbers that are not negative are in the order of their bits. */
__global__ static void courant_kernel(SF_ARGUMENT(struct winds) x, double *most)
{
    launch_wait();
    const int k = (int)blockIdx.y;
    const ptrdiff_t at = blockIdx.x * x.sj + k * x.sk;
    const double dtz = x.dt * courant_thin(x.rdz[k], x.rdz[k - 1]);
    double largest = 0;
    for (int i = (int)threadIdx.x; i < x.ni; i += THREADS) {
        const double c = courant_sum(x.u[at + i], x.v[at + i], x.w[at + i], x.dtx, x.dty, dtz) / x.limit;
        largest = c > largest ? c : largest;
    }
    if (largest > *most) atomicMax((unsigned long long *)most, (unsigned long long)__double_as_longlong(largest));
}

extern "C" void dynamics_courant_gpu(const struct instance *in, const struct slab *s, int ja, int jb, double dt, double *courant,
                                     void *stream)
{
    const struct dynamics *const d = (const struct dynamics *)in->ctx;
    const ptrdiff_t at = (ja - s->j0) * s->sj;
    const struct winds x = {s->f[F_U] + at, s->f[F_V] + at, s->f[F_W] + at, s->f[P_RDZC], s->sk, s->sj, s->ni, dt * (double)d->rdx,
                            s->nj > 1 ? dt * (double)d->rdy : 0, dt, courant_limit(d->wide)};
    SF_LAUNCH(courant_kernel, dim3((unsigned)(jb - ja), (unsigned)s->nk), dim3(THREADS), stream, x, courant);
}
