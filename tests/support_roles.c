/* Draws cases of the model of roles, and works out what they must give. SPDX-License-Identifier: MIT */
#include "support_roles.h"

#include "support_program.h"
#include "io/restart.h"
#include "pipeline/error.h"
#include "pipeline/feed.h"
#include "pipeline/outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PARTS = 5, OPS = 4, PATH = 512 };

/* A run: parts of so many steps of one length, and behind one of them the checkpoint. */
struct roles {
    struct config config;
    struct grid grid;
    struct model model;
    struct instance in;
    struct op op[OPS];
    unsigned seed;
    int part[PARTS], nparts, kept_after;
    double dt[PARTS];
    double between; /* s from one level in time to the next, more or less */
    int nlevels; /* from level 0 on; the last stays */
};

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}
static int between(unsigned *state, int low, int high) { return low + (int)(draw(state) % (unsigned)(high - low + 1)); }

/* ---- the case ---------------------------------------------------------------------------------------------------- */

/* Some sides of the temperature are given, others have a gradient. */
static void sides_make(struct roles *p, unsigned *r)
{
    static const enum ghost rule[FACES] = {GHOST_GIVEN, GHOST_FLUX, GHOST_GIVEN, GHOST_FLUX, GHOST_FLUX, GHOST_GIVEN};
    static const int from[FACES] = {ROLES_WEST, ROLES_SUN, ROLES_SOUTH, ROLES_FLUX, ROLES_FLUX, ROLES_FORCE};
    struct field *const t = &p->in.field[ROLES_TEMP];
    for (int face = 0; face < FACES; face++) {
        if (t->ghost[face] == GHOST_PERIODIC || between(r, 0, 1)) continue;
        t->ghost[face] = rule[face];
        t->beyond[face] = from[face];
    }
    if (t->ghost[FACE_T] == GHOST_GIVEN && between(r, 0, 1))
        t->ghost[FACE_T] = GHOST_FLUX, t->beyond[FACE_T] = ROLES_SUN;
}

static void sides_draw(struct roles *p, unsigned *r)
{
    static const enum ghost rules[] = {GHOST_EVEN, GHOST_ODD, GHOST_OPEN};
    const int round[3] = {between(r, 0, 1), between(r, 0, 1), 0};
    for (int f = 0; f < p->in.nfields; f++)
        for (int face = 0; face < FACES; face++)
            p->in.field[f].ghost[face] = round[face / 2] ? GHOST_PERIODIC : rules[between(r, 0, 2)];
    if (between(r, 0, 2)) sides_make(p, r);
}

static int roles_feed(const struct instance *in, const struct slab *to, const struct layout *l, int f, int later,
                      double *time);

