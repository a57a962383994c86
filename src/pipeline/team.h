/* How many threads sweep the next pass, where other work may keep cores busy.
 *
 * Threads of a team wait for each other at every op. One whose core computes something else holds all others up for
 * whole slices of some milliseconds, so that two threads may be ten times slower than one. The bits do not depend on
 * the number of threads: a team may be smaller than what was asked for, and change between passes.
 *
 * Passes are judged in blocks of TEAM_BLOCK. A team that nobody disturbs stays as it is, and nothing else is tried. A
 * disturbed one tries fewer threads for a block, a small one tries more where cores have become free or, in case that
 * is not what it seems, now and then; what takes less time a step stays. Trials that fail are repeated after 1, 2, 4,
 * ... 16 s, and after TEAM_REPAY times what they cost.
 *
 * No clock and no call of the system is in here: engine_team.c gives the numbers. SPDX-License-Identifier: MIT */
#pragma once

#define TEAM_BLOCK 0.03 /* s: a core that is shared comes back in slices of 3 to 10 ms */
#define TEAM_FIRST_WAIT 1.0 /* s, doubled up to */
#define TEAM_LAST_WAIT 16.0 /* s */
#define TEAM_REPAY 40.0 /* trials cost at most one part of so many */
#define TEAM_DISTURBED                                                                                                 \
    0.2 /* share of the time that the team waits for a thread: half of that is no loss against half as many threads */
#define TEAM_GAIN                                                                                                      \
    0.9 /* a trial that takes more than this of the time a step is no gain: slices make blocks differ by some % */
#define TEAM_SLOWER                                                                                                    \
    1.5 /* times the time a step of a failed trial of fewer threads: then they are tried again at once */

enum {
    TEAM_FREE_BLOCKS = 2, /* in a row, that cores must be seen free before more threads are tried */
    TEAM_FREE_DISTURBED = 3 /* that a team must be disturbed in for which cores are free, before fewer are tried */
};

struct team {
    int most, size; /* threads: asked for, and of the next pass */
    int tried_from; /* during a trial: the size that it is held against; 0: none is under way */
    int is_guessed; /* 1: `size` comes from team_guess */
    int has_grown; /* 1: `size` comes from a trial of more threads */
    int free_blocks; /* blocks in a row at whose ends cores were free, */
    int disturbed_blocks; /* and that were disturbed */
    double pace; /* s a step of the size that is no trial, a mean over blocks; 0: not known */
    double since; /* s computed since the last trial */
    double wait_more; /* s between trials of more threads, at least; 0: none failed */
    double wait_fewer;
    double held; /* s a step when fewer threads were last no gain; 0: never */
    int passes; /* of the block under way */
    long steps;
    double seconds, late;
    long all, fewer; /* steps so far; of those, with less than `most` threads: */
    int fewest, next; /* the fewest, and the most, of these */
};

void team_init(struct team *t, int most);

/* Before the first pass, any number of times: as many cores are free for the team; negative: not known. The best guess
 * counts: what runs for a moment only is not to cost half of the threads. */
void team_guess(struct team *t, int cores_free);

/* A pass of `steps` steps was swept in `seconds` s, during `late` s of which the team waited for a thread that had no
 * core. Returns 1 where a block is over: call team_judge. */
int team_add(struct team *t, int steps, double seconds, double late);

/* Chooses the size of the next pass; cores_free as for team_guess. */
void team_judge(struct team *t, int cores_free);

/* Does team_judge look at how many cores are free? */
int team_asks(const struct team *t);
