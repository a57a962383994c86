/* A main for a test file that stands in place of Criterion's: `killer [LAST...]` runs all tests of the binary one after
 * the other, those named SUITE/NAME as given behind all others, and stops at the first that fails.
 *
 * Criterion starts the program anew for every test, which takes 20 to 40 ms: libraries of MPI and netCDF are loaded
 * each time. A fork of a program that runs already takes 1 ms. Faults in formulas (tests/support_mutants.sh) are looked
 * for this way; tests of what is as it should be stay with Criterion.
 *
 * A test fails as under Criterion: by an assertion, a signal or an exit code other than its own, or when it takes more
 * than LIMIT. Prints the seconds that each took. The exit code is 1 when one failed, and 2 when none could be run.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT = 120 }; /* s, by the clock: what hangs uses no processor time */

/* The linker tells where the tables begin and end that Test() and TestSuite() fill. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak)), *__stop_cr_sts[] __attribute__((weak));

struct criterion_options criterion_options;

static const struct criterion_test *now;
static const struct criterion_test_extra_data *fixture; /* of its suite */
static jmp_buf out;
static int failed;
/* Shared with the child: a test that leaves the program with exit code 0 before its end has not passed. */
static int *ended;

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    fprintf(stderr, "%s:%u: %s/%s: %s\n", stats->file, stats->line, now->category, now->name, stats->message);
    failed = 1;
}

void criterion_continue_test(void) {}

void criterion_abort_test(void) { longjmp(out, 1); }

void criterion_skip_test(const char *format, ...)
{
    fprintf(stderr, "%s/%s: skipped: %s\n", now->category, now->name, format);
    *ended = 1;
    exit(now->data->exit_code);
}

void cri_asserts_passed_incr(void) {}

char *cr_translate_assert_msg(int message, ...)
{
    char *text = malloc(32);
    if (text) snprintf(text, 32, "assertion of kind %d", message);
    return text;
}

int cr_asprintf(char **text, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    const int n = vsnprintf(NULL, 0, format, more);
    va_end(more);
    *text = malloc((size_t)n + 1);
    if (!*text) return -1;
    va_start(more, format);
    vsnprintf(*text, (size_t)n + 1, format, more);
    va_end(more);
    return n;
}

void cr_asprintf_free(char *text) { free(text); }

void cr_redirect_stdout(void)
{
    if (!freopen("/dev/null", "w", stdout)) abort();
}

void criterion_internal_test_setup(void)
{
    if (fixture && fixture->init) fixture->init();
    if (now->data->init) now->data->init();
}

void criterion_internal_test_main(void (*test)(void))
{
    if (!setjmp(out)) test();
}

void criterion_internal_test_teardown(void)
{
    if (now->data->fini) now->data->fini();
    if (fixture && fixture->fini) fixture->fini();
}

static void suite_find(void)
{
    fixture = NULL;
    for (struct criterion_suite **s = __start_cr_sts; s < __stop_cr_sts; s++) {
        if (*s && !strcmp((*s)->name, now->category)) fixture = (*s)->data;
    }
}

/* In a group of its own, so that none of what it started stays behind a test that fails. */
static _Noreturn void test_child(void)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(LIMIT);
    now->test();
    *ended = 1;
    exit(now->data->exit_code + failed);
}

static int test_fails(const struct criterion_test *t)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    now = t;
    suite_find();
    *ended = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) test_child();
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("no test can be run");
        exit(2);
    }
    const int bad = t->data->signal ? !WIFSIGNALED(status) || WTERMSIG(status) != t->data->signal
                                    : !WIFEXITED(status) || WEXITSTATUS(status) != t->data->exit_code ||
                                          !(*ended || t->data->exit_code);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (bad) kill(-child, SIGKILL);
    const double took = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("%s %.3f %s/%s\n", bad ? "failed" : "passed", took, t->category, t->name);
    return bad;
}

static int is_called(const struct criterion_test *t, const char *name)
{
    const size_t n = strlen(t->category);
    return !strncmp(name, t->category, n) && name[n] == '/' && !strcmp(name + n + 1, t->name);
}

static int is_last(const struct criterion_test *t, int n, char **last)
{
    for (int k = 0; k < n; k++) {
        if (is_called(t, last[k])) return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    ended = mmap(NULL, sizeof *ended, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (ended == MAP_FAILED) return 2;
    int tests = 0;
    for (struct criterion_test **t = __start_cr_tst; t < __stop_cr_tst; t++) {
        if (!*t || (*t)->data->disabled) continue;
        tests++;
        if (!is_last(*t, argc - 1, argv + 1) && test_fails(*t)) return 1;
    }
    for (int k = 1; k < argc; k++) {
        for (struct criterion_test **t = __start_cr_tst; t < __stop_cr_tst; t++) {
            if (*t && !(*t)->data->disabled && is_called(*t, argv[k]) && test_fails(*t)) return 1;
        }
    }
    return tests ? 0 : 2;
}
