/* Prints C that is CUDA too: see pipeline/printed.h. SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- expressions ---- */

static void distance_print(FILE *to, int n, const char *times)
{
    if (!n) return;
    fprintf(to, n < 0 ? " - " : " + ");
    if (abs(n) > 1 || !times) fprintf(to, "%d%s", abs(n), times ? " * " : "");
    if (times) fprintf(to, "%s", times);
}

/* -1: m1, 2: p2 */
static void level_print(FILE *to, const char *name, int n)
{
    fprintf(to, "v_%s", name);
    if (n) fprintf(to, "_%c%d", n < 0 ? 'm' : 'p', abs(n));
}

/* A number in double precision, where v are the values of the model, or d its structure, and c the call. */
static void value_print(FILE *to, const struct symbol *f)
{
    const int is_spacing = f->kind == SYMBOL_WORD && f->name[0] == 'd' && f->name[1] != 't';
    if (is_spacing) fprintf(to, "v[%d]", f->name[1] - 'x');
    else if (f->kind == SYMBOL_WORD && f->name[1]) fprintf(to, "(double)c->%s", f->name); /* dt, time */
    else if (f->kind == SYMBOL_WORD) fprintf(to, "%s", f->name); /* x, y, z */
    else if (f->kind == SYMBOL_MEMBER) fprintf(to, "(double)d->%s", f->c_name);
    else fprintf(to, "v[%d]", f->number);
}

void describe_print_element(FILE *to, const struct node *e, const char *further, int is_near)
{
    const int is_map = e->symbol->field.shape == SHAPE_MAP;
    char step[16];
    fprintf(to, "l->%c_%s[%s", e->is_made ? 'w' : 'r', e->name, is_map && is_near ? "at->map" : "i");
    distance_print(to, e->index[0], NULL);
    for (int a = 1; a < 3; a++) {
        snprintf(step, sizeof step, "%s%s", is_near ? "at->" : "l->", a == 2 ? "sk" : is_map ? "sm" : "sj");
        distance_print(to, e->index[a], step);
    }
    fprintf(to, "%s]", further);
}

/* What an earlier line of a column named, in the way that print_column.c has it. */
static void local_print(FILE *to, const struct node *e, int part)
{
    const struct assignment *const a = e->line;
    const int is_carried = a->kind == LINE_CARRY || (a->kind == LINE_SOLVE && e->nindex);
    if (a->is_uniform) fprintf(to, "l->u_%s", e->name);
    else if (is_carried || (a->part != part && a->kind == LINE_VALUE && a->is_once)) fprintf(to, "c_%s", e->name);
    else fprintf(to, a->kind == LINE_VALUE && a->part != part ? "k_%s" : "x_%s", e->name);
}

static void metric_print(FILE *to, const struct node *e, enum form form)
{
    struct node element = *e;
    element.index[2] = e->index[0], element.index[0] = 0;
    fprintf(to, "SF_METRIC_AT(l->"), level_print(to, e->name, e->index[0]), fprintf(to, ", ");
    describe_print_element(to, &element, "", form == FORM_NEAR);
    fprintf(to, ")");
}

static void name_print(FILE *to, const struct node *e, enum form form)
{
    const struct symbol *const f = e->symbol;
    const int *const x = e->index;
    if (f->kind == SYMBOL_LOCAL && form >= FORM_COLUMN) local_print(to, e, (int)(form - FORM_COLUMN));
    else if (f->kind == SYMBOL_LOCAL) fprintf(to, "x_%s", e->name);
    else if (f->kind == SYMBOL_FORM) fprintf(to, "SF_FORM_OF(form)");
    else if (f->kind == SYMBOL_LINE)
        fprintf(to, "l->a_%s%s", e->name, f->axis ? "" : form == FORM_NEAR ? "[at->column]" : "[i]");
    else if (f->kind == SYMBOL_FIELD && f->is_memory) fprintf(to, "of->w_%s[i]", e->name);
    else if (f->kind == SYMBOL_WORD && !strcmp(f->name, "at_top")) fprintf(to, "l->is_top");
    else if (f->kind == SYMBOL_WORD && !strcmp(f->name, "at_bottom")) fprintf(to, "l->is_bottom");
    else if (f->kind == SYMBOL_WORD && f->c_name[0]) fprintf(to, form == FORM_TWICE ? "%s" : "R(%s)", f->c_name);
    else if (f->kind != SYMBOL_FIELD && form != FORM_TWICE) fprintf(to, "l->n_%s", e->name);
    else if (f->kind != SYMBOL_FIELD) value_print(to, f);
    else if (f->is_metric) metric_print(to, e, form);
    else if (f->field.shape == SHAPE_LEVELS) fprintf(to, "l->"), level_print(to, e->name, x[0]);
    else if (form == FORM_VECTORS && f->field.shape == SHAPE_FULL) describe_print_in_vector(to, e);
    else if (form >= FORM_COLUMN) describe_print_read(to, e);
    else describe_print_element(to, e, "", form == FORM_NEAR);
}

static void list_print(FILE *to, const struct node *e, enum form form);

/* NAME(form, sides, winds, field, sj, i, columns, rows, value): at the own column and row there is no side between. */
static void beyond_print(FILE *to, const struct node *e, enum form form)
{
    const struct node *const q = e->arg[0];
    const char *const *const wind = e->symbol->argument;
    if (!q->index[0] && !q->index[1]) return print(to, q, form);
    fprintf(to, "%s(form, &l->sides, l->r_%s, l->r_%s, l->r_%s, l->sj, i, %d, %d, ", e->name, wind[0], wind[1], q->name,
            q->index[0], q->index[1]);
    print(to, e->arg[1], form), fprintf(to, ")");
}

