#!/bin/bash
# Ports from the command line: one run for each, what is done stays, what stopped goes on; an empty guide returns nothing; all power of
# an antenna is radiated; what cannot be is refused. `SFERIC=binary tests/ports.sh` SPDX-License-Identifier: MIT
set -uo pipefail
export LC_ALL=C.UTF-8 OMP_WAIT_POLICY=passive
: "${SFERIC:?the program}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail() {
    echo "FAILED: $1"
    failed=1
}

# expect CODE PATTERN ARGUMENT...: how `sferic` ends, and what it says
expect() {
    local code=$1 pattern=$2 rc
    shift 2
    "$SFERIC" "$@" >said.txt 2>&1
    rc=$?
    [ $rc = "$code" ] || { fail "sferic $*: exit code $rc, not $code"; tail -5 said.txt; }
    grep -q -- "$pattern" said.txt || { fail "sferic $*: says nothing of '$pattern'"; tail -5 said.txt; }
}

# ---- a guide -----------------------------------------------------------------------------------------------------------

cat >guide.nml <<'END'
&case name = 'guide', model = 'maxwell' /
&grid nx = 36, ny = 10, nz = 4, dx = 2.286e-3, dy = 2.286e-3, dz = 2.54e-3 /
&time duration = 60e-9 /
&maxwell allow_coarse = .true. /
&boundary south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /
&cpml cells = 8 /
&port kind = 'guide', 'guide', axis = 'x', 'x', x = 0.03, 0.052, toward = '+', '-', y = 2*0.01143, z = 2*0.00508 /
&excitation frequency = 9e9, bandwidth = 3e9 /
&spectrum from = 6e9, to = 10e9, count = 5 /
END

# The runs that are to come: one done, one stopped on its way.
"$SFERIC" run guide.nml --out both/port_1 -q --set excitation%port=1 >/dev/null || fail "the first port"
"$SFERIC" run guide.nml --out both/port_2 -q --set excitation%port=2 --stop-after-steps 300 >/dev/null 2>&1
[ $? = 75 ] || fail "a run that stops does not end with 75"
first=$(stat -c %Y.%s both/port_1/ports.nc)
expect 0 'port 1, 1 of 2: done before' ports guide.nml --out both
grep -q 'port 2, 2 of 2: goes on' said.txt || fail "the second port does not go on"
grep -q '1 of 5 frequencies are left out' said.txt || fail "6 GHz lies below the cut-off, and is not left out"
[ "$first" = "$(stat -c %Y.%s both/port_1/ports.nc)" ] || fail "what was done is done again"
"$SFERIC" ports guide.nml --out anew -q >/dev/null || fail "sferic ports"
cmp both/guide.s2p anew/guide.s2p || fail "a run that goes on has other parameters"
# S11 S21 S12 S22 of both runs together: what layers return is in a of the other port, and counts for nothing.
grep -v '^[!#]' anew/guide.s2p | awk '
    { s11 = sqrt($2^2 + $3^2); s21 = sqrt($4^2 + $5^2); n++
      if (s11 > 1e-5 || s21 < 0.99999 || s21 > 1.00001) { print; bad = 1 } }
    END { exit bad || n != 4 }' || fail "an empty guide reflects, or lets not all through"
grep -q '^! port 2 is a guide' anew/guide.s2p || fail "Touchstone does not tell of guides"
ncdump -h anew/sparameters.nc | grep 's_re(frequency, port, driven)' >/dev/null || fail "no s_re in sparameters.nc"
expect 2 'holds a run of another case, whose time%duration differs.*--force' ports guide.nml --out anew --set time%duration=59e-9
expect 2 'whose cpml%cells differs' ports guide.nml --out anew --set cpml%cells=9
# What no port sees may change.
expect 0 'port 2, 2 of 2: done before' ports guide.nml --out anew --set "case%title='Another'" --set "output%fields='Ez'" --set time%series_interval=1e-9
expect 0 'port 2, 2 of 2' ports guide.nml --out anew --set time%duration=59e-9 --force
if grep -q 'done before' said.txt; then fail "--force does not run anew"; fi

# ---- an antenna --------------------------------------------------------------------------------------------------------

# What goes in at the port of wires without losses is radiated: both to what single precision leaves of sums, 5e-4 seen.
cat >wire.nml <<'END'
&case name = 'wire', model = 'maxwell' /
&grid nx = 28, ny = 28, nz = 44, dx = 2e-3, dy = 2e-3, dz = 2e-3, origin_x = -0.028, origin_y = -0.028, origin_z = -0.045 /
&time duration = 6e-9 /
&cpml cells = 8 /
&geometry shape = 2*'sheet', axis = 2*'y', z = -0.010, 0.010, size_x = 2*1e-6, size_z = 2*0.0181 /
&port kind = 'lumped', resistance = 70 /
&excitation frequency = 4e9, bandwidth = 4e9 /
&monitor name = 'sky', kind = 'far', west = -0.01, east = 0.01, south = -0.01, north = 0.01, bottom = -0.0251, top = 0.0251, phi_count = 1 /
&spectrum frequencies = 3.5e9, 4.5e9 /
END
expect 0 'least reflection' ports wire.nml --out wire
numbers() { ncdump -p 9,9 -v "$2" "$1" | sed -n '/^data:/,$p' | grep -A999 "$2 =" | tr -d ' ;}' | tr ',=' '\n\n' | grep -E '^[-0-9.e]+$'; }
numbers wire/port_1/far_sky.nc efficiency | awk '{ n++; if ($1 < 0.998 || $1 > 1.002) { print; bad = 1 } } END { exit bad || n != 2 }' ||
    fail "the power of the port is not what is radiated"
