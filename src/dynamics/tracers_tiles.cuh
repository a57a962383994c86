/* Stages of tracers.sf by tiles of the i-j plane that go up along k. Each face is computed once: by the thread
 * of the cell above it, along y between the rows of a thread and along z from level to level; the eastern face of a
 * cell comes from the lane beside it, that of the last cell of a row from a lane that computes it beside its own.
 *
 * A block has a tile of 32 columns for one tracer; blocks of all tracers of a tile are neighbours, so that they find
 * the wind in the cache. What a level reads comes to shared memory behind the computing, DEEP levels before it is
 * needed: boxes of the tracer with all that lines along x and y reach, of the wind, and behind the first stage of
 * the tracer as it was at the start of the step. Lines along z are in registers, six values of each row. One barrier a
 * level.
 *
 * Cloud and rain are absent from most of a domain. At each barrier threads say whether what came is anything but 0 (its
 * bits, for -0 is not 0 here). Where all that a level may reach is 0, nothing is computed, and no wind is brought: the
 * formulas would give 0, and the factor 1.
 *
 * Tiles are whole: the last ones of a box begin so early that they end with it, and compute some cells twice. Levels of
 * a block are so few that the device has many more blocks than it holds at once: those without a tracer end soon, and
 * the last of the others should not be waited for long.
 *
 * Next to open sides what lies beyond them is put into the box of a level before the level is computed.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/tracers.h"
#include "dynamics/tracers_made.h"
#include "pipeline/copies.cuh"
#include "pipeline/warp.cuh"

#include <stddef.h>

struct carry_tile {
    enum {
        LANES = 32,
        ROWS = SF_PREC == 64 ? 1 : 2, /* of a warp */
        WARPS = 8,
        ALONG = ROWS * WARPS,
        THREADS = LANES * WARPS,
        BLOCKS = SF_PREC == 64 ? 2 : 3, /* of a multiprocessor at least: so many registers may a thread have */
        SIDE = 3,
        PIECE = 16 / REAL, /* what is copied at once */
        PITCH = (LANES + 2 * SIDE + 2 * PIECE - 2) / PIECE * PIECE, /* of a box, which begins where a piece does */
        BOX_ROWS = ALONG + 2 * SIDE,
        PIECES = PITCH / PIECE,
        ROUNDS = (PIECES * BOX_ROWS + THREADS - 1) / THREADS,
        DEEP = 2, /* what comes at level k + DEEP is asked for at level k */
        UP = 4, /* a level reads the tracer so far above it */
        NOW = 1 + UP + DEEP, /* boxes of the tracer: of k .. k + UP, and on their way */
        WIND = 1 + DEEP,
        START = 3 + DEEP, /* of k - 1 .. k + 1, and on their way */
        LEAST = 16, /* levels of a block, where the device would hold more blocks at once */
        MOST = 32
    };
};

/* Numbers of a level: what faces' winds are multiplied by, and weights of mixing. In shared memory, for a thread has no
 * register left for them. */
struct alignas(4 * sizeof(real)) carry_level {
    real bottom, top;
    struct pair mix;
    real x, y, mix_x, mix_y;
};

/* What is asked next to open sides alone: where the tile is in a domain of ni x nj cells, which sides are open (a bit
 * each), wind on the first level of the block, and what comes with the air that enters. */
struct alignas(16) carry_side {
    int i0, j0, ni, nj, open, off;
    unsigned row;
    ptrdiff_t sk;
    const real *u, *v;
    real inflow[carry_tile::MOST];
};

/* w: through the upper faces. start: for the first stage there is none. */
struct carry_shared {
    struct carry_level level[carry_tile::MOST];
    struct carry_side side;
    real now[carry_tile::NOW][carry_tile::BOX_ROWS][carry_tile::PITCH];
    real u[carry_tile::WIND][carry_tile::ALONG][carry_tile::PITCH];
    real v[carry_tile::WIND][carry_tile::ALONG + 1][carry_tile::PITCH];
    real w[carry_tile::WIND][carry_tile::ALONG][carry_tile::PITCH];
    real start[carry_tile::START][carry_tile::ALONG + 2][carry_tile::PITCH];
};

