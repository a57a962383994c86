/* The far field over layers: of one medium it is that without, over a conductor that of images, both to round-off; over
 * layers that of Fresnel's coefficients and their recursion, in closed form. SPDX-License-Identifier: MIT */
#include "maxwell/far.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const double c0 = 299792458.0, mu0 = 1.25663706212e-6, pi = 3.14159265358979323846;

/* ---- boxes and stacks -------------------------------------------------------------------------------------------- */

enum { CELLS = 400, SHEETS = 24, WIDE = 3 };
static double node[CELLS + 1];
static double complex epsilon[2][CELLS + 1], mu[2][CELLS + 1];
static struct far_stack stack = {.node = node, .epsilon = {epsilon[0], epsilon[1]}, .mu = {mu[0], mu[1]}};

static struct far_wave wave_of(double omega, double dt, const double d[3], double e, double m)
{
    return (struct far_wave){omega, dt, c0 / sqrt(e * m), mu0 * c0 * sqrt(m / e), mu0 * m, {d[0], d[1], d[2]}};
}

/* `n` cells of d m from `low` m on; of[k]: complex epsilon, and mu, of cell k. */
static void stack_make(int n, double low, double d, const double complex *e, const double complex *m)
{
    stack.n = n, stack.floor = FAR_NO_IMAGE, stack.has_below = 0;
    for (int k = 0; k <= n; k++) {
        const int below = k ? k - 1 : 0, above = k < n ? k : n - 1;
        node[k] = low + k * d;
        epsilon[0][k] = 0.5 * (e[below] + e[above]), mu[0][k] = 1 / (0.5 / m[below] + 0.5 / m[above]);
        epsilon[1][k] = e[above], mu[1][k] = m[above];
    }
}

/* All components of J and M on both faces normal to each axis, at WIDE x WIDE places of the grid with any moments. */
static struct far_sheet sheet[SHEETS];
static double place[SHEETS][2][WIDE], moment[SHEETS][2][WIDE * WIDE];

static struct far_box box_make(const double d[3], const int low[3], const int high[3])
{
    struct far_box b = {.sheet = sheet, .reference = {0.3 * d[0], -2.7 * d[1], 5.1 * d[2]}};
    for (int face = 0; face < 6; face++)
        for (int c = 0; c < 4; c++) {
            const int a = face / 2, up = face % 2, n = b.nsheets++;
            struct far_sheet *const s = &sheet[n];
            *s = (struct far_sheet){.normal = a, .is_magnetic = c >= 2, .axis = (a + 1 + c % 2) % 3, .n = {WIDE, WIDE}};
            s->at = ((up ? high[a] : low[a]) + (c < 2 ? 0 : up ? 0.5 : -0.5)) * d[a];
            for (int q = 0; q < 2; q++) {
                const int axis = (a + 1 + q) % 3, in_cell = (axis == s->axis) != s->is_magnetic;
                for (int m = 0; m < WIDE; m++) place[n][q][m] = (low[axis] + m + 0.5 * in_cell) * d[axis];
                s->place[q] = place[n][q], s->moment[q] = moment[n][q];
                for (int m = 0; m < WIDE * WIDE; m++) moment[n][q][m] = cos(1 + 3.7 * m + 1.9 * n + 0.7 * q);
            }
        }
    return b;
}

enum { DIRECTIONS = 29 };
static void directions_make(struct far_direction *to, int upper)
{
    for (int n = 0; n < DIRECTIONS; n++) to[n] = far_direction(upper ? 3 * n - 42 : 6.3 * n - 1, (41 * n) % 360);
}

