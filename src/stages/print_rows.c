/* Rows of the tables of a model, made of its description: fields, forms, stages with what they touch and compute.
 * SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"

/* For FIELD and PROFILE of a model's .def file. */
void describe_print_fields(const struct description *d, FILE *to)
{
    made_print(to, d->sheet);
    for (int n = 0; n < 2 * d->nsymbols; n++) { /* those of a family behind the others */
        const struct symbol *const f = &d->symbol[n % d->nsymbols];
        if (f->kind != SYMBOL_FIELD || f->is_each != n / d->nsymbols) continue;
        if (f->is_member) {
            fprintf(to, "MEMBER(%s, \"%s\", \"%s\", \"%s\", \"%s\")\n", f->id, f->name, f->long_name, f->unit,
                    f->standard_name);
            continue;
        }
        if (f->field.shape == SHAPE_LEVELS) {
            fprintf(to, "PROFILE(%s, \"%s\", \"%s\")\n", f->id, f->name, f->long_name);
            continue;
        }
        if (f->is_memory) {
            for (int end = 0; end < 2 && f->face[0]; end++)
                fprintf(to, "SHELL(%s, \"%s\")\n", end ? f->id_high : f->id, f->face[end]);
            continue;
        }
        if (f->is_media) {
            fprintf(to, "MEDIA(%s, \"%s\", \"%s\")\n", f->id, f->name, f->long_name);
            continue;
        }
        static const char *const role[] = {
            [ROLE_PROGNOSTIC] = "ROLE_PROGNOSTIC", [ROLE_SCRATCH] = "ROLE_SCRATCH", [ROLE_STATIC] = "ROLE_STATIC"};
        const int is_late = f->late < 0 || f->late > 0;
        fprintf(to, "%s(%s, \"%s\", \"%s\", \"%s\", \"%s\", %u, %s, %s, %d",
                is_late      ? "LATE"
                : f->is_each ? "FAMILY"
                             : "FIELD",
                f->id, f->name, f->long_name, f->unit, f->standard_name, f->field.stagger,
                f->is_each && f->field.role == ROLE_PROGNOSTIC ? "ROLE_TRACER" : role[f->field.role],
                f->field.shape == SHAPE_MAP ? "SHAPE_MAP" : "SHAPE_FULL", f->field.banks);
        if (is_late) fprintf(to, ", %g", f->late);
        fprintf(to, ")\n");
    }
}

static void access_print(FILE *to, const struct touch *t, enum access_mode mode, enum rare rare, const char *id)
{
    static const char *const name[] = {[ACCESS_READ] = "READ",       [ACCESS_UPDATE] = "UPDATE",
                                       [ACCESS_WRITE] = "WRITE",     [ACCESS_READ_OTHER] = "READ_OTHER",
                                       [ACCESS_REWRITE] = "REWRITE", [ACCESS_READ_BESIDE] = "READ_BESIDE"};
    const struct reach r = t->reach;
    if (!mode) return;
    if (t->field->field.shape == SHAPE_LEVELS) return (void)fprintf(to, "\n     LEVELS(%s)", id);
    fprintf(to, "\n     %s%s(%s, %d", t->field->is_each ? "Q_" : "", name[mode], id, (int)rare);
    if (!access_writes(mode)) fprintf(to, ", %d, %d, %d, %d, %d, %d", r.im, r.ip, r.km, r.kp, r.jm, r.jp);
    fprintf(to, ")");
}

/* Kernels of points that are made, and look at all of them: other shapes of theirs are worth a trial. */
static int is_shaped(const struct described *s)
{
    int is = 0;
    for (int n = 0; n < s->ntouches; n++)
        is |= s->touch[n].is_everywhere && s->touch[n].field->field.shape == SHAPE_FULL;
    return is && s->unit == UNIT_POINT && !s->gpu && !s->nof && !s->variant;
}

/* What nobody counted is left out: there is at least so much. */
static void formulas_print(const struct description *d, FILE *to)
{
    for (int n = 0; n < d->nsymbols; n++) {
        const struct symbol *const f = &d->symbol[n];
        if (f->kind == SYMBOL_FORMULA && !f->c_name)
            fprintf(to, "#ifndef FLOPS_IN_%s\n#define FLOPS_IN_%s 0\n#endif\n", f->name, f->name);
    }
}

