/* A tridiagonal system along a column, by elimination (the Thomas algorithm):
 *
 *     before x[n-1] + here x[n] + after x[n+1] = right        before x[-1] = after x[end] = 0
 *
 * tridiagonal_eliminate goes along the column and leaves x[n] = value - ratio x[n+1]; tridiagonal_solve goes back. It
 * is stable where |here| >= |before| + |after|. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

struct tridiagonal {
    real ratio, value;
};

/* ratio, value: of the equation before this one; 0 of the first. */
SF_FORMULA struct tridiagonal tridiagonal_eliminate(real before, real here, real after, real right, real ratio,
                                                    real value)
{
    const real m = sf_reciprocal(sf_fma(-before, ratio, here));
    const struct tridiagonal t = {.ratio = after * m, .value = sf_fma(-before, value, right) * m};
    return t;
}

/* x: the solution of the equation behind this one; 0 of the last. */
SF_FORMULA real tridiagonal_solve(real ratio, real value, real x) { return sf_audible(sf_fma(-ratio, x, value)); }
