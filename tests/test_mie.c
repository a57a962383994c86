/* Mie's series against published figures and its own theorems. SPDX-License-Identifier: MIT */
#include "command/mie.h"
#include "maxwell/medium.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* sigma / (pi a^2) at 0, 30, 60, 90, 120, 150, 180 degrees, in the plane of E and across it, computed independently. */
struct sphere {
    double size, index, section[2][7];
};
static const struct sphere spheres[] = {
    {1,
     0,
     {{1.6874792, 1.115703, .3319972, .6178817, 1.8740742, 3.1348488, 3.6375665},
      {1.6874792, 1.834494, 2.273238, 2.8627748, 3.3375571, 3.5759752, 3.6375665}}},
    {3,
     0,
     {{10.7966679, 5.7784307, 3.6913268, .2742376, 1.744818, 1.0583742, .5207654},
      {10.7966679, 6.0282511, 1.8033971, 1.1103919, 1.2292871, .6845286, .5207654}}},
    {3,
     1.5,
     {{34.7111203, 16.6921578, 2.5789275, .4210074, .4338349, .582464, .5344004},
      {34.7111203, 17.711706, 1.2777471, .5966642, .5938319, .0301237, .5344004}}},
    {1,
     2,
     {{2.0082223, 1.5112833, .5661021, .0335967, .0999262, .3930964, .5357875},
      {2.0082223, 1.8612592, 1.5008025, 1.0960144, .7787514, .5942848, .5357875}}}};

Test(mie, bistatic)
{
    for (unsigned n = 0; n < sizeof spheres / sizeof spheres[0]; n++)
        for (int angle = 0; angle < 7; angle++) {
            double section[2];
            mie_bistatic(spheres[n].size, spheres[n].index, 30 * angle, section);
            for (int q = 0; q < 2; q++)
                cr_expect(fabs(section[q] - spheres[n].section[q][angle]) < 6e-7,
                          "sphere %u, %d degrees, plane %d: %.9g", n, 30 * angle, q, section[q]);
        }
}

/* Of n 2, and Rayleigh's law of small ones. */
Test(mie, scattering)
{
    const double size[] = {0.5, 1, 2, 3}, exact[] = {0.04566378, 0.79683026, 4.77043984, 3.03617063};
    for (int n = 0; n < 4; n++) cr_expect(fabs(mie_scattering(size[n], 2) - exact[n]) < 1e-8, "%d", n);
    cr_expect(fabs(mie_scattering(0.01, 1.5) / (8.0 / 3 * 1e-8 * pow(1.25 / 4.25, 2)) - 1) < 1e-3);
    cr_expect(fabs(mie_scattering(0.01, 0) / (10.0 / 3 * 1e-8) - 1) < 1e-3);
}

/* The scattered power is the mean of both planes over all directions. */
Test(mie, sections_add_up)
{
    for (int n = 0; n < 4; n++) {
        double sum = 0;
        for (int m = 0; m < 2000; m++) {
            double section[2];
            const double theta = (m + 0.5) * 180 / 2000;
            mie_bistatic(spheres[n].size, spheres[n].index, theta, section);
            sum += (section[0] + section[1]) / 2 * sin(theta * 3.14159265358979323846 / 180);
        }
        sum *= 3.14159265358979323846 / 2000 / 2;
        cr_expect(fabs(sum / mie_scattering(spheres[n].size, spheres[n].index) - 1) < 1e-5, "%d: %g", n, sum);
    }
}

/* Metals by their poles (Rakic et al. 1998), radius 50 nm in vacuum, computed independently: Qsca and Qext. */
static double complex index_of(const char *material, double frequency)
{
    static struct maxwell_params p;
    static struct media m;
    double epsilon[2];
    strcpy(p.medium_name[0], "metal");
    strcpy(p.medium_material[0], material);
    p.medium_epsilon[0] = p.medium_mu[0] = 1;
    cr_assert_eq(media_make(&m, &p, 1, NULL), 0);
    cr_assert_eq(media_poles(&m, &p, 0, 1e-18, NULL), 0);
    medium_permittivity(&m.medium[MEDIUM_GIVEN], frequency, epsilon);
    return csqrt(epsilon[0] - I * epsilon[1]);
}

Test(mie, metals)
{
    static const struct {
        const char *material;
        double wavelength, scattering, extinction; /* um */
    } known[] = {{"silver", 0.40, 5.4612479, 7.3559789}, {"silver", 0.50, 1.8508306, 2.2308159},
                 {"silver", 0.60, .4949069, .5948730},   {"silver", 0.80, .0994809, .1265759},
                 {"gold", 0.40, .9494487, 3.0070343},    {"gold", 0.50, 1.0641586, 3.7381926},
                 {"gold", 0.55, 1.2093116, 2.8783674},   {"gold", 0.60, .6662685, 1.2392814},
                 {"gold", 0.80, .1063148, .1537377}};
    for (unsigned n = 0; n < sizeof known / sizeof known[0]; n++) {
        const double size = 2 * 3.14159265358979323846 * 0.05 / known[n].wavelength;
        const double complex index = index_of(known[n].material, 299792458.0 / (known[n].wavelength * 1e-6));
        cr_expect(fabs(mie_scattering(size, index) - known[n].scattering) < 2e-6, "%u: %.8f", n,
                  mie_scattering(size, index));
        cr_expect(fabs(mie_extinction(size, index) - known[n].extinction) < 2e-6, "%u: %.8f", n,
                  mie_extinction(size, index));
    }
}

/* A Drude sphere, wp a / c = 1, gamma = 0.01 wp: epsilon = 1 - wp^2 / (w^2 - i gamma w). Nothing is lost in a sphere of
 * a real index; large lossy ones, whose psi would overflow, take and scatter twice what meets them. */
Test(mie, extinction)
{
    static const double known[3][3] = {{.3, .0475774, .0730644}, {.7, .7958327, .8980921}, {.9, .3441956, .3712176}};
    for (int n = 0; n < 3; n++) {
        const double w = known[n][0];
        const double complex index = csqrt(1 - 1 / (w * w - I * 0.01 * w));
        cr_expect(fabs(mie_scattering(w, index) - known[n][1]) < 1e-6, "%d: %.8f", n, mie_scattering(w, index));
        cr_expect(fabs(mie_extinction(w, index) - known[n][2]) < 1e-6, "%d: %.8f", n, mie_extinction(w, index));
    }
    for (int n = 0; n < 4; n++) {
        const struct sphere *const s = &spheres[n];
        cr_expect(fabs(mie_extinction(s->size, s->index) / mie_scattering(s->size, s->index) - 1) < 1e-12, "%d", n);
    }
    cr_expect(fabs(mie_extinction(45, 9 - 8 * I) - 2) < 0.2, "%g", mie_extinction(45, 9 - 8 * I));
}
