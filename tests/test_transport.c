/* The stages that carry tracers, against docs/numerics.md, "Tracers", in double precision: on random fields, within
 * sides of every kind; and what they promise: a constant to the bit, nothing below zero, mass, order.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "command/verify.h"
#include "command/verify_exact.h"
#define SF_MADE_BESIDE
#include "dynamics/tracers_made.h"
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NI = 21, NJ = 8, NK = 5 }; /* more columns than are looked at together */
enum { EAST = 1, NORTH = 2, UP = 4 };

static const double eps = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON;
static const double dt = 0.75, inflow = 0.625;
static struct air air;

#define Q(n) (F_Q + F_FAMILY * (n))
#define NEAR(n) (Q(n) + F_FAMILY_NEAR)
#define FAR(n) (Q(n) + F_FAMILY_FAR)

static const struct box all = {0, NI, 0, NK, 0, NJ};

/* Where boxes are parted, as threads part them; 0: nowhere. */
static int cut;

static void box_run(stage_function *stage, double step, struct box b)
{
    void *const work = malloc(tracers_work_bytes(b.i1 - b.i0, b.k1 - b.k0));
    const struct call c = {.dt = (real)step, .ctx = &air.d, .members = AIR_TRACERS, .of = air.of, .work = work};
    cr_assert(work);
    stage(&air.s, b, &c);
    free(work);
}

static void stage_run(stage_function *stage, double step, struct box b)
{
    struct box west = b, east = b;
    west.i1 = east.i0 = cut > b.i0 && cut < b.i1 ? cut : b.i0;
    if (west.i1 > west.i0) box_run(stage, step, west);
    box_run(stage, step, east);
}

/* Cells of 400 m by 250 m and less and less high ones; every profile varies. */
static void open_air(int mixing, int open)
{
    air_make(&air, NI, NJ, NK, 0);
    static const int kind[] = {MIX_NONE, MIX_SECOND, MIX_FOURTH, MIX_MONOTONE, MIX_SECOND};
    air.d.mixing = mixing, air.d.kind = air.d.tracer_mixing = kind[mixing];
    air.d.rdx = (real)(1 / 400.), air.d.rdy = (real)(1 / 250.);
    air.d.mix_x = R(0.02), air.d.mix_y = R(0.03);
    air.d.tracer_inflow = (real)inflow;
    for (int side = 0; side < 4; side++) air.d.open[side] = open;
    air_levels(&air, P_ADZC, 0.002, 0.004, 1 << 20);
    air_levels(&air, P_RHOF, 0.5, 1.5, 1 << 10);
    air_levels(&air, P_MTQ, 0.01, 0.05, 1 << 12);
    air_levels(&air, P_MBQ, 0.01, 0.05, 1 << 12);
    air_fill(&air, F_U, 60, 1 << 8), air_fill(&air, F_V, 40, 1 << 8), air_fill(&air, F_W, 20, 1 << 8);
    for (int f = F_Q; f < AIR_FIELDS; f++) air_fill(&air, f, 1, 1 << 10);
}

/* ---- the reference ------------------------------------------------------------------------------------------------
 */

static double plain(int field, const int *x) { return (double)*air_at(&air, field, x[0], x[1], x[2]); }

static int extent_of(int axis) { return axis == 0 ? NI : axis == 1 ? NJ : NK; }

/* The value of a tracer, or what should stand beyond an open side. */
static double value(int field, const int *x)
{
    for (int axis = 0; axis < 2 && air.d.open[0]; axis++) {
        const int n = extent_of(axis), low = x[axis] < 0;
        if (!low && x[axis] < n) continue;
        int side[3] = {x[0], x[1], x[2]}, edge[3] = {x[0], x[1], x[2]}, inside[3] = {x[0], x[1], x[2]};
        side[axis] = low ? 0 : n, edge[axis] = low ? 0 : n - 1, inside[axis] = low ? 1 : n - 2;
        const double wind = plain(axis ? F_V : F_U, side), cells = low ? -x[axis] : x[axis] - n + 1;
        if (low ? wind > 0 : wind < 0) return (double)air.d.tracer_inflow;
        return plain(field, edge) * (1 + cells) - plain(field, inside) * cells;
    }
    return plain(field, x);
}

static double along(int field, const int *x, int axis, int n)
{
    int y[3] = {x[0], x[1], x[2]};
    y[axis] += n;
    return value(field, y);
}

