/* H and E of a step in one sweep on a GPU: every field is read once and written once, into its other bank.
 *
 * A block owns a tile of the i-k plane and marches along j. Rows of old E and H come to shared memory ahead of their
 * use, in rings of three. In one turn of the march, between two barriers, H of row j follows from E of this row and the
 * next, and takes the place of old H in its ring; and E of row j - 1 follows from new H of that row and, in registers,
 * of the one before. Beyond its tile a block computes H of the column to the west and of the level below again, as
 * their owners do, and so reads what those change: hence the other bank, for the memories of H's layers too.
 *
 *                 columns: -1   | 0 ... COLUMNS - 1 | COLUMNS
 *     level  LEVELS + 1    E    | E                 |            E: old E is in the plane
 *            1 ... LEVELS  E, H | E, H -> new E     | E          H: H is
 *            0             E    | E, H              | E
 *
 * A warp has a level, a thread of it a pack of columns; one more warp has the level below, and one the packs to the
 * west, of which the last column counts. Most tiles have neither layer nor source, and one medium: there are marches
 * that know none of these, and lists of the tiles of each kind (tiles.h). SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/yee_pack.cuh"
#include "maxwell/yee_pair.cuh"

extern "C" {
#include "maxwell/incident_parts.h"
#include "maxwell/source.h"
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
        if (d.k >= r.low[AZ] && d.k < r.high[AZ] && d.i + d.columns > r.low[AX] && d.i + d.first < r.high[AX])
            near |= 1u << m;
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
                if (c == w.one[m].component && q >= d.first && q < d.columns && d.i + q >= r.low[AX] &&
                    d.i + q < r.high[AX])
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
        one->range = s->at;
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
__device__ static inline void h_put(T *s, int slot, const struct half &h, const struct duty &d,
                                    const struct pack made[3])
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

template <int whole>
__device__ static inline void packs_write(real *const to[3], const struct pack v[3], const struct duty &d, ptrdiff_t at)
{
#pragma unroll
    for (int c = 0; c < 3; c++) {
        if (whole || d.columns == PACK) write_pack_once((struct pack *)(to[c] + at), v[c]);
#pragma unroll
        for (int q = 0; q < PACK - 1; q++)
            if (!whole && d.columns < PACK && q < d.columns) to[c][at + q] = v[c].v[q];
    }
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

/* On a face across axis `across`, which conducts, E along it is zero, and H through it. */
template <int is_e> __device__ static inline int is_zero_on(int component, int across)
{
    return is_e ? component != across : component == across;
}

/* Of elements on low sides, bits of axes. */
template <int is_e> __device__ static inline void near_clear(struct pack v[3], int near)
{
    if (!near) return;
#pragma unroll
    for (int a = 0; a < 3; a++)
#pragma unroll
        for (int m = 0; m < 3 * PACK; m++)
            if (near >> a & 1 && is_zero_on<is_e>(m / PACK, a) && (a != AX || m % PACK == 0))
                v[m / PACK].v[m % PACK] = R(0.0);
}

