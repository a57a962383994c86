/* A table of numbers over time: grows in memory on rank 0, comes to disk as one file, and is read back by a run that
 * goes on.
 *
 * The file is written whole while it is small, and then each time that the table has doubled. What comes in between is
 * appended to a journal beside it (journal.h), so that bytes written grow with the table and not with its square. The
 * journal is gone once the file is whole, at the end of the run at the latest; a run that goes on takes the entries of
 * both. A file that is written appears whole under its name (commit.h) before its journal is removed, and a journal
 * that outlives that is not taken for one of the new file: whenever the run is killed, what was submitted and written
 * is there, once. SPDX-License-Identifier: MIT */
#pragma once

#include "io/meta.h"
#include "io/sample.h"

#include <stdint.h>

/* TABLE_TRACES takes the place of TABLE_PROBES where the model records probes itself, in every step. */
enum table_kind { TABLE_SERIES, TABLE_PROFILES, TABLE_PROBES, TABLE_TRACES, TABLES };

struct table {
    enum table_kind kind;
    const struct instance *in;
    const struct output_info *info;
    const struct sample *sample;
    int columns, length; /* variables, and values of each at one time */
    double *row; /* [n][width]: time, then [columns][length] */
    size_t n, capacity, width;
    size_t saved; /* of the n rows, those that are on disk, or on their way */
    size_t whole; /* of these, those in the file as it was last written; 0: it was not */
    uint64_t digest; /* of these */
    int has_journal; /* 1: the others are in a journal, or one that is not needed any more lies there */
};

/* Bytes of a table that has come to its last entry. */
struct table_size {
    size_t rows; /* in memory, to the end of the run */
    size_t copy, last; /* the largest copy that is handed to the writer during the run, and that at its end */
    size_t writing; /* beside a copy while the file is written: a column, and the chunk that the library makes of it
                       twice */
    double disk; /* of the file */
};
/* n: entries, in equal parts between `outputs` output times after the first. text: bytes of the namelist. */
void table_size(const struct table *t, size_t n, long outputs, size_t text, struct table_size *size);

/* in, info and sample are borrowed for the life of the table and of the jobs that it gives to the writer. */
void table_init(struct table *t, enum table_kind kind, const struct instance *in, const struct output_info *info,
                const struct sample *sample);
void table_drop(struct table *t);

/* Where the values [columns][length] of the next entry go, valid until the next call. Errors: SF_MEMORY. */
int table_next(struct table *t, double **values);
/* Make them the entry at `time`; entries at or after it are dropped. */
void table_add(struct table *t, double time);

/* Give what is new to the writer; whole: so that the file has all of it. Errors: SF_MEMORY, earlier ones of the
 * writer. */
int table_submit(struct table *t, int whole);
/* Take over the entries up to `time` from the file and its journal, if there are any; waits for the writer. Errors:
 * SF_RESTART when the file does not fit, SF_MEMORY, earlier ones of the writer. */
int table_resume(struct table *t, double time);
