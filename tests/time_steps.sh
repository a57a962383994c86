#!/bin/bash
# Time steps and what is refused before the first of them: intervals that leave slivers, frames too close for their names.
#   SFERIC  the program
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
: "${SFERIC:?the path of the binary under test}"
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_steps_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
fail() { echo "$*"; wrong=$((wrong + 1)); }
digest() { sed -n 's/^digest //p' "$1"; }

cat >case.nml <<'END_CASE'
&case name = 'steps' /
&grid nx = 8 ny = 8 nz = 16 dx = 500 dy = 500 dz = 500 /
&time duration = 60 output_interval = 8.5714285 /
&initial shape = 'cosine' amplitude = 2 x = 2000 y = 2000 z = 2000 radius_x = 2000 radius_y = 2000 radius_z = 1500 /
END_CASE

# ---- a seventh of the duration with the digits that people write ----
"$SFERIC" check case.nml >check.txt 2>&1 || fail "$(cat check.txt)"
grep -q '8 output times' check.txt || fail "check: $(grep '^time' check.txt)"
"$SFERIC" run case.nml --out whole -q >whole.txt 2>&1 || fail "$(cat whole.txt)"
set -- whole/history_*.nc
[ $# = 8 ] || fail "files of 8 output times: $*"
"$SFERIC" run case.nml --out part -q --stop-after-steps 19 >part.txt 2>&1
"$SFERIC" run case.nml --out part -q --restart auto >part.txt 2>&1 || fail "$(cat part.txt)"
[ "$(digest part.txt)" = "$(digest whole.txt)" ] || fail 'a sliver: other bits after a restart'

# ---- files that would have one name ----
for command in 'check' 'run --out close'; do
    "$SFERIC" $command case.nml --set time%duration=0.01 --set time%output_interval=4e-4 >close.txt 2>&1
    [ $? = 3 ] && grep -q 'named by milliseconds' close.txt || fail "$command: $(cat close.txt)"
done
[ ! -e close ] || fail 'a run that was refused left a directory'
"$SFERIC" run case.nml --set time%duration=0.002 --set time%output_interval=4e-4 --set output%frames_per_file=6 --out one -q >one.txt 2>&1 ||
    fail "$(cat one.txt)"

echo "$wrong wrong"
[ "$wrong" = 0 ]
