/* What the namelist asks for: media and shapes, sources, monitors and probes, files. SPDX-License-Identifier: MIT */
#include "maxwell/layers.h"
#include "maxwell/material.h"
#include "maxwell/monitor_far.h"
#include "maxwell/monitor_orders.h"
#include "maxwell/own.h"
#include "maxwell/rows.h"
#include "maxwell/shell.h"
#include "maxwell/wire.h"

#include "pipeline/complaint.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <string.h>

static int most_given(values_function *values, const void *names, const char *group, const char *const *key, size_t n)
{
    int most = 0;
    for (size_t m = 0; m < n; m++) most = SF_MAX(most, values(names, group, key[m]));
    return most;
}

/* What history can show is E at the centres of cells: on edges it holds E times the open share of their length. */
static void cuts_check(const struct instance *in, const struct maxwell_own *own)
{
    const struct geometry *const g = &own->geometry;
    const struct cuts *const c = &own->cuts;
    if (c->walled)
        sf_complain(
            in->complaints, "maxwell%conformal geometry%shape", -1,
            "conformal conductors: %lld edges are crossed by a wall thinner than a cell, the first along %c at (%.6g, %.6g, %.6g) m, and fields "
            "would pass through it: make it thicker than a cell or a 'sheet', or set conformal = 0",
            c->walled, "xyz"[c->wall_along], g -> axis[AX].node[c->wall[AX]], g->axis[AY].node[c->wall[AY]],
            g->axis[AZ].node[c->wall[AZ]]);
    if (g->ncuts && in->config->output_staggered)
        sf_complain(in->complaints, "output%staggered", -1,
                    "conformal conductors: E on edges that they cut is known at centres of cells only: set staggered = "
                    ".false., or conformal = 0");
}

/* Media by name, shapes, and what of cells conductors cut: the step depends on it. */
int shapes_bind(struct instance *in, struct maxwell_own *own, values_function *values, const void *names,
                const char *dir)
{
    static const char *const keys[] = {"name",     "epsilon", "mu",    "sigma",     "sigma_m",
                                       "material", "density", "table", "table_unit"};
    static const char *const of_element[] = {"axis",   "x",          "y",          "z",           "size_x",    "size_y",
                                             "size_z", "resistance", "inductance", "capacitance", "connection"};
    const struct maxwell_params *const p = &own->params;
    const int before = errors_of(in);
    SF_TRY(media_make(&own->media, p, most_given(values, names, "medium", keys, sizeof keys / sizeof keys[0]),
                      in->complaints));
    const int of_media = errors_of(in);
    SF_TRY(sf_complain_or_fail(in->complaints, "geometry%corners geometry%corner_count", -1,
                               geometry_corners(p, values(names, "geometry", "corners"))));
    if (errors_of(in) > of_media) return SF_OK;
    SF_TRY(geometry_make(&own->geometry, p, &own->media, in->grid, dir, in->volume_read, in->complaints));
    if (errors_of(in) > before) return SF_OK;
    SF_TRY(lumps_make(&own->lumps, &own->geometry.nlumps, p,
                      most_given(values, names, "element", of_element, sizeof of_element / sizeof of_element[0]),
                      values(names, "port", "kind"), &own->geometry, in->grid, in->complaints));
    own->geometry.lump = own->lumps;
    if (errors_of(in) > before) return SF_OK;
    SF_TRY(conformal_count(&own->geometry, &own->cuts));
    cuts_check(in, own);
    return SF_OK;
}

int bloch_bind(const struct instance *in, struct maxwell_own *own, int shaped)
{
    const struct medium *const m = shaped ? &own->media.medium[own->geometry.background] : NULL;
    SF_TRY(bloch_make(&own->bloch, &own->params, in->grid, m ? __builtin_sqrt(m->epsilon * m->mu) : 1, in->complaints));
    if (own->bloch.is_there) bloch_refuse(&own->params, in->complaints);
    return SF_OK;
}

/* What all cells of the layer at a face are of: media may end within it. */
static int layer_media(struct maxwell_own *own, int face, int deep, unsigned char used[MEDIA_MAX])
{
    const int a = face / 2;
    int low[3] = {0, 0, 0}, high[3];
    for (int b = 0; b < 3; b++) high[b] = own->ctx.axis[b].n;
    if (face % 2) low[a] = high[a] - deep;
    else high[a] = deep;
    return geometry_media_of(&own->geometry, low, high, used);
}

