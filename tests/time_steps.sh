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
grep -q '8 output times' check.txt || fail "check: $(grep ' time:' check.txt)"
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
# Steps that no run survives are an error of the namelist, and what is said of them holds: the run that asks for them all the same
# blows up. Shorter steps, though longer than what is stable, are a warning. The last line counts warnings.
# hopeless WHAT WORDS OVERRIDES: the longest step with which a run has hope is 1.5 times the limit that `check` tells of WORDS
hopeless() {
    local what=$1 words=$2 limit
    shift 2
    set -- "$@" --set time%duration=4000 --set time%output_interval=0 --set initial%noise=0.1 --set dynamics%expected_speed=0.1
    limit=$("$SFERIC" check case.nml "$@" 2>/dev/null | sed -n "s/^ *dt < *\([0-9.e+-]*\) s .*% *$words.*/\1/p")
    step() { awk "BEGIN { print $1 * ${limit:-0} }"; }
    refused "$what: no hope" "every run blows up with steps of .*$words" "$@" --set time%dt="$(step 1.55)"
    "$SFERIC" check case.nml "$@" --set time%dt="$(step 1.45)" >hope.txt 2>&1 || fail "$what, a warning: $(cat hope.txt)"
    grep -q "warning: dt = .* s is longer than the .* s that the model takes to be stable" hope.txt && tail -n 1 hope.txt | grep -qE '^[1-9] warnings?$' ||
        fail "$what, a warning: $(cat hope.txt)"
    "$SFERIC" run case.nml "$@" --set time%dt="$(step 1.55)" --set time%allow_unstable=true --out hopeless --force -q >hope.txt 2>&1
    [ $? = 5 ] || fail "$what: a run that was said to blow up does not: $(cat hope.txt)"
}
hopeless sound 'sound in the small steps' --set dynamics%small_steps=12 --set dynamics%first_small_steps=4
hopeless 'two small steps' 'sound in two small steps' --set dynamics%small_steps=2
hopeless mixing mixing --set dynamics%mixing=fourth --set dynamics%mixing_rate=0.1
hopeless viscosity mixing --set dynamics%mixing=constant --set dynamics%viscosity=75000
hopeless damping 'Rayleigh layer' --set dynamics%rayleigh_depth=3000 --set dynamics%rayleigh_time=0.5
"$SFERIC" check case.nml >hope.txt 2>&1 && [ "$(tail -n 1 hope.txt)" = 'no warnings' ] || fail "no warnings: $(tail -n 1 hope.txt)"
"$SFERIC" check case.nml --set water%saturation=tetens --set dynamics%hold_steps=7 >hope.txt 2>&1
[ "$(tail -n 1 hope.txt)" = '2 warnings' ] && [ "$(grep -c 'warning: ' hope.txt)" = 2 ] || fail "two warnings: $(cat hope.txt)"
cat >wave.nml <<'END_CASE'
&case name = 'wave' model = 'maxwell' /
&grid nx = 12 ny = 12 nz = 12 dx = 0.01 dy = 0.01 dz = 0.01 /
&time duration = 1e-9 /
&cpml cells = 3 /
&source kind = 'electric' axis = 'z' x = 0.06 y = 0.06 z = 0.06 waveform = 'ricker' frequency = 1e9 /
END_CASE
"$SFERIC" check wave.nml --set time%dt=1.93e-11 >hope.txt 2>&1
[ $? = 3 ] && grep -q 'every run blows up with steps of 1.93e-11 s: beyond 1.92583e-11 s none is stable (light' hope.txt || fail "light: $(cat hope.txt)"
"$SFERIC" check wave.nml --set time%dt=1e-9 >hope.txt 2>&1
[ $? = 3 ] && ! grep -q 'absorbing layer' hope.txt || fail "layers are judged by a step that no run survives: $(cat hope.txt)"
"$SFERIC" check case.nml --set time%dt=1000 --set time%output_interval=50 >hope.txt 2>&1
[ $? = 3 ] && grep -q 'steps of 50 s (1000 s, cut to meet the output times): beyond' hope.txt || fail "steps that meet output times: $(cat hope.txt)"
"$SFERIC" check wave.nml --set time%dt=1.92e-11 >hope.txt 2>&1 || fail "light in time: $(cat hope.txt)"
"$SFERIC" check wave.nml --set time%dt=1.93e-11 --set time%allow_unstable=true >hope.txt 2>&1 && grep -q 'warning: dt = ' hope.txt ||
    fail "light, allowed: $(cat hope.txt)"
# What is allowed by its sum in every cell, though not if all of it fell on one, runs; a storm does with a step that suits it.
"$SFERIC" run case.nml --set initial%shape=cosine,cosine --set initial%amplitude=-150,-150 --set initial%x=1000,3000 --set initial%y=2000,2000 \
    --set initial%z=2000,2000 --set initial%radius_x=500,500 --set initial%radius_y=500,500 --set initial%radius_z=500,500 \
    --set time%duration=0.01 --set time%dt=0.01 --set time%output_interval=0 --out apart -q >apart.txt 2>&1 || fail "two apart: $(cat apart.txt)"
"$SFERIC" check case.nml --set initial%variable=u --set initial%amplitude=800 >storm.txt 2>&1 || fail "a storm: $(cat storm.txt)"
grep -q 'the wind at the start' storm.txt || fail 'check does not tell the limit of the wind at the start'

# ---- steps that follow the wind: the same for every stop, and told by check ----
follows="--set time%adaptive=.true. --set time%courant_target=0.05 --set time%duration=120 --set time%output_interval=50 --set time%series_interval=7"
"$SFERIC" check case.nml $follows >check.txt 2>&1 || fail "$(cat check.txt)"
grep -q '^ *time:  *adaptive: ' check.txt && grep -q '^ *4 output times$' check.txt || fail "check of adaptive steps: $(grep -A 3 ' time:' check.txt)"
"$SFERIC" run case.nml $follows --out follows -q >follows.txt 2>&1 || fail "$(cat follows.txt)"
[ -e follows/history_00000100.000.nc ] && [ -e follows/history_00000120.000.nc ] || fail "adaptive: output times missed: $(ls follows)"
for n in 10 23; do
    "$SFERIC" run case.nml $follows --out stopped --force -q --stop-after-steps $n >stopped.txt 2>&1
    "$SFERIC" run case.nml $follows --out stopped -q --restart auto >stopped.txt 2>&1 || fail "$(cat stopped.txt)"
    [ "$(digest stopped.txt)" = "$(digest follows.txt)" ] || fail "adaptive: other bits after a stop at step $n"
done
# The first 100 s alone, and then the rest: an output time of both. 110 s are none.
for end in 100 110; do
    "$SFERIC" run case.nml $follows --set time%duration=$end --set time%restart_interval=1000 --out longer --force -q >longer.txt 2>&1
    "$SFERIC" run case.nml $follows --out longer -q --restart auto >longer.txt 2>&1
    code=$?
    if [ $end = 100 ]; then [ "$(digest longer.txt)" = "$(digest follows.txt)" ] || fail "adaptive: other bits where a run goes on: $(cat longer.txt)"
    else [ $code = 8 ] || fail "adaptive: a run to 110 s was gone on with to 120 s: $code $(cat longer.txt)"; fi
done
"$SFERIC" check case.nml $follows --set time%dt_min=9 >bounds.txt 2>&1
[ $? = 3 ] && grep -q 'dt_min = 9 s is longer than the longest step' bounds.txt || fail "bounds: $(cat bounds.txt)"

echo "$wrong wrong"
[ "$wrong" = 0 ]
