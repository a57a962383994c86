#!/bin/bash
# A field that no list of a stage of elements has its body in C cannot reach, nor write to one that is only read: without a list of
# src/maxwell/waves.sf, or with one that is read in the place of one that changes, the bodies do not compile. How far they read, this test
# does not see. `BUILD=build/VARIANT tests/packs.sh`
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
: "${BUILD:?the build directory}"
cc=gcc
[[ ${BUILD##*/} != clang-* ]] || cc=clang
bodies=$(cd src/maxwell && grep -lE '[(,] *const struct [a-z0-9_]+_pack \*' -- *.c)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/maxwell"

# compiles SED: is there a pack, and do all bodies compile, with what that makes of the description?
compiles() {
    local body
    sed "$1" src/maxwell/waves.sf >"$work/waves.sf"
    "$BUILD/stages_made" packs.h "$work/waves.sf" >"$work/maxwell/waves_packs.h" 2>"$work/told" || return 1
    for body in $bodies; do
        $cc -std=gnu11 -DSF_PREC=32 -I"$work" -Isrc -I"$BUILD" -fsyntax-only "src/maxwell/$body" 2>"$work/told" || return 1
    done
}

if ! compiles ''; then
    cat "$work/told"
    echo 'the description as it is does not compile'
    exit 1
fi
bad=0 tried=0
# refused WHAT SED
refused() {
    tried=$((tried + 1))
    if compiles "$2" || cmp -s src/maxwell/waves.sf "$work/waves.sf"; then
        echo "compiles all the same, or is no other description: $1"
        bad=1
    fi
}
inside='/^elements /,/^}/'
for list in 'changes f' 'reads f' 'reads media' 'changes e' 'reads e' 'changes re' 'changes im' 'reads from_re' 'reads from_im' 'sums'; do
    refused "no $list" "$inside{/^    $list /d}"
done
for list in f e re im; do refused "$list is read" "$inside s/^    changes $list /    reads $list /"; done
[ $bad = 0 ] || exit 1
echo "$tried descriptions that say too little do not compile"
