/* Who sends which rows to whom: worked lists, and for every cut each ghost row that exists comes exactly once, from its
 * owner, whose list agrees. No message leaves this process. SPDX-License-Identifier: MIT */
#include "pipeline/backend.h"
#include "pipeline/halo.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

enum { GJ = 2, MAX_RANKS = 6 };

static const struct form form[2 * SF_MAX_FIELDS] = {{.shape = SHAPE_FULL}, {.shape = SHAPE_MAP}};

static struct halo halo_of(int rank, int size, int nj, int south, int north, int periodic)
{
    const struct comm c = {.rank = rank, .size = size};
    const struct plan_rows rows[] = {{.id = 0, .south = south, .north = north}, {.id = 1, .south = 1, .north = 0}};
    const struct layout l = layout_make(LAYOUT_LINE, 5, 3, nj, 1, 1);
    struct halo h;
    cr_assert_eq(halo_make(&h, rows, 2, form, &c, &l, periodic, GJ, 7, &backend_cpu, NULL), 0);
    return h;
}

static const struct halo_message *message_of(const struct halo_message *list, int n, int peer, int side)
{
    for (int m = 0; m < n; m++)
        if (list[m].peer == peer && list[m].side == side) return &list[m];
    return NULL;
}

static real *row_of(const struct storage *st, const struct layout *l, int j)
{
    return storage_row(&st->s, l, &form[0], 0, j);
}

Test(halo, three_ranks_by_hand)
{
    /* 12 rows: 0-3, 4-7, 8-11. The middle one needs 2 rows south and 3 north of field 0, one row south of the map. */
    struct halo h = halo_of(1, 3, 12, 2, 3, 0);
    cr_assert(h.nrecv == 2 && h.nsend == 2);
    const struct halo_message *south = message_of(h.recv, h.nrecv, 0, 0), *north = message_of(h.recv, h.nrecv, 2, 1);
    cr_assert(south && south->nparts == 2 && north && north->nparts == 1);
    cr_assert(south->part[0].id == 0 && south->part[0].to == 2 && south->part[0].from == 2 && south->part[0].rows == 2);
    cr_assert(south->part[1].id == 1 && south->part[1].to == 3 && south->part[1].rows == 1);
    cr_assert(north->part[0].to == 8 && north->part[0].rows == 3);
    const size_t full = layout_row_bytes(&h.lay, &form[0]), map = layout_row_bytes(&h.lay, &form[1]);
    cr_assert(south->bytes == 2 * full + map && north->bytes == 3 * full && halo_bytes(&h) == 5 * full + map);
    /* It gives rows 4-6 to the rank south of it, once these are final, and 6-7 and the map's row 7 to the north. */
    const struct halo_message *to_south = message_of(h.send, h.nsend, 0, 1),
                              *to_north = message_of(h.send, h.nsend, 2, 0);
    cr_assert(to_south && to_south->first == 4 && to_south->last == 6);
    cr_assert(to_north && to_north->first == 6 && to_north->last == 7);
    halo_free(&h);
    h = halo_of(0, 3, 12, 2, 3, 0);
    cr_assert(h.nrecv == 1 && h.recv[0].peer == 1 && h.recv[0].side == 1);
    halo_free(&h);
}

Test(halo, a_periodic_domain_wraps_as_often_as_it_must)
{
    /* 3 rows, 7 ghost rows south: -7 .. -1 are rows 2 0 1 2 0 1 2. */
    struct halo h = halo_of(0, 1, 3, 7, 0, 1);
    cr_assert(h.nrecv == 0 && h.nsend == 0);
    int row = -7;
    for (int p = 0; p < h.within.nparts; p++)
        for (int r = 0; r < h.within.part[p].rows && h.within.part[p].id == 0; r++, row++)
            cr_assert(h.within.part[p].to + r == row && h.within.part[p].from + r == (row + 9) % 3);
    cr_assert_eq(row, 0);
    halo_free(&h);
}

