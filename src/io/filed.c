/* What fields a file holds, and their rows. SPDX-License-Identifier: MIT */
#include "io/filed.h"

#include "io/writer.h"

#include "io/volume_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A text attribute, "" where there is none or it is of another type or longer than fits. */
static void text_get(int nc, int var, const char *name, char *text, size_t size)
{
    nc_type type;
    size_t n;
    text[0] = '\0';
    if (nc_inq_att(nc, var, name, &type, &n) || n >= size) return;
    if (type == NC_CHAR) {
        if (!nc_get_att_text(nc, var, name, text)) text[n] = '\0';
    } else if (type == NC_STRING && n == 1) {
        char *string = NULL;
        if (nc_get_att_string(nc, var, name, &string)) return;
        snprintf(text, size, "%s", string ? string : "");
        nc_free_string(1, &string);
    }
    for (size_t m = strlen(text); m && text[m - 1] == ' '; m--) text[m - 1] = '\0';
}

/* 1: there is such a number. */
static int number_get(int nc, int var, const char *name, double *value)
{
    nc_type type;
    size_t n;
    return !nc_inq_att(nc, var, name, &type, &n) && n == 1 && type != NC_CHAR && type != NC_STRING &&
           !nc_get_att_double(nc, var, name, value);
}

static int is_number(nc_type type) { return type > NC_NAT && type < NC_STRING && type != NC_CHAR; }

/* ---- the list ---------------------------------------------------------------------------------------------------- */

struct listing {
    struct filed_list *list;
    int nc;
    double wanted; /* time */
    size_t places; /* so many of the list's are taken */
};

/* Is it a coordinate, or does another one name it as its bounds? */
static int is_coordinate(int nc, int var, const char *name)
{
    int dim, variables = 0;
    char text[FILED_NAME];
    if (!nc_inq_dimid(nc, name, &dim)) return 1;
    if (nc_inq_nvars(nc, &variables)) return 0;
    for (int n = 0; n < variables; n++) {
        text_get(nc, n, "bounds", text, sizeof text);
        if (n != var && !strcmp(text, name)) return 1;
    }
    return 0;
}

/* Where the values of a dimension lie, in m. *at stays NULL where the file does not say. */
static int places_read(struct listing *l, struct filed *f, int dim, enum filed_axis a)
{
    static const struct {
        const char *name;
        double metres;
    } unit[] = {{"", 1},
                {"m", 1},
                {"metre", 1},
                {"metres", 1},
                {"meter", 1},
                {"meters", 1},
                {"km", 1000},
                {"kilometre", 1000},
                {"kilometres", 1000},
                {"kilometer", 1000},
                {"kilometers", 1000}};
    char name[NC_MAX_NAME + 1], text[FILED_UNIT];
    int var, dims, of;
    nc_type type;
    const size_t n = (size_t)f->n[a];
    NC_READ(l->list->path, nc_inq_dimname(l->nc, dim, name), "a dimension");
    if (nc_inq_varid(l->nc, name, &var) || nc_inq_var(l->nc, var, NULL, &type, &dims, NULL, NULL) || dims != 1 ||
        nc_inq_vardimid(l->nc, var, &of) || of != dim || !is_number(type))
        return SF_OK;
    double *const to = l->list->places + l->places, scale = 0;
    text_get(l->nc, var, "units", text, sizeof text);
    for (size_t u = 0; u < sizeof unit / sizeof unit[0]; u++)
        if (!strcmp(text, unit[u].name)) scale = unit[u].metres;
    if (!(scale > 0)) {
        snprintf(f->refusal, sizeof f->refusal, "its coordinate %.64s is in '%.32s', and lengths in m or km are wanted",
                 name, text);
        return SF_OK;
    }
    text_get(l->nc, var, "positive", text, sizeof text);
    if (a == FILED_Z && !strcmp(text, "down")) {
        snprintf(f->refusal, sizeof f->refusal, "its coordinate %.64s is positive downward, and heights are wanted",
                 name);
        return SF_OK;
    }
    if (a == FILED_Z) text_get(l->nc, var, FILED_HEIGHTS, f->heights, sizeof f->heights);
    NC_READ(l->list->path, nc_get_var_double(l->nc, var, to), name);
    for (size_t m = 0; m < n; m++) {
        to[m] = scale > 1 ? to[m] * scale : to[m];
        if (isfinite(to[m])) continue;
        snprintf(f->refusal, sizeof f->refusal, "value %zu (from 0) of its coordinate %.64s is no number", m, name);
        return SF_OK;
    }
    f->at[a] = to;
    l->places += n;
    return SF_OK;
}

