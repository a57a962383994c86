/* Pressure that balances a column at the start: cp theta_f d pi'/dz = g theta'_f / theta_0f, discretely, in the order
 * and the numbers of the model. SPDX-License-Identifier: MIT */
#include "dynamics/initial_parts.h"

#include "pipeline/error.h"

#include <string.h>

double start_lightness(const struct dynamics *d, const struct base_column *b, const struct column *c, int k)
{
    if (!c->qv) return c->theta[k];
    return vapour_theta_rho(&d->vapour, d->R, b->theta[k] + c->theta[k], c->qv[k], c->qc[k] + c->qr[k]) - b->theta0[k];
}

/* risen: g by what lies between two centres; cp_th0: cp theta_0 of the face. */
static inline double step_of(double risen, double cp_th0, double th0, double th)
{
    return risen * th / (cp_th0 * (th0 + th));
}

double start_balance_step(const struct dynamics *d, const struct base_column *b, double th, int k)
{
    const double th0 = b->theta0_f[k];
    return step_of((b->z[k] - b->z[k - 1]) * d->g, th0 * d->cp_d, th0, th);
}

/* ---- from the ground --------------------------------------------------------------------------------------------- */

enum { TURNS = 12 };

/* What a level is in all turns, [nk] behind TURNS more below the lowest and before as many above the highest, which no
 * turn changes. */
struct still {
    double *moves; /* 1: turns change it; 0: they do not */
    double *risen, *cp_th0, *th0, *kept, *pi_0, *theta, *theta_0, *light;
    double *vapour, *all; /* 1 + Rv/R qv, 1 + all water */
};
enum { STILL = sizeof(struct still) / sizeof(double *) };

size_t start_balance_numbers(int nk) { return STILL * ((size_t)nk + 2 * TURNS); }

static struct still still_fill(const struct dynamics *d, const struct base_column *b, const struct column *c,
                               double *memory)
{
    struct still s;
    double **const member[STILL] = {&s.moves, &s.risen, &s.cp_th0,  &s.th0,    &s.kept, &s.pi_0,
                                    &s.theta, &s.light, &s.theta_0, &s.vapour, &s.all};
    const size_t levels = (size_t)d->nk + 2 * TURNS;
    for (size_t m = 0; m < STILL * levels; m++) memory[m] = m < levels ? 0 : 1;
    for (int n = 0; n < STILL; n++) *member[n] = memory + (size_t)n * levels + TURNS;
    for (int k = 0; k < d->nk; k++) {
        s.kept[k] = (b->theta[k] + c->theta[k]) * (b->pi0[k] + c->pi[k]), s.pi_0[k] = b->pi0[k];
        s.theta[k] = b->theta[k], s.theta_0[k] = b->theta0[k], s.light[k] = start_lightness(d, b, c, k);
        if (c->qv) s.vapour[k] = 1 + d->vapour.Rv / d->R * c->qv[k], s.all[k] = 1 + (c->qv[k] + (c->qc[k] + c->qr[k]));
        if (!k) continue;
        s.moves[k] = 1, s.th0[k] = b->theta0_f[k], s.cp_th0[k] = b->theta0_f[k] * d->cp_d;
        s.risen[k] = (b->z[k] - b->z[k - 1]) * d->g;
    }
    return s;
}

/* One behind the other, turn t at level k wants of turn t - 1 that level and of turn t the one below. So all turns go
 * upward together, each a level behind the one before it, and a processor computes them side by side, as it could not
 * the levels of one turn. Place n is of turn TURNS - 1 - n. */
static void turns_go(const struct still *s, int nk, int is_wet, const struct column *c)
{
    double pi[TURNS], theta[TURNS], light[TURNS + 1]; /* of the last level of each */
    for (int n = 0; n < TURNS; n++) pi[n] = c->pi[0], theta[n] = c->theta[0], light[n] = s->light[0];
    for (int first = 1; first < nk + TURNS - 1; first++) { /* the level of the first turn */
        const int last = first - (TURNS - 1); /* of the last */
        light[TURNS] = s->light[first];
        for (int n = 0; n < TURNS; n++) {
            const int k = last + n, moves = s->moves[k] > 0;
            const double th = 0.5 * (light[n + 1] + light[n]);
            const double next = pi[n] + step_of(s->risen[k], s->cp_th0[k], s->th0[k], th);
            theta[n] = s->kept[k] / (s->pi_0[k] + next) - s->theta[k];
            const double rho = (s->theta[k] + theta[n]) * s->vapour[k] / s->all[k] - s->theta_0[k];
            pi[n] = moves ? next : pi[n];
            light[n] = moves ? is_wet ? rho : theta[n] : light[n];
        }
        if (last > 0) c->pi[last] = pi[0], c->theta[last] = theta[0];
    }
}

void start_balance_ground(const struct dynamics *d, const struct base_column *b, int keeps_temperature,
                          const struct column *c, double *memory)
{
    if (keeps_temperature) {
        const struct still s = still_fill(d, b, c, memory);
        turns_go(&s, d->nk, c->qv != NULL, c);
        return;
    }
    for (int k = 1; k < d->nk; k++)
        c->pi[k] = c->pi[k - 1] +
                   start_balance_step(d, b, 0.5 * (start_lightness(d, b, c, k) + start_lightness(d, b, c, k - 1)), k);
}
