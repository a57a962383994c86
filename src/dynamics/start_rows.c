/* Rows of a file that a start is made from, and what stands at a place of the model. SPDX-License-Identifier: MIT */
#include "dynamics/start.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_BYTES = 8 << 20 }; /* of all that is taken, unless one row is more */

enum { HEIGHTS = START_MOST }; /* behind all that is taken */

static int number_of(const struct start_file *s, int of) { return of == HEIGHTS ? s->height : s->taken[of].field; }

static const struct filed *field_of(const struct start_rows *r, int of)
{
    return number_of(r->file, of) < 0 ? NULL : &r->file->list.field[number_of(r->file, of)];
}

static size_t line_of(const struct filed *f)
{
    return (size_t)filed_count(f, FILED_Z) * (size_t)filed_count(f, FILED_X);
}

static int is_read(const struct start_rows *r, int of)
{
    return field_of(r, of) && (of == HEIGHTS || r->need & start_bit(of));
}

int start_rows_open(struct start_rows *r, const struct dynamics_own *own, const struct start_file *file,
                    start_quantities need)
{
    *r = (struct start_rows){.own = own, .file = file, .need = need};
    size_t all = 0, one = 0;
    if (!file) return SF_OK;
    for (int of = START_U; of <= HEIGHTS; of++) one += is_read(r, of) ? line_of(field_of(r, of)) : 0;
    const size_t fit = ROWS_BYTES / (one * sizeof(double));
    r->most = (int)SF_MIN(SF_MAX(fit, 3) - 2, (size_t)own->grid->ny + 1);
    all = one * ((size_t)r->most + 2);
    r->memory = malloc(all * sizeof *r->memory);
    SF_CHECK(r->memory, SF_MEMORY, "no memory for rows of '%s'", file->list.path);
    double *at = r->memory;
    for (int of = START_U; of <= HEIGHTS; of++) {
        if (!is_read(r, of)) continue;
        r->value[of] = at;
        at += line_of(field_of(r, of)) * ((size_t)r->most + 2);
    }
    return SF_OK;
}

void start_rows_close(struct start_rows *r)
{
    if (r->file && r->memory) r->file->read(&r->file->list, 0, 0, 0, NULL);
    free(r->memory);
}

/* The file's row that stands for row j: beyond a side the one at the other end, or the last. */
static int row_of(const struct start_file *s, const struct filed *f, int j)
{
    const int n = filed_count(f, FILED_Y);
    if (n == 1) return 0;
    if (j < 0) return s->periodic[1] ? n - 1 : 0;
    return j < n ? j : s->periodic[1] ? j - n : n - 1;
}

/* To m; levels of a column lie above each other. */
static int heights_convert(const struct start_rows *r, int row, double *value)
{
    const struct start_file *const s = r->file;
    const struct filed *const f = field_of(r, HEIGHTS);
    const int ni = filed_count(f, FILED_X), nk = filed_count(f, FILED_Z);
    for (ptrdiff_t m = 0; m < (ptrdiff_t)ni * nk; m++)
        if (s->height_scale != 1) value[m] *= s->height_scale;
    for (int i = 0; i < ni; i++)
        for (int k = 1; k < nk; k++) {
            const double *const z = value + i, up = z[ni] - z[0],
                                step = z[(ptrdiff_t)k * ni] - z[(ptrdiff_t)(k - 1) * ni];
            SF_CHECK(step * up > 0, SF_INPUT,
                     "'%s': %s goes neither up nor down throughout at y %d, x %d (from 0): %.10g m follows %.10g m",
                     s->list.path, f->name, row, i, z[(ptrdiff_t)k * ni], z[(ptrdiff_t)(k - 1) * ni]);
        }
    return SF_OK;
}

/* To the unit of the model, pressure as the Exner function; what no air can have is refused. */
static int row_convert(const struct start_rows *r, int of, int row, double *value)
{
    const struct start_file *const s = r->file;
    if (of == HEIGHTS) return heights_convert(r, row, value);
    const struct start_taken *const t = &s->taken[of];
    const struct filed *const f = field_of(r, of);
    const struct dynamics *const d = &r->own->ctx;
    const int ni = filed_count(f, FILED_X), is_positive = t->form != FORM_SELF && !(t->bound > 0);
    const size_t n = line_of(f);
    for (size_t m = 0; m < n; m++) {
        if (t->scale != 1 || t->offset != 0) value[m] = value[m] * t->scale + t->offset;
        SF_CHECK(!(is_positive && value[m] <= 0) && !(t->bound > 0 && (value[m] < 0 || value[m] >= t->bound)), SF_INPUT,
                 "'%s': no air has the %s that stands at z %d, y %d, x %d (from 0): %.6g%s", s->list.path, f->name,
                 (int)(m / (size_t)ni), row, (int)(m % (size_t)ni), value[m],
                 t->bound > 0 && value[m] >= t->bound
                     ? t->form == FORM_HUMIDITY ? "; are its units %?" : " kg/kg; are its units g kg-1?"
                     : "");
        if (t->form == FORM_PRESSURE) value[m] = sfd_pow(value[m] / d->p00, d->kappa);
    }
    return SF_OK;
}

