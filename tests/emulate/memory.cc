/* The emulated GPU's memory: addresses of its own, which the host cannot touch, full of NaN and guarded at both ends;
 * pinned memory of the host; and memory at several addresses. SPDX-License-Identifier: MIT */
#include "emulate_parts.h"

#include <cuda.h>

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#if EMULATE_SANITIZED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

using namespace emulated;

namespace {

const size_t ALIGN = 256;
const size_t SPACE = (size_t)1 << 38; /* addresses, most of them never used: what was freed is not given out again */
const size_t HIDDEN = (size_t)1 << 32; /* the last of them stand for addresses of the host in kernels */
const int NAN_BYTE = 0xff;

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

std::map<CUmemGenericAllocationHandle, physical> &physicals = *new std::map<CUmemGenericAllocationHandle, physical>;
std::map<char *, reservation> &reservations = *new std::map<char *, reservation>;
std::map<char *, size_t> &registered = *new std::map<char *, size_t>;
struct sigaction fault_before;

/* The allocation that holds p, or else the last one that begins before it. */
const allocation *allocation_near(const void *p)
{
    auto a = allocations.upper_bound((char *)p);
    return a == allocations.begin() ? nullptr : &(--a)->second;
}

} // namespace

namespace emulated {

std::map<char *, allocation> &allocations = *new std::map<char *, allocation>;

bool is_in_space(const void *p) { return (const char *)p >= gpu.space && (const char *)p < gpu.space + SPACE; }

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

/* Asked of the system. */
bool is_mapped(const void *p)
{
    unsigned char is_there;
    return !mincore((void *)((uintptr_t)p / PAGE * PAGE), 1, &is_there);
}

/* Of large memory of its own that becomes 0 the pages are new ones, which the system fills when they are touched. */
void memory_set(char *at, int value, size_t bytes)
{
    const size_t LARGE = 16 << 20;
    const allocation *a = allocation_of(at);
    if (!value && bytes >= LARGE && a && a->kind == DEVICE && !a->seen) {
        const size_t before = (PAGE - (uintptr_t)at % PAGE) % PAGE, whole = (bytes - before) / PAGE * PAGE;
        if (mmap(at + before, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                 -1, 0) == MAP_FAILED)
            emulate_stop("mmap: %s", strerror(errno));
        memset(at, 0, before);
        at += before + whole, bytes -= before + whole;
    }
    memset(at, value, bytes);
}

void *hidden_address(size_t at) { return gpu.space + SPACE - HIDDEN / 2 + at % PAGE; }

} // namespace emulated

namespace {

void fault(int number, siginfo_t *info, void *)
{
    char text[512], where[128] = "no memory of the device";
    const allocation *a = is_in_space(info->si_addr) ? allocation_near(info->si_addr) : nullptr;
    const char *what = a && a->kind == MANAGED  ? "a table"
                       : a && a->kind == PINNED ? "pinned memory"
                                                : "memory of the device";
    if (is_in_space(info->si_addr) && (char *)info->si_addr >= gpu.space + SPACE - HIDDEN)
        snprintf(where, sizeof where, "an address of the host");
    else if (a) snprintf(where, sizeof where, "byte %td of %zu of %s", (char *)info->si_addr - a->at, a->bytes, what);
    const char *kernel = emulate_where(text, sizeof text);
    char line[1024];
    const int n = snprintf(line, sizeof line, "emulated GPU: %s touches address %p: %s\n", kernel ? kernel : "the host",
                           info->si_addr, where);
    if ((kernel || is_in_space(info->si_addr)) && write(2, line, (size_t)n)) {}
    sigaction(number, &fault_before, nullptr); /* and again, as if there had been no handler */
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
    sigaction(SIGSEGV, &a, &fault_before);
}

} // namespace

