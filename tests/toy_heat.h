/* A third model, for tests: heat in a box, u_t = kappa (u_xx + u_yy + u_zz), by one forward step of second order.
 * Sides: periodic, wall (u = 0 on the face) or symmetric (insulated).
 * SPDX-License-Identifier: MIT */
#pragma once

#include "support_sides.h"
#include "pipeline/config.h"
#include "pipeline/model.h"

enum heat_field { HEAT_U, HEAT_LAPLACIAN, HEAT_FIELDS };

struct heat_params {
    double heat_kappa; /* m2 s-1 */
    int sides[3]; /* enum side across x, y and z */
};

extern const struct model heat_model;
