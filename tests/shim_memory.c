/* Preloaded into the program: the n-th allocation that its own code asks for on one rank gets no memory. Libraries get
 * all that they ask for, also one that was linked into the program and lies between two addresses of it.
 *
 *   SHIM_SKIP   these addresses, hexadecimal
 *   SHIM_FAIL   which allocation, from 1; 0 or unset: none
 *   SHIM_RANK   of which rank
 *   SHIM_COUNT  a file for the number of allocations of that rank
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uintptr_t begin, end, skip, skip_end; /* of the program's code, and of the library in it */
static long fail_at, count;
static int is_here;

static int program_find(struct dl_phdr_info *info, size_t size, void *to)
{
    (void)size, (void)to;
    for (int n = 0; n < info->dlpi_phnum; n++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[n];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        begin = info->dlpi_addr + p->p_vaddr;
        end = begin + p->p_memsz;
    }
    const char *range = getenv("SHIM_SKIP");
    char *next = NULL;
    skip = range ? info->dlpi_addr + (uintptr_t)strtoull(range, &next, 16) : 0;
    skip_end = range ? info->dlpi_addr + (uintptr_t)strtoull(next, NULL, 16) : 0;
    return 1; /* the first is the program */
}

__attribute__((constructor)) static void shim_begin(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *wanted = getenv("SHIM_RANK"), *at = getenv("SHIM_FAIL");
    dl_iterate_phdr(program_find, NULL);
    is_here = rank && wanted && atoi(rank) == atoi(wanted);
    fail_at = at ? atol(at) : 0;
}

__attribute__((destructor)) static void shim_end(void)
{
    const char *path = getenv("SHIM_COUNT");
    FILE *f = is_here && path ? fopen(path, "w") : NULL;
    if (!f) return;
    fprintf(f, "%ld\n", count);
    fclose(f);
}

static int is_refused(const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    if (!is_here || at < begin || at >= end || (at >= skip && at < skip_end)) return 0;
    return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) == fail_at;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) { return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t size)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
    return is_refused(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}