paste <(numbers wire/port_1/far_sky.nc gain_max) <(numbers wire/port_1/far_sky.nc realised_gain_max) \
    <(numbers wire/port_1/ports.nc s_re) <(numbers wire/port_1/ports.nc s_im) |
    awk '{ n++; d = $2 - (1 - $3^2 - $4^2) * $1; if (d > 1e-6 || d < -1e-6 || $1 < 1.5 || $1 > 1.8) { print; bad = 1 } } END { exit bad || n != 2 }' ||
    fail "realised gain is not gain without what is reflected"
far=wire/port_1/far_sky.nc
for n in efficiency directivity gain realised_gain gain_max realised_gain_max; do numbers $far $n >"wire/$n"; done
paste wire/gain wire/directivity wire/realised_gain |
    awk -v e="$(paste -sd ' ' wire/efficiency)" -v g="$(paste -sd ' ' wire/gain_max)" -v r="$(paste -sd ' ' wire/realised_gain_max)" '
        BEGIN { split(e, eta); split(g, gain); m = split(r, realised) }
        { is[NR] = $1; of[NR] = $2; offered[NR] = $3 }
        END {
            if (!NR || m != 2 || NR % 2) exit 1
            for (i = 1; i <= NR; i++) {
                f = i > NR / 2 ? 2 : 1; if (is[i] > most[f]) most[f] = is[i]
                d = is[i] - eta[f] * of[i]; s = offered[i] - is[i] * realised[f] / gain[f]
                if (d > 1e-6 || d < -1e-6 || s > 1e-6 || s < -1e-6) bad = 1
            }
            exit bad || most[1] != gain[1] || most[2] != gain[2]
        }' || fail "the gain of directions is not their directivity times the efficiency"
# On the plane of a magnetic conductor half of the antenna is all of it.
"$SFERIC" ports wire.nml --out half -q --set grid%nx=14 --set grid%origin_x=0 --set "boundary%west='pmc'" --set monitor%west=0 >/dev/null ||
    fail "half of an antenna"
paste <(numbers wire/port_1/ports.nc input_resistance) <(numbers half/port_1/ports.nc input_resistance) \
    <(numbers wire/port_1/far_sky.nc efficiency) <(numbers half/port_1/far_sky.nc efficiency) |
    awk '{ n++; d = $2 / $1 - 1; e = $4 / $3 - 1; if (d^2 > 1e-6 || e^2 > 1e-6) { print; bad = 1 } } END { exit bad || n != 2 }' ||
    fail "the half of an antenna is another one"

# A port beside a plane of symmetry has an image of its own: no efficiency is told.
"$SFERIC" run wire.nml --out aside -q --set grid%origin_x=-0.03 --set "boundary%west='pmc'" --set grid%nx=30 --set monitor%west=-1 \
    --set monitor%east=0.01 >/dev/null || fail "an antenna beside a magnetic conductor"
ncdump -v efficiency aside/far_sky.nc | grep 'efficiency = _, _ ;' >/dev/null || fail "efficiency of an antenna and its image"

# A run of other files is another run.
printf '0 0\n1e-10 1\n2e-10 -1\n3e-10 0\n' >pulse.txt
pulse=(--set "excitation%waveform='file'" --set "excitation%file='pulse.txt'" --set time%duration=5e-10)
expect 0 'least reflection' ports wire.nml --out file "${pulse[@]}"
expect 0 'done before' ports wire.nml --out file "${pulse[@]}"
printf '0 0\n1e-10 1\n2e-10 -2\n3e-10 0\n' >pulse.txt
expect 2 'holds a run of another case, whose excitation%file differs' ports wire.nml --out file "${pulse[@]}"

# ---- what is refused ---------------------------------------------------------------------------------------------------

