/* Media that disperse, by whole steps of the program: waves of one wavelength against the exact frequencies of the
 * scheme, energy that never grows, mixtures at interfaces, and what is refused. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "maxwell/own.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 24 };

static struct session session;
static const struct maxwell_own *own;

static void open_case(const char *text)
{
    weather_open(&session, text);
    own = session.in.own;
}

static real *at(int field, int i) { return weather_at(&session, field, i, 0, 0); }

/* ---- a wave ---- */

static double complex epsilon_of(const struct medium *m, double complex w, double dt)
{
    const double complex s = I * 2 / dt * ctan(0.5 * w * dt);
    double complex e = m->epsilon + m->sigma / (em_eps0 * s);
    for (int n = 0; n < m->npoles; n++) {
        const struct pole p = pole_stepped(&m->pole[n], dt);
        const double complex of = p.s[0] + I * p.s[1], r = p.r[0] + I * p.r[1];
        e += r / (s - of);
        if (fabs(p.s[1]) > 0) e += conj(r) / (s - conj(of));
    }
    return e;
}

/* (2 / dt sin(w dt / 2))^2 eps = c^2 K^2. */
static double complex frequency_of(const struct medium *m, double K, double complex w, double dt)
{
    for (int n = 0; n < 80; n++) {
        double complex f[3];
        const double complex d = 1e-6 * w, at_w[3] = {w, w + d, w - d};
        for (int q = 0; q < 3; q++) {
            const double complex sine = 2 / dt * csin(0.5 * at_w[q] * dt);
            f[q] = (sine * sine * epsilon_of(m, at_w[q], dt) - em_c * em_c * K * K) * dt * dt;
        }
        w -= f[0] * 2 * d / (f[1] - f[2]);
    }
    return w;
}

static double amplitude(int field, double half)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (double)*at(field, i) * cos(2 * M_PI * (i + half) / N);
    return 2 * sum / N;
}

/* One wave of Ez and Hy in a periodic line begins with E alone. After a while E is a sum of the scheme's own
 * frequencies: those of the wave and of each pole. The recursion that a sum of so many exponentials obeys is made of
 * the exact frequencies and must annul what the program makes. */
static void wave_check(const char *poles, double epsilon, const double complex *guess, int modes)
{
    char text[2048];
    const double dx = 1e-3, dt = 0.9 * dx / em_c;
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n&grid nx = %d, ny = 1, nz = 2, dx = %.17g, dy = 1, dz = 1 /\n"
        "&time duration = 1, dt = %.17g /\n"
        "&boundary west = 'periodic', east = 'periodic', south = 'periodic', north = 'periodic', bottom = 'periodic', top = "
        "'periodic' /\n&medium name = 'matter', epsilon = %g /\n%s\n&geometry background = 'matter' /\n",
        N, dx, dt, epsilon, poles);
    open_case(text);
    const struct medium *const m = &own->media.medium[MEDIUM_GIVEN];
    const double K = 2 / dx * sin(M_PI / N);
    /* Roots z = exp(i w dt) and their conjugates: coefficients of the polynomial that has them. */
    double c[17] = {1};
    int order = 0;
    for (int n = 0; n < modes; n++) {
        const double complex w = frequency_of(m, K, guess[n] / dt, dt), z = cexp(I * w * dt);
        const int is_real = fabs(cimag(z)) < 1e-9;
        double next[17] = {0};
        for (int q = 0; q <= order; q++) {
            next[q] += c[q];
            next[q + 1] += -(is_real ? 1 : 2) * creal(z) * c[q];
            if (!is_real) next[q + 2] += creal(z) * creal(z) * c[q] + cimag(z) * cimag(z) * c[q];
        }
        memcpy(c, next, sizeof c);
        order += is_real ? 1 : 2;
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++) *weather_at(&session, F_EZ, i, 0, k) = (real)cos(2 * M_PI * i / N);
    double e[300], most = 0, off = 0;
    for (int n = 0; n < 300; n++) {
        e[n] = amplitude(F_EZ, 0);
        cr_assert_eq(session_advance(&session, 1), SF_OK, "%s", sf_error_text());
    }
    for (int n = 1; n + order < 300; n++) {
        double sum = 0, size = 0;
        for (int q = 0; q <= order; q++) sum += c[q] * e[n + order - q], size += fabs(c[q] * e[n + order - q]);
        off = fmax(off, fabs(sum)), most = fmax(most, size);
    }
    cr_assert(off <= (sizeof(real) == 8 ? 1e-12 : 2e-6) * most, "%s: off by %g of %g", poles, off, most);
    cr_assert(fabs(e[40] - e[0]) > 1e-3);
    session_close(&session);
}

