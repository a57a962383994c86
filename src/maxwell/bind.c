/* What the namelist asks for: media and shapes, sources, monitors and probes, files. SPDX-License-Identifier: MIT */
#include "maxwell/layers.h"
#include "maxwell/material.h"
#include "maxwell/monitor_far.h"
#include "maxwell/own.h"
#include "maxwell/wire.h"

#include "pipeline/complaint.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    static const char *const keys[] = {"name", "epsilon", "mu", "sigma", "sigma_m", "material"};
    const struct maxwell_params *const p = &own->params;
    const int before = errors_of(in);
    SF_TRY(media_make(&own->media, p, most_given(values, names, "medium", keys, sizeof keys / sizeof keys[0]),
                      in->complaints));
    SF_TRY(geometry_make(&own->geometry, p, &own->media, in->grid, dir, in->volume_read, in->complaints));
    if (errors_of(in) > before) return SF_OK;
    SF_TRY(conformal_count(&own->geometry, &own->cuts));
    cuts_check(in, own);
    return wires_check(&own->geometry, &own->media, p, in->complaints);
}

int media_bind(struct instance *in, struct maxwell_own *own, values_function *values, const void *names, int before)
{
    static const char *const keys[] = {"medium", "kind",    "strength", "tau",        "omega",     "gamma",
                                       "phase",  "pole_re", "pole_im",  "residue_re", "residue_im"};
    for (int face = 0; face < FACES; face++) own->index[face] = 1;
    SF_TRY(media_poles(&own->media, &own->params, most_given(values, names, "pole", keys, sizeof keys / sizeof keys[0]),
                       in->dt_fixed, in->complaints));
    if (errors_of(in) > before) return SF_OK;
    SF_TRY(paint_init(&own->paint, &own->geometry, &own->media));
    own->ctx.e_wide = own->paint.wide[0], own->ctx.h_wide = own->paint.wide[1];
    SF_TRY(dispersions_make(&own->dispersions, &own->ctx, &own->media, &own->geometry));
    if (own->dispersions) own->ctx.dispersion = own->dispersions->of, own->ctx.ndispersions = own->dispersions->n;
    return geometry_face_media(&own->geometry, own->face_medium);
}

/* A hard source sets E, to which the poles of its place would add. */
static int hard_check(const struct instance *in, struct maxwell_own *own)
{
    for (const struct source *s = own->source; own->dispersions && s < own->source + own->ctx.nsources; s++) {
        int low[3], high[3], any = 0;
        unsigned char used[MEDIA_MAX] = {0};
        if (s->drive != DRIVE_HARD || s->is_mode || s->component >= 3) continue;
        for (int a = 0; a < 3; a++)
            low[a] = SF_MAX(s->at[a] - 1, 0), high[a] = SF_MIN(s->at[a] + 1, own->ctx.axis[a].n);
        SF_TRY(geometry_media_of(&own->geometry, low, high, used));
        for (int n = 0; n < own->media.n; n++) any |= used[n] && own->media.medium[n].npoles;
        if (any)
            sf_complain(
                in->complaints, "source%drive", s->number - 1,
                "source %d sets the field within a medium that has poles, which would add to it: take drive = 'current' or 'soft'",
                s->number);
    }
    return SF_OK;
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
    if (painted && errors_of(in) == before) SF_TRY(sources_check(own->source, own->ctx.nsources, &own->geometry, to));
    SF_TRY(sf_complain_or_fail(to, "plane_wave%box plane_wave%direction", -1,
                               incident_make(&own->incident, p, in->grid, own->ctx.axis, background, dir)));
    if (painted)
        SF_TRY(sf_complain_or_fail(to, "plane_wave%box plane_wave%margin plane_wave%direction", -1,
                                   incident_check(own->incident, &own->geometry, &own->media)));
    if (painted && errors_of(in) == before) SF_TRY(hard_check(in, own));
    if (errors_of(in) > before) return SF_OK;
    own->ctx.source = own->source;
    own->ctx.incident = own->incident;
    sources_band(own->source, own->ctx.nsources, own->incident, 0.01, &own->lowest, &own->highest);
    return SF_OK;
}

