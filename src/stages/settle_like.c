/* Stages that are like others, with other names in the place of theirs. SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"

#include <string.h>

/* Lists stand for what is in them. */
static void swaps_settle(struct description *d, struct described *s)
{
    struct swap *all = NULL;
    int n = 0;
    for (int m = 0; m < s->nswaps; m++) {
        const struct swap *const one = &s->swap[m];
        int of = 0;
        while (of < d->nswaps && strcmp(d->swaps[of].name, one->name) != 0) of++;
        if (one->in_place_of) *ADD(d, all, n) = *one;
        else if (of == d->nswaps) describe_wrong(d, one->at, "there is no list %s", one->name);
        else
            for (int k = 0; k < d->swaps[of].nswaps; k++) {
                struct swap *const from = &d->swaps[of].swap[k];
                struct swap *const to = ADD(d, all, n);
                *to = *from, to->of = from, d->swaps[of].is_taken = 1;
            }
    }
    s->swap = all, s->nswaps = n;
    for (int m = 0; m < n; m++)
        for (int l = 0; l < s->nlines; l++)
            if (!strcmp(s->line[l].name, all[m].in_place_of))
                describe_wrong(d, s->at, "%s changes %s: another field stands for one that it reads alone", s->like,
                               all[m].in_place_of);
}

/* What stands for a name that nobody names was written by mistake. */
static void swap_check(struct description *d, const struct swap *x)
{
    if (x->is_used) return;
    if (!describe_find(d, x->in_place_of)) describe_wrong(d, x->at, "there is no %s", x->in_place_of);
    else
        describe_wrong(d, x->at, "nothing names %s here, for which %s is to stand: leave it out", x->in_place_of,
                       x->name);
}

void describe_swaps_check(struct description *d)
{
    for (int n = 0; n < d->nstages; n++)
        for (int m = 0; m < d->stage[n].nswaps; m++)
            if (!d->stage[n].swap[m].of) swap_check(d, &d->stage[n].swap[m]);
    for (int n = 0; n < d->nswaps; n++)
        for (int m = 0; m < d->swaps[n].nswaps && d->swaps[n].is_taken; m++) swap_check(d, &d->swaps[n].swap[m]);
}

/* The lines of stages that are like others. */
void describe_likes(struct description *d)
{
    for (int n = 0; n < d->nstages; n++) {
        struct described *const s = &d->stage[n];
        int m = 0;
        while (s->like && m < d->nstages && strcmp(d->stage[m].name, s->like) != 0) m++;
        if (!s->like) continue;
        if (m == d->nstages || d->stage[m].like || d->stage[m].unit != s->unit || d->stage[m].is_elements) {
            describe_wrong(d, s->at, "there is no stage %s of the same kind and with lines of its own", s->like);
            s->like = NULL, s->part = describe_memory(d, sizeof *s->part), s->nparts = 1;
            continue;
        }
        const struct described *const of = &d->stage[m];
        s->part = of->part, s->nparts = of->nparts, s->nlines = of->nlines;
        s->beside = of->beside, s->open = of->open;
        s->line = describe_memory(d, sizeof *s->line * (size_t)(of->nlines + 1));
        if (of->nlines) memcpy(s->line, of->line, sizeof *s->line * (size_t)of->nlines);
        for (int k = 0; k < s->nchanged; k++) {
            int results = 0;
            for (int l = 0; l < s->nlines; l++)
                if (!strcmp(s->line[l].name, s->changed[k])) results++, s->line[l].is_new = s->is_like_new;
            if (!results) describe_wrong(d, s->at, "%s does not change %s", s->like, s->changed[k]);
        }
        swaps_settle(d, s);
    }
}
