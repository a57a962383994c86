/* The far field of currents on a closed box against that of a dipole of the grid, in closed form: a small run in double
 * in this file makes the fields, in a domain whose outside is lossy. What lies outside of a box, walls and losses, adds
 * nothing to its sums: so they are exact, whatever comes back. Planes of conductors against the dipole's images.
 * SPDX-License-Identifier: MIT */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3") /* mutants are built in haste, and this file runs long */
#endif
#include "maxwell/far.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 22, STEPS = 1100, MOST = 30 }; /* cells along each axis; nodes 0 .. N */
static const double c0 = 299792458.0, mu0 = 1.25663706212e-6, pi = 3.14159265358979323846;

/* ---- a run ------------------------------------------------------------------------------------------------------- */

static double d[3], dt, omega;
static double field[6][N + 2][N + 2][N + 2]; /* Ex .. Hz at [x][y][z] */
static double complex spectrum[6][N + 2][N + 2][N + 2];
static int box_low[3], box_high[3], pmc[3]; /* pmc: the low side is a magnetic conductor, else an electric one */

static double wave_at(double t)
{
    const double s = (t - 84 * dt) / (10 * dt);
    return -s * exp(-s * s / 2);
}

static int is_inside(const int at[3])
{
    for (int a = 0; a < 3; a++)
        if (at[a] < box_low[a] - 1 || at[a] > box_high[a] + 1) return 0;
    return 1;
}

/* A step: H, then E, with a current J (component 0 .. 2) or M (3 .. 5) at a place. */
static void step(int n, int component, const int at[3])
{
    const double eps0 = 1 / (mu0 * c0 * c0), volume = d[0] * d[1] * d[2];
    for (int is_e = 0; is_e < 2; is_e++) {
        for (int c = 0; c < 3; c++)
            for (int i = 0; i <= N; i++)
                for (int j = 0; j <= N; j++)
                    for (int k = 0; k <= N; k++) {
                        const int p[3] = {i, j, k}, b = (c + 1) % 3, e = (c + 2) % 3, shift = is_e ? -1 : 1;
                        int q[3] = {i, j, k}, r[3] = {i, j, k}, wall = 0;
                        q[b] += shift, r[e] += shift;
                        for (int a = 0; a < 3; a++) {
                            const int on_node = is_e ? a != c : a == c;
                            if (!on_node && p[a] == N) wall = 1;
                            if (is_e && on_node && (p[a] == N || (p[a] == 0 && !pmc[a]))) wall = 1;
                        }
                        if (wall) continue;
                        const double(*const of_c)[N + 2][N + 2] = field[(is_e ? 3 : 0) + e];
                        const double(*const of_b)[N + 2][N + 2] = field[(is_e ? 3 : 0) + b];
                        /* H along a magnetic conductor changes sign beyond it */
                        const double before_c = q[b] < 0 ? -of_c[i][j][k] : of_c[q[0]][q[1]][q[2]];
                        const double before_b = r[e] < 0 ? -of_b[i][j][k] : of_b[r[0]][r[1]][r[2]];
                        const double curl =
                            shift * ((before_c - of_c[i][j][k]) / d[b] - (before_b - of_b[i][j][k]) / d[e]);
                        double *const f = &field[(is_e ? 0 : 3) + c][i][j][k];
                        const double loss = is_e && !is_inside(p) ? 0.1 : 0; /* sigma dt / 2 eps */
                        const double current = component == (is_e ? 0 : 3) + c && !memcmp(p, at, sizeof p)
                                                   ? wave_at((n + 0.5 * is_e) * dt) / volume
                                                   : 0;
                        if (is_e) *f = ((1 - loss) * *f + dt / eps0 * (curl - current)) / (1 + loss);
                        else *f += -dt / mu0 * (curl + current);
                    }
    }
}

