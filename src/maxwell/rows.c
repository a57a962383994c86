/* Reads text files of numbers. SPDX-License-Identifier: MIT */
#include "maxwell/rows.h"

#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MOST = 1024 };

static int row_add(struct rows *to, const struct rows_form *form, int *capacity, const double *row, const char *path)
{
    const size_t wide = (size_t)form->columns;
    SF_CHECK(to->n < form->most, SF_INPUT, "%s: more than %d %s", path, form->most, form->lines);
    if (to->n == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 256;
        double *const more = realloc(to->value, wide * (size_t)*capacity * sizeof *more);
        SF_CHECK(more, SF_MEMORY, "%s: no memory for %d %s", path, *capacity, form->lines);
        to->value = more;
    }
    memcpy(to->value + wide * (size_t)to->n++, row, wide * sizeof *row);
    return SF_OK;
}

static int is_finite(double x) { return x - x < 1; }

static const char *skip(const char *s)
{
    while (*s == ' ' || *s == '\t' || *s == ',' || *s == '\r' || *s == '\n') s++;
    return *s == '#' || *s == '!' ? s + strlen(s) : s;
}

/* One line: nothing, or all numbers of a row. */
static int line_read(struct rows *to, const struct rows_form *form, int *capacity, const char *text, const char *path,
                     int line)
{
    const char *at = skip(text);
    if (!*at) return SF_OK;
    double row[ROWS_WIDE] = {0};
    for (int m = 0; m < form->columns; m++) {
        char *end;
        row[m] = strtod(at, &end);
        SF_CHECK(end > at && is_finite(row[m]), SF_INPUT, "%s:%d: expected %s, %s", path, line, form->line,
                 form->count);
        at = skip(end);
    }
    SF_CHECK(!*at, SF_INPUT, "%s:%d: more than %s", path, line, form->line);
    const double before = to->n ? to->value[(size_t)form->columns * (size_t)(to->n - 1)] : 0;
    SF_CHECK(!to->n || row[0] > before, SF_INPUT, "%s:%d: %s %.9g %s does not follow %.9g %s", path, line, form->first,
             row[0], form->units, before, form->units);
    return row_add(to, form, capacity, row, path);
}

static int lines_read(struct rows *to, const struct rows_form *form, FILE *f, const char *path)
{
    static const char *const number[] = {"no", "one", "two", "three", "four"};
    char text[LINE_MOST];
    int capacity = 0;
    for (int line = 1; fgets(text, sizeof text, f); line++) {
        SF_CHECK(strlen(text) + 1 < sizeof text, SF_INPUT, "%s:%d: a line of more than %zu bytes", path, line,
                 sizeof text - 2);
        SF_TRY(line_read(to, form, &capacity, text, path, line));
    }
    SF_CHECK(!ferror(f), SF_INPUT, "%s: cannot be read", path);
    SF_CHECK(to->n >= form->least, SF_INPUT, "%s: fewer than %s %s", path, number[form->least], form->lines);
    return SF_OK;
}

void input_path(char *path, size_t size, const char *file, const char *dir)
{
    const int aside = file[0] != '/' && dir && dir[0];
    const int n = snprintf(path, size, "%s%s%s", aside ? dir : "", aside ? "/" : "", file);
    const int none = n < 0 || (size_t)n >= size || access(path, R_OK);
    if (aside && none && !access(file, R_OK) && strlen(file) < size) memcpy(path, file, strlen(file) + 1);
}

int rows_read(struct rows *to, const struct rows_form *form, const char *file, const char *dir)
{
    char path[1024];
    *to = (struct rows){0};
    SF_CHECK(strlen(file) + (dir ? strlen(dir) : 0) + 2 < sizeof path, SF_INPUT, "%s: a name too long", file);
    input_path(path, sizeof path, file, dir);
    FILE *const f = fopen(path, "r");
    SF_CHECK(f, SF_INPUT, "%s: cannot be opened", path);
    const int rc = lines_read(to, form, f, path);
    fclose(f);
    if (rc) free(to->value), *to = (struct rows){0};
    return rc;
}
