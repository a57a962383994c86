/* The forms of the weather kernels on a GPU, bits against the kernels that are made of the stage's description or the
 * plain form, and time: `prog_gpu_weather [NI NK NJ]`. Registers of what is made are those of the kernel of u.
 *
 * Random fields in a layout of its own; no netCDF, no model. Bits: over odd sizes and boxes, every kind, and nothing
 * but the box may be written; reciprocals are the nearest. Exit code 1 when they differ.
 * SPDX-License-Identifier: MIT */
#include "dynamics/advmix_moist.cu"
#include "dynamics/advmix_wide_tiles.cuh"
#include "dynamics/points.cu"
#include "dynamics/slow_made.h"
#include "dynamics/small_steps_made.h"
#include "dynamics/tendencies_made.h"
#include "dynamics/tendencies_wide_made.h"
#include "dynamics/tracers.cu"
#include "dynamics/water_made.h"
#include "dynamics/wpi_kernels.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <vector>

static void need(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    std::exit(1);
}

template <int kind> static const void *form_kernel(advmix_made) { return (const void *)advmix_in_MIX_FOURTH_kernel; }
template <int kind> static const void *form_kernel(advmix_wide_made)
{
    return (const void *)advmix_wide_in_UPWIND_FOURTH_kernel;
}
static inline const void *form_kernel(column_made) { return (const void *)wpi_kernel<1>; }

/* What a kernel of the wind asks whether it came before. */
extern "C" void wpi_run_gpu(const struct slab *, struct box, const struct call *, void *) {}

/* ---- fields ---- */

enum { SHARED = 224 * 1024, GHOST = 3, LINE = 64 / (int)sizeof(real), NONE = -1, FIELDS = F_QR_FAR + 1 };

/* Else a profile. */
static int is_full(int field) { return field < P_TH0 || field >= F_Q; }

static uint32_t seed = 1;

static real random_value(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (real)((double)(seed >> 8) / 8388608.0 - 1.0);
}

/* Water is little. Below the ground theta_rho is nothing: of w_t on the ground, which nobody reads, kernels make what
 * they like of it. */
static real largest(int field, int k)
{
    if (field == F_THR && k < 0) return R(0.0);
    return field < F_Q ? R(1.0) : R(0.02);
}

/* All fields of a slab with ghosts, between columns that hold NaN. */
struct fields {
    struct slab s;
    std::vector<real> host;
    real *device;
    size_t start[FIELDS], size[FIELDS];
};

static fields fields_make(int ni, int nk, int nj)
{
    fields f = {};
    struct slab &s = f.s;
    s.ni = ni, s.nk = nk, s.nj = nj, s.j0 = -GHOST, s.rows = nj + 2 * GHOST;
    const int piece = 16 / (int)sizeof(real), west = (GHOST + piece - 1) / piece * piece;
    s.sk = (ni + GHOST + west + LINE - 1) / LINE * LINE; /* as layout_make has it */
    s.sj = s.sk * (nk + 2 * GHOST) + LINE;
    size_t all = LINE;
    for (int n = 0; n < FIELDS; n++) {
        f.start[n] = all;
        f.size[n] =
            is_full(n) ? (size_t)s.sj * (size_t)s.rows + LINE : (size_t)(nk + 1 + 2 * GHOST + LINE) / LINE * LINE;
        all += f.size[n];
    }
    f.host.assign(all, (real)__builtin_nanf(""));
    need(cudaMalloc((void **)&f.device, all * sizeof(real)), "memory");
    for (int n = 0; n < FIELDS; n++) {
        real *const field = f.host.data() + f.start[n];
        if (is_full(n)) {
            for (int j = 0; j < s.rows; j++)
                for (int k = 0; k < nk + 2 * GHOST; k++)
                    for (int i = -GHOST; i < ni + GHOST; i++)
                        field[LINE + j * s.sj + k * s.sk + i] = largest(n, k - GHOST) * random_value();
            s.f[n] = s.w[n] = f.device + f.start[n] + LINE + GHOST * s.sk;
        } else {
            for (int k = 0; k < nk + 1 + 2 * GHOST; k++) field[k] = random_value() + R(1.5);
            s.f[n] = s.w[n] = f.device + f.start[n] + GHOST;
        }
    }
    return f;
}

