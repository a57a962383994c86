/* Descriptions of models (stages/describe.h): where their files are. SPDX-License-Identifier: MIT */
#pragma once

enum { DESCRIPTION_PATH = 4096 };

/* Is it the name of one, and not of a model of ours? NAME.sf is. */
int description_is(const char *name);

/* The text of the description `name`, which lies beside a namelist, or where it stands; or comes with the program, then
 * *is_file is 0. The caller frees *text. Errors: SF_INPUT, SF_NAMELIST, SF_MEMORY. */
int description_load(const char *namelist, const char *name, char path[DESCRIPTION_PATH], char **text, int *is_file);
