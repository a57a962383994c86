/* Prints stages that know media or layers. What a model with `layer` or `table` lines has a header for, which it names
 * by `use`: the loop, SF_MADE_LAYERED(NAME), and what calls the functions below. maxwell/layered.h is one.
 * SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"

#include <string.h>

void part_member_print(FILE *to, const struct symbol *f)
{
    if (f->is_media) fprintf(to, "    const void *i_%s;\n", f->name);
    else fprintf(to, "    real *w_%s[2];\n", f->name);
}

void part_take_print(FILE *to, const struct symbol *f)
{
    if (f->is_media) fprintf(to, "    p.i_%s = s->f[%s];\n", f->name, f->id);
    for (int end = 0; end < 2 && f->is_memory; end++)
        fprintf(to, "    p.w_%s[%d] = s->w[%s];\n", f->name, end, end ? f->id_high : f->id);
}

void layered_take_print(FILE *to, const struct description *d, const struct needs *x)
{
    fprintf(to, "    p.layers = %s_layers(d);\n", d->numbers);
    for (int n = 0; n < x->n; n++)
        if (x->of[n].symbol->kind == SYMBOL_TABLE)
            return (void)fprintf(to, "    p.wide = d->%s;\n", x->of[n].symbol->wide);
}

/* ---- media ---- */

/* TABLE(media), each once. */
struct lookups {
    const struct node *of[NEEDS];
    int n;
};

static void lookups_find(struct lookups *x, const struct node *e)
{
    int n = 0;
    if (e->symbol && e->symbol->kind == SYMBOL_TABLE) {
        while (n < x->n && (x->of[n]->symbol != e->symbol || strcmp(x->of[n]->arg[0]->name, e->arg[0]->name))) n++;
        if (n == x->n && n < NEEDS) x->of[x->n++] = e;
        return;
    }
    for (int m = 0; m < e->narg; m++) lookups_find(x, e->arg[m]);
}

static void medium_print(FILE *to, const struct node *e) { fprintf(to, "m_%s_%s", e->name, e->arg[0]->name); }

static void media_print(FILE *to, const struct described *s, const struct lookups *x)
{
    const char *const name = s->name;
    for (int many = 0; many < 2; many++) {
        fprintf(to, "struct %s_%s {\n", name, many ? "many" : "one");
        for (int n = 0; n < x->n; n++)
            fprintf(to, "    real "), medium_print(to, x->of[n]), fprintf(to, "%s;\n", many ? "[MADE_PIECE]" : "");
        fprintf(to, "};\n");
    }
    fprintf(to, "\nSF_POINT struct %s_one %s_one(const struct %s_pack *p, ptrdiff_t at, const int wide)\n{\n", name,
            name, name);
    fprintf(to, "    struct %s_one to;\n", name);
    for (int n = 0; n < x->n; n++) {
        fprintf(to, "    to."), medium_print(to, x->of[n]);
        fprintf(to, " = coefficient_at(p->a_%s, p->i_%s, at, wide);\n", x->of[n]->name, x->of[n]->arg[0]->name);
    }
    fprintf(to, "    return to;\n}\n\n#ifndef __cplusplus /* a kernel looks at its own point */\n");
    fprintf(to, "SF_POINT int %s_differ(const struct %s_pack *p, ptrdiff_t at, int n, const int wide)\n{\n    return 0",
            name, name);
    for (int n = 0; n < s->ntouches; n++)
        if (s->touch[n].field->is_media) fprintf(to, " | made_differ(p->i_%s, at, n, wide)", s->touch[n].field->name);
    fprintf(to, ";\n}\n\nSF_POINT void %s_many(struct %s_many *to, const struct %s_pack *p, ptrdiff_t at, int n, ",
            name, name, name);
    fprintf(to, "const int wide)\n{\n");
    for (int n = 0; n < s->ntouches; n++) {
        const char *const media = s->touch[n].field->name;
        if (!s->touch[n].field->is_media) continue;
        fprintf(to, "    _Pragma(\"omp simd\") for (int i = 0; i < n; i++)\n    {\n");
        fprintf(to, "        const unsigned id = id_at(p->i_%s, at + i, wide);\n", media);
        for (int m = 0; m < x->n; m++) {
            if (strcmp(x->of[m]->arg[0]->name, media)) continue;
            fprintf(to, "        to->"), medium_print(to, x->of[m]),
                fprintf(to, "[i] = p->a_%s[id];\n", x->of[m]->name);
        }
        fprintf(to, "    }\n");
    }
    fprintf(to, "}\n#endif\n\n");
}

