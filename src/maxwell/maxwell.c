/* The EM model as tables, and the program of a time step. SPDX-License-Identifier: MIT */
#include "maxwell/maxwell.h"

#include "maxwell/bloch.h"
#include "maxwell/layers.h"
#include "maxwell/own.h"
#include "maxwell/pairs.h"
#include "maxwell/tiles.h"
#include "maxwell/wire.h"
#include "maxwell/yee_both.h"
#include "pipeline/complaint.h"
#include "pipeline/error.h"
#include "pipeline/program.h"
#include "pipeline/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

static const struct param param_table[] = {
#define SF_PARAM_STRUCT struct maxwell_params
#define PARAM SF_PARAM_ROW
#define PARAMS SF_PARAMS_ROW
#define ENTRIES SF_ENTRIES_ROW
#include "maxwell/params.def"
};

static void sides_of(const struct maxwell_params *p, int side[FACES])
{
    const int given[FACES] = {p->boundary_west,  p->boundary_east,   p->boundary_south,
                              p->boundary_north, p->boundary_bottom, p->boundary_top};
    memcpy(side, given, sizeof given);
}

int maxwell_is_periodic(const struct maxwell_params *p, int axis)
{
    int side[FACES];
    sides_of(p, side);
    return side[2 * axis] == EM_PERIODIC;
}

/* Keys that every model has and this one has no use for. */
static void config_check_own(const struct config *c, struct complaints *to)
{
    const double moved[] = {c->grid_translation_u, c->grid_translation_v};
    for (int n = 0; n < 2; n++)
        if (moved[n] < 0 || moved[n] > 0)
            sf_complain(to, n ? "grid%translation_v" : "grid%translation_u", -1,
                        "the grid of the EM model does not move");
}

static void params_check(const struct maxwell_params *p, const struct grid *g, struct complaints *to)
{
    static const char *const name[] = {"west", "east", "south", "north", "bottom", "top"};
    const int n[3] = {g->nx, g->ny, g->nz};
    int side[FACES];
    sides_of(p, side);
    for (int a = 0; a < 3; a++) {
        char keys[64];
        snprintf(keys, sizeof keys, "boundary%%%s boundary%%%s", name[2 * a], name[2 * a + 1]);
        if ((side[2 * a] == EM_PERIODIC) != (side[2 * a + 1] == EM_PERIODIC))
            sf_complain(to, keys, -1, "%s and %s must both be 'periodic', or neither", name[2 * a], name[2 * a + 1]);
        const int layers = (side[2 * a] == EM_CPML) + (side[2 * a + 1] == EM_CPML);
        if (layers * p->cpml_cells >= n[a])
            sf_complain(
                to, "cpml%cells", -1,
                "%d cells of absorbing layer do not fit the %d cells between %s and %s: use fewer, more cells, or another "
                "&boundary",
                layers * p->cpml_cells, n[a], name[2 * a], name[2 * a + 1]);
    }
}

/* ---- fields ---- */

static const struct field field_table[] = {
#define LATE(id, its_name, meaning, its_unit, standard, where, what, its_shape, its_banks, when)                       \
    {.name = its_name,                                                                                                 \
     .long_name = meaning,                                                                                             \
     .unit = its_unit,                                                                                                 \
     .standard_name = standard,                                                                                        \
     .stagger = where,                                                                                                 \
     .role = what,                                                                                                     \
     .banks = 1,                                                                                                       \
     .late = when},
#define FIELD(...) LATE(__VA_ARGS__, 0)
#define MEDIA(id, its_name, meaning)                                                                                   \
    {.name = its_name,                                                                                                 \
     .long_name = meaning,                                                                                             \
     .unit = "1",                                                                                                      \
     .standard_name = "",                                                                                              \
     .role = ROLE_STATIC,                                                                                              \
     .shape = SHAPE_BOX,                                                                                               \
     .banks = 1},
#define LAYER                                                                                                          \
    {.long_name = "memory of the absorbing layer", .unit = "", .standard_name = "", .shape = SHAPE_BOX, .banks = 1},
#define SHELL(id, face) LAYER LAYER LAYER LAYER
#include "maxwell/fields.def"
#undef LAYER
};

/* Mirrored in a conductor the tangential E and the normal H change sign: those that lie on its face. In a magnetic
 * conductor the others do. */
