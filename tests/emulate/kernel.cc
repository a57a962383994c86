/* Blocks and threads of an emulated GPU. Threads that wait for each other are fibers: each has a stack, and a barrier
 * is a jump to the scheduler, which goes on with a thread that can. SPDX-License-Identifier: MIT */
#include "emulate.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

#if EMULATE_SANITIZED
#include <sanitizer/common_interface_defs.h>
#else
#define __sanitizer_start_switch_fiber(save, bottom, size) ((void)(save), (void)(bottom), (void)(size))
#define __sanitizer_finish_switch_fiber(save, bottom, size) ((void)(save), (void)(bottom), (void)(size))
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

/* All shared arrays of all kernels; weak, for there may be none. */
extern "C" {
extern char __start_emulate_shared[] __attribute__((weak));
extern char __stop_emulate_shared[] __attribute__((weak));
}

namespace {

const size_t STACK = 256 << 10, PAGE = 4096;

enum state { READY, AT_MBARRIER, AT_BARRIER, AT_WARP_BARRIER, DONE };

/* Where a thread is: apart from what else it has, for all of a block are looked at at every barrier. */
struct stop {
    const char *file = nullptr;
    int line = 0;
    enum state state = DONE;
};
stop stops[EMULATE_THREADS];
unsigned short ready[EMULATE_THREADS]; /* the threads that can go on */
unsigned readies;

struct late_copy {
    char *to;
    const char *from;
    size_t bytes, zeros;
    unsigned group;
    emulate_mbarrier *arrive; /* if not NULL, that and no copy */
    int boxes; /* bytes of boxes that come with it; 0: a thread arrives */
};

struct fiber {
    void *jump[5] = {};
    char *stack = nullptr;
    void *fake = nullptr; /* AddressSanitizer's */
    stop *at = nullptr;
    uint3 place = {};
    unsigned group = 0;
    std::vector<late_copy> late;
    std::vector<std::vector<late_copy>> boxes; /* each comes for itself, in any order */
    const emulate_mbarrier *awaited = nullptr;
    unsigned parity = 0; /* of the phase that is awaited */
};

std::vector<fiber *> &fibers = *new std::vector<fiber *>; /* for ever: no leak */
const emulate_launch *running;
dim3 placed; /* the block for which fibers have their places */
fiber *current; /* NULL outside of blocks with barriers */
fiber alone; /* the thread of a kernel without */
void *scheduler_jump[5];
const void *scheduler_bottom;
size_t scheduler_size;
int predicates, predicates_result;
bool copies_are_late;
char *shared_pages;

unsigned threads_of(const emulate_launch &l) { return l.block.x * l.block.y * l.block.z; }

uint3 place_of(size_t n, dim3 size)
{
    return {(unsigned)(n % size.x), (unsigned)(n / size.x % size.y), (unsigned)(n / size.x / size.y)};
}

/* All of 0 .. n - 1 in a random order that takes no memory. */
struct order {
    unsigned n, at, step;
    explicit order(unsigned count) : n(count), at(emulate_random(count)), step(1)
    {
        while (n > 2 && std::gcd(step = 1 + emulate_random(n - 1), n) != 1) {}
    }
    unsigned next() { return at = at < n - step ? at + step : at - (n - step); }
};

/* ---- copies behind the threads' backs ---- */

fiber *thread_now() { return current ? current : &alone; }

/* Or is it what shared memory holds before? */
bool is_made(const emulate_mbarrier *b)
{
    return (b->pending || b->bytes) && b->pending <= b->expected && b->expected && b->expected <= 2 * EMULATE_THREADS;
}

/* `threads` arrive, 0 or 1, and so many bytes come, or are expected where they are negative. */
void arrive(emulate_mbarrier *b, int threads, int bytes)
{
    if (!is_made(b)) emulate_stop("kernel %s: a thread arrives at what is no mbarrier", running->name);
    if (threads > b->pending)
        emulate_stop("kernel %s: more threads arrive at an mbarrier than it was made for", running->name);
    b->pending = (unsigned short)(b->pending - threads);
    b->bytes -= bytes;
    if (!b->pending && !b->bytes) b->pending = b->expected, b->phase++;
}

void copy_do(const late_copy &c)
{
    if (c.arrive) {
        arrive(c.arrive, !c.boxes, c.boxes);
        return;
    }
    memcpy(c.to, c.from, c.bytes - c.zeros);
    memset(c.to + c.bytes - c.zeros, 0, c.zeros);
}

void copies_do(fiber *f, unsigned before)
{
    size_t n = 0;
    for (; n < f->late.size() && f->late[n].group < before; n++) copy_do(f->late[n]);
    f->late.erase(f->late.begin(), f->late.begin() + (ptrdiff_t)n);
}

/* One of the boxes that a thread has asked for. */
void box_land(fiber *f)
{
    const size_t n = emulate_random((unsigned)f->boxes.size());
    for (const late_copy &c : f->boxes[n]) copy_do(c);
    f->boxes.erase(f->boxes.begin() + (ptrdiff_t)n);
}

/* ---- fibers ---- */

/* No caller may count on what such a function leaves in registers. */
#if defined(__clang__)
#define BARE __attribute__((noinline, no_sanitize("address", "undefined")))
#else
#define BARE __attribute__((noipa, no_sanitize("address", "undefined")))
#endif

/* Others run in between, whatever the compiler may think of these functions. */
#define OTHERS_RUN() __asm__ volatile("" ::: "memory")

/* In a function of its own: where both lie in one, gcc takes the wrong way back. */
BARE void leap(void **to)
{
    OTHERS_RUN();
    __builtin_longjmp(to, 1);
}

BARE void jump(void **from, void **to)
{
    if (!__builtin_setjmp(from)) leap(to);
    OTHERS_RUN();
}

BARE void jump_start(void **from, ucontext_t *to)
{
    if (!__builtin_setjmp(from)) setcontext(to);
    OTHERS_RUN();
}

/* From a fiber back to the scheduler, until that resumes it. */
void yield(fiber *f)
{
    __sanitizer_start_switch_fiber(&f->fake, scheduler_bottom, scheduler_size);
    jump(f->jump, scheduler_jump);
    __sanitizer_finish_switch_fiber(f->fake, &scheduler_bottom, &scheduler_size);
}

void fiber_main()
{
    fiber *const f = current;
    __sanitizer_finish_switch_fiber(nullptr, &scheduler_bottom, &scheduler_size);
    for (;;) {
        yield(f);
        running->thread();
        copies_do(f, ~0u);
        if (!f->boxes.empty())
            emulate_stop("kernel %s: a thread ends before a box that it asked for has come", running->name);
        f->at->state = DONE;
    }
}

void resume(fiber *f)
{
    void *fake = nullptr;
    current = f;
    __sanitizer_start_switch_fiber(&fake, f->stack, STACK);
    jump(scheduler_jump, f->jump);
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
    current = nullptr;
}

/* Stacks that lie alike would share few lines of the processor's cache: the n-th begins so many lines lower. */
fiber *fiber_make(size_t n)
{
    fiber *const f = new fiber;
    f->at = &stops[n];
    char *const pages = (char *)mmap(nullptr, STACK + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages, PAGE, PROT_NONE)) emulate_stop("no memory for the stacks of threads");
    f->stack = pages + PAGE;
    ucontext_t start;
    getcontext(&start);
    start.uc_stack.ss_sp = f->stack;
    start.uc_stack.ss_size = STACK - n % 64 * 9 * 64;
    start.uc_link = nullptr;
    makecontext(&start, fiber_main, 0);
    void *fake = nullptr;
    current = f;
    __sanitizer_start_switch_fiber(&fake, f->stack, STACK);
    jump_start(scheduler_jump, &start);
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
    current = nullptr;
    return f;
}

