/* Stages over terrain and on maps by value, on random fields, against double sums written anew from the equations at
 * the head of terrain.h; small steps of a column by what is left when their result is put back into its equations; and
 * advection and pressure gradients of smooth air over smooth hills on a smooth map, which are of second order.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/advmix.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { NI = 7, NJ = 5, NK = 8, G = AIR_GHOSTS };

static const double unit = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON;
static const double cp = 1004.5, rcv = 287.0 / 717.5, dt = 0.25, mix_x = 0.011, mix_y = 0.017;
static double dx = 400, dy = 300;
static struct air air;

static double at(int field, int i, int j, int k) { return (double)*air_at(&air, field, i, j, k); }
static double map(int field, int i, int j) { return at(field, i, 0, j); } /* rows of maps are as far apart as levels */
static double written(int field, int i, int j, int k) { return (double)*air_written(&air, field, i, j, k); }
static double level(int profile, int k) { return (double)air.s.f[profile][k]; }

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NJ; j++)                                                                                       \
        for (int k = 0; k < NK; k++)                                                                                   \
            for (int i = 0; i < NI; i++)

/* What should be, and the size of its terms, of which rounding is a share: each has at most ten factors and sums. */
struct sum {
    double value, size;
};
enum { ROUNDINGS = 30 };

static void add(struct sum *s, double term) { s->value += term, s->size += fabs(term); }
static void add_sum(struct sum *s, double by, struct sum t) { s->value += by * t.value, s->size += fabs(by) * t.size; }

static void expect(double is, struct sum s, const char *what, int i, int j, int k)
{
    cr_assert(fabs(is - s.value) <= ROUNDINGS * unit * s.size, "%s at %d %d %d: %.9g, not %.9g (terms %g)", what, i, j,
              k, is, s.value, s.size);
}

static void fill(int field, double low, double high) { air_spread(&air, field, low, high); }

static void numbers_set(void)
{
    struct dynamics *const d = &air.d;
    d->rdx = (real)(1 / dx), d->rdy = (real)(1 / dy), d->cp = (real)cp, d->rcv = (real)rcv;
    d->ax_self = d->ax_cross = (real)(1 / (3 * dx)), d->bx_self = (real)(1 / (24 * dx)),
    d->bx_cross = (real)(1 / (48 * dx));
    d->ay_self = d->ay_cross = (real)(1 / (3 * dy)), d->by_self = (real)(1 / (24 * dy)),
    d->by_cross = (real)(1 / (48 * dy));
    d->ax = (real)(2 / (3 * dx)), d->bx = d->bx_self, d->ay = (real)(2 / (3 * dy)), d->by = d->by_self;
    d->mix_x = (real)mix_x, d->mix_y = (real)mix_y;
}

/* Levels of several heights. */
static double height(int k) { return 200 * (1 + 0.05 * k); }
static double gap(int k) { return 0.5 * (height(k) + height(k - 1)); }
static double rho(int k) { return 1.2 - 0.03 * k; }
static double rho_face(int k) { return 1.21 - 0.031 * k; }

/* Air of an atmosphere's size over slopes of up to a half. Nothing agrees with anything else: each number has its own
 * place. */
/* A map of latitude and longitude has its factor along x alone: for each of these both kinds. */
static int true_along_y;
static double along_y_of(int field, int i, int j) { return true_along_y ? 1 : map(field, i, j); }
#define ON_BOTH_MAPS(name)                                                                                             \
    static void name##_on(void);                                                                                       \
    Test(terrain_stages, name)                                                                                         \
    {                                                                                                                  \
        for (true_along_y = 0; true_along_y < 2; true_along_y++) name##_on();                                          \
    }                                                                                                                  \
    static void name##_on(void)

