/* The order of the fused stage by itself: its tendencies of known flows in a periodic interior, twice as fine.
 *
 * Fields and ghosts are filled from formulas, a few rows at a time, in air of constant density (no gravity), so that
 * nothing but advection is left. Walls are not part of it: next to them the order drops to two.
 * SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "command/verify_exact.h"
#include "dynamics/dynamics.h"
#include "pipeline/backend.h"
#include "pipeline/error.h"

#include <math.h>

enum { ROWS = 8, DEPTH = 3 };

static const double side = 6400; /* m; one wavelength in each direction */

/* What a flow is at a point: u, v, w, theta', pi', and their exact tendencies by advection. */
struct values {
    double q[5], t[5];
};

typedef struct values flow_function(double x, double y, double z);

static const double wave = 2 * M_PI / 6400;

/* Scalars in a constant wind. */
static struct values flow_constant(double x, double y, double z)
{
    const double U = 7, V = -4, W = 3, k = wave;
    const double cx = cos(k * x), cy = cos(k * y), cz = cos(k * z), sx = sin(k * x), sy = sin(k * y), sz = sin(k * z);
    const double rate = k * (U * sx * cy * cz + V * cx * sy * cz + W * cx * cy * sz);
    return (struct values){.q = {U, V, W, cx * cy * cz, 0.01 * cx * cy * cz}, .t = {0, 0, 0, rate, 0.01 * rate}};
}

/* Each wind component varies along itself only. */
static struct values flow_self(double x, double y, double z)
{
    const double k = wave, u = 5 + 3 * sin(k * x), v = -4 + 2 * cos(k * y), w = 3 + sin(k * z + 1);
    return (struct values){.q = {u, v, w, 0, 0},
                           .t = {-u * 3 * k * cos(k * x), v * 2 * k * sin(k * y), -w * k * cos(k * z + 1), 0, 0}};
}

/* A general three-dimensional flow. */
static struct values flow_beltrami(double x, double y, double z)
{
    const struct beltrami b = {.A = 10, .k = wave, .l = wave, .m = wave};
    struct values v = {{0}, {0}};
    beltrami_at(&b, x, y, z, v.q);
    beltrami_advection(&b, x, y, z, v.t);
    return v;
}

static const int field_of[5] = {F_U, F_V, F_W, F_TH, F_PI};
static const int tendency_of[5] = {F_UT, F_VT, F_WT, F_THT, F_PIT};

/* Where field n of cell (j, k, i) stands. */
static struct values values_at(flow_function *flow, double dx, int n, int j, int k, int i)
{
    return flow((i + (n == 0 ? 0 : 0.5)) * dx, (j + (n == 1 ? 0 : 0.5)) * dx, (k + (n == 2 ? 0 : 0.5)) * dx);
}

static void rows_fill(struct storage *st, flow_function *flow, double dx, int points, const int *used)
{
    struct slab *const s = &st->s;
    for (int n = 0; n < 5; n++)
        for (int j = s->j0; j < s->j0 + s->rows && used[n]; j++)
            for (int k = -DEPTH; k < points + DEPTH; k++)
                for (int i = -DEPTH; i < points + DEPTH; i++)
                    s->f[field_of[n]][(j - s->j0) * s->sj + k * s->sk + i] = (real)values_at(flow, dx, n, j, k, i).q[n];
}

/* Sums of squares of the errors and of the exact tendencies over the rows inside. */
static void rows_compare(const struct storage *st, flow_function *flow, double dx, int points, const int *used,
                         double *error, double *all)
{
    const struct slab *const s = &st->s;
    for (int n = 0; n < 5; n++)
        for (int j = s->j0 + DEPTH; j < s->j0 + DEPTH + ROWS && used[n]; j++)
            for (int k = 0; k < points; k++)
                for (int i = 0; i < points; i++) {
                    const double is = (double)s->f[tendency_of[n]][(j - s->j0) * s->sj + k * s->sk + i];
                    const double should = values_at(flow, dx, n, j, k, i).t[n];
                    *error += (is - should) * (is - should);
                    *all += should * should;
                }
}