/* Through the face `up` (1) or down (0) of an axis: the mass over that of the cell, upward. */
static double mass(const int *x, int axis, int up)
{
    int y[3] = {x[0], x[1], x[2]};
    y[axis] += up;
    const double wind = plain(F_U + axis, y), k = x[2];
    if (axis < 2) return dt * wind * (axis ? 1 / 250. : 1 / 400.);
    return dt * wind * 1.5 * (double)air.s.f[P_ADZC][(int)k] * (double)air.s.f[P_RHOF][(int)k + up];
}

static double mixed(const int *x, int axis, int up, int field)
{
    const double m1 = along(field, x, axis, up - 2), c = along(field, x, axis, up - 1), p1 = along(field, x, axis, up),
                 p2 = along(field, x, axis, up + 1), third = p2 - m1 - 3 * (p1 - c);
    const double weight = axis == 0 ? 0.02 : axis == 1 ? 0.03 : (double)air.s.f[up ? P_MTQ : P_MBQ][x[2]];
    if (air.d.mixing == MIXING_OFF) return 0;
    if (air.d.mixing == MIXING_SECOND || air.d.mixing == MIXING_CONSTANT) return -dt * weight * (p1 - c);
    if (air.d.mixing == MIXING_MONOTONE && third * (p1 - c) > 0) return 0;
    return dt * weight * third;
}

/* The whole flux upward of a tracer, and that of first order. */
static double flux(const int *x, int axis, int up, int field)
{
    static const double weight[5] = {2, -13, 47, 27, -3};
    const double m = mass(x, axis, up);
    double face = 0;
    for (int n = 0; n < 5; n++) face += weight[n] / 60 * along(field, x, axis, m > 0 ? up - 3 + n : up + 2 - n);
    return m * face + mixed(x, axis, up, field);
}

static double flux_first(const int *x, int axis, int up, int field)
{
    const double m = mass(x, axis, up);
    return m * along(field, x, axis, m > 0 ? up - 1 : up);
}

static double spread(const int *x)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) sum += mass(x, axis, 1) - mass(x, axis, 0);
    return sum;
}

/* A tracer after a stage that nothing limits. */
static double free_stage(const int *x, int start, int now)
{
    double q = plain(start, x) + plain(now, x) * spread(x);
    for (int axis = 0; axis < 3; axis++) q -= flux(x, axis, 1, now) - flux(x, axis, 0, now);
    return q;
}

/* What the first part makes of a cell, and what the second would take. */
static double first_part(const int *x, int start)
{
    double b = plain(start, x) * (1 + spread(x));
    for (int axis = 0; axis < 3; axis++) b -= flux_first(x, axis, 1, start) - flux_first(x, axis, 0, start);
    return b;
}

static double share(const int *x, int start, int now)
{
    double out = fmax(0, -(plain(now, x) - plain(start, x)) * spread(x));
    const double b = first_part(x, start);
    for (int axis = 0; axis < 3; axis++) {
        out += fmax(0, flux(x, axis, 1, now) - flux_first(x, axis, 1, start));
        out += fmax(0, flux_first(x, axis, 0, start) - flux(x, axis, 0, now));
    }
    return out <= b ? 1 : b > 0 ? b / out : 0;
}

enum { WHOLE = -1 };

/* factor: a field, or WHOLE: 1 everywhere. */
static double factor_at(int factor, const int *x) { return factor == WHOLE ? 1 : plain(factor, x); }

static double last_stage(const int *x, int start, int now, int factor)
{
    const double term = (plain(now, x) - plain(start, x)) * spread(x), b = first_part(x, start);
    double q = b + (term < 0 ? factor_at(factor, x) * term : term);
    for (int axis = 0; axis < 3; axis++)
        for (int up = 0; up < 2; up++) {
            const double a = flux(x, axis, up, now) - flux_first(x, axis, up, start);
            int from[3] = {x[0], x[1], x[2]};
            if (a > 0) from[axis] += up - 1;
            else from[axis] += up;
            q -= (up ? a : -a) * factor_at(factor, from);
        }
    return b >= 0 ? fmax(q, 0) : q;
}

/* ---- every stage is the equations ---------------------------------------------------------------------------------
 */

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NJ; j++)                                                                                       \
        for (int k = 0; k < NK; k++)                                                                                   \
            for (int i = 0; i < NI; i++)

