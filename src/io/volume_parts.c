/* The order of dimensions, and rows of a variable piece by piece. SPDX-License-Identifier: MIT */
#include "io/volume_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The library may hold a piece once more in the type of the file. */
enum { PIECE_BYTES = 4 << 20, CHUNK_BYTES = 64 << 20, CACHE_BYTES = 256 << 20, CACHE_SLOTS = 1009 };

/* ---- the order of dimensions ------------------------------------------------------------------------------------- */

/* Names of dimensions along z, y, x and time, as programs and models write them. */
static const char *const known[VOLUME_DIMS][24] = {
    {"z",         "nz",    "iz",         "zc",    "zdim",   "dim_z",          "k",   "nk",
     "kdim",      "lev",   "nlev",       "level", "levels", "height",         "alt", "altitude",
     "elevation", "depth", "bottom_top", "z_f",   "zf",     "bottom_top_stag"},
    {"y", "ny", "iy", "yc", "ydim", "dim_y", "j", "nj", "jdim", "lat", "nlat", "latitude", "rlat", "northing",
     "south_north", "y_f", "yf", "south_north_stag"},
    {"x", "nx", "ix", "xc", "xdim", "dim_x", "i", "ni", "idim", "lon", "nlon", "long", "longitude", "rlon", "easting",
     "west_east", "x_f", "xf", "west_east_stag"},
    {"time", "nt", "t", "times", "ntimes"},
};

/* The axis that a dimension's name tells; else that of its coordinate's attribute `axis`. */
static int axis_of(int nc, const char *name)
{
    char text[2];
    size_t length;
    int var;
    for (int a = 0; a < VOLUME_DIMS; a++)
        for (int n = 0; known[a][n]; n++)
            if (!strcasecmp(name, known[a][n])) return a;
    if (nc_inq_varid(nc, name, &var) || nc_inq_attlen(nc, var, "axis", &length) || length < 1 || length > 2 ||
        nc_get_att_text(nc, var, "axis", text))
        return AXIS_UNKNOWN;
    const char *const at = strchr("ZYXT", text[0]);
    return text[0] && at ? (int)(at - "ZYXT") : AXIS_UNKNOWN;
}

static void name_add(char *text, size_t size, const char *before, const char *name)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%.64s", before, name);
}

int volume_order(struct volume *v, int with_time, struct volume_order *o)
{
    char name[VOLUME_DIMS][NC_MAX_NAME + 1], want[80] = "", order[3 * 66] = "";
    size_t size[VOLUME_DIMS];
    int of[VOLUME_DIMS] = {-1, -1, -1, -1}, told = 0, right = 1, place = 0; /* of: the dimension along each axis */
    *o = (struct volume_order){"", "", 0};
    name_add(o->given, sizeof o->given, "", v->name);
    for (int d = 0; d < v->dims; d++) {
        NC_READ(v->path, nc_inq_dim(v->nc, v->dim[d], name[d], &size[d]), "a dimension");
        name_add(o->given, sizeof o->given, d ? ", " : "(", name[d]);
        v->axis[d] = axis_of(v->nc, name[d]);
        if (v->axis[d] >= 0) of[v->axis[d]] = d, told++;
    }
    name_add(o->given, sizeof o->given, ")", "");
    const int has_time = with_time && (of[AXIS_TIME] >= 0 || v->dims == VOLUME_DIMS), spatial = v->dims - has_time;
    if (has_time && v->axis[0] == AXIS_UNKNOWN) v->axis[0] = AXIS_TIME;
    /* What is not told follows from the place, if all three are there, or one alone. */
    for (int d = 0; d < v->dims; d++) {
        if (has_time && !d) continue;
        const int should = spatial == FILED_AXES ? place : spatial == 1 ? FILED_Z : AXIS_UNKNOWN;
        if (v->axis[d] == AXIS_UNKNOWN) v->axis[d] = should;
        right = right && v->axis[d] >= 0 && v->axis[d] < FILED_AXES && (spatial != FILED_AXES || v->axis[d] == place);
        for (int e = has_time; e < d; e++) right = right && v->axis[e] < v->axis[d];
        place++;
    }
    right = right && (!has_time || v->axis[0] == AXIS_TIME);
    for (int d = has_time; d < v->dims && spatial == FILED_AXES && right; d++) {
        const int other = d + 1 < v->dims ? d + 1 : has_time;
        const int known_here = of[v->axis[d]] >= 0 || of[v->axis[other]] >= 0;
        o->is_guess |= !known_here && size[d] == size[other] && size[d] != 1;
    }
    if (right) return SF_OK;
    for (int d = has_time; d < v->dims; d++)
        if (v->axis[d] == AXIS_UNKNOWN) {
            snprintf(
                o->wrong, sizeof o->wrong,
                "is %s, and nothing tells whether %.64s is along z, y or x: name it so, or give its coordinate an attribute `axis`",
                o->given, name[d]);
            return SF_OK;
        }
    static const char *const letter[] = {"z", "y", "x"};
    for (int a = 0; a < FILED_AXES; a++)
        if (of[a] >= 0 || spatial == FILED_AXES) name_add(want, sizeof want, want[0] ? ", " : "", letter[a]);
    for (int a = -1; a < FILED_AXES && told == v->dims; a++) {
        const int d = of[a < 0 ? AXIS_TIME : a];
        if (d >= 0) name_add(order, sizeof order, order[0] ? "," : "turn it: ncpdq -a ", name[d]);
    }
    if (order[0]) name_add(order, sizeof order, " OLD.nc NEW.nc", "");
    snprintf(o->wrong, sizeof o->wrong, "is %s; %s(%s%s) is wanted%s%s", o->given, v->name, has_time ? "time, " : "",
             want[0] ? want : "z", spatial == FILED_AXES ? ", x varying fastest: " : ": ",
             order[0] ? order : "turn it");
    return SF_OK;
}

