#!/bin/bash
# tools/sferic-resonances: decaying waves in made-up traces, the modes of a cavity on the grid and their decay with a loss, when
# sources are over, and what is doubtful or wrong.
#   SFERIC  the program
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
: "${SFERIC:?the path of the binary under test}"
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
made=$root/tests/support_resonances.py
. "$root/tests/support_told.sh" resonances numpy netCDF4 xarray
told() { told_by "$1" "$2" "$root/tools/sferic-resonances" "${@:3}"; }

holds made
holds write two
told 0 '^two: .*: 2 resonances' two --after 1e-9
grep -q '^warning' err.txt && fail 'a program without a name'
checks=$((checks + 1))
for text in 'sources are on until 3.405.*e-09 s' 'closer than 1 /' 'holds 3.5 periods of the lowest'; do
    grep -q "$text" err.txt || fail "does not warn: $text"
done
told 0 '1050000000 .* 500 ' two --after 4.5e-9 --from 9e8 --to 1.2e9 -o two.nc
[ -s two.nc ] || fail 'no two.nc'
told 2 'after 9e-09 s is not within the record, which ends at 7.998e-09 s' two --after 9e-9
told 2 'show no more than 2.5e.11 Hz' two --after 1e-9 --to 3e11
told 2 'wants a frequency above' two --from 2e9 --to 1e9
told 4 'nowhere: no such folder' nowhere
told 4 'holds no probes.nc; give the run &output probe_x' .
told 6 'cannot write no/where.nc' two --after 1e-9 -o no/where.nc

case=$root/namelists/cavity.nml
step() { sed -nE 's/^ *time: +[0-9]+ steps of ([0-9.e+-]+) s to .*/\1/p' check.txt; }
over() { sed -nE 's/.*; over after ([0-9.e+-]+) s$/\1/p' check.txt; }
run() { # NAME ARGUMENT...
    "$SFERIC" check "$case" "${@:2}" >check.txt 2>&1 && "$SFERIC" run "$case" "${@:2}" --out "$1" -q >run.txt 2>&1 || { cat check.txt run.txt; fail "$1"; }
}
run cavity --set time%duration=4e-7 --set time%dt=9.5e-11
told 0 '^cavity: .* resonances' cavity --from 2e8 --to 5e8
silent 'a cavity'
holds cavity cavity/resonances.nc "$(step)" 12
holds end cavity "$(over)"
# sigma / (2 eps0) is its decay rate; the steps see (1 - x) / (1 + x) a step, x = sigma dt / (2 eps0).
run lossy --set time%duration=3e-7 --set time%dt=9.5e-11 --set "medium%name='air'" --set medium%sigma=2e-5 --set "geometry%background='air'"
told 0 '^lossy: .* resonances' lossy --from 2e8 --to 4e8
holds lossy lossy/resonances.nc "$(awk 'BEGIN { print 2e-5 / (2 * 8.8541878128e-12) }')"
printf '0 0\n1e-9 1\n3e-9 0\n9e-9 0\n' >pulse.txt
one=(--set 'source%axis(2)=y' --set time%duration=1e-9 --set maxwell%allow_coarse=.true. --set "source%frequency=3e8,4e8,2e8")
for wave in gaussian ricker differentiated_gaussian file; do
    run $wave "${one[@]}" --set "source%waveform=$wave,$wave,$wave" --set "source%file=$work/pulse.txt,$work/pulse.txt,$work/pulse.txt" --set source%delay=-1,3e-9,-1
    holds end $wave "$(over)"
done
ended
