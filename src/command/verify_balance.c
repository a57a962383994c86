/* Exact balances: the inertial circle, an atmosphere at rest, viscous decay. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "command/verify_exact.h"
#include "dynamics/dynamics.h"
#include "pipeline/error.h"

#include <float.h>
#include <math.h>

static const double epsilon = SF_PREC == 64 ? DBL_EPSILON : (double)FLT_EPSILON;

static double at_origin(const struct session *s, int field) { return (double)verify_line(s, field, 0, 0)[0]; }

/* ---- forces, level by level ---- */

/* A Rayleigh layer over a constant wind, and the Coriolis force in a sheared geostrophic wind: without gradients each
 * level goes its own way. The departure from the base wind is multiplied a step by the Runge-Kutta polynomial of -r dt,
 * r(z) = sin^2(pi/2 (z - bottom) / depth) / tau, or of -i f dt. */
static int forces_run(struct verify *v, struct session *s, int coriolis)
{
    const double dt = 20, f = 1e-3, tau = 100, depth = 6000, top = 10000;
    SF_TRY(
        verify_open(s,
                    "&case name='forces' /\n"
                    "&grid nx=4 ny=4 nz=10 dx=1e6 dy=1e6 dz=1000 /\n"
                    "&time duration=200 dt=%g /\n"
                    "&base wind='shear' wind_u=5 wind_v=-3 wind_u_top=25 wind_v_top=12 shear_bottom=0 shear_top=%g /\n"
                    "&dynamics mixing='off' coriolis_f=%g rayleigh_depth=%g rayleigh_time=%g /\n"
                    "&initial wind_u=3 wind_v=1 /\n",
                    dt, top, coriolis ? f : 0, coriolis ? 0 : depth, tau));
    const struct base_state *const b = &((const struct dynamics_own *)s->in.own)->base;
    const long steps = session_steps_left(s);
    SF_TRY(verify_finish(s));
    double most = 0;
    for (int k = 0; k < s->grid.nz; k++) {
        const double above = (s->grid.z_c[k] - (top - depth)) / depth, wave = above > 0 ? sin(0.5 * M_PI * above) : 0;
        const double x = -dt * wave * wave / tau;
        double re = 1 + x + x * x / 2 + x * x * x / 6, im = 0;
        if (coriolis) rk3_factor(f * dt, &re, &im), im = -im;
        double u = 3, w = 1;
        for (long n = 0; n < steps; n++) {
            const double before = u;
            u = re * u - im * w, w = re * w + im * before;
        }
        most = fmax(most, fabs((double)verify_line(s, F_U, 0, k)[0] - (b->u0[k] + u)));
        most = fmax(most, fabs((double)verify_line(s, F_V, 0, k)[0] - (b->v0[k] + w)));
    }
    /* Ten steps of a dozen roundings each, of winds up to 30 m/s. */
    verify_most(v,
                coriolis ? "Coriolis force in a shear: largest error of the wind, m/s"
                         : "Rayleigh layer over a wind: largest error, m/s",
                most, 120 * 30 * epsilon,
                coriolis ? "|1 + iz + (iz)^2/2 + (iz)^3/6|, level by level" : "1 + x + x^2/2 + x^3/6, x = -r dt");
    return SF_OK;
}

int verify_forces(struct verify *v)
{
    struct session s;
    for (int coriolis = 0; coriolis < 2; coriolis++) {
        const int rc = forces_run(v, &s, coriolis);
        session_close(&s);
        SF_TRY(rc);
    }
    return SF_OK;
}

/* ---- inertial oscillation ---- */

/* A uniform wind on an f-plane turns: (u + i v) is multiplied by exp(-i f dt) a step, and numerically by the
 * Runge-Kutta polynomial of -i f dt, small steps or not, for no gradient joins in. */
static int inertia_run(struct verify *v, struct session *s, double f_dt, double turns)
{
    const double speed = 10, f = 1e-3, dt = f_dt / f;
    SF_TRY(verify_open(s,
                       "&case name='inertia' /\n"
                       "&grid nx=4 ny=4 nz=4 dx=1e6 dy=1e6 dz=1000 /\n"
                       "&time duration=%.17g dt=%.17g /\n"
                       "&dynamics mixing='off' coriolis_f=%g /\n"
                       "&initial wind_u=%g /\n",
                       turns * 2 * M_PI / f, dt, f, speed));
    const double z = f * clock_dt(&s->clock, 0);
    const long steps = session_steps_left(s);
    double re, im;
    rk3_factor(z, &re, &im);
    SF_TRY(verify_finish(s));
    const double u = at_origin(s, F_U), w = at_origin(s, F_V), amplitude = pow(hypot(re, im), (double)steps);
    const double angle = -atan2(im, re) * (double)steps, end = f * session_time(s),
                 round = 16 * epsilon * (double)steps;
    verify_near(v, verify_name("f dt %.2g, %g turns: speed over the first", z, turns), hypot(u, w) / speed, amplitude,
                round, "|1 + iz + (iz)^2/2 + (iz)^3/6|^n");
    verify_near(v, verify_name("f dt %.2g, %g turns: u, m/s", z, turns), u, speed * amplitude * cos(angle),
                speed * round, "the same, turned");
    verify_near(v, verify_name("f dt %.2g, %g turns: v, m/s", z, turns), w, speed * amplitude * sin(angle),
                speed * round, "the same, turned");
    if (z > 0.1) return SF_OK;
    verify_near(v, "the same against u = U cos ft, m/s", u, speed * cos(end), 1e-3 * speed, "exact");
    verify_near(v, "the same against v = -U sin ft, m/s", w, -speed * sin(end), 1e-3 * speed, "exact");
    return SF_OK;
}

