/* Debye poles of a table. SPDX-License-Identifier: MIT */
#include "maxwell/fit.h"

#include "maxwell/maxwell.h"
#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

static const double pi_number = 3.14159265358979323846;

enum { PER_DECADE = 10, COLUMNS_MOST = 256, UNKNOWNS = 2 + 2 * FIT_POLES, ROUNDS = 300 };
static const double grid_beyond = 10; /* tau of the grid reach that far beyond 1 / w of the table */

/* Frequencies are those of the table over the one in its middle, w0 rad/s, and so are 1 / tau. */
struct table {
    int n;
    const double *row;
    double w0;
    double first, last; /* log of the shortest and the longest tau */
};

/* Unknowns: epsilon - 1, sigma / (w0 eps0), then of each pole strength and log tau. */
struct guess {
    int n; /* poles */
    double x[UNKNOWNS];
};

static double w_of(const struct table *t, int m) { return 2 * pi_number * t->row[3 * m] / t->w0; }

/* epsilon' and epsilon'' of a pole of strength 1, and by log tau. */
static void pole_at(double w, double tau, double of[2], double slope[2])
{
    const double z = w * tau, below = 1 / (1 + z * z);
    of[0] = below, of[1] = z * below;
    slope[0] = -2 * z * z * below * below, slope[1] = z * (1 - z * z) * below * below;
}

/* ---- linear: strengths of given tau ---- */

/* Cholesky's root of the rows and columns `in` of g, in place of l, then l l' x = b. 0: g is not positive there. */
static int solve(double *x, double *l, const double *g, const double *b, const int *in, int n, int wide)
{
    for (int r = 0; r < n; r++) {
        for (int c = 0; c <= r; c++) {
            double sum = g[in[r] * wide + in[c]];
            for (int q = 0; q < c; q++) sum -= l[r * wide + q] * l[c * wide + q];
            if (r == c && !(sum > 1e-14 * g[in[r] * wide + in[r]])) return 0;
            l[r * wide + c] = r == c ? __builtin_sqrt(sum) : sum / l[c * wide + c];
        }
        x[r] = b[in[r]];
        for (int q = 0; q < r; q++) x[r] -= l[r * wide + q] * x[q];
        x[r] /= l[r * wide + r];
    }
    for (int r = n; r-- > 0;) {
        for (int q = r + 1; q < n; q++) x[r] -= l[q * wide + r] * x[q];
        x[r] /= l[r * wide + r];
    }
    return 1;
}

struct nnls {
    int n; /* unknowns */
    double *g, *l; /* [n][n]: A'A of columns of length 1, and room for its root */
    double b[COLUMNS_MOST], x[COLUMNS_MOST]; /* A'b; >= 0 */
    int in[COLUMNS_MOST], nin; /* those that are not held at 0 */
    unsigned char is_in[COLUMNS_MOST], shut[COLUMNS_MOST]; /* shut: the others already span it */
};

static void members_list(struct nnls *q)
{
    q->nin = 0;
    for (int m = 0; m < q->n; m++)
        if (q->is_in[m]) q->in[q->nin++] = m;
}

/* With one unknown more, `added`: least squares of those that are free; on the way there whatever becomes 0 is held
 * again. */
static void nnls_settle(struct nnls *q, int added)
{
    double s[COLUMNS_MOST];
    for (;;) {
        members_list(q);
        if (!solve(s, q->l, q->g, q->b, q->in, q->nin, q->n)) {
            q->is_in[added] = 0, q->x[added] = 0, q->shut[added] = 1;
            members_list(q);
            return;
        }
        double share = 1;
        int at = -1;
        for (int m = 0; m < q->nin; m++) {
            const double x = q->x[q->in[m]];
            if (!(s[m] > 0) && x <= share * (x - s[m])) share = x > 0 ? x / (x - s[m]) : 0, at = q->in[m];
        }
        for (int m = 0; m < q->nin; m++) q->x[q->in[m]] += share * (s[m] - q->x[q->in[m]]);
        if (at < 0) return;
        q->x[at] = 0, q->is_in[at] = 0;
    }
}

