#!/bin/bash
# sferic bench refuses what it cannot measure before it begins, and leaves nothing behind. Its figures are never tested.
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${SFERIC:?the path of the binary under test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# refused EXIT-CODE TEXT ARGUMENT...
refused() {
    local code=0 want=$1 text=$2
    shift 2
    "$SFERIC" bench "$@" >"$work/out" 2>&1 || code=$?
    if [ "$code" != "$want" ] || ! grep -qF -- "$text" "$work/out"; then
        echo "sferic bench $*: exit code $code, expected $want with '$text'"
        cat "$work/out"
        exit 1
    fi
}

refused 2 'expected cells west-east' --size 64
refused 2 'expected cells west-east' --size 64x64x4
refused 2 'expected cells west-east' --size 64x64x64x
refused 2 'expected a number from 1' --threads 0
refused 2 'expected a number from 1' --threads two
refused 2 'choose periodic or wall' --sides open
refused 2 'choose auto, cpu or cuda' --backend gpu
refused 2 'needs a value' --backend
refused 2 '--set needs a case' --set grid%nx=32
refused 2 'a namelist says its own' case.nml --model dynamics
refused 3 'nothing.nml' "$work/nothing.nml"
refused 2 "did you mean '--quick'" --quik
refused 0 'Usage: sferic bench' --help
TMPDIR=$work/none refused 6 'set TMPDIR'
# A case of a user's model: its step and stages; and windows of all of them, with what picks cost.
namelists=$(cd "$(dirname "$0")/../namelists" && pwd)
export XDG_CACHE_HOME=$work/cache
mkdir "$XDG_CACHE_HOME"
refused 0 'The step of acoustic, model acoustic' "$namelists/acoustic.nml" --quick --backend cpu --threads 1 --size 16x8x16
for word in '^  1 +[0-9.]+ ' '^  sound ' '1 step in a pass'; do
    grep -qE -- "$word" "$work/out" || { echo "bench of a case does not say '$word':" && cat "$work/out" && exit 1; }
done
refused 0 'Shapes of the step, heat, 16 x 12 x 16' "$namelists/heat.nml" --tune --quick --backend cpu --threads 1 --size 16x12x16
for word in '^Shapes of diffuse, heat' '^  shape .* issue +load/store +L2 +DRAM +latency +predicted +measured +ratio' \
    '^  \*1 step, .* rows x .* levels +1 ' '^   8 steps, ' 'fastest: .*; the model would pick .*; \*, the own pick, '; do
    grep -qE -- "$word" "$work/out" || { echo "bench --tune of a case does not say '$word':" && cat "$work/out" && exit 1; }
done
grep -q 'kappa' <("$SFERIC" bench "$namelists/heat.nml" --set parameters%kappa=-1 2>&1 || true) || { echo 'a wrong --set is not told' && exit 1; }
# Stopped, it takes its directory with it; what it was told to ignore does not stop it.
(trap '' HUP; exec "$SFERIC" bench --quick --backend cpu) >"$work/out" 2>&1 &
for _ in $(seq 100); do [ -z "$(ls -A "$TMPDIR")" ] || break; sleep 0.05; done
[ -n "$(ls -A "$TMPDIR")" ] || { echo 'no directory of a benchmark is seen'; exit 1; }
kill -HUP $!
sleep 0.2
kill -TERM $!
code=0
wait $! || code=$?
[ $code = 143 ] || { echo "a benchmark ended with $code after SIGTERM"; exit 1; }
[ -z "$(ls -A "$TMPDIR")" ] || { echo "left behind: $(ls -A "$TMPDIR")" && exit 1; }
# The figures of runs: the script goes to its end with small domains, whatever it measures.
figures() { BACKEND=cpu STEPS=1 SHRINK=8 "$(dirname "$0")/../tools/figures.sh" "$@" >"$work/out" 2>&1; }
code=0
figures nothing || code=$?
[ $code = 2 ] || { echo "figures.sh of nothing: exit code $code"; exit 1; }
{ figures gpus && { [ "$(grep -cE '[0-9.e+]+ Mpoint/s .*[0-9a-f]{16}$' "$work/out")" = 10 ] || grep -q 'without MPI' "$work/out"; }; } ||
    { echo 'figures.sh gpus:'; cat "$work/out"; exit 1; }
