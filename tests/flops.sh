#!/bin/bash
# The arithmetic per point in src/dynamics/flops.h is what the formulas hold: both precisions, and no count is left out.
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
    "$cxx" -std=gnu++20 -Wall -Wextra -DSF_PREC=$precision -Isrc tools/count_flops.cc -o "$work/count"
    "$work/count" --header >"$work/flops.h"
    if ! diff -u src/dynamics/flops.h "$work/flops.h"; then
        echo 'src/dynamics/flops.h is not what the formulas hold: run make flops'
        exit 1
    fi
done
"$work/count" >"$work/table"
grep -q '^all five, mixing fourth ' "$work/table"
