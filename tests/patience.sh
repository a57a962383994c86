#!/bin/bash
# Is what hangs or never ends told from what is slow? SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# ends CODE WORDS COMMAND...: patience ends with CODE and says WORDS
ends() {
    local want=$1 words=$2 rc=0
    shift 2
    PATIENCE_IDLE=2 PATIENCE_BUSY=2 tools/patience "$@" >"$work/out" 2>"$work/err" || rc=$?
    if [ $rc != "$want" ] || [[ $(<"$work/err") != *"$words"* ]]; then
        echo "$*: exit code $rc, not $want: $(<"$work/err")"
        failed=1
    fi
}

ends 0 '' true
ends 7 '' sh -c 'exit 7'
ends 0 '' sh -c 'for i in 1 2 3 4; do sleep 1; n=0; while [ $n -lt 20000 ]; do n=$((n + 1)); done; done' # slow, yet it goes on
ends 124 'it hangs' sh -c "sleep 1000 & echo \$! >$work/child; wait"
ends 125 'it runs away' sh -c 'while :; do :; done'
if kill -0 "$(<"$work/child")" 2>/dev/null; then
    echo "a child of what hung lives on"
    failed=1
fi
[ "$(echo input | tools/patience cat)" = input ] || { echo "the input does not arrive"; failed=1; }
ends 2 'no number' env PATIENCE_IDLE=x tools/patience true
exit $failed
