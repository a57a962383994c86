/* The collective part of checkpoints: rows travel between the ranks and rank 0, which holds one piece at a time.
 * SPDX-License-Identifier: MIT */
#include "io/restart.h"

#include "io/restart_set.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

/* What rank 0 found out is everybody's result, message included. */
static int result_share(const struct comm *c, int rc)
{
    char text[1024] = "";
    if (c->rank == 0 && rc) snprintf(text, sizeof text, "%s", sf_error_text());
    SF_TRY(comm_bcast(c, &rc, sizeof rc));
    if (!rc) return SF_OK;
    SF_TRY(comm_bcast(c, text, sizeof text));
    return c->rank ? sf_fail(rc, __FILE__, __LINE__, "%s", text) : rc;
}

/* Rows [*ja, *jb) of a field that belong to rank r, counted from its first. */
static void rows_of(const struct state *st, int id, int r, int *ja, int *jb)
{
    int first;
    field_rows(&st->in->field[id], &st->comm, st->grid, r, ja, jb, &first);
    *ja -= first;
    *jb -= first;
}

/* Bytes of every rank in a piece, which lies in the order of ranks because its rows do. */
static void shares_of(const struct state *st, const struct restart_field *f, int id, struct piece p, size_t *bytes)
{
    for (int r = 0; r < st->comm.size; r++) {
        int ja, jb;
        rows_of(st, id, r, &ja, &jb);
        const int rows = SF_MIN(p.j1, jb) - SF_MAX(p.j0, ja);
        bytes[r] = rows > 0 ? (size_t)rows * (size_t)(p.k1 - p.k0) * (size_t)f->ni * sizeof(real) : 0;
    }
}

enum direction { PACK, UNPACK };

/* Copy the own rows of a piece between the storage and `values`. */
static void rows_copy(const struct state *st, const struct restart_field *f, int id, struct piece p, real *values,
                      enum direction way)
{
    const struct field *about = &st->in->field[id];
    const int first = about->shape == SHAPE_BOX ? about->box.j0 : 0;
    const size_t n = (size_t)f->ni;
    int ja, jb;
    rows_of(st, id, st->comm.rank, &ja, &jb);
    for (int j = SF_MAX(p.j0, ja); j < SF_MIN(p.j1, jb); j++)
        for (int k = p.k0; k < p.k1; k++, values += n) {
            real *line = state_line(st, id, first + j, k);
            if (way == PACK) memcpy(values, line, n * sizeof(real));
            else memcpy(line, values, n * sizeof(real));
        }
}

/* Buffers of a transfer: one piece, and the bytes of every rank in it. */
struct transfer {
    real *values;
    size_t *bytes;
};

static int transfer_init(struct transfer *t, const struct state *st, const struct restart_head *h)
{
    t->values = malloc(piece_largest(h));
    t->bytes = malloc((size_t)st->comm.size * sizeof *t->bytes);
    const int rc = t->values && t->bytes ? SF_OK
                                         : sf_fail(SF_MEMORY, __FILE__, __LINE__,
                                                   "no memory for %zu bytes of a checkpoint", piece_largest(h));
    return outcome_share(&st->comm, rc);
}

static void transfer_free(struct transfer *t)
{
    free(t->values);
    free(t->bytes);
}

/* ---- the header of a state --------------------------------------------------------------------------------------- */

/* identity stays the caller's. */
static int head_make(struct restart_head *h, const struct state *st, const struct restart_info *info)
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
        field_extent(about, g, &f->ni, &f->nk, &f->nj);
        f->is_map = about->shape == SHAPE_MAP;
        f->is_box = about->shape == SHAPE_BOX;
        if (f->is_map) f->nk = 1;
    }
    SF_CHECK(h->nfields > 0, SF_INTERNAL, "a state without fields has no checkpoint");
    return SF_OK;
}

size_t restart_size(const struct instance *in, const struct grid *g)
{
    const struct state none = {.comm = {.size = 1}, .grid = g, .in = in};
    const struct restart_info info = {0};
    struct restart_head *h = calloc(1, sizeof *h);
    const int rc = h ? head_make(h, &none, &info) : SF_MEMORY;
    const size_t bytes = rc ? 0 : restart_head_writing(h);
    if (rc) sf_error_clear(); /* told where it is written */
    free(h);
    return bytes;
}

