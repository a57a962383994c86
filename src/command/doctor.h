/* What this machine has for the program, and what it lacks. Each thing that is looked at leaves lines of three kinds: a
 * fact, a lack, which a part of the program does without, and a lack that no case runs with.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

enum { DOCTOR_LINES = 64, DOCTOR_TEXT = 768 };

struct doctor_line {
    const char *name; /* one word */
    int is_lack;
    int code; /* of a lack that no case runs with: the exit code; 0 otherwise */
    char what[DOCTOR_TEXT]; /* a fact: what there is; a lack: what cannot be done for want of it */
    char remedy[DOCTOR_TEXT]; /* of a lack: the line to type */
};

struct doctor {
    const char *out; /* where output is to go */
    char tools[DOCTOR_TEXT]; /* the folder of sferic-plot and its like; empty: not found */
    int n;
    struct doctor_line line[DOCTOR_LINES];
};

void doctor_fact(struct doctor *d, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* remedy: the line to type. code: 0, or the exit code of the command, for no case runs. */
void doctor_lack(struct doctor *d, const char *name, int code, const char *remedy, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* The line that installs Debian's packages of these names here, in a buffer of its own until the next call. */
const char *doctor_install(const char *packages);

/* What is looked at: doctor_machine.c, doctor_programs.c, doctor_python.c. */
void doctor_machine(struct doctor *d);
void doctor_programs(struct doctor *d);
void doctor_python(struct doctor *d);

/* ---- judgements, doctor_judge.c ---- */

/* Words of `needed` that are not among those of `there`, with blanks between them, into lacking; how many they are. */
int doctor_words_lacking(const char *needed, const char *there, char *lacking, size_t size);

/* Has a program with kernels for `archs` ("80 90", of the last as PTX too) any for a GPU of this compute capability
 * ("9.0")? */
int doctor_kernels_fit(const char *archs, const char *capability);

/* The major version of NVIDIA's driver that CUDA `toolkit` ("12.4") takes at least; 0: not known. */
int doctor_driver_least(const char *toolkit);

/* Is `mpirun`, what `mpirun --version` says, of the library "Open MPI v4.1.4"? Versions count up to the second number.
 * 0: it is another. */
int doctor_mpirun_fits(const char *library, const char *mpirun);
