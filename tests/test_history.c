/* History files: what is in them to the last bit, and when they appear. SPDX-License-Identifier: MIT */
#include "io/history.h"
#include "support_state.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NX = 7, NY = 5, NZ = 3 };

static struct toy toy;
static struct history *history;

static void open_history(void)
{
    cr_assert_eq(history_open(&history, &toy.in, &toy.st, &toy.info), SF_OK, "%s", sf_error_text());
}

static void write_at(double time)
{
    toy_fill(&toy, time);
    cr_assert_eq(history_write(history, &toy.st, time), SF_OK, "%s", sf_error_text());
}

static void close_history(void) { cr_assert_eq(history_close(&history, &toy.st), SF_OK, "%s", sf_error_text()); }

/* Frame `at` of a variable holds value(j, k, i, shift) in the order z, y, x. */
static void check_frame(const char *file, const char *name, size_t at, real (*value)(int, int, int, double),
                        double shift)
{
    size_t n, e[4];
    double *read = toy_read(&toy, file, name, &n, e);
    cr_assert(e[0] > at && e[1] == NZ && e[2] == NY && e[3] == NX, "%s is %zu %zu %zu %zu", name, e[0], e[1], e[2],
              e[3]);
    const double *v = read + at * NZ * NY * NX;
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++, v++) {
                const double want = (double)value(j, k, i, shift);
                cr_assert(!memcmp(v, &want, sizeof want), "%s at %d %d %d is %.17g, not %.17g", name, k, j, i, *v,
                          want);
            }
    free(read);
}

Test(history, one_frame_bit_for_bit)
{
    toy_open(&toy, NX, NY, NZ, -1);
    open_history();
    write_at(0);
    write_at(12.5);
    close_history();
    cr_assert_eq(toy_count(&toy, "history_"), 2);
    cr_assert_eq(toy_count(&toy, ".tmp."), 0);
    check_frame("history_00000000.000.nc", "theta", 0, toy_theta, 0);
    check_frame("history_00000012.500.nc", "theta", 0, toy_theta, 12.5);
    check_frame("history_00000012.500.nc", "u_c", 0, toy_u_centre, 12.5);
    size_t n, e[4];
    double *v = toy_read(&toy, "history_00000012.500.nc", "time", &n, e);
    cr_assert(n == 1 && v[0] == 12.5);
    free(v);
    v = toy_read(&toy, "history_00000012.500.nc", "z", &n, e);
    cr_assert(n == NZ && !memcmp(v, toy.grid.z_c, n * sizeof *v));
    free(v);
    v = toy_read(&toy, "history_00000012.500.nc", "x", &n, e);
    cr_assert(n == NX && v[0] == -950 && v[6] == -350);
    free(v);
    v = toy_read(&toy, "history_00000012.500.nc", "y", &n, e);
    cr_assert(n == NY && v[0] == 125 && v[4] == 1125);
    free(v);
    v = toy_read(&toy, "history_00000012.500.nc", "theta_base", &n, e);
    cr_assert(n == NZ && !memcmp(v, toy.base, n * sizeof *v));
    free(v);
    toy_close(&toy);
}

