/* What came to a table since its file was last written: rows of numbers that are appended, so that a frame costs what
 * is new in it and not what is old.
 *
 *     head    magic "SFJOURN1", width of a row, entries of the table's file, digest of their values
 *     batch   number of rows, the rows, digest of both; again and again
 *
 * All are 8 bytes, in the order of this machine. A batch is brought to the disk before the call returns; of one that is
 * torn nothing is taken, nor of anything behind it. A journal belongs to one state of its file, which the head names by
 * number and digest: beside any other it is empty. Callable from jobs of the writer. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct journal_head {
    uint64_t width; /* numbers of a row */
    uint64_t entries; /* rows of the file that the journal goes on from */
    uint64_t digest; /* of these rows (journal_digest) */
};

uint64_t journal_digest(const double *rows, size_t values);

/* Append n rows as one batch; begin: as the first of a new journal, whatever stood there. Errors: SF_IO, SF_MEMORY. */
int journal_append(const char *path, const struct journal_head *head, int begin, const double *rows, size_t n);

/* The rows of all good batches, [*n][width], to be freed; none where there is no journal, or one of another head.
 * Errors: SF_MEMORY. */
int journal_read(const char *path, const struct journal_head *head, double **rows, size_t *n);

/* Take it away, if there is one. */
void journal_remove(const char *path);
