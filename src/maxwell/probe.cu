/* Probes on a GPU: a thread records one component at one of them. SPDX-License-Identifier: MIT */
extern "C" {
#include "maxwell/probe.h"
}

#include "pipeline/launch.h"

enum { BLOCK = 64 };

struct record {
    const real *f[PROBE_COMPONENTS];
    const struct box *at;
    real *to;
    ptrdiff_t sj, sk;
    struct box b;
    int j0, nj, ja, jb, n; /* own rows; probes */
};

__global__ void __launch_bounds__(BLOCK) probes_record(__grid_constant__ SF_ARGUMENT(struct record) r)
{
    launch_wait();
    const int m = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (m >= PROBE_COMPONENTS * r.n || !probe_is_here(&r.at[m], &r.b, r.nj, r.ja, r.jb)) return;
    const struct box at = r.at[m];
    r.to[m] = r.f[m / r.n][(ptrdiff_t)(at.j0 - r.j0) * r.sj + at.k0 * r.sk + at.i0];
}

extern "C" void probe_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct probes *const p = ((const struct maxwell *)c->ctx)->probes;
    struct record r;
    for (int n = 0; n < PROBE_COMPONENTS; n++) r.f[n] = s->f[F_EX + n];
    r.at = p->at, r.to = p->pass + (ptrdiff_t)c->pass_step * PROBE_COMPONENTS * p->parts * p->n, r.sj = s->sj,
    r.sk = s->sk, r.b = b;
    r.j0 = s->j0, r.nj = s->nj, r.ja = p->ja, r.jb = p->jb, r.n = p->n;
    if (b.j1 > p->first_row && b.j0 <= p->last_row)
        SF_LAUNCH(probes_record, dim3(launch_blocks(PROBE_COMPONENTS * p->n, BLOCK)), dim3(BLOCK), stream, r);
}