Test(history, metadata)
{
    const char *const file = "history_00000000.000.nc";
    toy_open(&toy, NX, NY, NZ, -1);
    toy.config.grid_translation_u = 12;
    open_history();
    write_at(0);
    close_history();
    cr_expect_str_eq(toy_attribute(&toy, file, NULL, "Conventions"), "CF-1.11 SGRID-0.3");
    static const char *const present[] = {"title",    "institution", "source",  "history",  "references",
                                          "namelist", "case",        "backend", "precision"};
    for (size_t n = 0; n < sizeof present / sizeof present[0]; n++)
        cr_expect(toy_attribute(&toy, file, NULL, present[n])[0], "no attribute %s", present[n]);
    cr_expect_str_eq(toy_attribute(&toy, file, NULL, "namelist"), toy.info.namelist_text);
    cr_expect_str_eq(toy_attribute(&toy, file, "time", "units"), "seconds since 2011-05-22 12:00:00");
    cr_expect_str_eq(toy_attribute(&toy, file, "theta", "standard_name"), "air_potential_temperature");
    cr_expect_str_eq(toy_attribute(&toy, file, "theta", "units"), "K");
    cr_expect_str_eq(toy_attribute(&toy, file, "z", "positive"), "up");
    cr_expect_str_eq(toy_attribute(&toy, file, "z", "axis"), "Z");
    cr_expect_str_eq(toy_attribute(&toy, file, "x", "axis"), "");
    cr_expect_str_eq(toy_attribute(&toy, file, "x", "units"), "m");
    int id, var;
    double speed = 0;
    cr_assert_eq(nc_open(toy_path(&toy, file), NC_NOWRITE, &id), NC_NOERR);
    cr_expect_eq(nc_get_att_double(id, NC_GLOBAL, "grid_translation_u", &speed), NC_NOERR);
    cr_expect_eq(speed, 12);
    nc_type type;
    cr_assert_eq(nc_inq_varid(id, "theta", &var), NC_NOERR);
    nc_inq_vartype(id, var, &type);
    cr_expect_eq(type, sizeof(real) == 8 ? NC_DOUBLE : NC_FLOAT);
    int checksum = 0, storage = 0;
    size_t chunk[4] = {0};
    nc_inq_var_fletcher32(id, var, &checksum);
    nc_inq_var_chunking(id, var, &storage, chunk);
    cr_expect(checksum == NC_FLETCHER32 && storage == NC_CHUNKED);
    cr_expect(chunk[0] == 1 && chunk[1] == NZ && chunk[2] == NY && chunk[3] == NX);
    cr_expect_neq(nc_inq_varid(id, "hidden", &var), NC_NOERR);
    nc_close(id);
    toy_close(&toy);
}

Test(history, a_model_may_have_times_without_dates)
{
    toy_open(&toy, NX, NY, NZ, -1);
    toy.in.time_units = "s";
    open_history();
    write_at(2);
    close_history();
    int id, var;
    size_t length;
    cr_expect_str_eq(toy_attribute(&toy, "history_00000002.000.nc", "time", "units"), "s");
    cr_assert_eq(nc_open(toy_path(&toy, "history_00000002.000.nc"), NC_NOWRITE, &id), NC_NOERR);
    cr_assert_eq(nc_inq_varid(id, "time", &var), NC_NOERR);
    cr_expect_eq(nc_inq_attlen(id, var, "calendar", &length), NC_ENOTATT);
    nc_close(id);
    toy_close(&toy);
}

Test(history, axis_on_request)
{
    toy_open(&toy, NX, NY, NZ, -1);
    toy.config.output_axis = 1;
    open_history();
    write_at(0);
    close_history();
    cr_expect_str_eq(toy_attribute(&toy, "history_00000000.000.nc", "x", "axis"), "X");
    cr_expect_str_eq(toy_attribute(&toy, "history_00000000.000.nc", "y", "axis"), "Y");
    toy_close(&toy);
}

