/* What Linux says of its memory. SPDX-License-Identifier: MIT */
#include "pipeline/memory.h"

#include <stdio.h>

static size_t number_in(const char *path, const char *format)
{
    char line[256];
    unsigned long long value = 0;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, format, &value) == 1) break;
    if (f) fclose(f);
    return (size_t)value;
}

size_t memory_available(void)
{
    size_t free_bytes = number_in("/proc/meminfo", "MemAvailable: %llu kB") * 1024;
    const size_t most = number_in("/sys/fs/cgroup/memory.max", "%llu");
    const size_t used = number_in("/sys/fs/cgroup/memory.current", "%llu");
    const size_t cached = number_in("/sys/fs/cgroup/memory.stat", "inactive_file %llu");
    if (most && used) {
        const size_t kept = used > cached ? used - cached : 0, left = most > kept ? most - kept : 1;
        if (!free_bytes || left < free_bytes) free_bytes = left;
    }
    return free_bytes;
}