/* Where the settings of two runs part, told by line. */
static int identity_compare(const char *path, const char *theirs, const char *ours)
{
    for (int n = 1; *theirs || *ours; n++) {
        const size_t a = strcspn(theirs, "\n"), b = strcspn(ours, "\n");
        SF_CHECK(a == b && !memcmp(theirs, ours, a), SF_RESTART,
                 "checkpoint %s is of another run: line %d of its settings is `%.*s`, here it is `%.*s`", path, n,
                 (int)SF_MIN(a, (size_t)300), theirs, (int)SF_MIN(b, (size_t)300), ours);
        theirs += a + (theirs[a] != '\0');
        ours += b + (ours[b] != '\0');
    }
    return SF_OK;
}

#define SAME(what, form, theirs, ours)                                                                                \
    SF_CHECK((theirs) == (ours), SF_RESTART, "checkpoint %s has %s " form "; this run has " form, path, what, theirs, \
             ours)

/* Does the file fit the run? */
static int head_compare(const char *path, const struct restart_head *file, const struct restart_head *run,
                        const char *identity)
{
    SF_CHECK(!strcmp(file->model, run->model), SF_RESTART, "checkpoint %s is of model %s; this run is of %s", path,
             file->model, run->model);
    SAME("nx", "%d", file->nx, run->nx);
    SAME("ny", "%d", file->ny, run->ny);
    SAME("nz", "%d", file->nz, run->nz);
    SAME("dx", "%.17g", file->dx, run->dx);
    SAME("dy", "%.17g", file->dy, run->dy);
    if (identity) SF_TRY(identity_compare(path, file->identity, identity));
    SF_CHECK(file->precision == run->precision, SF_RESTART,
             "checkpoint %s holds %d-bit numbers; this program computes with %d bits: use the one built with PREC=%d",
             path, file->precision, run->precision, file->precision);
    for (int n = 0; n < SF_MAX(file->nfields, run->nfields); n++) {
        const struct restart_field *a = &file->field[n], *b = &run->field[n];
        SF_CHECK(n < file->nfields && n < run->nfields && !strcmp(a->name, b->name), SF_RESTART,
                 "checkpoint %s has other fields: number %d is %s; this run has %s", path, n + 1,
                 n < file->nfields ? a->name : "missing", n < run->nfields ? b->name : "none there");
        SF_CHECK(
            a->ni == b->ni && a->nk == b->nk && a->nj == b->nj && a->is_map == b->is_map && a->is_box == b->is_box, SF_RESTART,
            "checkpoint %s: field %s has %d x %d x %d values; this run has %d x %d x %d: are the boundaries the same?",
            path, a->name, a->ni, a->nk, a->nj, b->ni, b->nk, b->nj);
    }
    return SF_OK;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* All ranks send; rank 0 hashes and writes. Where it fails, it goes on receiving, since the others go on sending;
 * *written tells. The result is that of the ranks' talk. */
static int fields_write(const struct state *st, struct restart_head *h, struct ncfile *to, struct transfer *t,
                        int *written)
{
    XXH3_state_t all, one;
    XXH3_64bits_reset(&all);
    for (int id = 0, n = 0; id < st->in->nfields; id++) {
        if (!field_is_saved(&st->in->field[id], st->grid)) continue;
        struct restart_field *f = &h->field[n++];
        XXH3_64bits_reset(&one);
        for (struct piece p = {0}; piece_next(f, sizeof(real), &p);) {
            shares_of(st, f, id, p, t->bytes);
            rows_copy(st, f, id, p, t->values, PACK);
            SF_TRY(comm_gather(&st->comm, t->values, t->values, t->bytes));
            if (st->comm.rank || *written) continue;
            XXH3_64bits_update(&one, t->values, piece_bytes(h, f, p));
            XXH3_64bits_update(&all, t->values, piece_bytes(h, f, p));
            *written = restart_file_put(to, h, f, p, t->values);
        }
        f->digest = XXH3_64bits_digest(&one);
    }
    h->data = XXH3_64bits_digest(&all);
    return SF_OK;
}

/* Does the finished file read back as what was sent? */
static int file_reread(const char *path, const struct restart_head *sent)
{
    struct restart_head h;
    int nc;
    SF_TRY(restart_file_open(path, &h, &nc));
    int rc = restart_file_verify(path, &h, nc);
    if (!rc) rc = head_compare(path, &h, sent, sent->identity);
    if (!rc && (h.data != sent->data || h.step != sent->step || memcmp(&h.time, &sent->time, sizeof h.time)))
        rc = sf_fail(SF_RESTART, __FILE__, __LINE__, "checkpoint %s is not what was written", path);
    nc_close(nc);
    restart_head_free(&h);
    return rc;
}

static int file_finish(const char *dir, const char *path, struct ncfile *to, const struct restart_head *h)
{
    SF_TRY(restart_file_seal(to, h));
    if (file_reread(to->temporary, h)) return sf_trace(SF_IO, __FILE__, __LINE__, "the checkpoint does not read back");
    return restart_set_commit(dir, to->temporary, path, (long)h->step);
}

int restart_write(const struct state *st, const char *dir, const struct restart_info *info)
{
    SF_TRY(state_fetch(st));
    char path[RESTART_PATH] = "";
    struct restart_head h;
    struct ncfile to = {0};
    struct transfer t;
    int rc = head_make(&h, st, info);
    if (rc) return rc; /* the same on all ranks */
    h.identity = (char *)(info->identity ? info->identity : "");
    rc = transfer_init(&t, st, &h);
    if (!rc) {
        int written = SF_OK;
        if (st->comm.rank == 0) written = restart_set_path(dir, info->step, path);
        if (st->comm.rank == 0 && !written) written = restart_file_create(&to, path, &h, st->in);
        rc = result_share(&st->comm, written);
        if (!rc) rc = fields_write(st, &h, &to, &t, &written);
        if (!rc && !written && st->comm.rank == 0) written = file_finish(dir, path, &to, &h);
        if (!rc) rc = result_share(&st->comm, written);
    }
    ncfile_abandon(&to);
    transfer_free(&t);
    return rc;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Rank 0 reads the verified file once more and deals it out. Its digests are taken again: what the file system gives
 * now must be what was verified. */
static int fields_read(struct state *st, const char *path, const struct restart_head *h, int nc, struct transfer *t)
{
    XXH3_state_t all;
    XXH3_64bits_reset(&all);
    for (int id = 0, n = 0; id < st->in->nfields; id++) {
        if (!field_is_saved(&st->in->field[id], st->grid)) continue;
        const struct restart_field *f = &h->field[n++];
        for (struct piece p = {0}; piece_next(f, sizeof(real), &p);) {
            int rc = SF_OK;
            if (st->comm.rank == 0) rc = restart_file_get(path, f, nc, p, t->values);
            if (st->comm.rank == 0 && !rc) XXH3_64bits_update(&all, t->values, piece_bytes(h, f, p));
            SF_TRY(result_share(&st->comm, rc));
            shares_of(st, f, id, p, t->bytes);
            SF_TRY(comm_scatter(&st->comm, t->values, t->values, t->bytes));
            rows_copy(st, f, id, p, t->values, UNPACK);
        }
    }
    int rc = SF_OK;
    if (st->comm.rank == 0 && XXH3_64bits_digest(&all) != h->data)
        rc = sf_fail(SF_RESTART, __FILE__, __LINE__, "checkpoint %s changed while it was read", path);
    return result_share(&st->comm, rc);
}

/* On rank 0: check everything, leave the file open. */
static int file_check(const char *path, const struct restart_head *run, const char *identity, struct restart_head *h,
                      int *nc)
{
    restart_digest digest;
    SF_TRY(restart_set_check(path, &digest));
    SF_TRY(restart_file_open(path, h, nc));
    int rc = restart_file_verify(path, h, *nc);
    if (!rc) rc = head_compare(path, h, run, identity);
    if (rc) {
        nc_close(*nc);
        restart_head_free(h);
    }
    return rc;
}

int restart_read(struct state *st, const char *path, struct restart_info *info)
{
    struct restart_head run, h = {0};
    struct transfer t;
    const struct restart_info nothing = {0};
    int nc = -1, rc = SF_OK;
    SF_TRY(head_make(&run, st, &nothing));
    if (st->comm.rank == 0) rc = file_check(path, &run, info->identity, &h, &nc);
    SF_TRY(result_share(&st->comm, rc));
    /* What travels to the other ranks: the numbers; the texts have served. */
    char *identity = h.identity;
    rc = comm_bcast(&st->comm, &h, sizeof h);
    h.identity = identity;
    if (!rc) {
        rc = transfer_init(&t, st, &h);
        if (!rc) rc = fields_read(st, path, &h, nc, &t);
        transfer_free(&t);
    }
    if (st->comm.rank == 0) nc_close(nc);
    if (!rc) {
        info->time = h.time;
        info->step = (long)h.step;
        info->nextra = h.nextra;
        memcpy(info->extra, h.extra, sizeof info->extra);
    }
    restart_head_free(&h);
    return rc;
}
