/* Truths that hold on the grid of the EM model to the last digits: modes, invariants, images.
 * SPDX-License-Identifier: MIT
 *
 * Tolerances: what round-off may leave, em_rounding, and within that a guard by what was measured. */
#include "command/verify_em_parts.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>

enum { CAVITY_MODES = 6 };

/* ---- a running wave ---------------------------------------------------------------------------------------------- */

static int dispersion_run(struct verify *v, struct session *s)
{
    const int steps = 1000, waves[3] = {2, 1, 3}, n[3] = {24, 20, 16};
    const double d[3] = {1, 0.8, 1.25};
    SF_TRY(verify_open(s, "&case name='dispersion' model='maxwell' /\n"
                          "&grid nx=24 ny=20 nz=16 dx=1 dy=0.8 dz=1.25 /\n"
                          "&time duration=1e-5 /\n"
                          "&maxwell courant=0.99 /\n" EM_SIDES("periodic")));
    const double dt = em_of(s)->dt;
    double k[3], square = 0;
    for (int a = 0; a < 3; a++) k[a] = 2 * M_PI * waves[a] / (n[a] * d[a]), square += k[a] * k[a];
    struct em_mode m;
    em_mode_make(&m, d, k, dt, 0);
    SF_TRY(em_fill(s, em_mode_at, &m, 0));
    SF_TRY(session_advance(s, steps));
    verify_near(v, "running wave: numerical over true phase speed", (double)m.omega / (em_c * sqrt(square)), 0.97454,
                5e-6, "sin^2(w dt/2)/(c dt)^2 = sum sin^2(k d/2)/d^2");
    verify_most_guarded(v, "running wave: largest error after 1000 steps", em_error(s, em_mode_at, &m, steps * dt),
                        em_rounding(steps, (double)m.omega * steps * dt), EM_LEVEL(1.4e-13, 5e-6),
                        "the exact mode of the grid; round-off");
    return SF_OK;
}

/* ---- a cavity ---------------------------------------------------------------------------------------------------- */

static const struct {
    int n[3];
    double analytic, discrete; /* MHz */
} cavity[CAVITY_MODES] = {{{1, 1, 0}, 239.951044, 239.826041}, {{1, 0, 1}, 291.345900, 291.023788},
                          {{0, 1, 1}, 312.283810, 311.986836}, {{1, 1, 1}, 346.395811, 346.272723},
                          {{2, 1, 0}, 353.529549, 352.983240}, {{2, 0, 1}, 390.242325, 389.724363}};

static const double cavity_size[3] = {1.0, 0.8, 0.6}, cavity_cell[3] = {0.05, 0.05, 0.05};

static int cavity_open(struct session *s)
{
    return verify_open(s, "&case name='cavity' model='maxwell' /\n"
                          "&grid nx=20 ny=16 nz=12 dx=0.05 dy=0.05 dz=0.05 /\n"
                          "&time duration=1e-5 /\n"
                          "&maxwell courant=0.99 /\n" EM_SIDES("pec"));
}

static void cavity_mode(struct em_mode *m, int mode, double dt)
{
    double k[3];
    for (int a = 0; a < 3; a++) k[a] = M_PI * cavity[mode].n[a] / cavity_size[a];
    em_mode_make(m, cavity_cell, k, dt, 1);
}

static double modes_at(const void *of, int c, const double x[3], double t)
{
    double sum = 0;
    for (int n = 0; n < CAVITY_MODES; n++) sum += em_mode_at((const struct em_mode *)of + n, c, x, t);
    return sum;
}

/* Component, and its values at time 0, that a mode is looked for with: the modes are orthogonal to each other. */
struct pattern {
    int component;
    double *value;
};

static int pattern_make(struct pattern *p, const struct session *s, const struct em_mode *m)
{
    for (int c = 1; c < 3; c++)
        if (fabs(m->amplitude[c]) > fabs(m->amplitude[p->component])) p->component = c;
    p->value = malloc(em_values(s) * sizeof *p->value);
    SF_CHECK(p->value, SF_MEMORY, "no memory for the shape of a mode");
    int at[3] = {0};
    size_t n = 0;
    do {
        double x[3];
        for (int a = 0; a < 3; a++) x[a] = em_place(s, p->component, a, at[a]);
        p->value[n++] = em_mode_at(m, p->component, x, 0);
    } while (em_next(s, p->component, at));
    return SF_OK;
}

static double pattern_project(const struct pattern *p, const struct session *s)
{
    int at[3] = {0};
    size_t n = 0;
    double sum = 0;
    do sum += p->value[n++] * (double)*em_at(s, p->component, at);
    while (em_next(s, p->component, at));
    return sum;
}