/* Step n: H at (n + 1/2) dt, E at (n + 1) dt. */
static void run(int component, const int at[3])
{
    memset(field, 0, sizeof field);
    memset(spectrum, 0, sizeof spectrum);
    for (int n = 0; n < STEPS; n++) {
        step(n, component, at);
        const double complex e = cexp(-I * omega * (n + 1) * dt) * dt, h = cexp(-I * omega * (n + 0.5) * dt) * dt;
        for (int c = 0; c < 6; c++)
            for (int i = box_low[0] - 1; i <= box_high[0] + 1; i++)
                for (int j = box_low[1] - 1; j <= box_high[1] + 1; j++)
                    for (int k = box_low[2] - 1; k <= box_high[2] + 1; k++)
                        if (i >= 0 && j >= 0 && k >= 0) spectrum[c][i][j][k] += (c < 3 ? e : h) * field[c][i][j][k];
    }
}

/* The spectrum of the moment that `run` gave the dipole. */
static double complex moment_of(int component)
{
    double complex sum = 0;
    for (int n = 0; n < STEPS; n++) {
        const double t = (n + (component < 3 ? 0.5 : 0)) * dt;
        sum += wave_at(t) * cexp(-I * omega * t) * dt;
    }
    return sum;
}

/* ---- the box ----------------------------------------------------------------------------------------------------- */

static struct far_sheet sheet[24];
static double place[24][2][MOST], moment[24][2][MOST * MOST];

/* J and M of one face from the spectra, anew from their definitions. */
static int face_put(int count, int a, int high)
{
    const int u = (a + 1) % 3, v = (a + 2) % 3, p = high ? box_high[a] : box_low[a], sign = high ? 1 : -1;
    for (int c = 0; c < 4; c++) {
        struct far_sheet *const s = &sheet[count];
        const int along = c % 2 ? v : u, across = c % 2 ? u : v; /* of E; H across, at the same place along the face */
        int n[2];
        *s = (struct far_sheet){.normal = a, .is_magnetic = c >= 2, .axis = c < 2 ? along : across};
        s->at = (c < 2 ? p : high ? p + 0.5 : p - 0.5) * d[a];
        for (int q = 0; q < 2; q++) {
            const int axis = q ? v : u, is_cell = axis == along;
            n[q] = box_high[axis] - box_low[axis] + !is_cell;
            for (int m = 0; m < n[q]; m++) place[count][q][m] = (box_low[axis] + m + 0.5 * is_cell) * d[axis];
            s->n[q] = n[q], s->place[q] = place[count][q], s->moment[q] = moment[count][q];
        }
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++) {
                int at[3];
                at[a] = p, at[u] = box_low[u] + x, at[v] = box_low[v] + y;
                const double complex e = spectrum[along][at[0]][at[1]][at[2]];
                at[a] = high ? p : p - 1;
                const double complex h = spectrum[3 + across][at[0]][at[1]][at[2]];
                /* n x H: along u it is -H_v, along v H_u; -n x E: along v -E_u, along u E_v */
                const double complex value = sign * d[u] * d[v] * (c == 0 ? -h : c == 1 ? h : c == 2 ? -e : e);
                moment[count][0][y * n[0] + x] = creal(value), moment[count][1][y * n[0] + x] = cimag(value);
            }
        count++;
    }
    return count;
}

static struct far_box box_make(const int image[3])
{
    struct far_box b = {.sheet = sheet, .reference = {0.3 * d[0], -2.7 * d[1], 5.1 * d[2]}};
    for (int a = 0; a < 3; a++) {
        b.image[a] = (enum far_image)image[a];
        if (!image[a]) b.nsheets = face_put(b.nsheets, a, 0);
        b.nsheets = face_put(b.nsheets, a, 1);
    }
    return b;
}

static struct far_wave wave_of(void) { return (struct far_wave){omega, dt, c0, mu0 * c0, mu0, {d[0], d[1], d[2]}}; }

static void domain_set(const double size[3], double cells)
{
    double sum = 0;
    memcpy(d, size, sizeof d);
    for (int a = 0; a < 3; a++) sum += 1 / (d[a] * d[a]), pmc[a] = 0;
    dt = 0.99 / (c0 * sqrt(sum));
    omega = 2 * pi * c0 / (cells * d[0]);
}

static void box_set(int low, int high)
{
    for (int a = 0; a < 3; a++) box_low[a] = low, box_high[a] = high;
}

/* ---- what should come out ---------------------------------------------------------------------------------------- */

