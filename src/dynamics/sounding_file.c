/* The two file formats: fixed columns from Wyoming, free numbers from WRF and CM1; no value is believed
 * unchecked.
 *
 * Numbers are parsed here, because strtod follows the locale and accepts hexadecimal, inf and nan.
 * SPDX-License-Identifier: MIT */
#include "dynamics/sounding_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pipeline/error.h"
#include "pipeline/sferic.h"

static const double knot = 1852.0 / 3600.0; /* m/s */

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Copies at most size - 1 bytes; what a terminal should not be sent becomes '?'. */
static void text_copy(char *to, size_t size, const char *from, size_t length)
{
    size_t n = 0;
    for (; n + 1 < size && n < length && from[n]; n++) to[n] = from[n] >= ' ' && from[n] <= '~' ? from[n] : '?';
    to[n] = '\0';
}

/* Reads a decimal number with an optional Fortran or C exponent from s, not beyond `end`. Returns the byte
 * behind it, NULL when there is none. Exactly rounded up to 15 digits and a scale of 1e22. */
static const char *number_read(const char *s, const char *end, double *value)
{
    const int negative = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    double mantissa = 0;
    int digits = 0, scale = 0, fraction = 0;
    for (; s < end && (is_digit(*s) || (*s == '.' && !fraction)); s++) {
        if (*s == '.') {
            fraction = 1;
            continue;
        }
        digits = 1;
        const int kept = mantissa < 9e14;
        if (kept) mantissa = 10 * mantissa + (*s - '0');
        scale += fraction ? -kept : !kept;
    }
    if (!digits) return NULL;
    if (s < end && (*s == 'e' || *s == 'E' || *s == 'd' || *s == 'D')) {
        s++;
        const int below = s < end && *s == '-';
        if (s < end && (*s == '-' || *s == '+')) s++;
        if (s == end || !is_digit(*s)) return NULL;
        int exponent = 0;
        for (; s < end && is_digit(*s); s++) exponent = exponent < 1000 ? 10 * exponent + (*s - '0') : exponent;
        scale += below ? -exponent : exponent;
    }
    for (; scale > 22 && mantissa > 0 && mantissa < 1e300; scale -= 22) mantissa *= 1e22;
    for (; scale < -22 && mantissa > 0; scale += 22) mantissa /= 1e22;
    double ten = 1;
    for (int n = scale < 0 ? -scale : scale; n > 0 && n <= 22; n--) ten *= 10;
    if (scale > 22 && mantissa > 0) return NULL;
    *value = scale < 0 ? mantissa / ten : mantissa * ten;
    if (negative) *value = -*value;
    return s;
}

/* The next line without its end, NULL after the last; the text is cut in place. */
static char *line_next(struct reader *r)
{
    char *line = r->next;
    if (!line) return NULL;
    char *end = strchr(line, '\n');
    r->next = end ? end + 1 : NULL;
    if (!end) end = line + strlen(line);
    *end = '\0';
    if (end > line && end[-1] == '\r') end[-1] = '\0';
    r->line++;
    return line;
}

static const char *skip_blanks(const char *s)
{
    while (is_blank(*s)) s++;
    return s;
}

static int in_range(const struct reader *r, const char *what, double x, double min, double max, const char *unit)
{
    SF_CHECK(x >= min && x <= max, SF_INPUT,
             "%s:%d: %s = %g %s is outside %g ... %g %s; correct the value or its unit, or remove the level", r->path,
             r->line, what, x, unit, min, max, unit);
    return 0;
}

static int level_add(struct reader *r, const struct level *l)
{
    SF_CHECK(r->n < SOUNDING_MAX_LEVELS, SF_INPUT, "%s:%d: more than %d levels; thin the sounding out", r->path,
             r->line, SOUNDING_MAX_LEVELS);
    if (r->n == r->capacity) {
        const int capacity = r->capacity ? 2 * r->capacity : 128;
        struct level *more = realloc(r->level, (size_t)capacity * sizeof *more);
        SF_CHECK(more, SF_MEMORY, "%s: no memory for %d sounding levels", r->path, capacity);
        r->level = more;
        r->capacity = capacity;
    }
    r->level[r->n++] = *l;
    return 0;
}

