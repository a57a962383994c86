/* Cells of E that flat faces alone cross: the volumes of the media as they are.
 *
 * Along each axis the faces of solids and the node in the middle cut the cell into segments, so the cell into boxes,
 * each of one medium. Lengths are whole numbers, 2^31 to the cell; volumes are sums of products of three of them, 2^93
 * to the cell, kept in two words. No sum has an order: mirror images and exchanged axes have the same bits. What is
 * rounded is the place of a face, to 2.3e-10 of the cell: a film of a thousandth of a cell keeps six digits.
 *
 * Every interface within the cell has its normal along an axis. Their areas along x, y and z, whatever their sign, are
 * the normal of paint.h: a film within the cell has two faces and no doubt about their direction.
 * SPDX-License-Identifier: MIT */
#include "maxwell/paint_smooth.h"

#include "maxwell/paint_parts.h"
#include "maxwell/paint_pieces.h"

#include <string.h>

enum { SEGMENTS = 256, BOXES = 4096, BITS = 31 };

#define LENGTH_WHOLE (1ULL << BITS)

/* The cell along one axis: segments end at end[0 .. n - 1], the last at LENGTH_WHOLE; `at` is a place within each, in
 * the domain, and `number` the cell that it lies in. */
struct segments {
    int n;
    uint64_t end[SEGMENTS];
    double at[SEGMENTS], length;
    int number[SEGMENTS];
};

static double square(double d) { return d * d; }

/* ---- is every surface flat? -------------------------------------------------------------------------------------- */

/* Add the squares of the least and largest distance of a piece, or two, from a solid's centre. */
static void distances_add(const struct solid *s, int a, const struct piece *p, int n, double *near, double *far)
{
    double least = 1e30, most = 0;
    for (int m = 0; m < n; m++) {
        const double below = s->centre[a] - p[m].low, above = p[m].high - s->centre[a], inside = SF_MIN(below, above);
        least = SF_MIN(least, inside < 0 ? -inside : 0);
        most = SF_MAX(most, SF_MAX(below, above));
    }
    *near += square(least), *far += square(most);
}

/* Does the cell meet the box around a mesh? */
static int meets_box(const struct solid *s, struct piece piece[3][2], const int n[3])
{
    int meets = 1;
    for (int a = 0; a < 3; a++) {
        int one = 0;
        for (int m = 0; m < n[a]; m++) one |= piece[a][m].low < s->face[a][1] && piece[a][m].high > s->face[a][0];
        meets &= one;
    }
    return meets;
}

