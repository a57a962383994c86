/* The ground: an Ekman layer, and a boundary layer that warm ground makes. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "dynamics/dynamics.h"
#include "pipeline/error.h"

#include <math.h>

/* ---- Ekman's spiral ---- */

/* u + i v = U (1 - exp(-(1 + i) z / d)), d = sqrt(2 K / f); it begins with the wind aloft everywhere. What is left of
 * its swing after two days, what dz leaves and what dt leaves, as the ground comes behind mixing, are some hundredths
 * of U each. */
static int ekman_run(struct verify *v, struct session *s)
{
    const double f = 1e-4, K = 5, d = sqrt(2 * K / f), U = 10;
    SF_TRY(verify_open(
        s,
        "&case name='ekman' /\n"
        "&grid nx=1 ny=1 nz=60 dx=50000 dy=50000 dz=50 /\n"
        "&time duration=172800 dt=20 /\n"
        "&dynamics mixing='constant' viscosity=%g coriolis_f=%g expected_speed=5 expected_vertical_speed=0 /\n"
        "&surface drag='no_slip' /\n"
        "&base wind='constant' wind_u=%g /\n",
        K, f, U));
    SF_TRY(verify_finish(s));
    double most = 0, across = 0;
    for (int k = 0; k < s->grid.nz; k++) {
        const double z = s->grid.z_c[k] / d, u = (double)verify_line(s, F_U, 0, k)[0],
                     w = (double)verify_line(s, F_V, 0, k)[0];
        most = fmax(most, hypot(u - U * (1 - exp(-z) * cos(z)), w - U * exp(-z) * sin(z)));
        across = fmax(across, w);
    }
    verify_most(v, "Ekman layer after two days: largest error of the wind, m/s", most, 0.2, "1 - exp(-(1 + i) z / d)");
    verify_near(v, "  largest wind across that aloft, m/s", across, U * exp(-M_PI / 4) * sin(M_PI / 4), 0.05,
                "at pi d / 4");
    return SF_OK;
}

int verify_ekman(struct verify *v)
{
    struct session s;
    const int rc = ekman_run(v, &s);
    session_close(&s);
    return rc;
}

/* ---- a boundary layer that warm ground makes ---- */

static const double flux = 0.06, lapse = 3e-3;

/* Of a level, theta less that at the start, the mean over the domain. */
static double warmed(const struct session *s, int k)
{
    double sum = 0;
    for (int j = 0; j < s->grid.ny; j++)
        for (int i = 0; i < s->grid.nx; i++) sum += (double)verify_line(s, F_TH, j, k)[i];
    return sum / s->grid.nx / s->grid.ny;
}

static int convective_run(struct verify *v, struct session *s)
{
    SF_TRY(verify_open(s,
                       "&case name='convective' /\n"
                       "&grid nx=14 ny=14 nz=18 dx=180 dy=180 dz=50 /\n"
                       "&time duration=2400 dt=1 /\n"
                       "&dynamics advection='upwind5' rayleigh_depth=200 rayleigh_time=100 expected_speed=5 /\n"
                       "&turbulence closure='tke' /\n"
                       "&surface drag='roughness' roughness=0.16 heat='flux' heat_flux=%g /\n"
                       "&base profile='constant_n' brunt_vaisala=%.17g /\n"
                       "&initial noise=0.1 noise_top=150\n"
                       "         shape='gaussian' variable='tke' amplitude=0.1 radius_z=100 /\n",
                       flux, sqrt(9.80665 / 300 * lapse)));
    const struct base_state *const b = &((const struct dynamics_own *)s->in.own)->base;
    double before = 0, after = 0;
    for (int k = 0; k < s->grid.nz; k++) before += b->rho0[k] * 50 * warmed(s, k);
    SF_TRY(verify_finish(s));
    double top = 0, mixed[2] = {1e9, -1e9};
    const double t = session_time(s), depth = sqrt(2 * flux * t / lapse);
    for (int k = 0; k < s->grid.nz; k++) {
        const double gain = warmed(s, k), theta = b->theta[k] + gain, next = k + 1 < s->grid.nz ? warmed(s, k + 1) : 0;
        after += b->rho0[k] * 50 * gain;
        if (s->grid.z_c[k] > 0.25 * depth && s->grid.z_c[k] < 0.7 * depth)
            mixed[0] = fmin(mixed[0], theta), mixed[1] = fmax(mixed[1], theta);
        if (!(top > 0) && gain > 0 && next <= 0) top = s->grid.z_c[k] + 50 * gain / (gain - next);
    }
    /* The rest is theta' times the mass that leaves a level as its air expands. */
    verify_near(v, "warm ground: heat that the air gained, of that given", (after - before) / (flux * t * b->rho0_f[0]),
                1, 0.01, "heat stays");
    verify_near(v, "  depth of the mixed layer over sqrt(2 Q t / G)", top / depth, 1.1, 0.2,
                "without entrainment 1; simulations of eddies 1.0 to 1.2");
    verify_most(v, "  theta differs between a quarter and 0.7 of it by, K", mixed[1] - mixed[0], 0.2,
                "it is well mixed");
    const struct extremes w = verify_extremes(s, F_W);
    verify_show(v, "  w, upward, m/s", w.max, NAN, "");
    return SF_OK;
}

int verify_convective(struct verify *v)
{
    struct session s;
    const int rc = convective_run(v, &s);
    session_close(&s);
    return rc;
}