/* Where a block is. Elements are counted in bytes from the south-western corner of its box, on its first level: so that
 * they have no sign, and 32 bits. Levels are counted from there, too. */
struct carry_block {
    unsigned row; /* from row to row */
    int off; /* columns of the box before those that the tile reaches */
    ptrdiff_t sk;
    const real *u, *v, *w;
    struct carry_member q;
    int levels, top; /* the highest that a line along z reaches */
    int is_side; /* 1 where it reaches beyond an open side, 2 where air that enters there brings something */
};
__device__ static inline unsigned element_of(unsigned row, int off, int i, int j)
{
    return (unsigned)(j + carry_tile::SIDE) * row + (unsigned)(i + off + carry_tile::SIDE) * (unsigned)REAL;
}

__device__ static inline real value_at(const real *p, unsigned element)
{
    return *(const real *)((const char *)p + element);
}

/* What a kernel of a stage knows at compile time. */
template <int form> struct carry_form {
    enum {
        KIND = form & CARRY_KIND,
        HAS_MIXING = (form & CARRY_KIND) != MIX_NONE,
        IS_FIRST = (form & CARRY_STAGE) == CARRY_FIRST,
        IS_LAST = (form & CARRY_STAGE) == CARRY_SHARE,
        IS_OPEN = (form & MADE_SIDES) != 0, /* some side of the domain is */
        BYTES = IS_FIRST ? offsetof(struct carry_shared, start) : sizeof(struct carry_shared)
    };
};

/* ---- what comes ---------------------------------------------------------------------------------------------------
 */

#if SF_PREC == 64
typedef unsigned long long carry_bits;
__device__ static inline carry_bits bits_of(real x) { return (carry_bits)__double_as_longlong(x); }
#else
typedef unsigned carry_bits;
__device__ static inline carry_bits bits_of(real x) { return __float_as_uint(x); }
#endif

/* 1: for some thread of the block. The vote tells the compiler that a warp goes one way. */
__device__ static inline int block_any(int is) { return __any_sync(0xffffffffu, __syncthreads_or(is)); }

/* Which of the levels behind brought something that this one may reach: the last barriers, the newest in bit 0. That of
 * level k tells of the tracer on level k + 5, and of the start of the step on level k + 2. */
enum { CARRY_BEHIND = 0xff };

/* What a thread brings: a piece of each box, in the same place of all that have its row. */
struct carry_piece {
    unsigned from; /* bytes from the corner of a level */
    unsigned to; /* bytes from the beginning of a box that has all rows; 0 is where it begins */
    int boxes; /* which boxes have it */
};
enum { BOX_NOW = 1, BOX_UW = 2, BOX_V = 4, BOX_START = 8 /* of the second stage what is in the tile */ };

template <int form> __device__ static inline struct carry_piece piece_of(const struct carry_block &t, int n)
{
    typedef carry_tile T;
    const int row = n / T::PIECES, i = n % T::PIECES * T::PIECE;
    const int is_needed = n < T::PIECES * T::BOX_ROWS && i < t.off + T::LANES + 2 * T::SIDE;
    const int is_wind = i + T::PIECE > t.off + T::SIDE && i <= t.off + T::SIDE + T::LANES && row >= T::SIDE;
    const int boxes = BOX_NOW | (is_wind && row < T::SIDE + T::ALONG ? BOX_UW : 0) |
                      (is_wind && row <= T::SIDE + T::ALONG ? BOX_V : 0) |
                      ((carry_form<form>::IS_LAST ? row >= T::SIDE - 1 && row <= T::SIDE + T::ALONG
                                                  : is_wind && row < T::SIDE + T::ALONG)
                           ? BOX_START
                           : 0);
    return {(unsigned)row * t.row + (unsigned)i * (unsigned)REAL, (unsigned)(row * T::PITCH + i) * (unsigned)REAL,
            is_needed ? boxes : 0};
}

