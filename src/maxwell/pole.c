/* Poles from keys, their susceptibility, and their recursion in time. SPDX-License-Identifier: MIT */
#include "maxwell/pole.h"

#include "maxwell/maxwell.h"

#include <complex.h>
#include <stddef.h>

/* Shares of omega: a drude with less damping would lose digits, and at critical damping both poles of a lorentz meet.
 */
static const double least_gamma = 1e-6;
/* Of what a memory keeps in a step: gains go with its inverse. */
static const double least_decay = 0.1;
/* Phase in a step of what steps resolve. tanh has the period i pi: a resonance far beyond it would come back slow. */
static const double most_phase = 1;

static double complex of(const double x[2]) { return x[0] + I * x[1]; }
static void put(double to[2], double complex x) { to[0] = creal(x), to[1] = cimag(x); }

static int positive(double x) { return x > 0; }

const char *pole_wrong(const struct pole_keys *k)
{
    switch (k->kind) {
    case POLE_DEBYE:
        if (!positive(k->tau)) return "a debye needs tau, the time in which its polarisation follows, s";
        break;
    case POLE_DRUDE:
        if (!positive(k->omega)) return "a drude needs omega, the plasma frequency, rad/s";
        break;
    case POLE_LORENTZ:
    case POLE_CRITICAL:
        if (!positive(k->omega)) return "it needs omega, the frequency of its resonance, rad/s";
        if (k->kind == POLE_CRITICAL && !positive(k->gamma)) return "a critical point needs gamma, its width, rad/s";
        break;
    case POLE_PAIR:
        if (!(k->s[0] < 0)) return "a pair needs pole_re below 0, rad/s: what it answers must decay";
        break;
    }
    if (k->kind != POLE_DRUDE && k->kind != POLE_PAIR && k->kind != POLE_CRITICAL &&
        !(k->strength > 0 || k->strength < 0))
        return "it needs strength, its part of epsilon at frequency 0";
    return NULL;
}

/* d omega^2 / ((i w - s_1) (i w - s_2)). */
static int lorentz_make(struct pole to[2], const struct pole_keys *k)
{
    const double half = 0.5 * k->gamma, near = least_gamma * k->omega;
    double gap = k->omega * k->omega - half * half; /* W^2 */
    if (gap < near * near && gap > -near * near) gap = near * near;
    const double force = k->strength * k->omega * k->omega, w = __builtin_sqrt(gap > 0 ? gap : -gap);
    if (gap > 0) {
        to[0] = (struct pole){.s = {-half, w}, .r = {0, -force / (2 * w)}, .warps = 1};
        return 1;
    }
    to[0] = (struct pole){.s = {-half + w}, .r = {force / (2 * w)}, .other = -half - w, .strength = k->strength};
    to[1] = (struct pole){.s = {-half - w}, .r = {-force / (2 * w)}, .other = -half + w, .strength = k->strength};
    return 2;
}

int pole_make(struct pole to[2], const struct pole_keys *k, double *sigma)
{
    *sigma = 0;
    switch (k->kind) {
    case POLE_DEBYE:
        to[0] = (struct pole){.s = {-1 / k->tau}, .r = {k->strength / k->tau}};
        return 1;
    case POLE_DRUDE: {
        const double gamma = SF_MAX(k->gamma, least_gamma * k->omega), r = k->omega * k->omega / gamma;
        to[0] = (struct pole){.s = {-gamma}, .r = {-r}, .is_drude = 1};
        *sigma = em_eps0 * r;
        return 1;
    }
    case POLE_LORENTZ:
        return lorentz_make(to, k);
    case POLE_CRITICAL:
        to[0] = (struct pole){.s = {-k->gamma, -k->omega}};
        put(to[0].r, I * k->strength * k->omega * cexp(I * k->phase));
        return 1;
    case POLE_PAIR:
        to[0] = (struct pole){.s = {k->s[0], k->s[1]}, .r = {k->r[0], k->s[1] > 0 || k->s[1] < 0 ? k->r[1] : 0}};
        return 1;
    }
    return 0;
}

void pole_add(const struct pole *p, double w, double chi[2])
{
    const double complex s = of(p->s), r = of(p->r);
    double complex x = r / (I * w - s);
    if (pole_is_pair(p)) x += conj(r) / (I * w - conj(s));
    chi[0] += creal(x), chi[1] += cimag(x);
}

/* Of |x| < 1, away from the poles of tanh; 1 + x does not cancel where x is small. */
static double complex tanh_of(double complex x)
{
    const double complex twice = cexp(2 * x);
    return (twice - 1) / (twice + 1);
}

