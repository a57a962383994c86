/* With which choices each key of the weather model counts. SPDX-License-Identifier: MIT */
#include "dynamics/dynamics.h"
#include "pipeline/uses.h"

#define OPENED "boundary%west boundary%east boundary%south boundary%north", "open"
#define WET "water%scheme", "saturation kessler"
#define MAPPED "map%projection", "lambert polar_stereographic mercator latitude_longitude"
#define RAINY "water%scheme", "kessler"

static const struct param_use use[] = {
    {"base%surface_pressure", "base%profile", "neutral isothermal constant_n weisman_klemp saturated", NULL, NULL},
    {"base%surface_theta", "base%profile", "neutral constant_n", NULL, NULL},
    {"base%temperature", "base%profile", "isothermal", NULL, NULL},
    {"base%brunt_vaisala", "base%profile", "constant_n", NULL, NULL},
    {"base%moist_layer", "base%profile", "weisman_klemp", NULL, NULL},
    {"base%theta_e", "base%profile", "saturated", NULL, NULL},
    {"base%total_water", "base%profile", "saturated", NULL, NULL},
    {"base%sounding", "base%profile", "sounding", NULL, NULL},
    {"base%sounding", "base%wind", "sounding", NULL, NULL},
    {"base%wind_u", "base%wind", "constant shear tanh quarter_circle half_circle", NULL, NULL},
    {"base%wind_v", "base%wind", "constant shear tanh quarter_circle half_circle", NULL, NULL},
    {"base%wind_u_top", "base%wind", "shear tanh quarter_circle half_circle", NULL, NULL},
    {"base%wind_v_top", "base%wind", "shear tanh quarter_circle half_circle", NULL, NULL},
    {"base%shear_bottom", "base%wind", "shear tanh", NULL, NULL},
    {"base%shear_top", "base%wind", "shear tanh quarter_circle half_circle", NULL, NULL},
    {"base%table_z", "base%wind", "table", NULL, NULL},
    {"base%table_u", "base%wind", "table", NULL, NULL},
    {"base%table_v", "base%wind", "table", NULL, NULL},
    {"base%turn_radius", "base%wind", "quarter_circle half_circle", NULL, NULL},
    {"base%turn_top", "base%wind", "quarter_circle half_circle", NULL, NULL},

    {"boundary%tracer_inflow", OPENED, "dynamics%tracers", NULL},
    {"dynamics%mixing_rate", "dynamics%mixing", "second fourth monotone", NULL, NULL},
    {"dynamics%viscosity", "dynamics%mixing", "constant", NULL, NULL},
    {"dynamics%rayleigh_time", "dynamics%rayleigh_depth", NULL, NULL, NULL},
    {"dynamics%open_phase_speed", OPENED, NULL, NULL},
    {"dynamics%open_relax_time", OPENED, NULL, NULL},
    {"dynamics%open_inflow_time", OPENED, NULL, NULL},
    {"dynamics%open_leaving_speed", OPENED, NULL, NULL},

    {"water%equations", WET, NULL, NULL},
    {"water%saturation", WET, NULL, NULL},
    {"water%vapour_gas_constant", WET, NULL, NULL},
    {"water%vapour_heat_capacity", WET, NULL, NULL},
    {"water%liquid_heat_capacity", WET, NULL, NULL},
    {"water%latent_heat", WET, NULL, NULL},
    {"water%autoconversion_rate", RAINY, NULL, NULL},
    {"water%autoconversion_from", RAINY, NULL, NULL},
    {"water%accretion_rate", RAINY, NULL, NULL},
    {"water%fall_speed", RAINY, NULL, NULL},
    {"water%fall_exponent", RAINY, NULL, NULL},

    {"turbulence%smagorinsky_constant", "turbulence%closure", "smagorinsky", NULL, NULL},
    {"turbulence%cells", "turbulence%closure", "smagorinsky tke", NULL, NULL},
    {"turbulence%mixing_length", "turbulence%closure", "smagorinsky tke", NULL, NULL},
    {"turbulence%vertical", "turbulence%closure", "smagorinsky tke", NULL, NULL},
    {"turbulence%expected_diffusivity", "turbulence%closure", "smagorinsky tke", NULL, NULL},

    {"surface%roughness", "surface%drag", "roughness", NULL, NULL},
    {"surface%roughness", "surface%drag", "friction", "surface%heat", "temperature"},
    {"surface%roughness_heat", "surface%drag", "roughness sea friction", "surface%heat", "temperature"},
    {"surface%drag_coefficient", "surface%drag", "coefficient", NULL, NULL},
    {"surface%friction_velocity", "surface%drag", "friction", NULL, NULL},
    {"surface%heat_flux", "surface%heat", "flux", NULL, NULL},
    {"surface%vapour_flux", "surface%heat", "flux", NULL, NULL},
    {"surface%temperature", "surface%heat", "temperature", NULL, NULL},
    {"surface%temperature_rate", "surface%heat", "temperature", NULL, NULL},
    {"surface%wetness", "surface%heat", "temperature", NULL, NULL},
    {"surface%file", "surface%drag", "roughness", NULL, NULL},
    {"surface%file", "surface%heat", "temperature", NULL, NULL},
    {"surface%patch_temperature", "surface%heat", "temperature", NULL, NULL},
    {"surface%patch_roughness", "surface%drag", "roughness", NULL, NULL},
    {"surface%patch_wetness", "surface%heat", "temperature", NULL, NULL},

    {"driver%rows", "driver%file", NULL, NULL, NULL},
    {"driver%scale", "driver%file", NULL, NULL, NULL},

    {"terrain%flat_above", "terrain%coordinate", "hybrid", NULL, NULL},
    {"terrain%sleve_large", "terrain%coordinate", "sleve", NULL, NULL},
    {"terrain%sleve_small", "terrain%coordinate", "sleve", NULL, NULL},
    {"terrain%smoothing", "terrain%coordinate", "sleve", NULL, NULL},

    {"map%centre_latitude", MAPPED, NULL, NULL},
    {"map%centre_longitude", MAPPED, NULL, NULL},
    {"map%standard_parallels", MAPPED, NULL, NULL},
    {"map%central_meridian", MAPPED, NULL, NULL},
    {"map%earth_radius", MAPPED, NULL, NULL},
    {"map%rotation_rate", MAPPED, NULL, NULL},

    {"initial%atmosphere_theta", "initial%atmosphere", "neutral constant_n", NULL, NULL},
    {"initial%atmosphere_temperature", "initial%atmosphere", "isothermal", NULL, NULL},
    {"initial%atmosphere_brunt_vaisala", "initial%atmosphere", "constant_n", NULL, NULL},
    {"initial%tracer", "initial%variable", "tracer", NULL, NULL},
    {"initial%noise_top", "initial%noise", NULL, NULL, NULL},
    {"initial%noise_seed", "initial%noise", NULL, NULL, NULL},
    {"initial%jet_speed", "initial%jet", "shear core", NULL, NULL},
    {"initial%jet_offset", "initial%jet", "shear core", NULL, NULL},
    {"initial%jet_width", "initial%jet", "shear core", NULL, NULL},
    {"initial%jet_height", "initial%jet", "core", NULL, NULL},
    {"initial%flow_speed", "initial%flow", "beltrami taylor_green", NULL, NULL},
    {"initial%flow_waves", "initial%flow", "beltrami taylor_green", NULL, NULL},
};

void dynamics_uses_check(const struct dynamics_params *p, int (*values)(const void *, const char *, const char *),
                         const void *names, struct complaints *to)
{
    param_uses_check(&dynamics_model, p, use, (int)(sizeof use / sizeof use[0]), values, names, to);
}