static void near(double is, double should, const char *what, const int *x)
{
    cr_assert(fabs(is - should) <= 30 * eps, "%s, mixing %d, open %d, at %d %d %d: %.9g, not %.9g", what, air.d.mixing,
              air.d.open[0], x[0], x[1], x[2], is, should);
}

static void equations_check(int mixing, int open)
{
    open_air(mixing, open);
    stage_run(tracers_second_run, dt, all);
    for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS
        {
            const int x[3] = {i, j, k};
            near(plain(FAR(n), x), free_stage(x, Q(n), NEAR(n)), "second stage", x);
        }
    stage_run(tracers_first_run, dt, all);
    for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS
        {
            const int x[3] = {i, j, k};
            near(plain(NEAR(n), x), free_stage(x, Q(n), Q(n)), "first stage", x);
        }
    /* Mostly above zero, so that all branches of the factor are taken. */
    for (int n = 0; n < AIR_TRACERS; n++) {
        for (int j = -3; j < NJ + 3; j++)
            for (int k = -3; k < NK + 3; k++)
                for (int i = -3; i < NI + 3; i++) {
                    *air_at(&air, Q(n), i, j, k) = (real)air_random(-0.1, 1);
                    *air_at(&air, FAR(n), i, j, k) =
                        (real)((double)*air_at(&air, Q(n), i, j, k) + air_random(-0.4, 0.4));
                }
    }
    stage_run(tracers_share_run, dt, all);
    int whole = 0, part = 0, none = 0;
    for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS
        {
            const int x[3] = {i, j, k};
            const double f = share(x, Q(n), FAR(n));
            near(plain(NEAR(n), x), f, "factor", x);
            if (f > 0 && f < 1) part++;
            else if (f > 0) whole++;
            else none++;
        }
    cr_assert(whole > 10 && part > 10 && none > 5, "%d %d %d", whole, part, none);
    for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS
        {
            const int x[3] = {i, j, k};
            near((double)*air_written(&air, Q(n), i, j, k), last_stage(x, Q(n), FAR(n), WHOLE), "whole", x);
        }
    /* Few factors below 1: the cells around them are computed again, and no other one is wrong. */
    for (int n = 0; n < AIR_TRACERS; n++)
        for (int j = -1; j <= NJ; j++)
            for (int k = -1; k <= NK; k++)
                for (int i = -1; i <= NI; i++)
                    *air_at(&air, NEAR(n), i, j, k) = air_random(0, 1) < 0.02 ? (real)air_random(0, 1) : R(1.0);
    stage_run(tracers_last_run, dt, all);
    for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS
        {
            const int x[3] = {i, j, k};
            near((double)*air_written(&air, Q(n), i, j, k), last_stage(x, Q(n), FAR(n), NEAR(n)), "few factors", x);
        }
    for (int n = 0; n < AIR_TRACERS; n++) air_fill(&air, NEAR(n), 1, 1 << 10);
    stage_run(tracers_last_run, dt, all);
    for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS
        {
            const int x[3] = {i, j, k};
            near((double)*air_written(&air, Q(n), i, j, k), last_stage(x, Q(n), FAR(n), NEAR(n)), "last stage", x);
        }
    air_free(&air);
}

Test(transport, the_stages_are_the_equations)
{
    for (int mixing = MIXING_OFF; mixing <= MIXING_CONSTANT; mixing++)
        for (int open = 0; open < 2; open++) {
            static const int at[] = {0, 2, 9, NI - 2};
            const size_t cuts = mixing == MIXING_FOURTH ? sizeof at / sizeof at[0] : 1;
            for (size_t n = 0; n < cuts; n++) cut = at[n], equations_check(mixing, open);
        }
    cut = 0;
}

static void fill_with(int field, double to)
{
    for (int j = -3; j < NJ + 3; j++)
        for (int k = -3; k < NK + 3; k++)
            for (int i = -3; i < NI + 3; i++) *air_at(&air, field, i, j, k) = (real)to;
}

/* ---- loops by lines have the bits of what is made of the description ----------------------------------------------
 */

