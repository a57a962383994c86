/* Reads the text of a description. SPDX-License-Identifier: MIT */
#include "stages/read_parts.h"

#include <stdarg.h>

struct chunk {
    struct chunk *next;
};

void *describe_memory(struct description *d, size_t bytes)
{
    struct chunk *const c = calloc(1, sizeof *c + 16 + bytes);
    if (!c) {
        fprintf(stderr, "sferic: no memory for the description of a model\n");
        exit(EXIT_FAILURE);
    }
    c->next = d->memory, d->memory = c;
    return (char *)c + 16;
}

const char *describe_joined(struct description *d, const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    char *const to = describe_memory(d, n + m + 1);
    memcpy(to, a, n), memcpy(to + n, b, m);
    return to;
}

void describe_free(struct description *d)
{
    for (struct chunk *c = d->memory, *next; c; c = next) next = c->next, free(c);
    free(d->errors);
    *d = (struct description){0};
}

void *describe_more(struct description *d, void *list, int n, size_t each)
{
    if (n && (n < 8 || (n & (n - 1)))) return list;
    void *const to = describe_memory(d, each * (size_t)(n ? 2 * n : 8));
    if (n) memcpy(to, list, each * (size_t)n);
    return to;
}

const struct sheet *describe_sheet(const struct description *d, const char *at)
{
    const struct sheet *s = d->sheet;
    for (int n = 0; n < d->nsheets; n++)
        if (at >= d->sheet[n].text && at <= d->sheet[n].text + strlen(d->sheet[n].text)) s = &d->sheet[n];
    return s;
}

void describe_wrong(struct description *d, const char *at, const char *format, ...)
{
    enum { MOST = 20 };
    if (d->nerrors++ >= MOST) return;
    const struct sheet *const s = describe_sheet(d, at);
    const char *line = at;
    while (line > s->text && line[-1] != '\n') line--;
    int number = 1;
    for (const char *c = s->text; c < line; c++) number += *c == '\n';
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const int n = (int)strcspn(line, "\n"), column = (int)(at - line);
    char *all = NULL;
    size_t bytes = 0;
    FILE *const to = open_memstream(&all, &bytes);
    if (!to) return;
    fprintf(to, "%s%s:%d:%d: %s\n  %.*s\n  ", d->errors ? d->errors : "", s->path, number, column + 1, text, n, line);
    for (int i = 0; i < column; i++) fputc(line[i] == '\t' ? '\t' : ' ', to);
    fprintf(to, "^\n");
    fclose(to);
    free(d->errors);
    d->errors = all, d->errors_n = bytes;
}

/* ---- declarations ---- */

static struct symbol *symbol_add(struct reader *r, enum symbol_kind kind)
{
    const char *const at = r->at;
    struct symbol *const s = ADD(r->d, r->d->symbol, r->d->nsymbols);
    *s = (struct symbol){.kind = kind, .at = at, .long_name = "", .unit = "1", .standard_name = "", .min = 1, .max = 0};
    s->name = name_take(r, "a name is missing here");
    return s;
}

/* x, y or z: 0, 1, 2; -1: none of them. */
static int axis_take(struct reader *r)
{
    static const char *const axis[] = {"x", "y", "z"};
    for (int n = 0; n < 3; n++)
        if (take(r, axis[n])) return n;
    wrong(r, r->at, "an axis is missing here: x, y or z");
    return -1;
}

/* NAME [id ID] "long name" ["unit"] ["standard name"] [on x, y, z] [odd x, y, z] [late steps] [= initial value] */
static void field_read(struct reader *r, enum role role, enum shape shape)
{
    struct symbol *const s = symbol_add(r, SYMBOL_FIELD);
    if (take(r, "id")) s->id = name_take(r, "an identifier is missing here");
    s->long_name = text_take(r, s->name), s->unit = text_take(r, "1"), s->standard_name = text_take(r, "");
    s->field = (struct field){.role = role, .shape = shape, .banks = 1};
    s->is_metric = shape == SHAPE_LEVELS && take(r, "metric");
    for (int odd; (odd = is(r, "odd")) || is(r, "on");) {
        next(r);
        unsigned *const set = odd ? &s->odd : &s->field.stagger;
        const int axis = axis_take(r);
        if (axis < 0) return;
        *set |= 1u << axis;
    }
    if (r->d->numbers && take(r, "late")) s->late = number_take(r);
    if (r->d->numbers && take(r, "between")) s->between = name_take(r, "the name of a field is missing here");
    if (r->d->numbers && take(r, "imaginary")) s->imaginary = name_take(r, "the name of a field is missing here");
    if (take(r, "=")) s->value = expression(r);
}

