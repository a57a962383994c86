/* A schema with every type, ranges, arrays, a key named like a value and derived-type spellings, for the
 * tests of the namelist reader and for its fuzzer.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <limits.h>
#include <string.h>

#include "io/namelist.h"

struct test_block {
    int nx, nz, restart, t, steps, scheme, flags[4], every[3], modes[3];
    double dx, top, position[3], levels[5], x[3], scale;
    int side[3];
    char title[32], label[8], fields[6][16], name[3][8];
};

struct test_wave {
    double peak, width[3];
    int kind;
};

#define ROW(block, group, key, member, type, count, initial, min, max, choices, unit, meaning)                         \
    {                                                                                                                  \
        group, key, type, offsetof(struct block, member), sizeof(((struct block *)0)->member) / count, count, initial, \
            min, max, choices, unit, meaning, 0                                                                        \
    }
#define ENTRY_B(group, member, type, count, initial, min, max, choices, unit, meaning)                                 \
    {                                                                                                                  \
        group, #member, type, offsetof(struct test_block, member), sizeof(((struct test_block *)0)->member) / count,   \
            count, initial, min, max, choices, unit, meaning, 1                                                        \
    }
#define ROW_B(group, member, ...) ROW(test_block, group, #member, member, __VA_ARGS__)

static const struct param test_table[] = {
    ROW_B("grid", nx, PARAM_INT, 1, "128", 1, 4096, NULL, "1", "Cells west-east."),
    ROW_B("grid", nz, PARAM_INT, 1, "64", 2, 512, NULL, "1", "Levels."),
    ROW_B("grid", dx, PARAM_REAL, 1, "1000", 1e-9, 1e6, NULL, "m", "Grid spacing west-east."),
    ROW_B("grid", top, PARAM_REAL, 1, "2d4", 1, 0, NULL, "m", "Height of the lid."),
    ROW_B("grid", position, PARAM_REAL, 3, "0", 1, 0, NULL, "m", "Place of the centre."),
    ROW_B("grid", levels, PARAM_REAL, 5, "10., 20., 30.", 0, 1e5, NULL, "m", "Heights."),
    ROW_B("run", title, PARAM_STRING, 1, "'untitled'", 1, 0, NULL, "", "Goes into every file."),
    ROW_B("run", label, PARAM_STRING, 1, "", 1, 0, NULL, "", "A short word."),
    ROW_B("run", scheme, PARAM_CHOICE, 1, "'rk3'", 1, 0, "euler rk2 rk3 leapfrog", "", "Time scheme."),
    ROW_B("run", restart, PARAM_LOGICAL, 1, ".false.", 1, 0, NULL, "", "Go on from a checkpoint."),
    ROW_B("run", steps, PARAM_INT, 1, "100", 0, INT_MAX, NULL, "1", "Time steps."),
    ROW_B("run", flags, PARAM_LOGICAL, 4, ".true., .false.", 1, 0, NULL, "", "Four switches."),
    ROW_B("run", t, PARAM_LOGICAL, 1, "f", 1, 0, NULL, "", "A key named like a value."),
    ROW_B("output", fields, PARAM_STRING, 6, "", 1, 0, NULL, "", "Names of the fields to write."),
    ROW_B("output", every, PARAM_INT, 3, "1", -5, 5, NULL, "1", "Steps between outputs."),
    ROW_B("output", modes, PARAM_CHOICE, 3, "none", 1, 0, "none mean peak", "", "What is taken over time."),
    ROW_B("part", scale, PARAM_REAL, 1, "1", 1, 0, NULL, "1", "Of all parts."),
    ENTRY_B("part", name, PARAM_STRING, 3, "''", 1, 0, NULL, "", "Of each part."),
    ENTRY_B("part", x, PARAM_REAL, 3, "0", -10, 10, NULL, "m", "Place of each part."),
    ENTRY_B("part", side, PARAM_CHOICE, 3, "'left'", 1, 0, "left right", "", "Side of each part."),
};

static const struct param test_wave_table[] = {
    ROW(test_wave, "source", "wave%peak", peak, PARAM_REAL, 1, "1", 0, 1e300, NULL, "V m-1", "Amplitude."),
    ROW(test_wave, "source", "wave%width", width, PARAM_REAL, 3, "1e-15", 1, 0, NULL, "s", "Lengths of the pulses."),
    ROW(test_wave, "source", "kind", kind, PARAM_INT, 1, "0", 0, 9, NULL, "1", "Which waveform."),
};

static const struct renamed test_renamed[] = {
    {"grid%ni", "grid%nx"}, {"run%verbose", NULL}, {"mesh", "grid"}, {"old", NULL}};

struct test_params {
    struct test_block block;
    struct test_wave wave;
    struct schema schema;
};

/* Fill with defaults; ends with namelist_free(&p->schema). */
static inline int test_params_init(struct test_params *p)
{
    memset(p, 0, sizeof *p);
    p->schema = (struct schema){
        .part = {{test_table, (int)(sizeof test_table / sizeof *test_table), &p->block, NULL},
                 {test_wave_table, (int)(sizeof test_wave_table / sizeof *test_wave_table), &p->wave, NULL}},
        .nparts = 2,
        .renamed = test_renamed,
        .nrenamed = (int)(sizeof test_renamed / sizeof *test_renamed),
    };
    return namelist_defaults(&p->schema);
}

static inline int test_params_same(const struct test_params *a, const struct test_params *b)
{
    return !memcmp(&a->block, &b->block, sizeof a->block) && !memcmp(&a->wave, &b->wave, sizeof a->wave);
}
