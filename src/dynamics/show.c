/* What the history of the weather model can show: fields at cell centres, derived fields, base profiles.
 * SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"
#include "dynamics/mass.h"

#include "pipeline/error.h"
#include "pipeline/uses.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char helicity[] = "updraft_helicity";

static const real *line_at(const struct slab *s, int f, int j, int k)
{
    return s->f[f] + (j - s->j0) * s->sj + k * s->sk;
}

/* Mean of a field and its neighbour `step` further, plus `add`. */
static void mean_row(const struct slab *s, int f, ptrdiff_t step, double add, int j, real *restrict out)
{
    for (int k = 0; k < s->nk; k++) {
        const real *const q = line_at(s, f, j, k);
        for (int i = 0; i < s->ni; i++) out[(ptrdiff_t)k * s->ni + i] = R(0.5) * (q[i] + q[i + step]) + (real)add;
    }
}

static void copy_row(const struct slab *s, int f, int j, real *restrict out)
{
    for (int k = 0; k < s->nk; k++)
        memcpy(out + (ptrdiff_t)k * s->ni, line_at(s, f, j, k), (size_t)s->ni * sizeof *out);
}

static void u_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    mean_row(s, F_U, 1, ((const struct dynamics *)ctx)->translation[0], j, out);
}
static void v_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    mean_row(s, F_V, s->sj, ((const struct dynamics *)ctx)->translation[1], j, out);
}
static void w_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    mean_row(s, F_W, s->sk, 0, j, out);
    if (!((const struct dynamics *)ctx)->over) return;
    const real *const ground = s->f[F_GROUND_W] + (j - s->j0) * s->sm;
    for (int i = 0; i < s->ni; i++) out[i] += R(0.5) * ground[i];
}

/* Of cell centres, above z = 0. */
static void height_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    const struct dynamics_own *const own = ctx;
    for (int k = 0; k < s->nk; k++)
        for (int i = 0; i < s->ni; i++) out[(ptrdiff_t)k * s->ni + i] = (real)terrain_z_c(own, i, j, k);
}
/* ---- what follows from theta', pi' and water ---- */

/* Rain of the sizes of Marshall and Palmer, 8e6 m-4 exp(-lambda D), as a radar of long waves sees it: 720 N0 /
 * lambda^7 of drops of pi rho_w N0 / lambda^4 = rho qr, kg/m3. dBZ, from -35 on. */
static double reflectivity(double drops)
{
    const double n0 = 8e6, water = 1000, pi = 3.14159265358979323846, least = -35;
    if (!(drops > 1e-12)) return least;
    const double z = 1e18 * 720 * n0 * sfd_pow(drops / (pi * water * n0), 1.75);
    const double db = 10 / 2.302585092994045684 * sfd_log(z);
    return db > least ? db : least;
}

enum derived { THETA, TEMPERATURE, PRESSURE, DENSITY, HUMIDITY, THETA_E, THETA_RHO, REFLECTIVITY };

static double derived_at(const struct dynamics *d, enum derived what, double theta, double exner, double qv, double qc,
                         double qr)
{
    const struct vapour *const w = &d->vapour;
    const double rho = d->species ? vapour_theta_rho(w, d->R, theta, qv, qc + qr) : theta;
    switch (what) {
    case THETA:
        break;
    case TEMPERATURE:
        return theta * exner;
    case PRESSURE:
        return d->p00 * sfd_pow(exner, 1 / d->kappa);
    case DENSITY:
        return air_density(rho, exner, d->p00, d->R, d->cv_over_R);
    case HUMIDITY:
        return qv / vapour_saturated(w, d->R, theta * exner, d->p00 * sfd_pow(exner, 1 / d->kappa));
    case THETA_E:
        return vapour_theta_e(w, d->R, d->cp_d, d->p00, theta * exner, d->p00 * sfd_pow(exner, 1 / d->kappa), qv,
                              qv + (qc + qr));
    case THETA_RHO:
        return rho;
    case REFLECTIVITY: /* qr is of dry air, whose density is less by its water */
        return reflectivity(qr * air_density(rho, exner, d->p00, d->R, d->cv_over_R) / (1 + (qv + (qc + qr))));
    }
    return theta;
}

