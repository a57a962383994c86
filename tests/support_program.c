/* Random programs: stencils with banks, columns, maps of reach, members skipped by `every`, all kinds of sides.
 * SPDX-License-Identifier: MIT */
#include "support_program.h"

#include <stdlib.h>
#include <string.h>

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}
static int between(unsigned *state, int low, int high) { return low + (int)(draw(state) % (unsigned)(high - low + 1)); }

/* ---- one stage for all specs ---- */

static void spec_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct program *p = c->ctx;
    const struct spec *x = &p->spec[c->arg];
    const real *const old = s->f[x->target];
    real *const out = s->w[x->target];
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++)
            for (int i = b.i0; i < b.i1; i++) {
                const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk + i;
                real sum = x->update ? old[at] * R(0.5) : R(0.25);
                for (int t = 0; t < x->nterms; t++) {
                    const struct term *y = &x->term[t];
                    sum += y->weight * s->f[y->field][at + y->dj * s->sj + y->dk * s->sk + y->di];
                }
                out[at] = sum * c->dt;
            }
}

/* A column stage: a running sum upward through a field it updates. */
static void column_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct program *p = c->ctx;
    const struct spec *x = &p->spec[c->arg];
    real *const out = s->w[x->target];
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0 + 1; k < b.k1; k++)
            for (int i = b.i0; i < b.i1; i++) {
                const ptrdiff_t at = (j - s->j0) * s->sj + k * s->sk + i;
                real sum = out[at] + R(0.25) * out[at - s->sk];
                for (int t = 0; t < x->nterms; t++) {
                    const struct term *y = &x->term[t];
                    sum += y->weight * s->f[y->field][at + y->dj * s->sj + y->dk * s->sk + y->di];
                }
                out[at] = sum * c->dt;
            }
}

/* ---- drawing ---- */

static void field_draw(struct program *p, unsigned *r, int f, int kept)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    struct field *x = &p->in.field[f];
    *x = (struct field){.name = names[f], .long_name = names[f], .unit = "1", .standard_name = "",
                        .role = kept ? ROLE_PROGNOSTIC : ROLE_SCRATCH, .shape = SHAPE_FULL, .banks = between(r, 1, 2)};
    x->stagger = (unsigned)between(r, 0, 7);
    for (int axis = 0; axis < 3; axis++) {
        const int staggered = (x->stagger >> axis) & 1;
        for (int side = 0; side < 2; side++)
            x->ghost[2 * axis + side] = staggered ? GHOST_ODD : (between(r, 0, 1) ? GHOST_EVEN : GHOST_ODD);
        if (!staggered && between(r, 0, 3) == 0) x->ghost[2 * axis] = x->ghost[2 * axis + 1] = GHOST_OPEN;
        if (axis == 0 && between(r, 0, 1)) x->ghost[0] = x->ghost[1] = GHOST_PERIODIC;
        if (axis == 1 && p->config.boundary_south == SIDE_PERIODIC) x->ghost[2] = x->ghost[3] = GHOST_PERIODIC;
    }
}

static void stage_draw(struct program *p, unsigned *r, int n, int target)
{
    struct stage *x = &p->stage[n];
    struct spec *s = &p->spec[n];
    const struct field *field = p->in.field;
    s->target = target;
    s->update = field[target].banks == 1 && between(r, 0, 1);
    s->column = s->update && between(r, 0, 2) == 0;
    s->other_bank = field[target].banks == 2;
    s->nterms = between(r, 1, PROGRAM_MAX_TERMS);
    *x = (struct stage){.name = s->column ? "column" : "point", .run = s->column ? column_run : spec_run,
                        .unit = s->column ? UNIT_COLUMN : UNIT_POINT};
    int na = 0;
    x->access[na++] = (struct access){.field = target, .mode = s->update ? ACCESS_UPDATE : ACCESS_WRITE};
    for (int t = 0; t < s->nterms; t++) {
        struct term *y = &s->term[t];
        do y->field = between(r, 0, p->in.nfields - 1);
        while (y->field == target && !s->other_bank);
        y->di = between(r, -2, 2);
        y->dk = between(r, -2, 2);
        y->dj = between(r, -2, 2);
        y->weight = (real)between(r, -8, 8) * R(0.0625);
        struct reach h = {.im = (signed char)SF_MAX(0, -y->di), .ip = (signed char)SF_MAX(0, y->di),
                          .km = (signed char)SF_MAX(0, -y->dk), .kp = (signed char)SF_MAX(0, y->dk),
                          .jm = (signed char)SF_MAX(0, -y->dj), .jp = (signed char)SF_MAX(0, y->dj)};
        x->access[na++] = (struct access){.field = y->field, .mode = ACCESS_READ, .reach = h};
    }
}

