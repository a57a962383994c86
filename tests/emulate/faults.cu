/* What the emulated GPU must do and must find, a scene each: `faults SCENE`. Exit code 0: all values are right, 9: some
 * are wrong; a fault that is found ends it otherwise. tests/emulate.sh runs them and says what each must come to.
 * SPDX-License-Identifier: MIT */
#include "pipeline/boxes.cuh"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vector>

static const int N = 1000, THREADS = 64, BLOCKS = (N + THREADS - 1) / THREADS;

static int wrong; /* values */

static void call(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    printf("%s: %s\n", what, cudaGetErrorName(e));
    exit(3);
}
#define CALL(x) call(x, #x)

template <class T> static T *device(size_t n)
{
    void *memory;
    CALL(cudaMalloc(&memory, n * sizeof(T)));
    return (T *)memory;
}

static int *zeros(size_t n)
{
    int *const x = device<int>(n);
    CALL(cudaMemset(x, 0, n * sizeof *x));
    return x;
}

static cudaStream_t stream_make()
{
    cudaStream_t s;
    CALL(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
}

static std::vector<int> values(const int *x, size_t n)
{
    std::vector<int> v(n);
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(v.data(), x, n * sizeof *x, cudaMemcpyDeviceToHost));
    return v;
}

static void expect(int is_right) { wrong += !is_right; }

/* ---- right kernels ---- */

__global__ static void count_kernel(int *x, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) x[i] += i + 1;
}

static void count(int *x, cudaStream_t s) { SF_LAUNCH(count_kernel, dim3(BLOCKS), dim3(THREADS), s, x, N); }

static void plain()
{
    int *const x = zeros(N);
    count(x, 0);
    const std::vector<int> v = values(x, N);
    for (int i = 0; i < N; i++) expect(v[(size_t)i] == i + 1);
}

struct shift {
    int by[3];
};

template <int more> __global__ static void place_kernel(int *x, const struct shift s)
{
    const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    atomicAdd(&x[b * blockDim.x * blockDim.y * blockDim.z + t], (int)t + s.by[2] + more);
}

static void places()
{
    const dim3 grid(3, 2, 5), block(5, 4, 3);
    int *const x = zeros(30 * 60);
    SF_LAUNCH((place_kernel<7>), grid, block, 0, x, (shift{{0, 0, 5}}));
    const std::vector<int> v = values(x, 30 * 60);
    for (int i = 0; i < 30 * 60; i++) expect(v[(size_t)i] == i % 60 + 12);
}

/* Reverses each block in shared memory, twice over; threads beyond the end are gone before the barriers. */
__global__ static void reverse_kernel(int *x, int n)
{
    __shared__ int fixed[THREADS];
    SF_SHARED(int, more);
    const int first = (int)(blockIdx.x * THREADS), t = (int)threadIdx.x,
              here = n - first < THREADS ? n - first : THREADS;
    if (t >= here) return;
    fixed[t] = x[first + t];
    __syncthreads();
    more[t] = fixed[here - 1 - t];
    for (int turn = 0; turn < 2; turn++) {
        __syncthreads();
        fixed[t] = more[here - 1 - t];
        __syncthreads();
        more[t] = fixed[t];
    }
    x[first + t] = more[t];
}

static void blocks()
{
    int *const x = zeros(N);
    count(x, 0);
    SF_LAUNCH_BLOCKS(reverse_kernel, dim3(BLOCKS), dim3(THREADS), THREADS * sizeof(int), 0, x, N);
    const std::vector<int> v = values(x, N);
    for (int i = 0; i < N; i++) {
        const int first = i / THREADS * THREADS, last = (first + THREADS < N ? first + THREADS : N) - 1;
        expect(v[(size_t)i] == first + last - i + 1);
    }
}

__global__ static void votes_kernel(int *x)
{
    const int t = (int)threadIdx.x, any = __syncthreads_or(t == 63), none = __syncthreads_or(t == 64);
    const int all = __syncthreads_and(t < 64), some = __syncthreads_count(t < 5);
    __syncwarp();
    x[t] = any * 1000 + none * 100 + all * 10 + some;
}

