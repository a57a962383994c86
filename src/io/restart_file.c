/* Header and fields of a checkpoint file. SPDX-License-Identifier: MIT */
#include "io/restart_file.h"

#include "pipeline/error.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MAX_CELLS = 1 << 27, MAX_IDENTITY = 16 << 20, CACHE_BYTES = 2 * PIECE_BYTES, CACHE_SLOTS = 11 };

static const char format_name[] = "Sferic checkpoint";
static const char sampled_name[] = "sampled"; /* the table, and its dimension */

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static void piece_shape(const struct restart_field *f, size_t value_bytes, int *rows, int *levels)
{
    const size_t line = (size_t)f->ni * value_bytes, row = line * (size_t)f->nk;
    *rows = 1;
    *levels = f->nk;
    if (row <= PIECE_BYTES) *rows = (int)ncfile_part((size_t)f->nj, PIECE_BYTES / row);
    else *levels = (int)ncfile_part((size_t)f->nk, PIECE_BYTES / line);
}

int piece_next(const struct restart_field *f, size_t value_bytes, struct piece *p)
{
    int rows, levels;
    piece_shape(f, value_bytes, &rows, &levels);
    const int first = p->j1 == 0, row_done = first || p->k1 == f->nk;
    const int j0 = first ? 0 : row_done ? p->j1 : p->j0, k0 = row_done ? 0 : p->k1;
    if (j0 >= f->nj) return 0;
    *p = (struct piece){.j0 = j0, .j1 = SF_MIN(j0 + rows, f->nj), .k0 = k0, .k1 = SF_MIN(k0 + levels, f->nk)};
    return 1;
}

size_t piece_bytes(const struct restart_head *h, const struct restart_field *f, struct piece p)
{
    return (size_t)(p.j1 - p.j0) * (size_t)(p.k1 - p.k0) * (size_t)f->ni * (size_t)(h->precision / 8);
}

size_t piece_largest(const struct restart_head *h)
{
    size_t most = 0;
    for (int n = 0; n < h->nfields; n++) {
        struct piece p = {0};
        /* The first piece is the largest. */
        if (piece_next(&h->field[n], (size_t)(h->precision / 8), &p))
            most = SF_MAX(most, piece_bytes(h, &h->field[n], p));
    }
    return most;
}

size_t restart_head_writing(const struct restart_head *h, int at_hand)
{
    enum { FILTERED = 2 };
    size_t bytes = (size_t)(at_hand + FILTERED) * piece_largest(h);
    for (int n = 0; n < h->nfields; n++) {
        struct piece p = {0};
        size_t kept = 0, chunk = 0;
        while (piece_next(&h->field[n], (size_t)(h->precision / 8), &p) && kept + chunk <= CACHE_BYTES) {
            if (!chunk) chunk = piece_bytes(h, &h->field[n], p); /* the first is the largest */
            kept += chunk;
        }
        bytes += SF_MIN(kept, (size_t)CACHE_BYTES);
    }
    return bytes;
}

size_t restart_head_bytes(const struct restart_head *h)
{
    size_t bytes = 0;
    for (int n = 0; n < h->nfields; n++)
        bytes += (size_t)h->field[n].ni * (size_t)h->field[n].nk * (size_t)h->field[n].nj * (size_t)(h->precision / 8);
    return bytes;
}

void restart_head_free(struct restart_head *h)
{
    free(h->identity);
    free(h->sampled);
    memset(h, 0, sizeof *h);
}

static void hash_text(XXH3_state_t *s, const char *text) { XXH3_64bits_update(s, text, strlen(text) + 1); }

static void hash_number(XXH3_state_t *s, long long n)
{
    const int64_t fixed = n;
    XXH3_64bits_update(s, &fixed, sizeof fixed);
}