static void roles_make(struct roles *p, unsigned seed)
{
    static const struct field fields[ROLES_FIELDS] = {
        [ROLES_RAIN] = {.name = "rain", .role = ROLE_PROGNOSTIC, .shape = SHAPE_MAP, .banks = 1},
        [ROLES_TEMP] = {.name = "temp", .role = ROLE_PROGNOSTIC, .banks = 2},
        [ROLES_HEAT] = {.name = "heat", .role = ROLE_KEPT, .banks = 1},
        [ROLES_GROUND] = {.name = "ground", .role = ROLE_KEPT, .shape = SHAPE_MAP, .banks = 1},
        [ROLES_FLUX] = {.name = "flux", .role = ROLE_KEPT, .shape = SHAPE_MAP, .banks = 1},
        [ROLES_FORCE] = {.name = "force", .role = ROLE_FED, .banks = 1},
        [ROLES_SUN] = {.name = "sun", .role = ROLE_FED, .shape = SHAPE_MAP, .banks = 1},
        [ROLES_WEST] = {.name = "west", .role = ROLE_FED, .shape = SHAPE_BOX, .banks = 1},
        [ROLES_SOUTH] = {.name = "south", .role = ROLE_FED, .shape = SHAPE_BOX, .banks = 1}};
    static const double periods[] = {0, 0.125, 0.3, 0.5, 0.7};
    unsigned r = seed * 2654435761u + 777u;
    memset(p, 0, sizeof *p);
    p->seed = seed;
    const int wide = between(&r, 0, 5) == 0;
    p->config.grid_nx = wide ? between(&r, 64, 90) : between(&r, 2, 14);
    p->config.grid_ny = between(&r, 0, 4) ? between(&r, 3, 24) : between(&r, 40, 90);
    p->config.grid_nz = between(&r, 2, 6);
    p->config.grid_dx = 1, p->config.grid_dy = 2, p->config.grid_dz = 0.5;
    p->config.grid_stretch_ratio = 1.25, p->config.grid_dz_max = 0.75;
    grid_init(&p->grid, &p->config, &(struct grid_sizes){0});
    p->model = (struct model){.name = "roles", .stage = roles_stages, .nstages = ROLES_STAGES, .feed = roles_feed};
    p->in = (struct instance){
        .model = &p->model, .config = &p->config, .grid = &p->grid, .op = p->op, .nops = OPS, .ctx = p};
    p->in.nfields = ROLES_FIELDS;
    for (int f = 0; f < ROLES_FIELDS; f++) {
        p->in.field[f] = fields[f];
        p->in.field[f].long_name = fields[f].name, p->in.field[f].unit = "1", p->in.field[f].standard_name = "";
    }
    p->in.field[ROLES_SUN].is_fed_along = p->in.field[ROLES_SOUTH].is_fed_along = (int)(seed % 2);
    sides_draw(p, &r);
    const struct grid *const g = &p->grid;
    p->in.field[ROLES_WEST].box = (struct extent){.i0 = -1, .i1 = 1, .k1 = g->nz, .j1 = g->ny, .n = 1};
    if (p->in.field[0].ghost[FACE_S] != GHOST_PERIODIC)
        p->in.field[ROLES_SOUTH].box = (struct extent){.i1 = g->nx, .k1 = g->nz, .j0 = -1, .j1 = 1, .n = 1};
    p->between = 0.05 * between(&r, 1, 30);
    p->nlevels = between(&r, 0, 2) ? 1000 : between(&r, 1, 3);
    p->in.levels = p->nlevels;
    p->op[0] = (struct op){.stage = ROLES_RADIATE, .dt_factor = 0.5, .every = 1, .every_s = periods[between(&r, 0, 4)]};
    p->op[1] = (struct op){.stage = ROLES_WARM, .dt_factor = 1, .every = between(&r, 1, 3)};
    p->op[2] = (struct op){.stage = ROLES_MIX, .dt_factor = 1, .every = 1};
    p->op[3] = (struct op){.stage = ROLES_FALL, .dt_factor = 1, .every = 1, .every_s = periods[between(&r, 0, 4)]};
    p->nparts = between(&r, 2, PARTS);
    p->kept_after = between(&r, 1, p->nparts - 1);
    for (int n = 0; n < p->nparts; n++)
        p->part[n] = between(&r, 1, 5), p->dt[n] = between(&r, 0, 1) ? 0.125 : 0.1 * between(&r, 1, 2);
}

/* Step n of a part that begins at `start` s. */
static double time_of(const struct roles *p, double start, int part, int n) { return start + n * p->dt[part]; }

static real start_of(const struct roles *p, int f, int j, int k, int i)
{
    unsigned h = (unsigned)(f * 7919 + j * 104729 + k * 1299709 + i * 15485863) ^ p->seed * 2654435761u;
    h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
    return (real)(int)(h % 4001u) * R(0.001) - R(2.0);
}

/* ---- levels in time ---------------------------------------------------------------------------------------------- */

static double level_time(const struct roles *p, int m) { return p->between * (m + (m % 2 ? 0.25 : 0)); }

/* The last level at or before a time. */
static int level_at(const struct roles *p, double time)
{
    int m = 0;
    while (m + 1 < p->nlevels && level_time(p, m + 1) <= time) m++;
    return m;
}

