/* Sources on a GPU: a thread takes an element. What several of them do to one element is done by the thread of the
 * first, in their order. SPDX-License-Identifier: MIT */
extern "C" {
#include "maxwell/incident_parts.h"
#include "maxwell/source.h"
}

#include "pipeline/launch.h"

enum { BLOCK = 128, DIPOLES = 64 };

/* The components that a stage changes, and how rows of the domain lie in a box: image m of row j is j + m rows. */
struct target {
    struct source_pack of;
    const real *turn;
    int wide, first; /* bytes of an id; the first component */
    struct box b;
    int rows, image, images; /* the first image, and how many */
};

static int divide_down(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

static struct target target_make(const struct source_pack *p, struct box b, const struct call *c, int is_e)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    struct target t = {};
    t.of = *p, t.turn = (is_e ? &x->e : &x->h)->turn, t.wide = is_e ? x->e_wide : x->h_wide, t.first = is_e ? 0 : 3;
    t.b = b, t.rows = x->periodic[AY] ? x->nj : 0;
    t.image = t.rows ? divide_down(b.j0, t.rows) : 0;
    t.images = t.rows ? divide_down(b.j1 - 1, t.rows) - t.image + 1 : 1;
    return t;
}

/* Do rows low .. high - 1 or an image of them lie in the box? */
static int rows_meet(const struct target *t, int low, int high)
{
    return place_rows_meet(low, high, t->rows, t->b.j0, t->b.j1);
}

/* What of a range lies in the columns and levels of the box. The last node of a periodic axis is its first. */
static struct place_range range_clip(const struct target *t, struct place_range r)
{
    r.low[AX] = SF_MAX(r.low[AX], t->b.i0), r.high[AX] = SF_MIN(r.high[AX], t->b.i1);
    r.low[AZ] = SF_MAX(r.low[AZ], t->b.k0), r.high[AZ] = SF_MIN(r.high[AZ], t->b.k1);
    if (t->rows) r.high[AY] = SF_MIN(r.high[AY], t->rows);
    return r;
}

static int range_meets(const struct target *t, const struct place_range *r)
{
    return r->low[AX] < r->high[AX] && r->low[AZ] < r->high[AZ] && rows_meet(t, r->low[AY], r->high[AY]);
}

static unsigned range_blocks(const struct place_range *r) { return launch_blocks(place_range_size(r), BLOCK); }

/* Element number `n` of a range, whole lines along i first; 0: it has no such element. */
__device__ static inline int range_element(const struct place_range *r, ptrdiff_t n, int *i, int *j, int *k)
{
    const int ni = r->high[AX] - r->low[AX], nk = r->high[AZ] - r->low[AZ];
    const ptrdiff_t line = n / ni;
    *i = r->low[AX] + (int)(n % ni), *k = r->low[AZ] + (int)(line % nk), *j = r->low[AY] + (int)(line / nk);
    return *j < r->high[AY];
}

/* Offset of an element of row j in the image of the block; -1: it is not in the box. */
__device__ static inline ptrdiff_t element_offset(const struct target &t, int i, int j, int k)
{
    const int at_j = j + (t.image + (int)blockIdx.z) * t.rows;
    return at_j < t.b.j0 || at_j >= t.b.j1 ? -1 : (ptrdiff_t)(at_j - t.of.j0) * t.of.sj + k * t.of.sk + i;
}

/* ---- the plane wave ---------------------------------------------------------------------------------------------- */

struct mends {
    struct line_view view;
    struct mend mend[INCIDENT_MENDS];
    const double *row[INCIDENT_MENDS];
    int n;
};

/* Does an earlier mend take this element? */
__device__ static inline int mend_is_taken(const struct mends &w, int n, int i, int j, int k)
{
    int taken = 0;
    for (int m = 0; m < n; m++)
        taken |= w.mend[m].target == w.mend[n].target && place_range_has(&w.mend[m].range, i, j, k);
    return taken;
}

__global__ void __launch_bounds__(BLOCK)
    faces_mend(__grid_constant__ SF_ARGUMENT(struct target) t, __grid_constant__ SF_ARGUMENT(struct mends) w)
{
    launch_wait();
    const int n = (int)blockIdx.y, c = w.mend[n].target - t.first;
    int i, j, k;
    if (!range_element(&w.mend[n].range, (ptrdiff_t)blockIdx.x * BLOCK + threadIdx.x, &i, &j, &k)) return;
    const ptrdiff_t at = element_offset(t, i, j, k);
    if (at < 0 || mend_is_taken(w, n, i, j, k)) return;
    const real turn = coefficient_at(t.turn, t.of.media[c], at, t.wide);
    real f = t.of.f[c][at];
    for (int m = n; m < w.n; m++)
        if (w.mend[m].target == w.mend[n].target && place_range_has(&w.mend[m].range, i, j, k))
            f += turn * mend_value(&w.view, &w.mend[m], w.row[m], i, j, k);
    t.of.f[c][at] = f;
}

