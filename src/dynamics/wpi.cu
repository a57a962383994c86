/* The small steps of w and pi' on a GPU: one thread a column. SPDX-License-Identifier: MIT */
#include "pipeline/launch.h"

#include "dynamics/smallstep.h"
#include "dynamics/stages.h"

/* Columns of a block. The elimination's ratios are [nk][columns] in shared memory; w holds the eliminated value and pid the star
 * between the two sweeps, as on the CPU. */
template <int start>
__global__ void wpi_columns(const struct slab s, const struct box b, const struct dynamics d, const real dtau)
{
    SF_SHARED(real, ratios);
    const int i = b.i0 + (int)(blockIdx.x * blockDim.x + threadIdx.x), nk = d.nk, columns = (int)blockDim.x;
    if (i >= b.i1) return;
    const ptrdiff_t sk = s.sk, sj = s.sj, at = (b.j0 + (int)blockIdx.y - s.j0) * sj + i;
    const real *const u = s.f[F_U] + at, *const v = s.f[F_V] + at, *const th = s.f[F_TH] + at;
    const real *const pi_t = s.f[F_PIT] + at, *const w_t = s.f[F_WT] + at;
    real *const w = s.w[F_W] + at, *const pi = s.w[F_PI] + at, *const pid = s.w[F_PID] + at;
    real *const wa = start == START_HERE ? NULL : s.f[F_WA] + at, *const pia = start == START_HERE ? NULL : s.f[F_PIA] + at;
    const real *const w_from = start == START_SAVED ? wa : w, *const pi_from = start == START_SAVED ? pia : pi;
    real *const ratio = ratios + threadIdx.x;
    const real cp = d.cp * dtau;

    struct cell_terms lower = {R(0.0), R(0.0), R(0.0)};
    struct face_terms before = {R(0.0), R(0.0)};
    real pi_lower = R(0.0), th_lower = R(0.0), w_old = R(0.0);
    for (int k = 0; k < nk; k++) {
        const ptrdiff_t n = k * sk;
        const real pi_old = pi_from[n], w_top = k + 1 == nk ? R(0.0) : w_from[n + sk], th_upper = th[n];
        if (start == START_FIRST) pia[n] = pi_old, wa[n] = k ? w_old : w[n];
        const real div = divergence(u[n], u[n + 1], d.rdx, v[n], v[n + sj], d.rdy);
        const struct cell_terms upper = cell_make(pi_old, s.f[P_PI0][k], pi_t[n], d.rcv, s.f[P_RDZC][k], s.f[P_DPI0H][k],
                                                  s.f[P_DPI0H][k + 1], div, w_old, w_top, dtau, d.off1);
        struct face_terms face = {R(0.0), R(0.0)};
        if (k) {
            const real theta = theta_face(s.f[P_TH0F][k], th_lower, th_upper);
            face = face_make(w_old, w_t[n], dtau, cp * s.f[P_RDZF][k] * theta, d.off, d.off1, pi_lower, pi_old, lower, upper, before);
        }
        pid[n] = upper.star, w[n] = face.value, ratio[k * columns] = face.ratio;
        lower = upper, before = face;
        pi_lower = pi_old, th_lower = th_upper, w_old = w_top;
    }
    /* Down: w', then the pressure of the cell above each face. */
    const real b_dtau = d.off * dtau;
    real w_top = R(0.0);
    for (int k = nk - 1; k >= 0; k--) {
        const ptrdiff_t n = k * sk;
        const struct face_terms face = {ratio[k * columns], w[n]};
        const real w_new = face_solve(face, w_top);
        const struct pressure p = cell_solve(pid[n], pi_from[n], s.f[P_PI0][k], d.rcv, s.f[P_RDZC][k], s.f[P_DPI0H][k],
                                             s.f[P_DPI0H][k + 1], w_new, w_top, b_dtau, d.damping);
        w[n] = w_new, pi[n] = p.now, pid[n] = p.damped;
        w_top = w_new;
    }
}

/* The same, TOGETHER levels at a time: the next ones are read while these are computed, and of these all is made side by side that
 * does not wait for the elimination. A warp a block. Star and eliminated w go through the second-level cache: kept on chip they
 * would leave room for half as many columns, which is slower (H200, 128 levels, 32 bits: 59 Gpoint/s, on chip 51, wpi_columns 24). */
enum { WARP = 32, TOGETHER = 8 };

/* What the upward sweep reads at one level. */
struct wpi_level {
    real pi_old, w_top, th, u_low, u_high, v_low, v_high, pi_t, w_t;
};

