/* Prints what the build makes of descriptions of stages, and of headers: `stages_made WHAT FILE...`. NAME_made.h is the
 * code of the stages of NAME.sf, which is among the files. `stages_made WHAT=PATH... FILE...` writes several into files
 * and reads the descriptions once. SPDX-License-Identifier: MIT */
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

static int made_print(const struct description *d, const char *what, FILE *to)
{
    if (!strcmp(what, "fields.def")) describe_print_fields(d, to);
    else if (!strcmp(what, "forms.def")) describe_print_forms(d, to);
    else if (!strcmp(what, "made.def")) describe_print_table(d, to);
    else if (!strcmp(what, "packs.h")) describe_print_packs(d, to);
    else {
        const struct sheet *const of = sheet_find(d, what);
        if (!of) return fprintf(stderr, "stages_made: no file for %s\n", what), EXIT_FAILURE;
        describe_print_sheet(d, of, to);
    }
    return EXIT_SUCCESS;
}

/* WHAT=PATH */
static int made_write(const struct description *d, char *what)
{
    char *const path = strchr(what, '=');
    *path = '\0';
    FILE *const to = fopen(path + 1, "w");
    const int bad = !to || made_print(d, what, to);
    if (to && !fclose(to) && !bad) return EXIT_SUCCESS;
    return fprintf(stderr, "stages_made: %s is not written\n", path + 1), EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct description d = {0};
    int first = 2;
    if (argc < 3) {
        fprintf(stderr,
                "usage: stages_made fields.def|forms.def|made.def|packs.h|NAME_made.h FILE..., or several of these, "
                "each as WHAT=PATH, or texts.def DIRECTORY NAME...\n");
        return EXIT_FAILURE;
    }
    for (int n = 3; n < argc && !strcmp(argv[1], "texts.def"); n++) text_print(argv[2], argv[n]);
    if (!strcmp(argv[1], "texts.def")) return EXIT_SUCCESS;
    while (first < argc && strchr(argv[first - 1], '=') && strchr(argv[first], '=')) first++;
    for (int n = first; n < argc; n++) describe_read(&d, argv[n], text_read(argv[n]));
    describe_settle(&d);
    if (d.nerrors) return fprintf(stderr, "%s", d.errors), EXIT_FAILURE;
    if (!strchr(argv[1], '=')) return made_print(&d, argv[1], stdout);
    for (int n = 1; n < first; n++)
        if (made_write(&d, argv[n])) return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
