/* A plane wave at an angle to ground in layers, and what is scattered by a body in it.
 *
 * Of the power that comes to a film over wet ground 1 - |r|^2 goes in, r from the admittances of both polarisations,
 * and as much less at a depth d as the ground takes, exp(2 Im(k_z) d); all over what the same wave has without ground.
 * Who sends and who listens may change places. Half a ball on a conducting plane scatters as the whole one in two
 * waves, that which comes and its image. SPDX-License-Identifier: MIT */
#include "command/mie.h"
#include "command/verify_em_analytic.h"

#include "maxwell/maxwell.h"
#include "pipeline/error.h"

#include <complex.h>
#include <math.h>

#define DEGREE (M_PI / 180)

static const double frequency = 1e10, angle = 50, film = 4e-3, deep = 5e-3; /* Hz, degrees, m, m below the film */
static const double film_epsilon = 2.5, ground_epsilon = 6, ground_sigma = 0.5;

/* Shares of the power that comes: in the film, and `deep` in the ground. */
static void exact_shares(int is_te, double share[2])
{
    const double k = 2 * M_PI * frequency / em_c0, along = k * sin(angle * DEGREE);
    const double complex epsilon[3] = {1, film_epsilon,
                                       ground_epsilon - I * ground_sigma / (2 * M_PI * frequency * em_eps0)};
    double complex z[3], y[3];
    for (int m = 0; m < 3; m++) {
        z[m] = csqrt(k * k * epsilon[m] - along * along);
        y[m] = is_te ? z[m] / k : epsilon[m] * k / z[m];
    }
    const double complex t = I * ctan(z[1] * film), in = y[1] * (y[2] + y[1] * t) / (y[1] + y[2] * t),
                         r = (y[0] - in) / (y[0] + in);
    share[0] = 1 - creal(r * conj(r));
    share[1] = share[0] * exp(2 * cimag(z[2]) * deep);
}

/* Power through a piece of a level in the film, and deep below. */
static int wave_run(struct session *s, int is_te, int is_there, double power[2])
{
    SF_TRY(verify_open(
        s,
        "&case name='oblique' model='maxwell' /\n"
        "&grid nx=30 ny=28 nz=70 dx=0.5e-3 dy=0.5e-3 dz=0.5e-3 origin_x=-7.5e-3 origin_y=-7e-3 origin_z=-20e-3 /\n"
        "&time duration=1.8e-9 /\n&cpml cells=8 /\n&maxwell allow_coarse=.true. /\n"
        "&medium name='film','wet' epsilon=%.9g,%.9g sigma=0,%.9g /\n"
        "&geometry shape=2*'%s' medium='film','wet' axis=2*'z' side=2*'below' z=%.9g,0 /\n"
        "&plane_wave direction='oblique' theta=%.9g phi=25 polarisation=%d layers=.true.\n"
        "  waveform='modulated_gaussian' frequency=%.9g bandwidth=8e9 box=-3e-3,3e-3,-2.5e-3,2.5e-3,-7e-3,7e-3 /\n"
        "&monitor name='in','deep' kind=2*'flux' west=2*-2e-3 east=2*2e-3 south=2*-1.5e-3 north=2*1.5e-3\n"
        "  bottom=2e-3,%.9g top=2e-3,%.9g /\n"
        "&spectrum frequencies=%.9g /\n",
        film_epsilon, ground_epsilon, ground_sigma, is_there ? "half_space" : "none", film, 180 - angle, is_te ? 90 : 0,
        frequency, -deep, -deep, frequency));
    return em_finish(s, "flux", 2, power);
}

static int wave_rows(struct verify *v, int is_te)
{
    double power[2][2], exact[2];
    for (int there = 0; there < 2; there++) {
        struct session s;
        const int rc = wave_run(&s, is_te, there, power[there]);
        session_close(&s);
        SF_TRY(rc);
    }
    exact_shares(is_te, exact);
    for (int n = 0; n < 2; n++)
        verify_near(v,
                    verify_name(n ? "%s: share of power %g mm deep"
                                  : "wave at 50 degrees to a film on wet ground, %s: share that goes in",
                                is_te ? "TE" : "TM", 1e3 * deep),
                    power[1][n] / power[0][n], exact[n], 0.005 * exact[n], "transfer matrix");
    return SF_OK;
}

