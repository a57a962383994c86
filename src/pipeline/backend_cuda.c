/* A GPU: streams, events, its memory, and how its errors reach the user. The one file that calls the CUDA runtime,
 * folded.c, sent.c, peers.c aside; kernels are in .cu files. An error of the runtime is kept: all that follows on that
 * device would fail too. SPDX-License-Identifier: MIT */
#if SF_CUDA
#include "pipeline/backend.h"

#include "pipeline/error.h"
#include "pipeline/folded.h"
#include "pipeline/kernels.h"
#include "pipeline/peers.h"
#include "pipeline/sent.h"

#include <cuda_runtime.h>
#include <stdio.h>

/* Names for profilers, where the toolkit has the headers: they cost nothing where none listens. */
#if !SF_EMULATE && defined __has_include
#if __has_include(<nvtx3/nvToolsExtCudaRt.h>)
#include <nvtx3/nvToolsExtCudaRt.h>
#define HAS_NVTX 1
#endif
#endif

/* Of launch.h. */
extern struct backend_launch *launch_noted;
extern int launch_overlaps;

static struct {
    int is_open;
    char name[256];
    struct device_figures figures;
    cudaStream_t stream[LANES];
    cudaEvent_t event[LANES][BACKEND_EVENTS], mark[BACKEND_MARKS]; /* marks are made when first wanted */
    cudaError_t error; /* the first */
    const char *doing;
} gpu;

static void keep(cudaError_t e, const char *doing)
{
    if (e == cudaSuccess || gpu.error != cudaSuccess) return;
    gpu.error = e;
    gpu.doing = doing;
}

static int told(void)
{
    SF_CHECK(gpu.error == cudaSuccess, SF_GPU, "the GPU %s failed while %s: %s (%s)", gpu.name, gpu.doing,
             cudaGetErrorString(gpu.error), cudaGetErrorName(gpu.error));
    return SF_OK;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static int lanes_make(void)
{
#if HAS_NVTX
    static const char *const name[LANES] = {"in", "compute", "out"};
#endif
    for (int l = 0; l < LANES; l++) {
        keep(cudaStreamCreateWithFlags(&gpu.stream[l], cudaStreamNonBlocking), "making its streams");
        for (int n = 0; n < BACKEND_EVENTS; n++)
            keep(cudaEventCreateWithFlags(&gpu.event[l][n], cudaEventDisableTiming), "making its events");
#if HAS_NVTX
        nvtxNameCudaStreamA(gpu.stream[l], name[l]);
#endif
    }
    return told();
}

int backend_cuda_open(int local, int *found)
{
    int devices = 0;
    struct cudaDeviceProp p;
    *found = gpu.is_open;
    if (gpu.is_open) return SF_OK;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 1) {
        cudaGetLastError(); /* none, or no driver */
        return SF_OK;
    }
    const int device = local % devices;
    int kilohertz = 0;
    snprintf(gpu.name, sizeof gpu.name, "number %d", device);
    keep(cudaSetDevice(device), "being taken");
    keep(cudaGetDeviceProperties(&p, device), "being asked what it is");
    keep(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device), "being asked for its clock");
    SF_TRY(told());
    snprintf(gpu.name, sizeof gpu.name, "%s", p.name);
    gpu.figures = (struct device_figures){.name = gpu.name,
                                          .number = device,
                                          .devices = devices,
                                          .multiprocessors = p.multiProcessorCount,
                                          .threads = p.maxThreadsPerBlock,
                                          .memory = p.totalGlobalMem,
                                          .l2 = (size_t)p.l2CacheSize,
                                          .shared = p.sharedMemPerBlockOptin,
                                          .clock = 1e3 * kilohertz};
    launch_overlaps = p.major >= 9 && kernels_wait();
    SF_TRY(lanes_make());
    gpu.is_open = *found = 1;
    return SF_OK;
}

