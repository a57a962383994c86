/* The kernels of turbulence_members.h. SPDX-License-Identifier: MIT */
#include "dynamics/turbulence_members.h"

SF_MEMBERS_PART(stir_points, stir, 0, struct dynamics)
SF_PART_STAGE(stir, stir_points)

SF_MEMBERS_PART(sink_points, sink, 0, struct dynamics)
static void sink_all(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    sink_points(s, sink_box(b), c, stream);
}
SF_PART_STAGE(sink, sink_all)
