/* Moist air: the bubble of Bryan and Fritsch (2002), which rises in cloud; two storms that are each other's mirror
 * image, and their water. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "dynamics/dynamics.h"
#include "pipeline/error.h"

#include <math.h>
#include <string.h>

/* ---- the moist bubble ---- */

static const char *const paper = "Bryan and Fritsch 2002, 100 m";

/* theta_e of reversible ascent of saturated air, K (Bryan and Fritsch 2002, eq. 23). */
static double theta_e(const struct dynamics *d, double temperature, double pressure, double qv, double all)
{
    const double heat = d->cp_d + d->vapour.cl * all, dry = pressure / (1 + d->vapour.Rv / d->R * qv),
                 latent = d->vapour.latent - (d->vapour.cl - d->vapour.cpv) * (temperature - 273.15);
    return temperature * pow(d->p00 / dry, d->R / heat) * exp(latent * qv / (heat * temperature));
}

static struct extremes theta_e_extremes(const struct session *s)
{
    const struct dynamics_own *const own = s->in.own;
    const struct dynamics *const d = &own->ctx;
    struct extremes e = {INFINITY, -INFINITY};
    for (int k = 0; k < s->grid.nz; k++)
        for (int i = 0; i < s->grid.nx; i++) {
            const double pi = own->base.pi0[k] + (double)verify_line(s, F_PI, 0, k)[i],
                         theta = own->base.theta[k] + (double)verify_line(s, F_TH, 0, k)[i],
                         qv = (double)verify_line(s, F_QV, 0, k)[i], qc = (double)verify_line(s, F_QC, 0, k)[i];
            const double x = theta_e(d, theta * pi, d->p00 * pow(pi, 1 / d->kappa), qv, qv + qc) - 320;
            e.min = fmin(e.min, x), e.max = fmax(e.max, x);
        }
    return e;
}

static int moist_run(struct session *s, const char *equations, const char *hold, double *water, double *energy)
{
    double begin[2], end[2];
    SF_TRY(verify_open(
        s,
        "&case name='moist_bubble' /\n"
        "&grid nx=100 nz=100 dx=100 dy=100 dz=100 /\n"
        "&time duration=1000 dt=0.8 /\n"
        "&dynamics advection='upwind5' mixing='off' gravity=9.81 hold_water='%s' /\n"
        "&water scheme='saturation' equations='%s' /\n"
        "&base profile='saturated' theta_e=320 total_water=0.02 /\n"
        "&initial shape='cosine_squared' variable='buoyancy' amplitude=2 z=2000 radius_x=2000 radius_z=2000 /\n"
        "&boundary west='symmetric' east='wall' /\n",
        hold, equations));
    SF_TRY(verify_number(s, "water", &begin[0]));
    SF_TRY(verify_number(s, "energy", &begin[1]));
    SF_TRY(verify_finish(s));
    SF_TRY(verify_number(s, "water", &end[0]));
    SF_TRY(verify_number(s, "energy", &end[1]));
    *water = fabs(end[0] / begin[0] - 1), *energy = fabs(end[1] / begin[1] - 1);
    return SF_OK;
}

int verify_moist(struct verify *v)
{
    struct session s;
    double water = 0, energy = 0;
    int rc = moist_run(&s, "full", "off", &water, &energy);
    if (!rc) {
        /* The spread: a model of the same equations, CM1, has +4.04/-0.28 K and +15.91/-10.01 m/s. */
        const struct extremes th = theta_e_extremes(&s), w = verify_extremes(&s, F_W);
        verify_near(v, "largest theta_e', K", th.max, 4.095, 0.15, paper);
        verify_near(v, "smallest theta_e', K", th.min, -0.306, 0.15, paper);
        verify_near(v, "largest w, m/s", w.max, 15.713, 0.5, paper);
        verify_near(v, "smallest w, m/s", w.min, -9.927, 0.5, paper);
        verify_most(v, "water gained or lost, of all", water, 2e-6,
                    "conservation, where nothing is given back: 4.9e-7 in 32 bits, 1.5e-6 in 64");
        verify_most(v, "energy, of all", energy, 1e-6, "conservation");
    }
    session_close(&s);
    SF_TRY(rc);
    rc = moist_run(&s, "simple", "off", &water, &energy);
    if (!rc) {
        /* CM1's simple set: +2.14/-1.40 K, +11.92/-7.25 m/s. */
        const struct extremes w = verify_extremes(&s, F_W);
        verify_near(v, "simple equations: largest w, m/s", w.max, 11.92, 1, "the same set in another model (CM1)");
        verify_near(v, "simple equations: smallest w, m/s", w.min, -7.25, 1, "the same set in another model (CM1)");
    }
    session_close(&s);
    SF_TRY(rc);
    rc = moist_run(&s, "full", "auto", &water, &energy);
    if (!rc) verify_most(v, "water held, as by default: gained or lost, of all", water, 1e-6, "conservation");
    session_close(&s);
    return rc;
}