static int stand_ins_bind(const struct instance *in, struct maxwell_own *own)
{
    const unsigned char *layer[FACES] = {NULL};
    unsigned char used[FACES][MEDIA_MAX];
    int any = 0;
    for (int n = MEDIUM_GIVEN; n < own->media.n; n++) any |= own->media.medium[n].npoles > 0;
    for (int f = 0; f < FACES && any; f++) {
        const struct axis_lines *const l = &own->ctx.axis[f / 2];
        const int deep = f % 2 ? l->high : l->low;
        if (!deep) continue;
        SF_TRY(layer_media(own, f, deep, used[f]));
        layer[f] = used[f];
    }
    return media_layers(&own->media, layer, in->dt_fixed, own->geometry.used, in->complaints);
}

int media_bind(struct instance *in, struct maxwell_own *own, values_function *values, const void *names,
               const char *dir, int before)
{
    static const char *const keys[] = {"medium", "kind",    "strength", "tau",        "omega",     "gamma",
                                       "phase",  "pole_re", "pole_im",  "residue_re", "residue_im"};
    SF_TRY(media_tables(&own->media, &own->params, dir, in->complaints));
    SF_TRY(media_poles(&own->media, &own->params, most_given(values, names, "pole", keys, sizeof keys / sizeof keys[0]),
                       in->dt_fixed, in->complaints));
    if (errors_of(in) > before) return SF_OK;
    SF_TRY(wires_check(&own->geometry, &own->media, &own->params, in->complaints));
    if (errors_of(in) > before) return SF_OK;
    SF_TRY(geometry_face_media(&own->geometry, own->face_medium));
    SF_TRY(stand_ins_bind(in, own));
    if (errors_of(in) > before) return SF_OK;
    SF_TRY(paint_init(&own->paint, &own->geometry, &own->media));
    for (int a = 0; a < 3; a++)
        own->paint.layer[a][0] = own->ctx.axis[a].low, own->paint.layer[a][1] = own->ctx.axis[a].high;
    own->ctx.e_wide = own->paint.wide[0], own->ctx.h_wide = own->paint.wide[1];
    SF_TRY(dispersions_make(&own->dispersions, &own->ctx, &own->media, &own->geometry));
    if (own->dispersions) own->ctx.dispersion = own->dispersions->of, own->ctx.ndispersions = own->dispersions->n;
    return SF_OK;
}

/* A hard source sets E, to which the poles of its place would add. */
static int hard_check(const struct instance *in, struct maxwell_own *own)
{
    for (const struct source *s = own->source;
         (own->dispersions || own->geometry.nlumps) && s < own->source + own->ctx.nsources; s++) {
        int low[3], high[3], any = 0;
        unsigned char used[MEDIA_MAX] = {0};
        if (s->drive != DRIVE_HARD || s->is_mode || s->component >= 3) continue;
        for (int a = 0; a < 3; a++)
            low[a] = SF_MAX(s->at.low[a] - 1, 0), high[a] = SF_MIN(s->at.high[a], own->ctx.axis[a].n);
        SF_TRY(geometry_media_of(&own->geometry, low, high, used));
        for (int n = 0; n < own->media.n; n++) any |= used[n] && own->media.medium[n].npoles;
        for (int n = 0; n < own->geometry.nlumps; n++)
            any |= lump_has(&own->geometry.lump[n], &own->geometry, s->component, s->at.low);
        if (any)
            sf_complain(
                in->complaints, "source%drive", s->number - 1,
                "source %d sets the field within a medium that has poles, or on a lumped element, which would add to it: take drive = 'current' or 'soft'",
                s->number);
    }
    return SF_OK;
}

/* Ports, and the source of the one that is driven. */
static int ports_bind(const struct instance *in, struct maxwell_own *own, values_function *values, const void *names,
                      const char *dir)
{
    const struct maxwell_params *const p = &own->params;
    struct complaints *const to = in->complaints;
    struct geometry *const g = &own->geometry;
    const int before = errors_of(in);
    SF_TRY(lumps_check(g, p, to));
    SF_TRY(ports_make(&own->ports, p, values(names, "port", "kind"), g->lump, g->nlumps, in->grid, own->ctx.axis, to));
    if (errors_of(in) > before) return SF_OK;
    SF_TRY(ports_check(own->ports, p, g, &own->media, own->ctx.axis, to));
    if (errors_of(in) > before) return SF_OK;
    return ports_drive(own->ports, p, own->ctx.axis, dir, own->source, &own->ctx.nsources, to);
}

