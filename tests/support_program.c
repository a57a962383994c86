/* Draws random programs and runs them with the engine. SPDX-License-Identifier: MIT */
#include "support_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}
static int between(unsigned *state, int low, int high) { return low + (int)(draw(state) % (unsigned)(high - low + 1)); }

/* ---- the two stages that all specs share ---- */

static ptrdiff_t place(const struct slab *s, enum shape shape, int j, int k, int i)
{
    if (shape == SHAPE_LEVELS) return k;
    if (shape == SHAPE_MAP) return (j - s->j0) * s->sm + i;
    return (j - s->j0) * s->sj + k * s->sk + i;
}

static ptrdiff_t box_place(const struct slab *s, const struct field *f, int m, int j, int k, int i)
{
    const struct extent *b = &f->box;
    const ptrdiff_t levels = (ptrdiff_t)b->n * (b->k1 - b->k0);
    return ((j - s->j0) * levels + program_box_level(f, m, k)) * (b->i1 - b->i0) + i - b->i0;
}

static real value_of(const struct program *p, const struct slab *s, const struct term *y, int f, int j, int k, int i)
{
    const struct field *x = &p->in.field[f];
    if (x->shape == SHAPE_BOX)
        return program_in_box(p, x, j, k, i) ? s->f[f][box_place(s, x, y->value, j, k, i)] : R(0.0);
    const ptrdiff_t at = place(s, x->shape, j, k, i);
    const void *const small = s->f[f];
    if (x->bytes == 1) return (real)(unsigned char)(((const unsigned char *)small)[at] - *p->shift);
    if (x->bytes == 2) return (real)(unsigned short)(((const unsigned short *)small)[at] - *p->shift);
    return s->f[f][at];
}

static real terms_add(const struct program *p, const struct slab *s, const struct call *c, const struct spec *x,
                      real sum, int j, int k, int i)
{
    for (int t = 0; t < x->nterms; t++) {
        const struct term *y = &x->term[t];
        sum += y->weight * value_of(p, s, y, y->field, j + y->dj, k + y->dk, i + y->di);
    }
    if (x->clock) sum += R(0.125) * (real)(c->step % 5) + (real)c->time;
    return sum * c->dt;
}

static void strangers_count(const struct program *p, const struct slab *s, const struct call *c)
{
    const struct stage *stage = &p->stage[c->arg];
    unsigned known = 0, written = 0;
    for (const struct access *a = stage->access; a->mode; a++) {
        const unsigned bit = 1u << a->field; /* of a family: any member as the first */
        known |= bit;
        if (access_writes(a->mode)) written |= bit;
    }
    int wrong = 0;
    for (int f = 0; f < p->in.nfields; f++) {
        wrong += (s->f[f] != NULL) != (int)(known >> f & 1);
        wrong += (s->w[f] != NULL) != (int)(written >> f & 1);
        wrong += (written >> f & 1) && (s->f[f] != s->w[f]) != p->spec[c->arg].own;
    }
    if (wrong) __atomic_fetch_add(p->strangers, 1, __ATOMIC_RELAXED);
}

static int row_of(const struct program *p, int j)
{
    return p->sides == SIDE_PERIODIC ? ((j % p->grid.ny) + p->grid.ny) % p->grid.ny : j;
}

int program_changes(const struct spec *x, int j, int k, int i)
{
    const struct box *b = &x->few;
    return !x->sparse || (i >= b->i0 && i < b->i1 && k >= b->k0 && k < b->k1 && j >= b->j0 && j < b->j1);
}

static struct box few_change(const struct call *c, struct box b)
{
    const struct program *p = c->ctx;
    const struct box *few = &p->spec[c->arg].few;
    struct box r = {.i0 = SF_MAX(b.i0, few->i0),
                    .i1 = SF_MIN(b.i1, few->i1),
                    .k0 = SF_MAX(b.k0, few->k0),
                    .k1 = SF_MIN(b.k1, few->k1),
                    .j0 = b.j1,
                    .j1 = b.j0};
    for (int j = b.j0; j < b.j1; j++)
        if (row_of(p, j) >= few->j0 && row_of(p, j) < few->j1) r.j0 = SF_MIN(r.j0, j), r.j1 = SF_MAX(r.j1, j + 1);
    return r;
}

