/* The loops of the stages of tracers.sf but the last, by lines along i. Each face is computed once: those along x
 * before the line, those along y are kept for the next row and those along z for the next level.
 * SPDX-License-Identifier: MIT */
#include "dynamics/tracers.h"
#include "dynamics/tracers_made.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A loop each: in a function of several the compiler keeps numbers of the others in the registers of a loop. */
#define SF_ALONE static __attribute__((noinline))

/* ---- lines that a thread keeps ---- */

enum { LINE_GRAIN = 64 / (int)sizeof(real) };

/* Levels and rows that a line reaches either way. */
enum { REACH = SIDE_CELLS };

/* Of faces: those along x; those below and above; those along y a level each, and one more, so that northern faces find
 * room. Two numbers a face. */
enum { LINES_X = 1, LINES_Z = 2, LINES_XZ = LINES_X + LINES_Z };

/* Of values beyond open sides: rows to the south and to the north, of the stage and of the start, and a line of each
 * with what stands west and east of it. */
enum { LINES_NOW = 2 * REACH, LINES_START = 2, LINES_LONG = 2, LINES_BEYOND = LINES_NOW + LINES_START + LINES_LONG };

static ptrdiff_t line_length(int columns) { return (columns + 2 * REACH + LINE_GRAIN) / LINE_GRAIN * LINE_GRAIN; }

