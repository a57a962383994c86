/* Plane waves over layers, and the currents that they act on. SPDX-License-Identifier: MIT */
/* gcc makes fused operations of complex products where it takes real and imaginary parts as lanes, -ffp-contract=off or
 * not; a plane wave over layers has the bits of any compiler. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-tree-vectorize")
#endif

#include "maxwell/far_parts.h"

#include "pipeline/error.h"
#include "pipeline/sferic.h"
#include "pipeline/sfmath.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TE, TM, POLARISATIONS };
enum { WAVE_A, WAVE_B, WAVE_C, WAVES }; /* at nodes, in cells; along z: of TE at nodes, of TM in cells */
static const double pi = 3.14159265358979323846, mu0 = 1.25663706212e-6, c0 = 299792458.0;
static const double most_value = 1e100; /* of a wave that grows through lossy layers: it is scaled there */

/* ---- one wave ---------------------------------------------------------------------------------------------------- */

/* A stack seen from a direction: its wave numbers on the grid. */
struct incidence {
    const struct far_stack *s;
    int is_tm, from_below;
    double across, along; /* K_t and K_z of the wave that comes, 1/m; along below 0 where it comes from below */
    double phase; /* k_z, rad/m */
    double swing, reference; /* W, 1/s; m */
};

static double cell_size(const struct far_stack *s, int k) { return s->node[k + 1] - s->node[k]; }

/* Between the centres beside a node; beyond the ends cells go on. */
static double node_size(const struct far_stack *s, int k)
{
    return 0.5 * (cell_size(s, k > 0 ? k - 1 : 0) + cell_size(s, k < s->n ? k : s->n - 1));
}

static double complex node_factor(const struct incidence *i, int k)
{
    const double complex admittance = I * i->swing * i->s->epsilon[0][k] / (mu0 * c0 * c0);
    return i->is_tm ? -admittance : admittance - I * i->across * i->across / (i->swing * mu0 * i->s->mu[0][k]);
}

static double complex cell_factor(const struct incidence *i, int k)
{
    const double complex impedance = I * i->swing * mu0 * i->s->mu[1][k];
    return i->is_tm ? I * i->across * i->across * (mu0 * c0 * c0) / (i->swing * i->s->epsilon[1][k]) - impedance
                    : impedance;
}

/* Of the wave that leaves the stack through its lowest or highest cell: b half a cell beyond the last node over a
 * there. It fades, or is gone. */
static double complex leaving(const struct incidence *i, int is_up)
{
    const struct far_stack *const s = i->s;
    const int k = is_up ? s->n - 1 : 0;
    const double complex square =
        i->swing * i->swing * s->epsilon[1][k] * s->mu[1][k] / (c0 * c0) - i->across * i->across;
    double complex number = csqrt(square);
    if (cimag(number) > 0) number = -number;
    const double complex half = 0.5 * number * cell_size(s, k), turn = csqrt(1 - half * half) - I * half;
    return (is_up ? -1 : 1) * I * number / cell_factor(i, k) * turn;
}

static void scale(double complex *a, double complex *b, int from, int to, double complex factor)
{
    for (int k = from; k < to; k++) a[k] *= factor, b[k] *= factor;
}

/* From the lowest node up. */
static void march_up(const struct incidence *i, double complex *a, double complex *b)
{
    const struct far_stack *const s = i->s;
    a[0] = s->floor != FAR_ELECTRIC;
    b[0] = s->floor == FAR_ELECTRIC   ? 1
           : s->floor == FAR_MAGNETIC ? 0.5 * cell_size(s, 0) * node_factor(i, 0)
                                      : leaving(i, 0) + node_size(s, 0) * node_factor(i, 0);
    for (int k = 0; k < s->n; k++) {
        a[k + 1] = a[k] + cell_size(s, k) * cell_factor(i, k) * b[k];
        if (k + 1 < s->n) b[k + 1] = b[k] + node_size(s, k + 1) * node_factor(i, k + 1) * a[k + 1];
        if (cabs(a[k + 1]) < most_value) continue;
        scale(a, b, 0, k + 1, 1 / most_value);
        a[k + 1] /= most_value;
        if (k + 1 < s->n) b[k + 1] /= most_value;
    }
}

static void march_down(const struct incidence *i, double complex *a, double complex *b)
{
    const struct far_stack *const s = i->s;
    a[s->n] = 1;
    double complex above = leaving(i, 1);
    for (int k = s->n - 1; k >= 0; k--) {
        b[k] = above - node_size(s, k + 1) * node_factor(i, k + 1) * a[k + 1];
        a[k] = a[k + 1] - cell_size(s, k) * cell_factor(i, k) * b[k];
        above = b[k];
        if (cabs(a[k]) < most_value) continue;
        scale(a, b, k, s->n, 1 / most_value);
        a[s->n] /= most_value, above = b[k];
    }
}

