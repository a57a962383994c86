/* The kernels of points.h, and those of the small steps of u and v. SPDX-License-Identifier: MIT */
#include "dynamics/points.h"

#include "pipeline/copies.cuh"

#include "dynamics/stages.h"

#include <climits>

/* What those do at the sides, in place of ghosts: columns and rows, NOWHERE where there are none such. What is read
 * beyond a wall does not matter, for nothing blows through it. */
enum { NOWHERE = INT_MIN };

struct uv_sides {
    int west; /* from column 0 to the one west of it where x repeats; 0: there is none */
    int wall_i, wall_j; /* of the faces on walls in the west and south */
    int far_i, far_j; /* that write the faces beyond the last cell too; on open sides the box holds those */
    int is_far_wall; /* in x they lie on a wall; else they are those of column 0 once more */
    int open_i, open_j; /* of the faces on open sides in the west and south, beyond which stands the cell itself */
    int end_i, end_j; /* of those in the east and north, whose cell is the last */
};

static struct uv_sides uv_sides_of(const struct slab *s, const struct dynamics *d)
{
    const int none = NOWHERE;
    struct uv_sides y;
    y.west = d->wall[FACE_W] ? 0 : s->ni - 1;
    y.wall_i = d->wall[FACE_W] ? 0 : none, y.wall_j = d->wall[FACE_S] ? 0 : none;
    y.far_i = d->open[FACE_E] ? none : 0;
    y.far_j = d->wall[FACE_N] && s->nj < s->j0 + s->rows ? s->nj - 1 : none;
    y.is_far_wall = d->wall[FACE_E];
    y.open_i = d->open[FACE_W] ? 0 : none, y.open_j = d->open[FACE_S] ? 0 : none;
    y.end_i = d->open[FACE_E] ? s->ni : none, y.end_j = d->open[FACE_N] ? s->nj : none;
    return y;
}

/* A thread takes the points of a piece of 16 bytes. What it needs comes to shared memory, past the first-level cache:
 * that is small while blocks of the small steps of w and pi' are there, which share much. */
enum { UV_THREADS = 128, UV_WIDE = 32, PIECE = 16 / REAL };
enum { PIECE_U, PIECE_V, PIECE_UT, PIECE_VT, PIECE_TH, PIECE_TH_SOUTH, PIECE_PI, PIECE_PI_SOUTH, UV_PIECES };

using wind_piece = points<PIECE>;

/* Of field n. */
__device__ static inline void uv_copy(wind_piece *own, int n, const real *from)
{
    copy_piece(own + n * UV_THREADS, from);
}

/* The values of the points of a piece that is in shared memory, and of the one west of them. */
struct piece_west {
    real west, at[PIECE];
};

__device__ static inline struct piece_west piece_of(const wind_piece *own, int n, int is_first, const real *west)
{
    const wind_piece x = own[n * UV_THREADS];
    struct piece_west y;
    y.west = is_first ? *west : own[n * UV_THREADS - 1].at[PIECE - 1];
    for (int m = 0; m < PIECE; m++) y.at[m] = x.at[m];
    return y;
}

__device__ static inline struct cell_around around_of(const struct piece_west &x, const wind_piece &south, int m)
{
    const struct cell_around a = {x.at[m], m ? x.at[m - 1] : x.west, south.at[m]};
    return a;
}

/* The last cell's, of faces beyond it on an open side. */
__device__ static inline struct cell_around around_end(const struct piece_west &x, const wind_piece &south, int m,
                                                       const real *south_west)
{
    const real own = m ? x.at[m - 1] : x.west;
    const struct cell_around a = {own, own, m ? south.at[m - 1] : *south_west};
    return a;
}

/* OPEN: a side is open. early: the kernel before this one writes nothing that is read here but pi', and began when all
 * before it had ended; so the rest is read while it ends. */
