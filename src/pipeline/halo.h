/* Ghost rows at seams: between ranks, and between the two ends of a periodic domain.
 *
 * A message carries all rows of all fields that one rank needs on one side from one owner; ghost rows may come from
 * several ranks, and a short periodic domain wraps as often as it must. A message leaves as soon as its rows are final
 * and is unpacked when a sweep is about to need it, so that it travels behind the computing in between. Ghost rows that
 * the rank owns itself are no message: they are copied between two sweeps, and need no buffer.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/backend.h"
#include "pipeline/comm.h"
#include "pipeline/plan.h"
#include "pipeline/shared.h"
#include "pipeline/storage.h"

struct halo_part {
    int id, to, from, rows; /* ghost rows to .. come from the owner's rows from .. */
};

/* What the receiver of a message tells its sender, and what that answers: see halo_share.c. */
struct halo_offer {
    int is_made;
    struct shared_handle machine; /* who can open it is on the same machine */
    struct backend_handle memory, taken;
    size_t offset; /* of the message in that memory */
};
struct halo_answer {
    int is_made;
    struct backend_handle filled;
};

struct halo_message {
    int peer, side; /* side of the receiver: 0 south, 1 north */
    int first, last; /* rows of the owner that must be final */
    int nparts;
    struct halo_part *part;
    size_t bytes;
    char *buffer;
    void *staged; /* the same on a device: rows are put together there and travel between it and the buffer */
    size_t offset; /* of what a device receives, in the pool */
    /* 1: there is no buffer, and the sender puts rows together where the receiver has them staged. Events tell when
     * they are there, and when they have been taken; a word is sent once an event has been recorded. */
    int is_direct;
    void *opened; /* the receiver's memory, with the sender */
    void *filled, *taken; /* recorded by the sender, by the receiver */
    struct halo_offer offer;
    struct halo_answer answer;
    struct shared
        shared; /* the buffer, where both ranks see it: then a word is sent when it is full, and one when it is free */
    struct shared_handle handle;
    char word, full;
    struct comm_request request, free;
    int packed, sent;
};

/* Memory that the messages of several exchanges take by turns: of the CPU, where one of them is over when the next
 * begins. Of a device: where all that they receive lies side by side, in one piece, which other processes open. */
struct halo_pool {
    const struct backend *on;
    char *at;
    size_t bytes; /* of the largest; on a device of all */
    struct halo *last; /* whose messages may still be leaving */
};

enum { HALO_TAGS = 8 }; /* of MPI, that an exchange takes */

struct halo {
    struct comm comm;
    struct halo_pool *pool; /* NULL: messages have memory of their own; a device has one */
    const struct backend *on; /* where the rows lie */
    struct layout lay;
    struct form form[2 * SF_MAX_FIELDS];
    int tag;
    int nsend, nrecv;
    struct halo_message *send, *recv;
    struct halo_message within; /* ghost rows of either side that are this rank's own rows */
};

/* `rows` of the fields, for all ranks of `c`; `periodic`: row -1 is row nj - 1, else rows down to -gj and up to
 * nj - 1 + gj exist with the ranks at the sides. `pool` (NULL: none, on the CPU): where messages lie, made when it is
 * known who shares it. Errors: SF_MEMORY. */
int halo_make(struct halo *h, const struct plan_rows *rows, int nrows, const struct form *form, const struct comm *c,
              const struct layout *l, int periodic, int gj, int tag, const struct backend *on, struct halo_pool *pool);
int halo_pool_make(struct halo_pool *p,
                   const struct backend *on); /* on the backend of those halos. Errors: SF_MEMORY */
void halo_pool_free(struct halo_pool *p); /* once they are freed */
/* Where ranks have devices, settle where rows go: on one machine the sender writes into the memory of the receiver's
 * device, or into host memory that both see; else there are messages. Collective, after all halos and the pool are
 * made; a rank that fails has talked to the others like the rest. Errors: SF_MEMORY, SF_COMM. */
int halo_share(struct halo *h);
/* Give back what other ranks own, which they free once all have: before halo_free, with all lanes at rest. */
void halo_leave(struct halo *h);
void halo_free(struct halo *h);
size_t halo_bytes(const struct halo *h); /* that this rank receives or copies */
int halo_is_direct(const struct halo *h); /* 1: all its messages go from device to device */

/* Make ready to receive, after the messages of the last time, and those of others in the pool, have left. */
int halo_begin(struct halo *h);
/* Send what is final: rows in [low, high) of this rank are. Rows of a device that go through the host are put on their
 * way there, and sent by halo_post. */
int halo_send(struct halo *h, const struct slab *s, int low, int high);
/* Send those that a device was to bring to the host, for either side of the receivers, or both; waits until they are
 * there. To be called before ghost rows of that side are waited for. */
enum { HALO_SOUTH, HALO_NORTH, HALO_BOTH };
int halo_post(struct halo *h, int side);
/* Copy the ghost rows that are this rank's own: between two sweeps, for both read and change them. Each of `threads`
 * threads does its share. */
void halo_wrap(const struct halo *h, const struct slab *s, int thread, int threads);
/* Wait for the ghost rows of one side that come from other ranks, and put them in place. */
int halo_end(struct halo *h, const struct slab *s, int side);
int halo_progress(struct halo *h);
