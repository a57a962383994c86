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