/* NAME along AXIS "array of the model's structure" */
static void line_read(struct reader *r)
{
    struct symbol *const s = symbol_add(r, SYMBOL_LINE);
    expect(r, "along");
    s->axis = axis_take(r);
    if (!(s->c_name = text_take(r, NULL))) wrong(r, r->at, "the name of an array is missing here");
}

/* NAME "array of the model's structure" by "its member with the bytes of a number" */
static void table_read(struct reader *r)
{
    struct symbol *const s = symbol_add(r, SYMBOL_TABLE);
    if (!(s->c_name = text_take(r, NULL))) wrong(r, r->at, "the name of an array is missing here");
    expect(r, "by");
    if (!(s->wide = text_take(r, NULL))) wrong(r, r->at, "the name of the number of bytes is missing here");
}

/* AXIS [imaginary] id ID "low face" ID "high face" { NAME ... }: memories, of which each end has one; imaginary:
 * NAME_im, of imaginary parts. */
static void layer_read(struct reader *r)
{
    const int axis = axis_take(r), imaginary = take(r, "imaginary");
    const char *id[2] = {"", ""}, *face[2] = {"", ""};
    expect(r, "id");
    for (int n = 0; n < 2; n++) id[n] = name_take(r, "an identifier is missing here"), face[n] = text_take(r, "");
    expect(r, "{");
    for (int n = 0; r->token == NAME && !r->is_lost; n++) {
        struct symbol *const s = symbol_add(r, SYMBOL_FIELD);
        char nth[16] = "";
        if (n) snprintf(nth, sizeof nth, " + %d", n);
        s->field = (struct field){.role = ROLE_PROGNOSTIC, .shape = SHAPE_BOX, .banks = 1};
        s->is_memory = 1, s->axis = axis;
        if (imaginary) s->imaginary = s->name, s->name = describe_joined(r->d, s->name, "_im");
        s->id = describe_joined(r->d, id[0], nth), s->id_high = describe_joined(r->d, id[1], nth);
        for (int end = 0; end < 2 && !n; end++) s->face[end] = face[end];
    }
    expect(r, "}");
}

/* NAME WIND, WIND */
static void beyond_read(struct reader *r)
{
    struct symbol *const s = symbol_add(r, SYMBOL_BEYOND);
    const char **const wind = describe_memory(r->d, 2 * sizeof *wind);
    wind[0] = name_take(r, "the wind through sides along x is missing here");
    expect(r, ",");
    wind[1] = name_take(r, "the wind through sides along y is missing here");
    s->argument = wind;
}

static void parameter_read(struct reader *r)
{
    struct symbol *const s = symbol_add(r, SYMBOL_PARAMETER);
    expect(r, "=");
    s->initial = number_take(r);
    s->unit = text_take(r, "1"), s->long_name = text_take(r, s->name);
    if (r->token != NUMBER && !is(r, "-")) return;
    s->min = number_take(r);
    expect(r, "..");
    s->max = number_take(r);
    if (r->is_lost) return;
    if (!(s->min < s->max)) describe_wrong(r->d, s->at, "the range of %s goes from a number to a larger one", s->name);
    else if (s->initial < s->min || s->initial > s->max)
        describe_wrong(r->d, s->at, "the default of %s is not in its range", s->name);
}

static void function_read(struct reader *r)
{
    struct symbol *const s = symbol_add(r, SYMBOL_FUNCTION);
    if (!is(r, "(")) return wrong(r, r->at, "'(' and the names of arguments are missing here");
    open_bracket(r);
    const char **list = NULL;
    while (!r->is_lost && !is(r, ")")) {
        *ADD(r->d, list, s->narguments) = name_take(r, "the name of an argument is missing here");
        if (!is(r, ")")) expect(r, ",");
    }
    close_bracket(r, ")");
    for (int n = 0; n < s->narguments; n++)
        for (int m = 0; m < n; m++)
            if (!strcmp(list[n], list[m])) wrong(r, s->at, "two arguments have one name");
    s->argument = list;
    if (take(r, ":")) s->c_name = name_take(r, "the name of a structure is missing here");
    expect(r, "=");
    if (!s->c_name) {
        s->value = expression(r);
        return;
    }
    lines_skip(r);
    struct node *const e = node(r, NODE_MAKE, s->c_name, r->at);
    if (is(r, "{")) arguments(r, e, "}");
    else wrong(r, r->at, "'{' and the values of the structure are missing here");
    s->value = e;
}

