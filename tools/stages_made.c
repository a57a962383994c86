/* Prints what the build makes of descriptions of stages, and of headers: `stages_made WHAT FILE...`. NAME_made.h is the
 * code of the stages of NAME.sf, which is among the files. SPDX-License-Identifier: MIT */
#include "stages/describe.h"

#include <stdlib.h>
#include <string.h>

static char *text_read(const char *path)
{
    FILE *const from = fopen(path, "r");
    char *text = NULL;
    size_t n = 0;
    if (!from || (getdelim(&text, &n, '\0', from) < 0 && ferror(from))) {
        fprintf(stderr, "stages_made: %s cannot be read\n", path);
        exit(EXIT_FAILURE);
    }
    fclose(from);
    return text;
}

/* A file as a row {name, text} of a table. */
static void text_print(const char *directory, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    printf("{\"%s\",\n\"", name);
    for (const char *c = text_read(path); *c; c++)
        if (*c == '\n') printf("\\n\"\n\"");
        else printf(*c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    printf("\"},\n");
}

/* DIRECTORY/NAME.sf of NAME_made.h; NULL: not there. */
static const struct sheet *sheet_find(const struct description *d, const char *made)
{
    for (int n = 0; n < d->nsheets; n++) {
        const char *const slash = strrchr(d->sheet[n].path, '/'), *const name = slash ? slash + 1 : d->sheet[n].path;
        const size_t length = strcspn(name, ".");
        if (!strncmp(made, name, length) && !strcmp(made + length, "_made.h")) return &d->sheet[n];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct description d = {0};
    if (argc < 3) {
        fprintf(
            stderr,
            "usage: stages_made fields.def|forms.def|made.def|NAME_made.h FILE..., or texts.def DIRECTORY NAME...\n");
        return EXIT_FAILURE;
    }
    for (int n = 3; n < argc && !strcmp(argv[1], "texts.def"); n++) text_print(argv[2], argv[n]);
    if (!strcmp(argv[1], "texts.def")) return EXIT_SUCCESS;
    for (int n = 2; n < argc; n++) describe_read(&d, argv[n], text_read(argv[n]));
    describe_settle(&d);
    if (d.nerrors) return fprintf(stderr, "%s", d.errors), EXIT_FAILURE;
    if (!strcmp(argv[1], "fields.def")) describe_print_fields(&d, stdout);
    else if (!strcmp(argv[1], "forms.def")) describe_print_forms(&d, stdout);
    else if (!strcmp(argv[1], "made.def")) describe_print_table(&d, stdout);
    else {
        const struct sheet *const of = sheet_find(&d, argv[1]);
        if (!of) return fprintf(stderr, "stages_made: no file for %s\n", argv[1]), EXIT_FAILURE;
        describe_print_sheet(&d, of, stdout);
    }
    return EXIT_SUCCESS;
}
