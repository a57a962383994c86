/* Two frame buffers between the model and the writer, and the layout of history files.
 * SPDX-License-Identifier: MIT */
#include "io/history.h"

#include "io/frame.h"
#include "io/history_name.h"
#include "pipeline/seconds.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    RING = 2,
    /* A chunk is one field at one time up to this size, then as many levels (or rows of one level) as fit: its
     * transposition, its checksum and its copy to the file find it in a core's cache. In 16 MiB a thread writes 0.6
     * times as many bytes a second. */
    CHUNK_BYTES = 512 << 10,
    PATH_SIZE = 4096
};

struct frame {
    struct history *h;
    real *data; /* allocated when first needed */
    double time;
    int busy;
};

struct history {
    const struct instance *in;
    struct output_info info;
    struct frame_set set;
    real *own; /* what a rank other than 0 sends */

    pthread_mutex_t lock; /* guards `busy` of the frames and `rate` */
    pthread_cond_t freed;
    struct frame ring[RING];
    struct history_rate rate;

    /* Of the writer's thread alone. */
    struct ncfile file; /* under way when file.path is set */
    int frames; /* in it */
    struct axes axes;
    int time_dim, time_var, late_var, *var, *profile_var;
    int places; /* are places in cells and times between steps told? */
    double late; /* of what is late here, in steps; 0: nothing is */
    int digits; /* of the number in a file's name */
    real *block; /* a chunk in the order of the file */
    size_t block_elements;
    char last[PATH_SIZE]; /* path of the latest file */
};

/* Levels and rows of a chunk of variable v. */
static void chunk_extent(const struct variable *v, int *nk, int *nj)
{
    const size_t most = CHUNK_BYTES / sizeof(real), line = (size_t)v->ni, level = line * (size_t)v->nj;
    *nj = level <= most ? v->nj : (int)ncfile_part((size_t)v->nj, most / line);
    *nk = level <= most ? (int)ncfile_part((size_t)v->nk, most / level) : 1;
}

static size_t chunk_bytes(const struct variable *v)
{
    int nk, nj;
    chunk_extent(v, &nk, &nj);
    return (size_t)v->ni * (size_t)nj * (size_t)nk * sizeof(real);
}

/* Bytes of variable v in a file, whose chunks are whole. */
static double bytes_stored(const struct variable *v)
{
    int nk, nj;
    chunk_extent(v, &nk, &nj);
    return (double)sizeof(real) * v->ni * ((v->nk + nk - 1) / nk * nk) * ((v->nj + nj - 1) / nj * nj);
}

int history_size(const struct instance *in, int rows, size_t text, struct history_size *size)
{
    enum { FILTERED = 2, AXES_AND_BOUNDS = 6, TIMES = 2 };
    struct frame_set set;
    *size = (struct history_size){0};
    const int rc = frame_set_init(&set, in);
    for (int n = 0; n < set.n && !rc; n++) {
        size->chunk = SF_MAX(size->chunk, chunk_bytes(&set.v[n]));
        size->stored += bytes_stored(&set.v[n]);
    }
    const int places = in->mapping ? 3 : 0; /* crs, latitude, longitude */
    size->overhead = ncfile_overhead(text, AXES_AND_BOUNDS + in->nprofiles + places, set.n + TIMES, 4) +
                     (in->mapping ? 2.0 * sizeof(double) * in->grid->nx * in->grid->ny : 0);
    size->writing = FILTERED * size->chunk;
    size->frame = set.elements * sizeof(real);
    size->other = set.row_most * (size_t)(rows + 1) * sizeof(real);
    frame_set_free(&set);
    return rc;
}

/* ---- the writer's side ------------------------------------------------------------------------------------------- */

/* What CF calls an amount is summed up since the start; all else is of its instant. */
static int is_amount(const char *standard_name)
{
    static const char end[] = "_amount";
    const size_t n = standard_name ? strlen(standard_name) : 0;
    return n >= sizeof end && !strcmp(standard_name + n - (sizeof end - 1), end);
}

