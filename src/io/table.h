/* A table of numbers over time: grows in memory on rank 0, is written anew as one file, and read back by a run that
 * goes on. SPDX-License-Identifier: MIT */
#pragma once

#include "io/meta.h"
#include "io/sample.h"

/* TABLE_TRACES takes the place of TABLE_PROBES where the model records probes itself, in every step. */
enum table_kind { TABLE_SERIES, TABLE_PROFILES, TABLE_PROBES, TABLE_TRACES, TABLES };

struct table {
    enum table_kind kind;
    const struct instance *in;
    const struct output_info *info;
    const struct sample *sample;
    int columns, length; /* variables, and values of each at one time */
    double *row;         /* [n][width]: time, then [columns][length] */
    size_t n, capacity, width;
};

/* in, info and sample are borrowed for the life of the table and of the jobs that it gives to the writer. */
void table_init(struct table *t, enum table_kind kind, const struct instance *in, const struct output_info *info,
                const struct sample *sample);
void table_drop(struct table *t);

/* Where the values [columns][length] of the next entry go, valid until the next call. Errors: SF_MEMORY. */
int table_next(struct table *t, double **values);
/* Make them the entry at `time`; entries at or after it are dropped. */
void table_add(struct table *t, double time);

/* Give a copy to the writer. Errors: SF_MEMORY, earlier ones of the writer. */
int table_submit(const struct table *t);
/* Take over the entries up to `time` from the file, if there is one; waits for the writer. Errors: SF_RESTART when the
 * file does not fit, SF_MEMORY, earlier ones of the writer. */
int table_resume(struct table *t, double time);
