/* The profiles of &forcing as they are given, and between that and the table of their values by level that stages read.
 *
 * forced_read.c reads a file, forcing.c makes the table. A profile file is a netCDF file with variables of (time, z) or
 * (z), named as the keys, or a text:
 *
 *     # a comment
 *     z     subsidence  theta_rate
 *     time  0
 *     0     0           -2.3e-5
 *     1500  -0.0065     -2.3e-5
 *     time  3600
 *     ...
 *
 * The first line names the columns: heights, m, and keys of &forcing. Values that follow a line `time` are those at
 * that time, s since the start; without such a line they hold always. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/base.h"
#include "dynamics/stages.h"
#include "pipeline/model.h"

/* Values at a time, over heights that rise. value[key] is NULL where the key is not given. */
struct forced_block {
    double time; /* s */
    int n;
    double *z, *value[FORCED_KEYS];
};
struct forced_blocks {
    int n;
    struct forced_block *of;
};

struct forcing {
    int is_there; /* any of the following */
    int has_wind, has_heat, has_water; /* what is changed once a step: u or v; theta; water */
    int has_geostrophic, has_subsidence;
    int heights; /* of the tables in the namelist */
    unsigned given, idle; /* 1 << enum forced of the keys that are given; of those, what changes nothing */
    int is_wrong; /* an error was told before: what may follow from it is not */
    int times;
    double *time; /* [times], s, rising */
    double *value; /* [times][FORCED_ALL][nk]: with rates of nudging; winds and theta as stages have them */
    int capacity; /* steps that the table has room for */
    real *table;
    double sink_limit, nudging_limit; /* s: the longest steps; NO_LIMIT of limits.h */
    char path[BASE_PATH]; /* of the file; "": none */
};

/* The keys, as the namelist and files call them. */
extern const char *const forced_key[FORCED_KEYS];

/* Seconds in the unit of a file's times, which may be "UNIT since DATE", of the run's start (&time start). Errors:
 * SF_INPUT. */
int forced_seconds_find(const struct filed_list *list, const char *start, double *seconds);
/* Read a profile file, with `key` for the ranges and units of the keys. The caller frees with forced_free, after a
 * failure too. Errors: SF_INPUT with the file and, of a text, the line; SF_MEMORY. */
int forced_read(struct forced_blocks *b, const char *path, const struct instance *in);
/* A block more, of n heights and the keys in `given` (bits), or NULL where there is no memory. */
struct forced_block *forced_add(struct forced_blocks *b, double time, int n, unsigned given);
void forced_free(struct forced_blocks *b);
