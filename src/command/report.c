/* sferic report: what somebody who is to find a fault wants to know of a run, in one file, and nothing of who made it
 * and where it lay. Texts go in whole, of fields the heads alone. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* realpath */
#include "command/report.h"

#include "command/command.h"
#include "command/probe.h"
#include "io/header.h"
#include "pipeline/error.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 4096, LOGS = 8 };

static const size_t said_most = 1 << 20, log_most = 1 << 20; /* bytes */
static const double check_patience = 120, doctor_patience = 20; /* s */

static const struct option options[] = {
    {"--output", "-o", "FILE", "the bundle (sferic-report-<case>.tar.gz)"},
    {"--log", NULL, "FILE", "put in what a run printed, too; may be given several times"},
    {"--no-check", NULL, NULL, "leave out what `sferic check` says now, which takes a few steps of the run"},
    {"--force", NULL, NULL, "replace a bundle that is there"},
};

struct report_options {
    const char *out, *output, *log[LOGS];
    int nlogs, no_check, force;
};

static int option_take(void *to, const struct option *o, const char *value)
{
    struct report_options *opt = to;
    if (!o) {
        SF_CHECK(!opt->out, SF_USAGE, "one output directory at a time: '%s' and '%s'", opt->out, value);
        opt->out = value;
        return SF_OK;
    }
    if (!strcmp(o->name, "--output")) opt->output = value;
    else if (!strcmp(o->name, "--no-check")) opt->no_check = 1;
    else if (!strcmp(o->name, "--force")) opt->force = 1;
    else {
        SF_CHECK(opt->nlogs < LOGS, SF_USAGE, "more than %d options --log", LOGS);
        opt->log[opt->nlogs++] = value;
    }
    return SF_OK;
}

/* ---- what is private --------------------------------------------------------------------------------------------- */

/* Directories that the namelist names by paths from the root: they may have blanks where nobody quotes them. */
static int folders_add(struct scrub *s, const char *text)
{
    for (const char *at = text; (at = strpbrk(at, "'\"")) != NULL;) {
        const char quote = *at++;
        const char *const end = strchr(at, quote);
        if (!end) break;
        char path[PATH];
        if (*at != '/' || end - at >= PATH) {
            if (*at != '/') continue; /* an apostrophe in a comment opens nothing */
            break;
        }
        snprintf(path, sizeof path, "%.*s", (int)(end - at), at);
        char *const slash = strrchr(path, '/');
        *slash = '\0';
        if (strchr(path, ' ')) SF_TRY(scrub_add(s, SCRUB_PLACE, path, "PATH"));
        at = end + 1;
    }
    return SF_OK;
}

/* Files of a run have the name of its machine as `institution`. */
static int host_add(struct scrub *s, const char *out)
{
    char path[PATH], host[256];
    DIR *const all = opendir(out);
    int rc = SF_OK;
    for (const struct dirent *e; all && !rc && (e = readdir(all));) {
        if (fnmatch("*.nc", e->d_name, 0)) continue;
        snprintf(path, sizeof path, "%.3000s/%s", out, e->d_name);
        header_attribute(path, "institution", host, sizeof host);
        if (!strchr(host, ' ')) rc = scrub_add_host(s, host);
    }
    if (all) closedir(all);
    return rc;
}

static int private_find(struct report *r, const char *namelist, uid_t owner)
{
    char here[PATH];
    char *const real = realpath(r->out, NULL);
    int rc = real ? scrub_add(&r->scrub, SCRUB_OPEN, real, "OUT") : SF_OK;
    free(real);
    SF_TRY(rc);
    SF_TRY(scrub_add(&r->scrub, SCRUB_OPEN, r->out, "OUT"));
    SF_TRY(scrub_add_here(&r->scrub));
    SF_TRY(scrub_add_person(&r->scrub, owner));
    if (getcwd(here, sizeof here)) SF_TRY(scrub_add(&r->scrub, SCRUB_PLACE, here, "CWD"));
    if (namelist) SF_TRY(folders_add(&r->scrub, namelist));
    return host_add(&r->scrub, r->out);
}