/* ---- chunks and pieces ------------------------------------------------------------------------------------------- */

/* How many variables of a file have a dimension along z, y and x: each of them may be read while it is open. */
static double volumes_of(int nc)
{
    int variables = 0, n = 0;
    nc_inq_nvars(nc, &variables);
    for (int v = 0, dims; v < variables; v++) n += !nc_inq_varndims(nc, v, &dims) && dims >= FILED_AXES;
    return SF_MAX(n, 1);
}

int volume_chunks(struct volume *v)
{
    int storage;
    size_t chunk[NC_MAX_VAR_DIMS], bytes;
    nc_type type;
    v->levels = 1;
    NC_READ(v->path, nc_inq_var_chunking(v->nc, v->var, &storage, chunk), v->name);
    if (storage != NC_CHUNKED) return SF_OK;
    NC_READ(v->path, nc_inq_vartype(v->nc, v->var, &type), v->name);
    NC_READ(v->path, nc_inq_type(v->nc, type, NULL, &bytes), v->name);
    double whole = (double)bytes, row = 1; /* of a chunk; chunks that a row lies in */
    for (int d = 0; d < v->dims; d++) {
        whole *= (double)chunk[d];
        const int axis = v->axis[d];
        if (axis == FILED_Z || axis == FILED_X) row *= ceil((double)v->n[axis] / (double)chunk[d]);
        if (v->axis[d] == FILED_Z) v->levels = (int)SF_MIN(chunk[d], (size_t)v->n[FILED_Z]);
    }
    SF_CHECK(whole <= CHUNK_BYTES, SF_INPUT,
             "'%s': %s is stored in chunks of %.0f MiB, more than %d; write it anew with `nccopy -c z/64,y/64,x/64`",
             v->path, v->name, whole / 1048576, CHUNK_BYTES >> 20);
    /* Rows come one behind the other: the chunks that a row lies in stay until the next ones are unpacked. */
    const double share = (double)CACHE_BYTES / volumes_of(v->nc);
    const size_t cache = (size_t)SF_MIN(2 * row * whole, SF_MAX(share, whole));
    size_t is;
    NC_READ(v->path, nc_get_var_chunk_cache(v->nc, v->var, &is, NULL, NULL), v->name);
    if (is != cache) NC_READ(v->path, nc_set_var_chunk_cache(v->nc, v->var, cache, CACHE_SLOTS, 1.0f), v->name);
    return SF_OK;
}

/* Rows and levels of a piece: whole chunks along z where they fit, since a chunk is unpacked anew for each piece. */
static void piece_shape(const struct volume *v, int rows, int *piece_rows, int *piece_levels)
{
    const int lines = SF_MAX((int)(PIECE_BYTES / v->bytes) / v->n[FILED_X], 1);
    const int levels = SF_MIN(v->levels, lines);
    *piece_rows = SF_MAX(SF_MIN(rows, lines / levels), 1);
    const int most = SF_MAX(lines / *piece_rows, 1);
    *piece_levels = SF_MIN(v->n[FILED_Z], most / levels * levels);
}

static int piece_read(const struct volume *v, void *piece, int j0, int j1, int k0, int k1, void *values)
{
    const size_t from[VOLUME_DIMS] = {(size_t)k0, (size_t)j0, 0, v->time};
    const size_t many[VOLUME_DIMS] = {(size_t)(k1 - k0), (size_t)(j1 - j0), (size_t)v->n[FILED_X], 1};
    size_t start[VOLUME_DIMS], count[VOLUME_DIMS];
    for (int d = 0; d < v->dims; d++) start[d] = from[v->axis[d]], count[d] = many[v->axis[d]];
    const int rc = v->bytes == sizeof(short) ? nc_get_vara_short(v->nc, v->var, start, count, piece)
                                             : nc_get_vara_double(v->nc, v->var, start, count, piece);
    SF_CHECK(rc != NC_ERANGE, SF_INPUT, "'%s': %s holds numbers that are %s", v->path, v->name, v->beyond);
    NC_READ(v->path, rc, v->name);
    return v->take(v, piece, j0, j1, k0, k1, values);
}

int volume_rows(const struct volume *v, int j0, int j1, void *values)
{
    int rows, levels, rc = SF_OK;
    if (j0 >= j1) return SF_OK;
    piece_shape(v, j1 - j0, &rows, &levels);
    const size_t n = (size_t)rows * (size_t)levels * (size_t)v->n[FILED_X];
    const size_t row = (size_t)v->n[FILED_Z] * (size_t)v->n[FILED_X] * v->taken;
    void *const piece = malloc(n * v->bytes);
    SF_CHECK(piece, SF_MEMORY, "no memory for %zu numbers of '%s'", n, v->path);
    for (int j = j0; j < j1 && !rc; j += rows)
        for (int k = 0; k < v->n[FILED_Z] && !rc; k += levels)
            rc = piece_read(v, piece, j, SF_MIN(j + rows, j1), k, SF_MIN(k + levels, v->n[FILED_Z]),
                            (char *)values + row * (size_t)(j - j0));
    free(piece);
    return rc;
}