static int storage_make(struct storage *st, const struct session *s, int points)
{
    struct form form[SF_MAX_FIELDS] = {0};
    unsigned char skip[SF_MAX_FIELDS];
    const int n = s->in.nfields;
    for (int f = 0; f < n; f++) skip[f] = 1;
    for (int f = 0; f < 5; f++) skip[field_of[f]] = skip[tendency_of[f]] = 0;
    const struct layout l = layout_make(LAYOUT_LINE, points, points, points, DEPTH, DEPTH);
    SF_TRY(storage_init(st, &backend_cpu, &l, n, form, skip, -DEPTH, ROWS + 2 * DEPTH));
    for (int f = 0; f < n; f++) {
        if (skip[f] && s->in.field[f].shape == SHAPE_LEVELS) st->s.f[f] = s->state.host.s.f[f];
        st->s.w[f] = st->s.f[f];
    }
    return SF_OK;
}

/* Root mean square error of the tendencies over that of the exact ones. */
static int error_of(struct session *s, struct storage *st, const char *advection, flow_function *flow, int points,
                    const int *used, double *error)
{
    const double dx = side / points;
    SF_TRY(verify_open(s,
                       "&case name='tendency' /\n"
                       "&grid nx=4 ny=4 nz=%d dx=%.17g dy=%.17g dz=%.17g /\n"
                       "&time duration=1 dt=0.1 /\n"
                       "&dynamics advection='%s' mixing='off' gravity=0 /\n",
                       points, dx, dx, dx, advection));
    SF_TRY(storage_make(st, s, points));
    const struct call c = {.dt = R(0.1), .ctx = s->in.ctx};
    double sum = 0, all = 0;
    for (int j = 0; j < points; j += ROWS) {
        st->s.j0 = j - DEPTH;
        rows_fill(st, flow, dx, points, used);
        (((const struct dynamics *)s->in.ctx)->wide ? advmix_wide_run : advmix_run)(
            &st->s, (struct box){0, points, 0, points, j, j + ROWS}, &c);
        rows_compare(st, flow, dx, points, used, &sum, &all);
    }
    *error = sqrt(sum / all);
    return SF_OK;
}

static int order_run(struct verify *v, const char *name, const char *advection, flow_function *flow, const int *used,
                     double least)
{
    /* Where rounding does not yet cover the truncation error. */
    const int points = SF_PREC == 64 ? 64 : 16;
    double error[2] = {0, 0};
    for (int n = 0; n < 2; n++) {
        struct session s;
        struct storage st = {0};
        const int rc = error_of(&s, &st, advection, flow, points << n, used, &error[n]);
        storage_free(&st);
        session_close(&s);
        SF_TRY(rc);
        verify_show(v, verify_name("%s: rms error, %d points a wave", name, points << n), error[n], NAN,
                    "exact derivative");
    }
    verify_least(v, verify_name("%s: order", name), log2(error[0] / error[1]), least, "Taylor series of the scheme");
    return SF_OK;
}

int verify_tendency(struct verify *v)
{
    static const int all[5] = {1, 1, 1, 1, 1}, wind[5] = {1, 1, 1, 0, 0};
    static const int no_pressure[5] = {1, 1, 1, 1, 0}; /* pi' is never upwind */
    const double fourth = SF_PREC == 64 ? 3.9 : 3.8, third = SF_PREC == 64 ? 2.95 : 2.9;
    SF_TRY(order_run(v, "scalars, constant wind", "centred", flow_constant, all, fourth));
    SF_TRY(order_run(v, "wind by itself", "centred", flow_self, wind, fourth));
    SF_TRY(order_run(v, "wind, Beltrami flow", "centred", flow_beltrami, wind, 1.9));
    SF_TRY(order_run(v, "upwind, constant wind", "upwind3", flow_constant, no_pressure, third));
    const double sixth = SF_PREC == 64 ? 5.9 : 5.0, fifth = SF_PREC == 64 ? 4.95 : 4.5;
    SF_TRY(order_run(v, "scalars, centred6", "centred6", flow_constant, all, sixth));
    SF_TRY(order_run(v, "wind by itself, centred6", "centred6", flow_self, wind, 1.9)); /* a mean of two on a face */
    SF_TRY(order_run(v, "Beltrami, centred6", "centred6", flow_beltrami, wind, 1.9));
    SF_TRY(order_run(v, "constant wind, upwind5", "upwind5", flow_constant, no_pressure, fifth));
    if (SF_PREC != 64) verify_skip(v, "order between 64 and 128 points a wave", "in a build with PREC=64");
    return SF_OK;
}
