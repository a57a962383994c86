/* What the emulated GPU must do and must find, a scene each: `faults SCENE`. Exit code 0: all values are right, 9: some are
 * wrong; a fault that is found ends it otherwise. tests/emulate.sh runs them and says what each must come to.
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
    const int first = (int)(blockIdx.x * THREADS), t = (int)threadIdx.x, here = n - first < THREADS ? n - first : THREADS;
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

/* Tiles that come while those before them are summed; `waits`: or does not wait for them. */
__global__ static void tiles_kernel(const int *x, int *sum, int waits)
{
    __shared__ int tile[2][THREADS];
    const int t = (int)threadIdx.x;
    int all = 0;
    __pipeline_memcpy_async(&tile[0][t], &x[t], sizeof *x);
    __pipeline_commit();
    for (int n = 0; n < 4; n++) {
        if (n < 3) __pipeline_memcpy_async(&tile[(n + 1) % 2][t], &x[(n + 1) * THREADS + t], sizeof *x);
        __pipeline_commit();
        if (waits) __pipeline_wait_prior(1);
        __syncthreads();
        all += tile[n % 2][THREADS - 1 - t];
        __syncthreads();
    }
    sum[t] = all;
}

static void tiles_sum(int waits)
{
    int *const x = zeros(N), *const sum = zeros(THREADS);
    count(x, 0);
    SF_LAUNCH_BLOCKS(tiles_kernel, dim3(1), dim3(THREADS), 0, 0, x, sum, waits);
    const std::vector<int> v = values(sum, THREADS);
    for (int t = 0; t < THREADS; t++) expect(v[(size_t)t] == 4 * (THREADS - t) + 6 * THREADS);
}

/* Planes in a ring, which every thread copies words of, two turns ahead, and reads words of others of. What is skipped: waits for
 * copies, from the second turn on; waits for readers; one arrival; the making of one mbarrier. */
enum { RING = 4, RING_AHEAD = 2, RING_TURNS = 40, RING_LAUNCHES = 8 };
enum { RING_SKIPS_COPIES = 1, RING_SKIPS_READERS = 2, RING_SKIPS_ARRIVAL = 4, RING_SKIPS_MAKING = 8 };
__global__ static void ring_kernel(const int *x, int *sum, int skips)
{
    __shared__ int ring[RING][4 * THREADS];
    __shared__ mbarrier there[RING_AHEAD], read;
    const int t = (int)threadIdx.x;
    int all = 0;
    if (t == 0) {
        for (int n = 0; n < RING_AHEAD; n++) mbarrier_make(&there[n], THREADS);
        if (!(skips & RING_SKIPS_MAKING)) mbarrier_make(&read, THREADS / 32);
    }
    __syncthreads();
    for (int n = -RING_AHEAD; n < RING_TURNS; n++) {
        const int ahead = n + RING_AHEAD;
        if (n > 0 && !(skips & RING_SKIPS_COPIES)) mbarrier_wait(&there[n % RING_AHEAD], n / RING_AHEAD);
        if (n == 0) mbarrier_wait(&there[0], 0);
        if (n > 0 && !(skips & RING_SKIPS_READERS)) mbarrier_wait(&read, n - 1);
        if (ahead < RING_TURNS) {
            copy_piece(&ring[ahead % RING][4 * t], &x[4 * ((ahead * THREADS + t) % (N / 4))]);
            if (t || n != RING_TURNS / 2 || !(skips & RING_SKIPS_ARRIVAL)) copies_arrive(&there[ahead % RING_AHEAD]);
        }
        if (n < 0) continue;
        __syncwarp();
        all += ring[n % RING][4 * ((t + 32) % THREADS)];
        __syncwarp();
        if (t % 32 == 0) mbarrier_arrive(&read);
    }
    sum[t] = all;
}

static void ring_sum(int skips)
{
    int *const x = zeros(N), *const sum = zeros(THREADS);
    count(x, 0);
    for (int launch = 0; launch < RING_LAUNCHES; launch++) {
        SF_LAUNCH_BLOCKS(ring_kernel, dim3(1), dim3(THREADS), 0, 0, x, sum, skips);
        const std::vector<int> v = values(sum, THREADS);
        for (int t = 0; t < THREADS; t++) {
            int all = 0;
            for (int n = 0; n < RING_TURNS; n++) all += 4 * ((n * THREADS + (t + 32) % THREADS) % (N / 4)) + 1;
            expect(v[(size_t)t] == all);
        }
    }
}
static void ring() { ring_sum(0); }
static void ring_uncopied() { ring_sum(RING_SKIPS_COPIES); }
static void ring_unread() { ring_sum(RING_SKIPS_READERS); }
static void ring_never() { ring_sum(RING_SKIPS_ARRIVAL); }
static void ring_unmade() { ring_sum(RING_SKIPS_MAKING); }

