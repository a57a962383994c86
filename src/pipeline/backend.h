/* Where slabs are computed: memory of a device and the transfers to and from it.
 *
 * The engine speaks to a device in three lanes (in, compute, out) ordered by events. The CPU's device is host memory,
 * its transfer is memcpy and its lanes run in the order they are given. A GPU's lanes are streams: copies and kernels
 * are put into them and run later. What goes wrong there is kept, and told at the next `sync` or `check`.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/ghost.h"

enum lane { LANE_IN, LANE_COMPUTE, LANE_OUT, LANES };

/* Events of a lane: a ring for slabs and their pieces, and some of their own. */
enum {
    BACKEND_RING = 64,
    BACKEND_EVENT_HALO = BACKEND_RING,
    BACKEND_EVENT_TAKEN,
    BACKEND_EVENT_SNAPSHOT,
    BACKEND_EVENT_NEAR,
    BACKEND_EVENT_FAR,
    BACKEND_EVENT_HOLD,
    BACKEND_EVENT_TRIP,
    BACKEND_EVENT_TAKE,
    /* two of them */ BACKEND_EVENTS = BACKEND_EVENT_TAKE + 2,
    BACKEND_BATCH = 16,
    BACKEND_MARKS = 65536,
    BACKEND_PEER_GRAIN = 2 << 20
};

/* Bytes from one place of the device to another. */
struct backend_copy {
    void *to;
    const void *from;
    size_t bytes;
};

/* Ghosts to fill behind the units of a box; see ghost_fill. */
struct backend_ghosts {
    int id;
    enum shape shape;
    const struct ghost_maps *maps;
    struct reach depth;
};

/* A kernel as it was launched: of those that were noted, the one with the most threads. */
struct kernel_figures;
struct backend_launch {
    const void *kernel; /* NULL: none was */
    double threads; /* of all blocks */
    int block; /* threads of one */
    size_t shared; /* bytes of a block that the launch adds */
    /* What CUDA's runtime knows of it: asked where it was compiled, for a library that kernels of a model lie in has a
     * runtime of its own. Returns a cudaError_t. */
    int (*ask)(const struct backend_launch *l, struct kernel_figures *f);
};

/* What a device knows of a kernel. */
struct kernel_figures {
    const char *name; /* as the compiler calls it */
    int registers; /* of a thread */
    int resident; /* threads that a multiprocessor holds at a time */
    size_t shared, local; /* bytes of a block, and of a thread */
};

struct device_figures {
    const char *name;
    int number, devices; /* which of how many of the machine */
    int multiprocessors, threads; /* threads: of a block, at most */
    size_t memory, l2, shared; /* bytes: of all, of the second-level cache, that a block may share */
    double clock; /* Hz, the highest */
};

/* What a process tells another one of memory or an event of its device. */
struct backend_handle {
    unsigned char bytes[64];
};

/* Memory and events that two processes of a machine share, so that kernels of one write where those of the other read.
 * Where that cannot be, 0 or NULL tells so, and is no error. What was opened is given back before who made it frees
 * it. */
struct backend_peers {
    int (*offer)(void *memory,
                 struct backend_handle *h); /* memory of `alloc`, whole grains of BACKEND_PEER_GRAIN bytes */
    void *(*open)(const struct backend_handle *h); /* where this process sees it; may be opened several times */
    void (*close)(void *opened);
    void *(*event_make)(struct backend_handle *h);
    void *(*event_open)(const struct backend_handle *h);
    void (*event_free)(void *event); /* one that was made or opened */
    /* In LANE_COMPUTE: the event is what was put there until now, by who made it; what follows there waits for the
     * event, as it was recorded last when this is called. */
    void (*record)(void *event);
    void (*wait)(void *event);
};

struct backend {
    const char *name;
    int line; /* bytes that rows of memory are best aligned to */
    int is_device; /* 1: slabs lie in memory that the host cannot touch, and stages are launched */

