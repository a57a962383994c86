/* Numbers that were measured once: kept by key, found again, and never in the way. SPDX-License-Identifier: MIT */
#include "command/cache.h"
#include "command/tune.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[] = "/tmp/sferic-cache-XXXXXX";

static void begin(void)
{
    cr_assert_neq(mkdtemp(place), NULL);
    setenv("XDG_CACHE_HOME", place, 1);
}

static void end(void)
{
    char path[256];
    snprintf(path, sizeof path, "rm -rf %s", place);
    cr_assert_eq(system(path), 0);
}

TestSuite(cache, .init = begin, .fini = end);

Test(cache, keeps_what_it_is_given)
{
    const double a[3] = {1.5e13, 0, -2.0 / 3}, b[3] = {4, 5, 6};
    double got[3] = {0};
    cr_expect_eq(cache_get("one key", got, 3), 0, "nothing is there yet");
    cache_put("one key", a, 3);
    cache_put("one", b, 3);
    cr_assert_eq(cache_get("one key", got, 3), 1);
    for (int n = 0; n < 3; n++) cr_expect_float_eq(got[n], a[n], 1e-14);
    cache_put("one key", b, 3);
    cr_assert_eq(cache_get("one key", got, 3), 1);
    cr_expect_float_eq(got[0], 4, 1e-12, "the new in place of the old");
    cr_assert_eq(cache_get("one", got, 3), 1);
    cr_expect_float_eq(got[2], 6, 1e-12, "other keys stay");
    cr_expect_eq(cache_get("one key", got, 2), 0, "three numbers are not two");
    cr_expect_eq(cache_get("on", got, 3), 0, "the beginning of a key is another key");
}

static void file_write(const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/sferic", place);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/sferic/measured", place);
    FILE *f = fopen(path, "w");
    cr_assert_neq(f, NULL);
    fputs(text, f);
    fclose(f);
}

Test(cache, what_is_broken_is_not_there)
{
    double got[2] = {0};
    file_write("key\t 1 oops\nkey\nother\t 3 4\nlast\t 7");
    cr_expect_eq(cache_get("key", got, 2), 0);
    cr_expect_eq(cache_get("last", got, 2), 0);
    cr_expect_eq(cache_get("other", got, 2), 1);
    const double good[2] = {1, 2};
    cache_put("key", good, 2);
    cr_expect_eq(cache_get("key", got, 2), 1);
    cr_expect_eq(cache_get("other", got, 2), 1);
}

Test(cache, nowhere_to_write_is_no_failure)
{
    const double a[1] = {1};
    double got[1] = {0};
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    cache_put("key", a, 1);
    cr_expect_eq(cache_get("key", got, 1), 0);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "relative", 1);
    cache_put("key", a, 1);
    cr_expect_eq(cache_get("key", got, 1), 0);
    setenv("HOME", place, 1); /* made below it */
    cache_put("key", a, 1);
    cr_expect_eq(cache_get("key", got, 1), 1);
}

/* ---- shapes of kernels ------------------------------------------------------------------------------------------- */

static const struct device_figures *device(void)
{
    static const struct device_figures d = {.name = "a device"};
    return &d;
}

static const struct backend backend = {.name = "toy", .is_device = 1, .device = device};
static void first_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    (void)s, (void)b, (void)c, (void)stream;
}
static void other_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    (void)s, (void)b, (void)c, (void)stream;
}
static const struct stage stages[] = {{.name = "s", .launch = first_launch},
                                      {.name = "t", .launch = first_launch},
                                      {.name = "u", .launch = other_launch},
                                      {.name = "host"}};
static const struct candidate shapes[] = {{.name = "one"}, {.name = "two"}, {.name = "three"}};
static const struct tunable all = {first_launch, shapes, 3}, some = {first_launch, shapes, 2};
static const struct model model = {.name = "toy", .stage = stages, .nstages = 4, .tunable = &all, .ntunables = 1},
                          fewer = {.name = "toy", .stage = stages, .nstages = 4, .tunable = &some, .ntunables = 1};

Test(cache, shapes_are_found_by_size)
{
    enum { S, T, U, HOST };
    cr_expect_eq(tune_find(&backend, &model, S, 1e6), TUNE_NONE);
    cr_expect_eq(tunable_of(&model, T), &all);
    cr_expect_null(tunable_of(&model, U), "a launch of one shape");
    cr_expect_null(tunable_of(&model, HOST));
    cr_expect_eq(tune_find(&backend, &model, HOST, 1e6), TUNE_NONE);
    tune_keep(&backend, &model, S, 1 << 18, 1);
    tune_keep(&backend, &model, S, 1 << 25, 2);
    cr_expect_eq(tune_find(&backend, &model, S, 1 << 18), 1);
    cr_expect_eq(tune_find(&backend, &model, S, 300000), 1);
    cr_expect_eq(tune_find(&backend, &model, S, 1 << 25), 2);
    cr_expect_eq(tune_find(&backend, &model, S, 1), 1, "the nearest");
    cr_expect_eq(tune_find(&backend, &model, S, 1e12), 2);
    cr_expect_eq(tune_find(&backend, &model, T, 1 << 18), TUNE_NONE);
    cr_expect_eq(tune_find(&backend, &fewer, S, 1 << 18), TUNE_NONE, "candidates of another program");
    tune_keep(&backend, &model, S, 1 << 18, -1);
    cr_expect_eq(tune_find(&backend, &model, S, 1 << 18), -1, "the stage's own pick");
}
