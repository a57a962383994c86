/* sferic run: a forecast from its namelist to its files. SPDX-License-Identifier: MIT */
#include "command/run.h"

#include "command/due.h"
#include "command/session_parts.h"
#include "io/progress.h"
#include "io/restart.h"
#include "io/signals.h"
#include "io/timeline.h"
#include "pipeline/error.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    CASE_OPTIONS,
    {"--out", "-o", "DIR", "where the files go (out/<case name>)"},
    {"--restart", NULL, "auto|FILE", "go on from DIR's newest good checkpoint, if there is one, or from FILE"},
    {"--dry-run", NULL, NULL, "open the case, say what would be done, do nothing"},
    {"--force", NULL, NULL, "replace the results of an earlier run in DIR"},
    {"--stop-after-steps", NULL, "N", "checkpoint and stop after N steps, as if a signal had come"},
    {"--timeline", NULL, "FILE", "write when each lane was busy with what, for trace viewers and sferic-plot"},
    {"--quiet", "-q", NULL, "warnings, errors and the digest only"},
    {"--verbose", "-v", NULL, "time of every stage, trace of an error"},
};

/* On a line of its own, whatever the line of progress shows. */
#define NOTICE                                                                                                         \
    "\nsferic: interrupted: a checkpoint follows the steps under way, unless they are the last; a second interrupt within 2 s ends the run at once, without one\n"

static int count_read(const char *name, const char *text, long *value)
{
    char *end;
    *value = strtol(text, &end, 10);
    SF_CHECK(end != text && !*end && *value > 0 && *value < LONG_MAX, SF_USAGE, "%s %s: expected a number of steps",
             name, text);
    return SF_OK;
}

static int option_take(void *to, const struct option *o, const char *value)
{
    struct run_options *opt = to;
    int taken;
    SF_TRY(case_take(&opt->args, o, value, &taken));
    if (taken) return SF_OK;
    if (!strcmp(o->name, "--out")) opt->out = value;
    else if (!strcmp(o->name, "--restart")) opt->restart = value;
    else if (!strcmp(o->name, "--timeline")) opt->timeline = value;
    else if (!strcmp(o->name, "--dry-run")) opt->dry = 1;
    else if (!strcmp(o->name, "--force")) opt->force = 1;
    else if (!strcmp(o->name, "--quiet")) opt->quiet = 1;
    else if (!strcmp(o->name, "--verbose")) opt->verbose = 1;
    else SF_TRY(count_read(o->name, value, &opt->stop_after));
    return SF_OK;
}

/* ---- before the first step --------------------------------------------------------------------------------------- */

/* Is the checkpoint one of the output directory? */
static int is_of_directory(const char *file, const char *directory)
{
    char *name = strdup(file), *slash = name ? strrchr(name, '/') : NULL;
    if (slash) slash[slash == name] = '\0';
    char *a = name ? realpath(slash ? name : ".", NULL) : NULL, *b = realpath(directory, NULL);
    const int same = a && b && !strcmp(a, b);
    free(name);
    free(a);
    free(b);
    return same;
}

/* On rank 0. */
static int restart_choose(struct run *r)
{
    if (!r->opt.restart) return SF_OK;
    if (strcmp(r->opt.restart, "auto")) {
        SF_CHECK(strlen(r->opt.restart) < sizeof r->restart, SF_USAGE, "the path of the checkpoint is too long");
        snprintf(r->restart, sizeof r->restart, "%s", r->opt.restart);
        r->goes_on = is_of_directory(r->restart, r->out);
        struct stat st;
        SF_CHECK(
            stat(r->restart, &st) || !S_ISDIR(st.st_mode), SF_RESTART,
            "cannot open checkpoint %s: it is a directory; name a file in it, or go on in it with --out %s --restart auto",
            r->restart, r->restart);
        SF_CHECK(!access(r->restart, R_OK), SF_RESTART,
                 "cannot open checkpoint %s: %s; --restart auto finds the newest of the output directory", r->restart,
                 strerror(errno));
        return SF_OK;
    }
    r->goes_on = 1;
    r->was_done = rundir_was(r->out, "done");
    const int rc = restart_find(r->out, r->restart, sizeof r->restart);
    if (rc != RESTART_NONE) return rc;
    r->restart[0] = '\0';
    r->goes_on = 0;
    r->replaces = rundir_was(r->out, "running");
    return SF_OK;
}

