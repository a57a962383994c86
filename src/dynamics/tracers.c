/* The loops of tracers.h, by lines along i. Each face is computed once: those along x before the line, those along y
 * are kept for the next row and those along z for the next level. SPDX-License-Identifier: MIT */
#include "dynamics/tracers.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A function each: in one of all kinds the compiler keeps numbers of the others in the registers of a loop. */
#define SF_ALONE static __attribute__((noinline))

/* ---- faces that are kept ---- */

enum { LINE_GRAIN = 64 / (int)sizeof(real) };

/* Lines that a thread keeps: of all faces of a line along x; of those below and above it; of those along y a level
 * each, and one more, so that northern faces find room. */
enum { LINES_X = 1, LINES_Z = 2, LINES_XZ = LINES_X + LINES_Z };

static ptrdiff_t line_length(int columns) { return (columns + LINE_GRAIN) / LINE_GRAIN * LINE_GRAIN; }

/* Levels and rows that a line reaches either way. */
enum { REACH = 3 };

static size_t lines_bytes(int columns, int nk)
{
    return (size_t)(2 * (LINES_XZ + nk + 1)) * (size_t)line_length(columns) * sizeof(real);
}

size_t tracers_work_bytes(int columns, int nk)
{
    return lines_bytes(columns, nk) + (size_t)(2 * nk + 2 * (REACH + 1)) * sizeof(int);
}

/* Of the first stages a face's value and what mixing sees there; of the last one A, or, where it lies along z, both
 * parts of it. */
struct faces_line {
    real *restrict value, *restrict mixed;
};

static struct faces_line faces_line(real *work, ptrdiff_t length, int nth)
{
    const struct faces_line f = {work + 2 * nth * length, work + (2 * nth + 1) * length};
    return f;
}

/* The low faces of n cells along an axis whose cells are `step` apart. `times`: M over the wind. */
SF_POINT void faces_fill(const int form, const int is_z, const real *restrict wind, const struct carry_member *x,
                         ptrdiff_t step, real times, real mix, int n, struct faces_line to)
{
    const int kind = form & MIX_MASK, is_last = (form & CARRY_STAGE) == CARRY_SHARE;
    const real *restrict const now = x->now, *restrict const start = x->start;
    real *restrict const value = to.value, *restrict const mixed = to.mixed;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const struct line6 q = {now[i - 3 * step], now[i - 2 * step], now[i - step], now[i],
                                now[i + step],     now[i + 2 * step]};
        struct face_flux f = face_of(kind, wind[i], q);
        if (is_last) f = face_beyond(f, wind[i], start[i - step], start[i]);
        value[i] = is_last && !is_z ? flux_added(kind, times * wind[i], mix, f) : f.value;
        if (!is_last || is_z) mixed[i] = f.mixed;
    }
}

/* ---- a line ---- */

/* Faces of a line of cells: along x the high one follows the low one. */
struct line_faces {
    struct faces_line x, south, north, below, above;
};

SF_POINT void line_first(const int form, const struct carry_line *l, const struct carry_member *m, int n,
                         const struct line_faces *f)
{
    const real *restrict const u = l->u, *restrict const v = l->v, *restrict const w = l->w,
                               *restrict const vn = v + l->sj, *restrict const wt = w + l->sk;
    const real *restrict const now = m->now, *restrict const start = m->start;
    const real *restrict const xv = f->x.value, *restrict const xm = f->x.mixed;
    const real *restrict const sv = f->south.value, *restrict const sm = f->south.mixed;
    const real *restrict const nv = f->north.value, *restrict const nm = f->north.mixed;
    const real *restrict const bv = f->below.value, *restrict const bm = f->below.mixed;
    const real *restrict const tv = f->above.value, *restrict const tm = f->above.mixed;
    real *restrict const to = m->to;
    const struct mix_weights mix = l->mix;
    const real lx = l->x, ly = l->y, bottom = l->bottom, top = l->top;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const struct faces_around faces = {{{xv[i], xm[i]}, {xv[i + 1], xm[i + 1]}},
                                           {{sv[i], sm[i]}, {nv[i], nm[i]}},
                                           {{bv[i], bm[i]}, {tv[i], tm[i]}}};
        const struct around c = {{lx * u[i], lx * u[i + 1]}, {ly * v[i], ly * vn[i]}, {bottom * w[i], top * wt[i]}};
        to[i] = tracer_carried(form & MIX_MASK, start[i], now[i], faces, c, mix);
    }
}

