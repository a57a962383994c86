/* The grammar: groups, names with subscripts, assignments; after an error it goes on.
 * SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Elements start, start + step, ... of a key, n of them; start counts from 0. */
struct section {
    int is_good, start, step, n;
};

static int integer_read(struct nml_reader *rd, long long *x)
{
    rd->at = nml_blank_skip(rd, rd->at);
    const int is_negative = nml_byte(rd, rd->at) == '-';
    size_t at = rd->at + (size_t)(is_negative || nml_byte(rd, rd->at) == '+');
    if (!nml_is_digit(nml_byte(rd, at))) return 0;
    long long v = 0;
    for (; nml_is_digit(nml_byte(rd, at)); at++) {
        if (v < INT_MAX) v = 10 * v + (nml_byte(rd, at) - '0');
    }
    *x = is_negative ? -v : v;
    rd->at = nml_blank_skip(rd, at);
    return 1;
}

/* "(3)", "(2:4)", "(:)", "(1:5:2)". Several dimensions parse, and are refused when the key is known. */
struct subscript {
    int is_given, is_range, is_good, dimensions;
    long long lower, upper, step;
    int has_lower, has_upper;
    size_t at;
};

static void subscript_read(struct nml_reader *rd, struct subscript *s)
{
    *s = (struct subscript){.is_given = 1, .at = rd->at, .step = 1};
    int c;
    do {
        struct subscript one = {.is_given = 1, .at = s->at, .step = 1, .dimensions = s->dimensions + 1};
        rd->at++;
        one.has_lower = integer_read(rd, &one.lower);
        rd->at = nml_blank_skip(rd, rd->at);
        if (nml_byte(rd, rd->at) == ':') {
            one.is_range = 1;
            rd->at++;
            one.has_upper = integer_read(rd, &one.upper);
            rd->at = nml_blank_skip(rd, rd->at);
            if (nml_byte(rd, rd->at) == ':') {
                rd->at++;
                if (!integer_read(rd, &one.step)) one.step = 0;
            }
        }
        one.is_good = (one.is_range || one.has_lower) && one.step != 0;
        c = nml_byte(rd, rd->at);
        if (s->dimensions > 0) one.is_good &= s->is_good;
        *s = one;
    } while (c == ',');
    if (c == ')') {
        rd->at++;
    } else {
        s->is_good = 0;
        const size_t stop = nml_line_end(rd, rd->at);
        while (nml_byte(rd, rd->at) != ')' && nml_byte(rd, rd->at) != '=' && rd->at < stop) rd->at++;
        rd->at += nml_byte(rd, rd->at) == ')';
    }
}

static struct section section_make(struct nml_reader *rd, const struct nml_key *key, const struct subscript *s)
{
    const struct param *p = key->p;
    const int count = p->count;
    const struct section bad = {0, 0, 1, 0};
    if (!s->is_given) return (struct section){1, 0, 1, count};
    if (!s->is_good) {
        nml_error(rd, s->at, p, "expected an index such as (3), (2:4) or (1:5:2)");
        return bad;
    }
    if (s->dimensions > 1) {
        nml_error(rd, s->at, p, "%d subscripts, but %s %s", s->dimensions, p->key,
                  count > 1 ? "has one dimension" : "is a single value");
        return bad;
    }
    const long long lower = s->has_lower ? s->lower : s->step > 0 ? 1 : count;
    const long long upper = !s->is_range ? lower : s->has_upper ? s->upper : s->step > 0 ? count : 1;
    const long long outside = lower < 1 || lower > count ? lower : upper;
    if (outside < 1 || outside > count) {
        if (count == 1) nml_error(rd, s->at, p, "%s is a single value and takes no index", p->key);
        else nml_error(rd, s->at, p, "index %lld is out of bounds, %s has elements 1 to %d", outside, p->key, count);
        return bad;
    }
    if ((upper - lower) * s->step < 0) {
        nml_error(rd, s->at, p, "the range is empty");
        return bad;
    }
    if (!s->is_range) return (struct section){1, (int)lower - 1, 1, count - (int)lower + 1}; /* goes on from there */
    const int n = (int)((upper - lower) / s->step) + 1;
    return (struct section){1, (int)lower - 1, n > 1 ? (int)s->step : 1, n};
}

