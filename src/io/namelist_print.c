/* Writes the resolved namelist and explains keys. SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/error.h"

enum {
    COMMENT_COLUMN = 36,
    LINE_MAX_WRITTEN = 100 /* a list of values goes on in a new line beyond */
};

static const double LIMIT_NONE = 1e300; /* a bound as large as this is none */

static const char *type_word(enum param_type type)
{
    static const char *const words[] = {"integer", "real", "logical", "string", "choice"};
    return words[type];
}

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

void nml_describe(struct report *r, const struct param *p)
{
    nml_add(r, "%s%%%s: %s", p->group, p->key, p->type == PARAM_CHOICE ? "one of " : type_word(p->type));
    if (p->type == PARAM_CHOICE) choices_add(r, p->choices);
    if (p->type == PARAM_STRING) nml_add(r, " of at most %zu bytes", p->size - 1);
    if (p->is_entry) nml_add(r, ", one an entry, %d entries", p->count);
    else if (p->count > 1) nml_add(r, ", %d values", p->count);
    if (p->unit[0] && strcmp(p->unit, "1")) nml_add(r, ", %s", p->unit);
    range_add(r, p);
    nml_add(r, ", default %s", p->initial && p->initial[0] ? p->initial : "empty");
}

/* ---- values as namelist text ---- */

static void string_add(struct report *r, const char *s)
{
    nml_add(r, "'");
    for (; *s; s++) nml_add(r, *s == '\'' ? "''" : "%c", *s);
    nml_add(r, "'");
}

/* 0 when the value has no namelist form. */
static int value_add(struct report *r, const struct param *p, const char *at)
{
    int i = 0;
    double x = 0;
    char number[NML_REAL_SIZE];
    if (p->type == PARAM_REAL) memcpy(&x, at, sizeof x);
    else if (p->type != PARAM_STRING) memcpy(&i, at, sizeof i);
    switch (p->type) {
    case PARAM_INT:
        nml_add(r, "%d", i);
        return 1;
    case PARAM_REAL:
        nml_add(r, "%s", number_text(x, number));
        return isfinite(x);
    case PARAM_LOGICAL:
        nml_add(r, i ? ".true." : ".false.");
        return 1;
    case PARAM_STRING:
        string_add(r, at);
        return memchr(at, '\0', p->size) && !strpbrk(at, "\n\r");
    case PARAM_CHOICE:
        break;
    }
    const char *c = p->choices + strspn(p->choices, " ");
    for (int k = 0; k < i && *c; k++) {
        c += strcspn(c, " ");
        c += strspn(c, " ");
    }
    nml_add(r, "'%.*s'", (int)strcspn(c, " "), c);
    return *c && i >= 0;
}

/* How many leading elements must be written: up to the last one given, or the last one that is not its default. Of a
 * number without a default that was not given none: what it says then, another key does. */
static int written_count(const struct nml_key *key, const char *initial)
{
    const struct param *p = key->p;
    int n = p->count;
    const int given = key->given ? *key->given : 0, is_empty = !p->initial || !p->initial[0];
    if (n == 1) return given || !key->given || !is_empty || p->type == PARAM_STRING;
    while (n > given && !memcmp(key->base + (size_t)(n - 1) * p->size, initial + (size_t)(n - 1) * p->size, p->size))
        n--;
    return n;
}

static size_t column(const struct report *r)
{
    size_t n = 0;
    while (n < r->len && r->text[r->len - 1 - n] != '\n') n++;
    return n;
}

static int key_add(struct report *r, const struct nml_key *key, const char *initial)
{
    const struct param *p = key->p;
    const int n = written_count(key, initial);
    int is_good = 1;
    nml_add(r, "  %s =", p->key);
    for (int i = 0; i < n;) {
        const char *at = key->base + (size_t)i * p->size;
        int same = 1;
        while (i + same < n && !memcmp(at, at + (size_t)same * p->size, p->size)) same++;
        if (same < 3) same = 1; /* 0, 0 reads better than 2*0 */
        nml_add(r, i > 0 && column(r) > LINE_MAX_WRITTEN - NML_REAL_SIZE ? "\n   " : "");
        nml_add(r, " ");
        if (same > 1) nml_add(r, "%d*", same);
        is_good &= value_add(r, p, at);
        i += same;
        if (i < n) nml_add(r, ",");
    }
    const size_t used = column(r);
    nml_add(r, "%*s ! ", used < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - used) : 0, "");
    if (p->unit[0]) nml_add(r, "[%s] ", p->unit);
    nml_add(r, "%s", p->meaning);
    if (n == 0) nml_add(r, " (not given: %s)", p->initial && p->initial[0] ? p->initial : "empty");
    nml_add(r, "\n");
    return is_good;
}

