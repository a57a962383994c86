/* The table of the common keys, and what must hold between them. SPDX-License-Identifier: MIT */
#include "pipeline/config.h"

#include "pipeline/error.h"

#define SF_PARAM_STRUCT struct config
const struct param config_table[] = {
#define PARAM SF_PARAM_ROW
#define PARAMS SF_PARAMS_ROW
#include "pipeline/config.def"
};
const int config_table_size = (int)(sizeof config_table / sizeof config_table[0]);

int config_check(const struct config *c)
{
    SF_CHECK(c->grid_dz_max >= c->grid_dz, SF_NAMELIST, "&grid: dz_max (%g m) must not be less than dz (%g m)",
             c->grid_dz_max, c->grid_dz);
    SF_CHECK(c->case_name[0], SF_NAMELIST, "&case: name must not be empty");
    for (const char *p = c->case_name; *p; p++)
        SF_CHECK((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '-' ||
                     *p == '_',
                 SF_NAMELIST, "&case: name '%s' may hold letters, digits, - and _ only", c->case_name);
    return SF_OK;
}
