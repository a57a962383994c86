/* The stages of advection and mixing on random fields against an independent form in double, written from the equations
 * in docs/numerics.md: every order, every mixing, every field, on a stretched grid with rho_0 and base winds that vary
 * with height. SPDX-License-Identifier: MIT */
#include "command/verify.h"
#include "dynamics/dynamics.h"
#include "pipeline/backend.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { NX = 9, NY = 4, NZ = 7, DEPTH = 3 };
enum what { U, V, W, TH, PI, WHATS, Q = WHATS };

static const int field_of[Q + 1] = {F_U, F_V, F_W, F_TH, F_PI, F_Q};
static const int tendency_of[WHATS] = {F_UT, F_VT, F_WT, F_THT, F_PIT};
static const char *const name_of[Q + 1] = {"u", "v", "w", "theta'", "pi'", "tracer"};
static const char *const advections[] = {"upwind3", "centred", "centred4", "upwind5", "centred6"};
static const int orders[] = {3, 4, 4, 5, 6};
static const char *const mixings[] = {"off", "second", "fourth", "monotone", "constant"};
enum { OFF, SECOND, FOURTH, MONOTONE, CONSTANT, MIXINGS };

static const double rate = 0.02, viscosity = 300; /* 1/s, m2/s: of the size of advection */

static struct session session;
static struct storage store;

static int is_wide(int order) { return order > 4; }

static void world_open(const char *advection, const char *mixing)
{
    cr_assert_eq(
        verify_open(
            &session,
            "&case name='tendency' /\n"
            "&grid nx=%d ny=%d nz=%d dx=700 dy=500 dz=200 stretch_ratio=1.2 stretch_from=300 translation_u=3 translation_v=-2 /\n"
            "&time duration=1 dt=0.1 /\n"
            "&dynamics advection='%s' mixing='%s' mixing_rate=%g viscosity=%g /\n"
            "&base profile='isothermal' wind='shear' wind_u=5 wind_u_top=30 wind_v=-4 wind_v_top=11 shear_top=1500 /\n",
            NX, NY, NZ, advection, mixing, rate, viscosity),
        0);
    struct form form[SF_MAX_FIELDS] = {0};
    unsigned char skip[SF_MAX_FIELDS];
    memset(skip, 1, sizeof skip);
    for (int n = 0; n < WHATS; n++) skip[field_of[n]] = skip[tendency_of[n]] = 0;
    const struct layout lay = layout_make(LAYOUT_LINE, NX, NZ, NY, DEPTH, DEPTH);
    cr_assert_eq(storage_init(&store, &backend_cpu, &lay, session.in.nfields, form, skip, -DEPTH, NY + 2 * DEPTH), 0);
    for (int f = 0; f < session.in.nfields; f++) {
        if (session.in.field[f].shape == SHAPE_LEVELS) store.s.f[f] = session.state.host.s.f[f];
        if (f < SF_MAX_CHANGED) store.s.w[f] = store.s.f[f];
    }
}

static void world_close(void)
{
    storage_free(&store);
    session_close(&session);
}

/* The value of a field (j, k, i), also in its ghosts. */
static real *at(int what, int j, int k, int i)
{
    const struct slab *s = &store.s;
    return s->f[what] + (j - s->j0) * s->sj + k * s->sk + i;
}

static double value(int what, int j, int k, int i) { return (double)*at(field_of[what], j, k, i); }

static void fill_random(void)
{
    static const double size[WHATS] = {12, 9, 6, 3, 0.02};
    unsigned long long r = 1;
    for (int n = 0; n < WHATS; n++)
        for (int j = -DEPTH; j < NY + DEPTH; j++)
            for (int k = -DEPTH; k < NZ + DEPTH; k++)
                for (int i = -DEPTH; i < NX + DEPTH; i++) {
                    r = r * 6364136223846793005u + 1442695040888963407u;
                    *at(field_of[n], j, k, i) = (real)(size[n] * (2 * (double)(r >> 11) / (double)(1ull << 53) - 1));
                }
}

