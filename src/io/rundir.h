/* The directory of a run: one run at a time, no result overwritten by accident, and status.json that tells how it
 * went. Of rank 0 and its main thread. SPDX-License-Identifier: MIT */
#pragma once

struct rundir;

/* Make the directory (and those above it), lock it until rundir_end, and remove temporary files that a killed run left.
 * Results of an earlier run, output and checkpoints, are in the way of a new one unless `force` or `restart` is set:
 * they stay until rundir_clear. Errors: SF_USAGE when another run is at work there or results are in the way, SF_IO,
 * SF_MEMORY. */
int rundir_begin(struct rundir **d, const char *path, int force, int restart);

/* Would rundir_begin, with restart 0, take this directory? Changes nothing. Errors: those of rundir_begin. */
int rundir_examine(const char *path, int force);

/* Remove the results of an earlier run: once it is certain that this one can begin. Errors: SF_IO. */
int rundir_clear(struct rundir *d);

/* Does status.json in `path` say this of the run there: "running" (without a lock it was killed), "stopped", "failed",
 * "done"? */
int rundir_was(const char *path, const char *state);

/* Write namelist.nml, the resolved namelist. Errors: SF_IO. */
int rundir_namelist(struct rundir *d, const char *text);

/* Keep a copy of the file `from` as `name`, a file of a directory in this one: "input/sounding.txt". `from` may be the
 * very same file. Errors: SF_INPUT when it cannot be read, SF_IO, SF_MEMORY. */
int rundir_keep(struct rundir *d, const char *from, const char *name);

/* Write status.json anew: `state` is one word ("running", "done", "failed"), time in s, message may be NULL; step -1:
 * time and step are what stands there. A reader always finds a whole file. Errors: SF_IO. */
int rundir_status(struct rundir *d, const char *state, int exit_code, double time, long step, const char *message);

/* The same of a directory that no run could begin in, for one that was to go on there; nothing else in it is touched,
 * and where there is none, none is made. Errors: SF_USAGE when another run is at work there, SF_IO, SF_MEMORY. */
int rundir_tell(const char *path, const char *state, int exit_code, const char *message);

/* Unlock and free; directories that rundir_begin made and that are still empty go. NULL is allowed. */
void rundir_end(struct rundir **d);