/* Cells per wavelength where power is above a hundredth of its peak. A conductor has no wavelength to speak of. */
static void waves_check(const struct instance *in, const struct maxwell_own *own)
{
    const struct maxwell_params *const p = &own->params;
    double lowest, highest;
    sources_band(own->source, own->ctx.nsources, own->incident, 0.1, &lowest, &highest);
    for (int n = 0; n < own->media.n && highest > 0 && !p->maxwell_allow_coarse; n++) {
        const struct medium *const m = &own->media.medium[n];
        if (!own->geometry.used[n] || n == MEDIUM_PEC) continue;
        const double cells = em_c / (highest * medium_index(m, highest)) / geometry_largest_cell(&own->geometry);
        if (cells >= p->maxwell_cells_per_wavelength) continue;
        sf_complain(
            in->complaints, "maxwell%cells_per_wavelength", -1,
            "%.3g cells a wavelength in %s at %.4g Hz, where the sources still have a hundredth of their power: use "
            "smaller cells or a lower frequency, or set &maxwell allow_coarse",
            cells, m->name, highest);
    }
}

/* Along a metal's surface the grid has waves whose energy travels against their phase: an absorbing layer that such a
 * surface crosses feeds them (Becache, Fauqueux and Joly 2003, J. Comput. Phys. 188, 399). With gamma of a twentieth of
 * omega they fade. */
static void metals_check(const struct instance *in, const struct maxwell_own *own)
{
    static const double fades = 0.05;
    for (int face = 0; face < FACES; face++) {
        const struct axis_lines *const a = &own->ctx.axis[face / 2];
        int others = 0;
        for (int n = 0; n < own->media.n; n++) others += n != MEDIUM_PEC && own->face_medium[face][n];
        for (int n = 0; n < own->media.n && others > 1 && (face % 2 ? a->high : a->low); n++) {
            const struct medium *const m = &own->media.medium[n];
            if (!own->face_medium[face][n] || !m->is_metal || m->damping >= fades || own->params.maxwell_allow_unstable)
                continue;
            sf_complain(
                in->complaints, "geometry%medium pole%gamma", -1,
                "the surface of '%.64s', a metal, crosses the absorbing layer at the %s side, where waves along it grow without bounds: let it "
                "end two cells before the layer, fill the side with it, or give gamma %g of omega or more (&maxwell allow_unstable)",
                m->name, side_name(face / 2, face % 2), fades);
        }
    }
}

/* Numbers of materials are for a band, and steps resolve no more than they can: both where the sources have a hundredth
 * of their power and more. */
static void poles_check(const struct instance *in, const struct maxwell_own *own)
{
    static const double most = 0.05; /* of |epsilon| */
    double lowest, highest;
    sources_band(own->source, own->ctx.nsources, own->incident, 0.1, &lowest, &highest);
    for (int n = MEDIUM_GIVEN; n < own->media.n && highest > 0; n++) {
        const struct medium *const m = &own->media.medium[n];
        const struct material *const known = m->material;
        double is[2], of[2];
        if (!own->geometry.used[n] || !m->npoles) continue;
        if (known && (lowest < 0.99 * known->lowest || highest > 1.01 * known->highest))
            sf_complain_mildly(
                in->complaints, "medium%material", n - MEDIUM_GIVEN,
                "the numbers of '%s' are for %.4g to %.4g Hz, and the sources have power from %.4g to %.4g Hz (%s)",
                known->name, known->lowest, known->highest, lowest, highest, known->source);
        medium_permittivity(m, highest, of), medium_stepped(m, highest, own->ctx.dt, is);
        const double off[2] = {is[0] - of[0], is[1] - of[1]}, size = __builtin_sqrt(of[0] * of[0] + of[1] * of[1]),
                     share = __builtin_sqrt(off[0] * off[0] + off[1] * off[1]) / size;
        if (!(share < most))
            sf_complain_mildly(
                in->complaints, m->material ? "medium%material" : "pole%medium", m->material ? n - MEDIUM_GIVEN : -1,
                "at %.4g Hz the steps of %.3g s make the permittivity of '%.64s' %.4g %+.4gi, which is %.4g %+.4gi: take shorter "
                "steps, and so smaller cells",
                highest, own->ctx.dt, m->name, is[0], -is[1], of[0], -of[1]);
    }
}

