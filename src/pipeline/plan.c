/* Tables to ops, the backward walk, and the choice of where to exchange. SPDX-License-Identifier: MIT */
#include "pipeline/plan.h"

#include "pipeline/error.h"
#include "pipeline/plan_fills.h"
#include "pipeline/plan_lags.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_SEGMENT = 96 }; /* ops considered between two exchanges: bounds the cost of choosing */

static int is_kept(const struct field *f)
{
    return f->role == ROLE_PROGNOSTIC || f->role == ROLE_TRACER || f->role == ROLE_KEPT;
}

/* ---- tables to ops ---- */

/* The field that an access touches when the op works on this member of families. */
static int access_field(const struct access *x, int member) { return x->field + x->family * member; }

/* How many members of its family an access of an op touches: of none, one. */
static int access_members(const struct access *x, const struct op *op)
{
    return x->family ? SF_MAX(op->members, 1) : 1;
}

/* Is the field in the other bank from this access on? */
static int is_moving(const struct access *x, const struct field *f) { return x->mode == ACCESS_WRITE && f->banks == 2; }

/* Does the access touch the bank where the field is not? */
static int is_other_bank(const struct access *x, const struct field *f)
{
    return x->mode == ACCESS_READ_OTHER || is_moving(x, f);
}

static int access_check(const struct stage *s, const struct field *field, int nfields, int a, int member)
{
    const struct access *x = &s->access[a];
    const int f = access_field(x, member);
    SF_CHECK(!x->family || (member >= 0 && f < nfields), SF_INTERNAL, "stage %s: member %d is beyond the family",
             s->name, member);
    SF_CHECK(f >= 0 && f < nfields, SF_INTERNAL, "stage %s: no field %d", s->name, f);
    SF_CHECK(x->nth >= 0 && x->nth < MEMBER_FIELDS, SF_INTERNAL, "stage %s: members have no field %d", s->name, x->nth);
    SF_CHECK(!access_writes(x->mode) || x->field < SF_MAX_CHANGED, SF_INTERNAL,
             "stage %s changes field %s: fields that change come first", s->name, field[f].name);
    SF_CHECK(!(access_writes(x->mode) && field[f].role == ROLE_STATIC), SF_INTERNAL,
             "stage %s changes the static field %s", s->name, field[f].name);
    SF_CHECK(!(access_writes(x->mode) && field[f].role == ROLE_FED), SF_INTERNAL,
             "stage %s changes field %s, which is fed", s->name, field[f].name);
    SF_CHECK(field[f].role != ROLE_KEPT || field[f].banks != 2, SF_INTERNAL,
             "field %s is kept from step to step: it has one bank", field[f].name);
    SF_CHECK(!(access_writes(x->mode) && field[f].shape == SHAPE_MAP) || s->unit == UNIT_COLUMN, SF_INTERNAL,
             "stage %s changes the map %s point by point: its unit is the column", s->name, field[f].name);
    SF_CHECK(field[f].banks == 2 || (x->mode != ACCESS_READ_OTHER && x->mode != ACCESS_REWRITE), SF_INTERNAL,
             "stage %s goes back to what field %s was, which has one bank: declare two", s->name, field[f].name);
    int has_other = x->mode != ACCESS_READ_BESIDE;
    for (const struct access *y = s->access; y->mode; y++)
        has_other |= y->mode == ACCESS_READ_OTHER && y->field == x->field;
    SF_CHECK(has_other && !(x->family && x->mode == ACCESS_READ_BESIDE), SF_INTERNAL,
             "stage %s reads field %s beside another bank, which it does not read", s->name, field[f].name);
    for (int b = 0; b < a; b++) {
        const struct access *y = &s->access[b];
        SF_CHECK(y->field != x->field || y->family == x->family, SF_INTERNAL,
                 "stage %s names field %s alone and as the first of a family", s->name, field[x->field].name);
        if (access_field(y, member) != f) continue;
        const int both = access_writes(x->mode) + access_writes(y->mode);
        SF_CHECK(both < 2, SF_INTERNAL, "stage %s writes field %s twice", s->name, field[f].name);
        SF_CHECK(both == 0 || field[f].banks == 2, SF_INTERNAL,
                 "stage %s reads and changes field %s, which has one bank: declare an update or two banks", s->name,
                 field[f].name);
        const int is_other = x->mode == ACCESS_READ_OTHER || y->mode == ACCESS_READ_OTHER;
        SF_CHECK(both == 0 || is_other || (x->mode != ACCESS_UPDATE && y->mode != ACCESS_UPDATE), SF_INTERNAL,
                 "stage %s both reads and updates field %s", s->name, field[f].name);
        const int are_apart = is_other && (x->mode == ACCESS_READ_BESIDE || y->mode == ACCESS_READ_BESIDE);
        SF_CHECK(both || x->mode == y->mode || are_apart, SF_INTERNAL, "stage %s reads both banks of field %s", s->name,
                 field[f].name);
        SF_CHECK(!both || is_other_bank(x, &field[f]) != is_other_bank(y, &field[f]), SF_INTERNAL,
                 "stage %s reads field %s in the bank that it writes", s->name, field[f].name);
    }
    return SF_OK;
}

