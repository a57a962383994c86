/* The kernel of turbulence_columns.h, a thread a column. SPDX-License-Identifier: MIT */
#include "dynamics/turbulence_columns.h"

__global__ void sink_kernel(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct call) c,
                            SF_ARGUMENT(struct dynamics) d, SF_ARGUMENT(struct members) x)
{
    launch_wait();
    const struct launch_point p = launch_here(b);
    if (!p.is_inside) return;
    const ptrdiff_t at = (p.j - s.j0) * s.sj;
    const struct sink_line l = sink_line(&s, &d, &c, at);
    for (int m = 0; m < x.n; m++) {
        const struct sink_member one = sink_member(&l, &x.of[m], at);
        sink_point(&l, &one, p.i);
    }
}

static void sink_all(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    b.k0 = 0, b.k1 = 1;
    if (box_is_empty(b)) return;
    for (int first = 0; first < c->members; first += MEMBERS_AT_ONCE)
        SF_LAUNCH(sink_kernel, launch_grid(b, c->shape), launch_block(c->shape, b), stream, *s, b, *c,
                  *(const struct dynamics *)c->ctx, members_of(c, first));
}

SF_PART_STAGE(sink, sink_all)
