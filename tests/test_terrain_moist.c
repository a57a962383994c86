/* Tracers, water and the ground over terrain. Each stage against the one for flat ground, which other tests hold to its
 * equations: in a cell it has the bits of that one where levels, winds and numbers are the cell's own; what is new, by
 * value. Whole runs: test_terrain_moist_run.c. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "dynamics/tracers.h"
#include "pipeline/error.h"
#define SF_MADE_BESIDE
#include "dynamics/tracers_made.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NI = 7, NJ = 5, NK = 6, G = AIR_GHOSTS };

static const double dt = 2;
static struct air air;
static real *fresh; /* the memory of all fields before a stage */
static size_t elements;

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NJ; j++)                                                                                       \
        for (int k = 0; k < NK; k++)                                                                                   \
            for (int i = 0; i < NI; i++)

static double at(int field, int i, int j, int k) { return (double)*air_at(&air, field, i, j, k); }
static double written(int field, int i, int j, int k) { return (double)*air_written(&air, field, i, j, k); }
static double level(int profile, int k) { return (double)air.s.f[profile][k]; }
/* Rows of maps are as far apart as levels. */
static double map(int field, int i, int j) { return at(field, i, 0, j); }

static void fill(int field, double low, double high) { air_spread(&air, field, low, high); }

/* Of `parts` of 1 from `low` on, so that products of two are exact. */
static void fill_parts(int field, int low, int high, int parts)
{
    for (int j = -G; j < NJ + G; j++)
        for (int k = -G; k < NK + G; k++)
            for (int i = -G; i < NI + G; i++)
                *air_at(&air, field, i, j, k) = (real)(floor(air_random(low, high + 1)) / parts);
}

/* 1/2, 1 or 2: what is multiplied by them keeps its digits. */
static void fill_powers(int field)
{
    for (int j = -G; j < NJ + G; j++)
        for (int k = -G; k < NK + G; k++)
            for (int i = -G; i < NI + G; i++)
                *air_at(&air, field, i, j, k) = (real)(0.5 * (1 << (int)air_random(0, 3)));
}

static void numbers_take(const char *more)
{
    char text[256];
    snprintf(text, sizeof text, "&dynamics gravity = 8 /\n&water scheme = 'kessler' /\n%s\n", more);
    air_numbers(&air, text);
    air.d.tracers = AIR_TRACERS;
}

/* What a column over terrain reads in place of a level. */
static const struct swapped {
    int level, field;
} moist_levels[] = {{P_PI0, F_PI0_OVER},   {P_THA, F_THA_OVER},     {P_EXCESS, F_EXCESS_OVER}, {P_P0, F_P0_OVER},
                    {P_DEN0, F_DEN0_OVER}, {P_BUOYM, F_BUOYM_OVER}, {P_QV0, F_QV0_OVER},       {P_QC0, F_QC0_OVER}};

