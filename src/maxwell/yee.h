/* The update of one component of E or H from the difference of its two neighbours along each transverse axis.
 *
 *     f = keep f + turn (da ra + db rb)
 *
 * da, db: differences; ra, rb: 1 / (kappa spacing). keep = (1 - s) / (1 + s), turn = dt / m / (1 + s), s = loss dt / 2
 * m with m, loss = eps, sigma of E and mu, sigma_m of H (Taflove and Hagness, 3.5). The two terms are added as they
 * are: no fma spans them, so that exchanging two axes exchanges the fields to the last bit.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

SF_FORMULA real yee_update(real f, real keep, real turn, real da, real ra, real db, real rb)
{
    const real curl = da * ra + db * rb;
    return sf_fma(turn, curl, keep * f);
}

/* What an absorbing layer adds: its memory of the difference d along its axis, psi = b psi + a d, replaces the part of
 * d that kappa took away (Roden and Gedney 2000). a holds 1 / spacing. */
SF_FORMULA real cpml_memory(real psi, real b, real a, real d) { return sf_fma(b, psi, a * d); }

/* Then the component takes it as part of its curl. */
SF_FORMULA real cpml_add(real f, real turn, real psi) { return sf_fma(turn, psi, f); }

/* Is element m of an axis in its layer of `low` cells from 0 on, or of `high` cells before n? -1: in neither; else
 * 0, 1. */
SF_FORMULA int layer_of(int m, int n, int low, int high)
{
    return m >= 0 && m < low ? 0 : m >= n - high && m < n ? 1 : -1;
}

/* A memory of a layer is [row][level][column] of what it covers, and counts from there. */
SF_FORMULA ptrdiff_t layer_offset(ptrdiff_t row, int level, int column, int levels, int columns)
{
    return (row * levels + level) * columns + column;
}
