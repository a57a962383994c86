/* What a run leaves behind: directory, history, series, checkpoints. SPDX-License-Identifier: MIT */
#include "command/run.h"

#include "command/session_parts.h"
#include "io/progress.h"
#include "io/signals.h"
#include "pipeline/error.h"
#include "pipeline/seconds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the directory ----------------------------------------------------------------------------------------------- */

static int is_root(const struct run *r) { return r->session.comm.rank == 0; }

int run_directory(struct run *r)
{
    int rc = SF_OK;
    if (is_root(r)) {
        rc = rundir_begin(&r->dir, r->out, r->opt.force || r->replaces, r->goes_on);
    }
    return outcome_share(&r->session.comm, rc);
}

/* So that the namelist written beside them runs again from everywhere. */
static int inputs_keep(struct run *r)
{
    for (int n = 0; n < r->session.in.ninputs; n++) {
        param_string name;
        if (session_input_first(&r->session.in, n) < n)
            continue; /* one file of two keys, such as a start and its sides */
        session_input_name(&r->session, n, name);
        SF_TRY(rundir_keep(r->dir, r->session.in.input[n].path, name));
    }
    return SF_OK;
}

int run_claim(struct run *r)
{
    int rc = SF_OK;
    if (is_root(r)) {
        if (!r->goes_on) rc = rundir_clear(r->dir);
        if (!rc) rc = inputs_keep(r);
        if (!rc) rc = rundir_namelist(r->dir, r->session.text);
        if (!rc) rc = rundir_status(r->dir, "running", 0, session_time(&r->session), r->session.step, "");
        r->claimed = rc == SF_OK;
    }
    return outcome_share(&r->session.comm, rc);
}

/* A status that cannot be written changes nothing: the outcome is what it is. */
void run_status(struct run *r, const char *state, int rc)
{
    char message[2048];
    if (!r->dir || !(r->claimed || r->goes_on)) return; /* what stands there is another run's */
    snprintf(message, sizeof message, "%s", rc ? sf_error_text() : r->ended);
    rundir_status(r->dir, state, rc, session_time(&r->session), r->goes_on && !r->session.step ? -1 : r->session.step,
                  message);
    if (!rc) sf_error_clear();
}

void run_tell(const struct run *r, int rc)
{
    char message[2048];
    if (!is_root(r) || !r->goes_on) return;
    snprintf(message, sizeof message, "%s", sf_error_text());
    rundir_tell(r->out, "failed", rc, message);
}

/* ---- writer, history, series ------------------------------------------------------------------------------------- */

static int command_text(struct run *r, int argc, char **argv)
{
    size_t size = 0;
    char when[64];
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    FILE *f = open_memstream(&r->history_text, &size);
    SF_CHECK(f, SF_MEMORY, "no memory for the command line");
    fprintf(f, "%s: sferic", when);
    for (int n = 0; n < argc; n++) fprintf(f, " %s", argv[n]);
    const int bad = fclose(f);
    SF_CHECK(!bad && r->history_text, SF_MEMORY, "no memory for the command line");
    return SF_OK;
}

int run_output_open(struct run *r, int argc, char **argv)
{
    struct session *s = &r->session;
    int rc = command_text(r, argc, argv);
    r->values = calloc((size_t)s->in.nquantities + 1, sizeof *r->values);
    if (!rc && !r->values) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the series");
    if (!rc && is_root(r)) rc = writer_open(&r->writer);
    SF_TRY(outcome_share(&s->comm, rc));
    const struct output_info info = {.directory = r->out,
                                     .case_name = s->config.case_name,
                                     .title = s->config.case_title,
                                     .model = s->model->name,
                                     .backend = backend_label(s->backend),
                                     .source = version_source(),
                                     .history = r->history_text,
                                     .namelist_text = s->text,
                                     .writer = r->writer};
    SF_TRY(outcome_share(&s->comm, history_open(&r->history, &s->in, &s->state, &info)));
    SF_TRY(outcome_share(&s->comm, spectra_open(&r->spectra, &s->in, &s->state, &info)));
    const double time = session_time(s);
    return outcome_share(&s->comm, series_open(&r->series, &s->in, &s->state, &info, s->nprobes,
                                               r->goes_on && r->restart[0] ? &time : NULL));
}

