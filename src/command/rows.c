/* Rows of text that can be looked through. SPDX-License-Identifier: MIT */
#include "command/rows.h"

#include <stdarg.h>
#include <string.h>

enum { LABEL = 13, TEXT = 2048 };

void rows_head(FILE *to, const char *title) { fprintf(to, "\n%s\n", title); }

/* Bytes up to the next ';' that parts the text, or its end. */
static size_t part_of(const char *text)
{
    int depth = 0;
    size_t n = 0;
    for (; text[n] && (text[n] != ';' || depth > 0 || text[n + 1] != ' '); n++)
        depth += (text[n] == '(') - (text[n] == ')');
    return n;
}

void rows_print(FILE *to, const char *label, const char *fmt, ...)
{
    char text[TEXT], name[64];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(name, sizeof name, "%s:", label);
    for (const char *at = text; *at; name[0] = '\0') {
        const size_t n = part_of(at);
        fprintf(to, "  %-*s%.*s\n", LABEL, name, (int)n, at);
        at += n + (at[n] ? strlen("; ") : 0);
    }
}
