/* What the leapfrog of the EM model keeps, for any state: energy, the way back in time, source and probe in each
 * other's place. SPDX-License-Identifier: MIT */
#include "command/verify_em_parts.h"

#include "maxwell/place.h"
#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Cells from 0.75 to 1.3 of `cell`, given one by one. */
static int sizes_print(char *to, size_t room, const char *axis, int n, double cell)
{
    int at = snprintf(to, room, "&grid size_%s=", axis);
    for (int m = 0; m < n; m++)
        at += snprintf(to + at, room - (size_t)at, "%.4g,", cell * (1 + 0.275 * sin(1.7 * m + cell)));
    return at + snprintf(to + at, room - (size_t)at, " /\n");
}

/* More columns than the update looks at together where media differ. */
enum { NX = 72, NY = 14, NZ = 12 };

/* Boxes of random media at random places of the domain, one over the other. */
static int media_print(char *to, size_t room, int loss)
{
    enum { MEDIA = 8, BOXES = 30 };
    static const char *const key[] = {"x", "y", "z", "size_x", "size_y", "size_z"};
    static const double size[3] = {NX, NY, NZ};
    int at = snprintf(to, room, "&medium ");
    for (int m = 1; m <= MEDIA; m++) {
        at += snprintf(to + at, room - (size_t)at, "name(%d)='m%d' epsilon(%d)=%.4g mu(%d)=%.4g ", m, m, m,
                       3.5 + 2.5 * em_random(100UL + (unsigned)m), m, 2 + em_random(200UL + (unsigned)m));
        if (loss)
            at += snprintf(to + at, room - (size_t)at, "sigma(%d)=%.4g sigma_m(%d)=%.4g ", m,
                           1e-4 * (1 + em_random(300UL + (unsigned)m)), m, 10 * (1 + em_random(400UL + (unsigned)m)));
    }
    at += snprintf(to + at, room - (size_t)at, "/\n&geometry shape=%d*'box' medium=", BOXES);
    for (int m = 0; m < BOXES; m++)
        if (m % 10 == 9) at += snprintf(to + at, room - (size_t)at, "'pec',");
        else at += snprintf(to + at, room - (size_t)at, "'m%d',", m % MEDIA + 1);
    for (int p = 0; p < 6; p++) {
        at += snprintf(to + at, room - (size_t)at, "\n %s=", key[p]);
        for (int m = 0; m < BOXES; m++) {
            const double r = 0.5 * (1 + em_random(1000UL + (unsigned)(10 * m + p)));
            const double value = p < 3 ? r * size[p] : size[p - 3] * (m % 10 == 9 ? 0.18 : 0.15 + 0.3 * r);
            at += snprintf(to + at, room - (size_t)at, "%.3f,", value);
        }
    }
    return at + snprintf(to + at, room - (size_t)at, " /\n");
}

enum { BOX_TEXT = 8192 };

enum contents { EMPTY, MEDIA, LOSSY };

/* Cells of about 1 m; sides: a &boundary group. */
static int box_open(struct session *s, enum contents of, int graded, const char *sides, const char *more)
{
    char text[BOX_TEXT] = "";
    int at = 0;
    if (graded) {
        at += sizes_print(text + at, sizeof text - (size_t)at, "x", NX, 1);
        at += sizes_print(text + at, sizeof text - (size_t)at, "y", NY, 1.01);
        at += sizes_print(text + at, sizeof text - (size_t)at, "z", NZ, 0.99);
    }
    if (of != EMPTY) at += media_print(text + at, sizeof text - (size_t)at, of == LOSSY);
    SF_CHECK(at < (int)sizeof text - 1, SF_INTERNAL, "the namelist of a box is longer than %d bytes", BOX_TEXT);
    return verify_open(s,
                       "&case name='box' model='maxwell' /\n"
                       "&grid nx=%d ny=%d nz=%d dx=1 dy=1 dz=1 /\n"
                       "&time duration=1e-5 /\n"
                       "&maxwell allow_coarse=.true. /\n"
                       "&cpml cells=3 /\n%s%s%s",
                       NX, NY, NZ, text, sides, more);
}

static const char pec[] = EM_SIDES("pec");
static const char mixed[] =
    "&boundary west='periodic' east='periodic' south='pmc' north='pec' bottom='pec' top='pmc' /\n";

