/* Whether a GPU takes E and H in one sweep or in two. SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "maxwell/yee_both.h"

/* On a GPU E and H may go in one sweep, but for the mirror images of what is computed on a magnetic conductor's own face. That
 * takes another bank of what such a sweep changes while neighbours read it. */
static void banks_set(struct instance *in, int banks)
{
    for (int c = 0; c < 6; c++) in->field[c].banks = banks;
    for (int n = 0; n < 4 * FACES; n++) in->field[F_PSI_W + n].banks = n % 4 < 2 ? 1 : banks; /* those of H */
}

/* Of all fields, about. */
static double fields_bytes(const struct instance *in)
{
    enum { LINE = 128 / (int)sizeof(real) }; /* elements of a line of a GPU's memory, which rows of columns fill */
    const double all = (double)((in->grid->nx + 1 + LINE) / LINE * LINE) * (in->grid->ny + 2.0) * (in->grid->nz + 2.0); /* with ghosts */
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

/* Is one sweep faster? On an H200 a step takes it at 61 to 38 Gcell-steps/s at 768^3, 56 to 36 at 512^3, 42 to 29 at 256^3, 32 to 26 at
 * 192^3, and 21 to 23 at 160^3, where layers along x leave no room for tiles without; in slabs that stream, 59 to 37 at 1024^3. It is
 * slower where all of its tiles take any kind: see tiles.h; and where levels are few, for its tiles have eight. */
static int is_one_sweep_faster(const struct instance *in, const struct maxwell_own *own)
{
    const double cells = (double)in->grid->nx * in->grid->ny * in->grid->nz, mi = 1024 * 1024;
    const double least = in->grid->nx >= BOTH_COLUMNS * 3 / 2 ? 6 * mi : 16 * mi;
    return cells >= least && in->grid->nz >= BOTH_LEVELS && !own->ctx.h_wide && !(drives_of_h(own) && own->ctx.periodic[AY]);
}

/* Does it stay in the memory of the GPU? */
static int stays_with(struct instance *in, int banks)
{
    banks_set(in, banks);
    return in->config->pipeline_slabs < 2 && fields_bytes(in) <= in->device_room;
}

int sweep_choose(struct instance *in, const struct maxwell_own *own)
{
    enum { BANKS_MORE = 6 + 2 * FACES };
    const struct maxwell *const x = &own->ctx;
    const int sweeps = own->params.maxwell_sweeps;
    const int can = in->device_room > 0 && !x->ext_i && !x->ext_j && !x->ext_k && drives_of_h(own) <= BOTH_DRIVES &&
                    in->nfields + BANKS_MORE <= SF_MAX_FIELDS;
    if (!can || sweeps == SWEEPS_TWO) return 0;
    /* Nothing is streamed that can stay. */
    const int one = sweeps == SWEEPS_ONE || (is_one_sweep_faster(in, own) && (!stays_with(in, 1) || stays_with(in, 2)));
    banks_set(in, one ? 2 : 1);
    return one;
}