/* Does the stage contradict itself when it works on this member? */
static int stage_check(const struct stage *s, const struct field *field, int nfields, int member)
{
    for (int a = 0; s->access[a].mode; a++) {
        SF_CHECK(a < STAGE_MAX_ACCESS - 1, SF_INTERNAL, "stage %s: too many accesses", s->name);
        SF_TRY(access_check(s, field, nfields, a, member));
        SF_CHECK(!s->changes || s->access[a].mode == ACCESS_UPDATE || !access_writes(s->access[a].mode), SF_INTERNAL,
                 "stage %s: it changes few points, and writes all of %s", s->name, field[s->access[a].field].name);
    }
    return SF_OK;
}

/* What an access is of an op: the storage that it touches where the field is in bank `now`, and how. */
static struct plan_access access_make(const struct plan *p, const struct access *x, const struct field *field,
                                      const struct op *op, int m, int now)
{
    const int f = access_field(x, op->member + m), b = is_other_bank(x, &field[f]) ? !now : now;
    const enum access_mode mode = !access_writes(x->mode)    ? ACCESS_READ
                                  : x->mode == ACCESS_UPDATE ? ACCESS_UPDATE
                                                             : ACCESS_WRITE;
    return (struct plan_access){.id = b ? p->bank_id[f] : f,
                                .field = x->field,
                                .member = x->family ? m : -1,
                                .nth = x->nth,
                                /* An op that skips steps leaves old values where it would have written. */
                                .mode = mode == ACCESS_WRITE && op_skips(op) ? ACCESS_UPDATE : mode,
                                .is_beside = x->mode == ACCESS_READ_BESIDE,
                                .rare = x->rare,
                                .reach = mode == ACCESS_READ ? x->reach : (struct reach){0}};
}

/* Does every rank have all rows of it that it needs, and nobody sends any? */
static int is_everywhere(const struct field *f) { return f->role == ROLE_STATIC || f->role == ROLE_FED; }

/* ---- what stands beyond sides that are made ---- */

/* The op reads source `f` within a reach: a whole row of it for each of the field's. */
static int source_add(struct plan_op *o, int f, struct reach r)
{
    int a = 0;
    while (a < o->naccess && !(o->access[a].id == f && (a >= o->ndeclared || access_writes(o->access[a].mode)))) a++;
    SF_CHECK(a < PLAN_MAX_ACCESS - 1, SF_INTERNAL, "stage %s: too many accesses", o->stage->name);
    if (a < o->ndeclared) return SF_OK; /* it makes the source itself */
    if (a == o->naccess) o->access[o->naccess++] = (struct plan_access){.id = f, .mode = ACCESS_READ};
    o->access[a].reach.jm = (signed char)max_int(o->access[a].reach.jm, r.jm);
    o->access[a].reach.jp = (signed char)max_int(o->access[a].reach.jp, r.jp);
    return SF_OK;
}

