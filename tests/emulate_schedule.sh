#!/bin/bash
# What a GPU of so much memory holds, here an emulated one: does a wave stay in two copies or in one, or stream in one sweep, and are
# the steps of its passes even? BUILD=build/VARIANT tests/emulate_schedule.sh
# SPDX-License-Identifier: MIT
# Full: it takes a build for the emulated GPU.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
emulate_begin sferic
export EMULATE_MEMORY=$((8 << 30))
bad=0
cat >"$work/wave.nml" <<END
&case name = 'wave', model = 'maxwell' /
&grid nx = 256, ny = 256, nz = 256, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 1e-10 /
&boundary west = 'cpml', east = 'cpml', south = 'cpml', north = 'cpml', bottom = 'cpml', top = 'cpml' /
&cpml cells = 10 /
END

# schedule PATTERN ARGUMENT...: what the plan says first
schedule() {
    local pattern=$1 said
    shift
    said=$("$emulated/sferic" plan "$work/wave.nml" --backend cuda "$@" 2>&1 | grep -E '^pass:|error')
    grep -qE -- "$pattern" <<<"$said" || { echo "FAILED: $*: '$said', not '$pattern'"; bad=1; }
}
# An op a step where E and H go together, two where they do not; of two steps together there are as many, in half as many turns.
one='8 steps, 8 ops in 1 segment; 1 slab resident' two='8 steps, 16 ops in 1 segment; 1 slab resident'
schedule "^pass: $one"
schedule "^pass: $one" --set pipeline%device_memory_mib=1050
# In half a sweep a step where three copies fit, from so many cells on, in one where two do.
sweeps() { # PATTERN ARGUMENT...
    local said
    said=$("$emulated/sferic" plan "$work/wave.nml" --backend cuda "${@:2}" 2>&1 | grep -E '^ *[0-9]+ (he|h|e)|error' | awk '{ print $2 }' | sort -u | paste -sd ' ')
    [ "$said" = "$1" ] || { echo "FAILED: ${*:2}: sweeps '$said', not '$1'"; bad=1; }
}
if [[ $emulated == *-32-* ]]; then sweeps 'he_pair he_rim'; else sweeps he; fi
sweeps he --set pipeline%device_memory_mib=1050
sweeps he --set grid%ny=200
# Where two copies would stay, three that stream in long passes are faster; passes that are cut short are not.
long=(--set grid%nx=192 --set grid%nz=192 --set grid%ny=512 --set pipeline%device_memory_mib=1250)
if [[ $emulated == *-32-* ]]; then sweeps 'he_pair he_rim' "${long[@]}"; fi
sweeps he "${long[@]}" --set time%check_interval=100
sweeps 'e h' --set pipeline%device_memory_mib=920
sweeps he --set "maxwell%sweeps='one'"
sweeps he --set grid%nz=24 --set "maxwell%sweeps='half'" # between the layers there is no core
schedule "^pass: $two" --set pipeline%device_memory_mib=920
schedule "^pass: $two" --set pipeline%device_memory_mib=530
schedule "^pass: $two" --set "maxwell%sweeps='two'"
# In slabs: as many ops as steps, which are even.
schedule '^pass: ([0-9]*[02468]) steps, \1 ops in 1 segment; [0-9]+ slabs skewed' --set pipeline%device_memory_mib=480
schedule '^pass: ([0-9]*[02468]) steps, \1 ops in 1 segment; [0-9]+ slabs skewed' --set pipeline%device_memory_mib=250
schedule '^pass: 4 steps, 4 ops in 1 segment; 6 slabs skewed' --set pipeline%slabs=6 --set pipeline%steps_per_pass=4
schedule '^pass: [0-9]+ steps?, [0-9]+ ops in 1 segment; [0-9]+ slabs skewed' --set pipeline%device_memory_mib=250 --set "maxwell%sweeps='two'"
# As many steps as were asked for, or as there is memory for.
schedule '^pass: 3 steps, 21 ops in 1 segment; [0-9]+ slabs skewed' --set pipeline%device_memory_mib=250 --set pipeline%steps_per_pass=3
schedule '^pass: [1-9][02468] steps, [0-9]+ ops in 1 segment; [0-9]+ slabs skewed' --set pipeline%device_memory_mib=120 --set pipeline%steps_per_pass=200
# Overlapping slabs, of which more may take more, as well.
schedule '^pass: 4 steps, .* slabs overlapped' --set pipeline%overlapped=.true. --set pipeline%device_memory_mib=500 --set pipeline%steps_per_pass=4
few=$("$emulated/sferic" plan namelists/warm_bubble.nml --backend cuda --set grid%nx=33 --set grid%ny=257 --set grid%nz=16 --set pipeline%overlapped=.true. \
    --set pipeline%steps_per_pass=1 --set pipeline%device_memory_mib=12.1 2>&1 | grep -E '^pass:|error')
