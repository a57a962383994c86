#!/bin/bash
# The arithmetic in src/dynamics/flops.h and src/pipeline/sfmath_flops.h is what formulas and functions hold, in both precisions (but for
# powers of single precision, which are shorter), and no formula that a stage calls is left out.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."

cxx=
for c in ${CXX:-} g++ clang++; do
    if command -v "$c" >/dev/null; then cxx=$c && break; fi
done
if [ -z "$cxx" ]; then
    echo 'no C++ compiler: the count is not taken (apt-get install -y g++)'
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for precision in 32 64; do
    "$cxx" -std=gnu++20 -Wall -Wextra -DSF_PREC=$precision -Isrc tools/count_flops.cc -o "$work/count_$precision"
    "$work/count_$precision" --header >"$work/flops_$precision.h"
    "$work/count_$precision" --functions >"$work/functions_$precision.h"
done
if ! { diff -u src/dynamics/flops.h "$work/flops_32.h" && diff -u src/pipeline/sfmath_flops.h "$work/functions_32.h"; }; then
    echo 'counts are not what the formulas hold: run make flops'
    exit 1
fi
cmp "$work/functions_32.h" "$work/functions_64.h"
diff <(grep -vE 'FLOPS_IN_water_(fall_speed|rain_lost|saturated)' "$work/flops_32.h") \
    <(grep -vE 'FLOPS_IN_water_(fall_speed|rain_lost|saturated)' "$work/flops_64.h")
"$work/count_32" >"$work/table"
grep -q '^all five, mixing fourth ' "$work/table"

called=$(sed -n 's/^SWEEP(.*\|^MADE(.*/&/p' "$BUILD/dynamics/weather_made.def" | grep -oE 'FLOPS_IN_[A-Za-z0-9_]+' | sort -u)
[ "$(wc -l <<<"$called")" -gt 40 ]
while read -r formula; do
    grep -qE "^#define $formula [0-9]+\$" src/dynamics/flops.h || { echo "$formula: count it in tools/count_flops.cc"; exit 1; }
done <<<"$called"

# What the README says of the fused stage.
count() { sed -n "s/^    FLOPS_$1_FOURTH = \([0-9]*\),.*/\1/p" src/dynamics/flops.h; }
told="**$(count ADVMIX) floating-point operations a point** for all five tendencies (u $(count U), v $(count V), w $(count W),"
if ! tr '\n' ' ' <README.md | grep -qF "$told pi $(count PI), theta $(count THETA);"; then
    echo "the README does not say: $told pi $(count PI), theta $(count THETA)"
    exit 1
fi
