/* Output on a disk that fails: a message with path and bytes, nothing torn, older files intact, no crash.
 * SPDX-License-Identifier: MIT */
#include "io/history.h"
#include "support_state.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NY = 5, NZ = 3 };

static struct toy toy;
static struct history *history;

/* The disk of this program can be told to fail. */
static int fsync_fails;
int fsync(int fd)
{
    if (fsync_fails) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

/* HDF5 may crash in its exit handlers after a failed close, so the failing part runs in a process that leaves by _exit.
 * Writes frames until one fails; the result is the code, and `text` the message. */
static int write_in_child(void (*prepare)(void), int first, int frames, char text[2048])
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        writer_open(&toy.info.writer);
        prepare();
        int rc = history_open(&history, &toy.in, &toy.st, &toy.info);
        for (int n = first; n < first + frames && !rc; n++) {
            toy_fill(&toy, n);
            rc = history_write(history, &toy.st, n);
        }
        const int closed = history_close(&history, &toy.st);
        writer_close(&toy.info.writer);
        if (!rc) rc = closed;
        const char *message = sf_error_text();
        if (write(ends[1], message, strlen(message)) < 0) rc = 99;
        _exit(rc);
    }
    close(ends[1]);
    ssize_t n, used = 0;
    while ((n = read(ends[0], text + used, 2047 - (size_t)used)) > 0) used += n;
    text[used] = '\0';
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    cr_assert(WIFEXITED(status), "the program crashed with signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

static void nothing(void) {}

/* One good file of time 0. The writer is closed: every child has its own, since threads do not survive a fork. */
static void begin_failing(int nx)
{
    char text[2048];
    toy_open(&toy, nx, NY, NZ, -1);
    cr_assert_eq(writer_close(&toy.info.writer), SF_OK);
    cr_assert_eq(write_in_child(nothing, 0, 1, text), SF_OK, "%s", text);
}

static void check_failed(int code, const char *text, int good)
{
    cr_assert_eq(code, SF_IO, "code %d: %s", code, text);
    cr_expect(strstr(text, toy.directory) && strstr(text, "bytes"), "%s", text);
    cr_expect_eq(toy_count(&toy, ".tmp."), 0, "a temporary file is left");
    cr_expect_eq(toy_count(&toy, "history_"), good, "%s", text);
    size_t n, e[4];
    double *v = toy_read(&toy, "history_00000000.000.nc", "theta", &n, e);
    cr_expect(v[1] == (double)toy_theta(0, 0, 1, 0), "the older file is not intact");
    free(v);
}

static void limit_small(void)
{
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){20000, 20000});
}

Test(output_faults, file_size_limit_foreseen)
{
    char text[2048];
    begin_failing(997);
    check_failed(write_in_child(limit_small, 1, 2, text), text, 1);
    cr_expect(strstr(text, "ulimit"), "%s", text);
    toy_close(&toy);
}

Test(output_faults, file_size_limit_met_while_writing)
{
    char text[2048];
    begin_failing(997);
    toy.config.output_compression = 1; /* its size is not known before */
    check_failed(write_in_child(limit_small, 1, 2, text), text, 1);
    cr_expect(strstr(text, "File too large"), "%s", text);
    toy_close(&toy);
}

static void fail_fsync(void) { fsync_fails = 1; }

Test(output_faults, disk_error)
{
    char text[2048];
    begin_failing(7);
    check_failed(write_in_child(fail_fsync, 1, 2, text), text, 1);
    cr_expect(strstr(text, strerror(EIO)), "%s", text);
    toy_close(&toy);
}

static void become_nobody(void)
{
    /* Altogether: clang's OpenMP runtime names files of its own after the real user. */
    if (geteuid() == 0 && setuid(65534)) _exit(98);
}

Test(output_faults, directory_without_permission)
{
    char text[2048];
    begin_failing(7);
    cr_assert_eq(chmod(toy.directory, 0555), 0);
    const int code = write_in_child(become_nobody, 1, 2, text);
    chmod(toy.directory, 0777);
    check_failed(code, text, 1);
    cr_expect(strstr(text, strerror(EACCES)), "%s", text);
    toy_close(&toy);
}

/* A disk of 256 KiB: compressed frames of about 60 KiB until it is full. */
Test(output_faults, full_disk)
{
    char text[2048], mount_point[256];
    toy_open(&toy, 997, NY, NZ, -1);
    toy.config.output_compression = 1;
    cr_assert_eq(writer_close(&toy.info.writer), SF_OK);
    strcpy(mount_point, toy.directory);
    if (mount("none", mount_point, "tmpfs", 0, "size=256k")) {
        rmdir(mount_point);
        cr_skip_test("mounting needs root: %s", strerror(errno));
    }
    const int code = write_in_child(nothing, 1, 20, text);
    const int files = toy_count(&toy, "history_"), torn = toy_count(&toy, ".tmp.");
    for (int n = 1; n <= files; n++) { /* those that were complete still open */
        char file[64];
        size_t count, e[4];
        snprintf(file, sizeof file, "history_%012.3f.nc", (double)n);
        double *v = toy_read(&toy, file, "theta", &count, e);
        cr_expect(v[1] == (double)toy_theta(0, 0, 1, n));
        free(v);
    }
    umount(mount_point);
    toy_close(&toy);
    cr_assert_eq(code, SF_IO, "code %d: %s", code, text);
    cr_expect(strstr(text, mount_point) && strstr(text, "bytes") && strstr(text, strerror(ENOSPC)), "%s", text);
    cr_expect_eq(torn, 0);
    cr_expect(files > 0 && files < 20, "%d files", files);
}

Test(output_faults, full_disk_foreseen)
{
    char text[2048];
    toy_open(&toy, 997, NY, NZ, -1);
    cr_assert_eq(writer_close(&toy.info.writer), SF_OK);
    if (mount("none", toy.directory, "tmpfs", 0, "size=64k")) {
        rmdir(toy.directory);
        cr_skip_test("mounting needs root: %s", strerror(errno));
    }
    const int code = write_in_child(nothing, 1, 1, text);
    const int left = toy_count(&toy, "history_");
    umount(toy.directory);
    toy_close(&toy);
    cr_assert_eq(code, SF_IO, "code %d: %s", code, text);
    cr_expect(strstr(text, "are free"), "%s", text);
    cr_expect_eq(left, 0);
}
