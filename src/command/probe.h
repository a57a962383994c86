/* Other programs of the machine: where they are, and what they say when asked. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

enum { PROBE_PATH = 4096 };

/* Where `name` is, on PATH unless it has a slash: 1 and `path`, of PROBE_PATH bytes; 0: nowhere, or not to be run. */
int probe_find(const char *name, char *path);

/* Run argv[0], a path, and wait for it, `seconds` at most; what it writes to its standard output, and with `errors` to
 * standard error too, is in `said`, cut to size - 1 bytes and closed by a zero. It reads nothing. Returns its exit
 * code, 128 and the signal that ended it, or -1: it did not start, or was ended after that time. */
int probe_ask(char *const *argv, double seconds, int errors, char *said, size_t size);

/* Where this program itself is: 1 and `path`, of PROBE_PATH bytes; 0: not known. */
int probe_self(char *path);
