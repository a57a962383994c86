/* The five tendencies without shared memory: neighbours come through the first-level cache.
 *
 *     advmix_plain   a thread a point
 *     advmix_rows    a thread some rows of one (i, k): it keeps its lines along y in registers
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/launch.h"

#include "dynamics/advmix_line.h"

/* The fields and, in the same order, their tendencies: counted from F_U and F_UT. */
enum { OF_U, OF_V, OF_W, OF_TH, OF_PI, ADVMIX_FIELDS };
static_assert(F_PI == F_U + OF_PI && F_PIT == F_UT + OF_PI, "the fields of advmix are in order");

/* ---- a point ----------------------------------------------------------------------------------------------------- */

/* Lines along y: of each field on rows j-2 .. j+2, and of v on rows j-1 .. j+2 west of the point and below it. */
struct lines_y {
    struct line5 q[ADVMIX_FIELDS];
    struct line4 v_west, v_below;
};

#define LINE4_Y(p, i)                                                                                                  \
    {                                                                                                                  \
        p[i - sj], p[i], p[i + sj], p[i + 2 * sj]                                                                      \
    }

/* `at`: the element of the point. */
__device__ static inline struct lines_y lines_make(const struct slab &s, ptrdiff_t at)
{
    const ptrdiff_t sj = s.sj, i = 0;
    const real *const v = s.f[F_V] + at, *const below = v - s.sk;
    struct lines_y y = {{}, LINE4_Y(v, -1), LINE4_Y(below, 0)};
    for (int f = 0; f < ADVMIX_FIELDS; f++) {
        const real *const q = s.f[F_U + f] + at;
        y.q[f] = LINE_Y(q);
    }
    return y;
}

/* The lines of the next row; `at`: the element of its point. */
__device__ static inline void lines_move(struct lines_y &y, const struct slab &s, ptrdiff_t at)
{
    for (int f = 0; f < ADVMIX_FIELDS; f++) {
        struct line5 &q = y.q[f];
        q = {q.m1, q.c, q.p1, q.p2, s.f[F_U + f][at + 2 * s.sj]};
    }
    const real *const v = s.f[F_V] + at + 2 * s.sj;
    y.v_west = {y.v_west.f1, y.v_west.f2, y.v_west.f3, v[-1]};
    y.v_below = {y.v_below.f1, y.v_below.f2, y.v_below.f3, v[-s.sk]};
}

#define STAR_OF(f, p)                                                                                                  \
    {                                                                                                                  \
        LINE_X(p), y.q[f], LINE_Z(p)                                                                                   \
    }
#define FACES_Y y.q[OF_V].m1, y.q[OF_V].c, y.q[OF_V].p1, y.q[OF_V].p2

template <int kind>
__device__ static inline void point_make(const struct slab &s, const struct dynamics &d, const struct level &l,
                                         const struct lines_y &y, ptrdiff_t at)
{
    const ptrdiff_t sj = s.sj, sk = s.sk, i = 0;
    const real *const u = s.f[F_U] + at, *const w = s.f[F_W] + at, *const th = s.f[F_TH] + at,
                      *const pi = s.f[F_PI] + at;
    const real *const v = s.f[F_V] + at;
    const struct star qu = STAR_OF(OF_U, u), qv = STAR_OF(OF_V, v), qw = STAR_OF(OF_W, w), qth = STAR_OF(OF_TH, th),
                      qpi = STAR_OF(OF_PI, pi);
    const struct pairs v_of_u = {{FACES_Y}, y.v_west}, w_of_u = PAIRS(w, sk, 1), u_of_v = PAIRS(u, 1, sj),
                       w_of_v = PAIRS(w, sk, sj);
    const struct pairs u_of_w = PAIRS(u, 1, sk), v_of_w = {{FACES_Y}, y.v_below};
    const struct weights m = weights_centre(&d, &l);
    const real ut = u_tendency(kind, qu, v_of_u, w_of_u, l.u0, weights_u(&d, &l));
    const real vt = v_tendency(kind, qv, u_of_v, w_of_v, l.v0, weights_v(&d, &l));
    const real wt =
        w_tendency(kind, qw, u_of_w, v_of_w, weights_w(&d, &l), l.rho_f.c, l.at.buoyancy_f, qth.z.m1, qth.z.c);
    const real tht =
        theta_tendency(kind, qth, FACES(u, 1), FACES_Y, FACES(w, sk), m, l.at.slope_bottom, l.at.slope_top);
    const real pit = scalar_advection(qpi, FACES(u, 1), FACES_Y, FACES(w, sk), m);
    s.w[F_UT][at] = ut, s.w[F_VT][at] = vt, s.w[F_WT][at] = wt, s.w[F_THT][at] = tht, s.w[F_PIT][at] = pit;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

template <int kind>
__global__ void advmix_plain(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct dynamics) d)
{
    launch_wait();
    const struct launch_point p = launch_here(b);
    if (!p.is_inside) return;
    const ptrdiff_t at = (p.j - s.j0) * s.sj + p.k * s.sk + p.i;
    point_make<kind>(s, d, level_make(&s, p.k), lines_make(s, at), at);
}

struct plain {
    enum { WIDTH = LAUNCH_I, LEVELS = LAUNCH_K, DEEP = 1, THREADS = LAUNCH_I * LAUNCH_K, BYTES = 0 };
};

/* Blocks of 32 x LEVELS threads; ROWS rows each. */
template <int LEVELS_, int ROWS_> struct strip {
    enum { WIDTH = 32, LEVELS = LEVELS_, ROWS = ROWS_, DEEP = ROWS, THREADS = 32 * LEVELS, BYTES = 0 };
};

template <int kind, class T>
__global__ void __launch_bounds__(T::THREADS)
    advmix_rows(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct dynamics) d)
{
    launch_wait();
    const int i = b.i0 + (int)(blockIdx.x * 32 + threadIdx.x), k = b.k0 + (int)(blockIdx.y * T::LEVELS + threadIdx.y);
    const int j0 = b.j0 + (int)blockIdx.z * T::ROWS;
    if (i >= b.i1 || k >= b.k1) return;
    const struct level l = level_make(&s, k);
    ptrdiff_t at = (j0 - s.j0) * s.sj + k * s.sk + i;
    struct lines_y y = lines_make(s, at);
#pragma unroll
    for (int r = 0; r < T::ROWS; r++) {
        point_make<kind>(s, d, l, y, at);
        if (r + 1 == T::ROWS || j0 + r + 1 >= b.j1) return;
        at += s.sj;
        lines_move(y, s, at);
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

template <int kind>
static void form_launch(plain, const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    SF_LAUNCH((advmix_plain<kind>), launch_grid(b, NULL), launch_block(NULL), stream, *s, b, *d);
}

template <int kind, int L, int R>
static void form_launch(strip<L, R>, const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    const dim3 grid(launch_blocks(b.i1 - b.i0, 32), launch_blocks(b.k1 - b.k0, L), launch_blocks(b.j1 - b.j0, R));
    SF_LAUNCH((advmix_rows<kind, strip<L, R>>), grid, dim3(32, L), stream, *s, b, *d);
}

template <int kind> static const void *form_kernel(plain) { return (const void *)advmix_plain<kind>; }
template <int kind, int L, int R> static const void *form_kernel(strip<L, R>)
{
    return (const void *)advmix_rows<kind, strip<L, R>>;
}
