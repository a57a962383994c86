/* The loop of stages that know media and layers, as they are printed of waves.sf: see stages/print_layers.c.
 *
 * A line of cells along x is computed whole where it has one medium, else in pieces; the layers that it runs through
 * follow while it is in the first-level cache. A stage NAME has, for a point i of the piece that begins at i0,
 *
 *     NAME_point(&line, &one, &many, i, i0, uniform)                 uniform, a literal: `one` medium, else `many`
 *     NAME_layer_z(&line, &of, &one, &many, i, i0, uniform)          within a layer along z; of: its memories
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
#include "maxwell/cpml.h"
#include "maxwell/maxwell.h"
#include "maxwell/yee.h"
#ifdef __cplusplus
}
#endif
#include "pipeline/points.h"

enum { MADE_PIECE = 64 }; /* columns of a line whose media are looked at together */

/* By axis: cells, and those of the layers at the low and high end, as many as are stored; what layers store across;
 * rows after which y repeats, 0: never. */
struct made_layers {
    int n[3], low[3], high[3];
    int columns, levels, rows;
};

static inline struct made_layers maxwell_layers(const struct maxwell *x)
{
    struct made_layers g;
    g.columns = x->ni + x->ext_i, g.levels = x->nk + x->ext_k, g.rows = x->periodic[AY] ? x->nj : 0;
    for (int a = 0; a < 3; a++) g.n[a] = x->axis[a].n, g.low[a] = x->axis[a].wide_low, g.high[a] = x->axis[a].wide_high;
    return g;
}

/* A line, and the layers that cross it: y, z: at the low end, 0, or the high one, 1; -1: none. row: of the slab. */
struct made_near {
    int k, y, z;
    ptrdiff_t row;
};

SF_POINT struct made_near made_near_of(const struct made_layers *g, ptrdiff_t row, int j, int k)
{
    struct made_near near;
    near.k = k, near.row = row;
    near.y = layer_of(j, g->n[AY], g->low[AY], g->high[AY]), near.z = layer_of(k, g->n[AZ], g->low[AZ], g->high[AZ]);
    return near;
}

/* Where memories of a layer have what would be column 0 of the line. */
SF_POINT ptrdiff_t made_at_y(const struct made_layers *g, const struct made_near *l, int end)
{
    (void)end;
    return layer_offset(l->row, l->k, 0, g->levels, g->columns);
}
SF_POINT ptrdiff_t made_at_z(const struct made_layers *g, const struct made_near *l, int end)
{
    const int wide = end ? g->high[AZ] : g->low[AZ];
    return layer_offset(l->row, end ? l->k - (g->n[AZ] - wide) : l->k, 0, wide, g->columns);
}
SF_POINT ptrdiff_t made_at_x(const struct made_layers *g, const struct made_near *l, int end)
{
    const int wide = end ? g->high[AX] : g->low[AX];
    return layer_offset(l->row, l->k, 0, g->levels, wide) - (end ? g->n[AX] - wide : 0);
}

#define SF_MADE_MEDIUM(name) (uniform ? one->name : many->name[i - i0])

#ifdef __cplusplus

/* A thread a point. */
enum { MADE_RESIDENT = SF_PREC == 64 ? 3 : 5 }; /* blocks of a multiprocessor: 48 registers of 32 bits a thread */

#define SF_MADE_ALONG(NAME, AXIS)                                                                                      \
    if (near.AXIS >= 0) {                                                                                              \
        const struct NAME##_of_##AXIS of =                                                                             \
            NAME##_of_##AXIS(&p, near.AXIS, made_at_##AXIS(&p.layers, &near, near.AXIS));                              \
        NAME##_layer_##AXIS(&l, &of, &one, NULL, x.i, x.i, 1);                                                         \
    }
#define SF_MADE_ACROSS(NAME)                                                                                           \
    for (int end = 0; end < 2; end++) {                                                                                \
        const int wide = end ? p.layers.high[AX] : p.layers.low[AX], first = end ? p.layers.n[AX] - wide : 0;          \
        if (x.i < first || x.i >= first + wide) continue;                                                              \
        const struct NAME##_of_x of = NAME##_of_x(&p, end, made_at_x(&p.layers, &near, end));                          \
        NAME##_layer_x(&l, &of, &one, NULL, x.i, x.i, 1);                                                              \
    }

