/* Monitors of the far field: the box, and the file. SPDX-License-Identifier: MIT */
#include "maxwell/monitor_far.h"

#include "maxwell/conformal.h"

#include "maxwell/geometry.h"
#include "maxwell/medium.h"
#include "maxwell/monitor_parts.h"
#include "maxwell/place.h"
#include "maxwell/source.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the box ----------------------------------------------------------------------------------------------------- */

enum { MIRROR_AUTO, MIRROR_GROUND, MIRROR_SYMMETRY, MIRROR_LAYERS };

/* A side of the domain that the box reaches. */
static int side_take(struct far_monitor *f, const struct monitor_setup *t, int a, int high)
{
    const char *const name = t->params->monitor_name[f->of];
    const int side = side_of(t->params, a, high), asked = t->params->monitor_mirror[f->of];
    if (f->is_layered && a == AZ && !high && (side == EM_PEC || side == EM_PMC)) return SF_OK; /* it is one of them */
    SF_CHECK(
        side == EM_PEC || side == EM_PMC, SF_NAMELIST,
        "&monitor %s: its box reaches the %s side of the domain, which is no conductor: end it before, where the outside is homogeneous",
        name, side_name(a, high));
    SF_CHECK(!f->image[a], SF_NAMELIST,
             "&monitor %s: its box reaches conductors at both ends along %c: what lies between two has no far field",
             name, "xyz"[a]);
    f->image[a] = side == EM_PEC ? FAR_ELECTRIC : FAR_MAGNETIC;
    f->mirror[a] = place_at(t->grid, a, 1, high ? axis_cells(t->grid, a) : 0);
    const int ground = asked == MIRROR_GROUND || (asked == MIRROR_AUTO && side == EM_PEC && !t->travel.is_there);
    SF_CHECK(
        !ground || !t->travel.is_there, SF_NAMELIST,
        "&monitor %s: a plane wave lights what its box holds, and a ground returns that wave, too: for cross-sections over a conducting "
        "plane paint a half_space of 'pec', end the box in it, and take mirror = 'layers' and &plane_wave layers = .true.; of one half of a body that "
        "is symmetric take mirror = 'symmetry'",
        name);
    f->behind[a] = !ground ? 0 : high ? 1 : -1;
    f->grounds += ground;
    return SF_OK;
}

/* A face between two cells, and cells of one size around it: what exactness asks for. */
static void sizes_look(const struct far_monitor *f, const struct monitor_setup *t, int a)
{
    double least = 1e300, most = 0;
    for (int m = f->low[a] - 1; m <= f->high[a]; m++) {
        const double size = place_cell(t->grid, a, m);
        least = SF_MIN(least, size), most = SF_MAX(most, size);
    }
    if (most - least > 1e-6 * most)
        sf_complain_mildly(
            t->complaints, "monitor%kind monitor%name", f->of,
            "monitor %s: cells along %c are %.4g to %.4g m large in its box: the far field is exact for cells of one size, and has errors of "
            "second order in cell size here",
            t->params->monitor_name[f->of], "xyz"[a], least, most);
}

/* The plane wave stays inside: what lies outside of its box is the scattered field alone. */
static int wave_check(const struct far_monitor *f, const struct monitor_setup *t)
{
    const char *const name = t->params->monitor_name[f->of];
    for (int a = 0; a < 3 && t->travel.is_there; a++) {
        const int at_low = f->image[a] && f->low[a] == 0, at_high = f->image[a] && f->high[a] == axis_cells(t->grid, a);
        SF_CHECK(
            (at_low || f->low[a] < t->travel.low[a]) && (at_high || f->high[a] > t->travel.high[a]), SF_NAMELIST,
            "&monitor %s: along %c its box, %.6g to %.6g m, must reach beyond that of the plane wave, %.6g to %.6g m: the "
            "scattered field is outside of it",
            name, "xyz"[a], place_at(t->grid, a, 1, f->low[a]), place_at(t->grid, a, 1, f->high[a]),
            place_at(t->grid, a, 1, t->travel.low[a]), place_at(t->grid, a, 1, t->travel.high[a]));
        SF_CHECK(
            t->travel.low[a] > 0 || at_low || t->travel.high[a] == 0, SF_NAMELIST,
            "&monitor %s: the box of the plane wave spans the domain along %c: nothing goes round the object, and there is no far "
            "field; give &plane_wave a box",
            name, "xyz"[a]);
    }
    return SF_OK;
}

