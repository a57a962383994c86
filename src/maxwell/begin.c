/* The state at time 0: fields at rest, media in their places. SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "pipeline/error.h"

int maxwell_begin(const struct instance *in, struct state *st)
{
    struct maxwell_own *own = in->own;
    const struct slab *s = &st->host.s;
    void *id[6];
    if (own->probes) probes_rows(own->probes, st->ja, st->jb);
    for (int c = 0; c < 6; c++)
        id[c] = own->paint.wide[c / 3] ? (char *)s->f[F_MEX + c] + (st->ja - s->j0) * s->sj * own->paint.wide[c / 3] : NULL;
    /* The row of nodes beyond the last cells is painted too: a magnetic conductor has its own. */
    SF_TRY(paint_rows(&own->paint, &own->geometry, st->ja, st->jb + (st->jb == in->grid->ny), id, s->sj, s->sk));
    return paint_coefficients(&own->paint, &own->media, in->dt_fixed, &own->ctx.e, &own->ctx.h);
}