/* Bytes of a box of so many rows, and of those of a ring before its first row, which is row `first` of all. */
template <int ROWS> struct carry_box {
    enum { BYTES = ROWS * carry_tile::PITCH * REAL };
};
enum {
    ROWS_BEFORE_WIND = carry_tile::SIDE * carry_tile::PITCH * REAL,
    ROWS_BEFORE_START = (carry_tile::SIDE - 1) * carry_tile::PITCH * REAL
};

__device__ static inline void piece_ask(const struct carry_piece &p, int box, void *to, const real *from)
{
    if (p.boxes & box) copy_piece_of_line((char *)to + p.to, (const char *)from + p.from);
}
__device__ static inline carry_bits piece_bits(const struct carry_piece &p, int box, const void *of)
{
    carry_bits all = 0;
    if (!(p.boxes & box)) return all;
    const points<carry_tile::PIECE> x = *(const points<carry_tile::PIECE> *)((const char *)of + p.to);
#pragma unroll
    for (int m = 0; m < carry_tile::PIECE; m++) all |= bits_of(x.at[m]);
    return all;
}

/* Boxes of so many bytes in a ring; at: that of level k. */
template <int BYTES, int PLACES> struct carry_ring {
    char *first;
    unsigned at;
    __device__ char *of(int n) const
    {
        const unsigned x = at + (unsigned)(n * BYTES);
        return first + (x < BYTES * PLACES ? x : x - BYTES * PLACES);
    }
    __device__ void up(void) { at = at + BYTES < BYTES * PLACES ? at + BYTES : 0; }
};
struct carry_rings {
    typedef carry_tile T;
    carry_ring<carry_box<T::BOX_ROWS>::BYTES, T::NOW> now;
    carry_ring<carry_box<T::ALONG>::BYTES, T::WIND> u, w;
    carry_ring<carry_box<T::ALONG + 1>::BYTES, T::WIND> v;
    carry_ring<carry_box<T::ALONG + 2>::BYTES, T::START> start;
    __device__ void up(void) { now.up(), u.up(), v.up(), w.up(), start.up(); }
};

/* Of the levels n above level k. `above`: a field n levels further up. */
__device__ static inline void winds_ask(const struct carry_piece &p, const struct carry_rings &at, int n, const real *u,
                                        const real *v, const real *w)
{
    piece_ask(p, BOX_UW, at.u.of(n) - ROWS_BEFORE_WIND, u), piece_ask(p, BOX_V, at.v.of(n) - ROWS_BEFORE_WIND, v);
    piece_ask(p, BOX_UW, at.w.of(n) - ROWS_BEFORE_WIND, w);
}

/* ---- a level ------------------------------------------------------------------------------------------------------
 */

/* What a thread keeps of a row from level to level: q from k - 2 to k + 3, the face below and the wind through it. */
struct carry_column {
    real q[6], w;
    struct face_flux below;
};

/* What a level reads in shared memory, from the thread's first row and column on. */
struct carry_seen {
    const real *now, *u, *v, *w, *start_below, *start, *start_above;
};

/* The face east of the tile in row `lane` of the warp's, by that lane; others do the same of other rows. */
template <int form>
__device__ static inline struct face_flux east_of(const struct carry_seen &s, const struct carry_level &l, int lane)
{
    typedef carry_tile T;
    typedef carry_form<form> F;
    const int at = lane % T::ROWS * T::PITCH + T::LANES - lane;
    const real *const q = s.now + at;
    const real u = s.u[at];
    struct face_flux f = face_of(F::KIND, u, {q[-3], q[-2], q[-1], q[0], q[1], q[2]});
    if (F::IS_LAST) f.value = flux_added(F::KIND, l.x * u, l.mix_x, face_beyond(f, u, s.start[at - 1], s.start[at]));
    return f;
}