static void same_as_made(stage_function *by_hand, stage_function *made)
{
    static real is[AIR_TRACERS][3][NI * NJ * NK];
    for (int turn = 0; turn < 2; turn++) {
        stage_run(turn ? made : by_hand, dt, all);
        for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS
            {
                const int at = (j * NK + k) * NI + i;
                const real now[3] = {*air_at(&air, NEAR(n), i, j, k), *air_at(&air, FAR(n), i, j, k),
                                     *air_written(&air, Q(n), i, j, k)};
                for (int m = 0; m < 3; m++) {
                    cr_assert(!turn || !memcmp(&now[m], &is[n][m][at], sizeof now[m]),
                              "mixing %d, open %d, cut at %d, tracer %d, at %d %d %d: %.9g, not %.9g", air.d.mixing,
                              air.d.open[0], cut, n, i, j, k, (double)is[n][m][at], (double)now[m]);
                    is[n][m][at] = now[m];
                }
            }
    }
}

Test(transport, lines_have_the_bits_of_the_description)
{
    for (int mixing = MIXING_OFF; mixing <= MIXING_CONSTANT; mixing++)
        for (int open = 0; open < 2; open++)
            for (cut = 0; cut < 14; cut += 2 + 9 * (cut > 0)) {
                open_air(mixing, open);
                air.d.species = mixing % 2 ? AIR_TRACERS - 1 : 0,
                air.d.named = mixing > 1 ? AIR_TRACERS : air.d.species;
                air_levels(&air, P_QV0, 0.1, 0.9, 1 << 10), air_levels(&air, P_QC0, 0.1, 0.9, 1 << 10);
                if (mixing == MIXING_FOURTH) fill_with(Q(1), 0), fill_with(NEAR(1), 0), fill_with(FAR(1), 0);
                same_as_made(tracers_first_run, tracers_first_made_run);
                same_as_made(tracers_second_run, tracers_second_made_run);
                same_as_made(tracers_share_run, tracers_share_made_run);
                air_free(&air);
            }
    cut = 0;
}

/* ---- what they promise --------------------------------------------------------------------------------------------
 */

/* ---- where there is nothing --------------------------------------------------------------------------------------
 */

static void near_to_nothing(double is, double should, const char *what, const int *at, const int *x)
{
    cr_assert(fabs(is - should) <= 30 * eps, "%s, of a cell at %d %d %d, at %d %d %d: %.9g, not %.9g", what, at[0],
              at[1], at[2], x[0], x[1], x[2], is, should);
}

/* One cell holds something, in the stage or at the start of the step; elsewhere is nothing but what was left in the
 * results. */
static void one_cell_check(const int *at, int is_start)
{
    for (int n = 0; n < AIR_TRACERS; n++) fill_with(Q(n), 0), fill_with(FAR(n), 0), fill_with(NEAR(n), 7);
    *air_at(&air, is_start ? Q(0) : FAR(0), at[0], at[1], at[2]) = R(0.5);
    stage_run(tracers_share_run, dt, all);
    FOR_CELLS
    {
        const int x[3] = {i, j, k};
        near_to_nothing(plain(NEAR(0), x), share(x, Q(0), FAR(0)), "factor", at, x);
        near_to_nothing((double)*air_written(&air, Q(0), i, j, k), last_stage(x, Q(0), FAR(0), WHOLE), "whole", at, x);
        near_to_nothing((double)*air_written(&air, Q(1), i, j, k), last_stage(x, Q(1), FAR(1), WHOLE), "none", at, x);
    }
    fill_with(NEAR(0), 0), fill_with(FAR(0), 7);
    *air_at(&air, is_start ? Q(0) : NEAR(0), at[0], at[1], at[2]) = R(0.5);
    stage_run(tracers_second_run, dt, all);
    FOR_CELLS
    {
        const int x[3] = {i, j, k};
        near_to_nothing(plain(FAR(0), x), free_stage(x, Q(0), NEAR(0)), "second stage", at, x);
    }
}

/* Lines that reach nothing are passed over: a cell that holds something, wherever it lies, is seen by every line that
 * reaches it, and so is air that enters. */
Test(transport, one_cell_is_seen_by_all_that_reach_it)
{
    static const int column[] = {-3, -1, 0, 5, NI - 3, NI - 1, NI + 2}, part[] = {0, NI - 4, 2, 9};
    for (int open = 0; open < 3; open++) {
        open_air(MIXING_FOURTH, open > 0);
        if (open == 2) air.d.tracer_inflow = 0;
        for (int turn = 0; turn < 154; turn++) {
            const int at[3] = {column[turn % 7], turn / 11 - 3, turn % 11 - 3};
            cut = part[turn / 7 % 4];
            one_cell_check(at, turn % 3 == 0);
        }
        air_free(&air);
    }
    cut = 0;
}

