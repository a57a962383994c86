/* Checkpoints: the same bits back, whatever the ghosts; nothing damaged is ever taken; nothing good is ever lost.
 * SPDX-License-Identifier: MIT */
#include "io/restart_set.h"
#include "pipeline/backend.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- a small run by hand ----------------------------------------------------------------------------------------- */

enum { NX = 13, NY = 7, NZ = 5, U = 0, V, W, THETA, QV, BASE, U_T, RAIN, EMPTY, PART, FIELDS };

#define WALLS                                                                                                         \
    {                                                                                                                 \
        GHOST_ODD, GHOST_ODD, GHOST_ODD, GHOST_ODD, GHOST_ODD, GHOST_ODD                                              \
    }
#define SEAMS                                                                                                         \
    {                                                                                                                 \
        GHOST_PERIODIC, GHOST_PERIODIC, GHOST_PERIODIC, GHOST_PERIODIC, GHOST_EVEN, GHOST_EVEN                        \
    }
static const struct field table[FIELDS] = {
    [U] = {.name = "u", .long_name = "eastward wind", .unit = "m s-1", .standard_name = "x_wind", .stagger = STAG_X, .role = ROLE_PROGNOSTIC, .shape = SHAPE_FULL, .ghost = WALLS, .banks = 1},
    [V] = {.name = "v", .long_name = "northward wind", .unit = "m s-1", .standard_name = "y_wind", .stagger = STAG_Y, .role = ROLE_PROGNOSTIC, .shape = SHAPE_FULL, .ghost = WALLS, .banks = 1},
    [W] = {.name = "w", .long_name = "upward wind", .unit = "m s-1", .standard_name = "", .stagger = STAG_Z, .role = ROLE_PROGNOSTIC, .shape = SHAPE_FULL, .ghost = WALLS, .banks = 1},
    [THETA] = {.name = "theta", .long_name = "potential temperature", .unit = "K", .standard_name = "", .stagger = STAG_CENTRE, .role = ROLE_PROGNOSTIC, .shape = SHAPE_FULL, .ghost = WALLS, .banks = 2},
    [QV] = {.name = "qv", .long_name = "vapour", .unit = "kg kg-1", .standard_name = "", .stagger = STAG_CENTRE, .role = ROLE_TRACER, .shape = SHAPE_FULL, .ghost = WALLS, .banks = 1},
    [BASE] = {.name = "base", .long_name = "base state", .unit = "K", .standard_name = "", .stagger = STAG_CENTRE, .role = ROLE_STATIC, .shape = SHAPE_FULL, .ghost = WALLS, .banks = 1},
    [U_T] = {.name = "u_t", .long_name = "tendency", .unit = "m s-2", .standard_name = "", .stagger = STAG_X, .role = ROLE_SCRATCH, .shape = SHAPE_FULL, .ghost = WALLS, .banks = 1},
    [RAIN] = {.name = "rain", .long_name = "rain on the ground", .unit = "kg m-2", .standard_name = "", .stagger = STAG_CENTRE, .role = ROLE_PROGNOSTIC, .shape = SHAPE_MAP, .ghost = WALLS, .banks = 1},
    [EMPTY] = {.name = "layer_west", .long_name = "no layer", .unit = "", .standard_name = "", .shape = SHAPE_BOX, .banks = 1,
               .box = {.i0 = 0, .i1 = 0, .k0 = 0, .k1 = NZ, .j0 = 0, .j1 = NY, .n = 1}},
    [PART] = {.name = "layer_north", .long_name = "memory", .unit = "", .standard_name = "", .shape = SHAPE_BOX, .banks = 1,
              .box = {.i0 = 2, .i1 = NX - 3, .k0 = 1, .k1 = 4, .j0 = NY - 3, .j1 = NY - 1, .n = 2}},
};

struct run {
    struct grid grid;
    struct config config;
    struct model model;
    struct instance in;
    struct state st;
    char dir[64];
};

/* Ghosts of gi columns, gk levels and gj rows around. Lives as long as the test's process. */
static struct run *run_make(int nx, int ny, int nz, int gi, int gk, int gj)
{
    struct run *r = calloc(1, sizeof *r);
    r->grid = (struct grid){.nx = nx, .ny = ny, .nz = nz, .dx = 100, .dy = 1e2 / 3};
    r->model.name = "toy";
    strcpy(r->config.case_name, "bubble");
    r->in = (struct instance){.model = &r->model, .config = &r->config, .grid = &r->grid, .nfields = FIELDS};
    memcpy(r->in.field, table, sizeof table);
    struct form form[FIELDS];
    for (int id = 0; id < FIELDS; id++) form[id] = form_of(&table[id]);
    const struct layout l = layout_make(LAYOUT_LINE, nx, nz, ny, gi, gk);
    r->st = (struct state){.comm = {0, 1}, .grid = &r->grid, .in = &r->in, .ja = 0, .jb = ny};
    cr_assert_eq(storage_init(&r->st.host, &backend_cpu, &l, FIELDS, form, NULL, -gj, ny + 2 * gj), 0);
    memset(r->st.host.arena, 0x5a, r->st.host.bytes);
    strcpy(r->dir, "/tmp/sferic_restart_XXXXXX");
    cr_assert_not_null(mkdtemp(r->dir));
    return r;
}

