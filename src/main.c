/* Sferic: runs a weather forecast from a namelist. The command line, and how every command ends.
 * SPDX-License-Identifier: MIT */
#include "command/cases.h"
#include "command/command.h"
#include "io/nc.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
    const char *name;
    int (*run)(struct comm *c, int argc, char **argv);
    int ranks; /* 1: runs on all ranks of an MPI job */
    const char *meaning;
};

static const struct command commands[] = {
    {"run", command_run, 1, "run a case"},
    {"ports", command_ports, 1, "scattering parameters of all ports of a case, one run for each"},
    {"check", command_check, 1,
     "everything that can be wrong with a case, its cost in time, memory and disk; runs nothing"},
    {"plan", command_plan, 1, "the schedule of a case: stages, exchanges, slabs, bytes moved, the bound they imply"},
    {"cases", command_cases, 0, "the cases that come with the program, which run by their names"},
    {"explain", command_explain, 0,
     "every key of the namelist: type, unit, range, default, meaning; what has to do with a word"},
    {"bench", command_bench, 0, "this machine's ceilings, and the share of its limit that each stage reaches"},
    {"verify", command_verify, 0,
     "exact solutions and published figures against what the model computes, in one table"},
    {"doctor", command_doctor, 0, "what this machine has and lacks, each lack with the line that mends it"},
    {"report", command_report, 0, "a bundle for a bug report, of a run's output directory, without private paths"},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void help_print(void)
{
    printf("Usage: sferic COMMAND [ARGUMENT]...\n\nCommands:\n");
    for (int n = 0; n < COMMANDS; n++) printf("  %-10s %s\n", commands[n].name, commands[n].meaning);
    printf(
        "\n  sferic COMMAND --help tells more; sferic --version tells what this program is made of.\n"
        "\nBeside it, each with --help: sferic-plot draws a run, sferic-view shows it in the browser, sferic-import makes a\n"
        "case of one of CM1 or gprMax.\n\n"
        "Exit codes: 0 good, 1 internal error, 2 usage, 3 namelist, 4 input file, 5 blow-up, 6 writing failed, 7 GPU,\n"
        "8 checkpoint does not fit, 9 memory, 10 MPI, 11 verification failed, 75 stopped early with a checkpoint.\n");
}

static const struct command *command_find(const char *name)
{
    for (int n = 0; n < COMMANDS; n++)
        if (!strcmp(commands[n].name, name)) return &commands[n];
    return NULL;
}

static int command_unknown(const char *name)
{
    const char *names[COMMANDS];
    for (int n = 0; n < COMMANDS; n++) names[n] = commands[n].name;
    const char *near = word_near(name, names, COMMANDS);
    const char *end = strrchr(name, '.');
    char path[CASE_PATH];
    SF_CHECK(!case_file_find(name, path), SF_USAGE,
             "there is no command '%s'; `sferic run %s` runs the case of that name, `sferic check %s` looks at it",
             name, name, name);
    SF_CHECK(!end || strcmp(end, ".nml") != 0, SF_USAGE,
             "there is no command '%s'; `sferic run %s` runs a case, `sferic check %s` looks at it", name, name, name);
    SF_FAIL(SF_USAGE, "there is no command '%s'; %s%s%s`sferic --help` lists them", name, near ? "did you mean '" : "",
            near ? near : "", near ? "'? " : "");
}

static void failure_tell(int rc, int rank)
{
    const char *text = sf_error_text();
    char who[32] = "";
    if (rank) snprintf(who, sizeof who, "rank %d: ", rank);
    fprintf(stderr, "sferic: %s%s%s\n", rc == SF_STOPPED ? "" : "error: ", who,
            text[0] ? text : "failed without a message, which is a bug");
}

/* A rank that lost the others says so after rank 0 had its chance, and ends them all. */
static void job_end(int rc, int rank)
{
    enum { GRACE = 1 }; /* s */
    if (rank) sleep(GRACE);
    failure_tell(rc, rank);
    fflush(NULL);
    comm_abort(rc);
}

/* Is this process one of a launcher's (mpirun, srun)? One started by hand is alone and needs no MPI: starting up a
 * library for one rank takes a third of a second, a helper process and files in /tmp. */
static int is_launched(void)
{
    static const char *const sign[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    int launched = 0;
    for (size_t n = 0; n < sizeof sign / sizeof sign[0]; n++) launched |= getenv(sign[n]) != NULL;
    return launched;
}

int main(int argc, char **argv)
{
    struct comm c = {.rank = 0, .size = 1};
    const char *name = argc > 1 ? argv[1] : "";
    const struct command *command = command_find(name);
    int rc = SF_OK;
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) version_print();
    else if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) help_print();
    else if (!name[0]) rc = sf_fail(SF_USAGE, __FILE__, __LINE__, "which command? `sferic --help` lists them");
    else if (!command) rc = command_unknown(name);
    else {
        if (command->ranks && is_launched()) rc = comm_begin(&argc, &argv, &c);
        sf_log_setup(c.rank, 0);
        if (!rc) rc = command->run(&c, argc - 1, argv + 1);
        if (rc == OPTIONS_HELPED) rc = SF_OK;
        if (rc == SF_COMM && c.size > 1) job_end(rc, c.rank);
    }
    if (rc && c.rank == 0) failure_tell(rc, 0);
    if ((fflush(stdout) || ferror(stdout)) && !rc) { /* what an earlier flush lost counts, too */
        fprintf(stderr, "sferic: error: standard output cannot be written\n");
        rc = SF_IO;
    }
    comm_end();
    if (rc == SF_IO || ncfile_has_failed()) _exit(rc);
    return rc;
}
