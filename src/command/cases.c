/* Cases by name, and sferic cases, which lists them. SPDX-License-Identifier: MIT */
#include "command/cases.h"

#include "command/command.h"
#include "command/probe.h"
#include "io/namelist.h"
#include "pipeline/config.h"
#include "pipeline/error.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if __has_include("version.h") /* the build's own: SF_DATADIR */
#include "version.h"
#endif

enum { NAMES_MOST = 512 };
static const char ending[] = ".nml";

/* The name of a namelist without its ending; 0: it is none. */
static int name_of(const char *file, char name[CASE_NAME])
{
    const size_t n = strlen(file), end = sizeof ending - 1;
    if (file[0] == '.' || n <= end || n - end >= CASE_NAME || strcmp(file + n - end, ending) != 0) return 0;
    snprintf(name, CASE_NAME, "%.*s", (int)(n - end), file);
    return 1;
}

/* Add the namelists of a folder, and of those in it. */
static int folder_read(const char *folder, int depth, struct case_file **list, int *n)
{
    DIR *const d = opendir(folder);
    int rc = SF_OK;
    if (!d) return SF_OK;
    for (const struct dirent *e; !rc && *n < NAMES_MOST && (e = readdir(d));) {
        struct case_file one;
        struct stat st;
        const int length = snprintf(one.path, sizeof one.path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.' || length >= CASE_PATH || stat(one.path, &st)) continue;
        if (S_ISDIR(st.st_mode) && depth > 0) rc = folder_read(one.path, depth - 1, list, n);
        if (!S_ISREG(st.st_mode) || !name_of(e->d_name, one.name)) continue;
        struct case_file *const more = realloc(*list, ((size_t)*n + 1) * sizeof **list);
        if (!more) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the list of cases");
        else *list = more, more[(*n)++] = one;
    }
    closedir(d);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct case_file *)a)->name, ((const struct case_file *)b)->name);
}

int cases_find(struct case_file **list, int *n)
{
    static const char *const beside[] = {"/../../namelists", "/../share/sferic/namelists"};
    char self[PROBE_PATH] = "", folder[PROBE_PATH + 64];
    *list = NULL, *n = 0;
    if (probe_self(self)) *strrchr(self, '/') = '\0';
    for (size_t m = 0; m < sizeof beside / sizeof beside[0] && self[0] && !*n; m++) {
        char real[CASE_PATH];
        snprintf(folder, sizeof folder, "%s%s", self, beside[m]);
        if (realpath(folder, real)) SF_TRY(folder_read(real, 1, list, n));
    }
#ifdef SF_DATADIR
    if (!*n) SF_TRY(folder_read(SF_DATADIR "/namelists", 1, list, n));
#endif
    if (*n) qsort(*list, (size_t)*n, sizeof **list, by_name);
    return SF_OK;
}

int case_file_find(const char *name, char *path)
{
    struct case_file *list;
    int n, found = 0;
    if (cases_find(&list, &n)) sf_error_clear(), n = 0;
    for (int m = 0; m < n && !found; m++) {
        found = !strcmp(list[m].name, name);
        if (found) snprintf(path, CASE_PATH, "%s", list[m].path);
    }
    free(list);
    return found;
}

void case_near(const char *name, char *near)
{
    struct case_file *list;
    const char *names[NAMES_MOST];
    int n;
    if (cases_find(&list, &n)) sf_error_clear(), n = 0;
    for (int m = 0; m < n; m++) names[m] = list[m].name;
    const char *const best = word_near(name, names, n);
    snprintf(near, CASE_NAME, "%s", best ? best : "");
    free(list);
}

/* ---- sferic cases ------------------------------------------------------------------------------------------------ */

/* Name, model and title, which &case has; what else is in the file is not looked at. Nothing, where `word` is given and
 * neither name nor title has it; *told counts. Errors: SF_NAMELIST, SF_MEMORY. */
static int case_print(const struct case_file *one, const char *word, int *told)
{
    static struct config c;
    struct schema s = {.nparts = 1, .part = {{config_table, config_table_size, &c, NULL}}};
    struct report r = {0};
    char *text = NULL;
    size_t length = 0;
    SF_TRY(namelist_load(one->path, &text, &length));
    int rc = namelist_defaults(&s);
    if (!rc) {
        namelist_parse(text, length, one->path, &s, &r); /* groups of models are unknown to it */
        sf_error_clear();
        if (!word || namelist_holds(one->name, word) || namelist_holds(c.case_title, word)) {
            const char *const slash = strrchr(c.case_model, '/');
            printf("  %-26s %-18s  %s\n", one->name, slash ? slash + 1 : c.case_model, c.case_title);
            ++*told;
        }
    }
    report_free(&r);
    namelist_free(&s);
    free(text);
    return rc;
}

static int argument_take(void *to, const struct option *o, const char *value)
{
    const char **const word = to;
    (void)o;
    SF_CHECK(!*word, SF_USAGE, "one word at a time: '%s' and '%s'", *word, value);
    *word = value;
    return SF_OK;
}

int command_cases(struct comm *c, int argc, char **argv)
{
    static const struct usage usage = {
        .name = "cases",
        .arguments = "[WORD]",
        .take = argument_take,
        .about =
            "The cases that come with the program, a line each: name, model, title; with WORD, those whose name or "
            "title\nhas it. Each runs by its name, sferic run NAME; a file NAME in the current directory goes first."};
    const char *word = NULL;
    struct case_file *list = NULL;
    int n = 0, rc, told = 0;
    SF_TRY(options_read(&usage, c->rank, argc, argv, &word));
    rc = cases_find(&list, &n);
    if (!rc && !n)
        rc = sf_fail(
            SF_INPUT, __FILE__, __LINE__,
            "no cases are found beside this program: they are in namelists/ of its sources; make install puts them in place");
    for (int m = 0; m < n && !rc; m++) rc = case_print(&list[m], word, &told);
    if (!rc && !told)
        rc = sf_fail(SF_USAGE, __FILE__, __LINE__, "no case has '%s' in its name or title; `sferic cases` lists all",
                     word);
    if (!rc)
        printf(
            "\n'sferic check NAME' tells what one is and costs, 'sferic run NAME' runs it; a case of your own begins as a copy "
            "of its file:\n  cp %s mine.nml\n",
            list[0].path);
    free(list);
    return rc;
}
