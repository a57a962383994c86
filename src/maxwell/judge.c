/* What is doubtful about a case: waves that cells are too large for, media beyond their band, sources that no end
 * follows. SPDX-License-Identifier: MIT */
#include "maxwell/layers.h"
#include "maxwell/material.h"
#include "maxwell/own.h"
#include "maxwell/place.h"

#include <stdio.h>

enum { OBLIQUE = 7 }; /* of plane_wave%direction */

/* Cells per wavelength where power is above a hundredth of its peak. A conductor has no wavelength to speak of. */
static void waves_check(const struct instance *in, const struct maxwell_own *own)
{
    const struct maxwell_params *const p = &own->params;
    double lowest, highest;
    sources_band(own->source, own->ctx.nsources, own->incident, 0.1, &lowest, &highest);
    for (int n = 0; n < own->media.n && highest > 0 && !p->maxwell_allow_coarse; n++) {
        const struct medium *const m = &own->media.medium[n];
        if (!own->geometry.used[n] || n == MEDIUM_PEC || m->stands_for) continue;
        const double cells = em_c / (highest * medium_index(m, highest)) / geometry_largest_cell(&own->geometry);
        if (cells >= p->maxwell_cells_per_wavelength) continue;
        sf_complain(
            in->complaints, "maxwell%cells_per_wavelength", -1,
            "%.3g cells a wavelength in %s at %.4g Hz, where the sources still have a hundredth of their power: use "
            "smaller cells or a lower frequency, or set &maxwell allow_coarse",
            cells, m->name, highest);
    }
}

/* Numbers of materials are for a band, and steps resolve no more than they can: both where the sources have a hundredth
 * of their power and more. */
static void poles_check(const struct instance *in, const struct maxwell_own *own)
{
    static const double most = 0.05; /* of |epsilon| */
    double lowest, highest;
    sources_band(own->source, own->ctx.nsources, own->incident, 0.1, &lowest, &highest);
    tables_judge(in, own, lowest, highest);
    for (int n = MEDIUM_GIVEN; n < own->media.n && highest > 0; n++) {
        const struct medium *const m = &own->media.medium[n];
        const struct material *const known = m->material;
        double is[2], of[2];
        if (!own->geometry.used[n] || !m->npoles || m->stands_for) continue;
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
                in->complaints,
                m->material ? "medium%material"
                : m->table  ? "medium%table"
                            : "pole%medium",
                m->material || m->table ? n - MEDIUM_GIVEN : -1,
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
        if (s->drive != DRIVE_HARD && !s->is_port && waveform_left(&s->wave) > 1e-6)
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
        source_name(s, what);
        time_check(in, &s->wave, what,
                   source_keys(s, "source%delay source%waveform source%kind time%duration",
                               "excitation%delay excitation%waveform port%kind time%duration"),
                   source_index(s));
        strength_check(in, step_of(in, s), s->given, what,
                       source_keys(s, "source%amplitude source%kind", "excitation%amplitude port%kind"),
                       source_index(s));
    }
    if (own->incident)
        strength_check(in, own->params.plane_wave_amplitude * peak_of(incident_waveform(own->incident)),
                       own->params.plane_wave_amplitude, "the plane wave", "plane_wave%amplitude", -1);
    if (own->incident)
        time_check(in, incident_waveform(own->incident), "the plane wave",
                   "plane_wave%delay plane_wave%waveform plane_wave%direction time%duration", -1);
    if (!own->ctx.nsources && !own->incident)
        sf_complain_mildly(
            in->complaints, "source%kind plane_wave%direction", -1,
            "nothing drives this run, all fields stay 0: give &source kind, &port kind or &plane_wave direction");
}

/* The line of an oblique wave is made for cells of one size along each axis that it travels along. */
static void oblique_check(const struct instance *in, const struct maxwell_own *own)
{
    const struct maxwell_params *const p = &own->params;
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
        if ((a == AZ && incident_is_layered(own->incident)) || k[a] * k[a] < 1e-12 || most - least <= 1e-6 * most)
            continue;
        sf_complain_mildly(
            in->complaints, "plane_wave%box plane_wave%direction", -1,
            "cells along %c are %.4g to %.4g m large in the box of this oblique wave: it leaks, in and out, unless they are of one size; end "
            "the box within cells of one size, or let the wave travel along an axis",
            "xyz"[a], least, most);
    }
}

/* A window that ends where the line has its field. With a hundredth of the energy at the rim a microstrip's impedance
 * is off by a tenth, with 7 hundredths a coaxial line's by a third. */
static void window_check(const struct instance *in, const struct port *q)
{
    static const double most = 0.01;
    if (q->tem.is_alone)
        sf_complain_mildly(
            in->complaints, "port%kind port%x port%y port%z", q->number - 1,
            "port %d: in its window lies no conductor but that of the signal, and its wave is one towards the outer faces of the absorbing layers: "
            "paint the other conductor, or give the port's window so that it holds it",
            q->number);
    else if (q->tem.rim > most)
        sf_complain_mildly(
            in->complaints, "port%kind port%size_x port%size_y port%size_z", q->number - 1,
            "port %d: the rim of its window runs through the field of its line, %.2g of whose energy lies there: impedance and waves "
            "are those of what the window holds; make it wider, around all conductors",
            q->number, q->tem.rim);
}

/* Guides: what is behind the source must absorb, and there should be waves. */
static void guides_check(const struct instance *in, const struct maxwell_own *own)
{
    const struct ports *const p = own->ports;
    for (const struct port *q = p ? p->of : NULL; p && q < p->of + p->n; q++) {
        const int a = q->mode.axis, behind = q->toward < 0;
        const double *const node = own->geometry.axis[a].node, plane = node[q->mode.low[a]] + q->toward * q->shift;
        if (!port_is_plane(q)) continue;
        if (q->kind == PORT_LINE) window_check(in, q);
        if (side_of(&own->params, a, behind) != EM_CPML)
            sf_complain_mildly(
                in->complaints, "port%toward port%kind", q->number - 1,
                "port %d: behind its source lies the %s side, which does not absorb: waves come back from there into the device; make it 'cpml', "
                "or turn the port (toward)",
                q->number, side_name(a, behind));
        if (plane < node[0] || plane > node[own->geometry.axis[a].n])
            sf_complain_mildly(in->complaints, "port%shift", q->number - 1,
                               "port %d: its reference plane, %c = %.6g m, lies outside of the domain", q->number,
                               "xyz"[a], plane);
        if (q->kind == PORT_LINE && q->tem.cutoff > 0 && own->highest > q->tem.cutoff)
            sf_complain_mildly(
                in->complaints, "port%kind excitation%frequency excitation%bandwidth", q->number - 1,
                "port %d: above %.4g Hz other modes travel on its line, and the sources reach %.4g Hz: what these carry is not told from its wave",
                q->number, q->tem.cutoff, own->highest);
        if (own->highest > 0 && !(port_wave(q, own->highest, own->ctx.dt) > 0))
            sf_complain_mildly(in->complaints, "port%mode_m port%mode_n excitation%frequency", q->number - 1,
                               "port %d: its mode has no waves up to %.4g Hz, where the sources end: it sees nothing",
                               q->number, own->highest);
    }
}

void sources_judge(const struct instance *in, const struct maxwell_own *own)
{
    waves_check(in, own);
    poles_check(in, own);
    layers_judge(in, own);
    stop_check(in, own);
    course_check(in, own);
    oblique_check(in, own);
    guides_check(in, own);
}
