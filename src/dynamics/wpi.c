/* The small steps of w and pi' on the CPU: implicit in the vertical, a column is solved as a whole.
 * SPDX-License-Identifier: MIT */
#include "dynamics/stages.h"
#include "dynamics/smallstep.h"

/* Columns solved together: of so many what the way down reads again, w, pi and the elimination, is still in the
 * second-level cache. Their lines lie apart in memory, where no prefetcher follows, so the way up asks for them some
 * levels ahead, in pieces between the computing, but for short rows. One thread, 64 levels, 1 MiB of cache, the whole
 * step: 22.5 Mpoint-steps/s on rows of 1024 columns and 27.1 of 128; in whole lines that were not asked for 20.4
 * and 25.3; asked for in 256 columns 21.6 and 24.7. */
enum { BLOCK = 128, AHEAD = 3, PIECE = 64, APART = 512 /* bytes of a line */ };

/* ratio [nk][BLOCK], then above, below [2][BLOCK] of the cell at hand and the one under it. */
size_t wpi_work_bytes(int columns, int nk)
{
    (void)columns;
    return ((size_t)nk + 4) * BLOCK * sizeof(real);
}

struct columns {
    const real *restrict u, *restrict v, *restrict pi_t, *restrict w_t, *restrict th, *restrict w_from,
                                                                                          *restrict pi_from;
    real *restrict w, *restrict pi, *restrict pid;
    ptrdiff_t sj, sk;
    int n;
};

/* For n columns of a level: what the way up will read and write there. */
static inline __attribute__((always_inline)) void columns_ask(const struct columns *x, ptrdiff_t from, int n,
                                                              const int in_place)
{
    for (ptrdiff_t i = from; i < from + n; i += 64 / (ptrdiff_t)sizeof(real)) {
        __builtin_prefetch(x->u + i), __builtin_prefetch(x->v + i), __builtin_prefetch(x->v + x->sj + i);
        __builtin_prefetch(x->th + i), __builtin_prefetch(x->pi_t + i), __builtin_prefetch(x->w_t + i);
        __builtin_prefetch(x->w + x->sk + i, 1), __builtin_prefetch(x->pi + i, 1), __builtin_prefetch(x->pid + i, 1);
        if (!in_place) __builtin_prefetch(x->w_from + x->sk + i), __builtin_prefetch(x->pi_from + i);
    }
}

