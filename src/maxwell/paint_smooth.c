/* Cells of E that the surfaces of solids cross. SPDX-License-Identifier: MIT */
#include "maxwell/paint_smooth.h"

#include "maxwell/element.h"
#include "maxwell/paint_parts.h"
#include "maxwell/paint_pieces.h"
#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

enum { EACH = 8, ALL = EACH * EACH * EACH, LEVELS = 64 };

static const double huge_square = 1e60;

/* ---- which cells a surface crosses ------------------------------------------------------------------------------- */

static double square(double d) { return d * d; }

static struct span piece_span(const struct solid *s, int a, const struct piece *p, double slack)
{
    const double lower = s->face[a][0] - slack, upper = s->face[a][1] + slack;
    const int round = s->round >> a & 1, bit = 1 << a;
    const double below = s->centre[a] - p->low, above = p->high - s->centre[a], least = SF_MIN(below, above);
    struct span span = {0, round ? square(SF_MAX(below, above)) : 0};
    if (round && least < 0) span.near = square(least);
    if (p->high <= lower || p->low >= upper) span.near = huge_square;
    if ((p->low < lower && s->off_low & (unsigned)bit) || (p->high > upper && s->off_high & (unsigned)bit))
        span.far = huge_square;
    return span;
}

static struct span span_find(const struct geometry *g, const struct solid *s, int a, int on_node, int m)
{
    struct piece piece[2];
    const int n = pieces_find(&g->axis[a], on_node, m, piece);
    struct span all = piece_span(s, a, &piece[0], g->slack);
    if (n == 2) {
        const struct span other = piece_span(s, a, &piece[1], g->slack);
        all.near = SF_MIN(all.near, other.near), all.far = SF_MAX(all.far, other.far);
    }
    return all;
}

int smooth_has(const struct geometry *g)
{
    for (int n = 0; n < g->nsolids; n++)
        if (g->solid[n].smooth) return 1;
    return 0;
}

static void smooth_solid_fill(const struct geometry *g, struct smooth_solid *s, struct span *at)
{
    const int ni = g->axis[AX].n, nk = g->axis[AZ].n;
    for (int on_node = 0; on_node < 2; on_node++) {
        s->x[on_node] = at, at += ni + 1;
        s->z[on_node] = at, at += nk + 1;
        for (int i = 0; i <= ni; i++) s->x[on_node][i] = span_find(g, s->solid, AX, on_node, i);
        for (int k = 0; k <= nk; k++) s->z[on_node][k] = span_find(g, s->solid, AZ, on_node, k);
        int first = 0, end = ni + 1;
        while (first < end && s->x[on_node][first].near > s->solid->square) first++;
        while (first < end && s->x[on_node][end - 1].near > s->solid->square) end--;
        s->first[on_node] = first, s->end[on_node] = end;
    }
}

static int is_of(const struct solid *s, enum smooth_of of) { return of == SURFACES_CUT ? s->cuts : s->smooth; }

int smooth_init(struct smooth *s, const struct geometry *g, enum smooth_of of)
{
    const size_t spans = 2 * ((size_t)g->axis[AX].n + (size_t)g->axis[AZ].n + 2);
    int n = 0;
    for (int m = 0; m < g->nsolids; m++) n += is_of(&g->solid[m], of);
    *s = (struct smooth){.g = g};
    if (!n) return SF_OK;
    s->memory = malloc((size_t)n * (sizeof *s->solid + spans * sizeof(struct span)));
    SF_CHECK(s->memory, SF_MEMORY, "no memory for the surfaces of %d solids", n);
    s->solid = s->memory;
    struct span *const at = (struct span *)(void *)(s->solid + n);
    for (int m = 0; m < g->nsolids; m++) {
        if (!is_of(&g->solid[m], of)) continue;
        s->solid[s->n].solid = &g->solid[m];
        smooth_solid_fill(g, &s->solid[s->n], at + (size_t)s->n * spans);
        s->n++;
    }
    return SF_OK;
}

void smooth_free(struct smooth *s)
{
    free(s->memory);
    *s = (struct smooth){0};
}

int smooth_row_find(const struct smooth *s, int component, int j, struct smooth_row *row)
{
    row->component = component, row->j = j, row->n = 0;
    for (int n = 0; n < s->n; n++) {
        const struct span y = span_find(s->g, s->solid[n].solid, AY, on_node(component, AY), j);
        if (y.near > s->solid[n].solid->square) continue;
        row->near[row->n].number = n, row->near[row->n].y = y;
        row->n++;
    }
    return row->n;
}

/* Elements of a line along x, as far as marks go. */
struct marks {
    const struct geometry_axis *axis;
    double slack;
    unsigned char *mark; /* [n + 1] */
};