SF_POINT void line_last(const int form, const struct carry_line *l, const struct carry_member *m, int n,
                        const struct line_faces *f)
{
    const int kind = form & MIX_MASK;
    const ptrdiff_t sj = l->sj, sk = l->sk;
    const real *restrict const u = l->u, *restrict const v = l->v, *restrict const w = l->w,
                               *restrict const vn = v + sj, *restrict const wt = w + sk;
    const real *restrict const now = m->now, *restrict const start = m->start;
    const real *restrict const x = f->x.value, *restrict const south = f->south.value,
                               *restrict const north = f->north.value;
    const real *restrict const bv = f->below.value, *restrict const bm = f->below.mixed;
    const real *restrict const tv = f->above.value, *restrict const tm = f->above.mixed;
    real *restrict const to = m->to, *restrict const factor = m->factor;
    const struct pair mix = l->mix.z;
    const real lx = l->x, ly = l->y, bottom = l->bottom, top = l->top;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const struct face_flux below = {bv[i], bm[i]}, above = {tv[i], tm[i]};
        const struct around c = {{lx * u[i], lx * u[i + 1]}, {ly * v[i], ly * vn[i]}, {bottom * w[i], top * wt[i]}};
        const struct around a = {
            {x[i], x[i + 1]},
            {south[i], north[i]},
            {flux_added(kind, c.z.low, mix.low, below), flux_added(kind, c.z.high, mix.high, above)}};
        const struct lines3 q = {{start[i - 1], start[i], start[i + 1]},
                                 {start[i - sj], start[i], start[i + sj]},
                                 {start[i - sk], start[i], start[i + sk]}};
        const struct limited y = tracer_limited(q, now[i], a, c);
        factor[i] = tracer_share(y);
        to[i] = sf_audible(tracer_whole(y));
    }
}

/* ---- lines without a tracer ----
 *
 * Rain and cloud are nowhere in most of the air. Where all that a line reaches is 0 its cells stay 0, and so are the
 * values of their faces: nothing is computed there. 0 by its bits, for -0 is not 0 here. */

#if SF_PREC == 64
typedef uint64_t real_bits;
#else
typedef uint32_t real_bits;
#endif

SF_POINT real_bits bits_of(const real *q, int n)
{
    real_bits any = 0;
#pragma omp simd reduction(| : any)
    for (int i = 0; i < n; i++) {
        real_bits here;
        memcpy(&here, q + i, sizeof here);
        any |= here;
    }
    return any;
}

/* What is something mostly is it from the first values on. */
static inline int is_nothing(const real *q, int n)
{
    enum { AT_ONCE = 16 };
    int i = 0;
    for (; i + AT_ONCE <= n; i += AT_ONCE)
        if (bits_of(q + i, AT_ONCE)) return 0;
    if (n - i > REACH) return !bits_of(q + i, n - i);
    real_bits any = 0;
    for (; i < n; i++) any |= bits_of(q + i, 1);
    return !any;
}

/* Of a field that the cells of a box reach, so many levels, rows and columns far: the last row of each level that is
 * not all 0 in the columns of the box, as far as rows are known. */
struct filled_rows {
    const struct slab *s;
    const int *open; /* sides, by faces: NULL where the box reaches none */
    const real *q;
    int *last;
    int reach;
    struct box b;
};

static void filled_begin(const struct filled_rows *f)
{
    for (int n = 0; n < f->b.k1 - f->b.k0 + 2 * f->reach; n++) f->last[n] = f->b.j0 - f->reach - 1;
}

/* Rows that row j reaches, and that are not known from the row before. What stands beyond open sides is made of the
 * cells there. */
static void filled_add(const struct filled_rows *f, int j)
{
    const struct slab *const s = f->s;
    const struct box b = f->b;
    for (int row = j == b.j0 ? j - f->reach : j + f->reach; row <= j + f->reach; row++) {
        if (f->open && ((f->open[FACE_S] && row < 0) || (f->open[FACE_N] && row >= s->nj))) continue;
        const real *const q = f->q + (row - s->j0) * s->sj + (b.k0 - f->reach) * s->sk + b.i0;
        for (int n = 0; n < b.k1 - b.k0 + 2 * f->reach; n++)
            if (!is_nothing(q + n * s->sk, b.i1 - b.i0)) f->last[n] = row;
    }
}

