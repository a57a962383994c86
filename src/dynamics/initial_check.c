/* What is wrong with the state at the start before it is made: perturbations that reach no cell, air that cannot be,
 * winds that break the first step. SPDX-License-Identifier: MIT */
#include "dynamics/initial_parts.h"

#include "dynamics/courant.h"
#include "dynamics/water.h"
#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>

static const double air_coldest = BASE_COLDEST, air_hottest = BASE_HOTTEST; /* K */
static const double number_most = 1e30; /* of a wind or tracer, which single precision ends at 3e38 */

/* ---- does a perturbation reach any point? ---- */

/* Distance, in radii, from its centre to the nearest of n points first, first + step, ... */
static double nearest(double centre, double radius, double first, double step, int n)
{
    if (!(radius > 0)) return 0;
    double at = (centre - first) / step;
    at = at < 0 ? 0 : at > n - 1 ? n - 1 : at;
    const double low = first + (double)(long)at * step,
                 high = low + step; /* beyond the last point only where low is nearer */
    const double below = centre > low ? centre - low : low - centre,
                 above = centre > high ? centre - high : high - centre;
    return (below < above || (long)at == n - 1 ? below : above) / radius;
}

static double nearest_level(double centre, double radius, const double *z, int n)
{
    double least = 1e300;
    for (int k = 0; k < n && radius > 0; k++) {
        const double d = (z[k] > centre ? z[k] - centre : centre - z[k]) / radius;
        least = d < least ? d : least;
    }
    return radius > 0 ? least : 0;
}

/* Beyond this distance from its centre, in radii, a shape is nothing; 0: it has no such distance. */
static double extent_of(enum shape_kind kind)
{
    const double gaussian = 6; /* exp(-36): no bit of a sum with anything */
    switch (kind) {
    case SHAPE_COSINE:
    case SHAPE_COSINE_SQUARED:
        return 1;
    case SHAPE_GAUSSIAN:
    case SHAPE_GAUSSIAN_SINE:
        return gaussian;
    case SHAPE_NONE:
    case SHAPE_WITCH_SINE:
    case SHAPE_WAVE:
        break;
    }
    return 0;
}

/* How far from its centre, in radii along x, y and z, the point nearest to it of perturbation n lies. */
static void distance_of(const struct dynamics_own *own, const struct grid *g, int n, double at[3])
{
    const struct dynamics_params *p = &own->params;
    const int on = p->initial_variable[n];
    at[0] = nearest(p->initial_x[n], p->initial_radius_x[n], grid_x(g, 0, on == ON_U), g->dx, g->nx);
    at[1] = nearest(p->initial_y[n], p->initial_radius_y[n], grid_y(g, 0, on == ON_V), g->dy, g->ny);
    at[2] = p->initial_shape[n] == SHAPE_GAUSSIAN_SINE
                ? 0
                : nearest_level(p->initial_z[n], p->initial_radius_z[n], on == ON_W ? g->z_f : g->z_c, g->nz);
}

int initial_is_away(const struct dynamics_own *own, const struct grid *g, int n)
{
    const double most = extent_of((enum shape_kind)own->params.initial_shape[n]);
    double at[3];
    distance_of(own, g, n, at);
    return most > 0 && at[0] * at[0] + at[1] * at[1] + at[2] * at[2] >= most * most;
}

