/* The list of values of one key: repeat counts, nulls, and which element takes which value.
 * SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include <limits.h>
#include <string.h>

/* Elements start, start + step, ... of a key, n of them; start counts from 0. */
struct section {
    int start, step, n;
};

struct filling {
    const struct nml_key *key; /* NULL: the values are dropped, their key is unknown */
    struct section to;
    size_t name_at;
    int next, highest; /* position in the section; highest element stored, from 1 */
    int has_value; /* since the last comma */
    int was_bad; /* the last value */
    int too_many_told, repeat_told;
    size_t last_at, last_end; /* the value before */
};

static const struct param *filling_param(const struct filling *f) { return f->key ? f->key->p : NULL; }

static int takes_strings(const struct filling *f)
{
    const struct param *p = filling_param(f);
    return p && (p->type == PARAM_STRING || p->type == PARAM_CHOICE);
}

/* "1,5" for one number: two values that a reader of decimal commas takes for one. */
static int is_decimal_comma(const struct nml_reader *rd, const struct filling *f, size_t at)
{
    if (f->key->p->type != PARAM_REAL || f->last_end == 0 || at != f->last_end + 1) return 0;
    for (size_t i = f->last_at; i < f->last_end; i++) {
        const int c = nml_byte(rd, i);
        if (!nml_is_digit(c) && c != '-' && c != '+') return 0;
    }
    return nml_byte(rd, f->last_end) == ',' && nml_is_digit(nml_byte(rd, at));
}

/* Is the name of a key of the same group here, where a value is read: "nx = 5" and in the next line "nz 6"? A word that
 * may be a value that lacks its quotes, or a logical, is taken for one while there is room. */
static int lacks_equals(struct nml_reader *rd, struct filling *f)
{
    const struct param *const p = filling_param(f);
    const int is_word = p && (takes_strings(f) ? f->next == 0 : p->type == PARAM_LOGICAL && f->next < f->to.n);
    char word[NML_NAME];
    struct nml_key named;
    size_t end = rd->at;
    if (!p || rd->lenient || is_word) return 0;
    while (nml_is_letter(nml_byte(rd, end)) || nml_is_digit(nml_byte(rd, end)) || nml_byte(rd, end) == '%') end++;
    if (end == rd->at || end - rd->at >= sizeof word) return 0;
    memcpy(word, rd->text + rd->at, end - rd->at);
    word[end - rd->at] = '\0';
    if (!nml_key_find(rd->s, p->group, word, &named)) return 0;
    nml_error(rd, rd->at, named.p, "the '=' behind '%s' is missing", named.p->key);
    f->too_many_told = 1; /* what follows is no value of this key */
    rd->at = end;
    nml_recover(rd, 0);
    return 1;
}

/* Does the word at `at` begin its line, or follow a comma? There stands a key, not the unit of a number. */
static int is_first(const struct nml_reader *rd, size_t at)
{
    while (at > 0 && nml_is_blank(nml_byte(rd, at - 1))) at--;
    return at == 0 || nml_is_space(nml_byte(rd, at - 1)) || nml_byte(rd, at - 1) == ',';
}

static void too_many_report(struct nml_reader *rd, struct filling *f, size_t at)
{
    const struct param *p = f->key->p;
    if (f->too_many_told || (f->was_bad && f->has_value))
        return; /* "10 m": the words after a bad one say nothing new */
    f->too_many_told = 1;
    if (is_decimal_comma(rd, f, at)) {
        nml_error(rd, f->last_end, p, "too many values: a number has a decimal point, not a comma");
    } else if (p->count == 1) {
        const int is_letter = nml_is_letter(nml_byte(rd, at));
        nml_error(rd, at, p, "too many values: %s takes one%s", p->key,
                  is_letter && is_first(rd, at)        ? ", and a key has a '=' behind it"
                  : is_letter && p->type <= PARAM_REAL ? ", and a number has no unit behind it"
                                                       : "");
    } else if (p->is_entry && f->to.n == 1 && rd->open) {
        rd->open->has_told = 1;
        nml_error(
            rd, at, p,
            "too many values: &%s is given several times, one entry each, so %s takes one; or give all in one &%s with lists",
            p->group, p->key, p->group);
    } else {
        nml_error(rd, at, p, "too many values: there is room for %d from %s(%d) on", f->to.n, p->key, f->to.start + 1);
    }
}

