/* The emulated GPU's runtime: devices, errors and launches. Memory: memory.cc; streams and events: streams.cc; other
 * processes: peers.cc; how kernels run: kernel.cc. SPDX-License-Identifier: MIT */
#include "emulate_parts.h"

#include <algorithm>
#include <random>

#include <stdarg.h>
#include <string.h>

#if EMULATE_SANITIZED
extern "C" int __sanitizer_get_ownership(const volatile void *p); /* gcc has no header of it */
#else
#define __sanitizer_get_ownership(p) ((void)(p), 0)
#endif

using namespace emulated;

namespace {

std::mt19937 generator;
std::map<const void *, const char *> &names =
    *new std::map<const void *, const char *>; /* of kernels that were launched */
std::map<const void *, size_t> &shared_limit = *new std::map<const void *, size_t>;

} // namespace

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

/* ---- errors ---- */

namespace {

bool is_to_fail(const char *call)
{
    return !gpu.fail_call.empty() && gpu.fail_call == call && ++gpu.fail_seen == gpu.fail_at;
}

double number_of(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atof(text) : otherwise;
}

} // namespace

namespace emulated {

std::recursive_mutex lock;
device gpu;

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

void open_once()
{
    if (gpu.is_open) return;
    gpu.is_open = true;
    gpu.devices = (int)number_of("EMULATE_DEVICES", 1);
    gpu.memory = (size_t)number_of("EMULATE_MEMORY", 4294967296.0);
    gpu.has_races = number_of("EMULATE_RACES", 0) > 0;
    gpu.has_folds = number_of("EMULATE_FOLDS", 1) > 0;
    gpu.opens = (long)number_of("EMULATE_PEERS", 1e9);
    gpu.has_trace = number_of("EMULATE_TRACE", 0) > 0;
    generator.seed((unsigned)number_of("EMULATE_SEED", 1));
    const char *fail = getenv("EMULATE_FAIL"), *at = fail ? strchr(fail, ':') : nullptr;
    if (at) {
        gpu.fail_call.assign(fail, at);
        gpu.fail_at = atol(at + 1);
    }
    memory_open();
}

cudaError_t entered(const char *call)
{
    open_once();
    if (gpu.devices < 1) return gpu.last = cudaErrorNoDevice;
    if (is_to_fail(call)) gpu.sticky = cudaErrorIllegalAddress;
    return gpu.sticky;
}

} // namespace emulated