static void derived_row(const struct slab *s, const struct dynamics *d, enum derived what, int j, real *restrict out)
{
    static const int species[SPECIES] = {F_QV, F_QC, F_QR};
    for (int k = 0; k < s->nk; k++) {
        const real *const th = line_at(s, F_TH, j, k), *const pi = line_at(s, F_PI, j, k), *water[SPECIES];
        for (int n = 0; n < d->species; n++) water[n] = line_at(s, species[n], j, k);
        const real *const th0 = d->over ? line_at(s, d->species ? F_THA_OVER : F_TH0_OVER, j, k) : NULL;
        const real *const pi0 = d->over ? line_at(s, F_PI0_OVER, j, k) : NULL;
        for (int i = 0; i < s->ni; i++) {
            const double theta = (double)(th0 ? th0[i] : s->f[P_THA][k]) + (double)th[i],
                         exner = (double)(pi0 ? pi0[i] : s->f[P_PI0][k]) + (double)pi[i];
            double q[SPECIES] = {0};
            for (int n = 0; n < d->species; n++) q[n] = (double)water[n][i];
            out[(ptrdiff_t)k * s->ni + i] = (real)derived_at(d, what, theta, exner, q[0], q[1], q[2]);
        }
    }
}

#define DERIVED_ROW(name, what)                                                                                        \
    static void name##_row(const struct slab *s, const void *ctx, int j, real *restrict out)                           \
    {                                                                                                                  \
        derived_row(s, ctx, what, j, out);                                                                             \
    }
DERIVED_ROW(theta, THETA)
DERIVED_ROW(temperature, TEMPERATURE)
DERIVED_ROW(pressure, PRESSURE)
DERIVED_ROW(density, DENSITY)
DERIVED_ROW(humidity, HUMIDITY)
DERIVED_ROW(theta_e, THETA_E)
DERIVED_ROW(theta_rho, THETA_RHO)
DERIVED_ROW(reflectivity, REFLECTIVITY)

/* d q / d axis at a cell centre: q lies on the faces of another axis (`on`), so its mean over `on` is differenced over
 * two cells. Ghosts to depth 1 suffice. */
static real slope(const real *q, ptrdiff_t on, ptrdiff_t axis, real half_rd)
{
    return half_rd * ((q[axis] + q[axis + on]) * R(0.5) - (q[-axis] + q[on - axis]) * R(0.5));
}

/* Winds around a cell centre, and how it lies: halves of 1/dx and 1/dy; 1 / distance from the centre below to that
 * above, and from face to face; over terrain the slopes of its coordinate surface, by which differences along that are
 * brought to one height, and w on the ground below, which F_W does not hold, with its differences; on a map 1/dx and
 * 1/dy times its factor, and what the vorticity has of the wind itself, u dm/dy - v dm/dx. */
struct around {
    const real *u, *v, *w;
    real rx, ry, rz, rdz, slope_x, slope_y, ground, ground_x, ground_y, turn;
};

