/* The base state: discretely hydrostatic to the last digits, true to the exact atmospheres, second order in
 * between, and honest about what lies above a sounding. SPDX-License-Identifier: MIT */
#include "dynamics/base.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/error.h"

#ifndef SOUNDINGS
#define SOUNDINGS "data/soundings/" /* tests run from the top of the source tree */
#endif

enum { MAX_LEVELS = 512 };

static const struct base_constants constants = {.g = 9.80665, .cp = 1004.5, .R = 287.0, .p00 = 1e5};

/* Mirrored ghost levels, cells growing upwards by `ratio`. */
struct levels {
    int nk;
    double z_f[MAX_LEVELS + 5], z_c[MAX_LEVELS + 4];
};

static struct levels levels_make(int nk, double dz, double ratio)
{
    struct levels l = {.nk = nk};
    for (int k = 0; k < nk; k++, dz *= ratio) l.z_f[k + 1] = l.z_f[k] + dz;
    for (int k = 0; k < nk; k++) l.z_c[k + 2] = (l.z_f[k] + l.z_f[k + 1]) / 2;
    for (int m = 0; m < 2; m++) {
        l.z_c[1 - m] = -l.z_c[2 + m];
        l.z_c[nk + 2 + m] = 2 * l.z_f[nk] - l.z_c[nk + 1 - m];
    }
    return l;
}

static struct base_params params_make(enum base_profile profile, enum base_wind wind)
{
    return (struct base_params){.base_profile = (int)profile,
                                .base_wind = (int)wind,
                                .base_surface_pressure = 1e5,
                                .base_surface_theta = 300,
                                .base_temperature = 250,
                                .base_brunt_vaisala = 0.01,
                                .base_shear_bottom = 1000,
                                .base_shear_top = 5000,
                                .base_wind_u = 2,
                                .base_wind_v = -1,
                                .base_wind_u_top = 22,
                                .base_wind_v_top = 3};
}

static struct base_state make(const struct base_params *p, const struct levels *l, struct notes *notes)
{
    struct base_state b;
    sf_error_clear();
    *notes = (struct notes){""};
    const int rc = base_make(&b, p, &constants, NULL, l->nk, l->z_c + 2, l->z_f, notes);
    cr_assert_eq(rc, 0, "%s", sf_error_text());
    return b;
}

static void expect_near(double got, double want, double tolerance)
{
    cr_assert(fabs(got - want) <= tolerance, "%.17g instead of %.17g", got, want);
}

/* The identities that every base state obeys, ghost levels included. The difference of two pi0 carries the
 * rounding of each: 1 ulp of pi0, 1.1e-16 for values in 1/2 ... 1 and twice that below 2. */
static void expect_balanced(const struct base_state *b)
{
    const struct base_constants *c = &constants;
    for (int k = -1; k < b->nk + 2; k++) {
        cr_assert_eq(b->theta0_f[k], (b->theta0[k - 1] + b->theta0[k]) / 2);
        cr_assert_eq(b->rho0_f[k], (b->rho0[k - 1] + b->rho0[k]) / 2);
        const double dz = b->z[k] - b->z[k - 1], force = c->cp * b->theta0_f[k] / dz;
        expect_near(force * (b->pi0[k] - b->pi0[k - 1]), -c->g, force * 2.3e-16 + 4 * 1.8e-15);
        cr_assert(b->p0[k] < b->p0[k - 1]);
    }
    for (int k = -2; k < b->nk + 2; k++) {
        expect_near(b->p0[k], c->p00 * pow(b->pi0[k], c->cp / c->R), 1e-14 * b->p0[k]);
        expect_near(b->rho0[k], b->p0[k] / (c->R * b->theta0[k] * b->pi0[k]), 1e-14 * b->rho0[k]);
    }
}

Test(base, balance_on_every_profile)
{
    const char *file[] = {"oun_1999050400.txt", "oun_2011052212.txt"};
    for (int n = 0; n < 5; n++) {
        struct base_params p = params_make(n < 3 ? (enum base_profile)n : BASE_SOUNDING, WIND_CALM);
        if (n >= 3) snprintf(p.base_sounding, sizeof p.base_sounding, SOUNDINGS "%s", file[n - 3]);
        for (int stretched = 0; stretched < 2; stretched++) {
            const struct levels l = levels_make(40, stretched ? 50 : 400, stretched ? 1.1 : 1);
            struct notes notes;
            struct base_state b = make(&p, &l, &notes);
            expect_balanced(&b);
            base_free(&b);
            cr_assert_null(b.theta0);
        }
    }
}