/* Warn once when the elements that an assignment sets were set before. */
static void repeat_check(struct nml_reader *rd, struct filling *f, int element)
{
    if (!rd->seen) return;
    size_t *seen = &rd->seen[f->key->first + element];
    if (*seen && *seen != f->name_at + 1 && !f->repeat_told) {
        f->repeat_told = 1;
        const int before = nml_warnings_full(rd->r) ? 0 : nml_line(rd, *seen - 1);
        nml_warning(rd, f->name_at, NULL, "%s is set again, it was set in line %d: the later value holds",
                    f->key->p->key, before);
    }
    *seen = f->name_at + 1;
}

static void value_store(struct nml_reader *rd, struct filling *f, size_t at, size_t n, int is_string, int repeat)
{
    if (!f->key) return;
    const struct param *p = f->key->p;
    if (f->next >= f->to.n) {
        too_many_report(rd, f, at);
        return;
    }
    const char *first = NULL; /* where the value stands once it is read; a repeat copies it */
    for (int i = 0; i < repeat; i++, f->next++) {
        const int element = f->to.start + f->next * f->to.step;
        char *dest = f->key->base + (size_t)element * p->size;
        repeat_check(rd, f, element);
        if (first) {
            memcpy(dest, first, p->size);
        } else {
            f->was_bad = is_string || takes_strings(f) ? !nml_string_store(rd, p, at, n, dest)
                                                       : !nml_word_store(rd, p, at, n, dest);
            if (f->was_bad) {
                f->next += repeat;
                return;
            }
            first = dest;
        }
        nml_origin_set(rd, f->key, element, at);
        if (element + 1 > f->highest) f->highest = element + 1;
        if (f->key->given && element + 1 > *f->key->given) *f->key->given = element + 1;
    }
}

static void string_read(struct nml_reader *rd, struct filling *f, int repeat)
{
    const size_t at = rd->at, end = nml_string_end(rd, at);
    if (!end) {
        nml_error(rd, at, filling_param(f), "this string is not closed on its line");
        rd->at = nml_line_end(rd, at);
        f->next += repeat;
        return;
    }
    rd->at = end;
    value_store(rd, f, at, end - at, 1, repeat);
    if (nml_is_separator(nml_byte(rd, end))) return;
    nml_error(rd, end, filling_param(f), "expected a blank or a comma after the string");
    nml_recover(rd, 1);
}

/* A word where a string should stand. */
static void bare_string_read(struct nml_reader *rd, struct filling *f, int repeat)
{
    const size_t at = rd->at;
    if (rd->lenient) {
        while (rd->at < rd->len && nml_byte(rd, rd->at) != ',') rd->at++;
        size_t end = rd->at;
        while (end > at && nml_is_space(nml_byte(rd, end - 1))) end--;
        value_store(rd, f, at, end - at, 1, repeat);
        return;
    }
    const size_t end = nml_token_end(rd, at, 1);
    if (f->next < f->to.n) {
        const int is_curly = nml_byte(rd, at) == 0xe2 && nml_byte(rd, at + 1) == 0x80;
        if (is_curly) nml_error(rd, at, f->key->p, "a string stands in plain quotes, ' or \", not in typographic ones");
        else
            nml_error(rd, at, f->key->p, "a string stands in quotes: '%.*s'", (int)SF_MIN(end - at, 48), rd->text + at);
    } else {
        too_many_report(rd, f, at);
    }
    f->next += repeat;
    rd->at = end;
    nml_recover(rd, 1);
}

/* The count of "3*1.5", which stays 1 where there is none. 0: it was wrong, and its value is dropped. */
static int repeat_read(struct nml_reader *rd, const struct filling *f, int *is_repeat)
{
    size_t at = rd->at;
    long long count = 0;
    while (nml_is_digit(nml_byte(rd, at))) {
        if (count < INT_MAX) count = 10 * count + (nml_byte(rd, at) - '0');
        at++;
    }
    *is_repeat = at > rd->at && nml_byte(rd, at) == '*';
    if (!*is_repeat) return 1;
    const size_t start = rd->at;
    rd->at = at + 1;
    if (!f->key) return 1;
    const int left = f->to.n - f->next;
    if (count >= 1 && count <= left) return (int)count;
    if (!f->too_many_told) {
        if (count == 0) nml_error(rd, start, f->key->p, "a repeat count is at least 1");
        else
            nml_error(rd, start, f->key->p, "too many values: %.*s of them, room for %d", (int)SF_MIN(at - start, 20),
                      rd->text + start, left > 0 ? left : 0);
    }
    return 0;
}