/* Wave number by halving intervals; nothing of the code under test. */
static void vector_of(const double toward[3], double k[3])
{
    double low = 0, high = 2.5 / d[0];
    const double want = pow(sin(omega * dt / 2) / (c0 * dt), 2);
    for (int pass = 0; pass < 200; pass++) {
        const double middle = (low + high) / 2;
        double sum = 0;
        for (int a = 0; a < 3; a++) sum += pow(sin(middle * toward[a] * d[a] / 2) / d[a], 2);
        if (sum < want) low = middle;
        else high = middle;
    }
    for (int a = 0; a < 3; a++) k[a] = low * toward[a];
}

/* F of a dipole of the grid, in Cartesian components; with its images in the planes x_a = 0. */
static void dipole_field(int component, const int at[3], const int image[3], const double reference[3],
                         const double toward[3], double complex f[3], double unit[3])
{
    double k[3], size = 0;
    double complex amount = 0, along;
    vector_of(toward, k);
    for (int a = 0; a < 3; a++) unit[a] = sin(k[a] * d[a] / 2) / d[a], size += unit[a] * unit[a];
    for (int a = 0; a < 3; a++) unit[a] /= sqrt(size);
    for (int m = 0; m < 8; m++) { /* each set of planes that it is seen in */
        double sign = 1, phase = 0;
        int there = 1;
        for (int a = 0; a < 3; a++) {
            const int on_node = component < 3 ? a != component : a == component - 3;
            double x = (at[a] + (on_node ? 0 : 0.5)) * d[a];
            if (m >> a & 1) {
                if (!image[a] || at[a] + !on_node == 0) there = 0; /* on the plane it is its own */
                if ((component % 3 == a) != (component < 3))
                    sign = -sign; /* along an electric conductor J turns, M stays */
                if (image[a] == FAR_MAGNETIC) sign = -sign;
                x = -x;
            }
            phase += k[a] * (x - reference[a]);
        }
        if (there) amount += sign * cexp(I * phase);
    }
    amount *= moment_of(component) * -I * omega * mu0 / (4 * pi);
    const int c = component % 3;
    along = amount * unit[c];
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, e = (a + 2) % 3;
        const double cross = (c == e ? unit[b] : 0) - (c == b ? unit[e] : 0); /* K x the dipole's direction */
        f[a] = component < 3 ? (a == c ? amount : 0) - along * unit[a] : -amount * cross / (mu0 * c0);
    }
}

/* Largest difference in some directions, as a share of the largest field. */
static double error_of(const struct far_box *b, int component, const int at[3], const int image[3], int upper)
{
    const struct far_wave w = wave_of();
    double worst = 0, most = 0;
    enum { DIRECTIONS = 23 };
    for (int n = 0; n < DIRECTIONS; n++) {
        const double theta = upper ? 4 * n : 8 * n - 87, phi = (37 * n) % (upper ? 90 : 360);
        const struct far_direction direction = far_direction(theta, phi);
        double out[1][FAR_VALUES], unit[3], t = theta * pi / 180, p = phi * pi / 180;
        const double toward[3] = {sin(t) * cos(p), sin(t) * sin(p), cos(t)};
        double complex f[3];
        cr_assert_eq(far_fields(b, &w, 1, &direction, out), SF_OK);
        dipole_field(component, at, image, b->reference, toward, f, unit);
        const double level = hypot(unit[0], unit[1]) * (theta < 0 ? -1 : 1); /* below 0 on the other side */
        const double of_phi[3] = {theta != 0 ? -unit[1] / level : -sin(p), theta != 0 ? unit[0] / level : cos(p), 0};
        double complex want_phi = 0, want_theta = 0;
        for (int a = 0; a < 3; a++) {
            const int c = (a + 1) % 3, e = (a + 2) % 3;
            want_phi += f[a] * of_phi[a];
            want_theta += f[a] * (of_phi[c] * unit[e] - of_phi[e] * unit[c]);
        }
        worst = fmax(worst, cabs(out[0][0] + I * out[0][1] - want_theta));
        worst = fmax(worst, cabs(out[0][2] + I * out[0][3] - want_phi));
        most = fmax(most, fmax(cabs(want_theta), cabs(want_phi)));
    }
    return worst / most;
}

