/* The far field of currents on a closed box. SPDX-License-Identifier: MIT */
#include "maxwell/far_parts.h"

#include "pipeline/error.h"
#include "pipeline/sferic.h"
#include "pipeline/sfmath.h"
#include "pipeline/threads.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- waves ------------------------------------------------------------------------------------------------------- */

int far_wave_vector(const struct far_wave *w, const double toward[3], double k[3])
{
    const double s = sfd_sin(0.5 * w->omega * w->dt) / (w->speed * w->dt), wanted = s * s;
    double size = w->omega / w->speed;
    for (int pass = 0; pass < 60; pass++) { /* Newton's: some five passes */
        double value = -wanted, slope = 0;
        for (int a = 0; a < 3; a++) {
            const double d = w->size[a], turn = size * toward[a] * d, half = sfd_sin(0.5 * turn) / d;
            if (!(__builtin_fabs(turn) < pi)) return 0;
            value += half * half;
            slope += toward[a] * sfd_sin(turn) / (2 * d);
        }
        if (!(slope > 0)) return 0;
        const double change = value / slope;
        size -= change;
        if (__builtin_fabs(change) > 4e-16 * size) continue;
        for (int a = 0; a < 3; a++) k[a] = size * toward[a];
        return 1;
    }
    for (int a = 0; a < 3; a++) k[a] = size * toward[a]; /* to and fro by a last digit */
    return size > 0;
}

