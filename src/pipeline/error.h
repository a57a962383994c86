/* One failure, told once: a code that becomes the exit code, and a message that a user can act on.
 *
 * Every fallible function returns an int: 0 is good, anything else one of the codes below. SF_CHECK writes the
 * message, SF_TRY passes a failure up and adds a line to the trace that `-v` prints.
 * SPDX-License-Identifier: MIT */
#pragma once

enum sf_code {
    SF_OK = 0,
    SF_INTERNAL = 1, /* a bug in Sferic */
    SF_USAGE = 2, /* wrong command line */
    SF_NAMELIST = 3, /* wrong namelist */
    SF_INPUT = 4, /* an input file is missing or damaged */
    SF_BLOWUP = 5, /* NaN, Inf or a Courant number out of bounds */
    SF_IO = 6, /* writing failed: disk full, read-only, quota */
    SF_GPU = 7, /* no usable device */
    SF_RESTART = 8, /* no checkpoint fits this run */
    SF_MEMORY = 9, /* not enough memory */
    SF_COMM = 10, /* an MPI call failed, or a rank is gone, or its GPU while others wait for it */
    SF_VERIFY = 11, /* a verification figure is out of tolerance */
    SF_STOPPED = 75 /* stopped early, with a valid checkpoint */
};

/* Record a failure and return `code`. The first message of a failure is kept; later ones become trace lines. */
int sf_fail(int code, const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int sf_trace(int code, const char *file, int line, const char *call);

/* The message of the current failure, "" when there is none; the trace, one call a line; forget both. */
const char *sf_error_text(void);
const char *sf_error_trace(void);
void sf_error_clear(void);
/* 1: failures of this thread are codes alone, for who meets them again where they count. */
void sf_error_mute(int is);

/* A warning or a note for the user: one line on stderr, on rank 0 only (sf_log_rank says who that is). */
void sf_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void sf_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void sf_log_setup(int rank, int quiet);
/* Warnings told so far, on rank 0; `sf_warnings_add` counts those that were printed in another way. */
int sf_warnings(void);
void sf_warnings_add(int n);

#define SF_FAIL(code, ...) return sf_fail(code, __FILE__, __LINE__, __VA_ARGS__)
#define SF_CHECK(cond, code, ...)                                                                                      \
    do {                                                                                                               \
        if (!(cond)) return sf_fail(code, __FILE__, __LINE__, __VA_ARGS__);                                            \
    } while (0)
#define SF_TRY(call)                                                                                                   \
    do {                                                                                                               \
        const int sf_rc_ = (call);                                                                                     \
        if (sf_rc_) return sf_trace(sf_rc_, __FILE__, __LINE__, #call);                                                \
    } while (0)
