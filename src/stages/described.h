/* A model that a text file describes, as any other: struct model. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

/* The text of a model that comes with the program, by the name of its file; NULL: there is none. */
const char *described_shipped(const char *name);

/* The model of `text`, read from `path`; is_file 0: there is no such file. What is wrong with the text comes as *wrong,
 * a place and a caret for each, and is SF_INPUT; the caller frees it. Errors: SF_INPUT, SF_MEMORY. */
int described_open(const char *path, int is_file, const char *text, const struct model **model, char **wrong);
void described_close(const struct model *model); /* NULL: nothing */
