/* Materials by name: their permittivities against published figures and the formulas of their models, and media of the
 * namelist that have poles. SPDX-License-Identifier: MIT */
#include "maxwell/material.h"

#include "maxwell/medium.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static struct maxwell_params params;
static struct media media;

/* What `sferic explain` says of a key. */
static const char *meaning_of(const char *group, const char *key)
{
    for (int n = 0; n < maxwell_model.nparams; n++)
        if (!strcmp(maxwell_model.param[n].group, group) && !strcmp(maxwell_model.param[n].key, key))
            return maxwell_model.param[n].meaning;
    return "";
}

/* Is there such a word? */
static int says(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++)
        if (!isalnum((unsigned char)at[n]) && at[n] != '_') return 1;
    return 0;
}

static void entries_clear(void)
{
    memset(&params, 0, sizeof params);
    for (size_t n = 0; n < sizeof params.medium_epsilon / sizeof params.medium_epsilon[0]; n++)
        params.medium_epsilon[n] = params.medium_mu[n] = 1;
}

static int media_of(int poles, double dt)
{
    sf_error_clear();
    cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
    return media_poles(&media, &params, poles, dt, NULL);
}

static double complex permittivity(const char *material, double frequency)
{
    double of[2];
    entries_clear();
    strcpy(params.medium_name[0], "matter");
    snprintf(params.medium_material[0], sizeof params.medium_material[0], "%s", material);
    cr_assert_eq(media_of(0, 1e-3 / frequency), SF_OK, "%s", sf_error_text());
    medium_permittivity(&media.medium[MEDIUM_GIVEN], frequency, of);
    return of[0] - I * of[1];
}

static void near(double complex is, double complex should, double tolerance, const char *what)
{
    cr_assert(cabs(is - should) <= tolerance * cabs(should), "%s: %.9g %+.9gi, not %.9g %+.9gi", what, creal(is),
              cimag(is), creal(should), cimag(should));
}

Test(material, water_soil_and_tissue)
{
    const double tau = 8.27e-12, w = 2 * M_PI * 1e10;
    near(permittivity("water", 1e10), 5.16 + (78.36 - 5.16) / (1 + I * w * tau), 1e-12, "water");
    near(permittivity("sea_water", 1e10), 5.16 + 73.2 / (1 + I * w * tau) + 4 / (I * w * em_eps0), 1e-12, "sea water");
    near(permittivity("fr4", 1e9), 4.4 * (1 - 0.02 * I), 4e-3, "FR4");
    near(permittivity("muscle", 1e9), 54.811 - 17.583 * I, 1e-2, "muscle"); /* four Cole-Cole terms */
    near(permittivity("soil_20", 5e8),
         12.646 + 4.0840 / (1 + I * M_PI * 1e9 * 14.1e-12) + 0.04546 / (I * M_PI * 1e9 * em_eps0), 1e-12, "soil");
}

/* Four terms of Cole and Cole: strengths, times, exponents; epsilon above them, conductivity. Gabriel, Lau and Gabriel
 * 1996, table 1. */
struct tissue {
    const char *name;
    double above, sigma, term[4][3];
};

static double complex cole_cole(const struct tissue *t, double f)
{
    const double w = 2 * M_PI * f;
    double complex e = t->above + t->sigma / (I * w * em_eps0);
    for (int n = 0; n < 4; n++) e += t->term[n][0] / (1 + cpow(I * w * t->term[n][1], 1 - t->term[n][2]));
    return e;
}

Test(material, tissues)
{
    static const struct tissue tissue[] = {
        {"muscle", 4, .2, {{50, 7.234e-12, .1}, {7000, 353.678e-9, .1}, {1.2e6, 318.31e-6, .1}, {2.5e7, 2.274e-3, 0}}},
        {"dry_skin_3", 4, 2e-4, {{32, 7.234e-12, 0}, {1100, 32.481e-9, .2}}},
        {"grey_matter",
         4,
         .02,
         {{45, 7.958e-12, .1}, {400, 15.915e-9, .15}, {2e5, 106.103e-6, .22}, {4.5e7, 5.305e-3, 0}}},
        {"white_matter",
         4,
         .02,
         {{32, 7.958e-12, .1}, {100, 7.958e-9, .1}, {4e4, 53.052e-6, .3}, {3.5e7, 7.958e-3, .02}}},
        {"cerebrospinal_fluid", 4, 2, {{65, 7.958e-12, .1}, {40, 1.592e-9, 0}}},
        {"cortical_bone",
         2.5,
         .02,
         {{10, 13.263e-12, .2}, {180, 79.577e-9, .2}, {5e3, 159.155e-6, .2}, {1e5, 15.915e-3, 0}}},
        {"blood", 4, .7, {{56, 8.377e-12, .1}, {5200, 132.629e-9, .1}}}};
    for (int n = 0; n < (int)(sizeof tissue / sizeof tissue[0]); n++)
        for (int m = 0; m <= 20; m++) {
            const double f = 1e8 * pow(10, m / 10.0);
            near(permittivity(tissue[n].name, f), cole_cole(&tissue[n], f), 0.01, tissue[n].name);
        }
}

