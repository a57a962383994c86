/* Probes on a GPU: a thread records one component at one of them. SPDX-License-Identifier: MIT */
extern "C" {
#include "maxwell/probe.h"
}

#include "pipeline/launch.h"

enum { BLOCK = 64 };

struct record {
    struct probe_pack of;
    const struct box *at;
    real *to;
    struct box b;
    int rows, ja, jb, n; /* of the domain, own rows; probes */
};

__global__ void __launch_bounds__(BLOCK) probes_record(__grid_constant__ SF_ARGUMENT(struct record) r)
{
    launch_wait();
    const int m = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (m >= PROBE_COMPONENTS * r.n || !probe_is_here(&r.at[m], &r.b, r.rows, r.ja, r.jb)) return;
    const struct box at = r.at[m];
    r.to[m] = r.of.f[m / r.n][(ptrdiff_t)(at.j0 - r.of.j0) * r.of.sj + at.k0 * r.of.sk + at.i0];
}

extern "C" void probe_elements_gpu(const struct probe_pack *of, struct box b, const struct call *c, void *stream)
{
    const struct probes *const p = ((const struct maxwell *)c->ctx)->probes;
    struct record r;
    r.of = *of, r.at = p->at, r.to = probes_to(p, c, of->imaginary), r.b = b;
    r.rows = p->rows, r.ja = p->ja, r.jb = p->jb, r.n = p->n;
    if (b.j1 > p->first_row && b.j0 <= p->last_row)
        SF_LAUNCH(probes_record, dim3(launch_blocks(PROBE_COMPONENTS * p->n, BLOCK)), dim3(BLOCK), stream, r);
}
