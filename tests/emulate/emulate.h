/* Between the emulated GPU's runtime (cuda_runtime.cc and its parts) and the running of kernels (kernel.cc).
 * SPDX-License-Identifier: MIT */
#pragma once

#include "cuda.h"
#include "cuda_runtime.h"

#include <string>

#if defined(__SANITIZE_ADDRESS__)
#define EMULATE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATE_SANITIZED 1
#endif
#endif
#ifndef EMULATE_SANITIZED
#define EMULATE_SANITIZED 0
#endif

const size_t EMULATE_SHARED_ALWAYS = 48 << 10, EMULATE_SHARED_MOST = 227 << 10;

__attribute__((noreturn, format(printf, 1, 2))) void emulate_stop(const char *format, ...);

/* 0 .. below - 1 */
unsigned emulate_random(unsigned below);

/* A map for the copy engine: a field of extent[0] elements a line, extent[1] lines a row, strides in bytes, and the
 * size of its boxes. */
struct emulate_tensor {
    const char *at;
    size_t element, extent[3], stride[2];
    cuuint32_t box[3];
};
static_assert(sizeof(emulate_tensor) <= sizeof(CUtensorMap), "a map has room for what is in it");

void emulate_grid_run(const emulate_launch &l);

/* The kernel, block and thread that run now, in words; NULL: none. */
const char *emulate_where(char *text, size_t size);
