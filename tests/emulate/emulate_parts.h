/* What the parts of the emulated GPU's runtime share: errors and launches are in cuda_runtime.cc, memory in memory.cc, streams, events
 * and copies in streams.cc. They are in a namespace: kernel.cc and the program may have such names of their own. SPDX-License-Identifier: MIT */
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

struct mark {
    bool is_done = false;
    double time = 0;
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
};

extern std::recursive_mutex lock;
extern device gpu;
extern std::map<char *, allocation> &allocations; /* by first byte */
extern std::vector<CUstream_st *> &streams;

/* ---- errors: cuda_runtime.cc ---- */

__attribute__((format(printf, 2, 3))) cudaError_t wrong(cudaError_t e, const char *format, ...);
void open_once();
cudaError_t entered(const char *call);

#define ENTER                                              \
    std::lock_guard<std::recursive_mutex> locked(lock);    \
    if (cudaError_t e_ = entered(__func__)) return e_

/* ---- memory: memory.cc ---- */

void memory_open(); /* takes its addresses */
bool is_in_space(const void *p);
const allocation *allocation_of(const void *p);
bool is_pinned(const void *p, size_t bytes);
void *hidden_address(size_t at); /* that stands for one of the host */
bool is_mapped(const void *p);
void slack_check(const allocation &a, const char *when);

/* The device's memory, open while it works. */
struct gate {
    gate();
    ~gate();
    static void protect(int how);
};

/* ---- streams: streams.cc ---- */

cudaError_t put(CUstream_st *s, work w);

} // namespace emulated

struct CUstream_st {
    unsigned flags = 0;
    std::deque<emulated::work> queue;
};
