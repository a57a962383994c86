/* Baroclinic waves in a channel, from the balanced jet of &initial jet: a jet that nothing disturbs stays as it is; a
 * wave in a uniform shear grows and travels as linear theory has it (eady.h).
 *
 * Lengths along the ground and times are a tenth of the Earth's and f is ten times as large: all that theory knows, N,
 * depth, wind and Burger's number, is the same, and an e-folding time takes a tenth of the steps of its sound.
 * SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "command/eady.h"
#include "dynamics/dynamics.h"
#include "pipeline/error.h"

#include <complex.h>
#include <float.h>
#include <math.h>

static const struct eady_case channel = {.k = 2 * M_PI / 400e3,
                                         .l = M_PI / 400e3,
                                         .shear = 2e-3,
                                         .height = 10e3,
                                         .N = 0.01,
                                         .f = 1e-3,
                                         .theta = 300,
                                         .g = 9.80665,
                                         .cp = 1004.5,
                                         .R = 287};
/* s: the wave grows evenly from two thirds of it on, and is still small then; of half the shear twice as long. */
static const double end = 120e3;
enum { LOOKS = 12, LOOKS_SETTLED = 8 };

static int channel_open(struct session *s, const struct eady_case *c, int n, double duration, double amplitude)
{
    const double length = 2 * M_PI / c->k, width = M_PI / c->l;
    return verify_open(s,
                       "&case name='baroclinic' /\n"
                       "&grid nx=%d ny=%d nz=%d dx=%.17g dy=%.17g dz=%.17g /\n"
                       "&time duration=%g dt=0 output_interval=%g /\n"
                       "&base profile='constant_n' brunt_vaisala=%g surface_theta=%g /\n"
                       "&boundary south='wall' north='wall' /\n"
                       "&dynamics coriolis_f=%g mixing='off' expected_speed=1 expected_vertical_speed=1 gravity=%.9g\n"
                       "  heat_capacity=%.9g gas_constant=%.9g /\n"
                       "&initial jet='shear' jet_speed=%g shape='wave' variable='theta' amplitude=%g\n"
                       "  y=%g radius_x=%.17g radius_y=%.17g balance='hydrostatic' /\n",
                       2 * n, n, n, length / (2 * n), width / n, c->height / n, duration, duration / LOOKS, c->N,
                       c->theta, c->f, c->g, c->cp, c->R, c->shear * c->height, amplitude, width / 2, length,
                       2 * width);
}

/* The amplitude of v. */
static double complex wave_of(const struct session *s)
{
    const struct phasor p = verify_phasor(s, F_V, 1);
    return p.re + p.im * I;
}

/* Growth and speed once it is settled. */
static int wave_measure(struct session *s, const struct eady_case *c, struct eady_wave *is)
{
    const long steps = session_steps_left(s) / LOOKS;
    double complex first = 0, before = 0;
    double turned = 0, from = 0;
    for (int n = 1; n <= LOOKS; n++) {
        SF_TRY(session_advance(s, n < LOOKS ? steps : session_steps_left(s)));
        const double complex now = wave_of(s);
        if (n <= LOOKS_SETTLED) first = now, from = session_time(s);
        else turned += carg(now / before);
        before = now;
    }
    SF_TRY(verify_finish(s));
    const double time = session_time(s) - from;
    *is = (struct eady_wave){log(cabs(before) / cabs(first)) / time, -turned / (c->k * time)};
    return SF_OK;
}

static int wave_run(const struct eady_case *c, int n, struct eady_wave *is)
{
    struct session s;
    int rc = channel_open(&s, c, n, end * channel.shear / c->shear, 5e-4);
    if (!rc) rc = wave_measure(&s, c, is);
    session_close(&s);
    return rc;
}

static int wave_rows(struct verify *v, const struct eady_case *c, int n, struct eady_wave *is)
{
    const struct eady_wave theory = eady_compressible(c);
    const double Richardson = (c->N / c->shear) * (c->N / c->shear);
    SF_TRY(wave_run(c, n, is));
    verify_near(v, verify_name("Ri %g, %d x %d x %d cells: growth, 1/s", Richardson, 2 * n, n, n), is->growth,
                theory.growth, theory.growth / Richardson, "linear theory, to 1 / Ri");
    verify_near(v, verify_name("Ri %g, %d x %d x %d cells: speed, m/s", Richardson, 2 * n, n, n), is->speed,
                theory.speed, theory.speed / Richardson, "linear theory, to 1 / Ri");
    return SF_OK;
}

/* A day of the jet by itself. pi' and theta' are rounded, which leaves accelerations of cp theta times what pi' is
 * rounded by, over a cell's height or width: times a time step for w, as of air at rest, and over f for the wind, which
 * the channel's own wave makes grow. */
static int jet_run(struct verify *v, struct session *s)
{
    const double epsilon = SF_PREC == 64 ? DBL_EPSILON : (double)FLT_EPSILON, day = 86400;
    const int n = 16;
    double push = 0, u = 0;
    SF_TRY(channel_open(s, &channel, n, day, 0));
    const struct base_state *const b = &((const struct dynamics_own *)s->in.own)->base;
    const struct jet *const jet = &((const struct dynamics_own *)s->in.own)->jet;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            push = fmax(push, epsilon * channel.cp * b->theta0[k] * fabs((double)verify_line(s, F_PI, j, k)[0]));
    const double dt = clock_dt(&s->clock, 0);
    SF_TRY(verify_finish(s));
    const struct extremes w = verify_extremes(s, F_W);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            u = fmax(u, fabs((double)verify_line(s, F_U, j, k)[0] - jet->u[(ptrdiff_t)j * n + k]));
    verify_most(v, "the jet by itself, a day: largest |w|, m/s", fmax(w.max, -w.min), push * dt * n / channel.height,
                "eps cp theta |pi'| dt / dz");
    verify_most(v, "the same: what its wind changed, m/s", u,
                push * n * channel.l / (M_PI * channel.f) * exp(eady_compressible(&channel).growth * day) +
                    epsilon * channel.shear * channel.height,
                "eps cp theta |pi'| / (f dy), grown");
    return SF_OK;
}

int verify_baroclinic(struct verify *v)
{
    const int fine = v->full ? 48 : 24;
    struct eady_case weak = channel;
    struct eady_wave coarse, is, other;
    struct session s;
    weak.shear = channel.shear / 2;
    const int rc = jet_run(v, &s);
    session_close(&s);
    SF_TRY(rc);
    SF_TRY(wave_rows(v, &channel, fine, &is));
    SF_TRY(wave_run(&channel, 12, &coarse));
    verify_near(v, verify_name("Ri 25, 24 x 12 x 12 cells: growth by that of %d x %d x %d", 2 * fine, fine, fine),
                coarse.growth / is.growth, 1, 0.15, "the finer run");
    if (v->full) return wave_rows(v, &weak, 32, &other);
    verify_skip(v, "half the shear", "it takes half a minute: --full");
    return SF_OK;
}
