/* How much of a domain goes through the ops together, and who of the threads takes what of it.
 * SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

#include <limits.h>
#include <unistd.h>

enum { COLUMNS_PER_THREAD = 32, COLUMN_GRAIN = 16, ROWS_PER_THREAD = 2 };

/* Rows are shared as far as there are two for each thread: threads that share a row fetch each other's lines ahead
 * (weather, two threads on two cores: 36 Mpoint-steps/s by rows, 17 by columns, 22 with one; EM waves, 220 x 100 x 140
 * cells, 16 threads on 16 cores: 1300 by rows, 340 in six parts of columns). Only threads that are left over share rows
 * by columns. */
struct share share_of(const struct engine *e, int thread, int threads)
{
    const int ni = e->in->grid->nx, nj = e->in->grid->ny / e->comm.size; /* of a rank */
    struct share s = {.id = thread, .part_j = -1};
    s.nj_parts = SF_MAX(1, SF_MIN(threads, nj / ROWS_PER_THREAD));
    s.ni_parts = SF_MIN(threads / s.nj_parts, SF_MAX(1, ni / COLUMNS_PER_THREAD));
    const int p = thread % s.ni_parts;
    if (thread / s.ni_parts < s.nj_parts) s.part_j = thread / s.ni_parts;
    const int grains = (ni + COLUMN_GRAIN - 1) / COLUMN_GRAIN;
    s.i0 = SF_MIN(ni, grains * p / s.ni_parts * COLUMN_GRAIN);
    s.i1 = p + 1 == s.ni_parts ? ni : SF_MIN(ni, grains * (p + 1) / s.ni_parts * COLUMN_GRAIN);
    return s;
}

double engine_cache_bytes(void)
{
    enum { CACHE_ASSUMED = 1 << 20 };
    long cache = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return (double)(cache > 0 ? cache : CACHE_ASSUMED);
}

/* What one op touches of a thread's columns stays in the second-level cache for the next op. Best of 1 to 12 rows for
 * the weather model on a core with 2 MiB: 6 to 8 at 64 columns of 64 levels, 4 to 6 at 128, 3 at 256; within 10 % of
 * each other. */
static int rows_fitting(const struct engine *e, const struct layout *l, const struct share *share)
{
    enum { LEAST = 4, MOST = 8 };
    const struct plan *p = &e->pass[0].plan;
    int most = 1;
    for (int n = 0; n < p->nops; n++) {
        int fields = 0;
        for (int a = 0; a < p->op[n].naccess; a++) /* of members one is taken after the other */
            fields += p->form[p->op[n].access[a].id].shape == SHAPE_FULL && p->op[n].access[a].member <= 0;
        most = SF_MAX(most, fields);
    }
    const double row =
        (double)most * (double)layout_row_bytes(l, &(struct form){.shape = SHAPE_FULL}) / share->ni_parts;
    const double rows = engine_cache_bytes() / row;
    return rows > MOST ? MOST : SF_MAX((int)(rows + 0.5), LEAST);
}

/* Where levels are cut too, a window is as many levels as rows. What it holds, and what its lags reach back to, comes
 * from the second-level cache, and some of it from the third. In windows that are no larger than the lags, most of what
 * an op reads was left there by an earlier window, and has gone. Of 256^3 cells, 8 steps in a pass, M points and steps
 * a second of one thread, by how many rows and levels a window has (EM waves, sound of 4th order, heat):
 *
 *     second level, lines it holds of all fields        8      12      16      24      32
 *     1 MiB, 160      EM                              629     657     665     653     603
 *     1 MiB, 321      sound                          1215    1315    1348    1385    1330
 *     1 MiB, 963      heat                           3081    3297    3438    3494    3402
 *     512 KiB, 80     EM                              472       -     490       -     488
 *     512 KiB, 160    sound                          1042       -    1104       -    1168 */
static int lines_fitting(const struct engine *e, const struct layout *l, const struct share *share)
{
    enum { LEAST = 16, MOST = 24, GRAIN = 4 };
    double line = 0;
    for (int f = 0; f < e->in->nfields; f++)
        if (e->in->field[f].shape == SHAPE_FULL)
            line +=
                (double)l->sk / share->ni_parts * (e->in->field[f].bytes ? e->in->field[f].bytes : (int)sizeof(real));
    const double side = 1.4 * __builtin_sqrt(engine_cache_bytes() / line);
    return side < LEAST ? LEAST : side > MOST ? MOST : (int)side / GRAIN * GRAIN;
}

void engine_windows(struct engine *e, const struct layout *l)
{
    const struct share share = share_of(e, 0, e->team.size);
    e->window_rows = e->opt.window_rows, e->window_levels = e->opt.window_levels;
    if (e->backend->is_device) { /* kernels go over all rows */
        if (e->window_rows <= 0) e->window_rows = INT_MAX / 4;
        return;
    }
    int part = 1;
    for (int n = 0; n < e->pass[0].plan.nsegments; n++) part &= e->pass[0].plan.segment[n].lag_k >= 0;
    const int fitting = part ? lines_fitting(e, l, &share) : rows_fitting(e, l, &share);
    if (e->window_rows <= 0) e->window_rows = fitting * share.nj_parts;
    if (e->window_levels <= 0) e->window_levels = part ? fitting : 0;
}
