#!/bin/bash
# One thread against two, alone and beside busy loops, for both models: `SFERIC=binary tools/threads-bench.sh [BUSY LOOPS...]`
#
# Prints steps/s of both and their ratio for 24^3, 64^3 and 128 x 128 x 64 cells, the best of three turns that alternate, with 0 and with 2
# busy loops unless other numbers are given. It measures and judges nothing: a ratio below 1 beside busy loops means that two threads lose to one.
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C
: "${SFERIC:?the path of the binary}"
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic-bench-XXXXXX")
loops=()
loops_end() { [ ${#loops[@]} = 0 ] || kill "${loops[@]}" 2>/dev/null; loops=(); }
trap 'loops_end; rm -rf "$work"' EXIT
weather="&case name = 'b' / &initial shape = 'cosine', amplitude = 2, z = 2000, radius_z = 1500 /"
em="&case name = 'b', model = 'maxwell' / &source kind = 'electric', axis = 'z', frequency = 1e4 / &cpml cells = 4 /"

# rate MODEL NX NY NZ THREADS STEPS: steps/s of computing
rate() {
    local step=1
    [ "$1" = em ] && step=1e-8
    echo "${!1} &grid nx = $2, ny = $3, nz = $4, dx = 500, dy = 500, dz = 250, origin_x = -500, origin_y = -500 /" |
        sed 's/ &/\n\&/g' >"$work/case.nml"
    echo "&time dt = $step, duration = $(awk "BEGIN { print $6 * $step }") /" >>"$work/case.nml"
    "$SFERIC" run "$work/case.nml" --out "$work/out" --force --set pipeline%threads="$5" 2>&1 | sed -nE 's/.*[ (]([0-9.e+]+) steps\/s.*/\1/p' | tail -1
}

for busy in "${@:-0}" $([ $# = 0 ] && echo 2); do
    for ((n = 0; n < busy; n++)); do
        while :; do :; done &
        loops+=($!)
    done
    for model in weather em; do
        for cells in '24 24 24 200' '64 64 64 40' '128 128 64 10'; do
            read -r nx ny nz steps <<<"$cells"
            if [ $model = em ]; then steps=$((steps * 8)); fi # which are shorter, and few of them measure how a run begins
            one=0 two=0
            for _ in 1 2 3; do
                one=$(awk "BEGIN { a = $one + 0; b = $(rate $model "$nx" "$ny" "$nz" 1 "$steps") + 0; print (a > b ? a : b) }")
                two=$(awk "BEGIN { a = $two + 0; b = $(rate $model "$nx" "$ny" "$nz" 2 "$steps") + 0; print (a > b ? a : b) }")
            done
            awk "BEGIN { printf \"%d busy loops  %-8s %3d x %3d x %3d   1 thread %9.4g   2 threads %9.4g steps/s   ratio %.2f\n\", \
                $busy, \"$model\", $nx, $ny, $nz, $one, $two, $two / ($one > 0 ? $one : 1) }"
        done
    done
    loops_end
done
