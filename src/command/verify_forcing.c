/* What a larger scale does: exact solutions, and two cases that it makes: a stable boundary layer and shallow cumulus.
 * SPDX-License-Identifier: MIT */
#include "command/verify_levels.h"

#include "pipeline/error.h"

#include <math.h>
#include <unistd.h>

/* ---- exact solutions ---- */

/* Air without weight: theta of a column cools by height, and returns to a profile; the wind turns about a geostrophic
 * wind that is not that of the base state. */
static int exact_run(struct verify *v, struct session *s)
{
    SF_TRY(verify_open(s, "&case name='forced' /\n"
                          "&grid nx=4 ny=4 nz=10 dx=2000 dy=2000 dz=100 /\n"
                          "&time duration=2000 dt=5 /\n"
                          "&dynamics gravity=0 mixing='off' coriolis_f=1e-3 expected_speed=0 /\n"
                          "&base wind='constant' wind_u=3 wind_v=1 /\n"
                          "&forcing z=0, 1000, geostrophic_u=10, 10, geostrophic_v=0, -10, theta_rate=-1e-5, 0\n"
                          "         nudging_time=1000, nudging_theta=2*299 /\n"));
    SF_TRY(verify_finish(s));
    double wind = 0, warm = 0;
    for (int k = 0; k < s->grid.nz; k++) {
        const double z = s->grid.z_c[k], vg = -z / 100, c = cos(2), i = sin(2);
        const double u = 10 + (3 - 10) * c + (1 - vg) * i, w = vg + (1 - vg) * c - (3 - 10) * i;
        const double rate = -1e-5 * (1 - z / 1000), end = -1 + 1000 * rate, theta = end - end * exp(-2);
        wind = fmax(wind, hypot((double)verify_line(s, F_U, 1, k)[1] - u, (double)verify_line(s, F_V, 1, k)[1] - w));
        warm = fmax(warm, fabs((double)verify_line(s, F_TH, 1, k)[1] - theta));
    }
    verify_most(v, "wind about a geostrophic wind that is given, 2000 s: largest error, m/s", wind, 2e-3,
                "a circle in the time 2 pi / f");
    verify_most(v, "theta that cools and is nudged: largest error, K", warm, 3e-3,
                "end (1 - exp(-t / time)), dt / time = 5e-3");
    return SF_OK;
}

int verify_forced(struct verify *v)
{
    struct session s;
    const int rc = exact_run(v, &s);
    session_close(&s);
    return rc;
}

/* ---- cases that begin with a profile ---- */

static double map_mean(const struct session *s, int field)
{
    const struct slab *const x = &s->state.host.s;
    double sum = 0;
    for (int j = 0; j < s->grid.ny; j++)
        for (int i = 0; i < s->grid.nx; i++) sum += (double)x->f[field][(j - x->j0) * x->sm + i];
    return sum / s->grid.nx / s->grid.ny;
}

/* ---- a stable boundary layer ---- */

static const char night[] = "1000.0 265.0 0\n100 265.0 0 8 0\n400 268.0 0 8 0\n500 269.0 0 8 0\n";

/* Cells of 6.25 and 3.125 m hold large eddies, of 50 m none. What models of the paper have in common is not known to
 * digits: the rows name it and are held to earlier runs. */
struct night_grid {
    int cells, levels; /* nx = ny, nz */
    double dx, dz, dt;
    int small_steps, first;
    double jet, friction, heat, depth; /* of earlier runs */
};
static const struct night_grid nights[] = {{1, 32, 2000, 12.5, 4, 6, 1, 9.602, 0.2332, -11.67, 125},
                                           {8, 32, 50, 12.5, 0.5, 6, 2, 9.604, 0.2897, -16.69, 175},
                                           {64, 64, 6.25, 6.25, 0.14, 12, 4, 9.173, 0.2687, -15.23, 169.7},
                                           {128, 128, 3.125, 3.125, 0.14, 24, 8, 9.401, 0.2783, -16.27, 185.1}};

