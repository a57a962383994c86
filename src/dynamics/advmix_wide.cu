/* The fused stage of 5th and 6th order on a GPU: the five tendencies of a tile in two visits.
 * SPDX-License-Identifier: MIT */
#include "dynamics/advmix_wide_tiles.cuh"

#include <type_traits>

typedef void wide_launch(const struct slab *s, struct box b, const struct dynamics *d, void *stream);

template <class T> static void upwind_launch(const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    form_launch<UPWIND_FOURTH>(T(), s, b, d, stream);
}

/* All forms upwind with 4th-order mixing, as storms have it; other kinds take the chosen one. */
static wide_launch *const upwind[] = {
#define FORM(name, ...) upwind_launch<__VA_ARGS__>,
#include "dynamics/advmix_wide_forms.def"
};

static int chosen_find(void)
{
    int n = 0, found = 0;
#define FORM(name, ...) found = std::is_same<wide_chosen, __VA_ARGS__>::value ? n : found, n++;
#include "dynamics/advmix_wide_forms.def"
    return found;
}

extern "C" {
const struct candidate advmix_wide_candidate[ADVMIX_WIDE_FORMS] = {
#define FORM(name, ...) candidate_of<__VA_ARGS__>(name),
#include "dynamics/advmix_wide_forms.def"
};
}

extern "C" void advmix_wide_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const int kind = d->kind;
    if (kind == UPWIND_FOURTH) {
        static const int own = chosen_find();
        upwind[c->shape ? c->shape - advmix_wide_candidate : own](s, b, d, stream);
        return;
    }
    switch (kind) {
#define LITERAL_kind(kind)                                                                                             \
    case kind:                                                                                                         \
        form_launch<kind>(wide_chosen(), s, b, d, stream);                                                             \
        break;
#include "dynamics/weather_forms.def"
    }
}
