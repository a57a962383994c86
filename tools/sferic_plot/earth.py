"""Runs on a map of the Earth: when their times are. SPDX-License-Identifier: MIT"""
import re
from datetime import datetime

from .read import netcdf_read


def start_of(run):
    """The date that times of a run count from, UTC; None where they have none."""
    units = netcdf_read(run.where[0][0], lambda ds: str(ds["time"].attrs.get("units", "")))
    found = re.fullmatch(r"seconds since (.+?)(?: *(?:Z|UTC|\+00:?00))?", units.strip())
    try:
        return datetime.fromisoformat(found.group(1)) if found else None
    except ValueError:
        return None
