/* H and E of a step in one sweep on a GPU: every field is read once and written once, into its other bank.
 *
 * A block owns a tile of the i-k plane and marches along j; a thread has a pack of columns. A row goes so: H from the old E of
 * this row and the next, then E from the new H of this row and the one before. Neighbours in i and k meet in shared memory, those
 * in j in registers, and what the next row needs is on its way while this one is computed. Beyond its tile a block computes H of
 * the column to the west and of the level below again, as their owners do, and so reads what those change: hence the other bank,
 * for the memories of H's layers too.
 *
 *                 columns: -1   | 0 ... COLUMNS - 1 | COLUMNS
 *     level  LEVELS + 1    E    | E                 |            E: old E is in the plane
 *            1 ... LEVELS  E, H | E, H -> new E     | E          H: new H is
 *            0             E    | E, H              | E
 *
 * What lies aside is in packs, too: of the western one the last column counts, of the eastern one the first. So all threads do the
 * same, and nobody's loads wait for another's.
 * SPDX-License-Identifier: MIT */
#include "maxwell/yee.cuh"

extern "C" {
#include "maxwell/incident_parts.h"
#include "maxwell/source.h"
#include "maxwell/yee_both.h"
}

enum { PACK = BOTH_PACK, GROUPS = BOTH_GROUPS, COLUMNS = BOTH_COLUMNS, PITCH = BOTH_PITCH };

/* Threads with 128 registers that a multiprocessor has room for. */
enum { RESIDENT = 512 };

struct __align__(16) pack {
    real v[PACK];
};

/* One row of so many levels: each begins with the western pack. */
template <int levels> struct plane {
    struct pack v[3][PITCH / PACK * levels];
};

/* Two rows of each: one is read while the other is made. */
template <int LEVELS> struct planes {
    struct plane<LEVELS + 2> e[2];
    struct plane<LEVELS + 1> h[2];
};

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

/* A thread's place. */
struct duty {
    int i, k;     /* the first of its columns, and its level, of the domain */
    int at;       /* its pack of planes */
    int first, columns; /* of its pack, those that count: first <= q < columns */
    int shift;    /* by how many columns its pack of memory, which is aligned, begins east of `i` */
    int reads, makes_h, makes_e; /* old E, new H, new E */
};

template <int LEVELS> __device__ static inline struct duty duty_of(const struct half &h, const struct box &b)
{
    const int x = (int)threadIdx.x, row = (int)threadIdx.y, aside = row > LEVELS + 1, east = row == LEVELS + 3;
    const int level = aside ? x : row, column = !aside ? x * PACK : east ? COLUMNS : -PACK, last = h.n[AX] - 1;
    const int i = b.i0 + (int)blockIdx.x * COLUMNS + column, k = b.k0 + (int)blockIdx.y * LEVELS + level - 1;
    const int wraps = i < 0 && h.repeats[AX];
    struct duty d;
    d.i = wraps ? last + 1 - PACK : i;
    d.k = k < 0 && h.repeats[AZ] ? k + h.n[AZ] : k;
    d.at = (level * PITCH + PACK + column) / PACK;
    d.first = aside ? PACK - 1 : 0;
    d.columns = aside ? PACK : SF_MAX(0, SF_MIN(PACK, b.i1 - i));
    d.shift = wraps ? PACK - 1 - last % PACK : 0;
    d.reads = level <= LEVELS + 1 && (i >= 0 || wraps) && d.k >= 0 && i <= b.i1 && k <= b.k1;
    d.makes_h = d.reads && !east && d.columns && k < b.k1 && level <= LEVELS && level >= aside;
    d.makes_e = d.makes_h && level && !aside;
    return d;
}

/* What a thread holds from row to row. */
struct held {
    struct pack next[3];   /* old E of the next row */
    struct pack old[3];    /* H of this one */
    struct pack before[2]; /* new Hx, Hz of the one before */
};

__device__ static inline struct pack pack_at(const real *from) { return *(const struct pack *)from; }

__device__ static inline void e_read(struct held *t, const struct half &h, const struct duty &d, ptrdiff_t at)
{
#pragma unroll
    for (int c = 0; c < 3; c++)
        if (d.reads) t->next[c] = pack_at(h.other[c] + at + d.shift);
}

__device__ static inline void h_read(struct held *t, const struct half &h, const struct duty &d, ptrdiff_t at)
{
#pragma unroll
    for (int c = 0; c < 3; c++)
        if (d.makes_h) t->old[c] = pack_at(h.old[c] + at + d.shift);
}