static void incident_launch(const struct incident *in, const struct target &t, int is_e, int pass_step, void *stream)
{
    struct mends w;
    unsigned blocks = 0;
    w.view = in->view, w.view.imaginary = t.of.imaginary, w.n = 0;
    for (int n = 0; n < in->nmends[is_e]; n++) {
        struct mend m = in->mend[is_e][n];
        m.range = range_clip(&t, m.range);
        if (!range_meets(&t, &m.range)) continue;
        w.row[w.n] = incident_row(in, &m, pass_step);
        w.mend[w.n++] = m;
        blocks = SF_MAX(blocks, range_blocks(&m.range));
    }
    const dim3 grid(blocks, (unsigned)w.n, (unsigned)t.images);
    if (w.n) SF_LAUNCH(faces_mend, grid, dim3(BLOCK), stream, t, w);
}

struct values {
    struct line_view view;
    struct mend mend[INCIDENT_MENDS];
    const double *row[INCIDENT_MENDS];
    real *to[INCIDENT_MENDS];
    int j0, j1; /* rows to write */
};

__global__ void __launch_bounds__(BLOCK) faces_note(__grid_constant__ SF_ARGUMENT(struct values) w)
{
    launch_wait();
    const int n = (int)blockIdx.y;
    const ptrdiff_t at = (ptrdiff_t)blockIdx.x * BLOCK + threadIdx.x;
    int i, j, k;
    if (range_element(&w.mend[n].range, at, &i, &j, &k) && j >= w.j0 && j < w.j1)
        w.to[n][at] = mend_value(&w.view, &w.mend[n], w.row[n], i, j, k);
}

extern "C" void incident_values_launch(const struct incident *in, int j0, int j1, int pass_step, void *stream)
{
    struct values w;
    unsigned blocks = 0;
    w.view = in->view, w.j0 = in->rows ? 0 : j0, w.j1 = in->rows ? in->rows : j1;
    for (int n = 0; n < in->nmends[0]; n++) {
        w.mend[n] = in->mend[0][n], w.row[n] = incident_row(in, &w.mend[n], pass_step), w.to[n] = in->value[n];
        blocks = SF_MAX(blocks, range_blocks(&w.mend[n].range));
    }
    if (blocks) SF_LAUNCH(faces_note, dim3(blocks, (unsigned)in->nmends[0]), dim3(BLOCK), stream, w);
}

/* ---- dipoles ----------------------------------------------------------------------------------------------------- */

struct dipole {
    const real *value;
    enum source_drive drive;
    int component, i, j, k;
};

struct dipoles {
    int n;
    struct dipole one[DIPOLES];
};

__device__ static inline int dipoles_meet(const struct dipole &a, const struct dipole &b)
{
    return a.component == b.component && a.i == b.i && a.j == b.j && a.k == b.k;
}

__global__ void __launch_bounds__(DIPOLES)
    dipoles_drive(__grid_constant__ SF_ARGUMENT(struct target) t, __grid_constant__ SF_ARGUMENT(struct dipoles) d)
{
    launch_wait();
    const int n = (int)threadIdx.x;
    if (n >= d.n) return;
    const struct dipole p = d.one[n];
    const ptrdiff_t at = element_offset(t, p.i, p.j, p.k);
    int taken = 0;
    for (int m = 0; m < n; m++) taken |= dipoles_meet(d.one[m], p);
    if (at < 0 || taken) return;
    const int c = p.component - t.first;
    const real turn = coefficient_at(t.turn, t.of.media[c], at, t.wide);
    real f = t.of.f[c][at];
    for (int m = n; m < d.n; m++)
        if (dipoles_meet(d.one[m], p)) f = driven(f, d.one[m].drive, turn, *d.one[m].value);
    t.of.f[c][at] = f;
}

static void dipoles_launch(struct dipoles *d, const struct target &t, void *stream)
{
    if (d->n) SF_LAUNCH(dipoles_drive, dim3(1, 1, (unsigned)t.images), dim3(DIPOLES), stream, t, *d);
    d->n = 0;
}

