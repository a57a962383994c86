/* Checkpoints: the same bits back, whatever the ghosts; the newest good one is taken; written behind whoever goes on.
 * What damage does to them: test_restart_damage.c. SPDX-License-Identifier: MIT */
#include "io/restart_set.h"
#include "pipeline/error.h"
#include "support_small_run.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEAMS                                                                                                          \
    {                                                                                                                  \
        GHOST_PERIODIC, GHOST_PERIODIC, GHOST_PERIODIC, GHOST_PERIODIC, GHOST_EVEN, GHOST_EVEN                         \
    }

Test(restart, gives_back_every_bit)
{
    struct small_run *a = small_run_plain(), *b = small_run_make(NX, NY, NZ, 5, 3, 4);
    small_run_write(a, 42);
    struct restart_info info = {.identity = small_run_settings};
    small_run_each(&b->st, 0, value_poison);
    cr_assert_gt(small_run_wrong(b, 42), 0);
    cr_assert_eq(restart_read(&b->st, small_run_nc(a, 42), &info), 0, "%s", sf_error_text());
    cr_assert_eq(small_run_wrong(b, 42), 0);
    cr_assert_eq(small_run_wrong(a, 42), 0, "writing changed the state");
    cr_assert(info.time == 14.0 && info.step == 42 && info.nextra == 2);
    cr_assert(info.extra[0] == 1e30 / 7 && signbit(info.extra[1]));
    /* Nothing but the native values was written: with them poisoned again the arena is all poison. */
    small_run_each(&b->st, 0, value_poison);
    const unsigned char *byte = b->st.host.arena;
    for (size_t n = 0; n < b->st.host.bytes; n++) cr_assert_eq(byte[n], 0x5a, "byte %zu", n);
    small_run_end(a);
    small_run_end(b);
}

Test(restart, faces_beyond_the_last_cell_exist_at_walls_only)
{
    struct small_run *r = small_run_plain();
    const enum ghost seams[FACES] = SEAMS;
    memcpy(r->in.field[U].ghost, seams, sizeof seams);
    small_run_write(r, 1);
    LIBRARY_HELD;
    struct restart_head h;
    int nc;
    cr_assert_eq(restart_file_open(small_run_nc(r, 1), &h, &nc), 0);
    cr_assert(h.nfields == 7 && h.precision == SF_PREC);
    cr_assert(h.field[0].ni == NX && h.field[0].nj == NY && h.field[0].nk == NZ, "u, periodic");
    cr_assert(h.field[1].ni == NX && h.field[1].nj == NY + 1 && h.field[1].nk == NZ, "v, walls");
    cr_assert(h.field[2].ni == NX && h.field[2].nj == NY && h.field[2].nk == NZ + 1, "w, walls");
    cr_assert(h.field[5].is_map && h.field[5].nk == 1 && !strcmp(h.field[5].name, "rain"));
    nc_close(nc);
    restart_head_free(&h);
    small_run_end(r);
}

Test(restart, the_same_state_makes_the_same_file)
{
    struct small_run *r = small_run_plain();
    small_run_write(r, 3);
    struct bytes one = bytes_load(small_run_nc(r, 3));
    small_run_clear(r->dir);
    sleep(1); /* a time stamp would show */
    small_run_write(r, 3);
    struct bytes two = bytes_load(small_run_nc(r, 3));
    cr_assert(one.size == two.size && !memcmp(one.data, two.data, one.size));
    free(one.data);
    free(two.data);
    small_run_end(r);
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
    struct small_run *r = small_run_make(60000, 2, 47, 1, 1, 1), *b = small_run_make(60000, 2, 47, 2, 1, 1);
    small_run_write(r, 1);
    struct restart_info info = {.identity = small_run_settings};
    cr_assert_eq(restart_read(&b->st, small_run_nc(r, 1), &info), 0, "%s", sf_error_text());
    cr_assert_eq(small_run_wrong(b, 1), 0);
    small_run_end(r);
    small_run_end(b);
}

Test(restart, keeps_the_last_two)
{
    struct small_run *r = small_run_plain();
    char path[512];
    bytes_store(small_run_path(r, "restart_0000000003.nc.tmp.4711"), (const unsigned char *)"torn", 4);
    bytes_store(small_run_path(r, "restart_notes.txt"), (const unsigned char *)"mine", 4);
    for (long step = 10; step <= 50; step += 10) {
        small_run_write(r, step);
        cr_assert_eq(small_run_files(r, ".nc"), step == 10 ? 2 : 4, "after step %ld", step);
        cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
        cr_assert_str_eq(path, small_run_nc(r, step));
    }
    cr_assert_eq(small_run_files(r, ".tmp."), 0);
    cr_assert_eq(small_run_files(r, "notes"), 1, "a file of the user is gone");
    struct bytes m = bytes_load(small_run_path(r, "restart.json"));
    m.data[m.size] = '\0';
    const char *newest = strstr((char *)m.data, "\"newest\": {\"file\": \"restart_0000000050.nc\", \"step\": 50");
    const char *previous = strstr((char *)m.data, "\"previous\": {\"file\": \"restart_0000000040.nc\", \"step\": 40");
    cr_assert(newest && previous, "%s", (char *)m.data);
    free(m.data);
    small_run_clear(r->dir);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), RESTART_NONE);
    small_run_end(r);
}

