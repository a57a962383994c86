/* Maps of a sphere. See projection.h. SPDX-License-Identifier: MIT */
#include "dynamics/projection.h"

#include "pipeline/sferic.h"

static const double pi_number = 3.14159265358979323846;

static double radians(double degrees) { return degrees * (pi_number / 180); }
static double degrees(double radians) { return radians * (180 / pi_number); }

/* A longitude within half a turn of 0, degrees. */
static double turned(double longitude)
{
    while (longitude >= 180) longitude -= 360;
    while (longitude < -180) longitude += 360;
    return longitude;
}

/* The angle of (x, y) from the x axis, within half a turn: a quotient of polynomials, right to 0.005, and two
 * corrections by sine and cosine, each of which leaves a fifth of the fifth power of what was wrong. */
static double angle_of(double y, double x)
{
    const double a = __builtin_fabs(x), b = __builtin_fabs(y), most = a > b ? a : b, least = a > b ? b : a;
    if (!(most > 0)) return 0;
    const double r = least / most, u = r * r;
    double angle = r * (1 - u * (0.3333 - 0.1187 * u));
    angle = a > b ? angle : 0.5 * pi_number - angle;
    angle = x < 0 ? pi_number - angle : angle;
    for (int n = 0; n < 2; n++) {
        const double s = sfd_sin(angle), c = sfd_cos(angle), off = (b * c - x * s) / (x * c + b * s);
        angle += off * (1 - off * off / 3);
    }
    return y < 0 ? -angle : angle;
}

/* t of a latitude on the side of the cone, sine and cosine given. */
static double narrow(double s, double c) { return s < 0 ? (1 - s) / c : c / (1 + s); }

static double narrow_at(const struct projection *p, double latitude)
{
    const double phi = radians(p->hemisphere * latitude);
    return narrow(sfd_sin(phi), sfd_cos(phi));
}

static double rho_at(const struct projection *p, double latitude)
{
    const double t = p->hemisphere * latitude >= 90 ? 0 : narrow_at(p, latitude);
    return p->radius * p->scale * (p->cone < 1 ? sfd_pow(t, p->cone) : t);
}

static double cone_of(const double phi[2])
{
    const double s[2] = {sfd_sin(phi[0]), sfd_sin(phi[1])}, c[2] = {sfd_cos(phi[0]), sfd_cos(phi[1])};
    if (__builtin_fabs(phi[0] - phi[1]) < 1e-9) return s[0];
    return sfd_log(c[0] / c[1]) / sfd_log(narrow(s[0], c[0]) / narrow(s[1], c[1]));
}

static const char *lambert_make(struct projection *p, const double parallels[2], double origin)
{
    for (int n = 0; n < 2; n++)
        if (!(__builtin_fabs(parallels[n]) < 90)) return "a standard parallel of Lambert's map lies at a pole";
    const double sum = parallels[0] + parallels[1];
    if (!(__builtin_fabs(sum) > 1e-6))
        return "the standard parallels of Lambert's map lie on the equator, or as far north of it as south, and its cone is a "
               "cylinder: take 'mercator'";
    p->hemisphere = sum > 0 ? 1 : -1;
    const double phi[2] = {radians(p->hemisphere * parallels[0]), radians(p->hemisphere * parallels[1])};
    p->cone = cone_of(phi);
    p->scale = sfd_cos(phi[0]) / (p->cone * sfd_pow(narrow(sfd_sin(phi[0]), sfd_cos(phi[0])), p->cone));
    if (!(__builtin_fabs(origin) < 90)) return "the centre of Lambert's map lies at a pole: take 'polar_stereographic'";
    p->rho_origin = rho_at(p, origin);
    return NULL;
}

