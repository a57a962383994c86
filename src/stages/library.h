/* Turns the printed code of a description into functions of this process: the machine's C compiler makes a shared
 * library of it, once for each text. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

enum library_kind { LIBRARY_LOOPS, LIBRARY_KERNELS };

/* The library of `code`, opened: *library is of dlopen. It is kept as
 * $XDG_CACHE_HOME/sferic/models/HASH.so (or ~/.cache/...; in /tmp where there is neither), by what it is made of: code,
 * compiler, flags. The compiler of loops is $SFERIC_CC, or cc; of kernels $SFERIC_NVCC, or nvcc, also of
 * /usr/local/cuda. Errors: SF_INPUT, with what the compiler said. */
int library_open(enum library_kind kind, const char *code, size_t n, void **library);