Test(restart, a_run_that_went_back_drops_the_later_ones)
{
    struct small_run *r = small_run_plain();
    char path[512];
    for (long step = 10; step <= 30; step += 10) small_run_write(r, step);
    small_run_write(r, 25); /* from 20 or from elsewhere */
    cr_assert(!access(small_run_nc(r, 20), F_OK) && access(small_run_nc(r, 30), F_OK));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, small_run_nc(r, 25));
    small_run_write(r, 25); /* again */
    cr_assert(!access(small_run_nc(r, 20), F_OK));
    small_run_write(r, 5);
    cr_assert_eq(small_run_files(r, ".nc"), 2);
    small_run_end(r);
}

Test(restart, falls_back_to_the_previous)
{
    struct small_run *r = small_run_plain();
    char path[512];
    cr_assert_eq(restart_find(r->dir, path, sizeof path), RESTART_NONE);
    cr_assert_str_empty(sf_error_text());
    small_run_write(r, 10);
    small_run_write(r, 20);
    struct bytes good = bytes_load(small_run_nc(r, 20));

    cr_assert_eq(truncate(small_run_nc(r, 20), (off_t)good.size / 2), 0);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, small_run_nc(r, 10));
    bytes_store(small_run_nc(r, 20), good.data, good.size);

    /* Swapped: both are good files, in the wrong places, digest files and all. */
    rename(small_run_nc(r, 10), small_run_path(r, "x")), rename(small_run_nc(r, 20), small_run_nc(r, 10)),
        rename(small_run_path(r, "x"), small_run_nc(r, 20));
    bytes_seal(small_run_nc(r, 10)), bytes_seal(small_run_nc(r, 20));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), SF_RESTART, "%s was taken", path);
    sf_error_clear();
    rename(small_run_nc(r, 10), small_run_path(r, "x")), rename(small_run_nc(r, 20), small_run_nc(r, 10)),
        rename(small_run_path(r, "x"), small_run_nc(r, 20));
    bytes_seal(small_run_nc(r, 10)), bytes_seal(small_run_nc(r, 20));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, small_run_nc(r, 20));

    /* A good checkpoint of the same step, of another run. */
    struct small_run *stranger = small_run_plain();
    const struct restart_info info = small_run_info(20);
    small_run_fill(stranger, 999);
    cr_assert_eq(restart_write(&stranger->st, stranger->dir, &info), 0);
    rename(small_run_nc(stranger, 20), small_run_nc(r, 20));
    bytes_seal(small_run_nc(r, 20));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, small_run_nc(r, 10));
    bytes_store(small_run_nc(r, 20), good.data, good.size);
    bytes_seal(small_run_nc(r, 20));
    small_run_end(stranger);

    /* Without a manifest, or with a damaged one, the files speak for themselves. */
    bytes_store(small_run_path(r, "restart.json"), (const unsigned char *)"{\"newest\": {}}", 14);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, small_run_nc(r, 20));
    unlink(small_run_path(r, "restart.json"));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, small_run_nc(r, 20));

    unlink(small_run_path(r, "restart_0000000020.nc.xxh"));
    cr_assert_eq(restart_find(r->dir, path, sizeof path), 0);
    cr_assert_str_eq(path, small_run_nc(r, 10));
    cr_assert_eq(truncate(small_run_nc(r, 10), 100), 0);
    cr_assert_eq(restart_find(r->dir, path, sizeof path), SF_RESTART);
    free(good.data);
    small_run_end(r);
}

Test(restart, tells_which_setting_differs)
{
    struct small_run *r = small_run_plain();
    small_run_write(r, 1);
    const char *path = small_run_nc(r, 1);
    cr_assert_eq(small_run_read(r, path, "grid%nx = 13\ndynamics%nu = 50\nboundary%west = wall\n"), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "line 2"), "%s", sf_error_text());
    cr_assert(strstr(sf_error_text(), "`dynamics%nu = 75`") && strstr(sf_error_text(), "`dynamics%nu = 50`"));
    cr_assert_eq(small_run_read(r, path, "grid%nx = 13\n"), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "line 2"));
    cr_assert_eq(small_run_read(r, path, "grid%nx = 13\ndynamics%nu = 75\nboundary%west = wall\nmore\n"), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "line 4"));
    cr_assert_eq(small_run_read(r, path, small_run_settings), 0);
    cr_assert_eq(small_run_read(r, path, NULL), 0);
    small_run_end(r);
}

