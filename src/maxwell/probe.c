/* SPDX-License-Identifier: MIT */
#include "maxwell/maxwell.h"
void probe_run(const struct slab *s, struct box b, const struct call *c) { (void)s, (void)b, (void)c; }