static const struct device_figures *device(void) { return &gpu.figures; }

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void *alloc(size_t bytes, size_t *room)
{
    void *memory = NULL;
    size_t all;
    *room = 0;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) {
        cudaGetLastError();
        cudaMemGetInfo(room, &all);
        return NULL;
    }
    keep(cudaMemsetAsync(memory, 0, bytes, gpu.stream[LANE_COMPUTE]), "clearing its memory");
    keep(cudaStreamSynchronize(gpu.stream[LANE_COMPUTE]), "clearing its memory");
    return memory;
}

static size_t room_of(int ranks)
{
    size_t left = 0, all;
    int devices = 1;
    keep(cudaMemGetInfo(&left, &all), "being asked for its memory");
    keep(cudaGetDeviceCount(&devices), "being counted");
    return left / (size_t)((ranks + devices - 1) / devices);
}

static void release(void *memory) { keep(cudaFree(memory), "giving memory back"); }

static int fold_grain(size_t *bytes)
{
    SF_CHECK(folded_open(gpu.figures.number, bytes), SF_GPU,
             "the GPU %s or its driver cannot show memory under several addresses, which slabs that stream take: use "
             "more GPUs, "
             "--backend cpu or &pipeline overlapped = .true.",
             gpu.name);
    return SF_OK;
}

static void *fold(size_t bytes, size_t period, size_t *room)
{
    int error;
    void *const memory = folded_take(bytes, period, &error);
    size_t all;
    *room = 0;
    if (!memory) {
        if (error != cudaErrorMemoryAllocation) keep((cudaError_t)error, "mapping memory");
        cudaMemGetInfo(room, &all);
        return NULL;
    }
    keep(cudaMemsetAsync(memory, 0, period, gpu.stream[LANE_COMPUTE]), "clearing its memory");
    keep(cudaStreamSynchronize(gpu.stream[LANE_COMPUTE]), "clearing its memory");
    return memory;
}

static void unfold(void *memory, size_t bytes, size_t period)
{
    keep(cudaDeviceSynchronize(), "computing");
    folded_give(memory, bytes, period);
}

static void pin(void *host, size_t bytes)
{
    if (cudaHostRegister(host, bytes, cudaHostRegisterDefault) != cudaSuccess) cudaGetLastError();
}

static void unpin(void *host)
{
    if (cudaHostUnregister(host) != cudaSuccess) cudaGetLastError();
}

static void *table(size_t bytes)
{
    void *memory = NULL;
    if (cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    keep(cudaMemsetAsync(memory, 0, bytes, gpu.stream[LANE_COMPUTE]), "clearing a table");
    keep(cudaStreamSynchronize(gpu.stream[LANE_COMPUTE]), "clearing a table");
    return memory;
}

static void *send(const void *from, size_t bytes)
{
    keep(cudaPeekAtLastError(), "computing");
    void *const at = sent_take(from, bytes, gpu.stream[LANE_COMPUTE]);
    keep(cudaPeekAtLastError(), "sending a table");
    return at;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

static void copy_in(void *device, const void *host, size_t bytes)
{
    keep(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, gpu.stream[LANE_IN]), "copying to it");
}

static void copy_out(void *host, const void *device, size_t bytes)
{
    keep(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, gpu.stream[LANE_OUT]), "copying from it");
}

static void copy_within(const struct backend_copy *copy, int n)
{
    for (int m = 0; m < n; m += BACKEND_BATCH)
        kernel_copies(copy + m, n - m < BACKEND_BATCH ? n - m : BACKEND_BATCH, gpu.stream[LANE_COMPUTE]);
    keep(cudaPeekAtLastError(), "copying within it");
}

static void record(enum lane lane, int event)
{
    keep(cudaEventRecord(gpu.event[lane][event], gpu.stream[lane]), "recording an event");
}

static void wait(enum lane lane, enum lane of, int event)
{
    keep(cudaStreamWaitEvent(gpu.stream[lane], gpu.event[of][event], 0), "waiting for an event");
}