static void point_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct program *p = c->ctx;
    const struct spec *x = &p->spec[c->arg];
    const int target = x->target;
    const real *const old = s->f[target];
    real *const out = s->w[target];
    strangers_count(p, s, c);
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++)
            for (int i = b.i0; i < b.i1; i++) {
                const ptrdiff_t at = place(s, SHAPE_FULL, j, k, i);
                if (!program_changes(x, row_of(p, j), k, i)) continue;
                out[at] = terms_add(p, s, c, x, x->how == ACCESS_UPDATE ? old[at] * R(0.5) : R(0.25), j, k, i);
            }
}

/* All values of the points of a box, each after its own. */
static void box_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct program *p = c->ctx;
    const struct spec *x = &p->spec[c->arg];
    const struct field *f = &p->in.field[x->target];
    real *const out = s->w[x->target];
    strangers_count(p, s, c);
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++)
            for (int i = b.i0; i < b.i1; i++)
                for (int m = 0; m < f->box.n && program_in_box(p, f, j, k, i); m++) {
                    const ptrdiff_t at = box_place(s, f, m, j, k, i);
                    out[at] = terms_add(p, s, c, x, out[at] * R(0.5) + R(0.125) * (real)m, j, k, i);
                }
}

/* A running sum upward through a field it updates; the level below is kept in the thread's own memory. */
static void column_run(const struct slab *s, struct box b, const struct call *c)
{
    const struct program *p = c->ctx;
    const struct spec *x = &p->spec[c->arg];
    real *const out = s->w[x->target], *const below = c->work;
    strangers_count(p, s, c);
    for (int j = b.j0; j < b.j1; j++) {
        memcpy(below, out + place(s, SHAPE_FULL, j, b.k0, b.i0), (size_t)(b.i1 - b.i0) * sizeof *below);
        for (int k = b.k0 + 1; k < b.k1; k++)
            for (int i = b.i0; i < b.i1; i++) {
                const ptrdiff_t at = place(s, SHAPE_FULL, j, k, i);
                out[at] = terms_add(p, s, c, x, out[at] + R(0.25) * below[i - b.i0], j, k, i);
                below[i - b.i0] = out[at];
            }
    }
}

static size_t column_bytes(int columns, int nk) { return (void)nk, (size_t)columns * sizeof(real); }

/* ---- drawing ---- */

int program_owns(const struct field *f, int axis)
{
    const enum ghost far = f->ghost[2 * axis + 1];
    return ((f->stagger >> axis) & 1) && (far == GHOST_EVEN || far == GHOST_OPEN);
}

static void field_draw(struct program *p, unsigned *r, int f, enum role role, enum shape shape, int banks)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "m", "n", "o", "p", "q", "r"};
    static const enum ghost rules[] = {GHOST_EVEN, GHOST_ODD, GHOST_OPEN};
    struct field *x = &p->in.field[f];
    *x = (struct field){.name = names[f],
                        .long_name = names[f],
                        .unit = "1",
                        .standard_name = "",
                        .role = role,
                        .shape = shape,
                        .banks = banks,
                        .stagger = (unsigned)between(r, 0, 7)};
    for (int axis = 0; axis < 3; axis++) {
        const int staggered = (x->stagger >> axis) & 1;
        const int may_own = axis == 0 ? p->open_e : axis == 1 ? p->open_n : p->open_t && shape == SHAPE_FULL;
        for (int side = 0; side < 2; side++) x->ghost[2 * axis + side] = rules[between(r, 0, 2)];
        if (staggered && !may_own) x->ghost[2 * axis + 1] = GHOST_ODD;
        if (axis == 0 && !p->open_e && between(r, 0, 1)) x->ghost[0] = x->ghost[1] = GHOST_PERIODIC;
        if (axis == 2 && p->wrap_z && between(r, 0, 1)) x->ghost[4] = x->ghost[5] = GHOST_PERIODIC;
        if (axis == 1 && p->sides == SIDE_PERIODIC) x->ghost[2] = x->ghost[3] = GHOST_PERIODIC;
    }
}