/* West of a seam that cuts a pack: its last column to the end of the pack. */
__device__ static inline void held_shift(struct held *t, const struct duty &d)
{
#pragma unroll
    for (int c = 0; c < 3; c++)
#pragma unroll
        for (int q = 0; q < PACK - 1; q++) {
            if (d.shift != PACK - 1 - q) continue;
            t->next[c].v[PACK - 1] = t->next[c].v[q], t->old[c].v[PACK - 1] = t->old[c].v[q];
        }
}

template <int LEVELS> __device__ static inline void e_put(struct plane<LEVELS + 2> *to, const struct held *t, const struct duty &d)
{
#pragma unroll
    for (int c = 0; c < 3; c++)
        if (d.reads) to->v[c][d.at] = t->next[c];
}

__device__ static inline real mirrored(real f, int odd) { return odd ? -f : f; }

/* New H, and its mirror images beyond the domain's sides. */
template <int levels>
__device__ static inline void h_put(struct plane<levels> *to, const struct half &h, const struct duty &d, const struct pack made[3])
{
    const int west = d.makes_e && d.i == 0 && !h.repeats[AX], below = d.makes_e && d.k == 0 && !h.repeats[AZ];
#pragma unroll
    for (int c = 0; c < 3; c++) {
        to->v[c][d.at] = made[c];
        if (c != AX && west) to->v[c][d.at - 1].v[PACK - 1] = mirrored(made[c].v[0], h.odd[AX]);
        if (c == AZ || !below) continue;
        struct pack image;
#pragma unroll
        for (int q = 0; q < PACK; q++) image.v[q] = mirrored(made[c].v[q], h.odd[AZ]);
        to->v[c][d.at - PITCH / PACK] = image;
    }
}

/* ---- H ----------------------------------------------------------------------------------------------------------- */

/* Is some column of the pack in a layer along x or z? */
__device__ static inline int layers_near(const struct half &h, const struct duty &d)
{
    return layer_of(d.k, h.n[AZ], h.low[AZ], h.high[AZ]) >= 0 || d.i < h.low[AX] ||
           (d.i + PACK > h.n[AX] - h.high[AX] && d.i < h.n[AX]);
}

/* One column: E of this row, of the next, above and to the east. */
__device__ static inline void h_curl(struct point *p, const real own[3], const real next[3], real x_above, real y_above,
                                     real y_east, real z_east)
{
    p->da[0] = y_above - own[1], p->db[0] = own[2] - next[2];
    p->da[1] = z_east - own[2], p->db[1] = own[0] - x_above;
    p->da[2] = next[0] - own[0], p->db[2] = own[1] - y_east;
}

