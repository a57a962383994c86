/* Series, profiles and probes: values to the last bit, and files that a restarted run goes on with.
 * SPDX-License-Identifier: MIT */
#include "io/journal.h"
#include "io/sample.h"
#include "io/series.h"
#include "support_state.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NX = 7, NY = 5, NZ = 3 };

static struct toy toy;
static struct series *series;

static void open_series(int probes, const double *resume)
{
    cr_assert_eq(series_open(&series, &toy.in, &toy.st, &toy.info, probes, resume), SF_OK, "%s", sf_error_text());
}

static void add_at(double time)
{
    const double values[] = {time / 3, -time};
    toy_fill(&toy, time);
    cr_assert_eq(series_add(series, &toy.in, &toy.st, time, values), SF_OK, "%s", sf_error_text());
}

static void close_series(void) { cr_assert_eq(series_close(&series, &toy.st), SF_OK, "%s", sf_error_text()); }

/* The series holds entries of exactly these times. */
static void check_times(const char *file, size_t entries, const double *times)
{
    size_t n, e[4];
    double *v = toy_read(&toy, file, "time", &n, e);
    cr_assert_eq(n, entries, "%s has %zu entries, not %zu", file, n, entries);
    cr_assert(!memcmp(v, times, n * sizeof *v), "%s has other times", file);
    free(v);
}

static void check_values(size_t entries, const double *times)
{
    size_t n, e[4];
    check_times("series.nc", entries, times);
    double *v = toy_read(&toy, "series.nc", "w_max", &n, e);
    for (size_t m = 0; m < n; m++) cr_assert_eq(v[m], times[m] / 3);
    free(v);
    v = toy_read(&toy, "series.nc", "mass", &n, e);
    for (size_t m = 0; m < n; m++) cr_assert_eq(v[m], -times[m]);
    free(v);
}

Test(series, values)
{
    double times[200];
    toy_open(&toy, NX, NY, NZ, -1);
    open_series(0, NULL);
    for (int n = 0; n < 200; n++) add_at(times[n] = n * 2.5);
    close_series();
    check_values(200, times);
    cr_expect_str_eq(toy_attribute(&toy, "series.nc", "w_max", "units"), "m s-1");
    cr_expect_str_eq(toy_attribute(&toy, "series.nc", "time", "units"), "seconds since 2011-05-22 12:00:00");
    cr_expect_str_eq(toy_attribute(&toy, "series.nc", NULL, "Conventions"), "CF-1.11 SGRID-0.3");
    cr_expect(!toy_exists(&toy, "probes.nc"));
    cr_expect_eq(toy_count(&toy, ".tmp."), 0);
    toy_close(&toy);
}

Test(series, written_when_asked_and_only_then)
{
    toy_open(&toy, NX, NY, NZ, -1);
    open_series(0, NULL);
    add_at(0);
    add_at(1);
    cr_assert_eq(writer_drain(toy.info.writer), SF_OK);
    cr_assert(!toy_exists(&toy, "series.nc"));
    cr_assert_eq(series_write(series), SF_OK);
    cr_assert_eq(writer_drain(toy.info.writer), SF_OK);
    check_values(2, (double[]){0, 1});
    unlink(toy_path(&toy, "series.nc"));
    cr_assert_eq(series_write(series), SF_OK);
    cr_assert_eq(writer_drain(toy.info.writer), SF_OK);
    cr_assert(!toy_exists(&toy, "series.nc"), "nothing new, nothing to write");
    add_at(2);
    close_series();
    check_values(3, (double[]){0, 1, 2});
    toy_close(&toy);
}

Test(series, entries_from_a_time_on_are_replaced)
{
    toy_open(&toy, NX, NY, NZ, -1);
    open_series(0, NULL);
    for (int n = 0; n < 5; n++) add_at(n);
    add_at(2);
    add_at(2.5);
    close_series();
    check_values(4, (double[]){0, 1, 2, 2.5});
    check_times("profiles.nc", 4, (double[]){0, 1, 2, 2.5});
    toy_close(&toy);
}

