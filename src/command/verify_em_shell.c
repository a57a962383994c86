/* Sheets of any orientation: the resonance of a cavity within a turned tube and its two lids, in cells of
 * two sizes. SPDX-License-Identifier: MIT */
#include "command/verify_em_parts.h"

#include "pipeline/error.h"

#include <math.h>

static const double zero = 2.404825558, length = 1.6; /* of J0 (Abramowitz and Stegun 1964, table 9.5); radius 1 m */

/* The cylinder's axis z after turns about x, then y, degrees. */
static const double turn_x = 25, turn_y = 35;

static void axis_fill(double u[3])
{
    const double degree = acos(-1) / 180, y = -sin(turn_x * degree), z = cos(turn_x * degree);
    u[0] = z * sin(turn_y * degree), u[1] = y, u[2] = z * cos(turn_y * degree);
}

/* E of TM010, whose middle is `from`: J0(k r) along the axis. */
static double mode_of(int c, const double at[3], const double from[3], const double u[3])
{
    double along = 0, square = 0;
    for (int a = 0; a < 3; a++) along += (at[a] - from[a]) * u[a], square += (at[a] - from[a]) * (at[a] - from[a]);
    const double r = sqrt(fmax(square - along * along, 0));
    return r < 1 && fabs(along) < length / 2 ? u[c] * j0(zero * r) : 0;
}

struct cavity {
    const double *from, *axis;
};

static double cavity_wave(const void *of, int c, const double place[3])
{
    const struct cavity *const x = of;
    return mode_of(c, place, x->from, x->axis);
}

/* A tube without ends and two discs, `cells` to the radius, its middle at no node. Filled with E of the mode, whose
 * amplitude obeys a(n+1) + a(n-1) = 2 cos(w dt) a(n): k, least squares. */
static int cavity_run(struct session *s, double cells, double off, double *found)
{
    enum { STEPS = 400 };
    const double d = 1 / cells, from[3] = {(0.13 + off) * d, (0.21 + 2.3 * off) * d, (0.37 + 3.1 * off) * d};
    const int n = 2 * ((int)(1.3 * cells) + 2);
    double u[3], lid[2][3];
    axis_fill(u);
    for (int high = 0; high < 2; high++)
        for (int a = 0; a < 3; a++) lid[high][a] = from[a] + (high ? 0.5 : -0.5) * length * u[a];
    SF_TRY(verify_open(
        s,
        "&case name='shell' model='maxwell' /\n"
        "&grid nx=%d ny=%d nz=%d dx=%.17g dy=%.17g dz=%.17g origin_x=%.17g origin_y=%.17g origin_z=%.17g /\n"
        "&time duration=1e-5 /\n" EM_SIDES(
            "pec") "&geometry shape='cylinder','disc','disc' shell=.true. "
                   "open_ends=.true. radius=3*1 size_z=%.17g turn_x=3*%.17g turn_y=3*%.17g\n"
                   "  x=%.17g,%.17g,%.17g y=%.17g,%.17g,%.17g z=%.17g,%.17g,%.17g /\n",
        n, n, n, d, d, d, -n / 2 * d, -n / 2 * d, -n / 2 * d, length, turn_x, turn_y, from[0], lid[0][0], lid[1][0],
        from[1], lid[0][1], lid[1][1], from[2], lid[0][2], lid[1][2]));
    const struct cavity of = {from, u};
    return em_oscillation(s, STEPS, cavity_wave, &of, found);
}

/* The largest of the errors at so many places on the grid, as a share of a cell of the radius: where a wall lies
 * between centres changes from one to the next. */
static int cavity_row(struct verify *v, double cells, int places)
{
    double most = 0;
    for (int n = 0; n < places; n++) {
        struct session s;
        double found = 0;
        const int rc = cavity_run(&s, cells, 0.21 * n, &found);
        session_close(&s);
        SF_TRY(rc);
        most = fmax(most, fabs(found / zero - 1) * cells);
    }
    verify_most(v, verify_name("turned tube and two lids, TM010, %.3g cells a radius: error in cells of it", cells),
                most, 0.1, "first order; a wall lies within half a cell, a guard");
    return SF_OK;
}

int em_shell_rows(struct verify *v)
{
    SF_TRY(cavity_row(v, 8, 4));
    return cavity_row(v, 24, 2);
}
