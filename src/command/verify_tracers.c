/* Tracers in a thermal, and in a wind that turns them: what they promise, and whose mass it is that they gain.
 * SPDX-License-Identifier: MIT */
#include "command/session.h"
#include "command/verify.h"
#include "command/verify_exact.h"
#include "dynamics/dynamics.h"
#include "pipeline/error.h"

#include <math.h>
#include <stdlib.h>

enum { NX = 48, NY = 48, NZ = 32, CELLS = NX * NY * NZ, TRACERS = 3 };

/* rho up to a factor, the winds (whose last faces are walls) and q1 of all cells. */
struct air_state {
    double rho[CELLS], wind[3][CELLS], q[CELLS];
};

static int cell(int i, int j, int k) { return (j * NZ + k) * NX + i; }

static void state_take(const struct session *s, struct air_state *to)
{
    const struct dynamics_own *const own = s->in.own;
    for (int j = 0; j < NY; j++)
        for (int k = 0; k < NZ; k++) {
            const real *const pi = verify_line(s, F_PI, j, k), *const th = verify_line(s, F_TH, j, k);
            for (int axis = 0; axis < 3; axis++)
                for (int i = 0; i < NX; i++)
                    to->wind[axis][cell(i, j, k)] = (double)verify_line(s, F_U + axis, j, k)[i];
            for (int i = 0; i < NX; i++) {
                const int c = cell(i, j, k);
                to->rho[c] =
                    pow(own->base.pi0[k] + (double)pi[i], own->ctx.cv_over_R) / (own->base.theta0[k] + (double)th[i]);
                to->q[c] = (double)verify_line(s, F_Q, j, k)[i];
            }
        }
}

/* The mass that a step brought through the face below the cell, per cell: 0 on a wall. */
static double through(const struct air_state *a, const struct air_state *b, int axis, const int x[3], double dt_dx)
{
    static const int most[3] = {NX, NY, NZ};
    if (x[axis] == 0 || x[axis] == most[axis]) return 0;
    const int high = cell(x[0], x[1], x[2]), low = cell(x[0] - (axis == 0), x[1] - (axis == 1), x[2] - (axis == 2));
    const double rho = (a->rho[low] + a->rho[high] + b->rho[low] + b->rho[high]) / 4;
    return dt_dx * rho * (a->wind[axis][high] + b->wind[axis][high]) / 2;
}

/* What rho gained in a step beside what came through the faces, weighted with q. */
static double own_gain(const struct air_state *a, const struct air_state *b, double dt_dx)
{
    double sum = 0;
    for (int j = 0; j < NY; j++)
        for (int k = 0; k < NZ; k++)
            for (int i = 0; i < NX; i++) {
                const int c = cell(i, j, k);
                double gain = b->rho[c] - a->rho[c];
                for (int axis = 0; axis < 3; axis++) {
                    const int low[3] = {i, j, k}, high[3] = {i + (axis == 0), j + (axis == 1), k + (axis == 2)};
                    gain += through(a, b, axis, high, dt_dx) - through(a, b, axis, low, dt_dx);
                }
                sum += gain * (a->q[c] + b->q[c]) / 2;
            }
    return sum;
}

static void sums(const struct session *s, const struct air_state *a, double sum[TRACERS], double *least)
{
    for (int n = 0; n < TRACERS; n++) {
        sum[n] = 0;
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++) {
                const real *const q = verify_line(s, F_Q + n * F_FAMILY, j, k);
                for (int i = 0; i < NX; i++)
                    sum[n] += a->rho[cell(i, j, k)] * (double)q[i], *least = fmin(*least, (double)q[i]);
            }
    }
}

static int thermal_run(struct verify *v, struct session *s, struct air_state *at, double dt, double most)
{
    SF_TRY(verify_open(
        s,
        "&case name='tracers' /\n"
        "&grid nx=%d ny=%d nz=%d dx=250 dy=250 dz=250 /\n"
        "&time duration=600 dt=%g /\n"
        "&boundary west='wall' east='wall' south='wall' north='wall' /\n"
        "&dynamics tracers=%d /\n"
        "&initial shape='cosine' amplitude=2 x=6000 y=6000 z=1500 radius_x=1500 radius_y=1500 radius_z=1200 /\n"
        "&initial shape='cosine' variable='tracer' amplitude=1 x=6000 y=6000 z=1500 radius_x=1500 radius_y=1500 "
        "radius_z=1200 /\n"
        "&initial shape='cosine' variable='tracer' tracer=2 amplitude=1 x=6000 y=6000 z=0 radius_x=1e9 radius_y=1e9 "
        "radius_z=2000 /\n"
        "&initial shape='cosine' variable='tracer' tracer=3 amplitude=0.5 radius_x=1e12 radius_y=1e12 radius_z=1e12 /\n",
        NX, NY, NZ, dt, TRACERS));
    double begin[TRACERS], end[TRACERS], least = 0, gained = 0;
    struct air_state *now = &at[0], *next = &at[1];
    state_take(s, now);
    sums(s, now, begin, &least);
    while (session_steps_left(s) > 0) {
        SF_TRY(session_advance(s, 1));
        SF_TRY(engine_fetch(&s->engine));
        state_take(s, next);
        gained += own_gain(now, next, dt / 250);
        struct air_state *const was = now;
        now = next, next = was;
    }
    sums(s, now, end, &least);
    double dry[2] = {0};
    for (int c = 0; c < CELLS; c++) dry[1] += now->rho[c];
    dry[0] = begin[2] / 0.5;
    const double drift = end[0] / begin[0] - 1, own = gained / begin[0];
    verify_near(v, verify_name("dt %g s: least of three tracers", dt), least, 0, 0, "positive definite");
    verify_near(v, verify_name("dt %g s: a constant's mass over air's, change", dt),
                end[2] / begin[2] / (dry[1] / dry[0]) - 1, 0, 1e-12, "a constant stays one to the bit");
    verify_guard_most(v, verify_name("dt %g s: drift of a layer below", dt), fabs(end[1] / begin[1] - 1), 3e-5);
    verify_guard_most(v, verify_name("dt %g s: drift of what fills the thermal", dt), fabs(drift), most);
    verify_show(v, verify_name("dt %g s: of it, what rho gains by itself", dt), own, NAN, "beside its mean fluxes");
    return SF_OK;
}

