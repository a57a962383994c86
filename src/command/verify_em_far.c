/* The far field of the EM model against closed forms: dipoles alone and over a conductor, spheres of glass and of
 * metal. SPDX-License-Identifier: MIT */
#include "command/mie.h"
#include "command/verify_em_analytic.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>

static const double eta0 = 376.730313668; /* ohm */

/* ---- Hertzian dipole ---- */

/* 10 cells to the wavelength; two boxes. */
static int dipole_rows(struct verify *v, struct session *s)
{
    const double f = em_c0 / 10e-3;
    double power[2], directivity[2];
    SF_TRY(verify_open(
        s,
        "&case name='dipole' model='maxwell' /\n"
        "&grid nx=44 ny=44 nz=44 dx=1e-3 dy=1e-3 dz=1e-3 origin_x=-22e-3 origin_y=-22e-3 origin_z=-22e-3 /\n"
        "&time duration=%.9g /\n"
        "&maxwell allow_coarse=.true. /\n"
        "&source kind='electric' axis='z' waveform='modulated_gaussian' frequency=%.9g /\n"
        "&monitor name='near','wide' kind=2*'far' west=-4e-3,-9e-3 east=5e-3,8e-3 south=-4e-3,-9e-3 north=3e-3,9e-3\n"
        "  bottom=-3e-3,-7e-3 top=4e-3,9e-3 theta_from=2*-180 theta_count=2*73 phi_to=2*90 phi_count=2*3 /\n"
        "&spectrum frequencies=%.9g /\n",
        45 / f, f, f));
    SF_TRY(verify_finish(s));
    for (int n = 0; n < 2; n++) {
        const char *const file = n ? "far_wide.nc" : "far_near.nc";
        SF_TRY(em_result(s, file, "power", 1, &power[n]));
        SF_TRY(em_result(s, file, "directivity_max", 1, &directivity[n]));
    }
    verify_near(v, "dipole, 10 cells: power over (I l / lambda)^2, W", power[1] * 1e-4, eta0 * M_PI / 3,
                1e-4 * eta0 * M_PI / 3, "eta0 pi / 3");
    verify_near(v, "largest directivity", directivity[1], 1.5, 1.5e-4, "3/2");
    verify_most(v, "power from a box half as wide, difference", fabs(power[0] / power[1] - 1),
                SF_PREC == 64 ? 1e-8 : 1e-4, "the same field");
    return SF_OK;
}

/* Upright, at a height above a perfect conductor: D = 4 / (2/3 - 2 cos(q) / q^2 + 2 sin(q) / q^3) max |cos(k h cos
 * theta) sin(theta)|^2, q = 2 k h. */
static double ground_directivity(double kh)
{
    const double q = 2 * kh, sum = 2.0 / 3 - 2 * cos(q) / (q * q) + 2 * sin(q) / (q * q * q);
    double most = 0;
    for (int n = 0; n <= 9000; n++) {
        const double t = n * (M_PI / 2 / 9000);
        most = fmax(most, pow(cos(kh * cos(t)) * sin(t), 2));
    }
    return 4 * most / sum;
}

static int ground_rows(struct verify *v, struct session *s)
{
    const double d = 1e-3, f = em_c0 / (20 * d);
    double directivity;
    SF_TRY(
        verify_open(s,
                    "&case name='ground' model='maxwell' /\n"
                    "&grid nx=40 ny=40 nz=32 dx=1e-3 dy=1e-3 dz=1e-3 origin_x=-20e-3 origin_y=-20e-3 /\n"
                    "&time duration=%.9g /\n"
                    "&boundary bottom='pec' /\n"
                    "&maxwell allow_coarse=.true. /\n"
                    "&source kind='electric' axis='z' z=9.5e-3 waveform='differentiated_gaussian' frequency=%.9g /\n"
                    "&monitor name='half' kind='far' west=-6e-3 east=6e-3 south=-6e-3 north=6e-3 bottom=0 top=16e-3\n"
                    "  theta_count=181 phi_to=45 phi_count=2 /\n"
                    "&spectrum frequencies=%.9g /\n",
                    8 / f + 0.3 / em_c0, f, f));
    SF_TRY(verify_finish(s));
    SF_TRY(em_result(s, "far_half.nc", "directivity_max", 1, &directivity));
    const double exact = ground_directivity(2 * M_PI * 9.5 / 20);
    verify_near(v, "0.475 wavelengths above a conductor: directivity", directivity, exact, 0.005 * exact, "image");
    return SF_OK;
}