Test(base, neutral_is_exact)
{
    const struct base_params p = params_make(BASE_NEUTRAL, WIND_CALM);
    const struct levels l = levels_make(64, 100, 1);
    struct notes notes;
    struct base_state b = make(&p, &l, &notes);
    for (int k = -2; k < 66; k++) {
        cr_assert_eq(b.theta0[k], 300);
        expect_near(b.pi0[k], 1 - 9.80665 * (100 * k + 50) / (1004.5 * 300), 2e-14); /* linear: rounding only */
        cr_assert_eq(b.u0[k], 0);
    }
    cr_assert_eq(b.figures.n2_min, 0);
    cr_assert_eq(b.figures.n2_max, 0);
    cr_assert_str_eq(notes.text, "");
    expect_near(b.figures.sound_max, sqrt(1004.5 / 717.5 * 287 * 300 * b.pi0[0]), 1e-10);
    char text[1024];
    base_describe(&b, text, sizeof text);
    cr_assert(strstr(text, "\nN^2 = 0: neutral at all heights; tropopause: none\n"), "%s", text);
    b.figures.n2_max = 4e-9, b.figures.n2_max_z = 700;
    base_describe(&b, text, sizeof text);
    cr_assert(strstr(text, "\nN^2 from neutral (0) at 100 m to 4.000e-09 1/s2 at 700 m; tropopause"), "%s", text);
    b.figures.n2_min = -4e-9, b.figures.n2_max = 0;
    base_describe(&b, text, sizeof text);
    cr_assert(strstr(text, "\nN^2 from -4.000e-09 1/s2 at 100 m to neutral (0) at 700 m; tropopause"), "%s", text);
    base_free(&b);
}

/* Largest relative error of p0 against p_s exp(-g z / (R T)). */
static double isothermal_error(int nk)
{
    struct base_params p = params_make(BASE_ISOTHERMAL, WIND_CONSTANT);
    p.base_surface_pressure = 95000;
    const struct levels l = levels_make(nk, 10000.0 / nk, 1);
    struct notes notes;
    struct base_state b = make(&p, &l, &notes);
    double worst = 0;
    for (int k = 0; k < nk; k++) {
        const double exact = 95000 * exp(-9.80665 * b.z[k] / (287.0 * 250)), off = fabs(b.p0[k] / exact - 1);
        if (off > worst) worst = off;
        const double pi = pow(exact / 1e5, 287.0 / 1004.5);
        expect_near(b.theta0[k], 250 / pi, 1e-12 * b.theta0[k]);
        cr_assert_eq(b.u0[k], 2);
        cr_assert_eq(b.v0[k], -1);
    }
    expect_near(b.figures.n2_max, 9.80665 * 9.80665 / (1004.5 * 250), 1e-6);
    expect_near(b.figures.sound_max, 316.94, 0.05);
    base_free(&b);
    return worst;
}

Test(base, isothermal_is_second_order)
{
    const double coarse = isothermal_error(20), fine = isothermal_error(40), finest = isothermal_error(80);
    cr_assert(coarse < 1e-3, "%g", coarse);
    expect_near(log2(coarse / fine), 2, 0.1);
    expect_near(log2(fine / finest), 2, 0.1);
}

Test(base, constant_n_is_recovered)
{
    struct base_params p = params_make(BASE_CONSTANT_N, WIND_CALM);
    p.base_brunt_vaisala = 0.012;
    const struct levels l = levels_make(100, 100, 1);
    struct notes notes;
    struct base_state b = make(&p, &l, &notes);
    expect_near(b.theta0[0], 300 * exp(1.44e-4 * 50 / 9.80665), 1e-12 * 300);
    expect_near(b.figures.n2_min, 1.44e-4, 3e-11); /* N^2 (1 - (N^2 dz / g)^2 / 12) */
    expect_near(b.figures.n2_max, 1.44e-4, 3e-11);
    expect_near(b.pi0[0], 1 - 9.80665 * 50 / (1004.5 * (300 + b.theta0[0]) / 2),
                2e-16); /* half a step from the ground */
    /* pi = 1 - g^2 (1 - exp(-N^2 z/g)) / (cp theta_s N^2) */
    for (int k = 0; k < 100; k++)
        expect_near(b.pi0[k], 1 - 9.80665 * 9.80665 / (1004.5 * 300 * 1.44e-4) * -expm1(-1.44e-4 * b.z[k] / 9.80665),
                    1e-6);
    base_free(&b);
}

Test(base, winds)
{
    const struct levels l = levels_make(100, 100, 1);
    struct notes notes;
    struct base_params p = params_make(BASE_NEUTRAL, WIND_SHEAR);
    struct base_state b = make(&p, &l, &notes);
    for (int k = -2; k < 12; k++) {
        cr_assert_eq(b.u0[k], k < 10 ? 2 : 2 + 20 * ((100 * k + 50) - 1000.0) / 4000);
        if (k < 10) cr_assert_eq(b.v0[k], -1);
    }
    expect_near(b.u0[30], 2 + 20 * 2050.0 / 4000, 1e-13);
    expect_near(b.v0[30], -1 + 4 * 2050.0 / 4000, 1e-13);
    for (int k = 50; k < 102; k++) cr_assert(b.u0[k] == 22 && b.v0[k] == 3);
    expect_near(b.figures.shear, sqrt(20 * 20 + 4 * 4), 1e-12);
    cr_assert_eq(b.figures.shear_z, 6000);
    expect_near(b.figures.wind_max, sqrt(22 * 22 + 3 * 3), 1e-12);
    base_free(&b);

    p.base_shear_top = 10000; /* 6 km lie midway between two levels of the layer */
    b = make(&p, &l, &notes);
    expect_near(b.figures.shear, sqrt(20 * 20 + 4 * 4) * 5000 / 9000, 1e-12);
    base_free(&b);
    p.base_shear_top = 5000;

    p.base_wind = WIND_TANH;
    b = make(&p, &l, &notes);
    cr_assert_eq(b.u0[0], 2);
    for (int k = 10; k < 100; k++) {
        expect_near(b.u0[k], 2 + 20 * tanh((b.z[k] - 1000) / 4000), 1e-13);
        expect_near(b.v0[k], -1 + 4 * tanh((b.z[k] - 1000) / 4000), 1e-13);
    }
    base_free(&b);

    p.base_shear_top = 1000;
    static struct complaints to;
    base_check(&p, &to);
    cr_assert_eq(to.errors, 1);
    cr_assert(strstr(to.list[0].text, "shear_top = 1000 m"), "%s", to.list[0].text);
    p.base_wind = WIND_CONSTANT; /* has no shear layer */
    base_check(&p, &to);
    cr_assert_eq(to.errors, 1);
}

