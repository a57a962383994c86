/* Instructions of a point from the rows that were counted. SPDX-License-Identifier: MIT */
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

static void add(struct instructions *to, const struct sass_row *r, double turns)
{
    to->fp += turns * r->fp, to->memory += turns * r->memory, to->words += turns * r->words, to->other += turns * r->other;
}

static int all_of(const struct sass_row *r) { return r->fp + r->memory + r->other; }

/* Of the rows of part `part`: the one that stores most, or the first that stores whole points. */
static const struct sass_row *row_of(const struct sass_row *r, const struct sass_row *end, int part, int stores, int most)
{
    const struct sass_row *found = NULL;
    for (; r < end; r++) {
        if (r->part != part) continue;
        if (most) found = r; /* they come by what they store */
        else if (r->stores > 0 && r->stores % stores == 0) return r;
    }
    return found;
}

static void count_columns(const struct sass_row *r, const struct sass_row *end, const struct sass_use *use, struct instructions *to)
{
    for (int part = 1; part <= end[-1].part; part++) {
        const struct sass_row *const row = row_of(r, end, part, 0, 1);
        if (row) add(to, row, 1.0 / row->unrolled);
    }
    add(to, row_of(r, end, 0, 0, 1), 1 / use->points);
}

static void count_points(const struct sass_row *r, const struct sass_row *end, const struct sass_use *use, struct instructions *to)
{
    const struct sass_row *loop = NULL;
    for (int part = 1; part <= end[-1].part && use->stores > 0; part++) {
        const struct sass_row *const row = row_of(r, end, part, use->stores, 0);
        if (row && (!loop || all_of(row) > all_of(loop))) loop = row;
    }
    if (loop) {
        add(to, loop, (double)use->stores / loop->stores);
        add(to, row_of(r, end, 0, 0, 1), 1 / use->points);
        return;
    }
    const struct sass_row *const once = use->stores > 0 ? row_of(r, end, 0, use->stores, 0) : NULL;
    if (once) add(to, once, (double)use->stores / once->stores);
    else add(to, row_of(r, end, 0, 0, 1), 1 / use->points);
}

int sass_count(const struct sass_row *table, int n, const char *kernel, const struct sass_use *use, struct instructions *to)
{
    const struct sass_row *r = table, *end;
    *to = (struct instructions){0};
    while (r < table + n && strcmp(r->kernel, kernel)) r++;
    for (end = r; end < table + n && !strcmp(end->kernel, kernel); end++) continue;
    if (r == end) return 0;
    const struct sass_use least = {use->stores, use->points > 1 ? use->points : 1, use->is_column};
    if (use->is_column && end[-1].part > 0) count_columns(r, end, &least, to);
    else count_points(r, end, &least, to);
    return 1;
}
