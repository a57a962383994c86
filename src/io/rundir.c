/* Directory, lock, stale files, status. SPDX-License-Identifier: MIT */
#include "io/rundir.h"

#include "io/commit.h"
#include "io/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct rundir {
    char *path;
    unsigned char *made; /* [n]: the first n letters of `path` name a directory that was made for this run */
    int lock; /* file descriptor, held until the end */
    int is_new_lock; /* 1: its file was not there */
};

/* What a run leaves that another must not mix with. */
static const char *const result[] = {"history_*.nc", "series.nc", "profiles.nc", "probes.nc", "*.journal",
                                     "flux.nc",      "dft_*.nc",  "far_*.nc",    "ports.nc",  "restart*"};
static const char *const stale[] = {"*.tmp.[0-9]*"};

#define BUSY_TEXT "another run is writing into '%s': wait for it to end, or choose another directory with --out"
#define NAMELESS_TEXT "the name of the output directory is empty"

/* path/name, to be freed; NULL without memory. */
static char *path_join(const char *path, const char *name)
{
    const size_t size = strlen(path) + strlen(name) + 2;
    char *joined = malloc(size);
    if (joined) snprintf(joined, size, "%s/%s", path, name);
    return joined;
}

/* made (may be NULL): [n] is set where the first n letters of `path` are a directory that was not there. */
static int make_directories(const char *path, unsigned char *made)
{
    char *part = strdup(path);
    SF_CHECK(part, SF_MEMORY, "no memory for the name of a directory");
    int rc = 0;
    for (char *p = part + 1; !rc && *part; p++) {
        if (*p && *p != '/') continue;
        const char end = *p;
        *p = '\0';
        const int failed = mkdir(part, 0777);
        rc = failed && errno != EEXIST ? errno : 0;
        if (!failed && made) made[p - part] = 1;
        *p = end;
        if (!end) break;
    }
    free(part);
    struct stat st;
    if (!rc && stat(path, &st)) rc = errno;
    if (!rc && !S_ISDIR(st.st_mode)) rc = ENOTDIR;
    SF_CHECK(!rc, SF_IO, "cannot make the directory '%s': %s", path, strerror(rc));
    return SF_OK;
}

/* A file system without locks is not a reason to refuse to run. */
static int lock_take(struct rundir *d)
{
    char *name = path_join(d->path, ".lock");
    SF_CHECK(name, SF_MEMORY, "no memory for the name of the lock");
    struct stat held, there;
    d->is_new_lock = access(name, F_OK) != 0;
    d->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const int why = d->lock < 0 ? errno : 0;
    const int failed = !why && flock(d->lock, LOCK_EX | LOCK_NB) ? errno : 0;
    /* A run that found nothing to do may just have removed it. */
    const int gone = !why && !fstat(d->lock, &held) && (stat(name, &there) || held.st_ino != there.st_ino);
    free(name);
    SF_CHECK(!why, SF_IO, "cannot write in the directory '%s': %s", d->path, strerror(why));
    if (gone || failed == EWOULDBLOCK) {
        close(d->lock);
        d->lock = -1;
        SF_FAIL(SF_USAGE, BUSY_TEXT, d->path);
    }
    if (!failed) return SF_OK;
    sf_warn("'%s' cannot be locked (%s): see to it that no other run writes there", d->path, strerror(failed));
    return SF_OK;
}

static int matches(const char *name, const char *const *pattern, size_t n)
{
    for (size_t m = 0; m < n; m++)
        if (!fnmatch(pattern[m], name, 0)) return 1;
    return 0;
}

/* Count the files that match, remember one of them, and remove them when asked to. */
static int files_scan(const struct rundir *d, const char *const *pattern, size_t patterns, int remove, int *count,
                      char example[256])
{
    DIR *dir = opendir(d->path);
    SF_CHECK(dir, SF_IO, "cannot read the directory '%s': %s", d->path, strerror(errno));
    int why = 0;
    for (const struct dirent *e; (e = readdir(dir)) && !why;) {
        if (!matches(e->d_name, pattern, patterns)) continue;
        if (!remove && pattern == result && matches(e->d_name, stale, 1)) continue;
        snprintf(example, 256, "%s", e->d_name);
        ++*count;
        if (remove && unlinkat(dirfd(dir), e->d_name, 0)) why = errno;
    }
    closedir(dir);
    SF_CHECK(!why, SF_IO, "cannot remove '%s' in '%s': %s", example, d->path, strerror(why));
    return SF_OK;
}

