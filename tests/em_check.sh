#!/bin/bash
# What is wrong with an EM case is told before it runs: by `check` as by `run`, with the same exit code, each where it stands.
# `SFERIC=binary tests/em_check.sh` SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0
: "${SFERIC:?the path of the binary under test}"
namelists=$(cd "$(dirname "$0")/../namelists" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_em_check_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0 checks=0
fail() {
    wrong=$((wrong + 1))
    echo "FAILED: $*"
    sed 's/^/    /' told
}
# expect CODE TEXT ARGUMENT...: this exit code, and TEXT (a pattern) on stdout or stderr
expect() {
    local code=$1 text=$2 rc
    shift 2
    checks=$((checks + 1))
    timeout 120 "$SFERIC" "$@" >told 2>&1 </dev/null
    rc=$?
    if [ $rc != "$code" ]; then fail "exit code $rc, not $code: sferic $*"
    elif ! grep -qE -- "$text" told; then fail "does not say '$text': sferic $*"; fi
}
holds_once() { # PATTERN, in what was told last
    checks=$((checks + 1))
    [ "$(grep -c -- "$1" told)" = 1 ] || fail "not told once: $1"
}
holds_none() { # PATTERN
    checks=$((checks + 1))
    grep -q -- "$1" told && fail "told in vain: $1"
}
# refused CODE TEXT ARGUMENT...: by check and by run
refused() {
    local code=$1 text=$2
    shift 2
    expect "$code" "$text" check "$@"
    expect "$code" "$text" run "$@" --out refused -q
}

# ---- faces of the plane wave's box -----------------------------------------------------------------------------------

slab=$namelists/slab.nml
refused 3 "error: &plane_wave: the top face of its box, z = 0.05 m, lies in 'glass'" "$slab" --set plane_wave%box=-1,1,-1,1,-0.1,0.05
refused 3 "the bottom face of its box, z = 0 m, lies in 'glass'" "$slab" --set plane_wave%box=-1,1,-1,1,0,0.225
expect 0 'wall time' check "$slab" --set plane_wave%box=-1,1,-1,1,-0.005,0.105
expect 3 'the top face of its box, z = 0.15 m, meets a sheet, shell or wire' check "$slab" --set geometry%shape=sheet --set geometry%medium=pec \
    --set geometry%z=0.15 --set plane_wave%box=-1,1,-1,1,-0.1,0.15
expect 0 'wall time' check "$slab" --set medium%epsilon=1 --set plane_wave%box=-1,1,-1,1,-0.1,0.05 # glass that is none

# ---- all that is wrong, at once, each where it stands ----------------------------------------------------------------

cat >many.nml <<'END'
&case name = 'many', model = 'maxwell' /
&grid nx = 24, ny = 20, nz = 22, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 2e-11 /
&cpml cells = 4 /
&medium name = 'glass', 'glass', 'pec', epsilon = 2 /
&geometry shape = 'box', 'sphere', 'sheet', medium = 'glas', 'glass', 'glass', radius = 0, 0, 0, size_x = 4e-3 /
&source kind = 4*'electric', x = 12e-3, 12e-3, 1, y = 3*10e-3, z = 14e-3, -1, -1, waveform = 'ricker', 'file', 'ricker',
    frequency = 3*8e9 /
&plane_wave direction = '+x', box = 0, 1, 0, 1, 0, 1 /
&monitor name = 'a b', 'c', 'C', west = 3e-3, 5e-3, 6e-3, east = 2e-3, 5e-3, 6e-3, north = 3*1e9, south = 0, 2, 0 /
&spectrum from = 3e9, to = 1e9, count = 10 /
END
cat >expected <<'END'
many.nml:5:25: error: &medium: name(2)
many.nml:5:34: error: &medium: name(3)
many.nml:6:26: error: &geometry: shape(2), a sphere, has no radius
many.nml:6:54: error: &geometry: medium(1) = 'glas': there is no such medium; did you mean 'glass'
many.nml:6:71: error: &geometry: shape(3), a sheet, can be of 'pec' only
many.nml:7:18: error: &source: source 4: Ez at the low end of x
many.nml:7:18: error: &source: source 4: Ez at the low end of y
many.nml:7:48: error: &source: source 3: x = 1 m lies outside
many.nml:7:75: error: &source: source 2: z = -1 m lies outside
many.nml:7:79: error: &source: source 3: z = -1 m lies outside
many.nml:7:104: error: a waveform 'file' needs the name of its file
many.nml:8:19: warning: frequency changes nothing here: it counts with &source waveform = 'gaussian',
many.nml:9:37: error: &plane_wave: its box must end at least a cell before the west side
many.nml:10:17: error: &monitor: name 'a b' may have
many.nml:10:29: error: &monitor: the name 'C' is used twice
many.nml:10:41: error: &monitor a b: it begins at x = 0.003 m
many.nml:10:110: error: &monitor c: it lies at y = 2
many.nml:11:18: error: &spectrum: to (1e+09 Hz) lies below from
END
expect 3 '^sferic: error: many.nml: 17 errors in the namelist$' check many.nml
grep -E '^[^ ]*:[0-9]+:[0-9]+: ' told >places
checks=$((checks + 1))
while read -r line <&3 && read -r got <&4; do
    [ "${got:0:${#line}}" = "$line" ] || fail "not told there: $line"
done 3<expected 4<places

# ---- keys that count for nothing -------------------------------------------------------------------------------------

lone=(check "$namelists/cavity.nml")
expect 0 'wall time' "${lone[@]}"
holds_none 'changes nothing'
idle() { # KEY=VALUE WHAT IT NEEDS
    local key=${1%%=*}
    expect 0 "warning: ${key#*%} changes nothing here: it counts with $2" "${lone[@]}" --set "$1"
}
idle cpml%kappa=3 "&boundary west = 'cpml'"
idle plane_wave%polarisation=90 "&plane_wave direction = '.x', "
idle excitation%amplitude=2 "&port kind = 'lumped', 'guide' or 'line'; leave"
idle excitation%frequency=2e9 "&excitation waveform = .* and &port kind"
idle source%file=there.txt "&source waveform = 'file'"
idle source%mode_m=2 "&source kind = 'mode'"
idle spectrum%count=4 '&monitor name, or with &port kind'
idle stop%probe_time=1e-9 '&stop probe; leave'
lone+=(--set geometry%shape=box --set geometry%size_x=1e-3)
idle geometry%radius=1e-3 "&geometry shape = 'sphere', 'cylinder', 'wire', 'cone' or 'disc'"
idle geometry%stl_scale=1e-3 "&geometry shape = 'stl'"

# ---- boxes of far fields ---------------------------------------------------------------------------------------------

cat >far.nml <<'END'
&case name = 'far', model = 'maxwell' /
&grid nx = 30, ny = 30, nz = 30, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 4e-10 /
&cpml cells = 5 /
&maxwell allow_coarse = .true. /
&medium name = 'glass', 'sea', epsilon = 2, 2, sigma = 0, 1 /
&geometry shape = 'box', medium = 'glass', x = 15e-3, y = 15e-3, z = 15e-3, size_x = 4e-3, size_y = 4e-3, size_z = 4e-3 /
&source kind = 'electric', x = 15e-3, y = 15e-3, z = 15e-3, waveform = 'differentiated_gaussian', frequency = 1e10 /
&monitor name = 'sky', kind = 'far', west = 10e-3, east = 20e-3, south = 10e-3, north = 20e-3, bottom = 10e-3, top = 20e-3 /
&spectrum frequencies = 1e10 /
END
far_wave=(--set source%kind=none --set plane_wave%direction=+x --set plane_wave%frequency=1e10)
expect 0 'wall time' check far.nml
holds_none 'warning: monitor'
refused 3 'monitor sky: the west face of its box lies in .glass. and|the faces of its box lie in .vacuum. and in .glass.' far.nml --set geometry%size_x=12e-3
refused 3 "the west face of its box lies in 'sea', which conducts" far.nml --set geometry%background=sea
refused 3 "the east face of its box lies in 'pec', which conducts" far.nml --set geometry%medium=pec --set geometry%x=20e-3
refused 3 "the south face of its box meets a sheet, shell or wire" far.nml --set geometry%shape=sheet --set geometry%medium=pec --set geometry%axis=y --set geometry%y=10e-3
refused 3 'sky: the top face of its box lies in the absorbing layer of 5 cells' far.nml --set monitor%top=26e-3
refused 3 'sky: its box reaches the west side of the domain, which is no conductor' far.nml --set monitor%west=-1 --set cpml%cells=1 \
    --set boundary%west=periodic --set boundary%east=periodic
refused 3 'sky: its box reaches conductors at both ends along z' far.nml --set monitor%bottom=-1 --set monitor%top=1 --set boundary%bottom=pec --set boundary%top=pmc
refused 3 'the grid carries no wave of 1.6e.11 Hz along x' far.nml --set spectrum%frequencies=1.6e11 --set source%frequency=8e10
refused 3 'nothing radiates at a frequency of 0' far.nml --set spectrum%frequencies=0,1e10
refused 3 'sky: theta goes from 90 to 90 degrees: it must grow' far.nml --set monitor%theta_from=90 --set monitor%theta_to=90
refused 3 'sky: along x its box, 0.01 to 0.02 m, must reach beyond that of the plane wave, 0.01 to 0.019 m' far.nml "${far_wave[@]}" \
    --set plane_wave%box=10e-3,19e-3,11e-3,19e-3,11e-3,19e-3
expect 0 'wall time' check far.nml "${far_wave[@]}" --set plane_wave%box=11e-3,19e-3,11e-3,19e-3,11e-3,19e-3
holds_none 'warning: monitor'
expect 0 'warning: monitor sky: source 1 lies outside of its box' check far.nml --set source%x=21e-3
expect 0 'warning: monitor sky: cells along y are 0.001 to 0.0011 m large in its box' check far.nml --set grid%size_y=15*1e-3,15*1.1e-3
expect 0 'wall time' check far.nml --set monitor%bottom=-1 --set boundary%bottom=pec
holds_none 'warning: monitor'
refused 3 'sky: a plane wave lights what its box holds, and a ground returns that wave, too' far.nml "${far_wave[@]}" \
    --set plane_wave%box=11e-3,19e-3,11e-3,19e-3,0,19e-3 --set plane_wave%polarisation=90 --set monitor%bottom=-1 --set boundary%bottom=pec --set "monitor%mirror='ground'"
layers=(--set "monitor%mirror='layers'" --set "geometry%shape='half_space','box'" --set "geometry%medium='sea','glass'" --set "geometry%axis='z','z'"
    --set "geometry%side='below','above'" --set geometry%z=8e-3,15e-3 --set geometry%x=0,15e-3 --set geometry%y=0,15e-3 --set geometry%size_x=1,4e-3 --set geometry%size_y=1,4e-3 --set geometry%size_z=1,4e-3)
expect 0 'wall time' check far.nml "${layers[@]}"
holds_none 'warning: monitor'
holds_once '^ *above z = 0.008 m, without end: eps_r 1, sigma 0 S/m$'
holds_once '^ *below z = 0.008 m, without end: eps_r 2, sigma 1 S/m$'
holds_none 'a conductor$'
board=("${layers[@]}" --set "geometry%shape='layer','box'" --set geometry%z=4e-3,15e-3 --set geometry%size_z=4e-3,4e-3)
expect 0 '^ *0.004 m thick, z = 0.002 to 0.006 m: eps_r 2, sigma 1 S/m$' check far.nml "${board[@]}"
holds_once '^ *below z = 0.002 m, without end: eps_r 1, sigma 0 S/m$'
expect 0 '^ *0.002 m thick, z = 0 to 0.002 m: eps_r 1, sigma 0 S/m$' check far.nml "${board[@]}" --set boundary%bottom=pec
holds_once '^ *at z = 0 m: a conductor$'
expect 0 '^ *0.004 m thick, z = 0.002 to 0.006 m: eps_r 2, sigma 0 S/m, mu_r 3$' check far.nml "${board[@]}" --set medium%sigma=0,0 --set medium%mu=1,3
refused 3 "sky: mirror = 'layers', and around its box there are several media at z = 0.0025 m" far.nml "${layers[@]}" --set geometry%z=8e-3,4e-3
refused 3 "sky: mirror = 'layers', and around its box there are several media at z = 0.0135 m" far.nml "${layers[@]}" --set geometry%size_x=1,12e-3
refused 3 "sky: mirror = 'layers', and the highest layer has losses or poles" far.nml "${layers[@]}" --set geometry%background=sea
refused 3 "sky: mirror = 'layers', and a conductor lies above or beside its box" far.nml "${layers[@]}" --set "geometry%medium='pec','glass'" \
    --set "geometry%side='above','above'" --set geometry%z=22e-3,15e-3
refused 3 "sky: mirror = 'layers', and the top of the domain is no absorbing layer" far.nml "${layers[@]}" --set boundary%top=pec
refused 3 "sky: mirror = 'layers' is for sources within its box: a plane wave" far.nml "${far_wave[@]}" --set "monitor%mirror='layers'" \
    --set plane_wave%box=11e-3,19e-3,11e-3,19e-3,11e-3,19e-3

# ---- Bloch-periodic sides ----------------------------------------------------------------------------------------------

cat >bloch.nml <<'END'
&case name = 'bloch', model = 'maxwell' /
&grid nx = 10, ny = 10, nz = 40, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 1e-10 /
&boundary west = 'periodic', east = 'periodic', south = 'periodic', north = 'periodic' /
&bloch theta = 30, frequency = 2e10 /
&plane_wave direction = '-z', waveform = 'modulated_gaussian', frequency = 2.2e10, bandwidth = 8e9 /
&monitor name = 'back', kind = 'orders', bottom = 28e-3, top = 28e-3 /
&spectrum frequencies = 2e10, 2.4e10 /
END
expect 0 'bloch: kx 209.58., ky 0, kz 0 rad/m, 120.1, 0, 0 degrees from side to side; fields are complex, which takes memory and time twice' check bloch.nml
holds_once 'light line: below 1e+10 Hz nothing of that k travels where n = 1$'
holds_once 'plane wave: 58.81 degrees from the normal at 1.169e+10 Hz, 18.03 at 3.231e+10 Hz; polarisation = 0 has E in the plane of incidence (p, TM), 90 more across it (s, TE)'
holds_once 'monitor back: at 2e+10 Hz 2 orders travel along x and y: (-1, 0), (0, 0)$'
holds_none 'degrees from the normal below'
expect 0 'waves are more than 80 degrees from the normal below 1.625e.10 Hz and do not travel below 1.6e.10 Hz' check bloch.nml --set bloch%theta=53.130102
wave=(bloch.nml --set 'plane_wave%direction=none' --set bloch%theta=0 --set bloch%complex_fields=true)
refused 3 "error: &bloch: kz = 3 rad/m is a phase from the bottom side to the top side, which must both be 'periodic'" bloch.nml --set bloch%theta=0 --set bloch%kz=3
refused 3 'give the wave numbers kx, ky, kz or an angle theta with its frequency, not both' bloch.nml --set bloch%kx=3
refused 3 'an angle is one at a frequency' bloch.nml --set bloch%frequency=0
refused 3 'source 1: a hard source sets the real part of a field that &bloch makes complex' "${wave[@]}" --set source%kind=electric --set source%drive=hard
refused 3 'source 1: a guided mode is one of real fields' "${wave[@]}" --set source%kind=mode
refused 3 'monitor back: what &bloch repeats without end has no far field' bloch.nml --set monitor%kind=far
refused 3 'port 1: ports are of real fields' "${wave[@]}" --set port%kind=lumped
refused 3 "with &bloch the plane wave has its transverse wave numbers: give the axis that it travels along" bloch.nml --set plane_wave%direction=oblique
refused 3 '&plane_wave: it travels along x, where &bloch has a phase from side to side' bloch.nml --set plane_wave%direction=+x --set plane_wave%box=2e-3,8e-3,-1,1,15e-3,25e-3
refused 3 '&plane_wave: with &bloch its box spans the domain across the wave, and along x it does not' bloch.nml --set plane_wave%box=2e-3,8e-3,-1,1,15e-3,25e-3
refused 3 '&plane_wave: cells along x differ in size' bloch.nml --set grid%size_x=5*1e-3,5*1.1e-3 --set 'monitor%kind=flux'

# ---- diffraction orders ------------------------------------------------------------------------------------------------

cat >orders.nml <<'END'
&case name = 'orders', model = 'maxwell' /
&grid nx = 30, ny = 1, nz = 40, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 4e-10 /
&boundary west = 'periodic', east = 'periodic', south = 'periodic', north = 'periodic' /
&cpml cells = 8 /
&maxwell allow_coarse = .true. /
&medium name = 'glass', 'sea', epsilon = 2, 2, sigma = 0, 1 /
&geometry shape = 'box', medium = 'glass', x = 15e-3, z = 18e-3, size_x = 9e-3, size_z = 4e-3 /
&plane_wave direction = '+z', frequency = 1e10, box = -1, 1, -1, 1, 12e-3, 28e-3 /
&monitor name = 'through', kind = 'orders', bottom = 26e-3, top = 26e-3 /
&spectrum frequencies = 1.2e10 /
END
expect 0 'wall time' check orders.nml
holds_once 'monitor through: at .* orders* travels* along x and y: .*(0, 0)'
two_bands=(check orders.nml --set spectrum%count=0 --set spectrum%from=0 --set spectrum%to=0 --set spectrum%frequencies)
expect 0 'monitor through: at 9e.09 Hz 1 order travels along x and y: .0, 0.$' "${two_bands[@]}=9e9,1.6e10"
holds_once 'monitor through: at 1.6e+10 Hz 3 orders travel along x and y: (-1, 0), (0, 0), (1, 0)$'
expect 0 'at 2.1e.10 Hz 5 orders travel .*; 2 of them are not in its file' "${two_bands[@]}=9e9,2.1e10" --set monitor%orders=1 --set maxwell%allow_coarse=true
holds_none 'warning: monitor'
refused 3 "through: kind = 'orders' is a plane that spans a domain with periodic sides along both axes across its normal, and along x it does not" orders.nml \
    --set monitor%west=5e-3
refused 3 "through: kind = 'orders' is a plane that spans .* and along y it does not" orders.nml --set boundary%south=pmc --set boundary%north=pmc
refused 3 'through: cells along x are 0.001 to 0.0011 m large: orders are those of cells of one size' orders.nml --set grid%size_x=15*1e-3,15*1.1e-3
refused 3 "through: beside its plane lies 'glass' and another medium" orders.nml --set geometry%z=26e-3
refused 3 "through: beside its plane lies 'sea', which conducts, loses energy or has poles" orders.nml --set geometry%medium=sea --set geometry%z=26e-3 \
    --set geometry%size_x=1

# ---- media that disperse -----------------------------------------------------------------------------------------------

cat >poles.nml <<'END'
&case name = 'poles', model = 'maxwell' /
&grid nx = 30, ny = 30, nz = 30, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 4e-9 /
&maxwell allow_coarse = .true. /
&medium name = 'lake', 'board', material = 'water', 'fr4' /
&geometry shape = 2*'box', medium = 'lake', 'board', x = 2*15e-3, y = 2*15e-3, z = 2*15e-3, size_x = 6e-3, 2e-3, size_y = 2*2e-3, size_z = 2*2e-3 /
&source kind = 'electric', x = 5e-3, y = 5e-3, z = 5e-3, waveform = 'modulated_gaussian', frequency = 3e9, bandwidth = 1e9 /
END
expect 0 'water at 25 C, to 50 GHz: Kaatze 1989' check poles.nml
holds_none "numbers of\|make the permittivity"
expect 0 "warning: the numbers of 'fr4' are for 1e.08 to 1e.10 Hz, and the sources have power from .* to 3.* Hz" check poles.nml \
    --set source%frequency=3e10
holds_none "numbers of 'water'"
expect 0 "warning: at .* Hz the steps of 1.9.*e-12 s make the permittivity of 'ore' .* take shorter steps" check poles.nml --set "medium%name(3)='ore'" \
    --set "pole%medium='ore'" --set "pole%kind='pair'" --set pole%pole_re=-1e9 --set pole%pole_im=1.72e11 --set pole%residue_im=-8.6e10 \
    --set "geometry%medium='lake','ore'" --set source%frequency=2.5e10

# ---- permittivities of files ---------------------------------------------------------------------------------------------

awk 'BEGIN { print "# water, and salt"; for (f = 1e9; f < 2e10; f *= 1.3) { z = 5.196195e-11 * f; d = 73.2 / (1 + z * z)
    printf "%.9g %.9g %.9g\n", f, 5.16 + d, z * d + 4 / (5.563250e-11 * f) } }' >salt.txt
