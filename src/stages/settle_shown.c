/* What a described model shows by itself. SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"

#include "pipeline/taken.h"

#include <string.h>
#include <strings.h>

static struct node *node_make(struct description *d, enum node_kind kind, const char *name, const char *at,
                              struct node *a, struct node *b)
{
    struct node *const e = describe_memory(d, sizeof *e);
    *e = (struct node){.kind = kind, .name = name, .at = at, .arg = describe_memory(d, 2 * sizeof e)};
    if (a) e->arg[e->narg++] = a;
    if (b) e->arg[e->narg++] = b;
    return e;
}

/* At the centre: the mean of both faces, of a field that stands on them. */
static struct node *centred(struct description *d, const struct symbol *f)
{
    struct node *const low = node_make(d, NODE_NAME, f->name, f->at, NULL, NULL);
    if (!f->field.stagger) return low;
    struct node *const high = node_make(d, NODE_NAME, f->name, f->at, NULL, NULL), *const half =
                                                                                       node_make(d, NODE_NUMBER, "0.5",
                                                                                                 f->at, NULL, NULL);
    high->nindex = 3;
    for (int a = 0; a < 3; a++) high->index[a] = f->field.stagger >> a & 1;
    return node_make(d, NODE_BOTH, "*", f->at, half, node_make(d, NODE_BOTH, "+", f->at, low, high));
}

static int shown_add(struct description *d, const struct symbol *f, enum shown what, const char *as, struct node *value)
{
    d->stage = describe_more(d, d->stage, d->nstages, sizeof *d->stage);
    struct described *const s = &d->stage[d->nstages++];
    *s = (struct described){.name = describe_joined(d, what == SHOWN_SUM ? "sum_" : "show_", as),
                            .title = f->long_name,
                            .at = f->at,
                            .is_shown = what,
                            .shown_as = as,
                            .unit_shown = f->unit,
                            .standard_name = f->standard_name};
    s->line = describe_memory(d, sizeof *s->line), s->nlines = 1;
    s->part = describe_memory(d, sizeof *s->part), s->nparts = 1;
    s->part[0] = (struct part){PART_POINTS, 0, 1};
    s->line[0] = (struct assignment){.name = "out", .at = f->at, .value = value};
    return d->nstages - 1;
}

/* What the n-th of the stages, and of the symbols behind them, is called in the history; NULL: it is not there. */
static const char *shown_name(const struct description *d, int n, const char **at)
{
    if (n < d->nstages) {
        *at = d->stage[n].at;
        return d->stage[n].is_shown == SHOWN_HISTORY ? d->stage[n].shown_as : NULL;
    }
    const struct symbol *const f = &d->symbol[n - d->nstages];
    *at = f->at;
    return f->kind == SYMBOL_FIELD && f->field.shape == SHAPE_MAP && f->field.role == ROLE_PROGNOSTIC ? f->name : NULL;
}

/* Names in one file of output differ, those in the history by more than case. */
static void names_check(struct description *d)
{
    for (int n = 0; n < d->nstages + d->nsymbols; n++) {
        const char *at, *before, *const name = shown_name(d, n, &at);
        if (name && name_is_taken(name))
            describe_wrong(d, at, "the files of a run have a %s of their own: choose another name", name);
        for (int m = 0; name && m < n; m++) {
            const char *other;
            if ((before = shown_name(d, m, &other)) && !strcasecmp(before, name))
                describe_wrong(d, at,
                               strcmp(before, name) ? "the history has a %s already, which differs in case alone"
                                                    : "the history has a %s already",
                               before);
        }
    }
    for (int n = 0; n < d->nsums; n++) {
        const char *const at = d->stage[d->sum[n].stage].at;
        if (name_is_taken(d->sum[n].name))
            describe_wrong(d, at, "the files of a run have a %s of their own: choose another name", d->sum[n].name);
        for (int m = 0; m < n; m++)
            if (!strcmp(d->sum[m].name, d->sum[n].name))
                describe_wrong(d, at, "the series has a %s already", d->sum[n].name);
    }
}

void describe_show(struct description *d)
{
    const int is_watched = d->nsums > 0;
    for (int n = 0; n < d->nsymbols; n++) {
        const struct symbol *const f = &d->symbol[n];
        int is_known = 0;
        for (int m = 0; m < d->nstages; m++)
            is_known |= d->stage[m].is_shown == SHOWN_HISTORY && !strcmp(d->stage[m].shown_as, f->name);
        if (f->kind != SYMBOL_FIELD || f->field.role != ROLE_PROGNOSTIC || f->field.shape != SHAPE_FULL) continue;
        if (!is_known) shown_add(d, f, SHOWN_HISTORY, f->name, centred(d, f));
        if (is_watched) continue;
        struct node *const size = node_make(d, NODE_CALL, "abs", f->at, centred(d, f), NULL);
        const char *const name = describe_joined(d, f->name, "_max");
        d->sum = describe_more(d, d->sum, d->nsums, sizeof *d->sum);
        d->sum[d->nsums++] = (struct described_sum){shown_add(d, f, SHOWN_SUM, name, size), SUM_LARGEST, name,
                                                    describe_joined(d, "largest magnitude of ", f->long_name), f->unit};
    }
    names_check(d);
}