/* Who writes a field makes what stands beyond its sides; who reads rows beyond its own may find some that came from
 * other ranks, behind which they are made as well. */
static int sources_add(const struct plan *p, const struct field *field, struct plan_op *o)
{
    o->ndeclared = o->naccess;
    for (int a = 0; a < o->ndeclared; a++) {
        const struct field *const f = &field[p->field_of[o->access[a].id]];
        const int writes = access_writes(o->access[a].mode);
        const struct reach r = o->access[a].reach;
        for (int face = 0; face < FACES; face++)
            if (ghost_is_made(f->ghost[face]) && (writes || r.jm || r.jp)) SF_TRY(source_add(o, f->beyond[face], r));
    }
    return SF_OK;
}

static int is_source(const struct field *f, int of)
{
    int is = 0;
    for (int face = 0; face < FACES; face++) is |= ghost_is_made(f->ghost[face]) && f->beyond[face] == of;
    return is;
}

/* Behind an op that writes field `of`: ops that make ghosts anew which come from it. */
static int makes_add(struct plan *p, const struct field *field, int nfields, int nstages, int of, const int *bank)
{
    const int step = p->op[p->nops - 1].step;
    for (int f = 0; f < nfields; f++) {
        if (!is_source(&field[f], of)) continue;
        struct plan_op *const o = &p->op[p->nops++];
        *o = (struct plan_op){.stage = &plan_make_ghosts,
                              .op = {.stage = nstages, .every = 1},
                              .step = step,
                              .makes = 1,
                              .access = {{.id = bank[f] ? p->bank_id[f] : f, .mode = ACCESS_UPDATE}},
                              .naccess = 1};
        SF_TRY(sources_add(p, field, o));
    }
    return SF_OK;
}

static int side_check(const struct field *field, int nfields, int f, enum face face)
{
    const struct field *const x = &field[f];
    const int of = x->beyond[face], flux = x->ghost[face] == GHOST_FLUX;
    SF_CHECK(is_kept(x) && (x->shape == SHAPE_FULL || x->shape == SHAPE_MAP) && !x->bytes, SF_INTERNAL,
             "field %s: its ghosts are made, but it has no restart, or is no full field and no map", x->name);
    SF_CHECK(!flux || !(x->stagger >> face / 2 & 1), SF_INTERNAL,
             "field %s is staggered onto a side where a gradient is to be", x->name);
    SF_CHECK(of >= 0 && of < nfields && of != f && !field_has_made(&field[of]) && field[of].banks != 2 &&
                 !field[of].bytes,
             SF_INTERNAL, "field %s: what makes its ghosts is no field of reals and one bank", x->name);
    SF_CHECK(is_everywhere(&field[of]) || (flux && is_kept(&field[of])), SF_INTERNAL,
             "field %s: ghosts that come from %s, which is not fed, static, or kept with a restart", x->name,
             field[of].name);
    return SF_OK;
}

static int sides_check(const struct field *field, int nfields)
{
    for (int f = 0; f < nfields; f++)
        for (enum face face = 0; face < FACES; face++)
            if (ghost_is_made(field[f].ghost[face])) SF_TRY(side_check(field, nfields, f, face));
    return SF_OK;
}

/* Ops that make ghosts in one turn of the program, at most. */
static size_t makes_count(const struct field *field, int nfields, const struct stage *stage, const struct op *op,
                          int nops)
{
    size_t n = 0;
    int made = 0;
    for (int f = 0; f < nfields; f++) made += field_has_made(&field[f]);
    for (int f = 0; f < nfields && made; f++) n += field[f].role == ROLE_FED;
    for (int m = 0; m < nops && made; m++)
        for (const struct access *x = stage[op[m].stage].access; x->mode; x++) n += (size_t)access_writes(x->mode);
    return n * (size_t)made;
}