struct far_direction far_direction(double theta, double phi)
{
    const double degree = pi / 180;
    struct far_direction d = {sfd_cos(theta * degree), sfd_sin(theta * degree), sfd_cos(phi * degree),
                              sfd_sin(phi * degree)};
    double *const value[4] = {&d.cos_theta, &d.sin_theta, &d.cos_phi, &d.sin_phi};
    for (int n = 0; n < 4; n++) /* a cosine of 90 degrees is 6e-17 */
        if (__builtin_fabs(*value[n]) < 1e-15) *value[n] = 0;
    return d;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

int far_lane_set(struct lanes *l, int m, const struct far_wave *w, const struct far_direction *d)
{
    const double toward[3] = {d->sin_theta * d->cos_phi, d->sin_theta * d->sin_phi, d->cos_theta};
    double k[3], grid[3], size = 0;
    if (!far_wave_vector(w, toward, k)) return 0;
    for (int a = 0; a < 3; a++) grid[a] = sfd_sin(0.5 * k[a] * w->size[a]) / w->size[a], size += grid[a] * grid[a];
    size = __builtin_sqrt(size);
    for (int a = 0; a < 3; a++) grid[a] /= size;
    /* phi is normal to the axis and to the wave's own direction, on whose side it was asked for; theta to both */
    const double level = __builtin_sqrt(grid[0] * grid[0] + grid[1] * grid[1]);
    double phi[3] = {-d->sin_phi, d->cos_phi, 0};
    if (level > 1e-9) {
        const double sign = grid[0] * d->cos_phi + grid[1] * d->sin_phi < 0 ? -1 : 1;
        phi[0] = -sign * grid[1] / level, phi[1] = sign * grid[0] / level;
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        l->k[a][m] = k[a], l->along[a][m] = grid[a], l->phi[a][m] = phi[a];
        l->theta[a][m] = phi[b] * grid[c] - phi[c] * grid[b];
    }
    return 1;
}

/* What an image's current is of the current itself. */
static double image_sign(enum far_image image, int is_normal, int is_magnetic)
{
    const int same = is_normal != is_magnetic; /* of an electric conductor */
    return same == (image == FAR_ELECTRIC) ? 1 : -1;
}

static void phases_make(const struct far_box *b, const struct phases *p, const double k[LANES])
{
    const int a = p->axis;
    for (int q = 0; q < p->n; q++) {
        const double x = p->place[q] - b->reference[a], other = 2 * b->mirror[a] - p->place[q] - b->reference[a];
        const int is_seen = b->image[a] && (other < x || other > x);
        double(*const to)[LANES] = p->table[q];
        for (int m = 0; m < LANES; m++) {
            to[0][m] = sfd_cos(k[m] * x), to[1][m] = sfd_sin(k[m] * x);
            if (!is_seen) continue;
            to[0][m] += p->sign * sfd_cos(k[m] * other), to[1][m] += p->sign * sfd_sin(k[m] * other);
        }
    }
}

double (*far_phases(struct tables *t, const struct far_box *b, const struct far_sheet *s, int a, int n,
                    const double *place, const struct lanes *l))[2][LANES]
{
    const double sign = b->image[a] ? image_sign(b->image[a], s->axis == a, s->is_magnetic) : 0;
    for (int q = 0; q < t->n; q++) {
        const struct phases *const p = &t->all[q];
        const int is_alike = p->axis == a && p->n == n && !(p->sign < sign || p->sign > sign);
        if (is_alike && !memcmp(p->place, place, (size_t)n * sizeof *place)) return p->table;
    }
    struct phases *const p = &t->all[t->n++];
    *p = (struct phases){a, n, place, sign, t->next};
    t->next += n;
    phases_make(b, p, l->k[a]);
    return p->table;
}

/* Add a sheet's N or L. */
static void sheet_add(const struct far_box *b, const struct far_sheet *s, const struct lanes *l, struct tables *t,
                      double sum[2][LANES])
{
    const int u = (s->normal + 1) % 3, v = (s->normal + 2) % 3;
    double(*const of_u)[2][LANES] = far_phases(t, b, s, u, s->n[0], s->place[0], l);
    double(*const of_v)[2][LANES] = far_phases(t, b, s, v, s->n[1], s->place[1], l);
    double(*const of_n)[2][LANES] = far_phases(t, b, s, s->normal, 1, &s->at, l);
    double all[2][LANES] = {{0}};
    for (int q = 0; q < s->n[1]; q++) {
        double line[2][LANES];
        const long from = (long)q * s->n[0];
        line_sum(line, s->n[0], s->moment[0] + from, s->moment[1] + from, (const double(*)[2][LANES])of_u);
        lanes_add(all, (const double(*)[LANES])of_v[q], line[0], line[1]);
    }
    lanes_add(sum, (const double(*)[LANES])of_n[0], all[0], all[1]);
}

/* F of one lane. */
static void lane_field(const struct far_wave *w, const struct lanes *l, int m, double n[3][2][LANES],
                       double of_l[3][2][LANES], double out[FAR_VALUES])
{
    const double factor = -w->omega * w->mu / (4 * pi); /* times j */
    for (int c = 0; c < 2; c++) {
        const double(*const unit)[LANES] = (const double(*)[LANES])(c ? l->phi : l->theta);
        double value[2] = {0, 0};
        for (int q = 0; q < 2; q++)
            for (int a = 0; a < 3; a++) {
                const int b = (a + 1) % 3, d = (a + 2) % 3;
                const double across = l->along[b][m] * of_l[d][q][m] - l->along[d][m] * of_l[b][q][m];
                value[q] += unit[a][m] * (n[a][q][m] - across / w->impedance);
            }
        out[2 * c] = -factor * value[1];
        out[2 * c + 1] = factor * value[0];
    }
}

/* Directions first .. first + LANES - 1 of n. Returns 0 where the grid carries no wave. */
static int block_fields(const struct far_box *b, const struct far_wave *w, int n, const struct far_direction *toward,
                        int first, struct tables *t, double (*out)[FAR_VALUES])
{
    struct lanes l;
    double sum[2][3][2][LANES] = {{{{0}}}};
    if (b->stack) return far_layers_block(b, w, n, toward, first, t, out);
    for (int m = 0; m < LANES; m++)
        if (!far_lane_set(&l, m, w, &toward[SF_MIN(first + m, n - 1)])) return 0;
    t->n = 0, t->next = t->memory;
    for (int s = 0; s < b->nsheets; s++)
        sheet_add(b, &b->sheet[s], &l, t, sum[b->sheet[s].is_magnetic][b->sheet[s].axis]);
    for (int m = 0; m < LANES && first + m < n; m++) lane_field(w, &l, m, sum[0], sum[1], out[first + m]);
    return 1;
}

int far_fields(const struct far_box *b, const struct far_wave *w, int n, const struct far_direction *toward,
               double (*out)[FAR_VALUES])
{
    int places = 0, bad = 0;
    for (int s = 0; s < b->nsheets; s++) places += b->sheet[s].n[0] + b->sheet[s].n[1] + 1;
    places = far_layers_places(b, places);
    const int threads = SF_MAX(1, SF_MIN(threads_decided(), (n + LANES - 1) / LANES)), most = 3 * b->nsheets;
    double(*const table)[2][LANES] = malloc((size_t)threads * (size_t)places * sizeof *table + 1);
    struct phases *const phases = malloc((size_t)threads * (size_t)most * sizeof *phases + 1);
    if (!table || !phases) {
        free(table);
        free(phases);
        return sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the phases of %d places", places);
    }
#pragma omp parallel for num_threads(threads) schedule(static, 1) reduction(max : bad)
    for (int t = 0; t < threads; t++) {
        struct tables own = {.all = phases + (long)t * most, .memory = table + (long)t * places};
        for (int first = t * LANES; first < n; first += threads * LANES)
            if (!block_fields(b, w, n, toward, first, &own, out)) bad = 1;
    }
    free(table);
    free(phases);
    SF_CHECK(
        !bad, SF_NAMELIST,
        "&monitor: the grid carries no wave of %g Hz, whose far field was asked for: ask for lower frequencies, or take smaller cells",
        w->omega / (2 * pi));
    return SF_OK;
}

/* ---- power ------------------------------------------------------------------------------------------------------- */

void far_gauss(int n, double *node, double *weight)
{
    for (int m = 0; m < n; m++) {
        double x = -sfd_cos(pi * (m + 0.75) / (n + 0.5)), slope = 0;
        for (int pass = 0; pass < 20; pass++) {
            double p = 1, before = 0;
            for (int q = 0; q < n; q++) {
                const double next = ((2 * q + 1) * x * p - q * before) / (q + 1);
                before = p, p = next;
            }
            slope = n * (x * p - before) / (x * x - 1);
            const double change = p / slope;
            x -= change;
            if (__builtin_fabs(change) < 1e-15) break;
        }
        node[m] = x, weight[m] = 2 / ((1 - x * x) * slope * slope);
    }
}

/* Half of the diagonal of all places, images too, m. */
static double radius_of(const struct far_box *b)
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        double low = 1e300, high = -1e300;
        for (int s = 0; s < b->nsheets; s++) {
            const struct far_sheet *const q = &b->sheet[s];
            const int d = (a - q->normal + 3) % 3; /* 0: the normal; 1, 2: first, second axis */
            const double first = d ? q->place[d - 1][0] : q->at, last = d ? q->place[d - 1][q->n[d - 1] - 1] : q->at;
            low = SF_MIN(low, first), high = SF_MAX(high, last);
        }
        if (b->image[a]) {
            const double far = SF_MAX(high - b->mirror[a], b->mirror[a] - low);
            low = -far, high = far;
        }
        square += (high - low) * (high - low);
    }
    return 0.5 * __builtin_sqrt(square);
}