/* Which of its times a variable has to be read at. */
static int time_find(struct listing *l, struct filed *f, int dim, size_t n)
{
    struct filed_list *const list = l->list;
    char name[NC_MAX_NAME + 1];
    int var = -1;
    NC_READ(list->path, nc_inq_dimname(l->nc, dim, name), "a dimension");
    SF_CHECK(n > 0, SF_INPUT, "'%s': %s has no time in it: %s has the length 0", list->path, f->name, name);
    size_t at = n - 1;
    const int is_told = !nc_inq_varid(l->nc, name, &var);
    double first = 0, time = (double)at;
    if (is_told) NC_READ(list->path, nc_get_var1_double(l->nc, var, &(size_t){0}, &first), name);
    if (is_told) NC_READ(list->path, nc_get_var1_double(l->nc, var, &at, &time), name);
    if (l->wanted >= 0) {
        const double last = time, slack = 1e-6 * SF_MAX(l->wanted, 1);
        SF_CHECK(is_told, SF_INPUT, "'%s': its dimension %s has no coordinate that tells times: leave file_time out",
                 list->path, name);
        for (at = 0; at < n; at++) {
            NC_READ(list->path, nc_get_var1_double(l->nc, var, &at, &time), name);
            if (fabs(time - l->wanted) <= slack) break;
        }
        SF_CHECK(at < n, SF_INPUT, "'%s' has no time %.10g: it has %zu, from %.10g to %.10g", list->path, l->wanted, n,
                 first, last);
    }
    f->time = (int)at, list->has_time = 1, list->time = time;
    if (list->times) list->has_other_times |= dim != list->times_dim;
    if (!is_told || list->times) return SF_OK;
    list->times_dim = dim;
    list->times = malloc(n * sizeof *list->times);
    SF_CHECK(list->times, SF_MEMORY, "no memory for %zu times of '%s'", n, list->path);
    NC_READ(list->path, nc_get_var_double(l->nc, var, list->times), name);
    list->ntimes = (int)n;
    text_get(l->nc, var, "units", list->time_unit, sizeof list->time_unit);
    return SF_OK;
}

/* *is_field 0: it is none. */
static int field_look(struct listing *l, int var, struct filed *f, int *is_field)
{
    const char *const path = l->list->path;
    char name[NC_MAX_NAME + 1];
    int dims, along = 0;
    size_t n[VOLUME_DIMS];
    nc_type type;
    struct volume_order o;
    *is_field = 0;
    NC_READ(path, nc_inq_var(l->nc, var, name, &type, &dims, NULL, NULL), "a variable");
    if (is_coordinate(l->nc, var, name) || !is_number(type) || !dims) return SF_OK;
    *f = (struct filed){.variable = var, .time = -1};
    snprintf(f->name, sizeof f->name, "%.*s", FILED_NAME - 1, name);
    text_get(l->nc, var, "standard_name", f->standard_name, sizeof f->standard_name);
    text_get(l->nc, var, "units", f->unit, sizeof f->unit);
    if (dims > VOLUME_DIMS) {
        snprintf(f->refusal, sizeof f->refusal, "it has %d dimensions; (time, z, y, x) is the most", dims);
        *is_field = 1;
        return SF_OK;
    }
    struct volume v = {.path = path, .name = f->name, .nc = l->nc, .var = var, .dims = dims};
    NC_READ(path, nc_inq_vardimid(l->nc, var, v.dim), name);
    SF_TRY(volume_order(&v, 1, &o));
    for (int d = 0; d < dims; d++) NC_READ(path, nc_inq_dimlen(l->nc, v.dim[d], &n[d]), "a dimension");
    for (int d = 0; d < dims; d++) along += v.axis[d] != AXIS_TIME;
    if (!along) return SF_OK;
    *is_field = 1;
    f->is_guess = o.is_guess;
    if (o.wrong[0]) {
        snprintf(f->refusal, sizeof f->refusal, "it %.250s", o.wrong);
        return SF_OK;
    }
    for (int d = 0; d < dims; d++) {
        if (v.axis[d] == AXIS_TIME) {
            SF_TRY(time_find(l, f, v.dim[d], n[d]));
            continue;
        }
        SF_CHECK(n[d] > 0 && n[d] <= 1 << 30, SF_INPUT, "'%s': %s has %zu values along %c", path, name, n[d],
                 "zyx"[v.axis[d]]);
        f->n[v.axis[d]] = (int)n[d];
        if (!f->refusal[0]) SF_TRY(places_read(l, f, v.dim[d], (enum filed_axis)v.axis[d]));
    }
    return SF_OK;
}

