/* What a compiled kernel executes for a point: instructions that were counted in its machine code when the program was
 * built (tools/sass_count.py). SPDX-License-Identifier: MIT */
#pragma once

/* A way through a part of a kernel: part 0 is what a thread runs once, each further part a loop. SHORTEST or LONGEST of
 * those that store so many 32-bit words, or where stores have different guards, GUARDED, the shortest with so many
 * fp. */
enum sass_kind { SHORTEST, LONGEST, GUARDED };

struct sass_row {
    const char *kernel;
    int part, unrolled; /* turns of the loop that it takes at once */
    enum sass_kind kind;
    int stores, fp, memory, words, other;
    int aside; /* what one warp of a block does for all, beside the way */
};

/* How a stage uses its kernel. */
struct sass_use {
    int stores; /* 32-bit words that it stores for a point */
    double flops; /* of a point; 0: not counted */
    double points; /* of a thread */
    int is_column; /* 1: its loops go over the points of a column one after the other */
    int warps; /* of a block */
};

/* Of a thread for a point. */
struct instructions {
    double fp, memory, words,
        other; /* words: 32-bit words that those of memory move; other: with a warp's share of what one does for all */
    double turn; /* points that a thread makes at once */
};

static inline double instructions_all(const struct instructions *i) { return i->fp + i->memory + i->other; }

/* The counted kernels; *n: rows, 0 when none could be counted. */
const struct sass_row *sass_table(int *n);

/* *to for kernel `kernel` of a table: 1, or 0 when it is not there, or none of its ways can be that of most threads. */
int sass_count(const struct sass_row *table, int n, const char *kernel, const struct sass_use *use,
               struct instructions *to);
