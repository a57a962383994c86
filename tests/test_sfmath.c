/* The functions of sfmath.h against the C library's long double ones: error in units in the last place,
 * special values, symmetry, exact cases. Both builds test the double functions; the sf_ ones are tested in
 * the build's precision.
 * SPDX-License-Identifier: MIT */
#include "pipeline/sferic.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifndef SAMPLES
#define SAMPLES 400000 /* arguments per function */
#endif

/* A binary floating-point format: digits of the significand, exponent of the least normal number, first
 * power of two beyond the largest number. */
struct format {
    int digits, least, beyond;
};

static const struct format in_double = {DBL_MANT_DIG, DBL_MIN_EXP - 1, DBL_MAX_EXP};
#if SF_PREC == 64
static const struct format in_real = {DBL_MANT_DIG, DBL_MIN_EXP - 1, DBL_MAX_EXP};
#else
static const struct format in_real = {FLT_MANT_DIG, FLT_MIN_EXP - 1, FLT_MAX_EXP};
#endif

/* Error of `got`, in units in the last place of `want`; huge where one is NaN or Inf and the other is not.
 * An infinite result counts as the first power of two that the format cannot hold. */
static double error_ulp(double got, long double want, const struct format *fmt)
{
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want) ? 0.0 : 1e9;
    if (isinf(want)) return isinf(got) && (got > 0) == (want > 0) ? 0.0 : 1e9;
    if (want == 0.0L) return got == 0.0 ? 0.0 : 1e9;
    const long double value = isinf(got) ? copysignl(ldexpl(1.0L, fmt->beyond), got) : (long double)got;
    const int e = ilogbl(want);
    if (e >= fmt->beyond) return isinf(got) && (got > 0) == (want > 0) ? 0.0 : 1e9;
    return (double)(fabsl(value - want) / ldexpl(1.0L, (e > fmt->least ? e : fmt->least) + 1 - fmt->digits));
}

/* Worst errors of a survey, and where the error comes nearest to what is allowed. */
struct survey {
    const char *name;
    const struct format *fmt;
    double allow, allow_denormal, normal, denormal, share, x, y;
    int count;
};

/* `allow`: for normal results in double. Rounded once more to single precision, no function may miss by more than the
 * double's error above half a unit. */
static struct survey survey_make(const char *name, const struct format *fmt, double allow)
{
    const int single = fmt->digits < DBL_MANT_DIG;
    return (struct survey){
        .name = name, .fmt = fmt, .allow = single ? 0.5001 : allow, .allow_denormal = single ? 0.5001 : 0.8};
}

static void survey_add(struct survey *s, double x, double y, double got, long double want)
{
    const double err = error_ulp(got, want, s->fmt);
    const int denormal = fabsl(want) < ldexpl(1.0L, s->fmt->least);
    double *worst = denormal ? &s->denormal : &s->normal;
    const double share = err / (denormal ? s->allow_denormal : s->allow);
    s->count++;
    *worst = SF_MAX(*worst, err);
    if (share <= s->share) return;
    s->share = share;
    s->x = x;
    s->y = y;
}

static void survey_check(const struct survey *s)
{
    printf("%-8s %7d arguments: %.6f ulp, denormal results %.6f ulp, worst at (%a, %a)\n", s->name, s->count, s->normal,
           s->denormal, s->x, s->y);
    cr_assert(s->share <= 1.0, "%s: %g ulp, denormal results %g ulp, at (%a, %a)", s->name, s->normal, s->denormal,
              s->x, s->y);
}