/* A lorentz of another s, with d kept: r = -i d |s|^2 / (2 Im s). */
static struct pole lorentz_moved(const struct pole *p, double complex to)
{
    const double strength = -2 * creal(of(p->r) / of(p->s));
    struct pole w = {.warps = 1};
    put(w.s, to);
    put(w.r, -I * strength * (creal(to) * creal(to) + cimag(to) * cimag(to)) / (2 * cimag(to)));
    return w;
}

/* r = -omega^2 / gamma, s = -gamma. */
static int drude_damp(struct pole *p, double share, double *sigma)
{
    const double square = p->s[0] * p->r[0], gamma = share * __builtin_sqrt(square);
    if (-p->s[0] >= gamma) return 0;
    *sigma += em_eps0 * (square / gamma + p->r[0]);
    p->s[0] = -gamma, p->r[0] = -square / gamma;
    return 1;
}

int pole_damp(struct pole *p, double share, double *sigma)
{
    static const double most = 0.99; /* of critical damping */
    if (p->is_drude) return drude_damp(p, share, sigma);
    if (!pole_is_pair(p)) return 0;
    const double complex s = of(p->s), at_rest = of(p->r) / s; /* -half of the strength of a lorentz */
    const double omega = cabs(s), strength = __builtin_fabs(2 * creal(at_rest)),
                 half = SF_MIN(0.5 * share * omega * __builtin_sqrt(SF_MAX(strength, 1)), most * omega);
    if (-p->s[0] >= half) return 0;
    const double swing = __builtin_sqrt(omega * omega - half * half);
    const double complex to = -half + I * (p->s[1] < 0 ? -swing : swing);
    if (p->warps) *p = lorentz_moved(p, to);
    else put(p->s, to), put(p->r, at_rest * to);
    return 1;
}

static struct pole warped(const struct pole *p, double dt)
{
    const double complex moved = 2 / dt * tanh_of(0.5 * dt * of(p->s));
    return lorentz_moved(p, p->s[0] < 0 ? moved : I * cimag(moved)); /* without damping it stays so */
}

static double complex decay_of(double complex s, double dt) { return (1 + 0.5 * dt * s) / (1 - 0.5 * dt * s); }

/* s whose memory keeps a tenth in a step at least. */
static double complex kept(double complex s, double dt)
{
    const double complex e = decay_of(s, dt), least = cabs(e) > 0 ? e * (least_decay / cabs(e)) : least_decay;
    return cabs(e) >= least_decay ? s : 2 / dt * (least - 1) / (least + 1);
}

/* One of the two real poles of a lorentz beyond critical damping: d s_1 s_2 / ((i w - s_1) (i w - s_2)), whose s
 * differ. */
static struct pole half_moved(const struct pole *p, double dt)
{
    double s = creal(kept(p->s[0], dt)), other = creal(kept(p->other, dt));
    double *const faster = p->s[0] < p->other ? &s : &other;
    if (!(__builtin_fabs(s - other) > 1e-3 * __builtin_fabs(s))) *faster *= 1.001;
    return (struct pole){
        .s = {s}, .r = {p->strength * s * other / (s - other)}, .other = other, .strength = p->strength};
}

/* s of another e. Of a debye, and what is given, r / s is kept, its part of epsilon at frequency 0. */
static struct pole slowed(const struct pole *p, double dt)
{
    const double complex to = kept(of(p->s), dt);
    struct pole w = {.is_drude = p->is_drude};
    if (p->warps) return lorentz_moved(p, to);
    put(w.s, to);
    put(w.r, p->is_drude ? of(p->r) : of(p->r) / of(p->s) * to);
    if (!pole_is_pair(p)) w.s[1] = w.r[1] = 0;
    return w;
}

struct pole pole_stepped(const struct pole *given, double dt)
{
    const int is_resolved = __builtin_fabs(given->s[1]) * dt < most_phase, is_half = given->other < 0;
    const struct pole p = given->warps && is_resolved ? warped(given, dt) : *given;
    const int moves = cabs(decay_of(of(p.s), dt)) < least_decay;
    if (is_half && (moves || cabs(decay_of(p.other, dt)) < least_decay)) return half_moved(&p, dt);
    return moves ? slowed(&p, dt) : p;
}

struct pole_step pole_step(const struct pole *given, double dt)
{
    const struct pole p = pole_stepped(given, dt);
    const double complex s = 0.5 * dt * of(p.s), r = of(p.r), e = decay_of(of(p.s), dt), b = r * s / (1 - s);
    const double times = pole_is_pair(&p) ? 2 : 1;
    struct pole_step to;
    put(to.decay, e);
    put(to.gain, -0.5 * times * (1 + e) * (1 + e) * b / e);
    to.up = times * creal(0.5 * (r + b));
    to.down = times * creal(0.5 * (r + b + (1 + e) * b));
    return to;
}
