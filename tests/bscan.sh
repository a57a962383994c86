#!/bin/bash
# tools/sferic-bscan: a coarse scan over the pipe of namelists/ground_radar.nml, whose echoes come when rays do; stopped and called again;
# and what is wrong.
#   SFERIC  the program
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
: "${SFERIC:?the path of the binary under test}"
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
. "$root/tests/support_told.sh" bscan numpy netCDF4 xarray matplotlib.pyplot matplotlib.backends.backend_agg
beside='^ |^--set:|^sferic: ' # what the program itself says of a position
told() { told_by "$1" "$2" "$root/tools/sferic-bscan" "${@:3}"; }

# Cells of 7.5 mm in place of 5, positions 0.3 m apart, the second above the pipe.
coarse=(--set grid%nx=160 --set grid%dx=7.5e-3 --set grid%nz=120 --set grid%dz=7.5e-3 --set "source%x=-0.35" --set "output%probe_x=-0.25"
    --set time%output_interval=0 --set time%series_interval=1e-8 --set output%profiles=.false.)
scan=("$root/namelists/ground_radar.nml" --source 1 --probe 1 --step 0.3,0,0 --count 3 --dpi 40 "${coarse[@]}")
told 0 'pipe/bscan.png: Ey at 3 positions' "${scan[@]}" --out pipe
[ -s err.txt ] && fail 'a scan: told in vain'
told 0 'free/bscan.png: Ey at 2 positions' "${scan[@]}" --out free --count 2 --set 'geometry%shape(2)=none'
checks=$((checks + 1))
[ "$(tail -c +2 pipe/bscan.png | head -c 3)" = PNG ] || fail 'no picture'
# Once more: the last was stopped, the others stay as they are.
before=$(stat -c %Y.%i pipe/position_000[12]/probes.nc)
rm -r pipe/position_0003
"$SFERIC" run "$root/namelists/ground_radar.nml" "${coarse[@]}" --set 'source%x(1)=0.25' --set 'output%probe_x(1)=0.35' --out pipe/position_0003 -q \
    --stop-after-steps 300 >/dev/null 2>&1
ncdump -v Ey pipe/bscan.nc | sed 1d >whole.txt
told 0 'position 3 of 3, goes on' "${scan[@]}" --out pipe
checks=$((checks + 1))
grep -q 'position [12]' out.txt && fail 'what is done was run again'
[ "$before" = "$(stat -c %Y.%i pipe/position_000[12]/probes.nc)" ] || fail 'what is done was written again'
ncdump -v Ey pipe/bscan.nc | sed 1d | cmp -s - whole.txt || fail 'other traces after a stop'
checks=$((checks + 1))
rm -r pipe/position_0003 # the traces with the pipe at two positions, beside those without
told 0 'Ey at 2 positions' "${scan[@]}" --out pipe --count 2
checks=$((checks + 1))
python_do "$root/tests/support_bscan.py" pipe/bscan.nc free/bscan.nc || fail echoes
told 2 'pipe holds a scan of another case, or with other options' "${scan[@]}" --out pipe --step 0.2,0,0
told 2 'the case has 1 sources .&source., no number 2' "${scan[@]}" --source 2 --out two
told 2 'the case has 1 probes .&output probe_x, probe_y, probe_z., no number 3' "${scan[@]}" --probe 3 --out three
told 3 'position 9 of 9 cannot be run: take fewer or shorter steps' "${scan[@]}" --count 9 --out far
told 4 'nowhere.nml: no such file' nowhere.nml --source 1 --probe 1 --step 1,0,0 --count 2
told 2 'is not dx,dy,dz' "${scan[@]}" --step 1,0
told 2 'cannot start nothing' "${scan[@]}" --sferic nothing --out none
ended
