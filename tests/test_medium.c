/* Media by name and number, names that cannot be, and wavelengths in them. SPDX-License-Identifier: MIT */
#include "maxwell/medium.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/error.h"

#define PLAIN(e, m, s, s_m)                                                                                            \
    {                                                                                                                  \
        .name = "", .epsilon = (e), .mu = (m), .sigma = (s), .sigma_m = (s_m)                                          \
    }

static struct maxwell_params params;
static struct media media;

static void medium_put(int n, const char *name, double epsilon, double mu, double sigma, double sigma_m)
{
    snprintf(params.medium_name[n], sizeof params.medium_name[n], "%s", name);
    params.medium_epsilon[n] = epsilon, params.medium_mu[n] = mu;
    params.medium_sigma[n] = sigma, params.medium_sigma_m[n] = sigma_m;
}

static void expect_refused(int given, const char *text)
{
    sf_error_clear();
    cr_assert_eq(media_make(&media, &params, given, NULL), SF_NAMELIST);
    cr_assert(strstr(sf_error_text(), text), "'%s' lacks '%s'", sf_error_text(), text);
}

Test(medium, numbers_and_names)
{
    medium_put(0, "Glass", 2.25, 1, 0, 0);
    medium_put(1, "ferrite", 12, 3, 1e-3, 4);
    cr_assert_eq(media_make(&media, &params, 2, NULL), SF_OK);
    cr_assert_eq(media.n, 4);
    cr_assert(media_find(&media, "VACUUM") == 0 && media_find(&media, "Pec") == 1);
    cr_assert(media_find(&media, "glass") == 2 && media_find(&media, "FERRITE") == 3);
    cr_assert_eq(media_find(&media, "glas"), -1);
    cr_assert_eq(media_find(&media, ""), -1);
    const struct medium *f = &media.medium[3];
    cr_assert(f->epsilon == 12 && f->mu == 3 && f->sigma == 1e-3 && f->sigma_m == 4);
    cr_assert(media.medium[0].epsilon == 1 && media.medium[0].mu == 1 && media.medium[0].sigma == 0);
    cr_assert(medium_is_magnetic(f) && !medium_is_magnetic(&media.medium[2]) && !medium_is_magnetic(&media.medium[1]));
    const struct medium lossy = {.name = "", .epsilon = 1, .mu = 1, .sigma_m = 1e-9};
    cr_assert(medium_is_magnetic(&lossy));
}

Test(medium, names_that_cannot_be)
{
    medium_put(0, "glass", 2.25, 1, 0, 0);
    medium_put(1, "", 3, 1, 0, 0);
    expect_refused(2, "entry 2 has no name");
    medium_put(1, "GLASS", 3, 1, 0, 0);
    expect_refused(2, "name of entry 1");
    medium_put(1, "Vacuum", 3, 1, 0, 0);
    expect_refused(2, "there already");
    medium_put(1, "PEC", 3, 1, 0, 0);
    expect_refused(2, "there already");
    expect_refused(255, "no more than 254");
}

Test(medium, all_entries_fit)
{
    char name[16];
    for (int n = 0; n < 254; n++) {
        snprintf(name, sizeof name, "m%d", n);
        medium_put(n, name, 1 + n, 1, 0, 0);
    }
    cr_assert_eq(media_make(&media, &params, 254, NULL), SF_OK);
    cr_assert_eq(media.n, MEDIA_MAX);
    cr_assert_eq(media_find(&media, "M253"), 255);
}

