/* Writing checkpoints: a job of the writer takes piece after piece, of a rank alone from the state itself, of several
 * from what they pass on to rank 0. SPDX-License-Identifier: MIT */
#include "io/restart.h"

#include "io/restart_set.h"
#include "io/restart_state.h"
#include "pipeline/error.h"
#include "pipeline/memory.h"
#include "pipeline/outcome.h"
#include "pipeline/seconds.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { RING = 4 }; /* pieces between the ranks and the writer */

/* Through all pieces of all fields, in the order of the file. */
struct walk {
    int n; /* of the header's fields */
    struct piece piece;
};

struct restart_job {
    const struct state *st;
    char dir[RESTART_PATH], path[RESTART_PATH];
    struct restart_head head; /* its digests are the job's */
    struct writer *writer; /* on rank 0 */
    struct walk walk; /* the piece to pass on */
    int is_passed; /* 1: there is none */
    size_t *bytes; /* of every rank in a piece */
    real *values[RING];
    double busy, starved; /* s of the writer, and that it waited for rows of other ranks */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    long passed, taken; /* pieces */
    int done; /* 1: the writer is through with it, for better or worse */
};

static int is_alone(const struct restart_job *x) { return x->st->comm.size == 1; }

/* ---- the writer's side ------------------------------------------------------------------------------------------- */

/* The values of a piece, once they are there. */
static real *piece_take(struct restart_job *x, const struct restart_field *f, struct piece p)
{
    if (is_alone(x)) {
        restart_rows(x->st, f, p, x->values[0], RESTART_PACK);
        return x->values[0];
    }
    const double began = seconds_now();
    library_yield();
    pthread_mutex_lock(&x->lock);
    while (x->passed == x->taken) pthread_cond_wait(&x->changed, &x->lock);
    real *const values = x->values[x->taken % RING];
    pthread_mutex_unlock(&x->lock);
    library_resume();
    x->starved += seconds_now() - began;
    return values;
}

static void piece_done(struct restart_job *x)
{
    pthread_mutex_lock(&x->lock);
    x->taken++;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
}

static int fields_write(struct restart_job *x, struct ncfile *to)
{
    struct restart_head *const h = &x->head;
    XXH3_state_t all, one;
    XXH3_64bits_reset(&all);
    for (int n = 0; n < h->nfields; n++) {
        struct restart_field *const f = &h->field[n];
        XXH3_64bits_reset(&one);
        for (struct piece p = {0}; piece_next(f, sizeof(real), &p);) {
            const real *const values = piece_take(x, f, p);
            XXH3_64bits_update(&one, values, piece_bytes(h, f, p));
            XXH3_64bits_update(&all, values, piece_bytes(h, f, p));
            IO_TRY(restart_file_put(to, h, f, p, values));
            piece_done(x);
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
    IO_TRY(restart_file_open(path, &h, &nc));
    int rc = restart_file_verify(path, &h, nc);
    if (!rc) rc = restart_head_compare(path, &h, sent, sent->identity);
    if (!rc && (h.data != sent->data || h.step != sent->step || memcmp(&h.time, &sent->time, sizeof h.time)))
        rc = io_fail(SF_RESTART, __FILE__, __LINE__, "checkpoint %s is not what was written", path);
    nc_close(nc);
    restart_head_free(&h);
    return rc;
}

static int file_write(struct restart_job *x, struct ncfile *to)
{
    IO_TRY(restart_file_create(to, x->path, &x->head, x->st->in));
    IO_TRY(fields_write(x, to));
    IO_TRY(restart_file_seal(to, &x->head));
    if (file_reread(to->temporary, &x->head))
        return io_trace(SF_IO, __FILE__, __LINE__, "the checkpoint does not read back");
    return restart_set_commit(x->dir, to->temporary, x->path, (long)x->head.step);
}

static int write_job(void *arg)
{
    struct restart_job *const x = arg;
    struct ncfile to = {0};
    const double began = seconds_now();
    memory_trim(); /* of what history files had: a checkpoint takes as much again */
    const int rc = file_write(x, &to);
    ncfile_abandon(&to);
    x->busy = seconds_now() - began - x->starved;
    return rc;
}

static void write_release(void *arg)
{
    struct restart_job *const x = arg;
    pthread_mutex_lock(&x->lock);
    x->done = 1;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
}

/* ---- the model's side -------------------------------------------------------------------------------------------- */

size_t restart_size(const struct instance *in, const struct grid *g, int ranks)
{
    const struct state none = {.comm = {.size = 1}, .grid = g, .in = in};
    const struct restart_info info = {0};
    struct restart_head *h = calloc(1, sizeof *h);
    const int rc = h ? restart_head_make(h, &none, &info) : SF_MEMORY;
    const size_t bytes = rc ? 0 : restart_head_writing(h, ranks > 1 ? RING : 1);
    if (rc) sf_error_clear(); /* told where it is written */
    free(h);
    return bytes;
}

static void job_free(struct restart_job *x)
{
    for (int n = 0; n < RING; n++) free(x->values[n]);
    free(x->bytes);
    free(x->head.sampled);
    pthread_mutex_destroy(&x->lock);
    pthread_cond_destroy(&x->changed);
    free(x);
}

static int job_make(struct restart_job **out, const struct state *st, const char *dir, const struct restart_info *info,
                    struct writer *w)
{
    struct restart_job *const x = *out = calloc(1, sizeof *x);
    SF_CHECK(x, SF_MEMORY, "no memory for a checkpoint");
    x->st = st;
    x->writer = w;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC); /* of seconds_now */
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->changed, &clock);
    pthread_condattr_destroy(&clock);
    SF_TRY(restart_head_make(&x->head, st, info));
    x->head.identity = (char *)(info->identity ? info->identity : "");
    if (info->nsampled > 0 && !st->comm.rank) { /* a copy, to which no later sample comes */
        x->head.nsampled = info->nsampled;
        x->head.sampled = malloc((size_t)info->nsampled * sizeof *info->sampled);
        SF_CHECK(x->head.sampled, SF_MEMORY, "no memory for the %ld numbers of samples", info->nsampled);
        memcpy(x->head.sampled, info->sampled, (size_t)info->nsampled * sizeof *info->sampled);
    }
    const size_t piece = piece_largest(&x->head);
    int bad = !(x->bytes = malloc((size_t)st->comm.size * sizeof *x->bytes));
    for (int n = 0; n < (is_alone(x) || st->comm.rank ? 1 : RING); n++) bad |= !(x->values[n] = malloc(piece));
    SF_CHECK(!bad, SF_MEMORY, "no memory for %zu bytes of a checkpoint", piece);
    if (st->comm.rank) return SF_OK;
    SF_TRY(restart_set_path(dir, info->step, x->path));
    snprintf(x->dir, sizeof x->dir, "%s", dir);
    return SF_OK;
}

