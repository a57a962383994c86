#!/bin/bash
# The documents: every shipped case is in the gallery with its picture, and in the table of README.md; the page is what the namelists say; the
# site is built without a warning, every key of `explain --json` is on it, all that a page points to is there, and nothing comes from elsewhere.
# usage: tests/docs.sh
# SPDX-License-Identifier: MIT
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
SFERIC=$(realpath "${SFERIC:?the binary under test}") || exit 1
export SFERIC
export PYTHONDONTWRITEBYTECODE=1
failed=0
fail() { echo "FAILED: $1"; failed=1; }
python=
for p in "${PYTHON:-}" python3 /usr/bin/python3 /usr/local/bin/python3; do
    if [ -n "$p" ] && "$p" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then python=$p; break; fi
done
[ -n "$python" ] || { echo "FAILED: no python3: run tools/setup.sh"; exit 1; }

"$python" -B "$root/tools/gallery" --check || fail 'the gallery'

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
if ! "$root/tools/site" --have 2>"$work/have.txt"; then
    [ "${CI:-}" != 1 ] || { cat "$work/have.txt"; fail 'the site cannot be built here: tools/setup.sh --site'; }
    [ $failed = 0 ] || exit 1
    echo 'skipped: no Sphinx for the site: tools/setup.sh --site'
    exit 77
fi

# A copy of the tree's documents with faults of each kind: none may pass.
bad() { # WHAT PAGE TEXT
    rm -rf "$work/tree"
    mkdir "$work/tree"
    cp -r "$root"/{README.md,CONTRIBUTING.md,CHANGELOG.md,docs,tools} "$work/tree/"
    printf '%s\n' "$3" >>"$work/tree/$2"
    echo '# A page that the order does not name' >"$work/tree/docs/unknown.md"
    if "$work/tree/tools/site" "$work/bad" --check >"$work/bad.txt" 2>&1; then fail "the site is built with $1"; fi
    grep -q "WARNING" "$work/bad.txt" || { cat "$work/bad.txt"; fail "what is told of $1"; }
}
bad 'a broken link' docs/speed.md $'\n[there](nowhere.md) [none](guide.md#no-such-heading)\n\n![none](none.png)'
if grep -q 'unknown' "$work/bad.txt"; then fail 'a page that the order of tools/site does not name'; fi
for word in nowhere no-such-heading none.png; do
    grep -q "$word" "$work/bad.txt" || fail "$word is not told"
done

if "$root/tools/site" "$work/site" >"$work/site.txt" 2>&1; then
    "$python" -B "$root/tests/support_docs.py" "$work/site" "$SFERIC" || failed=1
else
    cat "$work/site.txt"
    fail 'the site'
fi
exit $failed
