/* The divergence of columns at the start, and the wind that takes it out.
 *
 * Analysed winds bring columns of air mass, or take it away, faster than weather does: pressure on the ground would
 * change by several hPa an hour at first, and waves of sound and gravity carry that about for hours. Of a column with
 * the map factor m and a mass A over a square metre of each side, at which the wind of all levels sums up to a flux F,
 *
 *     d mass/dt = -m^2 (d/dx (F_x / m) + d/dy (F_y / m))
 *
 * Of all winds u', v' that are the same at all levels and make that 0, the one of the least sum of A (u'^2 + v'^2) /
 * m^2 is a gradient, u' = m dc/dx and v' = m dc/dy (Sasaki 1970), with
 *
 *     d/dx (A dc/dx) + d/dy (A dc/dy) = -(d/dx (F_x / m) + d/dy (F_y / m))
 *
 * discretely so on the faces of the columns. On a map of latitude and longitude, whose distances along y are true, the
 * first m is that along x: m d/dx F_x + m d/dy (F_y / m), u' = m dc/dx, v' = dc/dy. Beyond open sides c is 0, through
 * walls nothing passes. Rank 0 solves it for all columns, in double, so that the start has the same bits on every cut.
 * SPDX-License-Identifier: MIT
 */
#include "dynamics/initial_parts.h"

#include "dynamics/poisson.h"
#include "pipeline/comm.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a row of columns: mass on their western faces, which are one more, and on their southern ones, kg/m2; fluxes
 * there, kg/m/s. */
struct face_row {
    double *west, *flux_x, *south, *flux_y;
};

static size_t row_numbers(const struct grid *g) { return 4 * (size_t)g->nx + 2; }

static struct face_row face_row_at(const struct grid *g, double *rows, int n)
{
    double *const at = rows + row_numbers(g) * (size_t)n, *const south = at + 2 * ((size_t)g->nx + 1);
    return (struct face_row){at, at + g->nx + 1, south, south + g->nx};
}

struct columns {
    const struct dynamics_own *own;
    const struct slab *profiles, *air; /* air: of the state, whose theta', pi' and water become those of own columns */
    int extra_rows, extra_columns;
    struct start start;
    struct start_team team;
    double *mass[2]; /* [nx][nk], kg/m2 of each level: of even rows, and of odd ones */
};

static int is_open(const struct dynamics_own *own, int face) { return own->ctx.open[face]; }

/* Row j of columns; the row itself must have been asked for. */
struct mass_row {
    int j;
    double *mass; /* NULL: of the row beyond the last */
    const struct slab *air; /* NULL: the row is another rank's */
};

static void column_weigh(void *arg, struct start *s, int thread, int i)
{
    const struct mass_row *const r = arg;
    const int nk = s->own->grid->nz;
    (void)thread;
    start_column(s, i, r->j);
    if (r->air) start_air_put(s, r->air, i, r->j);
    for (int k = 0; k < nk && r->mass && i < s->own->grid->nx; k++)
        r->mass[(ptrdiff_t)i * nk + k] =
            start_density(s, k) * (terrain_z_f(s->own, i, r->j, k + 1) - terrain_z_f(s->own, i, r->j, k));
}

static void mass_fill(struct columns *c, int j, double *mass, const struct slab *air)
{
    struct mass_row r = {j, mass, air};
    start_team_row(&c->team, c->own->grid->nx + (air ? c->extra_columns : 0), column_weigh, &r);
}

/* Row j of faces: what is summed up there. */
struct flux_row {
    const struct columns *of;
    int j;
    const double *below, *here; /* mass of rows j - 1 and j of columns; NULL: beyond a side */
    struct face_row *to;
};

/* A face between two columns, of which one may lie beyond a side (NULL): the mean of what is there. */
static void face_sum(const struct flux_row *f, struct start *s, const double *a, const double *b, int along_y, int i,
                     double *mass, double *flux)
{
    double *const wind = s->spare;
    *mass = *flux = 0;
    start_winds(s, f->of->profiles, along_y, i, f->j, wind);
    for (int k = 0; k < f->of->own->grid->nz; k++) {
        const double here = a && b ? 0.5 * (a[k] + b[k]) : a ? a[k] : b[k];
        *mass += here;
        *flux += here * wind[k];
    }
}

/* The western and the southern face of column i. */
static void column_sum(void *arg, struct start *s, int thread, int i)
{
    const struct flux_row *const f = arg;
    const struct dynamics_own *const own = f->of->own;
    const struct grid *const g = own->grid;
    const int nk = g->nz, is_round = own->params.boundary_west == SIDE_PERIODIC;
    const int a = i ? i - 1 : is_round ? g->nx - 1 : -1, b = i < g->nx ? i : is_round ? 0 : -1;
    const double *const below = f->below, *const here = f->here;
    const int is_shut_x = (a < 0 && !is_open(own, FACE_W)) || (b < 0 && !is_open(own, FACE_E)),
              is_shut_y = (!below && !is_open(own, FACE_S)) || (!here && !is_open(own, FACE_N));
    (void)thread;
    if (here && !is_shut_x)
        face_sum(f, s, a < 0 ? NULL : here + (ptrdiff_t)a * nk, b < 0 ? NULL : here + (ptrdiff_t)b * nk, 0,
                 is_round ? b : i, &f->to->west[i], &f->to->flux_x[i]);
    if (i < g->nx && !is_shut_y)
        face_sum(f, s, below ? below + (ptrdiff_t)i * nk : NULL, here ? here + (ptrdiff_t)i * nk : NULL, 1, i,
                 &f->to->south[i], &f->to->flux_y[i]);
}