/* only where CONDITION; 0: something else, for nobody is kept from calling a value `only`. */
static int only_read(struct reader *r, struct described *s, int layer)
{
    const struct reader before = *r;
    const char *const at = r->at;
    if (!take(r, "only") || !take(r, "where")) {
        *r = before;
        return 0;
    }
    const int part = s->nparts - 1;
    struct assignment *const a = ADD(r->d, s->line, s->nlines);
    *a = (struct assignment){.kind = LINE_ONLY, .part = part, .layer = layer, .name = "only where", .at = at};
    s->part[part].end = s->nlines;
    a->value = expression(r);
    return 1;
}

/* name = value, name += value, new name = value, double name = value */
static void assignment_read(struct reader *r, struct described *s, int layer)
{
    const char *const at = r->at;
    const int part = s->nparts - 1;
    struct assignment *const a = ADD(r->d, s->line, s->nlines);
    const int columns = s->unit == UNIT_COLUMN;
    *a = (struct assignment){.kind = columns && take(r, "carry")   ? LINE_CARRY
                                     : columns && take(r, "solve") ? LINE_SOLVE
                                                                   : LINE_VALUE,
                             .is_double = r->d->numbers && take(r, "double"),
                             .is_new = take(r, "new"),
                             .part = part,
                             .layer = layer};
    s->part[part].end = s->nlines;
    a->at = r->at, a->name = name_take(r, "a name is missing here: NAME = VALUE");
    const char *const sign = is(r, "+=") ? "+" : is(r, "-=") ? "-" : NULL;
    if (sign) next(r);
    else expect(r, "=");
    struct node *const value = expression(r);
    a->value = value;
    if (!sign) return;
    struct node *const both = node(r, NODE_BOTH, sign, at);
    *ADD(r->d, both->arg, both->narg) = node(r, NODE_NAME, a->name, a->at);
    *ADD(r->d, both->arg, both->narg) = value;
    a->value = both;
}

/* After a statement: the end of its line. A line that was not understood is left out. */
static void line_end(struct reader *r)
{
    if (!r->is_lost && r->token != NEWLINE && r->token != END && !is(r, "}")) wrong(r, r->at, "this is not understood");
    if (r->is_lost) r->depth = 0, r->p = r->at + strcspn(r->at, "\n"), next(r);
    r->is_lost = 0;
    lines_skip(r);
}

static struct described *stage_add(struct reader *r, const char *name, const char *at)
{
    struct described *const s = ADD(r->d, r->d->stage, r->d->nstages);
    *s = (struct described){.name = name, .title = name, .at = at, .unit = UNIT_POINT};
    return s;
}

static void part_add(struct reader *r, struct described *s, enum part_kind kind)
{
    *ADD(r->d, s->part, s->nparts) = (struct part){.kind = kind, .first = s->nlines, .end = s->nlines};
}

/* Of models of our own, `layer AXIS`: lines for the layers at both ends of an axis. -1: something else. */
static int layer_begins(struct reader *r)
{
    const struct reader before = *r;
    if (r->d->numbers && take(r, "layer") && (is(r, "x") || is(r, "y") || is(r, "z"))) return axis_take(r);
    *r = before;
    return -1;
}

/* Of a stage of elements: reads NAME {FIELD[columns, rows, levels], ...}, changes NAME {FIELD, ...}, sums ID. */
static void list_read(struct reader *r, struct described *s)
{
    const char *const at = r->at;
    struct assignment a = {.kind = take(r, "changes") ? LINE_CHANGES : LINE_READS};
    if (a.kind == LINE_READS && take(r, "sums")) {
        if (s->sums) wrong(r, at, "the stage has sums already");
        return (void)(s->sums = name_take(r, "the id of the first field of sums is missing here"));
    }
    if (a.kind == LINE_READS) expect(r, "reads");
    a.at = r->at, a.name = name_take(r, "the name of a list is missing here");
    a.value = node(r, NODE_MAKE, a.name, a.at);
    if (is(r, "{")) arguments(r, a.value, "}");
    if (!a.value->narg) wrong(r, r->at, "'{' and the names of fields are missing here");
    if (!r->is_lost) *ADD(r->d, s->line, s->nlines) = a;
}

