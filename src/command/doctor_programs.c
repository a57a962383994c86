/* MPI's launcher, the GPU and its driver, and programs that this one starts or that read its files.
 * SPDX-License-Identifier: MIT */
#include "command/doctor.h"

#include "command/probe.h"
#include "pipeline/backend.h"
#include "pipeline/comm.h"
#include "pipeline/error.h"
#include "version.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAID = 4096, NAME = 256 };

static const double patience = 2; /* s that a program is waited for */

/* ---- MPI --------------------------------------------------------------------------------------------------------- */

static void launcher_look(struct doctor *d, const char *library)
{
    char path[PROBE_PATH], said[SAID];
    if (!probe_find("mpirun", path)) {
        doctor_lack(d, "mpirun", 0, doctor_install("openmpi-bin"),
                    "no run on several ranks: there is no mpirun on PATH");
        return;
    }
    char *const ask[] = {path, "--version", NULL};
    if (probe_ask(ask, patience, 1, said, sizeof said)) {
        doctor_lack(d, "mpirun", 0, doctor_install("openmpi-bin"), "no run on several ranks: %s --version fails", path);
        return;
    }
    said[strcspn(said, "\n")] = '\0';
    if (doctor_mpirun_fits(library, said)) doctor_fact(d, "mpirun", "%s, %s", path, said);
    else
        doctor_lack(d, "mpirun", 0, "PATH=/usr/bin:$PATH mpirun -n 2 sferic run CASE.nml",
                    "%s is of another MPI (%s) than this program (%s): its ranks would not know of each other", path,
                    said, library);
    if (!geteuid() && !getenv("OMPI_ALLOW_RUN_AS_ROOT"))
        doctor_lack(d, "root", 0, "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                    "mpirun starts nothing as root without these variables");
}

static void mpi_look(struct doctor *d)
{
    const char *const library = comm_version();
    doctor_fact(d, "MPI", "%s", library);
    if (strcmp(library, "none")) launcher_look(d, library);
    else
        doctor_lack(d, "MPI", 0, "make MPI=1",
                    "no run on several ranks: this program was built without MPI, which takes %s",
                    "libopenmpi-dev and openmpi-bin");
}

/* ---- GPU --------------------------------------------------------------------------------------------------------- */

/* A number in hexadecimal that a file of the system holds; 0: none. */
static unsigned long word_of(const char *device, const char *name)
{
    char path[NAME + 64];
    unsigned long value = 0;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%.200s/%s", device, name);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%lx", &value) != 1) value = 0;
    if (f) fclose(f);
    return value;
}

/* Cards of NVIDIA that draw or compute, driver or none. */
static int cards_count(void)
{
    enum { NVIDIA = 0x10de, DISPLAY = 0x03 };
    int n = 0;
    DIR *const all = opendir("/sys/bus/pci/devices");
    for (const struct dirent *e; all && (e = readdir(all));)
        n += e->d_name[0] != '.' && word_of(e->d_name, "vendor") == NVIDIA &&
             word_of(e->d_name, "class") >> 16 == DISPLAY;
    if (all) closedir(all);
    return n;
}

static void card_judge(struct doctor *d, const char *name, const char *driver, const char *capability)
{
    const char *const toolkit = backend_toolkit();
    if (!strcmp(toolkit, "none")) {
        char path[PROBE_PATH];
        const int has_compiler = probe_find("nvcc", path) || !access("/usr/local/cuda/bin/nvcc", X_OK);
        doctor_lack(d, "CUDA", 0, has_compiler ? "make CUDA=1" : "install NVIDIA's CUDA toolkit, then: make CUDA=1",
                    "runs leave the %s alone: this program was built without CUDA", name);
        return;
    }
    if (!strcmp(toolkit, "emulated")) return;
    const int least = doctor_driver_least(toolkit);
    if (least && atoi(driver) < least)
        doctor_lack(d, "driver", 0, doctor_install("nvidia-driver"),
                    "CUDA %s, which this program was built with, takes driver %d or later, and that of the %s is %s",
                    toolkit, least, name, driver);
    if (!doctor_kernels_fit(SF_CUDA_ARCHS, capability)) {
        char line[64] = "make CUDA=1 CUDA_ARCH=";
        size_t n = strlen(line);
        for (const char *s = capability; *s && n + 1 < sizeof line; s++)
            if (*s >= '0' && *s <= '9') line[n++] = *s;
        line[n] = '\0';
        doctor_lack(d, "kernels", 0, line,
                    "the %s has compute capability %s, and this program has kernels for %s: its runs fail there", name,
                    capability, SF_CUDA_ARCHS);
    }
}

