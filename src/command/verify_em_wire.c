/* Wires with a radius of their own: the line that they are in a conducting box, the dipole that they are in the open,
 * and that nothing grows. SPDX-License-Identifier: MIT */
#include "command/moment.h"
#include "command/verify_em_analytic.h"
#include "command/verify_em_parts.h"
#include "maxwell/wire.h"

#include "pipeline/error.h"

#include <math.h>

/* ---- the gap of a feed ------------------------------------------------------------------------------------------- */

enum { BANDS = 25 };

/* I / V of a gap at the node in the corner of two magnetic conductors: E along it, and the ring of H around it. */
struct feed {
    double g[BANDS], b[BANDS]; /* S */
};

static int component_take(const struct session *s, const char *name, int each, int bands, double *value)
{
    enum { MOST = 4 };
    double all[MOST * BANDS];
    SF_TRY(em_result(s, "dft_gap.nc", name, each * bands, all));
    for (int f = 0; f < bands; f++) value[f] = all[each * f];
    return SF_OK;
}

static int feed_take(const struct session *s, const double d[3], int bands, struct feed *y)
{
    double e[2][BANDS] = {{0}}, x[2][BANDS] = {{0}}, h[2][BANDS] = {{0}};
    SF_TRY(component_take(s, "Ez_re", 4, bands, e[0])); /* nodes of x and y around a column of cells */
    SF_TRY(component_take(s, "Ez_im", 4, bands, e[1]));
    SF_TRY(component_take(s, "Hx_re", 2, bands, x[0]));
    SF_TRY(component_take(s, "Hx_im", 2, bands, x[1]));
    SF_TRY(component_take(s, "Hy_re", 2, bands, h[0]));
    SF_TRY(component_take(s, "Hy_im", 2, bands, h[1]));
    for (int f = 0; f < bands; f++) {
        const double v[2] = {-e[0][f] * d[2], -e[1][f] * d[2]},
                     i[2] = {2 * (h[0][f] * d[1] - x[0][f] * d[0]), 2 * (h[1][f] * d[1] - x[1][f] * d[0])},
                     square = v[0] * v[0] + v[1] * v[1];
        y->g[f] = (i[0] * v[0] + i[1] * v[1]) / square;
        y->b[f] = (i[1] * v[0] - i[0] * v[1]) / square;
    }
    return SF_OK;
}

/* ---- a line in a box --------------------------------------------------------------------------------------------- */

/* A quarter of a square box of 2 m a side and the wire in its middle, fed in a gap between two absorbing ends. Of a gap
 * the TEM wave takes V / (2 Z) to each side, whatever else is near. */
static int line_run(struct session *s, const double d[3], double radius, double *z)
{
    struct feed y = {{0}, {0}};
    const double wave = 6 * 2.0, f = em_c0 / wave, half = 29.5 * d[2];
    SF_TRY(
        verify_open(s,
                    "&case name='line' model='maxwell' /\n"
                    "&grid nx=%d ny=%d nz=60 dx=%.17g dy=%.17g dz=%.17g origin_z=%.17g /\n"
                    "&time duration=%.9g /\n"
                    "&output staggered=.true. /\n"
                    "&boundary west='pmc' south='pmc' east='pec' north='pec' /\n"
                    "&geometry shape=2*'wire' z=%.9g,%.9g size_z=2*%.9g radius=2*%.9g /\n"
                    "&source kind='electric' axis='z' waveform='modulated_gaussian' frequency=%.9g bandwidth=%.9g /\n"
                    "&monitor name='gap' kind='fields' west=0 east=0 south=0 north=0 bottom=%.9g top=%.9g /\n"
                    "&spectrum frequencies=%.9g /\n",
                    (int)(1 / d[0] + 0.5), (int)(1 / d[1] + 0.5), d[0], d[1], d[2], -30 * d[2] + 0.5 * d[2], 12 / f,
                    -half / 2 - d[2] / 2, half / 2 + d[2] / 2, half, radius, f, f, -0.5 * d[2], 0.5 * d[2], f));
    SF_TRY(verify_finish(s));
    SF_TRY(feed_take(s, d, 1, &y));
    *z = 1 / (2 * y.g[0]);
    return SF_OK;
}

