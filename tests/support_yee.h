/* A small domain of the EM model, bound by hand: E and H of one medium with sources and a plane wave, between
 * conductors or periodic, stepped by the model's own stages. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/incident.h"
#include "maxwell/source.h"

enum { YEE_PASS = 7 }; /* steps whose tables are made together */

struct yee_world {
    struct config config;
    struct grid grid;
    struct maxwell_params p;
    struct axis_lines axis[3];
    struct maxwell x;
    struct slab s;
    struct source *source;
    struct incident *incident;
    int n[3], periodic[3];
    int pieces; /* 1: every stage of sources runs in pieces of its box */
    long step;
    real coefficient[4];
    real *memory;
    void *lines[3];
    size_t size; /* elements of a field, ghosts included */
};

/* Cells of d[3] m, each larger than the one before by `ratio` along every axis; courant: of the longest stable step.
 * Sides: pec, or periodic where set. The caller fills w->p's sources and calls yee_world_bind. */
void yee_world_make(struct yee_world *w, const int n[3], const double d[3], double ratio, const int periodic[3],
                    double courant, double eps, double mu);
/* `given` sources and the plane wave of w->p. */
int yee_world_bind(struct yee_world *w, int given);
void yee_world_step(struct yee_world *w);
/* The stage of sources of H, or of E, on a box. Aborts where it changes what it does not tell that it changes. */
void yee_sources_run(const struct yee_world *w, int is_e, struct box b, const struct call *c);
void yee_world_free(struct yee_world *w);

/* Offset of element (i, j, k). */
static inline ptrdiff_t yee_at(const struct yee_world *w, int i, int j, int k) { return j * w->s.sj + k * w->s.sk + i; }