Test(base, sounding_and_what_lies_above)
{
    struct base_params p = params_make(BASE_SOUNDING, WIND_SOUNDING);
    snprintf(p.base_sounding, sizeof p.base_sounding, "oun_1999050400.txt");
    const struct levels l = levels_make(100, 200, 1);
    struct sounding s;
    cr_assert_eq(sounding_read(SOUNDINGS "oun_1999050400.txt", &s), 0);
    struct base_state b;
    struct notes notes = {""};
    cr_assert_eq(base_make(&b, &p, &constants, SOUNDINGS, 100, l.z_c + 2, l.z_f, &notes), 0, "%s", sf_error_text());
    cr_assert_eq(b.surface_pressure, 95900);
    const int top = s.n - 1;
    for (int k = -2; k < 102; k++) {
        cr_assert_eq(b.u0[k], sounding_value(&s, s.u, b.z[k]));
        cr_assert_eq(b.v0[k], sounding_value(&s, s.v, b.z[k]));
        if (b.z[k] <= s.z[top]) {
            cr_assert_eq(b.theta0[k], sounding_value(&s, s.theta_v, b.z[k]));
            if (k >= 0) expect_near(b.p0[k], sounding_value(&s, s.pressure, b.z[k]), 0.006 * b.p0[k]);
        } else { /* isothermal, since the uppermost kilometre is less stable than that */
            expect_near(b.theta0[k] * b.pi0[k], s.theta_v[top] * pow(s.pressure[top] / 1e5, 287.0 / 1004.5), 0.5);
        }
    }
    cr_assert_eq(b.u0[101], s.u[top]);
    cr_assert_eq(b.theta0[-1], s.theta_v[0]);
    const char *told[] = {"ends at 9713 m, the domain at 20000 m",
                          "(isothermal)",
                          "virtual potential temperature serves as theta; output names temperatures as virtual",
                          "959.0 hPa from the sounding",
                          "30 levels to 9713 m above the ground, which is at 345 m",
                          "1 level(s) without temperature dropped"};
    for (size_t n = 0; n < sizeof told / sizeof told[0]; n++)
        cr_assert(strstr(notes.text, told[n]), "no '%s' in:\n%s", told[n], notes.text);
    char text[1024];
    base_describe(&b, text, sizeof text);
    cr_assert(strstr(text, "surface pressure 959.0 hPa") && strstr(text, "; virtual temperature") &&
              strstr(text, "shear from the lowest level to 6000 m"));
    sounding_free(&s);
    base_free(&b);
}

/* N^2 above a sounding whose theta rises by `rise` K/km between 9 and 10 km, where theta is 400 K; `told` must be
 * noted. */
static double n2_above(double rise, const char *told, double *isothermal)
{
    struct base_params p = params_make(BASE_SOUNDING, WIND_CALM);
    snprintf(p.base_sounding, sizeof p.base_sounding, "/tmp/sferic-base-%ld.txt", (long)getpid());
    FILE *f = fopen(p.base_sounding, "w");
    cr_assert(f);
    fprintf(f, "1000 300 0\n9000 %.17g 0 1 2\n10000 400 0 1 2\n", 400 - rise);
    cr_assert_eq(fclose(f), 0);
    const struct levels l = levels_make(80, 200, 1);
    struct notes notes;
    struct base_state b = make(&p, &l, &notes);
    struct sounding s;
    cr_assert_eq(sounding_read(p.base_sounding, &s), 0);
    *isothermal = constants.g * constants.g / (constants.cp * 400 * pow(s.pressure[s.n - 1] / 1e5, 287.0 / 1004.5));
    sounding_free(&s);
    unlink(p.base_sounding);
    cr_assert(strstr(notes.text, told), "no '%s' in:\n%s", told, notes.text);
    const double n2 = constants.g / (b.z[79] - 10000) * log(b.theta0[79] / 400);
    base_free(&b);
    return n2;
}

Test(base, stability_above_follows_the_top_within_bounds)
{
    double isothermal;
    const double least = n2_above(1, "(isothermal)", &isothermal);
    expect_near(least, isothermal, 1e-12);
    const double found = n2_above(18, "as in its uppermost kilometre", &isothermal);
    expect_near(found, constants.g / 400 * 0.018, 1e-12);
    cr_assert(least > 3e-4 && least < found, "%g", least);
    const double most = n2_above(80, "less than the inversion at its top", &isothermal);
    expect_near(most, 2 * isothermal, 1e-12);
    cr_assert(most > found && most < constants.g / 400 * 0.080, "%g", most);
}