static struct run *run_plain(void) { return run_make(NX, NY, NZ, 1, 1, 1); }

static void dir_empty(const char *dir)
{
    char path[512];
    DIR *d = opendir(dir);
    for (struct dirent *f; d && (f = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, f->d_name);
        unlink(path);
    }
    if (d) closedir(d);
}

static void run_end(struct run *r)
{
    dir_empty(r->dir);
    rmdir(r->dir);
    storage_free(&r->st.host);
    free(r);
}

static real *at(const struct state *st, int id, int j, int k, int i)
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

/* Call visit for every native value of every kept field. */
static long each_value(const struct state *st, long seed, int (*visit)(real *x, real wanted))
{
    long bad = 0;
    for (int id = 0; id < FIELDS; id++) {
        int ni, nk, nj;
        if (!field_is_kept(&st->in->field[id])) continue;
        field_extent(&st->in->field[id], st->grid, &ni, &nk, &nj);
        if (st->in->field[id].shape == SHAPE_MAP) nk = 1;
        for (int j = 0; j < nj; j++)
            for (int k = 0; k < nk; k++)
                for (int i = 0; i < ni; i++) bad += visit(at(st, id, j, k, i), value_of(id, j, k, i, seed));
    }
    return bad;
}

static int value_set(real *x, real wanted) { return memcpy(x, &wanted, sizeof *x), 0; }
static int value_differs(real *x, real wanted) { return memcmp(x, &wanted, sizeof *x) != 0; }
static int value_poison(real *x, real wanted) { return (void)wanted, memset(x, 0x5a, sizeof *x), 0; }

static void run_fill(struct run *r, long seed) { each_value(&r->st, seed, value_set); }
static long run_wrong(struct run *r, long seed) { return each_value(&r->st, seed, value_differs); }

static const char settings[] = "grid%nx = 13\ndynamics%nu = 75\nboundary%west = wall\n";

static struct restart_info info_of(long step)
{
    return (struct restart_info){
        .time = (double)step / 3, .step = step, .identity = settings, .extra = {1e30 / 7, -0.0}, .nextra = 2};
}

static void write_step(struct run *r, long step)
{
    const struct restart_info info = info_of(step);
    run_fill(r, step);
    cr_assert_eq(restart_write(&r->st, r->dir, &info), 0, "%s", sf_error_text());
}

static char *path_of(const struct run *r, const char *name)
{
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof *path, "%s/%s", r->dir, name);
    return path[turn];
}

static char *nc_of(const struct run *r, long step)
{
    char name[64];
    snprintf(name, sizeof name, "restart_%010ld.nc", step);
    return path_of(r, name);
}

static int files_like(const struct run *r, const char *part)
{
    int n = 0;
    DIR *d = opendir(r->dir);
    for (struct dirent *f; (f = readdir(d));) n += strstr(f->d_name, part) != NULL;
    closedir(d);
    return n;
}

/* ---- files as bytes ---------------------------------------------------------------------------------------------- */

struct bytes {
    unsigned char *data;
    size_t size;
};

static struct bytes bytes_load(const char *path)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    cr_assert(f && !fstat(fileno(f), &st), "%s", path);
    struct bytes b = {malloc((size_t)st.st_size + 1), (size_t)st.st_size};
    cr_assert_eq(fread(b.data, 1, b.size, f), b.size);
    fclose(f);
    return b;
}

static void bytes_store(const char *path, const unsigned char *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(data, 1, size, f), size);
    fclose(f);
}

/* Make the digest file agree with whatever the checkpoint is now, so that only the digests inside can tell. */
static void bytes_seal(const char *path)
{
    char beside[512], text[512];
    struct bytes b = bytes_load(path);
    snprintf(beside, sizeof beside, "%s.xxh", path);
    const int n = snprintf(text, sizeof text, "XXH3 (%s) = %016llx\n", strrchr(path, '/') + 1,
                           (unsigned long long)XXH3_64bits(b.data, b.size));
    bytes_store(beside, (unsigned char *)text, (size_t)n);
    free(b.data);
}

static uint64_t random_next(uint64_t *s)
{
    *s += 0x9e3779b97f4a7c15u;
    return XXH3_64bits(s, sizeof *s);
}