/* All modes at once; the amplitude of each obeys a(n+1) + a(n-1) = 2 cos(w dt) a(n), least squares over the run. */
static int frequencies_run(struct verify *v, struct session *s, struct pattern *shape)
{
    enum { STEPS = 1000 };
    SF_TRY(cavity_open(s));
    const double dt = em_of(s)->dt;
    struct em_mode mode[CAVITY_MODES];
    double a[3][CAVITY_MODES], top[CAVITY_MODES] = {0}, bottom[CAVITY_MODES] = {0};
    for (int n = 0; n < CAVITY_MODES; n++) {
        cavity_mode(&mode[n], n, dt);
        SF_TRY(pattern_make(&shape[n], s, &mode[n]));
    }
    SF_TRY(em_fill(s, modes_at, mode, 0));
    for (int step = 0; step <= STEPS; step++) {
        for (int n = 0; n < CAVITY_MODES; n++) {
            a[step % 3][n] = pattern_project(&shape[n], s);
            if (step < 2) continue;
            const double before = a[(step - 2) % 3][n], now = a[(step - 1) % 3][n], after = a[step % 3][n];
            top[n] += now * (0.5 * (before + after) - now), bottom[n] += now * now;
        }
        SF_TRY(session_advance(s, 1));
    }
    for (int n = 0; n < CAVITY_MODES; n++) {
        /* 1 - cos(w dt) = 2 sin^2(w dt / 2): the difference is what is summed, for few digits of the cosine differ
         * from 1. */
        const double found = 2 / dt * asin(sqrt(-0.5 * top[n] / bottom[n])) / (2e6 * M_PI);
        const int *const m = cavity[n].n;
        verify_near(v, verify_name("cavity, mode %d%d%d: frequency, MHz", m[0], m[1], m[2]), found, cavity[n].discrete,
                    EM_LEVEL(1.5e-7, 5e-7), "the mode of the grid, six digits behind the point");
        verify_guard_near(v, verify_name("cavity, mode %d%d%d: over that of the grid, less 1", m[0], m[1], m[2]),
                          found / ((double)mode[n].omega / (2e6 * M_PI)) - 1, 0, EM_LEVEL(2e-15, 3e-9));
        verify_near(v, verify_name("cavity, mode %d%d%d: against the analytic one", m[0], m[1], m[2]), found,
                    cavity[n].analytic, 2e-3 * cavity[n].analytic, "c/2 sqrt(sum (n/size)^2), 2nd order");
    }
    return SF_OK;
}

static int eigenmode_run(struct verify *v, struct session *s, int n)
{
    const long steps = 20000;
    struct em_mode m;
    SF_TRY(cavity_open(s));
    const double dt = em_of(s)->dt;
    cavity_mode(&m, n, dt);
    SF_TRY(em_fill(s, em_mode_at, &m, 0));
    SF_TRY(session_advance(s, steps));
    const double radians = (double)m.omega * (double)steps * dt;
    verify_most_guarded(
        v,
        verify_name("cavity, mode %d%d%d: largest error, 20000 steps", cavity[n].n[0], cavity[n].n[1], cavity[n].n[2]),
        em_error(s, em_mode_at, &m, (double)steps * dt), em_rounding(steps, radians), EM_LEVEL(6e-13, 1.5e-5),
        "the exact mode of the grid; round-off");
    return SF_OK;
}

/* Between an electric conductor, where x, y or z is 0, and a magnetic one a quarter of a wave is a mode. `high`: the
 * magnetic ones are the eastern, northern and upper sides. */
static int quarter_run(struct verify *v, struct session *s, int high)
{
    const int steps = 1000;
    const char *const low_side = high ? "pec" : "pmc", *const high_side = high ? "pmc" : "pec";
    double k[3], from[3];
    for (int a = 0; a < 3; a++) k[a] = 0.5 * M_PI / cavity_size[a], from[a] = high ? 0 : -cavity_size[a];
    SF_TRY(
        verify_open(s,
                    "&case name='quarter' model='maxwell' /\n"
                    "&grid nx=20 ny=16 nz=12 dx=0.05 dy=0.05 dz=0.05 origin_x=%.17g origin_y=%.17g origin_z=%.17g /\n"
                    "&time duration=1e-5 /\n"
                    "&boundary west='%s' east='%s' south='%s' north='%s' bottom='%s' top='%s' /\n",
                    from[0], from[1], from[2], low_side, high_side, low_side, high_side, low_side, high_side));
    const double dt = em_of(s)->dt;
    struct em_mode m;
    em_mode_make(&m, cavity_cell, k, dt, 1);
    SF_TRY(em_fill(s, em_mode_at, &m, 0));
    SF_TRY(session_advance(s, steps));
    verify_most_guarded(v, verify_name("quarter waves, PMC at the %s sides: error", high ? "high" : "low"),
                        em_error(s, em_mode_at, &m, steps * dt), em_rounding(steps, (double)m.omega * steps * dt),
                        EM_LEVEL(1e-14, 1.5e-6), "the exact mode of the grid, 1000 steps; round-off");
    return SF_OK;
}

