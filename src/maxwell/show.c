/* What the history of the EM model can show, at cell centres. SPDX-License-Identifier: MIT */
#include "maxwell/bloch_seam.h"
#include "maxwell/own.h"

#include <stdlib.h>

/* Mean of a component over the edges or faces of its cell that it lies on. */
static real centred(const struct slab *s, const struct maxwell *x, int c, ptrdiff_t at)
{
    const ptrdiff_t step[3] = {1, s->sj, s->sk};
    if (c >= 3) return R(0.5) * (s->f[c][at] + s->f[c][at + step[c - 3]]);
    const ptrdiff_t a = step[(c + 1) % 3], b = step[(c + 2) % 3];
    return R(0.25) * ((place_whole(x, s, c, at) + place_whole(x, s, c, at + a + b)) +
                      (place_whole(x, s, c, at + a) + place_whole(x, s, c, at + b)));
}

/* E or H of a component, or its imaginary part, at offset `at` behind the seams of the axes in `crossed` (1 << axis),
 * of complex fields: turned there. */
static real turned(const struct slab *s, const struct maxwell *x, int c, int part, ptrdiff_t at, int crossed)
{
    real re = s->f[F_EX + c][at], im = s->f[F_EX_IM + c][at];
    for (int a = 0; a < 3; a++) {
        const real less = x->bloch->less[a], sine = x->bloch->sine[a], from = re;
        if (!(crossed & 1 << a)) continue;
        re += bloch_change_re(from, im, less, sine), im += bloch_change_im(from, im, less, sine);
    }
    const real f = part ? im : re;
    return c < 3 && x->e.whole ? f * coefficient_at(x->e.whole, s->f[F_MEX + c], at, x->e_wide) : f;
}

/* The same mean of a part of complex fields. */
static real centred_turned(const struct slab *s, const struct maxwell *x, int c, int part, const int cell[3],
                           ptrdiff_t at)
{
    const ptrdiff_t step[3] = {1, s->sj, s->sk};
    const int n[3] = {s->ni, s->nj, s->nk}, a = c < 3 ? (c + 1) % 3 : c - 3, b = (c + 2) % 3;
    const int beyond_a = (cell[a] == n[a] - 1) << a, beyond_b = (cell[b] == n[b] - 1) << b;
    if (c >= 3) return R(0.5) * (turned(s, x, c, part, at, 0) + turned(s, x, c, part, at + step[a], beyond_a));
    return R(0.25) *
           ((turned(s, x, c, part, at, 0) + turned(s, x, c, part, at + step[a] + step[b], beyond_a | beyond_b)) +
            (turned(s, x, c, part, at + step[a], beyond_a) + turned(s, x, c, part, at + step[b], beyond_b)));
}

/* Of the real part, in cell (i, j, k). */
static real seen(const struct slab *s, const struct maxwell *x, int c, int i, int j, int k)
{
    const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk + i;
    return x->bloch ? centred_turned(s, x, c, 0, (const int[3]){i, j, k}, at) : centred(s, x, c, at);
}

static void component_row(const struct slab *s, const struct maxwell *x, int c, int j, real *restrict out)
{
    for (int k = 0; k < s->nk; k++)
        for (int i = 0; i < s->ni; i++) out[(ptrdiff_t)k * s->ni + i] = seen(s, x, c, i, j, k);
}

static void imaginary_row(const struct slab *s, const struct maxwell *x, int c, int j, real *restrict out)
{
    for (int k = 0; k < s->nk; k++)
        for (int i = 0; i < s->ni; i++)
            out[(ptrdiff_t)k * s->ni + i] =
                centred_turned(s, x, c, 1, (const int[3]){i, j, k}, (j - s->j0) * s->sj + k * s->sk + i);
}

#define COMPONENT_ROW(name, c)                                                                                         \
    static void name##_row(const struct slab *s, const void *ctx, int j, real *restrict out)                           \
    {                                                                                                                  \
        component_row(s, ctx, c, j, out);                                                                              \
    }                                                                                                                  \
    static void name##_im_row(const struct slab *s, const void *ctx, int j, real *restrict out)                        \
    {                                                                                                                  \
        imaginary_row(s, ctx, c, j, out);                                                                              \
    }
COMPONENT_ROW(ex, F_EX)
COMPONENT_ROW(ey, F_EY)
COMPONENT_ROW(ez, F_EZ)
COMPONENT_ROW(hx, F_HX)
COMPONENT_ROW(hy, F_HY)
COMPONENT_ROW(hz, F_HZ)

static void magnitude_row(const struct slab *s, const struct maxwell *m, int first, int j, real *restrict out)
{
    for (int k = 0; k < s->nk; k++)
        for (int i = 0; i < s->ni; i++) {
            const real x = seen(s, m, first, i, j, k), y = seen(s, m, first + 1, i, j, k),
                       z = seen(s, m, first + 2, i, j, k);
            out[(ptrdiff_t)k * s->ni + i] = sf_sqrt(x * x + y * y + z * z);
        }
}
static void e_magnitude_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    magnitude_row(s, ctx, F_EX, j, out);
}
static void h_magnitude_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    magnitude_row(s, ctx, F_HX, j, out);
}

