/* What a larger scale does: from the keys of &forcing, or the file that it names, to the table that stages read.
 * SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"
#include "dynamics/limits.h"

#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const forced_key[FORCED_KEYS] = {"geostrophic_u", "geostrophic_v", "subsidence", "u_rate",
                                             "v_rate",        "theta_rate",    "qv_rate",    "nudging_u",
                                             "nudging_v",     "nudging_theta", "nudging_qv", "nudging_share"};
enum {
    TARGETS = 1 << FORCED_U | 1 << FORCED_V | 1 << FORCED_THETA | 1 << FORCED_QV,
    RATES =
        1 << FORCED_SUBSIDENCE | 1 << FORCED_U_RATE | 1 << FORCED_V_RATE | 1 << FORCED_THETA_RATE | 1 << FORCED_QV_RATE
};

static const double *table_of(const struct dynamics_params *p, int key)
{
    const double *const of[FORCED_KEYS] = {
        p->forcing_geostrophic_u, p->forcing_geostrophic_v, p->forcing_subsidence, p->forcing_u_rate,
        p->forcing_v_rate,        p->forcing_theta_rate,    p->forcing_qv_rate,    p->forcing_nudging_u,
        p->forcing_nudging_v,     p->forcing_nudging_theta, p->forcing_nudging_qv, p->forcing_nudging_share};
    return of[key];
}

static int is_given(const struct forcing *f, int key) { return f->given >> key & 1; }
static int is_any(const struct forcing *f, unsigned keys) { return (f->given & keys) != 0; }

static double magnitude(double x) { return x < 0 ? -x : x; }

/* The largest of a profile at all times and levels, as a share of `over` by level where that is given. */
static double largest(const struct dynamics_own *own, int of, int by_height)
{
    const struct grid *const g = own->grid;
    double most = 0;
    for (int t = 0; t < own->forcing.times; t++)
        for (int k = 0; k < g->nz; k++) {
            const double x = own->forcing.value[((size_t)t * FORCED_ALL + (size_t)of) * (size_t)g->nz + (size_t)k];
            double least = g->z_f[k + 1] - g->z_f[k]; /* to both neighbours */
            if (k) least = SF_MIN(least, g->z_c[k] - g->z_c[k - 1]);
            if (k + 1 < g->nz) least = SF_MIN(least, g->z_c[k + 1] - g->z_c[k]);
            most = SF_MAX(most, magnitude(x) / (by_height ? least : 1));
        }
    return most;
}

/* ---- what a namelist can have wrong ------------------------------------------------------------------------------ */

/* A key that changes nothing, and why. `column`: of the file, which `key` names; NULL: the key itself. */
static void idle_tell(struct complaints *to, const char *key, const char *column, const char *beside, const char *why)
{
    char keys[128];
    snprintf(keys, sizeof keys, "forcing%%%s%s%s", key, beside[0] ? " " : "", beside);
    sf_complain_mildly(to, keys, -1, "%s%s changes nothing: %s", column ? column : key, column ? " of the file" : "",
                       why);
}

