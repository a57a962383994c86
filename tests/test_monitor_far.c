/* Far fields from runs of namelists: a dipole's against its closed form, with phases; over a ground; of a sphere in a
 * plane wave, by its own theorems and Mie's series. SPDX-License-Identifier: MIT */
#include "command/mie.h"
#include "command/verify.h"
#include "command/verify_em_analytic.h"
#include "maxwell/own.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { THETAS = 13, PHIS = 7 };
static const double pi = 3.14159265358979323846;

static void result(const struct session *s, const char *name, int n, double *out)
{
    cr_assert_eq(em_result(s, "far_sky.nc", name, n, out), SF_OK, "%s: %s", name, sf_error_text());
}

/* Off the middle, along y, in glass, cells of three sizes, two frequencies at 20 and 14 cells a wavelength along x;
 * phases count from a place of their own. */
Test(monitor_far, dipole)
{
    struct session s;
    const double f[2] = {1e9, 1.4e9}, index = sqrt(2), d[3] = {10.6e-3, 9e-3, 11.6e-3};
    const double at[3] = {13 * d[0], 13.5 * d[1], 12 * d[2]}, reference[3] = {0.1, 0.15, 0.11};
    cr_assert_eq(
        verify_open(
            &s,
            "&case name='far' model='maxwell' /\n&grid nx=26 ny=28 nz=25 dx=%.17g dy=%.17g dz=%.17g /\n"
            "&time duration=1.2e-8 /\n&cpml cells=7 /\n&maxwell allow_coarse=.true. /\n"
            "&medium name='glass' epsilon=2 /\n&geometry background='glass' /\n"
            "&source kind='electric' axis='y' x=%.17g y=%.17g z=%.17g amplitude=3 waveform='differentiated_gaussian'\n"
            "  frequency=1e9 /\n"
            "&monitor name='sky' kind='far' west=%.17g east=%.17g south=%.17g north=%.17g bottom=%.17g top=%.17g\n"
            "  theta_from=-180 theta_count=%d phi_from=-90 phi_to=90 phi_count=%d\n"
            "  reference_x=%.17g reference_y=%.17g reference_z=%.17g /\n"
            "&spectrum frequencies=%.17g,%.17g /\n",
            d[0], d[1], d[2], at[0], at[1], at[2], 9 * d[0], 18 * d[0], 10 * d[1], 17 * d[1], 8 * d[2], 17 * d[2],
            (int)THETAS, (int)PHIS, reference[0], reference[1], reference[2], f[0], f[1]),
        SF_OK, "%s", sf_error_text());
    cr_assert_eq(verify_finish(&s), SF_OK, "%s", sf_error_text());
    double part[4][2][THETAS][PHIS], power[2], each[2], most[2], width[2][PHIS], intensity[2][THETAS][PHIS];
    const char *const names[4] = {"E_theta_re", "E_theta_im", "E_phi_re", "E_phi_im"};
    for (int v = 0; v < 4; v++) result(&s, names[v], 2 * THETAS * PHIS, &part[v][0][0][0]);
    result(&s, "intensity", 2 * THETAS * PHIS, &intensity[0][0][0]);
    result(&s, "radiated_power", 2, power);
    result(&s, "power", 2, each);
    result(&s, "directivity_max", 2, most);
    result(&s, "beam_width", 2 * PHIS, &width[0][0]);
    const struct maxwell_own *const own = s.in.own;
    for (int n = 0; n < 2; n++) {
        const double omega = 2 * pi * f[n], k = omega * index / em_c, eta = em_eta0 / index;
        double complex moment = 0;
        for (double t = 0; t < 1.2e-8; t += 1e-11)
            moment += 3 * waveform_value(&own->source[0].wave, t) * cexp(-I * omega * t) * 1e-11;
        const double size = omega * em_mu0 / (4 * pi) * cabs(moment);
        for (int t = 0; t < THETAS; t++)
            for (int p = 0; p < PHIS; p++) {
                const double theta = (-180 + 30 * t) * pi / 180, phi = (-90 + 30 * p) * pi / 180;
                const double r[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
                double phase = 0;
                for (int a = 0; a < 3; a++) phase += k * r[a] * (at[a] - reference[a]);
                const double complex wave = -I * omega * em_mu0 / (4 * pi) * moment * cexp(I * phase);
                const double complex e[2] = {wave * cos(theta) * sin(phi), wave * cos(phi)};
                for (int c = 0; c < 2; c++) {
                    const double complex is = part[2 * c][n][t][p] + I * part[2 * c + 1][n][t][p];
                    cr_expect(cabs(is - e[c]) < 0.015 * size, "%d: theta %g, phi %g, %d: %g%+gi instead of %g%+gi", n,
                              -180 + 30. * t, -90 + 30. * p, c, creal(is) / size, cimag(is) / size, creal(e[c]) / size,
                              cimag(e[c]) / size);
                }
                const double square = pow(cabs(e[0]), 2) + pow(cabs(e[1]), 2);
                cr_expect(fabs(intensity[n][t][p] - square / (2 * eta)) < 0.02 * size * size / (2 * eta));
            }
        const double exact = eta * pi / 3 * pow(k / (2 * pi), 2);
        cr_expect(fabs(each[n] / exact - 1) < 2e-3, "%g", each[n] / exact);
        cr_expect(fabs(power[n] / (exact * pow(cabs(moment) / 3, 2) * 9) - 1) < 2e-3, "%g", power[n] / exact);
        cr_expect(fabs(most[n] - 1.5) < 5e-3, "%g", most[n]);
        cr_expect(fabs(width[n][0] - 90) < 1.5 && fabs(width[n][6] - 90) < 1.5, "%g %g", width[n][0], width[n][6]);
    }
    session_close(&s);
}

/* Upright over a ground, half a cell and 0.425 wavelengths above it; nothing below it. `symmetry` makes it one of two
 * in free space. */
Test(monitor_far, ground)
{
    double most[2], power[2];
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        struct session s;
        double e[2][9];
        cr_assert_eq(
            verify_open(
                &s,
                "&case name='ground' model='maxwell' /\n&grid nx=32 ny=32 nz=26 dx=1e-3 dy=1e-3 dz=1e-3 /\n"
                "&time duration=8e-10 /\n&boundary bottom='pec' /\n&maxwell allow_coarse=.true. /\n&cpml cells=8 /\n"
                "&source kind='electric' axis='z' x=16e-3 y=16e-3 z=8.5e-3 waveform='differentiated_gaussian' frequency=1.5e10 /\n"
                "&monitor name='sky' kind='far' west=11e-3 east=21e-3 south=11e-3 north=21e-3 bottom=0 top=13e-3\n"
                "  theta_count=9 phi_count=1 mirror='%s' /\n&spectrum frequencies=1.5e10 /\n",
                symmetric ? "symmetry" : "auto"),
            SF_OK, "%s", sf_error_text());
        cr_assert_eq(verify_finish(&s), SF_OK, "%s", sf_error_text());
        result(&s, "E_theta_re", 9, e[0]);
        result(&s, "E_theta_im", 9, e[1]);
        result(&s, "directivity_max", 1, &most[symmetric]);
        result(&s, "radiated_power", 1, &power[symmetric]);
        for (int t = 0; t < 9; t++) {
            const double there = hypot(e[0][t], e[1][t]), mirrored = hypot(e[0][8 - t], e[1][8 - t]);
            if (t > 4 && !symmetric) cr_expect(!(there > 0), "theta %g: %g", 22.5 * t, there);
            if (symmetric) cr_expect(fabs(there - mirrored) < 1e-4 * hypot(e[0][4], e[1][4]));
        }
        cr_expect(hypot(e[0][4], e[1][4]) > 0);
        session_close(&s);
    }
    cr_expect(fabs(power[1] / power[0] - 2) < 1e-9 && fabs(most[0] / most[1] - 2) < 1e-9);
    const double q = 2 * 2 * pi * 8.5e-3 * 1.5e10 / em_c,
                 sum = 2.0 / 3 - 2 * cos(q) / (q * q) + 2 * sin(q) / (q * q * q);
    double top = 0;
    for (int n = 0; n <= 4; n++) top = fmax(top, pow(cos(q / 2 * cos(n * pi / 8)) * sin(n * pi / 8), 2));
    cr_expect(fabs(most[0] / (4 * top / sum) - 1) < 0.01, "%g instead of %g", most[0], 4 * top / sum);
}

