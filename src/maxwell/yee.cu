/* E and H on a GPU: a thread takes a point of the i-k plane along a few rows, and hands what it has read of the next
 * row (of H: the one before) on to its update. SPDX-License-Identifier: MIT */
#include "maxwell/yee.cuh"

enum {
    TILE_I = 64,
    TILE_K = 4,
    BLOCKS = SF_PREC == 64 ? 3 : 5
}; /* of a multiprocessor: 48 registers of 32 bits a thread */

/* Rows that a thread takes, where there are enough points beside: the more, the fewer rows are read twice. */
enum { MARCH_MOST = 2, MARCH_POINTS = 1 << 20 };

/* E from H of this row and the one before. */
__device__ static inline void curl_of_h(struct point *p, const struct half &h, ptrdiff_t at, real *x_before,
                                        real *z_before)
{
    const real x = h.other[0][at], y = h.other[1][at], z = h.other[2][at];
    p->da[0] = z - *z_before, p->db[0] = h.other[1][at - h.sk] - y;
    p->da[1] = x - h.other[0][at - h.sk], p->db[1] = h.other[2][at - 1] - z;
    p->da[2] = y - h.other[1][at - 1], p->db[2] = *x_before - x;
    *x_before = x, *z_before = z;
}

/* H from E of this row, in *x and *z and to be read, and the next. */
__device__ static inline void curl_of_e(struct point *p, const struct half &h, ptrdiff_t at, real *x, real *z)
{
    const real y = h.other[1][at], x_next = h.other[0][at + h.sj], z_next = h.other[2][at + h.sj];
    p->da[0] = h.other[1][at + h.sk] - y, p->db[0] = *z - z_next;
    p->da[1] = h.other[2][at + 1] - *z, p->db[1] = *x - h.other[0][at + h.sk];
    p->da[2] = x_next - *x, p->db[2] = y - h.other[1][at + 1];
    *x = x_next, *z = z_next;
}

template <int is_e, int wide>
__global__ void __launch_bounds__(TILE_I *TILE_K, BLOCKS)
    half_step(SF_ARGUMENT(struct half) h, SF_ARGUMENT(struct box) b, int march)
{
    launch_wait();
    const int i = b.i0 + (int)(blockIdx.x * TILE_I + threadIdx.x), k = b.k0 + (int)(blockIdx.y * TILE_K + threadIdx.y);
    if (i >= b.i1 || k >= b.k1) return;
    const int ja = b.j0 + (int)blockIdx.z * march, jb = SF_MIN(ja + march, b.j1);
    const real rx = h.spacing[AX][i], rz = h.spacing[AZ][k];
    ptrdiff_t at = (ptrdiff_t)(ja - h.j0) * h.sj + k * h.sk + i;
    real x = h.other[0][is_e ? at - h.sj : at], z = h.other[2][is_e ? at - h.sj : at];
    struct point p;
    struct point_ids media = ids_read(h, at, wide);
    if (!wide) media_take(&p, h, &media);
    for (int j = ja, row = place_row(ja, h.repeats[AY]); j < jb; j++, at += h.sj) {
        const real ry = h.spacing[AY][row];
        row = row + 1 == h.repeats[AY] ? 0 : row + 1;
#pragma unroll
        for (int c = 0; c < 3; c++) p.f[c] = h.old[c][at];
        if (wide) media_take(&p, h, &media);
        if (wide && j + 1 < jb) media = ids_read(h, at + h.sj, wide); /* early: coefficients wait for them */
        if (is_e) curl_of_h(&p, h, at, &x, &z);
        else curl_of_e(&p, h, at, &x, &z);
        point_update<is_e>(&p, rx, ry, rz);
        point_layers<is_e>(&p, h, i, j, k, 1);
#pragma unroll
        for (int c = 0; c < 3; c++) h.own[c][at] = p.f[c];
    }
}

static int march_of(ptrdiff_t points)
{
    const ptrdiff_t n = points / MARCH_POINTS;
    return n < 1 ? 1 : n > MARCH_MOST ? (int)MARCH_MOST : (int)n;
}

template <int is_e> static void rows_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    const struct half h = half_make(s, x, is_e);
    const ptrdiff_t points = (ptrdiff_t)(b.i1 - b.i0) * (b.k1 - b.k0) * (b.j1 - b.j0);
    const int march = march_of(points), wide = h.wide;
    const dim3 block(TILE_I, TILE_K),
        grid(launch_blocks(b.i1 - b.i0, TILE_I), launch_blocks(b.k1 - b.k0, TILE_K), launch_blocks(b.j1 - b.j0, march));
    if (points <= 0) return;
    if (wide == 0) SF_LAUNCH((half_step<is_e, 0>), grid, block, stream, h, b, march);
    else if (wide == 1) SF_LAUNCH((half_step<is_e, 1>), grid, block, stream, h, b, march);
    else SF_LAUNCH((half_step<is_e, 2>), grid, block, stream, h, b, march);
}

extern "C" void yee_h_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    rows_launch<0>(s, b, c, stream);
}
extern "C" void yee_e_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    rows_launch<1>(s, b, c, stream);
}
