/* One arena for all fields of a slab, but for those that are folded. SPDX-License-Identifier: MIT */
#include "pipeline/storage.h"

#include "pipeline/backend.h"
#include "pipeline/error.h"

#include <stdint.h>
#include <string.h>

enum {
    COLOURS = 5, /* lines between fields, so that they use different cache sets */
    PAGE = 4 << 10
};

static ptrdiff_t elements_of(const struct layout *l) { return l->line / (ptrdiff_t)sizeof(real); }

/* Elements of a real, in whole lines. */
static ptrdiff_t round_up(const struct layout *l, ptrdiff_t n)
{
    return (n + elements_of(l) - 1) / elements_of(l) * elements_of(l);
}

static size_t whole_lines(const struct layout *l, size_t bytes)
{
    const size_t line = (size_t)l->line;
    return (bytes + line - 1) / line * line;
}

struct layout layout_make(int line, int ni, int nk, int nj, int gi, int gk)
{
    struct layout l = {.line = line, .ni = ni, .nk = nk, .nj = nj, .gi = gi, .gk = gk};
    /* Boxes that a device's copy engine brings begin at multiples of 16 bytes: from there on a level has all of its
     * columns. */
    const ptrdiff_t piece = line > LAYOUT_LINE ? 16 / (ptrdiff_t)sizeof(real) : 1,
                    west = (gi + piece - 1) / piece * piece;
    l.sk = round_up(&l, ni + gi + west);
    l.sm = l.sk;
    l.sj = l.sk * (nk + 2 * gk);
    /* Rows a multiple of 2 KiB apart fall into few cache sets: put one line between them. */
    if (l.sj * (ptrdiff_t)sizeof(real) % 2048 == 0) l.sj += elements_of(&l);
    return l;
}

struct form form_of(const struct field *f)
{
    return (struct form){.shape = f->shape, .box = f->box, .bytes = f->bytes};
}

static size_t element_bytes(const struct form *f) { return f->bytes ? (size_t)f->bytes : sizeof(real); }

static int is_everywhere(const struct form *f, int nj) { return f->box.j0 <= 0 && f->box.j1 >= nj; }

int form_rows(const struct form *f, int nj, int *j0, int *j1)
{
    if (f->shape == SHAPE_LEVELS) return 0;
    if (f->shape == SHAPE_BOX && !is_everywhere(f, nj)) {
        *j0 = SF_MAX(*j0, f->box.j0);
        *j1 = SF_MIN(*j1, f->box.j1);
    }
    return *j0 < *j1;
}

int form_is_short(const struct form *f, int nj, int rows)
{
    return f->shape == SHAPE_BOX && !is_everywhere(f, nj) && f->box.j1 - f->box.j0 <= rows;
}

static size_t box_row_elements(const struct extent *b)
{
    if (b->i1 <= b->i0 || b->k1 <= b->k0 || b->j1 <= b->j0 || b->n < 1) return 0;
    return (size_t)(b->i1 - b->i0) * (size_t)(b->k1 - b->k0) * (size_t)b->n;
}

size_t layout_row_bytes(const struct layout *l, const struct form *f)
{
    if (f->shape == SHAPE_LEVELS) return 0;
    if (f->shape == SHAPE_BOX) return box_row_elements(&f->box) * element_bytes(f);
    return (size_t)(f->shape == SHAPE_MAP ? l->sm : l->sj) * element_bytes(f);
}

/* Rows of a box among so many from j0 on. */
static size_t box_rows(const struct layout *l, const struct form *f, int j0, int rows)
{
    int first = j0, last = j0 + rows;
    if (is_everywhere(f, l->nj)) return (size_t)rows;
    if (j0 == STORAGE_MOVES) return (size_t)SF_MIN(rows, f->box.j1 - f->box.j0);
    return form_rows(f, l->nj, &first, &last) ? (size_t)(last - first) : 0;
}

