/* The table of figures: quantity, computed, reference, tolerance, verdict, source. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { NAMES = 8, NAME_SIZE = 128, NUMBER = 32 };

const char *verify_name(const char *fmt, ...)
{
    static char text[NAMES][NAME_SIZE];
    static int next;
    char *const to = text[next++ % NAMES];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(to, NAME_SIZE, fmt, ap);
    va_end(ap);
    return to;
}

static void line_print(const char *quantity, const char *computed, const char *reference, const char *tolerance,
                       const char *verdict, const char *source)
{
    printf("  %-50s %11s %11s %12s %-7s %s\n", quantity, computed, reference, tolerance, verdict, source);
    fflush(stdout);
}

void verify_head(void) { line_print("quantity", "computed", "reference", "tolerance", "", "source of the reference"); }

void verify_group(const char *name, const char *about) { printf("%s: %s\n", name, about); }

static void number_print(char *to, const char *before, double x)
{
    if (isnan(x) && before) snprintf(to, NUMBER, "%s", "");
    else snprintf(to, NUMBER, "%s%.6g", before ? before : "", x);
}

static void row_print(struct verify *v, const char *quantity, double computed, double reference, const char *tolerance,
                      int good, const char *source)
{
    char is[NUMBER], should[NUMBER];
    number_print(is, NULL, computed);
    number_print(should, "", reference);
    v->verified++;
    v->failed += !good;
    line_print(quantity, is, should, tolerance, good ? "ok" : "FAIL", source);
}

static void guard_print(struct verify *v, const char *quantity, double computed, double measured, const char *tolerance,
                        int same)
{
    char is[NUMBER], was[NUMBER];
    number_print(is, NULL, computed);
    number_print(was, "", measured);
    v->guarded++;
    v->changed += !same;
    line_print(quantity, is, was, tolerance, same ? "same" : "CHANGED", "guard: earlier runs of this program");
}

void verify_near(struct verify *v, const char *quantity, double computed, double reference, double tolerance,
                 const char *source)
{
    char width[NUMBER];
    number_print(width, "+-", tolerance);
    row_print(v, quantity, computed, reference, width, fabs(computed - reference) <= tolerance, source);
}

void verify_least(struct verify *v, const char *quantity, double computed, double least, const char *source)
{
    char bound[NUMBER];
    number_print(bound, ">= ", least);
    row_print(v, quantity, computed, NAN, bound, computed >= least, source);
}

void verify_most(struct verify *v, const char *quantity, double computed, double most, const char *source)
{
    char bound[NUMBER];
    number_print(bound, "<= ", most);
    row_print(v, quantity, computed, NAN, bound, computed <= most, source);
}

void verify_guard_near(struct verify *v, const char *quantity, double computed, double measured, double width)
{
    char text[NUMBER];
    number_print(text, "+-", width);
    guard_print(v, quantity, computed, measured, text, fabs(computed - measured) <= width);
}

void verify_guard_most(struct verify *v, const char *quantity, double computed, double most)
{
    char text[NUMBER];
    number_print(text, "<= ", most);
    guard_print(v, quantity, computed, NAN, text, computed <= most);
}

void verify_most_guarded(struct verify *v, const char *quantity, double computed, double most, double guard,
                         const char *source)
{
    char is[NUMBER], bound[NUMBER];
    const int good = computed <= most, same = computed <= guard;
    number_print(is, NULL, computed);
    number_print(bound, "<= ", most);
    v->verified++, v->failed += !good;
    v->guarded++, v->changed += good && !same;
    line_print(quantity, is, "", bound,
               !good  ? "FAIL"
               : same ? "ok"
                      : "CHANGED",
               good && !same ? verify_name("%s; earlier runs: <= %.6g", source, guard) : source);
}

void verify_show(struct verify *v, const char *quantity, double computed, double reference, const char *source)
{
    char is[NUMBER], should[NUMBER];
    (void)v;
    number_print(is, NULL, computed);
    number_print(should, "", reference);
    line_print(quantity, is, should, "", "", source);
}

void verify_skip(struct verify *v, const char *quantity, const char *why)
{
    v->skipped++;
    line_print(quantity, "", "", "", "-", why);
}
