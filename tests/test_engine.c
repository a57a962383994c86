/* The engine against plain loops: thousands of random programs, cut every way, have the same bits; a declaration that
 * lies is found out; stages see what they declared and nothing else. Long: so many programs.
 * SPDX-License-Identifier: MIT */
#include "support_lie.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/error.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { SLOWER = SANITIZED ? 10 : 1 };

static const struct comm alone = {.rank = 0, .size = 1};
static const struct engine_options plain = {.threads = 1, .slabs = 1, .steps_per_pass = 1, .poison = 1};

static const char *options_text(const struct engine_options *o)
{
    static char text[160];
    snprintf(text, sizeof text, "threads %d, slabs %d, overlapped %d, steps per pass %d, window %d x %d, exchange %d",
             o->threads, o->slabs, o->overlapped, o->steps_per_pass, o->window_rows, o->window_levels, o->exchange);
    return text;
}

static void cut_check(const struct program *p, unsigned seed, const struct engine_options *o, int steps,
                      const real *want)
{
    int rc;
    real *got = program_run(p, &alone, o, steps, &rc);
    cr_assert_eq(rc, 0, "seed %u: %s: %s", seed, options_text(o), sf_error_text());
    const char *where = program_difference(p, want, got);
    cr_assert(!where[0], "seed %u, %d steps, %s: %s", seed, steps, options_text(o), where);
    cr_assert_eq(*p->strangers, 0, "seed %u, %s: a stage saw what it did not declare", seed, options_text(o));
    free(got);
}

/* ---- random programs, random cuts ---- */

enum { PROGRAMS = 700 / SLOWER, CUTS = 4 };

static void programs_check(unsigned first)
{
    for (unsigned seed = first; seed < first + PROGRAMS; seed++) {
        struct program p;
        program_make(&p, seed);
        const int steps = 1 + (int)(seed % 6);
        real *want = program_reference(&p, steps);
        for (unsigned v = 0; v < CUTS; v++) {
            const struct engine_options o = program_options(seed * CUTS + v);
            cut_check(&p, seed, &o, steps, want);
        }
        free(want);
        program_free(&p);
    }
}

Test(engine, random_programs, .timeout = 600) { programs_check(0); }
Test(engine, more_random_programs, .timeout = 600) { programs_check(PROGRAMS); }
Test(engine, yet_more_random_programs, .timeout = 600) { programs_check(2 * PROGRAMS); }

/* The programs are worth running: all kinds of sides, shapes, banks and stages come up. */
Test(engine, random_programs_have_everything)
{
    enum { TRAITS = 24 };
    int count[TRAITS] = {0};
    for (unsigned seed = 0; seed < PROGRAMS; seed++) {
        struct program p;
        program_make(&p, seed);
        int has[TRAITS] = {0};
        has[0] = p.sides == SIDE_PERIODIC;
        has[1] = p.ntracers > 0;
        for (int f = 0; f < p.in.nfields; f++) {
            const struct field *x = &p.in.field[f];
            has[2] |= x->role == ROLE_STATIC && x->shape == SHAPE_FULL;
            has[3] |= x->shape == SHAPE_MAP;
            has[4] |= x->shape == SHAPE_LEVELS;
            has[5] |= x->role == ROLE_SCRATCH;
            has[6] |= x->banks == 2;
            has[16] |= x->bytes == 1;
            has[17] |= x->bytes == 2;
            has[18] |= x->shape == SHAPE_BOX && x->box.j1 - x->box.j0 < p.grid.ny;
            has[19] |= x->shape == SHAPE_BOX && x->box.j1 - x->box.j0 == p.grid.ny && x->box.i1 - x->box.i0 < p.grid.nx;
            has[7] |= f < p.nchanging && program_owns(x, 0);
            has[8] |= f < p.nchanging && program_owns(x, 1);
        }
        for (int s = 0; s < p.model.nstages; s++) {
            has[9] |= p.spec[s].column;
            has[10] |= p.spec[s].family;
            has[11] |= p.stage[s].extend;
            has[20] |= p.spec[s].sparse;
            has[21] |= p.spec[s].how == ACCESS_UPDATE && p.in.field[p.spec[s].target].banks == 2;
            has[22] |= p.spec[s].how == ACCESS_REWRITE && p.spec[s].own;
            for (const struct access *a = p.stage[s].access; a->mode; a++)
                has[23] |= a->mode == ACCESS_READ_OTHER && (a->reach.jm || a->reach.jp) && !p.spec[s].own;
        }
        for (int n = 0; n < p.in.nops; n++) has[12] |= p.op[n].every > 1;
        has[13] = p.grid.nx >= 64;
        has[14] = p.grid.ny <= 2;
        has[15] = p.sides != SIDE_PERIODIC && p.grid.ny > 10;
        for (int n = 0; n < TRAITS; n++) count[n] += has[n];
        program_free(&p);
    }
    for (int n = 0; n < TRAITS; n++)
        cr_assert(count[n] > PROGRAMS / 40, "trait %d: %d of %d programs", n, count[n], PROGRAMS);
}

