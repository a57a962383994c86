"""The file of observations: lines of `station latitude longitude time quantity value [unit]`. SPDX-License-Identifier: MIT"""
import difflib
import math
from datetime import datetime, timezone
from typing import NamedTuple

from sferic_plot.words import INPUT, Fail

KNOT = 1852 / 3600
PRESSURE = {"hPa": (1, 0), "mbar": (1, 0), "Pa": (0.01, 0), "kPa": (10, 0)}
TEMPERATURE = {"C": (1, 0), "K": (1, -273.15), "F": (5 / 9, -160 / 9)}
# Of each quantity factor and offset from its units to the first, in which it is compared, and between which values lie in that.
QUANTITIES = {"pressure_msl": (PRESSURE, 850, 1100), "temperature": (TEMPERATURE, -100, 70), "dew_point": (TEMPERATURE, -120, 50),
              "wind_speed": ({"m/s": (1, 0), "kt": (KNOT, 0), "km/h": (1 / 3.6, 0)}, 0, 150), "wind_direction": ({"degrees": (1, 0)}, 0, 360),
              "rain": ({"mm": (1, 0), "cm": (10, 0), "in": (25.4, 0)}, 0, 5000), "low": (PRESSURE, 850, 1100)}


class Observation(NamedTuple):
    where: str  # file and line, for messages
    station: str
    latitude: float
    longitude: float
    time: datetime  # UTC
    quantity: str
    value: float
    unit: str


def unit_of(quantity):
    return next(iter(QUANTITIES[quantity][0]))


def nearly(word, known):
    near = difflib.get_close_matches(word, known, 1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def number_of(word, what, low, high):
    try:
        x = float(word)
    except ValueError:
        raise ValueError(f"{what} '{word}' is not a number") from None
    if not (math.isfinite(x) and low <= x <= high):
        raise ValueError(f"{what} {word} is not within {low:g} to {high:g}")
    return x


def time_of(word):
    try:
        t = datetime.fromisoformat(word[:-1] + "+00:00" if word[-1:] in "zZ" else word)
    except ValueError:
        raise ValueError(f"'{word}' is not a time such as 2018-09-17T15:00:00") from None
    return t.astimezone(timezone.utc).replace(tzinfo=None) if t.tzinfo else t


def line_parse(words, where):
    """ValueError tells what is wrong."""
    if not 6 <= len(words) <= 7:
        raise ValueError(f"{len(words)} words, not station, latitude, longitude, time, quantity, value and at most a unit")
    station, latitude, longitude, time, quantity, value = words[:6]
    latitude, longitude = number_of(latitude, "latitude", -90, 90), number_of(longitude, "longitude", -360, 360)
    time = time_of(time)
    if quantity not in QUANTITIES:
        raise ValueError(f"no quantity '{quantity}'{nearly(quantity, QUANTITIES)}; there are {', '.join(QUANTITIES)}")
    units, low, high = QUANTITIES[quantity]
    unit = words[6] if len(words) > 6 else unit_of(quantity)
    if unit not in units:
        raise ValueError(f"{quantity} in '{unit}': its units are {', '.join(units)}")
    factor, offset = units[unit]
    x = number_of(value, quantity, -math.inf, math.inf) * factor + offset
    if not low <= x <= high:
        raise ValueError(f"{quantity} {value} {unit} is not within {low} to {high} {unit_of(quantity)}")
    return Observation(where, station, latitude, longitude, time, quantity, x, unit_of(quantity))


def observations_read(path):
    """In the order of the file."""
    found = []
    try:
        with open(path, encoding="utf-8") as f:
            for n, line in enumerate(f, 1):
                words = line.partition("#")[0].split()
                if words:
                    found.append(line_parse(words, f"{path}:{n}"))
    except OSError as e:
        raise Fail(INPUT, f"{path}: {e.strerror or e}") from e
    except UnicodeDecodeError as e:
        raise Fail(INPUT, f"{path}: not a text") from e
    except ValueError as e:
        raise Fail(INPUT, f"{path}:{n}: {e}") from e
    if not found:
        raise Fail(INPUT, f"{path}: no observation in it")
    return found
