/* The sweep of E and H (yee_both.cu): a thread's pack of elements, their update, and that of the layers that they lie
 * in. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/yee_tile.cuh"

/* ---- a pack of elements ------------------------------------------------------------------------------------------ */

/* What the curl of a pack is taken of: the other field there, in planes and in registers; and of the row behind it (E:
 * before, H: after). */
struct around {
    const struct pack *plane[3];
    int line; /* packs from a level to that beyond */
    struct pack own[3], in_j[3];
};

/* Component c of the other field, an element further along an axis, for E back and for H on. */
template <int is_e, int axis> __device__ static inline struct pack beyond(const struct around &a, int c)
{
    if (axis == AY) return a.in_j[c];
    if (axis == AZ) return a.plane[c][a.line];
    struct pack v;
    v.v[is_e ? 0 : PACK - 1] = is_e ? a.plane[c][-1].v[PACK - 1] : a.plane[c][1].v[0];
#pragma unroll
    for (int q = 1; q < PACK; q++) v.v[is_e ? q : q - 1] = a.own[c].v[is_e ? q - 1 : q];
    return v;
}

/* Differences along an axis that component c takes: of the one other component across both. */
template <int is_e, int axis, int c> __device__ static inline struct pack slope_of(const struct around &a)
{
    const int other = 3 - axis - c;
    const struct pack far = beyond<is_e, axis>(a, other);
    struct pack d;
#pragma unroll
    for (int q = 0; q < PACK; q++)
        d.v[q] = c == (axis + 1) % 3 ? far.v[q] - a.own[other].v[q] : a.own[other].v[q] - far.v[q];
    return d;
}

/* Component c; medium(c, m) gives the coefficients of its columns. */
template <int is_e, int c, class M>
__device__ static inline void component_update(struct pack *f, const M &medium, const struct around &a,
                                               const real rx[PACK], real ry, real rz)
{
    const int c1 = (c + 1) % 3, c2 = (c + 2) % 3, a1 = is_e ? c1 : c2,
              a2 = is_e ? c2 : c1; /* axes of its differences */
    const struct pack d1 = slope_of<is_e, a1, c>(a), d2 = slope_of<is_e, a2, c>(a);
    struct coefficient_pair m[PACK];
    medium(c, m);
#pragma unroll
    for (int q = 0; q < PACK; q++) {
        const real r[3] = {rx[q], ry, rz};
        f->v[q] = yee_update(f->v[q], m[q].keep, m[q].turn, d1.v[q], r[a1], d2.v[q], r[a2]);
    }
}

/* `sparing`: of registers, one component after the other. */
template <int is_e, int sparing, class M>
__device__ static inline void pack_update(struct pack f[3], const M &medium, const struct around &a,
                                          const real rx[PACK], real ry, real rz)
{
    component_update<is_e, 0>(&f[0], medium, a, rx, ry, rz);
    if (sparing) reads_again();
    component_update<is_e, 1>(&f[1], medium, a, rx, ry, rz);
    if (sparing) reads_again();
    component_update<is_e, 2>(&f[2], medium, a, rx, ry, rz);
}

/* So that what layers and the update both need is not kept in registers in between. */
__device__ static inline void own_reread(struct around *a)
{
    reads_again();
#pragma unroll
    for (int c = 0; c < 3; c++) a->own[c] = *a->plane[c];
}

/* ---- layers ------------------------------------------------------------------------------------------------------ */

/* Columns q0 <= q < q1 of a pack that lie in a layer, and its memories' offset of column 0. */
struct layer_part {
    ptrdiff_t at;
    int q0, q1;
};

template <int whole> __device__ static inline int is_whole(const real *memory, const struct layer_part &p)
{
    return whole || (p.q0 == 0 && p.q1 == PACK && (uintptr_t)(memory + p.at) % sizeof(struct pack) == 0);
}