static enum ghost ghost_of(int side, int on_face)
{
    if (side == EM_PERIODIC) return GHOST_PERIODIC;
    return on_face == (side != EM_PMC) ? GHOST_ODD : GHOST_EVEN;
}

static void ghosts_set(struct field *f, const int side[FACES])
{
    static const unsigned across[3] = {STAG_X, STAG_Y, STAG_Z};
    for (int face = 0; face < FACES; face++)
        f->ghost[face] = ghost_of(side[face], (f->stagger & across[face / 2]) != 0);
}

/* Numbers of media take the place of the component that they are of. */
static void ids_make(struct instance *in, const int wide[2], const int side[FACES])
{
    for (int c = 0; c < 6; c++) {
        struct field *f = &in->field[F_MEX + c];
        f->stagger = in->field[c].stagger;
        ghosts_set(f, side);
        if (!wide[c / 3]) continue;
        f->shape = SHAPE_FULL;
        f->bytes = wide[c / 3];
    }
}

/* What the layer at a face covers: all of the domain but along its axis, where it is as wide as it is stored. */
static struct extent layer_extent(const struct maxwell *m, const struct grid *g, int face)
{
    const struct axis_lines *const a = &m->axis[face / 2];
    const int wide = face % 2 ? (a->high ? a->wide_high : 0) : a->low ? a->wide_low : 0;
    struct extent b = {.i1 = g->nx + m->ext_i, .k1 = g->nz + m->ext_k, .j1 = g->ny + m->ext_j, .n = 1};
    int *const low[3] = {&b.i0, &b.j0, &b.k0}, *const high[3] = {&b.i1, &b.j1, &b.k1};
    *low[face / 2] = face % 2 ? a->n - wide : 0;
    *high[face / 2] = face % 2 ? a->n : wide;
    return b;
}

static void layers_make(struct instance *in, struct maxwell_own *own)
{
    static const char *const of[] = {"west", "east", "south", "north", "bottom", "top"};
    static const char *const component[] = {"ex", "ey", "ez", "hx", "hy", "hz"};
    for (int m = 0; m < 8 * FACES; m++) {
        const int imaginary = m >= 4 * FACES, face = m / 4 % FACES, n = m % 4;
        struct field *f = &in->field[(imaginary ? F_PSI_W_IM - 4 * FACES : F_PSI_W) + m];
        char *name = own->names[m];
        snprintf(name, sizeof own->names[0], "layer_%s_%s%s", of[face],
                 component[(face / 2 + 1 + n % 2) % 3 + (n < 2 ? 0 : 3)], imaginary ? "_im" : "");
        f->name = name;
        if (!imaginary || own->bloch.is_there) f->box = layer_extent(&own->ctx, in->grid, face);
    }
}

/* What is kept of a part of the domain from step to step. */
static void box_add(struct instance *in, const char *name, const char *meaning, const char *unit, struct extent box)
{
    in->field[in->nfields++] = (struct field){.name = name,
                                              .long_name = meaning,
                                              .unit = unit,
                                              .standard_name = "",
                                              .role = ROLE_PROGNOSTIC,
                                              .shape = SHAPE_BOX,
                                              .banks = 1,
                                              .box = box};
}

static void fields_make(struct instance *in, struct maxwell_own *own, const int side[FACES])
{
    in->nfields = F_SUMS;
    for (int f = 0; f < F_SUMS; f++) in->field[f] = field_table[f];
    for (int c = 0; c < 6; c++) {
        ghosts_set(&in->field[c], side), ghosts_set(&in->field[F_EX_IM + c], side);
        if (!own->bloch.is_there) in->field[F_EX_IM + c].shape = SHAPE_BOX;
    }
    ids_make(in, own->paint.wide, side);
    layers_make(in, own);
    for (int part = 0; part < 1 + own->bloch.is_there; part++) {
        for (int n = 0; n < own->ctx.nmonitors; n++) {
            const struct monitor *const m = &own->ctx.monitor[n];
            box_add(in, part ? m->name_im : m->name, "sums of a monitor", "", m->box);
        }
        for (int n = 0; n < own->ctx.ndispersions; n++) {
            const struct dispersion *const d = &own->ctx.dispersion[n];
            box_add(in, part ? d->name_im : d->name, "memories of the poles of a medium", "V m-1", d->box);
        }
    }
    own->sweeps = sweep_choose(in, own);
    if (own->sweeps != SWEEPS_TWO && own->incident) incident_keep_values(own->incident);
}

/* ---- stages ---- */

