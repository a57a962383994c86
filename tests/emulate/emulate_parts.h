/* What the parts of the emulated GPU's runtime share: errors and launches are in cuda_runtime.cc, memory in memory.cc,
 * streams, events and copies in streams.cc, what other processes see in peers.cc. They are in a namespace: kernel.cc
 * and the program may have such names of their own. SPDX-License-Identifier: MIT */
#pragma once

#include "emulate.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

namespace emulated {

const size_t PAGE = 4096, GUARD = 1 << 16;

enum kind { DEVICE, MANAGED, PINNED, FOLDED };

struct outside; /* what several processes see of memory, and of an event: peers.cc */
struct told;

struct allocation {
    char *at;
    size_t bytes;
    char *pages;
    size_t page_bytes;
    enum kind kind;
    size_t memory; /* bytes; of FOLDED fewer than those that have addresses */
    outside *seen = nullptr; /* other processes see it, or it is theirs */

    bool is_hidden() const { return kind == DEVICE || kind == FOLDED; }
};

/* A record of an event. Of one that other processes see, it is what they see: the number-th. */
struct mark {
    bool is_done = false;
    double time = 0;
    std::shared_ptr<told> seen;
    unsigned long number = 0;

    bool has_come() const; /* peers.cc */
    void come(double at);
};

struct work {
    std::function<void()> run;
    std::shared_ptr<mark> awaited, made;
};

struct device {
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
    long opens; /* how often what other processes show can still be opened */
};

extern std::recursive_mutex lock;
extern device gpu;
extern std::map<char *, allocation> &allocations; /* by first byte */
extern std::vector<CUstream_st *> &streams;

/* ---- errors: cuda_runtime.cc ---- */

__attribute__((format(printf, 2, 3))) cudaError_t wrong(cudaError_t e, const char *format, ...);
void open_once();
cudaError_t entered(const char *call);

#define ENTER                                                                                                          \
    std::lock_guard<std::recursive_mutex> locked(lock);                                                                \
    if (cudaError_t e_ = entered(__func__)) return e_

/* ---- memory: memory.cc ---- */

void memory_open(); /* takes its addresses */
bool is_in_space(const void *p);
const allocation *allocation_of(const void *p);
bool is_pinned(const void *p, size_t bytes);
void memory_set(char *at, int value, size_t bytes);
void *hidden_address(size_t at); /* that stands for one of the host */
bool is_mapped(const void *p);
void slack_check(const allocation &a, const char *when);
char *addresses_take(size_t bytes); /* guarded at both ends */
void addresses_give(char *at,
                    size_t bytes); /* out of everyone's reach for ever, and what was there back to the system */

/* The device's memory, open while it works. */
struct gate {
    gate();
    ~gate();
    static void protect(int how);
};

/* ---- streams: streams.cc ---- */

cudaError_t put(CUstream_st *s, work w);
/* Run one piece of work that can run, of `first` if there is one and it can; false: there is none. With the device's
 * memory open. */
bool any_run(CUstream_st *first);
bool is_event(const CUevent_st *e);
CUevent_st *event_new(unsigned flags);

/* ---- other processes: peers.cc ---- */

bool is_foreign(const allocation &a); /* another process's */
void outside_free(const allocation &a); /* by its owner */
/* Where all streams wait: for another process? Naps, and adds that to *waited, s. false: for each other. */
bool outside_wait(double *waited);
void outside_stall(); /* at times, for a while, where another process may come to wait */
cudaError_t event_show(CUevent_st *e);
void event_hide(CUevent_st *e);
std::shared_ptr<mark> mark_new(CUevent_st *e); /* a record */
std::shared_ptr<mark> last_of(const CUevent_st *e); /* the last one; null: none */

} // namespace emulated

struct CUevent_st {
    unsigned flags = 0;
    std::shared_ptr<emulated::mark> last;
    std::shared_ptr<emulated::told> seen = nullptr; /* by other processes */
    bool is_opened = false; /* another process made it */
};

struct CUstream_st {
    unsigned flags = 0;
    std::deque<emulated::work> queue;
};