static int rows_read(const struct start_rows *r, int of)
{
    const struct start_file *const s = r->file;
    const struct filed *const f = field_of(r, of);
    const size_t line = line_of(f);
    const int slots = f->n[FILED_Y] ? r->j1 - r->j0 + 2 : 1; /* from row j0 - 1 to j1 */
    for (int slot = 0, n; slot < slots; slot += n) { /* rows that follow each other in the file are read at once */
        const int first = row_of(s, f, r->j0 - 1 + slot);
        for (n = 1; slot + n < slots && row_of(s, f, r->j0 - 1 + slot + n) == first + n;) n++;
        double *const to = r->value[of] + line * (size_t)slot;
        SF_TRY(s->read(&s->list, number_of(s, of), first, first + n, to));
        for (int m = 0; m < n; m++) SF_TRY(row_convert(r, of, first + m, to + line * (size_t)m));
    }
    return SF_OK;
}

int start_rows_need(struct start_rows *r, int j)
{
    if (!r->file || (j >= r->j0 && j < r->j1)) return SF_OK;
    r->j0 = j, r->j1 = SF_MIN(j + r->most, r->own->grid->ny + 1);
    for (int of = START_U; of <= HEIGHTS; of++)
        if (is_read(r, of)) SF_TRY(rows_read(r, of));
    return SF_OK;
}

/* Where something stands in a column of the file: between two levels; the base state there, or at the outermost level
 * beyond which it is. */
struct place {
    int low, high;
    double share; /* of the second level; 0: the first, to the bit */
    double theta_0, pi_0;
};

/* A row of a variable, and which of its columns stands for column i. */
static const double *row_at(const struct start_rows *r, int of, int i, int j, int *column)
{
    const struct filed *const f = field_of(r, of);
    const int ni = filed_count(f, FILED_X), slot = f->n[FILED_Y] ? j - (r->j0 - 1) : 0;
    *column = ni == 1  ? 0
              : i < 0  ? (r->file->periodic[0] ? ni - 1 : 0)
              : i < ni ? i
                       : (r->file->periodic[0] ? i - ni : ni - 1);
    return r->value[of] + line_of(f) * (size_t)slot;
}

/* Height of level m of a variable over a column: its own, of columns, or of faces between two. */
static double height_of(const struct start_rows *r, const struct filed *f, int on_face, const int at[2], int m)
{
    if (r->file->height < 0) return f->at[FILED_Z][m];
    int a, b;
    const int ni = filed_count(field_of(r, HEIGHTS), FILED_X);
    const double *const here = row_at(r, HEIGHTS, at[0], at[1], &a) + (ptrdiff_t)m * ni;
    if (!on_face) return here[a];
    const int is_x = f->n[FILED_X] > 0 && on_face == 1;
    const double *const there = row_at(r, HEIGHTS, at[0] - is_x, at[1] - !is_x, &b) + (ptrdiff_t)m * ni;
    return (here[a] + there[b]) / 2;
}

/* Of a place at height z. on_face: 1 the variable lies on faces along x, 2 along y; is_departure: of theta or pressure.
 */
static struct place place_find(const struct start_rows *r, const struct filed *f, int on_face, int is_departure,
                               const int at[2], double z, double slack)
{
    const int n = filed_count(f, FILED_Z);
    const int up = n < 2 || height_of(r, f, on_face, at, 1) > height_of(r, f, on_face, at, 0), step = up ? 1 : -1;
    int low = 0, end = n; /* counted upward: the last that is no higher */
    while (low + 1 < end) {
        const int middle = low + (end - low) / 2;
        if (height_of(r, f, on_face, at, up ? middle : n - 1 - middle) <= z + slack) low = middle;
        else end = middle;
    }
    const int m = up ? low : n - 1 - low, next = low + 1 < n ? m + step : m;
    const double below = height_of(r, f, on_face, at, m), above = height_of(r, f, on_face, at, next);
    struct place p = {m, next, 0, 0, 0};
    const int is_beyond = fabs(below - z) > slack && (next == m || below > z);
    if (!is_beyond && fabs(below - z) > slack) p.share = (z - below) / (above - below);
    if (!is_departure) return p;
    const struct base_point base = base_air_at(&r->own->base, is_beyond ? below : z);
    p.theta_0 = base.theta, p.pi_0 = base.pi0;
    return p;
}