Test(history, several_frames_in_a_file)
{
    toy_open(&toy, NX, NY, NZ, -1);
    toy.config.output_frames_per_file = 2;
    open_history();
    for (int n = 0; n < 3; n++) write_at(10.0 * n);
    cr_assert_eq(writer_drain(toy.info.writer), SF_OK);
    cr_assert(toy_exists(&toy, "history_00000000.000.nc"));
    cr_assert(!toy_exists(&toy, "history_00000020.000.nc"), "an incomplete file has its final name");
    cr_assert_eq(history_flush(history, &toy.st), SF_OK);
    cr_assert_eq(writer_drain(toy.info.writer), SF_OK);
    cr_assert(toy_exists(&toy, "history_00000020.000.nc"), "flush completes a file");
    write_at(30);
    const struct history_rate rate = history_report(history);
    cr_expect_eq(rate.files, 2);
    close_history();
    for (size_t n = 0; n < 2; n++) check_frame("history_00000000.000.nc", "theta", n, toy_theta, 10.0 * (double)n);
    check_frame("history_00000020.000.nc", "u_c", 0, toy_u_centre, 20);
    check_frame("history_00000030.000.nc", "theta", 0, toy_theta, 30);
    size_t n, e[4];
    double *time = toy_read(&toy, "history_00000000.000.nc", "time", &n, e);
    cr_assert(n == 2 && time[0] == 0 && time[1] == 10);
    free(time);
    cr_assert_eq(toy_count(&toy, ".tmp."), 0);
    toy_close(&toy);
}

/* A native field of extents nk, nj, ni. */
static void check_native(const char *name, int field, size_t nk, size_t nj, size_t ni, const char *location)
{
    const char *const file = "history_00000003.000.nc";
    size_t n, e[4];
    double *read = toy_read(&toy, file, name, &n, e);
    const int map = nk == 0;
    cr_assert(e[0] == 1 && (map ? e[1] == nj && e[2] == ni : e[1] == nk && e[2] == nj && e[3] == ni),
              "%s is %zu %zu %zu %zu", name, e[0], e[1], e[2], e[3]);
    const double *v = read;
    for (int k = 0; k < (map ? 1 : (int)nk); k++)
        for (int j = 0; j < (int)nj; j++)
            for (int i = 0; i < (int)ni; i++, v++) {
                const double want = (double)toy_value(field, j, k, i, 3);
                cr_assert(!memcmp(v, &want, sizeof want), "%s at %d %d %d is %.17g, not %.17g", name, k, j, i, *v,
                          want);
            }
    free(read);
    cr_expect_str_eq(toy_attribute(&toy, file, name, "grid"), "grid");
    cr_expect_str_eq(toy_attribute(&toy, file, name, "location"), location);
}

Test(history, staggered_with_sgrid)
{
    toy_open(&toy, NX, NY, NZ, -1);
    toy.config.output_staggered = 1;
    open_history();
    write_at(3);
    close_history();
    check_native("s", TOY_S, NZ, NY, NX, "face");
    check_native("u", TOY_U, NZ, NY, NX, "edge1"); /* periodic: the last face is the first */
    check_native("v", TOY_V, NZ, NY + 1, NX, "edge2");
    check_native("w", TOY_W, NZ + 1, NY, NX, "face");
    check_native("rain", TOY_MAP, 0, NY, NX, "face");
    const char *const file = "history_00000003.000.nc";
    cr_expect_str_eq(toy_attribute(&toy, file, "grid", "cf_role"), "grid_topology");
    cr_expect_str_eq(toy_attribute(&toy, file, "grid", "face_dimensions"),
                     "x: x_f (padding: high) y: y_f (padding: none)");
    cr_expect_str_eq(toy_attribute(&toy, file, "grid", "vertical_dimensions"), "z: z_f (padding: none)");
    size_t n, e[4];
    double *v = toy_read(&toy, file, "z_f", &n, e);
    cr_assert(n == NZ + 1 && !memcmp(v, toy.grid.z_f, n * sizeof *v));
    free(v);
    v = toy_read(&toy, file, "x_f", &n, e);
    cr_assert(n == NX && v[0] == -1000);
    free(v);
    v = toy_read(&toy, file, "y_f", &n, e);
    cr_assert(n == NY + 1 && v[0] == 0 && v[NY] == 1250);
    free(v);
    toy_close(&toy);
}

