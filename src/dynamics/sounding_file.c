/* Which format a file has, and slips of units that only the whole column gives away. SPDX-License-Identifier: MIT */
#include "dynamics/sounding_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* ---- units ---- */

static double temperature_of(const struct level *l, double p)
{
    return l->theta * sfd_pow(p / SOUNDING_P00, SOUNDING_R / SOUNDING_CP) - 273.15;
}

/* Mixing ratios in kg/kg where g/kg are expected: all are below 0.05, and 1000 times the largest is no more than
 * saturation. Taken for g/kg such air would be drier than 1/1000 of saturation. Where 1000 times is well above
 * saturation they are g/kg of very cold air. Between lies what cannot be known. */
static int moisture_check(struct reader *r)
{
    const struct level *most = NULL;
    for (int n = 0; n < r->n; n++)
        if (r->level[n].has & HAS_QV && (!most || r->level[n].qv > most->qv)) most = &r->level[n];
    if (r->qv_unit_is_told || !most || !(most->qv > 0) || most->qv > 0.05e-3) return 0;
    const double p = most->p > 0 ? most->p : r->out->surface_pressure > 0 ? r->out->surface_pressure : SOUNDING_P00;
    const double share = 1000 * most->qv / sounding_saturation(temperature_of(most, p), p);
    if (share > 2 || share < 0.01) return 0; /* or dry either way */
    SF_CHECK(
        share <= 1.1, SF_INPUT,
        "%s:%d: the largest mixing ratio, %g, may be g/kg or kg/kg: as kg/kg it would be %.0f %% of saturation; write g/kg",
        r->path, most->line, 1000 * most->qv, 100 * share);
    notes_add(
        &r->out->notes,
        "sounding: %s:%d: mixing ratios are taken as kg/kg: the largest, %g, is %.0f %% of saturation so, and %.2g %% as g/kg",
        r->path, most->line, 1000 * most->qv, 100 * share, 0.1 * share);
    for (int n = 0; n < r->n; n++) r->level[n].qv *= 1000;
    return 0;
}

/* Heights in another unit than m, beside pressures: the thickness by hydrostatic balance is to what they say as the
 * unit is to a metre. What is off by less than a tenth from a unit is told as that; what is off by more is left to the
 * check of balance. */
static void heights_check(struct reader *r)
{
    static const struct {
        double metres;
        const char *name;
    } unit[] = {{1000, "km"}, {0.3048, "feet"}, {10, "dam"}, {0.001, "mm"}};
    const struct level *low = NULL, *high = NULL;
    double thick = 0;
    for (int n = 0; n < r->n; n++) {
        if (!(r->level[n].p > 0)) return;
        if (!low || r->level[n].p > low->p) low = &r->level[n];
        if (!high || r->level[n].p < high->p) high = &r->level[n];
    }
    if (!low || !(high->p < 0.9 * low->p) || !(high->z > low->z)) return;
    const struct level *from = low;
    for (const struct level *to; from != high; from = to) { /* the next in pressure */
        to = high;
        for (int n = 0; n < r->n; n++)
            if (r->level[n].p < from->p && r->level[n].p > to->p) to = &r->level[n];
        thick += SOUNDING_R / SOUNDING_G *
                 (273.15 + 0.5 * (temperature_of(from, from->p) + temperature_of(to, to->p))) *
                 sfd_log(from->p / to->p);
    }
    const double ratio = thick / (high->z - low->z);
    for (size_t n = 0; n < sizeof unit / sizeof unit[0]; n++)
        if (fabs(ratio / unit[n].metres - 1) < 0.1) {
            notes_add(
                &r->out->notes,
                "sounding: %s:%d: heights are taken as %s: between %g and %g hPa hydrostatic balance asks for %.0f m, the file has %g",
                r->path, high->line, unit[n].name, low->p / 100, high->p / 100, thick, high->z - low->z);
            for (int m = 0; m < r->n; m++) r->level[m].z *= unit[n].metres;
            return;
        }
}

/* ---- formats ---- */

/* In this order: the first line of GSL's may begin with three numbers, as an input_sounding does; the listing takes any
 * line above its header for a title. */
static int (*const formats[])(struct reader *r, int *ours) = {sounding_gsl_read,   sounding_input_read,
                                                              sounding_igra_read,  sounding_sharppy_read,
                                                              sounding_table_read, sounding_listing_read};

int sounding_file_read(struct reader *r)
{
    SF_TRY(text_read(r));
    const size_t start = (size_t)(r->next - r->text), size = strlen(r->next) + 1;
    char *const copy = malloc(size);
    SF_CHECK(copy, SF_MEMORY, "%s: no memory for %zu bytes", r->path, size);
    memcpy(copy, r->next, size);
    int ours = 0, rc = 0; /* lines are cut in place: each format looks at a fresh copy */
    for (size_t n = 0; n < sizeof formats / sizeof formats[0] && !ours && !rc; n++) {
        memcpy(r->text + start, copy, size);
        r->next = r->text + start, r->line = 0, r->n = 0, r->qv_unit_is_told = 0, r->out->title[0] = '\0';
        rc = formats[n](r, &ours);
    }
    free(copy);
    SF_TRY(rc);
    SF_CHECK(
        ours, SF_INPUT,
        "%s: neither a University of Wyoming listing (a header line PRES HGHT TEMP ... above the table) or CSV (pressure_hPa,geopotential height_m,"
        "temperature_C,...), nor SHARPpy's (%%RAW%%), IGRA 2's (#ID ...) or GSL's RAOB (254 hour day month year), nor an input_sounding (first line: "
        "surface pressure in hPa, theta in K, qv in g/kg)",
        r->path);
    heights_check(r);
    return moisture_check(r);
}
