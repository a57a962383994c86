/* Builds the messages of an exchange once, packs, sends, receives, unpacks. SPDX-License-Identifier: MIT */
#include "pipeline/halo_parts.h"

#include "pipeline/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct halo_message *message_of(struct halo_message **list, int *n, int peer, int side)
{
    for (int m = 0; m < *n; m++)
        if ((*list)[m].peer == peer && (*list)[m].side == side) return &(*list)[m];
    struct halo_message *grown = realloc(*list, ((size_t)*n + 1) * sizeof *grown);
    if (!grown) return NULL;
    *list = grown;
    grown[*n] = (struct halo_message){.peer = peer, .side = side, .first = INT_MAX, .last = INT_MIN};
    return &grown[(*n)++];
}

static int part_add(struct halo_message *m, int id, int to, int from)
{
    if (m->nparts > 0) {
        struct halo_part *p = &m->part[m->nparts - 1];
        if (p->id == id && p->to + p->rows == to && p->from + p->rows == from) {
            p->rows++;
            return SF_OK;
        }
    }
    struct halo_part *grown = realloc(m->part, ((size_t)m->nparts + 1) * sizeof *grown);
    SF_CHECK(grown, SF_MEMORY, "no memory for a halo message");
    m->part = grown;
    m->part[m->nparts++] = (struct halo_part){.id = id, .to = to, .from = from, .rows = 1};
    return SF_OK;
}

/* Ghost row `to` of one rank and side: who owns the row it comes from, if it exists at all. */
static int owner_of(const struct comm *c, int nj, int periodic, int gj, int to, int *owner, int *from)
{
    *from = to;
    if (periodic) *from = ((to % nj) + nj) % nj;
    else if (to < -gj || to >= nj + gj) return 0;
    const int inside = *from < 0 ? 0 : *from >= nj ? nj - 1 : *from;
    *owner = comm_owner(c, nj, inside);
    return 1;
}

static int row_add(struct halo *h, int receiver, int side, const struct plan_rows *r, int to, int periodic, int gj)
{
    int owner, from;
    const int nj = h->lay.nj;
    if (!owner_of(&h->comm, nj, periodic, gj, to, &owner, &from)) return SF_OK;
    if (!layout_row_bytes(&h->lay, &h->form[r->id])) return SF_OK;
    int first = to, last = to + 1;
    if (!form_rows(&h->form[r->id], nj, &first, &last)) return SF_OK; /* a box that ends before */
    if (!periodic && owner == receiver) return SF_OK; /* beyond its own physical side: filled, not exchanged */
    /* No rank sends a ghost row beyond a physical side: the rows that it is made from may be final on the receiver
     * only. Row nj is an exception, for a field that is staggered along y owns it. */
    if (!periodic && (to < 0 || to > nj)) return SF_OK;
    if (receiver == owner) return owner == h->comm.rank ? part_add(&h->within, r->id, to, from) : SF_OK;
    if (receiver == h->comm.rank) {
        struct halo_message *m = message_of(&h->recv, &h->nrecv, owner, side);
        SF_CHECK(m, SF_MEMORY, "no memory for a halo message");
        SF_TRY(part_add(m, r->id, to, from));
    }
    if (owner == h->comm.rank) {
        struct halo_message *m = message_of(&h->send, &h->nsend, receiver, side);
        SF_CHECK(m, SF_MEMORY, "no memory for a halo message");
        SF_TRY(part_add(m, r->id, to, from));
        /* A row beyond a physical side is made from rows inside. The message waits until all rows of this rank are
         * final. */
        const int beyond = from < 0 || from >= nj;
        m->first = SF_MIN(m->first, beyond ? INT_MIN : from);
        m->last = SF_MAX(m->last, beyond ? INT_MAX - 1 : from);
    }
    return SF_OK;
}

static void bytes_count(const struct halo *h, struct halo_message *m)
{
    for (int p = 0; p < m->nparts; p++)
        m->bytes += (size_t)m->part[p].rows * layout_row_bytes(&h->lay, &h->form[m->part[p].id]);
}

