/* What can be said of a state whole: its extents, its digest, and where it went wrong. SPDX-License-Identifier: MIT */
#include "pipeline/state.h"

#include "pipeline/error.h"
#include "pipeline/outcome.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PIECE_BYTES = 4 << 20 };

#if SF_PREC == 64
static const real largest = DBL_MAX;
#else
static const real largest = FLT_MAX;
#endif

int field_is_periodic(const struct instance *in, enum face face)
{
    for (int f = 0; f < in->nfields; f++)
        if (in->field[f].shape == SHAPE_FULL || in->field[f].shape == SHAPE_MAP)
            return in->field[f].ghost[face] == GHOST_PERIODIC;
    return 0;
}

void field_extent(const struct field *f, const struct grid *g, int *ni, int *nk, int *nj)
{
    *ni = g->nx + ((f->stagger & STAG_X) && f->ghost[FACE_E] != GHOST_PERIODIC);
    *nj = g->ny + ((f->stagger & STAG_Y) && f->ghost[FACE_N] != GHOST_PERIODIC);
    *nk = g->nz + ((f->stagger & STAG_Z) && f->ghost[FACE_T] != GHOST_PERIODIC);
    if (f->shape == SHAPE_MAP) *nk = 1;
    if (f->shape == SHAPE_LEVELS) *ni = *nj = 1;
    if (f->shape != SHAPE_BOX) return;
    *ni = SF_MAX(f->box.i1 - f->box.i0, 0);
    *nk = SF_MAX(f->box.k1 - f->box.k0, 0) * f->box.n;
    *nj = SF_MAX(f->box.j1 - f->box.j0, 0);
    if (!*ni || !*nk || !*nj) *ni = *nk = *nj = 0;
}

int field_is_saved(const struct field *f, const struct grid *g)
{
    int ni, nk, nj;
    field_extent(f, g, &ni, &nk, &nj);
    return field_is_kept(f) && ni > 0;
}

void field_rows(const struct field *f, const struct comm *c, const struct grid *g, int rank, int *ja, int *jb,
                int *first)
{
    int ni, nk, nj;
    field_extent(f, g, &ni, &nk, &nj);
    *first = f->shape == SHAPE_BOX ? f->box.j0 : 0;
    comm_rows(c, g->ny, rank, ja, jb);
    if (rank == c->size - 1) *jb = SF_MAX(*jb, *first + nj);
    *ja = SF_MAX(*ja, *first);
    *jb = SF_MIN(*jb, *first + nj);
}

real *state_line(const struct state *st, int id, int j, int k)
{
    const struct slab *s = &st->host.s;
    const struct field *f = &st->in->field[id];
    if (f->shape == SHAPE_BOX) {
        const struct form form = form_of(f);
        return (real *)storage_row(s, &st->host.lay, &form, id, j) + (ptrdiff_t)k * (f->box.i1 - f->box.i0);
    }
    if (f->shape == SHAPE_MAP) return s->f[id] + (j - s->j0) * s->sm;
    return s->f[id] + (j - s->j0) * s->sj + k * s->sk;
}

/* ---- digest ------------------------------------------------------------------------------------------------------ */

/* Native rows [j0, j1) of one field, brought together on rank 0 and added to the digest there. */
static int rows_digest(const struct state *st, int id, int j0, int j1, real *buffer, size_t *bytes, XXH3_state_t *x)
{
    int ni, nk, nj, ja, jb, first;
    const struct field *f = &st->in->field[id];
    field_extent(f, st->grid, &ni, &nk, &nj);
    const size_t row = (size_t)ni * (size_t)nk * sizeof(real);
    for (int r = 0; r < st->comm.size; r++) {
        field_rows(f, &st->comm, st->grid, r, &ja, &jb, &first);
        const int rows = SF_MIN(j1, jb) - SF_MAX(j0, ja);
        bytes[r] = rows > 0 ? (size_t)rows * row : 0;
    }
    field_rows(f, &st->comm, st->grid, st->comm.rank, &ja, &jb, &first);
    real *to = buffer;
    for (int j = SF_MAX(j0, ja); j < SF_MIN(j1, jb); j++)
        for (int k = 0; k < nk; k++, to += ni) memcpy(to, state_line(st, id, j, k), (size_t)ni * sizeof(real));
    SF_TRY(comm_gather(&st->comm, buffer, buffer, bytes));
    if (st->comm.rank == 0) XXH3_64bits_update(x, buffer, (size_t)(j1 - j0) * row);
    return SF_OK;
}

int state_fetch(const struct state *st) { return st->fetch ? outcome_share(&st->comm, st->fetch(st->engine)) : SF_OK; }

