/* Monitors of the far field: from the sums on the faces of a box to far_NAME.nc. The transform itself is far.h.
 *
 *     far_new          the box, whose faces are planes of sums with the H half a cell outside
 *     far_medium, far_sources_look     once media and sources are known: what the box must lie in, and hold
 *     far_describe, far_fill           the file
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/far.h"
#include "maxwell/monitor.h"
#include "maxwell/paint.h"

struct source;
struct geometry;
struct media;

enum { FAR_FREQUENCY, FAR_THETA, FAR_PHI, FAR_AXES };
enum {
    FAR_E_THETA_RE,
    FAR_E_THETA_IM,
    FAR_E_PHI_RE,
    FAR_E_PHI_IM,
    FAR_INTENSITY,
    FAR_DIRECTIVITY,
    FAR_RCS,
    FAR_POWER,
    FAR_POWER_UP, /* of layers */
    FAR_POWER_EACH,
    FAR_DIRECTIVITY_MAX,
    FAR_THETA_MAX,
    FAR_PHI_MAX,
    FAR_BEAM_WIDTH,
    FAR_RCS_BACK,
    FAR_SCATTERING,
    FAR_EXTINCTION,
    FAR_ACCEPTED, /* from here on of ports */
    FAR_EFFICIENCY,
    FAR_GAIN_MAX,
    FAR_REALISED_MAX,
    FAR_GAIN,
    FAR_REALISED,
    FAR_VARIABLES
};
enum { FAR_FACTS = 6 };

/* The layers that a box lies in: numbers of mixtures up a column beside it. */
struct far_ground {
    struct paint paint;
    const struct media *media;
    int n, first; /* cells of the column; the lowest node, above which nothing conducts */
    enum far_image floor;
    int has_below; /* the lowest medium has no losses */
    unsigned *number[2][2]; /* [E, H][nodes, cells][n + 1] */
    double *node; /* [n + 1], m */
};

struct far_monitor {
    const struct monitors *all;
    const char *name; /* belongs to the parameters */
    char layers_of[96]; /* how messages of its layers begin */
    int of, first, nparts; /* number in the namelist; its planes among all */
    int low[3], high[3]; /* nodes of the box */
    enum far_image image[3]; /* of conductors that the box reaches */
    int grounds; /* conductors behind which there is nothing; others are planes of symmetry */
    int behind[3]; /* of a ground, the side of an axis that lies behind it: -1, 1; 0: none */
    double mirror[3], reference[3], size[3]; /* m */
    double epsilon, mu; /* relative, of what the faces lie in; over layers of the highest */
    int is_layered;
    struct far_ground *ground; /* over layers; NULL: none */
    int count[2]; /* of theta and phi */
    double *angle[2]; /* degrees */
    struct result_axis axis[FAR_AXES];
    struct result_variable var[FAR_VARIABLES];
    int variable[FAR_VARIABLES]; /* what each of `var` is */
    struct result_fact fact[FAR_FACTS];
    char file[MONITOR_NAME], images[64];
};

/* Take the box with nodes low .. high. Complains as monitors_make does. Errors: SF_NAMELIST, SF_MEMORY. */
int far_new(struct monitors *all, const struct monitor_setup *t, int of, const int low[3], const int high[3],
            struct far_monitor **out);
void far_free(struct far_monitor *f);

/* The file of number `n` of all->far. Errors: SF_MEMORY. */
int far_describe(struct far_monitor *f, const struct monitor_setup *t, struct result *r);

/* The medium of the faces, or the layers, and waves in it. media stay where they are. Errors: SF_NAMELIST where there
 * are several media, a conductor or losses, where layers are none, or where the grid carries no wave of a frequency;
 * SF_INPUT, SF_MEMORY. */
int far_medium(struct far_monitor *f, struct geometry *g, const struct media *media, const struct maxwell_params *p,
               const struct grid *grid);

/* far_ground.c: the layers around a box, and these at frequency number `at`: memory is *memory, to be freed. Errors: as
 * far_medium; SF_MEMORY. */
int far_ground_make(struct far_monitor *f, struct geometry *g, const struct media *media,
                    const struct maxwell_params *p);
void far_ground_free(struct far_ground *g);
/* The same without waves in the lowest medium. Errors: SF_MEMORY. */
int far_ground_at(const struct far_ground *q, double frequency, double dt, struct far_stack *to,
                  double complex **memory);
int far_ground_stack(const struct far_monitor *f, int at, struct far_stack *to, double complex **memory);

/* Tells of dipoles that lie outside of the box. */
void far_sources_look(const struct far_monitor *f, const struct source *source, int n, struct complaints *to);

/* monitor_far_fill.c: the waves of frequency number `at`. */
struct far_wave far_wave_at(const struct far_monitor *f, int at);
/* values of the file, as struct result has it; what that takes beside them, bytes. */
int far_fill(const struct result *r, const struct state *st, double *const *out);
size_t far_filling(const struct far_monitor *f);
