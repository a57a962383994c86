"""How the program begins: under a python3 that has Bokeh beside what sferic-plot takes. Standard library only.
SPDX-License-Identifier: MIT
"""
import importlib
import os
import shlex
import sys

NAMES = "bokeh.server.server", "tornado", "matplotlib", "netCDF4", "numpy", "xarray"


def pythons_of(place):
    """Where `make install-view` puts a python3 with Bokeh: in the source tree, or below the installed package."""
    folders = [os.path.join(os.path.dirname(place), "build", "view"), os.path.join(place, "view")]
    return [os.environ.get("PYTHON", "")] + [os.path.join(f, "bin", "python3") for f in folders]


def remedy(place):
    """The line that makes such a python3, as `sferic doctor` tells it."""
    if os.path.exists(os.path.join(os.path.dirname(place), "Makefile")):
        return f"make -C {shlex.quote(os.path.dirname(place))} install-view"
    return ("sudo " if os.geteuid() else "") + f"{shlex.quote(os.path.join(place, 'view-env.sh'))} {shlex.quote(os.path.join(place, 'view'))}"


def modules_load(place):
    """Goes on under the next python3 that may have the modules where this one has not."""
    try:
        for name in NAMES:
            importlib.import_module(name)
    except ImportError as e:
        n = int(os.environ.get("SFERIC_VIEW_PYTHON", "0"))
        for i, python in list(enumerate(pythons_of(place)))[n:]:
            if python and os.access(python, os.X_OK):
                os.environ["SFERIC_VIEW_PYTHON"] = str(i + 1)
                os.execv(python, [python] + sys.argv)
        sys.exit(f"sferic-view: no python3 here has {e.name or 'bokeh'}; this installs what is missing: {remedy(place)}")
    os.environ.pop("SFERIC_VIEW_PYTHON", None)
    sys.modules["matplotlib"].use("Agg")
