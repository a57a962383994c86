/* Statistics of turbulence: from the namelist to what a sample adds, and to statistics.nc.
 *
 * An interval is a record: the number of its samples, and sums over them of all columns and spectra. All that have
 * begun lie one behind the other in in->sampled, behind what they are of and the number of those that are complete; a
 * checkpoint keeps them.
 * SPDX-License-Identifier: MIT */
#include "dynamics/statistics.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Z, ZF, ONE, PLACES };
enum { ALWAYS, WET, EDDIES, ENERGY, GROUND, FLUXES, WET_FLUXES };
enum { ALONG_X, ALONG_Y, DIRECTIONS };
enum { AXIS_TIME, AXIS_Z, AXIS_ZF, AXIS_HEIGHT, AXIS_KX, AXIS_KY, AXES };
/* in->sampled begins with these; those before COMPLETE a checkpoint must have in common with the run. */
enum { SAMPLES_OF_ONE, SECONDS_OF_ONE, NUMBERS_OF_ONE, COMPLETE, RECORDS };
enum { PRIME_SLOW = 50 }; /* lines of n values with a larger prime factor take long to transform */
enum { SPECTRA = DIRECTIONS * SPECTRUM_FIELDS, VARIABLES = COLUMNS + SPECTRA + 3 };

static const struct column {
    int where, when;
    const char *name, *long_name, *unit, *standard_name;
} column_table[COLUMNS] = {
#define COLUMN(id, ...) [id] = {__VA_ARGS__},
#include "dynamics/statistics.def"
};

static const struct {
    const char *name, *long_name, *unit;
} spectrum_table[DIRECTIONS][SPECTRUM_FIELDS] = {
    {{"spectrum_x_u", "variance of u by wavenumber along x", "m2 s-2"},
     {"spectrum_x_v", "variance of v by wavenumber along x", "m2 s-2"},
     {"spectrum_x_w", "variance of w by wavenumber along x, on the nearest face", "m2 s-2"},
     {"spectrum_x_theta", "variance of theta by wavenumber along x", "K2"}},
    {{"spectrum_y_u", "variance of u by wavenumber along y", "m2 s-2"},
     {"spectrum_y_v", "variance of v by wavenumber along y", "m2 s-2"},
     {"spectrum_y_w", "variance of w by wavenumber along y, on the nearest face", "m2 s-2"},
     {"spectrum_y_theta", "variance of theta by wavenumber along y", "K2"}}};

struct statistics {
    double every, average; /* s */
    long per, intervals; /* samples of an interval; intervals of the run */
    int heights, level[STATISTICS_HEIGHTS], face[STATISTICS_HEIGHTS];
    int waves[DIRECTIONS]; /* wavenumbers of a spectrum; 0: there is none along that axis */
    int column[COLUMNS]; /* where its sums begin in a record; 0: it is left out */
    int spectrum[SPECTRA]; /* likewise: [heights][waves] */
    int record; /* numbers of a record */
    double *number; /* in->sampled */
    double *axis_value[AXES], *bounds;
    char since[64];
    struct result_axis axis[AXES];
    struct result_variable variable[VARIABLES];
    struct result_names names[VARIABLES];
    int of[VARIABLES]; /* column, COLUMNS + spectrum, or VARIABLES: the number of samples */
    struct result result;
};

/* ---- samples ----------------------------------------------------------------------------------------------------- */

static int length_of(const struct instance *in, int where)
{
    return where == Z ? in->grid->nz : where == ZF ? in->grid->nz + 1 : 1;
}

