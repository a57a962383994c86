/* sferic explain: what every key means, and what a history file can hold. SPDX-License-Identifier: MIT */
#include "command/explain.h"

#include "command/command.h"
#include "command/description.h"
#include "command/session.h"
#include "pipeline/error.h"
#include "stages/described.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct explain_options {
    const char *what;
    int json;
};

static int argument_take(void *to, const struct option *o, const char *value)
{
    struct explain_options *opt = to;
    if (o) return opt->json = 1, SF_OK;
    SF_CHECK(!opt->what, SF_USAGE, "one name at a time: '%s' and '%s'", opt->what, value);
    opt->what = value;
    return SF_OK;
}

static int none_given(const void *names, const char *group, const char *key)
{
    return (void)names, (void)group, (void)key, 0;
}

/* Those of a row that other parameters make. */
static void others_print(const struct diagnostic *first, const struct diagnostic *last)
{
    char names[64];
    snprintf(names, sizeof names, "%s ... %s", first->name, last->name);
    printf("  %c %-17s %-14s %s to %s, as many as the parameters make\n", first->initial ? '*' : ' ', names,
           first->unit, first->long_name, last->long_name);
}

static int ends_in_digit(const char *name)
{
    const size_t n = strlen(name);
    return n && name[n - 1] >= '0' && name[n - 1] <= '9';
}

/* Numbered ones in a row together, each of the others by itself. */
static void others_all_print(const struct instance *in)
{
    for (int n = in->ndiagnostics; n < in->ndiagnostics_most; n++) {
        const struct diagnostic *const d = &in->diagnostic[n];
        int last = n;
        while (last + 1 < in->ndiagnostics_most && ends_in_digit(d->name) &&
               ends_in_digit(in->diagnostic[last + 1].name))
            last++;
        if (last > n) others_print(d, &in->diagnostic[last]);
        else
            printf("  %c %-17s %-14s %s, with other parameters\n", d->initial ? '*' : ' ', d->name, d->unit,
                   d->long_name);
        n = last;
    }
    for (int n = 0; n < in->model->nfields; n++) {
        const struct field *const f = field_of_others(in, n);
        if (f)
            printf("  * %-17s %-14s %s, one value a column, with other parameters\n", f->name, f->unit, f->long_name);
    }
}

int model_shown(const struct model *m, const struct config *c, const void *params,
                int (*tell)(const struct instance *in, void *to), void *to)
{
    enum { CELLS = 64 }; /* across */
    struct config roomy = *c;
    struct grid g;
    roomy.grid_nx = roomy.grid_ny = CELLS;
    SF_TRY(grid_init(&g, &roomy, &(struct grid_sizes){0}));
    struct instance in = {.model = m, .config = &roomy, .grid = &g};
    int rc = m->bind(&in, params, none_given, NULL, ".");
    if (!rc) {
        rc = tell(&in, to);
        m->unbind(&in);
    }
    grid_free(&g);
    return rc;
}

static int shown_print(const struct instance *in, void *to)
{
    (void)to;
    printf("\nHistory variables of model '%s' (* in every history file unless &output fields names others):\n",
           in->model->name);
    for (int n = 0; n < in->ndiagnostics; n++) {
        const struct diagnostic *d = &in->diagnostic[n];
        printf("  %c %-17s %-14s %s%s\n", d->initial ? '*' : ' ', d->name, d->unit, d->long_name,
               d->is_map ? ", one value a column" : "");
    }
    for (int f = 0; f < in->nfields; f++) /* as frame_set_init has it */
        if (field_is_shown(&in->field[f]))
            printf("  * %-17s %-14s %s, one value a column\n", in->field[f].name, in->field[f].unit,
                   in->field[f].long_name);
    others_all_print(in);
    printf("Numbers over time, in series.nc:\n");
    for (int n = 0; n < SF_MAX(in->nquantities, in->nquantities_most); n++)
        printf("    %-17s %-14s %s%s\n", in->quantity[n].name, in->quantity[n].unit, in->quantity[n].long_name,
               n < in->nquantities ? "" : ", with other parameters");
    return SF_OK;
}