Test(history, fields_by_name)
{
    toy_open(&toy, NX, NY, NZ, -1);
    strcpy(toy.config.output_fields[0], "HIDDEN");
    open_history();
    write_at(0);
    close_history();
    int id, var;
    cr_assert_eq(nc_open(toy_path(&toy, "history_00000000.000.nc"), NC_NOWRITE, &id), NC_NOERR);
    cr_expect_eq(nc_inq_varid(id, "hidden", &var), NC_NOERR);
    cr_expect_neq(nc_inq_varid(id, "theta", &var), NC_NOERR);
    nc_close(id);
    strcpy(toy.config.output_fields[3], "thta");
    static struct complaints to;
    history_check(&toy.in, &to);
    cr_assert(to.errors == 1 && to.code == SF_NAMELIST && to.list[0].index == 3, "%s", to.list[0].text);
    cr_expect(strstr(to.list[0].text, "thta") && strstr(to.list[0].text, " theta u_c hidden"), "%s", to.list[0].text);
    toy.in.ndiagnostics = 2;
    toy.in.ndiagnostics_most = 3;
    history_check(&toy.in, &to);
    cr_assert_eq(to.errors, 3);
    cr_expect(strstr(to.list[1].text, "'HIDDEN' with these parameters"), "%s", to.list[1].text);
    toy.config.output_staggered = 1;
    strcpy(toy.config.output_fields[0], "w");
    strcpy(toy.config.output_fields[3], "flux");
    history_check(&toy.in, &to);
    cr_assert_eq(to.errors, 4, "a scratch field has no values");
    cr_expect(strstr(to.list[3].text, " s u v w rain") && !strstr(to.list[3].text, "theta"), "%s", to.list[3].text);
    toy_close(&toy);
}

Test(history, compressed_and_rounded)
{
    toy_open(&toy, NX, NY, NZ, -1);
    toy.config.output_compression = 4;
    toy.config.output_keep_bits = 8;
    open_history();
    write_at(1);
    close_history();
    int id, var, shuffle, deflate = 0, level = 0;
    cr_assert_eq(nc_open(toy_path(&toy, "history_00000001.000.nc"), NC_NOWRITE, &id), NC_NOERR);
    nc_inq_varid(id, "theta", &var);
    nc_inq_var_deflate(id, var, &shuffle, &deflate, &level);
    cr_expect(deflate && level == 4);
    nc_close(id);
    size_t n, e[4];
    double *v = toy_read(&toy, "history_00000001.000.nc", "theta", &n, e);
    const double *p = v;
    int changed = 0;
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++, p++) {
                const double want = (double)toy_theta(j, k, i, 1), off = *p > want ? *p - want : want - *p;
                cr_expect(off <= want / 512, "%g is far from %g", *p, want);
                changed += off > 0;
            }
    cr_expect_gt(changed, NX);
    free(v);
    toy_close(&toy);
}

/* A level larger than a chunk is cut in rows, a field larger than a chunk in levels. */
Test(history, chunks_of_large_fields)
{
    size_t n, e[4];
    toy_open(&toy, 1024, 1025, 5, TOY_S);
    strcpy(toy.config.output_fields[0], "theta");
    open_history();
    write_at(0);
    close_history();
    double *read = toy_read(&toy, "history_00000000.000.nc", "theta", &n, e), *v = read;
    cr_assert(e[1] == 5 && e[2] == 1025 && e[3] == 1024);
    for (int k = 0; k < 5; k++)
        for (int j = 0; j < 1025; j++)
            for (int i = 0; i < 1024; i++, v++) {
                const double want = (double)toy_theta(j, k, i, 0);
                if (memcmp(v, &want, sizeof want)) cr_assert_fail("at %d %d %d", k, j, i);
            }
    free(read);
    toy_close(&toy);
    for (int staggered = 0; staggered < 2; staggered++) { /* a map that is kept is at the centres of columns */
        toy_open(&toy, 2100, 2101, 2, TOY_MAP);
        toy.config.output_staggered = staggered;
        strcpy(toy.config.output_fields[0], "rain");
        open_history();
        write_at(0);
        close_history();
        v = read = toy_read(&toy, "history_00000000.000.nc", "rain", &n, e);
        cr_assert(e[1] == 2101 && e[2] == 2100);
        for (int j = 0; j < 2101; j++)
            for (int i = 0; i < 2100; i++, v++) {
                const double want = (double)toy_value(TOY_MAP, j, 0, i, 0);
                if (memcmp(v, &want, sizeof want)) cr_assert_fail("at %d %d", j, i);
            }
        free(read);
        toy_close(&toy);
    }
}

