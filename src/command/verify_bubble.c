/* A warm bubble in neutral air: mirror images to the last bit, and budgets. SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "dynamics/dynamics.h"
#include "pipeline/error.h"

#include <math.h>

enum { CELLS = 32 };

/* An image of the domain: x mirrored, y mirrored, or x and y exchanged. */
enum image { MIRROR_X, MIRROR_Y, EXCHANGE };

static real value(const struct session *s, int field, int j, int k, int i)
{
    const int nx = s->grid.nx, ny = s->grid.ny; /* periodic */
    return verify_line(s, field, (j + ny) % ny, k)[(i + nx) % nx];
}

/* The image of field value (j, k, i): a face n of the mirrored axis becomes face CELLS - n, with the sign of its
 * wind. */
static real imaged(const struct session *s, enum image m, int field, int j, int k, int i)
{
    const int along = m == MIRROR_X ? F_U : F_V;
    if (m == EXCHANGE) return value(s, field == F_U ? F_V : field == F_V ? F_U : field, i, k, j);
    const int n = field == along ? CELLS : CELLS - 1;
    const real q = m == MIRROR_X ? value(s, field, j, k, n - i) : value(s, field, n - j, k, i);
    return field == along ? -q : q;
}

/* How many values differ from their image. */
static long differences(const struct session *s, enum image m)
{
    long count = 0;
    for (int field = F_U; field <= F_PI; field++)
        for (int j = 0; j < CELLS; j++)
            for (int k = 0; k < s->grid.nz; k++)
                for (int i = 0; i < CELLS; i++) {
                    const real a = value(s, field, j, k, i), b = imaged(s, m, field, j, k, i);
                    count += a < b || a > b;
                }
    return count;
}

static int bubble_run(struct verify *v, struct session *s)
{
    double drift = 0, energy = 0, energy_begin = 0, w = 0, mean = 0;
    SF_TRY(verify_open(
        s,
        "&case name='bubble' /\n"
        "&grid nx=%d ny=%d nz=20 dx=512 dy=512 dz=512 /\n"
        "&time duration=600 dt=3 /\n"
        "&initial shape='cosine' amplitude=2 x=8192 y=8192 z=2048 radius_x=2048 radius_y=2048 radius_z=1536 /\n",
        CELLS, CELLS));
    SF_TRY(verify_number(s, "energy", &energy_begin));
    SF_TRY(verify_finish(s));
    SF_TRY(verify_number(s, "mass_drift", &drift));
    SF_TRY(verify_number(s, "energy", &energy));
    SF_TRY(verify_number(s, "w_max", &w));
    SF_TRY(verify_number(s, "pi_p_mean", &mean));
    verify_near(v, "values that differ from their mirror image in x", (double)differences(s, MIRROR_X), 0, 0,
                "symmetry, bitwise");
    verify_near(v, "values that differ from their mirror image in y", (double)differences(s, MIRROR_Y), 0, 0,
                "symmetry, bitwise");
    verify_near(v, "values that differ when x and y change places", (double)differences(s, EXCHANGE), 0, 0,
                "symmetry, bitwise");
    verify_show(v, "largest w after 600 s, m/s", w, NAN, "");
    verify_most(v, "drift of the dry mass, relative", fabs(drift), 1e-6, "conservation");
    verify_most(v, "drift of the energy, relative", fabs(energy / energy_begin - 1), 1e-6, "conservation");
    verify_show(v, "mean of pi'", mean, NAN, "");
    return SF_OK;
}

int verify_bubble(struct verify *v)
{
    struct session s;
    const int rc = bubble_run(v, &s);
    session_close(&s);
    return rc;
}
