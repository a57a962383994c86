/* The timeline of one rank, as text: what each span says, times, names, and files that are whole or not there. Several
 * ranks: tests/timeline.sh. SPDX-License-Identifier: MIT */
#include "io/timeline.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct comm alone = {.rank = 0, .size = 1};
static char directory[64], file[128];

static void directory_make(void)
{
    strcpy(directory, "/tmp/sferic_timeline_XXXXXX");
    cr_assert(mkdtemp(directory));
    snprintf(file, sizeof file, "%s/timeline.json", directory);
}

/* How many files there are; removes them and the directory. */
static int directory_clear(void)
{
    int n = 0;
    DIR *dir = opendir(directory);
    for (const struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        n++;
        unlinkat(dirfd(dir), e->d_name, 0);
    }
    closedir(dir);
    rmdir(directory);
    return n;
}

/* The file that these spans make, to be freed. */
static char *text_of(const struct span *span, size_t n)
{
    directory_make();
    cr_assert_eq(timeline_write(file, &alone, span, n), SF_OK, "%s", sf_error_text());
    struct stat st;
    cr_assert_eq(stat(file, &st), 0);
    char *text = calloc((size_t)st.st_size + 1, 1), command[256];
    FILE *from = fopen(file, "r");
    cr_assert_eq(fread(text, 1, (size_t)st.st_size, from), (size_t)st.st_size);
    fclose(from);
    snprintf(command, sizeof command, "python3 -m json.tool %s >/dev/null", file);
    cr_assert_eq(system(command), 0, "python takes it for no JSON");
    cr_assert_eq(directory_clear(), 1, "something lies beside it");
    return text;
}