/* Rows that it reads, at column 0 and level 0: threads add a 32-bit offset. */
struct wpi_rows {
    const real *u, *v_low, *v_high, *th, *pi_t, *w_t, *w, *pi;
};

__device__ static inline struct wpi_level level_read(const struct wpi_rows &r, unsigned at, unsigned sk, int is_lid)
{
    struct wpi_level x;
    x.pi_old = r.pi[at], x.w_top = r.w[at + sk];
    x.u_low = r.u[at], x.u_high = r.u[at + 1], x.v_high = r.v_high[at];
    x.th = read_once(r.th + at), x.pi_t = read_once(r.pi_t + at), x.w_t = read_once(r.w_t + at), x.v_low = read_once(r.v_low + at);
    if (is_lid) x.w_top = R(0.0);
    return x;
}

/* Numbers of the base state at a level, which all columns share. */
struct wpi_base {
    real pi_0, rdz, bottom, top, th0f, cp_rdz;
};

__device__ static inline void bases_make(struct wpi_base *to, const struct slab &s, int nk, real cp)
{
    for (int k = (int)threadIdx.x; k < nk; k += WARP) {
        const struct wpi_base x = {s.f[P_PI0][k], s.f[P_RDZC][k], s.f[P_DPI0H][k], s.f[P_DPI0H][k + 1], s.f[P_TH0F][k],
                                   cp * s.f[P_RDZF][k]};
        to[k] = x;
    }
    __syncthreads();
}

/* WHOLE: nk is a multiple of TOGETHER. */
template <int start, int WHOLE>
__global__ void __launch_bounds__(WARP) wpi_levels(const struct slab s, const struct box b, const struct dynamics d, const real dtau)
{
    SF_SHARED(real, chip);
    const int nk = d.nk, i = b.i0 + (int)(blockIdx.x * WARP + threadIdx.x);
    struct wpi_base *const bases = (struct wpi_base *)(chip + WARP * nk);
    bases_make(bases, s, nk, d.cp * dtau);
    if (i >= b.i1) return;
    const ptrdiff_t row = (b.j0 + (int)blockIdx.y - s.j0) * s.sj;
    real *const wa = start == START_HERE ? NULL : s.f[F_WA] + row, *const pia = start == START_HERE ? NULL : s.f[F_PIA] + row;
    real *const w = s.w[F_W] + row, *const pi = s.w[F_PI] + row, *const pid = s.w[F_PID] + row;
    const struct wpi_rows x = {s.f[F_U] + row, s.f[F_V] + row, s.f[F_V] + row + s.sj, s.f[F_TH] + row, s.f[F_PIT] + row,
                               s.f[F_WT] + row, start == START_SAVED ? wa : w, start == START_SAVED ? pia : pi};
    const unsigned sk = (unsigned)s.sk, column = (unsigned)i, lid = column + (unsigned)(nk - 1) * sk;
    real *const ratio = chip + threadIdx.x;

    struct wpi_level now[TOGETHER], next[TOGETHER];
    unsigned ahead = column;
#pragma unroll
    for (int q = 0; q < TOGETHER; q++) {
        now[q] = level_read(x, ahead, sk, ahead == lid);
        ahead = ahead < lid ? ahead + sk : lid;
    }
    struct cell_terms lower = {R(0.0), R(0.0), R(0.0)};
    struct face_terms before = {R(0.0), R(0.0)};
    real pi_lower = R(0.0), th_lower = R(0.0), w_old = R(0.0);
    unsigned at = column;
    for (int k0 = 0; k0 < nk; k0 += TOGETHER, at += TOGETHER * sk) {
        struct cell_terms cell[TOGETHER];
        struct face_equation equation[TOGETHER];
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) {
            next[q] = level_read(x, ahead, sk, ahead == lid);
            ahead = ahead < lid ? ahead + sk : lid;
        }
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) {
            const struct wpi_base y = bases[WHOLE || k0 + q < nk ? k0 + q : nk - 1];
            const struct wpi_level c = now[q];
            const real w_bottom = q ? now[q - 1].w_top : w_old;
            if (start == START_FIRST && (WHOLE || k0 + q < nk))
                pia[at + q * sk] = c.pi_old, wa[at + q * sk] = k0 + q ? w_bottom : w[at];
            const real div = divergence(c.u_low, c.u_high, d.rdx, c.v_low, c.v_high, d.rdy);
            cell[q] = cell_make(c.pi_old, y.pi_0, c.pi_t, d.rcv, y.rdz, y.bottom, y.top, div, w_bottom, c.w_top, dtau, d.off1);
            const real theta = theta_face(y.th0f, q ? now[q - 1].th : th_lower, c.th);
            equation[q] = face_equation_make(w_bottom, c.w_t, dtau, y.cp_rdz * theta, d.off, d.off1, q ? now[q - 1].pi_old : pi_lower,
                                             c.pi_old, q ? cell[q - 1] : lower, cell[q]);
        }
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) {
            const struct face_terms face = face_eliminate(equation[q], before);
            before = face;
            if (q == 0 && k0 == 0) before.ratio = before.value = R(0.0); /* w[0] = 0 */
            if (!WHOLE && k0 + q >= nk) continue;
            ratio[(k0 + q) * WARP] = before.ratio;
            pid[at + q * sk] = cell[q].star, w[at + q * sk] = before.value;
        }
        lower = cell[TOGETHER - 1];
        pi_lower = now[TOGETHER - 1].pi_old, th_lower = now[TOGETHER - 1].th, w_old = now[TOGETHER - 1].w_top;
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) now[q] = next[q];
    }
    /* Down: w', then the pressure of the cell above each face. */
    const real b_dtau = d.off * dtau;
    struct {
        real old, star, value;
    } here[TOGETHER], below[TOGETHER];
    real w_top = R(0.0), w_new[TOGETHER];
    int k = nk - 1;
    ahead = lid;
