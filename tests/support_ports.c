/* Results of ports. SPDX-License-Identifier: MIT */
#include "support_ports.h"

#include "maxwell/port.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

double *ports_variable(const struct session *s, const char *name, double **memory)
{
    const struct result *r = NULL;
    double *out[PORT_VARIABLES], *found = NULL;
    for (int n = 0; n < s->in.nresults; n++)
        if (!strcmp(s->in.result[n].file, "ports.nc")) r = &s->in.result[n];
    cr_assert(r && r->nvariables == PORT_VARIABLES);
    *memory = calloc(PORT_VARIABLES * PORTS_ROOM, sizeof **memory);
    cr_assert(*memory);
    for (int v = 0; v < PORT_VARIABLES; v++) {
        out[v] = *memory + PORTS_ROOM * v;
        if (!strcmp(r->variable[v].name, name)) found = out[v];
    }
    cr_assert_eq(r->fill(r, &s->state, out), SF_OK, "%s", sf_error_text());
    cr_assert(found, "%s", name);
    return found;
}
