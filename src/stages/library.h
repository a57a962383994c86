/* Turns the printed code of a description into functions of this process: the machine's C compiler makes a shared
 * library of it, once for each text. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* The library of `code`, opened: *library is of dlopen. It is kept as
 * $XDG_CACHE_HOME/sferic/models/HASH.so (or ~/.cache/...; in /tmp where there is neither), by what it is made of: code,
 * compiler, flags. Compiler: $SFERIC_CC, or cc. Errors: SF_INPUT, with what the compiler said; SF_MEMORY. */
int library_open(const char *code, size_t n, void **library);