/* Is all 0 that line k of row j reaches? Levels above and below count with the rows ahead. */
static int filled_none(const struct filled_rows *f, int j, int k)
{
    const struct slab *const s = f->s;
    const struct box b = f->b;
    const int *const last = f->last + (k - b.k0) + f->reach;
    int above = b.j0 - f->reach - 1;
    for (int n = 1; n <= f->reach; n++) above = SF_MAX(above, SF_MAX(last[n], last[-n]));
    if (last[0] >= j - f->reach || above >= j) return 0;
    const int west = f->open && f->open[FACE_W] ? SF_MIN(f->reach, b.i0) : f->reach,
              east = f->open && f->open[FACE_E] ? SF_MIN(f->reach, s->ni - b.i1) : f->reach;
    const real *const line = f->q + (j - s->j0) * s->sj + k * s->sk;
    return is_nothing(line + b.i0 - west, west) && is_nothing(line + b.i1, east);
}

/* What a stage carries, and what it reads of the start of the time step where that is something else: in the first
 * stage nothing, in the second the cell itself. */
struct filled_both {
    struct filled_rows now, start;
};

SF_POINT struct filled_both both_begin(const int form, const struct slab *s, struct box b, const struct call *c,
                                       const struct member *one)
{
    const int levels = b.k1 - b.k0, stage = form & CARRY_STAGE;
    int *const last = (int *)((char *)c->work + lines_bytes(b.i1 - b.i0, levels));
    const int *const open = form & CARRY_SIDES ? ((const struct dynamics *)c->ctx)->open : NULL;
    const struct filled_both f = {{s, open, carry_now(form, one), last, REACH, b},
                                  {s, open, one->f[F_FAMILY_Q], last + levels + 2 * REACH, stage == CARRY_SHARE, b}};
    filled_begin(&f.now);
    filled_begin(&f.start);
    return f;
}

SF_POINT void both_add(const int form, const struct filled_both *f, int j)
{
    filled_add(&f->now, j);
    if ((form & CARRY_STAGE) != CARRY_FIRST) filled_add(&f->start, j);
}

SF_POINT int both_none(const int form, const struct filled_both *f, int j, int k)
{
    return filled_none(&f->now, j, k) && ((form & CARRY_STAGE) == CARRY_FIRST || filled_none(&f->start, j, k));
}

static void faces_clear(const struct faces_line *f, int n)
{
    memset(f->value, 0, (size_t)n * sizeof(real));
    memset(f->mixed, 0, (size_t)n * sizeof(real));
}

SF_POINT void cells_clear(const int form, const struct carry_member *m, int i0, int i1)
{
    real *const factor = m->factor;
    memset(m->to + i0, 0, (size_t)(i1 - i0) * sizeof(real));
    for (int i = i0; i < i1 && (form & CARRY_STAGE) == CARRY_SHARE; i++) factor[i] = R(1.0);
}

/* One tracer in a box. Rows are outermost: levels of a row follow each other in memory, so that the processor fetches
 * them ahead. South of row n level k is kept in line k - n, modulo the lines, of which one is free: the faces north of
 * a level go where those south of the level below were. */
SF_POINT void carry_lines(const int form, const struct slab *s, struct box b, const struct call *c,
                          const struct member *one)
{
    const struct dynamics *const d = (const struct dynamics *)c->ctx;
    const int n = b.i1 - b.i0, nk = b.k1 - b.k0, lines = nk + 1;
    const ptrdiff_t length = line_length(n);
    real *const work = (real *)c->work;
    struct line_faces f;
    f.x = faces_line(work, length, 0);
    const struct filled_both filled = both_begin(form, s, b, c, one);
    for (int j = b.j0; j < b.j1; j++) {
        both_add(form, &filled, j);
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk + b.i0;
            const struct carry_line l = carry_line(form, s, d, c, at, k);
            const struct carry_member m = carry_member(form, &l, one, at);
            struct carry_member north = m, above = m;
            north.now += s->sj, north.start += s->sj, above.now += s->sk, above.start += s->sk;
            const int odd = (k - b.k0) & 1, south = (k - b.k0 + (b.j1 - j)) % lines;
            f.below = faces_line(work, length, LINES_X + odd), f.above = faces_line(work, length, LINES_X + !odd);
            f.south = faces_line(work, length, LINES_XZ + south);
            f.north = faces_line(work, length, LINES_XZ + (south + nk) % lines);
            if (both_none(form, &filled, j, k)) {
                faces_clear(&f.north, n);
                faces_clear(&f.above, n);
                cells_clear(form, &m, 0, n);
                continue;
            }
            if (j == b.j0) faces_fill(form, 0, l.v, &m, s->sj, l.y, l.mix.y, n, f.south);
            if (k == b.k0) faces_fill(form, 1, l.w, &m, s->sk, R(0.0), R(0.0), n, f.below);
            faces_fill(form, 0, l.u, &m, 1, l.x, l.mix.x, n + 1, f.x);
            faces_fill(form, 0, l.v + s->sj, &north, s->sj, l.y, l.mix.y, n, f.north);
            faces_fill(form, 1, l.w + s->sk, &above, s->sk, R(0.0), R(0.0), n, f.above);
            if ((form & CARRY_STAGE) == CARRY_SHARE) line_last(form, &l, &m, n, &f);
            else line_first(form, &l, &m, n, &f);
        }
    }
}