template <int levels>
__device__ static inline void h_make(struct pack made[3], const struct held *t, const struct plane<levels> &e, const struct half &h,
                                     const struct duty &d, const real r[PACK], real ry, real rz, ptrdiff_t at, int j, int layered,
                                     int keeps)
{
    const int up = d.at + PITCH / PACK;
    const struct pack x = e.v[0][d.at], y = e.v[1][d.at], z = e.v[2][d.at], x_above = e.v[0][up], y_above = e.v[1][up];
    const real y_east = e.v[1][d.at + 1].v[0], z_east = e.v[2][d.at + 1].v[0];
#pragma unroll
    for (int q = 0; q < PACK; q++) {
        const real own[3] = {x.v[q], y.v[q], z.v[q]}, next[3] = {t->next[0].v[q], t->next[1].v[q], t->next[2].v[q]};
        const int ends = q == PACK - 1, counts = q >= d.first && q < d.columns, n = ends ? q : q + 1;
        struct point p;
        struct point_ids media = {{0, 0, 0}};
        if (h.wide && counts) media = ids_read(h, at + q, h.wide);
        media_take(&p, h, &media);
#pragma unroll
        for (int c = 0; c < 3; c++) p.f[c] = t->old[c].v[q];
        h_curl(&p, own, next, x_above.v[q], y_above.v[q], ends ? y_east : y.v[n], ends ? z_east : z.v[n]);
        point_update<0>(&p, r[q], ry, rz);
        if (layered && counts) point_layers<0>(&p, h, d.i + q, j, d.k, keeps);
#pragma unroll
        for (int c = 0; c < 3; c++) made[c].v[q] = p.f[c];
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

/* ---- E ----------------------------------------------------------------------------------------------------------- */

__device__ static inline void e_curl(struct point *p, const real own[3], real x_before, real z_before, real x_below,
                                     real y_below, real y_west, real z_west)
{
    p->da[0] = own[2] - z_before, p->db[0] = y_below - own[1];
    p->da[1] = own[0] - x_below, p->db[1] = z_west - own[2];
    p->da[2] = own[1] - y_west, p->db[2] = x_before - own[0];
}

template <int wide, int levels>
__device__ static inline void e_make(struct pack made[3], const struct held *t, const struct pack own_h[3],
                                     const struct plane<levels> &h, const struct plane<levels + 1> &old, const struct half &e,
                                     const struct duty &d, const struct id_words<wide> ids[3], const real r[PACK], real ry, real rz,
                                     int j, int layered)
{
    const int below = d.at - PITCH / PACK;
    const struct pack x_below = h.v[0][below], y_below = h.v[1][below];
    const struct pack own_e[3] = {old.v[0][d.at], old.v[1][d.at], old.v[2][d.at]};
    const real y_west = h.v[1][d.at - 1].v[PACK - 1], z_west = h.v[2][d.at - 1].v[PACK - 1];
#pragma unroll
    for (int q = 0; q < PACK; q++) {
        const real own[3] = {own_h[0].v[q], own_h[1].v[q], own_h[2].v[q]};
        const int n = q ? q - 1 : 0;
        struct point p;
        struct point_ids media = {{0, 0, 0}};
#pragma unroll
        for (int c = 0; c < 3; c++) {
            if (wide) media.id[c] = words_id<wide>(ids[c], q);
            p.f[c] = own_e[c].v[q];
        }
        if (q >= d.columns) continue;
        media_take(&p, e, &media);
        e_curl(&p, own, t->before[0].v[q], t->before[1].v[q], x_below.v[q], y_below.v[q], q ? own_h[1].v[n] : y_west,
               q ? own_h[2].v[n] : z_west);
        point_update<1>(&p, r[q], ry, rz);
        if (layered) point_layers<1>(&p, e, d.i + q, j, d.k, 1);
#pragma unroll
        for (int c = 0; c < 3; c++) made[c].v[q] = p.f[c];
    }
}

__device__ static inline void packs_write(real *const to[3], const struct pack v[3], const struct duty &d, ptrdiff_t at)
{
#pragma unroll
    for (int c = 0; c < 3; c++) {
        if (d.columns == PACK) *(struct pack *)(to[c] + at) = v[c];
#pragma unroll
        for (int q = 0; q < PACK - 1; q++)
            if (d.columns < PACK && q < d.columns) to[c][at + q] = v[c].v[q];
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

template <int wide>
__device__ static inline void ids_take(struct id_words<wide> ids[3], const struct half &e, const struct duty &d, ptrdiff_t at)
{
#pragma unroll
    for (int c = 0; c < 3; c++)
        if (wide && d.makes_e) words_read<wide>(&ids[c], e.ids[c], at);
}

__device__ static inline void spacings_take(real r[PACK], const struct half &h, const struct duty &d)
{
#pragma unroll
    for (int q = 0; q < PACK; q++) r[q] = q >= d.first && q < d.columns && d.makes_h ? h.spacing[AX][d.i + q] : R(0.0);
}

template <int LEVELS, int wide_e, int is_driven>
__global__ static void __launch_bounds__(BOTH_THREADS(LEVELS), RESIDENT / BOTH_THREADS(LEVELS))
    both_halves(const __grid_constant__ struct half h, const __grid_constant__ struct half e,
                const __grid_constant__ struct drives w, const struct box b, int rows)
{
    typedef struct planes<LEVELS> of_tile;
    SF_SHARED(of_tile, s);
    const struct duty d = duty_of<LEVELS>(h, b);
    const int ja = b.j0 + (int)blockIdx.z * rows, jb = SF_MIN(ja + rows, b.j1), first = ja > 0 || h.repeats[AY] > 1 ? ja - 1 : ja;
    const int near_h = layers_near(h, d), near_e = layers_near(e, d);
    const unsigned near_w = is_driven ? drives_near(w, d) : 0;
    const real rz_h = d.makes_h ? h.spacing[AZ][d.k] : R(0.0), rz_e = d.makes_h ? e.spacing[AZ][d.k] : R(0.0);
    ptrdiff_t at = (ptrdiff_t)(first - h.j0) * h.sj + d.k * h.sk + d.i;
    real rx_h[PACK], rx_e[PACK];
    struct held t = {};
    struct id_words<wide_e> ids[3];
    spacings_take(rx_h, h, d);
    spacings_take(rx_e, e, d);
    e_read(&t, h, d, at);
    if (d.shift) held_shift(&t, d);
    e_put<LEVELS>(&s->e[0], &t, d);
    e_read(&t, h, d, at + h.sj);
    h_read(&t, h, d, at);
    ids_take<wide_e>(ids, e, d, at);
    __syncthreads();
    for (int j = first, row = place_row(first, h.repeats[AY]), q = 0; j < jb; j++, q ^= 1, at += h.sj) {
        const int of_y = layer_of(j, h.n[AY], h.low[AY], h.high[AY]) >= 0, is_made = d.makes_e && j >= ja;
        struct pack new_h[3], new_e[3];
        if (d.shift) held_shift(&t, d);
        if (d.makes_h) {
            h_make(new_h, &t, s->e[q], h, d, rx_h, h.spacing[AY][row], rz_h, at, j, near_h || of_y, is_made);
            if (is_driven && near_w) h_drive(new_h, w, near_w, h, d, row, at);
            h_put(&s->h[q], h, d, new_h);
        }
        e_put<LEVELS>(&s->e[q ^ 1], &t, d);
        const struct id_words<wide_e> now[3] = {ids[0], ids[1], ids[2]};
        if (j + 1 < jb) {
            e_read(&t, h, d, at + 2 * h.sj);
            h_read(&t, h, d, at + h.sj);
            ids_take<wide_e>(ids, e, d, at + h.sj);
        }
        __syncthreads();
        if (j == 0 && h.repeats[AY] <= 1) /* a mirror image, or the one row that there is */
            for (int n = 0; n < PACK; n++) {
                t.before[0].v[n] = mirrored(new_h[0].v[n], h.odd[AY]);
                t.before[1].v[n] = mirrored(new_h[2].v[n], h.odd[AY]);
            }
        if (is_made) {
            packs_write(h.own, new_h, d, at);
            e_make<wide_e>(new_e, &t, new_h, s->h[q], s->e[q], e, d, now, rx_e, e.spacing[AY][row], rz_e, j, near_e || of_y);
            packs_write(e.own, new_e, d, at);
        }
        t.before[0] = new_h[0], t.before[1] = new_h[2];
        row = row + 1 == h.repeats[AY] ? 0 : row + 1;
    }
}

/* What a launch is made of. */
struct sweep {
    struct half h, e;
    struct drives w;
    struct box b;
    int rows; /* of a block */
    void *stream;
};

template <int LEVELS, int wide_e> static void drives_launch(const struct sweep &s)
{
    const dim3 block(GROUPS, LEVELS + 4);
    const dim3 grid((unsigned)(s.b.i1 - s.b.i0 + COLUMNS - 1) / COLUMNS, (unsigned)(s.b.k1 - s.b.k0 + LEVELS - 1) / LEVELS,
                    (unsigned)(s.b.j1 - s.b.j0 + s.rows - 1) / (unsigned)s.rows);
    const size_t bytes = sizeof(struct planes<LEVELS>);
    if (s.w.n) SF_LAUNCH_BLOCKS((both_halves<LEVELS, wide_e, 1>), grid, block, bytes, s.stream, s.h, s.e, s.w, s.b, s.rows);
    else SF_LAUNCH_BLOCKS((both_halves<LEVELS, wide_e, 0>), grid, block, bytes, s.stream, s.h, s.e, s.w, s.b, s.rows);
}

template <int LEVELS> static void both_launch(const struct sweep &s)
{
    static_assert(sizeof(struct planes<LEVELS>) == BOTH_SHARED(LEVELS), "the shapes that are told are those that run");
    if (s.e.wide == 0) drives_launch<LEVELS, 0>(s);
    else if (s.e.wide == 1) drives_launch<LEVELS, 1>(s);
    else drives_launch<LEVELS, 2>(s);
}

/* Where no shape was chosen: blocks enough for the device, but rows enough that the one before them, computed again, costs
 * little. */
static int rows_picked(const struct box &b)
{
    enum { BLOCKS = 1024, ROWS_LEAST = 4 };
    const int nj = b.j1 - b.j0, tiles = (b.i1 - b.i0 + COLUMNS - 1) / COLUMNS * ((b.k1 - b.k0 + BOTH_HIGH - 1) / BOTH_HIGH);
    const int parts = SF_MAX(1, SF_MIN((BLOCKS + tiles - 1) / tiles, nj / ROWS_LEAST));
    return (nj + parts - 1) / parts;
}

extern "C" void yee_both_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    const struct candidate *const shape = both_choice < 0 ? NULL : &both_candidate[both_choice];
    struct sweep w;
    if (b.i0 >= b.i1 || b.k0 >= b.k1 || b.j0 >= b.j1) return;
    if (x->incident) incident_values_launch(x->incident, b.j0 - 1, b.j1, c->pass_step, stream);
    w.h = half_make(s, x, 0), w.e = half_make(s, x, 1), w.w = drives_make(x, c->pass_step), w.b = b, w.stream = stream;
    w.rows = !shape ? rows_picked(b) : shape->rows ? shape->rows : b.j1 - b.j0;
    if (shape ? shape->tile_k == BOTH_LOW : b.k1 - b.k0 <= BOTH_LOW) both_launch<BOTH_LOW>(w);
    else both_launch<BOTH_HIGH>(w);
}