bad() { # PATTERN SET...: the antenna with that is refused
    local pattern=$1 set=()
    shift
    for s in "$@"; do set+=(--set "$s"); done
    expect 3 "$pattern" check wire.nml "${set[@]}"
}
bad "element: number 1 has neither resistance nor inductance" element%x=0.004
bad 'lies in .pec. that &geometry paints: leave a gap' port%z=-0.005
bad 'shares an edge with element 1' element%x=0 element%resistance=5
bad 'out of the domain' port%x=0.05
bad 'in the absorbing layer at the west side' port%x=-0.02
bad 'port = 2, and &port has no such entry: there are 1 ports' excitation%port=2
bad 'is less than half a cell' element%x=0.004 element%resistance=5 element%size_z=1e-4 element%z=0.001
bad 'must lie between' "port%kind='guide'" "port%axis='z'" port%size_x=0.01 port%size_y=0.01 port%z=0.03
expect 0 'upper end along z, at .* m, touches no conductor with 1 of its 1 lines' check wire.nml --set "geometry%shape='sheet','none'"
expect 3 "'pec' lies in its guide" check guide.nml --set "geometry%shape='box'" --set geometry%x=0.03 --set geometry%y=0.0114 --set geometry%z=0.005 \
    --set geometry%size_x=0.005 --set geometry%size_y=0.005 --set geometry%size_z=0.0026
expect 3 'has no conducting wall at y' check guide.nml --set "boundary%south='pmc'"
expect 3 'has no conducting wall at y' check guide.nml --set port%size_y=0.01,0.01
expect 0 'warning: port 1: behind its source lies the west side, which does not absorb' check guide.nml --set "boundary%west='pec'"
expect 0 'warning: port 1: its mode has no waves up to' check guide.nml --set port%mode_m=3,1
expect 3 'port 1 is driven, and so is another source' check wire.nml --set "source%kind='electric'" --set source%x=0.01 --set source%frequency=4e9
expect 3 'none of the 2 frequencies' ports guide.nml --out none --set spectrum%to=6.4e9 --set spectrum%count=2
expect 3 'fills its guide, which has losses' check guide.nml --set "medium%name='wet'" --set medium%sigma=1 --set "geometry%background='wet'"
expect 3 'not of one size' check guide.nml --set grid%size_y=5*2e-3,5*2.5e-3
# TE_10 of 10 cells: sin(pi f dt) / (c dt) = sin(pi / 20) / d
expect 0 'port 1: TE_1,0 of a guide of 10 x 4 cells, normal to x; cut-off at 6.53.*e.09 Hz' check guide.nml

# ---- a line ------------------------------------------------------------------------------------------------------------

cat >line.nml <<'END'
&case name = 'line', model = 'maxwell' /
&grid nx = 34, ny = 12, nz = 7, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_y = -6e-3 /
&time duration = 4e-9 /
&boundary south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /
&cpml cells = 10 /
&medium name = 'board', epsilon = 3 /
&geometry shape = 'box', 'sheet', medium = 'board', 'pec', axis = 2*'z', z = 0, 2e-3, size_z = 4e-3, 0, size_y = 1e9, 4e-3 /
&port kind = 2*'line', axis = 2*'x', x = 14e-3, 20e-3, z = 2*2e-3, toward = '+', '-' /
&excitation frequency = 4e9, bandwidth = 4e9 /
&spectrum from = 2e9, to = 6e9, count = 3 /
END
expect 0 'port 2   least reflection  *-[4-9]' ports line.nml --out line
impedance=$(sed -n 's/^# Hz S RI R //p' line/line.s2p)
expect 0 "port 1: a line of 2 conductors, normal to x; the signal is on that at (0.014, 0, 0.002) m; Z0 ${impedance:0:4}" check line.nml
awk -v z="$impedance" 'BEGIN { exit !(z > 40 && z < 80) }' || fail "Touchstone has not the line's impedance"
bad_line() { # PATTERN SET...
    local pattern=$1 set=()
    shift
    for s in "$@"; do set+=(--set "$s"); done
    expect 3 "$pattern" check line.nml "${set[@]}"
}
bad_line 'port 1: there is one conductor alone in its window' "geometry%shape='box'"
bad_line 'conductors in its window reach its rim' port%size_y=3e-3,3e-3
bad_line 'conductors in its window reach its rim' port%size_y=5e-3 port%y=3e-3
bad_line 'its line is filled by what loses energy' medium%sigma=1e-3
bad_line 'its line is filled by what has poles' "pole%medium='board'" "pole%kind='debye'" pole%strength=1 pole%tau=1e-11
bad_line 'its line changes within the cells from its source' geometry%size_x=1e9,12e-3 geometry%x=0,19.5e-3
bad_line 'its window reaches a periodic side along y' "boundary%south='periodic'" "boundary%north='periodic'"
bad_line 'must lie between' port%x=11e-3
expect 0 'warning: port 1: behind its source lies the west side' check line.nml --set "boundary%west='pmc'"
expect 0 'warning: port 1: above .* Hz other modes travel on its line' check line.nml --set medium%epsilon=1 --set excitation%frequency=20e9 \
    --set maxwell%allow_coarse=.true.

expect 3 'has no ports' ports guide.nml --set "port%kind='none','none'"
expect 0 'nothing drives this run' check wire.nml --set excitation%port=0

[ $failed = 0 ] && echo "ports: all good"
exit $failed