awk 'BEGIN { for (f = 1e9; f < 2e10; f *= 1.1) { a = 1 - (f / 5e9)^2; b = f / 2e10; printf "%.9g %.9g %.9g\n", f, 2 + 3 * a / (a * a + b * b), 3 * b / (a * a + b * b) } }' >crystal.txt
table=(poles.nml --set "medium%material='','fr4'")
expect 0 "fitted to 12 lines of 'salt.txt', 1e.09 to 1.792e.10 Hz: 1 Debye pole, off by [0-9.e-]+ % at most" check "${table[@]}" --set medium%table=salt.txt
holds_none 'warning: .*the table of'
grep -qE "lake +eps_r 5.16 .*sigma 4  " told || fail 'epsilon and sigma are not those of the table'
expect 0 "warning: the table of 'lake' goes from 1e.09 to 1.792e.10 Hz, and the sources have power from .* to 3.* Hz" check "${table[@]}" --set medium%table=salt.txt \
    --set source%frequency=3e10
awk '!/#/ { $1 /= 1e9; print }' salt.txt >units.txt
refused 3 "the table of 'lake' goes from 1 to .* Hz, and the sources have power .*: is it in another unit" "${table[@]}" --set medium%table=units.txt
expect 0 "fitted to 12 lines of 'units.txt'" check "${table[@]}" --set medium%table=units.txt --set medium%table_unit=1e9
expect 0 "warning: Debye poles follow the table of 'lake' to [0-9.]+ % only, at .* Hz: it may have a resonance.* give it entries of &pole" check "${table[@]}" --set medium%table=crystal.txt
refused 4 'nowhere.txt: cannot be opened' "${table[@]}" --set medium%table=nowhere.txt
sed '3s/ [^ ]*$/ -1/' salt.txt >wrong.txt
refused 4 'wrong.txt: at 1.3e.09 Hz the loss is -1, which would give energy' "${table[@]}" --set medium%table=wrong.txt
head -n 3 salt.txt >wrong.txt
refused 4 'wrong.txt: fewer than three lines of a permittivity' "${table[@]}" --set medium%table=wrong.txt
refused 3 "entry 1, 'lake', has a material and a table" poles.nml --set medium%table=salt.txt
refused 3 "table.1. = 'salt.txt' gives epsilon and sigma" "${table[@]}" --set medium%table=salt.txt --set medium%sigma=1