static int results_refuse(const struct rundir *d)
{
    static const char *const checkpoint[] = {"restart_*.nc"};
    int found = 0, saved = 0;
    char example[256] = "", other[256];
    SF_TRY(files_scan(d, result, sizeof result / sizeof result[0], 0, &found, example));
    SF_TRY(files_scan(d, checkpoint, 1, 0, &saved, other));
    SF_CHECK(
        !found, SF_USAGE,
        "'%s' holds results of an earlier run (%s%s): choose another directory with --out, or replace them with --force%s",
        d->path, example, found > 1 ? " and more" : "",
        saved ? "; --restart auto goes on from them" : "; there is no checkpoint to go on from");
    return SF_OK;
}

static int rundir_prepare(struct rundir *d, int force, int restart)
{
    int swept = 0;
    char example[256] = "";
    SF_TRY(make_directories(d->path, d->made));
    SF_TRY(lock_take(d));
    if (!restart && !force) SF_TRY(results_refuse(d));
    return files_scan(d, stale, sizeof stale / sizeof stale[0], 1, &swept, example);
}

/* ---- looking only ------------------------------------------------------------------------------------------------ */

/* `path` or the nearest directory above it that exists, and may be written in; *exists: it is `path`. */
static int place_examine(const char *path, int *exists)
{
    char *at = strdup(path);
    SF_CHECK(at, SF_MEMORY, "no memory for the name of a directory");
    struct stat st;
    int why = 0;
    *exists = 1;
    while (stat(at, &st) && !why) {
        if (errno != ENOENT) why = errno;
        char *slash = strrchr(at, '/');
        *exists = 0;
        if (slash == at) at[1] = '\0';
        else if (slash) *slash = '\0';
        else snprintf(at, strlen(path) + 1, ".");
    }
    if (!why && !S_ISDIR(st.st_mode)) why = ENOTDIR;
    if (!why && faccessat(AT_FDCWD, at, R_OK | W_OK | X_OK, AT_EACCESS)) why = errno;
    free(at);
    SF_CHECK(!why, SF_IO, *exists ? "cannot write in the directory '%s': %s" : "cannot make the directory '%s': %s",
             path, strerror(why));
    return SF_OK;
}

/* A shared lock is had only where no run holds its own. */
static int lock_examine(const struct rundir *d)
{
    char *name = path_join(d->path, ".lock");
    SF_CHECK(name, SF_MEMORY, "no memory for the name of the lock");
    const int lock = open(name, O_RDONLY | O_CLOEXEC);
    const int held = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    free(name);
    if (lock >= 0) close(lock);
    SF_CHECK(!held, SF_USAGE, BUSY_TEXT, d->path);
    return SF_OK;
}

int rundir_examine(const char *path, int force)
{
    int exists = 0;
    SF_CHECK(path[0], SF_USAGE, NAMELESS_TEXT);
    SF_TRY(place_examine(path, &exists));
    if (!exists) return SF_OK;
    struct rundir d = {.path = strdup(path), .lock = -1};
    int rc =
        d.path ? lock_examine(&d) : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the name of a directory");
    if (!rc && !force) rc = results_refuse(&d);
    free(d.path);
    return rc;
}

/* ---- a run's own ------------------------------------------------------------------------------------------------- */

int rundir_clear(struct rundir *d)
{
    int found = 0;
    char example[256] = "";
    return files_scan(d, result, sizeof result / sizeof result[0], 1, &found, example);
}

int rundir_was(const char *path, const char *state)
{
    char *name = path_join(path, "status.json"), text[256] = "", wanted[64];
    FILE *from = name ? fopen(name, "r") : NULL;
    if (from) {
        text[fread(text, 1, sizeof text - 1, from)] = '\0';
        fclose(from);
    }
    free(name);
    snprintf(wanted, sizeof wanted, "\"state\": \"%s\"", state);
    return strstr(text, wanted) != NULL;
}

int rundir_begin(struct rundir **out, const char *path, int force, int restart)
{
    *out = NULL;
    SF_CHECK(path[0], SF_USAGE, NAMELESS_TEXT);
    struct rundir *d = calloc(1, sizeof *d);
    SF_CHECK(d, SF_MEMORY, "no memory for the output directory");
    d->lock = -1;
    d->path = strdup(path);
    d->made = calloc(strlen(path) + 1, 1);
    const int rc = d->path && d->made ? rundir_prepare(d, force, restart)
                                      : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the name of a directory");
    if (rc) rundir_end(&d);
    *out = d;
    return rc;
}

/* Is there nothing but the lock? */
static int is_unused(const char *path)
{
    DIR *dir = opendir(path);
    int others = !dir;
    for (const struct dirent *e; dir && (e = readdir(dir));)
        others += strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, ".lock");
    if (dir) closedir(dir);
    return !others;
}

