/* What kernels of the weather rely on beyond their own stage's line in stages.def. SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"
#include "dynamics/stages.h"

#include <criterion/criterion.h>
#include <string.h>

static int is_written(const struct stage *s, int field)
{
    int written = 0;
    for (const struct access *x = s->access; x->mode; x++) written |= x->field == field && access_writes(x->mode);
    return written;
}

/* The kernel of u and v that follows one of w and pi' reads all but the pressure while that still runs. */
Test(stages, what_is_read_early_is_not_what_w_and_pi_write)
{
    const struct model *m = &dynamics_model;
    int writers = 0, readers = 0;
    for (const struct stage *w = m->stage; w < m->stage + m->nstages; w++) {
        if (strncmp(w->name, "wpi", 3)) continue;
        writers++;
        cr_assert(is_written(w, F_W) && is_written(w, F_PI) && is_written(w, F_PID));
        for (const struct stage *r = m->stage; r < m->stage + m->nstages; r++) {
            if (strncmp(r->name, "uv", 2)) continue;
            readers++;
            for (const struct access *x = r->access; x->mode; x++) {
                if (x->field == F_PI || x->field == F_PID) continue;
                cr_assert(!is_written(w, x->field), "%s writes field %d, which %s reads early", w->name, x->field,
                          r->name);
            }
        }
    }
    cr_assert(writers >= 3 && readers >= 9, "%d stages, %d pairs", writers, readers);
}