Test(dispersion, waves_have_the_frequencies_of_the_scheme, .timeout = 120)
{
    const double dt = 0.9e-3 / em_c;
    char text[512];
    snprintf(text, sizeof text, "&pole medium = 'matter', kind = 'debye', strength = 3, tau = %.17g /", 4 * dt);
    wave_check(text, 2, (const double complex[]){0.13 + 0.01 * I, 0.4 * I}, 2);
    snprintf(text, sizeof text, "&pole medium = 'matter', kind = 'drude', omega = %.17g, gamma = %.17g /", 0.2 / dt,
             0.01 / dt);
    wave_check(text, 1, (const double complex[]){0.31 + 0.002 * I, 0.006 * I}, 2);
    snprintf(text, sizeof text,
             "&pole medium = 'matter', kind = 'lorentz', strength = 1.5, omega = %.17g, gamma = %.17g /", 0.2 / dt,
             0.02 / dt);
    wave_check(text, 2.25, (const double complex[]){0.11 + 0.001 * I, 0.29 + 0.008 * I}, 2);
    snprintf(
        text, sizeof text,
        "&pole medium = 'matter', kind = 'pair', pole_re = %.17g, pole_im = %.17g, residue_re = %.17g, residue_im = %.17g /",
        -0.02 / dt, 0.3 / dt, 0.01 / dt, -0.1 / dt);
    wave_check(text, 1.5, (const double complex[]){0.17 + 0.001 * I, 0.36 + 0.01 * I}, 2);
}

/* ---- energy ---- */

static double fields_most(void)
{
    double most = 0;
    for (int f = F_EX; f <= F_EZ; f++)
        for (int j = 0; j < session.grid.ny; j++)
            for (int k = 0; k < session.grid.nz; k++)
                for (int i = 0; i < session.grid.nx; i++)
                    most = fmax(most, fabs((double)*weather_at(&session, f, i, j, k)));
    return most;
}

/* Random fields in a closed box at the longest step of vacuum, half of it of the medium: nothing grows. What is
 * unstable grows by powers of ten in 8000 steps; the largest of a field that rings wanders by some tenths. */
static void never_grows(const char *poles, const char *sides)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n&grid nx = 9, ny = 8, nz = 10, dx = 1e-3, dy = 1e-3, dz = 1e-3 /\n&time duration = 1 /\n"
        "&maxwell courant = 1, allow_coarse = .true. /\n&cpml cells = 2 /\n&boundary %s /\n&medium name = 'matter' /\n%s\n"
        "&geometry shape = 'half_space', medium = 'matter', axis = 'z', side = 'below', z = 5e-3 /\n",
        sides, poles);
    open_case(text);
    for (int f = F_EX; f <= F_EZ; f++)
        for (int j = 1; j < 8; j++)
            for (int k = 1; k < 10; k++)
                for (int i = 1; i < 9; i++) *weather_at(&session, f, i, j, k) = (real)air_random(-1, 1);
    double early = 0, late = 0;
    for (int n = 0; n < 180; n++) {
        cr_assert_eq(session_advance(&session, n < 100 ? 1 : 100), SF_OK, "%s", sf_error_text());
        if (n < 100) early = fmax(early, fields_most());
        else if (n > 140) late = fmax(late, fields_most());
    }
    cr_assert(late <= 1.5 * early, "%s: %g, and later %g", poles, early, late);
    cr_assert_gt(early, 0.1);
    session_close(&session);
}

Test(dispersion, nothing_grows, .timeout = 300)
{
    static const char
        *const closed = "west = 'pec', east = 'pec', south = 'pec', north = 'pec', bottom = 'pec', top = 'pec'",
               *const open =
                   "west = 'cpml', east = 'pmc', south = 'periodic', north = 'periodic', bottom = 'cpml', top = 'cpml'";
    const double dt = 1e-3 / em_c / sqrt(3);
    char text[512];
    snprintf(text, sizeof text, "&pole medium = 'matter', kind = 'drude', omega = %.17g /", 0.9 / dt);
    never_grows(text, closed);
    snprintf(text, sizeof text, "&pole medium = 'matter', kind = 'lorentz', strength = 4, omega = %.17g /", 0.7 / dt);
    never_grows(text, closed);
    snprintf(text, sizeof text, "&pole medium = 'matter', kind = 'debye', strength = 70, tau = %.17g /", 0.8 * dt);
    never_grows(text, closed), never_grows(text, open);
    snprintf(text, sizeof text,
             "&pole medium = 'matter', kind = 'lorentz', strength = 2, omega = %.17g, gamma = %.17g /", 0.2 / dt,
             0.02 / dt);
    never_grows(text, open);
}

