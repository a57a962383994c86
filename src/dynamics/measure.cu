/* The Courant number of a state on a GPU, and its budgets and extremes by row. SPDX-License-Identifier: MIT */
#include "dynamics/budget.h"
#include "pipeline/reduce.cuh"

extern "C" {
#include "dynamics/dynamics.h"
}

enum { THREADS = 256 };

struct winds {
    const real *u, *v, *w, *rdz, *thin, *factor; /* of the first row; thin, map factor: over terrain, else NULL */
    ptrdiff_t sk, sj, sm;
    int ni, true_along_y;
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
        const double thin = x.thin ? dtz * (double)x.thin[at + i] : dtz;
        const double factor = x.factor ? (double)x.factor[blockIdx.x * x.sm + i] : 1;
        const double c = courant_sum(x.u[at + i], x.v[at + i], x.w[at + i], x.dtx * factor,
                                     x.true_along_y ? x.dty : x.dty * factor, thin) /
                         x.limit;
        largest = c > largest ? c : largest;
    }
    if (largest > *most) atomicMax((unsigned long long *)most, (unsigned long long)__double_as_longlong(largest));
}

extern "C" void dynamics_courant_gpu(const struct instance *in, const struct slab *s, int ja, int jb, double dt,
                                     double *courant, void *stream)
{
    const struct dynamics *const d = (const struct dynamics *)in->ctx;
    const ptrdiff_t at = (ja - s->j0) * s->sj;
    const struct winds x = {s->f[F_U] + at,
                            s->f[F_V] + at,
                            s->f[F_W] + at,
                            s->f[P_RDZC],
                            d->over ? s->f[F_THIN] + at : NULL,
                            d->over ? s->f[F_MAP_FACTOR] + (ja - s->j0) * s->sm : NULL,
                            s->sk,
                            s->sj,
                            s->sm,
                            s->ni,
                            d->true_along_y > R(0.0),
                            dt * (double)d->rdx,
                            s->nj > 1 ? dt * (double)d->rdy : 0,
                            dt,
                            courant_limit(d->wide, d->tracers)};
    SF_LAUNCH(courant_kernel, dim3((unsigned)(jb - ja), (unsigned)s->nk), dim3(THREADS), stream, x, courant);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* The lines of a row are its levels. */
struct budget_lines {
    enum { FAMILIES = 1 };
    struct budget_of b;
    __device__ static double least(void) { return E_LEAST; }
    __device__ int lines(int, int) const { return b.nk; }
    __device__ struct budget_line line(const struct slab *s, int, int j, int k) const
    {
        return budget_line(&b, s, j, k);
    }
};

struct budget_body : budget_lines {
    enum { SUMS = BUDGETS, MAXIMA = E_ALL };
    __device__ void point(const struct budget_line &l, int i, double *sum, double *most) const
    {
        const struct budget_sums x = budget_at(&b, &l, i, i + 1 < l.n ? l.u[i + 1] : l.u_end);
        sum[BUDGET_MASS] = x.mass, sum[BUDGET_ENERGY] = x.energy, sum[BUDGET_PI] = x.pi;
        sum[BUDGET_VAPOUR] = x.vapour, sum[BUDGET_CLOUD] = x.cloud, sum[BUDGET_RAIN] = x.rain;
        sum[BUDGET_FALLEN] = x.fallen, sum[BUDGET_TAKEN] = x.taken;
        extremes_at(&b, &l, i, most);
    }
};

struct held_body : budget_lines {
    enum { SUMS = HELD, MAXIMA = 0 };
    __device__ void point(const struct budget_line &l, int i, double *sum, double *) const
    {
        const struct held_sums x = held_at(&b, &l, i);
        sum[HELD_MASS] = x.mass, sum[HELD_SLOPE] = x.slope, sum[HELD_VAPOUR] = x.vapour, sum[HELD_WATER] = x.water;
    }
};

struct out_body {
    enum { SUMS = OUTS, MAXIMA = 0, FAMILIES = 1 };
    struct budget_of b;
    __device__ static double least(void) { return E_LEAST; }
    __device__ int lines(int, int) const { return 1; }
    __device__ struct out_line line(const struct slab *s, int, int j, int) const { return out_line(&b, s, j); }
    __device__ void point(const struct out_line &l, int i, double *sum, double *) const
    {
        for (int m = 0; m < OUTS; m++) sum[m] = out_at(&l, m, i);
    }
};

template <class BODY>
static void budget_launch(const struct slab *s, int ja, int jb, double *out, const void *ctx, void *stream)
{
    BODY x;
    x.b = *(const struct budget_of *)ctx;
    reduce_rows_launch(s, ja, jb, x, out, stream);
}

extern "C" void budget_rows_gpu(const struct slab *s, int ja, int jb, double *out, const void *ctx, void *stream)
{
    budget_launch<budget_body>(s, ja, jb, out, ctx, stream);
}

extern "C" void held_rows_gpu(const struct slab *s, int ja, int jb, double *out, const void *ctx, void *stream)
{
    budget_launch<held_body>(s, ja, jb, out, ctx, stream);
}

extern "C" void out_rows_gpu(const struct slab *s, int ja, int jb, double *out, const void *ctx, void *stream)
{
    budget_launch<out_body>(s, ja, jb, out, ctx, stream);
}