static size_t lines_bytes(int columns, int nk)
{
    return (size_t)(2 * (LINES_XZ + nk + 1) + LINES_BEYOND) * (size_t)line_length(columns) * sizeof(real);
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

/* ---- values around a line ---- */

/* Of the stage (three cells either way) and of the start (one): rows of the line's level, and the line with what stands
 * west and east of it. What lies beyond an open side stands in work memory, the rest where it is. */
struct around_line {
    const real *now[2 * REACH + 1], *start[3];
    const real *now_x, *start_x;
};

/* Which sides a box, or a row, reaches beyond. */
SF_POINT int beyond_x(const struct carry_line *l, struct box b)
{
    const struct open_value_sides *const o = &l->sides;
    return (o->open[FACE_W] && b.i0 < REACH) || (o->open[FACE_E] && b.i1 > o->ni - REACH);
}

SF_POINT int beyond_y(const struct carry_line *l, int n)
{
    const struct open_value_sides *const o = &l->sides;
    return (o->open[FACE_S] && o->j + n < 0) || (o->open[FACE_N] && o->j + n >= o->nj);
}

/* Row number n from the line's own. */
static const real *row_around(const struct carry_line *l, const real *q, struct box b, int n, real *work)
{
    if (!beyond_y(l, n)) return q + b.i0 + n * l->sj;
#pragma omp simd
    for (int i = b.i0; i < b.i1; i++) work[i - b.i0] = value_y(&l->sides, l->v, q, l->sj, i, n, l->inflow);
    return work;
}

/* So many cells west and east of the line, too. */
static const real *line_around(const struct carry_line *l, const real *q, struct box b, int reach, real *work)
{
    const int n = b.i1 - b.i0;
    memcpy(work + REACH, q + b.i0, (size_t)n * sizeof *work);
    for (int m = 1; m <= reach; m++) {
        work[REACH - m] = value_x(&l->sides, l->u, q, b.i0, -m, l->inflow);
        work[REACH + n - 1 + m] = value_x(&l->sides, l->u, q, b.i1 - 1, m, l->inflow);
    }
    return work + REACH;
}

/* x: of column 0 of the line. */
SF_POINT void around_find(const int form, const struct carry_line *l, const struct carry_member *x, struct box b,
                          real *work, struct around_line *r)
{
    const int is_last = (form & CARRY_STAGE) == CARRY_SHARE;
    const ptrdiff_t length = line_length(b.i1 - b.i0);
    real *const starts = work + LINES_NOW * length, *const lines = starts + LINES_START * length;
    for (int n = -REACH; n <= REACH; n++)
        r->now[n + REACH] = row_around(l, x->now, b, n, work + (n < 0 ? n + REACH : n + REACH - 1) * length);
    for (int n = -1; n <= 1; n++)
        r->start[n + 1] = is_last ? row_around(l, x->start, b, n, starts + (n < 0 ? 0 : 1) * length) : x->start + b.i0;
    const int beyond = beyond_x(l, b);
    r->now_x = beyond ? line_around(l, x->now, b, REACH, lines) : x->now + b.i0;
    r->start_x = beyond && is_last ? line_around(l, x->start, b, 1, lines + length) : x->start + b.i0;
}

/* ---- faces ---- */

/* Cells on either side of a line of faces; low, high: those next to it at the start. */
struct faces_of_line {
    const real *l3, *l2, *l1, *h1, *h2, *h3, *low, *high;
};

SF_POINT struct faces_of_line faces_along_x(const struct around_line *r)
{
    const real *const q = r->now_x;
    const struct faces_of_line f = {q - 3, q - 2, q - 1, q, q + 1, q + 2, r->start_x - 1, r->start_x};
    return f;
}

/* North of the line where high is 1, else south. */
SF_POINT struct faces_of_line faces_along_y(const struct around_line *r, int high)
{
    const real *const *const q = r->now + high, *const *const start = r->start + high;
    const struct faces_of_line f = {q[0], q[1], q[2], q[3], q[4], q[5], start[0], start[1]};
    return f;
}

SF_POINT struct faces_of_line faces_along_z(const struct carry_member *x, ptrdiff_t sk)
{
    const real *const q = x->now;
    const struct faces_of_line f = {q - 3 * sk, q - 2 * sk, q - sk, q, q + sk, q + 2 * sk, x->start - sk, x->start};
    return f;
}

/* n faces. `times`: M over the wind. */
SF_POINT void faces_fill(const int form, const int is_z, const real *restrict wind, struct faces_of_line f, real times,
                         real mix, int n, struct faces_line to)
{
    const int kind = form & CARRY_KIND, is_last = (form & CARRY_STAGE) == CARRY_SHARE;
    const real *restrict const l3 = f.l3, *restrict const l2 = f.l2, *restrict const l1 = f.l1,
                               *restrict const h1 = f.h1, *restrict const h2 = f.h2, *restrict const h3 = f.h3,
                               *restrict const low = f.low, *restrict const high = f.high;
    real *restrict const value = to.value, *restrict const mixed = to.mixed;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const struct line6 q = {l3[i], l2[i], l1[i], h1[i], h2[i], h3[i]};
        struct face_flux here = face_of(kind, wind[i], q);
        if (is_last) here = face_beyond(here, wind[i], low[i], high[i]);
        value[i] = is_last && !is_z ? flux_added(kind, times * wind[i], mix, here) : here.value;
        if (!is_last || is_z) mixed[i] = here.mixed;
    }
}

/* ---- a line ---- */

/* Faces of a line of cells: along x the high one follows the low one. */
struct line_faces {
    struct faces_line x, south, north, below, above;
};

SF_POINT void line_first(const int form, const struct carry_line *l, const struct carry_member *m,
                         const struct around_line *r, int n, const struct line_faces *f)
{
    (void)r;
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
        const struct pairs_around c = {
            {lx * u[i], lx * u[i + 1]}, {ly * v[i], ly * vn[i]}, {bottom * w[i], top * wt[i]}};
        to[i] = tracer_carried(form & CARRY_KIND, start[i], now[i], faces, c, mix);
    }
}

