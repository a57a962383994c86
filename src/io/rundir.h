/* The directory of a run: one run at a time, no result overwritten by accident, and status.json that tells how it
 * went. Of rank 0 and its main thread. SPDX-License-Identifier: MIT */
#pragma once

struct rundir;

/* Make the directory (and those above it), lock it until rundir_end, and remove temporary files that a killed run left.
 * Results of an earlier run, output and checkpoints, are kept by a restart, refused otherwise, and removed with
 * `force`. Errors: SF_USAGE when another run is at work there or results are in the way, SF_IO, SF_MEMORY. */
int rundir_begin(struct rundir **d, const char *path, int force, int restart);

/* Write namelist.nml, the resolved namelist. Errors: SF_IO. */
int rundir_namelist(struct rundir *d, const char *text);

/* Write status.json anew: `state` is one word ("running", "done", "failed"), time in s, message may be NULL. A reader
 * always finds a whole file. Errors: SF_IO. */
int rundir_status(struct rundir *d, const char *state, int exit_code, double time, long step, const char *message);

/* Unlock and free. NULL is allowed. */
void rundir_end(struct rundir **d);
