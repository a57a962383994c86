/* Processor, memory, limits, disk, threads, and what was measured before. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* CPU_COUNT */
#include "command/doctor.h"

#include "command/cache.h"
#include "io/rundir.h"
#include "io/library.h"
#include "pipeline/error.h"
#include "pipeline/memory.h"
#include "pipeline/threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PATH = 4096, FLAGS = 8192 };

static const double mib = 1024.0 * 1024.0, gib = 1024.0 * 1024.0 * 1024.0;
/* The smallest cases take about 60 MiB with their libraries. */
static const double memory_least = 128 * 1024.0 * 1024.0, disk_least = 1024.0 * 1024.0;

/* What the compiler was allowed to use, in the words of /proc/cpuinfo. */
static const char built_for[] = ""
#ifdef __SSE4_2__
                                "sse4_2 "
#endif
#ifdef __AVX__
                                "avx "
#endif
#ifdef __AVX2__
                                "avx2 "
#endif
#ifdef __FMA__
                                "fma "
#endif
#ifdef __BMI2__
                                "bmi2 "
#endif
#ifdef __AVX512F__
                                "avx512f "
#endif
#ifdef __AVX512BW__
                                "avx512bw "
#endif
#ifdef __AVX512DQ__
                                "avx512dq "
#endif
#ifdef __AVX512VL__
                                "avx512vl "
#endif
#ifdef __ARM_FEATURE_SVE
                                "sve "
#endif
    ;

/* The value of the first line of /proc/cpuinfo with one of these names. */
static void cpuinfo_read(const char *name, const char *or_name, char *value, size_t size)
{
    static char line[FLAGS];
    FILE *f = fopen("/proc/cpuinfo", "r");
    value[0] = '\0';
    while (f && !value[0] && fgets(line, sizeof line, f)) {
        const char *const colon = strchr(line, ':');
        const int is_it = !strncmp(line, name, strlen(name)) || !strncmp(line, or_name, strlen(or_name));
        if (!colon || !is_it) continue;
        snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " "));
        value[strcspn(value, "\n")] = '\0';
    }
    if (f) fclose(f);
}

static int cores_allowed(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
}

static void processor_look(struct doctor *d)
{
    static char flags[FLAGS], lacking[DOCTOR_TEXT], used[DOCTOR_TEXT];
    char model[256];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cpuinfo_read("model name", "Model", model, sizeof model);
    cpuinfo_read("flags", "Features", flags, sizeof flags);
    doctor_words_lacking(built_for, "", used, sizeof used);
    doctor_fact(d, "processor", "%s, this program may use %d of %ld cores; built with %s",
                model[0] ? model : "of unknown name", cores_allowed(), cores,
                used[0] ? used : "no vectors beyond the usual");
    if (flags[0] && doctor_words_lacking(built_for, flags, lacking, sizeof lacking))
        doctor_lack(d, "processor", SF_INTERNAL, "make ARCH=native", "it has no %s, which this program was built with",
                    lacking);
    if (flags[0] && !doctor_words_lacking("avx2", flags, lacking, sizeof lacking) &&
        doctor_words_lacking("avx2", built_for, lacking, sizeof lacking))
        doctor_lack(d, "vectors", 0, "make ARCH=native",
                    "this processor has avx2, without which the program was built: it computes slower");
}

/* ---- memory and limits ------------------------------------------------------------------------------------------- */

static double number_in(const char *path, const char *format)
{
    char line[256];
    double value = -1;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, format, &value) == 1) break;
    if (f) fclose(f);
    return value;
}

/* -1: none. */
static double limit_of(unsigned resource)
{
    struct rlimit l;
    return getrlimit(resource, &l) || l.rlim_cur == RLIM_INFINITY ? -1 : (double)l.rlim_cur;
}

static void memory_look(struct doctor *d)
{
    const double all = number_in("/proc/meminfo", "MemTotal: %lf kB") * 1024, free_bytes = (double)memory_available(),
                 share = number_in("/sys/fs/cgroup/memory.max", "%lf"), most = limit_of(RLIMIT_AS);
    char container[64] = "";
    if (share >= 0) snprintf(container, sizeof container, "; this container may have %.1f GiB", share / gib);
    doctor_fact(d, "memory", "%.1f GiB free of %.1f GiB%s", free_bytes / gib, all / gib, container);
    if (free_bytes > 0 && free_bytes < memory_least)
        doctor_lack(d, "memory", SF_MEMORY, "free -m", "%.0f MiB are free, of which no case runs: end other programs",
                    free_bytes / mib);
    if (most >= 0)
        doctor_lack(d, "addresses", 2 * most < 3 * memory_least ? SF_MEMORY : 0, "ulimit -v unlimited",
                    "a process may have %.0f MiB of addresses: larger runs end for want of memory that is there",
                    most / mib);
}