/* What a reader says to `path`, with the promise that a refused file has changed nothing. */
static int read_code(struct run *r, const char *path, const char *identity)
{
    sf_error_clear();
    struct restart_info info = {.time = -1, .step = -1, .identity = identity};
    const uint64_t before = XXH3_64bits(r->st.host.arena, r->st.host.bytes);
    const int rc = restart_read(&r->st, path, &info);
    if (rc) {
        cr_assert_eq(before, XXH3_64bits(r->st.host.arena, r->st.host.bytes),
                     "a refused checkpoint changed the state");
        cr_assert(info.time == -1 && info.step == -1);
        cr_assert(sf_error_text()[0], "refused without a word");
    }
    return rc;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

Test(restart, gives_back_every_bit)
{
    struct run *a = run_plain(), *b = run_make(NX, NY, NZ, 5, 3, 4);
    write_step(a, 42);
    struct restart_info info = {.identity = settings};
    each_value(&b->st, 0, value_poison);
    cr_assert_gt(run_wrong(b, 42), 0);
    cr_assert_eq(restart_read(&b->st, nc_of(a, 42), &info), 0, "%s", sf_error_text());
    cr_assert_eq(run_wrong(b, 42), 0);
    cr_assert_eq(run_wrong(a, 42), 0, "writing changed the state");
    cr_assert(info.time == 14.0 && info.step == 42 && info.nextra == 2);
    cr_assert(info.extra[0] == 1e30 / 7 && signbit(info.extra[1]));
    /* Nothing but the native values was written: with them poisoned again the arena is all poison. */
    each_value(&b->st, 0, value_poison);
    const unsigned char *byte = b->st.host.arena;
    for (size_t n = 0; n < b->st.host.bytes; n++) cr_assert_eq(byte[n], 0x5a, "byte %zu", n);
    run_end(a);
    run_end(b);
}

Test(restart, faces_beyond_the_last_cell_exist_at_walls_only)
{
    struct run *r = run_plain();
    const enum ghost seams[FACES] = SEAMS;
    memcpy(r->in.field[U].ghost, seams, sizeof seams);
    write_step(r, 1);
    struct restart_head h;
    int nc;
    cr_assert_eq(restart_file_open(nc_of(r, 1), &h, &nc), 0);
    cr_assert(h.nfields == 7 && h.precision == SF_PREC);
    cr_assert(h.field[0].ni == NX && h.field[0].nj == NY && h.field[0].nk == NZ, "u, periodic");
    cr_assert(h.field[1].ni == NX && h.field[1].nj == NY + 1 && h.field[1].nk == NZ, "v, walls");
    cr_assert(h.field[2].ni == NX && h.field[2].nj == NY && h.field[2].nk == NZ + 1, "w, walls");
    cr_assert(h.field[5].is_map && h.field[5].nk == 1 && !strcmp(h.field[5].name, "rain"));
    nc_close(nc);
    restart_head_free(&h);
    run_end(r);
}

Test(restart, the_same_state_makes_the_same_file)
{
    struct run *r = run_plain();
    write_step(r, 3);
    struct bytes one = bytes_load(nc_of(r, 3));
    dir_empty(r->dir);
    sleep(1); /* a time stamp would show */
    write_step(r, 3);
    struct bytes two = bytes_load(nc_of(r, 3));
    cr_assert(one.size == two.size && !memcmp(one.data, two.data, one.size));
    free(one.data);
    free(two.data);
    run_end(r);
}

Test(restart, pieces_cover_a_field_in_order)
{
    const struct restart_field shapes[] = {{.ni = 13, .nk = 5, .nj = 8},      {.ni = 1, .nk = 1, .nj = 1},
                                           {.ni = 1000, .nk = 100, .nj = 97}, {.ni = 100001, .nk = 33, .nj = 2},
                                           {.ni = 5000000, .nk = 3, .nj = 3}, {.ni = 400, .nk = 2621, .nj = 3}};
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        const struct restart_field *f = &shapes[n];
        long long reached = 0;
        for (struct piece p = {0}; piece_next(f, 4, &p);) {
            cr_assert(p.j0 < p.j1 && p.j1 <= f->nj && p.k0 < p.k1 && p.k1 <= f->nk);
            cr_assert_eq(reached, (long long)p.j0 * f->nk + p.k0, "shape %zu: a gap before row %d, level %d", n, p.j0,
                         p.k0);
            cr_assert(p.j1 - p.j0 == 1 || p.k1 - p.k0 == f->nk, "not contiguous");
            const long long lines = (long long)(p.j1 - p.j0) * (p.k1 - p.k0);
            cr_assert(lines == 1 || lines * f->ni * 4 <= PIECE_BYTES);
            reached += lines;
        }
        cr_assert_eq(reached, (long long)f->nj * f->nk);
    }
}

/* Rows so large that one is several pieces; the last pieces are smaller. */
Test(restart, large_rows_go_piece_by_piece)
{
    struct run *r = run_make(60000, 2, 47, 1, 1, 1), *b = run_make(60000, 2, 47, 2, 1, 1);
    write_step(r, 1);
    struct restart_info info = {.identity = settings};
    cr_assert_eq(restart_read(&b->st, nc_of(r, 1), &info), 0, "%s", sf_error_text());
    cr_assert_eq(run_wrong(b, 1), 0);
    run_end(r);
    run_end(b);
}

