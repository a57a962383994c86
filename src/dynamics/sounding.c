/* Soundings: from the raw levels of a file to a clean column, and where to find the file.
 *
 * levels_clean sorts and drops doubles, gaps_fill gives every level a wind and moisture, sounding_fill
 * derives the rest. Each decision becomes a note. SPDX-License-Identifier: MIT */
#include "dynamics/sounding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dynamics/sounding_file.h"
#include "pipeline/error.h"
#include "pipeline/sferic.h"

#if __has_include("version.h") /* the build's own: SF_DATADIR */
#include "version.h"
#endif

static const double same_height = 1.0; /* m; levels no further apart are one level */
static const double same_pressure = 50.0; /* m; 0.1 hPa, the resolution of a listing, is 30 m at 20 hPa */

void notes_add(struct notes *n, const char *fmt, ...)
{
    const size_t used = strlen(n->text);
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (used + strlen(line) + 2 <= sizeof n->text) snprintf(n->text + used, sizeof n->text - used, "%s\n", line);
}

void words_add(char *list, size_t size, const char *fmt, ...)
{
    const size_t used = strlen(list), at = used + (used ? 2 : 0);
    va_list ap;
    if (at >= size) return;
    memcpy(list + used, ", ", at - used);
    va_start(ap, fmt);
    vsnprintf(list + at, size - at, fmt, ap);
    va_end(ap);
}

void notes_append(struct notes *n, const struct notes *more)
{
    const size_t used = strlen(n->text);
    if (used + strlen(more->text) < sizeof n->text) strcpy(n->text + used, more->text);
}

