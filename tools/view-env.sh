#!/bin/bash
# What tools/sferic-view takes beside tools/sferic-plot: Bokeh and plotly.js, in an environment of its own that sees the packages of the system.
#
#   tools/view-env.sh DIRECTORY     makes the environment there, or leaves one that is complete
#
# The system's numpy and pandas stay those that its xarray and netCDF4 were built with. What the system lacks is installed there too, so
# that a python3 with the module venv is enough. SPDX-License-Identifier: MIT
set -uo pipefail
[ $# = 1 ] || { echo "usage: tools/view-env.sh DIRECTORY" >&2; exit 2; }
env=$1

# is_complete PYTHON: looked for, not imported, which takes longer
is_complete() {
    "$1" - bokeh plotly xarray netCDF4 matplotlib >/dev/null 2>&1 <<'PY'
import importlib.util, sys
sys.exit(sys.prefix == sys.base_prefix or any(importlib.util.find_spec(m) is None for m in sys.argv[1:]))
PY
}
is_complete "$env/bin/python3" && exit 0

# The first python3 that sferic-plot would run under, else any that can make environments.
base=
for modules in venv,ensurepip,xarray,netCDF4,matplotlib venv,ensurepip; do
    for p in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3 /usr/local/bin/python3; do
        if "$p" -c "import $modules" 2>/dev/null; then base=$p; break 2; fi
    done
done
if [ -z "$base" ]; then
    echo "sferic: no python3 here makes environments; on Debian and Ubuntu: apt-get install -y python3-venv" >&2
    exit 1
fi
echo "  SETUP $env: Bokeh and plotly.js for tools/sferic-view"
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.fixed"' EXIT
rm -rf "$env"
"$base" - >"$log.fixed" <<'PY'
import importlib.metadata
for name in "numpy", "pandas":
    try:
        print(f"{name}=={importlib.metadata.version(name)}")
    except importlib.metadata.PackageNotFoundError:
        pass
PY
if ! "$base" -m venv --system-site-packages "$env" >"$log" 2>&1 ||
    ! "$env/bin/python3" -m pip install --quiet --disable-pip-version-check --constraint "$log.fixed" \
        'bokeh>=3.4,<4' 'plotly>=6,<8' xarray netCDF4 matplotlib >"$log" 2>&1 || ! is_complete "$env/bin/python3"; then
    rm -rf "$env"
    tail -n 20 "$log" >&2
    echo "sferic: $env was not made; is the network up?" >&2
    exit 1
fi