static void peer_record(void *event) { keep(cudaEventRecord(event, gpu.stream[LANE_COMPUTE]), "recording an event"); }

static void peer_wait(void *event)
{
    keep(cudaStreamWaitEvent(gpu.stream[LANE_COMPUTE], event, 0), "waiting for another GPU");
}

static void peer_close(void *opened) { keep((cudaError_t)peers_close(opened), "giving another GPU's memory back"); }

static int await(enum lane of, int event)
{
    keep(cudaEventSynchronize(gpu.event[of][event]), of == LANE_COMPUTE ? "computing" : "copying");
    return told();
}

static int lane_sync(enum lane lane)
{
    keep(cudaStreamSynchronize(gpu.stream[lane]), lane == LANE_COMPUTE ? "computing" : "copying");
    return told();
}

static int check(const char *what)
{
    keep(cudaPeekAtLastError(), what);
    return told();
}

static void mark(enum lane lane, int n)
{
    if (!gpu.mark[n]) keep(cudaEventCreate(&gpu.mark[n]), "making its events");
    keep(cudaEventRecord(gpu.mark[n], gpu.stream[lane]), "recording an event");
}

static double seconds(int from, int to)
{
    float ms = 0;
    keep(cudaEventElapsedTime(&ms, gpu.mark[from], gpu.mark[to]), "reading its clock");
    return 1e-3 * (double)ms;
}

/* The best of some rounds: the first also wakes the device. Within it copies follow each other: one alone would be
 * short. */
static void rates_take(char *host, char *device, size_t bytes, double *in, double *out, double *within)
{
    enum { ROUNDS = 4, COPIES = 8, M_IN, M_IN_END, M_OUT, M_OUT_END, M_COPY, M_COPY_END };
    char *const half = device + bytes;
    *in = *out = *within = 0;
    for (int n = 0; n < ROUNDS; n++) {
        const struct backend_copy copy = {half, device, bytes};
        mark(LANE_IN, M_IN), mark(LANE_OUT, M_OUT);
        copy_in(device, host, bytes), copy_out(host + bytes, half, bytes);
        mark(LANE_IN, M_IN_END), mark(LANE_OUT, M_OUT_END);
        keep(cudaDeviceSynchronize(), "copying");
        mark(LANE_COMPUTE, M_COPY);
        for (int m = 0; m < COPIES; m++) copy_within(&copy, 1);
        mark(LANE_COMPUTE, M_COPY_END);
        keep(cudaDeviceSynchronize(), "copying");
        if (gpu.error != cudaSuccess) return;
        const double moved = (double)bytes, i = seconds(M_IN, M_IN_END), o = seconds(M_OUT, M_OUT_END),
                     w = seconds(M_COPY, M_COPY_END);
        if (i > 0 && moved / i > *in) *in = moved / i;
        if (o > 0 && moved / o > *out) *out = moved / o;
        if (w > 0 && 2 * COPIES * moved / w > *within) *within = 2 * COPIES * moved / w;
    }
}

static int rates(double *in, double *out, double *within)
{
    static double known[3];
#ifdef SF_EMULATE
    const size_t most = 4u << 20; /* it has no cache, and copies value by value */
#else
    const size_t most = 128u << 20; /* larger than the second-level caches of today */
#endif
    size_t left = 0, all;
    if (known[0] > 0) {
        *in = known[0], *out = known[1], *within = known[2];
        return SF_OK;
    }
    keep(cudaMemGetInfo(&left, &all), "being asked for its memory");
    const size_t bytes = left / 16 < most ? left / 16 / 256 * 256 : most;
    char *host = NULL, *device = NULL;
    if (cudaMallocHost((void **)&host, 2 * bytes) != cudaSuccess ||
        cudaMalloc((void **)&device, 2 * bytes) != cudaSuccess) {
        cudaGetLastError(); /* little memory is left: it is told where more is wanted */
        *in = *out = *within = 0;
    } else rates_take(host, device, bytes, &known[0], &known[1], &known[2]);
    if (host) keep(cudaFreeHost(host), "giving memory back");
    if (device) keep(cudaFree(device), "giving memory back");
    *in = known[0], *out = known[1], *within = known[2];
    return told();
}