static void open_air(void)
{
    air_make(&air, NI, NJ, NK, 0);
    numbers_set();
    for (int k = -G; k < NK + G; k++) {
        air.s.f[P_RDZC][k] = (real)(1 / height(k)), air.s.f[P_RDZF][k] = (real)(1 / gap(k)),
        air.s.f[P_RHOF][k] = (real)rho_face(k);
        air.s.f[P_ADZC][k] = (real)(2.0 / 3 / (rho(k) * height(k))),
        air.s.f[P_BDZC][k] = (real)(1.0 / 24 / (rho(k) * height(k)));
        air.s.f[P_ADZF][k] = (real)(1.0 / 3 / (rho_face(k) * gap(k))),
        air.s.f[P_BDZF][k] = (real)(1.0 / 24 / (rho_face(k) * gap(k)));
        air.s.f[P_ON_GROUND][k] = (real)(k < 0 ? 2 : !k);
    }
    air_levels(&air, P_DECAY_L, 0.1, 1, 1 << 20), air_levels(&air, P_DECAY_S, 0.1, 1, 1 << 20);
    air_levels(&air, P_DECAYF_L, 0.1, 1, 1 << 20), air_levels(&air, P_DECAYF_S, 0.1, 1, 1 << 20);
    air_levels(&air, P_STRETCH_L, -2e-3, 0, 1 << 30), air_levels(&air, P_STRETCH_S, -3e-3, 0, 1 << 30);
    air_levels(&air, P_LAPSE_B, 1e-3, 3e-3, 1 << 30), air_levels(&air, P_LAPSE_A, 1e-3, 3e-3, 1 << 30);
    air_levels(&air, P_LAPSE_S, -3e-3, -1e-3, 1 << 30);
    air_levels(&air, P_MTC, 0.01, 0.02, 1 << 30), air_levels(&air, P_MBC, 0.01, 0.02, 1 << 30);
    air_levels(&air, P_MTF, 0.01, 0.02, 1 << 30), air_levels(&air, P_MBF, 0.01, 0.02, 1 << 30);
    air_levels(&air, P_U0, -9, 9, 1 << 20), air_levels(&air, P_V0, -9, 9, 1 << 20);
    fill(F_TERRAIN_LARGE, 0, 100), fill(F_TERRAIN_SMALL, -50, 50), fill(F_GROUND_W, -3, 3);
    for (int f = F_LARGE_WEST; f <= F_SMALL_NORTH; f += 2) fill(f, 0, 100), fill(f + 1, -50, 50);
    for (int f = F_MAP_FACTOR; f <= F_MAP_SOUTH; f++) fill(f, 0.7, 1.4);
    air.d.true_along_y = (real)true_along_y;
    fill(F_U, -20, 20), fill(F_V, -15, 15), fill(F_W, -8, 8), fill(F_TH, -9, 9), fill(F_PI, -2e-3, 2e-3),
        fill(F_PID, -2e-3, 2e-3);
    fill(F_FLOW_X, -20, 20), fill(F_FLOW_Y, -15, 15), fill(F_ACROSS, -7, 7);
    fill(F_UT, -5, 5), fill(F_VT, -5, 5), fill(F_WT, -5, 5), fill(F_PIT, -2e-3, 2e-3);
    fill(F_TH0_OVER, 280, 400), fill(F_TH0F_OVER, 280, 400), fill(F_PI0_OVER, 0.5, 1), fill(F_DPI0H_OVER, -3e-5, -1e-5);
    fill(F_U0_OVER, -9, 9), fill(F_V0_OVER, -9, 9), air_levels(&air, P_RAYC, 0.1, 0.9, 1 << 20),
        air_levels(&air, P_RAYF, 0.1, 0.9, 1 << 20);
    fill(F_DTH0H_OVER, 0, 5e-3), fill(F_BUOY_OVER, 0.01, 0.02), fill(F_THIN, 0.8, 1.5), fill(F_THIN_FACE, 0.8, 1.5);
}

static double had[4][NJ][NK][NI]; /* tendencies before a stage */

static void run_in(stage_function *stage, struct box b)
{
    const struct call c = {.dt = (real)dt, .ctx = &air.d};
    static const int tendency[4] = {F_UT, F_VT, F_WT, F_THT};
    for (int n = 0; n < 4; n++) FOR_CELLS had[n][j][k][i] = at(tendency[n], i, j, k);
    stage(&air.s, b, &c);
}
static void run(stage_function *stage) { run_in(stage, air_box(&air, 0)); }

/* ---- slopes ---- */

/* z_x on the western face of a column, or z_y on the southern one, of shares of both parts: from centre to centre. */
static double slope(int along_y, int i, int j, double large, double small)
{
    const int w = i - !along_y, s = j - along_y;
    return (large * (map(F_TERRAIN_LARGE, i, j) - map(F_TERRAIN_LARGE, w, s)) +
            small * (map(F_TERRAIN_SMALL, i, j) - map(F_TERRAIN_SMALL, w, s))) /
           (along_y ? dy : dx);
}

/* In the column itself, from side to side, on the Earth. */
static double tilt(int along_y, int i, int j, double large, double small)
{
    const int low = along_y ? F_LARGE_SOUTH : F_LARGE_WEST, high = along_y ? F_LARGE_NORTH : F_LARGE_EAST;
    return (along_y ? along_y_of(F_MAP_FACTOR, i, j) : map(F_MAP_FACTOR, i, j)) *
           (large * (map(high, i, j) - map(low, i, j)) + small * (map(high + 1, i, j) - map(low + 1, i, j))) /
           (along_y ? dy : dx);
}

/* J u / m_y or J v / m_x at the low or the high side of a column. */
static struct sum flow(int along_y, int high, int i, int j, int k)
{
    const int of = along_y ? (high ? F_LARGE_NORTH : F_LARGE_SOUTH) : high ? F_LARGE_EAST : F_LARGE_WEST;
    const int face_i = i + (high && !along_y), face_j = j + (high && along_y);
    const double wind = at(along_y ? F_V : F_U, face_i, face_j, k) /
                        (along_y ? map(F_MAP_SOUTH, face_i, face_j) : along_y_of(F_MAP_WEST, face_i, face_j));
    struct sum x = {0, 0};
    add(&x, wind);
    add(&x, wind * level(P_STRETCH_L, k) * map(of, i, j)), add(&x, wind * level(P_STRETCH_S, k) * map(of + 1, i, j));
    return x;
}

/* z_x u + z_y v: the mean over the faces of a column, of the wind of level k. */
static struct sum along(int i, int j, int k, double large, double small)
{
    struct sum x = {0, 0};
    for (int far = 0; far < 2; far++) {
        add(&x, 0.5 * tilt(0, i, j, large, small) * at(F_U, i + far, j, k));
        add(&x, 0.5 * tilt(1, i, j, large, small) * at(F_V, i, j + far, k));
    }
    return x;
}

/* At face k, of the levels below and above. */
static struct sum along_face(int i, int j, int k)
{
    struct sum x = {0, 0};
    for (int m = k - 1; m <= k; m++) add_sum(&x, 0.5, along(i, j, m, level(P_DECAY_L, m), level(P_DECAY_S, m)));
    return x;
}

