#!/bin/bash
# Slabs that stream: the same files as with one slab that stays, a plan that tells what a run then moves, a timeline.
# SFERIC=build/VARIANT/sferic tests/streaming.sh
# SPDX-License-Identifier: MIT
set -uo pipefail
: "${SFERIC:?the program}"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=1
failed=0 passed=0
check() { # WHAT COMMAND...
    if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $1"; fi
}

# Many rows for their skew, so that memory is folded several times.
case=namelists/norman_2011.nml
sets=()
for s in grid%nx=12 grid%ny=160 grid%nz=10 grid%dz=500 grid%stretch_ratio=1 initial%x=-10000,-10000 initial%y=-11000,-11000 time%dt=1 time%duration=12 \
    time%output_interval=4 time%restart_interval=8; do sets+=(--set "$s"); done
run() { # NAME ARGUMENTS...
    "$SFERIC" run "$case" "${sets[@]}" --backend cpu --out "$work/$1" --force "${@:2}" >"$work/$1.said" 2>"$work/$1.notes" ||
        { tail -n 3 "$work/$1.notes"; return 1; }
}
digest() { grep -o 'digest [0-9a-f]*' "$work/$1.said"; }
data_same() { # NAME OF ANOTHER
    local f
    for f in "$work/$1"/history_*.nc "$work/$1"/series.nc; do
        ncdump -p 9,17 "$f" | sed '1,/^data:/d' >"$work/one" && [ -s "$work/one" ] || return 1
        ncdump -p 9,17 "$work/$2/${f##*/}" | sed '1,/^data:/d' | cmp - "$work/one" || return 1
    done
}
check 'one slab' run whole
for cut in 1:14 2:14 1:3; do
    name=cut${cut/:/x}
    check "steps:slabs $cut" run "$name" --set pipeline%steps_per_pass=${cut%:*} --set pipeline%slabs=${cut#*:} --timeline "$work/$name.json"
    check "digest of $cut" [ "$(digest "$name")" = "$(digest whole)" ]
    check "files of $cut" data_same whole "$name"
done
check 'going on from a checkpoint' run resumed --restart "$(ls "$work"/cut1x14/restart_*.nc | head -n 1)" --set pipeline%slabs=9
check 'its digest' [ "$(digest resumed)" = "$(digest whole)" ]

# What a run moves in a pass is what the plan said.
planned() { # in MiB: in, out
    "$SFERIC" plan "$case" "${sets[@]}" --backend cpu --set pipeline%slabs=14 2>/dev/null |
        sed -n 's/^streamed: 14 skewed .* brings \([0-9.]*\) MiB in and takes \([0-9.]*\) MiB out$/\1 \2/p'
}
moved() { sed -n 's/.* \([0-9.]*\) MiB in and \([0-9.]*\) MiB out a pass in the mean of \([0-9]*\), but [0-9.]* MiB in with the first; planned \([0-9.]*\) and \([0-9.]*\).*/\1 \2 \3 \4 \5/p' "$work/cut1x14.said"; }
near() {
    local p m
    read -r p _ <<<"$(planned)" && read -r -a m <<<"$(moved)" || return 1
    awk -v p="$p" -v in_="${m[0]}" -v n="${m[2]}" -v q="${m[3]}" 'BEGIN { exit !(n == 12 && p > 0 && p == q && in_ >= p && in_ < 1.02 * p) }' ||
        { echo "planned $(planned), moved $(moved)"; return 1; }
}
check 'bytes beside the plan' near
whole_in() { "$SFERIC" plan "$case" "${sets[@]}" --backend cpu --set pipeline%slabs=2 --set pipeline%overlapped=.true. 2>/dev/null | grep -o 'brings [0-9.]*' | tr -dc 0-9.; }
check 'rows that stay do not come again' awk -v a="$(planned | cut -d' ' -f1)" -v b="$(whole_in)" 'BEGIN { exit !(a > 0 && a < 0.8 * b) }'

# Of ranks, too, whose rows go to each other: rank 0 of three, and of one whose domain repeats.
ghosts() { # RANKS
    local launch=() m
    [ "$1" = 1 ] || launch=(mpirun -n "$1")
    "${launch[@]}" "$SFERIC" run "$case" "${sets[@]}" --set "boundary%south='periodic'" --set "boundary%north='periodic'" --backend cpu \
        --set grid%ny=480 --set pipeline%slabs=5 --set pipeline%steps_per_pass=1 --out "$work/ghosts" --force >"$work/cut1x14.said" 2>&1
    read -r -a m <<<"$(moved)"
    awk -v in_="${m[0]}" -v out="${m[1]}" -v p="${m[3]}" -v q="${m[4]}" 'BEGIN { exit !(p > 0 && q > 0 && in_ > 0.98 * p && in_ < 1.02 * p && out > 0.95 * q && out < 1.05 * q) }' ||
        { tail -n 4 "$work/cut1x14.said"; return 1; }
}
check 'bytes beside the plan, y repeats' ghosts 1
if command -v mpirun >/dev/null && ! grep -q '^MPI *none' <("$SFERIC" --version); then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
    check 'bytes beside the plan, ranks' ghosts 3
fi

# 12 passes of 14 slabs: each is computed, and most come and go, in eight pieces at most; and the files.
spans() { python3 - "$work/cut1x14.json" <<'END'
import json, sys
spans = [s for s in json.load(open(sys.argv[1]))["traceEvents"] if s["ph"] == "X"]
lane = {}
for s in spans:
    if s["name"] not in ("in", "out"): # what goes home between passes, and ghost rows
        lane.setdefault(s["cat"], []).append(s)
ok = len(lane["compute"]) == 12 * 14 and len(lane["output"]) >= 4
for n in ("in", "out"):
    slabs = {(s["args"]["step"], s["args"]["slab"]) for s in lane[n]}
    ok &= 12 * 7 < len(slabs) <= 12 * 14 and len(slabs) < len(lane[n]) <= 8 * len(slabs)
ok &= sorted({s["args"]["slab"] for s in lane["compute"]}) == list(range(14))
if not ok:
    print({n: len(s) for n, s in lane.items()})
sys.exit(not ok)
END
}
check 'timeline' spans
"$SFERIC" run "$case" "${sets[@]}" --backend cpu --out "$work/lost" --timeline "$work/none/t.json" -q >"$work/lost.said" 2>&1
check 'a timeline that cannot be written' [ $? = 6 ]
echo "$passed passed, $failed failed"
[ $failed = 0 ]
