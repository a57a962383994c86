/* Monitors of diffraction orders: what each plane wave that leaves a periodic structure carries.
 *
 * On a plane of nodes, normal a, that spans a domain periodic along u and v, with N_u and N_v equal cells, a field is a
 * sum of waves of orders p and q, k_u = 2 pi p / period_u, k_v = 2 pi q / period_v,
 *
 *     F_pq = 1 / (N_u N_v) sum of F exp(j 2 pi (p i / N_u + q j / N_v)),    time as exp(+j w t)
 *
 *     flux_pq = 1/2 Re (E_u,pq H_v,pq* - E_v,pq H_u,pq*) area
 *
 * with H the mean of half a cell below and above the plane: all orders together are the flux of the plane (Parseval),
 * which the grid conserves wherever nothing is lost. A plane wave of E along the normal carries |E|^2 / (2 eta) cos(k
 * d / 2) area by that mean, d the cell along the normal and k the grid's number where it comes from: an order's flux
 * over that is its efficiency. Complex fields (bloch.h) have k_u = k + 2 pi p / period_u, k that of &bloch, and
 * exp(j k_u u) in the sum; their plane wave comes at an angle, and carries what the grid says of it.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/monitor.h"

struct geometry;
struct media;

enum { ORDERS_FREQUENCY, ORDERS_U, ORDERS_V, ORDERS_AXES };
enum { ORDERS_FLUX, ORDERS_POWER, ORDERS_EFFICIENCY, ORDERS_THETA, ORDERS_VARIABLES };

struct orders_monitor {
    const struct monitors *all;
    const char *name; /* belongs to the parameters */
    int of, part; /* number in the namelist; its plane among all */
    int normal, cells[2], most[2]; /* cells along u and v; the highest order along each */
    int asked; /* by the namelist; 0: as many as travel */
    double period[2]; /* m */
    double shift[2]; /* of complex fields: k period / 2 pi, what &bloch adds to the orders along u and v; else 0 */
    double index; /* of the medium */
    double *number[2]; /* orders */
    struct result_axis axis[ORDERS_AXES];
    struct result_variable var[ORDERS_VARIABLES];
    int variable[ORDERS_VARIABLES]; /* what each of `var` is */
    char file[MONITOR_NAME];
};

/* Take the plane that is part number `part` of all. Errors: SF_NAMELIST, SF_MEMORY. */
int orders_new(struct monitors *all, const struct monitor_setup *t, int of, int part);
void orders_free(struct orders_monitor *o);
/* The file of number `n` of all->orders. */
void orders_describe(struct orders_monitor *o, const struct monitor_setup *t, struct result *r);
/* The cells beside the plane are of one medium without losses: sets the orders that travel in it. Errors: SF_NAMELIST,
 * SF_INPUT, SF_MEMORY. */
int orders_medium(struct orders_monitor *o, struct geometry *g, const struct media *media);
/* As struct result has it. */
int orders_fill(const struct result *r, const struct state *st, double *const *out);
