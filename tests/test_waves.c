/* H and E as they are made of waves.sf, to the bit: against the same formulas taken point by point, on domains of
 * chance. What differs is how the loop goes: whole vectors and rests, lines of one medium and pieces of several,
 * layers of both ends of an axis, boxes within the domain. SPDX-License-Identifier: MIT */
#include "maxwell/cpml.h"
#include "maxwell/maxwell.h"
#include "maxwell/yee.h"
#include "pipeline/tables.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 150, MEDIA = 300 };

static uint64_t drawn = 88172645463325252u;
static uint64_t draw(uint64_t below)
{
    drawn ^= drawn << 13, drawn ^= drawn >> 7, drawn ^= drawn << 17;
    return drawn % below;
}
static real share(void) { return (real)draw(1 << 24) / (1 << 24) - R(0.5); }

/* ---- a domain ---- */

struct world {
    struct maxwell x;
    struct slab s;
    void *lines[3];
    real *field, *memory[24]; /* of all components; of face f: 4 f + n */
    size_t size, memory_size[24];
    unsigned char *ids[6]; /* of one or two bytes */
    real coefficient[4][MEDIA];
};

static void axis_make(struct world *w, int a, int n)
{
    double edge[200];
    edge[0] = 0;
    for (int m = 0; m < n; m++) edge[m + 1] = edge[m] + 1e-3 * (1 + (double)draw(100) / 100);
    const int most = n / 2, is_round = draw(3) == 0;
    struct cpml_face face[2] = {{0, 1}, {0, 1}};
    for (int high = 0; high < 2 && !is_round && most; high++) face[high].cells = (int)draw((uint64_t)most + 1);
    if (face[0].cells + face[1].cells >= n) face[1].cells = 0;
    const struct cpml_options o = {.order = 3, .sigma_factor = 1, .kappa = 7, .alpha = 0.05};
    w->x.periodic[a] = is_round;
    cr_assert_eq(
        axis_lines_make(&w->x.axis[a], &w->lines[a], n, edge, is_round, face, &o, a == AX ? CPML_VECTOR : 1, 1e-12), 0);
}

static void media_make(struct world *w)
{
    struct maxwell *const x = &w->x;
    for (int n = 0; n < 4 * MEDIA; n++) w->coefficient[n / MEDIA][n % MEDIA] = share();
    x->e = (struct coefficients){MEDIA, w->coefficient[0], w->coefficient[1], NULL, NULL};
    x->h = (struct coefficients){MEDIA, w->coefficient[2], w->coefficient[3], NULL, NULL};
    x->e_wide = (int)draw(3), x->h_wide = (int)draw(3);
    for (int c = 0; c < 6; c++) {
        const int wide = c < 3 ? x->e_wide : x->h_wide;
        if (!wide) continue;
        w->ids[c] = calloc(w->size, (size_t)wide);
        const uint64_t often = 1 + draw(400); /* columns of a medium, about */
        unsigned id = 0;
        for (size_t m = 0; m < w->size; m++) {
            if (!draw(often)) id = (unsigned)draw(wide == 1 ? 256 : MEDIA);
            if (wide == 1) w->ids[c][m] = (unsigned char)id;
            else ((unsigned short *)(void *)w->ids[c])[m] = (unsigned short)id;
        }
        w->s.f[F_MEX + c] = (real *)(void *)(w->ids[c] + (w->s.sj + w->s.sk + 1) * wide);
    }
}