/* ---- barriers ---- */

const char *stop_text(const stop &s, char *text, size_t size)
{
    snprintf(text, size,
             s.state == DONE          ? "has ended"
             : s.state == AT_MBARRIER ? "waits at an mbarrier"
             : s.state == AT_BARRIER  ? "waits at %s:%d"
                                      : "waits with its warp at %s:%d",
             s.file, s.line);
    return text;
}

bool is_with(const stop &s, const stop &t)
{
    return s.state == t.state && s.state != AT_MBARRIER && s.line == t.line &&
           (s.file == t.file || !strcmp(s.file, t.file));
}

__attribute__((noreturn)) void divergence_tell(unsigned threads)
{
    char one[256], other[256];
    unsigned a = 0, b = 0;
    while (stops[a].state == DONE) a++;
    while (b < threads - 1 && (b == a || stops[b].state == DONE || is_with(stops[a], stops[b]))) b++;
    emulate_stop("kernel %s, block (%u, %u, %u): thread %u %s, and thread %u %s", running->name, blockIdx.x, blockIdx.y,
                 blockIdx.z, a, stop_text(stops[a], one, sizeof one), b, stop_text(stops[b], other, sizeof other));
}

void go_on(unsigned t)
{
    stops[t].state = READY;
    ready[readies++] = (unsigned short)t;
}