/* On the faces beyond the last elements of axes, `far`, and where those faces meet. */
template <int is_e>
__device__ static inline void far_clear(real *const to[3], const struct half &h, const struct duty &d, int far,
                                        ptrdiff_t at)
{
    if (!far) return;
#pragma unroll 1
    for (int m = 1; m < 7; m++) {
        if ((far & m) != m) continue;
        real *const from[3] = {to[0] + at, to[1] + at, to[2] + at};
        const ptrdiff_t on = (m >> AX & 1 ? d.columns : 0) + (m >> AY & 1 ? h.sj : 0) + (m >> AZ & 1 ? h.sk : 0);
        for (int q = 0; q < (m >> AX & 1 ? 1 : d.columns); q++)
#pragma unroll
            for (int c = 0; c < 3; c++)
                if (is_e ? !(m >> c & 1) : m == 1 << c) from[c][on + q] = R(0.0);
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

__device__ static inline void spacings_take(real r[PACK], const struct half &h, const struct duty &d)
{
#pragma unroll
    for (int q = 0; q < PACK; q++) r[q] = q >= d.first && q < d.columns && d.makes_h ? h.spacing[AX][d.i + q] : R(0.0);
}

/* Coefficients of a pack of E. Most packs have one medium. */
template <int has_ids>
__device__ static inline void media_take(struct coefficient_pair m[PACK], const struct half &e,
                                         const struct pack_ids &ids, const struct coefficient_pair &everywhere)
{
    const struct coefficient_pair first =
        has_ids ? coefficient_pair{e.keep[pack_id(ids, 0)], e.turn[pack_id(ids, 0)]} : everywhere;
#pragma unroll
    for (int q = 0; q < PACK; q++) m[q] = first;
    if constexpr (has_ids > 0)
        if (!pack_ids_agree(ids))
#pragma unroll
            for (int q = 1; q < PACK; q++) m[q] = {e.keep[pack_id(ids, q)], e.turn[pack_id(ids, q)]};
}

/* Do memories of layers come to shared memory, behind the tile's rows? */
__host__ __device__ static constexpr int has_memories(int kind)
{
    return kind == TILE_LAYERS || kind == TILE_LAYERS_ONE || kind == TILE_ACROSS_ONE || kind == TILE_ALONG_ONE;
}

template <class T, int kind>
__device__ static inline void rows_march(T *s, const struct half &h, const struct half &e, const struct drives &w,
                                         const struct tile &r)
{
    const int is_plain = kind == TILE_PLAIN || kind == TILE_PLAIN_ONE, whole = kind != TILE_ANY;
    const int has_ids =
        kind == TILE_ANY || kind == TILE_LAYERS || kind == TILE_PLAIN; /* else E has the medium of the tile */
    const int has_fetched = has_memories(kind);
    /* Those with layers and sides. */
    const int axes = is_plain ? 0 : kind == TILE_ACROSS_ONE ? 1 << AX : kind == TILE_ALONG_ONE ? 1 << AY | 1 << AZ : 7;
    const int begin = r.ja > 0 || h.repeats[AY] > 1 ? r.ja - 1 : r.ja; /* the first row of H */
    const struct duty d = duty_of<T>(h, r);
    const struct courier c = courier_of<T>(h, r);
    const int south = h.repeats[AY] || h.odd[AY] ? INT_MIN : 0,
              north = h.repeats[AY] ? INT_MIN : h.n[AY] - 1; /* rows at sides */
    const unsigned near_w = kind == TILE_ANY ? drives_near(w, d) : 0;
    const real rz_h = d.makes_h ? h.spacing[AZ][d.k] : R(0.0), rz_e = d.makes_h ? e.spacing[AZ][d.k] : R(0.0);
    ptrdiff_t row_at = (ptrdiff_t)(begin - h.j0) * h.sj;
    const ptrdiff_t nowhere = -PACK; /* before every pack, a domain's that is narrower than one, too */
    const ptrdiff_t own = d.makes_h ? d.k * h.sk + d.i : nowhere; /* what tells that needs no register of its own */
    const struct coefficient_pair all_h = {h.keep[0], h.turn[0]}, all_e = {e.keep[r.medium], e.turn[r.medium]};
    real rx_h[PACK], rx_e[PACK], ry_e = 0;
    struct pack *const memory = reinterpret_cast<struct pack *>(s + 1) + threadIdx.x;
    const struct fetched of_h = {memory, T::THREADS}, of_e = {memory + 2 * T::THREADS, T::THREADS};
    struct held t = {};
    struct pack_ids ids[3] = {};
    e_fetch(s, 0, c, h, row_at);
    e_fetch(s, 1, c, h, row_at + h.sj);
    h_fetch(s, 0, c, h, row_at);
    if (has_fetched && own > nowhere) layers_fetch<axes>(of_h, h, d, begin);
    copies_close();
    if (!is_plain) sides_clear(s, h, r);
    spacings_take(rx_h, h, d);
    spacings_take(rx_e, e, d);
    for (int j = begin, row = place_row(j, h.repeats[AY]), s0 = 0, s1 = 1, s2 = 2; j <= r.jb; j++, row_at += h.sj) {
        copies_wait();
        __syncthreads();
        if (j + 1 < r.jb) {
            e_fetch(s, s2, c, h, row_at + 2 * h.sj);
            h_fetch(s, s1, c, h, row_at + h.sj);
            copies_close();
        }
        if (!whole && own > nowhere && j + 1 < r.jb) layers_announce(h, d, j + 1);
        if (!whole && d.makes_e && j >= r.ja && j < r.jb) layers_announce(e, d, j);
        if (d.makes_e && j > r.ja) {
            struct around o = {{}, -(int)T::LINE_H, {t.h[0], t.h[1], t.h[2]}, {t.h_before[0], {}, t.h_before[1]}};
#pragma unroll
            for (int n = 0; n < 3; n++) o.plane[n] = &s->h[s2][n][d.at_h];
            if (!is_plain) own_reread(&o);
            const auto medium = [&](int n, struct coefficient_pair m[PACK]) {
                media_take<has_ids>(m, e, ids[n], all_e);
            };
            pack_update<1, !is_plain>(t.e_before, medium, o, rx_e, ry_e, rz_e);
            if (!is_plain) {
                own_reread(&o);
                pack_layers<1, whole, axes>(t.e_before, medium, o, e, d, j - 1, 1, of_e);
            }
            near_clear<1>(t.e_before, (d.near | (j - 1 == south) << AY) & axes);
            packs_write<whole>(e.own, t.e_before, d, row_at - h.sj + own);
            far_clear<1>(e.own, h, d, (d.far | (j - 1 == north) << AY) & axes, row_at - h.sj + own);
        }
        if (j == r.jb) break;
        if (has_fetched && d.makes_e && j >= r.ja) layers_fetch<axes>(of_e, e, d, j);
        t.h_before[0] = is_plain ? t.h[0] : s->h[s2][0][d.at_h],
        t.h_before[1] = is_plain ? t.h[2] : s->h[s2][2][d.at_h];
        if (own > nowhere) {
            const ptrdiff_t at = row_at + own;
            const int keeps = d.makes_e && j >= r.ja;
            struct around o;
            o.line = T::LINE_E;
#pragma unroll
            for (int n = 0; n < 3; n++) {
                if (has_ids && d.makes_e) ids[n] = pack_ids_read(e.ids[n], at, e.wide);
                o.plane[n] = &s->e[s0][n][d.at_e];
                if (!is_plain || j == begin) t.e[n] = *o.plane[n];
                o.own[n] = t.e[n], o.in_j[n] = s->e[s1][n][d.at_e], t.h[n] = s->h[s0][n][d.at_h];
                t.e_before[n] = t.e[n], t.e[n] = o.in_j[n];
            }
            const auto medium = [&](int n, struct coefficient_pair m[PACK]) {
#pragma unroll
                for (int q = 0; q < PACK; q++) {
                    m[q] = all_h;
                    if (kind != TILE_ANY || !h.wide || q < d.first || q >= d.columns) continue;
                    const unsigned id = id_at(h.ids[n], at + q, h.wide);
                    m[q] = {h.keep[id], h.turn[id]};
                }
            };
            pack_update<0, !is_plain>(t.h, medium, o, rx_h, h.spacing[AY][row], rz_h);
            if (!is_plain) {
                own_reread(&o);
                pack_layers<0, whole, axes>(t.h, medium, o, h, d, j, keeps, of_h);
            }
            if (kind == TILE_ANY && near_w) {
                struct pack driven[3] = {t.h[0], t.h[1], t.h[2]};
                h_drive(driven, w, near_w, h, d, row, at);
#pragma unroll
                for (int n = 0; n < 3; n++) t.h[n] = driven[n];
            }
            near_clear<0>(t.h, (d.near | (j == south) << AY) & axes);
            h_put<is_plain>(s, s0, h, d, t.h);
            if (keeps) packs_write<whole>(h.own, t.h, d, at);
            if (keeps) far_clear<0>(h.own, h, d, (d.far | (j == north) << AY) & axes, at);
            if (has_fetched && j + 1 < r.jb) layers_fetch<axes>(of_h, h, d, j + 1);
        }
        if (has_fetched) copies_close();
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