static int messages_make(struct halo *h, const struct plan_rows *rows, int nrows, int periodic, int gj)
{
    for (int receiver = 0; receiver < h->comm.size; receiver++) {
        int ja, jb;
        comm_rows(&h->comm, h->lay.nj, receiver, &ja, &jb);
        for (int r = 0; r < nrows; r++) {
            for (int j = ja - rows[r].south; j < ja; j++)
                SF_TRY(row_add(h, receiver, HALO_SOUTH, &rows[r], j, periodic, gj));
            for (int j = jb; j < jb + rows[r].north; j++)
                SF_TRY(row_add(h, receiver, HALO_NORTH, &rows[r], j, periodic, gj));
        }
    }
    size_t all = 0;
    for (int m = 0; m < h->nsend + h->nrecv; m++) {
        struct halo_message *x = m < h->nsend ? &h->send[m] : &h->recv[m - h->nsend];
        bytes_count(h, x);
        if (h->on->is_device && m >= h->nsend) {
            enum { LINE = 256 };
            x->offset = h->pool->bytes;
            h->pool->bytes += (x->bytes + LINE - 1) / LINE * LINE;
        }
        if (h->on->is_device) continue; /* see halo_share */
        all += x->bytes;
        if (!h->pool) x->buffer = malloc(x->bytes);
        SF_CHECK(x->buffer || h->pool, SF_MEMORY, "no memory for a halo message of %zu bytes", x->bytes);
    }
    bytes_count(h, &h->within);
    if (h->pool && !h->on->is_device) h->pool->bytes = SF_MAX(h->pool->bytes, all);
    return SF_OK;
}

int halo_make(struct halo *h, const struct plan_rows *rows, int nrows, const struct form *form, const struct comm *c,
              const struct layout *l, int periodic, int gj, int tag, const struct backend *on, struct halo_pool *pool)
{
    *h = (struct halo){.comm = *c, .pool = pool, .on = on, .lay = *l, .tag = tag};
    memcpy(h->form, form, sizeof h->form);
    const int rc = messages_make(h, rows, nrows, periodic, gj);
    if (rc) halo_free(h);
    return rc;
}

int halo_pool_make(struct halo_pool *p, const struct backend *on)
{
    p->on = on;
    if (!p->bytes) return SF_OK; /* alone, a rank has no messages */
    if (!on->is_device) {
        p->at = malloc(p->bytes);
        SF_CHECK(p->at, SF_MEMORY, "no memory for halo messages of %zu bytes", p->bytes);
        return SF_OK;
    }
    size_t room;
    p->bytes = (p->bytes + BACKEND_PEER_GRAIN - 1) / BACKEND_PEER_GRAIN * BACKEND_PEER_GRAIN;
    p->at = on->alloc(p->bytes, &room);
    SF_CHECK(p->at, SF_MEMORY, "no memory for %zu bytes of rows on the GPU that ranks exchange: use more slabs",
             p->bytes);
    return SF_OK;
}

void halo_pool_free(struct halo_pool *p)
{
    if (p->at && p->on->is_device) p->on->free(p->at);
    else free(p->at);
    p->at = NULL;
}

/* Gives the memory of the pool to this exchange, once the messages of the exchange that had it have left. */
static int pool_take(struct halo *h)
{
    struct halo_pool *const p = h->pool;
    size_t at = 0;
    if (!p || h->on->is_device || p->last == h) return SF_OK;
    for (int m = 0; p->last && m < p->last->nsend; m++) SF_TRY(comm_wait(&p->last->send[m].request));
    for (int m = 0; m < h->nsend + h->nrecv; m++) {
        struct halo_message *x = m < h->nsend ? &h->send[m] : &h->recv[m - h->nsend];
        x->buffer = p->at + at;
        at += x->bytes;
    }
    p->last = h;
    return SF_OK;
}

static void messages_free(const struct halo *h, struct halo_message *list, int n)
{
    for (int m = 0; m < n; m++) {
        struct halo_message *const x = &list[m];
        comm_wait(&x->request);
        comm_wait(&x->free);
        if (h->on->is_device) message_free(h, x, list == h->send);
        else if (!h->pool) free(x->buffer);
        free(x->part);
    }
    free(list);
}

void halo_free(struct halo *h)
{
    if (h->on && h->on->is_device) halo_leave(h);
    messages_free(h, h->send, h->nsend);
    messages_free(h, h->recv, h->nrecv);
    free(h->within.part);
    h->within = (struct halo_message){0};
    h->send = h->recv = NULL;
    h->nsend = h->nrecv = 0;
}