int state_digest(const struct state *st, unsigned long long *digest)
{
    SF_TRY(state_fetch(st));
    size_t most = PIECE_BYTES;
    int ni, nk, nj;
    for (int id = 0; id < st->in->nfields; id++) {
        field_extent(&st->in->field[id], st->grid, &ni, &nk, &nj);
        most = SF_MAX(most, (size_t)ni * (size_t)nk * sizeof(real));
    }
    real *buffer = malloc(most);
    size_t *bytes = malloc((size_t)st->comm.size * sizeof *bytes);
    XXH3_state_t *x = XXH3_createState();
    int bad = !buffer || !bytes || !x, rc = comm_max(&st->comm, &bad);
    if (!rc && bad) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %zu bytes of a digest", most);
    if (x) XXH3_64bits_reset(x);
    for (int id = 0; id < st->in->nfields && !rc; id++) {
        const struct field *f = &st->in->field[id];
        if (!field_is_kept(f) || f->shape == SHAPE_LEVELS) continue;
        field_extent(f, st->grid, &ni, &nk, &nj);
        const size_t row = (size_t)ni * (size_t)nk * sizeof(real);
        if (!row) continue;
        const int rows = (int)SF_MIN(SF_MAX(most / row, 1), (size_t)nj), first = f->shape == SHAPE_BOX ? f->box.j0 : 0;
        for (int j = 0; j < nj && !rc; j += rows)
            rc = rows_digest(st, id, first + j, first + SF_MIN(j + rows, nj), buffer, bytes, x);
    }
    *digest = x ? XXH3_64bits_digest(x) : 0;
    free(buffer);
    free(bytes);
    XXH3_freeState(x);
    return rc ? rc : comm_bcast(&st->comm, digest, sizeof *digest);
}

/* ---- NaN and Inf ------------------------------------------------------------------------------------------------- */

/* One value and its place, as it travels between ranks; field -1: none. */
struct place {
    double value, score;
    int j, k, i, field;
};

static int line_is_bad(const real *restrict x, int n)
{
    int bad = 0;
#pragma omp simd reduction(| : bad)
    for (int i = 0; i < n; i++) bad |= !(sf_abs(x[i]) <= largest);
    return bad;
}

static int row_is_bad(const struct state *st, int id, int j, int ni, int nk)
{
    int bad = 0;
    for (int k = 0; k < nk && !bad; k++) bad = line_is_bad(state_line(st, id, j, k), ni);
    return bad;
}

/* The first bad value of the rank's own rows in the order j, k, i, field. */
static struct place bad_in_row(const struct state *st, int j)
{
    struct place p = {.field = -1, .j = j, .k = INT_MAX, .i = INT_MAX};
    for (int id = 0; id < st->in->nfields; id++) {
        int ni, nk, nj;
        const struct field *f = &st->in->field[id];
        if (!field_is_kept(f) || f->shape == SHAPE_LEVELS) continue;
        field_extent(f, st->grid, &ni, &nk, &nj);
        const int first = f->shape == SHAPE_BOX ? f->box.j0 : 0;
        for (int k = 0; j >= first && j < first + nj && k < nk && k <= p.k; k++) {
            const real *x = state_line(st, id, j, k);
            for (int i = 0; i < ni; i++) {
                if (sf_abs(x[i]) <= largest || (k == p.k && i >= p.i)) continue;
                p = (struct place){.value = (double)x[i], .j = j, .k = k, .i = i, .field = id};
                break;
            }
        }
    }
    return p;
}

/* Is any native value of row j bad? Only the last rank has the row of faces beyond its own. */
static int row_has_bad(const struct state *st, int j)
{
    for (int id = 0; id < st->in->nfields; id++) {
        int ni, nk, nj, ja, jb, start;
        const struct field *f = &st->in->field[id];
        if (!field_is_kept(f) || f->shape == SHAPE_LEVELS) continue;
        field_extent(f, st->grid, &ni, &nk, &nj);
        field_rows(f, &st->comm, st->grid, st->comm.rank, &ja, &jb, &start);
        if (j >= ja && j < jb && row_is_bad(st, id, j, ni, nk)) return 1;
    }
    return 0;
}

static int first_bad_row(const struct state *st)
{
    int first = INT_MAX;
#pragma omp parallel for schedule(static) reduction(min : first) num_threads(state_threads(st))
    for (int j = st->ja; j <= st->jb; j++)
        if (j < first && row_has_bad(st, j)) first = j;
    return first;
}