static void expect_across(int i, int j, int k)
{
    struct sum x = {0, 0};
    add(&x, at(F_W, i, j, k)), add_sum(&x, -1, along_face(i, j, k));
    expect(at(F_ACROSS, i, j, k), x, "W", i, j, k);
}

ON_BOTH_MAPS(wind_that_carries)
{
    open_air();
    run(over_wind_run);
    FOR_CELLS
    {
        expect(at(F_FLOW_X, i, j, k), flow(0, 0, i, j, k), "J u", i, j, k);
        expect(at(F_FLOW_Y, i, j, k), flow(1, 0, i, j, k), "J v", i, j, k);
        expect_across(i, j, k);
    }
    air_free(&air);
}

ON_BOTH_MAPS(wind_across_at_the_start)
{
    open_air();
    const double before = at(F_FLOW_X, 2, 2, 2);
    run(over_start_run);
    FOR_CELLS expect_across(i, j, k);
    cr_assert_float_eq(at(F_FLOW_X, 2, 2, 2), before, 1e-12);
    air_free(&air);
}

/* ---- what a base wind at its own height is to ---- */

/* The mean of the two columns beside a face. */
static double beside(int field, int along_y, int i, int j, int k)
{
    return (at(field, i, j, k) + at(field, i - !along_y, j - along_y, k)) / 2;
}

Test(terrain_stages, coriolis_force)
{
    open_air();
    air.d.f = R(0.3);
    run(coriolis_over_run);
    FOR_CELLS
    {
        struct sum x = {0, 0}, y = {0, 0};
        const double u_t = at(F_UT, i, j, k), v_t = at(F_VT, i, j, k);
        for (int m = 0; m < 4; m++) {
            add(&x, 0.3 / 4 * at(F_V, i - m % 2, j + m / 2, k));
            add(&y, -0.3 / 4 * at(F_U, i + m % 2, j - m / 2, k));
        }
        add(&x, -0.3 * beside(F_V0_OVER, 0, i, j, k)), add(&y, 0.3 * beside(F_U0_OVER, 1, i, j, k));
        add(&x, had[0][j][k][i]), add(&y, had[1][j][k][i]);
        expect(u_t, x, "u_t", i, j, k), expect(v_t, y, "v_t", i, j, k);
    }
    air_free(&air);
}

/* ---- what turns the wind on a map ---- */

static const double earth = 9000; /* m: small, so that curvature counts */

static void open_map(void)
{
    open_air();
    air.d.rearth = (real)(1 / earth);
    fill(F_CORIOLIS, -0.02, 0.03);
    fill(F_TILT_X, -0.01, 0.02), fill(F_TILT_Y, -0.02, 0.01);
}

/* At a centre. */
static double u_mid(int i, int j, int k) { return (at(F_U, i, j, k) + at(F_U, i + 1, j, k)) / 2; }
static double v_mid(int i, int j, int k) { return (at(F_V, i, j, k) + at(F_V, i, j + 1, k)) / 2; }
static double w_mid(int i, int j, int k)
{
    return (at(F_W, i, j, k) + at(F_W, i, j, k + 1) + (k < 0 ? 2 : !k) * map(F_GROUND_W, i, j)) / 2;
}

/* What the cell gives to u, v or w: (f + u m_y - v m_x) v less the same of the base wind, - u w / a - w e cos, and so
 * on. */
static struct sum turned(int what, int i, int j, int k)
{
    const double u = u_mid(i, j, k), v = v_mid(i, j, k), w = w_mid(i, j, k), f = map(F_CORIOLIS, i, j),
                 mx = (map(F_MAP_WEST, i + 1, j) - map(F_MAP_WEST, i, j)) / dx,
                 my = (map(F_MAP_SOUTH, i, j + 1) - map(F_MAP_SOUTH, i, j)) / dy /
                      (true_along_y ? map(F_MAP_FACTOR, i, j) : 1),
                 u0 = at(F_U0_OVER, i, j, k), v0 = at(F_V0_OVER, i, j, k), s = map(F_TILT_X, i, j),
                 t = map(F_TILT_Y, i, j);
    struct sum x = {0, 0};
    if (what == 0)
        add(&x, f * v), add(&x, u * my * v), add(&x, -v * mx * v), add(&x, -f * v0), add(&x, -u0 * my * v0),
            add(&x, v0 * mx * v0), add(&x, -u * w / earth), add(&x, -w * s);
    else if (what == 1)
        add(&x, -f * u), add(&x, -u * my * u), add(&x, v * mx * u), add(&x, f * u0), add(&x, u0 * my * u0),
            add(&x, -v0 * mx * u0), add(&x, -v * w / earth), add(&x, w * t);
    else add(&x, u * u / earth), add(&x, v * v / earth), add(&x, u * s), add(&x, -v * t);
    return x;
}

ON_BOTH_MAPS(map_turns_the_wind)
{
    open_map();
    run(coriolis_map_run);
    FOR_CELLS for (int n = 0; n < 3; n++)
    {
        static const int tendency[3] = {F_UT, F_VT, F_WT};
        struct sum x = {0, 0};
        add(&x, had[n][j][k][i]), add_sum(&x, 0.5, turned(n, i, j, k));
        add_sum(&x, 0.5, turned(n, i - (n == 0), j - (n == 1), k - (n == 2)));
        expect(at(tendency[n], i, j, k), x, "what turns", i, j, k);
    }
    air_free(&air);
}