static void votes()
{
    int *const x = zeros(THREADS);
    SF_LAUNCH_BLOCKS(votes_kernel, dim3(1), dim3(THREADS), 0, 0, x);
    const std::vector<int> v = values(x, THREADS);
    for (int i = 0; i < THREADS; i++) expect(v[(size_t)i] == 1015);
}

#include "faults_copies.cuh"

/* Three lanes: a part comes in, is computed and goes out, while the next one comes; `waits`: bits of the events that
 * are waited for, 8: the last sync. */
static void lanes_run(int waits)
{
    const int PARTS = 6;
    cudaStream_t lane[3];
    cudaEvent_t event[3][2];
    int *host, *slot[2];
    for (int l = 0; l < 3; l++) {
        lane[l] = stream_make();
        for (int n = 0; n < 2; n++) CALL(cudaEventCreateWithFlags(&event[l][n], cudaEventDisableTiming));
    }
    CALL(cudaHostAlloc((void **)&host, PARTS * N * sizeof *host, cudaHostAllocDefault));
    for (int i = 0; i < PARTS * N; i++) host[i] = i;
    for (int n = 0; n < 2; n++) slot[n] = zeros(N);
    for (int p = 0; p < PARTS; p++) {
        const int n = p % 2;
        if (waits & 1) CALL(cudaStreamWaitEvent(lane[0], event[2][n], 0));
        CALL(cudaMemcpyAsync(slot[n], host + p * N, N * sizeof *host, cudaMemcpyHostToDevice, lane[0]));
        CALL(cudaEventRecord(event[0][n], lane[0]));
        if (waits & 2) CALL(cudaStreamWaitEvent(lane[1], event[0][n], 0));
        count(slot[n], lane[1]);
        CALL(cudaEventRecord(event[1][n], lane[1]));
        if (waits & 4) CALL(cudaStreamWaitEvent(lane[2], event[1][n], 0));
        CALL(cudaMemcpyAsync(host + p * N, slot[n], N * sizeof *host, cudaMemcpyDeviceToHost, lane[2]));
        CALL(cudaEventRecord(event[2][n], lane[2]));
    }
    if (waits & 8) CALL(cudaStreamSynchronize(lane[2]));
    for (int i = 0; i < PARTS * N; i++) expect(host[i] == i + i % N + 1);
    for (int l = 0; l < 3; l++) {
        CALL(cudaStreamDestroy(lane[l]));
        for (int n = 0; n < 2; n++) CALL(cudaEventDestroy(event[l][n]));
    }
    for (int n = 0; n < 2; n++) CALL(cudaFree(slot[n]));
    CALL(cudaFreeHost(host));
}

static void lanes() { lanes_run(15); }
static void lanes_in_early() { lanes_run(14); }
static void lanes_compute_early() { lanes_run(13); }
static void lanes_out_early() { lanes_run(11); }
static void lanes_look_early() { lanes_run(7); }

/* Pageable memory may be used again at once, and holds what came out. */
static void pageable()
{
    const cudaStream_t s = stream_make();
    int *const x = device<int>(N);
    std::vector<int> v(N, 4);
    CALL(cudaMemcpyAsync(x, v.data(), N * sizeof *x, cudaMemcpyHostToDevice, s));
    v.assign(N, 9);
    count(x, s);
    CALL(cudaMemcpyAsync(v.data(), x, N * sizeof *x, cudaMemcpyDeviceToHost, s));
    for (int i = 0; i < N; i++) expect(v[(size_t)i] == 4 + i + 1);
    CALL(cudaStreamDestroy(s));
}

__global__ static void touch_kernel(int *x, ptrdiff_t at) { x[at] = 1; }
__global__ static void look_kernel(int *x, const int *y, ptrdiff_t at) { x[0] = y[at]; }

static void table()
{
    int *x;
    CALL(cudaMallocManaged((void **)&x, 2 * sizeof *x, cudaMemAttachGlobal));
    x[0] = 5;
    SF_LAUNCH(look_kernel, dim3(1), dim3(1), 0, x + 1, x, 0);
    CALL(cudaDeviceSynchronize());
    expect(x[1] == 5);
    CALL(cudaFree(x));
}

