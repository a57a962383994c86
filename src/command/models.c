/* The models that the program has, one a line, in the order of &case model's choices. SPDX-License-Identifier: MIT */
#include "command/command.h"

#include "dynamics/dynamics.h"
#include "maxwell/maxwell.h"

const struct model *const models[] = {
    &dynamics_model,
    &maxwell_model,
};
const int models_count = (int)(sizeof models / sizeof models[0]);