Test(medium, an_unknown_name_brings_the_nearest)
{
    int number = 7;
    medium_put(0, "polystyrene", 2.6, 1, 0, 0);
    cr_assert_eq(media_make(&media, &params, 1, NULL), SF_OK);
    cr_assert_eq(media_need(&media, "PolyStyrene", "&geometry: background", &number), SF_OK);
    cr_assert_eq(number, 2);
    static const struct {
        const char *given, *near;
    } pair[] = {{"polystryene", "'polystyrene'"}, {"vacum", "'vacuum'"}, {"pecc", "'pec'"}};
    for (size_t n = 0; n < sizeof pair / sizeof pair[0]; n++) {
        sf_error_clear();
        cr_assert_eq(media_need(&media, pair[n].given, "&geometry: background", &number), SF_NAMELIST);
        cr_assert(strstr(sf_error_text(), "&geometry: background = '"), "%s", sf_error_text());
        cr_assert(strstr(sf_error_text(), pair[n].near), "%s", sf_error_text());
    }
    sf_error_clear();
    cr_assert_eq(media_need(&media, "water", "&geometry: background", &number), SF_NAMELIST);
    cr_assert(!strstr(sf_error_text(), "did you mean"), "%s", sf_error_text());
    sf_error_clear(); /* two letters of three are another word */
    cr_assert_eq(media_need(&media, "gel", "&geometry: background", &number), SF_NAMELIST);
    cr_assert(!strstr(sf_error_text(), "did you mean"), "%s", sf_error_text());
}

Test(medium, wavelengths)
{
    const double hz = 1e9;
    const struct medium glass = PLAIN(2.25, 1, 0, 0), both = PLAIN(4, 9, 0, 0), copper = PLAIN(1, 1, 5.8e7, 0);
    const struct medium magnetic_metal = PLAIN(1, 1, 0, 5.8e7 * em_eta0 * em_eta0),
                        matched = PLAIN(2, 3, 0.2, 0.3 * em_eta0 * em_eta0);
    cr_assert_eq(medium_index(&glass, hz), 1.5);
    cr_assert_eq(medium_index(&both, hz), 6);
    cr_assert_float_eq(medium_wavelength(&glass, hz), em_c / hz / 1.5, 1e-15);
    cr_assert_float_eq(medium_wavelength(&both, hz), em_c / hz / 6, 1e-15);
    /* Skin depth: sqrt(2 / (w mu sigma)); 2.0898 um of copper at 1 GHz. */
    const double w = 2 * M_PI * hz, depth = sqrt(2 / (w * em_mu0 * 5.8e7));
    cr_assert_float_eq(depth, 2.0898e-6, 1e-10);
    cr_assert_float_eq(medium_wavelength(&copper, hz) / (2 * M_PI * depth), 1, 1e-8);
    cr_assert_float_eq(medium_wavelength(&magnetic_metal, hz) / (2 * M_PI * depth), 1, 1e-8);
    /* sigma / eps = sigma_m / mu: no dispersion, the wavelength of the medium without loss. */
    cr_assert_float_eq(medium_wavelength(&matched, 1e8) * 1e8 * sqrt(6) / em_c, 1, 1e-14);
    /* Both losses strong: the product of two good conductors has a negative real part. */
    const struct medium heavy = PLAIN(1, 1, 1e6, 1e6 * em_eta0 * em_eta0);
    cr_assert_float_eq(medium_wavelength(&heavy, hz) * hz / em_c, 1, 1e-9);
}

/* Nepers a metre and loss tangents: 1 / skin depth of good conductors; where sigma / eps = sigma_m / mu, k is that
 * without loss times 1 - i sigma / (w eps). */
Test(medium, decay_and_loss)
{
    const double hz = 1e9, w = 2 * M_PI * hz, eta2 = em_eta0 * em_eta0, depth = sqrt(2 / (w * em_mu0 * 5.8e7));
    const struct medium glass = PLAIN(2.25, 1, 0, 0), copper = PLAIN(1, 1, 5.8e7, 0),
                        metal = PLAIN(1, 1, 0, 5.8e7 * eta2);
    const struct medium matched = PLAIN(2, 3, 0.2, 0.3 * eta2), weak = PLAIN(2, 3, 2e-4, 3e-4 * eta2);
    cr_assert_eq(medium_decay(&glass, hz), 0);
    cr_assert_eq(medium_loss(&glass, hz), 0);
    cr_assert_float_eq(medium_decay(&copper, hz) * depth, 1, 1e-8);
    cr_assert_float_eq(medium_decay(&metal, hz) * depth, 1, 1e-8);
    cr_assert_float_eq(medium_loss(&copper, hz) * w * em_eps0 / 5.8e7, 1, 1e-14);
    const struct medium *const both[] = {&matched, &weak};
    for (int n = 0; n < 2; n++) {
        const double tangent = both[n]->sigma / (w * em_eps0 * 2);
        cr_assert_float_eq(medium_loss(both[n], hz) / (2 * tangent), 1, 1e-8);
        cr_assert_float_eq(medium_decay(both[n], hz) / (w / em_c * sqrt(6) * tangent), 1, 1e-8);
    }
}

