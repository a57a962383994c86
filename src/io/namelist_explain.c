/* Explains keys: type, unit, range, default, meaning, for people and for programs. SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/error.h"

static const double LIMIT_NONE = 1e300; /* a bound as large as this is none */

static const char *number_text(double x, char text[NML_REAL_SIZE])
{
    nml_real_text(x, text);
    return text;
}

static void range_add(struct report *r, const struct param *p)
{
    char low[NML_REAL_SIZE], high[NML_REAL_SIZE];
    if ((p->type != PARAM_INT && p->type != PARAM_REAL) || p->min > p->max) return;
    const int is_int = p->type == PARAM_INT;
    const int has_low = p->min > (is_int ? (double)INT_MIN : -LIMIT_NONE);
    const int has_high = p->max < (is_int ? (double)INT_MAX : LIMIT_NONE);
    number_text(p->min, low);
    number_text(p->max, high);
    if (has_low && has_high) nml_add(r, ", %s to %s", low, high);
    else if (has_low) nml_add(r, ", at least %s", low);
    else if (has_high) nml_add(r, ", at most %s", high);
}

static void choices_add(struct report *r, const char *choices)
{
    const char *c = choices + strspn(choices, " ");
    for (int i = 0; *c; i++) {
        const size_t n = strcspn(c, " ");
        nml_add(r, "%s'%.*s'", i ? ", " : "", (int)n, c);
        c += n;
        c += strspn(c, " ");
    }
}

/* What a key takes: a value of some type, or a list of them. */
static void type_add(struct report *r, const struct param *p)
{
    static const char *const one[] = {"integer", "real number", ".true. or .false.", "string", "one of "};
    static const char *const many[] = {"integers", "real numbers", "values, each .true. or .false.", "strings",
                                       "words, each one of "};
    if (p->count > 1) nml_add(r, "list of up to %d %s", p->count, many[p->type]);
    else nml_add(r, "%s", one[p->type]);
    if (p->type == PARAM_CHOICE) choices_add(r, p->choices);
    if (p->type == PARAM_STRING) nml_add(r, " of at most %zu bytes", p->size - 1);
}

static int has_unit(const struct param *p) { return p->unit[0] && strcmp(p->unit, "1") != 0; }

void nml_describe(struct report *r, const struct param *p)
{
    nml_add(r, "%s%%%s: ", p->group, p->key);
    type_add(r, p);
    if (has_unit(p)) nml_add(r, ", %s", p->unit);
    range_add(r, p);
    nml_add(r, ", default %s", p->initial && p->initial[0] ? p->initial : "empty");
}

static void key_explain(struct report *r, const struct param *p)
{
    nml_add(r, "  %-24s ", p->key);
    type_add(r, p);
    if (has_unit(p)) nml_add(r, " [%s]", p->unit);
    range_add(r, p);
    nml_add(r, ", default %s\n", p->initial && p->initial[0] ? p->initial : "empty");
    nml_add(r, "  %-24s %s\n", "", p->meaning);
}

/* How a list is given. */
static void list_explain(struct report *r, const struct schema *s, int index)
{
    struct nml_key first, each;
    nml_key_at(s, index, &first);
    for (int i = index; i < nml_key_total(s); i++) {
        nml_key_at(s, i, &each);
        if (!each.p->is_entry || !nml_same(each.p->group, first.p->group)) continue;
        nml_add(
            r,
            "  a list: one &%s for each entry, %d at most, or a single one with the values of all entries behind each key\n"
            "  that is a list; --set '%s%%%s(2)=...' changes the second entry\n",
            first.p->group, each.p->count, first.p->group, each.p->key);
        return;
    }
}

static void group_explain(struct report *r, const struct schema *s, int index, const char *key)
{
    struct nml_key first, each;
    nml_key_at(s, index, &first);
    nml_add(r, "&%s\n", first.p->group);
    if (!key) list_explain(r, s, index);
    const char *model = NULL;
    for (int i = index; i < nml_key_total(s); i++) {
        nml_key_at(s, i, &each);
        if (!nml_same(each.p->group, first.p->group) || (key && !nml_same(each.p->key, key))) continue;
        if (each.model != model) nml_add(r, "  of model '%s':\n", each.model);
        model = each.model;
        key_explain(r, each.p);
    }
}