static void open_air(const char *more)
{
    air_make(&air, NI, NJ, NK, 0);
    numbers_take(more);
    for (int k = -G; k < NK + G; k++) {
        air.s.f[P_RDZC][k] = (real)(1e-3 * (1 + 0.02 * k)), air.s.f[P_RHOF][k] = (real)(1.2 - 0.05 * k);
        air.s.f[P_ADZC][k] = (real)(2.0 / 3 / (1.1 * (300 + 10 * k))), air.s.f[P_GZ][k] = (real)(1024 * k);
        air.s.f[P_ON_GROUND][k] = (real)(k < 0 ? 2 : !k);
        /* What flat stages would read, far from what they should. */
        for (size_t n = 0; n < sizeof moist_levels / sizeof *moist_levels; n++)
            air.s.f[moist_levels[n].level][k] = (real)air_random(3, 4);
    }
    air_levels(&air, P_DECAY_L, 0.1, 1, 4), air_levels(&air, P_DECAY_S, 0.1, 1, 4);
    air_levels(&air, P_DECAYF_L, 0.1, 1, 1 << 20), air_levels(&air, P_DECAYF_S, 0.1, 1, 1 << 20);
    fill_parts(F_TERRAIN_LARGE, 0, 100, 1), fill_parts(F_TERRAIN_SMALL, -50, 50, 1), fill(F_GROUND_W, -3, 3);
    for (int f = F_LARGE_WEST; f <= F_SMALL_NORTH; f += 2) fill(f, 0, 100), fill(f + 1, -50, 50);
    fill(F_TH, -5, 5), fill(F_PI, -4e-3, 4e-3), fill(F_THR, -5, 5);
    fill(F_U, -20, 20), fill(F_V, -20, 20), fill(F_W, -9, 9);
    fill(F_FLOW_X, 0.5, 2), fill(F_FLOW_Y, 0.5, 2), fill(F_ACROSS, -9, 9);
    for (int j = -G; j < NJ + G; j++)
        for (int k = -G; k < NK + G; k++)
            for (int i = -G; i < NI + G; i++) { /* as the wind through a side blows */
                *air_at(&air, F_FLOW_X, i, j, k) *= *air_at(&air, F_U, i, j, k);
                *air_at(&air, F_FLOW_Y, i, j, k) *= *air_at(&air, F_V, i, j, k);
            }
    fill(F_WT, -1, 1), fill(F_THT, -0.1, 0.1), fill(F_PIT, -1e-4, 1e-4), fill(F_UT, -1, 1), fill(F_VT, -1, 1);
    fill(F_PID, -4e-3, 4e-3);
    for (int n = 0; n < AIR_TRACERS; n++)
        for (int m = 0; m < F_FAMILY; m++) fill(F_Q + F_FAMILY * n + m, 0, 0.02);
    fill(F_PI0_OVER, 0.7, 1), fill(F_THA_OVER, 290, 330), fill(F_EXCESS_OVER, 0, 0.01), fill(F_P0_OVER, 3e4, 1e5);
    fill(F_DEN0_OVER, 150, 350), fill(F_BUOYM_OVER, 0.01, 0.02), fill(F_QV0_OVER, 0, 0.02), fill(F_QC0_OVER, 0, 0.002);
    fill(F_TH0_OVER, 290, 330), fill(F_TH0F_OVER, 290, 330), fill(F_DPI0H_OVER, -2e-5, -1e-5),
        fill(F_THIN_FACE, 0.8, 1.5);
    fill_powers(F_THIN), fill_powers(F_SPARSE), fill_powers(F_MAP_FACTOR), fill(F_MAP_WEST, 0.9, 1.1),
        fill(F_MAP_SOUTH, 0.9, 1.1);
    fill_parts(F_DENSE, 6, 10, 8);
    for (int f = F_TRANSFER; f <= F_SKIN; f++) fill(f, 0.1, 0.4);
    fill(F_GROUND_WARMER, -2, 2), fill(F_ROUGHNESS, 0.02, 0.2), fill(F_WETNESS, 0.1, 1), fill(F_LOWEST_OVER, 20, 60);
    fill(F_GROUND_P_OVER, 8e4, 1e5), fill(F_GROUND_PI_OVER, 0.95, 1), fill(F_EXNER_DOWN_OVER, 1e-4, 9e-4);
    fill(F_GROUND_RHO_OVER, 1, 1.3), fill(F_RAIN, 0, 9), fill(F_RAIN_LOST, -1e-7, 1e-7), fill(F_RAIN_ENERGY, 0, 1e6);
    fill(F_RAIN_ENERGY_LOST, -0.01, 0.01);
    fill(F_GROUND_ENERGY, 0, 1e6), fill(F_GROUND_ENERGY_LOST, -0.01, 0.01);
    fill(F_GROUND_WATER, 0, 9), fill(F_GROUND_WATER_LOST, -1e-7, 1e-7);
    elements = 2 * AIR_ALL * air.size;
    fresh = malloc(elements * sizeof *fresh);
    cr_assert(fresh);
    memcpy(fresh, air.memory, elements * sizeof *fresh);
}

static void close_air(void) { free(fresh), air_free(&air); }

static void run_in(stage_function *stage, struct box b)
{
    static real work[1 << 18];
    const struct call c = {
        .dt = (real)dt, .time = 900, .ctx = &air.d, .members = AIR_TRACERS, .of = air.of, .work = work};
    stage(&air.s, b, &c);
}

