/* Lists that a namelist gives as one group an entry, or as one group with lists.
 *
 * The first group of a name may turn out to be either: `&medium name = 'glass' /` is a list of one, and the first of
 * several entries. A second group decides. SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

void nml_group_begin(struct nml_reader *rd, int index, size_t at)
{
    struct nml_key key;
    rd->open = NULL;
    if (!rd->list || !nml_key_at(rd->s, index, &key)) return;
    const char *const group = key.p->group;
    for (int n = index; n < nml_key_total(rd->s); n++) {
        nml_key_at(rd->s, n, &key);
        if (!key.p->is_entry || !nml_same(key.p->group, group)) continue;
        rd->open = &rd->list[index];
        rd->open->at = at;
        rd->open->is_begun = rd->open->has_told = rd->open->has_name = 0;
        rd->open->name = key.p;
        return;
    }
}

/* One of the two forms where the text has the other. */
static int mixed_tell(struct nml_reader *rd, const struct nml_key *key, size_t at)
{
    struct nml_list *const l = rd->open;
    const char *const group = key->p->group;
    const int line = nml_errors_full(rd->r) ? 0 : nml_line(rd, l->first_at);
    if (!l->has_told && l->form == LIST_ARRAYS)
        nml_error(
            rd, at, key->p,
            "one more &%s, with a single %s, where the &%s of line %d has lists: add this entry to those lists, or give "
            "each entry an &%s of its own",
            group, key->p->key, group, line, group);
    else if (!l->has_told)
        nml_error(
            rd, at, key->p,
            "%s has an index, but each &%s is one entry (the first is in line %d): leave the index out, or give all in "
            "one &%s with lists",
            key->p->key, group, line, group);
    l->has_told = 1;
    return -1;
}

int nml_entry_place(struct nml_reader *rd, const struct nml_key *key, int is_indexed, size_t at, int *one)
{
    struct nml_list *const l = rd->open;
    *one = 0;
    if (key->p == l->name) l->has_name = 1;
    if (l->form == LIST_ARRAYS) return 0;
    if (!l->is_begun) {
        l->is_begun = 1;
        if (l->entries == 0) l->first_at = l->at;
        if (l->entries < key->p->count) nml_origin_entry(rd, key, l->entries, l->at);
        l->entries++;
    }
    if (l->entries == 1) return 0;
    if (is_indexed) return mixed_tell(rd, key, at);
    l->form = LIST_GROUPS;
    *one = 1;
    if (l->entries <= key->p->count) return l->entries - 1;
    if (!l->has_told)
        nml_error(rd, l->at, key->p, "there is room for %d entries, and this is &%s number %d", key->p->count,
                  key->p->group, l->entries);
    l->has_told = 1;
    return -1;
}

void nml_entry_read(struct nml_reader *rd, const struct nml_key *key, int is_indexed, int highest, size_t at)
{
    struct nml_list *const l = rd->open;
    if (l->form == LIST_ARRAYS && !is_indexed && highest == 1 && l->at != l->first_at && !l->is_begun)
        mixed_tell(rd, key, at);
    if (l->form != LIST_NONE || l->entries != 1 || (!is_indexed && highest <= 1)) return;
    l->form = LIST_ARRAYS;
    l->first_at = l->at;
    l->is_begun = 0;
}

/* A list has as many elements of a key as entries once one of them has it, and of what names an entry anyway. */
static void given_level(const struct nml_reader *rd, int index, const struct param *name, int entries)
{
    struct nml_key key;
    for (int n = index; n < nml_key_total(rd->s); n++) {
        nml_key_at(rd->s, n, &key);
        if (!key.p->is_entry || !nml_same(key.p->group, name->group) || !key.given) continue;
        if ((*key.given > 0 || key.p == name) && *key.given < entries) *key.given = entries;
    }
}

void nml_group_end(struct nml_reader *rd)
{
    struct nml_list *const l = rd->open;
    rd->open = NULL;
    if (l && l->entries == 1 && l->form == LIST_NONE) l->was_nameless = !l->has_name;
    if (!l || l->form != LIST_GROUPS) return;
    const int index = (int)(l - rd->list);
    struct nml_key key;
    if (!nml_key_find(rd->s, l->name->group, l->name->key, &key)) return;
    const int entries = l->entries < key.p->count ? l->entries : key.p->count;
    rd->s->entries[index] = entries;
    given_level(rd, index, key.p, entries);
    for (int n = 0; n < 2; n++) {
        const int is_nameless = n ? l->is_begun && !l->has_name : l->was_nameless;
        if (is_nameless)
            nml_warning(rd, n ? l->at : l->first_at, key.p,
                        "this &%s does not say its %s, and is an entry all the same", key.p->group, key.p->key);
    }
    l->was_nameless = 0;
}
