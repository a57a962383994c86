/* A described model by value: one step of a model that uses all that the language has, against the same formulas in
 * double precision, written by hand. SPDX-License-Identifier: MIT */
#include "command/session.h"
#include "pipeline/error.h"
#include "pipeline/state.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NI = 7, NJ = 5, NK = 6 };

static const char model[] = "model toy \"all of the language\"\n"
                            "parameter kappa = 2.5 \"1\" \"a number\" 0 .. 10\n"
                            "parameter other = -1.5\n"
                            "number r = kappa / dx^2 + other\n"
                            "number q = 2 * r - dy\n"
                            "field u \"at centres\" = sin(x) + 2 * cos(y) * exp(-0.1 * z)\n"
                            "field v \"on faces\" on x = x - 0.5 * y + z^2\n"
                            "field w = 0.25 * x * z\n"
                            "field t \"what u was in between\"\n"
                            "field e\n"
                            "scratch s\n"
                            "levels a = sqrt(z + 10)\n"
                            "map h = x + 10 * y\n"
                            "function left(f) = f - f[-1, 0, 0]\n"
                            "function bent(f, by) = by * left(f[1, 0, 0]) - by * left(f)\n"
                            "point one {\n"
                            "    rate = r * dt - time\n"
                            "    s = rate * bent(u, a[1]) + h[0, -1] - max(w, 1) * min(u, 0.5)\n"
                            "}\n"
                            "point two {\n"
                            "    near = u > 1 || u < -1 && v > 0 ? -s : abs(s)\n"
                            "    new u = fma(near, 2, u[0, 1, -1]) / (3 + w^3) - dt\n"
                            "    v -= q * w - pow(a, 1.5)\n"
                            "}\n"
                            "function larger(q) = max(q[0 .. 1, 0, 0])\n"
                            "point between apart {\n"
                            "    most = larger(u[0, -1, 0])\n"
                            "    t = u + v[1, 0, 0]\n"
                            "    e = most - w\n"
                            "}\n"
                            "point three {\n"
                            "    u = old u + u_part(v, w)\n"
                            "    new w = w[0, 0, 1] - w[0, 0, -1] + log(kappa)\n"
                            "}\n"
                            "function u_part(b, c) = 0.5 * (b[1, 0, 0] + b) - c\n"
                            "step {\n    one\n    two * 1 / 2\n    between\n    three\n}\n"
                            "show both = u + 0.5 * (v + v[1, 0, 0])\n"
                            "total mass = u\nlargest most = w\n";

static double u[NJ][NK][NI], v[NJ][NK][NI], w[NJ][NK][NI], s[NJ][NK][NI], t2[NJ][NK][NI], u2[NJ][NK][NI],
    v2[NJ][NK][NI], w2[NJ][NK][NI], e2[NJ][NK][NI];
static const double dx = 0.5, dy = 0.75, dz = 0.25, dt = 0.125, kappa = 2.5, other = -1.5;

static double height(int k) { return (k + 0.5) * dz; }
static int round_i(int i) { return (i + NI) % NI; }
static int round_j(int j) { return (j + NJ) % NJ; }
static int mirrored(int k) { return k < 0 ? -1 - k : k >= NK ? 2 * NK - 1 - k : k; }

#define FOR_CELLS                                                                                                      \
    for (int j = 0; j < NJ; j++)                                                                                       \
        for (int k = 0; k < NK; k++)                                                                                   \
            for (int i = 0; i < NI; i++)

static void start(void)
{
    FOR_CELLS
    {
        const double x = (i + 0.5) * dx, y = (j + 0.5) * dy, z = height(k);
        u[j][k][i] = sin(x) + 2 * cos(y) * exp(-0.1 * z);
        v[j][k][i] = i * dx - 0.5 * y + z * z;
        w[j][k][i] = 0.25 * x * z;
    }
}

