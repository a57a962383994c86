#!/bin/bash
# Does the emulated GPU (tests/emulate/cuda_runtime.h) run what is right, and find what is wrong? Each scene of
# tests/emulate/faults.cu under several seeds: BUILD=build/VARIANT tests/emulate.sh
# SPDX-License-Identifier: MIT
# Full: it takes a build for the emulated GPU.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
emulate_build tests/emulate/faults || exit 1
faults=$emulated/tests/emulate/faults
seeds=8 scenes=0 bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ulimit -c 0
export EMULATE_MEMORY=1000000 EMULATE_RACES=0 EMULATE_DEVICES=1 EMULATE_FAIL=

scene_run() { # SCENE SEED: what it says and its exit code, in $work/said and $rc
    EMULATE_SEED=$2 "$faults" "$1" >"$work/said" 2>&1
    rc=$?
} 2>/dev/null

complain() { # WHAT
    echo "FAILED: $1"
    sed 's/^/    /' "$work/said" | tail -n 5
    bad=1
}

right() { # SCENE...: all values right, under every seed, and every kernel the same in every order
    local s n
    for s in "$@"; do
        scenes=$((scenes + 1))
        for ((n = 1; n <= seeds; n++)); do
            EMULATE_RACES=$((n % 2)) scene_run "$s" $n
            [ $rc = 0 ] || complain "$s, seed $n: exit code $rc"
        done
    done
}

told() { # SCENE PATTERN: under every seed it ends with an error that says so
    local n
    scenes=$((scenes + 1))
    for ((n = 1; n <= seeds; n++)); do
        scene_run "$1" $n
        if [ $rc = 0 ] || [ $rc = 9 ]; then complain "$1, seed $n: exit code $rc"
        elif ! grep -qE "$2" "$work/said"; then complain "$1, seed $n: does not say '$2'"; fi
    done
}

noticed() { # SCENE: wrong values under most seeds
    local n wrong=0
    scenes=$((scenes + 1))
    for ((n = 1; n <= seeds; n++)); do
        scene_run "$1" $n
        if [ $rc != 0 ]; then wrong=$((wrong + 1)); fi
    done
    [ $((2 * wrong)) -gt $seeds ] || complain "$1: wrong under $wrong of $seeds seeds"
}

right plain places blocks votes tiles ring boxes halves barriers lanes pageable table room folds clock nothing_is_nan
EMULATE_MEMORY=8000000 right peers
noticed tiles_unwaited
noticed ring_uncopied
noticed ring_unread
noticed boxes_unread
noticed no_barrier
for lane in in compute out; do noticed lanes_${lane}_early; done
noticed lanes_look_early
export EMULATE_MEMORY=8000000
noticed peers_take_early
noticed peers_put_early
told peers_free_early '2097152 bytes are freed that another process has open'
told peers_beside 'others would see what lies beside 4000 bytes'
export EMULATE_MEMORY=1000000

export EMULATE_RACES=1
told race_of_blocks 'kernel blocks_race_kernel leaves other bits in another order'
told race_of_threads 'kernel threads_race_kernel leaves other bits in another order'
told no_barrier 'kernel no_barrier_kernel leaves other bits in another order'
export EMULATE_RACES=0

told divergence 'divergence_kernel, block .0, 0, 0.: thread 0 waits at .*, and thread 7 waits at'
told ring_never "ring_kernel, block .0, 0, 0.: thread .* waits at an mbarrier, and thread"
told ring_unmade "ring_kernel: a thread (waits|arrives) at what is no mbarrier"
told boxes_less "boxes_kernel.*: thread .* waits at an mbarrier, and thread|more threads arrive at an mbarrier"
told boxes_unexpected "boxes_kernel.*: thread .* waits at an mbarrier, and thread|more threads arrive at an mbarrier|a thread ends before a box"
told boxes_left 'boxes_kernel: a thread ends before a box that it asked for has come'
told boxes_before 'boxes_kernel: a box begins before its field'
told boxes_unaligned 'boxes_kernel: a box goes to shared memory that is not aligned to 128 bytes'
told barrier_of_plain 'no_barrier_kernel has barriers, and was not launched with SF_LAUNCH_BLOCKS'
told overrun 'kernel touch_kernel, block .0, 0, 0., thread .0, 0, 0., touches address|AddressSanitizer'
told overrun_by_one 'touch_kernel wrote byte 4000 of an allocation of 4000 bytes|AddressSanitizer'
told underrun 'kernel touch_kernel, .* touches address|AddressSanitizer'
told underrun_by_one 'kernel touch_kernel, .* touches address|touch_kernel wrote byte -1 |AddressSanitizer'
told shared_overrun 'kernel shared_overrun_kernel, .* touches address'
told host_reads 'the host touches address .*: byte 0 of 4000 of memory of the device'
told host_writes 'the host touches address .*: byte 0 of 4000 of memory of the device'
told host_pointer 'kernel look_kernel, .* touches address .*: an address of the host'
told fold_of_host 'the host touches address .*: byte 8000 of 12288 of memory of the device'
told fold_overrun 'kernel touch_kernel, .* touches address'
told fold_unmapped 'access to addresses that are not mapped all'
told freed 'kernel touch_kernel, .* touches address'
told copy_overrun 'a copy of 4000 bytes from byte 4 of an allocation of 4000'
told copy_of_host 'no memory of the device'
told shared_too_large 'more than it was allowed'
told grid_of_nothing 'grid .0, 1, 1., block .64, 1, 1.'

EMULATE_FAIL=kernel:2 told sticky cudaErrorLaunchFailure
EMULATE_FAIL=cudaStreamSynchronize:1 told sticky cudaErrorIllegalAddress
EMULATE_DEVICES=0 told plain cudaErrorNoDevice

[ $bad = 0 ] && echo "$scenes scenes, $seeds seeds each"
exit $bad