static void fields_agree(const struct far_box *one, const struct far_box *other, const struct far_wave *w, int upper)
{
    struct far_direction toward[DIRECTIONS];
    double is[DIRECTIONS][FAR_VALUES], want[DIRECTIONS][FAR_VALUES], most = 0;
    directions_make(toward, upper);
    cr_assert_eq(far_fields(one, w, DIRECTIONS, toward, is), SF_OK, "%s", sf_error_text());
    cr_assert_eq(far_fields(other, w, DIRECTIONS, toward, want), SF_OK);
    for (int n = 0; n < DIRECTIONS; n++)
        for (int q = 0; q < FAR_VALUES; q++) most = fmax(most, fabs(want[n][q]));
    for (int n = 0; n < DIRECTIONS; n++)
        for (int q = 0; q < FAR_VALUES; q++)
            cr_assert(fabs(is[n][q] - want[n][q]) < 1e-10 * most, "direction %d, %d: %.12g, not %.12g", n, q, is[n][q],
                      want[n][q]);
}

static const double brick[3] = {1e-3, 0.8e-3, 1.25e-3};

/* ---- what is known without layers -------------------------------------------------------------------------------- */

static void one_medium_make(int n, double low)
{
    double complex e[CELLS], m[CELLS];
    for (int k = 0; k < n; k++) e[k] = 2.5, m[k] = 1.4;
    stack_make(n, low, brick[2], e, m);
}

Test(far_layers, of_one_medium_are_none)
{
    static const int low[3] = {3, 4, 5}, high[3] = {9, 8, 11};
    const struct far_wave w = wave_of(2 * pi * c0 / 25e-3, 0.8e-12, brick, 2.5, 1.4);
    one_medium_make(20, -2 * brick[2]);
    stack.has_below = 1, stack.below = w;
    struct far_box plain = box_make(brick, low, high), layered = plain;
    layered.stack = &stack;
    fields_agree(&layered, &plain, &w, 0);
    double power[2], alone;
    cr_assert_eq(far_layers_power(&layered, &w, power), SF_OK);
    cr_assert_eq(far_power(&plain, &w, &alone), SF_OK);
    cr_assert(fabs((power[0] + power[1]) / alone - 1) < 1e-9, "%g", (power[0] + power[1]) / alone - 1);
    stack.has_below = 0;
    const struct far_direction down = far_direction(120, 30);
    double out[1][FAR_VALUES];
    cr_assert_eq(far_fields(&layered, &w, 1, &down, out), SF_OK);
    for (int q = 0; q < FAR_VALUES; q++) cr_assert(!(out[0][q] < 0 || out[0][q] > 0));
}

Test(far_layers, conductors_are_images)
{
    static const int low[3] = {3, 4, 5}, high[3] = {9, 8, 11};
    const struct far_wave w = wave_of(2 * pi * c0 / 25e-3, 0.8e-12, brick, 2.5, 1.4);
    for (int kind = FAR_ELECTRIC; kind <= FAR_MAGNETIC; kind++) {
        one_medium_make(18, 2 * brick[2]);
        stack.floor = (enum far_image)kind;
        struct far_box plain = box_make(brick, low, high), layered = plain;
        layered.stack = &stack;
        plain.image[2] = (enum far_image)kind, plain.mirror[2] = node[0];
        fields_agree(&layered, &plain, &w, 1);
    }
}

/* ---- layers ------------------------------------------------------------------------------------------------------ */

/* Fine cells, short steps: a hundredth of a radian and less from cell to cell. */
static const double fine[3] = {1e-4, 1e-4, 1e-4};
static const double omega = 2 * pi * 2e9, height = 15e-3;

/* The upper medium is vacuum; below z = 0 `thick` m of one medium on another. What comes up over what goes down at z =
 * 0, of E along phi (TE) or of H along phi (TM), from impedances or admittances (Born and Wolf, 1.6). */