void print(FILE *to, const struct node *e, enum form form)
{
    switch (e->kind) {
    case NODE_NUMBER:
        fprintf(to, form == FORM_TWICE ? "%s%s" : "R(%s%s)", e->name, strpbrk(e->name, ".eE") ? "" : ".0");
        break;
    case NODE_NAME:
        name_print(to, e, form);
        break;
    case NODE_CALL:
        if (e->symbol && e->symbol->kind == SYMBOL_TABLE) {
            fprintf(to, "SF_MADE_MEDIUM(m_%s_%s)", e->name, e->arg[0]->name);
            break;
        }
        if (e->symbol && e->symbol->kind == SYMBOL_BEYOND) {
            beyond_print(to, e, form);
            break;
        }
        fprintf(to, "%s(",
                form == FORM_TWICE  ? describe_twice(e->name)
                : e->symbol->c_name ? e->symbol->c_name
                                    : e->name);
        list_print(to, e, form);
        break;
    case NODE_MAKE:
        fprintf(to, "SF_MAKE(%s, ", e->name);
        list_print(to, e, form);
        break;
    case NODE_PART:
        print(to, e->arg[0], form), fprintf(to, ".%s", e->name);
        break;
    case NODE_MINUS:
        fprintf(to, "(-"), print(to, e->arg[0], form), fprintf(to, ")");
        break;
    case NODE_BOTH:
        fprintf(to, "("), print(to, e->arg[0], form);
        fprintf(to, " %s ", e->name), print(to, e->arg[1], form), fprintf(to, ")");
        break;
    case NODE_CHOICE:
        fprintf(to, "("), print(to, e->arg[0], form), fprintf(to, " ? ");
        print(to, e->arg[1], form), fprintf(to, " : "), print(to, e->arg[2], form), fprintf(to, ")");
        break;
    }
}

static void list_print(FILE *to, const struct node *e, enum form form)
{
    const int is_long = e->kind == NODE_CALL && e->narg > 6; /* an argument a line */
    for (int n = 0; n < e->narg; n++) {
        fprintf(to, "%s", is_long ? n ? ",\n        " : "\n        " : n ? ", " : "");
        print(to, e->arg[n], form);
    }
    fprintf(to, ")");
}

void describe_print_value(FILE *to, const struct node *e, int part) { print(to, e, (enum form)(FORM_COLUMN + part)); }

/* ---- what a stage needs ---- */

/* Numbers, and profiles by their distance; each once. */
static void needs_find(struct needs *x, const struct node *e)
{
    const struct symbol *const f =
        e->kind == NODE_NAME || (e->symbol && e->symbol->kind == SYMBOL_TABLE) ? e->symbol : NULL;
    const int is_level = f && f->kind == SYMBOL_FIELD && f->field.shape == SHAPE_LEVELS,
              is_number = f && f->kind != SYMBOL_FIELD && f->kind != SYMBOL_LOCAL && f->kind != SYMBOL_FORM &&
                          !(f->kind == SYMBOL_WORD && (f->c_name[0] || !strncmp(f->name, "at_", 3)));
    int n = 0;
    while (n < x->n && (x->of[n].symbol != f || x->of[n].level != e->index[0])) n++;
    if ((is_level || is_number) && n == NEEDS) x->lacks = 1;
    else if ((is_level || is_number) && n == x->n) x->of[x->n++] = (struct need){f, is_level ? e->index[0] : 0};
    for (int m = 0; m < e->narg; m++) needs_find(x, e->arg[m]);
}

static struct needs needs_of(const struct described *s)
{
    struct needs x = {.n = 0};
    for (int n = 0; n < s->nlines; n++)
        if (!s->line[n].is_uniform) needs_find(&x, s->line[n].value);
    return x;
}

void describe_needs_check(struct description *d, const struct described *s)
{
    if (needs_of(s).lacks)
        describe_wrong(d, s->at, "%s knows more than %d numbers and levels of profiles", s->name, NEEDS);
}

static int is_level(const struct need *n) { return n->symbol->kind == SYMBOL_FIELD; }
static int is_array(const struct need *n) { return n->symbol->kind == SYMBOL_LINE || n->symbol->kind == SYMBOL_TABLE; }

/* Around what only a profile has, of a metric term that may be a field. */
static const char *metric_begin(const struct need *n) { return n->symbol->is_metric ? "SF_METRIC_LEVELS(" : ""; }
static const char *metric_end(const struct need *n) { return n->symbol->is_metric ? ")" : ""; }

static int has_metric(const struct described *s)
{
    int has = 0;
    for (int n = 0; n < s->ntouches; n++) has |= s->touch[n].field->is_metric;
    return has;
}

static void id_print(FILE *to, const struct symbol *f)
{
    if (f->id) fprintf(to, "%s", f->id);
    else fprintf(to, "%d", f->number);
}

static const char *type(int is_double) { return is_double ? "double" : "real"; }

/* Locals that are the same at all points, those in double precision or the others: `form` with the name of each, once
 * or twice. */
static void uniform_print(FILE *to, const struct described *s, int is_double, const char *form)
{
    for (int n = 0; n < s->nlines; n++)
        for (const char *c = form; s->line[n].is_uniform && s->line[n].is_double == is_double && *c; c++)
            if (*c == '@') fprintf(to, "%s", s->line[n].name);
            else fputc(*c, to);
}

