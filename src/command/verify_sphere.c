/* Maps of the round Earth against what is known of the sphere itself: distances, and three flows that are steady there.
 * Air is neutral and shallow, so that nothing but the map, its factor and the Earth's curvature and rotation is at
 * work.
 *
 * Distances on the Earth are those of the map by m. Summed along a meridian they are the Earth's radius times the
 * change of latitude, to second order.
 *
 * A vortex about any point of an Earth that does not turn is steady where cp theta dpi'/dr = u^2 cot r, r the angle
 * from its axis. With u = A sin r exp(-(1 - cos r) / s)
 *
 *     cp theta pi' = -A^2 (s / 2) (cos r - s / 2) exp(-2 (1 - cos r) / s) + u^2 z / a
 *
 * the last of which is the weight that curvature takes (map.sf), and leaves z / a of itself unbalanced. It fades within
 * the domain: walls do not know of it.
 *
 * Air that turns about the Earth's own axis, U cos(latitude) eastward, is steady with
 *
 *     cp theta pi' = (Omega a U + U^2 / 2) cos^2(latitude) + (2 Omega U + U^2 / a) cos^2(latitude) z
 *
 * (Williamson and others 1992, J. Comput. Phys. 102, 211-224, test 2). It crosses the sides, so it is looked at where
 * no sound from there has come; on Mercator's map around the Earth it blows along walls, for days.
 * SPDX-License-Identifier: MIT */
#include "command/verify.h"

#include "dynamics/dynamics.h"
#include "pipeline/engine.h"
#include "pipeline/error.h"

#include <math.h>

static const char *const walls = "west='wall' east='wall' south='wall' north='wall'";
static const double theta = 300, cp = 1004.5, earth = 6371229, omega = 7.292115e-5;

static const struct chart {
    const char *name, *keys; /* of &map */
} charts[] = {{"Lambert", "projection='lambert' centre_latitude=40 centre_longitude=10 central_meridian=-15 "
                          "standard_parallels=30,60"},
              {"polar stereographic", "projection='polar_stereographic' centre_latitude=-65 centre_longitude=30 "
                                      "central_meridian=-100 standard_parallels=-71"},
              {"Mercator", "projection='mercator' centre_latitude=-25 centre_longitude=100 standard_parallels=0"},
              {"latitude-longitude", "projection='latitude_longitude' centre_latitude=45 centre_longitude=-60 "
                                     "standard_parallels=40"}};

static const struct dynamics_own *own_of(const struct session *s) { return s->in.own; }

static double radians(double degrees) { return degrees * M_PI / 180; }

static struct projection_place place_at(const struct session *s, double x, double y)
{
    const struct map *const m = &own_of(s)->map;
    return projection_at(&m->projection, x - m->false_easting, y - m->false_northing);
}

/* ---- flows --------------------------------------------------------------------------------------------------------
 */

struct flow {
    double speed, rate; /* m/s: the strongest; rad/s: of the Earth */
    double width; /* of the vortex: s; 0: solid rotation */
    double axis[3]; /* of the vortex, of length 1 */
};

struct wind {
    double east, north, pressure; /* m/s, m/s, cp theta pi', m2/s2 */
};

static struct wind flow_at(const struct flow *f, const struct projection_place *p, double z)
{
    const double phi = radians(p->latitude), lambda = radians(p->longitude);
    if (!(f->width > 0)) {
        const double square = pow(cos(phi), 2), U = f->speed;
        return (struct wind){U * cos(phi), 0,
                             square * (f->rate * earth * U + U * U / 2 + (2 * f->rate * U + U * U / earth) * z)};
    }
    const double up[3] = {cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi)}, s = f->width;
    const double east[3] = {-sin(lambda), cos(lambda), 0},
                 north[3] = {-sin(phi) * cos(lambda), -sin(phi) * sin(lambda), cos(phi)};
    const double *const c = f->axis;
    /* c x up is sin r long */
    const double turn[3] = {c[1] * up[2] - c[2] * up[1], c[2] * up[0] - c[0] * up[2], c[0] * up[1] - c[1] * up[0]};
    const double mu = (c[0] * up[0] + c[1] * up[1]) + c[2] * up[2], A = f->speed * exp(0.5) / sqrt(s),
                 fade = exp(-(1 - mu) / s), square = A * A * fade * fade;
    return (struct wind){A * fade * ((turn[0] * east[0] + turn[1] * east[1]) + turn[2] * east[2]),
                         A * fade * ((turn[0] * north[0] + turn[1] * north[1]) + turn[2] * north[2]),
                         square * (-s / 2 * (mu - s / 2) + (1 - mu * mu) * z / earth)};
}