Test(restart, keeps_the_last_two)
{
    struct run *r = run_plain();
    char path[512];
    bytes_store(path_of(r, "restart_0000000003.nc.tmp.4711"), (const unsigned char *)"torn", 4);
    bytes_store(path_of(r, "restart_notes.txt"), (const unsigned char *)"mine", 4);
    for (long step = 10; step <= 50; step += 10) {
        write_step(r, step);
        cr_assert_eq(files_like(r, ".nc"), step == 10 ? 2 : 4, "after step %ld", step);
        cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
        cr_assert_str_eq(path, nc_of(r, step));
    }
    cr_assert_eq(files_like(r, ".tmp."), 0);
    cr_assert_eq(files_like(r, "notes"), 1, "a file of the user is gone");
    struct bytes m = bytes_load(path_of(r, "restart.json"));
    m.data[m.size] = '\0';
    const char *newest = strstr((char *)m.data, "\"newest\": {\"file\": \"restart_0000000050.nc\", \"step\": 50");
    const char *previous = strstr((char *)m.data, "\"previous\": {\"file\": \"restart_0000000040.nc\", \"step\": 40");
    cr_assert(newest && previous, "%s", (char *)m.data);
    free(m.data);
    dir_empty(r->dir);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), RESTART_NONE);
    run_end(r);
}

Test(restart, a_run_that_went_back_drops_the_later_ones)
{
    struct run *r = run_plain();
    char path[512];
    for (long step = 10; step <= 30; step += 10) write_step(r, step);
    write_step(r, 25); /* from 20 or from elsewhere */
    cr_assert(!access(nc_of(r, 20), F_OK) && access(nc_of(r, 30), F_OK));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, nc_of(r, 25));
    write_step(r, 25); /* again */
    cr_assert(!access(nc_of(r, 20), F_OK));
    write_step(r, 5);
    cr_assert_eq(files_like(r, ".nc"), 2);
    run_end(r);
}

Test(restart, falls_back_to_the_previous)
{
    struct run *r = run_plain();
    char path[512];
    cr_assert_eq(restart_find(r->dir, path, sizeof path), RESTART_NONE);
    cr_assert_str_empty(sf_error_text());
    write_step(r, 10);
    write_step(r, 20);
    struct bytes good = bytes_load(nc_of(r, 20));

    cr_assert_eq(truncate(nc_of(r, 20), (off_t)good.size / 2), 0);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, nc_of(r, 10));
    bytes_store(nc_of(r, 20), good.data, good.size);

    /* Swapped: both are good files, in the wrong places, digest files and all. */
    rename(nc_of(r, 10), path_of(r, "x")), rename(nc_of(r, 20), nc_of(r, 10)), rename(path_of(r, "x"), nc_of(r, 20));
    bytes_seal(nc_of(r, 10)), bytes_seal(nc_of(r, 20));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), SF_RESTART, "%s was taken", path);
    sf_error_clear();
    rename(nc_of(r, 10), path_of(r, "x")), rename(nc_of(r, 20), nc_of(r, 10)), rename(path_of(r, "x"), nc_of(r, 20));
    bytes_seal(nc_of(r, 10)), bytes_seal(nc_of(r, 20));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, nc_of(r, 20));

    /* A good checkpoint of the same step, of another run. */
    struct run *stranger = run_plain();
    const struct restart_info info = info_of(20);
    run_fill(stranger, 999);
    cr_assert_eq(restart_write(&stranger->st, stranger->dir, &info), 0);
    rename(nc_of(stranger, 20), nc_of(r, 20));
    bytes_seal(nc_of(r, 20));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, nc_of(r, 10));
    bytes_store(nc_of(r, 20), good.data, good.size);
    bytes_seal(nc_of(r, 20));
    run_end(stranger);

    /* Without a manifest, or with a damaged one, the files speak for themselves. */
    bytes_store(path_of(r, "restart.json"), (const unsigned char *)"{\"newest\": {}}", 14);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, nc_of(r, 20));
    unlink(path_of(r, "restart.json"));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, nc_of(r, 20));

    unlink(path_of(r, "restart_0000000020.nc.xxh"));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, nc_of(r, 10));
    cr_assert_eq(truncate(nc_of(r, 10), 100), 0);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), SF_RESTART);
    free(good.data);
    run_end(r);
}

Test(restart, tells_which_setting_differs)
{
    struct run *r = run_plain();
    write_step(r, 1);
    const char *path = nc_of(r, 1);
    cr_assert_eq(read_code(r, path, "grid%nx = 13\ndynamics%nu = 50\nboundary%west = wall\n"), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "line 2"), "%s", sf_error_text());
    cr_assert(strstr(sf_error_text(), "`dynamics%nu = 75`") && strstr(sf_error_text(), "`dynamics%nu = 50`"));
    cr_assert_eq(read_code(r, path, "grid%nx = 13\n"), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "line 2"));
    cr_assert_eq(read_code(r, path, "grid%nx = 13\ndynamics%nu = 75\nboundary%west = wall\nmore\n"), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "line 4"));
    cr_assert_eq(read_code(r, path, settings), 0);
    cr_assert_eq(read_code(r, path, NULL), 0);
    run_end(r);
}

