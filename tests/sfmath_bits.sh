#!/bin/sh
# Builds sfmath_bits.c with every compiler, level and instruction set found here and compares what the programs
# print with the sums below, which hold for every machine. A changed coefficient changes the sums: run test_sfmath
# before writing the new ones here.
# usage: tests/sfmath_bits.sh [work directory]
# SPDX-License-Identifier: MIT
set -u
expected() {
    case $1 in
    32) echo b2754fa7b82917de ;;
    64) echo a549b25c0f5eed2f ;;
    esac
}

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
if [ $# -gt 0 ]; then
    work=$1
    mkdir -p "$work" || exit 1
else
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
fi
common="-ffp-contract=off -fno-math-errno -fno-trapping-math"
built=0
failed=0

# judge PREC LABEL COMMAND...: build, run, compare the last line's sum, and show which function differs
judge() {
    prec=$1
    label="$2, $1 bits"
    shift 2
    program=$work/bits
    if ! "$@" -DSF_PREC="$prec" -I"$root/src" -o "$program" "$root/tests/sfmath_bits.c" -lm 2>"$work/log"; then
        echo "FAIL $label: does not compile"
        cat "$work/log"
        failed=$((failed + 1))
        return
    fi
    built=$((built + 1))
    want=$(expected "$prec")
    if ! "$program" >"$work/sums" 2>"$work/log"; then
        echo "FAIL $label: $(cat "$work/log")"
        failed=$((failed + 1))
        return
    fi
    [ -f "$work/first_$prec" ] || cp "$work/sums" "$work/first_$prec"
    sum=$(awk 'END { print $NF }' "$work/sums")
    if [ "$sum" != "$want" ]; then
        echo "FAIL $label: $sum, expected $want; against the first build:"
        diff "$work/first_$prec" "$work/sums"
        failed=$((failed + 1))
    else
        echo "ok   $label"
    fi
}

# can COMMAND...: whether a program built so compiles and starts here
can() {
    echo 'int main(void) { volatile double a = 1; return a != 1; }' >"$work/probe.c"
    "$@" -o "$work/probe" "$work/probe.c" 2>/dev/null && "$work/probe" 2>/dev/null
}

rm -f "$work/first_32" "$work/first_64"
for cc in gcc clang; do
    command -v "$cc" >/dev/null || continue
    for flags in "-O0" "-O2" "-O3" "-O3 -march=x86-64" "-O3 -march=x86-64-v3" "-O3 -march=x86-64-v4" \
        "-O0 -march=native" "-O3 -march=native"; do
        case $flags in
        *x86-64-v3) grep -q 'fma.* avx2 ' /proc/cpuinfo 2>/dev/null || continue ;;
        *x86-64-v4) grep -q ' avx512vl ' /proc/cpuinfo 2>/dev/null || continue ;;
        esac
        # shellcheck disable=SC2086  # flags are words
        can "$cc" -std=gnu11 $flags || continue
        for prec in 32 64; do
            # shellcheck disable=SC2086
            judge "$prec" "$cc $flags" "$cc" -std=gnu11 -fopenmp-simd $flags $common
        done
    done
done
if command -v nvcc >/dev/null && nvidia-smi -L 2>/dev/null | grep -q GPU; then
    for prec in 32 64; do
        judge "$prec" "nvcc" nvcc -x cu -O3 -arch=native -fmad=false -Xcompiler -ffp-contract=off
    done
fi
[ "$built" -gt 0 ] || { echo "FAIL no C compiler found"; exit 1; }
echo "$built builds, $failed failed"
[ "$failed" -eq 0 ]
