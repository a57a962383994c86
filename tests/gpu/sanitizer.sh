#!/bin/bash
# compute-sanitizer finds nothing in either model: accesses, races in shared memory, reads of what nobody wrote, barriers. Domains are
# small and uneven, whole and in slabs; EM waves in one sweep and in two. One for weather, wide and flat, has so many tiles that on GPUs
# of up to 137 multiprocessors most go up all levels, and places in shared memory are taken more than once.
#
#   BUILD=build/VARIANT tests/gpu/sanitizer.sh
# SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
# shellcheck source=tests/support_jobs.sh
. tests/support_jobs.sh
gpu_demand
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
[ -x "$sanitizer" ] || { echo 'no compute-sanitizer, which comes with the CUDA toolkit: add its bin directory to PATH'; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

weather="namelists/norman_2011.nml grid%nx=70 grid%ny=37 grid%nz=33 time%duration=12"
wide="namelists/norman_2011.nml grid%nx=100 grid%ny=820 grid%nz=30 time%duration=1"
sides="boundary%west='open' boundary%east='open' boundary%south='wall' boundary%north='symmetric'"
waves="namelists/sphere.nml grid%nx=30 grid%dx=0.0146667 grid%ny=27 grid%dy=0.0162963 grid%nz=24 grid%dz=0.0183333 cpml%cells=4
    maxwell%allow_coarse=.true. time%duration=3e-10"
slabs="pipeline%slabs=3 pipeline%steps_per_pass=2"

# The tool was there, to the end, and says so.
nothing_found() { grep -qE '(ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards)' "$work/$1.$2.txt"; }

tell() {
    echo "FAILED: compute-sanitizer --tool $1, $2:"
    tail -n 25 "$work/$1.$2.txt"
    return 1
}

# All forms of the weather kernels.
forms() {
    "$sanitizer" --tool "$1" --error-exitcode 9 "$BUILD/tests/prog_gpu_weather" 8 8 8 >"$work/$1.forms.txt" 2>&1 && nothing_found "$1" forms ||
        tell "$1" forms
}

# sanitized TOOL NAME WORD...: words are a namelist and its overrides
sanitized() {
    local tool=$1 name=$2 path=$3 word sets=()
    for word in "${@:4}"; do sets+=(--set "$word"); done
    "$sanitizer" --tool "$tool" --error-exitcode 9 "$BUILD/sferic" run "$path" "${sets[@]}" --backend cuda --out "$work/$tool.$name" -q \
        >"$work/$tool.$name.txt" 2>&1 && grep -q '^digest' "$work/$tool.$name.txt" && nothing_found "$tool" "$name" && return
    tell "$tool" "$name"
}

leg() { # TOOL:NAME
    local tool=${1%:*}
    # shellcheck disable=SC2086 # words
    case ${1#*:} in
    weather) sanitized "$tool" weather $weather ;;
    weather_wide) sanitized "$tool" weather_wide $wide ;;
    weather_orders) sanitized "$tool" weather_orders $weather $sides "dynamics%advection='upwind5'" dynamics%tracers=2 ;;
    weather_slabs) sanitized "$tool" weather_slabs $weather $sides $slabs ;;
    waves) sanitized "$tool" waves $waves "maxwell%sweeps='two'" ;;
    waves_half) sanitized "$tool" waves_half tests/support_pair.nml ;;
    waves_one) sanitized "$tool" waves_one $waves "maxwell%sweeps='one'" ;;
    forms) forms "$tool" ;;
    waves_slabs) sanitized "$tool" waves_slabs $waves "maxwell%sweeps='one'" $slabs ;;
    esac
}

legs=()
for tool in memcheck racecheck initcheck synccheck; do
    for name in weather_wide weather weather_orders weather_slabs forms waves waves_half waves_one waves_slabs; do legs+=("$tool:$name"); done
done
# A search for races takes 41 GiB of the host's memory.
at_once=$(awk '/^MemAvailable/ { n = int($2 / (44 * 1048576)) } END { print (n < 1 ? 1 : (n > 4 ? 4 : n)) }' /proc/meminfo)
each "$at_once" leg "${legs[@]}" || exit 1
echo "${#legs[@]} runs: nothing found"
