/* Two steps of E and H together, in the core of a domain (pairs.h): every field is read once and written once, for
 * both.
 *
 * A warp has a level, a thread of it a pack of columns. A block marches along j; in a turn it has rows j and j + 1 of
 * old E and row j of old H, and goes on by half steps, each on what the one before left in registers and, of the levels
 * beside it, in shared memory:
 *
 *     H of step 1 on row j          from old H, and old E of rows j and j + 1
 *     E of step 1 on row j          from old E, and H of step 1 on rows j and j - 1
 *     H of step 2 on row j - 1      from H of step 1 there, and E of step 1 on rows j - 1 and j
 *     E of step 2 on row j - 1      from E of step 1 there, and H of step 2 on rows j - 1 and j - 2
 *
 * What neighbours lack is computed by both: of its levels a block writes all but two at either end, of a warp's columns
 * all but a pack at either end. Old rows come to shared memory two turns ahead. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/yee_tile.cuh"
#include "pipeline/warp.cuh"

extern "C" {
#include "maxwell/pairs.h"
}

/* Levels that are computed, of which PAIR_LEVELS are written. */
enum {
    PAIR_WARPS = PAIR_LEVELS + 2 * PAIR_REACH,
    PAIR_THREADS = WARP * PAIR_WARPS,
    PAIR_AHEAD = 2,
    PAIR_RING = PAIR_AHEAD + 1
};
static_assert((int)PAIR_COLUMNS == (WARP - 2) * PACK && (int)PACK >= (int)PAIR_REACH,
              "a pack at either end is computed for its neighbours");

/* Two components of a row, for the levels beside: a line of nothing at both ends. */
struct pair_shown {
    struct pack line[PAIR_WARPS + 2][WARP];
};

struct pair_block {
    struct pack old[PAIR_RING][6][PAIR_THREADS]; /* of row j: E of row j + 1, H of row j */
    struct pair_shown shown[4][2]; /* by half steps, so that one barrier each is enough */
};

struct three {
    struct pack of[3];
};

/* What a thread knows of its place. */
struct pair_place {
    real rx_h[PACK], rx_e[PACK], rz_h, rz_e;
    struct coefficient_pair h, e;
    int line, lane;
};

/* A column further west, east: of the next thread's pack where this one ends. */
__device__ static inline struct pack pack_west(const struct pack &p)
{
    struct pack v;
    v.v[0] = warp_before(p.v[PACK - 1]);
#pragma unroll
    for (int q = 1; q < PACK; q++) v.v[q] = p.v[q - 1];
    return v;
}
__device__ static inline struct pack pack_east(const struct pack &p)
{
    struct pack v;
    v.v[PACK - 1] = warp_behind(p.v[0]);
#pragma unroll
    for (int q = 1; q < PACK; q++) v.v[q - 1] = p.v[q];
    return v;
}

/* f, by differences a - b and c - d. rx: which of them is along x, 1, 2, or none, 0. */
template <int x_is>
__device__ static inline struct pack
pair_update(const struct pack &f, const struct coefficient_pair &m, const struct pack &a, const struct pack &b, real r1,
            const struct pack &c, const struct pack &d, real r2, const real rx[PACK])
{
    struct pack v;
#pragma unroll
    for (int q = 0; q < PACK; q++)
        v.v[q] = yee_update(f.v[q], m.keep, m.turn, a.v[q] - b.v[q], x_is == 1 ? rx[q] : r1, c.v[q] - d.v[q],
                            x_is == 2 ? rx[q] : r2);
    return v;
}

__device__ static inline void pair_show(struct pair_shown s[2], const struct pair_place &w, const struct three &f)
{
    s[0].line[w.line + 1][w.lane] = f.of[0], s[1].line[w.line + 1][w.lane] = f.of[1];
    __syncthreads();
}

/* H from E of its row and the next. */
__device__ static inline struct three pair_h(const struct three &h, const struct three &e, const struct three &next,
                                             struct pair_shown s[2], const struct pair_place &w, real ry)
{
    struct three v;
    pair_show(s, w, e);
    const struct pack ex_up = s[0].line[w.line + 2][w.lane], ey_up = s[1].line[w.line + 2][w.lane];
    v.of[0] = pair_update<0>(h.of[0], w.h, ey_up, e.of[1], w.rz_h, e.of[2], next.of[2], ry, w.rx_h);
    v.of[1] = pair_update<1>(h.of[1], w.h, pack_east(e.of[2]), e.of[2], 0, e.of[0], ex_up, w.rz_h, w.rx_h);
    v.of[2] = pair_update<2>(h.of[2], w.h, next.of[0], e.of[0], ry, e.of[1], pack_east(e.of[1]), 0, w.rx_h);
    return v;
}

/* E from H of its row and, Hx and Hz, of the one before. */
__device__ static inline struct three pair_e(const struct three &e, const struct three &h, const struct pack &hx,
                                             const struct pack &hz, struct pair_shown s[2], const struct pair_place &w,
                                             real ry)
{
    struct three v;
    pair_show(s, w, h);
    const struct pack hx_down = s[0].line[w.line][w.lane], hy_down = s[1].line[w.line][w.lane];
    v.of[0] = pair_update<0>(e.of[0], w.e, h.of[2], hz, ry, hy_down, h.of[1], w.rz_e, w.rx_e);
    v.of[1] = pair_update<2>(e.of[1], w.e, h.of[0], hx_down, w.rz_e, pack_west(h.of[2]), h.of[2], 0, w.rx_e);
    v.of[2] = pair_update<1>(e.of[2], w.e, h.of[1], pack_west(h.of[1]), 0, hx, h.of[0], ry, w.rx_e);
    return v;
}

