/* Processes that share memory watch each other: one that is stopped ends the one that watches, within the time
 * promised; one that is busy or has left does not. Long: it waits for what was promised.
 * SPDX-License-Identifier: MIT */
#include "pipeline/heartbeat.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pipeline/error.h"

enum { LIMIT = HEARTBEAT_MS * HEARTBEAT_MISSED / 1000 };

static struct heart *hearts_make(int n)
{
    struct heart *h = mmap(NULL, (size_t)n * sizeof *h, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(h, MAP_FAILED);
    return h;
}

/* A rank that watches for `seconds` without its main thread doing anything about it, and leaves. */
static pid_t rank_start(struct heart *h, int n, int mine, unsigned seconds)
{
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child) return child;
    if (heartbeat_begin(h, n, mine, mine)) _exit(1);
    while (seconds) seconds = sleep(seconds);
    heartbeat_end();
    _exit(0);
}

static int code_of(pid_t child)
{
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(heartbeat, a_process_that_is_stopped_ends_the_others, .timeout = 60)
{
    struct heart *h = hearts_make(2);
    const pid_t stopped = rank_start(h, 2, 0, 50), other = rank_start(h, 2, 1, 50);
    while (!atomic_load(&h[0].beats) || !atomic_load(&h[1].beats)) usleep(1000);
    kill(stopped, SIGSTOP);
    const time_t began = time(NULL);
    cr_assert_eq(code_of(other), SF_COMM);
    cr_assert(time(NULL) - began <= LIMIT + 3, "after %ld s", (long)(time(NULL) - began));
    kill(stopped, SIGKILL);
    cr_assert_eq(code_of(stopped), -1);
}

/* The main threads sleep for longer than the limit; one leaves before the other; a third never comes. */
Test(heartbeat, who_is_busy_or_has_left_is_let_live, .timeout = 60)
{
    struct heart *h = hearts_make(3);
    const pid_t longer = rank_start(h, 3, 0, 2 * LIMIT), shorter = rank_start(h, 3, 1, 1);
    cr_assert_eq(code_of(shorter), 0);
    cr_assert_eq(atomic_load(&h[1].beats), 0);
    cr_assert_eq(code_of(longer), 0);
}

/* Stopped together, as by a batch system that suspends a job: nobody is to blame when they go on. */
Test(heartbeat, ranks_that_are_stopped_together_go_on_together, .timeout = 60)
{
    struct heart *h = hearts_make(2);
    pid_t rank[2];
    for (int n = 0; n < 2; n++) rank[n] = rank_start(h, 2, n, 2 * LIMIT);
    sleep(1);
    for (int n = 0; n < 2; n++) kill(rank[n], SIGSTOP);
    sleep(LIMIT + 2);
    for (int n = 0; n < 2; n++) kill(rank[n], SIGCONT);
    for (int n = 0; n < 2; n++) cr_assert_eq(code_of(rank[n]), 0);
}