/* The living threads among [first, last) go on if all wait at one barrier of the kind. */
bool release(unsigned first, unsigned last, enum state kind)
{
    const stop *lead = nullptr;
    for (unsigned t = first; t < last; t++) {
        const stop &s = stops[t];
        if (s.state == DONE) continue;
        if (!lead) lead = &s;
        if (s.state != kind || !is_with(s, *lead)) return false;
    }
    for (unsigned t = first; t < last; t++)
        if (stops[t].state == kind) go_on(t);
    return lead;
}

bool is_over(const fiber *f) { return (f->awaited->phase & 1) != f->parity; }

bool mbarriers_wait(unsigned threads)
{
    for (unsigned t = 0; t < threads; t++)
        if (stops[t].state == AT_MBARRIER) return true;
    return false;
}

/* let(first, last) lets threads of a warp go on, and says whether any can: of one warp, if there is one, and of some
 * others, so that warps come apart. */
template <class F> bool some_warps(unsigned threads, F let)
{
    bool any = false;
    order o((threads + EMULATE_LANES - 1) / EMULATE_LANES);
    for (unsigned n = 0; n < o.n; n++) {
        const unsigned first = o.next() * EMULATE_LANES,
                       last = first + EMULATE_LANES < threads ? first + EMULATE_LANES : threads;
        if (!any || emulate_random(2)) any |= let(first, last);
    }
    return any;
}

bool warps_release(unsigned threads)
{
    return some_warps(threads, [](unsigned first, unsigned last) { return release(first, last, AT_WARP_BARRIER); });
}

/* Those that are not let go on look later, when the phase that they wait for may be over and the next one, too. */
bool mbarriers_release(unsigned threads)
{
    return some_warps(threads, [](unsigned first, unsigned last) {
        bool any = false;
        for (unsigned t = first; t < last; t++)
            if (stops[t].state == AT_MBARRIER && is_over(fibers[t])) go_on(t), any = true;
        return any;
    });
}

/* Copies come for which no thread waits: those of one that has some under way. */
bool copies_land(unsigned threads)
{
    order o(threads);
    for (unsigned n = 0; n < threads; n++) {
        fiber *const f = fibers[o.next()];
        if (f->late.empty() && f->boxes.empty()) continue;
        if (f->late.empty()) box_land(f);
        else copies_do(f, ~0u);
        return true;
    }
    return false;
}

/* ---- blocks ---- */

