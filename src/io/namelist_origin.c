/* Where each value came from, and complaints told there. SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/error.h"

/* A text that was read: a file or an override. */
struct text {
    char *name, *text;
    size_t len;
    int is_override;
};

struct place {
    int text; /* its number from 1; 0: the default */
    size_t at;
};

struct origins {
    struct text *text;
    int ntexts;
    struct place *place; /* [elements of all keys] */
    struct place *entry; /* [the same]: of element n of the first entry key of a group, the group that is entry n */
    unsigned char *is_faulty; /* [keys]: an error was told of it */
};

int nml_origins_init(struct schema *s)
{
    s->origins = calloc(1, sizeof *s->origins);
    if (!s->origins) return 0;
    s->origins->place = calloc((size_t)nml_element_total(s) + 1, sizeof *s->origins->place);
    s->origins->entry = calloc((size_t)nml_element_total(s) + 1, sizeof *s->origins->entry);
    s->origins->is_faulty = calloc((size_t)nml_key_total(s) + 1, 1);
    return s->origins->place && s->origins->entry && s->origins->is_faulty;
}

void nml_origins_free(struct schema *s)
{
    struct origins *o = s->origins;
    for (int n = 0; o && n < o->ntexts; n++) {
        free(o->text[n].name);
        free(o->text[n].text);
    }
    if (o) {
        free(o->text);
        free(o->place);
        free(o->entry);
        free(o->is_faulty);
    }
    free(o);
    s->origins = NULL;
}

int nml_origin_add(struct nml_reader *rd)
{
    struct origins *o = rd->s->origins;
    struct text *more = realloc(o->text, ((size_t)o->ntexts + 1) * sizeof *more);
    SF_CHECK(more, SF_MEMORY, "no memory to keep %s", rd->name);
    o->text = more;
    struct text *t = &o->text[o->ntexts++];
    *t = (struct text){
        .name = strdup(rd->name), .text = malloc(rd->len + 1), .len = rd->len, .is_override = rd->lenient};
    SF_CHECK(t->name && t->text, SF_MEMORY, "no memory to keep %s", rd->name);
    memcpy(t->text, rd->text, rd->len);
    rd->origin = o->ntexts;
    return SF_OK;
}

void nml_origin_set(const struct nml_reader *rd, const struct nml_key *key, int element, size_t at)
{
    if (rd->origin) rd->s->origins->place[key->first + element] = (struct place){rd->origin, at};
}

void nml_origin_entry(const struct nml_reader *rd, const struct nml_key *key, int entry, size_t at)
{
    struct nml_key first = *key;
    for (int n = nml_group_find(rd->s, key->p->group); rd->origin && nml_key_at(rd->s, n, &first); n++)
        if (first.p->is_entry && nml_same(first.p->group, key->p->group)) break;
    if (rd->origin && entry < first.p->count)
        rd->s->origins->entry[first.first + entry] = (struct place){rd->origin, at};
}

/* The group that is entry `index` of the key's. */
static struct place entry_of(const struct schema *s, const struct nml_key *key, int index)
{
    struct nml_key first;
    for (int n = nml_group_find(s, key->p->group); key->p->is_entry && nml_key_at(s, n, &first); n++)
        if (first.p->is_entry && nml_same(first.p->group, key->p->group)) return s->origins->entry[first.first + index];
    return (struct place){0};
}

void nml_origin_forget(const struct nml_reader *rd, const struct nml_key *key, int from)
{
    for (int n = from; rd->origin && n < key->p->count; n++) rd->s->origins->place[key->first + n] = (struct place){0};
}

void nml_fault_set(const struct nml_reader *rd, const struct param *p)
{
    for (int n = 0; rd->origin && n < nml_key_total(rd->s); n++) {
        struct nml_key key;
        if (nml_key_at(rd->s, n, &key) && key.p == p) rd->s->origins->is_faulty[n] = 1;
    }
}

void nml_fault_set_group(const struct nml_reader *rd, const char *group)
{
    for (int n = 0; rd->origin && n < nml_key_total(rd->s); n++) {
        struct nml_key key;
        if (nml_key_at(rd->s, n, &key) && nml_same(key.p->group, group)) rd->s->origins->is_faulty[n] = 1;
    }
}

/* ---- complaints -------------------------------------------------------------------------------------------------- */

/* The next "group%key" of a complaint; 0 at the end of the list. */
static int key_next(const struct schema *s, const char **at, struct nml_key *key)
{
    char name[NML_NAME];
    *at += strspn(*at, " ");
    const size_t n = strcspn(*at, " ");
    if (!n) return 0;
    snprintf(name, sizeof name, "%.*s", (int)SF_MIN(n, sizeof name - 1), *at);
    *at += n;
    char *percent = strchr(name, '%');
    if (!percent) return 0;
    *percent = '\0';
    return nml_key_find(s, name, percent + 1, key);
}

static int is_consequence(const struct schema *s, const struct complaint *c)
{
    struct nml_key key;
    for (const char *at = c->keys; key_next(s, &at, &key);)
        if (s->origins->is_faulty[key.index]) return 1;
    return 0;
}

/* Where the user gave the element, or else the group that is its entry, or else the first element that was given. */
static struct place place_of(const struct schema *s, const struct nml_key *key, int index)
{
    const struct place *all = s->origins->place + key->first;
    const int is_element = index >= 0 && index < key->p->count;
    if (is_element && all[index].text) return all[index];
    if (is_element && entry_of(s, key, index).text) return entry_of(s, key, index);
    for (int n = 0; n < key->p->count; n++)
        if (all[n].text) return all[n];
    return (struct place){0};
}

/* How well a place shows an element of a key: an override before the file, the element before others of its key. */
static int place_worth(const struct origins *o, const struct nml_key *key, int index, struct place p)
{
    if (!p.text) return 0;
    const int is_other = index >= 0 && index < key->p->count && !o->place[key->first + index].text;
    return (o->text[p.text - 1].is_override ? 4 : 2) - is_other;
}

/* The first of the keys that shows it best. */
static struct place place_choose(const struct schema *s, const struct complaint *c, struct nml_key *chosen)
{
    const struct origins *o = s->origins;
    struct place best = {0};
    struct nml_key key;
    int worth = -1;
    for (const char *at = c->keys; key_next(s, &at, &key);) {
        const struct place p = place_of(s, &key, c->index);
        const int its = place_worth(o, &key, c->index, p);
        if (its <= worth) continue;
        *chosen = key;
        best = p, worth = its;
    }
    return best;
}

static void complaint_tell(const struct schema *s, const char *name, const struct complaint *c, struct report *r)
{
    const struct origins *o = s->origins;
    struct nml_key key = {0};
    const struct place p = place_choose(s, c, &key);
    struct nml_reader rd = {.name = name, .s = s, .r = r};
    if (p.text) {
        const struct text *t = &o->text[p.text - 1];
        rd.text = t->text, rd.len = t->len, rd.name = t->name, rd.origin = p.text;
    }
    nml_complaint(&rd, c->is_error, p.at, key.p, c->text);
}

int namelist_complain(const struct schema *s, const char *name, const struct complaints *c, struct report *r)
{
    SF_CHECK(s->origins, SF_INTERNAL, "namelist_defaults comes before complaints");
    for (int n = 0; n < c->n; n++)
        if (!is_consequence(s, &c->list[n])) complaint_tell(s, name, &c->list[n], r);
    report_sort(r);
    SF_CHECK(!r->failed, SF_MEMORY, "no memory for the findings in %s", name);
    return SF_OK;
}