Test(base, inside_the_sounding_nothing_is_continued)
{
    struct base_params p = params_make(BASE_SOUNDING, WIND_SOUNDING);
    snprintf(p.base_sounding, sizeof p.base_sounding, SOUNDINGS "oun_2011052212.txt");
    const struct levels l = levels_make(80, 200, 1);
    struct notes notes;
    struct base_state b = make(&p, &l, &notes);
    cr_assert_null(strstr(notes.text, "ends at"));
    cr_assert(b.figures.tropopause > 11000 && b.figures.tropopause < 13000, "%g", b.figures.tropopause);
    base_free(&b);
}

/* Lapse rates of 7 K/km but for 1 K/km between 2 and 4.5 km, which is too low, and between 7 and 8.5 km, which is too
 * thin; 2.5 K/km from 9.5 to 12.05 km and 1.5 K/km above, where the tropopause is. theta = T / pi, d ln pi / dz = -g /
 * cp T. */
Test(base, tropopause_is_where_the_lapse_rate_falls_to_2_K_per_km)
{
    struct base_params p = params_make(BASE_SOUNDING, WIND_CALM);
    snprintf(p.base_sounding, sizeof p.base_sounding, "/tmp/sferic-base-%ld.txt", (long)getpid());
    FILE *const f = fopen(p.base_sounding, "w");
    cr_assert(f);
    fprintf(f, "1000 290 0\n");
    double temperature = 290, log_pi = 0;
    for (int z = 50; z <= 16000; z += 50) {
        const int is_stable = (z > 2000 && z <= 4500) || (z > 7000 && z <= 8500);
        const double before = temperature, lapse = z > 12050 ? 1.5e-3 : z > 9500 ? 2.5e-3 : is_stable ? 1e-3 : 7e-3;
        temperature -= 50 * lapse, log_pi -= constants.g / constants.cp * log(before / temperature) / lapse;
        fprintf(f, "%d %.17g 0 0 0\n", z, temperature / exp(log_pi));
    }
    cr_assert_eq(fclose(f), 0);
    const struct levels l = levels_make(75, 200, 1);
    struct notes notes;
    struct base_state b = make(&p, &l, &notes);
    unlink(p.base_sounding);
    expect_near(b.figures.tropopause, 12100, 1e-9);
    cr_assert_eq(b.figures.pressure_top, b.p0[74]);
    double most = 0, height = 0; /* of N^2 between two levels */
    for (int k = 1; k < 75; k++) {
        const double n2 = constants.g * 2 / (b.theta0[k] + b.theta0[k - 1]) * (b.theta0[k] - b.theta0[k - 1]) / 200;
        if (n2 > most) most = n2, height = 200.0 * k;
    }
    expect_near(b.figures.n2_max, most, 1e-12);
    expect_near(b.figures.n2_max_z, height, 1e-9);
    base_free(&b);
}

Test(base, refusals)
{
    const struct levels l = levels_make(100, 400, 1);
    struct base_params p = params_make(BASE_NEUTRAL, WIND_CALM);
    struct base_state b;
    struct notes notes = {""};
    cr_assert_eq(base_make(&b, &p, &constants, NULL, 100, l.z_c + 2, l.z_f, &notes), SF_NAMELIST);
    cr_assert(strstr(sf_error_text(), "no air left"), "%s", sf_error_text());
    cr_assert_null(b.memory);
    sf_error_clear();
    p.base_wind = WIND_SOUNDING;
    cr_assert_eq(base_make(&b, &p, &constants, NULL, 20, l.z_c + 2, l.z_f, &notes), SF_NAMELIST);
    cr_assert(strstr(sf_error_text(), "base%sounding is empty"));
    sf_error_clear();
    snprintf(p.base_sounding, sizeof p.base_sounding, "no_such_file.txt");
    cr_assert_eq(base_make(&b, &p, &constants, "some/dir", 20, l.z_c + 2, l.z_f, &notes), SF_INPUT);
    cr_assert(strstr(sf_error_text(), "some/dir/no_such_file.txt"), "%s", sf_error_text());
}

/* The enums and the words of the namelist are two lists of one thing. */
Test(base, words_match_the_enums)
{
    struct {
        const char *key, *word;
        int value;
    } want[] = {{"profile", "neutral", BASE_NEUTRAL},
                {"profile", "isothermal", BASE_ISOTHERMAL},
                {"profile", "constant_n", BASE_CONSTANT_N},
                {"profile", "sounding", BASE_SOUNDING},
                {"profile", "weisman_klemp", BASE_WEISMAN_KLEMP},
                {"profile", "saturated", BASE_SATURATED},
                {"wind", "calm", WIND_CALM},
                {"wind", "constant", WIND_CONSTANT},
                {"wind", "shear", WIND_SHEAR},
                {"wind", "tanh", WIND_TANH},
                {"wind", "sounding", WIND_SOUNDING},
                {"wind", "quarter_circle", WIND_QUARTER},
                {"wind", "half_circle", WIND_HALF},
                {"wind", "table", WIND_TABLE}};
    for (size_t n = 0; n < sizeof want / sizeof want[0]; n++) {
        const struct param *row = NULL;
        for (int m = 0; m < base_table_size; m++)
            if (strcmp(base_table[m].key, want[n].key) == 0) row = &base_table[m];
        cr_assert(row && row->type == PARAM_CHOICE);
        char words[256], *next = words;
        snprintf(words, sizeof words, "%s", row->choices);
        for (int m = 0; m < want[n].value; m++) cr_assert(strsep(&next, " "));
        const char *word = strsep(&next, " ");
        cr_assert(word && strcmp(word, want[n].word) == 0, "%s: word %d is %s", want[n].key, want[n].value, word);
    }
}