/* Rows j0 .. j0 + rows - 1 of the domain. */
static void world_make(struct world *w)
{
    memset(w, 0, sizeof *w);
    const int n[3] = {1 + (int)draw(150), 1 + (int)draw(9), 1 + (int)draw(9)};
    for (int a = 0; a < 3; a++) axis_make(w, a, n[a]);
    w->x.ni = n[AX], w->x.nj = n[AY], w->x.nk = n[AZ];
    w->x.ext_i = !w->x.periodic[AX] && !draw(3), w->x.ext_k = !w->x.periodic[AZ] && !draw(3);
    w->x.ext_j = !w->x.periodic[AY] && !draw(3);
    const int first = (int)draw((uint64_t)n[AY]), rows = n[AY] + w->x.ext_j - first;
    w->s = (struct slab){.sk = n[AX] + 4, .sj = (ptrdiff_t)(n[AX] + 4) * (n[AZ] + 4), .j0 = first, .nj = rows};
    w->size = (size_t)w->s.sj * (size_t)(rows + 2);
    w->field = calloc(6 * w->size, sizeof(real));
    for (size_t m = 0; m < 6 * w->size; m++) w->field[m] = share();
    for (int c = 0; c < 6; c++)
        w->s.f[F_EX + c] = w->s.w[F_EX + c] = w->field + (size_t)c * w->size + w->s.sj + w->s.sk + 1;
    for (int m = 0; m < 24; m++) {
        const struct axis_lines *const l = &w->x.axis[m / 8];
        const int wide = m / 4 % 2 ? l->wide_high : l->wide_low;
        const int columns = m / 8 == AX ? wide : n[AX] + w->x.ext_i, levels = m / 8 == AZ ? wide : n[AZ] + w->x.ext_k;
        w->memory_size[m] = (size_t)columns * (size_t)levels * (size_t)rows;
        w->memory[m] = calloc(w->memory_size[m] + 1, sizeof(real));
        for (size_t q = 0; q < w->memory_size[m]; q++) w->memory[m][q] = share();
        w->s.f[F_PSI_W + m] = w->s.w[F_PSI_W + m] = w->memory[m];
    }
    media_make(w);
}

static void world_free(struct world *w)
{
    for (int a = 0; a < 3; a++) table_free(w->lines[a]);
    for (int m = 0; m < 24; m++) free(w->memory[m]);
    for (int c = 0; c < 6; c++) free(w->ids[c]);
    free(w->field);
}

/* ---- a point ---- */

static ptrdiff_t offset(const struct world *w, const int m[3])
{
    return (m[1] - w->s.j0) * w->s.sj + m[2] * w->s.sk + m[0];
}

/* Component of the other field, an element further along an axis: of H back, of E on. */
static real look(const struct world *w, int is_e, int c, const int m[3], int axis)
{
    int n[3] = {m[0], m[1], m[2]};
    if (axis >= 0) n[axis] += is_e ? -1 : 1;
    return w->s.f[(is_e ? F_HX : F_EX) + c][offset(w, n)];
}

/* What component c takes the derivative along an axis of: with the sign that it enters with. */
static real difference(const struct world *w, int is_e, int c, int axis, const int m[3])
{
    const int other = 3 - c - axis, on = c == (axis + 1) % 3; /* H: on, minus here */
    const real here = look(w, is_e, other, m, -1), far = look(w, is_e, other, m, axis);
    return on ? far - here : here - far;
}

static const real *line_of(const struct world *w, int is_e, int axis, int what)
{
    const struct axis_lines *const l = &w->x.axis[axis];
    const real *const of[2][3] = {{l->h, l->bh, l->ah}, {l->e, l->be, l->ae}};
    return of[is_e][what];
}

static void layer_point(struct world *w, int is_e, int axis, const int m[3], const real turn[3])
{
    const struct axis_lines *const l = &w->x.axis[axis];
    for (int high = 0; high < 2; high++) {
        const int wide = high ? l->wide_high : l->wide_low, first = high ? l->n - wide : 0;
        if (m[axis] < first || m[axis] >= first + wide) continue;
        const int columns = axis == AX ? wide : w->x.ni + w->x.ext_i, levels = axis == AZ ? wide : w->x.nk + w->x.ext_k;
        const int column = axis == AX ? m[0] - first : m[0], level = axis == AZ ? m[2] - first : m[2];
        for (int n = 0; n < 2; n++) {
            const int c = (axis + 1 + n) % 3, own = is_e ? F_EX : F_HX;
            real *const psi = w->memory[8 * axis + 4 * high + n + (is_e ? 0 : 2)] +
                              ((ptrdiff_t)(m[1] - w->s.j0) * levels + level) * columns + column;
            *psi = cpml_memory(*psi, line_of(w, is_e, axis, 1)[m[axis]], line_of(w, is_e, axis, 2)[m[axis]],
                               difference(w, is_e, c, axis, m));
            real *const f = w->s.w[own + c] + offset(w, m);
            *f = cpml_add(*f, turn[c], *psi);
        }
    }
}

