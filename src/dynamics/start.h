/* A file as the state at the start (&initial file): which of its variables are taken for what, and their values where
 * the model has them.
 *
 *     in the file                         is              where the file has it
 *     u, v, w                             the wind        on faces, or at centres: a face gets the mean of two
 *     theta_p, else theta, temperature    theta'          at centres
 *     pi_p, else pressure                 pi'             at centres
 *     qv, else specific_humidity,         qv              at centres
 *         else relative_humidity
 *     qc, qr, q1, q2, ...                 themselves      at centres
 *
 * Columns are those of the model. Heights may be others: between two of them all goes along a straight line (pressure
 * as the Exner function), and beyond the lowest and the highest a wind, water and a tracer stay as they are there; of
 * theta and pressure the departure from the base state does. A variable that lacks x or y is the same all along.
 * Heights are above sea level; a variable `height` of the file says them by column, as histories over terrain do.
 *
 * start_file.c chooses, start_units.c knows names and units, start_rows.c reads. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/dynamics.h"
#include "pipeline/filed.h"

#include <stdint.h>

enum start_of { START_U, START_V, START_W, START_THETA, START_PI, START_Q, START_MOST = START_Q + MEMBERS_MOST };
/* A sum of 1 << enum start_of, for which start_bit is the one. */
typedef uint64_t start_quantities;
static inline start_quantities start_bit(int of) { return (start_quantities)1 << of; }
#define START_ALL (~(start_quantities)0)
/* What stands for theta', pi' and qv. */
enum start_form { FORM_SELF, FORM_THETA, FORM_TEMPERATURE, FORM_PRESSURE, FORM_SPECIFIC, FORM_HUMIDITY };

/* A name that a file may have for a quantity, in the order of preference. */
struct start_name {
    char name[32];
    const char *standard[2]; /* CF standard names; NULL: there is none */
    enum start_of of;
    enum start_form form;
    int unit; /* start_units.c */
    int is_there; /* the model has such a quantity */
    double bound; /* no value may be below 0, nor this or above; 0: any may be */
};

/* Name number n; 0: there are no more. */
int start_name_of(const struct dynamics *d, int n, struct start_name *name);
/* The model's unit of it. */
const char *start_unit_of(const struct start_name *name);
/* As start_unit_find, of what the ground is like. */
int ground_unit_find(enum ground_of of, const struct filed *f, const char *path, double *scale, double *offset);
/* The quantity is in the unit of the model after x * scale + offset. Errors: SF_INPUT of another unit. */
int start_unit_find(const struct start_name *name, const struct filed *f, const char *path, double *scale,
                    double *offset);

/* Of a cell: places that agree; files have them in single precision, too. */
static const double start_slack = 1e-3;

struct start_taken {
    int field; /* of the list; -1: the file has none */
    enum start_form form;
    double bound; /* as of the name */
    double scale, offset; /* to the unit of the model; 1 and 0 leave every bit */
    int on_face; /* of x for u, of y for v */
    int has_levels; /* its levels are the model's, wherever these are */
    int like; /* at centres: the first quantity whose levels lie where those of this one do; itself, if no other */
    int (*level)[2]; /* [nk]: the two levels of the file around each of the model's */
    double *share; /* [nk]: of the second; 0: the first, to the bit */
    double *theta_0, *pi_0; /* [nk]: of the base state, at the height of what is taken */
};

struct start_file {
    struct filed_list list;
    filed_reader *read;
    int height; /* of the list: heights by column; -1: those of the coordinates hold everywhere */
    double height_scale; /* to m */
    int is_beyond; /* some levels of the model lie beyond the heights of their columns */
    int by_column; /* levels of the model are at other places of the file in each column */
    int periodic[2]; /* along x and y */
    struct start_taken taken[START_MOST];
    char *memory;
};

/* Look at the file that &initial names and choose from it; what was decided goes to own->notes. *own->start stays NULL
 * where there is none. Complains of keys that contradict it. Errors: SF_INPUT, SF_MEMORY. */
int start_file_make(const struct instance *in, struct dynamics_own *own, const char *dir);
/* The same of any file, in the words of `group`; time as filed_lister takes it. The caller frees. Errors: the same. */
int start_file_open(const struct instance *in, struct dynamics_own *own, const char *group, const char *name,
                    double time, const char *dir, struct start_file **file);
void start_file_free(struct start_file **file);
/* A variable of the file `path` has the run's columns along x or y, or is the same all along; may_face: it may lie on
 * faces, and then *on_face is 1. Errors: SF_INPUT. */
int start_columns_check(const char *path, const int periodic[2], const struct grid *g, const struct filed *f,
                        enum filed_axis a, int may_face, int *on_face);
int start_has(const struct dynamics_own *own, enum start_of of);

/* Some rows at a time of what is taken. */
struct start_rows {
    const struct dynamics_own *own;
    const struct start_file *file; /* NULL: none */
    int j0, j1; /* the model's rows that are there */
    start_quantities need; /* what is read */
    int most, threads; /* rows at a time; threads that convert them, 1 at first */
    double *value[START_MOST + 1]; /* from row j0 - 1 to j1; the last: heights by column */
    double *memory;
};

/* need: of which quantities. The caller closes them, after a failure too. Errors:
 * SF_MEMORY. */
int start_rows_open(struct start_rows *r, const struct dynamics_own *own, const struct start_file *file,
                    start_quantities need);
void start_rows_close(struct start_rows *r);
/* Row j of the model, which may be the face beyond the last. Errors: SF_INPUT, SF_MEMORY. */
int start_rows_need(struct start_rows *r, int j);
/* What a thread works in: places of the levels of a column, and air of it. */
struct start_work {
    struct start_place *place;
    double *theta, *pi; /* [nk] */
    int like, at[2], has_base; /* what `place` is of: as struct start_taken, column, 1: with the base state; like -1: of
                                  no such quantity */
};
/* The caller closes it, after a failure too. Errors: SF_MEMORY. */
int start_work_open(struct start_work *w, int nk);
void start_work_close(struct start_work *w);
/* A quantity at its places in column i, j, x[nk]: theta' and pi' less those of the base state, winds less the grid's.
 * Row j must be there, or be the one behind such rows; base: of this column, of which u and v need nothing. 0: the file
 * has none, or it is not read, and x is as it was. */
int start_values(const struct start_rows *r, enum start_of of, int i, int j, const struct base_column *base,
                 struct start_work *w, double *x);
