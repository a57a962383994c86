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
#include "maxwell/yee_pack.cuh"

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
    if (!s.h.wide) both_launch<T, 1>(s);
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