/* ---- what is kept ---- */

enum { BOX = 8 };

static double magnetic[3][BOX + 1][BOX + 1][BOX + 1];

/* mu / 2 of H half a step before times H as it is, and keeps what it is. Normal H on a conducting side is 0. */
static double products(void)
{
    double sum = 0;
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < BOX; j++)
            for (int k = 0; k < BOX; k++)
                for (int i = 0; i < BOX; i++) {
                    const double is = (double)*weather_at(&session, F_HX + c, i, j, k);
                    sum += 0.5 * em_mu0 * is * magnetic[c][j][k][i] * 1e-9;
                    magnetic[c][j][k][i] = is;
                }
    return sum;
}

/* Noise in a box of two media, a third of the steps' energies: E(n)^2 and H(n - 1/2) H(n + 1/2) and what poles hold
 * stay, or fall. Returns what poles hold behind ten steps, of all. */
static double kept(const char *poles, int loses)
{
    char text[2048];
    double first = 0, before = 0, most = 0, value[16], courant, most_held = 0, tenth = 0;
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n&grid nx = 8, ny = 8, nz = 8, dx = 1e-3, dy = 1e-3, dz = 1e-3 /\n&time duration = 1 /\n"
        "&boundary west = 'pec', east = 'pec', south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /\n"
        "&medium name = 'matter', 'other', epsilon = 2, 3 /\n%s\n&geometry shape = 'box', 'box', medium = 'matter', 'other',\n"
        "  x = 4e-3, 6e-3, y = 4e-3, 4e-3, z = 3e-3, 3e-3, size_x = 6e-3, 2e-3, size_y = 6e-3, 4e-3, size_z = 4e-3, 4e-3 /\n",
        poles);
    open_case(text);
    memset(magnetic, 0, sizeof magnetic);
    unsigned seed = 1;
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < BOX; j++)
            for (int k = 0; k < BOX; k++)
                for (int i = 0; i < BOX; i++) {
                    const int at[3] = {i, j, k};
                    seed = seed * 1664525u + 1013904223u;
                    if (at[(c + 1) % 3] && at[(c + 2) % 3])
                        *weather_at(&session, F_EX + c, i, j, k) = (real)(seed / 4294967296.0 - 0.5);
                }
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    for (int n = 0; n < 300; n++) {
        cr_assert_eq(session.model->measure(&session.in, &session.state, own->ctx.dt, value, &courant), SF_OK);
        const double electric = value[1], poles_hold = value[5];
        products(); /* H half a step before */
        cr_assert_eq(session_advance(&session, 1), SF_OK, "%s", sf_error_text());
        const double all = electric + poles_hold + products();
        if (n == 1) first = all;
        if (n > 1 && loses)
            cr_assert(all <= before * (1 + (sizeof(real) == 8 ? 1e-12 : 3e-6)), "%s: %.9g after %.9g", poles, all,
                      before);
        if (n > 1) most = fmax(most, fabs(all / first - 1));
        most_held = fmax(most_held, poles_hold / all);
        if (n == 10) tenth = poles_hold / all;
        before = all;
    }
    if (!loses) cr_assert(most < (sizeof(real) == 8 ? 1e-11 : 1e-4), "%s: off by %g", poles, most);
    else cr_assert(most > 0.01, "%s loses %g", poles, most);
    cr_assert(most_held > 0.02, "%s: poles hold %g", poles, most_held);
    session_close(&session);
    return tenth;
}

Test(dispersion, energy_is_kept, .timeout = 120)
{
    kept("&pole medium = 'matter', kind = 'lorentz', strength = 3, omega = 2e11 /", 0);
    kept("&pole medium = 'matter', 'other', kind = 'lorentz', 'lorentz', strength = 3, 5, omega = 4e11, 1e11 /", 0);
    kept("&pole medium = 'matter', kind = 'drude', omega = 3e11, gamma = 1e10 /", 1);
    kept("&pole medium = 'matter', kind = 'debye', strength = 20, tau = 2e-11 /", 1);
    kept(
        "&pole medium = 'matter', 'other', kind = 'lorentz', 'lorentz', strength = 3, 2, omega = 2e11, 1e11, gamma = 3e10, 5e11 /",
        1);
    /* On both sides of critical damping, of a pair and of two real poles. */
    const double pair = kept(
                     "&pole medium = 'matter', kind = 'lorentz', strength = 9, omega = 2e11, gamma = 3.998e11 /", 1),
                 halves = kept(
                     "&pole medium = 'matter', kind = 'lorentz', strength = 9, omega = 2e11, gamma = 4.002e11 /", 1);
    cr_assert(pair > 0.02 && fabs(halves / pair - 1) < 0.01, "%g and %g", pair, halves);
}

