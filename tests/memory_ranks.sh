#!/bin/bash
# One allocation on one of two ranks fails, wherever the program's own code makes one: the job ends with a message and an exit
# code of the program, on both ranks; it never hangs and never crashes.
#   SFERIC  the program; TRIALS  of how many allocations a rank (10), in dry air and in moist; SF_FULL=1: every one
# Long: most of a job is waiting.
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C
: "${SFERIC:?the path of the binary under test}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0 OMP_NUM_THREADS=1
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v mpirun >/dev/null || "$SFERIC" --version | grep -q '^MPI *none'; then
    echo 'one rank only: nothing to test'
    exit 77
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_memory_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
# shellcheck disable=SC2086 # a compiler and its options are several words
${CC:-cc} -O1 -fPIC -shared "$here/shim_memory.c" -o shim.so || exit 1

# The CUDA runtime is linked into the program, and crashes where it gets no memory.
cudart=$(nm "$SFERIC" 2>/dev/null | awk '$2 ~ /^[tT]$/ && $3 ~ /^(__cudart|cuda[A-Z])/ { print $1 }' | sort | sed -n '1p;$p' | tr '\n' ' ')
cat >dry.nml <<'END'
&case name = 'case' /
&grid nx = 12, ny = 12, nz = 8, dx = 500, dy = 500, dz = 500 /
&time duration = 8, dt = 2, output_interval = 4, restart_interval = 4, check_interval = 1 /
&initial shape = 'cosine', amplitude = 2, x = 3000, y = 3000, z = 2000, radius_x = 2000, radius_y = 2000, radius_z = 1500 /
&output probe_x = 1000, probe_y = 1000, probe_z = 1000 /
END
{ cat dry.nml; echo "&water scheme = 'kessler' / &boundary west = 'open', east = 'open', south = 'open', north = 'open' /"; } >wet.nml
echo "&base profile = 'constant_n', relative_humidity = 1, wind = 'constant', wind_u = 5 /" >>wet.nml
# run RANK ALLOCATION: exit code in $rc
run() {
    PATIENCE_IDLE=30 PATIENCE_BUSY=60 "$here/../tools/patience" mpirun -n 2 -x LD_PRELOAD="$work/shim.so" -x SHIM_RANK="$1" -x SHIM_FAIL="$2" -x SHIM_COUNT="$PWD/count" -x SHIM_SKIP="${cudart:-0 0}" \
        "$SFERIC" run "$work/$air.nml" --force -q >out.txt 2>err </dev/null
    rc=$?
}
# In a directory of its own; the last line is BAD TRIED REFUSED.
rank_try() { # RANK
    local rank=$1 bad=0 tried=0 refused=0 count trials n at
    mkdir -p "$air$rank" && cd "$air$rank" || return
    run "$rank" 0
    count=$(cat count)
    trials=${TRIALS:-10}
    [ "${SF_FULL:-0}" = 1 ] || [ "$trials" -gt "$count" ] && trials=$count
    for ((n = 0; n < trials; n++)); do
        at=$((n + 1))
        # Every other one lies in the last fifth, where output is opened and written.
        [ "$trials" = "$count" ] || at=$((n % 2 ? count - n * count / (5 * trials) : 1 + n * count / trials))
        run "$rank" $at
        tried=$((tried + 1))
        [ $rc = 0 ] || refused=$((refused + 1))
        if [ $rc = 124 ] || [ $rc = 125 ] || [ $rc -ge 128 ]; then echo "rank $rank, allocation $at of $count: exit code $rc"
        elif [ $rc != 0 ] && ! grep -q '^sferic: error' err; then echo "rank $rank, allocation $at of $count: no message"
        elif [ $rc = 0 ] && ! grep -q "^digest $whole\$" out.txt; then echo "rank $rank, allocation $at of $count: other bits"
        else continue; fi
        cat err
        bad=$((bad + 1))
    done
    echo "$bad $tried $refused"
}
bad=0 tried=0 refused=0
for air in dry wet; do
    run 1 0
    whole=$(sed -n 's/^digest //p' out.txt)
    [ $rc = 0 ] && [ -n "$whole" ] || { cat err; echo "the undisturbed run of $air air ends with $rc"; exit 1; }
    # Most of a job is waiting: both at once.
    for rank in 0 1; do rank_try $rank >told$rank & done
    wait
    for rank in 0 1; do
        head -n -1 told$rank
        read -r b t r <<<"$(tail -n 1 told$rank)"
        [ "${t:-0}" -gt 0 ] || { echo "$air air, rank $rank: no allocation was tried"; bad=1; }
        bad=$((bad + b)) tried=$((tried + t)) refused=$((refused + r))
    done
done
[ $refused -gt 0 ] || { echo 'no allocation failed: the shim does not work'; bad=1; }
echo "$bad of $tried failed allocations went wrong; $refused ended the run"
[ $bad = 0 ]
