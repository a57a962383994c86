/* Ports of the EM model: lumped ones on a line between two plates, guide ports on both sides of an iris, line ports of
 * a coaxial line and of a microstrip. SPDX-License-Identifier: MIT */
#include "command/iris.h"
#include "command/verify_em_analytic.h"

#include "pipeline/error.h"

#include <complex.h>
#include <math.h>

/* Column of S of the driven port: s[frequency][port]. */
static int column_take(struct session *s, int frequencies, int ports, double complex *out)
{
    enum { MOST = 64 };
    double re[MOST], im[MOST];
    SF_CHECK(frequencies * ports <= MOST, SF_INTERNAL, "%d frequencies of %d ports", frequencies, ports);
    SF_TRY(verify_finish(s));
    SF_TRY(em_result(s, "ports.nc", "s_re", frequencies * ports, re));
    SF_TRY(em_result(s, "ports.nc", "s_im", frequencies * ports, im));
    for (int n = 0; n < frequencies * ports; n++) out[n] = re[n] + I * im[n];
    return SF_OK;
}

/* ---- a line between two plates ---- */

/* 40 cells of 1 mm, plates 1.6 mm apart and 4.5 mm wide between magnetic conductors: a TEM wave alone, of impedance
 * eta0 1.6 / 4.5. At the ends the line and its image are in parallel. */
enum { LINE_CELLS = 40, LINE_FREQUENCIES = 7 };
static const double line_impedance = 376.730313668 * 1.6 / 4.5;

/* The far end: port 2 where `far` is its resistance, else a side of that kind. */
static int line_run(int driven, const char *side, double near, double far, double complex *s)
{
    struct session session;
    int rc =
        verify_open(&session,
                    "&case name='line' model='maxwell' /\n"
                    "&grid nx=%d ny=3 nz=2 dx=1e-3 dy=1.5e-3 dz=0.8e-3 /\n"
                    "&time duration=5e-9 /\n"
                    "&boundary west='pmc' east='%s' south='pmc' north='pmc' bottom='pec' top='pec' /\n"
                    "&port kind='lumped'%s axis=2*'z' x=0,%.9g y=2*2.25e-3 z=2*0.8e-3 size_y=2*4.5e-3 size_z=2*1.6e-3\n"
                    "  resistance=%.12g,%.12g /\n"
                    "&excitation port=%d frequency=4e9 bandwidth=6e9 /\n"
                    "&spectrum from=1e9 to=7e9 count=%d every=1 /\n",
                    (int)LINE_CELLS, side, far > 0 ? ",'lumped'" : ",'none'", LINE_CELLS * 1e-3, near,
                    far > 0 ? far : 50, driven, (int)LINE_FREQUENCIES);
    if (!rc) rc = column_take(&session, LINE_FREQUENCIES, far > 0 ? 2 : 1, s);
    session_close(&session);
    return rc;
}

static int line_rows(struct verify *v)
{
    const double half = 0.5 * line_impedance;
    double complex s[2][LINE_FREQUENCIES][2], end[LINE_FREQUENCIES];
    double most = 0, lost = 0, unlike = 0;
    SF_TRY(line_run(1, "pmc", half, half, s[0][0]));
    for (int f = 0; f < LINE_FREQUENCIES; f++) most = fmax(most, cabs(s[0][f][0]));
    verify_most(v, "plates, matched, 1 to 7 GHz: largest |S11|, dB", 20 * log10(most), -40, "a TEM wave");
    for (int n = 0; n < 2; n++) SF_TRY(line_run(n + 1, "pmc", 0.5 * half, 1.5 * half, s[n][0]));
    for (int f = 0; f < LINE_FREQUENCIES; f++) {
        for (int n = 0; n < 2; n++) lost = fmax(lost, fabs(pow(cabs(s[n][f][0]), 2) + pow(cabs(s[n][f][1]), 2) - 1));
        unlike = fmax(unlike, cabs(s[0][f][1] - s[1][f][0]));
    }
    verify_most(v, "unequal ports: power out less power in", lost, 1e-4, "nothing absorbs");
    verify_most(v, "largest |S21 - S12|", unlike, 1e-4, "reciprocity");
    static const char *const sides[2][2] = {{"pmc", "open"}, {"pec", "short"}};
    for (int n = 0; n < 2; n++) {
        double off = 0;
        SF_TRY(line_run(1, sides[n][0], half, 0, end));
        for (int f = 0; f < LINE_FREQUENCIES; f++) off = fmax(off, fabs(cabs(end[f]) - 1));
        verify_most(v, verify_name("%s end: largest | |S11| - 1 |", sides[n][1]), off, 0.005, "all returns");
    }
    return SF_OK;
}