/* ---- Wyoming listing ---- */

enum column { PRES, HGHT, TEMP, MIXR, DRCT, SKNT, SPED, THTA, COLUMNS };
static const char *const column_name[COLUMNS] = {"PRES", "HGHT", "TEMP", "MIXR", "DRCT", "SKNT", "SPED", "THTA"};

struct columns {
    int begin[COLUMNS], end[COLUMNS]; /* bytes of the line, half open; end 0: the listing lacks the column */
};

/* Values stand right-aligned under the names of the header, so that a column reaches from the end of the name
 * before it to the end of its own. Returns 1 when `line` is such a header. */
static int columns_find(const char *line, struct columns *c)
{
    *c = (struct columns){.end = {0}};
    int begin = 0;
    for (const char *s = skip_blanks(line); *s; s = skip_blanks(s)) {
        const size_t length = strcspn(s, " \t");
        const int end = (int)(s - line + (ptrdiff_t)length);
        for (int n = 0; n < COLUMNS; n++) {
            if (length != 4 || memcmp(s, column_name[n], 4) != 0) continue;
            c->begin[n] = begin;
            c->end[n] = end;
        }
        begin = end;
        s += length;
    }
    return c->end[PRES] && c->end[HGHT] && (c->end[TEMP] || c->end[THTA]);
}

/* Takes <...> out of a line. Returns 1 when the line's first visible character began a tag. */
static int tags_strip(char *line)
{
    const int first = *skip_blanks(line) == '<';
    char *to = line, *close = line;
    for (char *from = line; *from;) {
        if (*from == '<' && close) close = strchr(from, '>'); /* none: none for a later '<' either */
        if (*from == '<' && close) from = close + 1;
        else *to++ = *from++;
    }
    *to = '\0';
    return first;
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
    text_copy(cell, sizeof cell, line + b, (size_t)(e - b));
    SF_CHECK(number_read(line + b, line + e, value) == line + e, SF_INPUT,
             "%s:%d: '%s' in column %s is not a number; correct it, or blank it when the value is missing", r->path,
             r->line, cell, column_name[n]);
    *has = *value > -999;
    return 0;
}

/* Wind from where it blows, in degrees clockwise from north. Reduced to a quadrant first: 180 degrees has no u. */
static void wind_components(double degrees, double speed, double *u, double *v)
{
    const int quadrant = (int)(degrees / 90);
    const double rest = (degrees - 90 * quadrant) * (3.14159265358979323846 / 180);
    const double s = rest > 0 ? sfd_sin(rest) : 0, c = rest > 0 ? sfd_cos(rest) : 1;
    const double sine[4] = {s, c, -s, -c}, cosine[4] = {c, -s, -c, s};
    *u = 0.0 - speed * sine[quadrant % 4];
    *v = 0.0 - speed * cosine[quadrant % 4];
}

struct dropped {
    int bare, bare_line; /* levels without temperature */
    int partial, partial_line; /* levels without pressure or height */
    int odd, odd_line; /* levels whose THTA is not that of TEMP and PRES */
};