Test(series, profiles_are_means_in_one_order)
{
    toy_open(&toy, NX, NY, NZ, -1);
    strcpy(toy.config.output_fields[0], "hidden"); /* shown besides the model's own choice */
    open_series(0, NULL);
    add_at(0);
    add_at(0.1);
    close_series();
    for (int which = 0; which < 3; which++) {
        static const char *const name[] = {"theta", "u_c", "hidden"};
        size_t n, e[4];
        double *v = toy_read(&toy, "profiles.nc", name[which], &n, e);
        cr_assert(e[0] == 2 && e[1] == NZ);
        for (int k = 0; k < NZ; k++) {
            double sum = 0;
            for (int j = 0; j < NY; j++) {
                double row = 0;
                for (int i = 0; i < NX; i++)
                    row += which == 1 ? toy_u_centre(j, k, i, 0.1) : (which ? -1 : 1) * toy_theta(j, k, i, 0.1);
                sum += row;
            }
            const double want = sum / (NX * NY);
            cr_assert(!memcmp(&v[NZ + k], &want, sizeof want), "%s level %d: %.17g, not %.17g", name[which], k,
                      v[NZ + k], want);
        }
        free(v);
    }
    size_t n, e[4];
    double *z = toy_read(&toy, "profiles.nc", "z", &n, e);
    cr_assert(n == NZ && !memcmp(z, toy.grid.z_c, n * sizeof *z));
    free(z);
    toy_close(&toy);
}

Test(series, profiles_on_request_only)
{
    toy_open(&toy, NX, NY, NZ, -1);
    toy.config.output_profiles = 0;
    open_series(0, NULL);
    add_at(0);
    close_series();
    cr_expect(toy_exists(&toy, "series.nc") && !toy_exists(&toy, "profiles.nc"));
    toy_close(&toy);
}

static void probe_put(int n, double x, double y, double z)
{
    toy.config.output_probe_x[n] = x;
    toy.config.output_probe_y[n] = y;
    toy.config.output_probe_z[n] = z;
}

/* theta of the toy is linear in i, j and k: interpolation must find it anywhere between. */
Test(series, probes)
{
    toy_open(&toy, NX, NY, NZ, -1);
    toy.config.output_profiles = 0;
    const double *z = toy.grid.z_c;
    probe_put(0, -1000 + 2.5 * 100, 3.5 * 250, z[1]); /* centre of cell 2 3 1 */
    probe_put(1, -1000 + 4.0 * 100, 1.75 * 250, 0.75 * z[0] + 0.25 * z[1]); /* i 3.5, j 1.25, k 0.25 */
    probe_put(2, -1000, 0, 0); /* a corner: cell 0 0 0 */
    probe_put(3, -1000 + 7 * 100, 5 * 250, toy.grid.top); /* the opposite one: 6 4 2 */
    open_series(4, NULL);
    add_at(0);
    add_at(5);
    close_series();
    size_t n, e[4];
    double *v = toy_read(&toy, "probes.nc", "theta", &n, e);
    cr_assert(e[0] == 2 && e[1] == 4, "theta is (time, probe)");
    cr_expect_eq(v[4 + 0], (double)toy_theta(3, 1, 2, 5), "at a centre the value is the cell's");
    const double want = (1.25 * 1009 + 0.25 * 101 + 3.5) / 3 + 5;
    cr_expect(fabs(v[4 + 1] - want) < 1e-4, "%.9g, not %.9g", v[4 + 1], want);
    cr_expect_eq(v[4 + 2], (double)toy_theta(0, 0, 0, 5));
    cr_expect_eq(v[4 + 3], (double)toy_theta(4, 2, 6, 5));
    free(v);
    v = toy_read(&toy, "probes.nc", "u_c", &n, e);
    cr_expect_eq(v[0], (double)toy_u_centre(3, 1, 2, 0));
    free(v);
    v = toy_read(&toy, "probes.nc", "probe_y", &n, e);
    cr_expect(n == 4 && v[0] == 875 && v[2] == 0);
    free(v);
    v = toy_read(&toy, "probes.nc", "probe_z", &n, e);
    cr_expect(n == 4 && v[0] == z[1]);
    free(v);
    toy_close(&toy);
}

