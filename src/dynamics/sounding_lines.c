/* Lines, numbers and levels of sounding files; no value is believed unchecked.
 *
 * Numbers are parsed here, because strtod follows the locale and accepts hexadecimal, inf and nan.
 * SPDX-License-Identifier: MIT */
#include "dynamics/sounding_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int reader_is_digit(char c) { return c >= '0' && c <= '9'; }
int reader_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Copies at most size - 1 bytes; what a terminal should not be sent becomes '?'. */
void reader_copy(char *to, size_t size, const char *from, size_t length)
{
    size_t n = 0;
    for (; n + 1 < size && n < length && from[n]; n++) to[n] = from[n] >= ' ' && from[n] <= '~' ? from[n] : '?';
    to[n] = '\0';
}

/* Reads a decimal number with an optional Fortran or C exponent from s, not beyond `end`. Returns the byte
 * behind it, NULL when there is none. Exactly rounded up to 15 digits and a scale of 1e22. */
const char *reader_number(const char *s, const char *end, double *value)
{
    const int negative = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    double mantissa = 0;
    int digits = 0, scale = 0, fraction = 0;
    for (; s < end && (reader_is_digit(*s) || (*s == '.' && !fraction)); s++) {
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
        if (s == end || !reader_is_digit(*s)) return NULL;
        int exponent = 0;
        for (; s < end && reader_is_digit(*s); s++) exponent = exponent < 1000 ? 10 * exponent + (*s - '0') : exponent;
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
char *reader_line(struct reader *r)
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

const char *reader_skip_blanks(const char *s)
{
    while (is_blank(*s)) s++;
    return s;
}

/* Takes <...> out of a line. Returns 1 when the line's first visible character began a tag. */
int reader_tags_strip(char *line)
{
    const int first = *reader_skip_blanks(line) == '<';
    char *to = line, *close = line;
    for (char *from = line; *from;) {
        if (*from == '<' && close) close = strchr(from, '>'); /* none: none for a later '<' either */
        if (*from == '<' && close) from = close + 1;
        else *to++ = *from++;
    }
    *to = '\0';
    return first;
}

int reader_all_dashes(const char *s)
{
    s = reader_skip_blanks(s);
    return *s == '-' && !s[strspn(s, "- \t")];
}

/* Up to `count` numbers of a line, separated by blanks or commas. Returns how many stand there. */
int reader_numbers(const char *line, double *x, int count)
{
    const char *end = line + strlen(line);
    int n = 0;
    for (; n < count; n++) {
        line += strspn(line, " \t,");
        const char *behind = reader_number(line, end, &x[n]);
        if (!behind || (*behind && !strchr(" \t,", *behind))) break;
        line = behind;
    }
    return n;
}

int reader_is_missing(double value, double most)
{
    static const double code[] = {9999, 99999, 32767, 9999.9, 99999.9, 999, 999.9};
    int missing = value <= -999;
    for (size_t n = 0; n < sizeof code / sizeof code[0]; n++) missing |= fabs(value - code[n]) < 1e-9 && code[n] > most;
    return missing;
}

/* ---- levels ---- */

int reader_range(const struct reader *r, const char *what, double x, double min, double max, const char *unit)
{
    SF_CHECK(x >= min && x <= max, SF_INPUT,
             "%s:%d: %s = %g %s is outside %g ... %g %s; correct the value or its unit, or remove the level", r->path,
             r->line, what, x, unit, min, max, unit);
    return 0;
}

int reader_level(struct reader *r, const struct level *l)
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

int reader_observe(struct reader *r, const struct observation *o, int keeps_flat, struct dropped *d)
{
    const unsigned has = o->has;
    if (!(has & OBS_P) || (!(has & OBS_Z) && !keeps_flat)) {
        if (!d->partial++) d->partial_line = r->line;
        return 0;
    }
    SF_TRY(reader_range(r, "pressure", o->p / 100, 0.1, 1100, "hPa"));
    if (has & OBS_Z) SF_TRY(reader_range(r, "height", o->z, -500, 1e5, "m"));
    if (!(has & (OBS_T | OBS_THETA))) {
        if (!d->bare++) d->bare_line = r->line;
        return 0;
    }
    struct level l = {.z = has & OBS_Z ? o->z : NAN, .p = o->p, .line = r->line};
    if (has & OBS_T) {
        SF_TRY(reader_range(r, "temperature", o->t, -150, 70, "C"));
        l.theta = (o->t + 273.15) * sfd_pow(SOUNDING_P00 / l.p, SOUNDING_R / SOUNDING_CP);
    }
    if (has & OBS_THETA) {
        SF_TRY(reader_range(r, "potential temperature", o->theta, 100, 20000, "K"));
        const double off = has & OBS_T ? o->theta - l.theta : 0;
        if ((off > 0.005 * l.theta || off < -0.005 * l.theta) && !d->odd++) d->odd_line = r->line;
        l.theta = o->theta;
    }
    if (has & OBS_MIXR) {
        SF_TRY(reader_range(r, "mixing ratio", 1000 * o->mixr, 0, 100, "g/kg"));
        l.qv = o->mixr;
    } else if (has & OBS_TD) {
        SF_TRY(reader_range(r, "dew point", o->td, -200, 70, "C"));
        if (has & OBS_T && o->td > o->t + 1e-9 && !d->moist++) d->moist_line = r->line;
        l.qv = sounding_saturation(o->td, l.p);
    } else if ((has & OBS_RH) && (has & OBS_T)) {
        SF_TRY(reader_range(r, "relative humidity", 100 * o->rh, 0, 150, "%"));
        l.qv = o->rh * sounding_saturation(o->t, l.p);
    }
    if (has & (OBS_MIXR | OBS_TD) || (has & OBS_RH && has & OBS_T)) {
        SF_TRY(reader_range(r, "mixing ratio", 1000 * l.qv, 0, 100, "g/kg"));
        l.has |= HAS_QV;
    }
    const double speed = has & OBS_SPEED ? o->speed : 0;
    if (has & OBS_SPEED) SF_TRY(reader_range(r, "wind speed", speed, 0, 300, "m/s"));
    if (has & OBS_DIR) SF_TRY(reader_range(r, "wind direction", o->dir, 0, 360, "deg"));
    if (has & OBS_SPEED && (has & OBS_DIR || speed <= 0)) {
        wind_components(has & OBS_DIR ? o->dir : 0, speed, &l.u, &l.v);
        l.has |= HAS_WIND;
    }
    return reader_level(r, &l);
}

void reader_dropped(struct reader *r, const struct dropped *d)
{
    struct notes *const n = &r->out->notes;
    if (d->bare) notes_add(n, "sounding: %d level(s) without temperature dropped (line %d)", d->bare, d->bare_line);
    if (d->partial)
        notes_add(n, "sounding: %d level(s) without pressure or height dropped (line %d)", d->partial, d->partial_line);
    if (d->odd)
        notes_add(n, "sounding: THTA differs from that of TEMP and PRES at %d level(s) (line %d); THTA is used", d->odd,
                  d->odd_line);
    if (d->moist)
        notes_add(
            n,
            "sounding: the dew point lies above the temperature at %d level(s) (line %d); the vapour is that of the "
            "dew point, beyond saturation",
            d->moist, d->moist_line);
}

static int falling(const void *a, const void *b)
{
    const struct level *l = a, *m = b;
    const int by_pressure = (l->p < m->p) - (l->p > m->p), by_line = (l->line > m->line) - (l->line < m->line);
    return by_pressure ? by_pressure : by_line;
}

/* Thickness of the layer from a up to b: R Tv ln(p_a / p_b) / g with the mean virtual temperature of both; dry where
 * moisture is missing. */
static double thickness(const struct level *a, const struct level *b)
{
    double tv = 0;
    const struct level *const at[2] = {a, b};
    for (int n = 0; n < 2; n++)
        tv += 0.5 * at[n]->theta * sfd_pow(at[n]->p / SOUNDING_P00, SOUNDING_R / SOUNDING_CP) *
              (1 + 0.61 * (at[n]->has & HAS_QV ? at[n]->qv : 0));
    return SOUNDING_R * tv / SOUNDING_G * sfd_log(a->p / b->p);
}

int reader_heights_fill(struct reader *r)
{
    struct level *const l = r->level;
    int first = -1, filled = 0, line = 0;
    if (r->n) qsort(l, (size_t)r->n, sizeof *l, falling);
    for (int n = 0; n < r->n && first < 0; n++) first = isnan(l[n].z) ? -1 : n;
    SF_CHECK(first >= 0 || !r->n, SF_INPUT, "%s: no level has a height: give one of them its height in m", r->path);
    for (int n = first - 1; n >= 0; n--, filled++) l[n].z = l[n + 1].z - thickness(&l[n], &l[n + 1]), line = l[n].line;
    for (int n = first + 1; n < r->n; n++)
        if (isnan(l[n].z)) l[n].z = l[n - 1].z + thickness(&l[n - 1], &l[n]), line = filled++ ? line : l[n].line;
    if (filled)
        notes_add(&r->out->notes,
                  "sounding: heights of %d level(s) without one computed by hydrostatic balance (line %d)", filled,
                  line);
    return 0;
}