static void nnls_solve(struct nnls *q)
{
    double size = 0;
    for (int m = 0; m < q->n; m++) size = SF_MAX(size, __builtin_fabs(q->b[m]));
    for (int round = 0; round < ROUNDS; round++) {
        double most = 1e-9 * size;
        int best = -1;
        for (int m = 0; m < q->n; m++) {
            double gain = q->b[m];
            for (int c = 0; c < q->nin; c++) gain -= q->g[m * q->n + q->in[c]] * q->x[q->in[c]];
            if (!q->is_in[m] && !q->shut[m] && gain > most) most = gain, best = m;
        }
        if (best < 0) return;
        q->is_in[best] = 1;
        nnls_settle(q, best);
    }
}

static double tau_of(const struct table *t, int m, int n)
{
    return sfd_exp(t->first + (t->last - t->first) * m / (n - 1));
}

/* Columns of nnls: epsilon - 1, sigma, then tau of the grid. */
static void sums_make(struct nnls *q, const struct table *t)
{
    const int n = q->n;
    double tau[COLUMNS_MOST];
    for (int m = 2; m < n; m++) tau[m] = tau_of(t, m - 2, n - 2);
    for (int r = 0; r < t->n; r++) {
        const double *const row = t->row + 3 * r, w = w_of(t, r), weight = 1 / (row[1] * row[1] + row[2] * row[2]);
        double a[COLUMNS_MOST][2] = {{1, 0}, {0, 1 / w}}, slope[2];
        for (int m = 2; m < n; m++) pole_at(w, tau[m], a[m], slope);
        for (int m = 0; m < n; m++) {
            q->b[m] += weight * (a[m][0] * (row[1] - 1) + a[m][1] * row[2]);
            for (int c = 0; c <= m; c++) q->g[m * n + c] += weight * (a[m][0] * a[c][0] + a[m][1] * a[c][1]);
        }
    }
}

/* To columns of length 1; returns their lengths. */
static void sums_scale(struct nnls *q, double length[COLUMNS_MOST])
{
    const int n = q->n;
    for (int m = 0; m < n; m++) length[m] = __builtin_sqrt(q->g[m * n + m]);
    for (int m = 0; m < n; m++) {
        q->b[m] /= length[m];
        for (int c = 0; c <= m; c++) q->g[c * n + m] = q->g[m * n + c] /= length[m] * length[c];
    }
}

/* Poles `low` and the one behind it become one of both strengths, between them. */
static void poles_join(struct guess *s, int low)
{
    double *const a = s->x + 2 + 2 * low;
    const double d = a[0] + a[2];
    a[1] = d > 0 ? (a[0] * a[1] + a[2] * a[3]) / d : a[1], a[0] = d;
    s->n--;
    memmove(a + 2, a + 4, 2 * (size_t)(s->n - low - 1) * sizeof *a);
}

static void poles_join_nearest(struct guess *s)
{
    int best = 0;
    for (int m = 1; m + 1 < s->n; m++) {
        const double *const a = s->x + 2 + 2 * m, *const b = s->x + 2 + 2 * best;
        if (a[3] - a[1] < b[3] - b[1]) best = m;
    }
    poles_join(s, best);
}

/* What lies on neighbouring places of the grid is one pole; never more than there is room for. */
static void guess_take(struct guess *s, const struct nnls *q, const double length[COLUMNS_MOST], const struct table *t)
{
    *s = (struct guess){.x = {q->x[0] / length[0], q->x[1] / length[1]}};
    for (int m = 2, last = -2; m < q->n; m++) {
        if (!(q->x[m] > 0)) continue;
        double *const a = s->x + 2 + 2 * s->n++;
        a[0] = q->x[m] / length[m], a[1] = t->first + (t->last - t->first) * (m - 2) / (q->n - 3);
        if (m == last + 1 && s->n > 1) poles_join(s, s->n - 2);
        else if (s->n == FIT_POLES) poles_join_nearest(s);
        last = m;
    }
}

