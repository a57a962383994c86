/* The cases that come with the program: namelists/ of the sources, or, once installed, share/sferic/namelists.
 * SPDX-License-Identifier: MIT */
#pragma once

enum { CASE_PATH = 4096, CASE_NAME = 64 };

struct case_file {
    char name[CASE_NAME]; /* without .nml */
    char path[CASE_PATH];
};

/* Those of the first folder that has any: beside a program in its build directory, beside an installed one, where the
 * build says that it will be installed. *list by name, which the caller frees. SF_MEMORY. */
int cases_find(struct case_file **list, int *n);

/* The file of the case `name`, of CASE_PATH bytes. 1: there is one. */
int case_file_find(const char *name, char *path);

/* The name of the case nearest to a mistyped one into `near`, of CASE_NAME bytes; "": none. */
void case_near(const char *name, char *near);
