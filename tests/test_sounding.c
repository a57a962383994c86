/* Soundings: the two real files to the digit, an input_sounding there and back, gaps and disorder, and
 * damaged files. SPDX-License-Identifier: MIT */
#include "dynamics/sounding.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/error.h"

#ifndef SOUNDINGS
#define SOUNDINGS "data/soundings/" /* tests run from the top of the source tree */
#endif
#define HEADER                                                                                                         \
    "   PRES   HGHT   TEMP   DWPT   RELH   MIXR   DRCT   SKNT   THTA   THTE   THTV\n"                                  \
    "    hPa     m      C      C      %    g/kg    deg   knot     K      K      K \n"

static const double knot = 1852.0 / 3600.0;
static char scratch[64];

static void scratch_remove(void) { unlink(scratch); }

/* Write `size` bytes to the scratch file of this process and read them as a sounding. */
static int read_bytes(const char *bytes, size_t size, struct sounding *s)
{
    snprintf(scratch, sizeof scratch, "/tmp/sferic-sounding-%ld.txt", (long)getpid());
    FILE *f = fopen(scratch, "wb");
    cr_assert(f && fwrite(bytes, 1, size, f) == size);
    cr_assert_eq(fclose(f), 0);
    sf_error_clear();
    const int rc = sounding_read(scratch, s);
    scratch_remove();
    return rc;
}

static int read_text(const char *text, struct sounding *s) { return read_bytes(text, strlen(text), s); }

static void expect_refused(const char *text, const char *message)
{
    struct sounding s;
    cr_assert_eq(read_text(text, &s), SF_INPUT, "accepted:\n%s", text);
    cr_assert(strstr(sf_error_text(), message), "'%s' lacks '%s'", sf_error_text(), message);
    cr_assert_null(s.z);
}

static void expect_noted(const struct sounding *s, const char *note)
{
    cr_assert(strstr(s->notes.text, note), "no note '%s' in:\n%s", note, s->notes.text);
}

static void expect_near(double got, double want, double tolerance)
{
    cr_assert(fabs(got - want) <= tolerance, "%.17g instead of %.17g", got, want);
}

/* What every sounding that is read must be, whatever the file. */
static void expect_sane(const struct sounding *s)
{
    cr_assert_geq(s->n, 2);
    cr_assert_leq(s->n, SOUNDING_MAX_LEVELS);
    cr_assert_eq(s->z[0], 0);
    cr_assert(s->surface_pressure > 0 && isfinite(s->surface_pressure));
    for (int k = 0; k < s->n; k++) {
        cr_assert(isfinite(s->z[k] + s->pressure[k] + s->theta[k] + s->theta_v[k] + s->u[k] + s->v[k]));
        cr_assert(s->pressure[k] > 0 && s->theta[k] > 0 && s->qv[k] >= 0 && s->qv[k] <= 0.1);
        if (k) cr_assert(s->z[k] > s->z[k - 1] && s->pressure[k] < s->pressure[k - 1]);
    }
}

Test(sounding, joplin_morning)
{
    struct sounding s;
    cr_assert_eq(sounding_read(SOUNDINGS "oun_2011052212.txt", &s), 0, "%s", sf_error_text());
    expect_sane(&s);
    cr_assert_eq(s.n, 70);
    cr_assert_str_eq(s.title, "72357 OUN Norman Observations at 12Z 22 May 2011");
    cr_assert_eq(s.elevation, 345);
    cr_assert_eq(s.surface_pressure, 96600);
    cr_assert_eq(s.u[0], 0); /* from 180 degrees: not even round-off */
    expect_near(s.v[0], 7 * knot, 1e-15);
    expect_near(s.theta[0], 298.3, 1e-12);
    expect_near(s.qv[0], 0.0165, 1e-17);
    expect_near(s.theta_v[0], 298.3 * (1 + 0.61 * 0.0165), 1e-12);
    cr_assert_eq(s.z[1], 462 - 345);
    expect_near(s.u[4], 36 * knot * 0.42261826174069944, 1e-13); /* 205 degrees: sin 25, cos 25 */
    expect_near(s.v[4], 36 * knot * 0.90630778703664996, 1e-13);
    const int top = s.n - 1;
    cr_assert_eq(s.z[top], 16410 - 345);
    cr_assert_eq(s.pressure[top], 10000);
    expect_near(s.theta[top], 403.2, 1e-12);
    expect_near(s.u[top], 20 * knot * 0.34202014332566873, 1e-13);
    expect_noted(&s, "1 level(s) without temperature dropped (line 7)");
    expect_near(sounding_value(&s, s.theta, 58.5), (298.3 + 298.6) / 2, 1e-12);
    expect_near(sounding_value(&s, s.theta, -10), 298.3, 0);
    expect_near(sounding_value(&s, s.theta, 1e5), s.theta[top], 0);
    for (int k = 0; k < s.n; k++) cr_assert_eq(sounding_value(&s, s.u, s.z[k]), s.u[k]);
    sounding_free(&s);
    cr_assert_null(s.z);
}

