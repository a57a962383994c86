/* The emulated GPU's runtime: memory, streams and events. How kernels run: kernel.cc. SPDX-License-Identifier: MIT */
#include "emulate.h"

#include <cuda.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if EMULATE_SANITIZED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

namespace {

const size_t PAGE = 4096, GUARD = 1 << 16, ALIGN = 256;
const size_t SPACE = (size_t)1 << 38; /* addresses, most of them never used: what was freed is not given out again */
const size_t HIDDEN = (size_t)1 << 32; /* the last of them stand for addresses of the host in kernels */
const int NAN_BYTE = 0xff;

enum kind { DEVICE, MANAGED, PINNED, FOLDED };

struct allocation {
    char *at;
    size_t bytes;
    char *pages;
    size_t page_bytes;
    enum kind kind;
    size_t memory; /* bytes; of FOLDED fewer than those that have addresses */

    bool is_hidden() const { return kind == DEVICE || kind == FOLDED; }
};

/* Memory of the driver's, and addresses for it. */
struct physical {
    int file;
    size_t bytes;
    int uses; /* handles and mappings */
};
struct reservation {
    size_t bytes;
    std::map<char *, CUmemGenericAllocationHandle> mapped;
};

struct mark {
    bool is_done = false;
    double time = 0;
};

struct work {
    std::function<void()> run;
    std::shared_ptr<mark> awaited, made;
};

std::recursive_mutex lock;
struct {
    bool is_open;
    char *space;
    size_t used;
    int devices, device;
    size_t memory, taken;
    std::string fail_call;
    long fail_at, fail_seen;
    bool has_races, has_trace, has_folds;
    cudaError_t sticky, last;
    int gates;
    struct sigaction fault_before;
} gpu;
std::mt19937 generator;
std::map<char *, allocation> &allocations = *new std::map<char *, allocation>; /* by first byte */
std::map<CUmemGenericAllocationHandle, physical> &physicals = *new std::map<CUmemGenericAllocationHandle, physical>;
std::map<char *, reservation> &reservations = *new std::map<char *, reservation>;
std::map<char *, size_t> &registered = *new std::map<char *, size_t>;
std::map<const void *, const char *> &names = *new std::map<const void *, const char *>; /* of kernels that were launched */
std::map<const void *, size_t> &shared_limit = *new std::map<const void *, size_t>;
/* For ever: what a program leaves to its end is no leak. */
std::vector<CUstream_st *> &streams = *new std::vector<CUstream_st *>;
std::set<const CUevent_st *> &events = *new std::set<const CUevent_st *>;

double seconds_now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

} // namespace

struct CUstream_st {
    unsigned flags = 0;
    std::deque<work> queue;
};
struct CUevent_st {
    unsigned flags = 0;
    std::shared_ptr<mark> last;
};

