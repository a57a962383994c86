/* Results that a model makes of its state, such as spectra of power flow: one file each, written anew at every output time,
 * whole or not at all. Where a result names a reference run, its shares count from the file of the same name there.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "io/meta.h"
#include "pipeline/state.h"

struct spectra;

/* `in` and the strings of `info` must outlive the spectra. Collective. Errors: SF_INPUT when the reference run lacks the file, or
 * what this run asks of it; SF_MEMORY. */
int spectra_open(struct spectra **s, const struct instance *in, const struct state *st, const struct output_info *info);
void spectra_close(struct spectra **s);

/* Hand the results of the state at `time` s to the writer. Collective. Errors: SF_COMM, SF_MEMORY, earlier ones of the writer. */
int spectra_write(struct spectra *s, const struct state *st, double time);