/* Does the curved surface of a solid cross the cell, wherever its ends lie? One of triangles may. */
static int is_curved_in(const struct solid *s, struct piece piece[3][2], const int n[3])
{
    double near = 0, far = 0;
    if (s->mesh) return meets_box(s, piece, n);
    for (int a = 0; a < 3; a++)
        if (s->round >> a & 1) distances_add(s, a, piece[a], n[a], &near, &far);
    return s->round && near <= s->square && far > s->square;
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* `end` in its place among those that grow; 0: no room. */
static int end_add(struct segments *s, uint64_t end)
{
    int at = s->n;
    while (at > 0 && s->end[at - 1] > end) at--;
    if (at > 0 && s->end[at - 1] == end) return 1;
    if (s->n == SEGMENTS) return 0;
    memmove(&s->end[at + 1], &s->end[at], (size_t)(s->n - at) * sizeof s->end[0]);
    s->end[at] = end;
    s->n++;
    return 1;
}

/* From the node that two pieces share, or from the lower end of one, m; below 0: in the piece before. */
static double piece_offset(const struct piece *p, int before, double x)
{
    const double distance = p->from_high ? p->high - x : x - p->low;
    return before ? -distance : distance;
}

/* Faces closer than `slack` to the end of a piece lie on it. */
static int faces_add(struct segments *s, const struct piece *p, int before, double start, const double face[2],
                     double slack)
{
    for (int high = 0; high < 2; high++) {
        if (!(face[high] > p->low + slack && face[high] < p->high - slack)) continue;
        const double u = (piece_offset(p, before, face[high]) - start) / s->length;
        if (!end_add(s, (uint64_t)(u * (double)LENGTH_WHOLE + 0.5))) return 0;
    }
    return 1;
}

/* 0: more faces than there is room for. */
static int segments_find(const struct geometry *g, int a, const struct piece *p, int n, struct segments *s)
{
    const double before = n == 2 ? p[0].high - p[0].low : 0;
    s->n = 0;
    s->length = before + (p[n - 1].high - p[n - 1].low);
    int fits = end_add(s, LENGTH_WHOLE);
    if (n == 2) fits = end_add(s, (uint64_t)(before / s->length * (double)LENGTH_WHOLE + 0.5));
    for (const struct solid *one = g->solid; one < g->solid + g->nsolids && fits; one++)
        for (int m = 0; m < n && fits && !(one->round >> a & 1); m++)
            fits = faces_add(s, &p[m], n == 2 && m == 0, -before, one->face[a], g->slack);
    for (int m = 0; m < s->n; m++) {
        const double middle = 0.5 * ((double)(m ? s->end[m - 1] : 0) + (double)s->end[m]);
        const double u = middle / (double)LENGTH_WHOLE * s->length - before;
        const struct piece *const in = &p[u < 0 ? 0 : n - 1];
        const double distance = u < 0 ? -u : u;
        s->at[m] = in->from_high ? in->high - distance : in->low + distance;
        s->number[m] = in->number;
    }
    return fits;
}

static uint64_t length_of(const struct segments *s, int m) { return s->end[m] - (m ? s->end[m - 1] : 0); }

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* A cell cut into boxes: medium[(k ny + j) nx + i]. */
struct cut {
    struct segments axis[3];
    unsigned char medium[BOXES];
};

static void solid_lay(const struct solid *s, unsigned char medium, struct cut *c)
{
    unsigned char in[3][SEGMENTS];
    const int nx = c->axis[AX].n, ny = c->axis[AY].n, nz = c->axis[AZ].n;
    double middle = 0; /* no curved surface crosses the cell: one place tells for all */
    for (int a = 0; a < 3; a++)
        if (s->round >> a & 1) middle += square(c->axis[a].at[0] - s->centre[a]);
    if (middle > s->square) return;
    for (int a = 0; a < 3; a++)
        for (int m = 0; m < c->axis[a].n; m++)
            in[a][m] = s->round >> a & 1 || (c->axis[a].at[m] >= s->face[a][0] && c->axis[a].at[m] <= s->face[a][1]);
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++)
                if (in[AZ][k] & in[AY][j] & in[AX][i]) c->medium[(k * ny + j) * nx + i] = medium;
}

static void boxes_lay(const struct geometry *g, const unsigned char *alike, struct cut *c)
{
    const int nx = c->axis[AX].n, ny = c->axis[AY].n, nz = c->axis[AZ].n;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++)
                c->medium[(k * ny + j) * nx + i] =
                    alike[g->path
                              ? geometry_of_file(g, c->axis[AY].number[j], c->axis[AZ].number[k], c->axis[AX].number[i])
                              : g->background];
    for (int n = 0; n < g->nsolids; n++) solid_lay(&g->solid[n], alike[g->solid[n].medium], c);
}

static int medium_next(const struct cut *c, int before)
{
    const int n = c->axis[AX].n * c->axis[AY].n * c->axis[AZ].n;
    int least = MEDIA_MAX;
    for (int m = 0; m < n; m++)
        if (c->medium[m] > before && c->medium[m] < least) least = c->medium[m];
    return least;
}

