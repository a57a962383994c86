/* The dictionary of mixtures, and their coefficients. SPDX-License-Identifier: MIT */
#include "maxwell/paint.h"

#include "maxwell/conformal.h"
#include "maxwell/paint_parts.h"
#include "maxwell/paint_smooth.h"
#include "maxwell/wire.h"
#include "pipeline/error.h"
#include "pipeline/tables.h"

#include <stdlib.h>
#include <string.h>

enum { ONE_BYTE = 255, TWO_BYTES = 65535 };

/* ---- which media are alike, and how many mixtures they make ------------------------------------------------------ */

static int same(double a, double b) { return !(a < b) && !(a > b); }

static int media_alike(const struct medium *a, const struct medium *b, int is_h)
{
    return is_h ? same(a->mu, b->mu) && same(a->sigma_m, b->sigma_m)
                : same(a->epsilon, b->epsilon) && same(a->sigma, b->sigma) && !a->npoles && !b->npoles;
}

/* Fill alike[] of the media in use, the perfect conductor left out; returns how many differ. */
static int alike_fill(const struct geometry *g, const struct media *m, int is_h, unsigned char *alike)
{
    int kinds = 0;
    for (int n = 0; n < m->n; n++) {
        alike[n] = (unsigned char)n;
        if (!g->used[n] || n == MEDIUM_PEC) continue;
        for (int a = 0; a < n && alike[n] == n; a++)
            if (g->used[a] && a != MEDIUM_PEC && media_alike(&m->medium[a], &m->medium[n], is_h))
                alike[n] = (unsigned char)a;
        kinds += alike[n] == n;
    }
    return kinds;
}

static int has_conductor(const struct geometry *g) { return g->used[MEDIUM_PEC] || geometry_has_thin(g); }
static int is_graded(const struct geometry *g)
{
    return g->axis[AX].graded || g->axis[AY].graded || g->axis[AZ].graded;
}

/* Of equal cells: multisets of four (E) or two (H) of so many media. */
static double mixtures_possible(int kinds, int is_h)
{
    const double n = kinds;
    return is_h ? n * (n + 1) / 2 : n * (n + 1) * (n + 2) * (n + 3) / 24;
}

static int width_of(const struct geometry *g, int kinds, int is_h)
{
    const int pec = has_conductor(g);
    if (g->ncuts || g->nthin) return 2;
    const int loads = is_h ? 0 : g->nlumps;
    if (kinds == 0 || (kinds == 1 && (is_h || (!pec && !loads)))) return 0;
    if (kinds == 1) return 1;
    if (loads) return 2;
    if (!is_h && smooth_has(g)) return 2;
    return !is_graded(g) && mixtures_possible(kinds, is_h) + pec <= ONE_BYTE ? 1 : 2;
}

void paint_width(const struct geometry *g, const struct media *m, int wide[2])
{
    unsigned char alike[MEDIA_MAX];
    for (int is_h = 0; is_h < 2; is_h++) wide[is_h] = width_of(g, alike_fill(g, m, is_h, alike), is_h);
}

/* ---- the dictionary ---------------------------------------------------------------------------------------------- */

static int mixture_same(const struct mixture *a, const struct mixture *b) { return !memcmp(a, b, sizeof *a); }

/* Multiply and fold, a part at a time (the finaliser of SplitMix64). */
static uint64_t mixture_hash(const struct mixture *x)
{
    uint64_t h = 0;
    for (int n = 0; n < MIXTURE_PARTS && (n < 4 || x->part[n]); n++) {
        h = (h ^ x->part[n]) + 0x9e3779b97f4a7c15u;
        h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
        h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
        h ^= h >> 31;
    }
    return h ^ x->normal * 0x9e3779b97f4a7c15u ^ x->open * 0xd6e8feb86659fd93u ^ x->load * 0xa0761d6478bd642fu ^
           x->wire * 0xe7037ed1a0b428dbu;
}

/* The slot of a mixture, or the empty one where it belongs. */
static int *slot_find(const struct dictionary *d, const struct mixture *x)
{
    int at = (int)(mixture_hash(x) & (uint64_t)(d->slots - 1));
    while (d->slot[at] >= 0 && !mixture_same(&d->mixture[d->slot[at]], x)) at = (at + 1) & (d->slots - 1);
    return &d->slot[at];
}

