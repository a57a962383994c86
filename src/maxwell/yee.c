/* E and H along the rows of a slab, absorbing layers and media included.
 *
 * A line of cells along x is updated whole where it has one medium, else in pieces; the layers that it runs through
 * follow while it is in the first-level cache: z, then y, then x. SPDX-License-Identifier: MIT */
#include "maxwell/yee.h"

#include "maxwell/cpml.h"
#include "maxwell/maxwell.h"
#include "maxwell/place.h"

enum { PIECE = 64 }; /* columns of a line whose media are looked at together */

#define INLINE static inline __attribute__((always_inline))

/* One component on one line, and the signed differences a1 - a0 and b1 - b0 of its curl. */
struct part {
    real *f;
    const real *a1, *a0, *b1, *b0;
};

/* The memories of the two layers along one axis that a line may run through: NULL where it does not. */
struct memory {
    real *first, *second;
};

struct line {
    struct part part[3];
    real ry, rz; /* spacings of row and level, 1/m */
    int j, k, i0, i1;
    struct memory along[2]; /* of axis z and y, at column 0 */
    real b[2], a[2];
    struct memory across[2]; /* of axis x, at the first column of each layer */
};

/* keep and turn of the three components: one each, or one a column of a piece. */
struct media {
    real keep[3], turn[3];
    real keeps[3][PIECE], turns[3][PIECE];
};

#define KEEP(c) (uniform ? keep##c : t->keeps[c][i - i0])
#define TURN(c) (uniform ? turn##c : t->turns[c][i - i0])

INLINE void bulk(const struct line *l, const real *restrict rx, int i0, int i1, const struct media *t, const int is_e,
                 const int uniform)
{
    real *restrict const fx = l->part[0].f, *restrict const fy = l->part[1].f, *restrict const fz = l->part[2].f;
    const real *const xa1 = l->part[0].a1, *const xa0 = l->part[0].a0, *const xb1 = l->part[0].b1,
                      *const xb0 = l->part[0].b0;
    const real *const ya1 = l->part[1].a1, *const ya0 = l->part[1].a0, *const yb1 = l->part[1].b1,
                      *const yb0 = l->part[1].b0;
    const real *const za1 = l->part[2].a1, *const za0 = l->part[2].a0, *const zb1 = l->part[2].b1,
                      *const zb0 = l->part[2].b0;
    const real ry = l->ry, rz = l->rz;
    const real keep0 = t->keep[0], keep1 = t->keep[1], keep2 = t->keep[2];
    const real turn0 = t->turn[0], turn1 = t->turn[1], turn2 = t->turn[2];
#pragma omp simd
    for (int i = i0; i < i1; i++) {
        fx[i] = yee_update(fx[i], KEEP(0), TURN(0), xa1[i] - xa0[i], is_e ? ry : rz, xb1[i] - xb0[i], is_e ? rz : ry);
        fy[i] =
            yee_update(fy[i], KEEP(1), TURN(1), ya1[i] - ya0[i], is_e ? rz : rx[i], yb1[i] - yb0[i], is_e ? rx[i] : rz);
        fz[i] =
            yee_update(fz[i], KEEP(2), TURN(2), za1[i] - za0[i], is_e ? rx[i] : ry, zb1[i] - zb0[i], is_e ? ry : rx[i]);
    }
}

/* A layer whose axis (y or z) crosses the line: b and a are the same all along. Its first component is that of the axis
 * that follows (x: y, y: z, z: x); of E the first has the layer's difference in b1 - b0, of H in a1 - a0. */
