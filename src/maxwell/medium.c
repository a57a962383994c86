/* Names and numbers of the media. SPDX-License-Identifier: MIT */
#include "maxwell/medium.h"

#include "maxwell/material.h"
#include "pipeline/error.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NEAR_MOST = 40 }; /* longer names are not compared */

static const double pi_number = 3.14159265358979323846;

int media_find(const struct media *m, const char *name)
{
    for (int n = 0; n < m->n; n++)
        if (!strcasecmp(m->medium[n].name, name)) return n;
    return -1;
}

static int media_add(struct media *m, const struct medium *one, int entry)
{
    SF_CHECK(one->name[0], SF_NAMELIST, "&medium: entry %d has no name: give name(%d)", entry, entry);
    const int there = media_find(m, one->name);
    SF_CHECK(there < 0 || there >= MEDIUM_GIVEN, SF_NAMELIST,
             "&medium: name(%d) = '%.64s' is there already, without an entry; choose another name", entry, one->name);
    SF_CHECK(there < 0, SF_NAMELIST, "&medium: name(%d) = '%.64s' is the name of entry %d as well", entry, one->name,
             there - MEDIUM_GIVEN + 1);
    m->medium[m->n++] = *one;
    return SF_OK;
}

int media_make(struct media *m, const struct maxwell_params *p, int given, struct complaints *to)
{
    m->n = MEDIUM_GIVEN;
    m->medium[MEDIUM_VACUUM] = (struct medium){.name = "vacuum", .epsilon = 1, .mu = 1};
    m->medium[MEDIUM_PEC] = (struct medium){.name = "pec", .epsilon = 1, .mu = 1};
    const int most = MEDIA_MAX - MEDIUM_GIVEN;
    SF_CHECK(given <= most, SF_NAMELIST, "&medium: %d entries, but no more than %d are possible", given, most);
    for (int n = 0; n < given; n++) {
        const struct medium one = {.name = p->medium_name[n],
                                   .epsilon = p->medium_epsilon[n],
                                   .mu = p->medium_mu[n],
                                   .sigma = p->medium_sigma[n],
                                   .sigma_m = p->medium_sigma_m[n]};
        SF_TRY(sf_complain_or_fail(to, "medium%name medium%epsilon medium%mu medium%sigma medium%sigma_m", n,
                                   media_add(m, &one, n + 1)));
    }
    return SF_OK;
}

/* ---- poles ---- */

static const char pole_names[] = "pole%kind pole%medium";

static int pole_keep(struct medium *to, const struct pole_keys *k)
{
    struct pole pole[2];
    double sigma;
    const int poles = pole_make(pole, k, &sigma);
    SF_CHECK(to->npoles + poles <= POLES_MOST, SF_NAMELIST,
             "&pole: '%.64s' has more than %d poles: leave out those of least effect", to->name, POLES_MOST);
    for (int q = 0; q < poles; q++) to->pole[to->npoles++] = pole[q];
    to->sigma += sigma;
    if (k->kind == POLE_DRUDE) to->is_metal = 1;
    return SF_OK;
}

/* What the program knows takes the place of epsilon and sigma. */
static int material_take(struct medium *to, const char *name, int entry)
{
    const struct material *const known = material_find(name);
    SF_CHECK(known, SF_NAMELIST, "&medium: material(%d) = '%.64s' is not known; these are: %s", entry, name,
             material_names());
    SF_CHECK(!(to->epsilon > 1) && !(to->sigma > 0), SF_NAMELIST,
             "&medium: material(%d) = '%.64s' gives epsilon and sigma: leave out those of the entry", entry, name);
    to->epsilon = known->epsilon, to->sigma = known->sigma, to->material = known;
    for (int n = known->first; n < known->end; n++) {
        const struct pole_keys k = material_pole(n);
        SF_TRY(pole_keep(to, &k));
    }
    return SF_OK;
}

