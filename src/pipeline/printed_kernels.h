/* What descriptions of stages are printed for where nvcc compiles them: kernels of points and of columns. It is a part
 * of printed.h, which says what each is given, and which alone includes it. SPDX-License-Identifier: MIT */
#pragma once

#ifdef __cplusplus
/* A thread computes the same place of several rows: fewer threads begin, and what they begin with is there for all of
 * them. Some rows are computed together before any is stored, so that what they read comes at once. As many rows as
 * leave every multiprocessor enough threads. */
enum { MADE_ROWS = 8, MADE_TOGETHER = 2, MADE_BLOCKS = 32 };
/* Places as whole numbers of 32 bits, of which one instruction makes an address: distances between rows, levels and
 * rows of a map, the place in a map, the column. A launch takes as many rows as have few enough elements. */
struct made_strides {
    int sj, sk, sm, map, column;
};
enum { MADE_ELEMENTS_MOST = 1 << 30 };
static inline int made_near_end(const struct slab *s, int j0, int end)
{
    const ptrdiff_t most = SF_MAX(MADE_ELEMENTS_MOST / s->sj, 1);
    return (int)SF_MIN((ptrdiff_t)end, j0 + most);
}
#define MADE_AT(p, j, k) ((j) - (p).grid.j0) * (p).grid.sj + (k) * (p).grid.sk, ((j) - (p).grid.j0) * (p).grid.sm
static inline int made_rows(dim3 grid)
{
    const double blocks = (double)grid.x * grid.y * grid.z / (MADE_BLOCKS * (double)launch_multiprocessors());
    return blocks >= MADE_ROWS ? MADE_ROWS : blocks >= 2 ? (int)blocks : 1;
}

#define SF_MADE_PART(NAME) SF_MADE_KERNEL(NAME, NAME, NAME, 0)
#define SF_MADE_ROWS_PART(PART, NAME)                                                                                  \
    static void PART##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        const struct box of = NAME##_box(b, c);                                                                        \
        if (box_is_empty(of)) return;                                                                                  \
        dim3 grid = launch_grid(of, c->shape);                                                                         \
        const int rows = c->shape ? c->shape->rows : made_rows(grid);                                                  \
        grid.z = launch_blocks(of.j1 - of.j0, rows);                                                                   \
        SF_LAUNCH(PART##_kernel, grid, launch_block(c->shape, of), stream, NAME##_pack(s, c), of, rows);               \
    }
