/* Baroclinic waves: see eady.h. SPDX-License-Identifier: MIT */
#include "command/eady.h"

#include <complex.h>
#include <math.h>

struct eady_wave eady_boussinesq(const struct eady_case *e)
{
    const double mu = e->N * e->height * hypot(e->k, e->l) / e->f, top = e->shear * e->height;
    const double square = (mu / 2 - tanh(mu / 2)) * (mu / 2 - 1 / tanh(mu / 2)), root = top / mu * sqrt(fabs(square));
    if (square < 0) return (struct eady_wave){e->k * root, top / 2};
    return (struct eady_wave){0, top / 2 + root};
}

/* Of the base state: squared speed of sound. */
static double sound_at(const struct eady_case *e, double z)
{
    const double lift = e->N * e->N * z / e->g, theta = e->theta * exp(lift);
    const double pi = 1 + e->g * e->g / (e->cp * e->N * e->N * e->theta) * (exp(-lift) - 1);
    return e->cp / (e->cp - e->R) * e->R * theta * pi;
}

struct slope {
    double complex phi, W;
};

static struct slope slope_at(const struct eady_case *e, double complex c, double z, double complex phi,
                             double complex W)
{
    const double square = e->N * e->N, sound = sound_at(e, z), U = e->shear * z;
    const double complex phi_z = (e->shear * phi - c * square * phi / e->g - square * W / e->f) / (U - c);
    return (struct slope){phi_z, e->g * W / sound + e->f * c * phi / sound -
                                     (e->k * e->k + e->l * e->l) * (U - c) * phi / e->f -
                                     e->f / e->g * (U * phi_z - e->shear * phi)};
}

/* W at the lid of what begins at the ground with W = 0, by Runge and Kutta's steps of fourth order. */
static double complex lid_of(const struct eady_case *e, double complex c)
{
    enum { STEPS = 1000 };
    const double h = e->height / STEPS;
    double complex phi = 1, W = 0;
    for (int n = 0; n < STEPS; n++) {
        const double z = n * h;
        const struct slope a = slope_at(e, c, z, phi, W),
                           b = slope_at(e, c, z + h / 2, phi + h / 2 * a.phi, W + h / 2 * a.W),
                           d = slope_at(e, c, z + h / 2, phi + h / 2 * b.phi, W + h / 2 * b.W),
                           f = slope_at(e, c, z + h, phi + h * d.phi, W + h * d.W);
        phi += h / 6 * (a.phi + 2 * b.phi + 2 * d.phi + f.phi), W += h / 6 * (a.W + 2 * b.W + 2 * d.W + f.W);
    }
    return W;
}

struct eady_wave eady_compressible(const struct eady_case *e)
{
    const struct eady_wave b = eady_boussinesq(e);
    double complex before = b.speed + b.growth / e->k * I, c = 1.01 * before, W_before = lid_of(e, before);
    for (int turn = 0; turn < 40 && cabs(c - before) > 1e-12 * cabs(c); turn++) {
        const double complex W = lid_of(e, c), next = c - W * (c - before) / (W - W_before);
        before = c, W_before = W, c = next;
    }
    return (struct eady_wave){e->k * cimag(c), creal(c)};
}
