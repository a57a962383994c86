/* Conductors true to their shape: resonances of round cavities, their order, and that nothing grows.
 * SPDX-License-Identifier: MIT */
#include "command/verify_em_parts.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>

/* ---- modes of a round cavity, radius 1 m ------------------------------------------------------------------------- */

enum { TE11_CYLINDER, TM101_SPHERE, TE101_SPHERE, ROUND_MODES };

/* Zeros of J1', of (x j1)', of j1 (Abramowitz and Stegun 1964, tables 9.5 and 10.6). */
static const struct {
    const char *name;
    double wave_number;
    int is_flat;
} round_mode[ROUND_MODES] = {{"circular guide, TE11", 1.841183781, 1},
                             {"spherical cavity, TM101", 2.743707270, 0},
                             {"spherical cavity, TE101", 4.493409458, 0}};

/* j1(k r) / r and its derivative over r: H of TM101, E of TE101 turn around the axis by it. */
static void bessel(double k, double r, double *f, double *slope)
{
    const double x = k * fmax(r, 1e-6), s = sin(x), c = cos(x);
    const double j1 = x < 1e-2 ? x / 3 * (1 - x * x / 10) : s / (x * x) - c / x;
    const double by_x = x < 1e-2 ? 1.0 / 3 * (1 - x * x / 10) : j1 / x;
    const double slope_x = x < 1e-2 ? -1.0 / 15 : ((s / x - 3 * by_x) / x) / x; /* (j1 / x)' / x = - j2 / x^2 */
    *f = k * by_x, *slope = k * k * k * slope_x;
}

/* E of a mode; its middle is `from`. */
static double round_at(int mode, int c, const double at[3], const double from[3])
{
    const double x = at[0] - from[0], y = at[1] - from[1], z = at[2] - from[2], k = round_mode[mode].wave_number;
    double f, slope;
    if (mode == TE11_CYLINDER) { /* E = - z x grad (J1(k r) x / r) */
        const double r = fmax(hypot(x, y), 1e-9), b = j1(k * r) / r, b1 = k * j0(k * r) / r - 2 * b / r;
        return c == 0 ? b1 * x * y / r : c == 1 ? -(b + b1 * x * x / r) : 0;
    }
    bessel(k, sqrt(x * x + y * y + z * z), &f, &slope);
    if (mode == TE101_SPHERE) return c == 0 ? -y * f : c == 1 ? x * f : 0;
    return c == 0 ? -x * z * slope : c == 1 ? -y * z * slope : 2 * f + (x * x + y * y) * slope;
}

int em_oscillation(struct session *s, int steps, em_mode *mode, const void *of, double *found)
{
    const struct maxwell *const x = em_of(s);
    double a[3] = {0}, top = 0, bottom = 0;
    for (int step = 0; step <= steps; step++) {
        double sum = 0;
        for (int c = 0; c < 3; c++) {
            int at[3] = {0};
            do {
                real *const f = em_at(s, c, at);
                const ptrdiff_t offset = f - s->state.host.s.f[F_EX + c];
                const double place[3] = {em_place(s, c, 0, at[0]), em_place(s, c, 1, at[1]), em_place(s, c, 2, at[2])};
                const double e = mode(of, c, place);
                const int has = place_turn(x, &s->state.host.s, c, offset) > 0;
                const double open =
                    x->e.whole ? 1 / (double)coefficient_at(x->e.whole, s->state.host.s.f[F_MEX + c], offset, x->e_wide)
                               : 1;
                if (!step) *f = (real)(has ? e * open : 0);
                if (has) sum += e * (double)*f;
            } while (em_next(s, c, at));
        }
        if (!step) SF_TRY(engine_refresh(&s->engine));
        a[step % 3] = sum;
        if (step >= 2) {
            const double before = a[(step - 2) % 3], now = a[(step - 1) % 3], after = a[step % 3];
            top += now * (0.5 * (before + after) - now), bottom += now * now;
        }
        SF_TRY(session_advance(s, 1));
    }
    *found = 2 / (x->dt * em_c) * asin(sqrt(-0.5 * top / bottom));
    return SF_OK;
}

struct round_place {
    int mode;
    const double *from;
};

static double round_wave(const void *of, int c, const double place[3])
{
    const struct round_place *const p = of;
    return round_at(p->mode, c, place, p->from);
}

/* A cavity in a block of metal, `cells` to its radius, its middle at no node. Filled with E of a mode, whose amplitude
 * obeys a(n+1) + a(n-1) = 2 cos(w dt) a(n): k, least squares. */
static int round_run(struct session *s, int mode, double conformal, double cells, double *found)
{
    enum { STEPS = 400 };
    const double d = 1 / cells, from[3] = {0.13 * d, 0.21 * d, round_mode[mode].is_flat ? 0 : 0.37 * d};
    const int n = 2 * ((int)cells + 2);
    SF_TRY(verify_open(
        s,
        "&case name='round' model='maxwell' /\n"
        "&grid nx=%d ny=%d nz=%d dx=%.17g dy=%.17g dz=%.17g origin_x=%.17g origin_y=%.17g origin_z=%.17g /\n"
        "&time duration=1e-5 /\n"
        "&maxwell conformal=%.17g /\n"
        "&boundary west='pec' east='pec' south='pec' north='pec' bottom='%s' top='%s' /\n"
        "&geometry background='pec' shape='%s' medium='vacuum' radius=1 x=%.17g y=%.17g z=%.17g /\n",
        n, n, round_mode[mode].is_flat ? 2 : n, d, d, d, -n / 2 * d, -n / 2 * d,
        round_mode[mode].is_flat ? 0 : -n / 2 * d, conformal, round_mode[mode].is_flat ? "periodic" : "pec",
        round_mode[mode].is_flat ? "periodic" : "pec", round_mode[mode].is_flat ? "cylinder" : "sphere", from[0],
        from[1], from[2]));
    const struct round_place of = {mode, from};
    return em_oscillation(s, STEPS, round_wave, &of, found);
}

