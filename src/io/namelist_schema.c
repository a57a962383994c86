/* Looks names up in the tables of a schema, and finds the nearest one for a name that is not there.
 * SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include <string.h>

static char letter_lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

int nml_same(const char *a, const char *b)
{
    while (*a && letter_lower(*a) == letter_lower(*b)) a++, b++;
    return *a == *b;
}

int nml_key_at(const struct schema *s, int index, struct nml_key *out)
{
    int before = 0, first = 0;
    for (int i = 0; i < s->nparts; i++) {
        const struct schema_part *part = &s->part[i];
        for (int k = 0; k < part->n; k++) {
            const struct param *p = &part->table[k];
            if (before + k == index) {
                *out = (struct nml_key){.p = p,
                                        .model = part->model,
                                        .base = (char *)part->block + p->offset,
                                        .index = index,
                                        .first = first,
                                        .given = s->given ? &s->given[index] : NULL};
                return 1;
            }
            first += p->count;
        }
        before += part->n;
    }
    return 0;
}

static const struct param *param_at(const struct schema *s, int index)
{
    int i = 0;
    while (index >= s->part[i].n) index -= s->part[i++].n;
    return &s->part[i].table[index];
}

int nml_key_total(const struct schema *s)
{
    int n = 0;
    for (int i = 0; i < s->nparts; i++) n += s->part[i].n;
    return n;
}

int nml_element_total(const struct schema *s)
{
    int n = 0;
    for (int i = 0; i < nml_key_total(s); i++) n += param_at(s, i)->count;
    return n;
}

int nml_key_find(const struct schema *s, const char *group, const char *name, struct nml_key *out)
{
    for (int i = 0; i < nml_key_total(s); i++) {
        const struct param *p = param_at(s, i);
        if (nml_same(p->key, name) && (!group || nml_same(p->group, group))) return nml_key_at(s, i, out);
    }
    return 0;
}

int nml_group_find(const struct schema *s, const char *group)
{
    for (int i = 0; i < nml_key_total(s); i++) {
        if (nml_same(param_at(s, i)->group, group)) return i;
    }
    return -1;
}

const char *nml_other_model(const struct schema *s, const char *group, const char *key)
{
    for (int m = 0; m < s->nothers; m++)
        for (int i = 0; i < s->other[m].n; i++) {
            const struct param *const p = &s->other[m].table[i];
            if (nml_same(p->group, group) && (!key || nml_same(p->key, key))) return s->other[m].model;
        }
    return NULL;
}

const char *nml_model(const struct schema *s)
{
    for (int i = 0; i < s->nparts; i++)
        if (s->part[i].model) return s->part[i].model;
    return "";
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string
 * alignment). */
static int edit_distance(const char *a, const char *b)
{
    const int na = (int)strlen(a), nb = (int)strlen(b);
    int row[3][NML_NAME];
    if (na >= NML_NAME || nb >= NML_NAME) return NML_NAME;
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3];
        const int *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            const char ca = letter_lower(a[i - 1]), cb = letter_lower(b[j - 1]);
            int d = last[j - 1] + (ca != cb);
            if (last[j] + 1 < d) d = last[j] + 1;
            if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
            if (i > 1 && j > 1 && ca == letter_lower(b[j - 2]) && letter_lower(a[i - 2]) == cb &&
                before[j - 2] + 1 < d) {
                d = before[j - 2] + 1;
            }
            now[j] = d;
        }
    }
    return row[na % 3][nb];
}

/* Half the letters of a short name may be wrong, a third of a longer one, three at most. */
static int is_near(const char *word, const char *name, int distance)
{
    const int n = (int)SF_MIN(strlen(word), strlen(name));
    return n > 1 && distance <= (n < 4 ? 1 : SF_MIN(n / 3 + 1, 3));
}

/* Is a word one of those that make a key, as u of wind_u? */
static int is_part(const char *word, const char *key)
{
    const size_t n = strlen(word);
    for (const char *at = key; n > 0 && *at; at += strcspn(at, "_%"), at += *at != '\0') {
        char part[NML_NAME];
        snprintf(part, sizeof part, "%.*s", (int)strcspn(at, "_%"), at);
        if (nml_same(part, word)) return 1;
    }
    return 0;
}

const char *nml_group_near(const struct schema *s, const char *word)
{
    const char *best = NULL;
    int least = NML_NAME;
    for (int i = 0; i < nml_key_total(s); i++) {
        const char *group = param_at(s, i)->group;
        const int d = edit_distance(word, group);
        if (d < least && is_near(word, group, d)) best = group, least = d;
    }
    return best;
}

int nml_key_near(const struct schema *s, const char *group, const char *word, struct nml_key *out)
{
    int best = -1, least = NML_NAME;
    for (int i = 0; i < nml_key_total(s); i++) {
        const struct param *p = param_at(s, i);
        const int d = edit_distance(word, p->key);
        if ((!group || nml_same(p->group, group)) && d < least && is_near(word, p->key, d)) best = i, least = d;
    }
    for (int i = 0; i < nml_key_total(s) && best < 0; i++)
        if ((!group || nml_same(param_at(s, i)->group, group)) && is_part(word, param_at(s, i)->key)) best = i;
    return best >= 0 && nml_key_at(s, best, out);
}

int nml_name_near(const struct schema *s, const char *word, struct nml_key *out)
{
    int best = -1, least = NML_NAME;
    char full[2 * NML_NAME];
    if (nml_key_find(s, NULL, word, out)) return 1;
    for (int i = 0; i < nml_key_total(s); i++) {
        const struct param *p = param_at(s, i);
        snprintf(full, sizeof full, "%s%%%s", p->group, p->key);
        const int d = edit_distance(word, full);
        if (d < least && is_near(word, full, d)) best = i, least = d;
    }
    return best >= 0 ? nml_key_at(s, best, out) : nml_key_near(s, NULL, word, out);
}

const struct renamed *nml_renamed_find(const struct schema *s, const char *group, const char *name)
{
    char full[2 * NML_NAME];
    snprintf(full, sizeof full, "%s%s%s", group, name ? "%" : "", name ? name : "");
    for (int i = 0; i < s->nrenamed; i++) {
        if (nml_same(s->renamed[i].old, full)) return &s->renamed[i];
    }
    return NULL;
}