/* Keys that are there, and act on nothing, whether from the namelist or from a file. */
static void idle_check(const struct dynamics_own *own, double duration, struct forcing *f, struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    const int is_filed = f->path[0] != '\0';
    const int is_still = !(p->dynamics_coriolis_f < 0 || p->dynamics_coriolis_f > 0),
              is_dry = p->water_scheme == SCHEME_NONE;
    for (int key = 0; key < FORCED_KEYS; key++) {
        if (!is_given(f, key)) continue;
        const char *const name = is_filed ? "file" : forced_key[key], *const column = is_filed ? forced_key[key] : NULL;
        char why[160];
        f->idle |= 1u << key;
        if (key <= FORCED_GEOSTROPHIC_V && is_still) {
            snprintf(why, sizeof why, "%s acts by way of the Coriolis force, and coriolis_f is 0", forced_key[key]);
            idle_tell(to, name, column, "dynamics%coriolis_f", why);
        } else if ((key == FORCED_QV_RATE || key == FORCED_QV) && is_dry) {
            snprintf(why, sizeof why, "%s is of vapour, and the air has none: set &water scheme", forced_key[key]);
            idle_tell(to, name, column, "water%scheme", why);
        } else if ((TARGETS >> key & 1 || key == FORCED_SHARE) && !(p->forcing_nudging_time > 0)) {
            snprintf(why, sizeof why, "%s is reached within nudging_time, and that is not given", forced_key[key]);
            idle_tell(to, name, column, "forcing%nudging_time", why);
        } else if (key == FORCED_SHARE && !(f->given & ~f->idle & TARGETS)) {
            if (!f->is_wrong)
                idle_tell(to, name, column, "forcing%nudging_time", "no profile is given that air would return to");
        } else {
            f->idle &= ~(1u << key);
        }
    }
    if (f->is_wrong) return;
    double most = 0; /* a geostrophic wind and targets of 0 act, too */
    for (int key = FORCED_SUBSIDENCE; key <= FORCED_QV_RATE; key++)
        if (is_given(f, key)) most = SF_MAX(most, largest(own, key, 0));
    if (is_any(f, RATES) && !(f->given & ~f->idle & ~(unsigned)RATES) && !(most > 0))
        sf_complain_mildly(to, is_filed ? "forcing%file" : "forcing%z", -1,
                           "subsidence and tendencies are 0 at all levels: &forcing changes nothing");
    if (p->forcing_nudging_time > 0 && !is_any(f, TARGETS))
        idle_tell(to, "nudging_time", NULL, "", "no profile is given that air would return to, such as nudging_theta");
    if (p->forcing_interval > 0 && !f->has_wind && !f->has_heat && !f->has_water)
        idle_tell(to, "interval", NULL, "",
                  "there is neither subsidence nor a tendency, nor nudging, that it would be of");
    else if (p->forcing_interval > 0 && p->forcing_interval >= duration)
        sf_complain_mildly(to, "forcing%interval time%duration", -1,
                           "what is due comes at the end of each interval of %g s, and the run ends at %g s: of "
                           "subsidence, tendencies and nudging nothing comes",
                           p->forcing_interval, duration);
}

void forcing_check(struct dynamics_own *own, int (*values)(const void *, const char *, const char *), const void *names,
                   struct complaints *to)
{
    const struct dynamics_params *const p = &own->params;
    struct forcing *const f = &own->forcing;
    const int heights = values(names, "forcing", "z"), is_filed = p->forcing_file[0] != '\0';
    if (is_filed && heights) idle_tell(to, "z", NULL, "forcing%file", "profiles come from the file");
    for (int n = 0; n < heights && !is_filed; n++) {
        if (p->forcing_z[n] < 0)
            sf_complain(to, "forcing%z", n, "heights are above the ground: %g m is not", p->forcing_z[n]);
        else if (n && !(p->forcing_z[n] > p->forcing_z[n - 1]))
            sf_complain(to, "forcing%z", n, "heights must rise: %g m follows %g m", p->forcing_z[n],
                        p->forcing_z[n - 1]);
    }
    for (int key = 0; key < FORCED_KEYS; key++) {
        const int n = values(names, "forcing", forced_key[key]);
        char keys[64];
        snprintf(keys, sizeof keys, "forcing%%%s forcing%%z", forced_key[key]);
        if (!n) continue;
        if (is_filed) {
            idle_tell(to, forced_key[key], NULL, "forcing%file", "profiles come from the file");
            continue;
        }
        if (n != heights) sf_complain(to, keys, -1, "%d of z, but %d of %s: give as many", heights, n, forced_key[key]);
        else f->given |= 1u << key;
    }
    f->heights = heights;
    f->is_wrong = to && to->errors > 0;
    if (heights && !is_filed && !f->given && !f->is_wrong)
        sf_complain_mildly(to, "forcing%z", -1, "no profile is given at these heights: z changes nothing");
}

