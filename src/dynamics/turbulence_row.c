/* What a closure mixes by, of single rows of a state on the host: for statistics, and for what a run should be told of.
 * SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int turbulence_row(const struct dynamics *d, const struct state *st, int j, double dt, real *km, real *kh)
{
    static const int moved[] = {F_U, F_V, F_W, F_TH, F_PI};
    const int ni = st->grid->nx, nk = st->grid->nz,
              energy = d->closure == CLOSURE_TKE ? F_Q + F_FAMILY * d->species : -1;
    const ptrdiff_t size = st->host.s.sk * nk, before = (j - st->host.s.j0) * st->host.s.sj;
    struct slab s = st->host.s;
    real *const work = calloc((size_t)(3 * size), sizeof *work);
    if (!work) return 1;
    for (size_t n = 0; n < sizeof moved / sizeof moved[0]; n++) s.f[moved[n]] += before;
    for (int n = 0; n < d->named; n++) s.f[F_Q + F_FAMILY * n] += before;
    s.j0 = j, s.rows = 1;
    s.f[F_KM] = s.w[F_KM] = work, s.f[F_KH] = s.w[F_KH] = work + size;
    if (energy >= 0) s.w[energy] = work + 2 * size;
    const struct box row = {0, ni, 0, nk, j, j + 1};
    const struct call c = {.dt = (real)dt, .ctx = d};
    if (d->species) {
        stability_moist_run(&s, row, &c);
        if (energy >= 0) tke_moist_run(&s, row, &c);
        else smagorinsky_moist_run(&s, row, &c);
    } else if (energy >= 0) tke_dry_run(&s, row, &c);
    else smagorinsky_run(&s, row, &c);
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

int turbulence_cut(const struct dynamics_own *own, const struct state *st, double dt, double *share, double *most)
{
    const struct dynamics *const d = &own->ctx;
    const int ni = st->grid->nx, nk = st->grid->nz, every = (st->grid->ny + LOOKED_AT - 1) / LOOKED_AT;
    const size_t n = (size_t)ni * (size_t)nk;
    const real *const bears = st->host.s.f[P_MOST];
    real *const k_of = malloc(2 * n * sizeof *k_of);
    double mine[3] = {0, 0, 0}; /* cells that are cut, cells, the largest K dt over what a step bears */
    int rc = k_of ? SF_OK : SF_MEMORY;
    for (int j = (st->ja + every - 1) / every * every; j < st->jb && !rc; j += every) {
        /* Of a step so short that nothing is cut. */
        rc = turbulence_row(d, st, j, 1e-6 * dt, k_of, k_of + n) ? SF_MEMORY : SF_OK;
        for (size_t m = 0; m < n && !rc; m++) {
            const double least = (double)bears[m / (size_t)ni],
                         over = fmax(2 * (double)k_of[m], (double)k_of[n + m]) * dt / least;
            mine[0] += over > 1, mine[1]++, mine[2] = fmax(mine[2], over);
        }
    }
    free(k_of);
    if (rc) rc = sf_fail(rc, __FILE__, __LINE__, "no memory to look at the diffusivity of a row");
    SF_TRY(outcome_share(&st->comm, rc));
    const int ranks = st->comm.size;
    double *const all = malloc((size_t)ranks * sizeof mine);
    size_t *const bytes = malloc((size_t)ranks * sizeof *bytes);
    rc = outcome_share(
        &st->comm, all && bytes ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to look at diffusivity"));
    for (int r = 0; r < ranks && !rc; r++) bytes[r] = sizeof mine;
    if (!rc) rc = comm_allgather(&st->comm, mine, all, bytes);
    double cut = 0, cells = 0;
    *most = 0;
    for (int r = 0; r < ranks && !rc; r++)
        cut += all[3 * r], cells += all[3 * r + 1], *most = fmax(*most, all[3 * r + 2]);
    *share = cells > 0 ? cut / cells : 0;
    free(all), free(bytes);
    return rc;
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