/* Multipoles that a source of that radius has. Those of a radius R end at k R, but for a tail as wide as its third root
 * (Chew and others, Fast and Efficient Algorithms in Computational Electromagnetics, 2001, chapter 3): beyond eight
 * such widths it is below 1e-10. The grid's k is larger than w / v. */
static int order_of(const struct far_wave *w, double radius)
{
    const double turns = 1.02 * w->omega / w->speed * radius;
    return (int)(turns + 8 * sfd_pow(turns + 1e-30, 1.0 / 3)) + 8;
}

int far_power_directions(const struct far_wave *w, double radius)
{
    const int order = order_of(w, radius);
    return (order + 1) * (2 * order + 2);
}

int far_order(const struct far_box *b, const struct far_wave *w) { return order_of(w, radius_of(b)); }

int far_zone(const struct far_box *b, const struct far_wave *w, double from, double to, int order, double *squares)
{
    const int nt = order, np = 2 * order, n = nt * np;
    struct far_direction *const toward = malloc((size_t)n * sizeof *toward);
    double(*const field)[FAR_VALUES] = malloc((size_t)n * sizeof *field), *const rule =
                                                                              malloc(2 * (size_t)nt * sizeof *rule);
    int rc = toward && field && rule ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for %d directions", n);
    if (!rc) far_gauss(nt, rule, rule + nt);
    for (int m = 0; m < n && !rc; m++) {
        const double c = 0.5 * (from + to) + 0.5 * (to - from) * rule[m / np], phi = 2 * pi * (m % np) / np;
        toward[m] = (struct far_direction){c, __builtin_sqrt(1 - c * c), sfd_cos(phi), sfd_sin(phi)};
    }
    if (!rc) rc = far_fields(b, w, n, toward, field);
    double all = 0;
    for (int t = 0; t < nt && !rc; t++) {
        double ring = 0;
        for (int m = t * np; m < (t + 1) * np; m++)
            for (int q = 0; q < FAR_VALUES; q++) ring += field[m][q] * field[m][q];
        all += rule[nt + t] * ring;
    }
    *squares += 0.5 * (to - from) * (all * (2 * pi / np));
    free(toward);
    free(field);
    free(rule);
    return rc;
}

int far_power(const struct far_box *b, const struct far_wave *w, double *power)
{
    *power = 0;
    SF_TRY(far_zone(b, w, -1, 1, far_order(b, w) + 1, power));
    *power /= 2 * w->impedance;
    return SF_OK;
}
