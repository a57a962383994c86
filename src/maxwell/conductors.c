/* Elements that conduct. SPDX-License-Identifier: MIT */
#include "maxwell/conductors.h"

#include "maxwell/conformal.h"
#include "pipeline/error.h"

#include <stdlib.h>

int conductors_open(struct conductors *r, struct geometry *g)
{
    const size_t size = ((size_t)g->axis[AX].n + 2) * ((size_t)g->axis[AZ].n + 2);
    unsigned char *const cells = malloc(2 * size);
    SF_CHECK(cells, SF_MEMORY, "no memory for two rows of cells");
    *r = (struct conductors){.g = g, .cell = {cells, cells + size}};
    return SF_OK;
}

void conductors_close(struct conductors *r)
{
    free(r->cell[0]);
    r->cell[0] = r->cell[1] = NULL;
}

static int cell_look(struct conductors *r, const int at[3], int *pec)
{
    const int odd = at[AY] & 1;
    if (!r->held[odd] || r->j[odd] != at[AY]) {
        SF_TRY(geometry_load(r->g, at[AY], at[AY] + 1));
        geometry_row(r->g, at[AY], r->cell[odd]);
        r->j[odd] = at[AY], r->held[odd] = 1;
    }
    *pec = r->cell[odd][(ptrdiff_t)(at[AZ] + 1) * (r->g->axis[AX].n + 2) + at[AX] + 1] == MEDIUM_PEC;
    return SF_OK;
}

int conductors_edge(struct conductors *r, int c, const int at[3], int *pec)
{
    *pec = 0;
    if (r->g->ncuts) {
        SF_TRY(conformal_load(r->g, at[AY], at[AY] + 1));
        *pec = !conformal_edge(r->g, c, at, NULL);
        return SF_OK;
    }
    for (int m = 0; m < 4 && !*pec; m++) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[(c + 1) % 3] -= m & 1, cell[(c + 2) % 3] -= m >> 1;
        SF_TRY(cell_look(r, cell, pec));
    }
    if (!*pec) *pec = geometry_thin_has(r->g, c, at);
    return SF_OK;
}

/* H is shut in where all four edges around it conduct. */
int conductors_hold(struct conductors *r, int component, const int at[3], int *pec)
{
    if (component < 3) return conductors_edge(r, component, at, pec);
    const int b = (component + 1) % 3, c = (component + 2) % 3;
    *pec = 1;
    for (int m = 0; m < 4 && *pec; m++) {
        int edge[3] = {at[0], at[1], at[2]};
        edge[m & 1 ? c : b] += m >> 1;
        SF_TRY(conductors_edge(r, m & 1 ? b : c, edge, pec));
    }
    return SF_OK;
}