/* Rows ja .. jb - 1, and where they end with the domain's the faces north of them. */
static int rows_fill(struct columns *c, int ja, int jb, double *rows)
{
    const struct grid *const g = c->own->grid;
    const int is_round = c->own->params.boundary_south == SIDE_PERIODIC, first = is_round ? g->ny - 1 : -1,
              before = ja ? ja - 1 : first;
    if (before >= 0) {
        SF_TRY(start_rows_need(&c->start.rows, before));
        mass_fill(c, before, c->mass[(ja + 1) & 1], NULL);
    }
    for (int j = ja; j < jb + (jb == g->ny && !is_round); j++) {
        struct face_row to = face_row_at(g, rows, j - ja);
        double *const here = j < g->ny ? c->mass[j & 1] : NULL;
        SF_TRY(start_rows_need(&c->start.rows, j));
        if (here || c->extra_rows) mass_fill(c, j, here, c->air);
        struct flux_row f = {c, j, j > ja || before >= 0 ? c->mass[(j + 1) & 1] : NULL, here, &to};
        start_team_row(&c->team, g->nx + 1, column_sum, &f);
    }
    return SF_OK;
}

/* All rows of the domain, on rank 0, and behind them the faces north of the last. rows: NULL on the others. */
static int rows_gather(const struct instance *in, const struct state *st, double *rows)
{
    const struct dynamics_own *const own = in->own;
    const struct grid *const g = in->grid;
    const size_t row = row_numbers(g), line = (size_t)g->nx * (size_t)g->nz;
    const int mine = st->jb - st->ja + 1, is_round = own->params.boundary_south == SIDE_PERIODIC;
    struct columns c = {.own = own,
                        .profiles = &st->host.s,
                        .air = &st->host.s,
                        .extra_rows = start_rows_extra(in, st),
                        .extra_columns = start_columns_extra(in)};
    double *const own_rows = calloc(row * (size_t)mine, sizeof *own_rows);
    double *const mass = malloc(2 * line * sizeof *mass);
    size_t *const bytes = calloc((size_t)st->comm.size, sizeof *bytes);
    int rc =
        own_rows && mass && bytes ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the mass of columns");
    if (!rc) {
        rc = start_open(&c.start, own);
        c.mass[0] = mass, c.mass[1] = mass + line;
        if (!rc) rc = start_team_open(&c.team, &c.start, state_threads(st));
        if (!rc) rc = rows_fill(&c, st->ja, st->jb, own_rows);
        start_team_close(&c.team);
        start_close(&c.start);
    }
    rc = outcome_share(&st->comm, rc);
    for (int r = 0; r < st->comm.size && !rc; r++) {
        int ja, jb;
        comm_rows(&st->comm, g->ny, r, &ja, &jb);
        bytes[r] = row * (size_t)(jb - ja + (jb == g->ny && !is_round)) * sizeof *rows;
    }
    if (!rc) rc = comm_gather(&st->comm, own_rows, rows, bytes);
    if (!rc && rows && is_round) memcpy(rows + row * (size_t)g->ny, rows, row * sizeof *rows);
    free(bytes), free(mass), free(own_rows);
    return rc;
}

/* The map factor at a face, of distances along x or along y. */
static double factor_beside(const struct dynamics_own *own, int along_y, int i, int j, int of_y)
{
    const int is_true = own->map.projection.kind == PROJECTION_LATITUDE_LONGITUDE;
    return of_y && is_true ? 1 : map_factor_beside(own, along_y, i, j);
}

/* What a column loses, kg/m2/s over the product of both map factors. */
static double lost(const struct dynamics_own *own, double *rows, int i, int j)
{
    const struct grid *const g = own->grid;
    const struct face_row here = face_row_at(g, rows, j), north = face_row_at(g, rows, j + 1);
    const double x = here.flux_x[i + 1] / factor_beside(own, 0, i + 1, j, 1) -
                     here.flux_x[i] / factor_beside(own, 0, i, j, 1),
                 y = north.flux_y[i] / factor_beside(own, 1, i, j + 1, 0) -
                     here.flux_y[i] / factor_beside(own, 1, i, j, 0);
    return x / g->dx + y / g->dy;
}

