#!/bin/bash
# Cases that come with the program run by their names, installed or not; a file goes first; a name that is neither is answered with the
# nearest. `SFERIC=binary tests/case_names.sh`
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
SFERIC=$(realpath "${SFERIC:?the path of the binary under test}") || exit 1
namelists=$(cd "$(dirname "$0")/../namelists" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_cases_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
# expect CODE TEXT ARGUMENT...: it exits so, and says so (a pattern)
expect() {
    local code=$1 text=$2 rc
    shift 2
    timeout 100 "$SFERIC" "$@" >said 2>err </dev/null
    rc=$?
    if [ $rc != "$code" ] || ! grep -qE -- "$text" said err; then
        echo "FAILED: sferic $*: exit code $rc, not $code, or not '$text':"
        head -n 20 said err
        failed=1
    fi
}
# ---- the list: every namelist, with its title ----
expect 0 "sferic run NAME" cases
for f in "$namelists"/*.nml "$namelists"/florence_2018/*.nml; do
    name=$(basename "$f" .nml)
    title=$(sed -nE "s/^ *title *= *'(([^']|'')*)'.*/\1/p" "$f" | head -n 1)
    grep -qF -- "  $title" <(grep -E "^  $name +" said) || { echo "FAILED: $name, '$title', is not in the list"; failed=1; }
done
[ "$(grep -v '^  cp ' said | grep -c '^  [a-z]')" = "$(find "$namelists" -maxdepth 2 -name '*.nml' | wc -l)" ] || { echo 'FAILED: the list has other cases than the folder'; failed=1; }
expect 0 '^  split_storm +dynamics ' cases STORM
if grep -q 'cavity' said; then echo 'FAILED: a word does not choose among cases'; failed=1; fi
expect 2 "no case has 'zzz' in its name or title" cases zzz
expect 2 'one word at a time' cases a b
# ---- by name ----
expect 0 '^moist_adiabat:? .*dynamics' check moist_adiabat
expect 0 '^digest' run heat -q --set time%duration=10 --out heat
expect 0 '^segment 0: ' plan dipole --backend cpu
expect 0 '^norman_2011: ' run norman_2011 --dry-run # its sounding is found from where the case lies
expect 3 "no file 'norman_2001' here, and no case of that name; did you mean 'norman_2011'\? .sferic cases. lists" run norman_2001
expect 3 "no file 'zzzzzz' here, and no case of that name; .sferic cases. lists" check zzzzzz
expect 3 "did you mean 'norman_2011'\?" run norman # the beginning of a name
expect 3 "cannot read the namelist 'heat.nml': .*did you mean the case 'heat'" check heat.nml # the name of a file
expect 3 "cannot read the namelist 'here/diploe.nml': .*did you mean the case 'dipole'" check here/diploe.nml
expect 3 "cannot read the namelist 'zzzzzz.nml': No such file" check zzzzzz.nml
expect 2 'which case.*sferic cases' check
# ---- a file of that name goes first ----
printf "&case name = 'mine' /\n&grid nx = 8 /\n&time duration = 1 /\n" >moist_adiabat
expect 0 '^mine: ' check moist_adiabat
# ---- a directory does not, and is none ----
expect 0 '^heat: ' check heat --out other # out of a run above
expect 3 "'\./heat' is a directory: give a namelist; that of its run is '\./heat/namelist.nml'" check ./heat
mkdir empty
expect 3 "'empty' is a directory: give a namelist$" run empty
# ---- where a case is no argument ----
expect 2 "no command 'dipole'; .sferic run dipole. runs the case" dipole
expect 2 "'norman_2011' is a case, no key: 'sferic check norman_2011' tells of it" explain norman_2011
expect 2 "'dipole' is a case: .sferic run dipole. runs it" verify dipole
expect 0 "'dipole' is a case, too: 'sferic check dipole' tells of it" explain dipole
# ---- installed elsewhere ----
mkdir -p usr/bin usr/share/sferic/namelists/inner
cp "$SFERIC" usr/bin/sferic
printf "&case name = 'inner', title = 'installed' /\n&grid nx = 8 /\n&time duration = 1 /\n" >usr/share/sferic/namelists/inner/inner.nml
SFERIC=$work/usr/bin/sferic
expect 0 '^  inner +dynamics +installed$' cases
expect 0 '^inner: ' check inner
expect 3 "did you mean 'inner'" check iner
[ $failed = 0 ] && echo 'cases have names'
exit $failed
