/* Steady flow over low hills, by linear theory: what waves there are over a hill, and what they carry. In double, with
 * the same bits on every machine. SPDX-License-Identifier: MIT */
#pragma once

/* Air that is the same at all heights. Infinite scale_height: Boussinesq's approximation, and gravity is not asked for.
 * Otherwise exact of an isothermal atmosphere, where N^2 < g / H: with what compresses (Mach's number below 1) and what
 * thins. */
struct mountain_air {
    double wind; /* U, m/s, of either sign, not 0 */
    double brunt_vaisala; /* N, 1/s */
    double scale_height; /* H, m: -rho / (d rho / dz) */
    double gravity; /* g, m/s2 */
};

/* Waves of flow over hill[n], heights in m at points dx apart that repeat every n dx: w[levels][n] and what is added to
 * the wind, u[levels][n], m/s, at heights z[levels] in m above the flat ground, at the same x. The wave of two dx is
 * left out. What the hill's mean does is the limit of long waves: near one hill u is as if it were alone; of one that
 * does repeat, take the mean off. Waves of k = N/U trail far behind: in a period of 100 half-widths w is that of one
 * hill alone to 1e-3 of its largest.
 *
 * growth[levels]: sqrt(rho(0) / rho(z)), by which waves grow; NULL: exp(z / 2H). Given, it serves air of constant N
 * that is not isothermal, nearly: over Schaer's hill (U 10 m/s, N 0.01 1/s, 288 K at the ground) w is off by 0.7 % of
 * its largest at 4 km and 1.4 % at 10 km, u by 0.5 %, where H is that at the ground; Boussinesq w by 1.1 % and 2.3 %, u
 * by 5 %; of what the compressible equations say, solved for each k.
 *
 * Costs n^2 / 2 products, and n^2 more a level. Errors: SF_MEMORY. Queney 1948; Smith 1979
 * (doi:10.1016/S0065-2687(08)60262-9). */
int mountain_linear(const struct mountain_air *air, int n, double dx, const double *hill, int levels, const double *z,
                    const double *growth, double *w, double *u);

/* rho <u w>, N/m, of a ridge h / (1 + x^2/a^2), the sum over x: at all heights, hydrostatic, Boussinesq; minus the
 * drag. rho: at the ground, kg/m3. Independent of a. Of an isothermal atmosphere it is sqrt(1 - (U/2NH)^2) / (1 -
 * U^2/c^2) of this. Miles and Huppert 1969 (J. Fluid Mech. 35, 497). */
double mountain_drag_hydrostatic(double rho, double brunt_vaisala, double wind, double h);

/* What nonhydrostatic waves of that ridge carry, of that: it falls with narrow ones. x: N a / abs(U), >= 0. To 1e-13.
 */
double mountain_flux_ratio(double x);
