/* Names and units of what a start takes from a file. SPDX-License-Identifier: MIT */
#include "dynamics/start.h"

#include "pipeline/error.h"

#include <stdio.h>
#include <string.h>

enum unit_kind {
    UNIT_SPEED,
    UNIT_KELVIN,
    UNIT_DIFFERENCE,
    UNIT_PRESSURE,
    UNIT_ONE,
    UNIT_RATIO,
    UNIT_SHARE,
    UNIT_ENERGY,
    UNIT_LENGTH
};

/* As programs write them; the first of a kind is the model's. */
static const struct {
    enum unit_kind kind;
    const char *name;
    double scale, offset;
} units[] = {
    {UNIT_SPEED, "m s-1", 1, 0},
    {UNIT_SPEED, "m/s", 1, 0},
    {UNIT_SPEED, "m s^-1", 1, 0},
    {UNIT_SPEED, "m s**-1", 1, 0},
    {UNIT_SPEED, "meter second-1", 1, 0},
    {UNIT_KELVIN, "K", 1, 0},
    {UNIT_KELVIN, "kelvin", 1, 0},
    {UNIT_KELVIN, "degK", 1, 0},
    {UNIT_KELVIN, "degC", 1, 273.15},
    {UNIT_KELVIN, "celsius", 1, 273.15},
    {UNIT_KELVIN, "degree_Celsius", 1, 273.15},
    {UNIT_KELVIN, "degrees_Celsius", 1, 273.15},
    {UNIT_KELVIN, "degree_C", 1, 273.15},
    {UNIT_KELVIN, "C", 1, 273.15},
    {UNIT_DIFFERENCE, "K", 1, 0},
    {UNIT_DIFFERENCE, "kelvin", 1, 0},
    {UNIT_DIFFERENCE, "degK", 1, 0},
    {UNIT_PRESSURE, "Pa", 1, 0},
    {UNIT_PRESSURE, "hPa", 100, 0},
    {UNIT_PRESSURE, "mbar", 100, 0},
    {UNIT_PRESSURE, "millibar", 100, 0},
    {UNIT_PRESSURE, "mb", 100, 0},
    {UNIT_PRESSURE, "kPa", 1000, 0},
    {UNIT_ONE, "1", 1, 0},
    {UNIT_ONE, "kg kg-1", 1, 0},
    {UNIT_RATIO, "kg kg-1", 1, 0},
    {UNIT_RATIO, "kg/kg", 1, 0},
    {UNIT_RATIO, "kg kg^-1", 1, 0},
    {UNIT_RATIO, "kg kg**-1", 1, 0},
    {UNIT_RATIO, "1", 1, 0},
    {UNIT_RATIO, "g kg-1", 1e-3, 0},
    {UNIT_RATIO, "g/kg", 1e-3, 0},
    {UNIT_RATIO, "g kg^-1", 1e-3, 0},
    {UNIT_RATIO, "g kg**-1", 1e-3, 0},
    {UNIT_SHARE, "1", 1, 0},
    {UNIT_SHARE, "%", 1e-2, 0},
    {UNIT_SHARE, "percent", 1e-2, 0},
    {UNIT_ENERGY, "m2 s-2", 1, 0},
    {UNIT_ENERGY, "m2/s2", 1, 0},
    {UNIT_ENERGY, "m^2/s^2", 1, 0},
    {UNIT_ENERGY, "J kg-1", 1, 0},
    {UNIT_LENGTH, "m", 1, 0},
    {UNIT_LENGTH, "metre", 1, 0},
    {UNIT_LENGTH, "meter", 1, 0},
    {UNIT_LENGTH, "km", 1e3, 0},
    {UNIT_LENGTH, "cm", 1e-2, 0},
};