#define SF_MADE_LAYERED(NAME, KERNELS)                                                                                 \
    template <int BYTES>                                                                                               \
    __global__ void __launch_bounds__(LAUNCH_I *LAUNCH_K, MADE_RESIDENT)                                               \
        NAME##_kernel(SF_ARGUMENT(struct NAME##_pack) p, SF_ARGUMENT(struct box) b)                                    \
    {                                                                                                                  \
        launch_wait();                                                                                                 \
        const struct launch_point x = launch_here(b);                                                                  \
        if (!x.is_inside) return;                                                                                      \
        const ptrdiff_t row = x.j - p.grid.j0, at = row * p.grid.sj + x.k * p.grid.sk;                                 \
        const struct NAME##_line l = NAME##_line(&p, at, row * p.grid.sm, x.k, place_row(x.j, p.layers.rows));         \
        const struct made_near near = made_near_of(&p.layers, row, x.j, x.k);                                          \
        const struct NAME##_one one = NAME##_one(&p, at + x.i, BYTES);                                                 \
        NAME##_point(&l, &one, NULL, x.i, x.i, 1);                                                                     \
        NAME##_LAYERS(SF_MADE_ALONG, SF_MADE_ACROSS)                                                                   \
    }                                                                                                                  \
    static void NAME##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        if (box_is_empty(b)) return;                                                                                   \
        const struct NAME##_pack p = NAME##_pack(s, c);                                                                \
        if (p.wide == 0)                                                                                               \
            SF_LAUNCH(NAME##_kernel<0>, launch_grid(b, c->shape), launch_block(c->shape, b), stream, p, b);            \
        else if (p.wide == 1)                                                                                          \
            SF_LAUNCH(NAME##_kernel<1>, launch_grid(b, c->shape), launch_block(c->shape, b), stream, p, b);            \
        else SF_LAUNCH(NAME##_kernel<2>, launch_grid(b, c->shape), launch_block(c->shape, b), stream, p, b);           \
    }                                                                                                                  \
    SF_PART_STAGE(KERNELS, NAME##_part)

#else

/* Are there several media among n columns? */
SF_POINT int made_differ(const void *ids, ptrdiff_t at, int n, const int wide)
{
    unsigned differ = 0;
    if (wide == 1) {
        const unsigned char *const id = (const unsigned char *)ids + at;
        unsigned char d = 0;
        for (int i = 0; i < n; i++) d |= (unsigned char)(id[i] ^ id[0]);
        differ = d;
    } else {
        const unsigned short *const id = (const unsigned short *)ids + at;
        unsigned short d = 0;
        for (int i = 0; i < n; i++) d |= (unsigned short)(id[i] ^ id[0]);
        differ = d;
    }
    return differ != 0;
}

/* Loops of a piece, once for those of one medium and once for the others: in functions of their own, which have what
 * all points share in registers as their caller had it. */
#define SF_MADE_PIECES(NAME)                                                                                           \
    static __attribute__((noinline)) void NAME##_whole(const struct NAME##_pack *p, const struct NAME##_line *line,    \
                                                       const struct made_near *near, const struct NAME##_one *medium,  \
                                                       int i0, int i1)                                                 \
    {                                                                                                                  \
        const struct NAME##_line l = *line;                                                                            \
        const struct NAME##_one one = *medium;                                                                         \
        NAME##_piece(p, &l, near, &one, NULL, i0, i1, 1);                                                              \
    }                                                                                                                  \
    static __attribute__((noinline)) void NAME##_parted(const struct NAME##_pack *p, const struct NAME##_line *line,   \
                                                        const struct made_near *near, const struct NAME##_many *many,  \
                                                        int i0, int i1)                                                \
    {                                                                                                                  \
        const struct NAME##_line l = *line;                                                                            \
        NAME##_piece(p, &l, near, NULL, many, i0, i1, 0);                                                              \
    }

/* A layer whose axis crosses the line; one along it, at either end, whose whole vectors have a loop of their own: it is
 * stored in such widths. */
#define SF_MADE_ALONG(NAME, AXIS)                                                                                      \
    if (near->AXIS >= 0) {                                                                                             \
        const struct NAME##_of_##AXIS of =                                                                             \
            NAME##_of_##AXIS(p, near->AXIS, made_at_##AXIS(&p->layers, near, near->AXIS));                             \
        _Pragma("omp simd") for (int i = i0; i < i1; i++) NAME##_layer_##AXIS(l, &of, one, many, i, i0, uniform);      \
    }
#define SF_MADE_ACROSS(NAME)                                                                                           \
    NAME##_end(p, l, near, one, many, i0, i1, uniform, 0, 0, p->layers.low[AX]);                                       \
    NAME##_end(p, l, near, one, many, i0, i1, uniform, 1, p->layers.n[AX] - p->layers.high[AX], p->layers.high[AX]);

#define SF_MADE_LAYERED(NAME, KERNELS)                                                                                 \
    SF_POINT void NAME##_end(const struct NAME##_pack *p, const struct NAME##_line *l, const struct made_near *near,   \
                             const struct NAME##_one *one, const struct NAME##_many *many, int i0, int i1,             \
                             const int uniform, const int end, int first, int wide)                                    \
    {                                                                                                                  \
        const int c1 = SF_MIN(i1, first + wide);                                                                       \
        int c = SF_MAX(i0, first);                                                                                     \
        if (c >= c1) return;                                                                                           \
        const struct NAME##_of_x of = NAME##_of_x(p, end, made_at_x(&p->layers, near, end));                           \
        for (; c + CPML_VECTOR <= c1; c += CPML_VECTOR) {                                                              \
            _Pragma("omp simd") for (int n = 0; n < CPML_VECTOR; n++)                                                  \
                NAME##_layer_x(l, &of, one, many, c + n, i0, uniform);                                                 \
        }                                                                                                              \
        _Pragma("omp simd") for (int i = c; i < c1; i++) NAME##_layer_x(l, &of, one, many, i, i0, uniform);            \
    }                                                                                                                  \
    SF_POINT void NAME##_piece(const struct NAME##_pack *p, const struct NAME##_line *l, const struct made_near *near, \
                               const struct NAME##_one *one, const struct NAME##_many *many, int i0, int i1,           \
                               const int uniform)                                                                      \
    {                                                                                                                  \
        _Pragma("omp simd") for (int i = i0; i < i1; i++) NAME##_point(l, one, many, i, i0, uniform);                  \
        NAME##_LAYERS(SF_MADE_ALONG, SF_MADE_ACROSS)                                                                   \
    }                                                                                                                  \
    SF_MADE_PIECES(NAME)                                                                                               \
    SF_POINT void NAME##_mixed(const struct NAME##_pack *p, const struct NAME##_line *l, const struct made_near *near, \
                               ptrdiff_t at, int i0, int i1, const int wide)                                           \
    {                                                                                                                  \
        struct NAME##_many many;                                                                                       \
        for (int first = i0; first < i1; first += MADE_PIECE) {                                                        \
            const int end = SF_MIN(first + MADE_PIECE, i1);                                                            \
            if (!NAME##_differ(p, at + first, end - first, wide)) {                                                    \
                const struct NAME##_one one = NAME##_one(p, at + first, wide);                                         \
                NAME##_whole(p, l, near, &one, first, end);                                                            \
                continue;                                                                                              \
            }                                                                                                          \
            NAME##_many(&many, p, at + first, end - first, wide);                                                      \
            NAME##_parted(p, l, near, &many, first, end);                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static void NAME##_part(const struct slab *s, struct box b, const struct call *c, void *stream)                    \
    {                                                                                                                  \
        (void)stream;                                                                                                  \
        const struct NAME##_pack p = NAME##_pack(s, c);                                                                \
        const int n = b.i1 - b.i0;                                                                                     \
        for (int j = b.j0; j < b.j1; j++)                                                                              \
            for (int k = b.k0; k < b.k1; k++) {                                                                        \
                const ptrdiff_t row = j - s->j0, at = row * s->sj + k * s->sk;                                         \
                const struct NAME##_line l = NAME##_line(&p, at, row * s->sm, k, place_row(j, p.layers.rows));         \
                const struct made_near near = made_near_of(&p.layers, row, j, k);                                      \
                const struct NAME##_one one = NAME##_one(&p, at + b.i0, p.wide);                                       \
                const int differ = p.wide == 1 ? NAME##_differ(&p, at + b.i0, n, 1)                                    \
                                   : p.wide    ? NAME##_differ(&p, at + b.i0, n, 2)                                    \
                                               : 0;                                                                       \
                if (!differ) NAME##_whole(&p, &l, &near, &one, b.i0, b.i1);                                            \
                else if (p.wide == 1) NAME##_mixed(&p, &l, &near, at, b.i0, b.i1, 1);                                  \
                else NAME##_mixed(&p, &l, &near, at, b.i0, b.i1, 2);                                                   \
            }                                                                                                          \
    }                                                                                                                  \
    SF_PART_STAGE(NAME, NAME##_part)

#endif