/* Room for `slots` / 2 mixtures; slots is a power of two. What it holds stays valid when memory fails. */
static int dictionary_grow(struct dictionary *d, int slots)
{
    struct mixture *const mixture = realloc(d->mixture, (size_t)slots / 2 * sizeof *mixture);
    if (!mixture) return MIXTURE_NO_MEMORY;
    d->mixture = mixture;
    int *const slot = malloc((size_t)slots * sizeof *slot);
    if (!slot) return MIXTURE_NO_MEMORY;
    free(d->slot);
    d->slot = slot;
    d->slots = slots;
    for (int n = 0; n < slots; n++) slot[n] = -1;
    for (int n = 0; n < d->n; n++) *slot_find(d, &mixture[n]) = n;
    return 0;
}

int dictionary_number(struct dictionary *d, const struct mixture *x)
{
    int *slot = slot_find(d, x);
    if (*slot >= 0) return *slot;
    if (d->n == d->limit) return MIXTURE_TOO_MANY;
    if (d->n == d->slots / 2) {
        if (dictionary_grow(d, 2 * d->slots)) return MIXTURE_NO_MEMORY;
        slot = slot_find(d, x);
    }
    d->mixture[d->n] = *x;
    *slot = d->n;
    return d->n++;
}

/* The one medium of a field without numbers. */
static struct mixture first_used(const struct geometry *g)
{
    for (int n = 0; n < MEDIA_MAX; n++)
        if (g->used[n] && n != MEDIUM_PEC) return (struct mixture){.part = {mixture_part(WEIGHT_WHOLE, n)}};
    return (struct mixture){.part = {0}};
}

int paint_init(struct paint *p, const struct geometry *g, const struct media *m)
{
    *p = (struct paint){.lump = g->lump};
    for (int n = 0; n < m->n; n++) {
        p->metal[n] = (unsigned char)m->medium[n].is_metal;
        p->in_layer[n] = (unsigned char)m->medium[n].in_layer;
        p->stands |= m->medium[n].in_layer > 0;
    }
    for (int is_h = 0; is_h < 2; is_h++) {
        struct dictionary *const d = &p->dictionary[is_h];
        p->wide[is_h] = width_of(g, alike_fill(g, m, is_h, p->alike[is_h]), is_h);
        d->limit = p->wide[is_h] == 2 ? TWO_BYTES : p->wide[is_h] ? ONE_BYTE : 1;
        int rc = dictionary_grow(d, 64);
        if (!rc && !p->wide[is_h]) rc = dictionary_number(d, &(struct mixture){.part = {first_used(g).part[0]}});
        if (rc) paint_free(p);
        SF_CHECK(!rc, SF_MEMORY, "no memory for the mixtures of media");
    }
    return SF_OK;
}

void paint_free(struct paint *p)
{
    for (int is_h = 0; is_h < 2; is_h++) {
        free(p->dictionary[is_h].mixture);
        free(p->dictionary[is_h].slot);
    }
    table_free(p->memory);
    memset(p, 0, sizeof *p);
}

/* ---- coefficients ------------------------------------------------------------------------------------------------ */

/* Of E where an interface crosses its cell at an angle or between nodes: the formulas of paint.h, epsilon relative. */
static void smooth_means_take(const struct mixture *x, const struct media *m, double *inertia, double *loss)
{
    const double along = (double)x->normal / 64; /* g */
    double mean = 0, inverse = 0, lost = 0, lost_inverse = 0;
    for (int n = 0; n < MIXTURE_PARTS && x->part[n]; n++) {
        const struct medium *const one = &m->medium[x->part[n] & 0xff];
        const double w = (double)(x->part[n] >> 8) / (double)WEIGHT_WHOLE;
        mean += w * one->epsilon, inverse += w / one->epsilon;
        lost += w * one->sigma, lost_inverse += w * one->sigma / (one->epsilon * one->epsilon);
    }
    const double epsilon = 1 / (along * inverse + (1 - along) / mean);
    *loss = epsilon * epsilon * (along * lost_inverse + (1 - along) * lost / (mean * mean));
    *inertia = epsilon * em_eps0;
}

/* What resists the change of the field and what consumes it, in SI units: epsilon and sigma, or mu and sigma_m. A
 * single medium has its own numbers to the last bit: its weight is 1. */
