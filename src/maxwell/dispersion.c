/* Where media disperse, and the stage that lets them. SPDX-License-Identifier: MIT */
#include "maxwell/dispersion.h"

#include "maxwell/geometry.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- boxes ---- */

static void cover(struct dispersion *d, const int low[3], const int high[3])
{
    struct extent *const b = &d->box;
    d->j0 = SF_MIN(d->j0, low[AY]), d->j1 = SF_MAX(d->j1, high[AY] + 1);
    b->i0 = SF_MIN(b->i0, low[AX]), b->i1 = SF_MAX(b->i1, high[AX]);
    b->k0 = SF_MIN(b->k0, low[AZ]), b->k1 = SF_MAX(b->k1, high[AZ]);
}

/* Columns and levels of E's edges that cells of the medium `painted` touch, and all rows. A solid that is smooth
 * touches those of cells beside the ones whose centres it holds. Around an axis that is periodic: all of it. */
static void box_find(struct dispersion *d, int painted, const struct geometry *g, const struct maxwell *x)
{
    const int n[3] = {x->ni, x->nj, x->nk}, ext[3] = {x->ext_i, x->ext_j, x->ext_k}, none[3] = {0};
    struct extent *const b = &d->box;
    *b = (struct extent){.i0 = x->ni, .i1 = 0, .k0 = x->nk, .k1 = 0, .j0 = 0, .j1 = x->nj + x->ext_j};
    d->j0 = x->nj, d->j1 = 0;
    if (g->path || g->background == painted) cover(d, none, n);
    for (int m = 0; m < g->nsolids; m++) {
        const struct solid *const s = &g->solid[m];
        int low[3], high[3];
        for (int a = 0; a < 3; a++) {
            const struct geometry_axis *const axis = &g->axis[a];
            for (low[a] = 0; low[a] < axis->n && axis->node[low[a] + 1] < s->face[a][0] - g->slack;) low[a]++;
            for (high[a] = axis->n; high[a] > 0 && axis->node[high[a] - 1] > s->face[a][1] + g->slack;) high[a]--;
        }
        if (s->medium == painted) cover(d, low, high);
    }
    int *const first[3] = {&b->i0, NULL, &b->k0}, *const end[3] = {&b->i1, NULL, &b->k1};
    for (int a = 0; a < 3; a += 2) {
        *end[a] = SF_MIN(*end[a] + 1, n[a] + ext[a]);
        if (x->periodic[a] && (*first[a] == 0 || *end[a] >= n[a])) *first[a] = 0, *end[a] = n[a];
    }
    if (x->periodic[AY]) d->j0 = INT_MIN, d->j1 = INT_MAX;
}

/* ---- making ---- */

/* Edges of a lumped element. */
static void box_of_lump(struct dispersion *d, const struct place_range *at, const struct maxwell *x)
{
    d->box = (struct extent){
        .i0 = at->low[AX], .i1 = at->high[AX], .k0 = at->low[AZ], .k1 = at->high[AZ], .j0 = 0, .j1 = x->nj + x->ext_j};
    d->j0 = x->periodic[AY] ? INT_MIN : at->low[AY], d->j1 = x->periodic[AY] ? INT_MAX : at->high[AY];
}

/* Poles of a medium, the real ones first. */
static void poles_sort(struct dispersion *d, struct pole_step *to, struct pole *sorted, const struct pole *pole,
                       int npoles, double dt)
{
    int n = 0;
    for (int pairs = 0; pairs < 2; pairs++)
        for (int p = 0; p < npoles; p++) {
            if (pole_is_pair(&pole[p]) != pairs) continue;
            sorted[n] = pole_stepped(&pole[p], dt);
            to[n++] = pole_step(&pole[p], dt);
            d->point.singles += !pairs, d->point.n += 1 + pairs;
        }
}

/* How many poles; reals of number m, and where among all they begin. */
static int poles_of(const struct dispersion *d) { return (d->point.singles + d->point.n) / 2; }
static int parts_of(const struct dispersion *d, int m) { return m < d->point.singles ? 1 : 2; }
static int place_of(const struct dispersion *d, int m) { return SF_MAX(m, 2 * m - d->point.singles); }