Test(series, probe_outside)
{
    toy_open(&toy, NX, NY, NZ, -1);
    probe_put(0, 0, 0, 0);
    probe_put(1, -500, 1300, 0);
    static struct complaints to;
    sample_check(&toy.grid, &toy.config, 1, &to);
    cr_assert(to.errors == 1 && to.list[0].index == 0 && !strncmp(to.list[0].keys, "output%probe_x ", 15));
    cr_expect(strstr(to.list[0].text, "probe 1"), "%s", to.list[0].text);
    probe_put(0, -500, 0, 0);
    probe_put(2, toy.grid.x0, 0, toy.grid.top); /* the edges belong to the domain */
    sample_check(&toy.grid, &toy.config, 3, &to);
    cr_assert(to.errors == 2 && to.list[1].index == 1 && !strncmp(to.list[1].keys, "output%probe_y ", 15));
    cr_expect(strstr(to.list[1].text, "probe 2"), "%s", to.list[1].text);
    toy_close(&toy);
}

Test(series, restart_goes_on)
{
    toy_open(&toy, NX, NY, NZ, -1);
    probe_put(0, -500, 500, 100);
    open_series(1, NULL);
    for (int n = 0; n < 6; n++) add_at(n);
    close_series();
    open_series(1, (double[]){3}); /* of a checkpoint at 3 s: what came later is computed again */
    add_at(3.5);
    add_at(4.5);
    close_series();
    const double times[] = {0, 1, 2, 3, 3.5, 4.5};
    check_values(6, times);
    check_times("profiles.nc", 6, times);
    check_times("probes.nc", 6, times);
    for (int which = 0; which < 2; which++) { /* old and new entries are those of an unbroken run */
        const char *file = which ? "probes.nc" : "profiles.nc";
        size_t n, e[4], m;
        double *split = toy_read(&toy, file, "theta", &n, e);
        char whole[512];
        snprintf(whole, sizeof whole, "%s/unbroken", toy.directory);
        cr_assert_eq(mkdir(whole, 0777), 0);
        toy.info.directory = whole;
        open_series(1, NULL);
        for (int k = 0; k < 6; k++) add_at(times[k]);
        close_series();
        char name[64];
        snprintf(name, sizeof name, "unbroken/%s", file);
        double *unbroken = toy_read(&toy, name, "theta", &m, e);
        cr_assert(n == m && !memcmp(split, unbroken, n * sizeof *split), "%s differs from that of one run", file);
        free(split);
        free(unbroken);
        static const char *const files[] = {"unbroken/series.nc", "unbroken/profiles.nc", "unbroken/probes.nc"};
        for (int k = 0; k < 3; k++) unlink(toy_path(&toy, files[k]));
        rmdir(whole);
        toy.info.directory = toy.directory;
    }
    toy_close(&toy);
}

Test(series, restart_without_files)
{
    toy_open(&toy, NX, NY, NZ, -1);
    open_series(0, (double[]){3});
    add_at(4);
    close_series();
    check_values(1, (double[]){4});
    toy_close(&toy);
}

/* A writer that failed once stays so: each refusal has its own. */
static void check_refused(int probes, const char *why)
{
    const double resume = 10;
    cr_assert_eq(series_open(&series, &toy.in, &toy.st, &toy.info, probes, &resume), SF_RESTART, "%s", why);
    cr_expect(strstr(sf_error_text(), toy.directory) && strstr(sf_error_text(), why), "%s", sf_error_text());
    sf_error_clear();
    cr_assert_eq(writer_close(&toy.info.writer), SF_RESTART);
    sf_error_clear();
    cr_assert_eq(writer_open(&toy.info.writer), SF_OK);
}

Test(series, files_of_another_run_are_refused)
{
    toy_open(&toy, NX, NY, NZ, -1);
    probe_put(0, -500, 500, 100);
    open_series(1, NULL);
    for (int n = 0; n < 6; n++) add_at(n);
    close_series();
    strcpy(toy.config.output_fields[0], "hidden");
    check_refused(1, "hidden");
    toy.config.output_fields[0][0] = '\0';
    probe_put(1, -400, 500, 100);
    check_refused(2, "probes.nc");
    probe_put(0, -501, 500, 100);
    check_refused(1, "moved");
    probe_put(0, -500, 500, 100);
    toy.in.nquantities = 1;
    open_series(1, (double[]){2}); /* fewer quantities than the file has */
    add_at(3);
    close_series();
    toy.in.nquantities = 2;
    check_refused(1, "mass");
    cr_assert_eq(truncate(toy_path(&toy, "series.nc"), 700), 0);
    check_refused(1, "cannot be");
    toy_close(&toy);
}

