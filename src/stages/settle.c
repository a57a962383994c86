/* What names stand for, and what a stage touches. SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"
#include "pipeline/sfmath_flops.h"

#include <stdlib.h>
#include <string.h>

/* Where an expression stands decides what it may name. */
enum place { PLACE_STAGE, PLACE_NUMBER, PLACE_START };

/* What every description knows. */
static const struct known {
    const char *name, *real, *twice; /* of functions: as stages call them, and in double precision */
    int narguments; /* 0: a word */
    unsigned places; /* of a word: sum of 1 << enum place */
    int flops; /* of a function: choosing and taking a magnitude are no arithmetic */
} known[] = {
    {"sqrt", "sf_sqrt", "__builtin_sqrt", 1, 0, 1},
    {"abs", "sf_abs", "__builtin_fabs", 1, 0, 0},
    {"exp", "sf_exp", "sfd_exp", 1, 0, FLOPS_EXP},
    {"log", "sf_log", "sfd_log", 1, 0, FLOPS_LOG},
    {"pow", "sf_pow", "sfd_pow", 2, 0, FLOPS_POW},
    {"sin", "sf_sin", "sfd_sin", 1, 0, FLOPS_SIN},
    {"cos", "sf_cos", "sfd_cos", 1, 0, FLOPS_COS},
    {"min", "printed_min", "printed_min_twice", 2, 0, 0},
    {"max", "printed_max", "printed_max_twice", 2, 0, 0},
    {"fma", "sf_fma", "__builtin_fma", 3, 0, 2},
    {"pi", "3.14159265358979323846", "", 0, 7, 0},
    {"dt", "", "", 0, 1, 0},
    {"time", "", "", 0, 1, 0},
    {"dx", "", "", 0, 7, 0},
    {"dy", "", "", 0, 7, 0},
    {"dz", "", "", 0, 7, 0},
    {"x", "", "", 0, 4, 0},
    {"y", "", "", 0, 4, 0},
    {"z", "", "", 0, 4, 0},
    {"at_bottom", "", "", 0, 1, 0}, /* in sweeps, where a comparison may stand */
    {"at_top", "", "", 0, 1, 0},
    {"member", "", "", 0, 1, 0}, /* of a family, the number: models of our own alone have any */
};

const struct symbol *describe_find(const struct description *d, const char *name)
{
    for (int n = 0; n < d->nsymbols; n++)
        if (!strcmp(d->symbol[n].name, name)) return &d->symbol[n];
    return NULL;
}

const char *describe_twice(const char *name)
{
    for (size_t n = 0; n < sizeof known / sizeof known[0]; n++)
        if (!strcmp(known[n].name, name)) return known[n].twice;
    return name;
}

/* Names that the language has a use for; printed code has prefixes of its own. */
static int is_reserved(const char *name)
{
    static const char *const word[] = {"old",   "new",    "out",   "id",    "on", "odd",
                                       "every", "extend", "carry", "solve", "up", "down"};
    for (size_t n = 0; n < sizeof word / sizeof word[0]; n++)
        if (!strcmp(name, word[n])) return 1;
    return 0;
}

static void known_add(struct description *d)
{
    const int own = d->nsymbols, n = (int)(sizeof known / sizeof known[0]) - !d->numbers;
    struct symbol *const all = describe_memory(d, (size_t)(own + n) * sizeof *all);
    if (own) memcpy(all, d->symbol, (size_t)own * sizeof *all);
    for (int k = 0; k < n; k++)
        all[own + k] = (struct symbol){.kind = known[k].narguments ? SYMBOL_FORMULA : SYMBOL_WORD,
                                       .name = known[k].name,
                                       .c_name = known[k].real,
                                       .narguments = known[k].narguments,
                                       .number = (int)known[k].places};
    d->symbol = all, d->nsymbols = own + n;
    for (int is_static = 0; is_static < 2; is_static++) /* fields that change come first */
        for (int k = 0; k < own; k++)
            if (all[k].kind == SYMBOL_FIELD && (all[k].field.role == ROLE_STATIC) == is_static)
                all[k].number = d->nfields++;
    for (int k = 0; k < own; k++) {
        struct symbol *const s = &d->symbol[k];
        if (s->kind == SYMBOL_PARAMETER || s->kind == SYMBOL_NUMBER) s->number = DESCRIBE_VALUES + d->nvalues++;
        if (is_reserved(s->name) && s->kind != SYMBOL_MEMBER && s->kind != SYMBOL_FORMULA)
            describe_wrong(d, s->at, "%s is a word of the language: choose another name", s->name);
        for (const char *c = s->name; s->kind == SYMBOL_PARAMETER && *c; c++)
            if (*c >= 'A' && *c <= 'Z') {
                describe_wrong(
                    d, s->at,
                    "%s is a key of the namelist, which does not tell large letters from small ones: use small ones",
                    s->name);
                break;
            }
        for (int m = 0; m < d->nsymbols; m++)
            if (m != k && (m < k || m >= own) && !strcmp(s->name, all[m].name))
                describe_wrong(d, s->at, "there is a %s already", s->name);
    }
}

/* ---- names ---- */

