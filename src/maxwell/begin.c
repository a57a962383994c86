/* The state at time 0: fields at rest, media in their places. SPDX-License-Identifier: MIT */
#include "maxwell/dispersion.h"
#include "maxwell/incident_parts.h"
#include "maxwell/own.h"
#include "maxwell/pairs.h"
#include "maxwell/tiles.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <stdlib.h>
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
    if (own->sweeps == SWEEPS_TWO || !wide) return SF_OK;
    bricks_free(own->ctx.bricks);
    own->ctx.bricks = bricks_make((const void *[3]){id[0], id[1], id[2]}, wide, s->sj, s->sk, in->grid->nx,
                                  in->grid->nz, s->j0, s->rows);
    SF_CHECK(own->ctx.bricks, SF_MEMORY, "no memory for the bricks of media");
    return SF_OK;
}

static void place_add(struct place_range *to, int *n, struct place_range one)
{
    if (to) to[*n] = one;
    ++*n;
}

static struct place_range box_range(const struct box *b)
{
    return (struct place_range){{b->i0, b->j0, b->k0}, {b->i1, b->j1, b->k1}};
}

/* Elements that sources and poles change behind a sweep, into to[] unless that is NULL. Returns how many ranges of them
 * there are. */
static int places_driven(const struct maxwell *x, struct place_range *to)
{
    int n = 0;
    for (const struct source *s = x->source; s < x->source + x->nsources; s++) {
        for (int c = 0; c < 3 && s->is_mode; c++)
            if (c != s->mode.axis) place_add(to, &n, mode_range(&s->mode, c));
        if (!s->is_mode) place_add(to, &n, s->at);
    }
    for (int face = 0; face < FACES && x->incident; face++) { /* of its box: E on it, and H half a cell outside */
        const struct incident *const in = x->incident;
        const int a = face / 2, node = face % 2 ? in->high[a] : in->low[a];
        struct place_range one;
        for (int c = 0; c < 3; c++) one.low[c] = in->low[c], one.high[c] = in->high[c] + 1;
        one.low[a] = node - 1, one.high[a] = node + 1;
        if (in->face[a][face % 2]) place_add(to, &n, one);
    }
    for (const struct dispersion *d = x->dispersion; d < x->dispersion + x->ndispersions; d++)
        place_add(to, &n, dispersion_range(d, x));
    return n;
}

/* Joins one more box to what a box holds; an empty one begins with it. */
static void box_join(struct box *to, const struct box *b)
{
    if (box_is_empty(*to)) *to = *b;
    else if (!box_is_empty(*b))
        *to = (struct box){SF_MIN(to->i0, b->i0), SF_MAX(to->i1, b->i1), SF_MIN(to->k0, b->k0),
                           SF_MAX(to->k1, b->k1), SF_MIN(to->j0, b->j0), SF_MAX(to->j1, b->j1)};
}

/* The same of those that probes read, and behind them those that monitors do. Of a probe and of a monitor one range
 * holds all components: they lie half a cell from each other, and the first step would be made anew for each. */
static int places_seen(const struct maxwell *x, struct place_range *to)
{
    int n = 0;
    for (int p = 0; x->probes && p < x->probes->n; p++) {
        struct box all = {0};
        for (int c = 0; c < PROBE_COMPONENTS; c++) {
            struct box at = x->probes->at[c * x->probes->n + p];
            at.i1 = at.i0 + 1, at.j1 = at.j0 + 1, at.k1 = at.k0 + 1;
            box_join(&all, &at);
        }
        place_add(to, &n, box_range(&all));
    }
    for (int m = 0; m < x->nmonitors; m++) {
        struct box all = {0};
        for (int q = 0; q < x->monitor[m].ncomponents; q++) box_join(&all, &x->monitor[m].range[q]);
        place_add(to, &n, box_range(&all));
    }
    return n;
}

/* Once bricks are there. */
static int core_find(struct maxwell_own *own)
{
    struct maxwell *const x = &own->ctx;
    if (own->sweeps != SWEEPS_HALF) return SF_OK;
    const int driven = places_driven(x, NULL), seen = places_seen(x, NULL);
    struct place_range *const place = malloc(((size_t)driven + (size_t)seen + 1) * sizeof *place);
    SF_CHECK(place, SF_MEMORY, "no memory for the places of sources and probes");
    places_driven(x, place), places_seen(x, place + driven);
    const struct pairs_places places = {.driven = place,
                                        .seen = place + driven,
                                        .ndriven = driven,
                                        .nseen = seen,
                                        .nprobes = x->probes ? x->probes->n : 0,
                                        .every = own->monitors ? own->monitors->every : 1};
    pairs_free(x->pairs);
    x->pairs = NULL;
    const int rc = pairs_make(&x->pairs, x, &places);
    free(place);
    return rc;
}

int maxwell_begin(const struct instance *in, struct state *st)
{
    struct maxwell_own *own = in->own;
    const struct slab *s = &st->host.s;
    void *id[6];
    if (own->probes) probes_rows(own->probes, st->ja, st->jb);
    for (int c = 0; c < 6; c++) id[c] = own->paint.wide[c / 3] ? (void *)s->f[F_MEX + c] : NULL;
    own->paint.threads = state_threads(st);
    /* Ghost rows as well: a number stands for the same on this rank only. */
    int rc = paint_rows(&own->paint, &own->geometry, s->j0, s->j0 + s->rows, id, s->sj, s->sk);
    if (!rc && st->comm.rank == 0) rc = monitors_media(own->monitors, &own->params, &own->geometry);
    /* The media of cells are read from the file once more where history shows them. */
    if (!rc && shows_media(in)) rc = geometry_load(&own->geometry, st->ja, st->jb);
    if (!rc) rc = media_sum_up(in, own, s, id);
    if (!rc) rc = core_find(own);
    SF_TRY(outcome_share(&st->comm, rc));
    SF_TRY(paint_coefficients(&own->paint, &own->media, own->dispersions, in->dt_fixed, &own->ctx.e, &own->ctx.h));
    if (own->probes) probes_media(own->probes, &own->ctx, s);
    return SF_OK;
}
