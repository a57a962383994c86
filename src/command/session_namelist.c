/* The namelist of a session: read on rank 0, the same on all ranks afterwards. SPDX-License-Identifier: MIT */
#include "command/command.h"
#include "command/description.h"
#include "command/session_parts.h"
#include "pipeline/error.h"
#include "stages/described.h"

#include <stdlib.h>
#include <string.h>

static void schema_begin(struct schema *s, struct config *c)
{
    *s = (struct schema){.nparts = 1};
    s->part[0] = (struct schema_part){.table = config_table, .n = config_table_size, .block = c};
}

static int source_load(struct session *s, const struct session_options *o)
{
    if (!o->source) return namelist_load(o->path, &s->source, &s->source_len);
    s->source = malloc(o->source_len + 1);
    SF_CHECK(s->source, SF_MEMORY, "no memory for the text of the namelist");
    memcpy(s->source, o->source, o->source_len);
    s->source_len = o->source_len;
    return SF_OK;
}

/* Which model does the text ask for? Everything but &case model is of no interest yet, and no mistake is told. */
static int model_peek(const struct session *of, const struct session_options *o, param_string name)
{
    struct config c = {0};
    struct schema s;
    struct report r = {0};
    schema_begin(&s, &c);
    SF_TRY(namelist_defaults(&s));
    namelist_parse(of->source, of->source_len, o->path, &s, &r);
    for (int n = 0; n < o->nsets; n++) namelist_set_report(o->set[n], &s, &r);
    sf_error_clear();
    report_free(&r);
    namelist_free(&s);
    memcpy(name, c.case_model, sizeof c.case_model);
    return SF_OK;
}

static const struct model *model_own(const char *name)
{
    for (int n = 0; n < models_count; n++)
        if (!strcmp(name, models[n]->name)) return models[n];
    return NULL;
}

/* Rank 0 reads the file, and every rank makes the model of its text. */
static int described_load(struct session *s, const struct session_options *o, const char *name)
{
    char path[DESCRIPTION_PATH] = "", *text = NULL, *wrong = NULL;
    int is_file = 0, rc = s->comm.rank == 0 ? description_load(o->path, name, path, &text, &is_file) : SF_OK;
    SF_TRY(outcome_share(&s->comm, rc));
    size_t n = text ? strlen(text) + 1 : 0;
    SF_TRY(comm_bcast(&s->comm, &n, sizeof n));
    if (!text) text = malloc(n);
    rc = text ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the description of a model");
    SF_TRY(outcome_share(&s->comm, rc));
    SF_TRY(comm_bcast(&s->comm, text, n));
    SF_TRY(comm_bcast(&s->comm, path, sizeof path));
    SF_TRY(comm_bcast(&s->comm, &is_file, sizeof is_file));
    rc = described_open(path, is_file, text, &s->described, &wrong);
    if (wrong && s->comm.rank == 0 && !o->is_silent) fputs(wrong, stderr);
    free(wrong), free(text);
    if (!rc && model_own(s->described->name))
        rc = sf_fail(SF_INPUT, __FILE__, __LINE__, "%s: the program has a model '%s' of its own: choose another name",
                     path, s->described->name);
    s->model = s->described;
    return outcome_share(&s->comm, rc);
}

static int schema_make(struct session *s)
{
    s->params = calloc(1, s->model->params_bytes + 1);
    SF_CHECK(s->params, SF_MEMORY, "no memory for the parameters of model %s", s->model->name);
    schema_begin(&s->schema, &s->config);
    s->schema.part[s->schema.nparts++] =
        (struct schema_part){s->model->param, s->model->nparams, s->params, s->model->name};
    for (int n = 0; n < models_count; n++)
        if (models[n] != s->model)
            s->schema.other[s->schema.nothers++] =
                (struct schema_other){models[n]->name, models[n]->param, models[n]->nparams};
    return namelist_defaults(&s->schema);
}

/* Mistakes are findings, which can wait for more; anything else is a failure. */
static int finding_or(int rc, const struct report *r, int errors_before)
{
    if (rc != SF_NAMELIST || r->errors == errors_before) return rc;
    sf_error_clear();
    return SF_OK;
}

static int values_read(struct session *s, const struct session_options *o, struct report *r)
{
    SF_TRY(finding_or(namelist_parse(s->source, s->source_len, o->path, &s->schema, r), r, 0));
    for (int n = 0; n < o->nsets; n++) {
        const int before = r->errors;
        SF_TRY(finding_or(namelist_set_report(o->set[n], &s->schema, r), r, before));
    }
    return SF_OK;
}

int session_namelist(struct session *s, const struct session_options *o, struct report *r, struct complaints *to)
{
    const struct comm *c = &s->comm;
    param_string name = "";
    int rc = SF_OK;
    if (c->rank == 0) rc = source_load(s, o);
    if (c->rank == 0 && !rc) rc = model_peek(s, o, name);
    SF_TRY(outcome_share(c, rc));
    SF_TRY(comm_bcast(c, name, sizeof name));
    const struct model *const own = model_own(name);
    s->model = own ? own : models[0];
    if (description_is(name)) SF_TRY(described_load(s, o, name));
    SF_TRY(outcome_share(c, schema_make(s)));
    if (c->rank == 0) rc = values_read(s, o, r);
    SF_TRY(outcome_share(c, rc));
    SF_TRY(comm_bcast(c, &s->config, sizeof s->config));
    SF_TRY(comm_bcast(c, s->params, s->model->params_bytes));
    to->errors = r->errors;
    SF_TRY(comm_bcast(c, &to->errors, sizeof to->errors));
    if (to->errors) to->code = SF_NAMELIST;
    if (!own && !s->described)
        sf_complain(to, "case%model", -1,
                    "there is no model '%s': dynamics, maxwell, or the file that describes one, NAME.sf", name);
    size_t keys = 0;
    for (int n = 0; n < s->schema.nparts; n++) keys += (size_t)s->schema.part[n].n;
    return comm_bcast(c, s->schema.given, keys * sizeof *s->schema.given);
}

/* A rank that alone has a complaint, of a file that is not on its machine, has its first one as the message. */
static int complaints_fail(const struct complaints *c)
{
    int n = 0;
    while (n < c->n && !c->list[n].is_error) n++;
    if (!c->code) return SF_OK;
    SF_FAIL(c->code, "%s", n < c->n ? c->list[n].text : "the namelist is wrong");
}

int session_tell(struct session *s, const struct session_options *o, struct report *r, const struct complaints *c)
{
    if (s->comm.rank) return complaints_fail(c);
    SF_TRY(namelist_complain(&s->schema, o->path, c, r));
    const int errors = r->errors;
    if (!o->is_silent && (errors || !o->is_part)) report_tell(r);
    SF_CHECK(!errors, c->code, "%s: %d error%s in %s", o->path, errors, errors == 1 ? "" : "s",
             c->code == SF_INPUT ? "the files that it names"
             : o->nsets          ? "the namelist and its overrides"
                                 : "the namelist");
    return SF_OK;
}
