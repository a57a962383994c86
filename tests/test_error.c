/* A failure that several threads report at once stays whole. SPDX-License-Identifier: MIT */
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, LINES = 20, ROUNDS = 200 };

static pthread_barrier_t together;

static void *fail_often(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&together);
    for (int m = 0; m < LINES; m++) sf_fail(SF_IO, "a.c", 7, "the disk is full");
    return NULL;
}

Test(error, threads_that_fail_together_lose_no_line)
{
    char want[4096] = "";
    for (int m = 0; m < THREADS * LINES; m++) strcat(want, "  at a.c:7 \n");
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread[THREADS];
        cr_assert_eq(pthread_barrier_init(&together, NULL, THREADS), 0);
        for (int m = 0; m < THREADS; m++) cr_assert_eq(pthread_create(&thread[m], NULL, fail_often, NULL), 0);
        for (int m = 0; m < THREADS; m++) pthread_join(thread[m], NULL);
        pthread_barrier_destroy(&together);
        cr_assert_str_eq(sf_error_text(), "the disk is full");
        cr_assert_str_eq(sf_error_trace(), want, "round %d", round);
        sf_error_clear();
    }
}