static void memory_describe(struct dispersion *d)
{
    snprintf(d->name_im, sizeof d->name_im, "%s_im", d->name);
    d->box.n = 3 * d->point.n;
    d->point.i0 = d->box.i0, d->point.columns = d->box.i1 - d->box.i0;
    d->point.k0 = d->box.k0, d->point.levels = d->box.k1 - d->box.k0;
}

int dispersions_make(struct dispersions **out, const struct maxwell *x, const struct media *m, const struct geometry *g)
{
    int n = 0;
    *out = NULL;
    for (int medium = 0; medium < m->n; medium++) n += g->used[medium] && m->medium[medium].npoles;
    for (int load = 0; load < g->nlumps; load++) n += g->lump[load].npoles > 0;
    if (!n) return SF_OK;
    struct dispersions *const d = *out = calloc(1, sizeof *d);
    SF_CHECK(d, SF_MEMORY, "no memory for media that disperse");
    d->of = calloc((size_t)n, sizeof *d->of), d->step = calloc((size_t)n, sizeof *d->step),
    d->pole = calloc((size_t)n, sizeof *d->pole);
    SF_CHECK(d->of && d->step && d->pole, SF_MEMORY, "no memory for media that disperse");
    for (int medium = 0; medium < m->n; medium++) {
        if (!g->used[medium] || !m->medium[medium].npoles) continue;
        struct dispersion *const one = &d->of[d->n];
        one->medium = medium;
        const struct medium *const of = &m->medium[medium];
        poles_sort(one, d->step[d->n], d->pole[d->n], of->pole, of->npoles, x->dt), d->n++;
        box_find(one, of->stands_for ? of->stands_for : medium, g, x);
        snprintf(one->name, sizeof one->name, of->stands_for ? "layers_%.40s" : "poles_%.40s", of->name);
        memory_describe(one);
    }
    for (int load = 0; load < g->nlumps; load++) {
        const struct lump *const of = &g->lump[load];
        if (!of->npoles) continue;
        struct dispersion *const one = &d->of[d->n];
        one->medium = MEDIUM_LOADS + load;
        poles_sort(one, d->step[d->n], d->pole[d->n], of->pole, of->npoles, x->dt), d->n++;
        box_of_lump(one, &of->at, x);
        snprintf(one->name, sizeof one->name, "poles_of_%s_%d", of->is_port ? "port" : "element", of->number);
        memory_describe(one);
    }
    return SF_OK;
}

struct place_range dispersion_range(const struct dispersion *d, const struct maxwell *x)
{
    return (struct place_range){{d->box.i0, SF_MAX(d->j0, 0), d->box.k0},
                                {d->box.i1, SF_MIN(d->j1, x->nj + x->ext_j), d->box.k1}};
}

double dispersions_part(const struct maxwell *x)
{
    double edges = 0;
    for (const struct dispersion *d = x->dispersion; d < x->dispersion + x->ndispersions; d++) {
        const struct place_range r = dispersion_range(d, x);
        double one = 1;
        for (int a = 0; a < 3; a++) one *= SF_MAX(r.high[a] - r.low[a], 0);
        edges += one;
    }
    return edges > 0 ? SF_MIN(edges / ((double)x->ni * x->nj * x->nk), 1) : 0;
}

void dispersions_free(struct dispersions *d)
{
    if (!d) return;
    table_free(d->table);
    free(d->of);
    free(d->step);
    free(d->pole);
    free(d);
}

/* ---- tables ---- */

/* A memory that would not fade must not grow by rounding. */
static real rounded_down(double x)
{
    const real near = (real)x;
    return fabs((double)near) <= fabs(x) ? near
           : sizeof(real) == 4           ? (real)nextafterf((float)near, 0)
                                         : (real)nextafter((double)near, 0);
}