static int pole_put(struct media *m, const struct maxwell_params *p, int n)
{
    const struct pole_keys k = {.kind = p->pole_kind[n],
                                .strength = p->pole_strength[n],
                                .tau = p->pole_tau[n],
                                .omega = p->pole_omega[n],
                                .gamma = p->pole_gamma[n],
                                .phase = p->pole_phase[n],
                                .s = {p->pole_pole_re[n], p->pole_pole_im[n]},
                                .r = {p->pole_residue_re[n], p->pole_residue_im[n]}};
    if (k.kind == POLE_NONE) return SF_OK;
    char what[32];
    int number;
    snprintf(what, sizeof what, "&pole: medium(%d)", n + 1);
    SF_TRY(media_need(m, p->pole_medium[n], what, &number));
    SF_CHECK(number >= MEDIUM_GIVEN, SF_NAMELIST, "%s = '%.64s': it has no poles; give an entry of &medium", what,
             p->pole_medium[n]);
    const char *const wrong = pole_wrong(&k);
    SF_CHECK(!wrong, SF_NAMELIST, "&pole: entry %d, of '%.64s': %s", n + 1, p->pole_medium[n], wrong);
    return pole_keep(&m->medium[number], &k);
}

/* What the scheme makes of a medium is its permittivity at all W from 0 on, of poles as the step has them: nowhere may
 * it give energy, and nothing may be left of epsilon that is below 1 (pole.h). Poles are narrow: they are looked at
 * around their own frequencies, too. */
int medium_passive(const struct medium *m, double dt)
{
    enum { EACH = 400 };
    struct pole pole[POLES_MOST];
    const int n = m->npoles;
    for (int q = 0; q < n; q++) pole[q] = pole_stepped(&m->pole[q], dt);
    for (int q = -1; q < n; q++)
        for (int at = 0; at <= EACH && (q < 0 || pole[q].s[0] < 0); at++) {
            const double share = (double)at / EACH, near = 10 * (share - 0.5),
                         w = q < 0 ? 1e4 / dt * __builtin_pow(10, -16 * share)
                                   : __builtin_fabs(pole[q].s[1] - near * pole[q].s[0]);
            double chi[2] = {0, 0}, all = 0;
            for (int p = 0; p < n; p++) {
                double one[2] = {0, 0};
                pole_add(&pole[p], w, one);
                chi[0] += one[0], chi[1] += one[1], all += __builtin_fabs(one[0]) + __builtin_fabs(one[1]);
            }
            const double lost = m->sigma / (w * em_eps0) - chi[1];
            SF_CHECK(
                !(w > 0) || lost >= -1e-9 * (all + m->sigma / (w * em_eps0)), SF_NAMELIST,
                "&pole: '%.64s' would give energy to waves of %.4g Hz, where the imaginary part of its epsilon is %+.3g: fields grow "
                "without bounds; give poles that only take (strength > 0, or negative ones that others make up for)",
                m->name, w / (2 * pi_number), -lost);
        }
    return SF_OK;
}

int media_poles(struct media *m, const struct maxwell_params *p, int given, double dt, struct complaints *to)
{
    for (int n = MEDIUM_GIVEN; n < m->n; n++)
        if (p->medium_material[n - MEDIUM_GIVEN][0])
            SF_TRY(sf_complain_or_fail(
                to, "medium%material", n - MEDIUM_GIVEN,
                material_take(&m->medium[n], p->medium_material[n - MEDIUM_GIVEN], n - MEDIUM_GIVEN + 1)));
    for (int n = 0; n < given; n++) SF_TRY(sf_complain_or_fail(to, pole_names, n, pole_put(m, p, n)));
    for (int n = MEDIUM_GIVEN; n < m->n; n++)
        if (m->medium[n].npoles) SF_TRY(sf_complain_or_fail(to, pole_names, -1, medium_passive(&m->medium[n], dt)));
    return SF_OK;
}

static int differ(char a, char b) { return tolower((unsigned char)a) != tolower((unsigned char)b); }

/* Letters to add, leave out or change until `a` is `b` (Wagner and Fischer 1974). */
static int distance(const char *a, const char *b)
{
    const int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > NEAR_MOST || nb > NEAR_MOST) return NEAR_MOST;
    int row[NEAR_MOST + 1];
    for (int n = 0; n <= nb; n++) row[n] = n;
    for (int m = 1; m <= na; m++) {
        int diagonal = row[0];
        row[0] = m;
        for (int n = 1; n <= nb; n++) {
            const int changed = diagonal + differ(a[m - 1], b[n - 1]), moved = SF_MIN(row[n - 1], row[n]) + 1;
            diagonal = row[n];
            row[n] = SF_MIN(changed, moved);
        }
    }
    return row[nb];
}

