/* The sweep of E and H (yee_both.cu): a block's tile in shared memory, which thread has what of it, and how rows of old
 * E and H come there. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/yee.cuh"
#include "pipeline/copies.cuh"

extern "C" {
#include "maxwell/yee_both.h"
}

enum { PACK = BOTH_PACK, RING = BOTH_RING };

/* Threads with 96 registers that a multiprocessor has room for. */
enum { RESIDENT = 640 };

struct __align__(16) pack { real v[PACK]; };

/* Of a medium, for one component. */
struct coefficient_pair {
    real keep, turn;
};

/* Packs of a level: E has one more at both ends, H to the west. */
template <int GROUPS_, int LEVELS_> struct tile_shape {
    enum { GROUPS = GROUPS_, LEVELS = LEVELS_, COLUMNS = GROUPS * PACK, LINE_E = GROUPS + 2, LINE_H = GROUPS + 1 };
    enum { THREADS = BOTH_THREADS(GROUPS, LEVELS) };
    struct pack e[RING][3][LINE_E * (LEVELS + 2)];
    struct pack h[RING][3][LINE_H * (LEVELS + 1)];
};

typedef struct tile_shape<BOTH_GROUPS, BOTH_LEVELS> wide_tile;
typedef struct tile_shape<BOTH_STRIP, BOTH_STRIP_LEVELS> strip_tile;

/* ---- media of a pack of E ---------------------------------------------------------------------------------------- */

/* Two numbers a word. */
struct pack_ids {
    unsigned w[PACK / 2];
};

__device__ static inline struct pack_ids pack_ids_read(const void *ids, ptrdiff_t at, int wide)
{
    struct pack_ids v = {};
#pragma unroll
    for (int m = 0; m < PACK / 2; m++) {
        if (wide == 1) {
            const unsigned both = ((const unsigned short *)ids)[at / 2 + m];
            v.w[m] = (both & 0xffu) | both >> 8 << 16;
        }
        if (wide == 2) v.w[m] = ((const unsigned *)ids)[at / 2 + m];
    }
    return v;
}

__device__ static inline unsigned pack_id(const struct pack_ids &v, int q)
{
    return v.w[q / 2] >> q % 2 * 16 & 0xffffu;
}

__device__ static inline int pack_ids_agree(const struct pack_ids &v)
{
    int agree = v.w[0] == pack_id(v, 0) * 0x10001u;
#pragma unroll
    for (int m = 1; m < PACK / 2; m++) agree &= v.w[m] == v.w[0];
    return agree;
}

/* ---- who does what ----------------------------------------------------------------------------------------------- */

struct duty {
    int i, k; /* the first of a thread's columns, and its level, of the domain */
    int at_e, at_h; /* its packs of planes */
    int first, columns; /* of its pack, those that count: first <= q < columns */
    /* All in one register. */
    unsigned makes_h : 1, makes_e : 1;
    unsigned west : 1, below : 1; /* 1: beyond it lies a mirror image */
    unsigned near : 3, far : 3; /* bits of axes: x, z: it lies at the low side, and that conducts; at the high side,
                                   which does not repeat */
};

template <class T> __device__ static inline struct duty duty_of(const struct half &h, const struct tile &p)
{
    const int t = (int)threadIdx.x, main = T::GROUPS * T::LEVELS, aside = t >= main + T::GROUPS,
              n = t - main - T::GROUPS;
    const int level = aside       ? SF_MIN(n + 1, T::LEVELS)
                      : t >= main ? 0
                                  : t / T::GROUPS + 1,
              group = aside ? 0 : t % T::GROUPS + 1;
    const int i = p.i + (group - 1) * PACK, k = p.k + level - 1,
              last = aside ? i + PACK - 1 : i; /* the column that must exist */
    struct duty d;
    d.i = last < 0 && h.repeats[AX] ? i + h.n[AX] : i;
    d.k = k < 0 && h.repeats[AZ] ? k + h.n[AZ] : k;
    d.at_e = level * T::LINE_E + group, d.at_h = level * T::LINE_H + group;
    d.first = aside ? PACK - 1 : 0, d.columns = aside ? PACK : SF_MAX(0, SF_MIN(PACK, p.i1 - i));
    d.makes_h = (!aside || n < T::LEVELS) && d.columns && (last >= 0 || h.repeats[AX]) && d.k >= 0 && k < p.k1;
    d.makes_e = d.makes_h && level && !aside;
    const int east = i + d.columns == h.n[AX] && !h.repeats[AX], top = k + 1 == h.n[AZ] && !h.repeats[AZ];
    d.far = d.makes_e ? east << AX | top << AZ : 0;
    d.west = d.makes_e && i == 0 && !h.repeats[AX], d.below = d.makes_e && k == 0 && !h.repeats[AZ];
    d.near = (d.west && !h.odd[AX]) << AX | (d.below && !h.odd[AZ]) << AZ;
    return d;
}

