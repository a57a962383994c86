/* Findings as a compiler prints them: place, message, line, caret. SPDX-License-Identifier: MIT */
#include "io/namelist_parts.h"

#include "pipeline/error.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    ERRORS_MAX = 200, /* told in full; a hostile file must not fill the memory */
    WARNINGS_MAX = 50,
    EXCERPT_BEFORE = 72,
    EXCERPT_MAX = 120
};

/* Part of the text of a report, and where it belongs. */
struct finding {
    int origin; /* of the reader's text; INT32_MAX: behind all others */
    size_t at, from, len;
};

void report_free(struct report *r)
{
    free(r->text);
    free(r->finding);
    *r = (struct report){0};
}

static int room_make(struct report *r, size_t n)
{
    if (r->failed) return 0;
    if (r->len + n + 1 <= r->cap) return 1;
    const size_t cap = 2 * (r->len + n + 1);
    char *text = realloc(r->text, cap);
    if (!text) {
        r->failed = 1;
        return 0;
    }
    r->text = text;
    r->cap = cap;
    return 1;
}

void nml_add(struct report *r, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n >= 0 && room_make(r, (size_t)n)) {
        vsnprintf(r->text + r->len, (size_t)n + 1, fmt, again);
        r->len += (size_t)n;
    }
    va_end(again);
}

void report_tell(struct report *r)
{
    if (r->text) fputs(r->text, stderr);
    sf_warnings_add(r->warnings);
    report_free(r);
}

/* What was added behind `from` belongs to a place. Grows by doubling: at powers of two. */
static void finding_end(struct report *r, int origin, size_t at, size_t from)
{
    const int n = r->nfindings;
    if ((n & (n - 1)) == 0) {
        struct finding *more = realloc(r->finding, (n ? 2 * (size_t)n : 1) * sizeof *more);
        if (!more) {
            r->failed = 1;
            return;
        }
        r->finding = more;
    }
    r->finding[r->nfindings++] = (struct finding){origin, at, from, r->len - from};
}

static int finding_compare(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->origin != y->origin) return x->origin < y->origin ? -1 : 1;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

void report_sort(struct report *r)
{
    if (!r->nfindings || r->failed) return;
    char *text = malloc(r->len + 1);
    if (!text) {
        r->failed = 1;
        return;
    }
    qsort(r->finding, (size_t)r->nfindings, sizeof *r->finding, finding_compare);
    size_t len = 0;
    for (int n = 0; n < r->nfindings; n++) {
        struct finding *f = &r->finding[n];
        memcpy(text + len, r->text + f->from, f->len);
        f->from = len;
        len += f->len;
    }
    text[len] = '\0';
    free(r->text);
    r->text = text;
    r->len = len;
    r->cap = len + 1;
}

/* Bytes of the printable character at s, 0 when it is a control character or no UTF-8. */
static size_t character_size(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    if (u[0] < 0x80) return (u[0] >= 0x20 && u[0] != 0x7f) || u[0] == '\t';
    const size_t size = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4 || size > n) return 0;
    for (size_t i = 1; i < size; i++) {
        if ((u[i] & 0xc0) != 0x80) return 0;
    }
    return u[0] == 0xc2 && u[1] < 0xa0 ? 0 : size; /* C1 controls */
}

void nml_add_clean(struct report *r, const char *text, size_t n)
{
    if (!room_make(r, n)) return;
    for (size_t i = 0; i < n;) {
        const size_t size = character_size(text + i, n - i);
        if (size) memcpy(r->text + r->len, text + i, size);
        else r->text[r->len] = '?';
        r->len += size ? size : 1;
        i += size ? size : 1;
    }
    r->text[r->len] = '\0';
}

static size_t line_start(const struct nml_reader *rd, size_t at)
{
    while (at > 0 && rd->text[at - 1] != '\n' && rd->text[at - 1] != '\r') at--;
    return at == 0 && rd->len >= 3 && !memcmp(rd->text, "\xef\xbb\xbf", 3) ? 3 : at;
}

int nml_line(const struct nml_reader *rd, size_t at)
{
    int line = 1;
    for (size_t i = 0; i < at; i++) {
        if (rd->text[i] == '\n' || (rd->text[i] == '\r' && (i + 1 == rd->len || rd->text[i + 1] != '\n'))) line++;
    }
    return line;
}