/* A level of a thread's rows. to: where they go. */
template <int form>
__device__ static inline void level_carry(const struct carry_seen &s, const struct carry_level &l,
                                          struct carry_column *c, real *to, real *factor, unsigned row, int lane)
{
    typedef carry_tile T;
    typedef carry_form<form> F;
    const int P = T::PITCH;
    const struct face_flux east = east_of<form>(s, l, lane);
    /* Along y: rows -3 .. ROWS + 2 of the thread's; in the last stage of the start rows -1 .. ROWS. */
    real y[T::ROWS + 2 * T::SIDE], before[T::ROWS + 2], wind[T::ROWS + 1];
    struct face_flux south[T::ROWS + 1];
#pragma unroll
    for (int r = 0; r < T::ROWS + 2 * T::SIDE; r++)
        y[r] = r < T::SIDE || r >= T::ROWS + T::SIDE ? s.now[(r - T::SIDE) * P] : c[r - T::SIDE].q[2];
#pragma unroll
    for (int r = 0; r < T::ROWS + 2; r++)
        before[r] = F::IS_FIRST || (!F::IS_LAST && (r == 0 || r == T::ROWS + 1)) ? R(0.0) : s.start[(r - 1) * P];
#pragma unroll
    for (int r = 0; r <= T::ROWS; r++) {
        wind[r] = s.v[r * P];
        south[r] = face_of(F::KIND, wind[r], {y[r], y[r + 1], y[r + 2], y[r + 3], y[r + 4], y[r + 5]});
        if (F::IS_LAST)
            south[r].value =
                flux_added(F::KIND, l.y * wind[r], l.mix_y, face_beyond(south[r], wind[r], before[r], before[r + 1]));
    }
#pragma unroll
    for (int r = 0; r < T::ROWS; r++) {
        const real *const x = s.now + r * P;
        const real u_low = s.u[r * P], u_high = s.u[r * P + 1], w_high = s.w[r * P], now = c[r].q[2];
        const struct pairs_around m = {
            {l.x * u_low, l.x * u_high}, {l.y * wind[r], l.y * wind[r + 1]}, {l.bottom * c[r].w, l.top * w_high}};
        struct face_flux west = face_of(F::KIND, u_low, {x[-3], x[-2], x[-1], now, x[1], x[2]}), next;
        struct face_flux above =
            face_of(F::KIND, w_high, {c[r].q[0], c[r].q[1], c[r].q[2], c[r].q[3], c[r].q[4], c[r].q[5]});
        const struct face_flux last = {warp_of_lane(east.value, r),
                                       !F::IS_LAST && F::HAS_MIXING ? warp_of_lane(east.mixed, r) : R(0.0)};
        if (!F::IS_LAST) {
            next.value = warp_behind(west.value), next.mixed = F::HAS_MIXING ? warp_behind(west.mixed) : R(0.0);
            if (lane == T::LANES - 1) next = last;
            const struct faces_around f = {{west, next}, {south[r], south[r + 1]}, {c[r].below, above}};
            const real from = F::IS_FIRST ? now : before[r + 1];
            *moved(to, r * row) = tracer_carried(F::KIND, from, now, f, m, {l.mix_x, l.mix_y, l.mix});
        } else {
            const real start = before[r + 1], start_west = s.start[r * P - 1], start_east = s.start[r * P + 1],
                       start_below = s.start_below[r * P], start_above = s.start_above[r * P];
            west.value = flux_added(F::KIND, m.x.low, l.mix_x, face_beyond(west, u_low, start_west, start));
            next.value = warp_behind(west.value);
            if (lane == T::LANES - 1) next.value = last.value;
            above = face_beyond(above, w_high, start, start_above);
            const struct pairs_around a = {{west.value, next.value},
                                           {south[r].value, south[r + 1].value},
                                           {flux_added(F::KIND, m.z.low, l.mix.low, c[r].below),
                                            flux_added(F::KIND, m.z.high, l.mix.high, above)}};
            const struct lines3 q = {
                {start_west, start, start_east}, {before[r], start, before[r + 2]}, {start_below, start, start_above}};
            const struct limited x_of = tracer_limited(q, now, a, m);
            *moved(factor, r * row) = tracer_share(x_of);
            *moved(to, r * row) = sf_audible(tracer_whole(x_of));
        }
        c[r].w = w_high, c[r].below = above;
    }
}

