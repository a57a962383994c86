/* Ghosts, copies and checks on a GPU. SPDX-License-Identifier: MIT */
extern "C" {
#include "pipeline/kernels.h"
}
#include "pipeline/between.h"
#include "pipeline/launch.h"

enum { THREADS = 256, COPY_BLOCKS = 1024, CHECK_BLOCKS = 1024 };

/* Enough for one point a thread, within bounds. */
static unsigned blocks_within(ptrdiff_t points, unsigned most)
{
    return SF_MIN(SF_MAX(launch_blocks(points, THREADS), 1u), most);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

struct copies {
    struct backend_copy copy[BACKEND_BATCH];
};

template <typename word> __device__ static void words_copy(const struct backend_copy c)
{
    word *const to = (word *)c.to;
    const word *const from = (const word *)c.from;
    enum { AT_ONCE = 4 }; /* reads under way */
    const size_t n = c.bytes / sizeof(word), step = (size_t)gridDim.x * blockDim.x;
    size_t m = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; m + (AT_ONCE - 1) * step < n; m += AT_ONCE * step) {
        word v[AT_ONCE];
#pragma unroll
        for (int q = 0; q < AT_ONCE; q++) v[q] = from[m + q * step];
#pragma unroll
        for (int q = 0; q < AT_ONCE; q++) to[m + q * step] = v[q];
    }
    for (; m < n; m += step) to[m] = from[m];
}

__global__ static void copies_kernel(SF_ARGUMENT(struct copies) list)
{
    launch_wait();
    const struct backend_copy c = list.copy[blockIdx.y];
    const size_t odd = (size_t)c.to | (size_t)c.from | c.bytes;
    if (odd % 16 == 0) words_copy<float4>(c);
    else if (odd % 4 == 0) words_copy<float>(c);
    else words_copy<char>(c);
}

extern "C" void kernel_copies(const struct backend_copy *copy, int n, void *stream)
{
    struct copies list;
    size_t most = 0;
    for (int m = 0; m < n; m++) {
        list.copy[m] = copy[m];
        most = SF_MAX(most, copy[m].bytes);
    }
    if (!most) return;
    SF_LAUNCH(copies_kernel, dim3(blocks_within((ptrdiff_t)(most / 16), COPY_BLOCKS), (unsigned)n), dim3(THREADS),
              stream, list);
}

/* ---- ghosts ------------------------------------------------------------------------------------------------------ */

/* Entries of a map that are due, in its order: so many of the list's, from `first` on. */
struct due {
    short first, n;
};

/* What a field is filled from: entries of x and z; of z also those alone that the window of levels holds the source of,
 * and of y those whose rows the box and the slab hold. */
struct due_field {
    real *f;
    struct due x, y, z, levels;
    struct reach depth;
    int full;
};

/* All that the kernel needs comes with its launch: it is short, and would wait for what it had to look up. */
struct ghost_list {
    enum { ENTRIES = 240 };
    struct due_field field[BACKEND_BATCH];
    struct ghost_entry entry[ENTRIES];
};

/* What all fields have in common. */
struct ghost_frame {
    struct box box;
    ptrdiff_t sk, sj, sm;
    int ni, nk, j0; /* cells; the slab's first row */
    int blocks_inside, blocks_beyond; /* of one row */
};

static_assert(sizeof(struct ghost_list) + sizeof(struct ghost_frame) <= 4096, "a launch takes 4 KiB everywhere");

/* Puts entries behind the `n` that the list has. */
template <class is_wanted>
static struct due due_make(struct ghost_list *to, int *n, const struct ghost_map &m, const is_wanted is)
{
    struct due d = {(short)*n, 0};
    for (int q = 0; q < m.n; q++)
        if (is(&m.entry[q])) to->entry[(*n)++] = m.entry[q], d.n++;
    return d;
}