static size_t field_bytes(const struct layout *l, const struct form *f, int j0, int rows)
{
    const size_t lead = (size_t)round_up(l, l->gi) * element_bytes(f);
    if (f->shape == SHAPE_LEVELS) return whole_lines(l, (size_t)(l->nk + 1 + 2 * l->gk) * sizeof(real));
    if (f->shape == SHAPE_BOX) {
        const size_t row = layout_row_bytes(l, f);
        return row ? whole_lines(l, row * box_rows(l, f, j0, rows)) + (size_t)(COLOURS * l->line) : 0;
    }
    return whole_lines(l, lead + (size_t)rows * layout_row_bytes(l, f)) + (size_t)(COLOURS * l->line);
}

size_t storage_bytes(const struct layout *l, int n, const struct form *form, const unsigned char *skip, int j0,
                     int rows)
{
    size_t bytes = (size_t)l->line;
    for (int id = 0; id < n; id++)
        if (!skip || !skip[id]) bytes += field_bytes(l, &form[id], j0, rows);
    return bytes;
}

size_t storage_least(const struct layout *l, int n, const struct form *form, const unsigned char *skip, int j0, int j1)
{
    const size_t level = (size_t)(l->ni + 2 * l->gi), levels = (size_t)(l->nk + 2 * l->gk);
    size_t bytes = 0;
    for (int id = 0; id < n; id++) {
        const struct form *const f = &form[id];
        int first = j0, last = j1;
        if (skip && skip[id]) continue;
        if (f->shape == SHAPE_LEVELS) bytes += (levels + 1) * sizeof(real);
        if (!form_rows(f, l->nj, &first, &last)) continue;
        const size_t row = f->shape == SHAPE_BOX   ? box_row_elements(&f->box)
                           : f->shape == SHAPE_MAP ? level
                                                   : level * levels;
        bytes += row * element_bytes(f) * (size_t)(last - first);
    }
    return bytes;
}

size_t storage_pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* Period of a storage that is folded; 0: whole it takes no more. */
static size_t period_of(const struct layout *l, size_t grain, const struct form *f, int held, int rows)
{
    const size_t period = (layout_row_bytes(l, f) * (size_t)SF_MAX(held, 0) + grain - 1) / grain * grain;
    return period < field_bytes(l, f, STORAGE_MOVES, rows) ? period : 0;
}

size_t storage_bytes_folded(const struct layout *l, size_t grain, int n, const struct form *form, const int *held,
                            int rows)
{
    size_t whole = (size_t)l->line, folded = 0;
    for (int id = 0; id < n; id++) {
        const size_t period = period_of(l, grain, &form[id], held[id], rows);
        folded += period;
        if (!period) whole += field_bytes(l, &form[id], STORAGE_MOVES, rows);
    }
    return storage_pages(whole) + folded;
}

static int memory_check(const struct storage *st, const void *memory, size_t bytes, size_t room)
{
    const double mib = 1048576.0;
    SF_CHECK(
        memory || !st->on->is_device, SF_MEMORY,
        "no memory for %.1f MiB of fields on the GPU, which has %.1f MiB left: use fewer cells, more GPUs, more slabs (&pipeline "
        "slabs) or --backend cpu",
        (double)bytes / mib, (double)room / mib);
    SF_CHECK(memory, SF_MEMORY,
             "no memory for %.1f MiB of fields: use fewer cells, more ranks, or more slabs (&pipeline slabs)",
             (double)bytes / mib);
    return SF_OK;
}

/* A storage begins at `at`: of rows from s.j0 on. */
static void field_place(struct storage *st, int id, char *at)
{
    const struct layout *const l = &st->lay;
    const struct form *const f = &st->form[id];
    const ptrdiff_t lead =
        f->shape == SHAPE_LEVELS ? l->gk : round_up(l, l->gi) + (f->shape == SHAPE_FULL ? l->gk * l->sk : 0);
    if (f->shape == SHAPE_BOX) st->base[id] = at;
    else st->s.f[id] = (real *)(void *)(at + lead * (ptrdiff_t)element_bytes(f));
}

/* Whole periods, so that any row may be the first of as many as there is memory for. */
static int field_fold(struct storage *st, size_t grain, int id, size_t bytes, size_t period)
{
    const size_t colour = (size_t)(id * COLOURS * st->lay.line) % grain;
    size_t room;
    struct fold f = {.bytes = (colour + bytes + period - 1) / period * period, .period = period};
    f.at = st->on->fold(f.bytes, period, &room);
    if (!f.at) SF_TRY(st->on->check("mapping memory"));
    SF_TRY(memory_check(st, f.at, period, room));
    st->fold[id] = f;
    field_place(st, id, f.at + colour);
    return SF_OK;
}

