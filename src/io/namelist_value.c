/* Turns the text of one value into a number, a logical, a string or a choice, and numbers back into text.
 *
 * Numbers follow Fortran's input forms (1d3, .5d-3, 5., 1+3) and never the locale.
 * SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 512 }; /* bytes of a number's text */

enum number_fault { NUMBER_GOOD, NUMBER_SYNTAX, NUMBER_KIND, NUMBER_NOT_FINITE, NUMBER_LARGE, NUMBER_SMALL };

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static void c_locale_begin(locale_t *own, locale_t *old)
{
    *own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *old = uselocale(*own);
}

static void c_locale_end(locale_t own, locale_t old)
{
    uselocale(old);
    if (own) freelocale(own);
}

static size_t digits_skip(const char *t, size_t i, size_t n)
{
    while (i < n && is_digit(t[i])) i++;
    return i;
}

static int is_non_finite_word(const char *t, size_t n)
{
    char word[16];
    if (n > 0 && (t[0] == '+' || t[0] == '-')) t++, n--;
    const char *paren = memchr(t, '(', n);
    if (paren) n = (size_t)(paren - t);
    if (n == 0 || n >= sizeof word) return 0;
    memcpy(word, t, n);
    word[n] = '\0';
    return nml_same(word, "nan") || (!paren && (nml_same(word, "inf") || nml_same(word, "infinity")));
}

/* Where the number in t ends and its exponent begins; the end is 0 when there is no number. */
static size_t number_span(const char *t, size_t n, size_t *mantissa, int *is_integer)
{
    size_t i = n > 0 && (t[0] == '+' || t[0] == '-');
    const size_t whole = i;
    i = digits_skip(t, i, n);
    size_t digits = i - whole;
    *is_integer = 1;
    if (i < n && t[i] == '.') {
        const size_t part = ++i;
        i = digits_skip(t, i, n);
        digits += i - part;
        *is_integer = 0;
    }
    if (digits == 0) return 0;
    *mantissa = i;
    size_t e = i;
    if (e < n && strchr("eEdDqQ", t[e])) e++;
    if (e < n && (t[e] == '+' || t[e] == '-')) e++;
    const size_t end = digits_skip(t, e, n);
    if (e == i || end == e) return i;
    *is_integer = 0;
    return end;
}

static enum number_fault real_read(const char *t, size_t n, double *x)
{
    char text[NUMBER_MAX + 2];
    size_t mantissa = 0;
    int is_integer, has_value = 0;
    if (is_non_finite_word(t, n)) return NUMBER_NOT_FINITE;
    const size_t end = number_span(t, n, &mantissa, &is_integer);
    if (end == 0 || n > NUMBER_MAX) return NUMBER_SYNTAX;
    if (end < n) return t[end] == '_' ? NUMBER_KIND : NUMBER_SYNTAX;
    memcpy(text, t, mantissa);
    for (size_t i = 0; i < mantissa; i++) has_value |= is_digit(t[i]) && t[i] != '0';
    size_t to = mantissa, from = mantissa;
    if (from < n) {
        text[to++] = 'e';
        if (strchr("eEdDqQ", t[from])) from++;
        memcpy(text + to, t + from, n - from);
        to += n - from;
    }
    text[to] = '\0';
    locale_t own, old;
    c_locale_begin(&own, &old);
    *x = strtod(text, NULL);
    c_locale_end(own, old);
    if (!isfinite(*x)) return NUMBER_LARGE;
    return has_value && *x == 0.0 ? NUMBER_SMALL : NUMBER_GOOD; /* exact on purpose: all digits were lost */
}

static enum number_fault int_read(const char *t, size_t n, int *x)
{
    size_t mantissa = 0;
    int is_integer;
    const size_t end = number_span(t, n, &mantissa, &is_integer);
    if (is_non_finite_word(t, n)) return NUMBER_NOT_FINITE;
    if (end == 0 || !is_integer) return NUMBER_SYNTAX;
    if (end < n) return t[end] == '_' ? NUMBER_KIND : NUMBER_SYNTAX;
    const int is_negative = t[0] == '-';
    long long v = 0;
    for (size_t i = t[0] == '-' || t[0] == '+'; i < n; i++) {
        v = 10 * v + (t[i] - '0');
        if (v > (long long)INT_MAX + is_negative) return NUMBER_LARGE;
    }
    *x = (int)(is_negative ? -v : v);
    return NUMBER_GOOD;
}

/* "1km": digits, and nothing but letters behind them that could not be meant as an exponent. */
static int has_unit(const char *t, size_t n)
{
    size_t mantissa = 0;
    int is_integer;
    size_t at = number_span(t, n, &mantissa, &is_integer);
    if (at == 0 || at == n || strchr("eEdDqQ_", t[at])) return 0;
    while (at < n && nml_is_letter(t[at])) at++;
    return at == n;
}

