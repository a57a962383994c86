/* The state at time 0: fields at rest, media in their places. SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "maxwell/tiles.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <strings.h>

static int shows_media(const struct instance *in)
{
    const size_t most = sizeof in->config->output_fields / sizeof in->config->output_fields[0];
    for (size_t n = 0; n < most; n++)
        if (!strcasecmp(in->config->output_fields[n], "medium")) return 1;
    return 0;
}

/* Where E has one medium, for a sweep that then does without its numbers. */
static int media_sum_up(const struct instance *in, struct maxwell_own *own, const struct slab *s, void *const id[6])
{
    const int wide = own->paint.wide[0];
    if (!own->in_one_sweep || !wide) return SF_OK;
    bricks_free(own->ctx.bricks);
    own->ctx.bricks = bricks_make((const void *[3]){id[0], id[1], id[2]}, wide, s->sj, s->sk, in->grid->nx, in->grid->nz, s->j0, s->rows);
    SF_CHECK(own->ctx.bricks, SF_MEMORY, "no memory for the bricks of media");
    return SF_OK;
}

int maxwell_begin(const struct instance *in, struct state *st)
{
    struct maxwell_own *own = in->own;
    const struct slab *s = &st->host.s;
    void *id[6];
    if (own->probes) probes_rows(own->probes, st->ja, st->jb);
    for (int c = 0; c < 6; c++) id[c] = own->paint.wide[c / 3] ? (void *)s->f[F_MEX + c] : NULL;
    /* Ghost rows as well: a number stands for the same on this rank only. */
    int rc = paint_rows(&own->paint, &own->geometry, s->j0, s->j0 + s->rows, id, s->sj, s->sk);
    /* The media of cells are read from the file once more where history shows them. */
    if (!rc && shows_media(in)) rc = geometry_load(&own->geometry, st->ja, st->jb);
    if (!rc) rc = media_sum_up(in, own, s, id);
    SF_TRY(outcome_share(&st->comm, rc));
    return paint_coefficients(&own->paint, &own->media, in->dt_fixed, &own->ctx.e, &own->ctx.h);
}
