/* What halo.c, which exchanges rows, and halo_share.c, which settles where they go, share. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/halo.h"

/* Between two ranks there is one message of each kind and side of the receiver: rows, "the buffer is free", and what both say of
 * memory that they share: of a device (may you open it? yes, and may I open your event? settled), and of the host. */
enum { TAG_ROWS, TAG_FREE, TAG_PEER_OFFER, TAG_PEER_ANSWER, TAG_PEER_SETTLED, TAG_OFFER, TAG_ANSWER, TAGS };

static inline int tag_of(const struct halo *h, const struct halo_message *m, int kind) { return (h->tag * TAGS + kind) * 2 + m->side; }

/* What a message of a device has, but for what it opened of others. */
void message_free(const struct halo *h, struct halo_message *x, int is_sent);