void emulate_stop(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fputs("emulated GPU: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

unsigned emulate_random(unsigned below) { return below ? (unsigned)(generator() % below) : 0; }

namespace {

/* ---- errors ---- */

cudaError_t wrong(cudaError_t e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("emulated GPU: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return gpu.last = e;
}

bool is_to_fail(const char *call)
{
    return !gpu.fail_call.empty() && gpu.fail_call == call && ++gpu.fail_seen == gpu.fail_at;
}

/* ---- where memory is ---- */

bool is_in_space(const void *p) { return (const char *)p >= gpu.space && (const char *)p < gpu.space + SPACE; }

/* The allocation that holds p, or else the last one that begins before it. */
const allocation *allocation_near(const void *p)
{
    auto a = allocations.upper_bound((char *)p);
    return a == allocations.begin() ? nullptr : &(--a)->second;
}

const allocation *allocation_of(const void *p)
{
    const allocation *a = allocation_near(p);
    return a && (const char *)p < a->at + a->bytes ? a : nullptr;
}

bool is_pinned(const void *p, size_t bytes)
{
    const allocation *a = allocation_of(p);
    if (a) return !a->is_hidden();
    auto r = registered.upper_bound((char *)p);
    if (r == registered.begin()) return false;
    --r;
    return (const char *)p + bytes <= r->first + r->second;
}

void fault(int number, siginfo_t *info, void *)
{
    char text[512], where[128] = "no memory of the device";
    const allocation *a = is_in_space(info->si_addr) ? allocation_near(info->si_addr) : nullptr;
    const char *what = a && a->kind == MANAGED ? "a table" : a && a->kind == PINNED ? "pinned memory" : "memory of the device";
    if (is_in_space(info->si_addr) && (char *)info->si_addr >= gpu.space + SPACE - HIDDEN)
        snprintf(where, sizeof where, "an address of the host");
    else if (a)
        snprintf(where, sizeof where, "byte %td of %zu of %s", (char *)info->si_addr - a->at, a->bytes, what);
    const char *kernel = emulate_where(text, sizeof text);
    char line[1024];
    const int n = snprintf(line, sizeof line, "emulated GPU: %s touches address %p: %s\n", kernel ? kernel : "the host", info->si_addr,
                           where);
    if ((kernel || is_in_space(info->si_addr)) && write(2, line, (size_t)n)) {}
    sigaction(number, &gpu.fault_before, nullptr); /* and again, as if there had been no handler */
}

void faults_watch()
{
    static char stack[1 << 16];
    stack_t alternative = {}, before = {};
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    if (!sigaltstack(nullptr, &before) && (before.ss_flags & SS_DISABLE)) sigaltstack(&alternative, nullptr);
    struct sigaction a = {};
    a.sa_sigaction = fault;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &a, &gpu.fault_before);
}

double number_of(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atof(text) : otherwise;
}

void open_once()
{
    if (gpu.is_open) return;
    gpu.is_open = true;
    gpu.devices = (int)number_of("EMULATE_DEVICES", 1);
    gpu.memory = (size_t)number_of("EMULATE_MEMORY", 4294967296.0);
    gpu.has_races = number_of("EMULATE_RACES", 0) > 0;
    gpu.has_folds = number_of("EMULATE_FOLDS", 1) > 0;
    gpu.has_trace = number_of("EMULATE_TRACE", 0) > 0;
    generator.seed((unsigned)number_of("EMULATE_SEED", 1));
    const char *fail = getenv("EMULATE_FAIL"), *at = fail ? strchr(fail, ':') : nullptr;
    if (at) {
        gpu.fail_call.assign(fail, at);
        gpu.fail_at = atol(at + 1);
    }
    void *space = mmap(nullptr, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) emulate_stop("no addresses for its memory: %s", strerror(errno));
    madvise(space, SPACE, MADV_DONTDUMP);
    gpu.space = (char *)space;
    gpu.used = SPACE / 4; /* pointers into what lies before the first are the device's too */
    faults_watch();
}

cudaError_t entered(const char *call)
{
    open_once();
    if (gpu.devices < 1) return gpu.last = cudaErrorNoDevice;
    if (is_to_fail(call)) gpu.sticky = cudaErrorIllegalAddress;
    return gpu.sticky;
}

#define ENTER                                              \
    std::lock_guard<std::recursive_mutex> locked(lock);    \
    if (cudaError_t e_ = entered(__func__)) return e_

/* ---- memory ---- */

void slack_check(const allocation &a, const char *when)
{
    if (EMULATE_SANITIZED) return;
    for (const char *p = a.pages; p < a.pages + a.page_bytes; p++) {
        if (p == a.at) p += a.bytes;
        if (p < a.pages + a.page_bytes && (unsigned char)*p != NAN_BYTE)
            emulate_stop("%s wrote byte %td of an allocation of %zu bytes", when, p - a.at, a.bytes);
    }
}

/* The device's memory, open while it works. */
struct gate {
    gate()
    {
        if (gpu.gates++ == 0) protect(PROT_READ | PROT_WRITE);
    }
    ~gate()
    {
        if (--gpu.gates == 0) protect(PROT_NONE);
    }
    static void protect(int how)
    {
        for (auto &a : allocations)
            if (a.second.is_hidden() && mprotect(a.second.pages, a.second.page_bytes, how))
                emulate_stop("mprotect: %s", strerror(errno));
    }
};

cudaError_t take(void **memory, size_t bytes, enum kind kind)
{
    *memory = nullptr;
    if (kind != PINNED && bytes > gpu.memory - gpu.taken) return gpu.last = cudaErrorMemoryAllocation;
    if (bytes == 0) return cudaSuccess;
    const size_t rounded = (bytes + ALIGN - 1) / ALIGN * ALIGN, pages = (rounded + PAGE - 1) / PAGE * PAGE;
    if (gpu.used + pages + 2 * GUARD > SPACE - HIDDEN) emulate_stop("its addresses are used up");
    allocation a = {nullptr, bytes, gpu.space + gpu.used + GUARD, pages, kind, bytes};
    a.at = a.pages + pages - rounded;
    gpu.used += pages + GUARD;
    if (mprotect(a.pages, pages, PROT_READ | PROT_WRITE)) return gpu.last = cudaErrorMemoryAllocation;
    memset(a.pages, NAN_BYTE, pages);
    ASAN_POISON_MEMORY_REGION(a.pages, (size_t)(a.at - a.pages));
    ASAN_POISON_MEMORY_REGION(a.at + bytes, (size_t)(a.pages + pages - (a.at + bytes)));
    if (kind == DEVICE && !gpu.gates) mprotect(a.pages, pages, PROT_NONE);
    if (kind != PINNED) gpu.taken += bytes;
    allocations[a.at] = a;
    *memory = a.at;
    return cudaSuccess;
}

cudaError_t give(void *memory, bool is_pinned_call)
{
    if (!memory) return cudaSuccess;
    auto found = allocations.find((char *)memory);
    if (found == allocations.end() || found->second.kind == FOLDED || (found->second.kind == PINNED) != is_pinned_call)
        return wrong(cudaErrorInvalidValue, "%p is freed, and is no allocation", memory);
    const allocation a = found->second;
    {
        gate open;
        slack_check(a, "what ran before a free");
    }
    if (a.kind != PINNED) gpu.taken -= a.bytes;
    allocations.erase(found);
    /* Out of everyone's reach for ever, and given back to the system. */
    if (mmap(a.pages, a.page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        emulate_stop("mmap: %s", strerror(errno));
    return cudaSuccess;
}

/* ---- running what was put into streams ---- */

bool can_run(const CUstream_st *s) { return !s->queue.empty() && (!s->queue.front().awaited || s->queue.front().awaited->is_done); }

void front_run(CUstream_st *s)
{
    const work w = std::move(s->queue.front());
    s->queue.pop_front();
    if (w.run && !gpu.sticky) w.run();
    if (w.made) {
        w.made->is_done = true;
        w.made->time = seconds_now();
    }
}

/* One piece of work of any stream, of `first` if there is one and it can; false: there is none. */
bool any_run(CUstream_st *first)
{
    if (first && can_run(first)) {
        front_run(first);
        return true;
    }
    std::vector<CUstream_st *> able;
    for (CUstream_st *s : streams)
        if (can_run(s)) able.push_back(s);
    if (able.empty()) return false;
    front_run(able[emulate_random((unsigned)able.size())]);
    return true;
}

/* Until what is waited for has come; streams in random turns, or the one that is waited for first and no others, or last. */
template <class done> void run_until(const done &is_done, CUstream_st *waited)
{
    if (is_done()) return;
    gate open;
    const unsigned way = emulate_random(3);
    while (way == 0 && !is_done()) {
        std::vector<CUstream_st *> others;
        for (CUstream_st *s : streams)
            if (s != waited && can_run(s)) others.push_back(s);
        if (others.empty()) break;
        front_run(others[emulate_random((unsigned)others.size())]);
    }
    while (!is_done())
        if (!any_run(way == 1 ? waited : nullptr)) emulate_stop("all streams wait for each other");
}

/* The device works while the host does: at any call it may have gone on a little. */
void run_some()
{
    if (emulate_random(8)) return;
    gate open;
    for (unsigned n = emulate_random(4); n > 0 && any_run(nullptr);) n--;
}

cudaError_t stream_check(const CUstream_st *s)
{
    for (const CUstream_st *x : streams)
        if (x == s) return cudaSuccess;
    return wrong(cudaErrorInvalidResourceHandle, "%p is no stream", (const void *)s);
}

/* The default stream runs behind all streams that do not say that they care for none. */
void default_wait()
{
    run_until(
        [] {
            for (const CUstream_st *s : streams)
                if (!(s->flags & cudaStreamNonBlocking) && !s->queue.empty()) return false;
            return true;
        },
        nullptr);
}

cudaError_t put(CUstream_st *s, work w)
{
    if (!s) {
        default_wait();
        gate open;
        if (w.awaited) run_until([&] { return w.awaited->is_done; }, nullptr);
        if (w.run && !gpu.sticky) w.run();
        if (w.made) w.made->is_done = true, w.made->time = seconds_now();
        return cudaSuccess;
    }
    if (cudaError_t e = stream_check(s)) return e;
    s->queue.push_back(std::move(w));
    run_some();
    return cudaSuccess;
}

/* ---- copies ---- */

/* One end of a copy: on the device it lies within one allocation. */
cudaError_t range_check(const void *p, size_t bytes, bool is_device, const char *what)
{
    const allocation *a = allocation_of(p);
    if (is_device && (!a || a->kind == PINNED))
        return wrong(cudaErrorInvalidValue, "a copy %s %p: no memory of the device", what, p);
    if (!is_device && (a ? a->is_hidden() : is_in_space(p)))
        return wrong(cudaErrorInvalidValue, "a copy %s %p: no memory of the host", what, p);
    if (a && (const char *)p + bytes > a->at + a->bytes)
        return wrong(cudaErrorInvalidValue, "a copy of %zu bytes %s byte %td of an allocation of %zu", bytes, what,
                     (const char *)p - a->at, a->bytes);
    return cudaSuccess;
}

bool is_device_memory(const void *p)
{
    const allocation *a = allocation_of(p);
    return a && a->kind != PINNED;
}

cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, CUstream_st *s, bool is_async)
{
    if (!bytes) return cudaSuccess;
    const bool to_device = kind == cudaMemcpyDefault ? is_device_memory(to)
                                                     : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDefault ? is_device_memory(from)
                                                       : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (cudaError_t e = range_check(to, bytes, to_device, "to")) return e;
    if (cudaError_t e = range_check(from, bytes, from_device, "from")) return e;
    const bool is_late_out = to_device || is_pinned(to, bytes), is_late_in = from_device || is_pinned(from, bytes);
    work w;
    if (is_late_in || !is_async) {
        w.run = [=] {
            if (gpu.has_trace) fprintf(stderr, "emulated GPU: copy of %zu bytes to %p from %p\n", bytes, to, from);
            memmove(to, from, bytes);
        };
    } else { /* pageable memory may be changed as soon as the call returns */
        std::shared_ptr<std::vector<char>> staged(new std::vector<char>((const char *)from, (const char *)from + bytes));
        w.run = [=] { memcpy(to, staged->data(), bytes); };
    }
    const cudaError_t e = put(s, std::move(w));
    if (!e && s && (!is_async || !is_late_out)) run_until([=] { return s->queue.empty(); }, s);
    return e;
}

cudaError_t clear(void *to, int value, size_t bytes, CUstream_st *s)
{
    if (!bytes) return cudaSuccess;
    if (cudaError_t e = range_check(to, bytes, true, "to")) return e;
    work w;
    w.run = [=] { memset(to, value, bytes); };
    return put(s, std::move(w));
}

/* ---- kernels ---- */

typedef std::vector<std::vector<char>> picture;

picture picture_take()
{
    picture p;
    for (auto &a : allocations)
        if (a.second.kind != PINNED) p.emplace_back(a.second.at, a.second.at + a.second.memory);
    return p;
}

void picture_put(const picture &p)
{
    size_t n = 0;
    for (auto &a : allocations)
        if (a.second.kind != PINNED) memcpy(a.second.at, p[n].data(), p[n].size()), n++;
}

void kernel_run(const emulate_launch &l)
{
    if (gpu.has_trace)
        fprintf(stderr, "emulated GPU: %s<<<(%u, %u, %u), (%u, %u, %u)>>>\n", l.name, l.grid.x, l.grid.y, l.grid.z, l.block.x,
                l.block.y, l.block.z);
    if (is_to_fail("kernel")) {
        gpu.sticky = cudaErrorLaunchFailure;
        return;
    }
    picture before, once;
    if (gpu.has_races) before = picture_take();
    emulate_grid_run(l);
    if (gpu.has_races) {
        once = picture_take();
        picture_put(before);
        emulate_grid_run(l);
        size_t n = 0;
        for (auto &a : allocations) {
            if (a.second.kind == PINNED) continue;
            const std::vector<char> &x = once[n++];
            for (size_t m = 0; m < x.size(); m++)
                if (x[m] != a.second.at[m])
                    emulate_stop("kernel %s leaves other bits in another order, the first in byte %zu of %zu of an allocation", l.name,
                                 m, x.size());
        }
    }
    for (auto &a : allocations) slack_check(a.second, l.name);
}

cudaError_t launch_check(const emulate_launch &l)
{
    const size_t threads = (size_t)l.block.x * l.block.y * l.block.z;
    if (!l.grid.x || !l.grid.y || !l.grid.z || l.grid.x > 0x7fffffffu || l.grid.y > 65535 || l.grid.z > 65535 || threads < 1 ||
        threads > EMULATE_THREADS || l.block.z > 64)
        return wrong(cudaErrorInvalidConfiguration, "kernel %s: grid (%u, %u, %u), block (%u, %u, %u)", l.name, l.grid.x, l.grid.y,
                     l.grid.z, l.block.x, l.block.y, l.block.z);
    const auto limit = shared_limit.find(l.kernel);
    if (l.shared_bytes > (limit == shared_limit.end() ? EMULATE_SHARED_ALWAYS : limit->second))
        return wrong(cudaErrorInvalidValue, "kernel %s: %zu bytes of shared memory, more than it was allowed", l.name,
                     l.shared_bytes);
    return cudaSuccess;
}

} // namespace

void emulate_enqueue(emulate_launch l, void *stream)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    if (entered("launch") || launch_check(l)) return;
    names[l.kernel] = l.name;
    work w;
    w.run = [l = std::move(l)] { kernel_run(l); };
    put((CUstream_st *)stream, std::move(w));
}

/* Does it look like an address, and not like two small numbers, or a number beside what was left in its padding? */
bool is_address_like(uintptr_t word)
{
    const uintptr_t lowest = (uintptr_t)0x5000 << 32, low = (uint32_t)word, small = 1 << 20;
    return word >= lowest && word >> 48 == 0 && low >= small && low <= UINT32_MAX - small;
}

/* Addresses of the host become such as nobody may touch: a kernel may be given them, and not use them. What is mapped is taken for
 * an address. */
void emulate_hide(void *parameter, size_t bytes)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    open_once();
    for (size_t at = 0; at + sizeof(uintptr_t) <= bytes; at += sizeof(uintptr_t)) {
        uintptr_t word;
        unsigned char is_there;
        memcpy(&word, (const char *)parameter + at, sizeof word);
        if (!is_address_like(word) || is_in_space((void *)word) || is_pinned((void *)word, 1)) continue;
        if (mincore((void *)(word / PAGE * PAGE), 1, &is_there)) continue;
        word = (uintptr_t)gpu.space + SPACE - HIDDEN / 2 + word % PAGE;
        memcpy((char *)parameter + at, &word, sizeof word);
    }
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    open_once();
    *count = gpu.devices;
    return gpu.devices > 0 ? cudaSuccess : gpu.last = cudaErrorNoDevice;
}

cudaError_t cudaSetDevice(int device)
{
    ENTER;
    if (device < 0 || device >= gpu.devices) return wrong(cudaErrorInvalidDevice, "there is no device %d", device);
    gpu.device = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    ENTER;
    *device = gpu.device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    ENTER;
    if (device < 0 || device >= gpu.devices) return wrong(cudaErrorInvalidDevice, "there is no device %d", device);
    *p = cudaDeviceProp{};
    snprintf(p->name, sizeof p->name, "emulated GPU");
    p->totalGlobalMem = gpu.memory;
    p->sharedMemPerBlock = EMULATE_SHARED_ALWAYS;
    p->sharedMemPerBlockOptin = EMULATE_SHARED_MOST;
    p->sharedMemPerMultiprocessor = 228 << 10;
    p->major = 9;
    p->multiProcessorCount = 4;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = 32;
    p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = EMULATE_THREADS;
    p->maxThreadsDim[2] = 64;
    p->maxThreadsPerMultiProcessor = 2048;
    p->maxBlocksPerMultiProcessor = 32;
    p->maxGridSize[0] = 0x7fffffff;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->l2CacheSize = 50 << 20;
    p->persistingL2CacheMaxSize = 32 << 20;
    p->memoryBusWidth = 5120;
    p->concurrentManagedAccess = p->managedMemory = 1;
    p->asyncEngineCount = 3;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp p;
    if (cudaError_t e = cudaGetDeviceProperties(&p, device)) return e;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)p.sharedMemPerBlock; break;
    case cudaDevAttrClockRate: *value = 1000000; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrMemoryClockRate: *value = 1000000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = (int)p.sharedMemPerMultiprocessor; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrConcurrentManagedAccess: *value = p.concurrentManagedAccess; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)p.sharedMemPerBlockOptin; break;
    default: return wrong(cudaErrorInvalidValue, "attribute %d is not emulated", (int)attribute);
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    ENTER;
    run_until(
        [] {
            for (const CUstream_st *s : streams)
                if (!s->queue.empty()) return false;
            return true;
        },
        nullptr);
    return gpu.sticky;
}

