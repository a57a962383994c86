/* Stages of elements of the EM model: what each reads and changes, how far, by value; that variants between two
 * steps and of imaginary parts have the rows of what they follow from; and that bodies are handed those fields.
 * SPDX-License-Identifier: MIT */
#include "maxwell/bloch.h"
#include "maxwell/maxwell.h"
#include "maxwell/probe.h"
#include "maxwell/source.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum way { END, OWN, BEHIND, AHEAD, CHANGED };
enum { GROUPS = 6 };

/* Fields first .. first + n - 1, alike. */
struct group {
    enum way way;
    int first, n;
};

static const struct want {
    const char *stage;
    stage_changes *changes;
    int sides, has_sums;
    struct group group[GROUPS];
} wants[] = {
    {"source_h", source_h_changes, 0, 0, {{CHANGED, F_HX, 3}, {OWN, F_MHX, 3}}},
    {"source_e", source_e_changes, 0, 0, {{CHANGED, F_EX, 3}, {OWN, F_MEX, 3}}},
    {"disperse", NULL, SIDES_ZERO, 1, {{CHANGED, F_EX, 3}, {OWN, F_MEX, 3}}},
    {"disperse_among", NULL, 0, 1, {{OWN, F_EX, 3}, {OWN, F_MEX, 3}}},
    {"monitor", NULL, SIDES_BOUND | SIDES_ROUND, 1, {{OWN, F_EX, 3}, {BEHIND, F_HX, 3}}},
    {"probe", NULL, 0, 0, {{OWN, F_EX, 6}}},
    {"bloch_h",
     bloch_h_changes,
     0,
     0,
     {{CHANGED, F_HX, 3}, {CHANGED, F_HX_IM, 3}, {AHEAD, F_EX, 3}, {AHEAD, F_EX_IM, 3}, {OWN, F_MHX, 3}}},
    {"bloch_e",
     bloch_e_changes,
     0,
     0,
     {{CHANGED, F_EX, 3}, {CHANGED, F_EX_IM, 3}, {BEHIND, F_HX, 3}, {BEHIND, F_HX_IM, 3}, {OWN, F_MEX, 3}}},
    {"source_e_rim", source_e_changes, 0, 0, {{CHANGED, F_MID_EX, 3}, {OWN, F_MEX, 3}}},
    {"disperse_rim", NULL, SIDES_ZERO, 1, {{CHANGED, F_MID_EX, 3}, {OWN, F_MEX, 3}}},
    {"disperse_among_rim", NULL, 0, 1, {{OWN, F_MID_EX, 3}, {OWN, F_MEX, 3}}},
    {"monitor_rim", NULL, SIDES_BOUND | SIDES_ROUND, 1, {{OWN, F_MID_EX, 3}, {BEHIND, F_MID_HX, 3}}},
    {"probe_rim", NULL, 0, 0, {{OWN, F_MID_EX, 6}}},
    {"source_h_im", source_h_changes, 0, 0, {{CHANGED, F_HX_IM, 3}, {OWN, F_MHX, 3}}},
    {"source_e_im", source_e_changes, 0, 0, {{CHANGED, F_EX_IM, 3}, {OWN, F_MEX, 3}}},
    {"disperse_im", NULL, SIDES_ZERO, 1, {{CHANGED, F_EX_IM, 3}, {OWN, F_MEX, 3}}},
    {"disperse_among_im", NULL, 0, 1, {{OWN, F_EX_IM, 3}, {OWN, F_MEX, 3}}},
    {"monitor_im", NULL, SIDES_BOUND | SIDES_ROUND, 1, {{OWN, F_EX_IM, 3}, {BEHIND, F_HX_IM, 3}}},
    {"probe_im", NULL, 0, 0, {{OWN, F_EX_IM, 6}}},
};

static const struct stage *stage_named(const char *name)
{
    for (int n = 0; n < maxwell_model.nstages; n++)
        if (!strcmp(maxwell_model.stage[n].name, name)) return &maxwell_model.stage[n];
    cr_assert_fail("no stage %s", name);
    return NULL;
}

static const struct access *access_of(const struct stage *s, int field)
{
    for (const struct access *a = s->access; a->mode != ACCESS_END; a++)
        if (a->field == field) return a;
    cr_assert_fail("%s does not touch field %d", s->name, field);
    return NULL;
}

static int accesses_of(const struct stage *s)
{
    int n = 0;
    while (s->access[n].mode != ACCESS_END) n++;
    return n;
}

static void expect_access(const struct stage *s, int field, enum way way)
{
    static const struct reach reach[] = {
        [OWN] = {0}, [BEHIND] = {1, 0, 1, 0, 1, 0}, [AHEAD] = {0, 1, 0, 1, 0, 1}, [CHANGED] = {0}};
    const struct access *const a = access_of(s, field);
    cr_expect(a->mode == (way == CHANGED ? ACCESS_UPDATE : ACCESS_READ), "%s, field %d: mode %d", s->name, field,
              a->mode);
    cr_expect(!memcmp(&a->reach, &reach[way], sizeof a->reach), "%s, field %d: %d %d %d %d %d %d", s->name, field,
              a->reach.im, a->reach.ip, a->reach.km, a->reach.kp, a->reach.jm, a->reach.jp);
    cr_expect(a->rare == RARE_ALL && !a->family, "%s, field %d: not rare", s->name, field);
}