static struct due_field due_field_make(struct ghost_list *to, int *n, const struct slab *s,
                                       const struct backend_ghosts *g, struct box b)
{
    typedef const struct ghost_entry *entry;
    const struct reach d = g->depth;
    const struct ghost_maps &m = *g->maps;
    const int full = g->shape == SHAPE_FULL;
    struct due_field w = {};
    w.f = s->f[g->id], w.depth = d, w.full = full;
    w.x = due_make(to, n, m.x, [&](entry e) { return ghost_is_due(e, d.im, d.ip); });
    w.z = due_make(to, n, m.z, [&](entry e) { return full && ghost_is_due(e, d.km, d.kp); });
    w.levels = due_make(to, n, m.z, [&](entry e) {
        return full && ghost_is_due(e, d.km, d.kp) && ghost_level_is_written(e, b, s->nk);
    });
    w.y = due_make(to, n, m.y, [&](entry e) {
        return ghost_is_due(e, d.jm, d.jp) && e->from >= b.j0 && e->from < b.j1 && e->to >= s->j0 &&
               e->to < s->j0 + s->rows;
    });
    return w;
}

/* The lists of a field, for the kernel. */
struct due_lists {
    const struct ghost_entry *x, *y, *z, *levels;
    int nx, ny, nz, nlevels;
    int ni, nk; /* cells */
};

/* Where index n of an axis takes its value from, when it is filled; NULL: it is not. */
__device__ static const struct ghost_entry *entry_of(const struct ghost_entry *m, int entries, int n)
{
    for (int q = 0; q < entries; q++)
        if (m[q].to == n) return &m[q];
    return NULL;
}

/* The same of columns and levels: what lies within the outermost faces is never filled. */
__device__ static const struct ghost_entry *column_entry(const struct due_lists *due, int i)
{
    return i > 0 && i < due->ni ? NULL : entry_of(due->x, due->nx, i);
}
__device__ static const struct ghost_entry *level_entry(const struct due_lists *due, int k)
{
    return k > 0 && k < due->nk ? NULL : entry_of(due->z, due->nz, k);
}

__device__ static real with_sign(real v, int sign) { return sign > 0 ? v : sign < 0 ? -v : R(0.0); }

/* The value that the fills along x and then z leave at (i, k) of a row: made from what lies within. */
__device__ static real row_value(const real *row, ptrdiff_t sk, const struct due_lists *due, int i, int k)
{
    const struct ghost_entry *const x = column_entry(due, i), *const z = level_entry(due, k);
    real v = row[(z ? z->from : k) * sk + (x ? x->from : i)];
    if (x) v = with_sign(v, x->sign);
    return z ? with_sign(v, z->sign) : v;
}

/* Ghosts of a row that was written: its ghost columns, then the ghost levels with theirs. */
__device__ static void row_inside(real *row, const struct ghost_frame w, const struct due_lists *due, int full,
                                  int first, int step)
{
    const int k0 = full ? w.box.k0 : 0, rows = (full ? w.box.k1 : 1) - k0, columns = w.box.i1 - w.box.i0,
              all = columns + due->nx;
    for (int n = first; n < due->nx * rows; n += step) {
        const struct ghost_entry x = due->x[n / rows];
        const int k = k0 + n % rows;
        if (level_entry(due, k)) continue; /* a face, below */
        real *const line = row + k * w.sk;
        line[x.to] = with_sign(line[x.from], x.sign);
    }
    for (int n = first; n < due->nlevels * all; n += step) {
        const struct ghost_entry z = due->levels[n / all];
        const int at = n % all, i = w.box.i0 + at;
        const struct ghost_entry *const x = at < columns ? NULL : &due->x[at - columns];
        if (!x && column_entry(due, i)) continue; /* a face, which is one of the entries */
        const real v = row[z.from * w.sk + (x ? x->from : i)];
        row[z.to * w.sk + (x ? x->to : i)] = with_sign(x ? with_sign(v, x->sign) : v, z.sign);
    }
}

/* A row beyond a side, or on it: the levels of the window and those made from them, as they are in the row that it is
 * made from once its own ghosts are filled. */