/* Old E of the next row and H of this one, of a thread's own pack. */
__device__ static inline void pair_fetch(struct pair_block *s, int slot, const struct half &h, ptrdiff_t at)
{
#pragma unroll
    for (int n = 0; n < 3; n++) {
        copy_piece_shared(&s->old[slot][n][threadIdx.x], h.other[n] + at + h.sj);
        copy_piece_shared(&s->old[slot][3 + n][threadIdx.x], h.old[n] + at);
    }
}

__device__ static inline void pair_march(struct pair_block *s, const struct half &h, const struct half &e,
                                         const struct tile &r)
{
    struct pair_place w;
    w.line = (int)threadIdx.x / WARP, w.lane = (int)threadIdx.x % WARP;
    /* Beyond what neighbours lack, at the far ends of cut tiles, the last that is of use is computed again. */
    const int i = SF_MIN(r.i + (w.lane - 1) * PACK, r.i1), k = SF_MIN(r.k + w.line - PAIR_REACH, r.k1 + PAIR_REACH - 1);
    const int writes = w.lane > 0 && w.lane < WARP - 1 && w.line >= PAIR_REACH && w.line < PAIR_WARPS - PAIR_REACH &&
                       i < r.i1 && k < r.k1;
    const int first = r.ja - PAIR_REACH;
#pragma unroll
    for (int q = 0; q < PACK; q++) w.rx_h[q] = h.spacing[AX][i + q], w.rx_e[q] = e.spacing[AX][i + q];
    w.rz_h = h.spacing[AZ][k], w.rz_e = e.spacing[AZ][k];
    w.h = {h.keep[0], h.turn[0]}, w.e = {e.keep[r.medium], e.turn[r.medium]};
    ptrdiff_t at = (ptrdiff_t)(first - h.j0) * h.sj + (ptrdiff_t)k * h.sk + i;
    struct three e0, e1 = {}, h1 = {}; /* old E of row j; of step 1, on row j - 1 */
    struct pack h1_before[2] = {}, h2_before[2] = {}; /* Hx, Hz of step 1 on row j - 1; of step 2 on row j - 2 */
    real ry_h_before = 0, ry_e_before = 0;
#pragma unroll
    for (int n = 0; n < 3; n++) e0.of[n] = *(const struct pack *)(h.other[n] + at);
#pragma unroll
    for (int n = 0; n < PAIR_AHEAD; n++) {
        pair_fetch(s, n, h, at + n * h.sj);
        copies_close();
    }
    for (int j = first, slot = 0, row = place_row(first, h.repeats[AY]); j <= r.jb; j++, at += h.sj) {
        struct three next, h0;
        copies_wait<PAIR_AHEAD - 1>();
#pragma unroll
        for (int n = 0; n < 3; n++)
            next.of[n] = s->old[slot][n][threadIdx.x], h0.of[n] = s->old[slot][3 + n][threadIdx.x];
        const int ahead = slot + PAIR_AHEAD >= PAIR_RING ? slot + PAIR_AHEAD - PAIR_RING : slot + PAIR_AHEAD;
        if (j + PAIR_AHEAD <= r.jb) pair_fetch(s, ahead, h, at + PAIR_AHEAD * h.sj);
        copies_close();
        const real ry_h = h.spacing[AY][row], ry_e = e.spacing[AY][row];
        h0 = pair_h(h0, e0, next, s->shown[0], w, ry_h);
        e0 = pair_e(e0, h0, h1_before[0], h1_before[1], s->shown[1], w, ry_e);
        h1_before[0] = h0.of[0], h1_before[1] = h0.of[2];
        const struct three h2 = pair_h(h1, e1, e0, s->shown[2], w, ry_h_before);
        const struct three e2 = pair_e(e1, h2, h2_before[0], h2_before[1], s->shown[3], w, ry_e_before);
        h2_before[0] = h2.of[0], h2_before[1] = h2.of[2];
        if (writes && j > r.ja)
#pragma unroll
            for (int n = 0; n < 3; n++) {
                write_pack_once((struct pack *)(e.own[n] + at - h.sj), e2.of[n]);
                write_pack_once((struct pack *)(h.own[n] + at - h.sj), h2.of[n]);
            }
        e1 = e0, h1 = h0, e0 = next, ry_h_before = ry_h, ry_e_before = ry_e;
        slot = slot + 1 == PAIR_RING ? 0 : slot + 1;
        row = row + 1 == h.repeats[AY] ? 0 : row + 1;
    }
}

/* A tile of the list a block. follows: see launch_begin. */
__global__ static void __launch_bounds__(PAIR_THREADS)
    both_steps(__grid_constant__ SF_ARGUMENT(struct half) h, __grid_constant__ SF_ARGUMENT(struct half) e,
               const struct tile *list, int follows)
{
    launch_begin(follows);
    SF_SHARED(struct pair_block, s);
    const struct tile mine = list[blockIdx.x];
    pair_march(s, h, e, mine);
    launch_end();
}