static sem_t gate;

static int wait_for_gate(void *arg)
{
    (void)arg;
    sem_wait(&gate);
    return SF_OK;
}

static void *open_gate_later(void *arg)
{
    const struct timespec pause = {.tv_nsec = 200000000};
    nanosleep(&pause, NULL);
    sem_post(&gate);
    return arg;
}

Test(history, model_waits_only_for_a_full_ring)
{
    toy_open(&toy, NX, NY, NZ, -1);
    sem_init(&gate, 0, 0);
    open_history();
    cr_assert_eq(writer_submit(toy.info.writer, wait_for_gate, NULL, NULL), SF_OK);
    write_at(1);
    write_at(2);
    cr_assert_eq(toy_count(&toy, "history_"), 0);
    cr_assert_eq(history_report(history).waited, 0, "two frames fit without waiting");
    pthread_t thread;
    pthread_create(&thread, NULL, open_gate_later, NULL);
    for (int n = 3; n < 7; n++) write_at(n);
    cr_assert_gt(history_report(history).waited, 0, "the third frame had to wait");
    pthread_join(thread, NULL);
    cr_assert_eq(writer_drain(toy.info.writer), SF_OK);
    const struct history_rate rate = history_report(history);
    cr_expect_eq(rate.frames, 6);
    cr_expect_eq(rate.files, 6);
    cr_expect_eq(rate.bytes, 6.0 * (2 * NZ + 1) * NX * NY * sizeof(real)); /* two fields, and a map that is kept */
    cr_expect(rate.busy > 0 && rate.file_bytes > rate.bytes);
    close_history();
    for (int n = 1; n < 7; n++) {
        char file[64];
        snprintf(file, sizeof file, "history_%012.3f.nc", (double)n);
        check_frame(file, "theta", 0, toy_theta, n);
        check_frame(file, "u_c", 0, toy_u_centre, n);
    }
    toy_close(&toy);
}

/* Eleven frames of 10 bytes: ten intervals, 1 s of computing each, hold 10 bytes; the writer is `busy` for all of
 * them. */
static enum history_binds binds_of(double busy, double waited)
{
    const struct history_rate r = {.frames = 11, .bytes = 110, .busy = busy, .waited = waited};
    const struct history_load l = history_load(&r, 0, 10, 12);
    cr_expect_float_eq(l.asked, 10, 1e-12);
    cr_expect_float_eq(l.written, 110 / busy, 1e-12 * l.written);
    return l.binds;
}

Test(history, tells_which_rate_binds)
{
    cr_expect_eq(binds_of(1.1, 0), HISTORY_HIDES);
    cr_expect_eq(binds_of(5.4, 0), HISTORY_HIDES, "a little less than half of what is written");
    cr_expect_eq(binds_of(5.6, 0), HISTORY_NEAR, "a little more");
    cr_expect_eq(binds_of(10.9, 0), HISTORY_NEAR);
    cr_expect_eq(binds_of(11.1, 0), HISTORY_BINDS, "more than is written");
    cr_expect_eq(binds_of(1.1, 0.59), HISTORY_HIDES);
    cr_expect_eq(binds_of(1.1, 0.61), HISTORY_BINDS, "the model waited for more than a twentieth of 12 s");
    const struct history_rate none = {.frames = 0}, one = {.frames = 1, .bytes = 10, .busy = 3};
    cr_expect_eq(history_load(&none, 0, 10, 12).binds, HISTORY_HIDES);
    cr_expect_eq(history_load(&one, 0, 1, 5).binds, HISTORY_HIDES, "there is no interval");
    cr_expect_neq(history_load(&one, 1, 1, 5).binds, HISTORY_HIDES, "steps of a run that goes on came before it");
    cr_expect_eq(history_load(&one, 0, 0, 5).binds, HISTORY_HIDES);
    cr_expect_eq(history_load(&one, 1, 1, 4.99).binds, HISTORY_HIDES, "too short to be judged");
    const struct history_rate waits = {.frames = 11, .bytes = 110, .busy = 4, .waited = 3};
    cr_expect_eq(history_load(&waits, 0, 1, 4.9).binds, HISTORY_HIDES, "too short, though the model waited");
    cr_expect_eq(history_load(&waits, 0, 1, 5.1).binds, HISTORY_BINDS);
}