static void dipole_add(struct dipoles *d, const struct source *s, const struct target &t, int pass_step, void *stream)
{
    const int i = s->at.low[AX], j = s->at.low[AY], k = s->at.low[AZ];
    if (i < t.b.i0 || i >= t.b.i1 || k < t.b.k0 || k >= t.b.k1 || !rows_meet(&t, j, j + 1)) return;
    if (d->n == DIPOLES) dipoles_launch(d, t, stream);
    struct dipole *const one = &d->one[d->n++];
    one->value = s->value + pass_step, one->drive = s->drive, one->component = s->component, one->i = i, one->j = j,
    one->k = k;
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

/* Two components of a mode; or, flat, one that is driven alike everywhere. */
struct mode_profile {
    const real *value;
    enum source_drive drive;
    int flat;
    int component[2], low[2], along[2]; /* component; of the guide's walls, and the axes across it */
    int wide; /* of its profile */
    struct place_range range[2];
    const real *profile[2];
};

__global__ void __launch_bounds__(BLOCK)
    profile_drive(__grid_constant__ SF_ARGUMENT(struct target) t, __grid_constant__ SF_ARGUMENT(struct mode_profile) p)
{
    launch_wait();
    const int which = (int)blockIdx.y, c = p.component[which];
    int i, j, k;
    if (!range_element(&p.range[which], (ptrdiff_t)blockIdx.x * BLOCK + threadIdx.x, &i, &j, &k)) return;
    const ptrdiff_t at = element_offset(t, i, j, k);
    if (at < 0) return;
    const int n[3] = {i, j, k};
    const real share =
        p.flat ? R(1.0) : p.profile[which][plane_index(p.wide, p.low[0], p.low[1], n[p.along[0]], n[p.along[1]])];
    t.of.f[c][at] = driven(t.of.f[c][at], p.drive, coefficient_at(t.turn, t.of.media[c], at, t.wide), share * *p.value);
}

static const struct place_range nothing = {{0, 0, 0}, {1, 0, 1}}; /* lines of one element, in no rows */

static void profile_launch(const struct source *s, const struct target &t, int pass_step, void *stream)
{
    const struct mode *const m = &s->mode;
    struct mode_profile p;
    unsigned blocks = 0;
    p.value = s->value + pass_step, p.drive = s->drive, p.flat = 0, p.wide = m->wide;
    for (int n = 0; n < 2; n++) {
        const int c = p.component[n] = p.along[n] = (m->axis + 1 + n) % 3;
        p.low[n] = m->low[c];
        p.range[n] = range_clip(&t, mode_range(m, c));
        p.profile[n] = m->profile[n];
        if (range_meets(&t, &p.range[n])) blocks = SF_MAX(blocks, range_blocks(&p.range[n]));
        else p.range[n] = nothing;
    }
    if (blocks) SF_LAUNCH(profile_drive, dim3(blocks, 2, (unsigned)t.images), dim3(BLOCK), stream, t, p);
}

static void block_launch(const struct source *s, const struct target &t, int pass_step, void *stream)
{
    struct mode_profile p = {};
    p.value = s->value + pass_step, p.drive = s->drive, p.flat = 1;
    p.component[0] = p.component[1] = s->component;
    p.range[0] = range_clip(&t, s->at), p.range[1] = nothing;
    if (range_meets(&t, &p.range[0]))
        SF_LAUNCH(profile_drive, dim3(range_blocks(&p.range[0]), 1, (unsigned)t.images), dim3(BLOCK), stream, t, p);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

static void sources_launch(const struct source_pack *p, struct box b, const struct call *c, int is_e, void *stream)
{
    const struct maxwell *const x = (const struct maxwell *)c->ctx;
    const struct target t = target_make(p, b, c, is_e);
    struct dipoles d;
    d.n = 0;
    if (b.j0 >= b.j1) return;
    if (x->incident) incident_launch(x->incident, t, is_e, c->pass_step, stream);
    if (p->imaginary) return;
    for (const struct source *n = x->source; n < x->source + x->nsources; n++) {
        const int is_one = place_range_size(&n->at) == 1;
        if (!n->is_mode && is_one && (n->component < 3) == is_e) dipole_add(&d, n, t, c->pass_step, stream);
        if ((!n->is_mode && is_one) || !is_e) continue;
        dipoles_launch(&d, t, stream);
        if (n->is_mode) profile_launch(n, t, c->pass_step, stream);
        else block_launch(n, t, c->pass_step, stream);
    }
    dipoles_launch(&d, t, stream);
}

extern "C" void source_h_elements_gpu(const struct source_pack *p, struct box b, const struct call *c, void *stream)
{
    sources_launch(p, b, c, 0, stream);
}
extern "C" void source_e_elements_gpu(const struct source_pack *p, struct box b, const struct call *c, void *stream)
{
    sources_launch(p, b, c, 1, stream);
}