int verify_inertia(struct verify *v)
{
    static const struct {
        double f_dt;
        double turns;
    } runs[] = {{0.5, 5.125}, {0.05, 5.125}};
    for (int n = 0; n < 2; n++) {
        struct session s;
        const int rc = inertia_run(v, &s, runs[n].f_dt, runs[n].turns);
        session_close(&s);
        SF_TRY(rc);
    }
    return SF_OK;
}

/* ---- rest ---- */

/* An isothermal atmosphere at rest as a departure from a neutral one: theta' of up to 240 K, and pi' to match. Nothing
 * is mixed, for theta' is all of the stratification. pi' is rounded to eps |pi'|, which leaves a vertical acceleration
 * of at most cp theta eps |pi'| / dz; that times dt is the level below which no balance can be held. Sound carries the
 * imbalance off; nothing may grow. */
static int rest_run(struct verify *v, struct session *s)
{
    const int steps_a_look = 5;
    SF_TRY(verify_open(s, "&case name='rest' /\n"
                          "&grid nx=16 ny=4 nz=40 dx=1000 dy=1000 dz=500 /\n"
                          "&time duration=3600 dt=6 /\n"
                          "&dynamics mixing='off' /\n"
                          "&initial atmosphere='isothermal' atmosphere_temperature=250 /\n"));
    const struct dynamics_own *const own = s->in.own;
    const double dz = s->grid.z_f[1], dt = clock_dt(&s->clock, 0);
    double level = 0, most = 0, last = 0;
    for (int k = 0; k < s->grid.nz; k++) {
        const double theta = own->base.theta0[k] + (double)verify_line(s, F_TH, 0, k)[0];
        level = SF_MAX(level, own->ctx.cp_d * theta * epsilon * fabs((double)verify_line(s, F_PI, 0, k)[0]) / dz * dt);
    }
    while (session_steps_left(s) > 0) {
        char where[256];
        int bad;
        SF_TRY(session_advance(s, steps_a_look));
        SF_TRY(state_find_bad(&s->state, &bad, where, sizeof where));
        SF_CHECK(!bad, SF_BLOWUP, "the atmosphere at rest blew up: %s", where);
        const struct extremes w = verify_extremes(s, F_W);
        last = SF_MAX(w.max, -w.min);
        most = SF_MAX(most, last);
    }
    const struct extremes th = verify_extremes(s, F_TH);
    verify_show(v, "theta' of the atmosphere at its top, K", th.max, NAN, "");
    verify_most(v, "largest |w| in an hour, m/s", most, level, "eps cp theta |pi'| dt / dz");
    verify_most(v, "largest |w| after an hour, m/s", last, level, "eps cp theta |pi'| dt / dz");
    return SF_OK;
}

int verify_rest(struct verify *v)
{
    struct session s;
    const int rc = rest_run(v, &s);
    session_close(&s);
    return rc;
}

/* ---- Taylor-Green ---- */

static double kinetic(const struct session *s)
{
    double sum = 0;
    for (int j = 0; j < s->grid.ny; j++)
        for (int k = 0; k < s->grid.nz; k++) {
            const real *const u = verify_line(s, F_U, j, k), *const w = verify_line(s, F_V, j, k);
            for (int i = 0; i < s->grid.nx; i++) sum += (double)u[i] * (double)u[i] + (double)w[i] * (double)w[i];
        }
    return sum / 2;
}

/* u and v decay as exp(-2 nu k^2 t), kinetic energy as the square; second-order diffusion of n points a wave is slower
 * by (2 sin(a/2) / a)^2, a = 2 pi / n. */
static int decay_run(struct verify *v, struct session *s)
{
    const double nu = 500, side = 3200, a = 2 * M_PI / 32, k = 2 * M_PI / side;
    SF_TRY(verify_open(s,
                       "&case name='taylor_green' /\n"
                       "&grid nx=32 ny=32 nz=4 dx=100 dy=100 dz=100 /\n"
                       "&time duration=200 dt=0.5 /\n"
                       "&dynamics mixing='constant' viscosity=%g gravity=0 off_centring=0.5 divergence_damping=0 /\n"
                       "&initial flow='taylor_green' flow_speed=1 /\n",
                       nu));
    const double before = kinetic(s);
    SF_TRY(verify_finish(s));
    const double t = session_time(s), rate = -log(kinetic(s) / before) / t, exact = 4 * nu * k * k;
    const double discrete = exact * pow(2 * sin(a / 2) / a, 2);
    verify_near(v, "kinetic energy left after 200 s", exp(-rate * t), exp(-exact * t),
                0.005 * exact * t * exp(-exact * t), "exp(-4 nu k^2 t)");
    verify_near(v, "rate of its decay, 1/s", rate, exact, 0.005 * exact, "4 nu k^2");
    verify_near(v, "the same against that of the differences, 1/s", rate, discrete, 2e-4 * exact,
                "(2 sin(a/2)/a)^2 4 nu k^2");
    return SF_OK;
}

int verify_decay(struct verify *v)
{
    struct session s;
    const int rc = decay_run(v, &s);
    session_close(&s);
    return rc;
}
