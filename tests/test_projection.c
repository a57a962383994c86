/* Maps of the sphere by value: worked examples of Snyder 1987 and numbers of PROJ 9.5.1 (through pyproj 3.7.2); round
 * trips; factors and angles against differences of where places come to lie; what cannot be.
 * SPDX-License-Identifier: MIT */
#include "dynamics/projection.h"

#include "pipeline/sferic.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const double earth = 6371229, rate = 7.292115e-5;

static struct projection made(enum projection_kind kind, double radius, double a, double b, double meridian,
                              double origin)
{
    struct projection p;
    const char *const wrong = projection_make(&p, kind, radius, rate, (const double[]){a, b}, meridian, origin);
    cr_assert(!wrong, "%s", wrong);
    return p;
}

static const struct known {
    enum projection_kind kind;
    double radius, parallels[2], meridian, origin; /* degrees */
    double latitude, longitude, x, y, factor, turn;
    double digits; /* of x, y */
} known[] = {
    /* Snyder, pages 296 and 266, on a sphere of radius 1, with x, y and k to 7 digits. */
    {PROJECTION_LAMBERT, 1, {33, 45}, -96, 23, 35, -75, 0.2966785, 0.2462112, 0.9970040, -13.2400316, 6e-8},
    {PROJECTION_MERCATOR, 1, {0, 0}, -180, 0, 35, -75, 1.8325957, 0.6528366, 1.2207746, 0, 6e-8},
    /* PROJ: lcc, stere and merc on the sphere of this test, with lat_ts; its meridian convergence has the other sign.
     */
    {PROJECTION_LAMBERT,
     6371229,
     {30, 60},
     8,
     47.5,
     46.2,
     15.7,
     571417.748841,
     -112128.127857,
     0.9656862765,
     -5.50986472,
     1e-5},
    {PROJECTION_LAMBERT,
     6371229,
     {-35, -35},
     150,
     -40,
     -52.4,
     131.3,
     -1327302.712636,
     -1535143.848364,
     1.0522869842,
     -10.72587936,
     1e-5},
    {PROJECTION_POLAR_STEREOGRAPHIC,
     6371229,
     {60, 60},
     -105,
     0,
     38.6,
     -62.9,
     3835999.575168,
     -4245384.849408,
     1.1491156164,
     -42.1,
     1e-5},
    {PROJECTION_POLAR_STEREOGRAPHIC,
     6371229,
     {-71, -71},
     0,
     0,
     -77.85,
     166.67,
     304156.120925,
     -1283668.382862,
     0.9837776278,
     166.67,
     1e-5},
    {PROJECTION_MERCATOR,
     6371229,
     {15, 15},
     120,
     0,
     -7.3,
     101.2,
     -2019306.345872,
     -786222.377608,
     0.9738191735,
     0,
     1e-5},
    /* Snyder, chapter 12: R cos phi_1 (lambda - lambda_0), R phi, cos phi_1 / cos phi. */
    {PROJECTION_LATITUDE_LONGITUDE,
     6371229,
     {40, 40},
     -60,
     0,
     51.2,
     -75.3,
     -1303304.756045,
     5693384.880566,
     1.2225339668,
     0,
     1e-5}};
enum { KNOWN = sizeof known / sizeof known[0] };

static struct projection of_known(const struct known *k)
{
    return made(k->kind, k->radius, k->parallels[0], k->parallels[1], k->meridian, k->origin);
}

Test(projection, known_places)
{
    for (int n = 0; n < KNOWN; n++) {
        const struct known *const k = &known[n];
        const struct projection p = of_known(k);
        double x, y;
        projection_forward(&p, k->latitude, k->longitude, &x, &y);
        cr_assert_float_eq(x, k->x, k->digits, "case %d: x %.9g, not %.9g", n, x, k->x);
        cr_assert_float_eq(y, k->y, k->digits, "case %d: y %.9g, not %.9g", n, y, k->y);
        const struct projection_place at = projection_at(&p, x, y);
        cr_assert_float_eq(at.latitude, k->latitude, 1e-11, "case %d: latitude %.15g", n, at.latitude);
        cr_assert_float_eq(at.longitude, k->longitude, 1e-11, "case %d: longitude %.15g", n, at.longitude);
        cr_assert_float_eq(at.factor, k->factor, 6e-8, "case %d: factor %.12g", n, at.factor);
        cr_assert_float_eq(at.sin_turn, sin(k->turn * M_PI / 180), 2e-9, "case %d: %.12g", n, at.sin_turn);
        cr_assert_float_eq(at.cos_turn, cos(k->turn * M_PI / 180), 2e-9, "case %d: %.12g", n, at.cos_turn);
    }
}

