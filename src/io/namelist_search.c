/* Finds keys by a word of their names, choices or meanings. SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/error.h"

enum {
    EXCERPT = 96,
    BEFORE = 32,
    NAME_WIDTH = 32
}; /* bytes: of a meaning shown, of those before the word, of a name */

static int letter_lower(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

const char *namelist_holds(const char *text, const char *word)
{
    for (const char *at = text; word[0] && *at; at++) {
        size_t n = 0;
        while (word[n] && letter_lower((unsigned char)at[n]) == letter_lower((unsigned char)word[n])) n++;
        const int before = at > text ? letter_lower((unsigned char)at[-1]) : ' ';
        if (!word[n] && !(before >= 'a' && before <= 'z')) return at;
    }
    return NULL;
}

/* Where a word begins that is at least `from`, and where one ends that is at most `to`. */
static const char *word_from(const char *text, const char *from)
{
    while (*from && from > text && from[-1] != ' ') from++;
    return from;
}
static const char *word_to(const char *from, const char *to)
{
    while (*to && to > from && *to != ' ') to--;
    return to;
}

/* A line: the name, and of a long text what stands around the word. */
static void line_add(struct report *r, const char *name, const char *text, const char *word)
{
    const size_t n = strlen(text);
    const char *const at = namelist_holds(text, word);
    const char *from = text, *to = text + n;
    if (n > EXCERPT && at && at - text > BEFORE && at - text + (ptrdiff_t)strlen(word) > EXCERPT - BEFORE) {
        from = word_from(text, at - BEFORE);
        if (from > at) from = at;
    }
    if (to - from > EXCERPT) to = word_to(from + 1, from + EXCERPT);
    nml_add(r, "  %-*s %s%.*s%s\n", NAME_WIDTH, name, from > text ? "... " : "", (int)(to - from), from,
            *to ? " ..." : "");
}

/* What of a key holds the word: how early it is told. */
enum held { HELD_NOT, HELD_NAME, HELD_CHOICE, HELD_MEANING, HELDS };

static enum held key_holds(const struct param *p, const char *word)
{
    if (namelist_holds(p->key, word)) return HELD_NAME;
    if ((p->type == PARAM_CHOICE && namelist_holds(p->choices, word)) ||
        (p->initial && namelist_holds(p->initial, word)))
        return HELD_CHOICE;
    return namelist_holds(p->meaning, word) ? HELD_MEANING : HELD_NOT;
}

static int groups_add(struct report *r, const struct schema *s, const char *word)
{
    struct nml_key key;
    int found = 0;
    for (int i = 0; i < nml_key_total(s); i++) {
        nml_key_at(s, i, &key);
        if (nml_group_find(s, key.p->group) != i || !namelist_holds(key.p->group, word)) continue;
        nml_add(r, "%s%s&%s", found ? "" : "groups:\n  ", found ? ", " : "", key.p->group);
        found++;
    }
    nml_add(r, found ? "\n" : "");
    return found;
}

static int keys_add(struct report *r, const struct schema *s, enum held held, const char *word)
{
    static const char *const title[HELDS] = {[HELD_NAME] = "keys of that name:",
                                             [HELD_CHOICE] = "keys that take it as a value:",
                                             [HELD_MEANING] = "keys whose meaning tells of it:"};
    struct nml_key key;
    char name[2 * NML_NAME];
    int found = 0;
    for (int i = 0; i < nml_key_total(s); i++) {
        nml_key_at(s, i, &key);
        if (key_holds(key.p, word) != held) continue;
        snprintf(name, sizeof name, "%s%%%s", key.p->group, key.p->key);
        if (!found++) nml_add(r, "%s\n", title[held]);
        line_add(r, name, key.p->meaning, word);
    }
    return found;
}

static int report_put(FILE *f, struct report *r)
{
    const int has_memory = !r->failed, is_good = !has_memory || !r->text || fputs(r->text, f) >= 0;
    report_free(r);
    SF_CHECK(has_memory, SF_MEMORY, "no memory for what was found");
    SF_CHECK(is_good, SF_IO, "cannot write what was found");
    return SF_OK;
}

int namelist_search(FILE *f, const struct schema *s, const char *word, int *found)
{
    struct report r = {0};
    *found = groups_add(&r, s, word);
    for (enum held held = HELD_NAME; held < HELDS; held++) *found += keys_add(&r, s, held, word);
    return report_put(f, &r);
}

int namelist_search_row(FILE *f, const char *name, const char *text, const char *word)
{
    struct report r = {0};
    line_add(&r, name, text, word);
    return report_put(f, &r);
}

int namelist_has_group(const struct schema *s, const char *word) { return nml_group_find(s, word) >= 0; }

void namelist_near(const struct schema *s, const char *word, char *text, size_t size)
{
    struct nml_key key;
    const char *const group = nml_group_near(s, word);
    if (group) snprintf(text, size, "'%s'", group);
    else if (nml_name_near(s, word, &key)) snprintf(text, size, "'%s%%%s'", key.p->group, key.p->key);
    else snprintf(text, size, "%s", "");
}
