/* The small steps of w and pi' on a GPU. SPDX-License-Identifier: MIT */
#include "dynamics/wpi_kernels.cuh"

typedef void wpi_launch(const struct slab *s, struct box b, const struct dynamics *d, real dtau, void *stream);

template <class T>
static void form_run(const struct slab *s, struct box b, const struct dynamics *d, real dtau, void *stream)
{
    form_launch(T(), s, b, d, dtau, stream);
}

/* A form and the levels that it is for. */
static const struct {
    wpi_launch *launch;
    int most;
} form[] = {
#define FORM(name, ...) {form_run<__VA_ARGS__>, __VA_ARGS__::MOST},
#include "dynamics/wpi_forms.def"
};

extern "C" {
const struct candidate wpi_candidate[WPI_FORMS] = {
#define FORM(name, ...) candidate_of<__VA_ARGS__>(name, __VA_ARGS__::MOST),
#include "dynamics/wpi_forms.def"
};
}

/* The first of wpi_forms.def, and the last. */
enum { FORM_COLUMN, FORM_LEVELS, FORM_BLOCKS, FORM_SMALL_BLOCKS, FORM_HIGH_BLOCKS, FORM_DESCRIBED = WPI_FORMS - 1 };

/* Does a form take the levels, in shared memory that every device has? Blocks of 64 bits do not. */
static int has_room(int n, int nk) { return nk <= form[n].most && wpi_candidate[n].shared <= LAUNCH_SHARED_MOST; }

/* What is fastest on an H200: for 128 levels and 512 x 512 columns blocks of 8 warps make 85 Gpoint/s, of 16 warps 69,
 * levels together 63; for 64 levels and 64 x 64 columns 18, 20 and 15: where there are few blocks, more warps of each
 * hide more. */
static int form_for(struct box b, const struct dynamics *d, const struct candidate *shape)
{
    enum { MANY = 1024 };
    const int blocks = (int)launch_blocks(b.i1 - b.i0, WARP) * (b.j1 - b.j0),
              fit = blocks < MANY ? FORM_SMALL_BLOCKS : FORM_BLOCKS;
    if (shape && d->nk <= form[shape - wpi_candidate].most) return (int)(shape - wpi_candidate);
    if (has_room(fit, d->nk)) return fit;
    if (has_room(FORM_HIGH_BLOCKS, d->nk)) return FORM_HIGH_BLOCKS;
    return d->nk <= form[FORM_LEVELS].most ? FORM_LEVELS : FORM_COLUMN;
}

extern "C" void wpi_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const int n = form_for(b, d, c->shape);
    form[n].launch(s, b, d, c->dt, stream);
    if (n != FORM_DESCRIBED)
        launch_sign((const void *)wpi_run_gpu); /* its kernel lets the next one in before it waits */
}