/* ---- a source within the medium ---- */

static double answer(int from)
{
    static const double place[2][3] = {{3.0, 4.0, 2.5}, {7.0, 5.0, 4.5}};
    char text[2048];
    const double *const a = place[from], *const b = place[1 - from];
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n&grid nx = 11, ny = 10, nz = 9, dx = 1e-3, dy = 1e-3, dz = 1e-3 /\n&time duration = 1 /\n"
        "&maxwell allow_coarse = .true. /\n&cpml cells = 2 /\n&medium name = 'matter', epsilon = 2 /\n"
        "&pole medium = 'matter', kind = 'lorentz', strength = 3, omega = 1.5e11, gamma = 2e10 /\n"
        "&geometry shape = 'half_space', medium = 'matter', axis = 'x', side = 'below', x = 5e-3 /\n"
        "&source kind = 'electric', axis = 'z', x = %ge-3, y = %ge-3, z = %ge-3, frequency = 2e10, amplitude = 1e-3 /\n",
        a[0], a[1], a[2]);
    open_case(text);
    cr_assert_eq(session_advance(&session, 120), SF_OK, "%s", sf_error_text());
    const double e = (double)*weather_at(&session, F_EZ, (int)b[0], (int)b[1], (int)b[2]);
    session_close(&session);
    return e;
}

/* What a current within makes outside is what the same makes within from there. */
Test(dispersion, source_and_answer_change_places, .timeout = 120)
{
    const double out = answer(0), in = answer(1);
    cr_assert(fabs(out) > 1e-9);
    cr_assert_float_eq(out, in, (sizeof(real) == 8 ? 1e-12 : 1e-4) * fabs(in), "%.9g and %.9g", out, in);
}

/* ---- two media beside each other ---- */

static void twins_open(int twin, real *field)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "&case model = 'maxwell' /\n&grid nx = 8, ny = 8, nz = 8, dx = 1e-3, dy = 1e-3, dz = 1e-3 /\n&time duration = 1 /\n"
        "&boundary west = 'pec', east = 'pec', south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /\n"
        "&medium name = 'matter', 'twin', epsilon = 2, 2 /\n"
        "&pole medium = 'matter', 'twin', 'matter', 'twin', kind = 'debye', 'debye', 'lorentz', 'lorentz', strength = 5, 5, 3, 3, "
        "tau = 4e-12, 4e-12, omega = 0, 0, 2e11, 2e11, gamma = 0, 0, 1e10, 1e10 /\n"
        "&geometry background = 'matter', shape = 'box', medium = '%s', x = 4e-3, y = 4e-3, z = 4e-3, size_x = 3.4e-3, "
        "size_y = 4e-3, size_z = 2e-3 /\n",
        twin ? "twin" : "matter");
    open_case(text);
    for (int f = F_EX, n = 0; f <= F_EZ; f++)
        for (int j = 1; j < 8; j++)
            for (int k = 1; k < 8; k++)
                for (int i = 1; i < 8; i++) n++, *weather_at(&session, f, i, j, k) = (real)sin(0.7 * n * n);
    cr_assert_eq(session_advance(&session, 100), SF_OK, "%s", sf_error_text());
    for (int f = F_EX, n = 0; f <= F_EZ; f++)
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < 8; k++)
                for (int i = 0; i < 8; i++) field[n++] = *weather_at(&session, f, i, j, k);
    session_close(&session);
}

/* Two media of the same poles are one, where cells mix them too. */
Test(dispersion, twins_are_one_medium, .timeout = 120)
{
    static real one[3 * 512], two[3 * 512];
    double most = 0, off = 0;
    twins_open(0, one), twins_open(1, two);
    for (int n = 0; n < 3 * 512; n++) {
        most = fmax(most, fabs((double)one[n]));
        off = fmax(off, fabs((double)one[n] - (double)two[n]));
    }
    cr_assert(most > 0.05 && off <= (sizeof(real) == 8 ? 1e-12 : 1e-5) * most, "off by %g of %g", off, most);
}

/* ---- what is refused ---- */

