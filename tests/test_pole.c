/* Poles: susceptibilities against the formulas of their kinds, and waves of one wavelength in a box without sides
 * against the exact frequencies of the scheme. SPDX-License-Identifier: MIT */
#include "maxwell/pole.h"

#include "maxwell/maxwell.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>

/* ---- susceptibilities ---- */

static double complex chi_of(const struct pole_keys *k, double w)
{
    struct pole p[2];
    double sigma, chi[2] = {0};
    cr_assert_null(pole_wrong(k));
    const int n = pole_make(p, k, &sigma);
    for (int m = 0; m < n; m++) pole_add(&p[m], w, chi);
    return chi[0] + I * chi[1] + sigma / (I * w * em_eps0);
}

static void near(double complex is, double complex should, double tolerance)
{
    cr_assert(cabs(is - should) <= tolerance * cabs(should), "%.12g %+.12gi, not %.12g %+.12gi", creal(is), cimag(is),
              creal(should), cimag(should));
}

Test(pole, susceptibilities_are_those_of_their_kinds)
{
    for (int n = 0; n < 40; n++) {
        const double w = 1e13 * pow(10, 0.1 * n), w0 = 4e15, g = 3e14, d = 2.5, tau = 8e-16, phase = -0.7;
        near(chi_of(&(struct pole_keys){.kind = POLE_DEBYE, .strength = d, .tau = tau}, w), d / (1 + I * w * tau),
             1e-13);
        near(chi_of(&(struct pole_keys){.kind = POLE_DRUDE, .omega = w0, .gamma = g}, w),
             -w0 * w0 / (w * w - I * g * w), 1e-10);
        near(chi_of(&(struct pole_keys){.kind = POLE_LORENTZ, .strength = d, .omega = w0, .gamma = g}, w),
             d * w0 * w0 / (w0 * w0 - w * w + I * g * w), 1e-12);
        near(chi_of(&(struct pole_keys){.kind = POLE_LORENTZ, .strength = d, .omega = w0, .gamma = 5 * w0}, w),
             d * w0 * w0 / (w0 * w0 - w * w + I * 5 * w0 * w), 1e-12);
        near(chi_of(&(struct pole_keys){.kind = POLE_LORENTZ, .strength = d, .omega = w0, .gamma = 2 * w0}, w),
             d * w0 * w0 / (w0 * w0 - w * w + I * 2 * w0 * w), 1e-8);
        near(chi_of(&(struct pole_keys){.kind = POLE_CRITICAL, .strength = d, .omega = w0, .gamma = g, .phase = phase},
                    w),
             d * w0 * (cexp(-I * phase) / (w0 - w + I * g) + cexp(I * phase) / (w0 + w - I * g)), 1e-12);
        const double complex s = -g + I * w0, r = 1e15 - 2e15 * I;
        near(chi_of(&(struct pole_keys){.kind = POLE_PAIR, .s = {-g, w0}, .r = {1e15, -2e15}}, w),
             r / (I * w - s) + conj(r) / (I * w - conj(s)), 1e-13);
        near(chi_of(&(struct pole_keys){.kind = POLE_PAIR, .s = {-g, 0}, .r = {1e15, 5e14}}, w), 1e15 / (I * w + g),
             1e-13);
    }
    /* A plasma without losses keeps as little as leaves digits. */
    const double w = 1e15, w0 = 4e15;
    near(chi_of(&(struct pole_keys){.kind = POLE_DRUDE, .omega = w0}, w), -w0 * w0 / (w * w), 1e-5);
}

Test(pole, what_is_missing_is_told)
{
    static const struct pole_keys wrong[] = {{.kind = POLE_DEBYE, .strength = 1},
                                             {.kind = POLE_DEBYE, .tau = 1},
                                             {.kind = POLE_DRUDE},
                                             {.kind = POLE_LORENTZ, .strength = 1},
                                             {.kind = POLE_LORENTZ, .omega = 1},
                                             {.kind = POLE_CRITICAL, .omega = 1},
                                             {.kind = POLE_CRITICAL, .gamma = 1},
                                             {.kind = POLE_PAIR}};
    for (size_t n = 0; n < sizeof wrong / sizeof wrong[0]; n++) cr_assert_not_null(pole_wrong(&wrong[n]), "%zu", n);
}

/* A memory keeps a tenth in a step at least, and the pole its part of epsilon at frequency 0. */
Test(pole, memories_that_fade_in_a_step_are_slowed)
{
    const double dt = 1e-12;
    for (int n = 0; n < 30; n++) {
        struct pole p[2];
        double sigma, chi[2] = {0};
        const double tau = dt * (0.3 + 0.02 * n);
        pole_make(p, &(struct pole_keys){.kind = POLE_DEBYE, .strength = 3, .tau = tau}, &sigma);
        const struct pole is = pole_stepped(&p[0], dt);
        const struct pole_step s = pole_step(&p[0], dt);
        const double own = (1 - dt / (2 * tau)) / (1 + dt / (2 * tau));
        cr_assert_float_eq(s.decay[0], fabs(own) >= 0.1 ? own : own < 0 ? -0.1 : 0.1, 1e-12);
        pole_add(&is, 0, chi);
        cr_assert_float_eq(chi[0], 3, 1e-12);
        cr_assert(is.s[1] >= 0 && is.s[1] <= 0 && s.decay[1] >= 0 && s.decay[1] <= 0);
    }
}