/* ---- probes that the model records itself ------------------------------------------------------------------------ */

enum { TRACES = 2, PLACES = 3 };

static const struct trace trace[TRACES] = {{"Ea", "a field", "V m-1", 0}, {"Hb", "another", "A m-1", -0.5}};
static const struct trace_place trace_place[TRACES * PLACES] = {{1, 2, 3, 0},    {4, 5, 6, 4},    {7, 8, 9, 5},
                                                                {10, 11, 12, 0}, {13, 14, 15, 4}, {16, 17, 18, 2}};
static const struct clock steps_of_traces = {
    .duration = 4, .interval = 4, .gaps = 1, .full = 1, .n_full = 40, .n_last = 40};
static struct trace_record recorded;
static real recorded_value[64 * TRACES * PLACES];
static double seen[256];
static int nseen;

static void record_take(void *own, struct trace_record *r)
{
    (void)own;
    *r = recorded;
    recorded.n = 0;
}

static void record_watch(void *own, double time, const double *value)
{
    (void)own;
    seen[nseen++] = time + value[1];
}

static real trace_value(long step, int m) { return (real)(step * 10 + m) / 3; }

/* The model takes steps first .. last - 1 and the series asks for them. */
static void record(long first, long last)
{
    recorded = (struct trace_record){first, last - first, recorded_value};
    for (long n = first; n < last; n++)
        for (int m = 0; m < TRACES * PLACES; m++) recorded_value[(n - first) * TRACES * PLACES + m] = trace_value(n, m);
    cr_assert_eq(series_record(series, &toy.in, &toy.st, &steps_of_traces), SF_OK, "%s", sf_error_text());
}

static void traces_open(void)
{
    toy_open(&toy, NX, NY, NZ, -1);
    toy.config.output_profiles = 0;
    for (int n = 0; n < PLACES; n++) probe_put(n, -500 + n, 500 + n, 100 + n);
    toy.in.dt_fixed = 0.1;
    toy.in.time_units = "s";
    toy.in.traces = (struct traces){.n = TRACES,
                                    .nprobes = PLACES,
                                    .trace = trace,
                                    .place = trace_place,
                                    .take = record_take,
                                    .watch = record_watch};
    nseen = 0;
}

static void check_traces(long steps)
{
    size_t n, e[4];
    double *v = toy_read(&toy, "probes.nc", "time", &n, e);
    cr_assert_eq(n, (size_t)steps, "%zu steps, not %ld", n, steps);
    for (long m = 0; m < steps; m++)
        cr_assert_eq(v[m], clock_time(&steps_of_traces, m + 1), "entry %ld is of %.17g s", m, v[m]);
    free(v);
    v = toy_read(&toy, "probes.nc", "time_h", &n, e);
    for (long m = 0; m < steps; m++) cr_assert(fabs(v[m] - 0.1 * ((double)m + 0.5)) < 1e-12);
    free(v);
    for (int t = 0; t < TRACES; t++) {
        v = toy_read(&toy, "probes.nc", trace[t].name, &n, e);
        cr_assert(e[0] == (size_t)steps && e[1] == PLACES);
        for (long m = 0; m < steps; m++)
            for (int p = 0; p < PLACES; p++)
                cr_assert_eq(v[m * PLACES + p], (double)trace_value(m, t * PLACES + p), "%s step %ld probe %d",
                             trace[t].name, m, p);
        free(v);
    }
}

Test(series, traces_of_every_step)
{
    traces_open();
    open_series(PLACES, NULL);
    add_at(0);
    record(0, 7);
    record(7, 7);
    cr_assert_eq(series_write(series), SF_OK);
    cr_assert_eq(writer_drain(toy.info.writer), SF_OK);
    check_traces(7);
    record(7, 40);
    close_series();
    check_traces(40);
    cr_expect_eq(nseen, 40);
    cr_expect_eq(seen[12], clock_time(&steps_of_traces, 13) + (double)trace_value(12, 1));
    size_t n, e[4];
    double *v = toy_read(&toy, "probes.nc", "Hb_y", &n, e);
    cr_expect(n == PLACES && v[0] == 11 && v[1] == 14 && v[2] == 17);
    free(v);
    v = toy_read(&toy, "probes.nc", "probe_x", &n, e);
    cr_expect(n == PLACES && v[2] == -498);
    free(v);
    cr_expect_str_eq(toy_attribute(&toy, "probes.nc", "time", "units"), "s");
    cr_expect_str_eq(toy_attribute(&toy, "probes.nc", "Hb", "time_variable"), "time_h");
    cr_expect_str_eq(toy_attribute(&toy, "probes.nc", "Ea", "time_variable"), "");
    toy_close(&toy);
}

