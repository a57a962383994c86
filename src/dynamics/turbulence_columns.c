/* The loops of turbulence_columns.h. SPDX-License-Identifier: MIT */
#include "dynamics/turbulence_columns.h"

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
            const struct sink_line l = sink_line(s, (const struct dynamics *)c->ctx, c, at);
            const struct sink_member one = sink_member(&l, &c->of[m], at);
            columns_run(&l, &one, b.i0, b.i1);
        }
}
