/* What the plane wave mends at the faces of its box. SPDX-License-Identifier: MIT */
#include "maxwell/bloch.h"
#include "maxwell/incident_parts.h"

#include "maxwell/place.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

/* Component c of E on the face of axis d and component o of H half a cell outside of it: each mends the other. */
static struct mend mend_make(const struct incident *in, int c, int d, int high, int is_e)
{
    const int o = 3 - c - d, node = high ? in->high[d] : in->low[d], cell = high ? node : node - 1;
    const int plus = (d == (c + 1) % 3) == high;
    struct mend m = {.target = is_e ? c : 3 + o, .axis = d};
    m.range.low[d] = is_e ? node : cell, m.range.high[d] = m.range.low[d] + 1;
    m.range.low[c] = in->low[c], m.range.high[c] = in->high[c];
    m.range.low[o] = in->low[o], m.range.high[o] = in->high[o] + 1;
    m.shift = (high != 0) == (is_e != 0) ? 1 : -1;
    const double spacing = (double)(is_e ? in->axis[d].e[node] : in->axis[d].h[cell]);
    const double share = is_e ? in->h[o] : in->e[c], bend = is_e ? in->bend_h[o] : in->bend_e[c];
    m.factor = plus ? spacing : -spacing;
    if (in->turned) m.part = ((is_e ? o : c) + 2 - in->along) % 3; /* the table has both, turned as they are */
    else if (in->along >= 0) m.factor *= share;
    else m.part = is_e ? o : c, m.factor *= share * share + bend * bend > 0; /* the table has the directions in it */
    return m;
}

static int values_make(struct incident *in)
{
    ptrdiff_t size = 0;
    for (int n = 0; n < in->nmends[0]; n++) size += place_range_size(&in->mend[0][n].range);
    table_free(in->value[0]);
    in->value[0] = table_alloc((size_t)size * sizeof *in->value[0]);
    SF_CHECK(in->value[0], SF_MEMORY, "no memory for the faces of the plane wave, %td values", size);
    for (int n = 1; n < in->nmends[0]; n++)
        in->value[n] = in->value[n - 1] + place_range_size(&in->mend[0][n - 1].range);
    return SF_OK;
}

int incident_faces_make(struct incident *in)
{
    in->view =
        (struct line_view){.along = in->along, .sign = in->sign, .ahead = in->ahead, .turns = in->turned != NULL};
    for (int c = 0; c < 2 && in->turned; c++) in->view.phase[c] = in->bloch->phase[(in->along + 1 + c) % 3];
    for (int a = 0; a < 3; a++)
        in->view.low[a] = in->low[a], in->view.high[a] = in->high[a], in->view.place[a] = in->place[a];
    for (int is_e = 0; is_e < 2; is_e++) {
        in->nmends[is_e] = 0;
        for (int face = 0; face < 6; face++)
            for (int c = 0; c < 3 && in->face[face / 2][face % 2]; c++) {
                if (c == face / 2) continue;
                const struct mend m = mend_make(in, c, face / 2, face % 2, is_e);
                if (m.factor < 0 || m.factor > 0) in->mend[is_e][in->nmends[is_e]++] = m;
            }
    }
    return in->keeps_values ? values_make(in) : SF_OK;
}

static void mend_run(const struct incident *in, const struct line_view *view, const struct mend *m,
                     const struct source_pack *p, struct box b, const struct call *c, int is_e)
{
    const struct maxwell *const x = c->ctx;
    const int component = m->target % 3;
    const double *const row = incident_row(in, m, c->pass_step);
    const int i0 = SF_MAX(b.i0, m->range.low[AX]), i1 = SF_MIN(b.i1, m->range.high[AX]);
    const int k0 = SF_MAX(b.k0, m->range.low[AZ]), k1 = SF_MIN(b.k1, m->range.high[AZ]);
    for (int j = b.j0; j < b.j1; j++) {
        const int row_j = place_row(j, in->rows);
        if (row_j < m->range.low[AY] || row_j >= m->range.high[AY]) continue;
        for (int k = k0; k < k1; k++) {
            const ptrdiff_t at = (j - p->j0) * p->sj + k * p->sk;
            real *const f = p->f[component] + at;
            for (int i = i0; i < i1; i++)
                f[i] += media_turn(x, is_e, p->media[component], at + i) * mend_value(view, m, row, i, row_j, k);
        }
    }
}

void incident_run(const struct incident *in, const struct source_pack *p, struct box b, const struct call *c, int is_e)
{
    struct line_view view = in->view;
    view.imaginary = p->imaginary;
    for (int n = 0; n < in->nmends[is_e]; n++) mend_run(in, &view, &in->mend[is_e][n], p, b, c, is_e);
}

struct place_range incident_range(const struct incident *in, int is_e)
{
    struct place_range all = in->mend[is_e][0].range;
    for (int n = 1; n < in->nmends[is_e]; n++)
        for (int a = 0; a < 3; a++) {
            const struct place_range *const r = &in->mend[is_e][n].range;
            all.low[a] = SF_MIN(all.low[a], r->low[a]), all.high[a] = SF_MAX(all.high[a], r->high[a]);
        }
    return in->nmends[is_e] ? all : (struct place_range){{0}, {0}};
}
