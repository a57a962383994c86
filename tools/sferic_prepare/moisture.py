"""Vapour of air. Constants are those of the program (&dynamics gas_constant, heat_capacity, gravity, &water vapour_gas_constant).
SPDX-License-Identifier: MIT
"""
import numpy as np

R, R_V, HEAT, G = 287.0, 461.5, 1004.5, 9.80665  # J/kg/K of dry air and of vapour; J/kg/K at constant pressure; m/s2
EPSILON = R / R_V


def pressure_saturated(t):
    """Of vapour over water, Pa (Bolton 1980), at t, K; as at 170 K where it is colder."""
    c = np.maximum(t, 170) - 273.15
    return 611.2 * np.exp(17.67 * c / (c + 243.5))


def ratio_saturated(t, p):
    """Vapour by dry air at saturation, kg/kg; no limit where water would boil."""
    e = pressure_saturated(t)
    return np.where(e < 0.5 * p, EPSILON * e / np.maximum(p - e, 0.5 * p), 1.0)


def ratio_of_humidity(share, t, p):
    """Vapour by dry air, kg/kg, from a relative humidity over water (1: saturated), of which a little more than all is all."""
    e = np.minimum(share, 1) * pressure_saturated(t)
    return EPSILON * e / (p - np.minimum(e, 0.5 * p))


def ratio_of_specific(q):
    """Vapour by dry air from vapour by moist air."""
    return q / (1 - q)


def virtual(t, q):
    """Temperature of dry air of the same density and pressure, K; q by dry air."""
    return t * (1 + q / EPSILON) / (1 + q)