size_t halo_bytes(const struct halo *h)
{
    size_t bytes = h->within.bytes;
    for (int m = 0; m < h->nrecv; m++) bytes += h->recv[m].bytes;
    return bytes;
}

int halo_is_direct(const struct halo *h)
{
    int direct = 0;
    for (int m = 0; m < h->nsend; m++) direct += h->send[m].is_direct;
    for (int m = 0; m < h->nrecv; m++) direct += h->recv[m].is_direct;
    return direct == h->nsend + h->nrecv;
}

static int is_by_word(const struct halo_message *x) { return x->shared.at || x->is_direct; }

/* Sends or receives the rows; where both ranks see the buffer, one byte instead, which says that the buffer is full. */
static int rows_message(struct halo *h, struct halo_message *x, int receives)
{
    const int by_word = is_by_word(x), tag = tag_of(h, x, TAG_ROWS);
    void *const at = by_word ? (void *)&x->full : x->buffer;
    const size_t bytes = by_word ? 1 : x->bytes;
    return receives ? comm_irecv(at, bytes, x->peer, tag, &x->request)
                    : comm_isend(at, bytes, x->peer, tag, &x->request);
}

int halo_begin(struct halo *h)
{
    SF_TRY(pool_take(h));
    for (int m = 0; m < h->nsend; m++) {
        struct halo_message *x = &h->send[m];
        SF_TRY(comm_wait(&x->request));
        x->packed = x->sent = 0;
        if (is_by_word(x)) SF_TRY(comm_irecv(&x->word, 1, x->peer, tag_of(h, x, TAG_FREE), &x->free));
    }
    SF_TRY(h->on->await(LANE_IN, BACKEND_EVENT_HALO)); /* what came last has left its buffer */
    for (int m = 0; m < h->nrecv; m++) {
        struct halo_message *x = &h->recv[m];
        SF_TRY(comm_wait(&x->free));
        if (is_by_word(x)) SF_TRY(comm_isend(&x->word, 1, x->peer, tag_of(h, x, TAG_FREE), &x->free));
        SF_TRY(rows_message(h, x, 1));
    }
    return SF_OK;
}

/* Copies rows into a message (pack = 1) or out of it, in the memory where the fields lie. */
static void rows_move(const struct halo *h, const struct slab *s, const struct halo_message *m, int pack)
{
    char *at = h->on->is_device ? m->staged : m->buffer;
    struct backend_copy copy[BACKEND_BATCH];
    int n = 0;
    for (int p = 0; p < m->nparts; p++) {
        const struct halo_part *x = &m->part[p];
        const struct form *form = &h->form[x->id];
        const size_t bytes = (size_t)x->rows * layout_row_bytes(&h->lay, form);
        void *const row = storage_row(s, &h->lay, form, x->id, pack ? x->from : x->to);
        copy[n++] = pack ? (struct backend_copy){at, row, bytes} : (struct backend_copy){row, at, bytes};
        at += bytes;
        if (n < BACKEND_BATCH && p + 1 < m->nparts) continue;
        h->on->copy_within(copy, n);
        n = 0;
    }
}

/* Writes the rows of a message into the memory of the receiver's device. No host waits for a device here.
 *
 * The sender S and the receiver R share two events and two words (messages of one byte):
 *
 *     event `filled`, recorded by S behind the copy: the rows are there          word "full", from S to R, after that
 *     event `taken`, recorded by R behind its unpacking: the buffer is free      word "free", from R to S, after that
 *
 * A stream waits for an event of the other rank only after the word came that this event was recorded. So a stream
 * never waits for an event that is yet to be recorded, and the two streams cannot wait for each other.
 *
 * An event must not be recorded again before the other rank has asked its stream to wait for the last record; the
 * stream would wait for the new one. That holds: S records `filled` anew after the word "free", which R sends in
 * halo_begin, after the halo_end in which R asked for the wait for the last `filled`. R records `taken` anew after the
 * word "full", which S sends after S asked for the wait for the last `taken`. */
static int rows_put(struct halo *h, const struct slab *s, struct halo_message *x)
{
    SF_TRY(comm_wait(&x->free));
    h->on->peers->wait(x->taken);
    rows_move(h, s, x, 1);
    h->on->peers->record(x->filled);
    SF_TRY(rows_message(h, x, 0));
    x->packed = x->sent = 1;
    return SF_OK;
}

