/* The jet at the start: see jet.h. Every rank makes all of it, in double, so that every cut of the domain begins with
 * the same bits. SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"

#include "pipeline/error.h"

#include <stdlib.h>

static const double pi_number = 3.14159265358979323846;

/* y of its axis, m. */
static double axis_of(const struct dynamics_own *own)
{
    const struct grid *const g = own->grid;
    return g->y0 + 0.5 * g->ny * g->dy + own->params.initial_jet_offset;
}

double jet_wind(const struct dynamics_own *own, double y, double z)
{
    const struct dynamics_params *const p = &own->params;
    const double width = p->initial_jet_width, off = width > 0 ? (y - axis_of(own)) / width : 0;
    const double across = sfd_cos(pi_number * off), r = z / p->initial_jet_height;
    if (!(off > -0.5 && off < 0.5)) return 0;
    const double upward =
        p->initial_jet == JET_CORE ? r * sfd_exp(0.5 * (1 - r * r)) : z / own->grid->top; /* 1 at its strongest */
    return p->initial_jet_speed * (across * across) * upward;
}

/* ---- judged ------------------------------------------------------------------------------------------------------ */

static int is_closed(int side) { return side == SIDE_WALL || side == SIDE_SYMMETRIC; }

static int is_possible(const struct dynamics_own *own, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    const int before = to ? to->errors : 0;
    if (map_is_asked(own))
        sf_complain(to, "initial%jet map%projection", -1,
                    "a jet is in balance on a plane, and on a map f changes: leave one of the two out");
    else if (!(p->dynamics_coriolis_f > 0 || p->dynamics_coriolis_f < 0))
        sf_complain(to, "initial%jet dynamics%coriolis_f", -1,
                    "a jet is held by the Coriolis force, and coriolis_f is 0: give it, 1e-4 at 43 degrees north");
    if (!(p->dynamics_gravity > 0))
        sf_complain(
            to, "initial%jet dynamics%gravity", -1,
            "a jet that changes with height is in balance with warm and cold air by their weight, and gravity is 0");
    if (!is_closed(p->boundary_south) || !is_closed(p->boundary_north))
        sf_complain(to, "boundary%south boundary%north initial%jet", -1,
                    "air is warmer on one side of a jet than on the other: let south and north be 'wall'");
    if (p->boundary_west != SIDE_PERIODIC)
        sf_complain(to, "boundary%west initial%jet", -1,
                    "a jet goes on and on along x: let west and east be 'periodic'");
    if (own->terrain.asked)
        sf_complain(to, "initial%jet terrain%height terrain%file", -1,
                    "a jet begins over flat ground: leave one of the two out");
    if (own->ctx.species)
        sf_complain(to, "initial%jet water%scheme", -1, "a jet begins in dry air: leave one of the two out");
    if (p->initial_file[0])
        sf_complain(to, "initial%jet initial%file", -1,
                    "the file has the air at the start, and so has the jet: leave one of the two out");
    if (p->initial_atmosphere != ATMOSPHERE_BASE)
        sf_complain(to, "initial%jet initial%atmosphere", -1,
                    "the air of a jet is that of the base state on its axis: make that atmosphere the base state");
    if (own->ctx.ray_k < own->ctx.nk)
        sf_complain_mildly(
            to, "dynamics%rayleigh_depth initial%jet", -1,
            "the Rayleigh layer leads wind and theta to those of the base state, and so wears the jet away: "
            "leave rayleigh_depth out");
    return !to || to->errors == before;
}

/* ---- balanced ---------------------------------------------------------------------------------------------------- */