void describe_print_advance(FILE *to, const struct described *s, const char *of, const char *grid, const char *rows)
{
    for (int n = 0; n < s->ntouches; n++) {
        const struct touch *const t = &s->touch[n];
        const char *const name = t->field->name, *const by = t->field->field.shape == SHAPE_MAP ? "sm" : "sj";
        if (t->field->is_metric) fprintf(to, "    SF_METRIC_FULL(%sr_%s += %s%ssj;)\n", of, name, rows, grid);
        if (t->field->field.shape == SHAPE_LEVELS) continue;
        if (touch_has_read(s, t)) fprintf(to, "    %sr_%s += %s%s%s;\n", of, name, rows, grid, by);
        if (t->writes || t->is_both) fprintf(to, "    %sw_%s += %s%s%s;\n", of, name, rows, grid, by);
    }
}

/* NAME_LEVELS: levels that a thread takes together. NAME_from(&pack, rows): its fields begin so many rows further on.
 */
static void from_print(FILE *to, const struct described *s)
{
    fprintf(to,
            "enum { %s_LEVELS = %d };\n#ifdef __cplusplus\nstatic inline void %s_from(struct %s_pack *p, ptrdiff_t "
            "rows)\n{\n    p->grid.j0 += (int)rows;\n",
            s->name, describe_levels_together(s), s->name, s->name);
    describe_print_advance(to, s, "p->", "p->grid.", "rows * ");
    fprintf(to, "}\n#endif\n\n");
}

/* Numbers are even, and behind all pointers: beside a number that stands alone a copy of the pack would have bytes of
 * whatever was in that place, and both together may look like an address of the host, which an emulated GPU takes
 * away. */
static void pack_print(FILE *to, const struct description *d, const struct described *s, const struct needs *x)
{
    fprintf(to, "struct %s_pack {\n", s->name);
    for (int n = 0; n < s->ntouches; n++) {
        const struct touch *const t = &s->touch[n];
        if (t->field->is_each) continue;
        if (t->field->is_metric)
            fprintf(to, "    const real *SF_METRIC_OF(v_%s, r_%s);\n", t->field->name, t->field->name);
        else if (t->field->field.shape == SHAPE_BOX) part_member_print(to, t->field);
        else if (t->field->field.shape == SHAPE_LEVELS) fprintf(to, "    const real *v_%s;\n", t->field->name);
        else if (touch_has_read(s, t)) fprintf(to, "    const real *r_%s;\n", t->field->name);
        if ((t->writes || t->is_both) && t->field->field.shape != SHAPE_BOX)
            fprintf(to, "    real *w_%s;\n", t->field->name);
    }
    if (has_metric(s)) fprintf(to, "    SF_METRIC_MAPPED(const real *r_metric;)\n");
    fprintf(to, "    struct made_grid grid;\n");
    if (s->beyond) fprintf(to, "    struct %s_sides sides;\n", s->beyond->name);
    if (is_layered(s)) fprintf(to, "    struct made_layers layers;\n    int wide, unused;\n");
    int numbers = 0;
    for (int n = 0; n < x->n; n++)
        if (is_array(&x->of[n])) fprintf(to, "    const real *a_%s;\n", x->of[n].symbol->name);
    uniform_print(to, s, 1, "    double u_@;\n");
    for (int is_double = 1; is_double >= 0; is_double--)
        for (int n = 0; n < x->n; n++) {
            const struct symbol *const f = x->of[n].symbol;
            if (is_level(&x->of[n]) || is_array(&x->of[n]) || f->is_double != is_double) continue;
            fprintf(to, "    %s n_%s;\n", type(is_double), f->name), numbers += !is_double;
        }
    uniform_print(to, s, 0, "    real u_@;\n");
    for (int n = 0; n < s->nlines; n++) numbers += s->line[n].is_uniform && !s->line[n].is_double;
    if (numbers % 2) fprintf(to, "    real unpaired;\n");
    fprintf(to, "};\n\nstatic inline struct %s_pack %s_pack(const struct slab *s, const struct call *c)\n{\n", s->name,
            s->name);
    if (d->numbers)
        fprintf(to, "    const struct %s *const d = (const struct %s *)c->ctx;\n    (void)d;\n", d->numbers,
                d->numbers);
    else fprintf(to, "    const double *const v = (const double *)c->ctx;\n    (void)v;\n");
    fprintf(to, "    struct %s_pack p;\n    %s;\n", s->name,
            is_layered(s) ? "p.unused = 0" : "memset(&p, 0, sizeof p)"); /* a large pack, of every small window */
    if (is_layered(s) && numbers % 2) fprintf(to, "    p.unpaired = R(0.0);\n");
    for (int n = 0; n < s->ntouches; n++) {
        const struct touch *const t = &s->touch[n];
        const char *const name = t->field->name;
        const int levels = t->field->field.shape == SHAPE_LEVELS;
        if (t->field->is_each) continue;
        if (t->field->field.shape == SHAPE_BOX) {
            part_take_print(to, t->field);
            continue;
        }
        const int is_read = levels || touch_has_read(s, t);
        if (t->field->is_metric) fprintf(to, "    p.SF_METRIC_OF(v_%s, r_%s) = s->f[", name, name);
        else if (is_read) fprintf(to, "    p.%c_%s = s->f[", levels ? 'v' : 'r', name);
        if (is_read) id_print(to, t->field), fprintf(to, "];\n");
        if (t->writes || t->is_both)
            fprintf(to, "    p.w_%s = s->w[", name), id_print(to, t->field), fprintf(to, "];\n");
    }
    if (has_metric(s)) fprintf(to, "    SF_METRIC_MAPPED(p.r_metric = s->f[SF_METRIC_MAP];)\n");
    for (int n = 0; n < x->n; n++) {
        const struct symbol *const f = x->of[n].symbol;
        if (is_level(&x->of[n])) continue;
        if (is_array(&x->of[n])) fprintf(to, "    p.a_%s = d->%s;\n", f->name, f->c_name);
        else fprintf(to, "    p.n_%s = (%s)(", f->name, type(f->is_double)), value_print(to, f), fprintf(to, ");\n");
    }
    fprintf(to, "    const struct made_grid grid = SF_MADE_GRID(s);\n    p.grid = grid;\n");
    if (s->beyond) fprintf(to, "    p.sides = %s_sides(s, d);\n", s->beyond->name);
    if (is_layered(s)) layered_take_print(to, d, x);
    for (int n = 0; n < s->nlines; n++)
        if (s->line[n].is_uniform) {
            fprintf(to, "    const double x_%s = ", s->line[n].name), print(to, s->line[n].value, FORM_TWICE);
            fprintf(to, ";\n    p.u_%s = (%s)x_%s;\n", s->line[n].name, type(s->line[n].is_double), s->line[n].name);
        }
    fprintf(to, "    return p;\n}\n\n");
    if (describe_kernels(s) == KERNELS_NEAR) from_print(to, s);
    fprintf(to, "static inline struct box %s_box(struct box b, const struct call *c)\n{\n    (void)c;\n", s->name);
    if (s->lowest) fprintf(to, "    b.k0 = SF_MAX(b.k0, ((const struct %s *)c->ctx)->%s);\n", d->numbers, s->lowest);
    fprintf(to, "    return b;\n}\n\n");
}