/* ---- what is scattered ---- */

#define POLARISATION 40 /* degrees from the plane of incidence, of who sends and who listens */

/* A stone half in wet ground, in the wave from direction `from` (degrees from the z axis, and around it): towards `to`
 * the field that an observer of the same polarisation takes; its phase counts from the corner that the wave meets
 * first. */
static int scatter_run(struct session *s, const double from[2], const double to[2], double complex *share)
{
    static const char *const name[4] = {"E_theta_re", "E_theta_im", "E_phi_re", "E_phi_im"};
    const double c = cos(POLARISATION * DEGREE), q = sin(POLARISATION * DEGREE);
    double value[4];
    SF_TRY(verify_open(
        s,
        "&case name='stone' model='maxwell' /\n"
        "&grid nx=34 ny=32 nz=40 dx=1e-3 dy=1e-3 dz=1e-3 origin_x=-17e-3 origin_y=-16e-3 origin_z=-22e-3 /\n"
        "&time duration=1.1e-9 /\n&cpml cells=6 /\n&maxwell allow_coarse=.true. /\n"
        "&medium name='wet','stone' epsilon=4,9 sigma=0.2,0 /\n"
        "&geometry shape='half_space','box' medium='wet','stone' side='below' z=0,-1e-3 x=0,1e-3\n"
        "  size_x=1,5e-3 size_y=1,3e-3 size_z=1,7e-3 /\n"
        "&plane_wave direction='oblique' theta=%.9g phi=%.9g polarisation=%d layers=.true.\n"
        "  waveform='modulated_gaussian' frequency=9e9 bandwidth=8e9 box=-5e-3,6e-3,-5e-3,5e-3,-8e-3,5e-3 /\n"
        "&monitor name='sky' kind='far' mirror='layers' west=-8e-3 east=8e-3 south=-7e-3 north=7e-3\n"
        "  bottom=-11e-3 top=8e-3 theta_from=%.9g theta_count=1 phi_from=%.9g phi_count=1 /\n"
        "&spectrum frequencies=9e9 /\n",
        180 - from[0], from[1] - 180, POLARISATION, to[0], to[1]));
    SF_TRY(verify_finish(s));
    for (int n = 0; n < 4; n++) SF_TRY(em_result(s, "far_sky.nc", name[n], 1, &value[n]));
    /* around the direction where the wave travels phi runs the other way */
    *share = c * (value[0] + I * value[1]) - q * (value[2] + I * value[3]);
    return SF_OK;
}

static int scatter_row(struct verify *v)
{
    static const double side[2][2] = {{40, 210}, {62, 280}};
    double complex share[2];
    for (int n = 0; n < 2; n++) {
        struct session s;
        const int rc = scatter_run(&s, side[n], side[!n], &share[n]);
        session_close(&s);
        SF_TRY(rc);
    }
    verify_most(v, "stone half in wet ground: who sends and who listens exchanged, difference",
                fabs(cabs(share[0]) / cabs(share[1]) - 1), 1e-4, "reciprocity");
    return SF_OK;
}

/* ---- half a ball on a conducting plane ---- */

enum { CUTS = 5 };
static const double ball = 8e-3, ball_frequency = 5.96e9, come = 140, around = 30; /* m, Hz, degrees of travel */

static void direction(double theta, double phi, double to[3])
{
    to[0] = sin(theta * DEGREE) * cos(phi * DEGREE), to[1] = sin(theta * DEGREE) * sin(phi * DEGREE);
    to[2] = cos(theta * DEGREE);
}

static double product(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Add what the whole ball sends towards `out` of a wave along k with the field e. */
static void ball_add(double size, const double k[3], const double e[3], const double out[3], double complex to[3])
{
    double across[3], in_plane[3], out_plane[3], most = 0;
    double complex s[2];
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        across[a] = k[b] * out[c] - k[c] * out[b];
        most += across[a] * across[a];
    }
    for (int a = 0; a < 3; a++)
        across[a] = most > 1e-12 ? across[a] / sqrt(most) : a == 1; /* back: k lies in x, z then */
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        in_plane[a] = across[b] * k[c] - across[c] * k[b];
        out_plane[a] = across[b] * out[c] - across[c] * out[b];
    }
    mie_amplitudes(size, 0, acos(fmax(-1, fmin(1, product(k, out)))) / DEGREE, s);
    for (int a = 0; a < 3; a++)
        to[a] += s[0] * product(e, in_plane) * out_plane[a] + s[1] * product(e, across) * across[a];
}