/* What of it is the wave that comes, by a at the end of the stack and b half a cell within. */
static double complex coming(const struct incidence *i, const double complex *a, const double complex *b)
{
    const struct far_stack *const s = i->s;
    const int node = i->from_below ? 0 : s->n, cell = i->from_below ? 0 : s->n - 1;
    const double middle = 0.5 * (s->node[cell] + s->node[cell + 1]);
    const double complex u = cexp(I * i->phase * (s->node[node] - i->reference)),
                         v = cexp(I * i->phase * (middle - i->reference));
    return (a[node] / v + b[cell] * cell_factor(i, cell) / (I * i->along) / u) / (u / v + v / u);
}

/* a, b and what lies along z, in units in which the wave that comes has `size` across z. */
static void wave_find(const struct incidence *i, double size, double complex *const to[WAVES])
{
    const struct far_stack *const s = i->s;
    double complex *const a = to[WAVE_A], *const b = to[WAVE_B];
    if (i->from_below) march_down(i, a, b);
    else march_up(i, a, b);
    const double complex factor = size / coming(i, a, b);
    scale(a, b, 0, s->n, factor);
    a[s->n] *= factor;
    for (int k = 0; k < s->n + !i->is_tm; k++)
        to[WAVE_C][k] = i->is_tm ? i->across * b[k] * (mu0 * c0 * c0) / (i->swing * s->epsilon[1][k])
                                 : -i->across * a[k] / (i->swing * mu0 * s->mu[0][k]);
}

void far_stack_wave(const struct far_stack *s, int is_tm, double swing, double across, double along, double phase,
                    double reference, double complex *const to[3])
{
    const struct incidence i = {s, is_tm, along < 0, across, along, phase, swing, reference};
    wave_find(&i, is_tm ? along / sqrt(across * across + along * along) : 1, to);
}

/* ---- a block of directions --------------------------------------------------------------------------------------- */

/* Of LANES directions: all waves, and unit vectors across z, along the wave and normal to it. */
struct layered {
    double complex *memory, *wave[POLARISATIONS][LANES][WAVES];
    double along[2][LANES], normal[2][LANES];
    const struct far_wave *of[LANES]; /* NULL: nothing is seen there */
};

/* Both polarisations of one lane. */
static void lane_waves(const struct far_box *b, const struct far_wave *w, const struct lanes *l, int m, int is_down,
                       struct layered *y)
{
    double number[3], theta = 0;
    struct incidence i = {.s = b->stack,
                          .from_below = is_down,
                          .phase = l->k[2][m],
                          .swing = 2 * sfd_sin(0.5 * w->omega * w->dt) / w->dt,
                          .reference = b->reference[2]};
    for (int a = 0; a < 3; a++) number[a] = 2 * sfd_sin(0.5 * l->k[a][m] * w->size[a]) / w->size[a];
    for (int a = 0; a < 2; a++) {
        y->normal[a][m] = l->phi[a][m], y->along[a][m] = a ? -l->phi[0][m] : l->phi[1][m];
        i.across += number[a] * y->along[a][m], theta += l->theta[a][m] * y->along[a][m];
    }
    i.along = number[2];
    const double total = sqrt(i.across * i.across + i.along * i.along);
    y->of[m] = fabs(i.along) > 1e-9 * total ? w : NULL; /* along the layers there is none */
    for (i.is_tm = 0; i.is_tm < POLARISATIONS && y->of[m]; i.is_tm++)
        wave_find(&i, i.is_tm ? theta : 1, y->wave[i.is_tm][m]);
}

static int layered_make(struct layered *y, int n)
{
    const size_t each = (size_t)n + 1;
    y->memory = malloc(POLARISATIONS * LANES * WAVES * each * sizeof *y->memory);
    if (!y->memory) return 0;
    double complex *next = y->memory;
    for (int p = 0; p < POLARISATIONS; p++)
        for (int m = 0; m < LANES; m++)
            for (int v = 0; v < WAVES; v++, next += each) y->wave[p][m][v] = next;
    return 1;
}

/* Number of the node at a place, or of the cell whose centre lies there. */
static int level_of(const struct far_stack *s, double z)
{
    int low = 0, high = s->n;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (s->node[middle] <= z) low = middle;
        else high = middle;
    }
    return low + (z - s->node[low] > 0.75 * cell_size(s, low));
}

/* The wave at the places of a sheet along z. */
static double (*levels_of(struct tables *t, const struct far_stack *s, const struct layered *y, int p, int v, int n,
                          const double *place))[2][LANES]
{
    double(*const table)[2][LANES] = t->next;
    t->next += n;
    for (int q = 0; q < n; q++) {
        const int k = level_of(s, place[q]);
        for (int m = 0; m < LANES; m++) {
            const double complex value = y->of[m] ? y->wave[p][m][v][k] : 0;
            table[q][0][m] = creal(value), table[q][1][m] = cimag(value);
        }
    }
    return table;
}