static double complex reflection(int is_tm, double sine, double complex e1, double m1, double thick, double complex e2)
{
    const double complex k0 = omega / c0, q0 = csqrt(1 - sine * sine), q1 = csqrt(e1 * m1 - sine * sine),
                         q2 = csqrt(e2 - sine * sine);
    const double complex y0 = q0, y1 = is_tm ? q1 / e1 : q1 / m1, y2 = is_tm ? q2 / e2 : q2;
    const double complex turn = cexp(-2 * I * k0 * q1 * thick), r01 = (y0 - y1) / (y0 + y1),
                         r12 = (y1 - y2) / (y1 + y2);
    return (r01 + r12 * turn) / (1 + r01 * r12 * turn);
}

/* A current or magnetic current of 1 along an axis at the height, alone. */
static struct far_box dipole_make(int is_magnetic, int axis)
{
    static double at[2][1], one[2][1] = {{1}, {0}};
    const int normal = (axis + 1) % 3;
    const double in_cell = (axis == 2) != is_magnetic ? 0.5 * fine[2] : 0, spot[3] = {0, 0, height + in_cell};
    sheet[0] =
        (struct far_sheet){.normal = normal, .axis = axis, .is_magnetic = is_magnetic, .n = {1, 1}, .at = spot[normal]};
    for (int q = 0; q < 2; q++) {
        at[q][0] = spot[(normal + 1 + q) % 3];
        sheet[0].place[q] = at[q], sheet[0].moment[q] = one[q];
    }
    return (struct far_box){.sheet = sheet, .nsheets = 1, .stack = &stack};
}

static double z_of(const struct far_sheet *s) { return s->normal == 2 ? s->at : s->place[s->normal == 0 ? 1 : 0][0]; }

static double complex value_of(const double out[FAR_VALUES], int q) { return out[2 * q] + I * out[2 * q + 1]; }

/* Of all six dipoles, in directions above: the wave that comes and the one that the layers return. */
static void above_check(double complex e1, double m1, double thick, double complex e2, double tolerance)
{
    const struct far_wave w = wave_of(omega, 1e-13, fine, 1, 1);
    const double eta = mu0 * c0, unit = omega * mu0 / (4 * pi);
    for (int kind = 0; kind < 6; kind++)
        for (int n = 0; n < 8; n++) {
            const int is_magnetic = kind / 3, axis = kind % 3;
            const double t = (3 + 12 * n) * pi / 180, p = (20 + 50 * n) * pi / 180;
            const struct far_direction toward = far_direction(3 + 12 * n, 20 + 50 * n);
            const struct far_box b = dipole_make(is_magnetic, axis);
            double out[1][FAR_VALUES];
            cr_assert_eq(far_fields(&b, &w, 1, &toward, out), SF_OK);
            const double place_z = z_of(&sheet[0]);
            const double complex go = cexp(I * omega / c0 * cos(t) * place_z),
                                 te = reflection(0, sin(t), e1, m1, thick, e2) / go,
                                 tm = reflection(1, sin(t), e1, m1, thick, e2) / go;
            const double normal[3] = {-sin(p), cos(p), 0}, along[3] = {cos(p), sin(p), 0};
            double complex want[2]; /* E . J - H . M of the wave from there: theta, phi */
            if (!is_magnetic)
                want[0] = axis == 2 ? -sin(t) * (go + tm) : cos(t) * along[axis] * (go - tm),
                want[1] = axis == 2 ? 0 : normal[axis] * (go + te);
            else /* H = - K x E / eta of what comes: theta gives - phi, phi gives theta */
                want[0] = axis == 2 ? 0 : normal[axis] * (go + tm) / eta,
                want[1] = axis == 2 ? sin(t) * (go + te) / eta : -cos(t) * along[axis] * (go - te) / eta;
            const double scale = unit * (is_magnetic ? 1 / eta : 1);
            for (int q = 0; q < 2; q++) {
                const double complex should = -I * unit * want[q], is = value_of(out[0], q);
                cr_assert(cabs(is - should) < tolerance * scale, "%d, %d, %d: %g %+gi, not %g %+gi", kind, n, q,
                          creal(is) / scale, cimag(is) / scale, creal(should) / scale, cimag(should) / scale);
            }
        }
}