static void lines_read(struct reader *r, struct described *s, int layer)
{
    expect(r, "{");
    if (r->is_lost) line_end(r);
    lines_skip(r);
    while (r->token != END && !is(r, "}")) {
        const int up = s->unit == UNIT_COLUMN && is(r, "up"), down = s->unit == UNIT_COLUMN && is(r, "down");
        const int axis = layer || s->unit == UNIT_COLUMN || s->is_elements ? -1 : layer_begins(r);
        if ((up || down) && s->part[s->nparts - 1].kind == PART_ONCE) {
            next(r);
            part_add(r, s, up ? PART_UP : PART_DOWN), lines_read(r, s, 0), part_add(r, s, PART_ONCE);
        } else if (s->is_elements) list_read(r, s);
        else if (axis >= 0) lines_read(r, s, 1 + axis);
        else if (!only_read(r, s, layer)) assignment_read(r, s, layer);
        line_end(r);
    }
    expect(r, "}");
}

/* = STAGE [, STAGE ...] [into between | from between] */
static void sweep_read(struct reader *r, struct described *s)
{
    expect(r, "=");
    do s->of[s->nof++] = name_take(r, "the name of a stage is missing here");
    while (!r->is_lost && s->nof < SWEEP_STAGES && take(r, ","));
    s->between = take(r, "into") ? BETWEEN_INTO : take(r, "from") ? BETWEEN_FROM : BETWEEN_NO;
    if (s->between) expect(r, "between");
}

/* NAME for NAME, or in a stage the name of a list of such. */
static struct swap swap_read(struct reader *r, int is_list)
{
    struct swap s = {.at = r->at};
    s.name = name_take(r, "the name that stands there instead is missing here");
    if (is_list && !is(r, "for")) return s;
    expect(r, "for");
    s.in_place_of = name_take(r, "the name that another stands for is missing here");
    return s;
}

/* swap NAME { NAME for NAME ... } */
static void swap_list_read(struct reader *r)
{
    struct description *const d = r->d;
    struct swap_list list = {.at = r->at};
    list.name = name_take(r, "the name of the list is missing here");
    expect(r, "{");
    for (lines_skip(r); r->token == NAME && !r->is_lost; lines_skip(r))
        *ADD(d, list.swap, list.nswaps) = swap_read(r, 0), line_end(r);
    expect(r, "}");
    *ADD(d, d->swaps, d->nswaps) = list;
}

/* turn NAME NAME */
static void turn_read(struct reader *r)
{
    struct turn *const t = ADD(r->d, r->d->turn, r->d->nturns);
    *t = (struct turn){.at = r->at};
    for (int n = 0; n < 2; n++) t->name[n] = name_take(r, "two names that change places are missing here");
}

/* beside ARRAY columns */
static void beside_read(struct reader *r, struct described *s)
{
    enum { MOST = 2 };
    s->open = name_take(r, "the name of an array, which says what sides are open, is missing here");
    const char *const at = r->at;
    const double n = number_take(r);
    if (n >= 1 && n <= MOST && !(n > (int)n)) s->beside = (int)n;
    else wrong(r, at, "so many columns next to each side: 1 or 2");
}

/* like STAGE [new FIELD, ... | old FIELD, ...] [with NAME for NAME, LIST, ...] */
static void like_read(struct reader *r, struct described *s)
{
    s->like = name_take(r, "the name of a stage is missing here");
    if (!is(r, "with")) {
        s->is_like_new = is(r, "new");
        if (!take(r, "new")) expect(r, "old");
        do *ADD(r->d, s->changed, s->nchanged) = name_take(r, "the name of a field is missing here");
        while (!r->is_lost && take(r, ","));
    }
    if (r->is_lost || !take(r, "with")) return;
    do *ADD(r->d, s->swap, s->nswaps) = swap_read(r, 1);
    while (!r->is_lost && take(r, ","));
}

/* What a stage is made of. */
enum made { OF_LINES, OF_SWEEP, OF_ELEMENTS };