static void room()
{
    size_t before, after, all;
    void *x = NULL, *y = NULL;
    CALL(cudaMemGetInfo(&before, &all));
    CALL(cudaMalloc(&x, 1000));
    CALL(cudaMemGetInfo(&after, &all));
    expect(before - after == 1000 && before == all && (size_t)x % 256 == 0);
    expect(cudaMalloc(&y, all) == cudaErrorMemoryAllocation && !y && cudaGetLastError() == cudaErrorMemoryAllocation);
    CALL(cudaGetLastError());
    CALL(cudaFree(x));
    CALL(cudaMalloc(&y, all));
    CALL(cudaFree(y));
}

template <class F> static F driver(const char *name, F)
{
    void *function = NULL;
    enum cudaDriverEntryPointQueryResult result;
    CALL(cudaGetDriverEntryPointByVersion(name, &function, 10020, cudaEnableDefault, &result));
    expect(function && result == cudaDriverEntryPointSuccess);
    return (F)function;
}

static void drive(CUresult r)
{
    if (r == CUDA_SUCCESS) return;
    printf("the driver: error %d\n", (int)r);
    exit(3);
}

/* `pieces` times the same page, of which `mapped` are there. */
static const size_t PAGE = 4096;
static int *folded(size_t pieces, size_t mapped)
{
    const auto create =
        driver("cuMemCreate", (CUresult(*)(CUmemGenericAllocationHandle *, size_t, const void *, unsigned long long))0);
    const auto reserve =
        driver("cuMemAddressReserve", (CUresult(*)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long))0);
    const auto map = driver(
        "cuMemMap", (CUresult(*)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long))0);
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at;
    drive(create(&handle, PAGE, NULL, 0));
    drive(reserve(&at, pieces * PAGE, 0, 0, 0));
    for (size_t n = 0; n < mapped; n++) drive(map(at + n * PAGE, PAGE, 0, handle, 0));
    drive(driver("cuMemRelease", (CUresult(*)(CUmemGenericAllocationHandle))0)(handle));
    drive(driver("cuMemSetAccess", (CUresult(*)(CUdeviceptr, size_t, const void *, size_t))0)(at, pieces * PAGE, NULL,
                                                                                              1));
    return (int *)(size_t)at;
}

static void folds()
{
    const size_t pieces = 3, n = PAGE / sizeof(int);
    size_t before, meanwhile, after, all;
    CALL(cudaMemGetInfo(&before, &all));
    int *const x = folded(pieces, pieces);
    CALL(cudaMemGetInfo(&meanwhile, &all));
    for (int v : values(x, pieces * n)) expect(v == -1); /* NaN */
    CALL(cudaMemset(x, 0, PAGE));
    count(x + n / 2, 0); /* from the middle of one piece to that of the next */
    const std::vector<int> v = values(x, pieces * n);
    for (size_t i = 0; i < pieces * n; i++) {
        const size_t at = (i + n / 2) % n;
        expect(v[i] == (at < (size_t)N ? (int)at + 1 : 0));
    }
    for (size_t m = 0; m < pieces; m++)
        drive(driver("cuMemUnmap", (CUresult(*)(CUdeviceptr, size_t))0)((CUdeviceptr)(size_t)x + m * PAGE, PAGE));
    drive(driver("cuMemAddressFree", (CUresult(*)(CUdeviceptr, size_t))0)((CUdeviceptr)(size_t)x, pieces * PAGE));
    CALL(cudaMemGetInfo(&after, &all));
    expect(before == after && before - meanwhile == PAGE);
}

static void fold_of_host() { folded(3, 3)[2000] = 1; }
static void fold_overrun()
{
    SF_LAUNCH(touch_kernel, dim3(1), dim3(1), 0, folded(3, 3), 3 * (ptrdiff_t)(PAGE / sizeof(int)));
    CALL(cudaDeviceSynchronize());
}
static void fold_unmapped() { folded(3, 2); }

/* ---- two processes ---- */

