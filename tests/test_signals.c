/* Signals ask, they do not stop; two interrupts do. SPDX-License-Identifier: MIT */
#include "io/signals.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

Test(signals, each_is_noticed)
{
    static const int number[] = {SIGUSR1, SIGTERM, SIGINT, SIGHUP};
    static const char *const name[] = {"SIGUSR1", "SIGTERM", "SIGINT", "SIGHUP"};
    signal(SIGHUP, SIG_DFL); /* whatever the tests were started under */
    for (int n = 0; n < 4; n++) {
        cr_assert_eq(signals_install(NULL), 0);
        cr_assert_eq(signals_pending(), 0);
        raise(number[n]);
        cr_assert_eq(signals_pending(), number[n]);
        cr_assert_eq(signals_stop_reason(0), number[n]);
        cr_assert_str_eq(signals_name(signals_pending()), name[n]);
    }
}

Test(signals, a_hangup_that_is_ignored_stays_so)
{
    signal(SIGHUP, SIG_IGN); /* nohup */
    cr_assert_eq(signals_install(NULL), 0);
    raise(SIGHUP);
    cr_assert_eq(signals_pending(), 0);
}

/* How a child ends that gets SIGINT twice, `pause_us` apart: its signal, or 0 when it went on. */
static int ended_by(useconds_t pause_us)
{
    const pid_t child = fork();
    if (child == 0) {
        signals_install(NULL);
        raise(SIGINT);
        usleep(pause_us);
        raise(SIGINT);
        _exit(signals_pending() == SIGINT ? 0 : 99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

Test(signals, a_second_interrupt_ends_at_once)
{
    cr_assert_eq(ended_by(0), SIGINT);
    cr_assert_eq(ended_by(500000), SIGINT);
    cr_assert_eq(ended_by(2300000), 0, "an interrupt after 2 s is a first one again");
}

/* What a process says on stderr when it gets this signal so many times. */
static void said_at(int number, int times, const char *notice, char *said, size_t size)
{
    int end[2];
    cr_assert_eq(pipe(end), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(end[1], STDERR_FILENO);
        signals_install(notice);
        for (int n = 0; n < times; n++) raise(number);
        _exit(0);
    }
    close(end[1]);
    size_t length = 0;
    for (ssize_t n; (n = read(end[0], said + length, size - 1 - length)) > 0;) length += (size_t)n;
    said[length] = '\0';
    close(end[0]);
    waitpid(child, NULL, 0);
}

Test(signals, an_interrupt_is_answered)
{
    char said[64];
    said_at(SIGINT, 2, "wait\n", said, sizeof said);
    cr_assert_str_eq(said, "wait\n", "nothing more is said of the second, which ends it");
    said_at(SIGINT, 1, "wait\n", said, sizeof said);
    cr_assert_str_eq(said, "wait\n");
    said_at(SIGINT, 1, NULL, said, sizeof said);
    cr_assert_str_eq(said, "");
    said_at(SIGTERM, 1, "wait\n", said, sizeof said);
    cr_assert_str_eq(said, "", "a batch system's signal is no question");
}

Test(signals, a_write_beyond_the_limit_fails_and_does_not_kill)
{
    signals_install(NULL);
    char name[] = "/tmp/sferic_signals_XXXXXX", block[64] = "";
    const int fd = mkstemp(name);
    unlink(name);
    const struct rlimit none = {10, 10};
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){none.rlim_cur, before.rlim_max});
    const ssize_t first = write(fd, block, sizeof block), second = write(fd, block, sizeof block);
    const int why = errno;
    setrlimit(RLIMIT_FSIZE, &before);
    cr_assert(first == 10 && second == -1 && why == EFBIG);
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    cr_assert(write(ends[1], block, 1) == -1 && errno == EPIPE);
}

Test(signals, the_wall_limit_is_a_reason)
{
    signals_install(NULL);
    cr_assert_eq(signals_stop_reason(0), 0);
    cr_assert_eq(signals_stop_reason(100), 0);
    usleep(20000);
    cr_assert(signals_wall() >= 0.02 && signals_wall() < 50);
    cr_assert_eq(signals_stop_reason(0.01), SIGNALS_WALL);
    cr_assert_str_eq(signals_name(SIGNALS_WALL), "the wall limit");
    raise(SIGTERM);
    cr_assert_eq(signals_stop_reason(0.01), SIGTERM, "the signal is the nearer reason");
}
