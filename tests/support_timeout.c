/* A time limit for every test. Criterion's own --timeout only shortens the limits of tests that declare one, and a test
 * without any could hang for ever.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <stdlib.h>

enum { TIMEOUT_DEFAULT = 120 }; /* s */

/* Called in the parent, before the first test starts. A limit that a test declares stays. */
ReportHook(PRE_ALL)(struct criterion_test_set *set)
{
    const char *text = getenv("TEST_TIMEOUT");
    const double asked = text ? strtod(text, NULL) : 0;
    FOREACH_SET(struct criterion_suite_set *s, set->suites) {
        FOREACH_SET(struct criterion_test *t, s->tests) {
            if (!(t->data->timeout > 0)) t->data->timeout = asked > 0 ? asked : TIMEOUT_DEFAULT;
        }
    }
}
