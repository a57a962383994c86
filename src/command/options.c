/* Options, help, and the nearest word. SPDX-License-Identifier: MIT */
#include "command/command.h"

#include "pipeline/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORD = 32, OPTIONS_MOST = 32, BEGUN_LEAST = 3 };

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b. */
static int distance(const char *a, const char *b)
{
    const int na = (int)strlen(a), nb = (int)strlen(b);
    int row[3][WORD + 1];
    if (na > WORD || nb > WORD) return WORD;
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3];
        const int *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int d = SF_MIN(last[j - 1] + (a[i - 1] != b[j - 1]), SF_MIN(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d = SF_MIN(d, before[j - 2] + 1);
            now[j] = d;
        }
    }
    return row[na % 3][nb];
}

const char *word_near(const char *word, const char *const *words, int n)
{
    const char *best = NULL;
    const size_t begun = strlen(word);
    int least = (int)begun / 3 + 2; /* farther is no slip of the hand */
    for (int m = 0; m < n && begun >= BEGUN_LEAST; m++)
        if (!strncmp(words[m], word, begun)) return words[m];
    for (int m = 0; m < n; m++) {
        const int d = distance(word, words[m]);
        if (d < least && d < (int)strlen(words[m])) best = words[m], least = d;
    }
    return best;
}

static void help_print(const struct usage *u)
{
    printf("Usage: sferic %s%s%s%s\n\n%s\n", u->name, u->arguments[0] ? " " : "", u->arguments,
           u->noptions ? " [OPTION]..." : "", u->about);
    if (u->noptions) printf("\nOptions:\n");
    for (int n = 0; n < u->noptions; n++) {
        const struct option *o = &u->option[n];
        char left[WORD * 2];
        snprintf(left, sizeof left, "%s%s%s%s%s", o->letter ? o->letter : "    ", o->letter ? ", " : "", o->name,
                 o->value ? " " : "", o->value ? o->value : "");
        printf("  %-26s %s\n", left, o->meaning);
    }
    printf("  %-26s %s\n", "-h, --help", "this text");
}

static const struct option *option_find(const struct usage *u, const char *arg, size_t length)
{
    for (int n = 0; n < u->noptions; n++) {
        const struct option *o = &u->option[n];
        if (!strncmp(o->name, arg, length) && !o->name[length]) return o;
        if (o->letter && !strncmp(o->letter, arg, length) && !o->letter[length]) return o;
    }
    return NULL;
}

static int option_unknown(const struct usage *u, const char *arg, size_t length)
{
    const char *names[OPTIONS_MOST] = {"--help"};
    char word[WORD + 1] = "";
    for (int n = 0; n < u->noptions; n++) names[n + 1] = u->option[n].name;
    snprintf(word, sizeof word, "%.*s", (int)SF_MIN(length, (size_t)WORD), arg);
    const char *near = word_near(word, names, u->noptions + 1);
    SF_FAIL(SF_USAGE, "sferic %s has no option '%s'; %s%s%s`sferic %s --help` lists them", u->name, word,
            near ? "did you mean '" : "", near ? near : "", near ? "'? " : "", u->name);
}

int options_read(const struct usage *u, int rank, int argc, char **argv, void *to)
{
    int only_arguments = 0;
    for (int n = 1; n < argc; n++) {
        const char *arg = argv[n];
        if (only_arguments || arg[0] != '-' || !arg[1]) {
            SF_TRY(u->take(to, NULL, arg));
            continue;
        }
        if (!strcmp(arg, "--")) {
            only_arguments = 1;
            continue;
        }
        if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
            if (rank == 0) help_print(u);
            return OPTIONS_HELPED;
        }
        const size_t length = arg[1] == '-' ? strcspn(arg, "=") : strlen(arg);
        const struct option *o = option_find(u, arg, length);
        if (!o) return option_unknown(u, arg, length);
        const char *value = arg[length] == '=' ? arg + length + 1 : NULL;
        SF_CHECK(o->value || !value, SF_USAGE, "option %s takes no value", o->name);
        if (o->value && !value) {
            SF_CHECK(n + 1 < argc, SF_USAGE, "option %s needs a value: %s %s", o->name, o->name, o->value);
            value = argv[++n];
        }
        SF_TRY(u->take(to, o, value));
    }
    return SF_OK;
}