/* ---- an iris ---- */

enum { IRIS_FREQUENCIES = 3 };
static const double iris_frequency[IRIS_FREQUENCIES] = {8e9, 10e9, 12e9};

/* WR-90, a / 30 the cell. The iris lies 57 cells along, opening of 14 cells; waves are counted there. */
static int iris_run(int driven, double complex *s)
{
    struct session session;
    const double d = 22.86e-3 / 30, at = 57 * d, port[2] = {23 * d, 85 * d};
    int rc = verify_open(
        &session,
        "&case name='iris' model='maxwell' /\n"
        "&grid nx=110 ny=30 nz=4 dx=%.17g dy=%.17g dz=2.54e-3 /\n"
        "&time duration=16e-9 /\n"
        "&boundary south='pec' north='pec' bottom='pec' top='pec' /\n"
        "&cpml cells=20 /\n"
        "&maxwell allow_coarse=.true. /\n"
        "&geometry shape=2*'sheet' axis=2*'x' x=2*%.9g y=%.9g,%.9g z=2*5.08e-3 size_y=2*%.9g size_z=2*0.02 /\n"
        "&port kind=2*'guide' axis=2*'x' x=%.9g,%.9g toward='+','-' y=2*11.43e-3 z=2*5.08e-3 shift=%.9g,%.9g /\n"
        "&excitation port=%d frequency=10e9 bandwidth=4e9 /\n"
        "&spectrum frequencies=8e9,10e9,12e9 /\n",
        d, d, at, 4 * d, 26 * d, 8 * d, port[0], port[1], at - port[0], port[1] - at, driven);
    if (!rc) rc = column_take(&session, IRIS_FREQUENCIES, 2, s);
    session_close(&session);
    return rc;
}

/* The rims of both sheets act as if they lay 0.3536 cells farther. */
static int iris_rows(struct verify *v)
{
    double complex s[2][IRIS_FREQUENCIES][2];
    double lost = 0, unlike = 0;
    for (int n = 0; n < 2; n++) SF_TRY(iris_run(n + 1, s[n][0]));
    for (int f = 0; f < IRIS_FREQUENCIES; f++) {
        double complex exact[2];
        iris_scatter(22.86e-3, (14 - 2 * 0.3536) * 22.86e-3 / 30, iris_frequency[f], exact);
        for (int p = 0; p < 2; p++) {
            const double want = cabs(exact[p]);
            verify_near(v, verify_name("iris, %.3g GHz: |S%d1|", iris_frequency[f] / 1e9, p + 1), cabs(s[0][f][p]),
                        want, 0.01 * want, "modes matched in the opening");
        }
        for (int n = 0; n < 2; n++) lost = fmax(lost, fabs(pow(cabs(s[n][f][0]), 2) + pow(cabs(s[n][f][1]), 2) - 1));
        unlike = fmax(unlike, cabs(s[0][f][1] - s[1][f][0]));
    }
    verify_most(v, "power out less power in", lost, 2e-3, "nothing absorbs");
    verify_most(v, "largest |S21 - S12|", unlike, 2e-4, "reciprocity");
    return SF_OK;
}

/* ---- a coaxial line ---- */

enum { COAX_FREQUENCIES = 3, COAX_PORT = 22, COAX_END = 44 };
static const double coax_inner = 4.7e-3, coax_outer = 11.5e-3, coax_epsilon = 2.25;

/* 1 mm the cell. With a plate across it, or without: waves are counted where the plate lies. */
static int coax_run(int is_shut, double complex *s, double *impedance)
{
    struct session session;
    int rc =
        verify_open(&session,
                    "&case name='coax' model='maxwell' /\n"
                    "&grid nx=%d ny=24 nz=24 dx=1e-3 dy=1e-3 dz=1e-3 origin_y=-12e-3 origin_z=-12e-3 /\n"
                    "&time duration=3e-9 /\n"
                    "&boundary east='%s' south='pec' north='pec' bottom='pec' top='pec' /\n"
                    "&cpml cells=16 /\n"
                    "&maxwell conformal=0.8 /\n"
                    "&medium name='fill' epsilon=%.9g /\n"
                    "&geometry background='pec' shape=2*'cylinder' medium='fill','pec' axis=2*'x' radius=%.9g,%.9g /\n"
                    "&port kind='line' axis='x' x=%.9g shift=%.9g /\n"
                    "&excitation frequency=2.5e9 bandwidth=3e9 /\n"
                    "&spectrum frequencies=1.5e9,2.5e9,3.5e9 every=1 /\n",
                    is_shut ? COAX_END : COAX_END + 16, is_shut ? "pec" : "cpml", coax_epsilon, coax_outer, coax_inner,
                    COAX_PORT * 1e-3, (COAX_END - COAX_PORT) * 1e-3);
    if (!rc) rc = column_take(&session, COAX_FREQUENCIES, 1, s);
    if (!rc) rc = em_result(&session, "ports.nc", "reference_resistance", 1, impedance);
    session_close(&session);
    return rc;
}

