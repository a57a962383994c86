/* Checkpoints: nothing damaged is ever taken, nothing good is ever lost. SPDX-License-Identifier: MIT */
#include "io/restart_set.h"
#include "pipeline/error.h"
#include "support_small_run.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t random_next(uint64_t *s)
{
    *s += 0x9e3779b97f4a7c15u;
    return XXH3_64bits(s, sizeof *s);
}

/* SFERIC_FAULTS=500 gives the full corpus. */
static int faults(void)
{
    const char *n = getenv("SFERIC_FAULTS");
    return n ? atoi(n) : 50;
}

Test(restart_damage, a_flipped_bit_is_never_taken, .timeout = 300)
{
    struct small_run *r = small_run_plain();
    small_run_write(r, 7);
    const char *const victims[] = {small_run_nc(r, 7), small_run_path(r, "restart_0000000007.nc.xxh")};
    for (int v = 0; v < 2; v++) {
        struct bytes b = bytes_load(victims[v]);
        uint64_t seed = (uint64_t)v;
        int harmless = 0;
        for (int n = 0; n < faults(); n++) {
            const uint64_t bit = random_next(&seed) % (8 * b.size);
            b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            bytes_store(victims[v], b.data, b.size);
            b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            const int rc = small_run_read(r, small_run_nc(r, 7), small_run_settings);
            cr_assert(rc == SF_RESTART || (rc == 0 && v == 1 && !small_run_wrong(r, 7)), "bit %llu of %s: %d",
                      (unsigned long long)bit, victims[v], rc);
            harmless += rc == 0;
        }
        cr_assert(v == 1 || harmless == 0);
        bytes_store(victims[v], b.data, b.size);
        cr_assert_eq(small_run_read(r, small_run_nc(r, 7), small_run_settings), 0);
        free(b.data);
    }
    small_run_end(r);
}

Test(restart_damage, a_truncated_file_is_never_taken, .timeout = 300)
{
    struct small_run *r = small_run_plain();
    small_run_write(r, 7);
    const char *const victims[] = {small_run_nc(r, 7), small_run_path(r, "restart_0000000007.nc.xxh")};
    for (int v = 0; v < 2; v++) {
        struct bytes b = bytes_load(victims[v]);
        uint64_t seed = 77 + (uint64_t)v;
        for (int n = 0; n < faults(); n++) {
            bytes_store(victims[v], b.data, n == 0 ? b.size - 1 : random_next(&seed) % b.size);
            cr_assert_eq(small_run_read(r, small_run_nc(r, 7), small_run_settings), SF_RESTART);
        }
        bytes_store(victims[v], b.data, b.size);
        cr_assert_eq(small_run_read(r, small_run_nc(r, 7), small_run_settings), 0);
        free(b.data);
    }
    small_run_end(r);
}

Test(restart_damage, a_damaged_manifest_costs_nothing, .timeout = 300)
{
    struct small_run *r = small_run_plain();
    char path[512];
    small_run_write(r, 7);
    small_run_write(r, 8);
    struct bytes b = bytes_load(small_run_path(r, "restart.json"));
    uint64_t seed = 5;
    freopen("/dev/null", "w", stderr); /* a warning each */
    for (int n = 0; n < faults(); n++) {
        const uint64_t bit = random_next(&seed) % (8 * b.size);
        if (n % 2) b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        bytes_store(small_run_path(r, "restart.json"), b.data, n % 2 ? b.size : bit / 8);
        if (n % 2) b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
        cr_assert_str_eq(path, small_run_nc(r, 8));
    }
    free(b.data);
    small_run_end(r);
}

/* Where a field lies in the file: a chunk is its values and four bytes of checksum. */
static size_t values_place(const struct small_run *r, const struct bytes *b, int id)
{
    for (size_t n = 0; n + NX * sizeof(real) <= b->size; n++)
        if (!memcmp(b->data + n, small_run_at(&r->st, id, 0, 0, 0), NX * sizeof(real))) return n;
    cr_assert_fail("field %s is not in the file", small_run_fields[id].name);
    return 0;
}

Test(restart_damage, digests_inside_tell_when_the_one_beside_is_forged, .timeout = 300)
{
    struct small_run *r = small_run_plain();
    small_run_write(r, 7);
    const char *path = small_run_nc(r, 7);
    struct bytes b = bytes_load(path);
    uint64_t seed = 11;
    for (int n = 0; n < faults(); n++) {
        const int id = (int[]){U, V, W, THETA, QV}[n % 5];
        const size_t byte = values_place(r, &b, id) + random_next(&seed) % (NX * NY * NZ * sizeof(real));
        b.data[byte] ^= (unsigned char)(1u << n % 8);
        bytes_store(path, b.data, b.size);
        b.data[byte] ^= (unsigned char)(1u << n % 8);
        bytes_seal(path);
        cr_assert_eq(small_run_read(r, path, small_run_settings), SF_RESTART);
    }
    /* The library's checksum set right as well: written through it. */
    bytes_store(path, b.data, b.size);
    int nc, var;
    const real zero = 0;
    cr_assert_eq(nc_open(path, NC_WRITE, &nc), 0);
    nc_inq_varid(nc, "theta", &var);
    cr_assert_eq(nc_put_var1(nc, var, (size_t[]){3, 2, 1}, &zero), 0);
    nc_close(nc);
    bytes_seal(path);
    cr_assert_eq(small_run_read(r, path, small_run_settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "field theta does not agree"), "%s", sf_error_text());
    free(b.data);
    small_run_end(r);
}