enum { NIGHT_MOMENTS = 12 };

/* The last hour: sums over its moments, of means over levels and of the stress on the faces below them. */
struct night {
    double u[VERIFY_LEVELS_MOST], v[VERIFY_LEVELS_MOST], uw[VERIFY_LEVELS_MOST], vw[VERIFY_LEVELS_MOST];
    double friction, heat;
    int moments;
};

static int night_add(struct session *s, struct night *n)
{
    struct verify_levels x;
    SF_TRY(verify_levels(s, &x));
    for (int k = 0; k < s->grid.nz; k++) {
        n->u[k] += x.mean[M_U][k], n->v[k] += x.mean[M_V][k];
        n->uw[k] += x.departure[D_UW][k] + x.departure[D_UW_SGS][k];
        n->vw[k] += x.departure[D_VW][k] + x.departure[D_VW_SGS][k];
    }
    n->friction += x.one[R_USTAR], n->heat += map_mean(s, F_SENSIBLE), n->moments++;
    return SF_OK;
}

/* Where the stress falls to a twentieth of the ground's, over 0.95: where it would be none, did it fall evenly. */
static double night_depth(const struct grid *g, const struct night *n)
{
    const double ground = hypot(n->uw[0], n->vw[0]);
    double below = 1;
    for (int k = 1; k < g->nz; k++) {
        const double here = hypot(n->uw[k], n->vw[k]) / ground;
        if (here < 0.05) return (g->z_f[k - 1] + (below - 0.05) / (below - here) * (g->z_f[k] - g->z_f[k - 1])) / 0.95;
        below = here;
    }
    return g->z_f[g->nz];
}

/* In dry air the energy of turbulence is the first of the tracers. */
static int stable_run(struct verify *v, struct session *s, const char *path, const struct night_grid *g)
{
    SF_TRY(verify_open(
        s,
        "&case name='stable' /\n"
        "&grid nx=%d ny=%d nz=%d dx=%g dy=%g dz=%g /\n"
        "&time duration=32400 dt=%g /\n"
        "&dynamics advection='upwind5' coriolis_f=1.39e-4 rayleigh_depth=100 rayleigh_time=60 expected_speed=3\n"
        "          small_steps=%d first_small_steps=%d /\n"
        "&turbulence closure='tke' vertical='%s' /\n"
        "&surface drag='roughness' roughness=0.1 heat='temperature' temperature=265 temperature_rate=-6.944e-5 /\n"
        "&base profile='sounding' sounding='%s' wind='constant' wind_u=8 /\n"
        "&forcing z=0 geostrophic_u=8 geostrophic_v=0 /\n"
        "&initial noise=0.1 noise_top=50\n"
        "         shape='gaussian' variable='tke' amplitude=0.4 radius_z=150 /\n",
        g->cells, g->cells, g->levels, g->dx, g->dx, g->dz, g->dt, g->small_steps, g->first,
        g->cells > 1 ? "explicit" : "implicit", path));
    static struct night n;
    n = (struct night){0};
    const long steps = session_steps_left(s), hour = steps / 9;
    SF_TRY(session_advance(s, steps - hour));
    for (int m = NIGHT_MOMENTS; m > 0; m--) {
        SF_TRY(session_advance(s, session_steps_left(s) / m));
        SF_TRY(night_add(s, &n));
    }
    SF_TRY(verify_finish(s));
    double jet = 0, height = 0;
    for (int k = 0; k < s->grid.nz; k++) {
        const double speed = hypot(n.u[k], n.v[k]) / n.moments;
        if (speed > jet) jet = speed, height = s->grid.z_c[k];
    }
    verify_guard_near(v,
                      verify_name("stable layer, cells of %g m x %g m, hour 9: jet (models 9 to 10 m/s)", g->dx, g->dz),
                      jet, g->jet, 0.1);
    verify_show(v, "  at the height, m", height, NAN, "at the top of the layer");
    verify_guard_near(v, "  friction velocity (models 0.26 to 0.30 m/s)", n.friction / n.moments, g->friction, 0.01);
    verify_guard_near(v, "  heat from the ground (models -14 to -9 W/m2)", n.heat / n.moments, g->heat, 1);
    verify_guard_near(v, "  depth by the stress, m (models 150 to 200)", night_depth(&s->grid, &n), g->depth, 10);
    return SF_OK;
}