/* Of level k of the model at column i, j, of the file at column `at`. */
static struct place place_of(const struct start_rows *r, int of, int i, int j, int k, const int at[2])
{
    const struct start_file *const s = r->file;
    const struct start_taken *const t = &s->taken[of];
    if (!s->by_column) return (struct place){t->level[k][0], t->level[k][1], t->share[k], t->theta_0[k], t->pi_0[k]};
    const struct dynamics_own *const own = r->own;
    if (t->has_levels && of == START_W && k && filed_count(field_of(r, of), FILED_Z) == own->grid->nz)
        return (struct place){k - 1, k, 0.5, 0, 0}; /* a face between two centres */
    if (t->has_levels) {
        const struct base_point b = base_air_at(&own->base, terrain_z_c(own, i, j, k));
        return (struct place){k, k, 0, b.theta, b.pi0};
    }
    const double slack =
        1e-2 * start_slack * (own->grid->z_f[k + 1] - own->grid->z_f[k]); /* no level is the model's own */
    const int x = of == START_U, y = of == START_V;
    const double z = of == START_W ? terrain_z_f(own, i, j, k)
                     : x || y      ? (terrain_z_c(own, i - x, j - y, k) + terrain_z_c(own, i, j, k)) / 2
                                   : terrain_z_c(own, i, j, k);
    return place_find(r, field_of(r, of), t->on_face ? 1 + y : 0, of == START_THETA || of == START_PI, at, z, slack);
}

/* At column `at` of the file, where level k of the model at column i, j is. */
static double column_at(const struct start_rows *r, int of, const int at[2], const struct place *p)
{
    int column;
    const int ni = filed_count(field_of(r, of), FILED_X);
    const double *const row = row_at(r, of, at[0], at[1], &column);
    const double low = row[(ptrdiff_t)p->low * ni + column];
    if (!(p->share > 0)) return low;
    return low + p->share * (row[(ptrdiff_t)p->high * ni + column] - low);
}

static double wind_at(const struct start_rows *r, int of, int i, int j, int k)
{
    const struct start_file *const s = r->file;
    const struct start_taken *const t = &s->taken[of];
    const int x = of == START_U, y = of == START_V, is_mean = !t->on_face && field_of(r, of)->n[x ? FILED_X : FILED_Y];
    const double away = (x || y ? r->own->ctx.translation[y] : 0) - (t->on_face ? s->list.translation[y] : 0);
    double wind = 0;
    for (int n = 0; n <= ((x || y) && is_mean); n++) {
        const int at[2] = {i - x * n, j - y * n};
        const struct place p = place_of(r, of, i, j, k, at);
        wind = n ? (wind + column_at(r, of, at, &p)) / 2 : column_at(r, of, at, &p);
    }
    return away != 0 ? wind - away : wind;
}

/* Vapour of a relative humidity, at the temperature and pressure of the start there. */
static double vapour_of(const struct start_rows *r, double humidity, int i, int j, int k)
{
    const struct dynamics *const d = &r->own->ctx;
    const struct base_point b = base_air_at(&r->own->base, terrain_z_c(r->own, i, j, k));
    double theta = 0, pi = 0; /* less those of the base state */
    start_value(r, START_THETA, i, j, k, &theta);
    start_value(r, START_PI, i, j, k, &pi);
    pi += b.pi0;
    return humidity * vapour_saturated(&d->vapour, d->R, (b.theta + theta) * pi, d->p00 * sfd_pow(pi, 1 / d->kappa));
}

int start_value(const struct start_rows *r, enum start_of of, int i, int j, int k, double *x)
{
    if (!r->value[of]) return 0;
    const struct start_taken *const t = &r->file->taken[of];
    if (of <= START_W) {
        *x = wind_at(r, (int)of, i, j, k);
        return 1;
    }
    const int at[2] = {i, j}, which = (int)of;
    const struct place p = place_of(r, which, i, j, k, at);
    const double value = column_at(r, which, at, &p);
    double pi = 0; /* less that of the base state */
    switch (t->form) {
    case FORM_SELF:
        *x = value;
        break;
    case FORM_THETA:
        *x = value - p.theta_0;
        break;
    case FORM_TEMPERATURE:
        start_value(r, START_PI, i, j, k, &pi);
        *x = value / (p.pi_0 + pi) - p.theta_0;
        break;
    case FORM_PRESSURE:
        *x = value - p.pi_0;
        break;
    case FORM_SPECIFIC:
        *x = value / (1 - value);
        break;
    case FORM_HUMIDITY:
        *x = vapour_of(r, value, i, j, k);
        break;
    }
    return 1;
}
