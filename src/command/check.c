/* sferic check: everything that can be wrong with a case, and what it will cost. SPDX-License-Identifier: MIT */
#include "command/command.h"

#include "command/disk.h"
#include "command/due.h"
#include "command/limits.h"
#include "command/rows.h"
#include "command/schedule.h"
#include "command/session.h"
#include "command/session_parts.h"
#include "command/trial.h"
#include "io/library.h"
#include "io/progress.h"
#include "io/rundir.h"
#include "io/sample.h"
#include "pipeline/error.h"
#include "pipeline/seconds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
    CASE_OPTIONS,
    {"--out", "-o", "DIR", "where the files would go (out/<case name>)"},
    {"--force", NULL, NULL, "results in DIR are not in the way: the run will be told --force or --restart"},
};

struct check_options {
    struct case_arguments args;
    const char *out;
    int force;
};

enum { PATH = 4096, TRIAL_STEPS = 4 };

static const double mib = 1024.0 * 1024.0;
/* Stacks of threads, what libraries keep of files that were open, and pages of the program that steps come to: 1.5 to
 * 5 MiB more than before the first step, in 12^3 to 256 x 256 x 64 cells, with netCDF 4.9 and HDF5 1.10. Of a time
 * series HDF5 keeps more, as it grows: 2 MiB where it comes to 8, and no more beyond. */
static const double later = 4.1 * 1048576, of_series = 0.25, series_most = 2 * 1048576;
static const double trial_flops = 2e10; /* of a step: a larger grid is timed on fewer rows, where its files fit them; */
static const double device_trial_flops = 1e13; /* else as it is, on a device, if it has no more than so many */

static int option_take(void *to, const struct option *o, const char *value)
{
    struct check_options *opt = to;
    int taken;
    SF_TRY(case_take(&opt->args, o, value, &taken));
    if (taken) return SF_OK;
    if (!strcmp(o->name, "--force")) opt->force = 1;
    else opt->out = value;
    return SF_OK;
}

static void line_print(void *to, const char *text) { fprintf(to, "  %s\n", text); }

/* The words of &boundary, whatever the model's choices are. */
static void sides_print(const struct session *s)
{
    static const char *const face[] = {"west", "east", "south", "north", "bottom", "top"};
    char text[512] = "";
    for (size_t n = 0; n < sizeof face / sizeof face[0]; n++) {
        char word[64];
        if (!namelist_word(&s->schema, "boundary", face[n], word, sizeof word)) continue;
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "", face[n], word);
    }
    rows_print(stdout, "sides", "%s", text);
}

static double face_at(const struct grid *g, int axis, int n)
{
    return axis == 0 ? grid_x(g, n, 1) : axis == 1 ? grid_y(g, n, 1) : g->z_f[n];
}

/* Size of the cells along an axis, of a graded one from the smallest to the largest. */
static void sizes_add(const struct grid *g, int axis, int n, char *text, size_t size)
{
    const size_t used = strlen(text);
    double least = face_at(g, axis, 1) - face_at(g, axis, 0), most = least;
    for (int m = 1; m < n; m++) {
        const double size = face_at(g, axis, m + 1) - face_at(g, axis, m);
        least = SF_MIN(least, size), most = SF_MAX(most, size);
    }
    const int end = snprintf(text + used, size - used, "%s%.6g", axis ? " m x " : "", least);
    if (most > least * 1.000001) snprintf(text + used + end, size - used - (size_t)end, " to %.6g", most);
}

static void grid_print(const struct session *s)
{
    const struct grid *g = &s->grid;
    const struct config *c = &s->config;
    char cells[256] = "";
    sizes_add(g, 0, g->nx, cells, sizeof cells);
    sizes_add(g, 1, g->ny, cells, sizeof cells);
    sizes_add(g, 2, g->nz, cells, sizeof cells);
    printf("%s: model %s, %d-bit numbers\n", c->case_name, s->model->name, SF_PREC);
    rows_head(stdout, "Case");
    rows_print(stdout, "grid", "%d x %d x %d = %.4g cells of %s m; %g m x %g m x %g m", g->nx, g->ny, g->nz,
               (double)g->nx * g->ny * g->nz, cells, grid_x(g, g->nx, 1) - grid_x(g, 0, 1),
               grid_y(g, g->ny, 1) - grid_y(g, 0, 1), g->z_f[g->nz] - g->z_f[0]);
    sides_print(s);
}