/* NAME_member(&line, member, at): makes it a line of one member. */
static void member_print(FILE *to, const struct described *s, const struct needs *x)
{
    fprintf(to, "SF_POINT void %s_member(struct %s_line *l, const struct member *of, ptrdiff_t at)\n{\n", s->name,
            s->name);
    for (int n = 0; n < s->ntouches; n++) {
        const struct touch *const t = &s->touch[n];
        const char *const name = t->field->name, *const id = t->field->id;
        if (!t->field->is_each) continue;
        if (touch_has_read(s, t)) fprintf(to, "    l->r_%s = of->f[%s] + at;\n", name, id);
        if (t->writes) fprintf(to, "    l->w_%s = of->w[%s] + at;\n", name, id);
    }
    for (int n = 0; n < x->n; n++)
        if (x->of[n].symbol->kind == SYMBOL_WORD && !strcmp(x->of[n].symbol->name, "member"))
            fprintf(to, "    l->n_member = (real)of->n;\n");
    fprintf(to, "}\n\n");
}

/* NAME_levels: what a line of a column has of profiles, to be kept where it is near. */
static void levels_print(FILE *to, const struct described *s, const struct needs *x)
{
    static const char *const head[] = {
        "#ifdef __cplusplus\nstruct alignas(16) %s_levels {\n",
        "};\nSF_POINT void %s_levels_put(struct %s_levels *to, const struct %s_line *l)\n{\n    (void)to, (void)l;\n",
        "}\nSF_POINT void %s_levels_get(struct %s_line *l, const struct %s_levels *from)\n{\n    (void)l, (void)from;\n"};
    for (int part = 0; part < 3; part++) {
        fprintf(to, head[part], s->name, s->name, s->name);
        for (int n = 0; n < x->n; n++) {
            const char *const name = x->of[n].symbol->name;
            if (!is_level(&x->of[n]) || is_array(&x->of[n])) continue;
            fprintf(to, "    %s%s", metric_begin(&x->of[n]), part == 0 ? "real " : part == 1 ? "to->" : "l->");
            level_print(to, name, x->of[n].level);
            if (part) fprintf(to, part == 1 ? " = l->" : " = from->"), level_print(to, name, x->of[n].level);
            fprintf(to, ";%s\n", metric_end(&x->of[n]));
        }
    }
    fprintf(to, "}\n#endif\n\n");
}

