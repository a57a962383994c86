/* The listing of the University of Wyoming: columns placed by the header line, or separated by tabs.
 * SPDX-License-Identifier: MIT */
#include "dynamics/sounding_parts.h"

#include <string.h>

enum column { PRES, HGHT, TEMP, DWPT, RELH, MIXR, DRCT, SKNT, SPED, THTA, COLUMNS };
static const double most[COLUMNS] = {1e6, 3e4, 900, 900, 900,
                                     900, 900, 900, 900, 3e4}; /* no value is above: see reader_is_missing */
static const char *const column_name[COLUMNS] = {"PRES", "HGHT", "TEMP", "DWPT", "RELH",
                                                 "MIXR", "DRCT", "SKNT", "SPED", "THTA"};

struct columns {
    int begin[COLUMNS], end[COLUMNS]; /* bytes of the line, half open; end 0: the listing lacks the column */
    int field[COLUMNS], fields; /* which name of the header it is; how many there are */
    int tabbed; /* 1: the header's names are separated by tabs, and so are the values */
};

/* Values stand right-aligned under the names of the header, so that a column reaches from the end of the name
 * before it to the end of its own. Returns 1 when `line` is such a header. */
static int columns_find(const char *line, struct columns *c)
{
    *c = (struct columns){.tabbed = strchr(line, '\t') != NULL};
    int begin = 0, field = 0;
    for (const char *s = reader_skip_blanks(line); *s; s = reader_skip_blanks(s)) {
        const size_t length = strcspn(s, " \t");
        const int end = (int)(s - line + (ptrdiff_t)length);
        for (int n = 0; n < COLUMNS; n++) {
            if (length != 4 || memcmp(s, column_name[n], 4) != 0) continue;
            c->begin[n] = begin;
            c->field[n] = field;
            c->end[n] = end;
        }
        begin = end, field++;
        s += length;
    }
    c->fields = field;
    return c->end[PRES] && c->end[HGHT] && (c->end[TEMP] || c->end[THTA]);
}

/* The value of column n, *has = 0 when the cell is blank or holds a code for missing (-999 and below). */
static int cell_read(const struct reader *r, const char *line, int length, const struct columns *c, int n,
                     double *value, int *has)
{
    *has = 0;
    int b = c->begin[n], e = c->end[n] < length ? c->end[n] : length;
    if (!c->end[n] || b >= e) return 0;
    SF_CHECK((b == 0 || line[b] == ' ' || line[b - 1] == ' ') && (e == length || line[e - 1] == ' ' || line[e] == ' '),
             SF_INPUT, "%s:%d: a value lies across the edge of column %s; values must stand under the header's names",
             r->path, r->line, column_name[n]);
    while (b < e && line[b] == ' ') b++;
    while (e > b && line[e - 1] == ' ') e--;
    if (b == e) return 0;
    SF_CHECK(e < length || length >= c->end[n], SF_INPUT,
             "%s:%d: the line ends inside column %s; complete it, or remove it if the file was cut off", r->path,
             r->line, column_name[n]);
    char cell[24];
    reader_copy(cell, sizeof cell, line + b, (size_t)(e - b));
    SF_CHECK(reader_number(line + b, line + e, value) == line + e, SF_INPUT,
             "%s:%d: '%s' in column %s is not a number; correct it, or blank it when the value is missing", r->path,
             r->line, cell, column_name[n]);
    *has = !reader_is_missing(*value, most[n]);
    return 0;
}

/* The line with tabs as the blanks that an editor shows for them, 8 columns apart. */
static void tabs_expand(const char *line, char *out, size_t size)
{
    size_t n = 0;
    for (; *line && n + 9 < size; line++) {
        if (*line != '\t') out[n++] = *line;
        else do
                out[n++] = ' ';
            while (n % 8);
    }
    out[n] = '\0';
}

/* A line that has tabs under a header of blanks, and as many words as the header: with one tab between them. Returns 1
 * when it is one. */