struct walk {
    struct description *d;
    struct described *stage; /* NULL: no stage */
    enum place place;
    enum shape shape; /* of the field whose start it is */
    const struct symbol *before; /* numbers from here on are not known yet; NULL: all are */
    struct assignment **local; /* known so far */
    int nlocals, part;
    int is_below_top, is_above_bottom; /* known where this stands */
    int layer; /* of the line, as assignment.layer */
    int is_given; /* what stands here is an argument of a header's formula, or in a structure of its */
    const struct assignment *line; /* whose value it is */
    int only; /* the part, counted from 1, in which lines from here on are for some points alone */
};

/* +1 in a sweep up, -1 in one down, 0 elsewhere. */
static int direction(const struct described *s, int part)
{
    return s->part[part].kind == PART_UP ? 1 : s->part[part].kind == PART_DOWN ? -1 : 0;
}

/* Is it about every point? Not what comes once a column, nor beside a side, nor where something changes alone. */
static int is_everywhere(const struct walk *w)
{
    const struct described *const s = w->stage;
    return s->part[w->part].kind != PART_ONCE && !s->is_side && w->only != w->part + 1;
}

static struct touch *touch_of(struct walk *w, const struct symbol *field, const char *at)
{
    struct described *const s = w->stage;
    int n = 0;
    while (n < s->ntouches && s->touch[n].field != field) n++;
    if (n == TOUCHES) {
        describe_wrong(w->d, at, "a stage touches at most %d fields", TOUCHES);
        return &s->touch[0];
    }
    s->ntouches = SF_MAX(s->ntouches, n + 1);
    s->touch[n].field = field, s->touch[n].is_everywhere |= is_everywhere(w);
    return &s->touch[n];
}

/* ---- arithmetic ---- */

/* So many more of a header's formula. */
static void formula_count(struct walk *w, const char *formula)
{
    struct described *const s = w->stage;
    int n = 0;
    while (n < s->ncounted && strcmp(s->counted[n].formula, formula) != 0) n++;
    if (n == s->ncounted) ADD(w->d, s->counted, s->ncounted)->formula = formula;
    s->counted[n].times++;
}

/* How much there is to compute: of two ways the longer one counts. */
static int work_of(const struct node *e)
{
    int work = e->kind == NODE_BOTH || e->kind == NODE_CALL;
    for (int n = 0; n < e->narg; n++) work += work_of(e->arg[n]);
    return work;
}

/* + - * / and functions. Signs, comparisons and choices are none. */
static void flops_count(struct walk *w, const struct node *e)
{
    if (e->kind == NODE_CHOICE) {
        flops_count(w, e->arg[0]);
        return flops_count(w, e->arg[work_of(e->arg[2]) > work_of(e->arg[1]) ? 2 : 1]);
    }
    for (int n = 0; n < e->narg; n++) flops_count(w, e->arg[n]);
    if (e->kind == NODE_BOTH) w->stage->flops += strchr("+-*/", e->name[0]) ? 1 : 0;
    if (e->kind != NODE_CALL || !e->symbol || e->symbol->kind != SYMBOL_FORMULA) return;
    for (size_t n = 0; n < sizeof known / sizeof known[0]; n++)
        if (!strcmp(known[n].name, e->name)) {
            w->stage->flops += known[n].flops;
            return;
        }
    formula_count(w, e->name);
}

/* Of a line at every point: not of what is made once for all of them, nor in the layers, which are few. */
static void line_count(struct walk *w, const struct assignment *a)
{
    enum { SOLVING = 9 }; /* of the elimination and the way back */
    if (a->layer || a->is_uniform || !is_everywhere(w)) return;
    if (a->kind == LINE_SOLVE) w->stage->flops += SOLVING;
    flops_count(w, a->value);
}

static void reach_grow(signed char *minus, signed char *plus, int by)
{
    if (-by > *minus) *minus = (signed char)-by;
    if (by > *plus) *plus = (signed char)by;
}

static int is_changed(const struct described *s, const char *name)
{
    int n = 0;
    while (n < s->nchanged && strcmp(s->changed[n], name) != 0) n++;
    return n < s->nchanged;
}

/* May a line name a field that covers part of the domain, or holds numbers of media? */
static void part_walk(const struct walk *w, const struct node *e, const struct symbol *f)
{
    if (f->is_media)
        describe_wrong(w->d, e->at, "%s holds numbers of media: a table takes it, TABLE(%s)", f->name, f->name);
    if (f->is_memory && w->layer != 1 + f->axis)
        describe_wrong(w->d, e->at, "%s is known within its own layer alone: layer %c { ... }", f->name,
                       "xyz"[f->axis]);
    if (e->nindex) describe_wrong(w->d, e->at, "%s is known at the own point alone", f->name);
}

/* A value that lines before gave a field: of its own point, and within a layer, behind them. */
static void made_walk(const struct walk *w, struct node *e, const struct touch *t)
{
    e->is_made = 1;
    if (w->layer == t->layer)
        describe_wrong(w->d, e->at,
                       "%s has its new value already: read it in lines before, or give the value a name of its own",
                       e->name);
    else if (e->nindex)
        describe_wrong(w->d, e->at, "%s has its new value already, which is known at the own point alone", e->name);
}

/* A field that a stage of points reads as it is and as it was, and leaves alone. */
static void both_walk(struct walk *w, const struct node *e, struct touch *t)
{
    if (w->stage->unit == UNIT_COLUMN || t->writes)
        describe_wrong(w->d, e->at, "%s is read as it is and as it was: by a stage of points that does not change it",
                       e->name);
    t->is_both = 1;
}