static struct around around_of(const struct slab *s, const struct dynamics *d, int j, int k, int i)
{
    struct around a = {.u = line_at(s, F_U, j, k) + i,
                       .v = line_at(s, F_V, j, k) + i,
                       .w = line_at(s, F_W, j, k) + i,
                       .rx = R(0.5) * d->rdx,
                       .ry = R(0.5) * d->rdy,
                       .rz = R(1.0) / (R(1.0) / s->f[P_RDZF][k] + R(1.0) / s->f[P_RDZF][k + 1]),
                       .rdz = s->f[P_RDZC][k]};
    if (!d->over) return a;
    const ptrdiff_t at = (j - s->j0) * s->sm + i;
    const int is_true = d->true_along_y > R(0.0);
    const real factor = s->f[F_MAP_FACTOR][at], none = R(1.0);
    a.rx *= factor, a.ry *= is_true ? none : factor;
    if (((const struct dynamics_own *)d)->map.projection.kind)
        a.turn = R(0.5) * (d->rdy * (s->f[F_MAP_SOUTH][at + s->sm] - s->f[F_MAP_SOUTH][at]) * (a.u[0] + a.u[1]) /
                               (is_true ? factor : none) -
                           d->rdx * (s->f[F_MAP_WEST][at + 1] - s->f[F_MAP_WEST][at]) * (a.v[0] + a.v[s->sj]));
    const real *const large = s->f[F_TERRAIN_LARGE] + at, *const small = s->f[F_TERRAIN_SMALL] + at,
                      *const ground = s->f[F_GROUND_W] + at, *const thin = line_at(s, F_THIN, j, k) + i;
    const real of_large = s->f[P_DECAY_L][k], of_small = s->f[P_DECAY_S][k];
    a.slope_x = a.rx * (of_large * (large[1] - large[-1]) + of_small * (small[1] - small[-1]));
    a.slope_y = a.ry * (of_large * (large[s->sm] - large[-s->sm]) + of_small * (small[s->sm] - small[-s->sm]));
    a.rz *= *thin, a.rdz *= *thin;
    if (k) return a;
    a.ground = ground[0];
    a.ground_x = R(0.5) * a.rx * (ground[1] - ground[-1]),
    a.ground_y = R(0.5) * a.ry * (ground[s->sm] - ground[-s->sm]);
    return a;
}

/* Vertical vorticity at a cell centre. */
static real rotation(const struct slab *s, const struct around *a)
{
    const real v_x = slope(a->v, s->sj, 1, a->rx) - a->slope_x * slope(a->v, s->sj, s->sk, a->rz),
               u_y = slope(a->u, 1, s->sj, a->ry) - a->slope_y * slope(a->u, 1, s->sk, a->rz);
    return (v_x - u_y) + a->turn;
}

/* Component 0, 1, 2 of curl (u, v, w) at the centres. */
static void vorticity_row(const struct slab *s, const struct dynamics *d, int component, int j, real *restrict out)
{
    for (int k = 0; k < s->nk; k++)
        for (int i = 0; i < s->ni; i++) {
            const struct around a = around_of(s, d, j, k, i);
            const real w_z = a.rdz * (a.w[s->sk] - (a.w[0] + a.ground));
            real value;
            if (component == 0)
                value =
                    (slope(a.w, s->sk, s->sj, a.ry) + a.ground_y - a.slope_y * w_z) - slope(a.v, s->sj, s->sk, a.rz);
            else if (component == 1)
                value = slope(a.u, 1, s->sk, a.rz) - (slope(a.w, s->sk, 1, a.rx) + a.ground_x - a.slope_x * w_z);
            else value = rotation(s, &a);
            out[(ptrdiff_t)k * s->ni + i] = value;
        }
}
static void vorticity_x_row(const struct slab *s, const void *c, int j, real *restrict out)
{
    vorticity_row(s, c, 0, j, out);
}
static void vorticity_y_row(const struct slab *s, const void *c, int j, real *restrict out)
{
    vorticity_row(s, c, 1, j, out);
}
static void vorticity_z_row(const struct slab *s, const void *c, int j, real *restrict out)
{
    vorticity_row(s, c, 2, j, out);
}

/* The integral of w zeta over the layer (Kain et al. 2008), whose heights are above the ground, w and zeta of either
 * sign: mean w of a cell's faces times zeta of its centre times as much of its height as lies in the layer. */
static void updraft_helicity_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    const struct dynamics_own *const own = ctx; /* it begins with what it knows */
    for (int i = 0; i < s->ni; i++) {
        const double ground = terrain_z_f(own, i, j, 0);
        double sum = 0;
        for (int k = 0; k < s->nk; k++) {
            const double low = SF_MAX(terrain_z_f(own, i, j, k) - ground, own->params.dynamics_helicity_bottom);
            const double high = SF_MIN(terrain_z_f(own, i, j, k + 1) - ground, own->params.dynamics_helicity_top);
            if (!(high > low)) continue;
            const struct around a = around_of(s, &own->ctx, j, k, i);
            const double w = 0.5 * ((double)(a.w[0] + a.ground) + (double)a.w[s->sk]);
            sum += w * (double)rotation(s, &a) * (high - low);
        }
        out[i] = (real)sum;
    }
}
_Static_assert(offsetof(struct dynamics_own, ctx) == 0, "diagnostics find the rest of the model behind its numbers");

