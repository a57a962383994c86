/* H and E of a step in one sweep on a GPU: every field is read once and written once, into its other bank.
 *
 * A block owns a tile of the i-k plane and marches along j. Rows of old E and H come to shared memory ahead of their use, in
 * rings of three. In one turn of the march, between two barriers, H of row j follows from E of this row and the next, and takes
 * the place of old H in its ring; and E of row j - 1 follows from new H of that row and, in registers, of the one before. Beyond
 * its tile a block computes H of the column to the west and of the level below again, as their owners do, and so reads what those
 * change: hence the other bank, for the memories of H's layers too.
 *
 *                 columns: -1   | 0 ... COLUMNS - 1 | COLUMNS
 *     level  LEVELS + 1    E    | E                 |            E: old E is in the plane
 *            1 ... LEVELS  E, H | E, H -> new E     | E          H: H is
 *            0             E    | E, H              | E
 *
 * A warp has a level, a thread of it a pack of columns; one more warp has the level below, and one the packs to the west, of
 * which the last column counts. Most tiles and rows have neither layer nor source, and a march of their own, which knows none.
 * SPDX-License-Identifier: MIT */
#include "maxwell/yee.cuh"
#include "pipeline/copies.cuh"

extern "C" {
#include "maxwell/incident_parts.h"
#include "maxwell/source.h"
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

/* ---- a pack of elements ------------------------------------------------------------------------------------------ */

/* What the curl of a pack is taken of: the other field there, in planes and in registers; and of the row behind it (E: before, H:
 * after). */
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

/* Component c; medium(c, q) gives the coefficients of a column. */
template <int is_e, int c, class M>
__device__ static inline void component_update(struct pack *f, const M &medium, const struct around &a, const real rx[PACK], real ry,
                                               real rz)
{
    const int c1 = (c + 1) % 3, c2 = (c + 2) % 3, a1 = is_e ? c1 : c2, a2 = is_e ? c2 : c1; /* axes of its differences */
    const struct pack d1 = slope_of<is_e, a1, c>(a), d2 = slope_of<is_e, a2, c>(a);
#pragma unroll
    for (int q = 0; q < PACK; q++) {
        const real r[3] = {rx[q], ry, rz};
        const struct coefficient_pair m = medium(c, q);
        f->v[q] = yee_update(f->v[q], m.keep, m.turn, d1.v[q], r[a1], d2.v[q], r[a2]);
    }
}

/* `sparing`: of registers, one component after the other. */
template <int is_e, int sparing, class M>
__device__ static inline void pack_update(struct pack f[3], const M &medium, const struct around &a, const real rx[PACK], real ry,
                                          real rz)
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

__device__ static inline int is_whole(const real *memory, const struct layer_part &p)
{
    return p.q0 == 0 && p.q1 == PACK && (uintptr_t)(memory + p.at) % sizeof(struct pack) == 0;
}

__device__ static inline struct pack memory_read(const real *memory, const struct layer_part &p)
{
    struct pack v = {};
    if (is_whole(memory, p)) return *(const struct pack *)(memory + p.at);
#pragma unroll
    for (int q = 0; q < PACK; q++)
        if (q >= p.q0 && q < p.q1) v.v[q] = memory[p.at + q];
    return v;
}

__device__ static inline void pack_write(real *to, const struct pack &v, const struct layer_part &p)
{
    if (is_whole(to, p)) {
        *(struct pack *)(to + p.at) = v;
        return;
    }
#pragma unroll
    for (int q = 0; q < PACK; q++)
        if (q >= p.q0 && q < p.q1) to[p.at + q] = v.v[q];
}

/* As point_layer, n: for the first or second component of the axis; m: the element of the first column. */
template <int is_e, int axis, int n, class M>
__device__ static inline void memory_update(struct pack f[3], const M &medium, const struct around &o, const struct half &h, int high,
                                            int m, const struct layer_part &p, int keeps)
{
    const int c = (axis + 1 + n) % 3;
    struct pack memory = memory_read(h.memory[axis][high][n], p);
    const struct pack d = slope_of<is_e, axis, c>(o);
#pragma unroll
    for (int q = 0; q < PACK; q++) {
        if (q < p.q0 || q >= p.q1) continue;
        memory.v[q] = cpml_memory(memory.v[q], h.b[axis][axis == AX ? m + q : m], h.a[axis][axis == AX ? m + q : m], d.v[q]);
        f[c].v[q] = cpml_add(f[c].v[q], medium(c, q).turn, memory.v[q]);
    }
    if (keeps) pack_write(h.made[axis][high][n], memory, p);
}

template <int is_e, int axis, class M>
__device__ static inline void pack_layer(struct pack f[3], const M &medium, const struct around &o, const struct half &h, int high, int m,
                                         const struct layer_part &p, int keeps)
{
    memory_update<is_e, axis, 0>(f, medium, o, h, high, m, p, keeps);
    memory_update<is_e, axis, 1>(f, medium, o, h, high, m, p, keeps);
}

/* As point_layers. */
template <int is_e, class M>
__device__ static inline void pack_layers(struct pack f[3], const M &medium, const struct around &o, const struct half &h,
                                          const struct duty &d, int j, int keeps)
{
    const int of_z = layer_of(d.k, h.n[AZ], h.low[AZ], h.high[AZ]), of_y = layer_of(j, h.n[AY], h.low[AY], h.high[AY]);
    const int east = h.n[AX] - h.high[AX], last = SF_MIN(d.columns, h.n[AX] - d.i), low = SF_MIN(last, h.low[AX] - d.i);
    const ptrdiff_t row = j - h.j0;
    if (of_z >= 0) {
        const int level = of_z ? d.k - (h.n[AZ] - h.high[AZ]) : d.k;
        const ptrdiff_t at = layer_offset(row, level, d.i, of_z ? h.high[AZ] : h.low[AZ], h.columns);
        pack_layer<is_e, AZ>(f, medium, o, h, of_z, d.k, {at, d.first, d.columns}, keeps);
    }
    if (of_y >= 0)
        pack_layer<is_e, AY>(f, medium, o, h, of_y, j, {layer_offset(row, d.k, d.i, h.levels, h.columns), d.first, d.columns}, keeps);
    if (low > d.first)
        pack_layer<is_e, AX>(f, medium, o, h, 0, d.i, {layer_offset(row, d.k, d.i, h.levels, h.low[AX]), d.first, low}, keeps);
    if (last > SF_MAX(d.first, east - d.i)) {
        const ptrdiff_t at = layer_offset(row, d.k, d.i - east, h.levels, h.high[AX]);
        pack_layer<is_e, AX>(f, medium, o, h, 1, d.i, {at, SF_MAX(d.first, east - d.i), last}, keeps);
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
        if (d.i < h.low[AX]) read_soon(h.memory[AX][0][n] + layer_offset(row, d.k, d.i, h.levels, h.low[AX]));
        if (d.i >= east && d.i < h.n[AX])
            read_soon(h.memory[AX][1][n] + layer_offset(row, d.k, d.i - east, h.levels, h.high[AX]));
    }
}

/* ---- sources of H ------------------------------------------------------------------------------------------------ */

/* Elements of a component that are driven: values of this step, one each. */
struct drive {
    struct place_range range;
    const real *value;
    int component; /* 0, 1, 2: Hx, Hy, Hz */
    enum source_drive kind;
};

struct drives {
    int n;
    struct drive one[BOTH_DRIVES];
};

/* Bit m: drive m has some of a thread's columns on its level. */
__device__ static inline unsigned drives_near(const struct drives &w, const struct duty &d)
{
    unsigned near = 0;
    for (int m = 0; m < w.n && d.makes_h; m++) {
        const struct place_range &r = w.one[m].range;
        if (d.k >= r.low[AZ] && d.k < r.high[AZ] && d.i + d.columns > r.low[AX] && d.i + d.first < r.high[AX]) near |= 1u << m;
    }
    return near;
}

__device__ static inline void h_drive(struct pack made[3], const struct drives &w, unsigned near, const struct half &h,
                                      const struct duty &d, int row, ptrdiff_t at)
{
    for (int m = 0; m < w.n; m++) {
        const struct place_range &r = w.one[m].range;
        if (!(near >> m & 1) || row < r.low[AY] || row >= r.high[AY]) continue;
        const ptrdiff_t first = place_range_at(&r, d.i, row, d.k);
#pragma unroll
        for (int c = 0; c < 3; c++)
#pragma unroll
            for (int q = 0; q < PACK; q++)
                if (c == w.one[m].component && q >= d.first && q < d.columns && d.i + q >= r.low[AX] && d.i + q < r.high[AX])
                    made[c].v[q] = driven(made[c].v[q], w.one[m].kind, coefficient_at(h.turn, h.ids[c], at + q, h.wide),
                                          w.one[m].value[first + q]);
    }
}

/* What H has in a step, in the order of source_h_run. */
static struct drives drives_make(const struct maxwell *x, int pass_step)
{
    const struct incident *const in = x->incident;
    struct drives w;
    w.n = 0;
    for (int n = 0; in && n < in->nmends[0]; n++) {
        struct drive *const one = &w.one[w.n++];
        one->range = in->mend[0][n].range, one->value = in->value[n], one->component = in->mend[0][n].target - 3;
        one->kind = DRIVE_CURRENT;
    }
    for (const struct source *s = x->source; s < x->source + x->nsources; s++) {
        if (s->is_mode || s->component < 3) continue;
        struct drive *const one = &w.one[w.n++];
        for (int a = 0; a < 3; a++) one->range.low[a] = s->at[a], one->range.high[a] = s->at[a] + 1;
        one->value = s->value + pass_step, one->component = s->component - 3, one->kind = s->drive;
    }
    return w;
}

/* ---- H ----------------------------------------------------------------------------------------------------------- */

/* What a thread holds from turn to turn. */
struct held {
    struct pack e[3], e_before[3]; /* old E of rows j and j - 1 */
    struct pack h[3], h_before[2]; /* new H of row j - 1, and Hx, Hz of the one before that */
};

__device__ static inline real mirrored(real f, int odd) { return odd ? -f : f; }

/* New H and, in special tiles, its mirror images beyond the domain's sides. */
template <int is_plain, class T>
__device__ static inline void h_put(T *s, int slot, const struct half &h, const struct duty &d, const struct pack made[3])
{
#pragma unroll
    for (int c = 0; c < 3; c++) {
        struct pack *const to = &s->h[slot][c][d.at_h];
        *to = made[c];
        if (is_plain) continue;
        if (c != AX && d.west) to[-1].v[PACK - 1] = mirrored(made[c].v[0], h.odd[AX]);
        if (c == AZ || !d.below) continue;
        struct pack image;
#pragma unroll
        for (int q = 0; q < PACK; q++) image.v[q] = mirrored(made[c].v[q], h.odd[AZ]);
        to[-(int)T::LINE_H] = image;
    }
}

/* ---- E ----------------------------------------------------------------------------------------------------------- */

template <int is_plain>
__device__ static inline void packs_write(real *const to[3], const struct pack v[3], const struct duty &d, ptrdiff_t at)
{
#pragma unroll
    for (int c = 0; c < 3; c++) {
        if (is_plain || d.columns == PACK) write_pack_once((struct pack *)(to[c] + at), v[c]);
#pragma unroll
        for (int q = 0; q < PACK - 1; q++)
            if (!is_plain && d.columns < PACK && q < d.columns) to[c][at + q] = v[c].v[q];
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

__device__ static inline void spacings_take(real r[PACK], const struct half &h, const struct duty &d)
{
#pragma unroll
    for (int q = 0; q < PACK; q++) r[q] = q >= d.first && q < d.columns && d.makes_h ? h.spacing[AX][d.i + q] : R(0.0);
}

template <class T, int wide_e, int is_plain>
__device__ static inline void rows_march(T *s, const struct half &h, const struct half &e, const struct drives &w, const struct box &b,
                                         const struct place &r)
{
    const struct duty d = duty_of<T>(h, b, r);
    const struct courier c = courier_of<T>(h, b, r);
    const unsigned near_w = is_plain ? 0 : drives_near(w, d);
    const real rz_h = d.makes_h ? h.spacing[AZ][d.k] : R(0.0), rz_e = d.makes_h ? e.spacing[AZ][d.k] : R(0.0);
    ptrdiff_t row_at = (ptrdiff_t)(r.first - h.j0) * h.sj;
    const ptrdiff_t own = d.k * h.sk + d.i;
    const struct coefficient_pair everywhere = {h.keep[0], h.turn[0]};
    real rx_h[PACK], rx_e[PACK], ry_e = 0;
    struct held t = {};
    struct id_words<wide_e> ids[3] = {};
    e_fetch(s, 0, c, h, row_at);
    e_fetch(s, 1, c, h, row_at + h.sj);
    h_fetch(s, 0, c, h, row_at);
    copies_close();
    spacings_take(rx_h, h, d);
    spacings_take(rx_e, e, d);
    for (int m = (int)threadIdx.x; wide_e == 1 && m < e.media; m += T::THREADS) s->medium[m] = {e.keep[m], e.turn[m]};
    for (int j = r.first, row = place_row(j, h.repeats[AY]), s0 = 0, s1 = 1, s2 = 2; j <= r.jb; j++, row_at += h.sj) {
        copies_wait();
        __syncthreads();
        if (j + 1 < r.jb) {
            e_fetch(s, s2, c, h, row_at + 2 * h.sj);
            h_fetch(s, s1, c, h, row_at + h.sj);
            copies_close();
        }
        if (!is_plain && d.makes_h && j + 1 < r.jb) layers_announce(h, d, j + 1);
        if (!is_plain && d.makes_e && j >= r.ja && j < r.jb) layers_announce(e, d, j);
        if (d.makes_e && j > r.ja) {
            struct around o = {{}, -(int)T::LINE_H, {t.h[0], t.h[1], t.h[2]}, {t.h_before[0], {}, t.h_before[1]}};
#pragma unroll
            for (int n = 0; n < 3; n++) o.plane[n] = &s->h[s2][n][d.at_h];
            if (!is_plain) own_reread(&o);
            const auto medium = [&](int n, int q) {
                const unsigned id = wide_e ? words_id<wide_e>(ids[n], q) : 0;
                return wide_e == 1 ? s->medium[id] : coefficient_pair{e.keep[id], e.turn[id]};
            };
            pack_update<1, !is_plain>(t.e_before, medium, o, rx_e, ry_e, rz_e);
            if (!is_plain) {
                own_reread(&o);
                pack_layers<1>(t.e_before, medium, o, e, d, j - 1, 1);
            }
            packs_write<is_plain>(e.own, t.e_before, d, row_at - h.sj + own);
        }
        if (j == r.jb) break;
        t.h_before[0] = is_plain ? t.h[0] : s->h[s2][0][d.at_h], t.h_before[1] = is_plain ? t.h[2] : s->h[s2][2][d.at_h];
        if (d.makes_h) {
            const ptrdiff_t at = row_at + own;
            const int keeps = d.makes_e && j >= r.ja;
            struct around o;
            o.line = T::LINE_E;
#pragma unroll
            for (int n = 0; n < 3; n++) {
                if (wide_e && d.makes_e) words_read<wide_e>(&ids[n], e.ids[n], at);
                o.plane[n] = &s->e[s0][n][d.at_e];
                if (!is_plain || j == r.first) t.e[n] = *o.plane[n];
                o.own[n] = t.e[n], o.in_j[n] = s->e[s1][n][d.at_e], t.h[n] = s->h[s0][n][d.at_h];
                t.e_before[n] = t.e[n], t.e[n] = o.in_j[n];
            }
            const auto medium = [&](int n, int q) {
                if (is_plain || !h.wide || q < d.first || q >= d.columns) return everywhere;
                const unsigned id = id_at(h.ids[n], at + q, h.wide);
                return coefficient_pair{h.keep[id], h.turn[id]};
            };
            pack_update<0, !is_plain>(t.h, medium, o, rx_h, h.spacing[AY][row], rz_h);
            if (!is_plain) {
                own_reread(&o);
                pack_layers<0>(t.h, medium, o, h, d, j, keeps);
            }
            if (!is_plain && near_w) {
                struct pack driven[3] = {t.h[0], t.h[1], t.h[2]};
                h_drive(driven, w, near_w, h, d, row, at);
#pragma unroll
                for (int n = 0; n < 3; n++) t.h[n] = driven[n];
            }
            h_put<is_plain>(s, s0, h, d, t.h);
            if (keeps) packs_write<is_plain>(h.own, t.h, d, at);
        }
        if (!is_plain && j == 0 && h.repeats[AY] <= 1) /* a mirror image, or the one row that there is */
#pragma unroll
            for (int q = 0; q < PACK; q++) {
                t.h_before[0].v[q] = mirrored(t.h[0].v[q], h.odd[AY]);
                t.h_before[1].v[q] = mirrored(t.h[2].v[q], h.odd[AY]);
            }
        ry_e = e.spacing[AY][row];
        row = row + 1 == h.repeats[AY] ? 0 : row + 1;
        const int free = s0;
        s0 = s1, s1 = s2, s2 = free;
    }
}

__device__ static inline int meet(int a0, int a1, int b0, int b1) { return a0 < b1 && b0 < a1; }

/* Of an axis: do elements low <= m < high lie in a layer? */
__device__ static inline int layers_meet(const struct half &h, int axis, int low, int high)
{
    const int n = h.n[axis];
    return SF_MAX(low, 0) < h.low[axis] || SF_MIN(high, n) > n - h.high[axis];
}

/* Has a tile of those rows a layer, a source, mirror images, a pack that is not full, or more than one medium of H? What lies
 * beyond a low side that repeats may have a source that lies elsewhere. */
template <class T>
__device__ static inline int is_special(const struct half &h, const struct drives &w, const struct box &b, const struct place &r)
{
    const int i0 = r.i - 1, i1 = SF_MIN(r.i + (int)T::COLUMNS, b.i1), k0 = r.k - 1, k1 = r.k + T::LEVELS;
    const int repeats = h.repeats[AY] || (i0 < 0 && h.repeats[AX]) || (k0 < 0 && h.repeats[AZ]);
    int special = h.wide || layers_meet(h, AX, i0, i1) || layers_meet(h, AY, r.first, r.jb) || layers_meet(h, AZ, k0, k1);
    special |= i1 % PACK || (i0 < 0 && !h.repeats[AX]) || (k0 < 0 && !h.repeats[AZ]) || (r.ja == 0 && h.repeats[AY] <= 1);
    for (int m = 0; m < w.n; m++) {
        const struct place_range &p = w.one[m].range;
        special |= repeats || (meet(i0, i1, p.low[AX], p.high[AX]) && meet(k0, k1, p.low[AZ], p.high[AZ]) &&
                               meet(r.first, r.jb, p.low[AY], p.high[AY]));
    }
    return special;
}

/* Of the tiles dealt out those that are plain, or those that are not. */
template <class T, int wide_e, int is_plain>
__global__ static void __launch_bounds__(T::THREADS, RESIDENT / T::THREADS)
    both_halves(const __grid_constant__ struct half h, const __grid_constant__ struct half e,
                const __grid_constant__ struct drives w, const __grid_constant__ struct deal c)
{
    launch_wait();
    SF_SHARED(T, s);
    const struct place r = place_of<T>(h, c);
    if (is_special<T>(h, w, c.b, r) != is_plain) rows_march<T, wide_e, is_plain>(s, h, e, w, c.b, r);
}

/* What a launch is made of. */
struct sweep {
    struct half h, e;
    struct drives w;
    struct deal c;
    void *stream;
};

template <class T, int wide_e, int is_plain> static void tiles_launch(const struct sweep &s, const dim3 &grid)
{
    SF_LAUNCH_BLOCKS((both_halves<T, wide_e, is_plain>), grid, dim3(T::THREADS), sizeof(T), s.stream, s.h, s.e, s.w, s.c);
}

template <class T, int is_plain> static void both_launch(const struct sweep &s)
{
    const struct box &b = s.c.b;
    const int middle = b.j1 - b.j0 - s.c.south - s.c.north;
    const dim3 grid((unsigned)(b.i1 - b.i0 + s.c.step - 1) / (unsigned)s.c.step, (unsigned)(b.k1 - b.k0 + T::LEVELS - 1) / T::LEVELS,
                    (unsigned)((middle + s.c.rows - 1) / s.c.rows + (s.c.south > 0) + (s.c.north > 0)));
    if (s.e.wide == 0) tiles_launch<T, 0, is_plain>(s, grid);
    else if (s.e.wide == 1) tiles_launch<T, 1, is_plain>(s, grid);
    else tiles_launch<T, 2, is_plain>(s, grid);
}

/* Where there is room for plain tiles, strips along the west and east side have their layers. */
template <class T> static void sweep_launch(struct sweep s)
{
    static_assert(sizeof(T) == BOTH_SHARED(T::GROUPS, T::LEVELS), "the shapes that are told are those that run");
    struct box &b = s.c.b;
    const int east = (s.h.n[AX] - s.h.high[AX]) / PACK * PACK, has_layers = s.h.low[AX] || s.h.high[AX];
    const int is_cut = has_layers && !b.i0 && b.i1 == s.h.n[AX] && b.i1 - east <= strip_tile::COLUMNS &&
                       east - strip_tile::COLUMNS >= T::COLUMNS;
    if (is_cut) {
        s.c.step = east;
        both_launch<strip_tile, 0>(s);
        b.i0 = strip_tile::COLUMNS, b.i1 = east;
    }
    s.c.step = T::COLUMNS;
    both_launch<T, 0>(s);
    if ((is_cut || !has_layers) && !s.h.wide) both_launch<T, 1>(s);
}

/* Where no shape was chosen: blocks enough for the device, but rows enough that the one before them, computed again, costs
 * little. */
static int rows_picked(const struct box &b)
{
    enum { BLOCKS = 1024, ROWS_LEAST = 4, ROWS_MOST = 24 };
    const int nj = b.j1 - b.j0, tiles = (b.i1 - b.i0 + BOTH_COLUMNS - 1) / BOTH_COLUMNS * ((b.k1 - b.k0 + BOTH_HIGH - 1) / BOTH_HIGH);
    const int parts = SF_MAX(SF_MAX(1, SF_MIN((BLOCKS + tiles - 1) / tiles, nj / ROWS_LEAST)), nj / ROWS_MOST);
    return (nj + parts - 1) / parts;
}

/* Blocks of their own take the rows of layers along y, and the row behind the southern one, whose neighbour begins with H of the
 * row before its own. */
static struct deal deal_make(const struct half &h, const struct box &b, int rows)
{
    const int low = h.low[AY], high = h.high[AY], n = h.n[AY];
    struct deal c = {b, 0, rows, 0, 0};
    if (low && b.j0 == 0 && b.j1 > low + 1) c.south = low + 1;
    if (high && b.j1 == n && n - high > b.j0 + c.south) c.north = high;
    return c;
}

extern "C" void yee_both_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    const struct candidate *const shape = both_choice < 0 ? NULL : &both_candidate[both_choice];
    struct sweep w;
    if (b.i0 >= b.i1 || b.k0 >= b.k1 || b.j0 >= b.j1) return;
    if (x->incident) incident_values_launch(x->incident, b.j0 - 1, b.j1, c->pass_step, stream);
    w.h = half_make(s, x, 0), w.e = half_make(s, x, 1), w.w = drives_make(x, c->pass_step), w.stream = stream;
    w.c = deal_make(w.h, b, !shape ? rows_picked(b) : shape->rows ? shape->rows : b.j1 - b.j0);
    if (shape ? shape->tile_k == BOTH_LOW : b.k1 - b.k0 <= BOTH_LOW) sweep_launch<low_tile>(w);
    else sweep_launch<high_tile>(w);
}
