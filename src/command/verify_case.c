/* Cases of `sferic verify`, opened from text, and what is measured on them. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "pipeline/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 16384 };

/* One thread unless the case says otherwise: these are small, and threads that wait for each other on a busy machine
 * take ten times as long. */
static const char one_thread[] = "&pipeline threads=1 /\n";

int verify_file_write(const char *text, char *path, size_t size)
{
    const char *tmp = getenv("TMPDIR");
    const int n = snprintf(path, size, "%s/sferic-verify-XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
    const int fd = n < (int)size ? mkstemp(path) : -1;
    SF_CHECK(fd >= 0, SF_IO, "cannot create %s: verify needs a directory for small temporary files; set TMPDIR", path);
    const size_t bytes = strlen(text);
    const int written = write(fd, text, bytes) == (ssize_t)bytes;
    if (!close(fd) && written) return SF_OK;
    unlink(path);
    SF_FAIL(SF_IO, "cannot write %s: is the disk full? TMPDIR names another directory", path);
}

/* A session takes a file: the text lies in a temporary one while the case is opened. */
int verify_open(struct session *s, const char *fmt, ...)
{
    char text[TEXT], path[1024];
    memset(s, 0, sizeof *s);
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(text, sizeof text - sizeof one_thread, fmt, ap);
    va_end(ap);
    SF_CHECK(n > 0 && n < TEXT - (int)sizeof one_thread, SF_INTERNAL,
             "the namelist of a verification case is longer than %d bytes", TEXT);
    if (!strstr(text, "&pipeline")) memcpy(text + n, one_thread, sizeof one_thread);
    SF_TRY(verify_file_write(text, path, sizeof path));
    const struct session_options o = {.path = path, .is_part = 1};
    const int rc = session_open(s, &o);
    unlink(path);
    return rc;
}

int verify_finish(struct session *s)
{
    char where[256];
    int bad;
    SF_TRY(session_advance(s, session_steps_left(s)));
    SF_TRY(state_find_bad(&s->state, &bad, where, sizeof where));
    SF_CHECK(!bad, SF_BLOWUP, "case %s blew up: %s", s->config.case_name, where);
    return SF_OK;
}

int verify_number(struct session *s, const char *name, double *value)
{
    enum { QUANTITIES = 64 };
    double values[QUANTITIES], courant;
    SF_CHECK(s->in.nquantities <= QUANTITIES, SF_INTERNAL, "more quantities than expected");
    SF_TRY(s->model->measure(&s->in, &s->state, clock_dt(&s->clock, s->step), values, &courant));
    for (int n = 0; n < s->in.nquantities; n++)
        if (!strcmp(s->in.quantity[n].name, name)) {
            *value = values[n];
            return SF_OK;
        }
    SF_FAIL(SF_INTERNAL, "the model measures no %s", name);
}

const real *verify_line(const struct session *s, int field, int j, int k)
{
    const struct slab *x = &s->state.host.s;
    return x->f[field] + (j - x->j0) * x->sj + k * x->sk;
}

struct extremes verify_extremes(const struct session *s, int field)
{
    struct extremes e = {INFINITY, -INFINITY};
    for (int j = 0; j < s->grid.ny; j++)
        for (int k = 0; k < s->grid.nz; k++) {
            const real *const q = verify_line(s, field, j, k);
            for (int i = 0; i < s->grid.nx; i++) {
                const double x = (double)q[i];
                e.min = x < e.min ? x : e.min;
                e.max = x > e.max ? x : e.max;
            }
        }
    return e;
}

struct phasor verify_phasor(const struct session *s, int field, int waves)
{
    const int nx = s->grid.nx;
    double re = 0, im = 0;
    for (int j = 0; j < s->grid.ny; j++)
        for (int k = 0; k < s->grid.nz; k++) {
            const real *const q = verify_line(s, field, j, k);
            for (int i = 0; i < nx; i++) {
                const double angle = 2 * M_PI * waves * (i + 0.5) / nx;
                re += (double)q[i] * cos(angle);
                im -= (double)q[i] * sin(angle);
            }
        }
    const double scale = 2.0 / ((double)nx * s->grid.ny * s->grid.nz);
    return (struct phasor){re * scale, im * scale};
}
