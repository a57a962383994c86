/* Energies and magnitudes of a state on a GPU, by row. SPDX-License-Identifier: MIT */
extern "C" {
#include "maxwell/energy.h"
}
#include "pipeline/reduce.cuh"

/* Families are E and H. MOST: 1 with magnitudes, 0 without. */
template <int MOST> struct energy_body {
    enum { SUMS = 1, MAXIMA = MOST, FAMILIES = 2 };
    struct energies e;
    __device__ static double least(void) { return 0; }
    __device__ int lines(int kind, int j) const { return energy_lines(&e, kind, j); }
    __device__ struct energy_line line(const struct slab *s, int kind, int j, int l) const
    {
        return energy_line(&e, s, kind, j, l);
    }
    __device__ void point(const struct energy_line &l, int i, double *sum, double *most) const
    {
        sum[0] = energy_at(&l, i);
        if (MOST) most[0] = (double)magnitude_at(&l, i);
    }
};

template <int MOST>
static void energy_launch(const struct slab *s, int ja, int jb, const struct energies &e, double *out, void *stream)
{
    const struct energy_body<MOST> b = {
        e
    };
    reduce_rows_launch(s, ja, jb, b, out, stream);
}

extern "C" void energy_rows_gpu(const struct slab *s, int ja, int jb, double *out, const void *ctx, void *stream)
{
    const struct energies &e = *(const struct energies *)ctx;
    if (e.maxima) energy_launch<1>(s, ja, jb, e, out, stream);
    else energy_launch<0>(s, ja, jb, e, out, stream);
}
