/* Fields of the EM model filled, copied and compared; exact modes of its grid. SPDX-License-Identifier: MIT */
#include "command/verify_em.h"

#include "maxwell/place.h"
#include "pipeline/error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

const double em_epsilon = SF_PREC == 64 ? DBL_EPSILON : (double)FLT_EPSILON;

/* ---- elements ---------------------------------------------------------------------------------------------------- */

int em_count(const struct session *s, int component, int axis)
{
    const struct maxwell *const x = em_of(s);
    const int open[3] = {x->ext_i, x->ext_j, x->ext_k};
    return x->axis[axis].n + (open[axis] && on_node(component, axis));
}

real *em_at(const struct session *s, int component, const int at[3])
{
    const struct slab *const x = &s->state.host.s;
    return x->f[F_EX + component] + (at[AY] - x->j0) * x->sj + at[AZ] * x->sk + at[AX];
}

double em_place(const struct session *s, int component, int axis, int n)
{
    return place_at(&s->grid, axis, on_node(component, axis), n);
}

/* Of cell m; beyond the ends of a periodic axis those of the other end follow, beyond others there are none. */
static double cell_size(const struct session *s, int axis, int m)
{
    const struct maxwell *const x = em_of(s);
    const int n = x->axis[axis].n;
    if (x->periodic[axis]) m = (m + n) % n;
    return m < 0 || m >= n ? 0 : place_at(&s->grid, axis, 1, m + 1) - place_at(&s->grid, axis, 1, m);
}

double em_volume(const struct session *s, int component, const int at[3])
{
    double volume = 1;
    for (int a = 0; a < 3; a++)
        volume *= on_node(component, a) ? 0.5 * (cell_size(s, a, at[a] - 1) + cell_size(s, a, at[a]))
                                        : cell_size(s, a, at[a]);
    return volume;
}

int em_next(const struct session *s, int component, int at[3])
{
    static const int order[3] = {AX, AZ, AY};
    for (int m = 0; m < 3; m++) {
        if (++at[order[m]] < em_count(s, component, order[m])) return 1;
        at[order[m]] = 0;
    }
    return 0;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static double formula_at(const struct session *s, em_function *f, const void *of, int c, const int at[3], double t)
{
    const double x[3] = {em_place(s, c, AX, at[AX]), em_place(s, c, AY, at[AY]), em_place(s, c, AZ, at[AZ])};
    return f(of, c, x, c < 3 ? t : t - 0.5 * em_of(s)->dt);
}

int em_fill(struct session *s, em_function *f, const void *of, double t)
{
    for (int c = 0; c < 6; c++) {
        int at[3] = {0};
        do *em_at(s, c, at) = (real)formula_at(s, f, of, c, at, t);
        while (em_next(s, c, at));
    }
    return engine_refresh(&s->engine);
}

double em_error(const struct session *s, em_function *f, const void *of, double t)
{
    double most = 0;
    for (int c = 0; c < 6; c++) {
        int at[3] = {0};
        do {
            const double off = fabs((double)*em_at(s, c, at) - formula_at(s, f, of, c, at, t));
            most = fmax(most, c < 3 ? off : em_eta0 * off);
        } while (em_next(s, c, at));
    }
    return most;
}

double em_rounding(long steps, double radians)
{
    const double u = (SF_PREC == 64 ? 0x1p-52 : 0x1p-23) / 2;
    return 6 * u * sqrt(6.0 * (double)steps / 3) + u * radians;
}

size_t em_values(const struct session *s)
{
    size_t n = 0;
    for (int c = 0; c < 6; c++)
        n += (size_t)em_count(s, c, AX) * (size_t)em_count(s, c, AY) * (size_t)em_count(s, c, AZ);
    return n;
}

int em_save(const struct session *s, real **to)
{
    if (!*to) *to = malloc(em_values(s) * sizeof **to);
    SF_CHECK(*to, SF_MEMORY, "no memory for a copy of the fields");
    size_t n = 0;
    for (int c = 0; c < 6; c++) {
        int at[3] = {0};
        do (*to)[n++] = *em_at(s, c, at);
        while (em_next(s, c, at));
    }
    return SF_OK;
}

int em_load(struct session *s, const real *from_e, real e, const real *from_h, real h)
{
    size_t n = 0;
    for (int c = 0; c < 6; c++) {
        int at[3] = {0};
        do *em_at(s, c, at) = c < 3 ? e * from_e[n] : h * from_h[n];
        while (n++, em_next(s, c, at));
    }
    return engine_refresh(&s->engine);
}

/* The mixing function of splitmix64. */
double em_random(unsigned long n)
{
    unsigned long long x = (n + 1) * 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-52 - 1;
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

/* E: of three directions that no axis prefers, those that the mode allows, less its part along K. In long double, for a
 * thousand steps multiply what omega lacks. */
void em_mode_make(struct em_mode *m, const double d[3], const double k[3], double dt, int standing)
{
    static const long double towards[3] = {1, 0.75L, -0.5L};
    long double K[3], E[3], square = 0, along = 0, most = 0;
    *m = (struct em_mode){.standing = standing};
    for (int a = 0; a < 3; a++) {
        m->k[a] = k[a];
        K[a] = 2 * sinl(0.5L * k[a] * d[a]) / d[a];
        square += K[a] * K[a];
    }
    const long double W = em_c * sqrtl(square);
    m->omega = 2 / (long double)dt * asinl(0.5L * W * dt);
    for (int a = 0; a < 3; a++) {
        const int vanishes = standing && (!(fabs(k[(a + 1) % 3]) > 0) || !(fabs(k[(a + 2) % 3]) > 0));
        E[a] = vanishes ? 0 : towards[a];
        along += E[a] * K[a] / square;
    }
    for (int a = 0; a < 3; a++) {
        E[a] -= along * K[a];
        most = fmaxl(most, fabsl(E[a]));
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        m->amplitude[a] = (double)(E[a] / most);
        m->amplitude[3 + a] = (double)((K[b] * E[c] - K[c] * E[b]) / most / (em_mu0 * W));
    }
}

double em_mode_at(const void *of, int c, const double x[3], double t)
{
    const struct em_mode *const m = of;
    const long double turned = m->omega * (long double)t;
    if (!m->standing) return m->amplitude[c] * (double)cosl(m->k[0] * x[0] + m->k[1] * x[1] + m->k[2] * x[2] - turned);
    double shape = m->amplitude[c] * (double)(c < 3 ? cosl(turned) : -sinl(turned));
    for (int a = 0; a < 3; a++) shape *= (c < 3) == (a == c % 3) ? cos(m->k[a] * x[a]) : sin(m->k[a] * x[a]);
    return shape;
}