void program_make(struct program *p, unsigned seed)
{
    unsigned r = seed * 2654435761u + 12345u;
    memset(p, 0, sizeof *p);
    p->lie = -1;
    p->config.grid_nx = between(&r, 1, 40);
    p->config.grid_ny = between(&r, 1, 24);
    p->config.grid_nz = between(&r, 2, 5);
    p->config.grid_dx = p->config.grid_dy = p->config.grid_dz = p->config.grid_stretch_ratio = 1;
    p->config.grid_dz_max = 1;
    const int sides = between(&r, 0, 1) ? SIDE_PERIODIC : SIDE_WALL;
    p->config.boundary_south = p->config.boundary_north = sides;
    grid_init(&p->grid, &p->config);
    p->in = (struct instance){.model = &p->model, .config = &p->config, .grid = &p->grid, .op = p->op, .ctx = p};
    p->in.nfields = between(&r, 2, PROGRAM_MAX_FIELDS);
    const int kept = between(&r, 1, p->in.nfields);
    for (int f = 0; f < p->in.nfields; f++) field_draw(p, &r, f, f < kept);
    p->model = (struct model){.name = "random", .stage = p->stage};
    /* Scratch fields are written first, from kept ones, then anything goes. */
    int written = kept;
    const int stages = between(&r, p->in.nfields - kept + 1, PROGRAM_MAX_STAGES);
    for (int n = 0; n < stages; n++) {
        const int all = p->in.nfields;
        const int target = written < all ? written : between(&r, 0, all - 1);
        p->in.nfields = written;
        if (written < all) {
            p->in.nfields = written;
            stage_draw(p, &r, n, target);
            if (p->spec[n].update) { /* nothing to update yet */
                p->spec[n].update = p->spec[n].column = 0;
                p->stage[n].run = spec_run;
                p->stage[n].unit = UNIT_POINT;
                p->stage[n].access[0].mode = ACCESS_WRITE;
            }
            written++;
        } else stage_draw(p, &r, n, target);
        p->in.nfields = all;
    }
    p->model.nstages = stages;
    p->in.nops = 0;
    for (int n = 0; n < stages; n++)
        p->op[p->in.nops++] = (struct op){.stage = n, .dt_factor = 0.5, .every = 1, .arg = n};
    while (p->in.nops < PROGRAM_MAX_OPS && between(&r, 0, 5)) {
        const int n = between(&r, 0, stages - 1);
        const int every = !p->spec[n].other_bank && between(&r, 0, 4) == 0 ? between(&r, 2, 3) : 1;
        p->op[p->in.nops++] = (struct op){.stage = n, .dt_factor = 0.5, .every = every, .arg = n};
    }
}

void program_free(struct program *p) { grid_free(&p->grid); }

int program_lie(struct program *p)
{
    for (int n = 0; n < p->model.nstages; n++)
        for (struct access *a = p->stage[n].access; a->mode; a++) {
            if (a->mode != ACCESS_READ) continue;
            const int deepest = SF_MAX(a->reach.jm, a->reach.jp);
            if (!deepest) continue;
            if (a->reach.jm) a->reach.jm--;
            if (a->reach.jp) a->reach.jp--;
            p->lie = n;
            return 1;
        }
    return 0;
}

/* ---- the reference ---- */

static real start_value(int f, int j, int k, int i)
{
    unsigned h = (unsigned)f * 73856093u ^ (unsigned)j * 19349663u ^ (unsigned)k * 83492791u ^ (unsigned)i * 2971215073u;
    h ^= h >> 13;
    h *= 2246822519u;
    h ^= h >> 16;
    return (real)(int)(h % 2001u) * R(0.001) - R(1.0);
}

