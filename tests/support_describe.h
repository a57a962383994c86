/* Texts of descriptions for tests: settled, printed, and what is told of mistakes in them. SPDX-License-Identifier: MIT
 */
#pragma once

#include "stages/describe.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* What models of the program itself have beside: media, lines, layers. */
#define PARTS                                                                                                          \
    "numbers s { }\nfield u\nmedia m id M\ntable t \"t\" by \"w\"\nlayer z id A \"a\" B \"b\" { q }\nline r along z \"r\"\n"

/* Of a sheet m.sf; describe_free afterwards. */
static inline void settle(struct description *d, const char *text)
{
    *d = (struct description){0};
    describe_read(d, "m.sf", text);
    describe_settle(d);
}

typedef void describe_print(const struct description *d, FILE *to);

/* What it prints; the caller frees it. */
static inline char *printed_of(const struct description *d, describe_print *print)
{
    char *text = NULL;
    size_t n;
    FILE *const to = open_memstream(&text, &n);
    cr_assert_not_null(to);
    print(d, to);
    fclose(to);
    return text;
}

/* A part of what one of them prints. */
struct printed {
    describe_print *print;
    const char *text;
};

static inline void expect_printed(const struct description *d, const struct printed *part, size_t n)
{
    for (const struct printed *p = part; p < part + n; p++) {
        char *const code = printed_of(d, p->print);
        cr_assert(strstr(code, p->text), "no %s in\n%s", p->text, code);
        free(code);
    }
}

/* Words of what is told of a text, NULL: it is taken. */
static inline void expect_told(const char *text, const char *words)
{
    struct description d;
    settle(&d, text);
    cr_assert(words ? d.errors && strstr(d.errors, words) : !d.errors, "of\n%s\nis told: %s", text,
              d.errors ? d.errors : "nothing");
    describe_free(&d);
}

/* A text, the line and column that its mistake is told of, and words of that. */
struct mistake {
    const char *text, *place, *words;
};

/* Each is told with its line; is_alone: and nothing else is. */
static inline void expect_mistakes(const struct mistake *mistakes, size_t n, int is_alone)
{
    for (const struct mistake *m = mistakes; m < mistakes + n; m++) {
        struct description d;
        char place[64];
        settle(&d, m->text);
        snprintf(place, sizeof place, "m.sf:%s: ", m->place);
        cr_assert(d.errors && strstr(d.errors, place) && strstr(strstr(d.errors, place), m->words),
                  "of\n%s\nis told:\n%s\nnot %s %s", m->text, d.errors ? d.errors : "nothing", m->place, m->words);
        cr_assert(strstr(d.errors, "^\n"));
        cr_assert(!is_alone || d.nerrors == 1, "of\n%s\nis told:\n%s", m->text, d.errors);
        describe_free(&d);
    }
}
