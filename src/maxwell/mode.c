/* Profiles of guided modes. SPDX-License-Identifier: MIT */
#include "maxwell/mode.h"

#include "pipeline/error.h"
#include "pipeline/tables.h"

static const double pi_number = 3.14159265358979323846;

/* Walls nearest to centre -+ size / 2 along one axis. */
static int walls_find(struct mode *mode, const struct grid *g, int axis, int n, double centre, double size,
                      const struct mode_keys *keys, int number)
{
    mode->low[axis] = 0, mode->high[axis] = n;
    if (!(size > 0)) return SF_OK;
    mode->low[axis] = grid_nearest(g, axis, 1, centre - 0.5 * size);
    mode->high[axis] = grid_nearest(g, axis, 1, centre + 0.5 * size);
    SF_CHECK(mode->low[axis] >= 0 && mode->high[axis] > mode->low[axis], SF_NAMELIST,
             "%s %d: a guide of %g m around %c = %g m does not lie in the domain", keys->group, number, size,
             "xyz"[axis], centre);
    return SF_OK;
}

/* cos(waves pi u) at the centres, and its differences at the nodes: zero at the walls. */
static void waves_fill(const struct grid *g, const struct axis_lines *l, int axis, int low, int high, int waves,
                       double *centre, double *node)
{
    const double start = place_at(g, axis, 1, low), extent = place_at(g, axis, 1, high) - start;
    for (int m = low; m < high; m++)
        centre[m - low] = sfd_cos(waves * pi_number * ((place_at(g, axis, 0, m) - start) / extent));
    node[0] = node[high - low] = 0;
    for (int m = low + 1; m < high; m++) node[m - low] = (centre[m - low] - centre[m - low - 1]) / place_size(l, 1, m);
}

static double largest(const double *v, int n)
{
    double most = 0;
    for (int m = 0; m < n; m++)
        if (__builtin_fabs(v[m]) > most) most = __builtin_fabs(v[m]);
    return most;
}

static void scaled_copy(real *to, const double *from, int n, double factor)
{
    for (int m = 0; m < n; m++) to[m] = (real)(factor * from[m]);
}

int mode_make(struct mode *mode, const struct mode_keys *keys, const struct grid *grid, const struct axis_lines axis[3],
              int number)
{
    const int a = keys->axis, b = (a + 1) % 3, c = (a + 2) % 3;
    *mode = (struct mode){.axis = a};
    mode->low[a] = mode->high[a] = grid_nearest(grid, a, 1, keys->centre[a]);
    SF_CHECK(mode->low[a] >= 0, SF_NAMELIST, "%s %d: the plane %c = %g m lies outside of the domain", keys->group,
             number, "xyz"[a], keys -> centre[a]);
    SF_TRY(walls_find(mode, grid, b, axis[b].n, keys->centre[b], keys->size_b, keys, number));
    SF_TRY(walls_find(mode, grid, c, axis[c].n, keys->centre[c], keys->size_c, keys, number));
    const int nb = mode->high[b] - mode->low[b], nc = mode->high[c] - mode->low[c];
    SF_CHECK(keys->m + keys->n > 0, SF_NAMELIST, "%s %d: there is no mode TE_00", keys->group, number);
    SF_CHECK(keys->m < nb && keys->n < nc, SF_NAMELIST, "%s %d: %d x %d cells are too few for TE_%d,%d", keys->group,
             number, nb, nc, keys->m, keys->n);
    const size_t length = 2 * ((size_t)nb + (size_t)nc + 2);
    double *const work = table_alloc(length * (sizeof(double) + sizeof(real)));
    SF_CHECK(work, SF_MEMORY, "no memory for the profile of a mode");
    double *const centre_b = work, *const node_b = centre_b + nb + 1, *const centre_c = node_b + nb + 1;
    double *const node_c = centre_c + nc + 1;
    waves_fill(grid, &axis[b], b, mode->low[b], mode->high[b], keys->m, centre_b, node_b);
    waves_fill(grid, &axis[c], c, mode->low[c], mode->high[c], keys->n, centre_c, node_c);
    const double size_b = largest(centre_b, nb) * largest(node_c, nc + 1),
                 size_c = largest(node_b, nb + 1) * largest(centre_c, nc);
    const double scale = (keys->m ? -1 : 1) / SF_MAX(size_b, size_c);
    real *const values = (real *)(void *)(work + length);
    mode->memory = work;
    mode->factor[0][0] = values, mode->factor[0][1] = values + (nb + 1);
    mode->factor[1][0] = mode->factor[0][1] + (nc + 1), mode->factor[1][1] = mode->factor[1][0] + (nb + 1);
    scaled_copy(mode->factor[0][0], centre_b, nb, -1);
    scaled_copy(mode->factor[0][1], node_c, nc + 1, scale);
    scaled_copy(mode->factor[1][0], node_b, nb + 1, scale);
    scaled_copy(mode->factor[1][1], centre_c, nc, 1);
    return SF_OK;
}

void mode_free(struct mode *mode)
{
    table_free(mode->memory);
    mode->memory = NULL;
}

struct place_range mode_range(const struct mode *mode, int c)
{
    struct place_range r;
    for (int a = 0; a < 3; a++) r.low[a] = mode->low[a], r.high[a] = mode->high[a] + (a != c);
    return r;
}
