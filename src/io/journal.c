/* Appending rows and reading them back. SPDX-License-Identifier: MIT */
#include "io/journal.h"

#include "io/commit.h"
#include "io/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char magic[8] = {'S', 'F', 'J', 'O', 'U', 'R', 'N', '1'};

struct start {
    char magic[8];
    struct journal_head head;
};

uint64_t journal_digest(const double *rows, size_t values) { return XXH3_64bits(rows, values * sizeof *rows); }

static int all_written(int fd, const char *from, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t n = write(fd, from + at, size - at);
        if (n > 0) at += (size_t)n;
        else if (n == 0 || errno != EINTR) {
            if (n == 0) errno = ENOSPC;
            return 0;
        }
    }
    return 1;
}

int journal_append(const char *path, const struct journal_head *head, int begin, const double *rows, size_t n)
{
    struct start start = {.head = *head};
    memcpy(start.magic, magic, sizeof magic);
    const size_t body = n * (size_t)head->width * sizeof *rows, skip = begin ? sizeof start : 0;
    const size_t size = skip + sizeof(uint64_t) + body + sizeof(uint64_t);
    char *const bytes = malloc(size), *const batch = bytes ? bytes + skip : NULL;
    IO_CHECK(bytes, SF_MEMORY, "no memory for %zu entries of '%s'", n, path);
    const uint64_t count = n;
    memcpy(bytes, &start, skip);
    memcpy(batch, &count, sizeof count);
    memcpy(batch + sizeof count, rows, body);
    const uint64_t digest = XXH3_64bits(batch, sizeof count + body);
    memcpy(batch + sizeof count + body, &digest, sizeof digest);
    if (begin) unlink(path);
    const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | (begin ? O_CREAT | O_EXCL : 0), 0666);
    int good = fd >= 0 && all_written(fd, bytes, size) && !fdatasync(fd), why = errno;
    if (fd >= 0 && close(fd) && good) good = 0, why = errno;
    if (good && begin && commit_directory(path)) good = 0, why = errno;
    free(bytes);
    IO_CHECK(good, SF_IO, "cannot write '%s' (%zu bytes): %s%s", path, size, strerror(why),
             why == EFBIG ? "; it exceeds the limit of a file (ulimit -f)" : "");
    return SF_OK;
}

/* Rows of the good batches of [from, end), copied one behind the other to `rows`; returns how many. */
static size_t batches_take(const char *from, const char *end, size_t width, double *rows)
{
    const size_t row = width * sizeof(double);
    size_t n = 0;
    for (uint64_t count, digest; (size_t)(end - from) >= sizeof count + sizeof digest;) {
        memcpy(&count, from, sizeof count);
        const size_t most = ((size_t)(end - from) - sizeof count - sizeof digest) / row;
        if (count > most) break;
        const size_t size = sizeof count + (size_t)count * row;
        memcpy(&digest, from + size, sizeof digest);
        if (digest != XXH3_64bits(from, size)) break;
        memcpy(rows + n * width, from + sizeof count, size - sizeof count);
        n += (size_t)count, from += size + sizeof digest;
    }
    return n;
}

int journal_read(const char *path, const struct journal_head *head, double **rows, size_t *n)
{
    struct start start;
    struct stat st;
    *rows = NULL, *n = 0;
    FILE *const f = fopen(path, "rb");
    if (!f) return SF_OK;
    const int ours = !fstat(fileno(f), &st) && S_ISREG(st.st_mode) && fread(&start, sizeof start, 1, f) == 1 &&
                     !memcmp(start.magic, magic, sizeof magic) && !memcmp(&start.head, head, sizeof *head) &&
                     head->width;
    const size_t size = ours ? (size_t)st.st_size - sizeof start : 0;
    char *const bytes = malloc(size + 1);
    double *const to = malloc(size + 1);
    const int lacking = !bytes || !to;
    if (size && !lacking) *n = batches_take(bytes, bytes + fread(bytes, 1, size, f), (size_t)head->width, to);
    fclose(f);
    free(bytes);
    if (!lacking && *n) *rows = to;
    else free(to);
    IO_CHECK(!lacking, SF_MEMORY, "no memory for the %zu bytes of '%s'", size, path);
    return SF_OK;
}

void journal_remove(const char *path) { unlink(path); }