static int count_of(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

Test(timeline, what_a_span_says)
{
    const struct span span[] = {
        {SPAN_IN, 2, 40, 16, 32, 1000.5, 1000.75, 2.5e9},
        {SPAN_HALO, -1, 41, 0, 0, 1000.25, 1000.250001, 0},
    };
    char *text = text_of(span, 2);
    cr_expect(strstr(text, "{\"ph\":\"X\",\"name\":\"slab 2\",\"cat\":\"in\",\"pid\":0,\"tid\":0,\"ts\":250000.000,"
                           "\"dur\":250000.000,\"args\":{\"slab\":2,\"step\":40,\"rows\":[16,32],\"bytes\":2500000000,"
                           "\"GB/s\":10.000000}}"),
              "%s", text);
    cr_expect(strstr(text,
                     "{\"ph\":\"X\",\"name\":\"halo\",\"cat\":\"halo\",\"pid\":0,\"tid\":3,\"ts\":0.000,\"dur\":1.000,"
                     "\"args\":{\"step\":41}}"),
              "%s", text);
    free(text);
}

Test(timeline, names)
{
    static const char *const lane[] = {"in", "compute", "out", "halo", "output"};
    char *text = text_of(NULL, 0);
    cr_expect(strstr(text, "\"displayTimeUnit\":\"ms\""));
    cr_expect(strstr(text, "\"name\":\"process_name\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"rank 0\"}}"), "%s",
              text);
    for (int n = 0; n < SPAN_LANES; n++) {
        char want[128];
        snprintf(want, sizeof want, "\"name\":\"thread_name\",\"pid\":0,\"tid\":%d,\"args\":{\"name\":\"%s\"}}", n,
                 lane[n]);
        cr_expect(strstr(text, want), "%s", want);
        snprintf(want, sizeof want, "\"name\":\"thread_sort_index\",\"pid\":0,\"tid\":%d,\"args\":{\"sort_index\":%d}}",
                 n, n);
        cr_expect(strstr(text, want), "%s", want);
    }
    cr_expect_eq(count_of(text, "\"ph\":\"X\""), 0);
    free(text);
}

/* The number that follows the next `key`, which is near, and go there. Nothing looks at all the text from here to its
 * end: there is much of it. */
static double number_after(char **at, const char *key)
{
    char here[200];
    snprintf(here, sizeof here, "%.*s", (int)sizeof here - 1, *at);
    const char *const found = strstr(here, key);
    cr_assert(found, "no %s", key);
    *at += found - here + (ptrdiff_t)strlen(key);
    return strtod(*at, at);
}

/* Many, so that they go in several pieces; a third of a microsecond each, one after the other, on a clock long since
 * begun. */
Test(timeline, order)
{
    enum { N = 100000 };
    struct span *span = malloc(N * sizeof *span);
    for (int n = 0; n < N; n++)
        span[n] = (struct span){SPAN_COMPUTE, n, 7, 0, 1, 3e6 + n / 3e6, 3e6 + (n + 1) / 3e6, 0};
    char *text = text_of(span, N), *at = strstr(text, "\"ph\":\"X\"");
    double end = 0;
    cr_assert(at);
    for (int n = 0; n < N; n++) {
        const double ts = number_after(&at, "\"ts\":"), duration = number_after(&at, "\"dur\":");
        cr_assert_eq((int)number_after(&at, "\"slab\":"), n);
        cr_assert(fabs(ts - n / 3.0) < 1.1e-3 && fabs(ts - end) < 1e-6, "span %d begins at %.9g", n, ts);
        end = ts + duration;
    }
    cr_expect_null(strstr(at, "\"ts\":"));
    free(text);
    free(span);
}

/* No NaN, no Inf, nothing negative: such spans are left out, and the others are where they were. */
Test(timeline, times_that_are_none)
{
    const struct span span[] = {
        {SPAN_IN, 0, 0, 0, 1, NAN, 1, 1},        {SPAN_OUT, 0, 0, 0, 1, 1, INFINITY, 1},
        {SPAN_LANES, 0, 0, 0, 1, 1, 2, 1},       {-1, 0, 0, 0, 1, 1, 2, 1},
        {SPAN_COMPUTE, 0, 0, 0, 1, 5, 1e300, 1}, {SPAN_COMPUTE, 1, 0, 0, 1, 6, 5.5, 1},
        {SPAN_COMPUTE, 2, 0, 0, 1, 6, 7, NAN},   {SPAN_COMPUTE, 3, 0, 0, 1, 6, 6, 1e9},
        {SPAN_IN, 4, 0, 0, 1, 6, 7, INFINITY},   {SPAN_IN, 5, 0, 0, 1, 6, 7, -1},
    };
    char *text = text_of(span, sizeof span / sizeof span[0]);
    cr_expect_eq(count_of(text, "\"ph\":\"X\""), 5, "%s", text);
    cr_expect(!strstr(text, "nan") && !strstr(text, "inf\"") && !strstr(text, ":-") && !strstr(text, "GB/s"), "%s",
              text);
    cr_expect_eq(count_of(text, "\"bytes\""), 2, "%s", text);
    cr_expect(strstr(text, "\"ts\":1000000.000,\"dur\":0.000,\"args\":{\"slab\":1"), "%s", text);
    free(text);
}

Test(timeline, numbers_of_any_locale)
{
    static const char *const decimal_comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    int n = 0;
    while (n < 3 && !setlocale(LC_ALL, decimal_comma[n])) n++;
    if (n == 3) cr_skip_test("no locale with a decimal comma is installed");
    const struct span span = {SPAN_OUT, 0, 0, 0, 1, 1, 1.0000015, 12345};
    char *text = text_of(&span, 1);
    cr_expect(strstr(text, "\"dur\":1.500,") && strstr(text, "\"bytes\":12345,\"GB/s\":8.230000}"), "%s", text);
    free(text);
}

Test(timeline, bad_directory)
{
    directory_make();
    char nowhere[160];
    snprintf(nowhere, sizeof nowhere, "%s/nowhere/timeline.json", directory);
    cr_expect_eq(timeline_write(nowhere, &alone, NULL, 0), SF_IO);
    cr_expect(strstr(sf_error_text(), nowhere) && strstr(sf_error_text(), "No such file"), "%s", sf_error_text());
    sf_error_clear();
    snprintf(nowhere, sizeof nowhere, "%s/one", directory);
    cr_assert_eq(mkdir(nowhere, 0777), 0);
    cr_expect_eq(timeline_write(nowhere, &alone, NULL, 0), SF_IO, "a directory is there");
    cr_expect(strstr(sf_error_text(), nowhere), "%s", sf_error_text());
    rmdir(nowhere);
    cr_expect_eq(directory_clear(), 0);
}

/* The disk is full among the writes, or at the last one, when the file is closed: the file of before stays. */
Test(timeline, full_disk)
{
    static struct span span[10000];
    struct rlimit limit;
    for (int n = 0; n < 10000; n++) span[n] = (struct span){SPAN_COMPUTE, n, 0, 0, 1, n, n + 1, 0};
    directory_make();
    cr_assert_eq(timeline_write(file, &alone, NULL, 0), SF_OK);
    getrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    for (int n = 0; n < 2; n++) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){n ? 1500 : 100000, limit.rlim_max});
        const int rc = timeline_write(file, &alone, span, n ? 10 : 10000);
        setrlimit(RLIMIT_FSIZE, &limit);
        cr_expect_eq(rc, SF_IO);
        cr_expect(strstr(sf_error_text(), file) && strstr(sf_error_text(), "File too large"), "%s", sf_error_text());
        sf_error_clear();
    }
    cr_expect_eq(directory_clear(), 1, "the file of before, and no part of the new one");
}