Test(transport, a_constant_stays_to_the_bit)
{
    for (int mixing = MIXING_OFF; mixing <= MIXING_CONSTANT; mixing++)
        for (int open = 0; open < 2; open++) {
            open_air(mixing, open);
            const double to = open ? inflow : 0.3;
            for (int n = 0; n < AIR_TRACERS; n++) fill_with(Q(n), to), fill_with(NEAR(n), to);
            stage_run(tracers_second_run, dt, all), stage_run(tracers_first_run, dt, all);
            for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS
                {
                    cr_assert_eq(*air_at(&air, NEAR(n), i, j, k), (real)to);
                    cr_assert_eq(*air_at(&air, FAR(n), i, j, k), (real)to);
                }
            for (int n = 0; n < AIR_TRACERS; n++) fill_with(FAR(n), to);
            stage_run(tracers_share_run, dt, all);
            for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS cr_assert_eq(*air_at(&air, NEAR(n), i, j, k), R(1.0));
            for (int n = 0; n < AIR_TRACERS; n++) air_fill(&air, NEAR(n), 1, 1 << 10); /* whatever the factor */
            stage_run(tracers_last_run, dt, all);
            for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS cr_assert_eq(*air_written(&air, Q(n), i, j, k), (real)to);
            air_free(&air);
        }
}

/* Values that no product of two keeps normal are zero after the last stage. */
Test(transport, what_is_too_small_to_count_is_zero)
{
    for (int open = 0; open < 2; open++) {
        open_air(MIXING_FOURTH, open);
        for (int n = 0; n < AIR_TRACERS; n++)
            fill_with(Q(n), 0.5 * (double)SF_FAINT), fill_with(FAR(n), 0.5 * (double)SF_FAINT);
        air.d.tracer_inflow = R(0.5) * SF_FAINT;
        stage_run(tracers_share_run, dt, all);
        for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS cr_assert_eq(*air_written(&air, Q(n), i, j, k), R(0.0));
        air_fill(&air, NEAR(0), 1, 1 << 10), air_fill(&air, NEAR(1), 1, 1 << 10);
        stage_run(tracers_last_run, dt, all);
        for (int n = 0; n < AIR_TRACERS; n++) FOR_CELLS cr_assert_eq(*air_written(&air, Q(n), i, j, k), R(0.0));
        air_free(&air);
    }
}

/* Fields of nothing and something, a stage value that is as wrong as can be, air that enters until it fills the cell.
 */
Test(transport, nothing_falls_below_zero)
{
    int zeros = 0;
    for (int turn = 0; turn < 60; turn++) {
        open_air(turn % 5, turn % 2);
        for (int n = 0; n < AIR_TRACERS; n++) {
            for (int j = -3; j < NJ + 3; j++)
                for (int k = -3; k < NK + 3; k++)
                    for (int i = -3; i < NI + 3; i++)
                        *air_at(&air, Q(n), i, j, k) = air_random(0, 1) < 0.5 ? R(0.0) : (real)air_random(0, 1);
            air_fill(&air, FAR(n), 2, 1 << 10);
        }
        double most = 0;
        FOR_CELLS
        {
            const int x[3] = {i, j, k};
            double in = 0;
            for (int axis = 0; axis < 3; axis++) in += fmax(mass(x, axis, 0), 0) + fmax(-mass(x, axis, 1), 0);
            most = fmax(most, in);
        }
        const double step = dt / most * 0.9999;
        stage_run(tracers_share_run, step, all);
        const struct box inner = {1, NI - 1, 1, NK - 1, 1, NJ - 1};
        stage_run(tracers_last_run, step, inner);
        for (int n = 0; n < AIR_TRACERS; n++)
            for (int j = 1; j < NJ - 1; j++)
                for (int k = 1; k < NK - 1; k++)
                    for (int i = 1; i < NI - 1; i++) {
                        const real q = *air_written(&air, Q(n), i, j, k);
                        cr_assert(q >= 0, "turn %d: %g", turn, (double)q);
                        zeros += !(q > 0);
                    }
        air_free(&air);
    }
    cr_assert_gt(zeros, 100);
}