static double unit_of(int component) { return component < 3 ? 1 : 1 / em_eta0; }

/* Every element by itself; nothing where a conductor holds it at zero. */
static int random_fill(struct session *s)
{
    unsigned long n = 0;
    for (int c = 0; c < 6; c++) {
        int at[3] = {0};
        do {
            real *const f = em_at(s, c, at);
            const real turn = place_turn(em_of(s), &s->state.host.s, c, f - s->state.host.s.f[F_EX + c]);
            *f = turn > 0 ? (real)(unit_of(c) * em_random(n++)) : 0;
        } while (em_next(s, c, at));
    }
    return engine_refresh(&s->engine);
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

/* eps or mu as it enters the update; the vacuum's own where there is nothing else. 0 in a conductor. */
static double matter_at(const struct session *s, enum contents of, int c, const int at[3])
{
    if (of == EMPTY) return c < 3 ? em_eps0 : em_mu0;
    const double turn =
        (double)place_turn(em_of(s), &s->state.host.s, c, em_at(s, c, at) - s->state.host.s.f[F_EX + c]);
    return turn > 0 ? em_of(s)->dt / turn : 0;
}

/* eps E(n) . E(n) + mu H(n - 1/2) . H(n + 1/2): `before` holds the fields of step n, the session those of step n +
 * 1. */
static long double energy_of(const struct session *s, enum contents of, const real *before)
{
    long double sum = 0;
    size_t n = 0;
    for (int c = 0; c < 6; c++) {
        int at[3] = {0};
        do {
            const double other = c < 3 ? (double)before[n] : (double)*em_at(s, c, at);
            const long double weight = em_volume(s, c, at) * (long double)matter_at(s, of, c, at);
            sum += weight * (long double)before[n] * other;
        } while (n++, em_next(s, c, at));
    }
    return sum;
}

static int energy_run(struct verify *v, struct session *s, const char *name, enum contents of, int graded,
                      const char *sides, real **before)
{
    const int steps = 1000;
    SF_TRY(box_open(s, of, graded, sides, ""));
    SF_TRY(random_fill(s));
    long double first = 0, most = 0;
    for (int step = 0; step <= steps; step++) {
        /* Every tenth step, and the first hundred. */
        const int look = step < 100 || step % 10 == 0;
        if (look) SF_TRY(em_save(s, before));
        SF_TRY(session_advance(s, 1));
        if (!look) continue;
        const long double now = energy_of(s, of, *before);
        if (!step) first = now;
        most = fmaxl(most, fabsl(now / first - 1));
    }
    /* Errors of as many values as the box has are independent: of their sum, over that of the squares, a share of 2 /
     * sqrt(n) is left. */
    verify_most_guarded(v, verify_name("energy, %s: drift", name), (double)most,
                        2 * em_rounding(steps, 0) / sqrt((double)em_values(s)), EM_LEVEL(4e-16, 2e-7),
                        "eps E(n).E(n) + mu H(n-1/2).H(n+1/2), 1000 steps; round-off");
    return SF_OK;
}

/* ---- time reversal ----------------------------------------------------------------------------------------------- */

/* n steps from E(0), H(-1/2) lead to E(n), H(n-1/2), one more to H(n+1/2). From E(n), -H(n+1/2) n steps lead back to
 * E(0) and -H(1/2). */
static int reversal_run(struct verify *v, struct session *s, real *copy[4])
{
    const int steps = 500;
    SF_TRY(box_open(s, MEDIA, 1, mixed, ""));
    SF_TRY(random_fill(s));
    SF_TRY(em_save(s, &copy[0]));
    SF_TRY(session_advance(s, 1));
    SF_TRY(em_save(s, &copy[1]));
    SF_TRY(session_advance(s, steps - 1));
    SF_TRY(em_save(s, &copy[2]));
    SF_TRY(session_advance(s, 1));
    SF_TRY(em_save(s, &copy[3]));
    SF_TRY(em_load(s, copy[2], 1, copy[3], -1));
    SF_TRY(session_advance(s, steps));
    double most[2] = {0, 0};
    size_t n = 0;
    for (int c = 0; c < 6; c++) {
        int at[3] = {0};
        do {
            const double is = (double)*em_at(s, c, at), should = c < 3 ? (double)copy[0][n] : -(double)copy[1][n];
            most[c / 3] = fmax(most[c / 3], fabs(is - should) / unit_of(c));
        } while (n++, em_next(s, c, at));
    }
    const double bound = em_rounding(2 * steps, 0);
    verify_most_guarded(v, "500 steps and back in time: E, V/m", most[0], bound, EM_LEVEL(1e-14, 6e-6),
                        "E(0), up to 1 V/m; round-off");
    verify_most_guarded(v, "500 steps and back in time: eta0 H, V/m", most[1], bound, EM_LEVEL(1e-14, 6e-6),
                        "- H(1/2); round-off");
    return SF_OK;
}

/* ---- reciprocity ------------------------------------------------------------------------------------------------- */

enum { RECORD = 1000 };

struct place {
    int component, at[3];
    const char *axis;
};

/* What a dipole of 1 A m at one place makes at another, V/m. */
static int record_take(struct session *s, int graded, const char *sides, const struct place *from,
                       const struct place *to, double *record)
{
    char source[512];
    /* Where elements are follows from the grid: opened once without a source. */
    SF_TRY(box_open(s, LOSSY, graded, sides, ""));
    snprintf(
        source, sizeof source,
        "&source kind='electric' axis='%s' x=%.17g y=%.17g z=%.17g waveform='differentiated_gaussian' frequency=20e6 /\n",
        from->axis, em_place(s, from->component, AX, from->at[AX]), em_place(s, from->component, AY, from->at[AY]),
        em_place(s, from->component, AZ, from->at[AZ]));
    session_close(s);
    SF_TRY(box_open(s, LOSSY, graded, sides, source));
    for (int n = 0; n < RECORD; n++) {
        SF_TRY(session_advance(s, 1));
        record[n] = (double)*em_at(s, to->component, to->at);
    }
    return SF_OK;
}

static int reciprocity_run(struct verify *v, const char *name, int graded, const char *sides)
{
    static const struct place a = {AX, {6, 3, 5}, "x"}, b = {AZ, {65, 10, 7}, "z"};
    double there[RECORD], back[RECORD], most = 0, off = 0;
    struct session s;
    int rc = record_take(&s, graded, sides, &a, &b, there);
    session_close(&s);
    SF_TRY(rc);
    rc = record_take(&s, graded, sides, &b, &a, back);
    session_close(&s);
    SF_TRY(rc);
    for (int n = 0; n < RECORD; n++) {
        most = fmax(most, fabs(there[n]));
        off = fmax(off, fabs(there[n] - back[n]));
    }
    SF_CHECK(most > 0, SF_VERIFY, "nothing arrives at the probe");
    verify_most_guarded(v, verify_name("reciprocity, %s", name), off / most, sqrt(2) * em_rounding(RECORD, 0),
                        EM_LEVEL(2e-14, 6e-6), "source and probe change places; round-off of two runs");
    return SF_OK;
}

int em_invariants(struct verify *v)
{
    static const struct {
        const char *name;
        enum contents of;
        int graded;
        const char *sides;
    } energies[] = {{"vacuum in PEC", EMPTY, 0, pec},
                    {"graded cells, PEC, PMC, periodic", EMPTY, 1, mixed},
                    {"random media, the same", MEDIA, 1, mixed}};
    struct session s;
    for (int n = 0; n < (int)(sizeof energies / sizeof energies[0]); n++) {
        real *before = NULL;
        const int rc =
            energy_run(v, &s, energies[n].name, energies[n].of, energies[n].graded, energies[n].sides, &before);
        free(before);
        session_close(&s);
        SF_TRY(rc);
    }
    real *copy[4] = {NULL, NULL, NULL, NULL};
    const int rc = reversal_run(v, &s, copy);
    for (int n = 0; n < 4; n++) free(copy[n]);
    session_close(&s);
    SF_TRY(rc);
    SF_TRY(reciprocity_run(v, "random media in PEC", 0, pec));
    SF_TRY(reciprocity_run(v, "graded cells, PEC, PMC, periodic", 1, mixed));
    SF_TRY(reciprocity_run(v, "graded cells, absorbing layers", 1, EM_SIDES("cpml")));
    return SF_OK;
}