cudaError_t cudaDriverGetVersion(int *version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { return *version = 13000, cudaSuccess; }

cudaError_t cudaPeekAtLastError(void)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    return gpu.sticky ? gpu.sticky : gpu.last;
}

cudaError_t cudaGetLastError(void)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    const cudaError_t e = gpu.sticky ? gpu.sticky : gpu.last;
    gpu.last = cudaSuccess;
    return e;
}

const char *cudaGetErrorName(cudaError_t e)
{
    switch (e) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle: return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorHostMemoryAlreadyRegistered: return "cudaErrorHostMemoryAlreadyRegistered";
    case cudaErrorHostMemoryNotRegistered: return "cudaErrorHostMemoryNotRegistered";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    }
    return "cudaErrorUnknown";
}

const char *cudaGetErrorString(cudaError_t e)
{
    switch (e) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorHostMemoryAlreadyRegistered: return "part or all of the requested memory range is already mapped";
    case cudaErrorHostMemoryNotRegistered: return "pointer does not correspond to a registered memory region";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    }
    return "unknown error";
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    ENTER;
    return take(memory, bytes, DEVICE);
}

cudaError_t cudaFree(void *memory)
{
    if (cudaError_t e = cudaDeviceSynchronize()) return e;
    ENTER;
    return give(memory, false);
}

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned)
{
    ENTER;
    return take(memory, bytes, MANAGED);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes) { return cudaHostAlloc(memory, bytes, cudaHostAllocDefault); }

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
    ENTER;
    return take(memory, bytes, PINNED);
}