/* Values of all dimensions together, each for every variable: what places can take. */
static int places_count(int nc, const char *path, int variables, size_t *most)
{
    size_t n;
    int dims = 0, longest[NC_MAX_VAR_DIMS];
    *most = 0;
    for (int v = 0; v < variables; v++) {
        NC_READ(path, nc_inq_varndims(nc, v, &dims), "a variable");
        if (dims > VOLUME_DIMS) continue;
        NC_READ(path, nc_inq_vardimid(nc, v, longest), "a variable");
        for (int d = 0; d < dims; d++) {
            NC_READ(path, nc_inq_dimlen(nc, longest[d], &n), "a dimension");
            *most += n;
        }
    }
    return SF_OK;
}

static int all_list(struct listing *l)
{
    struct filed_list *const list = l->list;
    int variables = 0, is_field;
    size_t most = 0;
    NC_READ(list->path, nc_inq_nvars(l->nc, &variables), "its variables");
    SF_TRY(places_count(l->nc, list->path, variables, &most));
    list->field = calloc((size_t)variables + 1, sizeof *list->field);
    list->places = calloc(most + 1, sizeof *list->places);
    SF_CHECK(list->field && list->places, SF_MEMORY, "no memory for the list of what '%s' holds", list->path);
    for (int v = 0; v < variables; v++) {
        SF_TRY(field_look(l, v, &list->field[list->n], &is_field));
        list->n += is_field;
    }
    number_get(l->nc, NC_GLOBAL, "grid_translation_u", &list->translation[0]);
    number_get(l->nc, NC_GLOBAL, "grid_translation_v", &list->translation[1]);
    return SF_OK;
}

static int file_open(const char *path, int *nc)
{
    ncfile_quiet();
    const int rc = nc_open(path, NC_NOWRITE, nc);
    SF_CHECK(rc == NC_NOERR, SF_INPUT, "cannot read '%s': %s", path, nc_strerror(rc));
    return SF_OK;
}

