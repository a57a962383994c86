#!/bin/bash
# tools/sferic-view in a real browser: runs of the weather and of EM waves are shown with the numbers that xarray reads, by the controls
# that a user has; two runs, a run that goes on, a large file, two pages at a time, names with markup; nothing without the token; the end
# with the terminal. usage: tests/view.sh
# Long: Chromium.
# SPDX-License-Identifier: MIT
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
sferic=${SFERIC:?the binary under test}
export PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1

# lacks WHAT: the machine has not got it, which CI must
lacks() {
    if [ "${CI:-}" = 1 ]; then echo "FAILED: $1"; exit 1; fi
    echo "skipped: $1"
    exit 77
}
python=
for p in "${PYTHON:-}" "$root/build/view/bin/python3"; do
    if [ -n "$p" ] && "$p" -c 'import bokeh, netCDF4, xarray, matplotlib' 2>/dev/null; then python=$p; break; fi
done
[ -n "$python" ] || lacks 'no python3 with bokeh: make install-view'
PYTHONPATH=$root/tests "$python" -c 'import sys, support_browser; sys.exit(not support_browser.browser_find())' || lacks 'no Chromium: apt-get install chromium'

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
run() { "$sferic" run "$@" -q >said.txt 2>&1 || { cat said.txt; echo "FAILED: sferic run $1"; exit 1; }; }
small="--set grid%nx=24 --set grid%ny=20 --set grid%nz=16 --set grid%dx=500 --set grid%dy=500 --set grid%dz=625 --set time%dt=2"
# shellcheck disable=SC2086 # several words
run "$root/namelists/warm_bubble.nml" $small --set time%duration=120 --set time%output_interval=40 --out out/warm
# shellcheck disable=SC2086
run "$root/namelists/warm_bubble.nml" $small --set time%duration=120 --set time%output_interval=40 --set initial%amplitude=1 --out out/cool
run "$root/namelists/grating.nml" --set time%duration=6e-14 --set time%output_interval=1e-14 --out out/grating
exec "$python" -B "$root/tests/support_view.py" "$root" "$work"
