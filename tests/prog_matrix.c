/* Combinations of case and cut, each a leg of a run in this process: what tests/matrix.sh compares.
 *
 *     prog_matrix run LIST                 the legs of a file, a line each, with NaN in all memory that the plan does
 *                                          not promise to fill
 *     prog_matrix plain LIST               the same without that
 *     prog_matrix leg "LINE"               one of run's
 *     prog_matrix small NAMELIST NX NY NZ STEPS    overrides that make a case small: its domain on fewer cells, and a
 *                                                  time
 *                                          step near the model's limit
 *     prog_matrix model NAMELIST           the name of its model
 *
 * A leg is LABEL NAMELIST FIRST LAST FROM TO [GROUP%KEY=VALUE]...: steps FIRST to LAST, from the checkpoint in
 * directory FROM (-: time 0), to one in directory TO (-: none). Rank 0 prints, for each, LABEL LAST DIGEST slabs N
 * steps N segments N rows N with what the plan made of the cut: slabs, steps of a pass, segments with an exchange of
 * their own, deepest exchange. A leg that fails prints LABEL LAST failed and why; the others go on, and the exit code
 * is 1. SPDX-License-Identifier: MIT */
#include "support_driver.h"
#include "command/command.h"
#include "command/session.h"
#include "io/restart.h"
#include "pipeline/error.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 128, LINE = 8192 };

struct leg {
    char text[LINE];
    const char *label, *path, *from, *to;
    long first, last;
    const char *set[WORDS];
    int nsets;
};

static int leg_parse(struct leg *l, const char *line)
{
    const char *word[WORDS];
    int n = 0;
    memset(l, 0, sizeof *l);
    snprintf(l->text, sizeof l->text, "%s", line);
    for (char *at = strtok(l->text, " \n"); at && n < WORDS; at = strtok(NULL, " \n")) word[n++] = at;
    SF_CHECK(n >= 6 && n < WORDS, SF_USAGE, "a leg needs LABEL NAMELIST FIRST LAST FROM TO: %s", line);
    l->label = word[0], l->path = word[1], l->from = word[4], l->to = word[5];
    l->first = atol(word[2]), l->last = atol(word[3]);
    l->nsets = n - 6;
    for (int m = 6; m < n; m++) l->set[m - 6] = word[m];
    return SF_OK;
}

/* ---- one leg ---- */

/* Many legs go on from one checkpoint, and whoever reads it looks at all of it again: it is looked for once. Rank 0. */
static int newest_find(const char *dir, char path[PATH_MAX])
{
    enum { KEPT = 64 };
    static char dirs[KEPT][PATH_MAX], paths[KEPT][PATH_MAX];
    static int n;
    for (int m = 0; m < SF_MIN(n, KEPT); m++) {
        if (strcmp(dirs[m], dir)) continue;
        memcpy(path, paths[m], PATH_MAX);
        return SF_OK;
    }
    const int rc = restart_find(dir, path, PATH_MAX);
    if (rc == RESTART_NONE) return sf_fail(SF_RESTART, __FILE__, __LINE__, "no checkpoint in %s", dir);
    SF_TRY(rc);
    snprintf(dirs[n % KEPT], PATH_MAX, "%s", dir);
    memcpy(paths[n++ % KEPT], path, PATH_MAX);
    return SF_OK;
}

static int checkpoint_find(const struct comm *c, const char *dir, char path[PATH_MAX])
{
    const int rc = c->rank == 0 ? newest_find(dir, path) : SF_OK;
    SF_TRY(outcome_share(c, rc));
    return comm_bcast(c, path, PATH_MAX);
}

static int state_check(const struct session *s)
{
    char where[256];
    int found;
    SF_TRY(state_find_bad(&s->state, &found, where, sizeof where));
    SF_CHECK(!found, SF_BLOWUP, "the small case blows up: %s", where);
    return SF_OK;
}

