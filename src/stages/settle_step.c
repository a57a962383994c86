/* The step: what its stages need of those before them, and what the engine has room for. SPDX-License-Identifier: MIT
 */
#include "stages/print_parts.h"

#include <string.h>

void describe_step(struct description *d)
{
    char *const written = describe_memory(d, (size_t)d->nfields + 1), *const is_moved =
                                                                          describe_memory(d, (size_t)d->nfields + 1);
    for (int n = 0; n < d->nops; n++) {
        struct described_op *const o = &d->op[n];
        o->number = -1;
        for (int m = 0; m < d->nstages; m++)
            if (!d->stage[m].is_shown && !strcmp(d->stage[m].name, o->stage)) o->number = m;
        if (o->number < 0) {
            describe_wrong(d, o->at, "there is no stage %s", o->stage);
            continue;
        }
        const struct described *const s = &d->stage[o->number];
        for (int m = 0; m < s->ntouches; m++) {
            const struct touch *const t = &s->touch[m];
            const int f = t->field->number;
            if (t->reads && t->field->field.role == ROLE_SCRATCH && !written[f])
                describe_wrong(d, o->at, "%s reads %s, which no stage of the step has written yet", s->name,
                               t->field->name);
            if (t->is_old && !is_moved[f])
                describe_wrong(d, o->at, "%s reads `old %s` before any stage of the step made a new one", s->name,
                               t->field->name);
            if (t->is_new && o->every > 1)
                describe_wrong(d, o->at, "%s makes a `new %s`: such a stage runs in every step", s->name,
                               t->field->name);
        }
        for (int m = 0; m < s->ntouches; m++) {
            written[s->touch[m].field->number] |= (char)s->touch[m].writes;
            is_moved[s->touch[m].field->number] |= (char)s->touch[m].is_new;
        }
    }
    if (!d->nops) describe_wrong(d, d->sheet[0].text, "there is no step { ... }: nothing would be computed");
    for (int n = 0; n < d->nsymbols && d->nops; n++)
        if (d->symbol[n].kind == SYMBOL_FIELD && d->symbol[n].field.role == ROLE_PROGNOSTIC &&
            !written[d->symbol[n].number])
            describe_wrong(d, d->symbol[n].at, "no stage of the step writes %s: make it static", d->symbol[n].name);
}

void describe_banks(struct description *d)
{
    for (int n = 0; n < d->nstages; n++)
        for (int m = 0; m < d->stage[n].ntouches; m++) {
            const struct touch *const t = &d->stage[n].touch[m];
            if (t->is_new || t->is_old) d->symbol[t->field - d->symbol].field.banks = 2;
        }
}

/* What the engine has room for. */
void describe_limits_check(struct description *d)
{
    int changed = 0, all = 0;
    for (int n = 0; n < d->nsymbols; n++) {
        const struct symbol *const s = &d->symbol[n];
        if (s->kind != SYMBOL_FIELD) continue;
        changed += s->field.role != ROLE_STATIC, all += s->field.banks;
        if (changed == SF_MAX_CHANGED + 1 && s->field.role != ROLE_STATIC)
            describe_wrong(d, s->at, "at most %d fields may change, scratch among them", SF_MAX_CHANGED);
        if (all > SF_MAX_FIELDS && all - s->field.banks <= SF_MAX_FIELDS)
            describe_wrong(d, s->at, "at most %d fields, where those with a `new` value count twice", SF_MAX_FIELDS);
    }
    if (d->nsums > SUMS) describe_wrong(d, d->stage[d->sum[SUMS].stage].at, "at most %d numbers in the series", SUMS);
    if (!d->name) describe_wrong(d, d->sheet[0].text, "a description begins with a line `model NAME \"title\"`");
}