/* Part of the columns and levels, or all; part of the rows, but where the domain comes round in y. */
static void box_draw(struct program *p, unsigned *r, int f)
{
    const struct grid *g = &p->grid;
    struct field *x = &p->in.field[f];
    field_draw(p, r, f, ROLE_PROGNOSTIC, SHAPE_BOX, 1);
    x->stagger = STAG_CENTRE;
    for (int face = 0; face < FACES; face++) x->ghost[face] = GHOST_NONE;
    x->box = (struct extent){.i1 = g->nx, .k1 = g->nz, .j1 = g->ny, .n = between(r, 1, 3)};
    if (between(r, 0, 1)) x->box.i0 = between(r, 0, g->nx - 1), x->box.i1 = between(r, x->box.i0 + 1, g->nx);
    if (between(r, 0, 1)) x->box.k0 = between(r, 0, g->nz - 1), x->box.k1 = between(r, x->box.k0 + 1, g->nz);
    if (p->sides != SIDE_PERIODIC && between(r, 0, 2))
        x->box.j0 = between(r, 0, g->ny - 1), x->box.j1 = between(r, x->box.j0 + 1, g->ny);
}

/* Fields that a stage of one, or of all members of a family, is about. */
static unsigned targets_of(const struct program *p, const struct spec *s)
{
    return ((1u << (s->family ? p->ntracers : 1)) - 1) << s->target;
}

/* In the bank that it does not write, where that has been written. */
static int may_read_own(const struct program *p, const struct spec *s)
{
    if (p->in.field[s->target].banks < 2) return 0;
    return s->how == ACCESS_WRITE || (s->how == ACCESS_REWRITE && s->back >> s->target & 1);
}

/* How the target is treated, and of which fields the other bank is read: some of those that have gone from one to the
 * other. */
static void banks_draw(struct program *p, unsigned *r, struct spec *s, int first)
{
    const struct field *field = p->in.field;
    const int banks = field[s->target].banks, box = field[s->target].shape == SHAPE_BOX;
    s->how = box || (!first && between(r, 0, banks) == 0) ? ACCESS_UPDATE
             : banks == 2 && between(r, 0, 1)             ? ACCESS_REWRITE
                                                          : ACCESS_WRITE;
    for (int f = 0; f < p->nchanging; f++) {
        const int members = s->family && f == p->tracer0 ? p->ntracers : 1;
        const unsigned all = ((1u << members) - 1) << f;
        if ((p->went & all) == all && (f == s->target ? s->how == ACCESS_REWRITE : between(r, 0, 1)))
            s->back |= 1u << f;
    }
    if (s->how == ACCESS_WRITE && banks == 2 && !first) p->went |= targets_of(p, s);
}

static void term_draw(struct program *p, unsigned *r, struct spec *s, struct term *y, struct access *a, int readable)
{
    const struct field *field = p->in.field;
    const int statics = p->in.nfields - p->nchanging;
    int own;
    do {
        const int pick = between(r, 0, readable + statics - 1);
        y->field = pick < readable ? pick : p->nchanging + pick - readable;
        const int tracer = p->ntracers && y->field >= p->tracer0 && y->field < p->tracer0 + p->ntracers;
        /* A stage of the family knows the family only; the member it changes it reads from the bank that it does not
         * write. */
        y->family = s->family && tracer;
        if (y->family) y->field = p->tracer0;
        own = y->family || y->field == s->target;
    } while (own && !may_read_own(p, s));
    s->own |= own;
    y->di = field[y->field].shape == SHAPE_LEVELS ? 0 : between(r, -2, 2);
    y->dk = field[y->field].shape == SHAPE_MAP ? 0 : between(r, -2, 2);
    y->dj = field[y->field].shape == SHAPE_LEVELS ? 0 : between(r, -2, 2);
    y->value = field[y->field].shape == SHAPE_BOX ? between(r, 0, field[y->field].box.n - 1) : 0;
    y->weight = (real)between(r, -8, 8) * (field[y->field].bytes ? R(0.0009765625) : R(0.0625));
    *a = (struct access){.field = y->field,
                         .mode = s->back >> y->field & 1 ? ACCESS_READ_OTHER : ACCESS_READ,
                         .family = y->family,
                         .reach = {.im = (signed char)SF_MAX(0, -y->di),
                                   .ip = (signed char)SF_MAX(0, y->di),
                                   .km = (signed char)SF_MAX(0, -y->dk),
                                   .kp = (signed char)SF_MAX(0, y->dk),
                                   .jm = (signed char)SF_MAX(0, -y->dj),
                                   .jp = (signed char)SF_MAX(0, y->dj)}};
}

