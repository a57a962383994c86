/* Fork, a pipe, and a deadline: a program that hangs holds nobody up. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2 */
#include "command/probe.h"

#include "pipeline/seconds.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_program(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

int probe_find(const char *name, char *path)
{
    path[0] = '\0';
    if (!name[0]) return 0;
    if (strchr(name, '/')) return snprintf(path, PROBE_PATH, "%s", name) < PROBE_PATH && is_program(path);
    const char *from = getenv("PATH");
    while (from && *from) {
        const int n = (int)strcspn(from, ":");
        if (snprintf(path, PROBE_PATH, "%.*s/%s", n ? n : 1, n ? from : ".", name) < PROBE_PATH && is_program(path))
            return 1;
        from += n;
        from += *from == ':';
    }
    path[0] = '\0';
    return 0;
}

int probe_self(char *path)
{
    const ssize_t n = readlink("/proc/self/exe", path, PROBE_PATH - 1);
    path[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* In the child. */
static void program_become(char *const *argv, int to, int errors)
{
    const int none = open("/dev/null", O_RDWR);
    if (none < 0 || dup2(none, 0) < 0 || dup2(to, 1) < 0 || dup2(errors ? to : none, 2) < 0) _exit(127);
    setpgid(0, 0); /* what it starts ends with it */
    execv(argv[0], argv);
    _exit(127);
}

/* Until its end or the deadline; 1: it closed its output in time. */
static int output_read(int from, double until, char *said, size_t size)
{
    size_t n = 0;
    char rest[4096];
    for (;;) {
        const double left = until - seconds_now();
        struct pollfd p = {.fd = from, .events = POLLIN};
        if (left <= 0 || (poll(&p, 1, (int)(left * 1e3) + 1) < 0 && errno != EINTR)) break;
        if (!p.revents) continue;
        const int keeps = n + 1 < size;
        const ssize_t got = read(from, keeps ? said + n : rest, keeps ? size - 1 - n : sizeof rest);
        if (got == 0) return said[n] = '\0', 1;
        if (got < 0 && errno != EINTR && errno != EAGAIN) break;
        if (got > 0 && keeps) n += (size_t)got;
    }
    said[n] = '\0';
    return 0;
}

/* A program may close its output and go on. */
static int end_await(pid_t child, double until, int *status)
{
    for (;;) {
        const pid_t ended = waitpid(child, status, WNOHANG);
        if (ended) return ended == child;
        if (seconds_now() > until) return 0;
        usleep(1000);
    }
}

int probe_ask(char *const *argv, double seconds, int errors, char *said, size_t size)
{
    int ends[2], status = 0;
    const double until = seconds_now() + seconds;
    said[0] = '\0';
    if (pipe2(ends, O_CLOEXEC)) return -1;
    fflush(NULL);
    const pid_t child = fork();
    if (!child) program_become(argv, ends[1], errors);
    close(ends[1]);
    if (child < 0) return close(ends[0]), -1;
    int in_time = output_read(ends[0], until, said, size);
    in_time = in_time && end_await(child, until, &status);
    close(ends[0]);
    if (!in_time) {
        if (kill(-child, SIGKILL)) kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return -1;
    }
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    return WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status);
}
