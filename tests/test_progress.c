/* What a user sees of the run's course. SPDX-License-Identifier: MIT */
#include "io/progress.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Test(progress, seconds_read_well)
{
    static const struct {
        double s;
        const char *text;
    } want[] = {{0, "0.000 s"},
                {0.35, "0.350 s"},
                {0.9996, "1.0 s"},
                {12.34, "12.3 s"},
                {59.94, "59.9 s"},
                {59.96, "1 min 00 s"},
                {245, "4 min 05 s"},
                {3599.4, "59 min 59 s"},
                {3599.6, "1 h 00 min"},
                {7380, "2 h 03 min"},
                {86399, "1 d 00 h"},
                {3 * 86400 + 4 * 3600, "3 d 04 h"},
                {-1, "?"},
                {NAN, "?"},
                {INFINITY, "?"},
                {1e300, "?"}};
    char text[32];
    for (size_t n = 0; n < sizeof want / sizeof *want; n++)
        cr_expect_str_eq(progress_seconds(text, sizeof text, want[n].s), want[n].text, "%g s gave %s", want[n].s, text);
}

static const struct progress about = {.begin = 100, .end = 900, .headline = "max w", .unit = "m/s"};

Test(progress, a_line_tells_rates_and_the_time_left)
{
    const struct progress_state now = {.time = 300, .step = 50, .headline = 12.345, .courant = 0.613};
    char text[256];
    progress_line(text, sizeof text, &about, &now, 40, 20, 0, 0, 0);
    static const char *const part[] = {"step 50 ",     " 25 %",    "5 min 00 s of 15 min 00 s", "ETA 1 min 00 s",
                                       "2.00 steps/s", "10.0 s/s", "max w 12.35 m/s",           "Courant 0.61"};
    for (size_t n = 0; n < sizeof part / sizeof *part; n++) cr_expect(strstr(text, part[n]), "%s: %s", part[n], text);
    cr_expect(!strchr(text, '\033') && !strchr(text, '['));
}

Test(progress, nothing_known_is_nothing_said)
{
    const struct progress_state now = {.time = 100, .headline = NAN, .courant = NAN};
    char text[256];
    progress_line(text, sizeof text, &about, &now, 0, 0, 0, 0, 0);
    cr_expect(strstr(text, "ETA ?") && strstr(text, "? steps/s") && !strstr(text, "max w") && !strstr(text, "Courant"));
    const struct progress still = {.begin = 5, .end = 5, .headline = "", .unit = ""};
    progress_line(text, sizeof text, &still, &now, 0, 1, 0, 0, 0);
    cr_expect(strstr(text, "100 %") && strstr(text, "ETA 0.000 s"), "%s", text);
}

Test(progress, a_bar_fits_its_terminal)
{
    char text[512];
    for (int columns = 1; columns < 200; columns++)
        for (int percent = 0; percent <= 110; percent += 10) {
            const struct progress_state now = {.time = 100 + 8.0 * percent, .step = 5, .headline = 1, .courant = 1};
            progress_line(text, sizeof text, &about, &now, 5, 1, 1, columns, 0);
            cr_assert(strlen(text) < (size_t)columns || columns < 3, "%d columns: %s", columns, text);
        }
    const struct progress_state half = {.time = 500, .step = 5, .headline = NAN, .courant = NAN};
    progress_line(text, sizeof text, &about, &half, 5, 1, 1, 100, 0);
    cr_expect(!strncmp(text, "[============>           ] ", 27), "%s", text);
    progress_line(text, sizeof text, &about, &half, 5, 1, 1, 100, 1);
    cr_expect_not_null(strchr(text, '\033'));
}

/* What begin, many steps and end write to something that is no terminal. */
static char *written(int rank, int quiet)
{
    static char text[4096];
    memset(text, 0, sizeof text);
    FILE *to = tmpfile();
    struct progress p = about;
    p.rank = rank;
    p.quiet = quiet;
    p.to = to;
    progress_begin(&p, 0);
    for (long n = 1; n <= 100000; n++)
        progress_step(
            &(struct progress_state){.time = 100 + 0.008 * (double)n, .step = n, .headline = 1, .courant = 0.5});
    progress_clear();
    progress_end();
    rewind(to);
    cr_assert_lt(fread(text, 1, sizeof text - 1, to), sizeof text - 1);
    fclose(to);
    return text;
}

Test(progress, few_plain_lines_where_it_is_no_terminal)
{
    const char *text = written(0, 0);
    cr_expect(!strncmp(text, "sferic: step 100000  100 %", 26), "%s", text);
    cr_expect_eq(strchr(text, '\n'), text + strlen(text) - 1, "more than the last line within a second:\n%s", text);
    cr_expect(!strchr(text, '\r') && !strchr(text, '\033'));
    cr_expect_str_empty(written(0, 1));
    cr_expect_str_empty(written(1, 0));
}