static void field_walk(struct walk *w, struct node *e, const struct symbol *f)
{
    static const int dims[] = {[SHAPE_FULL] = 3, [SHAPE_LEVELS] = 1, [SHAPE_MAP] = 2};
    static const char *const kind[] = {
        [SHAPE_FULL] = "a field of three dimensions", [SHAPE_LEVELS] = "a profile of levels", [SHAPE_MAP] = "a map"};
    if (!w->stage) return describe_wrong(w->d, e->at, "a field has no value here, before the run: %s", f->name);
    if (f->field.shape == SHAPE_BOX) part_walk(w, e, f);
    else if (e->nindex && e->nindex != dims[f->field.shape])
        return describe_wrong(w->d, e->at, "%s is %s and takes %d distance%s, not %d", f->name, kind[f->field.shape],
                              dims[f->field.shape], dims[f->field.shape] == 1 ? "" : "s", e->nindex);
    if (is_changed(w->stage, f->name)) e->is_old = !w->stage->is_like_new;
    if (e->span)
        describe_wrong(w->d, e->at, "a range of points is several arguments, of a formula or a structure: this is one");
    struct touch *const t = touch_of(w, f, e->at);
    if (t->writes && !t->is_new) made_walk(w, e, t);
    if (t->reads && t->is_old != e->is_old) both_walk(w, e, t);
    if (w->stage->is_shown && (e->is_old || f->field.role == ROLE_SCRATCH))
        describe_wrong(w->d, e->at, "what is shown is the state between steps, which %s is no part of: show a field",
                       f->name);
    if (e->is_old && f->field.role != ROLE_PROGNOSTIC)
        describe_wrong(w->d, e->at, "%s has no old value: it is not carried from step to step", f->name);
    t->reads = 1, t->is_old = e->is_old || t->is_both, t->last_read = w->part + 1;
    w->stage->is_each |= f->is_each;
    const int *const x = e->index;
    if (f->field.shape == SHAPE_LEVELS) return reach_grow(&t->reach.km, &t->reach.kp, x[0]);
    reach_grow(&t->reach.im, &t->reach.ip, x[0]), reach_grow(&t->reach.jm, &t->reach.jp, x[1]);
    if (f->field.shape == SHAPE_MAP) return;
    if (direction(w->stage, w->part) * x[2] < 0) t->behind = w->part + 1;
    e->is_inside = (w->is_below_top && x[2] == 1) || (w->is_above_bottom && x[2] == -1);
    if (!e->is_inside) reach_grow(&t->reach.km, &t->reach.kp, x[2]);
}

/* A value that a line of the stage named. */
static void local_walk(struct walk *w, struct node *e, struct assignment *a)
{
    static const struct symbol local = {.kind = SYMBOL_LOCAL};
    const int way = direction(w->stage, w->part), is_before = e->nindex == 1 && e->index[0] && e->index[0] == -way;
    e->symbol = &local, e->line = a;
    if (a->kind == LINE_SOLVE && (a->part != w->part - 2 || way != -direction(w->stage, a->part)))
        return describe_wrong(w->d, e->at, "%s is known in the sweep behind its own, which goes back", e->name);
    if (e->is_old || (e->nindex && !(a->kind == LINE_SOLVE && is_before)))
        describe_wrong(w->d, e->at,
                       a->kind == LINE_SOLVE ? "of %s this level is known, and the one before it: %s[1] on the way "
                                               "down, %s[-1] on the way up"
                                             : "%s is a value of this point, no field",
                       e->name, e->name, e->name);
    if (a->is_double && !w->is_given && !(a->kind == LINE_CARRY && w->line && !strcmp(w->line->name, a->name)))
        describe_wrong(w->d, e->at, "%s is a `double`, which formulas of a header take", e->name);
    if (a->part == w->part || a->kind != LINE_VALUE || a->is_uniform) return;
    if (describe_structure(a->value)) describe_wrong(w->d, e->at, "%s is a structure: no other part has it", e->name);
    if (direction(w->stage, a->part) && !way)
        return describe_wrong(w->d, e->at, "%s has a value at every level, and here is none: carry one", e->name);
    a->is_kept = w->part + 1;
}

