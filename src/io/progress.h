/* How far the run is: one bar on a terminal, a plain line every few seconds elsewhere, on stderr and rank 0.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdio.h>

struct progress {
    double begin, end; /* simulated time of the first step and of the last, s */
    const char *headline; /* name and unit of the quantity to watch: "max w", "m/s" */
    const char *unit;
    int rank, quiet;
    FILE *to; /* NULL: stderr */
};

/* What is known after a step. NaN where headline or courant is not known. */
struct progress_state {
    double time; /* s */
    long step;
    double headline, courant;
};

/* Start the clock. The texts must stay until progress_end. */
void progress_begin(const struct progress *p, long step);
/* Call as often as wanted: what is shown changes ten times a second, or every five seconds where it is no terminal. */
void progress_step(const struct progress_state *now);
/* Take the bar away so that a message can be written; the next step draws it again. */
void progress_clear(void);
/* Show the last state, however recent the one before, and end the line. */
void progress_end(void);

/* "0.350 s", "12.3 s", "4 min 05 s", "2 h 03 min", "3 d 04 h". Returns text. */
char *progress_seconds(char *text, size_t size, double seconds);
/* The line for `now`, `wall` seconds and `steps` steps after the start; bar: with a bar, `columns` wide at most.
 * colour: with escape sequences, which take no columns. Returns text. */
char *progress_line(char *text, size_t size, const struct progress *p, const struct progress_state *now, long steps,
                    double wall, int bar, int columns, int colour);
