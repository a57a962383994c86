/* The table of the common keys, and what must hold between them. SPDX-License-Identifier: MIT */
#include "pipeline/config.h"

#include "pipeline/complaint.h"

#include <string.h>

#define SF_PARAM_STRUCT struct config
const struct param config_table[] = {
#define PARAM SF_PARAM_ROW
#define PARAMS SF_PARAMS_ROW
#include "pipeline/config.def"
};
const int config_table_size = (int)(sizeof config_table / sizeof config_table[0]);

static int is_in(const char *words, char c) { return c && strchr(words, c) != NULL; }

/* YYYY-MM-DD hh:mm:ss of the Gregorian calendar, which began in 1582. */
static int is_date(const char *text)
{
    static const char form[] = "0000-00-00 00:00:00";
    static const int at[] = {0, 5, 8, 11, 14, 17}, days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int part[6] = {0};
    if (strlen(text) != sizeof form - 1) return 0;
    for (int n = 0; form[n]; n++)
        if (form[n] == '0' ? !is_in("0123456789", text[n]) : text[n] != form[n]) return 0;
    for (int n = 0; n < 6; n++)
        for (const char *c = text + at[n]; is_in("0123456789", *c); c++) part[n] = 10 * part[n] + (*c - '0');
    const int year = part[0], month = part[1], leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (year < 1583 || month < 1 || month > 12 || part[2] < 1 || part[2] > days[month - 1] + (month == 2 && leap))
        return 0;
    return part[3] < 24 && part[4] < 60 && part[5] < 60;
}

static int is_name(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && !is_in("0123456789-_", *c)) return 0;
    return 1;
}

void config_check(const struct config *c, struct complaints *to)
{
    if (c->grid_dz_max < c->grid_dz)
        sf_complain(to, "grid%dz_max grid%dz", -1, "dz_max (%g m) must not be less than dz (%g m)", c->grid_dz_max,
                    c->grid_dz);
    if (!c->case_name[0]) sf_complain(to, "case%name", -1, "name must not be empty");
    if (!is_name(c->case_name))
        sf_complain(to, "case%name", -1, "name '%s' may hold letters, digits, - and _ only", c->case_name);
    if (!is_date(c->time_start))
        sf_complain(to, "time%start", -1,
                    "'%s' is no date: expected 'YYYY-MM-DD hh:mm:ss', from 1583 on, such as "
                    "'2011-05-22 12:00:00'",
                    c->time_start);
    if (c->pipeline_exchange == EXCHANGE_OP && c->pipeline_slabs > 1)
        sf_complain_mildly(to, "pipeline%exchange pipeline%slabs", -1,
                           "slabs go through all ops of a pass: exchange = 'op' does not count");
}
