/* Air that a sound wave lifts and lowers, as it were, by half a kilometre, without a place to lift it to: whatever the
 * wave does, temperature, vapour and cloud of all of it depend on its pressure alone, as a reversible moist adiabat
 * says. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "dynamics/dynamics.h"
#include "pipeline/error.h"

#include <math.h>

enum { STEPS = 2000 };

static const char *const law = "first law, in double: reversible, with cloud";

static const double reach = 0.1; /* in ln p, up and down from the start */

/* The adiabat through a state, T at equal steps of ln p. Formulas written anew, in double. */
struct adiabat {
    const struct dynamics *d;
    double pressure, all; /* Pa; kg/kg, vapour and cloud */
    double t[2 * STEPS + 1];
};

static double saturated(const struct dynamics *d, double t, double p)
{
    const double es = 611.2 * exp(17.67 * (t - 273.15) / (t - 29.65));
    return d->R / d->vapour.Rv * es / (p - es);
}

static double vapour_of(const struct adiabat *a, double t, double p) { return fmin(a->all, saturated(a->d, t, p)); }

/* dT / d ln p: cpm dT + L dqv = Rm T d ln p, the first law for what a kg of dry air carries along. */
static double slope(const struct adiabat *a, double t, double log_p)
{
    const struct vapour *const w = &a->d->vapour;
    const double p = a->pressure * exp(log_p), qv = vapour_of(a, t, p), qc = a->all - qv;
    const double heat = a->d->cp_d + w->cpv * qv + w->cl * qc, work = (a->d->R + w->Rv * qv) * t;
    if (!(qc > 0)) return work / heat;
    const double latent = w->latent - (w->cl - w->cpv) * (t - 273.15);
    const double by_log_p = -qv * (1 + w->Rv / a->d->R * qv), by_t = -by_log_p * 17.67 * 243.5 / pow(t - 29.65, 2);
    return (work - latent * by_log_p) / (heat + latent * by_t);
}

static void adiabat_make(struct adiabat *a, double temperature)
{
    a->t[STEPS] = temperature;
    for (int side = -1; side <= 1; side += 2)
        for (int n = 0; n < STEPS; n++) {
            const double h = side * reach / STEPS, x = n * h, t = a->t[STEPS + side * n];
            const double k1 = slope(a, t, x), k2 = slope(a, t + h / 2 * k1, x + h / 2),
                         k3 = slope(a, t + h / 2 * k2, x + h / 2), k4 = slope(a, t + h * k3, x + h);
            a->t[STEPS + side * (n + 1)] = t + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        }
}

static double adiabat_at(const struct adiabat *a, double pressure)
{
    const double x = log(pressure / a->pressure) / reach * STEPS + STEPS;
    if (!(x > 0 && x < 2 * STEPS)) return NAN;
    const int n = (int)x;
    return a->t[n] + (x - n) * (a->t[n + 1] - a->t[n]);
}

enum { LEVELS = 100 };

struct seen {
    double t, cloud, water; /* largest departures: K; kg/kg; of qv + qc, of all of it */
    double cold, warm, most; /* K and kg/kg, of the adiabat */
    int cloudy[LEVELS], gone; /* has cloud; how often a cell lost all it had */
};

static void state_see(const struct session *s, const struct adiabat *a, struct seen *x)
{
    const struct dynamics_own *const own = s->in.own;
    for (int k = 0; k < LEVELS; k++) {
        const double pi = own->base.pi0[k] + (double)verify_line(s, F_PI, 0, k)[0],
                     t = pi * (own->base.theta[k] + (double)verify_line(s, F_TH, 0, k)[0]),
                     qv = (double)verify_line(s, F_QV, 0, k)[0], qc = (double)verify_line(s, F_QC, 0, k)[0];
        const double p = a->d->p00 * pow(pi, 1 / a->d->kappa), exact = adiabat_at(a, p),
                     cloud = a->all - vapour_of(a, exact, p), off = fabs(t - exact);
        x->t = off <= x->t ? x->t : off; /* a NaN is no small departure */
        x->cloud = fmax(x->cloud, fabs(qc - cloud)), x->water = fmax(x->water, fabs((qv + qc) / a->all - 1));
        x->cold = fmin(x->cold, exact), x->warm = fmax(x->warm, exact), x->most = fmax(x->most, cloud);
        x->gone += x->cloudy[k] && !(qc > 0);
        x->cloudy[k] = qc > 0;
    }
}

/* Of air with a share of saturation, and cloud. */
static int wave_run(struct session *s, double dt, double humidity, double cloud, struct seen *x)
{
    static struct adiabat a;
    SF_TRY(
        verify_open(s,
                    "&case name='moist_adiabat' /\n"
                    "&grid nx=1 ny=1 nz=%d dx=1000 dy=1000 dz=100 /\n"
                    "&time duration=120 dt=%g /\n"
                    "&dynamics gravity=0 advection='upwind5' mixing='off' off_centring=0.5 divergence_damping=0\n"
                    "          hold_water='off' /\n"
                    "&water scheme='saturation' /\n"
                    "&base profile='neutral' relative_humidity=%g /\n"
                    "&initial shape='wave','cosine' variable='w','cloud' amplitude=15,%g z=5000,0 radius_z=20000,0 /\n",
                    LEVELS, dt, humidity, cloud));
    const struct dynamics_own *const own = s->in.own;
    a.d = &own->ctx, a.pressure = own->base.p0[0], a.all = own->base.qv[0] + cloud;
    adiabat_make(&a, own->base.theta[0] * own->base.pi0[0]);
    *x = (struct seen){.cold = INFINITY};
    while (session_steps_left(s) > 0) {
        SF_TRY(session_advance(s, 1));
        SF_TRY(engine_fetch(&s->engine));
        state_see(s, &a, x);
    }
    return SF_OK;
}

int verify_adiabat(struct verify *v)
{
    /* Phases change at the end of a step, at constant volume: air works with the pressure from before, and half of the
     * latent heat of a step, times R/cv, times the change of ln rho in it, is added wrongly: 3 K, 0.005 a second. The
     * rest are roundings, and what the grid mixes at the edge of cloud. */
    static const struct {
        double step, humidity, cloud, t, off;
    } run[] = {{2, 0.95, 0, 0.02, 5e-6}, {0.25, 0.95, 0, 0.006, 3e-6}, {0.25, 1, 0.01, 0.0025, 2e-6}};
    for (int n = 0; n < 3; n++) {
        struct session s;
        struct seen x = {0};
        const int rc = wave_run(&s, run[n].step, run[n].humidity, run[n].cloud, &x);
        session_close(&s);
        SF_TRY(rc);
        const char *const what = verify_name("%sdt %g s", run[n].cloud > 0 ? "in cloud, " : "", run[n].step);
        if (!n) verify_show(v, "swing of temperature, K", x.warm - x.cold, NAN, "");
        if (!n) verify_near(v, "most cloud, g/kg", 1000 * x.most, 0.95, 0.05, "15 m/s: p falls by 5 %");
        verify_most(v, verify_name("%s: T off the moist adiabat, K", what), x.t, run[n].t, law);
        verify_most(v, verify_name("%s: cloud off that of the adiabat", what), x.cloud, run[n].off, law);
        verify_guard_most(v, verify_name("%s: qv + qc off what it was, of all", what), x.water, 2e-4);
        if (n < 2) verify_least(v, verify_name("%s: clouds that came and went", what), x.gone, LEVELS, "every cell");
    }
    return SF_OK;
}
