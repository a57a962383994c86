/* Bloch-periodic sides: from the namelist to phases, and the stages at the seams. SPDX-License-Identifier: MIT */
#include "maxwell/bloch.h"

#include "maxwell/bloch_seam.h"
#include "maxwell/drive.h"
#include "maxwell/place.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

static const double pi = 3.14159265358979323846;

/* ---- making ------------------------------------------------------------------------------------------------------ */

static double magnitude(double x) { return x < 0 ? -x : x; }

/* Wave numbers as they are given, or those of a wave at an angle. */
static void numbers_set(struct bloch *b, const struct maxwell_params *p, double index, struct complaints *to)
{
    b->k[AX] = p->bloch_kx, b->k[AY] = p->bloch_ky, b->k[AZ] = p->bloch_kz;
    if (!(p->bloch_theta > 0)) return;
    if (magnitude(b->k[AX]) + magnitude(b->k[AY]) + magnitude(b->k[AZ]) > 0)
        sf_complain(to, "bloch%theta bloch%kx bloch%ky bloch%kz", -1,
                    "give the wave numbers kx, ky, kz or an angle theta with its frequency, not both");
    if (!(p->bloch_frequency > 0))
        sf_complain(to, "bloch%theta bloch%frequency", -1,
                    "an angle is one at a frequency, for sin(theta) = k c / (2 pi f n): give &bloch frequency");
    const double degree = pi / 180, theta = p->bloch_theta * degree, phi = p->bloch_phi * degree;
    const double k = 2 * pi * p->bloch_frequency * index / em_c * sfd_sin(theta);
    b->k[AX] = k * sfd_cos(phi), b->k[AY] = k * sfd_sin(phi);
    for (int a = 0; a < 2; a++)
        if (magnitude(b->k[a]) < 1e-14 * magnitude(k)) b->k[a] = 0; /* an angle along the other axis */
}

void bloch_refuse(const struct maxwell_params *p, struct complaints *to)
{
    enum { MODE = 3, FAR = 3, OBLIQUE = 7 }; /* in SOURCE_KINDS, MONITOR_KINDS, and the directions of a plane wave */
    const int sources = (int)(sizeof p->source_kind / sizeof p->source_kind[0]),
              monitors = (int)(sizeof p->monitor_kind / sizeof p->monitor_kind[0]),
              ports = (int)(sizeof p->port_kind / sizeof p->port_kind[0]);
    for (int n = 0; n < sources; n++) {
        if (p->source_kind[n] == MODE)
            sf_complain(to, "source%kind bloch%kx bloch%ky", n,
                        "source %d: a guided mode is one of real fields, and &bloch makes them complex: take dipoles",
                        n + 1);
        else if (p->source_kind[n] && p->source_drive[n] == DRIVE_HARD)
            sf_complain(
                to, "source%drive bloch%kx bloch%ky", n,
                "source %d: a hard source sets the real part of a field that &bloch makes complex: take drive = 'current' or 'soft'",
                n + 1);
    }
    for (int n = 0; n < monitors; n++)
        if (p->monitor_name[n][0] && p->monitor_kind[n] == FAR)
            sf_complain(to, "monitor%kind bloch%kx bloch%ky", n,
                        "monitor %.64s: what &bloch repeats without end has no far field: take kind = 'orders'",
                        p->monitor_name[n]);
    for (int n = 0; n < ports; n++)
        if (p->port_kind[n])
            sf_complain(
                to, "port%kind bloch%kx bloch%ky", n,
                "port %d: ports are of real fields, and &bloch makes them complex: leave &bloch out, or take dipoles",
                n + 1);
    if (p->plane_wave_direction == OBLIQUE)
        sf_complain(
            to, "plane_wave%direction bloch%kx bloch%ky", -1,
            "with &bloch the plane wave has its transverse wave numbers: give the axis that it travels along, such as direction = '-z'");
}

/* All cells of one size; 0 where they are not. */
static double size_of(const struct grid *g, int a)
{
    const int n = axis_cells(g, a);
    const double period = place_at(g, a, 1, n) - place_at(g, a, 1, 0), mean = period / n;
    for (int m = 0; m < n; m++)
        if (magnitude(place_cell(g, a, m) - mean) > 1e-6 * mean) return 0;
    return mean;
}

static int phases_table(struct bloch *b, const struct grid *g, int a)
{
    const int n = axis_cells(g, a);
    double *const to = table_alloc((2 * (size_t)n + 1) * 2 * sizeof *to);
    SF_CHECK(to, SF_MEMORY, "no memory for the phases of %d cells", n);
    b->phase[a] = to;
    for (int m = 0; m <= 2 * n; m++) {
        const double angle = b->k[a] * (place_at(g, a, m % 2 == 0, m / 2) - place_at(g, a, 1, 0));
        to[2 * m] = sfd_cos(angle), to[2 * m + 1] = sfd_sin(angle);
    }
    return SF_OK;
}