/* ---- a plane that turns -------------------------------------------------------------------------------------------
 */

enum { PLANE = 64 };

/* Beyond the edges of the plane stands what is on the other side. */
static void plane_fill(int field)
{
    for (int j = -3; j < PLANE + 3; j++)
        for (int k = -3; k < 1 + 3; k++)
            for (int i = -3; i < PLANE + 3; i++)
                *air_at(&air, field, i, j, k) = *air_at(&air, field, (i + PLANE) % PLANE, (j + PLANE) % PLANE, 0);
}

static void plane_step(double step)
{
    const struct box b = {0, PLANE, 0, 1, 0, PLANE};
    plane_fill(Q(0)), stage_run(tracers_first_run, step / 3, b);
    plane_fill(NEAR(0)), stage_run(tracers_second_run, step / 2, b);
    plane_fill(FAR(0)), stage_run(tracers_share_run, step, b);
    plane_fill(NEAR(0)), stage_run(tracers_last_run, step, b);
    for (int j = 0; j < PLANE; j++)
        for (int i = 0; i < PLANE; i++) *air_at(&air, Q(0), i, j, 0) = *air_written(&air, Q(0), i, j, 0);
}

static void plane_open(void)
{
    air_make(&air, PLANE, PLANE, 1, 0);
    air.d.rdx = air.d.rdy = R(1.0);
    for (int k = -AIR_GHOSTS; k <= 1; k++) air.s.f[P_ADZC][k] = air.s.f[P_RHOF][k] = R(1.0);
}

/* Zalesak (1979): a cylinder with a slot, turned once. */
Test(transport, a_slotted_cylinder_turns_once)
{
    const double turn = 6.283185307179586, centre = PLANE / 2., step = turn / 400;
    plane_open();
    for (int j = -3; j < PLANE + 3; j++)
        for (int i = -3; i < PLANE + 3; i++) {
            *air_at(&air, F_U, i, j, 0) = (real) - (j + 0.5 - centre),
                                     *air_at(&air, F_V, i, j, 0) = (real)(i + 0.5 - centre);
            if (i >= 0 && i < PLANE && j >= 0 && j < PLANE)
                *air_at(&air, Q(0), i, j, 0) = (real)slotted_cylinder(i + 0.5 - centre, j + 0.5 - centre);
        }
    double begin = 0, end = 0, least = 1, most = 0, wrong = 0;
    real *const start = malloc(PLANE * PLANE * sizeof *start);
    for (int j = 0; j < PLANE; j++)
        for (int i = 0; i < PLANE; i++) begin += (double)(start[j * PLANE + i] = *air_at(&air, Q(0), i, j, 0));
    for (int n = 0; n < 400; n++) plane_step(step);
    for (int j = 0; j < PLANE; j++)
        for (int i = 0; i < PLANE; i++) {
            const double q = (double)*air_at(&air, Q(0), i, j, 0);
            end += q, least = fmin(least, q), most = fmax(most, q), wrong += fabs(q - (double)start[j * PLANE + i]);
        }
    free(start);
    printf("slotted cylinder: mass %.2e, least %g, most %.4f, error %.4f of the mass\n", end / begin - 1, least, most,
           wrong / begin);
    cr_assert(fabs(end / begin - 1) <= 1e-6, "%g", end / begin - 1);
    cr_assert(least >= 0 && most < 1.2, "%g %g", least, most);
    cr_assert_lt(wrong / begin, 0.35);
    air_free(&air);
}

/* ---- order --------------------------------------------------------------------------------------------------------
 */

/* The error of a wave of `waves` in the plane after a quarter of its length, along x or y. */
static double wave_error(int waves, int axis)
{
    const double k = 6.283185307179586 * waves / PLANE, step = 0.02;
    const int steps = 100;
    double error = 0;
    plane_open();
    for (int j = -3; j < PLANE + 3; j++)
        for (int i = -3; i < PLANE + 3; i++) {
            *air_at(&air, axis ? F_V : F_U, i, j, 0) = R(1.0);
            *air_at(&air, Q(0), i, j, 0) = (real)(2 + sin(k * (axis ? j : i)));
        }
    for (int n = 0; n < steps; n++) plane_step(step);
    for (int j = 0; j < PLANE; j++)
        for (int i = 0; i < PLANE; i++)
            error =
                fmax(error, fabs((double)*air_at(&air, Q(0), i, j, 0) - 2 - sin(k * ((axis ? j : i) - steps * step))));
    air_free(&air);
    return error;
}

