/* Line ports: what guides their wave. SPDX-License-Identifier: MIT */
#include "maxwell/port.h"

#include "pipeline/error.h"

/* The cross-section from the source to the cell before the plane must be one. */
static int line_check(const struct port *q, const struct section *there, const struct maxwell_params *p,
                      struct geometry *g, const struct media *m)
{
    const int a = q->mode.axis, plane = q->mode.low[a], source = plane - q->toward * PORT_BEHIND;
    const int first = SF_MIN(source, plane - (q->toward < 0)), last = SF_MAX(source, plane);
    int rc = SF_OK;
    for (int at = first; at <= last && !rc; at++) {
        struct section s;
        if (at == plane) continue;
        rc = section_take(&s, g, m, p, a, q->mode.low, q->mode.high, at);
        if (!rc && !section_same(&s, there))
            rc = sf_fail(
                SF_NAMELIST, __FILE__, __LINE__,
                "&port: port %d: its line changes within the cells from its source, %d cells behind its plane, to the cell before it: %c = %.6g and "
                "%.6g m differ; it must be uniform there",
                q->number, PORT_BEHIND, "xyz"[a], g -> axis[a].node[plane], g->axis[a].node[at]);
        section_free(&s);
    }
    return rc;
}

int port_line_settle(struct port *q, const struct maxwell_params *p, struct geometry *g, const struct media *m,
                     const struct axis_lines axis[3])
{
    struct section s;
    int rc = section_take(&s, g, m, p, q->mode.axis, q->mode.low, q->mode.high, q->mode.low[q->mode.axis]);
    if (!rc) rc = line_check(q, &s, p, g, m);
    if (!rc) rc = tem_make(&q->tem, &q->mode, &s, g, axis, p, q->centre, q->number);
    for (int n = 0; n < TEM_TESTS; n++) q->test[n] = q->tem.test[n];
    section_free(&s);
    return rc;
}
