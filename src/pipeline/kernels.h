/* The engine's own kernels, of kernels.cu. All are put into `stream`, a cudaStream_t. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* At most BACKEND_BATCH copies, in multiples of 4 bytes or not. */
void kernel_copies(const struct backend_copy *copy, int n, void *stream);
void kernel_between(real *to, const real *before, const real *after, real share, size_t n, void *stream);
void kernel_ghosts(const struct slab *s, const struct layout *l, const struct backend_ghosts *fill, int n, struct box b,
                   void *stream);
void kernel_make(const struct slab *s, const struct layout *l, const struct backend_ghosts *g, struct box b,
                 void *stream);
void kernel_make_rows(const struct slab *s, const struct layout *l, enum shape shape, int id,
                      const struct ghost_maker *m, int j0, int j1, void *stream);
void kernel_ghost_rows(const struct slab *s, const struct layout *l, enum shape shape, int id,
                       const struct ghost_map *y, int j0, int j1, void *stream);
void kernel_find_bad(const real *value, size_t n, int *bad, void *stream);

/* Is there code for devices where kernels can wait for the one before them, as Hopper's? */
int kernels_wait(void);

#ifdef __cplusplus
}
#endif
