/* The stages of the weather with metric terms of another kind than profiles, SF_METRIC, against those of the program:
 * in every column the bits are those of profiles that are as many times larger as the map says, or as the fields are.
 * SPDX-License-Identifier: MIT */
#pragma once

#define SF_METRIC_MAP (SF_MAX_FIELDS - 1)
/* What is made here has names of its own. */
#define wpi_work_bytes metric_wpi_work_bytes
#define wpi_first_work_bytes metric_wpi_first_work_bytes
#define wpi_start_work_bytes metric_wpi_start_work_bytes
#define wpi_moist_work_bytes metric_wpi_moist_work_bytes
#define wpi_moist_first_work_bytes metric_wpi_moist_first_work_bytes
#define wpi_moist_start_work_bytes metric_wpi_moist_start_work_bytes
#define rainfall_work_bytes metric_rainfall_work_bytes
#include "pipeline/printed.h"
#undef SF_PART_STAGE
#define SF_PART_STAGE(stage, all)                                                                                      \
    __attribute__((unused)) static void stage##_metric_run(const struct slab *s, struct box b, const struct call *c)   \
    {                                                                                                                  \
        all(s, b, c, NULL);                                                                                            \
    }

#include "dynamics/stages.h"
#include "dynamics/slow_made.h"
#include "dynamics/small_steps_made.h"
#include "dynamics/tendencies_made.h"
#include "dynamics/tendencies_wide_made.h"
#include "dynamics/water_made.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 9, NY = 5, NZ = 7, DEPTH = 3, PAD = 16, FACTORS = 3 };
enum { SK = NX + 2 * PAD, SJ = SK * (NZ + 2 * DEPTH + 1), ROWS = NY + 2 * DEPTH + 1, VALUES = SJ * ROWS };

static const int metric[] = {P_RDZC, P_RDZF, P_ADZC, P_BDZC, P_ADZF, P_BDZF};
enum { METRICS = (int)(sizeof metric / sizeof metric[0]), CHANGED = F_PID + 1, PROFILES = P_RAYF + 1 };
static const real factor[FACTORS] = {R(1.0), R(0.8), R(1.3)};

static real start[CHANGED][VALUES], field[CHANGED][VALUES], flat[FACTORS][CHANGED][VALUES];
static real profile[PROFILES][2 * PAD + NZ], scaled[METRICS][2 * PAD + NZ], full[METRICS][VALUES], map[ROWS * SK];

static int factor_of(int j, int i) { return (i + 2 * j + 30) % FACTORS; }

static struct slab slab_make(void)
{
    struct slab s = {.ni = NX, .nk = NZ, .nj = NY, .j0 = -DEPTH, .rows = ROWS, .sj = SJ, .sk = SK, .sm = SK};
    for (int n = 0; n < PROFILES; n++) {
        s.f[n] = n < CHANGED ? field[n] + PAD + DEPTH * SK : profile[n] + PAD;
        if (n < CHANGED) s.w[n] = field[n] + PAD + DEPTH * SK;
    }
    return s;
}

static real drawn(void)
{
    static unsigned long long r = 1;
    r = r * 6364136223846793005u + 1442695040888963407u;
    return (real)((double)(r >> 11) / (double)(1ull << 53));
}

static struct dynamics numbers(int kind)
{
    struct dynamics d = {.kind = kind, .nk = NZ, .mix_x = R(0.03), .mix_y = R(0.02), .rdx = R(0.1), .rdy = R(0.2)};
    real *const first = &d.ax_self;
    for (int n = 0; n < 12; n++) first[n] = R(0.01) * (real)(n + 1);
    d.cp = R(4.0), d.rcv = R(0.4), d.off = R(0.6), d.off1 = R(0.4), d.damping = R(0.1);
    return d;
}

static void run(stage_function *of, const struct slab *s, const struct dynamics *d, real (*to)[VALUES])
{
    static real work[1 << 16];
    const struct call c = {.dt = R(0.1), .ctx = d, .work = work};
    memcpy(field, start, sizeof field);
    of(s, (struct box){0, NX, 0, NZ, 0, NY}, &c);
    memcpy(to, field, sizeof field);
}

static void compare(stage_function *as_profiles, stage_function *as_metric, int kind, const char *name)
{
    static real is[CHANGED][VALUES];
    const struct dynamics d = numbers(kind);
    for (int m = 0; m < FACTORS; m++) {
        struct slab s = slab_make();
        for (int n = 0; n < METRICS; n++) {
            for (int k = 0; k < 2 * PAD + NZ; k++) scaled[n][k] = factor[m] * profile[metric[n]][k];
            s.f[metric[n]] = scaled[n] + PAD;
        }
        run(as_profiles, &s, &d, flat[m]);
    }
    struct slab s = slab_make();
    s.f[SF_METRIC_MAP] = map + PAD;
    for (int n = 0; n < METRICS && SF_METRIC == METRIC_FIELD; n++) s.f[metric[n]] = full[n] + PAD + DEPTH * SK;
    run(as_metric, &s, &d, is);
    int differ = 0;
    for (int f = 0; f < CHANGED; f++)
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX; i++) {
                    const int at = PAD + (j + DEPTH) * SJ + (k + DEPTH) * SK + i, m = factor_of(j, i);
                    cr_assert_eq(memcmp(&is[f][at], &flat[m][f][at], sizeof(real)), 0,
                                 "%s, kind %d, field %d at j %d k %d i %d: %.9g, not %.9g", name, kind, f, j, k, i,
                                 (double)is[f][at], (double)flat[m][f][at]);
                    differ += memcmp(&flat[0][f][at], &flat[1][f][at], sizeof(real)) != 0;
                }
    cr_assert_gt(differ, NX * NY * NZ, "%s does not know its metric terms", name);
}

static void world_make(void)
{
    for (int f = 0; f < CHANGED; f++)
        for (int n = 0; n < VALUES; n++) start[f][n] = drawn() - R(0.5);
    for (int f = 0; f < PROFILES; f++)
        for (int k = 0; k < 2 * PAD + NZ; k++) profile[f][k] = R(0.5) + drawn();
    for (int j = -DEPTH; j < NY + DEPTH; j++)
        for (int i = -DEPTH; i < NX + DEPTH; i++) {
            const real by = factor[factor_of(j, i)];
            map[(j + DEPTH) * SK + PAD + i] = by;
            for (int n = 0; n < METRICS; n++)
                for (int k = -DEPTH; k < NZ + DEPTH; k++)
                    full[n][PAD + (j + DEPTH) * SJ + (k + DEPTH) * SK + i] = by * profile[metric[n]][PAD + k];
        }
}

/* Of all stages that know them. */
static void metrics_compare(void)
{
    world_make();
    for (int mixed = MIX_NONE; mixed <= MIX_MONOTONE; mixed++)
        for (int upwind = 0; upwind <= ADVECT_UPWIND; upwind += ADVECT_UPWIND) {
            compare(advmix_run, advmix_metric_run, mixed + upwind, "advmix");
            compare(advmix_wide_run, advmix_wide_metric_run, mixed + upwind, "advmix_wide");
        }
    compare(wpi_run, wpi_metric_run, MIX_NONE, "wpi");
}
