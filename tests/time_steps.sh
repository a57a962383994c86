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

# ---- a state that no air can have, a base state that breaks down, winds that break the first step: refused by cell and perturbation ----
# refused WHAT WORDS OVERRIDES
refused() {
    local what=$1 words=$2 command
    shift 2
    for command in check 'run --out refused'; do
        "$SFERIC" $command case.nml "$@" >refused.txt 2>&1
        [ $? = 3 ] && grep -q "$words" refused.txt || fail "$what, $command: $(head -c 600 refused.txt)"
    done
    [ ! -e refused ] || fail "$what: a run that was refused left a directory"
}
refused 'negative theta' 'i = 3, j = 3, k = 3 .*potential temperature -44.* K .*perturbation 1 adds -344' --set initial%amplitude=-400
refused 'negative pressure' 'Exner function -0.* perturbation 1 adds' --set initial%variable=pi --set initial%amplitude=-2
refused 'heat' 'a temperature of 2[0-9]* K in cell' --set initial%amplitude=4000
refused 'an atmosphere of fire' 'a temperature of 2893 K at 2250 m' --set base%profile=constant_n --set base%brunt_vaisala=0.1 --set grid%nz=60
refused 'a storm' 'first step of 2.* s would blow up.*in cell i = 4' --set initial%variable=u --set initial%amplitude=800 --set time%dt=3
refused 'endless growth' 'no finite wind or tracer in cell' --set initial%variable=tracer --set dynamics%tracers=1 --set initial%growth=0.5
# What is allowed by its sum in every cell, though not if all of it fell on one, runs; a storm does with a step that suits it.
"$SFERIC" run case.nml --set initial%shape=cosine,cosine --set initial%amplitude=-150,-150 --set initial%x=1000,3000 --set initial%y=2000,2000 \
    --set initial%z=2000,2000 --set initial%radius_x=500,500 --set initial%radius_y=500,500 --set initial%radius_z=500,500 \
    --set time%duration=0.01 --set time%dt=0.01 --set time%output_interval=0 --out apart -q >apart.txt 2>&1 || fail "two apart: $(cat apart.txt)"
"$SFERIC" check case.nml --set initial%variable=u --set initial%amplitude=800 >storm.txt 2>&1 || fail "a storm: $(cat storm.txt)"
grep -q 'the wind at the start' storm.txt || fail 'check does not tell the limit of the wind at the start'

echo "$wrong wrong"
[ "$wrong" = 0 ]
