/* Functions of a description, put in the place of their calls. SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"

#include <string.h>

static struct node *expand_argument(const struct scope *c, const struct node *e, struct node *value)
{
    if (!e->nindex && !e->is_old) return value;
    if (value->kind != NODE_NAME) {
        describe_wrong(c->d, e->at, "%s is taken at other points here: it must be a field where %s is called", e->name,
                       c->function->name);
        return value;
    }
    struct node *const moved = describe_memory(c->d, sizeof *moved);
    *moved = *value;
    moved->is_old |= e->is_old;
    if (moved->nindex && e->nindex && moved->nindex != e->nindex)
        describe_wrong(c->d, e->at, "%s has %d distances where %s is called, and %d here", e->name, moved->nindex,
                       c->function->name, e->nindex);
    if (moved->span && e->span)
        describe_wrong(c->d, e->at, "%s is a range of points where %s is called, and is taken at a range here", e->name,
                       c->function->name);
    if (e->span) moved->span = e->span, moved->along = e->along;
    moved->nindex = SF_MAX(moved->nindex, e->nindex);
    for (int n = 0; n < 3; n++) moved->index[n] += e->index[n];
    return moved;
}

static struct node *expand_call(const struct scope *c, const struct node *e, const struct symbol *f)
{
    enum { DEEPEST = 16 };
    struct node *const value = describe_memory(c->d, sizeof *value);
    *value = (struct node){.kind = NODE_NUMBER, .name = "0", .at = e->at};
    if (e->narg != f->narguments)
        return describe_wrong(c->d, e->at, "%s takes %d argument%s, not %d", f->name, f->narguments,
                              f->narguments == 1 ? "" : "s", e->narg),
               value;
    if (!f->value) return value; /* its mistake is told where it stands */
    c->d->symbol[f - c->d->symbol].is_called = 1;
    if (c->depth > DEEPEST)
        return describe_wrong(c->d, e->at, "%s calls itself, or functions call each other 16 deep", f->name), value;
    struct scope inner = {c->d, f, describe_memory(c->d, sizeof(struct node *) * (size_t)(e->narg + 1)), c->depth + 1,
                          c->nodes};
    for (int n = 0; n < e->narg; n++) inner.value[n] = describe_expand(c, e->arg[n]);
    return describe_expand(&inner, f->value);
}

static void argument_add(const struct scope *c, struct node *to, struct node *value)
{
    to->arg = describe_more(c->d, to->arg, to->narg, sizeof *to->arg);
    to->arg[to->narg++] = value;
}

static int takes_beyond(const struct description *d, const struct node *e)
{
    const struct symbol *const f = e->kind == NODE_CALL && e->narg ? describe_find(d, e->name) : NULL;
    return f && f->kind == SYMBOL_BEYOND;
}

/* A range of points is so many arguments, and so are values of which some may lie beyond a side. */
static void range_spread(const struct scope *c, struct node *to, struct node *value)
{
    const int is_beyond = takes_beyond(c->d, value);
    const struct node *const of = is_beyond ? value->arg[0] : value;
    if (of->kind != NODE_NAME || !of->span) return argument_add(c, to, value);
    for (int n = 0; n <= of->span; n++) {
        struct node *const one = describe_memory(c->d, sizeof *one), *call = one;
        *one = *of;
        one->span = 0, one->index[one->along] += n;
        if (is_beyond) {
            call = describe_memory(c->d, sizeof *call);
            *call = *value, call->arg = NULL, call->narg = 0;
            for (int m = 0; m < value->narg; m++) argument_add(c, call, m ? value->arg[m] : one);
        }
        argument_add(c, to, call);
    }
}

struct node *describe_expand(const struct scope *c, const struct node *e)
{
    enum { NODES = 20000 };
    struct node *const to = describe_memory(c->d, sizeof *to);
    *to = *e;
    if (++*c->nodes > NODES) {
        if (*c->nodes == NODES + 1) describe_wrong(c->d, e->at, "more than %d operations come of this", NODES);
        return to->kind = NODE_NUMBER, to->name = "0", to;
    }
    for (int n = 0; e->kind == NODE_NAME && c->function && n < c->function->narguments; n++)
        if (!strcmp(e->name, c->function->argument[n])) return expand_argument(c, e, c->value[n]);
    const struct symbol *const f = e->kind == NODE_CALL ? describe_find(c->d, e->name) : NULL;
    if (f && f->kind == SYMBOL_FUNCTION) return expand_call(c, e, f);
    const int is_list = e->kind == NODE_MAKE || (f && f->kind == SYMBOL_FORMULA);
    to->arg = NULL, to->narg = 0;
    for (int n = 0; n < e->narg; n++) {
        struct node *const value = describe_expand(c, e->arg[n]);
        if (is_list) range_spread(c, to, value);
        else argument_add(c, to, value);
    }
    return to;
}