int sources_bind(struct instance *in, struct maxwell_own *own, values_function *values, const void *names,
                 const char *dir, int painted)
{
    const struct maxwell_params *const p = &own->params;
    struct complaints *const to = in->complaints;
    const int before = errors_of(in), number = painted ? own->geometry.background : MEDIUM_VACUUM;
    const struct medium *const background = number == MEDIUM_PEC ? NULL : &own->media.medium[number];
    SF_TRY(sources_make(&own->source, &own->ctx.nsources, p, values(names, "source", "kind"), in->grid, own->ctx.axis,
                        dir, to));
    if (painted && errors_of(in) == before) SF_TRY(ports_bind(in, own, values, names, dir));
    if (painted && errors_of(in) == before) SF_TRY(sources_check(own->source, own->ctx.nsources, &own->geometry, to));
    SF_TRY(sf_complain_or_fail(to, "plane_wave%box plane_wave%direction", -1,
                               incident_make(&own->incident, p, in->grid, own->ctx.axis,
                                             own->bloch.is_there ? &own->bloch : NULL, background, dir)));
    if (painted)
        SF_TRY(sf_complain_or_fail(to, "plane_wave%box plane_wave%margin plane_wave%direction", -1,
                                   incident_check(own->incident, &own->geometry, &own->media, p)));
    if (painted && errors_of(in) == before) SF_TRY(hard_check(in, own));
    if (errors_of(in) > before) return SF_OK;
    own->ctx.source = own->source;
    own->ctx.incident = own->incident;
    if (own->ports && own->ports->driven && (own->ctx.nsources > 1 || own->incident))
        sf_complain(
            to, "excitation%port port%kind", -1,
            "port %d is driven, and so is %s: waves at the ports would be those of both; drive one of them, or set &excitation port = 0 to "
            "see what the ports receive",
            own->ports->driven, own->incident ? "the plane wave" : "another source");
    sources_band(own->source, own->ctx.nsources, own->incident, 0.01, &own->lowest, &own->highest);
    return SF_OK;
}

/* `power` counts from one waveform. */
static void power_check(const struct instance *in, const struct maxwell_own *own)
{
    if (own->ctx.nsources + (own->incident != NULL) < 2 || !monitors_have_flux(own->monitors)) return;
    sf_complain_mildly(
        in->complaints, own->incident ? "plane_wave%direction" : "source%kind", -1,
        "there are several sources: `power` in flux.nc is what flows when %s has amplitude 1, the others keep "
        "their share, and it is left out where the waveform of the one has nothing",
        own->incident ? "the plane wave" : "the first");
}

/* A wave without an end, seen through a window: what is under way when the run ends is missing. */
static void window_check(const struct instance *in, const struct maxwell_own *own)
{
    if (!own->monitors || sources_end(own->source, own->ctx.nsources, own->incident) < SFD_INF) return;
    const struct grid *const g = in->grid;
    const double x = grid_x(g, g->nx, 1) - grid_x(g, 0, 1), y = grid_y(g, g->ny, 1) - grid_y(g, 0, 1),
                 z = g->top - g->z_f[0];
    const double across = __builtin_sqrt(x * x + y * y + z * z) / em_c;
    sf_complain_mildly(
        in->complaints, own->incident ? "plane_wave%waveform" : "source%waveform", -1,
        "a 'ramped_sine' does not end: spectra and `power` of monitors lack what is under way when the run ends, a share of the order of "
        "%.2g (light crosses the domain in %.2g s of %.2g s); take a pulse such as 'modulated_gaussian', or run longer",
        SF_MIN(across / in->config->time_duration, 1), across, in->config->time_duration);
}

static double source_waveform(const void *source, double time) { return waveform_value(source, time); }

enum { SOURCES_MOST = sizeof((struct maxwell_params *)0)->source_kind / sizeof(int) };

static int waves_are_one(const struct waveform *a, const struct waveform *b)
{
    const double of_a[] = {a->frequency, a->bandwidth, a->delay, a->scale, a->phase, a->mean};
    const double of_b[] = {b->frequency, b->bandwidth, b->delay, b->scale, b->phase, b->mean};
    const size_t bytes = (size_t)a->n * sizeof *a->time;
    return a->kind == b->kind && a->n == b->n && !memcmp(of_a, of_b, sizeof of_a) &&
           (!a->n || (!memcmp(a->time, b->time, bytes) && !memcmp(a->value, b->value, bytes)));
}

