/* Bytes and flop of a plan. SPDX-License-Identifier: MIT */
#include "pipeline/traffic.h"

#include "pipeline/state.h"

/* Bytes of a field for a point of the domain: of a part of it, its share. */
static double field_bytes(const struct instance *in, const struct form *f)
{
    const struct extent *const b = &f->box;
    const double element = f->bytes ? f->bytes : (double)sizeof(real);
    if (f->shape == SHAPE_FULL) return element;
    if (f->shape != SHAPE_BOX || b->i1 <= b->i0 || b->k1 <= b->k0 || b->j1 <= b->j0) return 0;
    return element * b->n * (b->i1 - b->i0) * (b->k1 - b->k0) * (b->j1 - b->j0) /
           ((double)in->grid->nx * in->grid->ny * in->grid->nz);
}

double traffic_of_op(const struct instance *in, const struct plan *p, const struct plan_op *o)
{
    double bytes = 0;
    for (int a = 0; a < o->naccess; a++) {
        const enum rare rare = o->access[a].rare;
        if (rare == RARE_ALL) continue;
        const double touched = in->field[p->field_of[o->access[a].id]].share, share = o->op.share > 0 ? o->op.share
                                                                                      : touched > 0   ? touched
                                                                                                      : 1;
        bytes += (o->access[a].mode == ACCESS_UPDATE && rare == RARE_NOT ? 2 : 1) * share *
                 field_bytes(in, &p->form[o->access[a].id]);
    }
    return bytes;
}

int op_is_everywhere(const struct instance *in, const struct plan *p, const struct plan_op *o)
{
    return plan_op_is_own(o) || traffic_of_op(in, p, o) > 0;
}

double flops_of_op(const struct plan_op *o)
{
    return o->stage->flops * SF_MAX(o->op.members, 1) * (o->op.share > 0 ? o->op.share : 1);
}

struct traffic traffic_of(const struct instance *in, const struct plan *p)
{
    struct traffic t = {0};
    unsigned char used[2 * SF_MAX_FIELDS] = {0};
    for (int n = 0; n < p->nops; n++) {
        const struct plan_op *o = &p->op[n];
        const double share = 1.0 / SF_MAX(o->op.every, 1) / p->steps;
        t.ops += share * traffic_of_op(in, p, o);
        t.flops += share * flops_of_op(o);
        for (int a = 0; a < o->naccess; a++) used[p->field_of[o->access[a].id]] |= o->access[a].rare != RARE_ALL;
    }
    for (int f = 0; f < in->nfields; f++) {
        const struct field *x = &in->field[f];
        const struct form form = form_of(x);
        t.in += (field_is_kept(x) || x->role == ROLE_STATIC ? 1 : 2 * (x->role == ROLE_FED)) * field_bytes(in, &form);
        t.out += field_is_kept(x) * field_bytes(in, &form);
        if (used[f]) t.least += (field_is_kept(x) ? 2 : x->role == ROLE_STATIC) * field_bytes(in, &form) / p->steps;
    }
    return t;
}
