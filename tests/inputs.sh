#!/bin/bash
# Files that an EM namelist names: found beside it, kept beside the output, known to a checkpoint.
#   SFERIC  the program
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
: "${SFERIC:?the path of the binary under test}"
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_inputs_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
fail() { echo "$*"; wrong=$((wrong + 1)); }
digest() { sed -n 's/^digest //p' "$1"; }

mkdir case elsewhere
for n in 0 1 2 3 4 5 6 7 8 9 10; do echo "$n"e-11 "$((n % 3))"; done >case/pulse.txt
cat >case/case.nml <<'END'
&case name = 'inputs' model = 'maxwell' /
&grid nx = 14 ny = 12 nz = 13 dx = 5e-3 dy = 5e-3 dz = 5e-3 /
&boundary west = 'pec' east = 'pmc' south = 'periodic' north = 'periodic' bottom = 'pmc' top = 'pec' /
&time duration = 3e-10 /
&maxwell allow_coarse = .true. /
&source kind = 'electric' axis = 'z' x = 0.03 y = 0.03 z = 0.0325 waveform = 'file' file = 'pulse.txt' /
END
echo '0 5' >elsewhere/pulse.txt # a decoy in the current directory
cd elsewhere || exit 1
"$SFERIC" run ../case/case.nml --out ../whole -q >../whole.txt 2>&1 || fail "$(cat ../whole.txt)"
cmp -s ../case/pulse.txt ../whole/input/pulse.txt || fail 'no copy of the waveform beside the output'
"$SFERIC" run ../whole/namelist.nml --out ../again -q >../again.txt 2>&1 || fail "$(cat ../again.txt)"
[ "$(digest ../again.txt)" = "$(digest ../whole.txt)" ] || fail 'the namelist beside the output gives another run'
cd ..
"$SFERIC" run case/case.nml --out part -q --stop-after-steps 9 >part.txt 2>&1
[ $? = 75 ] || fail "not stopped: $(cat part.txt)"
cp part/*.nc part/*.xxh part/*.json elsewhere/ 2>/dev/null
"$SFERIC" run case/case.nml --out part -q --restart auto >part.txt 2>&1 || fail "$(cat part.txt)"
[ "$(digest part.txt)" = "$(digest whole.txt)" ] || fail 'other bits after a stop'
# A medium's table, in the same way.
printf '1e9 9 2\n2e9 8 2.5\n4e9 6 2\n' >case/clay.txt
{ cat case/case.nml; echo "&medium name = 'clay', table = 'clay.txt' / &geometry shape = 'box', medium = 'clay', x = 0.03, size_x = 0.02 /"; } >case/clay.nml
"$SFERIC" run case/clay.nml --out clay_whole -q >whole.txt 2>&1 || fail "$(cat whole.txt)"
[ "$(digest whole.txt)" != "$(digest part.txt)" ] || fail 'a medium of a table changes nothing'
"$SFERIC" run clay_whole/namelist.nml --out clay_again -q >again.txt 2>&1 || fail "$(cat again.txt)"
cmp -s case/clay.txt clay_whole/input/clay.txt && [ "$(digest again.txt)" = "$(digest whole.txt)" ] || fail 'no copy of the table beside the output, or another run from it'
for end in '' '8e9 4 1'; do
    "$SFERIC" run case/clay.nml --out "clay$end" -q --stop-after-steps 9 >part.txt 2>&1
    [ -z "$end" ] || echo "$end" >>case/clay.txt
    "$SFERIC" run case/clay.nml --out "clay$end" -q --restart auto >part.txt 2>&1
    code=$?
    if [ -z "$end" ]; then [ $code = 0 ] && [ "$(digest part.txt)" = "$(digest whole.txt)" ] || fail "other bits after a stop with a table: $(cat part.txt)"
    else [ $code = 8 ] || fail "a checkpoint of another table was taken: $(cat part.txt)"; fi
done
"$SFERIC" run case/case.nml --out other -q --stop-after-steps 9 >other.txt 2>&1
echo '2e-10 7' >>case/pulse.txt
"$SFERIC" run case/case.nml --out other -q --restart auto >other.txt 2>&1
[ $? = 8 ] || fail "a checkpoint of another waveform was taken: $(cat other.txt)"
"$SFERIC" check case/case.nml --set source%file=nowhere.txt >missing.txt 2>&1
[ $? = 4 ] && grep -q nowhere.txt missing.txt || fail "a missing file: $(cat missing.txt)"
{ grep -v '^&source' case/case.nml; echo "&plane_wave direction = '+x' margin = 1 waveform = 'file' file = 'nowhere.txt' /"; } >case/wave.nml
echo "&monitor name = 'm' kind = 'flux' west = 0.03 east = 0.03 / &spectrum from = 1e9 to = 2e9 count = 3 /" | tee -a case/wave.nml >>case/case.nml
for nml in case wave; do # with monitors, which ask for the waveform
    "$SFERIC" check case/$nml.nml --set "boundary%west='cpml'" --set "boundary%east='cpml'" --set cpml%cells=2 --set source%file=nowhere.txt >missing.txt 2>&1
    [ $? = 4 ] && grep -q 'nowhere.txt: cannot be opened' missing.txt && ! grep -q warning missing.txt || fail "a missing file of $nml beside monitors: $(cat missing.txt)"
done
echo "$wrong wrong"
[ "$wrong" = 0 ]
