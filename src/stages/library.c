/* SPDX-License-Identifier: MIT */
#include "stages/library.h"

#include "pipeline/error.h"
#include "pipeline/sferic.h"
#include "version.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* its state on the stack */
#include <xxhash.h>

/* The headers that printed code includes. */
static const struct {
    const char *name, *text;
} headers[] = {
#include "stages/headers.def"
};

enum { PATH = 4096, HEADERS = (int)(sizeof headers / sizeof headers[0]) };

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* A compiler, and flags as the Makefile has them: code of a model has the bits of ours. */
struct maker {
    const char *compiler, *flags, *kind;
};

static struct maker maker_of(enum library_kind kind)
{
    const char *const cc = getenv("SFERIC_CC"), *const nvcc = getenv("SFERIC_NVCC");
    if (kind == LIBRARY_LOOPS)
        return (struct maker){cc && cc[0] ? cc : "cc", SF_FLAGS " -w -fPIC -DSF_CUDA=0 -DSF_PREC=" TEXT(SF_PREC),
                              "a C compiler"};
#ifdef SF_EMULATE
    return (struct maker){nvcc && nvcc[0] ? nvcc : "g++", SF_MODEL_KERNELS, "a C++ compiler"};
#else
    static const char usual[] = "/usr/local/cuda/bin/nvcc";
    const char *const own = !access(usual, X_OK) ? usual : "nvcc";
    return (struct maker){nvcc && nvcc[0] ? nvcc : own, SF_MODEL_KERNELS " -x cu", "CUDA's compiler"};
#endif
}

static int directory_make(char path[PATH])
{
    const char *const cache = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    const char *const part[] = {"/sferic", "/models"};
    int n;
    if (cache && cache[0] == '/') n = snprintf(path, PATH, "%s", cache);
    else if (home && home[0] == '/') n = snprintf(path, PATH, "%s/.cache", home);
    else n = snprintf(path, PATH, "/tmp/sferic-%ld", (long)getuid());
    for (int p = -1; p < 2 && n < PATH; p++) {
        if (p >= 0) n += snprintf(path + n, (size_t)(PATH - n), "%s", part[p]);
        SF_CHECK(n < PATH - 64, SF_INPUT, "the path of the cache is too long: %s", path);
        SF_CHECK(
            !mkdir(path, 0700) || errno == EEXIST, SF_INPUT,
            "cannot make %s, where compiled models are kept: %s; set XDG_CACHE_HOME to a directory that can be written",
            path, strerror(errno));
    }
    struct stat of;
    SF_CHECK(!stat(path, &of) && of.st_uid == getuid() && !(of.st_mode & 022), SF_INPUT,
             "%s, where compiled models are kept, belongs to somebody else or may be written by others", path);
    return SF_OK;
}

static int text_write(const char *path, const char *text, size_t n)
{
    FILE *const to = fopen(path, "w");
    const int is_written = to && fwrite(text, 1, n, to) == n;
    const int is_closed = to && !fclose(to);
    SF_CHECK(is_written && is_closed, SF_INPUT, "cannot write %s: %s", path, strerror(errno));
    return SF_OK;
}

/* `sh -c command`, its words quoted by the caller; what it says comes back. */
static int command_run(const struct maker *by, const char *command, char *said, size_t size, int *is_good)
{
    FILE *const from = popen(command, "r");
    SF_CHECK(from, SF_INPUT, "cannot start %s: %s", by->compiler, strerror(errno));
    size_t n = 0;
    char rest[4096];
    for (size_t got;
         (got = fread(n + 1 < size ? said + n : rest, 1, n + 1 < size ? size - 1 - n : sizeof rest, from)) > 0;)
        if (n + 1 < size) n += got;
    said[n] = '\0';
    const int status = pclose(from);
    SF_CHECK(status != -1 && WIFEXITED(status) && WEXITSTATUS(status) != 127, SF_INPUT,
             "a model from a file needs %s here, and there is no '%s': install it, or name it in %s", by->kind,
             by->compiler, by->kind[0] == 'a' ? "SFERIC_CC" : "SFERIC_NVCC");
    *is_good = !WEXITSTATUS(status);
    return SF_OK;
}