grep -q '^pass: 1 step, .* 15 slabs overlapped' <<<"$few" || { echo "FAILED: overlapping slabs in 12.1 MiB: $few"; bad=1; }
# What it decided from is told, where slabs are asked for, too.
memory() { # PATTERN ARGUMENT...
    local said
    said=$("$emulated/sferic" plan "$work/wave.nml" --backend cuda "${@:2}" 2>&1 | grep -E '^GPU memory|^steps|error')
    grep -qE -- "$1" <<<"$said" || { echo "FAILED: ${*:2}: '$said', not '$1'"; bad=1; }
}
memory '^GPU memory: [1-9][0-9]+\.[0-9] MiB would hold .*: they stay there$'
memory '^GPU memory: [1-9][0-9]+\.[0-9] MiB would hold .* 250\.0 MiB may be used: they stream in [0-9.]+ MiB$' --set pipeline%device_memory_mib=250
memory '^GPU memory: [1-9][0-9]+\.[0-9] MiB would hold .*: slabs were asked for, and stream in [0-9.]+ MiB$' --set pipeline%slabs=6
memory '^steps: 200 a pass were asked for, which the memory of the GPU does not hold$' --set pipeline%device_memory_mib=120 --set pipeline%steps_per_pass=200
memory 'this case takes ([0-9]+\.[0-9]{3}) MiB of the GPU, where 1\.200 MiB may be used' --set pipeline%device_memory_mib=1.2
# A run that streams tells its digest, and ends with its share of the speed of rows that stay.
cat >"$work/ball.nml" <<END
&case name = 'ball', model = 'maxwell' /
&grid nx = 40, ny = 240, nz = 40, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 3e-11 /
&boundary west = 'cpml', east = 'cpml', south = 'cpml', north = 'cpml', bottom = 'cpml', top = 'cpml' /
&source kind = 'electric', axis = 'z', x = 0.02, y = 0.12, z = 0.02, frequency = 1e10 /
&output probe_x = 0.02, probe_y = 0.12, probe_z = 0.02 /
END
# run ARGUMENT...: what it says at the end, but that it ends while its source still works
run() { "$emulated/sferic" run "$work/ball.nml" --backend cuda --out "$work/ball" --force "$@" 2>&1 | grep -E '^  resident|^digest|error|warning' | grep -v 'before source 1 is over'; }
few=$(run -v --set pipeline%device_memory_mib=12) all=$(run -v --set pipeline%slabs=3) none=$(run -v) quiet=$(run -q --set pipeline%slabs=3)
told='  resident +[0-9.]+ % of the speed of rows that stay on the GPU: [0-9.e+]+ Mpoint/s, measured on'
[[ $few =~ ^digest\ [0-9a-f]+$'\n'$told\ 1?[0-9][0-9]\ of\ them$ ]] || { echo "FAILED: streamed for want of memory: $few"; bad=1; }
[[ $all =~ ^digest\ [0-9a-f]+$'\n'$told\ 240\ of\ them$ ]] || { echo "FAILED: streamed as asked: $all"; bad=1; }
[[ $none == digest\ * && $quiet == "$none" && ${few%%$'\n'*} == "$none" ]] || { echo "FAILED: resident or quiet: $none, $quiet"; bad=1; }
# Files and the program say what computed them.
grep -q '^\s*:backend = "cuda, emulated GPU" ;' <(ncdump -h "$work/ball/series.nc") || { echo 'FAILED: a file does not tell the GPU'; bad=1; }
grep -qE '^CUDA +emulated$' <("$emulated/sferic" --version) || { echo 'FAILED: --version does not tell CUDA'; bad=1; }
# Passes that are cut by what is due between them: foretold, and told. 16 steps, of which every fifth is looked at: passes of 4 and 1.
foretold=$("$emulated/sferic" plan "$work/ball.nml" --backend cuda --set pipeline%slabs=3 --set pipeline%steps_per_pass=4 --set time%check_interval=5)
told=$("$emulated/sferic" run "$work/ball.nml" --backend cuda --out "$work/ball" --force --set pipeline%slabs=3 --set pipeline%steps_per_pass=4 \
    --set time%check_interval=5 2>&1)