static int variable_define(struct history *h, int n)
{
    const struct config *c = h->in->config;
    const struct variable *v = &h->set.v[n];
    const struct axes *a = &h->axes;
    const int face[] = {(v->stagger & STAG_X) != 0, (v->stagger & STAG_Y) != 0, (v->stagger & STAG_Z) != 0};
    int ck, cj, nd = 1, dims[4] = {h->time_dim};
    chunk_extent(v, &ck, &cj);
    size_t chunk[4] = {1};
    if (v->shape != SHAPE_MAP) {
        chunk[nd] = (size_t)ck;
        dims[nd++] = a->dim[face[2] ? AXIS_ZF : AXIS_Z];
    }
    if (v->shape != SHAPE_LEVELS) {
        chunk[nd] = (size_t)cj;
        dims[nd++] = a->dim[face[1] ? AXIS_YF : AXIS_Y];
        chunk[nd] = (size_t)v->ni;
        dims[nd++] = a->dim[face[0] ? AXIS_XF : AXIS_X];
    }
    const struct ncstore how = {
        .deflate = c->output_compression, .keep_bits = c->output_keep_bits, .chunk = chunk, .is_whole = 1};
    IO_TRY(ncfile_var(&h->file, v->name, SF_PREC == 64 ? NC_DOUBLE : NC_FLOAT, nd, dims, &how, v->long_name, v->unit,
                      v->standard_name, &h->var[n]));
    if (is_amount(v->standard_name)) IO_TRY(ncfile_text(&h->file, h->var[n], "cell_methods", "time: sum"));
    if (v->shape != SHAPE_LEVELS) IO_TRY(meta_mapping_name(&h->file, h->in, h->var[n]));
    if (c->output_staggered && v->shape != SHAPE_LEVELS) {
        IO_TRY(ncfile_text(&h->file, h->var[n], "grid", "grid"));
        IO_TRY(ncfile_text(&h->file, h->var[n], "location", meta_sgrid_location(h->in, v->stagger)));
    }
    return h->places ? meta_place(&h->file, h->in, h->var[n], v->stagger, c->output_staggered, v->late) : SF_OK;
}

static int file_begin(struct history *h, double time)
{
    const struct config *c = h->in->config;
    char name[64], path[PATH_SIZE];
    history_name(h->in, h->digits, time, name, sizeof name);
    IO_TRY(meta_path(&h->info, name, path, sizeof path));
    IO_CHECK(strcmp(path, h->last), SF_NAMELIST,
             "&time output_interval: two history files would be called '%s'; let them be more than 1 ms apart", path);
    memcpy(h->last, path, sizeof path);
    const size_t bytes = c->output_compression ? 0 : h->set.elements * sizeof(real);
    IO_TRY(ncfile_begin(&h->file, path, bytes));
    h->frames = 0;
    struct ncfile *f = &h->file;
    IO_TRY(meta_global(f, &h->info, h->in));
    IO_TRY(meta_time_define(f, h->in, (size_t)c->output_frames_per_file, &h->time_dim, &h->time_var));
    IO_TRY(meta_axes_define(f, h->in, &h->axes));
    IO_TRY(meta_mapping_define(f, h->in, &h->axes));
    if (c->output_staggered) IO_TRY(meta_sgrid_define(f, h->in, &h->axes));
    if (h->late < 0) IO_TRY(meta_late_define(f, h->in, (size_t)c->output_frames_per_file, h->time_dim, &h->late_var));
    IO_TRY(meta_profiles_define(f, h->in, &h->axes, h->profile_var));
    for (int n = 0; n < h->set.n; n++) IO_TRY(variable_define(h, n));
    NC_TRY(path, "its header", 0, nc_enddef(f->id));
    IO_TRY(meta_axes_put(f, h->in, &h->axes));
    IO_TRY(meta_mapping_put(f, h->in, &h->axes));
    return meta_profiles_put(f, h->in, &h->axes, h->profile_var);
}

