/* Rows of a label and a text, under headings: what check tells. SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>

/* An empty line and the heading of what follows. */
void rows_head(FILE *to, const char *title);

/* `label: text`, the text in a column of its own; what a ';' parts, outside of brackets, goes on in a line of its own
 * there. */
void rows_print(FILE *to, const char *label, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
