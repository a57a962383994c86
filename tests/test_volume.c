/* Volumes of media from netCDF files of every format and layout, and files that are not what is wanted.
 * SPDX-License-Identifier: MIT */
#include "io/volume.h"

#include <criterion/criterion.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/error.h"

enum { NI = 7, NK = 5, NJ = 11, MEDIA = 9 };

static char path[64];

static int value_at(int j, int k, int i) { return (3 * i + 5 * k + 7 * j + i * j % 4) % MEDIA; }

/* How a file is written. */
struct form {
    int format, type; /* of nc_create, of the variable */
    const char *name;
    size_t n[3]; /* z, y, x; 0: of the grid */
    size_t chunk[3]; /* 0: contiguous */
    int deflate, dims;
    int stray; /* a value in place of the last */
    const char *axis[3]; /* names of the dimensions; NULL: z, y, x */
};

static void need(int rc) { cr_assert_eq(rc, NC_NOERR, "%s", nc_strerror(rc)); }

static void file_write(const struct form *f)
{
    static const char *const name[] = {"z", "y", "x"};
    const size_t n[3] = {f->n[0] ? f->n[0] : NK, f->n[1] ? f->n[1] : NJ, f->n[2] ? f->n[2] : NI};
    int nc, dim[3], var;
    snprintf(path, sizeof path, "/tmp/sferic-volume-%ld.nc", (long)getpid());
    need(nc_create(path, NC_CLOBBER | f->format, &nc));
    for (int d = 0; d < 3; d++) need(nc_def_dim(nc, f->axis[d] ? f->axis[d] : name[d], n[d], &dim[d]));
    need(nc_def_var(nc, f->name ? f->name : "medium", f->type, f->dims ? f->dims : 3, dim, &var));
    if (f->chunk[0]) need(nc_def_var_chunking(nc, var, NC_CHUNKED, f->chunk));
    if (f->deflate) need(nc_def_var_deflate(nc, var, 1, 1, f->deflate));
    need(nc_enddef(nc));
    int *const values = calloc(n[0] * n[1] * n[2], sizeof *values);
    for (size_t k = 0; k < n[0]; k++)
        for (size_t j = 0; j < n[1]; j++)
            for (size_t i = 0; i < n[2]; i++) values[(k * n[1] + j) * n[2] + i] = value_at((int)j, (int)k, (int)i);
    if (f->stray) values[n[0] * n[1] * n[2] - 1] = f->stray;
    if (!f->dims) need(nc_put_var_int(nc, var, values));
    free(values);
    need(nc_close(nc));
}

static void rows_agree(int j0, int j1)
{
    unsigned char v[NJ * NK * NI + 1];
    memset(v, 0xee, sizeof v);
    cr_assert_eq(volume_read(path, NI, NK, NJ, j0, j1, MEDIA, v), SF_OK, "%s", sf_error_text());
    for (int j = j0; j < j1; j++)
        for (int k = 0; k < NK; k++)
            for (int i = 0; i < NI; i++)
                cr_assert_eq(v[((j - j0) * NK + k) * NI + i], value_at(j, k, i), "%d %d %d", i, j, k);
    cr_assert_eq(v[(j1 - j0) * NK * NI], 0xee);
}

static void file_agrees(const struct form *f)
{
    file_write(f);
    rows_agree(0, NJ);
    rows_agree(3, 4);
    rows_agree(5, NJ);
    cr_assert_eq(volume_read(path, NI, NK, NJ, 0, 0, MEDIA, NULL), SF_OK);
    unlink(path);
}

Test(volume, formats_types_and_layouts)
{
    static const int formats[] = {0, NC_64BIT_OFFSET, NC_NETCDF4, NC_NETCDF4 | NC_CLASSIC_MODEL};
    static const int classic[] = {NC_BYTE, NC_SHORT, NC_INT},
                     more[] = {NC_UBYTE, NC_USHORT, NC_UINT, NC_INT64, NC_UINT64};
    for (int n = 0; n < 4; n++)
        for (int t = 0; t < 3; t++) file_agrees(&(struct form){.format = formats[n], .type = classic[t]});
    for (int t = 0; t < 5; t++) file_agrees(&(struct form){.format = NC_NETCDF4, .type = more[t]});
    file_agrees(&(struct form){.format = NC_NETCDF4, .type = NC_UBYTE, .chunk = {2, 3, 4}, .deflate = 4});
    file_agrees(&(struct form){.format = NC_NETCDF4, .type = NC_INT, .chunk = {NK, NJ, NI}, .deflate = 1});
}

