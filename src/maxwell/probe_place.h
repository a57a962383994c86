/* Which probes a stage records. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* Does the element at `at` lie in the box, and belong to own rows [ja, jb)? A place beyond the last of nj rows goes
 * with that row. */
SF_FORMULA int probe_is_here(const struct box *at, const struct box *b, int nj, int ja, int jb)
{
    const int row = SF_MIN(at->j0, nj - 1);
    return row >= ja && row < jb && at->i0 >= b->i0 && at->i0 < b->i1 && at->k0 >= b->k0 && at->k0 < b->k1 &&
           at->j0 >= b->j0 && at->j0 < b->j1;
}
