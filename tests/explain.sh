#!/bin/bash
# What explain answers: types in words, a search for what is no group, near names for what is nowhere. `SFERIC=binary tests/explain.sh`
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C
: "${SFERIC:?the path of the binary under test}"
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_explain_XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0
# explain CODE TEXT... -- WORD: it exits so, and says every TEXT (a pattern)
explain() {
    local code=$1 word rc text
    shift
    for word; do :; done
    "$SFERIC" explain "$word" >"$work/out" 2>"$work/err" </dev/null
    rc=$?
    [ $rc = "$code" ] || { echo "FAILED: explain '$word': exit code $rc, not $code"; failed=1; }
    while [ "$1" != -- ]; do
        text=$1
        shift
        grep -qE -- "$text" "$work/out" "$work/err" || { echo "FAILED: explain '$word' does not say '$text':"; head -40 "$work/out" "$work/err"; failed=1; }
    done
}
lacks() { if grep -qE -- "$1" "$work/out"; then echo "FAILED: $2: $(grep -E -- "$1" "$work/out")"; failed=1; fi; }

# ---- types ----
explain 0 "^  shape +list of up to 1024 words, each one of 'none', .*'wave', default 'none'$" '^  amplitude +list of up to 1024 real numbers' '^  noise_seed +integer, at least 0' \
    'behind each key$' '^  that is a list; --set' -- initial
explain 0 '^  adaptive +\.true\. or \.false\., default \.false\.$' "^  start +string of at most [0-9]+ bytes, default '2000" '^  courant_target +real number, 0.01 to 1, default 0.7$' -- time
"$SFERIC" explain >"$work/out"
lacks "^  [a-z_%0-9]+ +[^ ]*\([0-9]+\)|^  [a-z_]+ .*\[1\]" 'a type or unit that only programmers read'

# ---- search ----
explain 0 "^keys that take it as a value:$" '^  initial%variable +\.\.\. .*rain qr' '^  water%fall_speed +rain falls' "^history variables of model 'dynamics':$" \
    '^  rain_rate +rain on the ground \[kg m-2 s-1\]$' "^numbers over time, in series.nc, of model 'dynamics':$" "^'sferic explain GROUP%KEY' tells of a key, .* all variables$" -- rain
lacks terrain 'a word is found within another'
explain 0 '^&time$' '^  dt +real number \[s\]' '^keys of that name:$' '^  time%dt_max ' -- dt
[ "$(grep -c '^  dt  *real number' "$work/out")" = 1 ] || { echo 'FAILED: a key of that name is not explained once'; failed=1; }
explain 0 '^groups:$' '^  &plane_wave$' -- wave
explain 0 '^  geometry%shape ' '^  geometry%radius ' "of model 'maxwell':$" -- wire
explain 0 '^  plane_wave%layers ' '^  turbulence%mixing_length ' -- layers
lacks 'all variables$' 'variables are named, of which none holds the word'
explain 0 '^  water%scheme ' -- KESSLER
explain 0 '^  initial%flow ' -- 'exact flow'
explain 0 '^  base%relative_humidity ' -- humidity
# ---- nowhere ----
explain 2 "nothing is called 'gird' or tells of it; did you mean 'grid'\?" -- gird
explain 2 "did you mean .*'theta_p'\?" -- thetap
explain 2 "nothing is called 'zzzzz' or tells of it; 'sferic explain' lists" -- zzzzz
explain 2 "no key 'zzz' in &grid" -- grid%zzz
explain 2 "no group 'gird'; did you mean 'grid'" -- '&gird'
[ $failed = 0 ] && echo 'explain answers'
exit $failed
