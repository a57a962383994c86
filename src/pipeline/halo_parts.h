/* What halo.c, which exchanges rows, and halo_share.c, which settles where they go, share.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/halo.h"

/* Between two ranks there is one message of each kind and side of the receiver: rows, "the buffer is free", and what
 * both say of memory that they share: of a device (may you open it? yes, and may I open your event? settled), and of
 * the host. */
enum { TAG_ROWS, TAG_FREE, TAG_PEER_OFFER, TAG_PEER_ANSWER, TAG_PEER_SETTLED, TAG_OFFER, TAG_ANSWER, TAGS };

/* What is settled is settled question by question, of which one at a time is on its way: they share their tags, of
 * which MPI promises few. */
static inline int tag_of(const struct halo *h, const struct halo_message *m, int kind)
{
    static const int of_kind[TAGS] = {
        [TAG_ROWS] = 0,         [TAG_FREE] = 1,  [TAG_PEER_OFFER] = 2, [TAG_PEER_ANSWER] = 3,
        [TAG_PEER_SETTLED] = 2, [TAG_OFFER] = 2, [TAG_ANSWER] = 3};
    return h->tag * HALO_TAGS + of_kind[kind] * 2 + m->side;
}

/* What a message of a device has, but for what it opened of others. */
void message_free(const struct halo *h, struct halo_message *x, int is_sent);
