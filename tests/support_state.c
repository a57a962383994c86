/* The small model behind the tests of output. SPDX-License-Identifier: MIT */
#include "pipeline/backend.h"
#include "support_state.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

real toy_value(int field, int j, int k, int i, double shift)
{
    return (real)((field * 1000003 + j * 1009 + k * 101 + i) / 3.0 + shift);
}

real toy_theta(int j, int k, int i, double shift) { return toy_value(TOY_S, j, k, i, shift); }

real toy_u_centre(int j, int k, int i, double shift)
{
    return R(0.5) * (toy_value(TOY_U, j, k, i, shift) + toy_value(TOY_U, j, k, i + 1, shift));
}

static const real *at(const struct slab *s, int field, int j, int k)
{
    return s->f[field] + (j - s->j0) * s->sj + k * s->sk;
}

static void theta_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    (void)ctx;
    for (int k = 0; k < s->nk; k++)
        for (int i = 0; i < s->ni; i++) *out++ = at(s, TOY_S, j, k)[i];
}

static void u_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    (void)ctx;
    for (int k = 0; k < s->nk; k++)
        for (int i = 0; i < s->ni; i++) *out++ = R(0.5) * (at(s, TOY_U, j, k)[i] + at(s, TOY_U, j, k)[i + 1]);
}

static void hidden_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    theta_row(s, ctx, j, out);
    for (int n = 0; n < s->nk * s->ni; n++) out[n] = -out[n];
}

static const struct diagnostic diagnostic[] = {
    {"theta", "potential temperature", "K", "air_potential_temperature", 1, theta_row, 0, 0, 0},
    {"u_c", "eastward wind", "m s-1", "x_wind", 1, u_row, 0, 0, 0},
    {"hidden", "minus potential temperature", "K", "", 0, hidden_row, 0, 0, 0},
};

static const struct quantity quantity[] = {{"w_max", "largest upward speed", "m s-1"}, {"mass", "mass of air", "kg"}};

static const struct field field[TOY_FIELDS] = {
    [TOY_S] = {.name = "s", .long_name = "a scalar", .unit = "K", .standard_name = "", .shape = SHAPE_FULL},
    [TOY_U] =
        {.name = "u", .long_name = "eastward wind", .unit = "m s-1", .standard_name = "x_wind", .stagger = STAG_X},
    [TOY_V] =
        {.name = "v", .long_name = "northward wind", .unit = "m s-1", .standard_name = "y_wind", .stagger = STAG_Y},
    [TOY_W] = {.name = "w",
               .long_name = "upward wind",
               .unit = "m s-1",
               .standard_name = "upward_air_velocity",
               .stagger = STAG_Z},
    [TOY_MAP] = {.name = "rain",
                 .long_name = "rain on the ground",
                 .unit = "kg m-2",
                 .standard_name = "",
                 .role = ROLE_TRACER,
                 .shape = SHAPE_MAP},
    [TOY_SCRATCH] =
        {.name = "flux", .long_name = "a scratch field", .unit = "1", .standard_name = "", .role = ROLE_SCRATCH},
};

static struct profile profile = {"theta_base", "base state potential temperature", "K", "", NULL};

void toy_open(struct toy *t, int nx, int ny, int nz, int only)
{
    memset(t, 0, sizeof *t);
    t->config = (struct config){.grid_nx = nx,
                                .grid_ny = ny,
                                .grid_nz = nz,
                                .grid_dx = 100,
                                .grid_dy = 250,
                                .grid_dz = 50,
                                .time_start = "2011-05-22 12:00:00",
                                .grid_stretch_ratio = 1.1,
                                .grid_dz_max = 1e6,
                                .grid_origin_x = -1000,
                                .output_frames_per_file = 1,
                                .output_profiles = 1};
    cr_assert_eq(grid_init(&t->grid, &t->config, &(struct grid_sizes){0}), SF_OK);
    for (int k = 0; k < nz && k < 64; k++) t->base[k] = 300 + k / 3.0;
    profile.value = t->base;
    t->in = (struct instance){.config = &t->config,
                              .grid = &t->grid,
                              .nfields = TOY_FIELDS,
                              .diagnostic = diagnostic,
                              .ndiagnostics = 3,
                              .profile = &profile,
                              .nprofiles = nz <= 64,
                              .quantity = quantity,
                              .nquantities = 2};
    struct form form[TOY_FIELDS];
    unsigned char skip[TOY_FIELDS];
    for (int n = 0; n < TOY_FIELDS; n++) {
        struct field *f = &t->in.field[n];
        *f = field[n];
        f->banks = 1;
        for (int face = 0; face < FACES; face++) f->ghost[face] = face <= FACE_E ? GHOST_PERIODIC : GHOST_EVEN;
        if (f->stagger & STAG_Y) f->ghost[FACE_S] = f->ghost[FACE_N] = GHOST_ODD;
        if (f->stagger & STAG_Z) f->ghost[FACE_B] = f->ghost[FACE_T] = GHOST_ODD;
        form[n] = form_of(f);
        skip[n] = only >= 0 && n != only;
    }
    t->st = (struct state){.comm = {.size = 1}, .grid = &t->grid, .in = &t->in, .ja = 0, .jb = ny};
    const struct layout lay = layout_make(LAYOUT_LINE, nx, nz, ny, 1, 1);
    cr_assert_eq(storage_init(&t->st.host, &backend_cpu, &lay, TOY_FIELDS, form, skip, -1, ny + 2), SF_OK);
    snprintf(t->directory, sizeof t->directory, "/tmp/sferic-output-XXXXXX");
    cr_assert(mkdtemp(t->directory));
    t->info = (struct output_info){.directory = t->directory,
                                   .case_name = "toy",
                                   .title = "a toy",
                                   .model = "toy",
                                   .backend = "cpu",
                                   .source = "sferic 0.0 (abc)",
                                   .history = "2000-01-01 test",
                                   .namelist_text = "&case\n  name = 'toy'\n/\n"};
    cr_assert_eq(writer_open(&t->info.writer), SF_OK);
}