Test(history, files_of_one_millisecond)
{
    toy_open(&toy, NX, NY, NZ, -1);
    open_history();
    write_at(1);
    write_at(1.0001);
    cr_assert_eq(history_close(&history, &toy.st), SF_NAMELIST);
    cr_expect(strstr(sf_error_text(), "output_interval"), "%s", sf_error_text());
    check_frame("history_00000001.000.nc", "theta", 0, toy_theta, 1);
    toy_close(&toy);
}

/* Names of one run sort as its times do, also where it goes on past the times that its first names can tell. */
Test(history, names_sort_whatever_the_duration)
{
    toy_open(&toy, NX, NY, NZ, -1);
    toy.config.time_duration = 9.9e7;
    open_history();
    write_at(0);
    write_at(9.9e7);
    close_history();
    cr_expect(toy_exists(&toy, "history_00000000.000.nc") && toy_exists(&toy, "history_99000000.000.nc"),
              "short runs keep short names");
    toy.config.time_duration = 1e9;
    open_history();
    write_at(1e8);
    write_at(1e9);
    close_history();
    static const char *const want[] = {"history_0000000000.000.nc", "history_0099000000.000.nc",
                                       "history_0100000000.000.nc", "history_1000000000.000.nc"};
    cr_assert_eq(toy_count(&toy, "history_"), 4);
    for (int n = 0; n < 4; n++) cr_expect(toy_exists(&toy, want[n]), "%s", want[n]);
    for (int n = 1; n < 4; n++) cr_expect(strcmp(want[n - 1], want[n]) < 0);
    toy.config.time_duration = 3600; /* and one that goes on for less keeps to the names that are there */
    open_history();
    write_at(2);
    close_history();
    cr_expect(toy_exists(&toy, "history_0000000002.000.nc"));
    toy_close(&toy);
}

/* Where files are named by the step, too. */
Test(history, names_of_steps_sort)
{
    toy_open(&toy, NX, NY, NZ, -1);
    toy.in.dt_fixed = 1e-12;
    toy.config.time_duration = 1.5e-3;
    open_history();
    write_at(2e-12);
    write_at(1e-3);
    close_history();
    cr_expect(toy_exists(&toy, "history_0000000002.nc") && toy_exists(&toy, "history_1000000000.nc"));
    toy_close(&toy);
}

/* As few parts as there can be, and the last as full as there can be. */
Test(history, parts_of_chunks)
{
    for (size_t n = 1; n < 60; n++)
        for (size_t most = 1; most < 70; most++) {
            const size_t part = ncfile_part(n, most), parts = (n + part - 1) / part;
            cr_assert(part >= 1 && part <= most, "%zu of %zu, %zu at most", part, n, most);
            cr_assert_eq(parts, (n + most - 1) / most, "%zu parts of %zu, %zu at most", parts, n, most);
            cr_assert(parts * part - n < parts, "%zu parts of %zu hold %zu, %zu at most", parts, part, n, most);
        }
    cr_assert_eq(ncfile_part(0, 5), 1);
    cr_assert_eq(ncfile_part(9, 0), 1);
}
