#!/bin/bash
# The model of roles (tests/toy_roles.h) under 1, 2 and 3 ranks, on the CPU and where $BUILD has one on a GPU, real or emulated:
# BUILD=build/VARIANT tests/roles.sh
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${BUILD:?the build directory}"
prog=$BUILD/tests/prog_roles cases=${ROLES_CASES:-60}
# Ranks and threads outnumber the cores: whoever waits sleeps.
export OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 KMP_BLOCKTIME=0 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ranks="1 2 3"
[[ $BUILD == *-mpi-* ]] || ranks=1
on=()
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
if [[ $BUILD == *-emulate-* ]] || { [[ $BUILD == *-cuda-* ]] && has_gpu; }; then on=(cuda) cases=$((cases < 20 ? cases : 20)); fi
for n in $ranks; do
    launch=()
    if [ "$n" != 1 ]; then launch=(mpirun -n "$n"); fi
    EMULATE_DEVICES=2 tools/patience "${launch[@]}" "$prog" "$work" "$cases" $((n * 1000)) 2 "${on[@]}"
done