/* Of a checkpoint after step 12 the file may hold more steps, never fewer. */
Test(series, traces_go_on_after_a_restart)
{
    traces_open();
    open_series(PLACES, NULL);
    record(0, 12);
    record(12, 20);
    close_series();
    const double checkpoint = clock_time(&steps_of_traces, 12);
    double before[256];
    memcpy(before, seen, sizeof before);
    nseen = 0;
    open_series(PLACES, &checkpoint);
    cr_expect_eq(nseen, 12, "the model sees the %d entries that are taken over", nseen);
    cr_expect(!memcmp(seen, before, 12 * sizeof *seen));
    record(12, 15);
    record(15, 40);
    close_series();
    check_traces(40);
    probe_put(1, -400, 500, 100);
    check_refused(PLACES, "moved");
    toy_close(&toy);
}

/* ---- what a long run writes -------------------------------------------------------------------------------------- */

enum { FRAMES = 60, BATCH = 48, STEPS = 6 * BATCH };

static const struct clock steps_of_many = {
    .duration = 600, .interval = 600, .gaps = 1, .full = 1, .n_full = FRAMES * STEPS, .n_last = FRAMES * STEPS};

/* STEPS steps from frame n on, and the frame. */
static void frame_write(int n)
{
    for (long first = n * STEPS; first < (n + 1) * STEPS; first += BATCH) {
        recorded = (struct trace_record){first, BATCH, recorded_value};
        for (long k = 0; k < BATCH; k++)
            for (int m = 0; m < TRACES * PLACES; m++)
                recorded_value[k * TRACES * PLACES + m] = trace_value(first + k, m);
        cr_assert_eq(series_record(series, &toy.in, &toy.st, &steps_of_many), SF_OK, "%s", sf_error_text());
    }
    cr_assert_eq(series_write(series), SF_OK);
    cr_assert_eq(writer_drain(toy.info.writer), SF_OK);
}

/* Bytes that this process has handed to write() and its like. */
static double bytes_written(void)
{
    double bytes = -1;
    char line[128];
    FILE *const f = fopen("/proc/self/io", "r");
    while (f && fgets(line, sizeof line, f)) (void)!sscanf(line, "wchar: %lf", &bytes);
    if (f) fclose(f);
    return bytes;
}

static void none_seen(void *own, double time, const double *value)
{
    (void)own, (void)time, (void)value;
    nseen++;
}

/* Writing all with every frame would be half the number of frames times what there is at last, 30 times. Files that
 * double, the last one, and journals are at most 2 + 1 + 1 times that; the first frames, while the file is small, a
 * tenth of it. */
Test(series, bytes_grow_with_what_is_kept)
{
    traces_open();
    toy.in.traces.watch = none_seen;
    open_series(PLACES, NULL);
    const double before = bytes_written();
    if (before < 0) cr_skip_test("this system does not count bytes");
    for (int n = 0; n < FRAMES; n++) frame_write(n);
    cr_expect(toy_exists(&toy, "probes.nc") && toy_exists(&toy, "probes.journal"));
    close_series();
    struct stat st;
    cr_assert_eq(stat(toy_path(&toy, "probes.nc"), &st), 0);
    const double ratio = (bytes_written() - before) / (double)st.st_size;
    cr_expect(ratio > 1 && ratio < 4.1, "%.1f times the %ld bytes of the file", ratio, (long)st.st_size);
    cr_expect_eq(toy_count(&toy, ".journal"), 0, "the journal is gone at the end");
    size_t n, e[4];
    double *v = toy_read(&toy, "probes.nc", "Ea", &n, e);
    cr_assert_eq(n, (size_t)FRAMES * STEPS * PLACES);
    for (long m = 0; m < FRAMES * STEPS; m++) cr_assert_eq(v[m * PLACES], (double)trace_value(m, 0));
    free(v);
    toy_close(&toy);
}