/* What a sheet and the wave of one polarisation make together. */
static void sheet_act(const struct far_box *b, const struct far_sheet *s, const struct lanes *l,
                      const struct layered *y, int p, struct tables *t, double sum[2][LANES])
{
    const int v = s->axis == 2 ? WAVE_C : s->is_magnetic ? WAVE_B : WAVE_A;
    double(*table[3])[2][LANES], all[2][LANES] = {{0}};
    for (int d = 0; d < 3; d++) { /* the normal; first and second axis */
        const int a = (s->normal + d) % 3, n = d ? s->n[d - 1] : 1;
        const double *const place = d ? s->place[d - 1] : &s->at;
        table[d] = a == 2 ? levels_of(t, b->stack, y, p, v, n, place) : far_phases(t, b, s, a, n, place, l);
    }
    for (int q = 0; q < s->n[1]; q++) {
        double line[2][LANES];
        const long from = (long)q * s->n[0];
        line_sum(line, s->n[0], s->moment[0] + from, s->moment[1] + from, (const double(*)[2][LANES])table[1]);
        lanes_add(all, (const double(*)[LANES])table[2][q], line[0], line[1]);
    }
    double one[2][LANES] = {{0}};
    lanes_add(one, (const double(*)[LANES])table[0][0], all[0], all[1]);
    for (int m = 0; m < LANES; m++) {
        const double *const unit = s->axis == 2                  ? NULL
                                   : (p == TM) != s->is_magnetic ? &y->along[s->axis][m]
                                                                 : &y->normal[s->axis][m];
        const double share = (s->is_magnetic ? -1 : 1) * (unit ? *unit : 1);
        for (int q = 0; q < 2; q++) sum[q][m] += share * one[q][m];
    }
}

int far_layers_places(const struct far_box *b, int places) { return b->stack ? (1 + POLARISATIONS) * places : places; }

int far_layers_block(const struct far_box *b, const struct far_wave *w, int n, const struct far_direction *toward,
                     int first, struct tables *t, double (*out)[FAR_VALUES])
{
    struct lanes l;
    struct layered y = {.memory = NULL};
    double sum[POLARISATIONS][2][LANES] = {{{0}}};
    int good = layered_make(&y, b->stack->n);
    for (int m = 0; m < LANES && good; m++) {
        const struct far_direction *const d = &toward[SF_MIN(first + m, n - 1)];
        const int is_down = d->cos_theta < 0, is_seen = !is_down || b->stack->has_below;
        const struct far_wave *const here = is_down && is_seen ? &b->stack->below : w;
        good = far_lane_set(&l, m, here, d);
        y.of[m] = NULL;
        if (good && is_seen) lane_waves(b, here, &l, m, is_down, &y);
    }
    t->n = 0, t->next = t->memory;
    for (int s = 0; s < b->nsheets && good; s++)
        for (int p = 0; p < POLARISATIONS; p++) {
            const struct far_sheet *const one = &b->sheet[s];
            if (one->axis == 2 && (p == TM) == one->is_magnetic) continue; /* TE has no E along z, TM no H */
            sheet_act(b, one, &l, &y, p, t, sum[p]);
        }
    for (int m = 0; m < LANES && first + m < n && good; m++)
        for (int p = 0; p < POLARISATIONS; p++) {
            const double factor = y.of[m] ? -y.of[m]->omega * y.of[m]->mu / (4 * pi) : 0; /* times j */
            double *const to = &out[first + m][p == TM ? 0 : 2];
            to[0] = -factor * sum[p][1][m], to[1] = factor * sum[p][0][m];
        }
    free(y.memory);
    return good;
}

/* ---- power ------------------------------------------------------------------------------------------------------- */

int far_layers_power(const struct far_box *b, const struct far_wave *w, double power[2])
{
    enum { MORE = 12 }; /* beyond what multipoles need: layers reflect as they like */
    const struct far_stack *const s = b->stack;
    power[0] = power[1] = 0;
    SF_TRY(far_zone(b, w, 0, 1, far_order(b, w) + MORE, &power[0]));
    power[0] /= 2 * w->impedance;
    if (!s->has_below) return SF_OK;
    /* where what comes from below begins to pass, there is a corner */
    const double sine = s->below.speed / w->speed, corner = sine < 1 ? sqrt(1 - sine * sine) : 0;
    const int order = far_order(b, &s->below) + MORE;
    SF_TRY(far_zone(b, w, -1, -corner, order, &power[1]));
    if (corner > 0) SF_TRY(far_zone(b, w, -corner, 0, order, &power[1]));
    power[1] /= 2 * s->below.impedance;
    return SF_OK;
}
