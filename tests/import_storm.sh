#!/bin/bash
# The supercell of CM1, imported: two hours of it on the cells that CM1's figures are of, within the bands of `sferic verify --full supercell`.
# Full: it takes two minutes and more of two cores.
#   SFERIC  the program
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C
: "${SFERIC:?the path of the binary under test}"
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
made=$root/tests/support_import.py
. "$root/tests/support_told.sh" import_storm numpy netCDF4
{ cat "$root/tests/support_cm1.input"; printf '&cells\n nx = 60, ny = 60, dx = 2000, dy = 2000, tapfrq = 7200\n/\n'; } >storm.input
told_by 0 '^storm.nml: sferic check is content' "$root/tools/sferic-import" storm.input -o storm.nml -q --sferic "$SFERIC"
checks=$((checks + 1))
"$SFERIC" run storm.nml --out storm -q >out.txt 2>err.txt || fail 'the imported supercell does not run'
holds storm storm
cat out.txt
ended
