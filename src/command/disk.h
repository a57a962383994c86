/* What a run will leave on the disk, and whether there is room for it. SPDX-License-Identifier: MIT */
#pragma once

#include "command/session.h"

/* Bytes. */
struct disk {
    double history, checkpoints, series, results; /* at the end of the run */
    double beside; /* at most, for a while: a third checkpoint, and the file that is written anew before the old one
                      goes */
};

/* On rank 0. Errors: SF_MEMORY. */
int disk_size(const struct session *s, struct disk *d);

/* Print it, and what is free where `out` is or would be made. On rank 0. Errors: SF_IO when it does not fit,
 * SF_MEMORY. */
int disk_check(const struct session *s, const char *out);
