/* The calls of the reader: defaults, a file, one override, and what the user gave.
 * SPDX-License-Identifier: MIT */
#include "io/namelist.h"

#include <stdlib.h>
#include <string.h>

#include "io/namelist_parts.h"
#include "pipeline/error.h"
#include "pipeline/params.h"

int namelist_defaults(struct schema *s)
{
    SF_CHECK(s->nparts <= SCHEMA_PARTS, SF_INTERNAL, "a schema of %d parts, at most %d fit", s->nparts, SCHEMA_PARTS);
    const int n = nml_key_total(s);
    namelist_free(s);
    s->given = calloc((size_t)n + 1, sizeof *s->given);
    s->entries = calloc((size_t)n + 1, sizeof *s->entries);
    SF_CHECK(s->given && s->entries && nml_origins_init(s), SF_MEMORY, "no memory for the state of %d namelist keys",
             n);
    for (int i = 0; i < n; i++) {
        struct nml_key key;
        nml_key_at(s, i, &key);
        SF_CHECK(nml_default_read(key.p, key.base), SF_INTERNAL, "the default of %s%%%s breaks its own table: %s",
                 key.p->group, key.p->key, key.p->initial);
    }
    return 0;
}

void namelist_free(struct schema *s)
{
    free(s->given);
    free(s->entries);
    s->given = s->entries = NULL;
    nml_origins_free(s);
}

int namelist_parse(const char *text, size_t len, const char *name, const struct schema *s, struct report *r)
{
    SF_CHECK(s->given, SF_INTERNAL, "namelist_defaults comes before reading");
    const int before = r->errors;
    struct nml_reader rd = {.text = text, .len = len, .name = name, .s = s, .r = r};
    SF_TRY(nml_origin_add(&rd));
    rd.seen = calloc((size_t)nml_element_total(s) + 1, sizeof *rd.seen);
    rd.list = calloc((size_t)nml_key_total(s) + 1, sizeof *rd.list);
    if (rd.seen && rd.list) nml_read_file(&rd);
    const int has_memory = rd.seen && rd.list;
    free(rd.seen);
    free(rd.list);
    SF_CHECK(has_memory, SF_MEMORY, "no memory to read %s", name);
    SF_CHECK(!r->failed, SF_MEMORY, "no memory for the findings in %s", name);
    const int errors = r->errors - before;
    SF_CHECK(errors == 0, SF_NAMELIST, "%s: %d error%s in the namelist", name, errors, errors == 1 ? "" : "s");
    return 0;
}

int namelist_read_report(const char *path, const struct schema *s, struct report *r)
{
    char *text = NULL;
    size_t len = 0;
    int rc = namelist_load(path, &text, &len);
    if (!rc) rc = namelist_parse(text, len, path, s, r);
    free(text);
    return rc;
}

int namelist_read(const char *path, const struct schema *s)
{
    struct report r = {0};
    const int rc = namelist_read_report(path, s, &r);
    report_tell(&r);
    return rc;
}

/* Not `group%key=value`: which key was meant? */
static int usage_fail(const char *assignment, const struct schema *s)
{
    char word[NML_NAME];
    struct nml_key key = {0};
    size_t n = strcspn(assignment, "=");
    while (n > 0 && nml_is_blank(assignment[n - 1])) n--;
    snprintf(word, sizeof word, "%.*s", (int)SF_MIN(n, sizeof word - 1), assignment);
    SF_CHECK(!nml_name_near(s, word, &key), SF_USAGE,
             "--set %.200s: expected group%%key=value; did you mean %s%%%s=%s?", assignment, key.p->group, key.p->key,
             assignment[n] ? strchr(assignment, '=') + 1 : "VALUE");
    SF_CHECK(nml_key_at(s, 0, &key), SF_USAGE, "--set %.200s: expected group%%key=value", assignment);
    SF_FAIL(SF_USAGE, "--set %.200s: expected group%%key=value, such as %s%%%s=%s", assignment, key.p->group,
            key.p->key, key.p->initial);
}

int namelist_set_report(const char *assignment, const struct schema *s, struct report *r)
{
    SF_CHECK(s->given, SF_INTERNAL, "namelist_defaults comes before an override");
    char group[NML_NAME];
    const size_t n = strcspn(assignment, "%=");
    if (assignment[n] != '%' || n == 0 || !strchr(assignment, '=')) return usage_fail(assignment, s);
    snprintf(group, sizeof group, "%.*s", (int)SF_MIN(n, sizeof group - 1), assignment);
    struct nml_reader rd = {
        .text = assignment, .len = strlen(assignment), .at = n + 1, .name = "--set", .s = s, .r = r, .lenient = 1};
    const int before = r->errors;
    SF_TRY(nml_origin_add(&rd));
    if (!nml_is_letter(nml_byte(&rd, n + 1))) {
        nml_error(&rd, n + 1, NULL, "expected the name of a key");
    } else if (nml_group_find(s, group) >= 0) {
        nml_read_assignment(&rd, group);
    } else {
        const char *const model = nml_other_model(s, group, NULL), *near = model ? NULL : nml_group_near(s, group);
        if (near) nml_fault_set_group(&rd, near);
        if (model)
            nml_error(&rd, 0, NULL, "group %.64s is of model '%s', and &case model is '%s'", group, model,
                      nml_model(s));
        else if (near) nml_error(&rd, 0, NULL, "unknown group '%.64s'; did you mean '%s'?", group, near);
        else nml_error(&rd, 0, NULL, "unknown group '%.64s'; 'sferic explain' lists all groups", group);
    }
    SF_CHECK(!r->failed, SF_MEMORY, "no memory for the findings in --set");
    SF_CHECK(r->errors == before, SF_NAMELIST, "--set %.200s is wrong", assignment);
    return 0;
}

int namelist_set(const char *assignment, const struct schema *s)
{
    struct report r = {0};
    const int rc = namelist_set_report(assignment, s, &r);
    report_tell(&r);
    return rc;
}

int namelist_count(const struct schema *s, const char *group, const char *key)
{
    struct nml_key found;
    return nml_key_find(s, group, key, &found) && found.given ? *found.given : 0;
}

int namelist_is_set(const struct schema *s, const char *group, const char *key)
{
    return namelist_count(s, group, key) > 0;
}

int namelist_word(const struct schema *s, const char *group, const char *key, char *word, size_t size)
{
    struct nml_key found;
    if (!nml_key_find(s, group, key, &found) || found.p->type != PARAM_CHOICE) return 0;
    int index, length;
    memcpy(&index, found.base, sizeof index);
    const char *const choice = param_choice(found.p->choices, index, &length);
    snprintf(word, size, "%.*s", length, choice);
    return 1;
}
