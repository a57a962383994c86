/* Waves along one axis into absorbing layers, against the equations of a line of one dimension, written out anew in
 * long double: the same waves on 2 x 2 periodic lines of the EM model. SPDX-License-Identifier: MIT */
#include "command/verify_em_parts.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>

/* A layer of more columns than one vector. */
enum { CELLS = 44, LAYER = 18, LOOKS = 20, STEPS_A_LOOK = 15 };

/* The layer at one place: D = d / kappa + psi, psi = b psi + a d, d the difference over the distance. */
struct stretch {
    long double kappa, b, a, psi;
};

/* A line with cells `size`: E on nodes 1 .. CELLS - 1, H on cells; mu dH/dt = - sign dE/da, eps dE/dt = - sign
 * dH/da. */
struct line {
    long double size[CELLS], node[CELLS + 1], dt, sign;
    long double e[CELLS + 1], h[CELLS];
    struct stretch at_e[CELLS + 1], at_h[CELLS];
};

/* Default grading: sigma_max = 1.3 x 0.8 (3 + 1) / (eta0 cell) and kappa up to 7, as the third power of depth; alpha =
 * 0.08 / (eta0 cell), where no source tells of long waves, falling in proportion to what is left of the depth; `cell`
 * is the mean of those of the layer. */
static struct stretch stretch_at(const struct line *l, long double x)
{
    const long double thick[2] = {l->node[LAYER], l->node[CELLS] - l->node[CELLS - LAYER]};
    const long double depth[2] = {(l->node[LAYER] - x) / thick[0], (x - l->node[CELLS - LAYER]) / thick[1]};
    for (int n = 0; n < 2; n++) {
        if (!(depth[n] > 0)) continue;
        const long double eta0 = em_eta0, cell = thick[n] / LAYER, cubed = depth[n] * depth[n] * depth[n];
        const long double sigma = 1.3L * 0.8L * 4 / (eta0 * cell) * cubed, kappa = 1 + 6 * cubed,
                          alpha = 0.08L / (eta0 * cell) * (1 - depth[n]);
        const long double b = expl(-(sigma / kappa + alpha) * l->dt / em_eps0);
        return (struct stretch){.kappa = kappa, .b = b, .a = sigma * (b - 1) / (kappa * (sigma + kappa * alpha))};
    }
    return (struct stretch){.kappa = 1};
}

static void line_make(struct line *l, double dt, int sign, unsigned long seed)
{
    *l = (struct line){.dt = dt, .sign = sign};
    for (int m = 0; m < CELLS; m++) {
        l->size[m] = (double)(1 + 0.0625L * (m % 5)); /* exact in binary */
        l->node[m + 1] = l->node[m] + l->size[m];
    }
    for (int m = 0; m <= CELLS; m++) {
        l->at_e[m] = stretch_at(l, l->node[m]);
        if (m == CELLS) break;
        l->at_h[m] = stretch_at(l, (l->node[m] + l->node[m + 1]) / 2);
        l->e[m] = m ? sf_rounded(em_random(seed + (unsigned)m)) : 0;
        l->h[m] = sf_rounded(em_random(seed + CELLS + (unsigned)m) / em_eta0);
    }
}

static long double stretched(struct stretch *s, long double d)
{
    s->psi = s->b * s->psi + s->a * d;
    return d / s->kappa + s->psi;
}

static void line_step(struct line *l)
{
    for (int m = 0; m < CELLS; m++)
        l->h[m] -= l->sign * l->dt / em_mu0 * stretched(&l->at_h[m], (l->e[m + 1] - l->e[m]) / l->size[m]);
    for (int m = 1; m < CELLS; m++)
        l->e[m] -= l->sign * l->dt / em_eps0 *
                   stretched(&l->at_e[m], (l->h[m] - l->h[m - 1]) / (0.5L * (l->size[m] + l->size[m - 1])));
}

/* Two lines along one axis, one for each polarisation. */
struct lines {
    int axis;
    struct line line[2];
};

/* Value n of component c, 0 where it has none. */
static long double lines_value(const struct lines *l, int c, int n)
{
    const int first = (l->axis + 1) % 3, second = (l->axis + 2) % 3;
    if (c % 3 == l->axis) return 0;
    if (c < 3) return l->line[c == first ? 0 : 1].e[n];
    return l->line[c - 3 == second ? 0 : 1].h[n];
}

static double lines_error(const struct session *s, const struct lines *l)
{
    double most = 0;
    for (int c = 0; c < 6; c++) {
        int at[3] = {0};
        do {
            const long double off = fabsl((long double)*em_at(s, c, at) - lines_value(l, c, at[l->axis]));
            most = fmax(most, (double)(c < 3 ? off : em_eta0 * off));
        } while (em_next(s, c, at));
    }
    return most;
}

static int line_run(struct verify *v, struct session *s, struct lines *l)
{
    static const char name[] = "xyz";
    static const char *const sides[3] = {
        "&boundary south='periodic' north='periodic' bottom='periodic' top='periodic' /\n",
        "&boundary west='periodic' east='periodic' bottom='periodic' top='periodic' /\n",
        "&boundary west='periodic' east='periodic' south='periodic' north='periodic' /\n"};
    char sizes[CELLS * 8] = "";
    int n[3] = {2, 2, 2}, at = 0;
    n[l->axis] = CELLS;
    for (int m = 0; m < CELLS; m++) at += snprintf(sizes + at, sizeof sizes - (size_t)at, "%g,", 1 + 0.0625 * (m % 5));
    SF_TRY(verify_open(s,
                       "&case name='line' model='maxwell' /\n"
                       "&grid nx=%d ny=%d nz=%d dx=1 dy=1 dz=1 size_%c=%s /\n"
                       "&time duration=1e-5 /\n"
                       "&cpml cells=%d /\n%s",
                       n[0], n[1], n[2], name[l->axis], sizes, LAYER, sides[l->axis]));
    for (int p = 0; p < 2; p++) line_make(&l->line[p], em_of(s)->dt, p ? -1 : 1, 1000UL * (unsigned)(p + 1));
    for (int c = 0; c < 6; c++) {
        int e[3] = {0};
        do *em_at(s, c, e) = (real)lines_value(l, c, e[l->axis]);
        while (em_next(s, c, e));
    }
    SF_TRY(engine_refresh(&s->engine));
    double most = 0;
    for (int look = 0; look < LOOKS; look++) {
        SF_TRY(session_advance(s, STEPS_A_LOOK));
        for (int m = 0; m < STEPS_A_LOOK; m++)
            for (int p = 0; p < 2; p++) line_step(&l->line[p]);
        most = fmax(most, lines_error(s, l));
    }
    verify_most_guarded(v,
                        verify_name("layers across %c: largest error in %d steps", name[l->axis], LOOKS * STEPS_A_LOOK),
                        most, em_rounding(LOOKS * STEPS_A_LOOK, 0), EM_LEVEL(4e-15, 2e-6),
                        "the line's own equations, up to 1 V/m; round-off");
    return SF_OK;
}

int em_lines(struct verify *v)
{
    for (int a = 0; a < 3; a++) {
        struct session s;
        struct lines l = {.axis = a};
        const int rc = line_run(v, &s, &l);
        session_close(&s);
        SF_TRY(rc);
    }
    return SF_OK;
}
