/* Media of cells from a file. SPDX-License-Identifier: MIT */
#include "io/volume.h"

#include "io/volume_parts.h"

#include <stdio.h>

static const char wanted[] = "medium";

/* Are they the dimensions (z, y, x) of the grid? `aloud`: warn where neither names nor sizes tell. */
static int extents_check(struct volume *v, int aloud)
{
    int dims, dim[NC_MAX_VAR_DIMS];
    size_t n[FILED_AXES];
    struct volume_order o;
    NC_READ(v->path, nc_inq_varndims(v->nc, v->var, &dims), wanted);
    SF_CHECK(dims == FILED_AXES, SF_INPUT, "'%s': %s has %d dimensions; it must be %s(z, y, x)", v->path, wanted, dims,
             wanted);
    NC_READ(v->path, nc_inq_vardimid(v->nc, v->var, dim), wanted);
    v->dims = dims;
    for (int d = 0; d < dims; d++) v->dim[d] = dim[d];
    SF_TRY(volume_order(v, 0, &o));
    SF_CHECK(!o.wrong[0], SF_INPUT, "'%s': %s %s", v->path, wanted, o.wrong);
    if (o.is_guess && aloud)
        sf_warn("'%s': %s is taken for %s(z, y, x): neither names nor sizes tell", v->path, o.given, wanted);
    for (int d = 0; d < dims; d++) NC_READ(v->path, nc_inq_dimlen(v->nc, dim[d], &n[d]), "a dimension");
    SF_CHECK(
        n[0] == (size_t)v->n[0] && n[1] == (size_t)v->n[1] && n[2] == (size_t)v->n[2], SF_INPUT,
        "'%s': %s is %zu x %zu x %zu (z, y, x), but the grid has %d x %d x %d cells: make them the same (&grid nz, ny, nx)",
        v->path, wanted, n[0], n[1], n[2], v->n[0], v->n[1], v->n[2]);
    return SF_OK;
}

static int type_check(const struct volume *v)
{
    nc_type type;
    NC_READ(v->path, nc_inq_vartype(v->nc, v->var, &type), wanted);
    const int whole = type == NC_BYTE || type == NC_UBYTE || type == NC_SHORT || type == NC_USHORT || type == NC_INT ||
                      type == NC_UINT || type == NC_INT64 || type == NC_UINT64;
    SF_CHECK(whole, SF_INPUT, "'%s': %s is not of an integer type; write it as bytes, for instance", v->path, wanted);
    return SF_OK;
}

static int head_check(struct volume *v, int aloud)
{
    const int rc = nc_inq_varid(v->nc, wanted, &v->var);
    SF_CHECK(rc == NC_NOERR, SF_INPUT, "'%s' holds no variable %s(z, y, x)", v->path, wanted);
    SF_TRY(extents_check(v, aloud));
    SF_TRY(type_check(v));
    return volume_chunks(v);
}

static int media_take(const struct volume *v, const void *piece, int j0, int j1, int k0, int k1, void *values)
{
    const int ni = v->n[FILED_X], nk = v->n[FILED_Z], count = *(const int *)v->own;
    for (int k = k0; k < k1; k++)
        for (int j = j0; j < j1; j++) {
            const short *const from = (const short *)piece + ((ptrdiff_t)(k - k0) * (j1 - j0) + (j - j0)) * ni;
            unsigned char *const to = (unsigned char *)values + ((ptrdiff_t)(j - j0) * nk + k) * ni;
            for (int i = 0; i < ni; i++) {
                SF_CHECK(
                    from[i] >= 0 && from[i] < count, SF_INPUT,
                    "'%s': %s is %d at z %d, y %d, x %d (from 0), but only 0 .. %d are media: 0 vacuum, 1 pec, 2 and on the "
                    "entries of &medium",
                    v->path, wanted, from[i], k, j, i, count - 1);
                to[i] = (unsigned char)from[i];
            }
        }
    return SF_OK;
}

int volume_read(const char *path, int ni, int nk, int nj, int j0, int j1, int count, unsigned char *values)
{
    LIBRARY_HELD;
    char beyond[64];
    snprintf(beyond, sizeof beyond, "no media: only 0 .. %d are", count - 1);
    struct volume v = {.path = path,
                       .name = wanted,
                       .n = {nk, nj, ni},
                       .bytes = sizeof(short),
                       .beyond = beyond,
                       .take = media_take,
                       .taken = sizeof *values,
                       .own = &count};
    ncfile_quiet();
    const int opens = nc_open(path, NC_NOWRITE, &v.nc);
    SF_CHECK(opens == NC_NOERR, SF_INPUT, "cannot read '%s' (&geometry file): %s", path, nc_strerror(opens));
    int rc = head_check(&v, j0 >= j1);
    if (!rc) rc = volume_rows(&v, j0, j1, values);
    nc_close(v.nc);
    return rc;
}