static void name_walk(struct walk *w, struct node *e)
{
    for (int n = 0; n < w->nlocals; n++)
        if (!strcmp(w->local[n]->name, e->name)) return local_walk(w, e, w->local[n]);
    const struct symbol *const s = describe_find(w->d, e->name);
    e->symbol = s;
    if (!s) return describe_wrong(w->d, e->at, "there is no %s", e->name);
    if (s->kind == SYMBOL_FIELD) return field_walk(w, e, s);
    if (s->kind == SYMBOL_FORM) {
        if (!w->stage) return describe_wrong(w->d, e->at, "%s is known in stages alone", e->name);
        if (w->stage->form && w->stage->form != s)
            describe_wrong(w->d, e->at, "%s comes in the forms of %s already", w->stage->name, w->stage->form->name);
        if (w->stage->unit == UNIT_COLUMN) describe_wrong(w->d, e->at, "stages of points alone come in forms");
        w->stage->form = s;
    }
    if (e->nindex || e->is_old) describe_wrong(w->d, e->at, "%s is no field", e->name);
    if (s->is_double && !w->is_given && !(w->line && w->line->is_double))
        describe_wrong(w->d, e->at, "%s is a `double`, which formulas of a header take", e->name);
    if (s->kind == SYMBOL_NUMBER && w->before && s >= w->before)
        return describe_wrong(w->d, e->at, "%s has its value in a line further down", e->name);
    if (s->kind == SYMBOL_LINE && !w->stage) return describe_wrong(w->d, e->at, "%s is known in stages alone", e->name);
    if (s->kind == SYMBOL_FUNCTION || s->kind == SYMBOL_FORMULA || s->kind == SYMBOL_TABLE)
        return describe_wrong(w->d, e->at, "%s is a function: its arguments are missing", e->name);
    if (s->kind == SYMBOL_WORD && !(s->number >> w->place & 1))
        return describe_wrong(w->d, e->at,
                              w->place == PLACE_STAGE
                                  ? "%s is known where fields begin, not in a stage: make a static field of it"
                                  : "%s is known in stages alone",
                              e->name);
    if (w->shape == SHAPE_MAP && !strcmp(s->name, "z"))
        describe_wrong(w->d, e->at, "a map has one value for all levels: it knows x and y alone");
    if (w->shape == SHAPE_LEVELS && (!strcmp(s->name, "x") || !strcmp(s->name, "y")))
        describe_wrong(w->d, e->at, "a profile has one value for all columns: it knows z alone");
}

/* TABLE(media): a number by the medium of the own point, which is looked up before the point is computed. */
static void table_walk(struct walk *w, struct node *e)
{
    const struct symbol *const f =
        e->narg == 1 && e->arg[0]->kind == NODE_NAME ? describe_find(w->d, e->arg[0]->name) : NULL;
    if (!w->stage) return describe_wrong(w->d, e->at, "%s is known in stages alone", e->name);
    if (!f || !f->is_media || e->arg[0]->nindex || e->arg[0]->is_old)
        return describe_wrong(w->d, e->at, "%s takes the name of a field of media", e->name);
    e->arg[0]->symbol = f;
    touch_of(w, f, e->at)->reads = 1;
}

/* NAME(field, value): beyond an open side the two outermost values of the field, and the wind through the side, make
 * it. */
static void beyond_walk(struct walk *w, struct node *e)
{
    struct described *const s = w->stage;
    const struct symbol *const f =
        e->narg == 2 && e->arg[0]->kind == NODE_NAME ? describe_find(w->d, e->arg[0]->name) : NULL;
    if (!s) return describe_wrong(w->d, e->at, "%s is known in stages alone", e->name);
    if (!f || f->kind != SYMBOL_FIELD || f->field.shape != SHAPE_FULL)
        return describe_wrong(w->d, e->at, "%s takes a field of three dimensions, and what stands outside", e->name);
    const int *const x = e->arg[0]->index, axis = x[0] ? 0 : 1, n = x[axis];
    if (x[axis] && (x[1 - axis] || x[2])) describe_wrong(w->d, e->at, "%s takes points along x or y", e->name);
    s->beyond = e->symbol;
    name_walk(w, e->arg[0]);
    for (int wind = 0; wind < 2; wind++) {
        const struct symbol *const u = describe_find(w->d, e->symbol->argument[wind]);
        if (!u || u->kind != SYMBOL_FIELD)
            return describe_wrong(w->d, e->at, "there is no field %s", e->symbol->argument[wind]);
        touch_of(w, u, e->at)->reads = 1;
        if (wind != axis || !n) continue; /* the side is as far as the point, the second value further in */
        struct reach *const of = &touch_of(w, u, e->at)->reach, *const in = &touch_of(w, f, e->at)->reach;
        reach_grow(axis ? &of->jm : &of->im, axis ? &of->jp : &of->ip, n < 0 ? n + 1 : n);
        reach_grow(axis ? &in->jm : &in->im, axis ? &in->jp : &in->ip, n < 0 ? 1 : -1);
    }
}

const char *describe_structure(const struct node *e)
{
    if (e->kind == NODE_MAKE) return e->name;
    if (e->kind == NODE_NAME && e->line && e->line->kind == LINE_VALUE) return describe_structure(e->line->value);
    return e->kind == NODE_CALL && e->symbol && e->symbol->kind == SYMBOL_FORMULA ? e->symbol->gives : NULL;
}