int run_prepare(struct run *r, struct comm *c)
{
    const struct session_options o = {.path = r->opt.args.path,
                                      .set = r->opt.args.set,
                                      .nsets = r->opt.args.nsets,
                                      .comm = c,
                                      .timing = r->opt.verbose,
                                      .timeline = r->opt.timeline != NULL};
    SF_TRY(session_read(&r->session, &o));
    const char *name = r->session.config.case_name;
    const int n = r->opt.out ? snprintf(r->out, sizeof r->out, "%s", r->opt.out)
                             : snprintf(r->out, sizeof r->out, "out/%s", name);
    SF_CHECK(n >= 0 && (size_t)n < sizeof r->out, SF_USAGE, "the path of the output directory is too long");
    if (r->opt.timeline) SF_TRY(outcome_share(c, c->rank == 0 ? timeline_check(r->opt.timeline) : SF_OK));
    SF_TRY(outcome_share(c, c->rank == 0 ? restart_choose(r) : SF_OK));
    SF_TRY(comm_bcast(c, r->restart, sizeof r->restart));
    SF_TRY(comm_bcast(c, &r->goes_on, sizeof r->goes_on));
    SF_TRY(session_memory_check(&r->session));
    session_step_warn(&r->session);
    return SF_OK;
}

static int run_dry(const struct run *r)
{
    const struct session *s = &r->session;
    if (s->comm.rank) return SF_OK;
    printf("%s: %d x %d x %d cells, %ld steps of at most %g s to %g s\n", s->config.case_name, s->grid.nx, s->grid.ny,
           s->grid.nz, clock_steps_total(&s->clock), s->dt, s->clock.duration);
    printf("  files would go to %s; %s%s\n", r->out,
           r->restart[0] ? "it would go on from " : "it would start at time 0", r->restart);
    return SF_OK;
}

/* ---- the watchdog ------------------------------------------------------------------------------------------------ */

/* "dt is 1 s, the model's limit 2 s", where the model has one. */
static const char *limit_text(const struct session *s, char *text, size_t size)
{
    const int n = snprintf(text, size, "dt is %g s, ", clock_dt(&s->clock, s->step));
    if (isfinite(s->in.dt_limit)) snprintf(text + n, size - (size_t)n, "the model's limit %g s", s->in.dt_limit);
    else snprintf(text + n, size - (size_t)n, "and the model knows no limit: a line `limit` of its file says one");
    return text;
}

/* `measured`: all numbers of the series, not the Courant number alone, where they need no device to wait. */
static int state_check(struct run *r, int measured)
{
    struct session *s = &r->session;
    const struct state *st = &s->state;
    char where[256], limit[160];
    int bad;
    SF_TRY(outcome_share(&s->comm, engine_find_bad(&s->engine, &bad)));
    if (bad) SF_TRY(outcome_share(&s->comm, state_find_bad(st, &bad, where, sizeof where)));
    SF_CHECK(!bad, SF_BLOWUP,
             "the computation blew up: after step %ld (%.9g s) %s; %s; older checkpoints are untouched", s->step,
             session_time(s), where, limit_text(s, limit, sizeof limit));
    if (!s->model->measure) return SF_OK;
    double courant = 0;
    measured &= !s->engine.host_is_old;
    double *const values = measured ? r->values : NULL;
    if (measured) SF_TRY(outcome_share(&s->comm, engine_refresh(&s->engine))); /* sums look at neighbours */
    const double dt = clock_dt(&s->clock, s->step);
    int known = 0;
    if (!measured) SF_TRY(outcome_share(&s->comm, engine_courant(&s->engine, dt, &courant, &known)));
    if (!known) SF_TRY(outcome_share(&s->comm, s->model->measure(&s->in, st, dt, values, &courant)));
    if (measured) r->measured = s->step;
    SF_TRY(comm_bcast(&s->comm, &courant, sizeof courant));
    r->courant = courant;
    if (courant <= 1 || s->in.dt_fixed > 0) return SF_OK; /* the model has judged a step that does not change */
    SF_TRY(outcome_share(&s->comm, state_find_fastest(st, where, sizeof where)));
    SF_FAIL(SF_BLOWUP,
            "the computation blew up: after step %ld (%.9g s) the Courant number is %.3g times what is stable; %s%s"
            "%s; older checkpoints are untouched",
            s->step, session_time(s), courant, where, where[0] ? " moves fastest; " : "",
            limit_text(s, limit, sizeof limit));
}