#define Q_ROW(n)                                                                                                       \
    static void q##n##_row(const struct slab *s, const void *ctx, int j, real *restrict out)                           \
    {                                                                                                                  \
        const int named = ((const struct dynamics *)ctx)->named;                                                       \
        copy_row(s, F_Q + F_FAMILY * (named + n - 1), j, out);                                                         \
    }
#define TRACER Q_ROW
#include "dynamics/tracers.def"

#define FIELD_ROW(name, field)                                                                                         \
    static void name##_row(const struct slab *s, const void *ctx, int j, real *restrict out)                           \
    {                                                                                                                  \
        (void)ctx;                                                                                                     \
        copy_row(s, field, j, out);                                                                                    \
    }
FIELD_ROW(theta_p, F_TH)
FIELD_ROW(pi_p, F_PI)
FIELD_ROW(qv, F_QV)
FIELD_ROW(qc, F_QC)
FIELD_ROW(qr, F_QR)

static void tke_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    copy_row(s, F_Q + F_FAMILY * ((const struct dynamics *)ctx)->species, j, out);
}

/* What the closure has of the state as it is, before a step cuts it. A row that there is no memory for has no numbers.
 */
static void eddy_row(const struct slab *s, const struct dynamics *d, int of_heat, int j, real *restrict out)
{
    const size_t n = (size_t)s->nk * (size_t)s->ni;
    const double short_step = 1e-9; /* s: which cuts nothing */
    real *const other = malloc(n * sizeof *other);
    const int fails = !other || turbulence_row(d, s, j, short_step, of_heat ? other : out, of_heat ? out : other);
    for (size_t m = 0; m < n && fails; m++) out[m] = (real)NAN;
    free(other);
}
static void viscosity_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    eddy_row(s, ctx, 0, j, out);
}
static void diffusivity_row(const struct slab *s, const void *ctx, int j, real *restrict out)
{
    eddy_row(s, ctx, 1, j, out);
}

/* Rows of all air, of moist air, of turbulence with an energy, of a closure, of tracers: what a run has comes before
 * tracers, the rest behind what can be had, so that who asks for it is told what it needs. Static: of a namelist with
 * another error, too, names in &output fields are checked. */
#define AIR(name, long_name, unit, standard, initial, row) {name, long_name, unit, standard, initial, row, 0, 0, 0},
#define AIR_MAP(name, long_name, unit, standard, row) {name, long_name, unit, standard, 0, row, 0, 0, 1},
#define AIR_ROWS                                                                                                       \
    AIR("u", "eastward wind", "m s-1", "x_wind", 1, u_row)                                                             \
    AIR("v", "northward wind", "m s-1", "y_wind", 1, v_row)                                                            \
    AIR("w", "upward wind", "m s-1", "upward_air_velocity", 1, w_row)                                                  \
    AIR("theta_p", "potential temperature less that of the base state", "K", "", 1, theta_p_row)                       \
    AIR("pi_p", "Exner function less that of the base state", "1", "", 1, pi_p_row)                                    \
    AIR("theta", "potential temperature", "K", "air_potential_temperature", 0, theta_row)                              \
    AIR("temperature", "air temperature", "K", "air_temperature", 0, temperature_row)                                  \
    AIR("pressure", "air pressure", "Pa", "air_pressure", 0, pressure_row)                                             \
    AIR("density", "air density", "kg m-3", "air_density", 0, density_row)                                             \
    AIR("vorticity_x", "eastward relative vorticity", "s-1", "atmosphere_x_relative_vorticity", 0, vorticity_x_row)    \
    AIR("vorticity_y", "northward relative vorticity", "s-1", "atmosphere_y_relative_vorticity", 0, vorticity_y_row)   \
    AIR("vorticity_z", "upward relative vorticity", "s-1", "atmosphere_upward_relative_vorticity", 0, vorticity_z_row) \
    AIR("height", "height of cell centres", "m", "altitude", 0, height_row)                                            \
    AIR_MAP(helicity, "upward wind times upward relative vorticity, integral over a layer", "m2 s-2", "",              \
            updraft_helicity_row)
