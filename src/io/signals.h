/* Requests to stop, and the wall clock. A run looks between two passes, checkpoints and ends with SF_STOPPED.
 * SPDX-License-Identifier: MIT */
#pragma once

/* Catch SIGUSR1, SIGTERM, SIGINT and, unless it is ignored as under nohup, SIGHUP; a second SIGINT within 2 s ends the
 * process at once. `notice` (NULL: none), which stays the caller's, goes to stderr at a SIGINT, for steps may take a
 * while to end. Ignore SIGPIPE and SIGXFSZ, so that a write fails with EPIPE or EFBIG instead. Starts the wall clock.
 * Errors: SF_INTERNAL. */
int signals_install(const char *notice);

/* The signal that asked this process to stop, 0 when none did. Ranks may differ: take the largest of all. */
int signals_pending(void);

/* What to call it in a message: "SIGTERM"; "the wall limit" for SIGNALS_WALL. */
enum { SIGNALS_WALL = 1000 };
const char *signals_name(int reason);

/* Wall seconds since signals_install; 0 before it. */
double signals_wall(void);
/* signals_pending, or SIGNALS_WALL when `limit` seconds (0: none) have gone by. */
int signals_stop_reason(double limit);
