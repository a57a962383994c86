/* A limit for every test, in processor time: a busy machine uses up the wall clock and makes no test wrong.
 *
 * Each test is a process of its own, which inherits the limit: SIGXCPU ends one that loops for ever. One that hangs
 * uses no processor time; tools/patience, which runs the whole binary, ends it. The limit is TEST_TIMEOUT seconds, or
 * TIMEOUT_DEFAULT, or the largest `.timeout` that a test of the binary declares: a count of the processor time that it
 * needs. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { TIMEOUT_DEFAULT = 120 }; /* s */

/* Called in the parent, before the first test starts. */
ReportHook(PRE_ALL)(struct criterion_test_set *set)
{
    const char *text = getenv("TEST_TIMEOUT");
    const double asked = text ? strtod(text, NULL) : 0;
    double most = asked > 0 ? asked : TIMEOUT_DEFAULT;
    FOREACH_SET(struct criterion_suite_set * s, set->suites)
    {
        FOREACH_SET(struct criterion_test * t, s->tests)
        {
            if (t->data->timeout > most) most = t->data->timeout;
            t->data->timeout = 0; /* no limit by the wall clock */
        }
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_CPU, &limit)) return;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (rlim_t)most) limit.rlim_cur = (rlim_t)most;
    setrlimit(RLIMIT_CPU, &limit);
}
