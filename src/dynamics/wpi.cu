/* The small steps of w and pi' on a GPU. SPDX-License-Identifier: MIT */
#include "dynamics/wpi_kernels.cuh"

typedef void wpi_launch(const struct slab *s, struct box b, const struct dynamics *d, real dtau, void *stream);

template <int start, class T>
static void form_start(const struct slab *s, struct box b, const struct dynamics *d, real dtau, void *stream)
{
    form_launch<start>(T(), s, b, d, dtau, stream);
}

/* A form and the levels that it is for. */
static const struct {
    wpi_launch *launch[3]; /* of enum start */
    int most;
} form[] = {
#define FORM(name, ...)                                                                                                       \
    {{form_start<START_FIRST, __VA_ARGS__>, form_start<START_SAVED, __VA_ARGS__>, form_start<START_HERE, __VA_ARGS__>},       \
     __VA_ARGS__::MOST},
#include "dynamics/wpi_forms.def"
};

extern "C" {
const struct candidate wpi_candidate[WPI_FORMS] = {
#define FORM(name, ...) candidate_of<__VA_ARGS__>(name),
#include "dynamics/wpi_forms.def"
};
int wpi_choice = 1; /* levels together */
}

/* The first form is for all. */
static void wpi_run(const struct slab *s, struct box b, const struct call *c, int start, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    form[d->nk <= form[wpi_choice].most ? wpi_choice : 0].launch[start](s, b, d, c->dt, stream);
}

extern "C" void wpi_first_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    wpi_run(s, b, c, START_FIRST, stream);
}

extern "C" void wpi_start_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    wpi_run(s, b, c, START_SAVED, stream);
}

extern "C" void wpi_next_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    wpi_run(s, b, c, START_HERE, stream);
}
