/* Candidates of a stage, predicted and measured: one table for kernels of a GPU and windows of a CPU.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "command/bench.h"
#include "command/predict.h"

/* One candidate. */
struct trial {
    const char *name;
    const char *without; /* why it was not measured, NULL: it was, or the stage does not run */
    int threads; /* of a block; of a CPU */
    int registers, resident; /* of a thread; threads that a multiprocessor holds; of a CPU 0 */
    double kept; /* bytes that a block shares, or that a window keeps in cache */
    struct instructions count;
    int is_counted; /* 0: `count` is an estimate */
    double loads; /* values that a point takes from beyond its multiprocessor; 0: not known */
    struct prediction predicted;
    struct tally rate; /* points/s */
};

/* s for a point; 0: not measured. */
double trial_seconds(const struct bench *b, const struct trial *t);
/* The fastest, measured or as predicted, of those that were measured; -1: none. */
int trials_best(const struct bench *b, const struct trial *t, int n, int predicted);
/* The table of `what`; own: what is picked without a trial. */
void trials_print(const struct bench *b, const struct session *s, const char *what, const struct trial *t, int n,
                  int own);

/* bench_tune_gpu.c: all stages of a session in all their shapes; the fastest are kept for run. */
int bench_tune_kernels(const struct bench *b, struct session *s);
/* bench_tune_cpu.c: all stages of a case in windows of several sizes, and the step as a whole. */
int bench_tune_windows(struct bench *b, int (*open)(struct session **s, const struct bench *b, int threads));