static int thing_explain(struct report *r, const struct schema *s, const char *what)
{
    char group[NML_NAME];
    struct nml_key key;
    what += what[0] == '&';
    const size_t n = strcspn(what, "%");
    const char *name = what[n] ? what + n + 1 : NULL;
    snprintf(group, sizeof group, "%.*s", (int)SF_MIN(n, sizeof group - 1), what);
    const int index = nml_group_find(s, group);
    if (index < 0) {
        SF_CHECK(name || !nml_key_find(s, NULL, group, &key), SF_USAGE, "no group '%s'; did you mean '%s%%%s'?", group,
                 key.p->group, key.p->key);
        const char *near = nml_group_near(s, group);
        SF_CHECK(!near, SF_USAGE, "no group '%s'; did you mean '%s'?", group, near);
        SF_FAIL(SF_USAGE, "no group '%s'; 'sferic explain' lists them all", group);
    }
    if (name && !nml_key_find(s, group, name, &key)) {
        const struct renamed *now = nml_renamed_find(s, group, name);
        SF_CHECK(!now || !now->now, SF_USAGE, "%.100s is now called %s", what, now->now);
        SF_CHECK(!nml_key_near(s, group, name, &key), SF_USAGE, "no key '%.100s' in &%s; did you mean '%s%%%s'?", name,
                 group, key.p->group, key.p->key);
        SF_FAIL(SF_USAGE, "no key '%.100s' in &%s; 'sferic explain %s' lists its keys", name, group, group);
    }
    group_explain(r, s, index, name);
    return 0;
}

/* ---- the same for programs ---- */

static const char *type_word(enum param_type type)
{
    static const char *const words[] = {"integer", "real", "logical", "string", "choice"};
    return words[type];
}

static void json_string_add(struct report *r, const char *name, const char *s)
{
    nml_add(r, "\"%s\": \"", name);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') nml_add(r, "\\%c", *s);
        else if ((unsigned char)*s < ' ') nml_add(r, "\\u%04x", (unsigned)*s);
        else nml_add(r, "%c", *s);
    }
    nml_add(r, "\"");
}

/* Bounds as range_add() tells them. */
static void json_range_add(struct report *r, const struct param *p)
{
    char text[NML_REAL_SIZE];
    const int is_number = (p->type == PARAM_INT || p->type == PARAM_REAL) && p->min <= p->max;
    const double low = p->type == PARAM_INT ? (double)INT_MIN : -LIMIT_NONE;
    const double high = p->type == PARAM_INT ? (double)INT_MAX : LIMIT_NONE;
    if (is_number && p->min > low) nml_add(r, "\"min\": %s, ", number_text(p->min, text));
    if (is_number && p->max < high) nml_add(r, "\"max\": %s, ", number_text(p->max, text));
}

static void json_key_add(struct report *r, const struct nml_key *k)
{
    const struct param *const p = k->p;
    nml_add(r, "{");
    json_string_add(r, "group", p->group);
    nml_add(r, ", ");
    json_string_add(r, "key", p->key);
    nml_add(r, ", ");
    if (k->model) json_string_add(r, "model", k->model), nml_add(r, ", ");
    json_string_add(r, "type", type_word(p->type));
    nml_add(r, ", \"count\": %d, \"is_entry\": %s, ", p->count, p->is_entry ? "true" : "false");
    json_range_add(r, p);
    if (p->type == PARAM_CHOICE) json_string_add(r, "choices", p->choices), nml_add(r, ", ");
    json_string_add(r, "unit", p->unit);
    nml_add(r, ", ");
    json_string_add(r, "default", p->initial ? p->initial : "");
    nml_add(r, ", ");
    json_string_add(r, "meaning", p->meaning);
    nml_add(r, "}");
}

int namelist_explain_json(FILE *f, const struct schema *s)
{
    struct report r = {0};
    struct nml_key key;
    for (int i = 0; i < nml_key_total(s); i++) {
        nml_key_at(s, i, &key);
        nml_add(&r, i ? ",\n" : "[\n");
        json_key_add(&r, &key);
    }
    nml_add(&r, "\n]\n");
    const int is_good = r.failed || (fputs(r.text, f) >= 0 && fflush(f) == 0);
    const int has_memory = !r.failed;
    report_free(&r);
    SF_CHECK(has_memory, SF_MEMORY, "no memory to explain the namelist");
    SF_CHECK(is_good, SF_IO, "cannot write the explanation");
    return 0;
}

int namelist_explain(FILE *f, const struct schema *s, const char *what)
{
    struct report r = {0};
    struct nml_key key;
    int rc = 0;
    if (what) rc = thing_explain(&r, s, what);
    for (int i = 0; !what && i < nml_key_total(s); i++) {
        nml_key_at(s, i, &key);
        if (nml_group_find(s, key.p->group) != i) continue;
        if (i > 0) nml_add(&r, "\n");
        group_explain(&r, s, i, NULL);
    }
    const int is_good = rc || r.failed || !r.text || (fputs(r.text, f) >= 0 && fflush(f) == 0);
    const int has_memory = !r.failed;
    report_free(&r);
    SF_TRY(rc);
    SF_CHECK(has_memory, SF_MEMORY, "no memory to explain the namelist");
    SF_CHECK(is_good, SF_IO, "cannot write the explanation");
    return 0;
}