/* One number over all that a reader takes from the file, the digests of the fields included. */
static restart_digest head_digest(const struct restart_head *h)
{
    XXH3_state_t s;
    XXH3_64bits_reset(&s);
    hash_number(&s, RESTART_FORMAT);
    hash_text(&s, h->model);
    hash_text(&s, h->case_name);
    const long long numbers[] = {h->precision, h->nx, h->ny, h->nz, h->step, h->nextra, h->nfields};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) hash_number(&s, numbers[n]);
    const double reals[] = {h->dx, h->dy, h->time};
    XXH3_64bits_update(&s, reals, sizeof reals);
    XXH3_64bits_update(&s, h->extra, (size_t)h->nextra * sizeof *h->extra);
    if (h->nsampled) {
        hash_number(&s, h->nsampled);
        XXH3_64bits_update(&s, h->sampled, (size_t)h->nsampled * sizeof *h->sampled);
    }
    for (int n = 0; n < h->nfields; n++) {
        const struct restart_field *f = &h->field[n];
        hash_text(&s, f->name);
        const long long extents[] = {f->ni, f->nk, f->nj, f->is_map + 2 * f->is_box, (long long)f->digest};
        for (size_t m = 0; m < sizeof extents / sizeof *extents; m++) hash_number(&s, extents[m]);
    }
    hash_number(&s, (long long)h->data);
    hash_text(&s, h->identity);
    return XXH3_64bits_digest(&s);
}

static void digest_text(restart_digest d, char text[17]) { snprintf(text, 17, "%016llx", d); }

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Unlike ncfile_text an empty text makes an attribute: a reader asks for every one of them. */
static int put_text(struct ncfile *to, int var, const char *name, const char *text)
{
    NC_TRY(to->path, name, strlen(text), nc_put_att_text(to->id, var, name, strlen(text), text));
    return SF_OK;
}

/* The dimension of n cells, or of n cells and the face beyond them. */
static int dim_find(struct ncfile *to, char axis, int extent, int cells, int *dim)
{
    const char name[] = {axis, extent == cells ? '\0' : '_', 'f', 'a', 'c', 'e', '\0'};
    if (nc_inq_dimid(to->id, name, dim) == NC_NOERR) return SF_OK;
    return ncfile_dim(to, name, (size_t)extent, dim);
}

/* The dimensions of a box belong to its field. */
static int dim_own(struct ncfile *to, const struct restart_field *f, char axis, int extent, int *dim)
{
    char name[RESTART_NAME + 3];
    snprintf(name, sizeof name, "%s_%c", f->name, axis);
    return ncfile_dim(to, name, (size_t)extent, dim);
}

static int dim_make(struct ncfile *to, const struct restart_field *f, char axis, int extent, int cells, int *dim)
{
    return f->is_box ? dim_own(to, f, axis, extent, dim) : dim_find(to, axis, extent, cells, dim);
}

static int field_define(struct ncfile *to, const struct restart_head *h, struct restart_field *f,
                        const struct field *about)
{
    int d[3], rows, levels, n = 0;
    size_t chunk[3];
    piece_shape(f, (size_t)(h->precision / 8), &rows, &levels);
    chunk[n] = (size_t)rows;
    IO_TRY(dim_make(to, f, 'y', f->nj, h->ny, &d[n++]));
    if (!f->is_map) {
        chunk[n] = (size_t)levels;
        IO_TRY(dim_make(to, f, 'z', f->nk, h->nz, &d[n++]));
    }
    chunk[n] = (size_t)f->ni;
    IO_TRY(dim_make(to, f, 'x', f->ni, h->nx, &d[n++]));
    IO_TRY(ncfile_var(to, f->name, h->precision == 64 ? NC_DOUBLE : NC_FLOAT, n, d, &(struct ncstore){.chunk = chunk},
                      about->long_name, about->unit, NULL, &f->var));
    /* One chunk at a time goes by; two are enough. */
    NC_TRY(to->path, f->name, 0, nc_set_var_chunk_cache(to->id, f->var, CACHE_BYTES, CACHE_SLOTS, 1.0f));
    return SF_OK;
}