static const char *limit_word(unsigned resource, char word[32])
{
    const double l = limit_of(resource);
    if (l < 0) snprintf(word, 32, "unlimited");
    else snprintf(word, 32, "%.0f KiB", l / 1024);
    return word;
}

static void limits_look(struct doctor *d)
{
    char stack[32], locked[32], file[32];
    const double files = limit_of(RLIMIT_NOFILE), deep = limit_of(RLIMIT_STACK);
    doctor_fact(d, "limits", "stack %s, locked memory %s, size of a file %s, open files %.0f",
                limit_word(RLIMIT_STACK, stack), limit_word(RLIMIT_MEMLOCK, locked), limit_word(RLIMIT_FSIZE, file),
                files);
    if (limit_of(RLIMIT_FSIZE) >= 0)
        doctor_lack(d, "file size", limit_of(RLIMIT_FSIZE) < disk_least ? SF_IO : 0, "ulimit -f unlimited",
                    "files end at %s: larger output is not written", file);
    if (deep >= 0 && deep < mib)
        doctor_lack(d, "stack", 0, "ulimit -s 8192", "%s of stack are less than libraries count on", stack);
}

/* ---- disk -------------------------------------------------------------------------------------------------------- */

static void disk_look(struct doctor *d)
{
    char at[PATH];
    struct stat st;
    struct statvfs v;
    const int refused = rundir_examine(d->out, 1);
    if (refused) {
        doctor_lack(d, "output", refused == SF_USAGE ? 0 : SF_IO,
                    "sferic doctor --out DIR, and sferic run CASE.nml --out DIR", "%s", sf_error_text());
        sf_error_clear();
    }
    snprintf(at, sizeof at, "%s", d->out);
    while (stat(at, &st)) {
        char *const slash = strrchr(at, '/');
        if (slash) slash[slash == at] = '\0';
        else snprintf(at, sizeof at, ".");
        if (!strcmp(at, "/") || !strcmp(at, ".")) break;
    }
    if (statvfs(at, &v) || !v.f_blocks) return;
    const double room = (double)v.f_bavail * (double)v.f_frsize;
    doctor_fact(d, "disk", "%.1f GiB free in %s", room / gib, at);
    if (room < disk_least)
        doctor_lack(d, "disk", SF_IO, "df -h", "%.0f bytes are free in %s: no output can be written", room, at);
}

/* ---- threads, what was measured ---------------------------------------------------------------------------------- */

static void threads_look(struct doctor *d)
{
    char doubt[256];
    const char *const asked = getenv("OMP_NUM_THREADS");
#ifdef _OPENMP
    doctor_fact(d, "threads", "%d, %s%s", threads_available(NULL), asked ? "by OMP_NUM_THREADS=" : "a core each",
                asked ? asked : "");
#else
    doctor_fact(d, "threads", "one");
    doctor_lack(d, "OpenMP", 0, "make CC=gcc", "this program was built without threads: a run takes one core");
#endif
    threads_doubt(0, doubt, sizeof doubt);
    if (doubt[0]) doctor_lack(d, "cores", 0, "unset OMP_NUM_THREADS", "%s", doubt);
    else if (asked && threads_available(NULL) < cores_allowed())
        doctor_lack(d, "threads", 0, "unset OMP_NUM_THREADS",
                    "OMP_NUM_THREADS=%s leaves cores to others: %d of %d work", asked, threads_available(NULL),
                    cores_allowed());
}

static void cache_look(struct doctor *d)
{
    char path[PATH], line[PATH];
    int known = 0;
    if (!cache_path(path, sizeof path)) {
        doctor_lack(
            d, "cache", 0, "export XDG_CACHE_HOME=/tmp/cache",
            "neither HOME nor XDG_CACHE_HOME names a place: every `check` measures the machine again, and a tuned shape is lost");
        return;
    }
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) known++;
    if (f) fclose(f);
    doctor_fact(d, "cache", "%s, %d thing%s measured of this machine%s", path, known, known == 1 ? "" : "s",
                known ? "" : "; sferic bench --tune measures more");
}

void doctor_machine(struct doctor *d)
{
    doctor_fact(d, "files", "%s", library_version());
    processor_look(d);
    memory_look(d);
    limits_look(d);
    disk_look(d);
    threads_look(d);
    cache_look(d);
}