INLINE void layer_along(const struct line *l, const int axis, const struct memory *m, real b, real a, int i0, int i1,
                        const struct media *t, const int is_e, const int uniform)
{
    const struct part *const p1 = &l->part[(axis + 1) % 3], *const p2 = &l->part[(axis + 2) % 3];
    real *restrict const f1 = p1->f, *restrict const f2 = p2->f, *restrict const s1 = m->first,
                         *restrict const s2 = m->second;
    const real *const hi1 = is_e ? p1->b1 : p1->a1, *const lo1 = is_e ? p1->b0 : p1->a0;
    const real *const hi2 = is_e ? p2->a1 : p2->b1, *const lo2 = is_e ? p2->a0 : p2->b0;
    const real *const k1 = t->turns[(axis + 1) % 3] - i0, *const k2 = t->turns[(axis + 2) % 3] - i0;
    const real u1 = t->turn[(axis + 1) % 3], u2 = t->turn[(axis + 2) % 3];
#pragma omp simd
    for (int i = i0; i < i1; i++) {
        const real n1 = cpml_memory(s1[i], b, a, hi1[i] - lo1[i]), n2 = cpml_memory(s2[i], b, a, hi2[i] - lo2[i]);
        s1[i] = n1, s2[i] = n2;
        f1[i] = cpml_add(f1[i], uniform ? u1 : k1[i], n1);
        f2[i] = cpml_add(f2[i], uniform ? u2 : k2[i], n2);
    }
}

/* A layer along x: n columns from c on; its memories count from `first`. */
INLINE void layer_columns(const struct line *l, const struct memory *m, const real *restrict b, const real *restrict a,
                          int first, int c, const int n, int i0, const struct media *t, const int is_e,
                          const int uniform)
{
    const struct part *const p1 = &l->part[1], *const p2 = &l->part[2];
    real *restrict const f1 = p1->f + c, *restrict const f2 = p2->f + c;
    real *restrict const s1 = m->first + (c - first), *restrict const s2 = m->second + (c - first);
    const real *const hi1 = (is_e ? p1->b1 : p1->a1) + c, *const lo1 = (is_e ? p1->b0 : p1->a0) + c;
    const real *const hi2 = (is_e ? p2->a1 : p2->b1) + c, *const lo2 = (is_e ? p2->a0 : p2->b0) + c;
    const real *const k1 = t->turns[1] + (c - i0), *const k2 = t->turns[2] + (c - i0);
    const real u1 = t->turn[1], u2 = t->turn[2];
    b += c, a += c;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const real n1 = cpml_memory(s1[i], b[i], a[i], hi1[i] - lo1[i]),
                   n2 = cpml_memory(s2[i], b[i], a[i], hi2[i] - lo2[i]);
        s1[i] = n1, s2[i] = n2;
        f1[i] = cpml_add(f1[i], uniform ? u1 : k1[i], n1);
        f2[i] = cpml_add(f2[i], uniform ? u2 : k2[i], n2);
    }
}

/* Whole vectors have a loop of their own: a layer along x is stored in such widths. */
INLINE void layer_across(const struct line *l, const struct memory *m, const real *b, const real *a, int first,
                         int wide, int i0, int i1, const struct media *t, const int is_e, const int uniform)
{
    const int c1 = SF_MIN(i1, first + wide);
    int c = SF_MAX(i0, first);
    for (; c + CPML_VECTOR <= c1; c += CPML_VECTOR)
        layer_columns(l, m, b, a, first, c, CPML_VECTOR, i0, t, is_e, uniform);
    if (c < c1) layer_columns(l, m, b, a, first, c, c1 - c, i0, t, is_e, uniform);
}

INLINE void piece_update(const struct line *l, const struct maxwell *x, int i0, int i1, const struct media *t,
                         const int is_e, const int uniform)
{
    const struct axis_lines *const ax = &x->axis[AX];
    bulk(l, is_e ? ax->e : ax->h, i0, i1, t, is_e, uniform);
    if (l->along[0].first) layer_along(l, AZ, &l->along[0], l->b[0], l->a[0], i0, i1, t, is_e, uniform);
    if (l->along[1].first) layer_along(l, AY, &l->along[1], l->b[1], l->a[1], i0, i1, t, is_e, uniform);
    const real *const b = is_e ? ax->be : ax->bh, *const a = is_e ? ax->ae : ax->ah;
    if (ax->low) layer_across(l, &l->across[0], b, a, 0, ax->wide_low, i0, i1, t, is_e, uniform);
    if (ax->high) layer_across(l, &l->across[1], b, a, ax->n - ax->wide_high, ax->wide_high, i0, i1, t, is_e, uniform);
}

