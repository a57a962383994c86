/* See support_small_run.h. SPDX-License-Identifier: MIT */
#include "support_small_run.h"

#include "io/restart.h"
#include "pipeline/backend.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define WALLS                                                                                                          \
    {                                                                                                                  \
        GHOST_ODD, GHOST_ODD, GHOST_ODD, GHOST_ODD, GHOST_ODD, GHOST_ODD                                               \
    }
const struct field small_run_fields[FIELDS] = {
    [U] = {.name = "u",
           .long_name = "eastward wind",
           .unit = "m s-1",
           .standard_name = "x_wind",
           .stagger = STAG_X,
           .role = ROLE_PROGNOSTIC,
           .shape = SHAPE_FULL,
           .ghost = WALLS,
           .banks = 1},
    [V] = {.name = "v",
           .long_name = "northward wind",
           .unit = "m s-1",
           .standard_name = "y_wind",
           .stagger = STAG_Y,
           .role = ROLE_PROGNOSTIC,
           .shape = SHAPE_FULL,
           .ghost = WALLS,
           .banks = 1},
    [W] = {.name = "w",
           .long_name = "upward wind",
           .unit = "m s-1",
           .standard_name = "",
           .stagger = STAG_Z,
           .role = ROLE_PROGNOSTIC,
           .shape = SHAPE_FULL,
           .ghost = WALLS,
           .banks = 1},
    [THETA] = {.name = "theta",
               .long_name = "potential temperature",
               .unit = "K",
               .standard_name = "",
               .stagger = STAG_CENTRE,
               .role = ROLE_PROGNOSTIC,
               .shape = SHAPE_FULL,
               .ghost = WALLS,
               .banks = 2},
    [QV] = {.name = "qv",
            .long_name = "vapour",
            .unit = "kg kg-1",
            .standard_name = "",
            .stagger = STAG_CENTRE,
            .role = ROLE_TRACER,
            .shape = SHAPE_FULL,
            .ghost = WALLS,
            .banks = 1},
    [BASE] = {.name = "base",
              .long_name = "base state",
              .unit = "K",
              .standard_name = "",
              .stagger = STAG_CENTRE,
              .role = ROLE_STATIC,
              .shape = SHAPE_FULL,
              .ghost = WALLS,
              .banks = 1},
    [U_T] = {.name = "u_t",
             .long_name = "tendency",
             .unit = "m s-2",
             .standard_name = "",
             .stagger = STAG_X,
             .role = ROLE_SCRATCH,
             .shape = SHAPE_FULL,
             .ghost = WALLS,
             .banks = 1},
    [RAIN] = {.name = "rain",
              .long_name = "rain on the ground",
              .unit = "kg m-2",
              .standard_name = "",
              .stagger = STAG_CENTRE,
              .role = ROLE_PROGNOSTIC,
              .shape = SHAPE_MAP,
              .ghost = WALLS,
              .banks = 1},
    [EMPTY] = {.name = "layer_west",
               .long_name = "no layer",
               .unit = "",
               .standard_name = "",
               .shape = SHAPE_BOX,
               .banks = 1,
               .box = {.i0 = 0, .i1 = 0, .k0 = 0, .k1 = NZ, .j0 = 0, .j1 = NY, .n = 1}},
    [PART] = {.name = "layer_north",
              .long_name = "memory",
              .unit = "",
              .standard_name = "",
              .shape = SHAPE_BOX,
              .banks = 1,
              .box = {.i0 = 2, .i1 = NX - 3, .k0 = 1, .k1 = 4, .j0 = NY - 3, .j1 = NY - 1, .n = 2}},
};

struct small_run *small_run_make(int nx, int ny, int nz, int gi, int gk, int gj)
{
    struct small_run *r = calloc(1, sizeof *r);
    r->grid = (struct grid){.nx = nx, .ny = ny, .nz = nz, .dx = 100, .dy = 1e2 / 3};
    r->model.name = "toy";
    strcpy(r->config.case_name, "bubble");
    r->in = (struct instance){.model = &r->model, .config = &r->config, .grid = &r->grid, .nfields = FIELDS};
    memcpy(r->in.field, small_run_fields, sizeof small_run_fields);
    struct form form[FIELDS];
    for (int id = 0; id < FIELDS; id++) form[id] = form_of(&small_run_fields[id]);
    const struct layout l = layout_make(LAYOUT_LINE, nx, nz, ny, gi, gk);
    r->st = (struct state){.comm = {.size = 1}, .grid = &r->grid, .in = &r->in, .ja = 0, .jb = ny};
    cr_assert_eq(storage_init(&r->st.host, &backend_cpu, &l, FIELDS, form, NULL, -gj, ny + 2 * gj), 0);
    memset(r->st.host.arena, 0x5a, r->st.host.bytes);
    strcpy(r->dir, "/tmp/sferic_restart_XXXXXX");
    cr_assert_not_null(mkdtemp(r->dir));
    return r;
}