Test(sounding, moore_evening)
{
    struct sounding s;
    cr_assert_eq(sounding_read(SOUNDINGS "oun_1999050400.txt", &s), 0, "%s", sf_error_text());
    expect_sane(&s);
    cr_assert_eq(s.n, 30);
    cr_assert_str_eq(s.title, "");
    cr_assert_eq(s.elevation, 345);
    cr_assert_eq(s.surface_pressure, 95900);
    expect_near(s.u[0], -18 * knot * 0.34202014332566873, 1e-13); /* from 160 degrees */
    expect_near(s.v[0], 18 * knot * 0.93969262078590838, 1e-13);
    cr_assert_eq(s.z[1], 610 - 345);
    expect_near(s.z[s.n - 1], 9713, 0);
    expect_noted(&s, "without temperature dropped (line 5)");
    sounding_free(&s);
}

Test(sounding, input_sounding_there_and_back)
{
    struct sounding a, b;
    cr_assert_eq(sounding_read(SOUNDINGS "oun_2011052212.txt", &a), 0);
    char text[16384];
    int used =
        snprintf(text, sizeof text, "%.17g %.17g %.17g\r\n", a.surface_pressure / 100, a.theta[0], 1e3 * a.qv[0]);
    for (int k = 0; k < a.n; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %.17g\t%.17g, %.17g %.16E %.17g\r\n", a.z[k],
                         a.theta[k], 1e3 * a.qv[k], a.u[k], a.v[k]);
    cr_assert_eq(read_text(text, &b), 0, "%s", sf_error_text());
    expect_sane(&b);
    cr_assert_eq(b.n, a.n);
    cr_assert_eq(b.elevation, 0);
    for (int k = 0; k < a.n; k++) {
        expect_near(b.z[k], a.z[k], 1e-10);
        expect_near(b.theta[k], a.theta[k], 1e-12 * a.theta[k]);
        expect_near(b.qv[k], a.qv[k], 1e-16);
        expect_near(b.u[k], a.u[k], 1e-13);
        expect_near(b.v[k], a.v[k], 1e-13);
        expect_near(b.pressure[k], a.pressure[k], 0.005 * a.pressure[k]); /* hydrostatic against observed */
    }
    expect_noted(&b, "1 level(s) at the height or pressure of another dropped");
    sounding_free(&a);
    sounding_free(&b);
}

Test(sounding, numbers_do_not_follow_the_locale_or_the_compiler)
{
    struct sounding s;
    cr_assert_eq(read_text("\xef\xbb\xbf\n1d3 +300. .5\n1.0D+2 301 0 -1e0 2\n\n2000.000 3030e-1 0 3 "
                           "4.0000000000000000000000",
                           &s),
                 0, "%s", sf_error_text());
    cr_assert_eq(s.n, 3);
    cr_assert_eq(s.surface_pressure, 1e5);
    cr_assert_eq(s.theta[0], 300);
    cr_assert_eq(s.qv[0], 0.5 / 1000);
    cr_assert_eq(s.z[1], 100);
    cr_assert_eq(s.u[0], -1);
    cr_assert_eq(s.theta[2], 303);
    cr_assert_eq(s.v[2], 4);
    expect_noted(&s, "wind of the lowest 1 level(s)");
    expect_noted(&s, "the last line has no end");
    sounding_free(&s);
}