/* Rows of a domain that comes round are the same at both ends. */
static real level_value(const struct roles *p, int f, int m, int j, int k, int i)
{
    const int nj = p->grid.ny;
    if (p->in.field[0].ghost[FACE_S] == GHOST_PERIODIC) j = (j % nj + nj) % nj;
    return R(0.25) * start_of(p, f + 20 * m, j + 5, k + 5, i + 5);
}

struct level {
    const struct roles *p;
    int f, m;
};

static real level_point(const void *of, int j, int k, int i)
{
    const struct level *const x = of;
    return level_value(x->p, x->f, x->m, j, k, i);
}

static struct roles_levels levels_read;
struct roles_levels roles_levels(void) { return levels_read; }

static int roles_feed(const struct instance *in, const struct slab *to, const struct layout *l, int f, int later,
                      double *time)
{
    const struct roles *const p = in->ctx;
    const int is_main = (pid_t)syscall(SYS_gettid) == getpid();
    if (later && *time > 0) __atomic_fetch_add(is_main ? &levels_read.late : &levels_read.ahead, 1, __ATOMIC_RELAXED);
    const int now = level_at(p, *time), m = later ? SF_MIN(now + 1, p->nlevels - 1) : now;
    const int stays = later && m == now; /* the last level stays where it is */
    for (int n = f; !stays && (n == f || in->field[n].is_fed_along); n++)
        feed_fill(to, l, &in->field[n], n, level_point, &(struct level){p, n, m});
    *time = stays ? INFINITY : level_time(p, m);
    return SF_OK;
}

/* ---- plain loops ------------------------------------------------------------------------------------------------- */

struct world {
    const struct roles *p;
    real *f[ROLES_SAVED];
    double time, last[OPS];
};

static int levels_of(const struct roles *p, int f) { return p->in.field[f].shape == SHAPE_MAP ? 1 : p->grid.nz; }

static size_t size_of(const struct roles *p, int f)
{
    return (size_t)p->grid.nx * (size_t)p->grid.ny * (size_t)levels_of(p, f);
}

static real *cell(const struct world *w, int f, int j, int k, int i)
{
    const struct grid *g = &w->p->grid;
    return w->f[f] + ((size_t)j * (size_t)levels_of(w->p, f) + (size_t)k) * (size_t)g->nx + i;
}

/* The index inside that one beyond a side is made from, one fold of the rule. */
static int fold(enum ghost rule, int at, int n, int *sign)
{
    if (rule == GHOST_PERIODIC) return at < 0 ? at + n : at - n;
    if (rule == GHOST_OPEN) return at < 0 ? 0 : n - 1;
    if (rule == GHOST_ODD) *sign = -*sign;
    return at < 0 ? -1 - at : 2 * n - 1 - at;
}

static real fed_at(const struct world *w, int f, int j, int k, int i);

/* What a side that is made has at a place beyond it, whose mirror inside is at `from` m from the side. */
static real given_at(const struct world *w, enum face face, int j, int k, int i)
{
    const struct grid *g = &w->p->grid;
    switch (face) {
    case FACE_W:
        return fed_at(w, ROLES_WEST, j, k < 0 ? 0 : k >= g->nz ? g->nz - 1 : k, i < -1 ? -1 : i);
    case FACE_E:
        return fed_at(w, ROLES_SUN, j, 0, g->nx - 1);
    case FACE_S:
        return fed_at(w, ROLES_SOUTH, j < -1 ? -1 : j,
                      k < 0        ? 0
                      : k >= g->nz ? g->nz - 1
                                   : k,
                      i < 0        ? 0
                      : i >= g->nx ? g->nx - 1
                                   : i);
    case FACE_N:
        return *cell(w, ROLES_FLUX, g->ny - 1, 0, i < 0 ? 0 : i >= g->nx ? g->nx - 1 : i);
    case FACE_B:
        return *cell(w, ROLES_FLUX, j, 0, i < 0 ? 0 : i >= g->nx ? g->nx - 1 : i);
    default:
        return w->p->in.field[ROLES_TEMP].ghost[face] == GHOST_FLUX ? fed_at(w, ROLES_SUN, j, 0, i)
                                                                    : fed_at(w, ROLES_FORCE, j, k, i);
    }
}