/* ---- moist air ---- */

static const struct vapour water = {461.5, 1870, 4190, 2.501e6, 611.2, 17.67, 29.65};

static struct base_state make_moist(struct base_params *p, const struct levels *l)
{
    struct base_constants c = constants;
    struct base_state b;
    static struct notes notes;
    c.vapour = &water, notes = (struct notes){""};
    sf_error_clear();
    p->base_moist_layer = 0.014, p->base_theta_e = 320, p->base_total_water = 0.02;
    p->base_turn_radius = 7, p->base_turn_top = 2000;
    cr_assert_eq(base_make(&b, p, &c, NULL, l->nk, l->z_c + 2, l->z_f, &notes), 0, "%s", sf_error_text());
    return b;
}

static double saturated(double t, double p)
{
    const double es = 611.2 * exp(17.67 * (t - 273.15) / (t - 29.65));
    return 287 / 461.5 * es / (p - es);
}

static void expect_moist_balance(const struct base_state *b)
{
    for (int k = -2; k < b->nk + 2; k++)
        expect_near(b->theta0[k], b->theta[k] * (1 + 461.5 / 287 * b->qv[k]) / (1 + b->qv[k] + b->qc[k]),
                    1e-12 * b->theta[k]);
    expect_balanced(b);
}

/* Weisman and Klemp (1982), eq. 1: theta and relative humidity at every level, from their formulas. */
Test(base, weisman_klemp_air)
{
    const struct levels l = levels_make(60, 300, 1);
    struct base_params p = params_make(BASE_WEISMAN_KLEMP, WIND_QUARTER);
    struct base_state b = make_moist(&p, &l);
    for (int k = 0; k < l.nk; k++) {
        const double z = 150 + 300 * k, share = pow(z / 12000, 1.25);
        expect_near(b.theta[k], z < 12000 ? 300 + 43 * share : 343 * exp(9.80665 * (z - 12000) / (1004.5 * 213)), 1e-9);
        /* vapour is that of the pressure before the last turn of the balance, which is the same to 1e-12 */
        expect_near(b.qv[k],
                    fmin(0.014, (z < 12000 ? 1 - 0.75 * share : 0.25) * saturated(b.theta[k] * b.pi0[k], b.p0[k])),
                    1e-10);
        cr_assert_eq(b.qc[k], 0);
    }
    expect_moist_balance(&b);
    base_free(&b);
}

/* Of the dry profiles a share of saturation everywhere, at the temperature and pressure of this air. */
Test(base, humid_air_of_dry_profiles)
{
    static const enum base_profile profile[] = {BASE_NEUTRAL, BASE_ISOTHERMAL, BASE_CONSTANT_N};
    const struct levels l = levels_make(60, 200, 1);
    for (int n = 0; n < 3; n++) {
        struct base_params p = params_make(profile[n], WIND_CALM);
        p.base_relative_humidity = 0.6;
        struct base_state b = make_moist(&p, &l);
        for (int k = 0; k < l.nk; k++) {
            const double t = b.theta[k] * b.pi0[k], z = 100 + 200 * k;
            /* theta is that of dry air at this height, of 250 K where that is isothermal */
            expect_near(b.theta[k],
                        n == 0   ? 300
                        : n == 1 ? 250 * exp(9.80665 * z / (1004.5 * 250))
                                 : 300 * exp(1e-4 * z / 9.80665),
                        1e-9);
            expect_near(b.qv[k], 0.6 * saturated(t, b.p0[k]), 1e-10);
            cr_assert_eq(b.qc[k], 0);
        }
        expect_moist_balance(&b);
        base_free(&b);
    }
}

/* Bryan and Fritsch (2002): all air in cloud, of one theta_e. */
Test(base, saturated_air_has_one_theta_e)
{
    const struct levels l = levels_make(50, 200, 1);
    struct base_params p = params_make(BASE_SATURATED, WIND_CALM);
    struct base_state b = make_moist(&p, &l);
    for (int k = 0; k < l.nk; k++) {
        const double t = b.theta[k] * b.pi0[k], heat = 1004.5 + 4190 * 0.02;
        expect_near(b.qv[k], saturated(t, b.p0[k]), 1e-10);
        expect_near(b.qv[k] + b.qc[k], 0.02, 1e-15);
        const double dry = b.p0[k] / (1 + 461.5 / 287 * b.qv[k]), L = 2.501e6 - (4190 - 1870) * (t - 273.15);
        expect_near(t * pow(1e5 / dry, 287 / heat) * exp(L * b.qv[k] / (heat * t)), 320, 1e-6);
    }
    expect_moist_balance(&b);
    base_free(&b);
}