static void refused(const struct form *f, const char *text)
{
    unsigned char v[NJ * NK * NI];
    file_write(f);
    sf_error_clear();
    cr_assert_eq(volume_read(path, NI, NK, NJ, 0, NJ, MEDIA, v), SF_INPUT, "accepted");
    cr_assert(strstr(sf_error_text(), text), "'%s' lacks '%s'", sf_error_text(), text);
    cr_assert(strstr(sf_error_text(), path), "'%s' does not name the file", sf_error_text());
    unlink(path);
}

Test(volume, files_that_are_something_else)
{
    refused(&(struct form){.type = NC_INT, .name = "media"}, "holds no variable medium(z, y, x)");
    refused(&(struct form){.type = NC_DOUBLE}, "not of an integer type");
    refused(&(struct form){.type = NC_CHAR, .dims = 2}, "has 2 dimensions");
    refused(&(struct form){.type = NC_INT, .n = {NK + 1}},
            "is 6 x 11 x 7 (z, y, x), but the grid has 5 x 11 x 7 cells");
    refused(&(struct form){.type = NC_INT, .n = {NJ, NK, NI}}, "make them the same");
    refused(&(struct form){.type = NC_INT, .n = {0, 0, NI - 1}}, "make them the same");
    refused(&(struct form){.type = NC_INT, .stray = MEDIA},
            "medium is 9 at z 4, y 10, x 6 (from 0), but only 0 .. 8 are media");
    refused(&(struct form){.type = NC_BYTE, .stray = -1}, "medium is -1");
    refused(&(struct form){.format = NC_NETCDF4, .type = NC_INT, .stray = 1 << 20}, "only 0 .. 8 are");
    refused(&(struct form){.format = NC_NETCDF4, .type = NC_INT64, .stray = -(1 << 30)}, "only 0 .. 8 are");
}

/* Where the sizes agree the names must tell, in whatever tongue; other names say nothing. */
Test(volume, dimensions_in_another_order)
{
    enum { SIDE = 6 };
    unsigned char v[SIDE * SIDE * SIDE];
    static const struct {
        const char *axis[3], *text;
    } files[] = {{{"x", "y", "z"}, "medium(x, y, z); medium(z, y, x) is wanted"},
                 {{"Y", "X", "level"}, "medium(Y, X, level)"},
                 {{"z", "x", "y"}, "medium(z, x, y)"},
                 {{"lev", "lat", "lon"}, NULL},
                 {{"Z", "y", "X"}, NULL},
                 {{"nx", "ny", "nz"},
                  "medium(nx, ny, nz); medium(z, y, x) is wanted, x varying fastest: turn it: ncpdq -a nz,ny,nx "},
                 {{"I", "J", "K"}, "ncpdq -a K,J,I "},
                 {{"lon", "lat", "lev"}, "ncpdq -a lev,lat,lon "},
                 {{"Longitude", "Latitude", "Height"}, "ncpdq -a Height,Latitude,Longitude "},
                 {{"lat", "lon", "altitude"}, "ncpdq -a altitude,"},
                 {{"nz", "ny", "nx"}, NULL},
                 {{"k", "j", "i"}, NULL},
                 {{"bottom_top", "south_north", "west_east"}, NULL},
                 {{"west_east", "south_north", "bottom_top"}, "ncpdq -a bottom_top,south_north,west_east "},
                 {{"a", "b", "c"}, NULL},
                 {{"a", "nx", "c"}, "medium(a, nx, c); medium(z, y, x) is wanted, x varying fastest: turn it"}};
    for (size_t n = 0; n < sizeof files / sizeof files[0]; n++) {
        struct form f = {.type = NC_INT, .n = {SIDE, SIDE, SIDE}};
        memcpy(f.axis, files[n].axis, sizeof f.axis);
        file_write(&f);
        const int rc = volume_read(path, SIDE, SIDE, SIDE, 0, SIDE, MEDIA, v);
        cr_expect_eq(rc, files[n].text ? SF_INPUT : SF_OK, "%zu: %s", n, sf_error_text());
        if (files[n].text) cr_expect(strstr(sf_error_text(), files[n].text), "%s", sf_error_text());
        sf_error_clear();
        unlink(path);
    }
}