/* Upright over earth that loses and has a pole, and level along x over such without, or over glass: a box in the air,
 * and one that holds the interface; the wave that comes and the one that is returned, or that goes through. */
static double complex fresnel(int is_tm, double sine, double complex e)
{
    const double c = sqrt(1 - sine * sine);
    const double complex q = csqrt(e - sine * sine);
    return is_tm ? (e * c - q) / (e * c + q) : (c - q) / (c + q);
}

static void layers_check(int is_level, int is_glass)
{
    enum { N = 12 };
    static const double f = 1e10, z = 5.5e-3;
    struct session s;
    double part[2][4][N], power[2][2];
    cr_assert_eq(
        verify_open(
            &s,
            "&case name='layers' model='maxwell' /\n&grid nx=36 ny=36 nz=42 dx=1e-3 dy=1e-3 dz=1e-3 origin_z=-18e-3 /\n"
            "&time duration=1.1e-9 /\n&maxwell allow_coarse=.true. /\n&cpml cells=9 /\n"
            "&medium name='earth' epsilon=3 sigma=%g /\n%s"
            "&geometry shape='half_space' medium='earth' axis='z' side='below' z=0 /\n"
            "&source kind='electric' axis='%s' x=18e-3 y=18e-3 z=%g waveform='modulated_gaussian' frequency=1e10 bandwidth=8e9 /\n"
            "&monitor name='sky','through' kind=2*'far' west=2*14e-3 east=2*22e-3 south=2*14e-3 north=2*22e-3 bottom=2e-3,-3e-3\n"
            "  top=9e-3,11e-3 mirror=2*'layers' theta_from=2*0 theta_to=2*165 theta_count=2*%d phi_from=2*30 phi_count=2*1\n"
            "  reference_x=2*%g reference_y=2*18e-3 reference_z=2*0 /\n&spectrum frequencies=1e10 /\n",
            is_glass ? 0 : 0.8,
            is_glass || is_level ? "" : "&pole medium='earth' kind='debye' strength=2 tau=1e-11 /\n",
            is_level ? "x" : "z", is_level ? 6e-3 : z, (int)N, is_level ? 18.5e-3 : 18e-3),
        SF_OK, "%s", sf_error_text());
    cr_assert_eq(verify_finish(&s), SF_OK, "%s", sf_error_text());
    for (int box = 0; box < 2; box++) {
        static const char *const names[4] = {"E_theta_re", "E_theta_im", "E_phi_re", "E_phi_im"};
        const char *const file = box ? "far_through.nc" : "far_sky.nc";
        for (int v = 0; v < 4; v++) cr_assert_eq(em_result(&s, file, names[v], N, part[box][v]), SF_OK);
        cr_assert_eq(em_result(&s, file, "radiated_power", 1, &power[box][0]), SF_OK);
        cr_assert_eq(em_result(&s, file, "upward_power", 1, &power[box][1]), SF_OK);
    }
    const struct maxwell_own *const own = s.in.own;
    double of[2], most = 0, rest = 0;
    medium_permittivity(&own->media.medium[2], f, of);
    const double complex e = of[0] - I * of[1];
    double complex moment = 0;
    const double omega = 2 * pi * f, k = omega / em_c, h = is_level ? 6e-3 : z;
    for (double t = 0; t < 1.1e-9; t += 1e-12)
        moment += waveform_value(&own->source[0].wave, t) * cexp(-I * omega * t) * 1e-12;
    const double complex size = -I * omega * em_mu0 / (4 * pi) * moment;
    for (int n = 0; n < N; n++) {
        const double t = 15 * n * pi / 180, sine = sin(t), p = pi / 6, index = sqrt(of[0]);
        const double complex go = cexp(I * k * h * cos(t)), tm = fresnel(1, sine, e) / go,
                             te = fresnel(0, sine, e) / go;
        double complex want[2] = {is_level ? cos(t) * cos(p) * (go - tm) : -sine * (go + tm),
                                  is_level ? -sin(p) * (go + te) : 0};
        if (t > pi / 2) {
            const double above = index * sine, c = -index * cos(t);
            double complex q = csqrt(1 - above * above);
            if (cimag(q) > 0) q = -q;
            const double complex up = cexp(-I * k * q * h), through = 2 * c * index / (c + of[0] * q);
            want[0] = (is_level ? -q * cos(p) : -above) * through * up;
            want[1] = is_level ? -sin(p) * 2 * c / (c + q) * up : 0;
            if (!is_glass) want[0] = want[1] = 0;
        }
        for (int c = 0; c < 2; c++) {
            const double complex is = part[0][2 * c][n] + I * part[0][2 * c + 1][n],
                                 other = part[1][2 * c][n] + I * part[1][2 * c + 1][n];
            if (15 * n != 90) /* there it is nothing, which Fresnel has of a limit alone */
                cr_expect(cabs(is / size - want[c]) < 0.03, "level %d, glass %d, theta %d: %g %+gi, not %g %+gi",
                          is_level, is_glass, 15 * n, creal(is / size), cimag(is / size), creal(want[c]),
                          cimag(want[c]));
            most = fmax(most, cabs(is)), rest = fmax(rest, cabs(is - other));
        }
    }
    cr_expect(rest < 1e-5 * most, "two boxes differ by %g", rest / most);
    cr_expect(fabs(power[1][0] / power[0][0] - 1) < 1e-3 && fabs(power[1][1] / power[0][1] - 1) < 1e-5);
    cr_expect(is_glass ? power[0][1] < 0.7 * power[0][0] : !(power[0][1] < power[0][0]));
    session_close(&s);
}

