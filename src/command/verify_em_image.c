/* A plane wave that the empty grid carries as it was sent, and states that are their own mirror images.
 * SPDX-License-Identifier: MIT */
#include "command/verify_em_parts.h"

#include "pipeline/error.h"

#include <math.h>

/* ---- a plane wave in an empty box -------------------------------------------------------------------------------- */

enum { LAYER = 6, MARGIN = 4 };

static const char *const directions[6] = {"+x", "-x", "+y", "-y", "+z", "-z"};

/* Is an element of the box of total field? Its faces are planes of nodes and count. */
static int is_total(const struct session *s, int c, const int at[3])
{
    for (int a = 0; a < 3; a++) {
        const int low = LAYER + MARGIN, high = em_of(s)->axis[a].n - LAYER - MARGIN;
        if (at[a] < low || at[a] > high - !on_node(c, a)) return 0;
    }
    return 1;
}

/* Largest field outside of the box, H times the wave impedance. */
static double leakage_of(const struct session *s)
{
    double most = 0;
    for (int c = 0; c < 6; c++) {
        int at[3] = {0};
        do
            if (!is_total(s, c, at)) most = fmax(most, (c < 3 ? 1 : em_eta0) * fabs((double)*em_at(s, c, at)));
        while (em_next(s, c, at));
    }
    return most;
}

/* E on the face that the wave meets first is the waveform itself, in the direction of its polarisation. */
static double entry_error(const struct session *s, int axis, int from_high, double frequency, double angle)
{
    const double scale = sqrt(2 * log(2)) / (2 * M_PI * frequency), x = session_time(s) / scale - 6;
    const double wave = exp(-0.5 * x * x);
    double most = 0;
    for (int c = 0; c < 3; c++) {
        const double should = c == axis ? 0 : wave * (c == (axis + 1) % 3 ? cos(angle) : sin(angle));
        int at[3] = {0};
        do {
            const int face = from_high ? em_of(s)->axis[axis].n - LAYER - MARGIN : LAYER + MARGIN;
            if (is_total(s, c, at) && c != axis && at[axis] == face)
                most = fmax(most, fabs((double)*em_at(s, c, at) - should));
        } while (em_next(s, c, at));
    }
    return most;
}

