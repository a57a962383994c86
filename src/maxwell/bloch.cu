/* The seams of Bloch-periodic sides on a GPU: a thread takes one component at an element beside a seam, both of its
 * parts. SPDX-License-Identifier: MIT */
extern "C" {
#include "maxwell/bloch.h"
#include "maxwell/bloch_seam.h"
}

#include "pipeline/launch.h"

enum { BLOCK = 128 };

__global__ void __launch_bounds__(BLOCK) seam_turn(__grid_constant__ SF_ARGUMENT(struct bloch_seam) m)
{
    launch_wait();
    const int ni = m.range.high[0] - m.range.low[0], at = (int)(blockIdx.x * BLOCK + threadIdx.x);
    const int k = m.range.low[2] + at / ni, i = m.range.low[0] + at % ni, j = m.range.low[1] + (int)blockIdx.y * m.rows;
    if (k < m.range.high[2]) bloch_point(&m, (int)blockIdx.z, (ptrdiff_t)(j - m.j0) * m.sj + k * m.sk + i);
}

static void seam_launch(const struct bloch_pack *p, struct box b, const struct call *c, int is_e, void *stream)
{
    const struct bloch_seam m = bloch_seam_of(p, b, c, is_e);
    const int ni = m.range.high[0] - m.range.low[0], nk = m.range.high[2] - m.range.low[2],
              nj = m.range.high[1] - m.range.low[1];
    if (ni <= 0 || nk <= 0 || nj <= 0) return;
    const dim3 grid(launch_blocks((ptrdiff_t)ni * nk, BLOCK), launch_blocks(nj, m.rows), 2);
    SF_LAUNCH(seam_turn, grid, dim3(BLOCK), stream, m);
}

extern "C" void bloch_h_elements_gpu(const struct bloch_pack *p, struct box b, const struct call *c, void *stream)
{
    seam_launch(p, b, c, 0, stream);
}
extern "C" void bloch_e_elements_gpu(const struct bloch_pack *p, struct box b, const struct call *c, void *stream)
{
    seam_launch(p, b, c, 1, stream);
}