/* is_truth: a comparison is wanted. */
static void walk(struct walk *w, struct node *e, int is_truth)
{
    const int logical = e->kind == NODE_BOTH && (e->name[0] == '&' || e->name[0] == '|'),
              compares = e->kind == NODE_BOTH && strchr("<>=!", e->name[0]);
    const int is_end = e->kind == NODE_NAME && (!strcmp(e->name, "at_top") || !strcmp(e->name, "at_bottom"));
    if (is_end && is_truth && w->stage && direction(w->stage, w->part)) return name_walk(w, e);
    if (is_end) return describe_wrong(w->d, e->at, "%s is asked in a sweep, in a choice: %s ? x : y", e->name, e->name);
    if (is_truth != (logical || compares))
        return describe_wrong(w->d, e->at,
                              is_truth ? "a comparison is missing here: a < b"
                                       : "a comparison stands in a choice: a < b ? x : y");
    if (e->kind == NODE_NAME) return name_walk(w, e);
    if (e->kind == NODE_CALL) {
        e->symbol = describe_find(w->d, e->name);
        if (e->symbol && e->symbol->kind == SYMBOL_TABLE) return table_walk(w, e);
        if (e->symbol && e->symbol->kind == SYMBOL_BEYOND) {
            beyond_walk(w, e);
            if (e->narg == 2) walk(w, e->arg[1], 0);
            return;
        }
        if (!e->symbol || e->symbol->kind != SYMBOL_FORMULA)
            return describe_wrong(w->d, e->at, "there is no function %s", e->name);
        if (e->symbol->narguments >= 0 && e->symbol->narguments != e->narg)
            return describe_wrong(w->d, e->at, "%s takes %d argument%s, not %d", e->name, e->symbol->narguments,
                                  e->symbol->narguments == 1 ? "" : "s", e->narg);
    }
    for (int n = 0; n < e->narg; n++) {
        const struct walk before = *w;
        const char *const end = e->kind == NODE_CHOICE && n == 2 && e->arg[0]->kind == NODE_NAME ? e->arg[0]->name : "";
        w->is_below_top |= !strcmp(end, "at_top"), w->is_above_bottom |= !strcmp(end, "at_bottom");
        w->is_given = e->kind == NODE_MAKE || (e->kind == NODE_CALL && !e->symbol->c_name);
        walk(w, e->arg[n], logical || (e->kind == NODE_CHOICE && n == 0));
        w->is_below_top = before.is_below_top, w->is_above_bottom = before.is_above_bottom;
        w->is_given = before.is_given;
    }
    if (e->kind == NODE_PART && e->arg[0]->kind != NODE_PART && !describe_structure(e->arg[0]))
        describe_wrong(w->d, e->at, "what stands before .%s is no structure", e->name);
}

static struct node *expanded(const struct walk *w, const struct node *value)
{
    int nodes = 0;
    const struct scope c = {.d = w->d, .stage = w->stage, .nodes = &nodes};
    struct node *const e = describe_expand(&c, value);
    return w->stage && w->stage->is_side ? describe_turned(w->d, w->stage, e) : e;
}

static struct node *settled_as(struct walk *w, const struct node *value, int is_truth)
{
    struct node *const e = expanded(w, value);
    walk(w, e, is_truth);
    return e;
}
static struct node *settled(struct walk *w, const struct node *value) { return settled_as(w, value, 0); }

static void result_settle(struct walk *w, struct assignment *a, const struct symbol *f)
{
    if (f->is_memory && w->layer != 1 + f->axis)
        return describe_wrong(w->d, a->at, "%s is known within its own layer alone: layer %c { ... }", a->name,
                              "xyz"[f->axis]);
    const int is_once = w->stage->part[a->part].kind == PART_ONCE;
    if (w->stage->unit == UNIT_POINT && f->field.shape != SHAPE_FULL && !f->is_memory)
        return describe_wrong(w->d, a->at,
                              "the stage computes points: it cannot write %s, which is no field of three dimensions",
                              a->name);
    if (f->field.shape == SHAPE_LEVELS)
        return describe_wrong(w->d, a->at, "%s is one profile for all columns: none of them writes it", a->name);
    if (w->stage->unit == UNIT_COLUMN && !is_once && f->field.shape == SHAPE_MAP)
        return describe_wrong(w->d, a->at, "%s has one value a column: write it beside the sweeps", a->name);
    if (a->is_new && f->field.shape == SHAPE_MAP)
        return describe_wrong(w->d, a->at, "a map has no other values to keep: leave out `new`");
    if (a->is_new && is_once)
        return describe_wrong(w->d, a->at,
                              "beside the sweeps the lowest level of %s is written, and the others stay what they are: "
                              "leave out `new`",
                              a->name);
    if (f->field.role == ROLE_STATIC) return describe_wrong(w->d, a->at, "%s is static: nothing changes it", a->name);
    struct touch *const t = touch_of(w, f, a->at);
    if (t->writes && t->layer == w->layer)
        return describe_wrong(w->d, a->at, "%s has its new value already: a stage gives it one", a->name);
    if (t->is_both)
        return describe_wrong(w->d, a->at, "%s is read as it is and as it was: such a stage does not change it",
                              a->name);
    const struct reach r = t->reach;
    const int columns = w->stage->unit == UNIT_COLUMN, beyond = r.km || r.kp;
    if (columns && beyond && !a->is_new && t->reads && !t->is_old)
        describe_wrong(w->d, a->at,
                       "%s is read beyond the ends of the column that changes it: at_top ? value : %s[0, 0, 1]",
                       a->name, a->name);
    if (columns && t->behind == a->part + 1 && !a->is_new && !t->is_old)
        describe_wrong(w->d, a->at, "%s has its new value at the levels where this sweep has been: carry what it was",
                       a->name);
    if (a->is_new && f->field.role == ROLE_SCRATCH)
        describe_wrong(w->d, a->at, "%s is scratch and has no other values to keep: leave out `new`", a->name);
    if (!a->is_new && t->reads && !t->is_old && (r.im || r.ip || r.jm || r.jp || (!columns && beyond)))
        describe_wrong(w->d, a->at, "%s is changed where neighbours still read it: write `new %s = ...`", a->name,
                       a->name);
    if (a->is_new && t->is_old)
        describe_wrong(w->d, a->at, "`new %s` takes the place of `old %s`: one of them must go", a->name, a->name);
    if (is_once && f->field.shape == SHAPE_FULL) {
        if (t->is_old)
            return describe_wrong(w->d, a->at,
                                  "beside the sweeps the lowest level of %s is written, and the others stay what they "
                                  "are: it has no `old` value",
                                  a->name);
        t->reads = 1; /* the others stay */
    }
    t->changes_everywhere |= is_everywhere(w);
    t->writes = 1, t->is_new = a->is_new, t->layer = w->layer, a->field = f;
    w->stage->is_each |= f->is_each;
}