Test(sounding, gaps_order_and_doubles)
{
    struct sounding s;
    const char *text = "<HTML><TITLE>x</TITLE>\n<H2>12345 ABC \xc3\xa9</H2>\n<PRE>\n" HEADER
                       "  800.0   2000   10.0                                     302.0\n"
                       " 1000.0    100   20.0   15.0     70  10.00     90     10  293.1\n"
                       "  900.0   1000   15.0                                  0  302.0\n"
                       "  899.9   1001   15.0    5.0     50   6.00                302.0\n"
                       "  700.0   3000    0.0                 4.00    360     20  303.1\n"
                       "  600.0   4200  -10.0                          45         307.0\n"
                       "  500.0   5500                                270     60\n"
                       "                -20.0\n"
                       "</PRE><H3>Station information</H3><PRE>\n  Station elevation: 100.0\n";
    cr_assert_eq(read_text(text, &s), 0, "%s", sf_error_text());
    expect_sane(&s);
    cr_assert_eq(s.n, 5);
    cr_assert_str_eq(s.title, "12345 ABC ??");
    cr_assert_eq(s.z[1], 900);
    cr_assert_eq(s.qv[1], 0.006); /* from its double 1 m above */
    cr_assert_eq(s.u[1], 0);
    cr_assert_eq(s.z[2], 1900);
    expect_near(s.qv[2], 0.005, 1e-17);
    expect_near(s.v[2], -10 * knot, 1e-14); /* half way between calm and 20 knots from the north */
    cr_assert_eq(s.qv[4], 0);
    expect_near(s.v[4], -20 * knot, 1e-14);
    expect_noted(&s, "sorted by height");
    expect_noted(&s, "1 level(s) at the height or pressure of another dropped (line 9)");
    expect_noted(&s, "wind interpolated in height at 1 level(s)");
    expect_noted(&s, "wind missing from 4100 m up");
    expect_noted(&s, "moisture interpolated in height at 1 level(s)");
    expect_noted(&s, "dry there");
    expect_noted(&s, "1 level(s) without temperature dropped (line 12)");
    expect_noted(&s, "1 level(s) without pressure or height dropped (line 13)");
    expect_noted(&s, "2 lines behind the first table not read");
    expect_noted(&s, "THTA differs from that of TEMP and PRES at 3 level(s)");
    sounding_free(&s);
}

