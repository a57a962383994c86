/* The sweep of E and H (yee_both.cu): a block's tile in shared memory, which thread has what of it, and how rows of old E and H come
 * there. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/yee.cuh"
#include "pipeline/copies.cuh"

extern "C" {
#include "maxwell/yee_both.h"
}

enum { PACK = BOTH_PACK, RING = BOTH_RING };

/* Threads with 96 registers that a multiprocessor has room for. */
enum { RESIDENT = 640 };

struct __align__(16) pack {
    real v[PACK];
};

/* Of a medium, for one component. */
struct coefficient_pair {
    real keep, turn;
};

/* Packs of a level: E has one more at both ends, H to the west. */
template <int GROUPS_, int LEVELS_> struct tile {
    enum { GROUPS = GROUPS_, LEVELS = LEVELS_, COLUMNS = GROUPS * PACK, LINE_E = GROUPS + 2, LINE_H = GROUPS + 1 };
    enum { THREADS = BOTH_THREADS(GROUPS, LEVELS) };
    struct pack e[RING][3][LINE_E * (LEVELS + 2)];
    struct pack h[RING][3][LINE_H * (LEVELS + 1)];
    struct coefficient_pair medium[BOTH_MEDIA]; /* of E, where ids have a byte */
};

typedef struct tile<BOTH_GROUPS, BOTH_HIGH> high_tile;
typedef struct tile<BOTH_GROUPS, BOTH_LOW> low_tile;
typedef struct tile<BOTH_STRIP, BOTH_STRIP_LEVELS> strip_tile;

template <int wide> struct __align__(wide * PACK > 4 ? 8 : 4) id_words {
    unsigned w[wide * PACK > 4 ? 2 : 1];
};

template <int wide> __device__ static inline void words_read(struct id_words<wide> *to, const void *ids, ptrdiff_t at)
{
    if (wide * PACK == 2) to->w[0] = ((const unsigned short *)ids)[at / PACK];
    else *to = ((const struct id_words<wide> *)ids)[at / PACK];
}

template <int wide> __device__ static inline unsigned words_id(const struct id_words<wide> &from, int q)
{
    const int bit = 8 * wide * q;
    return from.w[bit / 32] >> bit % 32 & (wide == 1 ? 0xffu : 0xffffu);
}

/* ---- who does what ----------------------------------------------------------------------------------------------- */

struct duty {
    int i, k;           /* the first of a thread's columns, and its level, of the domain */
    int at_e, at_h;     /* its packs of planes */
    int first, columns; /* of its pack, those that count: first <= q < columns */
    int makes_h, makes_e;
    int west, below;    /* 1: beyond it lies a mirror image */
};

/* Where a block's tile begins, and its rows: E of ja <= j < jb, and H, which begins a row before where there is one. */
struct place {
    int i, k, ja, jb, first;
};

/* How tiles and rows are dealt out: `step` columns from one tile to the next, `rows` of a block; of the first block `south` and of
 * the last one `north`, where they are not 0. */
struct deal {
    struct box b;
    int step, rows, south, north;
};

template <class T> __device__ static inline struct place place_of(const struct half &h, const struct deal &c)
{
    const int z = (int)blockIdx.z - (c.south > 0), last = (int)gridDim.z - 1, most = c.b.j1 - c.north;
    struct place p;
    p.i = c.b.i0 + (int)blockIdx.x * c.step, p.k = c.b.k0 + (int)blockIdx.y * T::LEVELS;
    p.ja = z < 0 ? c.b.j0 : c.b.j0 + c.south + z * c.rows, p.jb = z < 0 ? p.ja + c.south : SF_MIN(p.ja + c.rows, most);
    if (c.north && (int)blockIdx.z == last) p.ja = most, p.jb = c.b.j1;
    p.first = p.ja > 0 || h.repeats[AY] > 1 ? p.ja - 1 : p.ja;
    return p;
}

template <class T> __device__ static inline struct duty duty_of(const struct half &h, const struct box &b, const struct place &p)
{
    const int t = (int)threadIdx.x, main = T::GROUPS * T::LEVELS, aside = t >= main + T::GROUPS, n = t - main - T::GROUPS;
    const int level = aside ? SF_MIN(n + 1, T::LEVELS) : t >= main ? 0 : t / T::GROUPS + 1, group = aside ? 0 : t % T::GROUPS + 1;
    const int i = p.i + (group - 1) * PACK, k = p.k + level - 1, last = aside ? i + PACK - 1 : i; /* the column that must exist */
    struct duty d;
    d.i = last < 0 && h.repeats[AX] ? i + h.n[AX] : i;
    d.k = k < 0 && h.repeats[AZ] ? k + h.n[AZ] : k;
    d.at_e = level * T::LINE_E + group, d.at_h = level * T::LINE_H + group;
    d.first = aside ? PACK - 1 : 0, d.columns = aside ? PACK : SF_MAX(0, SF_MIN(PACK, b.i1 - i));
    d.makes_h = (!aside || n < T::LEVELS) && d.columns && (last >= 0 || h.repeats[AX]) && d.k >= 0 && k < b.k1;
    d.makes_e = d.makes_h && level && !aside;
    d.west = d.makes_e && i == 0 && !h.repeats[AX], d.below = d.makes_e && k == 0 && !h.repeats[AZ];
    return d;
}

/* What a thread copies to planes: a pack of its own, and one of the westernmost and easternmost. */
struct courier {
    ptrdiff_t own, side;     /* offsets of a row */
    int own_e, own_h, side_e, side_h; /* packs of planes; -1: none */
};

template <class T> __device__ static inline struct courier courier_of(const struct half &h, const struct box &b, const struct place &p)
{
    const int t = (int)threadIdx.x, n = t - (T::THREADS - 2 * (T::LEVELS + 2)), east = n & 1, k = p.k - 1;
    const int level = t / T::GROUPS, group = t % T::GROUPS, side = n / 2, column = p.i + group * PACK;
    const int outer = east ? p.i + T::COLUMNS : p.i - PACK;
    const int is_own = level <= T::LEVELS + 1 && column <= b.i1 && k + level <= b.k1;
    const int is_side = n >= 0 && outer <= b.i1 && k + side <= b.k1;
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