__device__ static void row_beyond(real *to, const real *row, int sign, const struct ghost_frame w,
                                  const struct due_lists *due, const struct due_field &g, int first, int step)
{
    const struct reach d = g.depth;
    const int full = g.full, whole = w.box.k0 <= 0 && w.box.k1 >= w.nk;
    const int k0 = !full ? 0 : whole ? -d.km : w.box.k0;
    const int k1 = !full   ? 1
                   : whole ? w.nk + SF_MAX(d.kp, 1)
                           : w.box.k1,
              levels = k1 - k0, beyond = whole ? 0 : due->nlevels;
    const int columns = w.box.i1 - w.box.i0, all = columns + due->nx;
    for (int n = first; n < (levels + beyond) * all; n += step) {
        const int k = n / all < levels ? k0 + n / all : due->levels[n / all - levels].to, at = n % all;
        const int i = at < columns ? w.box.i0 + at : due->x[at - columns].to;
        to[k * w.sk + i] = with_sign(row_value(row, w.sk, due, i, k), sign);
    }
}

/* Blocks of the rows of the box, then of the entries of the y map; one field a blockIdx.y. */
__global__ static void __launch_bounds__(THREADS) ghosts_kernel(__grid_constant__ SF_ARGUMENT(struct ghost_list) list,
                                                                __grid_constant__ SF_ARGUMENT(struct ghost_frame) w)
{
    launch_wait();
    const struct due_field &g = list.field[blockIdx.y];
    const struct ghost_entry *const e = list.entry;
    const struct due_lists due = {e + g.x.first, e + g.y.first, e + g.z.first, e + g.levels.first, g.x.n, g.y.n, g.z.n,
                                  g.levels.n,    w.ni,          w.nk};
    const int rows = w.box.j1 - w.box.j0, inside = rows * w.blocks_inside, block = (int)blockIdx.x,
              me = (int)threadIdx.x;
    const ptrdiff_t sj = g.full ? w.sj : w.sm;
    if (block < inside) {
        const int j = w.box.j0 + block / w.blocks_inside;
        if (entry_of(due.y, due.ny, j)) return; /* a row on a side is no row to start from */
        row_inside(g.f + (j - w.j0) * sj, w, &due, g.full, block % w.blocks_inside * THREADS + me,
                   w.blocks_inside * THREADS);
        return;
    }
    const int m = (block - inside) / w.blocks_beyond;
    if (m >= due.ny) return;
    const struct ghost_entry q = due.y[m];
    row_beyond(g.f + (q.to - w.j0) * sj, g.f + (q.from - w.j0) * sj, q.sign, w, &due, g,
               (block - inside) % w.blocks_beyond * THREADS + me, w.blocks_beyond * THREADS);
}

/* As many of the fields as a launch has room for; returns how many. */
static int ghosts_some(const struct slab *s, const struct layout *l, const struct backend_ghosts *fill, int n,
                       struct box b, void *stream)
{
    enum {
        EACH = 2,
        INSIDE_MOST = 32,
        BEYOND_MOST = 256,
        OF_A_FIELD = 4 * GHOST_MAP_SIZE
    }; /* EACH: points of a thread */
    struct ghost_list list;
    int entries = 0, lines = 0, rows = 0, m = 0;
    for (; m < n && m < BACKEND_BATCH && entries + OF_A_FIELD <= ghost_list::ENTRIES; m++) {
        const struct due_field g = list.field[m] = due_field_make(&list, &entries, s, &fill[m], b);
        lines = SF_MAX(lines, g.x.n * (b.k1 - b.k0) + g.levels.n * (b.i1 - b.i0));
        rows = SF_MAX(rows, (int)g.y.n);
    }
    struct ghost_frame w = {b, s->sk, s->sj, s->sm, l->ni, l->nk, s->j0, 0, 0};
    w.blocks_inside = lines ? (int)blocks_within(launch_blocks(lines, EACH), INSIDE_MOST) : 0;
    w.blocks_beyond = (int)blocks_within((ptrdiff_t)l->sj / EACH, BEYOND_MOST);
    const unsigned inside = (unsigned)((b.j1 - b.j0) * w.blocks_inside),
                   blocks = inside + (unsigned)(rows * w.blocks_beyond);
    if (blocks) SF_LAUNCH(ghosts_kernel, dim3(blocks, (unsigned)m), dim3(THREADS), stream, list, w);
    return m;
}

