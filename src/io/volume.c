/* Media of cells from a file, piece by piece. SPDX-License-Identifier: MIT */
#include "io/volume.h"

#include "io/nc.h"
#include "pipeline/error.h"
#include "pipeline/sferic.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A piece is read as `short`: 4 MiB; the library may hold it once more in the type of the file: 16 MiB. */
enum { PIECE_VALUES = 2 << 20, CHUNK_BYTES = 64 << 20, CACHE_SLOTS = 1009 };

static const char wanted[] = "medium";

struct volume {
    const char *path;
    int nc, var;
    int ni, nk, nj, count;
    int levels; /* of a chunk; 1: not chunked */
};

#define NC_READ(call, what)                                                                                            \
    do {                                                                                                               \
        const int nc_rc_ = (call);                                                                                     \
        SF_CHECK(nc_rc_ == NC_NOERR, SF_INPUT, "cannot read '%s': %s: %s", v->path, what, nc_strerror(nc_rc_));        \
    } while (0)

/* ---- the order of dimensions ------------------------------------------------------------------------------------- */

/* Names of dimensions along z, y and x, as programs and models write them. */
static const char *const known[3][20] = {
    {"z", "nz", "iz", "zc", "zdim", "dim_z", "k", "nk", "kdim", "lev", "nlev", "level", "levels", "height", "alt",
     "altitude", "elevation", "depth", "bottom_top"},
    {"y", "ny", "iy", "yc", "ydim", "dim_y", "j", "nj", "jdim", "lat", "nlat", "latitude", "rlat", "northing",
     "south_north"},
    {"x", "nx", "ix", "xc", "xdim", "dim_x", "i", "ni", "idim", "lon", "nlon", "long", "longitude", "rlon", "easting",
     "west_east"},
};

/* The axis that a dimension's name tells: 0 z, 1 y, 2 x; else that of its coordinate's attribute `axis`; -1: neither
 * tells. */
static int axis_of(const struct volume *v, const char *name)
{
    char text[2];
    size_t length;
    int var;
    for (int a = 0; a < 3; a++)
        for (int n = 0; known[a][n]; n++)
            if (!strcasecmp(name, known[a][n])) return a;
    if (nc_inq_varid(v->nc, name, &var) || nc_inq_attlen(v->nc, var, "axis", &length) || length < 1 || length > 2 ||
        nc_get_att_text(v->nc, var, "axis", text))
        return -1;
    return text[0] == 'Z' ? 0 : text[0] == 'Y' ? 1 : text[0] == 'X' ? 2 : -1;
}

/* Sizes cannot tell where they agree: no dimension that tells its axis may stand where another is wanted. `aloud`: warn
 * where neither names nor sizes tell two of them apart. */
static int order_check(const struct volume *v, const int dim[3], int aloud)
{
    const int n[3] = {v->nk, v->nj, v->ni};
    char name[3][NC_MAX_NAME + 1], advice[256] = "turn it";
    int right = 1, of[3] = {-1, -1, -1}; /* the dimension along each axis */
    for (int d = 0; d < 3; d++) {
        NC_READ(nc_inq_dimname(v->nc, dim[d], name[d]), "a dimension");
        const int a = axis_of(v, name[d]);
        right = right && (a < 0 || a == d);
        if (a >= 0) of[a] = d;
    }
    if (of[0] >= 0 && of[1] >= 0 && of[2] >= 0)
        snprintf(advice, sizeof advice, "turn it: ncpdq -a %.64s,%.64s,%.64s OLD.nc NEW.nc", name[of[0]], name[of[1]],
                 name[of[2]]);
    SF_CHECK(right, SF_INPUT, "'%s': %s is %s(%.64s, %.64s, %.64s); %s(z, y, x) is wanted, x varying fastest: %s",
             v->path, wanted, wanted, name[0], name[1], name[2], wanted, advice);
    for (int d = 0; d < 3 && aloud; d++) {
        const int other = (d + 1) % 3;
        if (of[d] >= 0 || of[other] >= 0 || n[d] != n[other] || n[d] == 1) continue;
        sf_warn("'%s': %s(%.64s, %.64s, %.64s) is taken for %s(z, y, x): neither names nor sizes tell", v->path, wanted,
                name[0], name[1], name[2], wanted);
        break;
    }
    return SF_OK;
}