/* The run of a child: it tells its directory, then every frame that is written. */
static void child_run(int to)
{
    traces_open();
    toy.in.traces.watch = none_seen;
    (void)!write(to, toy.directory, sizeof toy.directory);
    open_series(PLACES, NULL);
    for (int n = 0; n < FRAMES; n++) {
        frame_write(n);
        (void)!write(to, "", 1);
    }
    _exit(0);
}

/* Kill a child `us` microseconds after `frames` frames, go on from what it left, and compare with a run of one
 * piece. */
static void kill_and_go_on(int frames, unsigned us)
{
    int tell[2];
    char directory[sizeof toy.directory], byte, command[sizeof toy.directory + 16];
    cr_assert_eq(pipe(tell), 0);
    const pid_t child = fork();
    if (!child) child_run(tell[1]);
    close(tell[1]);
    cr_assert_eq(read(tell[0], directory, sizeof directory), (ssize_t)sizeof directory);
    for (int n = 0; n < frames; n++) cr_assert_eq(read(tell[0], &byte, 1), 1);
    usleep(us);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    traces_open();
    toy.in.traces.watch = none_seen;
    toy.info.directory = directory;
    open_series(PLACES, (double[]){1e9});
    cr_expect(nseen >= frames * STEPS && nseen % STEPS == 0, "%d entries after %d frames of %d", nseen, frames, STEPS);
    for (int n = nseen / STEPS; n < FRAMES; n++) frame_write(n);
    close_series();
    snprintf(toy.directory, sizeof toy.directory, "%s", directory);
    size_t n, e[4];
    double *v = toy_read(&toy, "probes.nc", "Hb", &n, e), *t = toy_read(&toy, "probes.nc", "time", &n, e);
    cr_assert_eq(n, (size_t)FRAMES * STEPS);
    for (long m = 0; m < FRAMES * STEPS; m++)
        cr_assert(v[m * PLACES + 1] == (double)trace_value(m, PLACES + 1) && t[m] == clock_time(&steps_of_many, m + 1),
                  "step %ld after a kill", m);
    free(v);
    free(t);
    cr_expect_eq(toy_count(&toy, ".journal"), 0);
    toy_close(&toy);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    (void)!system(command);
    close(tell[0]);
}

Test(series, nothing_is_torn_or_lost_when_killed)
{
    for (int n = 0; n < 8; n++) kill_and_go_on(1 + (n * 17) % (FRAMES - 2), (unsigned)(n * 211 % 1500));
}

/* Of a torn batch nothing is taken, and beside another file a journal is empty. */
Test(series, a_journal_says_how_far_it_is_good)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/sferic-journal-%ld", (long)getpid());
    const struct journal_head head = {.width = 3, .entries = 5, .digest = 7},
                              other = {.width = 3, .entries = 6, .digest = 7};
    const double row[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    double *got;
    size_t n;
    cr_assert_eq(journal_read(path, &head, &got, &n), SF_OK);
    cr_expect(n == 0 && !got, "there is none");
    cr_assert_eq(journal_append(path, &other, 1, row, 4), SF_OK);
    cr_assert_eq(journal_append(path, &head, 1, row, 1), SF_OK);
    cr_assert_eq(journal_append(path, &head, 0, row + 3, 3), SF_OK);
    struct stat st;
    cr_assert_eq(stat(path, &st), 0);
    for (off_t size = st.st_size; size >= 0; size--) {
        cr_assert_eq(truncate(path, size), 0);
        cr_assert_eq(journal_read(path, &other, &got, &n), SF_OK);
        cr_assert(n == 0 && !got);
        cr_assert_eq(journal_read(path, &head, &got, &n), SF_OK);
        const size_t first = 8 * (1 + 3) + 8 * (1 + 3 + 1), want = size == st.st_size      ? 4
                                                                   : (size_t)size >= first ? 1
                                                                                           : 0;
        cr_assert_eq(n, want, "%zu rows of %ld bytes", n, (long)size);
        cr_assert(!n || !memcmp(got, row, n * 3 * sizeof *row));
        free(got);
    }
    journal_remove(path);
}