mean=$(sed -nE 's/^passes: ([0-9.]+) steps in the mean.*/\1/p' <<<"$foretold")
[[ $mean == 2.* && $told == *"4 steps a pass at most, $mean in the mean"* && $told == *'MiB more came home'* ]] ||
    { echo "FAILED: passes of $mean steps: $told"; bad=1; }
# Slabs that overlap bring rows that they share twice: planned as they move.
told=$("$emulated/sferic" run "$work/ball.nml" --backend cuda --out "$work/ball" --force --set pipeline%slabs=3 --set pipeline%overlapped=.true. 2>&1)
[[ $told =~ ([0-9.]+)\ MiB\ in\ and\ ([0-9.]+)\ MiB\ out\ a\ pass.*\ planned\ ([0-9.]+)\ and\ ([0-9.]+) &&
    ${BASH_REMATCH[1]} == "${BASH_REMATCH[3]}" && ${BASH_REMATCH[2]} == "${BASH_REMATCH[4]}" && ${BASH_REMATCH[1]} != "${BASH_REMATCH[2]}" ]] ||
    { echo "FAILED: bytes of slabs that overlap: $told"; bad=1; }
# The timeline has what comes and goes between passes: of slabs the MiB that were told, of a state that stays once in, and out for each frame.
trips() { # LANE <TIMELINE: number and MiB of spans that are of no slab
    python3 -c "import json, sys
trip = [e['args']['bytes'] / 2**20 for e in json.load(sys.stdin)['traceEvents'] if e['ph'] == 'X' and e['name'] == sys.argv[1] and 'slab' not in e['args']]
print(len(trip), '%.1f' % sum(trip))" "$1"
}
run_told() { "$emulated/sferic" run "$work/ball.nml" --backend cuda --out "$work/ball" --force --timeline "$work/t.json" "$@" 2>&1; }
told=$(run_told --set pipeline%slabs=3 --set pipeline%steps_per_pass=4 --set time%output_interval=1e-11 && cp "$work/t.json" "$work/slabs.json" &&
    run_told --set time%output_interval=1e-11 >"$work/said") || { echo "FAILED: $told, $(cat "$work/said")"; bad=1; }
home=$(sed -nE 's/^ +([0-9.]+) MiB more came home.*/\1/p' <<<"$told")
[[ -n $home && $(trips out <"$work/slabs.json") == *" $home" ]] || { echo "FAILED: '$(trips out <"$work/slabs.json")' of slabs, told $home"; bad=1; }
# Whatever the GPU takes first: rows that repeat along y are exchanged and a frame is fetched while marks are set. And of a run that is stopped.
for seed in 2 3 4; do
    EMULATE_SEED=$seed run_told --set pipeline%slabs=3 --set "boundary%south='periodic'" --set "boundary%north='periodic'" \
        --set time%output_interval=1e-11 --timeline "$work/seed.json" >"$work/said" || { echo "FAILED: a timeline, seed $seed: $(tail -n 3 "$work/said")"; bad=1; }
done
run_told --set pipeline%slabs=3 --stop-after-steps 9 --timeline "$work/stopped.json" >"$work/said"
[[ $? = 75 && $(trips out <"$work/stopped.json") == 1\ * ]] || { echo "FAILED: the timeline of a stopped run: $(tail -n 3 "$work/said")"; bad=1; }
read -r n all <<<"$(trips in <"$work/t.json")"
[[ $n == 1 && $all != 0.0 && $(trips out <"$work/t.json") == 3\ * ]] || { echo "FAILED: in $n $all, out $(trips out <"$work/t.json")"; bad=1; }
exit $bad
