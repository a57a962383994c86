/* Monitors on a GPU: a thread reads one value, and keeps it; or adds it, and those that wait, to the sums of some
 * frequencies. SPDX-License-Identifier: MIT */
extern "C" {
#include "maxwell/monitor.h"
#include "maxwell/monitor_sum.h"
}

#include "pipeline/launch.h"

enum { BLOCK = 128 };
enum { AT_ONCE = 8 }; /* sums that are asked for before any is written: the compiler cannot know that they differ */

/* Of one launch: phases of the samples that are added together, of E and of H. They are arguments of the kernel, which
 * have 4 KiB: from memory each was read behind the write of the sum before it, for the compiler cannot know that these
 * differ, and a thread waited for it as often as for sums. */
enum { PHASES = 3072 / (int)sizeof(real) };

/* Phases of one kind and sample. */
__host__ __device__ static constexpr int phases_of(int together) { return PHASES / (2 * together) / 2 * 2; }

struct sampled {
    const real *value; /* of the component: column 0, level 0, row j0 of the slab */
    struct box range; /* what of it lies in the box */
    ptrdiff_t below; /* from a value to the one half a cell below the plane; 0: it lies on it */
    int at; /* of its sums among those of a row, in values a point */
    int waiting; /* the same of its samples that wait */
    int is_h;
};

struct samples {
    struct sampled one[MONITOR_COMPONENTS];
    real *sums;
    ptrdiff_t sj, sk;
    int i0, k0, columns, levels, n; /* of the monitor's box; n: values a point */
    int j0, nfrequencies;
    int turn; /* of this sample */
    real w0, w1;
    real phase[PHASES]; /* [together][of E, of H][phases_of: [frequency][cos, -sin]] */
};
static_assert(sizeof(struct samples) <= 4096, "arguments of a kernel");

/* AT_ONCE sums, `stride` apart, or the first n < AT_ONCE. phase: of the first sample. */
template <int whole, int together>
__device__ static inline void sums_add(real *to, ptrdiff_t stride, const real *phase, const real value[together], int n)
{
    real sum[AT_ONCE];
#pragma unroll
    for (int q = 0; q < AT_ONCE; q++) sum[q] = whole || q < n ? to[q * stride] : R(0.0);
#pragma unroll
    for (int q = 0; q < AT_ONCE; q++)
        if (whole || q < n) {
#pragma unroll
            for (int w = 0; w < together; w++)
                sum[q] = monitor_sum(sum[q], phase[2 * w * phases_of(together) + q], value[w]);
            to[q * stride] = sum[q];
        }
}

/* together 0: this sample waits. */
template <int together>
__global__ void __launch_bounds__(BLOCK) samples_take(__grid_constant__ SF_ARGUMENT(struct samples) m)
{
    launch_wait();
    const struct sampled &s = m.one[blockIdx.z];
    const int ni = s.range.i1 - s.range.i0, nk = s.range.k1 - s.range.k0;
    const int at = (int)(blockIdx.x * BLOCK + threadIdx.x), k = s.range.k0 + at / ni, i = s.range.i0 + at % ni;
    const int j = s.range.j0 + (int)blockIdx.y;
    if (at >= ni * nk || j >= s.range.j1) return;
    const real *const from = s.value + ((ptrdiff_t)(j - m.j0) * m.sj + k * m.sk + i);
    const ptrdiff_t stride = (ptrdiff_t)m.levels * m.columns;
    real *const point = m.sums + ((ptrdiff_t)(j - m.j0) * m.n * stride + (ptrdiff_t)(k - m.k0) * m.columns + i - m.i0);
    const real now = s.below ? monitor_between(m.w0, from[-s.below], m.w1, from[0]) : from[0];
    if constexpr (together == 0) point[(s.waiting + m.turn) * stride] = now;
    else {
        real value[together];
#pragma unroll
        for (int w = 0; w + 1 < together; w++) value[w] = point[(s.waiting + w) * stride];
        value[together - 1] = now;
        const real *const phase = m.phase + s.is_h * phases_of(together);
        const int n = 2 * m.nfrequencies;
        real *to = point + s.at * stride;
        int f = 0;
        for (; f + AT_ONCE <= n; f += AT_ONCE, to += AT_ONCE * stride)
            sums_add<1, together>(to, stride, phase + f, value, 0);
        if (f < n) sums_add<0, together>(to, stride, phase + f, value, n - f);
    }
}

/* What is launched of a monitor: of n components, rows of so many points at most. */
struct launched {
    struct samples *p;
    const struct monitor *m;
    const real *phase; /* of the step: [together][of E, of H][frequency][cos, -sin] */
    void *stream;
    unsigned points, rows, n;
};

template <int together> static void take(const struct launched *l)
{
    SF_LAUNCH(samples_take<together>, dim3(launch_blocks(l->points, BLOCK), l->rows, l->n), dim3(BLOCK), l->stream,
              *l->p);
}

/* All frequencies, as many at a time as there is room for. */
template <int together> static void add(const struct launched *l)
{
    struct samples *const p = l->p;
    const int all = l->m->nfrequencies, parts = (int)launch_blocks(all, phases_of(together) / 2),
              most = (int)launch_blocks(all, parts);
    for (int first = 0; first < all; first += most) {
        p->nfrequencies = SF_MIN(all - first, most);
        for (int w = 0; w < 2 * together; w++) /* of E and H of each */
            for (int f = 0; f < 2 * p->nfrequencies; f++)
                p->phase[w * phases_of(together) + f] = l->phase[2 * (w * all + first) + f];
        take<together>(l);
        for (unsigned q = 0; q < l->n; q++) p->one[q].at += 2 * most;
    }
}

extern "C" void monitor_elements_gpu(const struct monitor_pack *s, struct box b, const struct call *c, void *stream)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    const struct monitor *const m = &x->monitor[member_of(x, c, s->imaginary)];
    const ptrdiff_t across[3] = {1, s->sj, s->sk};
    struct samples p = {};
    struct launched l = {};
    l.p = &p, l.m = m, l.stream = stream;
    l.phase = m->phase + (ptrdiff_t)c->pass_step * m->together * 4 * m->nfrequencies;
    p.sums = s->sums, p.sj = s->sj, p.sk = s->sk, p.j0 = s->j0;
    p.i0 = m->box.i0, p.columns = m->box.i1 - m->box.i0, p.k0 = m->box.k0, p.levels = m->box.k1 - m->box.k0,
    p.n = m->box.n;
    p.w0 = m->below, p.w1 = m->above, p.turn = monitor_turn(m, c->step);
    for (int q = 0; q < m->ncomponents; q++) {
        const int is_h = m->component[q] >= 3;
        const struct box r = box_common(b, m->range[q]);
        if (box_is_empty(r)) continue;
        struct sampled *const one = &p.one[l.n++];
        one->value = s->f[m->component[q]], one->range = r;
        one->below = is_h && m->normal >= 0 ? across[m->normal] : 0, one->at = 2 * q * m->nfrequencies,
        one->is_h = is_h, one->waiting = 2 * m->ncomponents * m->nfrequencies + q * (m->together - 1);
        l.points = SF_MAX(l.points, (unsigned)(r.i1 - r.i0) * (unsigned)(r.k1 - r.k0)),
        l.rows = SF_MAX(l.rows, (unsigned)(r.j1 - r.j0));
    }
    if (!l.n) return;
    if (p.turn + 1 < m->together) take<0>(&l);
    else if (m->together == 1) add<1>(&l);
    else if (m->together == 2) add<2>(&l);
    else if (m->together == 3) add<3>(&l);
    else add<MONITOR_TOGETHER>(&l);
}
