/* Results of a model: files that are whole, shares of a reference run. SPDX-License-Identifier: MIT */
#include "io/spectra.h"
#include "pipeline/complaint.h"
#include "support_state.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FREQUENCIES = 3, MONITORS = 2, DEPTH = 4 };

static struct toy toy;
static struct spectra *spectra;
static double frequency[FREQUENCIES] = {1e9, 2e9, 3e9};
static const double depth[DEPTH] = {0, 1, 2, 4};
static const char *label[MONITORS] = {"in", "out-2"};
static double scale = 1, noise = 0;

/* [frequency][monitor], or [frequency][depth] */
static void values_fill(const struct result *r, int v, double *out)
{
    const char what = r->variable[v].name[0];
    const int n = what == 'p' ? DEPTH : MONITORS;
    for (int f = 0; f < FREQUENCIES; f++)
        for (int m = 0; m < n; m++)
            out[f * n + m] = what == 'p'   ? 100 * frequency[f] + depth[m]
                             : what == 'n' ? noise
                                           : scale * (f + 1) * (r->axis[1].label[m][0] == 'i' ? 10 : 3);
}

static int fill(const struct result *r, const struct state *st, double *const *out)
{
    (void)st;
    for (int v = 0; v < r->nvariables; v++)
        if (r->variable[v].share_of < 0) values_fill(r, v, out[v]);
    return SF_OK;
}

static struct result_axis axis[3] = {
    {.name = "frequency", .long_name = "frequency", .unit = "Hz", .n = FREQUENCIES, .value = frequency},
    {.name = "monitor", .long_name = "number", .unit = "1", .n = MONITORS, .label = label},
    {.name = "depth", .long_name = "depth", .unit = "m", .n = DEPTH, .value = depth}};
static const struct result_variable variable[] = {{"flux", "power", "W", "a comment", 2, {0, 1}, -1, NULL},
                                                  {"transmission", "share", "1", NULL, 2, {0, 1}, 0, "noise"},
                                                  {"profile", "a profile", "K", NULL, 2, {0, 2}, -1, NULL},
                                                  {"noise", "round-off of flux", "W", NULL, 2, {0, 1}, -1, NULL}};
static struct result_fact fact[] = {{.of = "horn", .name = "kind", .unit = "", .text = "electric"},
                                    {.of = "horn", .name = "position", .unit = "m", .n = 3, .value = {1, 0, -2}},
                                    {.of = "monitor_in", .name = "area", .unit = "m2", .n = 1, .value = {0.5}}};
enum { FACTS = sizeof fact / sizeof fact[0] };
static struct result result = {.file = "flux.nc",
                               .comment = "numbers",
                               .axis = axis,
                               .naxes = 3,
                               .variable = variable,
                               .nvariables = 4,
                               .fact = fact,
                               .nfacts = FACTS,
                               .fill = fill};

static void start(const char *reference)
{
    result.reference = reference;
    toy.in.result = &result;
    toy.in.nresults = 1;
    cr_assert_eq(spectra_open(&spectra, &toy.in, &toy.st, &toy.info), SF_OK, "%s", sf_error_text());
}

static void finish(double time)
{
    cr_assert_eq(spectra_write(spectra, &toy.st, time), SF_OK, "%s", sf_error_text());
    cr_assert_eq(writer_drain(toy.info.writer), SF_OK, "%s", sf_error_text());
    spectra_close(&spectra);
}

/* A reference run whose flux is twice as large, its monitors the other way round. */
static const char *reference_make(void)
{
    static char directory[512];
    static const struct result_variable own[] = {{"flux", "power", "W", NULL, 2, {0, 1}, -1, NULL},
                                                 {"noise", "round-off of flux", "W", NULL, 2, {0, 1}, -1, NULL}};
    const struct result kept = result;
    snprintf(directory, sizeof directory, "%s/reference", toy.directory);
    cr_assert_eq(mkdir(directory, 0777), 0);
    toy.info.directory = directory;
    scale = 2;
    label[0] = "out-2", label[1] = "in";
    result.variable = own, result.nvariables = 2;
    start(NULL);
    finish(1);
    toy.info.directory = toy.directory;
    scale = 1;
    label[0] = "in", label[1] = "out-2";
    result = kept;
    return directory;
}

static void reference_drop(void)
{
    unlink(toy_path(&toy, "reference/flux.nc"));
    rmdir(toy_path(&toy, "reference"));
}