const char *backend_cuda_toolkit(void)
{
#ifdef SF_EMULATE
    return "emulated";
#else
    static char text[16];
    snprintf(text, sizeof text, "%d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    return text;
#endif
}

static void range(const char *name)
{
#if HAS_NVTX
    if (name) nvtxRangePushA(name);
    else nvtxRangePop();
#else
    (void)name;
#endif
}

static void *stream(void) { return gpu.stream[LANE_COMPUTE]; }

/* ---- what is known of kernels ------------------------------------------------------------------------------------ */

static void watch(struct backend_launch *to) { launch_noted = to; }

static int kernel(const struct backend_launch *l, struct kernel_figures *f)
{
    *f = (struct kernel_figures){.name = ""};
    keep((cudaError_t)l->ask(l, f), "being asked for a kernel");
    return told();
}

/* ---- kernels of the engine --------------------------------------------------------------------------------------- */

static void between(real *to, const real *before, const real *after, real share, size_t n)
{
    kernel_between(to, before, after, share, n, gpu.stream[LANE_COMPUTE]);
}

static void ghosts(const struct slab *s, const struct layout *l, const struct backend_ghosts *fill, int n, struct box b)
{
    kernel_ghosts(s, l, fill, n, b, gpu.stream[LANE_COMPUTE]);
}

static void make(const struct slab *s, const struct layout *l, const struct backend_ghosts *fill, struct box b)
{
    kernel_make(s, l, fill, b, gpu.stream[LANE_COMPUTE]);
}

static void make_rows(const struct slab *s, const struct layout *l, enum shape shape, int id,
                      const struct ghost_maker *m, int j0, int j1)
{
    kernel_make_rows(s, l, shape, id, m, j0, j1, gpu.stream[LANE_COMPUTE]);
}

static void ghost_rows(const struct slab *s, const struct layout *l, enum shape shape, int id,
                       const struct ghost_map *y, int j0, int j1)
{
    kernel_ghost_rows(s, l, shape, id, y, j0, j1, gpu.stream[LANE_COMPUTE]);
}

static void find_bad(const real *value, size_t n, int *bad)
{
    kernel_find_bad(value, n, bad, gpu.stream[LANE_COMPUTE]);
}

static const struct backend_peers peers = {.offer = peers_offer,
                                           .open = peers_open,
                                           .close = peer_close,
                                           .event_make = peers_event_make,
                                           .event_open = peers_event_open,
                                           .event_free = peers_event_free,
                                           .record = peer_record,
                                           .wait = peer_wait};

const struct backend backend_cuda = {.name = "cuda",
                                     .line = 128,
                                     .is_device = 1,
                                     .alloc = alloc,
                                     .room = room_of,
                                     .free = release,
                                     .grain = fold_grain,
                                     .fold = fold,
                                     .unfold = unfold,
                                     .pin = pin,
                                     .unpin = unpin,
                                     .table_alloc = table,
                                     .table_free = release,
                                     .send = send,
                                     .unsend = sent_give,
                                     .copy_in = copy_in,
                                     .copy_out = copy_out,
                                     .copy_within = copy_within,
                                     .record = record,
                                     .wait = wait,
                                     .await = await,
                                     .sync = lane_sync,
                                     .check = check,
                                     .mark = mark,
                                     .seconds = seconds,
                                     .rates = rates,
                                     .range = range,
                                     .stream = stream,
                                     .between = between,
                                     .ghosts = ghosts,
                                     .make = make,
                                     .make_rows = make_rows,
                                     .ghost_rows = ghost_rows,
                                     .find_bad = find_bad,
                                     .watch = watch,
                                     .kernel = kernel,
                                     .device = device,
                                     .peers = &peers};
#endif