int case_take(struct case_arguments *a, const struct option *o, const char *value, int *taken)
{
    *taken = 1;
    if (!o) {
        SF_CHECK(!a->path, SF_USAGE, "one namelist at a time: '%s' and '%s'", a->path, value);
        a->path = value;
        return SF_OK;
    }
    const int is_set = !strcmp(o->name, "--set"), is_backend = !strcmp(o->name, "--backend");
    *taken = is_set || is_backend;
    if (!*taken) return SF_OK;
    SF_CHECK(a->nsets < CASE_SETS, SF_USAGE, "more than %d options --set", CASE_SETS);
    if (is_backend) {
        SF_CHECK(!strcmp(value, "auto") || !strcmp(value, "cpu") || !strcmp(value, "cuda"), SF_USAGE,
                 "--backend %s: choose auto, cpu or cuda", value);
        snprintf(a->backend, sizeof a->backend, "pipeline%%backend='%s'", value);
        value = a->backend;
    }
    a->set[a->nsets++] = value;
    return SF_OK;
}

/* A directory is no namelist; that of a run has one. */
static int directory_refuse(const char *directory)
{
    char own[CASE_PATH];
    snprintf(own, sizeof own, "%s/namelist.nml", directory);
    const int is_run = !access(own, F_OK);
    SF_FAIL(SF_NAMELIST, "'%s' is a directory: give a namelist%s%s%s", directory,
            is_run ? "; that of its run is '" : "", is_run ? own : "", is_run ? "'" : "");
}

/* A file that is not there, by a path: the case of its name, or the nearest, may be what is meant. */
static int file_refuse(const char *path)
{
    const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
    const char *const end = strrchr(name, '.');
    char stem[CASE_NAME], near[CASE_NAME];
    if (!end || strcmp(end, ".nml") != 0 || end - name >= CASE_NAME) return SF_OK; /* whoever opens it says why not */
    snprintf(stem, sizeof stem, "%.*s", (int)(end - name), name);
    case_near(stem, near);
    SF_CHECK(!near[0], SF_NAMELIST,
             "cannot read the namelist '%s': there is no such file; did you mean the case '%s', which comes with the "
             "program and goes by its name?",
             path, near);
    return SF_OK;
}

/* On the first rank, which alone reads it. What has the name of a case is that case, unless a file has it. */
static int case_resolve(struct case_arguments *a)
{
    struct stat at;
    char near[CASE_NAME];
    const int is_there = !stat(a->path, &at), is_missing = !is_there && errno == ENOENT;
    const int is_directory = is_there && S_ISDIR(at.st_mode), is_name = !strchr(a->path, '/') && !strchr(a->path, '.');
    if (is_there && !is_directory) return SF_OK;
    if (is_name && case_file_find(a->path, a->found)) {
        a->path = a->found;
        return SF_OK;
    }
    if (is_directory) return directory_refuse(a->path);
    if (!is_name) return is_missing ? file_refuse(a->path) : SF_OK;
    case_near(a->path, near);
    SF_FAIL(SF_NAMELIST,
            "there is no file '%s' here, and no case of that name; %s%s%s`sferic cases` lists those there are", a->path,
            near[0] ? "did you mean '" : "", near, near[0] ? "'? " : "");
}

int case_check(const struct comm *c, struct case_arguments *a, const char *command)
{
    SF_CHECK(
        a->path, SF_USAGE,
        "which case? `sferic %s CASE.nml`, or the name of one that comes with the program: `sferic cases` lists them",
        command);
    return outcome_share(c, c->rank == 0 ? case_resolve(a) : SF_OK);
}