/* The op that makes a field that is fed ready for a step. */
static struct plan_op feed_make(const struct plan *p, int f, int step, int nstages)
{
    return (struct plan_op){.stage = &plan_feed,
                            .op = {.stage = nstages, .every = 1},
                            .step = step,
                            .feeds = 1,
                            .access = {{.id = p->level_id[0][f], .mode = ACCESS_READ, .field = f, .member = -1},
                                       {.id = p->level_id[1][f], .mode = ACCESS_READ, .field = f, .member = -1},
                                       {.id = f, .mode = ACCESS_WRITE, .field = f, .member = -1}},
                            .ndeclared = 3,
                            .naccess = 3};
}

/* An op of the model's, where fields are in these banks; it may move some. */
static int op_make(struct plan *p, const struct field *field, const struct op *op, const struct stage *stage, int step,
                   int *bank)
{
    struct plan_op *const o = &p->op[p->nops++];
    *o = (struct plan_op){.stage = stage, .op = *op, .step = step};
    for (const struct access *x = stage->access; x->mode; x++)
        for (int m = 0; m < access_members(x, op); m++) {
            const int f = access_field(x, op->member + m);
            SF_CHECK(!is_moving(x, &field[f]) || !op_skips(op), SF_INTERNAL,
                     "stage %s: an op that changes banks runs every step", stage->name);
            SF_CHECK(o->naccess < PLAN_MAX_ACCESS, SF_INTERNAL, "stage %s: too many accesses of members", stage->name);
            o->access[o->naccess++] = access_make(p, x, field, op, m, bank[f]);
        }
    for (const struct access *x = stage->access; x->mode; x++)
        for (int m = 0; m < access_members(x, op); m++) {
            const int f = access_field(x, op->member + m);
            if (is_moving(x, &field[f])) bank[f] = !bank[f];
        }
    return sources_add(p, field, o);
}

static int ops_make(struct plan *p, const struct field *field, int nfields, const struct stage *stage, int nstages,
                    const struct op *op, int nops)
{
    int bank[SF_MAX_FIELDS] = {0};
    for (int n = 0; n < nops; n++) {
        SF_CHECK(op[n].step >= 0 && op[n].step < p->period, SF_INTERNAL, "op %d is of no step of its program", n);
        SF_CHECK(op[n].members >= 0 && op[n].members <= MEMBERS_MOST, SF_INTERNAL, "op %d: %d members of a family", n,
                 op[n].members);
        for (int m = 0; m < SF_MAX(op[n].members, 1); m++)
            SF_TRY(stage_check(&stage[op[n].stage], field, nfields, op[n].member + m));
    }
    for (int step = 0; step < p->steps; step += p->period) {
        for (int f = 0; f < nfields; f++) {
            if (field[f].role != ROLE_FED) continue;
            p->op[p->nops++] = feed_make(p, f, step, nstages);
            SF_TRY(makes_add(p, field, nfields, nstages, f, bank));
        }
        for (int n = 0; n < nops; n++) {
            SF_TRY(op_make(p, field, &op[n], &stage[op[n].stage], step + op[n].step, bank));
            for (const struct access *x = stage[op[n].stage].access; x->mode; x++)
                for (int m = 0; access_writes(x->mode) && m < access_members(x, &op[n]); m++)
                    SF_TRY(makes_add(p, field, nfields, nstages, access_field(x, op[n].member + m), bank));
        }
    }
    for (int f = 0; f < nfields; f++) p->last_id[f] = bank[f] ? p->bank_id[f] : f;
    return SF_OK;
}

const struct stage plan_make_ghosts = {.name = "make ghosts", .unit = UNIT_COLUMN};
const struct stage plan_feed = {.name = "feed", .unit = UNIT_COLUMN, .extend = 1};
const struct stage plan_settle = {.name = "settle", .unit = UNIT_COLUMN, .extend = 1};

