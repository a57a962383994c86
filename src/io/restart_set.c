/* What is kept in a directory of checkpoints, and which of them is good. SPDX-License-Identifier: MIT */
#include "io/restart_set.h"

#include "io/commit.h"
#include "pipeline/error.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NAME = 64, TEXT = 4096, BLOCK = 1 << 16 };

static const char manifest_name[] = "restart.json";

/* One checkpoint: of the manifest (with its digest), or found in the directory (digest 0, not known). */
struct entry {
    long step;
    char name[NAME];
    restart_digest digest;
    int from_manifest;
};

static void entry_name(long step, char name[NAME]) { snprintf(name, NAME, "restart_%010ld.nc", step); }

static int path_join(const char *dir, const char *name, char path[RESTART_PATH])
{
    const int n = snprintf(path, RESTART_PATH, "%s/%s", dir, name);
    IO_CHECK(n > 0 && n < RESTART_PATH - 64, SF_IO, "the path of checkpoints is too long: %s/%s", dir, name);
    IO_CHECK(!strstr(path, "://"), SF_IO, "%s would be taken for an internet address: use a path without '://'", path);
    return SF_OK;
}

int restart_set_path(const char *dir, long step, char path[RESTART_PATH])
{
    char name[NAME];
    entry_name(step, name);
    IO_TRY(path_join(dir, name, path));
    IO_CHECK(!access(dir, W_OK | X_OK), SF_IO, "cannot write checkpoint %s: directory %s: %s", path, dir,
             strerror(errno));
    return SF_OK;
}

/* ---- digest files ------------------------------------------------------------------------------------------------ */

static int file_digest(const char *path, restart_digest *digest)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    IO_CHECK(fd >= 0, SF_RESTART, "cannot open checkpoint %s: %s", path, strerror(errno));
    struct stat about;
    if (fstat(fd, &about) || !S_ISREG(about.st_mode)) {
        close(fd);
        return io_fail(SF_RESTART, __FILE__, __LINE__, "checkpoint %s is not a file", path);
    }
    static char block[BLOCK];
    XXH3_state_t s;
    XXH3_64bits_reset(&s);
    ssize_t n;
    while ((n = read(fd, block, BLOCK)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) XXH3_64bits_update(&s, block, (size_t)n);
    const int why = errno;
    close(fd);
    IO_CHECK(n == 0, SF_RESTART, "cannot read checkpoint %s: %s", path, strerror(why));
    *digest = XXH3_64bits_digest(&s);
    return SF_OK;
}

