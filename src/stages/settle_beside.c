/* Stages beside open sides. Their lines are those of the western side; beside the others the same happens, mirrored
 * along x, or with x and y in each other's places, and so do the names that `turn` lists. SPDX-License-Identifier: MIT
 */
#include "stages/print_parts.h"

#include <string.h>

static int is_high(const struct described *s) { return s->facing == FACE_E || s->facing == FACE_N; }
static int is_along_y(const struct described *s) { return s->facing == FACE_S || s->facing == FACE_N; }

/* The name that stands for this one where x and y change places. */
static const char *name_turned(const struct description *d, const char *name)
{
    static const char *const spacing[] = {"dx", "dy"};
    for (int n = 0; n < 2; n++) {
        if (!strcmp(name, spacing[n])) return spacing[1 - n];
        for (int m = 0; m < d->nturns; m++)
            if (!strcmp(name, d->turn[m].name[n])) return d->turn[m].name[1 - n];
    }
    return name;
}

/* A field so far from the own point, which stands on the side itself where results do. */
static void distances_turn(const struct described *s, const struct symbol *f, struct node *e)
{
    int *const x = e->index;
    if (f->field.shape == SHAPE_LEVELS) return;
    if (is_high(s)) x[0] = -x[0] + (f->field.stagger & STAG_X ? 1 : 0) - s->is_on_face;
    if (is_along_y(s)) {
        const int across = x[0];
        x[0] = x[1], x[1] = across;
    }
    e->nindex = f->field.shape == SHAPE_MAP ? 2 : 3;
}

static void name_turn(struct description *d, const struct described *s, struct node *e)
{
    const struct symbol *const f = describe_find(d, e->name);
    if (!f || f->kind == SYMBOL_LINE || f->kind == SYMBOL_TABLE) return;
    if (f->kind == SYMBOL_FIELD) distances_turn(s, f, e);
    if (!is_along_y(s)) return;
    e->name = name_turned(d, e->name);
    if (f->kind == SYMBOL_FIELD && f->field.stagger & (STAG_X | STAG_Y) && !strcmp(e->name, f->name))
        describe_wrong(d, e->at, "%s stands on faces along one axis: beside other sides `turn %s OTHER` says what does",
                       f->name, f->name);
}

struct node *describe_turned(struct description *d, const struct described *s, const struct node *e)
{
    if (e->kind == NODE_CHOICE && e->arg[0]->kind == NODE_NAME && !strcmp(e->arg[0]->name, "at_edge"))
        return describe_turned(d, s, e->arg[s->nearness ? 2 : 1]);
    struct node *const to = describe_memory(d, sizeof *to);
    *to = *e, to->arg = NULL, to->narg = 0;
    for (int n = 0; n < e->narg; n++) *ADD(d, to->arg, to->narg) = describe_turned(d, s, e->arg[n]);
    if (e->kind != NODE_NAME) return to;
    if (strcmp(e->name, "inward") != 0) return name_turn(d, s, to), to;
    to->kind = NODE_NUMBER, to->name = "1";
    if (!is_high(s)) return to;
    struct node *const minus = describe_memory(d, sizeof *minus);
    *minus = (struct node){.kind = NODE_MINUS, .name = "-", .at = e->at};
    *ADD(d, minus->arg, minus->narg) = to;
    return minus;
}

/* Do the results stand on the western side? All of them do, or none. */
static int is_on_face(struct description *d, const struct described *s)
{
    int on = 0, results = 0;
    for (int n = 0; n < s->nlines; n++) {
        const struct symbol *const f = describe_find(d, s->line[n].name);
        if (!f || f->kind != SYMBOL_FIELD) continue;
        results++, on += (f->field.stagger & STAG_X) != 0;
        if (s->line[n].is_new)
            describe_wrong(d, s->line[n].at, "beside open sides %s stays elsewhere what it is: leave out `new`",
                           f->name);
    }
    if (on && on < results)
        describe_wrong(d, s->at, "the results of %s stand on the side, or next to it: not one here and one there",
                       s->name);
    if (on && s->beside > 1)
        describe_wrong(d, s->at, "the results of %s stand on the side, of which there is one: beside %s 1", s->name,
                       s->open);
    return on > 0;
}

/* The stage of one side, `nearness` columns from it. */
static void side_make(struct description *d, const struct described *of, struct described *s, int facing, int nearness)
{
    static const char *const word[] = {
        [FACE_W] = "_west", [FACE_E] = "_east", [FACE_S] = "_south", [FACE_N] = "_north"};
    *s = *of;
    memset(s->touch, 0, sizeof s->touch), s->ntouches = 0, s->side = NULL, s->nsides = 0;
    s->beside = 0, s->is_side = 1, s->facing = facing, s->nearness = nearness, s->is_on_face = is_on_face(d, of);
    s->name = describe_joined(d, describe_joined(d, of->name, word[facing]), nearness ? "_next" : "");
    s->line = describe_memory(d, sizeof *s->line * (size_t)(of->nlines + 1));
    for (int n = 0; n < of->nlines; n++) {
        s->line[n] = of->line[n];
        if (is_along_y(s)) s->line[n].name = name_turned(d, s->line[n].name);
    }
    describe_stage(d, s);
}

/* What a side touches, the stage does. What it changes there stays elsewhere what it is. */
static void touches_add(struct description *d, struct described *s, const struct described *side)
{
    for (int m = 0; m < side->ntouches; m++) {
        const struct touch *const from = &side->touch[m];
        int n = 0;
        while (n < s->ntouches && s->touch[n].field != from->field) n++;
        if (n == TOUCHES) return describe_wrong(d, s->at, "a stage touches at most %d fields", TOUCHES);
        struct touch *const t = &s->touch[n];
        s->ntouches = SF_MAX(s->ntouches, n + 1);
        t->field = from->field, t->reads |= from->reads || from->writes, t->writes |= from->writes;
        t->reach = describe_reach_both(t->reach, from->reach);
    }
}

void describe_beside(struct description *d, struct described *s)
{
    const int before = d->nerrors;
    if (s->is_apart || s->nchanged || s->cpu || s->work || s->lowest)
        describe_wrong(d, s->at,
                       "what %s computes beside open sides is not computed apart, nor by loops by hand, nor from "
                       "a level on, nor is it like what goes to another bank",
                       s->name);
    enum { SIDES = 4 };
    s->nsides = SIDES * s->beside, s->side = describe_memory(d, sizeof *s->side * (size_t)s->nsides);
    for (int n = 0; n < s->nsides && d->nerrors == before; n++) { /* a mistake is told once */
        struct described *const side = &s->side[n];
        side_make(d, s, side, n / s->beside, n % s->beside);
        if (side->form || side->is_each || side->nslots || describe_only(side, 0) || is_layered(side))
            describe_wrong(d, s->at,
                           "what %s computes beside open sides has no forms, no families, no layers, no `only "
                           "where`, and no sweep that leaves something to another",
                           s->name);
        touches_add(d, s, side);
    }
}
