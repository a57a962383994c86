/* Memory without a name, which others reach through the process that made it. SPDX-License-Identifier: MIT */
#include "pipeline/shared.h"

#include "pipeline/memory.h"
#include "pipeline/seconds.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct shared none = {.file = -1};

static int map(struct shared *s, int file, size_t bytes)
{
    void *const at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
        close(file);
        return 0;
    }
    *s = (struct shared){at, bytes, file};
    return 1;
}

int shared_make(struct shared *s, size_t bytes, struct shared_handle *h)
{
    static unsigned long long made;
    *s = none;
    *h = (struct shared_handle){0};
    if (bytes < sizeof h->key) bytes = sizeof h->key;
    const int file = memory_file(bytes);
    if (file < 0) return 0;
    if (!map(s, file, bytes)) return 0;
    *h = (struct shared_handle){.bytes = bytes, .process = (int)getpid(), .file = file};
    h->key = (unsigned long long)(1e9 * seconds_now()) * 1000003 + (unsigned long long)h->process * 4099 + ++made;
    memcpy(s->at, &h->key, sizeof h->key);
    return 1;
}

int shared_open(struct shared *s, const struct shared_handle *h)
{
    char path[64];
    *s = none;
    if (!h->bytes) return 0;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", h->process, h->file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return 0;
    const off_t size = lseek(file, 0, SEEK_END);
    if (size < 0 || (size_t)size != h->bytes) {
        close(file);
        return 0;
    }
    if (!map(s, file, h->bytes)) return 0;
    if (!memcmp(s->at, &h->key, sizeof h->key)) return 1;
    shared_free(s);
    return 0;
}

void shared_close(struct shared *s)
{
    if (s->at && s->file >= 0) close(s->file);
    s->file = -1;
}

void shared_free(struct shared *s)
{
    shared_close(s);
    if (s->at) munmap(s->at, s->bytes);
    *s = none;
}