/* The same where all that the level reaches is 0. */
template <int form> __device__ static inline void level_clear(real *to, real *factor, unsigned row)
{
#pragma unroll
    for (int r = 0; r < carry_tile::ROWS; r++) {
        *moved(to, r * row) = R(0.0);
        if (carry_form<form>::IS_LAST) *moved(factor, r * row) = R(1.0);
    }
}

/* ---- beyond open sides --------------------------------------------------------------------------------------------
 *
 * Columns beyond are for lines along x, rows for lines along y: no cell beyond two sides is read. */

/* Of a box that has come, k levels above the block's first, and that reaches SPAN cells either way. Thread ALONG n + m
 * has column n beyond the western or eastern side in row m, thread LANES n + m row n beyond the southern or northern
 * one in column m. */
template <int SPAN> __device__ static inline void box_fill_beyond(const struct carry_side *o, void *box, int k)
{
    typedef carry_tile T;
    const int thread = (int)threadIdx.x;
    real *const first = (real *)box + SPAN * T::PITCH + o->off + T::SIDE;
    const real inflow = o->inflow[k];
    {
        const int row = thread % T::ALONG, n = thread / T::ALONG, is_low = n < SPAN, m = is_low ? n : n - SPAN,
                  at = (is_low ? -1 - m : o->ni + m) - o->i0;
        if (n < 2 * SPAN && (o->open >> (is_low ? FACE_W : FACE_E) & 1) && at >= -SPAN && at < T::LANES + SPAN) {
            const int face = (is_low ? 0 : o->ni) - o->i0, edge = is_low ? face : face - 1, way = is_low ? 1 : -1;
            real *const q = first + row * T::PITCH;
            const real u = value_at(o->u + k * o->sk, element_of(o->row, o->off, face, row));
            q[at] = beyond_open((real)way * u, inflow, q[edge], q[edge + way], m + 1);
        }
    }
    {
        const int lane = thread % T::LANES, n = thread / T::LANES, is_low = n < SPAN, m = is_low ? n : n - SPAN,
                  at = (is_low ? -1 - m : o->nj + m) - o->j0;
        if (n < 2 * SPAN && (o->open >> (is_low ? FACE_S : FACE_N) & 1) && at >= -SPAN && at < T::ALONG + SPAN) {
            const int face = (is_low ? 0 : o->nj) - o->j0, edge = is_low ? face : face - 1, way = is_low ? 1 : -1;
            real *const q = first + lane;
            const real v = value_at(o->v + k * o->sk, element_of(o->row, o->off, lane, face));
            q[at * T::PITCH] =
                beyond_open((real)way * v, inflow, q[edge * T::PITCH], q[(edge + way) * T::PITCH], m + 1);
        }
    }
}

/* ---- a block ------------------------------------------------------------------------------------------------------
 */

/* Rows below the first level, which has come; `own`: their element on it. */
template <int form>
__device__ static inline carry_bits rows_begin(const struct carry_block &t, const struct carry_shared *s, int line,
                                               int column, unsigned own, struct carry_column *c)
{
    typedef carry_tile T;
    typedef carry_form<form> F;
    carry_bits all = 0;
#pragma unroll
    for (int r = 0; r < T::ROWS; r++) {
        const real *const q = moved(t.q.now, own + r * t.row);
        real below[T::SIDE];
#pragma unroll
        for (int m = 0; m < T::SIDE; m++) below[m] = q[(m - T::SIDE) * t.sk], all |= bits_of(below[m]);
        c[r].q[0] = below[1], c[r].q[1] = below[2];
#pragma unroll
        for (int m = 0; m < 4; m++) c[r].q[2 + m] = s->now[m][line + r + T::SIDE][column];
        c[r].w = value_at(t.w, own + r * t.row);
        c[r].below = face_of(F::KIND, c[r].w, {below[0], c[r].q[0], c[r].q[1], c[r].q[2], c[r].q[3], c[r].q[4]});
        if (F::IS_LAST)
            c[r].below = face_beyond(c[r].below, c[r].w, s->start[T::START - 1][line + r + 1][column],
                                     s->start[0][line + r + 1][column]);
    }
    return all;
}