#define WET_ROWS                                                                                                       \
    AIR("qv", "water vapour by dry air", "kg kg-1", "humidity_mixing_ratio", 1, qv_row)                                \
    AIR("qc", "cloud water by dry air", "kg kg-1", "cloud_liquid_water_mixing_ratio", 1, qc_row)                       \
    AIR("qr", "rain water by dry air", "kg kg-1", "", 1, qr_row)                                                       \
    AIR("relative_humidity", "relative humidity over water", "1", "relative_humidity", 0, humidity_row)                \
    AIR("theta_e", "equivalent potential temperature of reversible ascent", "K",                                       \
        "air_equivalent_potential_temperature", 0, theta_e_row)                                                        \
    AIR("theta_rho", "density potential temperature", "K", "", 0, theta_rho_row)                                       \
    AIR("reflectivity", "radar reflectivity of rain", "dBZ", "equivalent_reflectivity_factor", 1, reflectivity_row)
#define TKE_ROWS                                                                                                       \
    AIR("tke", "turbulence kinetic energy", "m2 s-2", "specific_turbulent_kinetic_energy_of_air", 1, tke_row)
#define EDDY_ROWS                                                                                                      \
    AIR("viscosity", "eddy viscosity, before a step cuts it", "m2 s-1", "", 0, viscosity_row)                          \
    AIR("diffusivity", "eddy diffusivity, before a step cuts it", "m2 s-1", "", 0, diffusivity_row)
#define TRACER_ROW(n) {"q" #n, "tracer " #n, "1", "", 1, q##n##_row, 0, 0, 0},

static const struct diagnostic dry_none[] = {AIR_ROWS
#define TRACER TRACER_ROW
#include "dynamics/tracers.def"
                                                 WET_ROWS TKE_ROWS EDDY_ROWS};
static const struct diagnostic dry_eddy[] = {AIR_ROWS EDDY_ROWS
#define TRACER TRACER_ROW
#include "dynamics/tracers.def"
                                                 WET_ROWS TKE_ROWS};
static const struct diagnostic dry_tke[] = {AIR_ROWS TKE_ROWS EDDY_ROWS
#define TRACER TRACER_ROW
#include "dynamics/tracers.def"
                                                WET_ROWS};
static const struct diagnostic wet_none[] = {AIR_ROWS WET_ROWS
#define TRACER TRACER_ROW
#include "dynamics/tracers.def"
                                                 TKE_ROWS EDDY_ROWS};
static const struct diagnostic wet_eddy[] = {AIR_ROWS WET_ROWS EDDY_ROWS
#define TRACER TRACER_ROW
#include "dynamics/tracers.def"
                                                 TKE_ROWS};
static const struct diagnostic wet_tke[] = {AIR_ROWS WET_ROWS TKE_ROWS EDDY_ROWS
#define TRACER TRACER_ROW
#include "dynamics/tracers.def"
};

enum {
    TRACERS_MOST = 0
#define TRACER(n) +1
#include "dynamics/tracers.def"
    ,
    ALL = (int)(sizeof dry_none / sizeof dry_none[0])
};

void show_name(struct instance *in, const struct dynamics_params *p)
{
    enum {
        WET = sizeof(struct diagnostic[]){WET_ROWS} / sizeof(struct diagnostic),
        TKE = sizeof(struct diagnostic[]){TKE_ROWS} / sizeof(struct diagnostic),
        EDDY = sizeof(struct diagnostic[]){EDDY_ROWS} / sizeof(struct diagnostic)
    };
    static const struct diagnostic *const table[2][3] = {{dry_none, dry_eddy, dry_tke}, {wet_none, wet_eddy, wet_tke}};
    const int is_wet = p->water_scheme != SCHEME_NONE, closure = p->turbulence_closure;
    in->diagnostic = table[is_wet][closure];
    in->ndiagnostics = ALL - TRACERS_MOST - (is_wet ? 0 : WET) - (closure == CLOSURE_TKE ? 0 : TKE) -
                       (closure == CLOSURE_NONE ? EDDY : 0) + p->dynamics_tracers;
    in->ndiagnostics_most = ALL;
}

