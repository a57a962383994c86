/* exp, log, pow, sin and cos with the same bits on every machine: sfd_ in double, sf_ in the program's precision.
 *
 * Only + - * /, explicit fused multiply-adds, integer and bit operations: no libm, no tables, no branches
 * (conditions select), so a loop over any of them vectorises and a kernel inlines them. Products and sums
 * with their rounding errors are Dekker's and Knuth's (doi:10.1007/BF01397083, TAOCP 2, 4.2.2); arguments
 * are reduced as Cody and Waite do (Software Manual for the Elementary Functions, 1980), with fused steps
 * instead of short constants. Coefficients are weighted least-squares fits on 300 Chebyshev nodes, solved
 * with 70 digits and rounded to double; each comment says the interval and the error of the rounded
 * polynomial relative to the function (absolute for the logarithm).
 *
 * Largest error found, in units in the last place of a normal result, over 30 million arguments of the
 * kinds in tests/test_sfmath.c; and in single precision no difference from the C library's double result,
 * rounded, for exp, log, sin and cos of every third float:
 *
 *                 exp     log     pow     sin     cos
 *   sfd_          0.61    0.56    0.61    0.75    0.77
 *   sf_, 32 bits  0.5000  0.5000  0.5000  0.5000  0.5000
 *
 * Denormal arguments are like any other; a denormal result of sfd_ is off by 0.8 units at most. Special
 * values are those of C11 annex F; the sign and payload of a NaN mean nothing. sin and cos keep their
 * accuracy for |x| <= 2^48. Beyond, where neighbouring doubles are more than 0.06 rad apart, the argument
 * is held at 2^48 with its own sign: the result is a constant, still odd or even, and within [-1, 1].
 *
 * The single precision functions round a double result once more; sf_pow then needs no double-double
 * logarithm.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>

/* An unevaluated sum: |lo| is at most half a unit in the last place of hi. */
struct sfd_pair {
    double hi, lo;
};

SF_FORMULA uint64_t sfd_bits(double x)
{
    uint64_t u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}

SF_FORMULA double sfd_from_bits(uint64_t u)
{
    double x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}

#define SFD_SIGN UINT64_C(0x8000000000000000)
#define SFD_INF sfd_from_bits(UINT64_C(0x7ff0000000000000))
#define SFD_NAN sfd_from_bits(UINT64_C(0x7ff8000000000000))

/* Adding 1.5 2^52 rounds to the nearest integer (|x| < 2^51) and leaves it in the low bits of the sum. */
#define SFD_ROUND 6755399441055744.0

/* exp(h + l) for |l| <= ulp(h): h + l = k ln 2 + r + r_lo, |r| <= 0.347, and exp = 2^k (1 + r + r_lo +
 * r^2/2 + ...). h - k ln2_hi is exact: both are multiples of 2^-54 and their difference is below 1. 2^k
 * goes in as two factors, so that overflow and denormals come out of the last product. Beyond h = +-1100
 * the result no longer depends on h. */
SF_FORMULA double sfd_exp_pair(double h, double l)
{
    const double ln2_hi = 0.6931471805599453, ln2_lo = 2.3190468138462996e-17, inv_ln2 = 1.4426950408889634;
    const int outside = (h > 1100.0) | (h < -1100.0);
    h = h > 1100.0 ? 1100.0 : h;
    h = h < -1100.0 ? -1100.0 : h;
    l = outside ? 0.0 : l;

    const double t = __builtin_fma(h, inv_ln2, SFD_ROUND);
    const double k = t - SFD_ROUND;
    const double r1 = __builtin_fma(-k, ln2_hi, h);
    const double c = __builtin_fma(-k, ln2_lo, l);
    const double r = r1 + c;
    const double r_lo = (r1 - r) + c;

    /* (exp(r) - 1 - r - r^2/2) / r^3 on |r| <= 0.347: 2^-61.4 of exp(r) */
    double p = 2.0921957128934166e-09;
    p = __builtin_fma(p, r, 2.5112603063983946e-08);
    p = __builtin_fma(p, r, 2.755725116952918e-07);
    p = __builtin_fma(p, r, 2.755723310685258e-06);
    p = __builtin_fma(p, r, 2.4801587350016814e-05);
    p = __builtin_fma(p, r, 0.00019841269898311558);
    p = __builtin_fma(p, r, 0.0013888888888872852);
    p = __builtin_fma(p, r, 0.008333333333316161);
    p = __builtin_fma(p, r, 0.041666666666666685);
    p = __builtin_fma(p, r, 0.16666666666666685);
    p = __builtin_fma(p, r, 0.5);

    const double s = 1.0 + r;
    const double s_lo = (1.0 - s) + r;
    const double e = s + __builtin_fma(r * r, p, __builtin_fma(r_lo, s, s_lo));

    const double t1 = __builtin_fma(k, 0.5, SFD_ROUND);
    const double f1 = sfd_from_bits((sfd_bits(t1) + 1023) << 52);
    const double f2 = sfd_from_bits((sfd_bits(t) - sfd_bits(t1) + 1023) << 52);
    return e * f1 * f2;
}