static int angles_make(struct far_monitor *f, const struct monitor_setup *t)
{
    const struct maxwell_params *const p = t->params;
    const int of = f->of, count[2] = {p->monitor_theta_count[of], p->monitor_phi_count[of]};
    const double from[2] = {p->monitor_theta_from[of], p->monitor_phi_from[of]},
                 to[2] = {p->monitor_theta_to[of], p->monitor_phi_to[of]};
    for (int q = 0; q < 2; q++) {
        SF_CHECK(count[q] == 1 || to[q] > from[q], SF_NAMELIST,
                 "&monitor %s: %s goes from %g to %g degrees: it must grow", p->monitor_name[of], q ? "phi" : "theta",
                 from[q], to[q]);
        f->count[q] = count[q];
        f->angle[q] = malloc((size_t)count[q] * sizeof *f->angle[q]);
        SF_CHECK(f->angle[q], SF_MEMORY, "no memory for %d angles", count[q]);
        for (int m = 0; m < count[q]; m++)
            f->angle[q][m] = count[q] > 1 ? from[q] + m * (to[q] - from[q]) / (count[q] - 1) : from[q];
    }
    return SF_OK;
}

/* Within an absorbing layer the outside is not what it seems. */
static int layer_check(const struct far_monitor *f, const struct monitor_setup *t, int a)
{
    const int from_high = axis_cells(t->grid, a) - f->high[a], at_high = from_high < t->layer[a][1];
    SF_CHECK(f->low[a] >= t->layer[a][0] && !at_high, SF_NAMELIST,
             "&monitor %s: the %s face of its box lies in the absorbing layer of %d cells: end the box before it",
             t->params->monitor_name[f->of], side_name(a, at_high), t->layer[a][at_high]);
    return SF_OK;
}

int far_new(struct monitors *all, const struct monitor_setup *t, int of, const int low[3], const int high[3],
            struct far_monitor **out)
{
    const struct maxwell_params *const p = t->params;
    struct far_monitor *const f = *out = calloc(1, sizeof *f);
    SF_CHECK(f, SF_MEMORY, "no memory for monitor %s", p->monitor_name[of]);
    all->far[all->nfar++] = f;
    *f = (struct far_monitor){
        .all = all, .of = of, .name = p->monitor_name[of], .first = all->nparts, .epsilon = 1, .mu = 1};
    f->is_layered = p->monitor_mirror[of] == MIRROR_LAYERS;
    snprintf(f->layers_of, sizeof f->layers_of, "&monitor %.64s: mirror = 'layers',", f->name);
    SF_CHECK(
        !f->is_layered || !t->travel.is_there || t->travel.is_layered, SF_NAMELIST,
        "&monitor %s: mirror = 'layers' is for sources within its box: a plane wave goes through one medium alone, and layers would return it, "
        "too; give &plane_wave layers = .true.",
        f->name);
    SF_CHECK(
        f->is_layered || !t->travel.is_layered, SF_NAMELIST,
        "&monitor %s: the plane wave comes to layers, and so does what is scattered: give it mirror = 'layers', too",
        f->name);
    SF_CHECK(!f->is_layered || side_of(p, AZ, 1) == EM_CPML, SF_NAMELIST,
             "&monitor %s: mirror = 'layers', and the top of the domain is no absorbing layer: the space above is open",
             f->name);
    const double reference[3] = {p->monitor_reference_x[of], p->monitor_reference_y[of], p->monitor_reference_z[of]};
    for (int a = 0; a < 3; a++) {
        f->low[a] = low[a], f->high[a] = high[a];
        if (low[a] == 0) SF_TRY(side_take(f, t, a, 0));
        if (high[a] == axis_cells(t->grid, a)) SF_TRY(side_take(f, t, a, 1));
        f->size[a] = place_cell(t->grid, a, low[a] ? low[a] : high[a]); /* over layers along z: that of the highest */
        const double middle = 0.5 * (place_at(t->grid, a, 1, low[a]) + place_at(t->grid, a, 1, high[a]));
        f->reference[a] = reference[a] < 1e9 ? reference[a] : f->image[a] ? f->mirror[a] : middle;
        SF_TRY(layer_check(f, t, a));
        if (t->complaints && !(f->is_layered && a == AZ)) sizes_look(f, t, a);
    }
    SF_TRY(wave_check(f, t));
    return angles_make(f, t);
}

