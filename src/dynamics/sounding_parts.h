/* What the readers of the formats share: lines, numbers, levels. Each format is a row of the table in sounding_file.c;
 * its reader begins at the first line of the file, says whether the file is its own, and then reads all of it.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "dynamics/sounding_file.h"

#include <stddef.h>

#include "pipeline/error.h"
#include "pipeline/sferic.h"

#define SOUNDING_KNOT (1852.0 / 3600.0) /* m/s */

/* What was measured at one level, in SI but for temperatures; what is missing has no bit in `has`. */
enum {
    OBS_P = 1,
    OBS_Z = 2,
    OBS_T = 4,
    OBS_TD = 8,
    OBS_MIXR = 16,
    OBS_DIR = 32,
    OBS_SPEED = 64,
    OBS_THETA = 128,
    OBS_RH = 256
};
struct observation {
    unsigned has;
    double p, z; /* Pa, m */
    double t, td, theta; /* C, C, K */
    double mixr, rh; /* kg/kg; a share of 1, over water */
    double dir, speed; /* degrees from north clockwise from where it blows; m/s */
};

/* Why levels were left out, or what was done about them: how many, and the line of the first. */
struct dropped {
    int bare, bare_line; /* without temperature */
    int partial, partial_line; /* without pressure or height */
    int odd, odd_line; /* whose theta is not that of temperature and pressure */
    int moist, moist_line; /* whose dew point lies above the temperature */
};

int reader_is_digit(char c);
int reader_is_letter(char c);
const char *reader_skip_blanks(const char *s);
int reader_all_dashes(const char *s);
/* Copies at most size - 1 bytes; what a terminal should not be sent becomes '?'. */
void reader_copy(char *to, size_t size, const char *from, size_t length);
/* Reads a decimal number with an optional Fortran or C exponent from s, not beyond `end`. Returns the byte behind it,
 * NULL when there is none. */
const char *reader_number(const char *s, const char *end, double *value);
/* Up to `count` numbers of a line, separated by blanks or commas. Returns how many stand there. */
int reader_numbers(const char *line, double *x, int count);
/* The next line without its end, NULL after the last; the text is cut in place. */
char *reader_line(struct reader *r);
/* Takes <...> out of a line. Returns 1 when the line's first visible character began a tag. */
int reader_tags_strip(char *line);
/* Does the number say that there is none: -999 and below, and of the codes 999, 9999, 99999, 32767 those above what the
 * quantity can be? */
int reader_is_missing(double value, double most);

/* Errors: SF_INPUT with file and line. */
int reader_range(const struct reader *r, const char *what, double x, double min, double max, const char *unit);
int reader_level(struct reader *r, const struct level *l);
/* A level from what was measured: moisture from the mixing ratio, else the dew point, else the relative humidity
 * (Bolton 1980, eq. 10). A level without height is kept where `keeps_flat` says so: heights_fill gives it one. */
int reader_observe(struct reader *r, const struct observation *o, int keeps_flat, struct dropped *d);
void reader_dropped(struct reader *r, const struct dropped *d);
/* Heights of levels that have none (NAN), by hydrostatic balance from the nearest level below that has one, or above
 * where none has. Errors: SF_INPUT where no level has a height. */
int reader_heights_fill(struct reader *r);

/* The formats: *ours 1 where the file is of the format, and has been read. */
int sounding_listing_read(struct reader *r, int *ours);
int sounding_input_read(struct reader *r, int *ours);
int sounding_table_read(struct reader *r, int *ours);
int sounding_sharppy_read(struct reader *r, int *ours);
int sounding_igra_read(struct reader *r, int *ours);
int sounding_gsl_read(struct reader *r, int *ours);