static int empty_run(struct verify *v, struct session *s, int direction)
{
    const int steps = 240;
    const double frequency = 10e9, angle = 30 * M_PI / 180;
    SF_TRY(verify_open(
        s,
        "&case name='empty' model='maxwell' /\n"
        "&grid nx=32 ny=30 nz=28 dx=1e-3 dy=1.2e-3 dz=0.9e-3 /\n"
        "&time duration=1e-8 /\n" EM_SIDES(
            "cpml") "&maxwell cells_per_wavelength=4 /\n"
                    "&cpml cells=%d /\n"
                    "&plane_wave direction='%s' polarisation=30 waveform='gaussian' frequency=%g margin=%d /\n",
        LAYER, directions[direction], frequency, MARGIN));
    double leaks = 0, entry = 0, peak = 0;
    for (int step = 0; step < steps; step += 4) {
        SF_TRY(session_advance(s, 4));
        leaks = fmax(leaks, leakage_of(s));
        entry = fmax(entry, entry_error(s, direction / 2, direction % 2, frequency, angle));
        for (int c = 0; c < 3; c++) {
            const struct extremes e = verify_extremes(s, F_EX + c);
            peak = fmax(peak, fmax(e.max, -e.min));
        }
    }
    verify_least(v, verify_name("plane wave %s: largest component inside, V/m", directions[direction]), peak, 0.85,
                 "cos 30 degrees = 0.866");
    verify_most_guarded(v, verify_name("plane wave %s: largest field outside, V/m", directions[direction]), leaks,
                        em_rounding(steps, 0), EM_LEVEL(1e-15, 3e-7), "nothing, of a wave of 1 V/m; round-off");
    verify_most_guarded(v, verify_name("plane wave %s: E on the first face, V/m", directions[direction]), entry,
                        em_rounding(steps, 0), EM_LEVEL(1e-15, 3e-7), "the waveform; round-off");
    return SF_OK;
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

/* A dipole along `axis` in the very middle: an even number of cells across it, one more along it. */
static int dipole_open(struct session *s, int axis, const char *sides)
{
    static const char *const name[] = {"x", "y", "z"};
    const double cell = 0x1p-10;
    int n[3];
    for (int a = 0; a < 3; a++) n[a] = 24 + (a == axis);
    return verify_open(
        s,
        "&case name='dipole' model='maxwell' /\n"
        "&grid nx=%d ny=%d nz=%d dx=%.17g dy=%.17g dz=%.17g /\n"
        "&time duration=1e-8 /\n"
        "&cpml cells=8 /\n"
        "&source kind='electric' axis='%s' x=%.17g y=%.17g z=%.17g waveform='ricker' frequency=10e9 /\n%s",
        n[0], n[1], n[2], cell, cell, cell, name[axis], n[0] * cell / 2, n[1] * cell / 2, n[2] * cell / 2, sides);
}

/* How many values of `b` differ from `a` with axis m in place of place[m], the axes of `mirrored` turned round, and E,
 * H times these signs; *most: by how much, V/m, H times the wave impedance. */
struct image {
    int place[3], mirrored[3];
    int e, h;
};

static long differences(const struct session *a, const struct session *b, const struct image *m, double *most)
{
    long count = 0;
    *most = 0;
    for (int c = 0; c < 6; c++) {
        const int to = m->place[c % 3] + (c < 3 ? 0 : 3);
        int at[3] = {0}, image[3];
        do {
            int sign = c < 3 ? m->e : m->h, inside = 1;
            for (int x = 0; x < 3; x++) {
                const int node = on_node(c, x), n = em_of(a)->axis[x].n;
                image[m->place[x]] = m->mirrored[x] ? (node ? n : n - 1) - at[x] : at[x];
                if (m->mirrored[x] && (c < 3) == (x == c % 3)) sign = -sign;
                if (node && at[x] == 0) inside = 0; /* a conductor */
            }
            if (!inside) continue;
            const double p = (double)*em_at(a, c, at), q = sign * (double)*em_at(b, to, image);
            count += p < q || p > q;
            *most = fmax(*most, (c < 3 ? 1 : em_eta0) * fabs(p - q));
        } while (em_next(a, c, at));
    }
    return count;
}

/* Mirrored in x and y the dipole stays, in z it turns round; with x and y exchanged H, that turns by a right hand,
 * changes its sign. */
static const struct image mirrors[3] = {
    {{0, 1, 2}, {1, 0, 0}, 1, 1}, {{0, 1, 2}, {0, 1, 0}, 1, 1}, {{0, 1, 2}, {0, 0, 1}, -1, -1}};
static const struct image exchange = {{1, 0, 2}, {0, 0, 0}, 1, -1};
static const struct image cycle = {{1, 2, 0}, {0, 0, 0}, 1, 1};

/* Until the layers have taken the wave in; *peak: the largest E a cell beside the dipole meanwhile, V/m. */
static int dipole_run(struct session *s, int axis, const char *sides, double *peak)
{
    const int steps = 150;
    *peak = 0;
    SF_TRY(dipole_open(s, axis, sides));
    for (int n = 0; n < steps; n++) {
        int at[3] = {12, 12, 12};
        at[(axis + 1) % 3]++;
        SF_TRY(session_advance(s, 1));
        *peak = fmax(*peak, fabs((double)*em_at(s, axis, at)));
    }
    return SF_OK;
}

static int mirrors_run(struct verify *v, struct session *s)
{
    double most, peak;
    SF_TRY(dipole_run(s, AZ, EM_SIDES("cpml"), &peak));
    for (int a = 0; a < 3; a++)
        verify_near(v, verify_name("layers: differ from the image in %c", "xyz"[a]),
                    (double)differences(s, s, &mirrors[a], &most), 0, 0, "symmetry, bitwise");
    differences(s, s, &exchange, &most);
    verify_guard_most(v, "layers: by how much, x for y", most / peak, EM_LEVEL(1e-15, 5e-7));
    return SF_OK;
}

static int exchange_run(struct verify *v, struct session *s)
{
    double most, peak;
    SF_TRY(dipole_run(s, AZ, "&boundary west='pec' east='pec' south='pec' north='pec' bottom='cpml' top='cpml' /\n",
                      &peak));
    verify_near(v, "layers bottom and top: differ with x for y", (double)differences(s, s, &exchange, &most), 0, 0,
                "symmetry, bitwise");
    return SF_OK;
}

/* Dipoles along x, y, z: each run is the one before with every axis in the place of the next. */
static int cycle_run(struct verify *v, struct session s[3], const char *name, const char *sides, double level)
{
    double peak = 0;
    for (int a = 0; a < 3; a++) SF_TRY(dipole_run(&s[a], a, sides, &peak));
    for (int a = 0; a < 3; a++) {
        double most;
        const long differ = differences(&s[a], &s[(a + 1) % 3], &cycle, &most);
        const char *const what = verify_name("%s: %s, dipole along %c for %c", name,
                                             level > 0 ? "by how much" : "differ", "xyz"[a], "xyz"[(a + 1) % 3]);
        if (level > 0) verify_guard_most(v, what, most / peak, level);
        else verify_near(v, what, (double)differ, 0, 0, "symmetry, bitwise");
    }
    return SF_OK;
}

int em_images(struct verify *v)
{
    static int (*const single[])(struct verify *, struct session *) = {mirrors_run, exchange_run};
    struct session s[3] = {{.step = 0}, {.step = 0}, {.step = 0}};
    for (int n = 0; n < 6; n++) {
        const int rc = empty_run(v, s, n);
        session_close(s);
        SF_TRY(rc);
    }
    for (int n = 0; n < 2; n++) {
        const int rc = single[n](v, s);
        session_close(s);
        SF_TRY(rc);
    }
    for (int n = 0; n < 2; n++) {
        const int rc = n ? cycle_run(v, s, "layers", EM_SIDES("cpml"), EM_LEVEL(1e-15, 5e-7))
                         : cycle_run(v, s, "between conductors", EM_SIDES("pec"), 0);
        for (int a = 0; a < 3; a++) session_close(&s[a]);
        SF_TRY(rc);
    }
    return SF_OK;
}