    /* Zeroed memory for slabs; NULL when there is none (*room: the bytes that could be had). */
    void *(*alloc)(size_t bytes, size_t *room);
    size_t (*room)(int ranks); /* bytes that each of `ranks` ranks of this machine can have now; of a device only */
    void (*free)(void *memory);
    /* Folded memory: `bytes` of addresses, at which `period` bytes of memory lie again and again, zeroed. Both are
     * multiples of the grain. NULL as above. */
    int (*grain)(size_t *bytes); /* Errors: SF_GPU, where the device has none */
    void *(*fold)(size_t bytes, size_t period, size_t *room);
    void (*unfold)(void *memory, size_t bytes, size_t period);
    /* Make host memory fast to copy from and to; without effect where that fails. */
    void (*pin)(void *host, size_t bytes);
    void (*unpin)(void *host);
    void *(*table_alloc)(size_t bytes); /* see tables.h */
    void (*table_free)(void *table);
    void *(*send)(const void *from, size_t bytes); /* table_send, in LANE_COMPUTE; NULL when there is no memory */
    void (*unsend)(void *sent);

    void (*copy_in)(void *device, const void *host, size_t bytes); /* in LANE_IN */
    void (*copy_out)(void *host, const void *device, size_t bytes); /* in LANE_OUT */
    void (*copy_within)(const struct backend_copy *copy, int n); /* in LANE_COMPUTE; ranges do not overlap */
    /* An event of lane `lane` is what was put there until now; wait: what follows in `lane` waits for the event of lane
     * `of`, as it was recorded last. */
    void (*record)(enum lane lane, int event);
    void (*wait)(enum lane lane, enum lane of, int event);
    int (*await)(enum lane of, int event); /* the host waits. Errors: SF_GPU */
    int (*sync)(enum lane lane); /* until all that was put in the lane is done. Errors: SF_GPU */
    int (*check)(const char *what); /* did `what` start? Errors: SF_GPU */

    /* Mark n, 0 .. BACKEND_MARKS - 1, here; the seconds between two marks, once their lanes were synced. */
    void (*mark)(enum lane lane, int n);
    double (*seconds)(int from, int to);
    /* Bytes/s in, out at the same time, and moved (read and written) by copies within: measured once. Errors:
     * SF_GPU. */
    int (*rates)(double *in, double *out, double *within);

    void (*range)(const char *name); /* for profilers: what follows is called so; NULL: no longer */

    /* On a device only, all in LANE_COMPUTE. */
    void *(*stream)(void);
    void (*ghosts)(const struct slab *s, const struct layout *l, const struct backend_ghosts *fill, int n,
                   struct box b);
    /* Ghosts of one field that are given or make a gradient, behind those; and whole rows, see ghost_make_rows. */
    void (*make)(const struct slab *s, const struct layout *l, const struct backend_ghosts *fill, struct box b);
    void (*make_rows)(const struct slab *s, const struct layout *l, enum shape shape, int id,
                      const struct ghost_maker *m, int j0, int j1);
    void (*ghost_rows)(const struct slab *s, const struct layout *l, enum shape shape, int id,
                       const struct ghost_map *y, int j0, int j1);
    /* to = what lies `share` of the way between two levels (between.h), of n values. */
    void (*between)(real *to, const real *before, const real *after, real share, size_t n);
    /* *bad |= 1 (a table) when any of n values is NaN or Inf. */
    void (*find_bad)(const real *value, size_t n, int *bad);
    /* Until the next call, note what is launched in *to; NULL: nothing. */
    void (*watch)(struct backend_launch *to);
    /* What was noted. Errors: SF_GPU. */
    int (*kernel)(const struct backend_launch *l, struct kernel_figures *f);
    const struct device_figures *(*device)(void);
    const struct backend_peers *peers;
};

extern const struct backend backend_cpu;
#if SF_CUDA
extern const struct backend backend_cuda;
/* Take the device of this rank, the `local`-th of its machine (counted round). *found 0: there is none. Errors:
 * SF_GPU. */
int backend_cuda_open(int local, int *found);
const char *backend_cuda_toolkit(void); /* see backend_toolkit */
#endif

/* The choices of &pipeline backend. */
enum { BACKEND_AUTO, BACKEND_CPU, BACKEND_CUDA };

/* The backend for a run by one of these choices; auto takes a GPU where there is one. `local`:
 * number of this rank on its machine. Errors: SF_GPU. */
int backend_choose(const struct backend **backend, int choice, int local);

/* For people: "cpu", or "cuda, " and the name of the GPU; until the next call. */
const char *backend_label(const struct backend *b);
/* CUDA's version that this program was built with; "none". */
const char *backend_toolkit(void);