/* From the middle of a cell to that of its mirror behind a side, up the axis: of as many cells. */
static double across(const struct world *w, enum face face, int beyond)
{
    const struct grid *g = &w->p->grid;
    if (face == FACE_E) return (2 * beyond - 1) * g->dx;
    if (face == FACE_N) return (2 * beyond - 1) * g->dy;
    if (face == FACE_T) return 2 * (g->z_f[g->nz] - g->z_c[g->nz - beyond]);
    return -2 * (g->z_c[beyond - 1] - g->z_f[0]);
}

static real value_at(const struct world *w, int f, int j, int k, int i);

static real made_at(const struct world *w, enum face face, int j, int k, int i)
{
    const struct grid *g = &w->p->grid;
    const real source = given_at(w, face, j, k, i);
    if (w->p->in.field[ROLES_TEMP].ghost[face] == GHOST_GIVEN) return source;
    const int beyond = face == FACE_E   ? i - g->nx + 1
                       : face == FACE_N ? j - g->ny + 1
                       : face == FACE_T ? k - g->nz + 1
                                        : -k;
    const real inside = face == FACE_E   ? value_at(w, ROLES_TEMP, j, k, g->nx - beyond)
                        : face == FACE_N ? value_at(w, ROLES_TEMP, g->ny - beyond, k, i)
                        : face == FACE_T ? value_at(w, ROLES_TEMP, j, g->nz - beyond, i)
                                         : value_at(w, ROLES_TEMP, j, beyond - 1, i);
    return sf_fma((real)across(w, face, beyond), source, inside);
}

/* The side that a place lies beyond, of those of one axis, where that is made; -1. */
static int made_side(const struct world *w, int f, int axis, int at, int n)
{
    const int face = 2 * axis + (at >= n);
    return (at < 0 || at >= n) && ghost_is_made(w->p->in.field[f].ghost[face]) ? face : -1;
}

static real value_at(const struct world *w, int f, int j, int k, int i)
{
    const struct grid *g = &w->p->grid;
    const enum ghost *rule = w->p->in.field[f].ghost;
    const int nk = levels_of(w->p, f);
    int sign = 1;
    real v;
    if (made_side(w, f, 1, j, g->ny) >= 0) return made_at(w, (enum face)made_side(w, f, 1, j, g->ny), j, k, i);
    while (j < 0 || j >= g->ny) j = fold(rule[j < 0 ? FACE_S : FACE_N], j, g->ny, &sign);
    /* Rules that mirror go before those that make: they mirror what is made. */
    const int x = made_side(w, f, 0, i, g->nx), z = made_side(w, f, 2, k, nk);
    while (x < 0 && (i < 0 || i >= g->nx)) i = fold(rule[i < 0 ? FACE_W : FACE_E], i, g->nx, &sign);
    while (z < 0 && (k < 0 || k >= nk)) k = fold(rule[k < 0 ? FACE_B : FACE_T], k, nk, &sign);
    if (z >= 0) v = made_at(w, (enum face)z, j, k, i);
    else if (x >= 0) v = made_at(w, (enum face)x, j, k, i);
    else v = *cell(w, f, j, k, i);
    return sign > 0 ? v : -v;
}

/* A field that is fed, at the time of the step. */
static real fed_at(const struct world *w, int f, int j, int k, int i)
{
    const struct roles *const p = w->p;
    const int m = level_at(p, w->time);
    const real before = level_value(p, f, m, j, k, i);
    if (m + 1 >= p->nlevels) return before;
    const double share = (w->time - level_time(p, m)) / (level_time(p, m + 1) - level_time(p, m));
    return sf_fma((real)share, level_value(p, f, m + 1, j, k, i) - before, before);
}