/* A warning, not an error: such a run is well defined, and moving the perturbation away is a way to switch it off. */
void initial_check(const struct instance *in)
{
    const struct dynamics_own *own = in->own;
    const struct dynamics_params *p = &own->params;
    const struct grid *g = in->grid;
    for (int n = 0; n < own->perturbations; n++) {
        const double most = extent_of((enum shape_kind)p->initial_shape[n]);
        double at[3];
        distance_of(own, g, n, at);
        if (initial_is_away(own, g, n))
            sf_complain_mildly(
                in->complaints,
                at[0] >= most ? "initial%x initial%radius_x grid%origin_x grid%nx grid%dx"
                : at[1] >= most
                    ? "initial%y initial%radius_y grid%origin_y grid%ny grid%dy"
                    : "initial%z initial%radius_z initial%x initial%y initial%radius_x initial%radius_y grid%nz grid%dz",
                n,
                "perturbation %d touches no cell: the domain is from %g to %g m, %g to %g m, 0 to %g m, its cells "
                "%g m x %g m x %g m and more",
                n + 1, g->x0, g->x0 + g->nx * g->dx, g->y0, g->y0 + g->ny * g->dy, g->top, g->dx, g->dy, g->z_f[1]);
    }
    const int moves = fabs(in->config->grid_translation_u) > 0 || fabs(in->config->grid_translation_v) > 0;
    if (p->initial_column_divergence == DIVERGENCE_REMOVED && moves)
        sf_complain(in->complaints, "initial%column_divergence grid%translation_u", -1,
                    "a grid that moves passes over columns of other mass: leave column_divergence or translation_u and "
                    "translation_v out");
    if (p->initial_noise > 0 && p->initial_noise_top < g->z_c[0])
        sf_complain_mildly(
            in->complaints, "initial%noise_top initial%noise grid%dz", -1,
            "noise_top = %g m lies below the lowest level, %g m: no cell gets noise; set it to the height of the highest that should",
            p->initial_noise_top, g->z_c[0]);
}

/* ---- does anything happen? ---- */

/* Does the wind of the base state blow from a side that lets none through, or change with height? Then it does not stay
 * as it is. */
static int wind_changes(const struct dynamics_own *own)
{
    const struct dynamics *d = &own->ctx;
    int changes = 0;
    for (int k = 0; k < d->nk; k++) {
        const double u = own->base.u0[k], v = own->base.v0[k];
        changes |= u != own->base.u0[0] || v != own->base.v0[0];
        changes |= (u != d->translation[0] && (d->wall[FACE_W] || d->wall[FACE_E])) ||
                   (v != d->translation[1] && (d->wall[FACE_S] || d->wall[FACE_N])); /* a wall moves with the grid */
    }
    return changes;
}

/* Does water of the base state change by itself: vapour beyond saturation, or cloud that rains? */
static int water_changes(const struct dynamics_own *own)
{
    const struct dynamics *d = &own->ctx;
    const struct base_state *b = &own->base;
    int changes = 0;
    for (int k = 0; k < d->nk && d->species; k++) {
        const double full = vapour_saturated(&d->vapour, d->R, b->theta[k] * b->pi0[k], b->p0[k]);
        changes |=
            b->qv[k] > 1.0001 * full || (d->phase & PHASE_RAINS && b->qc[k] > own->params.water_autoconversion_from);
    }
    return changes;
}

/* The base state is steady: without a departure from it, and with a wind that is the same everywhere, all that is shown
 * stays 0. */
static void still_check(const struct instance *in)
{
    const struct dynamics_own *own = in->own;
    const struct dynamics_params *p = &own->params;
    const int noise = p->initial_noise > 0 && p->initial_noise_top >= in->grid->z_c[0];
    int departs = noise || p->initial_wind_u != 0 || p->initial_wind_v != 0 || p->initial_atmosphere != ATMOSPHERE_BASE;
    departs |= (p->initial_jet != JET_NONE && p->initial_jet_speed != 0) || own->start != NULL || own->forcing.given ||
               own->forcing.is_wrong || p->forcing_file[0];
    departs |= p->initial_flow != FLOW_NONE && p->initial_flow_speed != 0;
    for (int n = 0; n < own->perturbations; n++)
        departs |=
            p->initial_shape[n] != SHAPE_NONE && p->initial_amplitude[n] != 0 && !initial_is_away(own, in->grid, n);
    departs |= own->params.surface_heat != HEAT_NONE ||
               (own->params.surface_drag != DRAG_NONE && own->params.base.base_wind != WIND_CALM);
    departs |= own->ctx.over && own->params.base.base_wind != WIND_CALM;
    departs |= own->ctx.closure != CLOSURE_NONE && own->params.base.base_wind > WIND_CONSTANT; /* its shear is mixed */
    if (departs || wind_changes(own) || water_changes(own) || !in->complaints)
        return; /* without complaints it is no one's case: a list of what a model can do */
    sf_complain_mildly(
        in->complaints, "initial%amplitude initial%shape", -1,
        "nothing happens in this run: the air starts as the base state, which is steady, and all departures from it stay 0; give a perturbation a "
        "shape and an amplitude in the domain, or noise, wind_u, wind_v or flow in &initial");
}