/* What a thread copies to planes: a pack of its own, and one of the westernmost and easternmost. */
struct courier {
    ptrdiff_t own, side; /* offsets of a row */
    int own_e, own_h, side_e, side_h; /* packs of planes; -1: none */
};

/* Beyond sides that do not repeat nothing is read. */
__device__ static inline int is_beyond(const struct half &h, int axis, int m)
{
    return !h.repeats[axis] && (m < 0 || m >= h.n[axis]);
}

/* What E along conducting sides is: zero. In its planes, once and for all. */
template <class T> __device__ static inline void sides_clear(T *s, const struct half &h, const struct tile &p)
{
    for (int m = (int)threadIdx.x; m < (int)T::LINE_E * (T::LEVELS + 2); m += T::THREADS) {
        if (!is_beyond(h, AX, p.i + (m % T::LINE_E - 1) * PACK) && !is_beyond(h, AZ, p.k + m / T::LINE_E - 1)) continue;
        for (int n = 0; n < RING * 3; n++) s->e[n / 3][n % 3][m] = {};
    }
}

template <class T> __device__ static inline struct courier courier_of(const struct half &h, const struct tile &p)
{
    const int t = (int)threadIdx.x, n = t - (T::THREADS - 2 * (T::LEVELS + 2)), east = n & 1, k = p.k - 1;
    const int level = t / T::GROUPS, group = t % T::GROUPS, side = n / 2, column = p.i + group * PACK;
    const int outer = east ? p.i + T::COLUMNS : p.i - PACK;
    const int is_own = level <= T::LEVELS + 1 && column <= p.i1 && k + level <= p.k1 && !is_beyond(h, AX, column) &&
                       !is_beyond(h, AZ, k + level);
    const int is_side =
        n >= 0 && outer <= p.i1 && k + side <= p.k1 && !is_beyond(h, AX, outer) && !is_beyond(h, AZ, k + side);
    struct courier c;
    c.own = (ptrdiff_t)(k + level) * h.sk + column, c.side = (ptrdiff_t)(k + side) * h.sk + outer;
    c.own_e = is_own ? level * T::LINE_E + group + 1 : -1;
    c.own_h = is_own && level <= T::LEVELS ? level * T::LINE_H + group + 1 : -1;
    c.side_e = is_side ? side * T::LINE_E + (east ? T::LINE_E - 1 : 0) : -1;
    c.side_h = is_side && side <= T::LEVELS && !east ? side * T::LINE_H : -1;
    return c;
}

template <class T>
__device__ static inline void e_fetch(T *s, int slot, const struct courier &c, const struct half &h, ptrdiff_t row)
{
#pragma unroll
    for (int n = 0; n < 3; n++) {
        if (c.own_e >= 0) copy_piece_shared(&s->e[slot][n][c.own_e], h.other[n] + row + c.own);
        if (c.side_e >= 0) copy_piece_shared(&s->e[slot][n][c.side_e], h.other[n] + row + c.side);
    }
}

template <class T>
__device__ static inline void h_fetch(T *s, int slot, const struct courier &c, const struct half &h, ptrdiff_t row)
{
#pragma unroll
    for (int n = 0; n < 3; n++) {
        if (c.own_h >= 0) copy_piece_shared(&s->h[slot][n][c.own_h], h.old[n] + row + c.own);
        if (c.side_h >= 0) copy_piece_shared(&s->h[slot][n][c.side_h], h.old[n] + row + c.side);
    }
}