/* Add a medium's volume, in units of 2^31 of whole[0] and 1 of whole[1]: neither sum is more than 2^62. */
static void volume_add(const struct cut *c, int medium, uint64_t sum[2])
{
    const unsigned char *at = c->medium;
    for (int k = 0; k < c->axis[AZ].n; k++) {
        uint64_t area = 0;
        for (int j = 0; j < c->axis[AY].n; j++)
            for (int i = 0; i < c->axis[AX].n; i++)
                if (*at++ == medium) area += length_of(&c->axis[AY], j) * length_of(&c->axis[AX], i);
        sum[0] += (area >> BITS) * length_of(&c->axis[AZ], k);
        sum[1] += (area & (LENGTH_WHOLE - 1)) * length_of(&c->axis[AZ], k);
    }
}

/* Of interfaces with their normal along `a`, over the section of the cell, in 2^-52: so that many of them can be
 * added. */
static uint64_t area_of(const struct cut *c, int a)
{
    const int stride[3] = {1, c->axis[AX].n, c->axis[AX].n * c->axis[AY].n}, b = (a + 1) % 3, d = (a + 2) % 3;
    uint64_t area = 0;
    for (int n = 0; n < c->axis[d].n; n++)
        for (int m = 0; m < c->axis[b].n; m++) {
            const unsigned char *const at = c->medium + n * stride[d] + m * stride[b];
            const uint64_t section = (length_of(&c->axis[d], n) * length_of(&c->axis[b], m)) >> 10;
            for (int s = 1; s < c->axis[a].n; s++) area += at[s * stride[a]] != at[(s - 1) * stride[a]] ? section : 0;
        }
    return area;
}

/* g of paint.h in 1/64. Areas are over lengths, so that all are in the same unit; lengths over that along c, in
 * 2^-20. */
static uint64_t normal_of(const struct cut *cut, int c)
{
    double q[3];
    for (int a = 0; a < 3; a++) {
        const double ratio = (double)(int64_t)(0x1p20 * (cut->axis[c].length / cut->axis[a].length) + 0.5) * 0x1p-20;
        q[a] = square(square((double)area_of(cut, a) * 0x1p-52 * ratio));
    }
    return (uint64_t)(NORMAL_WHOLE * (q[c] / (q[0] + q[1] + q[2])) + 0.5);
}

static int cut_mixture(const struct cut *cut, int c, struct mixture *x)
{
    uint64_t sum[2] = {0, 0}, given = 0;
    int parts = 0;
    *x = (struct mixture){.part = {0}};
    for (int n = 0, last = medium_next(cut, -1); last < MEDIA_MAX; n++, last = medium_next(cut, last)) {
        if (n == MIXTURE_PARTS || last == MEDIUM_PEC) return 0;
        volume_add(cut, last, sum);
        const uint64_t end =
            (sum[0] + (sum[1] >> BITS) + (1 << 13)) >> 14; /* 2^62 to 2^48; rounded sums: together they are whole */
        if (end > given) x->part[parts++] = mixture_part(end - given, last);
        given = end;
    }
    if (parts > 1) x->normal = normal_of(cut, c);
    return 1;
}

int flat_mixture(const struct geometry *g, const unsigned char *alike, int c, const int at[3], struct mixture *x)
{
    struct piece piece[3][2];
    struct cut cut;
    int n[3], boxes = 1;
    for (int a = 0; a < 3; a++) n[a] = pieces_find(&g->axis[a], a != c, at[a], piece[a]);
    for (int s = 0; s < g->nsolids; s++)
        if (is_curved_in(&g->solid[s], piece, n)) return FLAT_NOT;
    for (int a = 0; a < 3; a++) {
        if (!segments_find(g, a, piece[a], n[a], &cut.axis[a])) return FLAT_NOT;
        boxes *= cut.axis[a].n;
        if (boxes > BOXES) return FLAT_NOT;
    }
    boxes_lay(g, alike, &cut);
    return cut_mixture(&cut, c, x);
}
