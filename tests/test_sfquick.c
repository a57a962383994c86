/* exp, log and powers in the program's own precision, against the C library in double. SPDX-License-Identifier: MIT */
#include "pipeline/sferic.h"
#include "pipeline/sfquick.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

/* In units in the last place of what is right. */
static double units(double is, double right)
{
    int exponent;
    frexp(right, &exponent);
    return fabs(is - right) / ldexp(1, exponent - (sizeof(real) == 8 ? DBL_MANT_DIG : FLT_MANT_DIG));
}

/* The head of the header tells 1.5, 1 and 2 units: half of one is the last rounding, the rest reduction and polynomial.
 */
Test(sfquick, exp_to_a_unit_and_a_half)
{
    double worst = 0;
    for (int n = -400000; n <= 400000; n++) {
        const real x = (real)(n * 2e-4);
        worst = fmax(worst, units((double)sf_exp_quick(x), exp((double)x)));
    }
    cr_assert_lt(worst, 1.5, "%g units", worst);
    cr_assert_eq(sf_exp_quick(R(0.0)), R(1.0));
}

Test(sfquick, log_to_a_unit)
{
    double worst = 0;
    for (int e = -100; e <= 100; e++)
        for (int n = 0; n < 4000; n++) {
            const real x = (real)ldexp(1 + n / 4000.0, e);
            if ((double)x != 1) worst = fmax(worst, units((double)sf_log_parts(x).log, log((double)x)));
        }
    for (int n = 1; n < 2000; n++) { /* next to 1, where the logarithm is small */
        const real above = (real)(1 + n * 1e-5), below = (real)(1 - n * 1e-5);
        worst = fmax(worst, units((double)sf_log_parts(above).log, log((double)above)));
        worst = fmax(worst, units((double)sf_log_parts(below).log, log((double)below)));
    }
    cr_assert_leq(worst, 1.0, "%g units", worst);
    cr_assert_eq(sf_log_parts(R(1.0)).log, R(0.0));
}

/* In double they have what y log x rounds away, up to 80 units. Powers that rain has, and others, of all that the air
 * may hold of it and less. */
Test(sfquick, powers_to_two_units)
{
    static const double power[] = {0.2046, 0.525, 0.1346, 0.875, 0.3, -0.5, 1, 0};
    for (size_t p = 0; p < sizeof power / sizeof power[0]; p++) {
        double worst = 0;
        for (int e = -99; e <= 30; e++)
            for (int n = 0; n < 2000; n++) {
                const real x = (real)ldexp(1 + n / 2000.0, e), y = (real)power[p];
                worst = fmax(worst, units((double)sf_power_quick(sf_log_parts(x), y), pow((double)x, (double)y)));
            }
        cr_assert_lt(worst, sizeof(real) == 8 ? 128.0 : 2.0, "power %g: %g units", power[p], worst);
    }
    cr_assert_eq(sf_power_quick(sf_log_parts(R(1.0)), R(0.7)), R(1.0));
}
