#!/bin/bash
# Every namelist of the project, 50 steps as it stands, on the GPU and on the CPU: the same digest. On two ranks that share the GPU,
# where the case has rows for both, too.
#
#   BUILD=build/VARIANT tests/gpu/namelists.sh [NAMELIST...]
#
# Long: the CPU's part takes most of it.
# SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
gpu_demand
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none # ranks would share a core
steps=50 runs=0 bad=0
[ $# -gt 0 ] || set -- namelists/*.nml

# digest WHAT LAUNCHER...: of the one leg that the file WHAT has
digest() {
    local what=$1 name step digest rest
    shift
    "$@" "$BUILD/tests/prog_matrix" plain "$work/$what" >"$work/$what.bits" 2>"$work/$what.said"
    read -r name step digest rest <"$work/$what.bits" || digest="nothing: $(tail -n 1 "$work/$what.said")"
    [ "$digest" != failed ] || digest="failed: $name $step $rest"
    echo "$digest"
}

# same NAME WANTED GOT HOW
same() {
    runs=$((runs + 1))
    [ "$2" = "$3" ] && [[ $2 =~ ^[0-9a-f]{16}$ ]] && return
    printf 'FAILED: %s, %d steps: %s on the CPU, %s %s\n' "$1" $steps "$2" "$3" "$4"
    bad=1
}

for path; do
    name=$(basename "$path" .nml)
    echo "$name:1:plain $path 0 $steps - - pipeline%backend='cpu'" >"$work/cpu"
    echo "$name:1:plain $path 0 $steps - - pipeline%backend='cuda'" >"$work/gpu"
    wanted=$(digest cpu)
    same "$name" "$wanted" "$(digest gpu)" 'on the GPU'
    [[ ${BUILD##*/} == *-mpi-* ]] || continue
    rows=$("$BUILD/sferic" check "$path" 2>/dev/null | sed -n 's/^ *grid: *[0-9]* x \([0-9]*\) x.*/\1/p')
    [ -n "$rows" ] || { echo "FAILED: sferic check does not tell the grid of $path"; bad=1; }
    [ "${rows:-0}" -gt 16 ] || continue
    same "$name" "$wanted" "$(digest gpu mpirun -n 2)" 'on two ranks that share the GPU'
done
echo "$runs runs, $steps steps each"
exit $bad