cudaError_t cudaFreeHost(void *memory)
{
    if (cudaError_t e = cudaDeviceSynchronize()) return e;
    ENTER;
    return give(memory, true);
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned)
{
    ENTER;
    if (!bytes || is_in_space(memory)) return wrong(cudaErrorInvalidValue, "%zu bytes at %p cannot be pinned", bytes, memory);
    for (auto &r : registered)
        if (r.first < (char *)memory + bytes && (char *)memory < r.first + r.second)
            return wrong(cudaErrorHostMemoryAlreadyRegistered, "part of %zu bytes at %p is pinned already", bytes, memory);
    registered[(char *)memory] = bytes;
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    ENTER;
    if (!registered.erase((char *)memory)) return wrong(cudaErrorHostMemoryNotRegistered, "%p is not pinned", memory);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    ENTER;
    *free = gpu.memory - gpu.taken;
    *total = gpu.memory;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    ENTER;
    return copy(to, from, bytes, kind, nullptr, false);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s)
{
    ENTER;
    return copy(to, from, bytes, kind, s, true);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    ENTER;
    return clear(to, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t s)
{
    ENTER;
    return clear(to, value, bytes, s);
}

/* ---- the driver: memory at several addresses ---- */

namespace {

CUresult said(CUresult r, const char *what)
{
    fprintf(stderr, "emulated GPU: %s\n", what);
    return r;
}

#define ENTER_DRIVER                                       \
    std::lock_guard<std::recursive_mutex> locked(lock);    \
    if (entered(__func__)) return CUDA_ERROR_LAUNCH_FAILED

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice)
{
    ENTER_DRIVER;
    if (attribute != CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) return said(CUDA_ERROR_INVALID_VALUE, "an unknown attribute");
    *value = gpu.has_folds;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *grain, const CUmemAllocationProp *, CUmemAllocationGranularity_flags)
{
    ENTER_DRIVER;
    *grain = PAGE;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *, unsigned long long)
{
    static CUmemGenericAllocationHandle last;
    ENTER_DRIVER;
    if (!bytes || bytes % PAGE) return said(CUDA_ERROR_INVALID_VALUE, "memory that is no multiple of the granularity");
    if (bytes > gpu.memory - gpu.taken) return CUDA_ERROR_OUT_OF_MEMORY;
    const physical p = {memfd_create("emulated GPU", MFD_CLOEXEC), bytes, 1};
    if (p.file < 0 || ftruncate(p.file, (off_t)bytes)) emulate_stop("memfd_create: %s", strerror(errno));
    void *const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p.file, 0);
    if (at == MAP_FAILED) emulate_stop("mmap: %s", strerror(errno));
    memset(at, NAN_BYTE, bytes);
    munmap(at, bytes);
    gpu.taken += bytes;
    physicals[*handle = ++last] = p;
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    ENTER_DRIVER;
    auto found = physicals.find(handle);
    if (found == physicals.end()) return said(CUDA_ERROR_INVALID_VALUE, "memory is released twice");
    if (--found->second.uses) return CUDA_SUCCESS;
    gpu.taken -= found->second.bytes;
    close(found->second.file);
    physicals.erase(found);
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *at, size_t bytes, size_t, CUdeviceptr, unsigned long long)
{
    ENTER_DRIVER;
    if (!bytes || bytes % PAGE) return said(CUDA_ERROR_INVALID_VALUE, "addresses that are no multiple of the granularity");
    if (gpu.used + bytes + 2 * GUARD > SPACE - HIDDEN) emulate_stop("its addresses are used up");
    char *const first = gpu.space + gpu.used + GUARD;
    gpu.used += bytes + GUARD;
    reservations[first] = {bytes, {}};
    *at = (CUdeviceptr)(size_t)first;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes)
{
    ENTER_DRIVER;
    auto found = reservations.find((char *)(size_t)at);
    if (found == reservations.end() || found->second.bytes != bytes || !found->second.mapped.empty())
        return said(CUDA_ERROR_INVALID_VALUE, "addresses are given back that were not taken, or have memory");
    reservations.erase(found);
    return CUDA_SUCCESS;
}