void shared_poison(const emulate_launch &l)
{
    if (__start_emulate_shared)
        memset(__start_emulate_shared, 0xff, (size_t)(__stop_emulate_shared - __start_emulate_shared));
    if (!l.shared_bytes) return;
    if (!shared_pages) {
        const size_t all = (EMULATE_SHARED_MOST + PAGE - 1) / PAGE * PAGE;
        char *const pages = (char *)mmap(nullptr, all + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED || mprotect(pages + PAGE, all, PROT_READ | PROT_WRITE))
            emulate_stop("no shared memory");
        shared_pages = pages + PAGE;
    }
    memset(emulate_shared_bytes(), 0xff, l.shared_bytes);
}

/* Threads of a block, each until it waits or ends, until all have ended. */
void block_run(const emulate_launch &l)
{
    const unsigned threads = threads_of(l);
    unsigned living = threads;
    while (fibers.size() < threads) fibers.push_back(fiber_make(fibers.size()));
    if (placed.x != l.block.x || placed.y != l.block.y || placed.z != l.block.z) {
        for (unsigned t = 0; t < threads; t++) fibers[t]->place = place_of(t, l.block);
        placed = l.block;
    }
    readies = 0;
    for (unsigned t = 0; t < threads; t++) go_on(t), fibers[t]->group = 0;
    predicates = 0;
    while (living > 0) {
        for (order o(readies); readies; readies--) {
            const unsigned t = ready[o.next()];
            threadIdx = fibers[t]->place;
            resume(fibers[t]);
            living -= stops[t].state == DONE;
        }
        if (!living || mbarriers_release(threads) || warps_release(threads)) continue;
        if (mbarriers_wait(threads) && copies_land(threads)) continue;
        if (!release(0, threads, AT_BARRIER)) divergence_tell(threads);
        predicates_result = predicates;
        predicates = 0;
    }
}

void threads_run(const emulate_launch &l)
{
    const unsigned threads = threads_of(l);
    order o(threads);
    for (unsigned n = 0; n < threads; n++) {
        threadIdx = place_of(o.next(), l.block);
        alone.group = 0;
        l.thread();
        copies_do(&alone, ~0u);
    }
}

} // namespace

int emulate_barrier(const char *file, int line, int predicate, int is_of_warp)
{
    fiber *const f = current;
    if (!f)
        emulate_stop("kernel %s has barriers, and was not launched with SF_LAUNCH_BLOCKS",
                     running ? running->name : "(none)");
    *f->at = {file, line, is_of_warp ? AT_WARP_BARRIER : AT_BARRIER};
    if (!is_of_warp) predicates += predicate;
    yield(f);
    return predicates_result;
}

void emulate_mbarrier_make(emulate_mbarrier *b, int n)
{
    b->expected = b->pending = (unsigned short)n;
    b->phase = 0;
    b->bytes = 0;
}

void emulate_mbarrier_arrive(emulate_mbarrier *b) { arrive(b, 1, 0); }
void emulate_mbarrier_expect(emulate_mbarrier *b, int bytes) { arrive(b, 1, -bytes); }

/* At once or later. */
static void copy_soon(const late_copy &c)
{
    if (copies_are_late) thread_now()->late.push_back(c);
    else copy_do(c);
}

void emulate_mbarrier_arrive_behind(emulate_mbarrier *b)
{
    copy_soon({nullptr, nullptr, 0, 0, thread_now()->group, b, 0});
}

/* The thread, which asks for a phase. */
static fiber *asks(const emulate_mbarrier *b, int phase)
{
    fiber *const f = current;
    if (!f)
        emulate_stop("kernel %s has mbarriers, and was not launched with SF_LAUNCH_BLOCKS",
                     running ? running->name : "(none)");
    if (!is_made(b)) emulate_stop("kernel %s: a thread waits at what is no mbarrier", running->name);
    f->awaited = b;
    f->parity = (unsigned)phase & 1;
    return f;
}

/* What is over may not be seen to be. */
int emulate_mbarrier_is_over(const emulate_mbarrier *b, int phase)
{
    return is_over(asks(b, phase)) && emulate_random(4);
}

