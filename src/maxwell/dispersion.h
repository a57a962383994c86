/* Media that disperse: what E gains from their poles, a stage behind E and its sources.
 *
 *     E <- E + sum of Re y,   then   y <- decay y + gain E                                   (pole.h)
 *
 * in place, at each edge by itself: y has seen the current of a source there. Where a mixture has poles of several
 * media, E gains from all of them before the memories of any follow, in a second stage. The update of E before has keep
 * less the sum of Re gain; its turn has the poles' share of the denominator. Of a mixture (paint.h) poles count by its
 * volumes, whatever the normal of the surface. A metal, a medium with a drude pole, is in no mean where its surface is
 * curved: means of a negative and a positive permittivity have resonances of their own. An edge is of the medium that
 * has most of its own cell; so a ball of gold of 20 cells to the radius takes 0.2 to 5 % too much of light, up to 14 %
 * at 0.6 um where little moves much; as cells in or out with means over four of them it took 4 to 48 % too much.
 *
 * The memories y of a medium are one field, a box of the columns and levels that its solids touch: of each of the three
 * components those of real poles, then the two parts of each pair. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/disperse.h"
#include "maxwell/maxwell.h"
#include "maxwell/medium.h"
#include "pipeline/model.h"

struct geometry;
struct paint;

/* One medium, or one lumped element: MEDIUM_LOADS and its place in the geometry's list. */
struct dispersion {
    int medium;
    struct extent box; /* of its memories: of all rows */
    int j0, j1; /* rows that its solids touch; of an axis that is periodic all, and beyond */
    struct disperse point;
    int mixes; /* 1: some mixture has others beside it */
    char name[48], name_im[52]; /* of its field; of that of imaginary parts, if there are any */
};

struct dispersions {
    int n;
    struct dispersion *of;
    struct pole_step (*step)[POLES_MOST]; /* [n]: of real poles, then of pairs */
    struct pole (*pole)[POLES_MOST]; /* the same as steps have them */
    void *table;
};

/* The media in use that have poles, with the boxes of their solids. Errors: SF_MEMORY. *out NULL: there are none. */
int dispersions_make(struct dispersions **out, const struct maxwell *x, const struct media *m,
                     const struct geometry *g);
void dispersions_free(struct dispersions *d); /* NULL: nothing */

/* Edges that its memories may change; and which part of the domain those of all are, at most. */
struct place_range dispersion_range(const struct dispersion *d, const struct maxwell *x);
double dispersions_part(const struct maxwell *x);

/* Tables for `ids` mixtures of E, without any gain. Errors: SF_MEMORY. */
int dispersions_tables(struct dispersions *d, int ids);
/* Of number id, whose denominator is `den` (1/s), a share `weight` of the medium number `medium`. Returns the sum of
 * the gains. */
double dispersions_gain(struct dispersions *d, int id, int medium, double weight, double den);
/* Sums over a medium's poles: up and down of pole_step. */
struct pole_step dispersions_share(const struct dispersions *d, int medium);

/* Once all gains are there: which mixtures have several. */
void dispersions_settle(struct dispersions *d, int ids);

/* Of the stages, for each medium in turn, then for each again where there are several: the medium that a call is about,
 * and what of a box its memories cover. */
const struct dispersion *dispersion_of(const struct maxwell *x, const struct call *c, int imaginary);
struct box dispersion_part(const struct dispersion *d, struct box b);
