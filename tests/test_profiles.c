/* The profiles that stages of the weather model read, by value on a stretched grid: from the base state, ground and lid
 * included. SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

enum { NZ = 8 };

static const double epsilon = sizeof(real) == 8 ? DBL_EPSILON : FLT_EPSILON;
static struct session session;
static const struct base_state *base;
static const struct grid *grid;

static void open_case(void)
{
    weather_open(&session,
                 "&grid nx = 4, ny = 4, nz = 8, dx = 1000, dy = 1500, dz = 300, stretch_ratio = 1.3,\n"
                 "      translation_u = 4, translation_v = -2 /\n&time duration = 1, dt = 1 /\n"
                 "&base profile = 'isothermal', wind = 'shear', wind_u_top = 20, wind_v_top = 10, shear_top = 3000 /\n"
                 "&dynamics rayleigh_depth = 4000, rayleigh_time = 50 /\n");
    base = &((const struct dynamics_own *)session.in.own)->base, grid = &session.grid;
}

/* Two roundings to a real at most; in double a difference of two pi_0 or heights has lost up to three digits. */
static void expect(int profile, int k, double want, const char *what)
{
    const double got = (double)session.state.host.s.f[profile][k];
    cr_assert_float_eq(got, want, (2 * epsilon + 1e-13) * fabs(want), "%s at %d: %.9g, not %.9g", what, k, got, want);
}

/* Below the ground and above the lid lies the mirror image: cell -1 is cell 0, face -1 is face 1. */
static int cell(int k) { return k < 0 ? -1 - k : k >= NZ ? 2 * NZ - 1 - k : k; }
static int face(int k) { return k < 0 ? -k : k > NZ ? 2 * NZ - k : k; }

Test(profiles, of_cells)
{
    open_case();
    for (int n = -2; n < NZ + 2; n++) {
        const int k = cell(n);
        expect(P_TH0, n, base->theta0[k], "theta_0"), expect(P_PI0, n, base->pi0[k], "pi_0");
        expect(P_RDZC, n, 1 / (grid->z_f[k + 1] - grid->z_f[k]), "1 / height of a cell");
        expect(P_U0, n, base->u0[k] - 4, "u_0"), expect(P_V0, n, base->v0[k] + 2, "v_0");
    }
    session_close(&session);
}

/* Between two centres. The base state is in balance with them: cp theta dpi_0/dz = -g there, in the same numbers. */
Test(profiles, of_faces)
{
    open_case();
    for (int n = 1; n < NZ; n++) {
        const double dz = grid->z_c[n] - grid->z_c[n - 1], theta = (base->theta0[n] + base->theta0[n - 1]) / 2;
        expect(P_TH0F, n, theta, "theta_0"), expect(P_RDZF, n, 1 / dz, "1 / distance of centres");
        expect(P_DPI0H, n, (base->pi0[n] - base->pi0[n - 1]) / dz / 2, "half of dpi_0/dz");
        expect(P_DTH0H, n, (base->theta0[n] - base->theta0[n - 1]) / dz / 2, "half of dtheta_0/dz");
        expect(P_RHOF, n, (base->rho0[n] + base->rho0[n - 1]) / 2, "rho_0"),
            expect(P_BUOY, n, 9.80665 / theta / 2, "g / (2 theta_0)");
    }
    for (int n = 1; n <= 2; n++)
        for (int p = P_TH0; p <= P_RAYF; p++)
            if (p == P_TH0F || p == P_RDZF || p == P_RHOF || p == P_BUOY || p == P_RAYF) {
                expect(p, -n, (double)session.state.host.s.f[p][n], "a face below the ground");
                expect(p, NZ + n, (double)session.state.host.s.f[p][NZ - n], "a face above the lid");
            }
    session_close(&session);
}

/* 1 / rayleigh_time at the lid, falling as sin^2 to zero at the foot of the layer. */
Test(profiles, rayleigh_layer)
{
    open_case();
    const double top = grid->z_f[NZ], foot = top - 4000, half_pi = acos(0.0);
    for (int n = -1; n <= NZ; n++) {
        const double c = n < NZ ? grid->z_c[cell(n)] : foot, f = grid->z_f[face(n)];
        if (n < NZ) expect(P_RAYC, n, c > foot ? pow(sin(half_pi * (c - foot) / 4000), 2) / 50 : 0, "rate at centres");
        expect(P_RAYF, n, f > foot ? pow(sin(half_pi * (f - foot) / 4000), 2) / 50 : 0, "rate at faces");
    }
    expect(P_RAYF, NZ, 1.0 / 50, "rate at the lid");
    session_close(&session);
}
