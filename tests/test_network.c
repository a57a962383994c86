/* Potentials of networks against closed forms. SPDX-License-Identifier: MIT */
#include "maxwell/network.h"

#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { WIDE = 23, LINES = 17, NODES = WIDE * LINES };

static double along[2][NODES], x[NODES], current[NODES];
static unsigned char held[NODES];
static struct network network = {WIDE, LINES, {along[0], along[1]}, held, x, NULL};

static double unevenness(int n, int k) { return 1 + 0.9 * sin(1 + 7.3 * n + 3.1 * k); }

static void conductances_fill(void)
{
    for (int n = 0; n < NODES; n++) {
        along[0][n] = n % WIDE < WIDE - 1 ? unevenness(n, 0) : 0;
        along[1][n] = n / WIDE < LINES - 1 ? unevenness(n, 1) : 0;
    }
}

/* Any potentials are the solution of the currents that they make. */
Test(network, finds_what_makes_the_currents)
{
    double want[NODES];
    conductances_fill();
    for (int n = 0; n < NODES; n++) want[n] = x[n] = cos(0.7 * n) * (1 + n % 5), held[n] = n % 11 == 3;
    along[0][5 * WIDE + 4] = along[1][5 * WIDE + 4] = 0;
    for (int n = 0; n < NODES; n++) current[n] = network_current(&network, n);
    for (int n = 0; n < NODES; n++)
        if (!held[n]) x[n] = 0;
    network.current = current;
    cr_assert_eq(network_solve(&network), SF_OK, "%s", sf_error_text());
    for (int n = 0; n < NODES; n++) cr_assert(fabs(x[n] - want[n]) < 1e-10, "%d: %g, not %g", n, x[n], want[n]);
}

/* Of equal conductances held at 0 but for one side, sin(pi m / M) there: sinh along lines of the grid's own decay. */
Test(network, decays_as_the_grid_has_it)
{
    const double s = sin(0.5 * M_PI / (WIDE - 1)), decay = 2 * asinh(s);
    for (int n = 0; n < NODES; n++) {
        const int m = n % WIDE, k = n / WIDE;
        along[0][n] = m < WIDE - 1, along[1][n] = k < LINES - 1;
        held[n] = m == 0 || m == WIDE - 1 || k == 0 || k == LINES - 1;
        x[n] = k == LINES - 1 ? sin(M_PI * m / (WIDE - 1)) : 0;
    }
    cr_assert_eq(network_solve(&network), SF_OK, "%s", sf_error_text());
    for (int n = 0; n < NODES; n++) {
        const double want = sin(M_PI * (n % WIDE) / (WIDE - 1)) * sinh(decay * (n / WIDE)) / sinh(decay * (LINES - 1));
        cr_assert(fabs(x[n] - want) < 1e-12, "%d: %g, not %g", n, x[n], want);
    }
}