static int cavity_all(struct verify *v)
{
    struct session s;
    struct pattern shape[CAVITY_MODES] = {{0, NULL}};
    int rc = frequencies_run(v, &s, shape);
    for (int n = 0; n < CAVITY_MODES; n++) free(shape[n].value);
    session_close(&s);
    for (int n = 0; n < CAVITY_MODES && !rc; n++) {
        if (!v->full && n != 3) continue; /* 111 has all six components */
        rc = eigenmode_run(v, &s, n);
        session_close(&s);
    }
    for (int high = 0; high < 2 && !rc; high++) {
        rc = quarter_run(v, &s, high);
        session_close(&s);
    }
    return rc;
}

/* ---- a lossy medium ---------------------------------------------------------------------------------------------- */

/* A mode of the cavity whose E and H are these multiples of its shapes. */
struct decaying {
    struct em_mode mode;
    long double e, h;
};

static double decaying_at(const void *of, int c, const double x[3], double t)
{
    const struct decaying *const d = of;
    (void)t;
    const double quarter = (double)(-0.5L * acosl(-1) / d->mode.omega); /* where H stands for itself */
    return (double)(c < 3 ? d->e : d->h) * em_mode_at(&d->mode, c, x, c < 3 ? 0 : quarter);
}

/* In a medium with both losses E and H of a mode obey, with a = sigma dt / 2 eps, g = sigma_m dt / 2 mu,
 *
 *     H+ (1 + g) = H (1 - g) - dt W mu0 E / mu,     E+ (1 + a) = E (1 - a) + dt W eps0 H+ / eps,     W = c |K|. */
static int decay_run(struct verify *v, struct session *s)
{
    const int steps = 500;
    const long double eps = 2.5L, mu = 1.5L;
    const double sigma = 2e-3, sigma_m = 150;
    SF_TRY(verify_open(s,
                       "&case name='lossy' model='maxwell' /\n"
                       "&grid nx=20 ny=16 nz=12 dx=0.05 dy=0.05 dz=0.05 /\n"
                       "&time duration=1e-5 /\n"
                       "&medium name='lossy' epsilon=2.5 mu=1.5 sigma=%.17g sigma_m=%.17g /\n"
                       "&geometry background='lossy' /\n" EM_SIDES("pec"),
                       sigma, sigma_m));
    const double dt = em_of(s)->dt;
    struct decaying d = {.e = 1, .h = 0.25L};
    cavity_mode(&d.mode, 3, dt);
    const long double W = 2 * sinl(0.5L * d.mode.omega * dt) / dt;
    const long double a = sigma * dt / (2 * eps * em_eps0), g = sigma_m * dt / (2 * mu * em_mu0);
    SF_TRY(em_fill(s, decaying_at, &d, 0));
    double most = 0;
    for (int n = 0; n < steps; n++) {
        SF_TRY(session_advance(s, 1));
        d.h = (d.h * (1 - g) - dt * W * d.e / mu) / (1 + g);
        d.e = (d.e * (1 - a) + dt * W * d.h / eps) / (1 + a);
        if (n % 20 == 19) most = fmax(most, em_error(s, decaying_at, &d, 0));
    }
    verify_show(v, "lossy cavity, mode 111: E after 500 steps, V/m", (double)d.e, NAN, "of 1 V/m");
    verify_most_guarded(v, "lossy cavity, mode 111: largest error", most,
                        em_rounding(steps, (double)d.mode.omega * steps * dt), EM_LEVEL(3e-15, 1e-6),
                        "the recurrence of the mode, 500 steps; round-off");
    return SF_OK;
}

static int decay_all(struct verify *v)
{
    struct session s;
    const int rc = decay_run(v, &s);
    session_close(&s);
    return rc;
}

int verify_em_exact(struct verify *v)
{
    struct session s;
    const int rc = dispersion_run(v, &s);
    session_close(&s);
    SF_TRY(rc);
    SF_TRY(cavity_all(v));
    SF_TRY(decay_all(v));
    SF_TRY(em_invariants(v));
    SF_TRY(em_lines(v));
    SF_TRY(em_images(v));
    return SF_OK;
}
