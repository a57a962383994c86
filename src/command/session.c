/* Opening, advancing and closing a case. SPDX-License-Identifier: MIT */
#include "command/session.h"

#include "command/command.h"
#include "command/due.h"
#include "command/session_parts.h"
#include "command/tune.h"
#include "io/filed.h"
#include "io/history.h"
#include "io/restart.h"
#include "io/sample.h"
#include "io/spectra.h"
#include "io/volume.h"
#include "pipeline/error.h"
#include "stages/described.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 1000 };

static const double share_of_limit = 0.9; /* of the longest stable step, where the namelist leaves it open */

static int values_given(const void *names, const char *group, const char *key)
{
    return namelist_count(names, group, key);
}

static void probes_check(struct session *s, const struct session_options *o, struct complaints *to)
{
    const int nx = namelist_count(&s->schema, "output", "probe_x"),
              ny = namelist_count(&s->schema, "output", "probe_y");
    const int nz = namelist_count(&s->schema, "output", "probe_z");
    s->nprobes = SF_MIN(nx, SF_MIN(ny, nz));
    if (nx != ny || ny != nz)
        sf_complain(to, "output%probe_x output%probe_y output%probe_z", -1,
                    "probe_x, probe_y and probe_z must have as many values each; they have %d, %d and %d", nx, ny, nz);
    if (!o->is_part) sample_check(&s->grid, &s->config, s->nprobes, to);
}

static int model_bind(struct session *s, const char *path)
{
    char *dir = strdup(path);
    SF_CHECK(dir, SF_MEMORY, "no memory for the path of the namelist");
    char *slash = strrchr(dir, '/');
    if (slash) slash[slash == dir] = '\0';
    const int rc = s->model->bind(&s->in, s->params, values_given, &s->schema, slash ? dir : ".");
    free(dir);
    if (rc == SF_NAMELIST && s->in.complaints->errors) return SF_OK; /* told with all others */
    SF_TRY(rc);
    s->is_bound = 1;
    return SF_OK;
}

/* Frames whose files would have one name; those of a fixed step are named by the step. */
static void frames_check(const struct session *s, struct complaints *to)
{
    static const double apart = 1e-3; /* s: digits of a file's name */
    const struct clock *const c = &s->clock;
    const double last = c->duration - (double)c->full * c->interval,
                 least = c->full ? SF_MIN(c->interval, last > 0 ? last : c->interval) : last;
    if (s->in.dt_fixed > 0 || c->gaps < 1 || least >= apart || c->gaps < s->config.output_frames_per_file) return;
    sf_complain(
        to, "time%output_interval time%duration output%frames_per_file", -1,
        "output times are %.3g s apart, and history files are named by milliseconds: let output_interval be 0.001 s or more, or put "
        "all %ld frames into one file with &output frames_per_file",
        least, c->gaps + 1);
}

/* The clock of steps that follow the state. */
static int clock_adapts(struct session *s, struct complaints *to)
{
    const struct config *const c = &s->config;
    if (s->in.dt_fixed > 0 || !(s->in.dt_calm > 0)) {
        sf_complain(to, "time%adaptive case%model", -1,
                    "the time step of this model cannot follow the state: leave adaptive out");
        return SF_OK;
    }
    const double most = c->time_dt_max > 0 ? c->time_dt_max : share_of_limit * s->in.dt_calm;
    const double least = c->time_dt_min > 0 ? c->time_dt_min : 0.01 * most;
    if (least > most)
        sf_complain(to, "time%dt_min time%dt_max", -1, "dt_min = %g s is longer than the longest step, %g s", least,
                    most);
    if (c->time_dt_max > s->in.dt_calm)
        sf_complain_mildly(to, "time%dt_max", -1, "dt_max = %g s is longer than the %g s that are stable in calm air",
                           c->time_dt_max, s->in.dt_calm);
    s->dt = SF_MAX(SF_MIN(s->dt, most), least);
    struct clock shortest;
    SF_TRY(clock_init(&shortest, c->time_duration, c->time_output_interval, least)); /* can its steps be counted? */
    return clock_init_adaptive(&s->clock, c->time_duration, c->time_output_interval, s->dt, least, most);
}