enum stage_id {
#define MADE(id, ...) id,
#define SWEEP(id, ...) id,
#define ELEMENTS(id, ...) id,
#define SHAPED(...)
#define READ(...)
#define UPDATE(...)
#define WRITE(...)
#define SUMS(...)
#include "maxwell/stages.def"
    STAGES
};

static const struct stage stage_table[] = {
#define ELEMENTS(id, its_name, function, its_changes, its_extend, its_sides, its_flops, ...)                           \
    {.name = its_name,                                                                                                 \
     function,                                                                                                         \
     .changes = its_changes,                                                                                           \
     .unit = UNIT_POINT,                                                                                               \
     .extend = its_extend,                                                                                             \
     .sides = its_sides,                                                                                               \
     .flops = its_flops,                                                                                               \
     .access = {__VA_ARGS__}},
#define MADE(id, its_name, function, kernels, its_unit, ...)                                                           \
    ELEMENTS(id, its_name, SF_STAGE_BY(function, kernels), NULL, __VA_ARGS__)
#define SWEEP(id, ...) SF_STAGE_SWEEP(__VA_ARGS__)
#define SHAPED(...)
#define READ(its_field, is_rare, w, e, b, t, s, n)                                                                     \
    {.field = its_field, .mode = ACCESS_READ, .reach = {w, e, b, t, s, n}, .rare = is_rare},
#define UPDATE(its_field, is_rare) {.field = its_field, .mode = ACCESS_UPDATE, .rare = is_rare},
#define WRITE(its_field, is_rare) {.field = its_field, .mode = ACCESS_WRITE, .rare = is_rare},
#define SUMS(id) {.field = id, .mode = ACCESS_UPDATE, .family = 1, .rare = 1},
#include "maxwell/stages.def"
};

/* ---- the program ---- */

static int op_add(struct instance *in, int stage, int every, int member)
{
    return program_add(&in->op, &in->nops,
                       (struct op){.stage = stage, .dt_factor = 1, .every = every, .member = member});
}

/* Two steps together: of the first, what follows E and H is done in the rim, where it lies. */
static int pair_make(struct instance *in, struct maxwell_own *own)
{
    const struct monitors *const m = own->monitors;
    const int driven = own->ctx.nsources > 0 || own->incident, all = m ? m->nparts : 0;
    const int disperse = own->ctx.ndispersions, first = own->ctx.nmonitors;
    for (int step = 0; step < 2; step++) {
        const int sweep = step ? S_RIM : S_PAIR, source = step ? S_SOURCE_E : S_SOURCE_E_RIM,
                  probe = step ? S_PROBE : S_PROBE_RIM;
        struct op op = {
            .stage = sweep, .dt_factor = 1, .every = 1, .step = step, .share = step ? 1 - pairs_can(&own->ctx) : 0};
        SF_TRY(program_add(&in->pair, &in->npair, op));
        op.share = 0;
        if (driven) op.stage = source;
        if (driven) SF_TRY(program_add(&in->pair, &in->npair, op));
        for (int among = 0; among < 1 + (disperse > 1); among++)
            for (int n = 0; n < disperse; n++) {
                op.member = first + n;
                op.stage = among  ? (step ? S_DISPERSE_AMONG : S_DISPERSE_AMONG_RIM)
                           : step ? S_DISPERSE
                                  : S_DISPERSE_RIM;
                SF_TRY(program_add(&in->pair, &in->npair, op));
            }
        op.member = 0;
        for (int part = 0; part < all; part++)
            SF_TRY(program_add(&in->pair, &in->npair,
                               (struct op){.stage = step ? S_MONITOR : S_MONITOR_RIM,
                                           .dt_factor = 1,
                                           .every = m->every,
                                           .member = part,
                                           .step = step}));
        op.stage = probe;
        if (own->probes) SF_TRY(program_add(&in->pair, &in->npair, op));
    }
    return SF_OK;
}

/* Behind a half step of complex fields. */
static int seams_add(struct instance *in, const struct bloch *b, int stage)
{
    for (int a = 0; a < 3; a++)
        if (b->turns[a])
            SF_TRY(program_add(&in->op, &in->nops, (struct op){.stage = stage, .dt_factor = 1, .every = 1, .arg = a}));
    return SF_OK;
}

