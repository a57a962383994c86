/* Names and numbers of the media. SPDX-License-Identifier: MIT */
#include "maxwell/medium.h"

#include "pipeline/error.h"

#include <ctype.h>
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

double medium_index(const struct medium *m) { return __builtin_sqrt(m->epsilon * m->mu); }

/* k^2 = (w/c)^2 (epsilon - i sigma / (w eps0)) (mu - i sigma_m / (w mu0)). Of a square whose real part is p and whose
 * modulus is r, the root has the real part sqrt((r + p) / 2); where p < 0, as in metals, r + p is q^2 / (r - p). */
double medium_wavelength(const struct medium *m, double frequency)
{
    const double w = 2 * pi_number * frequency, e = m->sigma / (w * em_eps0), h = m->sigma_m / (w * em_mu0);
    const double p = m->epsilon * m->mu - e * h, q = m->epsilon * h + m->mu * e;
    const double r = __builtin_sqrt(p * p + q * q);
    const double index = __builtin_sqrt(0.5 * (p < 0 ? q * (q / (r - p)) : r + p));
    return em_c / (frequency * index);
}

/* The imaginary part of that root is sqrt((r - p) / 2); where p > 0, r - p is q^2 / (r + p). */
double medium_decay(const struct medium *m, double frequency)
{
    const double w = 2 * pi_number * frequency, e = m->sigma / (w * em_eps0), h = m->sigma_m / (w * em_mu0);
    const double p = m->epsilon * m->mu - e * h, q = m->epsilon * h + m->mu * e;
    const double r = __builtin_sqrt(p * p + q * q);
    return w / em_c * __builtin_sqrt(0.5 * (p > 0 ? q * (q / (r + p)) : r - p));
}

double medium_loss(const struct medium *m, double frequency)
{
    const double w = 2 * pi_number * frequency;
    return m->sigma / (w * em_eps0 * m->epsilon) + m->sigma_m / (w * em_mu0 * m->mu);
}

int medium_is_magnetic(const struct medium *m) { return m->mu > 1 || m->mu < 1 || m->sigma_m > 0; }