extern "C" void kernel_ghosts(const struct slab *s, const struct layout *l, const struct backend_ghosts *fill, int n,
                              struct box b, void *stream)
{
    for (int m = 0; m < n;) m += ghosts_some(s, l, fill + m, n - m, b, stream);
}

/* ---- whole rows -------------------------------------------------------------------------------------------------- */

struct row_list {
    struct ghost_entry entry[GHOST_MAP_SIZE];
    int n;
};

/* One after the other: a row may be made from one that was filled before it. */
__global__ static void ghost_rows_kernel(real *first, ptrdiff_t row, int j0, SF_ARGUMENT(struct row_list) list)
{
    launch_wait();
    const ptrdiff_t m = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= row) return;
    for (int e = 0; e < list.n; e++) {
        const struct ghost_entry q = list.entry[e];
        first[(q.to - j0) * row + m] = with_sign(first[(q.from - j0) * row + m], q.sign);
    }
}

extern "C" void kernel_ghost_rows(const struct slab *s, const struct layout *l, enum shape shape, int id,
                                  const struct ghost_map *y, int j0, int j1, void *stream)
{
    const ptrdiff_t row = shape == SHAPE_FULL ? l->sj : l->sm;
    struct row_list list = {};
    for (int e = 0; e < y->n; e++) {
        const struct ghost_entry q = y->entry[e];
        if (q.from >= j0 && q.from < j1 && q.to >= s->j0 && q.to < s->j0 + s->rows) list.entry[list.n++] = q;
    }
    if (!list.n) return;
    real *const first = s->f[id] - l->gi - (shape == SHAPE_FULL ? l->gk * l->sk : 0);
    SF_LAUNCH(ghost_rows_kernel, dim3(launch_blocks(row, THREADS)), dim3(THREADS), stream, first, row, s->j0, list);
}

/* ---- levels in time --------------------------------------------------------------------------------------------- */

__global__ static void between_kernel(real *to, const real *before, const real *after, real share, size_t n)
{
    launch_wait();
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t m = (size_t)blockIdx.x * blockDim.x + threadIdx.x; m < n; m += step)
        to[m] = between_levels(before[m], after[m], share);
}

extern "C" void kernel_between(real *to, const real *before, const real *after, real share, size_t n, void *stream)
{
    SF_LAUNCH(between_kernel, dim3(blocks_within((ptrdiff_t)n, COPY_BLOCKS)), dim3(THREADS), stream, to, before, after,
              share, n);
}

/* ---- ghosts that are given or make a gradient -------------------------------------------------------------------- */

/* Ghosts of one axis of one field, with the sources of its two sides. */
struct making {
    struct ghost_made entry[GHOST_MAP_SIZE];
    struct made_view view[2];
    int n, other; /* entries of the list; further ones of `beside` */
    struct ghost_entry beside[GHOST_MAP_SIZE]; /* levels, or columns, that mirror what is made */
    real *f;
    ptrdiff_t sk, sj;
    struct box box;
    int k0, k1, j0; /* levels; the slab's first row */
    int columns[GHOST_MAP_SIZE], ncolumns; /* beyond sides that are made in x */
};

static_assert(sizeof(struct making) <= 4096, "a launch takes 4 KiB everywhere");

__device__ static real made_value(const struct making &w, const struct ghost_made &g, const real *inside, int j, int k,
                                  int i)
{
    const real v = made_look(&w.view[g.face % 2], j, k, i);
    return g.is_flux ? made_by_gradient(*inside, g.along, v) : v;
}

/* A thread makes one column of one level of one row, or one that mirrors it: see columns_make in ghost.c. */
__global__ static void columns_kernel(__grid_constant__ SF_ARGUMENT(struct making) w)
{
    launch_wait();
    const int levels = w.k1 - w.k0 + w.other, n = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (n >= levels * w.n) return;
    const struct ghost_made &g = w.entry[n / levels];
    const int j = w.box.j0 + (int)blockIdx.y, at = n % levels;
    real *const row = w.f + (j - w.j0) * w.sj;
    const struct ghost_entry *z = NULL;
    int k = w.k0 + at;
    if (at >= w.k1 - w.k0) z = &w.beside[at - (w.k1 - w.k0)], k = z->from;
    else if (entry_of(w.beside, w.other, k)) return; /* a face */
    const real v = made_value(w, g, &row[k * w.sk + g.from], j, k, g.place);
    row[(z ? z->to : k) * w.sk + g.to] = z ? with_sign(v, z->sign) : v;
}