/* Where a name tells nothing the attribute `axis` of its coordinate does, as CF has it. */
Test(volume, axes_of_coordinates)
{
    enum { SIDE = 4 };
    static const char *const axis[2][3] = {{"Z", "Y", "X"}, {"X", "Y", "Z"}};
    for (int turned = 0; turned < 2; turned++) {
        int nc, dim[3], var, at;
        snprintf(path, sizeof path, "/tmp/sferic-volume-%ld.nc", (long)getpid());
        need(nc_create(path, NC_CLOBBER, &nc));
        for (int d = 0; d < 3; d++) {
            const char *const name = &"p\0q\0r"[2 * d];
            need(nc_def_dim(nc, name, SIDE, &dim[d]));
            need(nc_def_var(nc, name, NC_DOUBLE, 1, &dim[d], &at));
            need(nc_put_att_text(nc, at, "axis", 1, axis[turned][d]));
        }
        need(nc_def_var(nc, "medium", NC_BYTE, 3, dim, &var));
        need(nc_close(nc));
        cr_expect_eq(volume_read(path, SIDE, SIDE, SIDE, 0, 0, MEDIA, NULL), turned ? SF_INPUT : SF_OK, "%s",
                     sf_error_text());
        if (turned) cr_expect(strstr(sf_error_text(), "turn it: ncpdq -a r,q,p "), "%s", sf_error_text());
        sf_error_clear();
        unlink(path);
    }
}

/* A chunk of a terabyte is refused before the library asks for the memory. */
Test(volume, foreign_chunks)
{
    int nc, dim[3], var;
    const size_t chunk[3] = {10000, 1000, 100};
    snprintf(path, sizeof path, "/tmp/sferic-volume-%ld.nc", (long)getpid());
    need(nc_create(path, NC_CLOBBER | NC_NETCDF4, &nc));
    for (int d = 0; d < 3; d++) need(nc_def_dim(nc, &"z\0y\0x"[2 * d], chunk[d], &dim[d]));
    need(nc_def_var(nc, "medium", NC_UBYTE, 3, dim, &var));
    need(nc_def_var_chunking(nc, var, NC_CHUNKED, chunk));
    need(nc_close(nc));
    cr_assert_eq(volume_read(path, 100, 10000, 1000, 0, 0, MEDIA, NULL), SF_INPUT);
    cr_assert(strstr(sf_error_text(), "chunks of 954 MiB"), "%s", sf_error_text());
    unlink(path);
}

Test(volume, no_file_and_no_netcdf)
{
    snprintf(path, sizeof path, "/tmp/sferic-volume-%ld.nc", (long)getpid());
    cr_assert_eq(volume_read(path, NI, NK, NJ, 0, 0, MEDIA, NULL), SF_INPUT);
    cr_assert(strstr(sf_error_text(), "cannot read"), "%s", sf_error_text());
    sf_error_clear();
    FILE *f = fopen(path, "wb");
    cr_assert(f && fputs("medium\n", f) >= 0 && !fclose(f));
    cr_assert_eq(volume_read(path, NI, NK, NJ, 0, 0, MEDIA, NULL), SF_INPUT);
    unlink(path);
}

/* More than a piece: 3 million numbers, in chunks deeper than the piece has levels and not. */
Test(volume, several_pieces)
{
    enum { LI = 300, LK = 250, LJ = 40 };
    static const size_t chunks[3][3] = {{0}, {16, 7, 64}, {LK, 1, LI}};
    unsigned char *const v = malloc(LI * LK * LJ);
    for (int n = 0; n < 3; n++) {
        file_write(&(struct form){.format = NC_NETCDF4,
                                  .type = NC_UBYTE,
                                  .n = {LK, LJ, LI},
                                  .deflate = n > 0,
                                  .chunk = {chunks[n][0], chunks[n][1], chunks[n][2]}});
        cr_assert_eq(volume_read(path, LI, LK, LJ, 0, LJ, MEDIA, v), SF_OK, "%s", sf_error_text());
        for (int j = 0; j < LJ; j++)
            for (int k = 0; k < LK; k++)
                for (int i = 0; i < LI; i++)
                    if (v[(j * LK + k) * LI + i] != value_at(j, k, i))
                        cr_assert_fail("layout %d: %d %d %d", n, i, j, k);
        unlink(path);
    }
    free(v);
}