Test(transport, is_of_fifth_order)
{
    if (sizeof(real) == 4) return; /* the errors are round-off */
    for (int axis = 0; axis < 2; axis++) {
        /* The same distance in cells: a wave twice as long has an error 2^6 less in so many steps. */
        const double coarse = wave_error(4, axis), fine = wave_error(2, axis), order = log2(coarse / fine) - 1;
        printf("order along %c: %.3f\n", "xy"[axis], order);
        cr_assert(order >= 4.8 && order < 5.2, "%g", order);
    }
}

/* ---- a whole case -------------------------------------------------------------------------------------------------
 */

static struct session session;

Test(transport, all_tracers_are_in_one_op)
{
    weather_open(&session, "&case name='ops' /\n&grid nx=8 ny=4 nz=4 dx=100 dy=100 dz=100 /\n"
                           "&time duration=1 dt=0.1 /\n&dynamics tracers=5 small_steps=2 /\n");
    int ops = 0;
    for (int n = 0; n < session.in.nops; n++) ops += session.in.op[n].members == 5;
    cr_assert_eq(ops, 4);
    session_close(&session);
    weather_open(&session, "&case name='ops' /\n&grid nx=8 ny=4 nz=4 dx=100 dy=100 dz=100 /\n"
                           "&time duration=1 dt=0.1 /\n&dynamics small_steps=2 /\n");
    for (int n = 0; n < session.in.nops; n++) cr_assert_eq(session.in.op[n].members, 0);
    session_close(&session);
}

/* A thermal between walls: q1 fills it, q2 lies below it, q3 is the same everywhere. */
Test(transport, a_thermal_carries_them)
{
    weather_open(
        &session,
        "&case name='thermal' /\n&grid nx=32 ny=16 nz=24 dx=250 dy=250 dz=250 /\n"
        "&time duration=300 dt=1.5 /\n&boundary west='wall' east='wall' south='wall' north='wall' /\n"
        "&dynamics tracers=3 small_steps=6 mixing='fourth' mixing_rate=1e-3 /\n"
        "&initial shape='cosine' amplitude=4 x=4000 y=2000 z=1500 radius_x=1500 radius_y=1500 radius_z=1200 /\n"
        "&initial shape='cosine' variable='tracer' amplitude=1 x=4000 y=2000 z=1500 radius_x=1500 radius_y=1500 "
        "radius_z=1200 /\n"
        "&initial shape='cosine' variable='tracer' tracer=2 amplitude=1 x=4000 y=2000 radius_z=300 /\n"
        "&initial shape='cosine' variable='tracer' tracer=3 amplitude=0.3 /\n");
    const struct dynamics_own *const own = session.in.own;
    double sum[2][3] = {{0}}, least = 0;
    for (int after = 0; after < 2; after++) {
        if (after) cr_assert_eq(verify_finish(&session), 0);
        for (int n = 0; n < 3; n++)
            for (int j = 0; j < 16; j++)
                for (int k = 0; k < 24; k++)
                    for (int i = 0; i < 32; i++) {
                        const double q = (double)*weather_at(&session, Q(n), i, j, k);
                        const double pi = own->base.pi0[k] + (double)*weather_at(&session, F_PI, i, j, k);
                        const double th = own->base.theta0[k] + (double)*weather_at(&session, F_TH, i, j, k);
                        sum[after][n] += q * pow(pi, own->ctx.cv_over_R) / th, least = fmin(least, q);
                        if (n == 2) cr_assert_eq(*weather_at(&session, Q(n), i, j, k), (real)0.3);
                    }
    }
    cr_assert(least >= 0, "%g", least);
    for (int n = 0; n < 3; n++) printf("thermal, q%d: %.2e of its mass\n", n + 1, sum[1][n] / sum[0][n] - 1);
    cr_assert(fabs(sum[1][0] / sum[0][0] - 1) < 3e-3 && fabs(sum[1][1] / sum[0][1] - 1) < 2e-3);
    cr_assert_lt(fabs(sum[1][2] / sum[0][2] - 1), 1e-6);
    session_close(&session);
}