Test(elements, rows_are_what_bodies_touch)
{
    for (const struct want *w = wants; w < wants + sizeof wants / sizeof wants[0]; w++) {
        const struct stage *const s = stage_named(w->stage);
        int n = w->has_sums;
        for (const struct group *g = w->group; g < w->group + GROUPS; n += g++->n)
            for (int f = g->first; f < g->first + g->n; f++) expect_access(s, f, g->way);
        cr_expect_eq(accesses_of(s), n, "%s touches %d fields, not %d", s->name, accesses_of(s), n);
        cr_expect(s->unit == UNIT_POINT && s->extend == 1 && !(s->flops < 0 || s->flops > 0) && !s->work_bytes);
        cr_expect_eq(s->sides, w->sides, "%s: sides %d", s->name, s->sides);
        cr_expect_eq(s->changes, w->changes, "%s changes another part", s->name);
        const int is_rim = strstr(s->name, "_rim") != NULL; /* of kernels alone */
        cr_expect_eq(s->run == NULL, is_rim, "%s: no loop where there should be one, or one too many", s->name);
        if (!w->has_sums) continue;
        const struct access *const sums = access_of(s, F_SUMS);
        cr_expect(sums->mode == ACCESS_UPDATE && sums->family == 1 && sums->nth == 0 && sums->rare == RARE_ALL);
    }
}

/* The half steps of imaginary parts: each access is that of the real part, of the field that stands for it. */
Test(elements, half_steps_of_imaginary_parts_have_rows_of_the_real_ones)
{
    static const char *const half[] = {"h", "e"};
    for (int n = 0; n < 2; n++) {
        char name[8];
        const struct stage *const s = stage_named(half[n]);
        snprintf(name, sizeof name, "%s_im", half[n]);
        const struct stage *const im = stage_named(name);
        cr_expect_eq(accesses_of(im), accesses_of(s));
        for (const struct access *a = s->access; a->mode != ACCESS_END; a++) {
            const int field = a->field < F_MEX     ? a->field + F_EX_IM
                              : a->field < F_PSI_W ? a->field
                                                   : a->field - F_PSI_W + F_PSI_W_IM;
            const struct access *const b = access_of(im, field);
            cr_expect(a->mode == b->mode && a->rare == b->rare && !memcmp(&a->reach, &b->reach, sizeof a->reach),
                      "%s, field %d", name, field);
        }
        cr_expect(im->run != NULL && im->run != s->run);
        cr_expect(im->unit == s->unit && im->extend == s->extend && !(im->flops < s->flops || im->flops > s->flops));
    }
}

/* ---- fields of one element each, whose value is its number ---- */

static real value[F_SUMS];
static struct slab numbered(void)
{
    struct slab s = {.sj = 1, .sk = 1};
    for (int f = 0; f < F_SUMS; f++) value[f] = (real)f, s.f[f] = s.w[f] = &value[f];
    return s;
}

static const struct box one = {0, 1, 0, 1, 0, 1};

/* Real parts, and behind them the imaginary ones. */
Test(elements, probes_read_the_part_that_they_are_of)
{
    struct box at[6] = {{0}};
    real pass[2][12] = {{0}};
    const struct probes probes = {.n = 1, .parts = 2, .at = at, .rows = 1, .jb = 1, .pass = pass[0]};
    const struct maxwell x = {.probes = &probes};
    const struct call c = {.ctx = &x, .pass_step = 1};
    const struct slab s = numbered();
    probe_run(&s, one, &c);
    for (int n = 0; n < 12; n++) cr_assert(pass[1][n] == (n < 6 ? (real)(F_EX + n) : 0) && pass[0][n] == 0, "%d", n);
    probe_im_run(&s, one, &c);
    for (int n = 6; n < 12; n++) cr_assert_eq(pass[1][n], (real)(F_EX_IM + n - 6), "%d", n);
}

/* A dipole drives its component, of the real part alone. */
Test(elements, dipoles_drive_real_parts)
{
    real add = R(0.25);
    for (int component = 0; component < 6; component++) {
        const struct source source = {
            .drive = DRIVE_SOFT, .component = component, .at = {{0, 0, 0}, {1, 1, 1}}, .value = &add};
        real turn = R(2.0);
        const struct maxwell x = {
            .source = &source, .nsources = 1, .e = {.n = 1, .turn = &turn}, .h = {.n = 1, .turn = &turn}};
        const struct call c = {.ctx = &x};
        const struct slab s = numbered();
        source_h_im_run(&s, one, &c), source_e_im_run(&s, one, &c);
        for (int f = 0; f < F_SUMS; f++) cr_assert_eq(value[f], (real)f, "component %d changes field %d", component, f);
        source_h_run(&s, one, &c), source_e_run(&s, one, &c);
        for (int f = 0; f < F_SUMS; f++)
            cr_assert_eq(value[f], (real)f + (f == F_EX + component ? add : 0), "component %d, field %d", component, f);
    }
}
