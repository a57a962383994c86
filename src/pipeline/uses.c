/* Finds keys that count for nothing. SPDX-License-Identifier: MIT */
#include "pipeline/uses.h"

#include "pipeline/complaint.h"
#include "pipeline/params.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 256 };

/* "group%key", up to a blank. */
static const struct param *param_named(const struct model *m, const char *name)
{
    const size_t n = strcspn(name, " ");
    for (const struct param *p = m->param; p < m->param + m->nparams; p++) {
        const size_t group = strlen(p->group);
        if (n == group + 1 + strlen(p->key) && !strncmp(name, p->group, group) &&
            !strncmp(name + group + 1, p->key, n - group - 1))
            return p;
    }
    assert(0 && "a table names a key that there is not");
    return NULL;
}

static const void *param_at(const struct param *p, const void *params, int element)
{
    return (const char *)params + p->offset + p->size * (size_t)(p->count > 1 ? element : 0);
}

static int is_word(const char *words, const char *word, int length)
{
    for (int n = 0, of; *param_choice(words, n, &of); n++)
        if (of == length && !strncmp(param_choice(words, n, &of), word, (size_t)of)) return 1;
    return 0;
}

static int is_set(const struct param *p, const void *params, int element)
{
    const void *const at = param_at(p, params, element);
    const size_t quoted = strlen(p->initial);
    int length;
    const char *word;
    switch (p->type) {
    case PARAM_REAL:
        return *(const double *)at < strtod(p->initial, NULL) || *(const double *)at > strtod(p->initial, NULL);
    case PARAM_INT:
        return *(const int *)at != atoi(p->initial);
    case PARAM_LOGICAL:
        return *(const int *)at != (p->initial[1] == 't');
    case PARAM_CHOICE:
        word = param_choice(p->choices, *(const int *)at, &length);
        return (size_t)length + 2 != quoted || strncmp(word, p->initial + 1, (size_t)length) != 0;
    case PARAM_STRING:
        break;
    }
    word = at;
    return strlen(word) + 2 != quoted || strncmp(word, p->initial + 1, quoted - 2) != 0;
}

int param_is_set(const struct model *m, const void *params, const char *key, int element)
{
    const struct param *const p = param_named(m, key);
    return p && is_set(p, params, element);
}

static int is_as(const struct param *p, const void *params, const char *words, int element)
{
    int length;
    if (!words) return is_set(p, params, element);
    const char *const word = param_choice(p->choices, *(const int *)param_at(p, params, element), &length);
    return is_word(words, word, length);
}

/* Is one of the keys `of` as the words ask, for element `element` of `key`? */
static int holds(const struct model *m, const void *params, const struct param *key, const char *of, const char *words,
                 int element)
{
    for (const char *name = of; name && *name; name += strcspn(name, " "), name += strspn(name, " ")) {
        const struct param *const p = param_named(m, name);
        const int is_beside = key->is_entry && p->is_entry && !strcmp(key->group, p->group);
        for (int e = is_beside ? element : 0; e < (is_beside ? element + 1 : p->count); e++)
            if (is_as(p, params, words, e)) return 1;
    }
    return !of;
}

/* "group%key = 'a' or 'b'", of several keys the first. */
static void condition_print(char *text, size_t size, const char *of, const char *words)
{
    size_t used =
        (size_t)snprintf(text, size, "&%.*s %.*s%s", (int)strcspn(of, "%"), of,
                         (int)(strcspn(of, " ") - strcspn(of, "%") - 1), of + strcspn(of, "%") + 1, words ? " = " : "");
    int length, after;
    for (int n = 0; words && *param_choice(words, n, &length) && used < size; n++) {
        const char *const word = param_choice(words, n, &length);
        const int is_last = !*param_choice(words, n + 1, &after);
        used += (size_t)snprintf(text + used, size - used, "%s'%.*s'", !n ? "" : is_last ? " or " : ", ", length, word);
    }
}

/* Rows `use` to `end` of one key, of which none lets element `element` count. */
static void tell(const struct param *p, const struct param_use *use, const struct param_use *end, int element,
                 struct complaints *to)
{
    char keys[COMPLAINT_KEYS], when[4 * TEXT] = "", one[TEXT];
    snprintf(keys, sizeof keys, "%s %.*s", use->key, (int)strcspn(use->of, " "), use->of);
    for (const struct param_use *u = use; u < end; u++) {
        condition_print(one, sizeof one, u->of, u->words);
        strncat(when, u > use ? ", or with " : "", sizeof when - strlen(when) - 1);
        strncat(when, one, sizeof when - strlen(when) - 1);
        if (!u->also) continue;
        condition_print(one, sizeof one, u->also, u->also_words);
        strncat(when, " and ", sizeof when - strlen(when) - 1);
        strncat(when, one, sizeof when - strlen(when) - 1);
    }
    sf_complain_mildly(to, keys, p->count > 1 ? element : -1,
                       "%s changes nothing here: it counts with %s; leave it out, or set that", p->key, when);
}

/* What an element of a list is, where that can be nothing: the first key of the list. */
static const struct param *kind_of(const struct model *m, const struct param *p)
{
    for (const struct param *q = m->param; p->is_entry && q < p; q++)
        if (q->is_entry && !strcmp(q->group, p->group))
            return strcmp(q->initial, "'none'") && strcmp(q->initial, "''") ? NULL : q;
    return NULL;
}

void param_uses_check(const struct model *m, const void *params, const struct param_use *use, int n,
                      int (*values)(const void *names, const char *group, const char *key), const void *names,
                      struct complaints *to)
{
    for (const struct param_use *end, *const last = use + n; use < last; use = end) {
        const struct param *const p = param_named(m, use->key), *const kind = kind_of(m, p);
        const int given = values(names, p->group, p->key);
        for (end = use + 1; end < last && !strcmp(end->key, use->key);) end++;
        for (int e = 0; e < given && e < p->count; e++) {
            int counts = !is_set(p, params, e) || (kind && !is_set(kind, params, e));
            for (const struct param_use *u = use; u < end && !counts; u++)
                counts = holds(m, params, p, u->of, u->words, e) && holds(m, params, p, u->also, u->also_words, e);
            if (counts) continue;
            tell(p, use, end, e, to);
            if (!p->is_entry) break; /* of an array once */
        }
    }
}