static void fields_send(const fields &f)
{
    need(cudaMemcpy(f.device, f.host.data(), f.host.size() * sizeof(real), cudaMemcpyHostToDevice), "to the device");
}

static std::vector<real> fields_fetch(const fields &f)
{
    std::vector<real> values(f.host.size());
    need(cudaDeviceSynchronize(), "a kernel");
    need(cudaMemcpy(values.data(), f.device, values.size() * sizeof(real), cudaMemcpyDeviceToHost), "from the device");
    return values;
}

static struct dynamics numbers(int nk)
{
    struct dynamics d = {};
    real *const first = &d.ax_self;
    for (int n = 0; n < 12; n++) first[n] = random_value();
    d.nk = nk, d.mix_x = R(0.3), d.mix_y = R(0.2), d.rdx = R(0.1), d.rdy = R(0.2), d.cp = R(4.0), d.rcv = R(0.4);
    d.off = R(0.6), d.off1 = R(0.4), d.damping = R(0.1);
    d.vapour_ratio = R(1.6), d.heat_dry = R(0.7), d.heat_vapour = R(1.4), d.heat_liquid = R(4.2);
    d.pi_by_vapour = R(-0.03), d.pi_by_liquid = R(0.4), d.lift_k = nk - nk / 3;
    return d;
}

/* ---- bits ---- */

static int wrong;

static void same_or_tell(const std::vector<real> &a, const std::vector<real> &b, const char *name, struct box x)
{
    if (!std::memcmp(a.data(), b.data(), a.size() * sizeof(real))) return;
    size_t n = 0;
    while (!std::memcmp(&a[n], &b[n], sizeof(real))) n++;
    std::printf("%s: other bits in box %d:%d %d:%d %d:%d, first at %zu: %g, not %g\n", name, x.i0, x.i1, x.k0, x.k1,
                x.j0, x.j1, n, (double)b[n], (double)a[n]);
    wrong = 1;
}

template <int kind> static void forms_compare(const fields &f, struct box b, const struct dynamics &d, int all)
{
    fields_send(f);
    form_launch<kind>(advmix_made(), &f.s, b, &d, NULL);
    const std::vector<real> right = fields_fetch(f);
#define FORM(name, ...)                                                                                                \
    if (all || !std::strncmp(name, "tile", 4)) {                                                                       \
        fields_send(f);                                                                                                \
        form_launch<kind>(__VA_ARGS__(), &f.s, b, &d, NULL);                                                           \
        same_or_tell(right, fields_fetch(f), name, b);                                                                 \
    }
#include "dynamics/advmix_forms.def"
}

/* The kernels that descriptions make. */
extern "C" void advmix_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *const d = (const struct dynamics *)c->ctx;
    switch (d->kind) {
#define LITERAL_kind(kind)                                                                                             \
    case kind:                                                                                                         \
        form_launch<kind>(advmix_made(), s, b, d, stream);                                                             \
        break;
#include "dynamics/weather_forms.def"
    }
}

/* Tendencies and water in one kernel, and one after the other. */
static void moist_compare(const fields &f, struct box b, struct dynamics d, int kind)
{
    const struct {
        stage_launch *water, *both;
        const char *name;
    } stage[] = {{moist_first_run_gpu, advmix_moist_first_run_gpu, "advmix_moist_first"},
                 {moist_second_run_gpu, advmix_moist_second_run_gpu, "advmix_moist_second"},
                 {moist_third_run_gpu, advmix_moist_third_run_gpu, "advmix_moist_third"}};
    struct call c = {};
    d.kind = kind, d.species = SPECIES, c.ctx = &d;
    for (const auto &x : stage) {
        fields_send(f);
        advmix_run_gpu(&f.s, b, &c, NULL), x.water(&f.s, b, &c, NULL), lift(&f.s, b, &c, NULL);
        std::vector<real> right = fields_fetch(f);
        fields_send(f);
        x.both(&f.s, b, &c, NULL);
        same_or_tell(right, fields_fetch(f), x.name, b);
    }
}

template <int kind, class T>
static void wide_form_compare(const fields &f, struct box b, const struct dynamics &d, const std::vector<real> &right,
                              const char *name)
{
    fields_send(f);
    form_launch<kind>(T(), &f.s, b, &d, NULL);
    same_or_tell(right, fields_fetch(f), name, b);
}

