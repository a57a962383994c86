/* Extents, digest and places of bad values, on the small model of support_state. SPDX-License-Identifier: MIT */
#include "support_state.h"

#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NX = 5, NY = 7, NZ = 4 };

static real *at(struct toy *t, int id, int j, int k, int i)
{
    struct slab *s = &t->st.host.s;
    if (t->in.field[id].shape == SHAPE_MAP) return s->f[id] + (j - s->j0) * s->sm + i;
    return s->f[id] + (j - s->j0) * s->sj + k * s->sk + i;
}

static void extent(const struct toy *t, int id, int *ni, int *nk, int *nj)
{
    field_extent(&t->in.field[id], &t->grid, ni, nk, nj);
}

Test(state, extents_by_stagger_and_side)
{
    const struct grid g = {.nx = NX, .ny = NY, .nz = NZ};
    static const enum ghost rule[] = {GHOST_PERIODIC, GHOST_EVEN, GHOST_ODD, GHOST_OPEN};
    for (unsigned stagger = 0; stagger < 8; stagger++)
        for (int r = 0; r < 4; r++) {
            struct field f = {.stagger = stagger, .shape = SHAPE_FULL};
            for (int face = 0; face < FACES; face++) f.ghost[face] = face < FACE_B ? rule[r] : GHOST_ODD;
            const int more = rule[r] != GHOST_PERIODIC;
            int ni, nk, nj;
            field_extent(&f, &g, &ni, &nk, &nj);
            cr_assert_eq(ni, NX + (stagger & STAG_X ? more : 0));
            cr_assert_eq(nj, NY + (stagger & STAG_Y ? more : 0));
            cr_assert_eq(nk, NZ + (stagger & STAG_Z ? 1 : 0));
        }
    int ni, nk, nj;
    field_extent(&(struct field){.shape = SHAPE_MAP}, &g, &ni, &nk, &nj);
    cr_assert(ni == NX && nk == 1 && nj == NY);
}

/* The stream that the header promises: kept fields by number, native, [j][k][i]. */
static unsigned long long digest_by_hand(struct toy *t)
{
    static real stream[8 * (NX + 1) * (NY + 1) * (NZ + 1)];
    size_t n = 0;
    for (int id = 0; id < TOY_FIELDS; id++) {
        int ni, nk, nj;
        if (!field_is_kept(&t->in.field[id])) continue;
        extent(t, id, &ni, &nk, &nj);
        for (int j = 0; j < nj; j++)
            for (int k = 0; k < nk; k++)
                for (int i = 0; i < ni; i++) stream[n++] = *at(t, id, j, k, i);
    }
    return XXH3_64bits(stream, n * sizeof *stream);
}

static unsigned long long digest_of(struct toy *t)
{
    unsigned long long d = 0;
    cr_assert_eq(state_digest(&t->st, &d), SF_OK);
    return d;
}

Test(state, digest_is_that_of_the_native_values)
{
    struct toy t;
    toy_open(&t, NX, NY, NZ, -1);
    toy_fill(&t, 0.25);
    cr_assert_eq(digest_of(&t), digest_by_hand(&t));
    toy_close(&t);
}

/* Larger than the pieces that it is gathered in. */
Test(state, digest_of_many_pieces)
{
    enum { N = 120 };
    struct toy t;
    toy_open(&t, N, N, N, -1);
    toy_fill(&t, 0.5);
    XXH3_state_t *x = XXH3_createState();
    XXH3_64bits_reset(x);
    for (int id = 0; id < TOY_FIELDS; id++) {
        int ni, nk, nj;
        extent(&t, id, &ni, &nk, &nj);
        for (int j = 0; j < nj && field_is_kept(&t.in.field[id]); j++)
            for (int k = 0; k < nk; k++) XXH3_64bits_update(x, at(&t, id, j, k, 0), (size_t)ni * sizeof(real));
    }
    cr_assert_eq(digest_of(&t), XXH3_64bits_digest(x));
    XXH3_freeState(x);
    toy_close(&t);
}