/* The waveforms of all sources, each once: of the plane wave, if there is one, and of the first source come first. */
static int waves_list(const struct maxwell_own *own, struct monitor_wave wave[SOURCES_MOST + 2])
{
    int n = 0;
    for (int m = own->incident ? -1 : 0; m < own->ctx.nsources; m++) {
        const struct waveform *const w = m < 0 ? incident_waveform(own->incident) : &own->source[m].wave;
        int known = 0;
        for (int q = 0; q < n && !known; q++) known = waves_are_one(w, wave[q].source);
        if (!known) wave[n++] = (struct monitor_wave){source_waveform, w};
    }
    return n;
}

/* Frequencies at which there is nothing but round-off. */
static void band_check(const struct instance *in, const struct maxwell_own *own, const char *keys)
{
    struct monitors *const m = own->monitors;
    const double duration = in->config->time_duration, end = sources_end(own->source, own->ctx.nsources, own->incident);
    double first = 0, last = 0;
    if (!in->complaints || !m || !m->nwaves || !(end < SFD_INF)) return; /* a wave without an end is warned of */
    const int beyond = monitors_beyond(m, (long)(duration / in->dt_fixed), SF_MIN(end, 4 * duration), &first, &last);
    char range[80];
    snprintf(range, sizeof range, beyond > 1 ? "the lowest %.4g, the highest %.4g Hz" : "%.4g Hz", first, last);
    if (beyond)
        sf_complain_mildly(
            in->complaints, keys, -1,
            "at %d of the %d frequencies of &spectrum (%s) the sources have no more than round-off leaves: `power` and `transmission` are left "
            "out there, and spectra of fields are noise; power is above 1e-4 of its peak from %.4g to %.4g Hz: ask for frequencies there, or take "
            "a waveform of more bandwidth",
            beyond, m->nfrequencies, range, own->lowest, own->highest);
}

double spectrum_lowest(const struct maxwell_params *p, values_function *values, const void *names)
{
    if (!values(names, "monitor", "name") && !values(names, "port", "kind")) return 0;
    const int listed = values(names, "spectrum", "frequencies");
    for (int n = 0; n < listed; n++)
        if (p->spectrum_frequencies[n] > 0) return p->spectrum_frequencies[n];
    if (listed || p->spectrum_count < 1) return 0;
    if (p->spectrum_from > 0) return p->spectrum_from;
    return p->spectrum_count > 1 ? (p->spectrum_to - p->spectrum_from) / (p->spectrum_count - 1) : 0;
}

static void travel_size(struct monitor_travel *t, const struct axis_lines axis[3])
{
    int a = 0;
    for (int b = 1; b < 3; b++)
        if (t->toward[b] * t->toward[b] > t->toward[a] * t->toward[a]) a = b;
    t->size = axis[a].size[t->toward[a] < 0 ? t->high[a] - 1 : t->low[a]];
}