SF_POINT void line_last(const int form, const struct carry_line *l, const struct carry_member *m,
                        const struct around_line *r, int n, const struct line_faces *f)
{
    const int kind = form & CARRY_KIND;
    const ptrdiff_t sj = l->sj, sk = l->sk;
    const real *restrict const u = l->u, *restrict const v = l->v, *restrict const w = l->w,
                               *restrict const vn = v + sj, *restrict const wt = w + sk;
    const real *restrict const now = m->now, *restrict const start = m->start;
    const real *restrict const west = r->start_x - 1, *restrict const east = r->start_x + 1,
                               *restrict const southern = r->start[0], *restrict const northern = r->start[2];
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
        const struct pairs_around c = {
            {lx * u[i], lx * u[i + 1]}, {ly * v[i], ly * vn[i]}, {bottom * w[i], top * wt[i]}};
        const struct pairs_around a = {
            {x[i], x[i + 1]},
            {south[i], north[i]},
            {flux_added(kind, c.z.low, mix.low, below), flux_added(kind, c.z.high, mix.high, above)}};
        const struct lines3 q = {{west[i], start[i], east[i]},
                                 {southern[i], start[i], northern[i]},
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
    const int *open; /* sides, by faces */
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
        if ((f->open[FACE_S] && row < 0) || (f->open[FACE_N] && row >= s->nj)) continue;
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
    const int west = f->open[FACE_W] ? SF_MIN(f->reach, b.i0) : f->reach,
              east = f->open[FACE_E] ? SF_MIN(f->reach, s->ni - b.i1) : f->reach;
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
    const int *const open = ((const struct dynamics *)c->ctx)->open;
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

SF_POINT void cells_clear(const int form, const struct carry_member *m, int n)
{
    real *const factor = m->factor;
    memset(m->to, 0, (size_t)n * sizeof(real));
    for (int i = 0; i < n && (form & CARRY_STAGE) == CARRY_SHARE; i++) factor[i] = R(1.0);
}

/* Does air from beyond a side bring something to the line? */
static int brings(const struct carry_line *l, struct box b)
{
    return !is_nothing(&l->inflow, 1) && (beyond_x(l, b) || beyond_y(l, -REACH) || beyond_y(l, REACH));
}

/* The same with column i0 for the first; cells beyond sides are not asked of them. */
SF_POINT struct carry_line carry_line_from(const struct carry_line *l, int i0)
{
    struct carry_line x = *l;
    x.u += i0, x.v += i0, x.w += i0;
    return x;
}

SF_POINT struct carry_member carry_member_from(const int form, const struct carry_member *m, int i0)
{
    struct carry_member x = *m;
    x.start += i0, x.now += i0, x.to += i0;
    if ((form & CARRY_STAGE) == CARRY_SHARE) x.factor += i0;
    return x;
}

/* The loops of a form. Both first stages have one: only where values lie differs. */
struct line_loops {
    void (*level)(const real *wind, struct faces_of_line f, real times, real mix, int n, struct faces_line to);
    void (*upright)(const real *wind, struct faces_of_line f, real times, real mix, int n, struct faces_line to);
    void (*line)(const struct carry_line *l, const struct carry_member *m, const struct around_line *r, int n,
                 const struct line_faces *f);
};

#define FACES_ALONE(part, form, is_z)                                                                                  \
    SF_ALONE void part(const real *wind, struct faces_of_line f, real times, real mix, int n, struct faces_line to)    \
    {                                                                                                                  \
        faces_fill(form, is_z, wind, f, times, mix, n, to);                                                            \
    }
#define LINE_ALONE(part, line, form)                                                                                   \
    SF_ALONE void part(const struct carry_line *l, const struct carry_member *m, const struct around_line *r, int n,   \
                       const struct line_faces *f)                                                                     \
    {                                                                                                                  \
        line(form, l, m, r, n, f);                                                                                     \
    }
#define LITERAL_tracer_mixing(mixing)                                                                                  \
    FACES_ALONE(first_faces_##mixing, CARRY_FIRST | (mixing), 0)                                                       \
    LINE_ALONE(first_line_##mixing, line_first, CARRY_FIRST | (mixing))                                                \
    FACES_ALONE(last_faces_##mixing, CARRY_SHARE | (mixing), 0)                                                        \
    FACES_ALONE(last_uprights_##mixing, CARRY_SHARE | (mixing), 1)                                                     \
    LINE_ALONE(last_line_##mixing, line_last, CARRY_SHARE | (mixing))
#include "dynamics/weather_forms.def"

static const struct line_loops loops_first[] = {
#define LITERAL_tracer_mixing(mixing) [mixing] = {first_faces_##mixing, first_faces_##mixing, first_line_##mixing},
#include "dynamics/weather_forms.def"
};
static const struct line_loops loops_last[] = {
#define LITERAL_tracer_mixing(mixing) [mixing] = {last_faces_##mixing, last_uprights_##mixing, last_line_##mixing},
#include "dynamics/weather_forms.def"
};

/* One tracer in a box. Rows are outermost: levels of a row follow each other in memory, so that the processor fetches
 * them ahead. South of row n level k is kept in line k - n, modulo the lines, of which one is free: the faces north of
 * a level go where those south of the level below were. */
static void carry_lines(int form, const struct line_loops *of, const struct slab *s, struct box b, const struct call *c,
                        const struct member *one)
{
    const struct dynamics *const d = (const struct dynamics *)c->ctx;
    const int n = b.i1 - b.i0, nk = b.k1 - b.k0, lines = nk + 1;
    const ptrdiff_t length = line_length(n), sk = s->sk;
    real *const work = (real *)c->work, *const beyond = work + 2 * (LINES_XZ + lines) * length;
    struct line_faces f;
    f.x = faces_line(work, length, 0);
    const struct filled_both filled = both_begin(form, s, b, c, one);
    for (int j = b.j0; j < b.j1; j++) {
        both_add(form, &filled, j);
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * sk;
            struct carry_line own = carry_line(form, s, d, c, at, k);
            const struct carry_member whole = carry_member(form, one, at);
            own.inflow = carry_inflow(&own, one);
            const struct carry_line l = carry_line_from(&own, b.i0);
            const struct carry_member m = carry_member_from(form, &whole, b.i0);
            const int odd = (k - b.k0) & 1, south = (k - b.k0 + (b.j1 - j)) % lines;
            f.below = faces_line(work, length, LINES_X + odd), f.above = faces_line(work, length, LINES_X + !odd);
            f.south = faces_line(work, length, LINES_XZ + south);
            f.north = faces_line(work, length, LINES_XZ + (south + nk) % lines);
            if (!brings(&own, b) && both_none(form, &filled, j, k)) {
                faces_clear(&f.north, n);
                faces_clear(&f.above, n);
                cells_clear(form, &m, n);
                continue;
            }
            struct around_line r;
            around_find(form, &own, &whole, b, beyond, &r);
            struct carry_member above = m;
            above.now += sk, above.start += sk;
            if (j == b.j0) of->level(l.v, faces_along_y(&r, 0), l.y, l.mix.y, n, f.south);
            if (k == b.k0) of->upright(l.w, faces_along_z(&m, sk), R(0.0), R(0.0), n, f.below);
            of->level(l.u, faces_along_x(&r), l.x, l.mix.x, n + 1, f.x);
            of->level(l.v + s->sj, faces_along_y(&r, 1), l.y, l.mix.y, n, f.north);
            of->upright(l.w + sk, faces_along_z(&above, sk), R(0.0), R(0.0), n, f.above);
            of->line(&l, &m, &r, n, &f);
        }
    }
}

/* ---- stages ---- */

static void lines_all(int stage, const struct slab *s, struct box b, const struct call *c)
{
    const int kind = ((const struct dynamics *)c->ctx)->tracer_mixing;
    const struct line_loops *const of = &(stage == CARRY_SHARE ? loops_last : loops_first)[kind];
    for (int m = 0; m < c->members && b.i0 < b.i1; m++) carry_lines(stage | kind, of, s, b, c, &c->of[m]);
}

void tracers_first_run(const struct slab *s, struct box b, const struct call *c) { lines_all(CARRY_FIRST, s, b, c); }
void tracers_second_run(const struct slab *s, struct box b, const struct call *c) { lines_all(CARRY_SECOND, s, b, c); }
void tracers_share_run(const struct slab *s, struct box b, const struct call *c) { lines_all(CARRY_SHARE, s, b, c); }
