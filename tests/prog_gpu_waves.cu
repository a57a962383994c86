/* H and E on a GPU: the kernels that a run takes against those that are made of waves.sf, bits: `prog_gpu_waves`.
 *
 * Random fields, media, layers and spacings on domains of odd sizes; no netCDF, no model. Nothing but the box and its
 * memories may be written. Exit code 1 when they differ. SPDX-License-Identifier: MIT */
#define SF_MADE_HANDED(...)
#include "maxwell/made.cu"
#include "maxwell/yee.cu"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void need(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    std::exit(1);
}

static uint32_t seed = 1;
static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}
static real share(void) { return (real)draw(1 << 16) / (1 << 16) - R(0.5); }

/* One block of the device, whose parts are taken from its begin on. */
struct memory {
    std::vector<real> host;
    real *device;
    size_t taken;
    real *take(size_t n)
    {
        real *const at = device + taken;
        for (size_t m = 0; m < n; m++) host[taken + m] = share();
        taken += (n + 63) / 64 * 64;
        if (taken > host.size()) std::abort();
        return at;
    }
};

enum { ROOM = 1 << 20, MEDIA = 300 };

struct world {
    struct maxwell x;
    struct slab s;
    struct memory all;
};

static void media_take(struct world *w, size_t size)
{
    struct maxwell *const x = &w->x;
    x->e_wide = (int)draw(3), x->h_wide = (int)draw(3);
    for (struct coefficients *c : {&x->e, &x->h}) {
        *c = {};
        c->n = MEDIA, c->keep = w->all.take(MEDIA), c->turn = w->all.take(MEDIA);
    }
    for (int c = 0; c < 6; c++) {
        real *const at = w->all.take(size);
        unsigned char *const bytes = (unsigned char *)(w->all.host.data() + (at - w->all.device));
        const int wide = c < 3 ? x->e_wide : x->h_wide;
        for (size_t m = 0; m < size; m++) {
            if (wide == 1) bytes[m] = (unsigned char)draw(256);
            else ((unsigned short *)bytes)[m] = (unsigned short)draw(MEDIA);
        }
        w->s.f[F_MEX + c] = (real *)((unsigned char *)at + (w->s.sj + w->s.sk + 1) * wide);
    }
}

static void world_make(struct world *w)
{
    const int n[3] = {1 + (int)draw(100), 1 + (int)draw(6), 1 + (int)draw(7)};
    std::memset(&w->x, 0, sizeof w->x), std::memset(&w->s, 0, sizeof w->s), w->all.taken = 0;
    for (int a = 0; a < 3; a++) {
        struct axis_lines *const l = &w->x.axis[a];
        const size_t m = (size_t)n[a] + 1;
        l->n = n[a], l->low = l->wide_low = (int)draw((uint32_t)(n[a] / 2 + 1));
        l->high = l->wide_high = (int)draw((uint32_t)(n[a] / 2 + 1));
        l->h = w->all.take(m), l->e = w->all.take(m), l->bh = w->all.take(m), l->ah = w->all.take(m);
        l->be = w->all.take(m), l->ae = w->all.take(m), w->x.periodic[a] = draw(2) != 0;
    }
    w->x.ni = n[0], w->x.nj = n[1], w->x.nk = n[2];
    w->x.ext_i = (int)draw(2), w->x.ext_k = (int)draw(2), w->x.ext_j = w->x.periodic[1] ? 0 : (int)draw(2);
    const int rows = n[1] + w->x.ext_j;
    w->s.sk = n[0] + 4, w->s.sj = w->s.sk * (n[2] + 4);
    const size_t size = (size_t)w->s.sj * (size_t)(rows + 2);
    for (int c = 0; c < 6; c++) w->s.f[c] = w->s.w[c] = w->all.take(size) + w->s.sj + w->s.sk + 1;
    for (int m = 0; m < 24; m++) {
        const struct axis_lines *const l = &w->x.axis[m / 8];
        const int wide = m / 4 % 2 ? l->wide_high : l->wide_low;
        const int columns = m / 8 == AX ? wide : n[0] + w->x.ext_i, levels = m / 8 == AZ ? wide : n[2] + w->x.ext_k;
        w->s.f[F_PSI_W + m] = w->s.w[F_PSI_W + m] = w->all.take((size_t)columns * (size_t)levels * (size_t)rows + 1);
    }
    media_take(w, size);
}

static std::vector<real> run(const struct world *w, stage_launch *stage, struct box b)
{
    std::vector<real> values(w->all.host.size());
    struct call c;
    std::memset(&c, 0, sizeof c), c.ctx = &w->x;
    need(cudaMemcpy(w->all.device, w->all.host.data(), values.size() * sizeof(real), cudaMemcpyHostToDevice), "to it");
    stage(&w->s, b, &c, NULL);
    need(cudaDeviceSynchronize(), "a kernel");
    need(cudaMemcpy(values.data(), w->all.device, values.size() * sizeof(real), cudaMemcpyDeviceToHost), "from it");
    return values;
}

int main(void)
{
    enum { TRIALS = 60 };
    static struct world w;
    int wrong = 0;
    w.all.host.resize(ROOM);
    need(cudaMalloc((void **)&w.all.device, ROOM * sizeof(real)), "memory");
    for (int n = 0; n < TRIALS; n++) {
        world_make(&w);
        const int ni = w.x.ni + w.x.ext_i, nk = w.x.nk + w.x.ext_k, nj = w.x.nj + w.x.ext_j;
        const struct box b = {(int)draw((uint32_t)ni), ni, (int)draw((uint32_t)nk), nk, (int)draw((uint32_t)nj), nj};
        const std::vector<real> hand = run(&w, n % 2 ? yee_e_run_gpu : yee_h_run_gpu, b),
                                made = run(&w, n % 2 ? e_made_run_gpu : h_made_run_gpu, b);
        const size_t bytes = hand.size() * sizeof(real);
        if (!std::memcmp(hand.data(), w.all.host.data(), bytes) || std::memcmp(hand.data(), made.data(), bytes) != 0) {
            std::printf("%s of %d x %d x %d cells: other bits\n", n % 2 ? "E" : "H", w.x.ni, w.x.nj, w.x.nk);
            wrong = 1;
        }
    }
    need(cudaFree(w.all.device), "memory");
    if (!wrong) std::printf("%d domains: the same bits\n", (int)TRIALS);
    return wrong;
}
