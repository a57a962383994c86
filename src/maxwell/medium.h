/* The list of media: 0 vacuum, 1 perfect electric conductor, then the entries of &medium in their order.
 *
 *     eps = epsilon eps0, mu = mu mu0;  loss: sigma E of the electric, sigma_m H of the magnetic current density.
 *     A medium that disperses has poles, too (pole.h), which the entries of &pole give it; epsilon is that above all of
 * them.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/fit.h"
#include "maxwell/maxwell.h"
#include "maxwell/pole.h"
#include "pipeline/complaint.h"

struct material;

enum { MEDIUM_VACUUM, MEDIUM_PEC, MEDIUM_GIVEN, MEDIA_MAX = 256, POLES_MOST = FIT_POLES };
enum { MEDIUM_LOADS = MEDIA_MAX }; /* numbers from here on stand for lumped elements, lump.h */

struct medium {
    const char *name; /* belongs to the parameters */
    double epsilon, mu; /* relative */
    double sigma, sigma_m; /* S/m, ohm/m; sigma with what its poles add */
    int npoles, is_metal; /* is_metal: one of them is a drude */
    int in_layer; /* number of the medium that stands for it in absorbing layers; 0: itself */
    int stands_for; /* the other way; 0: none */
    struct pole pole[POLES_MOST];
    const struct material *material; /* what it was taken from; NULL: the namelist alone, or a table */
    const char *table; /* file of its permittivity, belongs to the parameters; NULL: none, and nothing below */
    int rows; /* lines of it */
    double lowest, highest; /* Hz, of the first and last */
    struct fit fit; /* its poles, epsilon and sigma are these, and what &pole adds */
};

struct media {
    int n;
    struct medium medium[MEDIA_MAX];
};

/* Take vacuum, pec and the first `given` entries of &medium; `p` must outlive `m`. `given`: the most values that any
 * key of &medium has. Every entry that is wrong is complained of in `to`. Errors, where `to` is NULL: SF_NAMELIST (a
 * name that is missing, or there already, upper and lower case being the same). */
int media_make(struct media *m, const struct maxwell_params *p, int given, struct complaints *to);

/* Permittivities of files that the entries name (medium_table.c): epsilon, sigma and poles that follow them, before
 * media_poles. dir: where a file without leading / lies. Errors, where `to` is NULL: SF_NAMELIST, SF_INPUT; SF_MEMORY.
 */
int media_tables(struct media *m, const struct maxwell_params *p, const char *dir, struct complaints *to);

/* Materials that the entries name, poles of the first `given` entries of &pole, and what they make of their media in
 * steps of dt s: complains of those that are wrong, and of media that would give energy away. Errors, where `to` is
 * NULL: SF_NAMELIST. */
int media_poles(struct media *m, const struct maxwell_params *p, int given, double dt, struct complaints *to);

/* medium_layer.c: media in use that need another in absorbing layers, whose cells are of media layer[][], NULL where a
 * face has none: each gets it, at the end of the list, and `used` says so. Complains of those for which there is none.
 * Errors, where `to` is NULL: SF_NAMELIST. */
int media_layers(struct media *m, const unsigned char *const layer[FACES], double dt, unsigned char used[MEDIA_MAX],
                 struct complaints *to);
/* Would steps of dt s have it give energy to waves? Errors: SF_NAMELIST, it would. */
int medium_passive(const struct medium *m, double dt);

/* Number of the medium of this name, in upper or lower case; -1: there is none. */
int media_find(const struct media *m, const char *name);
/* The same, but a name that is not there is an error, told as that of `what` ("&geometry: background"), with the name
 * that was perhaps meant. Errors: SF_NAMELIST. */
int media_need(const struct media *m, const char *name, const char *what, int *number);

/* Relative permittivity at a frequency in Hz: real part, and the imaginary part with its sign exchanged, with sigma's.
 */
void medium_permittivity(const struct medium *m, double frequency, double epsilon[2]);
/* The same as steps of dt s make it of its poles and sigma: epsilon at (2 / dt) tan(w dt / 2), pole.h; w dt below pi.
 */
void medium_stepped(const struct medium *m, double frequency, double dt, double epsilon[2]);
/* Refractive index sqrt(epsilon mu), losses left out; of a medium with poles the real part at a frequency in Hz, 1 at
 * least, or where that is 0 without them. */
double medium_index(const struct medium *m, double frequency);
/* Wavelength at a frequency in Hz, losses included, m: 2 pi / Re k. That of a good conductor is 2 pi skin depths. The
 * perfect conductor counts as vacuum: no wave travels in it. */
double medium_wavelength(const struct medium *m, double frequency);
/* Nepers a metre by which a wave of that frequency decays, Im k; 0 of the perfect conductor. */
double medium_decay(const struct medium *m, double frequency);
/* Loss tangent at that frequency, electric and magnetic added: 10 and more is a good conductor. */
double medium_loss(const struct medium *m, double frequency);
/* Does H need more than the coefficients of vacuum in it? */
int medium_is_magnetic(const struct medium *m);
