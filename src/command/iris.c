/* Modes of the guide on both sides of the iris, matched in its opening.
 *
 * TE10 comes, and both sides answer with the same TE_n0, n odd: E_y = sum V_n sin(n pi y / a), where 1 + S11 = S21 =
 * V_1, V_n the projection of E in the opening. That H is the same on both sides there says, with beta_1 the phase
 * constant of TE10 and alpha_n = sqrt((n pi / a)^2 - k^2) the decay of the others,
 *
 *     beta_1 (1 - V_1) sin(pi y / a) = - j sum_(n > 1) alpha_n V_n sin(n pi y / a)
 *
 * E in the opening, d wide, t = -1 .. 1 across it, is a sum of sqrt(1 - t^2) U_q(t), q = 0, 2, 4, ..: it falls to the
 * edges as it must, so that few terms do. Their projections are J_(q+1)(u) / u, u = n pi d / 2 a, times pi (q + 1) i^q,
 * which is left out: it cancels. With p_n those of mode n (Galerkin)
 *
 *     S11 = -1 / (1 + j b),    S21 = j b / (1 + j b),    b = beta_1 p_1' inverse(sum alpha_n p_n p_n') p_1
 *
 * Collin, Field Theory of Guided Waves, 2nd ed., 8.4. SPDX-License-Identifier: MIT */
#include "command/iris.h"

#include <math.h>

enum { TERMS = 5, MODES = 40000 }; /* terms past MODES fall as n^-2: what is left out is 1e-5 of the sum */

static const double pi = 3.14159265358979323846, light = 299792458.0;

static void projection(double ratio, int n, double p[TERMS])
{
    const double u = n * pi * ratio / 2;
    for (int q = 0; q < TERMS; q++) p[q] = jn(2 * q + 1, u) / u;
}

/* right' inverse(m) right by Cholesky's factors; m is symmetric and positive. */
static double form_inverse(double m[TERMS][TERMS], const double right[TERMS])
{
    double x[TERMS], sum = 0;
    for (int i = 0; i < TERMS; i++) {
        for (int j = 0; j <= i; j++) {
            double rest = m[i][j];
            for (int k = 0; k < j; k++) rest -= m[i][k] * m[j][k];
            m[i][j] = i == j ? sqrt(rest) : rest / m[j][j];
        }
        x[i] = right[i];
        for (int k = 0; k < i; k++) x[i] -= m[i][k] * x[k];
        x[i] /= m[i][i];
        sum += x[i] * x[i];
    }
    return sum;
}

void iris_scatter(double width, double opening, double frequency, double complex s[2])
{
    const double k = 2 * pi * frequency / light, first = pi / width;
    double m[TERMS][TERMS] = {{0}}, p[TERMS];
    for (int n = 2 * MODES + 1; n > 1; n -= 2) { /* the small ones first */
        const double alpha = sqrt(n * first * (n * first) - k * k);
        projection(opening / width, n, p);
        for (int i = 0; i < TERMS; i++)
            for (int j = 0; j < TERMS; j++) m[i][j] += alpha * p[i] * p[j];
    }
    projection(opening / width, 1, p);
    const double b = sqrt(k * k - first * first) * form_inverse(m, p);
    s[0] = -1 / (1 + I * b);
    s[1] = 1 + s[0];
}
