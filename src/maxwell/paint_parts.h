/* What the files of the painter share. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/paint.h"

#define WEIGHT_WHOLE (1ULL << 48)

enum { NORMAL_WHOLE = 64 }; /* g of paint.h that is 1 */

/* In place of a number. */
enum { MIXTURE_TOO_MANY = -1, MIXTURE_NO_MEMORY = -2 };

static inline uint64_t mixture_part(uint64_t weight, int medium) { return weight << 8 | (unsigned)medium; }

/* Number of a mixture, given now when it is new; one of the above when that cannot be. By one thread at a time. */
int dictionary_number(struct dictionary *d, const struct mixture *x);

/* The mixture in the cell of component c with numbers at[0 .. 2], whose surfaces are all flat: paint_flat.c. 1: it is
 * in *x; 0: the cell is to be left as the cells say; FLAT_NOT: a curved surface crosses it, or more faces than can be
 * held apart. The file's rows must be loaded. */
enum { FLAT_NOT = -1 };
int flat_mixture(const struct geometry *g, const unsigned char *alike, int c, const int at[3], struct mixture *x);