/* Is a value made of numbers alone? */
static int is_uniform(const struct node *e)
{
    if (describe_structure(e)) return 0;
    if (e->kind == NODE_NAME && e->symbol &&
        (e->symbol->kind == SYMBOL_FIELD || e->symbol->kind == SYMBOL_FORM || e->symbol->kind == SYMBOL_LINE))
        return 0;
    if (e->line && !e->line->is_uniform) return 0;
    if (e->kind == NODE_NAME &&
        (!strcmp(e->name, "at_top") || !strcmp(e->name, "at_bottom") || !strcmp(e->name, "member")))
        return 0;
    for (int m = 0; m < e->narg; m++)
        if (!is_uniform(e->arg[m])) return 0;
    return 1;
}

/* A variable that goes from level to level: declared beside the sweeps, changed anywhere behind that. */
static void again_settle(struct walk *w, struct assignment *a, struct assignment *known)
{
    if (known->kind != LINE_CARRY || a->kind != LINE_VALUE)
        describe_wrong(w->d, a->at, "%s has a value already, and keeps it", a->name);
    a->kind = LINE_AGAIN, a->carry = known;
    if (a->is_new) describe_wrong(w->d, a->at, "there is no field %s", a->name);
}

/* solve NAME = tridiagonal(a, b, c, r): its four arguments are those of the equation at this level. */
static void solve_settle(struct walk *w, struct assignment *a)
{
    const struct described *const s = w->stage;
    const struct node *const given = a->value;
    struct node *const e = describe_memory(w->d, sizeof *e);
    *e = *a->value, a->value = e, e->arg = describe_memory(w->d, sizeof *e->arg * (size_t)(e->narg + 1));
    for (int n = 0; n < e->narg; n++) e->arg[n] = given->arg[n];
    if (e->kind != NODE_CALL || strcmp(e->name, "tridiagonal") != 0 || e->narg != 4)
        return describe_wrong(w->d, a->at, "what can be solved is tridiagonal(below, here, above, right)");
    const int way = direction(s, a->part), back = a->part + 2 < s->nparts ? direction(s, a->part + 2) : 0;
    if (!way || back != -way)
        describe_wrong(w->d, a->at, "a system is made in one sweep, and solved in the next, which goes back");
    for (int n = 0; n < 4; n++) e->arg[n] = expanded(w, e->arg[n]), walk(w, e->arg[n], 0);
}

static void local_add(struct walk *w, struct assignment *a)
{
    const struct described *const s = w->stage;
    a->is_once = s->part[a->part].kind == PART_ONCE;
    if (is_reserved(a->name)) describe_wrong(w->d, a->at, "%s is a word of the language: choose another name", a->name);
    else if (a->is_new) describe_wrong(w->d, a->at, "there is no field %s", a->name);
    if (a->kind == LINE_CARRY && !a->is_once)
        describe_wrong(w->d, a->at, "a variable is declared beside the sweeps that carry it");
    for (int m = 0; m < w->nlocals; m++)
        if (!strcmp(w->local[m]->name, a->name)) return again_settle(w, a, w->local[m]);
    w->local[w->nlocals++] = a;
}

const struct assignment *describe_only(const struct described *s, int part)
{
    for (int n = s->part[part].first; n < s->part[part].end; n++)
        if (s->line[n].kind == LINE_ONLY) return &s->line[n];
    return NULL;
}

/* only where CONDITION: before whatever it may leave as it is. */
static void only_settle(struct walk *w, struct assignment *a)
{
    const struct described *const s = w->stage;
    if (s->is_apart || a->layer || s->part[a->part].kind == PART_ONCE)
        return describe_wrong(w->d, a->at,
                              "`only where` stands in a stage of points that is not computed apart, or in "
                              "a sweep");
    for (int n = 0; n < s->nlines; n++)
        if (s->line[n].kind == LINE_SOLVE && s->line[n].part == a->part - 2)
            return describe_wrong(w->d, a->at, "this sweep solves a system, which it does at all levels");
    for (int n = s->part[a->part].first; n < s->part[a->part].end && &s->line[n] != a; n++)
        if (s->line[n].kind != LINE_VALUE || s->line[n].field)
            return describe_wrong(w->d, a->at,
                                  "`only where` stands once, before the first line that changes something");
    a->value = settled_as(w, a->value, 1);
}

/* A result that is not everywhere: it stays what it was at other points, which it must have been there before. */
static void only_result(struct walk *w, const struct assignment *a)
{
    if (!a->field || !describe_only(w->stage, a->part)) return;
    struct touch *const t = touch_of(w, a->field, a->at);
    t->is_partly = t->is_old && w->stage->unit == UNIT_POINT;
    if (a->is_new || (t->is_old && !t->is_partly))
        return describe_wrong(w->d, a->at,
                              "behind `only where`, %s stays at some points what it is: it has no other "
                              "value there",
                              a->name);
    t->reads = 1;
}

