/* The stages of the weather compile with metric terms that are a map times a profile. SPDX-License-Identifier: MIT */
#define SF_METRIC METRIC_MAP
#include "support_metric.h"

Test(metric_map, a_map_times_a_profile_is_another_profile) { metrics_compare(); }