static void line_print(FILE *to, const struct described *s, const struct needs *x)
{
    fprintf(to, "struct %s_line {\n", s->name);
    for (int n = 0; n < s->ntouches; n++) {
        const struct touch *const t = &s->touch[n];
        if (t->field->is_metric) fprintf(to, "    SF_METRIC_FULL(const real *r_%s;)\n", t->field->name);
        if (t->field->field.shape == SHAPE_LEVELS || t->field->field.shape == SHAPE_BOX) continue;
        if (touch_has_read(s, t)) fprintf(to, "    const real *r_%s;\n", t->field->name);
        if (t->writes || t->is_both) fprintf(to, "    real *w_%s;\n", t->field->name);
    }
    if (has_metric(s)) fprintf(to, "    SF_METRIC_MAPPED(const real *r_metric;)\n");
    fprintf(to, "    ptrdiff_t sj, sk, sm;\n");
    if (s->beyond) fprintf(to, "    struct %s_sides sides;\n", s->beyond->name);
    if (s->unit == UNIT_COLUMN)
        fprintf(to, "    int is_bottom, is_top;\n    ptrdiff_t up, down, apart;\n    real *keep, *carried;\n");
    for (int n = 0; n < x->n; n++)
        if (x->of[n].symbol->kind == SYMBOL_TABLE) continue;
        else if (x->of[n].symbol->kind == SYMBOL_LINE)
            fprintf(to, x->of[n].symbol->axis ? "    real a_%s;\n" : "    const real *a_%s;\n", x->of[n].symbol->name);
        else if (is_level(&x->of[n])) {
            fprintf(to, "    %sreal ", metric_begin(&x->of[n])), level_print(to, x->of[n].symbol->name, x->of[n].level);
            fprintf(to, ";%s\n", metric_end(&x->of[n]));
        } else fprintf(to, "    %s n_%s;\n", type(x->of[n].symbol->is_double), x->of[n].symbol->name);
    uniform_print(to, s, 1, "    double u_@;\n"), uniform_print(to, s, 0, "    real u_@;\n");
    fprintf(to, "};\n\n");
    if (s->is_each) member_print(to, s, x);
    fprintf(to, "SF_POINT struct %s_line %s_line(const struct %s_pack *p, ptrdiff_t at, ptrdiff_t map, int k%s)\n{\n",
            s->name, s->name, s->name,
            s->unit == UNIT_COLUMN ? ", const struct made_column *x"
            : is_layered(s)        ? ", int row"
                                   : "");
    if (is_layered(s)) fprintf(to, "    (void)row;\n");
    fprintf(to, "    (void)at, (void)map, (void)k;\n    struct %s_line l;\n", s->name);
    if (s->unit == UNIT_COLUMN)
        fprintf(to, "    l.is_bottom = k == x->k0, l.is_top = k + 1 == x->k1, l.apart = x->apart;\n"
                    "    l.down = l.is_bottom ? 0 : p->grid.sk, l.up = l.is_top ? 0 : p->grid.sk;\n"
                    "    l.keep = x->keep + (ptrdiff_t)(k - x->k0) * x->wide, l.carried = x->carried;\n");
    for (int n = 0; n < s->ntouches; n++) {
        const struct touch *const t = &s->touch[n];
        const char *const name = t->field->name, *const by = t->field->field.shape == SHAPE_MAP ? "map" : "at";
        if (t->field->is_metric) fprintf(to, "    SF_METRIC_FULL(l.r_%s = p->r_%s + at;)\n", name, name);
        if (t->field->field.shape == SHAPE_LEVELS || t->field->field.shape == SHAPE_BOX || t->field->is_each) continue;
        if (touch_has_read(s, t)) fprintf(to, "    l.r_%s = p->r_%s + %s;\n", name, name, by);
        if (t->writes || t->is_both) fprintf(to, "    l.w_%s = p->w_%s + %s;\n", name, name, by);
    }
    if (has_metric(s)) fprintf(to, "    SF_METRIC_MAPPED(l.r_metric = p->r_metric + map;)\n");
    fprintf(to, "    l.sj = p->grid.sj, l.sk = p->grid.sk, l.sm = p->grid.sm;\n");
    if (s->beyond) fprintf(to, "    l.sides = p->sides, l.sides.j = (int)((at - k * l.sk) / l.sj) + p->grid.j0;\n");
    for (int n = 0; n < x->n; n++) {
        const char *const name = x->of[n].symbol->name;
        const int level = x->of[n].level;
        static const char *const place[] = {"", "[row]", "[k]"};
        if (x->of[n].symbol->kind == SYMBOL_TABLE) continue;
        if (x->of[n].symbol->kind == SYMBOL_LINE)
            fprintf(to, "    l.a_%s = p->a_%s%s;\n", name, name, place[x->of[n].symbol->axis]);
        else if (!is_level(&x->of[n])) fprintf(to, "    l.n_%s = p->n_%s;\n", name, name);
        else {
            fprintf(to, "    %sl.", metric_begin(&x->of[n])), level_print(to, name, level);
            fprintf(to, " = p->v_%s[k", name), distance_print(to, level, NULL);
            fprintf(to, "];%s\n", metric_end(&x->of[n]));
        }
    }
    uniform_print(to, s, 1, "    l.u_@ = p->u_@;\n"), uniform_print(to, s, 0, "    l.u_@ = p->u_@;\n");
    if (s->is_each && s->unit == UNIT_COLUMN) fprintf(to, "    %s_member(&l, x->of, at);\n", s->name);
    fprintf(to, "    return l;\n}\n\n");
    int deep;
    if (describe_by_blocks(s, &deep)) levels_print(to, s, x);
}

/* ---- what a stage computes together: all of it; apart, one result, line `by` of it ---- */

enum { ALL = -1 };

static int names_it(const struct node *e, const char *name)
{
    int is = e->kind == NODE_NAME && !strcmp(e->name, name);
    for (int n = 0; n < e->narg; n++) is |= names_it(e->arg[n], name);
    return is;
}

static int is_used(const struct described *s, int n, int by)
{
    if (by == ALL || n == by) return 1;
    for (int m = n + 1; m <= by && !s->line[n].field; m++)
        if (names_it(s->line[m].value, s->line[n].name) && is_used(s, m, by)) return 1;
    return 0;
}

/* The first of them is `first_part`; behind the last comes s->nlines. */
static int part_next(const struct described *s, int by)
{
    if (!s->is_apart) return by == ALL ? s->nlines : ALL;
    do by++;
    while (by < s->nlines && !s->line[by].field);
    return by;
}
static int first_part(const struct described *s) { return s->is_apart ? part_next(s, ALL) : ALL; }

struct part_name {
    char text[3 * NAME_MOST];
};
static struct part_name part_name(const struct described *s, int by)
{
    struct part_name n;
    snprintf(n.text, sizeof n.text, "%s%s%s", s->name, by == ALL ? "" : "_", by == ALL ? "" : s->line[by].name);
    return n;
}

static const struct assignment *only_of(const struct described *s)
{
    return s->is_shown || s->unit != UNIT_POINT ? NULL : describe_only(s, 0);
}