/* The same by boxes, which one thread asks for and all read; their last columns and rows are beyond the field. What is wrong: readers are
 * not waited for, fewer bytes are expected than come, boxes begin before the field, they go to a place that is not aligned, nobody is
 * told what comes, one comes that nobody waits for. */
enum { BOX_I = 32, BOX_ROWS = 4, BOX_TURNS = 20, FIELD_I = 40, FIELD_ROWS = 6, BOX_AT_I = 20, BOX_AT_ROW = 5 };
enum { BOXES_SKIP_READERS = 1, BOXES_EXPECT_LESS = 2, BOXES_BEFORE = 4, BOXES_UNALIGNED = 8, BOXES_UNEXPECTED = 16, BOXES_LEFT = 32 };
struct boxes_shared {
    real ring[RING][BOX_ROWS * BOX_I];
    mbarrier gate[RING];
};
__global__ static void boxes_kernel(const __grid_constant__ struct box_map map, real *sum, int wrongs)
{
    SF_SHARED(struct boxes_shared, shared);
    const int t = (int)threadIdx.x, reads = wrongs & BOXES_SKIP_READERS ? 0 : THREADS;
    real all = 0;
    if (t == 0)
        for (int n = 0; n < RING; n++) mbarrier_make(&shared->gate[n], 1 + reads);
    __syncthreads();
    for (int n = -RING_AHEAD; n < BOX_TURNS; n++) {
        const int ahead = n + RING_AHEAD;
        if (n >= 0) mbarrier_wait(&shared->gate[n % RING], n / RING);
        if ((ahead < BOX_TURNS || (wrongs & BOXES_LEFT && ahead > BOX_TURNS)) && warp_of(t) == 0 && is_elected()) {
            const int bytes = BOX_ROWS * BOX_I * (int)sizeof(real) - (wrongs & BOXES_EXPECT_LESS ? 16 : 0);
            if (wrongs & BOXES_UNEXPECTED) mbarrier_arrive(&shared->gate[ahead % RING]);
            else mbarrier_expect(&shared->gate[ahead % RING], bytes);
            box_copy(shared->ring[ahead % RING] + (wrongs & BOXES_UNALIGNED ? 4 : 0), &map, wrongs & BOXES_BEFORE ? -4 : BOX_AT_I, ahead,
                     BOX_AT_ROW, &shared->gate[ahead % RING]);
        }
        if (n >= 0) all += shared->ring[n % RING][t];
        if (reads) mbarrier_arrive(&shared->gate[ahead % RING]); /* the level whose place that of ahead + 2 takes has been read */
    }
    sum[t] = all;
}

static void boxes_sum(int wrongs)
{
    const int extent[] = {FIELD_I, BOX_TURNS, FIELD_ROWS}, box[] = {BOX_I, 1, BOX_ROWS};
    std::vector<real> field((size_t)(FIELD_I * BOX_TURNS * FIELD_ROWS)), v(THREADS);
    for (size_t n = 0; n < field.size(); n++) field[n] = (real)(n % 97 + 1);
    real *const at = device<real>(field.size()), *const sum = device<real>(THREADS);
    CALL(cudaMemcpy(at, field.data(), field.size() * sizeof(real), cudaMemcpyHostToDevice));
    struct box_map map;
    expect(box_map_make(&map, at, extent, FIELD_I, FIELD_I * BOX_TURNS, box));
    expect(!box_map_make(&map, at + 1, extent, FIELD_I, FIELD_I * BOX_TURNS, box));
    cudaGetLastError();
    expect(box_map_make(&map, at, extent, FIELD_I, FIELD_I * BOX_TURNS, box));
    for (int launch = 0; launch < RING_LAUNCHES; launch++) {
        SF_LAUNCH_BLOCKS(boxes_kernel, dim3(1), dim3(THREADS), sizeof(struct boxes_shared), 0, map, sum, wrongs);
        CALL(cudaMemcpy(v.data(), sum, THREADS * sizeof(real), cudaMemcpyDeviceToHost));
        for (int t = 0; t < THREADS; t++) {
            const int i = BOX_AT_I + t % BOX_I, row = BOX_AT_ROW + t / BOX_I;
            real all = 0;
            for (int n = 0; n < BOX_TURNS && i < FIELD_I && row < FIELD_ROWS; n++)
                all += field[(size_t)((row * BOX_TURNS + n) * FIELD_I + i)];
            expect(v[(size_t)t] == all);
        }
    }
}
static void boxes() { boxes_sum(0); }
static void boxes_unread() { boxes_sum(BOXES_SKIP_READERS); }
static void boxes_less() { boxes_sum(BOXES_EXPECT_LESS); }
static void boxes_before() { boxes_sum(BOXES_BEFORE); }
static void boxes_unaligned() { boxes_sum(BOXES_UNALIGNED); }
static void boxes_unexpected() { boxes_sum(BOXES_UNEXPECTED); }
static void boxes_left() { boxes_sum(BOXES_LEFT); }

