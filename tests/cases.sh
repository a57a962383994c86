#!/bin/bash
# Every namelist that is shipped passes `sferic check` and takes two steps, leaving files that can be read
# and hold numbers; the namelist that they write passes as well; every entry of it is commented. `SFERIC=binary tests/cases.sh [NAME...]`
# SPDX-License-Identifier: MIT
set -uo pipefail
export LC_ALL=C

: "${SFERIC:?the path of the binary under test}"
cd "$(dirname "$0")/../namelists" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0

complain() {
    echo "FAILED: $1"
    sed 's/^/    /' "$2" | tail -n 20
    failed=1
}

# The larger cases on cells twice or four times as wide, with their own dt: the same keys, a fraction of the work.
coarse() {
    case $1 in
    norman_2011 | moore_1999) echo "--set grid%nx=36 --set grid%ny=36 --set grid%dx=1500 --set grid%dy=1500" ;;
    warm_bubble) echo "--set grid%nx=24 --set grid%ny=24 --set grid%dx=500 --set grid%dy=500" ;;
    beltrami) echo "--set grid%nx=25 --set grid%ny=25 --set grid%dx=40 --set grid%dy=40" ;;
    esac
}

# A head comment with the licence, the case named as its file, and a comment behind every entry; of the four
# sides the first may speak for the others.
style_check() {
    grep -q 'SPDX-License-Identifier: MIT' "$1.nml" || echo "no SPDX line"
    grep -qE "^ *name = '$1' " "$1.nml" || echo "case%name is not '$1'"
    grep -nE '^ +[a-z_0-9]+ *=' "$1.nml" | grep -v '!' | grep -vE ': +(east|south|north) ='
}

# Two steps of the length that `check` prints; a trifle less, lest its last digit makes them three.
case_run() {
    local name=$1 out=$work/$1 step files last
    local set=(--set pipeline%threads=1 $(coarse "$1"))
    if ! "$SFERIC" check "$name.nml" --set pipeline%threads=1 >"$work/check" 2>"$work/err"; then
        complain "$name: sferic check" "$work/err"
        return
    fi
    if grep -qi 'warning: ' "$work/check" "$work/err"; then complain "$name: sferic check warns" "$work/err"; fi
    if grep -qiwE 'nan|inf' "$work/check"; then complain "$name: sferic check tells what is no number" "$work/check"; fi
    step=$(sed -nE 's/^ *time: +[0-9]+ steps of ([0-9.e+-]+) s to .*/\1/p' "$work/check")
    if [ -z "$step" ]; then
        complain "$name: sferic check does not tell the step" "$work/check"
        return
    fi
    last=$(awk -v s="$step" 'BEGIN { printf "%.9g", 1.99999 * s }')
    set+=(--set time%duration="$last" --out "$out" --backend cpu -q)
    if ! "$SFERIC" run "$name.nml" "${set[@]}" >"$work/out" 2>"$work/err"; then
        complain "$name: two steps" "$work/err"
        return
    fi
    files=("$out"/history_*.nc "$out/series.nc" "$out/profiles.nc")
    [ ${#files[@]} = 4 ] || complain "$name: ${#files[@]} files, not 4" "$work/out"
    for file in "${files[@]}"; do
        if ! ncdump "$file" >"$work/dump" 2>"$work/err" || ! [ -s "$work/dump" ]; then
            complain "$name: ncdump ${file##*/}" "$work/err"
        elif sed '1,/^data:/d' "$work/dump" | grep -iE '(^|[ ,=])-?(nan|inf[a-z]*)f?([ ,;]|$)' >"$work/bad"; then
            complain "$name: ${file##*/} holds NaN or infinity" "$work/bad"
        fi
    done
    ncdump -v time "${files[1]}" 2>/dev/null | sed -nE 's/^ *time = ([0-9.e+-]+) ;/\1/p' >"$work/dump"
    awk -v t="$last" '{ d = $1 - t; ok = d * d < 1e-8 * t * t } END { exit !ok }' "$work/dump" ||
        complain "$name: the last state is not that of $last s" "$work/dump"
    # The namelist that the run wrote is the case: who reads it again is warned of nothing, either.
    "$SFERIC" check "$out/namelist.nml" --set time%duration="$(sed -nE 's/^ *duration *= *([^ !]+).*/\1/p' "$name.nml")" >"$work/check" 2>"$work/err" &&
        ! grep -qi 'warning: ' "$work/check" "$work/err" || complain "$name: check of the namelist that its run wrote" "$work/err"
}

for name in "${@:-}"; do
    [ -n "$name" ] || set -- $(basename -s .nml -- *.nml)
done
for name in "$@"; do
    count=$((count + 1))
    style_check "$name" >"$work/style"
    if [ -s "$work/style" ]; then complain "$name.nml: its comments" "$work/style"; fi
    case_run "$name"
done
[ $failed = 0 ] && [ $count -gt 0 ] && echo "$count cases run"
[ $failed = 0 ] && [ $count -gt 0 ]