#pragma unroll
    for (int q = 0; q < TOGETHER; q++, k = k > 0 ? k - 1 : 0, ahead = column + (unsigned)k * sk)
        here[q].old = x.pi[ahead], here[q].star = pid[ahead], here[q].value = w[ahead];
    at = lid;
    for (int k0 = nk - 1; k0 >= 0; k0 -= TOGETHER, at -= TOGETHER * sk) {
#pragma unroll
        for (int q = 0; q < TOGETHER; q++, k = k > 0 ? k - 1 : 0, ahead = column + (unsigned)k * sk)
            below[q].old = x.pi[ahead], below[q].star = pid[ahead], below[q].value = w[ahead];
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) {
            const struct face_terms face = {ratio[(WHOLE || k0 >= q ? k0 - q : 0) * WARP], here[q].value};
            w_new[q] = face_solve(face, q ? w_new[q - 1] : w_top);
        }
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) {
            if (!WHOLE && k0 < q) continue;
            const struct wpi_base y = bases[k0 - q];
            const struct pressure p = cell_solve(here[q].star, here[q].old, y.pi_0, d.rcv, y.rdz, y.bottom, y.top, w_new[q],
                                                 q ? w_new[q - 1] : w_top, b_dtau, d.damping);
            write_once(w + (at - q * sk), w_new[q]), write_once(pi + (at - q * sk), p.now);
            write_once(pid + (at - q * sk), p.damped);
        }
        w_top = w_new[TOGETHER - 1];
#pragma unroll
        for (int q = 0; q < TOGETHER; q++) here[q] = below[q];
    }
}

/* As many columns a block as shared memory that every device has can serve. */
static int columns_of(int nk)
{
    int columns = 64;
    while (columns > 1 && (size_t)columns * (size_t)nk * sizeof(real) > 48 * 1024) columns /= 2;
    return columns;
}

template <int start> static void wpi_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const size_t chip = (size_t)d->nk * (WARP * sizeof(real) + sizeof(struct wpi_base));
    if (chip <= LAUNCH_SHARED_MOST) {
        const dim3 grid((unsigned)(b.i1 - b.i0 + WARP - 1) / WARP, (unsigned)(b.j1 - b.j0));
        if (d->nk % TOGETHER == 0) SF_LAUNCH_BLOCKS((wpi_levels<start, 1>), grid, dim3(WARP), chip, stream, *s, b, *d, c->dt);
        else SF_LAUNCH_BLOCKS((wpi_levels<start, 0>), grid, dim3(WARP), chip, stream, *s, b, *d, c->dt);
        return;
    }
    const int columns = columns_of(d->nk);
    const dim3 grid((unsigned)(b.i1 - b.i0 + columns - 1) / (unsigned)columns, (unsigned)(b.j1 - b.j0));
    SF_LAUNCH_BLOCKS((wpi_columns<start>), grid, dim3((unsigned)columns), (size_t)columns * (size_t)d->nk * sizeof(real), stream, *s,
                     b, *d, c->dt);
}

extern "C" void wpi_first_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    wpi_launch<START_FIRST>(s, b, c, stream);
}

extern "C" void wpi_start_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    wpi_launch<START_SAVED>(s, b, c, stream);
}

extern "C" void wpi_next_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    wpi_launch<START_HERE>(s, b, c, stream);
}