/* Of an adaptive run: the fewest steps that it can take. */
static long steps_longest(const struct session *s)
{
    struct clock c;
    return clock_init(&c, s->config.time_duration, s->config.time_output_interval, s->clock.most)
               ? 0
               : clock_steps_total(&c);
}

static void steps_print(const struct session *s)
{
    const struct clock *k = &s->clock;
    char limit[512] = "no limit of the step is known";
    if (isfinite(s->in.dt_limit))
        snprintf(limit, sizeof limit, "the model's limit is %.6g s (%s)", s->in.dt_limit,
                 s->in.dt_limit_by ? s->in.dt_limit_by : "its own");
    if (k->is_adaptive)
        rows_print(
            stdout, "time",
            "adaptive: %.6g s at first, then what keeps the Courant number at %g of what is stable, from %.4g to %.4g s; about %ld steps "
            "to %g s if the first stays, %ld with the longest; %ld output times",
            clock_dt(k, 0), s->config.time_courant_target, k->least, k->most, clock_steps_total(k), k->duration,
            steps_longest(s), k->gaps + 1);
    else
        rows_print(stdout, "time", "%ld steps of %.6g s to %g s, %ld output times; %s%s", clock_steps_total(k),
                   clock_dt(k, 0), k->duration, k->gaps + 1, limit, s->config.time_dt > 0 ? "" : "; dt was picked");
    session_step_warn(s);
}

static void model_print(const struct session *s)
{
    char title[64];
    if (!s->model->report) return;
    snprintf(title, sizeof title, "Model %s", s->model->name);
    rows_head(stdout, title);
    s->model->report(&s->in, clock_dt(&s->clock, 0), line_print, stdout);
}