/* The levels, and the numbers of the ground, are those of a column. */
static void column_take(int i, int j, int is_dry)
{
    for (int k = -G; k < NK + G; k++) {
        for (size_t n = 0; n < sizeof moist_levels / sizeof *moist_levels; n++)
            air.s.f[moist_levels[n].level][k] = *air_at(&air, moist_levels[n].field, i, j, k);
        if (is_dry) air.s.f[P_THA][k] = *air_at(&air, F_TH0_OVER, i, j, k);
        air.s.f[P_RDZC][k] = (real)(1e-3 * (1 + 0.02 * k)) * *air_at(&air, F_THIN, i, j, k);
        air.s.f[P_ADZC][k] = (real)(2.0 / 3 / (1.1 * (300 + 10 * k))) * *air_at(&air, F_SPARSE, i, j, k);
        air.s.f[P_GZ][k] = (real)(1024 * k + 8 * (level(P_DECAY_L, k) * map(F_TERRAIN_LARGE, i, j) +
                                                  level(P_DECAY_S, k) * map(F_TERRAIN_SMALL, i, j)));
    }
    struct surface_numbers *const n = &air.d.surface;
    n->height = (real)map(F_LOWEST_OVER, i, j), n->pressure = (real)map(F_GROUND_P_OVER, i, j);
    n->exner = (real)map(F_GROUND_PI_OVER, i, j), n->exner_down = (real)map(F_EXNER_DOWN_OVER, i, j);
}

/* ---- stages that have the bits of those for flat ground ---- */

/* All that it may write, in the bank that is written: fields, and maps below their first level. */
static const int outputs[] = {F_U,
                              F_V,
                              F_W,
                              F_TH,
                              F_PI,
                              F_THR,
                              F_PID,
                              F_WT,
                              F_PIT,
                              F_QV,
                              F_QC,
                              F_QR,
                              F_QV_NEAR,
                              F_QC_NEAR,
                              F_QR_NEAR,
                              F_QV_FAR,
                              F_QC_FAR,
                              F_QR_FAR,
                              F_ACROSS,
                              F_TRANSFER,
                              F_THETA_FLUX,
                              F_SENSIBLE,
                              F_EVAPORATION,
                              F_USTAR,
                              F_INVERSE_L,
                              F_T2M,
                              F_WIND10M,
                              F_QV2M,
                              F_SKIN,
                              F_RAIN,
                              F_RAIN_LOST,
                              F_RAIN_ENERGY,
                              F_RAIN_ENERGY_LOST,
                              F_RAIN_RATE,
                              F_GROUND_W,
                              F_GROUND_ENERGY,
                              F_GROUND_ENERGY_LOST,
                              F_GROUND_WATER,
                              F_GROUND_WATER_LOST};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };
static real made[OUTPUTS][NJ + 2 * G][NK + 2 * G][NI + 2 * G];

static int is_map(int field) { return field >= F_GROUND_ENERGY && field <= F_RAIN_RATE; }

static void made_keep(void)
{
    for (int n = 0; n < OUTPUTS; n++)
        for (int j = -G; j < NJ + G; j++)
            for (int k = -G; k < NK + G; k++)
                for (int i = -G; i < NI + G; i++)
                    made[n][j + G][k + G][i + G] = *air_written(&air, outputs[n], i, j, k);
}

/* Of column i, j, all that was written is as before: how much of it differs from what there was. */
static long made_compare(const char *what, int i, int j, int below, int above)
{
    long changed = 0;
    for (int n = 0; n < OUTPUTS; n++)
        for (int k = below; k < above; k++) {
            const int f = outputs[n], row = is_map(f) ? 0 : j, lev = is_map(f) ? j : k;
            const real is = made[n][row + G][lev + G][i + G], should = *air_written(&air, f, i, row, lev);
            cr_assert(!memcmp(&is, &should, sizeof is), "%s: field %d at %d %d %d: %.9g, not %.9g", what, f, i, j, k,
                      (double)is, (double)should);
            const real was = fresh[air_written(&air, f, i, row, lev) - air.memory];
            changed += memcmp(&is, &was, sizeof is) != 0;
        }
    return changed;
}

/* The ground slows u and v by the mean of what the two columns about them take: that is none of a column's. */
static double ground_share_at(int i, int j)
{
    return dt * 1.5 * 2.0 / 3 / (1.1 * 300) * at(F_SPARSE, i, j, 0) * map(F_GROUND_RHO_OVER, i, j);
}

