/* Bytes and flop of a plan. SPDX-License-Identifier: MIT */
#include "command/traffic.h"

#include "pipeline/state.h"

double traffic_of_op(const struct plan *p, const struct plan_op *o)
{
    double bytes = 0;
    for (int a = 0; a < o->naccess; a++)
        if (p->form[o->access[a].id].shape == SHAPE_FULL)
            bytes += (o->access[a].mode == ACCESS_UPDATE ? 2 : 1) * (double)sizeof(real);
    return bytes;
}

struct traffic traffic_of(const struct instance *in, const struct plan *p)
{
    struct traffic t = {0};
    for (int n = 0; n < p->nops; n++) {
        const struct plan_op *o = &p->op[n];
        const double share = 1.0 / SF_MAX(o->op.every, 1) / p->steps;
        t.ops += share * traffic_of_op(p, o);
        t.flops += share * o->stage->flops;
    }
    for (int f = 0; f < in->nfields; f++) {
        const struct field *x = &in->field[f];
        if (x->shape == SHAPE_FULL)
            t.least += (field_is_kept(x) ? 2 : x->role == ROLE_STATIC) * (double)sizeof(real) / p->steps;
    }
    return t;
}
