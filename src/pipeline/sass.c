/* Instructions of a point from the rows that were counted: which of the ways through a loop is the usual one, and how
 * many points it makes. SPDX-License-Identifier: MIT */
#include "pipeline/sass.h"

#include <string.h>

static const struct sass_row counted[] = {
#if SF_CUDA
#define SASS(...) {__VA_ARGS__},
#include "pipeline/sass.def"
#endif
    {.kernel = ""},
};

const struct sass_row *sass_table(int *n)
{
    *n = (int)(sizeof counted / sizeof counted[0]) - 1;
    return counted;
}

/* Rows of a kernel. */
struct rows {
    const struct sass_row *begin, *end;
    int parts;
};

static void add(struct instructions *to, const struct sass_row *r, double turns, const struct sass_use *use)
{
    if (!r) return;
    to->fp += turns * r->fp, to->memory += turns * r->memory, to->words += turns * r->words;
    to->other += turns * (r->other + (double)r->aside / use->warps);
}

static int all_of(const struct sass_row *r) { return r->fp + r->memory + r->other; }

/* What a thread runs once beside its loops. */
static const struct sass_row *once_of(const struct rows *k)
{
    const struct sass_row *found = NULL;
    for (const struct sass_row *r = k->begin; r < k->end; r++)
        if (r->part == 0 && r->kind != LONGEST) found = r;
    return found;
}

/* ---- kernels of points ------------------------------------------------------------------------------------------- */

/* Does another way store more for as much work? Then this one is that of threads at an edge. */
static int is_partial(const struct rows *k, const struct sass_row *r)
{
    for (const struct sass_row *q = k->begin; q < k->end; q++)
        if (q->part == r->part && q->kind == SHORTEST && q->stores > r->stores && q->fp <= 1.02 * r->fp &&
            all_of(q) <= 1.15 * all_of(r))
            return 1;
    return 0;
}

/* Points that a way makes; 0: it cannot be the usual one. An instruction does one or two flop; options add some that a
 * stage does not count. */
static int points_of(const struct rows *k, const struct sass_row *r, const struct sass_use *use)
{
    if (r->kind == GUARDED) { /* vectors of up to four: where nothing is contracted, fp are flop */
        for (int n = 4; n > 0 && use->flops > 0; n /= 2)
            if (r->fp == (int)(n * use->flops + 0.5)) return n;
        return 0;
    }
    if (use->stores <= 0 || r->stores <= 0 || r->stores % use->stores) return 0;
    const int n = r->stores / use->stores;
    const double fp = (double)r->fp / n;
    if (use->flops > 0 && (fp < 0.45 * use->flops || fp > 1.4 * use->flops)) return 0;
    return is_partial(k, r) ? 0 : n;
}

/* The usual way through a part: of rare branches, such as those of layers, each stores more; of vectors the widest. */
static const struct sass_row *usual_of(const struct rows *k, int part, const struct sass_use *use, int *points)
{
    const struct sass_row *found = NULL;
    for (const struct sass_row *r = k->begin; r < k->end; r++) {
        const int n = r->part == part && r->kind != LONGEST ? points_of(k, r, use) : 0;
        if (!n || (found && (r->kind == SHORTEST || n <= *points))) continue;
        found = r, *points = n;
    }
    return found;
}

static int count_points(const struct rows *k, const struct sass_use *use, struct instructions *to)
{
    const struct sass_row *loop = NULL;
    int points = 1, n = 1;
    for (int part = 1; part < k->parts; part++) {
        const struct sass_row *const row = usual_of(k, part, use, &n);
        if (row && (!loop || all_of(row) > all_of(loop))) loop = row, points = n;
    }
    const struct sass_row *const straight = loop ? NULL : usual_of(k, 0, use, &n);
    if (loop) add(to, loop, 1.0 / points, use), add(to, once_of(k), 1 / use->points, use);
    else add(to, straight, 1.0 / n, use);
    to->turn = loop ? points : n;
    return loop || straight;
}

/* ---- kernels of columns ------------------------------------------------------------------------------------------ */

/* The longest way that stores most: at the ends of a column less is computed. */
static const struct sass_row *longest_of(const struct rows *k, int part)
{
    const struct sass_row *found = NULL;
    for (const struct sass_row *r = k->begin; r < k->end; r++)
        if (r->part == part && r->stores > 0 &&
            (!found || r->stores > found->stores || (r->stores == found->stores && r->kind == LONGEST)))
            found = r;
    return found;
}

/* Levels of a turn, where stores or unrolling tell; 0: they do not. */
static int levels_told(const struct sass_row *r, const struct sass_use *use)
{
    if (r->unrolled > 1) return r->unrolled;
    return use->stores > 0 && r->stores % use->stores == 0 ? r->stores / use->stores : 0;
}

/* So many that no more is computed than there are flop. */
static int levels_fitting(const struct sass_row *r, double flops)
{
    int n = 1;
    while (n < 64 && flops > 0 && r->fp > n * flops) n *= 2;
    return n;
}

static int count_columns(const struct rows *k, const struct sass_use *use, struct instructions *to)
{
    int loops = 0;
    for (int told = 1; told >= 0; told--) /* those that tell first: the rest of the flop is left for the others */
        for (int part = 1; part < k->parts; part++) {
            const struct sass_row *const r = longest_of(k, part);
            int levels = r ? levels_told(r, use) : 0;
            if (!r || told != (levels > 0)) continue;
            if (!levels) levels = levels_fitting(r, use->flops - to->fp);
            add(to, r, 1.0 / levels, use);
            if (!loops++ || levels < to->turn) to->turn = levels;
        }
    if (loops) add(to, once_of(k), 1 / use->points, use);
    return loops > 0;
}

int sass_count(const struct sass_row *table, int n, const char *kernel, const struct sass_use *use,
               struct instructions *to)
{
    struct rows k = {.begin = table};
    *to = (struct instructions){0};
    while (k.begin < table + n && strcmp(k.begin->kernel, kernel)) k.begin++;
    for (k.end = k.begin; k.end < table + n && !strcmp(k.end->kernel, kernel); k.end++) k.parts = k.end->part + 1;
    const struct sass_use least = {use->stores, use->flops, use->points > 1 ? use->points : 1, use->is_column,
                                   use->warps > 1 ? use->warps : 1};
    return use->is_column && k.parts > 1 ? count_columns(&k, &least, to) : count_points(&k, &least, to);
}