# ---- surfaces of triangles ---------------------------------------------------------------------------------------------

# box LOW HIGH: the triangles of a cube from LOW to HIGH along all axes
box() {
    awk -v l="$1" -v h="$2" 'function c(m) { return (m % 2 ? h : l) " " (int(m / 2) % 2 ? h : l) " " (int(m / 4) ? h : l) }
        function t(a, b, d) { print "vertex " c(a) "\nvertex " c(b) "\nvertex " c(d) }
        BEGIN { t(0, 2, 3); t(0, 3, 1); t(4, 5, 7); t(4, 7, 6); t(0, 1, 5); t(0, 5, 4); t(2, 6, 7); t(2, 7, 3); t(0, 4, 6); t(0, 6, 2); t(1, 3, 7); t(1, 7, 5) }'
}
box 6 16 >one.stl
{ box 6 16; box 10 20; } >two.stl
{ box 2 8; box 12 20; } >apart.stl
cat >stl.nml <<'END'
&case name = 'stl', model = 'maxwell' /
&grid nx = 24, ny = 24, nz = 24, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 1e-10 /
&maxwell allow_coarse = .true. /
&cpml cells = 4 /
&medium name = 'glass', epsilon = 2 /
&geometry shape = 'stl', medium = 'glass', stl = 'one.stl', stl_scale = 1e-3 /
&source kind = 'electric', x = 22e-3, y = 22e-3, z = 22e-3, frequency = 1e10 /
END
expect 0 'shape.1.: 12 triangles around 1e-06 m3, x 0.006 to 0.016' check stl.nml
holds_none 'warning: &geometry'
expect 0 'shape.1.: 24 triangles around 2e-06 m3' check stl.nml --set "geometry%stl='two.stl'"
holds_none 'warning: &geometry'
awk 'NR == 1 { first = $0; next } NR == 2 { print; print first; next } 1' two.stl >turned.stl
expect 0 'warning: &geometry: shape.1., an stl, has triangles that are not turned alike' check stl.nml --set "geometry%stl='turned.stl'"
expect 0 'warning: &geometry: shape.1., a conductor, is 0.0004[0-9]* m thick, less than a cell of 0.001 m' check stl.nml --set "geometry%medium='pec'" \
    --set "geometry%shape='box'" --set geometry%x=12e-3 --set geometry%y=12e-3 --set geometry%z=12e-3 --set geometry%turn_y=20 --set geometry%size_x=10e-3 \
    --set geometry%size_y=10e-3 --set geometry%size_z=0.5e-3
