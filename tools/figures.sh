#!/bin/bash
# The figures of runs that docs/speed.md gives, taken again on a machine with a GPU: rates by size, slabs that stream with a quarter of
# the memory, numbers of slabs and steps of a pass, what history and checkpoints cost, a GPU that another program fills, several GPUs.
#
#   SFERIC=build/VARIANT/sferic tools/figures.sh [sizes] [stream] [slabs] [output] [ballast] [gpus]      the first four without a name
#
# A line each: what, rate, its share of what it is compared with in the same call, digest. STEPS: of a weather run, waves take twice as
# many; GPUS: numbers of ranks, '1 2 4 8'; MODELS: of slabs that stream, weather (dry), moist (between periodic sides), storm (open ones), waves; SHRINK: 2, 4 or 8, by which domains have fewer cells a side, for a trial of the script; BACKEND=cpu for one without a GPU. The
# exit code is 1 where digests differ, a run fails, or its fields are zero. Rates are of computing alone, as a run tells them; first steps are among them.
# SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
sferic=${SFERIC:-$(make -s path)} models=${MODELS:-weather moist storm waves} steps=${STEPS:-160} shrink=${SHRINK:-1} gpus=${GPUS:-1 2} backend=${BACKEND:-cuda} bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_rmaps_base_oversubscribe=1

# case_write MODEL NX NY NZ FACTOR: writes $work/case.nml of so many cells for FACTOR times as many steps
case_write() {
    local nx=$(($2 / shrink)) ny=$(($3 / shrink)) nz=$(($4 / shrink)) n=$((steps * $5))
    cells="$nx x $ny x $nz" model=$1
    if [ "$1" = weather ]; then
        cat >"$work/case.nml" <<END
&case name = 'weather' /
&grid nx = $nx, ny = $ny, nz = $nz, dx = 500, dy = 500, dz = 125 /
&time duration = $((2 * n)), dt = 2, check_interval = $n, output_interval = $((2 * n)) /
&dynamics small_steps = 6, mixing = 'fourth', mixing_rate = 1e-3 /
&boundary west = 'wall', east = 'wall', south = 'wall', north = 'wall' /
&initial
    shape = 'cosine', amplitude = 2, x = $((250 * nx)), y = $((250 * ny)), z = $((40 * nz)), radius_x = $((100 * nx)), radius_y = $((100 * ny)), radius_z = $((30 * nz)) /
&output fields = 'w' /
END
    elif [ "$1" != waves ]; then # moist air between periodic sides, or a storm between open ones
        local side=periodic
        [ "$1" = moist ] || side=open
        cat >"$work/case.nml" <<END
&case name = '$1' /
&grid nx = $nx, ny = $ny, nz = $nz, dx = 500, dy = 500, dz = $((20000 / nz)), translation_u = 12.5, translation_v = 3 /
&time duration = $((2 * n)), dt = 2, check_interval = $n, output_interval = $((2 * n)) /
&dynamics small_steps = 6, mixing = 'fourth', mixing_rate = 1e-4, expected_speed = 20, expected_vertical_speed = 20 /
&water scheme = 'kessler' /
&base
    profile = 'weisman_klemp', moist_layer = 0.014, wind = 'quarter_circle', turn_radius = 7, turn_top = 2000, wind_u_top = 31, wind_v_top = 7, shear_top = 6000 /
&boundary west = '$side', east = '$side', south = '$side', north = '$side' /
&initial
    shape = 'cosine_squared', amplitude = 3, x = $((250 * nx)), y = $((250 * ny)), z = 1500, radius_x = $((100 * nx)), radius_y = $((100 * ny)), radius_z = 1500 /
&output fields = 'w' /
END
    else
        cat >"$work/case.nml" <<END
&case name = 'waves', model = 'maxwell' /
&grid nx = $nx, ny = $ny, nz = $nz, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = $((2 * n))e-12, dt = 1e-12, check_interval = $((2 * n)), output_interval = $((2 * n))e-12 /
&boundary west = 'cpml', east = 'cpml', south = 'cpml', north = 'cpml', bottom = 'cpml', top = 'cpml' /
&cpml cells = 10 /
&medium name = 'glass', epsilon = 4 /
&geometry shape = 'sphere', medium = 'glass', x = $((nx / 3))e-3, y = $((ny / 2))e-3, z = $((nz / 2))e-3, radius = $((nz / 8))e-3 /
&source kind = 'electric', axis = 'z', x = $((nx / 2))e-3, y = $((ny / 2))e-3, z = $((nz / 2))e-3, frequency = 5e9 /
&output fields = 'Ez', probe_x = $((nx / 4))e-3, probe_y = $((ny / 4))e-3, probe_z = $((nz / 2))e-3 /
END
    fi
}

