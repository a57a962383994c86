#!/bin/bash
# The timeline of several ranks: BUILD=build/VARIANT tests/timeline.sh. Every rank's spans in their order, in more than one
# piece, in JSON that python takes; a failure is told on all ranks alike, and none waits.
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${BUILD:?the build directory}"
prog=$BUILD/tests/prog_timeline
export LC_ALL=C
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_mpi_yield_when_idle=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$prog" "$work/alone.json" 10
python3 -m json.tool "$work/alone.json" >"$work/said"
if ! command -v mpirun >/dev/null || [[ ${BUILD##*/} != *-mpi-* ]]; then
    echo "a timeline of one rank; this build has no MPI: several are skipped"
    exit 0
fi

timeout -k 5 60 mpirun -n 3 "$prog" "$work/three.json" 20000
python3 - "$work/three.json" <<'PY'
import json
import sys
trace = json.load(open(sys.argv[1], encoding="utf-8"))
spans = [e for e in trace["traceEvents"] if e["ph"] == "X"]
assert trace["otherData"] == {"program": "sferic", "ranks": 3}
assert [e["pid"] for e in spans] == 20000 * [1] + 40000 * [2], "by rank"
for rank in (1, 2):
    mine = [e for e in spans if e["pid"] == rank]
    assert [e["args"]["slab"] for e in mine] == list(range(20000 * rank)), "in their order"
    assert all(abs(e["ts"] - 1000 * (n + rank - 1)) < 0.01 and abs(e["dur"] - 1000) < 0.01 for n, e in enumerate(mine))
    assert all(abs(a["ts"] + a["dur"] - b["ts"]) < 1e-3 for a, b in zip(mine, mine[1:])), "one follows the other"
names = [(e["pid"], e["args"]["name"]) for e in trace["traceEvents"] if e["name"] == "process_name"]
assert names == [(0, "rank 0"), (1, "rank 1"), (2, "rank 2")]
PY
files=$(printf 'alone.json\nsaid\nthree.json')
[ "$(ls "$work")" = "$files" ] || { ls "$work"; echo "something is left beside the timelines"; exit 1; }

# told_by_all WHAT TEXT: the exit code is that of output, and each rank says TEXT
told_by_all() {
    if [ $code != 6 ] || [ "$(grep -c "rank [012]: cannot write .*$2" "$work/said")" != 3 ]; then
        cat "$work/said"
        echo "$1: exit code $code"
        exit 1
    fi
}
code=0
timeout -k 5 60 mpirun -n 3 "$prog" "$work/nowhere/three.json" 10 >"$work/said" 2>&1 || code=$?
told_by_all "a directory that is not there" "nowhere/three.json': No such file"

# The first blocks go to the disk, a later one does not: rank 0 alone sees it, while the others send.
code=0
timeout -k 5 60 mpirun -n 3 "$prog" "$work/large.json" 20000 1000000 >"$work/said" 2>&1 || code=$?
told_by_all "a file too large" "large.json': File too large"
[ "$(ls "$work")" = "$files" ] || { ls "$work"; echo "part of a timeline is left"; exit 1; }
echo "timelines of 1 and 3 ranks"