/* log(x) of a positive finite x. x = 2^k m, sqrt(1/2) <= m < sqrt(2); with f = m - 1 and s = f/(2 + f) as a
 * pair, log x = k ln 2 + 2 s (1 + z/3 + z^2/5 + ...), z = s^2. `wide` is a literal: 0 takes z/3 + ... in
 * double, error 2^-56 of log x before the sum is rounded; 1 takes z/3 + z^2/5 in pairs, error 2^-68. Any
 * other x gives meaningless numbers. */
SF_FORMULA struct sfd_pair sfd_log_pair(double x, int wide)
{
    const uint64_t half_root = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    const double ln2_hi = 0.6931471805598903, ln2_lo = 5.497923018708371e-14; /* 42 bits: k ln2_hi is exact */
    const double third = 0.3333333333333333, third_lo = 1.850371707708594e-17;
    const double fifth = 0.2, fifth_lo = -1.1102230246251566e-17;

    const int denormal = x < 2.2250738585072014e-308;
    const double scaled = x * 18014398509481984.0; /* 2^54 */
    const uint64_t u = sfd_bits(denormal ? scaled : x) + (one - half_root);
    const double m = sfd_from_bits((u & UINT64_C(0x000fffffffffffff)) + half_root);
    /* the exponent becomes a double as the low bits of 2^52 + exponent */
    const double e = sfd_from_bits(UINT64_C(0x4330000000000000) | (u >> 52)) - (4503599627370496.0 + 1023.0);
    const double k = e - (denormal ? 54.0 : 0.0);

    const double f = m - 1.0;
    const double d = 2.0 + f;
    const double d_lo = f - (d - 2.0);
    const double inv = 1.0 / d;
    const double s = f * inv;
    const double s_lo = __builtin_fma(-s, d_lo, __builtin_fma(-s, d, f)) * inv;
    const double z = s * s;

    /* (atanh(s)/s - 1 - z/3 - z^2/5) / z^3 on 0 <= z <= 0.0295: 2^-71 of the logarithm of m */
    double q = 0.059590666591459895;
    q = __builtin_fma(q, z, 0.05842086875559382);
    q = __builtin_fma(q, z, 0.06667902920768541);
    q = __builtin_fma(q, z, 0.07692285905350045);
    q = __builtin_fma(q, z, 0.09090909310246968);
    q = __builtin_fma(q, z, 0.11111111109952962);
    q = __builtin_fma(q, z, 0.1428571428571673);
    const double b = __builtin_fma(q, z, fifth);
    const double zb = z * b;
    const double c = third + zb;

    const double big = k * ln2_hi;
    const double h1 = big + 2.0 * s;
    const double e1 = (big - h1) + 2.0 * s;
    if (!wide) {
        const double tail = __builtin_fma(s * z, c, s_lo);
        const double lo = e1 + __builtin_fma(k, ln2_lo, 2.0 * tail);
        const double hi = h1 + lo;
        const struct sfd_pair sum = {hi, (h1 - hi) + lo};
        return sum;
    }
    const double z_lo = __builtin_fma(2.0 * s, s_lo, __builtin_fma(s, s, -z));
    const double b_lo = __builtin_fma(q, z, fifth - b) + fifth_lo;
    const double zb_lo = __builtin_fma(z, b, -zb) + __builtin_fma(z, b_lo, z_lo * b);
    const double c_lo = ((third - c) + zb) + (zb_lo + third_lo);
    const double zc = z * c;
    const double zc_lo = __builtin_fma(z, c, -zc) + __builtin_fma(z, c_lo, z_lo * c);
    const double w = s * zc;
    const double w_lo = __builtin_fma(s, zc, -w) + __builtin_fma(s, zc_lo, s_lo * zc);
    const double h2 = h1 + 2.0 * w;
    const double e2 = (h1 - h2) + 2.0 * w;
    const double lo = (e1 + e2) + __builtin_fma(k, ln2_lo, 2.0 * (s_lo + w_lo));
    const double hi = h2 + lo;
    const struct sfd_pair sum = {hi, (h2 - hi) + lo};
    return sum;
}

/* x^y. `wide` as in sfd_log_pair: 1 for results in double, 0 where the result is rounded to single
 * precision. */
SF_FORMULA double sfd_pow_to(double x, double y, int wide)
{
    const double a = __builtin_fabs(x), b = __builtin_fabs(y);
    const struct sfd_pair log_a = sfd_log_pair(a, wide);
    double h = a < SFD_INF ? log_a.hi : a; /* Inf and NaN are their own logarithm */
    h = a == 0.0 ? -SFD_INF : h;
    const double g = y * h;
    const double g_lo = wide ? __builtin_fma(y, log_a.lo, __builtin_fma(y, h, -g)) : 0.0;
    double p = sfd_exp_pair(g, g_lo); /* ignores g_lo, perhaps NaN, where g is infinite */

    /* y + 2^52 has the parity of y in its last bit; from 2^52 on y has it itself, and from 2^53 on y is
     * even */
    const int large = b >= 4503599627370496.0;
    const double n = large ? b : b + 4503599627370496.0;
    const int whole = large | (n - 4503599627370496.0 == b);
    const int odd = whole & (b < 9007199254740992.0) & (int)(sfd_bits(n) & 1);
    p = a == 1.0 ? 1.0 : p; /* 1^y for any y, NaN too, and (-1)^(+-Inf) */
    p = ((x < 0.0) & (a < SFD_INF) & !whole) ? SFD_NAN : p;
    p = odd ? sfd_from_bits(sfd_bits(p) ^ (sfd_bits(x) & SFD_SIGN)) : p;
    return y == 0.0 ? 1.0 : p;
}