static int words_tab(const struct columns *c, const char *line, char *out, size_t size)
{
    size_t n = 0;
    int words = 0;
    if (!strchr(line, '\t')) return 0;
    for (const char *s = reader_skip_blanks(line); *s && n + 2 < size; s = reader_skip_blanks(s), words++) {
        if (words) out[n++] = '\t';
        while (*s && *s != ' ' && *s != '\t' && n + 2 < size) out[n++] = *s++;
    }
    out[n] = '\0';
    return words == c->fields;
}

/* The same where tabs separate the values. */
static int field_read(const struct reader *r, const char *line, const struct columns *c, int n, double *value, int *has)
{
    *has = 0;
    if (!c->end[n]) return 0;
    const char *s = line;
    for (int f = 0; f < c->field[n]; f++) {
        s = strchr(s, '\t');
        if (!s++) return 0;
    }
    const char *end = s + strcspn(s, "\t");
    s += strspn(s, " ");
    while (end > s && end[-1] == ' ') end--;
    if (s >= end) return 0;
    char cell[24];
    reader_copy(cell, sizeof cell, s, (size_t)(end - s));
    SF_CHECK(reader_number(s, end, value) == end, SF_INPUT,
             "%s:%d: '%s' in column %s is not a number; correct it, or blank it when the value is missing", r->path,
             r->line, cell, column_name[n]);
    *has = !reader_is_missing(*value, most[n]);
    return 0;
}

static int listing_level(struct reader *r, const char *raw, const struct columns *c, struct dropped *d)
{
    enum { LINE = 1024 };
    double x[COLUMNS];
    int has[COLUMNS];
    char line[LINE];
    const int tabbed = c->tabbed || words_tab(c, raw, line, sizeof line);
    if (!tabbed) tabs_expand(raw, line, sizeof line);
    const int length = (int)strlen(line);
    for (int n = 0; n < COLUMNS; n++)
        SF_TRY(tabbed ? field_read(r, c->tabbed ? raw : line, c, n, &x[n], &has[n])
                      : cell_read(r, line, length, c, n, &x[n], &has[n]));
    struct observation o = {.p = 100 * x[PRES],
                            .z = x[HGHT],
                            .t = x[TEMP],
                            .td = x[DWPT],
                            .rh = 0.01 * x[RELH],
                            .theta = x[THTA],
                            .mixr = x[MIXR] / 1000,
                            .dir = x[DRCT],
                            .speed = has[SKNT] ? x[SKNT] * SOUNDING_KNOT : x[SPED]};
    static const unsigned bit[COLUMNS] = {OBS_P,    OBS_Z,   OBS_T,     OBS_TD,    OBS_RH,
                                          OBS_MIXR, OBS_DIR, OBS_SPEED, OBS_SPEED, OBS_THETA};
    for (int n = 0; n < COLUMNS; n++)
        if (has[n]) o.has |= bit[n];
    return reader_observe(r, &o, 0, d);
}

/* From the line below the header to the end of the table. A page may go on with indices or further soundings. */
static int listing_table(struct reader *r, const struct columns *c)
{
    struct dropped d = {0};
    int unread = 0, ended = 0, rows = 0;
    for (char *line; (line = reader_line(r));) {
        ended |= reader_tags_strip(line) && rows;
        const char *s = reader_skip_blanks(line);
        if (!*s || reader_all_dashes(s)) continue;
        ended |=
            rows && ((reader_is_letter(*s) && (strchr(s, ':') || strncmp(s, "Station", 7) == 0 || strstr(s, "PRES"))) ||
                     strstr(s, "Observations"));
        unread += ended;
        if (ended || (!rows && reader_is_letter(*s))) continue; /* the line of units */
        SF_TRY(listing_level(r, line, c, &d));
        rows++;
    }
    if (unread) notes_add(&r->out->notes, "sounding: %d lines behind the first table not read", unread);
    reader_dropped(r, &d);
    return 0;
}

int sounding_listing_read(struct reader *r, int *ours)
{
    struct columns c;
    for (char *line; (line = reader_line(r));) {
        reader_tags_strip(line);
        *ours = columns_find(line, &c);
        if (*ours) return listing_table(r, &c);
        const char *const s = reader_skip_blanks(line);
        if (*s && !reader_all_dashes(s)) reader_copy(r->out->title, sizeof r->out->title, s, strlen(s));
    }
    return 0;
}