/* Through a western face or, along y, a southern one. */
static double wind_through(const struct session *s, const struct flow *f, int along_y, int i, int j)
{
    const struct projection_place p = place_at(s, grid_x(&s->grid, i, !along_y), grid_y(&s->grid, j, along_y));
    const struct wind w = flow_at(f, &p, 0);
    return along_y ? w.north * p.cos_turn - w.east * p.sin_turn : w.east * p.cos_turn + w.north * p.sin_turn;
}

static int flow_put(struct session *s, const struct flow *f)
{
    const struct grid *const g = &s->grid;
    SF_TRY(engine_fetch(&s->engine));
    for (int j = 0; j <= g->ny; j++)
        for (int i = 0; i <= g->nx; i++) {
            const double u = wind_through(s, f, 0, i, j), v = wind_through(s, f, 1, i, j);
            const struct projection_place p = place_at(s, grid_x(g, i, 0), grid_y(g, j, 0));
            for (int k = 0; k < g->nz; k++) {
                state_line(&s->state, F_U, j, k)[i] = (real)u, state_line(&s->state, F_V, j, k)[i] = (real)v;
                state_line(&s->state, F_PI, j, k)[i] = (real)(flow_at(f, &p, g->z_c[k]).pressure / (cp * theta));
            }
        }
    engine_changed(&s->engine);
    return engine_refresh(&s->engine);
}

/* Of the cells from `edge` of them on from each side: the root mean square of what the wind is off by, and the most,
 * both by the strongest wind. */
struct off {
    double rms, most;
};

static struct off flow_off(const struct session *s, const struct flow *f, int edge)
{
    const struct grid *const g = &s->grid;
    struct off o = {0, 0};
    double sum = 0;
    for (int along_y = 0; along_y < 2; along_y++)
        for (int j = edge; j < g->ny - edge; j++)
            for (int k = 0; k < g->nz; k++) {
                const real *const is = verify_line(s, along_y ? F_V : F_U, j, k);
                for (int i = edge; i < g->nx - edge; i++) {
                    const double off = ((double)is[i] - wind_through(s, f, along_y, i, j)) / f->speed;
                    o.rms += off * off, sum += 0.5, o.most = fmax(o.most, fabs(off));
                }
            }
    o.rms = sqrt(o.rms / sum);
    return o;
}

static int flow_open(struct session *s, const char *map, const struct flow *f, const char *sides, int nx, int ny,
                     double dx, double duration)
{
    return verify_open(s,
                       "&case name='sphere' /\n"
                       "&grid nx=%d ny=%d nz=2 dx=%.17g dy=%.17g dz=100 /\n"
                       "&time duration=%g dt=0 /\n"
                       "&base profile='neutral' surface_theta=%g /\n"
                       "&map %s rotation_rate=%.17g earth_radius=%.17g /\n"
                       "&boundary %s /\n"
                       "&dynamics hold_mass='off' mixing='off' expected_speed=%g expected_vertical_speed=0\n"
                       "  heat_capacity=%.17g /\n",
                       nx, ny, dx, dx, duration, theta, map, f->rate, earth, sides, f->speed, cp);
}

/* ---- distances ----------------------------------------------------------------------------------------------------
 */

static void up_of(const struct projection_place *p, double up[3])
{
    const double phi = radians(p->latitude), lambda = radians(p->longitude);
    up[0] = cos(phi) * cos(lambda), up[1] = cos(phi) * sin(lambda), up[2] = sin(phi);
}

/* Along the central meridian, which is straight on every map and a great circle, through the domain. A sum of values at
 * centres of cells is off by dy^2 / 24 times what the derivative of 1 / m gains along the way. */
static int meridian_row(struct verify *v, const struct chart *c)
{
    static const struct flow none = {.speed = 1, .rate = 0};
    const int n = 40;
    const double dy = 120e3, step = 1000;
    struct session s;
    const int rc = flow_open(&s, c->keys, &none, walls, n, n, dy, 60);
    if (!rc) {
        const double x = own_of(&s)->map.false_easting;
        double sum = 0, end[2][3], bend = 0;
        for (int j = 0; j < n; j++) sum += dy / place_at(&s, x, grid_y(&s.grid, j, 0)).factor_y;
        for (int e = 0; e < 2; e++) {
            const double y = grid_y(&s.grid, e ? n : 0, 1);
            const struct projection_place p = place_at(&s, x, y);
            up_of(&p, end[e]);
            bend += (e ? 1 : -1) * (1 / place_at(&s, x, y + step).factor_y - 1 / place_at(&s, x, y - step).factor_y) /
                    (2 * step);
        }
        const double exact = earth * acos((end[0][0] * end[1][0] + end[0][1] * end[1][1]) + end[0][2] * end[1][2]);
        verify_near(v, verify_name("%s: sum of dy / m along a meridian, km", c->name), sum / 1000, exact / 1000,
                    (1.2 * dy * dy / 24 * fabs(bend) + 1e-9 * exact) / 1000, "great circle, to dy^2 / 24");
    }
    session_close(&s);
    return rc;
}