/* ---- what is given, by level ------------------------------------------------------------------------------------- */

static int blocks_make(struct forced_blocks *b, struct forcing *f, const struct instance *in, const char *dir)
{
    const struct dynamics_params *const p = &((const struct dynamics_own *)in->own)->params;
    if (p->forcing_file[0]) {
        SF_TRY(file_find("file of forcing", p->forcing_file, dir, f->path, sizeof f->path));
        SF_TRY(forced_read(b, f->path, in));
        for (int key = 0; key < FORCED_KEYS; key++)
            if (b->of[0].value[key]) f->given |= 1u << key;
        return SF_OK;
    }
    if (!f->given) return SF_OK;
    struct forced_block *const to = forced_add(b, 0, f->heights, f->given);
    SF_CHECK(to, SF_MEMORY, "no memory for the profiles of &forcing");
    for (int n = 0; n < to->n; n++) to->z[n] = p->forcing_z[n];
    for (int key = 0; key < FORCED_KEYS; key++)
        for (int n = 0; to->value[key] && n < to->n; n++) to->value[key][n] = table_of(p, key)[n];
    return SF_OK;
}

/* What level k has of a profile, in the terms of the stages: winds relative to the grid, theta to the base state. */
static double value_at(const struct dynamics_own *own, const struct forced_block *b, int key, int k)
{
    const struct base_state *const base = &own->base;
    const int is_u = key == FORCED_GEOSTROPHIC_U || key == FORCED_U,
              is_v = key == FORCED_GEOSTROPHIC_V || key == FORCED_V;
    double x = key == FORCED_GEOSTROPHIC_U   ? base->u0[k]
               : key == FORCED_GEOSTROPHIC_V ? base->v0[k]
               : key == FORCED_SHARE         ? 1
                                             : 0;
    if (b->value[key]) x = sounding_line(b->n, b->z, b->value[key], own->grid->z_c[k]);
    if (is_u) x -= own->ctx.translation[0];
    if (is_v) x -= own->ctx.translation[1];
    return key == FORCED_THETA && b->value[key] ? x - base->theta[k] : x;
}

static void levels_fill(struct dynamics_own *own, const struct forced_blocks *b)
{
    struct forcing *const f = &own->forcing;
    const int nk = own->grid->nz;
    const double rate = own->params.forcing_nudging_time > 0 ? 1 / own->params.forcing_nudging_time : 0;
    for (int t = 0; t < b->n; t++) {
        double *const to = f->value + (size_t)t * FORCED_ALL * (size_t)nk;
        f->time[t] = b->of[t].time;
        for (int key = 0; key < FORCED_KEYS; key++)
            for (int k = 0; k < nk; k++) to[key * nk + k] = value_at(own, &b->of[t], key, k);
        for (int q = 0; q < FORCED_ALL - FORCED_KEYS; q++)
            for (int k = 0; k < nk; k++)
                to[(FORCED_KEYS + q) * nk + k] = is_given(f, FORCED_U + q) ? rate * to[FORCED_SHARE * nk + k] : 0;
    }
}

/* ---- what it asks of the time step, and what is doubtful --------------------------------------------------------- */

static void limits_find(struct dynamics_own *own)
{
    struct forcing *const f = &own->forcing;
    const double sinks = largest(own, FORCED_SUBSIDENCE, 1);
    double nudges = 0;
    for (int of = FORCED_KEYS; of < FORCED_ALL; of++) nudges = SF_MAX(nudges, largest(own, of, 0));
    f->sink_limit = sinks > 0 ? 1 / sinks : NO_LIMIT, f->nudging_limit = nudges > 0 ? 1 / nudges : NO_LIMIT;
}

