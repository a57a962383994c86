"""Namelists on the disk: those that come with the program, and whether a file is one. Standard library only. SPDX-License-Identifier: MIT"""
import glob
import os
import re

LARGEST = 4 << 20  # bytes of a namelist


def shipped_find():
    """{name: path} of the cases that come with the program."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    place = next((p for p in (os.path.join(os.path.dirname(here), "namelists"), os.path.join(here, "namelists")) if os.path.isdir(p)), None)
    files = glob.glob(os.path.join(glob.escape(place), "*.nml")) + glob.glob(os.path.join(glob.escape(place), "*", "*.nml")) if place else []
    return {os.path.splitext(os.path.basename(f))[0]: os.path.realpath(f) for f in sorted(files)}


def namelist_check(path):
    """Refuses a file that is no namelist: '' or what it is instead."""
    with open(path, "rb") as f:
        raw = f.read(LARGEST)
    if raw[:3] == b"CDF" or raw[:4] == b"\x89HDF":
        return "a netCDF file: give the folder of the run that wrote it"
    if b"\0" in raw:
        return "not a text: give a namelist, or the folder of a run"
    if re.search(rb"^#domain:", raw, re.M):
        return "an input of gprMax: sferic-import makes a case of it"
    if not re.search(rb"^[ \t]*[&$][A-Za-z]", raw, re.M):
        return "no namelist, for it has no group, &case ...: give one, or the folder of a run"
    return ""
