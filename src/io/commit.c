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

int commit_text(const char *path, const char *text, size_t size)
{
    char *temporary;
    IO_TRY(commit_name(path, &temporary));
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int failed = fd < 0, why = errno;
    for (size_t at = 0; !failed && at < size;) {
        const ssize_t n = write(fd, text + at, size - at);
        if (n > 0) at += (size_t)n;
        else if (n == 0 || errno != EINTR) failed = 1, why = n == 0 ? ENOSPC : errno;
    }
    if (fd >= 0 && close(fd) < 0 && !failed) failed = 1, why = errno;
    if (failed && fd >= 0) unlink(temporary);
    int rc = SF_OK;
    if (failed)
        rc = io_fail(SF_IO, __FILE__, __LINE__, "cannot write '%s' (%zu bytes): %s%s", path, size, strerror(why),
                     why == EFBIG ? "; it exceeds the limit of a file (ulimit -f)" : "");
    else rc = commit_file(temporary, path);
    free(temporary);
    return rc;
}
