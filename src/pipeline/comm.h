/* Ranks and what they say to each other. The only place that knows MPI; without MPI there is one rank.
 *
 * Ranks own contiguous rows j. All calls come from the main thread (MPI_THREAD_FUNNELED). Errors: SF_COMM.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

struct comm {
    int rank, size;
    int imagined; /* of a plan for a machine that is not at hand: the other ranks are imagined, so many on each machine,
                     and nothing is said to them; 0: they are there */
};

/* Is nobody there to talk to? */
static inline int comm_is_alone(const struct comm *c) { return c->size == 1 || c->imagined > 0; }

/* One message, under way or not; zeros: not. The library's handle lies inside: a message needs no memory, which one
 * rank alone could lack while the others wait for its rows. */
struct comm_request {
    unsigned char handle[sizeof(void *)] __attribute__((aligned(sizeof(void *))));
    int is_begun;
};

int comm_begin(int *argc, char ***argv, struct comm *c);
void comm_end(void);
/* End all ranks at once with this exit code; used when one rank fails where the others wait for it. */
void comm_abort(int code);
const char *comm_version(void); /* the MPI library, "none" without MPI */

/* Rows [*ja, *jb) of nj rows are those of rank `rank`. */
void comm_rows(const struct comm *c, int nj, int rank, int *ja, int *jb);
/* The rank that owns row j. */
int comm_owner(const struct comm *c, int nj, int j);

/* Number of this rank among those of its machine, from 0. */
int comm_local(const struct comm *c);
/* How many they are. */
int comm_locals(const struct comm *c);

int comm_bcast(const struct comm *c, void *data, size_t bytes);
/* The largest (smallest) of one number of every rank, on all ranks. */
int comm_max(const struct comm *c, int *value);
int comm_max_double(const struct comm *c, double *value);
/* `all` on rank 0 holds the bytes of every rank in order; bytes[r] is what rank r gives. */
int comm_gather(const struct comm *c, const void *mine, void *all, const size_t *bytes);
/* The reverse: rank 0 deals `all` out. */
int comm_scatter(const struct comm *c, const void *all, void *mine, const size_t *bytes);
/* The same on all ranks. */
int comm_allgather(const struct comm *c, const void *mine, void *all, const size_t *bytes);
int comm_barrier(const struct comm *c);

/* tag: 0 or more, between two ranks; gathers have one of their own. */
int comm_isend(const void *data, size_t bytes, int peer, int tag, struct comm_request *r);
int comm_irecv(void *data, size_t bytes, int peer, int tag, struct comm_request *r);
int comm_wait(struct comm_request *r);
/* Give the library a chance to move data. */
int comm_progress(struct comm_request *r, int n);