/* Kept fields that a pass leaves in their second banks: the last ops of one whose second banks do not outlive it. Rows
 * are copied whole, the far ones too; their stage is none of the model's and has the number behind those. */
static int settling_add(struct plan *p, const struct field *field, int nfields, int nstages)
{
    for (int f = 0; f < nfields; f++) {
        if (p->last_id[f] == f || !is_kept(&field[f])) continue;
        p->op[p->nops++] =
            (struct plan_op){.stage = &plan_settle,
                             .op = {.stage = nstages, .every = 1},
                             .step = p->steps - 1,
                             .settles = 1,
                             .access = {{.id = p->last_id[f], .mode = ACCESS_READ, .field = f, .member = -1},
                                        {.id = f, .mode = ACCESS_WRITE, .field = f, .member = -1}},
                             .naccess = 2};
        SF_TRY(sources_add(p, field, &p->op[p->nops - 1]));
        p->last_id[f] = f;
    }
    return SF_OK;
}

/* ---- the backward walk ---- */

/* Rows of each storage that are needed beyond the own ones: -1, the value is not needed at all. */
struct need {
    int south[2 * SF_MAX_FIELDS], north[2 * SF_MAX_FIELDS];
};

static void need_join(struct need *d, int id, int south, int north)
{
    d->south[id] = max_int(d->south[id], south);
    d->north[id] = max_int(d->north[id], north);
}

/* One op, backwards: which rows it must compute, and what it needs for that. */
static void need_step(const struct plan *p, const struct plan_op *o, struct need *d, int *south, int *north)
{
    int s = 0, n = 0;
    for (int a = 0; a < o->naccess; a++) {
        const struct plan_access *x = &o->access[a];
        if (!access_writes(x->mode)) continue;
        s = max_int(s, d->south[x->id]);
        n = max_int(n, d->north[x->id]);
    }
    for (int a = 0; a < o->naccess; a++) {
        const struct plan_access *x = &o->access[a];
        if (x->mode == ACCESS_WRITE) d->south[x->id] = d->north[x->id] = -1;
    }
    for (int a = 0; a < o->naccess; a++) {
        const struct plan_access *x = &o->access[a];
        if (x->mode == ACCESS_WRITE) continue;
        /* Few rows: what lies beyond a physical side comes from rows beyond the seam on the other side. */
        const int both = p->few_rows ? SF_MAX(x->reach.jm, x->reach.jp) : 0;
        need_join(d, x->id, s + SF_MAX(x->reach.jm, both), n + SF_MAX(x->reach.jp, both));
    }
    *south = s;
    *north = n;
}

/* What is alive after the pass: kept fields, on the own rows. */
static void need_end(const struct plan *p, const struct field *field, int nfields, struct need *d)
{
    for (int id = 0; id < p->nids; id++) d->south[id] = d->north[id] = -1;
    for (int f = 0; f < nfields; f++)
        if (is_kept(&field[f])) d->south[p->last_id[f]] = d->north[p->last_id[f]] = 0;
}

/* Cutting here: what is alive is needed on the own rows only; ghost rows come with the exchange. A field that is fed is
 * made on all rows where somebody needs it. */
static void need_cut(const struct plan *p, const struct field *field, struct need *d)
{
    for (int id = 0; id < p->nids; id++)
        if (d->south[id] >= 0 && field[p->field_of[id]].role != ROLE_FED) d->south[id] = d->north[id] = 0;
}

/* Rows of one field in those of a full one. */
static double weight_of(const struct plan *p, const struct cut *cut, int id)
{
    const struct form *f = &p->form[id];
    const struct extent *b = &f->box;
    const double bytes = f->bytes ? (double)f->bytes / (double)sizeof(real) : 1;
    if (f->shape == SHAPE_LEVELS) return 0;
    if (f->shape != SHAPE_BOX || cut->row_elements <= 0) return bytes;
    const int empty = b->i1 <= b->i0 || b->k1 <= b->k0 || b->j1 <= b->j0;
    return empty ? 0 : bytes * b->n * (double)(b->i1 - b->i0) * (b->k1 - b->k0) / cut->row_elements;
}