/* first: 1 where nothing has written the target in this step. readable: the changing fields below it may be read. */
static void stage_draw(struct program *p, unsigned *r, int n, int target, int readable, int first)
{
    struct stage *x = &p->stage[n];
    struct spec *s = &p->spec[n];
    const struct field *field = p->in.field;
    s->family = p->ntracers && target >= p->tracer0 && target < p->tracer0 + p->ntracers && between(r, 0, 2) > 0;
    s->target = s->family ? p->tracer0 : target;
    const int box = field[target].shape == SHAPE_BOX;
    banks_draw(p, r, s, first);
    s->column = p->columns && s->how == ACCESS_UPDATE && !box && between(r, 0, 2) == 0;
    s->clock = between(r, 0, 3) == 0;
    s->nterms = between(r, 1, PROGRAM_MAX_TERMS);
    *x = (struct stage){.name = box         ? "box"
                                : s->column ? "column"
                                            : "point",
                        .run = box         ? box_run
                               : s->column ? column_run
                                           : point_run,
                        .unit = s->column ? UNIT_COLUMN : UNIT_POINT,
                        .work_bytes = s->column ? column_bytes : NULL};
    for (int m = 0; m < (s->family ? p->ntracers : 1); m++)
        x->extend |= program_owns(&field[s->target + m], 0) || program_owns(&field[s->target + m], 1) ||
                     program_owns(&field[s->target + m], 2);
    if ((p->open_e || p->open_n || p->open_t) && between(r, 0, 3) == 0) x->extend = 1; /* for nothing */
    x->access[0] = (struct access){.field = s->target, .mode = s->how, .family = s->family};
    /* Where it cannot read its target, and there is nothing else, there is no choice. */
    if (readable + p->in.nfields - p->nchanging <= (s->family ? p->ntracers : 1) && !may_read_own(p, s)) s->nterms = 0;
    for (int t = 0; t < s->nterms; t++) term_draw(p, r, s, &s->term[t], &x->access[t + 1], readable);
}

/* Some of the points alone, often one. */
static void few_draw(struct program *p, unsigned *r, int n)
{
    struct spec *s = &p->spec[n];
    const int ni = p->grid.nx + 1, nk = p->grid.nz + 1, nj = p->grid.ny + (p->sides != SIDE_PERIODIC);
    if (s->how != ACCESS_UPDATE || s->column || p->in.field[s->target].shape == SHAPE_BOX || between(r, 0, 1)) return;
    s->sparse = 1;
    s->few = (struct box){.i0 = between(r, 0, ni - 1), .k0 = between(r, 0, nk - 1), .j0 = between(r, 0, nj - 1)};
    s->few.i1 = between(r, s->few.i0 + 1, between(r, 0, 1) ? ni : s->few.i0 + 1);
    s->few.k1 = between(r, s->few.k0 + 1, between(r, 0, 1) ? nk : s->few.k0 + 1);
    s->few.j1 = between(r, s->few.j0 + 1, between(r, 0, 1) ? nj : s->few.j0 + 1);
    p->stage[n].changes = few_change;
}

