/* What a run of monitors has in common with its reference: monitors and sources, to the last place; the mesh is axes of
 * the result. Media, shapes, sides, layers, duration and output may differ. SPDX-License-Identifier: MIT */
#include "maxwell/incident_parts.h"
#include "maxwell/own.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OF_SOURCE = 24, OF_WAVE = 20, OF_MONITOR = 8 }; /* facts of each at most */

static const double degrees = 180 / 3.14159265358979323846;

/* Where the next fact goes. */
struct facts {
    struct result_fact *fact;
    int n;
    char of[96];
};

static void text_add(struct facts *to, const char *name, const char *text, int length)
{
    struct result_fact *const f = &to->fact[to->n++];
    *f = (struct result_fact){.name = name, .unit = ""};
    memcpy(f->of, to->of, sizeof f->of);
    snprintf(f->text, sizeof f->text, "%.*s", length, text);
}

static void numbers_add(struct facts *to, const char *name, const char *unit, int n, const double *value)
{
    struct result_fact *const f = &to->fact[to->n++];
    *f = (struct result_fact){.name = name, .unit = unit, .n = n};
    memcpy(f->of, to->of, sizeof f->of);
    memcpy(f->value, value, (size_t)n * sizeof *value);
}

static void number_add(struct facts *to, const char *name, const char *unit, double value)
{
    numbers_add(to, name, unit, 1, &value);
}

/* Word number `which` of `words`. */
static void word_add(struct facts *to, const char *name, const char *words, int which)
{
    for (; which > 0; which--) words += strcspn(words, " ") + 1;
    text_add(to, name, words, (int)strcspn(words, " "));
}

/* A waveform by what decides it; a file by its pairs. */
static void waveform_facts(struct facts *to, const struct waveform *w)
{
    word_add(to, "waveform", WAVEFORMS, (int)w->kind);
    number_add(to, "delay", "s", w->delay);
    if (w->kind != WAVE_FILE) number_add(to, "frequency", "Hz", w->frequency);
    if (w->kind == WAVE_MODULATED_GAUSSIAN) number_add(to, "bandwidth", "Hz", w->bandwidth);
    if (w->kind == WAVE_MODULATED_GAUSSIAN || w->kind == WAVE_RAMPED_SINE)
        number_add(to, "phase", "degree", w->phase * degrees);
    if (w->kind != WAVE_FILE || !w->n) return;
    double all = 0, moment = 0;
    for (int m = 0; m < w->n - 1; m++) {
        const double h = w->time[m + 1] - w->time[m], a = w->value[m], b = w->value[m + 1];
        all += h * (a * a + a * b + b * b) / 3;
        moment += h * 0.5 * (w->time[m] * a + w->time[m + 1] * b);
    }
    const double span[2] = {w->time[0], w->time[w->n - 1]};
    number_add(to, "pairs", "1", w->n);
    numbers_add(to, "pairs_from_to", "s", 2, span);
    number_add(to, "pairs_square", "s", all);
    number_add(to, "pairs_moment", "s2", moment);
}

static void source_facts(struct facts *to, const struct source *s, const struct maxwell_params *p, const struct grid *g)
{
    static const char *const unit[3][2] = {{"A m", "V m"}, {"V m-1", "A m-1"}, {"V m-1", "A m-1"}};
    const int m = s->number - 1, magnetic = !s->is_mode && s->component >= 3;
    snprintf(to->of, sizeof to->of, "%s_%d", s->is_port ? "port" : "source", s->number);
    if (s->is_port) word_add(to, "kind", PORT_KINDS, p->port_kind[m]);
    else
        word_add(to, "kind", SOURCE_KINDS, p->source_kind[m]), word_add(to, "drive", SOURCE_DRIVES, p->source_drive[m]);
    word_add(to, "axis", "x y z", s->is_port ? p->port_axis[m] : p->source_axis[m]);
    if (s->is_mode) {
        double end[6];
        for (int a = 0; a < 3; a++)
            end[2 * a] = place_at(g, a, 1, s->mode.low[a]), end[2 * a + 1] = place_at(g, a, 1, s->mode.high[a]);
        numbers_add(to, "bounds", "m", 6, end);
        const double waves[2] = {s->is_port ? p->port_mode_m[m] : p->source_mode_m[m],
                                 s->is_port ? p->port_mode_n[m] : p->source_mode_n[m]};
        numbers_add(to, "half_waves", "1", 2, waves);
    } else {
        double at[3];
        if (s->is_port) number_add(to, "resistance", "ohm", p->port_resistance[m]);
        for (int a = 0; a < 3; a++) at[a] = place_at(g, a, on_node(s->component, a), s->at.low[a]);
        numbers_add(to, "position", "m", 3, at);
    }
    number_add(to, "amplitude",
               s->is_line                                ? "V"
               : s->is_mode && s->drive == DRIVE_CURRENT ? "A m-1"
               : s->is_port                              ? "V"
                                                         : unit[s->drive][magnetic],
               s->given);
    waveform_facts(to, &s->wave);
}