/* Are they the dimensions (z, y, x) of the grid? */
static int extents_check(const struct volume *v, int aloud)
{
    int dims, dim[NC_MAX_VAR_DIMS];
    size_t n[3];
    NC_READ(nc_inq_varndims(v->nc, v->var, &dims), wanted);
    SF_CHECK(dims == 3, SF_INPUT, "'%s': %s has %d dimensions; it must be %s(z, y, x)", v->path, wanted, dims, wanted);
    NC_READ(nc_inq_vardimid(v->nc, v->var, dim), wanted);
    SF_TRY(order_check(v, dim, aloud));
    for (int d = 0; d < 3; d++) NC_READ(nc_inq_dimlen(v->nc, dim[d], &n[d]), "a dimension");
    SF_CHECK(
        n[0] == (size_t)v->nk && n[1] == (size_t)v->nj && n[2] == (size_t)v->ni, SF_INPUT,
        "'%s': %s is %zu x %zu x %zu (z, y, x), but the grid has %d x %d x %d cells: make them the same (&grid nz, ny, nx)",
        v->path, wanted, n[0], n[1], n[2], v->nk, v->nj, v->ni);
    return SF_OK;
}

static int type_check(const struct volume *v)
{
    nc_type type;
    NC_READ(nc_inq_vartype(v->nc, v->var, &type), wanted);
    const int whole = type == NC_BYTE || type == NC_UBYTE || type == NC_SHORT || type == NC_USHORT || type == NC_INT ||
                      type == NC_UINT || type == NC_INT64 || type == NC_UINT64;
    SF_CHECK(whole, SF_INPUT, "'%s': %s is not of an integer type; write it as bytes, for instance", v->path, wanted);
    return SF_OK;
}

/* A foreign chunk shape could make the library ask for any amount of memory. */
static int chunks_check(struct volume *v)
{
    int storage;
    size_t chunk[NC_MAX_VAR_DIMS];
    nc_type type;
    size_t bytes;
    v->levels = 1;
    NC_READ(nc_inq_var_chunking(v->nc, v->var, &storage, chunk), wanted);
    if (storage != NC_CHUNKED) return SF_OK;
    NC_READ(nc_inq_vartype(v->nc, v->var, &type), wanted);
    NC_READ(nc_inq_type(v->nc, type, NULL, &bytes), wanted);
    const double whole = (double)bytes * (double)chunk[0] * (double)chunk[1] * (double)chunk[2];
    SF_CHECK(whole <= CHUNK_BYTES, SF_INPUT,
             "'%s': %s is stored in chunks of %.0f MiB, more than %d; write it anew with `nccopy -c z/64,y/64,x/64`",
             v->path, wanted, whole / 1048576, CHUNK_BYTES >> 20);
    v->levels = (int)SF_MIN(chunk[0], (size_t)v->nk);
    NC_READ(nc_set_var_chunk_cache(v->nc, v->var, CHUNK_BYTES, CACHE_SLOTS, 1.0f), wanted);
    return SF_OK;
}

static int head_check(struct volume *v, int aloud)
{
    const int rc = nc_inq_varid(v->nc, wanted, &v->var);
    SF_CHECK(rc == NC_NOERR, SF_INPUT, "'%s' holds no variable %s(z, y, x)", v->path, wanted);
    SF_TRY(extents_check(v, aloud));
    SF_TRY(type_check(v));
    return chunks_check(v);
}

