/* What leads the air at open sides: the times of its file, and their values where the model has them. See driver.h.
 * SPDX-License-Identifier: MIT */
#include "dynamics/driver.h"

#include "dynamics/forced.h"
#include "dynamics/initial_parts.h"
#include "pipeline/error.h"
#include "pipeline/feed.h"
#include "pipeline/uses.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static double time_of(const struct driver *x, int n) { return x->file->list.times[n] * x->unit; }

/* Times of the file rise from the start of the run on, and reach its end; one alone holds all along. */
static int times_check(const struct instance *in, struct dynamics_own *own)
{
    struct driver *const x = &own->driver;
    const struct filed_list *const list = &x->file->list;
    const double end = in->config->time_duration;
    SF_CHECK(!list->has_other_times, SF_INPUT, "'%s': its fields are of several times: let them have one dimension",
             list->path);
    x->times = list->has_time ? list->ntimes : 1;
    if (!list->has_time) return SF_OK;
    SF_CHECK(list->ntimes > 0, SF_INPUT,
             "'%s': its dimension of time has no coordinate: give a variable of its name, in s since the start",
             list->path);
    SF_TRY(forced_seconds_find(list, in->config->time_start, &x->unit));
    for (int n = 1; n < x->times; n++)
        SF_CHECK(time_of(x, n) > time_of(x, n - 1), SF_INPUT, "'%s': its times do not rise: %.10g s follows %.10g s",
                 list->path, time_of(x, n), time_of(x, n - 1));
    SF_CHECK(!(time_of(x, 0) > 0), SF_INPUT, "'%s': its times begin at %.10g s, after the start of the run", list->path,
             time_of(x, 0));
    SF_CHECK(
        x->times == 1 || !(time_of(x, x->times - 1) < end), SF_INPUT,
        "'%s': its times end at %.10g s, and the run at %.10g s: shorten the run (&time duration), or take a file of "
        "later times",
        list->path, time_of(x, x->times - 1), end);
    return SF_OK;
}

static int fields_check(const struct dynamics_own *own)
{
    static const char *const name[] = {"u", "v", "w", "temperature", "pressure", "vapour"};
    const struct driver *const x = &own->driver;
    for (int of = START_U; of <= (own->ctx.species ? START_Q : START_PI); of++)
        SF_CHECK(of == START_W || x->file->taken[of].field >= 0, SF_INPUT, "'%s' has no %s, which leads the sides",
                 x->file->list.path, name[of]);
    return SF_OK;
}

/* What goes with a file, but not as one thinks. */
static void companions_check(const struct instance *in, const struct dynamics_own *own)
{
    const struct dynamics_params *const p = &own->params;
    const struct dynamics *const d = &own->ctx;
    const int turns = d->f > R(0.0) || d->f < R(0.0) || own->map.projection.kind != PROJECTION_NONE;
    if (p->base.base_wind != WIND_CALM && turns)
        sf_complain_mildly(
            in->complaints, "base%wind driver%file", -1,
            "the Coriolis force acts on the wind less the base wind, whose gradient of pressure is not carried, and "
            "the file has all of its gradient: with the file of &driver let base%%wind be 'calm'");
    if (own->start && own->start->list.has_time && own->driver.times > 1 &&
        !strcmp(own->start->list.path, own->driver.file->list.path) &&
        fabs(own->start->list.time * own->driver.unit) > 0)
        sf_complain_mildly(
            in->complaints, "initial%file_time driver%file", -1,
            "the run begins with time %.10g of the file, and its sides with time 0: set initial%%file_time = 0",
            own->start->list.time);
    static const char *const idle[] = {"dynamics%open_relax_time", "dynamics%open_inflow_time",
                                       "boundary%tracer_inflow"};
    for (size_t n = 0; n < sizeof idle / sizeof *idle; n++) {
        char keys[64];
        snprintf(keys, sizeof keys, "%s driver%%file", idle[n]);
        if (param_is_set(&dynamics_model, p, idle[n], 0))
            sf_complain_mildly(in->complaints, keys, -1,
                               "%s changes nothing here: the file of &driver leads the air at open sides; leave it out",
                               idle[n]);
    }
}

/* Nothing else leads the wind at sides, and what enters is what the outermost cells have of the file. */
static void sides_lead(struct dynamics *d)
{
    d->led = 1, d->open_rate = d->open_inflow_rate = R(0.0);
    for (int m = 0; m < OPEN_CELLS; m++) d->open_in[m] = R(0.0);
}

