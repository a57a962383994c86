#!/bin/bash
# A run within a larger one, led at its sides by the frames of that one (docs/numerics.md, "Sides that a file leads"): how far the
# pressure at the ground of its inner part is off the larger run's after 6 to 12 hours, by the time between frames. Air is dry, on an
# f-plane; lows and highs of 300 to 400 km are carried through the smaller domain by a wind of 14 m/s. Bounds: 0.1 hPa rms by
# frames of an hour, 0.2 by frames of three, of 1.8 that it changes by meanwhile; frames of every step leave less than hourly ones,
# and a first frame alone is far off. `SFERIC=binary tests/big_brother.sh`
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
: "${SFERIC:?the path of the binary under test}"
SFERIC=$(realpath "$SFERIC")
# shellcheck source=tests/support_find_python.sh
. "${BASH_SOURCE[0]%/*}/support_find_python.sh" netCDF4 numpy
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_brother_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1

# What all three have. The larger run spends 18 hours on the balance of its wind first, whose waves leave.
columns() { # NAME NX NY X0 Y0 HOURS
    cat <<NML
&case name = '$1' /
&grid nx = $2 ny = $3 nz = 16 dx = 40000 dy = 40000 dz = 500 stretch_ratio = 1.1 dz_max = 1500 origin_x = $4 origin_y = $5 /
&time duration = $(($6 * 3600)) dt = 150 output_interval = 3600 series_interval = 0 /
&base profile = 'constant_n' wind = 'constant' wind_u = 14 wind_v = 3 /
&dynamics coriolis_f = 1e-4 rayleigh_depth = 4000 expected_speed = 30 /
&boundary west = 'open' east = 'open' south = 'open' north = 'open' /
NML
}
output="&output fields = 'u' 'v' 'w' 'theta_p' 'pi_p' staggered = .true. frames_per_file = 1000 profiles = .false."
{
    columns spin 76 48 0 0 18
    cat <<NML
&initial shape = 3*'gaussian' variable = 3*'theta' amplitude = 8 -6 7 x = 150000 900000 1500000 y = 600000 1100000 500000
    z = 3000 2000 4000 radius_x = 300000 300000 400000 radius_y = 350000 400000 300000 radius_z = 3000 2500 3000
    balance = 'hydrostatic' /
$output /
NML
} >spin.nml
{
    columns large 76 48 0 0 12
    echo "&initial file = 'spin/history_00000000.000.nc' /" # its last time
    echo "$output region = 1040000 2240000 480000 1440000 0 99999 /"
} >large.nml
{
    columns small 30 24 1040000 480000 12
    echo "&initial file = 'frames.nc' file_time = 0 /"
    echo "&driver file = 'frames.nc' rows = 8 /"
    echo "$output /"
} >small.nml

run() { # CASE OUT SET...
    local case=$1 out=$2
    shift 2
    "$SFERIC" run "$case.nml" --out "$out" -q --force "$@" >said.txt 2>&1 || { cat said.txt; exit 1; }
}
run spin spin --set time%output_interval=64800
run large hourly
for s in 150 10800 43200; do run large "by_$s" --set time%output_interval=$s; done
mv hourly by_3600
# One frame alone leads as it is, all along.
cat >compare.py <<'PY'
import sys
import netCDF4
import numpy as np

def opened(name):
    return netCDF4.Dataset(f'{name}/history_00000000.000.nc')

def ground(d, hour):  # hPa: what pi' of the lowest cell is there, p = 1000 hPa pi^3.5
    n = int(np.argmin(abs(d['time'][:] - 3600 * hour)))
    assert abs(d['time'][n] - 3600 * hour) < 1
    return 3500 * np.asarray(d['pi_p'][n, 0], float)[8:-8, 8:-8]

def rms(a):
    return float(np.sqrt((a**2).mean()))

large = opened('by_3600')
hours = range(6, 13)
moved = min(rms(ground(large, h) - ground(large, 0)) for h in hours)
off = {}
for s in 'frozen', 150, 3600, 10800:
    small = opened(f'small_{s}')
    off[s] = max(rms(ground(small, h) - ground(large, h)) for h in hours)
print(f'changes by {moved:.2f} hPa; off by', ', '.join(f'{s}: {x:.4f}' for s, x in off.items()))
wrong = 0
for is_so, what in [
    (moved > 1, 'something moves'), (off[3600] < 0.1, 'hourly frames: 0.1 hPa'), (off[10800] < 0.2, 'three hours: 0.2 hPa'),
    (off[150] < off[3600] / 2, 'every step: half of it'), (off['frozen'] > 5 * off[10800], 'one frame alone is far off')]:
    if not is_so:
        wrong += 1
        print('not so:', what)
sys.exit(wrong > 0)
PY
for s in 150 3600 10800; do
    ln -sf "by_$s/history_00000000.000.nc" frames.nc
    run small "small_$s"
done
"$python" - <<'PY'
import netCDF4
a = netCDF4.Dataset('by_43200/history_00000000.000.nc')
with netCDF4.Dataset('first.nc', 'w') as b:
    for name, d in a.dimensions.items():
        b.createDimension(name, None if d.isunlimited() else len(d))
    for name, v in a.variables.items():
        x = b.createVariable(name, v.dtype, v.dimensions)
        x.setncatts({k: v.getncattr(k) for k in v.ncattrs() if k != '_FillValue'})
        x[...] = v[:1] if 'time' in v.dimensions else v[...]
    b.setncatts({k: a.getncattr(k) for k in a.ncattrs()})
PY
ln -sf first.nc frames.nc
run small small_frozen
"$python" compare.py