/* More vapour than there is water: refused, for no cloud can be negative. */
Test(base, saturated_air_needs_its_water)
{
    const struct levels l = levels_make(10, 200, 1);
    struct base_params p = params_make(BASE_SATURATED, WIND_CALM);
    struct base_constants c = constants;
    struct base_state b;
    static struct notes notes;
    c.vapour = &water, p.base_theta_e = 350, p.base_total_water = 0.01;
    cr_assert_eq(base_make(&b, &p, &c, NULL, l.nk, l.z_c + 2, l.z_f, &notes), SF_NAMELIST);
    cr_assert(strstr(sf_error_text(), "total_water"), "%s", sf_error_text());
}

Test(base, hodographs_that_turn)
{
    const struct levels l = levels_make(40, 200, 1);
    for (int half = 0; half < 2; half++) {
        struct base_params p = params_make(BASE_WEISMAN_KLEMP, half ? WIND_HALF : WIND_QUARTER);
        struct base_state b = make_moist(&p, &l);
        for (int k = 0; k < l.nk; k++) {
            const double z = 100 + 200 * k, angle = acos(0.0) * (half ? 2 : 1) * fmin(z / 2000, 1);
            const double up = z < 2000 ? 0 : fmin((z - 2000) / 3000, 1);
            const double u = 2 + 7 * (1 - cos(angle)), v = -1 + 7 * sin(angle);
            expect_near(b.u0[k], u + up * (22 - u), 1e-12);
            expect_near(b.v0[k], v + up * (3 - v), 1e-12);
        }
        base_free(&b);
    }
}

/* Straight lines between the heights of the table, the ends below and above; heights that do not rise are refused. */
Test(base, wind_from_a_table)
{
    const struct levels l = levels_make(10, 400, 1);
    struct base_params p = params_make(BASE_NEUTRAL, WIND_TABLE);
    for (int n = 0; n < 64; n++) p.base_table_z[n] = -1;
    const double at[3] = {500, 1500, 3500}, u[3] = {3, 13, -7}, v[3] = {-2, 4, 4};
    for (int n = 0; n < 3; n++) p.base_table_z[n] = at[n], p.base_table_u[n] = u[n], p.base_table_v[n] = v[n];
    struct notes notes;
    struct base_state b = make(&p, &l, &notes);
    for (int k = 0; k < 10; k++) {
        const double z = 200 + 400 * k, low = fmin(fmax((z - 500) / 1000, 0), 1),
                     high = fmin(fmax((z - 1500) / 2000, 0), 1);
        expect_near(b.u0[k], 3 + 10 * low - 20 * high, 1e-12);
        expect_near(b.v0[k], -2 + 6 * low, 1e-12);
    }
    base_free(&b);
    for (int n = 1; n < 64; n++) p.base_table_z[n] = -1; /* one height: the same wind everywhere */
    b = make(&p, &l, &notes);
    expect_near(b.u0[0], 3, 0), expect_near(b.u0[9], 3, 0), expect_near(b.v0[9], -2, 0);
    base_free(&b);
}

/* ---- the air of an afternoon ---- */

enum { MADE_LEVELS = 4 };
static const double made_z[MADE_LEVELS] = {0, 1000, 3000, 20000}, made_theta[MADE_LEVELS] = {295, 300, 306, 500};
static const double made_qv[MADE_LEVELS] = {0.007, 0.006, 0.001, 0}, made_pressure = 95000;

static double made_at(const double *of, double z)
{
    int k = 0;
    while (k < MADE_LEVELS - 2 && z > made_z[k + 1]) k++;
    return of[k] + (z - made_z[k]) / (made_z[k + 1] - made_z[k]) * (of[k + 1] - of[k]);
}

/* The parameters of an afternoon of this potential temperature and dew point over the sounding made here, with `share`
 * of its vapour. The caller unlinks. */
static struct base_params afternoon_params(double share, double theta, double dewpoint)
{
    struct base_params p = params_make(BASE_SOUNDING, WIND_CALM);
    snprintf(p.base_sounding, sizeof p.base_sounding, "/tmp/sferic-base-%ld.txt", (long)getpid());
    FILE *const f = fopen(p.base_sounding, "w");
    cr_assert(f);
    fprintf(f, "%.17g %.17g %.17g\n", made_pressure / 100, made_theta[0], 1e3 * share * made_qv[0]);
    for (int k = 1; k < MADE_LEVELS; k++)
        fprintf(f, "%.17g %.17g %.17g 1 2\n", made_z[k], made_theta[k], 1e3 * share * made_qv[k]);
    cr_assert_eq(fclose(f), 0);
    p.base_afternoon_temperature = theta * pow(made_pressure / 1e5, 287 / 1004.5);
    p.base_afternoon_dewpoint = dewpoint;
    return p;
}

static double rho_of(double theta, double qv) { return theta * (1 + 461.5 / 287 * qv) / (1 + qv); }
static double rho_made(double z) { return rho_of(made_at(made_theta, z), made_at(made_qv, z)); }