static void stage_read(struct reader *r, enum unit unit, enum made of)
{
    const char *const at = r->at;
    struct described *const s = stage_add(r, name_take(r, "the name of a stage is missing here"), at);
    s->title = text_take(r, s->name), s->unit = unit, s->is_elements = of == OF_ELEMENTS;
    struct reader behind = *r; /* the last option: the next line may be another declaration */
    for (int is_known = 1; is_known && !r->is_lost;) {
        behind = *r;
        lines_skip(r);
        if (take(r, "extend")) s->extend = 1;
        else if (take(r, "sides")) s->sides = name_take(r, "the sides are missing here");
        else if (take(r, "id")) s->id = name_take(r, "an identifier is missing here");
        else if (r->d->numbers && unit == UNIT_POINT && of != OF_SWEEP && take(r, "imaginary"))
            s->variants |= 1u << VARIANT_IM;
        else if (s->is_elements && take(r, "between")) s->variants |= 1u << VARIANT_RIM;
        else if (s->is_elements && take(r, "pack")) s->pack = name_take(r, "the name of a pack is missing here");
        else if (s->is_elements && take(r, "within"))
            s->within = name_take(r, "the name of a function is missing here");
        else if (s->is_elements) is_known = 0;
        else if (unit == UNIT_POINT && take(r, "apart")) s->is_apart = 1;
        else if (take(r, "cpu")) s->cpu = name_take(r, "the name of a function is missing here");
        else if (take(r, "work")) s->work = name_take(r, "the name of a function is missing here");
        else if (take(r, "gpu")) s->gpu = name_take(r, "the name of a function is missing here");
        else if (take(r, "flops")) s->flops_name = name_take(r, "the flops are missing here");
        else if (take(r, "like")) like_read(r, s);
        else if (r->d->numbers && take(r, "beside")) beside_read(r, s);
        else if (take(r, "from")) s->lowest = name_take(r, "the number of the lowest level is missing here");
        else is_known = 0;
    }
    if (s->like && !r->is_lost && !is(r, "{")) *r = behind;
    if (s->like) return;
    if (of == OF_SWEEP) return sweep_read(r, s);
    part_add(r, s, unit == UNIT_POINT ? PART_POINTS : PART_ONCE);
    lines_read(r, s, 0);
}

/* NAME [* factor] [every n], one a line. */
static void step_read(struct reader *r)
{
    expect(r, "{");
    if (r->is_lost) line_end(r);
    lines_skip(r);
    while (r->token != END && !is(r, "}")) {
        const char *const at = r->at;
        struct described_op *const o = ADD(r->d, r->d->op, r->d->nops);
        *o = (struct described_op){.at = at, .factor = 1, .every = 1};
        o->stage = name_take(r, "the name of a stage is missing here");
        if (take(r, "*")) {
            o->factor = number_take(r);
            const char *const by = r->at;
            const double share = take(r, "/") ? number_take(r) : 1;
            if (share > 0) o->factor /= share;
            else wrong(r, by, "a share of the step divides by more than 0");
        }
        if (take(r, "every")) {
            const char *const every = r->at;
            const double n = number_take(r);
            if (n >= 1 && n <= 1e6 && !(n > (int)n)) o->every = (int)n;
            else wrong(r, every, "every how many steps? a whole number from 1 on");
        }
        line_end(r);
    }
    expect(r, "}");
}

/* A value at every point: NAME "long name" ["unit"] ["standard name"] = value. */
static struct described *shown_read(struct reader *r, enum shown what)
{
    const char *const at = r->at, *const name = name_take(r, "a name is missing here"),
                      *const title = text_take(r, name);
    const char *const unit = text_take(r, "1"), *const standard = text_take(r, "");
    expect(r, "=");
    struct node *const value = expression(r);
    struct described *const s = stage_add(r, describe_joined(r->d, what == SHOWN_SUM ? "sum_" : "show_", name), at);
    s->title = title, s->is_shown = what, s->shown_as = name, s->unit_shown = unit, s->standard_name = standard;
    part_add(r, s, PART_POINTS);
    *ADD(r->d, s->line, s->nlines) = (struct assignment){.name = "out", .at = at, .value = value};
    return s;
}

static void sum_read(struct reader *r, enum sum_kind kind)
{
    const struct described *const s = shown_read(r, SHOWN_SUM);
    *ADD(r->d, r->d->sum, r->d->nsums) = (struct described_sum){
        .stage = r->d->nstages - 1, .kind = kind, .name = s->shown_as, .long_name = s->title, .unit = s->unit_shown};
}

