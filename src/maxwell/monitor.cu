/* Monitors on a GPU: a thread reads one value, and adds it to the sums of some frequencies.
 * SPDX-License-Identifier: MIT */
extern "C" {
#include "maxwell/monitor.h"
#include "maxwell/monitor_sum.h"
}

#include "pipeline/launch.h"

enum { BLOCK = 128, FREQUENCIES = 32 }; /* of a thread, at most: a value is read anew for the next ones */
enum { AT_ONCE = 8 }; /* sums that are asked for before any is written: the compiler cannot know that they differ */

/* Of one launch: phases of E, and as many of H. They are arguments of the kernel, which have 4 KiB: from memory each
 * was read behind the write of the sum before it, for the compiler cannot know that these differ, and a thread waited
 * for it as often as for sums. */
enum { PHASES = 3072 / (2 * (int)sizeof(real)), LAUNCH_FREQUENCIES = PHASES / 2 };

struct sampled {
    const real *value; /* of the component: column 0, level 0, row j0 of the slab */
    struct box range; /* what of it lies in the box */
    ptrdiff_t below; /* from a value to the one half a cell below the plane; 0: it lies on it */
    int at; /* of its sums among those of a row, in values a point */
    int phase; /* of its phases among those of a launch */
};

struct samples {
    struct sampled one[MONITOR_COMPONENTS];
    real *sums;
    ptrdiff_t sj, sk;
    int i0, k0, columns, levels, n; /* of the monitor's box; n: values a point */
    int j0, nfrequencies, each; /* each: frequencies of a thread */
    real w0, w1;
    real phase[2 * PHASES]; /* of E, of H: [frequency][cos, -sin] */
};
static_assert(sizeof(struct samples) + sizeof(int) <= 4096, "arguments of a kernel");

/* AT_ONCE sums, `stride` apart, or the first n < AT_ONCE. */
template <int whole>
__device__ static inline void sums_add(real *to, ptrdiff_t stride, const real *phase, real value, int n)
{
    real sum[AT_ONCE];
#pragma unroll
    for (int q = 0; q < AT_ONCE; q++) sum[q] = whole || q < n ? to[q * stride] : R(0.0);
#pragma unroll
    for (int q = 0; q < AT_ONCE; q++)
        if (whole || q < n) to[q * stride] = monitor_sum(sum[q], phase[q], value);
}

__global__ void __launch_bounds__(BLOCK) samples_add(__grid_constant__ SF_ARGUMENT(struct samples) m, int groups)
{
    launch_wait();
    const struct sampled &s = m.one[blockIdx.z / groups];
    const int ni = s.range.i1 - s.range.i0, nk = s.range.k1 - s.range.k0;
    const int at = (int)(blockIdx.x * BLOCK + threadIdx.x), k = s.range.k0 + at / ni, i = s.range.i0 + at % ni;
    const int j = s.range.j0 + (int)blockIdx.y, first = (int)(blockIdx.z % groups) * m.each;
    if (at >= ni * nk || j >= s.range.j1) return;
    const real *const from = s.value + ((ptrdiff_t)(j - m.j0) * m.sj + k * m.sk + i);
    const real value = s.below ? monitor_between(m.w0, from[-s.below], m.w1, from[0]) : from[0];
    const ptrdiff_t stride = (ptrdiff_t)m.levels * m.columns;
    real *to = m.sums + ((ptrdiff_t)(j - m.j0) * m.n + s.at + 2 * first) * stride + (ptrdiff_t)(k - m.k0) * m.columns +
               i - m.i0;
    const real *const phase = m.phase + s.phase + 2 * first;
    const int n = 2 * SF_MIN(m.each, m.nfrequencies - first);
    int f = 0;
    for (; f + AT_ONCE <= n; f += AT_ONCE, to += AT_ONCE * stride) sums_add<1>(to, stride, phase + f, value, 0);
    if (f < n) sums_add<0>(to, stride, phase + f, value, n - f);
}

/* Frequencies from `first` on, LAUNCH_FREQUENCIES at most, of `n` components. phase: of the step, [of E, of H]. */
static void samples_launch(struct samples *p, const struct monitor *m, int n, int first, const real *phase,
                           unsigned points, unsigned rows, void *stream)
{
    p->nfrequencies = SF_MIN(m->nfrequencies - first, LAUNCH_FREQUENCIES);
    const unsigned groups = launch_blocks(p->nfrequencies, FREQUENCIES);
    p->each = (int)launch_blocks(p->nfrequencies, (int)groups);
    for (int q = 0; q < n; q++) p->one[q].at += 2 * first;
    for (int f = 0; f < 2 * p->nfrequencies; f++)
        p->phase[f] = phase[2 * first + f], p->phase[PHASES + f] = phase[2 * (m->nfrequencies + first) + f];
    SF_LAUNCH(samples_add, dim3(launch_blocks(points, BLOCK), rows, (unsigned)n * groups), dim3(BLOCK), stream, *p,
              (int)groups);
    for (int q = 0; q < n; q++) p->one[q].at -= 2 * first;
}

extern "C" void monitor_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    const struct monitor *const m = &x->monitor[c->member];
    const ptrdiff_t across[3] = {1, s->sj, s->sk};
    struct samples p = {};
    unsigned points = 0, rows = 0;
    int n = 0;
    p.sums = s->w[F_SUMS], p.sj = s->sj, p.sk = s->sk, p.j0 = s->j0;
    p.i0 = m->box.i0, p.columns = m->box.i1 - m->box.i0, p.k0 = m->box.k0, p.levels = m->box.k1 - m->box.k0,
    p.n = m->box.n;
    p.w0 = m->below, p.w1 = m->above;
    for (int q = 0; q < m->ncomponents; q++) {
        const int is_h = m->component[q] >= 3;
        const struct box r = box_common(b, m->range[q]);
        if (box_is_empty(r)) continue;
        struct sampled *const one = &p.one[n++];
        one->value = s->f[F_EX + m->component[q]], one->range = r;
        one->below = is_h && m->normal >= 0 ? across[m->normal] : 0, one->at = 2 * q * m->nfrequencies,
        one->phase = is_h * PHASES;
        points = SF_MAX(points, (unsigned)(r.i1 - r.i0) * (unsigned)(r.k1 - r.k0)),
        rows = SF_MAX(rows, (unsigned)(r.j1 - r.j0));
    }
    const real *const phase = m->phase + (ptrdiff_t)c->pass_step * 4 * m->nfrequencies;
    for (int first = 0; n && first < m->nfrequencies; first += LAUNCH_FREQUENCIES)
        samples_launch(&p, m, n, first, phase, points, rows, stream);
}