static int round_error(int mode, double conformal, double cells, double *error)
{
    struct session s;
    double found = 0;
    const int rc = round_run(&s, mode, conformal, cells, &found);
    session_close(&s);
    *error = found / round_mode[mode].wave_number - 1;
    return rc;
}

static int round_row(struct verify *v, int mode, double conformal, double cells, double tolerance)
{
    double error = 0;
    SF_TRY(round_error(mode, conformal, cells, &error));
    verify_near(v,
                verify_name("%s, %.3g cells, s %.2g: frequency over the exact, less 1", round_mode[mode].name, cells,
                            conformal),
                error, 0, tolerance, "zero of a Bessel function");
    return SF_OK;
}

/* Errors of order n fall with the n-th power of the cell. */
static int order_row(struct verify *v)
{
    double coarse = 0, fine = 0;
    SF_TRY(round_error(TM101_SPHERE, 0.5, 5.3, &coarse));
    SF_TRY(round_error(TM101_SPHERE, 0.5, 13.3, &fine));
    verify_least(v, "spherical cavity, TM101, s 0.5: order from 5.3 to 13.3 cells",
                 log(coarse / fine) / log(13.3 / 5.3), 1.8, "second order");
    return SF_OK;
}

/* ---- nothing grows ----------------------------------------------------------------------------------------------- */

int em_energy(const struct session *s, double *energy)
{
    double value[16], courant;
    SF_TRY(s->model->measure(&s->in, &s->state, em_of(s)->dt, value, &courant));
    *energy = value[0];
    return SF_OK;
}

int em_noise(struct session *s, double *energy)
{
    unsigned long n = 0;
    for (int c = 0; c < 3; c++) {
        int at[3] = {0};
        do {
            real *const f = em_at(s, c, at);
            const real turn = place_turn(em_of(s), &s->state.host.s, c, f - s->state.host.s.f[F_EX + c]);
            *f = turn > 0 ? (real)em_random(n++) * turn / (real)(em_of(s)->dt / em_eps0) : 0;
        } while (em_next(s, c, at));
    }
    SF_TRY(engine_refresh(&s->engine));
    return em_energy(s, energy);
}

int em_growth(struct verify *v, struct session *s, const char *name)
{
    double begin = 0, end = 0;
    SF_TRY(em_noise(s, &begin));
    SF_TRY(session_advance(s, 20000));
    SF_TRY(em_energy(s, &end));
    verify_most(v, name, end / begin, 2, "of the beginning's, whose H is 0");
    return SF_OK;
}

/* A ball, a rod and a brick between nodes, cells of three sizes, noise on every edge that is open. */
static int growth_run(struct verify *v, struct session *s, double conformal, const double d[3])
{
    SF_TRY(verify_open(
        s,
        "&case name='growth' model='maxwell' /\n"
        "&grid nx=16 ny=14 nz=12 dx=%.9g dy=%.9g dz=%.9g /\n"
        "&time duration=1e-3 /\n"
        "&maxwell conformal=%.9g /\n"
        "&geometry shape='sphere','cylinder','box' radius=%.9g,%.9g x=%.9g,%.9g,%.9g y=%.9g,%.9g,%.9g\n"
        "  z=%.9g,%.9g,%.9g axis(2)='x' size_x=1e9,1e9,%.9g size_y=1e9,1e9,%.9g size_z=1e9,1e9,%.9g /\n" EM_SIDES(
            "pec"),
        d[0], d[1], d[2], conformal, 3.3 * fmax(d[0], fmax(d[1], d[2])), 1.7 * fmax(d[0], fmax(d[1], d[2])), 5.1 * d[0],
        8 * d[0], 12.2 * d[0], 5.3 * d[1], 12.1 * d[1], 5.2 * d[1], 5.2 * d[2], 3.1 * d[2], 8.4 * d[2], 3.7 * d[0],
        4.3 * d[1], 3.3 * d[2]));
    return em_growth(
        v, s,
        verify_name("noise, cells %.2g x %.2g x %.2g, s %.2g: energy after 20000 steps", d[0], d[1], d[2], conformal));
}

static int growth_row(struct verify *v, double conformal, double x, double y, double z)
{
    struct session s;
    const double d[3] = {x, y, z};
    const int rc = growth_run(v, &s, conformal, d);
    session_close(&s);
    return rc;
}

int verify_conformal(struct verify *v)
{
    SF_TRY(round_row(v, TE11_CYLINDER, 0.8, 12.6, 0.003));
    SF_TRY(round_row(v, TM101_SPHERE, 0.8, 8.3, 0.0045));
    SF_TRY(round_row(v, TE101_SPHERE, 0.8, 8.3, 0.0075));
    SF_TRY(order_row(v));
    SF_TRY(em_shell_rows(v));
    SF_TRY(growth_row(v, 0.8, 1, 1, 1));
    SF_TRY(growth_row(v, 0.8, 1, 0.6, 1.7));
    SF_TRY(growth_row(v, 0.8, 1, 1, 0.3));
    return SF_OK;
}