polygon=(--set "geometry%shape='polygon'" --set geometry%x=6e-3 --set geometry%y=6e-3 --set geometry%z=12e-3 --set geometry%size_z=4e-3)
expect 0 'shape.1.: 20 triangles around 1.2e-07 m3' check stl.nml "${polygon[@]}" --set geometry%corner_count=6 --set geometry%corners=0,0,9e-3,0,9e-3,2e-3,4e-3,2e-3,4e-3,5e-3,0,5e-3
expect 3 'a polygon: its sides from corner 1 and from corner 3 meet' check stl.nml "${polygon[@]}" --set geometry%corner_count=4 --set geometry%corners=0,0,9e-3,9e-3,9e-3,0,0,9e-3
whole=(--set "geometry%medium='pec'" --set geometry%corner_count=6 --set geometry%corners=0,0,9e-3,0,9e-3,2e-3,4e-3,2e-3,4e-3,5e-3,0,5e-3)
expect 0 'shape.1.: 20 triangles' check stl.nml "${polygon[@]}" "${whole[@]}" --set geometry%size_z=1e-3 --set geometry%z=12.5e-3
holds_none 'm thick, less than a cell'
expect 0 'a conductor, is 0.0007 m thick, less than a cell of 0.001 m' check stl.nml "${polygon[@]}" "${whole[@]}" --set geometry%size_z=0.7e-3 --set geometry%z=12.5e-3
pair=(check stl.nml "${polygon[@]}" --set "geometry%shape='polygon','polygon'" --set "geometry%medium='glass','glass'" --set geometry%size_z=4e-3,4e-3
    --set geometry%corner_count=3,4)
expect 0 'shape.2.: 12 triangles' "${pair[@]}" --set geometry%corners=0,0,9e-3,0,9e-3,2e-3,0,0,9e-3,0,9e-3,2e-3,0,2e-3
for corners in 0,0,9e-3,0,9e-3,2e-3,0,0,9e-3,0,9e-3,2e-3 0,0,9e-3,0,9e-3,2e-3,0,0,9e-3,0,9e-3,2e-3,0 \
    0,0,9e-3,0,9e-3,2e-3,0,0,9e-3,0,9e-3,2e-3,0,2e-3,0,1e-3; do
    expect 3 "corners holds $(tr -cd , <<<"$corners," | wc -c) numbers, the corner_counts need 14: .* in one list" "${pair[@]}" --set "geometry%corners=$corners"
done
expect 3 'has 2 corners, and needs three at least' check stl.nml "${polygon[@]}" --set geometry%corner_count=2
expect 0 'shape.1.: 24 triangles' check stl.nml --set "geometry%stl='apart.stl'"
holds_none 'warning: &geometry'
expect 0 'warning: &geometry: shape.1., an stl of x -4 to 6, .* is stl_scale right' check stl.nml --set geometry%stl_scale=1 --set geometry%x=-10 --set geometry%y=-10 --set geometry%z=-10
expect 3 "an stl, has no file: give stl.1." check stl.nml --set "geometry%stl=''"
expect 4 "cannot read the surface '.*none.stl': No such file" check stl.nml --set "geometry%stl='none.stl'"

# ---- sheets of any orientation ----------------------------------------------------------------------------------------

