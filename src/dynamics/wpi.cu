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