/* Histories over terrain without heights are of use to nobody who reads them by height, a run that begins of them too.
 */
static void heights_check(const struct instance *in)
{
    const struct config *const c = in->config;
    int asked = 0, has = 0;
    for (size_t n = 0; n < sizeof c->output_fields / sizeof c->output_fields[0]; n++)
        asked |= c->output_fields[n][0] != '\0', has |= !strcasecmp(c->output_fields[n], "height");
    if (asked && !has)
        sf_complain_mildly(
            in->complaints, "output%fields terrain%shape", -1,
            "over terrain levels lie at heights that differ by column, and this history does not say where: add "
            "'height', without which no run can begin from it, and pictures take coordinates for heights");
}

void show_check(const struct instance *in, int (*values)(const void *, const char *, const char *), const void *names)
{
    const struct dynamics_params *const p = &((const struct dynamics_own *)in->own)->params;
    const struct config *const c = in->config;
    int wanted = 0; /* a layer that nobody looks at may end anywhere */
    for (size_t n = 0; n < sizeof c->output_fields / sizeof c->output_fields[0]; n++)
        wanted |= !strcasecmp(c->output_fields[n], helicity);
    static const char *const ends[] = {"helicity_bottom", "helicity_top"};
    for (int n = 0; n < 2 && !wanted; n++) {
        char key[64];
        snprintf(key, sizeof key, "dynamics%%%s output%%fields", ends[n]);
        if (values(names, "dynamics", ends[n]) && param_is_set(&dynamics_model, p, key, 0))
            sf_complain_mildly(in->complaints, key, -1,
                               "%s changes nothing here: &output fields does not ask for %s; leave it out", ends[n],
                               helicity);
    }
    if (!(p->dynamics_helicity_top > p->dynamics_helicity_bottom))
        sf_complain(in->complaints, "dynamics%helicity_top dynamics%helicity_bottom", -1,
                    "the layer of %s begins at %g m and ends at %g m: let it end above where it begins", helicity,
                    p->dynamics_helicity_bottom, p->dynamics_helicity_top);
    else if (wanted && p->dynamics_helicity_top > in->grid->top * (1 + GRID_TIE))
        sf_complain(in->complaints, "dynamics%helicity_top dynamics%helicity_bottom output%fields", -1,
                    "%s counts the wind up to %g m, and the lid is at %g m: set helicity_top no higher", helicity,
                    p->dynamics_helicity_top, in->grid->top);
}

enum { PROFILES_MOST = 8 };

int show_make(struct dynamics_own *own, struct instance *in)
{
    const int nk = in->grid->nz;
    own->values = malloc(PROFILES_MOST * (size_t)nk * sizeof *own->values);
    SF_CHECK(own->values, SF_MEMORY, "no memory for the base profiles of the output");
    const struct base_state *b = &own->base;
    const double *const from[] = {b->theta, b->pi0, b->rho0, b->p0, b->u0, b->v0, b->qv, b->qc};
    static const struct profile of[] = {{"theta_0", "potential temperature of the base state", "K", "", NULL},
                                        {"pi_0", "Exner function of the base state", "1", "", NULL},
                                        {"rho_0", "density of the base state", "kg m-3", "", NULL},
                                        {"p_0", "pressure of the base state", "Pa", "", NULL},
                                        {"u_0", "eastward base wind", "m s-1", "", NULL},
                                        {"v_0", "northward base wind", "m s-1", "", NULL},
                                        {"qv_0", "water vapour of the base state", "kg kg-1", "", NULL},
                                        {"qc_0", "cloud water of the base state", "kg kg-1", "", NULL}};
    const int profiles = own->ctx.species ? PROFILES_MOST : PROFILES_MOST - 2;
    for (int p = 0; p < profiles; p++) {
        double *const to = own->values + (ptrdiff_t)p * nk;
        memcpy(to, from[p], (size_t)nk * sizeof *to);
        own->profile[p] = of[p];
        own->profile[p].value = to;
    }
    in->profile = own->profile;
    in->nprofiles = profiles;
    return SF_OK;
}

