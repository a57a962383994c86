/* The loops that find a machine's ceilings on the CPU, and where ceilings are measured. SPDX-License-Identifier: MIT */
#include "command/ceilings_parts.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_thread_num(void) { return 0; }
static int omp_get_num_threads(void) { return 1; }
#endif

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#endif

enum { L2_ASSUMED = 512 << 10 };
static const double cache_bytes_moved = 8e9, fma_rounds = 2e7; /* of a measurement with effort 1 */

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void stream(real *restrict a, size_t n)
{
    const real c = R(0.5), d = R(1.0);
#pragma omp simd
    for (size_t i = 0; i < n; i++) a[i] = sf_fma(a[i], c, d);
}

static void triad(real *restrict a, const real *restrict b, const real *restrict c, size_t n)
{
    const real x = R(0.5);
#pragma omp simd
    for (size_t i = 0; i < n; i++) a[i] = sf_fma(x, c[i], b[i]);
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

#if defined(__AVX512F__) && SF_PREC == 32
typedef __m512 vector;
static inline vector vector_fma(vector a, vector b, vector c) { return _mm512_fmadd_ps(a, b, c); }
static inline vector vector_of(real x) { return _mm512_set1_ps(x); }
#elif defined(__AVX512F__)
typedef __m512d vector;
static inline vector vector_fma(vector a, vector b, vector c) { return _mm512_fmadd_pd(a, b, c); }
static inline vector vector_of(real x) { return _mm512_set1_pd(x); }
#elif defined(__AVX2__) && defined(__FMA__) && SF_PREC == 32
typedef __m256 vector;
static inline vector vector_fma(vector a, vector b, vector c) { return _mm256_fmadd_ps(a, b, c); }
static inline vector vector_of(real x) { return _mm256_set1_ps(x); }
#elif defined(__AVX2__) && defined(__FMA__)
typedef __m256d vector;
static inline vector vector_fma(vector a, vector b, vector c) { return _mm256_fmadd_pd(a, b, c); }
static inline vector vector_of(real x) { return _mm256_set1_pd(x); }
#else /* no vector of this machine is known: scalars */
typedef real vector;
static inline vector vector_fma(vector a, vector b, vector c) { return sf_fma(a, b, c); }
static inline vector vector_of(real x) { return x; }
#endif

enum { CHAINS = 12, WIDTH = sizeof(vector) / sizeof(real) }; /* latency times units of current cores: 8 to 10 chains */

/* Twelve chains that do not wait for each other, each from a start of its own so that none is another. */
static real fma_chains(long rounds, real start)
{
    const vector m = vector_of(R(0.5)), c = vector_of(R(1.0));
    vector a[CHAINS];
    for (int n = 0; n < CHAINS; n++) a[n] = vector_of(start + (real)n);
    vector a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5], a6 = a[6], a7 = a[7], a8 = a[8], a9 = a[9],
           a10 = a[10], a11 = a[11]; /* in registers */
    for (long n = 0; n < rounds; n++) {
        a0 = vector_fma(a0, m, c), a1 = vector_fma(a1, m, c), a2 = vector_fma(a2, m, c), a3 = vector_fma(a3, m, c);
        a4 = vector_fma(a4, m, c), a5 = vector_fma(a5, m, c), a6 = vector_fma(a6, m, c), a7 = vector_fma(a7, m, c);
        a8 = vector_fma(a8, m, c), a9 = vector_fma(a9, m, c), a10 = vector_fma(a10, m, c), a11 = vector_fma(a11, m, c);
#if defined(__x86_64__)
        __asm__ volatile("" : "+x"(a0)); /* keeps every round between the two looks at the clock */
#endif
    }
    const vector all[CHAINS] = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11};
    real sum = R(0.0), lanes[WIDTH];
    for (int n = 0; n < CHAINS; n++) {
        __builtin_memcpy(lanes, &all[n], sizeof lanes);
        sum += lanes[0];
    }
    return sum;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static size_t cache_bytes(void)
{
    long bytes = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return (size_t)(bytes > 0 ? bytes : L2_ASSUMED) / 2;
}