enum kernels describe_kernels(const struct described *s)
{
    if (s->unit != UNIT_POINT || s->is_shown || s->is_side || s->is_elements || s->beyond || s->is_each ||
        is_layered(s) || only_of(s))
        return KERNELS_ROWS;
    if (s->is_apart || describe_levels_together(s) > 1) return KERNELS_NEAR;
    return !s->form && describe_vectors_fit(s) ? KERNELS_VECTORS : KERNELS_ROWS;
}

static void value_line_print(FILE *to, const struct described *s, const struct assignment *a, const char *result,
                             enum form form)
{
    const char *const structure = describe_structure(a->value);
    if (a->is_uniform) return (void)fprintf(to, "    const %s x_%s = l->u_%s;\n", type(a->is_double), a->name, a->name);
    if (structure) fprintf(to, "    const struct %s x_%s = ", structure, a->name);
    else if (s->is_shown) fprintf(to, "    return ");
    else fprintf(to, "    %s%s = ", a->field ? result : "const real x_", a->name);
    print(to, a->value, form);
    fprintf(to, ";\n");
}

/* The lines; a result is named by `result`. in_loop: what `only where` says is named `only`; a kernel asks before. */
static void lines_print(FILE *to, const struct described *s, int by, const char *result, int in_loop, enum form form)
{
    fprintf(to, "    (void)form, (void)i;\n");
    for (int n = 0; n < s->nlines; n++) {
        const struct assignment *const a = &s->line[n];
        if (!is_used(s, n, by)) continue;
        if (a->kind != LINE_ONLY) value_line_print(to, s, a, result, form);
        else if (in_loop) fprintf(to, "    const int only = "), print(to, a->value, FORM_POINT), fprintf(to, ";\n");
    }
}

int describe_only_needs(const struct described *s, const struct assignment *only, int n)
{
    if (names_it(only->value, s->line[n].name)) return 1;
    for (int m = n + 1; &s->line[m] < only; m++)
        if (names_it(s->line[m].value, s->line[n].name) && describe_only_needs(s, only, m)) return 1;
    return 0;
}

/* NAME_only(form, line, i): does point i change? */
static void only_print(FILE *to, const struct described *s)
{
    const struct assignment *const only = only_of(s);
    if (!only) return;
    fprintf(to, "SF_POINT int %s_only(const int form, const struct %s_line *l, int i)\n{\n    (void)form, (void)i;\n",
            s->name, s->name);
    for (int n = 0; &s->line[n] < only; n++)
        if (describe_only_needs(s, only, n)) value_line_print(to, s, &s->line[n], "", FORM_POINT);
    fprintf(to, "    return "), print(to, only->value, FORM_POINT), fprintf(to, ";\n}\n\n");
}

/* `    l->w_NAME[i] = FROMNAME;` of each result. */
static void results_print(FILE *to, const struct described *s, int by, const char *from)
{
    const int has_only = only_of(s) != NULL && strcmp(from, "x->") != 0;
    for (int n = 0; n < s->nlines; n++) {
        const char *const name = s->line[n].name;
        if (!s->line[n].field || !is_used(s, n, by)) continue;
        if (has_only) fprintf(to, "    l->w_%s[i] = SF_ONLY(%s%s, l->w_%s[i]);\n", name, from, name, name);
        else fprintf(to, "    l->w_%s[i] = %s%s;\n", name, from, name);
    }
}

/* For kernels: NAME_values and NAME_store, of all that the stage computes where its loops compute results apart. */
static void values_print(FILE *to, const struct described *s, int by)
{
    const struct part_name part = part_name(s, by);
    const char *const of = s->name, *const name = part.text;
    static const enum form of_kernels[] = {FORM_POINT, FORM_NEAR, FORM_VECTORS};
    const enum form form = of_kernels[describe_kernels(s)];
    fprintf(to, "#ifdef __cplusplus\n");
    if (form == FORM_VECTORS) describe_print_vectors(to, s);
    fprintf(to, "struct %s_values {\n", name);
    for (int n = 0; n < s->nlines; n++)
        if (s->line[n].field && is_used(s, n, by)) fprintf(to, "    real %s;\n", s->line[n].name);
    fprintf(to, "};\n\nSF_POINT struct %s_values %s_values(const int form, const struct %s_line *l, int i", name, name,
            of);
    if (form == FORM_NEAR) fprintf(to, ", const struct made_strides *at");
    if (form == FORM_VECTORS) fprintf(to, ", int m, const struct %s_around *around", of);
    fprintf(to, ")\n{\n    struct %s_values to;\n%s", name,
            form == FORM_NEAR      ? "    (void)at;\n"
            : form == FORM_VECTORS ? "    (void)l, (void)m, (void)around;\n"
                                   : "");
    lines_print(to, s, by, "to.", 0, form);
    fprintf(
        to,
        "    return to;\n}\n\nSF_POINT void %s_store(const struct %s_line *l, int i, const struct %s_values *x)\n{\n",
        name, of, name);
    results_print(to, s, by, "x->");
    fprintf(to, "}\n\n");
    if (form == FORM_VECTORS) describe_print_put(to, s);
    fprintf(to, "#endif\n\n");
}

/* What is shown has a value. A loop computes a point and stores it; a kernel takes several before it stores, so that
 * their values come by themselves. */
static void point_print(FILE *to, const struct described *s, int by)
{
    const struct part_name part = part_name(s, by);
    const char *const of = s->name, *const name = part.text;
    if (s->is_shown) {
        fprintf(to, "SF_POINT real %s_value(const int form, const struct %s_line *l, int i)\n{\n", name, of);
        lines_print(to, s, by, "", 0, FORM_POINT);
        fprintf(to, "}\n\n");
        return;
    }
    only_print(to, s), fprintf(to, "#ifndef __cplusplus\n");
    fprintf(to, "SF_POINT void %s_point(const int form, const struct %s_line *l, int i)\n{\n", name, of);
    lines_print(to, s, by, "const real to_", 1, FORM_POINT), results_print(to, s, by, "to_");
    fprintf(to, "}\n#endif\n\n");
    if (!s->is_apart) values_print(to, s, by);
}

