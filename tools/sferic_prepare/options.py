"""The command line of sferic-prepare. Standard library only. SPDX-License-Identifier: MIT"""
import os

from sferic_plot.options import Parser


def modules_of(options):
    """What the work needs: a file of GRIB needs ecCodes."""
    def is_grib(path):
        try:
            with open(path, "rb") as f:
                return f.read(4) == b"GRIB"
        except OSError:
            return False  # told of when it is read

    return ("netCDF4", "numpy") + (("eccodes",) if any(map(is_grib, options.sources)) else ())


def options_parse(words=None):
    p = Parser(prog="sferic-prepare", description="Turns an analysis or forecast of another centre into files on the columns of a case: the air at its "
               "start and at its sides (driver.nc), its terrain (terrain.nc) and its ground (surface.nc). docs/forecast.md tells how.",
               epilog="Exit codes: 0 good, 2 usage, 3 namelist, 4 input missing, damaged or refused, 6 cannot write")
    p.add_argument("case", metavar="CASE.nml", help="namelist: its groups &grid and &map say where the columns are")
    p.add_argument("--from", dest="sources", nargs="+", action="extend", required=True, metavar="FILE",
                   help="GRIB or netCDF files of one source, in the order of their times")
    p.add_argument("--terrain", metavar="FILE", help="netCDF file of heights on longitudes and latitudes, such as ETOPO; the source's terrain without it")
    p.add_argument("--rows", type=int, metavar="N", help="rows along the sides over which the terrain becomes the source's (&driver rows of the namelist, or 8)")
    p.add_argument("-o", dest="output", metavar="DIR", help="where the files go (beside CASE.nml)")
    o = p.parse_args(words)
    if o.rows is not None and o.rows < 0:
        p.error("--rows wants 0 or more")
    o.output = o.output or os.path.dirname(o.case)
    return o