/* A step of complex fields: each stage of the real parts is followed by that of the imaginary ones. */
static int complex_make(struct instance *in, struct maxwell_own *own)
{
    const struct monitors *const m = own->monitors;
    const int driven = own->ctx.nsources > 0 || own->incident, disperse = own->ctx.ndispersions;
    const int first = own->ctx.nmonitors, imaginary = first + disperse;
    const int turned = own->incident && incident_turns(own->incident);
    SF_TRY(op_add(in, S_H, 1, 0));
    SF_TRY(op_add(in, S_H_IM, 1, 0));
    SF_TRY(seams_add(in, &own->bloch, S_BLOCH_H));
    if (driven) SF_TRY(op_add(in, S_SOURCE_H, 1, 0));
    if (turned) SF_TRY(op_add(in, S_SOURCE_H_IM, 1, 0));
    SF_TRY(op_add(in, S_E, 1, 0));
    SF_TRY(op_add(in, S_E_IM, 1, 0));
    SF_TRY(seams_add(in, &own->bloch, S_BLOCH_E));
    if (driven) SF_TRY(op_add(in, S_SOURCE_E, 1, 0));
    if (turned) SF_TRY(op_add(in, S_SOURCE_E_IM, 1, 0));
    for (int n = 0; n < disperse; n++) {
        SF_TRY(op_add(in, S_DISPERSE, 1, first + n));
        SF_TRY(op_add(in, S_DISPERSE_IM, 1, imaginary + first + n));
    }
    for (int n = 0; n < disperse && disperse > 1; n++) {
        SF_TRY(op_add(in, S_DISPERSE_AMONG, 1, first + n));
        SF_TRY(op_add(in, S_DISPERSE_AMONG_IM, 1, imaginary + first + n));
    }
    for (int n = 0; m && n < m->nparts; n++) {
        SF_TRY(op_add(in, S_MONITOR, m->every, n));
        SF_TRY(op_add(in, S_MONITOR_IM, m->every, imaginary + n));
    }
    if (own->probes) SF_TRY(op_add(in, S_PROBE, 1, 0));
    if (own->probes) SF_TRY(op_add(in, S_PROBE_IM, 1, 0));
    return SF_OK;
}

static int program_make(struct instance *in, struct maxwell_own *own)
{
    const struct monitors *const m = own->monitors;
    const int driven = own->ctx.nsources > 0 || own->incident;
    if (own->bloch.is_there) return complex_make(in, own);
    if (own->sweeps == SWEEPS_HALF) SF_TRY(pair_make(in, own));
    if (own->sweeps != SWEEPS_TWO) {
        own->ctx.tiles = tile_lists_new();
        SF_CHECK(own->ctx.tiles, SF_MEMORY, "no memory for the tiles of a sweep");
        SF_TRY(op_add(in, S_BOTH, 1, 0));
    } else {
        SF_TRY(op_add(in, S_H, 1, 0));
        if (driven) SF_TRY(op_add(in, S_SOURCE_H, 1, 0));
        SF_TRY(op_add(in, S_E, 1, 0));
    }
    if (driven) SF_TRY(op_add(in, S_SOURCE_E, 1, 0));
    const int disperse = own->ctx.ndispersions, first = own->ctx.nmonitors;
    for (int n = 0; n < disperse; n++) SF_TRY(op_add(in, S_DISPERSE, 1, first + n));
    for (int n = 0; n < disperse && disperse > 1; n++) SF_TRY(op_add(in, S_DISPERSE_AMONG, 1, first + n));
    for (int n = 0; m && n < m->nparts; n++) SF_TRY(op_add(in, S_MONITOR, m->every, n));
    if (own->probes) SF_TRY(op_add(in, S_PROBE, 1, 0));
    return SF_OK;
}

/* ---- numbers ---- */

/* c dt sqrt(1/dx2 + 1/dy2 + 1/dz2) < 1 of the smallest cells; an axis of one periodic cell has no waves along it but
 * that of its Bloch phase, which counts K / 2 (bloch.h). */
static void limit_make(struct instance *in, const struct maxwell_params *p, const struct grid *g, const struct bloch *b)
{
    const int n[3] = {g->nx, g->ny, g->nz};
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        double least = 1e300;
        for (int m = 0; m < n[a]; m++) {
            const double size = a == AX   ? grid_x(g, m + 1, 1) - grid_x(g, m, 1)
                                : a == AY ? grid_y(g, m + 1, 1) - grid_y(g, m, 1)
                                          : g->z_f[m + 1] - g->z_f[m];
            least = SF_MIN(least, size);
        }
        const double half = 0.5 * bloch_number(b, a);
        sum += n[a] > 1 || !maxwell_is_periodic(p, a) ? 1 / (least * least) : half * half;
    }
    in->dt_limit = 1 / (em_c * __builtin_sqrt(sum));
    in->dt_limit_by = "light through the smallest cells, c dt sqrt(1/dx2 + 1/dy2 + 1/dz2) < 1";
}