template <int PRESSURE, int OPEN>
__global__ static void __launch_bounds__(UV_THREADS)
    wind_kernel(SF_ARGUMENT(struct slab) s, SF_ARGUMENT(struct box) b, SF_ARGUMENT(struct call) c,
                SF_ARGUMENT(struct dynamics) d, SF_ARGUMENT(struct uv_sides) y, const int early)
{
    launch_begin(early);
    SF_SHARED(wind_piece, pieces);
    wind_piece *const own = pieces + threadIdx.y * blockDim.x + threadIdx.x;
    const int i = (b.i0 & -PIECE) + (int)(blockIdx.x * blockDim.x + threadIdx.x) * PIECE,
              level = b.k0 + (int)(blockIdx.y * blockDim.y + threadIdx.y), k = SF_MIN(level, b.k1 - 1),
              j = b.j0 + (int)blockIdx.z;
    const int is_inside = i < b.i1 && level < b.k1, is_end = OPEN && j == y.end_j,
              is_alone = j == y.wall_j || is_end || (OPEN && j == y.open_j);
    const struct wind_line l = wind_line(PRESSURE, &s, &d, &c, (j - s.j0) * s.sj + k * s.sk, k);
    const ptrdiff_t cell = i - (is_end ? s.sj : 0), south = cell - (is_alone ? 0 : s.sj),
                    west = cell + (OPEN && i == y.open_i ? 0
                                   : i                   ? -1
                                                         : y.west);
    if (is_inside) {
        uv_copy(own, PIECE_TH, l.th + cell), uv_copy(own, PIECE_TH_SOUTH, l.th + south);
        uv_copy(own, PIECE_U, l.u0 + i), uv_copy(own, PIECE_V, l.v0 + i);
        uv_copy(own, PIECE_UT, l.ut + i), uv_copy(own, PIECE_VT, l.vt + i);
    }
    launch_await();
    if (is_inside) uv_copy(own, PIECE_PI, l.pi + cell), uv_copy(own, PIECE_PI_SOUTH, l.pi + south);
    copies_close();
    copies_wait();
    __syncthreads();
    if (!is_inside) return;

    const struct piece_west th = piece_of(own, PIECE_TH, !threadIdx.x, l.th + west),
                            pi = piece_of(own, PIECE_PI, !threadIdx.x, l.pi + west);
    const wind_piece th_south = own[PIECE_TH_SOUTH * UV_THREADS], pi_south = own[PIECE_PI_SOUTH * UV_THREADS];
    const wind_piece u0 = own[PIECE_U * UV_THREADS], v0 = own[PIECE_V * UV_THREADS], ut = own[PIECE_UT * UV_THREADS],
                     vt = own[PIECE_VT * UV_THREADS];
    wind_piece u, v;
    for (int m = 0; m < PIECE; m++) {
        const int is_last = OPEN && i + m == y.end_i;
        const struct uv_wind start = {u0.at[m], v0.at[m]}, tendency = {ut.at[m], vt.at[m]};
        const struct uv_wind x = uv_wind(
            &l, start, tendency, is_last ? around_end(th, th_south, m, l.th + south - 1) : around_of(th, th_south, m),
            is_last ? around_end(pi, pi_south, m, l.pi + south - 1) : around_of(pi, pi_south, m));
        u.at[m] = i + m == y.wall_i ? R(0.0) : x.u, v.at[m] = j == y.wall_j ? R(0.0) : x.v;
    }
    if (i >= b.i0 && i + PIECE <= b.i1) {
        *(wind_piece *)(l.u + i) = u, *(wind_piece *)(l.v + i) = v;
    } else
        for (int m = 0; m < PIECE; m++)
            if (i + m >= b.i0 && i + m < b.i1) l.u[i + m] = u.at[m], l.v[i + m] = v.at[m];
    for (int m = 0; m < PIECE; m++) {
        if (i + m < b.i0 || i + m >= b.i1) continue;
        if (i + m == y.far_i) l.u[s.ni] = y.is_far_wall ? R(0.0) : u.at[m];
        if (j == y.far_j) l.v[i + m + s.sj] = R(0.0);
    }
}

template <int PRESSURE> static void uv_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const struct uv_sides y = uv_sides_of(s, d);
    const int pieces = (int)launch_blocks(b.i1 - (b.i0 & -PIECE), PIECE),
              early = launch_by(stream) == (const void *)wpi_run_gpu;
    int across = 1;
    while (across < SF_MIN(pieces, UV_WIDE)) across *= 2;
    const int levels = UV_THREADS / across;
    const dim3 grid(launch_blocks(pieces, across), launch_blocks(b.k1 - b.k0, levels), (unsigned)(b.j1 - b.j0)),
        block((unsigned)across, (unsigned)levels);
    const size_t bytes = UV_PIECES * UV_THREADS * sizeof(wind_piece);
    if (d->open[FACE_W] || d->open[FACE_E] || d->open[FACE_S] || d->open[FACE_N])
        SF_LAUNCH_BLOCKS((wind_kernel<PRESSURE, 1>), grid, block, bytes, stream, *s, b, *c, *d, y, early);
    else SF_LAUNCH_BLOCKS((wind_kernel<PRESSURE, 0>), grid, block, bytes, stream, *s, b, *c, *d, y, early);
}

SF_PART_STAGE(uv_start, uv_launch<F_PI>)
SF_PART_STAGE(uv_next, uv_launch<F_PID>)