/* Where it was not there before, while it is held. */
static void lock_unmake(const struct rundir *d)
{
    char *name = d->lock >= 0 && d->is_new_lock ? path_join(d->path, ".lock") : NULL;
    if (name) unlink(name);
    free(name);
}

/* The lock and the directories that were made for a run which then left nothing in them. */
static void directories_unmake(struct rundir *d)
{
    if (!d->path || !d->made) return;
    if (is_unused(d->path)) lock_unmake(d);
    for (size_t n = strlen(d->path); n > 0; n--) {
        d->path[n] = '\0';
        if (d->made[n]) rmdir(d->path); /* where it is not empty it stays */
    }
}

void rundir_end(struct rundir **at)
{
    struct rundir *d = *at;
    if (!d) return;
    directories_unmake(d);
    if (d->lock >= 0) close(d->lock);
    free(d->made);
    free(d->path);
    free(d);
    *at = NULL;
}

static int text_write(const struct rundir *d, const char *name, const char *text)
{
    char *path = path_join(d->path, name);
    SF_CHECK(path, SF_MEMORY, "no memory for the name of '%s'", name);
    const int rc = commit_text(path, text, strlen(text));
    free(path);
    return rc;
}

int rundir_namelist(struct rundir *d, const char *text) { return text_write(d, "namelist.nml", text); }

int rundir_keep(struct rundir *d, const char *from, const char *name)
{
    char *const to = path_join(d->path, name);
    SF_CHECK(to, SF_MEMORY, "no memory for the name of '%s'", name);
    char *const slash = strrchr(to, '/');
    *slash = '\0';
    int rc = make_directories(to, NULL);
    *slash = '/';
    if (!rc) rc = commit_copy(to, from);
    free(to);
    return rc;
}

/* Length of the UTF-8 character at s, 0 when it is none. */
static int utf8_length(const unsigned char *s)
{
    const int n = s[0] < 0x80                   ? 1
                  : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                  : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                  : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                : 0;
    for (int m = 1; m < n; m++)
        if ((s[m] & 0xc0) != 0x80) return 0;
    if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))) return 0;
    if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))) return 0;
    return n;
}

/* `text` as a JSON string, quotes included; bytes that are not UTF-8 become U+FFFD. */
static void json_string(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int n = utf8_length(s);
        if (n == 0) fputs("\\ufffd", to);
        else if (*s == '"' || *s == '\\') fprintf(to, "\\%c", *s);
        else if (*s == '\n') fputs("\\n", to);
        else if (*s < 0x20 || *s == 0x7f) fprintf(to, "\\u%04x", *s);
        else fwrite(s, 1, (size_t)n, to);
        s += n ? n : 1;
    }
    fputc('"', to);
}

int rundir_tell(const char *path, const char *state, int exit_code, const char *message)
{
    struct stat st;
    if (stat(path, &st) || !S_ISDIR(st.st_mode)) return SF_OK;
    struct rundir d = {.path = strdup(path), .lock = -1};
    int rc = d.path ? lock_take(&d) : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for the name of a directory");
    if (!rc) rc = rundir_status(&d, state, exit_code, 0, -1, message);
    lock_unmake(&d);
    if (d.lock >= 0) close(d.lock);
    free(d.path);
    return rc;
}

/* How far the status that stands there says that a run came. */
static void progress_read(const char *path, double *time, long *step)
{
    char line[256];
    char *const name = path_join(path, "status.json");
    FILE *const from = name ? fopen(name, "r") : NULL;
    *time = NAN, *step = 0;
    while (from && fgets(line, sizeof line, from)) {
        (void)!sscanf(line, " \"time\": %lf", time);
        (void)!sscanf(line, " \"step\": %ld", step);
    }
    if (from) fclose(from);
    free(name);
}

int rundir_status(struct rundir *d, const char *state, int exit_code, double time, long step, const char *message)
{
    if (step < 0) progress_read(d->path, &time, &step);
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    SF_CHECK(to, SF_MEMORY, "no memory for status.json");
    fputs("{\n  \"state\": ", to);
    json_string(to, state);
    fprintf(to, ",\n  \"exit_code\": %d,\n  \"time\": ", exit_code);
    if (isfinite(time)) fprintf(to, "%.17g", time);
    else fputs("null", to);
    fprintf(to, ",\n  \"step\": %ld,\n  \"message\": ", step);
    json_string(to, message ? message : "");
    fputs("\n}\n", to);
    const int bad = fclose(to);
    const int rc = bad || !text ? sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for status.json")
                                : text_write(d, "status.json", text);
    free(text);
    return rc;
}