#define CARRY_LINES(part, form)                                                                                        \
    SF_ALONE void part(const struct slab *s, struct box b, const struct call *c, void *stream)                         \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        for (int m = 0; m < c->members && b.i0 < b.i1; m++) carry_lines(form, s, b, c, &c->of[m]);                     \
    }

/* ---- cells that a factor below 1 belongs to ---- */

/* So many columns are looked at together. */
enum { LOOK = 32 };

SF_POINT int are_whole(const struct carry_line *l, const real *restrict factor, int n)
{
    const ptrdiff_t sj = l->sj, sk = l->sk;
    real few = lesser(factor[-1], factor[n]) < R(1.0) ? R(1.0) : R(0.0);
#pragma omp simd reduction(+ : few)
    for (int i = 0; i < n; i++) {
        const real y = lesser(factor[i - sj], factor[i + sj]), z = lesser(factor[i - sk], factor[i + sk]);
        few += lesser(lesser(y, z), factor[i]) < R(1.0) ? R(1.0) : R(0.0);
    }
    return !(few > R(0.0));
}

SF_POINT void carry_few(const int form, const struct slab *s, struct box b, const struct call *c,
                        const struct member *one)
{
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
            const struct carry_line all = carry_line(form, s, (const struct dynamics *)c->ctx, c, at, k);
            const struct carry_member m = carry_member(form, &all, one, at);
            const struct carry_line l = carry_line_of(&all, &m);
            for (int i0 = b.i0; i0 < b.i1; i0 += LOOK) {
                const int i1 = SF_MIN(i0 + LOOK, b.i1);
                if (are_whole(&l, m.factor + i0, i1 - i0)) continue;
#pragma omp simd
                for (int i = i0; i < i1; i++) {
                    const struct carry_here h = carry_here(form, &l, i);
                    const struct limited x = limited_point(form, &l, &h, &m, i);
                    m.to[i] = sf_audible(tracer_last(x, factors_around(form, &l, m.factor, i)));
                }
            }
        }
}

#define CARRY_FEW(part, form)                                                                                          \
    SF_ALONE void part(const struct slab *s, struct box b, const struct call *c, void *stream)                         \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        for (int m = 0; m < c->members; m++) carry_few(form, s, b, c, &c->of[m]);                                      \
    }

/* ---- cells at open sides ---- */

SF_POINT void side_point(const int form, const struct carry_line *l, const struct carry_member *m, int i)
{
    const struct carry_here h = carry_here(form, l, i);
    carry_point(form, l, &h, m, i);
}

SF_POINT void carry_side(const int form, const struct slab *s, struct box b, const struct call *c,
                         const struct member *one)
{
    const struct dynamics *const d = (const struct dynamics *)c->ctx;
    const struct filled_both filled = both_begin(form, s, b, c, one);
    for (int j = b.j0; j < b.j1; j++) {
        both_add(form, &filled, j);
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
            const struct carry_line l = carry_line(form, s, d, c, at, k);
            const struct carry_member m = carry_member(form, &l, one, at);
            if (is_nothing(&m.inflow, 1) && both_none(form, &filled, j, k)) {
                cells_clear(form, &m, b.i0, b.i1);
                continue;
            }
            if ((form & CARRY_STAGE) == CARRY_SHARE) { /* no vector loop takes it */
                for (int i = b.i0; i < b.i1; i++) side_point(form, &l, &m, i);
                continue;
            }
#pragma omp simd
            for (int i = b.i0; i < b.i1; i++) side_point(form, &l, &m, i);
        }
    }
}

#define CARRY_SIDE(part, form)                                                                                         \
    SF_ALONE void part(const struct slab *s, struct box b, const struct call *c, void *stream)                         \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        for (int m = 0; m < c->members && b.i0 < b.i1; m++) carry_side(form, s, b, c, &c->of[m]);                      \
    }

CARRY_STAGE_OF(CARRY_LINES, CARRY_SIDE, FIRST, tracers_first)
CARRY_STAGE_OF(CARRY_LINES, CARRY_SIDE, SECOND, tracers_second)
CARRY_STAGE_OF(CARRY_LINES, CARRY_SIDE, SHARE, tracers_share)
CARRY_STAGE_OF(CARRY_FEW, CARRY_FEW, LAST, tracers_last)