static int is_inside_character(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

static void excerpt_add(struct nml_reader *rd, int line, size_t at)
{
    struct report *r = rd->r;
    size_t from = line_start(rd, at), to = at;
    const int is_cut = at > from + EXCERPT_BEFORE;
    if (is_cut) from = at - EXCERPT_BEFORE;
    while (is_cut && from < at && is_inside_character(rd->text[from])) from++;
    while (to < rd->len && rd->text[to] != '\n' && rd->text[to] != '\r' && to < from + EXCERPT_MAX) to++;
    while (to > at && to < rd->len && is_inside_character(rd->text[to])) to--;

    nml_add(r, "%5d | %s", line, is_cut ? "..." : "");
    nml_add_clean(r, rd->text + from, to - from);
    nml_add(r, "\n      | %s", is_cut ? "   " : "");
    for (size_t i = from; i < at;) {
        const size_t size = character_size(rd->text + i, rd->len - i);
        nml_add(r, "%c", rd->text[i] == '\t' ? '\t' : ' ');
        i += size ? size : 1;
    }
    nml_add(r, "^\n");
}

int nml_errors_full(const struct report *r) { return r->errors >= ERRORS_MAX; }
int nml_warnings_full(const struct report *r) { return r->warnings >= WARNINGS_MAX; }

/* Count a finding; 0 when it is one too many to show. */
static int finding_count(struct nml_reader *rd, const char *kind, int *count, int most)
{
    if (*count == most) {
        const size_t from = rd->r->len;
        nml_add(rd->r, "%s: more than %d %ss: the rest is not shown\n", rd->name, most, kind);
        finding_end(rd->r, INT32_MAX, 0, from);
    }
    if (*count < INT32_MAX) ++*count;
    return *count <= most;
}

/* The message, line by line: those behind the first are indented. */
static void message_add(struct report *r, const char *message)
{
    for (const char *line = message; *line;) {
        const size_t n = strcspn(line, "\n");
        nml_add(r, "%s", line > message ? "        " : "");
        nml_add_clean(r, line, n);
        nml_add(r, "\n");
        line += n + (line[n] == '\n');
    }
}

static void finding_write(struct nml_reader *rd, const char *kind, size_t at, const struct param *p,
                          const char *message)
{
    struct report *r = rd->r;
    const size_t from = r->len;
    if (rd->text) {
        const int line = nml_line(rd, at);
        int column = 1;
        for (size_t i = line_start(rd, at); i < at; i++) column += i + 1 == at || !is_inside_character(rd->text[i + 1]);
        nml_add(r, "%s:%d:%d: %s: ", rd->name, line, column, kind);
        message_add(r, message);
        excerpt_add(rd, line, at);
    } else {
        nml_add(r, "%s: %s: ", rd->name, kind);
        message_add(r, message);
        if (p) nml_add(r, "        %s%%%s is not given and has its default\n", p->group, p->key);
    }
    if (p) {
        nml_add(r, "        ");
        nml_describe(r, p);
        nml_add(r, "\n");
    }
    finding_end(r, rd->text ? rd->origin : INT32_MAX - 1, at, from);
}

static void finding_add(struct nml_reader *rd, const char *kind, size_t at, const struct param *p, const char *fmt,
                        va_list ap)
{
    char message[1024];
    vsnprintf(message, sizeof message, fmt, ap);
    finding_write(rd, kind, at, p, message);
}

void nml_error(struct nml_reader *rd, size_t at, const struct param *p, const char *fmt, ...)
{
    if (!finding_count(rd, "error", &rd->r->errors, ERRORS_MAX)) return;
    if (p) nml_fault_set(rd, p);
    va_list ap;
    va_start(ap, fmt);
    finding_add(rd, "error", at, p, fmt, ap);
    va_end(ap);
}

void nml_warning(struct nml_reader *rd, size_t at, const struct param *p, const char *fmt, ...)
{
    if (!finding_count(rd, "warning", &rd->r->warnings, WARNINGS_MAX)) return;
    va_list ap;
    va_start(ap, fmt);
    finding_add(rd, "warning", at, p, fmt, ap);
    va_end(ap);
}

void nml_complaint(struct nml_reader *rd, int is_error, size_t at, const struct param *p, const char *text)
{
    const char *kind = is_error ? "error" : "warning";
    if (!finding_count(rd, kind, is_error ? &rd->r->errors : &rd->r->warnings, is_error ? ERRORS_MAX : WARNINGS_MAX))
        return;
    finding_write(rd, kind, at, p, text);
}
