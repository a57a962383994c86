/* A dipole by the method of moments: against the closed form of one half of a sine, the limit of a short one, and
 * figures of another program. SPDX-License-Identifier: MIT */
#include "command/moment.h"

#include <criterion/criterion.h>
#include <math.h>

/* One half of a sine on half a wavelength, no thickness: 30 ohm (Cin(2 pi) + i Si(2 pi)), by their series. */
Test(moment, half_of_a_sine)
{
    const double x = 2 * M_PI;
    double cin = 0, si = 0, term = 1;
    for (int n = 1; n < 60; n++) {
        term *= x / n; /* x^n / n! */
        if (n % 2) si += (n % 4 == 1 ? term : -term) / n;
        else cin += (n % 4 == 2 ? term : -term) / n;
    }
    const double eta = 376.730313668 / (4 * M_PI);
    const double complex z = moment_dipole(0.5, 1e-7, 1);
    cr_expect(fabs(creal(z) / (eta * cin) - 1) < 1e-5, "%.6f", creal(z));
    cr_expect(fabs(cimag(z) / (eta * si) - 1) < 1e-5, "%.6f", cimag(z));
}

/* A short one radiates as its current, a triangle: 20 (k l / 2)^2 ohm, eta0 for 120 pi. */
Test(moment, short_one)
{
    const double length = 2e-3, exact = 376.730313668 / (6 * M_PI) * pow(M_PI * length, 2);
    cr_expect(fabs(creal(moment_dipole(length, 1e-9, 1)) / exact - 1) < 1e-4);
}

/* Length, length over diameter, impedance; of 41 segments too, by double sums of another program, to 2 %. */
Test(moment, figures)
{
    static const double figure[][4] = {{0.47, 74.2, 74, 2.5},  {0.48, 74.2, 80.8, 16.4}, {0.47, 500, 67.6, -19.2},
                                       {0.48, 500, 72.5, 2.4}, {0.5, 500, 83.5, 45.8},   {0.48, 5000, 69.6, -16.0},
                                       {0.5, 5000, 79.4, 44.7}};
    for (unsigned n = 0; n < sizeof figure / sizeof *figure; n++) {
        const double *const f = figure[n];
        const double complex z = moment_dipole(f[0], f[0] / f[1] / 2, 41), known = f[2] + f[3] * I;
        cr_expect(cabs(z / known - 1) < 0.02, "%u: %.2f %+.2f i", n, creal(z), cimag(z));
    }
    /* the same formulas typed anew in Python, Gauss's rule of ten points on 24 parts */
    const double complex is = moment_dipole(0.47, 0.47 / 1000, 41), known = 67.5783596818 - 19.3707384996 * I;
    cr_expect(cabs(is - known) < 1e-5, "%.9f %+.9f", creal(is), cimag(is));
}