/* ---- over glass ---- */

/* What an upright dipole h above glass of index 2 radiates upward over all, from Fresnel's coefficients. */
static double share_upward(double kh)
{
    enum { STEPS = 20000 };
    static const double e = 4;
    double part[2] = {0, 0};
    for (int n = 0; n < STEPS; n++) {
        const double c = (n + 0.5) / STEPS, s2 = 1 - c * c, q = sqrt(e - s2), r = (e * c - q) / (e * c + q);
        part[0] += s2 * (1 + r * r + 2 * r * cos(2 * kh * c)) / STEPS;
        /* in glass: s sine above, q2 = c^2 above, negative where what goes over is reflected in full */
        const double above = e * s2, q2 = 1 - above, root = sqrt(fabs(q2)), index = sqrt(e);
        const double passed = q2 > 0 ? pow(2 * index * c * index / (index * c + e * root), 2)
                                     : pow(2 * index * c * index, 2) / (e * c * c + e * e * root * root);
        part[1] += above * passed * (q2 > 0 ? 1 : exp(-2 * kh * root)) * index / STEPS;
    }
    return part[0] / (part[0] + part[1]);
}

static int layers_rows(struct verify *v, struct session *s)
{
    const double d = 1e-3, f = em_c0 / (30 * d), high = 6.5 * d;
    double power[2], up[2];
    SF_TRY(verify_open(
        s,
        "&case name='glass' model='maxwell' /\n"
        "&grid nx=40 ny=40 nz=46 dx=1e-3 dy=1e-3 dz=1e-3 origin_x=-20e-3 origin_y=-20e-3 origin_z=-20e-3 /\n"
        "&time duration=1.6e-9 /\n"
        "&maxwell allow_coarse=.true. /\n"
        "&medium name='glass' epsilon=4 /\n"
        "&geometry shape='half_space' medium='glass' axis='z' side='below' z=0 /\n"
        "&source kind='electric' axis='z' z=%.9g waveform='modulated_gaussian' frequency=%.9g bandwidth=8e9 /\n"
        "&monitor name='air','both' kind=2*'far' west=-5e-3,-7e-3 east=5e-3,7e-3 south=2*-5e-3 north=2*5e-3\n"
        "  bottom=2e-3,-5e-3 top=10e-3,13e-3 mirror=2*'layers' theta_count=2*37 phi_count=2*1 /\n"
        "&spectrum frequencies=%.9g /\n",
        high, f, f));
    SF_TRY(verify_finish(s));
    for (int n = 0; n < 2; n++) {
        SF_TRY(em_result(s, n ? "far_both.nc" : "far_air.nc", "radiated_power", 1, &power[n]));
        SF_TRY(em_result(s, n ? "far_both.nc" : "far_air.nc", "upward_power", 1, &up[n]));
    }
    verify_near(v, "0.22 wavelengths above glass: share of the power that goes up", up[0] / power[0],
                share_upward(2 * M_PI * high * f / em_c0), 0.01, "Fresnel");
    verify_most(v, "power upward from a box that holds the interface, difference", fabs(up[1] / up[0] - 1),
                SF_PREC == 64 ? 1e-7 : 1e-4, "the same field");
    return SF_OK;
}

/* ---- half-wave dipole ---- */

/* Two arms of 20 edges and a gap of one, as in namelists/half_wave.nml: a wire of a tenth of a cell, whose current is
 * not quite a sine's. */
static int antenna_rows(struct verify *v, struct session *s)
{
    double directivity, width;
    SF_TRY(verify_open(
        s, "&case name='half_wave' model='maxwell' /\n"
           "&grid nx=50 ny=50 nz=80 dx=2e-3 dy=2e-3 dz=2e-3 origin_x=-0.05 origin_y=-0.05 origin_z=-0.08 /\n"
           "&time duration=6e-9 /\n"
           "&geometry shape=2*'wire' z=-0.02,0.022 size_z=2*0.04 radius=2*2e-4 /\n"
           "&source kind='electric' axis='z' z=0.001 waveform='modulated_gaussian' frequency=3.6e9 bandwidth=5e9 /\n"
           "&monitor name='sky' kind='far' west=-0.02 east=0.02 south=-0.02 north=0.02 bottom=-0.054 top=0.056\n"
           "  theta_count=181 phi_count=1 /\n"
           "&spectrum frequencies=1.828e9 /\n"));
    SF_TRY(verify_finish(s));
    SF_TRY(em_result(s, "far_sky.nc", "directivity_max", 1, &directivity));
    SF_TRY(em_result(s, "far_sky.nc", "beam_width", 1, &width));
    verify_near(v, "half-wave dipole: directivity", directivity, 1.6409, 0.02 * 1.6409, "sinusoidal current");
    verify_near(v, "half-wave dipole: width of half the power, degrees", width, 78.1, 3, "sinusoidal current");
    return SF_OK;
}

