/* Rows of a reduction on a GPU, with the bits of reduce_tree: which lines a row has, and what a point gives, is the
 * model's.
 *
 * A block takes the lines of a family of a row, and each of its warps one line at a time. Lanes take the parts of the
 * line's tree at the depth where none is divided, 32 parts at a time, and shuffles join them. One thread adds lines, in
 * their order.
 *
 * BODY is a struct of plain numbers and pointers to tables, with
 *
 *     enum { SUMS, MAXIMA, FAMILIES };                   numbers that a line of a family has (MAXIMA: perhaps 0);
 *                                                        families have their own
 *     double least()                                     what a maximum of no elements is
 *     int lines(int family, int j)                       of row j
 *     LINE line(const struct slab *s, int family, int j, int l)
 *     void point(const LINE &, int i, double *sum, double *most)    what element i adds to SUMS sums, 0 before; its
 *                                                                   MAXIMA numbers
 *
 * LINE has n, the number of its elements, and `weight`, which multiplies the sums; a line without weight has no sums.
 * out[row] has the sums of all families, then their maxima. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/reduce.h"
#include "pipeline/warp.cuh"

enum { REDUCE_WARPS = 16, REDUCE_LINES = 512 /* whose sums a block holds */, REDUCE_STACK = 28 };

/* Sums of a line in lane 0; most: what this lane has seen. */
template <class BODY, class LINE>
__device__ static inline void reduce_line(const BODY &b, const LINE &l, int lane, double *sum, double *most)
{
    enum { LANES_DEPTH = 5 };
    const int depth = reduce_depth(l.n), deep = depth < LANES_DEPTH ? depth : LANES_DEPTH, groups = 1 << (depth - deep);
    double joined[REDUCE_STACK][BODY::SUMS];
    int top = 0;
    for (int g = 0; g < groups; g++) {
        const struct reduce_part whole = {0, l.n}, none = {0, 0}, group = reduce_part(whole, depth - deep, g),
                                 own = lane < 1 << deep ? reduce_part(group, deep, lane) : none;
        for (int m = 0; m < BODY::SUMS; m++) sum[m] = 0;
        for (int i = own.first; i < own.first + own.n; i++) {
            double value[BODY::SUMS], here[BODY::MAXIMA + 1];
            b.point(l, i, value, here);
            for (int m = 0; m < BODY::SUMS; m++) sum[m] += value[m];
            for (int m = 0; m < BODY::MAXIMA; m++) most[m] = reduce_larger(here[m], most[m]);
        }
        for (unsigned by = 1; by < WARP; by *= 2)
            for (int m = 0; m < BODY::SUMS; m++) sum[m] += __shfl_down_sync(0xffffffffu, sum[m], by);
        for (int pairs = g; pairs & 1; pairs >>= 1) {
            top--;
            for (int m = 0; m < BODY::SUMS; m++) sum[m] = joined[top][m] + sum[m];
        }
        for (int m = 0; m < BODY::SUMS; m++) joined[top][m] = sum[m];
        top++;
    }
}

template <class BODY>
__global__ static void __launch_bounds__(REDUCE_WARPS *WARP)
    reduce_kernel(const struct slab s, const BODY b, const int ja, double *const out)
{
    launch_wait();
    __shared__ double held[REDUCE_LINES][BODY::SUMS], largest[REDUCE_WARPS][BODY::MAXIMA + 1];
    const int j = ja + (int)blockIdx.x, family = (int)blockIdx.y, lane = (int)threadIdx.x % WARP,
              warp = (int)threadIdx.x / WARP, me = (int)threadIdx.x, lines = b.lines(family, j);
    double all = 0, sum[BODY::SUMS] = {0}, most[BODY::MAXIMA + 1];
    for (int m = 0; m < BODY::MAXIMA; m++) most[m] = b.least();
    for (int first = 0; first < lines; first += REDUCE_LINES) {
        const int end = SF_MIN(first + REDUCE_LINES, lines);
        for (int l = first + warp; l < end; l += REDUCE_WARPS) {
            const auto line = b.line(&s, family, j, l);
            reduce_line(b, line, lane, sum, most);
            for (int m = 0; m < BODY::SUMS && !lane; m++)
                held[l - first][m] = line.weight > 0 ? line.weight * sum[m] : 0;
        }
        __syncthreads();
        for (int l = first; l < end && me < BODY::SUMS; l++) all += held[l - first][me];
        __syncthreads();
    }
    for (unsigned by = 1; by < WARP; by *= 2)
        for (int m = 0; m < BODY::MAXIMA; m++)
            most[m] = reduce_larger(__shfl_down_sync(0xffffffffu, most[m], by), most[m]);
    for (int m = 0; m < BODY::MAXIMA && !lane; m++) largest[warp][m] = most[m];
    __syncthreads();
    double *const row = out + (ptrdiff_t)blockIdx.x * BODY::FAMILIES * (BODY::SUMS + BODY::MAXIMA);
    if (me < BODY::SUMS) row[family * BODY::SUMS + me] = all;
    if (me >= BODY::MAXIMA) return;
    double x = b.least();
    for (int w = 0; w < REDUCE_WARPS; w++) x = reduce_larger(largest[w][me], x);
    row[BODY::FAMILIES * BODY::SUMS + family * BODY::MAXIMA + me] = x;
}

template <class BODY>
static void reduce_rows_launch(const struct slab *s, int ja, int jb, const BODY &b, double *out, void *stream)
{
    const dim3 grid((unsigned)(jb - ja), BODY::FAMILIES), block(REDUCE_WARPS * WARP);
    SF_LAUNCH_BLOCKS((reduce_kernel<BODY>), grid, block, 0, stream, *s, b, ja, out);
}