/* Component c of E x H. */
static void poynting_row(const struct slab *s, const struct maxwell *x, int c, int j, real *restrict out)
{
    const int u = (c + 1) % 3, v = (c + 2) % 3;
    for (int k = 0; k < s->nk; k++)
        for (int i = 0; i < s->ni; i++)
            out[(ptrdiff_t)k * s->ni + i] = seen(s, x, F_EX + u, i, j, k) * seen(s, x, F_HX + v, i, j, k) -
                                            seen(s, x, F_EX + v, i, j, k) * seen(s, x, F_HX + u, i, j, k);
}
#define POYNTING_ROW(name, c)                                                                                          \
    static void name##_row(const struct slab *s, const void *ctx, int j, real *restrict out)                           \
    {                                                                                                                  \
        poynting_row(s, ctx, c, j, out);                                                                               \
    }
POYNTING_ROW(sx, AX)
POYNTING_ROW(sy, AY)
POYNTING_ROW(sz, AZ)

/* Medium of each cell, as numbered in the namelist. */
static void medium_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    const struct maxwell_own *const own =
        (const struct maxwell_own *)(const void *)((const char *)ctx - offsetof(struct maxwell_own, ctx));
    const size_t wide = (size_t)s->ni + 2;
    unsigned char *const cell = malloc(wide * ((size_t)s->nk + 2));
    if (cell) geometry_row(&own->geometry, j, cell);
    for (int k = 0; k < s->nk; k++)
        for (int i = 0; i < s->ni; i++)
            out[(ptrdiff_t)k * s->ni + i] = cell ? (real)cell[((size_t)k + 1) * wide + (size_t)i + 1] : R(0.0);
    free(cell);
}

/* Share of a cell's twelve edges that conduct: of solids 1, of sheets, wires and what lies beside a solid less. */
static void conductor_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    const struct maxwell *const x = ctx;
    const ptrdiff_t step[3] = {1, s->sj, s->sk};
    for (int k = 0; k < s->nk; k++)
        for (int i = 0; i < s->ni; i++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk + i;
            int n = 0;
            for (int c = 0; c < 3; c++)
                for (int m = 0; m < 4; m++) {
                    const ptrdiff_t edge = at + (m & 1) * step[(c + 1) % 3] + (m >> 1) * step[(c + 2) % 3];
                    n += !(place_turn(x, s, c, edge) > 0);
                }
            out[(ptrdiff_t)k * s->ni + i] = (real)n / R(12.0);
        }
}

/* Power flow is the product of an E and an H half a step apart, and is given the time of E. */
const struct diagnostic maxwell_diagnostic[] = {
    {"Ex", "electric field, x component", "V m-1", "", 1, ex_row, 0, 0, 0},
    {"Ey", "electric field, y component", "V m-1", "", 1, ey_row, 0, 0, 0},
    {"Ez", "electric field, z component", "V m-1", "", 1, ez_row, 0, 0, 0},
    {"Hx", "magnetic field, x component", "A m-1", "", 1, hx_row, -0.5, 0, 0},
    {"Hy", "magnetic field, y component", "A m-1", "", 1, hy_row, -0.5, 0, 0},
    {"Hz", "magnetic field, z component", "A m-1", "", 1, hz_row, -0.5, 0, 0},
    {"E_magnitude", "magnitude of the electric field", "V m-1", "", 0, e_magnitude_row, 0, 0, 0},
    {"H_magnitude", "magnitude of the magnetic field", "A m-1", "", 0, h_magnitude_row, -0.5, 0, 0},
    {"Sx", "power flow E x H, x component", "W m-2", "", 0, sx_row, 0, 0, 0},
    {"Sy", "power flow E x H, y component", "W m-2", "", 0, sy_row, 0, 0, 0},
    {"Sz", "power flow E x H, z component", "W m-2", "", 0, sz_row, 0, 0, 0},
    {"medium", "medium of the cell: 0 vacuum, 1 pec, 2 and on the entries of &medium", "1", "", 0, medium_row, 0, 1, 0},
    {"conductor", "share of the edges of the cell that conduct, of solids, sheets and wires", "1", "", 0, conductor_row,
     0, 0, 0},
    {"Ex_im", "electric field, x component, imaginary part", "V m-1", "", 0, ex_im_row, 0, 0, 0},
    {"Ey_im", "electric field, y component, imaginary part", "V m-1", "", 0, ey_im_row, 0, 0, 0},
    {"Ez_im", "electric field, z component, imaginary part", "V m-1", "", 0, ez_im_row, 0, 0, 0},
    {"Hx_im", "magnetic field, x component, imaginary part", "A m-1", "", 0, hx_im_row, -0.5, 0, 0},
    {"Hy_im", "magnetic field, y component, imaginary part", "A m-1", "", 0, hy_im_row, -0.5, 0, 0},
    {"Hz_im", "magnetic field, z component, imaginary part", "A m-1", "", 0, hz_im_row, -0.5, 0, 0}};
const int maxwell_diagnostics = (int)(sizeof maxwell_diagnostic / sizeof maxwell_diagnostic[0]);