int filed_list(const char *path, double time, struct filed_list *list)
{
    LIBRARY_HELD;
    struct listing l = {.list = list, .wanted = time};
    memset(list, 0, sizeof *list);
    SF_CHECK(strlen(path) < sizeof list->path, SF_INPUT, "the path '%s' is too long", path);
    snprintf(list->path, sizeof list->path, "%s", path);
    SF_TRY(file_open(path, &l.nc));
    const int rc = all_list(&l);
    nc_close(l.nc);
    if (rc) filed_free(list);
    return rc;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

struct packing {
    double scale, offset, missing[2]; /* NaN: not told */
    int is_packed, nmissing;
};

/* What stands for no value: what attributes say, else what the library fills with. */
static void packing_find(int nc, int var, struct packing *p)
{
    nc_type type = NC_NAT;
    *p = (struct packing){.scale = 1, .missing = {NAN, NAN}};
    p->is_packed = number_get(nc, var, "scale_factor", &p->scale);
    p->is_packed |= number_get(nc, var, "add_offset", &p->offset);
    p->nmissing = number_get(nc, var, "_FillValue", &p->missing[0]);
    nc_inq_vartype(nc, var, &type);
    const double filler = type == NC_SHORT ? NC_FILL_SHORT : type == NC_INT ? NC_FILL_INT : (double)NC_FILL_FLOAT;
    if (!p->nmissing && type != NC_BYTE && type != NC_UBYTE) p->missing[p->nmissing++] = filler;
    p->nmissing += number_get(nc, var, "missing_value", &p->missing[p->nmissing]);
}

static int is_missing(const struct packing *p, double x)
{
    return !isfinite(x) | (x >= p->missing[0] && x <= p->missing[0]) | (x >= p->missing[1] && x <= p->missing[1]);
}

static int field_take(const struct volume *v, const void *piece, int j0, int j1, int k0, int k1, void *values)
{
    const int ni = v->n[FILED_X], nk = v->n[FILED_Z];
    const struct packing p = *(const struct packing *)v->own;
    for (int k = k0; k < k1; k++)
        for (int j = j0; j < j1; j++) {
            const double *const from = (const double *)piece + ((ptrdiff_t)(k - k0) * (j1 - j0) + (j - j0)) * ni;
            double *const to = (double *)values + ((ptrdiff_t)(j - j0) * nk + k) * ni;
            int missing = 0;
            for (int i = 0; i < ni; i++) {
                missing |= is_missing(&p, from[i]);
                to[i] = p.is_packed ? from[i] * p.scale + p.offset : from[i];
            }
            for (int i = 0; i < ni && missing; i++)
                SF_CHECK(!is_missing(&p, from[i]), SF_INPUT,
                         "'%s': %s has no value at z %d, y %d, x %d (from 0): %g; all of them are needed", v->path,
                         v->name, k, j, i, from[i]);
        }
    return SF_OK;
}

static int field_read(struct volume *v, int j0, int j1, double *values)
{
    struct packing p;
    struct volume_order o;
    NC_READ(v->path, nc_inq_varndims(v->nc, v->var, &v->dims), v->name);
    SF_CHECK(v->dims <= VOLUME_DIMS, SF_INPUT, "'%s': %s is not what it was", v->path, v->name);
    NC_READ(v->path, nc_inq_vardimid(v->nc, v->var, v->dim), v->name);
    SF_TRY(volume_order(v, 1, &o));
    SF_CHECK(!o.wrong[0], SF_INPUT, "'%s': %s %s", v->path, v->name, o.wrong);
    packing_find(v->nc, v->var, &p);
    v->own = &p;
    SF_TRY(volume_chunks(v));
    return volume_rows(v, j0, j1, values);
}

/* The file that was read last stays open: a chunk of it holds many rows, and the library keeps those that were unpacked
 * as long as the file is open. Whoever reads holds the library's lock. */
static struct {
    char path[FILED_PATH]; /* "": none is open */
    struct stat as_it_was;
    int nc;
} kept;

static void kept_close(void)
{
    if (kept.path[0]) nc_close(kept.nc);
    kept.path[0] = '\0';
}

/* A file that another took the place of is opened anew. */
static int kept_open(const char *path, int *nc)
{
    struct stat now = {0};
    const int is_there = !stat(path, &now),
              is_same = is_there && now.st_dev == kept.as_it_was.st_dev && now.st_ino == kept.as_it_was.st_ino &&
                        now.st_size == kept.as_it_was.st_size && now.st_mtim.tv_sec == kept.as_it_was.st_mtim.tv_sec &&
                        now.st_mtim.tv_nsec == kept.as_it_was.st_mtim.tv_nsec;
    if (!is_same || strcmp(path, kept.path) != 0) {
        kept_close();
        SF_TRY(file_open(path, &kept.nc));
        snprintf(kept.path, sizeof kept.path, "%s", path);
        kept.as_it_was = now;
    }
    *nc = kept.nc;
    return SF_OK;
}

int filed_read(const struct filed_list *list, int field, int j0, int j1, double *values)
{
    LIBRARY_HELD;
    if (j0 == j1) return kept_close(), SF_OK;
    const struct filed *const f = &list->field[field];
    struct volume v = {.path = list->path,
                       .name = f->name,
                       .var = f->variable,
                       .n = {filed_count(f, FILED_Z), filed_count(f, FILED_Y), filed_count(f, FILED_X)},
                       .time = f->time < 0 ? 0 : (size_t)f->time,
                       .bytes = sizeof(double),
                       .beyond = "no doubles",
                       .take = field_take,
                       .taken = sizeof *values};
    SF_TRY(kept_open(list->path, &v.nc));
    const int rc = field_read(&v, j0, j1, values);
    if (rc) kept_close();
    return rc;
}
