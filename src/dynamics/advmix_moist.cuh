/* What water adds to the tendencies of columns that go up level by level, made of what these have at hand: the formulas
 * are those of moist_first and its like (water.sf), in the same order, so that the bits are the same.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/copies.cuh"

#include "dynamics/advmix_columns.cuh"
#include "dynamics/water.h"

/* Air without water: nothing is added. */
struct dry_air {
    enum { IS_MOIST = 0, BYTES = 0 };
    struct level {
        struct step step;
    };
    static __device__ struct level level_of(const struct slab &s, const struct dynamics &, int k)
    {
        return {step_make(s, k)};
    }
};

/* The fields of vapour, cloud and rain in a Runge-Kutta stage. */
struct water_fields {
    const real *species[SPECIES];
};

/* Where a thread's points of water come to, a level ahead of the computing, past registers. T: the tile
 * (advmix_tiles.cuh). */
template <class T> struct moist_air {
    enum {
        IS_MOIST = 1,
        N = T::N,
        PLACE = SPECIES * T::THREADS, /* points of threads of a level */
        BYTES = 2 * PLACE * (int)sizeof(points<N>) + T::MOST * 8 * (int)sizeof(real)
    };
    /* Of a level, in shared memory. */
    struct alignas(8 * sizeof(real)) level {
        struct step step;
        real theta_air, excess_0, pi_0, rdz, buoyancy;
        int is_lifted; /* buoyancy is added here */
    };
    static_assert(sizeof(struct level) == sizeof(struct step) + 8 * sizeof(real),
                  "numbers of a level lie in lines of 16 bytes");
    static_assert(sizeof(points<N>) == 8, "a thread's points are what is copied at once");
    const struct water_fields &from;
    points<N> *own; /* the thread's vapour of even levels, counted from the block's first */
    points<N> below; /* theta_rho of the level below */

    static __device__ struct level level_of(const struct slab &s, const struct dynamics &d, int k)
    {
        return {step_make(s, k), s.f[P_THA][k],   s.f[P_EXCESS][k], s.f[P_PI0][k],
                s.f[P_RDZC][k],  s.f[P_BUOYM][k], k < d.lift_k};
    }
    /* Before a block's first level k, whose points lie at so many bytes. c: about to climb from there. */
    __device__ void begin(points<N> *first, const struct slab &s, const struct dynamics &d, const columns<N> &c,
                          ptrdiff_t at, int k, int is_inside)
    {
        own = first, below = {};
        if (k > 0 && is_inside) {
            points<N> q[SPECIES];
            for (int n = 0; n < SPECIES; n++)
                q[n] = *reinterpret_cast<const points<N> *>(moved(from.species[n], at - s.sk * REAL));
            for (int n = 0; n < N; n++)
                below.at[n] = rho_of(c.line[OF_TH][n].m1, q[0].at[n], q[1].at[n], q[2].at[n], s.f[P_THA][k - 1],
                                     s.f[P_EXCESS][k - 1], d);
        }
        ask(0, at, is_inside);
    }
    __device__ static real rho_of(real theta, real qv, real qc, real qr, real theta_air, real excess_0,
                                  const struct dynamics &d)
    {
        return water_theta_rho(theta, theta_air, water_excess(d.vapour_ratio, qv, qc, qr), excess_0);
    }
    /* Water of a level that is even or odd, whose points lie at so many bytes, comes. */
    __device__ void ask(int odd, ptrdiff_t at, int is_inside) const
    {
        if (is_inside)
            for (int q = 0; q < SPECIES; q++)
                copy_half_piece(own + odd * PLACE + q * T::THREADS, moved(from.species[q], at));
        copies_close();
    }
    /* theta_rho; pi_t and w_t gain what water adds. After theta's lines have climbed, before those of u and v: here
     * that takes the fewest registers. */
    __device__ points<N> add(points<N> &pi_t, points<N> &w_t, const columns<N> &c, const stand<T> &a,
                             const struct dynamics &d, const struct level &l, int odd)
    {
        const points<N> *const q = own + odd * PLACE;
        const points<N> vapour = q[0], cloud = q[T::THREADS], rain = q[2 * T::THREADS];
        points<N> rho;
        for (int n = 0; n < N; n++) {
            const struct climb &w = c.line[OF_W][n];
            const real qv = vapour.at[n], qc = cloud.at[n], qr = rain.at[n], ql = qc + qr;
            const real spread = (a.u.at[n + T::SIDE + 1] - a.u.at[n + T::SIDE]) * d.rdx +
                                (a.v.at[T::REACH + 1].at[n] - a.v.at[T::REACH].at[n]) * d.rdy + (w.c - w.m1) * l.rdz;
            const real heat = water_heat(d.heat_dry, d.heat_vapour, d.heat_liquid, qv, ql);
            pi_t.at[n] = pi_t.at[n] + water_pressure_tendency(d.pi_by_vapour, d.pi_by_liquid, heat, qv, ql,
                                                              l.pi_0 + c.line[OF_PI][n].m1, spread);
            rho.at[n] = rho_of(c.line[OF_TH][n].m1, qv, qc, qr, l.theta_air, l.excess_0, d);
            const real lifted = w_t.at[n] + l.buoyancy * (below.at[n] + rho.at[n]);
            w_t.at[n] = l.is_lifted ? lifted : w_t.at[n];
        }
        return below = rho;
    }
};