static int staggered_zero(const struct field *x, int axis, int at)
{
    return ((x->stagger >> axis) & 1) && at == 0 && x->ghost[2 * axis] == GHOST_ODD;
}

/* Fold an index into the domain by the rules of the sides; returns the sign, 0 on a face where the field is zero. */
static int fold(const struct field *x, int axis, int n, int *at)
{
    const int st = (x->stagger >> axis) & 1;
    int sign = 1;
    for (;;) {
        if (st && *at == n && x->ghost[2 * axis + 1] == GHOST_ODD) return *at = 0, 0;
        if (*at >= 0 && *at < n) return staggered_zero(x, axis, *at) ? 0 : sign;
        const enum ghost rule = x->ghost[2 * axis + (*at >= n)];
        if (rule == GHOST_PERIODIC) *at += *at < 0 ? n : -n;
        else if (rule == GHOST_OPEN) *at = *at < 0 ? 0 : n - 1;
        else {
            if (rule == GHOST_ODD) sign = -sign;
            *at = *at < 0 ? -*at - !st : 2 * n - !st - *at;
        }
    }
}

struct world {
    const struct program *p;
    real *bank[PROGRAM_MAX_FIELDS][2];
    int now[PROGRAM_MAX_FIELDS];
    size_t n;
};

static size_t index_of(const struct program *p, int j, int k, int i)
{
    return ((size_t)j * (size_t)p->grid.nz + (size_t)k) * (size_t)p->grid.nx + (size_t)i;
}

static real value_at(const struct world *w, int f, int j, int k, int i)
{
    const struct field *x = &w->p->in.field[f];
    const int sj = fold(x, 1, w->p->grid.ny, &j), sk = fold(x, 2, w->p->grid.nz, &k), si = fold(x, 0, w->p->grid.nx, &i);
    const int sign = si * sj * sk;
    const real v = w->bank[f][w->now[f]][index_of(w->p, j, k, i)];
    return sign > 0 ? v : sign < 0 ? -v : R(0.0);
}

static void op_reference(struct world *w, const struct op *o)
{
    const struct program *p = w->p;
    const struct spec *x = &p->spec[o->arg];
    const real dt = (real)(1.0 * o->dt_factor);
    real *const out = w->bank[x->target][x->other_bank ? !w->now[x->target] : w->now[x->target]];
    for (int j = 0; j < p->grid.ny; j++)
        for (int k = x->column; k < p->grid.nz; k++)
            for (int i = 0; i < p->grid.nx; i++) {
                real sum = x->column ? out[index_of(p, j, k, i)] + R(0.25) * out[index_of(p, j, k - 1, i)]
                           : x->update ? value_at(w, x->target, j, k, i) * R(0.5)
                                       : R(0.25);
                for (int t = 0; t < x->nterms; t++) {
                    const struct term *y = &x->term[t];
                    sum += y->weight * value_at(w, y->field, j + y->dj, k + y->dk, i + y->di);
                }
                out[index_of(p, j, k, i)] = sum * dt;
            }
    if (x->other_bank) w->now[x->target] = !w->now[x->target];
    /* A quantity on a face where it is zero is zero there. */
    for (int j = 0; j < p->grid.ny; j++)
        for (int k = 0; k < p->grid.nz; k++)
            for (int i = 0; i < p->grid.nx; i++) {
                const struct field *f = &p->in.field[x->target];
                if (staggered_zero(f, 0, i) || staggered_zero(f, 1, j) || staggered_zero(f, 2, k))
                    w->bank[x->target][w->now[x->target]][index_of(p, j, k, i)] = 0;
            }
}

size_t program_size(const struct program *p)
{
    size_t kept = 0;
    for (int f = 0; f < p->in.nfields; f++) kept += (size_t)field_is_kept(&p->in.field[f]);
    return kept * (size_t)p->grid.nx * (size_t)p->grid.ny * (size_t)p->grid.nz;
}

static real start_of(const struct program *p, int f, int j, int k, int i)
{
    const struct field *x = &p->in.field[f];
    return staggered_zero(x, 0, i) || staggered_zero(x, 1, j) || staggered_zero(x, 2, k) ? 0 : start_value(f, j, k, i);
}

