#!/bin/bash
# &pipeline threads holds for all that computes: sweeps, set-up, sums, series, output. OpenMP tells of the threads that it starts
# (OMP_DISPLAY_AFFINITY). And more threads than four for each core of the process are cut to these and told, with the bits of one.
# `SFERIC=binary tests/threads.sh`
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
: "${SFERIC:?the path of the binary under test}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic-threads-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0 failures=0
most=$((4 * $(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)))
[ $most -le 1024 ] || most=1024
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    /' said | head -20
}

cat >weather.nml <<'END'
&case name = 'threads' /
&grid nx = 12, ny = 12, nz = 8, dx = 500, dy = 500, dz = 500 /
&time duration = 8, dt = 2, output_interval = 4, series_interval = 2, restart_interval = 4 /
&initial shape = 'cosine', amplitude = 2, x = 3000, y = 3000, z = 2000, radius_x = 2000, radius_y = 2000, radius_z = 1500 /
&output probe_x = 3000, probe_y = 3000, probe_z = 2000 /
END
cat >em.nml <<'END'
&case name = 'threads', model = 'maxwell' /
&grid nx = 16, ny = 12, nz = 14, dx = 0.01, dy = 0.01, dz = 0.01 /
&boundary west = 'pec', east = 'pec', south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /
&time duration = 2e-10, output_interval = 1e-10, series_interval = 1e-10 /
&medium name = 'glass', epsilon = 2.25 /
&geometry shape = 'sphere', medium = 'glass', x = 0.08, y = 0.06, z = 0.07, radius = 0.03 /
&source kind = 'electric', x = 0.04, y = 0.06, z = 0.07, frequency = 1e9 /
&output probe_x = 0.1, probe_y = 0.06, probe_z = 0.07 /
END

# run MODEL THREADS-OF-THE-ENVIRONMENT OVERRIDE...: `said` has all that was told
run() {
    local model=$1 environment=$2
    shift 2
    checks=$((checks + 1))
    OMP_DYNAMIC=false OMP_NUM_THREADS=$environment OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='openmp: thread %n of %N' \
        "$here/../tools/patience" "$SFERIC" run "$model.nml" --out "$model" --force --backend cpu "$@" >said 2>&1 ||
        fail "$model with OMP_NUM_THREADS=$environment $*: exit code $?"
}
digest() { sed -n 's/^digest //p' said; }

for model in weather em; do
    run $model 4 --set pipeline%threads=1
    ! grep -q 'openmp: thread .* of [2-9]' said || fail "$model: with threads = 1 OpenMP starts others"
    one=$(digest)
    run $model 4 --set pipeline%threads=3
    if "$SFERIC" --version | grep -q '^OpenMP *none'; then :
    elif ! grep -qE 'openmp: thread .* of [23]|computed with 1 of 3 threads' said; then fail "$model: nothing is told of 3 threads: this test sees nothing"; fi
    ! grep -q 'openmp: thread .* of 4' said || fail "$model: with threads = 3 a part takes OMP_NUM_THREADS"
    [ "$(digest)" = "$one" ] || fail "$model: other bits with 3 threads"
    run $model 1000000
    grep -q "OMP_NUM_THREADS = 1000000, and this process may run on .*: $most threads are taken, 4 a core at most" said || fail "$model: a million threads are not told"
    [ "$(digest)" = "$one" ] || fail "$model: other bits with OMP_NUM_THREADS=1000000"
    run $model 1 --set pipeline%threads=1024
    grep -q "threads = 1024, and this process may run on .*: $most threads are taken" said || fail "$model: 1024 threads are not told"
    ! grep -q "openmp: thread .* of $((most + 1))" said || fail "$model: 1024 threads are started"
    [ "$(digest)" = "$one" ] || fail "$model: other bits with threads = 1024"
done
# One core, whatever the machine has.
if command -v taskset >/dev/null; then
    checks=$((checks + 1))
    taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')" "$SFERIC" check weather.nml --backend cpu --set pipeline%threads=1024 >said 2>&1
    grep -q 'threads = 1024, and this process may run on 1 core: 4 threads are taken' said || fail 'the core that taskset leaves is not counted'
fi
echo "$failures of $checks checks went wrong"
[ $failures = 0 ]