/* A thread makes one point of one level beyond floor or lid: see level_make in ghost.c. */
__global__ static void levels_kernel(__grid_constant__ SF_ARGUMENT(struct making) w)
{
    launch_wait();
    const int own = w.box.i1 - w.box.i0, all = own + w.ncolumns + w.other,
              n = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (n >= all * w.n) return;
    const struct ghost_made &g = w.entry[n / all];
    const int j = w.box.j0 + (int)blockIdx.y, at = n % all;
    real *const row = w.f + (j - w.j0) * w.sj;
    const struct ghost_entry *x = NULL;
    int i = w.box.i0 + at;
    if (at >= own + w.ncolumns) x = &w.beside[at - own - w.ncolumns], i = x->from;
    else if (at >= own) i = w.columns[at - own];
    else if (entry_of(w.beside, w.other, i)) return; /* a face */
    const real v = made_value(w, g, &row[g.from * w.sk + i], j, g.place, i);
    row[g.to * w.sk + (x ? x->to : i)] = x ? with_sign(v, x->sign) : v;
}

/* A thread makes one point of all rows beyond a side, ghosts with them. */
__global__ static void rows_kernel(__grid_constant__ SF_ARGUMENT(struct making) w)
{
    launch_wait();
    const int columns = w.box.i1 - w.box.i0, n = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (n >= columns * (w.k1 - w.k0)) return;
    const int k = w.k0 + n / columns, i = w.box.i0 + n % columns;
    for (int e = 0; e < w.n; e++) {
        const struct ghost_made &g = w.entry[e];
        const ptrdiff_t at = k * w.sk + i;
        w.f[(g.to - w.j0) * w.sj + at] = made_value(w, g, &w.f[(g.from - w.j0) * w.sj + at], g.place, k, i);
    }
}

static struct making making_of(const struct slab *s, const struct layout *l, const struct ghost_maker *m, int axis,
                               enum shape shape, int id)
{
    struct making w = {};
    w.f = s->f[id], w.sk = l->sk, w.sj = shape == SHAPE_FULL ? l->sj : l->sm, w.j0 = s->j0;
    for (int n = 0; n < m->n[axis]; n++) {
        const int face = m->entry[axis][n].face;
        w.view[face % 2] = ghost_source_view(s, l, &m->source[face]);
    }
    return w;
}

static int made_is_due(const struct ghost_made &g, int low, int high)
{
    return g.beyond == 0 || (g.beyond < 0 ? -g.beyond <= low : g.beyond <= high);
}

static void made_due(struct making *w, const struct ghost_maker *m, int axis, int low, int high)
{
    for (int n = 0; n < m->n[axis]; n++)
        if (made_is_due(m->entry[axis][n], low, high)) w->entry[w->n++] = m->entry[axis][n];
}

static void beside_due(struct making *w, const struct ghost_map &m, int low, int high)
{
    for (int n = 0; n < m.n; n++)
        if (ghost_is_due(&m.entry[n], low, high)) w->beside[w->other++] = m.entry[n];
}

extern "C" void kernel_make_rows(const struct slab *s, const struct layout *l, enum shape shape, int id,
                                 const struct ghost_maker *m, int j0, int j1, void *stream)
{
    struct making w = making_of(s, l, m, 1, shape, id);
    for (int n = 0; n < m->n[1]; n++) {
        const struct ghost_made &g = m->entry[1][n];
        if (g.from >= j0 && g.from < j1 && g.to >= s->j0 && g.to < s->j0 + s->rows) w.entry[w.n++] = g;
    }
    if (!w.n) return;
    w.box.i0 = -l->gi, w.box.i1 = l->ni + l->gi;
    if (shape == SHAPE_FULL) w.k0 = -l->gk, w.k1 = l->nk + l->gk;
    else w.k1 = 1;
    SF_LAUNCH(rows_kernel, dim3(launch_blocks((ptrdiff_t)(w.box.i1 - w.box.i0) * (w.k1 - w.k0), THREADS)),
              dim3(THREADS), stream, w);
}

