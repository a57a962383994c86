/* The kernels of turbulence_members.h. SPDX-License-Identifier: MIT */
#include "dynamics/turbulence_members.h"

SF_MEMBERS_PART(stir_points, stir, 0, struct dynamics)
SF_PART_STAGE(stir, stir_points)