/* The op runs in the first step at or behind a multiple of the interval, so that up to a step more may have passed. */
static void interval_check(const struct dynamics_own *own, const struct instance *in)
{
    const struct forcing *const f = &own->forcing;
    const struct config *const c = in->config;
    const double interval = own->params.forcing_interval,
                 dt = SF_MAX(c->time_adaptive ? c->time_dt_max : c->time_dt, 0), /* 0: not known */
        most = interval + dt;
    if (!f->is_there || !(interval > dt)) return;
    if (most > f->sink_limit)
        sf_complain(
            in->complaints, "forcing%interval forcing%subsidence", -1,
            "in %g s, an interval and a step, air sinks through more than a level: interval is to be below %.4g s",
            most, SF_MAX(f->sink_limit - dt, 0));
    if (most > f->nudging_limit)
        sf_complain(in->complaints, "forcing%interval forcing%nudging_time", -1,
                    "in %g s, an interval and a step, nudging would overshoot: interval is to be below %.4g s", most,
                    SF_MAX(f->nudging_limit - dt, 0));
}

/* Is a profile other than 0 at one of its ends? */
static int has_end(const struct forced_blocks *b, int is_top)
{
    int has = 0;
    for (int t = 0; t < b->n; t++)
        for (int key = 0; key < FORCED_KEYS; key++) {
            const double *const x = b->of[t].value[key];
            if (x && key != FORCED_SHARE) has |= magnitude(x[is_top ? b->of[t].n - 1 : 0]) > 0;
        }
    return has;
}

/* Larger than what a larger scale does: mostly of another unit. */
static void rates_doubt(const struct dynamics_own *own, struct complaints *to)
{
    static const struct {
        int key;
        double most;
        const char *usual;
    } of[] = {{FORCED_SUBSIDENCE, 0.2, "air of a larger scale rises or sinks by mm or cm in a second: 1 cm/s is 1e-2"},
              {FORCED_U_RATE, 0.02, "the largest gradients of pressure make 1e-2 m/s2: 1 m/s an hour is 2.78e-4"},
              {FORCED_V_RATE, 0.02, "the largest gradients of pressure make 1e-2 m/s2: 1 m/s an hour is 2.78e-4"},
              {FORCED_THETA_RATE, 5e-3, "1 K a day is 1.157e-5, 1 K an hour 2.78e-4"},
              {FORCED_QV_RATE, 5e-6, "1 g/kg a day is 1.157e-8, 1 g/kg an hour 2.78e-7"},
              {FORCED_QV, 0.04, "the moistest air of this Earth has 40 g/kg: 1 g/kg is 1e-3"}};
    const struct forcing *const f = &own->forcing;
    const int nk = own->grid->nz;
    char keys[64];
    for (size_t n = 0; n < sizeof of / sizeof of[0]; n++) {
        const char *const name = forced_key[of[n].key];
        const double most = is_given(f, of[n].key) ? largest(own, of[n].key, 0) : 0;
        snprintf(keys, sizeof keys, "forcing%%%s", f->path[0] ? "file" : name);
        if (most > of[n].most) sf_complain_mildly(to, keys, -1, "%s has %g: %s", name, most, of[n].usual);
    }
    /* As a departure from the base state. */
    const double away = is_given(f, FORCED_THETA) ? largest(own, FORCED_THETA, 0) : 0;
    snprintf(keys, sizeof keys, "forcing%%%s", f->path[0] ? "file" : "nudging_theta");
    if (away > 60 && own->params.forcing_nudging_time > 0)
        sf_complain_mildly(to, keys, -1,
                           "nudging_theta departs from theta of the base state by %.0f K: it is potential temperature, "
                           "in K, and holds its last value up to the lid",
                           away);
    double share = 0;
    for (int k = 0; k < f->times * nk; k++)
        share = SF_MAX(share, f->value[((k / nk) * FORCED_ALL + FORCED_SHARE) * nk + k % nk]);
    snprintf(keys, sizeof keys, "forcing%%%s", f->path[0] ? "file" : "nudging_share");
    if (is_given(f, FORCED_SHARE) && is_any(f, TARGETS) && !(share > 0))
        sf_complain_mildly(to, keys, -1, "nudging_share is 0 at all levels: nothing returns to the nudging profiles");
}