/* Well-formed netCDF files that are no checkpoint of this run; the digest beside agrees with each. */
static void forge(const char *path, int how)
{
    int nc, var, one = 1, huge = 1 << 26, dim[3];
    const double two[2] = {1, 2};
    cr_assert_eq(nc_open(path, NC_WRITE, &nc), 0);
    nc_inq_varid(nc, "theta", &var);
    static const char *const attribute[] = {
        "format", "format_version", "precision", "nx",       "ny",    "nz",   "dx",        "dy",  "time",
        "step",   "extra",          "fields",    "identity", "model", "case", "data_xxh3", "xxh3"};
    int rc = 0;
    if (how < 17) rc = nc_del_att(nc, NC_GLOBAL, attribute[how]);
    else if (how < 34) rc = nc_put_att_double(nc, NC_GLOBAL, attribute[how - 17], NC_DOUBLE, 2, two);
    else if (how < 51) rc = nc_put_att_text(nc, NC_GLOBAL, attribute[how - 34], 7, "a\0b c d");
    else if (how < 54) rc = nc_put_att_int(nc, NC_GLOBAL, attribute[how - 48], NC_INT, 1, &huge);
    else if (how == 54) rc = nc_put_att_int(nc, NC_GLOBAL, "format_version", NC_INT, 1, &huge);
    else if (how == 55) rc = nc_rename_var(nc, var, "thetb");
    else if (how == 56) rc = nc_del_att(nc, var, "xxh3");
    else if (how == 57) rc = nc_put_att_text(nc, var, "xxh3", 16, "0123456789abcdeg");
    else if (how == 58) rc = nc_put_att_text(nc, NC_GLOBAL, "fields", 7, "u v w u");
    else if (how == 59) rc = nc_put_att_int(nc, NC_GLOBAL, "precision", NC_INT, 1, &one);
    else if (how == 60) rc = nc_put_att_double(nc, NC_GLOBAL, "time", NC_DOUBLE, 1, two);
    else if (how == 61) rc = nc_put_att_double(nc, NC_GLOBAL, "extra", NC_DOUBLE, 2, two);
    else {
        /* A field of the right name and of hostile extents, type or layout in place of theta. */
        static const char *const dims[] = {"y", "z", "x"};
        const size_t extents[] = {1u << 26, 1u << 20, 1u << 26};
        nc_rename_var(nc, var, "old");
        for (int n = 0; n < 3; n++)
            rc |= how == 62 ? nc_def_dim(nc, (char[]){'h', (char)('0' + n), 0}, extents[n], &dim[n])
                            : nc_inq_dimid(nc, dims[n], &dim[n]);
        rc |= nc_def_var(nc, "theta",
                         how == 63       ? NC_STRING
                         : how == 64     ? NC_INT64
                         : SF_PREC == 64 ? NC_DOUBLE
                                         : NC_FLOAT,
                         how == 65   ? 1
                         : how == 66 ? 0
                                     : 3,
                         dim, &var);
        if (how == 67) rc |= nc_def_var_chunking(nc, var, NC_CHUNKED, (size_t[]){1, 1, 1});
        if (how == 68) rc |= nc_def_var_deflate(nc, var, 0, 1, 9);
        rc |= nc_put_att_text(nc, var, "xxh3", 16, "0123456789abcdef");
    }
    cr_assert_eq(rc, 0, "forgery %d: %s", how, nc_strerror(rc));
    nc_close(nc);
}

Test(restart_damage, forged_headers_are_refused, .timeout = 300)
{
    struct small_run *r = small_run_plain();
    small_run_write(r, 7);
    const char *path = small_run_nc(r, 7);
    struct bytes b = bytes_load(path);
    struct rusage before, after;
    cr_assert_eq(getrusage(RUSAGE_SELF, &before), 0);
    for (int how = 0; how <= 68; how++) {
        bytes_store(path, b.data, b.size);
        forge(path, how);
        bytes_seal(path);
        cr_assert_eq(small_run_read(r, path, small_run_settings), SF_RESTART, "forgery %d was taken", how);
    }
    cr_assert_eq(getrusage(RUSAGE_SELF, &after), 0);
    cr_assert_lt(after.ru_maxrss - before.ru_maxrss, 512 << 10, "%ld KiB", after.ru_maxrss - before.ru_maxrss);
    bytes_store(path, b.data, b.size);
    bytes_seal(path);
    cr_assert_eq(small_run_read(r, path, small_run_settings), 0);
    /* Something else altogether. */
    bytes_store(path, (const unsigned char *)"CDF\1 no", 7);
    bytes_seal(path);
    cr_assert_eq(small_run_read(r, path, small_run_settings), SF_RESTART);
    free(b.data);
    small_run_end(r);
}

