/* The parts of the group `em-bloch`. SPDX-License-Identifier: MIT */
#pragma once

#include "command/verify_em_analytic.h"
#include "command/verify_em_parts.h"

/* verify_em_angle.c: plates and gratings in a wave at an angle. */
int em_angle_rows(struct verify *v);