static void radiate(struct world *w, real dt, int j, int i)
{
    const real ground = value_at(w, ROLES_GROUND, j, 0, i - 1) - value_at(w, ROLES_GROUND, j + 1, 0, i);
    for (int k = 0; k < w->p->grid.nz; k++)
        *cell(w, ROLES_HEAT, j, k, i) =
            roles_heat(value_at(w, ROLES_TEMP, j, k, i - 2), value_at(w, ROLES_TEMP, j, k, i + 1),
                       value_at(w, ROLES_TEMP, j - 2, k, i), value_at(w, ROLES_TEMP, j + 1, k, i), ground, dt);
}

static void warm(struct world *w, real dt, int j, int i)
{
    const real temp = *cell(w, ROLES_TEMP, j, 0, i);
    real *const ground = cell(w, ROLES_GROUND, j, 0, i);
    *ground = roles_ground(*ground, temp, fed_at(w, ROLES_SUN, j, 0, i - 1), dt);
    *cell(w, ROLES_FLUX, j, 0, i) = roles_flux(*ground, temp);
}

static real mixed(const struct world *w, real dt, int j, int k, int i)
{
    const int f = ROLES_TEMP;
    const real sum = ((value_at(w, f, j, k, i - 1) + value_at(w, f, j, k, i + 1)) +
                      (value_at(w, f, j - 1, k, i) + value_at(w, f, j + 1, k, i))) +
                     (value_at(w, f, j, k - 1, i) + value_at(w, f, j, k + 1, i));
    const real corners = value_at(w, f, j - 1, k - 1, i - 1) - value_at(w, f, j + 1, k - 1, i + 1);
    real force = fed_at(w, ROLES_FORCE, j + 1, k, i - 1);
    if (i == 0) force += fed_at(w, ROLES_WEST, j, k, -1);
    if (j == 0 && w->p->in.field[0].ghost[FACE_S] != GHOST_PERIODIC) force += fed_at(w, ROLES_SOUTH, -1, k, i);
    return roles_temp(value_at(w, f, j, k, i), sum, corners, value_at(w, ROLES_HEAT, j + 1, k, i),
                      value_at(w, ROLES_GROUND, j + 1, 0, i - 1), force, dt);
}

static void mix(struct world *w, real dt)
{
    const struct grid *g = &w->p->grid;
    real *const out = malloc(size_of(w->p, ROLES_TEMP) * sizeof *out), *at = out;
    for (int j = 0; j < g->ny; j++)
        for (int k = 0; k < g->nz; k++)
            for (int i = 0; i < g->nx; i++) *at++ = mixed(w, dt, j, k, i);
    free(w->f[ROLES_TEMP]);
    w->f[ROLES_TEMP] = out;
}

static void rain(struct world *w, real dt, int j, int i)
{
    real sum = 0;
    for (int k = w->p->grid.nz - 1; k >= 0; k--) {
        real *const t = cell(w, ROLES_TEMP, j, k, i);
        const real fall = roles_fall(*t);
        *t -= fall;
        sum += fall;
    }
    *cell(w, ROLES_RAIN, j, 0, i) += dt * sum;
}

/* The time step of an op, or -1: in words of op.every_s, for step times that are told one after the other. */
static double step_for(struct world *w, int o, long step, double time, double dt)
{
    const struct op *const op = &w->p->op[o];
    if (!(op->every_s > 0)) return step % op->every ? -1 : dt;
    const double slack = 1e-9 * op->every_s;
    int met = step == 0;
    for (double multiple = op->every_s; !met && multiple <= time + slack; multiple += op->every_s)
        met = multiple > w->last[o] + slack;
    if (!met) return -1;
    const double since = step == 0 ? 0 : time - w->last[o];
    w->last[o] = time;
    return since;
}