static int number_check(struct nml_reader *rd, const struct param *p, size_t at, size_t n, enum number_fault fault,
                        double x)
{
    const char *t = rd->text + at;
    const int shown = n < 48 ? (int)n : 48;
    const char *type = p->type == PARAM_INT ? "an integer" : "a real number";
    const char *kind = memchr(t, '_', n);
    switch (fault) {
    case NUMBER_SYNTAX:
        if (has_unit(t, n))
            nml_error(rd, at, p, "expected %s, got '%.*s': no unit stands behind a number", type, shown, t);
        else nml_error(rd, at, p, "expected %s, got '%.*s'", type, shown, t);
        return 0;
    case NUMBER_KIND:
        nml_error(rd, at, p, "'%.*s' has a kind suffix, which belongs in source code only: write %.*s", shown, t,
                  (int)SF_MIN(kind - t, 48), t);
        return 0;
    case NUMBER_NOT_FINITE:
        nml_error(rd, at, p, "'%.*s' is not a finite number", shown, t);
        return 0;
    case NUMBER_LARGE:
        nml_error(rd, at, p, "'%.*s' is too large for %s", shown, t, p->type == PARAM_INT ? type : "double precision");
        return 0;
    case NUMBER_SMALL:
        nml_error(rd, at, p, "'%.*s' is too small for double precision", shown, t);
        return 0;
    case NUMBER_GOOD:
        break;
    }
    if (p->min > p->max || (x >= p->min && x <= p->max)) return 1;
    nml_error(rd, at, p, "%.*s is out of range", shown, t);
    return 0;
}

static int logical_store(struct nml_reader *rd, const struct param *p, size_t at, size_t n, int *dest)
{
    static const char *const words[2][6] = {{"f", "false", ".f", ".f.", ".false", ".false."},
                                            {"t", "true", ".t", ".t.", ".true", ".true."}};
    char word[8] = "";
    if (n < sizeof word) memcpy(word, rd->text + at, n);
    for (int value = 0; value < 2; value++) {
        for (int i = 0; i < 6; i++) {
            if (!nml_same(word, words[value][i])) continue;
            *dest = value;
            return 1;
        }
    }
    nml_error(rd, at, p, "expected .true. or .false., got '%.*s'", n < 48 ? (int)n : 48, rd->text + at);
    return 0;
}

/* Copy the string at `at` into out[cap], quotes taken off and doubled ones halved; returns its length,
 * which may be larger than what was copied. A word without quotes is copied as it stands. */
static size_t string_decode(const struct nml_reader *rd, size_t at, size_t n, char *out, size_t cap)
{
    const char *t = rd->text + at;
    const int is_quoted = n >= 2 && (t[0] == '\'' || t[0] == '"') && t[n - 1] == t[0];
    size_t length = 0;
    for (size_t i = (size_t)is_quoted; i < n - (size_t)is_quoted; i++) {
        if (length + 1 < cap) out[length] = t[i];
        length++;
        if (is_quoted && t[i] == t[0]) i++;
    }
    out[length < cap ? length : cap - 1] = '\0';
    return length;
}

static int choice_store(struct nml_reader *rd, const struct param *p, size_t at, size_t n, int *dest)
{
    char word[NML_NAME], list[512] = "";
    size_t length = string_decode(rd, at, n, word, sizeof word);
    if (length >= sizeof word) length = sizeof word - 1;
    while (length > 0 && word[length - 1] == ' ') word[--length] = '\0'; /* Fortran pads with blanks */
    int index = 0;
    for (const char *c = p->choices + strspn(p->choices, " "); *c; index++) {
        char choice[NML_NAME];
        const size_t size = strcspn(c, " ");
        snprintf(choice, sizeof choice, "%.*s", (int)size, c);
        if (nml_same(choice, word)) {
            *dest = index;
            return 1;
        }
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s'%s'", index ? ", " : "", choice);
        c += size;
        c += strspn(c, " ");
    }
    nml_error(rd, at, p, "'%.48s' is none of %s", word, list);
    return 0;
}

int nml_string_store(struct nml_reader *rd, const struct param *p, size_t at, size_t n, void *dest)
{
    if (p->type == PARAM_CHOICE) return choice_store(rd, p, at, n, dest);
    if (p->type != PARAM_STRING) {
        nml_error(rd, at, p, "expected %s, got a string: take the quotes away",
                  p->type == PARAM_INT    ? "an integer"
                  : p->type == PARAM_REAL ? "a real number"
                                          : ".true. or .false.");
        return 0;
    }
    if (memchr(rd->text + at, '\0', n) || memchr(rd->text + at, '\n', n) || memchr(rd->text + at, '\r', n)) {
        nml_error(rd, at, p, "the string holds a NUL byte or a line end");
        return 0;
    }
    char probe[1];
    const size_t length = string_decode(rd, at, n, probe, sizeof probe);
    if (length >= p->size) {
        nml_error(rd, at, p, "the string has %zu bytes, %zu more than fit", length, length - (p->size - 1));
        return 0;
    }
    memset(dest, 0, p->size);
    string_decode(rd, at, n, dest, p->size);
    return 1;
}

int nml_word_store(struct nml_reader *rd, const struct param *p, size_t at, size_t n, void *dest)
{
    if (p->type == PARAM_LOGICAL) return logical_store(rd, p, at, n, dest);
    if (p->type == PARAM_INT) {
        int x = 0;
        const enum number_fault fault = int_read(rd->text + at, n, &x);
        if (!number_check(rd, p, at, n, fault, x)) return 0;
        memcpy(dest, &x, sizeof x);
        return 1;
    }
    double x = 0;
    const enum number_fault fault = real_read(rd->text + at, n, &x);
    if (!number_check(rd, p, at, n, fault, x)) return 0;
    memcpy(dest, &x, sizeof x);
    return 1;
}

void nml_real_text(double x, char text[NML_REAL_SIZE])
{
    locale_t own, old;
    c_locale_begin(&own, &old);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NML_REAL_SIZE, "%.*g", digits, x); /* %g drops trailing zeros */
        const double back = strtod(text, NULL);
        if (!memcmp(&back, &x, sizeof x)) break;
    }
    c_locale_end(own, old);
}