static int head_define(struct ncfile *to, struct restart_head *h, const struct instance *in)
{
    char list[SF_MAX_FIELDS * (RESTART_NAME + 1)] = "";
    for (int n = 0, at = 0; n < h->nfields; n++)
        at += snprintf(list + at, sizeof list - (size_t)at, "%s%s", n ? " " : "", h->field[n].name);
    IO_TRY(put_text(to, NC_GLOBAL, "format", format_name));
    const int ints[] = {RESTART_FORMAT, h->precision, h->nx, h->ny, h->nz};
    static const char *const names[] = {"format_version", "precision", "nx", "ny", "nz"};
    for (int n = 0; n < 5; n++)
        NC_TRY(to->path, names[n], sizeof(int), nc_put_att_int(to->id, NC_GLOBAL, names[n], NC_INT, 1, &ints[n]));
    IO_TRY(put_text(to, NC_GLOBAL, "model", h->model));
    IO_TRY(put_text(to, NC_GLOBAL, "case", h->case_name));
    NC_TRY(to->path, "step", sizeof h->step, nc_put_att_longlong(to->id, NC_GLOBAL, "step", NC_INT64, 1, &h->step));
    IO_TRY(ncfile_number(to, NC_GLOBAL, "time", h->time));
    IO_TRY(ncfile_number(to, NC_GLOBAL, "dx", h->dx));
    IO_TRY(ncfile_number(to, NC_GLOBAL, "dy", h->dy));
    if (h->nextra)
        NC_TRY(to->path, "extra", sizeof h->extra,
               nc_put_att_double(to->id, NC_GLOBAL, "extra", NC_DOUBLE, (size_t)h->nextra, h->extra));
    IO_TRY(put_text(to, NC_GLOBAL, "fields", list));
    IO_TRY(put_text(to, NC_GLOBAL, "identity", h->identity));
    for (int id = 0, n = 0; id < in->nfields; id++)
        if (field_is_saved(&in->field[id], in->grid)) IO_TRY(field_define(to, h, &h->field[n++], &in->field[id]));
    int dim, var = -1;
    if (h->nsampled) {
        IO_TRY(ncfile_dim(to, sampled_name, (size_t)h->nsampled, &dim));
        IO_TRY(ncfile_var(to, sampled_name, NC_DOUBLE, 1, &dim, NULL, "what samples came to", "", NULL, &var));
    }
    NC_TRY(to->path, "its header", 0, nc_enddef(to->id));
    if (h->nsampled)
        NC_TRY(to->path, sampled_name, (size_t)h->nsampled * sizeof *h->sampled,
               nc_put_var_double(to->id, var, h->sampled));
    return SF_OK;
}

int restart_file_create(struct ncfile *to, const char *path, struct restart_head *h, const struct instance *in)
{
    IO_TRY(ncfile_begin(to, path, restart_head_bytes(h)));
    return head_define(to, h, in);
}

static void piece_place(const struct restart_field *f, struct piece p, size_t start[3], size_t count[3])
{
    int n = 0;
    start[n] = (size_t)p.j0, count[n++] = (size_t)(p.j1 - p.j0);
    if (!f->is_map) start[n] = (size_t)p.k0, count[n++] = (size_t)(p.k1 - p.k0);
    start[n] = 0, count[n] = (size_t)f->ni;
}

int restart_file_put(struct ncfile *to, const struct restart_head *h, const struct restart_field *f, struct piece p,
                     const void *values)
{
    size_t start[3], count[3];
    piece_place(f, p, start, count);
    NC_TRY(to->path, f->name, piece_bytes(h, f, p), nc_put_vara(to->id, f->var, start, count, values));
    return SF_OK;
}

