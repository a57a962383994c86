/* What this binary is made of. SPDX-License-Identifier: MIT */
#include "command/command.h"

#include "io/library.h"
#include "pipeline/backend.h"
#include "version.h"

#include <stdio.h>

const char *version_source(void) { return "Sferic " SF_VERSION " (" SF_GIT_HASH ")"; }

void version_print(void)
{
    printf("sferic %s (%s)\n", SF_VERSION, SF_GIT_HASH);
    printf("%-10s %s\n", "compiler", SF_COMPILER);
    printf("%-10s %s\n", "flags", SF_FLAGS);
    printf("%-10s %d bits\n", "precision", SF_PREC);
    printf("%-10s %s\n", "MPI", comm_version());
    printf("%-10s %s\n", "files", library_version());
#ifdef _OPENMP
    printf("%-10s %d\n", "OpenMP", _OPENMP);
#else
    printf("%-10s none\n", "OpenMP");
#endif
    printf("%-10s %s\n", "CUDA", backend_toolkit());
    printf("%-10s", "models");
    for (int n = 0; n < models_count; n++) printf(" %s", models[n]->name);
    printf("\n");
}
