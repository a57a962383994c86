/* What other processes see of the emulated GPU: memory, and events. Both lie in files without a name, which the other
 * process opens through the one that made them; the first page is what both tell each other.
 *
 * A process runs its streams when it is called, and while it waits for something else nobody would run what another
 * waits for. So a thread does, from time to time: others see it late, but they see it. SPDX-License-Identifier: MIT */
#include "emulate_parts.h"

#include <atomic>
#include <condition_variable>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The first page. */
struct emulated::told {
    unsigned long key;
    std::atomic<int> opened; /* times, by others */
    std::atomic<unsigned long> recorded, done; /* of an event: how often */
};

struct emulated::outside {
    told *page;
    int file; /* -1: opened */
    int uses; /* of one that was opened */
};

using namespace emulated;

namespace {

const size_t BLOCK = 2 << 20; /* smaller allocations share one with others */

/* In the 64 bytes of a handle. */
struct address {
    unsigned long key;
    int process, file;
    size_t bytes, page_bytes, offset; /* of memory */
};
static_assert(sizeof(address) <= sizeof(cudaIpcMemHandle_t) && sizeof(address) <= sizeof(cudaIpcEventHandle_t),
              "a handle holds an address");

std::map<const CUevent_st *, int> &event_files = *new std::map<const CUevent_st *, int>;
int due; /* records that others see, and that are not done yet */
std::condition_variable_any &wakes = *new std::condition_variable_any;

unsigned long key_new()
{
    static unsigned long made;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return ((unsigned long)t.tv_nsec + (unsigned long)t.tv_sec * 1000003ul) * 4099ul +
           (unsigned long)getpid() * 65537ul + ++made;
}

told *page_map(int file)
{
    void *const page = mmap(nullptr, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return page == MAP_FAILED ? nullptr : (told *)page;
}

/* A file of a page and `bytes` behind it. */
int file_make(size_t bytes, told **page)
{
    const int file = memfd_create("emulated GPU", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)(PAGE + bytes))) emulate_stop("memfd_create: %s", strerror(errno));
    *page = page_map(file);
    if (!*page) emulate_stop("mmap: %s", strerror(errno));
    (*page)->key = key_new();
    return file;
}

/* -1: there is none, or another by now. */
int file_open(const address &a, told **page)
{
    char path[64];
    if (a.process == getpid() || gpu.opens < 1) return -1;
    gpu.opens--;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", a.process, a.file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return -1;
    *page = page_map(file);
    if (*page && (*page)->key == a.key) return file;
    if (*page) munmap(*page, PAGE);
    close(file);
    return -1;
}

/* ---- the device works on by itself ---- */

void nap(unsigned microseconds)
{
    const struct timespec t = {0, 1000l * (long)microseconds};
    nanosleep(&t, nullptr);
}

void work_on()
{
    const unsigned LEAST = 100, MORE = 2000;
    for (;;) {
        unsigned pause;
        {
            std::unique_lock<std::recursive_mutex> locked(lock);
            wakes.wait(locked, [] { return due > 0; });
            pause = LEAST + emulate_random(MORE);
        }
        nap(pause);
        std::lock_guard<std::recursive_mutex> locked(lock);
        if (!due || emulate_random(2)) continue;
        gate open;
        while (due && any_run(nullptr)) {}
    }
}

void work_on_begin()
{
    static bool is_begun;
    sigset_t most, before;
    if (is_begun) return;
    is_begun = true;
    for (int n = getpid() % 1000; n > 0; n--) emulate_random(2); /* processes that begin alike are not alike */
    sigfillset(&most); /* signals are the program's own threads'; faults are this one's */
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&most, number);
    pthread_sigmask(SIG_SETMASK, &most, &before);
    std::thread(work_on).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace

/* ---- events ---- */

bool mark::has_come() const { return is_done || (seen && seen->done >= number); }

void mark::come(double at)
{
    is_done = true;
    time = at;
    if (!seen) return;
    seen->done = number;
    due--;
}

bool emulated::outside_wait(double *waited)
{
    const double LONGEST = 100;
    const unsigned PAUSE = 100;
    bool is_ahead = false;
    for (const CUstream_st *s : streams)
        is_ahead |= !s->queue.empty() && s->queue.front().awaited && s->queue.front().awaited->seen;
    if (!is_ahead) return false;
    nap(PAUSE);
    if ((*waited += 1e-6 * PAUSE) > LONGEST) emulate_stop("it waits for another process that does not get there");
    return true;
}

/* So that processes get ahead of each other. */
void emulated::outside_stall()
{
    const unsigned SELDOM = 64, LONGEST = 30000;
    if (due && !emulate_random(SELDOM)) nap(emulate_random(LONGEST));
}

cudaError_t emulated::event_show(CUevent_st *e)
{
    told *page;
    if (!(e->flags & cudaEventDisableTiming))
        return wrong(cudaErrorInvalidValue, "an event that other processes see has no time");
    event_files[e] = file_make(0, &page);
    e->seen.reset(page, [](told *p) { munmap(p, PAGE); });
    work_on_begin();
    return cudaSuccess;
}