static void point(struct world *w, int is_e, const int m[3])
{
    const struct coefficients *const t = is_e ? &w->x.e : &w->x.h;
    const ptrdiff_t at = offset(w, m);
    real turn[3];
    for (int c = 0; c < 3; c++) {
        const int a = (c + 1) % 3, b = (c + 2) % 3, first = is_e ? a : b, second = is_e ? b : a;
        const int component = c + (is_e ? 0 : 3), wide = is_e ? w->x.e_wide : w->x.h_wide;
        const unsigned id = wide ? id_at(w->s.f[F_MEX + component], at, wide) : 0;
        real *const f = w->s.w[F_EX + component] + at;
        turn[c] = t->turn[id];
        *f =
            yee_update(*f, t->keep[id], turn[c], difference(w, is_e, c, first, m), line_of(w, is_e, first, 0)[m[first]],
                       difference(w, is_e, c, second, m), line_of(w, is_e, second, 0)[m[second]]);
    }
    layer_point(w, is_e, AZ, m, turn), layer_point(w, is_e, AY, m, turn), layer_point(w, is_e, AX, m, turn);
}

/* ---- both ---- */

static int within(int n, int from) { return from + (int)draw((uint64_t)(n - from)) + 1; }

static void expect_alike(int is_e)
{
    static struct world w;
    world_make(&w);
    const int ni = w.x.ni + w.x.ext_i, nk = w.x.nk + w.x.ext_k, nj = w.s.j0 + w.s.nj;
    struct box b = {0, ni, 0, nk, w.s.j0, nj};
    if (!draw(3))
        b.i0 = (int)draw((uint64_t)ni), b.i1 = within(ni, b.i0), b.k0 = (int)draw((uint64_t)nk),
        b.k1 = within(nk, b.k0);
    real *const field = malloc(6 * w.size * sizeof(real)), *memory[24];
    memcpy(field, w.field, 6 * w.size * sizeof(real));
    for (int m = 0; m < 24; m++) {
        memory[m] = malloc((w.memory_size[m] + 1) * sizeof(real));
        memcpy(memory[m], w.memory[m], w.memory_size[m] * sizeof(real));
    }
    const struct call c = {.ctx = &w.x};
    (is_e ? e_run : h_run)(&w.s, b, &c);
    for (size_t m = 0; m < 6 * w.size; m++) { /* what was made, and what was there before */
        const real made = w.field[m];
        w.field[m] = field[m], field[m] = made;
    }
    for (int m = 0; m < 24; m++)
        for (size_t q = 0; q < w.memory_size[m]; q++) {
            const real made = w.memory[m][q];
            w.memory[m][q] = memory[m][q], memory[m][q] = made;
        }
    int at[3];
    for (at[1] = b.j0; at[1] < b.j1; at[1]++)
        for (at[2] = b.k0; at[2] < b.k1; at[2]++)
            for (at[0] = b.i0; at[0] < b.i1; at[0]++) point(&w, is_e, at);
    const int *const n = (int[]){w.x.ni, w.x.nj, w.x.nk};
    cr_assert_eq(memcmp(field, w.field, 6 * w.size * sizeof(real)), 0, "%d x %d x %d cells, media of %d bytes", n[0],
                 n[1], n[2], is_e ? w.x.e_wide : w.x.h_wide);
    for (int m = 0; m < 24; m++) {
        cr_assert_eq(memcmp(memory[m], w.memory[m], w.memory_size[m] * sizeof(real)), 0, "memory %d", m);
        free(memory[m]);
    }
    free(field);
    world_free(&w);
}

Test(waves, the_loop_is_its_points)
{
    for (int n = 0; n < TRIALS; n++) expect_alike(n % 2);
}