static void run(int order)
{
    const struct box all = {0, NX, 0, NZ, 0, NY};
    const struct call c = {.dt = R(0.1), .ctx = session.in.ctx};
    (is_wide(order) ? advmix_wide_run : advmix_run)(&store.s, all, &c);
}

/* ---- the reference: docs/numerics.md, "Advection and mixing" ----------------------------------------------------- */

/* A point, and the axis along which its neighbours lie: 0 x, 1 y, 2 z. */
struct point {
    int what, j, k, i;
};

static struct point moved(struct point p, int axis, int by)
{
    p.i += axis == 0 ? by : 0, p.j += axis == 1 ? by : 0, p.k += axis == 2 ? by : 0;
    return p;
}

static double of(struct point p) { return value(p.what, p.j, p.k, p.i); }

static const struct base_state *base(void) { return &((const struct dynamics_own *)session.in.own)->base; }

/* Beyond the ground and the lid the base state is the mirror image: centres about faces 0 and NZ, and faces. */
static int centre_of(int k) { return k < 0 ? -1 - k : k >= NZ ? 2 * NZ - 1 - k : k; }
static int face_of(int k) { return k < 0 ? -k : k > NZ ? 2 * NZ - k : k; }
static double rho_centre(int k) { return base()->rho0[centre_of(k)]; }
static double rho_face(int k) { return base()->rho0_f[face_of(k)]; }
static double height_centre(int k) { return session.grid.z_f[centre_of(k) + 1] - session.grid.z_f[centre_of(k)]; }
static double height_face(int k) { return session.grid.z_c[face_of(k)] - session.grid.z_c[face_of(k) - 1]; }

/* Spacing of the grid around a point, rho_0 at it. */
static double spacing(struct point p, int axis)
{
    return axis == 0     ? session.grid.dx
           : axis == 1   ? session.grid.dy
           : p.what == W ? height_face(p.k)
                         : height_centre(p.k);
}
static double density(struct point p) { return p.what == W ? rho_face(p.k) : rho_centre(p.k); }

/* The mass flux per rho_0 level, rho_0 w along z and the wind along x and y, midway between a point and the next along
 * an axis, face n: 0 is the one above the point, -1 the one below. A wind carries itself with the mean of its two
 * values; what lies elsewhere, with the mean of the two values on either side. */
static double wind_on_face(struct point p, int axis, int n)
{
    const int wind = axis == 0 ? U : axis == 1 ? V : W;
    if (p.what == wind) {
        const struct point low = moved(p, axis, n), high = moved(p, axis, n + 1);
        if (axis < 2) return 0.5 * (of(low) + of(high));
        return 0.5 * (rho_face(low.k) * of(low) + rho_face(high.k) * of(high));
    }
    struct point f = moved(p, axis, n + 1);
    f.what = wind;
    double mean = of(f);
    if (p.what == U || p.what == V || p.what == W)
        mean = 0.5 * (mean + of(moved(f, p.what == U ? 0 : p.what == V ? 1 : 2, -1)));
    return axis < 2 ? mean : rho_face(f.k) * mean;
}

/* The wind between a point and the n-th from it, side 1 above and -1 below. */
static double wind_between(struct point p, int axis, int n, int side)
{
    const int wind = axis == 0 ? U : axis == 1 ? V : W;
    if (p.what == wind) {
        const struct point far = moved(p, axis, side * n);
        return axis < 2 ? 0.5 * (of(p) + of(far)) : 0.5 * (rho_face(p.k) * of(p) + rho_face(far.k) * of(far));
    }
    double sum = 0;
    for (int m = 0; m < n; m++) sum += wind_on_face(p, axis, side > 0 ? m : -1 - m);
    return sum / n;
}

