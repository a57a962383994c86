/* What sferic explain shares with its search. SPDX-License-Identifier: MIT */
#pragma once

#include "io/namelist.h"
#include "pipeline/model.h"

/* Bind a model to the defaults, in a grid with room for the layers that sides have, and hand it to `tell`: what a model
 * shows does not depend on its namelist by more than a few tracers. Errors: of the binding, and of `tell`. */
int model_shown(const struct model *m, const struct config *c, const void *params,
                int (*tell)(const struct instance *in, void *to), void *to);

/* Print all groups, keys, history variables and numbers over time whose names, choices or meanings hold a word. `s` has
 * the table of every case first, then one part for each model. Errors: SF_USAGE where there are none, with the nearest
 * names; SF_MEMORY, SF_IO. */
int explain_search(const struct schema *s, const struct config *c, const char *word);
