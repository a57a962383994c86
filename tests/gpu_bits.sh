#!/bin/bash
# The same bits on a GPU as on the CPU: every case of the bit matrix (tests/support_cases.sh) and small ones of what kernels treat
# apart, whole, cut into slabs, windows and passes, on 1, 2 and 3 ranks, and restarted from one on the other; and every number in
# the files of two runs.
#
#   BUILD=build/VARIANT tests/gpu_bits.sh        on this machine's GPU where VARIANT has CUDA, else on an emulated one
#   SF_GPU=1 BUILD=... tests/gpu_bits.sh         on a GPU, or it fails
#   MATRIX_CASES='small_open dipole' ...         these cases alone; sums: entries of the series
#
# What runs under one number of ranks runs in one process, tests/prog_matrix.c, with NaN in all memory that the plan does not promise
# to fill. On an emulated GPU every kernel of the uncut runs is run twice, in different orders of its blocks and threads. A failure is
# printed with the command that shows it.
# Long: it takes most of the time of the tests of an emulated GPU, and waits at times.
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2046,SC2086 # overrides are words, their quotes are the namelist's
# Full: it takes a build for the emulated GPU.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
BUILD=${BUILD#"$PWD"/} # legs are split at blanks; names in a checkout have none
bad=0
weather_steps=5 waves_steps=10 # of waves a pass of 8 and a rest
# Ranks and threads outnumber the cores: whoever waits sleeps.
export OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 KMP_BLOCKTIME=0 OMP_DYNAMIC=false OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none # two runs would share a core

# ---- the build ---------------------------------------------------------------------------------------------------------

# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
gpu=$BUILD races=0
if ! has_gpu; then
    [ "${SF_GPU:-0}" = 0 ] || gpu_demand
    emulate_build sferic tests/prog_matrix || exit 1
    gpu=$emulated races=1
fi
prog=$gpu/tests/prog_matrix
work=$gpu/gpu_bits
rm -rf "$work" && mkdir -p "$work/checkpoints" || exit 1
if [[ $gpu == *-mpi-* ]]; then launcher() { echo "mpirun -n $1 "; }; ranks="2 3"; else launcher() { :; }; ranks=; fi

# ---- cases -------------------------------------------------------------------------------------------------------------

# shellcheck source=tests/support_jobs.sh
. tests/support_jobs.sh
# shellcheck source=tests/support_cases.sh
. tests/support_cases.sh
cases_make "$prog" "$work" || exit 1
for m in off second fourth monotone constant; do
    small_add upwind_$m ${D}advection="'upwind3'" ${D}mixing="'$m'" ${D}viscosity=300 $([ $m = fourth ] || echo "$walls")
done
for m in off second fourth monotone constant; do
    small_add upwind5_$m ${D}advection="'upwind5'" ${D}mixing="'$m'" ${D}viscosity=300 $([ $m = fourth ] || echo "$walls")
done
small_add centred6_open $open ${D}advection="'centred6'" ${D}mixing="'monotone'"
small_add second_open $open ${D}mixing="'second'" ${D}tracers=0 ${I}variable=2*\'theta\'
small_add most_tracers ${D}tracers=32 ${I}tracer=1,32
# Tiles of tracers: whole ones, and ones that begin early; levels in two pieces; boxes that hold none.
for m in off second fourth monotone; do
    small_add tracer_tiles_$m grid%nx=45 grid%ny=31 ${D}mixing="'$m'" ${D}tracers=3 ${I}noise=0
done
small_add tracer_tiles_open grid%nx=71 grid%ny=34 grid%nz=33 $open ${D}tracers=2 ${I}noise=0
small_add tracer_tiles_inflow grid%nx=33 grid%ny=17 grid%nz=34 $open ${D}tracers=2 boundary%tracer_inflow=0.3 ${D}mixing="'fourth'"
small_add tracer_tiles_whole grid%nx=64 grid%ny=28 $walls ${D}tracers=1
# Tendencies and water in one kernel: buoyancy of no level, of some and of all; and where blocks do not begin with two columns.
wet="water%scheme='kessler' base%relative_humidity=1 water%autoconversion_from=0 water%autoconversion_rate=0.5"
small_add water_tiles $wet $open grid%nx=38 grid%ny=19 ${D}tracers=1
small_add water_damped $wet ${D}rayleigh_depth=900 ${D}advection="'upwind3'" ${D}mixing="'monotone'"
small_add water_uneven $wet ${D}rayleigh_depth=900 grid%nx=19 grid%ny=17
small_add constant_tracers ${D}mixing="'constant'" ${D}viscosity=300 ${D}tracers=3
# Kernels that see to the sides themselves: kinds of sides that no case above has in x and y, and one column or row between them.
wall_x="${B}west='wall' ${B}east='wall'" wall_y="${B}south='wall' ${B}north='wall'"
open_x="${B}west='open' ${B}east='open'" open_y="${B}south='open' ${B}north='open'"
small_add wall_x $wall_x
small_add wall_x_open_y $wall_x $open_y
small_add open_x_wall_y $open_x $wall_y
small_add open_west_north ${B}west="'open'" ${B}east="'wall'" ${B}south="'wall'" ${B}north="'open'"
for x in periodic wall open; do small_add column_$x grid%nx=1 ${B}west="'$x'" ${B}east="'$x'"; done
small_add section_walls grid%ny=1 $walls
small_add section_open grid%ny=1 $wall_x $open_y
# More columns, levels or rows than a block has, and fewer; one more, and one less.
small_add broad grid%nx=131 grid%ny=6 grid%nz=5 $open
# Ghosts east of them end where lines of the cache do, or one before.
small_add full_lines grid%nx=60 grid%ny=6 grid%nz=5 $open
small_add full_lines_periodic grid%nx=27 grid%ny=6 grid%nz=5
small_add deep grid%nx=9 grid%ny=7 grid%nz=67 grid%dz=40 time%dt=0.3 time%duration=1.5 $walls
# More levels than blocks of 32 columns take: those of 16, and columns that they do not fill.
small_add high grid%nx=21 grid%ny=5 grid%nz=150 grid%dz=20 time%dt=0.15 time%duration=0.75 $walls
small_add narrow grid%nx=4 grid%ny=11 grid%nz=4
small_add column grid%nx=65 grid%ny=4 grid%nz=33 grid%dz=80 time%dt=0.5 time%duration=2.5
# Ranks of so many rows that their exchanges travel behind the rows inside.
small_add parted grid%nx=6 grid%ny=300 grid%nz=5
small_add parted_open grid%nx=6 grid%ny=300 grid%nz=5 $open
small_add parted_walls grid%nx=6 grid%ny=300 grid%nz=5 $walls
seams="source%y=80e-3,121e-3,160e-3" # waves cross them
em_add parted grid%ny=220 $seams
em_add parted_periodic $seams grid%ny=220 ${B}south="'periodic'" ${B}north="'periodic'"
em_add sharp geometry%subpixel=.false. geometry%background="'lossy'"
em_add broad grid%nx=133 cpml%cells=2
em_add deep grid%nz=70 grid%dz=2.6e-4 time%dt=8e-13 cpml%cells=2
em_add thick_layers cpml%cells=6 grid%ny=24 grid%nz=20
em_add drives source%kind="'electric','magnetic','magnetic'" source%drive="'soft','hard','soft'" source%axis="'y','x','z'"
long_rows="grid%nx=20 grid%ny=110 grid%nz=14 cpml%cells=2"
em_add long $long_rows
em_add one_sweep maxwell%sweeps="'one'" grid%nx=133 cpml%cells=2
em_add one_sweep_strips maxwell%sweeps="'one'" grid%nx=174 grid%ny=9 grid%dy=2.1e-3 grid%nz=5 grid%dz=2.6e-3 cpml%cells=2
# Layers wider than a strip, and plain tiles between them.
em_add one_sweep_thick maxwell%sweeps="'one'" cpml%cells=40 grid%nx=400 grid%ny=4 grid%dy=4.8e-3 grid%nz=12 grid%dz=1.1e-3 $(sides cpml periodic pec) \
    "geometry%shape=5*'none'" source%x=0.19,0.2,0.21 "source%kind=3*'electric'"
em_add one_sweep_long maxwell%sweeps="'one'" $long_rows source%kind="'electric','magnetic','magnetic'"
# A side that repeats beside one that does not: ghosts of faces.
em_add one_sweep_round maxwell%sweeps="'one'" $(sides periodic pec cpml) $long_rows
em_add one_sweep_stacked maxwell%sweeps="'one'" $(sides pec cpml periodic) $long_rows grid%nx=21
# Two steps at once in the core, and what lies around it.
pair_add() { local name=pair_$1; shift; case_add "$name" maxwell tests/support_pair.nml "$@"; }
aside="source%y=2*13.7e-3 source%z=2*7.5e-3" # of blocks where no layer is
pair_add cpml
pair_add conductors $(sides pec pmc-pec pec) geometry%background="'lossy'" $aside
pair_add round $(sides periodic periodic periodic) $aside
pair_add seam $(sides cpml periodic pec) source%y=2*1e-3 source%z=2*7.5e-3
two_media="geometry%x=28e-3,75e-3 geometry%size_x=0,300e-3 geometry%y=9e-3,130e-3 geometry%size_y=0,128e-3 source%y=16.8e-3,95e-3 grid%nx=100 source%x=33e-3,60e-3"
pair_add parted grid%ny=150 $two_media
pair_add parted_periodic grid%ny=150 $(sides periodic periodic cpml) $two_media source%y=13.7e-3,95e-3
# Poles of a box, of a ball in it that shares edges with it, and of a lumped element; blocks without are the core.
pair_add poles "pole%medium='lossy','lossy','glass'" "pole%kind='debye','lorentz','lorentz'" pole%strength=3,1.5,0.7 pole%tau=1e-11 pole%omega=0,1.5e11,2e11 \
    pole%gamma=0,2e10,5e11 geometry%x=70e-3 geometry%y=44e-3 geometry%z=11e-3
# As many poles as kernels hold in registers, and more.
pair_add poles_more "pole%medium='lossy','lossy','glass','glass'" "pole%kind='debye','debye','lorentz','lorentz'" pole%strength=3,1.5,0.7,0.4 \
    pole%tau=1e-11,3e-12 pole%omega=0,0,1.5e11,2e11 pole%gamma=0,0,2e10,5e10 geometry%x=70e-3 geometry%y=44e-3 geometry%z=11e-3
pair_add poles_many "pole%medium=3*'lossy'" "pole%kind=3*'debye'" pole%strength=3,1.5,0.7 pole%tau=1e-11,3e-12,4e-12 $aside
# More frequencies than a kernel is handed at a time.
pair_add spectrum "spectrum%frequencies=$(seq -s, 1 200 | sed 's/,/e8,/g')e8"
pair_add poles_round "pole%medium='glass'" "pole%kind='drude'" pole%omega=2e11 pole%gamma=5e10 $(sides periodic periodic periodic) $aside
pair_add graded time%dt=1.7e-12 "grid%size_x=30*1.1e-3,154*0.9e-3" "grid%size_y=20*1.2e-3,24*1e-3" "grid%size_z=14*0.9e-3,10*1.3e-3"
pair_add wave source%kind="2*'none'" "geometry%shape=2*'none'" plane_wave%direction="'oblique'" plane_wave%theta=50 plane_wave%phi=30 plane_wave%margin=2 \
    plane_wave%frequency=2.2e10 plane_wave%delay=1e-12 grid%nx=90 grid%ny=50 grid%nz=44 time%duration=3.6e-11
pair_add wave_up source%kind="2*'none'" "geometry%shape=2*'none'" plane_wave%direction="'+z'" plane_wave%margin=3 plane_wave%frequency=2.2e10 \
    plane_wave%delay=1e-12 $(sides periodic periodic cpml) grid%nx=60 grid%ny=32 grid%nz=44 time%duration=3.6e-11
# A slice is its own neighbour along y: beside media it would have no core.
pair_add section grid%ny=1 grid%dy=44e-3 $(sides cpml periodic cpml) "monitor%kind=2*'fields'" "geometry%shape=2*'none'"
pair_add stacked $(sides cpml periodic periodic) $aside
pair_add no_core grid%nx=60 source%x=33e-3,43e-3 geometry%x=28e-3,14e-3 geometry%size_x=0,36e-3 geometry%y=9e-3,24e-3 geometry%size_y=0,80e-3
# Columns of 8 or 16 levels a warp, of more warps, and of more levels than they take.
for n in 21 75 96 150 270; do case_add columns_$n columns tests/support_columns.nml grid%nz=$n; done
case_add columns_thin columns tests/support_columns.nml grid%nz=2 grid%nx=33
# Vectors of columns: more than a block's, and a rest; fewer than one; four rows that a thread takes one after the other, and a rest.
for n in 4 5 45 134; do case_add vectors_$n vectors tests/support_vectors.nml grid%nx=$n; done
case_add vectors_rows vectors tests/support_vectors.nml grid%nx=8 grid%ny=523 grid%nz=3 boundary%west="'periodic'" boundary%east="'periodic'"
# Kernels that take no vectors: several levels of a column, and rows, of which some are left.
case_add kernels_levels kernels tests/support_kernels.nml
case_add kernels_rows kernels tests/support_kernels.nml grid%nx=8 grid%ny=400 grid%nz=9
em_add one_place source%x=3*10e-3 source%y=3*9e-3 source%z=3*6e-3 source%axis=3*\'z\' source%kind=3*\'electric\' source%drive="'current','hard','soft'"

# ---- legs --------------------------------------------------------------------------------------------------------------

# Runs of each case on the GPU take these cuts in turn: PASS SLABS WINDOW (rows x levels), EXCHANGE.
cuts=("1 1 0x0 auto" "2 1 3x0 auto" "4 3 0x0 auto" "8 2o 0x0 auto" "1 3 2x3 op" "2 7 5x2 pass" "4 7o 0x0 auto" "8 1 1x1 auto" "1 16 0x0 auto")
cut_sets() { # PASS SLABS WINDOW EXCHANGE
    local overlapped=.false.
    if [[ $2 == *o ]]; then overlapped=.true.; fi
    echo "pipeline%steps_per_pass=$1 pipeline%slabs=${2%o} pipeline%overlapped=$overlapped pipeline%exchange='$4'" \
        "pipeline%window_rows=${3%x*} pipeline%window_levels=${3#*x}"
}
on() { echo "pipeline%backend='$1' pipeline%threads=1"; }

# Labels are NAME:RANKS:KIND. Lists run in this order: the references and what leaves checkpoints, then what begins from those.
for n in "${!cases[@]}"; do
    read -r name model path sets <<<"${cases[n]}"
    last=$weather_steps at=$((1 + n % 4)) kept=$work/checkpoints/$name
    if [ "$model" = maxwell ]; then last=$waves_steps at=$((1 + n % 9)); fi
    if [[ $name == pair_wave* ]]; then last=20; fi # until the wave is in the core
    mkdir -p "$kept.cpu" "$kept.cuda"
    cut=$(cut_sets ${cuts[n % 8]})
    {
        echo "$name:1:plain $path 0 $last - - $sets $(on cpu)"
        echo "$name:1:plain $path 0 $at - $kept.cpu $sets $(on cpu)"
    } >>"$work/legs.1.plain.1"
    echo "$name:1:whole $path 0 $last - - $sets $(on cuda)" >>"$work/legs.1.whole.1"
    echo "$name:1:cut $path 0 $at - $kept.cuda $sets $(on cuda) $cut" >>"$work/legs.1.cut.1"
    if [ $((n / 8 % 2)) = 0 ]; then echo "$name:1:back $path $at $last $kept.cuda - $sets $(on cpu)" >>"$work/legs.2.back.1"; fi
    for r in 1 $ranks; do
        [[ $r = 1 || " $sets " != *" grid%ny=1 "* ]] || continue
        [ $r = 1 ] || [ $((n % 2)) = $((r % 2)) ] || [[ $name == *_parted* ]] || continue # every other case on 2 ranks, the others on 3
        echo "$name:$r:onward $path $at $last $kept.cpu - $sets $(on cuda) $(cut_sets ${cuts[(n + 3 * r) % 8]})" >>"$work/legs.2.onward.$r"
        [[ $r != 1 && $name == *_parted* ]] || continue
        for cut in "1 1 0x0 auto" "4 1 0x0 auto" "2 1 0x0 op"; do
            echo "$name:$r:behind $path 0 $last - - $sets $(on cuda) $(cut_sets $cut)" >>"$work/legs.2.behind.$r"
        done
        for cut in "1 1 0x0 auto" "2 1 0x0 op"; do # rows go through the host
            echo "$name:$r:hosted $path 0 $last - - $sets $(on cuda) $(cut_sets $cut)" >>"$work/legs.2.hosted.$r"
        done
    done
done

# ---- cores -------------------------------------------------------------------------------------------------------------

# That cases of two steps together have a core is seen where kernels are emulated, in a pass of two: where y and z repeat one is usual.
core_there() { # "NAME MODEL NAMELIST SET..."
    local name path words sets=() word expected=1 found=0
    read -r name _ path words <<<"$1"
    for word in $words; do sets+=(--set "$word"); done
    if [ "$name" = pair_no_core ]; then expected=0; fi
    EMULATE_TRACE=1 "$gpu/sferic" run "$path" "${sets[@]}" --set time%duration=3.4e-12 --set pipeline%steps_per_pass=2 --backend cuda --out "$work/core.$name" -q \
        >"$work/core.$name.txt" 2>&1 || { echo "$name: $(tail -n 1 "$work/core.$name.txt")"; return 1; }
    if grep -q both_steps "$work/core.$name.txt"; then found=1; fi
    [ $found = $expected ] || { echo "$name: a core: $found, not $expected"; return 1; }
}
pairs=()
for c in "${cases[@]}"; do if [[ $c == pair_* ]]; then pairs+=("$c"); fi; done
if [ $races = 1 ] && [ ${#pairs[@]} -gt 0 ]; then each "$cores" core_there "${pairs[@]}" || bad=1; fi

# ---- runs --------------------------------------------------------------------------------------------------------------

list_run() { # legs.ORDER.KIND.RANKS.PART
    local kind r part run=run rc name=${1#legs.}
    IFS=. read -r _ kind r part <<<"$name"
    if [ "$kind" = plain ]; then run=plain; fi
    if [ "$kind" = whole ]; then export EMULATE_RACES=$races; fi
    if [ "$kind" = hosted ]; then export SFERIC_PEERS=off; fi
    EMULATE_SEED=$((r + ${#kind} + 10#$part)) EMULATE_DEVICES=2 tools/patience $(launcher "$r")"$prog" $run "$work/legs.$name" \
        >"$work/bits.$name" 2>"$work/said.$name" </dev/null
    rc=$?
    # Every leg answers; one that fails says so by itself.
    if [ $rc -gt 1 ] || [ "$(wc -l <"$work/bits.$name")" != "$(wc -l <"$work/legs.$name")" ]; then
        echo "stopped with $rc: $(launcher "$r")$prog $run $work/legs.$name"
        sed -n "$(($(wc -l <"$work/bits.$name") + 1))p" "$work/legs.$name"
        grep -a 'emulated GPU: ' "$work/said.$name" || tail -n 20 "$work/said.$name"
        return 1
    fi
}

# In parts, as many at a time as there are cores; two on a GPU, whose memory they share.
for f in "$work"/legs.*; do split -d -a 3 -l 40 "$f" "$f." && rm "$f" || exit 1; done
for order in 1 2; do
    each $((races ? cores : 2)) list_run $(cd "$work" && compgen -G "legs.$order.*") || bad=1
done

# ---- comparison --------------------------------------------------------------------------------------------------------

# Each leg beside its answer, references first: ANSWER | LAUNCH | LEG
for f in "$work"/legs.1.plain.* "$work"/legs.1.[cw]* "$work"/legs.2.*; do
    IFS=. read -r _ _ _ r _ <<<"${f##*/}"
    paste -d '|' "${f/legs/bits}" <(sed "s#^#$(launcher "$r")$prog|#" "$f")
done | awk -F '|' '
    function wrong(what) { if (failures++ < 20) printf "%s: %s\n    %s leg \"%s\"\n", name, what, $2, $3 }
    {
        n = split($1, answer, " ")
        name = answer[1]; sub(/:.*/, "", name)
        kind = answer[1]; sub(/.*:/, "", kind)
        at = name " " answer[2]
        if (answer[3] == "failed" || n < 11) { wrong($1 == "" ? "no answer" : $1); next }
    }
    kind == "plain" {
        digest[at] = answer[3]
        if (!(name in first)) first[name] = answer[3]
        else if (first[name] == answer[3]) wrong("steps change nothing: there are no bits to compare")
        next
    }
    { runs++ }
    !(at in digest) || answer[3] != digest[at] {
        wrong("digest " answer[3] " after step " answer[2] ", and " digest[at] " on one thread of the CPU")
    }
    END {
        printf "%d runs: ", runs
        if (failures) printf "%d FAILED\n", failures
        else print "the same bits"
        exit failures > 0 || !runs
    }' || bad=1

# ---- files -------------------------------------------------------------------------------------------------------------

# Every value of every variable; attributes tell of the run and may differ.
files_same() { # NAMELIST SET...
    local name b f n=0 sets=()
    name=$(basename "$1" .nml)
    for f in "${@:2}"; do sets+=(--set "$f"); done
    for b in cpu cuda; do
        tools/patience $(launcher "${of_ranks:-1}")"$gpu/sferic" run "$1" "${sets[@]}" --backend $b --out "$work/$name.$b" --force -q >"$work/said" 2>&1 ||
            { echo "$name on $b: $(tail -n 3 "$work/said")"; return 1; }
    done
    for f in "$work/$name.cpu"/*.nc; do
        ncdump -p 9,17 "$f" | sed '1,/^data:/d' >"$work/one" && ncdump -p 9,17 "$work/$name.cuda/${f##*/}" | sed '1,/^data:/d' >"$work/other" &&
            [ -s "$work/one" ] && cmp "$work/one" "$work/other" || { echo "$name: ${f##*/} differs"; return 1; }
        n=$((n + 1))
    done
    echo "$name: $n files the same"
}
# Entries of the series, most of them without a frame: their sums are made where the state is. Energies that are asked for after every
# step may end a run. Lines end within a part of the tree or with it, and rows have more lines than a block holds sums of.
sums_same() {
    local E="tests/support_em.nml time%series_interval=3.6e-12 time%output_interval=1.4e-11" W="$work/small.nml time%series_interval=1 time%output_interval=4"
    local magnetic plain ends="stop%energy=1e-4 time%check_interval=1 time%duration=6e-11"
    magnetic=$(sides pmc pmc pmc)
    plain="geometry%shape=5*'none' monitor%kind=6*'fields' monitor%west=6*-1 monitor%east=6*1 monitor%south=6*-1 monitor%north=6*1 monitor%bottom=6*-1 monitor%top=6*1"
    plain+=" source%y=3*2e-3 source%z=3*2e-3 output%probe_y=3*2e-3 output%probe_z=3*2e-3"
    files_same $E && files_same $E $magnetic && files_same $E $(sides periodic periodic periodic) "geometry%background='lossy'" &&
        files_same $E grid%nx=1 $plain $(sides periodic pmc pmc) source%x=3*0 output%probe_x=3*0 && files_same $E grid%nx=173 grid%nz=190 $magnetic &&
        files_same $E grid%nx=700 grid%ny=5 grid%nz=6 cpml%cells=1 $plain && files_same $E maxwell%sweeps="'one'" && files_same $E $ends &&
        files_same tests/support_pair.nml time%series_interval=8e-12 time%output_interval=2e-11 || return 1
    files_same $W && files_same $W $walls && files_same $W $open && files_same $W $open_x $wall_y && files_same $W grid%ny=1 $wall_x &&
        files_same $W output%profiles=.true. && files_same $W grid%nx=131 $wall_x ${D}coriolis_f=1e-3 grid%translation_u=4 &&
        files_same $W $open ${D}hold_mass="'on'" ${D}hold_steps=1 && files_same $W $open ${D}side_budget=true &&
        files_same $W $open ${D}side_budget=true water%scheme="'saturation'" || return 1
    # What the ground and &forcing give, and water that is held with it.
    local ground="surface%drag='roughness' surface%heat='temperature' surface%temperature=310" wet="base%relative_humidity=1 surface%wetness=0.5"
    files_same $W $ground && files_same $W $open $ground $wet water%scheme="'kessler'" ${D}side_budget=true && files_same $W $ground $wet \
        water%scheme="'kessler'" forcing%z=0 forcing%theta_rate=1e-3 forcing%qv_rate=1e-6 ${D}hold_water="'on'" ${D}hold_steps=1 &&
        files_same $W $ground $wet $walls water%scheme="'kessler'" ${D}tracers=1 ${D}mixing="'off'" map%projection="'mercator'" \
            map%centre_latitude=40 map%earth_radius=5e4 || return 1
    [[ $gpu != *-mpi-* ]] || { of_ranks=2 files_same $E && of_ranks=3 files_same $E $magnetic && of_ranks=2 files_same $W $open; }
}
if [[ " ${MATRIX_CASES:-sums} " == *" sums "* ]]; then sums_same || bad=1; fi
if [ -z "${MATRIX_CASES:-}" ] && ! command -v ncdump >/dev/null; then
    echo 'FAILED: no ncdump, which files are compared with: install netcdf-bin'
    bad=1
elif [ -z "${MATRIX_CASES:-}" ]; then
    files_same "$work/small.nml" time%output_interval=3 ${D}tracers=2 || bad=1
    files_same tests/support_em.nml time%output_interval=3.6e-12 || bad=1
    # What rank 0 collects on the way does not take the rows that its neighbour on both sides sends.
    if [[ $gpu == *-mpi-* ]]; then
        cat >"$work/round.nml" <<END
&case name = 'round', model = 'maxwell' /
&grid nx = 8, ny = 3, nz = 4, dx = 1e-2, dy = 1.1e-2, dz = 0.9e-2 /
&time duration = 1.87e-10, output_interval = 6e-11 /
&boundary south = 'periodic', north = 'periodic', west = 'pec', east = 'pec', bottom = 'periodic', top = 'periodic' /
&maxwell allow_coarse = .true. /
&source kind = 'electric', axis = 'y', x = 0.04, y = 0.01, z = 0.01, frequency = 3e9 /
END
        of_ranks=2 files_same "$work/round.nml" || bad=1
    fi
    # Streamed, through folded memory: what is written is a copy of the state that is left behind.
    files_same "$work/small.nml" $tall time%output_interval=3 pipeline%slabs=14 || bad=1
    files_same tests/support_em.nml ${long_rows} time%output_interval=3.6e-12 pipeline%slabs=16 pipeline%steps_per_pass=2 || bad=1
fi

# What ranks cannot open of each other's goes through the host, message by message: all, or from some place on.
ways() { # EXPECTED SET: how rows come to rank 0, with SET in its environment
    local said expected=$1 set=$2
    set -- "$gpu/sferic" run tests/support_em.nml --backend cuda --out "$work/ways" --force -v
    said=$(EMULATE_DEVICES=2 tools/patience mpirun -n 1 env "$set" "$@" : -n 2 "$@" 2>"$work/said" |
        sed -n 's/^  rows of other ranks come to rank 0 //p; /^digest/p' | paste -sd ' ')
    : "${whole:=${said##* }}"
    [ "$said" = "$expected digest $whole" ] || { echo "rows with $set: '$said', not '$expected'"; tail -n 3 "$work/said"; bad=1; }
}
if [ $races = 1 ] && [ -n "$ranks" ]; then # on an emulated GPU
    whole=
    ways 'from GPU to GPU' EMULATE_PEERS=1000
    ways 'through the host' SFERIC_PEERS=off
    for n in 0 1 2; do ways 'through the host' EMULATE_PEERS=$n; done
    ways 'from GPU to GPU or through the host' EMULATE_PEERS=3
fi

# A device that cannot fold memory says so.
if [ $races = 1 ]; then # on an emulated GPU
    EMULATE_FOLDS=0 "$gpu/sferic" run tests/support_em.nml --set pipeline%slabs=3 --backend cuda --out "$work/unfolded" --force -q >"$work/said" 2>&1
    [ $? = 7 ] && grep -q 'several addresses' "$work/said" || { echo "without folded memory: $(tail -n 3 "$work/said")"; bad=1; }
fi

echo "${#cases[@]} cases, ranks 1 $ranks, $gpu"
if [ $bad = 0 ]; then rm -rf "$work"; fi
exit $bad