namespace emulated {

void memory_open()
{
    void *space = mmap(nullptr, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) emulate_stop("no addresses for its memory: %s", strerror(errno));
    madvise(space, SPACE, MADV_DONTDUMP);
    gpu.space = (char *)space;
    gpu.used = SPACE / 4; /* pointers into what lies before the first are the device's too */
    faults_watch();
}

/* Nothing but NaN from `p` to `end`? */
static bool is_slack(const char *p, const char *end)
{
    return p >= end || ((unsigned char)*p == NAN_BYTE && !memcmp(p, p + 1, (size_t)(end - p) - 1));
}

void slack_check(const allocation &a, const char *when)
{
    const char *const end = a.pages + a.page_bytes, *p = a.pages;
    if (EMULATE_SANITIZED || (is_slack(p, a.at) && is_slack(a.at + a.bytes, end))) return;
    for (;; p++) {
        if (p == a.at) p += a.bytes;
        if ((unsigned char)*p != NAN_BYTE) break;
    }
    emulate_stop("%s wrote byte %td of an allocation of %zu bytes", when, p - a.at, a.bytes);
}

char *addresses_take(size_t bytes)
{
    if (gpu.used + bytes + 2 * GUARD > SPACE - HIDDEN) emulate_stop("its addresses are used up");
    char *const at = gpu.space + gpu.used + GUARD;
    gpu.used += bytes + GUARD;
    return at;
}

void addresses_give(char *at, size_t bytes)
{
    if (mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        emulate_stop("mmap: %s", strerror(errno));
}

gate::gate()
{
    if (gpu.gates++ == 0) protect(PROT_READ | PROT_WRITE);
}

gate::~gate()
{
    if (--gpu.gates == 0) protect(PROT_NONE);
}

void gate::protect(int how)
{
    for (auto &a : allocations)
        if (a.second.is_hidden() && mprotect(a.second.pages, a.second.page_bytes, how))
            emulate_stop("mprotect: %s", strerror(errno));
}

} // namespace emulated

namespace {

/* Memory of its own that is full of NaN. Most of a large one is that of one file until it is written. */
void nan_fill(char *at, size_t bytes)
{
    const size_t CHUNK = 16 << 20;
    static int file = -1;
    for (; bytes >= CHUNK; at += CHUNK, bytes -= CHUNK) {
        if (file < 0) {
            if ((file = memfd_create("emulated GPU, NaN", MFD_CLOEXEC)) < 0)
                emulate_stop("memfd_create: %s", strerror(errno));
            const std::vector<char> nan(CHUNK, (char)NAN_BYTE);
            if (write(file, nan.data(), CHUNK) != (ssize_t)CHUNK)
                emulate_stop("no memory for NaN: %s", strerror(errno));
        }
        if (mmap(at, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, file, 0) == MAP_FAILED)
            emulate_stop("mmap: %s", strerror(errno));
    }
    memset(at, NAN_BYTE, bytes);
}

cudaError_t take(void **memory, size_t bytes, enum kind kind)
{
    *memory = nullptr;
    if (kind != PINNED && bytes > gpu.memory - gpu.taken) return gpu.last = cudaErrorMemoryAllocation;
    if (bytes == 0) return cudaSuccess;
    const size_t rounded = (bytes + ALIGN - 1) / ALIGN * ALIGN, pages = (rounded + PAGE - 1) / PAGE * PAGE;
    allocation a = {nullptr, bytes, addresses_take(pages), pages, kind, bytes};
    a.at = a.pages + pages - rounded;
    if (mprotect(a.pages, pages, PROT_READ | PROT_WRITE)) return gpu.last = cudaErrorMemoryAllocation;
    nan_fill(a.pages, pages);
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
    if (found == allocations.end() || found->second.kind == FOLDED || is_foreign(found->second) ||
        (found->second.kind == PINNED) != is_pinned_call)
        return wrong(cudaErrorInvalidValue, "%p is freed, and is no allocation", memory);
    const allocation a = found->second;
    {
        gate open;
        slack_check(a, "what ran before a free");
    }
    if (a.seen) outside_free(a);
    if (a.kind != PINNED) gpu.taken -= a.bytes;
    allocations.erase(found);
    addresses_give(a.pages, a.page_bytes);
    return cudaSuccess;
}

} // namespace

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
    if (!bytes || is_in_space(memory))
        return wrong(cudaErrorInvalidValue, "%zu bytes at %p cannot be pinned", bytes, memory);
    for (auto &r : registered)
        if (r.first < (char *)memory + bytes && (char *)memory < r.first + r.second)
            return wrong(cudaErrorHostMemoryAlreadyRegistered, "part of %zu bytes at %p is pinned already", bytes,
                         memory);
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

/* ---- the driver: memory at several addresses ---- */

namespace {

CUresult said(CUresult r, const char *what)
{
    fprintf(stderr, "emulated GPU: %s\n", what);
    return r;
}

#define ENTER_DRIVER                                                                                                   \
    std::lock_guard<std::recursive_mutex> locked(lock);                                                                \
    if (entered(__func__)) return CUDA_ERROR_LAUNCH_FAILED

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice)
{
    ENTER_DRIVER;
    if (attribute != CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
        return said(CUDA_ERROR_INVALID_VALUE, "an unknown attribute");
    *value = gpu.has_folds;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *grain, const CUmemAllocationProp *, CUmemAllocationGranularity_flags)
{
    ENTER_DRIVER;
    *grain = PAGE;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *,
                     unsigned long long)
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
    physicals[ *handle = ++last] = p;
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
    if (!bytes || bytes % PAGE)
        return said(CUDA_ERROR_INVALID_VALUE, "addresses that are no multiple of the granularity");
    char *const first = addresses_take(bytes);
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
    if (r == reservations.end() || p == physicals.end() || offset || bytes != p->second.bytes ||
        to + bytes > r->first + r->second.bytes || (to - r->first) % (ptrdiff_t)bytes || r->second.mapped.count(to) ||
        (!r->second.mapped.empty() && r->second.mapped.begin()->second != handle))
        return said(CUDA_ERROR_INVALID_VALUE, "memory is mapped where it cannot be");
    if (mmap(to, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, p->second.file, 0) == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
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
    addresses_give(to, bytes);
    const CUmemGenericAllocationHandle handle = r->second.mapped[to];
    r->second.mapped.erase(to);
    return cuMemRelease(handle);
}

CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *, size_t count)
{
    ENTER_DRIVER;
    const auto r = reservation_of(at);
    char *const to = (char *)(size_t)at;
    if (count != 1 || r == reservations.end() || r->first != to || r->second.bytes != bytes ||
        r->second.mapped.empty() ||
        r->second.mapped.size() * physicals[r->second.mapped.begin()->second].bytes != bytes)
        return said(CUDA_ERROR_INVALID_VALUE, "access to addresses that are not mapped all");
    allocations[to] = {to, bytes, to, bytes, FOLDED, physicals[r->second.mapped.begin()->second].bytes};
    if (gpu.gates) gate::protect(PROT_READ | PROT_WRITE);
    return CUDA_SUCCESS;
}

/* Of three dimensions, without what the program does not use. */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *at,
                                const cuuint64_t *extent, const cuuint64_t *stride, const cuuint32_t *box,
                                const cuuint32_t *step, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill)
{
    const cuuint32_t BOX_MOST = 256;
    const cuuint64_t EXTENT_MOST = 1ull << 32, STRIDE_MOST = 1ull << 40, GRAIN = 16;
    ENTER_DRIVER;
    emulate_tensor t = {
        (const char *)at, type == CU_TENSOR_MAP_DATA_TYPE_FLOAT64 ? sizeof(double) : sizeof(float), {}, {}, {}};
    if (rank != 3 || (size_t)at % GRAIN)
        return said(CUDA_ERROR_INVALID_VALUE, "a map of a field that does not begin at a multiple of 16 bytes");
    for (int d = 0; d < 3; d++) {
        if (!extent[d] || extent[d] > EXTENT_MOST || !box[d] || box[d] > BOX_MOST || step[d] != 1)
            return said(CUDA_ERROR_INVALID_VALUE, "a map with extents or boxes that the copy engine does not know");
        t.extent[d] = extent[d], t.box[d] = box[d];
    }
    if (box[0] * t.element % GRAIN)
        return said(CUDA_ERROR_INVALID_VALUE, "boxes whose lines are no multiple of 16 bytes");
    for (int d = 0; d < 2; d++) {
        if (stride[d] % GRAIN || stride[d] >= STRIDE_MOST)
            return said(CUDA_ERROR_INVALID_VALUE, "a map with strides that are no multiple of 16 bytes");
        if (!d && stride[0] < extent[0] * t.element) return said(CUDA_ERROR_INVALID_VALUE, "a map whose lines overlap");
        t.stride[d] = stride[d];
    }
    memcpy(map, &t, sizeof t);
    return CUDA_SUCCESS;
}

} // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long,
                                             enum cudaDriverEntryPointQueryResult *result)
{
#define KNOWN(call)                                                                                                    \
    {                                                                                                                  \
#call, (void *)call                                                                                            \
    }
    static const std::map<std::string, void *> known = {KNOWN(cuDeviceGetAttribute),
                                                        KNOWN(cuMemGetAllocationGranularity),
                                                        KNOWN(cuMemCreate),
                                                        KNOWN(cuMemRelease),
                                                        KNOWN(cuMemAddressReserve),
                                                        KNOWN(cuMemAddressFree),
                                                        KNOWN(cuMemMap),
                                                        KNOWN(cuMemUnmap),
                                                        KNOWN(cuMemSetAccess),
                                                        KNOWN(cuTensorMapEncodeTiled)};
#undef KNOWN
    ENTER;
    const auto found = known.find(name);
    *function = found == known.end() ? nullptr : found->second;
    *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