/* Names of the output that are this run's own. */
static int names_own(struct dynamics_own *own, struct instance *in)
{
    if (own->diagnostic) return SF_OK;
    own->diagnostic = malloc((ALL + 1) * sizeof *own->diagnostic);
    SF_CHECK(own->diagnostic, SF_MEMORY, "no memory for the names of the output");
    memcpy(own->diagnostic, in->diagnostic, ALL * sizeof *own->diagnostic);
    in->diagnostic = own->diagnostic;
    return SF_OK;
}

/* Over terrain heights are part of what a history holds; on a map winds are along its axes. */
int show_terrain(struct dynamics_own *own, struct instance *in)
{
    if (!own->ctx.over) return SF_OK;
    if (own->terrain.asked) in->heights = "height";
    if (in->heights && in->complaints) heights_check(in);
    SF_TRY(names_own(own, in));
    static const char *const along[][2] = {{"u", "wind along x"},
                                           {"v", "wind along y"},
                                           {"vorticity_x", "relative vorticity along x"},
                                           {"vorticity_y", "relative vorticity along y"}};
    for (int n = 0; n < ALL; n++) {
        struct diagnostic *const d = &own->diagnostic[n];
        if (in->heights && !strcmp(d->name, in->heights)) d->initial = 1;
        for (size_t m = 0; m < sizeof along / sizeof along[0] && own->map.projection.kind; m++)
            if (!strcmp(d->name, along[m][0])) d->long_name = along[m][1];
    }
    return SF_OK;
}

/* ---- with a moist sounding --------------------------------------------------------------------------------------- */

/* What a name of dry air means there; "" stays as it is. CF knows virtual temperature, and no virtual potential
 * temperature. */
static const struct moist_name {
    const char *dry, *name, *long_name, *standard_name;
} moist[] = {
    {"theta_p", "", "virtual potential temperature less that of the base state", ""},
    {"theta", "", "virtual potential temperature", ""},
    {"temperature", "virtual_temperature", "virtual temperature of the air", "virtual_temperature"},
    {"theta_0", "", "virtual potential temperature of the base state", ""},
    {"theta_p_min", "", "smallest theta' (virtual potential temperature)", NULL},
    {"theta_p_max", "", "largest theta' (virtual potential temperature)", NULL},
    {"mass", "", "mass of air", NULL},
};

static const struct moist_name *moist_of(const char *dry)
{
    for (size_t n = 0; n < sizeof moist / sizeof moist[0]; n++)
        if (!strcmp(dry, moist[n].dry)) return &moist[n];
    return NULL;
}

/* The name of dry air stands behind those that there are, so that who asks for it is told so. */
int show_moist(struct dynamics_own *own, struct instance *in)
{
    const struct moist_name *m;
    SF_TRY(names_own(own, in));
    own->diagnostic[ALL] = own->diagnostic[0];
    for (int n = 0; n < ALL; n++) {
        struct diagnostic *const d = &own->diagnostic[n];
        if (!(m = moist_of(d->name))) continue;
        if (m->name[0]) own->diagnostic[ALL] = *d, d->name = m->name;
        d->long_name = m->long_name, d->standard_name = m->standard_name;
    }
    in->ndiagnostics_most = ALL + 1;
    for (int n = 0; n < in->nfields; n++)
        if ((m = moist_of(in->field[n].name))) in->field[n].long_name = m->long_name;
    for (int n = 0; n < in->nprofiles; n++)
        if ((m = moist_of(own->profile[n].name))) own->profile[n].long_name = m->long_name;
    for (int n = 0; n < in->nquantities; n++)
        if ((m = moist_of(own->quantity[n].name))) own->quantity[n].long_name = m->long_name;
    return SF_OK;
}