/* In eV. */
static double complex metal(double plasma, const double (*line)[3], int lines, double at)
{
    double complex e = 1;
    for (int n = 0; n < lines; n++)
        e += line[n][0] * plasma * plasma / (line[n][2] * line[n][2] - at * at + I * line[n][1] * at);
    return e;
}

Test(material, metals)
{
    static const double gold[][3] = {{.760, .053, 0},     {.024, .241, .415},   {.010, .345, .830},
                                     {.071, .870, 2.969}, {.601, 2.494, 4.304}, {4.384, 2.214, 13.32}};
    static const double silver[][3] = {{.845, .048, 0},     {.065, 3.886, .816}, {.124, .452, 4.481},
                                       {.011, .065, 8.185}, {.840, .916, 9.083}, {5.646, 2.419, 20.29}};
    static const double aluminium[][3] = {
        {.523, .047, 0}, {.227, .333, .162}, {.050, .312, 1.544}, {.166, 1.351, 1.808}, {.030, 3.382, 3.473}};
    static const double copper[][3] = {
        {.575, .030, 0}, {.061, .378, .291}, {.104, 1.056, 2.957}, {.723, 3.213, 5.300}, {.638, 4.305, 11.18}};
    for (double at = 0.5; at < 5; at += 0.37) {
        const double hz = at * 1.602176634e-19 / 6.62607015e-34;
        near(permittivity("gold", hz), metal(9.03, gold, 6, at), 1e-9, "gold");
        near(permittivity("silver", hz), metal(9.01, silver, 6, at), 1e-9, "silver");
        near(permittivity("Aluminium", hz), metal(14.98, aluminium, 5, at), 1e-9, "aluminium");
        near(permittivity("copper", hz), metal(10.83, copper, 5, at), 1e-9, "copper");
    }
    /* n of silicon at 1.55 and 3 um: 3.4777 and 3.4324. */
    near(csqrt(permittivity("silicon", em_c / 1.55e-6)), 3.4777, 1e-3, "silicon");
    near(csqrt(permittivity("silicon", em_c / 3e-6)), 3.4324, 1e-3, "silicon");
}

/* Three terms of Deinega, Valuev, Potapkin and Lozovik 2011, in 1/um, the third of which gives energy below the band.
 */
Test(material, silicon_in_visible_light)
{
    static const double term[][3] = {{8, 3.64, 0}, {2.85, 2.76, .126}, {-.107, 1.73, 5}};
    for (double um = 0.4; um < 1.001; um += 0.02) {
        const double f = 1 / um;
        double complex e = 1;
        for (int n = 0; n < 3; n++)
            e += term[n][0] * term[n][1] * term[n][1] / (term[n][1] * term[n][1] - f * f + I * term[n][2] * f);
        const double complex should = csqrt(e), is = csqrt(permittivity("silicon_visible", em_c / (um * 1e-6)));
        cr_assert_float_eq(creal(is), creal(should), 1e-3 * creal(should), "%.2f um: n %g, not %g", um, creal(is),
                           creal(should));
        cr_assert_float_eq(cimag(is), cimag(should), 0.01, "%.2f um: k %g, not %g", um, -cimag(is), -cimag(should));
    }
    /* Aspnes and Studna 1983: n 3.882, k 0.019 at the helium-neon laser's 632.8 nm. */
    const double complex red = csqrt(permittivity("silicon_visible", em_c / 632.8e-9));
    cr_assert(fabs(creal(red) - 3.882) < 4e-3 && fabs(cimag(red) + 0.019) < 3e-3);
}

Test(material, every_one_is_told_and_passive)
{
    int n = 0;
    for (const struct material *m; (m = material_of(n)); n++) {
        cr_assert(strstr(material_names(), m->name) && m->source[0] && m->end > m->first);
        const int between = !strcmp(m->name, "soil_10") || !strcmp(m->name, "soil_20"); /* soil_5 to soil_30 */
        cr_assert(between || says(meaning_of("medium", "material"), m->name), "explain lacks %s", m->name);
        permittivity(m->name, m->end - m->first > 3 ? 5e14 : 1e9);
        for (int q = 0; q < n; q++) cr_assert(strcasecmp(material_of(q)->name, m->name));
    }
    cr_assert_eq(n, 22);
    cr_assert_null(material_find("unobtainium"));
}