/* The layer leads theta' to 0, and so other air away from where it began. */
static void damped_check(const struct instance *in)
{
    const struct dynamics_own *own = in->own;
    if (own->ctx.ray_k < own->ctx.nk && own->params.initial_atmosphere != ATMOSPHERE_BASE)
        sf_complain_mildly(
            in->complaints, "dynamics%rayleigh_depth initial%atmosphere", -1,
            "the Rayleigh layer leads theta to that of the base state, and the air begins as another atmosphere, "
            "which it stirs: leave rayleigh_depth out, or make that atmosphere the base state");
}

/* ---- can the air be? ---- */

/* The most that perturbations, noise and flow add to any cell, in magnitude. */
struct most {
    double theta, temperature, pi, tracer, wind[3], half_square;
};

static struct most most_of(const struct dynamics_own *own)
{
    const struct dynamics_params *p = &own->params;
    const struct flow_numbers f = initial_flow_of(own);
    const double level = f.k * f.k + f.l * f.l, lambda = sqrt(level + f.m * f.m), A = fabs(f.A);
    struct most m = {.theta = p->initial_noise, .wind = {fabs(p->initial_wind_u), fabs(p->initial_wind_v), 0}};
    if (own->jet.u) m.wind[0] += fabs(p->initial_jet_speed);
    for (int n = 0; n < own->perturbations; n++) {
        const double most = p->initial_shape[n] == SHAPE_NONE
                                ? 0
                                : fabs(p->initial_amplitude[n]) * exp(SF_MAX(p->initial_growth[n], 0) * own->grid->top);
        switch ((enum variable)p->initial_variable[n]) {
        case ON_THETA:
            m.theta += most;
            break;
        case ON_TEMPERATURE:
            m.temperature += most;
            break;
        case ON_PI:
            m.pi += most;
            break;
        case ON_TRACER:
        case ON_TKE:
            m.tracer += most;
            break;
        case ON_U:
            m.wind[0] += most;
            break;
        case ON_V:
            m.wind[1] += most;
            break;
        case ON_W:
            m.wind[2] += most;
            break;
        case ON_BUOYANCY: /* of what is heated, some condenses less: 3 times is more than it takes */
            m.theta += 3 * most;
            break;
        case ON_VAPOUR:
        case ON_CLOUD:
        case ON_RAIN:
        case ON_HUMIDITY:
            break;
        }
    }
    if (f.kind == FLOW_BELTRAMI) {
        m.wind[0] += A / level * (lambda * f.l + f.m * f.k), m.wind[1] += A / level * (lambda * f.k + f.m * f.l),
            m.wind[2] += A;
        m.half_square = 0.5 * (m.wind[0] * m.wind[0] + m.wind[1] * m.wind[1] + m.wind[2] * m.wind[2]);
    } else if (f.kind == FLOW_TAYLOR_GREEN) {
        m.wind[0] += A, m.wind[1] += A * f.k / f.l;
        m.half_square = 0.5 * A * A;
    }
    return m;
}

static int air_is_possible(double theta, double pi)
{
    return theta > 0 && pi > 0 && theta * pi >= air_coldest && theta * pi <= air_hottest;
}

/* 1: no cell can be wrong, whatever adds up where. atmosphere: [nz] */
static int air_is_sure(const struct dynamics_own *own, const struct most *m, const double *atmosphere)
{
    const struct base_state *b = &own->base;
    const struct dynamics *d = &own->ctx;
    const int balanced = own->params.initial_atmosphere != ATMOSPHERE_BASE || own->params.initial_balance != 0;
    double balance = 0;
    for (int k = 0; k < d->nk; k++) {
        const double cold = m->theta + m->temperature / b->pi0[k], th = b->theta[k] + atmosphere[k];
        const double away = cold + fabs(atmosphere[k]), th0 = b->theta0_f[k];
        if (balanced && k > 0) {
            if (!(away < 0.5 * th0)) return 0;
            balance += (own->grid->z_c[k] - own->grid->z_c[k - 1]) * d->g * away / (th0 * d->cp_d * (th0 - away));
        }
        const double pi = m->pi + balance + m->half_square / (d->cp_d * b->theta0[k]);
        if (!air_is_possible(th - cold, b->pi0[k] - pi) || !air_is_possible(th + cold, b->pi0[k] + pi)) return 0;
    }
    return 1;
}

