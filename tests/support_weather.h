/* For tests of the weather model's formulas: a slab bound by hand, on which single stages run, and whole cases from the
 * text of a namelist. Element (i, j, k) of a field is found by number, whatever the layout.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "command/session.h"
#include "dynamics/dynamics.h"

enum {
    AIR_GHOSTS = 3,
    AIR_TRACERS = 3,
    AIR_FIELDS = F_Q + AIR_TRACERS * F_FAMILY,
    AIR_MEMBERS = 4, /* there is room for one more: water and the energy of turbulence */
    AIR_ALL = F_Q + AIR_MEMBERS * F_FAMILY
};

/* All fields with AIR_MEMBERS tracers, AIR_GHOSTS around a few cells; prognostic ones have two banks, which stages read
 * at f and write at w. */
struct air {
    struct dynamics d; /* the numbers of the model: zero but for nk, until the test sets them */
    struct slab s;
    int ni, nj, nk;
    real *memory;
    size_t size; /* elements of a field */
    struct member of[AIR_MEMBERS]; /* what call.of is for stages of all tracers */
};

/* All fields and profiles are zero. in_place: the banks are one. Aborts where there is no memory. */
void air_make(struct air *a, int ni, int nj, int nk, int in_place);
void air_free(struct air *a);
/* Element (i, j, k) of a field, from -AIR_GHOSTS on; `written`: in the bank that stages write. */
real *air_at(const struct air *a, int field, int i, int j, int k);
real *air_written(const struct air *a, int field, int i, int j, int k);
/* Every element of a field, ghosts included, is a random number: a multiple of 1 / parts in (-most, most). */
void air_fill(const struct air *a, int field, double most, int parts);
/* The same in (low, high), of no such multiples. */
void air_spread(const struct air *a, int field, double low, double high);
/* The same of a profile, in (low, high), whole numbers where parts is 1. */
void air_levels(const struct air *a, int profile, double low, double high, int parts);
/* The whole domain and, over `extend` columns and rows more, the faces beyond it. */
struct box air_box(const struct air *a, int extend);
/* In (low, high). */
double air_random(double low, double high);

/* a->d becomes what the program makes of a small case, humid air over 8 levels, whose namelist has these lines, too. */
void air_numbers(struct air *a, const char *more);

/* Opens a case on the CPU with one thread, its state that of time 0. Ends the test where the case is refused. */
void weather_open(struct session *s, const char *text);
/* What opening a case says; its outcome. */
int weather_told(const char *text, char *told, size_t size);
/* The case is refused, and what is told of it has these words. Returns the error. Ends the test where it is not. */
int weather_refused(const char *text, const char *key, const char *says);
/* The prognostic fields and tracers of its state, one layer of ghosts included, are random: winds up to 20 m/s, theta'
 * up to 9 K, pi' up to 2e-3, tracers up to 1. */
void weather_stir(struct session *s);
/* Element (i, j, k) of a field of its state. */
real *weather_at(const struct session *s, int field, int i, int j, int k);