/* All forms of the kind that has several; of others the one that is taken. */
template <int kind> static void wide_compare(const fields &f, struct box b, const struct dynamics &d)
{
    fields_send(f);
    form_launch<kind>(advmix_wide_made(), &f.s, b, &d, NULL);
    const std::vector<real> right = fields_fetch(f);
    if constexpr (kind == UPWIND_FOURTH) {
#define FORM(name, ...) wide_form_compare<kind, __VA_ARGS__>(f, b, d, right, name);
#include "dynamics/advmix_wide_forms.def"
    } else {
        wide_form_compare<kind, wide_chosen>(f, b, d, right, "the chosen tile");
    }
}

static void wpi_compare(const fields &f, const struct slab &s, struct box b, const struct dynamics &d)
{
    struct slab air = s; /* the plain form of dry air, which reads moist air's theta in its place */
    struct dynamics dry = d;
    air.f[F_TH] = s.f[theta_of(d)], dry.species = 0;
    fields_send(f);
    form_launch(column_threads(), &air, b, &dry, R(0.1), NULL);
    const std::vector<real> right = fields_fetch(f);
#define FORM(name, ...)                                                                                                \
    if (d.nk <= __VA_ARGS__::MOST && (int)__VA_ARGS__::BYTES <= SHARED) {                                              \
        fields_send(f);                                                                                                \
        form_launch(__VA_ARGS__(), &s, b, &d, R(0.1), NULL);                                                           \
        same_or_tell(right, fields_fetch(f), name, b);                                                                 \
    }
#include "dynamics/wpi_forms.def"
}

/* The small steps of the wind, away from the sides: there a kernel by hand does what ghosts are for elsewhere. */
static void uv_compare(const fields &f, const struct slab &s, struct box b, const struct dynamics &d)
{
    struct call c = {};
    struct slab air = s;
    air.f[F_TH] = s.f[theta_of(d)];
    c.dt = R(0.1), c.ctx = &d;
    const struct {
        stage_launch *made, *by_hand;
        const char *name;
    } pair[] = {{uv_first_made_run_gpu, uv_start_run_gpu, "uv_first"},
                {uv_start_made_run_gpu, uv_start_run_gpu, "uv_start"},
                {uv_made_run_gpu, uv_next_run_gpu, "uv"}};
    for (const auto &x : pair) {
        fields_send(f);
        x.made(&air, b, &c, NULL);
        const std::vector<real> right = fields_fetch(f);
        fields_send(f);
        x.by_hand(&s, b, &c, NULL);
        same_or_tell(right, fields_fetch(f), x.name, b);
    }
}

/* Tracers through a step: tiles, and what is made of the description. Of the second member there is nothing but in one
 * cell. */
static void tracers_compare(const fields &f, struct box b, struct dynamics d, int mixing, int open)
{
    stage_launch *const stage[2][4] = {
        {tracers_first_made_run_gpu, tracers_second_made_run_gpu, tracers_share_made_run_gpu,
         tracers_last_made_run_gpu},
        {tracers_first_run_gpu, tracers_second_run_gpu, tracers_share_run_gpu, tracers_last_run_gpu}};
    struct member of[SPECIES];
    for (int n = 0; n < SPECIES; n++) {
        real *const q = f.s.f[F_Q + F_FAMILY * n], *const now = f.s.f[F_UT + n]; /* the other bank */
        of[n].n = n;
        of[n].f[F_FAMILY_Q] = q, of[n].w[F_FAMILY_Q] = now;
        for (int m = F_FAMILY_NEAR; m < F_FAMILY; m++) of[n].f[m] = of[n].w[m] = f.s.f[F_Q + F_FAMILY * n + m];
    }
    struct call c = {};
    d.tracer_mixing = mixing, d.species = open ? SPECIES - 1 : 0, d.tracer_inflow = R(0.01);
    for (int &side : d.open) side = open;
    c.dt = R(0.3), c.ctx = &d, c.members = SPECIES, c.of = of;
    std::vector<real> right;
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        fields_send(f);
        for (stage_launch *const launch : stage[by_hand]) launch(&f.s, b, &c, NULL);
        if (!by_hand) right = fields_fetch(f);
        else same_or_tell(right, fields_fetch(f), open ? "tracers, open" : "tracers", b);
    }
}