/* Radar cross-section towards `theta` on the side where the wave goes (below 0: where it comes from), m2. */
static double half_exact(double polarisation, double theta)
{
    const double size = 2 * M_PI * ball_frequency / em_c0 * ball, c = cos(polarisation * DEGREE),
                 q = sin(polarisation * DEGREE);
    double k[3], up[3], e[3], out[3], sum = 0;
    double complex to[3] = {0};
    direction(come, 0, k), direction(come + 90, 0, up), direction(theta, 0, out);
    for (int a = 0; a < 3; a++) e[a] = c * up[a] + q * (a == 1);
    ball_add(size, k, e, out, to);
    k[2] = -k[2], e[0] = -e[0], e[1] = -e[1]; /* the image */
    ball_add(size, k, e, out, to);
    for (int a = 0; a < 3; a++) sum += creal(to[a] * conj(to[a]));
    return 4 * M_PI * sum / pow(2 * M_PI * ball_frequency / em_c0, 2);
}

static int half_run(struct session *s, int polarisation, double rcs[CUTS + 1])
{
    SF_TRY(verify_open(
        s,
        "&case name='half' model='maxwell' /\n"
        "&grid nx=44 ny=44 nz=30 dx=1e-3 dy=1e-3 dz=1e-3 origin_x=-22e-3 origin_y=-22e-3 origin_z=-4e-3 /\n"
        "&time duration=2e-9 /\n&cpml cells=8 /\n&maxwell allow_coarse=.true. conformal=0.8 /\n&boundary bottom='pec' /\n"
        "&geometry shape='half_space','sphere' side='below' radius=0,%.9g /\n"
        "&plane_wave direction='oblique' theta=%.9g phi=%.9g polarisation=%d layers=.true.\n"
        "  waveform='modulated_gaussian' frequency=6e9 bandwidth=6e9 box=-10e-3,10e-3,-10e-3,10e-3,-2e-3,10e-3 /\n"
        "&monitor name='sky' kind='far' mirror='layers' west=-13e-3 east=13e-3 south=-13e-3 north=13e-3\n"
        "  bottom=-3e-3 top=13e-3 theta_from=-60 theta_to=60 theta_count=%d phi_from=%.9g phi_count=1 /\n"
        "&spectrum frequencies=%.9g /\n",
        ball, come, around, polarisation, (int)CUTS, around, ball_frequency));
    SF_TRY(verify_finish(s));
    SF_TRY(em_result(s, "far_sky.nc", "rcs", CUTS, rcs));
    return em_result(s, "far_sky.nc", "rcs_back", 1, &rcs[CUTS]);
}

/* TE, a tenth of TM, is what is left of two waves that nearly cancel: 2.5 % here, 0.85 % with 16 cells. */
static int half_row(struct verify *v, int polarisation)
{
    struct session s;
    double rcs[CUTS + 1], exact[CUTS + 1], worst = 0, most = 0;
    const int rc = half_run(&s, polarisation, rcs);
    session_close(&s);
    SF_TRY(rc);
    for (int n = 0; n <= CUTS; n++) {
        exact[n] = half_exact(polarisation, n < CUTS ? -60 + 30 * n : come - 180);
        most = fmax(most, exact[n]);
    }
    for (int n = 0; n <= CUTS; n++) worst = fmax(worst, fabs(rcs[n] - exact[n]) / most);
    verify_most(
        v,
        verify_name("half a ball on a conducting plane, wave at 40 degrees, %s: rcs, largest error over the largest",
                    polarisation ? "TE" : "TM"),
        worst, polarisation ? 0.03 : 0.01, "Mie's series, the whole ball in two waves; 8 cells");
    return SF_OK;
}

int em_ground_rows(struct verify *v)
{
    for (int is_te = 0; is_te < 2; is_te++) SF_TRY(wave_rows(v, is_te));
    for (int is_te = 0; is_te < 2; is_te++) SF_TRY(half_row(v, 90 * is_te));
    return scatter_row(v);
}
