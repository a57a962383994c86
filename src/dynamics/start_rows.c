/* Rows of a file that a start is made from, and what stands at a place of the model. SPDX-License-Identifier: MIT */
#include "dynamics/start.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_BYTES = 8 << 20 }; /* of all that is taken, unless so many rows are more */
enum { ROWS_LEAST = 6 }; /* at a time: a row alone is many short pieces of the file */
enum { BESIDE = 2 }; /* rows behind those at a time: the ones before and after them */

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
    *r = (struct start_rows){.own = own, .file = file, .need = need, .threads = 1};
    size_t all = 0, one = 0;
    if (!file) return SF_OK;
    for (int of = START_U; of <= HEIGHTS; of++) one += is_read(r, of) ? line_of(field_of(r, of)) : 0;
    if (!one) { /* it has nothing that is needed */
        r->file = NULL;
        return SF_OK;
    }
    const size_t fit = ROWS_BYTES / (one * sizeof(double));
    r->most = (int)SF_MIN(SF_MAX(fit, ROWS_LEAST + BESIDE) - BESIDE, (size_t)own->grid->ny + 1);
    all = one * ((size_t)r->most + BESIDE);
    r->memory = malloc(all * sizeof *r->memory);
    SF_CHECK(r->memory, SF_MEMORY, "no memory for rows of '%s'", file->list.path);
    double *at = r->memory;
    for (int of = START_U; of <= HEIGHTS; of++) {
        if (!is_read(r, of)) continue;
        r->value[of] = at;
        at += line_of(field_of(r, of)) * ((size_t)r->most + BESIDE);
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

/* Can air have it? NaN stands for no bound. */
static int is_of_air(double x, double above, double least, double bound)
{
    return !(x <= above) && !(x < least) && !(x >= bound);
}

/* To the unit of the model; what no air can have is refused: rows that follow each other, of which `row` is the first.
 */
static int rows_convert(const struct start_rows *r, int of, int row, size_t rows, double *value)
{
    const struct start_file *const s = r->file;
    const struct start_taken *const t = &s->taken[of];
    const struct filed *const f = field_of(r, of);
    const size_t line = line_of(f), all = line * rows, ni = (size_t)filed_count(f, FILED_X);
    const double scale = t->scale, offset = t->offset;
    const int is_scaled = scale != 1 || offset != 0, is_bound = t->bound > 0;
    const double above = t->form != FORM_SELF && !is_bound ? 0 : NAN, least = is_bound ? 0 : NAN,
                 bound = is_bound ? t->bound : NAN;
    int wrong = 0;
#pragma omp parallel for schedule(static) num_threads(r->threads) reduction(| : wrong)
    for (size_t m = 0; m < all; m++) {
        if (is_scaled) value[m] = value[m] * scale + offset;
        wrong |= !is_of_air(value[m], above, least, bound);
    }
    for (size_t m = 0; m < all && wrong; m++) /* the first of them is told */
        SF_CHECK(is_of_air(value[m], above, least, bound), SF_INPUT,
                 "'%s': no air has the %s that stands at z %d, y %d, x %d (from 0): %.6g%s", s->list.path, f->name,
                 (int)(m % line / ni), row + (int)(m / line), (int)(m % ni), value[m],
                 is_bound && value[m] >= t->bound
                     ? t->form == FORM_HUMIDITY ? "; are its units %?" : " kg/kg; are its units g kg-1?"
                     : "");
    return SF_OK;
}

/* Pressure as the Exner function. */
static void pressure_convert(const struct start_rows *r, double *value, size_t n)
{
    const struct dynamics *const d = &r->own->ctx;
#pragma omp parallel for schedule(static) num_threads(r->threads)
    for (size_t m = 0; m < n; m++) value[m] = sfd_pow(value[m] / d->p00, d->kappa);
}

/* From slot `from` on, of which 0 is row j0 - 1. */
static int rows_read(const struct start_rows *r, int of, int from)
{
    const struct start_file *const s = r->file;
    const struct filed *const f = field_of(r, of);
    const size_t line = line_of(f);
    const int slots = f->n[FILED_Y] ? r->j1 - r->j0 + BESIDE : 1; /* up to row j1 */
    for (int slot = from, n; slot < slots; slot += n) { /* rows that follow each other in the file are read at once */
        const int first = row_of(s, f, r->j0 - 1 + slot);
        for (n = 1; slot + n < slots && row_of(s, f, r->j0 - 1 + slot + n) == first + n;) n++;
        double *const to = r->value[of] + line * (size_t)slot;
        SF_TRY(s->read(&s->list, number_of(s, of), first, first + n, to));
        for (int m = 0; m < n && of == HEIGHTS; m++) SF_TRY(heights_convert(r, first + m, to + line * (size_t)m));
        if (of != HEIGHTS) SF_TRY(rows_convert(r, of, first, (size_t)n, to));
        if (of != HEIGHTS && s->taken[of].form == FORM_PRESSURE) pressure_convert(r, to, line * (size_t)n);
    }
    return SF_OK;
}

/* The rows that row j wants, too, go to the front: how many these are. */
static int rows_keep(const struct start_rows *r, int of, int j)
{
    const size_t line = line_of(field_of(r, of));
    if (r->j1 <= r->j0 || j != r->j1) return 0;
    memmove(r->value[of], r->value[of] + line * (size_t)(r->j1 - r->j0), BESIDE * line * sizeof *r->value[of]);
    return BESIDE;
}

int start_rows_need(struct start_rows *r, int j)
{
    int kept[START_MOST + 1] = {0};
    if (!r->file || (j >= r->j0 && j < r->j1)) return SF_OK;
    const int is_first = r->j1 <= r->j0;
    for (int of = START_U; of <= HEIGHTS; of++)
        if (is_read(r, of) && field_of(r, of)->n[FILED_Y]) kept[of] = rows_keep(r, of, j);
    r->j0 = j, r->j1 = SF_MIN(j + r->most, r->own->grid->ny + 1);
    for (int of = START_U; of <= HEIGHTS; of++)
        if (is_read(r, of) && (is_first || field_of(r, of)->n[FILED_Y])) SF_TRY(rows_read(r, of, kept[of]));
    return SF_OK;
}

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

/* A level of the model in a column of the file: between two levels of it; the base state there, or at the outermost
 * level beyond which it is. */
struct start_place {
    int low, high;
    double share; /* of the second level; 0: the first, to the bit */
    double theta_0, pi_0; /* where the value is a departure from them */
};

int start_work_open(struct start_work *w, int nk)
{
    w->place = malloc((size_t)nk * (sizeof *w->place + 2 * sizeof *w->theta));
    SF_CHECK(w->place, SF_MEMORY, "no memory for a column of a file");
    w->theta = (double *)(void *)(w->place + nk), w->pi = w->theta + nk, w->like = -1;
    return SF_OK;
}

void start_work_close(struct start_work *w) { free(w->place); }

/* Height of level k of the model where the quantity stands. base: of column i, j; winds need none. */
static double level_height(const struct start_rows *r, int of, int i, int j, int k, const struct base_column *base)
{
    const struct dynamics_own *const own = r->own;
    const int x = of == START_U, y = of == START_V;
    return of == START_W ? base->z_f[k]
           : x || y      ? (terrain_z_c(own, i - x, j - y, k) + terrain_z_c(own, i, j, k)) / 2
                         : base->z[k];
}

/* Of level m counted upward. */
static double height_up(const struct start_rows *r, const struct filed *f, int on_face, const int at[2], int up, int m)
{
    return height_of(r, f, on_face, at, up ? m : filed_count(f, FILED_Z) - 1 - m);
}

/* All levels in column `at` of the file, from the lowest on: each is looked for from where the one below was found. */
static void places_find(const struct start_rows *r, int of, int i, int j, const int at[2],
                        const struct base_column *base, struct start_place *place)
{
    const struct grid *const g = r->own->grid;
    const struct start_taken *const t = &r->file->taken[of];
    const struct filed *const f = &r->file->list.field[t->field];
    const int on_face = t->on_face ? 1 + (of == START_V) : 0, is_departure = of == START_THETA || of == START_PI,
              n = filed_count(f, FILED_Z);
    const int up = n < 2 || height_of(r, f, on_face, at, 1) > height_of(r, f, on_face, at, 0), step = up ? 1 : -1;
    for (int k = 0, low = 0; k < g->nz; k++) { /* low is counted upward: the last that is no higher */
        const double z = level_height(r, of, i, j, k, base),
                     slack = 1e-2 * start_slack * (g->z_f[k + 1] - g->z_f[k]); /* no level is the model's own */
        while (low > 0 && height_up(r, f, on_face, at, up, low) > z + slack) low--;
        while (low + 1 < n && height_up(r, f, on_face, at, up, low + 1) <= z + slack) low++;
        const int m = up ? low : n - 1 - low, next = low + 1 < n ? m + step : m;
        const double below = height_of(r, f, on_face, at, m), above = height_of(r, f, on_face, at, next);
        struct start_place p = {m, next, 0, 0, 0};
        const int is_beyond = fabs(below - z) > slack && (next == m || below > z);
        if (!is_beyond && fabs(below - z) > slack) p.share = (z - below) / (above - below);
        if (is_departure && is_beyond) {
            const struct base_point b = base_air_at(&r->own->base, below);
            p.theta_0 = b.theta, p.pi_0 = b.pi0;
        } else if (is_departure) p.theta_0 = base->theta[k], p.pi_0 = base->pi0[k];
        place[k] = p;
    }
}

/* Where the levels of the model at column i, j are in column `at` of the file. */
static void places_of(const struct start_rows *r, int of, int i, int j, const int at[2], const struct base_column *base,
                      struct start_place *place)
{
    const struct start_file *const s = r->file;
    const struct start_taken *const t = &s->taken[of];
    const int nk = r->own->grid->nz;
    if (s->by_column && !t->has_levels) {
        places_find(r, of, i, j, at, base, place);
        return;
    }
    const int is_between =
        of == START_W && filed_count(&s->list.field[t->field], FILED_Z) == nk; /* a face between two centres */
    const int is_departure = of == START_THETA || of == START_PI;
    for (int k = 0; k < nk; k++)
        if (!s->by_column)
            place[k] = (struct start_place){t->level[k][0], t->level[k][1], t->share[k], t->theta_0[k], t->pi_0[k]};
        else if (is_between && k) place[k] = (struct start_place){k - 1, k, 0.5, 0, 0};
        else
            place[k] =
                (struct start_place){k, k, 0, is_departure ? base->theta[k] : 0, is_departure ? base->pi0[k] : 0};
}

/* The same at the centres of column i, j in w->place, unless a quantity whose levels lie there has left them. */
static void places_need(const struct start_rows *r, int of, int i, int j, const struct base_column *base,
                        struct start_work *w)
{
    const int at[2] = {i, j}, like = r->file->taken[of].like, wants_base = of == START_THETA || of == START_PI;
    if (r->file->by_column && w->like == like && w->at[0] == i && w->at[1] == j && w->has_base >= wants_base) return;
    places_of(r, of, i, j, at, base, w->place);
    w->like = like, w->at[0] = i, w->at[1] = j, w->has_base = wants_base;
}

/* Level k of the model in column `at` of the file. */
static void column_take(const struct start_rows *r, int of, const int at[2], const struct start_place *place, double *x)
{
    int column;
    const int ni = filed_count(field_of(r, of), FILED_X);
    const double *const row = row_at(r, of, at[0], at[1], &column);
    for (int k = 0; k < r->own->grid->nz; k++) {
        const struct start_place *const p = &place[k];
        x[k] = row[(ptrdiff_t)p->low * ni + column];
        if (p->share > 0) x[k] += p->share * (row[(ptrdiff_t)p->high * ni + column] - x[k]);
    }
}

/* other: memory of a column. */
static void wind_take(const struct start_rows *r, int of, int i, int j, const struct base_column *base,
                      struct start_place *place, double *other, double *wind)
{
    const struct start_file *const s = r->file;
    const struct start_taken *const t = &s->taken[of];
    const int nk = r->own->grid->nz;
    const int x = of == START_U, y = of == START_V, is_mean = !t->on_face && field_of(r, of)->n[x ? FILED_X : FILED_Y];
    const double away = (x || y ? r->own->ctx.translation[y] : 0) - (t->on_face ? s->list.translation[y] : 0);
    const int here[2] = {i, j}, beside[2] = {i - x, j - y};
    places_of(r, of, i, j, here, base, place);
    column_take(r, of, here, place, wind);
    if ((x || y) && is_mean) {
        if (s->height >= 0) places_of(r, of, i, j, beside, base, place); /* levels lie elsewhere there */
        column_take(r, of, beside, place, other);
        for (int k = 0; k < nk; k++) wind[k] = (wind[k] + other[k]) / 2;
    }
    for (int k = 0; k < nk && away != 0; k++) wind[k] -= away;
}

/* theta' and pi' of the file, 0 where it has none. */
static void air_take(const struct start_rows *r, int i, int j, const struct base_column *base, struct start_work *w)
{
    const size_t bytes = (size_t)r->own->grid->nz * sizeof *w->theta;
    if (!start_values(r, START_THETA, i, j, base, w, w->theta)) memset(w->theta, 0, bytes);
    if (!start_values(r, START_PI, i, j, base, w, w->pi)) memset(w->pi, 0, bytes);
}

/* Vapour of a relative humidity, at the temperature and pressure of the start there. */
static double vapour_of(const struct dynamics *d, const struct base_column *b, const struct start_work *w,
                        double humidity, int k)
{
    const double pi = w->pi[k] + b->pi0[k];
    return humidity *
           vapour_saturated(&d->vapour, d->R, (b->theta[k] + w->theta[k]) * pi, d->p00 * sfd_pow(pi, 1 / d->kappa));
}

int start_values(const struct start_rows *r, enum start_of of, int i, int j, const struct base_column *base,
                 struct start_work *w, double *x)
{
    if (!r->value[of]) return 0;
    const enum start_form form = r->file->taken[of].form;
    const struct start_place *const p = w->place;
    const int nk = r->own->grid->nz, at[2] = {i, j}, which = (int)of;
    if (of <= START_W) {
        w->like = -1;
        wind_take(r, which, i, j, base, w->place, w->theta, x);
        return 1;
    }
    if (form == FORM_HUMIDITY) air_take(r, i, j, base, w);
    if (form == FORM_TEMPERATURE && !start_values(r, START_PI, i, j, base, w, w->pi))
        memset(w->pi, 0, (size_t)nk * sizeof *w->pi);
    places_need(r, which, i, j, base, w);
    column_take(r, which, at, p, x);
    for (int k = 0; k < nk; k++) switch (form) {
        case FORM_SELF:
            break;
        case FORM_THETA:
            x[k] -= p[k].theta_0;
            break;
        case FORM_TEMPERATURE:
            x[k] = x[k] / (p[k].pi_0 + w->pi[k]) - p[k].theta_0;
            break;
        case FORM_PRESSURE:
            x[k] -= p[k].pi_0;
            break;
        case FORM_SPECIFIC:
            x[k] = x[k] / (1 - x[k]);
            break;
        case FORM_HUMIDITY:
            x[k] = vapour_of(&r->own->ctx, base, w, x[k], k);
            break;
        }
    return 1;
}
