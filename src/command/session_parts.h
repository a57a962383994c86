/* The parts of a session: reading its namelist, its identity, its memory. SPDX-License-Identifier: MIT */
#pragma once

#include "command/session.h"

/* Read and override on rank 0, tell all ranks: model, config, params, schema. What is wrong lies in `r` on rank 0, and
 * its number in c->errors on all ranks; it is no failure yet. Collective. Errors: SF_NAMELIST when there is nothing to
 * read, SF_USAGE, SF_MEMORY. */
int session_namelist(struct session *s, const struct session_options *o, struct report *r, struct complaints *c);

/* Tell what the reader found and what was complained of since, on rank 0. An error when there is one, on every rank. */
int session_tell(struct session *s, const struct session_options *o, struct report *r, const struct complaints *c);

/* The first input that is the same file as input n: n itself, unless two keys name one file. */
int session_input_first(const struct instance *in, int n);
/* The name of the copy of input n that a run keeps, relative to its directory: "input/sounding.txt". */
void session_input_name(const struct session *s, int n, char name[PARAM_STRING_SIZE]);

/* Fill s->text: the namelist with every key, and the copies in place of the files that were named. */
int session_text(struct session *s);

/* Fill s->identity: every key that enters the state, one a line, the digests of input files, and the base profiles. */
int session_identify(struct session *s);

/* SF_MEMORY when a machine has less than the run needs. Collective. */
int session_memory_check(const struct session *s);
/* 1: it is SF_MEMORY. What a run gathers to its end counts unless something may end it before. */
int session_memory_lacks(const struct session *s, const struct session_memory *m);
/* Is there enough to begin, whatever the run gathers to its end? */
int session_memory_start(const struct session *s);