static int key_write(struct report *r, const struct nml_key *key)
{
    const struct param *p = key->p;
    char *initial = malloc(p->size * (size_t)p->count);
    SF_CHECK(initial, SF_MEMORY, "no memory to write %s%%%s", p->group, p->key);
    const int has_default = nml_default_read(p, initial);
    const int is_good = has_default && key_add(r, key, initial);
    free(initial);
    SF_CHECK(is_good, SF_INTERNAL, "the value of %s%%%s cannot be written into a namelist", p->group, p->key);
    return 0;
}

/* ---- lists, a group an entry ---- */

static int is_default(const struct param *p, const char *at, const char *initial)
{
    return !memcmp(at, initial, p->size);
}

/* Entry n of a key, in a line of its own, where it has another value than its default, is what is said of the entry at
 * least (`always`), or makes up the number of elements given. */
static int entry_add(struct report *r, const struct nml_key *key, int n, int always)
{
    const struct param *p = key->p;
    char *initial = malloc(p->size * (size_t)p->count);
    SF_CHECK(initial, SF_MEMORY, "no memory to write %s%%%s", p->group, p->key);
    const char *const at = key->base + (size_t)n * p->size;
    int is_good = nml_default_read(p, initial);
    const int given = key->given ? *key->given : 0;
    const int is_told =
        always || given == n + 1 || (n == 0 && given > 0) || !is_default(p, at, initial + (size_t)n * p->size);
    if (is_good && (is_told || n == 0)) {
        nml_add(r, "  %s =%s", p->key, is_told ? " " : "");
        if (is_told) is_good = value_add(r, p, at);
        const size_t used = column(r);
        if (n == 0) nml_add(r, "%*s ! ", used < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - used) : 0, "");
        if (n == 0 && p->unit[0]) nml_add(r, "[%s] ", p->unit);
        nml_add(r, "%s", n == 0 ? p->meaning : "");
        if (!is_told) nml_add(r, " (not given: %s)", p->initial && p->initial[0] ? p->initial : "empty");
        nml_add(r, "\n");
    }
    free(initial);
    SF_CHECK(is_good, SF_INTERNAL, "the value of %s%%%s cannot be written into a namelist", p->group, p->key);
    return 0;
}

/* All keys of a group whose first key is `i`, or, where it is a list that groups gave, those of entry `entry`. */
static int group_write(struct report *r, const struct schema *s, const struct nml_key *first, int i, int entry)
{
    const int is_list = s->entries && s->entries[i] > 0;
    int names = 0;
    struct nml_key key;
    nml_add(r, "%s&%s\n", i || entry ? "\n" : "", first->p->group);
    for (int k = i; k < nml_key_total(s); k++) {
        nml_key_at(s, k, &key);
        if (!nml_same(key.p->group, first->p->group)) continue;
        if (is_list && key.p->is_entry) SF_TRY(entry_add(r, &key, entry, !names++));
        else if (entry == 0) SF_TRY(key_write(r, &key));
    }
    nml_add(r, "/\n");
    return 0;
}

static int text_make(struct report *r, const struct schema *s)
{
    const int n = nml_key_total(s);
    struct nml_key first;
    for (int i = 0; i < n; i++) {
        nml_key_at(s, i, &first);
        if (nml_group_find(s, first.p->group) != i) continue; /* written with the first key of its group */
        const int entries = s->entries ? s->entries[i] : 0;
        for (int e = 0; e < SF_MAX(entries, 1); e++) SF_TRY(group_write(r, s, &first, i, e));
    }
    SF_CHECK(!r->failed, SF_MEMORY, "no memory for the text of the namelist");
    return 0;
}

int namelist_text(const struct schema *s, char **text)
{
    struct report r = {0};
    nml_add(&r, "%s", "");
    const int rc = text_make(&r, s);
    *text = rc ? NULL : r.text;
    if (rc) report_free(&r);
    return rc;
}

int namelist_write(FILE *f, const struct schema *s)
{
    char *text = NULL;
    SF_TRY(namelist_text(s, &text));
    const int is_good = fputs(text, f) >= 0 && fflush(f) == 0;
    free(text);
    SF_CHECK(is_good, SF_IO, "cannot write the namelist");
    return 0;
}

/* ---- explain ---- */

static void key_explain(struct report *r, const struct param *p)
{
    nml_add(r, "  %-24s ", p->key);
    if (p->type == PARAM_CHOICE) choices_add(r, p->choices);
    else nml_add(r, "%s", type_word(p->type));
    if (p->count > 1) nml_add(r, "(%d)", p->count);
    if (p->unit[0]) nml_add(r, " [%s]", p->unit);
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
            "  that has a number in brackets; --set '%s%%%s(2)=...' changes the second entry\n",
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