/* ---- a shaft of rain ---- */

enum { COLUMN = 80, FALLS = 900 };

/* The same shaft in air that does not move and keeps its pressure, in double: rain on the ground, kg/m2, and the
 * largest cooling of theta, K. Formulas as in water.h, written anew. */
static void shaft_still(const struct base_state *b, const struct dynamics *d, double *rain, double *cooling)
{
    double t[COLUMN], qv[COLUMN], qr[COLUMN], rho[COLUMN];
    const double dz = 100, dt = 2;
    *rain = *cooling = 0;
    for (int k = 0; k < COLUMN; k++) {
        const double away = fabs(b->z[k] - 4000) / 1000;
        t[k] = b->theta[k] * b->pi0[k], qv[k] = b->qv[k];
        qr[k] = away < 1 ? 4e-3 * 0.5 * (1 + cos(M_PI * away)) : 0;
        rho[k] = b->p0[k] / (d->R * t[k] * (1 + d->vapour.Rv / d->R * qv[k]));
    }
    for (int n = 0; n < FALLS; n++) {
        double flux = 0, above = 0;
        for (int k = COLUMN - 1; k >= 0; k--) {
            const double speed = qr[k] > 1e-8 ? 14.34 * pow(rho[k] * qr[k], 0.1346) * sqrt(1.15 / rho[k]) : above;
            qr[k] = (rho[k] * qr[k] + dt / dz * flux) / (rho[k] * (1 + dt / dz * speed));
            flux = rho[k] * speed * qr[k], above = speed;
        }
        *rain += dt * flux;
        for (int k = 0; k < COLUMN; k++) {
            const double es = 611.2 * exp(17.67 * (t[k] - 273.15) / (t[k] - 29.65)), p = b->p0[k],
                         full = d->R / d->vapour.Rv * es / (p - es), drops = rho[k] * qr[k];
            const double rate = (1.6 + 30.3922 * pow(drops, 0.2046)) * (1 - qv[k] / full) * pow(drops, 0.525) /
                                ((2.03e4 + 9.584e6 / (full * p)) * rho[k]);
            const double lost = fmin(dt * rate, qr[k]), heat = d->cp_d + d->vapour.cpv * qv[k] + d->vapour.cl * qr[k];
            t[k] -= lost * (d->vapour.latent - (d->vapour.cl - d->vapour.cpv) * (t[k] - 273.15)) / heat;
            qv[k] += lost, qr[k] -= lost;
            rho[k] = p / (d->R * t[k] * (1 + d->vapour.Rv / d->R * qv[k]));
            *cooling = fmin(*cooling, t[k] / b->pi0[k] - b->theta[k]);
        }
    }
}

int verify_drying(struct verify *v)
{
    struct session s;
    double begin = 0, end = 0, fallen = 0, vapour[2] = {0, 0}, rain = 0, cooling = 0;
    int rc =
        verify_open(&s, "&case name='drying_column' /\n"
                        "&grid nx=1 ny=1 nz=80 dx=1000 dy=1000 dz=100 /\n"
                        "&time duration=1800 dt=2 /\n"
                        "&dynamics mixing='off' hold_water='off' /\n"
                        "&water scheme='kessler' /\n"
                        "&base profile='constant_n' brunt_vaisala=0.012 surface_theta=300 relative_humidity=0.4 /\n"
                        "&initial shape='cosine' variable='rain' amplitude=4e-3 z=4000 radius_z=1000 /\n");
    if (!rc) rc = verify_number(&s, "water", &begin);
    if (!rc) rc = verify_number(&s, "vapour", &vapour[0]);
    if (!rc) rc = verify_finish(&s);
    if (!rc) rc = verify_number(&s, "water", &end);
    if (!rc) rc = verify_number(&s, "vapour", &vapour[1]);
    if (!rc) rc = verify_number(&s, "rain", &fallen);
    if (!rc) {
        const struct dynamics_own *const own = s.in.own;
        shaft_still(&own->base, &own->ctx, &rain, &cooling);
        const char *const source = "the same in still air, in double";
        verify_most(v, "water gained or lost, of all", fabs(end / begin - 1), 1e-4,
                    "what cooling makes of density, 1 %, times the share of rain");
        verify_near(v, "rain on the ground, 1e3 kg", fallen / 1e3, rain * 1e3, 0.15 * rain * 1e3, source);
        verify_near(v, "largest cooling, K", verify_extremes(&s, F_TH).min, cooling, 0.1, source);
        verify_near(v, "rain that became vapour, 1e6 kg", (vapour[1] - vapour[0]) / 1e6,
                    (begin - vapour[0] - fallen) / 1e6, 0.02, "what did not reach the ground");
    }
    session_close(&s);
    return rc;
}

