/* The parts of `sferic run`: what it is told, its output directory, its report. SPDX-License-Identifier: MIT */
#pragma once

#include "command/command.h"
#include "command/machine.h"
#include "command/session.h"
#include "command/trial.h"
#include "io/history.h"
#include "io/restart.h"
#include "io/rundir.h"
#include "io/series.h"
#include "io/spectra.h"

enum { RUN_PATH = 4096 };

struct run_options {
    struct case_arguments args;
    const char *out, *restart; /* NULL: out/<case name>; no restart */
    const char *timeline; /* NULL: none */
    int force, dry, quiet, verbose;
    long stop_after; /* steps of this run; 0: all */
};

struct run {
    struct run_options opt;
    struct session session;
    struct machine machine; /* unless it is quiet */
    char out[RUN_PATH], restart[RUN_PATH]; /* restart: the checkpoint, "" when there is none */
    int replaces; /* 1: what stands in the directory is of a run killed before its first checkpoint */
    int was_done; /* 1: the run that is gone on with had come to its end */
    int claimed; /* 1: the directory is this run's, on rank 0 */
    int goes_on; /* 1: the checkpoint is of this directory, whose output is added to */
    char *history_text; /* UTC and the command line */
    struct rundir *dir; /* on rank 0 */
    struct writer *writer; /* on rank 0 */
    struct history *history;
    struct series *series;
    struct spectra *spectra;
    long first_step;
    long watched, checkpointed; /* steps that were last looked at and saved, -1 */
    struct {
        int is_due, frame, entry, save;
        long step;
        double time;
        struct restart_info info; /* of a checkpoint */
    } pending; /* output of a snapshot that is on its way from a device */
    struct restart_job *saving; /* a checkpoint on its way to the disk */
    struct {
        int count, behind;
        double bytes, busy, waited;
    } saved; /* checkpoints: in all, those begun while a device computed; s of the writer and s that the model waited
                for one */
    long measured; /* the step that `values` are of, -1: none */
    double *values; /* [nquantities] when they were last due, on rank 0 */
    double courant;
    unsigned long long digest; /* of the final state */
    char ended[256]; /* why a run came to its end before its time, "" where it did not */
    double output_seconds; /* that the model waited for output and checkpoints */
    double hidden_seconds; /* that output took while a device computed */
    double watch_seconds;
    struct history_rate rate; /* once the history is closed */
    double began; /* wall clock */
};

/* Options, namelist, checks; resolve the directory and the checkpoint. Writes nothing. */
int run_prepare(struct run *r, struct comm *c);

/* Lock the directory. Once the run can begin, clear it and write the namelist; tell it how the run goes. */
int run_directory(struct run *r);
int run_claim(struct run *r);
void run_status(struct run *r, const char *state, int rc);
/* That it failed before it had the directory: told there if it was to go on in it. */
void run_tell(const struct run *r, int rc);

/* Open writer, history and series. */
int run_output_open(struct run *r, int argc, char **argv);
/* Gather what the model recorded at probes: before anything that looks at them. */
int run_record(struct run *r);
/* Take the sample that is due after the step just taken. */
int run_sample(struct run *r);
/* Write what is due after the step just taken; or of a state on a device take a snapshot, which run_pending writes. */
int run_output(struct run *r);
/* Write what a snapshot was taken for, if that is still to be done: before the next, and before anything ends. */
int run_pending(struct run *r);
/* Save the state, unless that was done for this very step; of a state on a device from a snapshot, behind the steps
 * that follow, unless none do (ends). */
int run_checkpoint(struct run *r, int ends);
/* Wait until what is being saved is on disk: before a snapshot is taken, and before anything ends. */
int run_saved(struct run *r);
/* Close all that is open, also after a failure. */
int run_output_close(struct run *r);

/* What was measured, and where the files are, on rank 0. */
void run_report(const struct run *r);

/* The share of the speed that rows would have if they stayed on the GPU, of a run that streams them. */
struct resident {
    struct trial_case of;
    int rows; /* that a trial is made on, 0: none */
    double rate; /* of the run, points/s */
};
/* While the session is there; and once it is closed, for the GPU must be free. Collective. Errors: SF_COMM. */
int resident_plan(const struct run *r, struct resident *x);
int resident_tell(const struct resident *x, int quiet);