/* ---- a cylinder with a slot ---- */

enum { WIDE = 96, TURN = 400 };

/* A wind of -f around the axis, the same from 40 cells on: the Coriolis force bends it, so that it needs no pressure.
 * Set anew before each step it is the same within, whatever comes from where it ends. Fills q1, too, where `q`. */
static int wind_put(struct session *s, double f, double dx, int q)
{
    SF_TRY(engine_fetch(&s->engine));
    for (int j = 0; j < WIDE; j++)
        for (int k = 0; k < s->grid.nz; k++) {
            real *line[F_PI + 1], *const to = state_line(&s->state, F_Q, j, k);
            for (int field = F_U; field <= F_PI; field++) line[field] = state_line(&s->state, field, j, k);
            for (int i = 0; i < WIDE; i++) {
                const double x = i + 0.5 - WIDE / 2, y = j + 0.5 - WIDE / 2;
                line[F_U][i] = (real)(f * dx * fmax(-40, fmin(y, 40)));
                line[F_V][i] = (real)(-f * dx * fmax(-40, fmin(x, 40)));
                line[F_W][i] = line[F_TH][i] = line[F_PI][i] = R(0.0);
                if (q) to[i] = (real)slotted_cylinder(x, y);
            }
        }
    engine_changed(&s->engine);
    return engine_refresh(&s->engine);
}

static int cylinder_run(struct verify *v, struct session *s)
{
    const double f = 1e-3, dx = 4000, dt = 2 * M_PI / f / TURN;
    SF_TRY(verify_open(s,
                       "&case name='cylinder' /\n"
                       "&grid nx=%d ny=%d nz=2 dx=%g dy=%g dz=1000 /\n"
                       "&time duration=%.17g dt=%.17g /\n"
                       "&dynamics tracers=1 mixing='off' coriolis_f=%g /\n",
                       WIDE, WIDE, dx, dx, TURN * dt, dt, f));
    const struct dynamics_own *const own = s->in.own;
    double begin = 0, end = 0, wrong = 0, least = 0, most = 0;
    for (int n = 0; n < TURN; n++) {
        SF_TRY(wind_put(s, f, dx, n == 0));
        SF_TRY(session_advance(s, 1));
    }
    SF_TRY(engine_fetch(&s->engine));
    for (int j = 0; j < WIDE; j++)
        for (int k = 0; k < s->grid.nz; k++) {
            const real *const pi = verify_line(s, F_PI, j, k), *const th = verify_line(s, F_TH, j, k),
                              *const q = verify_line(s, F_Q, j, k);
            for (int i = 0; i < WIDE; i++) {
                const double was = slotted_cylinder(i + 0.5 - WIDE / 2, j + 0.5 - WIDE / 2), is = (double)q[i];
                const double rho = pow(own->base.pi0[k] + (double)pi[i], own->ctx.cv_over_R) /
                                   (own->base.theta0[k] + (double)th[i]),
                             base = pow(own->base.pi0[k], own->ctx.cv_over_R) / own->base.theta0[k];
                begin += base * was, end += rho * is, wrong += base * fabs(is - was);
                least = fmin(least, is), most = fmax(most, is);
            }
        }
    verify_near(v, "slotted cylinder, one turn: least value", least, 0, 0, "positive definite");
    verify_most_guarded(v, "its mass, gained or lost", fabs(end / begin - 1), 1e-6, 1e-7,
                        "conservation; rounding of 400 steps");
    verify_guard_near(v, "its error, of its mass", wrong / begin, 0.344, 0.01);
    verify_guard_near(v, "its largest value", most, 1.167, 0.03);
    return SF_OK;
}

int verify_tracers(struct verify *v)
{
    struct session s;
    struct air_state *const at = malloc(2 * sizeof *at);
    SF_CHECK(at, SF_MEMORY, "no memory for two states of a thermal");
    int rc = SF_OK;
    for (int n = 1; n <= 2 && !rc; n++) {
        rc = thermal_run(v, &s, at, n, 1.8e-3 * n + 6e-4);
        session_close(&s);
    }
    free(at);
    if (!rc) {
        rc = cylinder_run(v, &s);
        session_close(&s);
    }
    return rc;
}
