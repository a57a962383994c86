#!/bin/bash
# A rank alone takes at most 1.3 times one copy of every field, whatever its sides: SFERIC=build/sferic tests/memory.sh
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${SFERIC:?the program}"
most=1.30 bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for cells in "128 128 64" "141 129 65" "256 256 64"; do
    read -r nx ny nz <<<"$cells"
    for sides in "periodic periodic" "wall wall" "open open" "open periodic" "periodic open" "symmetric symmetric"; do
        read -r across along <<<"$sides"
        cat >"$work/case.nml" <<END
&case name = 'memory' /
&grid nx = $nx, ny = $ny, nz = $nz, dx = 500, dy = 500, dz = 250 /
&time duration = 3 /
&boundary west = '$across', east = '$across', south = '$along', north = '$along' /
END
        # What check finds wrong with disk and time of this machine is of no account.
        said=$("$SFERIC" check "$work/case.nml" --out "$work/out" 2>&1 || true)
        times=$(sed -n 's/^memory: .* bytes a point, \([0-9.]*\) times one copy of every field.*/\1/p' <<<"$said")
        if ! awk "BEGIN { exit !(\"$times\" > 0 && \"$times\" <= $most) }"; then
            echo "$cells cells, sides $sides: '$times' times one copy of every field, more than $most: $said"
            bad=1
        fi
    done
done
exit $bad
