/* The kernels of points.h, and those of the small steps of u and v. SPDX-License-Identifier: MIT */
#include "dynamics/points.h"

#include <climits>

/* What those do at the sides, in place of ghosts: columns and rows, NOWHERE where there are none such. What is read beyond a wall does
 * not matter, for nothing blows through it. */
enum { NOWHERE = INT_MIN };

struct uv_sides {
    int west;           /* from column 0 to the one west of it where x repeats; 0: there is none */
    int wall_i, wall_j; /* of the faces on walls in the west and south */
    int far_i, far_j;   /* that write the faces beyond the last cell too; on open sides the box holds those */
    int is_far_wall;    /* in x they lie on a wall; else they are those of column 0 once more */
    int open_i, open_j; /* of the faces on open sides in the west and south, beyond which stands the cell itself */
    int end_i, end_j;   /* of those in the east and north, whose cell is the last */
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

/* OPEN: a side is open. */
template <int PRESSURE, int OPEN>
__global__ static void uv_kernel(const struct slab s, const struct box b, const struct call c, const struct dynamics d,
                                 const struct uv_sides y)
{
    launch_wait();
    const struct launch_point p = launch_here(b);
    if (!p.is_inside) return;
    const struct uv_line l = uv_line(PRESSURE, &s, &d, &c, (p.j - s.j0) * s.sj + p.k * s.sk, p.k);
    int west = p.i ? -1 : y.west;
    ptrdiff_t cell = p.i, south = p.j == y.wall_j ? 0 : -s.sj;
    if (OPEN) {
        if (p.i == y.end_i) cell--, west = 0;
        if (p.j == y.end_j) cell -= s.sj, south = 0;
        if (p.i == y.open_i) west = 0;
        if (p.j == y.open_j) south = 0;
    }
    struct uv_wind x = uv_wind(&l, p.i, cell, west, south);
    if (p.i == y.wall_i) x.u = R(0.0);
    if (p.j == y.wall_j) x.v = R(0.0);
    l.u[p.i] = x.u, l.v[p.i] = x.v;
    if (p.i == y.far_i) l.u[s.ni] = y.is_far_wall ? R(0.0) : x.u;
    if (p.j == y.far_j) l.v[p.i + s.sj] = R(0.0);
}

template <int PRESSURE> static void uv_launch(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const struct uv_sides y = uv_sides_of(s, d);
    if (d->open[FACE_W] || d->open[FACE_E] || d->open[FACE_S] || d->open[FACE_N])
        SF_LAUNCH((uv_kernel<PRESSURE, 1>), launch_grid(b), launch_block(), stream, *s, b, *c, *d, y);
    else SF_LAUNCH((uv_kernel<PRESSURE, 0>), launch_grid(b), launch_block(), stream, *s, b, *c, *d, y);
}

SF_PART_STAGE(uv_start, uv_launch<F_PI>)
SF_PART_STAGE(uv_next, uv_launch<F_PID>)
