/* sferic ports: scattering parameters of all ports of a case, one run for each. SPDX-License-Identifier: MIT */
#include "command/command.h"

#include "command/session_parts.h"
#include "io/progress.h"
#include "io/rundir.h"
#include "io/scattering.h"
#include "pipeline/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PORTS_PATH = 4096, PORTS_MOST_ARGUMENTS = 2 * CASE_SETS + 16 };

static const struct option options[] = {
    CASE_OPTIONS,
    {"--out", "-o", "DIR", "where the files go (out/<case name>); run of port N: DIR/port_N"},
    {"--force", NULL, NULL, "run all ports anew"},
    {"--quiet", "-q", NULL, "warnings, errors and the table only"},
};

struct ports_options {
    struct case_arguments args;
    const char *out;
    int force, quiet;
};

/* What all runs have in common. */
struct ports_case {
    char name[PORTS_PATH], out[PORTS_PATH];
    int n, number[64]; /* ports, their numbers in &port */
};

static int option_take(void *to, const struct option *o, const char *value)
{
    struct ports_options *const opt = to;
    int taken;
    SF_TRY(case_take(&opt->args, o, value, &taken));
    if (taken) return SF_OK;
    if (!strcmp(o->name, "--out")) opt->out = value;
    else if (!strcmp(o->name, "--force")) opt->force = 1;
    else opt->quiet = 1;
    return SF_OK;
}

/* ---- what stands there ------------------------------------------------------------------------------------------ */

/* The first line of one text that the other has not in its place: the key that it is about. */
static void differing_key(const char *one, const char *other, char key[64])
{
    const char *line = one;
    for (; *one && *one == *other; one++, other++)
        if (*one == '\n') line = one + 1;
    snprintf(key, 64, "%.*s", (int)SF_MIN(strcspn(line, " \n"), 63), line);
}

/* What runs have in common whose ports say the same: what a checkpoint agrees on, and when they end. */
static int runs_are_one(const struct session *a, const struct session *b, char key[64])
{
    const int same = !strcmp(a->identity, b->identity), end = !(a->config.time_duration < b->config.time_duration ||
                                                                a->config.time_duration > b->config.time_duration);
    if (!same) differing_key(a->identity, b->identity, key);
    else snprintf(key, 64, "time%%duration");
    return same && end;
}

/* The run in a directory beside the session of what is wanted: RUN_NONE where there is no namelist that can be read. */
enum run_there { RUN_NONE, RUN_SAME, RUN_OTHER };
static void run_compare(const char *directory, const struct session *s, const struct comm *c, enum run_there *there,
                        char key[64])
{
    char path[PORTS_PATH + 48];
    struct session old;
    snprintf(path, sizeof path, "%s/namelist.nml", directory);
    const int rc = session_read(&old, &(struct session_options){.path = path, .comm = c, .is_part = 1, .is_silent = 1});
    *there = rc ? RUN_NONE : runs_are_one(s, &old, key) ? RUN_SAME : RUN_OTHER;
    if (rc) sf_error_clear();
    session_close(&old);
}

/* ---- the case ---------------------------------------------------------------------------------------------------- */

