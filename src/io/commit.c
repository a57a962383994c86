/* Temporary name, fsync, rename, fsync of the directory. SPDX-License-Identifier: MIT */
#include "io/commit.h"

#include "io/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int commit_name(const char *path, char **temporary)
{
    const size_t size = strlen(path) + 32;
    *temporary = malloc(size);
    IO_CHECK(*temporary, SF_MEMORY, "no memory for the name of '%s'", path);
    snprintf(*temporary, size, "%s.tmp.%ld", path, (long)getpid());
    unlink(*temporary); /* of an ended process with the same number; what cannot go makes the creation fail */
    return SF_OK;
}

static int sync_path(const char *path, int flags)
{
    const int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0) return -1;
    const int rc = fsync(fd), why = errno;
    close(fd);
    errno = why;
    return rc;
}

/* Some network file systems refuse to fsync a directory; their renames are ordered by the server. */
int commit_directory(const char *path)
{
    char *dir = strdup(path);
    if (!dir) return -1;
    char *slash = strrchr(dir, '/');
    if (slash) slash[slash == dir] = '\0';
    const int rc = sync_path(slash ? dir : ".", O_RDONLY | O_DIRECTORY), why = errno;
    free(dir);
    errno = why;
    return rc < 0 && (why == EINVAL || why == EACCES) ? 0 : rc;
}

int commit_file(const char *temporary, const char *path)
{
    struct stat st = {0};
    stat(temporary, &st);
    const char *what = "bring to disk";
    int rc = sync_path(temporary, O_RDONLY);
    if (!rc) {
        what = "rename";
        rc = rename(temporary, path);
        if (!rc) {
            what = "bring the directory to disk of";
            rc = commit_directory(path);
        }
    }
    if (!rc) return SF_OK;
    const int why = errno;
    unlink(temporary);
    return io_fail(SF_IO, __FILE__, __LINE__, "cannot %s '%s' (%lld bytes): %s", what, path, (long long)st.st_size,
                   strerror(why));
}

/* A file that is being written. */
struct writing {
    char *temporary;
    int fd, failed, why; /* why: errno of what failed */
    size_t size;
};

static int writing_begin(struct writing *w, const char *path)
{
    *w = (struct writing){.fd = -1};
    IO_TRY(commit_name(path, &w->temporary));
    w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    w->failed = w->fd < 0, w->why = errno;
    return SF_OK;
}

static void writing_add(struct writing *w, const char *text, size_t size)
{
    w->size += size;
    for (size_t at = 0; !w->failed && at < size;) {
        const ssize_t n = write(w->fd, text + at, size - at);
        if (n > 0) at += (size_t)n;
        else if (n == 0 || errno != EINTR) w->failed = 1, w->why = n == 0 ? ENOSPC : errno;
    }
}

/* The file stands under its name; rc: of what was to be written, without which there is none. */
static int writing_end(struct writing *w, const char *path, int rc)
{
    if (w->fd >= 0 && close(w->fd) < 0 && !w->failed) w->failed = 1, w->why = errno;
    if ((w->failed || rc) && w->fd >= 0) unlink(w->temporary);
    if (!rc && w->failed)
        rc = io_fail(SF_IO, __FILE__, __LINE__, "cannot write '%s' (%zu bytes): %s%s", path, w->size, strerror(w->why),
                     w->why == EFBIG ? "; it exceeds the limit of a file (ulimit -f)" : "");
    else if (!rc) rc = commit_file(w->temporary, path);
    free(w->temporary);
    return rc;
}

int commit_text(const char *path, const char *text, size_t size)
{
    struct writing w;
    IO_TRY(writing_begin(&w, path));
    writing_add(&w, text, size);
    return writing_end(&w, path, SF_OK);
}

static int pieces_copy(const char *path, const char *from, int fd, char *piece, size_t most)
{
    struct writing w;
    IO_TRY(writing_begin(&w, path));
    int rc = SF_OK;
    for (ssize_t n = 1; n && !rc && !w.failed;) {
        n = read(fd, piece, most);
        if (n > 0) writing_add(&w, piece, (size_t)n);
        else if (n < 0 && errno == EINTR) n = 1;
        else if (n < 0)
            rc = io_fail(SF_INPUT, __FILE__, __LINE__, "cannot read '%s' to its end: %s", from, strerror(errno));
    }
    return writing_end(&w, path, rc);
}

int commit_copy(const char *path, const char *from)
{
    enum { PIECE = 1 << 20 };
    const int fd = open(from, O_RDONLY | O_CLOEXEC);
    IO_CHECK(fd >= 0, SF_INPUT, "cannot read '%s': %s", from, strerror(errno));
    char *const piece = malloc(PIECE);
    const int rc = piece ? pieces_copy(path, from, fd, piece, PIECE)
                         : io_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to copy '%s'", from);
    free(piece);
    close(fd);
    return rc;
}