/* Extents that agree among themselves, and no data: a reader must not go through what is not there. */
Test(restart_damage, fields_larger_than_their_file_are_refused)
{
    LIBRARY_HELD;
    struct small_run *r = small_run_plain();
    struct restart_head h = {.model = "toy",
                             .precision = SF_PREC,
                             .nx = 50000,
                             .ny = 100,
                             .nz = 10,
                             .dx = 1,
                             .dy = 1,
                             .identity = (char[]){""},
                             .nfields = 1};
    h.field[0] = (struct restart_field){.name = "u", .ni = 50000, .nk = 10, .nj = 100};
    r->in.nfields = 1;
    struct ncfile to;
    cr_assert_eq(restart_file_create(&to, small_run_nc(r, 1), &h, &r->in), 0, "%s", sf_error_text());
    cr_assert_eq(restart_file_seal(&to, &h), 0);
    cr_assert_eq(rename(to.temporary, small_run_nc(r, 1)), 0);
    ncfile_abandon(&to);
    bytes_seal(small_run_nc(r, 1));
    cr_assert_eq(small_run_read(r, small_run_nc(r, 1), NULL), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "larger than the file"), "%s", sf_error_text());
    small_run_end(r);
}

/* ---- faults while writing ---------------------------------------------------------------------------------------- */

/* In a process of its own: HDF5 may crash at exit after a failed write. The code that the write gave. */
static int write_code_in_child(struct small_run *r, long step, rlim_t limit, const char *dir)
{
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit l = {limit, limit};
        if (limit) setrlimit(RLIMIT_FSIZE, &l);
        const struct restart_info info = small_run_info(step);
        small_run_fill(r, step);
        const int rc = restart_write(&r->st, dir, &info);
        _exit(rc && !strstr(sf_error_text(), dir) ? 99 : rc);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Test(restart_damage, a_write_that_fails_leaves_the_older_ones, .timeout = 300)
{
    struct small_run *r = small_run_make(200, 20, 20, 1, 1, 1);
    char path[512];
    small_run_write(r, 1);
    struct stat about;
    cr_assert_eq(stat(small_run_nc(r, 1), &about), 0);
    /* From nothing at all to one byte short of the file. */
    for (int n = 0; n <= 20; n++) {
        const rlim_t limit = n < 20 ? 100 + (rlim_t)(about.st_size - 200) * (rlim_t)n / 19 : (rlim_t)about.st_size - 1;
        cr_assert_eq(write_code_in_child(r, 2, limit, r->dir), SF_IO, "limit %llu", (unsigned long long)limit);
        cr_assert_eq(small_run_files(r, ".tmp."), 0);
        cr_assert_eq(restart_find(r->dir, path, sizeof path), 0, "%s", sf_error_text());
        cr_assert_str_eq(path, small_run_nc(r, 1));
    }
    cr_assert_eq(write_code_in_child(r, 2, 0, "/nonexistent/dir"), SF_IO);
    cr_assert_eq(write_code_in_child(r, 2, 0, "http://nonexistent"), SF_IO);
    cr_assert_eq(write_code_in_child(r, 2, 0, r->dir), 0);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, small_run_nc(r, 2));
    small_run_end(r);
}

Test(restart_damage, a_kill_loses_nothing, .timeout = 300)
{
    struct small_run *r = small_run_make(100, 20, 20, 1, 1, 1);
    char path[512];
    uint64_t seed = 3;
    long last = 0;
    freopen("/dev/null", "w", stderr);
    for (int n = 0; n < 20; n++) {
        int told[2];
        cr_assert_eq(pipe(told), 0);
        const pid_t child = fork();
        if (child == 0) {
            for (long step = last + 1;; step++) {
                const struct restart_info info = small_run_info(step);
                small_run_fill(r, step);
                if (restart_write(&r->st, r->dir, &info)) _exit(1);
                if (write(told[1], &step, sizeof step) < 0) _exit(2);
            }
        }
        close(told[1]);
        long done = last, step;
        cr_assert_eq(read(told[0], &step, sizeof step), sizeof step);
        usleep((useconds_t)(random_next(&seed) % 60000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        for (done = step; read(told[0], &step, sizeof step) == sizeof step;) done = step;
        close(told[0]);
        cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
        struct restart_info info = {.identity = small_run_settings};
        cr_assert_eq(restart_read(&r->st, path, &info), 0, "%s", sf_error_text());
        cr_assert(info.step == done || info.step == done + 1, "step %ld was complete, %ld was found", done, info.step);
        cr_assert_eq(small_run_wrong(r, info.step), 0);
        last = info.step;
    }
    small_run_write(r, last + 1);
    cr_assert_eq(small_run_files(r, ".tmp."), 0, "what the kills left was not cleared away");
    small_run_end(r);
}
