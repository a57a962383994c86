/* The list of media: 0 vacuum, 1 perfect electric conductor, then the entries of &medium in their order.
 *
 *     eps = epsilon eps0, mu = mu mu0;  loss: sigma E of the electric, sigma_m H of the magnetic current density.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/maxwell.h"
#include "pipeline/complaint.h"

enum { MEDIUM_VACUUM, MEDIUM_PEC, MEDIUM_GIVEN, MEDIA_MAX = 256 };

struct medium {
    const char *name; /* belongs to the parameters */
    double epsilon, mu; /* relative */
    double sigma, sigma_m; /* S/m, ohm/m */
};

struct media {
    int n;
    struct medium medium[MEDIA_MAX];
};

/* Take vacuum, pec and the first `given` entries of &medium; `p` must outlive `m`. `given`: the most values that any
 * key of &medium has. Every entry that is wrong is complained of in `to`. Errors, where `to` is NULL: SF_NAMELIST (a
 * name that is missing, or there already, upper and lower case being the same). */
int media_make(struct media *m, const struct maxwell_params *p, int given, struct complaints *to);

/* Number of the medium of this name, in upper or lower case; -1: there is none. */
int media_find(const struct media *m, const char *name);
/* The same, but a name that is not there is an error, told as that of `what` ("&geometry: background"), with the name
 * that was perhaps meant. Errors: SF_NAMELIST. */
int media_need(const struct media *m, const char *name, const char *what, int *number);

/* Refractive index sqrt(epsilon mu), losses left out. */
double medium_index(const struct medium *m);
/* Wavelength at a frequency in Hz, losses included, m: 2 pi / Re k. That of a good conductor is 2 pi skin depths. The
 * perfect conductor counts as vacuum: no wave travels in it. */
double medium_wavelength(const struct medium *m, double frequency);
/* Nepers a metre by which a wave of that frequency decays, Im k; 0 of the perfect conductor. */
double medium_decay(const struct medium *m, double frequency);
/* Loss tangent at that frequency, electric and magnetic added: 10 and more is a good conductor. */
double medium_loss(const struct medium *m, double frequency);
/* Does H need more than the coefficients of vacuum in it? */
int medium_is_magnetic(const struct medium *m);