int report_text(struct report *r, const char *name, const char *text, size_t size)
{
    char *clean = NULL, *clean_name = NULL;
    size_t clean_size, name_size;
    int rc = scrub_text(&r->scrub, text, size, &clean, &clean_size);
    if (!rc) rc = scrub_text(&r->scrub, name, strlen(name), &clean_name, &name_size);
    if (!rc) rc = bundle_add(&r->bundle, clean_name, clean, clean_size);
    free(clean);
    free(clean_name);
    return rc;
}

/* ---- what goes in ------------------------------------------------------------------------------------------------ */

/* What this program says to these arguments. */
static int said_add(struct report *r, const char *name, const char *const *argument, double seconds)
{
    char self[PROBE_PATH], *argv[8] = {self};
    if (!probe_self(self)) return SF_OK;
    for (int n = 0; argument[n]; n++) argv[n + 1] = (char *)argument[n];
    char *const said = malloc(said_most + 64);
    SF_CHECK(said, SF_MEMORY, "no memory for what sferic %s says", argument[0]);
    const int code = probe_ask(argv, seconds, 1, said, said_most);
    const size_t n = strlen(said);
    if (code < 0) snprintf(said + n, 64, "\n[ended after %.0f s]\n", seconds);
    else snprintf(said + n, 64, "\n[exit code %d]\n", code);
    const int rc = report_text(r, name, said, strlen(said));
    free(said);
    return rc;
}

static int log_add(struct report *r, const char *path)
{
    char name[PATH];
    size_t size;
    const char *const slash = strrchr(path, '/');
    char *const text = report_load(path, log_most, &size);
    SF_CHECK(text, SF_INPUT, "cannot read the log '%s': name a file that this user may read, or leave --log out", path);
    snprintf(name, sizeof name, "log/%.4000s", slash ? slash + 1 : path);
    const int rc = report_text(r, name, text, size);
    free(text);
    return rc;
}

static int readme_add(struct report *r)
{
    static const char text[] =
        "A report of sferic report.\n\n"
        "version.txt   what sferic --version says\n"
        "doctor.txt    what the machine has and lacks, where the report was made\n"
        "check.txt     what sferic check says of out/namelist.nml there\n"
        "files.txt     all files of the output directory: bytes, time, checksum of input\n"
        "headers.txt   dimensions, variables and attributes of its netCDF files\n"
        "series.txt    the last entries of series.nc\n"
        "out/          its texts: namelist, status, logs, input\n"
        "log/          what was named by --log\n\n"
        "Stand-ins: ~ a home, ... what lies between, OUT the output directory, CWD the directory the report was made in, PATH/ other\n"
        "directories, USER a user, HOST a machine, ADDRESS a network address. They may stand in words that are none of\n"
        "these, such as a key of the namelist that is a user's name.\n";
    return bundle_add(&r->bundle, "README.txt", text, sizeof text - 1);
}

static int all_add(struct report *r, const struct report_options *o)
{
    char namelist[PATH];
    struct stat st;
    const char *const version[] = {"--version", NULL}, *const doctor[] = {"doctor", "--out", r->out, NULL},
                      *const check[] = {"check", namelist, "--out", r->out, "--force", NULL};
    snprintf(namelist, sizeof namelist, "%.4000s/namelist.nml", r->out);
    SF_TRY(readme_add(r));
    SF_TRY(said_add(r, "version.txt", version, doctor_patience));
    SF_TRY(said_add(r, "doctor.txt", doctor, doctor_patience));
    if (!o->no_check && !stat(namelist, &st)) SF_TRY(said_add(r, "check.txt", check, check_patience));
    SF_TRY(report_files(r));
    for (int n = 0; n < o->nlogs; n++) SF_TRY(log_add(r, o->log[n]));
    return SF_OK;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The case's name, as the namelist of a run has it: the first key of &case. */
static void case_find(const char *namelist, const char *out, char name[64])
{
    const char *at = namelist ? strstr(namelist, "name = '") : NULL;
    char *const real = realpath(out, NULL);
    name[0] = '\0';
    if (at) snprintf(name, 64, "%.*s", (int)strcspn(at + 8, "'"), at + 8);
    else if (real) snprintf(name, 64, "%s", strrchr(real, '/') + 1);
    free(real);
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c)) *c = '_';
    if (!name[0] || name[0] == '.') snprintf(name, 64, "run");
}

