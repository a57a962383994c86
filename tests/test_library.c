/* NetCDF has one caller at a time, whichever thread that is. SPDX-License-Identifier: MIT */
#include "io/header.h"
#include "io/library.h"
#include "io/nc.h"
#include "io/restart.h"

#include "support_small_run.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void moment(void) { nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); }

static int entered;

static void *enter(void *none)
{
    LIBRARY_HELD;
    __atomic_store_n(&entered, 1, __ATOMIC_SEQ_CST);
    return none;
}

static int has_entered(void) { return __atomic_load_n(&entered, __ATOMIC_SEQ_CST); }

Test(library, who_holds_it_keeps_others_waiting)
{
    pthread_t other;
    {
        LIBRARY_HELD;
        {
            LIBRARY_HELD;
            cr_assert_eq(pthread_create(&other, NULL, enter, NULL), 0);
        }
        moment();
        cr_assert(library_is_held());
        cr_assert_not(has_entered(), "an inner block let it go");
    }
    cr_assert_not(library_is_held());
    pthread_join(other, NULL);
    cr_assert(has_entered());
}

Test(library, who_waits_lets_others_in)
{
    pthread_t other;
    LIBRARY_HELD;
    cr_assert_eq(pthread_create(&other, NULL, enter, NULL), 0);
    library_yield();
    pthread_join(other, NULL);
    library_resume();
    cr_assert(has_entered());
}

Test(library, a_call_without_it_is_refused)
{
    struct ncfile f = {0};
    cr_assert_eq(ncfile_begin(&f, "library_test.nc", 0), SF_INTERNAL);
    cr_assert(strstr(sf_error_text(), "does not hold"), "%s", sf_error_text());
    ncfile_abandon(&f);
}

static int nothing_done(void *none) { return (void)none, SF_OK; }

Test(library, who_holds_it_cannot_wait_for_the_writer)
{
    struct writer *w;
    cr_assert_eq(writer_open(&w), SF_OK);
    cr_assert_eq(writer_submit(w, nothing_done, NULL, NULL), SF_OK);
    {
        LIBRARY_HELD;
        cr_assert_eq(writer_drain(w), SF_INTERNAL);
        cr_assert_eq(writer_close(&w), SF_INTERNAL);
    }
    cr_assert_eq(writer_close(&w), SF_OK);
}

/* As levels in time that are read ahead while a run begins from a checkpoint. */
struct reader {
    const char *path;
    int stops, read, failed;
};

static void *read_on(void *of)
{
    struct reader *const r = of;
    char text[4096];
    while (!__atomic_load_n(&r->stops, __ATOMIC_SEQ_CST)) {
        header_attribute(r->path, "identity", text, sizeof text);
        r->read++, r->failed += !text[0];
    }
    return NULL;
}

Test(library, a_checkpoint_is_read_beside_other_files)
{
    struct small_run *const r = small_run_plain();
    char path[512];
    pthread_t other;
    const struct restart_info info = small_run_info(4);
    small_run_fill(r, 4);
    cr_assert_eq(restart_write(&r->st, r->dir, &info), 0, "%s", sf_error_text());
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    struct reader beside = {.path = path};
    cr_assert_eq(pthread_create(&other, NULL, read_on, &beside), 0);
    for (int n = 0; n < 50; n++) {
        cr_assert_eq(small_run_read(r, path, small_run_settings), 0, "%s", sf_error_text());
        cr_assert_eq(restart_find(r->dir, path, sizeof path), 0, "%s", sf_error_text());
    }
    __atomic_store_n(&beside.stops, 1, __ATOMIC_SEQ_CST);
    pthread_join(other, NULL);
    cr_assert(beside.read > 0 && !beside.failed, "%d of %d", beside.failed, beside.read);
    small_run_end(r);
}