/* ---- every cell ---- */

struct found {
    int i, j, k;
    double theta, pi, value; /* value: of a tracer or wind without end */
};

/* What one thread found in the rows so far. */
struct search {
    const struct dynamics_own *own;
    double rate; /* 1/s: the largest sum of winds over spacings */
    struct found fastest, bad;
    int is_bad;
    struct vapour_seen vapour;
};

/* The perturbation that does most to a variable at a point, of theta and pi' relative to what is there. -1: none does
 * anything. */
static int culprit_find(const struct dynamics_own *own, int on_air, double x, double y, double z, double theta,
                        double pi)
{
    int who = -1;
    double most = 0;
    for (int n = 0; n < own->perturbations; n++) {
        const int on = own->params.initial_variable[n];
        const double part = fabs(initial_perturbation(own, n, x, y, z));
        const double size = on == ON_THETA         ? part / theta
                            : on == ON_TEMPERATURE ? part / (theta * pi)
                            : on == ON_PI          ? part / pi
                                                   : part;
        if ((on <= ON_PI) != on_air || size <= most) continue;
        most = isnan(size) ? INFINITY : size, who = n;
    }
    return who;
}

/* bad: the first that no air can be. */
static void column_search(struct search *s, struct start *start, int i, int j)
{
    const struct dynamics_own *own = s->own;
    const struct dynamics *d = &own->ctx;
    const struct grid *g = own->grid;
    if (s->is_bad) return;
    start_column(start, i, j);
    const double factor = map_factor_at(own, i, j), factor_y = map_factor_y_at(own, i, j);
    static const enum start_of filed[3] = {START_U, START_V, START_W};
    double *const wind_filed[3] = {start->wind[0][0], start->wind[0][1], start->wind[1][0]}, *const tracers =
                                                                                                 start->wind[1][1];
    int is_filed[3];
    for (int c = 0; c < 3; c++)
        is_filed[c] = start_values(&start->rows, filed[c], i, j, &start->base, &start->work, wind_filed[c]);
    memset(tracers, 0, (size_t)g->nz * sizeof *tracers);
    for (int m = d->species; m < d->tracers; m++) {
        start_tracer(start, m, i, j, start->spare);
        for (int k = 0; k < g->nz; k++) tracers[k] += fabs(start->spare[k]);
    }
    for (int k = 0; k < g->nz; k++) {
        const struct base_column *const b = &start->base;
        const double theta = b->theta[k] + start->at.theta[k], pi = b->pi0[k] + start->at.pi[k];
        const double thin = SF_MIN(b->z_f[k + 1] - b->z_f[k], k ? b->z_f[k] - b->z_f[k - 1] : b->z_f[1] - b->z_f[0]);
        double wind[3];
        initial_winds(own, &start->flow, i, j, k, wind);
        double u = wind[0] + own->base.u0[k] - d->translation[0], v = wind[1] + own->base.v0[k] - d->translation[1];
        double w = wind[2];
        if (is_filed[0]) u = wind[0] + wind_filed[0][k];
        if (is_filed[1]) v = wind[1] + wind_filed[1][k];
        if (k && is_filed[2]) w = wind[2] + wind_filed[2][k];
        const double rate =
            courant_sum((real)u, (real)v, (real)w, factor / g->dx, g->ny > 1 ? factor_y / g->dy : 0, 1 / thin);
        const struct found here = {i, j, k, theta, pi, fabs(u) + fabs(v) + fabs(w) + tracers[k]};
        if (!air_is_possible(theta, pi) || !(here.value < number_most)) {
            s->bad = here, s->is_bad = 1;
            return;
        }
        if (rate > s->rate) s->rate = rate, s->fastest = here;
        if (own->start && start->at.qv) vapour_see(&s->vapour, d, i, j, k, theta, pi, start->at.qv[k]);
    }
}

