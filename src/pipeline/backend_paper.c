/* GPUs on paper. SPDX-License-Identifier: MIT */
#include "pipeline/backend_paper.h"

#include "pipeline/error.h"

#include <strings.h>

/* Memory that programs can have, and the rates that `sferic bench` measured: copies from and to the host at the same
 * time, and what kernels that copy read and write. */
struct paper {
    const char *name, *title;
    double memory; /* GiB */
    double in, out, within; /* bytes/s */
};

static const struct paper papers[] = {{"h100", "NVIDIA H100, on paper", 79, 50e9, 51e9, 3.05e12},
                                      {"h200", "NVIDIA H200, on paper", 139, 50.7e9, 51.2e9, 4.05e12}};
static const struct paper *chosen = papers;
static struct device_figures figures;

static size_t room(int ranks)
{
    (void)ranks; /* each has a GPU of its own */
    return (size_t)(chosen->memory * 1073741824.0);
}

static int grain(size_t *bytes)
{
    *bytes = (size_t)1 << 21;
    return SF_OK;
}

static int rates(double *in, double *out, double *within)
{
    *in = chosen->in, *out = chosen->out, *within = chosen->within;
    return SF_OK;
}

/* Nothing is under way. */
static int sync(enum lane lane)
{
    (void)lane;
    return SF_OK;
}

static const struct device_figures *device(void) { return &figures; }

static const struct backend backend_of_paper = {.name = "cuda",
                                                .line = 128,
                                                .is_device = 1,
                                                .room = room,
                                                .grain = grain,
                                                .sync = sync,
                                                .rates = rates,
                                                .device = device};

const struct backend *backend_paper(const char *name, int node)
{
    for (size_t n = 0; n < sizeof papers / sizeof *papers; n++) {
        if (strcasecmp(papers[n].name, name)) continue;
        chosen = &papers[n];
        figures = (struct device_figures){.name = chosen->title, .devices = node, .memory = room(1)};
        return &backend_of_paper;
    }
    return NULL;
}
