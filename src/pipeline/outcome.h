/* One outcome for all ranks. Whatever can fail on one rank alone, memory above all, is shared before the next
 * collective: otherwise the other ranks would wait there for ever. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/comm.h"

/* The worst outcome of all ranks on every rank, with the message of the first rank that has it. SF_COMM is not shared:
 * the ranks may be lost to each other. Collective, on the main thread. */
int outcome_share(const struct comm *c, int rc);
