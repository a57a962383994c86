/* The heat equation on the engine: every discrete mode decays at its own exact rate, heat is conserved, and no cut
 * shows. SPDX-License-Identifier: MIT */
#include "support_heat.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct comm alone = {.rank = 0, .size = 1};
static const double pi = 3.14159265358979323846;

/* ---- modes ---- */

struct mode {
    int m[3]; /* waves, or half waves between sides that are not periodic; x, y, z */
};

static int side_of(const struct heat *h, int axis)
{
    return axis == 0 ? h->params.sides[0] : axis == 1 ? h->params.sides[1] : (int)SIDE_SYMMETRIC;
}

/* Half the phase that a mode gains from cell to cell. */
static double half_phase(const struct heat *h, int axis, int m)
{
    const int n[3] = {h->grid.nx, h->grid.ny, h->grid.nz};
    return (side_of(h, axis) == SIDE_PERIODIC ? pi : pi / 2) * m / n[axis];
}

static double mode_value(const struct heat *h, const void *how, int j, int k, int i)
{
    const struct mode *q = how;
    const int at[3] = {i, j, k};
    double v = 1;
    for (int axis = 0; axis < 3; axis++) {
        const double phase = half_phase(h, axis, q->m[axis]) * (2 * at[axis] + 1);
        v *= side_of(h, axis) == SIDE_SYMMETRIC ? cos(phase) : sin(phase);
    }
    return v;
}

/* What a step multiplies a mode by: 1 - 4 kappa dt sum sin^2(half phase) / dx^2, the eigenvalue of the scheme. */
static double mode_factor(const struct heat *h, const struct mode *q, double dt)
{
    const double size[3] = {h->config.grid_dx, h->config.grid_dy, h->config.grid_dz};
    double rate = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double s = sin(half_phase(h, axis, q->m[axis])) / size[axis];
        rate += 4 * h->params.heat_kappa * s * s;
    }
    return 1 - rate * dt;
}

static const struct engine_options plain = {.threads = 1, .slabs = 1, .steps_per_pass = 1};

Test(heat, every_mode_decays_at_its_discrete_rate)
{
    static const int cells[] = {12, 10, 6};
    static const double sizes[] = {2, 1, 0.5};
    const double dt = 0.05, tolerance = sizeof(real) == 4 ? 2e-6 : 1e-14;
    const int steps = 25;
    for (int x = SIDE_PERIODIC; x <= SIDE_SYMMETRIC; x++)
        for (int y = SIDE_PERIODIC; y <= SIDE_SYMMETRIC; y++) {
            if (x == SIDE_OPEN || y == SIDE_OPEN) continue;
            struct heat h;
            cr_assert_eq(heat_open(&h, cells, sizes, x, y, 0.3), 0);
            for (int m = 1; m <= 3; m++) {
                const struct mode q = {.m = {m, 4 - m, m - 1}};
                int rc;
                real *u = heat_run(&h, &alone, &plain, mode_value, &q, dt, steps, &rc);
                cr_assert_eq(rc, 0);
                const double factor = pow(mode_factor(&h, &q, dt), steps);
                cr_assert(factor > 0.01 && factor < 0.99, "the mode neither stays nor vanishes: %g", factor);
                size_t n = 0;
                for (int j = 0; j < cells[1]; j++)
                    for (int k = 0; k < cells[2]; k++)
                        for (int i = 0; i < cells[0]; i++, n++) {
                            const double exact = factor * mode_value(&h, &q, j, k, i);
                            cr_assert(fabs((double)u[n] - exact) < tolerance,
                                      "sides %d %d, mode %d, cell %d %d %d: %g, not %g", x, y, m, j, k, i, (double)u[n],
                                      exact);
                        }
                free(u);
            }
            heat_close(&h);
        }
}

/* ---- heat is conserved where none leaves ---- */

static double bump(const struct heat *h, const void *how, int j, int k, int i)
{
    (void)h, (void)how;
    return (i * 7 + j * 5 + k * 3) % 11 - 3.0;
}

static double sum_of(const real *u, size_t n)
{
    double sum = 0;
    for (size_t a = 0; a < n; a++) sum += (double)u[a];
    return sum;
}

Test(heat, heat_is_conserved_unless_a_wall_takes_it)
{
    static const int cells[] = {9, 11, 5};
    static const double sizes[] = {1, 1, 1};
    const size_t n = 9 * 11 * 5;
    for (int side = SIDE_PERIODIC; side <= SIDE_SYMMETRIC; side++) {
        if (side == SIDE_OPEN) continue;
        struct heat h;
        cr_assert_eq(heat_open(&h, cells, sizes, SIDE_PERIODIC, side, 1.0), 0);
        int rc;
        real *first = heat_run(&h, &alone, &plain, bump, NULL, 0.1, 0, &rc);
        real *last = heat_run(&h, &alone, &plain, bump, NULL, 0.1, 50, &rc);
        const double change = fabs(sum_of(last, n) - sum_of(first, n)), rounding = (sizeof(real) == 4 ? 1e-3 : 1e-11);
        if (side == SIDE_WALL) cr_assert(change > 1);
        else cr_assert(change < rounding, "sides %d: the sum changed by %g", side, change);
        free(first);
        free(last);
        heat_close(&h);
    }
}

/* ---- the same bits however it is cut ---- */

Test(heat, no_cut_shows, .timeout = 300)
{
    static const int slabs[] = {1, 2, 3, 7}, windows[] = {1, 2, 5, 1000};
    static const double sizes[] = {1, 1, 1};
    for (int side = SIDE_PERIODIC; side <= SIDE_WALL; side++) {
        const int cells[] = {67, 23, 3}, steps = 7; /* enough columns for two threads */
        const size_t bytes = 67 * 23 * 3 * sizeof(real);
        struct heat h;
        int rc;
        cr_assert_eq(heat_open(&h, cells, sizes, SIDE_PERIODIC, side, 1.0), 0);
        real *one = heat_run(&h, &alone, &plain, bump, NULL, 0.15, steps, &rc);
        for (int v = 0; v < 4 * 4 * 4 * 2 * 2; v++) {
            const struct engine_options o = {.slabs = slabs[v & 3],
                                             .window_rows = windows[v >> 2 & 3],
                                             .steps_per_pass = 1 + (v >> 4 & 3),
                                             .threads = 1 + (v >> 6 & 1),
                                             .overlapped = v >> 7 & 1,
                                             .exchange = v % 3,
                                             .poison = 1};
            real *u = heat_run(&h, &alone, &o, bump, NULL, 0.15, steps, &rc);
            cr_assert_eq(rc, 0);
            cr_assert(memcmp(u, one, bytes) == 0,
                      "side %d, slabs %d, overlapped %d, window %d, steps per pass %d, threads %d", side, o.slabs,
                      o.overlapped, o.window_rows, o.steps_per_pass, o.threads);
            free(u);
        }
        free(one);
        heat_close(&h);
    }
}
