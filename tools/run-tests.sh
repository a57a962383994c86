#!/bin/bash
# Runs tests and adds up what they report.
#
#   SFERIC=binary BUILD=directory tools/run-tests.sh TEST...
#
# A TEST ending in .sh is a script: one test, passed when it exits with 0, skipped, and counted as
# neither, when with 77: the machine lacks what it needs, and its last line says what. Any other is a Criterion binary; its
# synthesis line is read, and a binary that is missing, crashes, hangs or holds no test counts as one failure. The last
# line is always `N passed, N failed`; the exit code is 0 when nothing failed and something passed. Output goes to
# BUILD/log and is shown for what failed.
#
# Two more run at a time than there are cores, as some sleep, and are told of in the order in which they began: first those whose
# head, of a binary that of its source in tests/, says `Long: ...`; at the end, one by one, scripts that say `Alone: ...`.
# No test is ended by the wall clock, which a busy machine would outrun: tools/patience ends what uses no processor time for
# PATIENCE_IDLE seconds, or more than PATIENCE_BUSY in all; tests/support_timeout.c limits the processor time of one test.
#   TEST_TIMEOUT    seconds of processor time for a Criterion test, where no test of its file declares more (120)
#   TEST_JOBS       Criterion tests of a binary at a time (2)
#   SCRIPT_JOBS     scripts and binaries at a time (two more than cores, at most 5)
# SPDX-License-Identifier: MIT
set -uo pipefail

: "${SFERIC:?the path of the binary under test}" "${BUILD:?the build directory}"
export SFERIC BUILD
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
# Tests, ranks and threads outnumber the cores: whoever waits sleeps.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
# Small machines and containers: mpirun as root, more ranks than cores, no hint about absent fabrics.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_mpi_yield_when_idle=1
# Runs beside each other, and threads of a rank, would share a core.
export OMPI_MCA_hwloc_base_binding_policy=none
# What the program measures of this machine while its cores are shared is no news for the user.
export XDG_CACHE_HOME=$BUILD/cache
cores=$(nproc 2>/dev/null || echo 2)
# A leak is reported when a test's process ends: too late for Criterion to call that test failed.
findings='(ERROR|WARNING): (Address|Leak|Thread|Memory)Sanitizer|runtime error: '
jobs=${TEST_JOBS:-2}
at_once=${SCRIPT_JOBS:-$((cores < 4 ? cores + 2 : 5))}

passed=0 failed=0 skipped=0
mkdir -p "$BUILD/log" "$XDG_CACHE_HOME" || exit 1

# report NAME PASSED FAILED SECONDS LOG WHY
report() {
    passed=$((passed + $2))
    failed=$((failed + $3))
    if [ "$3" = 0 ]; then
        printf '  TEST  %-28s %d passed, %d s\n' "$1" "$2" "$4"
    else
        printf '  TEST  %-28s %d passed, %d FAILED, %d s%s\n' "$1" "$2" "$3" "$4" "${6:+ ($6)}"
        [ -f "$5" ] && tail -n 60 "$5" | sed 's/^/        /'
    fi
}

why_of() {
    case $1 in
    124) echo "hung: no progress" ;;
    125) echo "ran away: no end of processor time" ;;
    137) echo "was killed" ;;
    *) echo "exit code $1" ;;
    esac
}

