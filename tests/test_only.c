/* `only where`, and fields that are read as they are and as they were, by value: a step of a model of both against the
 * same formulas in double precision. Rows have stretches in which nothing happens, longer than what a loop passes over.
 * SPDX-License-Identifier: MIT */
#include "command/session.h"
#include "pipeline/error.h"
#include "pipeline/state.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NI = 333, NJ = 2, NK = 7 };

/* Rows are clear from x = 70 to 300, but for a stretch of three cells; the lowest two levels have a little. */
static const char model[] =
    "model few \"what happens at few points\"\n"
    "field q \"what grows\" = x > 70 && x < 300 && (x < 140 || x > 143) ? 0 : 0.6 + 0.5 * sin(1.7 * x) + 0.1 * z\n"
    "field t \"what it adds to\" = cos(z) + 0.01 * x\n"
    "field b \"of two banks\" = 0.25 * z + 0.002 * x\n"
    "map ground = 0.25\n"
    "point grow {\n"
    "    rate = 2 * q\n"
    "    twice = rate * rate\n"
    "    only where rate > 1.05 || q < -1\n"
    "    t = t - 0.5 * q * rate\n"
    "    q = q + dt * twice\n"
    "}\n"
    "column sink {\n"
    "    carry flux = 0\n"
    "    carry passed = 0\n"
    "    down {\n"
    "        half = 0.5 * flux\n"
    "        only where q > 0.4 || half > 0.125\n"
    "        gone = 0.5 * q\n"
    "        q = gone + half\n"
    "        flux = gone\n"
    "        passed = passed + 1\n"
    "    }\n"
    "    ground += flux + 0.125 * passed\n"
    "}\n"
    "point turn {\n"
    "    new b = b[1, 0, 0] + 0.5 * q\n"
    "}\n"
    "point both {\n"
    "    t += old b[0, 0, 1] - 2 * b + b[0, 1, 0]\n"
    "}\n"
    "step {\n    grow\n    sink\n    turn\n    both\n}\n";

static double q[NJ][NK][NI], t[NJ][NK][NI], b[NJ][NK][NI], next[NJ][NK][NI], ground[NJ][NI];
static const double dt = 0.125;

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NJ; j++)                                                                                       \
        for (int k = 0; k < NK; k++)                                                                                   \
            for (int i = 0; i < NI; i++)

static int grown, left, sunk, passed_over;

static void start(void)
{
    FOR_CELLS
    {
        const double x = i + 0.5, z = k + 0.5;
        q[j][k][i] = x > 70 && x < 300 && (x < 140 || x > 143) ? 0 : 0.6 + 0.5 * sin(1.7 * x) + 0.1 * z;
        t[j][k][i] = cos(z) + 0.01 * x, b[j][k][i] = 0.25 * z + 0.002 * x, ground[j][i] = 0.25;
    }
}

/* Whether a point changes must not hang on a rounding. */
static int is_above(double x, double limit)
{
    cr_assert(fabs(x - limit) > 1e-5, "%.9g is too near to %g: choose another", x, limit);
    return x > limit;
}

static void step(void)
{
    FOR_CELLS
    {
        const double was = q[j][k][i], rate = 2 * was;
        if (!is_above(rate, 1.05)) {
            left++;
            continue;
        }
        grown++, q[j][k][i] = was + dt * rate * rate, t[j][k][i] -= 0.5 * was * rate;
    }
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) {
            double flux = 0, passed = 0;
            for (int k = NK - 1; k >= 0; k--) {
                const int is_full = is_above(q[j][k][i], 0.4), comes = is_above(0.5 * flux, 0.125);
                if (!is_full && !comes) {
                    passed_over++;
                    continue;
                }
                const double gone = 0.5 * q[j][k][i];
                q[j][k][i] = gone + 0.5 * flux, flux = gone, passed++, sunk++;
            }
            ground[j][i] += flux + 0.125 * passed;
        }
    FOR_CELLS next[j][k][i] = b[j][k][(i + 1) % NI] + 0.5 * q[j][k][i];
    FOR_CELLS t[j][k][i] += b[j][k + 1 < NK ? k + 1 : k][i] - 2 * next[j][k][i] + next[(j + 1) % NJ][k][i];
}

static void text_write(const char *path, const char *text)
{
    FILE *const to = fopen(path, "w");
    cr_assert(to && fputs(text, to) >= 0 && !fclose(to));
}

/* Numbers below 8, some ten roundings. */
static void expect(double got, double want, const char *name, int i, int j, int k)
{
    const double size = 64 * (SF_PREC == 64 ? 0x1p-52 : 0x1p-23);
    cr_assert(fabs(got - want) <= size, "%s at %d %d %d: %.9g, not %.9g", name, i, j, k, got, want);
}

Test(only, few_points_and_both_banks_by_value)
{
    char dir[] = "/tmp/sferic-only-XXXXXX", path[64], nml[64], text[512];
    cr_assert(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/toy.sf", dir), snprintf(nml, sizeof nml, "%s/toy.nml", dir);
    snprintf(text, sizeof text,
             "&case model = 'toy.sf' / &grid nx = %d, ny = %d, nz = %d, dx = 1, dy = 1, dz = 1 /\n"
             "&time duration = %g, dt = %g / &pipeline threads = 2 /\n",
             NI, NJ, NK, dt, dt);
    text_write(path, model), text_write(nml, text);
    setenv("XDG_CACHE_HOME", dir, 1);
    struct session session;
    cr_assert_eq(session_open(&session, &(struct session_options){.path = nml}), SF_OK, "%s", sf_error_text());
    cr_assert_eq(session_advance(&session, 1), SF_OK, "%s", sf_error_text());
    start(), step();
    cr_assert(grown > 500 && left > 500 && sunk > 500 && passed_over > 500);
    const struct state *const st = &session.state;
    const struct slab *const h = &st->host.s;
    const int map = 3; /* behind the fields of three dimensions */
    FOR_CELLS
    {
        expect((double)state_line(st, 0, j, k)[i], q[j][k][i], "q", i, j, k);
        expect((double)state_line(st, 1, j, k)[i], t[j][k][i], "t", i, j, k);
        expect((double)state_line(st, 2, j, k)[i], next[j][k][i], "b", i, j, k);
        expect((double)h->f[map][(j - h->j0) * h->sm + i], ground[j][i], "ground", i, j, 0);
    }
    session_close(&session);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_assert_eq(system(command), 0);
}
