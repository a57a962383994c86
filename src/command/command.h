/* The commands of the program, and what they share: options, help, lines of text.
 *
 * A command gets its name in argv[0] and returns an enum sf_code; a failure has a message by then. All ranks run it and
 * all return the same code, SF_COMM excepted. SPDX-License-Identifier: MIT */
#pragma once

#include "command/cases.h"
#include "pipeline/comm.h"
#include "pipeline/model.h"
#include "pipeline/outcome.h"

int command_run(struct comm *c, int argc, char **argv);
int command_ports(struct comm *c, int argc, char **argv);
int command_check(struct comm *c, int argc, char **argv);
int command_plan(struct comm *c, int argc, char **argv);
int command_cases(struct comm *c, int argc, char **argv);
int command_explain(struct comm *c, int argc, char **argv);
int command_verify(struct comm *c, int argc, char **argv);
int command_bench(struct comm *c, int argc, char **argv);
int command_doctor(struct comm *c, int argc, char **argv);
int command_report(struct comm *c, int argc, char **argv);

/* ---- the models, models.c ---- */

extern const struct model *const models[];
extern const int models_count;

/* ---- options, options.c ---- */

struct option {
    const char *name; /* "--set" */
    const char *letter; /* "-q", NULL: none */
    const char *value; /* what its value is called in the help, NULL: it takes none */
    const char *meaning;
};

/* A command line's form. `take` is called for every option, and with option NULL for every other argument. */
struct usage {
    const char *name, *arguments, *about;
    const struct option *option;
    int noptions;
    int (*take)(void *to, const struct option *o, const char *value);
};

enum { OPTIONS_HELPED = -1 };

/* Read the arguments behind argv[0]. Options take their value as `--set VALUE` or `--set=VALUE`. Errors: SF_USAGE.
 * OPTIONS_HELPED: --help was asked for and printed (on rank 0). */
int options_read(const struct usage *u, int rank, int argc, char **argv, void *to);

/* The word of `words` that begins with `word`, of three letters or more, or else the nearest to it; NULL when none is
 * near. */
const char *word_near(const char *word, const char *const *words, int n);

/* What run, check and plan are all told: the namelist and overrides. */
enum { CASE_SETS = 256 };
struct case_arguments {
    const char *path;
    char found[CASE_PATH]; /* of a case that comes with the program */
    const char *set[CASE_SETS];
    int nsets;
    char backend[64];
};

#define CASE_OPTIONS                                                                                                   \
    {"--set", NULL, "G%K=VALUE", "put VALUE in place of the namelist's, of a list all of it: --set time%duration=60"}, \
    {                                                                                                                  \
        "--backend", NULL, "NAME", "where to compute: auto, cpu or cuda"                                               \
    }

/* Take an option of CASE_OPTIONS or the namelist; *taken: 0 when it is another option. Errors: SF_USAGE. */
int case_take(struct case_arguments *a, const struct option *o, const char *value, int *taken);
/* There must be a case. A name that is no file, has no '/' and no ending stands for a case that comes with the program,
 * whose file then is the path. Collective. Errors: SF_USAGE; SF_NAMELIST: no file and no case, with the nearest name.
 */
int case_check(const struct comm *c, struct case_arguments *a, const char *command);

/* ---- version.c ---- */

void version_print(void);
const char *version_source(void); /* "Sferic 0.1.0 (hash)" */
