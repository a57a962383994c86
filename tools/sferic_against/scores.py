"""How far off: differences, their mean and rms. SPDX-License-Identifier: MIT"""
import math
from typing import NamedTuple

from .observed import Observation


class Row(NamedTuple):
    """Of an observation the forecast and persistence, and how far these are off: values less the observed one, of places distances."""
    observation: Observation
    quantity: str
    unit: str
    observed: object  # a number, or (latitude, longitude)
    forecast: object
    difference: float
    persistence: object
    persistence_difference: float


def difference_of(quantity, value, observed):
    """Of directions within half a turn."""
    d = value - observed
    return (d + 180) % 360 - 180 if quantity == "wind_direction" else d


class Score(NamedTuple):
    quantity: str
    unit: str
    count: int
    bias: float
    rms: float
    persistence_bias: float
    persistence_rms: float


def mean_rms(values):
    return math.fsum(values) / len(values), math.sqrt(math.fsum(v * v for v in values) / len(values))


def scores_make(rows):
    """One a quantity, in the order of their first observation."""
    found = []
    for quantity, unit in dict.fromkeys((r.quantity, r.unit) for r in rows):
        of = [r for r in rows if r.quantity == quantity]
        found.append(Score(quantity, unit, len(of), *mean_rms([r.difference for r in of]), *mean_rms([r.persistence_difference for r in of])))
    return found