/* Counter-based random numbers (Steele, Lea, Flood 2014, SplitMix): the n-th of a stream. */
static uint64_t random_bits(unsigned stream, int n)
{
    uint64_t u = ((uint64_t)stream << 32 | (uint32_t)n) * UINT64_C(0x9e3779b97f4a7c15);
    u = (u ^ u >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    u = (u ^ u >> 27) * UINT64_C(0x94d049bb133111eb);
    return u ^ u >> 31;
}

static double random_in(double a, double b, unsigned stream, int n)
{
    return a + (b - a) * ((double)(random_bits(stream, n) >> 11) * 0x1p-53);
}

/* Any bit pattern of the format: all magnitudes alike, with NaN and Inf now and then. */
static double random_any(const struct format *fmt, unsigned stream, int n)
{
    const uint64_t u = random_bits(stream, n);
    if (fmt->digits == DBL_MANT_DIG) return sfd_from_bits(u);
    const uint32_t low = (uint32_t)u;
    float x;
    memcpy(&x, &low, sizeof x);
    return (double)x;
}

static double to_format(double x, const struct format *fmt)
{
    return fmt->digits == DBL_MANT_DIG ? x : (double)(float)x;
}

static double exp_arg(const struct format *fmt, int n)
{
    const double top = fmt->beyond * 0.6931471805599453, bottom = (fmt->least - fmt->digits) * 0.6931471805599453;
    switch (n % 5) {
    case 0:
        return random_in(-1.0, 1.0, 1, n);
    case 1:
        return random_in(1.02 * bottom, 1.02 * top, 1, n);
    case 2:
        return (random_in(0, 1, 1, n) < 0.5 ? top : bottom) + random_in(-1.5, 1.5, 2, n); /* the two ends */
    case 3:
        return (n / 5 % 2000 - 1000 + 0.5) * 0.6931471805599453 + random_in(-1e-9, 1e-9, 1, n);
    default:
        return random_any(fmt, 1, n);
    }
}

static double log_arg(const struct format *fmt, int n)
{
    switch (n % 5) {
    case 0:
        return random_in(0.25, 4.0, 3, n);
    case 1:
        return 1.0 + ldexp(random_in(-1.0, 1.0, 3, n), -(n / 5 % fmt->digits));
    case 2:
        return ldexp(0.7071067811865476, n / 5 % 200 - 100) * random_in(1 - 1e-6, 1 + 1e-6, 3, n);
    case 3:
        return ldexp(random_in(0, 1, 3, n), fmt->least); /* denormal */
    default:
        return random_any(fmt, 3, n);
    }
}

static double turn_arg(const struct format *fmt, int n)
{
    switch (n % 6) {
    case 0:
        return random_in(-10, 10, 4, n);
    case 1:
        return random_in(-1e5, 1e5, 4, n);
    case 2:
        return (double)(1.57079632679489661923132169163975144L * (n / 6)); /* all multiples up to 1e5 */
    case 3:
        return random_in(-0x1p48, 0x1p48, 4, n);
    case 4:
        return 0.7853981633974483 * (2.0 * (n / 6) + 1) + random_in(-1e-7, 1e-7, 4, n);
    default: {
        const double x = random_any(fmt, 4, n);
        return fabs(x) <= 0x1p48 ? x : 1.0 / x;
    }
    }
}

static void pow_arg(const struct format *fmt, int n, double *x, double *y)
{
    const double top = fmt->beyond * 0.6931471805599453;
    switch (n % 7) {
    case 0: /* Exner function and its inverse */
        *x = random_in(0.01, 1.3, 5, n);
        *y = n % 2 ? 287.0 / 1004.5 : 1004.5 / 287.0;
        break;
    case 1: /* any base, any normal result */
        *x = fabs(random_any(fmt, 5, n));
        *y = random_in(-1.05, 1.05, 6, n) * top / log(*x);
        break;
    case 2: /* near 1: the logarithm's relative error counts */
        *x = 1.0 + ldexp(random_in(-1.0, 1.0, 5, n), -(n / 7 % (fmt->digits - 2)) - 1);
        *y = random_in(-1.0, 1.0, 6, n) * top / log(*x);
        break;
    case 3: /* whole powers, negative bases too */
        *x = random_in(-30, 30, 5, n);
        *y = floor(random_in(-200, 200, 6, n));
        break;
    case 4: /* the two ends */
        *x = random_in(0.0, 10.0, 5, n);
        *y = (n % 2 ? top : (fmt->least - fmt->digits) * 0.6931471805599453) / log(*x) * random_in(0.99, 1.01, 6, n);
        break;
    case 5:
        *x = random_in(0.1, 10.0, 5, n);
        *y = random_in(-8.0, 8.0, 6, n);
        break;
    default:
        *x = random_any(fmt, 5, n);
        *y = random_any(fmt, 6, n);
    }
}

static void check_one(const char *name, double (*f)(double), long double (*want)(long double),
                      double (*arg)(const struct format *, int), const struct format *fmt, double allow)
{
    struct survey s = survey_make(name, fmt, allow);
    for (int n = 0; n < SAMPLES; n++) {
        const double x = to_format(arg(fmt, n), fmt);
        survey_add(&s, x, 0.0, f(x), want((long double)x));
    }
    survey_check(&s);
}

static void check_pow(const char *name, double (*f)(double, double), const struct format *fmt, double allow)
{
    struct survey s = survey_make(name, fmt, allow);
    for (int n = 0; n < SAMPLES; n++) {
        double x, y;
        pow_arg(fmt, n, &x, &y);
        x = to_format(x, fmt);
        y = to_format(y, fmt);
        survey_add(&s, x, y, f(x, y), powl((long double)x, (long double)y));
    }
    survey_check(&s);
}

static double d_exp(double x) { return sfd_exp(x); }
static double d_log(double x) { return sfd_log(x); }
static double d_sin(double x) { return sfd_sin(x); }
static double d_cos(double x) { return sfd_cos(x); }
static double d_pow(double x, double y) { return sfd_pow(x, y); }
static double r_exp(double x) { return (double)sf_exp((real)x); }
static double r_log(double x) { return (double)sf_log((real)x); }
static double r_sin(double x) { return (double)sf_sin((real)x); }
static double r_cos(double x) { return (double)sf_cos((real)x); }
static double r_pow(double x, double y) { return (double)sf_pow((real)x, (real)y); }

Test(sfmath, exp_error)
{
    check_one("sfd_exp", d_exp, expl, exp_arg, &in_double, 0.63);
    check_one("sf_exp", r_exp, expl, exp_arg, &in_real, 0.63);
}

Test(sfmath, log_error)
{
    check_one("sfd_log", d_log, logl, log_arg, &in_double, 0.57);
    check_one("sf_log", r_log, logl, log_arg, &in_real, 0.57);
}

Test(sfmath, sin_cos_error)
{
    check_one("sfd_sin", d_sin, sinl, turn_arg, &in_double, 0.8);
    check_one("sfd_cos", d_cos, cosl, turn_arg, &in_double, 0.8);
    check_one("sf_sin", r_sin, sinl, turn_arg, &in_real, 0.8);
    check_one("sf_cos", r_cos, cosl, turn_arg, &in_real, 0.8);
}

Test(sfmath, pow_error)
{
    check_pow("sfd_pow", d_pow, &in_double, 0.63);
    check_pow("sf_pow", r_pow, &in_real, 0.63);
}

/* The same number, with the sign of zero; any NaN equals any other. */
static int same(double a, double b) { return (isnan(a) && isnan(b)) || sfd_bits(a) == sfd_bits(b); }

static const double edge[] = {
    0.0,  5e-324, 1e-310, 0x1p-149, 0x1p-126, DBL_MIN, 1e-20,  0.5,  1.0,        1.5,
    2.0,  3.0,    4.0,    0x1p23,   0x1p24,   0x1p52,  0x1p53, 1e15, 1e16,       4503599627370495.5,
    1e30, 3e38,   1e308,  DBL_MAX,  INFINITY, NAN,     2.5,    0.1,  16777215.0, 4503599627370497.0};
enum { EDGES = sizeof edge / sizeof edge[0] };

/* Special values of C11 annex F, and that every power of special values has the class and sign the C
 * library gives. */
Test(sfmath, special_values)
{
    cr_assert(same(sfd_exp(0.0), 1.0) && same(sfd_exp(-0.0), 1.0));
    cr_assert(same(sfd_exp(INFINITY), INFINITY) && same(sfd_exp(-INFINITY), 0.0) && isnan(sfd_exp(NAN)));
    cr_assert(same(sfd_exp(709.79), INFINITY) && same(sfd_exp(-745.14), 0.0) && sfd_exp(-745.13) == 5e-324);
    cr_assert(same(sfd_log(1.0), 0.0) && same(sfd_log(0.0), -INFINITY) && same(sfd_log(-0.0), -INFINITY));
    cr_assert(same(sfd_log(INFINITY), INFINITY) && isnan(sfd_log(NAN)));
    cr_assert(isnan(sfd_log(-1.0)) && isnan(sfd_log(-5e-324)) && isnan(sfd_log(-INFINITY)));
    cr_assert(same(sfd_sin(0.0), 0.0) && same(sfd_sin(-0.0), -0.0) && same(sfd_cos(-0.0), 1.0));
    cr_assert(isnan(sfd_sin(INFINITY)) && isnan(sfd_cos(-INFINITY)) && isnan(sfd_sin(NAN)) && isnan(sfd_cos(NAN)));
    cr_assert(same((double)sf_exp((real)-1e30), 0.0) && same((double)sf_exp((real)1e30), INFINITY));
    cr_assert(same((double)sf_log((real)-0.0), -INFINITY) && isnan(sf_log((real)-2.0)));
    cr_assert(same((double)sf_sin((real)-0.0), -0.0) && isnan(sf_cos((real)INFINITY)));
    for (int m = 0; m < 4 * EDGES * EDGES; m++) {
        const double x = copysign(edge[m / 4 / EDGES], m & 1 ? -1.0 : 1.0);
        const double y = copysign(edge[m / 4 % EDGES], m & 2 ? -1.0 : 1.0);
        const double want = pow(x, y), got = sfd_pow(x, y);
        cr_assert(same(got, want) ||
                      (isfinite(want) && want != 0.0 && error_ulp(got, (long double)want, &in_double) <= 1.5),
                  "sfd_pow(%a, %a) = %a, not %a", x, y, got, want);
        const real xr = (real)x, yr = (real)y;
        const double want_r = (double)(real)pow((double)xr, (double)yr), got_r = (double)sf_pow(xr, yr);
        cr_assert(same(got_r, want_r) ||
                      (isfinite(want_r) && want_r != 0.0 && error_ulp(got_r, (long double)want_r, &in_real) <= 1.5),
                  "sf_pow(%a, %a) = %a, not %a", (double)xr, (double)yr, got_r, want_r);
    }
}

/* Odd and even to the last bit, also where the argument is held. */
Test(sfmath, symmetry)
{
    for (int n = 0; n < SAMPLES; n++) {
        const double x = n % 2 ? turn_arg(&in_double, n) : random_any(&in_double, 7, n);
        cr_assert(same(sfd_sin(-x), -sfd_sin(x)) && same(sfd_cos(-x), sfd_cos(x)), "at %a", x);
        const real xr = (real)x;
        cr_assert(same((double)sf_sin(-xr), -(double)sf_sin(xr)) && same((double)sf_cos(-xr), (double)sf_cos(xr)),
                  "at %a", (double)xr);
        cr_assert(isnan(x) || isinf(x) || (fabs(sfd_sin(x)) <= 1.0 && fabs(sfd_cos(x)) <= 1.0), "at %a", x);
        if (fabs(x) > 0x1p48 && isfinite(x)) {
            cr_assert(same(sfd_sin(x), sfd_sin(copysign(0x1p48, x))) && same(sfd_cos(x), sfd_cos(0x1p48)), "at %a", x);
        }
    }
}

/* Results that are representable come out exactly. */
Test(sfmath, exact_results)
{
    for (int n = -1074; n < 1024; n++) cr_assert(same(sfd_pow(2.0, n), ldexp(1.0, n)), "2^%d", n);
    for (int n = 0; n <= 20; n++) {
        double p = 1.0;
        for (int i = 0; i < n; i++) p *= 5.0;
        cr_assert(same(sfd_pow(-5.0, n), n % 2 ? -p : p), "5^%d", n);
    }
    for (int n = 0; n < SAMPLES; n++) {
        const double x = random_any(&in_double, 8, n), tiny = ldexp(random_in(-1, 1, 9, n), -27 - n % 1000);
        cr_assert(same(sfd_pow(x, 0.0), 1.0) && same(sfd_pow(1.0, x), 1.0), "at %a", x);
        cr_assert(same(sfd_pow(x, 1.0), x), "%a to the power of 1 is %a", x, sfd_pow(x, 1.0));
        cr_assert(same(sfd_sin(tiny), tiny), "sin(%a) is %a", tiny, sfd_sin(tiny));
        const real xr = (real)random_any(&in_real, 8, n);
        cr_assert(same((double)sf_pow(xr, R(1.0)), (double)xr), "%a to the power of 1", (double)xr);
    }
}
