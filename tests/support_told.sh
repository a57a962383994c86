# shellcheck shell=bash
# For tests of tools/: a folder of the test's own to work in, what they are held to, and a count of both. Sourced with the test's name and
# the Python modules to load as arguments; $root is the source tree, $made the program that knows what is right.
# SPDX-License-Identifier: MIT
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_$1_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0 checks=0 beside='(^|: )warning: '
. "$root/tests/support_python.sh" "${@:2}"

fail() { echo "FAILED: $*"; sed 's/^/    /' out.txt err.txt; wrong=$((wrong + 1)); }
# holds ARGUMENT...: of $made
holds() { checks=$((checks + 1)); python_do "$made" "$@" || fail "$*"; }
# told_by CODE TEXT PROGRAM ARGUMENT...: this exit code, and TEXT (a pattern) on stdout or stderr; what is refused is told in one line
# beside those of $beside (a pattern)
told_by() {
    local code=$1 text=$2 rc
    shift 2
    checks=$((checks + 1))
    python_do "$@"
    rc=$?
    if [ $rc != "$code" ]; then fail "exit code $rc, not $code: $*"
    elif ! grep -qE -e "$text" out.txt err.txt; then fail "does not say '$text': $*"
    elif [ "$code" != 0 ] && [ "$(grep -cvE -e "$beside" err.txt)" != 1 ]; then fail "not one line: $*"; fi
}
# silent WHAT [BUT]: nothing on stderr, but lines that have BUT (a pattern)
silent() { checks=$((checks + 1)); grep -vE -e "${2:-^$}" err.txt | grep -q . && fail "$1: told in vain"; }
ended() { echo "$wrong of $checks checks went wrong"; [ "$wrong" = 0 ]; }