static void little_make(fields &f)
{
    for (int m = 0; m < F_FAMILY; m++) {
        const int n = F_Q + F_FAMILY + m;
        int kept = 0;
        for (size_t at = f.start[n]; at < f.start[n] + f.size[n]; at++)
            if (!std::isnan(f.host[at]) && kept++ != 700) f.host[at] = R(0.0);
    }
}

static void bits_compare(int ni, int nk, int nj)
{
    fields f = fields_make(ni, nk, nj);
    const struct dynamics d = numbers(nk);
    struct dynamics moist = d;
    moist.species = SPECIES;
    const struct box whole = {0, ni, 0, nk, 0, nj};
    const struct box part = {SF_MIN(3, ni - 1), ni, nk / 3, nk, nj / 2, nj};
    for (const struct box b : {whole, part}) {
        const struct box columns = {b.i0, b.i1, 0, nk, b.j0, b.j1};
        forms_compare<MIX_FOURTH>(f, b, d, 1);
#define LITERAL_kind(kind) forms_compare<kind>(f, b, d, 0), moist_compare(f, columns, d, kind);
#include "dynamics/weather_forms.def"
#define LITERAL_kind(kind) wide_compare<kind>(f, b, d);
#include "dynamics/weather_forms.def"
        struct slab banks = f.s; /* w and pi go into fields that a small step does not know */
        banks.w[F_W] = f.s.f[F_UT], banks.w[F_PI] = f.s.f[F_VT];
        wpi_compare(f, f.s, columns, d), wpi_compare(f, banks, columns, d), wpi_compare(f, f.s, columns, moist);
        const struct box inside = {SF_MAX(b.i0, 1), b.i1, b.k0, b.k1, b.j0, b.j1};
        struct slab winds = f.s; /* and u and v, too */
        winds.w[F_U] = f.s.f[F_W], winds.w[F_V] = f.s.f[F_WT];
        if (ni > 1) uv_compare(f, f.s, inside, d), uv_compare(f, winds, inside, d), uv_compare(f, f.s, inside, moist);
    }
    little_make(f);
    for (const struct box b : {whole, part})
        for (int mixing = MIX_NONE; mixing <= MIX_MONOTONE && ni > 3 && nj > 1; mixing++)
            if (mixing == MIX_MONOTONE || ni * nk * nj < 20000)
                tracers_compare(f, b, d, mixing, 0), tracers_compare(f, b, d, mixing, 1);
    need(cudaFree(f.device), "memory");
}

/* Of all 2^23 numbers of a power of two: reciprocals that are not the nearest. */
__global__ static void reciprocals_wrong(real first, int *bad)
{
    launch_wait();
    const real step = R(1.0) / R(8388608.0);
    for (int n = (int)(blockIdx.x * blockDim.x + threadIdx.x); n < 1 << 23; n += (int)(gridDim.x * blockDim.x)) {
        const real x = first * sf_fma((real)n, step, R(1.0));
        if (sf_reciprocal(x) != R(1.0) / x) *bad = n + 1;
    }
}

static void reciprocals_compare(void)
{
    int *bad;
    need(cudaMallocManaged((void **)&bad, sizeof *bad, cudaMemAttachGlobal), "memory");
    *bad = 0;
    for (const int power : {-125, -60, -1, 0, 1, 60, 124}) {
        SF_LAUNCH(reciprocals_wrong, dim3(1024), dim3(256), NULL, (real)std::ldexp(power % 2 ? -1.0 : 1.0, power), bad);
        need(cudaDeviceSynchronize(), "reciprocals");
        if (*bad) std::printf("reciprocal: other bits at (1 + %d / 2^23) 2^%d\n", *bad - 1, power), *bad = 0, wrong = 1;
    }
    need(cudaFree(bad), "memory");
}

/* ---- time ---- */

template <class L> static double median_seconds(const L &launch)
{
    cudaEvent_t from, to;
    need(cudaEventCreate(&from), "an event"), need(cudaEventCreate(&to), "an event");
    std::vector<float> ms(20);
    for (int n = -3; n < (int)ms.size(); n++) {
        need(cudaEventRecord(from), "an event");
        launch();
        need(cudaEventRecord(to), "an event");
        need(cudaEventSynchronize(to), "a kernel");
        if (n >= 0) need(cudaEventElapsedTime(&ms[(size_t)n], from, to), "an event");
    }
    std::sort(ms.begin(), ms.end());
    return 1e-3 * (double)ms[ms.size() / 2];
}

