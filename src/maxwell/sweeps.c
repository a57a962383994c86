/* In how many sweeps a step a GPU takes E and H. SPDX-License-Identifier: MIT */
#include "maxwell/dispersion.h"
#include "maxwell/own.h"
#include "maxwell/pairs.h"
#include "maxwell/yee_both.h"

/* Two passes of 64 steps, which hide the transfers of slabs. So many steps lie between looks at the state where slabs
 * stream, the namelist leaves that open and no look may end the run; a number that is no multiple would leave short
 * passes, whose transfers show. */
enum { STREAM_STEPS = 64, STREAM_CHECK = 2 * STREAM_STEPS };

/* On a GPU E and H may go in one sweep, but for the mirror images of what is computed on a magnetic conductor's own
 * face. That takes another bank of what such a sweep changes while neighbours read it. Two steps together take that of
 * all, and E and H between them. */
static void fields_set(struct instance *in, enum em_sweeps sweeps)
{
    const int two = sweeps == SWEEPS_TWO ? 1 : 2;
    for (int c = 0; c < 6; c++) {
        struct field *const mid = &in->field[F_MID_EX + c];
        in->field[c].banks = two;
        mid->shape = sweeps == SWEEPS_HALF ? SHAPE_FULL : SHAPE_BOX;
        mid->stagger = in->field[c].stagger;
        for (int face = 0; face < FACES; face++) mid->ghost[face] = in->field[c].ghost[face];
    }
    for (int n = 0; n < 4 * FACES; n++)
        in->field[F_PSI_W + n].banks = n % 4 < 2 && sweeps != SWEEPS_HALF ? 1 : two; /* those of E are the first */
}

/* Of all fields, about. */
static double fields_bytes(const struct instance *in)
{
    enum { LINE = 128 / (int)sizeof(real) }; /* elements of a line of a GPU's memory, which rows of columns fill */
    const double all = (double)((in->grid->nx + 1 + LINE) / LINE * LINE) * (in->grid->ny + 2.0) *
                       (in->grid->nz + 2.0); /* with ghosts */
    double bytes = 0;
    for (const struct field *f = in->field; f < in->field + in->nfields; f++) {
        const struct extent *const b = &f->box;
        const double part = (double)(b->i1 - b->i0) * (b->k1 - b->k0) * (b->j1 - b->j0) * b->n;
        bytes += (f->shape == SHAPE_BOX ? part : all) * (f->bytes ? f->bytes : (int)sizeof(real)) * f->banks;
    }
    return bytes;
}

/* Elements of H that sources change in a step, or ranges of them. */
static int drives_of_h(const struct maxwell_own *own)
{
    int drives = own->incident ? 12 : 0; /* two components on six faces */
    for (int n = 0; n < own->ctx.nsources; n++) drives += !own->source[n].is_mode && own->source[n].component >= 3;
    return drives;
}

/* Is one sweep faster? On an H200 a step takes it at 61 to 38 Gcell-steps/s at 768^3, 56 to 36 at 512^3, 42 to 29 at
 * 256^3, 32 to 26 at 192^3, and 21 to 23 at 160^3, where layers along x leave no room for tiles without; in slabs that
 * stream, 59 to 37 at 1024^3. It is slower where all of its tiles take any kind: see tiles.h; and where levels are few,
 * for its tiles have eight. */
static int is_one_sweep_faster(const struct instance *in, const struct maxwell_own *own)
{
    const double cells = (double)in->grid->nx * in->grid->ny * in->grid->nz, mi = 1024 * 1024;
    const double least = in->grid->nx >= BOTH_COLUMNS * 3 / 2 ? 6 * mi : 16 * mi;
    return cells >= least && in->grid->nz >= BOTH_LEVELS && !own->ctx.h_wide &&
           !(drives_of_h(own) && own->ctx.periodic[AY]);
}

/* And half of one? On an H200 it takes 1024^3 at 85 to 62 Gcell-steps/s, 768^3 at 80 to 61, 512^3 at 69 to 56, 384^3 at
 * 58 to 51 and 256^3 at 44 to 42, where half of the elements have layers, or lie beside them. Of media that disperse it
 * makes one step after the other, with fields between them: where these are most of the domain nothing is won. */
static int is_half_faster(const struct instance *in, const struct maxwell *x)
{
    const double cells = (double)in->grid->nx * in->grid->ny * in->grid->nz, mi = 1024 * 1024;
    return cells >= 16 * mi && dispersions_part(x) <= 0.5;
}