static int wyoming_level(struct reader *r, const char *line, const struct columns *c, struct dropped *d)
{
    double x[COLUMNS];
    int has[COLUMNS];
    const int length = (int)strlen(line);
    for (int n = 0; n < COLUMNS; n++) SF_TRY(cell_read(r, line, length, c, n, &x[n], &has[n]));
    if (!has[PRES] || !has[HGHT]) {
        if (!d->partial++) d->partial_line = r->line;
        return 0;
    }
    SF_TRY(in_range(r, "PRES", x[PRES], 0.1, 1100, "hPa"));
    SF_TRY(in_range(r, "HGHT", x[HGHT], -500, 1e5, "m"));
    if (!has[TEMP] && !has[THTA]) {
        if (!d->bare++) d->bare_line = r->line;
        return 0;
    }
    struct level l = {.z = x[HGHT], .p = 100 * x[PRES], .line = r->line};
    if (has[TEMP]) {
        SF_TRY(in_range(r, "TEMP", x[TEMP], -150, 70, "C"));
        l.theta = (x[TEMP] + 273.15) * sfd_pow(SOUNDING_P00 / l.p, SOUNDING_R / SOUNDING_CP);
    }
    if (has[THTA]) {
        SF_TRY(in_range(r, "THTA", x[THTA], 100, 20000, "K"));
        const double off = has[TEMP] ? x[THTA] - l.theta : 0;
        if ((off > 0.005 * l.theta || off < -0.005 * l.theta) && !d->odd++) d->odd_line = r->line;
        l.theta = x[THTA];
    }
    if (has[MIXR]) {
        SF_TRY(in_range(r, "MIXR", x[MIXR], 0, 100, "g/kg"));
        l.qv = x[MIXR] / 1000;
        l.has |= HAS_QV;
    }
    const int knots = has[SKNT], blows = knots || has[SPED];
    const double speed = knots ? x[SKNT] * knot : blows ? x[SPED] : 0;
    if (blows) SF_TRY(in_range(r, "wind speed", speed, 0, 300, "m/s"));
    if (has[DRCT]) SF_TRY(in_range(r, "DRCT", x[DRCT], 0, 360, "deg"));
    if (blows && (has[DRCT] || speed <= 0)) {
        wind_components(has[DRCT] ? x[DRCT] : 0, speed, &l.u, &l.v);
        l.has |= HAS_WIND;
    }
    return level_add(r, &l);
}

static int all_dashes(const char *s)
{
    s = skip_blanks(s);
    return *s == '-' && !s[strspn(s, "- \t")];
}

/* From the line below the header to the end of the table. A page may go on with indices or further soundings. */
static int wyoming_read(struct reader *r, const struct columns *c)
{
    struct dropped d = {0};
    int unread = 0, ended = 0, rows = 0;
    for (char *line; (line = line_next(r));) {
        ended |= tags_strip(line) && rows;
        const char *s = skip_blanks(line);
        if (!*s || all_dashes(s)) continue;
        ended |= rows && ((is_letter(*s) && (strchr(s, ':') || strncmp(s, "Station", 7) == 0 || strstr(s, "PRES"))) ||
                          strstr(s, "Observations"));
        unread += ended;
        if (ended || (!rows && is_letter(*s))) continue; /* the line of units */
        SF_CHECK(!strchr(line, '\t'), SF_INPUT,
                 "%s:%d: a tab in the table, whose columns are found by position; replace tabs by blanks", r->path,
                 r->line);
        SF_TRY(wyoming_level(r, line, c, &d));
        rows++;
    }
    struct notes *n = &r->out->notes;
    if (unread) notes_add(n, "sounding: %d lines behind the first table not read", unread);
    if (d.bare) notes_add(n, "sounding: %d level(s) without temperature dropped (line %d)", d.bare, d.bare_line);
    if (d.partial)
        notes_add(n, "sounding: %d level(s) without pressure or height dropped (line %d)", d.partial, d.partial_line);
    if (d.odd)
        notes_add(n, "sounding: THTA differs from that of TEMP and PRES at %d level(s) (line %d); THTA is used", d.odd,
                  d.odd_line);
    return 0;
}

/* ---- input_sounding of WRF and CM1 ---- */

/* Up to `count` numbers of a line, separated by blanks or commas. Returns how many stand there. */
static int numbers_read(const char *line, double *x, int count)
{
    const char *end = line + strlen(line);
    int n = 0;
    for (; n < count; n++) {
        line += strspn(line, " \t,");
        const char *behind = number_read(line, end, &x[n]);
        if (!behind || (*behind && !strchr(" \t,", *behind))) break;
        line = behind;
    }
    return n;
}