void emulated::event_hide(CUevent_st *e)
{
    if (e->is_opened) {
        e->seen->opened--;
        return;
    }
    if (e->seen->opened) emulate_stop("an event is destroyed that another process has open");
    close(event_files[e]);
    event_files.erase(e);
}

std::shared_ptr<mark> emulated::mark_new(CUevent_st *e)
{
    auto m = std::make_shared<mark>();
    if (!e->seen) return m;
    m->seen = e->seen;
    due++;
    wakes.notify_one();
    m->number = ++e->seen->recorded;
    return m;
}

std::shared_ptr<mark> emulated::last_of(const CUevent_st *e)
{
    if (!e->is_opened) return e->last;
    auto m = std::make_shared<mark>();
    m->seen = e->seen;
    m->number = e->seen->recorded;
    return m->number ? m : nullptr;
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t e)
{
    ENTER;
    if (!is_event(e) || !e->seen || e->is_opened)
        return wrong(cudaErrorInvalidResourceHandle, "%p is no event for others", (void *)e);
    const address a = {e->seen->key, getpid(), event_files[e], 0, 0, 0};
    memcpy(handle, &a, sizeof a);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *e, cudaIpcEventHandle_t handle)
{
    ENTER;
    address a;
    told *page;
    memcpy(&a, &handle, sizeof a);
    const int file = file_open(a, &page);
    if (file < 0) return wrong(cudaErrorMapBufferObjectFailed, "an event of process %d cannot be opened", a.process);
    close(file);
    page->opened++;
    *e = event_new(cudaEventDisableTiming);
    (*e)->seen.reset(page, [](told *p) { munmap(p, PAGE); });
    (*e)->is_opened = true;
    return cudaSuccess;
}

/* ---- memory ---- */

bool emulated::is_foreign(const allocation &a) { return a.seen && a.seen->file < 0; }

void emulated::outside_free(const allocation &a)
{
    if (a.seen->page->opened) emulate_stop("%zu bytes are freed that another process has open", a.bytes);
    munmap(a.seen->page, PAGE);
    close(a.seen->file);
    delete a.seen;
}

/* What is there moves into a file, at the same addresses. */
static outside *show(const allocation &a)
{
    told *page;
    const int file = file_make(a.page_bytes, &page);
    gate open;
    void *const copy = mmap(nullptr, a.page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, PAGE);
    if (copy == MAP_FAILED) emulate_stop("mmap: %s", strerror(errno));
    memcpy(copy, a.pages, a.page_bytes);
    munmap(copy, a.page_bytes);
    if (mmap(a.pages, a.page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, PAGE) == MAP_FAILED)
        emulate_stop("mmap: %s", strerror(errno));
    return new outside{page, file, 0};
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory)
{
    ENTER;
    const auto found = allocations.find((char *)memory);
    if (found == allocations.end() || found->second.kind != DEVICE || is_foreign(found->second))
        return wrong(cudaErrorInvalidValue, "%p is no memory to show to others", memory);
    allocation &a = found->second;
    if (a.bytes % BLOCK) return wrong(cudaErrorInvalidValue, "others would see what lies beside %zu bytes", a.bytes);
    if (!a.seen) a.seen = show(a);
    const address to = {a.seen->page->key, getpid(), a.seen->file, a.bytes, a.page_bytes, (size_t)(a.at - a.pages)};
    memcpy(handle, &to, sizeof to);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned)
{
    ENTER;
    address to;
    told *page;
    memcpy(&to, &handle, sizeof to);
    for (auto &a : allocations)
        if (is_foreign(a.second) && a.second.seen->page->key == to.key) {
            a.second.seen->uses++;
            *memory = a.second.at;
            return cudaSuccess;
        }
    const int file = file_open(to, &page);
    if (file < 0) return wrong(cudaErrorMapBufferObjectFailed, "memory of process %d cannot be opened", to.process);
    char *const pages = addresses_take(to.page_bytes);
    if (mmap(pages, to.page_bytes, gpu.gates ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_SHARED | MAP_FIXED, file,
             PAGE) == MAP_FAILED)
        emulate_stop("mmap: %s", strerror(errno));
    close(file);
    page->opened++;
    allocations[pages + to.offset] = {pages + to.offset,       to.bytes, pages, to.page_bytes, DEVICE, to.bytes,
                                      new outside{page, -1, 1}};
    *memory = pages + to.offset;
    return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *memory)
{
    ENTER;
    const auto found = allocations.find((char *)memory);
    if (found == allocations.end() || !is_foreign(found->second))
        return wrong(cudaErrorInvalidValue, "%p was not opened", memory);
    const allocation a = found->second;
    if (--a.seen->uses) return cudaSuccess;
    a.seen->page->opened--;
    munmap(a.seen->page, PAGE);
    delete a.seen;
    allocations.erase(found);
    addresses_give(a.pages, a.page_bytes);
    return cudaSuccess;
}
