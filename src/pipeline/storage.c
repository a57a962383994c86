/* One arena for all fields of a slab. SPDX-License-Identifier: MIT */
#include "pipeline/storage.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LINE = 64,                      /* bytes of a cache line */
    ALIGN = LINE / (int)sizeof(real), /* elements of a cache line */
    COLOUR = 5 * LINE,              /* offset between fields, so that they use different cache sets */
    PAGE = 4 << 10,
    HUGE_PAGE = 2 << 20
};

static ptrdiff_t round_up(ptrdiff_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }

struct layout layout_make(int ni, int nk, int nj, int gi, int gk)
{
    struct layout l = {.ni = ni, .nk = nk, .nj = nj, .gi = gi, .gk = gk};
    l.sk = round_up(ni + 2 * gi);
    l.sm = l.sk;
    l.sj = l.sk * (nk + 2 * gk);
    /* Rows a multiple of 2 KiB apart fall into few cache sets: put one line between them. */
    if (l.sj * (ptrdiff_t)sizeof(real) % 2048 == 0) l.sj += ALIGN;
    return l;
}

size_t layout_row_bytes(const struct layout *l, enum shape shape)
{
    if (shape == SHAPE_LEVELS) return 0;
    return (size_t)(shape == SHAPE_MAP ? l->sm : l->sj) * sizeof(real);
}

static size_t field_bytes(const struct layout *l, enum shape shape, int rows)
{
    const size_t lead = (size_t)round_up(l->gi) * sizeof(real);
    if (shape == SHAPE_LEVELS) return ((size_t)(l->nk + 1 + 2 * l->gk) * sizeof(real) + LINE - 1) / LINE * LINE;
    return lead + (size_t)rows * layout_row_bytes(l, shape) + COLOUR;
}

size_t storage_bytes(const struct layout *l, int n, const enum shape *shape, const unsigned char *skip, int rows)
{
    size_t bytes = LINE;
    for (int id = 0; id < n; id++)
        if (!skip || !skip[id]) bytes += field_bytes(l, shape[id], rows);
    return bytes;
}

size_t storage_pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

int storage_init(struct storage *st, const struct layout *l, int n, const enum shape *shape, const unsigned char *skip,
                 int j0, int rows)
{
    *st = (struct storage){.lay = *l, .bytes = storage_pages(storage_bytes(l, n, shape, skip, rows))};
    st->s = (struct slab){.sk = l->sk, .sj = l->sj, .sm = l->sm, .ni = l->ni, .nk = l->nk, .nj = l->nj, .j0 = j0,
                          .rows = rows};
    /* What is left behind the last huge page stays on small ones. */
    const int none = posix_memalign(&st->arena, HUGE_PAGE, st->bytes);
    if (none) st->arena = NULL;
    SF_CHECK(!none, SF_MEMORY,
             "no memory for %.1f MiB of fields: use fewer cells, more ranks, or more slabs (&pipeline slabs)",
             (double)st->bytes / 1048576.0);
    madvise(st->arena, st->bytes, MADV_HUGEPAGE);
    memset(st->arena, 0, st->bytes);
    char *at = st->arena;
    for (int id = 0; id < n; id++) {
        if (skip && skip[id]) continue;
        real *base = (real *)(void *)at;
        if (shape[id] == SHAPE_LEVELS) st->s.f[id] = base + l->gk;
        else st->s.f[id] = base + round_up(l->gi) + (shape[id] == SHAPE_FULL ? l->gk * l->sk : 0);
        at += field_bytes(l, shape[id], rows);
    }
    return SF_OK;
}

void storage_free(struct storage *st)
{
    free(st->arena);
    memset(st, 0, sizeof *st);
}

real *storage_row(const struct slab *s, const struct layout *l, enum shape shape, int id, int j)
{
    const ptrdiff_t row = j - s->j0;
    if (shape == SHAPE_MAP) return s->f[id] + row * l->sm - l->gi;
    return s->f[id] + row * l->sj - l->gk * l->sk - l->gi;
}