static void doubts_tell(const struct dynamics_own *own, const struct instance *in, const struct forced_blocks *b)
{
    const struct grid *const g = own->grid;
    const struct forcing *const f = &own->forcing;
    const char *const what = f->path[0] ? "forcing%file" : "forcing%z";
    const struct forced_block *const first = &b->of[0];
    const double low = first->z[0], high = first->z[first->n - 1], lowest = g->z_c[0], highest = g->z_c[g->nz - 1],
                 end = f->time[f->times - 1], duration = in->config->time_duration;
    if (first->n > 1 && high < highest && has_end(b, 1))
        sf_complain_mildly(in->complaints, what, -1,
                           "profiles end at %g m, and the highest level is at %g m: above, they stay as they are there",
                           high, highest);
    if (first->n > 1 && low > lowest && has_end(b, 0))
        sf_complain_mildly(
            in->complaints, what, -1,
            "profiles begin at %g m, and the lowest level is at %g m: below, they stay as they are there", low, lowest);
    rates_doubt(own, in->complaints);
    if (own->base.is_moist && is_given(f, FORCED_THETA) && own->params.forcing_nudging_time > 0)
        sf_complain_mildly(
            in->complaints, f->path[0] ? "forcing%file" : "forcing%nudging_theta", -1,
            "theta of this dry air is virtual, from a sounding with moisture, and nudging_theta is taken "
            "as virtual, too");
    if (f->times > 1 && f->time[0] > 0)
        sf_complain_mildly(in->complaints, "forcing%file", -1,
                           "the first time of the file is %g s: before, its values are those of that time", f->time[0]);
    if (f->times > 1 && end < duration)
        sf_complain_mildly(
            in->complaints, "forcing%file time%duration", -1,
            "the last time of the file is %g s, and the run ends at %g s: from there on values stay as they are", end,
            duration);
}

/* ---- binding ----------------------------------------------------------------------------------------------------- */

static int forced_fill(struct dynamics_own *own, const struct instance *in, const struct forced_blocks *b)
{
    struct forcing *const f = &own->forcing;
    const int has_water = own->params.water_scheme != SCHEME_NONE, nudges = own->params.forcing_nudging_time > 0;
    const unsigned pull = nudges ? f->given : 0;
    f->times = b->n;
    f->has_geostrophic = is_any(f, 1 << FORCED_GEOSTROPHIC_U | 1 << FORCED_GEOSTROPHIC_V);
    f->has_subsidence = is_given(f, FORCED_SUBSIDENCE);
    f->has_wind = f->has_subsidence || is_any(f, 1 << FORCED_U_RATE | 1 << FORCED_V_RATE) ||
                  (pull & (1 << FORCED_U | 1 << FORCED_V));
    f->has_water = has_water && (f->has_subsidence || is_given(f, FORCED_QV_RATE) || pull >> FORCED_QV & 1);
    f->has_heat = f->has_subsidence || is_given(f, FORCED_THETA_RATE) || pull >> FORCED_THETA & 1 || f->has_water;
    f->is_there = f->has_geostrophic || f->has_wind || f->has_heat;
    f->time = calloc((size_t)b->n, sizeof *f->time);
    f->value = calloc((size_t)b->n * FORCED_ALL * (size_t)own->grid->nz, sizeof *f->value);
    SF_CHECK(f->time && f->value, SF_MEMORY, "no memory for the profiles of &forcing by level");
    levels_fill(own, b);
    limits_find(own);
    interval_check(own, in);
    doubts_tell(own, in, b);
    return SF_OK;
}

int forcing_make(struct instance *in, struct dynamics_own *own, const char *dir)
{
    struct forced_blocks b = {0};
    int rc = blocks_make(&b, &own->forcing, in, dir);
    if (!rc && b.n) rc = forced_fill(own, in, &b);
    forced_free(&b);
    if (rc == SF_INPUT) {
        sf_complain_failure(in->complaints, "forcing%file", -1, rc);
        return SF_NAMELIST;
    }
    if (!rc) idle_check(own, in->config->time_duration, &own->forcing, in->complaints);
    return rc;
}