/* [nj][nk][ni] of the frame to [nk][nj][ni] of the file, a chunk at a time. */
static int variable_put(struct history *h, int n, const real *data)
{
    const struct variable *v = &h->set.v[n];
    const size_t ni = (size_t)v->ni, line = ni * sizeof(real);
    int ck, cj;
    chunk_extent(v, &ck, &cj);
    for (int k0 = 0; k0 < v->nk; k0 += ck)
        for (int j0 = 0; j0 < v->nj; j0 += cj) {
            const int k1 = SF_MIN(k0 + ck, v->nk), j1 = SF_MIN(j0 + cj, v->nj);
            real *out = h->block;
            for (int k = k0; k < k1; k++)
                for (int j = j0; j < j1; j++, out += ni)
                    memcpy(out, data + ((size_t)j * (size_t)v->nk + (size_t)k) * ni, line);
            size_t start[4] = {(size_t)h->frames}, count[4] = {1};
            int nd = 1;
            if (v->shape != SHAPE_MAP) start[nd] = (size_t)k0, count[nd++] = (size_t)(k1 - k0);
            if (v->shape != SHAPE_LEVELS) {
                start[nd] = (size_t)j0, count[nd++] = (size_t)(j1 - j0);
                start[nd] = 0, count[nd++] = ni;
            }
            NC_TRY(h->file.path, v->name, (size_t)(out - h->block) * sizeof(real),
                   nc_put_vara(h->file.id, h->var[n], start, count, h->block));
        }
    return SF_OK;
}

static int file_commit(struct history *h)
{
    size_t bytes = 0;
    IO_TRY(ncfile_commit(&h->file, &bytes));
    pthread_mutex_lock(&h->lock);
    h->rate.files++;
    h->rate.file_bytes += (double)bytes;
    pthread_mutex_unlock(&h->lock);
    return SF_OK;
}

static int frame_put(struct history *h, const struct frame *f)
{
    if (!h->file.path) IO_TRY(file_begin(h, f->time));
    else if (!h->in->config->output_compression) IO_TRY(ncfile_room(&h->file, h->set.elements * sizeof(real)));
    const size_t at = (size_t)h->frames;
    NC_TRY(h->file.path, "time", sizeof f->time, nc_put_var1_double(h->file.id, h->time_var, &at, &f->time));
    if (h->late < 0) {
        const double late = f->time + h->late * h->in->dt_fixed;
        NC_TRY(h->file.path, "time_h", sizeof late, nc_put_var1_double(h->file.id, h->late_var, &at, &late));
    }
    for (int n = 0; n < h->set.n; n++) IO_TRY(variable_put(h, n, f->data + h->set.v[n].at));
    h->frames++;
    return h->frames == h->in->config->output_frames_per_file ? file_commit(h) : SF_OK;
}

static int frame_job(void *arg)
{
    struct frame *f = arg;
    struct history *h = f->h;
    const double began = seconds_now();
    const int rc = frame_put(h, f);
    if (rc) {
        ncfile_abandon(&h->file);
        return rc;
    }
    pthread_mutex_lock(&h->lock);
    h->rate.frames++;
    h->rate.bytes += (double)(h->set.elements * sizeof(real));
    h->rate.busy += seconds_now() - began;
    pthread_mutex_unlock(&h->lock);
    return SF_OK;
}

static void frame_release(void *arg)
{
    struct frame *f = arg;
    pthread_mutex_lock(&f->h->lock);
    f->busy = 0;
    pthread_cond_signal(&f->h->freed);
    pthread_mutex_unlock(&f->h->lock);
}

static int flush_job(void *arg)
{
    struct history *h = arg;
    return h->file.path ? file_commit(h) : SF_OK;
}

/* ---- the model's side -------------------------------------------------------------------------------------------- */

