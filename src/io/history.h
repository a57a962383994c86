/* History files: the fields of the domain, or of &output region, at output times, for pictures and analysis.
 *
 * Rank 0 collects a frame in one of two buffers and the writer's thread turns it around and writes it; the model waits
 * only while both are in use. A file, history_<time of its first frame>.nc (history_name.h), appears when it is
 * complete: &output frames_per_file frames, or fewer at history_flush and history_close.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "io/meta.h"
#include "pipeline/state.h"

struct history;

struct history_rate {
    int frames, files;
    double bytes; /* of fields handed to netCDF, before compression */
    double file_bytes; /* of complete files */
    double busy; /* s the writer spent on them: bytes / busy is its rate */
    double waited; /* s the model stood still because both buffers were in use */
};

/* How the rate at which frames are asked for stands to that at which the writer writes them. */
struct history_load {
    double asked, written; /* bytes a second, before compression: of computing, and of the writer's work */
    enum history_binds { HISTORY_HIDES, HISTORY_NEAR, HISTORY_BINDS } binds;
};

/* Of a run that computed for `computing` s, and took `wall` s in all; goes_on 1: its first frame came behind steps, not
 * before the first of them. The writer hides behind the model while that asks for less than half of what it can write;
 * it binds where the model waited for it, or would have in a longer run. A run of less than 5 s says nothing of either,
 * for most of its output is the making of files: it is said to hide. */
struct history_load history_load(const struct history_rate *r, int goes_on, double computing, double wall);

/* Bytes on rank 0 of a frame, of which there is a second while the writer is behind; of the chunk that is turned
 * around; and, while a frame is written, of the chunks that netCDF keeps of every variable and the two that HDF5 makes
 * of one on its way out. On another rank, of what its `rows` rows are collected in. */
struct history_size {
    size_t frame, chunk, writing, other;
    double stored, overhead; /* on disk: of a frame before compression, and beside the frames of a file */
};

/* text: bytes of the namelist. Errors: SF_MEMORY. */
int history_size(const struct instance *in, int rows, size_t text, struct history_size *size);

/* Complain of what &output asks and cannot be had. */
void history_check(const struct instance *in, struct complaints *to);

/* All functions are collective. `in` and the strings of `info` must outlive the history. Where it
 * fails on one rank no rank has a history. Files that lie in the directory and whose names have too few digits are
 * renamed. Errors: SF_MEMORY, SF_IO. */
int history_open(struct history **h, const struct instance *in, const struct state *st, const struct output_info *info);

/* Take the state at `time` s; ghosts must be valid to depth 1. The state may change as soon as this returns. Errors:
 * SF_IO, SF_NAMELIST (two files of the same millisecond), SF_MEMORY, SF_COMM; of the writer's failures those that
 * came before, on all ranks. */
int history_write(struct history *h, const struct state *st, double time);

/* Complete the file under way. Call it before a checkpoint is submitted: no frame before the checkpoint is then lost
 * to a run that is killed after it. */
int history_flush(struct history *h, const struct state *st);

/* Complete the file under way, wait for the writer, free. Errors: those of the writer, on all ranks. */
int history_close(struct history **h, const struct state *st);

/* On rank 0; zeros elsewhere. */
struct history_rate history_report(struct history *h);