static int coax_rows(struct verify *v)
{
    const double exact = 376.730313668 / (2 * M_PI) * log(coax_outer / coax_inner) / sqrt(coax_epsilon);
    double complex s[COAX_FREQUENCIES];
    double impedance, most = 0, off = 0;
    SF_TRY(coax_run(0, s, &impedance));
    verify_near(v, "coaxial line, conformal: Z0, ohm", impedance, exact, 0.005 * exact, "ln(b/a), a of 4.7 cells");
    for (int f = 0; f < COAX_FREQUENCIES; f++) most = fmax(most, cabs(s[f]));
    verify_most(v, "matched, 1.5 to 3.5 GHz: largest |S11|, dB", 20 * log10(most), -40, "one wave");
    SF_TRY(coax_run(1, s, &impedance));
    for (int f = 0; f < COAX_FREQUENCIES; f++) off = fmax(off, cabs(s[f] + 1));
    verify_most(v, "short: largest |S11 + 1| at the plate", off, 0.005, "all returns, reversed");
    return SF_OK;
}

/* ---- a microstrip ---- */

/* Hammerstad and Jensen 1980, IEEE MTT-S Digest, 407-409: a strip without thickness, u = width / height; 0.2 % and
 * better. */
static void microstrip(double u, double epsilon, double *impedance, double *effective)
{
    const double a = 1 + log((pow(u, 4) + pow(u / 52, 2)) / (pow(u, 4) + 0.432)) / 49 +
                     log(1 + pow(u / 18.1, 3)) / 18.7,
                 b = 0.564 * pow((epsilon - 0.9) / (epsilon + 3), 0.053),
                 f = 6 + (2 * M_PI - 6) * exp(-pow(30.666 / u, 0.7528));
    *effective = 0.5 * (epsilon + 1) + 0.5 * (epsilon - 1) * pow(1 + 10 / u, -a * b);
    *impedance = 376.730313668 / (2 * M_PI) * log(f / u + sqrt(1 + 4 / (u * u))) / sqrt(*effective);
}

/* A strip of 12 cells on a substrate of 4, which act as 12.707. */
static int strip_rows(struct verify *v)
{
    static const double epsilon = 4.4, wide = 12, high = 4;
    struct session session;
    double impedance, index, exact, effective;
    int rc = verify_open(&session,
                         "&case name='strip' model='maxwell' /\n"
                         "&grid nx=24 ny=96 nz=40 dx=1e-4 dy=1e-4 dz=1e-4 origin_y=-48e-4 /\n"
                         "&time duration=1e-12 /\n"
                         "&boundary bottom='pec' /\n"
                         "&cpml cells=8 /\n"
                         "&medium name='board' epsilon=%.9g /\n"
                         "&geometry shape='box','sheet' medium='board','pec' axis='z','z' z=%.9g,%.9g size_z=%.9g,0\n"
                         "  size_y=1e9,%.9g /\n"
                         "&port kind='line' axis='x' x=12e-4 z=6e-4 /\n"
                         "&excitation frequency=5e9 /\n"
                         "&spectrum frequencies=5e9 /\n",
                         epsilon, 0.5e-4 * high, 1e-4 * high, 1e-4 * high, 1e-4 * wide);
    if (!rc) rc = em_result(&session, "ports.nc", "reference_resistance", 1, &impedance);
    if (!rc) rc = em_result(&session, "ports.nc", "index", 1, &index);
    session_close(&session);
    SF_TRY(rc);
    microstrip((wide + 2 * 0.35355) / high, epsilon, &exact, &effective);
    verify_near(v, "microstrip, 12 cells on 4: Z0, ohm", impedance, exact, 0.01 * exact, "Hammerstad and Jensen");
    verify_near(v, "effective permittivity", index * index, effective, 0.01 * effective, "the same");
    return SF_OK;
}

int verify_port(struct verify *v)
{
    SF_TRY(line_rows(v));
    SF_TRY(coax_rows(v));
    SF_TRY(strip_rows(v));
    SF_TRY(iris_rows(v));
    if (v->full) return em_sheen_rows(v);
    verify_skip(v, "Sheen's patch and filter", "with --full");
    return SF_OK;
}