# moves: does what $work/err says of the last run's end tell of fields that are not zero?
moves() {
    local name=energy value
    [ "$model" = waves ] || name=w_max
    value=$(tr '\r' '\n' <"$work/err" | sed -nE "s/.* $name ([-+0-9.e]+) .*/\1/p" | tail -n 1)
    awk -v x="${value:-0}" 'BEGIN { exit !(x > 0) }' && return
    echo "      FAILED: fields are zero at the end: $name ${value:-is not told}"
    return 1
}

# run WHAT LAUNCHER -- ARGUMENT...: $rate in Mpoint/s and $digest of $work/case.nml; the line, with its share of $whole if there is one
run() {
    local what=$1 launch=() share=''
    shift
    while [ "$1" != -- ]; do launch+=("$1"); shift; done
    shift
    if ! "${launch[@]}" "$sferic" run "$work/case.nml" --backend "$backend" --out "$work/out" --force "$@" >"$work/said" 2>"$work/err"; then
        printf '%-44s FAILED: %s\n' "$what" "$(grep -h error "$work/err" "$work/said" | head -n 1)"
        bad=1 rate=0 digest=''
        return
    fi
    rate=$(sed -nE 's/^ +computing .* ([0-9.e+]+) Mpoint\/s.*/\1/p' "$work/said") digest=$(sed -n 's/^digest //p' "$work/said")
    [ -z "${whole:-}" ] || share=$(awk -v a="$rate" -v b="$whole" 'BEGIN { printf "%.1f %%", 100 * a / b }')
    printf '%-44s %12s Mpoint/s %8s  %s\n' "$what" "$rate" "$share" "$digest"
    grep -E "^ +(streaming|resident|${also:-resident}) " "$work/said" | sed 's/^ */      /'
    moves || bad=1
    if [ -n "${wanted:-}" ] && [ "$digest" != "$wanted" ]; then
        echo "      FAILED: other bits than $wanted"
        bad=1
    fi
}

# first WHAT LAUNCHER -- ARGUMENT...: what those that follow are compared with
first() {
    whole='' wanted=''
    run "$@"
    if [ "$model" = waves ] && ! "$sferic" check "$work/case.nml" --backend "$backend" 2>&1 | grep -q 'sources: 1,'; then
        echo '      FAILED: the case has no source'
        bad=1
    fi
    whole=$rate wanted=$digest
}

# need: MiB on the GPU of $work/case.nml where it stays
need() { "$sferic" plan "$work/case.nml" --backend "$backend" | sed -nE 's/^GPU memory: ([0-9]+).*/\1/p'; }

figure_sizes() {
    local size
    for size in '1024 1024 128 1' '512 512 128 2' '256 256 128 4' '128 128 128 16' '64 64 64 64'; do
        # shellcheck disable=SC2086 # four words
        case_write weather $size
        first "weather, $cells" --
        run '    again' --
    done
    for size in '1024 1024 1024 1' '768 768 768 1' '512 512 512 2' '256 256 256 8'; do
        # shellcheck disable=SC2086 # four words
        case_write waves $size
        first "waves, $cells" --
    done
}

# quarter MODEL NX NY NZ: resident, with a quarter of the memory, resident
quarter() {
    local mib
    case_write "$@" 3
    mib=$(need)
    [ -n "$mib" ] || { echo "FAILED: no need of $*"; bad=1; return; }
    first "$1, $cells" --
    run "    in $((mib / 4)) of $mib MiB" -- --set pipeline%device_memory_mib=$((mib / 4))
    run '    again as it stays' --
}