template <int whole> __device__ static inline struct pack memory_read(const real *memory, const struct layer_part &p)
{
    struct pack v = {};
    if (is_whole<whole>(memory, p)) return *(const struct pack *)(memory + p.at);
#pragma unroll
    for (int q = 0; q < PACK; q++)
        if (q >= p.q0 && q < p.q1) v.v[q] = memory[p.at + q];
    return v;
}

template <int whole>
__device__ static inline void pack_write(real *to, const struct pack &v, const struct layer_part &p)
{
    if (is_whole<whole>(to, p)) {
        *(struct pack *)(to + p.at) = v;
        return;
    }
#pragma unroll
    for (int q = 0; q < PACK; q++)
        if (q >= p.q0 && q < p.q1) to[p.at + q] = v.v[q];
}

/* Both memories of a pack in a layer. */
struct memories {
    struct pack of[2];
};

template <int whole>
__device__ static inline struct memories memories_read(const real *const from[2], const struct layer_part &p)
{
    const struct memories m = {{memory_read<whole>(from[0], p), memory_read<whole>(from[1], p)}};
    return m;
}

/* As point_layer; m: the element of the first column; memory: as read. */
template <int is_e, int whole, int axis, class M>
__device__ static inline void pack_layer(struct pack f[3], const M &medium, const struct around &o,
                                         const struct half &h, int high, int m, const struct layer_part &p, int keeps,
                                         struct memories memory)
{
    const int c1 = (axis + 1) % 3, c2 = (axis + 2) % 3;
    const struct pack d[2] = {slope_of<is_e, axis, c1>(o), slope_of<is_e, axis, c2>(o)};
#pragma unroll
    for (int n = 0; n < 2; n++) {
        const int c = n ? c2 : c1;
        struct coefficient_pair of[PACK];
        medium(c, of);
#pragma unroll
        for (int q = 0; q < PACK; q++) {
            if (!whole && (q < p.q0 || q >= p.q1)) continue;
            real *const v = &memory.of[n].v[q];
            *v = cpml_memory(*v, h.b[axis][axis == AX ? m + q : m], h.a[axis][axis == AX ? m + q : m], d[n].v[q]);
            f[c].v[q] = cpml_add(f[c].v[q], of[q].turn, *v);
        }
        if (keeps) pack_write<whole>(h.made[axis][high][n], memory.of[n], p);
    }
}

/* Of a row j: the layer along an axis that a thread's pack lies in, whole; layer -1: in none. */
struct layer_place {
    int layer;
    struct layer_part part;
};

template <int axis>
__device__ static inline struct layer_place layer_place_of(const struct half &h, const struct duty &d, int j)
{
    const int m = axis == AX ? d.i : axis == AY ? j : d.k, layer = layer_of(m, h.n[axis], h.low[axis], h.high[axis]);
    const int wide = layer > 0 ? h.high[axis] : h.low[axis], at = layer > 0 ? m - (h.n[axis] - wide) : m;
    const int columns = axis == AX ? wide : h.columns, levels = axis == AZ ? wide : h.levels;
    const ptrdiff_t from = layer_offset(j - h.j0, axis == AZ ? at : d.k, axis == AX ? at : d.i, levels, columns);
    const struct layer_place p = {layer, {from, d.first, d.columns}};
    return p;
}

/* Memories of the first layer that a pack lies in, in the order of the CPU, come to shared memory a turn before they
 * are used: a thread's own, `stride` packs from one to the next. */
struct fetched {
    struct pack *at;
    int stride;
};

template <int axis>
__device__ static inline int place_fetch(const struct fetched &to, const struct half &h, const struct duty &d, int j)
{
    const struct layer_place p = layer_place_of<axis>(h, d, j);
    if (p.layer < 0) return 0;
#pragma unroll
    for (int n = 0; n < 2; n++) copy_piece(to.at + n * to.stride, h.memory[axis][p.layer][n] + p.part.at);
    return 1;
}

/* Of row j; what was there has been used. */
template <int axes>
__device__ static inline void layers_fetch(const struct fetched &to, const struct half &h, const struct duty &d, int j)
{
    reads_again();
    if (axes >> AZ & 1 && place_fetch<AZ>(to, h, d, j)) return;
    if (axes >> AY & 1 && place_fetch<AY>(to, h, d, j)) return;
    if (axes >> AX & 1) place_fetch<AX>(to, h, d, j);
}