/* The difference of order m at the face above point p: of 1, 3, 5 about its middle, with signs that make the first one
 * q_1 - q_0 of all. */
static double difference(struct point p, int axis, int m)
{
    static const double coefficient[3][3] = {{1, 0, 0}, {-3, 1, 0}, {10, -5, 1}};
    double sum = 0;
    for (int n = 0; n <= m / 2; n++)
        sum += coefficient[m / 2][n] * (of(moved(p, axis, n + 1)) - of(moved(p, axis, -n)));
    return sum;
}

struct sum {
    double value, size; /* size: of the terms, for the rounding */
};

static void add(struct sum *s, double term) { s->value += term, s->size += fabs(term); }

/* A value of order `even` on the face above a point. */
static double on_face(struct point p, int axis, int even)
{
    const double one = of(p) + of(moved(p, axis, 1)), two = of(moved(p, axis, -1)) + of(moved(p, axis, 2)),
                 three = of(moved(p, axis, -2)) + of(moved(p, axis, 3));
    return even == 4 ? (7 * one - two) / 12 : (37 * one - 8 * two + three) / 60;
}

static struct sum advection(struct point p, int order)
{
    static const double c[2] = {4.0 / 3, -1.0 / 3};
    const int even = order + order % 2;
    struct sum s = {0, 0};
    for (int axis = 0; axis < 3; axis++) {
        const double step = spacing(p, axis) * (axis == 2 ? density(p) : 1);
        const int is_flux = p.what == TH || even == 6;
        for (int side = -1; is_flux && side <= 1; side += 2) { /* what comes through a face, less q_0 */
            const int face = side > 0 ? 0 : -1;
            add(&s, -side * wind_on_face(p, axis, face) * (on_face(moved(p, axis, face), axis, even) - of(p)) / step);
        }
        for (int n = 1; !is_flux && n <= 2; n++)
            for (int side = -1; side <= 1; side += 2)
                add(&s, -c[n - 1] * 0.5 * wind_between(p, axis, n, side) * side *
                            (of(moved(p, axis, side * n)) - of(p)) / (n * step));
        if (order == even) continue;
        const double weight = order == 3 ? -1.0 / 12 : 1.0 / 60;
        add(&s, weight * fabs(wind_on_face(p, axis, 0)) * difference(p, axis, order) / step);
        add(&s, -weight * fabs(wind_on_face(p, axis, -1)) * difference(moved(p, axis, -1), axis, order) / step);
    }
    return s;
}

/* q less its base profile. */
static double departure(struct point p)
{
    const double *const wind = p.what == U ? base()->u0 : base()->v0,
                        grid = p.what == U ? 3 : -2; /* &grid translation */
    return of(p) - (p.what == U || p.what == V ? wind[centre_of(p.k)] - grid : 0);
}

/* The flux upward through the face above a point, of the departure; scale 1/s. */
static double mixing_flux(struct point p, int axis, int mixing)
{
    const double a = departure(moved(p, axis, -1)), b = departure(p), c = departure(moved(p, axis, 1)),
                 d = departure(moved(p, axis, 2));
    if (mixing == SECOND || mixing == CONSTANT) return -(c - b);
    const double third = d - 3 * c + 3 * b - a;
    return mixing == MONOTONE && third * (c - b) > 0 ? 0 : third;
}

static void mixing_add(struct sum *s, struct point p, int mixing)
{
    if (mixing == OFF || p.what == PI) return;
    for (int axis = 0; axis < 3; axis++) {
        const double in = mixing_flux(moved(p, axis, -1), axis, mixing), out = mixing_flux(p, axis, mixing),
                     dz = spacing(p, axis);
        double bottom = rate, top = rate;
        if (mixing == CONSTANT) {
            const int face = p.what == W;
            const double gap_out = axis < 2 ? dz : face ? height_centre(p.k) : height_face(p.k + 1);
            const double gap_in = axis < 2 ? dz : face ? height_centre(p.k - 1) : height_face(p.k);
            bottom = viscosity / (dz * gap_in), top = viscosity / (dz * gap_out);
        } else if (axis == 2) {
            const double rho_out = p.what == W ? rho_centre(p.k) : rho_face(p.k + 1),
                         rho_in = p.what == W ? rho_centre(p.k - 1) : rho_face(p.k);
            bottom = rate * rho_in / density(p), top = rate * rho_out / density(p);
        }
        add(s, bottom * in), add(s, -top * out);
    }
}