static void value_read(struct nml_reader *rd, struct filling *f)
{
    const size_t start = rd->at;
    int is_repeat;
    const int repeat = repeat_read(rd, f, &is_repeat);
    const size_t at = rd->at;
    const int c = nml_byte(rd, at);
    if (repeat == 0) {
        f->too_many_told = 1;
        rd->at = nml_is_quote(c) && nml_string_end(rd, at) ? nml_string_end(rd, at)
                                                           : nml_token_end(rd, at, takes_strings(f));
    } else if (is_repeat && nml_is_separator(c)) {
        f->next += repeat; /* a run of nulls */
    } else if (nml_is_quote(c)) {
        string_read(rd, f, repeat);
    } else if (takes_strings(f)) {
        bare_string_read(rd, f, repeat);
    } else {
        rd->at = nml_token_end(rd, at, !f->key);
        value_store(rd, f, at, rd->at - at, 0, repeat);
    }
    f->last_at = start;
    f->last_end = rd->at;
}

/* Does the slash here belong to a path whose quotes are missing? */
static int is_path(const struct nml_reader *rd, const struct filling *f)
{
    return (takes_strings(f) && rd->lenient) ||
           ((!f->key || takes_strings(f)) && !nml_is_end(nml_byte(rd, rd->at + 1)));
}

static void values_read(struct nml_reader *rd, struct filling *f)
{
    for (;;) {
        nml_space_skip(rd);
        const int c = nml_byte(rd, rd->at);
        if (c == -1) return;
        if (rd->lenient && !takes_strings(f) && (c == '/' || c == '&')) {
            nml_error(rd, rd->at, filling_param(f), "unexpected '%c'", c);
            rd->at = rd->len;
            return;
        }
        if ((c == '/' && !is_path(rd, f)) || (c == '&' && !rd->lenient)) return;
        if (!rd->lenient && (nml_name_ahead(rd, rd->at) || nml_dollar_end(rd, rd->at))) return;
        if (c == ',' || c == ';') {
            if (c == ';')
                nml_error(rd, rd->at, filling_param(f), "';' separates nothing here: use a comma or a new line");
            if (!f->has_value && f->next < INT_MAX) f->next++;
            f->has_value = 0;
            rd->at++;
        } else if (c == '#' && !(rd->lenient && takes_strings(f))) {
            nml_error(rd, rd->at, NULL, "'#' begins no comment here: use '!'");
            rd->at = nml_line_end(rd, rd->at);
        } else if (!lacks_equals(rd, f)) {
            value_read(rd, f);
            f->has_value = 1;
        }
    }
}

int nml_read_values(struct nml_reader *rd, const struct nml_key *key, int start, int step, int n, size_t name_at)
{
    struct filling f = {.key = key, .to = {start, step, n}, .name_at = name_at};
    values_read(rd, &f);
    return f.highest;
}

int nml_default_read(const struct param *p, void *dest)
{
    const struct schema none = {0};
    struct report r = {0};
    struct nml_reader rd = {.text = p->initial ? p->initial : "",
                            .len = p->initial ? strlen(p->initial) : 0,
                            .name = p->key,
                            .s = &none,
                            .r = &r,
                            .lenient = 1};
    const struct nml_key key = {.p = p, .base = dest};
    memset(dest, 0, p->size * (size_t)p->count);
    const int highest = nml_read_values(&rd, &key, 0, 1, p->count, 0);
    for (int i = highest; highest > 0 && i < p->count; i++) {
        memcpy((char *)dest + (size_t)i * p->size, (char *)dest + (size_t)(highest - 1) * p->size, p->size);
    }
    const int is_good = r.errors == 0 && !r.failed;
    report_free(&r);
    return is_good;
}