int driver_make(const struct instance *in, struct dynamics_own *own, const char *dir)
{
    const struct dynamics_params *const p = &own->params;
    struct driver *const x = &own->driver;
    const struct dynamics *const d = &own->ctx;
    if (!p->driver_file[0]) return SF_OK;
    if (!d->open[FACE_W] && !d->open[FACE_E] && !d->open[FACE_S] && !d->open[FACE_N])
        sf_complain(
            in->complaints, "driver%file boundary%west", -1,
            "the file of &driver leads the air at open sides, and none is open: set &boundary west = 'open' and the "
            "others that it leads");
    if (d->translation[0] < 0 || d->translation[0] > 0 || d->translation[1] < 0 || d->translation[1] > 0)
        sf_complain(in->complaints, "driver%file grid%translation_u", -1,
                    "the file of &driver is of places, and this grid moves: leave translation_u and translation_v out");
    if (p->dynamics_hold_mass == HOLD_ON)
        sf_complain(in->complaints, "dynamics%hold_mass driver%file", -1,
                    "the file of &driver brings mass and takes it: leave hold_mass out");
    x->unit = 1;
    int rc = start_file_open(in, own, "driver", p->driver_file, -1, dir, &x->file);
    if (!rc) rc = times_check(in, own);
    if (!rc) rc = fields_check(own);
    if (!rc) companions_check(in, own);
    if (!rc) sides_lead(&own->ctx);
    if (rc != SF_INPUT) return rc;
    sf_complain_failure(in->complaints, "driver%file", -1, rc);
    return SF_NAMELIST;
}

void driver_free(struct driver *x) { start_file_free(&x->file); }

void driver_report(const struct instance *in, void (*line)(void *, const char *), void *to)
{
    const struct dynamics_own *const own = in->own;
    const struct driver *const x = &own->driver;
    const struct grid *const g = in->grid;
    char text[256];
    if (!x->file) return;
    if (x->times > 1)
        snprintf(text, sizeof text, "driver: %d times from %.10g to %.10g s lead %d rows at open sides", x->times,
                 time_of(x, 0), time_of(x, x->times - 1), own->params.driver_rows);
    else {
        const double far = in->config->time_duration * (own->base.figures.wind_max + own->expected_speed),
                     share = SF_MIN(1, 2 * far / SF_MIN(g->dx * g->nx, g->dy * g->ny));
        snprintf(
            text, sizeof text,
            "driver: one time leads %d rows at open sides all along; by the end the wind can have carried that %.0f km "
            "into the domain, %.0f %% of its narrower side",
            own->params.driver_rows, far / 1000, 100 * share);
    }
    line(to, text);
}

/* ---- how much ---------------------------------------------------------------------------------------------------- */

/* Of a place so many cells from the nearest side that is led. */
static double weight_of(const struct dynamics_params *p, double away)
{
    const double e = sfd_exp(-2 * away / p->driver_scale);
    return away < p->driver_rows ? 2 * e / (1 + e) : 0;
}

/* Of the centre of column i, j, or of a face of it: of its west (half 1 along x) or south. */
static double weight_at(const struct dynamics_own *own, int i, int j, int on_x, int on_y)
{
    const struct dynamics *const d = &own->ctx;
    const struct grid *const g = own->grid;
    const double x = i - 0.5 * on_x, y = j - 0.5 * on_y;
    double away = INFINITY;
    /* No wind blows through a wall, whatever the file has. */
    if (on_x && ((i == 0 && d->wall[FACE_W]) || (i == g->nx && d->wall[FACE_E]))) return 0;
    if (on_y && ((j == 0 && d->wall[FACE_S]) || (j == g->ny && d->wall[FACE_N]))) return 0;
    if (d->open[FACE_W]) away = SF_MIN(away, x);
    if (d->open[FACE_E]) away = SF_MIN(away, g->nx - 1 - x);
    if (d->open[FACE_S]) away = SF_MIN(away, y);
    if (d->open[FACE_N]) away = SF_MIN(away, g->ny - 1 - y);
    return weight_of(&own->params, SF_MAX(away, 0));
}

void driver_row(const struct dynamics_own *own, const struct slab *s, int j)
{
    if (!own->driver.file) return;
    for (int i = 0; i <= own->grid->nx; i++) {
        const ptrdiff_t at = (j - s->j0) * s->sm + i;
        s->f[F_TOWARD][at] = (real)weight_at(own, i, j, 0, 0);
        s->f[F_TOWARD_U][at] = (real)weight_at(own, i, j, 1, 0);
        s->f[F_TOWARD_V][at] = (real)weight_at(own, i, j, 0, 1);
    }
}

/* ---- levels in time ---------------------------------------------------------------------------------------------- */

/* A row of a field, or of theta' and pi', made when it is asked for. */
struct filler {
    const struct dynamics_own *own;
    struct start start;
    struct start_team team;
    int field, j; /* the row that is there; -1: none */
    real *row[2]; /* [nk][nx + 1] */
    int rc;
};
struct filled {
    struct filler *of;
    int which;
};

/* Balance makes theta' and pi' of a whole column; the others are what the file has. */
static int of_column(int field) { return field == F_DRIVER_TH; }

