/* What a closure mixes by, of single rows on the host: for statistics, for histories, and for what a run should be told
 * of. SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"
#include "pipeline/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int turbulence_row(const struct dynamics *d, const struct slab *of, int j, double dt, real *km, real *kh)
{
    static const int moved[] = {F_U, F_V, F_W, F_TH, F_PI};
    const int ni = of->ni, nk = of->nk, energy = d->closure == CLOSURE_TKE ? F_Q + F_FAMILY * d->species : -1;
    const ptrdiff_t size = of->sk * nk, before = (j - of->j0) * of->sj;
    struct slab s = *of;
    real *const work = calloc((size_t)(3 * size), sizeof *work);
    if (!work) return 1;
    for (size_t n = 0; n < sizeof moved / sizeof moved[0]; n++) s.f[moved[n]] += before;
    for (int n = 0; n < d->named; n++) s.f[F_Q + F_FAMILY * n] += before;
    for (int f = F_TH0_OVER; f <= F_BUOYM_OVER && d->over; f++) s.f[f] += s.f[f] ? before : 0;
    static const int map[] = {F_GROUND_W, F_MAP_FACTOR};
    for (size_t n = 0; n < sizeof map / sizeof *map && d->over; n++) s.f[map[n]] += (j - of->j0) * s.sm;
    s.j0 = j, s.rows = 1;
    s.f[F_KM] = s.w[F_KM] = work, s.f[F_KH] = s.w[F_KH] = work + size;
    if (energy >= 0) s.w[energy] = work + 2 * size;
    const struct box row = {0, ni, 0, nk, j, j + 1};
    const struct call c = {.dt = (real)dt, .ctx = d};
    static stage_function *const stability[] = {stability_moist_run, stability_moist_over_run};
    static stage_function *const eddies[2][2][2] = {
        {{smagorinsky_run, tke_dry_run}, {smagorinsky_moist_run, tke_moist_run}},
        {{smagorinsky_over_run, tke_dry_over_run}, {smagorinsky_moist_over_run, tke_moist_over_run}}};
    if (d->species) stability[d->over](&s, row, &c);
    eddies[d->over][d->species > 0][energy >= 0](&s, row, &c);
    for (int k = 0; k < nk; k++) {
        memcpy(km + (ptrdiff_t)k * ni, s.f[F_KM] + k * s.sk, (size_t)ni * sizeof(real));
        memcpy(kh + (ptrdiff_t)k * ni, s.f[F_KH] + k * s.sk, (size_t)ni * sizeof(real));
    }
    free(work);
    return 0;
}

/* ---- K that a time step cuts ------------------------------------------------------------------------------------- */

enum { LOOKED_AT = 64 }; /* rows of the domain at most */
static const double cut_share = 1e-3, cut_least = 1.05; /* of the cells, fewer are let pass, and no larger factor */

struct cut_of {
    const struct dynamics *d;
    double dt;
    int every, failed;
};

/* Of a row that is looked at, how many cells are cut; the largest K dt over what a step bears. */
static void cut_row(const struct state *st, int j, double *out, void *ctx)
{
    struct cut_of *const x = ctx;
    const int ni = st->grid->nx;
    const size_t n = (size_t)ni * (size_t)st->grid->nz;
    const real *const bears = st->host.s.f[P_MOST];
    out[0] = out[1] = 0;
    if (j % x->every) return;
    real *const k_of = malloc(2 * n * sizeof *k_of);
    /* Of a step so short that nothing is cut. */
    if (!k_of || turbulence_row(x->d, &st->host.s, j, 1e-6 * x->dt, k_of, k_of + n)) x->failed = 1;
    for (size_t m = 0; m < n && !x->failed; m++) {
        const double over = fmax(2 * (double)k_of[m], (double)k_of[n + m]) * x->dt / (double)bears[m / (size_t)ni];
        out[0] += over > 1, out[1] = fmax(out[1], over);
    }
    free(k_of);
}

int turbulence_cut(const struct dynamics_own *own, const struct state *st, double dt, double *share, double *most)
{
    const int ny = st->grid->ny;
    struct cut_of x = {&own->ctx, dt, (ny + LOOKED_AT - 1) / LOOKED_AT, 0};
    const struct reduction r = {.sums = 1, .maxima = 1, .row = cut_row, .ctx = &x};
    double out[2];
    SF_TRY(reduce_rows(&st->comm, st, &r, out));
    *share = out[0] / ((double)st->grid->nx * st->grid->nz * ((ny + x.every - 1) / x.every)), *most = out[1];
    return outcome_share(
        &st->comm,
        x.failed ? sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to look at the diffusivity of a row") : SF_OK);
}

int dynamics_doubt(struct instance *in, const struct state *st, double time, double dt)
{
    struct dynamics_own *const own = in->own;
    double share, most;
    if (!own->ctx.closure || own->doubted) return SF_OK;
    SF_TRY(turbulence_cut(own, st, dt, &share, &most));
    if (!(share > cut_share && most > cut_least)) return SF_OK;
    own->doubted = 1;
    if (!st->comm.rank)
        sf_warn(
            "turbulence: at %g s the time step cuts the diffusivity of %.3g %% of the cells, by a factor of up to %.3g: they "
            "mix less than they should; dt below about %.3g s cuts nothing%s",
            time, 100 * share, most, dt / most,
            own->params.turbulence_vertical == VERTICAL_IMPLICIT
                ? ""
                : ", nor may vertical = 'implicit' where levels are thin");
    return SF_OK;
}