/* ---- in layers ---- */

static void pole_give(int medium, struct pole_keys k)
{
    struct medium *const m = &media.medium[medium];
    double sigma;
    m->npoles += pole_make(m->pole + m->npoles, &k, &sigma);
    m->sigma += sigma;
}

/* What has a negative permittivity somewhere and meets another medium at a face with a layer gets one that stands for
 * it there: once, damped, and alike in all else. */
Test(medium, in_layers)
{
    static unsigned char face[FACES][MEDIA_MAX], used[MEDIA_MAX];
    const unsigned char *at[FACES] = {face[0], NULL, face[2], face[3], face[4], face[5]};
    const double dt = 1e-12, omega = 1e11;
    medium_put(0, "metal", 1, 1, 0, 0), medium_put(1, "water", 5, 1, 0, 0), medium_put(2, "weak", 5, 1, 0, 0);
    medium_put(3, "crystal", 2, 1, 0, 0);
    media.n = 0;
    cr_assert_eq(media_make(&media, &params, 4, NULL), SF_OK);
    pole_give(2, (struct pole_keys){.kind = POLE_DRUDE, .omega = omega, .gamma = 1e9});
    pole_give(3, (struct pole_keys){.kind = POLE_DEBYE, .strength = 70, .tau = 1e-11});
    pole_give(4, (struct pole_keys){.kind = POLE_LORENTZ, .strength = 0.5, .omega = omega, .gamma = 0.1 * omega});
    pole_give(5, (struct pole_keys){.kind = POLE_LORENTZ, .strength = 1, .omega = omega, .gamma = 1e8});
    for (int f = 0; f < FACES; f++) face[f][MEDIUM_PEC] = face[f][2] = 1;
    face[1][3] = 1;
    cr_assert_eq(media_layers(&media, at, dt, used, NULL), SF_OK);
    cr_expect_eq(media.n, 6, "alone, beside a conductor or at a side without a layer nothing stands in");
    for (int n = 3; n < 6; n++) face[5][n] = 1;
    cr_assert_eq(media_layers(&media, at, dt, used, NULL), SF_OK);
    cr_assert_eq(media.n, 8);
    cr_expect(media.medium[2].in_layer == 6 && media.medium[6].stands_for == 2 && used[6]);
    cr_expect(media.medium[5].in_layer == 7 && media.medium[7].stands_for == 5 && used[7]);
    cr_expect(!media.medium[3].in_layer && !media.medium[4].in_layer && !media.medium[6].in_layer);
    const double w[2] = {0.5 * omega, 2 * omega};
    for (int n = 0; n < 2; n++) {
        double is[2];
        medium_permittivity(&media.medium[6], w[n] / (2 * 3.14159265358979323846), is);
        const double size = w[n] * (w[n] * w[n] + 0.09 * omega * omega); /* -omega^2 / (w^2 - 0.3 i omega w) */
        cr_expect(fabs(is[0] - (1 - omega * omega * w[n] / size)) < 1e-9 &&
                      fabs(is[1] - 0.3 * pow(omega, 3) / size) < 1e-9,
                  "%g %g", is[0], is[1]);
    }
    /* A medium whose stand-in would give energy is refused. */
    pole_give(2, (struct pole_keys){.kind = POLE_LORENTZ, .strength = -3, .omega = 2 * omega});
    media.medium[2].in_layer = 0;
    sf_error_clear();
    cr_assert_eq(media_layers(&media, at, dt, used, NULL), SF_NAMELIST);
    cr_assert(strstr(sf_error_text(), "crosses an absorbing layer"), "%s", sf_error_text());
}