Test(restart, holds_long_settings)
{
    struct run *r = run_plain();
    char *text = malloc(300001);
    memset(text, 'a', 300000);
    for (int n = 99; n < 300000; n += 100) text[n] = '\n';
    text[300000] = '\0';
    struct restart_info info = info_of(9);
    info.identity = text;
    run_fill(r, 9);
    cr_assert_eq(restart_write(&r->st, r->dir, &info), 0, "%s", sf_error_text());
    cr_assert_eq(read_code(r, nc_of(r, 9), text), 0, "%s", sf_error_text());
    text[299998] = 'b';
    cr_assert_eq(read_code(r, nc_of(r, 9), text), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "line 3000"));
    free(text);
    run_end(r);
}

Test(restart, refuses_another_grid_model_or_fields)
{
    struct run *r = run_plain();
    write_step(r, 1);
    const char *path = nc_of(r, 1);
    struct run *wide = run_make(NX + 1, NY, NZ, 1, 1, 1);
    cr_assert_eq(read_code(wide, path, settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "nx 13") && strstr(sf_error_text(), "14"), "%s", sf_error_text());
    r->grid.dy += 1e-14;
    cr_assert_eq(read_code(r, path, settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "dy"));
    r->grid.dy = 1e2 / 3;
    r->model.name = "maxwell";
    cr_assert_eq(read_code(r, path, settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "model toy"));
    r->model.name = "toy";
    r->in.field[QV].name = "qc";
    cr_assert_eq(read_code(r, path, settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "qv") && strstr(sf_error_text(), "qc"));
    r->in.field[QV].name = "qv";
    const enum ghost seams[FACES] = SEAMS;
    memcpy(r->in.field[V].ghost, seams, sizeof seams);
    cr_assert_eq(read_code(r, path, settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "field v"));
    memcpy(&r->in.field[V], &table[V], sizeof table[V]);
    cr_assert_eq(read_code(r, path, settings), 0);
    cr_assert_eq(read_code(r, path_of(r, "nothing.nc"), settings), SF_RESTART);
    cr_assert_eq(read_code(r, "http://localhost/restart.nc", settings), SF_RESTART);
    cr_assert_eq(read_code(r, r->dir, settings), SF_RESTART);
    run_end(wide);
    run_end(r);
}

/* SFERIC_FAULTS=500 gives the full corpus. */
static int faults(void)
{
    const char *n = getenv("SFERIC_FAULTS");
    return n ? atoi(n) : 50;
}

Test(restart, a_flipped_bit_is_never_taken, .timeout = 300)
{
    struct run *r = run_plain();
    write_step(r, 7);
    const char *const victims[] = {nc_of(r, 7), path_of(r, "restart_0000000007.nc.xxh")};
    for (int v = 0; v < 2; v++) {
        struct bytes b = bytes_load(victims[v]);
        uint64_t seed = (uint64_t)v;
        int harmless = 0;
        for (int n = 0; n < faults(); n++) {
            const uint64_t bit = random_next(&seed) % (8 * b.size);
            b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            bytes_store(victims[v], b.data, b.size);
            b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            const int rc = read_code(r, nc_of(r, 7), settings);
            cr_assert(rc == SF_RESTART || (rc == 0 && v == 1 && !run_wrong(r, 7)), "bit %llu of %s: %d",
                      (unsigned long long)bit, victims[v], rc);
            harmless += rc == 0;
        }
        cr_assert(v == 1 || harmless == 0);
        bytes_store(victims[v], b.data, b.size);
        cr_assert_eq(read_code(r, nc_of(r, 7), settings), 0);
        free(b.data);
    }
    run_end(r);
}

Test(restart, a_truncated_file_is_never_taken, .timeout = 300)
{
    struct run *r = run_plain();
    write_step(r, 7);
    const char *const victims[] = {nc_of(r, 7), path_of(r, "restart_0000000007.nc.xxh")};
    for (int v = 0; v < 2; v++) {
        struct bytes b = bytes_load(victims[v]);
        uint64_t seed = 77 + (uint64_t)v;
        for (int n = 0; n < faults(); n++) {
            bytes_store(victims[v], b.data, n == 0 ? b.size - 1 : random_next(&seed) % b.size);
            cr_assert_eq(read_code(r, nc_of(r, 7), settings), SF_RESTART);
        }
        bytes_store(victims[v], b.data, b.size);
        cr_assert_eq(read_code(r, nc_of(r, 7), settings), 0);
        free(b.data);
    }
    run_end(r);
}