/* The medium whose name is nearest, where it may be what was meant; else -1. */
static int media_near(const struct media *m, const char *name)
{
    int best = -1, least = NEAR_MOST;
    for (int n = 0; n < m->n; n++) {
        const int d = distance(name, m->medium[n].name);
        if (d < least && 3 * d <= (int)strlen(m->medium[n].name) + 1) best = n, least = d;
    }
    return best;
}

int media_need(const struct media *m, const char *name, const char *what, int *number)
{
    *number = media_find(m, name);
    if (*number >= 0) return SF_OK;
    const int near = media_near(m, name);
    SF_CHECK(near < 0, SF_NAMELIST, "%s = '%.64s': there is no such medium; did you mean '%.64s'?", what, name,
             m->medium[near].name);
    SF_FAIL(SF_NAMELIST, "%s = '%.64s': there is no such medium; those of &medium, 'vacuum' and 'pec' are known", what,
            name);
}

/* At w, rad/s, of the poles as they are, or as steps of dt s move them (0: none do). */
static void permittivity_at(const struct medium *m, double w, double dt, double epsilon[2])
{
    double chi[2] = {0, 0};
    for (int n = 0; n < m->npoles; n++) {
        const struct pole p = dt > 0 ? pole_stepped(&m->pole[n], dt) : m->pole[n];
        pole_add(&p, w, chi);
    }
    epsilon[0] = m->epsilon + chi[0], epsilon[1] = m->sigma / (w * em_eps0) - chi[1];
}

void medium_permittivity(const struct medium *m, double frequency, double epsilon[2])
{
    permittivity_at(m, 2 * pi_number * frequency, 0, epsilon);
}

void medium_stepped(const struct medium *m, double frequency, double dt, double epsilon[2])
{
    permittivity_at(m, 2 / dt * sfd_sin(pi_number * frequency * dt) / sfd_cos(pi_number * frequency * dt), dt, epsilon);
}

double medium_index(const struct medium *m, double frequency)
{
    if (!m->npoles || !(frequency > 0)) return __builtin_sqrt(m->epsilon * m->mu);
    const double index = em_c / (frequency * medium_wavelength(m, frequency));
    return index > 1 ? index : 1;
}

/* k^2 = (w/c)^2 (epsilon - i e) (mu - i sigma_m / (w mu0)), e: of all losses. Of a square whose real part is p and
 * whose modulus is r, the root has the real part sqrt((r + p) / 2); where p < 0, as in metals, r + p is q^2 / (r - p).
 */
static void index_square(const struct medium *m, double frequency, double *p, double *q)
{
    double epsilon[2];
    medium_permittivity(m, frequency, epsilon);
    const double e = epsilon[1], h = m->sigma_m / (2 * pi_number * frequency * em_mu0);
    *p = epsilon[0] * m->mu - e * h, *q = epsilon[0] * h + m->mu * e;
}

double medium_wavelength(const struct medium *m, double frequency)
{
    double p, q;
    index_square(m, frequency, &p, &q);
    const double r = __builtin_sqrt(p * p + q * q);
    const double index = __builtin_sqrt(0.5 * (p < 0 ? q * (q / (r - p)) : r + p));
    return em_c / (frequency * index);
}

/* The imaginary part of that root is sqrt((r - p) / 2); where p > 0, r - p is q^2 / (r + p). */
double medium_decay(const struct medium *m, double frequency)
{
    double p, q;
    index_square(m, frequency, &p, &q);
    const double r = __builtin_sqrt(p * p + q * q);
    return 2 * pi_number * frequency / em_c * __builtin_sqrt(0.5 * (p > 0 ? q * (q / (r + p)) : r - p));
}

double medium_loss(const struct medium *m, double frequency)
{
    const double w = 2 * pi_number * frequency;
    double of[2];
    if (!m->npoles) return m->sigma / (w * em_eps0 * m->epsilon) + m->sigma_m / (w * em_mu0 * m->mu);
    medium_permittivity(m, frequency, of);
    return of[1] / (of[0] > 0 ? of[0] : -of[0]) + m->sigma_m / (w * em_mu0 * m->mu);
}

int medium_is_magnetic(const struct medium *m) { return m->mu > 1 || m->mu < 1 || m->sigma_m > 0; }
