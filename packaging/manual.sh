#!/bin/bash
# A manual page from what a program says itself: `packaging/manual.sh PROGRAM [COMMAND...]`, roff on standard output.
#
# PROGRAM --help makes the page; with COMMANDs the help of each is a section of it. Lines of the help that begin with two blanks and a
# name are items; what is indented farther goes on with the one above.
# SPDX-License-Identifier: MIT
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: packaging/manual.sh PROGRAM [COMMAND...]" >&2; exit 2; }
program=$1
name=${program##*/}
shift
export COLUMNS=96 LC_ALL=C.UTF-8
version=$("$program" --version 2>/dev/null | sed -n '1s/^[a-z-]* \([0-9.]*\).*/\1/p') || version=

# Text becomes roff: no line may begin with a control character, and no minus be a hyphen.
body() {
    awk '
    function plain(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); if (s ~ /^[.\047]/) s = "\\&" s; return s }
    /^[Uu]sage: / { usage = 1; sub(/^[Uu]sage: /, ""); print ".PP\n.B " plain($0); next }
    usage && /^ +[^ ]/ { sub(/^ +/, ""); print ".B " plain($0); next }
    { usage = 0 }
    /^ *$/ { if (!blank) print ".PP"; blank = 1; next }
    { blank = 0 }
    /^[A-Za-z ]+:$/ { sub(/:$/, ""); print ".PP\n" plain($0) ":"; next }
    /^ ? ? ? ? ? ?-|^  ?[A-Za-z*]/ && match($0, /^ +/) && RLENGTH <= 6 {
        s = $0; sub(/^ +/, "", s)
        at = match(s, /  +/)
        term = at ? substr(s, 1, at - 1) : s
        print ".TP\n.B " plain(term)
        if (at) { rest = substr(s, at); sub(/^ +/, "", rest); print plain(rest) }
        next
    }
    { sub(/^ +/, ""); print plain($0) }'
}

# The first sentence of the first paragraph; of a long one what comes before a comma.
about=$(COLUMNS=1000 "$program" --help | awk '/^$/ { n++; next } n >= 1 && /^[A-Z]/ && !/^(Commands|Options)/ {
    sub(/[.:] .*|[.:]$/, ""); if (length($0) > 80) sub(/[,;] .*/, ""); print tolower(substr($0, 1, 1)) substr($0, 2); exit }')
[ $# = 0 ] || about='weather forecasts and electromagnetic waves by finite differences'
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%d)
printf '.\\" Made by packaging/manual.sh of what the program says.\n.TH %s 1 "%s" "Sferic%s" "User Commands"\n' \
    "$(tr '[:lower:]' '[:upper:]' <<<"$name" | sed 's/-/\\-/g')" "$date" "${version:+ $version}"
printf '.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n' "$(sed 's/-/\\-/g' <<<"$name")" "$(sed 's/-/\\-/g' <<<"$about")"
"$program" --help | body
for command; do
    printf '.SH %s\n' "$(tr '[:lower:]' '[:upper:]' <<<"$name $command")"
    "$program" "$command" --help | body
done
printf '.SH SEE ALSO\n/usr/share/doc/sferic/README.md\n'
