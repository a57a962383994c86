/* Ghosts that ops fill: how deep, and behind which of them. SPDX-License-Identifier: MIT */
#include "pipeline/plan_fills.h"

#include "pipeline/error.h"
#include "pipeline/plan_lags.h"

/* ---- how deep -------------------------------------------------------------------------------------------------- */

static struct reach reach_max(struct reach a, struct reach b)
{
    return (struct reach){.im = SF_MAX(a.im, b.im),
                          .ip = SF_MAX(a.ip, b.ip),
                          .km = SF_MAX(a.km, b.km),
                          .kp = SF_MAX(a.kp, b.kp),
                          .jm = SF_MAX(a.jm, b.jm),
                          .jp = SF_MAX(a.jp, b.jp)};
}

/* A read from the face beyond the last cell reaches one further on the high sides. */
static struct reach read_depth(const struct plan *p, const struct plan_op *o, const struct plan_access *x)
{
    struct reach r = x->reach;
    if (o->stage->extend && p->extend_e) r.ip++;
    if (o->stage->extend && p->extend_n) r.jp++;
    if (o->stage->extend && p->extend_t) r.kp++;
    return r;
}

static int sides_of(const struct plan *p, const struct plan_op *o) { return p->on_device ? o->stage->sides : 0; }

/* What is left of a reach where kernels find for themselves what lies beyond sides. */
static struct reach without_sides(struct reach r, const struct field *f, int sides)
{
    if (field_has_made(f)) return r; /* those are not known to kernels */
    const int round = f->ghost[FACE_W] == GHOST_PERIODIC ? SIDES_ROUND : SIDES_BOUND;
    if (sides & round) r.im = r.ip = 0;
    if (sides & SIDES_BOUND && f->ghost[FACE_S] != GHOST_PERIODIC) r.jm = r.jp = 0;
    if (sides & SIDES_BOUND && f->ghost[FACE_B] != GHOST_PERIODIC) r.km = r.kp = 0;
    return r;
}

/* And where whoever wrote the field has written what lies beyond the last cell. */
static struct reach without_far(struct reach r, const struct field *f)
{
    if (f->stagger & STAG_X && r.ip == 1) r.ip = 0;
    if (f->stagger & STAG_Y && r.jp == 1 && f->ghost[FACE_S] != GHOST_PERIODIC) r.jp = 0;
    return r;
}

static int is_none(struct reach r) { return !r.im && !r.ip && !r.jm && !r.jp && !r.km && !r.kp; }

/* Does op n see to all that is wanted around field f, so that nothing is filled? Where ghosts are left to fill, far
 * faces are filled with them. */
static int is_complete(const struct plan *p, int n, const struct field *f, struct reach depth)
{
    const int sides = sides_of(p, &p->op[n]);
    if (field_has_made(f)) return 0;
    return sides & SIDES_ZERO && is_none(sides & SIDES_FAR ? without_far(depth, f) : depth);
}

/* Is anything of the field zero or given by its rule, on a side itself? */
static int has_zeros(const struct field *f)
{
    int odd[FACES];
    for (int face = 0; face < FACES; face++) odd[face] = f->ghost[face] == GHOST_ODD || f->ghost[face] == GHOST_GIVEN;
    return (f->stagger & STAG_X && (odd[FACE_W] || odd[FACE_E])) ||
           (f->stagger & STAG_Y && (odd[FACE_S] || odd[FACE_N])) ||
           (f->stagger & STAG_Z && (odd[FACE_B] || odd[FACE_T]));
}

/* What is wanted around what an op writes: the deepest read before it is written again, and the zeros on its sides. */
struct wanted {
    struct reach depth;
    int zeros;
};

/* In the pass to come at the latest: through all of the step that follows it can be read as what the field was. Across
 * the end of a pass the storage that holds the field last becomes its first bank. */
