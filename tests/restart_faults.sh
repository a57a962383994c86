#!/usr/bin/env bash
# Faults put into real runs: kills, damaged checkpoints, signals, a full disk, a blow-up. After each the run must end with
# its exit code, nothing torn may carry a final name, and going on must give the bits of the undisturbed run.
#   SFERIC  the program         CASE  the namelist; when not given, dry air and then rain over warm, wet ground between open sides, which are small
#   SETS    overrides that make the case small           WET  1: it rains in it, and the ground gives heat and vapour
#   KILLS, DAMAGES              how many of each (20 and 50); SF_FULL=1: 200 and 500; of rain a quarter
# Long: hundreds of runs.
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C
SFERIC=${SFERIC:?names the program to test}
here=$(cd "$(dirname "$0")" && pwd)
if [ "${SF_FULL:-0}" = 1 ]; then KILLS=${KILLS:-200} DAMAGES=${DAMAGES:-500}; fi
KILLS=${KILLS:-20} DAMAGES=${DAMAGES:-50}
if [ -z "${CASE:-}" ]; then
    export KILLS DAMAGES
    CASE=$here/../namelists/warm_bubble.nml WET=0 \
        SETS='grid%nx=32 grid%ny=32 grid%nz=20 grid%dx=375 grid%dy=375 grid%dz=500 time%dt=1.5 pipeline%threads=1' "$0"
    dry=$?
    KILLS=$(((KILLS + 3) / 4)) DAMAGES=$(((DAMAGES + 3) / 4)) # of each kind of damage one in ten goes on by `auto`
    CASE=$here/../namelists/supercell.nml WET=1 DURATION=${DURATION:-240} \
        SETS="grid%nx=24 grid%ny=24 grid%nz=20 grid%dz=1000 grid%origin_x=-24000 grid%origin_y=-24000 pipeline%threads=1
            initial%shape='cosine_squared','cosine','cosine' initial%variable='theta','rain','cloud' initial%amplitude=3,4e-3,2e-3
            initial%x=0,-15000,6000 initial%y=0,-10000,6000 initial%z=1400,1500,3000
            initial%radius_x=3*10000 initial%radius_y=3*10000 initial%radius_z=3*1500
            surface%drag='roughness' surface%heat='temperature' surface%temperature=305 surface%wetness=1" "$0"
    exit $((dry || $?))
fi
[ -f "$CASE" ] || { echo "no namelist: set CASE" >&2; exit 1; }
sets=()
for s in ${SETS-}; do sets+=(--set "$s"); done
RANDOM=4711

work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_faults_XXXXXX")
mounted=
trap 'cd /; [ -n "$mounted" ] && umount "$mounted"; rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0 cores=$(nproc 2>/dev/null || echo 2)
fail() { echo "FAIL $*" >&2; bad=$((bad + 1)); }
good() { echo "ok   $*"; }
now() { date +%s.%N; }
calc() { awk "BEGIN { printf \"%.6f\", $* }"; }
holds() { awk "BEGIN { exit !($*) }"; }
random_below() { echo $(((RANDOM * 32768 + RANDOM) % $1)); }

