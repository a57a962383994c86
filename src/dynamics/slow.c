/* Coriolis force, Rayleigh layer, open sides, and the step of scalars, on the CPU. SPDX-License-Identifier: MIT */
#include "dynamics/slow.h"
#include "dynamics/dynamics.h"

void coriolis_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct dynamics *d = c->ctx;
    const ptrdiff_t sj = s->sj;
    const real f = d->f;
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * sj + k * s->sk;
            const real *restrict const u = s->f[F_U] + at, *restrict const v = s->f[F_V] + at;
            real *restrict const ut = s->w[F_UT] + at, *restrict const vt = s->w[F_VT] + at;
            const real u0 = s->f[P_U0][k], v0 = s->f[P_V0][k];
#pragma omp simd
            for (int i = b.i0; i < b.i1; i++) {
                ut[i] += coriolis(f, v[i - 1], v[i], v[i - 1 + sj], v[i + sj], v0);
                vt[i] += coriolis(-f, u[i - sj], u[i], u[i + 1 - sj], u[i + 1], u0);
            }
        }
}

void rayleigh_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct dynamics *d = c->ctx;
    for (int j = b.j0; j < b.j1; j++)
        for (int k = SF_MAX(b.k0, d->ray_k); k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
            const real *restrict const u = s->f[F_U] + at, *restrict const v = s->f[F_V] + at;
            const real *restrict const w = s->f[F_W] + at, *restrict const th = s->f[F_TH] + at;
            real *restrict const ut = s->w[F_UT] + at, *restrict const vt = s->w[F_VT] + at;
            real *restrict const wt = s->w[F_WT] + at, *restrict const tht = s->w[F_THT] + at;
            const real rate = s->f[P_RAYC][k], rate_f = s->f[P_RAYF][k], u0 = s->f[P_U0][k], v0 = s->f[P_V0][k];
#pragma omp simd
            for (int i = b.i0; i < b.i1; i++) {
                ut[i] += relax(rate, u[i], u0);
                vt[i] += relax(rate, v[i], v0);
                wt[i] += relax(rate_f, w[i], R(0.0));
                tht[i] += relax(rate, th[i], R(0.0));
            }
        }
}

/* One face of an open side: tendency at `at` from the value at `at + in`. */
static void open_face(const struct dynamics *d, const real *q, real *t, ptrdiff_t at, ptrdiff_t in, real base, real sign,
                      real rdx)
{
    t[at] = open_side(q[at], q[at + in], base, sign, d->open_speed, rdx, d->open_rate);
}

void open_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct dynamics *d = c->ctx;
    /* Rows beyond the last are faces of v where the north is open, and rows like all others where it is periodic. */
    const int columns = SF_MIN(b.i1, s->ni), rows = d->open[FACE_N] ? SF_MIN(b.j1, s->nj) : b.j1;
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
            const real u0 = s->f[P_U0][k], v0 = s->f[P_V0][k];
            if (j < rows && d->open[FACE_W] && b.i0 == 0)
                open_face(d, s->f[F_U], s->w[F_UT], at, 1, u0, R(-1.0), d->rdx);
            if (j < rows && d->open[FACE_E] && b.i1 > s->ni)
                open_face(d, s->f[F_U], s->w[F_UT], at + s->ni, -1, u0, R(1.0), d->rdx);
            for (int i = b.i0; i < columns && d->open[FACE_S] && j == 0; i++)
                open_face(d, s->f[F_V], s->w[F_VT], at + i, s->sj, v0, R(-1.0), d->rdy);
            for (int i = b.i0; i < columns && d->open[FACE_N] && j == s->nj; i++)
                open_face(d, s->f[F_V], s->w[F_VT], at + i, -s->sj, v0, R(1.0), d->rdy);
        }
}

/* theta' and tracers: value = start + dt tendency, `first` saving the start. Their fields by the op's argument. */
static void scalar_rows(const struct slab *s, struct box b, const struct call *c, int first)
{
    const int tracer = c->arg, now = tracer ? F_Q + F_FAMILY * c->member : F_TH;
    const int start = tracer ? now + F_FAMILY_START : F_THA, tendency = tracer ? now + F_FAMILY_TENDENCY : F_THT;
    const real dt = c->dt;
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++) {
            const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk;
            real *restrict const q = s->w[now] + at, *restrict const qa = s->f[start] + at;
            const real *restrict const qt = s->f[tendency] + at;
            if (first) {
#pragma omp simd
                for (int i = b.i0; i < b.i1; i++) qa[i] = q[i];
            }
#pragma omp simd
            for (int i = b.i0; i < b.i1; i++) q[i] = scalar_step(qa[i], qt[i], dt);
        }
}

void scalar_first_run(const struct slab *s, struct box b, const struct call *c) { scalar_rows(s, b, c, 1); }
void scalar_next_run(const struct slab *s, struct box b, const struct call *c) { scalar_rows(s, b, c, 0); }
