/* Two archives of whole numbers: IGRA version 2 (columns by position) and GSL's RAOB format, once FSL's (line types).
 * Of several soundings in a file the first is read. Both leave heights out at significant levels.
 * SPDX-License-Identifier: MIT */
#include "dynamics/sounding_parts.h"

#include <string.h>

/* The whole number in columns [from, to] of a line, counted from 1; *has 0 where they are blank. */
static int columns_number(const struct reader *r, const char *line, int from, int to, double *value, int *has)
{
    const int length = (int)strlen(line);
    const char *s = line + (from - 1 < length ? from - 1 : length), *end = line + (to < length ? to : length);
    while (s < end && *s == ' ') s++;
    while (end > s && end[-1] == ' ') end--;
    *has = s < end;
    if (!*has) return 0;
    char cell[16];
    reader_copy(cell, sizeof cell, s, (size_t)(end - s));
    SF_CHECK(reader_number(s, end, value) == end, SF_INPUT, "%s:%d: '%s' in columns %d to %d is not a number", r->path,
             r->line, cell, from, to);
    return 0;
}

/* ---- IGRA 2: #ID year month day hour ..., then pressure in Pa, height in m, tenths of C, of %, of C of dew point
 * depression, degrees, tenths of m/s; -9999 is missing, -8888 taken out by the archive ---- */

static int igra_level(struct reader *r, const char *line, struct dropped *d)
{
    enum { P, Z, T, RH, DPD, DIR, SPEED, VALUES };
    static const struct {
        int from, to;
        unsigned is;
        double scale;
    } at[VALUES] = {{10, 15, OBS_P, 1},    {17, 21, OBS_Z, 1},   {23, 27, OBS_T, 0.1},    {29, 33, OBS_RH, 0.001},
                    {35, 39, OBS_TD, 0.1}, {41, 45, OBS_DIR, 1}, {47, 51, OBS_SPEED, 0.1}};
    double x[VALUES] = {0};
    struct observation o = {0};
    for (int n = 0; n < VALUES; n++) {
        int has;
        SF_TRY(columns_number(r, line, at[n].from, at[n].to, &x[n], &has));
        if (has && x[n] > -8888) o.has |= at[n].is;
        x[n] *= at[n].scale;
    }
    o.p = x[P], o.z = x[Z], o.t = x[T], o.rh = x[RH], o.dir = x[DIR], o.speed = x[SPEED];
    if (!(o.has & OBS_T)) o.has &= ~(unsigned)OBS_TD;
    o.td = x[T] - x[DPD];
    return reader_observe(r, &o, 1, d);
}

int sounding_igra_read(struct reader *r, int *ours)
{
    struct dropped d = {0};
    int others = 0;
    for (char *line; (line = reader_line(r));) {
        const int is_head = line[0] == '#' && strlen(line) >= 36 && reader_is_digit(line[13]);
        if (is_head && !*ours) reader_copy(r->out->title, sizeof r->out->title, line + 1, 25);
        others += is_head && *ours;
        *ours |= is_head;
        if (!*ours && *reader_skip_blanks(line)) return 0;
        if (*ours && !is_head && !others && *reader_skip_blanks(line)) SF_TRY(igra_level(r, line, &d));
    }
    if (others) notes_add(&r->out->notes, "sounding: the first of %d soundings is read", others + 1);
    reader_dropped(r, &d);
    r->qv_unit_is_told = 1;
    return *ours ? reader_heights_fill(r) : 0;
}

/* ---- GSL: a line of type, hour, day, month, year; lines 1 to 3 of the station; levels 4 to 9: pressure in tenths of
 * hPa (in old files in hPa), height in m, tenths of C, tenths of C of the dew point, degrees, knots (kt) or tenths of
 * m/s (ms); 99999, in old files 32767, is missing ---- */

static int is_month(const char *s)
{
    static const char months[] = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC";
    for (size_t n = 0; n < sizeof months - 1; n += 4)
        if (!strncmp(s, months + n, 3)) return !reader_is_letter(s[3]);
    return 0;
}

/* The line that begins a sounding: its third word but one is a month. */
static int gsl_is_head(const char *line)
{
    const char *s = reader_skip_blanks(line);
    double x[2];
    for (int n = 0; n < 3; n++) {
        if (n && reader_numbers(s, x, 1) != 1) return 0;
        s += strcspn(s, " \t");
        s = reader_skip_blanks(s);
    }
    return is_month(s);
}

static int gsl_level(struct reader *r, const double *x, double hpa, double speed, struct dropped *d)
{
    struct observation o = {
        .p = 100 * hpa * x[1], .z = x[2], .t = 0.1 * x[3], .td = 0.1 * x[4], .dir = x[5], .speed = speed * x[6]};
    static const unsigned bit[] = {0, OBS_P, OBS_Z, OBS_T, OBS_TD, OBS_DIR, OBS_SPEED};
    for (int n = 1; n < 7; n++)
        if (x[n] < 99999 && (x[n] < 32767 || x[n] > 32767)) o.has |= bit[n];
    return reader_observe(r, &o, 1, d);
}

int sounding_gsl_read(struct reader *r, int *ours)
{
    struct dropped d = {0};
    double x[7], speed = SOUNDING_KNOT, hpa = 0;
    int others = 0;
    for (char *line; (line = reader_line(r));) {
        if (gsl_is_head(line)) {
            others += *ours;
            if (!*ours) reader_copy(r->out->title, sizeof r->out->title, reader_skip_blanks(line), strlen(line));
            *ours = 1;
            continue;
        }
        if (!*ours || others) continue;
        const int n = reader_numbers(line, x, 7);
        if (n >= 1 && x[0] > 2.5 && x[0] < 3.5 && strstr(line, "ms")) speed = 0.1;
        if (n < 1 || x[0] < 3.5) continue;
        SF_CHECK(n == 7 && x[0] < 9.5, SF_INPUT,
                 "%s:%d: expected type, pressure, height, temperature, dew point, wind direction and speed", r->path,
                 r->line);
        if (!(hpa > 0)) hpa = x[1] > 1100 ? 0.1 : 1; /* the first level is the lowest: none in hPa is above 1100 */
        SF_TRY(gsl_level(r, x, hpa, speed, &d));
    }
    if (others) notes_add(&r->out->notes, "sounding: the first of %d soundings is read", others + 1);
    if (*ours)
        notes_add(&r->out->notes, "sounding: pressures taken as %s, wind speeds as %s",
                  hpa < 1 ? "tenths of hPa" : "hPa", speed < 0.2 ? "tenths of m/s" : "knots");
    reader_dropped(r, &d);
    r->qv_unit_is_told = 1;
    return *ours ? reader_heights_fill(r) : 0;
}
