/* What kernels of the weather rely on beyond their own stage's line in stages.def. SPDX-License-Identifier: MIT */
#include "command/bench.h"
#include "dynamics/dynamics.h"
#include "dynamics/stages.h"
#include "maxwell/maxwell.h"
#include "support_weather.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static int is_written(const struct stage *s, int field)
{
    int written = 0;
    for (const struct access *x = s->access; x->mode; x++) written |= x->field == field && access_writes(x->mode);
    return written;
}

/* `bench` holds a tally for each, and one for ghosts. */
Test(stages, are_no_more_than_bench_can_hold)
{
    cr_assert_lt(dynamics_model.nstages, BENCH_STAGES);
    cr_assert_lt(maxwell_model.nstages, BENCH_STAGES);
}

/* The kernel of u and v that follows one of w and pi' reads all but the pressure while that still runs. */
Test(stages, what_is_read_early_is_not_what_w_and_pi_write)
{
    const struct model *m = &dynamics_model;
    int writers = 0, readers = 0;
    for (const struct stage *w = m->stage; w < m->stage + m->nstages; w++) {
        if (strncmp(w->name, "wpi", 3)) continue;
        writers++;
        cr_assert(is_written(w, F_W) && is_written(w, F_PI) && is_written(w, F_PID));
        for (const struct stage *r = m->stage; r < m->stage + m->nstages; r++) {
            if (strncmp(r->name, "uv", 2)) continue;
            readers++;
            for (const struct access *x = r->access; x->mode; x++) {
                if (x->field == F_PI || x->field == F_PID) continue;
                cr_assert(!is_written(w, x->field), "%s writes field %d, which %s reads early", w->name, x->field,
                          r->name);
            }
        }
    }
    cr_assert(writers >= 3 && readers >= 9, "%d stages, %d pairs", writers, readers);
}

static enum access_mode mode_of(const char *stage, int field)
{
    const struct model *m = &dynamics_model;
    for (const struct stage *s = m->stage; s < m->stage + m->nstages; s++)
        for (const struct access *x = s->access; x->mode && !strcmp(s->name, stage); x++)
            if (x->field == field) return x->mode;
    return ACCESS_END;
}

/* The first small step of a later Runge-Kutta stage starts all over: from the wind and the pressure of the start. */
Test(stages, runge_kutta_stages_go_on_from_the_start)
{
    static const int from_the_start[] = {F_U, F_V, F_PI};
    for (int n = 0; n < 3; n++) {
        cr_assert_eq(mode_of("uv_first", from_the_start[n]), ACCESS_READ, "field %d", from_the_start[n]);
        cr_assert_eq(mode_of("uv_start", from_the_start[n]), ACCESS_READ_OTHER, "field %d", from_the_start[n]);
    }
    cr_assert_eq(mode_of("uv", F_PID), ACCESS_READ);
    cr_assert_eq(mode_of("wpi_start", F_PI), ACCESS_READ_OTHER);
    cr_assert_eq(mode_of("theta", F_TH), ACCESS_READ_OTHER);
}

/* Parts of the time step that the program's stages of a name take, in all and how many. */
static double parts_of(const struct instance *in, const char *name, int *count)
{
    double sum = 0;
    *count = 0;
    for (int n = 0; n < in->nops; n++)
        if (!strncmp(dynamics_model.stage[in->op[n].stage].name, name, strlen(name)))
            sum += in->op[n].dt_factor, ++*count;
    return sum;
}

/* M, N/2 and N small steps over a third, a half and the whole of a time step. */
Test(stages, small_steps_of_each_runge_kutta_stage)
{
    static const struct {
        const char *keys;
        int count;
    } cases[] = {{"small_steps = 6", 10},
                 {"small_steps = 12", 20},
                 {"small_steps = 6, first_small_steps = 2", 11},
                 {"small_steps = 12, first_small_steps = 1", 19}};
    for (int n = 0; n < (int)(sizeof cases / sizeof cases[0]); n++) {
        static struct session s;
        char text[400];
        int count;
        snprintf(text, sizeof text,
                 "&case name = 'steps' /\n&grid nx = 6, ny = 5, nz = 4, dx = 400, dy = 300, dz = 100 /\n"
                 "&time duration = 1, dt = 0.5 /\n&dynamics %s /\n",
                 cases[n].keys);
        weather_open(&s, text);
        cr_assert_float_eq(parts_of(&s.in, "uv", &count), 1.0 / 3 + 1.0 / 2 + 1, 1e-12, "%s", cases[n].keys);
        cr_assert_eq(count, cases[n].count, "%s: %d", cases[n].keys, count);
        cr_assert_float_eq(parts_of(&s.in, "wpi", &count), 1.0 / 3 + 1.0 / 2 + 1, 1e-12, "%s", cases[n].keys);
        cr_assert_eq(count, cases[n].count, "%s: %d", cases[n].keys, count);
        session_close(&s);
    }
}

/* Small steps of moist air are those of dry air with theta_rho in place of theta'. */
Test(stages, small_steps_of_moist_air_read_theta_rho)
{
    static const char *const dry[] = {"uv_first", "uv_start", "uv", "wpi_first", "wpi_start", "wpi"};
    static const char *const moist[] = {"uv_moist_first",  "uv_moist_start",  "uv_moist",
                                        "wpi_moist_first", "wpi_moist_start", "wpi_moist"};
    for (int n = 0; n < 6; n++) {
        cr_assert_eq(mode_of(dry[n], F_TH), ACCESS_READ, "%s", dry[n]);
        cr_assert_eq(mode_of(moist[n], F_THR), ACCESS_READ, "%s", moist[n]);
        cr_assert_eq(mode_of(moist[n], F_TH), ACCESS_END, "%s", moist[n]);
        for (int f = 0; f < P_TH0; f++)
            if (f != F_TH && f != F_THR)
                cr_assert_eq(mode_of(moist[n], f), mode_of(dry[n], f), "%s, field %d", moist[n], f);
    }
}