#include "faults_peers.cuh"

static void clock()
{
    cudaEvent_t from, to;
    float ms = -1;
    int *const x = zeros(N);
    const cudaStream_t s = stream_make();
    CALL(cudaEventCreate(&from));
    CALL(cudaEventCreate(&to));
    CALL(cudaEventRecord(from, s));
    count(x, s);
    CALL(cudaEventRecord(to, s));
    while (cudaEventQuery(to) == cudaErrorNotReady) {}
    CALL(cudaEventElapsedTime(&ms, from, to));
    expect(ms >= 0);
}

/* ---- faults ---- */

__global__ static void blocks_race_kernel(int *x, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i + THREADS < n) x[i] = x[i + THREADS] + 1;
}
static void race_of_blocks()
{
    int *const x = zeros(N);
    SF_LAUNCH(blocks_race_kernel, dim3(BLOCKS), dim3(THREADS), 0, x, N);
    CALL(cudaDeviceSynchronize());
}

__global__ static void threads_race_kernel(int *x)
{
    const int i = (int)threadIdx.x;
    if (i > 0) x[i] = x[i - 1] + 1;
}
static void race_of_threads()
{
    int *const x = zeros(N);
    SF_LAUNCH(threads_race_kernel, dim3(1), dim3(THREADS), 0, x);
    CALL(cudaDeviceSynchronize());
}

__global__ static void no_barrier_kernel(int *x, int waits)
{
    __shared__ int tile[THREADS];
    const int t = (int)threadIdx.x;
    for (int turn = 0; turn < 2; turn++) {
        tile[t] = turn * THREADS + t;
        __syncthreads();
        x[t] += tile[(t + 1) % THREADS];
        if (waits) __syncthreads();
    }
}
static void barrier_run(int waits)
{
    int *const x = zeros(THREADS);
    SF_LAUNCH_BLOCKS(no_barrier_kernel, dim3(1), dim3(THREADS), 0, 0, x, waits);
    const std::vector<int> v = values(x, THREADS);
    for (int t = 0; t < THREADS; t++) expect(v[(size_t)t] == THREADS + 2 * ((t + 1) % THREADS));
}
static void barriers() { barrier_run(1); }
static void no_barrier() { barrier_run(0); }

__global__ static void divergence_kernel(int *x)
{
    if (threadIdx.x < 7) __syncthreads();
    x[threadIdx.x] = 1;
    __syncthreads();
}
static void divergence()
{
    SF_LAUNCH_BLOCKS(divergence_kernel, dim3(1), dim3(THREADS), 0, 0, zeros(THREADS));
    CALL(cudaDeviceSynchronize());
}

static void barrier_of_plain()
{
    SF_LAUNCH(no_barrier_kernel, dim3(1), dim3(THREADS), 0, zeros(THREADS), 1);
    CALL(cudaDeviceSynchronize());
}

static void touch(ptrdiff_t at)
{
    SF_LAUNCH(touch_kernel, dim3(1), dim3(1), 0, zeros(N), at);
    CALL(cudaDeviceSynchronize());
}
static void overrun() { touch(2048); }
static void overrun_by_one() { touch(N); }
static void underrun() { touch(-1100); }
static void underrun_by_one() { touch(-1); }

__global__ static void shared_overrun_kernel(int *x)
{
    SF_SHARED(int, tile);
    tile[threadIdx.x + 1] = 1;
    x[threadIdx.x] = tile[threadIdx.x];
}
static void shared_overrun()
{
    SF_LAUNCH_BLOCKS(shared_overrun_kernel, dim3(1), dim3(THREADS), THREADS * sizeof(int), 0, zeros(THREADS));
    CALL(cudaDeviceSynchronize());
}

static void host_reads() { expect(*(volatile int *)zeros(N) == 0); }
static void host_writes() { *(volatile int *)zeros(N) = 0; }

static void host_pointer()
{
    std::vector<int> v(N);
    SF_LAUNCH(look_kernel, dim3(1), dim3(1), 0, zeros(1), v.data(), 0);
    CALL(cudaDeviceSynchronize());
}