/* A name such as a, a(2) or a(2)%b into path[NML_NAME] without its subscripts, of which one may stand. */
static int path_read(struct nml_reader *rd, char *path, struct subscript *sub)
{
    size_t used = 0;
    *sub = (struct subscript){0};
    for (;;) {
        const size_t from = rd->at, end = nml_word_end(rd, from);
        const size_t n = SF_MIN(end - from, NML_NAME - 1 - used);
        memcpy(path + used, rd->text + from, n);
        used += n;
        path[used] = '\0';
        rd->at = nml_blank_skip(rd, end);
        if (nml_byte(rd, rd->at) == '(') {
            struct subscript one;
            subscript_read(rd, &one);
            if (sub->is_given) one.dimensions += sub->dimensions;
            *sub = one;
            rd->at = nml_blank_skip(rd, rd->at);
        }
        if (nml_byte(rd, rd->at) != '%') return used < NML_NAME - 1;
        if (!nml_is_letter(nml_byte(rd, rd->at + 1))) return 0;
        rd->at++;
        if (used < NML_NAME - 1) path[used++] = '%';
        path[used] = '\0';
    }
}

static void unknown_key_report(struct nml_reader *rd, size_t at, const char *group, const char *path)
{
    if (nml_errors_full(rd->r)) {
        nml_error(rd, at, NULL, "unknown key");
        return;
    }
    struct nml_key near;
    const struct renamed *now = nml_renamed_find(rd->s, group, path);
    const char *const model = nml_other_model(rd->s, group, path);
    const size_t n = strlen(group);
    char first[NML_NAME];
    snprintf(first, sizeof first, "%.*s", (int)SF_MIN(n, sizeof first - 1), path);
    if (now && now->now) {
        nml_error(rd, at, NULL, "%s%%%s is now called %s", group, path, now->now);
    } else if (now) {
        nml_error(rd, at, NULL, "%s%%%s is no longer used: take it out", group, path);
    } else if (path[n] == '%' && nml_same(first, group) && nml_key_find(rd->s, group, path + n + 1, &near)) {
        nml_error(rd, at, near.p, "inside &%s write '%s' without its group", near.p->group, near.p->key);
    } else if (model) {
        nml_error(rd, at, NULL, "key '%.64s' in &%s is of model '%s', and &case model is '%s'", path, group, model,
                  nml_model(rd->s));
    } else if (nml_key_find(rd->s, NULL, path, &near)) {
        nml_error(rd, at, near.p, "unknown key '%.64s' in &%s; it belongs to &%s", path, group, near.p->group);
    } else if (nml_key_near(rd->s, group, path, &near)) {
        nml_error(rd, at, near.p, "unknown key '%.64s' in &%s; did you mean '%s'?", path, group, near.p->key);
    } else if (nml_key_near(rd->s, NULL, path, &near)) {
        nml_error(rd, at, near.p, "unknown key '%.64s' in &%s; did you mean '%s' of &%s?", path, group, near.p->key,
                  near.p->group);
    } else {
        nml_error(rd, at, NULL, "unknown key '%.64s' in &%s; 'sferic explain %s' lists its keys", path, group, group);
    }
}

/* A list that an override gives takes the place of the whole list, of which it may have fewer entries. */
static void rest_forget(struct nml_reader *rd, const struct nml_key *key, int from)
{
    const struct param *p = key->p;
    if (from <= 0 || from >= p->count) return;
    char *const initial = malloc(p->size * (size_t)p->count);
    if (!initial || !nml_default_read(p, initial)) {
        rd->r->failed = 1;
    } else {
        const size_t kept = p->size * (size_t)from;
        memcpy(key->base + kept, initial + kept, p->size * (size_t)p->count - kept);
        nml_origin_forget(rd, key, from);
        if (key->given) *key->given = from;
    }
    free(initial);
}

