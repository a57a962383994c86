/* What the groups of `sferic verify` share: the table of figures, cases opened from a few lines of namelist, and
 * measurements of a field.
 *
 * A group computes its figures, writes one row of the table for each, and returns an error only where nothing could be
 * computed. Everything runs in this process alone. SPDX-License-Identifier: MIT */
#pragma once

#include "command/session.h"

/* ---- the table, verify_table.c ---- */

/* Two kinds of bound. A *verification* holds a figure against theory or against the spread of published models: the
 * row's source says which. A *guard* holds it against what this program computed before: it finds a change and proves
 * nothing right. Both fail the command. */
struct verify {
    int full; /* 1: the long cases too */
    int verified, failed; /* figures held against theory or published models; out of tolerance */
    int guarded, changed; /* figures held against what was measured before; out of that */
    int skipped;
};

void verify_head(void);
void verify_group(const char *name, const char *about);

/* |computed - reference| <= tolerance. The first figure that is not, and each after it, fails the command. */
void verify_near(struct verify *v, const char *quantity, double computed, double reference, double tolerance,
                 const char *source);
/* computed >= least; computed <= most. */
void verify_least(struct verify *v, const char *quantity, double computed, double least, const char *source);
void verify_most(struct verify *v, const char *quantity, double computed, double most, const char *source);
/* Guards: |computed - measured| <= width; computed <= most, both from earlier runs of this program. */
void verify_guard_near(struct verify *v, const char *quantity, double computed, double measured, double width);
void verify_guard_most(struct verify *v, const char *quantity, double computed, double most);
/* A verification, computed <= most, and within it a guard, computed <= guard: CHANGED is beyond the guard alone. */
void verify_most_guarded(struct verify *v, const char *quantity, double computed, double most, double guard,
                         const char *source);
/* A figure beside the others, without a verdict; reference NAN: none. */
void verify_show(struct verify *v, const char *quantity, double computed, double reference, const char *source);
/* What this build or this run leaves out, and why. */
void verify_skip(struct verify *v, const char *quantity, const char *why);

/* printf into a buffer that holds until the eighth call after this one: the name of a quantity. */
const char *verify_name(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- cases, verify_case.c ---- */

/* Open a case from the text of its namelist, printf-like. session_close afterwards, after a failure too. */
int verify_open(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* `text` into a temporary file, whose name comes back in path[size]; the caller unlinks it. Errors: SF_IO. */
int verify_file_write(const char *text, char *path, size_t size);

/* To the end of the case; SF_BLOWUP when the state holds NaN or Inf. */
int verify_finish(struct session *s);

/* The number of the series with this name, of the state as it is. */
int verify_number(struct session *s, const char *name, double *value);

/* The values (j, k, 0 ..) of a field, ghosts of the first depth included. */
const real *verify_line(const struct session *s, int field, int j, int k);

/* Least and largest value of a field over the domain. */
struct extremes {
    double min, max;
};
struct extremes verify_extremes(const struct session *s, int field);

/* Mean over the domain of 2 q exp(-i k x), x at the centres from the western edge: the complex amplitude of a wave of n
 * periods in x. */
struct phasor {
    double re, im;
};
struct phasor verify_phasor(const struct session *s, int field, int waves);

/* ---- groups ---- */

int verify_current(struct verify *v); /* verify_current.c */
int verify_bryan(struct verify *v); /* verify_bryan.c */
int verify_moist(struct verify *v); /* verify_water.c */
int verify_adiabat(struct verify *v); /* verify_adiabat.c */
int verify_drying(struct verify *v);
int verify_split(struct verify *v);
int verify_supercell(struct verify *v); /* verify_storms.c */
int verify_squall(struct verify *v);
int verify_gravity(struct verify *v); /* verify_gravity.c */
int verify_baroclinic(struct verify *v); /* verify_baroclinic.c */
int verify_sphere(struct verify *v); /* verify_sphere.c */
int verify_mountain(struct verify *v); /* verify_mountain.c */
int verify_tendency(struct verify *v); /* verify_tendency.c */
int verify_phase(struct verify *v); /* verify_waves.c */
int verify_sound(struct verify *v);
int verify_faint(struct verify *v);
int verify_inertia(struct verify *v); /* verify_balance.c */
int verify_rest(struct verify *v);
int verify_decay(struct verify *v);
int verify_bubble(struct verify *v); /* verify_bubble.c */
int verify_open_sides(struct verify *v); /* verify_open.c */
int verify_tracers(struct verify *v); /* verify_tracers.c */
int verify_turbulence(struct verify *v); /* verify_turbulence.c */
int verify_ekman(struct verify *v); /* verify_surface.c */
int verify_convective(struct verify *v);
int verify_forced(struct verify *v); /* verify_forcing.c */
int verify_stable(struct verify *v);
int verify_cumulus(struct verify *v);
int verify_models(struct verify *v); /* verify_models.c */
int verify_forces(struct verify *v); /* verify_balance.c */
int verify_bloch(struct verify *v); /* verify_em_bloch.c */
int verify_em_exact(struct verify *v); /* verify_em_exact.c */
int verify_cavity(struct verify *v); /* verify_em_analytic.c */
int verify_layers(struct verify *v);
int verify_plates(struct verify *v); /* verify_em_guide.c */
int verify_dispersion(struct verify *v); /* verify_em_dispersion.c */
int verify_guide(struct verify *v);
int verify_dipole(struct verify *v); /* verify_em_scatter.c */
int verify_mie(struct verify *v);
int verify_far(struct verify *v); /* verify_em_far.c */
int verify_port(struct verify *v); /* verify_em_port.c */
int verify_exposure(struct verify *v); /* verify_em_exposure.c */
int verify_conformal(struct verify *v); /* verify_em_conformal.c */
int verify_wire(struct verify *v); /* verify_em_wire.c */
int verify_cpml(struct verify *v); /* verify_em_plate.c */