/* Half of the block copies, the other half waits for it: the first goes on to a barrier meanwhile. */
__global__ static void halves_kernel(const int *x, int *sum)
{
    __shared__ int plane[4 * THREADS];
    __shared__ mbarrier there;
    const int t = (int)threadIdx.x, half = THREADS / 2;
    if (t == 0) mbarrier_make(&there, half);
    __syncthreads();
    if (t < half) {
        copy_piece(&plane[4 * t], &x[4 * t]);
        copies_arrive(&there);
    } else {
        mbarrier_wait(&there, 0);
        sum[t - half] = plane[4 * (t - half)];
    }
    __syncthreads();
    if (t >= half) sum[t] = t;
}
static void halves()
{
    int *const x = zeros(N), *const sum = zeros(THREADS);
    count(x, 0);
    SF_LAUNCH_BLOCKS(halves_kernel, dim3(1), dim3(THREADS), 0, 0, x, sum);
    const std::vector<int> v = values(sum, THREADS);
    for (int t = 0; t < THREADS; t++) expect(v[(size_t)t] == (t < THREADS / 2 ? 4 * t + 1 : t));
}

static void tiles() { tiles_sum(1); }
static void tiles_unwaited() { tiles_sum(0); }

/* Three lanes: a part comes in, is computed and goes out, while the next one comes; `waits`: bits of the events that are waited
 * for, 8: the last sync. */
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
    const auto create = driver("cuMemCreate", (CUresult(*)(CUmemGenericAllocationHandle *, size_t, const void *, unsigned long long))0);
    const auto reserve = driver("cuMemAddressReserve", (CUresult(*)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long))0);
    const auto map = driver("cuMemMap", (CUresult(*)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long))0);
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at;
    drive(create(&handle, PAGE, NULL, 0));
    drive(reserve(&at, pieces * PAGE, 0, 0, 0));
    for (size_t n = 0; n < mapped; n++) drive(map(at + n * PAGE, PAGE, 0, handle, 0));
    drive(driver("cuMemRelease", (CUresult(*)(CUmemGenericAllocationHandle))0)(handle));
    drive(driver("cuMemSetAccess", (CUresult(*)(CUdeviceptr, size_t, const void *, size_t))0)(at, pieces * PAGE, NULL, 1));
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

__global__ static void put_kernel(int *x, int turn, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) x[i] = turn * n + i;
}
__global__ static void take_kernel(int *to, const int *x, int turn, int n)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) to[turn * n + i] = x[i];
}

struct offer {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t taken;
};

/* The other end of a pipe that is closed ends this process too. */
struct peer {
    int in, out;

    template <class T> void tell(const T &x) const
    {
        if (write(out, &x, sizeof x) != (ssize_t)sizeof x) exit(4);
    }
    template <class T> T hear() const
    {
        T x;
        if (read(in, &x, sizeof x) != (ssize_t)sizeof x) exit(4);
        return x;
    }
};

static const int TURNS = 20, BLOCK = 2 << 20;
static const char word = 1;

static cudaEvent_t event_make(cudaIpcEventHandle_t *handle)
{
    cudaEvent_t e;
    CALL(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | cudaEventInterprocess));
    CALL(cudaIpcGetEventHandle(handle, e));
    return e;
}

/* Writes into the other's memory. */
static void sender_run(const struct peer &other, int waits)
{
    const struct offer at = other.hear<struct offer>();
    const cudaStream_t s = stream_make();
    cudaIpcEventHandle_t handle;
    cudaEvent_t taken;
    void *memory, *again;
    CALL(cudaIpcOpenMemHandle(&memory, at.memory, cudaIpcMemLazyEnablePeerAccess));
    CALL(cudaIpcOpenMemHandle(&again, at.memory, cudaIpcMemLazyEnablePeerAccess));
    CALL(cudaIpcOpenEventHandle(&taken, at.taken));
    const cudaEvent_t filled = event_make(&handle);
    other.tell(handle);
    for (int turn = 0; turn < TURNS && again == memory; turn++) {
        if (turn) other.hear<char>();
        if (waits & 2) CALL(cudaStreamWaitEvent(s, taken, 0));
        SF_LAUNCH(put_kernel, dim3(BLOCKS), dim3(THREADS), s, (int *)memory, turn, N);
        CALL(cudaEventRecord(filled, s));
        other.tell(word);
    }
    CALL(cudaStreamSynchronize(s));
    if (waits & 4) CALL(cudaIpcCloseMemHandle(again));
    CALL(cudaIpcCloseMemHandle(memory));
    CALL(cudaEventDestroy(taken));
    other.tell(word);
    other.hear<char>();
    CALL(cudaEventDestroy(filled));
    CALL(cudaStreamDestroy(s));
}

