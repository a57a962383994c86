# shellcheck shell=bash
# shellcheck disable=SC2034 # scripts read it
# For scripts with much to run: each AT-ONCE FUNCTION WORD... calls FUNCTION with every WORD in turn, so many at a time, and
# returns 1 when one of them failed. SPDX-License-Identifier: MIT

cores=$(nproc 2>/dev/null || echo 2)
quick_link=$(command -v ld.gold >/dev/null && echo -fuse-ld=gold) # a quarter of the time of the usual linker

each() {
    local at_once=$1 call=$2 running=0 rc=0 word
    [[ $at_once =~ ^[1-9][0-9]*$ ]] || { echo "each: '$at_once' is no number of jobs"; return 1; }
    shift 2
    for word in "$@"; do
        if [ $running -ge "$at_once" ]; then
            wait -n || rc=1
            running=$((running - 1))
        fi
        "$call" "$word" &
        running=$((running + 1))
    done
    while [ $running -gt 0 ]; do
        wait -n || rc=1
        running=$((running - 1))
    done
    return $rc
}