/* Cells beside thin wires: wire.h. */
static void wires_limit(struct instance *in, struct maxwell_own *own)
{
    const double square = wires_square(&own->geometry),
                 longest = square > 0 ? 2 / (em_c * __builtin_sqrt(square)) : own->whole_limit;
    own->wire_share = SF_MIN(longest / own->whole_limit, 1);
    if (longest >= in->dt_limit) return;
    in->dt_limit = longest;
    in->dt_limit_by = "light through the cells beside the thinnest wire: a thicker wire takes longer steps";
}

/* Conductors that cut cells leave room for a share of that: conformal.h. */
static void step_choose(struct instance *in, struct maxwell_own *own, const struct config *c)
{
    const struct maxwell_params *const p = &own->params;
    const double wanted = p->maxwell_courant * in->dt_limit;
    own->whole_limit = in->dt_limit;
    if (own->geometry.ncuts) {
        in->dt_limit *= p->maxwell_conformal;
        in->dt_limit_by =
            "that share of light through the smallest cells which maxwell%conformal gives cells that conductors cut";
    }
    wires_limit(in, own);
    in->dt_fixed = c->time_dt > 0 ? c->time_dt : SF_MIN(wanted, in->dt_limit);
    in->dt_hopeless = in->dt_limit,
    in->dt_hopeless_by = in->dt_limit_by; /* exact: the least excess grows without end */
}

/* ---- binding ---- */

static void maxwell_unbind(struct instance *in)
{
    struct maxwell_own *own = in->own;
    if (!own) return;
    probes_free(&own->probes);
    monitors_free(&own->monitors);
    dispersions_free(own->dispersions);
    incident_free(own->incident);
    sources_free(own->source, own->ctx.nsources);
    paint_free(&own->paint);
    ports_free(&own->ports);
    lumps_free(own->lumps, own->geometry.nlumps);
    geometry_free(&own->geometry);
    tile_lists_free(own->ctx.tiles);
    bricks_free(own->ctx.bricks);
    pairs_free(own->ctx.pairs);
    energies_free(&own->energies);
    for (int a = 0; a < 3; a++) table_free(own->lines[a]);
    bloch_free(&own->bloch);
    free(own->names);
    free(own);
    free(in->op);
    free(in->pair);
    in->own = NULL;
    in->op = in->pair = NULL;
}

static void numbers_make(struct maxwell_own *own, const struct instance *in, const int side[FACES])
{
    struct maxwell *const x = &own->ctx;
    x->ni = in->grid->nx, x->nk = in->grid->nz, x->nj = in->grid->ny, x->dt = in->dt_fixed;
    x->bloch = own->bloch.is_there ? &own->bloch : NULL;
    x->ext_i = side[FACE_E] == EM_PMC, x->ext_j = side[FACE_N] == EM_PMC, x->ext_k = side[FACE_T] == EM_PMC;
    for (int a = 0; a < 3; a++) x->periodic[a] = side[2 * a] == EM_PERIODIC, x->odd[a] = side[2 * a] == EM_PMC;
}

