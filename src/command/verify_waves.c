/* Waves with known speeds: a tracer carried by the wind, sound, and a wave of 0.01 K. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "command/verify_exact.h"
#include "dynamics/dynamics.h"
#include "pipeline/error.h"

#include <math.h>

/* ---- phase speed ---- */

static const struct {
    int points;
    double ratio, tolerance; /* as published, and half of its last digit */
} phases[] = {{4, 0.849, 5e-4}, {6, 0.965, 5e-4}, {8, 0.988, 5e-4}, {10, 0.995, 5e-4}, {16, 0.9992, 5e-5}};

static const char *const phase_source = "centred 4th-order differences", *const tracer_source =
                                                                             "5th-order upwind differences";

/* Over the wind's speed: the wave lags the whole turn that it should have made. */
static double turned(struct phasor a, struct phasor b)
{
    return 1 - atan2(b.im * a.re - b.re * a.im, b.re * a.re + b.im * a.im) / (2 * M_PI);
}

/* A wave of theta' of n points is carried over one wavelength by 20 m/s, Courant number 1/32; and one of a tracer,
 * about a mean that keeps it above zero. */
static int phase_run(struct verify *v, struct session *s, int n)
{
    const int points = phases[n].points;
    SF_TRY(verify_open(s,
                       "&case name='phase' /\n"
                       "&grid nx=%d nz=4 dx=1024 dy=1024 dz=1024 /\n"
                       "&time duration=%g dt=1.6 /\n"
                       "&base wind='constant' wind_u=20 /\n"
                       "&dynamics mixing='off' tracers=1 gravity=0 /\n"
                       "&initial shape='wave' variable='theta' amplitude=1 radius_x=%g /\n"
                       "&initial shape='wave' variable='tracer' amplitude=1 radius_x=%g /\n"
                       "&initial shape='cosine' variable='tracer' amplitude=2 /\n",
                       2 * points, points * 51.2, points * 1024.0, points * 1024.0));
    const struct phasor a = verify_phasor(s, F_TH, 2), qa = verify_phasor(s, F_Q, 2);
    SF_TRY(verify_finish(s));
    const struct phasor b = verify_phasor(s, F_TH, 2), qb = verify_phasor(s, F_Q, 2);
    const double ratio = turned(a, b);
    verify_near(v, verify_name("speed of %d dx over the wind's", points), ratio, phases[n].ratio, phases[n].tolerance,
                phase_source);
    verify_near(v, verify_name("the same against (8 sin a - sin 2a)/6a"), ratio, phase_ratio(points), 2e-5,
                phase_source);
    verify_near(v, verify_name("a tracer, against (45 sin a - 9 sin 2a + sin 3a)/30a"), turned(qa, qb),
                phase_ratio_tracer(points), 2e-5, tracer_source);
    verify_near(v, verify_name("its amplitude, of that at the start"), hypot(qb.re, qb.im) / hypot(qa.re, qa.im),
                phase_amplitude_tracer(points), 2e-4, tracer_source);
    return SF_OK;
}

int verify_phase(struct verify *v)
{
    for (int n = 0; n < (int)(sizeof phases / sizeof phases[0]); n++) {
        struct session s;
        const int rc = phase_run(v, &s, n);
        session_close(&s);
        SF_TRY(rc);
    }
    return SF_OK;
}

/* ---- sound ---- */

enum direction { ALONG, UPRIGHT };

/* cos(k x) or cos(k z) of pi', one wavelength over 64 cells (k x) or half of one (k z). */
static double standing(const struct session *s, enum direction way)
{
    if (way == ALONG) return verify_phasor(s, F_PI, 1).re;
    double sum = 0;
    for (int k = 0; k < s->grid.nz; k++)
        for (int i = 0; i < s->grid.nx; i++)
            sum += (double)verify_line(s, F_PI, 0, k)[i] * cos(M_PI * s->grid.z_c[k] / s->grid.top);
    return 2 * sum / s->grid.nx / s->grid.nz;
}

