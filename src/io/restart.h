/* Checkpoints: one netCDF-4 file of native fields, whatever the number of ranks, from which a run goes on to the same
 * bits on any number of ranks.
 *
 * In the output directory lie, at rest,
 *     restart_<step>.nc      kept fields in native extents [j][k][i], with digests of every field and of the whole
 *     restart_<step>.nc.xxh  digest of the file's bytes; `xxhsum -c` reads it
 *     restart.json           the manifest: the newest verified checkpoint and the one before it
 * A checkpoint is written under a temporary name, read back, and renamed when it is on disk; the manifest follows, and
 * only then are older checkpoints deleted. All files of these names in the directory belong to the run.
 *
 * Writing is the job of a writer (writer.h), while the caller goes on. Reading calls netCDF on the calling thread: no
 * other may be inside netCDF meanwhile. After SF_IO the HDF5 library may crash in its exit handler: leave with _exit.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "io/writer.h"
#include "pipeline/state.h"

enum { RESTART_MAX_EXTRA = 64, RESTART_NONE = -1 };

struct restart_info {
    double time; /* s */
    long step;
    const char *identity; /* lines of text that the run and its checkpoint must share; the caller's */
    double extra[RESTART_MAX_EXTRA]; /* what else the caller needs to go on: reference values, output times */
    int nextra;
    double *sampled; /* and a table of numbers, [nsampled]; nsampled 0: none. Of restart_read: room for as many, which
                        it fills, and nsampled becomes how many there are */
    long nsampled;
    int nsame; /* restart_read: the first nsame of `sampled` must be those of the checkpoint */
    const char *sampled_keys; /* and the keys that a message names where they are not */
};

/* A checkpoint on its way to the disk. */
struct restart_job;
struct restart_told {
    double waited, busy, bytes; /* s that restart_end took and that the writer spent, before compression */
};

/* Begin to write the state to `dir`: all that was given to the writer before comes before it. `st` and info->identity
 * stay as they are until restart_end, and nothing else is given to the writer that waits for it. w: on rank 0.
 * Collective, same `info` on all ranks. Errors: SF_IO, SF_MEMORY, SF_COMM; then *x is NULL. */
int restart_begin(struct restart_job **x, const struct state *st, const char *dir, const struct restart_info *info,
                  struct writer *w);
/* Of several ranks: pass on rows to rank 0 for so many seconds, or until all are. *more: some are left. Collective.
 * Errors: SF_COMM. */
int restart_go_on(struct restart_job *x, double seconds, int *more);
/* Wait until it is on disk, all but the last two deleted, or has failed, and free; NULL is allowed. told: what it came
 * to, on rank 0; may be NULL. Collective. Errors: SF_IO (older checkpoints are intact), SF_MEMORY, SF_COMM. */
int restart_end(struct restart_job **x, struct restart_told *told);

/* All of it, with a writer of its own: for whoever has none. */
int restart_write(const struct state *st, const char *dir, const struct restart_info *info);

/* Bytes that writing takes on rank 0, beside the state. */
size_t restart_size(const struct instance *in, const struct grid *g, int ranks);

/* Fill the rank's own rows of all kept fields, and time, step and extra of `info`; info->identity is compared with the
 * file's (NULL: not compared). Ghosts are the caller's business. Collective. The state is untouched unless file,
 * digests, model, precision, extents, fields and identity have all been found good.
 * Errors: SF_RESTART with what differs or is damaged, SF_MEMORY, SF_COMM. */
int restart_read(struct state *st, const char *path, struct restart_info *info);

/* Path of the newest checkpoint of `dir` that verifies; a damaged one is told in a warning and passed over. Not
 * collective: rank 0 calls it. Returns RESTART_NONE, and no message, when the directory has no checkpoint.
 * Errors: SF_RESTART when there are some and none is good, SF_MEMORY. */
int restart_find(const char *dir, char *path, size_t size);
