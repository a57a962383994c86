/* Which films thinner than a cell conductors make vanish. SPDX-License-Identifier: MIT */
#include "maxwell/geometry.h"

#include "pipeline/complaint.h"

/* Do two solids come closer than a cell along an axis? */
static int are_near(const struct solid *a, const struct solid *b, int axis, double cell)
{
    return a->face[axis][0] < b->face[axis][1] + cell && b->face[axis][0] < a->face[axis][1] + cell;
}

/* Does some of a conductor's surface that lies between nodes come within a cell of a film? Cells of E that it crosses
 * stay as the cells say. */
static int is_cut_by(const struct solid *film, const struct solid *pec, double cell)
{
    int near = 1, meets = pec->round != 0 || pec->mesh;
    for (int a = 0; a < 3; a++) {
        near = near && are_near(film, pec, a, cell);
        for (int high = 0; high < 2; high++) {
            const double at = pec->face[a][high];
            const int is_off = ((high ? pec->off_high : pec->off_low) >> a & 1) != 0;
            meets |= is_off && at > film->face[a][0] - cell && at < film->face[a][1] + cell;
        }
    }
    return near && meets;
}

void geometry_films_check(const struct geometry *g, struct complaints *to)
{
    for (int n = 0; n < g->nsolids; n++) {
        const struct solid *const film = &g->solid[n];
        int by = -1;
        if (!film->smooth || solid_has_centre(g, film)) continue;
        for (int m = 0; m < g->nsolids && by < 0; m++)
            if (g->solid[m].medium == MEDIUM_PEC && is_cut_by(film, &g->solid[m], geometry_largest_cell(g)))
                by = g->solid[m].number;
        if (by >= 0)
            sf_complain_mildly(
                to, "geometry%shape", film->number,
                "&geometry: shape(%d) holds no centre of a cell, and cells that the surface of the conductor shape(%d) crosses leave it out: put the "
                "conductor's faces on nodes",
                film->number + 1, by + 1);
    }
}