static void means_take(const struct mixture *x, const struct media *m, int is_h, double *inertia, double *loss)
{
    double sum = 0, lost = 0;
    if (x->normal) {
        smooth_means_take(x, m, inertia, loss);
        return;
    }
    for (int n = 0; n < MIXTURE_PARTS && x->part[n]; n++) {
        const struct medium *const one = &m->medium[x->part[n] & 0xff];
        const double w = (double)(x->part[n] >> 8) / (double)WEIGHT_WHOLE;
        sum += is_h ? w / one->mu : w * one->epsilon;
        lost += is_h ? w * one->sigma_m / (one->mu * one->mu) : w * one->sigma;
    }
    const struct medium *const only = x->part[1] ? NULL : &m->medium[x->part[0] & 0xff];
    *inertia = only ? (is_h ? only->mu : only->epsilon) : is_h ? 1 / sum : sum;
    *loss = only ? (is_h ? only->sigma_m : only->sigma) : is_h ? lost / (sum * sum) : lost;
    *inertia *= is_h ? em_mu0 : em_eps0;
}

/* The medium of the element that an edge belongs to; NULL: none. */
static const struct lump *load_of(const struct paint *p, const struct mixture *x)
{
    return x->load ? &p->lump[x->load - 1] : NULL;
}

static int has_poles(const struct mixture *x, const struct media *m, const struct lump *load)
{
    int any = load && load->npoles;
    for (int n = 0; n < MIXTURE_PARTS && x->part[n]; n++) any |= m->medium[x->part[n] & 0xff].npoles > 0;
    return any;
}

/* l of an edge, A of a face. */
static double open_share(const struct mixture *x, int is_h)
{
    return x->open ? (double)x->open / (is_h ? AREA_WHOLE : OPEN_WHOLE) : 1;
}

/* m of what lies beside a wire. */
static double wire_share(const struct mixture *x)
{
    return x->wire ? (double)x->wire / (double)(1ULL << WIRE_BITS) : 1;
}

struct paint_means paint_means(const struct paint *p, const struct media *m, int is_h, int number)
{
    const struct mixture *const x = &p->dictionary[is_h].mixture[number];
    const double beside = is_h ? 1 / wire_share(x) : wire_share(x);
    struct paint_means is = {.conducts = !x->part[0]};
    if (is.conducts) return is;
    means_take(x, m, is_h, &is.inertia, &is.loss);
    is.inertia *= beside / (is_h ? em_mu0 : em_eps0), is.loss *= beside;
    is.open = open_share(x, is_h);
    is.has_poles = !is_h && has_poles(x, m, NULL), is.has_load = x->load > 0;
    return is;
}

void paint_stepped(const struct paint *p, const struct media *m, int is_h, int number, double frequency, double dt,
                   double value[2])
{
    const struct mixture *const x = &p->dictionary[is_h].mixture[number];
    const struct paint_means is = paint_means(p, m, is_h, number);
    const double turn = 3.14159265358979323846 * frequency * dt,
                 swing = 2 / dt * sfd_sin(turn) / sfd_cos(turn) * (is_h ? em_mu0 : em_eps0);
    value[0] = is.inertia, value[1] = is.loss / swing;
    for (int n = 0; is.has_poles && n < MIXTURE_PARTS && x->part[n]; n++) {
        double one[2];
        if (!n) value[0] = value[1] = 0;
        medium_stepped(&m->medium[x->part[n] & 0xff], frequency, dt, one);
        const double w = wire_share(x) * (double)(x->part[n] >> 8) / (double)WEIGHT_WHOLE;
        value[0] += w * one[0], value[1] += w * one[1];
    }
}

