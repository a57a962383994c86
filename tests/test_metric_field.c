/* The stages of the weather compile with metric terms that are fields of three dimensions. SPDX-License-Identifier: MIT
 */
#define SF_METRIC METRIC_FIELD
#include "support_metric.h"

Test(metric_field, a_field_is_a_profile_in_every_column) { metrics_compare(); }
