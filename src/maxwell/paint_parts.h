/* What paint.c and paint_rows.c share. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/paint.h"

#define WEIGHT_WHOLE (1ULL << 48)

/* In place of a number. */
enum { MIXTURE_TOO_MANY = -1, MIXTURE_NO_MEMORY = -2 };

static inline uint64_t mixture_part(uint64_t weight, int medium) { return weight << 8 | (unsigned)medium; }

/* Number of a mixture, given now when it is new; one of the above when that cannot be. By one thread at a time. */
int dictionary_number(struct dictionary *d, const struct mixture *x);