static int top_make(struct report *r, const char *namelist)
{
    char name[64], *clean = NULL;
    size_t size;
    case_find(namelist, r->out, name);
    SF_TRY(scrub_text(&r->scrub, name, strlen(name), &clean, &size));
    snprintf(r->top, sizeof r->top, "sferic-report-%.80s", clean);
    free(clean);
    return SF_OK;
}

static int places_check(const struct report_options *o, struct stat *st)
{
    char path[PATH];
    struct stat there;
    SF_CHECK(o->out, SF_USAGE, "which output directory? `sferic report OUT`");
    SF_CHECK(!stat(o->out, st), SF_USAGE, "there is no directory '%s': %s", o->out, strerror(errno));
    SF_CHECK(S_ISDIR(st->st_mode), SF_USAGE, "'%s' is no directory: name the output directory of a run", o->out);
    snprintf(path, sizeof path, "%.4000s/status.json", o->out);
    int is_run = !stat(path, &there);
    snprintf(path, sizeof path, "%.4000s/namelist.nml", o->out);
    is_run |= !stat(path, &there);
    SF_CHECK(is_run, SF_USAGE,
             "'%s' is no output directory of a run: there is neither status.json nor namelist.nml in it", o->out);
    return SF_OK;
}

static int report_make(struct report *r, const struct report_options *o)
{
    char path[PATH];
    struct stat st, there;
    size_t size, bytes = 0;
    SF_TRY(places_check(o, &st));
    snprintf(path, sizeof path, "%.4000s/namelist.nml", r->out);
    char *const namelist = report_load(path, log_most, &size);
    int rc = private_find(r, namelist, st.st_uid);
    if (!rc) rc = top_make(r, namelist);
    free(namelist);
    SF_TRY(rc);
    if (o->output) snprintf(path, sizeof path, "%s", o->output);
    else snprintf(path, sizeof path, "%s.tar.gz", r->top);
    SF_CHECK(o->force || stat(path, &there), SF_USAGE,
             "'%s' is there: replace it with --force, or name another with --output", path);
    SF_TRY(bundle_begin(&r->bundle, r->top));
    SF_TRY(all_add(r, o));
    SF_TRY(bundle_write(&r->bundle, path, &bytes));
    printf("not in it, but told of:%s\n", r->nleft ? "" : " nothing");
    for (int n = 0; n < r->nleft; n++) printf("  %s\n", r->left[n]);
    printf("%s: %d texts, %zu bytes; look through it before it goes out: tar tzf, tar xzf\n", path, r->bundle.files,
           bytes);
    return SF_OK;
}

int command_report(struct comm *c, int argc, char **argv)
{
    static const struct usage usage = {
        .name = "report",
        .arguments = "OUT",
        .about =
            "Puts together, for a bug report, what the output directory of a run tells of it: namelist, status, logs and input\n"
            "that are texts, heads of its netCDF files, the last of its series; and what sferic --version, doctor and check say\n"
            "here. Homes, paths, names of users and machines are replaced. Fields and checkpoints stay where they are.\n\n"
            "Exit codes: 0 good, 2 no output directory, or a bundle is in the way; 4 a log cannot be read; 6 the bundle\n"
            "cannot be written",
        .option = options,
        .noptions = sizeof options / sizeof options[0],
        .take = option_take};
    struct report_options o = {0};
    static struct report r;
    SF_TRY(options_read(&usage, c->rank, argc, argv, &o));
    r = (struct report){.out = o.out};
    const int rc = report_make(&r, &o);
    bundle_free(&r.bundle);
    scrub_free(&r.scrub);
    for (int n = 0; n < r.nleft; n++) free(r.left[n]);
    free(r.left);
    return rc;
}