static int run_watch(struct run *r, int measured)
{
    if (r->watched == r->session.step) return SF_OK;
    const double began = signals_wall();
    if (r->saving) /* one that is lost is told as soon as can be */
        SF_TRY(outcome_share(&r->session.comm, r->writer ? writer_check(r->writer) : SF_OK));
    SF_TRY(state_check(r, measured));
    r->watched = r->session.step;
    r->watch_seconds += signals_wall() - began;
    return SF_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Steps until something is due, at most those of a pass, or of a device what it does without the host. */
static long steps_ahead(const struct run *r)
{
    const struct session *s = &r->session;
    const long left = session_steps_left(s);
    long most = SF_MIN(engine_batch(&s->engine), left);
    if (r->opt.stop_after) most = SF_MIN(most, SF_MAX(1, r->first_step + r->opt.stop_after - s->step));
    return due_ahead(s, s->step, most);
}

/* At the last step of a run that might have ended before: if what it was to wait for has come. The look leaves nothing
 * behind: a run that goes on from here does not know of it. */
static int last_look(struct run *r)
{
    struct session *s = &r->session;
    double carried[40];
    int over = 0;
    const size_t bytes = (size_t)s->in.ncarried * sizeof *carried;
    if (!s->in.may_end || s->step == 0 || r->ended[0]) return SF_OK;
    memcpy(carried, s->in.carried, bytes);
    const int rc = s->model->is_over(&s->in, &s->state, session_time(s), &over);
    memcpy(s->in.carried, carried, bytes);
    SF_TRY(outcome_share(&s->comm, rc));
    if (!over)
        snprintf(r->ended, sizeof r->ended, "ended at time%%duration (%.9g s), before what it waited for: %s",
                 session_time(s), s->in.end_reason);
    return SF_OK;
}

/* A model may come to its end before its time: this step is then the last. */
static int end_if_over(struct run *r, int *due)
{
    struct session *s = &r->session;
    int over = 0;
    if (!s->model->is_over) return SF_OK;
    if (session_steps_left(s) == 0) return last_look(r);
    if (s->step == 0 || s->step % due_check_interval(s)) return SF_OK;
    SF_TRY(outcome_share(&s->comm, s->model->is_over(&s->in, &s->state, session_time(s), &over)));
    if (!over) return SF_OK;
    const char *const why = s->in.end_reason ? s->in.end_reason : "";
    snprintf(r->ended, sizeof r->ended, "ended after step %ld of %ld (%.9g s)%s%s", s->step,
             clock_steps_total(&s->clock), session_time(s), why[0] ? ": " : "", why);
    clock_end(&s->clock, s->step);
    *due = due_at(s, s->step);
    return SF_OK;
}

static int settle_step(struct run *r)
{
    int due = due_at(&r->session, r->session.step);
    if (due) SF_TRY(run_record(r));
    if (due) SF_TRY(end_if_over(r, &due));
    if (due) SF_TRY(run_watch(r, (due & DUE_OUTPUT) != 0));
    if (due & DUE_SAMPLE && r->session.step > r->first_step) /* a checkpoint has that of its step */
        SF_TRY(run_sample(r));
    if (due & DUE_OUTPUT) SF_TRY(run_output(r));
    if (due & DUE_RESTART) SF_TRY(run_checkpoint(r, session_steps_left(&r->session) == 0));
    return SF_OK;
}

/* A signal to any rank, the wall limit, or the number of steps asked for. */
static int stop_if_asked(struct run *r)
{
    struct session *s = &r->session;
    int reason = signals_stop_reason(s->comm.rank == 0 ? s->config.time_wall_limit : 0);
    SF_TRY(comm_max(&s->comm, &reason));
    const int enough = r->opt.stop_after && s->step - r->first_step >= r->opt.stop_after;
    if (reason == SIGNALS_WALL &&
        s->step == r->first_step) { /* or a run that is always gone on with would never get further */
        sf_warn(
            "time%%wall_limit = %g s was over before the first step: the start alone took %.1f s; some steps are taken all the same; set a longer one",
            s->config.time_wall_limit, signals_wall());
        reason = 0;
    }
    if ((!reason && !enough) || session_steps_left(s) == 0) return SF_OK;
    progress_clear();
    SF_TRY(run_watch(r, 0));
    SF_TRY(run_checkpoint(r, 1));
    SF_TRY(run_saved(r));
    SF_FAIL(SF_STOPPED, "stopped by %s after step %ld (%.9g s), with a checkpoint; --restart auto goes on from there",
            reason ? signals_name(reason) : "--stop-after-steps", s->step, session_time(s));
}

static void progress_show(const struct run *r)
{
    const struct session *s = &r->session;
    /* What the start was measured at says nothing of the run: without entries of the series no number is shown. */
    const int known = r->measured > r->first_step && s->in.nquantities > 0;
    progress_step(&(struct progress_state){.time = session_time(s),
                                           .step = s->step,
                                           .headline = known ? r->values[0] : NAN,
                                           .courant = r->watched >= 0 ? r->courant : NAN});
}

static int run_steps(struct run *r)
{
    struct session *s = &r->session;
    int due = 0;
    if (!(r->goes_on && r->restart[0])) SF_TRY(settle_step(r)); /* the state that it starts from */
    else SF_TRY(end_if_over(r, &due)); /* it may have come to its end before */
    while (session_steps_left(s) > 0) {
        SF_TRY(stop_if_asked(r));
        SF_TRY(session_advance(s, steps_ahead(r)));
        SF_TRY(settle_step(r));
        progress_show(r);
    }
    return SF_OK;
}

/* ---- the story --------------------------------------------------------------------------------------------------- */

/* The last spans, and the file that was asked for. */
static int timeline_end(struct run *r)
{
    struct session *s = &r->session;
    SF_TRY(outcome_share(&s->comm, engine_lanes_take(&s->engine)));
    return r->opt.timeline ? timeline_write(r->opt.timeline, &s->comm, s->engine.lanes.span, s->engine.lanes.nspans)
                           : SF_OK;
}

static int run_story(struct run *r, int argc, char **argv)
{
    struct session *s = &r->session;
    SF_TRY(session_start(s, r->restart[0] ? r->restart : NULL));
    SF_TRY(run_claim(r));
    r->first_step = s->step;
    r->watched = r->checkpointed = r->measured = -1;
    if (r->restart[0]) {
        const int again = r->was_done && session_steps_left(s) > 0;
        sf_note("going on from %s: step %ld, %.9g s%s", r->restart, s->step, session_time(s),
                again ? "; the run here had come to its end, which has no checkpoint, or had another &time duration"
                      : "");
        if (r->goes_on) r->checkpointed = s->step;
    }
    SF_TRY(run_output_open(r, argc, argv));
    const struct quantity *q = s->in.nquantities ? &s->in.quantity[0] : NULL;
    const struct progress bar = {.begin = session_time(s),
                                 .end = s->clock.duration,
                                 .headline = q ? q->name : "",
                                 .unit = q ? q->unit : "",
                                 .rank = s->comm.rank,
                                 .quiet = r->opt.quiet};
    progress_begin(&bar, s->step);
    const int rc = run_steps(r);
    progress_end();
    if (!rc && r->ended[0]) sf_note("%s", r->ended);
    SF_TRY(rc);
    SF_TRY(run_output_close(r));
    SF_TRY(outcome_share(&s->comm, session_digest(s, &r->digest)));
    SF_TRY(timeline_end(r));
    run_report(r);
    return SF_OK;
}

/* What is told once all is done, and the session closed. */
static int run_end(struct run *r, const struct comm *c)
{
    struct resident x;
    if (c->rank == 0) printf("digest %016llx\n", r->digest), fflush(stdout);
    SF_TRY(resident_plan(r, &x));
    x.of.comm = c;
    char *const source = r->session.source; /* the trial outlives the session */
    r->session.source = NULL;
    session_close(&r->session);
    const int rc = resident_tell(&x, r->opt.quiet);
    free(source);
    return rc;
}

static int run_all(struct run *r, struct comm *c, int argc, char **argv)
{
    const int early = run_prepare(r, c);
    if (early && early != SF_COMM && !r->opt.dry) run_tell(r, early);
    SF_TRY(early);
    if (r->opt.dry) return run_dry(r);
    SF_TRY(run_directory(r));
    if (r->opt.restart && !r->restart[0]) sf_note("no checkpoint in %s: starting at time 0", r->out);
    const struct session *const s = &r->session;
    if (!r->opt.quiet)
        SF_TRY(machine_know(&r->machine, c, s->backend, engine_threads(&s->engine_options, &s->grid, &s->comm)));
    const int rc = run_story(r, argc, argv);
    if (rc && rc != SF_COMM && run_output_close(r) && rc != SF_IO) /* the first message stays */
        sf_warn("what was on its way to %s could not be written; older files there are as they were", r->out);
    if (rc == SF_STOPPED && timeline_end(r)) sf_warn("the timeline '%s' could not be written", r->opt.timeline);
    if (rc == SF_STOPPED) run_report(r);
    run_status(r, rc == SF_OK ? "done" : rc == SF_STOPPED ? "stopped" : "failed", rc);
    SF_TRY(rc);
    return run_end(r, c);
}

int command_run(struct comm *c, int argc, char **argv)
{
    static const struct usage usage = {.name = "run",
                                       .arguments = "CASE.nml | NAME",
                                       .option = options,
                                       .noptions = (int)(sizeof options / sizeof options[0]),
                                       .take = option_take,
                                       .about =
                                           "Run a case. Existing results are kept unless --force is given; a signal "
                                           "(USR1, TERM, INT, HUP) makes a\ncheckpoint and stops."};
    struct run *r = calloc(1, sizeof *r);
    const int none = outcome_share(c, r ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a run"));
    if (none) {
        free(r);
        return none;
    }
    int rc = options_read(&usage, c->rank, argc, argv, &r->opt);
    if (!rc) rc = case_check(c, &r->opt.args, "run");
    if (!rc) {
        sf_log_setup(c->rank, r->opt.quiet);
        rc = signals_install(c->rank == 0 && !r->opt.quiet && !r->opt.dry ? NOTICE : NULL);
    }
    if (!rc) {
        r->began = signals_wall();
        rc = run_all(r, c, argc, argv);
        if (rc && rc != SF_STOPPED && r->opt.verbose && c->rank == 0) fputs(sf_error_trace(), stderr);
        if (rc == SF_COMM) return rc; /* the writer may still be at work on what would be freed */
        rundir_end(&r->dir);
        session_close(&r->session);
    }
    free(r->history_text);
    free(r->values);
    free(r);
    return rc;
}
