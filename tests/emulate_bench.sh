#!/bin/bash
# Does sferic bench go to its end on a GPU, here on an emulated one, whose figures mean nothing? Are shapes of kernels tried, kept and
# used, with the same bits? BUILD=build/VARIANT tests/emulate_bench.sh
# Long: the GPU is emulated.
# SPDX-License-Identifier: MIT
# Full: it takes a build for the emulated GPU.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
emulate_begin sferic
sferic=$PWD/$emulated/sferic
mkdir "$work/tmp"
export TMPDIR=$work/tmp XDG_CACHE_HOME=$work/cache EMULATE_MEMORY=$((1 << 30))
mkdir "$XDG_CACHE_HOME"
bad=0

# says WHAT PATTERN...: all of them in what was said last
says() {
    local what=$1 p
    shift
    for p in "$@"; do
        grep -qE -- "$p" "$work/said" && continue
        echo "FAILED: $what does not say '$p'"
        bad=1
    done
}

# bench ARGUMENT...: goes to its end and leaves nothing behind
bench() {
    "$sferic" bench --quick --backend cuda "$@" >"$work/said" 2>"$work/err" || {
        echo "FAILED: exit code $? of sferic bench $*"
        cat "$work/said" "$work/err"
        bad=1
    }
    [ -z "$(ls -A "$TMPDIR")" ] || { echo "left behind: $(ls -A "$TMPDIR")" && bad=1; }
}

bench --size 16x16x16
says bench '^Ceilings of emulated GPU, 4 multiprocessors' '^  memory, copied' '^  to the host, pinned' '^  advmix ' \
    '^  The step: .* Gpoint-steps/s' '^Cost by size, on the GPU' '^History output' '^  e ' 'With a plane of 20 spectra'
grep -q '^ceilings .* emulated GPU' "$XDG_CACHE_HOME/sferic/measured" || { echo 'FAILED: ceilings are not remembered' && bad=1; }

cat >"$work/case.nml" <<'END'
&case name = 'warm' /
&grid nx = 24, ny = 24, nz = 12, dx = 500, dy = 500, dz = 500 /
&time duration = 4, dt = 1 /
&initial shape = 'cosine', amplitude = 2, x = 6000, y = 6000, z = 2000, radius_x = 3000, radius_y = 3000, radius_z = 1500 /
END
# digest FILE ARGUMENT...: of a run
digest() { "$sferic" run "$work/case.nml" --out "$work/out" --force --backend "$@" 2>"$work/err" | tee "$work/said" | sed -n 's/^digest //p'; }
own=$(digest cuda)
says run '^  speed +[0-9.e-]+ Mpoint/s, .* of the limit of .* set by (memory|issue|FMA); instructions are not counted'
bench --tune --model dynamics --size 32x32x32
says bench '^Shapes of advmix, dynamics, 32 x 32 x 32' '  shape .* issue +load/store +L2 +DRAM +latency' 'fastest: .*; the model would pick' \
    '^Shapes of wpi_first, ' '^Shapes of theta, ' '^   128 x 8, 8 rows ' '^Shapes of uv, ' '^  \*the only one ' '^  \*as the launch picks '
"$sferic" bench --stream --quick --backend cuda --model dynamics --size 16x16x16 >"$work/said" 2>"$work/err"
[ $? = 9 ] && grep -q 'do not stream through a quarter .* even in [0-9]* slabs' "$work/err" || { echo "FAILED: too few rows to stream: $(cat "$work/err")" && bad=1; }
bench --tune --model maxwell --size 16x16x16
says 'bench --tune' '^Shapes of e, maxwell, ' '^  \*the only one '
# A user's model: its step and stages, and all shapes of its kernels.
bench namelists/acoustic.nml --size 24x12x16
says 'bench of a case' 'The step of acoustic, model acoustic, .* 24 x 12 x 16 cells' '^  sound ' '^  The step: .* Gpoint-steps/s'
bench namelists/acoustic.nml --size 24x12x16 --tune
says 'bench --tune of a case' '^Shapes of sound, acoustic, 24 x 12 x 16' '^   128 x 8, 16 rows .*~' 'fastest: .*the own pick'
user() { "$sferic" run namelists/acoustic.nml --set grid%nx=40 --set grid%ny=12 --set grid%nz=24 --set time%duration=0.01 --out "$work/out" --force --backend "$1" 2>"$work/err" | sed -n 's/^digest //p'; }
grep -q "^shape .* acoustic sound " "$XDG_CACHE_HOME/sferic/measured" || { echo 'FAILED: shapes of a user'"'"'s model are not remembered' && bad=1; }
# Whichever of its shapes is remembered, the bits are the same.
grep '^shape ' "$XDG_CACHE_HOME/sferic/measured" >"$work/shapes"
for n in -1 0 1; do
    sed -i "s/^\(shape .*\t\) *[0-9-]*/\1 $n/" "$XDG_CACHE_HOME/sferic/measured"
    [ "$(digest cuda)" = "$own" ] || { echo "FAILED: shape $n gives other bits" && cat "$work/err" && bad=1; }
done
for n in 0 4 14; do
    sed -i "s/^\(shape .* acoustic .*\t\) *[0-9-]*/\1 $n/" "$XDG_CACHE_HOME/sferic/measured"
    theirs=$(user cuda)
    [ -n "$theirs" ] && [ "$theirs" = "$(user cpu)" ] || { echo "FAILED: shape $n of a user's model gives other bits" && cat "$work/err" && bad=1; }
done
[ -n "$own" ] && [ "$(digest cpu)" = "$own" ] || { echo "FAILED: digest '$own' is not the CPU's" && bad=1; }
[ -s "$work/shapes" ] || { echo 'FAILED: the best shape is not remembered' && bad=1; }
exit $bad