static void memory_print(const struct session *s, const struct session_memory *m)
{
    int ja, jb;
    comm_rows(&s->comm, s->grid.ny, 0, &ja, &jb);
    const double points = (double)s->grid.nx * s->grid.nz * (jb - ja);
    rows_print(
        stdout, "memory",
        "%.1f MiB of a rank, %.1f bytes a point, %.2f times the least that its plan needs; %.1f MiB for output and tables on "
        "the first; %.1f of %.1f MiB on one machine",
        (double)m->rank / mib, (double)m->rank / points, (double)m->rank / (double)SF_MAX(m->minimum, 1),
        (double)m->buffers / mib, (double)m->host / mib, (double)m->available / mib);
    struct disk d = {.series = 0};
    if (disk_size(s, &d)) sf_error_clear(); /* told by disk_check */
    const double resident = (double)library_resident(), more = later + SF_MIN(of_series * d.series, series_most),
                 all = resident + more + (double)(m->rank + m->buffers - m->behind);
    if (resident > 0)
        rows_print(
            stdout, "resident",
            "%.1f MiB of the first rank as the system counts it, of which the program itself %.1f MiB; %.1f MiB more while "
            "the writer is behind",
            all / mib, (resident + more) / mib, (double)m->behind / mib);
    if (resident > 0 && m->stopping)
        rows_print(stdout, "if stopped",
                   "%.1f MiB beside that for the checkpoint, which a signal or --stop-after-steps makes without "
                   "restart_interval, too",
                   (double)m->stopping / mib);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static double step_flops(const struct session *s)
{
    double flops = 0;
    for (int n = 0; n < s->in.nops; n++) {
        const struct op *const o = &s->in.op[n];
        flops += s->model->stage[o->stage].flops * SF_MAX(o->members, 1) * (o->share > 0 ? o->share : 1) /
                 SF_MAX(o->every, 1);
    }
    return SF_MAX(flops, 1) * (double)s->grid.nx * s->grid.ny * s->grid.nz;
}

/* Rows that a trial is made with. */
static int trial_rows(const struct session *s)
{
    const double share = trial_flops / step_flops(s);
    if (share >= 1) return s->grid.ny;
    const int fewest = 16 * s->comm.size, rows = (int)(s->grid.ny * share);
    return SF_MIN(s->grid.ny, SF_MAX(rows, fewest));
}

/* s. */
struct trial_times {
    int rows; /* that it was made with */
    double begin; /* the state at the start, from its files */
    FILE *speed; /* where the limit of the speed is told */
    double step, entry; /* of the series: all cells are looked at and measured, by a device or at home, where what else
                           an entry shows wants them */
    int hidden; /* 1: a device's steps go on beside an entry: it copies fields, and does not sum alone */
};

/* What is done for an entry, but for writing it. value: room for all numbers of one. */
static int entry_make(struct session *s, const struct sample *p, double *value)
{
    char where[256];
    int bad;
    double courant;
    SF_TRY(outcome_share(&s->comm, engine_find_bad(&s->engine, &bad)));
    if (bad) SF_TRY(outcome_share(&s->comm, state_find_bad(&s->state, &bad, where, sizeof where)));
    const int is_sampled = p->profiles || p->nprobes, ahead = session_is_measured_ahead(s);
    if (!ahead) SF_TRY(outcome_share(&s->comm, engine_refresh(&s->engine)));
    if (s->model->measure)
        SF_TRY(outcome_share(&s->comm, s->model->measure(&s->in, &s->state, s->dt, value, &courant)));
    if (ahead && is_sampled) SF_TRY(outcome_share(&s->comm, engine_refresh(&s->engine)));
    double *const mean = value + s->in.nquantities;
    return sample_take(p, &s->state, mean, mean + (ptrdiff_t)p->nshown * s->grid.nz);
}

/* s that a step takes. Other programs of the machine may hold one up: where steps are short, the fastest of a few
 * tries. Collective. */
static int steps_time(struct session *s, double *step)
{
    enum { TRIES = 4 };
    static const double enough = 0.1; /* s of trying */
    double spent = 0;
    *step = 0;
    for (int n = 0; n < TRIES && spent < enough && session_steps_left(s) > 0; n++) {
        const long first = s->step;
        s->seconds = 0;
        SF_TRY(session_advance(s, SF_MIN(TRIAL_STEPS, session_steps_left(s))));
        double one = s->seconds / (double)(s->step - first);
        SF_TRY(comm_max_double(&s->comm, &one)); /* the same tries on all ranks */
        spent += one * (double)(s->step - first);
        if (!n || one < *step) *step = one;
    }
    return SF_OK;
}

/* The second of two: the first touches memory for the first time. Collective. */
static int entry_time(struct session *s, double *seconds)
{
    const int probes = s->in.traces.n ? 0 : s->nprobes;
    const size_t numbers =
        (size_t)s->in.nquantities + (size_t)s->in.ndiagnostics * ((size_t)s->grid.nz + (size_t)probes);
    struct sample p;
    double *const value = calloc(numbers + 1, sizeof *value);
    int rc = sample_init(&p, &s->in, &s->state, probes);
    if (!rc && !value) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for an entry of the series");
    rc = outcome_share(&s->comm, rc);
    for (int turn = 0; turn < 2 && !rc; turn++) {
        rc = session_advance(s, 1);
        const double began = seconds_now();
        if (!rc) rc = entry_make(s, &p, value);
        *seconds = seconds_now() - began;
    }
    sample_free(&p);
    free(value);
    SF_TRY(rc);
    return comm_max_double(&s->comm, seconds);
}

static int trial_run(struct session *s, struct trial_times *t)
{
    struct machine m;
    SF_TRY(machine_know(&m, &s->comm, s->backend, engine_threads(&s->engine_options, &s->grid, &s->comm)));
    const double began = seconds_now();
    t->rows = s->grid.ny;
    SF_TRY(session_start(s, NULL));
    SF_TRY(session_advance(s, 1)); /* pages and caches */
    t->begin = seconds_now() - began;
    SF_TRY(comm_max_double(&s->comm, &t->begin));
    SF_TRY(steps_time(s, &t->step));
    const double points = (double)s->grid.nx * s->grid.ny * s->grid.nz;
    if (s->comm.rank == 0) limit_print(t->speed, &s->engine, &m, t->step > 0 ? points / t->step : 0);
    t->hidden = s->backend->is_device &&
                (!session_is_measured_ahead(s) || s->config.output_profiles || (s->nprobes && !s->in.traces.n));
    return entry_time(s, &t->entry);
}

/* On fewer rows of the real grid, or on all. */
static int trial(struct session *s, const struct check_options *o, struct trial_times *t)
{
    const int rows = trial_rows(s);
    int is_whole = rows == s->grid.ny;
    if (!is_whole) {
        const struct trial_case x = trial_case_of(s, &o->args);
        struct session *part = NULL;
        int rc = trial_open(&part, &x, rows, 0);
        is_whole = !rc && !part && s->backend->is_device && step_flops(s) <= device_trial_flops;
        if (!rc && part) rc = trial_run(part, t);
        if (rc != SF_COMM) trial_close(part, &x, 0);
        SF_TRY(rc);
    }
    return is_whole ? trial_run(s, t) : SF_OK;
}

/* s that the series adds: beside a device's steps it takes nothing, unless they are done before it. */
static double series_time(const struct session *s, double step, double entry, int hidden)
{
    const double entries = session_entries(s),
                 between = step * (double)clock_steps_total(&s->clock) / SF_MAX(entries, 1);
    return entries * (hidden ? SF_MAX(entry - between, 0) : entry);
}

static void time_print(const struct session *s, const struct trial_times *t)
{
    char text[64], more[64];
    const double ratio = (double)s->grid.ny / SF_MAX(t->rows, 1), steps = (double)clock_steps_total(&s->clock),
                 per_step = t->step;
    const double points = (double)s->grid.nx * s->grid.ny * s->grid.nz;
    const double computing = per_step * ratio * steps,
                 series = series_time(s, per_step * ratio, t->entry * ratio, t->hidden);
    if (!(per_step > 0)) {
        rows_print(
            stdout, "wall time", "%s",
            session_steps_left(s)
                ? "not tried: the domain is too large, and its files fit no part of it; run --stop-after-steps 20 --out DIR tells steps/s"
                : "none, there is no step to take");
        return;
    }
    rows_print(stdout, "wall time", "about %s, files aside; %.4g steps/s, %.4g Mpoint/s in a trial of %d steps%s",
               progress_seconds(text, sizeof text, computing + series), 1 / (per_step * ratio),
               points / (per_step * ratio) * 1e-6, TRIAL_STEPS, t->rows < s->grid.ny ? " on fewer rows" : "");
    if (t->rows == s->grid.ny && t->begin > 0.1 * (computing + series) && t->begin > 1)
        rows_print(stdout, "beginning", "about %s more, to make the state at the start",
                   progress_seconds(more, sizeof more, t->begin));
    if (series > 0.1 * computing)
        rows_print(
            stdout, "series",
            "%s of it, for %.0f entries of %.3g ms each%s, for which all cells are summed: a longer &time series_interval takes less%s",
            progress_seconds(more, sizeof more, series), session_entries(s), 1e3 * t->entry * ratio,
            t->hidden ? ", which steps go on beside" : "",
            s->config.output_profiles ? ", and &output profiles = .false." : "");
}

/* How slabs would stream, where they do. Collective. */
static int schedule_examine(struct session *s, FILE *speed)
{
    struct engine e;
    struct state none;
    struct machine m;
    SF_TRY(machine_know(&m, &s->comm, s->backend, engine_threads(&s->engine_options, &s->grid, &s->comm)));
    const int rc = session_preview(s, &e, &none);
    if (!rc && s->comm.rank == 0) schedule_print(speed, &e, &m, due_mean(s, &e));
    engine_close(&e);
    return rc;
}

static int costs_examine(struct session *s, const struct check_options *o, const char *out, FILE *speed)
{
    struct session_memory m;
    const int root = s->comm.rank == 0;
    if (root) rows_head(stdout, "Cost");
    SF_TRY(session_memory(s, &m));
    if (root) memory_print(s, &m);
    const int disk = outcome_share(&s->comm, root ? disk_check(s, out) : SF_OK);
    if (disk && session_memory_lacks(s, &m)) { /* tell both, end with the memory */
        sf_warn("%s", sf_error_text());
        sf_error_clear();
    }
    SF_TRY(session_memory_check(s));
    SF_TRY(disk);
    SF_TRY(schedule_examine(s, speed));
    struct trial_times t = {.speed = speed};
    SF_TRY(trial(s, o, &t));
    if (root) time_print(s, &t);
    return SF_OK;
}

/* What the case costs, then what its model tells, then the speed of this machine, which who wants a forecast passes
 * over. */
static int all_examine(struct session *s, const struct check_options *o, const char *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const speed = open_memstream(&text, &size);
    int rc = outcome_share(&s->comm, speed ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a text"));
    if (!rc) rc = costs_examine(s, o, out, speed);
    if (speed) fclose(speed);
    if (s->comm.rank == 0) {
        model_print(s);
        if (text && text[0]) {
            rows_head(stdout, "Speed");
            fputs(text, stdout);
        }
        printf("\n");
    }
    free(text);
    return rc;
}

/* Whether or not a run may write where it would, its cost is told; the directory's fault comes last. */
static int case_examine(struct session *s, const struct comm *c, const struct check_options *o)
{
    char out[PATH], refusal[PATH] = "";
    SF_TRY(session_read(
        s, &(struct session_options){.path = o->args.path, .set = o->args.set, .nsets = o->args.nsets, .comm = c}));
    const int root = s->comm.rank == 0;
    snprintf(out, sizeof out, "%s%s", o->out ? o->out : "out/", o->out ? "" : s->config.case_name);
    const int refused = outcome_share(c, root ? rundir_examine(out, o->force) : SF_OK);
    snprintf(refusal, sizeof refusal, "%s", sf_error_text());
    sf_error_clear();
    if (root) grid_print(s);
    if (root) steps_print(s);
    const int rc = all_examine(s, o, out);
    if (rc && refused) sf_warn("%s", refusal);
    SF_TRY(rc);
    SF_CHECK(!refused, refused, "%s", refusal);
    return SF_OK;
}

/* The last line: what was told above all else is out of sight by then. */
static void warnings_print(int n)
{
    if (n) printf("%d warning%s\n", n, n > 1 ? "s" : "");
    else printf("no warnings\n");
}

int command_check(struct comm *c, int argc, char **argv)
{
    static const struct usage usage = {
        .name = "check",
        .arguments = "CASE.nml | NAME",
        .option = options,
        .noptions = (int)(sizeof options / sizeof options[0]),
        .take = option_take,
        .about = "Look at a case without running it: namelist, files, sides, time step, memory, "
                 "disk, and the time that\nit will take, from a trial of a few steps. Writes no "
                 "file."};
    struct check_options o = {0};
    SF_TRY(options_read(&usage, c->rank, argc, argv, &o));
    SF_TRY(case_check(c, &o.args, "check"));
    struct session *s = calloc(1, sizeof *s);
    int rc = outcome_share(c, s ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a session"));
    if (!rc) {
        rc = case_examine(s, c, &o);
        session_close(s);
    }
    if (!rc && c->rank == 0) warnings_print(sf_warnings());
    free(s);
    return rc;
}
