/* Results that a model makes of its state, such as spectra of power flow: one file each, written anew at every output
 * time, whole or not at all. Where a result names a reference run, its shares count from the file of the same name
 * there, which must have its axes and facts; shares of what is no more than round-off there are left out
 * (spectra_reference.h). SPDX-License-Identifier: MIT */
#pragma once

#include "io/meta.h"
#include "pipeline/state.h"

struct complaints;
struct spectra;

/* Bytes on rank 0: of the values of all results, which are there until they are written; beside them while they are
 * filled, and while they are written; of reference runs, to the end of the run. Of the files, and of the largest of
 * them, of which there are two for a moment while it is written anew. text: bytes of the namelist. */
struct spectra_size {
    size_t values, filling, writing, kept;
    double disk, largest;
};
void spectra_size(const struct instance *in, size_t text, struct spectra_size *size);

/* Can the reference runs of the results be read, and do they fit? What they have too little of is complained of in
 * `to`. For one rank, while no writer is open. Errors: as spectra_open's. */
int spectra_check(const struct instance *in, struct complaints *to);

/* `in` and the strings of `info` must outlive the spectra. Collective. Errors: SF_INPUT when the reference run lacks
 * the file, or what this run asks of it; SF_MEMORY. */
int spectra_open(struct spectra **s, const struct instance *in, const struct state *st, const struct output_info *info);
void spectra_close(struct spectra **s);

/* Hand the results of the state at `time` s to the writer, once those of the time before are written: there is one set
 * of values. Collective. Errors: SF_COMM, SF_MEMORY, earlier ones of the writer. */
int spectra_write(struct spectra *s, const struct state *st, double time);