/* ---- a storm that splits ---- */

/* Values that differ from their mirror image in y; w of the other sign nowhere, v everywhere. */
static long mirror_differences(const struct session *s)
{
    static const int field[] = {F_U, F_W, F_TH, F_PI, F_QV, F_QC, F_QR};
    long differ = 0;
    for (size_t f = 0; f < sizeof field / sizeof field[0]; f++)
        for (int j = 0; j < s->grid.ny; j++)
            for (int k = 0; k < s->grid.nz; k++) {
                const real *const here = verify_line(s, field[f], j, k), *const there = verify_line(
                                                                             s, field[f], s->grid.ny - 1 - j, k);
                for (int i = 0; i < s->grid.nx; i++) differ += memcmp(&here[i], &there[i], sizeof here[i]) != 0;
            }
    return differ;
}

/* The largest departure of the water of all kinds from what it was at the start, each minute of a case, relative. */
static int water_departs(struct session *s, double *most)
{
    double begin = 0, now = 0;
    SF_TRY(verify_number(s, "water", &begin));
    for (*most = 0; session_steps_left(s) > 0; *most = fmax(*most, fabs(now / begin - 1))) {
        SF_TRY(session_advance(s, 10));
        SF_TRY(verify_number(s, "water", &now));
    }
    return SF_OK;
}

/* Two hours between walls that the wind of the start blows against: sound rings, and what the water swings by with it
 * is given back step by step. */
static int split_in_a_box(struct verify *v)
{
    struct session s;
    double water = 0, rain = 0;
    int rc = verify_open(
        &s, "&case name='storm_in_a_box' /\n"
            "&grid nx=24 ny=24 nz=20 dx=2000 dy=2000 dz=900 origin_x=-24000 origin_y=-24000 /\n"
            "&time duration=7200 dt=6 /\n"
            "&dynamics advection='upwind5' mixing_rate=1e-4 rayleigh_depth=4000 /\n"
            "&water scheme='kessler' /\n"
            "&base profile='weisman_klemp' wind='shear' wind_u_top=10 shear_top=5000 /\n"
            "&initial shape='cosine_squared' amplitude=3 z=1500 radius_x=10000 radius_y=10000 radius_z=1500 /\n"
            "&boundary west='wall' east='wall' south='wall' north='wall' /\n");
    if (!rc) rc = water_departs(&s, &water);
    if (!rc) rc = verify_number(&s, "rain", &rain);
    if (!rc) {
        verify_most(v, "between walls: water gained or lost, of all, in any minute of 2 h", water, 1e-5,
                    "conservation: held in every step");
        verify_least(v, "between walls: rain on the ground, kg", rain, 1e9, "a storm rains within 2 h");
    }
    session_close(&s);
    return rc;
}

int verify_split(struct verify *v)
{
    struct session s;
    double begin = 0, end = 0, rain = 0, w = 0;
    int rc = verify_open(
        &s, "&case name='split_storm' /\n"
            "&grid nx=36 ny=36 nz=32 dx=2000 dy=2000 dz=550 origin_x=-36000 origin_y=-36000 translation_u=12 /\n"
            "&time duration=2400 dt=6 /\n"
            "&dynamics advection='upwind5' mixing_rate=1e-4 /\n"
            "&water scheme='kessler' /\n"
            "&base profile='weisman_klemp' wind='shear' wind_u_top=28 shear_top=6000 /\n"
            "&initial shape='cosine_squared' amplitude=3 z=1400 radius_x=10000 radius_y=10000 radius_z=1400 /\n");
    if (!rc) rc = verify_number(&s, "water", &begin);
    if (!rc) rc = verify_finish(&s);
    if (!rc) rc = verify_number(&s, "water", &end);
    if (!rc) rc = verify_number(&s, "rain", &rain);
    if (!rc) rc = verify_number(&s, "w_max", &w);
    if (!rc) {
        verify_near(v, "values that differ from their mirror image in y", (double)mirror_differences(&s), 0, 0,
                    "symmetry, bitwise");
        verify_most(v, "water gained or lost with rain, of all, 40 min", fabs(end / begin - 1), 1e-5,
                    "conservation: held in every step");
        verify_least(v, "rain on the ground, kg", rain, 1e6, "a storm rains within 40 min");
        verify_show(v, "largest w, m/s", w, NAN, "");
    }
    session_close(&s);
    SF_TRY(rc);
    return split_in_a_box(v);
}