static int bind_all(struct instance *in, struct maxwell_own *own, values_function *values, const void *names,
                    const char *dir)
{
    const struct grid *const g = in->grid;
    const int before = errors_of(in);
    int side[FACES];
    sides_of(&own->params, side);
    params_check(&own->params, g, in->complaints);
    config_check_own(in->config, in->complaints);
    maxwell_uses_check(&own->params, values, names, in->complaints);
    if (errors_of(in) > before) return SF_NAMELIST; /* what follows needs sides */
    SF_TRY(shapes_bind(in, own, values, names, dir));
    const int shaped = errors_of(in);
    SF_TRY(bloch_bind(in, own, shaped == before));
    limit_make(in, &own->params, g, &own->bloch);
    step_choose(in, own, in->config);
    if (errors_of(in) > shaped) return SF_NAMELIST; /* what follows needs steps */
    numbers_make(own, in, side);
    own->names = calloc(8 * FACES, sizeof *own->names);
    SF_CHECK(own->names, SF_MEMORY, "no memory for the names of fields");
    for (int face = 0; face < FACES; face++) own->index[face] = 1;
    SF_TRY(layers_lines(own, g, side, in->dt_fixed));
    SF_TRY(media_bind(in, own, values, names, dir, before));
    const int painted = errors_of(in) == before;
    SF_TRY(sources_bind(in, own, values, names, dir, painted));
    if (errors_of(in) == before) {
        SF_TRY(layers_settle(own, g, side, in->dt_fixed, spectrum_lowest(&own->params, values, names)));
        sources_judge(in, own);
        bloch_judge(in, own);
    }
    SF_TRY(monitors_bind(in, own, side, values, names, painted));
    if (errors_of(in) > before) return SF_NAMELIST;
    in->check_interval = 100;
    fields_make(in, own, side);
    SF_TRY(program_make(in, own));
    inputs_list(in, own, values(names, "source", "kind"), dir);
    in->ctx = &own->ctx;
    in->time_units = "s";
    in->carried = &own->energy_peak;
    in->ncarried = 1;
    in->end_reason = own->end_reason;
    in->quantity = maxwell_quantity;
    in->nquantities = maxwell_quantities - !own->dispersions; /* the last is of poles */
    in->nquantities_most = maxwell_quantities;
    in->measures_host = own->dispersions != NULL;
    in->diagnostic = maxwell_diagnostic;
    in->ndiagnostics = maxwell_diagnostics - (own->bloch.is_there ? 0 : 6); /* the last are imaginary parts */
    in->ndiagnostics_most = maxwell_diagnostics;
    return SF_OK;
}

static int maxwell_bind(struct instance *in, const void *params, values_function *values, const void *names,
                        const char *dir)
{
    struct maxwell_own *own = calloc(1, sizeof *own);
    SF_CHECK(own, SF_MEMORY, "no memory for the EM model");
    in->own = own;
    own->params = *(const struct maxwell_params *)params;
    in->may_end = own->params.stop_energy > 0 || own->params.stop_probe > 0;
    const int rc = bind_all(in, own, values, names, dir);
    if (rc) maxwell_unbind(in);
    return rc;
}

/* ---- passes ---- */

static int maxwell_prepare(const struct instance *in, long step, int steps, const double *time, double dt)
{
    struct maxwell_own *own = in->own;
    SF_TRY(sources_prepare(own->source, own->ctx.nsources, steps, time, dt));
    if (own->incident) SF_TRY(incident_prepare(own->incident, step, steps, dt));
    if (own->monitors) SF_TRY(monitors_prepare(own->monitors, step, steps, time, dt));
    if (own->probes) SF_TRY(probes_prepare(own->probes, steps));
    return SF_OK;
}

static int maxwell_tables(const struct instance *in, double dt, size_t *bytes)
{
    struct maxwell_own *own = in->own;
    *bytes = 0;
    return own->incident ? incident_size(own->incident, dt, bytes) : SF_OK;
}

static int maxwell_collect(const struct instance *in, long step, int steps)
{
    struct maxwell_own *own = in->own;
    SF_CHECK(!own->ctx.tiles || !tile_lists_lack(own->ctx.tiles), SF_MEMORY, "no memory for the tiles of a sweep");
    return own->probes ? probes_collect(own->probes, step, steps) : SF_OK;
}

#if SF_CUDA
static const struct tunable tunable_table[] = {{yee_both_run_gpu, both_candidate, BOTH_CANDIDATES}};
#endif

const struct model maxwell_model = {.name = "maxwell",
                                    .title = "electromagnetic waves in time domain",
                                    .param = param_table,
                                    .nparams = (int)(sizeof param_table / sizeof param_table[0]),
                                    .params_bytes = sizeof(struct maxwell_params),
                                    .stage = stage_table,
                                    .nstages = STAGES,
                                    .bind = maxwell_bind,
                                    .unbind = maxwell_unbind,
                                    .begin = maxwell_begin,
                                    .prepare = maxwell_prepare,
                                    .tables = maxwell_tables,
                                    .collect = maxwell_collect,
                                    .is_over = maxwell_is_over,
                                    .report = maxwell_report,
#if SF_CUDA
                                    .tunable = tunable_table,
                                    .ntunables = (int)(sizeof tunable_table / sizeof tunable_table[0]),
#endif
                                    .measure = maxwell_measure};