static void receiver_run(const struct peer &other, int waits)
{
    const cudaStream_t s = stream_make();
    int *const x = zeros(BLOCK / sizeof(int)), *const to = zeros((size_t)TURNS * N);
    struct offer at;
    cudaEvent_t filled;
    CALL(cudaIpcGetMemHandle(&at.memory, x));
    const cudaEvent_t taken = event_make(&at.taken);
    other.tell(at);
    CALL(cudaIpcOpenEventHandle(&filled, other.hear<cudaIpcEventHandle_t>()));
    for (int turn = 0; turn < TURNS; turn++) {
        other.hear<char>();
        if (waits & 1) CALL(cudaStreamWaitEvent(s, filled, 0));
        SF_LAUNCH(take_kernel, dim3(BLOCKS), dim3(THREADS), s, to, x, turn, N);
        CALL(cudaEventRecord(taken, s));
        if (turn + 1 < TURNS) other.tell(word);
    }
    const std::vector<int> v = values(to, (size_t)TURNS * N);
    for (int i = 0; i < TURNS * N; i++) expect(v[(size_t)i] == i);
    other.hear<char>();
    CALL(cudaEventDestroy(filled));
    CALL(cudaFree(x));
    other.tell(word);
    CALL(cudaEventDestroy(taken));
    CALL(cudaStreamDestroy(s));
}

/* `waits`: bits of what is waited for: rows that are there, rows that were taken; 4: what was opened is closed. */
static void peers_run(int waits)
{
    int to[2], from[2];
    if (pipe(to) || pipe(from)) exit(4);
    if (fork() == 0) {
        close(to[1]), close(from[0]);
        sender_run({to[0], from[1]}, waits);
        _exit(0);
    }
    close(to[0]), close(from[1]);
    receiver_run({from[0], to[1]}, waits);
}

static void peers() { peers_run(7); }
static void peers_take_early() { peers_run(6); }
static void peers_put_early() { peers_run(5); }
static void peers_free_early() { peers_run(3); }
static void peers_beside()
{
    cudaIpcMemHandle_t handle;
    CALL(cudaIpcGetMemHandle(&handle, zeros(N)));
}

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

#define SCENE(name) {#name, name}
static const struct {
    const char *name;
    void (*run)();
} scenes[] = {SCENE(plain), SCENE(places), SCENE(blocks), SCENE(votes), SCENE(tiles), SCENE(tiles_unwaited), SCENE(ring), SCENE(ring_uncopied),
              SCENE(ring_unread), SCENE(ring_never),
              SCENE(ring_unmade), SCENE(boxes), SCENE(boxes_unread), SCENE(boxes_less), SCENE(boxes_before),
              SCENE(boxes_unaligned), SCENE(boxes_unexpected), SCENE(boxes_left), SCENE(halves), SCENE(lanes),
              SCENE(lanes_in_early), SCENE(lanes_compute_early), SCENE(lanes_out_early), SCENE(lanes_look_early),
              SCENE(pageable), SCENE(table), SCENE(room), SCENE(clock), SCENE(race_of_blocks), SCENE(race_of_threads),
              SCENE(barriers), SCENE(no_barrier), SCENE(divergence), SCENE(barrier_of_plain), SCENE(overrun),
              SCENE(overrun_by_one), SCENE(underrun), SCENE(underrun_by_one), SCENE(shared_overrun), SCENE(host_reads),
              SCENE(host_writes), SCENE(host_pointer), SCENE(freed), SCENE(copy_overrun), SCENE(copy_of_host),
              SCENE(shared_too_large), SCENE(grid_of_nothing), SCENE(sticky), SCENE(nothing_is_nan),
              SCENE(peers), SCENE(peers_take_early), SCENE(peers_put_early), SCENE(peers_free_early), SCENE(peers_beside),
              SCENE(folds), SCENE(fold_of_host), SCENE(fold_overrun), SCENE(fold_unmapped)};

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
