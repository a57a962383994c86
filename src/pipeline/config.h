/* The values of the keys that every model has (config.def). SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/params.h"

struct config {
#define PARAM SF_PARAM_MEMBER
#define PARAMS SF_PARAMS_MEMBER
#include "pipeline/config.def"
};

enum exchange { EXCHANGE_AUTO, EXCHANGE_PASS, EXCHANGE_OP };

extern const struct param config_table[];
extern const int config_table_size;

/* What one key alone cannot show to be wrong: names that cannot be, heights that contradict. */
int config_check(const struct config *c);
