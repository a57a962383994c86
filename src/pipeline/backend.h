/* Where slabs are computed: memory of a device and the transfers to and from it.
 *
 * The engine speaks to a device in three lanes (in, compute, out) ordered by events. The CPU's device is host memory, its
 * transfer is memcpy and its lanes run in the order they are given. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

enum lane { LANE_IN, LANE_COMPUTE, LANE_OUT, LANES };

struct backend {
    const char *name;
    void (*copy_in)(void *device, const void *host, size_t bytes);
    void (*copy_out)(void *host, const void *device, size_t bytes);
    void (*copy_within)(void *to, const void *from, size_t bytes);
    /* An event of lane `lane`; wait: what follows in the lane waits for the event. */
    void (*record)(enum lane lane, int event);
    void (*wait)(enum lane lane, int event);
    void (*sync)(void);
};

extern const struct backend backend_cpu;