static int line_row(struct verify *v, double cells_x, double cells_y, double radius)
{
    struct session s;
    const double d[3] = {1 / cells_x, 1 / cells_y, 0.1}, own = wire_own_radius(d[0], d[1]),
                 inner = radius > 0 ? radius * fmin(d[0], d[1]) : own;
    /* conformal radius of a square of 2 m: 8 sqrt(pi) / Gamma(1/4)^2 */
    const double exact = em_mu0 * em_c0 / (2 * M_PI) * log(8 * sqrt(M_PI) / pow(tgamma(0.25), 2) / inner);
    double z = 0;
    const int rc = line_run(&s, d, radius > 0 ? inner : 0, &z);
    session_close(&s);
    SF_TRY(rc);
    verify_near(
        v,
        verify_name("wire of %.3g cells in a square box, cells 1 : %.2g: ohm", inner / fmin(d[0], d[1]), d[1] / d[0]),
        z, exact, 1e-3 * exact, "eta0 / (2 pi) ln(R / r)");
    return SF_OK;
}

/* ---- a dipole ---------------------------------------------------------------------------------------------------- */

enum { ARM = 20, LENGTH = 2 * ARM + 1, AROUND = 18, MOMENTS = 41 };

/* What a dipole is at the gap: its length without reactance, in wavelengths, its resistance there, and how far its
 * impedance is off, as a share, from 0.46 to 0.5 wavelengths at most. */
struct antenna {
    double length, resistance, off;
};

/* Where the susceptance of bands f - 1 and f is zero, and the resistance there. */
static void antenna_at(struct antenna *a, const struct feed *y, const double length[BANDS], int f)
{
    const double share = y->b[f] / (y->b[f] - y->b[f - 1]);
    a->length = length[f] - (length[f] - length[f - 1]) * share;
    a->resistance = 1 / (y->g[f] - (y->g[f] - y->g[f - 1]) * share);
}

/* A quarter, as in verify_em_strip.c. */
static int dipole_run(struct session *s, double radius, struct antenna *a)
{
    struct feed y = {{0}, {0}};
    const double d[3] = {0.01, 0.01, 0.01}, arm = ARM * d[2], middle = (arm + d[2]) / 2, wave = em_c0 / (LENGTH * d[2]),
                 edges = LENGTH + 2 * wire_end(radius, 1);
    double length[BANDS];
    SF_TRY(verify_open(s,
                       "&case name='dipole' model='maxwell' /\n"
                       "&grid nx=%d ny=%d nz=%d dx=%g dy=%g dz=%g origin_z=%.9g /\n"
                       "&time duration=3e-8 /\n"
                       "&output staggered=.true. /\n"
                       "&boundary west='pmc' south='pmc' /\n"
                       "&geometry shape=2*'wire' z=%.9g,%.9g size_z=2*%.9g radius=2*%.9g /\n"
                       "&source kind='electric' axis='z' waveform='differentiated_gaussian' frequency=%.9g /\n"
                       "&monitor name='gap' kind='fields' west=0 east=0 south=0 north=0 bottom=%.9g top=%.9g /\n"
                       "&spectrum from=%.9g to=%.9g count=%d /\n",
                       (int)AROUND, (int)AROUND, LENGTH + 2 * AROUND, d[0], d[1], d[2], -(0.5 * LENGTH + AROUND) * d[2],
                       -middle, middle, arm, radius * d[0], 0.5 * wave, -0.5 * d[2], 0.5 * d[2], 0.42 * wave,
                       0.54 * wave, (int)BANDS));
    SF_TRY(verify_finish(s));
    SF_TRY(feed_take(s, d, BANDS, &y));
    *a = (struct antenna){NAN, NAN, 0};
    for (int f = 0; f < BANDS; f++) {
        length[f] = (0.42 + 0.12 / (BANDS - 1) * f) * edges / LENGTH;
        const double complex z = 1 / (y.g[f] + I * y.b[f]),
                             exact = moment_dipole(length[f], length[f] * radius / edges, MOMENTS);
        if (f > 0 && y.b[f - 1] * y.b[f] <= 0) antenna_at(a, &y, length, f);
        if (length[f] > 0.46 && length[f] < 0.5) a->off = fmax(a->off, cabs(z / exact - 1));
    }
    return SF_OK;
}

