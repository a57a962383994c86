/* How x and y of a run lie on the Earth, for its output: what CF calls a grid mapping. A model that knows sets
 * instance.mapping; nobody else looks at it. SPDX-License-Identifier: MIT */
#pragma once

struct instance;

enum { MAPPING_NUMBERS = 8 };

struct mapping {
    const char *name; /* grid_mapping_name of CF's appendix F */
    struct mapping_number {
        const char *name; /* of the attribute */
        int n; /* of its values: 1 or 2 */
        double value[2];
    } number[MAPPING_NUMBERS];
    int n;
    /* Degrees north and east of x, y, m. */
    void (*place)(const struct instance *in, double x, double y, double *latitude, double *longitude);
};