figure_stream() {
    local model
    for model in $models; do quarter "$model" 1024 1024 "$([ "$model" = waves ] && echo 1024 || echo 128)"; done
}

figure_slabs() {
    local model t n turns
    for model in weather waves; do
        turns='1 2 4'
        [ "$model" = weather ] || turns='1 2 8 24'
        if [ "$model" = weather ]; then case_write weather 256 512 128 1; else case_write waves 256 512 256 1; fi
        first "$model, $cells" --
        for t in $turns; do
            for n in 3 5 9; do
                run "    $n slabs, $t steps a pass" -- --set pipeline%slabs="$n" --set pipeline%steps_per_pass="$t"
            done
        done
    done
}

# What a frame costs every 100 steps, and a checkpoint, which has many times its bytes: beside the rate what the run waited.
figure_output() {
    local also='computing|output|behind it|saved' mib cap set
    case_write weather 1024 1024 128 3
    mib=$(need)
    for cap in '' $((${mib:-0} / 4)); do
        set=(${cap:+--set "pipeline%device_memory_mib=$cap"})
        first "weather, $cells${cap:+ in $cap MiB}" -- "${set[@]}"
        run '    a frame every 100 steps' -- "${set[@]}" --set time%output_interval=200
        run "    a checkpoint every $((3 * steps / 2)) steps" -- "${set[@]}" --set time%restart_interval=$((3 * steps))
    done
}

# Another program leaves 2.7 GiB of the GPU: the domain streams by itself.
figure_ballast() {
    case_write weather 1024 1024 128 1
    first "weather, $cells" --
    mkfifo "$work/ready" "$work/over"
    python3 - "$work/ready" "$work/over" <<'END' &
import ctypes
import sys
cuda = ctypes.CDLL("libcuda.so.1")
device, context = ctypes.c_int(), ctypes.c_void_p()
free, every, at = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_uint64()
def call(name, *args):
    rc = getattr(cuda, name)(*args)
    if rc:
        sys.exit(f"{name}: CUDA error {rc}")
try:
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(every))
    call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(free.value - int(2.7 * 2**30)))
finally:
    open(sys.argv[1], "w").close()
open(sys.argv[2]).close()
END
    cat "$work/ready"
    run '    where another program has all but 2.7 GiB' --
    : >"$work/over"
    wait
}

# Weak scaling: twice the rows on two GPUs.
# Weak scaling, a rank a GPU and rows along j: 512 x 512 x 128 cells of weather each, 512^3 of waves; what one rank makes of the largest domain
# has the same bits. Strong scaling of 1024 x 1024 x 128 and 1024^3.
figure_gpus() {
    local model of n last=1
    if "$sferic" --version | grep -qE '^MPI +none'; then
        echo 'more GPUs: built without MPI'
        return
    fi
    for model in weather waves; do
        of=128
        [ "$model" = weather ] || of=512
        for n in $gpus; do
            case_write "$model" 512 $((512 * n)) "$of" 2
            if [ "$n" = 1 ]; then
                first "$model, $cells" --
                one=$rate
                continue
            fi
            wanted='' whole=$(awk -v a="$one" -v n="$n" 'BEGIN { print n * a }') last=$n
            run "    $cells, $n ranks" mpirun -np "$n" --
        done
        [ "$last" = 1 ] || { wanted=$digest whole=''; run '    one rank' --; }
        of=128
        [ "$model" = weather ] || of=1024
        case_write "$model" 1024 1024 "$of" 2
        first "$model, $cells" --
        one=$rate
        for n in $gpus; do
            [ "$n" = 1 ] && continue
            whole=$(awk -v a="$one" -v n="$n" 'BEGIN { print n * a }')
            run "    $n ranks" mpirun -np "$n" --
        done
    done
}

[ $# -gt 0 ] || set -- sizes stream slabs output
for part; do
    declare -F "figure_$part" >/dev/null || { echo "tools/figures.sh: '$part': sizes, stream, slabs, output, ballast or gpus" >&2; exit 2; }
    "figure_$part"
done
exit $bad