int bloch_make(struct bloch *b, const struct maxwell_params *p, const struct grid *g, double index,
               struct complaints *to)
{
    static const char *const keys[3] = {"bloch%kx bloch%theta boundary%west boundary%east",
                                        "bloch%ky bloch%theta boundary%south boundary%north",
                                        "bloch%kz boundary%bottom boundary%top"};
    *b = (struct bloch){.is_there = p->bloch_complex_fields};
    numbers_set(b, p, index, to);
    for (int a = 0; a < 3; a++) b->is_there |= b->k[a] < 0 || b->k[a] > 0;
    if (!b->is_there) return SF_OK;
    for (int a = 0; a < 3; a++) {
        b->period[a] = place_at(g, a, 1, axis_cells(g, a)) - place_at(g, a, 1, 0);
        b->size[a] = size_of(g, a);
        const double k = b->k[a];
        b->turns[a] = k < 0 || k > 0;
        if (b->turns[a] && side_of(p, a, 0) != EM_PERIODIC)
            sf_complain(
                to, keys[a], -1,
                "&bloch: k%c = %g rad/m is a phase from the %s side to the %s side, which must both be 'periodic'",
                "xyz"[a], k, side_name(a, 0), side_name(a, 1));
        const double half = sfd_sin(0.5 * k * b->period[a]);
        b->less[a] = (real)(-2 * half * half), b->sine[a] = (real)sfd_sin(k * b->period[a]);
        SF_TRY(phases_table(b, g, a));
    }
    return SF_OK;
}

void bloch_free(struct bloch *b)
{
    for (int a = 0; a < 3; a++) table_free(b->phase[a]), b->phase[a] = NULL;
}

double bloch_number(const struct bloch *b, int axis)
{
    return b->turns[axis] ? 2 * sfd_sin(0.5 * b->k[axis] * b->size[axis]) / b->size[axis] : 0;
}

double bloch_light_line(const struct bloch *b, double index)
{
    return em_c / (2 * pi * index) * __builtin_sqrt(b->k[AX] * b->k[AX] + b->k[AY] * b->k[AY] + b->k[AZ] * b->k[AZ]);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* Where elements beside the seam lie along its axis: E on the first node, H in the last cell. */
static int place_of(const struct maxwell *x, int a, int is_e) { return is_e ? 0 : x->axis[a].n - 1; }

/* The rows that stand for row `place`, or an image of it, in a box: the first; none: b.j1 or later. */
static int image_of(int place, int rows, int j0) { return j0 + place_row(place - j0, rows); }

struct bloch_seam bloch_seam_of(const struct bloch_pack *p, struct box b, const struct call *c, int is_e)
{
    const struct maxwell *const x = c->ctx;
    const struct bloch *const of = x->bloch;
    const int a = c->arg, place = place_of(x, a, is_e);
    const ptrdiff_t step[3] = {1, p->sj, p->sk};
    const real spacing = is_e ? x->axis[a].e[place] : x->axis[a].h[place];
    struct bloch_seam m = {.turn = (is_e ? &x->e : &x->h)->turn,
                           .wide = is_e ? x->e_wide : x->h_wide,
                           .sj = p->sj,
                           .sk = p->sk,
                           .beyond = is_e ? -step[a] : step[a],
                           .spacing = {spacing, -spacing},
                           .less = of->less[a],
                           .sine = is_e ? -of->sine[a] : of->sine[a],
                           .range = {{b.i0, b.j0, b.k0}, {b.i1, b.j1, b.k1}},
                           .j0 = p->j0,
                           .rows = 1};
    for (int n = 0; n < 2; n++) {
        const int to = (a + 1 + n) % 3, from = (a + 2 - n) % 3;
        m.to[n][0] = p->re[to], m.to[n][1] = p->im[to], m.ids[n] = p->media[to];
        m.from[n][0] = p->from_re[from], m.from[n][1] = p->from_im[from];
    }
    if (a == AY) m.range.low[AY] = image_of(place, x->nj, b.j0), m.rows = x->nj;
    else m.range.low[a] = SF_MAX(m.range.low[a], place), m.range.high[a] = SF_MIN(m.range.high[a], place + 1);
    return m;
}

static void seam_run(const struct bloch_pack *p, struct box b, const struct call *c, int is_e)
{
    const struct bloch_seam m = bloch_seam_of(p, b, c, is_e);
    const struct place_range *const r = &m.range;
    for (int j = r->low[AY]; j < r->high[AY]; j += m.rows)
        for (int which = 0; which < 2; which++)
            for (int k = r->low[AZ]; k < r->high[AZ]; k++)
                for (int i = r->low[AX]; i < r->high[AX]; i++) bloch_point(&m, which, (j - m.j0) * m.sj + k * m.sk + i);
}

void bloch_h_elements(const struct bloch_pack *p, struct box b, const struct call *c) { seam_run(p, b, c, 0); }
void bloch_e_elements(const struct bloch_pack *p, struct box b, const struct call *c) { seam_run(p, b, c, 1); }

static struct box seam_changes(const struct call *c, struct box b, int is_e)
{
    const struct maxwell *const x = c->ctx;
    const int a = c->arg, place = place_of(x, a, is_e), rows = x->periodic[AY] ? x->nj : 0;
    if (a == AX) b.i0 = SF_MAX(b.i0, place), b.i1 = SF_MIN(b.i1, place + 1);
    if (a == AZ) b.k0 = SF_MAX(b.k0, place), b.k1 = SF_MIN(b.k1, place + 1);
    if (a != AY) return b;
    const int first = image_of(place, rows, b.j0), images = first < b.j1 ? (b.j1 - 1 - first) / rows : 0;
    return (struct box){b.i0, b.i1, b.k0, b.k1, SF_MIN(first, b.j1), first < b.j1 ? first + images * rows + 1 : b.j1};
}

struct box bloch_h_changes(const struct call *c, struct box b) { return seam_changes(c, b, 0); }
struct box bloch_e_changes(const struct call *c, struct box b) { return seam_changes(c, b, 1); }