/* ---- points ---- */

static int names(const struct node *e, const char *name)
{
    if (e->kind == NODE_NAME && e->symbol && e->symbol->kind == SYMBOL_LOCAL && !strcmp(e->name, name)) return 1;
    for (int n = 0; n < e->narg; n++)
        if (names(e->arg[n], name)) return 1;
    return 0;
}

/* Is local n of the lines for all points named within a layer, or by a local that is? */
static int is_named(const struct described *s, int n, int layer)
{
    for (int m = n + 1; m < s->nlines; m++) {
        const struct assignment *const a = &s->line[m];
        if (!names(a->value, s->line[n].name)) continue;
        if (a->layer == layer || (!a->layer && !a->field && is_named(s, m, layer))) return 1;
    }
    return 0;
}

/* The lines of a layer, or of all points, 0; then their results. */
static void lines_print(FILE *to, const struct described *s, int layer)
{
    for (int n = 0; n < s->nlines; n++) {
        const struct assignment *const a = &s->line[n];
        if (a->layer != layer && (a->layer || a->field || !is_named(s, n, layer))) continue;
        fprintf(to, "    const real %s_%s = ", a->field ? "to" : "x", a->name);
        if (a->is_uniform) fprintf(to, "l->u_%s", a->name);
        else print(to, a->value, FORM_POINT);
        fprintf(to, ";\n");
    }
    for (int n = 0; n < s->nlines; n++)
        if (s->line[n].layer == layer && s->line[n].field)
            fprintf(to, "    %s->w_%s[i] = to_%s;\n", s->line[n].field->is_memory ? "of" : "l", s->line[n].name,
                    s->line[n].name);
}

#define ARGUMENTS "const struct %s_one *one, const struct %s_many *many, int i, int i0, const int uniform)\n{\n"
#define UNUSED "    (void)one, (void)many, (void)i0, (void)uniform;\n"

/* The memories of a layer along a line, and their point. */
static void layer_print(FILE *to, const struct described *s, int axis)
{
    const char *const name = s->name, c = "xyz"[axis];
    const struct symbol *memory[TOUCHES];
    int most = 0;
    for (int n = 0; n < s->ntouches; n++)
        if (s->touch[n].field->is_memory && s->touch[n].field->axis == axis) memory[most++] = s->touch[n].field;
    fprintf(to, "struct %s_of_%c {\n", name, c);
    for (int n = 0; n < most; n++) fprintf(to, "    real *w_%s;\n", memory[n]->name);
    fprintf(to, "};\n\nSF_POINT struct %s_of_%c %s_of_%c(const struct %s_pack *p, int end, ptrdiff_t at)\n{\n", name, c,
            name, c, name);
    fprintf(to, "    struct %s_of_%c of;\n", name, c);
    for (int n = 0; n < most; n++) fprintf(to, "    of.w_%s = p->w_%s[end] + at;\n", memory[n]->name, memory[n]->name);
    fprintf(
        to,
        "    return of;\n}\n\nSF_POINT void %s_layer_%c(const struct %s_line *l, const struct %s_of_%c *of, " ARGUMENTS,
        name, c, name, name, c, name, name);
    fprintf(to, UNUSED), lines_print(to, s, 1 + axis), fprintf(to, "}\n\n");
}

void layered_print(FILE *to, const struct described *s)
{
    const char *const name = s->name;
    struct lookups x = {.n = 0};
    for (int n = 0; n < s->nlines; n++) lookups_find(&x, s->line[n].value);
    media_print(to, s, &x);
    fprintf(to, "SF_POINT void %s_point(const struct %s_line *l, " ARGUMENTS, name, name, name, name);
    fprintf(to, UNUSED), lines_print(to, s, 0), fprintf(to, "}\n\n");
    for (int axis = 0; axis < 3; axis++) layer_print(to, s, axis);
    fprintf(to, "#define %s_LAYERS(along, across)", name);
    for (int n = 0; n < s->nlines; n++) {
        const int layer = s->line[n].layer;
        if (layer && s->line[n - 1].layer != layer)
            fprintf(to, layer > 1 ? " along(%s, %c)" : " across(%s)", name, "xyz"[layer - 1]);
    }
    fprintf(to, "\n");
}