/* A free buffer. A second one is allocated only when the first is still being written, and done without when there is
 * no memory for it. */
static int frame_take(struct history *h, struct frame **taken)
{
    const size_t bytes = h->set.elements * sizeof(real) + 1;
    const double began = seconds_now();
    int have = 0, waited = 0;
    *taken = NULL;
    pthread_mutex_lock(&h->lock);
    for (;;) {
        have = 0;
        for (int n = 0; n < RING && !*taken; n++) {
            struct frame *f = &h->ring[n];
            if (!f->busy && !f->data) f->data = malloc(bytes);
            have += f->data != NULL;
            if (!f->busy && f->data) *taken = f;
        }
        if (*taken || !have) break;
        waited = 1;
        pthread_cond_wait(&h->freed, &h->lock);
    }
    if (*taken) (*taken)->busy = 1;
    if (waited) h->rate.waited += seconds_now() - began;
    pthread_mutex_unlock(&h->lock);
    SF_CHECK(*taken, SF_MEMORY, "no memory for %.1f MiB of history on rank 0: name fewer &output fields",
             (double)bytes / 1048576.0);
    return SF_OK;
}

static int history_prepare(struct history *h, const struct state *st)
{
    const struct config *c = h->in->config;
    const struct grid *g = h->in->grid;
    SF_TRY(frame_set_init(&h->set, h->in));
    for (int n = 0; n < h->in->ndiagnostics; n++) h->places |= h->in->diagnostic[n].late < 0;
    for (int n = 0; n < h->set.n; n++) h->late = SF_MIN(h->late, h->set.v[n].late);
    const struct box *const r = &h->set.region;
    h->axes = (struct axes){.n = {r->i1 - r->i0, r->j1 - r->j0, r->k1 - r->k0}, .first = {r->i0, r->j0, r->k0}};
    if (c->output_staggered) {
        int *n = h->axes.n;
        n[AXIS_XF] = SF_MIN(r->i1, g->nx - field_is_periodic(h->in, FACE_W)) + 1 - r->i0;
        n[AXIS_YF] = SF_MIN(r->j1, g->ny - field_is_periodic(h->in, FACE_S)) + 1 - r->j0;
        n[AXIS_ZF] = SF_MIN(r->k1, g->nz - field_is_periodic(h->in, FACE_B)) + 1 - r->k0;
        for (int m = 0; m < h->set.n; m++) {
            const struct variable *v = &h->set.v[m];
            const int ni = n[v->stagger & STAG_X ? AXIS_XF : AXIS_X], nj = n[v->stagger & STAG_Y ? AXIS_YF : AXIS_Y];
            const int nk = n[v->stagger & STAG_Z ? AXIS_ZF : AXIS_Z];
            SF_CHECK(v->shape == SHAPE_LEVELS || (v->ni == ni && v->nj == nj), SF_INTERNAL,
                     "field '%s' has %d x %d columns and its grid %d x %d", v->name, v->ni, v->nj, ni, nj);
            SF_CHECK(v->shape == SHAPE_MAP || v->nk == nk, SF_INTERNAL, "field '%s' has %d levels and its grid %d",
                     v->name, v->nk, nk);
        }
    }
    for (int n = 0; n < h->set.n; n++) {
        int ck, cj;
        chunk_extent(&h->set.v[n], &ck, &cj);
        h->block_elements = SF_MAX(h->block_elements, (size_t)ck * (size_t)cj * (size_t)h->set.v[n].ni);
    }
    h->var = calloc((size_t)h->set.n + 1, sizeof *h->var);
    h->profile_var = calloc((size_t)h->in->nprofiles + 1, sizeof *h->profile_var);
    const size_t own = st->comm.rank == 0 ? h->block_elements : frame_own_elements(&h->set, st);
    real *memory = malloc((own + 1) * sizeof *memory);
    if (st->comm.rank == 0) h->block = memory;
    else h->own = memory;
    SF_CHECK(h->var && h->profile_var && memory, SF_MEMORY, "no memory for %.1f MiB of history buffers",
             (double)(own * sizeof(real)) / 1048576.0);
    return SF_OK;
}

