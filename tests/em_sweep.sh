#!/bin/bash
# Has the EM model the same bits on the (emulated) GPU as on the CPU, whatever the size of its tiles leaves over, at every side, with
# numbers of media of every width, and with sources of H? Where a far side is a magnetic conductor, E and H take two sweeps, else
# one: BUILD=build/VARIANT tests/em_sweep.sh
# SPDX-License-Identifier: MIT
# Full: it takes a build for the emulated GPU.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
emulate_begin sferic
export EMULATE_RACES=1
runs=0 bad=0

sides() { # LOW HIGH CELLS NAME NAME: what lies at both ends of an axis; layers need five cells
    [ "$3" -ge 5 ] || set -- "${1/cpml/pec}" "${2/cpml/pec}" "$3" "$4" "$5"
    echo "$4 = '$1', $5 = '$2'"
}

case_write() { # NX NY NZ "WEST EAST SOUTH NORTH BOTTOM TOP" MEDIA
    local side second=magnetic
    read -r -a side <<<"$4"
    [ "$5" != none ] || second=electric # none of H
    cat <<END
&case name = 'x', model = 'maxwell' /
&grid nx = $1, ny = $2, nz = $3, dx = 1e-2, dy = 1.1e-2, dz = 0.9e-2 /
&time duration = 4e-10, output_interval = 1 /
&boundary $(sides "${side[0]}" "${side[1]}" "$1" west east), $(sides "${side[2]}" "${side[3]}" "$2" south north)
    $(sides "${side[4]}" "${side[5]}" "$3" bottom top) /
&cpml cells = 2 /
&maxwell allow_coarse = .true., sweeps = 'one' /
&source kind = 'electric', '$second', axis = 'z', 'y', x = 2*$((6 * $1))e-3, y = 2*$((6 * $2))e-3, z = 2*$((5 * $3))e-3
    drive = 'current', 'soft', waveform = 2*'ramped_sine', frequency = 2*3e9 /
&output probe_x = $1e-3, probe_y = $2e-3, probe_z = $((6 * $3))e-3 /
END
    case $5 in
    smooth) echo "&medium name = 'a', epsilon = 3, sigma = 0.1 /"
        echo "&geometry shape = 'sphere', medium = 'a', radius = $((3 * $3))e-3, x = $((5 * $1))e-3, z = $((4 * $3))e-3 /" ;;
    both) echo "&medium name = 'a', epsilon = 3, mu = 2, sigma_m = 9 /"
        echo "&geometry shape = 'box', medium = 'a', x = $((5 * $1))e-3, y = $((55 * $2))e-4, z = $((45 * $3))e-4"
        echo "    size_x = $((4 * $1))e-3, size_y = $((2 * $2))e-3, size_z = $((3 * $3))e-3, subpixel = .false. /" ;;
    esac
    [ "$1" -lt 24 ] || [ "$2" -lt 9 ] || echo "&plane_wave direction = 'oblique', theta = 40, phi = 30, margin = 1, delay = 1e-10 /"
}

same() { # what case_write takes
    local cpu gpu
    runs=$((runs + 1))
    case_write "$@" >"$work/x.nml"
    cpu=$("$emulated/sferic" run "$work/x.nml" --out "$work/cpu" --force -q --backend cpu 2>&1 | tail -n 1)
    gpu=$("$emulated/sferic" run "$work/x.nml" --out "$work/gpu" --force -q --backend cuda 2>&1 | tail -n 1)
    [ "$cpu" = "$gpu" ] && [[ $cpu == digest* ]] && return
    printf 'FAILED: %s\n    CPU: %s\n    GPU: %s\n' "$*" "$cpu" "$gpu"
    bad=1
}