/* held NULL: nothing is folded. */
static int storage_make(struct storage *st, size_t grain, int n, const struct form *form, const unsigned char *skip,
                        const int *held)
{
    const int rows = st->s.rows, first = st->moves ? STORAGE_MOVES : st->s.j0;
    size_t room, whole = 0;
    for (int id = 0; id < n; id++) st->form[id] = form[id];
    for (int id = st->n = 0; id < n; id++) {
        const size_t bytes = skip && skip[id] ? 0 : field_bytes(&st->lay, &form[id], first, rows);
        const size_t period = held ? period_of(&st->lay, grain, &form[id], held[id], rows) : 0;
        if (period) SF_TRY(field_fold(st, grain, id, bytes, period));
        else whole += bytes;
        st->n = id + 1;
    }
    st->bytes = storage_pages((size_t)st->lay.line + whole);
    st->arena = st->on->alloc(st->bytes, &room);
    SF_TRY(memory_check(st, st->arena, st->bytes, room));
    char *at = st->arena;
    for (int id = 0; id < n; id++) {
        const size_t bytes =
            (skip && skip[id]) || st->fold[id].period ? 0 : field_bytes(&st->lay, &form[id], first, rows);
        if (bytes) field_place(st, id, at);
        at += bytes;
    }
    storage_place(st, st->s.j0);
    return SF_OK;
}

static struct storage storage_of(const struct backend *on, const struct layout *l, int moves, int j0, int rows)
{
    return (struct storage){
        .lay = *l,
        .on = on,
        .moves = moves,
        .s = {.sk = l->sk, .sj = l->sj, .sm = l->sm, .ni = l->ni, .nk = l->nk, .nj = l->nj, .j0 = j0, .rows = rows}};
}

int storage_init(struct storage *st, const struct backend *on, const struct layout *l, int n, const struct form *form,
                 const unsigned char *skip, int j0, int rows)
{
    const int moves = j0 == STORAGE_MOVES;
    *st = storage_of(on, l, moves, moves ? 0 : j0, rows);
    return storage_make(st, 0, n, form, skip, NULL);
}

int storage_init_folded(struct storage *st, const struct backend *on, const struct layout *l, size_t grain, int n,
                        const struct form *form, const int *held, int j0, int rows)
{
    *st = storage_of(on, l, 1, j0, rows);
    return storage_make(st, grain, n, form, NULL, held);
}

void storage_place(struct storage *st, int j0)
{
    st->s.j0 = j0;
    for (int id = 0; id < st->n; id++) {
        if (!st->base[id]) continue;
        /* A box that begins further north: its row j0 would lie before its memory, and is not touched. */
        const struct form *const f = &st->form[id];
        const int apart =
            st->moves ? form_is_short(f, st->lay.nj, st->s.rows) : !is_everywhere(f, st->lay.nj) && f->box.j0 > j0;
        const ptrdiff_t first = apart ? f->box.j0 : j0;
        const ptrdiff_t before = (first - j0) * (ptrdiff_t)layout_row_bytes(&st->lay, f);
        st->s.f[id] = (real *)(void *)((uintptr_t)st->base[id] - (uintptr_t)before);
    }
}

void storage_free(struct storage *st)
{
    for (int id = 0; id < st->n; id++)
        if (st->fold[id].period) st->on->unfold(st->fold[id].at, st->fold[id].bytes, st->fold[id].period);
    if (st->arena) st->on->free(st->arena);
    memset(st, 0, sizeof *st);
}

void *storage_row(const struct slab *s, const struct layout *l, const struct form *f, int id, int j)
{
    const ptrdiff_t row = j - s->j0, size = (ptrdiff_t)element_bytes(f);
    char *const at = (char *)s->f[id];
    if (f->shape == SHAPE_BOX) return (void *)((uintptr_t)at + (uintptr_t)(row * (ptrdiff_t)layout_row_bytes(l, f)));
    if (f->shape == SHAPE_MAP) return at + (row * l->sm - l->gi) * size;
    return at + (row * l->sj - l->gk * l->sk - l->gi) * size;
}
