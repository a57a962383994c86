/* Text files of numbers, some a line: waveforms, permittivities. Numbers are set apart by blanks or commas; # and !
 * begin comments; the first of a line grows from line to line.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

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

/* dir: where a file without leading / lies; "" and NULL: where the program runs. Whoever calls frees `value`. Errors:
 * SF_INPUT, with the line that is wrong, and SF_MEMORY; then there is nothing to free. */
int rows_read(struct rows *to, const struct rows_form *form, const char *file, const char *dir);