/* Spectra of one level of a field, which rank 0 gathers. */
static int spectra_of(const struct statistics *x, const struct instance *in, const struct state *st, int height,
                      int field, double *to)
{
    static const int id[SPECTRUM_FIELDS] = {F_U, F_V, F_W, F_TH};
    const struct grid *const g = in->grid;
    const struct comm *const c = &st->comm;
    const size_t own = (size_t)(c->rank ? st->jb - st->ja : g->ny) * (size_t)g->nx;
    real *const plane = malloc(own * sizeof *plane);
    size_t *const bytes = malloc((size_t)c->size * sizeof *bytes);
    int rc = outcome_share(
        c, plane && bytes ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a level of the domain"));
    const int k = field == SPECTRUM_W ? x->face[height] : x->level[height];
    for (int r = 0; r < c->size && !rc; r++) {
        int ja, jb;
        comm_rows(c, g->ny, r, &ja, &jb);
        bytes[r] = (size_t)(jb - ja) * (size_t)g->nx * sizeof *plane;
    }
    for (int j = st->ja; j < st->jb && !rc; j++)
        memcpy(plane + (ptrdiff_t)(j - st->ja) * g->nx, state_line(st, id[field], j, k), (size_t)g->nx * sizeof *plane);
    if (!rc) rc = comm_gather(c, plane, plane, bytes);
    if (!rc && c->rank == 0) {
        double mean = 0;
        for (size_t n = 0; n < own; n++) mean += (double)plane[n];
        mean /= (double)own;
        if (x->waves[ALONG_X])
            rc = statistics_spectrum(plane, mean, g->nx, 1, g->ny, g->nx,
                                     to + x->spectrum[field] + height * x->waves[ALONG_X]);
        if (!rc && x->waves[ALONG_Y])
            rc = statistics_spectrum(plane, mean, g->ny, g->nx, g->nx, 1,
                                     to + x->spectrum[SPECTRUM_FIELDS + field] + height * x->waves[ALONG_Y]);
    }
    free(plane);
    free(bytes);
    return rc == SF_COMM ? rc : outcome_share(c, rc);
}

/* One sample, as a record. */
static int record_make(const struct statistics *x, const struct instance *in, const struct state *st, double dt,
                       double *to)
{
    const size_t nk = (size_t)in->grid->nz;
    double *const level = malloc(((size_t)(MEANS + DEPARTURES) * nk + ROWS_ONE) * sizeof *level);
    double *value[COLUMNS];
    SF_TRY(
        outcome_share(&st->comm, level ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for statistics")));
    double *const dep = level + MEANS * nk, *const one = dep + DEPARTURES * nk;
    int rc = statistics_levels(in, st, dt, level, dep, one);
    for (int n = 0; n < COLUMNS; n++) value[n] = x->column[n] ? to + x->column[n] : NULL;
    if (!rc) statistics_columns(in, level, dep, one, value);
    to[0] = 1;
    for (int h = 0; h < x->heights && !rc; h++)
        for (int f = 0; f < SPECTRUM_FIELDS && !rc; f++) rc = spectra_of(x, in, st, h, f, to);
    if (!rc && x->heights) rc = comm_bcast(&st->comm, to, (size_t)x->record * sizeof *to);
    free(level);
    return rc;
}

int dynamics_sample(struct instance *in, const struct state *st, long multiple, double dt)
{
    struct statistics *const x = ((struct dynamics_own *)in->own)->statistics;
    const long interval = (multiple - 1) / x->per;
    if (multiple < 1 || interval >= x->intervals) return SF_OK;
    double *const sample = calloc((size_t)x->record, sizeof *sample);
    int rc =
        outcome_share(&st->comm, sample ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a sample"));
    if (!rc) rc = record_make(x, in, st, dt, sample);
    double *const sum = in->sampled + RECORDS + interval * x->record;
    for (int n = 0; n < x->record && !rc; n++) sum[n] += sample[n];
    if (!rc) {
        in->sampled[COMPLETE] = (double)(interval + (multiple == (interval + 1) * x->per));
        in->nsampled = RECORDS + (interval + 1) * x->record;
    }
    free(sample);
    return rc;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static int file_ready(const struct result *r)
{
    struct statistics *const x = (struct statistics *)(uintptr_t)r->own;
    x->axis[AXIS_TIME].n = (int)x->number[COMPLETE];
    return x->axis[AXIS_TIME].n > 0;
}

/* Of interval t: the mean of what begins at `from` of its record. */
static void mean_put(const struct statistics *x, int t, int from, int length, double *out)
{
    const double *const sum = x->number + RECORDS + (ptrdiff_t)t * x->record;
    for (int n = 0; n < length; n++) out[(ptrdiff_t)t * length + n] = sum[0] > 0 ? sum[from + n] / sum[0] : RESULT_NONE;
}

static void skewness_put(const struct statistics *x, int t, int length, double *out)
{
    const double *const sum = x->number + RECORDS + (ptrdiff_t)t * x->record;
    for (int n = 0; n < length; n++) {
        const double square = sum[0] > 0 ? sum[x->column[C_WW] + n] / sum[0] : 0;
        out[(ptrdiff_t)t * length + n] =
            square > 0 ? sum[x->column[C_WWW] + n] / sum[0] / (square * sqrt(square)) : RESULT_NONE;
    }
}

static int file_fill(const struct result *r, const struct state *st, double *const *out)
{
    const struct statistics *const x = r->own;
    if (!out) return SF_OK;
    for (int v = 0; v < r->nvariables; v++) {
        int length = 1;
        for (int d = 1; d < r->variable[v].ndims; d++) length *= r->axis[r->variable[v].dim[d]].n;
        for (int t = 0; t < r->axis[AXIS_TIME].n; t++) {
            const int of = x->of[v];
            if (of == VARIABLES) out[v][t] = x->number[RECORDS + (ptrdiff_t)t * x->record];
            else if (of == C_SKEW) skewness_put(x, t, length, out[v]);
            else mean_put(x, t, of < COLUMNS ? x->column[of] : x->spectrum[of - COLUMNS], length, out[v]);
        }
    }
    (void)st;
    return SF_OK;
}

/* ---- from the namelist ------------------------------------------------------------------------------------------- */

static int is_there(const struct dynamics *d, int when)
{
    const int wet = d->species > 0, ground = surface_acts(&d->surface), fluxes = d->closure != CLOSURE_NONE || ground;
    switch (when) {
    case WET:
        return wet;
    case EDDIES:
        return d->closure != CLOSURE_NONE;
    case ENERGY:
        return d->closure == CLOSURE_TKE;
    case GROUND:
        return d->surface.drag != DRAG_NONE;
    case FLUXES:
        return fluxes;
    case WET_FLUXES:
        return wet && fluxes;
    default:
        return 1;
    }
}

static void variable_add(struct statistics *x, struct result_variable v, struct result_names names, int of)
{
    v.share_of = -1;
    x->names[x->result.nvariables] = names;
    x->of[x->result.nvariables] = of;
    x->variable[x->result.nvariables++] = v;
}

/* What theta is in a dry model whose sounding has moisture; CF knows no virtual potential temperature. */
static const char *virtual_name(int column)
{
    switch (column) {
    case C_THETA:
        return "mean virtual potential temperature";
    case C_TT:
        return "variance of theta, the virtual potential temperature";
    case C_TW:
        return "resolved upward flux of theta, the virtual potential temperature";
    case C_TW_SGS:
        return "upward flux of theta, the virtual potential temperature, by closure and ground";
    default:
        return NULL;
    }
}

static void columns_make(struct statistics *x, const struct instance *in, const struct dynamics *d, int is_moist)
{
    static const int axis_of[PLACES] = {AXIS_Z, AXIS_ZF, -1};
    x->record = 1;
    for (int n = 0; n < COLUMNS; n++) {
        const struct column *const c = &column_table[n];
        const char *const virtual = is_moist ? virtual_name(n) : NULL;
        if (!is_there(d, c->when)) continue;
        x->column[n] = x->record, x->record += length_of(in, c->where);
        variable_add(x,
                     (struct result_variable){.name = c->name,
                                              .long_name = virtual ? virtual : c->long_name,
                                              .unit = c->unit,
                                              .ndims = c->where == ONE ? 1 : 2,
                                              .dim = {AXIS_TIME, axis_of[c->where]}},
                     (struct result_names){virtual ? "" : c->standard_name, "area: mean time: mean"}, n);
    }
    for (int n = 0; n < SPECTRA; n++) {
        const int direction = n / SPECTRUM_FIELDS, field = n % SPECTRUM_FIELDS;
        if (!x->heights || !x->waves[direction]) continue;
        x->spectrum[n] = x->record, x->record += x->heights * x->waves[direction];
        variable_add(
            x,
            (struct result_variable){
                .name = spectrum_table[direction][field].name,
                .long_name = spectrum_table[direction][field].long_name,
                .unit = spectrum_table[direction][field].unit,
                .comment =
                    is_moist && field == SPECTRUM_THETA
                        ? "theta is the virtual potential temperature; the sum over all wavenumbers is the variance"
                        : "the sum over all wavenumbers is the variance",
                .ndims = 3,
                .dim = {AXIS_TIME, AXIS_HEIGHT, direction && x->waves[ALONG_X] ? AXIS_KY : AXIS_KX}},
            (struct result_names){NULL, "time: mean"}, COLUMNS + n);
    }
    variable_add(
        x,
        (struct result_variable){
            .name = "samples", .long_name = "samples in the mean", .unit = "1", .ndims = 1, .dim = {AXIS_TIME}},
        (struct result_names){NULL, NULL}, VARIABLES);
}

static const struct result_names axis_names[AXES] = {{"time", NULL},   {"height", NULL}, {"height", NULL},
                                                     {"height", NULL}, {NULL, NULL},     {NULL, NULL}};

static int axes_make(struct statistics *x, const struct instance *in)
{
    static const double two_pi = 6.28318530717958647693;
    const struct grid *const g = in->grid;
    const int length[AXES] = {(int)x->intervals, g->nz, g->nz + 1, x->heights, x->waves[ALONG_X], x->waves[ALONG_Y]};
    snprintf(x->since, sizeof x->since, "seconds since %.40s", in->config->time_start);
    const struct result_axis axis[AXES] = {
        {.name = "time", .long_name = "end of the interval", .unit = x->since},
        {.name = "z", .long_name = "height of centres", .unit = "m"},
        {.name = "z_f", .long_name = "height of faces", .unit = "m"},
        {.name = "height", .long_name = "height of spectra", .unit = "m"},
        {.name = "wavenumber_x", .long_name = "angular wavenumber along x", .unit = "m-1"},
        {.name = "wavenumber_y", .long_name = "angular wavenumber along y", .unit = "m-1"}};
    x->bounds = malloc(2 * (size_t)x->intervals * sizeof *x->bounds);
    int bad = !x->bounds;
    for (int a = 0; a < AXES; a++) {
        x->axis[a] = axis[a], x->axis[a].n = length[a];
        x->axis[a].value = x->axis_value[a] = malloc((size_t)SF_MAX(length[a], 1) * sizeof(double));
        bad |= !x->axis_value[a];
    }
    SF_CHECK(!bad, SF_MEMORY, "no memory for the axes of statistics.nc");
    for (long n = 0; n < x->intervals; n++) {
        x->bounds[2 * n] = (double)n * x->average, x->bounds[2 * n + 1] = (double)(n + 1) * x->average;
        x->axis_value[AXIS_TIME][n] = x->bounds[2 * n + 1];
    }
    x->axis[AXIS_TIME].bounds = x->bounds;
    if (!x->waves[ALONG_X]) x->axis[AXIS_KX] = x->axis[AXIS_KY];
    x->result.naxes = x->heights ? AXIS_KX + (x->waves[ALONG_X] > 0) + (x->waves[ALONG_Y] > 0) : AXIS_HEIGHT;
    for (int k = 0; k <= g->nz; k++) x->axis_value[AXIS_ZF][k] = g->z_f[k];
    for (int k = 0; k < g->nz; k++) x->axis_value[AXIS_Z][k] = g->z_c[k];
    for (int h = 0; h < x->heights; h++) x->axis_value[AXIS_HEIGHT][h] = g->z_c[x->level[h]];
    for (int m = 0; m < x->waves[ALONG_X]; m++) x->axis_value[AXIS_KX][m] = two_pi * m / (g->nx * g->dx);
    for (int m = 0; m < x->waves[ALONG_Y]; m++) x->axis_value[AXIS_KY][m] = two_pi * m / (g->ny * g->dy);
    return SF_OK;
}

/* Whole samples in an interval, whole intervals in the run. 0: there are none, and why is told. */
static int times_judge(struct statistics *x, const struct dynamics_params *p, const struct config *c,
                       struct complaints *to)
{
    const double slack = 1e-9;
    x->every = p->statistics_interval;
    x->average = p->statistics_average > 0     ? p->statistics_average
                 : c->time_output_interval > 0 ? c->time_output_interval
                                               : c->time_duration;
    const double per = x->average / x->every, intervals = floor(c->time_duration / x->average * (1 + slack));
    if (!(per >= 1 - slack) || fabs(per - floor(per + 0.5)) > slack * per) {
        sf_complain(to, "statistics%average statistics%interval time%output_interval", -1,
                    "an average over %g s is not of whole samples, every %g s: make average a multiple of interval",
                    x->average, x->every);
        return 0;
    }
    if (!(intervals >= 1)) {
        sf_complain_mildly(
            to, "statistics%average time%duration", -1,
            "there will be no statistics.nc, for no average over %g s comes to its end in a run of %g s: "
            "make average shorter",
            x->average, c->time_duration);
        return 0;
    }
    if (intervals > 1e6 || per > 1e9) {
        sf_complain(to, "statistics%average statistics%interval", -1,
                    "%g averages of %g samples are too many: make average or interval longer", intervals, per);
        return 0;
    }
    x->per = (long)floor(per + 0.5), x->intervals = (long)intervals;
    if (c->time_duration - intervals * x->average > slack * c->time_duration)
        sf_complain_mildly(to, "statistics%average time%duration", -1,
                           "the last %g s of the run are in no average, for averages are over %g s",
                           c->time_duration - intervals * x->average, x->average);
    if (c->time_dt > x->every)
        sf_complain_mildly(to, "statistics%interval time%dt", -1,
                           "a step of %g s is longer than the %g s between samples: there is one every step",
                           c->time_dt, x->every);
    return 1;
}

static int nearest(const double *z, int first, int n, double at)
{
    int k = first;
    while (k + 1 < n && fabs(z[k + 1] - at) < fabs(z[k] - at)) k++;
    return k;
}

static void heights_judge(struct statistics *x, const struct dynamics_params *p, const struct instance *in, int heights,
                          struct complaints *to)
{
    const struct grid *const g = in->grid;
    const int round_x = p->boundary_west == SIDE_PERIODIC && p->boundary_east == SIDE_PERIODIC,
              round_y = p->boundary_south == SIDE_PERIODIC && p->boundary_north == SIDE_PERIODIC && g->ny > 1;
    x->heights = heights;
    x->waves[ALONG_X] = heights && round_x ? g->nx / 2 + 1 : 0,
    x->waves[ALONG_Y] = heights && round_y ? g->ny / 2 + 1 : 0;
    if (heights && !round_x && !round_y)
        sf_complain(
            to, "statistics%spectra_z boundary%west boundary%south", -1,
            "spectra are of periodic directions with more than one cell, and there is none: leave spectra_z out");
    for (int h = 0; h < heights; h++) {
        const double at = p->statistics_spectra_z[h];
        if (!(at >= 0 && at <= g->top))
            sf_complain(to, "statistics%spectra_z grid%nz grid%dz", h,
                        "spectra at %g m would lie outside the domain, which is from 0 to %g m", at, g->top);
        x->level[h] = nearest(g->z_c, 0, g->nz, at), x->face[h] = nearest(g->z_f, 1, g->nz, at);
        for (int other = 0; other < h; other++)
            if (x->level[other] == x->level[h])
                sf_complain_mildly(to, "statistics%spectra_z grid%nz grid%dz", h,
                                   "heights %g m and %g m are of the same level, at %g m: leave one out",
                                   p->statistics_spectra_z[other], at, g->z_c[x->level[h]]);
    }
    const int length[DIRECTIONS] = {g->nx, g->ny};
    for (int n = 0; n < DIRECTIONS; n++) {
        const int prime = x->waves[n] ? statistics_prime(length[n]) : 1;
        if (prime > PRIME_SLOW)
            sf_complain_mildly(to, n ? "statistics%spectra_z grid%ny" : "statistics%spectra_z grid%nx", -1,
                               "spectra of lines of %d values take long, for %d has the prime factor %d: better are "
                               "products of 2, 3 and 5",
                               length[n], length[n], prime);
    }
}

int statistics_make(struct instance *in, struct dynamics_own *own,
                    int (*values)(const void *, const char *, const char *), const void *names)
{
    const struct dynamics_params *const p = &own->params;
    const int heights = values(names, "statistics", "spectra_z");
    if (!(p->statistics_interval > 0)) {
        if (p->statistics_average > 0 || heights)
            sf_complain_mildly(in->complaints,
                               heights ? "statistics%spectra_z statistics%interval"
                                       : "statistics%average statistics%interval",
                               -1, "there are no statistics without a time between samples: set &statistics interval");
        return SF_OK;
    }
    struct statistics *const x = own->statistics = calloc(1, sizeof *x);
    SF_CHECK(x, SF_MEMORY, "no memory for statistics");
    heights_judge(x, p, in, heights, in->complaints);
    if (!times_judge(x, p, in->config, in->complaints)) return SF_OK;
    x->result =
        (struct result){.file = "statistics.nc",
                        .comment = "means over levels and over the samples of intervals of time; docs/numerics.md "
                                   "says where each product is taken",
                        .axis = x->axis,
                        .naxes = AXES,
                        .variable = x->variable,
                        .axis_names = axis_names,
                        .variable_names = x->names,
                        .ready = file_ready,
                        .fill = file_fill,
                        .own = x};
    columns_make(x, in, &own->ctx, own->base.is_moist);
    SF_TRY(axes_make(x, in));
    in->sampled_most = RECORDS + x->intervals * x->record, in->nsampled = RECORDS;
    in->sampled = x->number = calloc((size_t)in->sampled_most, sizeof *x->number);
    SF_CHECK(x->number, SF_MEMORY, "no memory for %ld averages of %d numbers: make &statistics average longer",
             x->intervals, x->record);
    x->number[SAMPLES_OF_ONE] = (double)x->per, x->number[SECONDS_OF_ONE] = x->average;
    x->number[NUMBERS_OF_ONE] = x->record;
    in->sampled_same = COMPLETE, in->sampled_keys = "statistics%average, time%output_interval and time%duration";
    /* What a sample takes: sums of rows, which reduce.h has three times, K of the closure, and the record. */
    const size_t rows = (size_t)in->grid->ny * (size_t)in->grid->nz,
                 eddies = own->ctx.closure ? 2 * rows * (size_t)in->grid->nx * sizeof(real) : 0;
    x->result.filling = 3 * rows * DEPARTURES * sizeof(double) + eddies + (size_t)in->sampled_most * sizeof(double);
    in->sample_every = x->every;
    in->result = &x->result, in->nresults = 1;
    return SF_OK;
}

void statistics_free(struct statistics **at)
{
    struct statistics *const x = *at;
    if (!x) return;
    for (int a = 0; a < AXES; a++) free(x->axis_value[a]);
    free(x->bounds);
    free(x->number);
    free(x);
    *at = NULL;
}

void statistics_describe(const struct instance *in, double dt, char *out, size_t size)
{
    const struct statistics *const x = ((const struct dynamics_own *)in->own)->statistics;
    char many[32] = "one average";
    out[0] = '\0';
    if (!x || !x->intervals) return;
    if (x->intervals > 1) snprintf(many, sizeof many, "%ld averages", x->intervals);
    const int n = snprintf(
        out, size, "statistics: %s over %g s, of a sample every %g s, which takes the host about as long as a step",
        many, x->average, SF_MAX(x->every, dt));
    if (x->heights && n > 0 && (size_t)n < size)
        snprintf(
            out + n, size - (size_t)n,
            ", and longer by spectra at %d height%s, which one thread makes: n times the sum of n's prime factors a "
            "line of n values",
            x->heights, x->heights > 1 ? "s" : "");
}
