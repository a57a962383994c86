/* An iris in a guide by its modes, against figures of mode matching with many modes and what holds of any iris.
 * SPDX-License-Identifier: MIT */
#include "command/iris.h"

#include <criterion/criterion.h>
#include <math.h>

static const double width = 22.86e-3;

/* |S11|, |S21| and, where it is known, the angle of S21 in degrees, computed independently; good to 5e-5. */
struct figure {
    double opening, frequency, s11, s21, degrees;
};
static const struct figure figures[] = {
    {10.16e-3, 8e9, .8847, .4662, 62.21}, {10.16e-3, 10e9, .7406, .6720, 47.78}, {10.16e-3, 12e9, .6142, .7891, 37.90},
    {12.7e-3, 8e9, .6851, .7285, NAN},    {12.7e-3, 10e9, .4790, .8778, NAN},    {12.7e-3, 12e9, .3591, .9333, NAN},
};

Test(iris, published_figures)
{
    for (unsigned n = 0; n < sizeof figures / sizeof figures[0]; n++) {
        const struct figure *const of = &figures[n];
        double complex s[2];
        iris_scatter(width, of->opening, of->frequency, s);
        cr_expect(fabs(cabs(s[0]) - of->s11) < 1e-4, "%u: |S11| %.6f", n, cabs(s[0]));
        cr_expect(fabs(cabs(s[1]) - of->s21) < 1e-4, "%u: |S21| %.6f", n, cabs(s[1]));
        if (!isnan(of->degrees)) cr_expect(fabs(carg(s[1]) * 180 / M_PI - of->degrees) < 0.01, "%u: angle", n);
    }
}

/* Nothing absorbs; a narrow opening lets (in the limit) nothing through, the whole width all. */
Test(iris, limits)
{
    double complex s[2], narrow[2], wide[2];
    iris_scatter(width, 8e-3, 11e9, s);
    cr_expect(fabs(cabs(s[0]) * cabs(s[0]) + cabs(s[1]) * cabs(s[1]) - 1) < 1e-14);
    iris_scatter(width, 0.5e-3, 11e9, narrow);
    iris_scatter(width, 0.999 * width, 11e9, wide);
    cr_expect(cabs(narrow[1]) < 2e-3 && cabs(narrow[1]) > 0);
    cr_expect(cabs(wide[0]) < 1e-3);
}