/* ---- spheres ---- */

enum { SIZES = 4, BACK = 3, ANGLES = 19 };

static const double sphere_size[SIZES] = {0.5, 1, 2, 3}; /* circumference over wavelength */

/* A quarter of the sphere, as in verify_em_scatter.c. */
struct sphere {
    double section[SIZES][ANGLES][2]; /* over pi a^2; theta 0 .. 180, in the plane of E and across it */
    double scattering[SIZES], extinction[SIZES], back[SIZES];
};

static int sphere_run(struct session *s, const char *medium, double conformal, int cells, struct sphere *out)
{
    const double d = 1.0 / cells, each = em_c0 / (2 * M_PI); /* Hz of a size of 1, radius 1 m */
    const int wide = cells + 20, wave = cells + 3, box = cells + 6;
    SF_TRY(verify_open(s,
                       "&case name='sphere' model='maxwell' /\n"
                       "&grid nx=%d ny=%d nz=%d dx=%.17g dy=%.17g dz=%.17g origin_z=%.17g /\n"
                       "&time duration=%.9g /\n"
                       "&boundary west='pec' south='pmc' /\n"
                       "&maxwell allow_coarse=.true. conformal=%.9g /\n"
                       "&medium name='glass' epsilon=4 /\n"
                       "&geometry shape='sphere' medium='%s' radius=1 /\n"
                       "&plane_wave direction='+z' waveform='modulated_gaussian' frequency=%.9g bandwidth=%.9g\n"
                       "  box=0,%.9g,0,%.9g,%.9g,%.9g /\n"
                       "&monitor name='around' kind='far' west=0 east=%.9g south=0 north=%.9g bottom=%.9g top=%.9g\n"
                       "  theta_count=%d phi_to=90 phi_count=2 /\n"
                       "&spectrum frequencies=%.9g,%.9g,%.9g,%.9g /\n",
                       wide, wide, 2 * wide, d, d, d, -wide * d, 90 / em_c0, conformal, medium, 2 * each, 1.5 * each,
                       wave * d, wave * d, -wave * d, wave * d, box * d, box * d, -box * d, box * d, (int)ANGLES,
                       sphere_size[0] * each, sphere_size[1] * each, sphere_size[2] * each, sphere_size[3] * each));
    SF_TRY(verify_finish(s));
    SF_TRY(em_result(s, "far_around.nc", "rcs", SIZES * ANGLES * 2, &out->section[0][0][0]));
    SF_TRY(em_result(s, "far_around.nc", "scattering_cross_section", SIZES, out->scattering));
    SF_TRY(em_result(s, "far_around.nc", "extinction_cross_section", SIZES, out->extinction));
    SF_TRY(em_result(s, "far_around.nc", "rcs_back", SIZES, out->back));
    return SF_OK;
}

/* The largest difference from Mie's series of any angle in both planes, as a share of the largest value. */
static double sphere_error(const struct sphere *s, int n, double index)
{
    double worst = 0, most = 0;
    for (int t = 0; t < ANGLES; t++) {
        double exact[2];
        mie_bistatic(sphere_size[n], index, 180.0 * t / (ANGLES - 1), exact);
        for (int q = 0; q < 2; q++) {
            worst = fmax(worst, fabs(s->section[n][t][q] / M_PI - exact[q]));
            most = fmax(most, exact[q]);
        }
    }
    return worst / most;
}

static double monostatic(int n, double index)
{
    double exact[2];
    mie_bistatic(sphere_size[n], index, 180, exact);
    return exact[0];
}

/* One sphere: what it is of, how it is drawn, and the largest errors of its cuts. */
struct sphere_case {
    const char *medium, *name;
    double index, conformal;
    int cells;
    double tolerance[SIZES], back[BACK]; /* of the largest value; of the monostatic section */
};

