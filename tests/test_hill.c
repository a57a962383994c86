/* Hills by value. SPDX-License-Identifier: MIT */
#include "dynamics/hill.h"

#include <criterion/criterion.h>
#include <math.h>

Test(hill, shapes)
{
    cr_expect(fabs(hill_bell(400, 2000, 0, 0) - 400) < 1e-12);
    cr_expect(fabs(hill_bell(400, 2000, 2000, 2000 * sqrt(2)) - 50) < 1e-12); /* 4^(3/2) = 8 */
    cr_expect(fabs(hill_bell(400, 2000, -2000 * sqrt(3), 0) - 50) < 1e-12);
    cr_expect(fabs(hill_ridge(400, 2000, 0) - 400) < 1e-12);
    cr_expect(fabs(hill_ridge(400, 2000, -2000) - 200) < 1e-12);
    cr_expect(fabs(hill_ridge(400, 2000, 6000) - 40) < 1e-12);
    cr_expect(fabs(hill_schaer(250, 5000, 4000, 0) - 250) < 1e-12);
    cr_expect(fabs(hill_schaer(250, 5000, 4000, 2000)) < 1e-12);
    cr_expect(fabs(hill_schaer(250, 5000, 4000, 1000) - 125 * exp(-0.04)) < 1e-12);
    cr_expect(fabs(hill_schaer(250, 5000, 4000, -4000) - 250 * exp(-0.64)) < 1e-12);
}
