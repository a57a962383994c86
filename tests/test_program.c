/* Programs that grow. SPDX-License-Identifier: MIT */
#include "pipeline/program.h"

#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(program, grows_and_keeps_what_it_has)
{
    struct op *list = NULL;
    int n = 0;
    for (int m = 0; m < 1000; m++) {
        cr_assert_eq(program_add(&list, &n, (struct op){.stage = m, .every = m + 1}), SF_OK);
        cr_assert_eq(n, m + 1);
    }
    for (int m = 0; m < n; m++) cr_assert(list[m].stage == m && list[m].every == m + 1, "op %d", m);
    free(list);
}