Test(restart, a_damaged_manifest_costs_nothing, .timeout = 300)
{
    struct run *r = run_plain();
    char path[512];
    write_step(r, 7);
    write_step(r, 8);
    struct bytes b = bytes_load(path_of(r, "restart.json"));
    uint64_t seed = 5;
    freopen("/dev/null", "w", stderr); /* a warning each */
    for (int n = 0; n < faults(); n++) {
        const uint64_t bit = random_next(&seed) % (8 * b.size);
        if (n % 2) b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        bytes_store(path_of(r, "restart.json"), b.data, n % 2 ? b.size : bit / 8);
        if (n % 2) b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
        cr_assert_str_eq(path, nc_of(r, 8));
    }
    free(b.data);
    run_end(r);
}

/* Where a field lies in the file: a chunk is its values and four bytes of checksum. */
static size_t values_place(const struct run *r, const struct bytes *b, int id)
{
    for (size_t n = 0; n + NX * sizeof(real) <= b->size; n++)
        if (!memcmp(b->data + n, at(&r->st, id, 0, 0, 0), NX * sizeof(real))) return n;
    cr_assert_fail("field %s is not in the file", table[id].name);
    return 0;
}

Test(restart, digests_inside_tell_when_the_one_beside_is_forged, .timeout = 300)
{
    struct run *r = run_plain();
    write_step(r, 7);
    const char *path = nc_of(r, 7);
    struct bytes b = bytes_load(path);
    uint64_t seed = 11;
    for (int n = 0; n < faults(); n++) {
        const int id = (int[]){U, V, W, THETA, QV}[n % 5];
        const size_t byte = values_place(r, &b, id) + random_next(&seed) % (NX * NY * NZ * sizeof(real));
        b.data[byte] ^= (unsigned char)(1u << n % 8);
        bytes_store(path, b.data, b.size);
        b.data[byte] ^= (unsigned char)(1u << n % 8);
        bytes_seal(path);
        cr_assert_eq(read_code(r, path, settings), SF_RESTART);
    }
    /* The library's checksum set right as well: written through it. */
    bytes_store(path, b.data, b.size);
    int nc, var;
    const real zero = 0;
    cr_assert_eq(nc_open(path, NC_WRITE, &nc), 0);
    nc_inq_varid(nc, "theta", &var);
    cr_assert_eq(nc_put_var1(nc, var, (size_t[]){3, 2, 1}, &zero), 0);
    nc_close(nc);
    bytes_seal(path);
    cr_assert_eq(read_code(r, path, settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "field theta does not agree"), "%s", sf_error_text());
    free(b.data);
    run_end(r);
}

/* Well-formed netCDF files that are no checkpoint of this run; the digest beside agrees with each. */
static void forge(const char *path, int how)
{
    int nc, var, one = 1, huge = 1 << 26, dim[3];
    const double two[2] = {1, 2};
    cr_assert_eq(nc_open(path, NC_WRITE, &nc), 0);
    nc_inq_varid(nc, "theta", &var);
    static const char *const attribute[] = {
        "format", "format_version", "precision", "nx",       "ny",    "nz",   "dx",        "dy",  "time",
        "step",   "extra",          "fields",    "identity", "model", "case", "data_xxh3", "xxh3"};
    int rc = 0;
    if (how < 17) rc = nc_del_att(nc, NC_GLOBAL, attribute[how]);
    else if (how < 34) rc = nc_put_att_double(nc, NC_GLOBAL, attribute[how - 17], NC_DOUBLE, 2, two);
    else if (how < 51) rc = nc_put_att_text(nc, NC_GLOBAL, attribute[how - 34], 7, "a\0b c d");
    else if (how < 54) rc = nc_put_att_int(nc, NC_GLOBAL, attribute[how - 48], NC_INT, 1, &huge);
    else if (how == 54) rc = nc_put_att_int(nc, NC_GLOBAL, "format_version", NC_INT, 1, &huge);
    else if (how == 55) rc = nc_rename_var(nc, var, "thetb");
    else if (how == 56) rc = nc_del_att(nc, var, "xxh3");
    else if (how == 57) rc = nc_put_att_text(nc, var, "xxh3", 16, "0123456789abcdeg");
    else if (how == 58) rc = nc_put_att_text(nc, NC_GLOBAL, "fields", 7, "u v w u");
    else if (how == 59) rc = nc_put_att_int(nc, NC_GLOBAL, "precision", NC_INT, 1, &one);
    else if (how == 60) rc = nc_put_att_double(nc, NC_GLOBAL, "time", NC_DOUBLE, 1, two);
    else if (how == 61) rc = nc_put_att_double(nc, NC_GLOBAL, "extra", NC_DOUBLE, 2, two);
    else {
        /* A field of the right name and of hostile extents, type or layout in place of theta. */
        static const char *const dims[] = {"y", "z", "x"};
        const size_t extents[] = {1u << 26, 1u << 20, 1u << 26};
        nc_rename_var(nc, var, "old");
        for (int n = 0; n < 3; n++)
            rc |= how == 62 ? nc_def_dim(nc, (char[]){'h', (char)('0' + n), 0}, extents[n], &dim[n])
                            : nc_inq_dimid(nc, dims[n], &dim[n]);
        rc |= nc_def_var(nc, "theta",
                         how == 63       ? NC_STRING
                         : how == 64     ? NC_INT64
                         : SF_PREC == 64 ? NC_DOUBLE
                                         : NC_FLOAT,
                         how == 65   ? 1
                         : how == 66 ? 0
                                     : 3,
                         dim, &var);
        if (how == 67) rc |= nc_def_var_chunking(nc, var, NC_CHUNKED, (size_t[]){1, 1, 1});
        if (how == 68) rc |= nc_def_var_deflate(nc, var, 0, 1, 9);
        rc |= nc_put_att_text(nc, var, "xxh3", 16, "0123456789abcdef");
    }
    cr_assert_eq(rc, 0, "forgery %d: %s", how, nc_strerror(rc));
    nc_close(nc);
}