/* The bits that probes recorded after the last step, into the digest on rank 0. What other ranks own is 0. */
static int traces_digest(const struct session *s, unsigned long long *digest)
{
    const struct traces *const t = &s->in.traces;
    const size_t n = (size_t)t->n * (size_t)t->nprobes, size = (size_t)s->comm.size;
    struct trace_record r = {0};
    if (!n) return SF_OK;
    t->take(t->own, &r);
    SF_CHECK(r.n > 0 && r.first + r.n == s->step, SF_INTERNAL, "probes end at step %ld, not %ld", r.first + r.n,
             s->step);
    real *all = calloc(n * size, sizeof *all);
    size_t *bytes = calloc(size, sizeof *bytes);
    int rc = all && bytes ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the values of probes");
    for (size_t m = 0; m < size && !rc; m++) bytes[m] = n * sizeof *all;
    if (!rc) rc = comm_gather(&s->comm, r.value + (size_t)(r.n - 1) * n, all, bytes);
    for (size_t m = 0; m < n && !rc; m++) {
        real value = 0;
        for (size_t owner = 0; owner < size; owner++) value += all[owner * n + m];
        unsigned long long bits = 0;
        memcpy(&bits, &value, sizeof value);
        *digest = (*digest ^ bits) * 1099511628211u;
    }
    free(all);
    free(bytes);
    return rc;
}

static int leg_advance(struct session *s, const struct leg *l, const char *restart, unsigned long long *digest)
{
    SF_TRY(session_start(s, restart));
    SF_CHECK(s->step == l->first, SF_RESTART, "begins at step %ld, not %ld", s->step, l->first);
    SF_TRY(session_advance(s, l->last - l->first));
    SF_CHECK(s->step == l->last, SF_NAMELIST, "the run ends at step %ld, before step %ld", s->step, l->last);
    SF_TRY(state_check(s));
    SF_TRY(outcome_share(&s->comm, session_digest(s, digest)));
    SF_TRY(outcome_share(&s->comm, traces_digest(s, digest)));
    if (!strcmp(l->to, "-")) return SF_OK;
    struct restart_info info;
    session_restart_info(s, &info);
    return outcome_share(&s->comm, restart_write(&s->state, l->to, &info));
}

static void leg_print(const struct session *s, const struct leg *l, unsigned long long digest)
{
    const struct plan *p = &s->engine.pass[0].plan;
    int exchanges = 0;
    for (int n = 0; n < p->nsegments; n++) exchanges += p->segment[n].nhalo > 0;
    printf("%s %ld %016llx slabs %d steps %d segments %d rows %d\n", l->label, l->last, digest, s->engine.slabs,
           p->steps, exchanges, SF_MAX(p->south, p->north));
}

static int leg_run(struct session *s, const struct comm *c, const struct leg *l, int poison)
{
    const int resumed = strcmp(l->from, "-") != 0;
    const struct session_options o = {
        .path = l->path, .set = l->set, .nsets = l->nsets, .comm = c, .has_fixed_threads = 1};
    char checkpoint[PATH_MAX];
    unsigned long long digest = 0;
    memset(s, 0, sizeof *s);
    if (resumed) SF_TRY(checkpoint_find(c, l->from, checkpoint));
    SF_TRY(session_read(s, &o));
    s->engine_options.poison = poison;
    SF_TRY(leg_advance(s, l, resumed ? checkpoint : NULL, &digest));
    if (c->rank == 0) leg_print(s, l, digest);
    return SF_OK;
}

/* 1 when it failed. */
static int leg_tell(const struct comm *c, const char *line, int poison)
{
    static struct leg l;
    static struct session s; /* large */
    sf_error_clear();
    int rc = leg_parse(&l, line);
    if (!rc) {
        rc = leg_run(&s, c, &l, poison);
        if (rc == SF_COMM && c->size > 1) {
            fprintf(stderr, "rank %d: %s\n", c->rank, sf_error_text());
            comm_abort(rc);
        }
        session_close(&s);
    }
    if (rc && c->rank == 0) printf("%s %ld failed %s\n", l.label ? l.label : "leg", l.last, sf_error_text());
    return rc != SF_OK;
}

