/* What the readers of sounding files hand to the common clean-up: raw levels in the order of the file.
 * Private to sounding*.c. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/sounding.h"

/* Dry air as in the model's defaults; it enters what a file leaves out, and checks. */
#define SOUNDING_G 9.80665
#define SOUNDING_CP 1004.5
#define SOUNDING_R 287.0
#define SOUNDING_P00 1e5

enum { HAS_WIND = 1, HAS_QV = 2 };

struct level {
    double z, p, theta, qv, u, v; /* z as in the file, in m; p = 0: not in the file */
    int line;
    unsigned has;
};

struct reader {
    const char *path;
    char *text, *next; /* the whole file, closed by NUL; the line to come, NULL at the end */
    int line; /* number of the current line, from 1 */
    struct level *level;
    int n, capacity;
    int qv_unit_is_told; /* 1: the format fixes the unit of moisture */
    struct sounding *out; /* receives title, notes, and the surface pressure of an input_sounding */
};

/* Read r->path into r->level. The caller frees r->text and r->level, after a failure too. */
int sounding_file_read(struct reader *r);
