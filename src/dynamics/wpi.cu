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
#define FORM(name, ...) candidate_of<__VA_ARGS__>(name, __VA_ARGS__::MOST),
#include "dynamics/wpi_forms.def"
};
int wpi_choice = -1;
}

/* Blocks whose warps all have levels are fastest where many of them follow each other on every multiprocessor: on an
 * H200 with 128 levels and 512 x 512 columns 66 Gpoint/s against 60 of levels together, and with 128 x 128 columns 38
 * against 47. */
static int blocks_fit(struct box b, const struct dynamics *d)
{
    enum { FORM = 2, MANY = 4096 };
    const struct candidate *const c = &wpi_candidate[FORM];
    const int blocks = (b.i1 - b.i0 + c->tile_i - 1) / c->tile_i * (b.j1 - b.j0);
    const int is_full = d->nk <= c->tile_k && d->nk > c->tile_k - c->tile_k / (c->threads / c->tile_i);
    return blocks >= MANY && is_full && c->shared <= LAUNCH_SHARED_MOST ? FORM : 0;
}

/* The first form is for all levels. */
static int form_for(struct box b, const struct dynamics *d)
{
    enum { LEVELS_TOGETHER = 1 };
    const int blocks = blocks_fit(b, d);
    if (wpi_choice >= 0 && d->nk <= form[wpi_choice].most) return wpi_choice;
    if (blocks) return blocks;
    return d->nk <= form[LEVELS_TOGETHER].most ? LEVELS_TOGETHER : 0;
}

static void wpi_run(const struct slab *s, struct box b, const struct call *c, int start, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    form[form_for(b, d)].launch[start](s, b, d, c->dt, stream);
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
