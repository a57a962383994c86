/* A GPU's memory and events as other processes of the machine see them: see backend_peers.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/backend.h"

int peers_offer(void *memory, struct backend_handle *h);
void *peers_open(const struct backend_handle *h);
int peers_close(void *opened); /* a cudaError_t */
/* Recorded once: who waits for it before anybody has recorded it waits for nothing. */
void *peers_event_make(struct backend_handle *h);
void *peers_event_open(const struct backend_handle *h);
void peers_event_free(void *event);