static int guess_make(struct guess *s, const struct table *t)
{
    const double decades = (t->last - t->first) / sfd_log(10);
    struct nnls *const q = calloc(1, sizeof *q);
    SF_CHECK(q, SF_MEMORY, "no memory for a fit");
    q->n = SF_MIN(COLUMNS_MOST, 4 + (int)(PER_DECADE * decades));
    q->g = calloc(2 * (size_t)q->n * (size_t)q->n, sizeof *q->g);
    if (q->g) {
        double length[COLUMNS_MOST] = {0};
        q->l = q->g + (size_t)q->n * (size_t)q->n;
        sums_make(q, t);
        sums_scale(q, length);
        nnls_solve(q);
        guess_take(s, q, length, t);
    }
    const int rc = q->g ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a fit");
    free(q->g);
    free(q);
    return rc;
}

/* ---- with tau ---- */

/* Fit less table over |table|, both parts, at line m, and by each unknown. */
static void miss_at(const struct guess *s, const struct table *t, int m, double miss[2], double by[UNKNOWNS][2])
{
    const double *const row = t->row + 3 * m, w = w_of(t, m),
                        weight = 1 / __builtin_sqrt(row[1] * row[1] + row[2] * row[2]);
    double of[2] = {1 + s->x[0], s->x[1] / w};
    by[0][0] = weight, by[0][1] = 0, by[1][0] = 0, by[1][1] = weight / w;
    for (int p = 0; p < s->n; p++) {
        const double *const a = s->x + 2 + 2 * p;
        double one[2], slope[2];
        pole_at(w, sfd_exp(a[1]), one, slope);
        for (int q = 0; q < 2; q++) {
            of[q] += a[0] * one[q];
            by[2 + 2 * p][q] = weight * one[q], by[3 + 2 * p][q] = weight * a[0] * slope[q];
        }
    }
    miss[0] = weight * (of[0] - row[1]), miss[1] = weight * (of[1] - row[2]);
}

static double misses(const struct guess *s, const struct table *t)
{
    double sum = 0, miss[2], by[UNKNOWNS][2];
    for (int m = 0; m < t->n; m++) {
        miss_at(s, t, m, miss, by);
        sum += miss[0] * miss[0] + miss[1] * miss[1];
    }
    return sum;
}

/* Within bounds: no strength is negative, tau stays on the grid. */
static double bounded(const struct table *t, int unknown, double x)
{
    const int is_tau = unknown > 1 && unknown % 2;
    if (!is_tau) return x > 0 ? x : 0;
    return x < t->first ? t->first : x > t->last ? t->last : x;
}

/* J'J, and J' miss with the other sign. */
static void slopes(const struct guess *s, const struct table *t, double g[UNKNOWNS * UNKNOWNS], double b[UNKNOWNS])
{
    const int n = 2 + 2 * s->n;
    memset(g, 0, UNKNOWNS * UNKNOWNS * sizeof *g), memset(b, 0, UNKNOWNS * sizeof *b);
    for (int m = 0; m < t->n; m++) {
        double miss[2], by[UNKNOWNS][2];
        miss_at(s, t, m, miss, by);
        for (int r = 0; r < n; r++) {
            b[r] -= by[r][0] * miss[0] + by[r][1] * miss[1];
            for (int c = 0; c <= r; c++) g[r * UNKNOWNS + c] += by[r][0] * by[c][0] + by[r][1] * by[c][1];
        }
    }
}

/* One step of damped least squares, of unknowns that no bound holds back. */
static struct guess stepped(const struct guess *s, const struct table *t, const double *g, const double *b, double damp)
{
    double h[UNKNOWNS * UNKNOWNS], l[UNKNOWNS * UNKNOWNS], by[UNKNOWNS];
    int in[UNKNOWNS], n = 0;
    struct guess to = *s;
    memcpy(h, g, sizeof h);
    for (int m = 0; m < 2 + 2 * s->n; m++) {
        const double to_where = s->x[m] + (b[m] > 0 ? 1e-9 : -1e-9) * (1 + __builtin_fabs(s->x[m])),
                     held = bounded(t, m, to_where) - s->x[m];
        if (g[m * UNKNOWNS + m] > 0 && (held > 0 || held < 0)) in[n++] = m;
        h[m * UNKNOWNS + m] *= 1 + damp;
    }
    if (!solve(by, l, h, b, in, n, UNKNOWNS)) return to;
    for (int m = 0; m < n; m++) to.x[in[m]] = bounded(t, in[m], s->x[in[m]] + by[m]);
    return to;
}