duration=${DURATION:-60}
# What the program is started with, in `args`.
args_to() { # directory, options
    args=(run "$CASE" "${sets[@]}" --out "$1" -q --set output%frames_per_file=1 --set time%duration="$duration")
    for s in restart output series; do args+=(--set time%${s}_interval="$interval"); done
    args+=("${@:2}")
}
# Ends with the exit code of the program; messages go to `log`.
run_to() {
    args_to "$@"
    "$SFERIC" "${args[@]}" 2>log
}
start_to() { # the same in the background, $pid is the program itself
    args_to "$@"
    "$SFERIC" "${args[@]}" 2>log &
    pid=$!
}
newest() { ls "$1"/restart_??????????.nc 2>/dev/null | tail -n 1; }
attribute() { ncdump -h "$1" | sed -n "s/^[[:space:]]*:$2 = \"\{0,1\}\([^\" ;]*\).*/\1/p"; }
numbers_of() { ncdump -p 9,17 "$@" | sed '1,/^data:/d'; }
# The last state: step, time and digest of the newest checkpoint, and all numbers of the last history file and of the series.
result_of() {
    local last
    last=$(newest "$1")
    [ -n "$last" ] || { echo "no checkpoint in $1"; return; }
    echo "$(attribute "$last" step) $(attribute "$last" time) $(attribute "$last" data_xxh3)"
    last=$(ls "$1"/history_*.nc | tail -n 1)
    { numbers_of "$last"; numbers_of "$1/series.nc"; } | cksum
}
# Every file with a final name opens and reads to its end. Those that were read before, and have not been changed since, do.
declare -A was_read=()
all_open() {
    local torn file fresh=() files=()
    while IFS= read -r -d '' file; do
        [ -n "${was_read[$file]:-}" ] || { fresh+=("$file") && files+=("${file#* * * }"); }
    done < <(find "$1" -maxdepth 1 -name '*.nc' -printf '%i %s %C@ %p\0' 2>/dev/null)
    [ ${#files[@]} -gt 0 ] || return 0
    torn=$(printf '%s\0' "${files[@]}" |
        xargs -0 -r -n 1 -P "$cores" sh -c 'ncdump "$0" >/dev/null 2>&1 || echo "${0##*/}"') || torn='xargs fails'
    [ -z "$torn" ] || { fail "$2: does not read: $torn"; return 1; }
    for file in "${fresh[@]}"; do was_read[$file]=1; done
}
expect_code() { # wanted, found, what
    [ "$1" = "$2" ] || { fail "$3: exit code $2, not $1: $(tail -n 2 log)"; return 1; }
}
expect_same() { # directory, what
    local r
    r=$(result_of "$1")
    [ "$r" = "$reference" ] || { fail "$2: another result: $r instead of $reference"; return 1; }
}
flip_bit() { # file, bit
    local at=$(($2 / 8)) byte
    byte=$(od -An -tu1 -j "$at" -N 1 "$1" | tr -d ' ')
    printf "\\$(printf %03o $((byte ^ (1 << ($2 % 8)))))" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}

# ---- the undisturbed run, long enough to be disturbed ----------------------------------------------------------------

for _ in 1 2 3 4 5 6 7 8; do
    interval=$(calc "$duration / 20")
    rm -rf whole
    t0=$(now)
    run_to whole
    expect_code 0 $? "undisturbed run" || exit 1
    wall=$(calc "$(now) - $t0")
    holds "$wall > 1" && break
    longer=$duration
    duration=$(calc "$duration * 2")
done
holds "$wall > 1" || duration=$longer # the run that was made last
reference=$(result_of whole)
case $reference in
"no "*) fail "$reference"; exit 1 ;;
esac
if [ "${WET:-0}" = 1 ]; then
    # What a restart must bring back of rain and of the ground: what fell, what it gave, what the sums rounded away, and the water of
    # all the run.
    for name in rain rain_lost ground_energy ground_energy_lost ground_water ground_water_lost; do
        ncdump -v $name "$(newest whole)" | sed '1,/^data:/d' | grep -q '[1-9]' || fail "no $name in the last checkpoint"
    done
    for name in rain ground_energy ground_water; do
        ncdump -v $name whole/series.nc | sed "1,/^ $name =/d" | grep -q '[1-9]' || fail "no $name in the series"
    done
fi
[ "$(ls whole/restart_??????????.nc | wc -l)" = 2 ] || fail "not two checkpoints kept"
run_to again
expect_code 0 $? "second run" && expect_same again "second run" && good "undisturbed: ${wall} s, $reference"

# ---- kill -9 ---------------------------------------------------------------------------------------------------------

hit=0 round=0 tries=0
while [ $hit -lt "$KILLS" ] && [ $tries -lt $((KILLS * 5)) ]; do
    tries=$((tries + 1))
    dir=killed$round
    start_to "$dir" --restart auto
    sleep "$(calc "0.02 + $wall / 3 * $(random_below 1000) / 1000")"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    [ $code = 137 ] && hit=$((hit + 1))
    all_open "$dir" "kill $hit"
    if [ $code = 0 ]; then
        expect_same "$dir" "after kills"
        rm -rf "$dir"
        round=$((round + 1))
        continue
    fi
    [ $code = 137 ] || expect_code 137 $code "kill $hit"
    frames=$(ls "$dir"/history_*.nc 2>/dev/null | wc -l)
    if [ "$frames" -gt 2 ]; then
        last=$(newest "$dir")
        [ -n "$last" ] || { fail "kill $hit: no checkpoint after $frames history files"; continue; }
        holds "$(attribute "$last" time) >= ($frames - 2.001) * $interval" ||
            fail "kill $hit: checkpoint of $(attribute "$last" time) s is more than one interval old"
    fi
done
[ $hit -ge "$KILLS" ] || fail "only $hit kills hit a run"
if [ -d killed$round ]; then
    run_to killed$round --restart auto
    expect_code 0 $? "the run after the last kill" && expect_same killed$round "after kills"
fi
[ -z "$(find . -path "./killed$round/*" -name '*.tmp.*')" ] || fail "temporary files stay after kills"
good "kill -9: $hit kills, $round runs brought to their end under them"

# ---- damaged checkpoints ---------------------------------------------------------------------------------------------

last=$(newest whole)
size=$(stat -c %s "$last")
refused=0
for n in $(seq 1 $((2 * DAMAGES))); do
    rm -rf damaged other
    cp -r whole damaged
    victim=damaged/${last##*/}
    if [ "$n" -le "$DAMAGES" ]; then
        what="bit $(random_below $((8 * size)))"
        flip_bit "$victim" "${what#bit }"
    else
        what="length $(random_below "$size")"
        truncate -s "${what#length }" "$victim"
    fi
    run_to other --restart "$victim"
    expect_code 8 $? "$what, named" && refused=$((refused + 1))
    if [ $((n % 10)) = 0 ]; then
        run_to damaged --restart auto
        expect_code 0 $? "$what, auto" && expect_same damaged "$what"
        grep -q warning log || fail "$what: fell back without a warning"
    fi
done
rm -rf damaged
cp -r whole damaged
for f in damaged/restart_??????????.nc; do truncate -s $((size / 2)) "$f"; done
run_to damaged --restart auto
expect_code 8 $? "both checkpoints damaged"
grep -q restart_ log || fail "both damaged: the message names no file"
good "damaged checkpoints: $refused of $((2 * DAMAGES)) refused"

# ---- signals and the time limit --------------------------------------------------------------------------------------

for signal in USR1 TERM INT; do
    dir=signal_$signal
    start_to "$dir"
    for _ in $(seq 3000); do # well under way, however fast the machine is just now
        if [ -n "$(newest "$dir")" ] || ! kill -0 $pid 2>/dev/null; then break; fi
        sleep 0.01
    done
    kill -"$signal" $pid
    wait $pid
    expect_code 75 $? "SIG$signal" || continue
    grep -Eq '"exit_code": *75' "$dir/status.json" || fail "SIG$signal: status.json does not say 75"
    all_open "$dir" "SIG$signal"
    run_to "$dir" --restart auto
    expect_code 0 $? "after SIG$signal" && expect_same "$dir" "after SIG$signal" && good "SIG$signal"
done
run_to limit --set time%wall_limit="$(calc "$wall / 4")"
expect_code 75 $? "time limit"
run_to limit --restart auto
expect_code 0 $? "after the time limit" && expect_same limit "after the time limit" && good "time limit"

# ---- ranks: one dies, one stands still, all are asked to stop ----------------------------------------------------------

# The job of two ranks in the background: $pid is mpirun, ${rank[@]} its processes, once a checkpoint is there.
start_ranks() { # directory
    local dir=$1
    args_to "$dir"
    mpirun -n 2 "$SFERIC" "${args[@]}" 2>log &
    pid=$!
    for _ in $(seq 3000); do
        if [ -n "$(newest "$dir")" ] || ! kill -0 $pid 2>/dev/null; then break; fi
        sleep 0.01
    done
    rank=()
    read -ra rank <"/proc/$pid/task/$pid/children"
    if [ ${#rank[@]} != 2 ]; then
        fail "$dir: mpirun runs ${#rank[@]} processes and not 2: $(tail -n 3 log)"
        return 1
    fi
}
if command -v mpirun >/dev/null && ! "$SFERIC" --version | grep -q '^MPI *none'; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0
    for fault in KILL:0 KILL:1 STOP:0 STOP:1; do
        dir=ranks_${fault/:/_}
        start_ranks "$dir" || continue
        victim=${rank[${fault#*:}]}
        kill -"${fault%:*}" "$victim"
        t0=$(now)
        wait $pid
        code=$?
        took=$(calc "$(now) - $t0")
        case ${fault%:*} in
        KILL) expect_code 137 $code "rank, $fault" ;;
        STOP) expect_code 10 $code "rank, $fault" && { grep -q "process $victim" log || fail "$fault: not named: $(cat log)"; } ;;
        esac
        holds "$took < 10" || fail "rank, $fault: the job went on for $took s"
        for _ in $(seq 20); do kill -0 "$victim" 2>/dev/null && sleep 0.1; done # until its parent has taken note
        kill -0 "$victim" 2>/dev/null && fail "rank, $fault: its process is left"
        all_open "$dir" "rank, $fault"
        run_to "$dir" --restart auto
        expect_code 0 $? "after $fault" && expect_same "$dir" "after $fault" && good "rank, $fault: $took s"
    done
    start_ranks ranks_usr1 && kill -USR1 $pid
    wait $pid
    if expect_code 75 $? "SIGUSR1 to mpirun"; then
        grep -Eq '"exit_code": *75' ranks_usr1/status.json || fail "SIGUSR1 to mpirun: status.json does not say 75"
        all_open ranks_usr1 "SIGUSR1 to mpirun"
        run_to ranks_usr1 --restart auto
        expect_code 0 $? "after SIGUSR1 to mpirun" && expect_same ranks_usr1 "after SIGUSR1 to mpirun" &&
            good "SIGUSR1 to mpirun"
    fi
else
    echo "skip ranks: no MPI"
fi

# ---- no room ---------------------------------------------------------------------------------------------------------

(
    ulimit -f $((size / 2048)) # KiB: half a checkpoint
    run_to limited
)
expect_code 6 $? "file-size limit" && all_open limited "file-size limit" && good "file-size limit"
grep -q limited log || fail "file-size limit: the message names no path: $(cat log)"

mkdir small
frames=$(stat -c %s whole/history_*.nc | head -n 1)
if mount -t tmpfs -o size=$((3 * size + 4 * frames)) tmpfs small 2>/dev/null; then
    mounted=$work/small
    run_to small/out
    code=$?
    expect_code 6 $code "disk full" && all_open small/out "disk full" && good "disk full"
    grep -q small/out log || fail "disk full: the message names no path: $(cat log)"
    if [ -n "$(newest small/out)" ]; then
        cp -r small/out roomy
        run_to roomy --restart auto
        expect_code 0 $? "after a full disk" && expect_same roomy "after a full disk"
    fi
    umount small && mounted=
else
    echo "skip disk full: mounting a tmpfs is not allowed here"
fi

# ---- blow-up ---------------------------------------------------------------------------------------------------------

limit=$("$SFERIC" check "$CASE" "${sets[@]}" | sed -n "s/^ *the model's limit is \([0-9.]*\) s.*/\1/p")
blow() { # directory, time steps of the limit, options: what it says, in `said`
    local dt
    dt=$(calc "$2 * ${limit:-0}")
    "$SFERIC" run "$CASE" "${sets[@]}" --out "$1" -q --set time%duration="$(calc "$dt * 50")" --set time%dt="$dt" --set time%allow_unstable=true \
        --set time%check_interval=1 --set time%restart_interval="$dt" "${@:3}" 2>log
    expect_code 5 $? "blow-up, dt $dt"
    all_open "$1" "blow-up"
    said=$(grep 'blew up' log)
    grep -Eq 'step [0-9]+ .* [a-z_0-9]+ = .* in cell i = [0-9]+, j = [0-9]+, k = [0-9]+ \(x = ' <<<"$said" &&
        good "$said" || fail "blow-up: the message does not say when, what and where: $(cat log)"
}
blow at_once 5
# Of one that takes a few steps the state before it is kept, and goes on to the same end.
blow slowly 2
first=$said
[ -n "$(newest slowly)" ] || fail "blow-up: no checkpoint is left of the steps before"
blow slowly 2 --restart auto
[ "$said" = "$first" ] || fail "blow-up: another one after a restart: $said instead of $first"

[ $bad = 0 ] || { echo "$bad checks failed" >&2; exit 1; }
