/* Names that sort. SPDX-License-Identifier: MIT */
#include "io/history_name.h"

#include "pipeline/config.h"
#include "pipeline/error.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_DIGITS = 8, STEP_DIGITS = 9, MOST_DIGITS = 32 };

static const char prefix[] = "history_";

int history_digits(const struct instance *in)
{
    char last[400];
    const double duration = in->config->time_duration, dt = in->dt_fixed;
    if (dt > 0)
        snprintf(last, sizeof last, "%.0f", duration / dt + 1); /* the duration is made a whole number of steps */
    else snprintf(last, sizeof last, "%.3f", duration);
    const int digits = (int)strcspn(last, "."), least = dt > 0 ? STEP_DIGITS : TIME_DIGITS;
    return digits < least ? least : digits < MOST_DIGITS ? digits : MOST_DIGITS;
}

void history_name(const struct instance *in, int digits, double time, char *name, size_t size)
{
    if (in->dt_fixed > 0) snprintf(name, size, "%s%0*.0f.nc", prefix, digits, time / in->dt_fixed);
    else snprintf(name, size, "%s%0*.3f.nc", prefix, digits + 4, time);
}

/* Digits before the point of a history file's name; 0: it is none. */
static int digits_of(const char *name)
{
    if (strncmp(name, prefix, sizeof prefix - 1)) return 0;
    const char *const number = name + sizeof prefix - 1;
    const size_t digits = strspn(number, "0123456789"), point = number[digits] == '.' ? 1 : 0;
    const size_t decimals = point ? strspn(number + digits + 1, "0123456789") : 0;
    const char *const end = number + digits + (decimals ? 1 + decimals : 0);
    return digits <= MOST_DIGITS && !strcmp(end, ".nc") ? (int)digits : 0;
}

/* Directory/history_0..0<the rest of the name>. */
static int name_widen(const char *directory, const char *name, int digits)
{
    const size_t size = 2 * (strlen(directory) + strlen(name) + MOST_DIGITS + 2);
    char *const from = malloc(size), *const to = from ? from + size / 2 : NULL;
    SF_CHECK(from, SF_MEMORY, "no memory for the name of '%s'", name);
    snprintf(from, size / 2, "%s/%s", directory, name);
    snprintf(to, size / 2, "%s/%s%0*d%s", directory, prefix, digits - digits_of(name), 0, name + sizeof prefix - 1);
    const int why = rename(from, to) ? errno : 0;
    const int rc = why ? sf_fail(SF_IO, __FILE__, __LINE__, "cannot rename '%s' to '%s', so that names sort: %s", from,
                                 to, strerror(why))
                       : SF_OK;
    free(from);
    return rc;
}

/* Calls name_widen for files with fewer digits, or without `widen` finds the most. */
static int names_scan(const char *directory, int widen, int *digits)
{
    int rc = SF_OK;
    DIR *const dir = opendir(directory);
    SF_CHECK(dir, SF_IO, "cannot read the directory '%s': %s", directory, strerror(errno));
    for (const struct dirent *e; !rc && (e = readdir(dir));) {
        const int n = digits_of(e->d_name);
        if (!n) continue;
        if (!widen && n > *digits) *digits = n;
        if (widen && n < *digits) rc = name_widen(directory, e->d_name, *digits);
    }
    closedir(dir);
    return rc;
}

int history_names_widen(const char *directory, int *digits)
{
    SF_TRY(names_scan(directory, 0, digits));
    return names_scan(directory, 1, digits);
}
