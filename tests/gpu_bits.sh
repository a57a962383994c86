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
cases_of_kernels

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