/* The places of all ranks, in their order; the caller frees. Collective. */
static int places_gather(const struct comm *c, const struct place *mine, struct place **all)
{
    size_t *bytes = malloc((size_t)c->size * sizeof *bytes);
    *all = calloc((size_t)c->size, sizeof **all);
    int bad = !bytes || !*all, rc = comm_max(c, &bad);
    if (!rc && bad) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the places of %d ranks", c->size);
    for (int r = 0; r < c->size && !rc; r++) bytes[r] = sizeof *mine;
    if (!rc) rc = comm_allgather(c, mine, *all, bytes);
    free(bytes);
    return rc;
}

/* Not what printf makes of them: "-nan" says nothing. */
static const char *value_text(double x, char *text, size_t size)
{
    if (isfinite(x)) snprintf(text, size, "%g", x);
    else snprintf(text, size, "%s", isnan(x) ? "NaN" : x < 0 ? "-Inf" : "Inf");
    return text;
}

static void place_print(const struct state *st, const struct place *p, char *where, size_t size)
{
    const struct field *f = &st->in->field[p->field];
    const struct grid *g = st->grid;
    if (f->shape == SHAPE_BOX) { /* k counts values and levels of the box */
        const int levels = f->box.k1 - f->box.k0;
        snprintf(where, size, "%s = %g in cell i = %d, j = %d, k = %d", f->name, p->value, f->box.i0 + p->i, p->j,
                 f->box.k0 + p->k % levels);
        return;
    }
    const double z = f->stagger & STAG_Z ? g->z_f[p->k] : g->z_c[p->k];
    char value[32];
    const int pure = !strcmp(f->unit, "1");
    snprintf(where, size, "%s = %s%s%s in cell i = %d, j = %d, k = %d (x = %g m, y = %g m, z = %g m)", f->name,
             value_text(p->value, value, sizeof value), pure ? "" : " ", pure ? "" : f->unit, p->i, p->j, p->k,
             grid_x(g, p->i, !!(f->stagger & STAG_X)), grid_y(g, p->j, !!(f->stagger & STAG_Y)), z);
}

int state_find_bad(const struct state *st, int *found, char *where, size_t where_size)
{
    SF_TRY(state_fetch(st));
    const int first = first_bad_row(st);
    *found = first != INT_MAX;
    if (where_size) where[0] = '\0';
    SF_TRY(comm_max(&st->comm, found));
    if (!*found) return SF_OK;
    const struct place mine = first != INT_MAX ? bad_in_row(st, first) : (struct place){.field = -1};
    struct place *all;
    int rc = places_gather(&st->comm, &mine, &all), r = 0;
    while (!rc && r < st->comm.size - 1 && all[r].field < 0) r++;
    if (!rc) place_print(st, &all[r], where, where_size);
    free(all);
    return rc;
}

/* ---- the fastest ------------------------------------------------------------------------------------------------- */

static double spacing_of(const struct grid *g, unsigned stagger, int k)
{
    if (stagger == STAG_X) return g->dx;
    if (stagger == STAG_Y) return g->dy;
    return k > 0 && k < g->nz ? SF_MIN(g->z_c[k] - g->z_c[k - 1], g->z_f[k + 1] - g->z_f[k]) : g->z_f[1] - g->z_f[0];
}

int state_find_fastest(const struct state *st, char *where, size_t where_size)
{
    SF_TRY(state_fetch(st));
    struct place mine = {.field = -1, .score = -1}, *all;
    for (int id = 0; id < st->in->nfields; id++) {
        int ni, nk, nj, ja, jb, start;
        const struct field *f = &st->in->field[id];
        if (!field_is_kept(f) || f->shape != SHAPE_FULL) continue;
        if (f->stagger != STAG_X && f->stagger != STAG_Y && f->stagger != STAG_Z) continue;
        field_extent(f, st->grid, &ni, &nk, &nj);
        field_rows(f, &st->comm, st->grid, st->comm.rank, &ja, &jb, &start);
        for (int j = ja; j < jb; j++)
            for (int k = 0; k < nk; k++) {
                const real *x = state_line(st, id, j, k);
                const double per = 1 / spacing_of(st->grid, f->stagger, k);
                for (int i = 0; i < ni; i++) {
                    const double score = fabs((double)x[i]) * per;
                    if (score > mine.score)
                        mine =
                            (struct place){.value = (double)x[i], .score = score, .j = j, .k = k, .i = i, .field = id};
                }
            }
    }
    if (where_size) where[0] = '\0';
    int rc = places_gather(&st->comm, &mine, &all), best = 0;
    for (int r = 1; r < st->comm.size && !rc; r++)
        if (all[r].score > all[best].score || (all[r].score == all[best].score && all[r].field < all[best].field))
            best = r;
    if (!rc && all[best].field >= 0) place_print(st, &all[best], where, where_size);
    free(all);
    return rc;
}
