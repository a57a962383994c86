#!/bin/bash
# Runs tests one after the other and adds up what they report.
#
#   SFERIC=binary BUILD=directory tools/run-tests.sh TEST...
#
# A TEST ending in .sh is a script: one test, passed when it exits with 0. Any other is a Criterion binary; its
# synthesis line is read, and a binary that is missing, crashes, hangs or holds no test counts as one failure. The last
# line is always `N passed, N failed`; the exit code is 0 when nothing failed and something passed. Output goes to
# BUILD/log and is shown for what failed.
#   TEST_TIMEOUT    seconds for a Criterion test that declares no limit (120; tests/support_timeout.c)
#   SCRIPT_TIMEOUT  seconds for one script, or one binary as a whole (900)
#   TEST_JOBS       Criterion tests at a time (cores, at most 8)
# SPDX-License-Identifier: MIT
set -uo pipefail

: "${SFERIC:?the path of the binary under test}" "${BUILD:?the build directory}"
export SFERIC BUILD
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
# Tests, ranks and threads outnumber the cores: whoever waits sleeps.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
# Small machines and containers: mpirun as root, more ranks than cores, no hint about absent fabrics.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0
# What the program measures of this machine while its cores are shared is no news for the user.
export XDG_CACHE_HOME=$BUILD/cache
script_timeout=${SCRIPT_TIMEOUT:-900}
cores=$(nproc 2>/dev/null || echo 2)
# A leak is reported when a test's process ends: too late for Criterion to call that test failed.
findings='(ERROR|WARNING): (Address|Leak|Thread|Memory)Sanitizer|runtime error: '
jobs=${TEST_JOBS:-$((cores < 8 ? cores : 8))}

passed=0 failed=0
mkdir -p "$BUILD/log" "$XDG_CACHE_HOME" || exit 1

# report NAME PASSED FAILED LOG WHY
report() {
    passed=$((passed + $2))
    failed=$((failed + $3))
    if [ "$3" = 0 ]; then
        printf '  TEST  %-28s %d passed\n' "$1" "$2"
    else
        printf '  TEST  %-28s %d passed, %d FAILED%s\n' "$1" "$2" "$3" "${5:+ ($5)}"
        [ -f "$4" ] && tail -n 60 "$4" | sed 's/^/        /'
    fi
}

why_of() {
    case $1 in
    124 | 137) echo "timed out or was killed" ;;
    *) echo "exit code $1" ;;
    esac
}

run_script() {
    local name=${1##*/} log rc shell=()
    log=$BUILD/log/$name.log
    rm -f "$log"
    [ -x "$1" ] || shell=(bash)
    if [ ! -f "$1" ]; then
        report "$name" 0 1 "$log" "$1 is missing"
        return
    fi
    timeout -k 10 "$script_timeout" "${shell[@]}" "$1" >"$log" 2>&1 </dev/null
    rc=$?
    if [ $rc = 0 ]; then report "$name" 1 0 "$log"; else report "$name" 0 1 "$log" "$(why_of $rc)"; fi
}

run_criterion() {
    local name=${1##*/} log rc line tested good bad
    log=$BUILD/log/$name.log
    rm -f "$log"
    if [ ! -x "$1" ]; then
        report "$name" 0 1 "$log" "$1 is missing"
        return
    fi
    { timeout -k 10 "$script_timeout" "$1" --color=never --jobs "$jobs" >"$log" 2>&1 </dev/null; } 2>/dev/null
    rc=$?
    line=$(grep -a 'Synthesis: Tested:' "$log" | tail -n 1)
    if [[ ! $line =~ Tested:\ ([0-9]+)\ \|\ Passing:\ ([0-9]+)\ \|\ Failing:\ ([0-9]+) ]]; then
        report "$name" 0 1 "$log" "no summary, $(why_of $rc)"
        return
    fi
    tested=${BASH_REMATCH[1]} good=${BASH_REMATCH[2]} bad=${BASH_REMATCH[3]}
    if [ $((tested - good)) -gt "$bad" ]; then bad=$((tested - good)); fi
    if [ "$tested" = 0 ]; then
        report "$name" 0 1 "$log" "holds no test"
    elif [ "$bad" = 0 ] && [ $rc != 0 ]; then
        report "$name" "$good" 1 "$log" "all tests pass, yet $(why_of $rc)"
    elif [ "$bad" = 0 ] && grep -qaE "$findings" "$log"; then
        report "$name" "$good" 1 "$log" "a sanitizer found something"
    else
        report "$name" "$good" "$bad" "$log"
    fi
}

for t in "$@"; do
    case $t in
    *.sh) run_script "$t" ;;
    *) run_criterion "$t" ;;
    esac
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