void nml_read_assignment(struct nml_reader *rd, const char *group)
{
    const size_t at = rd->at;
    char path[NML_NAME];
    struct subscript sub;
    struct nml_key key;
    const int is_name = path_read(rd, path, &sub),
              is_known = is_name && group && nml_key_find(rd->s, group, path, &key);
    while (nml_is_space(nml_byte(rd, rd->at))) rd->at++;
    if (nml_byte(rd, rd->at) != '=') {
        if (group && is_known) nml_error(rd, at, key.p, "the '=' behind '%s' is missing", key.p->key);
        else if (group && is_name)
            nml_error(rd, at, NULL, "expected 'key = value'; '%.64s' has no '=' behind it", path);
        else if (group) nml_error(rd, at, NULL, "expected 'key = value'");
        rd->at = nml_word_end(rd, at);
        nml_recover(rd, 0);
        return;
    }
    const size_t from = ++rd->at;
    if (!is_known) {
        if (group) unknown_key_report(rd, at, group, path);
        if (rd->lenient) rd->at = rd->len;
        else nml_read_values(rd, NULL, 0, 1, 0, at);
        return;
    }
    const int is_entry = key.p->is_entry && rd->open;
    int one = 0;
    const int entry = is_entry ? nml_entry_place(rd, &key, sub.is_given, at, &one) : 0;
    const struct section to = entry < 0 ? (struct section){0, 0, 1, 0}
                              : one     ? (struct section){1, entry, 1, 1}
                                        : section_make(rd, &key, &sub);
    if (rd->lenient && !to.is_good) {
        rd->at = rd->len;
        return;
    }
    const int highest = nml_read_values(rd, to.is_good ? &key : NULL, to.start, to.step, to.n, at);
    if (is_entry && to.is_good) nml_entry_read(rd, &key, sub.is_given, highest, at);
    if (rd->lenient && !sub.is_given) rest_forget(rd, &key, highest);
    if (to.is_good && rd->at == nml_blank_skip(rd, from) && nml_name_ahead(rd, rd->at)) {
        nml_warning(rd, from, key.p, "%s has no value here and keeps the one it has", key.p->key);
    }
}

static void group_end_check(struct nml_reader *rd)
{
    if (nml_is_end(nml_byte(rd, rd->at)) || nml_byte(rd, rd->at) == '/') return;
    nml_warning(rd, rd->at - 1, NULL, "this '/' ends the group; the rest of the line is not read");
}

/* The name after '&' or nothing; "end" when a group ends the old way. */
static void group_name_read(struct nml_reader *rd, size_t at, char name[NML_NAME])
{
    snprintf(name, NML_NAME, "%.*s", (int)SF_MIN(nml_word_end(rd, at) - at, NML_NAME - 1), rd->text + at);
}

/* Keys until the group ends. `group` NULL: it is unknown, and only its extent matters. */
static void group_body_read(struct nml_reader *rd, const char *group, const char *name, size_t at)
{
    char other[NML_NAME];
    for (;;) {
        nml_space_skip(rd);
        const int c = nml_byte(rd, rd->at);
        if (c == -1) {
            nml_error(rd, at, NULL, "&%s is not closed: its '/' is missing", name);
            return;
        }
        if (c == '/') {
            rd->at++;
            group_end_check(rd);
            return;
        }
        if (c == '&') {
            group_name_read(rd, rd->at + 1, other);
            if (nml_same(other, "end")) {
                rd->at += 4;
                return;
            }
            if (!nml_is_letter((unsigned char)other[0])) {
                nml_error(rd, rd->at, NULL, "unexpected '&'");
                rd->at++;
                continue;
            }
            nml_error(rd, rd->at, NULL, "&%s begins before &%s of line %d is closed: is a '/' missing?", other, name,
                      nml_errors_full(rd->r) ? 0 : nml_line(rd, at));
            return;
        }
        if (nml_is_letter(c)) {
            nml_read_assignment(rd, group);
        } else if (c == ',') {
            rd->at++;
        } else if (nml_dollar_end(rd, rd->at)) {
            nml_error(rd, rd->at, NULL, "a group ends with '/', not with $end");
            rd->at += strlen("$end");
            return;
        } else if (c == '#' || c == ';') {
            nml_error(rd, rd->at, NULL,
                      c == '#' ? "'#' begins no comment here: use '!'"
                               : "';' separates nothing here: use a comma or a new line");
            rd->at = c == '#' ? nml_line_end(rd, rd->at) : rd->at + 1;
        } else {
            if (group) nml_error(rd, rd->at, NULL, "expected 'key = value'");
            rd->at++;
            nml_recover(rd, 0);
        }
    }
}