/* ---- media ------------------------------------------------------------------------------------------------------- */

INLINE int ids_differ(const void *ids, ptrdiff_t at, int n, const int wide)
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

INLINE void coefficients_gather(struct media *t, const struct coefficients *c, const void *const ids[3], ptrdiff_t at,
                                int n, const int wide)
{
    for (int m = 0; m < 3; m++) {
        real *restrict const keeps = t->keeps[m], *restrict const turns = t->turns[m];
        const real *const keep = c->keep, *const turn = c->turn;
#pragma omp simd
        for (int i = 0; i < n; i++) {
            const unsigned id = id_at(ids[m], at + i, wide);
            keeps[i] = keep[id], turns[i] = turn[id];
        }
    }
}

static void coefficients_take(struct media *t, const struct coefficients *c, int component, unsigned id)
{
    t->keep[component] = c->keep[id];
    t->turn[component] = c->turn[id];
}

/* A line of several media: pieces of one are found, the others gather their coefficients. `at`: of column 0. */
INLINE void line_mixed(const struct line *l, const struct maxwell *x, const struct coefficients *c,
                       const void *const ids[3], ptrdiff_t at, struct media *t, const int is_e, const int wide)
{
    for (int i0 = l->i0; i0 < l->i1; i0 += PIECE) {
        const int i1 = SF_MIN(i0 + PIECE, l->i1);
        int differ = 0;
        for (int m = 0; m < 3; m++) {
            differ |= ids_differ(ids[m], at + i0, i1 - i0, wide);
            coefficients_take(t, c, m, id_at(ids[m], at + i0, wide));
        }
        if (!differ) {
            piece_update(l, x, i0, i1, t, is_e, 1);
            continue;
        }
        coefficients_gather(t, c, ids, at + i0, i1 - i0, wide);
        piece_update(l, x, i0, i1, t, is_e, 0);
    }
}

