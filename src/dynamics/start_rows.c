/* Rows of a file that a start is made from, and what stands at a place of the model. SPDX-License-Identifier: MIT */
#include "dynamics/start.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_BYTES = 8 << 20 }; /* of all that is taken, unless one row is more */

static const struct filed *field_of(const struct start_rows *r, enum start_of of)
{
    const struct start_file *const s = r->own->start;
    return s->taken[of].field < 0 ? NULL : &s->list.field[s->taken[of].field];
}

static size_t line_of(const struct filed *f)
{
    return (size_t)filed_count(f, FILED_Z) * (size_t)filed_count(f, FILED_X);
}

int start_rows_open(struct start_rows *r, const struct dynamics_own *own)
{
    *r = (struct start_rows){.own = own, .j0 = 0, .j1 = 0};
    size_t all = 0, one = 0;
    if (!own->start) return SF_OK;
    for (enum start_of of = START_U; of < START_MOST; of++) one += field_of(r, of) ? line_of(field_of(r, of)) : 0;
    const size_t fit = ROWS_BYTES / (one * sizeof(double));
    r->most = (int)SF_MIN(SF_MAX(fit, 2) - 1, (size_t)own->grid->ny + 1);
    all = one * ((size_t)r->most + 1);
    r->memory = malloc(all * sizeof *r->memory);
    SF_CHECK(r->memory, SF_MEMORY, "no memory for rows of '%s'", own->start->list.path);
    double *at = r->memory;
    for (enum start_of of = START_U; of < START_MOST; of++) {
        if (!field_of(r, of)) continue;
        r->value[of] = at;
        at += line_of(field_of(r, of)) * ((size_t)r->most + 1);
    }
    return SF_OK;
}

void start_rows_close(struct start_rows *r) { free(r->memory); }

/* The file's row that stands for row j: beyond a side the one at the other end, or the last. */
static int row_of(const struct start_file *s, const struct filed *f, int j)
{
    const int n = filed_count(f, FILED_Y);
    if (n == 1) return 0;
    if (j < 0) return s->periodic[1] ? n - 1 : 0;
    return j < n ? j : s->periodic[1] ? j - n : n - 1;
}

/* To the unit of the model, pressure as the Exner function; what no air can have is refused. */
static int row_convert(const struct start_rows *r, enum start_of of, int row, double *value)
{
    const struct start_file *const s = r->own->start;
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

static int rows_read(const struct start_rows *r, enum start_of of)
{
    const struct start_file *const s = r->own->start;
    const struct filed *const f = field_of(r, of);
    const size_t line = line_of(f);
    const int slots = f->n[FILED_Y] ? r->j1 - r->j0 + 1 : 1; /* the first is that of row j0 - 1 */
    for (int slot = 0, n; slot < slots; slot += n) { /* rows that follow each other in the file are read at once */
        const int first = row_of(s, f, r->j0 - 1 + slot);
        for (n = 1; slot + n < slots && row_of(s, f, r->j0 - 1 + slot + n) == first + n;) n++;
        double *const to = r->value[of] + line * (size_t)slot;
        SF_TRY(s->read(&s->list, s->taken[of].field, first, first + n, to));
        for (int m = 0; m < n; m++) SF_TRY(row_convert(r, of, first + m, to + line * (size_t)m));
    }
    return SF_OK;
}

int start_rows_need(struct start_rows *r, int j)
{
    if (!r->own->start || (j >= r->j0 && j < r->j1)) return SF_OK;
    r->j0 = j, r->j1 = SF_MIN(j + r->most, r->own->grid->ny + 1);
    for (enum start_of of = START_U; of < START_MOST; of++)
        if (field_of(r, of)) SF_TRY(rows_read(r, of));
    return SF_OK;
}

/* At a column of the file in row j, at the height of level k. */
static double column_at(const struct start_rows *r, enum start_of of, int i, int j, int k)
{
    const struct start_taken *const t = &r->own->start->taken[of];
    const struct filed *const f = field_of(r, of);
    const int ni = filed_count(f, FILED_X), slot = f->n[FILED_Y] ? j - (r->j0 - 1) : 0;
    const double *const row = r->value[of] + line_of(f) * (size_t)slot;
    const int column = ni == 1 ? 0 : i < 0 ? (r->own->start->periodic[0] ? ni - 1 : 0) : i < ni ? i : ni - 1;
    const double low = row[(ptrdiff_t)t->level[k][0] * ni + column];
    if (!(t->share[k] > 0)) return low;
    return low + t->share[k] * (row[(ptrdiff_t)t->level[k][1] * ni + column] - low);
}

static double wind_at(const struct start_rows *r, enum start_of of, int i, int j, int k)
{
    const struct start_file *const s = r->own->start;
    const struct start_taken *const t = &s->taken[of];
    const int x = of == START_U, y = of == START_V, is_mean = !t->on_face && field_of(r, of)->n[x ? FILED_X : FILED_Y];
    const double away = (x || y ? r->own->ctx.translation[y] : 0) - (t->on_face ? s->list.translation[y] : 0);
    double wind = column_at(r, of, i, j, k);
    if ((x || y) && is_mean) wind = (wind + column_at(r, of, i - x, j - y, k)) / 2;
    return away != 0 ? wind - away : wind;
}

/* Vapour of a relative humidity, at the temperature and pressure of the start there. */
static double vapour_of(const struct start_rows *r, double humidity, int i, int j, int k)
{
    const struct base_state *const b = &r->own->base;
    const struct dynamics *const d = &r->own->ctx;
    double theta = 0, pi = 0; /* less those of the base state */
    start_value(r, START_THETA, i, j, k, &theta);
    start_value(r, START_PI, i, j, k, &pi);
    pi += b->pi0[k];
    return humidity *
           vapour_saturated(&d->vapour, d->R, (b->theta[k] + theta) * pi, d->p00 * sfd_pow(pi, 1 / d->kappa));
}

int start_value(const struct start_rows *r, enum start_of of, int i, int j, int k, double *x)
{
    if (!start_has(r->own, of)) return 0;
    const struct start_taken *const t = &r->own->start->taken[of];
    if (of <= START_W) {
        *x = wind_at(r, of, i, j, k);
        return 1;
    }
    const double value = column_at(r, of, i, j, k);
    double pi = 0; /* less that of the base state */
    switch (t->form) {
    case FORM_SELF:
        *x = value;
        break;
    case FORM_THETA:
        *x = value - t->theta_0[k];
        break;
    case FORM_TEMPERATURE:
        start_value(r, START_PI, i, j, k, &pi);
        *x = value / (t->pi_0[k] + pi) - t->theta_0[k];
        break;
    case FORM_PRESSURE:
        *x = value - t->pi_0[k];
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
