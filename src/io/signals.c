/* A flag, set by a handler that does nothing else. SPDX-License-Identifier: MIT */
#include "io/signals.h"

#include "pipeline/error.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t pending;
/* Milliseconds from the start to the last SIGINT; -1: none yet. */
static volatile sig_atomic_t interrupted_ms = -1;
static struct timespec begun;
static const char *told; /* at an interrupt */
static size_t told_length;
static int is_installed;

static double seconds_since(const struct timespec *from)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from->tv_sec) + 1e-9 * (double)(now.tv_nsec - from->tv_nsec);
}

static void signal_caught(int number)
{
    const int error = errno;
    if (number == SIGINT) {
        /* Wraps every 24 days, which costs at most one impatient second press. */
        const int now = (int)((long long)(1e3 * seconds_since(&begun)) & 0x7fffffff);
        if (interrupted_ms >= 0 && now - interrupted_ms >= 0 && now - interrupted_ms <= 2000) {
            signal(SIGINT, SIG_DFL);
            raise(SIGINT); /* delivered when the handler returns */
            errno = error;
            return;
        }
        interrupted_ms = now;
        if (told_length > 0) (void)!write(STDERR_FILENO, told, told_length);
    }
    pending = number;
    errno = error;
}

int signals_install(const char *notice)
{
    static const int caught[] = {SIGUSR1, SIGTERM, SIGINT, SIGHUP}, ignored[] = {SIGPIPE, SIGXFSZ};
    clock_gettime(CLOCK_MONOTONIC, &begun);
    is_installed = 1;
    told = notice, told_length = notice ? strlen(notice) : 0;
    pending = 0;
    interrupted_ms = -1;
    struct sigaction action = {.sa_handler = signal_caught, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t n = 0; n < sizeof caught / sizeof *caught; n++) {
        struct sigaction before;
        const int spared = caught[n] == SIGHUP && !sigaction(SIGHUP, NULL, &before) && before.sa_handler == SIG_IGN;
        SF_CHECK(spared || !sigaction(caught[n], &action, NULL), SF_INTERNAL, "cannot catch signal %d: %s", caught[n],
                 strerror(errno));
    }
    action.sa_handler = SIG_IGN;
    for (size_t n = 0; n < sizeof ignored / sizeof *ignored; n++)
        SF_CHECK(!sigaction(ignored[n], &action, NULL), SF_INTERNAL, "cannot ignore signal %d: %s", ignored[n],
                 strerror(errno));
    return SF_OK;
}

int signals_pending(void) { return pending; }

const char *signals_name(int reason)
{
    switch (reason) {
    case SIGUSR1:
        return "SIGUSR1";
    case SIGTERM:
        return "SIGTERM";
    case SIGINT:
        return "SIGINT";
    case SIGHUP:
        return "SIGHUP";
    case SIGNALS_WALL:
        return "the wall limit";
    default:
        return "nothing";
    }
}

double signals_wall(void) { return is_installed ? seconds_since(&begun) : 0; }

int signals_stop_reason(double limit)
{
    if (pending) return pending;
    return limit > 0 && signals_wall() >= limit ? SIGNALS_WALL : 0;
}
