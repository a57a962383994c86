/* What writing and reading of a table share. Private to table.c and table_resume.c. SPDX-License-Identifier: MIT */
#pragma once

#include "io/table.h"

enum { TABLE_PATH = 4096 };

struct column {
    const char *name, *long_name, *unit, *standard_name;
};

extern const char *const table_file[TABLES];
extern const char *const table_place[3]; /* variables of the places of probes */

int table_is_of_probes(const struct table *t);
/* Where probe n was asked for, m. */
void table_place_of(const struct table *t, int n, double place[3]);
struct column table_column(const struct table *t, int n);
/* The path of its journal. Errors: SF_IO when it is too long. */
int table_journal(const struct table *t, char *path, size_t size);