static void declaration(struct reader *r)
{
    struct description *const d = r->d;
    if (take(r, "model")) d->name = name_take(r, "the model's name is missing here"), d->title = text_take(r, d->name);
    else if (take(r, "field")) field_read(r, ROLE_PROGNOSTIC, SHAPE_FULL);
    else if (take(r, "scratch")) field_read(r, ROLE_SCRATCH, SHAPE_FULL);
    else if (take(r, "static")) field_read(r, ROLE_STATIC, SHAPE_FULL);
    else if (take(r, "levels")) field_read(r, ROLE_STATIC, SHAPE_LEVELS);
    else if (take(r, "map")) field_read(r, ROLE_STATIC, SHAPE_MAP);
    else if (d->numbers && take(r, "member"))
        field_read(r, ROLE_PROGNOSTIC, SHAPE_FULL), d->symbol[d->nsymbols - 1].is_member = 1;
    else if (d->numbers && take(r, "each"))
        field_read(r, take(r, "scratch") ? ROLE_SCRATCH : ROLE_PROGNOSTIC, SHAPE_FULL),
            d->symbol[d->nsymbols - 1].is_each = 1;
    else if (d->numbers && take(r, "beyond")) beyond_read(r);
    else if (d->numbers && take(r, "media"))
        field_read(r, ROLE_STATIC, SHAPE_BOX), d->symbol[d->nsymbols - 1].is_media = 1;
    else if (d->numbers && take(r, "sweep")) stage_read(r, UNIT_POINT, OF_SWEEP);
    else if (is(r, "elements")) {
        const char *const at = r->at;
        next(r), stage_read(r, UNIT_POINT, OF_ELEMENTS);
        if (!d->numbers) wrong(r, at, "elements are for C functions of the program's own: write a point or a column");
    } else if (d->numbers && take(r, "layer")) layer_read(r);
    else if (d->numbers && take(r, "line")) line_read(r);
    else if (d->numbers && take(r, "table")) table_read(r);
    else if (take(r, "parameter")) parameter_read(r);
    else if (take(r, "number")) {
        struct symbol *const s = symbol_add(r, SYMBOL_NUMBER);
        expect(r, "=");
        struct node *const value = expression(r);
        s->value = value;
    } else if (take(r, "numbers")) {
        d->numbers = name_take(r, "the name of a structure is missing here");
        expect(r, "{");
        for (lines_skip(r); r->token == NAME; lines_skip(r)) {
            const int is_double = take(r, "double");
            struct symbol *const s = symbol_add(r, SYMBOL_MEMBER);
            s->is_double = is_double, s->c_name = text_take(r, s->name);
        }
        expect(r, "}");
    } else if (take(r, "form")) {
        struct symbol *const s = symbol_add(r, SYMBOL_FORM);
        const char **list = NULL;
        int n = 0;
        expect(r, "{");
        for (lines_skip(r); r->token == NAME; lines_skip(r))
            *ADD(d, list, n) = name_take(r, "a literal is missing here");
        if (!n) wrong(r, r->at, "the literals of the form are missing here");
        expect(r, "}");
        s->argument = list, s->narguments = n;
    } else if (take(r, "use")) {
        struct header header = {.at = r->at};
        if (!(header.path = text_take(r, NULL))) return wrong(r, r->at, "the name of a header is missing here");
        *ADD(d, d->header, d->nheaders) = header;
        while (r->token == NAME) {
            struct symbol *const s = symbol_add(r, SYMBOL_FORMULA);
            s->narguments = -1;
            if (take(r, ":")) s->gives = name_take(r, "the name of a structure is missing here");
        }
    } else if (take(r, "function")) function_read(r);
    else if (take(r, "point")) stage_read(r, UNIT_POINT, OF_LINES);
    else if (take(r, "column")) stage_read(r, UNIT_COLUMN, OF_LINES);
    else if (take(r, "swap")) swap_list_read(r);
    else if (d->numbers && take(r, "turn")) turn_read(r);
    else if (take(r, "step")) step_read(r);
    else if (take(r, "limit")) {
        d->limit_by = text_take(r, "a limit of the model");
        expect(r, "=");
        d->limit = expression(r);
    } else if (take(r, "show")) shown_read(r, SHOWN_HISTORY);
    else if (take(r, "total")) sum_read(r, SUM_TOTAL);
    else if (take(r, "largest")) sum_read(r, SUM_LARGEST);
    else
        wrong(r, r->at,
              "a line begins with model, parameter, field, scratch, static, levels, map, number, function, point, "
              "column, swap, step, limit, show, total or largest");
}

void describe_read(struct description *d, const char *path, const char *text)
{
    *ADD(d, d->sheet, d->nsheets) = (struct sheet){path, text};
    struct reader r = {.d = d, .p = text};
    next(&r);
    for (lines_skip(&r); r.token != END; lines_skip(&r)) declaration(&r), line_end(&r);
}