/* Dry air: 302 K is met at 1000 m + 2 K / 3 K/km. Below, to the ghost levels, all is of 302 K; above, as it was. */
Test(base, afternoon_of_dry_air)
{
    const struct levels l = levels_make(60, 250, 1);
    struct base_params p = afternoon_params(0, 302, 0);
    struct notes notes;
    struct base_state b = make(&p, &l, &notes);
    unlink(p.base_sounding);
    const double top = 1000 + 2000.0 / 3;
    expect_near(b.mixed_top, top, 1e-6);
    cr_assert_eq(b.mixed_qv, 0);
    cr_assert_eq(b.is_moist, 0);
    for (int k = -2; k < 62; k++) {
        expect_near(b.theta0[k], b.z[k] < top ? 302 : made_at(made_theta, b.z[k]), 1e-10);
        cr_assert_eq(b.u0[k], 0);
    }
    expect_balanced(&b);
    cr_assert_eq(b.figures.n2_min, 0);
    const char *const told =
        "mixed to 1667 m, theta 302.00 K, vapour 0.00 g/kg (as much as was observed in this layer)";
    cr_assert(strstr(notes.text, told) && !strstr(notes.text, "saturated"), "%s", notes.text);
    base_free(&b);
}

/* A dew point of 279 K: Bolton's vapour at the ground. What is met is the density of the air around, by bisection. The
 * dry model's theta is virtual, that of the mixed layer, too. */
Test(base, afternoon_dewpoint)
{
    const struct levels l = levels_make(60, 250, 1);
    struct base_params p = afternoon_params(1, 302, 279);
    const double e = 611.2 * exp(17.67 * (279 - 273.15) / (279 - 273.15 + 243.5)), qv = 0.622 * e / (made_pressure - e);
    double virtual[MADE_LEVELS]; /* what goes in straight lines in the dry model */
    for (int k = 0; k < MADE_LEVELS; k++) virtual[k] = made_theta[k] * (1 + 0.61 * made_qv[k]);
    for (int is_moist = 0; is_moist < 2; is_moist++) {
        struct notes notes;
        struct base_state b = is_moist ? make_moist(&p, &l) : make(&p, &l, &notes);
        double low = 0, high = 5000;
        for (int n = 0; n < 60; n++) {
            const double z = (low + high) / 2;
            const double excess =
                is_moist ? rho_of(302, qv) - rho_made(z) : 302 * (1 + 0.61 * qv) - made_at(virtual, z);
            if (excess > 0) low = z;
            else high = z;
        }
        expect_near(b.mixed_top, low, 1e-3);
        expect_near(b.mixed_qv, qv, 1e-12);
        for (int k = -2; k < 62; k++) {
            if (b.z[k] >= b.mixed_top) continue;
            expect_near(b.theta[k], is_moist ? 302 : 302 * (1 + 0.61 * qv), 1e-10);
            if (is_moist) expect_near(b.qv[k], qv, 1e-12);
        }
        cr_assert_eq(b.is_moist, !is_moist);
        if (is_moist) expect_moist_balance(&b);
        else expect_balanced(&b);
        base_free(&b);
    }
    unlink(p.base_sounding);
}

/* Without a dew point the layer keeps its vapour: the sum of qv / (1 + qv) dp over its mass of dry air, dp / (1 + qv),
 * in steps of 0.1 m of the hydrostatic equation. Bounds: 1 m against 0.1 m by the midpoint rule, (1 m / 1 km)^2. */
Test(base, afternoon_keeps_the_water)
{
    const struct levels l = levels_make(60, 250, 1);
    struct base_params p = afternoon_params(1, 303, 0);
    struct base_state b = make_moist(&p, &l);
    unlink(p.base_sounding);
    double pi = pow(made_pressure / 1e5, 287 / 1004.5), p_below = made_pressure, dry = 0, vapour = 0, z = 0;
    const double step = 0.1;
    do {
        pi -= 9.80665 * step / (1004.5 * rho_made(z + step / 2));
        const double p_above = 1e5 * pow(pi, 1004.5 / 287), q = made_at(made_qv, z + step / 2);
        dry += (p_below - p_above) / (1 + q), vapour += (p_below - p_above) / (1 + q) * q;
        p_below = p_above, z += step;
    } while (rho_of(303, vapour / dry) > rho_made(z));
    expect_near(b.mixed_top, z, step + 0.01);
    expect_near(b.mixed_qv, vapour / dry, 1e-6 * vapour / dry + 0.5 * step * 0.007 / 1000);
    int below = 0;
    for (int k = -2; k < 62; k++) {
        const int is_mixed = b.z[k] < b.mixed_top;
        expect_near(b.theta[k], is_mixed ? 303 : made_at(made_theta, b.z[k]), 1e-10);
        expect_near(b.qv[k], is_mixed ? b.mixed_qv : made_at(made_qv, fmax(b.z[k], 0)), 1e-12);
        below += is_mixed;
    }
    cr_assert(below > 6 && b.mixed_top > 1500 && b.mixed_top < 2500, "%g", b.mixed_top);
    cr_assert(b.figures.n2_min > -1e-12, "%g", b.figures.n2_min); /* nowhere lies heavier air on lighter */
    expect_moist_balance(&b);
    base_free(&b);
}