/* Places all over the hemisphere of the map, and beyond the equator, to and fro; and what follows from the latitude. */
Test(projection, to_and_fro)
{
    for (int n = 0; n < KNOWN; n++) {
        const struct projection p = of_known(&known[n]);
        for (int a = -8; a <= 17; a++)
            for (int b = -17; b <= 17; b++) {
                const double latitude = 5.0 * a * p.hemisphere, longitude = known[n].meridian + 10.0 * b;
                double x, y;
                projection_forward(&p, latitude, longitude, &x, &y);
                const struct projection_place at = projection_at(&p, x, y);
                const double off = fabs(at.longitude - longitude);
                cr_assert_float_eq(at.latitude, latitude, 3e-12, "%d: %g becomes %.17g", n, latitude, at.latitude);
                cr_assert(fmin(off, fabs(off - 360)) < 3e-12, "%d: %g becomes %.17g", n, longitude, at.longitude);
                cr_assert(at.longitude >= -180 && at.longitude < 180, "%g", at.longitude);
                cr_assert_float_eq(at.f, 2 * rate * sin(latitude * M_PI / 180), 1e-18);
                cr_assert_float_eq(at.e, 2 * rate * cos(latitude * M_PI / 180), 1e-18);
                cr_assert(projection_shows(&p, x, y));
            }
    }
}

/* What a step of a metre of the sphere eastward and northward is on the map, by central differences of the places' x
 * and y: its length is m, and its direction that of the turned axes. */
static void step_of(const struct projection *p, double latitude, double longitude, int north, double step[2])
{
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const double width = 0.05, metres = p->radius * M_PI / 180 * (north ? 1 : cos(latitude * M_PI / 180));
    step[0] = step[1] = 0;
    for (int n = 0; n < 4; n++) {
        const double by = width * (n < 2 ? n - 2 : n - 1);
        double x, y;
        projection_forward(p, latitude + (north ? by : 0), longitude + (north ? 0 : by), &x, &y);
        step[0] += weight[n] * x / (width * metres), step[1] += weight[n] * y / (width * metres);
    }
}

/* cos(a) E + sin(a) N is the x axis: E lies at (cos a, -sin a) of the map, N at (sin a, cos a). */
Test(projection, factors_and_angles_are_those_of_steps)
{
    for (int n = 0; n < KNOWN; n++) {
        const struct projection p = of_known(&known[n]);
        for (int a = -4; a <= 16; a++)
            for (int b = -16; b <= 16; b += 3) {
                const double latitude = 5.0 * a * p.hemisphere, longitude = known[n].meridian + 10.0 * b;
                double x, y, east[2], north[2];
                projection_forward(&p, latitude, longitude, &x, &y);
                const struct projection_place at = projection_at(&p, x, y);
                step_of(&p, latitude, longitude, 0, east), step_of(&p, latitude, longitude, 1, north);
                const double error = 1e-8 * at.factor, m = at.factor;
                cr_assert_float_eq(east[0], m * at.cos_turn, error, "%d at %g %g", n, latitude, longitude);
                cr_assert_float_eq(east[1], -m * at.sin_turn, error, "%d at %g %g", n, latitude, longitude);
                cr_assert(n == KNOWN - 1 ? at.factor_y >= 1 && at.factor_y <= 1 : at.factor_y >= m && at.factor_y <= m);
                cr_assert_float_eq(north[0], at.factor_y * at.sin_turn, error, "%d at %g %g", n, latitude, longitude);
                cr_assert_float_eq(north[1], at.factor_y * at.cos_turn, error, "%d at %g %g", n, latitude, longitude);
            }
    }
}

/* 1 on one or two standard parallels, less between two, more beyond. */
Test(projection, true_scale)
{
    for (int n = 0; n < KNOWN; n++) {
        const struct known *const k = &known[n];
        const struct projection p = of_known(k);
        for (int m = 0; m < 2; m++) {
            double x, y;
            projection_forward(&p, k->parallels[m], k->meridian + 33, &x, &y);
            cr_assert_float_eq(projection_at(&p, x, y).factor, 1, 1e-14, "%d: %.17g", n,
                               projection_at(&p, x, y).factor);
        }
    }
    const struct projection p = made(PROJECTION_LAMBERT, earth, 30, 60, 0, 45);
    double x, y;
    projection_forward(&p, 45, 10, &x, &y);
    cr_assert(projection_at(&p, x, y).factor < 0.98);
}