/* Far below a resonance, resolved by the steps or not, waves of 60 steps a period see its strength. */
Test(pole, resonances_beyond_the_steps_stay_there)
{
    const double dt = 1e-16, w = 0.1 / dt, at = 2 / dt * tan(0.5 * w * dt);
    for (double turn = 0.8; turn < 40; turn *= 1.003) {
        struct pole p[2];
        double sigma, chi[2] = {0};
        const double own = turn / dt;
        pole_make(p, &(struct pole_keys){.kind = POLE_LORENTZ, .strength = 1, .omega = own}, &sigma);
        const struct pole is = pole_stepped(&p[0], dt);
        pole_add(&is, at, chi);
        near(chi[0] + I * chi[1], own * own / (own * own - w * w), 2e-3);
    }
}

/* ---- a wave ---- */

/* A plane wave of one wave number: (2 / dt sin(w dt / 2))^2 eps(W) = c^2 K^2, W of the trapezoid, w complex. By
 * Newton's method with differences. */
struct wave {
    double epsilon, sigma, dt, q; /* q: (c dt K)^2 */
    int n;
    struct pole pole[2];
};

static double complex epsilon_at(const struct wave *x, double complex w)
{
    const double complex at = I * 2 / x->dt * ctan(0.5 * w * x->dt);
    double complex e = x->epsilon + x->sigma / (em_eps0 * at);
    for (int n = 0; n < x->n; n++) {
        double complex s = x->pole[n].s[0] + I * x->pole[n].s[1], r = x->pole[n].r[0] + I * x->pole[n].r[1];
        if (x->pole[n].warps) {
            const double complex to = 2 / x->dt * ctanh(0.5 * x->dt * s);
            const double d = -2 * creal(r / s);
            s = to, r = -I * d * cabs(s) * cabs(s) / (2 * cimag(s));
        }
        e += r / (at - s);
        if (cimag(s) > 0 || cimag(s) < 0) e += conj(r) / (at - conj(s));
    }
    return e;
}

static double complex away(const struct wave *x, double complex w)
{
    const double complex sine = 2 * csin(0.5 * w * x->dt);
    return sine * sine * epsilon_at(x, w) - x->q;
}

static double complex frequency_find(const struct wave *x, double complex w)
{
    for (int n = 0; n < 60; n++) {
        const double complex small = 1e-6 * w;
        w -= away(x, w) * 2 * small / (away(x, w + small) - away(x, w - small));
    }
    cr_assert(cabs(away(x, w)) < 1e-12);
    return w;
}

/* The same by the recursion: E cos(k x) and H sin(k x) of one wave number, each one number. Returns how far E is off
 * the sum of the wave and its mirror in time, of the largest. */
static double recursion_off(const struct wave *x, double complex w, int steps)
{
    struct pole_step p[2];
    double epsilon = x->epsilon, up = 0.5 * x->sigma / em_eps0, down = up, gains = 0;
    for (int n = 0; n < x->n; n++) {
        p[n] = pole_step(&x->pole[n], x->dt);
        up += p[n].up, down += p[n].down;
    }
    const double den = epsilon / x->dt + up;
    for (int n = 0; n < x->n; n++) gains += p[n].gain[0];
    const double keep = (epsilon / x->dt - down - gains) / den, k = sqrt(x->q) / (em_c * x->dt),
                 turn = 1 / (em_eps0 * den);
    /* At the start as the wave has it: E = Re z^m, H half a step before, and memories that follow E. */
    const double complex z = cexp(I * w * x->dt), half = cexp(-I * 0.5 * w * x->dt);
    const double complex h_of = k / (em_mu0 * (2 * I / x->dt) * csin(0.5 * w * x->dt));
    double e = 1, h = creal(h_of * half), most = 0, off = 0;
    double complex y[2];
    for (int n = 0; n < x->n; n++) { /* y z = decay y + gain / den E z, seen behind E */
        const double complex decay = p[n].decay[0] + I * p[n].decay[1], gain = (p[n].gain[0] + I * p[n].gain[1]) / den;
        y[n] = gain * z / (z - decay);
        const double complex other = gain * conj(z) / (conj(z) - decay); /* of a real E both frequencies are there */
        y[n] = 0.5 * (y[n] + other);
    }
    for (int m = 1; m <= steps; m++) {
        h += x->dt / em_mu0 * k * e;
        e = keep * e - turn * k * h;
        for (int n = 0; n < x->n; n++) e += creal(y[n]);
        for (int n = 0; n < x->n; n++)
            y[n] = (p[n].decay[0] + I * p[n].decay[1]) * y[n] + (p[n].gain[0] + I * p[n].gain[1]) / den * e;
        const double should = creal(cpow(z, m));
        off = fmax(off, fabs(e - should)), most = fmax(most, fabs(should));
    }
    return off / most;
}

