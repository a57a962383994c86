/* Complex fields on Bloch-periodic sides: modes of an empty lattice, bands of a stack of plates, plates and gratings at
 * an angle. SPDX-License-Identifier: MIT */
#include "command/verify_em_bloch.h"

#include "pipeline/error.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* ---- an empty lattice -------------------------------------------------------------------------------------------- */

/* A component of both parts at indices i, j, k. */
static double complex field_at(const struct session *s, int c, const int at[3])
{
    const struct slab *const x = &s->state.host.s;
    const ptrdiff_t offset = (at[AY] - x->j0) * x->sj + at[AZ] * x->sk + at[AX];
    return (double)x->f[F_EX + c][offset] + I * (double)x->f[F_EX_IM + c][offset];
}

/* The running mode exp(j (w t - k x)): its cosine, and the same a quarter of a period earlier. */
static int mode_fill(struct session *s, const struct em_mode *m)
{
    const struct slab *const x = &s->state.host.s;
    const double quarter = (double)(0.5L * acosl(-1) / m->omega), half = 0.5 * em_of(s)->dt;
    for (int part = 0; part < 2; part++)
        for (int c = 0; c < 6; c++) {
            int at[3] = {0};
            do {
                const double place[3] = {em_place(s, c, AX, at[AX]), em_place(s, c, AY, at[AY]),
                                         em_place(s, c, AZ, at[AZ])};
                x->f[(part ? F_EX_IM : F_EX) + c][(at[AY] - x->j0) * x->sj + at[AZ] * x->sk + at[AX]] =
                    (real)em_mode_at(m, c, place, (c < 3 ? 0 : -half) - (part ? quarter : 0));
            } while (em_next(s, c, at));
        }
    return engine_refresh(&s->engine);
}

/* Amplitude of the mode exp(- j k x) in component c of E. */
static double complex amplitude(const struct session *s, int c, const double k[3])
{
    double complex sum = 0;
    int at[3] = {0};
    do {
        double angle = 0;
        for (int a = 0; a < 3; a++) angle += k[a] * em_place(s, c, a, at[a]);
        sum += field_at(s, c, at) * cexp(I * angle);
    } while (em_next(s, c, at));
    return sum;
}

static int lattice_run(struct verify *v, struct session *s, const double k[3], const char *name)
{
    enum { STEPS = 2000 };
    const double d[3] = {0.1, 0.08, 0.125};
    SF_TRY(verify_open(s,
                       "&case name='lattice' model='maxwell' /\n&grid nx=12 ny=10 nz=9 dx=0.1 dy=0.08 dz=0.125 /\n"
                       "&time duration=1e-5 /\n" EM_SIDES("periodic") "&bloch kx=%.17g ky=%.17g kz=%.17g /\n",
                       k[0], k[1], k[2]));
    const double dt = em_of(s)->dt;
    struct em_mode m;
    em_mode_make(&m, d, k, dt, 0);
    SF_TRY(mode_fill(s, &m));
    int c = 0;
    for (int n = 1; n < 3; n++)
        if (fabs(m.amplitude[n]) > fabs(m.amplitude[c])) c = n;
    const double complex first = amplitude(s, c, k);
    SF_TRY(session_advance(s, STEPS));
    const double turned = (double)m.omega * dt * STEPS, off = carg(amplitude(s, c, k) / first * cexp(-I * turned));
    verify_most_guarded(v, verify_name("empty lattice, k %s: frequency off, relative", name), fabs(off) / turned,
                        SF_PREC == 64 ? 1e-11 : 2e-6, EM_LEVEL(2.5e-16, 1.5e-8), "the grid's own dispersion relation");
    return SF_OK;
}

static int lattice_rows(struct verify *v)
{
    static const struct {
        double k[3];
        const char *name;
    } of[] = {{{1.3, 0, 0}, "1.3, 0, 0"},
              {{M_PI / 1.2, 0, 0}, "at the edge of the zone along x"},
              {{0.7, 1.9, -1.2}, "0.7, 1.9, -1.2 rad/m"}};
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        struct session s;
        const int rc = lattice_run(v, &s, of[n].k, of[n].name);
        session_close(&s);
        SF_TRY(rc);
    }
    return SF_OK;
}

/* ---- bands of a stack -------------------------------------------------------------------------------------------- */

enum { STACK = 40, HIGH = 12, BANDS = 3, RECORD = 6000 }; /* cells: a period, and its plate of index 3 */
static const double plate_index = 3, cell = 1e-8; /* m */

