/* What a history file holds, and how one output time is brought together on rank 0.
 *
 * A frame is one array of real: variable after variable, each [nj][nk][ni] over &output region, in the order of
 * memory; the writer turns it into the order of the file. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/state.h"

/* A cell-centred diagnostic, or a kept field in native form. */
struct variable {
    const char *name, *long_name, *unit, *standard_name;
    const struct diagnostic *diagnostic; /* NULL: field number `field` */
    int field;
    unsigned stagger;
    double late; /* as of a diagnostic */
    enum shape shape;
    int i0, k0, j0; /* its first element in the domain */
    int ni, nk, nj; /* 1 where the shape has no such direction */
    size_t at; /* index of its first element in the frame */
};

struct frame_set {
    struct box region; /* cells of the domain that a frame covers */
    struct variable *v;
    int n;
    size_t elements; /* of a frame */
    size_t row_most; /* elements of the largest row of a variable */
};

/* How many of &output fields are given. */
int frame_fields_given(const struct config *c);

/* Complain of names in &output fields that are no history variables, and of a region without a cell. */
void frame_check(const struct instance *in, struct complaints *to);

/* Choose the variables: those named in &output fields, else the model's own choice; native fields where &output
 * staggered asks for them. Errors: SF_MEMORY. */
int frame_set_init(struct frame_set *set, const struct instance *in);
void frame_set_free(struct frame_set *set);

/* Elements of `own` on a rank other than 0, which collects there what it sends. */
size_t frame_own_elements(const struct frame_set *set, const struct state *st);

/* Fill `all` (a frame) on rank 0 from the rows of all ranks; `own` serves the other ranks. Ghosts are valid to depth 1.
 * Collective. Errors: SF_COMM, SF_MEMORY. */
int frame_collect(const struct frame_set *set, const struct state *st, real *all, real *own);
