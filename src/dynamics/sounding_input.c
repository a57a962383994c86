/* The input_sounding of WRF and CM1: a line of the surface, then height, theta, qv, u, v.
 * SPDX-License-Identifier: MIT */
#include "dynamics/sounding_parts.h"

#include <string.h>

/* Heights that end below 100 are of a column of less than 100 m, or told in km. No air is so stable that theta rises by
 * 0.1 K a metre over a whole column; in km that is 0.1 K a kilometre, which all air above the boundary layer exceeds.
 * Between lies what cannot be known. */
static int heights_check(struct reader *r)
{
    const struct level *const low = r->level, *const high = &r->level[r->n - 1];
    const double top = high->z, rise = high->theta - low->theta;
    if (r->n < 3 || top >= 100 || top <= 0) return 0;
    SF_CHECK(rise >= 0.1 * top, SF_INPUT,
             "%s:%d: heights end at %g: m, or km? theta rises by %g K, which fits both; write heights in m", r->path,
             high->line, top, rise);
    notes_add(&r->out->notes, "sounding: %s:%d: heights are taken as km: in m theta would rise by %.0f K on %g m",
              r->path, high->line, rise, top);
    for (int n = 0; n < r->n; n++) r->level[n].z *= 1000;
    return 0;
}

static int input_read(struct reader *r, const double *surface)
{
    double hpa = surface[0];
    if (hpa >= 30000 && hpa <= 110000) { /* no pressure in hPa, and one of a surface in Pa */
        notes_add(&r->out->notes, "sounding: %s:%d: the surface pressure %g is taken as Pa, %g hPa", r->path, r->line,
                  hpa, hpa / 100);
        hpa /= 100;
    }
    SF_TRY(reader_range(r, "surface pressure", hpa, 10, 1100, "hPa"));
    SF_TRY(reader_range(r, "surface theta", surface[1], 100, 1000, "K"));
    SF_TRY(reader_range(r, "surface qv", surface[2], 0, 100, "g/kg"));
    r->out->surface_pressure = 100 * hpa;
    struct level l = {.theta = surface[1], .qv = surface[2] / 1000, .line = r->line, .has = HAS_QV};
    SF_TRY(reader_level(r, &l));
    int missing = 0, missing_line = 0;
    for (char *line; (line = reader_line(r));) {
        if (!*reader_skip_blanks(line)) continue;
        double x[6];
        SF_CHECK(reader_numbers(line, x, 6) == 5, SF_INPUT,
                 "%s:%d: expected five numbers: height (m), theta (K), qv (g/kg), u, v (m/s)", r->path, r->line);
        SF_TRY(reader_range(r, "height", x[0], 0, 1e5, "m"));
        SF_TRY(reader_range(r, "theta", x[1], 100, 20000, "K"));
        SF_TRY(reader_range(r, "qv", x[2], 0, 100, "g/kg"));
        const int blows = !reader_is_missing(x[3], 300) && !reader_is_missing(x[4], 300);
        if (!blows) x[3] = x[4] = 0;
        if (!blows && !missing++) missing_line = r->line;
        SF_TRY(reader_range(r, "u", x[3], -300, 300, "m/s"));
        SF_TRY(reader_range(r, "v", x[4], -300, 300, "m/s"));
        l = (struct level){.z = x[0],
                           .theta = x[1],
                           .qv = x[2] / 1000,
                           .u = x[3],
                           .v = x[4],
                           .line = r->line,
                           .has = blows ? HAS_QV | HAS_WIND : HAS_QV};
        SF_TRY(reader_level(r, &l));
    }
    if (missing)
        notes_add(&r->out->notes, "sounding: no wind at %d level(s) (line %d): it is told as missing", missing,
                  missing_line);
    return heights_check(r);
}

int sounding_input_read(struct reader *r, int *ours)
{
    double surface[4];
    const char *first = reader_skip_blanks(r->next + strspn(r->next, " \t\r\n"));
    if (!reader_is_digit(*first)) return 0;
    char line[256];
    reader_copy(line, sizeof line, first, strcspn(first, "\r\n"));
    *ours = reader_numbers(line, surface, 4) == 3;
    if (!*ours) return 0;
    for (char *l; (l = reader_line(r)) && !*reader_skip_blanks(l);) continue;
    return input_read(r, surface);
}
