/* Memory of the host that another process of the same machine sees as well. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

struct shared {
    void *at; /* NULL: none */
    size_t bytes;
    int file; /* -1: closed */
};

/* What the other process is told. */
struct shared_handle {
    size_t bytes; /* 0: there is none */
    unsigned long long key; /* stands at its beginning, until something else is written there */
    int process, file;
};

/* New memory, and its handle; 0: the machine has no such thing. */
int shared_make(struct shared *s, size_t bytes, struct shared_handle *h);
/* The memory that a handle tells of; 0: it cannot be seen from here, on another machine for one. */
int shared_open(struct shared *s, const struct shared_handle *h);
/* Nobody else will open it. */
void shared_close(struct shared *s);
void shared_free(struct shared *s);