static int sphere_rows(struct verify *v, struct session *s, const struct sphere_case *c)
{
    struct sphere is;
    SF_TRY(sphere_run(s, c->medium, c->conformal, c->cells, &is));
    for (int n = 0; n < SIZES; n++)
        verify_most(v, verify_name("%s, x %g, %d cells: error of bistatic cuts", c->name, sphere_size[n], c->cells),
                    sphere_error(&is, n, c->index), c->tolerance[n], "Mie's series, both planes");
    for (int n = 0; n < BACK; n++) {
        const double exact = monostatic(n, c->index);
        if (c->back[n] > 0)
            verify_near(
                v, verify_name("%s, x %g, %d cells: monostatic section over pi a^2", c->name, sphere_size[n], c->cells),
                is.back[n] / M_PI, exact, c->back[n] * exact, "Mie's series");
    }
    for (int n = 0; n < SIZES; n++)
        verify_near(v, verify_name("%s, x %g: extinction over scattering", c->name, sphere_size[n]),
                    is.extinction[n] / is.scattering[n], 1,
                    c->cells < 20 ? 1.2e-2
                    : n           ? 4e-3
                                  : 8e-3,
                    "optical theorem");
    return SF_OK;
}

static int with_session(struct verify *v, int (*rows)(struct verify *v, struct session *s))
{
    struct session s;
    const int rc = rows(v, &s);
    session_close(&s);
    return rc;
}

static int glass_rows(struct verify *v, struct session *s)
{
    static const struct sphere_case glass = {"glass", "n 2", 2, 0, 20, {0.02, 0.012, 0.012, 0.018}, {0.1, 0.1, 0.1}};
    return sphere_rows(v, s, &glass);
}

/* Drawn as stairs: its electric and its magnetic size differ from each other and from the sphere's. */
static int metal_rows(struct verify *v, struct session *s)
{
    static const struct sphere_case stairs = {"pec", "metal in cells", 0, 0, 20, {0.15, 0.1, 0.22, 0.23}, {0.15, 0.1}};
    return sphere_rows(v, s, &stairs);
}

/* True to its shape, with half the cells. */
static int conformal_rows(struct verify *v, struct session *s)
{
    static const struct sphere_case round = {
        "pec", "metal, conformal", 0, 0.8, 10, {0.015, 0.015, 0.015, 0.015}, {0.015, 0.015, 0.015}};
    return sphere_rows(v, s, &round);
}

static int fine_rows(struct verify *v, struct session *s)
{
    static const struct sphere_case fine = {
        "pec", "metal, conformal", 0, 0.8, 20, {0.008, 0.008, 0.008, 0.008}, {0.005, 0.005, 0.005}};
    return sphere_rows(v, s, &fine);
}

/* The monostatic errors together, root of the mean square, for one by one they cross zero. */
static int back_error(int cells, double *error)
{
    struct sphere is;
    struct session s;
    const int rc = sphere_run(&s, "pec", 0.8, cells, &is);
    session_close(&s);
    SF_TRY(rc);
    double sum = 0;
    for (int n = 0; n < BACK; n++) {
        const double off = is.back[n] / M_PI / monostatic(n, 0) - 1;
        sum += off * off / BACK;
    }
    *error = sqrt(sum);
    return SF_OK;
}

static int order_row(struct verify *v)
{
    double coarse, fine;
    SF_TRY(back_error(5, &coarse));
    SF_TRY(back_error(10, &fine));
    verify_least(v, "metal, conformal, x 0.5, 1, 2: order of the monostatic errors, 5 to 10 cells", log2(coarse / fine),
                 1.8, "second order");
    return SF_OK;
}

int verify_far(struct verify *v)
{
    SF_TRY(with_session(v, dipole_rows));
    SF_TRY(with_session(v, ground_rows));
    SF_TRY(with_session(v, layers_rows));
    SF_TRY(with_session(v, antenna_rows));
    SF_TRY(with_session(v, glass_rows));
    SF_TRY(with_session(v, metal_rows));
    SF_TRY(with_session(v, conformal_rows));
    SF_TRY(order_row(v));
    SF_TRY(em_ground_rows(v));
    if (v->full) return with_session(v, fine_rows);
    verify_skip(v, "metal, conformal, 20 cells", "with --full");
    return SF_OK;
}
