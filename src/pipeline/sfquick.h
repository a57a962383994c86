/* exp, log and powers in the program's own precision, for formulas that need no more than a few units in the last
 * place: where sfmath.h computes in double and rounds, these stay in single precision, which devices take 2 to 64 times
 * as fast.
 *
 * Only + - * /, fused multiply-adds, integer and bit operations: the same bits on every machine. Cody and Waite's
 * reduction (Software Manual for the Elementary Functions, 1980); polynomials are Taylor's, cut where the rest is below
 * half a unit. Largest error in single precision 1.5 units for exp and 1 for log (tests/test_sfquick.c); in double they
 * are those of sfmath.h.
 *
 * x^y is exp(y log x), of which y log x, up to 80, must be known to a millionth of a unit: the logarithm comes in two
 * parts, of which the second holds what the first rounds away, and the power has 2 units where |y| <= 1, in single
 * precision; in double, where the logarithm has one part, up to 100. Several powers of one x share its logarithm.
 *
 * exp: |x| <= 80; log: normal positive numbers. Outside, meaningless numbers. SPDX-License-Identifier: MIT */
#pragma once

/* log x, and what is to be added to it. */
struct sf_log_parts {
    real log, rest;
};

#if SF_PREC == 64
SF_FORMULA real sf_exp_quick(real x) { return sfd_exp(x); }
SF_FORMULA struct sf_log_parts sf_log_parts(real x)
{
    const struct sf_log_parts l = {sfd_log(x), R(0.0)};
    return l;
}
SF_FORMULA real sf_power_quick(struct sf_log_parts l, real y) { return sfd_exp(y * l.log); }
#else
SF_FORMULA uint32_t sfq_bits(float x)
{
    uint32_t u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}
SF_FORMULA float sfq_from_bits(uint32_t u)
{
    float x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}

/* x = k ln 2 + r, |r| <= 0.347; adding 1.5 2^23 rounds to the nearest integer and leaves it in the low bits. */
SF_FORMULA real sf_exp_quick(real x)
{
    const float shift = 12582912.0f, t = sf_fma(x, 1.44269504f, shift), k = t - shift;
    const float r = sf_fma(k, 2.12194440e-4f, sf_fma(k, -0.693359375f, x)); /* ln 2 = 0.693359375 - 2.12e-4 */
    float p = 1.0f / 5040;
    p = sf_fma(p, r, 1.0f / 720);
    p = sf_fma(p, r, 1.0f / 120);
    p = sf_fma(p, r, 1.0f / 24);
    p = sf_fma(p, r, 1.0f / 6);
    p = sf_fma(p, r, 0.5f);
    const float e = sf_fma(r * r, p, r) + 1.0f;
    return e * sfq_from_bits((sfq_bits(t) + 127u) << 23);
}

/* x = 2^k m, sqrt(1/2) <= m < sqrt(2); log m = 2 s (1 + z/3 + z^2/5 + ...), s = (m - 1)/(m + 1), z = s^2. The large
 * parts, k times the first of ln 2 and f = m - 1, are exact, and so is what their sum rounds away. */
SF_FORMULA struct sf_log_parts sf_log_parts(real x)
{
    const uint32_t half_root = 0x3f3504f3u, one = 0x3f800000u;
    const uint32_t u = sfq_bits(x) + (one - half_root);
    const float m = sfq_from_bits((u & 0x007fffffu) + half_root);
    /* the exponent becomes a number as the low bits of 2^23 + exponent */
    const float k = sfq_from_bits(0x4b000000u | (u >> 23)) - (8388608.0f + 127.0f);
    const float f = m - 1.0f, s = f / (2.0f + f), z = s * s;
    float p = 1.0f / 11;
    p = sf_fma(p, z, 1.0f / 9);
    p = sf_fma(p, z, 1.0f / 7);
    p = sf_fma(p, z, 1.0f / 5);
    p = sf_fma(p, z, 1.0f / 3);
    /* log m = f - s (f - 2 z (1/3 + ...)) */
    const float large = k * 0.693359375f, sum = large + f, lost = f - (sum - large); /* |f| < |large|, or that is 0 */
    const float small = lost - sf_fma(k, 2.12194440e-4f, s * (f - 2.0f * (z * p)));
    struct sf_log_parts l;
    l.log = sum + small;
    l.rest = small - (l.log - sum);
    return l;
}

/* x^y of its logarithm. */
SF_FORMULA real sf_power_quick(struct sf_log_parts l, real y)
{
    const float large = y * l.log, small = sf_fma(y, l.rest, sf_fma(y, l.log, -large)), e = sf_exp_quick(large);
    return sf_fma(e, small, e);
}
#endif
