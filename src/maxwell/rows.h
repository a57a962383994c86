/* Text files of numbers, some a line: waveforms, permittivities. Numbers are set apart by blanks or commas; # and !
 * begin comments; the first of a line grows from line to line.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

enum { ROWS_WIDE = 3 }; /* the most numbers of a line */

/* What such files hold, for messages. */
struct rows_form {
    int columns, least, most; /* numbers of a line; lines that are too few below, too many above */
    const char *line; /* "a time in s and a value" */
    const char *count; /* "two numbers": columns in words */
    const char *lines; /* "pairs of time and value" */
    const char *first, *units; /* "time", "s" */
};

struct rows {
    int n;
    double *value; /* [n][columns] */
};

/* Where a file that a namelist names is: beside it, in dir ("" and NULL: nowhere), or, where there is none, as it is
 * named.
 */
void input_path(char *path, size_t size, const char *file, const char *dir);

/* Of a file and directory as input_path has them. Whoever calls frees `value`. Errors:
 * SF_INPUT, with the line that is wrong, and SF_MEMORY; then there is nothing to free. */
int rows_read(struct rows *to, const struct rows_form *form, const char *file, const char *dir);