/* Text of a small file, "" when there is none or it is larger than any that Sferic writes. */
static void text_read(const char *path, char text[TEXT])
{
    text[0] = '\0';
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return;
    size_t at = 0;
    ssize_t n;
    while (at < TEXT && ((n = read(fd, text + at, TEXT - at)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0) at += (size_t)n;
    close(fd);
    text[at < TEXT ? at : 0] = '\0';
}

/* The number in "XXH3 (name) = 16 hexadecimal digits". */
static int digest_parse(const char *text, restart_digest *digest)
{
    const char *at = strstr(text, ") = ");
    char again[24];
    if (strncmp(text, "XXH3 (", 6) || !at) return 0;
    *digest = strtoull(at + 4, NULL, 16);
    snprintf(again, sizeof again, "%016llx\n", *digest);
    return !strcmp(at + 4, again);
}

int restart_set_check(const char *path, restart_digest *digest)
{
    char beside[RESTART_PATH + 8], text[TEXT];
    restart_digest wanted;
    IO_CHECK(strlen(path) < RESTART_PATH && !strstr(path, "://"), SF_RESTART, "%s is not the path of a checkpoint",
             path);
    IO_TRY(file_digest(path, digest));
    snprintf(beside, sizeof beside, "%s.xxh", path);
    text_read(beside, text);
    IO_CHECK(text[0], SF_RESTART, "checkpoint %s has no digest file %s: a copy needs both", path, beside);
    IO_CHECK(digest_parse(text, &wanted), SF_RESTART, "checkpoint %s cannot be trusted: %s is damaged", path, beside);
    IO_CHECK(*digest == wanted, SF_RESTART, "checkpoint %s is damaged: its bytes do not agree with %s", path, beside);
    return SF_OK;
}

/* ---- the manifest ------------------------------------------------------------------------------------------------ */

static int entry_print(char *text, size_t size, const char *label, const struct entry *e)
{
    return snprintf(text, size, "  \"%s\": {\"file\": \"%s\", \"step\": %ld, \"xxh3\": \"%016llx\"},\n", label, e->name,
                    e->step, e->digest);
}

/* `count` entries, newest first; the last line is the digest of those above. */
static void manifest_print(char text[TEXT], const struct entry *e, int count)
{
    int at = snprintf(text, TEXT, "{\n  \"format\": %d,\n", RESTART_FORMAT);
    at += entry_print(text + at, (size_t)(TEXT - at), "newest", &e[0]);
    if (count > 1) at += entry_print(text + at, (size_t)(TEXT - at), "previous", &e[1]);
    else at += snprintf(text + at, (size_t)(TEXT - at), "  \"previous\": null,\n");
    const restart_digest d = XXH3_64bits(text, (size_t)at);
    snprintf(text + at, (size_t)(TEXT - at), "  \"check\": \"%016llx\"\n}\n", d);
}

static int entry_parse(const char *text, const char *label, struct entry *e)
{
    char key[NAME], name[NAME];
    snprintf(key, sizeof key, "\"%s\": {", label);
    const char *at = strstr(text, key);
    if (!at || sscanf(at + strlen(key), "\"file\": \"%63[^\"]\", \"step\": %ld, \"xxh3\": \"%16llx\"}", name, &e->step,
                      &e->digest) != 3)
        return 0;
    entry_name(e->step, e->name);
    e->from_manifest = 1;
    return !strcmp(name, e->name);
}

/* How many entries the manifest has, 0: there is no manifest, -1: it is damaged. */
static int manifest_read(const char *dir, struct entry e[2])
{
    char path[RESTART_PATH], text[TEXT], again[TEXT];
    if (path_join(dir, manifest_name, path) || access(path, F_OK)) return 0;
    text_read(path, text);
    if (!entry_parse(text, "newest", &e[0])) return -1;
    const int count = entry_parse(text, "previous", &e[1]) ? 2 : 1;
    manifest_print(again, e, count);
    return strcmp(text, again) ? -1 : count;
}

/* ---- the directory ----------------------------------------------------------------------------------------------- */

/* Is this the name of a checkpoint, or of its digest file? */
static int name_parse(const char *name, long *step, int *is_digest)
{
    char wanted[NAME];
    static const char lead[] = "restart_";
    const size_t n = sizeof lead - 1;
    if (strncmp(name, lead, n) || !isdigit((unsigned char)name[n])) return 0;
    *step = strtol(name + n, NULL, 10);
    entry_name(*step, wanted);
    const size_t length = strlen(wanted);
    if (strncmp(name, wanted, length)) return 0;
    *is_digest = !strcmp(name + length, ".xxh");
    return *is_digest || !name[length];
}

static int newest_first(const void *a, const void *b)
{
    const long one = ((const struct entry *)a)->step, two = ((const struct entry *)b)->step;
    return (one < two) - (one > two);
}

/* All checkpoints that lie in the directory, newest first; *list is the caller's. */
static int entries_scan(const char *dir, struct entry **list, int *count)
{
    *list = NULL;
    *count = 0;
    DIR *d = opendir(dir);
    if (!d) return SF_OK;
    int room = 0, is_digest, rc = SF_OK;
    long step;
    for (struct dirent *f; (f = readdir(d));) {
        if (!name_parse(f->d_name, &step, &is_digest) || is_digest) continue;
        if (*count == room) {
            room = 2 * room + 8;
            struct entry *more = realloc(*list, (size_t)room * sizeof *more);
            if (!more) {
                rc = io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a list of %d checkpoints", room);
                break;
            }
            *list = more;
        }
        struct entry *e = &(*list)[(*count)++];
        *e = (struct entry){.step = step};
        entry_name(step, e->name);
    }
    closedir(d);
    if (*count) qsort(*list, (size_t)*count, sizeof **list, newest_first);
    return rc;
}

/* Delete checkpoints and digest files other than the `count` of `keep`, and what killed runs left half written. */
static int entries_prune(const char *dir, const struct entry *keep, int count)
{
    char path[RESTART_PATH];
    DIR *d = opendir(dir);
    if (!d) return SF_OK;
    int failed = 0;
    for (struct dirent *f; (f = readdir(d));) {
        long step;
        int is_digest, kept = 0;
        const int is_ours = name_parse(f->d_name, &step, &is_digest);
        for (int n = 0; is_ours && n < count; n++) kept |= keep[n].step == step;
        const int is_torn = !strncmp(f->d_name, "restart", 7) && strstr(f->d_name, ".tmp.");
        if ((is_ours && !kept) || is_torn)
            if (!path_join(dir, f->d_name, path) && unlink(path) && errno != ENOENT) failed = errno;
    }
    closedir(d);
    errno = failed;
    return failed;
}

/* Is this one good, to the last bit? */
static int entry_verify(const char *dir, const struct entry *e, char path[RESTART_PATH], restart_digest *digest)
{
    LIBRARY_HELD;
    struct restart_head h;
    int nc;
    IO_TRY(path_join(dir, e->name, path));
    IO_TRY(restart_set_check(path, digest));
    IO_CHECK(!e->from_manifest || *digest == e->digest, SF_RESTART, "checkpoint %s is not the one that %s names", path,
             manifest_name);
    IO_TRY(restart_file_open(path, &h, &nc));
    const long step = (long)h.step;
    const int rc = restart_file_verify(path, &h, nc);
    nc_close(nc);
    restart_head_free(&h);
    IO_TRY(rc);
    IO_CHECK(step == e->step, SF_RESTART, "checkpoint %s holds step %ld", path, step);
    return SF_OK;
}

int restart_set_commit(const char *dir, const char *temporary, const char *path, long step)
{
    char beside[RESTART_PATH + 8], text[TEXT], where[RESTART_PATH];
    struct entry keep[3] = {{.step = step}}, old[2];
    entry_name(step, keep[0].name);
    IO_TRY(file_digest(temporary, &keep[0].digest));
    snprintf(beside, sizeof beside, "%s.xxh", path);
    const int n = snprintf(text, sizeof text, "XXH3 (%s) = %016llx\n", keep[0].name, keep[0].digest);
    IO_TRY(commit_text(beside, text, (size_t)n));
    IO_TRY(commit_file(temporary, path));

    /* A run that went back to an earlier step follows another course than the later checkpoints. */
    int count = 1;
    const int listed = manifest_read(dir, old);
    for (int m = 0; m < listed && count < 2; m++)
        if (old[m].step < step) keep[count++] = old[m];
    if (count < 2) {
        struct entry *list;
        int found;
        IO_TRY(entries_scan(dir, &list, &found));
        for (int m = 0; m < found && count < 2; m++) {
            if (list[m].step >= step) continue;
            if (!entry_verify(dir, &list[m], where, &list[m].digest)) keep[count++] = list[m];
            else io_clear();
        }
        free(list);
    }
    manifest_print(text, keep, count);
    IO_TRY(path_join(dir, manifest_name, where));
    IO_TRY(commit_text(where, text, strlen(text)));
    if (entries_prune(dir, keep, count)) sf_warn("cannot delete an old checkpoint in %s: %s", dir, strerror(errno));
    return SF_OK;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static int find_among(const char *dir, const struct entry *e, int count, char *path, int *found)
{
    for (int n = 0; n < count && !*found; n++) {
        restart_digest digest;
        const int rc = entry_verify(dir, &e[n], path, &digest);
        if (!rc) {
            *found = 1;
            return SF_OK;
        }
        if (rc != SF_RESTART) return rc;
        sf_warn("%s; looking for an older one", sf_error_text());
        sf_error_clear();
    }
    return SF_OK;
}

int restart_find(const char *dir, char *path, size_t size)
{
    char good[RESTART_PATH];
    struct entry listed[2], *list;
    int count, found = 0, others = 0;
    const int named = manifest_read(dir, listed);
    if (named < 0) sf_warn("%s in %s is damaged; looking at the checkpoints themselves", manifest_name, dir);
    IO_TRY(entries_scan(dir, &list, &count));
    int rc = find_among(dir, listed, SF_MAX(named, 0), good, &found);
    /* Those that a kill or a damaged manifest left unnamed. */
    for (int n = 0; n < count; n++) {
        int known = 0;
        for (int m = 0; m < named; m++) known |= listed[m].step == list[n].step;
        if (!known) list[others++] = list[n];
    }
    if (!rc && !found) rc = find_among(dir, list, others, good, &found);
    free(list);
    IO_TRY(rc);
    if (!found && named == 0 && count == 0) return RESTART_NONE;
    IO_CHECK(found, SF_RESTART, "no checkpoint in %s is good: start the run anew, or name another with --restart FILE",
             dir);
    IO_CHECK(strlen(good) < size, SF_INTERNAL, "no room for the path %s", good);
    memcpy(path, good, strlen(good) + 1);
    return SF_OK;
}