static int wrf_read(struct reader *r, const double *surface)
{
    SF_TRY(in_range(r, "surface pressure", surface[0], 10, 1100, "hPa"));
    SF_TRY(in_range(r, "surface theta", surface[1], 100, 1000, "K"));
    SF_TRY(in_range(r, "surface qv", surface[2], 0, 100, "g/kg"));
    r->out->surface_pressure = 100 * surface[0];
    struct level l = {.theta = surface[1], .qv = surface[2] / 1000, .line = r->line, .has = HAS_QV};
    SF_TRY(level_add(r, &l));
    for (char *line; (line = line_next(r));) {
        if (!*skip_blanks(line)) continue;
        double x[6];
        SF_CHECK(numbers_read(line, x, 6) == 5, SF_INPUT,
                 "%s:%d: expected five numbers: height (m), theta (K), qv (g/kg), u, v (m/s)", r->path, r->line);
        SF_TRY(in_range(r, "height", x[0], 0, 1e5, "m"));
        SF_TRY(in_range(r, "theta", x[1], 100, 20000, "K"));
        SF_TRY(in_range(r, "qv", x[2], 0, 100, "g/kg"));
        SF_TRY(in_range(r, "u", x[3], -300, 300, "m/s"));
        SF_TRY(in_range(r, "v", x[4], -300, 300, "m/s"));
        l = (struct level){.z = x[0],
                           .theta = x[1],
                           .qv = x[2] / 1000,
                           .u = x[3],
                           .v = x[4],
                           .line = r->line,
                           .has = HAS_QV | HAS_WIND};
        SF_TRY(level_add(r, &l));
    }
    return 0;
}

static int text_read(struct reader *r)
{
    struct stat st;
    SF_CHECK(stat(r->path, &st) == 0, SF_INPUT, "%s: no such sounding file, or no permission to look", r->path);
    SF_CHECK(S_ISREG(st.st_mode), SF_INPUT, "%s: not a regular file; give the path of a sounding", r->path);
    SF_CHECK(st.st_size <= SOUNDING_MAX_BYTES, SF_INPUT, "%s: %lld bytes; a sounding has at most %d", r->path,
             (long long)st.st_size, SOUNDING_MAX_BYTES);
    r->text = malloc((size_t)st.st_size + 1);
    SF_CHECK(r->text, SF_MEMORY, "%s: no memory for %lld bytes", r->path, (long long)st.st_size);
    FILE *f = fopen(r->path, "rb");
    SF_CHECK(f, SF_INPUT, "%s: cannot be opened; check its permissions", r->path);
    const size_t got = fread(r->text, 1, (size_t)st.st_size, f);
    const int bad = ferror(f);
    fclose(f);
    SF_CHECK(!bad, SF_INPUT, "%s: reading failed", r->path);
    r->text[got] = '\0';
    if (got && r->text[got - 1] != '\n')
        notes_add(&r->out->notes, "sounding: the last line has no end; was the file cut off?");
    const char *nul = memchr(r->text, 0, got);
    int line = 1;
    for (const char *s = r->text; nul && s < nul; s++) line += *s == '\n';
    SF_CHECK(!nul, SF_INPUT, "%s:%d: holds a NUL byte: not plain text (saved as UTF-16, or binary?)", r->path, line);
    r->next = r->text + (got >= 3 && memcmp(r->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    return 0;
}

/* Looks for the header of a listing; when there is none, the first line with anything on it decides. */
int sounding_file_read(struct reader *r)
{
    SF_TRY(text_read(r));
    char *const start = r->next;
    double surface[4];
    struct columns c;
    const char *first = skip_blanks(start + strspn(start, " \t\r\n"));
    if (is_digit(*first)) {
        char line[256];
        text_copy(line, sizeof line, first, strcspn(first, "\r\n"));
        if (numbers_read(line, surface, 4) == 3) {
            for (char *l; (l = line_next(r)) && !*skip_blanks(l);) continue;
            return wrf_read(r, surface);
        }
    }
    for (char *line; (line = line_next(r));) {
        tags_strip(line);
        if (columns_find(line, &c)) return wyoming_read(r, &c);
        const char *s = skip_blanks(line);
        if (*s && !all_dashes(s)) text_copy(r->out->title, sizeof r->out->title, s, strlen(s));
    }
    SF_FAIL(SF_INPUT,
            "%s: neither a University of Wyoming listing (a header line PRES HGHT TEMP ... above the table) nor an "
            "input_sounding (first line: surface pressure in hPa, theta in K, qv in g/kg)",
            r->path);
}