/* Whatever the wind is, the terms do no work; air that moves as the base wind does is turned by what w has alone. */
ON_BOTH_MAPS(what_turns_does_no_work)
{
    open_map();
    fill(F_U0_OVER, 0, 0), fill(F_V0_OVER, 0, 0), fill(F_UT, 0, 0), fill(F_VT, 0, 0), fill(F_WT, 0, 0);
    for (int j = -G; j < NJ + G; j++)
        for (int k = -G; k < NK + G; k++)
            for (int i = -G; i < NI + G; i++)
                for (int n = 0; n < 3; n++) {
                    static const int of[3] = {F_U, F_V, F_W};
                    if (i < 1 || j < 1 || k < 1 || i >= NI - 1 || j >= NJ - 1 || k >= NK - 1)
                        *air_at(&air, of[n], i, j, k) = 0;
                }
    fill(F_GROUND_W, 0, 0);
    run(coriolis_map_run);
    struct sum work = {0, 0};
    FOR_CELLS
    {
        add(&work, at(F_U, i, j, k) * at(F_UT, i, j, k)), add(&work, at(F_V, i, j, k) * at(F_VT, i, j, k)),
            add(&work, at(F_W, i, j, k) * at(F_WT, i, j, k));
    }
    cr_assert(work.size > 50 && fabs(work.value) < 20 * unit * work.size, "work %g of %g", work.value, work.size);
    air_free(&air);

    open_map();
    fill(F_U0_OVER, 7, 7), fill(F_U, 7, 7), fill(F_V0_OVER, -5, -5), fill(F_V, -5, -5), fill(F_W, 0, 0),
        fill(F_GROUND_W, 0, 0);
    run(coriolis_map_run);
    FOR_CELLS
    {
        cr_assert(at(F_UT, i, j, k) >= had[0][j][k][i] && at(F_UT, i, j, k) <= had[0][j][k][i]);
        cr_assert(at(F_VT, i, j, k) >= had[1][j][k][i] && at(F_VT, i, j, k) <= had[1][j][k][i]);
    }
    air_free(&air);
}

Test(terrain_stages, rayleigh_layer)
{
    open_air();
    air.d.ray_k = 3;
    run(rayleigh_over_run);
    FOR_CELLS
    {
        const double rate = k < 3 ? 0 : level(P_RAYC, k), rate_f = k < 3 ? 0 : level(P_RAYF, k);
        struct sum x[4] = {0};
        for (int n = 0; n < 4; n++) add(&x[n], had[n][j][k][i]);
        add(&x[0], -rate * at(F_U, i, j, k)), add(&x[0], rate * beside(F_U0_OVER, 0, i, j, k));
        add(&x[1], -rate * at(F_V, i, j, k)), add(&x[1], rate * beside(F_V0_OVER, 1, i, j, k));
        add(&x[2], -rate_f * at(F_W, i, j, k)), add(&x[3], -rate * at(F_TH, i, j, k));
        expect(at(F_UT, i, j, k), x[0], "u_t", i, j, k), expect(at(F_VT, i, j, k), x[1], "v_t", i, j, k);
        expect(at(F_WT, i, j, k), x[2], "w_t", i, j, k), expect(at(F_THT, i, j, k), x[3], "theta_t", i, j, k);
    }
    air_free(&air);
}

/* ---- small steps of u and v ---- */

/* d pi' / dz between two columns. */
static struct sum lapse(int p, int along_y, int i, int j, int k)
{
    struct sum x = {0, 0};
    for (int other = 0; other < 2; other++) {
        const int a = i - (other && !along_y), b = j - (other && along_y);
        add(&x, level(P_LAPSE_B, k) * at(F_THIN_FACE, a, b, k) * (at(p, a, b, k) - at(p, a, b, k - 1)));
        add(&x, level(P_LAPSE_A, k) * at(F_THIN_FACE, a, b, k + 1) * (at(p, a, b, k + 1) - at(p, a, b, k)));
        add(&x, level(P_LAPSE_S, k) * at(F_THIN_FACE, a, b, k + 2) * (at(p, a, b, k + 2) - at(p, a, b, k + 1)));
    }
    return x;
}

static void winds_check(stage_function *stage, int p)
{
    open_air();
    run(stage);
    FOR_CELLS for (int along_y = 0; along_y < 2; along_y++)
    {
        const int w = i - !along_y, s = j - along_y, f = along_y ? F_V : F_U;
        const double theta =
            0.5 * (at(F_TH0_OVER, i, j, k) + at(F_TH, i, j, k) + at(F_TH0_OVER, w, s, k) + at(F_TH, w, s, k));
        const double force = dt * cp * theta * (along_y ? along_y_of(F_MAP_SOUTH, i, j) : map(F_MAP_WEST, i, j));
        struct sum x = {0, 0};
        add(&x, at(f, i, j, k)), add(&x, dt * at(along_y ? F_VT : F_UT, i, j, k));
        add(&x, -force * at(p, i, j, k) / (along_y ? dy : dx));
        add(&x, force * at(p, w, s, k) / (along_y ? dy : dx));
        add_sum(&x, force * slope(along_y, i, j, level(P_DECAY_L, k), level(P_DECAY_S, k)), lapse(p, along_y, i, j, k));
        expect(written(f, i, j, k), x, along_y ? "v" : "u", i, j, k);
    }
    air_free(&air);
}