static void adaptive_check(const struct session *s, struct complaints *to)
{
    const struct config *const c = &s->config;
    if (!c->time_adaptive && (c->time_dt_max > 0 || c->time_dt_min > 0))
        sf_complain_mildly(to, c->time_dt_max > 0 ? "time%dt_max time%adaptive" : "time%dt_min time%adaptive", -1,
                           "dt_max and dt_min count with adaptive = .true. alone: this run's step is dt");
}

static void clock_check(struct session *s, struct complaints *to)
{
    adaptive_check(s, to);
    const double asked = s->config.time_dt;
    if (!(asked > 0) && !(s->in.dt_limit > 0 && isfinite(s->in.dt_limit))) {
        sf_complain(to, "time%dt", -1, "dt = 0: the model has no limit to pick a time step from; give dt");
        return;
    }
    s->dt = s->in.dt_fixed > 0 ? s->in.dt_fixed : asked > 0 ? asked : share_of_limit * s->in.dt_limit;
    const int rc = s->config.time_adaptive ? clock_adapts(s, to)
                   : s->in.dt_fixed > 0
                       ? clock_init_fixed(&s->clock, s->config.time_duration, s->config.time_output_interval, s->dt)
                       : clock_init(&s->clock, s->config.time_duration, s->config.time_output_interval, s->dt);
    if (rc) sf_complain_failure(to, "time%dt time%output_interval time%duration", -1, rc);
    else frames_check(s, to);
    const double first = rc ? 0 : clock_dt(&s->clock, 0);
    if (s->config.time_allow_unstable) return;
    char fitted[96] = "";
    if (first < asked && !s->config.time_adaptive)
        snprintf(fitted, sizeof fitted, " (%.6g s, cut to meet the output times)", asked);
    if (s->in.dt_hopeless > 0 && first > s->in.dt_hopeless)
        sf_complain(
            to, "time%dt", -1,
            "every run blows up with steps of %.6g s%s: beyond %.6g s none is stable (%s); the longest stable step is %.6g s: "
            "give a shorter dt, or dt = 0, which picks one, or set &time allow_unstable",
            first, fitted, s->in.dt_hopeless, s->in.dt_hopeless_by, s->in.dt_limit);
    else if (s->in.dt_start > 0 && first > s->in.dt_start)
        sf_complain(to, s->in.dt_start_keys, s->in.dt_start_index,
                    "the first step of %.4g s would blow up: %s, which allows %.4g s; give a shorter dt, or dt = 0",
                    first, s->in.dt_start_by, s->in.dt_start);
}

void session_step_warn(const struct session *s)
{
    if (s->dt > s->in.dt_limit)
        sf_warn("dt = %g s is longer than the %g s that the model takes to be stable (%s)", s->dt, s->in.dt_limit,
                s->in.dt_limit_by ? s->in.dt_limit_by : "its own limit");
}

/* A run that is to be the reference of this one; rank 0 alone reads it. */
static int reference_check(const struct session *s, struct complaints *to)
{
    const int rc = s->comm.rank == 0 ? spectra_check(&s->in, to) : SF_OK;
    if (rc != SF_INPUT) return rc;
    sf_complain_failure(to, "spectrum%reference", -1, rc);
    return SF_OK;
}

/* What fields may take on the devices of all ranks, if each had no more than the one that has least. */
static int device_room(const struct session *s, double *bytes)
{
    const struct engine_options o = engine_options_of(&s->config);
    double lacks = s->backend->is_device ? -(double)engine_room(s->backend, &s->comm, o.device_memory) : 0;
    SF_TRY(comm_max_double(&s->comm, &lacks));
    *bytes = -lacks * s->comm.size;
    return SF_OK;
}

/* What is asked of a device and counts for nothing without one. */
static void device_check(const struct session *s, struct complaints *to)
{
    const struct config *c = &s->config;
    if (c->pipeline_device_memory_mib > 0 && !s->backend->is_device)
        sf_complain_mildly(
            to, "pipeline%device_memory_mib", -1,
            "device_memory_mib is for a GPU, and the backend is '%s': all fields are in the memory of the machine",
            s->backend->name);
}

static void threads_check(const struct session *s, struct complaints *to)
{
    char text[256];
    threads_doubt(s->config.pipeline_threads, text, sizeof text);
    if (text[0] && s->comm.rank == 0) sf_complain_mildly(to, "pipeline%threads", -1, "%s", text);
}