/* With port `number` driven: is the run in `directory` one of it, *same, and is another one in the way? */
static int case_read(const struct ports_options *opt, int number, const struct comm *c, struct ports_case *to,
                     const char *directory, int *same)
{
    enum run_there there = RUN_NONE;
    char key[64] = "";
    char driven[32];
    struct case_arguments args = opt->args;
    struct session s;
    snprintf(driven, sizeof driven, "excitation%%port=%d", number);
    SF_CHECK(args.nsets < CASE_SETS, SF_USAGE, "more than %d overrides", CASE_SETS - 1);
    if (number) args.set[args.nsets++] = driven;
    int rc = session_read(
        &s, &(struct session_options){
                .path = args.path, .set = args.set, .nsets = args.nsets, .comm = c, .is_part = number > 0});
    const struct result *r = NULL;
    for (int n = 0; n < s.in.nresults && !rc; n++)
        if (!strcmp(s.in.result[n].file, "ports.nc")) r = &s.in.result[n];
    if (!rc && !r)
        rc = sf_fail(SF_NAMELIST, __FILE__, __LINE__, "%s has no ports: give &port kind, or run it with `sferic run`",
                     args.path);
    if (!rc && to) {
        snprintf(to->name, sizeof to->name, "%s", s.config.case_name);
        to->n = r->axis[1].n;
        for (int n = 0; n < to->n; n++) to->number[n] = (int)(r->axis[1].value[n] + 0.5);
    }
    if (!rc && same) run_compare(directory, &s, c, &there, key);
    session_close(&s);
    SF_TRY(rc);
    if (same) *same = there == RUN_SAME;
    SF_CHECK(
        there != RUN_OTHER, SF_USAGE,
        "'%s' holds a run of another case, whose %s differs: choose another directory with --out, or run all ports anew with --force",
        directory, key);
    return SF_OK;
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

enum run_way { WAY_NEW, WAY_ON, WAY_DONE };

/* A run of the same case that was done stays; one that stopped goes on. */
static int way_choose(const struct ports_options *opt, const char *directory, int same, const struct comm *c, int *way)
{
    *way = WAY_NEW;
    if (c->rank == 0 && !opt->force && same) *way = rundir_was(directory, "done") ? WAY_DONE : WAY_ON;
    return comm_bcast(c, way, sizeof *way);
}

static int port_run(const struct ports_options *opt, int number, const char *directory, int way, struct comm *c)
{
    char *argv[PORTS_MOST_ARGUMENTS];
    char driven[32];
    int n = 0;
    snprintf(driven, sizeof driven, "excitation%%port=%d", number);
    argv[n++] = (char *)"run", argv[n++] = (char *)opt->args.path;
    argv[n++] = (char *)"--out", argv[n++] = (char *)directory;
    for (int m = 0; m < opt->args.nsets; m++) argv[n++] = (char *)"--set", argv[n++] = (char *)opt->args.set[m];
    argv[n++] = (char *)"--set", argv[n++] = driven;
    if (way == WAY_ON) argv[n++] = (char *)"--restart", argv[n++] = (char *)"auto";
    if (opt->force) argv[n++] = (char *)"--force";
    if (opt->quiet) argv[n++] = (char *)"--quiet";
    return command_run(c, n, argv);
}

static int port_do(const struct ports_options *opt, const struct ports_case *of, int n, struct comm *c)
{
    char directory[PORTS_PATH + 16];
    int way, same = 0;
    snprintf(directory, sizeof directory, "%s/port_%d", of->out, of->number[n]);
    int there = c->rank == 0 && !opt->force && !access(directory, F_OK);
    SF_TRY(comm_bcast(c, &there, sizeof there));
    if (there)
        SF_TRY(case_read(opt, of->number[n], c, NULL, directory, &same)); /* else there is nothing to compare with */
    SF_TRY(way_choose(opt, directory, same, c, &way));
    if (c->rank == 0 && !opt->quiet)
        printf("port %d, %d of %d%s\n", of->number[n], n + 1, of->n,
               way == WAY_DONE ? ": done before"
               : way == WAY_ON ? ": goes on"
                               : ""),
            fflush(stdout);
    return way == WAY_DONE ? SF_OK : port_run(opt, of->number[n], directory, way, c);
}

/* ---- what they say ----------------------------------------------------------------------------------------------- */

static double complex own_of(const struct scattering *x, int f, int n)
{
    return x->s[((ptrdiff_t)f * x->n + n) * x->n + n];
}

static double decibel(double complex s) { return 20 * log10(fmax(cabs(s), 1e-10)); }

static void table_print(const struct scattering *x)
{
    double unlike, most;
    int said = 0;
    for (int n = 0; n < x->n; n++) {
        int least = -1;
        for (int f = 0; f < x->nf; f++)
            if (x->said[f] && (least < 0 || cabs(own_of(x, f, n)) < cabs(own_of(x, least, n)))) least = f;
        if (least >= 0)
            printf("  port %-3.0f least reflection %7.2f dB at %.6g Hz\n", x->number[n], decibel(own_of(x, least, n)),
                   x->frequency[least]);
    }
    for (int f = 0; f < x->nf; f++) said += x->said[f];
    scattering_judge(x, &unlike, &most);
    if (x->n > 1) printf("  reciprocity: S_mn and S_nm differ by %.2g at most\n", unlike);
    printf("  power out of all ports over power into one: %.6g at most\n", most);
    if (said < x->nf)
        printf("  %d of %d frequencies are left out: beyond the excitation's band, or below a guide's cut-off\n",
               x->nf - said, x->nf);
    if (most > 1.02)
        sf_warn(
            "more power comes out of the ports than goes in, %.3g times at most: the run is too short for what still rings, or "
            "a frequency lies at the rim of the excitation's band",
            most);
}

static int all_collect(const struct ports_case *of)
{
    struct scattering x;
    char source[128];
    char directory[PORTS_PATH + 16];
    snprintf(source, sizeof source, "%s", version_source());
    int rc = scattering_begin(&x, of->n);
    for (int n = 0; n < of->n && !rc; n++) {
        snprintf(directory, sizeof directory, "%s/port_%d", of->out, of->number[n]);
        rc = scattering_read(&x, n, directory);
    }
    if (!rc) {
        scattering_solve(&x);
        int said = 0;
        for (int f = 0; f < x.nf; f++) said += x.said[f];
        if (!said)
            rc = sf_fail(
                SF_NAMELIST, __FILE__, __LINE__,
                "none of the %d frequencies of &spectrum lies in the excitation's band and above the cut-off of all guides: there is nothing to write",
                x.nf);
    }
    if (!rc) {
        rc = scattering_write(&x, of->out, of->name, source);
    }
    if (!rc) {
        table_print(&x);
        printf("  files in %s: sparameters.nc, %s.s%dp\n", of->out, of->name, of->n);
        fflush(stdout);
    }
    scattering_free(&x);
    return rc;
}

static int ports_all(const struct ports_options *opt, struct comm *c)
{
    struct ports_case of = {.n = 0};
    SF_TRY(case_read(opt, 0, c, &of, NULL, NULL));
    const int n =
        opt->out ? snprintf(of.out, sizeof of.out, "%s", opt->out) : snprintf(of.out, sizeof of.out, "out/%s", of.name);
    SF_CHECK(n >= 0 && (size_t)n < sizeof of.out, SF_USAGE, "the path of the output directory is too long");
    for (int m = 0; m < of.n; m++) SF_TRY(port_do(opt, &of, m, c));
    return outcome_share(c, c->rank == 0 ? all_collect(&of) : SF_OK);
}

int command_ports(struct comm *c, int argc, char **argv)
{
    static const struct usage usage = {
        .name = "ports",
        .arguments = "CASE.nml | NAME",
        .option = options,
        .noptions = (int)(sizeof options / sizeof options[0]),
        .take = option_take,
        .about =
            "Scattering parameters of all ports of a case: runs it once for each of them, with that port driven, and writes\n"
            "DIR/sparameters.nc and the Touchstone file DIR/CASE.sNp. Runs that are done stay, one that was stopped goes on."};
    struct ports_options *const opt = calloc(1, sizeof *opt);
    int rc = outcome_share(c, opt ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for options"));
    if (!rc) rc = options_read(&usage, c->rank, argc, argv, opt);
    if (!rc) rc = case_check(c, &opt->args, "ports");
    if (!rc) {
        sf_log_setup(c->rank, opt->quiet);
        rc = ports_all(opt, c);
    }
    free(opt);
    return rc;
}
