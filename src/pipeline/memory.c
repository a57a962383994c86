/* What Linux says of its memory, and memory as a file. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "pipeline/memory.h"

#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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

size_t memory_resident(void) { return number_in("/proc/self/status", "VmRSS: %llu kB") * 1024; }

size_t memory_peak(void) { return number_in("/proc/self/status", "VmHWM: %llu kB") * 1024; }

void memory_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

int memory_file(size_t bytes)
{
    int file = -1;
#ifdef MFD_CLOEXEC
    file = memfd_create("sferic", MFD_CLOEXEC);
#endif
    if (file < 0) {
        const char *const folder = getenv("TMPDIR");
        char name[4096];
        if (snprintf(name, sizeof name, "%s/sferic_XXXXXX", folder && *folder ? folder : "/dev/shm") <
                (int)sizeof name &&
            (file = mkstemp(name)) >= 0)
            unlink(name);
    }
    if (file >= 0 && posix_fallocate(file, 0, (off_t)bytes)) {
        close(file);
        file = -1;
    }
    return file;
}