void toy_fill(struct toy *t, double shift)
{
    const struct slab *s = &t->st.host.s;
    for (int n = 0; n < TOY_FIELDS; n++) {
        if (!s->f[n]) continue;
        const int map = t->in.field[n].shape == SHAPE_MAP;
        for (int j = -1; j <= s->nj; j++)
            for (int k = map ? 0 : -1; k <= (map ? 0 : s->nk); k++)
                for (int i = -1; i <= s->ni; i++)
                    s->f[n][(j - s->j0) * (map ? s->sm : s->sj) + k * s->sk + i] = toy_value(n, j, k, i, shift);
    }
}

const char *toy_path(const struct toy *t, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", t->directory, name);
    return path;
}

int toy_exists(const struct toy *t, const char *name) { return !access(toy_path(t, name), F_OK); }

int toy_count(const struct toy *t, const char *part)
{
    int count = 0;
    DIR *dir = opendir(t->directory);
    cr_assert(dir);
    for (const struct dirent *e; (e = readdir(dir));) count += strstr(e->d_name, part) != NULL;
    closedir(dir);
    return count;
}

void toy_close(struct toy *t)
{
    writer_close(&t->info.writer);
    DIR *dir = opendir(t->directory);
    for (const struct dirent *e; dir && (e = readdir(dir));) unlink(toy_path(t, e->d_name));
    if (dir) closedir(dir);
    rmdir(t->directory);
    storage_free(&t->st.host);
    grid_free(&t->grid);
}

static int file_open(const struct toy *t, const char *file)
{
    int id = -1;
    cr_assert_eq(nc_open(toy_path(t, file), NC_NOWRITE, &id), NC_NOERR, "cannot open %s", toy_path(t, file));
    return id;
}

double *toy_read(const struct toy *t, const char *file, const char *variable, size_t *n, size_t extent[4])
{
    const int id = file_open(t, file);
    int var = -1, nd = 0, dims[NC_MAX_VAR_DIMS];
    cr_assert_eq(nc_inq_varid(id, variable, &var), NC_NOERR, "no variable %s in %s", variable, file);
    cr_assert_eq(nc_inq_var(id, var, NULL, NULL, &nd, dims, NULL), NC_NOERR);
    cr_assert_leq(nd, 4);
    *n = 1;
    for (int d = 0; d < 4; d++) extent[d] = 0;
    for (int d = 0; d < nd; d++) {
        nc_inq_dimlen(id, dims[d], &extent[d]);
        *n *= extent[d];
    }
    double *value = malloc(*n * sizeof *value + 1);
    cr_assert_eq(nc_get_var_double(id, var, value), NC_NOERR);
    nc_close(id);
    return value;
}

const char *toy_attribute(const struct toy *t, const char *file, const char *variable, const char *name)
{
    static char text[4096];
    size_t n = 0;
    int var = NC_GLOBAL;
    const int id = file_open(t, file);
    memset(text, 0, sizeof text);
    if (variable) cr_assert_eq(nc_inq_varid(id, variable, &var), NC_NOERR, "no variable %s in %s", variable, file);
    if (!nc_inq_attlen(id, var, name, &n) && n < sizeof text) nc_get_att_text(id, var, name, text);
    nc_close(id);
    return text;
}