static const double cubes[3] = {1e-3, 1e-3, 1e-3}, bricks[3] = {1e-3, 0.8e-3, 1.25e-3};
static const int none[3] = {0, 0, 0};

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Electric and magnetic dipoles off the middle, cells that are no cubes, two boxes of the same run. */
Test(far, dipoles_of_the_grid)
{
    const int at[3] = {10, 12, 11};
    domain_set(bricks, 10);
    for (int component = 0; component < 6; component += 2) {
        box_set(5, 17);
        run(component, at);
        struct far_box b = box_make(none);
        const double wide = error_of(&b, component, at, none, 0);
        box_set(8, 14);
        b = box_make(none);
        const double narrow = error_of(&b, component, at, none, 0);
        cr_expect(wide < 1e-9, "component %d: %g", component, wide);
        cr_expect(narrow < 1e-9, "component %d, narrow: %g", component, narrow);
    }
}

/* Power and directivity of a Hertzian dipole, 10 cells a wavelength: eta (pi / 3) (I l / lambda)^2 and 3/2. */
Test(far, power_of_a_dipole)
{
    const int at[3] = {11, 11, 10};
    domain_set(cubes, 10);
    box_set(6, 16);
    run(2, at);
    const struct far_box b = box_make(none);
    const struct far_wave w = wave_of();
    const struct far_direction level = far_direction(90, 30);
    const double wavelength = 10 * d[0], exact = mu0 * c0 * pi / 3 * pow(cabs(moment_of(2)) / wavelength, 2);
    double power, out[1][FAR_VALUES], square = 0;
    cr_assert_eq(far_power(&b, &w, &power), SF_OK);
    cr_expect(fabs(power / exact - 1) < 1e-10, "%.15g", power / exact);
    cr_assert_eq(far_fields(&b, &w, 1, &level, out), SF_OK);
    for (int q = 0; q < FAR_VALUES; q++) square += out[0][q] * out[0][q];
    const double directivity = 4 * pi * square / (2 * mu0 * c0) / power;
    cr_expect(fabs(directivity - 1.5) < 1e-10, "%.15g", directivity);
}

/* Conductors at x = 0, electric, and y = 0, magnetic; then z = 0. A dipole may lie on a magnetic one. */
Test(far, images)
{
    const int kinds[4][3] = {{FAR_ELECTRIC, FAR_MAGNETIC, 0},
                             {0, 0, FAR_ELECTRIC},
                             {0, 0, FAR_MAGNETIC},
                             {FAR_MAGNETIC, FAR_ELECTRIC, FAR_MAGNETIC}};
    for (int set = 0; set < 4; set++)
        for (int component = 0; component < 6; component += 2 + set % 2) {
            int at[3];
            domain_set(bricks, 12);
            for (int a = 0; a < 3; a++) {
                const int image = kinds[set][a];
                pmc[a] = image == FAR_MAGNETIC;
                box_low[a] = image ? 0 : 7, box_high[a] = image ? 8 : 16, at[a] = image ? 3 : 10;
                if (image == FAR_MAGNETIC && component < 3 && component != a) at[a] = 0;
            }
            run(component, at);
            const struct far_box b = box_make(kinds[set]);
            const double error = error_of(&b, component, at, kinds[set], 1);
            cr_expect(error < 1e-9, "set %d, component %d: %g", set, component, error);
        }
}

/* Power of a vertical dipole over a conducting plane: twice that of the half space, whose directivity is 3 where the
 * dipole touches it; the plane's images alone make the factor. */
Test(far, power_over_a_plane)
{
    const int image[3] = {0, 0, FAR_ELECTRIC}, at[3] = {11, 11, 0};
    domain_set(cubes, 20);
    for (int a = 0; a < 3; a++) box_low[a] = a < 2 ? 8 : 0, box_high[a] = a < 2 ? 14 : 4;
    run(2, at);
    const struct far_box b = box_make(image);
    const struct far_wave w = wave_of();
    double power, k[3];
    const double up[3] = {0, 0, 1};
    cr_assert_eq(far_power(&b, &w, &power), SF_OK);
    cr_assert(far_wave_vector(&w, up, k));
    /* two in line, one cell apart: (4/3 -> integral of sin^2 4 cos^2(x cos)) / that of one, x = k d / 2 */
    double sum = 0, alone = 0;
    for (int n = 0; n < 20000; n++) {
        const double c = -1 + (n + 0.5) / 10000, x = 2 * pi / 20 / 2;
        sum += (1 - c * c) * 4 * pow(cos(x * c), 2), alone += 1 - c * c;
    }
    const double exact = mu0 * c0 * pi / 3 * pow(cabs(moment_of(2)) / (20 * d[0]), 2) * sum / alone;
    cr_expect(fabs(power / exact - 1) < 1e-3, "%.9g", power / exact); /* k of the grid is 0.4 % off */
}