void far_free(struct far_monitor *f)
{
    if (!f) return;
    free(f->angle[0]);
    free(f->angle[1]);
    far_ground_free(f->ground);
    free(f);
}

/* Along an axis cells are longest. */
static int frequencies_check(const struct far_monitor *f)
{
    const int n = f->all->nfrequencies;
    SF_CHECK(f->all->frequency[0] > 0, SF_NAMELIST,
             "&monitor %s: nothing radiates at a frequency of 0: leave it out of &spectrum", f->name);
    const struct far_wave w = far_wave_at(f, n - 1);
    for (int a = 0; a < 3; a++) {
        const double toward[3] = {a == AX, a == AY, a == AZ};
        double k[3];
        SF_CHECK(
            far_wave_vector(&w, toward, k), SF_NAMELIST,
            "&monitor %s: the grid carries no wave of %g Hz along %c, where a wavelength has %.3g cells: ask for lower frequencies, "
            "or take smaller cells",
            f->name, f->all->frequency[n - 1], "xyz"[a], w.speed / f->all->frequency[n - 1] / f->size[a]);
    }
    return SF_OK;
}

int far_medium(struct far_monitor *f, struct geometry *g, const struct media *media, const struct maxwell_params *p,
               const struct grid *grid)
{
    int number = -1;
    for (int a = 0; a < 3; a++)
        for (int high = 0; high < 2; high++) {
            const int plane = high ? f->high[a] : f->low[a];
            if (plane == 0 || plane == axis_cells(grid, a)) continue;
            int first[3], last[3], node_low[3], node_high[3];
            unsigned char used[MEDIA_MAX];
            for (int b = 0; b < 3; b++) {
                first[b] = SF_MAX(f->low[b] - 1, 0), last[b] = SF_MIN(f->high[b] + 1, axis_cells(grid, b));
                node_low[b] = f->low[b], node_high[b] = f->high[b];
            }
            node_low[a] = node_high[a] = plane;
            first[a] = plane - 1, last[a] = plane + 1;
            SF_TRY(geometry_media_of(g, first, last, used));
            for (int n = 0; n < media->n && !f->is_layered; n++) {
                if (!used[n]) continue;
                const struct medium *const m = &media->medium[n];
                SF_CHECK(
                    n != MEDIUM_PEC && !(m->sigma > 0 || m->sigma_m > 0 || m->npoles), SF_NAMELIST,
                    "&monitor %s: the %s face of its box lies in '%.64s', which conducts or has poles: a far field is one of a "
                    "medium without losses; end the box elsewhere",
                    f->name, side_name(a, high), m->name);
                if (number < 0) number = n;
                const struct medium *const known = &media->medium[number];
                SF_CHECK(
                    !(m->epsilon < known->epsilon || m->epsilon > known->epsilon || m->mu < known->mu ||
                      m->mu > known->mu),
                    SF_NAMELIST,
                    "&monitor %s: the faces of its box lie in '%.64s' and in '%.64s': a far field is one of a single medium; end the "
                    "box elsewhere",
                    f->name, known->name, m->name);
            }
            int cut;
            SF_TRY(conformal_meets(g, first, last, &cut));
            SF_CHECK(!cut, SF_NAMELIST,
                     "&monitor %s: the %s face of its box meets the surface of 'pec': end the box elsewhere", f->name,
                     side_name(a, high));
            SF_CHECK(!geometry_has_sheet(g, node_low, node_high), SF_NAMELIST,
                     "&monitor %s: the %s face of its box meets a sheet, shell or wire: end the box elsewhere", f->name,
                     side_name(a, high));
        }
    if (f->is_layered) SF_TRY(far_ground_make(f, g, media, p));
    if (number >= 0) f->epsilon = media->medium[number].epsilon, f->mu = media->medium[number].mu;
    return frequencies_check(f);
}