Test(spectra, values_names_and_axes)
{
    toy_open(&toy, 5, 4, 3, -1);
    const char *const reference = reference_make();
    start(reference);
    finish(7.5);
    size_t n, e[4];
    double *v = toy_read(&toy, "flux.nc", "flux", &n, e);
    cr_assert(e[0] == FREQUENCIES && e[1] == MONITORS);
    cr_expect(v[0] == 10 && v[1] == 3 && v[4] == 30 && v[5] == 9);
    free(v);
    v = toy_read(&toy, "flux.nc", "transmission", &n, e);
    for (size_t m = 0; m < n; m++) cr_expect_eq(v[m], 0.5, "entry %zu is %g: monitors go by name", m, v[m]);
    free(v);
    v = toy_read(&toy, "flux.nc", "profile", &n, e);
    cr_expect(e[1] == DEPTH && v[DEPTH + 3] == 2e11 + 4);
    free(v);
    v = toy_read(&toy, "flux.nc", "frequency", &n, e);
    cr_expect(n == FREQUENCIES && v[2] == 3e9);
    free(v);
    v = toy_read(&toy, "flux.nc", "monitor", &n, e);
    cr_expect(n == MONITORS && v[0] == 1 && v[1] == 2);
    free(v);
    cr_expect_str_eq(toy_attribute(&toy, "flux.nc", "monitor", "flag_meanings"), "in out-2");
    cr_expect_str_eq(toy_attribute(&toy, "flux.nc", "flux", "units"), "W");
    cr_expect_str_eq(toy_attribute(&toy, "flux.nc", "flux", "comment"), "a comment");
    cr_expect_str_eq(toy_attribute(&toy, "flux.nc", NULL, "comment"), "numbers");
    cr_expect_str_eq(toy_attribute(&toy, "flux.nc", NULL, "Conventions"), "CF-1.11 SGRID-0.3");
    cr_expect_eq(toy_count(&toy, ".tmp."), 0);
    reference_drop();
    toy_close(&toy);
}

/* What a reference of fluxes 20, 40, 60 and 6, 12, 18 keeps where round-off may have put `off` into each: those of five
 * times as much, which round-off changes by a fifth at most. */
static void kept_of(double off, const int keeps[2], const char *told)
{
    static struct complaints to;
    to = (struct complaints){0};
    toy_open(&toy, 5, 4, 3, -1);
    noise = off;
    const char *const reference = reference_make();
    noise = 0;
    start(reference);
    finish(1);
    size_t n, e[4];
    double *v = toy_read(&toy, "flux.nc", "transmission", &n, e);
    cr_assert_eq(n, FREQUENCIES * MONITORS);
    for (int f = 0; f < FREQUENCIES; f++)
        for (int m = 0; m < MONITORS; m++)
            cr_expect_eq(v[f * MONITORS + m], f < FREQUENCIES - keeps[m] ? RESULT_NONE : 0.5, "round-off %g, %d %d: %g",
                         off, f, m, v[f * MONITORS + m]);
    free(v);
    cr_expect(strstr(toy_attribute(&toy, "flux.nc", "transmission", "comment"), "less than five times its noise"));
    result.reference = reference;
    cr_assert_eq(spectra_check(&toy.in, &to), SF_OK, "%s", sf_error_text());
    cr_expect_eq(to.warnings, told != NULL);
    if (told && to.n) cr_expect(strstr(to.list[0].text, told), "'%s' lacks '%s'", to.list[0].text, told);
    if (told && to.n) cr_expect_str_eq(to.list[0].keys, "spectrum%reference");
    reference_drop();
    toy_close(&toy);
}

Test(spectra, shares_of_round_off_are_left_out)
{
    kept_of(0, (const int[]){3, 3}, NULL);
    kept_of(1.19, (const int[]){3, 3}, NULL);
    kept_of(1.21, (const int[]){3, 2}, "monitor 'out-2' at 1 of 3 values of frequency");
    kept_of(2.4, (const int[]){3, 2}, "monitor 'out-2' at 1 of 3");
    kept_of(2.41, (const int[]){3, 1}, "monitor 'out-2' at 2 of 3");
    kept_of(5, (const int[]){2, 0}, "monitor 'in' at 1, 'out-2' at 3 of 3");
    kept_of(RESULT_NONE, (const int[]){0, 0}, "monitor 'in' at 3, 'out-2' at 3 of 3"); /* nothing is known of it */
}