Test(sounding, theta_from_temperature)
{
    struct sounding s;
    cr_assert_eq(read_text("   PRES   HGHT   TEMP\n 1000.0      0   26.9\n  500.0   5500  -20.0\n", &s), 0);
    expect_near(s.theta[0], 300.05, 1e-12);
    expect_near(s.theta[1], 253.15 * pow(2, 287.0 / 1004.5), 1e-10);
    expect_noted(&s, "no wind: calm");
    expect_noted(&s, "no moisture: dry");
    cr_assert_null(strstr(s.notes.text, "hydrostatic"));
    sounding_free(&s);
    cr_assert_eq(read_text("   PRES   HGHT   TEMP\n 1000.0      0   26.9\n  500.0  18000  -20.0\n", &s), 0);
    expect_noted(&s, "heights are taken as feet");
    cr_expect_float_eq(s.z[1], 18000 * 0.3048, 1e-9);
    sounding_free(&s);
    cr_assert_eq(read_text("   PRES   HGHT   TEMP\n 1000.0      0   26.9\n  500.0   7500  -20.0\n", &s), 0);
    expect_noted(&s, "off hydrostatic balance");
    sounding_free(&s);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* Bolton's vapour pressure (1980, eq. 10) and the mixing ratio that follows, written from the paper: td in C, p in
 * hPa. */
static double mixing_ratio(double td, double p)
{
    const double e = 6.112 * exp(17.67 * td / (td + 243.5));
    return 0.622 * e / (p - e);
}

/* One sounding of three levels in every format: 1000 hPa 100 m 20 C 15 C 180 deg; 850 hPa 1500 m 10 C 5 C 225 deg; 500
 * hPa 5700 m -15 C -25 C 270 deg, with 10, 20 and 40 of the speed's unit. */
static const double want_p[] = {1000, 850, 500}, want_z[] = {100, 1500, 5700}, want_t[] = {20, 10, -15},
                    want_td[] = {15, 5, -25};
static const double want_speed[] = {10, 20, 40}, want_from[] = {180, 225, 270};

static void expect_the_sounding(const char *text, double unit)
{
    struct sounding s;
    cr_assert_eq(read_text(text, &s), 0, "%s\n%s", sf_error_text(), text);
    expect_sane(&s);
    cr_assert_eq(s.n, 3, "%d levels of\n%s", s.n, text);
    for (int k = 0; k < 3; k++) {
        expect_near(s.z[k], want_z[k] - 100, 1e-9);
        expect_near(s.pressure[k], 100 * want_p[k], 1e-9);
        expect_near(s.theta[k], (want_t[k] + 273.15) * pow(1000 / want_p[k], 287.0 / 1004.5), 1e-9);
        expect_near(s.qv[k], mixing_ratio(want_td[k], want_p[k]), 1e-6);
        const double angle = want_from[k] * acos(-1) / 180, speed = want_speed[k] * unit;
        expect_near(s.u[k], -speed * sin(angle), 1e-9);
        expect_near(s.v[k], -speed * cos(angle), 1e-9);
    }
    sounding_free(&s);
}

/* A level of IGRA 2, columns as its description numbers them: types 1-2, seconds 4-8, Pa 10-15, flag, m 17-21, flag,
 * tenths of C 23-27, flag, tenths of % 29-33, tenths of C below 35-39, degrees 41-45, tenths of m/s 47-51. */
static void igra_add(char *text, int pa, int m, int t, int below, int from, int speed)
{
    sprintf(text + strlen(text), "21 %5d %6dB%5dB%5dB%5d %5d %5d %5d\n", 0, pa, m, t, -9999, below, from, speed);
}

#define CSV                                                                                                            \
    "time,longitude,latitude,pressure_hPa,geopotential height_m,temperature_C,dew point temperature_C,wind direction_degree,wind speed_m/s\n"

Test(sounding, every_format_gives_the_same_levels)
{
    expect_the_sounding(
        "%TITLE%\n OAX   140616/1900\n\n   LEVEL       HGHT       TEMP       DWPT       WDIR       WSPD\n---------\n%RAW%\n"
        " 1013.00,    10.00,  -9999.00,  -9999.00,  -9999.00,  -9999.00\n"
        " 1000.00,   100.00,     20.00,     15.00,    180.00,     10.00\n 850.00,  1500.00,     10.00,      5.00,    225.00,     20.00\n"
        " 500.00,  5700.00,    -15.00,    -25.00,    270.00,     40.00\n%END%\n",
        knot);
    expect_the_sounding(
        "<html><body><pre>\n" CSV
        "2024-05-07 11:05:00,-97.4,35.2,1000.0,100,20.0,15.0,180,10.0\n2024-05-07 11:09:00,-97.4,35.2,850.0,1500,10.0,5.0,225,20.0\n"
        "2024-05-07 11:19:00,-97.4,35.2,700.0,3100,,,,\n2024-05-07 11:30:00,-97.4,35.2,500.0,5700,-15.0,-25.0,270,40.0\n</pre>\n",
        1);
    expect_the_sounding(
        "pressure_Pa,height_km,temperature_K,dew point temperature_K,wind direction_degree,wind speed_knot\n"
        "100000,0.1,293.15,288.15,180,10\n85000,1.5,283.15,278.15,225,20\n50000,5.7,258.15,248.15,270,40\n",
        knot);
    char text[1024] = "#USM00072357 2024 05 07 12 1105    5 ncdc-nws ncdc-nws  351800  -974400\n";
    igra_add(text, 100000, 100, 200, 50, 180, 100);
    igra_add(text, 85000, 1500, 100, 50, 225, 200);
    igra_add(text, 50000, 5700, -150, 100, 270, 400);
    igra_add(text, -9999, 6000, -9999, -9999, 280, 420);
    strcat(text, "#USM00072357 2024 05 08 00 2305    1 ncdc-nws ncdc-nws  351800  -974400\n");
    igra_add(text, 100000, 100, 300, 50, 180, 100);
    expect_the_sounding(text, 1);
    static const char gsl[] =
        "    254     12      7      MAY    2024\n      1   3948  72357  35.18N 97.44W    100   1105\n      2  99999   1070   1570     12  99999      3\n"
        "      3           OUN                99999     %s\n      9  10000    100    200    150    180    %d\n      4   8500   1500    100     50    225    %d\n"
        "      6   7000  99999  99999  99999    230    30\n      4   5000   5700   -150   -250    270    %d\n";
    snprintf(text, sizeof text, gsl, "kt", 10, 20, 40);
    expect_the_sounding(text, knot);
    snprintf(text, sizeof text, gsl, "ms", 100, 200, 400);
    expect_the_sounding(text, 1);
}

/* In a listing the dew point takes the place of a mixing ratio that is missing, and the relative humidity that of both.
 * A dew point above the temperature is taken and told, in every format. */
Test(sounding, moisture_of_a_listing_without_mixing_ratio)
{
    struct sounding s;
    cr_assert_eq(read_text(HEADER " 1000.0    100   20.0   15.0     70  10.00    180     10\n"
                                  "  850.0   1500   10.0    5.0     71           225     20\n"
                                  "  700.0   3000    0.0            40           225     20\n"
                                  "  500.0   5700  -15.0  -14.0                  270     40\n",
                           &s),
                 0, "%s", sf_error_text());
    expect_near(s.qv[0], 0.010, 1e-15);
    expect_near(s.qv[1], mixing_ratio(5, 850), 1e-9);
    expect_near(s.qv[2], 0.4 * mixing_ratio(0, 700), 1e-9);
    expect_near(s.qv[3], mixing_ratio(-14, 500), 1e-9);
    expect_noted(&s, "the dew point lies above the temperature at 1 level(s) (line 6)");
    cr_assert_null(strstr(s.notes.text, "moisture"));
    sounding_free(&s);
    cr_assert_eq(
        read_text(CSV "2024,-97,35,1000.0,100,20.0,20.0,180,10.0\n2024,-97,35,850.0,1500,10.0,10.1,180,10.0\n", &s), 0);
    expect_near(s.qv[1], mixing_ratio(10.1, 850), 1e-9);
    expect_noted(&s, "the dew point lies above the temperature at 1 level(s) (line 3)");
    sounding_free(&s);
}

/* Significant levels have no height in the archives. In air of one virtual temperature T the thickness is exactly R T
 * ln(p1 / p2) / g. */
Test(sounding, heights_that_archives_leave_out_are_hydrostatic)
{
    struct sounding s;
    char text[1024] = "#USM00072357 2024 05 07 12 1105    4 ncdc-nws ncdc-nws  351800  -974400\n";
    igra_add(text, 100000, -9999, 0, -9999, 180, 100);
    igra_add(text, 95000, 500, 0, -9999, 180, 100);
    igra_add(text, 90000, -9999, 0, -9999, 180, 200);
    igra_add(text, 80000, -8888, 0, -9999, 180, 200);
    cr_assert_eq(read_text(text, &s), 0, "%s", sf_error_text());
    cr_assert_eq(s.n, 4);
    const double scale = 287.0 * 273.15 / 9.80665;
    expect_near(s.elevation, 500 - scale * log(1000.0 / 950), 1e-6);
    expect_near(s.z[3] - s.z[1], scale * log(950.0 / 800), 1e-6);
    expect_noted(&s, "heights of 3 level(s) without one computed");
    sounding_free(&s);
    strcpy(text, "#USM00072357 2024 05 07 12 1105    1 ncdc-nws ncdc-nws  351800  -974400\n");
    igra_add(text, 100000, -9999, 0, -9999, 180, 100);
    expect_refused(text, "no level has a height");
}

/* Tabs: between the values where the header has them, else as an editor shows them. */
Test(sounding, tabs_are_read)
{
    struct sounding s;
    cr_assert_eq(
        read_text("PRES\tHGHT\tTEMP\tMIXR\tDRCT\tSKNT\n1000\t100\t20\t10\t180\t10\n500\t5700\t-15\t\t9999\t9999\n", &s),
        0, "%s", sf_error_text());
    cr_assert_eq(s.n, 2);
    expect_near(s.qv[0], 0.010, 1e-15);
    expect_near(s.v[0], 10 * knot, 1e-12);
    expect_noted(&s, "wind missing from 5600 m up");
    sounding_free(&s);
    cr_assert_eq(read_text("   PRES   HGHT   TEMP\n\t1000\t100   20\n", &s), SF_INPUT,
                 "values across the edge of a column");
    sf_error_clear();
    cr_assert_eq(read_text("    PRES    HGHT    TEMP\n    1000\t 100\t  20\n     500\t5700\t -15\n", &s), 0, "%s",
                 sf_error_text());
    cr_expect(s.z[1] == 5600);
    sounding_free(&s);
}

/* Units that the column as a whole gives away are mended and told with the line; what fits two units is refused. */
Test(sounding, slips_of_units)
{
    struct sounding s;
    cr_assert_eq(read_text("1000 300 0.014\n1000 303 0.008 1 2\n5000 320 0.001 9999 9999\n10000 340 0 5 6\n", &s), 0,
                 "%s", sf_error_text());
    expect_near(s.qv[0], 0.014, 1e-15);
    expect_near(s.qv[1], 0.008, 1e-15);
    expect_noted(&s, ":1: mixing ratios are taken as kg/kg: the largest, 0.014,");
    expect_noted(&s, "no wind at 1 level(s) (line 3)");
    expect_near(s.u[2], 1 + 4.0 * 4 / 9, 1e-12);
    sounding_free(&s);
    cr_assert_eq(read_text("1000 240 0.04\n1000 245 0.03 1 2\n10000 340 0 5 6\n", &s),
                 0); /* -33 C holds 0.24 g/kg: these are g/kg */
    expect_near(s.qv[0], 0.04e-3, 1e-15);
    sounding_free(&s);
    expect_refused("1000 300 0.033\n1000 303 0.008 1 2\n10000 340 0 5 6\n",
                   ":1: the largest mixing ratio, 0.033, may be g/kg or kg/kg");
    cr_assert_eq(read_text("1000 300 14\n1 303 8 1 2\n5 320 1 3 4\n15 380 0 5 6\n", &s), 0, "%s", sf_error_text());
    cr_expect(s.z[3] == 15000);
    expect_noted(&s, ":4: heights are taken as km");
    sounding_free(&s);
    expect_refused("1000 300 14\n10 300 8 1 2\n50 301 1 3 4\n", ":3: heights end at 50: m, or km?");
    cr_assert_eq(read_text("100000 300 14\n1000 303 8 1 2\n5000 320 1 3 4\n", &s), 0);
    cr_expect(s.surface_pressure == 1e5);
    expect_noted(&s, "100000 is taken as Pa");
    sounding_free(&s);
    cr_assert_eq(
        read_text("   PRES   HGHT   TEMP\n 1000.0   0.10   20.0\n  850.0   1.50   10.0\n  500.0   5.70  -15.0\n", &s),
        0, "%s", sf_error_text());
    expect_noted(&s, ":4: heights are taken as km");
    expect_near(s.z[2], 5600, 1e-9);
    sounding_free(&s);
    expect_refused("pressure_psi,height_m,temperature_C\n14,100,20\n",
                   ":1: column 'pressure_psi' is in a unit that is not known");
    expect_refused(CSV "2024,-97,35,1000.0,100,abc,15.0,180,10.0\n",
                   ":2: 'abc' in column 'temperature' is not a number");
    expect_refused(CSV "2024,-97,35,1000.0,100,20.0\n", ":2: 6 fields and 9 in the header");
}

/* 999 hPa is a pressure and 9999 m a height. */
Test(sounding, nines_that_are_values)
{
    struct sounding s;
    cr_assert_eq(
        read_text(HEADER "  999.0    100   20.0\n  300.0   9999  -60.0   9999   9999 9999.0   9999   9999\n", &s), 0,
        "%s", sf_error_text());
    cr_assert_eq(s.n, 2);
    cr_expect(s.z[1] == 9899 && s.surface_pressure == 99900);
    sounding_free(&s);
}

Test(sounding, refusals_say_where_and_why)
{
    expect_refused("", "neither");
    expect_refused("\n\n", "neither");
    expect_refused("some text\nand more", "neither");
    expect_refused("  966.0    345   22.2   21.0     93  16.50    180      7  298.3\n", "neither");
    expect_refused(HEADER, "0 usable levels");
    expect_refused(HEADER " 1000.0    100   20.0\n", "1 usable level;");
    expect_refused(HEADER " 1000.0    100   20.0\n 1001.0    300   20.0\n", ":4: 1001.0 hPa at 300 m");
    expect_refused(HEADER " 1000.0    100    nan\n", ":3: 'nan' in column TEMP");
    expect_refused(HEADER " 1000.0    100    inf\n", ":3: 'inf'");
    expect_refused(HEADER " 1000.0    100   0x10\n", ":3: '0x10'");
    expect_refused(HEADER " 1000.0    100 \xe2\x88\x92"
                          "2.0\n",
                   "???2.0");
    expect_refused(HEADER "    1000.0    100   20.0\n", "across the edge");
    expect_refused(HEADER " 1000.0    100   20.0\n  900.0   1000   1", ":4: the line ends inside column TEMP");
    expect_refused(HEADER " 1000.0    100  200.0\n", "temperature = 200 C is outside -150 ... 70 C");
    expect_refused(HEADER " 1000.0    100   20.0                         370     10\n", "wind direction = 370");
    expect_refused("1000 300\n", "neither");
    expect_refused("1000 300 14\n100 300 14 1\n", ":2: expected five numbers");
    expect_refused("1000 300 14\n100 300 14 1 2 3\n", ":2: expected five numbers");
    expect_refused("1000 300 14\n100 300 14 1 nan\n", ":2: expected five numbers");
    expect_refused("20000 300 14\n100 300 14 1 2\n", "surface pressure = 20000 hPa is outside");
    expect_refused("1000 300 14\n100 1e999 14 1 2\n", "expected five numbers");
    expect_refused("1000 300 14\n90000 300 0 1 2\n", "no pressure left");
    struct sounding s;
    cr_assert_eq(read_bytes("1000 300 14\n10\0", 15, &s), SF_INPUT);
    cr_assert(strstr(sf_error_text(), ":2: holds a NUL byte"));
    sf_error_clear();
    cr_assert_eq(sounding_read("/tmp", &s), SF_INPUT);
    sf_error_clear();
    cr_assert_eq(sounding_read("/no/such/file", &s), SF_INPUT);
}

Test(sounding, size_is_bounded)
{
    const size_t size = (size_t)SOUNDING_MAX_BYTES + 1;
    char *text = malloc(size + 1);
    struct sounding s;
    memset(text, '1', size);
    cr_assert_eq(read_bytes(text, size, &s), SF_INPUT);
    cr_assert(strstr(sf_error_text(), "bytes"));
    cr_assert_eq(read_bytes(text, size - 1, &s), SF_INPUT); /* one line of eight million digits */
    memset(text, '<', size);
    cr_assert_eq(read_bytes(text, size - 1, &s), SF_INPUT); /* and of as many tags that never close */
    int used = sprintf(text, "1000 300 14\n");
    for (int k = 0; k <= SOUNDING_MAX_LEVELS; k++) used += sprintf(text + used, "%d 300 0 0 0\n", 2 + k);
    cr_assert_eq(read_bytes(text, (size_t)used, &s), SF_INPUT);
    cr_assert(strstr(sf_error_text(), "more than 20000 levels"));
    free(text);
}

/* Any change of a real file gives a sane sounding or a refusal; never anything else. */
static void damage(const char *path)
{
    char text[8192], bad[8192];
    FILE *f = fopen(path, "rb");
    cr_assert(f);
    const size_t size = fread(text, 1, sizeof text, f);
    fclose(f);
    unsigned state = 12345;
    int good = 0, refused = 0;
    for (int n = 0; n < 200; n++) {
        memcpy(bad, text, size);
        size_t length = size;
        const int changes = n % 8 + 1;
        for (int m = 0; m < changes; m++) {
            state = state * 1664525u + 1013904223u;
            const size_t at = (state >> 8) % length;
            static const char pool[] = " .-+0123456789eE<>\n\r\tnP\xff";
            if (n % 4 == 0) length = at + 1;
            else if (n % 4 == 1) memmove(bad + at, bad + at + 1, --length - at);
            else bad[at] = n % 4 == 2 ? pool[(state >> 3) % (sizeof pool - 1)] : (char)(state >> 4);
        }
        struct sounding s;
        const int rc = read_bytes(bad, length, &s);
        cr_assert(rc == 0 || rc == SF_INPUT, "code %d", rc);
        cr_assert_eq(rc != 0, sf_error_text()[0] != '\0');
        if (rc == 0) expect_sane(&s);
        *(rc ? &refused : &good) += 1;
        sounding_free(&s);
    }
    cr_assert(good > 10 && refused > 10, "%d read, %d refused: the damage tests one side only", good, refused);
}

Test(sounding, damaged_listing) { damage(SOUNDINGS "oun_2011052212.txt"); }
Test(sounding, damaged_short_listing) { damage(SOUNDINGS "oun_1999050400.txt"); }

Test(sounding, damaged_input_sounding)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/sferic-input-%ld.txt", (long)getpid());
    FILE *f = fopen(path, "w");
    cr_assert(f);
    fprintf(f, "1000.00 300.00 14.000\n");
    for (int k = 0; k < 100; k++)
        fprintf(f, "%10.2f %8.3f %7.4f %7.3f %7.3f\n", 50 + 150.0 * k, 300 + 0.6 * k, 5.0, 2.0, -3.0);
    fclose(f);
    damage(path);
    unlink(path);
}