int monitors_bind(struct instance *in, struct maxwell_own *own, const int side[FACES], values_function *values,
                  const void *names, int painted)
{
    const struct config *const c = in->config;
    const struct maxwell_params *const p = &own->params;
    struct monitor_wave wave[SOURCES_MOST + 2];
    const int nwaves = waves_list(own, wave);
    struct monitor_setup setup = {.params = p,
                                  .grid = in->grid,
                                  .given = values(names, "monitor", "name"),
                                  .listed = values(names, "spectrum", "frequencies"),
                                  .highest = own->highest,
                                  .dt = in->dt_fixed,
                                  .room = (SF_MAX_FIELDS - F_SUMS) / (1 + own->bloch.is_there) - own->ctx.ndispersions,
                                  .wave = wave,
                                  .nwaves = nwaves,
                                  .amplitude = own->incident ? p->plane_wave_amplitude
                                               : nwaves      ? own->source[0].given
                                                             : 0,
                                  .ports = own->ports,
                                  .port_wave = -1,
                                  .staggered = c->output_staggered,
                                  .bloch = own->bloch.is_there ? &own->bloch : NULL,
                                  .complaints = in->complaints};
    for (int m = 0; m < own->ctx.nsources; m++)
        for (int q = 0; q < nwaves && own->source[m].is_port && setup.port_wave < 0; q++)
            if (waves_are_one(&own->source[m].wave, wave[q].source)) setup.port_wave = q;
    for (int a = 0; a < 3; a++) {
        setup.periodic[a] = side[2 * a] == EM_PERIODIC;
        setup.open[a] = side[2 * a + 1] == EM_PMC;
        setup.layer[a][0] = own->ctx.axis[a].low, setup.layer[a][1] = own->ctx.axis[a].high;
    }
    if (own->incident) {
        incident_strength(own->incident, &setup.incident, &setup.impedance, &setup.travel.index);
        setup.travel.is_there = 1, setup.travel.is_layered = incident_is_layered(own->incident);
        incident_travel(own->incident, setup.travel.toward, setup.travel.aim, setup.travel.origin);
        incident_box(own->incident, setup.travel.low, setup.travel.high);
        incident_across(own->incident, setup.travel.across);
        travel_size(&setup.travel, own->ctx.axis);
    }
    const int before = errors_of(in);
    SF_TRY(monitors_make(&own->monitors, &setup));
    if (errors_of(in) > before) return SF_OK;
    for (int n = 0; own->monitors && n < own->monitors->nfar && painted; n++) {
        struct far_monitor *const f = own->monitors->far[n];
        SF_TRY(sf_complain_or_fail(in->complaints, "monitor%kind monitor%name", f->of,
                                   far_medium(f, &own->geometry, &own->media, p, in->grid)));
        if (in->complaints) far_sources_look(f, own->source, own->ctx.nsources, in->complaints);
    }
    for (int n = 0; own->monitors && n < own->monitors->norders && painted; n++)
        SF_TRY(sf_complain_or_fail(in->complaints, "monitor%kind monitor%name", own->monitors->orders[n]->of,
                                   orders_medium(own->monitors->orders[n], &own->geometry, &own->media)));
    if (errors_of(in) > before) return SF_OK;
    power_check(in, own);
    window_check(in, own);
    if (!errors_of(in)) /* else a waveform may be missing */
        band_check(in, own, setup.listed ? "spectrum%frequencies" : "spectrum%from spectrum%to spectrum%count");
    if (own->monitors) {
        SF_TRY(monitors_identify(own->monitors, own, in->grid));
        own->ctx.monitor = own->monitors->part, own->ctx.nmonitors = own->monitors->nparts;
        in->result = monitors_results(own->monitors, &in->nresults);
    }
    const int nprobes = values(names, "output", "probe_x");
    if (!nprobes) return SF_OK;
    SF_TRY(probes_make(&own->probes, in->grid, nprobes, 1 + own->bloch.is_there, c->output_probe_x, c->output_probe_y,
                       c->output_probe_z, setup.open, setup.periodic, p->stop_probe));
    own->ctx.probes = own->probes;
    in->traces = probes_traces(own->probes);
    return SF_OK;
}

static void input_add(struct instance *in, struct maxwell_own *own, const char *group, const char *key, int element,
                      const char *file, const char *dir)
{
    struct input *const input = &own->input[in->ninputs];
    char *const path = own->path[in->ninputs++];
    input_path(path, sizeof own->path[0], file, dir);
    *input = (struct input){group, key, element, path};
    in->input = own->input;
}

void inputs_list(struct instance *in, struct maxwell_own *own, int sources, const char *dir)
{
    const struct maxwell_params *const p = &own->params;
    in->ninputs = 0;
    if (p->geometry_file[0]) input_add(in, own, "geometry", "file", 0, p->geometry_file, dir);
    for (const struct solid *s = own->geometry.solid; s < own->geometry.solid + own->geometry.nsolids; s++)
        if (s->mesh && s->is_of_file) input_add(in, own, "geometry", "stl", s->number, p->geometry_stl[s->number], dir);
    for (const struct shell *s = own->geometry.shell; s < own->geometry.shell + own->geometry.nshells; s++)
        if (s->is_of_file) input_add(in, own, "geometry", "stl", s->number, p->geometry_stl[s->number], dir);
    for (int n = 0; n < own->media.n - MEDIUM_GIVEN; n++)
        if (p->medium_table[n][0]) input_add(in, own, "medium", "table", n, p->medium_table[n], dir);
    for (int n = 0; n < sources; n++)
        if (p->source_waveform[n] == WAVE_FILE) input_add(in, own, "source", "file", n, p->source_file[n], dir);
    if (own->incident && p->plane_wave_waveform == WAVE_FILE)
        input_add(in, own, "plane_wave", "file", 0, p->plane_wave_file, dir);
    if (own->ports && p->excitation_waveform == WAVE_FILE)
        input_add(in, own, "excitation", "file", 0, p->excitation_file, dir);
}