int restart_file_seal(struct ncfile *to, const struct restart_head *h)
{
    char text[17];
    for (int n = 0; n < h->nfields; n++) {
        digest_text(h->field[n].digest, text);
        IO_TRY(put_text(to, h->field[n].var, "xxh3", text));
    }
    digest_text(h->data, text);
    IO_TRY(put_text(to, NC_GLOBAL, "data_xxh3", text));
    digest_text(head_digest(h), text);
    IO_TRY(put_text(to, NC_GLOBAL, "xxh3", text));
    NC_TRY(to->path, "its last part", 0, nc_close(to->id));
    return SF_OK;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

#define NC_READ(call, what)                                                                                            \
    do {                                                                                                               \
        LIBRARY_DEMAND();                                                                                              \
        const int nc_rc_ = (call);                                                                                     \
        IO_CHECK(nc_rc_ == NC_NOERR, SF_RESTART, "checkpoint %s is damaged: %s: %s", path, what, nc_strerror(nc_rc_)); \
    } while (0)
#define HEAD_CHECK(cond, what) IO_CHECK(cond, SF_RESTART, "checkpoint %s is damaged: %s", path, what)

static int get_numbers(const char *path, int nc, const char *name, nc_type type, size_t most, void *value,
                       size_t *count)
{
    nc_type found;
    size_t n;
    NC_READ(nc_inq_att(nc, NC_GLOBAL, name, &found, &n), name);
    HEAD_CHECK(found == type && n <= most && n >= 1 && (count || n == most), name);
    NC_READ(nc_get_att(nc, NC_GLOBAL, name, value), name);
    if (count) *count = n;
    return SF_OK;
}

/* Text of up to `most` characters, NUL-terminated here; to be freed. */
static int get_text(const char *path, int nc, int var, const char *name, size_t most, char **text)
{
    nc_type found;
    size_t n;
    *text = NULL;
    NC_READ(nc_inq_att(nc, var, name, &found, &n), name);
    HEAD_CHECK(found == NC_CHAR && n <= most, name);
    char *t = calloc(n + 1, 1);
    IO_CHECK(t, SF_MEMORY, "no memory for %zu bytes of checkpoint header", n);
    const int rc = n ? nc_get_att_text(nc, var, name, t) : NC_NOERR;
    if (rc != NC_NOERR || strlen(t) != n) {
        free(t);
        return io_fail(SF_RESTART, __FILE__, __LINE__, "checkpoint %s is damaged: %s: %s", path, name,
                       rc ? nc_strerror(rc) : "NUL in text");
    }
    *text = t;
    return SF_OK;
}

static int get_word(const char *path, int nc, int var, const char *name, char *word, size_t size)
{
    char *text;
    IO_TRY(get_text(path, nc, var, name, size - 1, &text));
    memcpy(word, text, strlen(text) + 1);
    free(text);
    return SF_OK;
}

static int get_digest(const char *path, int nc, int var, restart_digest *d)
{
    char text[17], again[17];
    IO_TRY(get_word(path, nc, var, var == NC_GLOBAL ? "data_xxh3" : "xxh3", text, sizeof text));
    *d = strtoull(text, NULL, 16);
    digest_text(*d, again);
    HEAD_CHECK(!strcmp(text, again), "a digest is not a number");
    return SF_OK;
}

/* An axis of n cells has n points, or n + 1 with the face beyond. */
static int get_extent(const char *path, int nc, int dim, int cells, int *extent)
{
    size_t n;
    NC_READ(nc_inq_dimlen(nc, dim, &n), "a dimension");
    HEAD_CHECK(n == (size_t)cells || n == (size_t)cells + 1, "a field does not fit the grid");
    *extent = (int)n;
    return SF_OK;
}

/* A box is known by the name of its first dimension. */
static int get_is_box(const char *path, int nc, int dim, struct restart_field *f)
{
    char name[NC_MAX_NAME + 1], own[RESTART_NAME + 3];
    NC_READ(nc_inq_dimname(nc, dim, name), f->name);
    snprintf(own, sizeof own, "%s_y", f->name);
    f->is_box = !strcmp(name, own);
    return SF_OK;
}

static int get_box_extent(const char *path, int nc, int dim, long long most, int *extent)
{
    size_t n;
    NC_READ(nc_inq_dimlen(nc, dim, &n), "a dimension");
    HEAD_CHECK(n >= 1 && n <= (size_t)most, "a box does not fit the grid");
    *extent = (int)n;
    return SF_OK;
}

static int field_read(const char *path, const struct restart_head *h, int nc, struct restart_field *f)
{
    int dims, d[NC_MAX_VAR_DIMS], storage, checked, rows, levels;
    size_t chunk[NC_MAX_VAR_DIMS];
    nc_type type;
    NC_READ(nc_inq_varid(nc, f->name, &f->var), f->name);
    NC_READ(nc_inq_varndims(nc, f->var, &dims), f->name);
    HEAD_CHECK(dims == 2 || dims == 3, "a field has neither two nor three dimensions");
    NC_READ(nc_inq_vardimid(nc, f->var, d), f->name);
    NC_READ(nc_inq_vartype(nc, f->var, &type), f->name);
    HEAD_CHECK(type == (h->precision == 64 ? NC_DOUBLE : NC_FLOAT),
               "a field is not of the precision that the header says");
    f->is_map = dims == 2;
    f->nk = 1;
    IO_TRY(get_is_box(path, nc, d[0], f));
    if (f->is_box) {
        HEAD_CHECK(dims == 3, "a box has not three dimensions");
        IO_TRY(get_box_extent(path, nc, d[0], (long long)h->ny + 1, &f->nj));
        IO_TRY(get_box_extent(path, nc, d[1], MAX_CELLS, &f->nk));
        IO_TRY(get_box_extent(path, nc, d[2], (long long)h->nx + 1, &f->ni));
    } else {
        IO_TRY(get_extent(path, nc, d[0], h->ny, &f->nj));
        if (!f->is_map) IO_TRY(get_extent(path, nc, d[1], h->nz, &f->nk));
        IO_TRY(get_extent(path, nc, d[dims - 1], h->nx, &f->ni));
    }
    /* A foreign chunk shape could make the library ask for any amount of memory. */
    NC_READ(nc_inq_var_chunking(nc, f->var, &storage, chunk), f->name);
    NC_READ(nc_inq_var_fletcher32(nc, f->var, &checked), f->name);
    piece_shape(f, (size_t)(h->precision / 8), &rows, &levels);
    HEAD_CHECK(storage == NC_CHUNKED && checked == NC_FLETCHER32 && chunk[0] == (size_t)rows &&
                   (f->is_map || chunk[1] == (size_t)levels) && chunk[dims - 1] == (size_t)f->ni,
               "a field is not laid out as Sferic does it");
    NC_READ(nc_set_var_chunk_cache(nc, f->var, CACHE_BYTES, CACHE_SLOTS, 1.0f), f->name);
    return get_digest(path, nc, f->var, &f->digest);
}

static int field_list_read(const char *path, struct restart_head *h, int nc)
{
    char *list, *rest = NULL;
    IO_TRY(get_text(path, nc, NC_GLOBAL, "fields", SF_MAX_FIELDS * RESTART_NAME, &list));
    int rc = SF_OK;
    for (char *name = strtok_r(list, " ", &rest); name && !rc; name = strtok_r(NULL, " ", &rest)) {
        if (h->nfields == SF_MAX_FIELDS || strlen(name) >= RESTART_NAME) {
            rc = io_fail(SF_RESTART, __FILE__, __LINE__, "checkpoint %s is damaged: list of fields", path);
            break;
        }
        struct restart_field *f = &h->field[h->nfields++];
        snprintf(f->name, sizeof f->name, "%s", name);
        rc = field_read(path, h, nc, f);
    }
    free(list);
    IO_TRY(rc);
    int vars;
    NC_READ(nc_inq_nvars(nc, &vars), "list of fields");
    HEAD_CHECK(vars == h->nfields + (h->nsampled > 0) && h->nfields > 0,
               "the list of fields is not what the file holds");
    return SF_OK;
}

/* The file's own size bounds what is asked of memory. */
static int sampled_read(const char *path, struct restart_head *h, int nc)
{
    int var, dims, dim;
    size_t n;
    nc_type type;
    struct stat about;
    if (nc_inq_varid(nc, sampled_name, &var) != NC_NOERR) return SF_OK;
    NC_READ(nc_inq_var(nc, var, NULL, &type, &dims, NULL, NULL), sampled_name);
    HEAD_CHECK(type == NC_DOUBLE && dims == 1, sampled_name);
    NC_READ(nc_inq_vardimid(nc, var, &dim), sampled_name);
    NC_READ(nc_inq_dimlen(nc, dim, &n), sampled_name);
    HEAD_CHECK(n >= 1 && !stat(path, &about) && n <= (size_t)about.st_size / sizeof *h->sampled, sampled_name);
    h->sampled = malloc(n * sizeof *h->sampled);
    IO_CHECK(h->sampled, SF_MEMORY, "no memory for %zu numbers of a checkpoint", n);
    h->nsampled = (long long)n;
    NC_READ(nc_get_var_double(nc, var, h->sampled), sampled_name);
    return SF_OK;
}

static int head_read(const char *path, struct restart_head *h, int nc)
{
    char word[RESTART_NAME];
    int version;
    IO_TRY(get_word(path, nc, NC_GLOBAL, "format", word, sizeof word));
    IO_CHECK(!strcmp(word, format_name), SF_RESTART, "%s is not a checkpoint of Sferic", path);
    IO_TRY(get_numbers(path, nc, "format_version", NC_INT, 1, &version, NULL));
    IO_CHECK(version == RESTART_FORMAT, SF_RESTART,
             "checkpoint %s has format %d; this version of Sferic reads format %d", path, version, RESTART_FORMAT);
    IO_TRY(get_numbers(path, nc, "precision", NC_INT, 1, &h->precision, NULL));
    IO_TRY(get_numbers(path, nc, "nx", NC_INT, 1, &h->nx, NULL));
    IO_TRY(get_numbers(path, nc, "ny", NC_INT, 1, &h->ny, NULL));
    IO_TRY(get_numbers(path, nc, "nz", NC_INT, 1, &h->nz, NULL));
    HEAD_CHECK(h->precision == 32 || h->precision == 64, "precision");
    HEAD_CHECK(h->nx > 0 && h->nx < MAX_CELLS && h->ny > 0 && h->ny < MAX_CELLS && h->nz > 0 && h->nz < MAX_CELLS,
               "number of cells");
    IO_TRY(get_numbers(path, nc, "step", NC_INT64, 1, &h->step, NULL));
    IO_TRY(get_numbers(path, nc, "time", NC_DOUBLE, 1, &h->time, NULL));
    IO_TRY(get_numbers(path, nc, "dx", NC_DOUBLE, 1, &h->dx, NULL));
    IO_TRY(get_numbers(path, nc, "dy", NC_DOUBLE, 1, &h->dy, NULL));
    HEAD_CHECK(h->step >= 0 && h->step <= LONG_MAX, "step");
    size_t n = 0;
    if (nc_inq_attid(nc, NC_GLOBAL, "extra", NULL) == NC_NOERR)
        IO_TRY(get_numbers(path, nc, "extra", NC_DOUBLE, RESTART_MAX_EXTRA, h->extra, &n));
    h->nextra = (int)n;
    IO_TRY(get_word(path, nc, NC_GLOBAL, "model", h->model, sizeof h->model));
    IO_TRY(get_word(path, nc, NC_GLOBAL, "case", h->case_name, sizeof h->case_name));
    IO_TRY(get_text(path, nc, NC_GLOBAL, "identity", MAX_IDENTITY, &h->identity));
    IO_TRY(sampled_read(path, h, nc));
    IO_TRY(field_list_read(path, h, nc));
    struct stat about;
    HEAD_CHECK(!stat(path, &about) && restart_head_bytes(h) <= (unsigned long long)about.st_size,
               "the fields are larger than the file");
    IO_TRY(get_digest(path, nc, NC_GLOBAL, &h->data));
    char text[17], expected[17];
    IO_TRY(get_word(path, nc, NC_GLOBAL, "xxh3", text, sizeof text));
    digest_text(head_digest(h), expected);
    HEAD_CHECK(!strcmp(text, expected), "the header does not agree with its digest");
    return SF_OK;
}

int restart_file_open(const char *path, struct restart_head *h, int *nc)
{
    memset(h, 0, sizeof *h);
    NC_READ(nc_open(path, NC_NOWRITE, nc), "it does not open");
    const int rc = head_read(path, h, *nc);
    if (rc) {
        nc_close(*nc);
        restart_head_free(h);
    }
    return rc;
}

int restart_file_get(const char *path, const struct restart_field *f, int nc, struct piece p, void *values)
{
    size_t start[3], count[3];
    piece_place(f, p, start, count);
    NC_READ(nc_get_vara(nc, f->var, start, count, values), f->name);
    return SF_OK;
}

static int values_verify(const char *path, const struct restart_head *h, int nc, void *values)
{
    XXH3_state_t all, one;
    XXH3_64bits_reset(&all);
    for (int n = 0; n < h->nfields; n++) {
        const struct restart_field *f = &h->field[n];
        XXH3_64bits_reset(&one);
        for (struct piece p = {0}; piece_next(f, (size_t)(h->precision / 8), &p);) {
            IO_TRY(restart_file_get(path, f, nc, p, values));
            XXH3_64bits_update(&one, values, piece_bytes(h, f, p));
            XXH3_64bits_update(&all, values, piece_bytes(h, f, p));
        }
        IO_CHECK(XXH3_64bits_digest(&one) == f->digest, SF_RESTART,
                 "checkpoint %s is damaged: field %s does not agree with its digest", path, f->name);
    }
    HEAD_CHECK(XXH3_64bits_digest(&all) == h->data, "the fields do not agree with their common digest");
    return SF_OK;
}

int restart_file_verify(const char *path, const struct restart_head *h, int nc)
{
    void *values = malloc(piece_largest(h));
    IO_CHECK(values, SF_MEMORY, "no memory for %zu bytes of a checkpoint", piece_largest(h));
    const int rc = values_verify(path, h, nc, values);
    free(values);
    return rc;
}
