/* What the state at the start is made from: initial.c makes it, initial_check.c judges it.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/dynamics.h"

enum shape_kind {
    SHAPE_NONE,
    SHAPE_COSINE,
    SHAPE_COSINE_SQUARED,
    SHAPE_GAUSSIAN,
    SHAPE_WITCH_SINE,
    SHAPE_GAUSSIAN_SINE,
    SHAPE_WAVE
};
enum variable {
    ON_THETA,
    ON_TEMPERATURE,
    ON_PI,
    ON_TRACER = INITIAL_TRACER,
    ON_U = INITIAL_U,
    ON_V = INITIAL_V,
    ON_W = INITIAL_W,
    ON_VAPOUR = INITIAL_VAPOUR,
    ON_HUMIDITY = INITIAL_HUMIDITY,
    ON_BUOYANCY = INITIAL_BUOYANCY,
    ON_CLOUD = INITIAL_CLOUD,
    ON_RAIN = INITIAL_RAIN
};
enum flow { FLOW_NONE, FLOW_BELTRAMI, FLOW_TAYLOR_GREEN };

/* Perturbation n at a point, in the unit of its variable. */
double initial_perturbation(const struct dynamics_own *own, int n, double x, double y, double z);
/* All perturbations of one variable at a point; of tracers, those of the one with this number. */
double initial_perturbations(const struct dynamics_own *own, enum variable v, int tracer, double x, double y, double z);

struct flow_numbers {
    enum flow kind;
    double A, k, l, m, x0, y0;
};

struct flow_numbers initial_flow_of(const struct dynamics_own *own);

/* theta of the atmosphere less that of the base state at every level [nz]: zero, or another profile's. */
void initial_atmosphere(const struct dynamics_own *own, double *theta_p);

struct column {
    double *theta, *pi; /* departures at the centres of one column */
    double *qv, *qc, *qr; /* kg/kg; NULL: the air is dry */
};

/* Memory of a column and of initial_atmosphere: the caller frees *memory. Errors: SF_MEMORY. */
int initial_column_make(const struct dynamics_own *own, struct column *c, double **atmosphere, double **memory);
void initial_column(const struct dynamics_own *own, const struct flow_numbers *f, const double *atmosphere, double x,
                    double y, int i, int j, struct column c);

/* u at the western, v at the southern and w at the lower face of a cell, less the base wind, m/s. */
void initial_winds(const struct dynamics_own *own, const struct flow_numbers *f, int i, int j, int k, double wind[3]);