/* Changed where it is, and read there alone. */
int touch_is_update(const struct touch *t) { return t->reads && t->writes && !t->is_new && !t->is_old; }

int is_layered(const struct described *s)
{
    for (int n = 0; n < s->ntouches; n++)
        if (s->touch[n].field->field.shape == SHAPE_BOX) return 1;
    return 0;
}

/* What is read where it is changed needs no pointer of its own: a loop over many fields of layers has none to spare.
 * What is read beside another bank stands where results do. */
static void updates_find(const struct described *s, struct node *e)
{
    for (int n = 0; n < s->ntouches && e->kind == NODE_NAME; n++)
        e->is_made |= s->touch[n].field == e->symbol &&
                      ((is_layered(s) && touch_is_update(&s->touch[n])) || (s->touch[n].is_both && !e->is_old));
    for (int n = 0; n < e->narg; n++) updates_find(s, e->arg[n]);
}

/* What another sweep reads must be there at all levels. */
static void kept_check(struct description *d, const struct described *s)
{
    for (int n = 0; n < s->nlines; n++) {
        const struct assignment *const a = &s->line[n];
        if (describe_only(s, a->part) && ((a->is_kept && !a->is_uniform && !a->field) || a->kind == LINE_SOLVE))
            describe_wrong(d, a->at, "%s is read in another sweep, and `only where` leaves it out at some levels",
                           a->name);
    }
}

/* A stage of all members of a family at once. */
static void each_check(struct description *d, const struct described *s)
{
    if (s->is_apart || is_layered(s))
        describe_wrong(d, s->at, "all members of a family at once are not computed apart, nor in layers");
    for (int n = 0; n < s->nlines; n++)
        if (s->line[n].field && !s->line[n].field->is_each)
            describe_wrong(d, s->line[n].at, "%s is one for all members of the family, of which each would write it",
                           s->line[n].name);
}

void describe_stage(struct description *d, struct described *s)
{
    struct walk w = {.d = d, .stage = s, .local = describe_memory(d, sizeof *w.local * (size_t)(s->nlines + 1))};
    if (!s->nlines) describe_wrong(d, s->at, "the stage %s writes nothing", s->name);
    int results = s->is_shown != SHOWN_NOT, everywhere = 0; /* locals that layers know, too */
    for (int n = 0; n < s->nlines; n++) {
        struct assignment *const a = &s->line[n];
        if (!a->layer && w.layer)
            describe_wrong(d, a->at, "layers come last, behind the lines that are for all points");
        if (a->layer && a->layer != w.layer) w.nlocals = everywhere;
        for (int m = 0; m < n && a->layer != w.layer; m++)
            if (s->line[m].layer == a->layer)
                describe_wrong(d, a->at, "a stage has one block of lines for the layers along an axis");
        w.part = a->part, w.layer = a->layer, w.line = a;
        if (a->kind == LINE_ONLY) {
            only_settle(&w, a), line_count(&w, a);
            w.only = a->part + 1;
            continue;
        }
        if (a->kind == LINE_SOLVE) solve_settle(&w, a);
        else a->value = settled(&w, a->value);
        const struct symbol *const known_as = describe_find(d, a->name);
        if (s->is_shown) continue;
        if (known_as && known_as->kind == SYMBOL_FIELD && a->kind == LINE_VALUE) {
            result_settle(&w, a, known_as), only_result(&w, a), line_count(&w, a), results++;
            continue;
        }
        if (known_as) describe_wrong(d, a->at, "%s is no field, and keeps its value", a->name);
        local_add(&w, a);
        if (!a->layer) everywhere = w.nlocals;
        a->is_uniform = !a->layer && a->kind == LINE_VALUE && is_uniform(a->value);
        if (a->is_double && !a->is_uniform && a->kind != LINE_CARRY)
            describe_wrong(d, a->at,
                           "a `double` is made once for all points, of numbers, dt and time alone, or carried");
        line_count(&w, a);
    }
    if (s->flops_name) s->flops = 0, s->ncounted = 0; /* kernels by hand do what is said there */
    kept_check(d, s);
    if (!d->nerrors) describe_lodge(s), describe_needs_check(d, s), describe_columns_check(d, s);
    const struct touch *far = s->touch;
    for (int n = 0; s->is_shown && n < s->ntouches; n++, far++)
        if (far->reach.im > 1 || far->reach.ip > 1 || far->reach.jm > 1 || far->reach.jp > 1 || far->reach.km > 1 ||
            far->reach.kp > 1)
            describe_wrong(d, s->at, "what is shown reads %s further away than one point", far->field->name);
    if (s->nlines && !results) describe_wrong(d, s->at, "the stage %s writes no field", s->name);
    for (int n = 0; n < s->ntouches && s->is_apart; n++)
        if (s->touch[n].reads && s->touch[n].writes && !s->touch[n].is_new && !s->touch[n].is_old)
            describe_wrong(d, s->at, "%s computes its results apart: it cannot read %s, which it changes", s->name,
                           s->touch[n].field->name);
    if (s->is_each) each_check(d, s);
    if ((s->cpu || s->work || s->beyond) && !(s->is_each && s->unit == UNIT_POINT))
        describe_wrong(d, s->at,
                       "loops by hand, and values beyond sides, are for points of all members of a family at once");
    for (int n = 0; n < s->nlines; n++) updates_find(s, s->line[n].value);
}