Test(restart, forged_headers_are_refused, .timeout = 300)
{
    struct run *r = run_plain();
    write_step(r, 7);
    const char *path = nc_of(r, 7);
    struct bytes b = bytes_load(path);
    struct rusage before, after;
    cr_assert_eq(getrusage(RUSAGE_SELF, &before), 0);
    for (int how = 0; how <= 68; how++) {
        bytes_store(path, b.data, b.size);
        forge(path, how);
        bytes_seal(path);
        cr_assert_eq(read_code(r, path, settings), SF_RESTART, "forgery %d was taken", how);
    }
    cr_assert_eq(getrusage(RUSAGE_SELF, &after), 0);
    cr_assert_lt(after.ru_maxrss - before.ru_maxrss, 512 << 10, "%ld KiB", after.ru_maxrss - before.ru_maxrss);
    bytes_store(path, b.data, b.size);
    bytes_seal(path);
    cr_assert_eq(read_code(r, path, settings), 0);
    /* Something else altogether. */
    bytes_store(path, (const unsigned char *)"CDF\1 no", 7);
    bytes_seal(path);
    cr_assert_eq(read_code(r, path, settings), SF_RESTART);
    free(b.data);
    run_end(r);
}

/* Extents that agree among themselves, and no data: a reader must not go through what is not there. */
Test(restart, fields_larger_than_their_file_are_refused)
{
    struct run *r = run_plain();
    struct restart_head h = {.model = "toy",
                             .precision = SF_PREC,
                             .nx = 50000,
                             .ny = 100,
                             .nz = 10,
                             .dx = 1,
                             .dy = 1,
                             .identity = (char[]){""},
                             .nfields = 1};
    h.field[0] = (struct restart_field){.name = "u", .ni = 50000, .nk = 10, .nj = 100};
    r->in.nfields = 1;
    struct ncfile to;
    cr_assert_eq(restart_file_create(&to, nc_of(r, 1), &h, &r->in), 0, "%s", sf_error_text());
    cr_assert_eq(restart_file_seal(&to, &h), 0);
    cr_assert_eq(rename(to.temporary, nc_of(r, 1)), 0);
    ncfile_abandon(&to);
    bytes_seal(nc_of(r, 1));
    cr_assert_eq(read_code(r, nc_of(r, 1), NULL), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "larger than the file"), "%s", sf_error_text());
    run_end(r);
}

/* ---- faults while writing ---------------------------------------------------------------------------------------- */

/* In a process of its own: HDF5 may crash at exit after a failed write. The code that the write gave. */
static int write_code_in_child(struct run *r, long step, rlim_t limit, const char *dir)
{
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit l = {limit, limit};
        if (limit) setrlimit(RLIMIT_FSIZE, &l);
        const struct restart_info info = info_of(step);
        run_fill(r, step);
        const int rc = restart_write(&r->st, dir, &info);
        _exit(rc && !strstr(sf_error_text(), dir) ? 99 : rc);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Test(restart, a_write_that_fails_leaves_the_older_ones, .timeout = 300)
{
    struct run *r = run_make(200, 20, 20, 1, 1, 1);
    char path[512];
    write_step(r, 1);
    struct stat about;
    cr_assert_eq(stat(nc_of(r, 1), &about), 0);
    /* From nothing at all to one byte short of the file. */
    for (int n = 0; n <= 20; n++) {
        const rlim_t limit = n < 20 ? 100 + (rlim_t)(about.st_size - 200) * (rlim_t)n / 19 : (rlim_t)about.st_size - 1;
        cr_assert_eq(write_code_in_child(r, 2, limit, r->dir), SF_IO, "limit %llu", (unsigned long long)limit);
        cr_assert_eq(files_like(r, ".tmp."), 0);
        cr_assert_eq(restart_find(r->dir, path, sizeof path), 0, "%s", sf_error_text());
        cr_assert_str_eq(path, nc_of(r, 1));
    }
    cr_assert_eq(write_code_in_child(r, 2, 0, "/nonexistent/dir"), SF_IO);
    cr_assert_eq(write_code_in_child(r, 2, 0, "http://nonexistent"), SF_IO);
    cr_assert_eq(write_code_in_child(r, 2, 0, r->dir), 0);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, nc_of(r, 2));
    run_end(r);
}

