/* The emulated GPU's streams and events, and copies: what is put into a stream runs as late as the order of streams and
 * events allows, in random turns. SPDX-License-Identifier: MIT */
#include "emulate_parts.h"

#include <set>

#include <string.h>
#include <time.h>

using namespace emulated;

/* For ever: what a program leaves to its end is no leak. */
std::vector<CUstream_st *> &emulated::streams = *new std::vector<CUstream_st *>;

namespace {

std::set<const CUevent_st *> &events = *new std::set<const CUevent_st *>;

double seconds_now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- running what was put into streams ---- */

bool can_run(const CUstream_st *s)
{
    return !s->queue.empty() && (!s->queue.front().awaited || s->queue.front().awaited->has_come());
}

void front_run(CUstream_st *s)
{
    const work w = std::move(s->queue.front());
    s->queue.pop_front();
    outside_stall();
    if (w.run && !gpu.sticky) w.run();
    if (w.made) w.made->come(seconds_now());
}

} // namespace

bool emulated::is_event(const CUevent_st *e) { return events.count(e) > 0; }

CUevent_st *emulated::event_new(unsigned flags)
{
    CUevent_st *const e = new CUevent_st;
    e->flags = flags;
    events.insert(e);
    return e;
}

bool emulated::any_run(CUstream_st *first)
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

namespace {

/* Until what is waited for has come; streams in random turns, or the one that is waited for first and no others, or
 * last. */
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
    double slept = 0;
    while (!is_done())
        if (!any_run(way == 1 ? waited : nullptr) && !outside_wait(&slept))
            emulate_stop("all streams wait for each other");
}

/* The device works while the host does: at any call it may have gone on a little. Seldom and then for longer: to open
 * its memory, and to hide it again, takes as long as a small kernel. */
void run_some()
{
    if (emulate_random(24)) return;
    gate open;
    for (unsigned n = 1 + emulate_random(8); n > 0 && any_run(nullptr);) n--;
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

} // namespace

cudaError_t emulated::put(CUstream_st *s, work w)
{
    if (!s) {
        default_wait();
        gate open;
        if (w.awaited) run_until([&] { return w.awaited->has_come(); }, nullptr);
        if (w.run && !gpu.sticky) w.run();
        if (w.made) w.made->come(seconds_now());
        return cudaSuccess;
    }
    if (cudaError_t e = stream_check(s)) return e;
    s->queue.push_back(std::move(w));
    run_some();
    return cudaSuccess;
}

namespace {

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
    const bool to_device = kind == cudaMemcpyDefault
                               ? is_device_memory(to)
                               : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDefault
                                 ? is_device_memory(from)
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
        std::shared_ptr<std::vector<char>> staged(
            new std::vector<char>((const char *)from, (const char *)from + bytes));
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
    w.run = [=] { memory_set((char *)to, value, bytes); };
    return put(s, std::move(w));
}

} // namespace

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

/* ---- streams and events ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    ENTER;
    *s = new CUstream_st{flags, {}};
    streams.push_back(*s);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithFlags(s, cudaStreamDefault); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int)
{
    return cudaStreamCreateWithFlags(s, flags);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    return *least = 0, *greatest = -5, cudaSuccess;
}

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
    work w;
    w.awaited = last_of(e);
    if (!w.awaited) return s ? stream_check(s) : cudaSuccess; /* never recorded: nothing to wait for */
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
    *e = event_new(flags);
    if (flags & cudaEventInterprocess) return event_show(*e);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    ENTER;
    if (!events.erase(e)) return wrong(cudaErrorInvalidResourceHandle, "%p is no event", (void *)e);
    if (e->seen) event_hide(e);
    delete e;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    ENTER;
    if (!events.count(e)) return wrong(cudaErrorInvalidResourceHandle, "%p is no event", (void *)e);
    if (e->is_opened) return wrong(cudaErrorInvalidResourceHandle, "an event of another process is recorded");
    e->last = mark_new(e);
    work w;
    w.made = e->last;
    return put(s, std::move(w));
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    ENTER;
    if (!events.count(e)) return wrong(cudaErrorInvalidResourceHandle, "%p is no event", (void *)e);
    const std::shared_ptr<mark> last = last_of(e);
    if (last) run_until([=] { return last->has_come(); }, nullptr);
    return gpu.sticky;
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    ENTER;
    if (!events.count(e)) return wrong(cudaErrorInvalidResourceHandle, "%p is no event", (void *)e);
    gate open;
    any_run(nullptr);
    const std::shared_ptr<mark> last = last_of(e);
    return gpu.sticky ? gpu.sticky : last && !last->has_come() ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    ENTER;
    if (!events.count(from) || !events.count(to))
        return wrong(cudaErrorInvalidResourceHandle, "no events to measure between");
    if (!from->last || !to->last || ((from->flags | to->flags) & cudaEventDisableTiming))
        return wrong(cudaErrorInvalidResourceHandle, "events that have no time");
    if (!from->last->is_done || !to->last->is_done) return gpu.last = cudaErrorNotReady;
    *milliseconds = (float)(1e3 * (to->last->time - from->last->time));
    return cudaSuccess;
}