static void slowed_check(int along_y, int i, int j)
{
    const int of = along_y ? F_V : F_U, a = i - !along_y, b = j - along_y;
    const double share = (ground_share_at(a, b) + ground_share_at(i, j)) / 2,
                 takes = (map(F_TRANSFER, a, b) + map(F_TRANSFER, i, j)) / 2, was = at(of, i, j, 0);
    real *const is = &made[along_y][j + G][G][i + G];
    cr_assert_float_eq((double)*is, was / (1 + share * takes), 32 * FLT_EPSILON * 20, "%c at %d %d: %.9g, not %.9g",
                       "uv"[along_y], i, j, (double)*is, was / (1 + share * takes));
    *air_written(&air, of, i, j, 0) = *is;
}

static void same_as_flat(const char *what, const char *more, stage_function *over, stage_function *flat, int is_dry)
{
    long changed = 0;
    open_air(more);
    run_in(over, air_box(&air, 0));
    made_keep();
    memcpy(air.memory, fresh, elements * sizeof *fresh);
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) {
            column_take(i, j, is_dry);
            air.s.f[P_RHOF][0] = (real)map(F_GROUND_RHO_OVER, i, j); /* at their lowest level, who look at it */
            run_in(flat, (struct box){i, i + 1, 0, NK, j, j + 1});
            for (int y = 0; y < 2 && flat == ground_run; y++) slowed_check(y, i, j);
            changed += made_compare(what, i, j, 0, NK);
        }
    cr_assert(changed > NI * NJ, "%s changes %ld values", what, changed);
    close_air();
}

Test(terrain_moist, water_of_a_step)
{
    same_as_flat("water", "", water_over_run, water_run, 0);
    same_as_flat("rainfall", "", rainfall_over_run, rainfall_run, 0);
    same_as_flat("buoyancy", "", moist_buoyancy_over_run, moist_buoyancy_run, 0);
}

#define GROUND "&surface drag = 'roughness', roughness = 0.1, heat = "
Test(terrain_moist, the_ground)
{
    static const char *const heat[] = {GROUND "'temperature', temperature = 300, wetness = 1 /",
                                       GROUND "'flux', heat_flux = 0.1, vapour_flux = 5e-5 /"};
    for (int n = 0; n < 2; n++) {
        same_as_flat("fluxes", heat[n], surface_over_run, surface_run, 1);
        same_as_flat("fluxes in moist air", heat[n], surface_wet_over_run, surface_wet_run, 0);
        same_as_flat("wind", heat[n], ground_over_run, ground_run, 1);
        same_as_flat("what the air gains", heat[n], ground_warms_over_run, ground_warms_run, 1);
        same_as_flat("what moist air gains", heat[n], ground_wets_over_run, ground_wets_run, 0);
    }
}

/* Small steps of moist air are those of dry air with theta_rho. */
static void rho_for_theta(void)
{
    for (int j = -G; j < NJ + G; j++)
        for (int k = -G; k < NK + G; k++)
            for (int i = -G; i < NI + G; i++) *air_at(&air, F_TH, i, j, k) = *air_at(&air, F_THR, i, j, k);
}

static void same_with_rho(const char *what, stage_function *moist, stage_function *dry)
{
    long changed = 0;
    open_air("");
    run_in(moist, air_box(&air, 0));
    made_keep();
    memcpy(air.memory, fresh, elements * sizeof *fresh);
    rho_for_theta();
    run_in(dry, air_box(&air, 0));
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) changed += made_compare(what, i, j, 0, NK);
    cr_assert(changed > NI * NJ, "%s changes %ld values", what, changed);
    close_air();
}

Test(terrain_moist, small_steps)
{
    same_with_rho("winds, first", uv_moist_over_first_run, uv_over_first_run);
    same_with_rho("winds, start", uv_moist_over_start_run, uv_over_start_run);
    same_with_rho("winds", uv_moist_over_run, uv_over_run);
    same_with_rho("w, first", wpi_moist_over_first_run, wpi_over_first_run);
    same_with_rho("w, start", wpi_moist_over_start_run, wpi_over_start_run);
    same_with_rho("w", wpi_moist_over_run, wpi_over_run);
}

/* ---- water in a Runge-Kutta stage ---- */

/* theta_rho to the bit; of pressure what is added, by the divergence of what flows through cells as high as they are:
 * linear in that. Along a level by the square of the map factor. */