Test(sounding, damaged_files_of_every_format)
{
    char path[64], line[128];
    snprintf(path, sizeof path, "/tmp/sferic-formats-%ld.txt", (long)getpid());
    for (int format = 0; format < 4; format++) {
        FILE *f = fopen(path, "w");
        cr_assert(f);
        if (format == 0) fputs("%TITLE%\n OAX   140616/1900\n%RAW%\n", f);
        else if (format == 1) fputs(CSV, f);
        else if (format == 2) fputs("#USM00072357 2024 05 07 12 1105   40 ncdc-nws ncdc-nws  351800  -974400\n", f);
        else fputs("    254     12      7      MAY    2024\n      3           OUN                99999     kt\n", f);
        for (int k = 0; k < 40; k++) {
            const double z = 100 + 400.0 * k, p = 1000 * exp(-z / 8000);
            line[0] = '\0';
            if (format == 0)
                fprintf(f, "%8.2f, %9.2f, %8.2f, %8.2f, %8.2f, %8.2f\n", p, z, 20 - 1.5 * k, 10 - 1.5 * k, 180.0, 20.0);
            else if (format == 1)
                fprintf(f, "2024,-97,35,%.1f,%.0f,%.1f,%.1f,180,10.0\n", p, z, 20 - 1.5 * k, 10 - 1.5 * k);
            else if (format == 2) igra_add(line, (int)(100 * p), k % 3 ? -9999 : (int)z, 200 - 15 * k, 100, 180, 100);
            else fprintf(f, "%7d%7.0f%7.0f%7d%7d%7d%7d\n", k ? 4 : 9, 10 * p, z, 200 - 15 * k, 100 - 15 * k, 180, 20);
            fputs(line, f);
        }
        if (format == 0) fputs("%END%\n", f);
        cr_assert_eq(fclose(f), 0);
        struct sounding s;
        cr_assert_eq(sounding_read(path, &s), 0, "%s", sf_error_text());
        cr_expect_eq(s.n, 40);
        sounding_free(&s);
        damage(path);
    }
    unlink(path);
}