# In the background: leaves exit code and seconds in BUILD/log/NAME.end.
test_run() { # TEST
    local name=${1##*/} rc=0 start=$SECONDS command=("$1") child=
    if [[ $1 != *.sh ]]; then command+=(--color=never --jobs "$jobs")
    elif [ ! -x "$1" ]; then command=(bash "$1"); fi
    trap 'kill $child 2>/dev/null' TERM
    tools/patience "${command[@]}" >"$BUILD/log/$name.log" 2>&1 </dev/null &
    child=$!
    wait $child || rc=$?
    echo "$rc $((SECONDS - start))" >"$BUILD/log/$name.end"
}

script_report() { # SCRIPT LOG RC SECONDS
    local name=${1##*/}
    if [ ! -f "$1" ]; then report "$name" 0 1 0 "$2" "$1 is missing"
    elif [ "$3" = 0 ]; then report "$name" 1 0 "$4" "$2"
    elif [ "$3" = 77 ]; then
        skipped=$((skipped + 1))
        printf '  TEST  %-28s SKIPPED: %s\n' "$name" "$(tail -n 1 "$2")"
    else report "$name" 0 1 "$4" "$2" "$(why_of "$3")"; fi
}

criterion_report() { # BINARY LOG RC SECONDS
    local name=${1##*/} line tested good bad
    if [ ! -x "$1" ]; then
        report "$name" 0 1 0 "$2" "$1 is missing"
        return
    fi
    line=$(grep -a 'Synthesis: Tested:' "$2" | tail -n 1)
    if [[ ! $line =~ Tested:\ ([0-9]+)\ \|\ Passing:\ ([0-9]+)\ \|\ Failing:\ ([0-9]+) ]]; then
        report "$name" 0 1 "$4" "$2" "no summary, $(why_of "$3")"
        return
    fi
    tested=${BASH_REMATCH[1]} good=${BASH_REMATCH[2]} bad=${BASH_REMATCH[3]}
    if [ $((tested - good)) -gt "$bad" ]; then bad=$((tested - good)); fi
    if [ "$tested" = 0 ]; then
        report "$name" 0 1 "$4" "$2" "holds no test"
    elif [ "$bad" = 0 ] && [ "$3" != 0 ]; then
        report "$name" "$good" 1 "$4" "$2" "all tests pass, yet $(why_of "$3")"
    elif [ "$bad" = 0 ] && grep -qaE "$findings" "$2"; then
        report "$name" "$good" 1 "$4" "$2" "a sanitizer found something"
    else
        report "$name" "$good" "$bad" "$4" "$2"
    fi
}

test_report() { # TEST
    local rc='' seconds=0
    local log=$BUILD/log/${1##*/}.log end=$BUILD/log/${1##*/}.end
    if [ -f "$end" ]; then read -r rc seconds <"$end"; fi
    rm -f "$end"
    if [ -z "$rc" ]; then report "${1##*/}" 0 1 0 "$log" "was killed"
    elif [[ $1 == *.sh ]]; then script_report "$1" "$log" "$rc" "$seconds"
    else criterion_report "$1" "$log" "$rc" "$seconds"; fi
}

# Each is told of when it has ended and all before it were.
tests_run() { # AT-ONCE TEST...
    local at_once=$1 running=0 told=0 pid=() name
    shift
    while [ $told -lt $# ]; do
        if [ ${#pid[@]} -lt $# ] && [ $running -lt "$at_once" ]; then
            name=${*:${#pid[@]} + 1:1}
            rm -f "$BUILD/log/${name##*/}".{log,end}
            test_run "$name" &
            pid+=($!)
            running=$((running + 1))
            continue
        fi
        wait -n
        running=$((running - 1))
        while [ $told -lt ${#pid[@]} ] && { [ $running = 0 ] || ! kill -0 "${pid[told]}" 2>/dev/null; }; do
            told=$((told + 1))
            test_report "${!told}"
        done
    done
}

# says WORD TEST: does its head?
says() {
    local source=$2
    [[ $2 == *.sh ]] || source=tests/${2##*/}.c
    grep -qsE "^(# | \* )$1: " "$source"
}

long=() others=() alone=()
for t in "$@"; do
    if says Alone "$t"; then alone+=("$t")
    elif says Long "$t"; then long+=("$t")
    else others+=("$t"); fi
done
trap 'kill $(jobs -p) 2>/dev/null; exit 1' INT TERM
tests_run "$at_once" "${long[@]}" "${others[@]}"
tests_run 1 "${alone[@]}"

[ $skipped = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