static void columns_launch(const struct slab *s, const struct layout *l, const struct backend_ghosts *g, struct box b,
                           void *stream)
{
    const struct reach d = g->depth;
    const int full = g->shape == SHAPE_FULL;
    struct making w = making_of(s, l, g->maps->maker, 0, g->shape, g->id);
    made_due(&w, g->maps->maker, 0, d.im, d.ip);
    if (!w.n) return;
    w.box = b, w.k0 = full ? b.k0 : 0, w.k1 = full ? b.k1 : 1;
    if (full) beside_due(&w, g->maps->z, d.km, d.kp);
    SF_LAUNCH(columns_kernel,
              dim3(launch_blocks((ptrdiff_t)(w.k1 - w.k0 + w.other) * w.n, THREADS), (unsigned)(b.j1 - b.j0)),
              dim3(THREADS), stream, w);
}

static void levels_launch(const struct slab *s, const struct layout *l, const struct backend_ghosts *g, struct box b,
                          void *stream)
{
    const struct reach d = g->depth;
    const struct ghost_maker *const m = g->maps->maker;
    struct making w = making_of(s, l, m, 2, g->shape, g->id);
    if (g->shape == SHAPE_FULL) made_due(&w, m, 2, d.km, d.kp);
    if (!w.n) return;
    w.box = b;
    beside_due(&w, g->maps->x, d.im, d.ip);
    for (int n = 0; n < m->n[0]; n++)
        if (made_is_due(m->entry[0][n], d.im, d.ip)) w.columns[w.ncolumns++] = m->entry[0][n].to;
    SF_LAUNCH(
        levels_kernel,
        dim3(launch_blocks((ptrdiff_t)(b.i1 - b.i0 + w.ncolumns + w.other) * w.n, THREADS), (unsigned)(b.j1 - b.j0)),
        dim3(THREADS), stream, w);
}

extern "C" void kernel_make(const struct slab *s, const struct layout *l, const struct backend_ghosts *g, struct box b,
                            void *stream)
{
    enum { MOST = 32768 }; /* rows of a launch */
    const struct ghost_maker *const m = g->maps->maker;
    for (struct box part = b; part.j0 < b.j1; part.j0 += MOST) {
        part.j1 = SF_MIN(part.j0 + MOST, b.j1);
        columns_launch(s, l, g, part, stream);
        levels_launch(s, l, g, part, stream);
    }
    if (m->n[0] + m->n[2]) kernel_ghost_rows(s, l, g->shape, g->id, &g->maps->y, b.j0, b.j1, stream);
    kernel_make_rows(s, l, g->shape, g->id, m, b.j0, b.j1, stream);
}

/* ---- NaN and Inf ------------------------------------------------------------------------------------------------- */

__global__ static void find_bad_kernel(const real *value, size_t n, int *bad)
{
    launch_wait();
    const real largest = SF_PREC == 64 ? (real)1.7976931348623157e308 : (real)3.40282346638528859812e38f;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    int is_bad = 0;
    for (size_t m = (size_t)blockIdx.x * blockDim.x + threadIdx.x; m < n; m += step)
        is_bad |= !(sf_abs(value[m]) <= largest);
    if (is_bad) *bad = 1;
}

extern "C" void kernel_find_bad(const real *value, size_t n, int *bad, void *stream)
{
    SF_LAUNCH(find_bad_kernel, dim3(blocks_within((ptrdiff_t)n, CHECK_BLOCKS)), dim3(THREADS), stream, value, n, bad);
}

/* ---- what kernels were compiled for ------------------------------------------------------------------------------ */

/* On a device of Hopper's kind or later the code for one is taken, if there is any. */
extern "C" int kernels_wait(void)
{
    int wait = 0;
#ifdef __CUDA_ARCH_LIST__
    const int archs[] = {__CUDA_ARCH_LIST__};
    for (const int arch : archs) wait |= arch >= 900;
#endif
    return wait;
}
