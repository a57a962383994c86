/* Stages of elements, whose bodies are functions in C: what they touch, their lists say. And stages that follow from
 * others. SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"

#include <string.h>

/* A field of list `a`. */
static void element_settle(struct description *d, struct described *s, const struct assignment *a, struct node *e)
{
    const struct symbol *const f = describe_find(d, e->name);
    const int is_name = e->kind == NODE_NAME && !e->is_old && !e->span, changes = a->kind == LINE_CHANGES;
    e->symbol = f;
    if (is_name && !f) return describe_wrong(d, e->at, "there is no %s", e->name);
    if (!is_name || f->kind != SYMBOL_FIELD || f->is_each || (f->field.shape != SHAPE_FULL && !f->is_media))
        return describe_wrong(d, e->at, "a list has names of fields of three dimensions, or of media");
    if (f->is_media != (a->value->arg[0]->symbol && a->value->arg[0]->symbol->is_media))
        return describe_wrong(d, e->at, "media and other fields are in lists of their own");
    if (e->nindex && (e->nindex != 3 || changes || f->is_media))
        return describe_wrong(d, e->at, "a field that is read alone takes three distances; others take none");
    if (changes && f->field.role == ROLE_STATIC)
        return describe_wrong(d, e->at, "%s is static: nothing changes it", f->name);
    for (int n = 0; n < s->ntouches; n++)
        if (s->touch[n].field == f) return describe_wrong(d, e->at, "%s is in a list already", f->name);
    if (s->ntouches == TOUCHES) return describe_wrong(d, e->at, "a stage touches at most %d fields", TOUCHES);
    s->touch[s->ntouches++] =
        (struct touch){.field = f, .reads = 1, .writes = changes, .reach = describe_reach_of(e->index)};
}

/* Has the pack of one the members of the other's? */
static int is_alike(const struct described *a, const struct described *b)
{
    int is = a->nlines == b->nlines && !a->sums == !b->sums;
    for (int n = 0; is && n < a->nlines; n++) {
        const struct node *const x = a->line[n].value, *const y = b->line[n].value;
        is = a->line[n].kind == b->line[n].kind && !strcmp(x->name, y->name) && x->narg == y->narg &&
             x->arg[0]->symbol->is_media == y->arg[0]->symbol->is_media;
    }
    return is;
}

/* A list is a member of the pack, beside those that every pack has. */
static void list_settle(struct description *d, const struct described *s, const struct assignment *a)
{
    static const char *const own[] = {"sj", "sk", "j0", "imaginary", "sums"};
    for (size_t n = 0; n < sizeof own / sizeof own[0]; n++)
        if (!strcmp(a->name, own[n])) describe_wrong(d, a->at, "a pack has a member %s of its own", a->name);
    for (const struct assignment *b = s->line; b < a; b++)
        if (!strcmp(a->name, b->name)) return describe_wrong(d, a->at, "there is a list %s already", a->name);
}

void describe_elements(struct description *d, struct described *s)
{
    if (!s->id && !d->nerrors)
        describe_wrong(d, s->at, "the stage %s has no id: `elements %s id ID`", s->name, s->name);
    for (int n = 0; n < s->nlines; n++) list_settle(d, s, &s->line[n]);
    for (int n = 0; n < s->nlines; n++)
        for (int m = 0; m < s->line[n].value->narg; m++) element_settle(d, s, &s->line[n], s->line[n].value->arg[m]);
    if (!s->nlines && !d->nerrors) describe_wrong(d, s->at, "the stage %s names no field", s->name);
    if (!s->pack) s->pack = s->name;
    for (const struct described *x = d->stage; x < s && !d->nerrors; x++) {
        if (!x->pack || strcmp(x->pack, s->pack) != 0) continue;
        s->is_shared = 1;
        if (!is_alike(x, s))
            describe_wrong(d, s->at, "the lists of %s and %s, which share a pack, differ in names or length", x->name,
                           s->name);
    }
}

/* What field x says that it stands for, NULL: none; and the word that says so. */
static const char *name_of(const struct symbol *x, enum variant v)
{
    return v == VARIANT_IM ? x->imaginary : x->between;
}
static const char *word_of(enum variant v) { return v == VARIANT_IM ? "imaginary" : "between"; }

static const struct symbol *stands_for(const struct description *d, const struct symbol *f, enum variant of)
{
    for (const struct symbol *x = d->symbol; x < d->symbol + d->nsymbols; x++) {
        const char *const name = name_of(x, of);
        if (name && !strcmp(name, f->name)) return x;
    }
    return f->field.role == ROLE_STATIC ? f : NULL;
}

static void variant_make(struct description *d, const struct described *of, enum variant v)
{
    static const char *const small[] = {"", "_rim", "_im"}, *const large[] = {"", "_RIM", "_IM"};
    struct described *const s = ADD(d, d->stage, d->nstages);
    *s = *of;
    s->base = of, s->variant = v, s->variants = 0, s->cpu = s->gpu = NULL;
    s->name = describe_joined(d, of->name, small[v]), s->id = describe_joined(d, of->id ? of->id : "", large[v]);
    for (int n = 0; n < s->ntouches; n++) {
        const struct symbol *const f = stands_for(d, of->touch[n].field, v);
        if (!f)
            return describe_wrong(d, of->at, "no field is there for %s in %s: `%s %s` says which one is",
                                  of->touch[n].field->name, s->name, word_of(v), of->touch[n].field->name);
        s->touch[n].field = f;
    }
}

/* One field at most stands for another, and has an element wherever that has one. */
static void stand_check(struct description *d, const struct symbol *x, enum variant v)
{
    const char *const of = name_of(x, v);
    if (!of || !of[0]) return;
    const struct symbol *const f = describe_find(d, of);
    if (!f || f->kind != SYMBOL_FIELD) return describe_wrong(d, x->at, "there is no field %s", of);
    if (f == x || f->field.shape != x->field.shape || f->field.stagger != x->field.stagger ||
        f->is_media != x->is_media || f->is_each != x->is_each || f->axis != x->axis)
        return describe_wrong(d, x->at, "what stands for %s is another field, of its shape and place", of);
    const struct symbol *const first = stands_for(d, f, v);
    if (first != x) describe_wrong(d, x->at, "%s is `%s %s` already", first->name, word_of(v), of);
}

void describe_variants(struct description *d)
{
    for (int n = 0; n < d->nsymbols; n++)
        for (enum variant v = VARIANT_RIM; v <= VARIANT_IM; v++) stand_check(d, &d->symbol[n], v);
    for (enum variant v = VARIANT_RIM; v <= VARIANT_IM && !d->nerrors; v++)
        for (int n = 0, end = d->nstages; n < end; n++)
            if (d->stage[n].variants >> v & 1) variant_make(d, &d->stage[n], v);
}