/* text NULL: it is not refused. */
static void refused(const char *more, const char *text)
{
    char path[64], case_text[2048];
    static char said[8192];
    snprintf(path, sizeof path, "/tmp/sferic-dispersion-%ld.nml", (long)getpid());
    FILE *const f = fopen(path, "w"), *const log = tmpfile();
    cr_assert(f && log);
    snprintf(
        case_text, sizeof case_text,
        "&case model = 'maxwell' /\n&grid nx = 24, ny = 24, nz = 24, dx = 1e-8, dy = 1e-8, dz = 1e-8 /\n&time duration = 1e-15 /\n"
        "&maxwell allow_coarse = .true. /\n&cpml cells = 4 /\n&medium name = 'metal', material = 'gold' /\n%s\n",
        more);
    fputs(case_text, f);
    cr_assert_eq(fclose(f), 0);
    const int kept = dup(STDERR_FILENO);
    dup2(fileno(log), STDERR_FILENO);
    const int rc = session_open(&session, &(struct session_options){.path = path, .is_part = 1});
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    unlink(path);
    rewind(log);
    const size_t n = fread(said, 1, sizeof said - 1, log);
    said[n] = 0;
    fclose(log), close(kept);
    cr_assert_eq(rc, text ? SF_NAMELIST : SF_OK, "%s: %d %s", more, rc, said);
    if (text) cr_assert(strstr(said, text), "'%s' lacks '%s'", said, text);
    session_close(&session);
}

Test(dispersion, metals_and_waves_that_cannot_be, .timeout = 60)
{
    static const char *const sphere =
        "&geometry shape = 'sphere', medium = 'metal', x = 1.2e-7, y = 1.2e-7, z = 1.2e-7, radius = 5e-8 /\n";
    char more[1024];
    refused("&geometry shape = 'half_space', medium = 'metal', axis = 'z', side = 'below', z = 1.2e-7 /", NULL);
    refused(sphere, NULL);
    refused("&medium name = 'glass' /\n&pole medium = 'glass', kind = 'lorentz', strength = 1, omega = 6e15 /\n"
            "&geometry background = 'glass' /\n&plane_wave direction = '+z', frequency = 5e14, margin = 2 /",
            "disperses");
    snprintf(more, sizeof more,
             "%s&source kind = 'electric', drive = 'hard', x = 1.2e-7, y = 1.2e-7, z = 1.2e-7, frequency = 5e14 /",
             sphere);
    refused(more, "would add to it");
    snprintf(
        more, sizeof more,
        "%s&source kind = 'electric', amplitude = 1e-9, x = 1.2e-7, y = 1.2e-7, z = 1.2e-7, frequency = 5e14 /\n"
        "&monitor name = 'far', kind = 'far', west = 6e-8, east = 1.2e-7, south = 6e-8, north = 1.8e-7, bottom = 6e-8, "
        "top = 1.8e-7 /\n&spectrum frequencies = 5e14 /\n",
        "&medium name = 'glass' /\n&pole medium = 'glass', kind = 'lorentz', strength = 1, omega = 6e15 /\n"
        "&geometry shape = 'sphere', medium = 'glass', x = 1.2e-7, y = 1.2e-7, z = 1.2e-7, radius = 5e-8 /\n");
    refused(more, "conducts or has poles");
    snprintf(more, sizeof more,
             "%s&source kind = 'electric', amplitude = 1e-9, x = 1.2e-7, y = 1.2e-7, z = 1.2e-7, frequency = 5e14 /",
             sphere);
    refused(more, NULL);
}

/* A metal that ends within a layer has its surface there, whatever the outermost cells are; one that ends before it, or
 * fills it, has not. */
Test(dispersion, what_ends_within_a_layer_is_damped_there)
{
    static const double end[3] = {18e-3, 14e-3, 1}; /* m; the layer is from 16e-3 to 20e-3 */
    for (int n = 0; n < 3; n++) {
        char text[900];
        snprintf(text, sizeof text,
                 "&case model = 'maxwell' /\n&grid nx = 1, ny = 1, nz = 20, dx = 1e-3, dy = 1e-3, dz = 1e-3 /\n"
                 "&time duration = 1e-10 /\n&maxwell allow_coarse = .true. /\n&cpml cells = 4 /\n"
                 "&boundary west = 'periodic', east = 'periodic', south = 'periodic', north = 'periodic' /\n"
                 "&medium name = 'metal' /\n&pole medium = 'metal', kind = 'drude', omega = 2e11 /\n"
                 "&geometry shape = 'box', medium = 'metal', z = %g, size_z = %g /\n"
                 "&source kind = 'electric', axis = 'x', x = 0.5e-3, y = 0.5e-3, z = 5e-3, frequency = 1e10 /\n",
                 0.5 * (8e-3 + end[n]), end[n] - 8e-3);
        open_case(text);
        cr_assert_eq(own->media.medium[MEDIUM_GIVEN].in_layer > 0, n == 0, "a metal to %g m", end[n]);
        session_close(&session);
    }
}