static void time_print(const char *name, const void *kernel, double points, double bytes, double seconds)
{
    cudaFuncAttributes a;
    need(cudaFuncGetAttributes(&a, kernel), name);
    std::printf("%-38s %4d registers %4zu bytes spilt %8.1f us %7.2f Gpoint/s %7.0f GB/s\n", name, a.numRegs,
                a.localSizeBytes, 1e6 * seconds, 1e-9 * points / seconds, 1e-9 * points * bytes / seconds);
    std::fflush(stdout);
}

static void advmix_time(const fields &f, struct box b, const struct dynamics &d, double points)
{
#define FORM(name, ...)                                                                                                \
    time_print(name, form_kernel<MIX_FOURTH>(__VA_ARGS__()), points, 10 * sizeof(real),                                \
               median_seconds([&] { form_launch<MIX_FOURTH>(__VA_ARGS__(), &f.s, b, &d, NULL); }));
#include "dynamics/advmix_forms.def"
}

static void moist_time(const fields &f, struct box b, const struct dynamics &numbers, double points)
{
    struct dynamics d = numbers;
    struct call c = {};
    d.kind = MIX_FOURTH, d.species = SPECIES, c.ctx = &d;
    time_print("with what water adds", (const void *)advmix_moist_tiles<MIX_FOURTH, chosen>, points, 14 * sizeof(real),
               median_seconds([&] { advmix_moist_second_run_gpu(&f.s, b, &c, NULL); }));
}

static void wide_time(const fields &f, struct box b, const struct dynamics &d, double points)
{
#define FORM(name, ...)                                                                                                \
    time_print(name, form_kernel<UPWIND_FOURTH>(__VA_ARGS__()), points, 10 * sizeof(real),                             \
               median_seconds([&] { form_launch<UPWIND_FOURTH>(__VA_ARGS__(), &f.s, b, &d, NULL); }));
#include "dynamics/advmix_wide_forms.def"
}

static void wpi_time(const fields &f, struct box b, const struct dynamics &d, double points)
{
#define FORM(name, ...)                                                                                                \
    if (d.nk <= __VA_ARGS__::MOST && (int)__VA_ARGS__::BYTES <= SHARED)                                                \
        time_print(name, form_kernel(__VA_ARGS__()), points, 10 * sizeof(real),                                        \
                   median_seconds([&] { form_launch(__VA_ARGS__(), &f.s, b, &d, R(0.001), NULL); }));
#include "dynamics/wpi_forms.def"
}

int main(int argc, char **argv)
{
    const int ni = argc > 3 ? std::atoi(argv[1]) : 512, nk = argc > 3 ? std::atoi(argv[2]) : 128,
              nj = argc > 3 ? std::atoi(argv[3]) : 512;
    /* What is fetched stays with the process: new pages take longer than to fill and compare them. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30), mallopt(M_TRIM_THRESHOLD, 1 << 30);
    cudaDeviceProp p;
    need(cudaGetDeviceProperties(&p, 0), "no device");
    std::printf("%s, %d multiprocessors\n", p.name, p.multiProcessorCount);
    for (const int *n :
         {(const int[]){1, 1, 1}, (const int[]){5, 3, 2}, (const int[]){33, 9, 7}, (const int[]){64, 16, 10},
          (const int[]){67, 17, 73}, (const int[]){33, 128, 3}, (const int[]){40, 131, 6}, (const int[]){21, 250, 3},
          (const int[]){33, 192, 2}, (const int[]){27, 5, 9}, (const int[]){28, 5, 9}})
        bits_compare(n[0], n[1], n[2]);
    if (argc > 3) bits_compare(ni, nk, nj);
    reciprocals_compare();
    std::printf("bits: %s\n", wrong ? "differ" : "the same");
    fields f = fields_make(ni, nk, nj);
    const struct box whole = {0, ni, 0, nk, 0, nj};
    const struct dynamics d = numbers(nk);
    fields_send(f);
    advmix_time(f, whole, d, (double)ni * nk * nj);
    moist_time(f, whole, d, (double)ni * nk * nj);
    wide_time(f, whole, d, (double)ni * nk * nj);
    wpi_time(f, whole, d, (double)ni * nk * nj);
    need(cudaFree(f.device), "memory");
    return wrong;
}