static int list_run(const struct comm *c, const char *path, int poison)
{
    static char line[LINE];
    int failed = 0;
    FILE *f = fopen(path, "r");
    if (!f) return fprintf(stderr, "%s cannot be read\n", path), 1;
    while (fgets(line, sizeof line, f)) {
        failed += leg_tell(c, line, poison);
        fflush(stdout);
    }
    fclose(f);
    return failed > 0;
}

/* ---- a small case ---- */

/* Four fifths of the longest step, rounded: the same on every machine. Where any is stable, the namelist's. */
static double dt_pick(const struct session *s)
{
    char text[32];
    if (isinf(s->in.dt_limit)) return s->config.time_dt;
    snprintf(text, sizeof text, "%.2g", 0.8 * s->in.dt_limit);
    return atof(text);
}

enum { SETS = 24, SET = 64 };

struct sets {
    char text[SETS][SET];
    const char *set[SETS];
    int n;
};

__attribute__((format(printf, 2, 3))) static void set_add(struct sets *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->text[t->n], SET, format, args);
    va_end(args);
    t->set[t->n] = t->text[t->n];
    t->n++;
}

static void weather_make_small(struct sets *t, const struct grid *g, const int cells[3])
{
    set_add(t, "grid%%nx=%d", cells[0]);
    set_add(t, "grid%%ny=%d", cells[1]);
    set_add(t, "grid%%nz=%d", cells[2]);
    set_add(t, "grid%%dx=%.6g", g->dx * g->nx / cells[0]);
    set_add(t, "grid%%dy=%.6g", g->ny > 1 ? g->dy * g->ny / cells[1] : g->dx * g->nx / cells[0]);
    set_add(t, "grid%%dz=%.6g", g->top / cells[2]);
    set_add(t, "grid%%stretch_ratio=1");
    set_add(t, "grid%%dz_max=1e6");
    set_add(t, "dynamics%%small_steps=2");
}

/* The cells of one axis. A list stays as it is, and an axis of one cell is given more of that size. */
static void cells_make_few(struct sets *t, const struct session *s, int axis, int few)
{
    const struct grid *g = &s->grid;
    const int n[3] = {g->nx, g->ny, g->nz};
    const double size[3] = {grid_x(g, n[0], 1) - grid_x(g, 0, 1), grid_y(g, n[1], 1) - grid_y(g, 0, 1),
                            g->z_f[n[2]] - g->z_f[0]};
    const char list[] = {'s', 'i', 'z', 'e', '_', "xyz"[axis], 0};
    const int listed = namelist_count(&s->schema, "grid", list);
    set_add(t, "grid%%n%c=%d", "xyz"[axis], listed ? listed : few);
    if (!listed) set_add(t, "grid%%d%c=%.6g", "xyz"[axis], size[axis] / (n[axis] > 1 ? few : 1));
}

static void waves_make_small(struct sets *t, const struct session *s, const int cells[3])
{
    for (int a = 0; a < 3; a++) cells_make_few(t, s, a, cells[a]);
    set_add(t, "cpml%%cells=2"); /* thin, or the planes of modes would lie in them */
    set_add(t, "maxwell%%allow_coarse=.true.");
}

/* Pulses of a few steps that are under way at once: the bits of all fields are to be worth comparing. */
static void waves_hasten(struct sets *t, const struct session *s, double dt)
{
    const int n = namelist_count(&s->schema, "source", "kind");
    set_add(t, "spectrum%%every=2");
    if (n) {
        set_add(t, "source%%frequency=%d*%.6g", n, 0.04 / dt);
        set_add(t, "source%%bandwidth=%d*0", n);
        set_add(t, "source%%delay=%d*%.6g", n, 2 * dt);
    }
    if (namelist_count(&s->schema, "port", "kind")) {
        set_add(t, "excitation%%frequency=%.6g", 0.04 / dt);
        set_add(t, "excitation%%bandwidth=0");
        set_add(t, "excitation%%delay=%.6g", 2 * dt);
    }
    if (!namelist_count(&s->schema, "plane_wave", "direction")) return;
    set_add(t, "plane_wave%%frequency=%.6g", 0.04 / dt);
    set_add(t, "plane_wave%%bandwidth=0");
    set_add(t, "plane_wave%%delay=%.6g", 2 * dt);
}