static void history_free(struct history **at)
{
    struct history *h = *at;
    ncfile_abandon(&h->file);
    for (int n = 0; n < RING; n++) free(h->ring[n].data);
    frame_set_free(&h->set);
    free(h->own);
    free(h->block);
    free(h->var);
    free(h->profile_var);
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->freed);
    free(h);
    *at = NULL;
}

void history_check(const struct instance *in, struct complaints *to)
{
    if (in->config->output_keep_bits && !NCFILE_ROUNDS)
        sf_complain(to, "output%keep_bits", -1,
                    "this program's netCDF library cannot round bits (4.9 and later can); set it to 0");
    frame_check(in, to);
}

int history_open(struct history **out, const struct instance *in, const struct state *st,
                 const struct output_info *info)
{
    struct history *h = calloc(1, sizeof *h);
    int rc = h ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the history");
    if (h) {
        h->in = in;
        h->info = *info;
        pthread_mutex_init(&h->lock, NULL);
        pthread_cond_init(&h->freed, NULL);
        for (int n = 0; n < RING; n++) h->ring[n].h = h;
        h->digits = history_digits(in);
        rc = history_prepare(h, st);
        if (!rc && st->comm.rank == 0) rc = history_names_widen(info->directory, &h->digits);
    }
    rc = outcome_share(&st->comm, rc);
    if (rc && h) history_free(&h);
    *out = h;
    return rc;
}

int history_write(struct history *h, const struct state *st, double time)
{
    struct frame *f = NULL;
    int rc = SF_OK;
    if (st->comm.rank == 0) {
        rc = frame_take(h, &f);
        if (!rc) rc = writer_check(h->info.writer);
        if (rc && f) frame_release(f);
    }
    SF_TRY(outcome_share(&st->comm, rc));
    rc = frame_collect(&h->set, st, f ? f->data : NULL, h->own);
    if (!f) return rc;
    if (rc) {
        frame_release(f);
        return rc;
    }
    f->time = time;
    /* A writer that failed since the check says so again at the next call, to all ranks. */
    writer_submit(h->info.writer, frame_job, f, frame_release);
    return SF_OK;
}

int history_flush(struct history *h, const struct state *st)
{
    return outcome_share(&st->comm, st->comm.rank == 0 ? writer_submit(h->info.writer, flush_job, h, NULL) : SF_OK);
}

int history_close(struct history **at, const struct state *st)
{
    struct history *h = *at;
    if (!h) return SF_OK;
    int rc = SF_OK;
    if (st->comm.rank == 0) {
        writer_submit(h->info.writer, flush_job, h, NULL);
        rc = writer_drain(h->info.writer);
    }
    history_free(at);
    return outcome_share(&st->comm, rc);
}

struct history_load history_load(const struct history_rate *r, int goes_on, double computing, double wall)
{
    const int intervals = r->frames - !goes_on;
    static const double wait_share = 0.05, near_share = 0.5, judged = 5; /* s: shorter is what files take to begin */
    struct history_load l = {.written = r->busy > 0 ? r->bytes / r->busy : 0};
    if (intervals > 0 && computing > 0) l.asked = r->bytes * intervals / r->frames / computing;
    if (wall < judged) return l;
    if (r->frames && (r->waited > wait_share * wall || l.asked > l.written)) l.binds = HISTORY_BINDS;
    else if (l.asked > near_share * l.written) l.binds = HISTORY_NEAR;
    return l;
}

struct history_rate history_report(struct history *h)
{
    pthread_mutex_lock(&h->lock);
    const struct history_rate rate = h->rate;
    pthread_mutex_unlock(&h->lock);
    return rate;
}