namespace {

/* ---- kernels ---- */

/* What no other process writes meanwhile. */
bool is_in_picture(const allocation &a) { return a.kind != PINNED && !a.seen; }

/* What memory held before a kernel ran for the first time, and what that left in the pieces that it changed. */
struct picture {
    enum { PIECE = 1024 };
    struct piece {
        size_t at;
        char left[PIECE];
    };
    std::vector<char> before;
    std::vector<piece> changed;
};

/* Of all allocations in turn; for ever, as new memory takes longer than to fill it. */
std::vector<picture> &pictures = *new std::vector<picture>;

/* piece_call(P, A, AT, BYTES) of each piece of all allocations. */
template <class F> void pieces(F piece_call)
{
    size_t n = 0;
    for (auto &a : allocations) {
        if (!is_in_picture(a.second)) continue;
        if (pictures.size() <= n) pictures.emplace_back();
        picture &p = pictures[n++];
        for (size_t at = 0; at < a.second.memory; at += picture::PIECE)
            piece_call(p, a.second, at, std::min((size_t)picture::PIECE, a.second.memory - at));
    }
}

void pictures_take()
{
    pieces([](picture &p, const allocation &a, size_t at, size_t) {
        if (!at) p.before.assign(a.at, a.at + a.memory), p.changed.clear();
    });
}

/* What the kernel changed is kept, and is again as it was before. */
void pictures_put()
{
    pieces([](picture &p, const allocation &a, size_t at, size_t bytes) {
        if (!memcmp(a.at + at, &p.before[at], bytes)) return;
        p.changed.emplace_back();
        p.changed.back().at = at;
        memcpy(p.changed.back().left, a.at + at, bytes);
        memcpy(a.at + at, &p.before[at], bytes);
    });
}

/* A second run must leave what the first did, in what that changed and in all else. */
void pictures_compare(const char *name)
{
    size_t k = 0;
    pieces([&](picture &p, const allocation &a, size_t at, size_t bytes) {
        if (!at) k = 0;
        const bool has_changed = k < p.changed.size() && p.changed[k].at == at;
        const char *left = has_changed ? p.changed[k++].left : &p.before[at];
        if (!memcmp(left, a.at + at, bytes)) return;
        size_t m = 0;
        while (left[m] == a.at[at + m]) m++;
        emulate_stop("kernel %s leaves other bits in another order, the first in byte %zu of %zu of an allocation",
                     name, at + m, a.memory);
    });
}

void kernel_run(const emulate_launch &l)
{
    if (gpu.has_trace)
        fprintf(stderr, "emulated GPU: %s<<<(%u, %u, %u), (%u, %u, %u)>>>\n", l.name, l.grid.x, l.grid.y, l.grid.z,
                l.block.x, l.block.y, l.block.z);
    if (is_to_fail("kernel")) {
        gpu.sticky = cudaErrorLaunchFailure;
        return;
    }
    if (gpu.has_races) pictures_take();
    emulate_grid_run(l);
    if (gpu.has_races) {
        pictures_put();
        emulate_grid_run(l);
        pictures_compare(l.name);
    }
    for (auto &a : allocations) slack_check(a.second, l.name);
}

cudaError_t launch_check(const emulate_launch &l)
{
    const size_t threads = (size_t)l.block.x * l.block.y * l.block.z;
    if (!l.grid.x || !l.grid.y || !l.grid.z || l.grid.x > 0x7fffffffu || l.grid.y > 65535 || l.grid.z > 65535 ||
        threads < 1 || threads > EMULATE_THREADS || l.block.z > 64)
        return wrong(cudaErrorInvalidConfiguration, "kernel %s: grid (%u, %u, %u), block (%u, %u, %u)", l.name,
                     l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z);
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

namespace {

/* Does it look like an address, and not like two small numbers, or a number beside what was left in its padding?
 * AddressSanitizer's heap lies where two small numbers would, and knows what it has given. */
bool is_address_like(uintptr_t word)
{
    if (word && __sanitizer_get_ownership((const void *)word)) return true;
    const uintptr_t lowest = (uintptr_t)0x5000 << 32, low = (uint32_t)word, small = 1 << 20;
    return word >= lowest && word >> 48 == 0 && low >= small && low <= UINT32_MAX - small;
}

} // namespace

/* Addresses of the host become such as nobody may touch: a kernel may be given them, and not use them. What is mapped
 * is taken for an address. */
void emulate_hide(void *parameter, size_t bytes)
{
    std::lock_guard<std::recursive_mutex> locked(lock);
    open_once();
    for (size_t at = 0; at + sizeof(uintptr_t) <= bytes; at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, (const char *)parameter + at, sizeof word);
        if (!is_address_like(word) || is_in_space((void *)word) || is_pinned((void *)word, 1)) continue;
        if (!is_mapped((void *)word)) continue;
        word = (uintptr_t)hidden_address(word);
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
    case cudaDevAttrMaxThreadsPerBlock:
        *value = p.maxThreadsPerBlock;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = (int)p.sharedMemPerBlock;
        break;
    case cudaDevAttrClockRate:
        *value = 1000000;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = p.multiProcessorCount;
        break;
    case cudaDevAttrMemoryClockRate:
        *value = 1000000;
        break;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = p.memoryBusWidth;
        break;
    case cudaDevAttrL2CacheSize:
        *value = p.l2CacheSize;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = p.maxThreadsPerMultiProcessor;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = p.major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = p.minor;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = (int)p.sharedMemPerMultiprocessor;
        break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = p.regsPerMultiprocessor;
        break;
    case cudaDevAttrConcurrentManagedAccess:
        *value = p.concurrentManagedAccess;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)p.sharedMemPerBlockOptin;
        break;
    default:
        return wrong(cudaErrorInvalidValue, "attribute %d is not emulated", (int)attribute);
    }
    return cudaSuccess;
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
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorInvalidValue:
        return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
        return "cudaErrorInvalidConfiguration";
    case cudaErrorNoDevice:
        return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
        return "cudaErrorInvalidDevice";
    case cudaErrorMapBufferObjectFailed:
        return "cudaErrorMapBufferObjectFailed";
    case cudaErrorInvalidResourceHandle:
        return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady:
        return "cudaErrorNotReady";
    case cudaErrorIllegalAddress:
        return "cudaErrorIllegalAddress";
    case cudaErrorHostMemoryAlreadyRegistered:
        return "cudaErrorHostMemoryAlreadyRegistered";
    case cudaErrorHostMemoryNotRegistered:
        return "cudaErrorHostMemoryNotRegistered";
    case cudaErrorLaunchFailure:
        return "cudaErrorLaunchFailure";
    }
    return "cudaErrorUnknown";
}

const char *cudaGetErrorString(cudaError_t e)
{
    switch (e) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidConfiguration:
        return "invalid configuration argument";
    case cudaErrorNoDevice:
        return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
        return "invalid device ordinal";
    case cudaErrorMapBufferObjectFailed:
        return "mapping of buffer object failed";
    case cudaErrorInvalidResourceHandle:
        return "invalid resource handle";
    case cudaErrorNotReady:
        return "device not ready";
    case cudaErrorIllegalAddress:
        return "an illegal memory access was encountered";
    case cudaErrorHostMemoryAlreadyRegistered:
        return "part or all of the requested memory range is already mapped";
    case cudaErrorHostMemoryNotRegistered:
        return "pointer does not correspond to a registered memory region";
    case cudaErrorLaunchFailure:
        return "unspecified launch failure";
    }
    return "unknown error";
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