static int small_make(struct session *s, const char *path, const int cells[3], int steps, struct sets *t)
{
    SF_TRY(session_read(s, &(struct session_options){.path = path}));
    const int waves = !strcmp(s->model->name, "maxwell");
    if (waves) waves_make_small(t, s, cells);
    else if (s->described)
        for (int a = 0; a < 3; a++) cells_make_few(t, s, a, cells[a]);
    else weather_make_small(t, &s->grid, cells);
    session_close(s);
    /* Frequencies that suit the cells are not known before the step is. */
    const int kept = t->n;
    set_add(t, "time%%allow_unstable=.true."); /* the namelist's may be too long for so few cells */
    if (waves) set_add(t, "spectrum%%every=1");
    SF_TRY(session_read(s, &(struct session_options){.path = path, .set = t->set, .nsets = t->n}));
    const double dt = dt_pick(s);
    t->n = kept;
    if (waves) waves_hasten(t, s, dt);
    set_add(t, "time%%dt=%.9g", dt);
    set_add(t, "time%%duration=%.9g", dt * steps);
    set_add(t, "time%%output_interval=0");
    return SF_OK;
}

static int small_print(const char *path, const int cells[3], int steps)
{
    static struct sets t;
    static struct session s;
    const int rc = small_make(&s, path, cells, steps, &t);
    for (int m = 0; m < t.n && !rc; m++) printf("%s%s", t.text[m], m + 1 < t.n ? " " : "\n");
    if (rc) fprintf(stderr, "%s: %s\n", path, sf_error_text());
    session_close(&s);
    return rc != SF_OK;
}

/* The model of a namelist, for what differs between them. */
static int model_print(const char *path)
{
    static struct session s;
    const int rc = session_read(&s, &(struct session_options){.path = path});
    if (!rc) printf("%s\n", s.model->name);
    session_close(&s);
    return rc != SF_OK;
}

/* What leads the sides of small cases: three times of their 20 x 28 columns. */
static int driver_write(const char *path)
{
    driver_file_make(path, &(struct driver_of){20, 28, 3, 500, 500, 0, 4}, driver_variable, DRIVER_HEIGHT, 0);
    return 0;
}

int main(int argc, char **argv)
{
    struct comm c = {.rank = 0, .size = 1};
    const char *what = argc > 2 ? argv[1] : "";
    int bad = 1;
    if (comm_begin(&argc, &argv, &c)) return fprintf(stderr, "%s\n", sf_error_text()), 1;
    sf_log_setup(c.rank, 1);
    if (!strcmp(what, "run")) bad = list_run(&c, argv[2], 1);
    else if (!strcmp(what, "plain")) bad = list_run(&c, argv[2], 0);
    else if (!strcmp(what, "leg")) bad = leg_tell(&c, argv[2], 1);
    else if (!strcmp(what, "small") && argc == 7)
        bad = small_print(argv[2], (const int[3]){atoi(argv[3]), atoi(argv[4]), atoi(argv[5])}, atoi(argv[6]));
    else if (!strcmp(what, "model")) bad = model_print(argv[2]);
    else if (!strcmp(what, "driver")) bad = driver_write(argv[2]);
    else
        fprintf(
            stderr,
            "usage: prog_matrix run LIST | plain LIST | leg LINE | small NAMELIST NX NY NZ STEPS | model NAMELIST | "
            "driver FILE\n");
    fflush(stdout);
    comm_end();
    return bad;
}