/* ---- every cut of some programs ---- */

Test(engine, every_cut_of_some_programs, .timeout = 600)
{
    static const int slabs[] = {1, 2, 3, 7}, windows[] = {1, 2, 5, 1000};
    for (unsigned seed = 5000; seed < 5000 + (SANITIZED ? 2 : 6); seed++) {
        struct program p;
        program_make(&p, seed);
        real *want = program_reference(&p, 5);
        for (int v = 0; v < 4 * 4 * 4 * 2 * 3; v++) {
            const struct engine_options o = {.slabs = slabs[v & 3],
                                             .window_rows = windows[v >> 2 & 3],
                                             .steps_per_pass = 1 + (v >> 4 & 3),
                                             .threads = 1 + (v >> 6 & 1),
                                             .overlapped = v & 1,
                                             .exchange = v >> 7,
                                             .poison = 1};
            cut_check(&p, seed, &o, 5, want);
        }
        free(want);
        program_free(&p);
    }
}

/* ---- a wrong reach: a sanitizer would stop at the first ---- */

#if !SANITIZED
/* Does the cut show that the program lies? It may read what is no row of the field, hence a process of its own. */
static int lie_shows(const struct program *p, const struct engine_options *o, int steps)
{
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        int rc;
        real *want = program_reference(p, steps), *got = program_run(p, &alone, o, steps, &rc);
        _exit(rc || program_difference(p, want, got)[0]);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* A reach declared one row too short, where nothing else covers for it, comes to NaN in the cut that it was meant for:
 * about 2000 lies, every one of them. */
Test(engine, a_wrong_reach_is_found_out, .timeout = 600)
{
    enum { ENOUGH = 40 };
    int lies[LIE_KINDS] = {0};
    for (unsigned seed = 0; seed < 25000; seed++)
        for (int kind = 0; kind < LIE_KINDS; kind++) {
            const int steps = 1 + (int)(seed % 2);
            struct engine_options o;
            struct program p;
            program_make(&p, seed);
            const int lie = program_lie(&p, steps, (enum lie)kind, &o);
            cr_assert(lie >= 0, "seed %u, kind %d: what is true would show as a lie", seed, kind);
            cr_assert(!lie || lie_shows(&p, &o, steps), "seed %u: a lie of kind %d went through", seed, kind);
            lies[kind] += lie;
            program_free(&p);
        }
    for (int kind = 0; kind < LIE_KINDS; kind++) cr_assert(lies[kind] >= ENOUGH, "kind %d: %d lies", kind, lies[kind]);
}

#endif

/* ---- splits and restarts ---- */

Test(engine, split_at_any_step, .timeout = 600)
{
    enum { STEPS = 7 };
    for (unsigned seed = 7000; seed < 7000 + 100 / SLOWER; seed++) {
        struct program p;
        program_make(&p, seed);
        real *want = program_reference(&p, STEPS);
        for (int at = 0; at <= STEPS; at++) {
            const struct engine_options o = program_options(seed * 16 + (unsigned)at),
                                        other = program_options(seed * 16 + 9);
            const int part[] = {at, STEPS - at};
            int rc;
            real *got = program_run_parts(&p, &alone, &o, NULL, 0, part, 2, &rc);
            cr_assert(!rc && !program_difference(&p, want, got)[0], "seed %u split at %d, %s", seed, at,
                      options_text(&o));
            free(got);
            /* A new engine, cut in another way, goes on from the kept fields. */
            real *half = program_run(&p, &alone, &o, at, &rc);
            cr_assert_eq(rc, 0);
            got = program_run_parts(&p, &alone, &other, half, at, &part[1], 1, &rc);
            cr_assert(!rc && !program_difference(&p, want, got)[0], "seed %u restarted at %d, %s", seed, at,
                      options_text(&other));
            free(half);
            free(got);
        }
        free(want);
        program_free(&p);
    }
}

/* ---- what a stage is handed ---- */

enum { NX = 5, NY = 6, NZ = 3 };

/* Three fields: U owns the eastern face, V the northern one, S none. Every stage notes the units that it is given. */
struct faces {
    struct config config;
    struct grid grid;
    struct model model;
    struct instance in;
    struct op op[3];
    struct stage stage[3];
    int seen[3][NY + 2][NX + 2], wrong;
};

static void note_run(const struct slab *s, struct box b, const struct call *c)
{
    struct faces *f = (struct faces *)(uintptr_t)c->ctx;
    for (int n = 0; n < 3; n++) f->wrong += (s->f[n] != NULL) != (n == c->arg) || (s->w[n] != NULL) != (n == c->arg);
    f->wrong += b.k0 != 0 || b.k1 != NZ || s->ni != NX || s->nk != NZ || s->nj != NY;
    for (int j = b.j0; j < b.j1; j++)
        for (int i = b.i0; i < b.i1; i++) f->seen[c->arg][j][i]++;
    for (int j = b.j0; j < b.j1; j++)
        for (int k = b.k0; k < b.k1; k++)
            for (int i = b.i0; i < b.i1; i++)
                s->w[c->arg][(j - s->j0) * s->sj + k * s->sk + i] += (real)(100 * j + 10 * k + i) * c->dt;
}

static void faces_make(struct faces *f)
{
    memset(f, 0, sizeof *f);
    f->config = (struct config){.grid_nx = NX,
                                .grid_ny = NY,
                                .grid_nz = NZ,
                                .grid_dx = 1,
                                .grid_dy = 1,
                                .grid_dz = 1,
                                .grid_stretch_ratio = 1,
                                .grid_dz_max = 1};
    cr_assert_eq(grid_init(&f->grid, &f->config, &(struct grid_sizes){0}), 0);
    for (int n = 0; n < 3; n++) {
        f->in.field[n] = (struct field){.name = "f",
                                        .role = ROLE_PROGNOSTIC,
                                        .banks = 1,
                                        .stagger = n == 0   ? STAG_X
                                                   : n == 1 ? STAG_Y
                                                            : STAG_CENTRE};
        for (int face = 0; face < FACES; face++) f->in.field[n].ghost[face] = GHOST_OPEN;
        f->stage[n] = (struct stage){
            .name = "note", .run = note_run, .extend = n < 2, .access = {{.field = n, .mode = ACCESS_UPDATE}}};
        f->op[n] = (struct op){.stage = n, .dt_factor = 0.5, .every = 1, .arg = n};
    }
    f->model = (struct model){.name = "faces", .stage = f->stage, .nstages = 3};
    f->in.model = &f->model, f->in.config = &f->config, f->in.grid = &f->grid, f->in.op = f->op, f->in.ctx = f;
    f->in.nfields = f->in.nops = 3;
}

Test(engine, stages_that_extend_compute_the_far_faces_once)
{
    static const double time[2] = {0, 0};
    for (int v = 0; v < 16; v++) {
        const struct engine_options o = {.threads = 1 + (v & 1),
                                         .slabs = v & 2 ? 2 : 1,
                                         .steps_per_pass = 1 + (v >> 2 & 1),
                                         .window_rows = v & 8 ? 1 : 100,
                                         .poison = 1};
        struct faces f;
        struct engine e;
        faces_make(&f);
        struct state st = {.comm = alone, .grid = &f.grid, .in = &f.in};
        cr_assert_eq(engine_open(&e, &f.in, &st, &o), 0);
        cr_assert(engine_refresh(&e) == 0 && engine_run(&e, 0, time, 2.0, 2) == 0 && state_fetch(&st) == 0);
        cr_assert_eq(f.wrong, 0, "a stage saw what it did not declare");
        for (int n = 0; n < 3; n++)
            for (int j = 0; j < NY + 2; j++)
                for (int i = 0; i < NX + 2; i++) {
                    /* The box is one for all fields of a stage: both faces, whichever of them the field owns. */
                    const int due = i < NX + (n < 2) && j < NY + (n < 2) ? 2 : 0;
                    cr_assert_eq(f.seen[n][j][i], due, "stage %d, row %d, column %d: %d times", n, j, i,
                                 f.seen[n][j][i]);
                }
        const struct slab *s = &st.host.s;
        for (int k = 0; k < NZ; k++) { /* 0.5 x 2 s in each of two steps */
            cr_assert_eq(s->f[0][(2 - s->j0) * s->sj + k * s->sk + NX], (real)(2 * (200 + 10 * k + NX)));
            cr_assert_eq(s->f[1][(NY - s->j0) * s->sj + k * s->sk + 2], (real)(2 * (100 * NY + 10 * k + 2)));
        }
        engine_close(&e);
        grid_free(&f.grid);
    }
}

/* ---- sizes ---- */

/* Bytes of row j of a field, counted element by element, with ghosts as deep as any op reads. */
static size_t row_least(const struct program *p, const struct plan *plan, const struct form *x, int j)
{
    const struct extent *b = &x->box;
    const int gi = plan->gi > 1 ? plan->gi : 1, gk = plan->gk > 1 ? plan->gk : 1, full = x->shape == SHAPE_FULL;
    const int everywhere = b->j0 <= 0 && b->j1 >= p->grid.ny;
    size_t n = 0;
    if (x->shape == SHAPE_BOX && !everywhere && (j < b->j0 || j >= b->j1)) return 0;
    if (x->shape == SHAPE_BOX)
        for (int k = b->k0; k < b->k1; k++)
            for (int i = b->i0; i < b->i1; i++) n += (size_t)b->n;
    else
        for (int k = full ? -gk : 0; k < (full ? p->grid.nz + gk : 1); k++)
            for (int i = -gi; i < p->grid.nx + gi; i++) n++;
    return n * (x->bytes ? (size_t)x->bytes : sizeof(real));
}

/* The least that a plan needs: of slabs the host does without scratch fields and second banks. */
static size_t memory_least(const struct program *p, const struct engine *e)
{
    const struct plan *plan = &e->pass[0].plan;
    const int gj = plan->gj > 1 ? plan->gj : 1, gk = plan->gk > 1 ? plan->gk : 1;
    size_t bytes = 0;
    for (int id = 0; id < plan->nids; id++) {
        const struct form *x = &plan->form[id];
        const int passing = p->in.field[plan->field_of[id]].role == ROLE_SCRATCH || id != plan->field_of[id];
        if (x->shape == SHAPE_LEVELS) bytes += (size_t)(p->grid.nz + 1 + 2 * gk) * sizeof(real);
        else if (e->slabs == 1 || !passing)
            for (int j = -gj; j < p->grid.ny + gj; j++) bytes += row_least(p, plan, x, j);
    }
    return bytes;
}

Test(engine, memory_is_what_was_announced)
{
    for (unsigned seed = 0; seed < 60; seed++) {
        struct program p;
        program_make(&p, seed);
        const struct engine_options o = program_options(seed);
        struct state st = {.comm = alone, .grid = &p.grid, .in = &p.in};
        struct engine e;
        size_t bytes = 0, minimum = 0;
        cr_assert_eq(engine_memory(&p.in, &alone, &p.grid, &o, &bytes, &minimum), 0);
        cr_assert_eq(engine_open(&e, &p.in, &st, &o), 0);
        cr_assert(bytes == e.bytes && minimum <= bytes, "%zu announced, %zu taken", bytes, e.bytes);
        cr_assert_eq(minimum, memory_least(&p, &e), "seed %u: %zu, counted %zu", seed, minimum, memory_least(&p, &e));
        size_t taken = st.host.bytes;
        for (int n = 0; n < ENGINE_SLOTS; n++) taken += e.slot[n].bytes;
        for (int n = 0; n < 2; n++) taken += e.stream.keep[n].bytes;
        cr_assert(taken + ((size_t)8 << 20) >= bytes && bytes + ((size_t)8 << 20) >= taken); /* but for whole pages */
        engine_close(&e);
        program_free(&p);
    }
}

Test(engine, more_ranks_than_rows_are_refused)
{
    struct program p;
    program_make(&p, 3);
    const struct comm c = {.rank = 0, .size = p.grid.ny + 1};
    struct state st = {.comm = c, .grid = &p.grid, .in = &p.in};
    struct engine e;
    sf_error_clear();
    cr_assert_eq(engine_open(&e, &p.in, &st, &plain), SF_USAGE);
    cr_assert(strstr(sf_error_text(), "use at most"), "%s", sf_error_text());
    program_free(&p);
}

static void line_add(void *to, const char *text)
{
    strncat(to, text, 16000 - strlen(to));
    strncat(to, "\n", 16000 - strlen(to));
}

Test(engine, the_printed_plan_names_every_op)
{
    char text[16384] = "";
    struct program p;
    program_make(&p, 8);
    struct state st = {.comm = alone, .grid = &p.grid, .in = &p.in};
    struct engine e;
    cr_assert_eq(engine_open(&e, &p.in, &st, &plain), 0);
    engine_print(&e, line_add, text);
    int ops = 0;
    for (const char *at = text; (at = strstr(at, "  beyond ")); at++) ops++;
    cr_assert_eq(ops, p.in.nops, "%s", text);
    cr_assert(strstr(text, "pass: 1 step,") && strstr(text, "resident") && strstr(text, "MiB of this rank"), "%s",
              text);
    engine_close(&e);
    program_free(&p);
}