INLINE void line_update(const struct line *l, const struct maxwell *x, const void *const ids[3], ptrdiff_t at,
                        const int is_e)
{
    const struct coefficients *const c = is_e ? &x->e : &x->h;
    const int wide = is_e ? x->e_wide : x->h_wide;
    struct media t;
    int differ = 0;
    for (int m = 0; m < 3; m++) {
        coefficients_take(&t, c, m, wide ? id_at(ids[m], at + l->i0, wide) : 0);
        if (wide == 1) differ |= ids_differ(ids[m], at + l->i0, l->i1 - l->i0, 1);
        else if (wide) differ |= ids_differ(ids[m], at + l->i0, l->i1 - l->i0, 2);
    }
    if (!differ) piece_update(l, x, l->i0, l->i1, &t, is_e, 1);
    else if (wide == 1) line_mixed(l, x, c, ids, at, &t, is_e, 1);
    else line_mixed(l, x, c, ids, at, &t, is_e, 2);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

INLINE void parts_make(struct part *p, const struct slab *s, ptrdiff_t at, const int is_e)
{
    const ptrdiff_t sj = s->sj, sk = s->sk;
    const int own = is_e ? F_EX : F_HX, other = is_e ? F_HX : F_EX;
    for (int c = 0; c < 3; c++) p[c].f = s->w[own + c] + at;
    const real *const x = s->f[other] + at, *const y = s->f[other + 1] + at, *const z = s->f[other + 2] + at;
    if (is_e) {
        p[0].a1 = z, p[0].a0 = z - sj, p[0].b1 = y - sk, p[0].b0 = y;
        p[1].a1 = x, p[1].a0 = x - sk, p[1].b1 = z - 1, p[1].b0 = z;
        p[2].a1 = y, p[2].a0 = y - 1, p[2].b1 = x - sj, p[2].b0 = x;
    } else {
        p[0].a1 = y + sk, p[0].a0 = y, p[0].b1 = z, p[0].b0 = z + sj;
        p[1].a1 = z + 1, p[1].a0 = z, p[1].b1 = x, p[1].b0 = x + sk;
        p[2].a1 = x + sj, p[2].a0 = x, p[2].b1 = y, p[2].b0 = y + 1;
    }
}

/* Memories of the layer at one face, at level or row `n` from its first; NULL outside of it. */
static struct memory memory_at(const struct slab *s, int face, int is_e, ptrdiff_t at)
{
    const int f = face + (is_e ? 0 : 2);
    return (struct memory){s->w[f] + at, s->w[f + 1] + at};
}

/* The layers that line (j, k) runs through. */
INLINE void layers_find(struct line *l, const struct maxwell *x, const struct slab *s, const int is_e)
{
    const struct axis_lines *const ax = &x->axis[AX], *const ay = &x->axis[AY], *const az = &x->axis[AZ];
    const int j = l->j, k = l->k, columns = x->ni + x->ext_i, levels = x->nk + x->ext_k;
    const ptrdiff_t row = j - s->j0;
    const int of_z = layer_of(k, az->n, az->low, az->high), of_y = layer_of(j, ay->n, ay->low, ay->high);
    l->along[0] = l->along[1] = (struct memory){NULL, NULL};
    if (of_z == 0) l->along[0] = memory_at(s, F_PSI_B, is_e, layer_offset(row, k, 0, az->wide_low, columns));
    if (of_z == 1)
        l->along[0] = memory_at(s, F_PSI_T, is_e, layer_offset(row, k - (az->n - az->high), 0, az->wide_high, columns));
    if (of_y >= 0) l->along[1] = memory_at(s, of_y ? F_PSI_N : F_PSI_S, is_e, layer_offset(row, k, 0, levels, columns));
    if (l->along[0].first) l->b[0] = (is_e ? az->be : az->bh)[k], l->a[0] = (is_e ? az->ae : az->ah)[k];
    if (l->along[1].first) l->b[1] = (is_e ? ay->be : ay->bh)[j], l->a[1] = (is_e ? ay->ae : ay->ah)[j];
    if (ax->low) l->across[0] = memory_at(s, F_PSI_W, is_e, layer_offset(row, k, 0, levels, ax->wide_low));
    if (ax->high) l->across[1] = memory_at(s, F_PSI_E, is_e, layer_offset(row, k, 0, levels, ax->wide_high));
}

INLINE void rows_update(const struct slab *s, struct box b, const struct call *c, const int is_e)
{
    const struct maxwell *const x = c->ctx;
    const int first_id = is_e ? F_MEX : F_MHX;
    const void *const ids[3] = {s->f[first_id], s->f[first_id + 1], s->f[first_id + 2]};
    struct line l = {.i0 = b.i0, .i1 = b.i1};
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
            l.j = j, l.k = k;
            l.ry = (is_e ? x->axis[AY].e : x->axis[AY].h)[place_row(j, x->periodic[AY] ? x->nj : 0)];
            l.rz = (is_e ? x->axis[AZ].e : x->axis[AZ].h)[k];
            parts_make(l.part, s, at, is_e);
            layers_find(&l, x, s, is_e);
            line_update(&l, x, ids, at, is_e);
        }
}

void yee_h_run(const struct slab *s, struct box b, const struct call *c) { rows_update(s, b, c, 0); }
void yee_e_run(const struct slab *s, struct box b, const struct call *c) { rows_update(s, b, c, 1); }
