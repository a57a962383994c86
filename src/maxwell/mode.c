/* Profiles of guided modes. SPDX-License-Identifier: MIT */
#include "maxwell/mode.h"

#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <stdlib.h>
#include <string.h>

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
             "%s %d: a guide or window of %g m around %c = %g m does not lie in the domain", keys->group, number, size,
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

int mode_alloc(struct mode *mode)
{
    const int b = (mode->axis + 1) % 3, c = (mode->axis + 2) % 3;
    const size_t lines = (size_t)(mode->high[c] - mode->low[c] + 1);
    mode->wide = mode->high[b] - mode->low[b] + 1;
    mode->memory = table_alloc(2 * lines * (size_t)mode->wide * sizeof(real));
    SF_CHECK(mode->memory, SF_MEMORY, "no memory for the profile of a mode");
    mode->profile[0] = mode->memory, mode->profile[1] = mode->profile[0] + lines * (size_t)mode->wide;
    return SF_OK;
}

int mode_copy(struct mode *to, const struct mode *from, int plane)
{
    const int c = (from->axis + 2) % 3;
    *to = *from;
    to->low[to->axis] = to->high[to->axis] = plane;
    SF_TRY(mode_alloc(to));
    memcpy(to->memory, from->memory,
           2 * (size_t)(from->high[c] - from->low[c] + 1) * (size_t)from->wide * sizeof(real));
    return SF_OK;
}

int mode_walls(struct mode *mode, const struct mode_keys *keys, const struct grid *grid,
               const struct axis_lines axis[3], int number)
{
    const int a = keys->axis, b = (a + 1) % 3, c = (a + 2) % 3;
    *mode = (struct mode){.axis = a};
    mode->low[a] = mode->high[a] = grid_nearest(grid, a, 1, keys->centre[a]);
    SF_CHECK(mode->low[a] >= 0, SF_NAMELIST, "%s %d: the plane %c = %g m lies outside of the domain", keys->group,
             number, "xyz"[a], keys -> centre[a]);
    SF_TRY(walls_find(mode, grid, b, axis[b].n, keys->centre[b], keys->size_b, keys, number));
    return walls_find(mode, grid, c, axis[c].n, keys->centre[c], keys->size_c, keys, number);
}

/* Products of the factors of E_b, or E_c, along b and c. */
static void profile_fill(struct mode *mode, int which, const double *of_b, double scale_b, const double *of_c,
                         double scale_c)
{
    const int along = (mode->axis + 1 + which) % 3, b = (mode->axis + 1) % 3, c = (mode->axis + 2) % 3;
    const int nb = mode->high[b] - mode->low[b] + (along != b), nc = mode->high[c] - mode->low[c] + (along != c);
    for (int n = 0; n < nc; n++)
        for (int m = 0; m < nb; m++)
            mode->profile[which][plane_index(mode->wide, 0, 0, m, n)] =
                (real)(scale_b * of_b[m]) * (real)(scale_c * of_c[n]);
}

int mode_make(struct mode *mode, const struct mode_keys *keys, const struct grid *grid, const struct axis_lines axis[3],
              int number)
{
    const int b = (keys->axis + 1) % 3, c = (keys->axis + 2) % 3;
    SF_TRY(mode_walls(mode, keys, grid, axis, number));
    const int nb = mode->high[b] - mode->low[b], nc = mode->high[c] - mode->low[c];
    SF_CHECK(keys->m + keys->n > 0, SF_NAMELIST, "%s %d: there is no mode TE_00", keys->group, number);
    SF_CHECK(keys->m < nb && keys->n < nc, SF_NAMELIST, "%s %d: %d x %d cells are too few for TE_%d,%d", keys->group,
             number, nb, nc, keys->m, keys->n);
    SF_TRY(mode_alloc(mode));
    double *const work = calloc(2 * ((size_t)nb + (size_t)nc + 2), sizeof *work);
    SF_CHECK(work, SF_MEMORY, "no memory for the profile of a mode");
    double *const centre_b = work, *const node_b = centre_b + nb + 1, *const centre_c = node_b + nb + 1;
    double *const node_c = centre_c + nc + 1;
    waves_fill(grid, &axis[b], b, mode->low[b], mode->high[b], keys->m, centre_b, node_b);
    waves_fill(grid, &axis[c], c, mode->low[c], mode->high[c], keys->n, centre_c, node_c);
    const double size_b = largest(centre_b, nb) * largest(node_c, nc + 1),
                 size_c = largest(node_b, nb + 1) * largest(centre_c, nc);
    const double scale = (keys->m ? -1 : 1) / SF_MAX(size_b, size_c);
    profile_fill(mode, 0, centre_b, -1, node_c, scale);
    profile_fill(mode, 1, node_b, scale, centre_c, 1);
    free(work);
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
