/* Names that files of output have themselves: what a model shows is called otherwise, and by more than case.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <strings.h>

static inline int name_is_taken(const char *name)
{
    static const char *const taken[] = {"time",     "time_h",   "x",      "y",      "z",        "x_f",
                                        "y_f",      "z_f",      "x_bnds", "y_bnds", "z_bnds",   "x_f_bnds",
                                        "y_f_bnds", "z_f_bnds", "grid",   "crs",    "latitude", "longitude"};
    for (size_t n = 0; n < sizeof taken / sizeof taken[0]; n++)
        if (!strcasecmp(name, taken[n])) return 1;
    return 0;
}