static void freed()
{
    int *const x = zeros(N);
    CALL(cudaFree(x));
    SF_LAUNCH(touch_kernel, dim3(1), dim3(1), 0, x, 0);
    CALL(cudaDeviceSynchronize());
}

static void copy_overrun()
{
    std::vector<int> v(2 * N);
    CALL(cudaMemcpy(v.data(), zeros(N) + 1, N * sizeof(int), cudaMemcpyDeviceToHost));
}

static void copy_of_host()
{
    std::vector<int> v(2 * N);
    CALL(cudaMemcpy(v.data(), v.data() + N, N * sizeof(int), cudaMemcpyDeviceToHost));
}

static void shared_too_large()
{
    SF_LAUNCH_BLOCKS(shared_overrun_kernel, dim3(1), dim3(THREADS), 233000, 0, zeros(THREADS));
    CALL(cudaGetLastError());
}

static void grid_of_nothing()
{
    SF_LAUNCH(count_kernel, dim3(0), dim3(THREADS), 0, zeros(N), N);
    CALL(cudaGetLastError());
}

/* Run with EMULATE_FAIL. */
static void sticky()
{
    const cudaStream_t s = stream_make();
    int *const x = zeros(N);
    count(x, s);
    count(x, s);
    const cudaError_t e = cudaStreamSynchronize(s);
    expect(cudaGetLastError() == e && cudaPeekAtLastError() == e && cudaMemset(x, 0, 1) == e);
    CALL(e);
}

static void nothing_is_nan()
{
    std::vector<float> v(N);
    CALL(cudaMemcpy(v.data(), device<float>(N), N * sizeof(float), cudaMemcpyDeviceToHost));
    for (float x : v) expect(x != x);
}

/* ---- */

#define SCENE(name)                                                                                                    \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
static const struct {
    const char *name;
    void (*run)();
} scenes[] = {SCENE(plain),
              SCENE(places),
              SCENE(blocks),
              SCENE(votes),
              SCENE(tiles),
              SCENE(tiles_unwaited),
              SCENE(ring),
              SCENE(ring_uncopied),
              SCENE(ring_unread),
              SCENE(ring_never),
              SCENE(ring_unmade),
              SCENE(boxes),
              SCENE(boxes_unread),
              SCENE(boxes_less),
              SCENE(boxes_before),
              SCENE(boxes_unaligned),
              SCENE(boxes_unexpected),
              SCENE(boxes_left),
              SCENE(halves),
              SCENE(lanes),
              SCENE(lanes_in_early),
              SCENE(lanes_compute_early),
              SCENE(lanes_out_early),
              SCENE(lanes_look_early),
              SCENE(pageable),
              SCENE(table),
              SCENE(room),
              SCENE(clock),
              SCENE(race_of_blocks),
              SCENE(race_of_threads),
              SCENE(barriers),
              SCENE(no_barrier),
              SCENE(divergence),
              SCENE(barrier_of_plain),
              SCENE(overrun),
              SCENE(overrun_by_one),
              SCENE(underrun),
              SCENE(underrun_by_one),
              SCENE(shared_overrun),
              SCENE(host_reads),
              SCENE(host_writes),
              SCENE(host_pointer),
              SCENE(freed),
              SCENE(copy_overrun),
              SCENE(copy_of_host),
              SCENE(shared_too_large),
              SCENE(grid_of_nothing),
              SCENE(sticky),
              SCENE(nothing_is_nan),
              SCENE(peers),
              SCENE(peers_take_early),
              SCENE(peers_put_early),
              SCENE(peers_free_early),
              SCENE(peers_beside),
              SCENE(folds),
              SCENE(fold_of_host),
              SCENE(fold_overrun),
              SCENE(fold_unmapped)};

int main(int argc, char **argv)
{
    for (const auto &s : scenes) {
        if (argc != 2 || strcmp(argv[1], s.name)) continue;
        s.run();
        if (wrong) printf("%d values are wrong\n", wrong);
        return wrong > 0 ? 9 : 0;
    }
    fprintf(stderr, "usage: faults SCENE\n");
    return 2;
}