static int walk_next(const struct restart_head *h, struct walk *w)
{
    for (; w->n < h->nfields; w->n++, w->piece = (struct piece){0})
        if (piece_next(&h->field[w->n], sizeof(real), &w->piece)) return 1;
    return 0;
}

int restart_begin(struct restart_job **out, const struct state *st, const char *dir, const struct restart_info *info,
                  struct writer *w)
{
    SF_TRY(state_fetch(st));
    int rc = outcome_share(&st->comm, job_make(out, st, dir, info, w));
    if (!rc) rc = outcome_share(&st->comm, st->comm.rank ? SF_OK : writer_submit(w, write_job, *out, write_release));
    if (!rc) (*out)->is_passed = is_alone(*out) || !walk_next(&(*out)->head, &(*out)->walk);
    if (!rc) return SF_OK;
    if (*out && rc != SF_COMM) job_free(*out); /* else the writer may be at it */
    *out = NULL;
    return rc;
}

enum room { ROOM_NONE, ROOM_YES, ROOM_OVER };

/* On rank 0: is there room for a piece before then? */
static int room_await(struct restart_job *x, double until)
{
    const struct timespec t = {(time_t)until, (long)(1e9 * (until - floor(until)))};
    pthread_mutex_lock(&x->lock);
    while (!x->done && x->passed == x->taken + RING && !pthread_cond_timedwait(&x->changed, &x->lock, &t)) continue;
    const int is_free = x->passed < x->taken + RING && seconds_now() < until;
    const int room = x->done ? ROOM_OVER : is_free ? ROOM_YES : ROOM_NONE;
    pthread_mutex_unlock(&x->lock);
    return room;
}

static int piece_pass(struct restart_job *x)
{
    const struct comm *const c = &x->st->comm;
    const struct restart_field *const f = &x->head.field[x->walk.n];
    real *const values = x->values[c->rank ? 0 : x->passed % RING];
    restart_shares(x->st, f, x->walk.piece, x->bytes);
    restart_rows(x->st, f, x->walk.piece, values, RESTART_PACK);
    SF_TRY(comm_gather(c, values, values, x->bytes));
    pthread_mutex_lock(&x->lock);
    x->passed++;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
    return SF_OK;
}

int restart_go_on(struct restart_job *x, double seconds, int *more)
{
    const double until = seconds_now() + seconds;
    while (!x->is_passed) {
        int room = x->st->comm.rank ? ROOM_NONE : room_await(x, until);
        SF_TRY(comm_bcast(&x->st->comm, &room, sizeof room));
        if (room == ROOM_NONE) break;
        if (room == ROOM_YES) SF_TRY(piece_pass(x));
        x->is_passed = room == ROOM_OVER ||
                       !walk_next(&x->head, &x->walk); /* over: the writer has failed, and restart_end tells */
    }
    *more = !x->is_passed;
    return SF_OK;
}

int restart_end(struct restart_job **at, struct restart_told *told)
{
    struct restart_job *const x = *at;
    const double began = seconds_now(), forever = 1e9;
    int more;
    if (!x) return SF_OK;
    *at = NULL;
    SF_TRY(
        restart_go_on(x, forever, &more)); /* SF_COMM: the job may wait for what does not come, and keeps its memory */
    pthread_mutex_lock(&x->lock);
    while (!x->done && !x->st->comm.rank) pthread_cond_wait(&x->changed, &x->lock);
    pthread_mutex_unlock(&x->lock);
    const int rc = outcome_share(&x->st->comm, x->st->comm.rank ? SF_OK : writer_check(x->writer));
    if (told) *told = (struct restart_told){seconds_now() - began, x->busy, (double)restart_head_bytes(&x->head)};
    job_free(x);
    return rc;
}

int restart_write(const struct state *st, const char *dir, const struct restart_info *info)
{
    struct writer *w = NULL;
    struct restart_job *x;
    int rc = outcome_share(&st->comm, st->comm.rank ? SF_OK : writer_open(&w));
    if (!rc) rc = restart_begin(&x, st, dir, info, w);
    if (!rc) rc = restart_end(&x, NULL);
    if (rc == SF_COMM) return rc; /* the writer may wait for what does not come */
    const int closed = writer_close(&w); /* tells the same failure */
    return rc ? rc : closed;
}