static void stage_of_rho(stage_function *over, stage_function *flat)
{
    open_air("");
    for (int j = -G; j < NJ + G; j++)
        for (int k = -G; k < NK + G; k++)
            for (int i = -G; i < NI + G; i++) *air_at(&air, F_PIT, i, j, k) = 0;
    memcpy(fresh, air.memory, elements * sizeof *fresh);
    run_in(over, air_box(&air, 0));
    made_keep();
    memcpy(air.memory, fresh, elements * sizeof *fresh);
    static const int wind[3] = {F_U, F_V, F_W}, flow[3] = {F_FLOW_X, F_FLOW_Y, F_ACROSS};
    const real rdx = air.d.rdx, rdy = air.d.rdy;
    for (int n = 0; n < 3; n++)
        memcpy(air_at(&air, wind[n], -G, -G, -G), air_at(&air, flow[n], -G, -G, -G), air.size * sizeof(real));
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) {
            column_take(i, j, 0);
            for (int k = 0; k < NK; k++) air.s.f[P_RDZC][k] = (real)(1e-3 * (1 + 0.02 * k));
            const real square = (real)(map(F_MAP_FACTOR, i, j) * map(F_MAP_FACTOR, i, j));
            air.d.rdx = square * rdx, air.d.rdy = square * rdy;
            run_in(flat, (struct box){i, i + 1, 0, NK, j, j + 1});
            for (int k = 0; k < NK; k++) {
                real *const x = air_written(&air, F_PIT, i, j, k);
                cr_assert(*x > 0 || *x < 0);
                *x *= *air_at(&air, F_THIN, i, j, k);
            }
            /* Winds are flows here, and were none. */
            for (int n = 0; n < OUTPUTS; n++)
                for (int k = 0; k < NK; k++) {
                    const int f = outputs[n];
                    if (f != F_THR && f != F_PIT) continue;
                    const real is = made[n][j + G][k + G][i + G], should = *air_written(&air, f, i, j, k);
                    cr_assert(!memcmp(&is, &should, sizeof is), "field %d at %d %d %d: %.9g, not %.9g", f, i, j, k,
                              (double)is, (double)should);
                }
        }
    close_air();
}

Test(terrain_moist, theta_rho_and_pressure)
{
    stage_of_rho(moist_over_first_run, moist_first_run);
    stage_of_rho(moist_over_second_run, moist_second_run);
    stage_of_rho(moist_over_third_run, moist_third_run);
}

/* -Theta1 theta div, of the div that changed pi' as it did: w carries the base state, on the ground too, where the wind
 * along it makes it. What was before the small steps is in the bank that is not written. */
static double climb(int i, int j, int k, int is_old)
{
    double (*const of)(int, int, int, int) = is_old ? at : written;
    const double x = (level(P_DECAYF_L, k) * (map(F_LARGE_EAST, i, j) - map(F_LARGE_WEST, i, j)) +
                      level(P_DECAYF_S, k) * (map(F_SMALL_EAST, i, j) - map(F_SMALL_WEST, i, j))) /
                     500,
                 y = (level(P_DECAYF_L, k) * (map(F_LARGE_NORTH, i, j) - map(F_LARGE_SOUTH, i, j)) +
                      level(P_DECAYF_S, k) * (map(F_SMALL_NORTH, i, j) - map(F_SMALL_SOUTH, i, j))) /
                     400;
    return 0.5 * map(F_MAP_FACTOR, i, j) *
           (x * (of(F_U, i, j, k) + of(F_U, i + 1, j, k)) + y * (of(F_V, i, j, k) + of(F_V, i, j + 1, k)));
}

