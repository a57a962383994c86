/* Where the rows of devices go between two ranks: into the memory of the receiver's device, where the sender's kernels
 * write; into host memory that both ranks see; or by messages between buffers that each has. Both sides of a message
 * settle that together, and no rank needs to know what becomes of other messages. SPDX-License-Identifier: MIT */
#include "pipeline/halo_parts.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- what ranks tell each other ---- */

static void *words_of(struct halo_message *x, int kind, size_t *bytes)
{
    switch (kind) {
    case TAG_PEER_OFFER:
        return *bytes = sizeof x->offer, &x->offer;
    case TAG_PEER_ANSWER:
        return *bytes = sizeof x->answer, &x->answer;
    case TAG_OFFER:
        return *bytes = sizeof x->handle, &x->handle;
    default:
        return *bytes = sizeof x->word, &x->word;
    }
}

/* For all messages but those of devices that are settled, where talk is of the host's memory. */
static int words_move(struct halo *h, struct halo_message *list, int n, int receives, int kind)
{
    for (int m = 0; m < n; m++) {
        struct halo_message *x = &list[m];
        size_t bytes;
        void *const at = words_of(x, kind, &bytes);
        if (x->is_direct && (kind == TAG_OFFER || kind == TAG_ANSWER)) continue;
        if (receives) SF_TRY(comm_irecv(at, bytes, x->peer, tag_of(h, x, kind), &x->request));
        else SF_TRY(comm_isend(at, bytes, x->peer, tag_of(h, x, kind), &x->free));
    }
    return SF_OK;
}

static int words_wait(struct halo_message *list, int n)
{
    for (int m = 0; m < n; m++) {
        SF_TRY(comm_wait(&list[m].request));
        SF_TRY(comm_wait(&list[m].free));
    }
    return SF_OK;
}

enum teller { SENDERS, RECEIVERS };

/* Those who receive rows tell those who send them, or the other way round. */
static int tell(struct halo *h, enum teller teller, int kind)
{
    SF_TRY(words_move(h, h->send, h->nsend, teller == RECEIVERS, kind));
    SF_TRY(words_move(h, h->recv, h->nrecv, teller == SENDERS, kind));
    SF_TRY(words_wait(h->send, h->nsend));
    return words_wait(h->recv, h->nrecv);
}

/* ---- memory of devices ---- */

/* `off`: rows go through the host, to compare the two. */
static const struct backend_peers *peers_wanted(const struct halo *h)
{
    const char *wanted = getenv("SFERIC_PEERS");
    return wanted && !strcmp(wanted, "off") ? NULL : h->on->peers;
}

static void offer_make(const struct halo *h, struct halo_message *x, const struct shared_handle *machine)
{
    const struct backend_peers *const peers = peers_wanted(h);
    x->offer = (struct halo_offer){.machine = *machine, .offset = x->offset};
    if (!peers || !machine->bytes || !peers->offer(h->pool->at, &x->offer.memory)) return;
    x->taken = peers->event_make(&x->offer.taken);
    x->offer.is_made = x->taken != NULL;
}

static void answer_make(const struct halo *h, struct halo_message *x)
{
    const struct backend_peers *const peers = peers_wanted(h);
    struct shared machine;
    x->answer = (struct halo_answer){0};
    if (!peers || !x->offer.is_made || !shared_open(&machine, &x->offer.machine)) return;
    shared_free(&machine);
    x->opened = peers->open(&x->offer.memory);
    if (!x->opened) return;
    x->taken = peers->event_open(&x->offer.taken);
    if (x->taken) x->filled = peers->event_make(&x->answer.filled);
    x->answer.is_made = x->filled != NULL;
}

