/* Maps of a sphere onto a plane. Those that keep angles, Lambert's conic, polar stereographic and Mercator's, are one
 * family (Snyder 1987, "Map Projections - A Working Manual", USGS Professional Paper 1395, chapters 7, 15 and 21:
 * the forms of the sphere):
 *
 *     t = tan(pi/4 - h phi/2) = cos phi / (1 + h sin phi)      h = 1 where the cone stands over the north pole, else -1
 *     rho = a F t^n       theta = n (lambda - lambda_0)        n: of the cone; 1: polar stereographic
 *     x = rho sin theta   y = h (rho_0 - rho cos theta)        m = n rho / (a cos phi)
 *     x = a k (lambda - lambda_0)   y = -a k ln t              m = k / cos phi       Mercator: n = 0
 *
 *     x = a k (lambda - lambda_0)   y = a phi         m = k / cos phi       latitude and longitude; k = cos phi_1
 *
 * m is the map factor, metres of the map by metres of the sphere: 1 on the standard parallels. On a map of latitude and
 * longitude it is that along x; distances along y are true. The x axis of the map is
 * turned from east toward north by the angle of convergence, -h theta.
 *
 * In double, of functions that have the same bits on every machine (pipeline/sfmath.h). SPDX-License-Identifier: MIT */
#pragma once

/* In the order of &map projection. */
enum projection_kind {
    PROJECTION_NONE,
    PROJECTION_LAMBERT,
    PROJECTION_POLAR_STEREOGRAPHIC,
    PROJECTION_MERCATOR,
    PROJECTION_LATITUDE_LONGITUDE
};

struct projection {
    enum projection_kind kind;
    double radius, rate; /* of the Earth: m; of its rotation: rad/s */
    double hemisphere; /* 1: the cone stands over the north pole, -1: the south pole */
    double cone, scale; /* n; F, or k of a cylinder */
    double rho_origin; /* m: rho at y = 0, of Lambert's map */
    double meridian; /* degrees east: where x = 0 */
};

/* What a place is like. */
struct projection_place {
    double latitude, longitude; /* degrees north; degrees east, from -180 on and below 180 */
    double factor, factor_y; /* m, along x and along y */
    double sin_turn, cos_turn; /* of the convergence */
    double f, e; /* 2 Omega sin phi, 2 Omega cos phi, 1/s */
};

/* parallels: one or two standard parallels, degrees: of Lambert's map both count, of others the first. origin: latitude
 * where y = 0 on the central meridian of Lambert's map, degrees; cylinders have y = 0 on the equator, a polar
 * stereographic map at its pole, which is that of the hemisphere of parallels[0]. radius, m, is above 0; rate, rad/s,
 * at least 0. NULL: all is well; else what cannot be, in words, and *p is not to be used. */
const char *projection_make(struct projection *p, enum projection_kind kind, double radius, double rate,
                            const double parallels[2], double meridian, double origin);

/* x, y, m, of a place, degrees. Longitudes are taken to lie within half a turn of the central meridian. */
void projection_forward(const struct projection *p, double latitude, double longitude, double *x, double *y);

/* The place at x, y, m. */
struct projection_place projection_at(const struct projection *p, double x, double y);

/* Does the map show x, y? A cone that is laid flat leaves a gap, and cylinders end half a turn from their meridian,
 * that of latitudes and longitudes a degree before the poles, too, where rows are too short to compute on.
 */
int projection_shows(const struct projection *p, double x, double y);
