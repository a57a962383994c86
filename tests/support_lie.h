/* Lies in a program's tables that must show. SPDX-License-Identifier: MIT */
#pragma once

#include "support_program.h"

/* By what a lie shows: slabs that overlap, ghost rows that are exchanged before each op, those that are filled beyond a
 * side, or how far ops lag behind each other. */
enum lie { LIE_SLABS, LIE_EXCHANGE, LIE_SIDE, LIE_LAG, LIE_KINDS };

/* Declare that a stage reaches one row less than it does, where nothing else that is declared covers for it: 1, and *o
 * is a cut in which a pass of so many steps must come to NaN. 0: there is no such reach, or the program has no such
 * cut; -1: the cut would come to NaN with all that is true. */
int program_lie(struct program *p, int steps, enum lie kind, struct engine_options *o);