static struct wave wave_of(const struct pole_keys *k, double epsilon)
{
    struct wave x = {.epsilon = epsilon, .dt = 1e-3, .q = 0.03};
    x.n = pole_make(x.pole, k, &x.sigma);
    return x;
}

/* Figures of w dt by another program (fp64). */
Test(pole, a_wave_has_its_frequency)
{
    const double dt = 1e-3;
    const struct pole_keys lorentz = {.kind = POLE_LORENTZ, .strength = 1.5, .omega = 0.2 / dt, .gamma = 0.02 / dt};
    const struct {
        struct pole_keys k;
        double epsilon, re, im;
    } known[] = {
        {{.kind = POLE_DRUDE, .omega = 0.2 / dt, .gamma = 0.01 / dt}, 1, 0.263968438131, 0.002806930677},
        {{.kind = POLE_DEBYE, .strength = 73.2, .tau = 4 * dt}, 5.16, 0.019557422845, 0.000715594729},
        {lorentz, 2.25, 0.085736797359, 0.000921622060},
        {lorentz, 2.25, 0.268747007859, 0.009012369603},
    };
    for (size_t n = 0; n < sizeof known / sizeof known[0]; n++) {
        const struct wave x = wave_of(&known[n].k, known[n].epsilon);
        const double complex w = frequency_find(&x, (known[n].re + I * known[n].im) / dt);
        cr_assert_float_eq(creal(w) * dt, known[n].re, 2e-12, "%.12g", creal(w) * dt);
        cr_assert_float_eq(cimag(w) * dt, known[n].im, 2e-12, "%.12g", cimag(w) * dt);
        cr_assert_lt(recursion_off(&x, w, 400), 1e-11);
    }
}

/* ---- damped for layers ---- */

static double complex chi_with(const struct pole *p, double sigma, double w)
{
    double chi[2] = {0, 0};
    pole_add(p, w, chi);
    return chi[0] + I * chi[1] - I * sigma / (w * em_eps0);
}

/* Against the formulas of both kinds with the gamma that is wanted; what is damped enough stays. */
Test(pole, damped)
{
    const double w[3] = {0.2e10, 0.9e10, 3e10}, omega = 1e10;
    struct pole to[2];
    double sigma;
    for (int n = 0; n < 3; n++) {
        pole_make(to, &(struct pole_keys){.kind = POLE_DRUDE, .omega = omega, .gamma = 0.01 * omega}, &sigma);
        cr_assert_eq(pole_damp(to, 0.3, &sigma), 1);
        const double complex drude = -omega * omega / (w[n] * w[n] - I * 0.3 * omega * w[n]);
        cr_expect(cabs(chi_with(to, sigma, w[n]) - drude) < 1e-12 * cabs(drude), "drude %d", n);
        cr_assert_eq(pole_damp(to, 0.2, &sigma), 0);
        cr_expect(cabs(chi_with(to, sigma, w[n]) - drude) < 1e-12 * cabs(drude));
        for (int strong = 0; strong < 3; strong++) {
            const double strength[3] = {0.5, 4, 900}, gamma[3] = {0.3, 0.6, 1.98}; /* the last near critical damping */
            pole_make(to, &(struct pole_keys){.kind = POLE_LORENTZ, .strength = strength[strong], .omega = omega},
                      &sigma);
            cr_assert_eq(pole_damp(to, 0.3, &sigma), 1);
            const double complex lorentz =
                strength[strong] * omega * omega / (omega * omega - w[n] * w[n] + I * gamma[strong] * omega * w[n]);
            cr_expect(cabs(chi_with(to, 0, w[n]) - lorentz) < 1e-9 * cabs(lorentz), "lorentz %d %d", n, strong);
        }
    }
    pole_make(to, &(struct pole_keys){.kind = POLE_DEBYE, .strength = 3, .tau = 1e-10}, &sigma);
    cr_assert_eq(pole_damp(to, 0.3, &sigma), 0);
    /* What is given as a pair keeps what it has at frequency 0, and the size of its pole. */
    pole_make(to, &(struct pole_keys){.kind = POLE_PAIR, .s = {-1e8, -1e10}, .r = {2e8, 1e9}}, &sigma);
    const struct pole pair = to[0];
    double rest[2][2] = {{0}};
    pole_add(&pair, 0, rest[0]);
    cr_assert_eq(pole_damp(to, 0.3, &sigma), 1);
    pole_add(to, 0, rest[1]);
    cr_expect_float_eq(rest[1][0], rest[0][0], 1e-12);
    cr_expect(to[0].s[1] < 0 && fabs(hypot(to[0].s[0], to[0].s[1]) / hypot(1e8, 1e10) - 1) < 1e-12);
    cr_expect_float_eq(to[0].s[0] / hypot(1e8, 1e10), -0.15, 1e-12);
}
