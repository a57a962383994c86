/* Tables whose values are separated by commas: Wyoming's CSV, with a header of names and units (pressure_hPa, ...), and
 * SHARPpy's, between %RAW% and %END%. SPDX-License-Identifier: MIT */
#include "dynamics/sounding_parts.h"

#include <string.h>

/* Columns by what their names begin with, and what one of their unit is in those of struct observation: value * scale +
 * offset. */
static const struct quantity_name {
    unsigned is;
    const char *name, *unit;
    double scale, offset;
} known[] = {
    {OBS_P, "pressure", "hPa", 100, 0},
    {OBS_P, "pressure", "mb", 100, 0},
    {OBS_P, "pressure", "Pa", 1, 0},
    {OBS_Z, "geopotential height", "m", 1, 0},
    {OBS_Z, "geopotential height", "km", 1000, 0},
    {OBS_Z, "height", "m", 1, 0},
    {OBS_Z, "height", "km", 1000, 0},
    {OBS_T, "temperature", "C", 1, 0},
    {OBS_T, "temperature", "K", 1, -273.15},
    {OBS_TD, "dew point temperature", "C", 1, 0},
    {OBS_TD, "dew point temperature", "K", 1, -273.15},
    {OBS_TD, "dew point", "C", 1, 0},
    {OBS_RH, "relative humidity", "%", 0.01, 0},
    {OBS_MIXR, "mixing ratio", "g/kg", 0.001, 0},
    {OBS_MIXR, "mixing ratio", "kg/kg", 1, 0},
    {OBS_DIR, "wind direction", "degree", 1, 0},
    {OBS_SPEED, "wind speed", "m/s", 1, 0},
    {OBS_SPEED, "wind speed", "knot", SOUNDING_KNOT, 0},
    {OBS_SPEED, "wind speed", "kt", SOUNDING_KNOT, 0},
};

enum { FIELDS = 32, KNOWN = sizeof known / sizeof known[0] };

/* What each field of a line is: an index into known, -1 nothing that is wanted. */
struct header {
    int n, field[FIELDS];
    unsigned has;
};

static int is_word(const char *s, size_t length, const char *word)
{
    return strlen(word) == length && !memcmp(s, word, length);
}

/* The header of such a table; an unknown unit of a known name is an error. */
static int header_read(const struct reader *r, const char *line, struct header *h, int *ours)
{
    *h = (struct header){0};
    for (const char *s = reader_skip_blanks(line); *s && h->n < FIELDS; h->n++) {
        const size_t all = strcspn(s, ","), name = strcspn(s, "_,"), gap = name < all;
        size_t unit = gap ? all - name - 1 : 0;
        while (unit && (s[name + unit] == ' ' || s[name + unit] == '\t')) unit--;
        int found = -1, named = 0;
        for (int m = 0; m < KNOWN && found < 0; m++)
            if (is_word(s, name, known[m].name)) named = 1, found = is_word(s + name + 1, unit, known[m].unit) ? m : -1;
        char text[48];
        reader_copy(text, sizeof text, s, all);
        SF_CHECK(!named || found >= 0 || !gap, SF_INPUT,
                 "%s:%d: column '%s' is in a unit that is not known here; convert it, as to pressure_hPa, "
                 "geopotential height_m, temperature_C, mixing ratio_g/kg, wind speed_m/s",
                 r->path, r->line, text);
        h->field[h->n] = found;
        if (found >= 0) h->has |= known[found].is;
        s += all + (s[all] == ',');
    }
    *ours = (h->has & (OBS_P | OBS_Z | OBS_T)) == (OBS_P | OBS_Z | OBS_T);
    return 0;
}

static void observation_set(struct observation *o, unsigned is, double value)
{
    double *const at[] = {&o->p, &o->z, &o->t, &o->td, &o->mixr, &o->dir, &o->speed, &o->theta, &o->rh};
    for (int n = 0; n < (int)(sizeof at / sizeof at[0]); n++)
        if (is == 1u << n) *at[n] = value;
    o->has |= is;
}

/* A line of values under the header. */
static int row_read(struct reader *r, const char *line, const struct header *h, struct dropped *d)
{
    struct observation o = {0};
    const char *s = line;
    for (int f = 0; f < h->n; f++) {
        const char *end = s + strcspn(s, ","), *const next = *end ? end + 1 : end;
        s = reader_skip_blanks(s);
        while (end > s && (end[-1] == ' ' || end[-1] == '\t')) end--;
        if (h->field[f] >= 0 && end > s) {
            const struct quantity_name *const q = &known[h->field[f]];
            double value;
            char cell[24];
            reader_copy(cell, sizeof cell, s, (size_t)(end - s));
            SF_CHECK(reader_number(s, end, &value) == end, SF_INPUT,
                     "%s:%d: '%s' in column '%s' is not a number; correct it, or leave the field empty "
                     "when the value is missing",
                     r->path, r->line, cell, q->name);
            if (!reader_is_missing(value, q->is == OBS_P ? 1e6 : q->is == OBS_Z ? 3e4 : 900))
                observation_set(&o, q->is, value * q->scale + q->offset);
        }
        SF_CHECK(*next || f + 1 >= h->n || end[0] == ',', SF_INPUT,
                 "%s:%d: %d fields and %d in the header; complete the line, or remove it if the file was "
                 "cut off",
                 r->path, r->line, f + 1, h->n);
        s = next;
    }
    r->qv_unit_is_told = 1;
    return reader_observe(r, &o, 0, d);
}

int sounding_table_read(struct reader *r, int *ours)
{
    struct header h = {0};
    struct dropped d = {0};
    for (char *line; !*ours && (line = reader_line(r));) {
        reader_tags_strip(line);
        SF_TRY(header_read(r, line, &h, ours));
    }
    if (!*ours) return 0;
    for (char *line; (line = reader_line(r));) {
        reader_tags_strip(line);
        if (*reader_skip_blanks(line)) SF_TRY(row_read(r, line, &h, &d));
    }
    reader_dropped(r, &d);
    return 0;
}

/* hPa, m, C, C, degrees, knots; -9999 is missing. */
int sounding_sharppy_read(struct reader *r, int *ours)
{
    static const struct header h = {6, {0, 3, 7, 9, 15, 17}, 0};
    struct dropped d = {0};
    int titled = 0, ended = 0;
    for (char *line; !ended && (line = reader_line(r));) {
        const char *const s = reader_skip_blanks(line);
        ended = *ours && !strncmp(s, "%END%", 5);
        if (*ours && *s && !ended) SF_TRY(row_read(r, line, &h, &d));
        if (titled == 1 && *s) reader_copy(r->out->title, sizeof r->out->title, s, strlen(s)), titled = 2;
        if (!titled && !strncmp(s, "%TITLE%", 7)) titled = 1;
        *ours |= !strncmp(s, "%RAW%", 5);
    }
    if (*ours && !ended) notes_add(&r->out->notes, "sounding: no line %%END%% behind the table; was the file cut off?");
    reader_dropped(r, &d);
    return 0;
}