Test(restart, holds_long_settings)
{
    struct small_run *r = small_run_plain();
    char *text = malloc(300001);
    memset(text, 'a', 300000);
    for (int n = 99; n < 300000; n += 100) text[n] = '\n';
    text[300000] = '\0';
    struct restart_info info = small_run_info(9);
    info.identity = text;
    small_run_fill(r, 9);
    cr_assert_eq(restart_write(&r->st, r->dir, &info), 0, "%s", sf_error_text());
    cr_assert_eq(small_run_read(r, small_run_nc(r, 9), text), 0, "%s", sf_error_text());
    text[299998] = 'b';
    cr_assert_eq(small_run_read(r, small_run_nc(r, 9), text), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "line 3000"));
    free(text);
    small_run_end(r);
}

Test(restart, refuses_another_grid_model_or_fields)
{
    struct small_run *r = small_run_plain();
    small_run_write(r, 1);
    const char *path = small_run_nc(r, 1);
    struct small_run *wide = small_run_make(NX + 1, NY, NZ, 1, 1, 1);
    cr_assert_eq(small_run_read(wide, path, small_run_settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "nx 13") && strstr(sf_error_text(), "14"), "%s", sf_error_text());
    r->grid.dy += 1e-14;
    cr_assert_eq(small_run_read(r, path, small_run_settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "dy"));
    r->grid.dy = 1e2 / 3;
    r->model.name = "maxwell";
    cr_assert_eq(small_run_read(r, path, small_run_settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "model toy"));
    r->model.name = "toy";
    r->in.field[QV].name = "qc";
    cr_assert_eq(small_run_read(r, path, small_run_settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "qv") && strstr(sf_error_text(), "qc"));
    r->in.field[QV].name = "qv";
    const enum ghost seams[FACES] = SEAMS;
    memcpy(r->in.field[V].ghost, seams, sizeof seams);
    cr_assert_eq(small_run_read(r, path, small_run_settings), SF_RESTART);
    cr_assert(strstr(sf_error_text(), "field v"));
    memcpy(&r->in.field[V], &small_run_fields[V], sizeof small_run_fields[V]);
    cr_assert_eq(small_run_read(r, path, small_run_settings), 0);
    cr_assert_eq(small_run_read(r, small_run_path(r, "nothing.nc"), small_run_settings), SF_RESTART);
    cr_assert_eq(small_run_read(r, "http://localhost/restart.nc", small_run_settings), SF_RESTART);
    cr_assert_eq(small_run_read(r, r->dir, small_run_settings), SF_RESTART);
    small_run_end(wide);
    small_run_end(r);
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
    struct small_run *r = small_run_plain();
    struct writer *w;
    struct restart_job *job;
    struct restart_told told;
    const struct restart_info info = small_run_info(5);
    int ends[2], more = 1;
    char path[512];
    small_run_fill(r, 5);
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
    cr_assert_eq(small_run_read(r, small_run_nc(r, 5), small_run_settings), 0);
    cr_assert_eq(restart_end(&job, NULL), 0, "none is allowed");
    small_run_end(r);
}

/* What went wrong before it is told, and no checkpoint is begun. */
Test(restart, a_writer_that_failed_writes_none, .timeout = 60)
{
    struct small_run *r = small_run_plain();
    struct writer *w;
    struct restart_job *job;
    const struct restart_info info = small_run_info(5);
    int ends[2];
    char path[512];
    small_run_fill(r, 5);
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
    small_run_end(r);
}

Test(restart, odd_directory_names)
{
    struct small_run *r = small_run_plain();
    char dir[128], path[512];
    snprintf(dir, sizeof dir, "%s/a b#c=d \xc3\xa4,%%20", r->dir);
    cr_assert_eq(mkdir(dir, 0777), 0);
    const struct restart_info info = small_run_info(4);
    small_run_fill(r, 4);
    cr_assert_eq(restart_write(&r->st, dir, &info), 0, "%s", sf_error_text());
    cr_assert_eq(restart_find(dir, path, sizeof path), 0);
    cr_assert_eq(small_run_read(r, path, small_run_settings), 0);
    small_run_clear(dir);
    cr_assert_eq(rmdir(dir), 0);
    small_run_end(r);
}