/* ---- steady flows -------------------------------------------------------------------------------------------------
 */

static int vortex_run(const struct chart *c, int n, struct off *off, double *drift)
{
    struct flow f = {.speed = 30, .rate = 0, .width = 0.004}; /* strongest 400 km from its axis */
    struct session s;
    double before = 0;
    int rc = flow_open(&s, c->keys, &f, walls, n, n, 4800e3 / n, 43200);
    if (!rc) {
        const struct projection_place p = place_at(&s, 2600e3, 2250e3); /* not the middle of the domain */
        up_of(&p, f.axis);
        rc = flow_put(&s, &f);
    }
    if (!rc) rc = verify_number(&s, "mass", &before);
    if (!rc) rc = verify_finish(&s);
    if (!rc) rc = verify_number(&s, "mass", drift);
    if (!rc) *drift = *drift / before - 1, *off = flow_off(&s, &f, 1);
    session_close(&s);
    return rc;
}

static int vortex_rows(struct verify *v, const struct chart *c)
{
    struct off coarse, fine;
    double drift;
    SF_TRY(vortex_run(c, 48, &coarse, &drift));
    SF_TRY(vortex_run(c, 96, &fine, &drift));
    verify_least(v, verify_name("%s: a vortex, 12 h: order of its error", c->name), log2(coarse.rms / fine.rms), 1.9,
                 "steady on the sphere; second order");
    verify_guard_most(v, verify_name("%s: its rms error, by the strongest wind", c->name), fine.rms, 4e-4);
    verify_guard_most(v, verify_name("%s: dry mass gained or lost, of all", c->name), fabs(drift), 1e-9);
    return SF_OK;
}

/* Of 3000 s in the midst of open sides, where f alone would turn the wind by a tenth to a third of itself. Second order
 * in cells of dx is (dx / a)^2. */
static int rotation_row(struct verify *v, const struct chart *c)
{
    static const char *const open = "west='open' east='open' south='open' north='open'";
    const struct flow f = {.speed = 40, .rate = omega};
    const int n = 80;
    const double dx = 4800e3 / n;
    struct session s;
    struct off off = {NAN, NAN};
    int rc = flow_open(&s, c->keys, &f, open, n, n, dx, 3000);
    if (!rc) rc = flow_put(&s, &f);
    if (!rc) rc = verify_finish(&s);
    if (!rc) off = flow_off(&s, &f, 3 * n / 8);
    session_close(&s);
    SF_TRY(rc);
    verify_most(v, verify_name("%s: solid rotation, 50 min: largest error, by U", c->name), off.most,
                dx * dx / (earth * earth), "steady on the sphere; (dx / a)^2");
    return SF_OK;
}

/* All around the Earth, from 60 S to 60 N, for five days. */
static int girdle_run(int n, struct off *off)
{
    const struct flow f = {.speed = 40, .rate = omega};
    const double north = log(tan(M_PI / 4 + M_PI / 6)), dx = 2 * earth * north / n;
    struct session s;
    int rc = flow_open(&s, "projection='mercator' centre_latitude=0 standard_parallels=0", &f,
                       "south='wall' north='wall'", (int)(2 * M_PI * earth / dx), n, dx, 432000);
    if (!rc) rc = flow_put(&s, &f);
    if (!rc) rc = verify_finish(&s);
    if (!rc) *off = flow_off(&s, &f, 0);
    session_close(&s);
    return rc;
}

int verify_sphere(struct verify *v)
{
    struct off coarse, fine;
    for (size_t n = 0; n < sizeof charts / sizeof *charts; n++) {
        SF_TRY(meridian_row(v, &charts[n]));
        SF_TRY(vortex_rows(v, &charts[n]));
        SF_TRY(rotation_row(v, &charts[n]));
    }
    SF_TRY(girdle_run(32, &coarse));
    SF_TRY(girdle_run(64, &fine));
    verify_least(v, "around the Earth on Mercator, 5 days: order", log2(coarse.rms / fine.rms), 1.7,
                 "steady on the sphere; second order, walls less");
    verify_guard_most(v, "its largest error, by U", fine.most, 2e-4);
    return SF_OK;
}