/* pi' of all rows of level k, of theta' as it is: along y by the wind, and 0 on its axis. */
static void rows_balance(const struct dynamics_own *own, const struct jet *jet, int k)
{
    const struct grid *const g = own->grid;
    const struct dynamics *const d = &own->ctx;
    const ptrdiff_t nk = g->nz;
    double *const pi = jet->pi + k;
    const double *const u = jet->u + k, *const theta = jet->theta + k;
    pi[0] = 0;
    for (int j = 1; j < g->ny; j++) {
        const double wind = 0.5 * (u[(j - 1) * nk] + u[j * nk]),
                     air = own->base.theta0[k] + 0.5 * (theta[(j - 1) * nk] + theta[j * nk]);
        pi[j * nk] = pi[(j - 1) * nk] - (double)d->f * wind * g->dy / (d->cp_d * air);
    }
    const double row = (axis_of(own) - grid_y(g, 0, 0)) / g->dy, at = row < 0 ? 0 : row > g->ny - 1 ? g->ny - 1 : row;
    const int low = SF_MIN((int)at, SF_MAX(g->ny - 2, 0)), high = SF_MIN(low + 1, g->ny - 1);
    const double axis = pi[low * nk] + (at - low) * (pi[high * nk] - pi[low * nk]);
    for (int j = 0; j < g->ny; j++) pi[j * nk] -= axis;
}

/* The n numbers, `stride` apart, whose means of two neighbours are these, mean[1 .. n - 1]: of all such, which differ
 * by a number of alternating sign, those with the least squares of second differences. */
static void of_means(int n, const double *mean, ptrdiff_t stride, double *x)
{
    double sum = 0;
    x[0] = n > 1 ? mean[1] : 0;
    for (int m = 1; m < n; m++) x[m * stride] = 2 * mean[m] - x[(m - 1) * stride];
    for (int m = 1; m < n - 1; m++) {
        const double bend = (x[(m + 1) * stride] + x[(m - 1) * stride]) - 2 * x[m * stride];
        sum += m & 1 ? -bend : bend;
    }
    const double ripple = n > 2 ? sum / (4 * (n - 2)) : 0;
    for (int m = 0; m < n; m++) x[m * stride] += m & 1 ? -ripple : ripple;
}

/* theta' of a column by its pi', in hydrostatic balance. mean: [nk], memory. 1: no air has such a pressure. */
static int column_weigh(const struct dynamics_own *own, const double *pi, double *mean, double *theta)
{
    const struct grid *const g = own->grid;
    const struct dynamics *const d = &own->ctx;
    for (int k = 1; k < g->nz; k++) {
        const double theta_0 = own->base.theta0_f[k],
                     share = (pi[k] - pi[k - 1]) / (g->z_c[k] - g->z_c[k - 1]) * d->cp_d * theta_0 / d->g;
        if (!(share < 0.9 && share > -9)) return 1; /* theta from a tenth of theta_0 to ten times it */
        mean[k] = theta_0 * share / (1 - share);
    }
    of_means(g->nz, mean, 1, theta);
    return 0;
}

/* What the wind of level k lacks of the balance. mean: [ny], memory. */
static void rows_settle(const struct dynamics_own *own, const struct jet *jet, int k, double *mean, double *more)
{
    const struct grid *const g = own->grid;
    const struct dynamics *const d = &own->ctx;
    const ptrdiff_t nk = g->nz;
    double *const u = jet->u + k;
    const double *const pi = jet->pi + k, *const theta = jet->theta + k;
    for (int j = 1; j < g->ny; j++) {
        const double air = own->base.theta0[k] + 0.5 * (theta[(j - 1) * nk] + theta[j * nk]);
        mean[j] = -(d->cp_d * air) * (pi[j * nk] - pi[(j - 1) * nk]) / ((double)d->f * g->dy) -
                  0.5 * (u[(j - 1) * nk] + u[j * nk]);
    }
    of_means(g->ny, mean, 1, more);
    for (int j = 0; j < g->ny; j++) u[j * nk] += more[j];
}

/* pi' follows from theta' and the wind, theta' from pi'. A turn leaves theta' / theta_0 of what was wrong with smooth
 * air, and multiplies what alternates from level to level, which rounding brings in, by 2 f u y / (g dz): after four
 * the first is nothing, and the second not much yet. The wind takes what is left. memory: [2 (ny + nz)]. 1: there is no
 * such air. */
