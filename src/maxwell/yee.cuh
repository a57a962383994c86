/* An element of E or H on a GPU: what kernels know of a half step, and its formulas for all three components of a
 * point. SPDX-License-Identifier: MIT */
#pragma once

extern "C" {
#include "maxwell/maxwell.h"
#include "maxwell/yee.h"
}

#include "pipeline/launch.h"

/* Offsets are those of the slab, from column 0 and level 0 of row `j0` on. */
struct half {
    const real *old[3]; /* what is updated: its values */
    real *own[3]; /* and where they go, the same or another bank */
    const real *other[3]; /* what its curl is taken of */
    const void *ids[3];
    const real *keep, *turn;
    const real *spacing[3], *b[3], *a[3]; /* by axis, of this half's places: see struct axis_lines */
    const real *memory[3][2][2]; /* of the layer along an axis, at its low and high face: first and second */
    real *made[3][2][2]; /* where they go */
    ptrdiff_t sj, sk;
    int n[3], low[3], high[3]; /* cells; those of layers, as many as are stored */
    int columns, levels; /* that layers store */
    int repeats[3]; /* elements after which an axis repeats; 0: never */
    int odd[3]; /* 1: H along a side at the low end of an axis has a mirror image of the other sign */
    int j0;
    int whole; /* 1: packs of 16 bytes lie at multiples of that in all memories, and in one layer along x at most */
    int wide; /* bytes of an id */
};

static inline struct half half_make(const struct slab *s, const struct maxwell *x, int is_e)
{
    const struct coefficients *const t = is_e ? &x->e : &x->h;
    struct half h;
    uintptr_t whole = 0;
    h.keep = t->keep, h.turn = t->turn, h.sj = s->sj, h.sk = s->sk, h.wide = is_e ? x->e_wide : x->h_wide;
    h.columns = x->ni + x->ext_i, h.levels = x->nk + x->ext_k, h.j0 = s->j0;
    for (int c = 0; c < 3; c++) {
        const int own = is_e ? F_EX : F_HX, other = is_e ? F_HX : F_EX, ids = is_e ? F_MEX : F_MHX;
        h.old[c] = s->f[own + c], h.own[c] = s->w[own + c], h.other[c] = s->f[other + c], h.ids[c] = s->f[ids + c];
    }
    for (int a = 0; a < 3; a++) {
        const struct axis_lines *const l = &x->axis[a];
        h.spacing[a] = is_e ? l->e : l->h, h.b[a] = is_e ? l->be : l->bh, h.a[a] = is_e ? l->ae : l->ah;
        h.n[a] = l->n, h.low[a] = l->wide_low, h.high[a] = l->wide_high;
        h.repeats[a] = x->periodic[a] ? l->n : 0, h.odd[a] = x->odd[a];
        for (int m = 0; m < 4; m++) {
            const int psi = F_PSI_W + 8 * a + 4 * (m / 2) + m % 2 + (is_e ? 0 : 2);
            h.memory[a][m / 2][m % 2] = s->f[psi], h.made[a][m / 2][m % 2] = s->w[psi];
            whole |= (uintptr_t)s->f[psi] | (uintptr_t)s->w[psi];
        }
    }
    whole |= (uintptr_t)(h.columns | h.n[AX] | h.low[AX] | h.high[AX]) * sizeof(real);
    h.whole = whole % 16 == 0 && h.low[AX] + h.high[AX] <= h.n[AX];
    return h;
}

/* Three components of one point: their values, media, and the differences of their curls, a and b as yee_update takes
 * them. The difference of component c along axis (c + 2) % 3 is b of E, a of H. */
struct point {
    real f[3], keep[3], turn[3], da[3], db[3];
};

/* Media of the three components: all 0 where there are no ids. */
struct point_ids {
    unsigned id[3];
};

__device__ static inline struct point_ids ids_read(const struct half &h, ptrdiff_t at, int wide)
{
    struct point_ids m;
#pragma unroll
    for (int c = 0; c < 3; c++) m.id[c] = wide ? id_at(h.ids[c], at, wide) : 0;
    return m;
}

__device__ static inline void media_take(struct point *p, const struct half &h, const struct point_ids *m)
{
#pragma unroll
    for (int c = 0; c < 3; c++) p->keep[c] = h.keep[m->id[c]], p->turn[c] = h.turn[m->id[c]];
}

template <int is_e> __device__ static inline void point_update(struct point *p, real rx, real ry, real rz)
{
    const real r[3] = {rx, ry, rz};
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const real r1 = r[(c + 1) % 3], r2 = r[(c + 2) % 3];
        p->f[c] = yee_update(p->f[c], p->keep[c], p->turn[c], p->da[c], is_e ? r1 : r2, p->db[c], is_e ? r2 : r1);
    }
}

/* The layer along one axis, element m of it; `at`: of its memories, which are kept where `keeps` is set. */
template <int is_e, int axis>
__device__ static inline void point_layer(struct point *p, const struct half &h, int high, int m, ptrdiff_t at,
                                          int keeps)
{
    const int c1 = (axis + 1) % 3, c2 = (axis + 2) % 3;
    const real b = h.b[axis][m], a = h.a[axis][m];
    const real n1 = cpml_memory(h.memory[axis][high][0][at], b, a, is_e ? p->db[c1] : p->da[c1]);
    const real n2 = cpml_memory(h.memory[axis][high][1][at], b, a, is_e ? p->da[c2] : p->db[c2]);
    if (keeps) h.made[axis][high][0][at] = n1, h.made[axis][high][1][at] = n2;
    p->f[c1] = cpml_add(p->f[c1], p->turn[c1], n1);
    p->f[c2] = cpml_add(p->f[c2], p->turn[c2], n2);
}

/* The layers that a point lies in, in the order of the CPU: z, y, x. Those of x may overlap, where they are stored
 * wider than they are. */
template <int is_e>
__device__ static inline void point_layers(struct point *p, const struct half &h, int i, int j, int k, int keeps)
{
    const int of_z = layer_of(k, h.n[AZ], h.low[AZ], h.high[AZ]), east = h.n[AX] - h.high[AX];
    const ptrdiff_t row = j - h.j0;
    const int of_y = layer_of(j, h.n[AY], h.low[AY], h.high[AY]);
    if (of_z >= 0) {
        const int level = of_z ? k - (h.n[AZ] - h.high[AZ]) : k;
        point_layer<is_e, AZ>(p, h, of_z, k, layer_offset(row, level, i, of_z ? h.high[AZ] : h.low[AZ], h.columns),
                              keeps);
    }
    if (of_y >= 0) point_layer<is_e, AY>(p, h, of_y, j, layer_offset(row, k, i, h.levels, h.columns), keeps);
    if (i < h.low[AX]) point_layer<is_e, AX>(p, h, 0, i, layer_offset(row, k, i, h.levels, h.low[AX]), keeps);
    if (i >= east && i < h.n[AX])
        point_layer<is_e, AX>(p, h, 1, i, layer_offset(row, k, i - east, h.levels, h.high[AX]), keeps);
}
