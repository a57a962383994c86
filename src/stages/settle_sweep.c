/* What a sweep touches: it follows from the stages that it takes at once. SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"

#include <string.h>

struct reach describe_reach_both(struct reach a, struct reach b)
{
    const struct reach r = {SF_MAX(a.im, b.im), SF_MAX(a.ip, b.ip), SF_MAX(a.km, b.km),
                            SF_MAX(a.kp, b.kp), SF_MAX(a.jm, b.jm), SF_MAX(a.jp, b.jp)};
    return r;
}

struct reach describe_reach_of(const int x[3])
{
    const struct reach r = {(signed char)SF_MAX(-x[0], 0), (signed char)SF_MAX(x[0], 0),  (signed char)SF_MAX(-x[2], 0),
                            (signed char)SF_MAX(x[2], 0),  (signed char)SF_MAX(-x[1], 0), (signed char)SF_MAX(x[1], 0)};
    return r;
}

static struct reach reach_sum(struct reach a, struct reach b)
{
    a.im = (signed char)(a.im + b.im), a.ip = (signed char)(a.ip + b.ip), a.km = (signed char)(a.km + b.km);
    a.kp = (signed char)(a.kp + b.kp), a.jm = (signed char)(a.jm + b.jm), a.jp = (signed char)(a.jp + b.jp);
    return a;
}

static int writes(const struct described *s, const struct symbol *field)
{
    int is = 0;
    for (int n = 0; n < s->ntouches; n++) is |= s->touch[n].field == field && s->touch[n].writes;
    return is;
}

static void touch_join(struct description *d, struct described *s, const struct symbol *field, int reads,
                       int is_written, struct reach r)
{
    int n = 0;
    while (n < s->ntouches && s->touch[n].field != field) n++;
    if (n == TOUCHES) return describe_wrong(d, s->at, "a stage touches at most %d fields", TOUCHES);
    struct touch *const t = &s->touch[n];
    t->field = field, t->reads |= reads, t->writes |= is_written, t->reach = describe_reach_both(t->reach, r);
    t->is_everywhere = 1, t->changes_everywhere |= is_written;
    s->ntouches = SF_MAX(s->ntouches, n + 1);
}

/* ---- how far stages are made ---- */

/* Where an expression, and the values that it names, reads a field; `by` further where it is made beyond the points. */
static void reads_find(const struct node *e, const struct symbol *field, struct reach by, struct reach *all)
{
    if (e->kind == NODE_NAME && e->symbol == field)
        *all = describe_reach_both(*all, reach_sum(describe_reach_of(e->index), by));
    if (e->line) reads_find(e->line->value, field, by, all);
    for (int n = 0; n < e->narg; n++) reads_find(e->arg[n], field, by, all);
}

/* A stage with media or another sweep makes all of its results where it makes one. */
static int is_whole(const struct described *s) { return s->nof || is_layered(s) || describe_only(s, 0); }

/* How far the stage reads field t, where its results are wanted as far as `wanted` says, by symbols. */
static struct reach reach_wanted(const struct description *d, const struct described *s, const struct touch *t,
                                 const struct reach *wanted)
{
    struct reach all = {0}, any = {0};
    for (int n = 0; n < s->ntouches; n++)
        if (s->touch[n].writes) any = describe_reach_both(any, wanted[s->touch[n].field - d->symbol]);
    if (is_whole(s)) return reach_sum(t->reach, any);
    for (int n = 0; n < s->nlines; n++)
        if (s->line[n].field) reads_find(s->line[n].value, t->field, wanted[s->line[n].field - d->symbol], &all);
    return all;
}

/* What a stage reads of one before is made again beyond every tile, so that the one before reaches further by as much.
 */
