/* Rows of a label and a text. SPDX-License-Identifier: MIT */
#include "command/rows.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static char *rows_of(const char *label, const char *text)
{
    char *said = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&said, &size);
    cr_assert_not_null(f);
    rows_print(f, label, "%s", text);
    fclose(f);
    return said;
}

Test(rows, part_at_semicolons_outside_of_brackets)
{
    static const char *const row[][3] = {
        {"grid", "8 cells", "  grid:        8 cells\n"},
        {"wall time", "about 3 s; 2 steps/s; 4 of them",
         "  wall time:   about 3 s\n               2 steps/s\n               4 of them\n"},
        {"time", "picked (light; or sound; both (a; b)); 9 times",
         "  time:        picked (light; or sound; both (a; b))\n               9 times\n"},
        {"of two words", "a;b;", "  of two words:a;b;\n"},
    };
    for (size_t n = 0; n < sizeof row / sizeof row[0]; n++) {
        char *const said = rows_of(row[n][0], row[n][1]);
        cr_expect_str_eq(said, row[n][2]);
        free(said);
    }
}

Test(rows, headings_stand_alone)
{
    char *said = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&said, &size);
    rows_head(f, "Cost");
    fclose(f);
    cr_expect_str_eq(said, "\nCost\n");
    free(said);
}