/* More vapour than the top of the layer can hold: that of saturation, told. */
Test(base, afternoon_of_fog)
{
    const struct levels l = levels_make(60, 250, 1);
    struct base_params p = afternoon_params(1, 302, 295);
    struct base_constants c = constants;
    struct base_state b;
    struct notes notes = {""};
    c.vapour = &water;
    cr_assert_eq(base_make(&b, &p, &c, NULL, l.nk, l.z_c + 2, l.z_f, &notes), 0, "%s", sf_error_text());
    unlink(p.base_sounding);
    int full = 0;
    for (int k = 0; k < 60 && b.z[k] < b.mixed_top; k++) {
        const double most = saturated(302 * b.pi0[k], b.p0[k]);
        expect_near(b.qv[k], fmin(b.mixed_qv, most), 1e-10);
        full += b.mixed_qv > most;
    }
    cr_assert(full > 1 && strstr(notes.text, "the mixed layer is saturated from 375 m up"), "%d %s", full, notes.text);
    base_free(&b);
}

/* The moist base state, of 60 levels of 250 m, over a sounding that ends at 5 km with `end` kg/kg. */
static struct base_state made_short(double end, struct notes *notes)
{
    const struct levels l = levels_make(60, 250, 1);
    struct base_params p = params_make(BASE_SOUNDING, WIND_CALM);
    struct base_constants c = constants;
    struct base_state b;
    snprintf(p.base_sounding, sizeof p.base_sounding, "/tmp/sferic-short-%ld.txt", (long)getpid());
    FILE *const f = fopen(p.base_sounding, "w");
    cr_assert(f);
    fprintf(f, "1000 300 14\n1000 302 12 0 0\n2000 305 8 0 0\n5000 316 %.17g 0 0\n", 1e3 * end);
    cr_assert_eq(fclose(f), 0);
    c.vapour = &water, *notes = (struct notes){""};
    cr_assert_eq(base_make(&b, &p, &c, NULL, l.nk, l.z_c + 2, l.z_f, notes), 0, "%s", sf_error_text());
    unlink(p.base_sounding);
    return b;
}

/* Vapour above a sounding: from 4 g/kg by a factor e every 2500 m, down to 0.1 g/kg; what ends drier stays as it is. */
Test(base, vapour_falls_above_a_short_sounding)
{
    struct notes notes;
    struct base_state b = made_short(4e-3, &notes);
    int least = 0;
    for (int k = 0; k < 62; k++) {
        if (b.z[k] <= 5000) continue;
        expect_near(b.qv[k], fmax(4e-3 * exp(-(b.z[k] - 5000) / 2500), 1e-4), 1e-15);
        least += b.qv[k] <= 1e-4;
    }
    cr_assert(least > 2 && b.qv[19] > 4e-3 && b.qv[20] < 4e-3 && b.qv[20] > 3.7e-3, "%d", least);
    cr_assert(strstr(notes.text, "which ends with 4 g/kg, falls by a factor e every 2500 m, down to 0.1 g/kg"), "%s",
              notes.text);
    expect_moist_balance(&b);
    base_free(&b);
    b = made_short(9e-5, &notes);
    for (int k = 20; k < 62; k++) expect_near(b.qv[k], 9e-5, 1e-17);
    cr_assert(!strstr(notes.text, "factor e"), "%s", notes.text);
    base_free(&b);
}

static void expect_refused(struct base_params *p, const struct levels *l, const char *told)
{
    struct base_constants c = constants;
    struct base_state b;
    struct notes notes = {""};
    c.vapour = &water;
    sf_error_clear();
    cr_assert_eq(base_make(&b, p, &c, NULL, l->nk, l->z_c + 2, l->z_f, &notes), SF_NAMELIST, "%s", told);
    cr_assert(strstr(sf_error_text(), told), "no '%s' in: %s", told, sf_error_text());
}

Test(base, afternoons_that_are_none)
{
    const struct levels l = levels_make(20, 250, 1);
    struct base_params p = afternoon_params(1, 294.9, 0);
    expect_refused(&p, &l, "is not above the 290.7"); /* 295 K times 0.95^(287/1004.5) */
    p = afternoon_params(1, 340, 0);
    expect_refused(&p, &l, "up to the lid at 5000 m");
    p = afternoon_params(1, 295.5, 200);
    expect_refused(&p, &l, "which is moister");
    struct notes notes;
    p = afternoon_params(0, 295.2, 0); /* 0.2 K, at 5 K/km: 40 m */
    struct base_state b = make(&p, &l, &notes);
    cr_assert(strstr(notes.text, "mixed to 40 m") && strstr(notes.text, "nothing changes"), "%s", notes.text);
    base_free(&b);
    unlink(p.base_sounding);
    const struct {
        int profile;
        double temperature, dewpoint;
        const char *told;
    } bad[] = {{BASE_NEUTRAL, 300, 0, "give profile = 'sounding'"},
               {BASE_SOUNDING, 0, 290, "give afternoon_temperature, too"},
               {BASE_SOUNDING, 300, 301, "cannot lie above"},
               {BASE_SOUNDING, 300, 21, "give it in kelvin"}};
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
        static struct complaints to;
        to = (struct complaints){0};
        p.base_profile = bad[n].profile, p.base_afternoon_temperature = bad[n].temperature;
        p.base_afternoon_dewpoint = bad[n].dewpoint;
        base_check(&p, &to);
        cr_assert_eq(to.errors, 1);
        cr_assert(strstr(to.list[0].text, bad[n].told), "%s", to.list[0].text);
    }
}