/* Follow a standing wave of 64 km step by step: the time between the first and the last zero, in half periods. */
static int sound_run(struct session *s, enum direction way, double dt, int small_steps, int first_steps, double *speed)
{
    const double wavelength = 64e3;
    const int nx = way == ALONG ? 64 : 4, nz = way == ALONG ? 4 : 32;
    SF_TRY(verify_open(s,
                       "&case name='sound' /\n"
                       "&grid nx=%d nz=%d dx=1000 dy=1000 dz=1000 /\n"
                       "&time duration=900 dt=%g /\n"
                       "&base profile='isothermal' temperature=250 /\n"
                       "&dynamics mixing='off' gravity=0 off_centring=0.5 divergence_damping=0 small_steps=%d\n"
                       "          first_small_steps=%d /\n"
                       "&initial shape='wave' variable='pi' amplitude=1e-5 %s=64000 /\n",
                       nx, nz, dt, small_steps, first_steps, way == ALONG ? "radius_x" : "radius_z"));
    double before = standing(s, way), first = 0, last = 0;
    int zeros = 0;
    while (session_steps_left(s) > 0) {
        const double t = session_time(s);
        SF_TRY(session_advance(s, 1));
        const double now = standing(s, way);
        if ((before > 0) != (now > 0)) {
            last = t + (session_time(s) - t) * before / (before - now);
            if (!zeros++) first = last;
        }
        before = now;
    }
    SF_CHECK(zeros > 2, SF_VERIFY, "the standing sound wave does not oscillate");
    *speed = wavelength * (zeros - 1) / (2 * (last - first));
    return SF_OK;
}

int verify_sound(struct verify *v)
{
    static const struct {
        enum direction way;
        double dt;
        int small_steps, first;
        const char *name;
    } runs[] = {{ALONG, 4, 6, 0, "speed along the ground, 6 small steps, m/s"},
                {ALONG, 4, 12, 0, "speed along the ground, 12 small steps, m/s"},
                {ALONG, 12, 6, 2, "speed along the ground, 2 and 6 small steps of a longer step, m/s"},
                {UPRIGHT, 4, 6, 0, "speed upward, 6 small steps, m/s"}};
    const double exact = sqrt(1004.5 / (1004.5 - 287) * 287 * 250);
    for (int n = 0; n < (int)(sizeof runs / sizeof runs[0]); n++) {
        struct session s;
        double speed = 0;
        const int rc = sound_run(&s, runs[n].way, runs[n].dt, runs[n].small_steps, runs[n].first, &speed);
        session_close(&s);
        SF_TRY(rc);
        verify_near(v, runs[n].name, speed, exact, 0.002 * exact, "sqrt(gamma R T) at 250 K");
    }
    return SF_OK;
}

/* ---- a faint wave ---- */

/* theta' of 0.01 K rides once around the domain. What is not the wave any more: root mean square over the amplitude. */
static int faint_run(struct verify *v, struct session *s)
{
    const double amplitude = 0.01, theta_step = 0x1p-15;
    SF_TRY(verify_open(s,
                       "&case name='faint' /\n"
                       "&grid nx=64 nz=4 dx=1024 dy=1024 dz=1024 /\n"
                       "&time duration=3276.8 dt=1.6 /\n"
                       "&base wind='constant' wind_u=20 /\n"
                       "&dynamics mixing='off' gravity=0 /\n"
                       "&initial shape='wave' variable='theta' amplitude=%g radius_x=65536 /\n",
                       amplitude));
    SF_TRY(verify_finish(s));
    const struct phasor p = verify_phasor(s, F_TH, 1);
    double rest = 0;
    for (int i = 0; i < 64; i++) {
        const double angle = 2 * M_PI * (i + 0.5) / 64;
        const double off = (double)verify_line(s, F_TH, 0, 1)[i] - (p.re * cos(angle) - p.im * sin(angle));
        rest += off * off / 64;
    }
    verify_near(v, "amplitude after a round, K", hypot(p.re, p.im), amplitude, 1e-4 * amplitude, "0.01 K at the start");
    verify_most(v, "what is no wave any more, rms, K", sqrt(rest), 1e-3 * theta_step,
                "1/1000 of the step of a full theta");
    verify_show(v, "step of a full theta of 300 K in fp32, K", theta_step, NAN, "2^-15 K between 256 and 512 K");
    return SF_OK;
}

int verify_faint(struct verify *v)
{
    struct session s;
    const int rc = faint_run(v, &s);
    session_close(&s);
    return rc;
}
