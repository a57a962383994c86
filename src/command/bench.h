/* The parts of `sferic bench`: what they share. SPDX-License-Identifier: MIT */
#pragma once

#include "command/ceilings.h"
#include "command/session.h"

enum { BENCH_PATH = 4096, BENCH_TEAMS = 2 };

/* Rates of a thing measured again and again: the best is what it can do, the worst what the machine's other work left. */
struct tally {
    double best, worst;
    int n;
};

struct bench {
    int quick, threads, repeats;
    int size[3]; /* cells west-east, south-north, up */
    const char *sides, *model;
    char dir[BENCH_PATH], path[BENCH_PATH + 16]; /* a directory of its own, and the namelist in it */
    int teams, team[BENCH_TEAMS]; /* numbers of threads: 1, and all */
    struct tally ceiling[BENCH_TEAMS][CEILINGS];
    double rate[BENCH_TEAMS]; /* best of the step: points/s */
};

void tally_add(struct tally *t, double rate);
double tally_spread(const struct tally *t); /* percent that the worst lies below the best */

/* A session of bench's case on so many cells and threads; free with bench_close. */
int bench_open(struct session **s, const struct bench *b, const int size[3], int threads);
void bench_close(struct session **s);

/* Ceilings, the step and its stages, all taking turns. bench_step.c */
int bench_step(struct bench *b);
/* The EM model's step. bench_wave.c */
int bench_wave(struct bench *b);
/* Cost and memory by size; cost of history. bench_cost.c */
int bench_sizes(const struct bench *b);
int bench_history(const struct bench *b);
