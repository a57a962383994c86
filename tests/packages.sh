#!/bin/bash
# What packages are made of: recipes name this version and files that are there, and every command has its part of the manual. Packages
# themselves are built by `make deb` and looked at by packaging/check-deb.sh. `SFERIC=binary tests/packages.sh` SPDX-License-Identifier: MIT
set -uo pipefail
: "${SFERIC:?the path of the binary under test}"
SFERIC=$(realpath "$SFERIC")
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
checks=0 failures=0
check() { # WHAT COMMAND...
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" >"$work/log" 2>&1 && return
    failures=$((failures + 1))
    echo "FAILED: $what"
    sed 's/^/    /' "$work/log" | tail -n 12
}
version=$(sed -n 's/^VERSION := //p' Makefile)
check 'a version' test -n "$version"
check 'the version of the conda recipe' grep -qx "  version: \"$version\"" packaging/conda/recipe.yaml
check 'the version of CITATION.cff' grep -qx "version: $version" CITATION.cff

# The source that recipes name is the root of this tree.
check 'the source of the conda recipe' test -f "packaging/conda/$(sed -n 's/^  path: //p' packaging/conda/recipe.yaml)/Makefile"
spack=packaging/spack/spack_repo/sferic/packages/sferic
ups=$(sed -n 's/.*\[".."\] \* \([0-9]*\).*/\1/p' $spack/package.py)
check 'the source of the Spack recipe' test -f "$spack/$(printf '../%.0s' $(seq "${ups:-0}"))Makefile"
check 'the API of the Spack recipe' grep -qE '^  api: v2\.' packaging/spack/spack_repo/sferic/repo.yaml
if command -v python3 >/dev/null; then
    check 'the Spack recipe is Python' python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' $spack/package.py
fi
# Options that recipes give to make are options of the Makefile.
for option in $(cat packaging/conda/recipe.yaml $spack/package.py | grep -oE '\b(CC|ARCH|PREC|MPI|CUDA|CUDA_ARCH|NVCC|prefix|CFLAGS|LDFLAGS)=' | sort -u); do
    check "make knows ${option%=}" grep -qE "^(ifeq \(\\$\(origin )?${option%=}( [?:]?=|,default)" Makefile
done
check 'recipes give options' grep -q 'MPI=' $spack/package.py
for target in deb-alone install; do check "make has $target" grep -qE "^$target:" Makefile; done
# The link to the program that one works with is not led to that of a package.
links() { make -n all CUDA=0 MPI=0 SAN= "$@" 2>/dev/null | grep -c 'ln -sfn .* build/sferic$'; }
check 'a build leads the link to itself' [ "$(links)" = 1 ]
check 'one with LINK=0 does not' [ "$(links LINK=0)" = 0 ]
check 'packages are built so' grep -qE '^deb_flags = .* LINK=0 ' Makefile
check 'the image builds what the Makefile has' grep -q 'make deb-alone deb_arch=' packaging/Containerfile
for script in packaging/*.sh packaging/debian/prerm; do
    check "$script can be run" test -x "$script"
    check "$script is a script" bash -n "$script"
done

# manual SECTION... : a page of the program
commands=$("$SFERIC" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
check 'commands' test "$(wc -w <<<"$commands")" -ge 9
# shellcheck disable=SC2086 # one word each
packaging/manual.sh "$SFERIC" $commands >"$work/sferic.1"
for command in $commands; do
    check "the manual tells of $command" grep -q "^.SH SFERIC ${command^^}\$" "$work/sferic.1"
done
check 'options are items of the manual' grep -qx '.B \\-\\-backend NAME' "$work/sferic.1"
check 'and have their meaning' grep -A 1 -x '.B \\-\\-backend NAME' "$work/sferic.1"
check 'its name' grep -qx 'sferic \\- weather forecasts and electromagnetic waves by finite differences' "$work/sferic.1"
for tool in plot view prepare against resonances bscan; do
    packaging/manual.sh tools/sferic-$tool >"$work/tool.1"
    check "the manual of sferic-$tool has a name" grep -qE "^sferic..$tool .. [a-z].{10}" "$work/tool.1"
    check "and an option" grep -q '^.B .-h, ' "$work/tool.1"
done
if command -v groff >/dev/null; then
    check 'groff has nothing to say' bash -c '[ -z "$(groff -man -Tutf8 -ww -z "$0" 2>&1)" ]' "$work/sferic.1"
fi

echo "$checks checks, $failures failed"
[ $failures = 0 ]
