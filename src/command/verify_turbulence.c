/* Turbulence: its energy in uniform shear, and in stable air; the wind of a box that it mixes.
 * SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "dynamics/dynamics.h"
#include "pipeline/error.h"

#include <float.h>
#include <math.h>

static const double epsilon = SF_PREC == 64 ? DBL_EPSILON : (double)FLT_EPSILON;

/* ---- shear ---- */

enum { LEVELS = 30 };

static double middle(const struct session *s, int field) { return (double)verify_line(s, field, 1, LEVELS / 2)[1]; }

/* Cubes of 100 m, S = 0.02 1/s, dt = 1 s. N > 0: of stable air, Ri = (N/S)^2. */
static int shear_open(struct session *s, double brunt_vaisala, double energy)
{
    return verify_open(
        s,
        "&case name='shear' /\n"
        "&grid nx=4 ny=4 nz=%d dx=100 dy=100 dz=100 /\n"
        "&time duration=600 dt=0.5 /\n"
        "&base profile='constant_n' brunt_vaisala=%g wind='shear' wind_u=-30 wind_u_top=30 shear_top=%d /\n"
        "&turbulence closure='tke' /\n"
        "&dynamics expected_speed=1 /\n"
        "&initial shape='cosine' variable='tke' amplitude=%g /\n",
        LEVELS, brunt_vaisala, 100 * LEVELS, energy);
}

/* sqrt(e) = q8 tanh(S sqrt(c_m c_eps) t/2 + atanh(q0/q8)), q8 = l S sqrt(c_m/c_eps), far from the ground and the lid,
 * which stop the shear next to them. */
static int growth_run(struct verify *v, struct session *s)
{
    static const double when[] = {60, 120, 300, 600};
    const double S = 0.02, l = 100, cm = 0.1, ce = 0.1 * M_PI * M_PI, q8 = l * S * sqrt(cm / ce), q0 = sqrt(1e-3);
    SF_TRY(shear_open(s, 0, 1e-3));
    for (int n = 0; n < 4; n++) {
        SF_TRY(session_advance(s, (long)(2 * (when[n] - session_time(s)) + 0.5)));
        SF_TRY(engine_fetch(&s->engine));
        const double q = q8 * tanh(S * sqrt(cm * ce) * when[n] / 2 + atanh(q0 / q8));
        verify_near(v, verify_name("energy in shear after %g s, m2/s2", when[n]), middle(s, F_Q), q * q, 1e-4 * q * q,
                    "q8 tanh(S sqrt(c_m c_eps) t/2 + atanh(q0/q8)), squared");
    }
    return SF_OK;
}

/* Ri = 0.36: the energy of stable air falls as the shear of the wind does not sustain it. */
static int decay_run(struct verify *v, struct session *s)
{
    SF_TRY(shear_open(s, 0.012, 0.2));
    SF_TRY(verify_finish(s));
    verify_most(v, "Ri = 0.36: energy after 600 s, of that at the start", middle(s, F_Q) / 0.2, 0.5,
                "no growth above Ri = 1/4");
    return SF_OK;
}

/* ---- a box ---- */

static double momentum(const struct session *s, int field)
{
    const struct base_state *const b = &((const struct dynamics_own *)s->in.own)->base;
    double sum = 0, mass = 0;
    for (int j = 0; j < s->grid.ny; j++)
        for (int k = 0; k < s->grid.nz; k++)
            for (int i = 0; i < s->grid.nx; i++) {
                const double m = b->rho0[k] * (s->grid.z_f[k + 1] - s->grid.z_f[k]);
                sum += m * (double)verify_line(s, field, j, k)[i], mass += m;
            }
    return sum / mass;
}

/* A shear that mixes itself away: no level is accelerated by another's pressure, so that momentum goes from one to the
 * next alone. */
static int box_run(struct verify *v, struct session *s)
{
    SF_TRY(verify_open(s, "&case name='mixed' /\n"
                          "&grid nx=3 ny=3 nz=20 dx=100 dy=100 dz=50 stretch_ratio=1.04 /\n"
                          "&time duration=600 dt=0.5 /\n"
                          "&base wind='shear' wind_u=3 wind_u_top=11 wind_v_top=-4 shear_bottom=0 shear_top=900 /\n"
                          "&turbulence closure='tke' /\n"
                          "&dynamics expected_speed=1 /\n"
                          "&initial shape='cosine' variable='tke' amplitude=0.5 /\n"));
    const double u = momentum(s, F_U), w = momentum(s, F_V), bottom = (double)verify_line(s, F_U, 0, 0)[0];
    SF_TRY(verify_finish(s));
    verify_near(v, "a shear is mixed: mean eastward wind, m/s", momentum(s, F_U), u, 1200 * 2 * epsilon,
                "momentum stays");
    verify_near(v, "  mean northward wind, m/s", momentum(s, F_V), w, 1200 * 2 * epsilon, "momentum stays");
    verify_least(v, "  what the lowest level gains, m/s", (double)verify_line(s, F_U, 0, 0)[0] - bottom, 0.001,
                 "the wind above is faster");
    return SF_OK;
}

int verify_turbulence(struct verify *v)
{
    static int (*const runs[])(struct verify *, struct session *) = {growth_run, decay_run, box_run};
    for (int n = 0; n < 3; n++) {
        struct session s;
        const int rc = runs[n](v, &s);
        session_close(&s);
        SF_TRY(rc);
    }
    return SF_OK;
}