static struct wanted wanted_of(const struct plan *p, const struct field *field, int n, int id)
{
    const struct field *const f = &field[p->field_of[id]];
    struct wanted w = {.zeros = has_zeros(f) && f->role != ROLE_SCRATCH};
    for (int m = 1; m <= 2 * p->nops; m++) {
        if ((n + m) % p->nops == 0) w.depth = reach_max(w.depth, p->after[p->field_of[id]]);
        if ((n + m) % p->nops == 0 && p->bank_id[p->field_of[id]] >= 0) {
            const int first = p->field_of[id];
            if (p->last_id[first] != first) id = id == first ? p->bank_id[first] : first;
        }
        const struct plan_op *o = &p->op[(n + m) % p->nops];
        int ends = 0;
        for (int a = 0; a < o->naccess; a++) {
            if (o->access[a].id != id) continue;
            const struct plan_access *const x = &o->access[a];
            if (x->mode != ACCESS_WRITE)
                w.zeros |= has_zeros(f) && !(sides_of(p, o) & SIDES_UNREAD && is_none(x->reach));
            if (x->mode == ACCESS_READ)
                w.depth = reach_max(w.depth, without_sides(read_depth(p, o, x), f, sides_of(p, o)));
            else if (!op_skips(&o->op) && !o->stage->changes) ends = 1; /* else ghosts filled before it stay */
        }
        if (ends) break;
    }
    return w;
}

static void depth_join(struct plan *p, struct reach r)
{
    p->gi = max_int(p->gi, SF_MAX(r.im, r.ip));
    p->gk = max_int(p->gk, SF_MAX(r.km, r.kp));
    p->gj = max_int(p->gj, SF_MAX(r.jm, r.jp));
}

void fills_foresee(struct plan *p, const struct field *field, const struct stage *stage, const struct op *op, int nops)
{
    for (int n = 0; n < nops; n++) {
        const struct plan_op o = {.stage = &stage[op[n].stage]};
        for (const struct access *x = o.stage->access; x->mode; x++) {
            if (access_writes(x->mode)) continue;
            const struct plan_access read = {.reach = x->reach};
            const struct reach r = read_depth(p, &o, &read);
            depth_join(p, r);
            for (int m = 0; m < (x->family ? SF_MAX(op[n].members, 1) : 1); m++) {
                const int f = x->field + x->family * (op[n].member + m);
                p->after[f] = reach_max(p->after[f], without_sides(r, &field[f], sides_of(p, &o)));
            }
        }
    }
}

int fills_make(struct plan *p, const struct field *field)
{
    for (int n = 0; n < p->nops; n++) {
        struct plan_op *o = &p->op[n];
        for (int a = 0; a < o->naccess; a++) {
            const int id = o->access[a].id;
            if (o->access[a].mode == ACCESS_READ) {
                depth_join(p, read_depth(p, o, &o->access[a]));
                continue;
            }
            if ((p->form[id].shape != SHAPE_FULL && p->form[id].shape != SHAPE_MAP) || o->feeds) continue;
            SF_CHECK(o->nfill < PLAN_MAX_WRITES, SF_INTERNAL, "stage %s writes too many fields", o->stage->name);
            const struct wanted w = wanted_of(p, field, n, id);
            if ((!w.zeros && is_none(w.depth)) || is_complete(p, n, &field[p->field_of[id]], w.depth)) continue;
            o->fill[o->nfill++] = (struct plan_fill){.id = id, .field = p->field_of[id], .writer = n, .depth = w.depth};
        }
    }
    return SF_OK;
}

/* ---- behind which op --------------------------------------------------------------------------------------------- */

/* Does op `o` run in every step, on whole rows? */
static int is_whole(const struct plan_op *o) { return !op_skips(&o->op) && !o->stage->changes && !plan_op_is_own(o); }

