/* Scenes of faults.cu: copies to shared memory behind the threads' backs, what waits for them, and boxes.
 * SPDX-License-Identifier: MIT */
#pragma once

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

/* Planes in a ring, which every thread copies words of, two turns ahead, and reads words of others of. What is skipped:
 * waits for copies, from the second turn on; waits for readers; one arrival; the making of one mbarrier. */
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

/* The same by boxes, which one thread asks for and all read; their last columns and rows are beyond the field. What is
 * wrong: readers are not waited for, fewer bytes are expected than come, boxes begin before the field, they go to a
 * place that is not aligned, nobody is told what comes, one comes that nobody waits for. */
enum { BOX_I = 32, BOX_ROWS = 4, BOX_TURNS = 20, FIELD_I = 40, FIELD_ROWS = 6, BOX_AT_I = 20, BOX_AT_ROW = 5 };
enum {
    BOXES_SKIP_READERS = 1,
    BOXES_EXPECT_LESS = 2,
    BOXES_BEFORE = 4,
    BOXES_UNALIGNED = 8,
    BOXES_UNEXPECTED = 16,
    BOXES_LEFT = 32
};
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
            box_copy(shared->ring[ahead % RING] + (wrongs & BOXES_UNALIGNED ? 4 : 0), &map,
                     wrongs & BOXES_BEFORE ? -4 : BOX_AT_I, ahead, BOX_AT_ROW, &shared->gate[ahead % RING]);
        }
        if (n >= 0) all += shared->ring[n % RING][t];
        if (reads)
            mbarrier_arrive(
                &shared->gate[ahead % RING]); /* the level whose place that of ahead + 2 takes has been read */
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