static void step(void)
{
    const double r = kappa / (dx * dx) + other, q = 2 * r - dy;
    FOR_CELLS
    {
        const double by = sqrt(height(k + 1) + 10), h = (i + 0.5) * dx + 10 * (round_j(j - 1) + 0.5) * dy;
        const double bent = by * (u[j][k][round_i(i + 1)] - u[j][k][i]) - by * (u[j][k][i] - u[j][k][round_i(i - 1)]);
        s[j][k][i] = r * dt * bent + h - fmax(w[j][k][i], 1) * fmin(u[j][k][i], 0.5);
    }
    FOR_CELLS
    {
        const double here = u[j][k][i],
                     near = here > 1 || (here < -1 && v[j][k][i] > 0) ? -s[j][k][i] : fabs(s[j][k][i]);
        u2[j][k][i] = (near * 2 + u[round_j(j + 1)][mirrored(k - 1)][i]) / (3 + pow(w[j][k][i], 3)) - dt / 2;
        v2[j][k][i] = v[j][k][i] - (q * w[j][k][i] - pow(height(k) + 10, 0.75));
    }
    FOR_CELLS
    {
        const int south = round_j(j - 1);
        t2[j][k][i] = u2[j][k][i] + v2[j][k][round_i(i + 1)];
        e2[j][k][i] = fmax(u2[south][k][i], u2[south][k][round_i(i + 1)]) - w[j][k][i];
    }
    FOR_CELLS
    {
        u2[j][k][i] = u[j][k][i] + 0.5 * (v2[j][k][round_i(i + 1)] + v2[j][k][i]) - w[j][k][i];
        w2[j][k][i] = w[j][mirrored(k + 1)][i] - w[j][mirrored(k - 1)][i] + log(kappa);
    }
}

static void text_write(const char *path, const char *text)
{
    FILE *const to = fopen(path, "w");
    cr_assert(to && fputs(text, to) >= 0 && !fclose(to));
}

static void expect(const struct session *of, int field, double want[NJ][NK][NI], const char *name)
{
    const double size = 64 * (SF_PREC == 64 ? 0x1p-52 : 0x1p-23); /* numbers of some tens, some ten roundings */
    FOR_CELLS
    {
        const double got = (double)state_line(&of->state, field, j, k)[i];
        cr_assert(fabs(got - want[j][k][i]) <= size, "%s at %d %d %d: %.9g, not %.9g", name, i, j, k, got,
                  want[j][k][i]);
    }
}

Test(described, a_step_of_all_that_the_language_has)
{
    char dir[] = "/tmp/sferic-described-XXXXXX", path[64], nml[64];
    cr_assert(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/toy.sf", dir), snprintf(nml, sizeof nml, "%s/toy.nml", dir);
    text_write(path, model);
    text_write(nml, "&case model = 'toy.sf' / &grid nx = 7, ny = 5, nz = 6, dx = 0.5, dy = 0.75, dz = 0.25 /\n"
                    "&time duration = 0.125, dt = 0.125 / &pipeline threads = 1 /\n");
    setenv("XDG_CACHE_HOME", dir, 1);
    struct session session;
    cr_assert_eq(session_open(&session, &(struct session_options){.path = nml}), SF_OK, "%s", sf_error_text());
    start();
    expect(&session, 0, u, "u at the start"), expect(&session, 1, v, "v at the start"),
        expect(&session, 2, w, "w at the start");
    cr_assert_eq(session_advance(&session, 1), SF_OK, "%s", sf_error_text());
    step();
    expect(&session, 0, u2, "u"), expect(&session, 1, v2, "v"), expect(&session, 2, w2, "w"),
        expect(&session, 3, t2, "t"), expect(&session, 4, e2, "e");
    double number[2], courant, sum = 0, most = -1e9;
    cr_assert_eq(session.model->measure(&session.in, &session.state, dt, number, &courant), SF_OK);
    FOR_CELLS sum += u2[j][k][i] * dx * dy * dz, most = fmax(most, w2[j][k][i]);
    cr_assert_float_eq(number[0], sum, 1e-4 * fabs(sum));
    cr_assert_float_eq(number[1], most, 1e-5);
    session_close(&session);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_assert_eq(system(command), 0);
}
