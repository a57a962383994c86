/* The last stage that carries tracers: cells that a factor below 1 belongs to, their own or a neighbour's, are computed
 * again. They are few, near the edge of what a tracer fills. SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/tracers.h"
#include "dynamics/tracers_made.h"

/* A thread looks at CELLS cells side by side of so many ROWS, one row after the other, and the block then computes all
 * that it found, each by the next thread. */
struct carry_look {
    enum {
        THREADS = 256,
        BLOCKS = SF_PREC == 64 ? 2 : 4, /* of a multiprocessor at least: most threads only look */
        CELLS = 4,
        ACROSS = 32,
        UP = THREADS / ACROSS,
        ROWS = 8,
        WIDTH = ACROSS * CELLS,
        ALL = THREADS * CELLS * ROWS
    };
    typedef points<CELLS> cells;
};
struct carry_found {
    int n;
    unsigned short cell[carry_look::ALL];
};
static_assert(carry_look::ALL <= 1 << 16, "a cell's place in a block takes 16 bits");

/* Which of a thread's cells have a factor below 1: a bit each. */
__device__ static inline unsigned bits_below_1(const real *factor)
{
    const carry_look::cells f = *(const carry_look::cells *)factor;
    unsigned is = 0;
#pragma unroll
    for (int m = 0; m < carry_look::CELLS; m++) is |= f.at[m] < R(1.0) ? 1u << m : 0;
    return is;
}

/* The same of each cell or one beside it in x. */
__device__ static inline unsigned bits_beside(unsigned own, const real *factor)
{
    const unsigned west = factor[-1] < R(1.0) ? 1u : 0, all = 1u << carry_look::CELLS,
                   east = factor[carry_look::CELLS] < R(1.0) ? all >> 1 : 0;
    return (own | own << 1 | own >> 1 | west | east) & (all - 1);
}

/* Puts a thread's cells of rows j0 .. j1 that a factor below 1 belongs to in the list; factor: of its first one. */
__device__ static inline void cells_look(struct carry_found *found, const real *factor, ptrdiff_t sj, ptrdiff_t sk,
                                         int rows, unsigned inside, int first)
{
    typedef carry_look T;
    unsigned south = bits_below_1(factor - sj), own = bits_below_1(factor);
#pragma unroll 4
    for (int r = 0; r < rows; r++, factor += sj) {
        const unsigned north = bits_below_1(factor + sj), up = bits_below_1(factor + sk) | bits_below_1(factor - sk);
        const unsigned is = (bits_beside(own, factor) | south | north | up) & inside;
        for (int m = 0; is >> m; m++)
            if (is >> m & 1)
                found->cell[atomicAdd(&found->n, 1)] = (unsigned short)(first + r * T::THREADS * T::CELLS + m);
        south = own, own = north;
    }
}

template <int form>
__global__ void __launch_bounds__(carry_look::THREADS, carry_look::BLOCKS)
    carry_few(SF_ARGUMENT(struct tracers_last_pack) p, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct members) all)
{
    launch_wait();
    typedef carry_look T;
    SF_SHARED(struct carry_found, found);
    const int lane = (int)threadIdx.x, thread = (int)threadIdx.y * T::ACROSS + lane;
    const int n = (int)(blockIdx.y % (unsigned)all.n);
    const int i0 = (b.i0 & -T::CELLS) + (int)blockIdx.x * T::WIDTH,
              k0 = b.k0 + (int)(blockIdx.y / (unsigned)all.n) * T::UP, j0 = b.j0 + (int)blockIdx.z * T::ROWS;
    const int i = i0 + lane * T::CELLS, k = k0 + (int)threadIdx.y;
    const ptrdiff_t sj = p.grid.sj, sk = p.grid.sk, first = (j0 - p.grid.j0) * sj;
    if (thread == 0) found->n = 0;
    __syncthreads();
    if (i < b.i1 && k < b.k1) {
        const unsigned all_cells = (1u << T::CELLS) - 1, before = all_cells << SF_MAX(b.i0 - i, 0),
                       behind = all_cells >> SF_MAX(i + T::CELLS - b.i1, 0);
        cells_look(found, all.of[n].f[F_FAMILY_NEAR] + first + k * sk + i, sj, sk, SF_MIN((int)T::ROWS, b.j1 - j0),
                   before & behind & all_cells, thread * T::CELLS);
    }
    __syncthreads();
    for (int m = thread; m < found->n; m += T::THREADS) {
        const int cell = found->cell[m], at_i = i0 + cell % T::WIDTH, up = cell / T::WIDTH % T::UP;
        const ptrdiff_t line = first + cell / (T::WIDTH * T::UP) * sj + (k0 + up) * sk;
        struct tracers_last_line l = tracers_last_line(&p, line, 0, k0 + up);
        tracers_last_member(&l, &all.of[n], line);
        if (!tracers_last_only(form, &l, at_i)) continue;
        const struct tracers_last_values y = tracers_last_values(form, &l, at_i);
        tracers_last_store(&l, at_i, &y);
    }
}

template <int form> static void carry_few_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    typedef carry_look T;
    if (box_is_empty(b)) return;
    for (int first = 0; first < c->members; first += MEMBERS_AT_ONCE) {
        const struct members x = members_of(c, first);
        const dim3 grid(launch_blocks(b.i1 - (b.i0 & -T::CELLS), T::WIDTH),
                        launch_blocks(b.k1 - b.k0, T::UP) * (unsigned)x.n, launch_blocks(b.j1 - b.j0, T::ROWS));
        SF_LAUNCH_BLOCKS((carry_few<form>), grid, dim3(T::ACROSS, T::UP), sizeof(struct carry_found), stream,
                         tracers_last_pack(s, c), b, x);
    }
}