absorbing='cpml cpml cpml cpml cpml cpml' round='periodic periodic periodic periodic periodic periodic'
same 65 9 15 "$absorbing" both
same 64 6 14 "$absorbing" smooth
same 130 3 29 "cpml cpml periodic periodic cpml cpml" smooth
same 204 8 26 "$absorbing" smooth # strips along x, and tiles with nothing in them
same 140 6 18 "$round" none
same 63 7 13 "pmc cpml pmc cpml pmc cpml" both
same 24 9 31 "pec cpml cpml pec cpml pec" none
same 61 2 6 "periodic periodic pec pec cpml cpml" both
same 66 6 9 "cpml pmc cpml pmc cpml pmc" smooth
same 3 2 5 "$round" none
same 5 1 7 "pec cpml periodic periodic cpml cpml" smooth
same 1 1 20 "periodic periodic periodic periodic pmc cpml" both
same 4 11 2 "pmc pec cpml cpml periodic periodic" none

# Two steps together, with passes of one step between them: one row that repeats, odd numbers of steps, slabs.
together() { # SET...
    local word sets=() cpu gpu
    runs=$((runs + 1))
    for word in "$@"; do sets+=(--set "$word"); done
    cpu=$("$emulated/sferic" run tests/support_pair.nml --out "$work/cpu" --force -q --backend cpu "${sets[@]}" 2>&1 | tail -n 1)
    gpu=$("$emulated/sferic" run tests/support_pair.nml --out "$work/gpu" --force -q --backend cuda "${sets[@]}" 2>&1 | tail -n 1)
    [ "$cpu" = "$gpu" ] && [[ $cpu == digest* ]] || { printf 'FAILED: %s\n    CPU: %s\n    GPU: %s\n' "$*" "$cpu" "$gpu"; bad=1; }
}
axis() { printf "boundary%%%s='periodic' " "$@"; }
# shellcheck disable=SC2046 # words
{
    together grid%ny=1 grid%dy=44e-3 "monitor%kind=2*'fields'" $(axis south north) time%series_interval=5.4e-12 time%duration=3e-11
    together $(axis bottom top) pipeline%steps_per_pass=9 time%duration=1.3e-11
    together $(axis bottom top west east) grid%ny=100 pipeline%steps_per_pass=7 pipeline%slabs=5 time%duration=7.2e-12
}
# However little memory there is, an end is found.
timeout 100 "$emulated/sferic" plan tests/support_pair.nml --backend cuda --set pipeline%device_memory_mib=6 >"$work/said" 2>&1 &&
    grep -q '^pass: [12] steps\?, ' "$work/said" || { echo "FAILED: in 6 MiB: $(tail -n 2 "$work/said")"; bad=1; }

# With ten times the stable step fields grow beyond all numbers. Slabs on their way are looked at where a check is due; where a run is stopped before, the host looks, and writes no checkpoint.
blown() { # STEP ARGUMENT...
    local step=$1
    shift
    "$emulated/sferic" run tests/support_em.nml --backend cuda --out "$work/blown" --force -q --set time%allow_unstable=.true. --set time%dt=2e-11 --set spectrum%every=1 \
        --set pipeline%slabs=3 --set pipeline%steps_per_pass=4 --set time%duration=1e-9 "$@" >"$work/said" 2>&1
    [ $? = 5 ] && grep -q "blew up: after step $step " "$work/said" || { echo "FAILED: $*: $(tail -n 1 "$work/said")"; bad=1; }
}
blown 24 --set time%check_interval=24
blown 21 --set time%check_interval=1000 --stop-after-steps 21

# A checkpoint of one way goes on in the other, on either.
case_write 64 6 14 "$absorbing" smooth >"$work/x.nml"
whole=$("$emulated/sferic" run "$work/x.nml" --out "$work/cpu" --force -q --backend cpu 2>&1 | tail -n 1)
for way in half one two; do
    other=$([ $way = one ] && echo two || echo one)
    for backend in cpu cuda; do
        "$emulated/sferic" run "$work/x.nml" --out "$work/part" --force -q --backend cuda --set "maxwell%sweeps='$way'" --stop-after-steps 7 >/dev/null 2>&1
        rest=$("$emulated/sferic" run "$work/x.nml" --out "$work/part" -q --backend $backend --set "maxwell%sweeps='$other'" --restart auto 2>&1 | tail -n 1)
        [ "$rest" = "$whole" ] && [[ $whole == digest* ]] || { echo "FAILED: from $way to $other on $backend: $rest, not $whole" && bad=1; }
    done
done

[ $bad = 0 ] && echo "$runs cases have the bits of the CPU"
exit $bad