Test(halo, rows_beyond_a_side_are_not_sent)
{
    /* 4 rows on 4 ranks: rank 1 needs rows -2 .. 0 and 2 .. 4; row 4 may be a face that rank 3 owns. */
    struct halo h = halo_of(1, 4, 4, 3, 3, 0);
    const struct halo_message *last = message_of(h.recv, h.nrecv, 3, 1), *first = message_of(h.recv, h.nrecv, 0, 0);
    cr_assert(last && last->part[0].to == 3 && last->part[0].rows == 2);
    cr_assert(first && first->part[0].to == 0 && first->part[0].rows == 1);
    halo_free(&h);
    h = halo_of(3, 4, 4, 3, 3, 0);
    const struct halo_message *face = message_of(h.send, h.nsend, 1, 1);
    cr_assert(face && face->last == INT_MAX - 1, "the face is final when all is");
    halo_free(&h);
}

Test(halo, what_one_sends_another_expects)
{
    for (int size = 1; size <= MAX_RANKS; size++)
        for (int nj = size; nj <= 3 * size + 1; nj += 2)
            for (int deep = 0; deep <= 7; deep++)
                for (int periodic = 0; periodic < 2; periodic++) {
                    struct halo h[MAX_RANKS];
                    for (int r = 0; r < size; r++) h[r] = halo_of(r, size, nj, deep, (deep + 1) % 5, periodic);
                    for (int r = 0; r < size; r++) {
                        int ja, jb, due[64] = {0};
                        comm_rows(&h[r].comm, nj, r, &ja, &jb);
                        for (int m = 0; m <= h[r].nrecv; m++) {
                            const int own = m == h[r].nrecv;
                            const struct halo_message *x = own ? &h[r].within : &h[r].recv[m];
                            if (!own) {
                                const struct halo_message *y =
                                    message_of(h[x->peer].send, h[x->peer].nsend, r, x->side);
                                cr_assert(x->peer != r && y && y->nparts == x->nparts && y->bytes == x->bytes);
                                cr_assert_eq(memcmp(x->part, y->part, (size_t)x->nparts * sizeof *x->part), 0);
                            }
                            for (int p = 0; p < x->nparts; p++)
                                for (int n = 0; n < x->part[p].rows; n++) {
                                    const int to = x->part[p].to + n, from = x->part[p].from + n;
                                    cr_assert(periodic ? (to - from) % nj == 0 && from >= 0 && from < nj : to == from);
                                    cr_assert_eq(comm_owner(&h[r].comm, nj, SF_MIN(from, nj - 1)), own ? r : x->peer);
                                    cr_assert(own ? to < ja || to >= jb : x->side == 0 ? to < ja : to >= jb);
                                    if (x->part[p].id == 0) due[to + 16]++;
                                }
                        }
                        for (int j = ja - deep; j < jb + (deep + 1) % 5; j++) {
                            const int own = j >= ja && j < jb, last = jb == nj && j == nj;
                            const int exists = periodic || (j >= 0 && j <= nj && !last);
                            cr_assert_eq(due[j + 16], !own && exists, "row %d of rank %d of %d, %d rows", j, r, size,
                                         nj);
                        }
                    }
                    for (int r = 0; r < size; r++) halo_free(&h[r]);
                }
}

/* One rank is its own neighbour across the seam. */
Test(halo, a_seam_within_a_rank)
{
    const struct layout l = layout_make(LAYOUT_LINE, 5, 3, 4, 1, 1);
    struct halo h = halo_of(0, 1, 4, 2, 2, 1);
    struct storage st;
    cr_assert_eq(storage_init(&st, &backend_cpu, &l, 2, form, NULL, -2, 8), 0);
    for (int j = 0; j < 4; j++) *row_of(&st, &l, j) = (real)(j + 1);
    cr_assert(halo_begin(&h) == 0 && halo_send(&h, &st.s, 0, 4) == 0);
    cr_assert(halo_end(&h, &st.s, 0) == 0 && halo_end(&h, &st.s, 1) == 0);
    cr_assert_eq(*row_of(&st, &l, 4), 0, "copied when a sweep may be under way");
    for (int t = 2; t >= 0; t--) halo_wrap(&h, &st.s, t, 3);
    cr_assert(*row_of(&st, &l, 4) == 1 && *row_of(&st, &l, 5) == 2);
    cr_assert(*row_of(&st, &l, -1) == 4 && *row_of(&st, &l, -2) == 3);
    storage_free(&st);
    halo_free(&h);
}
