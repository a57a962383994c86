/* The loops of turbulence_members.h. SPDX-License-Identifier: MIT */
#include "dynamics/turbulence_members.h"

static void line_run(const struct stir_line *l, const struct stir_member *m, int i0, int i1, const real *k, real times)
{
#pragma omp simd
    for (int i = i0; i < i1; i++) {
        const struct stir_here h = stir_weights(l, k, i, times);
        const struct stir_member plain = {m->q, m->to, 0};
        stir_point(0, l, &h, &plain, i);
    }
}

void stir_run(const struct slab *s, struct box b, const struct call *c)
{
    for (int m = 0; m < c->members; m++)
        for (int j = b.j0; j < b.j1; j++)
            for (int k = b.k0; k < b.k1; k++) {
                const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
                const struct stir_line l = stir_line(0, s, (const struct dynamics *)c->ctx, c, at, k);
                const struct stir_member one = stir_member(0, &l, &c->of[m], at);
                if (one.is_energy) line_run(&l, &one, b.i0, b.i1, l.viscosity, R(2.0));
                else line_run(&l, &one, b.i0, b.i1, l.diffusivity, R(1.0));
            }
}

/* Rows of columns: level by level, so that what lies side by side is computed side by side. */
static void columns_run(const struct sink_line *l, const struct sink_member *m, int i0, int i1)
{
    const ptrdiff_t sk = l->sk;
    for (int k = 0; k < l->nk; k++)
#pragma omp simd
        for (int i = i0; i < i1; i++) {
            const struct tridiagonal none = {R(0.0), R(0.0)};
            struct tridiagonal before = none;
            if (k > 0) before.ratio = m->ratio[i + (k - 1) * sk], before.value = m->q[i + (k - 1) * sk];
            const struct tridiagonal t = sink_up(l, m, i, k, before);
            m->ratio[i + k * sk] = t.ratio, m->q[i + k * sk] = t.value;
        }
    for (int k = l->nk - 1; k >= 0; k--)
#pragma omp simd
        for (int i = i0; i < i1; i++) {
            const real next = k + 1 < l->nk ? m->q[i + (k + 1) * sk] : R(0.0);
            m->q[i + k * sk] = tridiagonal_solve(m->ratio[i + k * sk], m->q[i + k * sk], next);
        }
}

void sink_run(const struct slab *s, struct box b, const struct call *c)
{
    for (int m = 0; m < c->members; m++)
        for (int j = b.j0; j < b.j1; j++) {
            const ptrdiff_t at = (j - s->j0) * s->sj;
            const struct sink_line l = sink_line(0, s, (const struct dynamics *)c->ctx, c, at, 0);
            const struct sink_member one = sink_member(0, &l, &c->of[m], at);
            columns_run(&l, &one, b.i0, b.i1);
        }
}