ON_BOTH_MAPS(first_small_step_of_winds) { winds_check(uv_over_first_run, F_PI); }
ON_BOTH_MAPS(small_step_of_winds_from_the_start) { winds_check(uv_over_start_run, F_PI); }
ON_BOTH_MAPS(small_step_of_winds) { winds_check(uv_over_run, F_PID); }

/* ---- small steps of W and pi': what is left of their equations ----
 *
 *     W' = w + dt w_t - along' - dt cp theta 1/J ((1 + s2) d(b pi'' + (1-b) pi')/dzeta - s2 dpi'/dzeta)
 *     pi'' = pi' + dt (pi_t - R/cv pi (1/J (d(J u)/dx + d(J v)/dy + dM/dzeta)) - (along' + M) dpi_0/dz)
 *
 * along' of the new u and v; M = b W' + (1-b) W; s2 = z_x^2 + z_y^2. */

static double before[NJ][NK][NI];

static double old_across(int i, int j, int k) { return k > 0 && k < NK ? before[j][k][i] : 0; }
static double new_across(int i, int j, int k) { return k > 0 && k < NK ? at(F_ACROSS, i, j, k) : 0; }

static struct sum along_of(int i, int j, int k)
{
    const struct sum none = {0, 0};
    if (!k) return along(i, j, 0, level(P_DECAYF_L, 0), level(P_DECAYF_S, 0));
    return k < NK ? along_face(i, j, k) : none;
}

static struct sum face_should(int i, int j, int k, double b)
{
    const double large = level(P_DECAYF_L, k), small = level(P_DECAYF_S, k);
    const double x = tilt(0, i, j, large, small), y = tilt(1, i, j, large, small), s2 = x * x + y * y;
    const double theta = at(F_TH0F_OVER, i, j, k) + 0.5 * (at(F_TH, i, j, k - 1) + at(F_TH, i, j, k));
    const double force = dt * cp * theta * at(F_THIN_FACE, i, j, k) / gap(k);
    struct sum s = {0, 0};
    add(&s, at(F_W, i, j, k)), add(&s, dt * at(F_WT, i, j, k)), add_sum(&s, -1, along_of(i, j, k));
    for (int m = k - 1; m <= k; m++) {
        const double sign = m == k ? 1 : -1;
        add(&s, -sign * force * (1 + s2) * b * written(F_PI, i, j, m));
        add(&s, -sign * force * (1 + s2) * (1 - b) * at(F_PI, i, j, m));
        add(&s, sign * force * s2 * at(F_PI, i, j, m));
    }
    return s;
}

static struct sum cell_should(int i, int j, int k, double b)
{
    const double thin = at(F_THIN, i, j, k), compress = rcv * (at(F_PI0_OVER, i, j, k) + at(F_PI, i, j, k));
    struct sum s = {0, 0};
    add(&s, at(F_PI, i, j, k)), add(&s, dt * at(F_PIT, i, j, k));
    const double level_thin = map(F_MAP_FACTOR, i, j) * along_y_of(F_MAP_FACTOR, i, j) * thin;
    add_sum(&s, -dt * compress * level_thin / dx, flow(0, 1, i, j, k)),
        add_sum(&s, dt * compress * level_thin / dx, flow(0, 0, i, j, k));
    add_sum(&s, -dt * compress * level_thin / dy, flow(1, 1, i, j, k)),
        add_sum(&s, dt * compress * level_thin / dy, flow(1, 0, i, j, k));
    for (int top = 0; top < 2; top++) {
        const double W = b * new_across(i, j, k + top) + (1 - b) * old_across(i, j, k + top),
                     half = at(F_DPI0H_OVER, i, j, k + top);
        add(&s, (top ? -1 : 1) * dt * compress * thin / height(k) * W), add(&s, -dt * half * W);
        add_sum(&s, -dt * half, along_of(i, j, k + top));
    }
    return s;
}

static void columns_check(stage_function *stage, double b, double damping)
{
    open_air();
    air.d.off = (real)b, air.d.off1 = (real)(1 - b), air.d.damping = (real)damping;
    FOR_CELLS before[j][k][i] = at(F_ACROSS, i, j, k);
    real *const work = malloc(wpi_over_work_bytes(NI, NK));
    const struct call c = {.dt = (real)dt, .ctx = &air.d, .work = work};
    stage(&air.s, air_box(&air, 0), &c);
    FOR_CELLS
    {
        const double now = written(F_PI, i, j, k), was = at(F_PI, i, j, k);
        if (k) expect(at(F_ACROSS, i, j, k), face_should(i, j, k, b), "W", i, j, k);
        else cr_assert_eq(*air_at(&air, F_ACROSS, i, j, 0), 0);
        expect(now, cell_should(i, j, k, b), "pi'", i, j, k);
        cr_assert_float_eq(at(F_PID, i, j, k), now + damping * (now - was), 4 * unit * 4e-3);
        struct sum w = {0, 0};
        if (k) add(&w, at(F_ACROSS, i, j, k)), add_sum(&w, 1, along_of(i, j, k));
        expect(written(F_W, i, j, k), w, "w", i, j, k);
        if (!k) expect(map(F_GROUND_W, i, j), along_of(i, j, 0), "w on the ground", i, j, 0);
    }
    free(work);
    air_free(&air);
}

