/* Fields that lie in a file, as a model sees them: io lists and reads them (io/filed.h), and whoever binds a model
 * hands it both functions (model.h), since a model knows no files. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

#include <stdlib.h>
#include <string.h>

enum filed_axis { FILED_Z, FILED_Y, FILED_X, FILED_AXES };
/* Attribute of a vertical coordinate that is no height: the variable that says where levels lie. */
#define FILED_HEIGHTS "heights"
enum { FILED_NAME = 128, FILED_UNIT = 64, FILED_PATH = 4096 };

/* A variable with a dimension along z, y or x. Beside these it has at most one of time, before them. */
struct filed {
    char name[FILED_NAME], standard_name[FILED_NAME];
    char unit[FILED_UNIT]; /* "": none is told */
    int n[FILED_AXES]; /* values along z, y, x; 0: no such dimension, it is the same all along */
    const double *at[FILED_AXES]; /* where they lie, m, as the file has them; NULL: it does not say */
    char heights[FILED_NAME]; /* at[FILED_Z] are no heights: this variable says where levels lie, by column; "": they
                                 are */
    char refusal[256]; /* why it cannot be read; "": it can */
    int is_guess; /* neither names nor sizes tell its dimensions apart: they are taken as (z, y, x) */
    int variable, time; /* its numbers in the file: of itself, of the time that was asked for (-1: it has none) */
};

struct filed_list {
    char path[FILED_PATH];
    struct filed *field;
    int n;
    int has_time;
    double time; /* the time that is read, in the file's own unit */
    double *times; /* all of them, where a coordinate tells them; NULL: none does */
    int ntimes, times_dim; /* how many, and the dimension of the file that they are of */
    int has_other_times; /* 1: other variables have times of another dimension */
    char time_unit[FILED_NAME]; /* of times; "": none is told */
    double translation[2]; /* m/s: the grid moves so over the ground, and winds on faces are relative to it */
    double *places; /* memory of the places */
};

/* All such variables of a file, but for coordinates and the ends of cells. `time`, in the file's own unit: the one to
 * read; below 0: the last. The caller frees with filed_free, after success only. Errors: SF_INPUT, SF_MEMORY. */
typedef int filed_lister(const char *path, double time, struct filed_list *list);

/* Rows j0 .. j1 - 1 of a variable to values[j - j0][k][i], unpacked, in its unit; an axis that it lacks has one value.
 * A value that is missing, or no number, is refused with its place. Between calls the file may stay open, until no rows
 * are asked for, j0 = j1. Errors: SF_INPUT, SF_MEMORY. */
typedef int filed_reader(const struct filed_list *list, int field, int j0, int j1, double *values);

static inline void filed_free(struct filed_list *list)
{
    free(list->field);
    free(list->places);
    free(list->times);
    memset(list, 0, sizeof *list);
}

static inline int filed_count(const struct filed *f, enum filed_axis a) { return f->n[a] > 0 ? f->n[a] : 1; }