static int is_exchanged(const struct plan *p, const struct field *field, const struct need *d, int id)
{
    return p->form[id].shape != SHAPE_LEVELS && !is_everywhere(&field[p->field_of[id]]) &&
           (d->south[id] > 0 || d->north[id] > 0);
}

/* ---- where to exchange ---- */

/* What the first visit to a row costs beyond later ones, when it is in cache, in visits: 50 GB/s against 88
 * measured. */
static const double first_touch = 0.75;

/* What a segment costs for every ghost row too many: more than any number of short ones. */
static const double too_deep = 1e12;

/* Rows beyond the own ones where something is read, of an exchanged or static field, or computed. */
static int rows_beyond(const struct plan *p, const struct field *field, const struct need *d)
{
    int south = 0, north = 0;
    for (int id = 0; id < p->nids; id++)
        if (is_exchanged(p, field, d, id) || is_everywhere(&field[p->field_of[id]])) {
            south = max_int(south, d->south[id]);
            north = max_int(north, d->north[id]);
        }
    return south + north;
}

/* Cost of running ops [.., last] back to each start, in rows of one field moved: computing, a first touch of every
 * field (windows keep it in cache after that), and the exchange. */
static void segment_costs(const struct plan *p, const struct field *field, const struct cut *cut, struct need d,
                          int last, int first, double *cost)
{
    unsigned char touched[2 * SF_MAX_FIELDS] = {0};
    double work = 0, memory = 0;
    int beyond = 0;
    for (int n = last; n >= first; n--) {
        const struct plan_op *o = &p->op[n];
        int s, nn;
        need_step(p, o, &d, &s, &nn);
        for (int a = 0; a < o->naccess; a++) {
            const int id = o->access[a].id;
            const double moves = o->access[a].mode == ACCESS_READ ? 1 : 2, weight = weight_of(p, cut, id);
            work += weight * moves * (cut->rows + s + nn);
            if (!touched[id] && !cut->on_device) memory += weight * first_touch * (cut->rows + s + nn);
            touched[id] = 1;
        }
        double exchange = cut->latency_rows;
        for (int id = 0; id < p->nids; id++)
            if (is_exchanged(p, field, &d, id))
                exchange += weight_of(p, cut, id) * 3.0 * (SF_MAX(d.south[id], 0) + SF_MAX(d.north[id], 0));
        beyond = max_int(beyond, max_int(s + nn, rows_beyond(p, field, &d)));
        cost[n] =
            work + memory + exchange + (cut->ghost_rows > 0 ? too_deep * max_int(beyond - cut->ghost_rows, 0) : 0);
    }
}

/* starts[n] = 1 where a segment begins. Shortest path over the positions of the cuts. */
static int segments_choose(const struct plan *p, const struct field *field, int nfields, const struct cut *cut,
                           unsigned char *starts)
{
    memset(starts, 0, (size_t)p->nops);
    starts[0] = 1;
    if (cut->streamed || cut->by_pass || !cut->seams) return SF_OK;

    struct need *live = malloc(((size_t)p->nops + 1) * sizeof *live); /* before op n, were it cut there */
    double *best = malloc(((size_t)p->nops + 1) * sizeof *best), *cost = malloc((size_t)p->nops * sizeof *cost);
    int *from = malloc(((size_t)p->nops + 1) * sizeof *from);
    if (!live || !best || !cost || !from) {
        free(live), free(best), free(cost), free(from);
        SF_FAIL(SF_MEMORY, "no memory for planning %d ops", p->nops);
    }
    need_end(p, field, nfields, &live[p->nops]);
    for (int n = p->nops - 1; n >= 0; n--) {
        int s, nn;
        live[n] = live[n + 1];
        need_step(p, &p->op[n], &live[n], &s, &nn);
        need_cut(p, field, &live[n]);
    }
    best[p->nops] = 0;
    for (int n = 0; n < p->nops; n++) best[n] = -1;
    /* best[n]: cheapest way from op n to the end; from[n]: where its first segment ends. */
    for (int end = p->nops; end > 0; end--) {
        const int first = cut->by_op ? end - 1 : max_int(0, end - LONGEST_SEGMENT);
        segment_costs(p, field, cut, live[end], end - 1, first, cost);
        for (int n = first; n < end; n++)
            if (best[n] < 0 || best[end] + cost[n] < best[n]) {
                best[n] = best[end] + cost[n];
                from[n] = end;
            }
    }
    for (int n = 0; n < p->nops; n = from[n]) starts[n] = 1;
    free(live), free(best), free(cost), free(from);
    return SF_OK;
}