ON_BOTH_MAPS(columns_solve_their_equations)
{
    columns_check(wpi_over_run, 0.6, 0.1), columns_check(wpi_over_run, 1, 0.5);
    columns_check(wpi_over_first_run, 0.75, 0.1), columns_check(wpi_over_start_run, 0.6, 0);
}

/* ---- slow tendencies ---- */

enum what { U, V, W, TH, PI, WHATS };
static const char *const name_of[WHATS] = {"u_t", "v_t", "w_t", "theta_t", "pi_t"};
static const int of_field[WHATS] = {F_U, F_V, F_W, F_TH, F_PI}, of_tendency[WHATS] = {F_UT, F_VT, F_WT, F_THT, F_PIT};

struct point {
    int what, i, j, k;
};

static struct point moved(struct point p, int axis, int by)
{
    p.i += axis == 0 ? by : 0, p.j += axis == 1 ? by : 0, p.k += axis == 2 ? by : 0;
    return p;
}

/* w on the ground is what its line is odd about. */
static double on_line(struct point p, int axis)
{
    const double q = at(of_field[p.what], p.i, p.j, p.k);
    return p.what == W && axis == 2 ? q + (p.k < 0 ? 2 : !p.k) * map(F_GROUND_W, p.i, p.j) : q;
}

/* What carries, at its own point, n-th of axis; rho_0 weighs W. */
static double carrier(int axis, struct point p)
{
    return (axis == 2 ? level(P_RHOF, p.k) : 1) * at(axis == 0   ? F_FLOW_X
                                                     : axis == 1 ? F_FLOW_Y
                                                                 : F_ACROSS,
                                                     p.i, p.j, p.k);
}

/* On the face above p along an axis. */
static double carried_by(struct point p, int axis)
{
    const struct point f = moved(p, axis, 1);
    if (p.what == axis) return 0.5 * (carrier(axis, p) + carrier(axis, f));
    if (p.what > W) return carrier(axis, f);
    return 0.5 * (carrier(axis, f) + carrier(axis, moved(f, p.what, -1)));
}

/* Of the wind between p and the n-th from it: a wind's own two values, or the mean over the faces in between. */
static double carried_far(struct point p, int axis, int side, int n)
{
    double sum = 0;
    if (p.what == axis) return 0.5 * (carrier(axis, p) + carrier(axis, moved(p, axis, side * n)));
    for (int m = 0; m < n; m++) sum += carried_by(moved(p, axis, side > 0 ? m : -1 - m), axis);
    return sum / n;
}

static double one_over_J(struct point p)
{
    if (p.what == W) return at(F_THIN_FACE, p.i, p.j, p.k);
    if (p.what > W) return at(F_THIN, p.i, p.j, p.k);
    const struct point o = moved(p, p.what, -1);
    return 0.5 * (at(F_THIN, p.i, p.j, p.k) + at(F_THIN, o.i, o.j, o.k));
}

/* Both map factors, at the point. */
static double map_factors(struct point p)
{
    const int field = p.what == U ? F_MAP_WEST : p.what == V ? F_MAP_SOUTH : F_MAP_FACTOR;
    return map(field, p.i, p.j) * along_y_of(field, p.i, p.j);
}

static double third(struct point p, int axis, double base[4])
{
    double q[4];
    for (int n = 0; n < 4; n++) q[n] = on_line(moved(p, axis, n - 1), axis) - (base ? base[n] : 0);
    return q[3] - 3 * q[2] + 3 * q[1] - q[0];
}

static struct sum slow(struct point p, int kind)
{
    struct sum s = {0, 0};
    for (int axis = 0; axis < 3; axis++) {
        const double r = one_over_J(p) * (axis < 2 ? map_factors(p) : 1);
        const double step = axis == 0     ? dx
                            : axis == 1   ? dy
                            : p.what == W ? gap(p.k) * rho_face(p.k)
                                          : height(p.k) * rho(p.k);
        const double q = on_line(p, axis);
        for (int side = -1; side <= 1; side += 2) {
            const struct point face = side > 0 ? p : moved(p, axis, -1);
            const double near = on_line(moved(p, axis, side), axis), far = on_line(moved(p, axis, 2 * side), axis),
                         other = on_line(moved(p, axis, -side), axis);
            if (p.what == TH)
                add(&s, -side * r / step * carried_by(face, axis) * ((7 * (q + near) - (far + other)) / 12 - q));
            else
                add(&s, -side * r / step * 2 / 3 * carried_far(p, axis, side, 1) * (near - q)),
                    add(&s, side * r / step / 12 * carried_far(p, axis, side, 2) * (far - q));
            if (kind & ADVECT_UPWIND && p.what != PI)
                add(&s, -side * r / step / 12 * fabs(carried_by(face, axis)) * third(face, axis, NULL));
            if ((kind & MIX_MASK) == MIX_NONE || p.what == PI) continue;
            double base[4] = {0};
            for (int n = 0; n < 4 && p.what < W && axis == 2; n++)
                base[n] = level(P_U0 + (P_V0 - P_U0) * p.what, face.k + n - 1);
            const double weight = axis == 0   ? mix_x
                                  : axis == 1 ? mix_y
                                              : level(p.what == W ? (side > 0 ? P_MTF : P_MBF)
                                                      : side > 0  ? P_MTC
                                                                  : P_MBC,
                                                      p.k);
            add(&s, -side * weight * third(face, axis, base));
        }
    }
    if (p.what == W) add(&s, at(F_BUOY_OVER, p.i, p.j, p.k) * (at(F_TH, p.i, p.j, p.k - 1) + at(F_TH, p.i, p.j, p.k)));
    for (int top = 0; top < 2 && p.what == TH; top++) {
        const struct point f = {W, p.i, p.j, p.k + top};
        add(&s, -at(F_DTH0H_OVER, p.i, p.j, p.k + top) * on_line(f, 2));
    }
    return s;
}