static struct sum reference(struct point p, int order, int mixing)
{
    struct sum s = advection(p, p.what == PI ? order + order % 2 : order);
    mixing_add(&s, p, mixing);
    const double g = 9.80665;
    if (p.what == W) {
        const double theta_0 = p.k > 0 ? base()->theta0_f[p.k] : base()->theta0[0];
        add(&s, g * 0.5 * (value(TH, p.j, p.k - 1, p.i) + value(TH, p.j, p.k, p.i)) / theta_0);
    }
    if (p.what != TH) return s;
    for (int n = 0; n < 2; n++) { /* -w d theta_0 / dz, the mean over both faces; nothing at the ground and the lid */
        const int f = p.k + n;
        const double slope = f > 0 && f < NZ ? (base()->theta0[f] - base()->theta0[f - 1]) / height_face(f) : 0;
        add(&s, -0.5 * value(W, p.j, f, p.i) * slope);
    }
    return s;
}

/* Rounding of some sixty operations, on terms of that size. */
static const double eps = SF_PREC == 64 ? 2.3e-16 : 1.2e-7;

static void compare(int order, int mixing)
{
    run(order);
    for (int what = 0; what < WHATS; what++)
        for (int j = 0; j < NY; j++)
            for (int k = 0; k < NZ; k++)
                for (int i = 0; i < NX; i++) {
                    const struct sum should = reference((struct point){what, j, k, i}, order, mixing);
                    const double is = (double)*at(tendency_of[what], j, k, i);
                    cr_assert(fabs(is - should.value) <= 30 * eps * should.size,
                              "%s, order %d, mixing %s, j %d k %d i %d: %.9g, not %.9g (terms %g)", name_of[what],
                              order, mixings[mixing], j, k, i, is, should.value, should.size);
                }
}

/* Which stages the program has: the wide ones for orders 5 and 6 alone. */
static int has_stage(const char *name)
{
    int found = 0;
    for (int n = 0; n < session.in.nops; n++) found |= !strcmp(session.model->stage[session.in.op[n].stage].name, name);
    return found;
}

static void order_check(int n)
{
    for (int mixing = 0; mixing < MIXINGS; mixing++) {
        world_open(advections[n], mixings[mixing]);
        cr_assert_eq(has_stage("advmix_wide"), is_wide(orders[n]));
        cr_assert_eq(has_stage("advmix"), !is_wide(orders[n]));
        fill_random();
        compare(orders[n], mixing);
        world_close();
    }
}

Test(tendency, upwind3_is_the_equations) { order_check(0); }
Test(tendency, centred_is_the_equations) { order_check(1); }
Test(tendency, centred4_is_centred) { order_check(2); }
Test(tendency, upwind5_is_the_equations) { order_check(3); }
Test(tendency, centred6_is_the_equations) { order_check(4); }

/* ---- pi' in each wind ----------------------------------------------------------------------------------------- */

/* Each wind alone carries pi' that grows along one axis: by -U dq/dx where the two are the same, and not at all
 * where they differ. */