Test(sounding, find_looks_in_order)
{
    char dir[64], path[128], out[128];
    snprintf(dir, sizeof dir, "/tmp/sferic-find-%ld", (long)getpid());
    cr_assert_eq(mkdir(dir, 0700), 0);
    snprintf(path, sizeof path, "%s/a.txt", dir);
    FILE *f = fopen(path, "w");
    cr_assert(f);
    fclose(f);
    cr_assert_eq(sounding_find(path, NULL, out, sizeof out), 0);
    cr_assert_str_eq(out, path);
    cr_assert_eq(sounding_find("a.txt", dir, out, sizeof out), 0);
    cr_assert_str_eq(out, path);
    char here[256];
    cr_assert(getcwd(here, sizeof here) && !chdir("/tmp"));
    f = fopen("a.txt", "w");
    cr_assert(f);
    fclose(f);
    cr_assert_eq(sounding_find("a.txt", dir, out, sizeof out), 0);
    cr_assert_str_eq(out, path, "the namelist's directory comes before the current one");
    cr_assert_eq(sounding_find("a.txt", "/tmp/none", out, sizeof out), 0);
    cr_assert_str_eq(out, "a.txt");
    unlink("a.txt");
    cr_assert_eq(chdir(here), 0);
    cr_assert_eq(sounding_find("a.txt", NULL, out, sizeof out), SF_INPUT);
    sf_error_clear();
    cr_assert_eq(sounding_find("b.txt", dir, out, sizeof out), SF_INPUT);
    cr_assert(strstr(sf_error_text(), dir), "%s", sf_error_text());
    sf_error_clear();
    cr_assert_eq(sounding_find(path, NULL, out, 8), SF_INPUT);
    sf_error_clear();
    cr_assert_eq(sounding_find("", dir, out, sizeof out), SF_NAMELIST);
    unlink(path);
    rmdir(dir);
}