ON_BOTH_MAPS(slow_tendencies_by_value)
{
    static const int kinds[] = {MIX_NONE, MIX_FOURTH, UPWIND_NONE, UPWIND_FOURTH};
    for (int n = 0; n < 4; n++) {
        open_air();
        air.d.kind_over = kinds[n];
        run(advmix_over_run);
        FOR_CELLS for (int m = 0; m < WHATS; m++)
            expect(at(of_tendency[m], i, j, k), slow((struct point){m, i, j, k}, kinds[n]), name_of[m], i, j, k);
        air_free(&air);
    }
}

/* Whatever the wind is, what is the same everywhere stays so, to the bit. */
ON_BOTH_MAPS(what_is_even_stays)
{
    static const int kinds[] = {MIX_NONE, MIX_FOURTH, UPWIND_NONE, UPWIND_FOURTH};
    for (int n = 0; n < 4; n++) {
        open_air();
        air.d.kind_over = kinds[n];
        for (int m = 0; m < WHATS; m++) fill(of_field[m], 3 + m, 3 + m);
        fill(F_DTH0H_OVER, 0, 0), fill(F_BUOY_OVER, 0, 0), fill(F_GROUND_W, 0, 0), air_levels(&air, P_U0, 0, 0, 1),
            air_levels(&air, P_V0, 0, 0, 1);
        run(advmix_over_run);
        FOR_CELLS for (int m = 0; m < WHATS; m++) cr_assert(!(fabs(at(of_tendency[m], i, j, k)) > 0), "kind %d: %s %g",
                                                            kinds[n], name_of[m], at(of_tendency[m], i, j, k));
        air_free(&air);
    }
}

/* ---- smooth air over smooth hills, on a smooth map ---- */

enum { COARSE = 12 };
static const double length = 12000, lid = 9000;
static double dz;

static double wave(double x, double y) { return 2 * M_PI * (x / length + 0.5 * y / length); }
static double large(double x, double y) { return 500 * (1 + sin(wave(x, y))); }
static double small(double x, double y) { return 120 * cos(2 * wave(x, y) + 1); }
static double share_large(double zeta) { return pow(cos(M_PI / 2 * zeta / lid), 2); }
static double share_small(double zeta) { return exp(-zeta / 2500); }
static double z_at(double x, double y, double zeta)
{
    return zeta + large(x, y) * share_large(zeta) + small(x, y) * share_small(zeta);
}
static double m_at(double x, double y) { return 1.1 + 0.2 * sin(2 * M_PI * x / 19000) * cos(2 * M_PI * y / 17000); }
static double rho_at(double zeta) { return 1.2 * exp(-zeta / 8000); }

/* Waves of each field in x, y and true height, by derivative: 0 none, 1 .. 3 along x, y, z. */
static const double amplitude[WHATS] = {12, 9, 6, 3, 2e-3};
static double smooth(int what, int by, double x, double y, double z)
{
    static const double k[3] = {2 * M_PI / 16000, 2 * M_PI / 21000, 2 * M_PI / 13000};
    const double phase = k[0] * x + 0.7 * what, X = sin(phase), dX = k[0] * cos(phase), Y = cos(k[1] * y + what),
                 dY = -k[1] * sin(k[1] * y + what), Z = sin(k[2] * z + 1.3 * what),
                 dZ = k[2] * cos(k[2] * z + 1.3 * what);
    return amplitude[what] * (by == 1   ? dX * Y * Z
                              : by == 2 ? X * dY * Z
                              : by == 3 ? X * Y * dZ
                                        : X * Y * Z + (what < W));
}

/* x, y and zeta of a field's point. */
static void place(int what, int i, int j, int k, double p[3])
{
    p[0] = dx * (i + (what == U ? 0 : 0.5)), p[1] = dy * (j + (what == V ? 0 : 0.5)),
    p[2] = dz * (k + (what == W ? 0 : 0.5));
}