int dispersions_tables(struct dispersions *d, int ids)
{
    size_t numbers = 0;
    for (int n = 0; n < d->n; n++) numbers += (size_t)d->of[n].point.n * ((size_t)ids + 1);
    const size_t bytes = numbers * sizeof(real) + (size_t)d->n * (size_t)ids;
    real *const memory = table_alloc(bytes + 1);
    SF_CHECK(memory, SF_MEMORY, "no memory for the poles of %d mixtures of media", ids);
    table_free(d->table);
    d->table = memory;
    memset(memory, 0, bytes);
    real *to = memory;
    unsigned char *has = (unsigned char *)(memory + numbers);
    for (int n = 0; n < d->n; n++) {
        struct dispersion *const one = &d->of[n];
        for (int m = 0; m < poles_of(one); m++)
            for (int q = 0; q < parts_of(one, m); q++) to[place_of(one, m) + q] = rounded_down(d->step[n][m].decay[q]);
        one->point.decay = to, one->point.gain = to + one->point.n, one->point.has = has;
        to += (size_t)one->point.n * ((size_t)ids + 1), has += ids;
    }
    return SF_OK;
}

struct pole_step dispersions_share(const struct dispersions *d, int medium)
{
    struct pole_step sum = {.decay = {0}};
    for (int n = 0; d && n < d->n; n++) {
        const struct dispersion *const one = &d->of[n];
        if (one->medium != medium) continue;
        for (int m = 0; m < poles_of(one); m++) sum.up += d->step[n][m].up, sum.down += d->step[n][m].down;
    }
    return sum;
}

double dispersions_gain(struct dispersions *d, int id, int medium, double weight, double den)
{
    double sum = 0;
    for (int n = 0; d && n < d->n; n++) {
        struct dispersion *const one = &d->of[n];
        if (one->medium != medium || !(weight > 0)) continue;
        real *const gain = one->point.gain + (ptrdiff_t)id * one->point.n;
        one->point.has[id] = DISPERSE_ALONE;
        for (int m = 0; m < poles_of(one); m++) {
            const double *const g = d->step[n][m].gain;
            for (int q = 0; q < parts_of(one, m); q++) gain[place_of(one, m) + q] = (real)(weight * g[q] / den);
            sum += weight * g[0] / den;
        }
    }
    return sum;
}

void dispersions_settle(struct dispersions *d, int ids)
{
    for (int n = 0; n < d->n; n++) d->of[n].mixes = 0;
    for (int id = 0; id < ids; id++) {
        int have = 0;
        for (int n = 0; n < d->n; n++) have += d->of[n].point.has[id] != DISPERSE_NONE;
        for (int n = 0; n < d->n && have > 1; n++)
            if (d->of[n].point.has[id]) d->of[n].point.has[id] = DISPERSE_AMONG, d->of[n].mixes = 1;
    }
}

/* ---- the stages ---- */

const struct dispersion *dispersion_of(const struct maxwell *x, const struct call *c, int imaginary)
{
    return &x->dispersion[member_of(x, c, imaginary) - x->nmonitors];
}

struct box dispersion_part(const struct dispersion *d, struct box b)
{
    const struct box own = {d->box.i0, d->box.i1, d->box.k0, d->box.k1, d->j0, d->j1};
    return box_common(b, own);
}

void disperse_elements(const struct disperse_pack *p, struct box b, const struct call *c)
{
    const struct maxwell *const x = c->ctx;
    const struct dispersion *const d = dispersion_of(x, c, p->imaginary);
    b = dispersion_part(d, b);
    for (int j = b.j0; j < b.j1; j++)
        for (int component = 0; component < 3; component++)
            for (int k = b.k0; k < b.k1; k++) {
                const struct disperse_line l = disperse_line(&d->point, p->media[component], x->e_wide, p->sums, p->sj,
                                                             p->sk, j - p->j0, k, component);
                real *const e = p->e[component] + l.at;
                for (int i = b.i0; i < b.i1; i++) disperse_point(&d->point, &l, e, i);
            }
}

void disperse_among_elements(const struct disperse_among_pack *p, struct box b, const struct call *c)
{
    const struct maxwell *const x = c->ctx;
    const struct dispersion *const d = dispersion_of(x, c, p->imaginary);
    b = dispersion_part(d, b);
    for (int j = b.j0; j < b.j1 && d->mixes; j++)
        for (int component = 0; component < 3; component++)
            for (int k = b.k0; k < b.k1; k++) {
                const struct disperse_line l = disperse_line(&d->point, p->media[component], x->e_wide, p->sums, p->sj,
                                                             p->sk, j - p->j0, k, component);
                const real *const e = p->e[component] + l.at;
                for (int i = b.i0; i < b.i1; i++) disperse_point_among(&d->point, &l, e, i);
            }
}
