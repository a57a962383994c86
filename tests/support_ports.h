/* What a run's ports came to, by the names that ports.nc has. SPDX-License-Identifier: MIT */
#pragma once

#include "command/session.h"

enum { PORTS_ROOM = 64 }; /* values of a variable, at most */

/* The values of a variable of ports.nc, of the state as it is; they lie in *memory, which the caller frees. */
double *ports_variable(const struct session *s, const char *name, double **memory);