static void fields_draw(struct program *p, unsigned *r)
{
    const int prognostic = between(r, 1, 3), tracers = between(r, 0, 2) ? 0 : between(r, 2, 3),
              scratch = between(r, 0, 2);
    const int banks = between(r, 1, 2);
    int f = 0;
    for (int n = 0; n < prognostic; n++) field_draw(p, r, f++, ROLE_PROGNOSTIC, SHAPE_FULL, between(r, 1, 2));
    p->tracer0 = f;
    p->ntracers = tracers;
    for (int n = 0; n < tracers; n++) field_draw(p, r, f++, ROLE_TRACER, SHAPE_FULL, banks);
    p->nboxes = between(r, 0, 2) ? 0 : between(r, 1, 2);
    for (int n = 0; n < p->nboxes; n++) box_draw(p, r, f++);
    p->nkept = f;
    for (int n = 0; n < scratch; n++) field_draw(p, r, f++, ROLE_SCRATCH, SHAPE_FULL, between(r, 1, 2));
    p->nchanging = f;
    for (int shape = SHAPE_FULL; shape <= SHAPE_MAP; shape++)
        if (between(r, 0, 2) == 0) field_draw(p, r, f++, ROLE_STATIC, (enum shape)shape, 1);
    if (between(r, 0, 2) == 0) {
        field_draw(p, r, f, ROLE_STATIC, SHAPE_FULL, 1);
        p->in.field[f++].bytes = between(r, 1, 2);
    }
    p->in.nfields = f;
}

static void op_add(struct program *p, int n, int every, int member)
{
    if (p->in.nops < PROGRAM_MAX_OPS)
        p->op[p->in.nops++] = (struct op){.stage = n, .dt_factor = 0.5, .every = every, .arg = n, .member = member};
}

void program_make(struct program *p, unsigned seed)
{
    unsigned r = seed * 2654435761u + 12345u;
    memset(p, 0, sizeof *p);
    p->strangers = calloc(2, sizeof *p->strangers);
    p->shift = p->strangers + 1;
    const int wide = between(&r, 0, 7) == 0; /* enough columns to share between threads */
    const int deep =
        !wide && between(&r, 0, 5) == 0; /* enough rows for the memory of streamed slabs to be folded several times */
    p->config.grid_nx = wide ? between(&r, 64, 100) : between(&r, 1, deep ? 4 : 24);
    p->config.grid_ny = wide ? between(&r, 1, 6) : deep ? between(&r, 50, 150) : between(&r, 1, 24);
    p->config.grid_nz = between(&r, 0, 2) ? between(&r, 2, 4) : between(&r, 5, 16);
    p->config.grid_dx = p->config.grid_dy = p->config.grid_dz = p->config.grid_stretch_ratio = 1;
    p->config.grid_dz_max = 1;
    const int sides = between(&r, 0, 1) ? SIDE_PERIODIC : SIDE_WALL;
    p->sides = sides;
    p->open_e = between(&r, 0, 2) == 0;
    p->open_n = sides != SIDE_PERIODIC && between(&r, 0, 1);
    p->wrap_z = between(&r, 0, 3) == 0;
    p->open_t = !p->wrap_z && between(&r, 0, 2) == 0;
    p->columns = between(&r, 0, 1);
    grid_init(&p->grid, &p->config, &(struct grid_sizes){0});
    p->in = (struct instance){.model = &p->model, .config = &p->config, .grid = &p->grid, .op = p->op, .ctx = p};
    fields_draw(p, &r);
    /* Scratch fields are written first, from what has been written before, then anything goes. */
    const int scratch = p->nchanging - p->nkept, stages = between(&r, scratch + 1, PROGRAM_MAX_STAGES - 1);
    for (int n = 0; n < stages; n++) {
        const int first = n < scratch, target = first ? p->nkept + n : between(&r, 0, p->nchanging - 1);
        stage_draw(p, &r, n, target, first ? target : p->nchanging, first);
        few_draw(p, &r, n);
    }
    p->model = (struct model){.name = "random", .stage = p->stage, .nstages = stages};
    for (int n = 0; n < stages; n++)
        for (int m = 0; m < (p->spec[n].family ? p->ntracers : 1); m++) op_add(p, n, 1, m);
    while (p->in.nops < PROGRAM_MAX_OPS && between(&r, 0, 4)) {
        const int n = between(&r, 0, stages - 1);
        const int moves = p->spec[n].how == ACCESS_WRITE && p->in.field[p->spec[n].target].banks == 2;
        const int every = !moves && between(&r, 0, 4) == 0 ? between(&r, 2, 3) : 1;
        op_add(p, n, every, p->spec[n].family ? between(&r, 0, p->ntracers - 1) : 0);
    }
}

