/* Stages of columns by value: a step of a model that uses all that columns have, against the same formulas in double
 * precision written by hand, where the systems are solved by elimination with pivots on a full matrix; columns of two
 * levels and of more, and more of them than a block holds. SPDX-License-Identifier: MIT */
#include "command/session.h"
#include "pipeline/error.h"
#include "pipeline/state.h"
#include "stages/describe.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NJ = 3, NI = 133, NK_MOST = 9 };

static const char model[] =
    "model columns \"all that columns have\"\n"
    "field q \"what falls\" = 2 + sin(x) + z\n"
    "field t \"what is mixed\" = cos(z) + 0.1 * x\n"
    "field b \"of two banks\" = z^2 - x\n"
    "scratch s\n"
    "map rain \"below\" = 0.5 * y\n"
    "map shade = 1 + 0.01 * x - 0.1 * y\n"
    "levels a = 1 + 0.2 * z\n"
    "number r = 0.3 / dz^2\n"
    /* what goes down, what is at the ground, what a column knows at all levels */
    "column fall {\n"
    "    carry from_above = shade[1, 0]\n"
    "    light = shade - 2 * t[0, 0, 1] + q\n"
    "    up {\n"
    "        weight = 0.1 * t\n"
    "    }\n"
    "    down {\n"
    "        leaves = at_bottom ? q : 0.5 * a * q\n"
    "        q += dt * (from_above - leaves + light) + weight\n"
    "        from_above = leaves\n"
    "    }\n"
    "    rain += dt * from_above + light\n"
    "}\n"
    /* made on the way up, solved on the way down; kept: some[3], of which results lend two */
    "column mix {\n"
    "    carry flux_below = 0\n"
    "    carry sum = 0\n"
    "    up {\n"
    "        flux = at_top ? 0 : r * (t[0, 0, 1] - t)\n"
    "        gain = flux - flux_below + (b[-1, 0, 0] + b[0, 1, 0])\n"
    "        flux_below = flux\n"
    "        other = q * gain\n"
    "        solve mixed = tridiagonal(at_bottom ? 0 : -r * a[-1], 2 + 2 * r, at_top ? 0 : -r * a,\n"
    "                                  t + dt * gain)\n"
    "    }\n"
    "    total = 0.5 * sum\n"
    "    sum = 1\n"
    "    down {\n"
    "        t = mixed + 0.25 * mixed[1]\n"
    "        s = gain - total\n"
    "        sum = sum + other\n"
    "    }\n"
    "    rain += 0.001 * sum\n"
    "}\n"
    /* made on the way down, solved on the way up; the same, from what was before */
    "column turn {\n"
    "    down {\n"
    "        solve v = tridiagonal(0.5, 3 + shade, at_bottom ? 0 : 0.25, b + s)\n"
    "    }\n"
    "    up {\n"
    "        new b = v - v[-1]\n"
    "    }\n"
    "}\n"
    "column back like turn old b\n"
    /* at the lowest level alone */
    "column low {\n"
    "    most = max(q, t[0, 0, 1])\n"
    "    q += 0.125 * rain\n"
    "    b -= 0.5 * shade[1, 0]\n"
    "    rain += 0.25 * most\n"
    "}\n"
    "step {\n    fall\n    mix\n    low\n    turn\n    back * 1 / 2\n}\n";

static double q[NJ][NK_MOST][NI], t[NJ][NK_MOST][NI], b[NJ][NK_MOST][NI], s[NJ][NK_MOST][NI], rain[NJ][NI];
static const double dx = 0.25, dy = 0.5, dz = 0.75, dt = 0.125;
static int nk;

static double x_of(int i) { return (i + 0.5) * dx; }
static double y_of(int j) { return (j + 0.5) * dy; }
static double z_of(int k) { return (k + 0.5) * dz; }
static double shade(int i, int j) { return 1 + 0.01 * x_of((i + NI) % NI) - 0.1 * y_of(j); }
static double rate(int k) { return 1 + 0.2 * z_of(k); }