real *program_reference(const struct program *p, int steps)
{
    struct world w = {.p = p, .n = (size_t)p->grid.nx * (size_t)p->grid.ny * (size_t)p->grid.nz};
    for (int f = 0; f < p->in.nfields; f++)
        for (int b = 0; b < 2; b++) w.bank[f][b] = calloc(w.n, sizeof(real));
    for (int f = 0; f < p->in.nfields; f++)
        for (int j = 0; j < p->grid.ny && field_is_kept(&p->in.field[f]); j++)
            for (int k = 0; k < p->grid.nz; k++)
                for (int i = 0; i < p->grid.nx; i++) w.bank[f][0][index_of(p, j, k, i)] = start_of(p, f, j, k, i);
    for (int s = 0; s < steps; s++)
        for (int n = 0; n < p->in.nops; n++)
            if (s % p->op[n].every == 0) op_reference(&w, &p->op[n]);
    real *out = malloc(program_size(p) * sizeof *out), *at = out;
    for (int f = 0; f < p->in.nfields; f++) {
        if (field_is_kept(&p->in.field[f])) {
            memcpy(at, w.bank[f][w.now[f]], w.n * sizeof *at);
            at += w.n;
        }
        for (int b = 0; b < 2; b++) free(w.bank[f][b]);
    }
    return out;
}

/* ---- the engine ---- */

static real *state_gather(const struct program *p, const struct state *st)
{
    const struct slab *s = &st->host.s;
    const size_t line = (size_t)p->grid.nx, plane = line * (size_t)p->grid.nz, all = plane * (size_t)p->grid.ny;
    real *out = malloc(program_size(p) * sizeof *out), *mine = malloc(plane * (size_t)(st->jb - st->ja) * sizeof *mine);
    size_t bytes[64], field = 0;
    for (int r = 0; r < st->comm.size; r++) {
        int ja, jb;
        comm_rows(&st->comm, p->grid.ny, r, &ja, &jb);
        bytes[r] = plane * (size_t)(jb - ja) * sizeof *out;
    }
    for (int f = 0; f < p->in.nfields; f++) {
        if (!field_is_kept(&p->in.field[f])) continue;
        for (int j = st->ja; j < st->jb; j++)
            for (int k = 0; k < p->grid.nz; k++)
                memcpy(mine + (size_t)(j - st->ja) * plane + (size_t)k * line, s->f[f] + (j - s->j0) * s->sj + k * s->sk,
                       line * sizeof *mine);
        comm_gather(&st->comm, mine, out + all * field++, bytes);
    }
    free(mine);
    return out;
}

real *program_run(const struct program *p, const struct comm *c, const struct engine_options *o, int steps, int *rc)
{
    struct engine e;
    struct state st = {.comm = *c, .grid = &p->grid, .in = &p->in};
    double *time = calloc((size_t)steps, sizeof *time);
    real *out = NULL;
    *rc = engine_open(&e, &p->in, &st, o);
    if (!*rc) {
        const struct slab *s = &st.host.s;
        for (int f = 0; f < p->in.nfields; f++)
            for (int j = st.ja; j < st.jb && field_is_kept(&p->in.field[f]); j++)
                for (int k = 0; k < p->grid.nz; k++)
                    for (int i = 0; i < p->grid.nx; i++)
                        s->f[f][(j - s->j0) * s->sj + k * s->sk + i] = start_of(p, f, j, k, i);
        *rc = engine_refresh(&e);
        if (!*rc) *rc = engine_run(&e, 0, time, 1.0, steps);
        if (!*rc) out = state_gather(p, &st);
        engine_close(&e);
    }
    free(time);
    return out;
}

struct engine_options program_options(unsigned seed)
{
    unsigned r = seed * 747796405u + 2891336453u;
    struct engine_options o = {.threads = between(&r, 1, 3), .steps_per_pass = between(&r, 1, 4), .poison = 1};
    o.slabs = between(&r, 0, 1) ? between(&r, 2, 7) : 1;
    o.overlapped = between(&r, 0, 2) == 0;
    o.window_rows = between(&r, 0, 3) ? between(&r, 1, 9) : 1000;
    o.exchange = between(&r, 0, 2);
    return o;
}
