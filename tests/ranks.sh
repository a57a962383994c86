#!/bin/bash
# Random programs and the heat equation give the same bits under 1, 2, 3 and 4 ranks, and a message of more bytes than an int
# counts arrives whole: BUILD=build/VARIANT tests/ranks.sh
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${BUILD:?the build directory}"
prog=$BUILD/tests/prog_ranks
programs=${RANKS_PROGRAMS:-400}
# Ranks and threads outnumber the cores: whoever waits sleeps.
export OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 KMP_BLOCKTIME=0 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_base_warn_component_unused=0

if [ "$("$prog" --mpi)" = none ]; then
    "$prog" "$programs" 0 2
    echo "this build has no MPI: 2, 3 and 4 ranks are skipped"
    exit 0
fi
tools/patience mpirun -n 2 "$prog" --large
for ranks in 1 2 3 4; do
    # Other programs for each; few rows for each rank come up often, being drawn from 1 to 24 for all.
    tools/patience mpirun -n $ranks "$prog" "$programs" $((ranks * 1000)) 2
done