template <int form>
__device__ static inline void rows_run(const struct carry_block &t, struct carry_shared *s, int thread)
{
    typedef carry_tile T;
    typedef carry_form<form> F;
    const int lane = thread % T::LANES, line = thread / T::LANES * T::ROWS, column = t.off + T::SIDE + lane;
    const int start_top = t.top - T::SIDE + (F::IS_LAST ? 1 : 0); /* the highest level that is read of the start */
    const unsigned own = element_of(t.row, t.off, lane, line);
    const ptrdiff_t sk = t.sk;
    struct carry_piece p[T::ROUNDS];
    struct carry_rings at = {
        {(char *)s->now, 0}, {(char *)s->u, 0}, {(char *)s->w, 0}, {(char *)s->v, 0}, {(char *)s->start, 0}};
    struct carry_column c[T::ROWS];
    carry_bits came = F::IS_OPEN && t.is_side > 1;

#pragma unroll
    for (int r = 0; r < T::ROUNDS; r++) p[r] = piece_of<form>(t, thread + r * T::THREADS);
    const int start_low = F::IS_LAST ? -1 : 0; /* the lowest level that the first one reads of the start, to 1 */
    for (int n = 0; n < T::UP + T::DEEP; n++) {
        const int up = n - T::UP + 1;
#pragma unroll
        for (int r = 0; r < T::ROUNDS; r++) {
            if (n <= t.top) piece_ask(p[r], BOX_NOW, s->now[n], t.q.now + n * sk);
            for (int m = n ? up : start_low; !F::IS_FIRST && m <= SF_MAX(up, 0); m++)
                if ((m > 0 || !n) && m <= start_top)
                    piece_ask(p[r], BOX_START, at.start.of(m < 0 ? T::START - 1 : m) - ROWS_BEFORE_START,
                              t.q.start + m * sk);
        }
        if (n >= T::UP) copies_close();
    }
    copies_wait<T::DEEP - 1>();
#pragma unroll
    for (int r = 0; r < T::ROUNDS; r++) {
        for (int n = 0; n <= T::UP; n++)
            if (n <= t.top) came |= piece_bits(p[r], BOX_NOW, s->now[n]);
        for (int n = start_low; n < 2 && !F::IS_FIRST; n++)
            if (n <= start_top)
                came |= piece_bits(p[r], BOX_START, at.start.of(n < 0 ? T::START - 1 : n) - ROWS_BEFORE_START);
    }
    __syncthreads();
    came |= rows_begin<form>(t, s, line, column, own, c);
    if (F::IS_OPEN && t.is_side) {
        box_fill_beyond<T::SIDE>(&s->side, s->now[0], 0);
        if (F::IS_LAST) box_fill_beyond<1>(&s->side, s->start[0], 0);
    }
    int behind = block_any(came != 0) ? CARRY_BEHIND : 0;

    const unsigned in_now = (unsigned)((line + T::SIDE) * T::PITCH + column) * (unsigned)REAL,
                   in_wind = (unsigned)(line * T::PITCH + column) * (unsigned)REAL,
                   in_start = (unsigned)((line + 1) * T::PITCH + column) * (unsigned)REAL;
    const real *now_up = t.q.now + (T::UP + T::DEEP) * sk, *start_up = t.q.start + (1 + T::DEEP) * sk, *u = t.u,
               *v = t.v, *w = t.w;
    real *to = t.q.to, *factor = t.q.factor;
    int is_running = 0; /* winds of the level have been asked for */
#pragma unroll 1
    for (int k = 0; k < t.levels; k++, at.up()) {
        if (behind && !is_running) {
#pragma unroll 1
            for (int n = 0; n < T::DEEP; n++)
#pragma unroll
                for (int r = 0; r < T::ROUNDS && k + n < t.levels; r++)
                    winds_ask(p[r], at, n, u + n * sk, v + n * sk, w + (n + 1) * sk);
            copies_close(), copies_wait<0>();
            __syncthreads();
            if (k > 0) /* behind levels that were passed over */
#pragma unroll
                for (int r = 0; r < T::ROWS; r++) c[r].w = value_at(w, own + r * t.row), c[r].below = {R(0.0), R(0.0)};
        }
#pragma unroll
        for (int r = 0; r < T::ROUNDS; r++) {
            if (k + T::UP + T::DEEP <= t.top) piece_ask(p[r], BOX_NOW, at.now.of(T::UP + T::DEEP), now_up);
            if (!F::IS_FIRST && k + 1 + T::DEEP <= start_top)
                piece_ask(p[r], BOX_START, at.start.of(1 + T::DEEP) - ROWS_BEFORE_START, start_up);
            if (behind && k + T::DEEP < t.levels)
                winds_ask(p[r], at, T::DEEP, u + T::DEEP * sk, v + T::DEEP * sk, w + (T::DEEP + 1) * sk);
        }
        is_running = behind;
        copies_close();
        if (behind) {
            const struct carry_seen seen = {(const real *)(at.now.of(0) + in_now),
                                            (const real *)(at.u.of(0) + in_wind),
                                            (const real *)(at.v.of(0) + in_wind),
                                            (const real *)(at.w.of(0) + in_wind),
                                            (const real *)(at.start.of(T::START - 1) + in_start),
                                            (const real *)(at.start.of(0) + in_start),
                                            (const real *)(at.start.of(1) + in_start)};
            level_carry<form>(seen, s->level[k], c, moved(to, own), F::IS_LAST ? moved(factor, own) : NULL, t.row,
                              lane);
        } else level_clear<form>(moved(to, own), F::IS_LAST ? moved(factor, own) : NULL, t.row);
        if (F::IS_OPEN && t.is_side && k + 1 < t.levels) {
            box_fill_beyond<T::SIDE>(&s->side, at.now.of(1), k + 1);
            if (F::IS_LAST) box_fill_beyond<1>(&s->side, at.start.of(1), k + 1);
        }
        now_up += sk, start_up += sk, u += sk, v += sk, w += sk, to += sk;
        if (F::IS_LAST) factor += sk;
        const real *const coming = (const real *)(at.now.of(T::UP) + in_now);
#pragma unroll
        for (int r = 0; r < T::ROWS; r++) {
#pragma unroll
            for (int m = 0; m < 5; m++) c[r].q[m] = c[r].q[m + 1];
            c[r].q[5] = coming[r * T::PITCH];
        }
        copies_wait<T::DEEP - 1>();
        came = F::IS_OPEN && t.is_side > 1;
#pragma unroll
        for (int r = 0; r < T::ROUNDS; r++) {
            if (k + 1 + T::UP <= t.top) came |= piece_bits(p[r], BOX_NOW, at.now.of(1 + T::UP));
            if (!F::IS_FIRST && k + 2 <= start_top)
                came |= piece_bits(p[r], BOX_START, at.start.of(2) - ROWS_BEFORE_START);
        }
        behind = (behind << 1 | block_any(came != 0)) & CARRY_BEHIND;
    }
}