/* Fewer places, with images and without, at the density of cells where each axis is shortened. */
Test(far, shortened)
{
    const int kinds[2][3] = {{0, 0, 0}, {FAR_ELECTRIC, FAR_MAGNETIC, 0}}, at[3] = {3, 0, 10};
    for (int set = 0; set < 2; set++) {
        struct far_sheet fewer[24];
        struct far_box s;
        double *memory[24], power[2];
        int places = 0, left = 0;
        domain_set(bricks, 80);
        for (int a = 0; a < 3; a++) {
            pmc[a] = kinds[set][a] == FAR_MAGNETIC;
            box_low[a] = kinds[set][a] ? 0 : 2, box_high[a] = 19;
        }
        run(2, set ? at : (int[3]){10, 9, 12});
        const struct far_box b = box_make(kinds[set]);
        const struct far_wave w = wave_of();
        cr_assert_eq(far_shorten(&b, &w, &s, fewer, memory), SF_OK);
        for (int n = 0; n < b.nsheets; n++)
            places += b.sheet[n].n[0] * b.sheet[n].n[1], left += fewer[n].n[0] * fewer[n].n[1];
        cr_expect(3 * left < 2 * places, "%d of %d places", left, places);
        for (int n = 0; n < 40; n++) {
            const struct far_direction direction = far_direction(set ? 2.2 * n : 4.5 * n, set ? 2 * n : 9 * n);
            double whole[1][FAR_VALUES], out[1][FAR_VALUES], most = 0;
            cr_assert_eq(far_fields(&b, &w, 1, &direction, whole), SF_OK);
            cr_assert_eq(far_fields(&s, &w, 1, &direction, out), SF_OK);
            far_power(&b, &w, &power[0]);
            most = sqrt(power[0] * 2 * mu0 * c0 / (4 * pi));
            for (int q = 0; q < FAR_VALUES; q++)
                cr_expect(fabs(out[0][q] - whole[0][q]) < 1e-9 * most, "set %d, direction %d: %g", set, n,
                          fabs(out[0][q] - whole[0][q]) / most);
        }
        cr_assert_eq(far_power(&s, &w, &power[1]), SF_OK);
        cr_expect(fabs(power[1] / power[0] - 1) < 1e-9, "%g", power[1] / power[0] - 1);
        for (int n = 0; n < b.nsheets; n++) free(memory[n]);
    }
}

Test(far, gauss)
{
    double node[40], weight[40];
    for (int n = 1; n <= 40; n++) {
        far_gauss(n, node, weight);
        for (int power = 0; power < 2 * n; power += 2) {
            double sum = 0;
            for (int m = 0; m < n; m++) sum += weight[m] * pow(node[m], power);
            cr_assert(fabs(sum - 2.0 / (power + 1)) < 1e-13, "n %d, power %d: %.17g", n, power, sum);
        }
    }
}

/* What the grid cannot carry is refused, and the wave number of what it can is that of its own dispersion. */
Test(far, waves_of_the_grid)
{
    const double diagonal[3] = {0.6, -0.48, 0.64}, along[3] = {1, 0, 0};
    double k[3], want[3], out[1][FAR_VALUES];
    domain_set(bricks, 9);
    struct far_wave w = wave_of();
    cr_assert(far_wave_vector(&w, diagonal, k));
    vector_of(diagonal, want);
    for (int a = 0; a < 3; a++) cr_expect(fabs(k[a] - want[a]) < 1e-12 * fabs(want[a]));
    w.omega = 2 * pi * c0 / (1.9 * d[0]);
    cr_expect_not(far_wave_vector(&w, along, k));
    const struct far_direction east = far_direction(90, 0);
    const struct far_box b = {.nsheets = 0};
    cr_expect_eq(far_fields(&b, &w, 1, &east, out), SF_NAMELIST);
}
