/* Reading checkpoints: rank 0 verifies the file, reads it again and deals out the rows. SPDX-License-Identifier: MIT */
#include "io/restart.h"

#include "io/restart_set.h"
#include "io/restart_state.h"
#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

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

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Rank 0 reads the verified file once more and deals it out. Its digests are taken again: what the file system gives
 * now must be what was verified. */
static int fields_read(struct state *st, const char *path, const struct restart_head *h, int nc, struct transfer *t)
{
    XXH3_state_t all;
    XXH3_64bits_reset(&all);
    for (int n = 0; n < h->nfields; n++) {
        const struct restart_field *f = &h->field[n];
        for (struct piece p = {0}; piece_next(f, sizeof(real), &p);) {
            int rc = SF_OK;
            if (st->comm.rank == 0) rc = restart_file_get(path, f, nc, p, t->values);
            if (st->comm.rank == 0 && !rc) XXH3_64bits_update(&all, t->values, piece_bytes(h, f, p));
            SF_TRY(outcome_share(&st->comm, rc));
            restart_shares(st, f, p, t->bytes);
            SF_TRY(comm_scatter(&st->comm, t->values, t->values, t->bytes));
            restart_rows(st, f, p, t->values, RESTART_UNPACK);
        }
    }
    int rc = SF_OK;
    if (st->comm.rank == 0 && XXH3_64bits_digest(&all) != h->data)
        rc = sf_fail(SF_RESTART, __FILE__, __LINE__, "checkpoint %s changed while it was read", path);
    return outcome_share(&st->comm, rc);
}

/* On rank 0: check everything, leave the file open. */
static int file_check(const char *path, const struct restart_head *run, const char *identity, struct restart_head *h,
                      int *nc)
{
    restart_digest digest;
    SF_TRY(restart_set_check(path, &digest));
    SF_TRY(restart_file_open(path, h, nc));
    int rc = restart_file_verify(path, h, *nc);
    if (!rc) rc = restart_head_compare(path, h, run, identity);
    if (rc) {
        nc_close(*nc);
        restart_head_free(h);
    }
    return rc;
}

/* The table of samples is of the kind that the run goes on with, and has room there. */
static int sampled_compare(const char *path, const struct restart_head *h, const struct restart_info *info)
{
    const long long same = info->nsame;
    SF_CHECK(!h->nsampled || !same ||
                 (h->nsampled >= same && !memcmp(h->sampled, info->sampled, (size_t)same * sizeof *h->sampled)),
             SF_RESTART,
             "checkpoint %s has samples of other averages than this run makes: %s must be those of the first run", path,
             info->sampled_keys);
    SF_CHECK(
        h->nsampled <= info->nsampled, SF_RESTART,
        "checkpoint %s has %lld numbers of samples, this run room for %ld: time%%duration and output_interval must be "
        "those of the first run",
        path, h->nsampled, info->nsampled);
    return SF_OK;
}

int restart_read(struct state *st, const char *path, struct restart_info *info)
{
    LIBRARY_HELD;
    struct restart_head run, h = {0};
    struct transfer t;
    const struct restart_info nothing = {0};
    int nc = -1, rc = SF_OK;
    SF_TRY(restart_head_make(&run, st, &nothing));
    if (st->comm.rank == 0) rc = file_check(path, &run, info->identity, &h, &nc);
    if (!rc && st->comm.rank == 0 && (rc = sampled_compare(path, &h, info))) {
        nc_close(nc);
        restart_head_free(&h);
    }
    SF_TRY(outcome_share(&st->comm, rc));
    /* What travels to the other ranks: the numbers; the texts have served. */
    char *identity = h.identity;
    double *sampled = h.sampled;
    rc = comm_bcast(&st->comm, &h, sizeof h);
    h.identity = identity, h.sampled = sampled;
    if (sampled) memcpy(info->sampled, sampled, (size_t)h.nsampled * sizeof *sampled);
    info->nsampled = (long)h.nsampled;
    if (!rc && h.nsampled) rc = comm_bcast(&st->comm, info->sampled, (size_t)h.nsampled * sizeof *sampled);
    for (int n = 0; n < h.nfields; n++) h.field[n].id = run.field[n].id; /* the same fields in the same order */
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