/* cos(k L) of waves along the normal of a stack of plates (Yeh, Yariv and Hong 1977, J. Opt. Soc. Am. 67, 423). */
static double stack_cosine(double frequency)
{
    const double k = 2 * M_PI * frequency / em_c0, a = plate_index * k * HIGH * cell, b = k * (STACK - HIGH) * cell;
    return cos(a) * cos(b) - 0.5 * (plate_index + 1 / plate_index) * sin(a) * sin(b);
}

/* Frequency in band number `band`, from 0, whose cosine is cos(k L): bands lie between turns of the cosine. */
static double band_of(int band, double cosine)
{
    const double step = em_c0 / (STACK * cell) / 4000;
    double f = step;
    for (;; f += step) {
        const double now = stack_cosine(f) - cosine, before = stack_cosine(f - step) - cosine;
        if ((now < 0) != (before < 0) && !band--) break;
    }
    double low = f - step, high = f;
    for (int n = 0; n < 60; n++) {
        const double middle = 0.5 * (low + high);
        if ((stack_cosine(middle) - cosine < 0) == (stack_cosine(low) - cosine < 0)) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

/* |sum of value exp(-j w t)| with Hann's window. */
static double line_at(const double complex *value, double w, double dt)
{
    double complex sum = 0;
    for (int n = 0; n < RECORD; n++) sum += value[n] * (0.5 - 0.5 * cos(2 * M_PI * n / RECORD)) * cexp(-I * w * n * dt);
    return cabs(sum);
}

/* Where a record has its strongest line within 3 % of a frequency, Hz. */
static double line_near(const double complex *value, double frequency, double dt)
{
    double low = 0.97, high = 1.03;
    for (int round = 0; round < 5; round++) {
        enum { PARTS = 24 };
        double best = low, most = 0;
        for (int n = 0; n <= PARTS; n++) {
            const double at = low + (high - low) * n / PARTS, is = line_at(value, 2 * M_PI * frequency * at, dt);
            if (is > most) most = is, best = at;
        }
        const double part = (high - low) / PARTS;
        low = best - part, high = best + part;
    }
    return 0.5 * (low + high) * frequency;
}

static int bands_run(struct verify *v, struct session *s, double complex *record)
{
    const double turn = 1.1, length = STACK * cell; /* k L */
    SF_TRY(verify_open(
        s,
        "&case name='stack' model='maxwell' /\n&grid nx=1 ny=1 nz=%d dx=1e-8 dy=1e-8 dz=1e-8 /\n"
        "&time duration=1e-12 /\n" EM_SIDES(
            "periodic") "&maxwell allow_coarse=.true. /\n&bloch kz=%.17g /\n"
                        "&medium name='plate' epsilon=%.9g /\n"
                        "&geometry shape='layer' medium='plate' axis='z' z=%.9g size_z=%.9g /\n"
                        "&source kind='electric' axis='x' amplitude=1e-3 z=%.9g waveform='modulated_gaussian' "
                        "frequency=5e14 bandwidth=8e14 /\n",
        STACK, turn / length, plate_index * plate_index, 0.5 * HIGH * cell, HIGH * cell, 17.3 * cell));
    const double dt = em_of(s)->dt;
    SF_TRY(session_advance(s, 600)); /* the pulse is over */
    for (int n = 0; n < RECORD; n++) {
        SF_TRY(session_advance(s, 1));
        record[n] = field_at(s, 0, (const int[3]){0, 0, 23});
    }
    for (int band = 0; band < BANDS; band++) {
        const double want = band_of(band, cos(turn));
        verify_near(v, verify_name("stack of plates n 3, k L %g: band %d, THz", turn, band + 1),
                    1e-12 * line_near(record, want, dt), 1e-12 * want, 2e-3 * 1e-12 * want,
                    "transfer matrix (Yeh et al. 1977)");
    }
    return SF_OK;
}

static int bands_rows(struct verify *v)
{
    double complex *const record = malloc(RECORD * sizeof *record);
    struct session s;
    SF_CHECK(record, SF_MEMORY, "no memory for a record");
    const int rc = bands_run(v, &s, record);
    session_close(&s);
    free(record);
    return rc;
}

int verify_bloch(struct verify *v)
{
    SF_TRY(lattice_rows(v));
    SF_TRY(bands_rows(v));
    return em_angle_rows(v);
}