/* What the history writes comes first: departures keep their bits. */
static const struct start_name names[] = {
    {"u", {"x_wind", "eastward_wind"}, START_U, FORM_SELF, UNIT_SPEED, 0, 0},
    {"v", {"y_wind", "northward_wind"}, START_V, FORM_SELF, UNIT_SPEED, 0, 0},
    {"w", {"upward_air_velocity", NULL}, START_W, FORM_SELF, UNIT_SPEED, 0, 0},
    {"theta_p", {NULL, NULL}, START_THETA, FORM_SELF, UNIT_DIFFERENCE, 0, 0},
    {"theta", {"air_potential_temperature", NULL}, START_THETA, FORM_THETA, UNIT_KELVIN, 0, 0},
    {"temperature", {"air_temperature", NULL}, START_THETA, FORM_TEMPERATURE, UNIT_KELVIN, 0, 0},
    {"pi_p", {NULL, NULL}, START_PI, FORM_SELF, UNIT_ONE, 0, 0},
    {"pressure", {"air_pressure", NULL}, START_PI, FORM_PRESSURE, UNIT_PRESSURE, 0, 0},
    {"qv", {"humidity_mixing_ratio", NULL}, START_Q, FORM_SELF, UNIT_RATIO, 0, 0},
    {"specific_humidity", {"specific_humidity", NULL}, START_Q, FORM_SPECIFIC, UNIT_RATIO, 0, 0},
    {"relative_humidity", {"relative_humidity", NULL}, START_Q, FORM_HUMIDITY, UNIT_SHARE, 0, 0},
    {"qc", {"cloud_liquid_water_mixing_ratio", NULL}, START_Q + 1, FORM_SELF, UNIT_RATIO, 0, 0},
    {"qr", {NULL, NULL}, START_Q + 2, FORM_SELF, UNIT_RATIO, 0, 0},
    {"tke", {"specific_turbulent_kinetic_energy_of_air", NULL}, START_Q, FORM_SELF, UNIT_ENERGY, 0, 0},
};

/* Air is mostly dry air; vapour above one and a half times saturation is no measurement. */
static double bound_of(int unit) { return unit == UNIT_RATIO ? 1 : unit == UNIT_SHARE ? 1.5 : 0; }

enum { NAMES = (int)(sizeof names / sizeof names[0]) };

int start_name_of(const struct dynamics *d, int n, struct start_name *name)
{
    const int water = d->species, named = d->named, tracer = n - NAMES;
    if (n < NAMES) {
        *name = names[n];
        name->is_there = name->of < START_Q || water;
        name->bound = bound_of(name->unit);
        if (name->unit == UNIT_ENERGY) name->of = (enum start_of)(START_Q + water), name->is_there = named > water;
        return 1;
    }
    *name = (struct start_name){.of = (enum start_of)(START_Q + named + tracer), .unit = UNIT_ONE};
    name->is_there = named + tracer < d->tracers;
    snprintf(name->name, sizeof name->name, "q%d", tracer + 1);
    return tracer < MEMBERS_MOST - named;
}

static int unit_find(int unit, const struct filed *f, const char *path, double *scale, double *offset)
{
    char known[256] = "";
    *scale = 1, *offset = 0;
    if (!f->unit[0]) return SF_OK;
    for (size_t n = 0; n < sizeof units / sizeof units[0]; n++) {
        if ((int)units[n].kind != unit) continue;
        if (!strcmp(units[n].name, f->unit)) {
            *scale = units[n].scale, *offset = units[n].offset;
            return SF_OK;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s'%s'", used ? ", " : "", units[n].name);
    }
    SF_FAIL(SF_INPUT, "'%s': %s is in '%s'; units that are known for it: %s", path, f->name, f->unit, known);
}

int start_unit_find(const struct start_name *name, const struct filed *f, const char *path, double *scale,
                    double *offset)
{
    return unit_find(name->unit, f, path, scale, offset);
}

int ground_unit_find(enum ground_of of, const struct filed *f, const char *path, double *scale, double *offset)
{
    static const int unit[] = {UNIT_KELVIN, UNIT_LENGTH, UNIT_SHARE, UNIT_LENGTH};
    return unit_find(unit[of], f, path, scale, offset);
}

const char *start_unit_of(const struct start_name *name)
{
    size_t n = 0;
    while ((int)units[n].kind != name->unit) n++;
    return units[n].name;
}
