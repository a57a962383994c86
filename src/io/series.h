/* Numbers over time: series.nc (the model's quantities), profiles.nc (horizontal means of each level) and probes.nc
 * (values at points).
 *
 * Entries are kept in memory and come to disk as table.h says: files are never torn, and whole at the end. Profiles and
 * probes show the model's own choice of diagnostics and those that &output fields names. The means and the values at
 * probes have the same bits however the domain is cut.
 *
 * A model may record probes itself (struct traces): then probes.nc has every step, gathered from the ranks by
 * series_record. Rank 0 holds all of them, and as much again while the file is written: 16 bytes a value.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "io/meta.h"
#include "pipeline/clock.h"
#include "pipeline/state.h"

struct series;

/* Bytes that the tables of a run take on rank 0: in memory to its end; of copies that wait for the writer while the run
 * goes on, and at its end; what writing takes beside; of the files. largest: of these files the largest, of which there
 * are two for a moment while it is written anew. */
struct series_size {
    size_t rows, copies, last, writing;
    double disk, largest;
};
/* entries: of the series, at most; steps: of the run; outputs: output times after the first; text: bytes of the
 * namelist. */
void series_size(const struct instance *in, int nprobes, double entries, double steps, long outputs, size_t text,
                 struct series_size *size);

/* `nprobes`: how many of &output probe_x, probe_y and probe_z are given. `resume`: NULL for a new run; else the time
 * at which a run goes on, and entries up to it are taken over from the files in info->directory. Profiles are kept
 * where &output profiles asks for them. `in` and the strings of `info` must outlive the series. Collective. Errors:
 * SF_RESTART for files that do not fit, SF_MEMORY; where it fails on one rank no rank has a series. */
int series_open(struct series **s, const struct instance *in, const struct state *st, const struct output_info *info,
                int nprobes, const double *resume);

/* Has an entry values of fields, profiles or points, beside the model's quantities? */
int series_samples(const struct series *s);

/* Add an entry at `time` s; entries at or after it are dropped first. values[nquantities] on rank 0. Ghosts must be
 * valid to depth 1, where series_samples says so; else the fields are not looked at. Collective. Errors: SF_MEMORY,
 * SF_COMM. */
int series_add(struct series *s, const struct instance *in, const struct state *st, double time, const double *values);

/* Gather what the model recorded at probes since the last call: entries at the clock's times of those steps. Does
 * nothing where the model records none. To be called before series_write, and before the model is asked what it saw.
 * Collective. Errors: SF_MEMORY, SF_COMM. */
int series_record(struct series *s, const struct instance *in, const struct state *st, const struct clock *clock);

/* Hand to the writer what came since the last time. To be called with every history_write, and
 * before a checkpoint is submitted. Does nothing on ranks other than 0. Errors: SF_MEMORY, earlier ones of the
 * writer. */
int series_write(struct series *s);

/* Write, wait for the writer, free. Collective. Errors: those of the writer, on all ranks. */
int series_close(struct series **s, const struct state *st);
