/* The EM model's memory behind an instance. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/bloch.h"
#include "maxwell/conformal.h"
#include "maxwell/cpml.h"
#include "maxwell/dispersion.h"
#include "maxwell/energy.h"
#include "maxwell/incident.h"
#include "maxwell/monitor.h"
#include "maxwell/paint.h"
#include "maxwell/port.h"
#include "maxwell/probe.h"
#include "maxwell/source.h"
#include "pipeline/complaint.h"
#include "pipeline/state.h"

enum {
    INPUTS_MOST = 3 + MEDIA_MAX + (int)(sizeof((struct maxwell_params *)0)->source_kind / sizeof(int)) +
                  (int)(sizeof((struct maxwell_params *)0)->geometry_shape / sizeof(int)),
};

struct maxwell_own {
    struct maxwell ctx;
    struct maxwell_params params;
    struct bloch bloch;
    struct media media;
    struct geometry geometry;
    struct lump *lumps; /* the geometry's, owned here */
    struct cuts cuts; /* of conductors */
    double whole_limit; /* s, the longest step of whole cells */
    double wire_share; /* of it, that thin wires leave; no more than 1 */
    struct paint paint;
    struct source *source;
    struct ports *ports;
    struct incident *incident;
    struct dispersions *dispersions;
    struct monitors *monitors;
    struct probes *probes;
    void *lines[3];
    enum em_sweeps sweeps; /* of a step, as it was chosen */
    char (*names)[48]; /* of the fields that the namelist makes */
    double index[FACES]; /* refractive index at each face */
    unsigned char face_medium[FACES][MEDIA_MAX]; /* 1: the outermost cells have it */
    double layer_lowest, layer_highest; /* Hz, what absorbing layers are made for; 0: nothing is known */
    double lowest, highest; /* Hz, of the sources */
    double energy_peak; /* J */
    struct energies energies; /* without memory until they are first asked for */
    char end_reason[160]; /* of the run, once it is over */
    struct input
        input[INPUTS_MOST]; /* files that the namelist names: of geometry, media, sources, the plane wave, ports */
    char path[INPUTS_MOST][1024];
};

/* Does the domain come round along this axis? */
int maxwell_is_periodic(const struct maxwell_params *p, int axis);

/* bind.c: what the namelist asks for. values: how many a key was given. Mistakes are complained of, and what follows
 * from media and geometry waits until they are right (painted; before: mistakes at the beginning). Errors: SF_INPUT,
 * SF_MEMORY. */
typedef int values_function(const void *names, const char *group, const char *key);
static inline int errors_of(const struct instance *in) { return in->complaints ? in->complaints->errors : 0; }
int shapes_bind(struct instance *in, struct maxwell_own *own, values_function *values, const void *names,
                const char *dir);
/* Phases across sides; shaped: media and shapes are right. */
int bloch_bind(const struct instance *in, struct maxwell_own *own, int shaped);
int media_bind(struct instance *in, struct maxwell_own *own, values_function *values, const void *names,
               const char *dir, int before);
int sources_bind(struct instance *in, struct maxwell_own *own, values_function *values, const void *names,
                 const char *dir, int painted);
/* medium_table.c: tables that poles do not follow, or that end within the sources' band, lowest to highest, Hz (0: no
 * source). */
void tables_judge(const struct instance *in, const struct maxwell_own *own, double lowest, double highest);
/* judge.c: waves that cells are too large for, sources that no end follows. */
void sources_judge(const struct instance *in, const struct maxwell_own *own);
/* The lowest frequency above 0 that monitors ask for, Hz; 0: none. */
void maxwell_uses_check(const struct maxwell_params *p, values_function *values, const void *names,
                        struct complaints *to);
/* report_bloch.c: what `check` tells of complex fields; waves that leave slowly. */
void bloch_report(const struct maxwell_own *own, void (*line)(void *, const char *), void *to);
void bloch_judge(const struct instance *in, const struct maxwell_own *own);
/* report_monitors.c: layers of far fields, orders that travel. */
void monitors_report(const struct monitors *m, void (*line)(void *, const char *), void *to);
double spectrum_lowest(const struct maxwell_params *p, values_function *values, const void *names);
int monitors_bind(struct instance *in, struct maxwell_own *own, const int side[FACES], values_function *values,
                  const void *names, int painted);
/* The files that the namelist names: a run keeps copies of them, and a checkpoint knows what was in them. */
void inputs_list(struct instance *in, struct maxwell_own *own, int sources, const char *dir);

/* sweeps.c: sweeps of E and H in a step. One takes another bank of some fields, and half of one, for two steps
 * together, of more, and fields between the steps: set here. */
enum em_sweeps sweep_choose(struct instance *in, const struct maxwell_own *own);
/* begin.c: media, coefficients, fields at rest. */
int maxwell_begin(const struct instance *in, struct state *st);
/* measure.c */
int energies_make(struct energies *e, const struct maxwell *x); /* Errors: SF_MEMORY */
void energies_free(struct energies *e);
/* pole_energy.c: what poles hold, J; energies must be there. Collective. Errors: SF_MEMORY, SF_COMM, SF_GPU. */
int poles_energy(struct maxwell_own *own, const struct state *st, double *energy);
#if SF_CUDA
void energy_rows_gpu(const struct slab *s, int ja, int jb, double *out, const void *ctx,
                     void *stream); /* measure.cu; ctx: struct energies */
#endif
int maxwell_is_over(const struct instance *in, const struct state *st, double time, int *over);
int maxwell_measure(const struct instance *in, const struct state *st, double dt, double *values, double *courant);
extern const struct quantity maxwell_quantity[];
extern const int maxwell_quantities;
/* show.c */
extern const struct diagnostic maxwell_diagnostic[];
extern const int maxwell_diagnostics;
/* report.c */
void maxwell_report(const struct instance *in, double dt, void (*line)(void *to, const char *text), void *to);