static int balance(const struct dynamics_own *own, const struct jet *jet, double *memory)
{
    enum { TURNS = 4 };
    const struct grid *const g = own->grid;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < g->nz; k++) rows_balance(own, jet, k);
        for (ptrdiff_t j = 0; j < g->ny; j++)
            if (column_weigh(own, jet->pi + j * g->nz, memory, jet->theta + j * g->nz)) return 1;
    }
    for (int k = 0; k < g->nz; k++) rows_settle(own, jet, k, memory, memory + g->ny);
    return 0;
}

/* What limits the time step; complains mildly of air that turns over by itself. */
static void air_judge(const struct instance *in, struct dynamics_own *own)
{
    const struct grid *const g = own->grid;
    const struct dynamics *const d = &own->ctx;
    double least = 0, warmest = 0;
    int row = 0, level = 0;
    for (ptrdiff_t n = 0; n < (ptrdiff_t)g->ny * g->nz; n++) {
        const ptrdiff_t k = n % g->nz;
        warmest = SF_MAX(warmest, (own->base.theta[k] + own->jet.theta[n]) * (own->base.pi0[k] + own->jet.pi[n]));
    }
    own->jet.sound_most = __builtin_sqrt(d->cp_d / (d->cp_d - d->R) * d->R * warmest);
    for (int j = 0; j < g->ny; j++)
        for (int k = 1; k < g->nz; k++) {
            const double *const more = own->jet.theta + (ptrdiff_t)j * g->nz, high = own->base.theta[k] + more[k],
                                low = own->base.theta[k - 1] + more[k - 1];
            const double n2 = d->g * (high - low) / (0.5 * (high + low) * (g->z_c[k] - g->z_c[k - 1]));
            own->jet.n2_most = SF_MAX(own->jet.n2_most, n2);
            if (n2 < least) least = n2, row = j, level = k;
        }
    if (least < -1e-7)
        sf_complain_mildly(
            in->complaints, "initial%jet_speed initial%jet_width base%brunt_vaisala dynamics%coriolis_f", -1,
            "the air that this jet is in balance with turns over by itself: N^2 is %.3g 1/s2 at y = %g m, "
            "z = %g m; take a slower or narrower jet, or a more stable base state",
            least, grid_y(g, row, 0), g->z_f[level]);
}

int jet_make(const struct instance *in, struct dynamics_own *own)
{
    const struct grid *const g = in->grid;
    const size_t cells = (size_t)g->ny * (size_t)g->nz;
    struct jet *const jet = &own->jet;
    if (own->params.initial_jet == JET_NONE) return SF_OK;
    if (!is_possible(own, in->complaints)) return SF_NAMELIST;
    double *const memory = calloc(3 * cells + 2 * (size_t)(g->ny + g->nz), sizeof *memory);
    SF_CHECK(memory, SF_MEMORY, "no memory for the jet at the start");
    *jet = (struct jet){memory, memory + cells, memory + 2 * cells, 0, 0};
    for (int j = 0; j < g->ny; j++)
        for (int k = 0; k < g->nz; k++) jet->u[(ptrdiff_t)j * g->nz + k] = jet_wind(own, grid_y(g, j, 0), g->z_c[k]);
    if (balance(own, jet, memory + 3 * cells)) {
        sf_complain(
            in->complaints, "initial%jet_speed initial%jet_width dynamics%coriolis_f", -1,
            "no air is in balance with this jet: it would have to be too warm on one side of it, or too cold on the "
            "other; take a slower or narrower one");
        return SF_NAMELIST;
    }
    air_judge(in, own);
    return SF_OK;
}

void jet_free(struct jet *j)
{
    free(j->u);
    *j = (struct jet){NULL, NULL, NULL, 0, 0};
}
