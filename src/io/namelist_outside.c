/* Lines outside of all groups. They may hold any prose, but what looks like a group of another dialect was meant to be
 * read, and is told.
 *
 *     $base ... $end     the form from before Fortran 90
 *     base x = 1 /       the '&' is missing
 *     [base]             a section of TOML or INI
 *     text &base ... /   a group behind other text: it begins on a line of its own
 *     x = 1              behind the '/' of its group, or before any
 * SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include <string.h>

/* The word at `at` into name[NML_NAME]; where it ends. */
static size_t word_read(const struct nml_reader *rd, size_t at, char name[NML_NAME])
{
    const size_t end = nml_word_end(rd, at), n = SF_MIN(end - at, (size_t)NML_NAME - 1);
    memcpy(name, rd->text + at, n);
    name[n] = '\0';
    return end;
}

/* The group, of any model, that a word names. NULL: it is none. A misspelt one is taken where `is_likely`. */
static const char *group_meant(const struct nml_reader *rd, const char *word, int is_likely)
{
    if (!word[0]) return NULL;
    if (nml_group_find(rd->s, word) >= 0 || nml_other_model(rd->s, word, NULL) || nml_renamed_find(rd->s, word, NULL))
        return word;
    return is_likely && !nml_errors_full(rd->r) ? nml_group_near(rd->s, word) : NULL;
}

static size_t space_skip(const struct nml_reader *rd, size_t at)
{
    while (nml_is_space(nml_byte(rd, at))) at++;
    return at;
}

/* "$base", "$end": a word directly behind a dollar sign. */
static int dollar_check(struct nml_reader *rd, size_t at)
{
    char word[NML_NAME];
    const size_t end = word_read(rd, at + 1, word);
    if (nml_same(word, "end")) {
        nml_error(rd, at, NULL, "$end ends no group: a group is written &name ... /");
        return 1;
    }
    const char *const group = group_meant(rd, word, nml_name_ahead(rd, space_skip(rd, end)));
    if (!group) return 0;
    nml_error(rd, at, NULL, "this group is not read: it begins with '&', not with '$', and ends with '/': &%s ... /",
              group);
    return 1;
}

/* "[base]", "[[base]]". */
static int bracket_check(struct nml_reader *rd, size_t at)
{
    char word[NML_NAME];
    size_t from = nml_blank_skip(rd, at + 1);
    if (nml_byte(rd, from) == '[') from = nml_blank_skip(rd, from + 1);
    const size_t end = nml_blank_skip(rd, word_read(rd, from, word));
    const char *const group = nml_byte(rd, end) == ']' ? group_meant(rd, word, 1) : NULL;
    if (!group) return 0;
    nml_error(rd, at, NULL, "this group is not read: it begins with '&' and ends with '/': &%s ... /", group);
    return 1;
}

/* "base x = 1", also where x stands on the next line. */
static int bare_group_check(struct nml_reader *rd, size_t at)
{
    char word[NML_NAME];
    const size_t end = word_read(rd, at, word), next = space_skip(rd, end);
    if (next == end || !nml_name_ahead(rd, next)) return 0;
    const char *const group = group_meant(rd, word, 1);
    if (group) nml_error(rd, at, NULL, "this group is not read: its '&' is missing: &%s ... /", group);
    return group != NULL;
}

/* "text &base x = 1 /". */
static void inner_group_check(struct nml_reader *rd, size_t at)
{
    const size_t stop = nml_line_end(rd, at);
    for (size_t c = at; c < stop && nml_byte(rd, c) != '!'; c++) {
        char word[NML_NAME];
        if (nml_byte(rd, c) != '&') continue;
        const size_t end = word_read(rd, c + 1, word), next = space_skip(rd, end);
        if (!group_meant(rd, word, 0) || (!nml_name_ahead(rd, next) && nml_byte(rd, next) != '/')) continue;
        nml_error(rd, c, NULL, "&%s is not read: it stands behind other text; begin it on a line of its own", word);
        return;
    }
}

void nml_outside_check(struct nml_reader *rd)
{
    const size_t at = rd->at;
    const int c = nml_byte(rd, at);
    if (nml_name_ahead(rd, at)) {
        nml_warning(rd, at, NULL, "this line stands outside any group and is not read");
        return;
    }
    const int is_told = c == '$'   ? dollar_check(rd, at)
                        : c == '[' ? bracket_check(rd, at)
                                   : nml_is_letter(c) && bare_group_check(rd, at);
    if (!is_told) inner_group_check(rd, at);
}