/* Of those whose cell may reach from `from` to `until`: a cell more at both ends, and at a side its other end. */
static void marks_put(void *to, double from, double until)
{
    const struct marks *const m = to;
    const int n = m->axis->n;
    int low = 0, high = n;
    while (low < high) { /* the first node beyond `from` */
        const int q = (low + high) / 2;
        if (m->axis->node[q] < from - m->slack) low = q + 1;
        else high = q;
    }
    const int first = SF_MAX(low - 1, 0);
    int last = first;
    while (last < n && m->axis->node[last] <= until + m->slack) last++;
    memset(m->mark + first, 1, (size_t)(last - first) + 1);
    if (first == 0 || last == n) m->mark[0] = m->mark[n] = 1;
}

static void mesh_mark(const struct smooth *s, const struct solid *one, const struct smooth_row *row, int k,
                      unsigned char *mark)
{
    const struct geometry *const g = s->g;
    struct marks to = {&g->axis[AX], g->slack, mark};
    struct piece y[2], z[2];
    const int ny = pieces_find(&g->axis[AY], on_node(row->component, AY), row->j, y),
              nz = pieces_find(&g->axis[AZ], on_node(row->component, AZ), k, z);
    for (int q = 0; q < ny * nz; q++) {
        const struct piece *const a = &y[q % ny], *const b = &z[q / ny];
        mesh_reach(one->mesh, (const double[3]){0, a->low - g->slack, b->low - g->slack},
                   (const double[3]){0, a->high + g->slack, b->high + g->slack}, marks_put, &to);
    }
}

