/* Tables in plain memory: this build has no device. SPDX-License-Identifier: MIT */
#include "pipeline/tables.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

void *table_alloc(size_t bytes)
{
    const size_t whole = (bytes + LINE) / LINE * LINE;
    void *const table = aligned_alloc(LINE, whole);
    return table ? memset(table, 0, whole) : NULL;
}

void table_free(void *table) { free(table); }