/* As point_layers, of the layer along an axis that a pack lies in with all of its columns; is_first: its memories were
 * fetched. Returns 1: it lies in one. */
template <int is_e, int whole, int axis, class M>
__device__ static inline int place_update(struct pack f[3], const M &medium, const struct around &o,
                                          const struct half &h, const struct duty &d, int j, int keeps,
                                          const struct fetched &from, int is_first)
{
    const struct layer_place p = layer_place_of<axis>(h, d, j);
    if (p.layer < 0) return 0;
    struct memories m;
    if (is_first) m = {{from.at[0], from.at[from.stride]}};
    else m = memories_read<whole>(h.memory[axis][p.layer], p.part);
    pack_layer<is_e, whole, axis>(f, medium, o, h, p.layer, axis == AX ? d.i : axis == AY ? j : d.k, p.part, keeps, m);
    return 1;
}

/* As point_layers, of some axes. whole: a pack lies in one layer along x at most, with all of its columns, and memories
 * of the first layer were fetched; else they are all axes. */
template <int is_e, int whole, int axes, class M>
__device__ static inline void pack_layers(struct pack f[3], const M &medium, const struct around &o,
                                          const struct half &h, const struct duty &d, int j, int keeps,
                                          const struct fetched &from)
{
    int is_first = whole;
    if (axes >> AZ & 1 && place_update<is_e, whole, AZ>(f, medium, o, h, d, j, keeps, from, is_first)) is_first = 0;
    if (axes >> AY & 1 && place_update<is_e, whole, AY>(f, medium, o, h, d, j, keeps, from, is_first)) is_first = 0;
    if constexpr (whole && axes >> AX & 1) place_update<is_e, whole, AX>(f, medium, o, h, d, j, keeps, from, is_first);
    if constexpr (!whole) {
        const ptrdiff_t row = j - h.j0;
        const int east = h.n[AX] - h.high[AX], last = SF_MIN(d.columns, h.n[AX] - d.i),
                  low = SF_MIN(last, h.low[AX] - d.i);
        const struct layer_part west = {layer_offset(row, d.k, d.i, h.levels, h.low[AX]), d.first, low};
        const struct layer_part far = {layer_offset(row, d.k, d.i - east, h.levels, h.high[AX]),
                                       SF_MAX(d.first, east - d.i), last};
        if (low > d.first)
            pack_layer<is_e, 0, AX>(f, medium, o, h, 0, d.i, west, keeps, memories_read<0>(h.memory[AX][0], west));
        if (last > far.q0)
            pack_layer<is_e, 0, AX>(f, medium, o, h, 1, d.i, far, keeps, memories_read<0>(h.memory[AX][1], far));
    }
}

/* Row j of the memories along x and z: it will be read soon. */
__device__ static inline void layers_announce(const struct half &h, const struct duty &d, int j)
{
    const int of_z = layer_of(d.k, h.n[AZ], h.low[AZ], h.high[AZ]), east = h.n[AX] - h.high[AX];
    const ptrdiff_t row = j - h.j0;
#pragma unroll
    for (int n = 0; n < 2; n++) {
        if (of_z >= 0) {
            const int level = of_z ? d.k - (h.n[AZ] - h.high[AZ]) : d.k, levels = of_z ? h.high[AZ] : h.low[AZ];
            read_soon(h.memory[AZ][of_z][n] + layer_offset(row, level, d.i, levels, h.columns));
        }
        if (d.i >= 0 && d.i < h.low[AX])
            read_soon(h.memory[AX][0][n] + layer_offset(row, d.k, d.i, h.levels, h.low[AX]));
        if (d.i >= east && d.i < h.n[AX])
            read_soon(h.memory[AX][1][n] + layer_offset(row, d.k, d.i - east, h.levels, h.high[AX]));
    }
}