static void flops_print(FILE *to, const struct described *s)
{
    if (s->flops_name) fprintf(to, "%s + ", s->flops_name);
    fprintf(to, "%g", s->flops);
    for (int n = 0; n < s->ncounted; n++)
        fprintf(to, " + %d * FLOPS_IN_%s", s->counted[n].times, s->counted[n].formula);
}

/* LITERAL_form(literal) of each form that stages come in, for whoever has defined it. */
void describe_print_forms(const struct description *d, FILE *to)
{
    made_print(to, d->sheet);
    for (int n = 0; n < d->nsymbols; n++) {
        const struct symbol *const f = &d->symbol[n];
        if (f->kind != SYMBOL_FORM) continue;
        fprintf(to, "#ifdef LITERAL_%s\n", f->name);
        for (int m = 0; m < f->narguments; m++) fprintf(to, "LITERAL_%s(%s)\n", f->name, f->argument[m]);
        fprintf(to, "#undef LITERAL_%s\n#endif\n", f->name);
    }
}

/* MADE(id, name, function, kernels, its unit, extend, sides, flops, accesses) of each stage; its unit: MADE_POINT, with
 * loops by hand that want scratch memory MADE_WORK(their function for it), or MADE_COLUMN(name) or, with kernels by
 * hand, MADE_LOOPS(name), whose scratch memory has its name. SWEEP(id, name, kernels, extend, sides, flops, accesses)
 * of each sweep. ELEMENTS(id, name, function, changes, extend, sides, flops, accesses) of each stage of elements,
 * SUMS(id) last among these where it has any. SHAPED(kernels, shapes) of kernels that come in several shapes.
 * Accesses of what each member of a family has begin with Q_. */
void describe_print_table(const struct description *d, FILE *to)
{
    made_print(to, d->sheet);
    formulas_print(d, to);
    for (int n = 0; n < d->nstages; n++) {
        const struct described *const s = &d->stage[n];
        if (s->is_shown) continue;
        const int columns = s->unit == UNIT_COLUMN;
        if (s->nof) fprintf(to, "SWEEP(%s, \"%s\", %s", s->id, s->name, s->gpu);
        else if (s->is_elements)
            fprintf(to, "ELEMENTS(%s, \"%s\", SF_STAGE%s(%s_run), %s", s->id, s->name,
                    s->variant == VARIANT_RIM ? "_GPU" : "", s->name, s->within ? s->within : "NULL");
        else {
            fprintf(to, "MADE(%s, \"%s\", %s%s, %s%s, ", s->id, s->name, s->cpu ? s->cpu : s->name,
                    s->cpu ? "" : "_run", s->gpu ? s->gpu : s->name, s->gpu ? "" : "_run_gpu");
            if (s->work) fprintf(to, "MADE_WORK(%s)", s->work);
            else fprintf(to, !columns ? "MADE_POINT" : s->gpu ? "MADE_LOOPS(%s)" : "MADE_COLUMN(%s)", s->name);
        }
        fprintf(to, ", %d, %s, ", s->extend, s->sides ? s->sides : "0");
        flops_print(to, s);
        fprintf(to, ",");
        for (int m = 0; m < 2 * s->ntouches; m++) { /* what it writes, behind all that it reads */
            const struct touch *const t = &s->touch[m % s->ntouches];
            const int is_written = m >= s->ntouches;
            const enum rare rare = is_written ? touch_rare_writing(t) : touch_rare_reading(t);
            for (int end = 0; end < 1 + t->field->is_memory; end++) {
                const char *const id = end ? t->field->id_high : t->field->id;
                access_print(to, t, is_written ? touch_writing(t) : touch_reading(t), rare, id);
                if (t->is_both && !is_written) access_print(to, t, ACCESS_READ_BESIDE, rare, id);
            }
        }
        if (s->sums) fprintf(to, "\n     SUMS(%s)", s->sums);
        fprintf(to, ")\n");
        if (is_shaped(s))
            fprintf(to, "SHAPED(%s_run_gpu, %s)\n", s->name,
                    describe_kernels(s) == KERNELS_VECTORS ? "vector_shape" : "row_shape");
    }
}