enum access_mode touch_reading(const struct touch *t)
{
    if (touch_is_update(t)) return ACCESS_UPDATE;
    return !t->reads ? ACCESS_END : t->is_old ? ACCESS_READ_OTHER : ACCESS_READ;
}

enum access_mode touch_writing(const struct touch *t)
{
    if (!t->writes || touch_is_update(t)) return ACCESS_END;
    if (t->is_partly) return ACCESS_UPDATE;
    return !t->is_new && t->field->field.banks == 2 ? ACCESS_REWRITE : ACCESS_WRITE;
}

enum rare touch_rare_reading(const struct touch *t)
{
    return !t->is_everywhere ? RARE_ALL : touch_is_update(t) && !t->changes_everywhere ? RARE_CHANGES : RARE_NOT;
}

enum rare touch_rare_writing(const struct touch *t) { return t->changes_everywhere ? RARE_NOT : RARE_ALL; }

/* ---- what nobody has asked for yet ---- */

/* A function that is never called is read all the same. */
static void function_check(struct description *d, const struct symbol *f, const struct node *e)
{
    int is_argument = 0;
    for (int n = 0; n < f->narguments; n++) is_argument |= !strcmp(e->name, f->argument[n]);
    const struct symbol *const s = describe_find(d, e->name);
    if (e->kind == NODE_NAME && !is_argument && !s) describe_wrong(d, e->at, "there is no %s", e->name);
    if (e->kind == NODE_CALL && !(s && (s->kind == SYMBOL_FUNCTION || s->kind == SYMBOL_FORMULA)))
        describe_wrong(d, e->at, "there is no function %s", e->name);
    for (int n = 0; n < e->narg; n++) function_check(d, f, e->arg[n]);
}

/* ---- a description ---- */

/* A map that a stage writes is no static one. */
static void maps_find(struct description *d)
{
    for (int n = 0; n < d->nstages; n++)
        for (int m = 0; m < d->stage[n].nlines; m++) {
            struct symbol *const f = &d->symbol[0];
            for (int k = 0; k < d->nsymbols; k++)
                if (f[k].kind == SYMBOL_FIELD && f[k].field.shape == SHAPE_MAP && d->stage[n].unit == UNIT_COLUMN &&
                    !strcmp(f[k].name, d->stage[n].line[m].name))
                    f[k].field.role = ROLE_PROGNOSTIC;
        }
}

/* Stages of a file come with a number, lest their loops be called as a part of another, or as something of a compiler.
 */
static void stages_name(struct description *d)
{
    for (int n = 0; n < d->nstages; n++) {
        struct described *const s = &d->stage[n];
        char number[16];
        snprintf(number, sizeof number, "s%d_", n);
        s->called = s->name;
        if (!d->numbers) s->name = describe_joined(d, number, s->name);
    }
}

void describe_settle(struct description *d)
{
    describe_likes(d), maps_find(d);
    known_add(d);
    for (int n = 0; n < d->nsymbols && !d->numbers; n++)
        if (d->symbol[n].kind == SYMBOL_FORM)
            describe_wrong(d, d->symbol[n].at,
                           "a form is picked by a member of `numbers STRUCT`, of which there is none");
    for (int n = 0; n < 2 * d->nturns; n++) {
        const struct turn *const t = &d->turn[n / 2];
        if (!describe_find(d, t->name[n % 2])) describe_wrong(d, t->at, "there is no %s", t->name[n % 2]);
    }
    if (!d->numbers) describe_show(d);
    for (int n = 0; n < d->nsymbols; n++) {
        struct symbol *const s = &d->symbol[n];
        const int is_number = s->kind == SYMBOL_NUMBER;
        struct walk w = {.d = d,
                         .place = is_number ? PLACE_NUMBER : PLACE_START,
                         .before = is_number ? s : NULL,
                         .shape = s->field.shape};
        if ((s->kind == SYMBOL_FIELD || s->kind == SYMBOL_NUMBER) && s->value) s->value = settled(&w, s->value);
    }
    struct walk w = {.d = d, .place = PLACE_NUMBER};
    if (d->limit) d->limit = settled(&w, d->limit);
    for (int n = 0; n < d->nstages; n++) {
        for (int m = 0; m < n; m++)
            if (!d->stage[n].is_shown && !d->stage[m].is_shown && !strcmp(d->stage[n].name, d->stage[m].name))
                describe_wrong(d, d->stage[n].at, "there is a %s already", d->stage[m].name);
        if (d->stage[n].nof) describe_sweep(d, &d->stage[n]);
        else if (d->stage[n].is_elements) describe_elements(d, &d->stage[n]);
        else if (d->stage[n].beside) describe_beside(d, &d->stage[n]);
        else describe_stage(d, &d->stage[n]);
    }
    describe_swaps_check(d);
    for (int n = 0; n < d->nsymbols; n++)
        if (d->symbol[n].kind == SYMBOL_FUNCTION && d->symbol[n].value && !d->symbol[n].is_called)
            function_check(d, &d->symbol[n], d->symbol[n].value);
    describe_banks(d), describe_variants(d);
    if (!d->numbers) describe_step(d), describe_limits_check(d);
    stages_name(d);
}