/* A run whose sources never end cannot end early. */
static void stop_check(const struct instance *in, const struct maxwell_own *own)
{
    const int energy = own->params.stop_energy > 0, probe = own->params.stop_probe > 0;
    if ((energy || probe) && !(sources_end(own->source, own->ctx.nsources, own->incident) < SFD_INF))
        sf_complain_mildly(in->complaints, energy ? "stop%energy" : "stop%probe", -1,
                           "a 'ramped_sine' is never over: this run ends at time%%duration only, whatever &stop says");
    for (const struct source *s = own->source; energy && s < own->source + own->ctx.nsources; s++)
        if (s->drive != DRIVE_HARD && waveform_left(&s->wave) > 1e-6)
            sf_complain_mildly(
                in->complaints, "source%waveform stop%energy", s->number - 1,
                "source %d leaves charge behind, the integral of its waveform, and its field stays: the energy may never fall to %g "
                "of its maximum; take a 'ricker', 'differentiated_gaussian' or 'modulated_gaussian', or pairs whose integral is 0",
                s->number, own->params.stop_energy);
}

/* One waveform beside the run's time; `what` and keys of whose it is. */
static void time_check(const struct instance *in, const struct waveform *w, const char *what, const char *keys,
                       int index)
{
    const double duration = in->config->time_duration, start = waveform_start(w), end = waveform_end(w);
    if (start >= duration)
        sf_complain_mildly(
            in->complaints, keys, index,
            "%s begins at %.4g s, after the end of the run (time%%duration = %.4g s): it does nothing; give a smaller delay or a longer run",
            what, start, duration);
    else if (end < SFD_INF && end > duration)
        sf_complain_mildly(
            in->complaints, keys, index,
            "the run ends at %.4g s, before %s is over at %.4g s: spectra lack the rest; give a longer time%%duration or a smaller delay",
            duration, what, end);
    else if (!(end < SFD_INF) && w->delay > duration)
        sf_complain_mildly(in->complaints, keys, index,
                           "the run ends at %.4g s, while %s still rises, until %.4g s: give a longer time%%duration",
                           duration, what, w->delay);
}

/* What one source adds to a field in a step, in V/m (H times the wave impedance of vacuum), at the peak of its
 * waveform. Beyond `most` it is refused: vacuum is linear up to 1.3e18 V/m (Schwinger 1951), and squares of a field, of
 * which |E| and the Poynting vector are made, end in single precision at 1.8e19. Below `least` products of it vanish
 * there. `given`: as in the namelist. */
static void strength_check(const struct instance *in, double field, double given, const char *what, const char *keys,
                           int index)
{
    static const double most = 1e18, least = 1e-18;
    const double size = field < 0 ? -field : field;
    if (!(size <= most))
        sf_complain(
            in->complaints, keys, index,
            "%s makes a field of %.3g V/m in a step, beyond the %g V/m up to which Maxwell's equations are linear and numbers here have a square: "
            "give an amplitude below %.3g; results are proportional to it",
            what, size, most, (given < 0 ? -given : given) * (most / size));
    else if (!(size > 0))
        sf_complain_mildly(in->complaints, keys, index, "%s has an amplitude of 0: it does nothing", what);
    else if (size < least)
        sf_complain_mildly(
            in->complaints, keys, index,
            "%s makes a field of %.3g V/m in a step: products of such fields vanish in single precision; give a larger amplitude, results are "
            "proportional to it",
            what, size);
}

