/* The EM model: Maxwell's curl equations in time domain on Yee's staggered cells, SI units.
 *
 *     dB/dt = -curl E - sigma_m H        B = mu H            E at n dt on the edges of a cell,
 *     dD/dt =  curl H - sigma E - J      D = eps E           H at (n - 1/2) dt on its faces
 *
 *              +--------+           Ex[i] lies at (i + 1/2, j, k), Ey at (i, j + 1/2, k), Ez at (i, j, k + 1/2),
 *             /|       /|           Hx[i] at (i, j + 1/2, k + 1/2), Hy at (i + 1/2, j, k + 1/2),
 *            +--------+ |           Hz at (i + 1/2, j + 1/2, k): the low side of the cell, as in the weather model.
 *         Ez |  Hy    | |           A step takes H half a step beyond E, then E half a step beyond H.
 *            | +......|.+
 *            |/       |/            x is i, west to east; y is j, south to north; z is k, upward.
 *            +--Ex----+
 *
 * Sources: Yee (1966); Taflove and Hagness, Computational Electrodynamics, 3rd ed.; for absorbing layers Roden and
 * Gedney (2000). SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/element.h"
#include "maxwell/pole.h"
#include "maxwell/waves_packs.h"
#include "pipeline/params.h"

#define WAVEFORMS "gaussian differentiated_gaussian ricker modulated_gaussian ramped_sine file"
#define SIDES "periodic pec pmc cpml"
#define SOURCE_KINDS "none electric magnetic mode"
#define SOURCE_DRIVES "current soft hard"
#define GEOMETRY_SHAPES "none box sphere cylinder half_space layer sheet wire cone stl polygon disc"
#define PORT_KINDS "none lumped guide line"
#define MONITOR_KINDS "flux flux_box fields far orders"

enum maxwell_field {
#define FIELD(id, ...) id,
#define LATE(id, ...) id,
#define MEDIA(id, ...) id,
#define SHELL(id, ...)                                                                                                 \
    id, id##_1, id##_2, id##_3, /* memory of the first and second E, first and second H: see cpml.h */
#include "maxwell/fields.def"
    F_SUMS /* of monitor n: F_SUMS + n; behind them the memories of each medium with poles */
};

enum em_sweeps { SWEEPS_AUTO, SWEEPS_HALF, SWEEPS_ONE, SWEEPS_TWO };
enum em_side { EM_PERIODIC, EM_PEC, EM_PMC, EM_CPML };
enum axis { AX, AY, AZ };

struct maxwell_params {
#define PARAM SF_PARAM_MEMBER
#define PARAMS SF_PARAMS_MEMBER
#define ENTRIES SF_PARAMS_MEMBER
#include "maxwell/params.def"
};

/* The spacings and layers of one axis, n cells; every array is indexed by cell or node, 0 .. n. */
struct axis_lines {
    int n;
    int low, high; /* cells of the layers at the low and high face */
    int wide_low, wide_high; /* the same, as many as are stored: whole vectors along x */
    const real *h,
        *e; /* 1 / (kappa times size of the cell), 1 / (kappa times distance of the centres around a node), 1/m */
    const real *bh, *ah, *be,
        *ae; /* of the memories at cells (h) and nodes (e): see cpml.h; zero outside of the layers */
    const double *size; /* of the cells, m; mirrored beyond the ends: -1 .. n */
};

/* Coefficients by medium id: f = keep f + turn curl. On edges that conductors cut f is E times the open share of their
 * length: conformal.h. */
struct coefficients {
    int n;
    real *keep, *turn;
    real *whole; /* E over what is stored: 1 but on cut edges; NULL: 1 everywhere */
    double *inertia; /* epsilon of what has poles, F/m, which keep and turn do not tell; else 0 */
};

struct bloch;
struct bricks;
struct dispersion;
struct incident;
struct monitor;
struct pairs;
struct source;
struct tile_lists;