void forcing_free(struct forcing *f)
{
    table_free(f->table);
    free(f->time), free(f->value);
    *f = (struct forcing){0};
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* The values at a time: before the first and behind the last of the times those of them. */
static void step_fill(const struct forcing *f, size_t n, double time, real *to)
{
    int later = 0;
    while (later < f->times && f->time[later] <= time) later++;
    const int before = SF_MAX(later - 1, 0), after = SF_MIN(later, f->times - 1);
    const double gap = f->time[after] - f->time[before], share = gap > 0 ? (time - f->time[before]) / gap : 0;
    const double *const a = f->value + (size_t)before * n, *const b = f->value + (size_t)after * n;
    for (size_t m = 0; m < n; m++) to[m] = (real)(a[m] + share * (b[m] - a[m]));
}

int forcing_prepare(struct dynamics_own *own, int steps, const double *time)
{
    struct forcing *const f = &own->forcing;
    const size_t n = (size_t)FORCED_ALL * (size_t)own->grid->nz;
    const int many = f->times > 1 ? steps : 1;
    if (!f->is_there || (f->times == 1 && f->table)) return SF_OK;
    if (many > f->capacity) {
        table_free(f->table);
        f->capacity = 0;
        f->table = table_alloc((size_t)many * n * sizeof *f->table);
        SF_CHECK(f->table, SF_MEMORY, "no memory for the forcing of %d steps", many);
        f->capacity = many;
    }
    for (int s = 0; s < many; s++) step_fill(f, n, time[s], f->table + (size_t)s * n);
    own->ctx.forced = f->table, own->ctx.forced_step = f->times > 1 ? (ptrdiff_t)n : 0;
    return SF_OK;
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

/* So many units of the last place a step is to add, that rounding is below 1.5 % of it. */
enum { UNITS = 32 };

/* What a step adds to values as large as `size` is rounded to their last place: too much of it, where steps are short.
 */
static void rounding_tell(const struct dynamics_own *own, int of, double size, double dt, const char *unit,
                          void (*line)(void *, const char *), void *to)
{
    const double rate = largest(own, of, 0), step = SF_MAX(dt, own->params.forcing_interval),
                 unit_last = size * (SF_PREC == 64 ? 2.2e-16 : 1.2e-7);
    char text[384];
    if (!(rate > 0) || rate * step > UNITS * unit_last) return;
    snprintf(text, sizeof text,
             "advice: forcing%%%s adds up to %.2g %s in %.3g s, of which %.1g %% and more is rounded away or up; "
             "forcing%%interval = %.2g s leaves 1.5 %%",
             forced_key[of], rate * step, unit, step, SF_MIN(50 * unit_last / (rate * step), 100),
             UNITS * unit_last / rate);
    line(to, text);
}

void forcing_report(const struct dynamics_own *own, double dt, void (*line)(void *, const char *), void *to)
{
    const struct forcing *const f = &own->forcing;
    char text[512] = "forcing:", time[96] = "";
    if (!f->is_there) return;
    for (int key = 0; key < FORCED_KEYS; key++)
        if (is_given(f, key) && !(f->idle >> key & 1))
            snprintf(text + strlen(text), sizeof text - strlen(text), " %s", forced_key[key]);
    if (f->times > 1)
        snprintf(time, sizeof time, "; %d times, %g to %g s", f->times, f->time[0], f->time[f->times - 1]);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s", time);
    line(to, text);
    double qv = 0;
    for (int k = 0; k < own->grid->nz; k++) qv = SF_MAX(qv, own->base.qv[k]);
    rounding_tell(own, FORCED_THETA_RATE, 8, dt, "K", line, to);
    if (f->has_water) rounding_tell(own, FORCED_QV_RATE, qv, dt, "kg/kg", line, to);
}
