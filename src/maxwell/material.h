/* Materials whose permittivity the program knows: materials.def. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/pole.h"

struct material {
    const char *name, *source; /* source: what it is, and where the numbers are from */
    double epsilon, sigma; /* relative, above all poles; S/m */
    double lowest, highest; /* Hz, that its numbers are for */
    int first, end; /* its poles */
};

/* Material number n; NULL: there are no more. */
const struct material *material_of(int n);
/* The one of a name, in upper or lower case; NULL: there is none. */
const struct material *material_find(const char *name);
/* Its pole number m, from `first` on. */
struct pole_keys material_pole(int m);
/* Names of all of them, set apart by commas. */
const char *material_names(void);