static int is_plain(const char *s) { return !strpbrk(s, "'\"\\\n$`"); }

/* work: a directory of this process alone. */
static int library_make(const struct maker *by, const char *work, const char *to, const char *code, size_t n)
{
    char path[PATH], command[4 * PATH], said[2048];
    snprintf(path, sizeof path, "%.*s/pipeline", PATH - 64, work);
    SF_CHECK(!mkdir(path, 0700), SF_INPUT, "cannot make %s: %s", path, strerror(errno));
    for (int h = 0; h < HEADERS; h++) {
        snprintf(path, sizeof path, "%.*s/%s", PATH - 64, work, headers[h].name);
        SF_TRY(text_write(path, headers[h].text, strlen(headers[h].text)));
    }
    snprintf(path, sizeof path, "%.*s/model.c", PATH - 64, work);
    SF_TRY(text_write(path, code, n));
    SF_CHECK(is_plain(work) && is_plain(by->compiler), SF_INPUT,
             "the paths of the cache and of the compiler may hold no quotes: %s", work);
    snprintf(command, sizeof command,
             "cd '%s' && { command -v %s >/dev/null || exit 127; %s %s -shared -I. model.c -o model.so 2>&1; }", work,
             by->compiler, by->compiler, by->flags);
    int is_good = 0;
    SF_TRY(command_run(by, command, said, sizeof said, &is_good));
    SF_CHECK(is_good, SF_INPUT, "%s cannot compile the model:\n%s", by->compiler, said);
    snprintf(path, sizeof path, "%.*s/model.so", PATH - 64, work);
    SF_CHECK(!rename(path, to), SF_INPUT, "cannot keep %s: %s", to, strerror(errno));
    return SF_OK;
}

static void work_remove(const char *work)
{
    char path[PATH];
    static const char *const made[] = {"model.c", "model.so", "pipeline", ""};
    for (int h = 0; h < HEADERS; h++)
        snprintf(path, sizeof path, "%.*s/%s", PATH - 64, work, headers[h].name), unlink(path);
    for (int n = 0; n < 4; n++) snprintf(path, sizeof path, "%.*s/%s", PATH - 64, work, made[n]), remove(path);
}

/* In a directory of its own, which is removed. */
static int library_build(const struct maker *by, const char *dir, const char *path, unsigned long long hash,
                         const char *code, size_t n)
{
    char work[PATH];
    snprintf(work, sizeof work, "%.*s/%016llx.XXXXXX", PATH - 64, dir, hash);
    SF_CHECK(mkdtemp(work), SF_INPUT, "cannot make a directory in %s: %s", dir, strerror(errno));
    const int rc = library_make(by, work, path, code, n);
    work_remove(work);
    return rc;
}

int library_open(enum library_kind kind, const char *code, size_t n, void **library)
{
    const struct maker by = maker_of(kind);
    char dir[PATH], path[PATH];
    SF_TRY(directory_make(dir));
    XXH3_state_t x;
    XXH3_64bits_reset(&x);
    XXH3_64bits_update(&x, code, n), XXH3_64bits_update(&x, by.flags, strlen(by.flags));
    XXH3_64bits_update(&x, by.compiler, strlen(by.compiler));
    for (int h = 0; h < HEADERS; h++) XXH3_64bits_update(&x, headers[h].text, strlen(headers[h].text));
    const unsigned long long hash = (unsigned long long)XXH3_64bits_digest(&x);
    snprintf(path, sizeof path, "%.*s/%016llx.so", PATH - 64, dir, hash);
    /* Of the processes of a machine that want one library, one makes it. Where files cannot be locked, each does. */
    char lock[PATH];
    snprintf(lock, sizeof lock, "%.*s/lock", PATH - 64, dir);
    const int locked = access(path, R_OK) ? open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (locked >= 0) flock(locked, LOCK_EX);
    const int rc = access(path, R_OK) ? library_build(&by, dir, path, hash, code, n) : SF_OK;
    if (locked >= 0) close(locked);
    SF_TRY(rc);
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    SF_CHECK(*library, SF_INPUT, "cannot load the compiled model: %s; remove %s, and it is made anew", dlerror(), path);
    return SF_OK;
}