int halo_send(struct halo *h, const struct slab *s, int low, int high)
{
    for (int m = 0; m < h->nsend; m++) {
        struct halo_message *x = &h->send[m];
        if (x->packed || x->first < low || x->last >= high) continue;
        if (x->is_direct) {
            SF_TRY(rows_put(h, s, x));
            continue;
        }
        rows_move(h, s, x, 1);
        x->packed = 1;
        if (!h->on->is_device) continue;
        h->on->record(LANE_COMPUTE, BACKEND_EVENT_HALO);
        h->on->wait(LANE_OUT, LANE_COMPUTE, BACKEND_EVENT_HALO);
        SF_TRY(comm_wait(&x->free));
        h->on->copy_out(x->buffer, x->staged, x->bytes);
        h->on->record(LANE_OUT, BACKEND_EVENT_HALO);
    }
    return h->on->is_device ? SF_OK : halo_post(h, HALO_BOTH);
}

int halo_post(struct halo *h, int side)
{
    for (int m = 0; m < h->nsend; m++) {
        struct halo_message *x = &h->send[m];
        if (!x->packed || x->sent || (side != HALO_BOTH && x->side != side)) continue;
        SF_TRY(h->on->await(LANE_OUT, BACKEND_EVENT_HALO));
        SF_TRY(rows_message(h, x, 0));
        x->sent = 1;
    }
    return SF_OK;
}

static void wrap_on_device(const struct halo *h, const struct slab *s)
{
    struct backend_copy copy[BACKEND_BATCH];
    int n = 0;
    for (int p = 0; p < h->within.nparts; p++) {
        const struct halo_part *x = &h->within.part[p];
        const struct form *form = &h->form[x->id];
        copy[n++] = (struct backend_copy){.to = storage_row(s, &h->lay, form, x->id, x->to),
                                          .from = storage_row(s, &h->lay, form, x->id, x->from),
                                          .bytes = (size_t)x->rows * layout_row_bytes(&h->lay, form)};
        if (n < BACKEND_BATCH && p + 1 < h->within.nparts) continue;
        h->on->copy_within(copy, n);
        n = 0;
    }
}

void halo_wrap(const struct halo *h, const struct slab *s, int thread, int threads)
{
    if (h->on->is_device) {
        if (thread == 0) wrap_on_device(h, s);
        return;
    }
    for (int p = 0; p < h->within.nparts; p++) {
        const struct halo_part *x = &h->within.part[p];
        const struct form *form = &h->form[x->id];
        const size_t n = (size_t)x->rows * layout_row_bytes(&h->lay, form);
        const size_t n0 = n * (size_t)thread / (size_t)threads, n1 = n * (size_t)(thread + 1) / (size_t)threads;
        memcpy((char *)storage_row(s, &h->lay, form, x->id, x->to) + n0,
               (const char *)storage_row(s, &h->lay, form, x->id, x->from) + n0, n1 - n0);
    }
}

int halo_end(struct halo *h, const struct slab *s, int side)
{
    for (int m = 0; m < h->nrecv; m++) {
        struct halo_message *x = &h->recv[m];
        if (x->side != side) continue;
        SF_TRY(comm_wait(&x->request));
        if (x->is_direct) h->on->peers->wait(x->filled);
        else if (h->on->is_device) {
            h->on->wait(LANE_IN, LANE_COMPUTE, BACKEND_EVENT_TAKEN);
            h->on->copy_in(x->staged, x->buffer, x->bytes);
            h->on->record(LANE_IN, BACKEND_EVENT_HALO);
            h->on->wait(LANE_COMPUTE, LANE_IN, BACKEND_EVENT_HALO);
        }
        rows_move(h, s, x, 0);
        if (x->is_direct) h->on->peers->record(x->taken);
        else h->on->record(LANE_COMPUTE, BACKEND_EVENT_TAKEN);
    }
    return SF_OK;
}

int halo_progress(struct halo *h)
{
    for (int m = 0; m < h->nsend; m++) SF_TRY(comm_progress(&h->send[m].request, 1));
    for (int m = 0; m < h->nrecv; m++) SF_TRY(comm_progress(&h->recv[m].request, 1));
    return SF_OK;
}
