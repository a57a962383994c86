/* Prints packs of stages of elements, and what hands them to the functions in C that are their bodies.
 * SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"

static void pack_print(FILE *to, const struct described *s)
{
    fprintf(to, "struct %s_pack {\n", s->pack);
    for (const struct assignment *a = s->line; a < s->line + s->nlines; a++)
        fprintf(to, "    %s%s *%s[%d];\n", a->kind == LINE_CHANGES ? "" : "const ",
                a->value->arg[0]->symbol->is_media ? "void" : "real", a->name, a->value->narg);
    fprintf(to, "%s    ptrdiff_t sj, sk;\n    int j0, imaginary;\n};\n", s->sums ? "    real *sums;\n" : "");
}

/* The packs; the bodies that are handed them; and the stages, those between two steps of a GPU alone. */
void describe_print_packs(const struct description *d, FILE *to)
{
    made_print(to, d->sheet), fprintf(to, "#pragma once\n\n#include \"pipeline/model.h\"\n\n");
    fprintf(to, "#if defined __clang__ /* to write what is read alone is no mere warning, as it is none in C++ */\n"
                "#pragma clang diagnostic error \"-Wincompatible-pointer-types-discards-qualifiers\"\n"
                "#elif !defined __cplusplus\n#pragma GCC diagnostic error \"-Wdiscarded-qualifiers\"\n#endif\n\n");
    for (const struct described *s = d->stage; s < d->stage + d->nstages; s++) {
        if (!s->is_elements && !s->variant) continue;
        if (s->variant != VARIANT_RIM) fprintf(to, "stage_function %s_run;\n", s->name);
        fprintf(to, "stage_launch %s_run_gpu;\n", s->name);
        if (s->variant) continue;
        if (!s->is_shared) pack_print(to, s);
        fprintf(to,
                "void %s_elements(const struct %s_pack *p, struct box b, const struct call *c);\n"
                "void %s_elements_gpu(const struct %s_pack *p, struct box b, const struct call *c, void *stream);\n",
                s->name, s->pack, s->name, s->pack);
    }
}

/* Lists in their order; of fields that change where they are written. */
static void lists_print(FILE *to, const struct described *s)
{
    const char *const of = s->variant ? s->base->name : s->name;
    const struct touch *t = s->touch;
    fprintf(to, "static inline struct %s_pack %s_pack(const struct slab *s)\n{\n    struct %s_pack p;\n", s->pack,
            s->name, s->pack);
    for (const struct assignment *a = s->line; a < s->line + s->nlines; a++)
        for (int n = 0; n < a->value->narg; n++, t++)
            fprintf(to, "    p.%s[%d] = s->%c[%s];\n", a->name, n, t->writes ? 'w' : 'f', t->field->id);
    if (s->sums) fprintf(to, "    p.sums = s->w[%s];\n", s->sums);
    fprintf(to,
            "    p.sj = s->sj, p.sk = s->sk, p.j0 = s->j0, p.imaginary = %d;\n    return p;\n}\n%s"
            "SF_MADE_HANDED(%s, %s_pack, %s_elements, %s_elements_gpu)\n%s\n",
            s->variant == VARIANT_IM, s->variant == VARIANT_RIM ? "#ifdef __cplusplus\n" : "", s->name, s->pack, of, of,
            s->variant == VARIANT_RIM ? "#endif\n" : "");
}

/* Of a stage of points on other fields: a slab that shows these in the place of its own. */
static void slab_print(FILE *to, const struct described *s)
{
    const struct described *const of = s->base;
    fprintf(to, "static inline struct slab %s_pack(const struct slab *s)\n{\n    struct slab v = *s;\n", s->name);
    for (int n = 0; n < 2 * s->ntouches; n++) {
        const struct symbol *const f = s->touch[n / 2].field, *const g = of->touch[n / 2].field;
        const char *const from = n % 2 ? f->id_high : f->id, *const at = n % 2 ? g->id_high : g->id;
        if (f != g && from) fprintf(to, "    v.f[%s] = s->f[%s], v.w[%s] = s->w[%s];\n", at, from, at, from);
    }
    fprintf(to, "    return v;\n}\nSF_MADE_HANDED(%s, slab, %s_run, %s%s)\n\n", s->name, of->name,
            of->gpu ? of->gpu : of->name, of->gpu ? "" : "_run_gpu");
}

void elements_print(FILE *to, const struct described *s)
{
    if (s->is_elements) lists_print(to, s);
    else slab_print(to, s);
}