const char *projection_make(struct projection *p, enum projection_kind kind, double radius, double rate,
                            const double parallels[2], double meridian, double origin)
{
    *p = (struct projection){.kind = kind, .radius = radius, .rate = rate, .hemisphere = 1, .meridian = meridian};
    switch (kind) {
    case PROJECTION_NONE:
        break;
    case PROJECTION_LAMBERT:
        return lambert_make(p, parallels, origin);
    case PROJECTION_POLAR_STEREOGRAPHIC:
        if (!(__builtin_fabs(parallels[0]) > 0))
            return "the true scale of a polar stereographic map lies on the equator, and "
                   "does not say which pole is its own";
        p->hemisphere = parallels[0] > 0 ? 1 : -1, p->cone = 1;
        p->scale = 1 + sfd_sin(radians(p->hemisphere * parallels[0]));
        break;
    case PROJECTION_LATITUDE_LONGITUDE:
        if (!(__builtin_fabs(parallels[0]) < 90))
            return "the true scale of a map of latitude and longitude lies at a pole";
        p->scale = sfd_cos(radians(parallels[0]));
        break;
    case PROJECTION_MERCATOR:
        if (!(__builtin_fabs(parallels[0]) < 90)) return "the true scale of Mercator's map lies at a pole";
        if (!(__builtin_fabs(origin) < 90))
            return "the centre of Mercator's map lies at a pole, which it does not show";
        p->scale = sfd_cos(radians(parallels[0]));
        break;
    }
    return NULL;
}

void projection_forward(const struct projection *p, double latitude, double longitude, double *x, double *y)
{
    const double east = radians(turned(longitude - p->meridian));
    if (p->kind == PROJECTION_LATITUDE_LONGITUDE) {
        *x = p->radius * p->scale * east, *y = p->radius * radians(latitude);
        return;
    }
    if (p->kind == PROJECTION_MERCATOR) {
        *x = p->radius * p->scale * east;
        *y = -p->radius * p->scale * sfd_log(narrow_at(p, latitude));
        return;
    }
    const double rho = rho_at(p, latitude), theta = p->cone * east;
    *x = rho * sfd_sin(theta), *y = p->hemisphere * (p->rho_origin - rho * sfd_cos(theta));
}

/* What follows from t at the own hemisphere. */
static void by_latitude(const struct projection *p, double t, struct projection_place *at)
{
    const double square = t * t, s = (1 - square) / (1 + square), c = 2 * t / (1 + square), h = p->hemisphere;
    at->latitude = h * degrees(angle_of(s, c));
    at->f = 2 * p->rate * h * s, at->e = 2 * p->rate * c;
    /* F n t^n / cos phi, which is a number at the pole of a polar stereographic map, too. */
    const double rest = p->cone < 1 ? sfd_pow(t, p->cone - 1) : 1;
    at->factor = p->kind == PROJECTION_MERCATOR ? p->scale / c : p->scale * p->cone * rest * (1 + square) / 2;
    at->factor_y = at->factor;
}

struct projection_place projection_at(const struct projection *p, double x, double y)
{
    struct projection_place at = {.factor = 1, .factor_y = 1, .sin_turn = 0, .cos_turn = 1};
    const double a = p->radius;
    if (p->kind == PROJECTION_NONE) return at;
    if (p->kind == PROJECTION_LATITUDE_LONGITUDE) {
        const double phi = y / a, cosine = sfd_cos(phi);
        at.latitude = degrees(phi), at.longitude = turned(p->meridian + degrees(x / (a * p->scale)));
        at.f = 2 * p->rate * sfd_sin(phi), at.e = 2 * p->rate * cosine, at.factor = p->scale / cosine;
        return at;
    }
    if (p->kind == PROJECTION_MERCATOR) {
        by_latitude(p, sfd_exp(-y / (a * p->scale)), &at);
        at.longitude = turned(p->meridian + degrees(x / (a * p->scale)));
        return at;
    }
    const double down = p->rho_origin - p->hemisphere * y, rho = __builtin_sqrt(x * x + down * down);
    if (rho > 0) at.sin_turn = -p->hemisphere * (x / rho), at.cos_turn = down / rho;
    const double share = rho / (a * p->scale);
    by_latitude(p, p->cone < 1 ? sfd_pow(share, 1 / p->cone) : share, &at);
    at.longitude = turned(p->meridian + degrees(angle_of(x, down) / p->cone));
    return at;
}

int projection_shows(const struct projection *p, double x, double y)
{
    if (p->kind == PROJECTION_LATITUDE_LONGITUDE && !(__builtin_fabs(y) <= p->radius * radians(89))) return 0;
    if (p->kind >= PROJECTION_MERCATOR) return __builtin_fabs(x) <= (1 + 1e-9) * pi_number * p->radius * p->scale;
    if (p->kind != PROJECTION_LAMBERT) return 1;
    const double down = p->rho_origin - p->hemisphere * y;
    return (x * x + down * down) > 0 && __builtin_fabs(angle_of(x, down)) <= p->cone * pi_number;
}
