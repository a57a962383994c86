/* The files of an output directory: which are texts that go into the bundle, and what is told of the others.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* open_memstream, asprintf */
#include "command/report.h"

#include "io/header.h"
#include "pipeline/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* its state on the stack */
#include <xxhash.h>

enum { PATH = 4096, DEEPEST = 3, ROWS = 40 };

/* Bytes: of a text that goes in whole, of a timeline, of a file whose checksum is told. */
static const size_t text_most = 1 << 20, json_most = 16 << 20, sum_most = 256 << 20;

static int ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

char *report_load(const char *path, size_t most, size_t *size)
{
    static const char gap[] = "\n[... what stands between is left out ...]\n";
    *size = 0;
    struct stat st;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char *text = NULL;
    if (file >= 0 && !fstat(file, &st) && S_ISREG(st.st_mode)) {
        const size_t all = (size_t)st.st_size, half = most / 2;
        text = malloc((all > most ? most : all) + sizeof gap + 1);
        const ssize_t first = text ? pread(file, text, all > most ? half : all, 0) : 0;
        if (first > 0) *size = (size_t)first;
        if (text && all > most && *size == half) {
            memcpy(text + half, gap, sizeof gap - 1);
            const ssize_t last = pread(file, text + half + sizeof gap - 1, half, (off_t)(all - half));
            *size += sizeof gap - 1 + (last > 0 ? (size_t)last : 0);
        }
        if (text) text[*size] = '\0';
    }
    if (file >= 0) close(file);
    return text;
}

static int is_text(const char *text, size_t n)
{
    size_t odd = 0;
    for (size_t m = 0; m < n; m++) {
        const unsigned char c = (unsigned char)text[m];
        if (!c) return 0;
        odd += c < ' ' && !strchr("\t\n\r\f\033\b", c);
    }
    return odd * 100 <= n;
}

static int left_note(struct report *r, const char *name, double bytes, const char *why)
{
    char **const more = realloc(r->left, ((size_t)r->nleft + 1) * sizeof *more);
    char *line = NULL;
    SF_CHECK(more, SF_MEMORY, "no memory for a list of files");
    r->left = more;
    const int n = asprintf(&line, "%s, %.0f bytes%s", name, bytes, why);
    SF_CHECK(n >= 0, SF_MEMORY, "no memory for a list of files");
    r->left[r->nleft++] = line;
    return SF_OK;
}

/* XXH64, as xxhsum prints it. */
static int sum_write(const char *path, char sum[32])
{
    static char part[1 << 16];
    XXH64_state_t state;
    FILE *const f = fopen(path, "rb");
    if (!f) return 0;
    XXH64_reset(&state, 0);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) XXH64_update(&state, part, n);
    const int bad = ferror(f);
    fclose(f);
    snprintf(sum, 32, "%016llx", (unsigned long long)XXH64_digest(&state));
    return !bad;
}

static int head_add(struct report *r, const char *path, const char *name)
{
    fprintf(r->heads, "netcdf %s {\n", name);
    const int rc = header_print(r->heads, path);
    if (rc) fprintf(r->heads, "// %s\n", sf_error_text());
    sf_error_clear(); /* a damaged file is a thing to report */
    fprintf(r->heads, "}\n\n");
    return rc == SF_MEMORY ? rc : SF_OK;
}

static int series_add(struct report *r, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const to = open_memstream(&text, &size);
    SF_CHECK(to, SF_MEMORY, "no memory for the last values of the series");
    if (header_series_print(to, path, ROWS)) fprintf(to, "%s\n", sf_error_text());
    sf_error_clear();
    const int bad = fclose(to);
    const int rc = bad ? SF_OK : report_text(r, "series.txt", text, size);
    free(text);
    return rc;
}

static int file_add(struct report *r, const char *path, const char *name, const struct stat *st)
{
    char when[32] = "", sum[32] = "-", entry[PATH + 8];
    const double bytes = (double)st->st_size;
    const struct tm *const t = gmtime(&st->st_mtime);
    if (t) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", t);
    const int is_input = !strncmp(name, "input/", 6);
    if (is_input && (size_t)st->st_size <= sum_most) sum_write(path, sum);
    fprintf(r->files, "%12.0f %s %16s %s\n", bytes, when, sum, name);
    if (ends_with(name, ".nc")) {
        SF_TRY(head_add(r, path, name));
        if (!strcmp(name, "series.nc")) SF_TRY(series_add(r, path));
        return left_note(r, name, bytes, "");
    }
    size_t size;
    char *const text = report_load(path, ends_with(name, ".json") ? json_most : text_most, &size);
    const int takes = text && is_text(text, size);
    snprintf(entry, sizeof entry, "out/%s", name);
    const int rc =
        takes ? report_text(r, entry, text, size) : left_note(r, name, bytes, text ? "" : ": it cannot be read");
    free(text);
    return rc;
}

static int name_compare(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int is_kept(const struct dirent *e)
{
    return strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, ".lock");
}

static int folder_walk(struct report *r, const char *below, int depth);

/* below: its path in the output directory, with a slash at its end, or empty. */
static int entry_take(struct report *r, const char *below, const char *entry, int depth)
{
    char path[PATH], name[PATH];
    struct stat st;
    if (snprintf(name, sizeof name, "%s%s", below, entry) >= PATH - 1 ||
        snprintf(path, sizeof path, "%s/%s", r->out, name) >= PATH || lstat(path, &st))
        return SF_OK;
    if (S_ISREG(st.st_mode)) return file_add(r, path, name, &st);
    if (S_ISLNK(st.st_mode)) return left_note(r, name, 0, ": a link, which is not followed");
    if (!S_ISDIR(st.st_mode)) return SF_OK;
    if (depth == DEEPEST) return left_note(r, name, 0, ": a directory deep below");
    strcat(name, "/");
    return folder_walk(r, name, depth + 1);
}

static int folder_walk(struct report *r, const char *below, int depth)
{
    char path[2 * PATH];
    struct dirent **entry = NULL;
    snprintf(path, sizeof path, "%s/%s", r->out, below);
    const int n = scandir(path, &entry, is_kept, name_compare);
    SF_CHECK(n >= 0 || depth, SF_INPUT, "cannot read the directory '%s': %s", r->out, strerror(errno));
    int rc = SF_OK;
    for (int m = 0; m < n; m++) {
        if (!rc) rc = entry_take(r, below, entry[m]->d_name, depth);
        free(entry[m]);
    }
    free(entry);
    return rc;
}

int report_files(struct report *r)
{
    char *files = NULL, *heads = NULL;
    size_t files_size = 0, heads_size = 0;
    r->files = open_memstream(&files, &files_size);
    r->heads = open_memstream(&heads, &heads_size);
    int rc = r->files && r->heads ? SF_OK : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a list of files");
    if (!rc) fprintf(r->files, "%12s %-20s %16s %s\n", "bytes", "written", "XXH64 of input", "name");
    if (!rc) rc = folder_walk(r, "", 0);
    const int bad = (r->files ? fclose(r->files) : 0) | (r->heads ? fclose(r->heads) : 0);
    if (!rc && bad) rc = sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for a list of files");
    if (!rc) rc = report_text(r, "files.txt", files, files_size);
    if (!rc) rc = report_text(r, "headers.txt", heads, heads_size);
    free(files);
    free(heads);
    return rc;
}