/* ---- all together ---- */

static int segments_make(struct plan *p, const struct field *field, int nfields, const struct cut *cut)
{
    unsigned char *starts = malloc((size_t)p->nops);
    SF_CHECK(starts, SF_MEMORY, "no memory for planning %d ops", p->nops);
    int rc = segments_choose(p, field, nfields, cut, starts);
    if (rc) {
        free(starts);
        return sf_trace(rc, __FILE__, __LINE__, "segments_choose");
    }
    for (int n = 0; n < p->nops; n++) p->nsegments += starts[n];
    p->segment = calloc((size_t)p->nsegments, sizeof *p->segment);
    if (!p->segment) {
        free(starts);
        SF_FAIL(SF_MEMORY, "no memory for %d segments of a pass", p->nsegments);
    }
    struct need d;
    need_end(p, field, nfields, &d);
    int at = p->nsegments, end = p->nops;
    for (int n = p->nops - 1; n >= 0; n--) {
        struct plan_op *o = &p->op[n];
        need_step(p, o, &d, &o->south, &o->north);
        p->south = max_int(p->south, o->south); /* also of an op that reads no rows */
        p->north = max_int(p->north, o->north);
        for (int a = 0; a < o->naccess; a++) /* a face row beyond the last cell reaches one row further */
            if (o->access[a].mode == ACCESS_READ && field[p->field_of[o->access[a].id]].role == ROLE_STATIC) {
                p->south = max_int(p->south, o->south + o->access[a].reach.jm);
                p->north = max_int(p->north, o->north + o->access[a].reach.jp);
            }
        if (!starts[n]) continue;
        struct plan_segment *g = &p->segment[--at];
        g->op0 = n;
        g->op1 = end;
        end = n;
        for (int id = 0; id < p->nids; id++) {
            if (!is_exchanged(p, field, &d, id)) continue;
            g->halo[g->nhalo++] =
                (struct plan_rows){.id = id, .south = max_int(d.south[id], 0), .north = max_int(d.north[id], 0)};
            g->south = max_int(g->south, d.south[id]);
            g->north = max_int(g->north, d.north[id]);
        }
        p->south = max_int(p->south, g->south);
        p->north = max_int(p->north, g->north);
        need_cut(p, field, &d);
        rc = plan_lags(p, field, g);
        if (rc) break;
    }
    free(starts);
    SF_TRY(rc);
    for (int id = 0; id < p->nids; id++)
        SF_CHECK(d.south[id] < 0 || is_everywhere(&field[p->field_of[id]]) ||
                     (field[p->field_of[id]].role != ROLE_SCRATCH && id == p->field_of[id]),
                 SF_INTERNAL, "the %s %s is read before the program writes it",
                 id == p->field_of[id] ? "scratch field" : "second bank of field", field[p->field_of[id]].name);
    return SF_OK;
}

int field_owns_far(const struct field *f, enum face face)
{
    const int has_columns = f->shape != SHAPE_BOX || f->box.i1 > f->box.i0;
    const unsigned across = face == FACE_E ? STAG_X : face == FACE_N ? STAG_Y : STAG_Z;
    return has_columns && f->stagger & across && (f->ghost[face] == GHOST_OPEN || f->ghost[face] == GHOST_EVEN);
}

