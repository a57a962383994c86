#!/bin/bash
# Checkpoints of a state on a GPU, here an emulated one, are written while it computes on: those of the CPU, value by value, however the
# rows are cut, and a run goes on from them. BUILD=build/VARIANT tests/checkpoints_behind.sh
# SPDX-License-Identifier: MIT
# Full: it takes a build for the emulated GPU.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
emulate_begin sferic
export OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export EMULATE_MEMORY=$((8 << 30))
bad=0
cat >"$work/case.nml" <<END
&case name = 'case' /
&grid nx = 16, ny = 240, nz = 8, dx = 500, dy = 500, dz = 250 /
&time duration = 48, dt = 2, restart_interval = 14, series_interval = 6, check_interval = 50 /
&initial shape = 'cosine_squared', amplitude = 3, z = 1000, x = 4000, y = 60000, radius_x = 4000, radius_y = 8000, radius_z = 800 /
END

# What the two checkpoints hold that are kept, and the series, but for its history.
saved() {
    for f in "$work/$1"/restart_*.nc; do ncdump -h "$f" | grep -E ':(step|time|data_xxh3|extra) ='; done
    ncdump "$work/$1"/series*.nc | sed -n '/^data:/,$p'
}
# run NAME RANKS ARGUMENT...: to its end, or until it is stopped
run() {
    local name=$1 ranks=$2 launch=()
    shift 2
    [ "$ranks" -gt 1 ] && launch=(mpirun -n "$ranks")
    "${launch[@]}" "$emulated/sferic" run "$work/case.nml" --out "$work/$name" "$@" >"$work/$name.txt" 2>&1
}
# same NAME: as on the CPU
same() {
    local digest
    digest=$(grep '^digest' "$work/$1.txt")
    [ "$digest" = "$whole" ] || { echo "FAILED: $1: '$digest', not '$whole': $(tail -n 3 "$work/$1.txt")"; bad=1; }
    [ "$(saved "$1")" = "$(saved cpu)" ] || { echo "FAILED: $1: other checkpoints or series than on the CPU"; bad=1; }
}
run cpu 1 --backend cpu
whole=$(grep '^digest' "$work/cpu.txt")
if [ -z "$whole" ] || [ "$(saved cpu | grep -c xxh3)" != 2 ]; then
    echo "FAILED: on the CPU: $(cat "$work/cpu.txt")"
    exit 1
fi
has_mpi=0
[[ ${emulated##*/} == *-mpi-* ]] && command -v mpirun >/dev/null && has_mpi=1
while read -r name ranks slabs; do
    [[ $ranks -gt 1 && $has_mpi = 0 ]] && continue
    run "$name" "$ranks" --backend cuda --set pipeline%slabs="$slabs" --set pipeline%steps_per_pass=2 </dev/null
    same "$name"
    # Three on their way, and the last one at the end; two of the four are still there.
    if ! grep -qE '^  saved +4 checkpoints, 3 while the GPU computed on,' "$work/$name.txt" || ! grep -qE '^  behind it ' "$work/$name.txt"; then
        echo "FAILED: $name: nothing was saved behind the steps: $(cat "$work/$name.txt")"
        bad=1
    fi
done <<END
whole 1 1
slabs 1 3
ranks 2 1
both 2 2
three 3 1
END
# A stop waits for its checkpoint, one step after one began and at the step where one is due.
for stop in 8 7; do
    run "stop$stop" 1 --backend cuda --stop-after-steps $stop
    if [ $? != 75 ] || ! grep -q '"newest": {"file": "restart_000000000'$stop'.nc"' "$work/stop$stop/restart.json"; then
        echo "FAILED: stopped after $stop steps: $(cat "$work/stop$stop.txt")"
        bad=1
    fi
    run "stop$stop" 1 --backend cuda --set pipeline%slabs=3 --restart auto
    same "stop$stop"
done
exit $bad