/* The pole of a polar stereographic map is a place like others. */
Test(projection, pole)
{
    for (int south = 0; south < 2; south++) {
        const double sign = south ? -1 : 1;
        const struct projection p = made(PROJECTION_POLAR_STEREOGRAPHIC, earth, 60 * sign, 0, 30, 0);
        const struct projection_place at = projection_at(&p, 0, 0);
        double x, y;
        projection_forward(&p, 90 * sign, 77, &x, &y);
        cr_assert(fabs(x) < 1e-9 && fabs(y) < 1e-9, "%g %g", x, y);
        cr_assert_float_eq(at.latitude, 90 * sign, 1e-13);
        cr_assert_float_eq(at.factor, (1 + sin(M_PI / 3)) / 2, 1e-15);
        cr_assert_float_eq(at.f, 2 * rate * sign, 1e-19);
        cr_assert_float_eq(at.e, 0, 1e-19);
        cr_assert(at.cos_turn >= 1 && !(fabs(at.sin_turn) > 0));
    }
}

/* Lambert's cone laid flat leaves a gap; Mercator's map ends where it meets itself. */
Test(projection, edges)
{
    const struct projection cone = made(PROJECTION_LAMBERT, earth, 30, 30, 0, 30);
    const double gap = M_PI * 0.5 + 0.01, r = 3e6; /* n = sin 30 degrees: half of all directions are shown */
    cr_assert(!projection_shows(&cone, r * sin(gap), cone.rho_origin - r * cos(gap)));
    cr_assert(!projection_shows(&cone, -r * sin(gap), cone.rho_origin - r * cos(gap)));
    cr_assert(projection_shows(&cone, r * sin(gap - 0.02), cone.rho_origin - r * cos(gap - 0.02)));
    cr_assert(!projection_shows(&cone, 0, cone.rho_origin));
    const struct projection cylinder = made(PROJECTION_MERCATOR, earth, 0, 0, 0, 0);
    cr_assert(projection_shows(&cylinder, 3.14 * earth, 1e6) && !projection_shows(&cylinder, -3.15 * earth, 1e6));
    const struct projection even = made(PROJECTION_LATITUDE_LONGITUDE, earth, 60, 60, 0, 0);
    cr_assert(projection_shows(&even, 1.57 * earth, 1.55 * earth) && !projection_shows(&even, 1.58 * earth, 0));
    cr_assert(!projection_shows(&even, 0, 1.56 * earth) && !projection_shows(&even, 0, -1.56 * earth));
}

Test(projection, what_cannot_be)
{
    static const struct {
        enum projection_kind kind;
        double a, b, origin;
        const char *says;
    } bad[] = {{PROJECTION_LAMBERT, 90, 90, 40, "lies at a pole"},
               {PROJECTION_LAMBERT, 30, -90, 40, "lies at a pole"},
               {PROJECTION_LAMBERT, 0, 0, 40, "take 'mercator'"},
               {PROJECTION_LAMBERT, 30, -30, 40, "take 'mercator'"},
               {PROJECTION_LAMBERT, 30, 60, 90, "take 'polar_stereographic'"},
               {PROJECTION_POLAR_STEREOGRAPHIC, 0, 0, 40, "which pole"},
               {PROJECTION_MERCATOR, 90, 90, 0, "true scale of Mercator's map lies at a pole"},
               {PROJECTION_MERCATOR, 0, 0, -90, "does not show"},
               {PROJECTION_LATITUDE_LONGITUDE, 90, 90, 0, "latitude and longitude lies at a pole"}};
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
        struct projection p;
        const char *const wrong =
            projection_make(&p, bad[n].kind, earth, rate, (const double[]){bad[n].a, bad[n].b}, 0, bad[n].origin);
        cr_assert(wrong && strstr(wrong, bad[n].says), "case %zu: %s", n, wrong ? wrong : "taken");
    }
}

Test(projection, plane)
{
    const struct projection p = {.kind = PROJECTION_NONE};
    const struct projection_place at = projection_at(&p, 3e5, -7e6);
    cr_assert(at.factor >= 1 && at.factor <= 1 && !(fabs(at.f) > 0));
}