static void smooth_air(int fine)
{
    const int n = COARSE * fine;
    dx = 500.0 / fine, dy = 600.0 / fine, dz = 400.0 / fine;
    air_make(&air, n, n, n, 0);
    numbers_set();
    for (int k = -G; k < n + G; k++) {
        const double c = dz * (k + 0.5), f = dz * k;
        air.s.f[P_RDZC][k] = air.s.f[P_RDZF][k] = (real)(1 / dz), air.s.f[P_RHOF][k] = (real)rho_at(f);
        air.s.f[P_ADZC][k] = (real)(2.0 / 3 / (rho_at(c) * dz)),
        air.s.f[P_BDZC][k] = (real)(1.0 / 24 / (rho_at(c) * dz));
        air.s.f[P_ADZF][k] = (real)(1.0 / 3 / (rho_at(f) * dz)),
        air.s.f[P_BDZF][k] = (real)(1.0 / 24 / (rho_at(f) * dz));
        air.s.f[P_DECAY_L][k] = (real)share_large(c), air.s.f[P_DECAY_S][k] = (real)share_small(c);
        air.s.f[P_STRETCH_L][k] = (real)((share_large(f + dz) - share_large(f)) / dz);
        air.s.f[P_STRETCH_S][k] = (real)((share_small(f + dz) - share_small(f)) / dz);
        air.s.f[P_LAPSE_A][k] = air.s.f[P_LAPSE_B][k] = (real)(0.25 / dz);
    }
    for (int j = -G; j < n + G; j++)
        for (int k = -G; k < n + G; k++)
            for (int i = -G; i < n + G; i++) {
                double p[3];
                for (int m = 0; m < WHATS; m++) {
                    place(m, i, j, k, p);
                    *air_at(&air, of_field[m], i, j, k) = (real)smooth(m, 0, p[0], p[1], z_at(p[0], p[1], p[2]));
                }
                const double x = p[0], y = p[1];
                *air_at(&air, F_TERRAIN_LARGE, i, 0, j) = (real)large(x, y);
                *air_at(&air, F_TERRAIN_SMALL, i, 0, j) = (real)small(x, y);
                *air_at(&air, F_MAP_FACTOR, i, 0, j) = (real)m_at(x, y);
                *air_at(&air, F_MAP_WEST, i, 0, j) = (real)m_at(x - dx / 2, y);
                *air_at(&air, F_MAP_SOUTH, i, 0, j) = (real)m_at(x, y - dy / 2);
                for (int side = 0; side < 4; side++) {
                    const double to = side % 2 ? 0.5 : -0.5, xs = x + (side < 2 ? to * dx : 0),
                                 ys = y + (side < 2 ? 0 : to * dy);
                    *air_at(&air, F_LARGE_WEST + 2 * side, i, 0, j) = (real)large(xs, ys);
                    *air_at(&air, F_LARGE_WEST + 2 * side + 1, i, 0, j) = (real)small(xs, ys);
                }
                *air_at(&air, F_THIN, i, j, k) = (real)(dz / (z_at(x, y, dz * (k + 1)) - z_at(x, y, dz * k)));
                *air_at(&air, F_THIN_FACE, i, j, k) =
                    (real)(dz / (z_at(x, y, dz * (k + 0.5)) - z_at(x, y, dz * (k - 0.5))));
                *air_at(&air, F_TH0_OVER, i, j, k) = 300;
            }
}

/* Root mean squares of what is wrong with -v . grad q, and with -cp theta m dpi'/dx and dpi'/dy, as shares of their
 * own.
 */
static void errors(int fine, int kind, double wrong[WHATS + 2])
{
    double all[WHATS + 2] = {0}, all_of[WHATS + 2] = {0};
    smooth_air(fine);
    air.d.kind_over = kind;
    run_in(over_wind_run, (struct box){-2, air.ni + 2, -2, air.nk + 2, -2, air.nj + 2});
    run(advmix_over_run);
    for (int j = 0; j < air.nj; j++)
        for (int k = 0; k < air.nk; k++)
            for (int i = 0; i < air.ni; i++)
                for (int m = 0; m < WHATS; m++) {
                    double p[3], should = 0;
                    place(m, i, j, k, p);
                    const double z = z_at(p[0], p[1], p[2]);
                    for (int a = 0; a < 3; a++)
                        should -= (a < 2 ? m_at(p[0], p[1]) : 1) * smooth(a, 0, p[0], p[1], z) *
                                  smooth(m, a + 1, p[0], p[1], z);
                    all[m] += pow(at(of_tendency[m], i, j, k) - should, 2), all_of[m] += should * should;
                }
    fill(F_UT, 0, 0), fill(F_VT, 0, 0);
    run(uv_over_first_run);
    for (int j = 0; j < air.nj; j++)
        for (int k = 0; k < air.nk; k++)
            for (int i = 0; i < air.ni; i++)
                for (int m = 0; m < 2; m++) {
                    double p[3];
                    place(m, i, j, k, p);
                    const double z = z_at(p[0], p[1], p[2]), should = -cp * (300 + smooth(TH, 0, p[0], p[1], z)) *
                                                                      m_at(p[0], p[1]) *
                                                                      smooth(PI, m + 1, p[0], p[1], z);
                    all[WHATS + m] +=
                        pow((written(m ? F_V : F_U, i, j, k) - at(m ? F_V : F_U, i, j, k)) / dt - should, 2);
                    all_of[WHATS + m] += should * should;
                }
    for (int m = 0; m < WHATS + 2; m++) wrong[m] = sqrt(all[m] / all_of[m]);
    air_free(&air);
}

/* Halving all spacings leaves a quarter of the error, and no more than 1/3.5: at the coarser one 24 to 40 cells are a
 * wave. */
Test(terrain_stages, smooth_flow_is_of_second_order)
{
    for (int n = 0; n < 2; n++) {
        double coarse[WHATS + 2], fine[WHATS + 2];
        errors(2, n ? UPWIND_NONE : MIX_NONE, coarse), errors(4, n ? UPWIND_NONE : MIX_NONE, fine);
        for (int m = 0; m < WHATS + 2; m++) {
            const char *const what = m < WHATS ? name_of[m] : m > WHATS ? "dpi'/dy" : "dpi'/dx";
            cr_assert(coarse[m] < 0.003, "%s: wrong by %g", what, coarse[m]);
            cr_assert(fine[m] < coarse[m] / 3.5, "%s: wrong by %g, then %g", what, coarse[m], fine[m]);
        }
    }
}