/* Of E in media that disperse, by volume (dispersion.h): pole.h has the update. */
static void disperse_fill(const struct mixture *x, const struct media *m, const struct lump *load,
                          struct dispersions *d, double dt, int id, struct coefficients *c)
{
    const int loaded = load ? MEDIUM_LOADS + (int)x->load - 1 : -1;
    const struct pole_step of_load = dispersions_share(d, loaded);
    double epsilon = load ? load->epsilon : 0, sigma = load ? load->sigma : 0, up = of_load.up, down = of_load.down,
           gains = 0;
    for (int n = 0; n < MIXTURE_PARTS && x->part[n]; n++) {
        const int medium = (int)(x->part[n] & 0xff);
        const double w = wire_share(x) * (double)(x->part[n] >> 8) / (double)WEIGHT_WHOLE;
        const struct pole_step poles = dispersions_share(d, medium);
        epsilon += w * m->medium[medium].epsilon, sigma += w * m->medium[medium].sigma;
        up += w * poles.up, down += w * poles.down;
    }
    const double loss = 0.5 * sigma / em_eps0, den = epsilon / dt + loss + up;
    for (int n = 0; n < MIXTURE_PARTS && x->part[n]; n++)
        gains += dispersions_gain(d, id, (int)(x->part[n] & 0xff),
                                  wire_share(x) * (double)(x->part[n] >> 8) / (double)WEIGHT_WHOLE, den);
    gains += dispersions_gain(d, id, loaded, 1, den);
    c->keep[id] = (real)((epsilon / dt - loss - down) / den - gains);
    c->turn[id] = (real)(open_share(x, 0) / (em_eps0 * den));
    c->inertia[id] = epsilon * em_eps0 / open_share(x, 0);
}

/* keep = (1 - s) / (1 + s), turn = dt / m / (1 + s), s = loss dt / (2 m) (Taflove and Hagness, 3.5). */
static void coefficients_fill(const struct paint *p, const struct media *m, struct dispersions *poles, double dt,
                              int is_h, struct coefficients *c)
{
    const struct dictionary *const d = &p->dictionary[is_h];
    for (int n = 0; n < d->n; n++) {
        double inertia, loss;
        c->keep[n] = c->turn[n] = R(0.0), c->inertia[n] = 0;
        if (!d->mixture[n].part[0]) continue; /* a perfect conductor */
        const struct lump *const load = load_of(p, &d->mixture[n]);
        if (!is_h && has_poles(&d->mixture[n], m, load)) {
            disperse_fill(&d->mixture[n], m, load, poles, dt, n, c);
            continue;
        }
        means_take(&d->mixture[n], m, is_h, &inertia, &loss);
        const double beside = is_h ? 1 / wire_share(&d->mixture[n]) : wire_share(&d->mixture[n]);
        inertia *= beside, loss *= beside;
        if (load) inertia += load->epsilon * em_eps0, loss += load->sigma;
        const double s = loss * dt / (2 * inertia);
        c->keep[n] = (real)((1 - s) / (1 + s));
        const double open = open_share(&d->mixture[n], is_h);
        c->turn[n] = (real)(dt / inertia / (1 + s) * (is_h ? 1 / open : open));
    }
}

static void whole_fill(const struct dictionary *d, real *whole)
{
    for (int n = 0; n < d->n; n++) whole[n] = (real)(1 / open_share(&d->mixture[n], 0));
}

static int is_cut(const struct dictionary *d)
{
    int any = 0;
    for (int n = 0; n < d->n; n++) any |= d->mixture[n].open > 0;
    return any;
}

int paint_coefficients(struct paint *p, const struct media *m, struct dispersions *d, double dt, struct coefficients *e,
                       struct coefficients *h)
{
    const int ne = p->dictionary[0].n, nh = p->dictionary[1].n;
    double *const inertia = table_alloc(((size_t)ne + (size_t)nh) * (sizeof *inertia + 3 * sizeof(real)));
    real *const memory = (real *)(inertia ? inertia + ne + nh : NULL);
    SF_CHECK(memory || ne + nh == 0, SF_MEMORY, "no memory for the coefficients of %d mixtures of media", ne + nh);
    table_free(p->memory);
    p->memory = inertia;
    *e = (struct coefficients){.n = ne, .keep = memory, .turn = memory + ne, .inertia = inertia};
    *h = (struct coefficients){.n = nh, .keep = memory + 2 * ne, .turn = memory + 2 * ne + nh, .inertia = inertia + ne};
    if (is_cut(&p->dictionary[0])) e->whole = memory + 2 * (ne + nh), whole_fill(&p->dictionary[0], e->whole);
    if (d) SF_TRY(dispersions_tables(d, ne));
    coefficients_fill(p, m, d, dt, 0, e);
    if (d) dispersions_settle(d, ne);
    coefficients_fill(p, m, d, dt, 1, h);
    return SF_OK;
}