int verify_stable(struct verify *v)
{
    char path[1024];
    SF_TRY(verify_file_write(night, path, sizeof path));
    int rc = SF_OK, has_gpu = 0;
    for (int n = 0; n < (int)(sizeof nights / sizeof nights[0]) && !rc; n++) {
        const char *const lacks = n > 0 && !v->full                 ? "with --full"
                                  : nights[n].cells > 8 && !has_gpu ? "on a GPU: hours without one"
                                                                    : NULL;
        struct session s;
        if (lacks) {
            verify_skip(v, verify_name("stable layer in cells of %g m x %g m", nights[n].dx, nights[n].dz), lacks);
            continue;
        }
        rc = stable_run(v, &s, path, &nights[n]);
        has_gpu = !rc && s.backend->is_device;
        session_close(&s);
    }
    unlink(path);
    return rc;
}

/* ---- shallow cumulus ---- */

static const char trades[] = "1015.0 298.7 17.294\n520 298.700 16.570 -8.750 0\n700 299.394 15.486 -8.750 0\n"
                             "1000 300.550 13.685 -8.210 0\n1480 302.400 10.816 -7.346 0\n1740 305.300 7.506 -6.878 0\n"
                             "2000 308.200 4.218 -6.410 0\n3000 311.850 3.009 -4.610 0\n3200 312.580 2.768 -4.250 0\n";

/* Cells of the paper, and coarse ones. What models of the paper have in common is not known to digits: the rows name it
 * and are held to earlier runs, of coarse cells to that of several seeds. */
struct trades_grid {
    int cells, levels; /* nx = ny, nz */
    double dx, dz, duration, dt;
    double is[7], apart[7]; /* of earlier runs, in the order of the rows */
};
static const struct trades_grid trades_coarse = {16,
                                                 40,
                                                 400,
                                                 75,
                                                 10800,
                                                 4,
                                                 {8.6, 517, 1670, 0.109, 0.061, 0.044, 0.0155},
                                                 {2.5, 30, 200, 0.035, 0.02, 0.015, 0.005}},
                                trades_fine = {64,
                                               75,
                                               100,
                                               40,
                                               21600,
                                               1.1,
                                               {5.7, 554, 1954, 0.13, 0.068, 0.039, 0.008},
                                               {1.5, 40, 150, 0.03, 0.015, 0.012, 0.003}};

/* Of moments, added up: what is cloud, and how much of it. */
struct cumulus {
    double cover, path, base, top, fraction, core, mean;
    int n, clouds; /* moments; those that have any */
};

static int cumulus_add(struct session *s, struct cumulus *c)
{
    struct verify_levels x;
    SF_TRY(verify_levels(s, &x));
    int lowest = s->grid.nz, highest = -1;
    double fraction = 0, core = 0, wet = 0;
    for (int k = 0; k < s->grid.nz; k++) {
        fraction = fmax(fraction, x.mean[M_CLOUD][k]), core = fmax(core, x.departure[D_CORE][k]);
        wet = fmax(wet, x.mean[M_QC][k]);
        if (x.mean[M_CLOUD][k] > 0) lowest = SF_MIN(lowest, k), highest = k;
    }
    c->cover += x.one[R_COVER], c->path += 1e3 * x.one[R_PATH];
    c->fraction += fraction, c->core += core, c->mean += 1e3 * wet;
    if (highest >= 0) c->clouds++, c->base += s->grid.z_f[lowest], c->top += s->grid.z_f[highest + 1];
    c->n++;
    return SF_OK;
}

