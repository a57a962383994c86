/* libFuzzer entry of the namelist reader: any bytes, then what was accepted written and read back to the
 * same values.
 *     clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -Itests tests/fuzz_namelist.c
 *         src/io/namelist*.c src/io/signals.c src/pipeline/error.c -lm -o fuzz_namelist
 *     ./fuzz_namelist -max_total_time=600 corpus tests/namelists
 * SPDX-License-Identifier: MIT */
#include "io/namelist.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "namelist_schema.h"
#include "pipeline/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip_check(const struct test_params *p)
{
    char *text = NULL;
    struct test_params back;
    struct report r = {0};
    if (namelist_text(&p->schema, &text) || test_params_init(&back)) abort();
    if (namelist_parse(text, strlen(text), "back", &back.schema, &r)) abort();
    if (!test_params_same(p, &back)) abort();
    if (namelist_count(&p->schema, "output", "fields") != namelist_count(&back.schema, "output", "fields")) abort();
    free(text);
    report_free(&r);
    namelist_free(&back.schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct test_params p;
    struct report r = {0};
    sf_error_clear();
    if (test_params_init(&p)) abort();
    const int rc = namelist_parse((const char *)data, size, "fuzz", &p.schema, &r);
    if ((rc != 0) != (r.errors > 0) || (r.text && strlen(r.text) != r.len)) abort();
    round_trip_check(&p);

    char *assignment = malloc(size + 1);
    if (!assignment) return 0;
    memcpy(assignment, data, size);
    assignment[size] = '\0';
    namelist_set_report(assignment, &p.schema, &r);
    round_trip_check(&p);
    free(assignment);
    report_free(&r);
    namelist_free(&p.schema);
    return 0;
}