void program_free(struct program *p)
{
    grid_free(&p->grid);
    free(p->strangers);
}

struct engine_options program_options(unsigned seed)
{
    static const int slabs[] = {2, 3, 5, 7, 16};
    unsigned r = seed * 747796405u + 2891336453u;
    struct engine_options o = {.threads = between(&r, 0, 2) ? 1 : 2, .steps_per_pass = between(&r, 1, 4), .poison = 1};
    o.slabs = between(&r, 0, 1) ? slabs[between(&r, 0, 4)] : 1;
    o.overlapped = between(&r, 0, 2) == 0;
    o.window_rows = between(&r, 0, 3) ? between(&r, 1, 9) : 1000;
    o.exchange = between(&r, 0, 2);
    o.window_levels = between(&r, 0, 2) ? between(&r, 1, 6) : 0;
    if (o.threads > 1 && between(&r, 0, 1)) o.threads = between(&r, 2, 4), o.adapts = ADAPTS_AT_RANDOM;
    return o;
}

/* ---- running ---- */

struct program_extent program_extent_of(const struct program *p, int f)
{
    const struct field *x = &p->in.field[f];
    const struct extent *b = &x->box;
    if (x->shape == SHAPE_BOX)
        return (struct program_extent){b->j0, b->j1 - b->j0, b->n * (b->k1 - b->k0), b->i1 - b->i0};
    return (struct program_extent){0, p->grid.ny + program_owns(x, 1),
                                   x->shape == SHAPE_MAP ? 1 : p->grid.nz + program_owns(x, 2),
                                   p->grid.nx + program_owns(x, 0)};
}

/* A box over all rows of a domain that comes round has those beyond its ends, too; a single row has none. */
int program_in_box(const struct program *p, const struct field *f, int j, int k, int i)
{
    const struct extent *b = &f->box;
    const int any_row = p->sides == SIDE_PERIODIC && p->grid.ny > 1;
    return (any_row || (j >= b->j0 && j < b->j1)) && k >= b->k0 && k < b->k1 && i >= b->i0 && i < b->i1;
}

int program_box_level(const struct field *f, int m, int k) { return m * (f->box.k1 - f->box.k0) + k - f->box.k0; }

/* Own rows of a rank, the far face with the last. */
static void rows_of(const struct program *p, const struct comm *c, int f, int rank, int *ja, int *jb)
{
    const struct program_extent e = program_extent_of(p, f);
    comm_rows(c, p->grid.ny, rank, ja, jb);
    if (*jb == p->grid.ny) *jb = SF_MAX(*jb, e.j0 + e.nj);
    *ja = SF_MAX(*ja, e.j0);
    *jb = SF_MAX(*ja, SF_MIN(*jb, e.j0 + e.nj));
}

/* All that is stored, ghosts too: beyond its own rows nobody else can fill them. */
static void numbers_fill(const struct program *p, const struct state *st, int f)
{
    const struct slab *s = &st->host.s;
    const struct layout *l = &st->host.lay;
    void *const to = s->f[f];
    for (int j = s->j0; j < s->j0 + s->rows; j++)
        for (int k = -l->gk; k < l->nk + l->gk; k++)
            for (int i = -l->gi; i < l->ni + l->gi; i++) {
                const int number = program_number(p, f, j, k, i) + *p->shift;
                const ptrdiff_t at = place(s, SHAPE_FULL, j, k, i);
                if (p->in.field[f].bytes == 1) ((unsigned char *)to)[at] = (unsigned char)number;
                else ((unsigned short *)to)[at] = (unsigned short)number;
            }
}

