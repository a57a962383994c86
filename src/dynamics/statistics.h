/* Statistics of turbulence: means over a level and what departs from them, of the state at every sample, averaged over
 * intervals of time. statistics.nc has them.
 *
 * < > is the mean over a level, a' = a - <a> at the same time. Every product is taken where the flux of the model's own
 * grid lies, of values brought there by the mean of two neighbours:
 *
 *     <u'u'>, <v'v'>         where u, and v, lie                 <theta'theta'>, <qv'qv'>     at centres
 *     <w'w'>, <w'w'w'>       where w lies                        <w'theta'>, <w'qv'>          where w lies
 *     <u'w'>                 on the edge below u: w' of two cells along x, u' of two levels; <v'w'> likewise
 *
 * Means over u and v are those of faces with a cell of the domain on both sides: all of a periodic direction.
 * Fluxes below the grid are those of the closure (turbulence.sf): K of the state, found by the closure's own stage with
 * the time step that follows, times its own gradients; on the ground the flux of the surface.
 *
 * Energy of turbulence that is resolved, E = (<u'u'> + <v'v'> + <w'w'>) / 2, and what changes it, at centres:
 *
 *     shear       -<u'w'> d<u>/dz - <v'w'> d<v>/dz               means of the two faces
 *     buoyancy    g <w'theta_v'> / theta_v0                      likewise
 *     transport   -1/rho d(rho <w'e'>)/dz                        e' = (u'u' + v'v' + w'w') / 2, at centres first
 *     pressure    -cp <theta_v> d<w'pi'>/dz
 *     closure     -(<K_m S2> - <K_m S.<S>>)   what it takes of all motion less what it takes of the mean: both of the
 *                                             same strain S, that of the closure; <S> has d<u>/dz, d<v>/dz, d<w>/dz
 *
 * What they lack of dE/dt is what the closure spreads, filters, the Rayleigh layer and the scheme of advection take.
 *
 * Sums are in double: along i, then over the rows as reduce.h does, then over samples as they come: the same bits for
 * every cut. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/dynamics.h"

enum statistics_column {
#define COLUMN(id, ...) id,
#include "dynamics/statistics.def"
    COLUMNS
};

/* Sums over a level whose means come first. */
enum { M_U, M_V, M_W, M_THETA, M_EXNER, M_THETA_V, M_QV, M_QC, M_QR, M_CLOUD, M_ENERGY, M_KM, M_KH, MEANS };
/* And those of departures from them; on faces: the one below the level. */
enum {
    D_UU,
    D_VV,
    D_WW,
    D_WWW,
    D_TT,
    D_QQ,
    D_UW,
    D_VW,
    D_TW,
    D_QW,
    D_BW,
    D_UW_SGS,
    D_VW_SGS,
    D_TW_SGS,
    D_QW_SGS,
    D_BW_SGS,
    D_EW,
    D_PW,
    D_STRAIN,
    D_STRAIN_MEAN,
    D_CORE,
    DEPARTURES
};
/* And of columns. */
enum { R_COVER, R_PATH, R_USTAR, ROWS_ONE };

enum { SPECTRUM_U, SPECTRUM_V, SPECTRUM_W, SPECTRUM_THETA, SPECTRUM_FIELDS, STATISTICS_HEIGHTS = 16 };

struct statistics;

/* Spectra: of a plane of nj lines of n values, `along` apart in a line and `across` between lines: out[m], m = 0 ..
 * n/2, the share of waves of number m in the mean square of the departures of `plane` from `mean`, which is their sum.
 * Errors: SF_MEMORY. */
int statistics_spectrum(const real *plane, double mean, int n, ptrdiff_t along, int lines, ptrdiff_t across,
                        double *out);

/* The largest prime factor of n >= 1, which says how long spectra take. */
int statistics_prime(int n);

/* Means and departures of the state, sums over points divided by their number: mean[MEANS][nk],
 * departure[DEPARTURES][nk], one[ROWS_ONE]. `dt`: of the step that follows. Ghosts must be valid to depth 1. On all
 * ranks; collective. Errors: SF_MEMORY, SF_COMM. */
int statistics_levels(const struct instance *in, const struct state *st, double dt, double *mean, double *departure,
                      double *one);

/* What a sample comes to, column by column as statistics.nc has them: value[COLUMNS] points to [nz], [nz + 1] or one;
 * NULL, for what is there under a condition: it is left out. From what statistics_levels made. */
void statistics_columns(const struct instance *in, const double *mean, const double *departure, const double *one,
                        double *const *value);

/* Judge &statistics and make what it asks for; in->sample_every is 0 where it asks for nothing. Errors: SF_MEMORY. */
int statistics_make(struct instance *in, struct dynamics_own *own,
                    int (*values)(const void *, const char *, const char *), const void *names);
void statistics_free(struct statistics **x);
/* As model.sample. */
int dynamics_sample(struct instance *in, const struct state *st, long multiple, double dt);
/* For `check`: what is sampled in a run of steps of `dt` s, or "". */
void statistics_describe(const struct instance *in, double dt, char *out, size_t size);