/* Of points OF of stage NAME, in a form of it. */
#define SF_MADE_KERNEL(PART, NAME, OF, FORM)                                                                           \
    __global__ void PART##_kernel(SF_ARGUMENT(struct NAME##_pack) p, SF_ARGUMENT(struct box) b, const int rows)        \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        const struct launch_point x = launch_here(b);                                                                  \
        if (!x.is_inside) return;                                                                                      \
        const int first = b.j0 + (int)blockIdx.z * rows, end = SF_MIN(first + rows, b.j1);                             \
        int j = first;                                                                                                 \
        for (; j + MADE_TOGETHER <= end; j += MADE_TOGETHER) {                                                         \
            struct NAME##_line l[MADE_TOGETHER];                                                                       \
            struct OF##_values y[MADE_TOGETHER];                                                                       \
            _Pragma("unroll") for (int m = 0; m < MADE_TOGETHER; m++)                                                  \
            {                                                                                                          \
                l[m] = NAME##_line(&p, MADE_AT(p, j + m, x.k), x.k);                                                   \
                y[m] = OF##_values(FORM, &l[m], x.i);                                                                  \
            }                                                                                                          \
            _Pragma("unroll") for (int m = 0; m < MADE_TOGETHER; m++) OF##_store(&l[m], x.i, &y[m]);                   \
        }                                                                                                              \
        for (; j < end; j++) {                                                                                         \
            const struct NAME##_line l = NAME##_line(&p, MADE_AT(p, j, x.k), x.k);                                     \
            const struct OF##_values y = OF##_values(FORM, &l, x.i);                                                   \
            OF##_store(&l, x.i, &y);                                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    SF_MADE_ROWS_PART(PART, NAME)
/* Of points whose threads take vectors of columns that lie beside each other, row after row: a vector is read and
 * written at once, and what the next row reads again stays in registers. One column a thread, at eight rows, asks the
 * second-level cache twice for what it reads, in four times as many pieces, and that cache then binds. */
enum { MADE_VECTOR = 4, MADE_VECTOR_I = 32, MADE_VECTOR_THREADS = 256 };
/* A vector, with those in the west and the east of it; column e of it, counted from the first of the vector. */
struct made_strip {
    points<MADE_VECTOR> of[3];
};
#define SF_IN_VECTOR(strip, e) (strip).of[(MADE_VECTOR + (e)) / MADE_VECTOR].at[(MADE_VECTOR + (e)) % MADE_VECTOR]
SF_POINT points<MADE_VECTOR> made_vector_at(const real *at) { return *(const points<MADE_VECTOR> *)at; }
SF_POINT void made_vector_put(real *at, real a, real b, real c, real d)
{
    const points<MADE_VECTOR> all = {{a, b, c, d}};
    *(points<MADE_VECTOR> *)at = all;
}
static inline int made_vector_first(int i) { return i >= 0 ? i / MADE_VECTOR : -((MADE_VECTOR - 1 - i) / MADE_VECTOR); }
static inline dim3 made_vector_block(const struct candidate *shape, int vectors)
{
    unsigned wide = MADE_VECTOR_I;
    if (shape) return dim3((unsigned)shape->tile_i / MADE_VECTOR, (unsigned)shape->tile_k, 1);
    while (wide > 1 && (int)wide / 2 >= vectors) wide /= 2;
    return dim3(wide, MADE_VECTOR_THREADS / wide, 1);
}
/* Registers of 32 bits: half as many values in double precision. */
#define SF_VECTOR_BLOCKS(NAME) SF_MAX(SF_PREC == 64 ? NAME##_BLOCKS / 2 : (int)NAME##_BLOCKS, 1)
#define SF_MADE_VECTORS_KERNEL(PART, NAME, OF, FORM)                                                                   \
    __global__ void __launch_bounds__(MADE_VECTOR_THREADS, SF_VECTOR_BLOCKS(NAME))                                     \
        PART##_kernel(SF_ARGUMENT(struct NAME##_pack) p, SF_ARGUMENT(struct box) b, const int vector, const int rows)  \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        const int i = MADE_VECTOR * (vector + (int)(blockIdx.x * blockDim.x + threadIdx.x)),                           \
                  k = b.k0 + (int)(blockIdx.y * blockDim.y + threadIdx.y), first = b.j0 + (int)blockIdx.z * rows,      \
                  end = SF_MIN(first + rows, b.j1);                                                                    \
        if (i >= b.i1 || k >= b.k1) return;                                                                            \
        struct NAME##_line l = NAME##_line(&p, MADE_AT(p, first, k), k);                                               \
        struct NAME##_around x;                                                                                        \
        NAME##_begin(&l, i, &x);                                                                                       \
        _Pragma("unroll 1") for (int j = first; j < end; j++)                                                          \
        {                                                                                                              \
            struct OF##_values y[MADE_VECTOR];                                                                         \
            if (j > first) NAME##_on(&l);                                                                              \
            NAME##_next(&l, i, b.i1, j + 1 < end, &x);                                                                 \
            _Pragma("unroll") for (int m = 0; m < MADE_VECTOR; m++) y[m] = OF##_values(FORM, &l, i + m, m, &x);        \
            if (i >= b.i0 && i + MADE_VECTOR <= b.i1) NAME##_put(&l, i, y);                                            \
            else                                                                                                       \
                _Pragma("unroll") for (int m = 0; m < MADE_VECTOR; m++) if (i + m >= b.i0 && i + m < b.i1)             \
                    OF##_store(&l, i + m, &y[m]);                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static void PART##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        const struct box of = NAME##_box(b, c);                                                                        \
        if (box_is_empty(of)) return;                                                                                  \
        const int vector = made_vector_first(of.i0), vectors = made_vector_first(of.i1 - 1) + 1 - vector;              \
        const dim3 block = made_vector_block(c->shape, vectors);                                                       \
        dim3 grid(launch_blocks(vectors, (int)block.x), launch_blocks(of.k1 - of.k0, (int)block.y),                    \
                  (unsigned)(of.j1 - of.j0));                                                                          \
        const int rows = c->shape ? c->shape->rows : made_rows(grid);                                                  \
        grid.z = launch_blocks(of.j1 - of.j0, rows);                                                                   \
        SF_LAUNCH(PART##_kernel, grid, block, stream, NAME##_pack(s, c), of, vector, rows);                            \
    }
/* Of a stage that changes few points: what says which is asked of several rows together. */
enum { MADE_ASKED = 4 };
#define SF_MADE_KERNEL_ONLY(PART, NAME, OF, FORM)                                                                      \
    __global__ void PART##_kernel(SF_ARGUMENT(struct NAME##_pack) p, SF_ARGUMENT(struct box) b, const int rows)        \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        const struct launch_point x = launch_here(b);                                                                  \
        if (!x.is_inside) return;                                                                                      \
        const int first = b.j0 + (int)blockIdx.z * rows, end = SF_MIN(first + rows, b.j1);                             \
        for (int j = first; j < end; j += MADE_ASKED) {                                                                \
            unsigned is = 0;                                                                                           \
            _Pragma("unroll") for (int m = 0; m < MADE_ASKED; m++)                                                     \
            {                                                                                                          \
                const struct NAME##_line l = NAME##_line(&p, MADE_AT(p, SF_MIN(j + m, end - 1), x.k), x.k);            \
                is |= OF##_only(FORM, &l, x.i) && j + m < end ? 1u << m : 0;                                           \
            }                                                                                                          \
            _Pragma("unroll 1") for (int m = 0; is >> m; m++)                                                          \
            {                                                                                                          \
                if (!(is >> m & 1)) continue;                                                                          \
                const struct NAME##_line l = NAME##_line(&p, MADE_AT(p, j + m, x.k), x.k);                             \
                const struct OF##_values y = OF##_values(FORM, &l, x.i);                                               \
                OF##_store(&l, x.i, &y);                                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    SF_MADE_ROWS_PART(PART, NAME)
#define SF_MADE_NEAR_ROWS(PART, NAME, LEVELS)                                                                          \
    static void PART##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        struct box of = NAME##_box(b, c);                                                                              \
        struct NAME##_pack p = NAME##_pack(s, c);                                                                      \
        if (box_is_empty(of)) return;                                                                                  \
        for (const int end = of.j1; of.j0 < end; of.j0 = of.j1) {                                                      \
            of.j1 = made_near_end(s, of.j0, end);                                                                      \
            NAME##_from(&p, of.j0 - p.grid.j0);                                                                        \
            dim3 grid = launch_grid(of, c->shape);                                                                     \
            const dim3 block = launch_block(c->shape, of);                                                             \
            grid.y = launch_blocks(of.k1 - of.k0, (int)block.y * (LEVELS));                                            \
            const int rows = c->shape ? c->shape->rows : made_rows(grid);                                              \
            grid.z = launch_blocks(of.j1 - of.j0, rows);                                                               \
            SF_LAUNCH(PART##_kernel, grid, block, stream, p, of, rows);                                                \
        }                                                                                                              \
    }
/* Of points OF of stage NAME, in a form of it: several of a column together, or of rows, where they share what they
 * read. `n` counts from where fields begin. */
#define SF_MADE_NEAR_POINTS(NAME, OF, FORM, ROWS, LEVELS)                                                              \
    {                                                                                                                  \
        struct NAME##_line l[ROWS * LEVELS];                                                                           \
        struct OF##_values y[ROWS * LEVELS];                                                                           \
        struct made_strides to[ROWS * LEVELS];                                                                         \
        int place[ROWS * LEVELS], n = (j - p.grid.j0) * at.sj + k * at.sk + x.i, map = (j - p.grid.j0) * at.sm + x.i;  \
        _Pragma("unroll") for (int m = 0; m < ROWS * LEVELS; m++)                                                      \
        {                                                                                                              \
            l[m] = NAME##_line(&p, 0, 0, LEVELS > 1 ? k + m : k), place[m] = n, to[m] = at, to[m].map = map,           \
            to[m].column = x.i;                                                                                        \
            y[m] = OF##_values(FORM, &l[m], n, &to[m]);                                                                \
            if (LEVELS > 1) n += at.sk;                                                                                \
            else n += at.sj, map += at.sm;                                                                             \
        }                                                                                                              \
        _Pragma("unroll") for (int m = 0; m < ROWS * LEVELS; m++) OF##_store(&l[m], place[m], &y[m]);                  \
    }
#define SF_MADE_NEAR_KERNEL(PART, NAME, OF, FORM)                                                                      \
    __global__ void PART##_kernel(SF_ARGUMENT(struct NAME##_pack) p, SF_ARGUMENT(struct box) b, const int rows)        \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        enum { LEVELS = NAME##_LEVELS, ROWS = LEVELS > 1 ? 1 : MADE_TOGETHER };                                        \
        const struct made_strides at = {(int)p.grid.sj, (int)p.grid.sk, (int)p.grid.sm, 0, 0};                         \
        const struct launch_point x = launch_here(b);                                                                  \
        const int lowest = b.k0 + (x.k - b.k0) * LEVELS, first = b.j0 + (int)blockIdx.z * rows,                        \
                  end = SF_MIN(first + rows, b.j1);                                                                    \
        if (x.i >= b.i1 || lowest >= b.k1) return;                                                                     \
        int j = first;                                                                                                 \
        for (; j + ROWS <= end && lowest + LEVELS <= b.k1; j += ROWS) {                                                \
            const int k = lowest;                                                                                      \
            SF_MADE_NEAR_POINTS(NAME, OF, FORM, ROWS, LEVELS)                                                          \
        }                                                                                                              \
        for (; j < end; j++)                                                                                           \
            for (int k = lowest; k < SF_MIN(lowest + LEVELS, b.k1); k++) SF_MADE_NEAR_POINTS(NAME, OF, FORM, 1, 1)     \
    }                                                                                                                  \
    SF_MADE_NEAR_ROWS(PART, NAME, NAME##_LEVELS)
/* The same of stages of several results that loops compute apart: a point a thread, in as many registers as let two
 * blocks of a multiprocessor run, row after row, so that most of what a row reads is still in the first-level cache. In
 * kernels apart, whose threads took one row, results wanted twice of the second-level cache. Twice of the registers in
 * double precision. */
enum { MADE_MUCH_BLOCKS = SF_PREC == 64 ? 1 : 2 };
#define SF_MADE_NEAR_KERNEL_MUCH(PART, NAME, OF, FORM)                                                                 \
    __global__ void __launch_bounds__(LAUNCH_I *LAUNCH_K, MADE_MUCH_BLOCKS)                                            \
        PART##_kernel(SF_ARGUMENT(struct NAME##_pack) p, SF_ARGUMENT(struct box) b, const int rows)                    \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        const struct made_strides at = {(int)p.grid.sj, (int)p.grid.sk, (int)p.grid.sm, 0, 0};                         \
        const struct launch_point x = launch_here(b);                                                                  \
        if (!x.is_inside) return;                                                                                      \
        const int k = x.k, first = b.j0 + (int)blockIdx.z * rows, end = SF_MIN(first + rows, b.j1);                    \
        for (int j = first; j < end; j++) SF_MADE_NEAR_POINTS(NAME, OF, FORM, 1, 1)                                    \
    }                                                                                                                  \
    SF_MADE_NEAR_ROWS(PART, NAME, 1)
/* All members at a point, which find what they share in registers or the first-level cache. */
#define SF_MADE_EACH_WHERE(PART, NAME, FORM, changes)                                                                  \
    __global__ void PART##_kernel(SF_ARGUMENT(struct NAME##_pack) p, SF_ARGUMENT(struct box) b,                        \
                                  SF_ARGUMENT(struct members) of)                                                      \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        const struct launch_point x = launch_here(b);                                                                  \
        if (!x.is_inside) return;                                                                                      \
        const ptrdiff_t at = (x.j - p.grid.j0) * p.grid.sj + x.k * p.grid.sk;                                          \
        struct NAME##_line l = NAME##_line(&p, MADE_AT(p, x.j, x.k), x.k);                                             \
        for (int m = 0; m < of.n; m++) {                                                                               \
            NAME##_member(&l, &of.of[m], at);                                                                          \
            if (!(changes)) continue;                                                                                  \
            const struct NAME##_values y = NAME##_values(FORM, &l, x.i);                                               \
            NAME##_store(&l, x.i, &y);                                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    static void PART##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        if (box_is_empty(b)) return;                                                                                   \
        for (int first = 0; first < c->members; first += MEMBERS_AT_ONCE)                                              \
            SF_LAUNCH(PART##_kernel, launch_grid(b, c->shape), launch_block(c->shape, b), stream, NAME##_pack(s, c),   \
                      b, members_of(c, first));                                                                        \
    }
#define SF_MADE_SIDES_IN(EACH, NAME, FORM) EACH(NAME##_in_##FORM##_sides, NAME, FORM | MADE_SIDES)
#define SF_MADE_SIDES_ANY(EACH, NAME, form)
#define SF_MADE_SIDES_RUN(NAME, FORM, boxes)                                                                           \
    for (int n = 0; n < 4; n++) NAME##_in_##FORM##_sides_part(s, boxes[n], c, stream);
#define SF_MADE_EACH(PART, NAME, FORM) SF_MADE_EACH_WHERE(PART, NAME, FORM, 1)
#define SF_MADE_EACH_ONLY(PART, NAME, FORM) SF_MADE_EACH_WHERE(PART, NAME, FORM, NAME##_only(FORM, &l, x.i))
/* A thread a column, a warp a block. Of each part NAME_n_TOGETHER levels are read while those before them are computed.
 * What is kept lies in shared memory where that leaves room for enough warps; elsewhere in memory of the device, of so
 * many groups of columns as are computed at a time. */
enum { COLUMN_WIDE = 32, COLUMN_CHIP = 24 * 1024, COLUMN_RESIDENT = 16 };

static inline size_t column_bytes(int slots, int levels)
{
    return (size_t)slots * (size_t)levels * COLUMN_WIDE * sizeof(real);
}
static inline unsigned column_groups(void) { return (unsigned)(COLUMN_RESIDENT * launch_multiprocessors()); }

#define SF_COLUMN_LEVEL(NAME, n, LEVEL)                                                                                \
    const int k = LEVEL(n);                                                                                            \
    const struct NAME##_line l = NAME##_line(&p, at + k * p.grid.sk, map, k, &x)

#define SF_COLUMN_SWEEP(NAME, N, LEVEL)                                                                                \
    {                                                                                                                  \
        enum { TOGETHER = NAME##_##N##_TOGETHER };                                                                     \
        struct NAME##_##N##_reads now[TOGETHER], next[TOGETHER];                                                       \
        int n = 0;                                                                                                     \
        _Pragma("unroll") for (int q = 0; q < TOGETHER; q++)                                                           \
        {                                                                                                              \
            SF_COLUMN_LEVEL(NAME, SF_MIN(q, levels - 1), LEVEL);                                                       \
            now[q] = NAME##_##N##_read(&l, i, m);                                                                      \
        }                                                                                                              \
        for (; n + TOGETHER <= levels; n += TOGETHER) {                                                                \
            _Pragma("unroll") for (int q = 0; q < TOGETHER; q++)                                                       \
            {                                                                                                          \
                SF_COLUMN_LEVEL(NAME, SF_MIN(n + TOGETHER + q, levels - 1), LEVEL);                                    \
                next[q] = NAME##_##N##_read(&l, i, m);                                                                 \
            }                                                                                                          \
            _Pragma("unroll") for (int q = 0; q < TOGETHER; q++)                                                       \
            {                                                                                                          \
                SF_COLUMN_LEVEL(NAME, n + q, LEVEL);                                                                   \
                NAME##_##N(&l, i, m, &now[q], &c);                                                                     \
            }                                                                                                          \
            _Pragma("unroll") for (int q = 0; q < TOGETHER; q++) now[q] = next[q];                                     \
        }                                                                                                              \
        _Pragma("unroll") for (int q = 0; q < TOGETHER; q++) if (n + q < levels)                                       \
        {                                                                                                              \
            SF_COLUMN_LEVEL(NAME, n + q, LEVEL);                                                                       \
            NAME##_##N(&l, i, m, &now[q], &c);                                                                         \
        }                                                                                                              \
    }
#define SF_COLUMN_FROM_BOTTOM(n) (x.k0 + (n))
#define SF_COLUMN_FROM_TOP(n) (x.k1 - 1 - (n))
#define SF_COLUMN_UP(NAME, N) SF_COLUMN_SWEEP(NAME, N, SF_COLUMN_FROM_BOTTOM)
#define SF_COLUMN_DOWN(NAME, N) SF_COLUMN_SWEEP(NAME, N, SF_COLUMN_FROM_TOP)
#define SF_COLUMN_ONCE(NAME, N)                                                                                        \
    {                                                                                                                  \
        SF_COLUMN_LEVEL(NAME, 0, SF_COLUMN_FROM_BOTTOM);                                                               \
        const struct NAME##_##N##_reads now = NAME##_##N##_read(&l, i, m);                                             \
        NAME##_##N(&l, i, m, &now, &c);                                                                                \
    }

/* PARTS: what is done at a column; behind them, a further argument of the kernel. */
#define SF_COLUMN_KERNEL(NAME, PARTS, ...)                                                                             \
    template <int ON_CHIP>                                                                                             \
    __global__ void __launch_bounds__(COLUMN_WIDE) NAME##_kernel(                                                      \
        SF_ARGUMENT(struct NAME##_pack) p, SF_ARGUMENT(struct box) b, real *const kept __VA_OPT__(, ) __VA_ARGS__)     \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        SF_SHARED(real, chip);                                                                                         \
        const int levels = b.k1 - b.k0, m = (int)threadIdx.x, across = (b.i1 - b.i0 + COLUMN_WIDE - 1) / COLUMN_WIDE;  \
        const ptrdiff_t apart = (ptrdiff_t)levels * COLUMN_WIDE;                                                       \
        real *const keep = ON_CHIP ? chip : kept + blockIdx.x * (apart * NAME##_SLOTS);                                \
        struct made_column x = {keep, NULL, apart, COLUMN_WIDE, b.k0, b.k1, 0, NULL};                                  \
        for (int group = (int)blockIdx.x; group < across * (b.j1 - b.j0); group += (int)gridDim.x) {                   \
            const int i = b.i0 + group % across * COLUMN_WIDE + m, row = b.j0 + group / across - p.grid.j0;            \
            const ptrdiff_t at = row * p.grid.sj, map = row * p.grid.sm;                                               \
            if (i >= b.i1) continue;                                                                                   \
            PARTS(NAME)                                                                                                \
        }                                                                                                              \
    }
#define SF_COLUMN_ALONE(NAME)                                                                                          \
    struct NAME##_carried c = {};                                                                                      \
    NAME##_PARTS
/* All members in a column, one behind the other. */
#define SF_COLUMN_EACH(NAME)                                                                                           \
    for (int n = 0; n < of.n; n++) {                                                                                   \
        const struct member one = of.of[n];                                                                            \
        struct NAME##_carried c = {};                                                                                  \
        x.of = &one;                                                                                                   \
        NAME##_PARTS                                                                                                   \
    }
#define SF_COLUMN_LAUNCH(NAME, ...)                                                                                    \
    {                                                                                                                  \
        const size_t bytes = column_bytes(NAME##_SLOTS, b.k1 - b.k0);                                                  \
        const unsigned groups = launch_blocks(b.i1 - b.i0, COLUMN_WIDE) * (unsigned)(b.j1 - b.j0);                     \
        const dim3 block(COLUMN_WIDE, 1, 1);                                                                           \
        if (bytes <= COLUMN_CHIP)                                                                                      \
            SF_LAUNCH_BLOCKS((NAME##_kernel<1>), dim3(groups), block, bytes + sizeof(real), stream, NAME##_pack(s, c), \
                             b, (real *)NULL __VA_OPT__(, ) __VA_ARGS__);                                              \
        else                                                                                                           \
            SF_LAUNCH_BLOCKS((NAME##_kernel<0>), dim3(SF_MIN(groups, column_groups())), block, sizeof(real), stream,   \
                             NAME##_pack(s, c), b, (real *)c->work __VA_OPT__(, ) __VA_ARGS__);                        \
    }
/* What stage NAME wants of the device, where a column wants what one of OF does. */
#define SF_COLUMN_WORK(NAME, OF)                                                                                       \
    extern "C" size_t NAME##_device_bytes(int levels)                                                                  \
    {                                                                                                                  \
        const size_t bytes = column_bytes(OF##_SLOTS, levels);                                                         \
        return bytes <= COLUMN_CHIP ? 0 : bytes * column_groups();                                                     \
    }
#define SF_COLUMN_STAGE(NAME, KERNELS)                                                                                 \
    SF_PART_STAGE(KERNELS, NAME##_part)                                                                                \
    SF_COLUMN_WORK(NAME, NAME)
#define SF_MADE_COLUMN_PART(NAME)                                                                                      \
    SF_COLUMN_KERNEL(NAME, SF_COLUMN_ALONE)                                                                            \
    static void NAME##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        if (!box_is_empty(b)) SF_COLUMN_LAUNCH(NAME)                                                                   \
    }
#define SF_MADE_COLUMN(NAME, KERNELS)                                                                                  \
    SF_MADE_COLUMN_PART(NAME)                                                                                          \
    SF_COLUMN_STAGE(NAME, KERNELS)
#define SF_MADE_EACH_COLUMN(NAME, KERNELS)                                                                             \
    SF_COLUMN_KERNEL(NAME, SF_COLUMN_EACH, SF_ARGUMENT(struct members) of)                                             \
    static void NAME##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        for (int first = 0; first < c->members && !box_is_empty(b); first += MEMBERS_AT_ONCE)                          \
            SF_COLUMN_LAUNCH(NAME, members_of(c, first))                                                               \
    }                                                                                                                  \
    SF_COLUMN_STAGE(NAME, KERNELS)

/* ---- columns by blocks ---- */

/* A block 32 columns: warps share out the levels, and each makes the equations of its own; to know what its lowest one
 * needs of those below it computes these again. Then a warp solves a system, out of shared memory, and all go on with
 * what it found. What the way down wants of a field is read again. */
template <int EACH_, int WARPS_, int BLOCKS_> struct column_shape {
    enum { EACH = EACH_, WARPS = WARPS_, BLOCKS = SF_PREC == 64 ? 1 : BLOCKS_, LEVELS = EACH * WARPS };
};
typedef column_shape<8, 8, 2> column_low;
typedef column_shape<16, 8, 2> column_middle;
typedef column_shape<16, 16, 1> column_high;

#define SF_BLOCK_POINT __device__ static inline
/* Shared memory of a block: of each level four numbers an equation, [level][system][number][column]; and behind them
 * what is known of it by profiles. */
static inline size_t column_block_bytes(int systems, int levels, int each, size_t profiles)
{
    return launch_blocks(levels, each) * (size_t)each * ((size_t)systems * 4 * COLUMN_WIDE * sizeof(real) + profiles);
}

#define SF_COLUMN_BLOCKS(NAME, PARTS, FIRST, ...)                                                                      \
    template <class SHAPE>                                                                                             \
    __global__ void __launch_bounds__(COLUMN_WIDE *SHAPE::WARPS, SHAPE::BLOCKS)                                        \
        NAME##_block_kernel(SF_ARGUMENT(struct NAME##_pack) p, SF_ARGUMENT(struct box) b __VA_OPT__(, ) __VA_ARGS__)   \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        SF_SHARED(real, chip);                                                                                         \
        enum { EACH = SHAPE::EACH, LEVEL = NAME##_SYSTEMS * 4 * COLUMN_WIDE };                                         \
        const int levels = b.k1 - b.k0, m = (int)threadIdx.x, first = (int)threadIdx.y * EACH,                         \
                  place = b.i0 + (int)blockIdx.x * COLUMN_WIDE + m, row = b.j0 + (int)blockIdx.y - p.grid.j0;          \
        const struct made_strides strides = {(int)p.grid.sj, (int)p.grid.sk, (int)p.grid.sm, 0, 0};                    \
        const int i = SF_MIN(place, b.i1 - 1), is_inside = place < b.i1,                                               \
                  bottom = row * strides.sj + b.k0 * strides.sk + i;                                                   \
        const ptrdiff_t at = row * p.grid.sj, map = row * p.grid.sm;                                                   \
        real *const own = chip + first * LEVEL + m;                                                                    \
        struct NAME##_levels *const profiles =                                                                         \
            reinterpret_cast<struct NAME##_levels *>(chip + (int)blockDim.y * EACH * LEVEL);                           \
        struct made_column x = {chip, NULL, 0, 0, b.k0, b.k1, 0, FIRST};                                               \
        if (m < EACH) {                                                                                                \
            const struct NAME##_line l = NAME##_line(&p, at, map, b.k0 + SF_MIN(first + m, levels - 1), &x);           \
            NAME##_levels_put(&profiles[first + m], &l);                                                               \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        PARTS(NAME)                                                                                                    \
    }
/* `l`: the line of a level of the block, from where fields begin; `n`: the level's own place. */
#define SF_COLUMN_BLOCK_LEVEL(NAME, LEVEL_OF)                                                                          \
    const int level = LEVEL_OF, n = bottom + level * strides.sk;                                                       \
    struct NAME##_line l = whole;                                                                                      \
    l.is_bottom = level == 0, l.is_top = level + 1 == levels;                                                          \
    NAME##_levels_get(&l, &profiles[level])
#define SF_COLUMN_BLOCK(NAME)                                                                                          \
    const struct NAME##_line whole = NAME##_line(&p, 0, map, b.k0, &x);                                                \
    const struct NAME##_maps maps = NAME##_maps(&whole, i);                                                            \
    struct NAME##_carried c = {};                                                                                      \
    struct NAME##_kept kept[EACH];                                                                                     \
    struct NAME##_ahead ahead;                                                                                         \
    NAME##_BEFORE const struct NAME##_carried begins = c;                                                              \
    {                                                                                                                  \
        SF_COLUMN_BLOCK_LEVEL(NAME, SF_MAX(first - NAME##_DEEP, 0));                                                   \
        ahead = NAME##_ahead(&l, n, &strides);                                                                         \
    }                                                                                                                  \
    _Pragma("unroll") for (int q = -NAME##_DEEP; q < 0; q++)                                                           \
    {                                                                                                                  \
        struct column_equation passed[NAME##_SYSTEMS];                                                                 \
        struct NAME##_kept again;                                                                                      \
        SF_COLUMN_BLOCK_LEVEL(NAME, SF_MAX(first + q, 0));                                                             \
        NAME##_raise(&l, n, &strides, &maps, &c, &again, &ahead, passed);                                              \
    }                                                                                                                  \
    if (!first) {                                                                                                      \
        SF_COLUMN_BLOCK_LEVEL(NAME, 0);                                                                                \
        c = begins, ahead = NAME##_ahead(&l, n, &strides);                                                             \
    }                                                                                                                  \
    _Pragma("unroll") for (int q = 0; q < EACH; q++)                                                                   \
    {                                                                                                                  \
        struct column_equation equation[NAME##_SYSTEMS];                                                               \
        SF_COLUMN_BLOCK_LEVEL(NAME, SF_MIN(first + q, levels - 1));                                                    \
        NAME##_raise(&l, n, &strides, &maps, &c, &kept[q], &ahead, equation);                                          \
        for (int y = 0; y < NAME##_SYSTEMS; y++) {                                                                     \
            if (first + q >= levels) equation[y] = {R(0.0), R(1.0), R(0.0), R(0.0)};                                   \
            column_equation_put(own + q * LEVEL + y * 4 * COLUMN_WIDE, COLUMN_WIDE, equation[y]);                      \
        }                                                                                                              \
    }                                                                                                                  \
    __syncthreads();                                                                                                   \
    for (int y = (int)threadIdx.y; y < NAME##_SYSTEMS; y += (int)blockDim.y)                                           \
        column_solve<LEVEL, COLUMN_WIDE>(chip + y * 4 * COLUMN_WIDE + m, (int)blockDim.y * EACH);                      \
    __syncthreads();                                                                                                   \
    _Pragma("unroll") for (int q = 0; q < EACH; q++) if (is_inside && first + q < levels)                              \
    {                                                                                                                  \
        real found[2 * NAME##_SYSTEMS];                                                                                \
        SF_COLUMN_BLOCK_LEVEL(NAME, first + q);                                                                        \
        for (int y = 0; y < NAME##_SYSTEMS; y++) {                                                                     \
            const real *const solved = column_found(own + q * LEVEL + y * 4 * COLUMN_WIDE, COLUMN_WIDE);               \
            found[2 * y] = solved[0], found[2 * y + 1] = l.is_top ? R(0.0) : solved[LEVEL];                            \
        }                                                                                                              \
        NAME##_lower(&l, n, &strides, &maps, &c, &kept[q], found);                                                     \
    }                                                                                                                  \
    __syncthreads();                                                                                                   \
    if (threadIdx.y == 0 && is_inside) {                                                                               \
        NAME##_BEHIND                                                                                                  \
    }
#define SF_COLUMN_BLOCK_EACH(NAME)                                                                                     \
    for (int one_of = 0; one_of < of.n; one_of++) {                                                                    \
        const struct member one = of.of[one_of];                                                                       \
        x.of = &one;                                                                                                   \
        SF_COLUMN_BLOCK(NAME)                                                                                          \
        __syncthreads();                                                                                               \
    }
/* Launches it and ends the function that it stands in, where the device has room for so many levels. */
#define SF_COLUMN_BLOCKS_LAUNCH(NAME, SHAPE, ...)                                                                      \
    {                                                                                                                  \
        const size_t bytes =                                                                                           \
            column_block_bytes(NAME##_SYSTEMS, b.k1 - b.k0, SHAPE::EACH, sizeof(struct NAME##_levels));                \
        if (b.k1 - b.k0 <= SHAPE::LEVELS && bytes <= (size_t)launch_shared_room() &&                                   \
            (b.j1 - s->j0 + 8) * s->sj < MADE_ELEMENTS_MOST) {                                                         \
            const dim3 grid(launch_blocks(b.i1 - b.i0, COLUMN_WIDE), (unsigned)(b.j1 - b.j0)),                         \
                block(COLUMN_WIDE, launch_blocks(b.k1 - b.k0, SHAPE::EACH));                                           \
            SF_LAUNCH_BLOCKS((NAME##_block_kernel<SHAPE>), grid, block, bytes, stream, NAME##_pack(s, c),              \
                             b __VA_OPT__(, ) __VA_ARGS__);                                                            \
            return;                                                                                                    \
        }                                                                                                              \
    }
#define SF_COLUMN_BLOCKS_TRY(NAME, ...)                                                                                \
    SF_COLUMN_BLOCKS_LAUNCH(NAME, column_low, __VA_ARGS__)                                                             \
    SF_COLUMN_BLOCKS_LAUNCH(NAME, column_middle, __VA_ARGS__)                                                          \
    SF_COLUMN_BLOCKS_LAUNCH(NAME, column_high, __VA_ARGS__)
#define SF_MADE_BLOCKS_COLUMN(NAME, KERNELS)                                                                           \
    SF_COLUMN_KERNEL(NAME, SF_COLUMN_ALONE)                                                                            \
    SF_COLUMN_BLOCKS(NAME, SF_COLUMN_BLOCK, NULL)                                                                      \
    static void NAME##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        if (box_is_empty(b)) return;                                                                                   \
        SF_COLUMN_BLOCKS_TRY(NAME)                                                                                     \
        SF_COLUMN_LAUNCH(NAME)                                                                                         \
    }                                                                                                                  \
    SF_COLUMN_STAGE(NAME, KERNELS)
#define SF_MADE_BLOCKS_EACH_COLUMN(NAME, KERNELS)                                                                      \
    SF_COLUMN_KERNEL(NAME, SF_COLUMN_EACH, SF_ARGUMENT(struct members) of)                                             \
    SF_COLUMN_BLOCKS(NAME, SF_COLUMN_BLOCK_EACH, &of.of[0], SF_ARGUMENT(struct members) of)                            \
    static void NAME##_once(const struct slab *s, struct box b, const struct call *c, void *stream, int first)         \
    {                                                                                                                  \
        SF_COLUMN_BLOCKS_TRY(NAME, members_of(c, first))                                                               \
        SF_COLUMN_LAUNCH(NAME, members_of(c, first))                                                                   \
    }                                                                                                                  \
    static void NAME##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        for (int first = 0; first < c->members && !box_is_empty(b); first += MEMBERS_AT_ONCE)                          \
            NAME##_once(s, b, c, stream, first);                                                                       \
    }                                                                                                                  \
    SF_COLUMN_STAGE(NAME, KERNELS)

#define SF_MADE_POINT(NAME, KERNELS)                                                                                   \
    SF_MADE_PART(NAME)                                                                                                 \
    SF_PART_STAGE(KERNELS, NAME##_part)
#define SF_MADE_NEAR_POINT(NAME, KERNELS)                                                                              \
    SF_MADE_NEAR_KERNEL(NAME, NAME, NAME, 0)                                                                           \
    SF_PART_STAGE(KERNELS, NAME##_part)
#define SF_MADE_VECTORS_POINT(NAME, KERNELS)                                                                           \
    SF_MADE_VECTORS_KERNEL(NAME, NAME, NAME, 0)                                                                        \
    SF_PART_STAGE(KERNELS, NAME##_part)
#endif