static void state_fill(const struct program *p, const struct state *st, const real *from)
{
    const struct slab *s = &st->host.s;
    for (int f = 0; f < p->in.nfields; f++) {
        const struct field *x = &p->in.field[f];
        if (x->role == ROLE_SCRATCH) continue;
        if (x->shape == SHAPE_LEVELS) { /* the model's own, ghost levels too */
            for (int k = -st->host.lay.gk; k <= p->grid.nz + st->host.lay.gk; k++)
                s->f[f][k] = program_start(p, f, 0, k, 0);
            continue;
        }
        if (x->bytes) {
            numbers_fill(p, st, f);
            continue;
        }
        const struct program_extent e = program_extent_of(p, f);
        int ja, jb;
        rows_of(p, &st->comm, f, st->comm.rank, &ja, &jb);
        for (int j = ja; j < jb; j++)
            for (int k = 0; k < e.nk; k++)
                for (int i = 0; i < e.ni; i++)
                    state_line(st, f, j, k)[i] = from && field_is_kept(x) ? from[((j - e.j0) * e.nk + k) * e.ni + i]
                                                                          : program_start(p, f, j, k, i);
        if (from && field_is_kept(x)) from += (size_t)e.nj * (size_t)e.nk * (size_t)e.ni;
    }
}

static real *state_gather(const struct program *p, const struct state *st)
{
    real *out = malloc(program_size(p) * sizeof *out), *at = out;
    for (int f = 0; f < p->nkept; f++) {
        const struct program_extent e = program_extent_of(p, f);
        const size_t line = (size_t)e.ni, plane = line * (size_t)e.nk;
        size_t bytes[64], all = 0;
        int ja, jb;
        for (int r = 0; r < st->comm.size; r++) {
            rows_of(p, &st->comm, f, r, &ja, &jb);
            bytes[r] = plane * (size_t)(jb - ja) * sizeof *out;
            all += plane * (size_t)(jb - ja);
        }
        rows_of(p, &st->comm, f, st->comm.rank, &ja, &jb);
        real *mine = malloc(bytes[st->comm.rank]), *to = mine;
        for (int j = ja; j < jb; j++)
            for (int k = 0; k < e.nk; k++, to += line) memcpy(to, state_line(st, f, j, k), line * sizeof *to);
        comm_gather(&st->comm, mine, at, bytes);
        free(mine);
        at += all;
    }
    if (st->comm.rank == 0) return out;
    free(out);
    return NULL;
}

real *program_run_parts(const struct program *p, const struct comm *c, const struct engine_options *o, const real *from,
                        int first, const int *part, int nparts, int *rc)
{
    struct engine e;
    struct state st = {.comm = *c, .grid = &p->grid, .in = &p->in};
    real *out = NULL;
    *rc = engine_open(&e, &p->in, &st, o);
    if (*rc) return NULL;
    *p->shift = 3 * c->rank;
    state_fill(p, &st, from);
    *rc = engine_refresh(&e);
    for (int n = 0; n < nparts && !*rc; n++) {
        double *time = malloc((size_t)(part[n] + 1) * sizeof *time);
        for (int s = 0; s < part[n]; s++) time[s] = program_time(first + s);
        *rc = engine_run(&e, first, time, 1.0, part[n]);
        free(time);
        first += part[n];
    }
    if (!*rc) *rc = state_fetch(&st);
    if (!*rc) out = state_gather(p, &st);
    engine_close(&e);
    return out;
}

real *program_run(const struct program *p, const struct comm *c, const struct engine_options *o, int steps, int *rc)
{
    return program_run_parts(p, c, o, NULL, 0, &steps, 1, rc);
}

const char *program_difference(const struct program *p, const real *a, const real *b)
{
    static char text[160];
    size_t n = 0;
    for (int f = 0; f < p->nkept; f++) {
        const struct program_extent e = program_extent_of(p, f);
        for (int j = 0; j < e.nj; j++)
            for (int k = 0; k < e.nk; k++)
                for (int i = 0; i < e.ni; i++, n++)
                    if (memcmp(&a[n], &b[n], sizeof *a) != 0) {
                        snprintf(text, sizeof text, "field %d, j %d of %d, k %d of %d, i %d of %d: %.9g and %.9g", f,
                                 e.j0 + j, p->grid.ny, k, p->grid.nz, i, p->grid.nx, (double)a[n], (double)b[n]);
                        return text;
                    }
    }
    return "";
}