int run_record(struct run *r)
{
    struct session *s = &r->session;
    return outcome_share(&s->comm, series_record(r->series, &s->in, &s->state, &s->clock));
}

/* The numbers of the series, of a state whose ghosts are filled. */
static int values_measure(struct run *r, const struct state *st)
{
    struct session *s = &r->session;
    double courant;
    if (!s->model->measure || r->measured == s->step) return SF_OK;
    r->measured = s->step;
    return outcome_share(&s->comm, s->model->measure(&s->in, st, clock_dt(&s->clock, s->step), r->values, &courant));
}

/* What is due, of a state whose ghosts are filled. */
static int output_write(struct run *r, const struct state *st, double time, int frame, int entry)
{
    struct session *s = &r->session;
    if (entry) SF_TRY(outcome_share(&s->comm, series_add(r->series, &s->in, st, time, r->values)));
    if (!frame) return SF_OK;
    if (s->model->doubt)
        SF_TRY(outcome_share(&s->comm, s->model->doubt(&s->in, st, time, clock_dt(&s->clock, s->step))));
    SF_TRY(outcome_share(&s->comm, history_write(r->history, st, time)));
    SF_TRY(outcome_share(&s->comm, series_write(r->series)));
    return time > 0 ? outcome_share(&s->comm, spectra_write(r->spectra, st, time)) : SF_OK;
}

/* Begin to save a state, behind all that a checkpoint must not be older than. */
static int saving_begin(struct run *r, const struct state *st, const struct restart_info *info)
{
    const struct comm *c = &r->session.comm;
    SF_TRY(outcome_share(c, history_flush(r->history, st)));
    SF_TRY(outcome_share(c, series_write(r->series)));
    return restart_begin(&r->saving, st, r->out, info, r->writer);
}

int run_saved(struct run *r)
{
    struct restart_told told;
    SF_TRY(run_pending(r));
    if (!r->saving) return SF_OK;
    SF_TRY(restart_end(&r->saving, &told));
    r->saved.count++;
    r->saved.bytes += told.bytes, r->saved.busy += told.busy, r->saved.waited += told.waited;
    return SF_OK;
}

int run_pending(struct run *r)
{
    const struct state *st;
    if (!r->pending.is_due) return SF_OK;
    const double began = signals_wall();
    r->pending.is_due = 0;
    SF_TRY(outcome_share(&r->session.comm, engine_snapshot_state(&r->session.engine, &st)));
    if (r->pending.frame || r->pending.entry) {
        SF_TRY(values_measure(r, st));
        SF_TRY(output_write(r, st, r->pending.time, r->pending.frame, r->pending.entry));
    }
    if (r->pending.save) SF_TRY(saving_begin(r, st, &r->pending.info));
    r->hidden_seconds += signals_wall() - began;
    return SF_OK;
}

/* While a device computes. */
static int pending_write(void *run, double seconds)
{
    struct run *const r = run;
    const int saves = r->pending.is_due && r->pending.save;
    int more = 0;
    SF_TRY(run_pending(r));
    r->saved.behind += saves;
    if (r->saving) SF_TRY(restart_go_on(r->saving, seconds, &more));
    if (more) r->session.engine.meanwhile = pending_write;
    return SF_OK;
}

/* For what is due now: a copy of the state on its way from a device, which serves all that is; *taken 0: there is none.
 * ends: nothing goes on meanwhile. */
static int snapshot_take(struct run *r, int ends, int *taken)
{
    struct session *s = &r->session;
    *taken = r->pending.is_due && r->pending.step == s->step;
    if (*taken) return SF_OK;
    SF_TRY(run_saved(r));
    if (!ends) SF_TRY(outcome_share(&s->comm, engine_snapshot(&s->engine, taken)));
    if (!*taken) return SF_OK;
    memset(&r->pending, 0, sizeof r->pending);
    r->pending.is_due = 1, r->pending.step = s->step, r->pending.time = session_time(s);
    s->engine.meanwhile = pending_write, s->engine.meanwhile_of = r;
    return SF_OK;
}