/* Does any op compute it there? */
static int extends(const struct field *f, enum face face)
{
    return f->role != ROLE_STATIC && f->role != ROLE_FED && field_owns_far(f, face);
}

static int fed_count(const struct field *field, int nfields)
{
    int n = 0;
    for (int f = 0; f < nfields; f++) n += field[f].role == ROLE_FED;
    return n;
}

/* One more of a field. */
static int storage_add(struct plan *p, const struct field *field, int f)
{
    p->field_of[p->nids] = f;
    p->form[p->nids] = form_of(&field[f]);
    return p->nids++;
}

static int storages_make(struct plan *p, const struct field *field, int nfields)
{
    for (int f = 0; f < nfields; f++) {
        p->bank_id[f] = p->level_id[0][f] = p->level_id[1][f] = -1;
        if (field[f].banks == 2) p->bank_id[f] = storage_add(p, field, f);
        if (field[f].role != ROLE_FED) continue;
        SF_CHECK(field[f].shape != SHAPE_LEVELS && !field[f].bytes && field[f].banks != 2 && p->period == 1,
                 SF_INTERNAL, "field %s is fed: it is no profile, has reals and one bank, and no program of two steps",
                 field[f].name);
        for (int later = 0; later < 2; later++) p->level_id[later][f] = storage_add(p, field, f);
    }
    return SF_OK;
}

int plan_make(struct plan *p, const struct field *field, int nfields, const struct stage *stage, int nstages,
              const struct plan_program *program, int steps, const struct cut *cut)
{
    const int pairs = program->pair && steps % 2 == 0, nops = pairs ? program->npair : program->nops,
              period = pairs ? 2 : 1;
    const struct op *const op = pairs ? program->pair : program->op;
    *p = (struct plan){.steps = steps, .period = period, .nids = nfields, .on_device = cut->on_device};
    SF_CHECK(nops > 0 && steps > 0, SF_INTERNAL, "a program of no ops");
    for (int f = 0; f < nfields; f++) {
        p->field_of[f] = f;
        p->form[f] = form_of(&field[f]);
        p->extend_e |= extends(&field[f], FACE_E);
        p->extend_n |= extends(&field[f], FACE_N);
        p->extend_t |= extends(&field[f], FACE_T);
    }
    SF_TRY(storages_make(p, field, nfields));
    SF_CHECK(p->nids <= SF_MAX_FIELDS, SF_INTERNAL, "%d fields and banks are more than %d", p->nids, SF_MAX_FIELDS);
    SF_TRY(sides_check(field, nfields));
    for (int n = 0; n < nops; n++)
        SF_CHECK(op[n].stage >= 0 && op[n].stage < nstages, SF_INTERNAL, "op %d: no stage %d", n, op[n].stage);
    const size_t turn = (size_t)nops + (size_t)fed_count(field, nfields) + makes_count(field, nfields, stage, op, nops),
                 most = turn * (size_t)(steps / period) + (size_t)nfields;
    p->op = calloc(most, sizeof *p->op);
    SF_CHECK(p->op, SF_MEMORY, "no memory for a program of %zu ops", most);
    int rc = ops_make(p, field, nfields, stage, nstages, op, nops);
    if (!rc && cut->streamed) rc = settling_add(p, field, nfields, nstages);
    if (!rc && program->pair) { /* a pass of either may follow one of the other */
        fills_foresee(p, field, stage, program->op, program->nops);
        fills_foresee(p, field, stage, program->pair, program->npair);
    }
    if (!rc) rc = fills_make(p, field);
    p->few_rows = cut->sided && cut->rows <= p->gj + 1;
    if (!rc) rc = segments_make(p, field, nfields, cut);
    if (!rc) fills_gather(p, field);
    if (rc) plan_free(p);
    return rc;
}

void plan_free(struct plan *p)
{
    free(p->op);
    free(p->segment);
    p->op = NULL;
    p->segment = NULL;
}
