/* Combinations of case and cut, each a leg of a run in this process: what tests/matrix.sh compares.
 *
 *     prog_matrix run LIST                 the legs of a file, a line each, with NaN in all memory that the plan does
 *                                          not promise to fill
 *     prog_matrix plain LIST               the same without that
 *     prog_matrix leg "LINE"               one of run's
 *     prog_matrix small NAMELIST NX NY NZ STEPS    overrides that make a case small: its domain on fewer cells, and a time
 *                                          step near the model's limit
 *
 * A leg is LABEL NAMELIST FIRST LAST FROM TO [GROUP%KEY=VALUE]...: steps FIRST to LAST, from the checkpoint in directory
 * FROM (-: time 0), to one in directory TO (-: none). Rank 0 prints, for each,
 *     LABEL LAST DIGEST slabs N steps N segments N rows N
 * with what the plan made of the cut: slabs, steps of a pass, segments with an exchange of their own, deepest exchange.
 * A leg that fails prints LABEL LAST failed and why; the others go on, and the exit code is 1. SPDX-License-Identifier: MIT */
#include "command/command.h"
#include "command/session.h"
#include "io/restart.h"
#include "pipeline/error.h"

#include <limits.h>
#include <math.h>
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

static int checkpoint_find(const struct comm *c, const char *dir, char path[PATH_MAX])
{
    int rc = c->rank == 0 ? restart_find(dir, path, PATH_MAX) : SF_OK;
    if (rc == RESTART_NONE) rc = sf_fail(SF_RESTART, __FILE__, __LINE__, "no checkpoint in %s", dir);
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

static int leg_advance(struct session *s, const struct leg *l, const char *restart, unsigned long long *digest)
{
    SF_TRY(session_start(s, restart));
    SF_CHECK(s->step == l->first, SF_RESTART, "begins at step %ld, not %ld", s->step, l->first);
    SF_TRY(session_advance(s, l->last - l->first));
    SF_CHECK(s->step == l->last, SF_NAMELIST, "the run ends at step %ld, before step %ld", s->step, l->last);
    SF_TRY(state_check(s));
    SF_TRY(outcome_share(&s->comm, session_digest(s, digest)));
    if (!strcmp(l->to, "-")) return SF_OK;
    const struct restart_info info = {.time = session_time(s), .step = s->step, .identity = s->identity};
    return outcome_share(&s->comm, restart_write(&s->state, l->to, &info));
}

static void leg_print(const struct session *s, const struct leg *l, unsigned long long digest)
{
    const struct plan *p = &s->engine.pass[0].plan;
    int exchanges = 0;
    for (int n = 0; n < p->nsegments; n++) exchanges += p->segment[n].nhalo > 0;
    printf("%s %ld %016llx slabs %d steps %d segments %d rows %d\n", l->label, l->last, digest, s->engine.slabs, p->steps,
           exchanges, SF_MAX(p->south, p->north));
}

static int leg_run(struct session *s, const struct comm *c, const struct leg *l, int poison)
{
    const int resumed = strcmp(l->from, "-") != 0;
    const struct session_options o = {.path = l->path, .set = l->set, .nsets = l->nsets, .comm = c};
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

/* Four fifths of the longest step, rounded: the same on every machine. */
static double dt_pick(const struct session *s)
{
    char text[32];
    snprintf(text, sizeof text, "%.2g", 0.8 * s->in.dt_limit);
    return atof(text);
}

static int small_print(const char *path, const int cells[3], int steps)
{
    enum { SETS = 9, SET = 64 };
    char text[SETS][SET];
    const char *set[SETS];
    struct session s;
    const struct session_options o = {.path = path};
    int rc = session_read(&s, &o);
    if (!rc) {
        const struct grid *g = &s.grid;
        int n = 0;
        snprintf(text[n++], SET, "grid%%nx=%d", cells[0]);
        snprintf(text[n++], SET, "grid%%ny=%d", cells[1]);
        snprintf(text[n++], SET, "grid%%nz=%d", cells[2]);
        snprintf(text[n++], SET, "grid%%dx=%.6g", g->dx * g->nx / cells[0]);
        snprintf(text[n++], SET, "grid%%dy=%.6g", g->ny > 1 ? g->dy * g->ny / cells[1] : g->dx * g->nx / cells[0]);
        snprintf(text[n++], SET, "grid%%dz=%.6g", g->top / cells[2]);
        snprintf(text[n++], SET, "grid%%stretch_ratio=1");
        snprintf(text[n++], SET, "grid%%dz_max=1e6");
        snprintf(text[n++], SET, "dynamics%%small_steps=2");
        for (int m = 0; m < SETS; m++) set[m] = text[m];
        session_close(&s);
        rc = session_read(&s, &(struct session_options){.path = path, .set = set, .nsets = SETS});
    }
    if (!rc) {
        const double dt = dt_pick(&s);
        for (int m = 0; m < SETS; m++) printf("%s ", set[m]);
        printf("time%%dt=%.9g time%%duration=%.9g time%%output_interval=0\n", dt, dt * steps);
    } else {
        fprintf(stderr, "%s: %s\n", path, sf_error_text());
    }
    session_close(&s);
    return rc != SF_OK;
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
    else fprintf(stderr, "usage: prog_matrix run LIST | plain LIST | leg LINE | small NAMELIST NX NY NZ STEPS\n");
    fflush(stdout);
    comm_end();
    return bad;
}
