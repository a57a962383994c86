"""A field of a file: what it is, when and on which level, and where it lies. SPDX-License-Identifier: MIT"""
from typing import NamedTuple, Optional
from datetime import datetime


class Record(NamedTuple):
    quantity: str
    time: Optional[datetime]  # None: at all times
    level: Optional[float]  # Pa, or the number of a model's level from the ground up; None: of the ground
    path: str
    place: tuple  # where the reader finds it
    rank: int  # of several that are the same quantity the lowest is taken
    scale: tuple  # factor and offset to SI units
    name: str  # in the file

    def is_wind(self):
        return self.quantity in ("u", "v")

    def scaled(self, values):
        factor, offset = self.scale
        return values * factor + offset if factor != 1 or offset else values
