"""How the programs of this package begin: under a python3 that has the modules. Standard library only.
SPDX-License-Identifier: MIT
"""
import importlib
import os
import shutil
import sys

PACKAGES = "python3-xarray python3-netcdf4 python3-matplotlib"


def python_next(program, names, packages):
    """Go on under the next python3 that may have the modules; the first on PATH often has not."""
    pythons = [os.environ.get("PYTHON", ""), "python3", "/usr/bin/python3", "/usr/local/bin/python3"]
    n = int(os.environ.get("SFERIC_PLOT_PYTHON", "0"))
    for i, python in list(enumerate(pythons))[n:]:
        path = shutil.which(python)
        if path:
            os.environ["SFERIC_PLOT_PYTHON"] = str(i + 1)
            os.execv(path, [path] + sys.argv)
    sys.exit(f"{program}: no python3 here has {names}; install them with\n"
             f"    sudo apt-get install -y {packages}")


def modules_load(program, names=("matplotlib", "netCDF4", "numpy", "xarray"), told="xarray, netCDF4 and matplotlib", packages=PACKAGES):
    """names: modules that are imported; told: those to tell of where they are missing; packages: of Debian, with them."""
    try:
        for name in names:
            importlib.import_module(name)
    except ImportError:
        python_next(program, told, packages)
    if "matplotlib" in sys.modules:
        sys.modules["matplotlib"].use("Agg")
