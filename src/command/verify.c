/* sferic verify: the model against exact solutions and published figures, in one table. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "command/command.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <string.h>

static const struct group {
    const char *name;
    int (*run)(struct verify *v);
    const char *about;
} groups[] = {
    {"tendency", verify_tendency, "order of the fused stage: tendencies of known flows on two grids"},
    {"phase", verify_phase, "speed of short waves carried by a constant wind"},
    {"faint", verify_faint, "a wave of 0.01 K is held"},
    {"sound", verify_sound, "speed of sound from a standing wave"},
    {"inertia", verify_inertia, "inertial oscillation on an f-plane"},
    {"rest", verify_rest, "an atmosphere at rest about another base state stays at rest"},
    {"decay", verify_decay, "Taylor-Green vortices decay by viscosity"},
    {"bubble", verify_bubble, "warm bubble in three dimensions: symmetry and budgets"},
    {"dry-bubble", verify_bryan, "dry bubble in a section, 1000 s (Bryan & Fritsch 2002)"},
    {"moist-bubble", verify_moist, "bubble in cloud, 1000 s (Bryan & Fritsch 2002)"},
    {"moist-adiabat", verify_adiabat,
     "air that a sound wave expands and compresses: cloud comes and goes on an adiabat"},
    {"drying-column", verify_drying, "a shaft of rain falls through dry air"},
    {"split-storm", verify_split, "a storm in straight shear: mirror images, and its water"},
    {"supercell", verify_supercell, "a supercell of two hours against another model (Weisman & Klemp 1982)"},
    {"squall-line", verify_squall,
     "cold air under a sheared wind, a section, against another model (Rotunno et al. 1988)"},
    {"forces", verify_forces, "Rayleigh layer and Coriolis force in a sheared wind, level by level"},
    {"turbulence", verify_turbulence, "energy of turbulence in shear and in stable air, and a shear that it mixes"},
    {"ekman", verify_ekman, "an Ekman layer, and one of even stress, over ground that holds the wind"},
    {"boundary-layer", verify_convective, "a boundary layer that warm ground makes (Nieuwstadt et al. 1993)"},
    {"forcing", verify_forced, "what a larger scale does: a geostrophic wind, cooling and nudging"},
    {"stable-layer", verify_stable,
     "a boundary layer over ground that cools for nine hours (GABLS1, Beare et al. 2006)"},
    {"shallow-cumulus", verify_cumulus, "small clouds in the trade winds (BOMEX, Siebesma et al. 2003)"},
    {"tracers", verify_tracers, "tracers in a thermal between walls, 600 s: what they promise, and their mass"},
    {"open", verify_open_sides, "open sides: a wave, a cold pool and a thermal leave"},
    {"models", verify_models,
     "models from text files: heat, sound, shallow water, reactions, Burgers, Schroedinger, drizzle"},
    {"gravity", verify_gravity, "gravity wave in an isothermal channel, 1800 s (Baldauf & Brdar 2013)"},
    {"baroclinic", verify_baroclinic, "a jet in thermal wind balance, and the waves that grow in it (Eady 1949)"},
    {"sphere", verify_sphere, "maps of the round Earth: distances, and flows that are steady on the sphere"},
    {"mountain", verify_mountain, "flow over hills against linear theory, and air at rest over them"},
    {"em-exact", verify_em_exact, "electromagnetic waves: what holds on the grid to the last digits"},
    {"current", verify_current, "density current, 900 s (Straka et al. 1993)"},
    {"em-cavity", verify_cavity, "resonances of a box of perfect conductors"},
    {"em-layers", verify_layers,
     "power through a half space and a slab, its order of convergence, and films thinner than a cell"},
    {"em-plates", verify_plates, "waves at an angle, as modes between two plates, on a half space"},
    {"em-dispersion", verify_dispersion,
     "media that disperse: a half space of water, slabs of a metal and a resonant dielectric"},
    {"em-bloch", verify_bloch,
     "complex fields on periodic sides: modes and bands of a lattice, plates and gratings in a wave at an angle"},
    {"em-guide", verify_guide, "cutoff and wave impedance of a rectangular guide"},
    {"em-dipole", verify_dipole, "power radiated by a dipole, resonance of a strip"},
    {"em-mie", verify_mie, "power scattered by a sphere of glass, and scattered and absorbed by spheres of metal"},
    {"em-far", verify_far, "far fields of dipoles, radar cross-sections of spheres"},
    {"em-port", verify_port, "ports: lumped, of lines between conductors, of a guide"},
    {"em-exposure", verify_exposure, "what a head takes of a dipole before it (IEEE Std 1528)"},
    {"em-conformal", verify_conformal, "conductors true to their shape: round cavities, and what may not grow"},
    {"em-wire", verify_wire, "wires thinner than a cell: a line in a box, dipoles, and what may not grow"},
    {"em-cpml", verify_cpml, "what absorbing layers reflect (Roden & Gedney 2000), and what may not grow in them"},
};

enum { GROUPS = sizeof groups / sizeof groups[0] };

struct verify_options {
    struct verify v;
    int chosen[GROUPS], any;
};

static const struct option options[] = {{"--full", NULL, NULL, "the long cases too"}};

static int option_take(void *to, const struct option *o, const char *value)
{
    struct verify_options *opt = to;
    const char *names[GROUPS];
    if (o) {
        opt->v.full = 1;
        return SF_OK;
    }
    for (int n = 0; n < GROUPS; n++) {
        names[n] = groups[n].name;
        if (strcmp(names[n], value)) continue;
        opt->chosen[n] = opt->any = 1;
        return SF_OK;
    }
    char path[CASE_PATH];
    SF_CHECK(!case_file_find(value, path), SF_USAGE,
             "'%s' is a case: `sferic run %s` runs it; `sferic verify --help` lists what is verified", value, value);
    const char *near = word_near(value, names, GROUPS);
    SF_FAIL(SF_USAGE, "there is nothing called '%s' to verify; %s%s%s`sferic verify --help` lists all", value,
            near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
}

static const char *about_text(void)
{
    static char text[4096];
    size_t at = 0;
    at += (size_t)snprintf(
        text, sizeof text,
        "Compute figures that are known exactly or published, and compare. Without a NAME: all.\n"
        "ok, FAIL: against theory or the spread of published models; same, CHANGED: against earlier runs of\n"
        "this program, which finds a change and proves nothing right. Exit code 11 when a figure is out of\n"
        "its tolerance.\n\nNames:\n");
    for (int n = 0; n < GROUPS && at < sizeof text; n++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s  %-10s %s", n ? "\n" : "", groups[n].name,
                               groups[n].about);
    return text;
}

int command_verify(struct comm *c, int argc, char **argv)
{
    struct verify_options opt = {.any = 0};
    const struct usage u = {.name = argv[0],
                            .arguments = "[NAME]...",
                            .about = about_text(),
                            .option = options,
                            .noptions = sizeof options / sizeof options[0],
                            .take = option_take};
    SF_TRY(options_read(&u, c->rank, argc, argv, &opt));
    printf("%s, %d-bit reals, %s set\n\n", version_source(), SF_PREC, opt.v.full ? "full" : "quick");
    verify_head();
    for (int n = 0; n < GROUPS; n++) {
        if (opt.any && !opt.chosen[n]) continue;
        verify_group(groups[n].name, groups[n].about);
        SF_TRY(groups[n].run(&opt.v));
    }
    const struct verify *const v = &opt.v;
    printf("\n%d figures verified against theory or published models, %d out of tolerance;\n"
           "%d guarded against change, %d changed; %d left out\n",
           v->verified, v->failed, v->guarded, v->changed, v->skipped);
    SF_CHECK(!v->failed && !v->changed, SF_VERIFY,
             "%d of %d figures are out of tolerance, %d of %d changed: the rows of the table "
             "that say FAIL or CHANGED",
             v->failed, v->verified, v->changed, v->guarded);
    return SF_OK;
}