/* What a waveform comes to: 1, and with pairs of a file their largest. */
static double peak_of(const struct waveform *w)
{
    double peak = w->n ? 0 : 1;
    for (int m = 0; m < w->n; m++) peak = SF_MAX(peak, w->value[m] < 0 ? -w->value[m] : w->value[m]);
    return peak;
}

static double step_of(const struct instance *in, const struct source *s)
{
    const int is_h = !s->is_mode && s->component >= 3;
    const double field = peak_of(&s->wave) * (is_h ? em_eta0 : 1);
    return s->drive == DRIVE_CURRENT ? s->amplitude * field * in->dt_fixed / (is_h ? em_mu0 : em_eps0)
                                     : s->amplitude * field;
}

/* A run in which nothing happens, or not what was meant. */
static void course_check(const struct instance *in, const struct maxwell_own *own)
{
    if (!in->complaints) return; /* no one's case: a list of what a model can do */
    for (const struct source *s = own->source; s < own->source + own->ctx.nsources; s++) {
        char what[32];
        snprintf(what, sizeof what, "source %d", s->number);
        time_check(in, &s->wave, what, "source%delay source%waveform source%kind time%duration", s->number - 1);
        strength_check(in, step_of(in, s), own->params.source_amplitude[s->number - 1], what,
                       "source%amplitude source%kind", s->number - 1);
    }
    if (own->incident)
        strength_check(in, own->params.plane_wave_amplitude * peak_of(incident_waveform(own->incident)),
                       own->params.plane_wave_amplitude, "the plane wave", "plane_wave%amplitude", -1);
    if (own->incident)
        time_check(in, incident_waveform(own->incident), "the plane wave",
                   "plane_wave%delay plane_wave%waveform plane_wave%direction time%duration", -1);
    if (!own->ctx.nsources && !own->incident)
        sf_complain_mildly(in->complaints, "source%kind plane_wave%direction", -1,
                           "nothing drives this run, all fields stay 0: give &source kind, or &plane_wave direction");
}

/* The line of an oblique wave is made for cells of one size along each axis that it travels along. */
static void oblique_check(const struct instance *in, const struct maxwell_own *own)
{
    const struct maxwell_params *const p = &own->params;
    enum { OBLIQUE = 7 }; /* as in params.def */
    if (!own->incident || p->plane_wave_direction != OBLIQUE) return;
    const double degree = 3.14159265358979323846 / 180, s = sfd_sin(p->plane_wave_theta * degree);
    const double k[3] = {s * sfd_cos(p->plane_wave_phi * degree), s * sfd_sin(p->plane_wave_phi * degree),
                         sfd_cos(p->plane_wave_theta * degree)};
    int low[3], high[3];
    incident_box(own->incident, low, high);
    for (int a = 0; a < 3; a++) {
        const double *const size = own->ctx.axis[a].size;
        double least = size[low[a]], most = least;
        for (int m = low[a] - 1; m <= high[a]; m++) least = SF_MIN(least, size[m]), most = SF_MAX(most, size[m]);
        if (k[a] * k[a] < 1e-12 || most - least <= 1e-6 * most) continue;
        sf_complain_mildly(
            in->complaints, "plane_wave%box plane_wave%direction", -1,
            "cells along %c are %.4g to %.4g m large in the box of this oblique wave: it leaks, in and out, unless they are of one size; end "
            "the box within cells of one size, or let the wave travel along an axis",
            "xyz"[a], least, most);
    }
}

void sources_judge(const struct instance *in, const struct maxwell_own *own)
{
    waves_check(in, own);
    metals_check(in, own);
    poles_check(in, own);
    layers_judge(in, own);
    stop_check(in, own);
    course_check(in, own);
    oblique_check(in, own);
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
static int waves_list(const struct maxwell_own *own, struct monitor_wave wave[SOURCES_MOST + 1])
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
    if (!values(names, "monitor", "name")) return 0;
    const int listed = values(names, "spectrum", "frequencies");
    for (int n = 0; n < listed; n++)
        if (p->spectrum_frequencies[n] > 0) return p->spectrum_frequencies[n];
    if (listed || p->spectrum_count < 1) return 0;
    if (p->spectrum_from > 0) return p->spectrum_from;
    return p->spectrum_count > 1 ? (p->spectrum_to - p->spectrum_from) / (p->spectrum_count - 1) : 0;
}