int smooth_line(const struct smooth *s, const struct smooth_row *row, int k, unsigned char *mark)
{
    int any = 0;
    for (int n = 0; n < row->n; n++) {
        const struct smooth_solid *const one = &s->solid[row->near[n].number];
        const int of_x = on_node(row->component, AX);
        const struct span *const x = one->x[of_x], *const y = &row->near[n].y,
                                 *const z = &one->z[on_node(row->component, AZ)][k];
        const double near = y->near + z->near, far = y->far + z->far, limit = one->solid->square;
        if (near > limit) continue;
        if (!any) memset(mark, 0, (size_t)s->g->axis[AX].n + 1);
        any = 1;
        if (one->solid->mesh) {
            mesh_mark(s, one->solid, row, k, mark);
            continue;
        }
        for (int i = one->first[of_x]; i < one->end[of_x]; i++)
            mark[i] |= (x[i].near + near <= limit) & (x[i].far + far > limit);
    }
    return any;
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Places of samples along one axis, and the numbers of the cells that they lie in. */
struct places {
    double at[EACH], length;
    int number[EACH];
};

static void places_find(const struct geometry_axis *a, int on_node, int m, struct places *s)
{
    struct piece p[2];
    const int n = pieces_find(a, on_node, m, p);
    const double before = n == 2 ? p[0].high - p[0].low : 0;
    s->length = before + (p[n - 1].high - p[n - 1].low);
    for (int e = 0; e < EACH; e++) {
        const double u = (e + 0.5) * (s->length / EACH) - before; /* from the node, or the lower end */
        const struct piece *const in = &p[u < 0 ? 0 : n - 1];
        const double distance = u < 0 ? -u : u;
        s->at[e] = in->from_high ? in->high - distance : in->low + distance;
        s->number[e] = in->number;
    }
}

/* The media before any solid: the background, or the file's. */
static void samples_begin(const struct geometry *g, const struct places p[3], const unsigned char *alike,
                          unsigned char *sample)
{
    if (!g->path) {
        memset(sample, alike[g->background], ALL);
        return;
    }
    for (int k = 0; k < EACH; k++)
        for (int j = 0; j < EACH; j++)
            for (int i = 0; i < EACH; i++)
                sample[(k * EACH + j) * EACH + i] =
                    alike[geometry_of_file(g, p[AY].number[j], p[AZ].number[k], p[AX].number[i])];
}

static void mesh_sample(const struct solid *s, const struct places p[3], unsigned char medium, unsigned char *sample)
{
    double cross[MESH_MOST];
    for (int k = 0; k < EACH; k++)
        for (int j = 0; j < EACH; j++) {
            const int n = mesh_line(s->mesh, AX, (const double[3]){0, p[AY].at[j], p[AZ].at[k]}, cross);
            unsigned char *const to = sample + (k * EACH + j) * EACH;
            for (int q = 0; q + 1 < n; q += 2)
                for (int i = 0; i < EACH; i++)
                    if (p[AX].at[i] >= cross[q] && p[AX].at[i] <= cross[q + 1]) to[i] = medium;
        }
}

/* Squares of distances are whole multiples of 2^-50 of that of the radius. */
static void solid_sample(const struct solid *s, double slack, const struct places p[3], unsigned char medium,
                         unsigned char *sample)
{
    const int64_t one = (int64_t)1 << 50, beyond = one << 10, limit = s->round ? one : 0;
    const double scale = s->round ? (double)one / s->square : 0;
    int64_t square_of[3][EACH];
    if (s->mesh) {
        mesh_sample(s, p, medium, sample);
        return;
    }
    for (int a = 0; a < 3; a++) {
        int within = 0;
        for (int e = 0; e < EACH; e++) {
            const double x = p[a].at[e], d = (s->round >> a & 1) ? square(x - s->centre[a]) * scale : 0;
            const int in = x >= s->face[a][0] - slack && x <= s->face[a][1] + slack && d < (double)beyond;
            square_of[a][e] = in ? (int64_t)d : beyond;
            within |= in;
        }
        if (!within) return;
    }
    for (int k = 0; k < EACH; k++)
        for (int j = 0; j < EACH; j++) {
            const int64_t left = limit - square_of[AZ][k] - square_of[AY][j];
            unsigned char *const to = sample + (k * EACH + j) * EACH;
            for (int i = 0; left >= 0 && i < EACH; i++) to[i] = square_of[AX][i] <= left ? medium : to[i];
        }
}

static int samples_of(const unsigned char *sample, int medium)
{
    int n = 0;
    for (int m = 0; m < ALL; m++) n += sample[m] == medium;
    return n;
}

/* The least medium that is more than the one before; there must be one. */
static int medium_next(const unsigned char *sample, int before)
{
    int least = MEDIA_MAX - 1;
    for (int m = 0; m < ALL; m++) {
        const int one = sample[m] > before ? sample[m] : MEDIA_MAX - 1;
        least = SF_MIN(least, one);
    }
    return least;
}

/* ---- the mixture ------------------------------------------------------------------------------------------------- */

static int is_end(int m) { return m == 0 || m == EACH - 1; }

/* Components of a medium's normal, times a common factor; lengths are over that along c, in 2^-20. */
static void normal_find(const unsigned char *sample, int medium, const struct places p[3], int c, double normal[3])
{
    static const int stride[3] = {1, EACH, EACH * EACH};
    for (int a = 0; a < 3; a++) {
        const int step = stride[(a + 1) % 3], other = stride[(a + 2) % 3], last = (EACH - 1) * stride[a];
        const double ratio = (double)(int64_t)(0x1p20 * (p[c].length / p[a].length) + 0.5) * 0x1p-20;
        int sum = 0;
        for (int m = 0; m < EACH; m++)
            for (int n = 0; n < EACH; n++) {
                const unsigned char *const at = sample + m * step + n * other;
                const int area = (is_end(m) ? 1 : 2) * (is_end(n) ? 1 : 2);
                sum += area * ((at[last] == medium) - (at[0] == medium));
            }
        normal[a] = sum * ratio;
    }
}

static uint64_t normal_share(const unsigned char *sample, const int *medium, int n, const struct places p[3], int c)
{
    double longest = 0, share = 1.0 / 3;
    for (int m = 0; m < (n == 2 ? 1 : n); m++) { /* of two media both say the same */
        double q[3];
        normal_find(sample, medium[m], p, c, q);
        for (int a = 0; a < 3; a++) q[a] = square(square(q[a]));
        const double sum = q[0] + q[1] + q[2];
        if (sum > longest) longest = sum, share = q[c] / sum;
    }
    return (uint64_t)(LEVELS * share + 0.5);
}

static int sampled_mixture(const struct geometry *g, const unsigned char *alike, int c, const int at[3],
                           struct mixture *x)
{
    unsigned char sample[ALL];
    struct places p[3];
    int medium[MIXTURE_PARTS], n = 0, seen = 0, parts = 0, given = 0;
    for (int a = 0; a < 3; a++) places_find(&g->axis[a], a != c, at[a], &p[a]);
    samples_begin(g, p, alike, sample);
    for (int s = 0; s < g->nsolids; s++) solid_sample(&g->solid[s], g->slack, p, alike[g->solid[s].medium], sample);
    *x = (struct mixture){.part = {0}};
    for (int last = -1; seen < ALL; n++) {
        last = medium_next(sample, last);
        if (n == MIXTURE_PARTS || last == MEDIUM_PEC) return 0;
        medium[n] = last;
        seen += samples_of(sample, last);
        const int end = (seen * LEVELS + ALL / 2) / ALL; /* rounded sums: together they are whole */
        if (end > given)
            x->part[parts++] = mixture_part((uint64_t)(end - given) * (uint64_t)(WEIGHT_WHOLE / LEVELS), last);
        given = end;
    }
    if (parts > 1) x->normal = normal_share(sample, medium, n, p, c);
    return 1;
}

enum smooth_kind smooth_mixture(const struct geometry *g, const unsigned char *alike, int c, const int at[3],
                                struct mixture *x)
{
    const int flat = flat_mixture(g, alike, c, at, x);
    if (flat != FLAT_NOT) return flat ? SMOOTH_FLAT : SMOOTH_NONE;
    return sampled_mixture(g, alike, c, at, x) ? SMOOTH_CURVED : SMOOTH_NONE;
}
