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

/* stage: whose swaps hold within the body. */
static struct node *expand_call(const struct scope *c, const struct node *e, const struct symbol *f,
                                const struct described *stage)
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
    struct scope inner = {
        c->d, stage, f, describe_memory(c->d, sizeof(struct node *) * (size_t)(e->narg + 1)), c->depth + 1, c->nodes};
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

/* ---- names that stand for others ---- */

static const struct swap *swap_find(const struct scope *c, const char *name)
{
    for (int n = 0; c->stage && n < c->stage->nswaps; n++) {
        struct swap *const x = &c->stage->swap[n];
        if (strcmp(x->in_place_of, name) != 0) continue;
        x->is_used = 1;
        if (x->of) x->of->is_used = 1;
        return x;
    }
    return NULL;
}

/* Distances along x, y, z, and the axis of a range, as a field of that shape has them. */
enum { ALONG_Z = 2 };
static void distances_of(const struct symbol *s, const struct node *e, int by[3], int *along)
{
    const int is_profile = s && s->kind == SYMBOL_FIELD && s->field.shape == SHAPE_LEVELS;
    for (int n = 0; n < 3; n++) by[n] = is_profile ? (n == ALONG_Z ? e->index[0] : 0) : e->index[n];
    *along = is_profile ? ALONG_Z : e->along;
}

/* The name of a field, so far away; of other symbols as it is. */
static void field_move(const struct scope *c, struct node *e, const struct symbol *s, const int by[3])
{
    const int is_field = s && s->kind == SYMBOL_FIELD, shape = is_field ? (int)s->field.shape : SHAPE_FULL;
    if (!is_field && s) return;
    if (!is_field || (shape == SHAPE_LEVELS && (by[0] || by[1])))
        return describe_wrong(c->d, e->at, "%s is taken at other points here, where it has no value", e->name);
    if (shape == SHAPE_LEVELS) e->index[0] += by[ALONG_Z], e->nindex = 1;
    else
        for (int n = 0; n < 3; n++) e->index[n] += shape == SHAPE_MAP && n == ALONG_Z ? 0 : by[n];
    if (shape != SHAPE_LEVELS) e->nindex = shape == SHAPE_MAP ? 2 : 3;
}

static void moved(const struct scope *c, struct node *e, const int by[3])
{
    if (e->kind == NODE_NAME && strcmp(e->name, "at_top") != 0 && strcmp(e->name, "at_bottom") != 0)
        field_move(c, e, describe_find(c->d, e->name), by);
    for (int n = 0; n < e->narg; n++) moved(c, e->arg[n], by);
}

/* What stands for a name: a field, profile or number, or what a function without arguments is, where the name was. */
static struct node *swap_name(const struct scope *c, const struct node *e, const struct swap *x)
{
    const struct symbol *const was = describe_find(c->d, x->in_place_of), *const s = describe_find(c->d, x->name);
    struct node *to = describe_memory(c->d, sizeof *to);
    int by[3], along;
    distances_of(was, e, by, &along);
    const int is_away = by[0] || by[1] || by[2];
    *to = (struct node){.kind = NODE_NAME, .name = x->name, .at = e->at};
    if (s && s->kind == SYMBOL_FUNCTION) {
        if (e->span || e->is_old) describe_wrong(c->d, e->at, "%s is no field, which stands for %s", x->name, e->name);
        to->kind = NODE_CALL;
        to = expand_call(c, to, s, NULL);
        if (is_away) moved(c, to, by);
        return to;
    }
    to->is_old = e->is_old;
    if (is_away) field_move(c, to, s, by);
    if (!e->span) return to;
    const int is_profile = s && s->kind == SYMBOL_FIELD && s->field.shape == SHAPE_LEVELS;
    if (!s || s->kind != SYMBOL_FIELD || s->field.shape == SHAPE_MAP || (is_profile && along != ALONG_Z))
        return describe_wrong(c->d, e->at, "%s has no such range of points, and stands for %s", x->name, e->name), to;
    to->span = e->span, to->along = is_profile ? 0 : along, to->nindex = is_profile ? 1 : 3;
    return to;
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
    const struct swap *const x = e->kind == NODE_NAME || e->kind == NODE_CALL ? swap_find(c, e->name) : NULL;
    if (x && e->kind == NODE_NAME) return swap_name(c, e, x);
    if (x) to->name = x->name;
    const struct symbol *const f = e->kind == NODE_CALL ? describe_find(c->d, to->name) : NULL;
    if (x && (!f || f->kind != SYMBOL_FUNCTION))
        return describe_wrong(c->d, e->at, "there is no function %s, which stands for %s", x->name, e->name), to;
    if (f && f->kind == SYMBOL_FUNCTION) return expand_call(c, to, f, x ? NULL : c->stage);
    const int is_list = e->kind == NODE_MAKE || (f && f->kind == SYMBOL_FORMULA);
    to->arg = NULL, to->narg = 0;
    for (int n = 0; n < e->narg; n++) {
        struct node *const value = describe_expand(c, e->arg[n]);
        if (is_list) range_spread(c, to, value);
        else argument_add(c, to, value);
    }
    return to;
}
