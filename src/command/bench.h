/* The parts of `sferic bench`: what they share. SPDX-License-Identifier: MIT */
#pragma once

#include "command/command.h"
#include "command/limits.h"
#include "command/session.h"

enum { BENCH_PATH = 4096, BENCH_TEAMS = 2, BENCH_STAGES = 128, TALLY_MOST = 32 };

/* Rates of a thing measured again and again: the best is what it can do, the worst what the machine's other work
 * left. */
struct tally {
    double value[TALLY_MOST], best, worst;
    int n;
};

struct bench {
    int quick, tune, stream, threads, repeats;
    int size[3], sized; /* cells west-east, south-north, up; 1: as the user asked */
    const char *sides, *model;
    struct case_arguments of; /* a user's case; without a path the program's own are measured */
    double duration; /* s, of its sessions: more steps than are measured */
    int choice; /* of &pipeline backend */
    const struct backend *backend;
    char dir[BENCH_PATH], path[BENCH_PATH + 16]; /* a directory of its own, and the namelist in it */
    const char *set[8]; /* more of the namelist, for the sessions to come */
    int nsets;
    int teams, team[BENCH_TEAMS]; /* numbers of threads: 1, and all; of a GPU 1 */
    struct tally ceiling[BENCH_TEAMS][CEILINGS];
};

void tally_add(struct tally *t, double rate);
double tally_median(const struct tally *t);
double tally_spread(const struct tally *t); /* percent that the worst lies below the best */
/* What a rate is told as: on a CPU, which other work of the machine slows down, the best; on a GPU the median. */
double tally_told(const struct tally *t, const struct bench *b);

/* A session of bench's case on so many cells and threads; free with bench_close. */
int bench_open(struct session **s, const struct bench *b, const int size[3], int threads);
/* A session of another namelist. */
int bench_open_sets(struct session **s, const struct bench *b, const char *path, const char *const *set, int nsets);
void bench_close(struct session **s);
double bench_points(const struct session *s);

/* ---- a directory for the namelist and history, bench_directory.c ---- */

/* Make b->dir with the namelist b->path in it. From then on an interrupt, SIGTERM or SIGHUP removes it before it ends
 * the process. Errors: SF_USAGE, SF_IO, SF_INTERNAL. */
int bench_directory_make(struct bench *b);
/* With all that is in it, if it was made. */
void bench_directory_remove(struct bench *b);

/* ---- ceilings, bench_ceilings.c ---- */

int bench_site_open(const struct bench *b, struct ceiling_site *s);
/* One measurement each of what team n can do at most. Errors: SF_GPU. */
int bench_ceilings_turn(struct bench *b, struct ceiling_site *s, int n);
/* All of them, of a GPU, which nobody else slows down: measured before anything else. */
int bench_ceilings(struct bench *b);
void bench_ceilings_print(const struct bench *b);
/* What they say of the machine; `check` and `run` will know it too. */
struct machine bench_machine(const struct bench *b, int n);

/* ---- a session that is measured again and again, bench_course.c ---- */

struct course {
    struct session *session;
    int stages; /* 1: they are measured too */
    long steps; /* of one measurement */
    struct tally step, stage[BENCH_STAGES]; /* points/s */
    struct engine_stage_time last[BENCH_STAGES];
};

/* Take `warm_up` steps, then find how many steps a measurement is. */
int course_begin(struct course *c, const struct bench *b, long warm_up);
/* Of a GPU the step without marks between its stages, then the stages. */
int course_measure(struct course *c);
/* Opens a course for each team of b, and measures them and the machine's ceilings in turns. Errors: those of `open`. */
int course_turns(struct bench *b, struct course *course, int (*open)(const struct bench *b, struct course *course));
int course_stages(const struct course *c); /* those of the model, and the last: ops that settle second banks */
double course_share(const struct course *c,
                    int stage); /* of the time in stages; at course_stages(c): of ghosts, on a GPU */
const struct plan_op *course_op(const struct course *c, int stage);

/* ---- tables ---- */

/* bench_gpu.c: stages against their limits. */
void bench_stages_print(const struct bench *b, const struct course *c);
/* The step as a whole; `unit`: what is counted. */
void bench_rate_print(const struct bench *b, const struct course *c, const char *unit);
/* bench_cpu.c: steps and stages on a CPU; those of the weather model, and another model's step. */
void bench_teams_print(const struct bench *b, const struct course *course);
void bench_step_print(const struct bench *b, const struct course *course);

/* ---- what is measured ---- */

/* The user's case. bench_case.c: its size and how long it would have to run; a session with `more` set beside; its step
 * and stages; a line that says what it is. Errors of the first: those of session_read. */
int bench_case_read(struct bench *b);
int bench_case_open(struct session **s, const struct bench *b, const char *const *more, int nmore, int threads);
int bench_case(struct bench *b);
void bench_case_head(const struct session *s);

/* Ceilings, the step and its stages, all taking turns. bench_step.c */
int bench_step(struct bench *b);
/* The EM model's step; its case alone; cells a side. bench_wave.c */
int bench_wave(struct bench *b);
int bench_wave_open(struct session **s, const struct bench *b, int cells, int threads);
int bench_wave_cells(const struct bench *b);
/* Cost and memory by size. bench_cost.c */
int bench_sizes(const struct bench *b);
/* The same of any case: `open` makes the session of size[n]. */
struct bench_sweep {
    const char *title, *unit;
    const int (*size)[3];
    int nsizes;
    double seconds; /* set aside for all */
    int (*open)(struct session **s, const struct bench *b, const int size[3]);
};
int bench_sweep(const struct bench *b, const struct bench_sweep *w);
/* Cost of history output. bench_history.c */
int bench_history(const struct bench *b);
/* Slabs that stream against a domain that stays: rate, transfers hidden, bits. bench_stream.c */
int bench_stream(struct bench *b);
/* Shapes of kernels and of windows. bench_tune.c */
int bench_tune(struct bench *b);
