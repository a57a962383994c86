/* The fused stage on a GPU: all five tendencies of a point in one visit. SPDX-License-Identifier: MIT */
#include "dynamics/advmix_tiles.cuh"

#include <type_traits>

/* What was fastest on an H200; twice the registers in double precision. */
typedef tile<SF_PREC == 64 ? 1 : 2, 16, 8, SF_PREC == 64 ? 2 : 3> chosen;

typedef void advmix_launch(const struct slab *s, struct box b, const struct dynamics *d, void *stream);

template <class T> static void fourth_launch(const struct slab *s, struct box b, const struct dynamics *d, void *stream)
{
    form_launch<MIX_FOURTH>(T(), s, b, d, stream);
}

/* All forms with 4th-order mixing, which the model has by default; other mixing takes the chosen one. */
static advmix_launch *const fourth[] = {
#define FORM(name, ...) fourth_launch<__VA_ARGS__>,
#include "dynamics/advmix_forms.def"
};

static int chosen_find(void)
{
    int n = 0, found = 0;
#define FORM(name, ...) found = std::is_same<chosen, __VA_ARGS__>::value ? n : found, n++;
#include "dynamics/advmix_forms.def"
    return found;
}

extern "C" {
const struct candidate advmix_candidate[ADVMIX_FORMS] = {
#define FORM(name, ...) candidate_of<__VA_ARGS__>(name),
#include "dynamics/advmix_forms.def"
};
}

extern "C" void advmix_run_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    const struct dynamics *d = (const struct dynamics *)c->ctx;
    const int kind = d->kind;
    if (kind == MIX_FOURTH) {
        static const int own = chosen_find();
        fourth[c->shape ? c->shape - advmix_candidate : own](s, b, d, stream);
        return;
    }
    switch (kind) {
#define LITERAL_kind(kind)                                                                                             \
    case kind:                                                                                                         \
        form_launch<kind>(chosen(), s, b, d, stream);                                                                  \
        break;
#include "dynamics/weather_forms.def"
    }
}