/* param0, param1, ...: a namelist.input of CM1 has nothing else. */
static int is_of_cm1(const char *name)
{
    char begin[] = "param";
    const size_t n = sizeof begin - 1;
    if (strlen(name) <= n || !nml_is_digit((unsigned char)name[n])) return 0;
    memcpy(begin, name, n);
    return nml_same(begin, "param");
}

/* Every input of gprMax has this command. */
static int is_of_gprmax(const struct nml_reader *rd)
{
    static const char command[] = "#domain:";
    const size_t n = sizeof command - 1;
    for (size_t i = 0; i + n <= rd->len; i++)
        if ((i == 0 || rd->text[i - 1] == '\n') && !memcmp(rd->text + i, command, n)) return 1;
    return 0;
}

static void group_read(struct nml_reader *rd)
{
    const size_t at = rd->at;
    char name[NML_NAME];
    group_name_read(rd, at + 1, name);
    rd->at = nml_word_end(rd, at + 1);
    if (!name[0]) {
        nml_error(rd, at, NULL, "expected the name of a group directly after '&'");
        rd->at = nml_line_end(rd, at + 1);
        return;
    }
    if (nml_same(name, "end")) {
        nml_warning(rd, at, NULL, "&end, but no group is open");
        return;
    }
    const int index = nml_group_find(rd->s, name);
    if (index < 0) {
        const struct renamed *now = nml_renamed_find(rd->s, name, NULL);
        const char *const model = nml_other_model(rd->s, name, NULL);
        const char *near = model || nml_errors_full(rd->r) ? NULL : nml_group_near(rd->s, name);
        if (near) nml_fault_set_group(rd, near);
        if (now && now->now) nml_error(rd, at, NULL, "&%.64s is now called &%s", name, now->now);
        else if (now) nml_error(rd, at, NULL, "&%.64s is no longer used: take it out", name);
        else if (model)
            nml_error(rd, at, NULL, "group &%.64s is of model '%s', and &case model is '%s'", name, model,
                      nml_model(rd->s));
        else if (near) nml_error(rd, at, NULL, "unknown group &%.64s; did you mean &%s?", name, near);
        else if (is_of_cm1(name))
            nml_error(rd, at, NULL, "unknown group &%.64s, which CM1 has: sferic-import makes a case of its namelist",
                      name);
        else nml_error(rd, at, NULL, "unknown group &%.64s; 'sferic explain' lists all groups", name);
        group_body_read(rd, NULL, name, at);
        return;
    }
    nml_group_begin(rd, index, at);
    group_body_read(rd, name, name, at);
    nml_group_end(rd);
}

void nml_read_file(struct nml_reader *rd)
{
    int groups = 0;
    const char *nul = rd->len > 0 ? memchr(rd->text, '\0', rd->len) : NULL;
    rd->at = rd->len >= 3 && !memcmp(rd->text, "\xef\xbb\xbf", 3) ? 3 : 0;
    if (rd->len >= 2 && (!memcmp(rd->text, "\xff\xfe", 2) || !memcmp(rd->text, "\xfe\xff", 2))) {
        nml_error(rd, 0, NULL, "this file is in UTF-16: save it as UTF-8");
        return;
    }
    if (rd->len >= 4 && (!memcmp(rd->text, "\x89HDF", 4) || !memcmp(rd->text, "CDF", 3))) {
        nml_error(rd, 0, NULL, "this is a netCDF file: give a namelist; that of its run is namelist.nml beside it");
        return;
    }
    if (nul) nml_error(rd, (size_t)(nul - rd->text), NULL, "a NUL byte: is this a text file?");
    for (;;) {
        nml_space_skip(rd);
        if (rd->at >= rd->len) break;
        if (nml_byte(rd, rd->at) == '&') {
            group_read(rd);
            groups++;
            continue;
        }
        nml_outside_check(rd);
        rd->at = nml_line_end(rd, rd->at);
    }
    if (groups > 0) return;
    if (is_of_gprmax(rd))
        nml_error(rd, 0, NULL, "no group found, but commands of gprMax: sferic-import makes a case of them");
    else nml_error(rd, 0, NULL, "no group found: is this a namelist? One begins with &case name = 'mine' /");
}