shell=(--set "geometry%medium='pec'" --set geometry%shell=true)
expect 0 'sheet, shape.1.: 12 triangles, closed, 0.0006 m2; drawn as stairs of 600 faces of cells, 0.0006 m2 in all' check stl.nml "${shell[@]}"
holds_none 'warning: &geometry'
head -n 30 one.stl >open.stl
refused 4 "the surface '.*open.stl' is not closed" stl.nml --set "geometry%stl='open.stl'"
expect 0 'sheet, shape.1.: 10 triangles, open, 0.0005 m2; drawn as stairs of 500 faces' check stl.nml "${shell[@]}" --set "geometry%stl='open.stl'"
refused 3 "shape.1., a shell of a stl, can be of 'pec' only, not of 'glass'" stl.nml --set geometry%shell=true
expect 0 'warning: open_ends changes nothing here: it counts with &geometry shape = .cylinder., .cone. or .polygon.' check stl.nml "${shell[@]}" --set geometry%open_ends=true
expect 0 'warning: shell changes nothing here' check stl.nml "${shell[@]}" --set "geometry%shape='layer'" --set geometry%size_z=4e-3
ball=("${shell[@]}" --set "geometry%shape='sphere'" --set geometry%radius=3e-3 --set geometry%x=12e-3 --set geometry%y=12e-3 --set geometry%z=12e-3)
for box in 10e-3,18e-3 5e-3,14e-3; do # both cut the ball
    low=${box%,*} high=${box#*,}
    expect 3 'the .* face of its box meets a sheet, shell or wire' check stl.nml "${ball[@]}" --set "monitor%name='far'" --set "monitor%kind='far'" \
        --set spectrum%frequencies=1e10 --set monitor%west=$low --set monitor%east=$high --set monitor%south=5e-3 --set monitor%north=18e-3 \
        --set monitor%bottom=5e-3 --set monitor%top=18e-3
    expect 3 'the .* face of its box, x = .* m, meets a sheet, shell or wire' check stl.nml "${ball[@]}" --set "plane_wave%direction='+z'" \
        --set plane_wave%frequency=1e10 --set "plane_wave%box=$low,$high,5e-3,18e-3,5e-3,18e-3"
done
expect 3 'port 1: .*conduct' check stl.nml "${ball[@]}" --set "source%kind='none'" --set "port%kind='lumped'" --set port%x=12e-3 --set port%y=12e-3 \
    --set port%z=14.5e-3 --set port%size_z=3e-3 --set excitation%frequency=1e10
expect 3 'source 1: its Ex lies in .pec.' check stl.nml "${ball[@]}" --set "source%axis='x'" --set source%x=12e-3 --set source%y=12e-3 --set source%z=15e-3
expect 0 'a wire: a sheet lies within two cells of it' check stl.nml --set "geometry%shape='sphere','wire'" --set "geometry%medium='pec','pec'" \
    --set geometry%shell=true,false --set geometry%radius=3e-3,1e-4 --set geometry%x=12e-3,16e-3 --set geometry%y=12e-3,12e-3 --set geometry%z=12e-3,12e-3 --set geometry%size_z=0,6e-3
# what the file holds identifies a run
expect 75 '' run stl.nml "${shell[@]}" --out shell -q --stop-after-steps 20
sed 's/16/15/' one.stl >smaller.stl
expect 8 'geometry.stl' run stl.nml "${shell[@]}" --out shell -q --restart auto --set "geometry%stl='smaller.stl'"

# ---- windows of lines ------------------------------------------------------------------------------------------------

cat >line.nml <<'END'
&case name = 'line', model = 'maxwell' /
&grid nx = 40, ny = 40, nz = 20, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_x = -20e-3, origin_y = -20e-3 /
&time duration = 4e-9 /
&cpml cells = 4 /
&geometry shape = 3*'cylinder', medium = 'pec', 'vacuum', 'pec', axis = 3*'z', radius = 15e-3, 11.5e-3, 4.7e-3 /
&port kind = 'line', axis = 'z', z = 10e-3, size_x = 26e-3, size_y = 26e-3 /
&excitation frequency = 3e9 /
&spectrum frequencies = 3e9 /
END
expect 0 'port 1: a line of 2 conductors' check line.nml
holds_none 'warning: port 1'
holds_none 'changes nothing'
expect 0 "warning: resistance changes nothing here: it counts with &port kind = 'lumped'" check line.nml --set port%resistance=75
expect 0 "warning: mode_m changes nothing here: it counts with &port kind = 'guide'" check line.nml --set port%mode_m=2
expect 0 "warning: mode_n changes nothing here: it counts with &port kind = 'guide'" check line.nml --set port%mode_n=1
expect 0 "warning: mirror changes nothing here: it counts with &monitor kind = 'far'" check line.nml --set "monitor%name='m'" --set "monitor%kind='flux_box'" --set "monitor%mirror='ground'" \
    --set monitor%west=-12e-3 --set monitor%east=12e-3 --set monitor%south=-12e-3 --set monitor%north=12e-3 --set monitor%bottom=6e-3 --set monitor%top=14e-3
holds_none 'warning: port 1'
wave=(check line.nml --set "port%kind='none'" --set "geometry%shape='none'" --set "plane_wave%frequency=3e9")
expect 0 "warning: theta changes nothing here: it counts with &plane_wave direction = 'oblique'" "${wave[@]}" --set "plane_wave%direction='+z'" --set plane_wave%theta=30
expect 0 "warning: phi changes nothing here: it counts with &plane_wave direction = 'oblique'" "${wave[@]}" --set "plane_wave%direction='+z'" --set plane_wave%phi=30
expect 0 'memory' "${wave[@]}" --set "plane_wave%direction='oblique'" --set plane_wave%theta=30
holds_none 'theta changes nothing'
expect 0 'warning: port 1: the rim of its window runs through the field of its line, 0.073 of' check line.nml --set port%size_x=20e-3 --set port%size_y=20e-3
expect 0 'warning: port 1: in its window lies no conductor but that of the signal' check line.nml --set "geometry%shape='cylinder'" \
    --set "geometry%medium='pec'" --set "geometry%radius=4.7e-3" --set port%size_x=40e-3 --set port%size_y=40e-3

# ---- a list that is set is the whole list ----------------------------------------------------------------------------

cat >shapes.nml <<'END'
&case name = 'shapes', model = 'maxwell' /
&grid nx = 24, ny = 20, nz = 22, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 4e-10 /
&cpml cells = 6 /
&medium name = 'glass', epsilon = 2 /
&geometry shape = 'box', 'sphere', medium = 2*'glass', x = 12e-3, 9e-3, y = 2*10e-3, z = 2*11e-3, radius = 0, 3e-3, size_x = 4e-3,
          size_y = 4e-3, size_z = 4e-3 /
&source kind = 'electric', x = 12e-3, y = 10e-3, z = 14e-3, waveform = 'ricker', frequency = 8e9 /
END
expect 0 'glass  .*eps_r 2' check shapes.nml
expect 0 'wall time' check shapes.nml --set geometry%shape=none
holds_none glass
expect 0 'glass  .*eps_r 2' check shapes.nml --set 'geometry%shape(1)=none'

# ---- what is doubtful, what is asked for in vain ---------------------------------------------------------------------

expect 0 'warning: source 1 lies in the absorbing layer at the top side' check shapes.nml --set source%z=0.021
expect 0 'warning: monitor lid: its plane z = 0.02 m lies in the absorbing layer at the top side' check shapes.nml \
    --set monitor%name=lid --set monitor%bottom=0.02 --set monitor%top=0.02 --set spectrum%count=1 --set spectrum%to=1e9
expect 0 'wall time' check shapes.nml --set monitor%name=lid --set monitor%bottom=0.016 --set monitor%top=0.016 \
    --set spectrum%count=1 --set spectrum%from=1e10 --set spectrum%to=1e10
holds_none 'warning: '
expect 0 'warning: at 2 of the 3 frequencies of &spectrum .the lowest 8e.10, the highest 9e.10 Hz. the sources have no more than round-off leaves' check shapes.nml \
    --set monitor%name=lid --set monitor%bottom=0.016 --set monitor%top=0.016 --set spectrum%frequencies=1e10,8e10,9e10
holds_once 'power is above 1e-4 of its peak from 4.861e.08 to 2.211e.10 Hz'
refused 3 "'medium' is known at cell centres only" shapes.nml --set output%staggered=.true. --set output%fields=Ex,medium
expect 0 'cells of 0.0005 to 0.001 m x 0.001 m x 0.001 m' check shapes.nml --set grid%size_x=12*1e-3,12*5e-4
expect 0 'Sx .*W m-2' explain output
holds_none 'warning: '

# ---- what absorbing layers will return -------------------------------------------------------------------------------

# 600 cells a wavelength: the layers are made for the spectrum's lowest frequency, ten constant ones are not.
cat >long.nml <<'END'
&case name = 'long', model = 'maxwell' /
&grid nx = 1, ny = 1, nz = 160, dx = 5e-3, dy = 5e-3, dz = 5e-3, origin_z = -0.4 /
&time duration = 1e-7 /
&boundary west = 'periodic', east = 'periodic', south = 'periodic', north = 'periodic' /
&source kind = 'electric', axis = 'x', z = -0.2, waveform = 'ricker', frequency = 1e8 /
END
expect 0 'layers bottom top: 10 cells, index 1, alpha 0.01: -54 dB of 3.19.e\+07 Hz come back in vacuum' check long.nml
holds_none 'warning: the absorbing layer'
at_20mhz=(--set monitor%name=t --set monitor%bottom=0.1 --set monitor%top=0.1 --set spectrum%from=2e7 --set spectrum%to=1e8 --set spectrum%count=4)
expect 0 'layers bottom top: 10 cells, index 1, alpha 0.00629: -5. dB of 2e\+07 Hz' check long.nml "${at_20mhz[@]}"
expect 0 'warning: the absorbing layer at the bottom side returns -. dB of waves of 3.19.e\+07 Hz in .vacuum.: leave alpha' check long.nml \
    --set cpml%alpha=0.03 --set cpml%alpha_order=0

# One index a face, between those of its media; a good conductor has no say; more cells where media differ much.
cat >faces.nml <<'END'
&case name = 'faces', model = 'maxwell' /
&grid nx = 60, ny = 1, nz = 60, dx = 2e-3, dy = 2e-3, dz = 2e-3 /
&time duration = 1e-9 /
&boundary south = 'periodic', north = 'periodic' /
&medium name = 'water', epsilon = 81 /
&geometry shape = 'half_space', medium = 'water', side = 'below', z = 0.06 /
&source kind = 'electric', axis = 'y', x = 0.06, z = 0.08, waveform = 'ricker', frequency = 7e8 /
END
expect 0 'layers west east: 10 cells, index 3,.* come back in water' check faces.nml
grep -q 'layers top: 10 cells, index 1,.* come back in vacuum' told && grep -q 'layers bottom: 10 cells, index 9,.* in water' told ||
    fail 'top and bottom have indices of their own'
expect 0 'warning: the absorbing layer at the west side returns -3. dB of waves of .* Hz in .*: cells = 1. would return -4. dB' check faces.nml
expect 0 'layers west east: 16 cells, index 3' check faces.nml --set cpml%cells=16
holds_none 'warning: the absorbing layer'
expect 0 'layers west east top: 10 cells, index 1,.* in vacuum' check faces.nml --set medium%epsilon=1 --set medium%mu=1000 \
    --set medium%sigma=1.4e6 --set maxwell%allow_coarse=.true.
holds_none 'in water'

# ---- runs in which nothing happens, or not what was meant ------------------------------------------------------------

# told TEXT ARGUMENT...: a warning of check and of run
told() {
    local text=$1
    shift
    expect 0 "warning: $text" check "$@"
    expect 0 "warning: $text" run "$@" --out doubtful --force
}
short=(long.nml --set time%duration=5e-8)
expect 0 'wall time' check "${short[@]}"
holds_none 'warning: '
told 'nothing drives this run, all fields stay 0' "${short[@]}" --set source%kind=none
told 'source 1 begins at 1 s, after the end of the run .time%duration = 5e-08 s' "${short[@]}" --set source%delay=1.000000015
told 'the run ends at 5e-08 s, before source 1 is over at 7.512e-08 s' "${short[@]}" --set source%delay=6e-8
told 'the run ends at 5e-08 s, while source 1 still rises, until 6e-08 s' "${short[@]}" --set source%delay=6e-8 --set source%waveform=ramped_sine
told 'a .ramped_sine. does not end: spectra and .power. of monitors lack' "${short[@]}" "${at_20mhz[@]}" --set source%waveform=ramped_sine
told 'source 1 leaves charge behind' "${short[@]}" --set stop%energy=1e-6 --set source%waveform=gaussian
expect 0 'wall time' check "${short[@]}" --set stop%energy=1e-6 --set source%waveform=modulated_gaussian --set source%bandwidth=1e8
holds_none 'warning: '

# A pulse of 0.2 ns has the band of its pairs, with a zero 1 ms later as without.
printf '0 0\n1e-10 1\n2e-10 0\n1e-3 0\n' >tail.txt
fine=(--set grid%dz=4e-3 --set source%waveform=file --set source%file=tail.txt "${at_20mhz[@]}")
expect 0 'power above 1e-4 of its peak from 0 to 2.[5-9].*e\+10 Hz; over after 2e-10 s' check "${short[@]}" "${fine[@]}"
expect 0 'a sample every 1 steps' check "${short[@]}" "${fine[@]}"
expect 3 'error: 6.* cells a wavelength in vacuum at 7.3.*e\+09 Hz' check "${short[@]}" "${fine[@]}" --set grid%dz=6e-3

# A spectrum that time steps cannot show.
refused 3 'error: &spectrum: 1e\+11 Hz is more than steps of 1.651.*e-11 s show, which is 3.02.*e\+10 Hz' "${short[@]}" "${at_20mhz[@]}" \
    --set spectrum%to=1e11

# The mode of the whole plane where a smaller guide is painted.
cat >guide.nml <<'END'
&case name = 'guide', model = 'maxwell' /
&grid nx = 28, ny = 16, nz = 60, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_x = -3e-3, origin_y = -3e-3 /
&time duration = 2e-9 /
&boundary west = 'pec', east = 'pec', south = 'pec', north = 'pec' /
&geometry shape = 'box', 'box', medium = 'pec', 'vacuum', x = 2*11e-3, y = 2*5e-3, size_x = 1, 22e-3, size_y = 1, 10e-3 /
&source kind = 'mode', axis = 'z', x = 11e-3, y = 5e-3, z = 20e-3, waveform = 'modulated_gaussian', frequency = 10e9, bandwidth = 4e9 /
END
told 'source 1: 222 of the 432 edges that its mode drives lie in .pec. .*28 x 16 cells .*, size_a and size_b' guide.nml
expect 0 'wall time' check guide.nml --set source%size_a=22e-3 --set source%size_b=10e-3
holds_none 'warning: '

# An oblique wave on cells of several sizes.
cat >oblique.nml <<'END'
&case name = 'oblique', model = 'maxwell' /
&grid nx = 50, ny = 1, nz = 50, dy = 5e-3, dz = 5e-3, origin_x = -0.125, origin_z = -0.125 /
&time duration = 3e-9 /
&boundary south = 'periodic', north = 'periodic' /
&plane_wave direction = 'oblique', theta = 50, box = -0.06, 0.06, -1, 1, -0.06, 0.06, waveform = 'ricker', frequency = 2e9 /
END
told 'cells along x are 0.004 to 0.005 m large in the box of this oblique wave: it leaks' oblique.nml --set grid%size_x=20*5e-3,10*4e-3,20*5e-3
for even in grid%size_x=50*5e-3 grid%size_x=6*4e-3,44*5e-3; do
    expect 0 'wall time' check oblique.nml --set grid%dx=5e-3 --set "$even"
    holds_none 'warning: '
done
cat >over.nml <<'END'
&case name = 'over', model = 'maxwell' /
&grid nx = 50, ny = 1, nz = 50, dx = 5e-3, dy = 5e-3, dz = 5e-3, origin_x = -0.125, origin_z = -0.125 /
&time duration = 5e-9 /
&boundary south = 'periodic', north = 'periodic' /
&medium name = 'ground', epsilon = 4, sigma = 0.01 /
&geometry shape = 'half_space', 'sphere', medium = 'ground', 'pec', side = 'below', z = 0, radius = 0, 0.01 /
&plane_wave direction = 'oblique', theta = 130, box = -0.05, 0.05, -1, 1, -0.05, 0.05, waveform = 'ricker', frequency = 1e9, layers = .true. /
END
expect 0 'wall time' check over.nml
holds_none 'warning: '
refused 3 'layers = .true. is for a wave that comes from above' over.nml --set plane_wave%theta=50
refused 3 'layers = .true. needs a wave that ends' over.nml --set plane_wave%waveform=ramped_sine
refused 3 'layers = .true., and around its box there are several media at z = ' over.nml --set geometry%x=0,0.06
refused 3 'layers = .true., and the highest layer, in which the wave comes, is not the background' over.nml --set geometry%side=above --set medium%sigma=0
refused 3 'layers = .true. needs cells of one size along x' over.nml --set grid%size_x=20*5e-3,10*4e-3,20*5e-3
refused 3 'the plane wave comes to layers, and so does what is scattered' over.nml --set monitor%name=sky --set monitor%kind=far --set grid%ny=30 \
    --set boundary%south=cpml --set boundary%north=cpml --set grid%origin_y=-0.075 --set spectrum%frequencies=1e9 \
    --set plane_wave%box=-0.05,0.05,-0.01,0.01,-0.05,0.05 --set monitor%west=-0.06 --set monitor%east=0.06 --set monitor%south=-0.015 \
    --set monitor%north=0.015 --set monitor%bottom=-0.06 --set monitor%top=0.06
told 'layers changes nothing here' over.nml --set plane_wave%direction=-z --set "geometry%shape='none','none'"
expect 0 'theta changes nothing here' check oblique.nml --set grid%dx=5e-3 --set plane_wave%direction=+z
holds_none 'it leaks'

# Numbers that are names have no mean.
expect 0 '^digest' run shapes.nml --out labels -q --set output%fields=Ex,medium
ncdump -h labels/profiles.nc >told
checks=$((checks + 1))
grep -q 'Ex(time, z)' told || fail 'profiles are not there'
holds_none '\(float\|double\) medium('

# ---- amplitudes -------------------------------------------------------------------------------------------------------

cat >strong.nml <<'END'
&case name = 'strong', model = 'maxwell' /
&grid nx = 12, ny = 12, nz = 12, dx = 5e-3, dy = 5e-3, dz = 5e-3 /
&time duration = 2e-10 /
&cpml cells = 3 /
&maxwell allow_coarse = .true. /
&source kind = 'electric', axis = 'z', x = 0.03, y = 0.03, z = 0.03, waveform = 'ricker', frequency = 5e9 /
END
# A current I of one cell makes dt I / (eps0 V) in a step: 9.53e-12 s x 1e30 A m / (8.854e-12 F/m x 1.25e-7 m3) = 8.6e36 V/m.
refused 3 'source 1 makes a field of 8.61e.36 V/m in a step.* give an amplitude below 1.16e.11' strong.nml --set source%amplitude=1e30
refused 3 'source 1 makes a field of 1.5e.18 V/m' strong.nml --set source%drive=soft --set source%amplitude=-1.5e18
refused 3 'the plane wave makes a field of 2e.18 V/m' strong.nml --set plane_wave%direction=+x --set plane_wave%margin=1 \
    --set plane_wave%amplitude=2e18 --set plane_wave%frequency=5e9
printf '0 0\n1e-10 -3e18\n2e-10 0\n' >strong.txt
refused 3 'source 1 makes a field of 3e.18 V/m' strong.nml --set source%drive=soft --set source%waveform=file --set source%file=strong.txt
expect 0 'amplitude of 0: it does nothing' check strong.nml --set source%amplitude=0
expect 0 'products of such fields vanish' check strong.nml --set source%amplitude=1e-40
expect 0 'wall time' check strong.nml --set source%amplitude=1e11
holds_none 'makes a field'

# ---- the line of progress: a number of the series where one was taken, none where the start alone was measured --------

expect 75 'stopped' run strong.nml --out progress --stop-after-steps 5
checks=$((checks + 1))
grep -q 'sferic: step 5 ' told || fail 'no line of progress'
holds_none 'step .* energy'
expect 0 'step [1-9].* energy [1-9]' run strong.nml --out progress --force --set time%series_interval=2e-11

# ---- fields that do not lie where they were asked for, and layers that do not fit ------------------------------------

cat >moved.nml <<'END'
&case name = 'moved', model = 'maxwell' /
&grid nx = 20, ny = 20, nz = 8, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 4e-10 /
&boundary west = 'periodic', east = 'periodic' /
&cpml cells = 3 /
&source kind = 'electric', axis = 'z', x = 10e-3, y = 10e-3, z = 4e-3, waveform = 'ricker', frequency = 8e9 /
&monitor name = 'floor', kind = 'fields', bottom = 0, top = 0 /
&monitor name = 'end', kind = 'fields', west = 5e-3 /
&spectrum frequencies = 8e9 /
END
expect 0 'warning: monitor floor: its plane z = 0 m lies on a side of the domain: .* z = 0.0005 m' check moved.nml
expect 0 'warning: monitor end: it ends at a periodic side along x and begins elsewhere' check moved.nml
expect 0 'cells = 5 would return -4. dB, in a domain of more cells: 3 fit this one' check moved.nml
expect 0 'wall time' check moved.nml --set output%staggered=.true.
holds_none 'warning: monitor'
expect 0 'wall time' check moved.nml --set monitor%bottom=1e-3,-1 --set monitor%top=1e-3,1 --set monitor%west=-1,0
holds_none 'warning: monitor'

# ---- on the upper side of a graded mesh, whose sizes add up but for round-off ----------------------------------------

cat >upper.nml <<'END'
&case name = 'upper', model = 'maxwell' /
&grid nx = 1, ny = 1, nz = 16, dx = 5e-3, dy = 5e-3, size_z = 8*5e-3, 5.5e-3, 6e-3, 6*6.5e-3, origin_z = -0.04 /
&time duration = 2e-10 /
&boundary west = 'periodic', east = 'periodic', south = 'periodic', north = 'periodic', bottom = 'pec', top = 'pec' /
&source kind = 'electric', axis = 'x', z = 0, waveform = 'ricker', frequency = 3e9 /
&maxwell allow_coarse = .true. /
&monitor name = 'top', kind = 'fields', bottom = 0.0505, top = 0.0505 /
&spectrum frequencies = 1e9 /
&output fields = 'Ex', probe_x = 0, probe_y = 0, probe_z = 0.0505, region = -1e9, 1e9, -1e9, 1e9, 0.0505, 0.0505 /
END
expect 0 'wall time' check upper.nml
refused 3 'probe 1 at z = 0.0506 m lies outside' upper.nml --set output%probe_z=0.0506
refused 3 'outside the domain, -0.04 to 0.0505 m' upper.nml --set monitor%bottom=0.0506 --set monitor%top=0.0506
refused 3 'from 0.0506 to 0.0506 m along z it lies outside' upper.nml --set output%region=-1e9,1e9,-1e9,1e9,0.0506,0.0506

# ---- conductors that cut cells ---------------------------------------------------------------------------------------

cat >cut.nml <<'END'
&case name = 'cut', model = 'maxwell' /
&grid nx = 40, ny = 40, nz = 40, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 2e-11 /
&maxwell conformal = 0.8, allow_coarse = .true. /
&geometry shape = 'sphere', x = 20e-3, y = 20e-3, z = 20e-3, radius = 4.4e-3 /
&source kind = 'electric', axis = 'z', x = 12e-3, y = 20e-3, z = 20.5e-3, frequency = 1e10 /
END
near=(--set 'plane_wave%direction=+z' --set plane_wave%frequency=1e10 --set source%kind=none --set plane_wave%box=13e-3,27e-3,13e-3,27e-3)
far=(--set monitor%name=m --set monitor%kind=far --set monitor%west=11e-3 --set monitor%east=27e-3 --set monitor%south=13e-3
    --set monitor%north=27e-3 --set monitor%top=27e-3 --set spectrum%frequencies=1e10)
surface=(--set source%axis=x --set source%x=15.5e-3 --set source%z=20e-3)
expect 0 's = 0.8: 366 edges and 732 faces are cut, [0-9]+ of .* 1.24 times as many' check cut.nml
expect 0 'Courant number 0.8 of 1' check cut.nml
expect 0 'Courant number 0.99 of 1' check cut.nml --set geometry%shape=box --set geometry%size_x=4e-3 --set geometry%size_y=6e-3 --set geometry%size_z=2e-3
holds_none 'are cut\|drawn as stairs'
expect 0 'the surface of shape.1. does not follow them, and is drawn as stairs' check cut.nml --set maxwell%conformal=0
expect 0 'shape.1. is thinner than a cell, or its diameter less than two: it is drawn in whole cells' check cut.nml --set geometry%radius=0.9e-3
refused 3 'crossed by a wall thinner than a cell, the first along y at' cut.nml --set geometry%shape=sphere,sphere --set geometry%medium=pec,vacuum \
    --set geometry%x=2*20e-3 --set geometry%y=2*20e-3 --set geometry%z=2*20e-3 --set geometry%radius=4.4e-3,3.9e-3
refused 3 'is known at centres of cells only: set staggered' cut.nml --set output%staggered=.true.
expect 0 'wall time' check cut.nml "${surface[@]}"
refused 3 'source 1: its Ex lies on the surface of .pec., which cuts its cell .maxwell%conformal.: .* drive = .current.' cut.nml "${surface[@]}" --set source%drive=hard
expect 0 'wall time' check cut.nml "${near[@]},14e-3,27e-3"
refused 3 'the bottom face of its box, z = 0.015 m, meets the surface of .pec.' cut.nml "${near[@]},15e-3,27e-3"
expect 0 'wall time' check cut.nml "${far[@]}" --set monitor%bottom=14e-3
refused 3 'the bottom face of its box meets the surface of .pec.' cut.nml "${far[@]}" --set monitor%bottom=15e-3

# ---- wires thinner than a cell ---------------------------------------------------------------------------------------

cat >wire.nml <<'END'
&case name = 'wire', model = 'maxwell' /
&grid nx = 40, ny = 40, nz = 40, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 2e-11 /
&maxwell allow_coarse = .true. /
&medium name = 'glass', epsilon = 2 /
&geometry shape = 'wire', x = 20e-3, y = 20e-3, z = 20e-3, size_z = 8e-3, radius = 1e-4 /
&source kind = 'electric', axis = 'z', x = 12e-3, y = 20e-3, z = 20.5e-3, frequency = 1e10 /
END
two() { # SHAPE KEY=VALUE...: another shape
    local set
    second=(--set "geometry%shape=wire,$1")
    for set in "${@:2}"; do second+=(--set "geometry%$set"); done
}
expect 0 'shape.1.: 8 edges along z from 0.016 to 0.024 m; radius 0.0001 m, that of the grid 0.0001985 m; epsilon beside it times 0.6961 along x, 0.6961 along y; an open end acts as if it lay 0.61 cells, 0.00061 m, farther out' \
    check wire.nml
holds_once 'thin wires leave 0.934 of the longest step of the grid; H has media of its own'
holds_once 'Courant number 0.9343 of 1'
holds_none 'within two cells\|cells across it differ'
refused 3 'light through the cells beside the thinnest wire' wire.nml --set time%dt=1.85e-12
expect 0 'radius 0.0001985 m, that of the grid 0.0001985 m; an open end' check wire.nml --set geometry%radius=0
holds_once 'Courant number 0.99 of 1'
holds_none 'thin wires'
expect 0 'shape.1.: 40 edges along z' check wire.nml --set geometry%size_z=1 --set geometry%x=11e-3
holds_none 'within two cells\|cells across it differ'
refused 3 'lies in the absorbing layer at the west side or touches it: its line must lie at x = 0.011 m or farther' wire.nml --set geometry%x=10e-3
expect 0 'wall time' check wire.nml --set geometry%x=10e-3 --set geometry%radius=0
refused 3 'has a radius of 0.00045 m, more than 0.4 of the cells across it, 0.001 m' wire.nml --set geometry%radius=4.5e-4
refused 3 'a wire, can be of .pec. only, not of .glass.' wire.nml --set geometry%medium=glass
two sphere 'x=20e-3,23e-3' y=2*20e-3 z=2*20e-3 'radius=1e-4,2.2e-3'
refused 3 'lies beside cells that a conductor cuts' wire.nml "${second[@]}" --set maxwell%conformal=0.8
expect 0 'a wire: a conductor lies within two cells of it, where its radius of 0.0001 m is not exact' check wire.nml "${second[@]}"
two half_space medium=pec,glass axis=z,x x=20e-3,22e-3
expect 0 'wall time' check wire.nml "${second[@]}" --set source%x=24e-3
holds_none 'within two cells'
two half_space medium=pec,glass axis=z,x x=20e-3,21e-3
expect 0 'an interface of media lies within two cells' check wire.nml "${second[@]}" --set source%x=24e-3
two sheet axis=z,z z=20e-3,16e-3 size_x=1,0.01 x=2*20e-3 y=2*20e-3 # on which it stands
expect 0 'wall time' check wire.nml "${second[@]}"
holds_none 'within two cells'
holds_once 'sheet, shape(2): 10 cells, 0.01 m along x, which act as 0.0107071 m: 2 free rims of 0.3536 cells$'
two sheet axis=z,z z=20e-3,17e-3 size_x=1,0.01 x=2*20e-3 y=2*20e-3
expect 0 'a sheet lies within two cells' check wire.nml "${second[@]}"
two wire axis=z,z x=20e-3,22e-3 y=2*20e-3 z=2*20e-3 size_z=8e-3,4e-3 radius=2*1e-4
expect 0 'shape.1., a wire: another wire lies within two cells' check wire.nml "${second[@]}"
holds_once 'shape(2), a wire: another wire lies within two cells'
two wire axis=z,x x=2*20e-3 y=2*20e-3 z=2*20e-3 size_x=1,6e-3 radius=2*1e-4 # a cross
expect 0 'wall time' check wire.nml "${second[@]}"
holds_none 'within two cells'
expect 0 'a conducting side lies within two cells' check wire.nml --set boundary%west=pec --set geometry%x=1e-3
expect 0 'its own image, across a periodic side, lies within two cells' check wire.nml --set boundary%west=periodic --set boundary%east=periodic --set grid%nx=3 \
    --set geometry%x=1e-3 --set source%x=2e-3
expect 0 'cells across it differ' check wire.nml --set 'grid%size_x=18*1e-3,1.02e-3,21*1e-3'
expect 3 'the west face of its box meets a sheet, shell or wire' check wire.nml "${far[@]}" --set monitor%west=21e-3 --set monitor%bottom=13e-3
expect 0 'wall time' check wire.nml "${far[@]}" --set monitor%west=22e-3 --set monitor%bottom=13e-3

# ---- the reference run -----------------------------------------------------------------------------------------------

quick=(--set time%duration=3e-9 -q)
refused 4 "spectrum%reference=nowhere" "$slab" --set spectrum%reference=nowhere
holds_once "is no reference for this run"
expect 0 '^digest' run "$slab" --set geometry%shape=none --out reference "${quick[@]}"
expect 0 'wall time' check "$slab" --set spectrum%reference=reference
refused 4 "other values of 'frequency'" "$slab" --set spectrum%reference=reference --set spectrum%count=40
refused 4 "plane_wave: amplitude is 1 V m-1 there, 2 V m-1 here; a reference has the mesh, the sources" "$slab" \
    --set spectrum%reference=reference --set plane_wave%amplitude=2
refused 4 "monitor_behind: bounds is 0, 0.005, 0, 0.005, 0.15, 0.15 m there, 0, 0.005, 0, 0.005, 0.195, 0.195 m here" "$slab" --set spectrum%reference=reference \
    --set monitor%bottom=0.195,-0.1 --set monitor%top=0.195,-0.1
refused 4 "other values of 'x_f': number 2 is 0.005 m there, 0.004 m here" "$slab" --set spectrum%reference=reference --set grid%dx=4e-3
expect 0 "warning: .transmission. is left out where the reference 'reference' has nothing but round-off: monitor 'before' at 41 of 41" check "$slab" \
    --set spectrum%reference=reference --set cpml%cells=12 --set time%duration=2e-8 --set pipeline%threads=1
refused 4 "it lacks 'beyond'" "$slab" --set spectrum%reference=reference --set monitor%name=beyond,before
# `before` holds round-off there.
expect 0 '^digest' run "$slab" --set spectrum%reference=reference --out shares "${quick[@]}"
checks=$((checks + 1))
ncdump -v transmission shares/flux.nc >told
grep -q 'transmission:comment = "left out where the reference is nothing, or less than five times its flux_round_off' told &&
    [ "$(sed '1,/^ transmission =/d' told | grep -cE '^  [0-9.e+-]+, _')" = 41 ] || fail 'shares of round-off are not left out'

echo "$wrong of $checks checks went wrong"
[ "$wrong" = 0 ]