static void reaches_find(struct description *d, const struct described *const *of, int nof, struct reach (*to)[TOUCHES])
{
    static const struct reach own = {0};
    struct reach *const wanted = describe_memory(d, sizeof *wanted * (size_t)(d->nsymbols + 1));
    for (int p = nof - 1; p >= 0; p--) {
        for (int n = 0; n < of[p]->ntouches; n++) to[p][n] = reach_wanted(d, of[p], &of[p]->touch[n], wanted);
        for (int n = 0; n < of[p]->ntouches; n++)
            if (of[p]->touch[n].writes) wanted[of[p]->touch[n].field - d->symbol] = own;
        for (int n = 0; n < of[p]->ntouches; n++) {
            struct reach *const x = &wanted[of[p]->touch[n].field - d->symbol];
            if (of[p]->touch[n].reads) *x = describe_reach_both(*x, to[p][n]);
        }
    }
}

/* Arithmetic of another stage beside its own. */
static void flops_join(struct description *d, struct described *s, const struct described *of)
{
    if (of->flops_name && s->flops_name) s->flops_name = describe_joined(d, s->flops_name, " + ");
    if (of->flops_name)
        s->flops_name = s->flops_name ? describe_joined(d, s->flops_name, of->flops_name) : of->flops_name;
    s->flops += of->flops;
    for (int n = 0; n < of->ncounted; n++) *ADD(d, s->counted, s->ncounted) = of->counted[n];
}

/* Who computes a vector reads all of its components alike. A field that is read there and changed goes to its other
 * bank.
 *     into between   the second is made where there are neither layers nor several media. The first alone is made
 *                    elsewhere, and what lies between them goes into fields of its own
 *     from between   from those, in place of what it changes, and there alone
 * Places of these two may overlap: what layers remember goes to the other bank. */
void describe_sweep(struct description *d, struct described *s)
{
    const struct described *of[SWEEP_STAGES] = {NULL};
    struct reach far[SWEEP_STAGES][TOUCHES];
    for (int n = 0; n < s->nof; n++) {
        for (const struct described *x = d->stage; x < s; x++)
            if (!strcmp(x->name, s->of[n]) && x->unit == UNIT_POINT && !x->is_elements) of[n] = x;
        if (!of[n]) return describe_wrong(d, s->at, "there is no stage of points above that is called %s", s->of[n]);
        flops_join(d, s, of[n]);
    }
    reaches_find(d, of, s->nof, far);
    for (int p = 0; p < s->nof; p++)
        for (int n = 0; n < of[p]->ntouches; n++) {
            const struct touch *const t = &of[p]->touch[n];
            const int is_part = t->field->field.shape == SHAPE_BOX;
            int is_made = 0;
            for (int q = 0; q < p; q++) is_made |= writes(of[q], t->field);
            if (is_part && p && s->between) continue;
            const struct reach none = {0};
            touch_join(d, s, t->field, t->reads && !is_made, t->writes,
                       is_made                 ? none
                       : is_part && s->between ? t->reach
                                               : far[p][n]);
        }
    for (int p = 0; p < s->nof; p++) {
        struct reach all = {0};
        for (int twice = 0; twice < 2; twice++)
            for (struct touch *t = s->touch; t < s->touch + s->ntouches; t++)
                if (writes(of[p], t->field) && t->field->field.shape != SHAPE_BOX)
                    all = describe_reach_both(all, t->reach), t->reach = all;
    }
    static const struct reach own = {0};
    for (int n = 0, end = s->ntouches; n < end; n++) {
        const struct touch t = s->touch[n];
        const int is_part = t.field->field.shape == SHAPE_BOX;
        s->touch[n].is_new =
            t.reads && t.writes && ((is_part && s->between) || memcmp(&t.reach, &own, sizeof own) != 0);
        if (is_part || !t.writes || !s->between) continue;
        for (const struct symbol *m = d->symbol; m < d->symbol + d->nsymbols; m++)
            if (m->between && !strcmp(m->between, t.field->name))
                touch_join(d, s, m, s->between == BETWEEN_FROM, s->between == BETWEEN_INTO,
                           s->between == BETWEEN_FROM ? t.reach : own);
        if (s->between == BETWEEN_FROM) s->touch[n].is_new = 0, s->touch[n].reach = own;
    }
}