int run_checkpoint(struct run *r, int ends)
{
    struct session *s = &r->session;
    int taken;
    if (r->checkpointed == s->step) return SF_OK;
    const double began = signals_wall(), clock = seconds_now();
    struct restart_info info;
    session_restart_info(s, &info);
    SF_TRY(run_record(r));
    SF_TRY(snapshot_take(r, ends, &taken));
    if (taken) r->pending.save = 1, r->pending.info = info;
    else {
        SF_TRY(saving_begin(r, &s->state, &info));
        SF_TRY(run_saved(r));
    }
    r->checkpointed = s->step;
    run_status(r, "running", SF_OK);
    r->output_seconds += signals_wall() - began;
    engine_span(&s->engine, SPAN_OUTPUT, s->step, clock);
    return SF_OK;
}

int run_sample(struct run *r)
{
    struct session *s = &r->session;
    const double began = signals_wall();
    SF_TRY(run_pending(r)); /* what was due before does not know of this sample */
    SF_TRY(session_sample(s));
    r->output_seconds += signals_wall() - began;
    return SF_OK;
}

static void output_told(struct run *r, double began, double clock)
{
    r->output_seconds += signals_wall() - began;
    engine_span(&r->session.engine, SPAN_OUTPUT, r->session.step, clock);
}

int run_output(struct run *r)
{
    struct session *s = &r->session;
    const struct config *c = &s->config;
    const int ends = s->step == 0 || session_steps_left(s) == 0, frame = clock_is_output(&s->clock, s->step);
    const int entry =
        c->time_series_interval > 0 ? ends || clock_is_due(&s->clock, s->step, c->time_series_interval) : frame;
    const double time = session_time(s), began = signals_wall(), clock = seconds_now();
    int taken = 0;
    if (!frame && !entry) return SF_OK;
    if (session_is_measured_ahead(s)) {
        SF_TRY(run_pending(r)); /* it has the numbers of the entry before */
        SF_TRY(values_measure(r, &s->state));
        if (!frame && !ends && !series_samples(r->series)) {
            SF_TRY(output_write(r, &s->state, time, frame, entry));
            output_told(r, began, clock);
            return SF_OK;
        }
    }
    SF_TRY(snapshot_take(r, ends, &taken));
    if (taken) r->pending.frame = frame, r->pending.entry = entry;
    else {
        SF_TRY(outcome_share(&s->comm, engine_refresh(&s->engine)));
        SF_TRY(values_measure(r, &s->state));
        SF_TRY(output_write(r, &s->state, time, frame, entry));
    }
    output_told(r, began, clock);
    return SF_OK;
}

int run_output_close(struct run *r)
{
    struct session *s = &r->session;
    const double began = signals_wall();
    int rc = SF_OK, one;
    if (r->history) { /* all ranks have it or none */
        rc = run_saved(r); /* a good state, whatever came after it */
        if (rc == SF_COMM) return rc; /* the writer may wait for rows that do not come */
        one = is_root(r) ? writer_drain(r->writer) : SF_OK;
        r->rate = history_report(r->history);
        one = outcome_share(&s->comm, one);
        if (!rc) rc = one;
        one = outcome_share(&s->comm, history_close(&r->history, &s->state));
        if (!rc) rc = one;
    }
    if (r->series) {
        one = outcome_share(&s->comm, series_close(&r->series, &s->state));
        if (!rc) rc = one;
    }
    one = outcome_share(&s->comm, r->writer ? writer_close(&r->writer) : SF_OK);
    if (!rc) rc = one;
    spectra_close(&r->spectra); /* borrowed by jobs until here */
    r->output_seconds += signals_wall() - began;
    return rc;
}
