/* The text of a namelist, read once, from a file, a pipe, a FIFO or a terminal.
 *
 * A pipe cannot be read again, and a FIFO that nobody writes to never ends: whoever needs the text a second time keeps
 * it, and silence has a limit, except at a terminal, where somebody types. SPDX-License-Identifier: MIT */
#include "io/namelist.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/namelist_parts.h"
#include "io/signals.h"
#include "pipeline/error.h"

static const double notice_after = 3; /* s of silence after which the user is told what is waited for */

/* The descriptor N that /dev/stdin, /dev/fd/N or /proc/self/fd/N names; -1: none. A socket can be had in no other
 * way. */
static int descriptor_of(const char *path)
{
    static const char *const places[] = {"/dev/fd/", "/proc/self/fd/"};
    if (!strcmp(path, "/dev/stdin")) return STDIN_FILENO;
    for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
        const size_t length = strlen(places[n]);
        if (strncmp(path, places[n], length)) continue;
        char *end;
        const long fd = strtol(path + length, &end, 10);
        return end > path + length && !*end && fd >= 0 && fd < 1 << 20 ? (int)fd : -1;
    }
    return -1;
}

/* Does not wait for a writer, as open() of a FIFO otherwise would. */
static int text_open(const char *path)
{
    const int known = descriptor_of(path);
    return known >= 0 ? fcntl(known, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Until something can be read, or the end is there. */
static int text_await(int fd, const char *path, double patience)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    const int is_terminal = isatty(fd);
    const double first = notice_after < patience ? notice_after : patience;
    int n = poll(&p, 1, (int)(1e3 * first));
    if (n == 0) {
        sf_note("waiting for the text of the namelist from '%s'", path);
        n = poll(&p, 1, is_terminal ? -1 : (int)(1e3 * (patience - first)));
    }
    SF_CHECK(n >= 0 || !signals_stop_reason(0), SF_NAMELIST,
             "stopped while waiting for the text of the namelist from '%s'", path);
    SF_CHECK(n >= 0 || errno == EINTR, SF_NAMELIST, "cannot read the namelist '%s': %s", path, strerror(errno));
    SF_CHECK(n != 0, SF_NAMELIST,
             "cannot read the namelist '%s': nobody has written to it for %g s, and its end has not come; is "
             "the program that writes it running?",
             path, patience);
    return SF_OK;
}

static int text_take(int fd, const char *path, double patience, char *text, size_t *len)
{
    for (*len = 0; *len <= NML_TEXT_MAX;) {
        SF_TRY(text_await(fd, path, patience));
        const ssize_t n = read(fd, text + *len, NML_TEXT_MAX + 1 - *len);
        if (n == 0) return SF_OK;
        if (n > 0) *len += (size_t)n;
        SF_CHECK(n > 0 || errno == EINTR || errno == EAGAIN, SF_NAMELIST, "cannot read the namelist '%s': %s", path,
                 strerror(errno));
    }
    SF_FAIL(SF_NAMELIST, "'%s' is larger than %d bytes: is it a namelist?", path, NML_TEXT_MAX);
}

int nml_text_load(const char *path, double patience, char **text, size_t *len)
{
    *text = NULL;
    const int fd = text_open(path);
    SF_CHECK(fd >= 0, SF_NAMELIST, "cannot read the namelist '%s': %s%s", path, strerror(errno),
             descriptor_of(path) > 2
                 ? "; mpirun hands no such pipe on: give it a file, or write to its standard input and name /dev/stdin"
                 : "");
    char *all = malloc(NML_TEXT_MAX + 1);
    int rc = all ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory to read '%s'", path);
    if (!rc) rc = text_take(fd, path, patience, all, len);
    close(fd);
    if (rc) free(all);
    else *text = all;
    return rc;
}

int namelist_load(const char *path, char **text, size_t *len) { return nml_text_load(path, NML_PATIENCE, text, len); }