static int schema_explain(struct schema *s, struct config *c, const char *what, int json)
{
    *s = (struct schema){.nparts = 1};
    s->part[0] = (struct schema_part){.table = config_table, .n = config_table_size, .block = c};
    SF_CHECK(models_count < SCHEMA_PARTS, SF_INTERNAL, "more models than a schema has room for");
    for (int n = 0; n < models_count; n++) {
        void *block = calloc(1, models[n]->params_bytes + 1);
        SF_CHECK(block, SF_MEMORY, "no memory for the parameters of model %s", models[n]->name);
        s->part[s->nparts++] = (struct schema_part){models[n]->param, models[n]->nparams, block, models[n]->name};
    }
    SF_TRY(namelist_defaults(s));
    if (json) return namelist_explain_json(stdout, s);
    if (what && what[0] != '&' && !strchr(what, '%') && !namelist_has_group(s, what)) return explain_search(s, c, what);
    SF_TRY(namelist_explain(stdout, s, what));
    if (what && strcmp(what, "output") && strcmp(what, "output%fields")) return SF_OK;
    for (int n = 0; n < models_count; n++) SF_TRY(model_shown(models[n], c, s->part[n + 1].block, shown_print, NULL));
    return SF_OK;
}

/* A model that a file describes: its keys, and what it shows. */
static int description_explain(const char *name, int json)
{
    char path[DESCRIPTION_PATH], *text = NULL, *wrong = NULL;
    const struct model *m = NULL;
    int is_file = 0;
    SF_TRY(description_load("", name, path, &text, &is_file));
    int rc = described_open(path, is_file, text, &m, &wrong);
    if (wrong) fputs(wrong, stderr);
    free(wrong), free(text);
    SF_TRY(rc);
    struct config c = {0};
    void *const block = calloc(1, m->params_bytes + 1);
    struct schema s = {.nparts = 2};
    s.part[0] = (struct schema_part){.table = config_table, .n = config_table_size, .block = &c};
    s.part[1] = (struct schema_part){m->param, m->nparams, block, m->name};
    if (!json) printf("Model %s: %s\n\n", m->name, m->title);
    rc = block ? namelist_defaults(&s) : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the parameters");
    if (!rc && json) rc = namelist_explain_json(stdout, &s);
    if (!rc && !json && m->param[0].group[0] == 'p') rc = namelist_explain(stdout, &s, "parameters");
    if (!rc && !json) rc = namelist_explain(stdout, &s, "boundary");
    if (!rc && !json) rc = model_shown(m, &c, block, shown_print, NULL);
    namelist_free(&s);
    free(block);
    described_close(m);
    return rc;
}

int command_explain(struct comm *c, int argc, char **argv)
{
    static const struct option options[] = {
        {"--json", NULL, NULL, "every key, of MODEL.sf those of its cases, as JSON for programs"}};
    static const struct usage usage = {
        .name = "explain",
        .arguments = "[GROUP[%KEY] | WORD | MODEL.sf]",
        .option = options,
        .noptions = (int)(sizeof options / sizeof options[0]),
        .take = argument_take,
        .about = "Every key of the namelist, of one group, or one key: type, unit, range, "
                 "default, meaning. Of a word: groups, keys\nand variables whose names, values or meanings hold it. "
                 "Of a model that a file describes: its keys, and what it shows."};
    struct explain_options opt = {0};
    SF_TRY(options_read(&usage, c->rank, argc, argv, &opt));
    if (opt.what && description_is(opt.what)) return description_explain(opt.what, opt.json);
    SF_CHECK(!opt.json || !opt.what, SF_USAGE, "--json tells every key: take '%s' away", opt.what);
    struct config *config = calloc(1, sizeof *config);
    SF_CHECK(config, SF_MEMORY, "no memory for the parameters");
    struct schema s;
    const int rc = schema_explain(&s, config, opt.what, opt.json);
    for (int n = 1; n < s.nparts; n++) free(s.part[n].block);
    namelist_free(&s);
    free(config);
    return rc;
}