void far_sources_look(const struct far_monitor *f, const struct source *source, int n, struct complaints *to)
{
    for (const struct source *s = source; s < source + n; s++) {
        int is_in = 1;
        char name[32];
        for (int a = 0; a < 3 && !s->is_mode; a++)
            is_in &= s->at.low[a] >= f->low[a] && s->at.high[a] <= f->high[a] + on_node(s->component, a);
        if (!is_in)
            sf_complain_mildly(
                to, "monitor%kind source%kind", f->of,
                "monitor %s: %s lies outside of its box: the far field is that of what the box holds, without it",
                f->name, source_name(s, name));
    }
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static const struct result_variable variable_table[FAR_VARIABLES] = {
#define OVER_ALL 3, {FAR_FREQUENCY, FAR_THETA, FAR_PHI}, -1, NULL
#define OVER_FREQUENCY 1, {FAR_FREQUENCY}, -1, NULL
    [FAR_E_THETA_RE] = {"E_theta_re", "far electric field along growing theta, real part", "V Hz-1",
                        "E = (E_theta, E_phi) exp(-j w r / v) / r at a distance r from the reference place", OVER_ALL},
    [FAR_E_THETA_IM] = {"E_theta_im", "far electric field along growing theta, imaginary part", "V Hz-1", NULL,
                        OVER_ALL},
    [FAR_E_PHI_RE] = {"E_phi_re", "far electric field along growing phi, real part", "V Hz-1", NULL, OVER_ALL},
    [FAR_E_PHI_IM] = {"E_phi_im", "far electric field along growing phi, imaginary part", "V Hz-1", NULL, OVER_ALL},
    [FAR_INTENSITY] = {"intensity", "radiation intensity", "W sr-1 Hz-2", "|E|^2 r^2 / (2 eta)", OVER_ALL},
    [FAR_DIRECTIVITY] = {"directivity", "4 pi intensity over radiated_power", "1", NULL, OVER_ALL},
    [FAR_RCS] = {"rcs", "bistatic radar cross-section, 4 pi r^2 |E|^2 over |E of the plane wave|^2", "m2", NULL,
                 OVER_ALL},
    [FAR_POWER] = {"radiated_power", "power through the far sphere, or what of it lies before a ground", "W Hz-2", NULL,
                   OVER_FREQUENCY},
    [FAR_POWER_UP] = {"upward_power", "what of radiated_power goes into the medium above the layers", "W Hz-2",
                      "the rest goes into that below them, where it has no losses", OVER_FREQUENCY},
    [FAR_POWER_EACH] = {"power", "radiated power of a steady wave from a source of amplitude 1", "W",
                        "radiated_power over the square of the spectrum of amplitude times waveform, as in flux.nc",
                        OVER_FREQUENCY},
    [FAR_DIRECTIVITY_MAX] = {"directivity_max", "largest directivity of the directions here", "1", NULL,
                             OVER_FREQUENCY},
    [FAR_THETA_MAX] = {"theta_max", "theta of the largest intensity", "degree", NULL, OVER_FREQUENCY},
    [FAR_PHI_MAX] = {"phi_max", "phi of the largest intensity", "degree", NULL, OVER_FREQUENCY},
    [FAR_BEAM_WIDTH] = {"beam_width",
                        "half-power width along theta of the strongest lobe of each cut",
                        "degree",
                        "left out where a cut ends before half of the power is reached: let theta go from -180 to 180",
                        2,
                        {FAR_FREQUENCY, FAR_PHI},
                        -1,
                        NULL},
    [FAR_RCS_BACK] = {"rcs_back", "monostatic radar cross-section, back to where the plane wave comes from", "m2", NULL,
                      OVER_FREQUENCY},
    [FAR_SCATTERING] = {"scattering_cross_section", "scattered power over power flow of the plane wave", "m2", NULL,
                        OVER_FREQUENCY},
    [FAR_EXTINCTION] =
        {"extinction_cross_section", "scattered and absorbed power over power flow of the plane wave", "m2",
         "optical theorem, of the field straight ahead: less scattering_cross_section it is what is absorbed",
         OVER_FREQUENCY},
    [FAR_ACCEPTED] = {"accepted_power", "power that the device takes at its ports", "W Hz-2", "as in ports.nc",
                      OVER_FREQUENCY},
    [FAR_EFFICIENCY] =
        {"efficiency", "radiated_power over accepted_power", "1",
         "the gain of a direction is its directivity times this; left out where the box ends at a plane of symmetry whose image has "
         "ports of its own: of an electric conductor, or a magnetic one that not all ports lie on",
         OVER_FREQUENCY},
    [FAR_GAIN_MAX] = {"gain_max", "largest gain of the directions here", "1", "4 pi intensity over accepted_power",
                      OVER_FREQUENCY},
    [FAR_REALISED_MAX] = {"realised_gain_max", "largest realised gain of the directions here", "1",
                          "4 pi intensity over the power that the driven port's source offers", OVER_FREQUENCY},
    [FAR_GAIN] = {"gain", "4 pi intensity over accepted_power", "1", "left out where efficiency is", OVER_ALL},
    [FAR_REALISED] = {"realised_gain", "4 pi intensity over the power that the driven port's source offers", "1",
                      "left out where efficiency is", OVER_ALL},
#undef OVER_ALL
#undef OVER_FREQUENCY
};

static void fact_numbers(struct result_fact *to, const char *name, const char *unit, int n, const double *value)
{
    *to = (struct result_fact){.name = name, .unit = unit, .n = n, .of = "far_field"};
    memcpy(to->value, value, (size_t)n * sizeof *value);
}

static void facts_make(struct far_monitor *f, const struct grid *g, struct result *r)
{
    double end[6];
    int n = 0;
    for (int a = 0; a < 3; a++)
        end[2 * a] = place_at(g, a, 1, f->low[a]), end[2 * a + 1] = place_at(g, a, 1, f->high[a]);
    fact_numbers(&f->fact[n++], "phase_reference", "m", 3, f->reference);
    fact_numbers(&f->fact[n++], "box", "m", 6, end);
    f->fact[n] = (struct result_fact){.name = "time_convention", .unit = "", .of = "far_field"};
    snprintf(f->fact[n++].text, sizeof f->fact[0].text, "exp(+j w t)");
    f->fact[n] = (struct result_fact){.name = "images", .unit = "", .of = "far_field"};
    size_t used = 0;
    for (int a = 0; a < 3; a++)
        if (f->image[a])
            used += (size_t)snprintf(f->images + used, sizeof f->images - used, "%s%c: %s", used ? ", " : "", "xyz"[a],
                                     f -> behind[a] ? "ground" : "symmetry");
    if (f->is_layered)
        used += (size_t)snprintf(f->images + used, sizeof f->images - used, "%sz: layers", used ? ", " : "");
    snprintf(f->fact[n++].text, sizeof f->fact[0].text, "%s", used ? f->images : "none");
    r->fact = f->fact, r->nfacts = n, r->facts_are = "how the far field was taken";
}

int far_describe(struct far_monitor *f, const struct monitor_setup *t, struct result *r)
{
    f->axis[FAR_FREQUENCY] =
        (struct result_axis){"frequency", "frequency", "Hz", f->all->nfrequencies, f->all->frequency, NULL, NULL};
    f->axis[FAR_THETA] = (struct result_axis){
        "theta", "angle from the z axis; below 0 on the other side of it", "degree", f->count[0], f->angle[0], NULL,
        NULL};
    f->axis[FAR_PHI] = (struct result_axis){
        "phi", "angle of the horizontal part from the x axis", "degree", f->count[1], f->angle[1], NULL, NULL};
    for (int v = 0; v < FAR_VARIABLES; v++) {
        const int of_wave = v == FAR_RCS || (v >= FAR_RCS_BACK && v < FAR_ACCEPTED);
        if ((v >= FAR_ACCEPTED && !t->ports) || (v == FAR_POWER_UP && !f->is_layered)) continue;
        if (v == FAR_EXTINCTION && t->travel.is_layered) continue; /* what goes on is not all straight ahead */
        if ((of_wave && !t->travel.is_there) || (v == FAR_POWER_EACH && !t->nwaves)) continue;
        if (v == FAR_BEAM_WIDTH && f->count[0] < 3) continue;
        f->variable[r->nvariables] = v;
        f->var[r->nvariables++] = variable_table[v];
    }
    snprintf(f->file, sizeof f->file, "far_%s.nc", t->params->monitor_name[f->of]);
    *r =
        (struct result){.file = f->file,
                        .comment = "spectra are Fourier integrals, sum of F(t) exp(-2 pi i f t) dt over the run so far",
                        .axis = f->axis,
                        .naxes = FAR_AXES,
                        .variable = f->var,
                        .nvariables = r->nvariables,
                        .fill = far_fill,
                        .filling = far_filling(f),
                        .own = f};
    facts_make(f, t->grid, r);
    return SF_OK;
}