/* A row, of which each thread looks at a part. */
struct search_row {
    struct search *of;
    int j;
};
static void row_search(void *arg, struct start *start, int thread, int i)
{
    const struct search_row *const r = arg;
    column_search(&r->of[thread], start, i, r->j);
}

/* Of two searches of which b looked at columns behind those of a, row by row. */
static void search_join(struct search *a, const struct search *b)
{
    if (!a->is_bad && b->is_bad) a->bad = b->bad, a->is_bad = 1;
    const int is_first = b->fastest.j < a->fastest.j;
    if (b->rate > a->rate || (b->rate >= a->rate && b->rate > 0 && is_first))
        a->rate = b->rate, a->fastest = b->fastest;
    vapour_seen_join(&a->vapour, &b->vapour);
}

/* All columns, row by row, up to a row in which some air cannot be. */
static int columns_search(const struct instance *in, struct start *start, struct search *all)
{
    const struct grid *const g = in->grid;
    const int threads = SF_MAX(in->threads, 1);
    struct start_team team;
    struct search *const s = calloc((size_t)threads, sizeof *s);
    SF_CHECK(s, SF_MEMORY, "no memory for %d threads that look at the initial state", threads);
    for (int n = 0; n < threads; n++) s[n] = *all;
    int rc = start_team_open(&team, start, threads), is_bad = 0;
    for (int j = 0; j < g->ny && !rc && !is_bad; j++) {
        struct search_row row = {s, j};
        rc = start_rows_need(&start->rows, j);
        if (!rc) start_team_row(&team, g->nx, row_search, &row);
        for (int n = 0; n < threads; n++) is_bad |= s[n].is_bad;
    }
    start_team_close(&team);
    *all = s[0];
    for (int n = 1; n < threads; n++) search_join(all, &s[n]);
    free(s);
    return rc;
}

static double height_of(const struct dynamics_own *own, const struct found *at)
{
    return terrain_z_c(own, at->i, at->j, at->k);
}

static void place_text(const struct dynamics_own *own, const struct found *at, char *text, size_t size)
{
    snprintf(text, size, "in cell i = %d, j = %d, k = %d (x = %g m, y = %g m, z = %g m)", at->i, at->j, at->k,
             grid_x(own->grid, at->i, 0), grid_y(own->grid, at->j, 0), height_of(own, at));
}

static void bad_tell(const struct instance *in, const struct found *bad, const struct base_column *b)
{
    const struct dynamics_own *own = in->own;
    const struct grid *g = in->grid;
    const double x = grid_x(g, bad->i, 0), y = grid_y(g, bad->j, 0), z = height_of(own, bad);
    const int is_air = !air_is_possible(bad->theta, bad->pi);
    const int who = culprit_find(own, is_air, x, y, z, b->theta[bad->k], b->pi0[bad->k]);
    const char *const keys = who >= 0     ? "initial%amplitude initial%variable initial%growth initial%shape"
                             : own->start ? "initial%file"
                             : own->params.initial_flow != FLOW_NONE             ? "initial%flow_speed"
                             : own->jet.u                                        ? "initial%jet_speed"
                             : own->params.initial_atmosphere != ATMOSPHERE_BASE ? "initial%atmosphere"
                                                                                 : "initial%noise";
    char place[256], part[128] = "";
    place_text(own, bad, place, sizeof place);
    if (who >= 0) {
        static const char *const unit[] = {
            " K to theta", " K to the temperature", " to the Exner function", "",          " m/s",     " m/s",  " m/s",
            " of vapour",  " of humidity",          " K of buoyancy",         " of cloud", " of rain", " m2/s2"};
        snprintf(part, sizeof part, "; perturbation %d adds %.4g%s", who + 1, initial_perturbation(own, who, x, y, z),
                 unit[own->params.initial_variable[who]]);
    }
    if (!is_air)
        sf_complain(in->complaints, keys, who, "the state at the start has no finite wind or tracer %s%s", place, part);
    else if (!(bad->theta > 0) || !(bad->pi > 0))
        sf_complain(
            in->complaints, keys, who,
            "no air can be as the state at the start has it %s: potential temperature %.4g K and Exner function %.4g, where the base "
            "state has %.4g K and %.4g%s",
            place, bad->theta, bad->pi, b->theta[bad->k], b->pi0[bad->k], part);
    else
        sf_complain(
            in->complaints, keys, who,
            "the state at the start has a temperature of %.4g K %s, where the base state has %.4g K; this model's air is a gas of "
            "%g to %g K%s",
            bad->theta * bad->pi, place, b->theta[bad->k] * b->pi0[bad->k], air_coldest, air_hottest, part);
}