/* What the thread copies comes now or later; if it need not wait it goes on, most of the time. */
void emulate_mbarrier_wait(const emulate_mbarrier *b, int phase)
{
    fiber *const f = asks(b, phase);
    if (!emulate_random(4)) copies_do(f, ~0u);
    if (!f->boxes.empty() && !emulate_random(4)) box_land(f);
    if (is_over(f) && emulate_random(4)) return;
    f->at->state = AT_MBARRIER;
    yield(f);
}

void *emulate_shared_bytes()
{
    if (!running || !running->shared_bytes)
        emulate_stop("kernel %s was given no shared bytes", running ? running->name : "(none)");
    const size_t all = (EMULATE_SHARED_MOST + PAGE - 1) / PAGE * PAGE;
    return shared_pages + all - (running->shared_bytes + 15) / 16 * 16;
}

void emulate_copy_async(void *to, const void *from, size_t bytes, size_t zeros)
{
    copy_soon({(char *)to, (const char *)from, bytes, zeros, thread_now()->group, nullptr, 0});
}

int emulate_is_elected() { return emulate_thread() % EMULATE_LANES == 0; }

/* Line by line of the box, each with zeros behind what the field has of it. The copy engine takes coordinates below 0,
 * too; here they are an error. */
void emulate_box_copy(void *to, const CUtensorMap *map, int i, int k, int row, emulate_mbarrier *b)
{
    emulate_tensor t;
    memcpy(&t, map, sizeof t);
    const int at[] = {i, k, row};
    const size_t line = t.box[0] * t.element;
    char *const end = shared_pages + (EMULATE_SHARED_MOST + PAGE - 1) / PAGE * PAGE;
    char *place = (char *)to;
    std::vector<late_copy> box;
    if ((place - (char *)emulate_shared_bytes()) % 128 || place + line * t.box[1] * t.box[2] > end)
        emulate_stop("kernel %s: a box goes to shared memory that is not aligned to 128 bytes, or beyond it",
                     running->name);
    for (int d = 0; d < 3; d++)
        if (at[d] < 0) emulate_stop("kernel %s: a box begins before its field", running->name);
    for (unsigned z = 0; z < t.box[2]; z++)
        for (unsigned y = 0; y < t.box[1]; y++, place += line) {
            const size_t x = (size_t)i, level = (size_t)k + y, j = (size_t)row + z;
            size_t there = 0;
            if (x < t.extent[0] && level < t.extent[1] && j < t.extent[2])
                there = std::min(line, (t.extent[0] - x) * t.element);
            box.push_back({place, there ? t.at + x * t.element + level * t.stride[0] + j * t.stride[1] : place, line,
                           line - there, 0, nullptr, 0});
        }
    box.push_back({nullptr, nullptr, 0, 0, 0, b, (int)(place - (char *)to)});
    thread_now()->boxes.push_back(box);
    if (!copies_are_late) box_land(thread_now());
}

void emulate_copy_commit() { thread_now()->group++; }

void emulate_copy_wait(unsigned groups)
{
    fiber *const f = thread_now();
    copies_do(f, f->group > groups ? f->group - groups : 0);
}

void emulate_grid_run(const emulate_launch &l)
{
    const size_t blocks = (size_t)l.grid.x * l.grid.y * l.grid.z;
    std::vector<size_t> turn(blocks);
    std::iota(turn.begin(), turn.end(), (size_t)0);
    for (size_t n = blocks; n > 1; n--) std::swap(turn[n - 1], turn[emulate_random((unsigned)n)]);
    running = &l;
    gridDim = l.grid;
    blockDim = l.block;
    copies_are_late = emulate_random(4);
    for (size_t n : turn) {
        blockIdx = place_of(n, l.grid);
        if (l.has_barriers) {
            shared_poison(l);
            block_run(l);
        } else threads_run(l);
    }
    running = nullptr;
}

const char *emulate_where(char *text, size_t size)
{
    if (!running) return nullptr;
    snprintf(text, size, "kernel %s, block (%u, %u, %u), thread (%u, %u, %u),", running->name, blockIdx.x, blockIdx.y,
             blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    return text;
}