/* sin (quarter 0) or cos (quarter 1: a quarter turn ahead) of |x|. |x| = n pi/2 + r + r_lo, |r| <= 0.81,
 * pi/2 in three doubles. The first step is exact for n < 2^48: |x| and n pio2 are multiples of 2^-53 less
 * than 1 apart. */
SF_FORMULA double sfd_turn(double x, unsigned quarter)
{
    const double pio2 = 1.5707963267948966, pio2_b = 6.123233995736766e-17, pio2_c = -1.4973849048591698e-33;
    const double far = 281474976710656.0; /* 2^48 */
    const double whole = __builtin_fabs(x);
    const double a = whole > far ? far : whole;
    const double t = __builtin_fma(a, 0.6366197723675814, SFD_ROUND);
    const double n = t - SFD_ROUND;
    const double r1 = __builtin_fma(-n, pio2, a);
    const double b = n * pio2_b;
    const double b_lo = __builtin_fma(n, pio2_c, __builtin_fma(n, pio2_b, -b));
    const double r2 = r1 - b;
    const double v = r2 - r1;
    const double r2_lo = ((r1 - (r2 - v)) - (b + v)) - b_lo;
    const double r = r2 + r2_lo;
    const double r_lo = (r2 - r) + r2_lo;
    const double z = r * r;

    /* (sin(r) - r) / r^3 on |r| <= 0.81: 2^-57 of sin(r) */
    double p = -7.574327126696658e-13;
    p = __builtin_fma(p, z, 1.6058276980523543e-10);
    p = __builtin_fma(p, z, -2.505210419584156e-08);
    p = __builtin_fma(p, z, 2.7557319211392986e-06);
    p = __builtin_fma(p, z, -0.00019841269841249567);
    p = __builtin_fma(p, z, 0.008333333333333318);
    p = __builtin_fma(p, z, -0.16666666666666666);
    const double half = 0.5 * z;
    const double sine = r + __builtin_fma(r * z, p, __builtin_fma(-r_lo, half, r_lo));

    /* (cos(r) - 1 + r^2/2) / r^4 on |r| <= 0.81: 2^-59 of cos(r) */
    double q = -1.135216964145332e-11;
    q = __builtin_fma(q, z, 2.0875578069121916e-09);
    q = __builtin_fma(q, z, -2.755731327896201e-07);
    q = __builtin_fma(q, z, 2.4801587285749212e-05);
    q = __builtin_fma(q, z, -0.0013888888888868114);
    q = __builtin_fma(q, z, 0.04166666666666657);
    const double w = 1.0 - half;
    const double half_lo = __builtin_fma(r, r_lo, 0.5 * __builtin_fma(r, r, -z));
    const double cosine = w + __builtin_fma(z * z, q, ((1.0 - w) - half) - half_lo);

    const uint64_t turns = sfd_bits(t) + quarter;
    const double value = (turns & 1) ? cosine : sine;
    /* 0 for every number, NaN for Inf and NaN */
    const double poison = whole - whole;
    return sfd_from_bits(sfd_bits(value + poison) ^ ((turns & 2) << 62));
}

SF_FORMULA double sfd_exp(double x) { return sfd_exp_pair(x, 0.0); }

SF_FORMULA double sfd_log(double x)
{
    double l = sfd_log_pair(x, 0).hi;
    l = x < SFD_INF ? l : x; /* Inf and NaN */
    l = x < 0.0 ? SFD_NAN : l;
    return x == 0.0 ? -SFD_INF : l;
}

SF_FORMULA double sfd_pow(double x, double y) { return sfd_pow_to(x, y, 1); }

SF_FORMULA double sfd_sin(double x) { return sfd_from_bits(sfd_bits(sfd_turn(x, 0)) ^ (sfd_bits(x) & SFD_SIGN)); }

SF_FORMULA double sfd_cos(double x) { return sfd_turn(x, 1); }

SF_FORMULA real sf_exp(real x) { return (real)sfd_exp((double)x); }

SF_FORMULA real sf_log(real x) { return (real)sfd_log((double)x); }

SF_FORMULA real sf_pow(real x, real y)
{
    return (real)sfd_pow_to((double)x, (double)y, sizeof(real) == sizeof(double));
}

SF_FORMULA real sf_sin(real x) { return (real)sfd_sin((double)x); }

SF_FORMULA real sf_cos(real x) { return (real)sfd_cos((double)x); }