/* What stages need beside fields. Arrays are tables (pipeline/tables.h), and never change during a pass. */
struct maxwell {
    struct axis_lines axis[3];
    struct coefficients e, h;
    int e_wide, h_wide; /* bytes of an id: 1, 2; 0: one medium everywhere, number 0 */
    int ni, nk, nj; /* cells */
    int ext_i, ext_k, ext_j; /* 1: the node beyond the last cell is computed (magnetic conductor) */
    int periodic[3]; /* by axis */
    int odd[3]; /* 1: a magnetic conductor at the low end, where H along it changes sign */
    double dt; /* s */
    /* Of the coming pass, by its steps. */
    const struct source *source;
    int nsources;
    const struct incident *incident; /* NULL: no plane wave */
    const struct monitor *monitor;
    int nmonitors;
    const struct dispersion *dispersion; /* of media with poles: dispersion.h */
    int ndispersions;
    const struct probes *probes;
    const struct bloch *bloch; /* of complex fields, whose imaginary parts are fields of their own; NULL: real ones */
    /* Of one sweep, else NULL: see tiles.h. */
    struct tile_lists *tiles;
    struct bricks *bricks; /* NULL: E has one medium */
    struct pairs *pairs; /* where two steps go together; NULL: nowhere */
};

extern const struct model maxwell_model;

/* Flops of a half step at a point of vacuum without layer. */
enum { FLOPS_HALF = 21 };

/* What kernels of sweeps do at the sides; and those that read within the domain alone. */
enum { SIDES_SWEEP = SIDES_ZERO | SIDES_BOUND, SIDES_PLANE = SIDES_BOUND | SIDES_ROUND };

/* What is made of waves.sf, and kernels that take the place of those that would be (yee.cu). */
stage_function h_run, e_run;
stage_launch yee_h_run_gpu, yee_e_run_gpu;
/* yee_both.cu: a step; of two together both in the core and the first in the rim, what happens then, and the second in
 * the rim */
stage_launch yee_both_run_gpu, yee_pair_run_gpu, yee_rim_run_gpu;
/* Has a block of the GPU room for two steps? */
int pair_fits(void);
/* What sources change of a box: source.c */
stage_changes source_h_changes, source_e_changes;

static const double em_c = 299792458.0; /* m/s */
static const double em_mu0 = 1.25663706212e-6; /* H/m, CODATA 2018 */
#define em_eps0 (1.0 / (em_mu0 * em_c * em_c)) /* F/m */
#define em_eta0 (em_mu0 * em_c) /* ohm */

/* Which member of its family a call is about, of either part of complex fields: those of imaginary parts come behind
 * all real ones. */
static inline int member_of(const struct maxwell *x, const struct call *c, int imaginary)
{
    return c->member - (imaginary ? x->nmonitors + x->ndispersions : 0);
}

/* The factor that makes a component (0 .. 5) of what is stored at offset `at` of its field: 1, but on edges that
 * conductors cut, where the fields of E hold less than E (conformal.h). */
static inline real place_share(const struct maxwell *x, const struct slab *s, int component, ptrdiff_t at)
{
    return component < 3 && x->e.whole ? coefficient_at(x->e.whole, s->f[F_MEX + component], at, x->e_wide) : R(1.0);
}

/* The component itself at that offset, V/m or A/m: what is stored there times the factor. */
static inline real place_whole(const struct maxwell *x, const struct slab *s, int component, ptrdiff_t at)
{
    return s->f[F_EX + component][at] * place_share(x, s, component, at);
}

/* The coefficient `turn` at offset `at` of a component of E, or else of H, whose field of media is `media`. */
static inline real media_turn(const struct maxwell *x, int is_e, const void *media, ptrdiff_t at)
{
    return coefficient_at((is_e ? &x->e : &x->h)->turn, media, at, is_e ? x->e_wide : x->h_wide);
}
/* The same of a component (0 .. 5) of a slab. */
static inline real place_turn(const struct maxwell *x, const struct slab *s, int component, ptrdiff_t at)
{
    return media_turn(x, component < 3, s->f[F_MEX + component], at);
}
