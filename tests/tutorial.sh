#!/bin/bash
# The tutorials as a reader types them: every command ends well, prints what the page says that it prints, with numbers within what the page
# allows, and leaves the files that the page names. usage: tests/tutorial.sh [PAGE]...
# TUTORIAL_KEEP=FOLDER keeps what the commands leave, for the pictures of the pages (tools/gallery --small).
# Long: runs of both models, and pictures.
# SPDX-License-Identifier: MIT
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
sferic=${SFERIC:?the binary under test}
# shellcheck source=tests/support_find_python.sh
. "$root/tests/support_find_python.sh" xarray netCDF4 matplotlib
export PYTHON=$python PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 LC_ALL=C.UTF-8
work=${TUTORIAL_KEEP:-}
if [ -z "$work" ]; then
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
fi

# A tree of sources that has been built, and the python3 of a reader whose packages are there.
mkdir -p "$work/bin" "$work/sources/build"
ln -s "$(realpath "$sferic")" "$work/sources/build/sferic"
for d in tools data namelists docs; do ln -s "$root/$d" "$work/sources/$d"; done
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$python")" >"$work/bin/python3"
chmod +x "$work/bin/python3"
export PATH=$work/bin:$PATH
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache} # HOME is the reader's: what is measured and found once stays

[ $# != 0 ] || set -- "$root"/docs/tutorial_*.md
failed=0
for page in "$@"; do
    name=$(basename "$page" .md)
    mkdir "$work/$name"
    for f in "$work/sources"/*; do ln -s "$f" "$work/$name/"; done
    "$python" -B "$root/tests/support_tutorial.py" "$page" "$work/$name" || { echo "FAILED: $page"; failed=1; }
done
exit $failed