/* Every native value counts; ghosts and scratch do not. */
Test(state, digest_sees_native_values_only)
{
    struct toy t;
    toy_open(&t, NX, NY, NZ, -1);
    toy_fill(&t, 0);
    const unsigned long long whole = digest_of(&t);
    for (int id = 0; id < TOY_FIELDS; id++) {
        int ni, nk, nj;
        extent(&t, id, &ni, &nk, &nj);
        const int kept = field_is_kept(&t.in.field[id]), map = t.in.field[id].shape == SHAPE_MAP;
        for (int j = -1; j <= NY; j++)
            for (int k = map ? 0 : -1; k <= (map ? 0 : NZ); k++)
                for (int i = -1; i <= NX; i++) {
                    const int native = kept && i >= 0 && i < ni && k >= 0 && k < nk && j >= 0 && j < nj;
                    real *x = at(&t, id, j, k, i), old = *x;
                    *x += 1;
                    cr_assert_eq(digest_of(&t) != whole, native, "field %d at %d %d %d", id, j, k, i);
                    *x = old;
                }
    }
    cr_assert_eq(digest_of(&t), whole);
    toy_close(&t);
}

Test(state, bad_values_are_found_and_named)
{
    struct toy t;
    char where[256], place[64];
    toy_open(&t, NX, NY, NZ, -1);
    toy_fill(&t, 0);
    const real bad[] = {(real)-NAN, (real)INFINITY, (real)-INFINITY};
    static const char *const value[] = {" = NaN ", " = Inf ", " = -Inf "};
    int found, n = 0;
    cr_assert_eq(state_find_bad(&t.st, &found, where, sizeof where), SF_OK);
    cr_assert_eq(found, 0);
    for (int id = 0; id < TOY_FIELDS; id++) {
        int ni, nk, nj;
        extent(&t, id, &ni, &nk, &nj);
        const int kept = field_is_kept(&t.in.field[id]), map = t.in.field[id].shape == SHAPE_MAP;
        for (int j = -1; j <= NY; j++)
            for (int k = map ? 0 : -1; k <= (map ? 0 : NZ); k++)
                for (int i = -1; i <= NX; i++) {
                    const int native = kept && i >= 0 && i < ni && k >= 0 && k < nk && j >= 0 && j < nj;
                    real *x = at(&t, id, j, k, i), old = *x;
                    const int which = n++ % 3;
                    *x = bad[which];
                    cr_assert_eq(state_find_bad(&t.st, &found, where, sizeof where), SF_OK);
                    cr_assert_eq(found, native, "field %d at %d %d %d", id, j, k, i);
                    snprintf(place, sizeof place, "i = %d, j = %d, k = %d ", i, j, k);
                    if (native) cr_assert(strstr(where, place) && strstr(where, value[which]), "%s", where);
                    if (native) cr_assert_eq(strncmp(where, t.in.field[id].name, strlen(t.in.field[id].name)), 0);
                    *x = old;
                }
    }
    toy_close(&t);
}

Test(state, the_first_bad_value_is_named)
{
    struct toy t;
    char where[256];
    int found;
    toy_open(&t, NX, NY, NZ, -1);
    toy_fill(&t, 0);
    *at(&t, TOY_S, 6, 0, 0) = (real)NAN;
    *at(&t, TOY_W, 2, 3, 1) = (real)NAN;
    *at(&t, TOY_U, 2, 3, 2) = (real)NAN;
    *at(&t, TOY_V, 2, 4 - 1, 1) = (real)NAN;
    cr_assert_eq(state_find_bad(&t.st, &found, where, sizeof where), SF_OK);
    cr_assert(strstr(where, "v = "), "%s", where); /* the same cell as w, and a lower number */
    cr_assert(strstr(where, "i = 1, j = 2, k = 3"), "%s", where);
    toy_close(&t);
}

/* Speeds are weighed by the cells that they cross: dx 100, dy 250, dz about 50 m. */
Test(state, the_fastest_is_named)
{
    struct toy t;
    char where[256];
    toy_open(&t, NX, NY, NZ, -1);
    for (int id = 0; id < TOY_FIELDS; id++) {
        int ni, nk, nj;
        extent(&t, id, &ni, &nk, &nj);
        for (int j = 0; j < nj; j++)
            for (int k = 0; k < nk; k++)
                for (int i = 0; i < ni; i++) *at(&t, id, j, k, i) = id == TOY_S ? R(1e6) : R(1.0);
    }
    *at(&t, TOY_V, 7, 1, 3) = R(-200.0);
    *at(&t, TOY_U, 3, 2, 4) = R(100.0);
    cr_assert_eq(state_find_fastest(&t.st, where, sizeof where), SF_OK);
    cr_assert(strstr(where, "u = 100") && strstr(where, "i = 4, j = 3, k = 2"), "%s", where);
    *at(&t, TOY_W, 1, 1, 0) = R(-90.0);
    cr_assert_eq(state_find_fastest(&t.st, where, sizeof where), SF_OK);
    cr_assert(strstr(where, "w = -90") && strstr(where, "i = 0, j = 1, k = 1"), "%s", where);
    toy_close(&t);
}