template <int form>
__global__ void __launch_bounds__(carry_tile::THREADS, carry_tile::BLOCKS)
    carry_tiles(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct call) call,
                SF_ARGUMENT(struct dynamics) d, SF_ARGUMENT(struct members) all, int across, int levels)
{
    launch_wait();
    typedef carry_tile T;
    SF_SHARED(struct carry_shared, shared);
    const int thread = (int)threadIdx.x;
    const int members = (int)all.n, n = (int)blockIdx.x % members, tile = (int)blockIdx.x / members;
    const int i0 = SF_MIN(b.i0 + tile % across * T::LANES, b.i1 - T::LANES),
              j0 = SF_MIN(b.j0 + tile / across * T::ALONG, b.j1 - T::ALONG);
    const int west = (i0 - T::SIDE) & -T::PIECE;
    const int k0 = b.k0 + (int)blockIdx.y * levels;
    const ptrdiff_t corner = (j0 - T::SIDE - s.j0) * s.sj + west + k0 * s.sk;
    struct carry_block t;
    t.levels = SF_MIN(levels, b.k1 - k0), t.top = b.k1 - k0 + T::SIDE - 1;
    t.row = (unsigned)s.sj * (unsigned)REAL, t.off = i0 - T::SIDE - west, t.sk = s.sk;
    t.u = s.f[F_U] + corner, t.v = s.f[F_V] + corner, t.w = s.f[F_W] + corner;
    t.q = carry_member(form, &all.of[n], corner);
    real inflow = R(0.0);
    if (thread < t.levels) {
        const struct carry_line at = carry_line(form, &s, &d, &call, 0, k0 + thread);
        shared->level[thread] = {at.bottom, at.top, at.mix.z, at.x, at.y, at.mix.x, at.mix.y};
        inflow = carry_inflow(&at, &all.of[n]);
    }
    t.is_side = 0;
    if (carry_form<form>::IS_OPEN) {
        const struct open_value_sides o = open_value_sides(&s, &d);
        t.is_side = (o.open[FACE_W] && i0 < T::SIDE) || (o.open[FACE_E] && i0 + T::LANES > o.ni - T::SIDE) ||
                    (o.open[FACE_S] && j0 < T::SIDE) || (o.open[FACE_N] && j0 + T::ALONG > o.nj - T::SIDE);
        struct carry_side *const x = &shared->side;
        if (thread == 0) {
            x->i0 = i0, x->j0 = j0, x->ni = o.ni, x->nj = o.nj, x->off = t.off, x->row = t.row, x->sk = t.sk;
            x->open = o.open[FACE_W] << FACE_W | o.open[FACE_E] << FACE_E | o.open[FACE_S] << FACE_S |
                      o.open[FACE_N] << FACE_N;
            x->u = t.u, x->v = t.v;
        }
        if (thread < t.levels) x->inflow[thread] = inflow;
        if (t.is_side) t.is_side += block_any(bits_of(inflow) != 0);
    }
    rows_run<form>(t, shared, thread);
}