/* What follows from the namelist on every rank; all that is wrong with it is complained of. */
static int session_bind(struct session *s, const struct session_options *o, struct complaints *to)
{
    const struct grid_sizes sizes = {namelist_count(&s->schema, "grid", "size_x"),
                                     namelist_count(&s->schema, "grid", "size_y"),
                                     namelist_count(&s->schema, "grid", "size_z")};
    config_check(&s->config, to);
    const int rc = grid_init(&s->grid, &s->config, &sizes);
    if (rc == SF_NAMELIST) { /* nothing more can be said without a grid */
        sf_complain_failure(to, "grid%size_x grid%size_y grid%size_z", -1, rc);
        return SF_OK;
    }
    SF_TRY(rc);
    probes_check(s, o, to);
    double room = 0;
    s->backend = o->backend;
    if (!s->backend)
        SF_TRY(outcome_share(&s->comm, backend_choose(&s->backend, s->config.pipeline_backend, comm_local(&s->comm))));
    device_check(s, to);
    if (!o->is_part) threads_check(s, to);
    SF_TRY(device_room(s, &room));
    const struct engine_options engine = engine_options_of(&s->config);
    s->in = (struct instance){.model = s->model,
                              .config = &s->config,
                              .grid = &s->grid,
                              .threads = engine_host_threads(&engine, &s->grid, &s->comm),
                              .device_room = room,
                              .is_on_paper = o->backend != NULL,
                              .complaints = to,
                              .volume_read = volume_read,
                              .filed_list = filed_list,
                              .filed_read = filed_read};
    SF_TRY(model_bind(s, o->path));
    if (s->in.ndiagnostics && (s->is_bound || !s->config.output_staggered)) history_check(&s->in, to);
    if (s->is_bound) clock_check(s, to);
    if (s->is_bound && !o->is_part) SF_TRY(reference_check(s, to));
    s->in.complaints = NULL;
    return SF_OK;
}

/* What is made from a namelist that is right. */
static int session_settle(struct session *s, const struct session_options *o)
{
    s->engine_options = engine_options_of(&s->config);
    s->engine_options.backend = s->backend;
    s->engine_options.timing = s->timing;
    s->engine_options.timeline = o->timeline;
    if (o->has_fixed_threads) s->engine_options.adapts = ADAPTS_NEVER;
    SF_TRY(session_text(s));
    return session_identify(s);
}

static int case_read(struct session *s, const struct session_options *o, struct report *r, struct complaints *c)
{
    SF_TRY(session_namelist(s, o, r, c));
    SF_TRY(outcome_share(&s->comm, session_bind(s, o, c)));
    SF_TRY(outcome_share(&s->comm, session_tell(s, o, r, c)));
    return outcome_share(&s->comm, session_settle(s, o));
}

