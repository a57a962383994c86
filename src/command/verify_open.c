/* Open sides: what they return of a wave, and what is left of a cold pool and a thermal that have gone.
 * SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "dynamics/dynamics.h"
#include "pipeline/error.h"

#include <math.h>

/* ---- a gravity wave: the same in a domain so wide that nothing comes back ---- */

enum { WAVE_CELLS = 60, WAVE_MARGIN = 150, LOOKS = 12 };

static int wave_open(struct session *s, int margin)
{
    const double dx = 1000, n = 0.01;
    return verify_open(
        s,
        "&case name='open_waves' /\n"
        "&grid nx=%d ny=1 nz=20 dx=%g dy=%g dz=500 origin_x=%g /\n"
        "&time duration=3600 dt=2 /\n"
        "&dynamics mixing='off' /\n"
        "&base profile='constant_n' brunt_vaisala=%g surface_theta=300 /\n"
        "&initial shape='cosine' variable='theta' amplitude=0.1 x=0 z=5000 radius_x=5000 radius_z=5000 /\n"
        "&boundary west='open' east='open' /\n",
        WAVE_CELLS + 2 * margin, dx, dx, -(WAVE_CELLS / 2 + margin) * dx, n);
}

/* Of the difference of two states, and of the second: u^2 + w^2 + (g theta' / N theta_0)^2, summed over the small
 * domain. */
static void energies_add(const struct session *small, const struct session *wide, double *missed, double *all)
{
    const struct dynamics_own *const own = small->in.own;
    static const int field[3] = {F_U, F_W, F_TH};
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < small->grid.nz; k++) {
            const double scale = f < 2 ? 1 : own->ctx.g / (0.01 * own->base.theta0[k]);
            for (int i = 0; i < WAVE_CELLS; i++) {
                const double is = scale * (double)verify_line(small, field[f], 0, k)[i];
                const double should = scale * (double)verify_line(wide, field[f], 0, k)[i + WAVE_MARGIN];
                *missed += (is - should) * (is - should), *all += should * should;
            }
        }
}

static int waves_run(struct verify *v, struct session *small, struct session *wide)
{
    double missed = 0, all = 0;
    SF_TRY(wave_open(small, 0));
    SF_TRY(wave_open(wide, WAVE_MARGIN));
    const long steps = session_steps_left(small) / LOOKS;
    for (int n = 0; n < LOOKS; n++) {
        SF_TRY(session_advance(small, steps));
        SF_TRY(session_advance(wide, steps));
        energies_add(small, wide, &missed, &all);
    }
    /* The two deepest modes, N H / pi = 31.8 m/s and half of it, return (s - c) / (s + c) of theirs at c = 25: 0.12 and
     * -0.22. */
    verify_most_guarded(v, "waves of 3600 s that came back, of all: amplitude", sqrt(missed / all), 0.22, 0.1,
                        "Klemp & Wilhelmson 1978: (s - c)/(s + c) of the two deepest modes");
    return SF_OK;
}

/* ---- what leaves ---- */

/* The largest |theta'| left in the domain, and the sum of the tracer. */
static double left_of(const struct session *s, double *tracer)
{
    const struct extremes th = verify_extremes(s, F_TH);
    *tracer = 0;
    for (int k = 0; k < s->grid.nz && s->in.nfields > F_Q; k++)
        for (int i = 0; i < s->grid.nx; i++) *tracer += (double)verify_line(s, F_Q, 0, k)[i];
    return SF_MAX(th.max, -th.min);
}

static int drift_of(const struct session *s, double *drift)
{
    double values[64], courant;
    SF_CHECK(s->in.nquantities <= 64, SF_INTERNAL, "more quantities than expected");
    SF_TRY(s->model->measure(&s->in, &s->state, clock_dt(&s->clock, s->step), values, &courant));
    for (int n = 0; n < s->in.nquantities; n++) {
        const char *a = s->in.quantity[n].name, *b = "mass_drift";
        while (*a && *a == *b) a++, b++;
        if (*a == *b) *drift = values[n];
    }
    return SF_OK;
}

/* The eastern half of a current of 25.6 km to the side; its front passes the side at 1400 s. */
static int pool_run(struct verify *v, struct session *s)
{
    double tracer, drift = NAN;
    SF_TRY(verify_open(
        s,
        "&case name='open_cold_pool' /\n"
        "&grid nx=128 ny=1 nz=32 dx=200 dy=200 dz=200 /\n"
        "&time duration=1600 dt=1 /\n"
        "&dynamics advection='upwind3' mixing='constant' viscosity=75 expected_speed=40 gravity=9.81 heat_capacity=1004 /\n"
        "&initial shape='cosine' variable='temperature' amplitude=-15 z=3000 radius_x=4000 radius_z=2000 /\n"
        "&boundary west='symmetric' east='open' /\n"));
    SF_TRY(drift_of(s, &drift)); /* the first state is the one that drifts count from */
    SF_TRY(verify_finish(s));
    SF_TRY(drift_of(s, &drift));
    const double left = left_of(s, &tracer);
    verify_most(v, "cold pool that leaves: drift of the dry mass, relative", fabs(drift), 1e-4, "held");
    verify_show(v, "cold pool that leaves: largest |theta'| at 1600 s, K", left, NAN, "16.6 K at the start");
    return SF_OK;
}

static int thermal_run(struct verify *v, struct session *s)
{
    double tracer, begin, drift = NAN;
    SF_TRY(verify_open(
        s,
        "&case name='open_thermal' /\n"
        "&grid nx=50 ny=1 nz=30 dx=400 dy=400 dz=400 origin_x=-10000 /\n"
        "&time duration=2400 dt=2 /\n"
        "&dynamics advection='upwind5' tracers=1 expected_speed=30 /\n"
        "&base profile='constant_n' brunt_vaisala=0.005 wind='constant' wind_u=10 /\n"
        "&initial shape='cosine' variable='theta' amplitude=5 x=0 z=2000 radius_x=3000 radius_z=1500 balance='hydrostatic' /\n"
        "&initial shape='cosine' variable='tracer' amplitude=1 x=0 z=2000 radius_x=3000 radius_z=1500 /\n"
        "&boundary west='open' east='open' /\n"));
    SF_TRY(drift_of(s, &drift));
    (void)left_of(s, &begin);
    SF_TRY(verify_finish(s));
    SF_TRY(drift_of(s, &drift));
    const double left = left_of(s, &tracer);
    verify_most(v, "thermal carried out: drift of the dry mass, relative", fabs(drift), 1e-4, "held");
    verify_most(v, "thermal carried out: |tracer| left, of that at the start", fabs(tracer) / begin, 0.1,
                "24 km of wind in a domain of 20 km; nothing enters");
    verify_show(v, "thermal carried out: largest |theta'| at 2400 s, K", left, NAN, "5 K at the start");
    return SF_OK;
}

int verify_open_sides(struct verify *v)
{
    struct session s, wide = {.model = NULL};
    int rc = waves_run(v, &s, &wide);
    session_close(&s);
    session_close(&wide);
    if (!rc) {
        rc = pool_run(v, &s);
        session_close(&s);
    }
    if (!rc) {
        rc = thermal_run(v, &s);
        session_close(&s);
    }
    return rc;
}
