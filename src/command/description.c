/* Descriptions of models: where their files are. SPDX-License-Identifier: MIT */
#include "command/description.h"

#include "io/namelist.h"
#include "pipeline/error.h"
#include "stages/described.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int description_is(const char *name)
{
    const size_t n = strlen(name);
    return n > 3 && !strcmp(name + n - 3, ".sf");
}

int description_load(const char *namelist, const char *name, char path[DESCRIPTION_PATH], char **text, int *is_file)
{
    static const char folder[] = "models/"; /* of what comes with the program, beside its namelists */
    const char *const slash = strrchr(namelist, '/');
    size_t n;
    FILE *from = NULL;
    for (int beside = name[0] != '/' && slash; beside >= 0 && !from; beside--) {
        const int m =
            snprintf(path, DESCRIPTION_PATH, "%.*s%s", beside ? (int)(slash - namelist + 1) : 0, namelist, name);
        SF_CHECK(m < DESCRIPTION_PATH, SF_INPUT, "the path of the model's description is too long: %s", name);
        from = fopen(path, "r");
    }
    const char *const shipped =
        described_shipped(strncmp(name, folder, sizeof folder - 1) ? name : name + sizeof folder - 1);
    *is_file = from != NULL;
    if (!from && shipped) {
        snprintf(path, DESCRIPTION_PATH, "%s", name);
        *text = strdup(shipped);
        SF_CHECK(*text, SF_MEMORY, "no memory for the description of a model");
        return SF_OK;
    }
    SF_CHECK(from, SF_INPUT, "model '%s': there is no such file, neither beside %s nor in this directory", name,
             namelist[0] ? namelist : "a namelist");
    fclose(from);
    SF_TRY(namelist_load(path, text, &n));
    if (memchr(*text, '\0', n)) {
        free(*text), *text = NULL;
        SF_FAIL(SF_INPUT, "%s is no text: it has a byte that is 0", path);
    }
    char *const ended = realloc(*text, n + 1);
    SF_CHECK(ended, SF_MEMORY, "no memory for the description of a model");
    *text = ended, ended[n] = '\0';
    return SF_OK;
}