/* Returns the sum of squares that is left. */
static double improve(struct guess *s, const struct table *t)
{
    double g[UNKNOWNS * UNKNOWNS], b[UNKNOWNS], damp = 1e-3, left = misses(s, t);
    slopes(s, t, g, b);
    for (int round = 0, still = 0; round < ROUNDS && still < 3 && damp < 1e12; round++) {
        const struct guess next = stepped(s, t, g, b, damp);
        const double then = misses(&next, t);
        if (!(then < left)) {
            damp *= 5;
            continue;
        }
        still = then > (1 - 1e-9) * left ? still + 1 : 0;
        *s = next, left = then, damp *= 0.2;
        slopes(s, t, g, b);
    }
    return left;
}

/* ---- the fewest poles ---- */

static void fit_take(struct fit *to, const struct guess *s, const struct table *t)
{
    *to = (struct fit){.epsilon = 1 + s->x[0], .sigma = s->x[1] * t->w0 * em_eps0};
    for (int p = 0; p < s->n; p++) {
        const double *const a = s->x + 2 + 2 * p;
        if (!(a[0] > 0)) continue;
        int at = to->npoles++;
        const double tau = sfd_exp(a[1]) / t->w0;
        for (; at > 0 && to->tau[at - 1] > tau; at--)
            to->tau[at] = to->tau[at - 1], to->strength[at] = to->strength[at - 1];
        to->tau[at] = tau, to->strength[at] = a[0];
    }
    double sum = 0;
    for (int m = 0; m < t->n; m++) {
        const double *const row = t->row + 3 * m;
        double of[2];
        fit_permittivity(to, row[0], of);
        const double off[2] = {of[0] - row[1], of[1] - row[2]},
                     square = (off[0] * off[0] + off[1] * off[1]) / (row[1] * row[1] + row[2] * row[2]);
        sum += square;
        if (square > to->largest * to->largest) to->largest = __builtin_sqrt(square), to->worst = row[0];
    }
    to->rms = __builtin_sqrt(sum / t->n);
}

int fit_make(struct fit *to, const double *row, int n)
{
    const double low = row[0], high = row[3 * (n - 1)], w0 = 2 * pi_number * __builtin_sqrt(low * high);
    struct table t = {.n = n, .row = row, .w0 = w0};
    t.first = sfd_log(__builtin_sqrt(low / high) / grid_beyond), t.last = -t.first;
    struct guess start = {0};
    SF_TRY(guess_make(&start, &t));
    struct fit of[FIT_POLES + 1];
    double least = SFD_INF;
    for (int m = 0; m <= start.n; m++) {
        struct guess s = start;
        while (s.n > m && s.n > 1) poles_join_nearest(&s);
        s.n = m;
        improve(&s, &t);
        fit_take(&of[m], &s, &t);
        least = SF_MIN(least, of[m].rms);
        if (!(of[m].largest > FIT_GOOD)) {
            *to = of[m];
            return SF_OK;
        }
    }
    int m = 0;
    while (of[m].rms > 1.1 * least) m++;
    *to = of[m];
    return SF_OK;
}

void fit_permittivity(const struct fit *f, double frequency, double epsilon[2])
{
    const double w = 2 * pi_number * frequency;
    epsilon[0] = f->epsilon, epsilon[1] = f->sigma / (w * em_eps0);
    for (int p = 0; p < f->npoles; p++) {
        double of[2], slope[2];
        pole_at(w, f->tau[p], of, slope);
        epsilon[0] += f->strength[p] * of[0], epsilon[1] += f->strength[p] * of[1];
    }
}
