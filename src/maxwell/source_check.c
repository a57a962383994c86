/* Sources beside conductors. SPDX-License-Identifier: MIT */
#include "maxwell/conductors.h"
#include "maxwell/conformal.h"
#include "maxwell/source.h"
#include "pipeline/error.h"

/* A current goes along the open part of an edge. A field that is set or added would be that of the whole edge, and a
 * magnetic current flows through a whole face. */
static int cut_look(const struct source *s, struct geometry *g)
{
    if (!g->ncuts || s->is_mode || (s->component < 3 && s->drive == DRIVE_CURRENT)) return SF_OK;
    SF_TRY(conformal_load(g, s->at.low[AY], s->at.low[AY] + 1));
    SF_CHECK(
        !conformal_is_cut(g, s->component, s->at.low), SF_NAMELIST,
        "&source: source %d: its %c%c lies on the surface of 'pec', which cuts its cell (maxwell%%conformal): move it by a cell%s",
        s->number, s->component < 3 ? 'E' : 'H', "xyz"[s->component % 3],
        s -> component < 3 ? ", or take drive = 'current'" : "");
    return SF_OK;
}

static int source_look(const struct source *s, struct conductors *r)
{
    int pec = 0;
    if (!s->is_mode && !s->is_port) SF_TRY(conductors_hold(r, s->component, s->at.low, &pec));
    SF_CHECK(
        !pec, SF_NAMELIST,
        "&source: source %d: its %c%c lies in 'pec' that &geometry paints, where the field stays zero: move it, or leave a gap "
        "there",
        s->number, s->component < 3 ? 'E' : 'H', "xyz"[s->component % 3]);
    return cut_look(s, r->g);
}

/* Edges of a mode's plane that its profile drives, and those of them that conduct. */
static int mode_look(const struct source *s, struct conductors *r, int *driven_edges, int *shut)
{
    const struct mode *const m = &s->mode;
    const int along_b = (m->axis + 1) % 3, along_c = (m->axis + 2) % 3;
    *driven_edges = *shut = 0;
    for (int which = 0; which < 2; which++) {
        const int c = which ? along_c : along_b;
        const struct place_range range = mode_range(m, c);
        int at[3], pec;
        for (at[1] = range.low[1]; at[1] < range.high[1]; at[1]++)
            for (at[2] = range.low[2]; at[2] < range.high[2]; at[2]++)
                for (at[0] = range.low[0]; at[0] < range.high[0]; at[0]++) {
                    const double share = (double)m->profile[which][plane_index(
                        m->wide, m->low[along_b], m->low[along_c], at[along_b], at[along_c])];
                    if (share * share < 1e-12) continue;
                    SF_TRY(conductors_edge(r, c, at, &pec));
                    ++*driven_edges, *shut += pec || conformal_is_cut(r->g, c, at);
                }
    }
    return SF_OK;
}

/* A profile that conductors cut is no mode of what is left. */
static int modes_look(const struct source *source, int n, struct conductors *r, struct complaints *to)
{
    for (const struct source *s = source; s < source + n; s++) {
        int all, shut;
        char name[32];
        if (!s->is_mode || s->is_line) continue;
        SF_TRY(mode_look(s, r, &all, &shut));
        if (shut)
            sf_complain_mildly(
                to, source_keys(s, "source%size_a source%size_b source%kind", "port%kind"), s->number - 1,
                "%s: %d of the %d edges that its mode drives lie in 'pec' that &geometry paints, or are cut by it: its profile is that of a guide of %d x %d "
                "cells and not of the one that is there; give the guide's inner size, %s, and its centre",
                source_name(s, name), shut, all,
                s->mode.high[(s->mode.axis + 1) % 3] - s->mode.low[(s->mode.axis + 1) % 3],
                s->mode.high[(s->mode.axis + 2) % 3] - s->mode.low[(s->mode.axis + 2) % 3],
                s->is_port ? "the sizes of the port" : "size_a and size_b");
    }
    return SF_OK;
}

static int modes_drive_look(const struct source *source, int n, struct conductors *r)
{
    for (const struct source *s = source; s < source + n; s++) {
        int all, shut;
        if (!s->is_mode || s->drive == DRIVE_CURRENT || !r->g->ncuts) continue;
        SF_TRY(mode_look(s, r, &all, &shut));
        SF_CHECK(
            !shut, SF_NAMELIST,
            "&source: source %d: conductors lie on or cut edges of its mode's plane (maxwell%%conformal), where it sets or adds a field: take drive = 'current'",
            s->number);
    }
    return SF_OK;
}

static int all_look(const struct source *source, int n, struct conductors *r, struct complaints *to)
{
    for (const struct source *s = source; s < source + n; s++)
        SF_TRY(sf_complain_or_fail(to, "source%kind", s->number - 1, source_look(s, r)));
    return SF_OK;
}

int sources_check(const struct source *source, int n, struct geometry *g, struct complaints *to)
{
    struct conductors r;
    if (!n || (!g->used[MEDIUM_PEC] && !geometry_has_thin(g))) return SF_OK;
    SF_TRY(conductors_open(&r, g));
    int rc = all_look(source, n, &r, to);
    if (!rc) rc = modes_look(source, n, &r, to);
    if (!rc) rc = sf_complain_or_fail(to, "source%drive", -1, modes_drive_look(source, n, &r));
    conductors_close(&r);
    return rc;
}