Test(restart, a_kill_loses_nothing, .timeout = 300)
{
    struct run *r = run_make(100, 20, 20, 1, 1, 1);
    char path[512];
    uint64_t seed = 3;
    long last = 0;
    freopen("/dev/null", "w", stderr);
    for (int n = 0; n < 20; n++) {
        int told[2];
        cr_assert_eq(pipe(told), 0);
        const pid_t child = fork();
        if (child == 0) {
            for (long step = last + 1;; step++) {
                const struct restart_info info = info_of(step);
                run_fill(r, step);
                if (restart_write(&r->st, r->dir, &info)) _exit(1);
                if (write(told[1], &step, sizeof step) < 0) _exit(2);
            }
        }
        close(told[1]);
        long done = last, step;
        cr_assert_eq(read(told[0], &step, sizeof step), sizeof step);
        usleep((useconds_t)(random_next(&seed) % 60000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        for (done = step; read(told[0], &step, sizeof step) == sizeof step;) done = step;
        close(told[0]);
        cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
        struct restart_info info = {.identity = settings};
        cr_assert_eq(restart_read(&r->st, path, &info), 0, "%s", sf_error_text());
        cr_assert(info.step == done || info.step == done + 1, "step %ld was complete, %ld was found", done, info.step);
        cr_assert_eq(run_wrong(r, info.step), 0);
        last = info.step;
    }
    write_step(r, last + 1);
    cr_assert_eq(files_like(r, ".tmp."), 0, "what the kills left was not cleared away");
    run_end(r);
}

/* ---- behind the caller ------------------------------------------------------------------------------------------- */

/* Keeps the writer busy until somebody writes to the pipe. */
static int wait_job(void *pipe)
{
    char byte;
    return read(*(int *)pipe, &byte, 1) == 1 ? SF_OK : SF_IO;
}

Test(restart, is_written_while_the_caller_goes_on, .timeout = 60)
{
    struct run *r = run_plain();
    struct writer *w;
    struct restart_job *job;
    struct restart_told told;
    const struct restart_info info = info_of(5);
    int ends[2], more = 1;
    char path[512];
    run_fill(r, 5);
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(writer_open(&w), 0);
    cr_assert_eq(writer_submit(w, wait_job, &ends[0], NULL), 0);
    cr_assert_eq(restart_begin(&job, &r->st, r->dir, &info, w), 0, "%s", sf_error_text());
    cr_assert_eq(restart_go_on(job, 0, &more), 0);
    cr_assert_eq(more, 0, "a rank alone has nothing to pass on");
    cr_assert_eq(restart_find(r->dir, path, sizeof path), RESTART_NONE, "the writer was held");
    cr_assert_eq(write(ends[1], "x", 1), 1);
    cr_assert_eq(restart_end(&job, &told), 0, "%s", sf_error_text());
    cr_assert_null(job);
    cr_assert(told.bytes > 0 && told.busy > 0);
    cr_assert_eq(writer_close(&w), 0);
    cr_assert_eq(read_code(r, nc_of(r, 5), settings), 0);
    cr_assert_eq(restart_end(&job, NULL), 0, "none is allowed");
    run_end(r);
}

/* What went wrong before it is told, and no checkpoint is begun. */
Test(restart, a_writer_that_failed_writes_none, .timeout = 60)
{
    struct run *r = run_plain();
    struct writer *w;
    struct restart_job *job;
    const struct restart_info info = info_of(5);
    int ends[2];
    char path[512];
    run_fill(r, 5);
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(writer_open(&w), 0);
    cr_assert_eq(writer_submit(w, wait_job, &ends[0], NULL), 0);
    cr_assert_eq(restart_begin(&job, &r->st, r->dir, &info, w), 0);
    close(ends[1]); /* the job before it fails */
    cr_assert_eq(restart_end(&job, NULL), SF_IO);
    cr_assert_neq(restart_begin(&job, &r->st, r->dir, &info, w), 0);
    cr_assert_null(job);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), RESTART_NONE);
    writer_close(&w);
    run_end(r);
}

Test(restart, odd_directory_names)
{
    struct run *r = run_plain();
    char dir[128], path[512];
    snprintf(dir, sizeof dir, "%s/a b#c=d \xc3\xa4,%%20", r->dir);
    cr_assert_eq(mkdir(dir, 0777), 0);
    const struct restart_info info = info_of(4);
    run_fill(r, 4);
    cr_assert_eq(restart_write(&r->st, dir, &info), 0, "%s", sf_error_text());
    cr_assert_eq(restart_find(dir, path, sizeof path), 0);
    cr_assert_eq(read_code(r, path, settings), 0);
    dir_empty(dir);
    cr_assert_eq(rmdir(dir), 0);
    run_end(r);
}
