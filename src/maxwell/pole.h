/* Poles of a medium that disperses: its relative permittivity is, exp(+i w t),
 *
 *     epsilon + sum of r / (i w - s) [+ r* / (i w - s*) where s is complex] - i sigma / (w eps0)
 *
 *     kind       given                               s                        r
 *     debye      strength d, tau                     -1 / tau                 d / tau
 *     drude      omega, gamma                        -gamma                   -omega^2 / gamma, and sigma gains eps0
 * omega^2 / gamma lorentz    strength d, omega, gamma            -gamma / 2 + i W         -i d omega^2 / (2 W),  W^2 =
 * omega^2 - gamma^2 / 4; where W^2 < 0 two real poles critical   strength A, omega, gamma, phase     -gamma - i omega
 * i A omega exp(i phase) pair       s and r themselves                  real where the imaginary part of s is 0
 *
 * drude: -omega^2 / (w^2 - i gamma w). lorentz: d omega^2 / (omega^2 - w^2 + i gamma w). critical (Etchegoin et al.
 * 2006, J. Chem. Phys. 125, 164705): A omega (exp(-i phase) / (omega - w + i gamma) + exp(i phase) / (omega + w - i
 * gamma)). pair: Han et al. 2006, IEEE Microw. Wirel. Compon. Lett. 16, 119.
 *
 * In time each pole is a trapezoidal recursion (Lin and Thylen 2009, IEEE Trans. Antennas Propag. 57, 3386, has the
 * like for pairs): its permittivity is that of W = (2 / dt) tan(w dt / 2), and what is passive with epsilon >= 1 is
 * stable up to the step of vacuum. A memory keeps a tenth in a step at least, of either sign: a debye with tau of 0.41
 * to 0.61 dt has the nearer of the two. What moves stays of its kind, and so passive: a debye keeps its strength, a
 * drude its conductivity at frequency 0, a lorentz its strength over both of its poles. Of a lorentz s is moved to (2 /
 * dt) tanh(s dt / 2) and its strength kept, so that it resonates at its own frequency, where that turns by less than 1
 * in a step: beyond, steps do not resolve it and s stays, for tanh would have it come back below.
 * SPDX-License-Identifier: MIT */
#pragma once

enum pole_kind { POLE_NONE, POLE_DEBYE, POLE_DRUDE, POLE_LORENTZ, POLE_CRITICAL, POLE_PAIR };
#define POLE_KINDS "none debye drude lorentz critical pair"

struct pole {
    double s[2], r[2]; /* rad/s, real and imaginary part; s[1] 0: a real pole */
    int warps; /* 1: a lorentz below critical damping */
    int is_drude;
    double other, strength; /* of a lorentz beyond critical damping: s of its second pole, 0: none; its strength */
};

static inline int pole_is_pair(const struct pole *p) { return p->s[1] > 0 || p->s[1] < 0; }

/* As the namelist gives it. */
struct pole_keys {
    int kind;
    double strength, tau, omega, gamma, phase; /* 1, s, rad/s, rad/s, rad */
    double s[2], r[2]; /* of a pair, rad/s */
};

/* Poles of the keys into to[0 .. 1], and what sigma gains, S/m; returns how many. The keys must be right: pole_wrong.
 */
int pole_make(struct pole to[2], const struct pole_keys *k, double *sigma);
/* What is wrong with the keys, and what to do; NULL: nothing. */
const char *pole_wrong(const struct pole_keys *k);

/* Adds the pole's susceptibility at i w, w in rad/s, to chi, real and imaginary part. */
void pole_add(const struct pole *p, double w, double chi[2]);

/* Damps what resonates: gamma of a drude no less than `share` of its omega; of a lorentz, and of a pair, no less than
 * `share` of omega, or of its plasma frequency, omega times the root of its strength, where that is more, below
 * critical damping. omega and strength stay: of a drude omega^2, and so `sigma` falls. Returns whether anything
 * changed. */
int pole_damp(struct pole *p, double share, double *sigma);

/* The pole that a step of dt s has in its place. */
struct pole pole_stepped(const struct pole *p, double dt);

/* The pole in a step dt: y <- decay y + gain E behind E <- E + Re y. What its medium has to make of it is in `share`,
 * see pole_share. Pairs count twice. */
struct pole_step {
    double decay[2], gain[2]; /* gain times the denominator of E's update */
    double up, down; /* what it adds to the denominator and takes from the numerator of E's update, 1/s */
};
struct pole_step pole_step(const struct pole *p, double dt);