static void mean_divergence(stage_function *stage)
{
    const double unit = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON;
    static double div[NJ][NK][NI];
    open_air("");
    for (int j = 0; j < NJ; j++)
        for (int k = 0; k <= NK; k++)
            for (int i = 0; i < NI; i++) *air_written(&air, F_W, i, j, k) = (real)air_random(-9, 9);
    FOR_CELLS
    {
        div[j][k][i] = air_random(-5e-3, 5e-3);
        const double was = k ? 0 : climb(i, j, 0, 1), is = k ? 0 : map(F_GROUND_W, i, j);
        const double low = 0.5 * (at(F_W, i, j, k) + was + written(F_W, i, j, k) + is),
                     high = 0.5 * (at(F_W, i, j, k + 1) + written(F_W, i, j, k + 1));
        const double carried = at(F_DPI0H_OVER, i, j, k) * low + at(F_DPI0H_OVER, i, j, k + 1) * high;
        *air_written(&air, F_PI, i, j, k) =
            (real)(at(F_PI, i, j, k) +
                   dt * (at(F_PIT, i, j, k) - carried - 287 / 717.5 * at(F_PI0_OVER, i, j, k) * div[j][k][i]));
    }
    memcpy(fresh, air.memory, elements * sizeof *fresh);
    run_in(stage, air_box(&air, 0));
    FOR_CELLS
    {
        const double qv = at(F_QV, i, j, k), ql = at(F_QC, i, j, k) + at(F_QR, i, j, k);
        const double cvm = 717.5 + 1408.5 * qv + 4190 * ql,
                     share = (287 + 461.5 * qv - 287 / 1004.5 * (1004.5 + 1870 * qv + 4190 * ql)) / cvm;
        const double had = (double)fresh[air_at(&air, F_TH, i, j, k) - air.memory];
        const double want = had + dt * (at(F_THT, i, j, k) - share * at(F_THA_OVER, i, j, k) * div[j][k][i]);
        /* 24 roundings of pi' and of 330 K, as over flat ground: Theta1 theta / (R/cv pi_0) is 30 K at most. */
        cr_assert_float_eq(written(F_TH, i, j, k), want, 12 * unit * 12, "theta' %.9g, not %.9g",
                           written(F_TH, i, j, k), want);
    }
    close_air();
}

Test(terrain_moist, mean_divergence_of_a_stage) { mean_divergence(theta_moist_over_run); }

/* ---- tracers ---- */

/* In a cell the flat stage, with what flows through faces as its winds, less its mass. */
static void tracers_check(const char *what, stage_function *over, stage_function *flat, int open)
{
    long changed = 0;
    open_air("");
    air.d.tracer_mixing = MIX_NONE, air.d.tracer_inflow = R(0.01), air.d.species = 2, air.d.named = 2;
    for (int side = 0; side < 4; side++) air.d.open[side] = open;
    for (int n = 0; n < AIR_TRACERS && over == tracers_over_last_run; n++)
        fill(F_Q + F_FAMILY * n + F_FAMILY_NEAR, 0, 1);
    memcpy(fresh, air.memory, elements * sizeof *fresh);
    run_in(over, air_box(&air, 0));
    made_keep();
    memcpy(air.memory, fresh, elements * sizeof *fresh);
    static const int wind[3] = {F_U, F_V, F_W}, flow[3] = {F_FLOW_X, F_FLOW_Y, F_ACROSS};
    for (int n = 0; n < 3; n++)
        for (int j = -2; j < NJ + G; j++)
            for (int k = -2; k < NK + G; k++)
                for (int i = -2; i < NI + G; i++) {
                    const double mean =
                        (at(F_DENSE, i, j, k) + at(F_DENSE, i - (n == 0), j - (n == 1), k - (n == 2))) / 2;
                    *air_at(&air, wind[n], i, j, k) = (real)(mean * at(flow[n], i, j, k));
                }
    const real rdx = air.d.rdx, rdy = air.d.rdy;
    FOR_CELLS
    {
        column_take(i, j, 0);
        const real sparse = *air_at(&air, F_SPARSE, i, j, k);
        const real level = sparse * (real)(map(F_MAP_FACTOR, i, j) * map(F_MAP_FACTOR, i, j));
        air.d.rdx = level * rdx, air.d.rdy = level * rdy;
        run_in(flat, (struct box){i, i + 1, k, k + 1, j, j + 1});
        for (int n = 0; n < OUTPUTS; n++) {
            const int f = outputs[n];
            if (f < F_Q) continue;
            const real is = made[n][j + G][k + G][i + G], should = *air_written(&air, f, i, j, k);
            const real was = fresh[air_written(&air, f, i, j, k) - air.memory];
            cr_assert(!memcmp(&is, &should, sizeof is), "%s: field %d at %d %d %d: %.9g, not %.9g", what, f, i, j, k,
                      (double)is, (double)should);
            changed += memcmp(&is, &was, sizeof is) != 0;
        }
    }
    cr_assert(changed > NI * NJ * NK, "%s changes %ld values", what, changed);
    close_air();
}

Test(terrain_moist, tracers)
{
    for (int open = 0; open < 2; open++) {
        tracers_check("first", tracers_over_first_run, tracers_first_made_run, open);
        tracers_check("second", tracers_over_second_run, tracers_second_made_run, open);
        tracers_check("share", tracers_over_share_run, tracers_share_made_run, open);
        tracers_check("last", tracers_over_last_run, tracers_last_run, open);
    }
}