void notes_print(const struct notes *n)
{
    for (const char *line = n->text; *line;) {
        const size_t length = strcspn(line, "\n");
        sf_note("%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

double sounding_virtual(double theta, double qv) { return theta * (1 + 0.61 * qv); }

double sounding_saturation(double t, double p)
{
    const double e = 611.2 * sfd_exp(17.67 * t / (t + 243.5));
    return e < 0.5 * p ? 0.622 * e / (p - e) : 0.622;
}

static int level_compare(const void *a, const void *b)
{
    const struct level *l = a, *m = b;
    if (l->z < m->z) return -1;
    if (l->z > m->z) return 1;
    return (l->line > m->line) - (l->line < m->line);
}

/* Sorts by height; of levels at the same height the first in the file stays, and takes the wind or the
 * moisture that it lacks from the other. */
static int levels_clean(struct reader *r)
{
    struct notes *notes = &r->out->notes;
    struct level *l = r->level;
    int sorted = 1, kept = 0, first_line = 0;
    for (int n = 1; n < r->n; n++) sorted &= l[n].z >= l[n - 1].z;
    if (!sorted) notes_add(notes, "sounding: levels stood out of order and were sorted by height");
    if (r->n) qsort(l, (size_t)r->n, sizeof *l, level_compare);
    for (int n = 0; n < r->n; n++) {
        struct level *below = kept ? &l[kept - 1] : NULL;
        const int equal_p = below && below->p > 0 && !(l[n].p < below->p) && !(l[n].p > below->p);
        if (below && (l[n].z - below->z <= same_height || (equal_p && l[n].z - below->z <= same_pressure))) {
            const unsigned gain = l[n].has & ~below->has;
            if (gain & HAS_WIND) below->u = l[n].u, below->v = l[n].v;
            if (gain & HAS_QV) below->qv = l[n].qv;
            below->has |= gain;
            if (!first_line) first_line = l[n].line;
            continue;
        }
        SF_CHECK(!below || below->p <= 0 || l[n].p < below->p, SF_INPUT,
                 "%s:%d: %.1f hPa at %.0f m, but %.1f hPa at %.0f m below (line %d): pressure must fall with "
                 "height; "
                 "correct or remove one of the two levels",
                 r->path, l[n].line, l[n].p / 100, l[n].z, below->p / 100, below->z, below->line);
        l[kept++] = l[n];
    }
    if (kept < r->n)
        notes_add(notes, "sounding: %d level(s) at the height or pressure of another dropped (line %d)", r->n - kept,
                  first_line);
    r->n = kept;
    SF_CHECK(kept >= 2, SF_INPUT,
             "%s: %d usable level%s; a sounding needs at least two with pressure, height and temperature", r->path,
             kept, kept == 1 ? "" : "s");
    return 0;
}

/* Fills what no instrument told: between levels linearly in height, at the ends from the nearest level;
 * moisture is none above the highest level that has it. */
static void gaps_fill(struct level *l, int n, unsigned what, const char *name, struct notes *notes)
{
    int below = -1, above = 0, inside = 0, bottom = 0, top = 0;
    for (int k = 0; k < n; k++) {
        if (l[k].has & what) {
            below = k;
            continue;
        }
        if (above <= k) above = k + 1;
        while (above < n && !(l[above].has & what)) above++;
        if (above == n && below < 0) {
            notes_add(notes, what == HAS_QV ? "sounding: no %s: dry" : "sounding: no %s: calm", name);
            return;
        }
        const int a = below < 0 ? above : below, b = above == n ? below : above;
        const double f = a == b ? 0 : (l[k].z - l[a].z) / (l[b].z - l[a].z);
        if (what == HAS_QV) {
            l[k].qv = above == n ? 0 : l[a].qv + f * (l[b].qv - l[a].qv);
        } else {
            l[k].u = l[a].u + f * (l[b].u - l[a].u);
            l[k].v = l[a].v + f * (l[b].v - l[a].v);
        }
        *(below < 0 ? &bottom : above == n ? &top : &inside) += 1;
    }
    if (inside) notes_add(notes, "sounding: %s interpolated in height at %d level(s)", name, inside);
    if (bottom)
        notes_add(notes, "sounding: %s of the lowest %d level(s) taken from the level above them", name, bottom);
    if (top)
        notes_add(notes, "sounding: %s missing from %.0f m up (%d level(s)): %s", name, l[n - top].z - l[0].z, top,
                  what == HAS_QV ? "dry there" : "constant there");
}

/* Arrays from the clean levels; heights above the lowest; hydrostatic pressure, as a check where the file has
 * its own. */
static int sounding_fill(struct reader *r)
{
    struct sounding *s = r->out;
    const struct level *l = r->level;
    const size_t n = (size_t)r->n;
    s->z = malloc(7 * n * sizeof *s->z);
    SF_CHECK(s->z, SF_MEMORY, "%s: no memory for %d sounding levels", r->path, r->n);
    s->pressure = s->z + n;
    s->theta = s->pressure + n;
    s->theta_v = s->theta + n;
    s->qv = s->theta_v + n;
    s->u = s->qv + n;
    s->v = s->u + n;
    s->n = r->n;
    s->elevation = l[0].z;
    if (l[0].p > 0) s->surface_pressure = l[0].p;
    double pi = sfd_pow(s->surface_pressure / SOUNDING_P00, SOUNDING_R / SOUNDING_CP), worst = 0;
    int worst_level = 0;
    for (int k = 0; k < s->n; k++) {
        s->z[k] = l[k].z - s->elevation;
        s->theta[k] = l[k].theta;
        s->qv[k] = l[k].qv;
        s->theta_v[k] = sounding_virtual(l[k].theta, l[k].qv);
        s->u[k] = l[k].u;
        s->v[k] = l[k].v;
        if (k) pi -= SOUNDING_G * (s->z[k] - s->z[k - 1]) / (SOUNDING_CP * 0.5 * (s->theta_v[k] + s->theta_v[k - 1]));
        SF_CHECK(pi > 0, SF_INPUT,
                 "%s:%d: air this cold has no pressure left at %.0f m; check heights (m) and potential "
                 "temperatures (K)",
                 r->path, l[k].line, s->z[k]);
        const double p = SOUNDING_P00 * sfd_pow(pi, SOUNDING_CP / SOUNDING_R);
        s->pressure[k] = l[k].p > 0 ? l[k].p : p;
        const double off = p > s->pressure[k] ? p / s->pressure[k] - 1 : s->pressure[k] / p - 1;
        if (off > worst) worst = off, worst_level = k;
    }
    if (worst > 0.03)
        notes_add(&s->notes,
                  "sounding: at %.0f m (line %d) the pressure is %.0f %% off hydrostatic balance; check "
                  "heights and "
                  "pressures",
                  s->z[worst_level], l[worst_level].line, 100 * worst);
    return 0;
}

static int reader_run(struct reader *r)
{
    SF_TRY(sounding_file_read(r));
    SF_TRY(levels_clean(r));
    gaps_fill(r->level, r->n, HAS_WIND, "wind", &r->out->notes);
    gaps_fill(r->level, r->n, HAS_QV, "moisture", &r->out->notes);
    return sounding_fill(r);
}

int sounding_read(const char *path, struct sounding *out)
{
    *out = (struct sounding){0};
    struct reader r = {.path = path, .out = out};
    const int rc = reader_run(&r);
    free(r.text);
    free(r.level);
    if (rc) sounding_free(out);
    return rc;
}

void sounding_free(struct sounding *s)
{
    free(s->z);
    *s = (struct sounding){0};
}

double sounding_line(int n, const double *heights, const double *values, double z)
{
    if (!(z > heights[0])) return values[0];
    if (z >= heights[n - 1]) return values[n - 1];
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (heights[middle] <= z) low = middle;
        else high = middle;
    }
    return values[low] + (z - heights[low]) / (heights[high] - heights[low]) * (values[high] - values[low]);
}

double sounding_value(const struct sounding *s, const double *column, double z)
{
    return sounding_line(s->n, s->z, column, z);
}

int sounding_find(const char *path, const char *namelist_dir, char *out, size_t size)
{
    SF_CHECK(path[0], SF_NAMELIST, "base%%sounding is empty; profile or wind 'sounding' needs the name of a file");
    return file_find("sounding file", path, namelist_dir, out, size);
}

int file_find(const char *what, const char *path, const char *namelist_dir, char *out, size_t size)
{
    const char *base = strrchr(path, '/');
    const char *const name = base ? base + 1 : path;
    const struct {
        const char *dir, *sub, *file;
    } place[] = {
        {namelist_dir ? namelist_dir : "", "/", path},
        {"", "", path},
#ifdef SF_DATADIR
        {SF_DATADIR, "/", path},
        {SF_DATADIR, "/soundings/", name},
#endif
    };
    (void)name;
    struct notes tried = {""};
    const int is_here = namelist_dir && !strcmp(namelist_dir, ".") && path[0] != '/'; /* both are one place */
    for (size_t n = 0; n < sizeof place / sizeof place[0]; n++) {
        if (place[n].sub[0] && (!place[n].dir[0] || path[0] == '/')) continue;
        if (is_here && !place[n].sub[0]) continue;
        const int length = snprintf(out, size, "%s%s%s", place[n].dir, place[n].sub, place[n].file);
        struct stat st;
        if (length >= 0 && (size_t)length < size && stat(out, &st) == 0) return 0;
        notes_add(&tried, "    %s%s%s", place[n].dir, place[n].sub, place[n].file);
    }
    out[0] = '\0';
    SF_FAIL(SF_INPUT, "%s '%s' not found; looked for (from the current directory)\n%s", what, path, tried.text);
}
