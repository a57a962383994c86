/* A line is a key, a tab, and numbers. The file is written anew beside itself and moved: readers see the old one or the
 * new one. SPDX-License-Identifier: MIT */
#include "command/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 4096, LINE = 4096 };

/* Where the file is; with `make`, its directory is there too. 0: nowhere. */
static int path_find(char path[PATH], int make)
{
    const char *const cache = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    const char *parts[4];
    int nparts = 0, n = 0;
    if (cache && cache[0] == '/') parts[nparts++] = cache;
    else if (home && home[0] == '/') parts[nparts++] = home, parts[nparts++] = "/.cache";
    else return 0;
    parts[nparts++] = "/sferic", parts[nparts++] = "/measured";
    path[0] = '\0';
    for (int p = 0; p < nparts; p++) {
        if (p && make && mkdir(path, 0777) && errno != EEXIST) return 0;
        n += snprintf(path + n, (size_t)(PATH - n), "%s", parts[p]);
        if (n >= PATH) return 0;
    }
    return 1;
}

int cache_path(char *path, size_t size)
{
    char whole[PATH];
    return path_find(whole, 0) && snprintf(path, size, "%s", whole) < (int)size;
}

static int line_is(const char *line, const char *key)
{
    const size_t n = strlen(key);
    return !strncmp(line, key, n) && line[n] == '\t';
}

static int numbers_read(const char *text, double *value, int n)
{
    for (int m = 0; m < n; m++) {
        char *end;
        value[m] = strtod(text, &end);
        if (end == text) return 0;
        text = end;
    }
    return text[strspn(text, " \n")] == '\0';
}

int cache_get(const char *key, double *value, int n)
{
    char path[PATH], line[LINE];
    int found = 0;
    FILE *f = path_find(path, 0) ? fopen(path, "r") : NULL;
    while (f && !found && fgets(line, sizeof line, f))
        found = line_is(line, key) && numbers_read(line + strlen(key) + 1, value, n);
    if (f) fclose(f);
    return found;
}

/* All other lines, then that of the key. */
static void lines_write(FILE *to, FILE *from, const char *key, const double *value, int n)
{
    char line[LINE];
    while (from && fgets(line, sizeof line, from)) {
        if (line_is(line, key)) continue;
        fputs(line, to);
        if (!strchr(line, '\n')) fputc('\n', to);
    }
    fprintf(to, "%s\t", key);
    for (int m = 0; m < n; m++) fprintf(to, " %.15g", value[m]);
    fputc('\n', to);
}

void cache_put(const char *key, const double *value, int n)
{
    char path[PATH], new[PATH + 32];
    if (!path_find(path, 1)) return;
    snprintf(new, sizeof new, "%s.%ld", path, (long)getpid());
    unlink(new);
    FILE *to = fopen(new, "wxe");
    if (!to) return;
    FILE *from = fopen(path, "r");
    lines_write(to, from, key, value, n);
    if (from) fclose(from);
    const int bad = ferror(to), unclosed = fclose(to);
    if (bad || unclosed || rename(new, path)) unlink(new);
}