/* Do tiles fit in the box? */
static inline int box_takes_tiles(struct box b, const struct slab *s)
{
    typedef carry_tile T;
    const double bytes = (double)T::BOX_ROWS * (double)s->sj * REAL;
    return b.i1 - b.i0 >= T::LANES && b.j1 - b.j0 >= T::ALONG && bytes < 2e9;
}

template <int form>
static void carry_tiles_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    typedef carry_tile T;
    const int across = (int)launch_blocks(b.i1 - b.i0, T::LANES), along = (int)launch_blocks(b.j1 - b.j0, T::ALONG);
    const int all = b.k1 - b.k0;
    for (int first = 0; first < c->members; first += MEMBERS_AT_ONCE) {
        const struct members x = members_of(c, first);
        const int blocks = across * along * (int)x.n, wanted = 2 * T::BLOCKS * launch_multiprocessors();
        const int pieces =
            SF_MAX(SF_MIN(all / (int)T::LEAST, (wanted + blocks - 1) / blocks), (all + T::MOST - 1) / (int)T::MOST);
        const int levels = (all + pieces - 1) / pieces;
        SF_LAUNCH_BLOCKS((carry_tiles<form>), dim3((unsigned)blocks, launch_blocks(all, levels)), dim3(T::THREADS),
                         (size_t)carry_form<form>::BYTES, stream, *s, b, *c, *(const struct dynamics *)c->ctx, x,
                         across, levels);
    }
}