static int peers_share(struct halo *h)
{
    struct shared machine;
    struct shared_handle handle;
    shared_make(&machine, 1, &handle);
    for (int m = 0; m < h->nrecv; m++) offer_make(h, &h->recv[m], &handle);
    int rc = tell(h, RECEIVERS, TAG_PEER_OFFER);
    for (int m = 0; m < h->nsend && !rc; m++) answer_make(h, &h->send[m]);
    if (!rc) rc = tell(h, SENDERS, TAG_PEER_ANSWER); /* all have looked */
    shared_free(&machine);
    SF_TRY(rc);
    for (int m = 0; m < h->nrecv; m++) {
        struct halo_message *x = &h->recv[m];
        if (x->answer.is_made) x->filled = h->on->peers->event_open(&x->answer.filled);
        x->word = x->filled != NULL;
    }
    SF_TRY(tell(h, RECEIVERS, TAG_PEER_SETTLED));
    for (int m = 0; m < h->nrecv; m++) h->recv[m].is_direct = h->recv[m].word;
    for (int m = 0; m < h->nsend; m++) h->send[m].is_direct = h->send[m].word;
    return SF_OK;
}

/* ---- memory of the host ---- */

static int host_share(struct halo *h)
{
    for (int m = 0; m < h->nrecv; m++)
        if (!h->recv[m].is_direct) shared_make(&h->recv[m].shared, h->recv[m].bytes, &h->recv[m].handle);
    SF_TRY(tell(h, RECEIVERS, TAG_OFFER));
    for (int m = 0; m < h->nsend; m++)
        if (!h->send[m].is_direct) h->send[m].word = (char)shared_open(&h->send[m].shared, &h->send[m].handle);
    return tell(h, SENDERS, TAG_ANSWER);
}

static int buffer_make(const struct halo *h, struct halo_message *x, int is_sent)
{
    size_t room;
    if (!is_sent) x->staged = h->pool->at + x->offset;
    if (x->is_direct) {
        if (is_sent) x->staged = (char *)x->opened + x->offer.offset;
        return SF_OK;
    }
    shared_close(&x->shared);
    if (!x->word) shared_free(&x->shared);
    x->buffer = x->shared.at ? x->shared.at : malloc(x->bytes);
    SF_CHECK(x->buffer, SF_MEMORY, "no memory for a halo message of %zu bytes", x->bytes);
    h->on->pin(x->buffer, x->bytes);
    if (is_sent) x->staged = h->on->alloc(x->bytes, &room);
    SF_CHECK(x->staged, SF_MEMORY, "no memory for %zu bytes of rows on the GPU that ranks exchange: use more slabs",
             x->bytes);
    return SF_OK;
}

int halo_share(struct halo *h)
{
    if (!h->on->is_device) return SF_OK;
    SF_TRY(peers_share(h));
    SF_TRY(host_share(h));
    for (int m = 0; m < h->nsend; m++) SF_TRY(buffer_make(h, &h->send[m], 1));
    for (int m = 0; m < h->nrecv; m++) SF_TRY(buffer_make(h, &h->recv[m], 0));
    return SF_OK;
}

/* ---- the end ---- */

static void event_free(const struct halo *h, void **event)
{
    if (*event) h->on->peers->event_free(*event);
    *event = NULL;
}

void halo_leave(struct halo *h)
{
    for (int m = 0; m < h->nsend; m++) {
        if (h->send[m].opened) h->on->peers->close(h->send[m].opened);
        h->send[m].opened = NULL;
        event_free(h, &h->send[m].taken);
    }
    for (int m = 0; m < h->nrecv; m++) event_free(h, &h->recv[m].filled);
}

void message_free(const struct halo *h, struct halo_message *x, int is_sent)
{
    event_free(h, is_sent ? &x->filled : &x->taken);
    if (x->is_direct) return; /* rows are staged in the pool of the receiver */
    if (x->buffer) h->on->unpin(x->buffer);
    if (x->buffer != x->shared.at) free(x->buffer);
    shared_free(&x->shared);
    if (is_sent && x->staged) h->on->free(x->staged);
}
