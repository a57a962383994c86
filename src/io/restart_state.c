/* Which rows of a checkpoint are whose, and the header of a state. SPDX-License-Identifier: MIT */
#include "io/restart_state.h"

#include "io/writer.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Rows [*ja, *jb) of a field that belong to rank r, counted from its first. */
static void rows_of(const struct state *st, int id, int r, int *ja, int *jb)
{
    int first;
    field_rows(&st->in->field[id], &st->comm, st->grid, r, ja, jb, &first);
    *ja -= first;
    *jb -= first;
}

void restart_shares(const struct state *st, const struct restart_field *f, struct piece p, size_t *bytes)
{
    for (int r = 0; r < st->comm.size; r++) {
        int ja, jb;
        rows_of(st, f->id, r, &ja, &jb);
        const int rows = SF_MIN(p.j1, jb) - SF_MAX(p.j0, ja);
        bytes[r] = rows > 0 ? (size_t)rows * (size_t)(p.k1 - p.k0) * (size_t)f->ni * sizeof(real) : 0;
    }
}

void restart_rows(const struct state *st, const struct restart_field *f, struct piece p, real *values,
                  enum restart_way way)
{
    const struct field *about = &st->in->field[f->id];
    const int first = about->shape == SHAPE_BOX ? about->box.j0 : 0;
    const size_t n = (size_t)f->ni;
    int ja, jb;
    rows_of(st, f->id, st->comm.rank, &ja, &jb);
    for (int j = SF_MAX(p.j0, ja); j < SF_MIN(p.j1, jb); j++)
        for (int k = p.k0; k < p.k1; k++, values += n) {
            real *line = state_line(st, f->id, first + j, k);
            if (way == RESTART_PACK) memcpy(values, line, n * sizeof(real));
            else memcpy(line, values, n * sizeof(real));
        }
}

/* ---- the header of a state --------------------------------------------------------------------------------------- */

int restart_head_make(struct restart_head *h, const struct state *st, const struct restart_info *info)
{
    const struct grid *g = st->grid;
    memset(h, 0, sizeof *h);
    h->precision = SF_PREC;
    h->nx = g->nx, h->ny = g->ny, h->nz = g->nz;
    h->dx = g->dx, h->dy = g->dy;
    h->time = info->time;
    h->step = info->step;
    SF_CHECK(info->nextra >= 0 && info->nextra <= RESTART_MAX_EXTRA, SF_INTERNAL, "%d extra values in a checkpoint",
             info->nextra);
    h->nextra = info->nextra;
    memcpy(h->extra, info->extra, (size_t)info->nextra * sizeof *h->extra);
    snprintf(h->model, sizeof h->model, "%s", st->in->model->name);
    snprintf(h->case_name, sizeof h->case_name, "%s", st->in->config ? st->in->config->case_name : "");
    for (int id = 0; id < st->in->nfields; id++) {
        const struct field *about = &st->in->field[id];
        if (!field_is_saved(about, g)) continue;
        SF_CHECK(about->shape != SHAPE_LEVELS, SF_INTERNAL, "field %s: a vertical profile has no checkpoint",
                 about->name);
        SF_CHECK(strlen(about->name) < RESTART_NAME, SF_INTERNAL, "field %s: its name is too long", about->name);
        struct restart_field *f = &h->field[h->nfields++];
        snprintf(f->name, sizeof f->name, "%s", about->name);
        f->id = id;
        field_extent(about, g, &f->ni, &f->nk, &f->nj);
        f->is_map = about->shape == SHAPE_MAP;
        f->is_box = about->shape == SHAPE_BOX;
        if (f->is_map) f->nk = 1;
    }
    SF_CHECK(h->nfields > 0, SF_INTERNAL, "a state without fields has no checkpoint");
    return SF_OK;
}

/* Where the settings of two runs part, told by line. */
static int identity_compare(const char *path, const char *theirs, const char *ours)
{
    for (int n = 1; *theirs || *ours; n++) {
        const size_t a = strcspn(theirs, "\n"), b = strcspn(ours, "\n");
        IO_CHECK(a == b && !memcmp(theirs, ours, a), SF_RESTART,
                 "checkpoint %s is of another run: line %d of its settings is `%.*s`, here it is `%.*s`", path, n,
                 (int)SF_MIN(a, (size_t)300), theirs, (int)SF_MIN(b, (size_t)300), ours);
        theirs += a + (theirs[a] != '\0');
        ours += b + (ours[b] != '\0');
    }
    return SF_OK;
}

#define SAME(what, form, theirs, ours)                                                                                 \
    IO_CHECK((theirs) == (ours), SF_RESTART, "checkpoint %s has %s " form "; this run has " form, path, what, theirs,  \
             ours)

int restart_head_compare(const char *path, const struct restart_head *file, const struct restart_head *run,
                         const char *identity)
{
    IO_CHECK(!strcmp(file->model, run->model), SF_RESTART, "checkpoint %s is of model %s; this run is of %s", path,
             file->model, run->model);
    SAME("nx", "%d", file->nx, run->nx);
    SAME("ny", "%d", file->ny, run->ny);
    SAME("nz", "%d", file->nz, run->nz);
    SAME("dx", "%.17g", file->dx, run->dx);
    SAME("dy", "%.17g", file->dy, run->dy);
    if (identity) IO_TRY(identity_compare(path, file->identity, identity));
    IO_CHECK(file->precision == run->precision, SF_RESTART,
             "checkpoint %s holds %d-bit numbers; this program computes with %d bits: use the one built with PREC=%d",
             path, file->precision, run->precision, file->precision);
    for (int n = 0; n < SF_MAX(file->nfields, run->nfields); n++) {
        const struct restart_field *a = &file->field[n], *b = &run->field[n];
        IO_CHECK(n < file->nfields && n < run->nfields && !strcmp(a->name, b->name), SF_RESTART,
                 "checkpoint %s has other fields: number %d is %s; this run has %s", path, n + 1,
                 n < file->nfields ? a->name : "missing", n < run->nfields ? b->name : "none there");
        IO_CHECK(
            a->ni == b->ni && a->nk == b->nk && a->nj == b->nj && a->is_map == b->is_map && a->is_box == b->is_box,
            SF_RESTART,
            "checkpoint %s: field %s has %d x %d x %d values; this run has %d x %d x %d: are the boundaries the same?",
            path, a->name, a->ni, a->nk, a->nj, b->ni, b->nk, b->nj);
    }
    return SF_OK;
}