/* x of m x = right, n numbers, by elimination with pivots. */
static void solve(int n, double m[NK_MOST][NK_MOST], double right[NK_MOST], double x[NK_MOST])
{
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int k = c + 1; k < n; k++)
            if (fabs(m[k][c]) > fabs(m[p][c])) p = k;
        for (int k = 0; k < n; k++) {
            const double was = m[c][k];
            m[c][k] = m[p][k], m[p][k] = was;
        }
        const double was = right[c];
        right[c] = right[p], right[p] = was;
        for (int k = c + 1; k < n; k++) {
            const double by = m[k][c] / m[c][c];
            for (int l = c; l < n; l++) m[k][l] -= by * m[c][l];
            right[k] -= by * right[c];
        }
    }
    for (int c = n - 1; c >= 0; c--) {
        x[c] = right[c];
        for (int k = c + 1; k < n; k++) x[c] -= m[c][k] * x[k];
        x[c] /= m[c][c];
    }
}

static void start(void)
{
    for (int j = 0; j < NJ; j++)
        for (int i = 0; i < NI; i++) {
            rain[j][i] = 0.5 * y_of(j);
            for (int k = 0; k < nk; k++) {
                q[j][k][i] = 2 + sin(x_of(i)) + z_of(k);
                t[j][k][i] = cos(z_of(k)) + 0.1 * x_of(i);
                b[j][k][i] = z_of(k) * z_of(k) - x_of(i);
            }
        }
}

static void fall(int i, int j)
{
    double from_above = shade(i + 1, j);
    const double light = shade(i, j) - 2 * t[j][1][i] + q[j][0][i];
    for (int k = nk - 1; k >= 0; k--) {
        const double leaves = k == 0 ? q[j][k][i] : 0.5 * rate(k) * q[j][k][i];
        q[j][k][i] += dt * (from_above - leaves + light) + 0.1 * t[j][k][i];
        from_above = leaves;
    }
    rain[j][i] += dt * from_above + light;
}

static void mix(int i, int j)
{
    double m[NK_MOST][NK_MOST] = {{0}}, right[NK_MOST], x[NK_MOST], gain[NK_MOST], flux[NK_MOST + 1] = {0}, sum = 1;
    const double r = 0.3 / (dz * dz);
    for (int k = 0; k < nk; k++) {
        flux[k + 1] = k + 1 < nk ? r * (t[j][k + 1][i] - t[j][k][i]) : 0;
        gain[k] = flux[k + 1] - flux[k] + (b[j][k][(i + NI - 1) % NI] + b[(j + 1) % NJ][k][i]);
        m[k][k] = 2 + 2 * r;
        if (k) m[k][k - 1] = -r * rate(k - 1);
        if (k + 1 < nk) m[k][k + 1] = -r * rate(k);
        right[k] = t[j][k][i] + dt * gain[k];
    }
    solve(nk, m, right, x);
    for (int k = nk - 1; k >= 0; k--) {
        t[j][k][i] = x[k] + 0.25 * (k + 1 < nk ? x[k + 1] : 0);
        s[j][k][i] = gain[k];
        sum += q[j][k][i] * gain[k];
    }
    rain[j][i] += 0.001 * sum;
}

static void low(int i, int j)
{
    const double most = fmax(q[j][0][i], t[j][1][i]);
    q[j][0][i] += 0.125 * rain[j][i], b[j][0][i] -= 0.5 * shade(i + 1, j), rain[j][i] += 0.25 * most;
}

static void turn(int i, int j, double to[NJ][NK_MOST][NI])
{
    double m[NK_MOST][NK_MOST] = {{0}}, right[NK_MOST], x[NK_MOST];
    for (int n = 0; n < nk; n++) { /* from the top on */
        const int k = nk - 1 - n;
        m[n][n] = 3 + shade(i, j);
        if (n) m[n][n - 1] = 0.5;
        if (k) m[n][n + 1] = 0.25;
        right[n] = b[j][k][i] + s[j][k][i];
    }
    solve(nk, m, right, x);
    for (int k = 0; k < nk; k++) to[j][k][i] = x[nk - 1 - k] - (k ? x[nk - k] : 0);
}

#define FOR_COLUMNS                                                                                                    \
    for (int j = 0; j < NJ; j++)                                                                                       \
        for (int i = 0; i < NI; i++)

