/* The base state: an atmosphere at rest in discrete hydrostatic balance, and the horizontal wind that blows
 * in it.
 *
 *     d p0/dz = -rho0 g   in Exner form   cp theta0 d pi0/dz = -g,   pi0 = (p0/p00)^(R/cp)
 *     cp theta0_f[k] (pi0[k] - pi0[k-1]) / (z[k] - z[k-1]) = -g     at every face k between two centres
 *
 *     k    o  z[k]      theta0 pi0 rho0 p0 u0 v0
 *     k   ---           theta0_f rho0_f
 *     k-1  o  z[k-1]
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/sounding.h"
#include "dynamics/vapour.h"
#include "pipeline/params.h"

enum base_profile { BASE_NEUTRAL, BASE_ISOTHERMAL, BASE_CONSTANT_N, BASE_SOUNDING, BASE_WEISMAN_KLEMP, BASE_SATURATED };
enum base_wind { WIND_CALM, WIND_CONSTANT, WIND_SHEAR, WIND_TANH, WIND_SOUNDING, WIND_QUARTER, WIND_HALF, WIND_TABLE };

struct base_params {
#define PARAM SF_PARAM_MEMBER
#define PARAMS SF_PARAMS_MEMBER
#include "dynamics/base.def"
};

extern const struct param base_table[]; /* offsets into struct base_params */
extern const int base_table_size;

struct base_constants {
    double g, cp, R, p00; /* m/s2, J/kg/K, J/kg/K, Pa */
    const struct vapour *vapour; /* NULL: a dry model */
};

enum { BASE_GHOST_LEVELS = 2, BASE_PATH = 4096 };

/* K: oxygen of the air begins to fall apart at 2000 K, and at 20 K all of the air is solid. Outside, its gas constant
 * and heat capacity are no numbers of a gas. */
enum { BASE_COLDEST = 20, BASE_HOTTEST = 2000 };

/* What the profile means, for people. Figures cover the levels inside the domain. */
struct base_figures {
    double n2_min, n2_min_z, n2_max, n2_max_z; /* s-2, and the height of the face */
    double tropopause; /* m: lowest level from 5 km up with at most 2 K/km there and through the
                          2 km above; negative when there is none */
    double temperature_min, temperature_max; /* K */
    double sound_max; /* m/s */
    double wind_max, wind_max_z; /* m/s, m */
    double shear, shear_z; /* m/s: wind at 6 km (or at the highest level, if lower) less the lowest */
    double pressure_top; /* Pa, highest centre */
};

/* Centre profiles [-2 .. nk+1], face profiles [-1 .. nk+1]. Ghost levels continue the profile to their own
 * heights, so that the balance above holds at ghost faces as well. theta0 is what
 * buoyancy knows: theta_rho = theta (1 + qv R_v/R) / (1 + qv + qc) of moist air, and rho0 its density with its water;
 * in a dry model virtual potential temperature where a sounding has moisture. */
struct base_state {
    int nk;
    double *z; /* m, centres */
    double *theta0, *pi0, *rho0, *p0; /* K, 1, kg/m3, Pa */
    double *theta; /* potential temperature itself: theta0, unless there is water */
    double *qv, *qc; /* kg by kg of dry air; 0 in a dry model */
    double *u0, *v0; /* m/s */
    double *theta0_f, *rho0_f; /* mean of the two adjacent centres */
    double surface_pressure; /* Pa, at z_f[0] */
    double mixed_top, mixed_theta,
        mixed_qv; /* m above the ground, K, kg/kg: of an afternoon's mixed layer; 0 without */
    int is_moist; /* 1: theta0 is virtual, from a sounding with moisture: so is every temperature that follows */
    struct base_figures figures;
    char sounding[BASE_PATH]; /* the file that was read, "" none */
    double *memory;
    struct base_air *air; /* what it was made of, as functions of height */
};

/* Complain of parameters that contradict each other. */
void base_check(const struct base_params *p, struct complaints *to);

/* Make the base state on centres z_c[-2 .. nk+1] above the ground (ghost levels included, increasing) and the
 * ground z_f[0] and the lid z_f[nk]. Profiles are sampled at the centres as point values, not layer means. A
 * sounding file is sought as sounding_find says; what was decided goes to `notes`. The caller frees with
 * base_free, after success only. Same bits on every machine. Errors: SF_NAMELIST (a profile whose air ends
 * below the lid, or is no gas, a sounding without a name), SF_INPUT (sounding), SF_MEMORY. */
int base_make(struct base_state *b, const struct base_params *p, const struct base_constants *c,
              const char *namelist_dir, int nk, const double *z_c, const double *z_f, struct notes *notes);
void base_free(struct base_state *b);

/* The air of the base state at a height: K, K, 1, kg/kg, kg/kg. */
struct base_point {
    double theta0, theta, pi0, qv, qc;
};

/* At any height z, m: pi0 from the level below on as between two levels. At the height of a level all is what it is
 * there, to the bit. */
struct base_point base_air_at(const struct base_state *b, double z);
/* What it was made with. */
const struct base_constants *base_constants_of(const struct base_state *b);
/* Pa, of an Exner function; kg/m3, of it and theta0. As the levels have it. */
double base_pressure(const struct base_constants *c, double pi);
double base_density(const struct base_constants *c, double theta0, double pi);
/* The base wind there, m/s. */
void base_wind_at(const struct base_state *b, double z, double *u, double *v);

/* The figures as lines of text for a report, at most `size` bytes. */
void base_describe(const struct base_state *b, char *out, size_t size);
