/* Between the files that read a description: tokens. SPDX-License-Identifier: MIT */
#pragma once

#include "stages/describe.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum token { END, NEWLINE, NAME, NUMBER, STRING, MARK };

struct reader {
    struct description *d;
    const char *p, *at; /* behind the token, its first character */
    enum token token;
    int n; /* characters of it */
    int depth; /* of brackets: within them a line goes on */
    int is_lost; /* a mistake was told: nothing more is said of this line */
};

static inline void next(struct reader *r)
{
    static const char *const two[] = {"<=", ">=", "==", "!=", "&&", "||", "+=", "-=", ".."};
    for (;; r->p++) {
        if (*r->p == '#') r->p += strcspn(r->p, "\n");
        if (*r->p == '\n' && !r->depth) break;
        if (!*r->p || !isspace((unsigned char)*r->p)) break;
    }
    const char *const s = r->at = r->p;
    const unsigned char c = (unsigned char)*s;
    int n = 1;
    if (!c) r->token = END, n = 0;
    else if (c == '\n') r->token = NEWLINE;
    else if (isalpha(c) || c == '_') {
        while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
        r->token = NAME;
    } else if (isdigit(c) || (c == '.' && isdigit((unsigned char)s[1]))) {
        while (isdigit((unsigned char)s[n]) || (s[n] == '.' && s[n + 1] != '.')) n++;
        if ((s[n] == 'e' || s[n] == 'E') && (isdigit((unsigned char)s[n + 1]) ||
                                             (strchr("+-", s[n + 1]) && s[n + 1] && isdigit((unsigned char)s[n + 2]))))
            for (n += 2; isdigit((unsigned char)s[n]);) n++;
        r->token = NUMBER;
    } else if (c == '"') {
        while (s[n] && s[n] != '"' && s[n] != '\n') n++;
        if (s[n] == '"') n++;
        r->token = STRING;
    } else {
        r->token = MARK;
        for (size_t k = 0; k < sizeof two / sizeof two[0]; k++)
            if (!strncmp(s, two[k], 2)) n = 2;
    }
    r->n = n, r->p = s + n;
}

static inline int is(const struct reader *r, const char *mark)
{
    return (r->token == MARK || r->token == NAME) && (int)strlen(mark) == r->n && !strncmp(r->at, mark, (size_t)r->n);
}
static inline int take(struct reader *r, const char *mark) { return is(r, mark) ? next(r), 1 : 0; }

static inline void wrong(struct reader *r, const char *at, const char *what)
{
    if (!r->is_lost) describe_wrong(r->d, at, "%s", what);
    r->is_lost = 1;
}

static inline void expect(struct reader *r, const char *mark)
{
    char text[64];
    snprintf(text, sizeof text, "'%s' is missing here", mark);
    if (!take(r, mark)) wrong(r, r->at, text);
}

static inline char *copy(struct reader *r, const char *from, int n)
{
    char *const to = describe_memory(r->d, (size_t)n + 1);
    memcpy(to, from, (size_t)n);
    return to;
}

static inline const char *name_take(struct reader *r, const char *what)
{
    if (r->token != NAME) return wrong(r, r->at, what), "";
    if (r->n > NAME_MOST) wrong(r, r->at, "a name has at most 48 characters");
    const char *const s = copy(r, r->at, r->n);
    next(r);
    return s;
}

/* A text in quotes; `otherwise` where none stands. */
static inline const char *text_take(struct reader *r, const char *otherwise)
{
    if (r->token != STRING) return otherwise;
    if (r->n < 2 || r->at[r->n - 1] != '"') wrong(r, r->at, "a text that does not end in this line");
    const char *const s = copy(r, r->at + 1, SF_MAX(r->n - 2, 0));
    next(r);
    return s;
}

static inline double number_take(struct reader *r)
{
    const int minus = take(r, "-");
    double x = 0;
    if (r->token != NUMBER) wrong(r, r->at, "a number is missing here");
    else {
        char *const s = copy(r, r->at, r->n), *end;
        x = strtod(s, &end);
        if (*end || !isfinite(x)) wrong(r, r->at, "this is no number");
        next(r);
    }
    return minus ? -x : x;
}

static inline void lines_skip(struct reader *r)
{
    while (r->token == NEWLINE) next(r);
}

static inline void open_bracket(struct reader *r) { r->depth++, next(r); }
static inline void close_bracket(struct reader *r, const char *mark)
{
    r->depth--;
    expect(r, mark);
}

/* read_expression.c */
struct node *node(struct reader *r, enum node_kind kind, const char *name, const char *at);
struct node *expression(struct reader *r);
void arguments(struct reader *r, struct node *e, const char *close); /* from the opening bracket to the closing one */