/* The range of addresses that begins at `at` or before it. */
std::map<char *, reservation>::iterator reservation_of(CUdeviceptr at)
{
    auto r = reservations.upper_bound((char *)(size_t)at);
    return r == reservations.begin() ? reservations.end() : --r;
}

CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long)
{
    ENTER_DRIVER;
    const auto r = reservation_of(at);
    const auto p = physicals.find(handle);
    char *const to = (char *)(size_t)at;
    if (r == reservations.end() || p == physicals.end() || offset || bytes != p->second.bytes || to + bytes > r->first + r->second.bytes ||
        (to - r->first) % (ptrdiff_t)bytes || r->second.mapped.count(to) ||
        (!r->second.mapped.empty() && r->second.mapped.begin()->second != handle))
        return said(CUDA_ERROR_INVALID_VALUE, "memory is mapped where it cannot be");
    if (mmap(to, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, p->second.file, 0) == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    r->second.mapped[to] = handle;
    p->second.uses++;
    return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr at, size_t bytes)
{
    if (cudaDeviceSynchronize()) return CUDA_ERROR_LAUNCH_FAILED;
    ENTER_DRIVER;
    const auto r = reservation_of(at);
    char *const to = (char *)(size_t)at;
    if (r == reservations.end() || !r->second.mapped.count(to) || physicals[r->second.mapped[to]].bytes != bytes)
        return said(CUDA_ERROR_INVALID_VALUE, "what is unmapped was not mapped");
    allocations.erase(r->first);
    if (mmap(to, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        emulate_stop("mmap: %s", strerror(errno));
    const CUmemGenericAllocationHandle handle = r->second.mapped[to];
    r->second.mapped.erase(to);
    return cuMemRelease(handle);
}

CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *, size_t count)
{
    ENTER_DRIVER;
    const auto r = reservation_of(at);
    char *const to = (char *)(size_t)at;
    if (count != 1 || r == reservations.end() || r->first != to || r->second.bytes != bytes || r->second.mapped.empty() ||
        r->second.mapped.size() * physicals[r->second.mapped.begin()->second].bytes != bytes)
        return said(CUDA_ERROR_INVALID_VALUE, "access to addresses that are not mapped all");
    allocations[to] = {to, bytes, to, bytes, FOLDED, physicals[r->second.mapped.begin()->second].bytes};
    if (gpu.gates) gate::protect(PROT_READ | PROT_WRITE);
    return CUDA_SUCCESS;
}

} // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long,
                                             enum cudaDriverEntryPointQueryResult *result)
{
#define KNOWN(call) {#call, (void *)call}
    static const std::map<std::string, void *> known = {
        KNOWN(cuDeviceGetAttribute), KNOWN(cuMemGetAllocationGranularity), KNOWN(cuMemCreate), KNOWN(cuMemRelease),
        KNOWN(cuMemAddressReserve), KNOWN(cuMemAddressFree), KNOWN(cuMemMap), KNOWN(cuMemUnmap), KNOWN(cuMemSetAccess)};
#undef KNOWN
    ENTER;
    const auto found = known.find(name);
    *function = found == known.end() ? nullptr : found->second;
    *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

/* ---- streams and events ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    ENTER;
    *s = new CUstream_st{flags, {}};
    streams.push_back(*s);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithFlags(s, cudaStreamDefault); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int) { return cudaStreamCreateWithFlags(s, flags); }
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) { return *least = 0, *greatest = -5, cudaSuccess; }

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    ENTER;
    if (!s) {
        default_wait();
        return gpu.sticky;
    }
    if (cudaError_t e = stream_check(s)) return e;
    run_until([=] { return s->queue.empty(); }, s);
    return gpu.sticky;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    if (cudaError_t e = cudaStreamSynchronize(s)) return e;
    ENTER;
    for (size_t n = 0; n < streams.size(); n++)
        if (streams[n] == s) streams.erase(streams.begin() + (ptrdiff_t)n);
    delete s;
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
    ENTER;
    if (s)
        if (cudaError_t e = stream_check(s)) return e;
    gate open;
    any_run(emulate_random(2) ? s : nullptr);
    return gpu.sticky ? gpu.sticky : s && !s->queue.empty() ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned)
{
    ENTER;
    if (!events.count(e)) return wrong(cudaErrorInvalidResourceHandle, "%p is no event", (void *)e);
    if (!e->last) return s ? stream_check(s) : cudaSuccess; /* never recorded: nothing to wait for */
    work w;
    w.awaited = e->last;
    return put(s, std::move(w));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t s, void (*function)(void *), void *data)
{
    ENTER;
    work w;
    w.run = [=] { function(data); };
    return put(s, std::move(w));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
    ENTER;
    *e = new CUevent_st{flags, nullptr};
    events.insert(*e);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    ENTER;
    if (!events.erase(e)) return wrong(cudaErrorInvalidResourceHandle, "%p is no event", (void *)e);
    delete e;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    ENTER;
    if (!events.count(e)) return wrong(cudaErrorInvalidResourceHandle, "%p is no event", (void *)e);
    e->last = std::make_shared<mark>();
    work w;
    w.made = e->last;
    return put(s, std::move(w));
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    ENTER;
    if (!events.count(e)) return wrong(cudaErrorInvalidResourceHandle, "%p is no event", (void *)e);
    if (e->last) run_until([=] { return e->last->is_done; }, nullptr);
    return gpu.sticky;
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    ENTER;
    if (!events.count(e)) return wrong(cudaErrorInvalidResourceHandle, "%p is no event", (void *)e);
    gate open;
    any_run(nullptr);
    return gpu.sticky ? gpu.sticky : e->last && !e->last->is_done ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    ENTER;
    if (!events.count(from) || !events.count(to)) return wrong(cudaErrorInvalidResourceHandle, "no events to measure between");
    if (!from->last || !to->last || ((from->flags | to->flags) & cudaEventDisableTiming))
        return wrong(cudaErrorInvalidResourceHandle, "events that have no time");
    if (!from->last->is_done || !to->last->is_done) return gpu.last = cudaErrorNotReady;
    *milliseconds = (float)(1e3 * (to->last->time - from->last->time));
    return cudaSuccess;
}

/* ---- kernels' attributes ---- */

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    ENTER;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || (size_t)value > EMULATE_SHARED_MOST)
        return wrong(cudaErrorInvalidValue, "%d bytes of shared memory for one block", value);
    shared_limit[kernel] = (size_t)value;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *kernel)
{
    ENTER;
    const auto limit = shared_limit.find(kernel);
    *a = cudaFuncAttributes{};
    a->maxThreadsPerBlock = EMULATE_THREADS;
    a->numRegs = 64;
    a->ptxVersion = a->binaryVersion = 90;
    a->maxDynamicSharedSizeBytes = (int)(limit == shared_limit.end() ? EMULATE_SHARED_ALWAYS : limit->second);
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *kernel)
{
    ENTER;
    const auto found = names.find(kernel);
    *name = found == names.end() ? "a kernel" : found->second;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int threads, size_t shared_bytes)
{
    ENTER;
    const int by_threads = threads > 0 ? 2048 / threads : 0, by_memory = (int)((228u << 10) / (shared_bytes + 1024));
    *blocks = by_threads < by_memory ? by_threads : by_memory;
    return cudaSuccess;
}
