/* Keys that count for nothing: by one choice, by several rows, by what a list's element is, by what is given beside.
 * SPDX-License-Identifier: MIT */
#include "pipeline/complaint.h"
#include "pipeline/params.h"
#include "pipeline/uses.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define KEYS                                                                                                           \
    PARAM(side, west, CHOICE, "'wall'", 1, 0, "wall open", "", "")                                                     \
    PARAM(side, east, CHOICE, "'wall'", 1, 0, "wall open", "", "")                                                     \
    PARAM(side, speed, REAL, "25", 0, 400, NULL, "", "")                                                               \
    PARAM(ground, drag, CHOICE, "'none'", 1, 0, "none rough smooth", "", "")                                           \
    PARAM(ground, heat, CHOICE, "'none'", 1, 0, "none warm", "", "")                                                   \
    PARAM(ground, length, REAL, "0.1", 0, 10, NULL, "", "")                                                            \
    PARAM(ground, file, STRING, "''", 1, 0, NULL, "", "")                                                              \
    PARAM(ground, file_time, REAL, "-1", -1, 1, NULL, "", "")                                                          \
    PARAM(ground, count, INT, "3", 0, 9, NULL, "", "")                                                                 \
    PARAM(ground, wet, LOGICAL, ".true.", 1, 0, NULL, "", "")                                                          \
    ENTRIES(wave, kind, CHOICE, 4, "'none'", 1, 0, "none dipole mode", "", "")                                         \
    ENTRIES(wave, order, INT, 4, "1", 0, 9, NULL, "", "")                                                              \
    PARAM(pulse, height, REAL, "1", 0, 9, NULL, "", "")                                                                \
    PARAMS(wave, times, REAL, 3, "0", 0, 9, NULL, "", "")

struct params {
#define PARAM SF_PARAM_MEMBER
#define PARAMS SF_PARAMS_MEMBER
#define ENTRIES SF_PARAMS_MEMBER
    KEYS
#undef PARAM
#undef PARAMS
#undef ENTRIES
};

#define SF_PARAM_STRUCT struct params
#define PARAM SF_PARAM_ROW
#define PARAMS SF_PARAMS_ROW
#define ENTRIES SF_ENTRIES_ROW
static const struct param table[] = {KEYS};
static const struct model model = {.param = table, .nparams = (int)(sizeof table / sizeof table[0])};

static const struct param_use use[] = {
    {"side%speed", "side%west side%east", "open", NULL, NULL},
    {"ground%length", "ground%drag", "rough", NULL, NULL},
    {"ground%length", "ground%drag", "smooth", "ground%heat", "warm"},
    {"ground%file_time", "ground%file", NULL, NULL, NULL},
    {"ground%count", "ground%wet", NULL, NULL, NULL},
    {"wave%order", "wave%kind", "mode", NULL, NULL},
    {"pulse%height", "wave%kind", "dipole mode", NULL, NULL},
    {"wave%times", "ground%wet", NULL, NULL, NULL},
};

static int all_given(const void *names, const char *group, const char *key)
{
    return (void)key, names ? 0 : strcmp(group, "wave") ? 1 : 3;
}

static const struct params initial = {.side_speed = 25,
                                      .ground_length = 0.1,
                                      .ground_file_time = -1,
                                      .ground_count = 3,
                                      .ground_wet = 1,
                                      .wave_order = {1, 1, 1, 1},
                                      .pulse_height = 1};

static struct complaints to;

static int told(const struct params *p)
{
    to = (struct complaints){0};
    param_uses_check(&model, p, use, (int)(sizeof use / sizeof use[0]), all_given, NULL, &to);
    cr_assert_eq(to.errors, 0);
    return to.warnings;
}

Test(uses, defaults_and_what_is_not_given_are_not_told)
{
    struct params p = initial;
    cr_expect_eq(told(&p), 0, "%s", to.list[0].text);
    p.side_speed = 30;
    param_uses_check(&model, &p, use, (int)(sizeof use / sizeof use[0]), all_given, &p, &to);
    cr_expect_eq(to.warnings, 0);
}

Test(uses, any_of_several_keys)
{
    struct params p = initial;
    p.side_speed = 30;
    cr_assert_eq(told(&p), 1);
    cr_expect_str_eq(to.list[0].keys, "side%speed side%west");
    cr_expect_str_eq(to.list[0].text,
                     "speed changes nothing here: it counts with &side west = 'open'; leave it out, or set that");
    p.side_east = 1;
    cr_expect_eq(told(&p), 0);
}

Test(uses, rows_of_one_key_and_a_second_condition)
{
    struct params p = initial;
    p.ground_length = 0.2;
    for (int drag = 0; drag < 3; drag++)
        for (int heat = 0; heat < 2; heat++) {
            p.ground_drag = drag, p.ground_heat = heat;
            cr_expect_eq(told(&p), !(drag == 1 || (drag == 2 && heat == 1)), "drag %d heat %d", drag, heat);
        }
    p.ground_drag = p.ground_heat = 0;
    told(&p);
    cr_expect_str_eq(to.list[0].text,
                     "length changes nothing here: it counts with &ground drag = 'rough', or with &ground drag = "
                     "'smooth' and &ground heat = 'warm'; leave it out, or set that");
}

Test(uses, what_is_given_beside)
{
    struct params p = initial;
    p.ground_file_time = 0;
    cr_assert_eq(told(&p), 1);
    cr_expect_str_eq(to.list[0].text,
                     "file_time changes nothing here: it counts with &ground file; leave it out, or set that");
    strcpy(p.ground_file, "a.nc");
    cr_expect_eq(told(&p), 0);
    p = initial;
    p.ground_count = 4;
    cr_expect_eq(told(&p), 1, "a logical at its default");
    p.ground_wet = 0;
    cr_expect_eq(told(&p), 0);
}

Test(uses, elements_of_a_list)
{
    struct params p = initial;
    const int kind[] = {2, 1, 0, 1}, order[] = {5, 5, 5, 5}; /* the fourth is not given, the third is switched off */
    memcpy(p.wave_kind, kind, sizeof kind), memcpy(p.wave_order, order, sizeof order);
    cr_assert_eq(told(&p), 1);
    cr_expect_eq(to.list[0].index, 1);
    p = initial;
    p.pulse_height = 2;
    cr_assert_eq(told(&p), 1);
    cr_expect_eq(to.list[0].index, -1);
    p.wave_kind[1] = 2; /* any of a list that the key is not of */
    cr_expect_eq(told(&p), 0);
}

Test(uses, arrays_are_told_once)
{
    struct params p = initial;
    p.wave_times[1] = 2, p.wave_times[2] = 3;
    cr_assert_eq(told(&p), 1);
    cr_expect_str_eq(to.list[0].keys, "wave%times ground%wet");
    p.ground_wet = 0;
    cr_expect_eq(told(&p), 0);
}
