/* sferic explain WORD, where WORD is no group: what tells of it. SPDX-License-Identifier: MIT */
#include "command/explain.h"

#include "command/command.h"
#include "command/session.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <string.h>

enum { NAMES = 256, NEAR = 256, NAME = 64 };

/* What is sought in what a model shows: rows are printed where `title` tells what they are; names are kept for a word
 * that is nowhere. */
struct sought {
    const char *word, *title, *model;
    int found, titled;
    char name[NAMES][NAME];
    int names;
};

static int thing_seek(struct sought *w, const char *name, const char *unit, const char *meaning)
{
    char text[512];
    if (w->names < NAMES) snprintf(w->name[w->names++], NAME, "%s", name);
    if (!namelist_holds(name, w->word) && !namelist_holds(meaning, w->word)) return SF_OK;
    if (!w->titled++) printf("%s of model '%s':\n", w->title, w->model);
    w->found++;
    snprintf(text, sizeof text, "%s%s%s%s", meaning, strcmp(unit, "1") != 0 ? " [" : "",
             strcmp(unit, "1") != 0 ? unit : "", strcmp(unit, "1") != 0 ? "]" : "");
    return namelist_search_row(stdout, name, text, w->word);
}

static int shown_seek(const struct instance *in, void *to)
{
    struct sought *const w = to;
    w->model = in->model->name, w->title = "history variables", w->titled = 0;
    for (int n = 0; n < SF_MAX(in->ndiagnostics, in->ndiagnostics_most); n++)
        SF_TRY(thing_seek(w, in->diagnostic[n].name, in->diagnostic[n].unit, in->diagnostic[n].long_name));
    for (int n = 0; n < in->model->nfields; n++) {
        const struct field *f = field_of_others(in, n);
        if (f) SF_TRY(thing_seek(w, f->name, f->unit, f->long_name));
    }
    for (int n = 0; n < in->nfields; n++)
        if (field_is_shown(&in->field[n]))
            SF_TRY(thing_seek(w, in->field[n].name, in->field[n].unit, in->field[n].long_name));
    w->title = "numbers over time, in series.nc,", w->titled = 0;
    for (int n = 0; n < SF_MAX(in->nquantities, in->nquantities_most); n++)
        SF_TRY(thing_seek(w, in->quantity[n].name, in->quantity[n].unit, in->quantity[n].long_name));
    return SF_OK;
}

/* A word that no key and no variable tells of. */
static int nothing_found(const struct schema *s, const struct sought *w)
{
    char near[NEAR], path[CASE_PATH];
    SF_CHECK(!case_file_find(w->word, path), SF_USAGE,
             "'%s' is a case, no key: 'sferic check %s' tells of it, and its file, %s, has a comment on every entry",
             w->word, w->word, path);
    const char *names[NAMES];
    for (int n = 0; n < w->names; n++) names[n] = w->name[n];
    const char *const variable = word_near(w->word, names, w->names);
    namelist_near(s, w->word, near, sizeof near);
    const size_t n = strlen(near);
    if (variable) snprintf(near + n, sizeof near - n, "%s'%s'", n ? " or " : "", variable);
    SF_FAIL(SF_USAGE, "nothing is called '%.64s' or tells of it; %s%s%s'sferic explain' lists all groups and keys",
            w->word, near[0] ? "did you mean " : "", near, near[0] ? "? " : "");
}

/* Keys of exactly that name, as if they had been asked for. */
static int keys_explain(const struct schema *s, const char *word)
{
    int found = 0;
    for (int n = 0; n < s->nparts; n++)
        for (int i = 0; i < s->part[n].n; i++) {
            const struct param *const p = &s->part[n].table[i];
            char what[2 * NAME];
            int is_told = 0; /* of a group that several models have */
            if (strcmp(p->key, word) != 0) continue;
            snprintf(what, sizeof what, "%s%%%s", p->group, p->key);
            for (int m = 0; m < n; m++)
                for (int k = 0; k < s->part[m].n; k++)
                    is_told |= !strcmp(s->part[m].table[k].key, word) && !strcmp(s->part[m].table[k].group, p->group);
            if (is_told) continue;
            SF_TRY(namelist_explain(stdout, s, what));
            found++;
        }
    printf("%s", found ? "\n" : "");
    return SF_OK;
}

int explain_search(const struct schema *s, const struct config *c, const char *word)
{
    struct sought w = {.word = word};
    int keys = 0;
    SF_TRY(keys_explain(s, word));
    SF_TRY(namelist_search(stdout, s, word, &keys));
    for (int n = 0; n < models_count; n++) SF_TRY(model_shown(models[n], c, s->part[n + 1].block, shown_seek, &w));
    if (!keys && !w.found) return nothing_found(s, &w);
    printf("\n'sferic explain GROUP%%KEY' tells of a key, 'sferic explain GROUP' of all keys of a group%s\n",
           w.found ? ", 'sferic explain output' of all variables" : "");
    char path[CASE_PATH];
    if (case_file_find(word, path)) printf("'%s' is a case, too: 'sferic check %s' tells of it\n", word, word);
    return SF_OK;
}
