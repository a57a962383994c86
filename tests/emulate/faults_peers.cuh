/* Scenes of faults.cu: two processes that write into each other's memory. SPDX-License-Identifier: MIT */
#pragma once

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
