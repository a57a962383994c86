/* A model for tests of what persists, is fed and stands beyond sides: temperature above a ground that it warms, heating
 * that is made anew now and then, and rain that gathers on the ground. No physics, but every field feels every other.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

enum roles_field {
    ROLES_RAIN,
    ROLES_TEMP,
    ROLES_HEAT,
    ROLES_GROUND,
    ROLES_FLUX,
    ROLES_FORCE,
    ROLES_SUN,
    ROLES_WEST,
    ROLES_SOUTH,
    ROLES_FIELDS,
    ROLES_SAVED = ROLES_FORCE /* those before it are */
};

/* Formulas: values in, values out. */
SF_FORMULA real roles_heat(real west, real east, real south, real north, real ground, real dt)
{
    return R(0.125) * ((west + east) + (south + north)) + R(0.25) * ground + R(0.0625) * dt;
}

SF_FORMULA real roles_ground(real ground, real temp, real sun, real dt)
{
    return ground + R(0.25) * dt * (temp - ground) + R(0.5) * dt * sun;
}

SF_FORMULA real roles_flux(real ground, real temp) { return R(0.5) * (temp - ground); }

/* sum: of the six neighbours; corners: of two others. */
SF_FORMULA real roles_temp(real temp, real sum, real corners, real heat, real ground, real force, real dt)
{
    return temp + dt * (R(0.0625) * (sum - 6 * temp) + R(0.03125) * corners + heat + R(0.125) * ground + force);
}

SF_FORMULA real roles_fall(real temp) { return R(0.015625) * (temp > 0 ? temp : 0); }

extern const struct stage roles_stages[];
enum { ROLES_RADIATE, ROLES_WARM, ROLES_MIX, ROLES_FALL, ROLES_STAGES };