Test(monitor_far, layers)
{
    layers_check(0, 0);
    layers_check(1, 0);
    layers_check(0, 1);
    layers_check(1, 1);
}

/* A quarter of a ball of 8 cells radius; the wave travels upward from a place of its own. Then downward, turned by 90
 * degrees. */
Test(monitor_far, sphere)
{
    for (int way = 0; way < 2; way++) {
        struct session s;
        double rcs[7][2], back, scattering, extinction, worst = 0;
        const double each = em_c / (2 * pi);
        cr_assert_eq(
            verify_open(
                &s,
                "&case name='sphere' model='maxwell' /\n&grid nx=26 ny=26 nz=52 dx=0.125 dy=0.125 dz=0.125 origin_z=-3.25 /\n"
                "&time duration=%.9g /\n&boundary west='%s' south='%s' /\n&maxwell allow_coarse=.true. /\n"
                "&medium name='glass' epsilon=4 /\n&geometry shape='sphere' medium='glass' radius=1 /\n"
                "&plane_wave direction='%s' polarisation=%d amplitude=-2 waveform='modulated_gaussian' frequency=%.9g bandwidth=%.9g\n"
                "  box=0,1.375,0,1.375,-1.375,1.375 /\n"
                "&monitor name='sky' kind='far' west=0 east=1.625 south=0 north=1.625 bottom=-1.625 top=1.625\n"
                "  theta_count=7 phi_to=90 phi_count=2 /\n&spectrum frequencies=%.9g /\n",
                60 / em_c, way ? "pmc" : "pec", way ? "pec" : "pmc", way ? "-z" : "+z", way ? 90 : 0, 1.5 * each,
                1.5 * each, each),
            SF_OK, "%s", sf_error_text());
        cr_assert_eq(verify_finish(&s), SF_OK, "%s", sf_error_text());
        result(&s, "rcs", 14, &rcs[0][0]);
        result(&s, "rcs_back", 1, &back);
        result(&s, "scattering_cross_section", 1, &scattering);
        result(&s, "extinction_cross_section", 1, &extinction);
        for (int t = 0; t < 7; t++) {
            double exact[2];
            mie_bistatic(1, 2, way ? 180 - 30 * t : 30 * t, exact);
            for (int q = 0; q < 2; q++) worst = fmax(worst, fabs(rcs[t][way ? 1 - q : q] / pi - exact[q]));
        }
        cr_expect(worst < 0.08, "way %d: %g", way, worst);
        cr_expect(fabs(back / rcs[way ? 0 : 6][0] - 1) < 1e-6, "way %d: %g and %g", way, back, rcs[way ? 0 : 6][0]);
        cr_expect(fabs(scattering / pi / mie_scattering(1, 2) - 1) < 0.05, "way %d: %g", way, scattering / pi);
        cr_expect(fabs(extinction / scattering - 1) < 0.01, "way %d: %g", way, extinction / scattering);
        session_close(&s);
    }
}