/* What the wind at the start allows the first step; where it blows, for people. */
static void start_set(struct instance *in, const struct search *s)
{
    struct dynamics_own *own = in->own;
    const struct grid *g = in->grid;
    const struct found *f = &s->fastest;
    char place[256];
    if (!(s->rate > 0)) return;
    const int who = culprit_find(own, 0, grid_x(g, f->i, 1), grid_y(g, f->j, 0), height_of(own, f), 1, 1);
    place_text(own, f, place, sizeof place);
    own->start_rate = s->rate;
    in->dt_start = courant_limit(own->ctx.wide, own->ctx.tracers) / s->rate;
    snprintf(own->start_text, sizeof own->start_text, "the wind at the start crosses %.3g cells a second %s", s->rate,
             place);
    in->dt_start_by = own->start_text;
    in->dt_start_keys = who >= 0 ? "initial%amplitude time%dt" : own->start ? "time%dt initial%file" : "time%dt";
    in->dt_start_index = who;
}

int initial_judge(struct instance *in)
{
    struct dynamics_own *own = in->own;
    still_check(in);
    damped_check(in);
    initial_vapour_check(in);
    const struct dynamics *d = &own->ctx;
    const struct grid *g = in->grid;
    const struct most m = most_of(own);
    double base = 0, thin = g->z_f[1];
    struct search s = {.own = own};
    struct start start;
    int rc = start_open(&start, own);
    for (int k = 0; k < g->nz; k++) {
        const double u = fabs(own->base.u0[k] - d->translation[0]) * own->map.most / g->dx,
                     v = fabs(own->base.v0[k] - d->translation[1]) * own->map.most_y / g->dy;
        base = SF_MAX(base, u + (g->ny > 1 ? v : 0));
        thin = SF_MIN(thin, g->z_f[k + 1] - g->z_f[k]);
    }
    if (d->over) thin = own->terrain.least_dz;
    /* Air below that of the base state's levels, or of another profile at heights of its own. */
    const int is_low = d->over && (own->terrain.lowest < 0 || own->params.initial_atmosphere != ATMOSPHERE_BASE);
    const double rate = base + m.wind[0] * own->map.most / g->dx +
                        (g->ny > 1 ? m.wind[1] * own->map.most_y / g->dy : 0) + m.wind[2] / thin;
    const int slow = m.wind[0] <= own->expected_speed && m.wind[1] <= own->expected_speed &&
                     m.wind[2] <= own->expected_vertical &&
                     in->config->time_dt * rate <= courant_limit(d->wide, d->tracers);
    if (!rc && (own->start || own->jet.u || is_low || !air_is_sure(own, &m, start.from.theta) || !slow ||
                !(m.tracer < number_most))) {
        rc = columns_search(in, &start, &s);
        if (s.is_bad) base_column_fill(&start.base, own, s.bad.i, s.bad.j), bad_tell(in, &s.bad, &start.base);
        else if (!rc) {
            start_set(in, &s);
            if (own->start) vapour_seen_tell(in, &s.vapour, "initial%file");
        }
    }
    start_close(&start);
    if (rc != SF_INPUT) return rc;
    sf_complain_failure(in->complaints, "initial%file", -1, rc);
    return SF_NAMELIST;
}