int monitors_bind(struct instance *in, struct maxwell_own *own, const int side[FACES], values_function *values,
                  const void *names, int painted)
{
    const struct config *const c = in->config;
    const struct maxwell_params *const p = &own->params;
    struct monitor_wave wave[SOURCES_MOST + 1];
    const int nwaves = waves_list(own, wave);
    struct monitor_setup setup = {.params = p,
                                  .grid = in->grid,
                                  .given = values(names, "monitor", "name"),
                                  .listed = values(names, "spectrum", "frequencies"),
                                  .highest = own->highest,
                                  .dt = in->dt_fixed,
                                  .room = SF_MAX_FIELDS - F_SUMS - own->ctx.ndispersions,
                                  .wave = wave,
                                  .nwaves = nwaves,
                                  .amplitude = own->incident ? p->plane_wave_amplitude
                                               : nwaves      ? p->source_amplitude[own->source[0].number - 1]
                                                             : 0,
                                  .staggered = c->output_staggered,
                                  .complaints = in->complaints};
    for (int a = 0; a < 3; a++) {
        setup.periodic[a] = side[2 * a] == EM_PERIODIC;
        setup.open[a] = side[2 * a + 1] == EM_PMC;
        setup.layer[a][0] = own->ctx.axis[a].low, setup.layer[a][1] = own->ctx.axis[a].high;
    }
    if (own->incident) {
        incident_strength(own->incident, &setup.incident, &setup.impedance);
        setup.travel.is_there = 1;
        incident_travel(own->incident, setup.travel.toward, setup.travel.aim, setup.travel.origin);
        incident_box(own->incident, setup.travel.low, setup.travel.high);
    }
    const int before = errors_of(in);
    SF_TRY(monitors_make(&own->monitors, &setup));
    if (errors_of(in) > before) return SF_OK;
    for (int n = 0; own->monitors && n < own->monitors->nfar && painted; n++) {
        struct far_monitor *const f = own->monitors->far[n];
        SF_TRY(sf_complain_or_fail(in->complaints, "monitor%kind monitor%name", f->of,
                                   far_medium(f, &own->geometry, &own->media, in->grid)));
        if (in->complaints) far_sources_look(f, own->source, own->ctx.nsources, in->complaints);
    }
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
    SF_TRY(probes_make(&own->probes, in->grid, nprobes, c->output_probe_x, c->output_probe_y, c->output_probe_z,
                       setup.open, setup.periodic, p->stop_probe));
    own->ctx.probes = own->probes;
    in->traces = probes_traces(own->probes);
    return SF_OK;
}

static void input_add(struct instance *in, struct maxwell_own *own, const char *group, int element, const char *file,
                      const char *dir)
{
    struct input *const input = &own->input[in->ninputs];
    char *const path = own->path[in->ninputs++];
    const int aside = file[0] != '/' && dir && dir[0];
    snprintf(path, sizeof own->path[0], "%s%s%s", aside ? dir : "", aside ? "/" : "", file);
    if (aside && access(path, R_OK)) snprintf(path, sizeof own->path[0], "%s", file);
    *input = (struct input){group, "file", element, path};
    in->input = own->input;
}

void inputs_list(struct instance *in, struct maxwell_own *own, int sources, const char *dir)
{
    const struct maxwell_params *const p = &own->params;
    in->ninputs = 0;
    if (p->geometry_file[0]) input_add(in, own, "geometry", 0, p->geometry_file, dir);
    for (int n = 0; n < sources; n++)
        if (p->source_waveform[n] == WAVE_FILE) input_add(in, own, "source", n, p->source_file[n], dir);
    if (own->incident && p->plane_wave_waveform == WAVE_FILE)
        input_add(in, own, "plane_wave", 0, p->plane_wave_file, dir);
}
