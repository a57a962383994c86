/* Writes the resolved namelist. SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/error.h"

enum {
    COMMENT_COLUMN = 36,
    LINE_MAX_WRITTEN = 100 /* a list of values goes on in a new line beyond */
};

static const char *number_text(double x, char text[NML_REAL_SIZE])
{
    nml_real_text(x, text);
    return text;
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