Test(spectra, written_anew)
{
    toy_open(&toy, 5, 4, 3, -1);
    static const struct result_variable plain[] = {{"flux", "power", "W", NULL, 2, {0, 1}, -1, NULL}};
    result.variable = plain, result.nvariables = 1;
    start("");
    cr_assert_eq(spectra_write(spectra, &toy.st, 1), SF_OK);
    scale = 5;
    finish(2);
    size_t n, e[4];
    double *v = toy_read(&toy, "flux.nc", "flux", &n, e);
    cr_expect(v[0] == 50, "%g", v[0]);
    free(v);
    toy_close(&toy);
}

/* A writer that failed once stays so: each refusal has its own. */
static void refused(const char *reference, const char *why)
{
    result.reference = reference;
    toy.in.result = &result;
    toy.in.nresults = 1;
    cr_assert_eq(spectra_open(&spectra, &toy.in, &toy.st, &toy.info), SF_INPUT, "accepted: %s", why);
    cr_expect(strstr(sf_error_text(), why), "'%s' lacks '%s'", sf_error_text(), why);
    cr_expect_null(spectra);
    sf_error_clear();
    cr_assert_eq(writer_close(&toy.info.writer), SF_INPUT);
    sf_error_clear();
    cr_assert_eq(writer_open(&toy.info.writer), SF_OK);
}

Test(spectra, references_that_do_not_fit_are_refused)
{
    toy_open(&toy, 5, 4, 3, -1);
    const char *const reference = reference_make();
    refused(toy.directory, "cannot be read");
    label[1] = "elsewhere";
    refused(reference, "elsewhere");
    label[1] = "out";
    refused(reference, "out"); /* no more than the beginning of a name */
    label[1] = "out-2";
    frequency[1] = 2.1e9;
    refused(reference, "other values of 'frequency': number 2 is 2e+09 Hz there, 2.1e+09 Hz here");
    frequency[1] = 2e9;
    axis[0].n = 2;
    refused(reference, "other values of 'frequency', 3 of them, and this run has 2");
    axis[0].n = FREQUENCIES;
    frequency[1] = 2e9 * (1 + 1e-12); /* the same number by another way */
    start(reference);
    spectra_close(&spectra);
    frequency[1] = 2e9;
    cr_assert_eq(truncate(toy_path(&toy, "reference/flux.nc"), 700), 0);
    refused(reference, "flux.nc");
    reference_drop();
    toy_close(&toy);
}

/* Facts: by value, by text, by their names; whatever else the file has is its own. */
Test(spectra, references_of_other_facts_are_refused)
{
    toy_open(&toy, 5, 4, 3, -1);
    const char *const reference = reference_make();
    cr_expect_str_eq(toy_attribute(&toy, "reference/flux.nc", "horn", "kind"), "electric");
    cr_expect_str_eq(toy_attribute(&toy, "reference/flux.nc", "horn", "position_units"), "m");
    cr_expect_str_eq(toy_attribute(&toy, "reference/flux.nc", "monitor_in", "area_units"), "m2");
    strcpy(fact[0].text, "magnetic");
    refused(reference, "horn: kind is 'electric' there, 'magnetic' here; a reference has the mesh");
    strcpy(fact[0].text, "electric");
    fact[1].value[1] = 1e-3;
    refused(reference, "horn: position is 1, 0, -2 m there, 1, 0.001, -2 m here");
    fact[1].value[1] = 1e-12; /* beside a place 2 m away */
    start(reference);
    spectra_close(&spectra);
    fact[1].value[1] = 0;
    fact[1].n = 2;
    refused(reference, "horn has no position of 2 numbers there");
    fact[1].n = 3;
    fact[2].value[0] = 0.25;
    refused(reference, "monitor_in: area is 0.5 m2 there, 0.25 m2 here");
    fact[2].value[0] = 0.5;
    fact[2].name = "size";
    refused(reference, "monitor_in has no size");
    fact[2].name = "area";
    strcpy(fact[2].of, "monitor_far");
    refused(reference, "it has no 'monitor_far'");
    strcpy(fact[2].of, "monitor_in");
    result.nfacts = 1; /* of fewer facts here the rest does not count */
    start(reference);
    spectra_close(&spectra);
    result.nfacts = FACTS;
    reference_drop();
    result.nfacts = 0;
    reference_make();
    result.nfacts = FACTS;
    refused(reference, "an earlier version wrote it");
    reference_drop();
    toy_close(&toy);
}