static void step_run(struct world *w, long step, double time, double dt)
{
    static void (*const column[])(struct world *, real, int, int) = {radiate, warm, NULL, rain};
    const struct grid *g = &w->p->grid;
    w->time = time;
    for (int o = 0; o < OPS; o++) {
        const double its = step_for(w, o, step, time, dt);
        const real d = (real)(its * w->p->op[o].dt_factor);
        if (its < 0) continue;
        if (!column[o]) mix(w, d);
        for (int j = 0; j < g->ny && column[o]; j++)
            for (int i = 0; i < g->nx; i++) column[o](w, d, j, i);
    }
}

/* All kept fields one after the other. */
static real *reference(const struct roles *p)
{
    struct world w = {.p = p};
    size_t all = 0, at = 0;
    for (int f = 0; f < ROLES_SAVED; f++) {
        w.f[f] = malloc(size_of(p, f) * sizeof(real));
        all += size_of(p, f);
        for (int j = 0; j < p->grid.ny; j++)
            for (int k = 0; k < levels_of(p, f); k++)
                for (int i = 0; i < p->grid.nx; i++) *cell(&w, f, j, k, i) = start_of(p, f, j, k, i);
    }
    double start = 0;
    long step = 0;
    for (int n = 0; n < p->nparts; start = time_of(p, start, n, p->part[n]), n++)
        for (int s = 0; s < p->part[n]; s++) step_run(&w, step++, time_of(p, start, n, s), p->dt[n]);
    real *const out = malloc(all * sizeof *out);
    for (int f = 0; f < ROLES_SAVED; f++) {
        memcpy(out + at, w.f[f], size_of(p, f) * sizeof *out);
        at += size_of(p, f);
        free(w.f[f]);
    }
    return out;
}

/* ---- the engine -------------------------------------------------------------------------------------------------- */

static void state_fill(const struct roles *p, const struct state *st)
{
    for (int f = 0; f < ROLES_SAVED; f++)
        for (int j = st->ja; j < st->jb; j++)
            for (int k = 0; k < levels_of(p, f); k++)
                for (int i = 0; i < p->grid.nx; i++) state_line(st, f, j, k)[i] = start_of(p, f, j, k, i);
}

/* "" or where the state differs from what it must be; on rank 0. */
static int state_compare(const struct roles *p, const struct state *st, const real *want, char *where, size_t size)
{
    where[0] = '\0';
    SF_TRY(state_fetch(st));
    for (int f = 0; f < ROLES_SAVED; f++) {
        const size_t line = (size_t)p->grid.nx, row = line * (size_t)levels_of(p, f);
        size_t bytes[64];
        for (int r = 0; r < st->comm.size; r++) {
            int ja, jb;
            comm_rows(&st->comm, p->grid.ny, r, &ja, &jb);
            bytes[r] = (size_t)(jb - ja) * row * sizeof(real);
        }
        real *const mine = malloc(bytes[st->comm.rank]), *const all = malloc(size_of(p, f) * sizeof *all), *to = mine;
        for (int j = st->ja; j < st->jb; j++)
            for (int k = 0; k < levels_of(p, f); k++, to += line)
                memcpy(to, state_line(st, f, j, k), line * sizeof *to);
        const int rc = comm_gather(&st->comm, mine, all, bytes);
        for (size_t n = 0; n < size_of(p, f) && !rc && st->comm.rank == 0 && !where[0]; n++)
            if (memcmp(&all[n], &want[n], sizeof *all))
                snprintf(where, size, "%s: j %zu of %d, k %zu, i %zu: %.9g, not %.9g", p->in.field[f].name, n / row,
                         p->grid.ny, n % row / line, n % line, (double)all[n], (double)want[n]);
        free(mine), free(all);
        SF_TRY(rc);
        want = want ? want + size_of(p, f) : NULL;
    }
    return SF_OK;
}

struct progress {
    int part; /* that comes next */
    long step;
    double start;
};

