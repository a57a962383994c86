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
#define HEADER                                                                                                        \
    "   PRES   HGHT   TEMP   DWPT   RELH   MIXR   DRCT   SKNT   THTA   THTE   THTV\n"                                 \
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
    expect_noted(&s, "off hydrostatic balance"); /* heights in feet */
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
    expect_refused(HEADER " 1000.0\t100\n", "tab");
    expect_refused(HEADER " 1000.0    100  200.0\n", "TEMP = 200 C is outside -150 ... 70 C");
    expect_refused(HEADER " 1000.0    100   20.0                         370     10\n", "DRCT = 370");
    expect_refused("1000 300\n", "neither");
    expect_refused("1000 300 14\n100 300 14 1\n", ":2: expected five numbers");
    expect_refused("1000 300 14\n100 300 14 1 2 3\n", ":2: expected five numbers");
    expect_refused("1000 300 14\n100 300 14 1 nan\n", ":2: expected five numbers");
    expect_refused("100000 300 14\n100 300 14 1 2\n", "surface pressure = 100000 hPa is outside");
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
