/* What the common keys may not say together. SPDX-License-Identifier: MIT */
#include "pipeline/complaint.h"
#include "pipeline/config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct complaints to;

static struct config config_good(void)
{
    return (struct config){.case_name = "a-B_9", .time_start = "2000-01-01 00:00:00", .grid_dz = 1, .grid_dz_max = 1};
}

static const char *complaint_of(const struct config *c)
{
    memset(&to, 0, sizeof to);
    config_check(c, &to);
    return to.n ? to.list[0].text : "";
}

Test(config, dates)
{
    static const char *const good[] = {"2011-05-22 12:00:00", "2000-02-29 23:59:59", "1583-01-01 00:00:00",
                                       "9999-12-31 00:00:00"};
    static const char *const bad[] = {"",
                                      "2011-05-22",
                                      "2011-05-22T12:00:00",
                                      "2011-05-22 12:00",
                                      "2011-05-22 12:00:00Z",
                                      "2011-5-22 12:00:00",
                                      "2011-00-22 12:00:00",
                                      "2011-13-22 12:00:00",
                                      "2011-05-00 12:00:00",
                                      "2011-04-31 12:00:00",
                                      "2011-02-29 12:00:00",
                                      "1900-02-29 12:00:00",
                                      "2011-05-22 24:00:00",
                                      "2011-05-22 12:60:00",
                                      "2011-05-22 12:00:60",
                                      "1582-10-15 12:00:00",
                                      "22-05-2011 12:00:00"};
    struct config c = config_good();
    for (size_t n = 0; n < sizeof good / sizeof good[0]; n++) {
        snprintf(c.time_start, sizeof c.time_start, "%s", good[n]);
        cr_expect_str_eq(complaint_of(&c), "", "%s", good[n]);
    }
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
        snprintf(c.time_start, sizeof c.time_start, "%s", bad[n]);
        cr_expect(strstr(complaint_of(&c), "is no date"), "%s", bad[n]);
        cr_expect_str_eq(to.list[0].keys, "time%start");
    }
}

Test(config, all_at_once)
{
    struct config c = config_good();
    c.grid_dz_max = 0.5;
    snprintf(c.case_name, sizeof c.case_name, "a b");
    complaint_of(&c);
    cr_assert_eq(to.errors, 2);
    cr_expect(strstr(to.list[0].text, "dz_max") && strstr(to.list[1].text, "'a b'"));
    c = config_good();
    cr_expect_str_eq(complaint_of(&c), "");
    c.case_name[0] = '\0';
    cr_expect_str_eq(complaint_of(&c), "name must not be empty");
}