/* From -20 mm, where the layers end that are not half spaces, to 18 mm. */
static void layers_make(double complex e1, double m1, double thick, double complex e2)
{
    double complex e[CELLS], m[CELLS];
    for (int k = 0; k < 380; k++) {
        const double z = -20e-3 + (k + 0.5) * fine[2];
        e[k] = z > 0 ? 1 : z > -thick ? e1 : e2, m[k] = z > 0 ? 1 : z > -thick ? m1 : 1;
    }
    stack_make(380, -20e-3, fine[2], e, m);
}

Test(far_layers, reflect_as_fresnel_has_it)
{
    layers_make(4, 1, 30e-3, 4);
    above_check(4, 1, 30e-3, 4, 2e-4);
    layers_make(3 - 0.4 * I, 1.5, 6e-3, 9 - 5 * I);
    above_check(3 - 0.4 * I, 1.5, 6e-3, 9 - 5 * I, 5e-4);
    layers_make(2, 1, 4e-3, 1 - 2e7 * I); /* a metal, through which nothing comes and a wave grows beyond all numbers */
    above_check(2, 1, 4e-3, 1 - 2e7 * I, 5e-3);
}

/* Below, in glass of index 2: what is transmitted, beyond the angle of total reflection too. */
Test(far_layers, let_through_what_fresnel_has)
{
    const double index = 2, eta = mu0 * c0;
    const struct far_wave w = wave_of(omega, 1e-13, fine, 1, 1);
    layers_make(4, 1, 30e-3, 4);
    stack.has_below = 1, stack.below = wave_of(omega, 1e-13, fine, 4, 1);
    for (int kind = 0; kind < 6; kind++)
        for (int n = 0; n < 8; n++) {
            const int is_magnetic = kind / 3, axis = kind % 3;
            const double t = (92 + 11 * n) * pi / 180, p = (20 + 50 * n) * pi / 180, s = index * sin(t);
            const struct far_direction toward = far_direction(92 + 11 * n, 20 + 50 * n);
            const struct far_box b = dipole_make(is_magnetic, axis);
            double out[1][FAR_VALUES];
            cr_assert_eq(far_fields(&b, &w, 1, &toward, out), SF_OK);
            const double place_z = z_of(&sheet[0]);
            double complex q = csqrt(1 - s * s); /* of vacuum, upward */
            if (cimag(q) > 0) q = -q;
            const double complex up = cexp(-I * omega / c0 * q * place_z), c = -index * cos(t), /* of glass, upward */
                te = 2 * c / (c + q), tm = 2 * c / (c + 4 * q) * index; /* of E along phi; of H along phi, times eta */
            const double normal[3] = {-sin(p), cos(p), 0}, along[3] = {cos(p), sin(p), 0};
            double complex want[2];
            /* H phi = - index / eta of the wave that comes in E theta = 1; above E = (q, - s) H eta along, up */
            const double complex h = -tm / eta * up, e = te * up;
            if (!is_magnetic)
                want[0] = axis == 2 ? s * eta * h : q * eta * h * along[axis],
                want[1] = axis == 2 ? 0 : normal[axis] * e;
            else
                want[0] = axis == 2 ? 0 : -normal[axis] * h,
                want[1] = axis == 2 ? s / eta * e : q / eta * along[axis] * e;
            const double unit = omega * mu0 / (4 * pi), scale = unit * (is_magnetic ? 1 / eta : 1);
            for (int v = 0; v < 2; v++) {
                const double complex should = -I * unit * want[v], is = value_of(out[0], v);
                cr_assert(cabs(is - should) < 5e-4 * scale, "%d, %d, %d: %g %+gi, not %g %+gi", kind, n, v,
                          creal(is) / scale, cimag(is) / scale, creal(should) / scale, cimag(should) / scale);
            }
        }
}