/* The second half of the run, every ten minutes. */
static int cumulus_run(struct verify *v, struct session *s, const char *path, const struct trades_grid *g)
{
    static const char *const row[] = {
        "  lowest cloud (models 500 to 600 m)",
        "  highest cloud (models 1600 to 2100 m)",
        "  cover (models 0.10 to 0.18)",
        "  largest cloud fraction of a level (models 0.05 to 0.08)",
        "  largest share of a level that is cloud and lighter than its mean (models 0.03 to 0.05)",
        "  largest mean of cloud water over a level, g/kg (models below 0.01)"};
    SF_TRY(verify_open(
        s,
        "&case name='cumulus' /\n&grid nx=%d ny=%d nz=%d dx=%g dy=%g dz=%g /\n&time duration=%g dt=%g /\n"
        "&dynamics advection='upwind5' coriolis_f=0.376e-4 rayleigh_depth=500 rayleigh_time=100 expected_speed=5\n"
        "          first_small_steps=2 /\n"
        "&water scheme='saturation' /\n&turbulence closure='tke' /\n&pipeline threads=0 /\n"
        "&surface drag='friction' friction_velocity=0.28 heat='flux' heat_flux=8e-3 vapour_flux=5.38e-5 /\n"
        "&base profile='sounding' sounding='%s' wind='sounding' /\n"
        "&forcing z=0, 300, 500, 1500, 2100, 3000, subsidence=0, -1.3e-3, -2.17e-3, -6.5e-3, 0, 0\n"
        "  theta_rate=4*-2.315e-5, -1.389e-5, 0, qv_rate=2*-1.24e-8, 0, 0, 0, 0\n"
        "  geostrophic_u=-10, -9.46, -9.1, -7.3, -6.22, -4.6, geostrophic_v=6*0, interval=30 /\n"
        "&initial noise=0.1 noise_top=1600 shape='gaussian' variable='tke' amplitude=0.3 radius_z=500 /\n",
        g->cells, g->cells, g->levels, g->dx, g->dx, g->dz, g->duration, g->dt, path));
    struct cumulus c = {0};
    const long steps = session_steps_left(s), half = steps / 2, each = (long)(600 / g->duration * (double)steps);
    SF_TRY(session_advance(s, half));
    while (session_steps_left(s) > 0) {
        SF_TRY(session_advance(s, SF_MIN(each, session_steps_left(s))));
        SF_TRY(cumulus_add(s, &c));
    }
    SF_TRY(verify_finish(s));
    const double cloudy = SF_MAX(c.clouds, 1), mean[] = {c.base / cloudy,  c.top / cloudy, c.cover / c.n,
                                                         c.fraction / c.n, c.core / c.n,   c.mean / c.n};
    verify_guard_near(
        v,
        verify_name("shallow cumulus, cells of %g m x %g m, hours %g to %g: liquid water path (models 3 to 10 "
                    "g/m2)",
                    g->dx, g->dz, g->duration / 7200, g->duration / 3600),
        c.path / c.n, g->is[0], g->apart[0]);
    for (int n = 0; n < 6; n++) verify_guard_near(v, row[n], mean[n], g->is[n + 1], g->apart[n + 1]);
    return SF_OK;
}

int verify_cumulus(struct verify *v)
{
    char path[1024];
    struct session s;
    SF_TRY(verify_file_write(trades, path, sizeof path));
    int rc = cumulus_run(v, &s, path, &trades_coarse);
    session_close(&s);
    if (!v->full) verify_skip(v, "shallow cumulus of BOMEX in cells of 100 m x 40 m, 6 h", "with --full");
    else if (!rc) {
        rc = cumulus_run(v, &s, path, &trades_fine);
        session_close(&s);
    }
    unlink(path);
    return rc;
}
