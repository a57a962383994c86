/* Prints a checksum of every function of sfmath.h and sfquick.h over one fixed list of arguments, and of all together.
 * Every compiler, optimisation level, instruction set and device must print the same: sfmath_bits.sh builds
 * and compares. The same file is CUDA C when nvcc compiles it with `-x cu`; then the values come from a
 * kernel. On the CPU they come from a simd loop and are compared with one call at a time.
 * SPDX-License-Identifier: MIT */
#include "pipeline/sferic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 120011 }; /* no multiple of a vector length */

/* Functions of (x, y) in T; one value at a time through a volatile call, so that no loop is made of it. */
#ifdef __CUDACC__
#define MAP(name, T, value)                                                                                            \
    static __global__ void name##_kernel(T *out, const T *xs, const T *ys)                                             \
    {                                                                                                                  \
        const int n = (int)(blockIdx.x * blockDim.x + threadIdx.x);                                                    \
        if (n >= COUNT) return;                                                                                        \
        const T x = xs[n], y = ys[n];                                                                                  \
        (void)y;                                                                                                       \
        out[n] = value;                                                                                                \
    }                                                                                                                  \
    static void name(T *out, const T *xs, const T *ys)                                                                 \
    {                                                                                                                  \
        name##_kernel<<<(COUNT + 127) / 128, 128>>>(out, xs, ys);                                                      \
        if (cudaDeviceSynchronize() != cudaSuccess) exit(1);                                                           \
    }
#else
#define MAP(name, T, value)                                                                                            \
    static __attribute__((noinline)) T name##_one(T x, T y)                                                            \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        return value;                                                                                                  \
    }                                                                                                                  \
    static void name(T *restrict out, const T *restrict xs, const T *restrict ys)                                      \
    {                                                                                                                  \
        T (*volatile one)(T, T) = name##_one;                                                                          \
        _Pragma("omp simd") for (int n = 0; n < COUNT; n++)                                                            \
        {                                                                                                              \
            const T x = xs[n], y = ys[n];                                                                              \
            (void)y;                                                                                                   \
            out[n] = value;                                                                                            \
        }                                                                                                              \
        for (int n = 0; n < COUNT; n++) {                                                                              \
            const T alone = one(xs[n], ys[n]);                                                                         \
            if (memcmp(&alone, out + n, sizeof alone) == 0 || (alone != alone && out[n] != out[n])) continue;          \
            fprintf(stderr, #name "(%a, %a): %a alone, %a in a loop\n", (double)xs[n], (double)ys[n], (double)alone,   \
                    (double)out[n]);                                                                                   \
            exit(1);                                                                                                   \
        }                                                                                                              \
    }
#endif

MAP(d_exp, double, sfd_exp(x))
MAP(d_log, double, sfd_log(x))
MAP(d_pow, double, sfd_pow(x, y))
MAP(d_sin, double, sfd_sin(x))
MAP(d_cos, double, sfd_cos(x))
MAP(r_exp, real, sf_exp(x))
MAP(r_log, real, sf_log(x))
MAP(r_pow, real, sf_pow(x, y))
MAP(r_sin, real, sf_sin(x))
MAP(r_cos, real, sf_cos(x))
/* Of numbers that they are for; anything else, NaN too, is the end of what they take. */
#define WITHIN(x, low, high) ((x) >= (low) ? (x) <= (high) ? (x) : (high) : (low))
MAP(q_exp, real, sf_exp_quick(WITHIN(x, R(-80.0), R(80.0))))
MAP(q_log, real, sf_log_parts(WITHIN(x, R(1e-30), R(1e30))).log)
MAP(q_rest, real, sf_log_parts(WITHIN(x, R(1e-30), R(1e30))).rest)
MAP(q_power, real, sf_power_quick(sf_log_parts(WITHIN(x, R(1e-30), R(1e30))), WITHIN(y, R(-1.0), R(1.0))))

static void *array(size_t bytes)
{
    void *p = NULL;
#ifdef __CUDACC__
    if (cudaMallocManaged(&p, bytes) != cudaSuccess) p = NULL;
#else
    p = malloc(bytes);
#endif
    if (!p) exit(1);
    return p;
}

/* A bijection of 64 bits that spreads every bit (Stafford's Mix13). */
static uint64_t mix(uint64_t u)
{
    u = (u ^ u >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    u = (u ^ u >> 27) * UINT64_C(0x94d049bb133111eb);
    return u ^ u >> 31;
}

/* The n-th argument of a stream: any bit pattern, or a number of moderate size, or a special one. */
static double argument(uint64_t stream, int n)
{
    static const double special[] = {0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, 1e-310, -1e-310, 1e-40, 1e300, 1e30, 709.5};
    const uint64_t u = mix((stream << 32) + (uint64_t)n + 1);
    const double unit = (double)(u >> 11) * (1.0 / 9007199254740992.0);
    switch (mix(u) % 8) {
    case 0:
        return sfd_from_bits(u);
    case 1:
        return special[u % (sizeof special / sizeof special[0])];
    case 2:
        return (unit - 0.5) * 1500.0;
    case 3:
        return (unit - 0.5) * 200.0;
    case 4:
        return (unit - 0.5) * 2e5;
    case 5:
        return 1.0 + (unit - 0.5) * 1e-3;
    default:
        return unit * 3.0;
    }
}

static uint64_t total;

/* Of the values as doubles, which loses nothing; any NaN counts as one and the same. */
static void checksum_print(const char *name, const double *out)
{
    uint64_t sum = 0;
    for (int n = 0; n < COUNT; n++) sum = mix(sum ^ sfd_bits(out[n] == out[n] ? out[n] : SFD_NAN)) + 1;
    total = mix(total ^ sum);
    printf("%-9s %016llx\n", name, (unsigned long long)sum);
}

int main(void)
{
    double *x = (double *)array(COUNT * sizeof *x), *y = (double *)array(COUNT * sizeof *y);
    double *out = (double *)array(COUNT * sizeof *out);
    real *xr = (real *)array(COUNT * sizeof *xr), *yr = (real *)array(COUNT * sizeof *yr);
    real *out_r = (real *)array(COUNT * sizeof *out_r);
    for (int n = 0; n < COUNT; n++) {
        x[n] = argument(1, n);
        y[n] = argument(2, n);
        xr[n] = (real)x[n];
        yr[n] = (real)y[n];
    }
    static const struct {
        const char *name;
        void (*map)(double *, const double *, const double *);
    } in_double[] = {
        {"sfd_exp", d_exp}, {"sfd_log", d_log}, {"sfd_pow", d_pow}, {"sfd_sin", d_sin}, {"sfd_cos", d_cos}};
    static const struct {
        const char *name;
        void (*map)(real *, const real *, const real *);
    } in_real[] = {{"sf_exp", r_exp},    {"sf_log", r_log},    {"sf_pow", r_pow}, {"sf_sin", r_sin}, {"sf_cos", r_cos},
                   {"quick_exp", q_exp}, {"quick_log", q_log}, {"rest", q_rest},  {"power", q_power}};
    for (size_t f = 0; f < sizeof in_double / sizeof in_double[0]; f++) {
        in_double[f].map(out, x, y);
        checksum_print(in_double[f].name, out);
    }
    for (size_t f = 0; f < sizeof in_real / sizeof in_real[0]; f++) {
        in_real[f].map(out_r, xr, yr);
        for (int n = 0; n < COUNT; n++) out[n] = (double)out_r[n];
        checksum_print(in_real[f].name, out);
    }
    printf("all %d    %016llx\n", SF_PREC, (unsigned long long)total);
    return 0; /* the process ends: the arrays go with it */
}
