/* POSIX ustar: a head of 512 bytes, then the file, filled up to a multiple of them; two heads of zeros end it. gzip
 * reads it from a pipe and writes to a temporary name. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* open_memstream, pipe2 */
#include "command/bundle.h"

#include "command/probe.h"
#include "io/commit.h"
#include "pipeline/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 512, NAME = 100 };

struct head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6], version[2],
        uname[32], gname[32], major[8], minor[8], prefix[155], fill[12];
};
_Static_assert(sizeof(struct head) == BLOCK, "a head of tar");

int bundle_begin(struct bundle *b, const char *top)
{
    *b = (struct bundle){.top = top};
    b->to = open_memstream(&b->text, &b->size);
    SF_CHECK(b->to, SF_MEMORY, "no memory for a bundle");
    return SF_OK;
}

void bundle_free(struct bundle *b)
{
    if (b->to) fclose(b->to);
    free(b->text);
    b->to = NULL, b->text = NULL;
}

int bundle_add(struct bundle *b, const char *name, const char *text, size_t size)
{
    static const char zeros[BLOCK];
    struct head h = {.type = '0', .magic = "ustar", .version = {'0', '0'}};
    const size_t length = strlen(name);
    const char *const kept = length > NAME ? name + length - NAME : name;
    memcpy(h.name, kept, strlen(kept)); /* a name of all 100 bytes has no zero behind it */
    snprintf(h.prefix, sizeof h.prefix, "%s", b->top);
    snprintf(h.mode, sizeof h.mode, "%07o", 0644);
    snprintf(h.uid, sizeof h.uid, "%07o", 0);
    snprintf(h.gid, sizeof h.gid, "%07o", 0);
    snprintf(h.size, sizeof h.size, "%011lo", (unsigned long)size);
    snprintf(h.mtime, sizeof h.mtime, "%011lo", (unsigned long)time(NULL));
    memset(h.sum, ' ', sizeof h.sum);
    unsigned sum = 0;
    for (size_t n = 0; n < sizeof h; n++) sum += ((const unsigned char *)&h)[n];
    snprintf(h.sum, sizeof h.sum, "%06o", sum);
    fwrite(&h, 1, sizeof h, b->to);
    if (size) fwrite(text, 1, size, b->to);
    fwrite(zeros, 1, (BLOCK - size % BLOCK) % BLOCK, b->to);
    b->files++;
    SF_CHECK(!ferror(b->to), SF_MEMORY, "no memory for a bundle with '%s'", name);
    return SF_OK;
}

static void gzip_become(const char *gzip, int from, int to)
{
    const int none = open("/dev/null", O_WRONLY);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (dup2(from, 0) < 0 || dup2(to, 1) < 0 || dup2(none, 2) < 0) _exit(127);
    execl(gzip, "gzip", "-n", "-9", "-c", (char *)NULL);
    _exit(127);
}

/* All of it into the pipe, unless gzip ends before. */
static void text_send(const char *text, size_t size, int to)
{
    while (size) {
        const ssize_t n = write(to, text, size);
        if (n < 0 && errno != EINTR) return;
        if (n > 0) text += n, size -= (size_t)n;
    }
}

/* `gzip` from memory to a descriptor: its status as of waitpid, -1: it did not start. */
static int gzip_run(const char *gzip, const char *text, size_t size, int to)
{
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC)) return -1;
    fflush(NULL);
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
    const pid_t child = fork();
    if (!child) gzip_become(gzip, ends[0], to);
    close(ends[0]);
    if (child > 0) text_send(text, size, ends[1]);
    close(ends[1]);
    signal(SIGPIPE, before);
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return child > 0 ? status : -1;
}

static int packed_write(const struct bundle *b, const char *gzip, const char *temporary, const char *path)
{
    const int to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    SF_CHECK(to >= 0, SF_IO, "cannot write '%s': %s; choose another place with --output", path, strerror(errno));
    const int status = gzip_run(gzip, b->text, b->size, to);
    close(to);
    if (status == 0) return SF_OK;
    const int is_limit = status > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ;
    SF_FAIL(SF_IO, "cannot write '%s': %s; choose another place with --output", path,
            is_limit ? "files may not be that large here (ulimit -f)" : "gzip ended early, as on a full disk");
}

int bundle_write(struct bundle *b, const char *path, size_t *bytes)
{
    static const char zeros[2 * BLOCK];
    char gzip[PROBE_PATH], *temporary = NULL;
    struct stat st = {0};
    fwrite(zeros, 1, sizeof zeros, b->to);
    SF_CHECK(!fflush(b->to), SF_MEMORY, "no memory for a bundle");
    SF_CHECK(probe_find("gzip", gzip), SF_IO,
             "cannot pack '%s': there is no gzip on PATH; sferic doctor tells how to install it", path);
    SF_TRY(commit_name(path, &temporary));
    int rc = packed_write(b, gzip, temporary, path);
    if (rc) unlink(temporary);
    else rc = commit_file(temporary, path);
    free(temporary);
    SF_TRY(rc);
    *bytes = stat(path, &st) ? 0 : (size_t)st.st_size;
    return SF_OK;
}