/* A thread's part of one measurement: bytes or flop done. */
static double part_run(const struct ceiling_site *s, enum ceiling which, int thread, int threads, volatile real *sink)
{
    const size_t share = s->bytes / sizeof(real) / (size_t)threads;
    real *const mine = s->memory + share * (size_t)thread;
    if (which == CEILING_STREAM) {
        stream(mine, share);
        return 2.0 * (double)share * sizeof(real);
    }
    if (which == CEILING_TRIAD) {
        const size_t n = share / 3;
        triad(mine, mine + n, mine + 2 * n, n);
        return 3.0 * (double)n * sizeof(real);
    }
    if (which == CEILING_CACHE) {
        const size_t bytes = SF_MIN(cache_bytes(), share * sizeof(real)), n = bytes / sizeof(real);
        const long rounds = (long)(s->effort * cache_bytes_moved / (2.0 * (double)bytes)) + 1;
        for (long r = 0; r < rounds; r++) stream(mine, n);
        return 2.0 * (double)n * sizeof(real) * (double)rounds;
    }
    volatile long rounds =
        (long)(s->effort * fma_rounds); /* read here: nothing of it is done before the clock starts */
    *sink = fma_chains(rounds, (real)thread + R(1.0));
    return 2.0 * CHAINS * WIDTH * (double)(long)(s->effort * fma_rounds);
}

static double cpu_measure(const struct ceiling_site *s, enum ceiling which)
{
    double done = 0, began = 0, seconds = 0;
#pragma omp parallel num_threads(s->threads) reduction(+ : done)
    {
        volatile real sink;
#pragma omp barrier
#pragma omp master
        began = seconds_now();
        done += part_run(s, which, omp_get_thread_num(), omp_get_num_threads(), &sink);
#pragma omp barrier
#pragma omp master
        seconds = seconds_now() - began;
    }
    return done / seconds;
}

/* ---- sites ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *unit;
    double scale;
} about[CEILINGS] = {
    [CEILING_STREAM] = {"memory, read and written in place", "GB/s", 1e-9},
    [CEILING_TRIAD] = {"memory, triad a = b + c x", "GB/s", 1e-9},
    [CEILING_CACHE] = {"second-level cache, in place", "GB/s", 1e-9},
    [CEILING_FMA] = {"fused multiply-adds", "GF/s", 1e-9},
    [CEILING_COPY] = {"memory, copied", "GB/s", 1e-9},
    [CEILING_READ] = {"memory, read", "GB/s", 1e-9},
    [CEILING_ISSUE] = {"instructions of threads", "G/s", 1e-9},
    [CEILING_LAUNCH] = {"kernels, one after the other", "1/ms", 1e-3},
    [CEILING_IN] = {"from the host, pinned", "GB/s", 1e-9},
    [CEILING_OUT] = {"to the host, pinned", "GB/s", 1e-9},
    [CEILING_BOTH] = {"both at once", "GB/s", 1e-9},
};

const char *ceiling_name(enum ceiling c) { return about[c].name; }
const char *ceiling_unit(enum ceiling c) { return about[c].unit; }
double ceiling_scale(enum ceiling c) { return about[c].scale; }

int ceiling_exists(const struct ceiling_site *s, enum ceiling c) { return s->backend->is_device || c < CEILINGS_CPU; }

/* Pages come with the first touch, which is the threads' that use them. */
static void touch(const struct ceiling_site *s)
{
    const size_t n = s->bytes / sizeof *s->memory;
#pragma omp parallel for num_threads(s->threads)
    for (size_t i = 0; i < n; i++) s->memory[i] = R(1.0);
}

int ceilings_open(struct ceiling_site *s)
{
    size_t room;
    memset(s->turns, 0, sizeof s->turns);
    s->host[0] = s->host[1] = NULL;
    s->memory = s->backend->alloc(s->bytes, &room);
    SF_CHECK(s->memory, SF_MEMORY, "no %.2g GiB of memory to measure in", (double)s->bytes / 1073741824.0);
    if (!s->backend->is_device) touch(s);
    return SF_OK;
}

void ceilings_close(struct ceiling_site *s)
{
    for (int n = 0; n < 2; n++) {
        if (s->host[n]) s->backend->unpin(s->host[n]);
        backend_cpu.free(s->host[n]);
        s->host[n] = NULL;
    }
    if (s->memory) s->backend->free(s->memory);
    s->memory = NULL;
}

double ceiling_measure(struct ceiling_site *s, enum ceiling which)
{
#if SF_CUDA
    if (s->backend->is_device) return ceiling_of_device(s, which);
#endif
    return cpu_measure(s, which);
}