static enum start_of quantity_of(int field)
{
    return field == F_DRIVER_U ? START_U : field == F_DRIVER_V ? START_V : START_Q;
}

static start_quantities need_of(const struct start_file *s, int field)
{
    const start_quantities air = start_bit(START_THETA) | start_bit(START_PI);
    if (of_column(field)) return air | start_bit(START_Q) | start_bit(START_Q + 1) | start_bit(START_Q + 2);
    return start_bit((int)quantity_of(field)) |
           (field == F_DRIVER_QV && s->taken[START_Q].form == FORM_HUMIDITY ? air : 0);
}

static void column_fill(void *arg, struct start *s, int thread, int i)
{
    const struct filler *const f = arg;
    const struct grid *const g = f->own->grid;
    const double *value[2] = {s->spare, NULL};
    (void)thread;
    if (of_column(f->field)) {
        start_column(s, SF_MIN(i, g->nx - 1), f->j);
        value[0] = s->at.theta, value[1] = s->at.pi;
    } else {
        if (f->field == F_DRIVER_QV && s->rows.file->taken[START_Q].form == FORM_HUMIDITY)
            base_column_fill(&s->base, f->own, i, f->j);
        else if (f->field == F_DRIVER_QV) base_column_heights(&s->base, f->own, i, f->j);
        start_values(&s->rows, quantity_of(f->field), i, f->j, &s->base, &s->work, s->spare);
    }
    for (int n = 0; n < 2 && value[n]; n++)
        for (int k = 0; k < g->nz; k++) f->row[n][(ptrdiff_t)k * (g->nx + 1) + i] = (real)value[n][k];
}

/* Beyond the sides stands what is next to them. */
static real value_filled(const void *of, int j, int k, int i)
{
    const struct filled *const x = of;
    struct filler *const f = x->of;
    const struct grid *const g = f->own->grid;
    const int round = f->start.rows.file->periodic[0];
    const int row = SF_MIN(SF_MAX(j, 0), g->ny - (f->field != F_DRIVER_V)),
              column = round ? (i + g->nx) % g->nx : SF_MIN(SF_MAX(i, 0), g->nx),
              level = SF_MIN(SF_MAX(k, 0), g->nz - 1);
    if (f->rc) return 0;
    if (row != f->j) {
        f->j = row;
        f->rc = start_rows_need(&f->start.rows, row);
        if (!f->rc) start_team_row(&f->team, g->nx + 1, column_fill, f);
    }
    return f->row[x->which][(ptrdiff_t)level * (g->nx + 1) + column];
}

/* The last at or before a time, or the first one after it. */
static int level_find(const struct driver *x, int later, double *time)
{
    int n = 0;
    if (x->times < 2) {
        *time = later ? INFINITY : *time;
        return 0;
    }
    while (n + 1 < x->times && time_of(x, n + 1) <= *time) n++;
    const int is_last = n + 1 == x->times;
    if (later && !is_last) n++;
    *time = later && is_last ? INFINITY : time_of(x, n);
    return n;
}

static int level_read(const struct instance *in, const struct slab *to, const struct layout *l, int field, int n)
{
    const struct dynamics_own *const own = in->own;
    const struct driver *const x = &own->driver;
    for (int m = 0; m < x->file->list.n; m++)
        if (x->file->list.field[m].time >= 0) x->file->list.field[m].time = n;
    struct filler f = {.own = own, .field = field, .j = -1};
    const struct filled filled[2] = {{&f, 0}, {&f, 1}};
    const void *const of[2] = {&filled[0], &filled[1]};
    const size_t all = (size_t)own->grid->nz * (size_t)(own->grid->nx + 1);
    f.row[0] = malloc(2 * all * sizeof *f.row[0]);
    f.row[1] = f.row[0] ? f.row[0] + all : NULL;
    f.rc = f.row[0] ? start_open_plain(&f.start, own, x->file, need_of(x->file, field))
                    : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a row of '%s'", x->file->list.path);
    if (!f.rc) f.rc = start_team_open(&f.team, &f.start, SF_MAX(in->threads, 1));
    if (!f.rc) feed_fill_along(to, l, &in->field[field], field, of_column(field) ? 2 : 1, value_filled, of);
    start_team_close(&f.team);
    if (f.row[0]) start_close(&f.start);
    free(f.row[0]);
    return f.rc;
}

/* One after the other: the list of the file says which of its times is read. */
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

int driver_feed(const struct instance *in, const struct slab *to, const struct layout *l, int field, int later,
                double *time)
{
    const struct dynamics_own *const own = in->own;
    const int n = level_find(&own->driver, later, time);
    if (isinf(*time)) return SF_OK; /* the last one stays */
    pthread_mutex_lock(&reading);
    const int rc = level_read(in, to, l, field, n);
    pthread_mutex_unlock(&reading);
    return rc;
}