static void wave_facts(struct facts *to, const struct incident *in, const struct grid *g)
{
    double end[6];
    snprintf(to->of, sizeof to->of, "plane_wave");
    for (int a = 0; a < 3; a++)
        end[2 * a] = place_at(g, a, 1, in->low[a]), end[2 * a + 1] = place_at(g, a, 1, in->high[a]);
    numbers_add(to, "direction", "1", 3, in->k);
    numbers_add(to, "polarisation", "1", 3, in->aim);
    numbers_add(to, "box", "m", 6, end);
    number_add(to, "amplitude", "V m-1", in->amplitude);
    number_add(to, "epsilon", "1", in->eps);
    number_add(to, "mu", "1", in->mu);
    if (in->over) number_add(to, "layers", "1", 1);
    waveform_facts(to, &in->wave);
}

/* Planes of a box that lie on the domain's own sides are left out, and their ends with them: what is left says where it
 * is. */
static void monitor_facts(struct facts *to, const struct monitors *m, int of, const struct maxwell_params *p,
                          const struct grid *g)
{
    double area = 0, end[6] = {INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY};
    snprintf(to->of, sizeof to->of, "monitor_%s", p->monitor_name[of]);
    for (int q = 0; q < m->nparts; q++) {
        const struct monitor *const part = &m->part[q];
        for (int a = 0; a < 3 && part->of == of; a++) {
            end[2 * a] = fmin(end[2 * a], place_at(g, a, 1, part->plane[a][0]));
            end[2 * a + 1] = fmax(end[2 * a + 1], place_at(g, a, 1, part->plane[a][1]));
        }
        area += part->of == of ? part->area : 0;
    }
    word_add(to, "kind", MONITOR_KINDS, p->monitor_kind[of]);
    numbers_add(to, "bounds", "m", 6, end);
    number_add(to, "area", "m2", area);
}

int monitors_identify(struct monitors *m, const struct maxwell_own *own, const struct grid *grid)
{
    const int most = 5 + OF_WAVE + OF_SOURCE * own->ctx.nsources + OF_MONITOR * m->nparts;
    struct facts to = {.fact = calloc((size_t)most, sizeof *to.fact)};
    SF_CHECK(to.fact, SF_MEMORY, "no memory for what a reference must have");
    free(m->fact);
    m->fact = to.fact;
    snprintf(to.of, sizeof to.of, "sources");
    number_add(&to, "number", "1", own->ctx.nsources);
    text_add(&to, "plane_wave", own->incident ? "yes" : "no", 3);
    if (own->bloch.is_there) numbers_add(&to, "bloch", "rad m-1", 3, own->bloch.k);
    if (own->incident) wave_facts(&to, own->incident, grid);
    for (int n = 0; n < own->ctx.nsources; n++) source_facts(&to, &own->source[n], &own->params, grid);
    for (int q = 0; q < m->nparts; q++) {
        const int of = m->part[q].of;
        if (monitor_is_flux(&m->part[q]) && (!q || m->part[q - 1].of != of))
            monitor_facts(&to, m, of, &own->params, grid);
    }
    m->nfacts = to.n;
    monitor_results_identify(m);
    return SF_OK;
}