static inline __attribute__((always_inline)) void block_run(const struct slab *s, const struct dynamics *d,
                                                            const struct columns x, real dtau, real *restrict work,
                                                            const int in_place)
{
    const ptrdiff_t sk = x.sk, sj = x.sj;
    const int nk = d->nk, n = x.n, asks = sk * (ptrdiff_t)sizeof(real) > APART;
    const real off = d->off, off1 = d->off1, rdx = d->rdx, rdy = d->rdy, rcv = d->rcv, cp = d->cp * dtau;
    /* Up: cells and faces; w holds the eliminated value, pid the star. In place, w and pi themselves are the old
     * ones. */
    for (int k = 0; k < nk; k++) {
        const real *restrict const u = x.u + k * sk, *restrict const v = x.v + k * sk,
                                   *restrict const th = x.th + k * sk;
        const real *restrict const pi_t = x.pi_t + k * sk, *restrict const w_t = x.w_t + k * sk;
        real *restrict const w = x.w + k * sk, *restrict const pi = x.pi + k * sk, *restrict const pid = x.pid + k * sk;
        const real *restrict const w_from = x.w_from + k * sk;
        const real *restrict const pi_from = x.pi_from + k * sk;
        const real pi_0 = s->f[P_PI0][k], rdz = s->f[P_RDZC][k], bottom = s->f[P_DPI0H][k], top = s->f[P_DPI0H][k + 1];
        const real th0f = s->f[P_TH0F][k], cp_rdz = cp * s->f[P_RDZF][k];
        real *restrict const above = work + (k & 1) * 2 * BLOCK, *restrict const below = above + BLOCK;
        const real *restrict const above1 = work + (!(k & 1)) * 2 * BLOCK, *restrict const below1 = above1 + BLOCK;
        real *restrict const ratio = work + (4 + k) * BLOCK;
        const real *restrict const ratio1 = work + (4 + SF_MAX(k - 1, 0)) * BLOCK;
        const int ground = k == 0, lid = k + 1 == nk;
        if (ground) {
#pragma omp simd
            for (int i = 0; i < n; i++) {
                const real pi_old = in_place ? pi[i] : pi_from[i], w_top = in_place ? w[i + sk] : w_from[i + sk];
                const real div = divergence(u[i], u[i + 1], rdx, v[i], v[i + sj], rdy);
                const struct cell_terms t =
                    cell_make(pi_old, pi_0, pi_t[i], rcv, rdz, bottom, top, div, R(0.0), w_top, dtau, off1);
                pid[i] = t.star, above[i] = t.above, below[i] = t.below;
                ratio[i] = R(0.0), w[i] = R(0.0);
            }
            continue;
        }
        for (int from = 0; from < n; from += PIECE) {
            const int to = SF_MIN(n, from + PIECE);
            if (asks && k + AHEAD < nk) columns_ask(&x, AHEAD * sk + k * sk + from, to - from, in_place);
#pragma omp simd
            for (int i = from; i < to; i++) {
                const real pi_old = in_place ? pi[i] : pi_from[i], pi_old1 = in_place ? pi[i - sk] : pi_from[i - sk];
                const real w_old = in_place ? w[i] : w_from[i], w_top = lid        ? R(0.0)
                                                                        : in_place ? w[i + sk]
                                                                                   : w_from[i + sk];
                const real div = divergence(u[i], u[i + 1], rdx, v[i], v[i + sj], rdy);
                const struct cell_terms t =
                    cell_make(pi_old, pi_0, pi_t[i], rcv, rdz, bottom, top, div, w_old, w_top, dtau, off1);
                const struct cell_terms t1 = {.star = pid[i - sk], .above = above1[i], .below = below1[i]};
                const struct face_terms f1 = {.ratio = ratio1[i], .value = w[i - sk]};
                const real theta = theta_face(th0f, th[i - sk], th[i]);
                const struct face_terms f =
                    face_make(w_old, w_t[i], dtau, cp_rdz * theta, off, off1, pi_old1, pi_old, t1, t, f1);
                pid[i] = t.star, above[i] = t.above, below[i] = t.below;
                ratio[i] = f.ratio, w[i] = f.value;
            }
        }
    }
    /* Down: w', then the pressure of the cell above each face. */
    const real damping = d->damping, b_dtau = off * dtau;
    for (int k = nk - 1; k >= 0; k--) {
        real *restrict const w = x.w + k * sk, *restrict const pi = x.pi + k * sk, *restrict const pid = x.pid + k * sk;
        const real *restrict const pi_from = x.pi_from + k * sk;
        const real *restrict const ratio = work + (4 + k) * BLOCK;
        const real pi_0 = s->f[P_PI0][k], rdz = s->f[P_RDZC][k], bottom = s->f[P_DPI0H][k], top = s->f[P_DPI0H][k + 1];
        const int lid = k + 1 == nk;
#pragma omp simd
        for (int i = 0; i < n; i++) {
            const real w_top = lid ? R(0.0) : w[i + sk];
            const real w_new = face_solve((struct face_terms){.ratio = ratio[i], .value = w[i]}, w_top);
            const real pi_old = in_place ? pi[i] : pi_from[i];
            const struct pressure p =
                cell_solve(pid[i], pi_old, pi_0, rcv, rdz, bottom, top, w_new, w_top, b_dtau, damping);
            w[i] = w_new;
            pi[i] = p.now;
            pid[i] = p.damped;
        }
    }
}

static inline __attribute__((always_inline)) void wpi_rows(const struct slab *s, struct box b, const struct call *c,
                                                           const int in_place)
{
    const struct dynamics *d = c->ctx;
    for (int j = b.j0; j < b.j1; j++)
        for (int i = b.i0; i < b.i1; i += BLOCK) {
            const ptrdiff_t at = (j - s->j0) * s->sj + i;
            const struct columns x = {.u = s->f[F_U] + at,
                                      .v = s->f[F_V] + at,
                                      .pi_t = s->f[F_PIT] + at,
                                      .w_t = s->f[F_WT] + at,
                                      .th = s->f[F_TH] + at,
                                      .w = s->w[F_W] + at,
                                      .pi = s->w[F_PI] + at,
                                      .pid = s->w[F_PID] + at,
                                      .w_from = s->f[F_W] + at,
                                      .pi_from = s->f[F_PI] + at,
                                      .sj = s->sj,
                                      .sk = s->sk,
                                      .n = SF_MIN(BLOCK, b.i1 - i)};
            block_run(s, d, x, c->dt, c->work, in_place);
        }
}

void wpi_run(const struct slab *s, struct box b, const struct call *c)
{
    if (s->f[F_W] == s->w[F_W]) wpi_rows(s, b, c, 1);
    else wpi_rows(s, b, c, 0);
}