struct small_run *small_run_plain(void) { return small_run_make(NX, NY, NZ, 1, 1, 1); }

void small_run_clear(const char *dir)
{
    char path[512];
    DIR *d = opendir(dir);
    for (struct dirent *f; d && (f = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, f->d_name);
        unlink(path);
    }
    if (d) closedir(d);
}

void small_run_end(struct small_run *r)
{
    small_run_clear(r->dir);
    rmdir(r->dir);
    storage_free(&r->st.host);
    free(r);
}

real *small_run_at(const struct state *st, int id, int j, int k, int i)
{
    const struct field *f = &st->in->field[id];
    return state_line(st, id, j + (f->shape == SHAPE_BOX ? f->box.j0 : 0), k) + i;
}

/* All bit patterns: NaN with payload, denormals, -0. */
static real value_of(int id, int j, int k, int i, long seed)
{
    const long key[] = {id, j, k, i, seed};
    const uint64_t bits = XXH3_64bits(key, sizeof key);
    real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

long small_run_each(const struct state *st, long seed, int (*visit)(real *x, real wanted))
{
    long bad = 0;
    for (int id = 0; id < FIELDS; id++) {
        int ni, nk, nj;
        if (!field_is_kept(&st->in->field[id])) continue;
        field_extent(&st->in->field[id], st->grid, &ni, &nk, &nj);
        if (st->in->field[id].shape == SHAPE_MAP) nk = 1;
        for (int j = 0; j < nj; j++)
            for (int k = 0; k < nk; k++)
                for (int i = 0; i < ni; i++) bad += visit(small_run_at(st, id, j, k, i), value_of(id, j, k, i, seed));
    }
    return bad;
}

static int value_set(real *x, real wanted) { return memcpy(x, &wanted, sizeof *x), 0; }
static int value_differs(real *x, real wanted) { return memcmp(x, &wanted, sizeof *x) != 0; }
int value_poison(real *x, real wanted) { return (void)wanted, memset(x, 0x5a, sizeof *x), 0; }

void small_run_fill(struct small_run *r, long seed) { small_run_each(&r->st, seed, value_set); }
long small_run_wrong(struct small_run *r, long seed) { return small_run_each(&r->st, seed, value_differs); }

const char small_run_settings[] = "grid%nx = 13\ndynamics%nu = 75\nboundary%west = wall\n";

struct restart_info small_run_info(long step)
{
    return (struct restart_info){
        .time = (double)step / 3, .step = step, .identity = small_run_settings, .extra = {1e30 / 7, -0.0}, .nextra = 2};
}

void small_run_write(struct small_run *r, long step)
{
    const struct restart_info info = small_run_info(step);
    small_run_fill(r, step);
    cr_assert_eq(restart_write(&r->st, r->dir, &info), 0, "%s", sf_error_text());
}

char *small_run_path(const struct small_run *r, const char *name)
{
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof *path, "%s/%s", r->dir, name);
    return path[turn];
}

char *small_run_nc(const struct small_run *r, long step)
{
    char name[64];
    snprintf(name, sizeof name, "restart_%010ld.nc", step);
    return small_run_path(r, name);
}

int small_run_files(const struct small_run *r, const char *part)
{
    int n = 0;
    DIR *d = opendir(r->dir);
    for (struct dirent *f; (f = readdir(d));) n += strstr(f->d_name, part) != NULL;
    closedir(d);
    return n;
}

struct bytes bytes_load(const char *path)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    cr_assert(f && !fstat(fileno(f), &st), "%s", path);
    struct bytes b = {malloc((size_t)st.st_size + 1), (size_t)st.st_size};
    cr_assert_eq(fread(b.data, 1, b.size, f), b.size);
    fclose(f);
    return b;
}

void bytes_store(const char *path, const unsigned char *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(data, 1, size, f), size);
    fclose(f);
}

void bytes_seal(const char *path)
{
    char beside[512], text[512];
    struct bytes b = bytes_load(path);
    snprintf(beside, sizeof beside, "%s.xxh", path);
    const int n = snprintf(text, sizeof text, "XXH3 (%s) = %016llx\n", strrchr(path, '/') + 1,
                           (unsigned long long)XXH3_64bits(b.data, b.size));
    bytes_store(beside, (unsigned char *)text, (size_t)n);
    free(b.data);
}

int small_run_read(struct small_run *r, const char *path, const char *identity)
{
    sf_error_clear();
    struct restart_info info = {.time = -1, .step = -1, .identity = identity};
    const uint64_t before = XXH3_64bits(r->st.host.arena, r->st.host.bytes);
    const int rc = restart_read(&r->st, path, &info);
    if (rc) {
        cr_assert_eq(before, XXH3_64bits(r->st.host.arena, r->st.host.bytes), "a refused checkpoint changed the state");
        cr_assert(info.time == -1 && info.step == -1);
        cr_assert(sf_error_text()[0], "refused without a word");
    }
    return rc;
}
