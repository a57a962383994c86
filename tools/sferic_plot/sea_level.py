"""The lowest cells of the weather model, and pressure at sea level from them. SPDX-License-Identifier: MIT"""
import numpy as np

from .places import edges
from .read import namelist_number

LAPSE = 6.5e-3  # K/m below the lowest cell, as the standard atmosphere has it
LOWEST = slice(0, 1)


def is_known(run):
    """Has the history pressure and temperature of cells that stand on the ground?"""
    if run.is_em or len(run.axes["z"]) < 2:
        return False
    fields, base = set(run.fields), set(run.base)
    side = edges(run.axes["z"])
    stands = run.terrain.stands if run.terrain else side[0] < 0.5 * (side[1] - side[0])
    return stands and ("pressure" in fields or "pi_p" in fields and "pi_0" in base) and \
        ("temperature" in fields or "theta" in fields or "theta_p" in fields and "theta_0" in base)


def lowest(run, name, frame):
    """Of a field the lowest cell of each column, (y, x)."""
    return run.read(name, frame, "z", LOWEST)[0].astype(float)


def base_lowest(run, base, name):
    """Of a profile of the base state the same."""
    return run.base_at(run.base[base], name, "z", LOWEST)[0] if run.terrain else run.base[base][0]


class Air:
    """The lowest cells of a frame, (y, x): pressure p, Pa, temperature t, K, vapour by dry air qv, height of their centres, m."""

    def __init__(self, run, frame):
        gas, heat = (namelist_number(run.attrs, k, d) for k, d in (("gas_constant", 287), ("heat_capacity", 1004.5)))
        self.epsilon = gas / namelist_number(run.attrs, "vapour_gas_constant", 461.5)
        self.power = namelist_number(run.attrs, "gravity", 9.80665) / (gas * LAPSE)
        reference = namelist_number(run.attrs, "reference_pressure", 1e5)
        if "pressure" in run.fields:
            self.p = lowest(run, "pressure", frame)
            exner = (self.p / reference) ** (gas / heat)
        else:
            exner = lowest(run, "pi_p", frame) + base_lowest(run, "pi_0", "pi_p")
            self.p = reference * exner ** (heat / gas)
        if "temperature" in run.fields:
            self.t = lowest(run, "temperature", frame)
        elif "theta_p" in run.fields and "theta_0" in run.base:
            self.t = exner * (lowest(run, "theta_p", frame) + base_lowest(run, "theta_0", "theta_p"))
        else:
            self.t = exner * lowest(run, "theta", frame)
        self.qv = lowest(run, "qv", frame) if "qv" in run.fields else np.zeros(self.t.shape)
        self.height = run.terrain.heights(run.axes, "z", LOWEST)[0].astype(float) if run.terrain else np.full(self.t.shape, run.axes["z"][0])

    def pressure_at(self, height):
        """Hydrostatic, Pa, where the temperature changes by LAPSE from the centre of the cell on."""
        virtual = self.t * (1 + self.qv / self.epsilon) / (1 + self.qv)
        return self.p * (1 + LAPSE * (self.height - height) / virtual) ** self.power


def sea_level(run, frame):
    """Pressure at sea level, Pa, (y, x)."""
    return Air(run, frame).pressure_at(0.0)
