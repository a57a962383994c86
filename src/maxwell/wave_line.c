/* The line of the plane wave. SPDX-License-Identifier: MIT */
#include "maxwell/wave_line.h"

#include "pipeline/error.h"

#include <stdlib.h>
#include <string.h>

static const double absorber_loss = 20; /* nepers of one way through it */

int wave_line_make(struct wave_line *l, int nodes)
{
    const size_t n = (size_t)nodes + WAVE_LINE_ABSORBER + 1;
    *l = (struct wave_line){.n = (int)n - 1, .memory = calloc(7 * n, sizeof *l->memory)};
    SF_CHECK(l->memory, SF_MEMORY, "no memory for a line of %zu nodes of the plane wave", n);
    l->e = l->memory, l->h = l->e + n, l->keep_e = l->h + n, l->turn_e = l->keep_e + n, l->keep_h = l->turn_e + n;
    l->turn_h = l->keep_h + n, l->work = l->turn_h + n;
    return SF_OK;
}

/* Loss sigma dt / 2 eps of the absorber, the same of H: matched. `speed`: v dt / spacing. */
static double absorber_at(const struct wave_line *l, double m, double speed)
{
    const double x = (m - (l->n - WAVE_LINE_ABSORBER)) / WAVE_LINE_ABSORBER, square = x > 0 ? x * x : 0;
    return absorber_loss * 7 * speed / (2 * WAVE_LINE_ABSORBER) * (square * square * square);
}

void wave_line_set(struct wave_line *l, int m, double turn_e, double turn_h)
{
    const double speed = __builtin_sqrt(turn_e * turn_h), at = absorber_at(l, m, speed),
                 after = absorber_at(l, m + 0.5, speed);
    l->keep_e[m] = (1 - at) / (1 + at), l->turn_e[m] = turn_e / (1 + at);
    l->keep_h[m] = (1 - after) / (1 + after), l->turn_h[m] = turn_h / (1 + after);
}

void wave_line_reset(struct wave_line *l, long step)
{
    memset(l->e, 0, ((size_t)l->n + 1) * sizeof *l->e);
    memset(l->h, 0, ((size_t)l->n + 1) * sizeof *l->h);
    l->before = 0;
    l->step = step;
}

void wave_line_h(struct wave_line *l, double next)
{
    double *restrict const h = l->h;
    const double *const e = l->e, *const keep = l->keep_h, *const turn = l->turn_h;
    const int n = l->n;
    for (int m = 0; m < n; m++) h[m] = keep[m] * h[m] + turn[m] * (e[m] - e[m + 1]);
    l->before = h[0] + (next - e[0]) / l->turn_e[0];
}

void wave_line_e(struct wave_line *l, double next)
{
    double *restrict const e = l->e;
    const double *const h = l->h, *const keep = l->keep_e, *const turn = l->turn_e;
    const int n = l->n;
    for (int m = 1; m < n; m++) e[m] = keep[m] * e[m] + turn[m] * (h[m - 1] - h[m]);
    e[0] = next;
    l->step++;
}
