/* A dipole by the method of moments. SPDX-License-Identifier: MIT */
#include "command/moment.h"

#include <math.h>

enum { MOST = 99, POINTS = 5, PARTS = 6 };

static const double eta0 = 376.730313668; /* ohm */

/* E along the axis, a radius off, of the current sin(k (d - |z|)) / sin(k d), |z| < d: closed form (Schelkunoff and
 * Friis 1952). */
static double complex field_at(double k, double d, double a, double z)
{
    const double r0 = hypot(a, z), r1 = hypot(a, z - d), r2 = hypot(a, z + d);
    return -I * eta0 / (4 * M_PI * sin(k * d)) *
           (cexp(-I * k * r1) / r1 + cexp(-I * k * r2) / r2 - 2 * cos(k * d) * cexp(-I * k * r0) / r0);
}

/* What two such currents have for each other, their middles `apart`, over half a half of one of them from the place
 * `end`: 1 / r near to it, so that z - end = a sinh(u), and Gauss's rule in parts of u. */
static double complex mutual_part(double k, double d, double a, double apart, double end, double toward)
{
    static const double at[POINTS] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                      0.9061798459386640},
                        weight[POINTS] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                          0.4786286704993665, 0.2369268850561891};
    const double part = asinh(0.5 * d / a) / PARTS;
    double complex sum = 0;
    for (int p = 0; p < PARTS; p++)
        for (int q = 0; q < POINTS; q++) {
            const double u = (p + 0.5 * (1 + at[q])) * part, z = end + toward * a * sinh(u);
            sum -= field_at(k, d, a, apart + z) * sin(k * (d - fabs(z))) * a * cosh(u) * weight[q];
        }
    return sum * 0.5 * part / sin(k * d);
}

static double complex mutual(double k, double d, double a, double apart)
{
    return mutual_part(k, d, a, apart, 0, 1) + mutual_part(k, d, a, apart, 0, -1) + mutual_part(k, d, a, apart, d, -1) +
           mutual_part(k, d, a, apart, -d, 1);
}

double complex moment_dipole(double length, double radius, int count)
{
    double complex z[MOST][MOST + 1];
    const double d = length / (count + 1);
    for (int n = 0; n < count; n++) {
        const double complex one = mutual(2 * M_PI, d, radius, n * d);
        for (int m = 0; m + n < count; m++) z[m][m + n] = z[m + n][m] = one;
        z[n][count] = n == count / 2;
    }
    /* Gauss: the diagonal is the largest of each column. */
    for (int n = 0; n < count; n++)
        for (int m = n + 1; m < count; m++) {
            const double complex share = z[m][n] / z[n][n];
            for (int c = n; c <= count; c++) z[m][c] -= share * z[n][c];
        }
    for (int n = count - 1; n >= count / 2; n--) {
        for (int m = n + 1; m < count; m++) z[n][count] -= z[n][m] * z[m][count];
        z[n][count] /= z[n][n];
    }
    return 1 / z[count / 2][count];
}