int session_read(struct session *s, const struct session_options *o)
{
    const struct comm c = o->comm ? *o->comm : (struct comm){.rank = 0, .size = 1}; /* may lie in *s */
    memset(s, 0, sizeof *s);
    s->comm = c;
    s->timing = o->timing;
    s->untuned = o->untuned;
    struct report r = {0};
    struct complaints *complaints = calloc(1, sizeof *complaints);
    int rc =
        outcome_share(&c, complaints ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to read a namelist"));
    if (!rc) rc = case_read(s, o, &r, complaints);
    s->in.complaints = NULL;
    if (!o->is_silent && (rc || !o->is_part)) report_tell(&r); /* what a failure left untold */
    else report_free(&r);
    free(complaints);
    return rc;
}

/* The checkpoint must be one of the steps that this run takes. */
static int session_resume(struct session *s, const char *path)
{
    struct restart_info info = {.identity = s->identity,
                                .sampled = s->in.sampled,
                                .nsampled = s->in.sampled_most,
                                .nsame = s->in.sampled_same,
                                .sampled_keys = s->in.sampled_keys};
    SF_TRY(restart_read(&s->state, path, &info));
    const long total = clock_steps_total(&s->clock);
    SF_CHECK(info.step <= total || s->clock.is_adaptive, SF_RESTART,
             "checkpoint %s is of step %ld, %g s: beyond the end of this run, step %ld, %g s; is time%%duration right?",
             path, info.step, info.time, total, s->clock.duration);
    struct periods *const periods = &s->engine.periods;
    const int carried = s->in.ncarried + periods->n, numbers = carried + (s->clock.is_adaptive ? CLOCK_NUMBERS : 0);
    SF_CHECK(info.nextra == numbers, SF_RESTART, "checkpoint %s carries %d numbers beside its fields, this run %d",
             path, info.nextra, numbers);
    if (s->clock.is_adaptive)
        SF_CHECK(
            clock_restore(&s->clock, info.extra + carried), SF_RESTART,
            "checkpoint %s, of %.9g s, is on its way to an output time that this run has not: time%%duration and output_interval must be "
            "those of the first run, or the first run's duration an output time of this one",
            path, info.time);
    const double time = clock_time(&s->clock, info.step);
    SF_CHECK(!memcmp(&time, &info.time, sizeof time), SF_RESTART,
             "checkpoint %s is of %.9g s after %ld steps; this run takes other steps and is at %.9g s then: "
             "time%%duration, output_interval and dt must be those of the first run",
             path, info.time, info.step, time);
    if (s->in.ncarried) memcpy(s->in.carried, info.extra, (size_t)s->in.ncarried * sizeof *info.extra);
    memcpy(periods->last, info.extra + s->in.ncarried, (size_t)periods->n * sizeof *info.extra);
    s->in.nsampled = info.nsampled;
    s->step = s->state.step = info.step;
    return SF_OK;
}

void session_restart_info(const struct session *s, struct restart_info *info)
{
    *info = (struct restart_info){.time = session_time(s),
                                  .step = s->step,
                                  .identity = s->identity,
                                  .nextra = s->in.ncarried,
                                  .sampled = s->in.sampled,
                                  .nsampled = s->in.nsampled};
    if (info->nextra) memcpy(info->extra, s->in.carried, (size_t)info->nextra * sizeof *info->extra);
    const struct periods *const periods = &s->engine.periods;
    memcpy(info->extra + info->nextra, periods->last, (size_t)periods->n * sizeof *info->extra);
    info->nextra += periods->n;
    if (!s->clock.is_adaptive) return;
    clock_save(&s->clock, info->extra + info->nextra);
    info->nextra += CLOCK_NUMBERS;
}

int session_sample(struct session *s)
{
    SF_TRY(outcome_share(&s->comm, engine_refresh(&s->engine)));
    return outcome_share(&s->comm,
                         s->model->sample(&s->in, &s->state, clock_multiple(&s->clock, s->step, s->in.sample_every),
                                          clock_dt(&s->clock, s->step)));
}

/* Choose the step that follows, by the wind as it is. The Courant number is the largest of all points: no cut, and no
 * device, changes a bit of it, if it is asked for with the step that it was looked at with on the way. */
static int session_adapt(struct session *s)
{
    const double dt = clock_dt(&s->clock, s->step);
    double courant = 0;
    int known;
    SF_TRY(outcome_share(&s->comm, engine_courant(&s->engine, dt, &courant, &known)));
    if (!known) SF_TRY(outcome_share(&s->comm, s->model->measure(&s->in, &s->state, dt, NULL, &courant)));
    SF_TRY(comm_bcast(&s->comm, &courant, sizeof courant));
    const double share = courant / s->config.time_courant_target;
    clock_choose(&s->clock, share > 0 || isnan(share) ? dt / share : s->clock.most);
    return SF_OK;
}

/* What the model first measures is what its drifts count from: the state at time 0, also where a run goes on. */
static int session_measure_first(struct session *s)
{
    if (!s->model->measure) return SF_OK;
    double courant = 0, *values = calloc((size_t)s->in.nquantities + 1, sizeof *values);
    SF_TRY(
        outcome_share(&s->comm, values ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the series")));
    const int rc = s->model->measure(&s->in, &s->state, clock_dt(&s->clock, 0), values, &courant);
    free(values);
    return outcome_share(&s->comm, rc);
}

static int session_fill(struct session *s, const char *restart)
{
    SF_TRY(outcome_share(&s->comm, s->model->begin(&s->in, &s->state)));
    SF_TRY(outcome_share(&s->comm, engine_feed(&s->engine, 0)));
    SF_TRY(outcome_share(&s->comm, engine_refresh(&s->engine)));
    if (s->model->derive) {
        s->model->derive(&s->in, &s->state, clock_dt(&s->clock, 0));
        engine_changed(&s->engine);
    }
    if (!restart) return SF_OK;
    SF_TRY(session_measure_first(s));
    SF_TRY(outcome_share(&s->comm, session_resume(s, restart)));
    engine_changed(&s->engine);
    SF_TRY(outcome_share(&s->comm, engine_feed(&s->engine, session_time(s))));
    SF_TRY(outcome_share(&s->comm, engine_refresh(&s->engine)));
    return clock_is_choice(&s->clock, s->step) ? session_adapt(s) : SF_OK; /* the first run ended there */
}

int session_start(struct session *s, const char *restart)
{
    SF_TRY(session_memory_start(s));
    s->shape = calloc((size_t)s->model->nstages + 1, sizeof *s->shape);
    SF_TRY(outcome_share(&s->comm, s->shape ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for shapes")));
    s->engine_options.shape = s->shape;
    if (!s->untuned) SF_TRY(tune_apply(s));
    s->state = (struct state){.comm = s->comm, .grid = &s->grid, .in = &s->in};
    SF_TRY(outcome_share(&s->comm, engine_open(&s->engine, &s->in, &s->state, &s->engine_options)));
    return session_fill(s, restart);
}

int session_open(struct session *s, const struct session_options *o)
{
    SF_TRY(session_read(s, o));
    return session_start(s, o->restart);
}

void session_close(struct session *s)
{
    engine_close(&s->engine);
    if (s->is_bound) s->model->unbind(&s->in);
    grid_free(&s->grid);
    namelist_free(&s->schema);
    free(s->params);
    free(s->source);
    free(s->text);
    free(s->identity);
    free(s->shape);
    described_close(s->described);
    memset(s, 0, sizeof *s);
}

long session_steps_left(const struct session *s) { return clock_steps_total(&s->clock) - s->step; }

double session_time(const struct session *s) { return clock_time(&s->clock, s->step); }

int session_preview(const struct session *s, struct engine *e, struct state *none)
{
    *none = (struct state){.comm = s->comm, .grid = &s->grid, .in = &s->in};
    return outcome_share(&s->comm, engine_preview(e, &s->in, none, &s->engine_options));
}

int session_is_measured_ahead(const struct session *s)
{
    return s->model->measure && !s->in.measures_host && engine_is_ahead(&s->engine) &&
           (s->comm.size == 1 || !s->model->measures_north);
}

int session_digest(const struct session *s, unsigned long long *digest) { return state_digest(&s->state, digest); }

/* What the steps to come are looked at for behind them. */
static int session_survey(struct session *s, int is_due)
{
    struct reduction r;
    if (!is_due || !s->model->survey_rows) return engine_survey(&s->engine, NULL); /* asks nothing of other ranks */
    SF_TRY(s->model->survey_rows(&s->in, &s->state, &r));
    return outcome_share(&s->comm, engine_survey(&s->engine, &r));
}

int session_advance(struct session *s, long steps)
{
    double time[TIMES];
    const int pass = s->engine.pass[0].plan.steps;
    const long most = TIMES / pass * pass;
    const double before = s->engine.seconds;
    while (steps > 0 && session_steps_left(s) > 0) {
        const long every = s->in.survey_every, passed = every ? s->step % every : 0;
        if (every && !passed) SF_TRY(outcome_share(&s->comm, s->model->survey(&s->in, &s->state)));
        long n = SF_MIN(SF_MIN(steps, most), clock_steps_to_output(&s->clock, s->step));
        if (every) n = SF_MIN(n, every - passed);
        SF_TRY(session_survey(s, every && passed + n == every));
        for (long m = 0; m < n; m++) time[m] = clock_time(&s->clock, s->step + m);
        engine_watch(&s->engine, due_at(s, s->step + n));
        SF_TRY(engine_run(&s->engine, s->step, time, clock_dt(&s->clock, s->step), (int)n));
        s->step += n;
        steps -= n;
        if (clock_is_choice(&s->clock, s->step)) SF_TRY(session_adapt(s));
    }
    s->seconds += s->engine.seconds - before;
    return SF_OK;
}