Test(tendency, each_wind_carries_pressure_along_its_own_axis)
{
    for (int n = 0; n < (int)(sizeof orders / sizeof orders[0]); n++) {
        world_open(advections[n], "off");
        for (int wind = U; wind <= W; wind++)
            for (int axis = 0; axis < 3; axis++) {
                const double speed = wind == U ? 3 : wind == V ? -5 : 7;
                for (int j = -DEPTH; j < NY + DEPTH; j++)
                    for (int k = -DEPTH; k < NZ + DEPTH; k++)
                        for (int i = -DEPTH; i < NX + DEPTH; i++) {
                            for (int m = U; m <= W; m++) *at(field_of[m], j, k, i) = (real)(m == wind ? speed : 0);
                            if (wind == W)
                                *at(F_W, j, k, i) =
                                    (real)(speed / rho_face(k)); /* the mass flux is the same on all levels */
                            *at(F_PI, j, k, i) = (real)(axis == 0 ? i : axis == 1 ? j : k);
                        }
                run(orders[n]);
                for (int k = 0; k < NZ; k++) {
                    const double step = axis == 0   ? session.grid.dx
                                        : axis == 1 ? session.grid.dy
                                                    : height_centre(k) * rho_centre(k);
                    const double should = (int)wind == axis ? -speed / step : 0, is = (double)*at(F_PIT, 1, k, 4);
                    cr_assert(fabs(is - should) <= 60 * eps * fabs(speed) / step * 9,
                              "%s, wind %s, axis %d, level %d: %g, not %g", advections[n], name_of[wind], axis, k, is,
                              should);
                }
            }
        world_close();
    }
}

/* ---- walls ------------------------------------------------------------------------------------------------------- */

enum { HALF_X = 5, HALF_Y = 4, LEVELS = 6 };

/* A bubble at the corner of two walls, or in the middle of a periodic domain twice as wide, after a few steps. */
static void corner_open(struct session *s, const char *advection, int is_wall)
{
    const int wide = is_wall ? 1 : 2;
    const char *const side = is_wall ? "wall" : "periodic";
    cr_assert_eq(
        verify_open(
            s,
            "&case name='corner' /\n"
            "&grid nx=%d ny=%d nz=%d dx=400 dy=500 dz=300 origin_x=%d origin_y=%d /\n"
            "&time duration=8 dt=2 /\n"
            "&dynamics advection='%s' mixing='monotone' tracers=1 /\n"
            "&initial shape=3*'cosine' variable='theta', 'tracer', 'w' amplitude=4, 1, 9 z=3*900 radius_x=3*1500 radius_y=3*1700 radius_z=3*800 /\n"
            "&boundary west='%s' east='%s' south='%s' north='%s' /\n",
            wide * HALF_X, wide * HALF_Y, LEVELS, is_wall ? 0 : -400 * HALF_X, is_wall ? 0 : -500 * HALF_Y, advection,
            side, side, side, side),
        0);
    cr_assert_eq(verify_finish(s), 0);
}

/* A wall is a plane of symmetry: the flow between walls has the bits of a quarter of the periodic flow that is its own
 * mirror image. */
Test(tendency, walls_are_planes_of_symmetry)
{
    for (int n = 0; n < (int)(sizeof advections / sizeof advections[0]); n++) {
        struct session half, whole;
        int moving = 0;
        corner_open(&half, advections[n], 1);
        corner_open(&whole, advections[n], 0);
        for (int what = 0; what <= Q; what++)
            for (int j = 0; j < HALF_Y; j++)
                for (int k = 0; k < LEVELS; k++) {
                    const real *const a = verify_line(&half, field_of[what], j, k), *const b =
                                                                                        verify_line(&whole,
                                                                                                    field_of[what],
                                                                                                    HALF_Y + j, k) +
                                                                                        HALF_X;
                    for (int i = 0; i < HALF_X; i++) {
                        moving += what == U && fabs((double)a[i]) > 0.1;
                        cr_assert(!(a[i] < b[i] || a[i] > b[i]), "%s, %s, j %d k %d i %d: %g, %g", advections[n],
                                  name_of[what], j, k, i, (double)a[i], (double)b[i]);
                    }
                }
        cr_assert(moving > 10);
        session_close(&half);
        session_close(&whole);
    }
}