/* Rows and levels of a piece: whole chunks along z where they fit, since a chunk is unpacked anew for each piece. */
static void piece_shape(const struct volume *v, int rows, int *piece_rows, int *piece_levels)
{
    const int lines = SF_MAX(PIECE_VALUES / v->ni, 1);
    const int levels = SF_MIN(v->levels, lines);
    *piece_rows = SF_MAX(SF_MIN(rows, lines / levels), 1);
    const int most = SF_MAX(lines / *piece_rows, 1);
    *piece_levels = SF_MIN(v->nk, most / levels * levels);
}

/* Levels k0 .. k1 - 1 of rows j0 .. j1 - 1 from [k][j][i] to values[j][k][i], whose rows hold all levels. */
static int piece_turn(const struct volume *v, const short *piece, int j0, int j1, int k0, int k1, unsigned char *values)
{
    for (int k = k0; k < k1; k++)
        for (int j = j0; j < j1; j++) {
            const short *const from = piece + ((ptrdiff_t)(k - k0) * (j1 - j0) + (j - j0)) * v->ni;
            unsigned char *const to = values + ((ptrdiff_t)(j - j0) * v->nk + k) * v->ni;
            for (int i = 0; i < v->ni; i++) {
                SF_CHECK(
                    from[i] >= 0 && from[i] < v->count, SF_INPUT,
                    "'%s': %s is %d at z %d, y %d, x %d (from 0), but only 0 .. %d are media: 0 vacuum, 1 pec, 2 and on the "
                    "entries of &medium",
                    v->path, wanted, from[i], k, j, i, v->count - 1);
                to[i] = (unsigned char)from[i];
            }
        }
    return SF_OK;
}

static int piece_read(const struct volume *v, short *piece, int j0, int j1, int k0, int k1, unsigned char *values)
{
    const size_t start[3] = {(size_t)k0, (size_t)j0, 0};
    const size_t count[3] = {(size_t)(k1 - k0), (size_t)(j1 - j0), (size_t)v->ni};
    const int rc = nc_get_vara_short(v->nc, v->var, start, count, piece);
    SF_CHECK(rc != NC_ERANGE, SF_INPUT, "'%s': %s holds numbers that are no media: only 0 .. %d are", v->path, wanted,
             v->count - 1);
    NC_READ(rc, wanted);
    return piece_turn(v, piece, j0, j1, k0, k1, values);
}

static int rows_read(const struct volume *v, int j0, int j1, unsigned char *values)
{
    int rows, levels, rc = SF_OK;
    if (j0 >= j1) return SF_OK;
    piece_shape(v, j1 - j0, &rows, &levels);
    const size_t n = (size_t)rows * (size_t)levels * (size_t)v->ni;
    short *const piece = malloc(n * sizeof *piece);
    SF_CHECK(piece, SF_MEMORY, "no memory for %zu numbers of '%s'", n, v->path);
    for (int j = j0; j < j1 && !rc; j += rows)
        for (int k = 0; k < v->nk && !rc; k += levels)
            rc = piece_read(v, piece, j, SF_MIN(j + rows, j1), k, SF_MIN(k + levels, v->nk),
                            values + (ptrdiff_t)(j - j0) * v->nk * v->ni);
    free(piece);
    return rc;
}

int volume_read(const char *path, int ni, int nk, int nj, int j0, int j1, int count, unsigned char *values)
{
    struct volume opened = {.path = path, .ni = ni, .nk = nk, .nj = nj, .count = count}, *const v = &opened;
    ncfile_quiet();
    const int opens = nc_open(path, NC_NOWRITE, &v->nc);
    SF_CHECK(opens == NC_NOERR, SF_INPUT, "cannot read '%s' (&geometry file): %s", path, nc_strerror(opens));
    int rc = head_check(v, j0 >= j1);
    if (!rc) rc = rows_read(v, j0, j1, values);
    nc_close(v->nc);
    return rc;
}