/* Does it stay in the memory of the GPU? */
static int stays_with(struct instance *in, enum em_sweeps sweeps)
{
    fields_set(in, sweeps);
    return in->config->pipeline_slabs < 2 && fields_bytes(in) <= in->device_room;
}

/* Do slabs leave room for many steps a pass, or few slabs? */
static int streams_well(struct instance *in)
{
    static const double least = 0.2; /* of what would hold all rows */
    fields_set(in, SWEEPS_HALF);
    return !in->config->pipeline_overlapped && in->device_room >= least * fields_bytes(in);
}

static int has_room(void)
{
#if SF_CUDA
    return pair_fits();
#else
    return 0;
#endif
}

/* Steps that a pass can take: output, the time series, checkpoints and looks at the state end passes. */
static double steps_between_stops(const struct instance *in, const struct maxwell_own *own)
{
    const struct config *const c = in->config;
    const double every[] = {c->time_output_interval, c->time_series_interval, c->time_restart_interval};
    double steps = c->time_check_interval > 0 ? c->time_check_interval
                   : in->may_end              ? in->check_interval
                                              : STREAM_CHECK;
    for (size_t n = 0; n < sizeof every / sizeof every[0]; n++)
        if (every[n] > 0) steps = SF_MIN(steps, every[n] / own->ctx.dt);
    return steps;
}

/* Are slabs that stream, two steps in one sweep, faster than all rows that stay, one sweep a step? On an H100 they take
 * 1024^3 at 67 to 47 Gcell-steps/s, where passes have 64 steps: fewer do not hide the transfers, and so many need slabs
 * of as many rows, several at a time. */
static int is_streaming_faster(struct instance *in, const struct maxwell_own *own)
{
    return in->grid->ny >= 8 * STREAM_STEPS && steps_between_stops(in, own) >= STREAM_CHECK && streams_well(in);
}

/* Two steps in one sweep where that is faster and the fields stay, or where nothing else lets them stay; or where they
 * stream in passes that are long enough. Otherwise what can stay stays. */
static enum em_sweeps sweeps_suiting(struct instance *in, const struct maxwell_own *own, int can_half)
{
    if (!is_one_sweep_faster(in, own)) return SWEEPS_TWO;
    if (can_half && is_half_faster(in, &own->ctx)) {
        if (stays_with(in, SWEEPS_HALF)) return SWEEPS_HALF;
        if (stays_with(in, SWEEPS_TWO) ? is_streaming_faster(in, own) : streams_well(in)) return SWEEPS_HALF;
    }
    return !stays_with(in, SWEEPS_TWO) || stays_with(in, SWEEPS_ONE) ? SWEEPS_ONE : SWEEPS_TWO;
}

enum em_sweeps sweep_choose(struct instance *in, const struct maxwell_own *own)
{
    static const char *const way[] = {
        [SWEEPS_HALF] =
            "E and H: one sweep for two steps, but for what lies near layers, sources and borders of media, into another copy",
        [SWEEPS_ONE] = "E and H: one sweep a step, from one copy of the fields into another",
        [SWEEPS_TWO] = "E and H: two passes a step, in place"};
    enum { BANKS_ONE = 6 + 2 * FACES, BANKS_HALF = 6 + 4 * FACES };
    const struct maxwell *const x = &own->ctx;
    enum em_sweeps sweeps = (enum em_sweeps)own->params.maxwell_sweeps;
    const int can_one = in->device_room > 0 && !x->bloch && !x->ext_i && !x->ext_j && !x->ext_k &&
                        drives_of_h(own) <= BOTH_DRIVES && in->nfields + BANKS_ONE <= SF_MAX_FIELDS;
    const int can_half =
        can_one && !x->h_wide && in->nfields + BANKS_HALF <= SF_MAX_FIELDS && pairs_can(x) > 0 && has_room();
    if (sweeps == SWEEPS_AUTO && can_one) sweeps = sweeps_suiting(in, own, can_half);
    if (sweeps == SWEEPS_HALF && !can_half) sweeps = SWEEPS_ONE;
    if (!can_one) sweeps = SWEEPS_TWO;
    if (sweeps == SWEEPS_HALF && !stays_with(in, SWEEPS_HALF) && !in->may_end) in->check_interval = STREAM_CHECK;
    in->way = !(in->device_room > 0) ? NULL : way[sweeps];
    fields_set(in, sweeps);
    for (int c = 0; c < 6 && sweeps == SWEEPS_HALF; c++) in->field[F_MID_EX + c].share = 1 - pairs_can(x);
    return sweeps;
}