static void push_fill(const struct dynamics_own *own, const struct poisson *p, const double *c, struct start_push *to)
{
    const struct grid *const g = own->grid;
    for (int j = 0; j <= g->ny; j++)
        for (int i = 0; i <= g->nx; i++) {
            const ptrdiff_t x = (ptrdiff_t)j * (g->nx + 1) + i, y = (ptrdiff_t)j * g->nx + i;
            if (j < g->ny && p->west[x] > 0)
                to->x[x] = factor_beside(own, 0, i, j, 0) *
                           (poisson_beyond(p, c, i, j) - poisson_beyond(p, c, i - 1, j)) / g->dx;
            if (i < g->nx && p->south[y] > 0)
                to->y[y] = factor_beside(own, 1, i, j, 1) *
                           (poisson_beyond(p, c, i, j) - poisson_beyond(p, c, i, j - 1)) / g->dy;
        }
}

/* Mean square and largest of so many numbers. */
struct spread {
    double square, most;
};
static struct spread spread_of(const double *a, ptrdiff_t n)
{
    struct spread x = {0, 0};
    for (ptrdiff_t m = 0; m < n; m++) x.square += a[m] * a[m] / (double)n, x.most = SF_MAX(x.most, fabs(a[m]));
    return x;
}

static void push_tell(const struct dynamics_own *own, double *tendency, const struct start_push *p)
{
    const struct grid *const g = own->grid;
    const ptrdiff_t n = (ptrdiff_t)g->nx * g->ny;
    const double to_hpa = own->ctx.g * 3600 / 100;
    for (ptrdiff_t m = 0; m < n; m++) {
        const int i = (int)(m % g->nx), j = (int)(m / g->nx);
        tendency[m] *= to_hpa * map_factor_at(own, i, j) * map_factor_y_at(own, i, j);
    }
    const struct spread before = spread_of(tendency, n), x = spread_of(p->x, n + g->ny), y = spread_of(p->y, n + g->nx);
    sf_note(
        "initial: the wind changes the pressure on the ground by %.1f hPa/h rms, %.1f at most; a wind of %.2g m/s rms, "
        "%.2g at most along an axis, the same at all levels, takes that out",
        sqrt(before.square), before.most, sqrt(x.square + y.square), SF_MAX(x.most, y.most));
}

void start_push_free(struct start_push *p)
{
    free(p->x);
    *p = (struct start_push){NULL, NULL};
}

/* The map factor across a face by that along it: 1 on maps that keep angles. */
static double stretched(const struct dynamics_own *own, int along_y, int i, int j)
{
    if (own->map.projection.kind != PROJECTION_LATITUDE_LONGITUDE) return 1;
    const double factor = map_factor_beside(own, along_y, i, j);
    return along_y ? 1 / factor : factor;
}

/* The wind of all columns. */
static int push_solve(const struct dynamics_own *own, double *rows, struct start_push *p)
{
    const struct grid *const g = own->grid;
    const ptrdiff_t n = (ptrdiff_t)g->nx * g->ny, west = n + g->ny, south = n + g->nx;
    double *const memory = malloc((size_t)(west + south + 2 * n) * sizeof *memory);
    SF_CHECK(memory, SF_MEMORY, "no memory for a wind of columns");
    double *const a = memory, *const b = a + west, *const right = b + south, *const c = right + n;
    const struct poisson q = {
        .ni = g->nx,
        .nj = g->ny,
        .periodic = {own->params.boundary_west == SIDE_PERIODIC, own->params.boundary_south == SIDE_PERIODIC},
        .west = a,
        .south = b};
    for (int j = 0; j <= g->ny; j++) {
        const struct face_row row = face_row_at(g, rows, j);
        for (int i = 0; i <= g->nx && j < g->ny; i++)
            a[(ptrdiff_t)j * (g->nx + 1) + i] = row.west[i] / (g->dx * g->dx) * stretched(own, 0, i, j);
        for (int i = 0; i < g->nx; i++)
            b[(ptrdiff_t)j * g->nx + i] = row.south[i] / (g->dy * g->dy) * stretched(own, 1, i, j);
    }
    for (ptrdiff_t m = 0; m < n; m++) right[m] = -lost(own, rows, (int)(m % g->nx), (int)(m / g->nx));
    int turns;
    const int rc = poisson_solve(&q, right, c, &turns);
    if (!rc) push_fill(own, &q, c, p), push_tell(own, right, p);
    free(memory);
    return rc;
}

int start_push_make(const struct instance *in, const struct state *st, struct start_push *p)
{
    const struct grid *const g = in->grid;
    const size_t west = ((size_t)g->nx + 1) * (size_t)g->ny, all = west + (size_t)g->nx * ((size_t)g->ny + 1);
    const int solves = st->comm.rank == 0;
    double *const rows = solves ? calloc(row_numbers(g) * ((size_t)g->ny + 1), sizeof *rows) : NULL;
    p->x = calloc(all, sizeof *p->x);
    const int has = p->x && (rows || !solves);
    int rc = outcome_share(&st->comm,
                           has ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a wind of columns"));
    if (!rc) {
        p->y = p->x + west;
        rc = rows_gather(in, st, rows);
    }
    if (!rc) rc = outcome_share(&st->comm, solves ? push_solve(in->own, rows, p) : SF_OK);
    if (!rc) rc = comm_bcast(&st->comm, p->x, all * sizeof *p->x);
    free(rows);
    return rc;
}