/* ---- a stage with forms, or of several loops and kernels ---- */

static const char *form_name(const struct described *s, int f) { return s->form ? s->form->argument[f] : "0"; }

static void stage_calls_print(const struct description *d, FILE *to, const struct described *s)
{
    const int forms = s->form ? s->form->narguments : 1;
    fprintf(to, "static void %s_all(const struct slab *s, struct box b, const struct call *c, void *stream)\n{\n",
            s->name);
    if (s->beyond)
        fprintf(to, "    const struct %s_boxes x = %s_boxes(s, b, (const struct %s *)c->ctx);\n    b = x.inner;\n",
                s->beyond->name, s->beyond->name, d->numbers);
    if (s->form) fprintf(to, "    switch (((const struct %s *)c->ctx)->%s) {\n", d->numbers, s->form->name);
    for (int f = 0; f < forms; f++) {
        if (s->form) fprintf(to, "    case %s:\n", form_name(s, f));
        fprintf(to, "        %s_in_%s_part(s, b, c, stream);\n", s->name, form_name(s, f));
        if (s->beyond) fprintf(to, "        SF_MADE_SIDES_RUN(%s, %s, x.side)\n", s->name, form_name(s, f));
        if (s->form) fprintf(to, "        break;\n");
    }
    fprintf(to, "%s}\n", s->form ? "    }\n" : "");
}

/* Of all members of a family; next to open sides in kernels of their own, and a loop for all forms. Those that loops by
 * hand take the place of are there for whoever compares both, and has no others. */
static void each_parts_print(const struct description *d, FILE *to, const struct described *s)
{
    const int forms = s->form ? s->form->narguments : 1;
    const char *const each = only_of(s) ? "SF_MADE_EACH_ONLY" : "SF_MADE_EACH";
    fprintf(to, "#if defined __cplusplus || %sdefined SF_MADE_BESIDE\n", s->cpu ? "" : "!");
    for (int f = 0; f < forms; f++) {
        fprintf(to, "%s(%s_in_%s, %s, %s)\n", each, s->name, form_name(s, f), s->name, form_name(s, f));
        if (s->beyond) fprintf(to, "SF_MADE_SIDES_IN(%s, %s, %s)\n", each, s->name, form_name(s, f));
    }
    if (s->beyond) {
        fprintf(to, "SF_MADE_SIDES_ANY(%s, %s, ", each, s->name);
        if (s->form) fprintf(to, "((const struct %s *)c->ctx)->%s)\n", d->numbers, s->form->name);
        else fprintf(to, "0)\n");
    }
    stage_calls_print(d, to, s);
    fprintf(to, "#ifdef __cplusplus\nSF_PART_STAGE(%s%s, %s_all)\n#else\nSF_PART_STAGE(%s%s, %s_all)\n#endif\n#endif\n",
            s->name, s->gpu ? "_made" : "", s->name, s->name, s->cpu ? "_made" : "", s->name);
}

static void stage_parts_print(const struct description *d, FILE *to, const struct described *s)
{
    if (s->is_each && s->unit == UNIT_POINT) return each_parts_print(d, to, s);
    const int forms = s->form ? s->form->narguments : 1;
    const char *const made = s->gpu ? "_made" : "";
    static const char *const point[] = {"POINT", "NEAR_POINT", "VECTORS_POINT"};
    const enum kernels kernels = describe_kernels(s);
    int deep;
    if (!s->form && !s->is_apart && !only_of(s))
        return (void)fprintf(to, "SF_MADE_%s%s(%s, %s%s)\n", describe_by_blocks(s, &deep) ? "BLOCKS_" : "",
                             s->is_each               ? "EACH_COLUMN"
                             : s->unit == UNIT_COLUMN ? "COLUMN"
                             : is_layered(s)          ? "LAYERED"
                                                      : point[kernels],
                             s->name, s->name, made);
    fprintf(to, "#ifdef __cplusplus\n");
    for (int f = 0; f < forms; f++)
        fprintf(to, "SF_MADE%s_KERNEL%s(%s_in_%s, %s, %s, %s)\n", kernels == KERNELS_NEAR ? "_NEAR" : "",
                s->is_apart && kernels == KERNELS_NEAR ? "_MUCH"
                : only_of(s)                           ? "_ONLY"
                                                       : "",
                s->name, form_name(s, f), s->name, s->name, form_name(s, f));
    stage_calls_print(d, to, s);
    fprintf(to, "SF_PART_STAGE(%s%s, %s_all)\n#else\n", s->name, made, s->name);
    for (int f = 0; f < forms; f++) {
        fprintf(to, "SF_MADE_LOOPS(%s_in_%s, %s,", s->name, form_name(s, f), s->name);
        for (int by = first_part(s); by < s->nlines; by = part_next(s, by))
            fprintf(to, " SF_MADE_LOOP%s(%s, %s)", only_of(s) ? "_ONLY" : "", part_name(s, by).text, form_name(s, f));
        fprintf(to, ")\n");
    }
    stage_calls_print(d, to, s);
    fprintf(to, "SF_PART_STAGE(%s, %s_all)\n#endif\n", s->name, s->name);
}

/* A user's text, which may not end the comment that it is in. */
static void comment_print(FILE *to, const char *text)
{
    for (; *text; text++)
        if (*text != '*' && *text != '\\') fputc(*text, to);
}

