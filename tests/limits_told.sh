#!/bin/bash
# Limits and settings that would make a run silent, endless or refused are told, or change nothing. `SFERIC=binary tests/limits_told.sh`
# SPDX-License-Identifier: MIT
set -uo pipefail
export LC_ALL=C.UTF-8 OMP_NUM_THREADS=1
: "${SFERIC:?the path of the binary under test}"
soundings=$(cd "$(dirname "$0")/../data/soundings" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
cat >case.nml <<EOF
&case name = 'limits' /
&grid nx = 8, ny = 2, nz = 4, dx = 1000, dy = 1000, dz = 500 /
&time duration = 40, dt = 1 /
EOF

# expect CODE TEXT COMMAND...: it exits so, and says so.
expect() {
    local code=$1 text=$2
    shift 2
    "$@" >said 2>err </dev/null
    local rc=$?
    if [ $rc != "$code" ] || ! grep -q -- "$text" said err; then
        echo "FAILED: $*: exit code $rc, not $code, or not '$text':"
        sed 's/^/    /' said err
        failed=1
    fi
}
layer="output%fields='updraft_helicity'" # of 2 to 5 km, and here the lid is at 2 km
expect 3 'up to 5000 m, and the lid is at 2000 m' "$SFERIC" check case.nml --set $layer
expect 3 'helicity_top=' "$SFERIC" check case.nml --set $layer --set dynamics%helicity_top=2001
expect 0 'MiB of history' "$SFERIC" check case.nml --set dynamics%helicity_top=2001 # nobody looks: a run's namelist has all keys
expect 3 'begins at 1500 m and ends at 1000 m' "$SFERIC" check case.nml --set dynamics%helicity_bottom=1500 --set dynamics%helicity_top=1000
expect 0 'MiB of history' "$SFERIC" check case.nml --set $layer --set dynamics%helicity_bottom=0 --set dynamics%helicity_top=2000
expect 3 'and none is open' "$SFERIC" check case.nml --set dynamics%side_budget=true
to_full() { "$@" >/dev/full; }

expect 0 'noise_top = 100 m lies below the lowest level, 250 m' "$SFERIC" check case.nml --set initial%noise=1 --set initial%noise_top=100
expect 75 'was over before the first step' "$SFERIC" run case.nml --out walled -q --set time%duration=5 --set time%wall_limit=1e-6 --set pipeline%steps_per_pass=1
for ((n = 0; n < 9; n++)); do # each going on gets further
    if "$SFERIC" run case.nml --out walled -q --set time%duration=5 --restart auto --set time%wall_limit=1e-6 >said 2>err; then break; fi
done
if ! grep -q digest said; then echo 'FAILED: a run under a short wall limit never ends'; failed=1; fi
expect 6 'standard output cannot be written' to_full "$SFERIC" run case.nml --out full
expect 75 'with a checkpoint' "$SFERIC" run case.nml --out parts -q --stop-after-steps 20
expect 0 'digest' "$SFERIC" run case.nml --out parts -q --restart auto --set dynamics%expected_speed=30
for limit in 8 24; do # KiB: the namelist does not fit, or a history file does not
    expect 6 'limit of a file' bash -c "ulimit -f $limit"'; exec "$0" run case.nml --out small --force -q' "$SFERIC"
done
expect 75 'with a checkpoint' "$SFERIC" run case.nml --out chosen -q --set time%dt=0 --stop-after-steps 1
expect 8 'expected_speed' "$SFERIC" run case.nml --out chosen -q --set time%dt=0 --restart auto --set dynamics%expected_speed=200
# The base state is steady: what departs from it nowhere stays as it is.
still='nothing happens in this run'
expect 0 "$still" "$SFERIC" check case.nml
expect 0 "$still" "$SFERIC" check case.nml --set initial%shape=cosine # of no amplitude
expect 0 "$still" "$SFERIC" check case.nml --set initial%shape=cosine --set initial%amplitude=2 --set initial%x=-9000 --set initial%radius_x=1000
expect 0 "$still" "$SFERIC" check case.nml --set initial%noise=1 --set initial%noise_top=100
expect 0 "$still" "$SFERIC" check case.nml --set base%wind=constant --set base%wind_u=5 # through periodic sides
expect 0 "$still" "$SFERIC" check case.nml --set base%wind=constant --set base%wind_u=5 --set boundary%west=wall --set boundary%east=wall --set grid%translation_u=5 # walls move along
for some in "initial%shape=cosine --set initial%amplitude=2" initial%noise=1 initial%wind_u=2 initial%flow=beltrami initial%atmosphere=neutral \
    "base%wind=constant --set base%wind_u=5 --set boundary%west=wall --set boundary%east=wall" \
    "grid%translation_u=5 --set boundary%west=wall --set boundary%east=wall"; do
    expect 0 'wall time' "$SFERIC" check case.nml --set ${some}
    if grep -q "$still" said err; then echo "FAILED: told in vain with $some"; failed=1; fi
done
# Vapour that a perturbation takes or brings.
wet="--set water%scheme='kessler' --set base%relative_humidity=0.5 --set initial%shape=cosine --set initial%z=1000 --set initial%radius_z=500"
expect 0 'takes more vapour than the' "$SFERIC" check case.nml $wet --set initial%variable=humidity --set initial%amplitude=-0.6
expect 0 '% of saturation: what is too much condenses' "$SFERIC" check case.nml $wet --set initial%variable=humidity --set initial%amplitude=0.6
expect 0 'wall time' "$SFERIC" check case.nml $wet --set initial%variable=humidity --set initial%amplitude=0.4
if grep -qE 'takes more vapour|of saturation' said err; then echo 'FAILED: told in vain of vapour'; failed=1; fi
expect 0 'takes more rain than the 0 kg/kg' "$SFERIC" check case.nml $wet --set initial%variable=rain --set initial%amplitude=-1e-3
expect 3 'lets neither fall nor evaporate' "$SFERIC" check case.nml $wet --set water%scheme="'saturation'" --set initial%variable=rain --set initial%amplitude=1e-3
expect 0 'saturation changes nothing' "$SFERIC" check case.nml --set water%saturation=tetens
expect 0 'relative_humidity changes nothing' "$SFERIC" check case.nml $wet --set base%profile=weisman_klemp
expect 0 'rain of 10 m/s falls through' "$SFERIC" check case.nml $wet --set grid%dz=20 --set time%dt=8 --set time%duration=40 --set dynamics%small_steps=12
expect 3 '2 of table_z, but 1 of table_u' "$SFERIC" check case.nml --set base%wind=table --set base%table_z=0,900 --set base%table_u=5
expect 3 'heights of the table are above the ground' "$SFERIC" check case.nml --set base%wind=table --set base%table_z=0,-1,900
# Moist air at rest is steady, too, but for cloud that rains and vapour beyond saturation.
expect 0 "$still" "$SFERIC" check case.nml --set water%scheme=kessler --set base%profile=weisman_klemp
expect 0 'wall time' "$SFERIC" check case.nml --set water%scheme=kessler --set base%profile=saturated
if grep -q "$still" said err; then echo 'FAILED: cloud that rains is told as steady'; failed=1; fi
expect 3 'heights of the table must rise' "$SFERIC" check case.nml --set base%wind=table --set base%table_z=0,900,900
expect 3 'needs heights' "$SFERIC" check case.nml --set base%wind=table
expect 3 'but the air is dry' "$SFERIC" check case.nml --set initial%shape=cosine --set initial%variable=vapour
expect 3 'moist air: set &water scheme' "$SFERIC" check case.nml --set base%profile=weisman_klemp
# Small steps of the first stage: as many as bring something, and the limits that they make.
expect 0 '5 small steps in the first Runge-Kutta stage are shorter than the 6 of the last' "$SFERIC" check case.nml --set dynamics%first_small_steps=5
expect 0 'first stage, c dt/(3 first_small_steps) sqrt' "$SFERIC" check case.nml --set dynamics%first_small_steps=2
if grep -q 'bring nothing' said err; then echo 'FAILED: told in vain of small steps'; failed=1; fi
expect 0 'sound in two small steps, c dt sqrt' "$SFERIC" check case.nml --set dynamics%small_steps=2
# Turbulence: what it expects, what changes nothing without it, its energy where none is carried, and how many tracers go with it.
tke="--set turbulence%closure=tke --set initial%noise=1"
expect 0 'dt < *50 s .*% *turbulence: K = 1.5e+03 m2/s, K dt (1/dx2 + 1/dy2 + 1/dz2) < 0.45' "$SFERIC" check case.nml $tke --set turbulence%expected_diffusivity=1500
expect 0 'limit is 5 s (turbulence, K dt' "$SFERIC" check case.nml $tke --set turbulence%expected_diffusivity=1.5e4 --set dynamics%small_steps=40
expect 0 "cells changes nothing here: it counts with &turbulence closure = 'smagorinsky' or 'tke'" "$SFERIC" check case.nml --set turbulence%cells=flat
expect 0 "smagorinsky_constant changes nothing here: it counts with &turbulence closure = 'smagorinsky'" "$SFERIC" check case.nml $tke --set turbulence%smagorinsky_constant=0.1
expect 0 "mixing_length changes nothing here: it counts with &turbulence closure = 'smagorinsky' or 'tke'" "$SFERIC" check case.nml --set turbulence%mixing_length=90
expect 0 'mixing_length changes nothing here: cells are taken for cubes' "$SFERIC" check case.nml $tke --set turbulence%cells=cubes --set turbulence%mixing_length=90
expect 3 'a smagorinsky_constant of 0 mixes nothing' "$SFERIC" check case.nml --set turbulence%closure=smagorinsky --set turbulence%cells=flat --set turbulence%mixing_length=90 --set turbulence%smagorinsky_constant=0
expect 0 'wall time' "$SFERIC" check case.nml $tke --set turbulence%cells=flat --set turbulence%mixing_length=90
expect 3 'of the energy of turbulence, which is not carried' "$SFERIC" check case.nml --set turbulence%closure=smagorinsky --set initial%shape=cosine --set initial%variable=tke
expect 3 'there may be 28 tracers, not 29' "$SFERIC" check case.nml $tke --set water%scheme=kessler --set dynamics%tracers=29
expect 0 'wall time' "$SFERIC" check case.nml --set turbulence%closure=tke --set base%wind=shear --set base%wind_u_top=9
if grep -q "$still" said err; then echo 'FAILED: a shear that turbulence mixes is told as steady'; failed=1; fi
expect 0 "$still" "$SFERIC" check case.nml --set turbulence%closure=tke
# The ground: what one choice needs of another, what changes nothing, and what is doubtful.
expect 3 'needs a drag_coefficient above 0' "$SFERIC" check case.nml --set surface%drag=coefficient
expect 3 'needs a friction_velocity above 0' "$SFERIC" check case.nml --set surface%drag=friction
expect 3 'follows from its drag' "$SFERIC" check case.nml --set surface%heat=temperature --set surface%temperature=300
expect 3 "needs the ground's temperature" "$SFERIC" check case.nml --set surface%heat=temperature --set surface%drag=sea
expect 3 'takes the viscosity of mixing' "$SFERIC" check case.nml --set surface%drag=no_slip
expect 3 'lies within the roughness of 6 m' "$SFERIC" check case.nml --set surface%drag=roughness --set surface%roughness=6 --set grid%dz=20
expect 3 'a flux of vapour needs water' "$SFERIC" check case.nml --set surface%heat=flux --set surface%vapour_flux=1e-4
expect 0 "heat = 'temperature' is safe" "$SFERIC" check case.nml --set surface%drag=roughness --set surface%heat=flux --set surface%heat_flux=-0.01
expect 0 "friction_velocity changes nothing here: it counts with &surface drag = 'friction'" "$SFERIC" check case.nml --set surface%drag=sea --set surface%friction_velocity=0.2
expect 0 'wall time' "$SFERIC" check case.nml --set surface%heat=flux --set surface%heat_flux=0.1
if grep -q "$still" said err; then echo 'FAILED: air that the ground warms is told as steady'; failed=1; fi
# Keys that count for nothing beside what else is set, and not where they count, nor at their defaults.
idle() { # KEY=VALUE NEEDED COUNTS: counts is a setting with which the key counts
    local key=${1%%=*} with=$3
    expect 0 "warning: ${key#*%} changes nothing here: it counts with $2" "$SFERIC" check case.nml --set "$1" $idle_with
    expect 0 'wall time' "$SFERIC" check case.nml --set "$1" $idle_with $with
    if grep -q 'changes nothing' said err; then echo "FAILED: ${key} is told in vain with $with:"; cat err; failed=1; fi
}
idle_with=''
idle dynamics%viscosity=1 "&dynamics mixing = 'constant'" '--set dynamics%mixing=constant'
idle dynamics%rayleigh_time=100 '&dynamics rayleigh_depth;' '--set dynamics%rayleigh_depth=500'
idle dynamics%open_relax_time=300 "&boundary west = 'open'" '--set boundary%west=wall --set boundary%east=open'
idle boundary%tracer_inflow=1 "&boundary west = 'open' and &dynamics tracers" '--set boundary%west=open --set boundary%east=open --set dynamics%tracers=1'
idle base%wind_u_top=9 "&base wind = 'shear', 'tanh'" '--set base%wind=shear'
idle base%temperature=260 "&base profile = 'isothermal'" '--set base%profile=isothermal'
idle initial%noise_seed=7 '&initial noise;' '--set initial%noise=1'
idle initial%flow_speed=2 "&initial flow = 'beltrami'" '--set initial%flow=beltrami'
idle surface%roughness_heat=0.01 "&surface drag = 'roughness', 'sea' or 'friction' and &surface heat" \
    '--set surface%drag=roughness --set surface%heat=temperature --set surface%temperature=300'
idle_with='--set water%scheme=saturation'
idle water%fall_speed=10 "&water scheme = 'kessler'" '--set water%scheme=kessler'
idle_with='--set turbulence%closure=smagorinsky --set initial%noise=1'
idle dynamics%mixing_rate=1e-4 "&dynamics mixing = 'second', 'fourth' or 'monotone'" '--set dynamics%mixing=second'
idle_with='--set dynamics%mixing=off'
idle dynamics%mixing_rate=1e-4 "&dynamics mixing = 'second', 'fourth' or 'monotone'" '--set turbulence%closure=tke --set dynamics%mixing=fourth'
idle_with=''
expect 0 'hold_steps changes nothing here: neither mass nor water is held' "$SFERIC" check case.nml --set dynamics%hold_steps=5
for some in dynamics%hold_mass=on 'boundary%west=open --set boundary%east=open' water%scheme=kessler; do
    expect 0 'wall time' "$SFERIC" check case.nml --set dynamics%hold_steps=5 --set $some
    if grep -q 'changes nothing' said err; then echo "FAILED: hold_steps is told in vain with $some"; failed=1; fi
done
expect 0 'helicity_top changes nothing here' "$SFERIC" check case.nml --set dynamics%helicity_top=2001
expect 0 'wall time' "$SFERIC" check parts/namelist.nml --set dynamics%expected_speed=30 # a run's namelist, which has all keys
if grep -q 'changes nothing' said err; then echo 'FAILED: keys at their defaults are told'; cat err; failed=1; fi
# An afternoon: of a sounding alone, warmer than the morning; what is made of it is told, and one fault is one message.
expect 3 "give profile = 'sounding'" "$SFERIC" check case.nml --set base%afternoon_temperature=300
norman="--set base%profile=sounding --set base%sounding=$soundings/oun_2011052212.txt --set water%scheme=kessler --set output%fields='rain'"
expect 0 'mixed to 781 m, theta 306.01 K, vapour 16.26 g/kg' "$SFERIC" check case.nml $norman --set base%afternoon_temperature=303
expect 3 'namelist and its overrides' "$SFERIC" check case.nml $norman --set base%afternoon_temperature=31
grep -q 'is not above the 295.37 K' err && grep -q ' 1 error in' err || { echo 'FAILED: not one message of a cold afternoon'; failed=1; }
expect 3 'give afternoon_temperature, too' "$SFERIC" check case.nml $norman --set base%afternoon_dewpoint=290
if grep -q 'changes nothing' err; then echo 'FAILED: two messages of an afternoon without its temperature'; failed=1; fi
# Air beyond saturation, as told by a sounding: the morning of Norman has 100.14 % of it, which is none. Air of no place on Earth.
wet='1000 300 14\n1000 302 12 0 0\n2000 305 25 0 0\n4000 316 2 0 0\n7000 328 0.3 0 0\n10000 340 0 0 0\n14000 400 0 0 0\n'
printf "$wet" >wet.txt
printf "${wet/2000 305 25/2000 305 9}" >damp.txt
odd='of saturation|beyond saturation|of this Earth'
sounding="--set base%profile=sounding --set water%scheme=kessler --set grid%nz=24"
expect 0 'most at 2250 m: relative humidity 2[01][0-9] %, vapour 2[0-9.]* g/kg' "$SFERIC" check case.nml $sounding --set base%sounding=wet.txt
expect 0 'warning: the air is beyond saturation' "$SFERIC" run case.nml -q --out wet $sounding --set base%sounding=wet.txt --set time%duration=1
for some in "$norman --set grid%nz=24" "$sounding --set base%sounding=damp.txt" "$sounding --set base%profile=weisman_klemp"; do
    expect 0 'wall time' "$SFERIC" check case.nml $some
    if grep -qE "$odd" said err; then echo "FAILED: told in vain of vapour with $some:"; cat err; failed=1; fi
done
expect 0 'the air at 250 m has 622 g/kg of vapour, 246 of its 491 hPa' "$SFERIC" check case.nml --set water%scheme=kessler --set base%profile=isothermal \
    --set base%temperature=400 --set base%relative_humidity=1 --set base%surface_pressure=5e4
# A K that the step cuts is told by the run, once; one that it does not cut is not.
stirred="--set turbulence%closure=tke --set initial%shape=gaussian --set initial%variable=tke --set initial%radius_z=1e6 --set grid%dx=50 --set grid%dy=50 --set grid%dz=20
    --set time%dt=0.05 --set time%duration=1 --set time%output_interval=0.5"
expect 0 'the time step cuts the diffusivity of 100 % of the cells' "$SFERIC" run case.nml -q --out stirred $stirred --set initial%amplitude=4e5
[ "$(grep -c 'cuts the diffusivity' err)" = 1 ] || { echo 'FAILED: what a step cuts is not told once'; failed=1; }
expect 0 '^digest' "$SFERIC" run case.nml -q --out stirred --force $stirred --set initial%amplitude=1
if grep -q 'cuts the diffusivity' err; then echo 'FAILED: what no step cuts is told'; failed=1; fi
# Places of the ground move with the grid.
place="--set surface%drag='roughness' --set surface%heat='temperature' --set surface%temperature=300 --set surface%patch_temperature=290 --set surface%patch_west=4000"
expect 0 'move with the grid' "$SFERIC" check case.nml $place --set grid%translation_u=5
expect 0 'ground: temperature 290 to 300 K' "$SFERIC" check case.nml $place
if grep -q 'move with the grid' said err; then echo 'FAILED: a grid that stands still is said to move'; failed=1; fi
[ $failed = 0 ] && echo 'limits are told'
exit $failed