/* Steps see a frequency as tan(w dt / 2) / (dt / 2); a lorentz is moved so that its resonance stays where it is. */
Test(material, steps_have_a_permittivity_of_their_own)
{
    const double hz = 1e10, dt = 1.3e-11, w = 2 * tan(M_PI * hz * dt) / dt;
    double is[2];
    permittivity("sea_water", hz);
    medium_stepped(&media.medium[MEDIUM_GIVEN], hz, dt, is);
    near(is[0] - I * is[1], 5.16 + 73.2 / (1 + I * w * 8.27e-12) + 4 / (I * w * em_eps0), 1e-12, "sea water");
    entries_clear();
    strcpy(params.medium_name[0], "matter");
    strcpy(params.pole_medium[0], "matter");
    params.pole_kind[0] = POLE_LORENTZ, params.pole_strength[0] = 2, params.pole_omega[0] = 2 * M_PI * hz,
    params.pole_gamma[0] = 0.02 * hz;
    cr_assert_eq(media_of(1, dt), SF_OK, "%s", sf_error_text());
    medium_stepped(&media.medium[MEDIUM_GIVEN], hz, dt, is);
    cr_assert(fabs(is[0] - 1) < 1e-3 * is[1], "at its resonance %g %+gi", is[0], -is[1]);
}

/* ---- what cannot be ---- */

static void pole_put(int n, const char *medium, int kind, double strength, double tau)
{
    snprintf(params.pole_medium[n], sizeof params.pole_medium[n], "%s", medium);
    params.pole_kind[n] = kind, params.pole_strength[n] = strength, params.pole_tau[n] = tau;
}

static void refused(int poles, const char *text)
{
    cr_assert_eq(media_of(poles, 1e-12), SF_NAMELIST);
    cr_assert(strstr(sf_error_text(), text), "'%s' lacks '%s'", sf_error_text(), text);
}

Test(material, what_cannot_be_is_refused)
{
    entries_clear();
    strcpy(params.medium_name[0], "matter");
    pole_put(0, "mater", POLE_DEBYE, 1, 1e-11), refused(1, "did you mean 'matter'");
    pole_put(0, "vacuum", POLE_DEBYE, 1, 1e-11), refused(1, "it has no poles");
    pole_put(0, "matter", POLE_DEBYE, 1, 0), refused(1, "needs tau");
    pole_put(0, "matter", POLE_DEBYE, -1, 1e-11), refused(1, "would give energy");
    for (int n = 0; n <= POLES_MOST; n++) pole_put(n, "matter", POLE_DEBYE, 1, 1e-11);
    refused(POLES_MOST + 1, "more than 16 poles");
    cr_assert_eq(media_of(POLES_MOST, 1e-12), SF_OK);
    strcpy(params.medium_material[0], "watr"), refused(0, "these are: water, ");
    strcpy(params.medium_material[0], "water"), params.medium_epsilon[0] = 2,
                                                refused(0, "leave out those of the entry");
    /* A negative term that others make up for. */
    params.medium_epsilon[0] = 1, params.medium_material[0][0] = 0;
    pole_put(0, "matter", POLE_DEBYE, 3, 1e-11), pole_put(1, "matter", POLE_DEBYE, -1, 1e-11);
    cr_assert_eq(media_of(2, 1e-12), SF_OK, "%s", sf_error_text());
}

Test(material, wavelengths_follow_the_poles)
{
    const double hz = 1e10;
    const double complex n = csqrt(permittivity("water", hz));
    const struct medium *const m = &media.medium[MEDIUM_GIVEN];
    cr_assert_float_eq(medium_wavelength(m, hz) * creal(n) * hz / em_c, 1, 1e-12);
    cr_assert_float_eq(medium_decay(m, hz) / (-cimag(n) * 2 * M_PI * hz / em_c), 1, 1e-12);
    cr_assert_float_eq(medium_index(m, hz) / creal(n), 1, 1e-12);
    cr_assert_float_eq(medium_loss(m, hz) / (-cimag(n * n) / creal(n * n)), 1, 1e-12);
    cr_assert_eq(medium_index(m, 0), sqrt(5.16));
    permittivity("gold", 5e14);
    cr_assert_eq(medium_index(m, 5e14), 1); /* of a metal no wave has less */
}
