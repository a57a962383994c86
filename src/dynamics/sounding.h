/* An observed or made-up sounding as a column of levels above the ground, whatever file it came from.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* What a reader or a set-up decided for the user: one line each, told once the whole set-up is good. */
struct notes {
    char text[4096];
};
void notes_add(struct notes *n, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One more in a list of words set apart by commas, as far as there is room. */
void words_add(char *list, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void notes_append(struct notes *n, const struct notes *more);
void notes_print(const struct notes *n); /* every line through sf_note */

enum { SOUNDING_MAX_LEVELS = 20000, SOUNDING_MAX_BYTES = 8 << 20 };

/* n >= 2 levels, heights strictly increasing from the ground up, pressure strictly decreasing. sounding_free
 * frees. */
struct sounding {
    int n;
    double *z; /* m above ground; z[0] is 0 in a Wyoming file and in an input_sounding */
    double *pressure; /* Pa; from the file, or hydrostatic from the surface pressure (input_sounding) */
    double *theta; /* K */
    double *theta_v; /* K: sounding_virtual */
    double *qv; /* kg/kg, water vapour mixing ratio */
    double *u, *v; /* m/s, eastward and northward */
    double surface_pressure; /* Pa, at z[0] */
    double elevation; /* m above sea level of z = 0; 0 for an input_sounding */
    char title[128]; /* printable ASCII, "" when the file has none */
    struct notes notes; /* what was dropped, interpolated, continued */
};

/* Where the file `path` lies: in `namelist_dir` (NULL or "": skipped), so that a namelist means the same from
 * everywhere, then as it stands (from the current directory), then, when the build defines SF_DATADIR, in that
 * directory and among its soundings/. Writes the first that exists to out[size]. Errors: SF_INPUT with `what` it is and
 * the places tried. */
int file_find(const char *what, const char *path, const char *namelist_dir, char *out, size_t size);
/* The same of a sounding. Errors: SF_NAMELIST for an empty path. */
int sounding_find(const char *path, const char *namelist_dir, char *out, size_t size);

/* Read a sounding, whatever its format: a University of Wyoming text listing (columns placed by its header line or
 * separated by tabs, HTML remnants skipped) or CSV (names and units in its header), SHARPpy's (%RAW%), IGRA 2's, GSL's
 * RAOB, or a WRF/CM1 input_sounding. Slips of units that can be known (kg/kg, km, feet, Pa) are mended and noted, those
 * that cannot are refused. `out` owns its arrays after success and needs nothing after a failure. Errors: SF_INPUT with
 * file and line; SF_MEMORY. Memory is bounded by SOUNDING_MAX_BYTES and SOUNDING_MAX_LEVELS. */
int sounding_read(const char *path, struct sounding *out);
void sounding_free(struct sounding *s);

/* Virtual potential temperature, K, of air with qv kg/kg of vapour. */
double sounding_virtual(double theta, double qv);
/* Saturation mixing ratio over water, kg/kg: Bolton's (1980, eq. 10) vapour pressure at t C, and p in Pa. */
double sounding_saturation(double t, double p);

/* Straight lines between n heights that rise, constant below the lowest and above the highest. */
double sounding_line(int n, const double *heights, const double *values, double z);
/* One of the sounding's columns at height z. */
double sounding_value(const struct sounding *s, const double *column, double z);