/* By the method of moments. */
static void antenna_exact(double radius, struct antenna *a)
{
    const double edges = LENGTH + 2 * wire_end(radius, 1);
    a->length = 0.4;
    for (double step = 0.1; step > 1e-7; step *= 0.5) {
        const double next = a->length + step;
        if (cimag(moment_dipole(next, next * radius / edges, MOMENTS)) < 0) a->length = next;
    }
    a->resistance = creal(moment_dipole(a->length, a->length * radius / edges, MOMENTS));
}

static int dipole_row(struct verify *v, double radius, double most)
{
    struct session s;
    struct antenna is = {0}, exact = {0};
    const int rc = dipole_run(&s, radius, &is);
    session_close(&s);
    SF_TRY(rc);
    antenna_exact(radius, &exact);
    verify_near(v, verify_name("dipole, wire of %.3g cells: length of no reactance, wavelengths", radius), is.length,
                exact.length, 0.006 * exact.length, "Galerkin's method");
    verify_near(v, "its resistance there, ohm", is.resistance, exact.resistance, 0.02 * exact.resistance,
                "Galerkin's method");
    verify_most(v, "its impedance, 0.46 to 0.5 wavelengths: largest error", is.off, most, "Galerkin's method");
    return SF_OK;
}

/* ---- nothing grows ----------------------------------------------------------------------------------------------- */

/* A corner, a cross, a feed, an end at a side, and wires of three radii, as long a step as may be. */
static int growth_row(struct verify *v, double x, double y, double z, double radius)
{
    struct session s;
    int rc = verify_open(
        &s,
        "&case name='growth' model='maxwell' /\n"
        "&grid nx=14 ny=12 nz=13 dx=%.9g dy=%.9g dz=%.9g /\n"
        "&time duration=1e-3 /\n"
        "&maxwell courant=1 /\n"
        "&geometry shape=6*'wire' axis='z','x','y','x','z','z' x=%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n"
        "  y=%.9g,%.9g,%.9g,%.9g,%.9g,%.9g z=%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n"
        "  size_x=1,%.9g,1,%.9g size_y(3)=%.9g size_z=%.9g,1,1,1,%.9g,%.9g radius=3*%.9g,%.9g,2*%.9g /\n" EM_SIDES(
            "pec"),
        x, y, z, 4 * x, 6 * x, 4 * x, 9 * x, 10 * x, 10 * x, 4 * y, 4 * y, 6 * y, 8 * y, 4 * y, 4 * y, 6 * z, 3 * z,
        3 * z, 9 * z, 1.5 * z, 8 * z, 4 * x, 6 * x, 4 * y, 6 * z, 3 * z, 8 * z, radius, 0.3 * radius, 0.1 * radius);
    if (!rc)
        rc = em_growth(v, &s,
                       verify_name("noise, wires of %.2g and less, cells %.2g x %.2g x %.2g: energy after 20000 steps",
                                   radius, x, y, z));
    session_close(&s);
    return rc;
}

int verify_wire(struct verify *v)
{
    SF_TRY(line_row(v, 10, 10, 0));
    SF_TRY(line_row(v, 10, 10, 0.3));
    SF_TRY(line_row(v, 10, 10, 0.1));
    SF_TRY(line_row(v, 10, 10, 0.01));
    SF_TRY(line_row(v, 10, 16, 0.1));
    SF_TRY(line_row(v, 16, 10, 0.03));
    SF_TRY(dipole_row(v, 0.281, 0.05));
    SF_TRY(dipole_row(v, 0.0424, 0.02));
    SF_TRY(growth_row(v, 1, 1, 1, 0.1));
    SF_TRY(growth_row(v, 1, 0.6, 1.7, 0.2));
    return growth_row(v, 1, 1, 1, 0.39);
}