/* To the beginning of part `end`. */
static int parts_run(const struct roles *p, struct engine *e, struct progress *g, int end)
{
    for (; g->part < end; g->part++) {
        double time[8];
        const int n = p->part[g->part];
        for (int s = 0; s < n; s++) time[s] = time_of(p, g->start, g->part, s);
        SF_TRY(engine_run(e, g->step, time, p->dt[g->part], n));
        g->step += n;
        g->start = time_of(p, g->start, g->part, n);
    }
    return SF_OK;
}

static int checkpoint_write(const struct state *st, const struct engine *e, const struct progress *g, const char *dir)
{
    struct restart_info info = {.time = g->start, .step = g->step, .nextra = e->periods.n};
    memcpy(info.extra, e->periods.last, sizeof e->periods.last);
    SF_TRY(state_fetch(st));
    if (st->comm.rank == 0) mkdir(dir, 0777);
    return restart_write(st, dir, &info);
}

static int checkpoint_read(const struct roles *p, struct state *st, struct engine *e, struct progress *g,
                           const char *dir)
{
    struct restart_info info = {.step = 0};
    char path[PATH] = "";
    SF_TRY(outcome_share(&st->comm, st->comm.rank == 0 ? restart_find(dir, path, sizeof path) : SF_OK));
    SF_TRY(comm_bcast(&st->comm, path, sizeof path));
    SF_TRY(restart_read(st, path, &info));
    memcpy(e->periods.last, info.extra, (size_t)e->periods.n * sizeof *info.extra);
    *g = (struct progress){.part = p->kept_after, .step = info.step, .start = info.time};
    engine_changed(e);
    return SF_OK;
}

/* One run: from the start, leaving a checkpoint in `to`, or from that in `from`. */
static int case_run(const struct roles *p, const struct comm *c, const struct engine_options *o, const char *from,
                    const char *to, const real *want, char *where, size_t size)
{
    struct engine e;
    struct state st = {.comm = *c, .grid = &p->grid, .in = &p->in};
    struct progress g = {0};
    SF_TRY(engine_open(&e, &p->in, &st, o));
    state_fill(p, &st);
    int rc = engine_refresh(&e);
    if (!rc && from) rc = checkpoint_read(p, &st, &e, &g, from);
    if (!rc && from) rc = engine_refresh(&e);
    if (!rc && to) rc = parts_run(p, &e, &g, p->kept_after);
    if (!rc && to) rc = checkpoint_write(&st, &e, &g, to);
    if (!rc) rc = parts_run(p, &e, &g, p->nparts);
    if (!rc) rc = state_compare(p, &st, want, where, size);
    engine_close(&e);
    return rc;
}

static int one_check(const struct comm *c, unsigned seed, int cuts, const struct backend *on, const char *dir)
{
    struct roles p;
    char where[256], kept[PATH];
    int bad = 0;
    roles_make(&p, seed);
    real *const want = c->rank == 0 ? reference(&p) : NULL;
    snprintf(kept, sizeof kept, "%s/roles.%u.%d", dir, seed, c->size);
    for (int n = 0; n < cuts + 1 && !bad && p.grid.ny >= c->size; n++) {
        struct engine_options o = program_options(seed * 31 + (unsigned)n);
        o.backend = on;
        const int rc = case_run(&p, c, &o, n ? kept : NULL, n ? NULL : kept, want, where, sizeof where);
        bad = rc || where[0];
        if (bad)
            printf(
                "rank %d of %d, case %u, cut %d (slabs %d, overlapped %d, steps per pass %d, window %d, threads %d): %s%s\n",
                c->rank, c->size, seed, n, o.slabs, o.overlapped, o.steps_per_pass, o.window_rows, o.threads, where,
                rc ? sf_error_text() : "");
        if (comm_max(c, &bad)) bad = 1;
    }
    free(want);
    grid_free(&p.grid);
    return bad;
}

int roles_check(const struct comm *c, unsigned first, int n, int cuts, const struct backend *on, const char *dir)
{
    int bad = 0;
    for (int m = 0; m < n && !bad; m++) bad = one_check(c, first + (unsigned)m, cuts, on, dir);
    return bad;
}