/* Rows that `o` computes beyond a seam and those of field row `x` that it reads there. */
static int rows_read(const struct plan *p, const struct plan_op *o, const struct plan_access *x, int south)
{
    const int both = p->few_rows ? SF_MAX(x->reach.jm, x->reach.jp) : 0;
    return south ? o->south + SF_MAX(x->reach.jm, both) : o->north + SF_MAX(x->reach.jp, both);
}

/* Would the ops of a segment behind op `to` be right if that filled what `from` fills: does each wait for it, and are
 * those rows filled? */
static int readers_agree(const struct plan *p, const struct field *field, const struct plan_segment *g, int from,
                         int to, int id)
{
    const struct plan_op *const o = &p->op[from], *const k = &p->op[to];
    const struct plan_access fills = {.id = id, .mode = ACCESS_UPDATE};
    int south = 0, north = 0;
    if (plan_lag_missing(p, field, g, o, &fills, k, &fills)) return 0;
    for (int n = to + 1, end = SF_MIN(g->op1, to + 1 + plan_far(p)); n < end; n++)
        for (int a = 0; a < p->op[n].naccess; a++) {
            const struct plan_access *const x = &p->op[n].access[a];
            if (x->id != id) continue;
            if (plan_lag_missing(p, field, g, k, &fills, &p->op[n], x)) return 0;
            if (x->mode != ACCESS_READ) continue;
            south = max_int(south, rows_read(p, &p->op[n], x, 1)),
            north = max_int(north, rows_read(p, &p->op[n], x, 0));
        }
    return k->south >= SF_MIN(south, o->south) && k->north >= SF_MIN(north, o->north);
}

/* The first op behind the writer that would miss these ghosts, or writes the field; or the end of the segment. */
static int wanted_by(const struct plan *p, const struct field *field, const struct plan_segment *g,
                     const struct plan_fill *f)
{
    struct reach depth = {0};
    int is_read = 0, n;
    for (n = f->writer + 1; n < g->op1; n++) {
        const struct plan_op *const o = &p->op[n];
        for (int a = 0; a < o->naccess; a++) {
            if (o->access[a].id != f->id) continue;
            if (o->access[a].mode != ACCESS_READ || o->settles) return n;
            is_read = 1;
            depth = reach_max(depth, without_sides(read_depth(p, o, &o->access[a]), &field[f->field], sides_of(p, o)));
        }
        if (is_read && !is_complete(p, f->writer, &field[f->field], depth)) return n;
    }
    return n;
}

/* The last op before that which fills ghosts and can fill these with them. */
static int filler_of(struct plan *p, const struct field *field, const struct plan_segment *g, int from,
                     const struct plan_fill *f)
{
    const struct plan_op *const o = &p->op[from];
    if (!is_whole(o) || field_has_made(&field[f->field])) return from;
    for (int to = wanted_by(p, field, g, f) - 1; to > from; to--) {
        struct plan_op *const k = &p->op[to];
        const int lag[2] = {k->lag[0], k->lag[1]};
        if (!is_whole(k) || !k->nfill || k->nfill == PLAN_MAX_WRITES ||
            (p->extend_n && k->stage->extend != o->stage->extend))
            continue;
        plan_lag_raise(p, field, g, to, o);
        if (readers_agree(p, field, g, from, to, f->id)) return to;
        for (int dir = 0; dir < 2; dir++) k->lag[dir] = lag[dir];
    }
    return from;
}

void fills_gather(struct plan *p, const struct field *field)
{
    for (const struct plan_segment *g = p->segment; g < p->segment + p->nsegments; g++)
        for (int n = g->op0; n < g->op1; n++) {
            struct plan_op *const o = &p->op[n];
            int stay = 0;
            for (int m = 0; m < o->nfill; m++) {
                const struct plan_fill f = o->fill[m];
                const int to = filler_of(p, field, g, n, &f);
                struct plan_op *const k = &p->op[to];
                if (to == n) o->fill[stay++] = f;
                else k->fill[k->nfill++] = f;
            }
            o->nfill = stay;
        }
}