void made_print(FILE *to, const struct sheet *s)
{
    fprintf(to, "/* Made of "), comment_print(to, s->path);
    fprintf(to, " and what goes with it: see stages/describe.h. SPDX-License-Identifier: MIT */\n");
}

static void stage_print(FILE *to, const struct description *d, const struct described *s)
{
    const struct needs x = needs_of(s);
    fprintf(to, "/* ---- "), comment_print(to, s->title), fprintf(to, " ---- */\n\n");
    pack_print(to, d, s, &x), line_print(to, s, &x);
    if (s->unit == UNIT_COLUMN) describe_print_parts(to, s), describe_print_blocks(to, s);
    else if (is_layered(s)) return layered_print(to, s);
    for (int by = first_part(s); by < s->nlines && s->unit == UNIT_POINT; by = part_next(s, by)) point_print(to, s, by);
    if (s->is_apart) values_print(to, s, ALL);
}

/* NAME_all: beside each side that is open, the western one first, what the stage does there. */
static void beside_print(FILE *to, const struct description *d, const struct described *s)
{
    const char *const made = s->gpu ? "_made" : "";
    for (int n = 0; n < s->nsides; n++) {
        stage_print(to, d, &s->side[n]);
        fprintf(to, "SF_MADE_%s(%s)\n\n", s->unit == UNIT_COLUMN ? "COLUMN_PART" : "PART", s->side[n].name);
    }
    if (s->unit == UNIT_COLUMN) fprintf(to, "SF_COLUMN_WORK(%s, %s)\n", s->name, s->side[0].name);
    fprintf(to,
            "static void %s_all(const struct slab *s, struct box b, const struct call *c, void *stream)\n{\n"
            "    const int *const open = ((const struct %s *)c->ctx)->%s;\n",
            s->name, d->numbers, s->open);
    for (int n = 0; n < s->nsides; n++) {
        const struct described *const of = &s->side[n];
        fprintf(to, "    if (open[%d]) %s_part(s, made_beside(s, b, %d, %d, %d, open), c, stream);\n", of->facing,
                of->name, of->facing, of->nearness, of->is_on_face);
    }
    fprintf(to, "}\n#ifdef __cplusplus\nSF_PART_STAGE(%s%s, %s_all)\n#else\nSF_PART_STAGE(%s, %s_all)\n#endif\n",
            s->name, made, s->name, s->name, s->name);
}

void describe_print_sheet(const struct description *d, const struct sheet *of, FILE *to)
{
    made_print(to, of ? of : d->sheet), fprintf(to, "#pragma once\n\n");
    fprintf(to, "#include \"pipeline/printed.h\"\n\n#include <string.h>\n");
    for (int n = 0; n < d->nheaders; n++)
        if (!of || describe_sheet(d, d->header[n].at) == of) fprintf(to, "#include \"%s\"\n", d->header[n].path);
    fprintf(to, "\n");
    for (int n = 0; n < d->nstages; n++) {
        const struct described *const s = &d->stage[n];
        if (s->is_shown || s->nof || (of && describe_sheet(d, s->at) != of)) continue;
        if (s->is_elements || s->variant) {
            elements_print(to, s);
            continue;
        }
        if (s->beside) {
            beside_print(to, d, s), fprintf(to, "\n");
            continue;
        }
        const int only_loops = s->gpu && s->like;
        if (only_loops) fprintf(to, "#ifndef __cplusplus /* its kernels are those of %s */\n", s->like);
        stage_print(to, d, s);
        if (s->gpu && !s->like) fprintf(to, "/* Beside the kernels of %s, which a run takes. */\n", s->gpu);
        stage_parts_print(d, to, s);
        fprintf(to, "%s\n", only_loops ? "#endif\n" : "");
    }
}

void describe_print_code(const struct description *d, FILE *to) { describe_print_sheet(d, NULL, to); }

void describe_print_begin(const struct description *d, FILE *to)
{
    fprintf(to,
            "#ifndef __cplusplus\n\nvoid numbers_make(double *v);\nvoid numbers_make(double *v)\n{\n    (void)v;\n");
    for (int n = 0; n < d->nsymbols; n++) {
        const struct symbol *const f = &d->symbol[n];
        if (f->kind != SYMBOL_NUMBER) continue;
        fprintf(to, "    v[%d] = ", f->number), print(to, f->value, FORM_TWICE), fprintf(to, ";\n");
    }
    fprintf(to, "}\n\n");
    if (d->limit) {
        fprintf(
            to,
            "double limit_of_step(const double *v);\ndouble limit_of_step(const double *v)\n{\n    (void)v;\n    return ");
        print(to, d->limit, FORM_TWICE), fprintf(to, ";\n}\n\n");
    }
    for (int n = 0; n < d->nsymbols; n++) {
        const struct symbol *const f = &d->symbol[n];
        if (f->kind != SYMBOL_FIELD || !f->value) continue;
        const char *const head = "double %s_start(const double *v, double x, double y, double z)";
        fprintf(to, head, f->name), fprintf(to, ";\n"), fprintf(to, head, f->name);
        fprintf(to, "\n{\n    (void)v, (void)x, (void)y, (void)z;\n    return "), print(to, f->value, FORM_TWICE),
            fprintf(to, ";\n}\n\n");
    }
    for (int n = 0; n < d->nstages; n++) {
        const struct described *const s = &d->stage[n];
        if (!s->is_shown) continue;
        stage_print(to, d, s);
        fprintf(to, "SF_MADE_ROW(%s)\n\n", s->name);
    }
    fprintf(to, "#endif\n");
}
