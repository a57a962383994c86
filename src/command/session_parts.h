/* The parts of a session: reading its namelist, its identity, its memory. SPDX-License-Identifier: MIT */
#pragma once

#include "command/session.h"

/* Read and override on rank 0, tell all ranks: model, config, params, schema. Collective. */
int session_namelist(struct session *s, const struct session_options *o);

/* Fill s->identity: every key that enters the state, one a line, and the base profiles. */
int session_identify(struct session *s);

/* SF_MEMORY when a machine has less than the run needs. Collective. */
int session_memory_check(const struct session *s);