static void step(double to[NJ][NK_MOST][NI])
{
    FOR_COLUMNS fall(i, j);
    FOR_COLUMNS mix(i, j);
    FOR_COLUMNS low(i, j);
    FOR_COLUMNS turn(i, j, to); /* `back` takes the same b and s: its dt is no part of it */
}

static void text_write(const char *path, const char *text)
{
    FILE *const to = fopen(path, "w");
    cr_assert(to && fputs(text, to) >= 0 && !fclose(to));
}

/* Numbers of some tens; a column of nine levels adds some fifty roundings, and no system here amplifies. */
static void expect(double got, double want, const char *name, int i, int j, int k)
{
    const double size = 64 * 64 * (SF_PREC == 64 ? 0x1p-52 : 0x1p-23);
    cr_assert(fabs(got - want) <= size, "%s at %d %d %d of %d levels: %.9g, not %.9g", name, i, j, k, nk, got, want);
}

static void levels_try(int levels)
{
    char dir[] = "/tmp/sferic-columns-XXXXXX", path[64], nml[64], text[512];
    static double b2[NJ][NK_MOST][NI];
    cr_assert(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/toy.sf", dir), snprintf(nml, sizeof nml, "%s/toy.nml", dir);
    nk = levels;
    snprintf(text, sizeof text,
             "&case model = 'toy.sf' / &grid nx = %d, ny = %d, nz = %d, dx = %g, dy = %g, dz = %g /\n"
             "&time duration = %g, dt = %g / &pipeline threads = 2 /\n",
             NI, NJ, nk, dx, dy, dz, dt, dt);
    text_write(path, model), text_write(nml, text);
    setenv("XDG_CACHE_HOME", dir, 1);
    struct session session;
    cr_assert_eq(session_open(&session, &(struct session_options){.path = nml}), SF_OK, "%s", sf_error_text());
    cr_assert_eq(session_advance(&session, 1), SF_OK, "%s", sf_error_text());
    start(), step(b2);
    const struct state *const st = &session.state;
    const struct slab *const h = &st->host.s;
    const int map = 4; /* behind the four fields of three dimensions */
    FOR_COLUMNS
    {
        for (int k = 0; k < nk; k++) {
            expect((double)state_line(st, 0, j, k)[i], q[j][k][i], "q", i, j, k);
            expect((double)state_line(st, 1, j, k)[i], t[j][k][i], "t", i, j, k);
            expect((double)state_line(st, 2, j, k)[i], b2[j][k][i], "b", i, j, k);
        }
        expect((double)h->f[map][(j - h->j0) * h->sm + i], rain[j][i], "rain", i, j, 0);
    }
    session_close(&session);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_assert_eq(system(command), 0);
}

Test(columns, of_two_levels) { levels_try(2); }
Test(columns, of_three_levels) { levels_try(3); }
Test(columns, of_nine_levels) { levels_try(NK_MOST); }

/* What a sweep leaves waits where a result is written later, if nobody reads what was there before. */
Test(columns, what_waits_lodges_with_results)
{
    struct description d = {0};
    describe_read(&d, "m.sf", model), describe_settle(&d);
    cr_assert(!d.errors, "%s", d.errors);
    const struct described *const fall = &d.stage[0], *const mix = &d.stage[1], *const turn = &d.stage[2];
    cr_assert_eq(fall->nslots, 1); /* weight: q is read where it is written */
    cr_assert_eq(fall->ncarried, 2); /* from_above, light */
    /* gain, other, ratio and value: t and s lend their places, q and b are not written here */
    cr_assert_eq(mix->nslots, 2);
    cr_assert_eq(mix->ncarried, 6);
    cr_assert_eq(turn->nslots, 1);
    for (int n = 0; n < mix->ntouches; n++) {
        const struct touch *const x = &mix->touch[n];
        const struct reach r = x->reach;
        if (!strcmp(x->field->name, "t"))
            cr_assert(touch_reading(x) == ACCESS_UPDATE && !r.kp, "t is read at levels within alone");
        if (!strcmp(x->field->name, "b")) cr_assert(r.im == 1 && r.jp == 1 && !r.ip && !r.jm && !r.km && !r.kp);
    }
    cr_assert_eq(d.stage[3].touch[0].is_old + d.stage[3].touch[1].is_old + d.stage[3].touch[2].is_old, 1);
    describe_free(&d);
}