/* Lines of nvidia-smi, `name, memory, driver, capability`. How many could be read. */
static int cards_look(struct doctor *d, char *said)
{
    int n = 0;
    char first[NAME] = "";
    for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
        char name[NAME], memory[NAME], driver[NAME], capability[NAME];
        if (sscanf(line, "%255[^,], %255[^,], %255[^,], %255[^,\n]", name, memory, driver, capability) != 4) continue;
        doctor_fact(d, "GPU", "%s, %s, driver %s, compute capability %s", name, memory, driver, capability);
        if (strcmp(first, name)) card_judge(d, name, driver, capability); /* cards of a kind once */
        snprintf(first, sizeof first, "%s", name);
        n++;
    }
    return n;
}

static void gpu_look(struct doctor *d)
{
    char path[PROBE_PATH], said[SAID] = "";
    const char *const toolkit = backend_toolkit();
    const int is_built = strcmp(toolkit, "none") != 0;
    if (is_built) doctor_fact(d, "CUDA", "%s%s%s", toolkit, SF_CUDA_ARCHS[0] ? ", kernels for " : "", SF_CUDA_ARCHS);
    const int has_tool = probe_find("nvidia-smi", path);
    char *const ask[] = {path, "--query-gpu=name,memory.total,driver_version,compute_cap", "--format=csv,noheader",
                         NULL};
    const int fails = has_tool && probe_ask(ask, patience, 0, said, sizeof said);
    if (has_tool && !fails && cards_look(d, said) > 0) return;
    const int cards = cards_count();
    if (has_tool && fails)
        doctor_lack(d, "driver", 0, "nvidia-smi", "runs take the cores: nvidia-smi, which tells why, reaches no GPU");
    else if (cards)
        doctor_lack(d, "driver", 0, doctor_install("nvidia-driver"),
                    "runs take the cores: %d card%s of NVIDIA, and no driver that answers", cards,
                    cards > 1 ? "s" : "");
    else doctor_fact(d, "GPU", "none of NVIDIA: runs take the cores");
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

/* A program that only some work wants. */
static void helper_look(struct doctor *d, const char *name, const char *package, const char *prevents)
{
    char path[PROBE_PATH];
    if (probe_find(name, path)) doctor_fact(d, name, "%s", path);
    else doctor_lack(d, name, 0, doctor_install(package), "%s", prevents);
}

static void compiler_look(struct doctor *d)
{
    const char *const named = getenv("SFERIC_CC");
    char path[PROBE_PATH];
    const char *const name = named && named[0] ? named : "cc";
    /* A name may come with options. */
    char first[NAME];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(name, " "), name);
    if (probe_find(first, path)) doctor_fact(d, "compiler", "%s, for models from text files", path);
    else
        doctor_lack(d, "compiler", 0, named && named[0] ? "unset SFERIC_CC" : doctor_install("gcc libc6-dev"),
                    "models from text files do not run: there is no %s", first);
}

void doctor_programs(struct doctor *d)
{
    mpi_look(d);
    gpu_look(d);
    compiler_look(d);
    helper_look(d, "ncdump", "netcdf-bin", "no look into output files as text");
    helper_look(d, "ffmpeg", "ffmpeg", "sferic-plot --movie writes GIF, not MP4");
    helper_look(d, "gzip", "gzip", "sferic report packs nothing");
}
