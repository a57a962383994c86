/* What every output file says of itself: where it came from, its coordinates, its base profiles.
 *
 * Conventions CF-1.11 and SGRID-0.3. Coordinates are one-dimensional, in metres, named as their dimensions; x and y
 * carry no axis attribute unless &output axis asks for it, since VTK's reader would wrap such metres onto a sphere.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "io/nc.h"
#include "pipeline/comm.h"
#include "pipeline/grid.h"
#include "pipeline/model.h"
#include "pipeline/outcome.h"

/* What only the program knows. The strings belong to the caller and must outlive the files; NULL and "" leave the
 * attribute out unless stated otherwise. */
struct output_info {
    const char *directory, *case_name, *title; /* no title: the name of the case */
    const char *model, *backend;
    const char *source; /* version and git hash */
    const char *history; /* UTC and argv */
    const char *namelist_text; /* the resolved namelist */
    const char *institution; /* NULL: the name of this machine */
    const char *references; /* NULL: the documents that come with the program */
    struct writer *writer; /* on rank 0; elsewhere NULL */
};

/* Centres and, in native output, faces. */
enum { AXIS_X, AXIS_Y, AXIS_Z, AXIS_XF, AXIS_YF, AXIS_ZF, AXES };

struct axes {
    int n[AXES]; /* 0: the file has no such axis */
    int first[3]; /* the first cell, or face, along x, y, z */
    int dim[AXES], var[AXES];
    int ends; /* dimension of the two ends of a cell */
    int bounds[AXES];
    int place[2]; /* variables of latitude and longitude, on a map */
};

extern const char *const axis_name[AXES];

/* Define bounds [n][2] of the axis `var` along `dim`, called <name>_bnds; *ends, the dimension of 2, is made where it
 * is below 0. */
int meta_bounds_define(struct ncfile *f, const char *name, int dim, int var, int *ends, int *bounds);

/* directory/name in a buffer. Errors: SF_IO when it is too long. */
int meta_path(const struct output_info *info, const char *name, char *path, size_t size);

/* Global attributes. */
int meta_global(struct ncfile *f, const struct output_info *info, const struct instance *in);

/* Define the axes with n > 0 and their cells (CF: bounds); write the values of both, once all is defined. The cell of a
 * centre reaches from face to face, that of a face from centre to centre, or to the wall where it lies on one. */
int meta_axes_define(struct ncfile *f, const struct instance *in, struct axes *a);
int meta_axes_put(struct ncfile *f, const struct instance *in, const struct axes *a);

/* Define time, unlimited, `frames` to a chunk, in the model's units: seconds since &time start where it names none. */
int meta_time_define(struct ncfile *f, const struct instance *in, size_t frames, int *dim, int *var);

/* Define and write the model's profiles on axis z; var[nprofiles]. */
int meta_profiles_define(struct ncfile *f, const struct instance *in, const struct axes *a, int *var);
int meta_profiles_put(struct ncfile *f, const struct instance *in, const struct axes *a, const int *var);

/* On a map: define crs, the grid mapping of CF, and latitude and longitude of the centres, by row and column; write
 * these; and name all three beside a variable that stands on x and y. Nothing where x and y lie on a plane. Errors:
 * SF_MEMORY, SF_IO. */
int meta_mapping_define(struct ncfile *f, const struct instance *in, struct axes *a);
int meta_mapping_put(struct ncfile *f, const struct instance *in, const struct axes *a);
int meta_mapping_name(struct ncfile *f, const struct instance *in, int var);

/* Define time_h, the time of what a model computes between its steps; `late` is told in steps. */
int meta_late_define(struct ncfile *f, const struct instance *in, size_t frames, int time_dim, int *var);

/* Where in its cell a value lies and how much later than `time`, as openPMD names it, of a model with such values. */
int meta_place(struct ncfile *f, const struct instance *in, int var, unsigned stagger, int native, double late);

/* The SGRID variable `grid`: a two-dimensional staggered grid with a vertical dimension, or a three-dimensional one
 * where fields lie on edges. Where there are no more faces than cells, a periodic side owns none beyond the last. Where
 * a field of this stagger lies on it. */
int meta_sgrid_define(struct ncfile *f, const struct instance *in, const struct axes *axes);
const char *meta_sgrid_location(const struct instance *in, unsigned stagger);
